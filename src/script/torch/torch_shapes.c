// Names of torch that give the same numbers in another shape or order.

#include <inttypes.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// One size may be -1: what is left.
static struct shape wanted_shape(struct torch_call *call, const struct tensor *x,
                                 struct shape shape) {
    const int64_t count = count_of(shape_of(x));
    int64_t known = 1;
    int open = -1;
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (shape.size[dim] == -1 && open >= 0) refuse(call, "only one dimension can be inferred");
        if (shape.size[dim] < -1) refuse(call, "invalid shape dimension %" PRId64, shape.size[dim]);
        if (shape.size[dim] == -1)
            open = dim;
        else
            known *= shape.size[dim];
    }
    if (open >= 0 && (known == 0 || count % known != 0)) {
        if (known == 0)
            refuse(call,
                   "cannot reshape tensor of 0 elements into shape %s because the unspecified "
                   "dimension size -1 can be any value and is ambiguous",
                   sizes_list(call, shape));
        refuse(call, "shape '%s' is invalid for input of size %" PRId64, sizes_list(call, shape),
               count);
    }
    if (open >= 0) shape.size[open] = count / known;
    if (open < 0 && known != count)
        refuse(call, "shape '%s' is invalid for input of size %" PRId64, sizes_list(call, shape),
               count);
    return shape;
}

struct viewing {
    struct tensor x;
    struct shape shape;
    struct tensor result;
};

static void try_view(void *context) {
    struct viewing *viewing = context;
    viewing->result = view(viewing->x, viewing->shape);
}

static struct tensor run_view(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    struct viewing viewing = {.x = x, .shape = wanted_shape(call, &x, sizes_argument(call, 1))};
    if (count_of(shape_of(&x)) == 0) return tensor_over(x.storage, viewing.shape);
    if (!attempt(call->arena->failure, try_view, &viewing))
        refuse(call,
               "view size is not compatible with input tensor's size and stride (at least one "
               "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
    viewing.result.view = &view_row;
    return viewing.result;
}

static struct tensor reshaped(struct torch_call *call, struct tensor x, struct shape shape) {
    shape = wanted_shape(call, &x, shape);
    if (count_of(shape_of(&x)) == 0) return tensor_over(contiguous(x).storage, shape);
    const struct tensor result = reshape(x, shape);
    return named(call, result,
                 result.storage == x.storage ? "ViewBackward0" : "UnsafeViewBackward0");
}

static struct tensor run_reshape(struct torch_call *call) {
    return reshaped(call, tensor_argument(call, 0), sizes_argument(call, 1));
}

static struct tensor run_flatten(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int first = dim_argument(call, 1, &x), last = dim_argument(call, 2, &x);
    struct shape shape = {0};
    if (first > last)
        refuse(call, "flatten() has invalid args: start_dim cannot come after end_dim");
    if (x.ndim == 0) return reshape(x, SHAPE(1));
    for (int dim = 0; dim < x.ndim; dim++) {
        if (dim > first && dim <= last)
            shape.size[shape.ndim - 1] *= x.shape[dim];
        else
            shape.size[shape.ndim++] = x.shape[dim];
    }
    return reshaped(call, x, shape);
}

static struct tensor run_transpose(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int a = dim_argument(call, 1, &x), b = dim_argument(call, 2, &x);
    return x.ndim == 0 ? x : transpose(x, a, b);
}

static struct tensor run_t(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (x.ndim > 2)
        refuse(call, "t() expects a tensor with <= 2 dimensions, but self is %dD", x.ndim);
    return x.ndim < 2 ? x : transpose(x, 0, 1);
}

static const struct operation permute_row = {.name = "permute", .backward = "PermuteBackward0"};
static const struct operation unsqueeze_row = {.name = "unsqueeze",
                                               .backward = "UnsqueezeBackward0"};
static const struct operation squeeze_row = {.name = "squeeze", .backward = "SqueezeBackward1"};
static const struct operation squeeze_all_row = {.name = "squeeze", .backward = "SqueezeBackward0"};

static struct tensor permuted(struct torch_call *call, struct tensor x, struct shape dims) {
    struct tensor result = x;
    bool is_taken[MAX_DIMS] = {false};
    if (dims.ndim != x.ndim)
        refuse(call,
               "permute(sparse_coo): number of dimensions in the tensor input does not match the "
               "length of the desired ordering of dimensions i.e. input.dim() = %d is not equal to "
               "len(dims) = %d",
               x.ndim, dims.ndim);
    for (int dim = 0; dim < x.ndim; dim++) {
        const int from = dim_of(call, dims.size[dim], x.ndim);
        if (is_taken[from]) refuse(call, "permute(): duplicate dims are not allowed.");
        is_taken[from] = true;
        result.shape[dim] = x.shape[from];
        result.stride[dim] = x.stride[from];
        result.axis[dim] = x.axis[from];
    }
    result.view = &permute_row;
    return result;
}

static struct tensor run_permute(struct torch_call *call) {
    return permuted(call, tensor_argument(call, 0), sizes_argument(call, 1));
}

struct tensor unsqueezed(struct torch_call *call, struct tensor x, int at) {
    struct tensor result = x;
    if (x.ndim == MAX_DIMS) refuse(call, "a tensor has at most %d dimensions here", MAX_DIMS);
    for (int dim = x.ndim; dim > at; dim--) {
        result.shape[dim] = x.shape[dim - 1];
        result.stride[dim] = x.stride[dim - 1];
        result.axis[dim] = x.axis[dim - 1];
    }
    result.ndim++;
    result.stride[at] = at < x.ndim ? x.shape[at] * x.stride[at] : 1;
    result.shape[at] = 1;
    result.axis[at] = (struct axis){0};
    result.view = &unsqueeze_row;
    return result;
}

static struct tensor run_unsqueeze(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return unsqueezed(call, x, dim_of(call, int_argument(call, 1), x.ndim + 1));
}

static struct tensor run_squeeze(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const bool is_one = is_given(call, 1);
    const int at = is_one ? dim_argument(call, 1, &x) : -1;
    struct tensor result = x;
    result.ndim = 0;
    for (int dim = 0; dim < x.ndim; dim++) {
        if (x.shape[dim] == 1 && (!is_one || dim == at)) continue;
        result.shape[result.ndim] = x.shape[dim];
        result.stride[result.ndim] = x.stride[dim];
        result.axis[result.ndim++] = x.axis[dim];
    }
    result.view = is_one ? &squeeze_row : &squeeze_all_row;
    return result;
}

static struct tensor expanded(struct torch_call *call, struct tensor x, struct shape shape) {
    const char *text = sizes_list(call, shape), *x_shape = sizes_list(call, shape_of(&x));
    if (shape.ndim < x.ndim)
        refuse(call,
               "expand(torch.%sTensor{%s}, size=%s): the number of sizes provided (%d) must be "
               "greater or equal to the number of dimensions in the tensor (%d)",
               scalar_type(x.storage), x_shape, text, shape.ndim, x.ndim);
    for (int dim = shape.ndim - 1; dim >= 0; dim--) {
        const int from = dim - (shape.ndim - x.ndim);
        if (shape.size[dim] == -1 && from >= 0) shape.size[dim] = x.shape[from];
        if (shape.size[dim] == -1)
            refuse(call,
                   "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                   "dimension %d",
                   dim);
        if (from >= 0 && x.shape[from] != 1 && x.shape[from] != shape.size[dim])
            refuse(call,
                   "The expanded size of the tensor (%" PRId64
                   ") must match the existing size (%" PRId64
                   ") at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
                   shape.size[dim], x.shape[from], dim, text, x_shape);
        if (shape.size[dim] < 0) refuse(call, "numel: integer multiplication overflow");
    }
    return expand(x, shape);
}

static struct tensor run_expand(struct torch_call *call) {
    return expanded(call, tensor_argument(call, 0), sizes_argument(call, 1));
}
static struct value run_contiguous(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return is_contiguous(&x) ? call->values[0] : made(call, contiguous(x));
}

static const struct operation clone_row = {.name = "clone", .backward = "CloneBackward0"};
static struct tensor run_clone(struct torch_call *call) {
    (void)clone_row;
    return perform_on(ONE(tensor_argument(call, 0)), (struct origin){.operation = &copy_row});
}

static struct tensor run_narrow(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (x.ndim == 0) refuse(call, "narrow() cannot be applied to a 0-dim tensor.");
    const int dim = dim_argument(call, 1, &x);
    const int64_t length = int_argument(call, 3);
    int64_t start = int_argument(call, 2);
    if (start < -x.shape[dim] || start > x.shape[dim])
        refuse_as(call, INDEX_ERROR,
                  "start out of range (expected to be in range of [%" PRId64 ", %" PRId64
                  "], but got %" PRId64 ")",
                  -x.shape[dim], x.shape[dim], start);
    if (start < 0) start += x.shape[dim];
    if (start + length > x.shape[dim])
        refuse(call,
               "start (%" PRId64 ") + length (%" PRId64 ") exceeds dimension size (%" PRId64 ").",
               start, length, x.shape[dim]);
    return narrow(x, dim, start, length);
}

static struct tensor run_select(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int dim = dim_argument(call, 1, &x);
    const int64_t i = int_argument(call, 2), size = x.shape[dim];
    if (i < -size || i >= size)
        refuse_as(call, INDEX_ERROR,
                  "select(): index %" PRId64 " out of range for tensor of size %s at dimension %d",
                  i, sizes_list(call, shape_of(&x)), dim);
    return select_index(x, dim, i < 0 ? i + size : i);
}

// ---- Several tensors -----------------------------------------------------------------------------------

static int64_t tensors_of(struct torch_call *call, int i, struct tensor **tensors) {
    const struct value *items;
    if (is_tensor_value(call->values[i]))
        refuse_as(call, TYPE_ERROR,
                  "%s(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
                  call->row->name);
    const int64_t count = items_of(call, call->values[i], &items);
    enum dtype dtype = BOOL;
    if (count == 0)
        refuse(call, strcmp(call->row->name, "stack") == 0
                         ? "stack expects a non-empty TensorList"
                         : "torch.cat(): expected a non-empty list of Tensors");
    *tensors = arena_array(call->arena, (size_t)count, sizeof **tensors);
    for (int64_t n = 0; n < count; n++) {
        if (!is_tensor_value(items[n]))
            refuse_as(call, TYPE_ERROR,
                      "expected Tensor as element %" PRId64 " in argument 0, but got %s", n,
                      type_name(items[n]));
        (*tensors)[n] = tensor_of_value(call, items[n]);
        dtype = promoted(dtype, (*tensors)[n].storage->dtype);
    }
    for (int64_t n = 0; n < count; n++) (*tensors)[n] = to_dtype((*tensors)[n], dtype);
    return count;
}

static struct tensor run_stack(struct torch_call *call) {
    struct tensor *x;
    const int64_t count = tensors_of(call, 0, &x);
    const int dim = dim_of(call, int_argument(call, 1), x[0].ndim + 1);
    for (int64_t i = 1; i < count; i++) {
        if (!shapes_equal(shape_of(&x[0]), shape_of(&x[i])))
            refuse(call,
                   "stack expects each tensor to be equal size, but got %s at entry 0 and %s at "
                   "entry %" PRId64,
                   sizes_list(call, shape_of(&x[0])), sizes_list(call, shape_of(&x[i])), i);
    }
    return stack(count, x, dim);
}

static struct tensor run_cat(struct torch_call *call) {
    struct tensor *x;
    int64_t count = tensors_of(call, 0, &x), kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (x[i].ndim == 0)
            refuse(call, "zero-dimensional tensor (at position %" PRId64 ") cannot be concatenated",
                   i);
        if (x[i].ndim == 1 && x[i].shape[0] == 0 && count > 1)
            continue; // an empty list joins with anything
        x[kept++] = x[i];
    }
    count = kept > 0 ? kept : 1;
    const int dim = dim_of(call, int_argument(call, 1), x[0].ndim);
    for (int64_t i = 1; i < count; i++) {
        if (x[i].ndim != x[0].ndim)
            refuse(call, "Tensors must have same number of dimensions: got %d and %d", x[0].ndim,
                   x[i].ndim);
        for (int at = 0; at < x[0].ndim; at++) {
            if (at != dim && x[i].shape[at] != x[0].shape[at])
                refuse(call,
                       "Sizes of tensors must match except in dimension %d. Expected size %" PRId64
                       " but got size %" PRId64 " for tensor number %" PRId64 " in the list.",
                       dim, x[0].shape[at], x[i].shape[at], i);
        }
    }
    return cat(count, x, dim);
}

static struct value parts_value(struct torch_call *call, const struct tensor *x, int dim,
                                int64_t count, const char *name, const int64_t *sizes) {
    struct value *parts = arena_array(call->arena, (size_t)count + 1, sizeof *parts);
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        parts[i] = made(call, named(call, narrow(*x, dim, at, sizes[i]), name));
        at += sizes[i];
    }
    return tuple_new(call->machine, count, parts);
}

static void refuse_one_number(struct torch_call *call, const struct tensor *x) {
    if (x->ndim == 0) refuse(call, "%s expects at least a 1-dimensional tensor", call->row->name);
}

static struct value split_evenly(struct torch_call *call, const struct tensor *x, int dim,
                                 int64_t size) {
    const int64_t length = x->shape[dim],
                  count = size > 0 && length > 0 ? (length + size - 1) / size : 1;
    int64_t *sizes = arena_array(call->arena, (size_t)count, sizeof *sizes);
    if (size == 0 && length > 0)
        refuse(
            call,
            "split_size can only be 0 if dimension size is 0, but got dimension size of %" PRId64,
            length);
    if (size < 0)
        refuse(call, "split expects split_size be non-negative, but got split_size=%" PRId64, size);
    for (int64_t i = 0; i < count; i++)
        sizes[i] = i < count - 1 ? size : length - size * (count - 1);
    return parts_value(call, x, dim, count, "SplitBackward0", sizes);
}

static const char *split_list(struct torch_call *call, const int64_t *sizes, int64_t count) {
    struct shape shape = {.ndim = (int)(count < MAX_DIMS ? count : MAX_DIMS)};
    for (int i = 0; i < shape.ndim; i++) shape.size[i] = sizes[i];
    return sizes_list(call, shape);
}

static struct value run_split(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    refuse_one_number(call, &x);
    const int dim = dim_argument(call, 2, &x);
    const struct value *items;
    int64_t sum = 0;
    if (call->values[1].kind == VALUE_INT)
        return split_evenly(call, &x, dim, call->values[1].integer);
    const int64_t count = items_of(call, call->values[1], &items);
    int64_t *sizes = arena_array(call->arena, (size_t)count + 1, sizeof *sizes);
    for (int64_t i = 0; i < count; i++) sum += sizes[i] = int_of_value(call, items[i]);
    if (sum != x.shape[dim])
        refuse(call,
               "split_with_sizes expects split_sizes to sum exactly to %" PRId64
               " (input tensor's size at dimension %" PRId64 "), but got split_sizes=%s",
               x.shape[dim], int_argument(call, 2), split_list(call, sizes, count));
    return parts_value(call, &x, dim, count, "SplitWithSizesBackward0", sizes);
}

static struct value run_unbind(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    (void)dim_argument(call, 1, &x);
    const int dim = own_dim_argument(call, 1, &x);
    struct value *parts = arena_array(call->arena, (size_t)x.shape[dim] + 1, sizeof *parts);
    for (int64_t i = 0; i < x.shape[dim]; i++)
        parts[i] = made(call, named(call, select_index(x, dim, i), "UnbindBackward0"));
    return tuple_new(call->machine, x.shape[dim], parts);
}

// ---- Repeated, turned -------------------------------------------------------------------------------------

static struct tensor run_repeat(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    struct shape times = sizes_argument(call, 1);
    for (; strcmp(call->row->name, "tile") == 0 && times.ndim < x.ndim; times.ndim++) {
        memmove(times.size + 1, times.size, sizeof *times.size * (size_t)times.ndim);
        times.size[0] = 1;
    }
    struct shape shape = {.ndim = times.ndim};
    if (times.ndim < x.ndim)
        refuse(call, "Number of dimensions of repeat dims can not be smaller than number of "
                     "dimensions of tensor");
    for (int dim = 0; dim < times.ndim; dim++) {
        const int dim_of_x = dim - (times.ndim - x.ndim);
        shape.size[dim] = dim_of_x >= 0 ? x.shape[dim_of_x] : 1;
    }
    struct shape all = shape;
    for (int dim = 0; dim < times.ndim; dim++) all.size[dim] *= times.size[dim];
    for (int dim = 0; dim < times.ndim; dim++)
        if (all.size[dim] < 0)
            refuse(call, "Trying to create tensor with negative dimension %" PRId64 ": %s",
                   all.size[dim], sizes_list(call, all));
    x = reshape(x, shape);
    for (int dim = 0; dim < times.ndim; dim++)
        if (times.size[dim] != 1) x = repeat(x, times.size[dim], dim);
    return x;
}

// Each part as often as a tensor says.
static struct tensor repeated_each(struct torch_call *call, struct tensor x, struct tensor times,
                                   int dim) {
    struct shape shape = shape_of(&x), line = {.ndim = x.ndim};
    int64_t sum_of_times = 0, at = 0;
    if (times.ndim != 1 || times.shape[0] != x.shape[dim])
        refuse(call, "repeats must have the same size as input along dim");
    for (int64_t i = 0; i < times.shape[0]; i++) sum_of_times += (int64_t)element_at(&times, i);
    for (int i = 0; i < x.ndim; i++) line.size[i] = i == dim ? sum_of_times : 1;
    shape.size[dim] = sum_of_times;
    const struct tensor places = tensor_given(call->arena, INT64, line);
    for (int64_t i = 0; i < times.shape[0]; i++)
        for (int64_t j = 0; j < (int64_t)element_at(&times, i); j++)
            put_whole(places.storage, at++, i);
    return take_along(x, expand(places, shape), dim);
}

static struct tensor run_repeat_interleave(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    if (is_given(call, 1) && is_tensor_value(call->values[1]) &&
        tensor_of_value(call, call->values[1]).ndim > 0) {
        const int along_dim = is_given(call, 2) ? dim_argument(call, 2, &x) : 0;
        if (!is_given(call, 2)) x = reshape(x, SHAPE(count_of(shape_of(&x))));
        return repeated_each(call, x, tensor_argument(call, 1), along_dim);
    }
    if (!is_given(call, 2)) x = reshape(x, SHAPE(count_of(shape_of(&x))));
    return repeat_interleave(x, int_argument(call, 1),
                             is_given(call, 2) ? dim_argument(call, 2, &x) : 0);
}

static struct tensor run_flip(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    const struct shape dims = sizes_argument(call, 1);
    for (int i = 0; i < dims.ndim; i++) x = flip(x, dim_of(call, dims.size[i], x.ndim));
    return x;
}

static struct tensor run_triangle(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (x.ndim < 2)
        refuse(call, "%s: input tensor must have at least 2 dimensions", call->row->name);
    return call->row->at(x, (int)int_argument(call, 1));
}
static const struct operation diagonal_row = {.name = "diagonal", .backward = "DiagonalBackward0"};

static struct tensor diagonal_of(struct torch_call *call, struct tensor x, int64_t offset, int a,
                                 int b) {
    struct tensor result = x;
    if (a == b) refuse(call, "diagonal dimensions cannot be identical %d, %d", a, b);
    const int64_t rows = x.shape[a] - (offset < 0 ? -offset : 0),
                  columns = x.shape[b] - (offset > 0 ? offset : 0);
    const int64_t least = rows < columns ? rows : columns, count = least > 0 ? least : 0;
    result.offset += count == 0 ? 0 : offset > 0 ? offset * x.stride[b] : -offset * x.stride[a];
    result.ndim = 0;
    for (int dim = 0; dim < x.ndim; dim++) {
        if (dim == a || dim == b) continue;
        result.shape[result.ndim] = x.shape[dim];
        result.stride[result.ndim] = x.stride[dim];
        result.axis[result.ndim++] = x.axis[dim];
    }
    result.axis[result.ndim] = (struct axis){0};
    result.shape[result.ndim] = count;
    result.stride[result.ndim++] = x.stride[a] + x.stride[b];
    result.view = &diagonal_row;
    return result;
}

static struct tensor run_diagonal(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int a = dim_argument(call, 2, &x), b = dim_argument(call, 3, &x);
    return diagonal_of(call, x, int_argument(call, 1), a, b);
}

static const struct operation unfold_row = {.name = "unfold", .backward = "UnfoldBackward0"};

static struct tensor run_unfold(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int dim = dim_argument(call, 1, &x);
    const int64_t size = int_argument(call, 2), step = int_argument(call, 3);
    struct tensor result = x;
    if (size > x.shape[dim])
        refuse(call, "maximum size for tensor at dimension %d is %" PRId64 " but size is %" PRId64,
               dim, x.shape[dim], size);
    if (step <= 0) refuse(call, "step is %" PRId64 " but must be > 0", step);
    if (x.ndim == MAX_DIMS) refuse(call, "a tensor has at most %d dimensions here", MAX_DIMS);
    result.shape[dim] = (x.shape[dim] - size) / step + 1;
    result.stride[dim] = x.stride[dim] * step;
    result.shape[x.ndim] = size;
    result.stride[x.ndim] = x.stride[dim];
    result.axis[x.ndim] = (struct axis){0};
    result.ndim++;
    result.view = &unfold_row;
    return result;
}

static const struct operation as_strided_row = {.name = "as_strided",
                                                .backward = "AsStridedBackward0"};

static struct tensor run_as_strided(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const struct shape shape = sizes_argument(call, 1), strides = sizes_argument(call, 2);
    struct tensor result = x;
    result.ndim = shape.ndim;
    result.view = &as_strided_row;
    int64_t last = result.offset = is_given(call, 3) ? int_argument(call, 3) : x.offset;
    if (shape.ndim != strides.ndim) refuse(call, "mismatch in length of strides and shape");
    for (int dim = 0; dim < shape.ndim; dim++) {
        result.shape[dim] = shape.size[dim];
        result.stride[dim] = strides.size[dim];
        if (shape.size[dim] < 0 || strides.size[dim] < 0)
            refuse(call,
                   "as_strided: Negative strides are not supported at the moment, got strides: %s",
                   sizes_list(call, strides));
        last += (shape.size[dim] - 1) * strides.size[dim];
    }
    if (result.offset < 0 || (count_of(shape) > 0 && last >= x.storage->count))
        refuse(call,
               "setStorage: sizes %s, strides %s, storage offset %" PRId64
               " are out of bounds for storage of %" PRId64 " numbers",
               sizes_list(call, shape), sizes_list(call, strides), result.offset, x.storage->count);
    return result;
}

enum { BOTH = IN_TORCH | IN_TENSOR };
#define DIMS_2 "input, dim0, dim1"

const struct torch_row shape_rows[] = {
    TENSOR_ROW("view", "input, *size", run_view, IN_TENSOR),
    TENSOR_ROW("reshape", "input, *shape", run_reshape, BOTH),
    TENSOR_ROW("flatten", "input, start_dim=0, end_dim=-1", run_flatten, BOTH),
    TENSOR_ROW("ravel", "input, start_dim=0, end_dim=-1", run_flatten, BOTH),
    TENSOR_ROW("transpose", DIMS_2, run_transpose, BOTH),
    TENSOR_ROW("swapaxes", DIMS_2, run_transpose, BOTH),
    TENSOR_ROW("swapdims", DIMS_2, run_transpose, BOTH),
    TENSOR_ROW("t", "input", run_t, BOTH),
    TENSOR_ROW("permute", "input, *dims", run_permute, BOTH),
    TENSOR_ROW("unsqueeze", "input, dim", run_unsqueeze, BOTH),
    TENSOR_ROW("squeeze", "input, dim=None", run_squeeze, BOTH),
    TENSOR_ROW("expand", "input, *size", run_expand, IN_TENSOR),
    TENSOR_ROW("broadcast_to", "input, *size", run_expand, BOTH),
    VALUE_ROW("contiguous", "input", run_contiguous, IN_TENSOR),
    TENSOR_ROW("clone", "input", run_clone, BOTH | BY_NUMBER),
    TENSOR_ROW("narrow", "input, dim, start, length", run_narrow, BOTH),
    TENSOR_ROW("select", "input, dim, index", run_select, BOTH),
    TENSOR_ROW("stack", "tensors, dim=0", run_stack, IN_TORCH),
    TENSOR_ROW("cat", "tensors, dim=0", run_cat, IN_TORCH),
    TENSOR_ROW("concat", "tensors, dim=0", run_cat, IN_TORCH),
    TENSOR_ROW("concatenate", "tensors, dim=0", run_cat, IN_TORCH),
    VALUE_ROW("split", "input, split_size_or_sections, dim=0", run_split, BOTH),
    VALUE_ROW("unbind", "input, dim=0", run_unbind, BOTH),
    TENSOR_ROW("repeat", "input, *repeats", run_repeat, IN_TENSOR),
    TENSOR_ROW("tile", "input, *dims", run_repeat, BOTH),
    TENSOR_ROW("repeat_interleave", "input, repeats, dim=None", run_repeat_interleave, BOTH),
    TENSOR_ROW("flip", "input, *dims", run_flip, BOTH | ALONG_DIM),
    TENSOR_ROW("tril", "input, diagonal=0", run_triangle, BOTH | IN_PLACE, .at = tril),
    TENSOR_ROW("triu", "input, diagonal=0", run_triangle, BOTH | IN_PLACE, .at = triu),
    TENSOR_ROW("diagonal", "input, offset=0, dim1=0, dim2=1", run_diagonal, BOTH),
    TENSOR_ROW("as_strided", "input, size, stride, storage_offset=None", run_as_strided, BOTH),
    TENSOR_ROW("unfold", "input, dimension, size, step", run_unfold, IN_TENSOR),
    {0},
};
