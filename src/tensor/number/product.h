#ifndef ONESTEP_TENSOR_NUMBER_PRODUCT_H
#define ONESTEP_TENSOR_NUMBER_PRODUCT_H

#include <stddef.h>

/*
 * Products with the bits of PyTorch on AVX2, which asks OpenBLAS's Haswell kernels (0.3.21 and
 * 0.3.29 agree) for all but small batches; one thread.
 */

/* A matrix in memory, strides in floats. */
struct matrix {
    const float *data;
    size_t rows, columns;
    ptrdiff_t row_stride, column_stride;
};

/* A vector in memory, its stride in floats. */
struct vector {
    const float *data;
    size_t size;
    ptrdiff_t stride;
};

/*
 * torch.dot, vector @ vector (OpenBLAS sdot). The first n - n % 32 numbers of contiguous vectors
 * are fused in 32 lanes; the others are multiplied in float and added up in double, the lanes'
 * sum last. Of vectors with a stride, two products at a time are added in float, and these sums
 * in double.
 */
float dot_product(struct vector x, struct vector y);

/*
 * torch.mv, matrix @ vector (OpenBLAS sgemv): y[i] for each row of a. Which numbers are fused
 * depends on the matrix's strides and on the place of the row: see product.c.
 */
void matrix_vector_product(const struct matrix *a, struct vector x, float *y);

/*
 * torch.mm and addmm of 2-D tensors (OpenBLAS sgemm): c = start + a b, with c and start row
 * after row, and +0 for start where it is NULL. An element is one chain of fused multiply-adds
 * from 0, k upwards, to which start is added, but two chains in some tiles of eight columns and
 * four or more rows, and a chain each 320 (or half the rest) of k.
 */
void matrix_product(const struct matrix *a, const struct matrix *b, const float *start, float *c);

/* The same with one chain an element, whatever the tile. */
void matrix_product_in_one_chain(const struct matrix *a, const struct matrix *b, const float *start,
                                 float *c);

/* Batches whose product of rows, inner size and columns is below this are PyTorch's own loop. */
#define SMALL_BATCH 400

/*
 * One matrix of torch.bmm for small batches (ATen/native/LinearAlgebra.cpp, baddbmm_cpu_kernel):
 * c = a b, row after row, each element from +0 in order, products rounded before they are added.
 */
void small_matrix_product(const struct matrix *a, const struct matrix *b, float *c);

#endif
