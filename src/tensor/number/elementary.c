/*
 * Elementary functions, correctly rounded.
 *
 * Every float function here goes the same way, known as Ziv's method [1]:
 *
 *   reduce    bring x into a short interval around 0, where a short sum of Taylor's series is exact
 *             enough. With k an integer:  e^x = 2^k e^r,  log(2^k m) = k log 2 + log m,  and
 *             sin(k π/2 + r) is ± sin r or ± cos r.
 *   estimate  sum the series in double. A double has 29 bits more than a float, so the estimate y
 *             is off by at most 2^-46 of itself: far less than a float can show.
 *   test      y - 2^-46 y and y + 2^-46 y enclose the exact value. Mostly both round to the same
 *             float; rounding never reverses an order, so that float is the answer.
 *   or else   the exact value lies almost in the middle between two floats (one argument in some
 *             three million). Sum the same series again with pairs of doubles, good to 2^-88.
 *
 * No argument needs more than that. tests/exhaustive_exp.c has tried them all; of all exact results
 * the one nearest to the middle between two floats, log(0x1.b121a6p76), is 2^-57.8 of itself away.
 *
 * Coefficients are those of Taylor's series, written as the fractions they are (the compiler
 * divides). The constants that are not, log 2 and π/2, say beside them how they were cut.
 *
 * [1] A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last
 *     bit", ACM Transactions on Mathematical Software 17(3), 1991.
 * [2] T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
 *     Mathematik 18, 1971: two_product and its splitting (after Veltkamp), fast_two_sum.
 * [3] D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2: two_sum.
 * [4] M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building
 *     blocks of double-word arithmetic", ACM Transactions on Mathematical Software 44(2), 2017.
 * [5] W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980: the reductions.
 * [6] S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 *     rounding to odd", IEEE Transactions on Computers 57(4), 2008.
 */
#include "tensor/number/elementary.h"

#include <float.h>   // defines: FLT_EVAL_METHOD
#include <math.h>    // defines: INFINITY, NAN, and frexp, ldexp, fabs, which are exact everywhere
#include <stdbool.h> // defines: bool
#include <stdint.h>  // defines: uint64_t
#include <string.h>  // defines: memcpy

// Every + - * / below must round by itself, to a double. A fused a * b + c would round once where
// this source says twice: gcc doesn't fuse under -std=c11, clang is told here; -ffp-contract=off
// says it to both.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "onestep needs plain IEEE floats: no -ffast-math; on 32-bit x86, -msse2 -mfpmath=sse"
#endif

// log 2 in two parts: its first 42 bits, so that the product with an integer of up to 11 bits is
// exact, and the nearest double to the rest. Together they are off by less than 2^-102.
static const double LN2_HIGH = 0x1.62e42fefa3800p-1;
static const double LN2_LOW = 0x1.ef35793c76730p-45;
static const double LOG2_E = 0x1.71547652b82fep+0; // 1 / log 2

// π/2 in three parts: 41 bits, the next 41 bits (a product with an integer of up to 12 bits is
// exact), and the nearest double to the rest. Together they are off by less than 2^-135.
static const double HALF_PI_HIGH = 0x1.921fb54442000p+0;
static const double HALF_PI_MIDDLE = 0x1.a308d31319000p-41;
static const double HALF_PI_LOW = 0x1.145c06e0e6895p-82;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;

static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1;

// --- Bits, and rounding --------------------------------------------------------------------------

static double bits_as_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// 2^k for -1022 <= k <= 1023: a double whose exponent field is k + 1023, and no other bit set.
static double power_of_two(int k) {
    return bits_as_double((uint64_t)(k + 1023) << 52);
}

// The integer nearest to x, for |x| < 2^50. Doubles around 1.5 * 2^52 are 1 apart, so the sum has
// no room for a fraction and rounds it away.
static double nearest_integer(double x) {
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

// The rounding test. If y is off by less than 2^-46.5 of itself and this returns true, then *result
// is the correctly rounded float. The margin is wider than that by more than y - margin and
// y + margin lose in rounding. It serves subnormal results too: y itself is a normal double.
static bool rounds_safely(double y, float *result) {
    const double margin = 0x1p-46 * y;
    const float from_one_side = (float)(y - margin);
    const float from_other_side = (float)(y + margin);
    *result = from_one_side;
    return from_one_side == from_other_side;
}

// --- Pairs of doubles ----------------------------------------------------------------------------

// The exact sum of two doubles stands for one number with some 106 bits: high is the nearest double
// to it, low is what is missing.
struct wide {
    double high;
    double low;
};

// a + b, exactly [3].
static struct wide two_sum(double a, double b) {
    const double sum = a + b;
    const double b_as_added = sum - a;
    const double a_as_added = sum - b_as_added;
    return (struct wide){sum, (a - a_as_added) + (b - b_as_added)};
}

// a + b, exactly, where |a| >= |b| or a is 0 [2].
static struct wide fast_two_sum(double a, double b) {
    const double sum = a + b;
    return (struct wide){sum, b - (sum - a)};
}

// Cuts a into two halves of at most 26 bits, whose products with other halves are exact [2].
// |a| < 2^995.
static struct wide split(double a) {
    const double scaled = 134217729.0 * a; // 2^27 + 1
    const double high = scaled - (scaled - a);
    return (struct wide){high, a - high};
}

// a * b, exactly [2], as long as neither overflow nor underflow gets near.
static struct wide two_product(double a, double b) {
    const double product = a * b;
    const struct wide x = split(a);
    const struct wide y = split(b);
    const double still_missing =
        ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (struct wide){product, still_missing};
}

static struct wide wide(double a) {
    return (struct wide){a, 0};
}

// Off by at most 2^-104 of the result: algorithm 6 of [4].
static struct wide wide_add(struct wide x, struct wide y) {
    const struct wide high = two_sum(x.high, y.high);
    const struct wide low = two_sum(x.low, y.low);
    const struct wide sum = fast_two_sum(high.high, high.low + low.high);
    return fast_two_sum(sum.high, sum.low + low.low);
}

// Off by at most 2^-103 of the result: algorithm 10 of [4].
static struct wide wide_multiply(struct wide x, struct wide y) {
    const struct wide product = two_product(x.high, y.high);
    const double cross_terms = x.high * y.low + x.low * y.high;
    return fast_two_sum(product.high, product.low + cross_terms);
}

// Off by at most 2^-102 of the result: algorithm 17 of [4]. Divides, then divides the remainder.
static struct wide wide_divide(struct wide x, struct wide y) {
    const double quotient = x.high / y.high;
    const struct wide product = wide_multiply(y, wide(quotient));
    const double remainder = (x.high - product.high) + (x.low - product.low);
    return fast_two_sum(quotient, remainder / y.high);
}

// The float nearest to x. Rounding x.high alone would round twice, and be wrong where x.high lies
// halfway between two floats and x.low has the casting vote. So x is first "rounded to odd" [6]: of
// the two doubles around x, take the one whose last bit is 1. It is never halfway between floats,
// and lies on the same side of every halfway point as x.
static float round_to_float(struct wide x) {
    uint64_t bits = bits_of_double(x.high);
    if (x.low != 0 && (bits & 1) == 0) {
        const bool away_from_zero = (x.low > 0) == (x.high > 0);
        bits = away_from_zero ? bits + 1 : bits - 1;
    }
    return (float)bits_as_double(bits);
}

// --- e^x -----------------------------------------------------------------------------------------

// The sum of r^n / n!, from inside out: 1 + r/1 (1 + r/2 (1 + r/3 (...))). For |r| < 0.35 the first
// term left out, r^25 / 25!, is below 2^-121.
static struct wide wide_exp(struct wide r) {
    struct wide sum = wide(1);
    for (int n = 24; n >= 1; n--) {
        sum = wide_add(wide(1), wide_divide(wide_multiply(r, sum), wide(n)));
    }
    return sum;
}

// e^x for the rare x near which the estimate can't tell. -104 < x < 88.73, so that k has 8 bits:
// k * LN2_HIGH and the first difference are exact, r is off by less than 2^-89.
static float exp_slowly(double x) {
    const double k = nearest_integer(x * LOG2_E);
    const struct wide r = two_sum(x - k * LN2_HIGH, -(k * LN2_LOW));
    const struct wide y = wide_exp(r);
    const double scale = power_of_two((int)k);
    return round_to_float((struct wide){y.high * scale, y.low * scale});
}

float exp_float(float x) {
    if (!(x > -104.0f)) return x != x ? x : 0.0f; // e^-104 < 2^-150, half the smallest float
    if (x >= 0x1.62e43p6f) return INFINITY;       // the first float above 128 log 2

    // e^x = 2^k e^r with |r| <= log(2) / 2 = 0.3466. The first difference is exact [5].
    const double k = nearest_integer(x * LOG2_E);
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;

    // The sum of r^n / n! up to n = 11, in groups of four that a processor can work on side by
    // side. The terms left out are below 2^-46.7 of the result, all roundings together below 2^-50.
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double terms_0_3 = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    const double terms_4_7 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    const double terms_8_11 =
        (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    const double e_to_r = terms_0_3 + r4 * (terms_4_7 + r4 * terms_8_11);

    float result;
    if (rounds_safely(e_to_r * power_of_two((int)k), &result)) return result;
    return exp_slowly(x);
}

// --- Logarithm -----------------------------------------------------------------------------------

// With s = (m - 1) / (m + 1):  log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...).
// m between √½ and √2 keeps |s| below 0.1716 and s^2 below 0.0295.

// log x for a positive x. The first term left out, s^44 / 45, is below 2^-117.
static struct wide wide_log(struct wide x) {
    int k;
    struct wide m = {frexp(x.high, &k), 0};
    if (m.high < SQRT_HALF) {
        m.high *= 2;
        k--;
    }
    m.low = ldexp(x.low, -k);

    const struct wide s = wide_divide(wide_add(m, wide(-1)), wide_add(m, wide(1)));
    const struct wide s2 = wide_multiply(s, s);
    struct wide sum = wide(0);
    for (int n = 43; n >= 1; n -= 2) {
        sum = wide_add(wide_divide(wide(1), wide(n)), wide_multiply(s2, sum));
    }
    const struct wide log_m = wide_multiply(wide_multiply(wide(2), s), sum);
    return wide_add(two_sum(k * LN2_HIGH, k * LN2_LOW), log_m);
}

float log_float(float x) {
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    if (x == INFINITY) return x;

    // x = 2^k m. As a double even a subnormal x is normal.
    int k;
    double m = frexp(x, &k);
    if (m < SQRT_HALF) {
        m *= 2;
        k--;
    }

    // Nine terms. Those left out are below 2^-49.9 of log m, all roundings together below 2^-50.
    // m - 1 and m + 1 are exact, so this holds for the smallest logarithms too.
    const double s = (m - 1) / (m + 1);
    const double s2 = s * s;
    double sum = 1.0 / 17;
    for (int n = 15; n >= 1; n -= 2) sum = 1.0 / n + s2 * sum;
    const double y = k * LN2_HIGH + (k * LN2_LOW + 2 * s * sum);

    float result;
    if (rounds_safely(y, &result)) return result;
    return round_to_float(wide_log(wide(x)));
}

// --- Sine and cosine -----------------------------------------------------------------------------

// An angle as a whole number of quarter turns and a rest between -π/4 and π/4.
struct turned {
    int quarters;
    struct wide rest;
};

// |x| <= ANGLE_LIMIT keeps k below 2^12, so both products and the first difference are exact [5],
// and two_sum is. What follows is off by less than 2^-122 + 2^-105 of the rest; no float in this
// range is closer than 2^-28 to a multiple of π/2, and no double closer than 2^-61.
static struct turned turn(double x) {
    const double k = nearest_integer(x * TWO_OVER_PI);
    const struct wide rest = two_sum(x - k * HALF_PI_HIGH, -(k * HALF_PI_MIDDLE));
    return (struct turned){(int)k, fast_two_sum(rest.high, rest.low - k * HALF_PI_LOW)};
}

// 1 - r²/(a(a+1)) (1 - r²/((a+2)(a+3)) (...)), where a is the first divisor. This is cos r for
// a = 1 and sin(r) / r for a = 2. For |r| < 0.786 what is left out is below 2^-128.
static struct wide wide_series(struct wide r, int first_divisor) {
    const struct wide minus_r2 = wide_multiply(r, (struct wide){-r.high, -r.low});
    struct wide sum = wide(1);
    for (int a = first_divisor + 28; a >= first_divisor; a -= 2) {
        sum = wide_add(wide(1), wide_divide(wide_multiply(minus_r2, sum), wide(a * (a + 1))));
    }
    return sum;
}

// sin(quarters * π/2 + rest): a quarter turn on, the sine is the cosine, and half a turn changes
// the sign. Good to 2^-93 of itself for the angle of a float, to 2^-60 for that of a double.
static struct wide wide_sine(struct turned angle) {
    struct wide y = angle.quarters & 1 ? wide_series(angle.rest, 1)
                                       : wide_multiply(angle.rest, wide_series(angle.rest, 2));
    if (angle.quarters & 2) y = (struct wide){-y.high, -y.low};
    return y;
}

// The same in double. For |r| < 0.786 the terms left out are below 2^-53 of the result (sine: from
// r^17 / 17! on) and 2^-58 (cosine: from r^18 / 18! on), all roundings together below 2^-49.
static double sine_estimate(struct turned angle) {
    const double r = angle.rest.high;
    const bool is_cosine = angle.quarters & 1;
    double sum = 1;
    for (int a = is_cosine ? 15 : 14; a >= 1; a -= 2) sum = 1 - r * r * sum / (a * (a + 1));
    const double y = is_cosine ? sum : r * sum;
    return angle.quarters & 2 ? -y : y;
}

static float sine_of(struct turned angle) {
    float result;
    if (rounds_safely(sine_estimate(angle), &result)) return result;
    return round_to_float(wide_sine(angle));
}

float sin_float(float x) {
    if (!(fabs(x) <= ANGLE_LIMIT)) return NAN;
    if (fabs(x) < 0x1p-12) return x; // sin x is within x^3 / 6 of x, and floats are farther apart
    return sine_of(turn(x));
}

float cos_float(float x) {
    if (!(fabs(x) <= ANGLE_LIMIT)) return NAN;
    struct turned angle = turn(x);
    angle.quarters++;
    return sine_of(angle);
}

// --- The double versions: the pairs, rounded -----------------------------------------------------

double log1p_double(double x) {
    if (fabs(x) < 0x1p-54) return x; // off by x^2 / 2; keeps -0
    if (x == -1) return -INFINITY;
    if (!(x > -1)) return NAN;
    if (x == INFINITY) return x;
    return wide_log(two_sum(1, x)).high;
}

double sin_double(double x) {
    if (!(fabs(x) <= ANGLE_LIMIT)) return NAN;
    if (fabs(x) < 0x1p-27) return x; // off by x^3 / 6; keeps -0
    return wide_sine(turn(x)).high;
}

double cos_double(double x) {
    if (!(fabs(x) <= ANGLE_LIMIT)) return NAN;
    struct turned angle = turn(x);
    angle.quarters++;
    return wide_sine(angle).high;
}
