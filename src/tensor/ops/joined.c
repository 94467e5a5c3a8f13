// Copies: new storage, filled from the elements of other tensors.

#include <string.h>

#include "tensor/ops/operation.h"

// Copies the element at the place `from` in the storage of x to the place `to` in the storage of y.
static void copy_element(const struct tensor *x, int64_t from, struct tensor *y, int64_t to) {
    switch (x->storage->dtype) {
    case FLOAT32:
        ((float *)y->storage->data)[to] = ((const float *)x->storage->data)[from];
        break;
    case BOOL:
        ((unsigned char *)y->storage->data)[to] = ((const unsigned char *)x->storage->data)[from];
        break;
    case INT64:
        ((int64_t *)y->storage->data)[to] = ((const int64_t *)x->storage->data)[from];
        break;
    }
}

// Copies all of x into `slot`, a view of a new tensor with the same shape.
static void copy_into(const struct tensor *x, struct tensor slot) {
    const struct shape shape = shape_of(x);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t position = 0; position < count; position++, next_index(&shape, index))
        copy_element(x, flat_index(x, index), &slot, flat_index(&slot, index));
}

static void copy_axes(const struct tensor *from, struct tensor *to) {
    memcpy(to->axis, from->axis, sizeof to->axis);
}

struct tensor contiguous(struct arena *m, struct tensor x) {
    if (is_contiguous(&x)) return x;
    const struct origin *origin = origin_new(m, COPY, 1, (const struct tensor *[]){&x});
    struct tensor result = tensor_new(m, x.storage->dtype, shape_of(&x), origin);
    copy_axes(&x, &result);
    copy_into(&x, result);
    return result;
}

static struct origin *joined_origin(struct arena *m, enum operation operation, int count,
                                    const struct tensor *x, int dim) {
    const struct tensor **operands = arena_array(m, (size_t)count, sizeof *operands);
    for (int i = 0; i < count; i++) operands[i] = &x[i];
    struct origin *origin = origin_new(m, operation, count, operands);
    origin->dim = dim;
    return origin;
}

// Shape of `count` tensors like x stacked along the new dimension `at`.
static struct shape stacked_shape(const struct tensor *x, int count, int at) {
    struct shape shape = {.ndim = x->ndim + 1};
    for (int dim = 0; dim < shape.ndim; dim++) {
        shape.size[dim] = dim == at ? count : x->shape[dim < at ? dim : dim - 1];
    }
    return shape;
}

struct tensor stack(struct arena *m, int count, const struct tensor *x, int dim) {
    const int at = dim < 0 ? dim + x[0].ndim + 1 : dim;
    if (x[0].ndim == MAX_DIMS || at < 0 || at > x[0].ndim) {
        fail(m->failure, FAIL_USAGE, "stack: no dimension %d to stack shapes %s along", dim,
             shape_text(m, shape_of(&x[0])));
    }
    struct tensor result = tensor_new(m, x[0].storage->dtype, stacked_shape(&x[0], count, at),
                                      joined_origin(m, STACK, count, x, at));
    for (int i = 0; i < count; i++) {
        if (!shapes_equal(shape_of(&x[i]), shape_of(&x[0]))) {
            fail(m->failure, FAIL_USAGE, "stack: shapes %s and %s differ",
                 shape_text(m, shape_of(&x[0])), shape_text(m, shape_of(&x[i])));
        }
        copy_into(&x[i], select_index(result, at, i));
    }
    for (int i = 0; i < x[0].ndim; i++) result.axis[i < at ? i : i + 1] = x[0].axis[i];
    return result;
}

// Shape of the tensors joined along `at`; fails where another size differs.
static struct shape joined_shape(struct arena *m, int count, const struct tensor *x, int at) {
    struct shape shape = shape_of(&x[0]);
    for (int i = 1; i < count; i++) {
        struct shape other = shape_of(&x[i]);
        shape.size[at] += other.size[at];
        other.size[at] = x[0].shape[at];
        if (!shapes_equal(other, shape_of(&x[0]))) {
            fail(m->failure, FAIL_USAGE, "cat: shapes %s and %s do not line up along dimension %d",
                 shape_text(m, shape_of(&x[0])), shape_text(m, shape_of(&x[i])), at);
        }
    }
    return shape;
}

struct tensor cat(struct arena *m, int count, const struct tensor *x, int dim) {
    const int at = dimension(&x[0], dim, "cat");
    struct tensor result = tensor_new(m, x[0].storage->dtype, joined_shape(m, count, x, at),
                                      joined_origin(m, CAT, count, x, at));
    copy_axes(&x[0], &result);
    result.axis[at].labels = NULL;
    int64_t start = 0;
    for (int i = 0; i < count; i++) {
        copy_into(&x[i], narrow(result, at, start, x[i].shape[at]));
        start += x[i].shape[at];
    }
    return result;
}

struct tensor embed(struct arena *m, struct tensor ids, struct tensor weight) {
    const struct origin *origin =
        origin_new(m, EMBEDDING, 2, (const struct tensor *[]){&ids, &weight});
    struct shape shape = shape_of(&ids);
    if (weight.ndim != 2 || shape.ndim == MAX_DIMS) {
        fail(m->failure, FAIL_USAGE,
             "embedding: ids of shape %s and a weight of shape %s do not fit", shape_text(m, shape),
             shape_text(m, shape_of(&weight)));
    }
    shape.size[shape.ndim++] = weight.shape[1];
    struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    const int64_t count = count_of(shape_of(&ids)), width = weight.shape[1];
    for (int64_t i = 0; i < count; i++) {
        const int64_t id = (int64_t)element_at(&ids, i);
        if (id < 0 || id >= weight.shape[0]) {
            fail(m->failure, FAIL_USAGE, "embedding: no row %lld in a weight of shape %s",
                 (long long)id, shape_text(m, shape_of(&weight)));
        }
        for (int64_t j = 0; j < width; j++) {
            floats_of(&result)[i * width + j] = float_at(&weight, (int64_t[]){id, j});
        }
    }
    memcpy(result.axis, ids.axis, (size_t)ids.ndim * sizeof *ids.axis);
    result.axis[ids.ndim] = weight.axis[1];
    return result;
}
