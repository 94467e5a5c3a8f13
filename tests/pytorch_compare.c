/* Compares functions of floats with whole arrays that PyTorch computed: bits, any NAN being like any other. */
#include "tensor/number/normal_block.h"
#include "tensor/number/product.h"
#include "tensor/number/softmax.h"
#include "tensor/number/sum.h"
#include "tensor/number/vector_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int same(float a, float b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* How many of the n values of f(x[i]) are not y[i]; the first such x is left in *first. */
int64_t differences(float (*f)(float), const float *x, const float *y, int64_t n, float *first) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!same(f(x[i]), y[i]) && count++ == 0) *first = x[i];
    return count;
}

/* How many of the n pairs differ. */
int64_t unequal(const float *x, const float *y, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += !same(x[i], y[i]);
    return count;
}

/* normal_block over n numbers, a multiple of NORMAL_BLOCK. */
void normal_blocks(float *x, int64_t n, float mean, float deviation) {
    for (int64_t i = 0; i < n; i += NORMAL_BLOCK) normal_block(x + i, mean, deviation);
}

/* sum_dimensions of a tensor, its description in 64-bit numbers. */
void sum_tensor(const float *x, int64_t ndim, const int64_t *shape, const int64_t *stride,
                const int64_t *reduced, float *sums) {
    struct summed summed = {.data = x, .ndim = (int)ndim};
    for (int i = 0; i < ndim; i++) {
        summed.shape[i] = (size_t)shape[i];
        summed.stride[i] = (ptrdiff_t)stride[i];
        summed.reduced[i] = reduced[i] != 0;
    }
    sum_dimensions(&summed, sums);
}

/* A matrix described by five 64-bit numbers: address, rows, columns, and the two strides. */
static struct matrix matrix_of(const int64_t *m) {
    return (struct matrix){(const float *)(intptr_t)m[0], (size_t)m[1], (size_t)m[2],
                           (ptrdiff_t)m[3], (ptrdiff_t)m[4]};
}

/* A vector described by three: address, size, stride. */
static struct vector vector_of(const int64_t *v) {
    return (struct vector){(const float *)(intptr_t)v[0], (size_t)v[1], (ptrdiff_t)v[2]};
}

float dot(const int64_t *x, const int64_t *y) {
    return dot_product(vector_of(x), vector_of(y));
}

void mv(const int64_t *a, const int64_t *x, float *y) {
    struct matrix matrix = matrix_of(a);
    matrix_vector_product(&matrix, vector_of(x), y);
}

/* c = start + a b by one of the three: 0 as OpenBLAS, 1 in one chain, 2 PyTorch's own loop. */
void mm(const int64_t *a, const int64_t *b, const float *start, float *c, int64_t how) {
    struct matrix left = matrix_of(a), right = matrix_of(b);
    if (how == 0) matrix_product(&left, &right, start, c);
    if (how == 1) matrix_product_in_one_chain(&left, &right, start, c);
    if (how == 2) small_matrix_product(&left, &right, c);
}
