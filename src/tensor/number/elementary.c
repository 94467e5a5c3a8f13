#include "tensor/number/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensor/number/fma.h"
#include "tensor/number/pair.h"

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

// 2^(k/32 + r/scale) for a whole k and small r: 2^(r/scale) = 1 + c2 r + r² (c1 + c0 r).
static double two_to(double k, double r, double scale) {
    const int whole = (int)k, root = whole & 31;
    const double high =
        fma(0x1.c6af84b912394p-5 / scale / scale / scale, r, 0x1.ebfce50fac4f3p-3 / scale / scale);
    const double sum = fma(high, r * r, fma(0x1.62e42ff0c52d6p-1 / scale, r, 1));
    return sum * ldexp(ROOTS_OF_TWO[root], (whole - root) / 32);
}

// The algorithm is that of S. Nagy, "Optimized Routines", 2017 (exp2f_data, N = 32), which glibc has had
// since 2.27.
float exp_float_of_glibc(float x) {
    if (x != x) return x;
    if (x > 0x1.62e42ep6F) return INFINITY;
    if (x < -0x1.9fe368p6F) return 0;

    // x = k/32 log 2 + r; 32 / log 2 · x is k + r', rounded to a whole number by adding 1.5 · 2^52.
    const double quotient = 0x1.71547652b82fep+0 * 32, shift = 0x1.8p52;
    const double rounded = fma(quotient, (double)x, shift) - shift;
    return (float)two_to(rounded, fma(quotient, (double)x, -rounded), 32);
}

// ---- Logarithm -----------------------------------------------------------------------------------

static const struct pair LN2 = {0.69314718246459960938F, -1.904654323148236017e-09F};

// x = 2^exponent m with m in [0.75, 1.5), and t = (m - 1) / (m + 1): log m = log((1 + t) / (1 - t)), |t| <= 1/5.
// x is positive and finite.
static struct pair reduce(float x, float *exponent) {
    const int scaling = x < FLT_MIN ? 64 : 0;
    if (scaling > 0) x *= 0x1p64F;
    const int power = (int)(bits_of(x * (1 / 0.75F)) >> 23) - 127;
    const float m = float_of(bits_of(x) - ((uint32_t)power << 23));
    *exponent = (float)(power - scaling);
    return divide_pairs(add_floats(-1, m), add_floats(1, m));
}

float log_float(float x) {
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    if (x == INFINITY) return x;
    float exponent;
    const struct pair t = reduce(x, &exponent);

    // log m = 2 t + t³ p.
    const float t2 = t.high * t.high;
    float p = 0.3027294874e+0F;
    p = fmaf(p, t2, 0.3996108174e+0F);
    p = fmaf(p, t2, 0.6666694880e+0F);
    struct pair sum = multiply_float(LN2, exponent);
    sum = add_smaller(sum, (struct pair){t.high * 2, t.low * 2});
    sum = add_smaller(sum, (struct pair){(t2 * t.high) * p, 0});
    return sum.high + sum.low;
}

// Where a logarithm to any base is no finite number; else 0.
static float logarithm_of_end(float x) {
    return x == 0 ? -INFINITY : !(x > 0) ? NAN : x == INFINITY ? x : 0;
}

float log2_float(float x) {
    static const struct pair two_by_ln2 = {2.8853900432586669922F, 3.2734474483568488616e-08F};
    const float end = logarithm_of_end(x);
    if (end != 0) return end;
    float exponent;
    const struct pair t = reduce(x, &exponent);
    const float t2 = t.high * t.high;
    float p = 0.4374550283e+0F;
    p = fmaf(p, t2, 0.5764790177e+0F);
    p = fmaf(p, t2, 0.9618012905120F);
    struct pair sum = add_pairs((struct pair){exponent, 0}, multiply_pairs(t, two_by_ln2));
    sum = add_pairs(sum, (struct pair){(t2 * t.high) * p, 0});
    return sum.high + sum.low;
}

float log10_float(float x) {
    static const struct pair log10_of_2 = {0.30103001F, -1.432098889e-08F},
                             two_by_ln10 = {0.868588984F, -2.170757285e-08F};
    const float end = logarithm_of_end(x);
    if (end != 0) return end;
    float exponent;
    const struct pair t = reduce(x, &exponent);
    const float t2 = t.high * t.high;
    float p = 0.1314289868e+0F;
    p = fmaf(p, t2, 0.1735493541e+0F);
    p = fmaf(p, t2, 0.2895309627e+0F);
    struct pair sum =
        add_smaller(multiply_float(log10_of_2, exponent), multiply_pairs(t, two_by_ln10));
    sum = add_smaller(sum, (struct pair){(t2 * t.high) * p, 0});
    return sum.high + sum.low;
}

// As log_float, but x itself is scaled: m = (1 + x) 2^-exponent - 1 keeps its last bits.
float log_float_of_one_more(float x) {
    if (x != x || x < -1) return NAN;
    if (x == -1) return -INFINITY;
    if (x == 0) return x;
    if (x > 1e38F) return INFINITY;
    const int exponent = (int)(bits_of((x + 1) * (1 / 0.75F)) >> 23) - 127;
    const float unit = power_of_two(-exponent), m = fmaf(x, unit, unit - 1);
    const struct pair divisor = add_smaller((struct pair){2, 0}, (struct pair){m, 0});
    const struct pair t = divide_pairs((struct pair){m, 0}, divisor);
    const float t2 = t.high * t.high;
    float p = 0.3027294874e+0F;
    p = fmaf(p, t2, 0.3996108174e+0F);
    p = fmaf(p, t2, 0.6666694880e+0F);
    struct pair sum = multiply_float(LN2, (float)exponent);
    sum = add_smaller(sum, (struct pair){t.high * 2, t.low * 2});
    sum = add_smaller(sum, (struct pair){(t2 * t.high) * p, 0});
    return sum.high + sum.low;
}

// ---- Powers --------------------------------------------------------------------------------------

// log x as a pair, for x as in reduce: log m = 2 t + t³ p, with more of each kept.
static struct pair log_pair(float x) {
    static const struct pair two_thirds = {0.66666662693023681640625F,
                                           3.69183861259614332084311e-09F};
    float exponent;
    const struct pair t = reduce(x, &exponent), t2 = square(t);
    float p = 0.240320354700088500976562F;
    p = fmaf(p, t2.high, 0.285112679004669189453125F);
    p = fmaf(p, t2.high, 0.400007992982864379882812F);
    const struct pair rest = add_pairs(multiply_float(t2, p), two_thirds);
    const struct pair sum =
        add_smaller(multiply_float(LN2, exponent), (struct pair){t.high * 2, t.low * 2});
    return add_smaller(sum, multiply_pairs(multiply_pairs(t2, t), rest));
}

// x - quotient · log 2.
static struct pair without_powers_of_two(struct pair x, float quotient) {
    const struct pair high = {quotient * -LN2_HIGH, 0}, low = {quotient * -LN2_LOW, 0};
    return add_pairs(add_pairs(x, high), low);
}

// x · 2^exponent in five products, of which each may round where numbers are subnormal.
static float scale(float x, int exponent) {
    const int sign = exponent < 0 ? -1 : 0, whole = exponent + sign;
    const int sixty_fourths = (whole >= 0 ? whole / 64 : -((-whole + 63) / 64)) - sign;
    const float quarter = power_of_two(sixty_fourths * 16);
    return x * quarter * quarter * quarter * quarter * power_of_two(exponent - sixty_fourths * 64);
}

// e^x, rounded to a float.
static float exponential_of_pair(struct pair x) {
    if (x.high < -104) return 0;
    const float quotient = rintf((x.high + x.low) * LOG2_E);
    if (!(quotient < 200)) return INFINITY;
    const struct pair r = normalized(without_powers_of_two(x, quotient));
    float p = 0.00136324646882712841033936F;
    p = fmaf(p, r.high, 0.00836596917361021041870117F);
    p = fmaf(p, r.high, 0.0416710823774337768554688F);
    p = fmaf(p, r.high, 0.166665524244308471679688F);
    p = fmaf(p, r.high, 0.499999850988388061523438F);
    const struct pair rest = add_smaller(r, multiply_float(square(r), p));
    const struct pair power = add_smaller((struct pair){1, 0}, rest);
    return scale(power.high + power.low, (int)quotient);
}

static bool is_odd(float x) {
    return fabsf(x) < 0x1p24F && truncf(x) == x && ((int)x & 1) != 0;
}

// Of 0 or an infinity.
static float power_of_end(float base, float exponent) {
    const bool is_0 = (base == 0) != (exponent < 0);
    return copysignf(is_0 ? 0 : INFINITY, is_odd(exponent) ? base : 1);
}

// `positive` computes it for a positive base; neither is 0, infinite or NAN.
static float power_by(float (*positive)(float base, float exponent), float base, float exponent) {
    if (exponent == 0 || base == 1) return 1;
    if (base != base || exponent != exponent) return NAN;
    const float size = fabsf(base);
    if (base == 0 || isinf(base)) return power_of_end(base, exponent);
    if (isinf(exponent)) return size == 1 ? 1 : (size > 1) == (exponent > 0) ? INFINITY : 0;
    if (base < 0 && truncf(exponent) != exponent) return NAN;
    const float power = positive(size, exponent);
    return base < 0 && is_odd(exponent) ? -power : power;
}

static float positive_power(float base, float exponent) {
    return exponential_of_pair(multiply_float(log_pair(base), exponent));
}

float power_float(float base, float exponent) {
    return power_by(positive_power, base, exponent);
}

// ---- Powers of glibc -----------------------------------------------------------------------------

// log2 of a positive x in double, as in S. Nagy's powf (powf_log2_data, N = 16): x = 2^k z, and z is near
// 1 / inverse, whose log2 is known.
static double log2_double(float x) {
    static const struct {
        double inverse, log2;
    } near[16] = {
        {0x1.661ec79f8f3bep+0, -0x1.efec65b963019p-2},
        {0x1.571ed4aaf883dp+0, -0x1.b0b6832d4fca4p-2},
        {0x1.49539f0f010b0p+0, -0x1.7418b0a1fb77bp-2},
        {0x1.3c995b0b80385p+0, -0x1.39de91a6dcf7bp-2},
        {0x1.30d190c8864a5p+0, -0x1.01d9bf3f2b631p-2},
        {0x1.25e227b0b8ea0p+0, -0x1.97c1d1b3b7af0p-3},
        {0x1.1bb4a4a1a343fp+0, -0x1.2f9e393af3c9fp-3},
        {0x1.12358f08ae5bap+0, -0x1.960cbbf788d5cp-4},
        {0x1.0953f419900a7p+0, -0x1.a6f9db6475fcep-5},
        {0x1p+0, 0},
        {0x1.e608cfd9a47acp-1, 0x1.338ca9f24f53dp-4},
        {0x1.ca4b31f026aa0p-1, 0x1.476a9543891bap-3},
        {0x1.b2036576afce6p-1, 0x1.e840b4ac4e4d2p-3},
        {0x1.9c2d163a1aa2dp-1, 0x1.40645f0c6651cp-2},
        {0x1.886e6037841edp-1, 0x1.88e9c2c1b9ff8p-2},
        {0x1.767dcf5534862p-1, 0x1.ce0a44eb17bccp-2},
    };
    const uint32_t least = 0x3f330000; // the bits of the smallest z
    const bool is_subnormal = x < FLT_MIN;
    const uint32_t bits = bits_of(is_subnormal ? x * 0x1p23F : x), above = bits - least;
    const uint32_t position = above >> 19 & 15, power = above & 0xff800000;
    const int k = (int)(int32_t)power / (1 << 23) - (is_subnormal ? 23 : 0);
    const double r = fma((double)float_of(bits - power), near[position].inverse, -1), r2 = r * r;
    const double high = fma(0x1.27616c9496e0bp-2, r, -0x1.71969a075c67ap-2);
    const double middle = fma(0x1.ec70a6ca7baddp-2, r, -0x1.7154748bef6c8p-1);
    const double low = fma(0x1.71547652ab82bp+0, r, near[position].log2 + (double)k);
    return fma(high, r2 * r2, fma(middle, r2, low));
}

static float positive_power_of_glibc(float base, float exponent) {
    const double x = (double)exponent * log2_double(base);
    if (x > 0x1.fffffffd1d571p+6) return INFINITY;
    if (x <= -150) return 0;
    const double shift = 0x1.8p52 / 32, rounded = (x + shift) - shift;
    return (float)two_to(rounded * 32, x - rounded, 1);
}

float power_float_of_glibc(float base, float exponent) {
    return power_by(positive_power_of_glibc, base, exponent);
}

// ---- Hyperbolic tangent --------------------------------------------------------------------------

// e^x as a pair, for x from 0 to 9.
static struct pair exponential_pair(float x) {
    const float quotient = rintf(x * LOG2_E);
    const struct pair r = without_powers_of_two((struct pair){x, 0}, quotient);
    float p = 0.1980960224e-3F;
    p = fmaf(p, r.high, 0.1394256484e-2F);
    p = fmaf(p, r.high, 0.8333456703e-2F);
    p = fmaf(p, r.high, 0.4166637361e-1F);
    struct pair rest =
        add_pairs(multiply_float(r, p), (struct pair){0.166666659414234244790680580464F, 0});
    rest = add_pairs(multiply_pairs(r, rest), (struct pair){0.5F, 0});
    rest = add_pairs(r, multiply_pairs(square(r), rest));
    const struct pair power = add_smaller((struct pair){1, 0}, rest);
    const int exponent = (int)quotient, half = (exponent - (exponent < 0)) / 2;
    const float low = power_of_two(half), high = power_of_two(exponent - half);
    return (struct pair){power.high * low * high, power.low * low * high};
}

float exp_float_less_one(float x) {
    if (x != x || x == 0) return x;
    if (x > 88.72283172607421875F) return INFINITY;
    if (x < -16.635532333438687426F) return -1;
    const struct pair less = add_pairs(exponential_pair(x), (struct pair){-1, 0});
    return less.high + less.low;
}

float tanh_float(float x) {
    if (x != x) return x;
    if (fabsf(x) > 8.664339742F) return copysignf(1, x);
    const struct pair power = exponential_pair(fabsf(x)), inverse = reciprocal_of(power);
    const struct pair minus = {-inverse.high, -inverse.low};
    const struct pair tangent =
        divide_pairs(add_smaller(power, minus), add_smaller(power, inverse));
    return copysignf(tangent.high + tangent.low, x);
}
