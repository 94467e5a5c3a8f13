#ifndef ONESTEP_TENSOR_NUMBER_SOFTMAX_H
#define ONESTEP_TENSOR_NUMBER_SOFTMAX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Softmax and its logarithm with the bits of PyTorch's CPU kernels on AVX2
 * (ATen/native/cpu/SoftMaxKernel.cpp); 1.13 and 2.6 agree. The input is always taken as
 * contiguous: PyTorch copies it first where it is not. A row whose largest number is -INFINITY,
 * INFINITY or NAN becomes NAN (with INFINITY, the others become 0 in softmax).
 *
 * Over the last dimension a row's exponentials are added up in eight lanes, number i in lane i %
 * 8, and the lanes as ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)); rows of less than eight in
 * order.
 */

/* y[i] = e^(x[i] - max x) · (1 / sum) for the n numbers of a row. x and y may be the same. */
void softmax_row(const float *x, size_t n, float *y);

/* y[i] = (x[i] - max x) - log(sum) for the n numbers of a row. x and y may be the same. */
void log_softmax_row(const float *x, size_t n, float *y);

/*
 * Softmax over a dimension that is not the last: x has n rows, and each of its columns, whose
 * number is the product of the sizes behind the dimension, is a softmax of its own, added up in
 * order and divided by the sum. The last columns % 8 columns take the C library's exponential. x
 * and y may be the same. To be called for each index before the dimension.
 */
void softmax_columns(const float *x, size_t n, size_t columns, float *y);

/* The same for log_softmax. */
void log_softmax_columns(const float *x, size_t n, size_t columns, float *y);

/*
 * nll_loss of rows of `classes` logarithms of probabilities (ATen/native/LossNLL.cpp), reduction
 * 'mean': the mean of -x[row][target[row]], from 16 rows on in runs of 16, the runs in runs, and
 * so on, then their sums in order, divided by the number of rows. cross_entropy is this of
 * log_softmax.
 */
float nll_loss(const float *x, const int64_t *target, size_t rows, size_t classes);

#endif
