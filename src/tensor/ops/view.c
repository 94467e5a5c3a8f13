// Views: another way to walk the same numbers. Nothing here touches an element.

#include <string.h>

#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"

// Views are no origins: what a view did is told by its strides. Their rows say what they are called and
// what they do.
const struct operation transpose_row = {
    .name = "transpose",
    .backward = "TransposeBackward0",
    .help = {"transpose", "x.transpose(i, j)", "swaps two sizes and their strides; nothing moves",
             "dx = dy, swapped back"},
};

const struct operation view_row = {
    .name = "view",
    .backward = "ViewBackward0",
    .help = {"view", "x.view(...)",
             "other sizes, same order in memory; refused where no strides can express it",
             "dx = dy in the sizes of x"},
};

const struct operation narrow_row = {
    .name = "narrow",
    .backward = "SliceBackward0",
    .help = {"narrow", "x[:, start:start + n]", "one size becomes n; strides stay; nothing moves",
             "dx = dy in its place, 0 elsewhere"},
};

const struct operation select_row = {
    .name = "select",
    .backward = "SelectBackward0",
    .help = {"select_index", "x[i]", "one dimension disappears; nothing moves",
             "dx = dy in its place, 0 elsewhere"},
};

const struct operation slice_row = {
    .name = "slice",
    .backward = "SliceBackward0",
    .help = {"slice", "x[..., start::step]", "a stride times step; nothing moves",
             "dx = dy in its place, 0 elsewhere"},
};

const struct operation expand_row = {
    .name = "expand",
    .backward = "ExpandBackward0",
    .help = {"expand", "x.expand(...)", "sizes of 1 grow, with stride 0; nothing moves",
             "dx = Σ dy over what was repeated"},
};

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
    result.view = &transpose_row;
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

// Finds the strides that walk x as result->shape; returns false if there are none. PyTorch's rule
// (computeStride in TensorUtils.cpp): from the right, collect dimensions of x for as long as they lie
// in memory like one, and cut what was collected into the sizes wanted.
static bool find_strides(const struct tensor *x, struct tensor *result) {
    int64_t step = x->ndim > 0 ? x->stride[x->ndim - 1] : 1; // of the dimensions collected
    int64_t collected = 1, cut = 1;                          // elements
    int to = result->ndim - 1;
    for (int from = x->ndim - 1; from >= 0; from--) {
        collected *= x->shape[from];
        const bool continues =
            from > 0 && (x->shape[from - 1] == 1 || x->stride[from - 1] == collected * step);
        if (continues) continue;
        for (; to >= 0 && (cut < collected || result->shape[to] == 1); to--) {
            result->stride[to] = cut * step;
            cut *= result->shape[to];
        }
        if (cut != collected) return false;
        if (from == 0) break;
        step = x->stride[from - 1];
        collected = cut = 1;
    }
    return true;
}

// Axes of the result of view(): walk both shapes from the left and collect the smallest groups of
// dimensions with equal products. The last part of a group keeps the axis' meaning; a size that stays
// keeps its labels too, as where a batch of one sentence is flattened.
static void carry_axes(const struct tensor *x, struct tensor *result) {
    for (int from = 0, to = 0; from < x->ndim && to < result->ndim;) {
        const int first = from;
        int64_t have = x->shape[from++], want = result->shape[to++];
        while (have != want) {
            if (have < want)
                have *= x->shape[from++];
            else
                want *= result->shape[to++];
        }
        int last = from - 1;
        while (last > first && x->shape[last] == 1) last--;
        result->axis[to - 1].meaning = x->axis[last].meaning;
        result->axis[to - 1].name = x->axis[last].name;
        if (x->shape[last] == result->shape[to - 1]) result->axis[to - 1] = x->axis[last];
    }
}

struct tensor view(struct tensor x, struct shape shape) {
    const int64_t count = count_of(shape);
    if (count != count_of(shape_of(&x))) refuse_view(&x, shape);
    struct tensor result = x;
    result.ndim = shape.ndim;
    result.view = &view_row;
    memset(result.axis, 0, sizeof result.axis);
    for (int dim = 0; dim < shape.ndim; dim++) {
        result.shape[dim] = shape.size[dim];
        result.stride[dim] = 1;
    }
    if (count == 0) return result;
    if (!find_strides(&x, &result)) refuse_view(&x, shape);
    carry_axes(&x, &result);
    return result;
}

struct tensor reshape(struct tensor x, struct shape shape) {
    if (shapes_equal(shape_of(&x), shape)) return x;
    struct tensor walked = x;
    walked.ndim = shape.ndim;
    memcpy(walked.shape, shape.size, sizeof walked.shape);
    const bool has_strides = count_of(shape) == 0 || find_strides(&x, &walked);
    return view(has_strides ? x : contiguous(x), shape);
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
    result.view = &narrow_row;
    if (x.axis[narrowed].labels != NULL) result.axis[narrowed].labels += start;
    for (int other = 0; other < x.ndim && narrowed == find_axis(&x, AXIS_BATCH); other++) {
        if (x.axis[other].labels != NULL) result.axis[other].labels += start * x.axis[other].apart;
    }
    return result;
}

struct tensor select_index(struct tensor x, int dim, int64_t index) {
    const int selected = dimension(&x, dim, "select");
    struct tensor result = narrow(x, selected, index, 1);
    for (int to = selected; to + 1 < x.ndim; to++) {
        result.shape[to] = x.shape[to + 1];
        result.stride[to] = x.stride[to + 1];
        result.axis[to] = result.axis[to + 1]; // with the labels of the selected sentence
    }
    result.ndim = x.ndim - 1;
    result.view = &select_row;
    return result;
}

// Every step-th of the labels, those of each sentence of a batch apart; `before` is how many there were.
static void thin_labels(struct tensor *x, int dim, int64_t step, int64_t before) {
    const struct axis *axis = &x->axis[dim];
    const int batch = find_axis(x, AXIS_BATCH);
    const int64_t count = x->shape[dim];
    const int64_t sentences = axis->apart > 0 && batch >= 0 ? x->shape[batch] : 1;
    if (axis->labels == NULL || step == 1) return;
    const char **labels =
        arena_array(x->storage->arena, (size_t)(sentences * before), sizeof *labels);
    for (int64_t i = 0; i < sentences; i++) {
        for (int64_t j = 0; j < count; j++)
            labels[i * before + j] = axis->labels[i * axis->apart + j * step];
    }
    x->axis[dim].labels = labels;
    if (axis->apart > 0) x->axis[dim].apart = before;
}

struct tensor slice(struct tensor x, int dim, int64_t start, int64_t step) {
    const int sliced = dimension(&x, dim, "slice");
    struct arena *arena = x.storage->arena;
    if (step < 1 || start < 0 || start > x.shape[sliced])
        fail(arena->failure, FAIL_USAGE, "slice: shape %s has no [%lld::%lld] in dimension %d",
             shape_text(arena, shape_of(&x)), (long long)start, (long long)step, dim);
    struct tensor result = narrow(x, sliced, start, x.shape[sliced] - start);
    const int64_t before = result.shape[sliced];
    result.shape[sliced] = before / step + (before % step > 0);
    thin_labels(&result, sliced, step, before);
    result.stride[sliced] *= step;
    result.view = &slice_row;
    return result;
}

struct tensor expand(struct tensor x, struct shape shape) {
    bool fits = x.ndim <= shape.ndim;
    for (int back = 1; fits && back <= x.ndim; back++) {
        const int64_t size = x.shape[x.ndim - back];
        fits = size == 1 || size == shape.size[shape.ndim - back];
    }
    struct arena *arena = x.storage->arena;
    if (!fits)
        fail(arena->failure, FAIL_USAGE, "expand: shape %s can't be expanded to %s",
             shape_text(arena, shape_of(&x)), shape_text(arena, shape));
    struct tensor result = broadcast_to(x, shape);
    result.view = &expand_row;
    return result;
}
