#ifndef ONESTEP_TENSOR_NUMBER_VARIANCE_H
#define ONESTEP_TENSOR_NUMBER_VARIANCE_H

#include <stddef.h>

/*
 * Tensor.var with the bits of PyTorch's CPU kernels on AVX2; 1.13 and 2.6 agree. Both compute in
 * double; `correction` (1 in PyTorch, unless said otherwise) is subtracted from how many there
 * are; where nothing is left, the result is NAN or INFINITY. The standard deviation, Tensor.std,
 * is the square root, taken in double before it is rounded to a float: its place's address, or
 * NULL.
 */

/*
 * The variance of all numbers of a tensor, n of them side by side (ATen/native/ReduceOps.cpp,
 * std_var_all_cpu): the squares of the distances from the mean, which is Tensor.mean's float,
 * added up in order. PyTorch takes this way whenever the result is a single number, also with a
 * dim.
 */
float variance_of_all(const float *x, size_t n, double correction, float *deviation);

/*
 * The variance of each of several rows (Welford's algorithm, ATen/native/SharedReduceOps.h): of n
 * numbers, `stride` floats apart.
 */
float variance_of_row(const float *x, size_t n, ptrdiff_t stride, double correction,
                      float *deviation);

#endif
