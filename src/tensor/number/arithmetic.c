#include "tensor/number/arithmetic.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h> // defines: NULL

#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__) ||             \
    defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__ || defined __NO_SIGNED_ZEROS__
#error "build without -ffast-math and similar flags: they change the numbers"
#endif

_Static_assert(sizeof 1.0 == sizeof(double),
               "build without -fsingle-precision-constant: it changes the numbers");

// What is volatile, number or function, the compiler does not know.

static bool flushes_denormals(void) {
    volatile float least = FLT_MIN;
    volatile float half = least * 0.5F;
    volatile float whole = half * 2;
    return half == 0 || whole != least;
}

static bool knows_no_infinity(void) {
    volatile float zero = 0, one = 1;
    const float infinity = one / zero, nan = zero / zero;
    return !isinf(infinity) || !isnan(nan) || isinf(one);
}

// 1 + 2^-30 is 1.
static bool keeps_more_digits(void) {
    volatile float one = 1, little = 0x1p-30F;
    const float a = one, b = little;
    return (a + b) - a != 0;
}

enum { COUNT = 64 };

static float sum_of(const float *numbers) {
    float sum = 0;
    for (int i = 0; i < COUNT; i++) sum += numbers[i];
    return sum;
}

// 2^24 + 1 + 1 + ... stays 2^24; in any other order it grows.
static bool reorders_sums(void) {
    float numbers[COUNT] = {0x1p24F};
    for (int i = 1; i < COUNT; i++) numbers[i] = 1;
    float (*volatile sum)(const float *) = sum_of;
    return sum(numbers) != 0x1p24F;
}

// 41 / 41 is 1, but 41 · (1 / 41) is not.
static bool multiplies_by_reciprocals(void) {
    volatile float number = 41;
    const float divisor = number;
    const float first = number / divisor, second = number / divisor, third = number / divisor;
    return first != 1 || second != 1 || third != 1;
}

static bool loses_signs_of_zeros(void) {
    volatile float zero = -0.0F;
    const float minus = zero;
    return signbit(minus + 0.0F) || !signbit(minus);
}

const char *wrong_arithmetic(void) {
    if (flushes_denormals()) return "takes numbers below 1.2e-38 for 0";
    if (knows_no_infinity()) return "does not know infinity and nan";
    if (reorders_sums()) return "adds up in another order than it should";
    if (keeps_more_digits()) return "keeps other digits of a sum than a float has";
    if (multiplies_by_reciprocals()) return "multiplies where it should divide";
    if (loses_signs_of_zeros()) return "loses the sign of 0";
    return NULL;
}
