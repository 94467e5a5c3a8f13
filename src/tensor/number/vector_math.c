#include "tensor/number/vector_math.h"

#include "tensor/number/float_pair.h"

#include <float.h>  // defines: FLT_MIN
#include <stdint.h> // defines: uint32_t, int32_t
#include <string.h> // defines: memcpy

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// log 2 in two parts, the first of 15 bits: a whole number times it is exact.
static const float log_2_high = 0.693145751953125f, log_2_low = 1.428606765330187045e-06f;
static const float log_2_inverse = 1.442695040888963407f;

// log 2 as a pair of floats.
static const struct float_pair log_2 = {0.69314718246459960938f, -1.904654323148236017e-09f};

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^exponent, for exponents of normal floats.
static float power_of_two(int exponent) {
    return float_of((uint32_t)(exponent + 127) << 23);
}

// x 2^exponent, rounded once.
static float scale(float x, int exponent) {
    int half = (exponent - (exponent < 0)) / 2; // towards -∞
    return x * power_of_two(half) * power_of_two(exponent - half);
}

// x, or -x where y is negative.
static float multiply_sign(float x, float y) {
    return float_of(bits_of(x) ^ (bits_of(y) & 0x80000000u));
}

float vector_exp(float x) {
    if (isnan(x)) return x;
    if (x < -104.0f) return 0.0f;
    if (x > 100.0f) return INFINITY;

    // e^x = 2^q e^r with |r| <= log 2 / 2.
    float quotient = rintf(x * log_2_inverse);
    float r = fmaf(quotient, -log_2_low, fmaf(quotient, -log_2_high, x));

    // e^r = 1 + (r + r² p).
    float p = 0.000198527617612853646278381f;
    p = fmaf(p, r, 0.00139304355252534151077271f);
    p = fmaf(p, r, 0.00833336077630519866943359f);
    p = fmaf(p, r, 0.0416664853692054748535156f);
    p = fmaf(p, r, 0.166666671633720397949219f);
    p = fmaf(p, r, 0.5f);
    return scale(1.0f + fmaf(r * r, p, r), (int)quotient);
}

// The exponent e for which x / 2^e is in [0.75, 1.5), for normal x > 0.
static int exponent_near(float x) {
    return (int)(bits_of(x * (1.0f / 0.75f)) >> 23 & 0xff) - 127;
}

// exponent log 2 + log((1 + t) / (1 - t)) = exponent log 2 + 2 t + t³ p, for |t| <= 1/5.
static float log_of_ratio(int exponent, struct float_pair t) {
    float square = t.high * t.high;
    float p = 0.3027294874e+0f;
    p = fmaf(p, square, 0.3996108174e+0f);
    p = fmaf(p, square, 0.6666694880e+0f);
    struct float_pair sum = multiply_float(log_2, (float)exponent);
    sum = add_pairs_sorted(sum, pair_of(t.high * 2.0f, t.low * 2.0f));
    sum = add_float_sorted(sum, (square * t.high) * p);
    return sum.high + sum.low;
}

float vector_log(float x) {
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    if (isinf(x)) return x;

    int subnormal = x < FLT_MIN ? 64 : 0;
    if (subnormal) x *= 0x1p64f;
    int exponent = exponent_near(x);
    float mantissa = float_of(bits_of(x) - ((uint32_t)exponent << 23));
    struct float_pair t = divide_pairs(add_floats(-1.0f, mantissa), add_floats(1.0f, mantissa));
    return log_of_ratio(exponent - subnormal, t);
}

float vector_log1p(float x) {
    if (x == 0) return x;
    if (x == -1.0f) return -INFINITY;
    if (!(x > -1.0f)) return NAN;
    if (x > 1e+38f) return INFINITY;

    // 1 + x is at least 2^-24 here, a normal float.
    int exponent = exponent_near(x + 1.0f);
    float power = float_of(bits_of(1.0f) - ((uint32_t)exponent << 23));
    float above_one = fmaf(x, power, power - 1.0f); // (1 + x) / 2^exponent - 1
    struct float_pair divisor = add_floats_sorted(2.0f, above_one);
    return log_of_ratio(exponent, divide_pairs(pair_of(above_one, 0.0f), divisor));
}

// e^x as a pair, for |x| < 100.
static struct float_pair exp_pair(struct float_pair x) {
    float quotient = rintf((x.high + x.low) * log_2_inverse);
    struct float_pair r = add_float(x, quotient * -log_2_high);
    r = add_float(r, quotient * -log_2_low);

    float p = 0.1980960224e-3f;
    p = fmaf(p, r.high, 0.1394256484e-2f);
    p = fmaf(p, r.high, 0.8333456703e-2f);
    p = fmaf(p, r.high, 0.4166637361e-1f);

    struct float_pair sum = add_float(multiply_float(r, p), 0.166666659414234244790680580464f);
    sum = add_float(multiply_pairs(r, sum), 0.5f);
    sum = add_pairs(r, multiply_pairs(square_pair(r), sum));
    sum = add_to_float_sorted(1.0f, sum);
    return pair_of(scale(sum.high, (int)quotient), scale(sum.low, (int)quotient));
}

float vector_tanh(float x) {
    if (isnan(x)) return x;
    float magnitude = fabsf(x);
    if (magnitude > 8.664339742f) return multiply_sign(1.0f, x);

    // (e^x - e^-x) / (e^x + e^-x)
    struct float_pair up = exp_pair(pair_of(magnitude, 0.0f)), down = reciprocal_pair(up);
    struct float_pair sine = add_pairs_sorted(up, negative_pair(down));
    struct float_pair ratio = divide_pairs(sine, add_pairs_sorted(up, down));
    return multiply_sign(ratio.high + ratio.low, x);
}

// A polynomial of degree 6 for erf x / x in x² (below 1.1) or log(1 - erf x) / x in x.
struct erf_polynomial {
    float coefficients[5];
    struct float_pair linear, constant;
};

// The double is rounded to a float, and what is left to another.
#define PAIR(x)                                                                                    \
    { (float)(x), (float)((x) - (float)(x)) }

static const struct erf_polynomial erf_polynomials[] = {
    {{+0.7089292194e-4f, -0.7768311189e-3f, +0.5159463733e-2f, -0.2683781274e-1f,
      +0.1128318012e+0f},
     PAIR(-0.376125876000657465175213237214e+0),
     PAIR(+0.112837916021059138255978217023e+1)},
    {{-0.1792667899e-4f, +0.3937633010e-3f, -0.3949181177e-2f, +0.2445474640e-1f,
      -0.1070996150e+0f},
     PAIR(-0.634588905908410389971210809210e+0),
     PAIR(-0.112879855826694507209862753992e+1)},
    {{-0.9495757695e-5f, +0.2481465926e-3f, -0.2918176819e-2f, +0.2059706673e-1f,
      -0.9901899844e-1f},
     PAIR(-0.643598050547891613081201721633e+0),
     PAIR(-0.112461487742845562801052956293e+1)}};

float vector_erf_1_13(float x) {
    if (isnan(x)) return x;
    float magnitude = fabsf(x);
    if (!(magnitude < 4.0f)) return multiply_sign(1.0f, x);
    int part = magnitude < 1.1f ? 0 : magnitude < 2.4f ? 1 : 2;
    const struct erf_polynomial *p = &erf_polynomials[part];

    float variable = part == 0 ? magnitude * magnitude : magnitude;
    float leading = p->coefficients[0];
    for (int i = 1; i < 5; i++) leading = fmaf(leading, variable, p->coefficients[i]);
    struct float_pair sum = add_pairs(multiply_floats(leading, variable), p->linear);
    sum = add_pairs(multiply_float(sum, variable), p->constant);
    sum = multiply_float(sum, magnitude);
    if (part > 0) sum = add_to_float_sorted(1.0f, negative_pair(exp_pair(sum)));
    return multiply_sign(sum.high + sum.low, x);
}

float vector_erf_2_6(float x) {
    float magnitude = fabsf(x);
    float t = 1.0f / fmaf(0.3275911f, magnitude, 1.0f);
    float p = fmaf(1.061405429f, t, -1.453152027f);
    p = fmaf(p, t, 1.421413741f);
    p = fmaf(p, t, -0.284496736f);
    p = fmaf(p, t, 0.254829592f);
    float tail = -vector_exp(-(x * x)) * t;
    return multiply_sign(fmaf(tail, p, 1.0f), x);
}

// π in three parts: a whole number up to 40 times each of the first two is exact.
static const float pi_high = 3.1414794921875f, pi_middle = 0.00011315941810607910156f,
                   pi_low = 1.9841872589410058936e-09f, pi_inverse = 0.318309886183790671538f;

// sin r = r (1 + r² (p0 + r² (p1 + ...))), for |r| <= π/2.
static const float sine_coefficients[] = {
    2.6083159809786593541503e-06f, -0.0001981069071916863322258f, 0.00833307858556509017944336f,
    -0.166666597127914428710938f};

static float sine_of_pair(struct float_pair r) {
    struct float_pair square = square_pair(r);
    float p = sine_coefficients[0];
    p = fmaf(p, square.high, sine_coefficients[1]);
    p = fmaf(p, square.high, sine_coefficients[2]);
    struct float_pair factor = add_floats_sorted(sine_coefficients[3], p * square.high);
    return multiply_to_float(r, add_to_float_sorted(1.0f, multiply_pairs(factor, square)));
}

float vector_sin_1_13(float x) {
    if (x == 0) return x;
    if (!(fabsf(x) < VECTOR_ANGLE_LIMIT)) return NAN;
    float turns = rintf(x * pi_inverse); // half turns
    struct float_pair r = add_floats(fmaf(turns, -pi_high, x), turns * -pi_middle);
    r = add_float_sorted(r, turns * -pi_low);
    float sine = sine_of_pair(r);
    return (int)turns & 1 ? -sine : sine;
}

float vector_cos_1_13(float x) {
    if (!(fabsf(x) < VECTOR_ANGLE_LIMIT)) return NAN;
    float turns = fmaf(rintf(fmaf(x, pi_inverse, -0.5f)), 2.0f, 1.0f); // quarter turns, odd
    struct float_pair r = add_floats(x, turns * (-pi_high * 0.5f));
    r = add_float(r, turns * (-pi_middle * 0.5f));
    r = add_float(r, turns * (-pi_low * 0.5f));
    float sine = sine_of_pair(r);
    return (int)turns & 2 ? sine : -sine;
}

// sin r, or its negative.
static float signed_sine(float r, int negative) {
    float square = r * r;
    if (negative) r = -r;
    float p = sine_coefficients[0];
    for (int i = 1; i < 4; i++) p = fmaf(p, square, sine_coefficients[i]);
    return square * (p * r) + r;
}

float vector_sin_2_6(float x) {
    if (x == 0) return x;
    if (!(fabsf(x) < VECTOR_ANGLE_LIMIT)) return NAN;
    float turns = rintf(x * pi_inverse); // half turns
    float r = fmaf(turns, -pi_low, fmaf(turns, -pi_middle, fmaf(turns, -pi_high, x)));
    return signed_sine(r, (int)turns & 1);
}

float vector_cos_2_6(float x) {
    if (!(fabsf(x) < VECTOR_ANGLE_LIMIT)) return NAN;
    float turns = 2.0f * rintf(x * pi_inverse - 0.5f) + 1.0f; // quarter turns, odd
    float r = fmaf(turns, -pi_high * 0.5f, x);
    r = fmaf(turns, -pi_low * 0.5f, fmaf(turns, -pi_middle * 0.5f, r));
    return signed_sine(r, ((int)turns & 2) == 0);
}
