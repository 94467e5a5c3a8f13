/*
 * Compares exp_float, log_float, sin_float and cos_float with MPFR, for every float. Takes some
 * two to five minutes a function, so it is no part of the quick suite. Link with -lmpfr -lpthread.
 *
 *     exhaustive_exp exp|log|sin|cos [threads]         (2 threads if it isn't said)
 *
 * prints how many floats were compared, how often MPFR had to be asked, and how many were wrong,
 * each of the first few by name. Exit status: 0 all right, 1 a mismatch, 2 wrong usage.
 *
 * MPFR rounds e^x and the rest correctly, at about a microsecond a piece. It need not be asked for
 * every float, because the exact functions are monotone and rounding keeps the order. Walk up the
 * floats while our results stay the same; say they do from a to b. If MPFR agrees at a and at b,
 * the right result for every float between lies between two equal numbers, so ours is right there
 * too. Near 0, where e^x crawls, one such run has millions of floats; where it is steep, every run
 * is one float, and MPFR is asked for each. Nothing is taken on trust but MPFR itself.
 *
 * What is covered:
 *   exp  all floats, NANs included
 *   log  all floats, NANs included; those below 0 must give NAN
 *   sin  all floats. From 2^-12 to π/2 in runs, from there to ANGLE_LIMIT one by one; below 2^-12
 *        the right result is x: sin x is less than x^3 / 6 away from it, which is less than a third
 *        of the way to the middle between x and the next float. Negative angles must give the
 *        result of the positive one, negated. Beyond ANGLE_LIMIT the answer must be NAN.
 *   cos  the same, but in runs from 0 on, and equal for negative angles
 */
#include "tensor/number/elementary.h"

#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t SIGN = 0x80000000u;
static const uint32_t BITS_OF_INFINITY = 0x7f800000u;

enum { SLICE = 1 << 22, THREADS_MAX = 64, MISMATCHES_SHOWN = 10 };

// What to compare, and where it grows or falls all the way.
struct function {
    const char *name;
    float (*ours)(float);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    float domain_first, domain_last;     // outside, ours must be NAN
    float monotone_first, monotone_last; // outside, ask MPFR for each float
    int parity;                          // f(-x) = parity * f(x), or 0 for neither
};

static const struct function FUNCTIONS[] = {
    {"exp", exp_float, mpfr_exp, -INFINITY, INFINITY, -INFINITY, INFINITY, 0},
    {"log", log_float, mpfr_log, 0, INFINITY, 0, INFINITY, 0},
    {"sin", sin_float, mpfr_sin, 0, ANGLE_LIMIT, 0, 1.5f, -1},
    {"cos", cos_float, mpfr_cos, 0, ANGLE_LIMIT, 0, 1.5f, 1},
};

// One thread's share: every step-th slice, from slice `first` on.
struct share {
    const struct function *function;
    int64_t first, step;
    int64_t compared, asked, wrong;
};

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Floats in order: 0 has rank 0, the smallest positive float rank 1, the largest negative one -1.
// Only -0 has no rank.
static float float_of_rank(int64_t rank) {
    return float_of_bits(rank < 0 ? SIGN | (uint32_t)-rank : (uint32_t)rank);
}

static int64_t rank_of_float(float x) {
    const int64_t magnitude = bits_of_float(x) & ~SIGN;
    return bits_of_float(x) & SIGN ? -magnitude : magnitude;
}

static bool same(float a, float b) {
    return bits_of_float(a) == bits_of_float(b) || (isnan(a) && isnan(b));
}

// The correctly rounded result: 24 bits, the exponents of a float, subnormal ones included.
static float reference(struct share *s, float x) {
    const struct function *f = s->function;
    if (f->exact == mpfr_sin && fabsf(x) < 0x1p-12f) return x; // proof: above
    s->asked++;
    MPFR_DECL_INIT(y, 24);
    mpfr_set_flt(y, x, MPFR_RNDN);
    const int rounded = f->exact(y, y, MPFR_RNDN);
    mpfr_subnormalize(y, rounded, MPFR_RNDN);
    return mpfr_get_flt(y, MPFR_RNDN);
}

static void complain(struct share *s, float x, float ours, const char *expected) {
    if (s->wrong++ < MISMATCHES_SHOWN) {
        printf("%s(%a): got %a, expected %s\n", s->function->name, (double)x, (double)ours,
               expected);
    }
}

static bool agrees(struct share *s, int64_t rank, float ours) {
    return same(reference(s, float_of_rank(rank)), ours);
}

// All floats of a run gave `ours`. Its ends decide; if one is wrong, look at each.
static void check_run(struct share *s, int64_t first, int64_t last, float ours) {
    s->compared += last - first + 1;
    const bool monotone = float_of_rank(first) >= s->function->monotone_first &&
                          float_of_rank(last) <= s->function->monotone_last;
    if (monotone && agrees(s, first, ours) && (first == last || agrees(s, last, ours))) return;
    for (int64_t rank = first; rank <= last; rank++) {
        if (agrees(s, rank, ours)) continue;
        const float x = float_of_rank(rank);
        char expected[32];
        snprintf(expected, sizeof expected, "%a", (double)reference(s, x));
        complain(s, x, ours, expected);
    }
}

static void check_mirrored(struct share *s, float x, float ours) {
    const float mirrored = s->function->ours(-x);
    s->compared++;
    if (!same(mirrored, s->function->parity < 0 ? -ours : ours)) {
        complain(s, -x, mirrored, "the mirror image of the positive angle");
    }
}

static void check_slice(struct share *s, int64_t first, int64_t last) {
    int64_t run_first = first;
    float run_result = s->function->ours(float_of_rank(first));
    for (int64_t rank = first; rank <= last; rank++) {
        const float x = float_of_rank(rank);
        const float ours = s->function->ours(x);
        if (!same(ours, run_result)) {
            check_run(s, run_first, rank - 1, run_result);
            run_first = rank;
            run_result = ours;
        }
        if (s->function->parity != 0) check_mirrored(s, x, ours);
    }
    check_run(s, run_first, last, run_result);
}

static void *check_share(void *argument) {
    struct share *s = argument;
    mpfr_set_emin(-148); // 2^-149, the smallest float, is 0.5 * 2^-148 in MPFR's terms
    mpfr_set_emax(128);
    const int64_t domain_last = rank_of_float(s->function->domain_last);
    int64_t first = rank_of_float(s->function->domain_first) + s->first * SLICE;
    for (; first <= domain_last; first += s->step * SLICE) {
        const int64_t slice_last = first + SLICE - 1;
        check_slice(s, first, slice_last < domain_last ? slice_last : domain_last);
    }
    return NULL;
}

static void check_is_nan(struct share *s, float x) {
    const float ours = s->function->ours(x);
    s->compared++;
    if (!isnan(ours)) complain(s, x, ours, "nan");
}

// -0, what lies outside the domain, and the NANs.
static void check_rest(struct share *s) {
    const struct function *f = s->function;
    const int64_t infinity = BITS_OF_INFINITY;
    const int64_t domain_last = rank_of_float(f->domain_last);
    const int64_t domain_first = f->parity ? -domain_last : rank_of_float(f->domain_first);

    if (f->parity == 0) { // otherwise -0 is the mirror image of 0
        const float ours = f->ours(-0.0f);
        s->compared++;
        if (!same(ours, reference(s, -0.0f))) complain(s, -0.0f, ours, "what MPFR says");
    }
    for (int64_t rank = -infinity; rank < domain_first; rank++)
        check_is_nan(s, float_of_rank(rank));
    for (int64_t rank = domain_last + 1; rank <= infinity; rank++) {
        check_is_nan(s, float_of_rank(rank));
    }
    for (uint32_t bits = BITS_OF_INFINITY + 1; bits < SIGN; bits++) {
        check_is_nan(s, float_of_bits(bits));
        check_is_nan(s, float_of_bits(SIGN | bits));
    }
}

// Returns the number of mismatches.
static int64_t check_function(const struct function *f, int threads) {
    struct share shares[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        shares[i] = (struct share){.function = f, .first = i, .step = threads};
        if (pthread_create(&ids[i], NULL, check_share, &shares[i]) != 0) {
            fprintf(stderr, "exhaustive_exp: can't start a thread\n");
            exit(2);
        }
    }
    struct share sum = {.function = f};
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        sum.compared += shares[i].compared;
        sum.asked += shares[i].asked;
        sum.wrong += shares[i].wrong;
    }
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    check_rest(&sum);
    printf("%s: %lld floats compared, MPFR asked %lld times, %lld mismatches\n", f->name,
           (long long)sum.compared, (long long)sum.asked, (long long)sum.wrong);
    return sum.wrong;
}

int main(int argc, char **argv) {
    const int threads = argc > 2 ? atoi(argv[2]) : 2;
    for (size_t i = 0; argc > 1 && i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        if (strcmp(argv[1], FUNCTIONS[i].name) != 0) continue;
        if (threads < 1 || threads > THREADS_MAX) break;
        // Without thread-local storage MPFR's exponent range belongs to all threads.
        return check_function(&FUNCTIONS[i], mpfr_buildopt_tls_p() ? threads : 1) == 0 ? 0 : 1;
    }
    fprintf(stderr, "usage: exhaustive_exp exp|log|sin|cos [threads, 1 to %d]\n", THREADS_MAX);
    return 2;
}
