#ifndef ONESTEP_TENSOR_NUMBER_PRODUCT_H
#define ONESTEP_TENSOR_NUMBER_PRODUCT_H

// Sums of products, a[0]·b[0] + a[1]·b[1] + ..., with the bits of PyTorch on AVX2 and one thread. How the
// numbers are multiplied and added up depends on what they are part of. PyTorch asks OpenBLAS for all but
// small batches; the rules are those of its Haswell kernels (0.3.21 and 0.3.29 agree).
//
// Both lines have the same count.

#include "tensor/number/line.h"
#include "tensor/number/tile.h"

// An element of a matrix product (OpenBLAS sgemm), the readable definition that every faster path must
// match: start + the sums of its blocks of terms, each a chain of fused multiply-adds, upwards from 0, or two
// chains, as the entry says (tile.h). `start` is a layer's bias, otherwise 0.
float fused_product(struct line a, struct line b, float start, struct entry entry);

// The same of small batches, whose products of rows, inner size and columns are below SMALL_BATCH: there
// PyTorch has a loop of its own (aten/src/ATen/native/LinearAlgebra.cpp, baddbmm_cpu_kernel), which
// rounds each product before it is added.
enum { SMALL_BATCH = 400 };
float plain_product(struct line a, struct line b);

// A row of either product, which is far faster than element by element: adds to sums[j], which is a
// layer's bias or 0, the product of the row and column j, each with the bits of the function above. All
// lines have the same count. `entry` is that of column 0, which begins a tile.
void add_fused_products(struct line row, struct columns columns, struct entry entry, float *sums);
void add_plain_products(struct line row, struct columns columns, float *sums);

// Vector times vector (OpenBLAS sdot): the last count % 32 products are rounded to float and added up in
// double; those before them in 32 fused lanes, whose sum comes last.
float dot_product(struct line a, struct line b);

// Row number `row` of `rows` of a matrix times a vector (OpenBLAS sgemv): up to three products are
// rounded and added up in order. More of them go to lanes first, which depend on the row's place: rows in
// whole groups of four have eight fused lanes, the last ones four that are not fused.
float row_product(struct line a, struct line x, int64_t row, int64_t rows);

#endif
