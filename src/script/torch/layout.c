// How results lie in memory. What PyTorch computes number by number lies as its operands do: the transpose of a matrix,
// plus 1, is laid out as a transpose. So such a call sees its operands in the order in which they lie, and its result is
// shown in theirs. And along a dimension, a tensor without dimensions counts as one number in a row.

#include <string.h>

#include "script/torch/tensor_object.h"

enum { MOST_OPERANDS = 8 };

// The operands, with the strides that they have when all have the result's shape: 0 where one is repeated.
struct operands_laid {
    int count;
    struct tensor x[MOST_OPERANDS];
    struct shape shape;
};

static int64_t stride_of(const struct operands_laid *o, int i, int dim) {
    const struct tensor *x = &o->x[i];
    const int dim_of_x = dim - (o->shape.ndim - x->ndim);
    return dim_of_x < 0 || (x->shape[dim_of_x] == 1 && o->shape.size[dim] != 1)
               ? 0
               : x->stride[dim_of_x];
}

// aten/src/ATen/TensorIterator.cpp, reorder_dimensions: above 0 if dimension a belongs further out than b, below 0 if not.
static int compare_dims(const struct operands_laid *o, int a, int b) {
    for (int i = 0; i < o->count; i++) {
        const int64_t of_a = stride_of(o, i, a), of_b = stride_of(o, i, b);
        if (of_a == 0 || of_b == 0) continue;
        if (of_a != of_b) return of_a < of_b ? -1 : 1;
        if (o->shape.size[a] > o->shape.size[b]) return 1;
    }
    return 0;
}

// The dimensions from the innermost to the outermost; as they were, where the operands say nothing.
static void sort_dims(const struct operands_laid *o, int order[MAX_DIMS]) {
    const int ndim = o->shape.ndim;
    for (int i = 1; i < ndim; i++) {
        int at = i;
        for (int before = i - 1; before >= 0; before--) {
            const int comparison = compare_dims(o, order[before], order[at]);
            if (comparison < 0) break;
            if (comparison == 0) continue;
            const int kept = order[before];
            order[before] = order[at];
            order[at] = kept;
            at = before;
        }
    }
}

// Do all have the result's shape and the same strides, with neither gaps nor repetitions?
static bool are_dense_alike(const struct operands_laid *o, const int order[MAX_DIMS]) {
    int64_t step = 1;
    for (int i = 0; i < o->count; i++)
        if (!shapes_equal(shape_of(&o->x[i]), o->shape) ||
            memcmp(o->x[i].stride, o->x[0].stride, sizeof *o->x[0].stride * (size_t)o->x[0].ndim) !=
                0)
            return false;
    for (int i = 0; i < o->shape.ndim; i++) {
        const int dim = order[i];
        if (o->shape.size[dim] != 1 && o->x[0].stride[dim] != step) return false;
        step *= o->shape.size[dim];
    }
    return true;
}

static bool take_shape(struct operands_laid *o, const struct tensor *x) {
    struct shape *shape = &o->shape;
    for (; shape->ndim < x->ndim; shape->ndim++) {
        memmove(shape->size + 1, shape->size, sizeof *shape->size * (size_t)shape->ndim);
        shape->size[0] = 1;
    }
    for (int back = 1; back <= x->ndim; back++) {
        const int64_t size_of_x = x->shape[x->ndim - back];
        int64_t *size = &shape->size[shape->ndim - back];
        if (size_of_x != *size && size_of_x != 1 && *size != 1) return false;
        if (*size == 1) *size = size_of_x;
    }
    return true;
}

static bool are_plain(int count, const struct value *values) {
    for (int i = 0; i < count; i++)
        if (is_tensor_value(values[i]) &&
            !is_contiguous(&((const struct tensor_object *)values[i].object)->view))
            return false;
    return true;
}

void take_layout(struct torch_call *call, int count, const struct value *values) {
    if (are_plain(count, values)) return;
    struct operands_laid o = {0};
    for (int i = 0; i < count; i++) {
        if (!is_tensor_value(values[i])) continue;
        const struct tensor x = tensor_of_object((const struct tensor_object *)values[i].object);
        if (o.count == MOST_OPERANDS || !take_shape(&o, &x)) return;
        o.x[o.count++] = x;
    }
    if (count_of(o.shape) == 0) return;
    struct layout *layout = &call->layout;
    for (int i = 0; i < o.shape.ndim; i++) layout->order[i] = o.shape.ndim - 1 - i;
    sort_dims(&o, layout->order);
    layout->ndim = o.shape.ndim;
    layout->has_strides = are_dense_alike(&o, layout->order);
    memcpy(layout->stride, o.x[0].stride, sizeof layout->stride);
}

// The dimensions of all of a storage in the order in which a program sees them, the last first.
static void order_seen(const struct tensor *view, int order[MAX_DIMS]) {
    const struct tensor whole = tensor_over(view->storage, view->storage->shape);
    const int ndim = whole.ndim;
    bool is_taken[MAX_DIMS] = {false};
    int found = 0;
    for (int i = 0; i < ndim && view->ndim == ndim; i++) {
        const int seen = ndim - 1 - i;
        int dim = seen;
        for (int candidate = 0; candidate < ndim; candidate++) {
            const bool is_same = !is_taken[candidate] &&
                                 whole.shape[candidate] == view->shape[seen] &&
                                 whole.stride[candidate] == view->stride[seen];
            if (is_same) dim = candidate;
        }
        if (is_taken[dim]) break;
        is_taken[dim] = true;
        order[found++] = dim;
    }
    for (int i = 0; i < ndim && found < ndim; i++) order[i] = ndim - 1 - i;
}

void take_layout_back(struct torch_call *call, const struct tensor *view, int count,
                      const struct tensor *x) {
    struct operands_laid o = {0};
    struct layout *layout = &call->layout;
    bool is_as_written = true, are_contiguous = is_contiguous(view);
    *layout = (struct layout){0};
    for (int i = 0; i < count; i++) are_contiguous = are_contiguous && is_contiguous(&x[i]);
    if (are_contiguous) return;
    for (int i = 0; i < count; i++) {
        if (!take_shape(&o, &x[i])) return;
        o.x[o.count++] = x[i];
    }
    if (count_of(o.shape) == 0 || !shapes_equal(o.shape, view->storage->shape)) return;
    order_seen(view, layout->order);
    sort_dims(&o, layout->order);
    for (int i = 0; i < o.shape.ndim; i++)
        is_as_written = is_as_written && layout->order[i] == o.shape.ndim - 1 - i;
    if (!is_as_written) layout->ndim = o.shape.ndim;
}

static void put_dim(struct tensor *x, int dim, const struct tensor *from, int from_dim) {
    x->shape[dim] = from_dim < 0 ? 1 : from->shape[from_dim];
    x->stride[dim] = from_dim < 0 ? 0 : from->stride[from_dim];
    x->axis[dim] = from_dim < 0 ? (struct axis){0} : from->axis[from_dim];
}

struct tensor in_memory_order(const struct torch_call *call, struct tensor x) {
    const struct layout *layout = &call->layout;
    struct tensor turned = x;
    if (layout->is_line && x.ndim == 0) {
        put_dim(&turned, turned.ndim++, &x, -1);
        turned.stride[0] = 1;
    }
    if (layout->ndim == 0 || x.ndim == 0) return turned;
    turned.ndim = layout->ndim;
    for (int i = 0; i < layout->ndim; i++)
        put_dim(&turned, layout->ndim - 1 - i, &x, layout->order[i] - (layout->ndim - x.ndim));
    return turned;
}

struct tensor in_own_order(const struct torch_call *call, struct tensor x) {
    const struct layout *layout = &call->layout;
    struct tensor turned = x;
    if (layout->is_line && x.ndim == 1 && x.shape[0] == 1) turned.ndim = 0;
    if (layout->ndim == 0 || x.ndim != layout->ndim) return turned;
    for (int i = 0; i < layout->ndim; i++)
        put_dim(&turned, layout->order[i], &x, layout->ndim - 1 - i);
    if (layout->has_strides)
        memcpy(turned.stride, layout->stride, sizeof *turned.stride * (size_t)turned.ndim);
    return turned;
}
