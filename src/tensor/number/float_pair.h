#ifndef ONESTEP_TENSOR_NUMBER_FLOAT_PAIR_H
#define ONESTEP_TENSOR_NUMBER_FLOAT_PAIR_H

/*
 * A number as the sum of two floats, some 48 bits: `high` is the float nearest to it, `low` what is
 * left. The steps are those of SLEEF [1] on a processor with fused multiply-add, one by one, since
 * the last bit of what is computed with them depends on each. Where a name says `sorted`, the
 * first operand must not be the smaller one in magnitude; the others take any two.
 *
 * [1] N. Shibata, F. Petrogalli, "SLEEF: A portable vectorized library of C standard mathematical
 *     functions", IEEE Transactions on Parallel and Distributed Systems 31(6), 2020.
 * [2] T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
 *     Mathematik 18, 1971: the sorted sum.
 * [3] D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2: the other sum.
 */
#include <math.h> // defines: fmaf

struct float_pair {
    float high, low;
};

static inline struct float_pair pair_of(float high, float low) {
    return (struct float_pair){high, low};
}

/* What the rounded sum of a and b, a + b, has lost; for any two floats. [3] */
static inline float sum_error(float a, float b, float sum) {
    float b_kept = sum - a;
    return (a - (sum - b_kept)) + (b - b_kept);
}

/* a + b, exactly. */
static inline struct float_pair add_floats(float a, float b) {
    float sum = a + b;
    return pair_of(sum, sum_error(a, b, sum));
}

/* a + b. */
static inline struct float_pair add_float(struct float_pair a, float b) {
    float sum = a.high + b;
    return pair_of(sum, sum_error(a.high, b, sum) + a.low);
}

/* a + b. */
static inline struct float_pair add_pairs(struct float_pair a, struct float_pair b) {
    float sum = a.high + b.high;
    return pair_of(sum, sum_error(a.high, b.high, sum) + (a.low + b.low));
}

/* a + b for |a| >= |b|. [2] */
static inline struct float_pair add_float_sorted(struct float_pair a, float b) {
    float sum = a.high + b;
    return pair_of(sum, ((a.high - sum) + b) + a.low);
}

/* a + b for |a| >= |b|. [2] */
static inline struct float_pair add_to_float_sorted(float a, struct float_pair b) {
    float sum = a + b.high;
    return pair_of(sum, ((a - sum) + b.high) + b.low);
}

/* a + b for |a| >= |b|. [2] */
static inline struct float_pair add_pairs_sorted(struct float_pair a, struct float_pair b) {
    float sum = a.high + b.high;
    return pair_of(sum, (((a.high - sum) + b.high) + a.low) + b.low);
}

/* a + b, exactly, for |a| >= |b|. [2] */
static inline struct float_pair add_floats_sorted(float a, float b) {
    float sum = a + b;
    return pair_of(sum, (a - sum) + b);
}

/* -a. */
static inline struct float_pair negative_pair(struct float_pair a) {
    return pair_of(-a.high, -a.low);
}

/* a b, exactly (but where the product's last bits underflow). */
static inline struct float_pair multiply_floats(float a, float b) {
    float product = a * b;
    return pair_of(product, fmaf(a, b, -product));
}

/* a b. */
static inline struct float_pair multiply_float(struct float_pair a, float b) {
    float product = a.high * b;
    return pair_of(product, fmaf(a.low, b, fmaf(a.high, b, -product)));
}

/* a b. */
static inline struct float_pair multiply_pairs(struct float_pair a, struct float_pair b) {
    float product = a.high * b.high;
    float error = fmaf(a.high, b.high, -product);
    return pair_of(product, fmaf(a.high, b.low, fmaf(a.low, b.high, error)));
}

/* a b, rounded to a float. */
static inline float multiply_to_float(struct float_pair a, struct float_pair b) {
    return fmaf(a.high, b.high, fmaf(a.low, b.high, a.high * b.low));
}

/* a². */
static inline struct float_pair square_pair(struct float_pair a) {
    float product = a.high * a.high;
    return pair_of(product, fmaf(a.high + a.high, a.low, fmaf(a.high, a.high, -product)));
}

/* 1 / a. */
static inline struct float_pair reciprocal_pair(struct float_pair a) {
    float quotient = 1.0f / a.high;
    return pair_of(quotient, quotient * fmaf(-a.low, quotient, fmaf(-a.high, quotient, 1.0f)));
}

/* a / b. */
static inline struct float_pair divide_pairs(struct float_pair a, struct float_pair b) {
    float reciprocal = 1.0f / b.high;
    float quotient = a.high * reciprocal;
    float product_error = fmaf(reciprocal, a.high, -quotient);
    float divisor_error = fmaf(-b.low, reciprocal, fmaf(-b.high, reciprocal, 1.0f));
    return pair_of(quotient, fmaf(quotient, divisor_error, fmaf(a.low, reciprocal, product_error)));
}

#endif
