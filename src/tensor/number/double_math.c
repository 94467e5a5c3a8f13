// Elementary functions of doubles, in pairs of doubles.
//
// The way is the usual one: bring x into a short interval around 0, where a short sum of Taylor's series
// is exact enough, and sum it there. With k an integer: log(2^k m) = k log 2 + log m, and sin(k π/2 + r)
// is ± sin r or ± cos r. The sums have some 100 bits, of which 53 are kept.
//
// The constants that are no fractions, log 2 and π/2, say beside them how they were cut.
//
// [1] T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
//     Mathematik 18, 1971: two_product and its splitting (after Veltkamp), fast_two_sum.
// [2] D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2: two_sum.
// [3] M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building
//     blocks of double-word arithmetic", ACM Transactions on Mathematical Software 44(2), 2017.
// [4] W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980: the reductions.

#include "tensor/number/double_math.h"

#include <float.h>
#include <math.h> // frexp, ldexp and fabs are exact everywhere
#include <stdbool.h>

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

// π/2 in three parts: 41 bits, the next 41 bits (a product with an integer of up to 12 bits is
// exact), and the nearest double to the rest. Together they are off by less than 2^-135.
static const double HALF_PI_HIGH = 0x1.921fb54442000p+0;
static const double HALF_PI_MIDDLE = 0x1.a308d31319000p-41;
static const double HALF_PI_LOW = 0x1.145c06e0e6895p-82;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;

static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1;

// The integer nearest to x, for |x| < 2^50. Doubles around 1.5 * 2^52 are 1 apart, so the sum has
// no room for a fraction and rounds it away.
static double nearest_integer(double x) {
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

// --- Pairs of doubles ----------------------------------------------------------------------------

// The exact sum of two doubles stands for one number with some 106 bits: high is the nearest double
// to it, low is what is missing.
struct wide {
    double high;
    double low;
};

// a + b, exactly [2].
static struct wide two_sum(double a, double b) {
    const double sum = a + b;
    const double b_as_added = sum - a;
    const double a_as_added = sum - b_as_added;
    return (struct wide){sum, (a - a_as_added) + (b - b_as_added)};
}

// a + b, exactly, where |a| >= |b| or a is 0 [1].
static struct wide fast_two_sum(double a, double b) {
    const double sum = a + b;
    return (struct wide){sum, b - (sum - a)};
}

// Cuts a into two halves of at most 26 bits, whose products with other halves are exact [1].
// |a| < 2^995.
static struct wide split(double a) {
    const double scaled = 134217729.0 * a; // 2^27 + 1
    const double high = scaled - (scaled - a);
    return (struct wide){high, a - high};
}

// a * b, exactly [1], as long as neither overflow nor underflow gets near.
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

// Off by at most 2^-104 of the result: algorithm 6 of [3].
static struct wide wide_add(struct wide x, struct wide y) {
    const struct wide high = two_sum(x.high, y.high);
    const struct wide low = two_sum(x.low, y.low);
    const struct wide sum = fast_two_sum(high.high, high.low + low.high);
    return fast_two_sum(sum.high, sum.low + low.low);
}

// Off by at most 2^-103 of the result: algorithm 10 of [3].
static struct wide wide_multiply(struct wide x, struct wide y) {
    const struct wide product = two_product(x.high, y.high);
    const double cross_terms = x.high * y.low + x.low * y.high;
    return fast_two_sum(product.high, product.low + cross_terms);
}

// Off by at most 2^-102 of the result: algorithm 17 of [3]. Divides, then divides the remainder.
static struct wide wide_divide(struct wide x, struct wide y) {
    const double quotient = x.high / y.high;
    const struct wide product = wide_multiply(y, wide(quotient));
    const double remainder = (x.high - product.high) + (x.low - product.low);
    return fast_two_sum(quotient, remainder / y.high);
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

// --- Sine and cosine -----------------------------------------------------------------------------

// An angle as a whole number of quarter turns and a rest between -π/4 and π/4.
struct turned {
    int quarters;
    struct wide rest;
};

// |x| <= ANGLE_LIMIT keeps k below 2^12, so both products and the first difference are exact [4],
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

// --- The double versions: the pairs, rounded -----------------------------------------------------

double log1p_double(double x) {
    if (fabs(x) < 0x1p-54) return x; // off by x^2 / 2; keeps -0
    if (x == -1) return -INFINITY;
    if (!(x > -1)) return NAN;
    if (x == INFINITY) return x;
    return wide_log(two_sum(1, x)).high;
}

// No C library's log1p is off by as much as 512 units in the last place.
float log1p_float(double x) {
    static const double OFF = 0x1p-44;
    const double near = log1p(x);
    const float least = (float)(near - near * OFF), most = (float)(near + near * OFF);
    return least == most ? (float)near : (float)log1p_double(x);
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
