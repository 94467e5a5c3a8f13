// Operations that treat every element on its own, and the tensors that operations start from.

#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/ops/operation.h"

struct tensor tensor_of(struct arena *m, struct shape shape, const float *values) {
    const struct tensor result = tensor_new(m, FLOAT32, shape, origin_new(m, FROM_INPUT, 0, NULL));
    memcpy(floats_of(&result), values, (size_t)count_of(shape) * sizeof *values);
    return result;
}

struct tensor arange(struct arena *m, int64_t first, int64_t count) {
    const struct tensor result =
        tensor_new(m, INT64, SHAPE(count), origin_new(m, FROM_INPUT, 0, NULL));
    for (int64_t i = 0; i < count; i++) ((int64_t *)result.storage->data)[i] = first + i;
    return result;
}

struct tensor scalar(struct arena *m, double number) {
    const float value = (float)number;
    return tensor_of(m, NO_DIMS, &value);
}

struct tensor full(struct arena *m, struct shape shape, double number) {
    struct origin *origin = origin_new(m, FROM_FULL, 0, NULL);
    origin->number = number;
    const struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    const int64_t count = count_of(shape);
    for (int64_t i = 0; i < count; i++) floats_of(&result)[i] = (float)number;
    return result;
}

struct tensor ones(struct arena *m, struct shape shape) {
    return full(m, shape, 1);
}

// The shape that two shapes broadcast to: from the right, sizes agree or one of them is 1.
static struct shape broadcast_shape(struct arena *m, enum operation operation,
                                    const struct tensor *a, const struct tensor *b) {
    struct shape shape = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    for (int back = 1; back <= shape.ndim; back++) {
        const int64_t size_a = back <= a->ndim ? a->shape[a->ndim - back] : 1;
        const int64_t size_b = back <= b->ndim ? b->shape[b->ndim - back] : 1;
        if (size_a != size_b && size_a != 1 && size_b != 1) {
            fail(m->failure, FAIL_USAGE, "%s: shapes %s and %s do not broadcast",
                 operation_name(operation), shape_text(m, shape_of(a)), shape_text(m, shape_of(b)));
        }
        shape.size[shape.ndim - back] = size_a == 1 ? size_b : size_a;
    }
    return shape;
}

// A view of x with the broadcast shape: a dimension of size 1 is walked with stride 0.
static struct tensor broadcast_to(struct tensor x, struct shape shape) {
    struct tensor result = x;
    result.ndim = shape.ndim;
    for (int dim = 0; dim < shape.ndim; dim++) {
        const int own = dim - (shape.ndim - x.ndim);
        result.shape[dim] = shape.size[dim];
        result.stride[dim] = own < 0 || x.shape[own] == 1 ? 0 : x.stride[own];
        result.axis[dim] =
            own < 0 || x.shape[own] != shape.size[dim] ? (struct axis){0} : x.axis[own];
    }
    return result;
}

// Names and labels of the result: those of a, and where it has none those of b.
static void join_axes(const struct tensor *a, const struct tensor *b, struct tensor *result) {
    for (int dim = 0; dim < result->ndim; dim++) {
        result->axis[dim] = a->axis[dim];
        if (result->axis[dim].name == NULL) result->axis[dim].name = b->axis[dim].name;
        if (result->axis[dim].labels == NULL) result->axis[dim].labels = b->axis[dim].labels;
    }
}

// A shape as rows along its last dimension; a scalar is one row of one element. `places` is the shape
// over which the rows are counted, for next_index.
struct rows {
    struct shape places;
    int64_t count, length;
};

static struct rows rows_of(struct shape shape) {
    struct rows rows = {.places = shape, .length = 1};
    if (shape.ndim > 0) {
        rows.length = shape.size[shape.ndim - 1];
        rows.places.size[shape.ndim - 1] = 1;
    }
    rows.count = rows.length == 0 ? 0 : count_of(rows.places);
    return rows;
}

// Copies the row of x that starts at the index, as floats.
static void read_row(const struct tensor *x, const int64_t *index, int64_t length, float *row) {
    const int64_t first = flat_index(x, index), step = x->ndim > 0 ? x->stride[x->ndim - 1] : 0;
    switch (x->storage->dtype) {
    case FLOAT32:
        for (int64_t i = 0; i < length; i++)
            row[i] = ((const float *)x->storage->data)[first + i * step];
        break;
    case BOOL:
        for (int64_t i = 0; i < length; i++)
            row[i] = ((const unsigned char *)x->storage->data)[first + i * step];
        break;
    case INT64:
        for (int64_t i = 0; i < length; i++)
            row[i] = (float)((const int64_t *)x->storage->data)[first + i * step];
        break;
    }
}

static float combine(enum operation operation, float a, float b) {
    switch (operation) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    default:
        return a / b;
    }
}

static struct tensor pairwise(struct arena *m, enum operation operation, struct tensor a,
                              struct tensor b) {
    const struct shape shape = broadcast_shape(m, operation, &a, &b);
    const struct origin *origin = origin_new(m, operation, 2, (const struct tensor *[]){&a, &b});
    struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    const struct tensor wide_a = broadcast_to(a, shape), wide_b = broadcast_to(b, shape);
    join_axes(&wide_a, &wide_b, &result);
    const struct rows rows = rows_of(shape);
    float *left = arena_array(m, (size_t)rows.length, sizeof *left);
    float *right = arena_array(m, (size_t)rows.length, sizeof *right);
    float *out = floats_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t row = 0; row < rows.count; row++, next_index(&rows.places, index)) {
        read_row(&wide_a, index, rows.length, left);
        read_row(&wide_b, index, rows.length, right);
        for (int64_t i = 0; i < rows.length; i++) *out++ = combine(operation, left[i], right[i]);
    }
    return result;
}

struct tensor add(struct arena *m, struct tensor a, struct tensor b) {
    return pairwise(m, ADD, a, b);
}

struct tensor subtract(struct arena *m, struct tensor a, struct tensor b) {
    return pairwise(m, SUBTRACT, a, b);
}

struct tensor multiply(struct arena *m, struct tensor a, struct tensor b) {
    return pairwise(m, MULTIPLY, a, b);
}

struct tensor divide(struct arena *m, struct tensor a, struct tensor b) {
    return pairwise(m, DIVIDE, a, b);
}

// A new tensor with the shape and axes of x, its elements still zero.
static struct tensor like(struct arena *m, enum dtype dtype, const struct tensor *x,
                          const struct origin *origin) {
    struct tensor result = tensor_new(m, dtype, shape_of(x), origin);
    memcpy(result.axis, x->axis, sizeof result.axis);
    return result;
}

static float apply(enum operation operation, float x) {
    switch (operation) {
    case ABSOLUTE:
        return fabsf(x);
    case RELU:
        return x > 0 ? x : x != x ? x : 0;
    default:
        return log_float(x);
    }
}

static struct tensor each(struct arena *m, enum operation operation, struct tensor x) {
    const struct origin *origin = origin_new(m, operation, 1, (const struct tensor *[]){&x});
    const struct tensor result = like(m, FLOAT32, &x, origin);
    const int64_t count = count_of(shape_of(&x));
    for (int64_t i = 0; i < count; i++) {
        floats_of(&result)[i] = apply(operation, (float)element_at(&x, i));
    }
    return result;
}

struct tensor absolute(struct arena *m, struct tensor x) {
    return each(m, ABSOLUTE, x);
}

struct tensor relu(struct arena *m, struct tensor x) {
    return each(m, RELU, x);
}

// ---- Masks --------------------------------------------------------------------------------------

static struct tensor triangle(struct arena *m, enum operation operation, struct tensor x,
                              int diagonal) {
    if (x.ndim < 2) {
        fail(m->failure, FAIL_USAGE, "%s: shape %s has no rows and columns",
             operation_name(operation), shape_text(m, shape_of(&x)));
    }
    struct origin *origin = origin_new(m, operation, 1, (const struct tensor *[]){&x});
    origin->diagonal = diagonal;
    const struct tensor result = like(m, FLOAT32, &x, origin);
    const int64_t count = count_of(shape_of(&x));
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(&x), i, index);
        const int64_t above = index[x.ndim - 1] - index[x.ndim - 2] - diagonal;
        const bool kept = operation == TRIL ? above <= 0 : above >= 0;
        floats_of(&result)[i] = kept ? (float)element(&x, index) : 0;
    }
    return result;
}

struct tensor tril(struct arena *m, struct tensor x, int diagonal) {
    return triangle(m, TRIL, x, diagonal);
}

struct tensor triu(struct arena *m, struct tensor x, int diagonal) {
    return triangle(m, TRIU, x, diagonal);
}

struct tensor to_bool(struct arena *m, struct tensor x) {
    const struct origin *origin = origin_new(m, TO_BOOL, 1, (const struct tensor *[]){&x});
    const struct tensor result = like(m, BOOL, &x, origin);
    const int64_t count = count_of(shape_of(&x));
    for (int64_t i = 0; i < count; i++) {
        ((unsigned char *)result.storage->data)[i] = element_at(&x, i) != 0;
    }
    return result;
}

struct tensor masked_fill(struct arena *m, struct tensor x, struct tensor mask, double value) {
    struct origin *origin = origin_new(m, MASKED_FILL, 2, (const struct tensor *[]){&x, &mask});
    origin->number = value;
    const struct shape shape = broadcast_shape(m, MASKED_FILL, &x, &mask);
    if (!shapes_equal(shape, shape_of(&x))) {
        fail(m->failure, FAIL_USAGE,
             "masked_fill: a mask of shape %s does not fit a tensor of shape %s",
             shape_text(m, shape_of(&mask)), shape_text(m, shape_of(&x)));
    }
    const struct tensor result = like(m, FLOAT32, &x, origin);
    const struct tensor wide_mask = broadcast_to(mask, shape);
    const struct rows rows = rows_of(shape);
    float *hides = arena_array(m, (size_t)rows.length, sizeof *hides);
    float *out = floats_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t row = 0; row < rows.count; row++, next_index(&rows.places, index)) {
        read_row(&wide_mask, index, rows.length, hides);
        read_row(&x, index, rows.length, out);
        for (int64_t i = 0; i < rows.length; i++, out++) {
            if (hides[i] != 0) *out = (float)value;
        }
    }
    return result;
}
