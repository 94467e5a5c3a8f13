#ifndef ONESTEP_TENSOR_NUMBER_LIBRARY_MATH_H
#define ONESTEP_TENSOR_NUMBER_LIBRARY_MATH_H

/*
 * Elementary functions of floats as the C library has them that PyTorch runs with: glibc's, on a
 * processor with fused multiply-add. PyTorch calls them for single numbers where a row of eight
 * is not full, in softmax and log_softmax over a dimension that is not the last, sigmoid, and
 * gelu.
 */

/*
 * e^x: glibc's expf since 2.27, which 2.36 (Debian 12) and 2.41 (Debian 13) share; in double, with
 * 2^(i/32) from a table. -INFINITY gives 0, INFINITY gives INFINITY, NAN gives NAN.
 */
float library_exp(float x);

#endif
