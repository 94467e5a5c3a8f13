// Views: another way to walk the same numbers. Nothing here touches an element.

#include <string.h>

#include "tensor/operation.h"

struct tensor transpose(struct tensor x, int dim0, int dim1) {
    const int a = dimension(&x, dim0, "transpose");
    const int b = dimension(&x, dim1, "transpose");
    struct tensor result = x;
    result.shape[a] = x.shape[b];
    result.stride[a] = x.stride[b];
    result.axis[a] = x.axis[b];
    result.shape[b] = x.shape[a];
    result.stride[b] = x.stride[a];
    result.axis[b] = x.axis[a];
    return result;
}

static _Noreturn void refuse_view(const struct tensor *x, struct shape shape) {
    struct arena *arena = x->storage->arena;
    const char *from = shape_text(arena, shape_of(x));
    const char *to = shape_text(arena, shape);
    if (count_of(shape) != count_of(shape_of(x))) {
        fail(arena->failure, FAIL_USAGE, "view: shape %s has not as many elements as %s", to, from);
    }
    fail(arena->failure, FAIL_USAGE,
         "view: no strides walk a %s tensor with strides %s as %s; make it contiguous() first",
         from, sizes_text(arena, x->stride, x->ndim), to);
}

// Do dimensions first ... last of x lie in memory like one dimension?
static bool lie_together(const struct tensor *x, int first, int last) {
    int64_t next = -1; // the stride that a dimension must have to continue the ones after it
    for (int dim = last; dim >= first; dim--) {
        if (x->shape[dim] == 1) continue; // walked nowhere, so any stride will do
        if (next >= 0 && x->stride[dim] != next) return false;
        next = x->stride[dim] * x->shape[dim];
    }
    return true;
}

// A group of dimensions of x (first ... last) becomes a group of dimensions of the result: the same
// elements, split anew. The last part keeps the axis' name; a size that stays keeps its labels too.
static void split(const struct tensor *x, int first, int last, struct tensor *result, int to_first,
                  int to_last) {
    while (last > first && x->shape[last] == 1) last--;
    int64_t stride = x->stride[last];
    for (int dim = to_last; dim >= to_first; dim--) {
        result->stride[dim] = stride;
        stride *= result->shape[dim];
    }
    result->axis[to_last].name = x->axis[last].name;
    if (first == last && to_first == to_last) result->axis[to_last] = x->axis[last];
}

// PyTorch's rule (computeStride in TensorUtils.cpp): walk both shapes from the left, collect the
// smallest groups of dimensions with equal products, and ask of each group of x that it lies together.
struct tensor view(struct tensor x, struct shape shape) {
    if (count_of(shape) != count_of(shape_of(&x))) refuse_view(&x, shape);
    struct tensor result = x;
    result.ndim = shape.ndim;
    memset(result.axis, 0, sizeof result.axis);
    for (int dim = 0; dim < shape.ndim; dim++) {
        result.shape[dim] = shape.size[dim];
        result.stride[dim] = 1;
    }
    int from = 0, to = 0;
    const bool empty = count_of(shape) == 0;
    while (!empty && from < x.ndim && to < shape.ndim) {
        const int first = from, to_first = to;
        int64_t have = x.shape[from++], want = shape.size[to++];
        while (have != want) {
            if (have < want)
                have *= x.shape[from++];
            else
                want *= shape.size[to++];
        }
        if (!lie_together(&x, first, from - 1)) refuse_view(&x, shape);
        split(&x, first, from - 1, &result, to_first, to - 1);
    }
    return result;
}

struct tensor narrow(struct tensor x, int dim, int64_t start, int64_t length) {
    const int narrowed = dimension(&x, dim, "narrow");
    if (start < 0 || length < 0 || length > x.shape[narrowed] - start) {
        struct arena *arena = x.storage->arena;
        fail(arena->failure, FAIL_USAGE,
             "narrow: shape %s has no %lld elements from %lld on in dimension %d",
             shape_text(arena, shape_of(&x)), (long long)length, (long long)start, dim);
    }
    struct tensor result = x;
    result.offset += start * x.stride[narrowed];
    result.shape[narrowed] = length;
    if (x.axis[narrowed].labels != NULL) result.axis[narrowed].labels += start;
    return result;
}

struct tensor select_index(struct tensor x, int dim, int64_t index) {
    const int selected = dimension(&x, dim, "select");
    struct tensor result = narrow(x, selected, index, 1);
    for (int to = selected; to + 1 < x.ndim; to++) {
        result.shape[to] = x.shape[to + 1];
        result.stride[to] = x.stride[to + 1];
        result.axis[to] = x.axis[to + 1];
    }
    result.ndim = x.ndim - 1;
    return result;
}
