#ifndef ONESTEP_TENSOR_NUMBER_SUM_H
#define ONESTEP_TENSOR_NUMBER_SUM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sums of floats in the order of PyTorch's CPU kernel on AVX2 (ATen/native/cpu/SumKernel.cpp,
 * cascade_sum), which 1.13 and 2.6 share. Which of the ways is used depends on where the numbers
 * lie: sum_dimensions chooses. Every sum begins with +0, so that none is -0.
 */

/*
 * x[0] + x[stride] + ... of n numbers as a cascade (multi_row_sum): up to 15 in order; beyond
 * that runs of 16 are added up in a second accumulator, runs of 256 in a third, and so on (the
 * runs are longer from 2^20 numbers on), then what is left and the accumulators in order.
 */
float cascade_sum(const float *x, size_t n, ptrdiff_t stride);

/*
 * The sum of n numbers in four cascades (row_sum): number i goes to cascade i % 4; the last n % 4
 * numbers are added to the first, then the cascades' sums in order.
 */
float strided_sum(const float *x, size_t n, ptrdiff_t stride);

/*
 * The sum of n numbers that lie side by side (vectorized_inner_sum): eight lanes, lane i % 8 a
 * strided_sum of its n / 8 numbers; the last n % 8 numbers are added up from +0, then the lanes
 * in order. Fewer than eight numbers: strided_sum.
 */
float contiguous_sum(const float *x, size_t n);

/*
 * sums[column] of a matrix over its rows, both strides in floats (vectorized_outer_sum and
 * scalar_outer_sum). The way of adding up depends on a column's place: where columns lie side by
 * side and there are eight or more, the first columns in groups of 32 are a cascade_sum each, the
 * others a strided_sum; otherwise those in groups of four are a cascade_sum each.
 */
void column_sums(const float *x, size_t rows, size_t columns, ptrdiff_t row_stride,
                 ptrdiff_t column_stride, float *sums);

/* The dimensions that a sum can have at most. */
#define SUM_DIMENSIONS 8

/* Numbers in memory: ndim sizes, strides in floats, and which dimensions are added up. */
struct summed {
    const float *data;
    int ndim;
    size_t shape[SUM_DIMENSIONS];
    ptrdiff_t stride[SUM_DIMENSIONS];
    bool reduced[SUM_DIMENSIONS];
};

/*
 * Tensor.sum(dim): the sums of x over its reduced dimensions, in the order of the dimensions
 * that are kept. The dimensions are first put in order as PyTorch's TensorIterator does: those
 * that are added up first, the one with the smallest stride ahead; then the kept ones, last
 * ahead; then neighbours that are one in memory become one. The first two of these choose the
 * way of adding up.
 */
void sum_dimensions(const struct summed *x, float *sums);

#endif
