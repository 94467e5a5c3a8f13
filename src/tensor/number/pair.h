#ifndef ONESTEP_TENSOR_NUMBER_PAIR_H
#define ONESTEP_TENSOR_NUMBER_PAIR_H

// A number as the sum of two floats, some 48 bits: `high` is the float nearest to it, `low` what is left.
// The steps are SLEEF's (elementary.h), one by one, since the last bit of what is computed depends on each.

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

struct pair {
    float high, low;
};

// a + b, exactly, for any two floats: D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2.
static inline struct pair add_floats(float a, float b) {
    const float sum = a + b, b_kept = sum - a;
    return (struct pair){sum, (a - (sum - b_kept)) + (b - b_kept)};
}

// a + b for any two pairs.
static inline struct pair add_pairs(struct pair a, struct pair b) {
    const struct pair sum = add_floats(a.high, b.high);
    return (struct pair){sum.high, sum.low + (a.low + b.low)};
}

// a + b for |a| >= |b|: T. J. Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18, 1971.
static inline struct pair add_smaller(struct pair a, struct pair b) {
    const float sum = a.high + b.high;
    return (struct pair){sum, (((a.high - sum) + b.high) + a.low) + b.low};
}

// The same number, with `high` nearest to it again.
static inline struct pair normalized(struct pair a) {
    const float sum = a.high + a.low;
    return (struct pair){sum, (a.high - sum) + a.low};
}

static inline struct pair multiply_pairs(struct pair a, struct pair b) {
    const float product = a.high * b.high;
    const float error = fmaf(a.high, b.high, -product);
    return (struct pair){product, fmaf(a.high, b.low, fmaf(a.low, b.high, error))};
}

static inline struct pair multiply_float(struct pair a, float b) {
    const float product = a.high * b;
    return (struct pair){product, fmaf(a.low, b, fmaf(a.high, b, -product))};
}

static inline struct pair square(struct pair a) {
    const float product = a.high * a.high;
    const float error = fmaf(a.high, a.high, -product);
    return (struct pair){product, fmaf(a.high + a.high, a.low, error)};
}

static inline struct pair divide_pairs(struct pair a, struct pair b) {
    const float reciprocal = 1 / b.high, quotient = a.high * reciprocal;
    const float error = fmaf(reciprocal, a.high, -quotient);
    const float divisor_error = fmaf(-b.low, reciprocal, fmaf(-b.high, reciprocal, 1));
    return (struct pair){quotient, fmaf(quotient, divisor_error, fmaf(a.low, reciprocal, error))};
}

// 1 / a.
static inline struct pair reciprocal_of(struct pair a) {
    const float reciprocal = 1 / a.high;
    const float error = fmaf(-a.low, reciprocal, fmaf(-a.high, reciprocal, 1));
    return (struct pair){reciprocal, reciprocal * error};
}

#endif
