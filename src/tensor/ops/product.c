// Products. This is the readable definition of a dot product, which every faster path must match bit
// for bit: one chain of fused multiply-adds, k upwards from 0.

#include <math.h>

#include "tensor/ops/operation.h"

// The sum over k of a[k * step_a] · b[k * step_b].
static inline __attribute__((always_inline)) float
chain(const float *a, int64_t step_a, const float *b, int64_t step_b, int64_t count) {
    float sum = 0;
    for (int64_t k = 0; k < count; k++) sum = fmaf(a[k * step_a], b[k * step_b], sum);
    return sum;
}

#ifdef __x86_64__
// Here fmaf is one instruction, where otherwise it is a call of the C library: the same bits, but the
// call takes longer than what it does.
__attribute__((target("fma"))) static float
fused_chain(const float *a, int64_t step_a, const float *b, int64_t step_b, int64_t count) {
    return chain(a, step_a, b, step_b, count);
}
#endif

static float dot(const float *a, int64_t step_a, const float *b, int64_t step_b, int64_t count) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("fma")) return fused_chain(a, step_a, b, step_b, count);
#endif
    return chain(a, step_a, b, step_b, count);
}

static _Noreturn void refuse_product(struct arena *m, const char *operation, const struct tensor *a,
                                     const struct tensor *b) {
    fail(m->failure, FAIL_USAGE, "%s: shapes %s and %s do not fit together", operation,
         shape_text(m, shape_of(a)), shape_text(m, shape_of(b)));
}

// Adds a dimension of size 1 at `at`, so that a vector is a matrix of one row or one column.
static struct tensor with_dimension(struct tensor x, int at) {
    for (int dim = x.ndim; dim > at; dim--) {
        x.shape[dim] = x.shape[dim - 1];
        x.stride[dim] = x.stride[dim - 1];
        x.axis[dim] = x.axis[dim - 1];
    }
    x.shape[at] = 1;
    x.stride[at] = 0;
    x.axis[at] = (struct axis){0};
    x.ndim++;
    return x;
}

// Shape of the product of (..., n, k) and (..., k, m). Leading sizes agree or are 1 or missing.
static struct shape product_shape(struct arena *m, const struct tensor *a, const struct tensor *b) {
    if (a->shape[a->ndim - 1] != b->shape[b->ndim - 2]) refuse_product(m, "matmul", a, b);
    struct shape shape = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    shape.size[shape.ndim - 2] = a->shape[a->ndim - 2];
    shape.size[shape.ndim - 1] = b->shape[b->ndim - 1];
    for (int back = 3; back <= shape.ndim; back++) {
        const int64_t size_a = back <= a->ndim ? a->shape[a->ndim - back] : 1;
        const int64_t size_b = back <= b->ndim ? b->shape[b->ndim - back] : 1;
        if (size_a != size_b && size_a != 1 && size_b != 1) refuse_product(m, "matmul", a, b);
        shape.size[shape.ndim - back] = size_a == 1 ? size_b : size_a;
    }
    return shape;
}

// First element of the matrix of x that belongs to the leading indices of the result.
static const float *matrix_of(const struct tensor *x, const int64_t *index, int ndim) {
    const float *matrix = floats_of(x);
    for (int dim = 0; dim < x->ndim - 2; dim++) {
        const int64_t leading = index[dim + ndim - x->ndim];
        matrix += (x->shape[dim] == 1 ? 0 : leading) * x->stride[dim];
    }
    return matrix;
}

static void fill_product(const struct tensor *a, const struct tensor *b, const struct tensor *c) {
    const int64_t k_step_a = a->stride[a->ndim - 1], k_step_b = b->stride[b->ndim - 2];
    const int64_t columns = c->shape[c->ndim - 1], column_step = b->stride[b->ndim - 1];
    struct shape rows = shape_of(c);
    rows.size[c->ndim - 1] = 1;
    const int64_t count = count_of(rows);
    float *result = floats_of(c);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&rows, index)) {
        const float *row =
            matrix_of(a, index, c->ndim) + index[c->ndim - 2] * a->stride[a->ndim - 2];
        const float *matrix = matrix_of(b, index, c->ndim);
        for (int64_t j = 0; j < columns; j++) {
            const float *column = matrix + j * column_step;
            *result++ = dot(row, k_step_a, column, k_step_b, a->shape[a->ndim - 1]);
        }
    }
}

static void name_product(const struct tensor *a, const struct tensor *b, struct tensor *c) {
    for (int dim = 0; dim < c->ndim - 2; dim++) {
        const int own_a = dim - (c->ndim - a->ndim), own_b = dim - (c->ndim - b->ndim);
        if (own_a >= 0)
            c->axis[dim] = a->axis[own_a];
        else
            c->axis[dim] = b->axis[own_b];
    }
    c->axis[c->ndim - 2] = a->axis[a->ndim - 2];
    c->axis[c->ndim - 1] = b->axis[b->ndim - 1];
}

struct tensor matmul(struct arena *m, struct tensor a, struct tensor b) {
    if (a.ndim == 0 || b.ndim == 0) refuse_product(m, "matmul", &a, &b);
    const struct origin *origin = origin_new(m, MATMUL, 2, (const struct tensor *[]){&a, &b});
    const bool row_vector = a.ndim == 1, column_vector = b.ndim == 1;
    const struct tensor rows = row_vector ? with_dimension(a, 0) : a;
    const struct tensor columns = column_vector ? with_dimension(b, 1) : b;
    if (rows.shape[rows.ndim - 1] != columns.shape[columns.ndim - 2]) {
        refuse_product(m, "matmul", &a, &b);
    }
    struct tensor result = tensor_new(m, FLOAT32, product_shape(m, &rows, &columns), origin);
    fill_product(&rows, &columns, &result);
    name_product(&rows, &columns, &result);
    if (column_vector) result = select_index(result, -1, 0);
    if (row_vector) result = select_index(result, column_vector ? -1 : -2, 0);
    return result;
}

struct tensor linear(struct arena *m, struct tensor x, struct tensor weight, struct tensor bias) {
    if (x.ndim == 0 || weight.ndim != 2 || x.shape[x.ndim - 1] != weight.shape[1]) {
        refuse_product(m, "linear", &x, &weight);
    }
    const bool has_bias = is_tensor(&bias);
    if (has_bias && !shapes_equal(shape_of(&bias), SHAPE(weight.shape[0]))) {
        refuse_product(m, "linear", &weight, &bias);
    }
    const struct origin *origin =
        origin_new(m, LINEAR, has_bias ? 3 : 2, (const struct tensor *[]){&x, &weight, &bias});
    struct shape shape = shape_of(&x);
    shape.size[x.ndim - 1] = weight.shape[0];
    struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    const int64_t count = count_of(shape);
    for (int64_t position = 0; position < count; position++) {
        int64_t index[MAX_DIMS];
        index_at(shape, position, index);
        const int64_t out = index[x.ndim - 1];
        index[x.ndim - 1] = 0;
        const float *features = (const float *)x.storage->data + flat_index(&x, index);
        const float product =
            dot(features, x.stride[x.ndim - 1], floats_of(&weight) + out * weight.stride[0],
                weight.stride[1], weight.shape[1]);
        floats_of(&result)[position] =
            has_bias ? product + float_at(&bias, (int64_t[]){out}) : product;
    }
    for (int dim = 0; dim < x.ndim - 1; dim++) result.axis[dim] = x.axis[dim];
    result.axis[x.ndim - 1].name = weight.axis[0].name;
    return result;
}
