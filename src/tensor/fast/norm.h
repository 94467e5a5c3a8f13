#ifndef ONESTEP_TENSOR_FAST_NORM_H
#define ONESTEP_TENSOR_FAST_NORM_H

// LayerNorm of rows, with the bits of the operations that lesson `block` makes it of: the variance is that of several
// lines (ops/reduction.c, spread_of_many). Only kernel.c includes this.

#include <math.h>

#include "tensor/fast/lanes.h"

// Each lane is a row's, so that all rows take their steps together; a division is waited for by CHAINS vectors at once.
enum { ROWS = LANES / 2, CHAINS = 4, ROWS_TOGETHER = ROWS * CHAINS };
typedef double of_rows __attribute__((vector_size(8 * ROWS)));

INLINE of_rows fused_rows(of_rows a, of_rows b, of_rows c) {
#if HAS_AVX512
    return (of_rows)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif HAS_AVX2
    return (of_rows)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    for (int row = 0; row < ROWS; row++) c[row] = fma(a[row], b[row], c[row]);
    return c;
#endif
}

// Sums of the squared distances from the mean, of ROWS_TOGETHER rows: Welford's way, number by number.
INLINE void squares_of_rows(const float *const *rows, int64_t features, of_rows *squares) {
    of_rows means[CHAINS];
    for (int i = 0; i < CHAINS; i++) means[i] = squares[i] = (of_rows){0};
    for (int64_t k = 0; k < features; k++) {
        const of_rows count = (double)(k + 1) - (of_rows){0};
        for (int i = 0; i < CHAINS; i++) {
            of_rows x;
            for (int row = 0; row < ROWS; row++) x[row] = (double)rows[i * ROWS + row][k];
            const of_rows before = x - means[i];
            means[i] += before / count;
            squares[i] = fused_rows(before, x - means[i], squares[i]);
        }
    }
}

// (x - mean) / root of one row.
INLINE void scale_row(const float *x, float mean, float root, int64_t features, float *result) {
    for (int64_t k = 0; k < features; k++) result[k] = (x[k] - mean) / root;
}

#endif
