#include "tensor/number/elementary.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/number/fma.h"

// Every + - * / below must round by itself, to a float. A fused a * b + c would round once where this
// source says twice, and two roundings where it says fmaf would be wrong as well: gcc doesn't fuse under
// -std=c11, clang is told here; -ffp-contract=off says it to both.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// log 2 in two parts, the first of 15 bits: a whole number times it is exact.
static const float LN2_HIGH = 0.693145751953125F, LN2_LOW = 1.428606765330187045e-06F;
static const float LOG2_E = 1.442695040888963407F;

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- e^x -----------------------------------------------------------------------------------------

// 2^exponent, for exponents of normal floats.
static inline float power_of_two(int exponent) {
    return float_of((uint32_t)(exponent + 127) << 23);
}

static ALWAYS_INLINE float exponential(float x) {
    if (x != x) return x;
    if (x < -104) return 0;
    if (x > 100) return INFINITY;

    // e^x = 2^quotient e^r with |r| <= log 2 / 2.
    const float quotient = rintf(x * LOG2_E);
    const float r = fmaf(quotient, -LN2_LOW, fmaf(quotient, -LN2_HIGH, x));

    // e^r = 1 + (r + r² p).
    float p = 0.000198527617612853646278381F;
    p = fmaf(p, r, 0.00139304355252534151077271F);
    p = fmaf(p, r, 0.00833336077630519866943359F);
    p = fmaf(p, r, 0.0416664853692054748535156F);
    p = fmaf(p, r, 0.166666671633720397949219F);
    p = fmaf(p, r, 0.5F);
    const float power = 1 + fmaf(r * r, p, r);

    // Times 2^quotient by halves: neither overflows, and only the last product can round.
    const int exponent = (int)quotient, half = (exponent - (exponent < 0)) / 2;
    return power * power_of_two(half) * power_of_two(exponent - half);
}

static ALWAYS_INLINE void exponentials(struct line x, float most, float *powers) {
    for (int64_t i = 0; i < x.count; i++) powers[i] = exponential(number_in(x, i) - most);
}

WITH_FMA static void exponentials_with_fma(struct line x, float most, float *powers) {
    exponentials(x, most, powers);
}

void exp_floats(struct line x, float most, float *powers) {
    if (has_fma())
        exponentials_with_fma(x, most, powers);
    else
        exponentials(x, most, powers);
}

float exp_float(float x) {
    float power;
    exp_floats((struct line){&x, 1, 1}, 0, &power);
    return power;
}

// ---- e^x of glibc --------------------------------------------------------------------------------

// 2^(i/32), rounded to a double.
static const double ROOTS_OF_TWO[32] = {
    0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
    0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
    0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
    0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
    0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
};

// The algorithm is that of S. Nagy, "Optimized Routines", 2017 (exp2f_data, N = 32), which glibc has had
// since 2.27.
float exp_float_of_glibc(float x) {
    if (x != x) return x;
    if (x > 0x1.62e42ep6F) return INFINITY;
    if (x < -0x1.9fe368p6F) return 0;

    // x = k/32 log 2 + r; 32 / log 2 · x is k + r', rounded to a whole number by adding 1.5 · 2^52.
    const double quotient = 0x1.71547652b82fep+0 * 32, shift = 0x1.8p52;
    const double rounded = fma(quotient, (double)x, shift) - shift;
    const double r = fma(quotient, (double)x, -rounded);
    const int k = (int)rounded, root = k & 31;

    // 2^(r'/32) = 1 + r' (c2 + r' (c1 + c0 r')).
    const double high = fma(0x1.c6af84b912394p-5 / 32 / 32 / 32, r, 0x1.ebfce50fac4f3p-3 / 32 / 32);
    const double sum = fma(high, r * r, fma(0x1.62e42ff0c52d6p-1 / 32, r, 1));
    return (float)(sum * ldexp(ROOTS_OF_TWO[root], (k - root) / 32));
}

// ---- Logarithm -----------------------------------------------------------------------------------

// A number as the sum of two floats, some 48 bits: `high` is the float nearest to it, `low` what is left.
// The steps are SLEEF's, one by one, since the last bit depends on each.
struct pair {
    float high, low;
};

// a + b, exactly, for any two floats: D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2.
static struct pair add_floats(float a, float b) {
    const float sum = a + b, b_kept = sum - a;
    return (struct pair){sum, (a - (sum - b_kept)) + (b - b_kept)};
}

// a + b for |a| >= |b|: T. J. Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18, 1971.
static struct pair add_smaller(struct pair a, struct pair b) {
    const float sum = a.high + b.high;
    return (struct pair){sum, (((a.high - sum) + b.high) + a.low) + b.low};
}

static struct pair multiply_float(struct pair a, float b) {
    const float product = a.high * b;
    return (struct pair){product, fmaf(a.low, b, fmaf(a.high, b, -product))};
}

static struct pair divide(struct pair a, struct pair b) {
    const float reciprocal = 1 / b.high, quotient = a.high * reciprocal;
    const float error = fmaf(reciprocal, a.high, -quotient);
    const float divisor_error = fmaf(-b.low, reciprocal, fmaf(-b.high, reciprocal, 1));
    return (struct pair){quotient, fmaf(quotient, divisor_error, fmaf(a.low, reciprocal, error))};
}

float log_float(float x) {
    static const struct pair LN2 = {0.69314718246459960938F, -1.904654323148236017e-09F};
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    if (x == INFINITY) return x;

    // x = 2^exponent m with m in [0.75, 1.5).
    const int scaling = x < FLT_MIN ? 64 : 0;
    if (scaling > 0) x *= 0x1p64F;
    const int exponent = (int)(bits_of(x * (1 / 0.75F)) >> 23) - 127;
    const float m = float_of(bits_of(x) - ((uint32_t)exponent << 23));

    // log m = log((1 + t) / (1 - t)) = 2 t + t³ p, with |t| <= 1/5.
    const struct pair t = divide(add_floats(-1, m), add_floats(1, m));
    const float square = t.high * t.high;
    float p = 0.3027294874e+0F;
    p = fmaf(p, square, 0.3996108174e+0F);
    p = fmaf(p, square, 0.6666694880e+0F);
    struct pair sum = multiply_float(LN2, (float)(exponent - scaling));
    sum = add_smaller(sum, (struct pair){t.high * 2, t.low * 2});
    sum = add_smaller(sum, (struct pair){(square * t.high) * p, 0});
    return sum.high + sum.low;
}
