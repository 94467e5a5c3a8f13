// Operations that draw from the generator. Each notes in its origin which draws it took, and its account
// makes them once more.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/number/fma.h"
#include "tensor/number/normal.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/quick.h"

static const struct draws *draws_of(const struct account *account) {
    return &account->derivation->origin->draws;
}

// The 32 bits of a draw, counted from the seed, from 0.
static uint32_t bits_drawn(const struct draws *draws, uint64_t draw) {
    struct generator generator;
    manual_seed(&generator, draws->seed);
    skip_to(&generator, draw);
    return random_bits(&generator);
}

// "draw 7 of seed 123", for number 6.
static const char *draw_name(const struct account *account, uint64_t draw) {
    return arena_format(account->arena, "draw %" PRIu64 " of seed %" PRIu64, draw + 1,
                        draws_of(account)->seed);
}

// ---- uniform -------------------------------------------------------------------------------------

static const char END_OF_DRAWN[] =
    "Nothing comes before this: the number was drawn from the random generator.";

static ALWAYS_INLINE void stretch(float *values, int64_t count, float least, float width) {
    for (int64_t i = 0; i < count; i++) values[i] = fmaf(values[i], width, least);
}

WITH_FMA static void stretch_with_fma(float *values, int64_t count, float least, float width) {
    stretch(values, count, least, width);
}

// In pieces that stay in the processor's first cache.
static void fill_uniform(const struct origin *origin, float *values, int64_t count) {
    enum { PIECE = 4096 };
    const float least = origin->least, width = origin->most - origin->least;
    for (int64_t done = 0; done < count; done += PIECE) {
        const int64_t piece = count - done < PIECE ? count - done : PIECE;
        random_floats(origin->generator, values + done, piece);
        if (has_fma())
            stretch_with_fma(values + done, piece, least, width);
        else
            stretch(values + done, piece, least, width);
    }
}

// Many numbers are kept for the next run, unless this one changes them.
static struct tensor draw(struct arena *arena, const struct origin *origin,
                          void (*fill)(const struct origin *origin, float *values, int64_t count)) {
    const int64_t count = count_of(origin->shape);
    bool is_drawn = false;
    float *room = NULL;
    if (quick_ways.room != NULL && count >= QUICK_FROM && arena->disturbance == NULL &&
        arena->swept == NULL)
        room = quick_ways.room(origin, &is_drawn);
    const struct tensor result = room != NULL ? tensor_around(arena, origin->shape, room)
                                              : tensor_new(arena, FLOAT32, origin->shape);
    if (!is_drawn) fill(origin, floats_of(&result), count);
    if (room != NULL && !is_drawn) quick_ways.drawn(origin, room);
    return result;
}

static struct tensor compute_uniform(struct arena *arena, const struct origin *origin) {
    return draw(arena, origin, fill_uniform);
}

static double account_of_uniform(struct account *account) {
    const struct origin *origin = account->derivation->origin;
    const uint64_t position = origin->draws.first + (uint64_t)account->derivation->flat_index;
    const uint32_t bits = bits_drawn(&origin->draws, position), low = bits & UINT32_C(0xffffff);
    const float u = float_of_bits(bits), least = origin->least, most = origin->most;
    const float value = fmaf(u, most - least, least);
    say(account, "%s: 0x%08" PRIX32, draw_name(account, position), bits);
    say(account, "u = low 24 bits of draw %" PRIu64 ", 0x%06" PRIX32 " = %" PRIu32 ", × 2^-24 = %s",
        position + 1, low, low, figure(account, (double)u));
    if (least < 0 || least > 0 || most < 1 || most > 1) {
        say(account, "%s + (%s − %s) × %s = %s", figure(account, (double)least),
            figure(account, (double)most), bracketed(account, (double)least),
            figure(account, (double)u), figure(account, (double)value));
    }
    return (double)value;
}

const struct operation uniform_row = {
    .name = "uniform_",
    .compute = compute_uniform,
    .draws = true,
    .account = account_of_uniform,
    .end = END_OF_DRAWN,
};

struct tensor uniform(struct arena *arena, struct generator *generator, struct shape shape,
                      double least, double most) {
    return perform(arena, &(struct origin){.operation = &uniform_row,
                                           .shape = shape,
                                           .least = (float)least,
                                           .most = (float)most,
                                           .generator = generator});
}

// torch.nn.Linear.reset_parameters: kaiming_uniform_(weight, a=sqrt(5)) has the bound
// sqrt(3) * sqrt(2 / (1 + 5)) / sqrt(d_in), which is 1 / sqrt(d_in); so has the bias.
struct tensor uniform_weight(struct arena *arena, struct generator *generator, int64_t d_out,
                             int64_t d_in) {
    const double bound = 1 / sqrt((double)d_in);
    const struct tensor weight = uniform(arena, generator, SHAPE(d_out, d_in), -bound, bound);
    return set_matrix(weight, AXIS_FEATURE, AXIS_INPUT);
}

struct tensor uniform_bias(struct arena *arena, struct generator *generator, int64_t d_out,
                           int64_t d_in) {
    const double bound = 1 / sqrt((double)d_in);
    return set_axis(uniform(arena, generator, SHAPE(d_out), -bound, bound), 0, AXIS_FEATURE);
}

// ---- normal --------------------------------------------------------------------------------------

static void fill_normal(const struct origin *origin, float *values, int64_t count) {
    if (quick_ways.normals == NULL || count < QUICK_FROM || count % NORMAL_BLOCK != 0) {
        random_normal(origin->generator, values, count);
        return;
    }
    random_floats(origin->generator, values, count);
    quick_ways.normals(values, count / NORMAL_BLOCK);
}

static struct tensor compute_normal(struct arena *arena, const struct origin *origin) {
    return draw(arena, origin, fill_normal);
}

// One of a pair: the cosine or the sine.
static double say_box_muller(struct account *account, const struct normal_pair *pair,
                             bool is_sine) {
    const double value = (double)(is_sine ? pair->sine : pair->cosine);
    say(account, "radius = √(-2·log u₁) = %s, angle = 2π·u₂ = %s", figure(account, pair->radius),
        figure(account, pair->angle));
    say(account, "%s × %s(%s) = %s", figure(account, pair->radius), is_sine ? "sin" : "cos",
        figure(account, pair->angle), figure(account, value));
    return value;
}

// Sixteen floats a block: number j < 8 and number j + 8 make a pair, the cosine goes to the first place,
// the sine to the second. The last sixteen of a ragged count are drawn anew.
static double account_in_block(struct account *account) {
    enum { BLOCK = NORMAL_BLOCK, HALF = NORMAL_BLOCK / 2 };
    const struct draws *draws = draws_of(account);
    const int64_t position = account->derivation->flat_index, count = account->storage->count;
    const bool is_tail = count % BLOCK != 0 && position >= count - BLOCK;
    const int64_t within = is_tail ? position - (count - BLOCK) : position % BLOCK;
    const uint64_t block = draws->first + (uint64_t)(is_tail ? count : position - within);
    const uint64_t first = block + (uint64_t)(within % HALF), second = first + HALF;
    const uint32_t bits1 = bits_drawn(draws, first), bits2 = bits_drawn(draws, second);
    const float u1 = float_of_bits(bits1), u2 = float_of_bits(bits2);
    const struct normal_pair pair = normal_pair_of_floats(u1, u2);
    say(account, "%s: 0x%08" PRIX32 ", draw %" PRIu64 ": 0x%08" PRIX32, draw_name(account, first),
        bits1, second + 1, bits2);
    say(account, "low 24 bits × 2^-24: u₁ = 1 − %s = %s, u₂ = %s", figure(account, (double)u1),
        figure(account, (double)(1 - u1)), figure(account, (double)u2));
    return say_box_muller(account, &pair, within >= HALF);
}

// Fewer than sixteen: in double, a pair after the other, the cosine first; a pair takes four draws. Where
// the generator still kept the sine of an earlier pair, that one comes first and the pairs lie one place
// on.
static double account_by_pairs(struct account *account) {
    const struct draws *draws = draws_of(account);
    const int64_t position = account->derivation->flat_index - draws->has_normal;
    const bool is_kept = position < 0, is_sine = is_kept || position % 2 == 1;
    const uint64_t draw = is_kept ? draws->normal_at : draws->first + 4 * (uint64_t)(position / 2);
    const double first = double_of_bits(bits_drawn(draws, draw), bits_drawn(draws, draw + 1));
    const double second = double_of_bits(bits_drawn(draws, draw + 2), bits_drawn(draws, draw + 3));
    const struct normal_pair pair = normal_pair_of_doubles(first, second);
    say(account, "%s and the three after it: two for each uniform", draw_name(account, draw));
    say(account, "low 53 bits × 2^-53: %s and %s; u₁ = 1 − %s, u₂ = %s", figure(account, first),
        figure(account, second), figure(account, second), figure(account, first));
    return say_box_muller(account, &pair, is_sine);
}

static double account_of_normal(struct account *account) {
    return account->storage->count >= NORMAL_BLOCK ? account_in_block(account)
                                                   : account_by_pairs(account);
}

// The last bits depend on the logarithm, the sine and the cosine that a build uses: by up to 5e-6, seen
// between builds of PyTorch.
static double error_of_normal(const struct derivation *derivation, const double *errors) {
    (void)errors;
    return 5 * fmax(1, fabs(derivation->value));
}

const struct operation normal_row = {
    .name = "normal_",
    .compute = compute_normal,
    .draws = true,
    .account = account_of_normal,
    .error = error_of_normal,
    .end = END_OF_DRAWN,
};

struct tensor normal(struct arena *arena, struct generator *generator, struct shape shape) {
    return perform(
        arena, &(struct origin){.operation = &normal_row, .shape = shape, .generator = generator});
}

// ---- dropout -------------------------------------------------------------------------------------

void draw_kept(struct generator *generator, double p, enum bernoulli stream, unsigned char *bits,
               int64_t count) {
    const double kept = 1 - p;
    memset(bits, 0, (size_t)(count + 7) / 8);
    if (p >= 1 || count == 0) return;
    uint32_t x = stream == MT19937 ? 0 : mcg31m1_first(random_bits(generator));
    for (int64_t i = 0; i < count; i++) {
        const bool is_kept = stream == MT19937 ? random_double(generator) < kept
                                               : (double)x / (double)MCG31M1_MODULUS < kept;
        if (is_kept) bits[i / 8] |= (unsigned char)(1U << i % 8);
        if (stream != MT19937) x = mcg31m1_next(x);
    }
}

float kept_factor(double p) {
    return 1 / (float)(1 - p);
}

static struct tensor compute_dropout(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const struct shape shape = shape_of(x);
    const int64_t count = count_of(shape);
    unsigned char *bits = arena_allocate(arena, (size_t)(count + 7) / 8);
    draw_kept(origin->generator, origin->number, origin->draws.stream, bits, count);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const float factor = keeps_bit(bits, i) ? kept_factor(origin->number) : 0;
        floats_of(&result)[i] = (float)element(x, index) * factor;
    }
    return result;
}

// Two draws an element.
static double uniform_of_twister(struct account *account) {
    const struct draws *draws = draws_of(account);
    const uint64_t first = draws->first + 2 * (uint64_t)account->derivation->flat_index;
    const uint32_t high = bits_drawn(draws, first), low = bits_drawn(draws, first + 1);
    const double u = double_of_bits(high, low);
    const uint64_t both = (uint64_t)high << 32 | low;
    say(account, "%s: 0x%08" PRIX32 ", draw %" PRIu64 ": 0x%08" PRIX32, draw_name(account, first),
        high, first + 2, low);
    say(account, "u = low 53 bits of both, 0x%014" PRIX64 ", × 2^-53 = %s",
        both & ((UINT64_C(1) << 53) - 1), figure(account, u));
    return u;
}

// One draw for all elements, then a step of the other generator for each.
static double uniform_of_mcg31m1(struct account *account) {
    const struct draws *draws = draws_of(account);
    const int64_t steps = account->derivation->flat_index;
    const uint32_t draw = bits_drawn(draws, draws->first);
    uint32_t x = mcg31m1_first(draw);
    say(account, "%s: %" PRIu32 "; x of element 1 = it mod 2147483647 = %" PRIu32,
        draw_name(account, draws->first), draw, x);
    for (int64_t step = 0; step < steps; step++) x = mcg31m1_next(x);
    if (steps > 0) {
        say(account,
            "x becomes 1132489760·x mod 2147483647, %" PRId64 " times: x of element %" PRId64
            " = %" PRIu32,
            steps, steps + 1, x);
    }
    const double u = (double)x / (double)MCG31M1_MODULUS;
    say(account, "u = %" PRIu32 " / 2147483647 = %s", x, figure(account, u));
    return u;
}

// "drawn 0.4123 < 1 − 0.5, kept", with as many digits as it takes to see it.
static const char *decision(const struct account *account, double u, double p, bool is_kept) {
    const char *uniform = figure(account, u);
    if (strcmp(uniform, figure(account, 1 - p)) == 0)
        uniform = arena_format(account->arena, "%.17g", u);
    return arena_format(account->arena, "drawn %s %s 1 − %g, %s", uniform, is_kept ? "<" : "≥", p,
                        is_kept ? "kept" : "dropped");
}

static double account_of_dropout(struct account *account) {
    const double p = account->derivation->origin->number;
    const double x = account->derivation->operands[0].value;
    bool is_kept = false;
    const char *verdict = "p = 1 drops all, without a draw";
    if (p < 1) {
        const double u = draws_of(account)->stream == MT19937 ? uniform_of_twister(account)
                                                              : uniform_of_mcg31m1(account);
        is_kept = u < 1 - p;
        verdict = decision(account, u, p, is_kept);
    }
    const float factor = is_kept ? 1 / (float)(1 - p) : 0;
    const double value = (double)((float)x * factor);
    const char *scale = is_kept ? arena_format(account->arena, "(1 / (1 − %g))", p) : "0";
    say(account, "%s: %s × %s = %s", verdict, figure(account, x), scale, figure(account, value));
    return value;
}

static const char *why_dropped_rows_lose(struct arena *arena, const struct origin *origin) {
    const double p = origin->number;
    if (p >= 1) return "rows sum to 0: dropout zeroed everything";
    return arena_format(arena,
                        "rows no longer sum to 1: kept weights are multiplied by 1/(1 - %g) = %.4g",
                        p, 1 / (1 - p));
}

static struct tensor gradient_of_dropout(const struct backward *back, int operand) {
    (void)operand;
    struct origin again = {.operation = &dropout_again_row, .number = back->origin->number};
    again.draws = back->origin->draws;
    return perform_on(ONE(back->grad), again);
}

static double error_of_dropped(const struct derivation *derivation, const double *errors) {
    const double scale = 1 / (1 - derivation->origin->number);
    const bool is_dropped = derivation->value == 0 && derivation->operands[0].value != 0;
    if (is_dropped || errors[0] == 0) return fabs(derivation->value);
    return errors[0] * scale + fabs(derivation->value);
}

static bool hides_dropped(struct arena *arena, const struct derivation *derivation) {
    (void)arena;
    (void)derivation;
    return true;
}

static struct purpose purpose_of_dropped(const struct origin *origin, const struct tensor *result) {
    (void)result;
    const enum role role = role_of(&origin->operands[0]);
    if (role == ROLE_WEIGHTS) return (struct purpose){.role = ROLE_DROPPED_WEIGHTS};
    return (struct purpose){.role = role == ROLE_HIDDEN ? ROLE_HIDDEN : ROLE_NONE};
}

const struct operation dropout_row = {
    .name = "dropout",
    .purpose = purpose_of_dropped,
    .backward = "MulBackward0",
    .gradient = gradient_of_dropout,
    .help = {"dropout", "torch.nn.functional.dropout(x, p)",
             "same sizes; zeroes, and scales by 1/(1-p)",
             "dx = dy · keep / (1 - p), with the mask of the way forward"},
    .compute = compute_dropout,
    .draws = true,
    .find = find_same,
    .account = account_of_dropout,
    .error = error_of_dropped,
    .hides = hides_dropped,
    .changes_some = true,
    .why_rows_lose = why_dropped_rows_lose,
};

// The way back: the same mask, from the same draws, on other numbers. Nothing new is drawn.
static struct tensor compute_dropout_again(struct arena *arena, const struct origin *origin) {
    struct generator generator;
    manual_seed(&generator, origin->draws.seed);
    skip_to(&generator, origin->draws.first);
    struct origin origin_of_draw = *origin;
    origin_of_draw.generator = &generator;
    return compute_dropout(arena, &origin_of_draw);
}

const struct operation dropout_again_row = {
    .name = "dropout_backward",
    .compute = compute_dropout_again,
    .find = find_same,
    .account = account_of_dropout,
    .gradient = gradient_of_dropout,
    .error = error_of_dropped,
    .hides = hides_dropped,
    .changes_some = true,
};

struct tensor drop(struct generator *generator, struct tensor x, double p, enum bernoulli stream) {
    if (!(p >= 0 && p <= 1)) {
        fail(x.storage->arena->failure, FAIL_USAGE,
             "dropout: a probability of %g is not between 0 and 1", p);
    }
    if (p <= 0 || count_of(shape_of(&x)) == 0) return x;
    return perform_on(ONE(x), (struct origin){.operation = &dropout_row,
                                              .number = p,
                                              .draws = {.stream = stream},
                                              .generator = generator});
}
