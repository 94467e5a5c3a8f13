#ifndef ONESTEP_TENSOR_NUMBER_TILE_H
#define ONESTEP_TENSOR_NUMBER_TILE_H

// The tiles in which OpenBLAS multiplies matrices: in which order it adds up the terms of an element depends on
// where the element lies in them. These are the tiles of its Haswell kernel, on one thread, which Zen
// processors have too (0.3.21 and 0.3.29 agree: driver/level3/level3.c, kernel/x86_64/sgemm_kernel_8x4_haswell_2.c).

#include <stdbool.h>
#include <stdint.h>

// An element of a product, (rows, inner) times (inner, columns): where it lies, and how large the product is.
struct entry {
    int64_t row, column;
    int64_t rows, inner, columns;
};

// A product with as many multiplications or more is large: OpenBLAS divides it among threads, so PyTorch's bits depend on how
// many there are (interface/gemm.c). onestep adds up each element of it in one chain, and has no tiles.
enum { LARGE_PRODUCT = 1 << 18 };
bool is_large_product(int64_t rows, int64_t inner, int64_t columns);

// The terms are added up in blocks, each from 0: where the one that begins with term `from` ends.
int64_t end_of_block(const struct entry *entry, int64_t from);

// How many of the first terms in a block of so many are added by turns to two sums: terms 0, 2, 4, ... and terms 1, 3, 5, ...
// The terms behind them belong to the first sum, and the second is added to it at the end. 0: there is one sum.
int64_t terms_by_turns(const struct entry *entry, int64_t terms);

#endif
