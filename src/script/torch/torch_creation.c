// Names of torch that make tensors from nothing: of numbers given, of one number.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// A leaf that asks for its gradient itself.
struct value leaf_value(struct torch_call *call, struct tensor x, int requires) {
    x = narrowed(x, narrow_of_call(call, x.storage->dtype));
    const struct value result = tensor_value(call->machine, in_own_order(call, x), false);
    if (truth_argument(call, requires)) {
        if (!is_floating(x.storage->dtype))
            refuse(call, "Only Tensors of floating point and complex dtype can require gradients");
        ((struct tensor_object *)result.object)->requires_grad = true;
        grad_follow((struct tensor_object *)result.object);
    }
    return result;
}

void check_sizes_of(struct torch_call *call, struct shape shape) {
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (shape.size[dim] < 0)
            refuse(call, "Trying to create tensor with negative dimension %" PRId64 ": %s",
                   shape.size[dim], sizes_list(call, shape));
    }
}

static struct value run_tensor(struct torch_call *call) {
    const int dtype = is_given(call, 1) ? (int)dtype_argument(call, 1, FLOAT32) : -1;
    return leaf_value(call, tensor_from(call, call->values[0], dtype), 3);
}

static struct value run_as_tensor(struct torch_call *call) {
    if (is_tensor_value(call->values[0]) && !is_given(call, 1)) return call->values[0];
    return run_tensor(call);
}

// "*size, dtype=None, requires_grad=False, device=None": values 0 ... 3.
static struct value run_filled(struct torch_call *call) {
    const struct shape shape = sizes_argument(call, 0);
    check_sizes_of(call, shape);
    return leaf_value(
        call, full_of(call->arena, dtype_argument(call, 1, FLOAT32), shape, call->row->number), 2);
}
static struct value run_full(struct torch_call *call) {
    const struct shape shape = sizes_argument(call, 0);
    const struct value number = call->values[1];
    const enum dtype usual = number.kind == VALUE_FLOAT  ? FLOAT32
                             : number.kind == VALUE_BOOL ? BOOL
                             : is_tensor_value(number)   ? FLOAT32
                                                         : INT64;
    check_sizes_of(call, shape);
    return leaf_value(
        call, full_of(call->arena, dtype_argument(call, 2, usual), shape, number_argument(call, 1)),
        3);
}

// "input, dtype=None, requires_grad=False, device=None"
static struct value run_filled_like(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return leaf_value(call,
                      full_of(call->arena, dtype_argument(call, 1, x.storage->dtype), shape_of(&x),
                              call->row->number),
                      2);
}
static struct value run_full_like(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return leaf_value(call,
                      full_of(call->arena, dtype_argument(call, 2, x.storage->dtype), shape_of(&x),
                              number_argument(call, 1)),
                      3);
}

// "*size, dtype=None, requires_grad=False, device=None" of a tensor's own dtype.
static struct value run_filled_new(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return leaf_value(call,
                      full_of(call->arena, dtype_argument(call, 2, x.storage->dtype),
                              sizes_argument(call, 1), call->row->number),
                      3);
}
static struct value run_arange(struct torch_call *call) {
    const bool has_start = is_given(call, 1), has_step = is_given(call, 2);
    bool is_float = false;
    for (int i = 0; i < 3; i++)
        is_float = is_float || (i < call->count && call->values[i].kind == VALUE_FLOAT);
    const double start = has_start ? number_argument(call, 0) : 0,
                 end = number_argument(call, has_start ? 1 : 0);
    const double step = has_step ? number_argument(call, 2) : 1;
    const enum dtype dtype = dtype_argument(call, 3, is_float ? FLOAT32 : INT64);
    if (step == 0) refuse(call, "step must be nonzero");
    if ((step > 0) != (end >= start) && end != start)
        refuse(call, "upper bound and larger bound inconsistent with step sign");
    const double count = ceil((end - start) / step);
    if (!(count < 1e12)) refuse(call, "arange: too many numbers");
    const struct tensor result = tensor_given(call->arena, dtype, SHAPE((int64_t)count));
    for (int64_t i = 0; i < result.storage->count; i++) {
        if (dtype == FLOAT32)
            ((float *)result.storage->data)[i] = (float)(start + step * (double)i);
        else
            put_number(result.storage, i, start + step * (double)i);
    }
    return leaf_value(call, result, 4);
}

// aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp: from both ends to the middle.
static struct value run_linspace(struct torch_call *call) {
    const double start = number_argument(call, 0), end = number_argument(call, 1);
    const int64_t steps = int_argument(call, 2);
    const enum dtype dtype = dtype_argument(call, 3, FLOAT32);
    if (steps < 0) refuse(call, "number of steps must be non-negative");
    const struct tensor result = tensor_given(call->arena, dtype, SHAPE(steps));
    const float first = (float)start, last = (float)end, step = (last - first) / (float)(steps - 1);
    const double wide = (end - start) / (double)(steps - 1);
    for (int64_t i = 0; i < steps; i++) {
        const int64_t back = steps - i - 1;
        const bool is_first_half = i < steps / 2;
        if (dtype == FLOAT32)
            ((float *)result.storage->data)[i] = steps == 1      ? first
                                                 : is_first_half ? fmaf(step, (float)i, first)
                                                                 : fmaf(-step, (float)back, last);
        else
            put_number(result.storage, i,
                       steps == 1      ? start
                       : is_first_half ? start + wide * (double)i
                                       : end - wide * (double)back);
    }
    return leaf_value(call, result, 4);
}

static struct value run_eye(struct torch_call *call) {
    const int64_t rows = int_argument(call, 0),
                  columns = is_given(call, 1) ? int_argument(call, 1) : rows;
    if (rows < 0) refuse(call, "n must be greater or equal to 0, got %" PRId64, rows);
    const struct tensor result =
        tensor_given(call->arena, dtype_argument(call, 2, FLOAT32), SHAPE(rows, columns));
    for (int64_t i = 0; i < rows && i < columns; i++)
        put_number(result.storage, i * columns + i, 1);
    return leaf_value(call, result, 3);
}

#define FILLED "*size, dtype=None, requires_grad=False, device=None, out=None"
#define LIKE "input, dtype=None, requires_grad=False, device=None, memory_format=None"

const struct torch_row creation_rows[] = {
    VALUE_ROW("tensor", "data, *, dtype=None, device=None, requires_grad=False", run_tensor,
              IN_TORCH),
    VALUE_ROW("as_tensor", "data, dtype=None, device=None, requires_grad=False", run_as_tensor,
              IN_TORCH),
    VALUE_ROW("zeros", FILLED, run_filled, IN_TORCH),
    VALUE_ROW("ones", FILLED, run_filled, IN_TORCH, .number = 1),
    VALUE_ROW("empty", FILLED, run_filled, IN_TORCH),
    VALUE_ROW("full", "size, fill_value, *, dtype=None, requires_grad=False, device=None", run_full,
              IN_TORCH),
    VALUE_ROW("zeros_like", LIKE, run_filled_like, IN_TORCH | BY_NUMBER),
    VALUE_ROW("ones_like", LIKE, run_filled_like, IN_TORCH | BY_NUMBER, .number = 1),
    VALUE_ROW("empty_like", LIKE, run_filled_like, IN_TORCH | BY_NUMBER),
    VALUE_ROW("full_like", "input, fill_value, *, dtype=None, requires_grad=False, device=None",
              run_full_like, IN_TORCH | BY_NUMBER),
    VALUE_ROW("new_zeros", "input, *size, dtype=None, requires_grad=False, device=None",
              run_filled_new, IN_TENSOR),
    VALUE_ROW("new_ones", "input, *size, dtype=None, requires_grad=False, device=None",
              run_filled_new, IN_TENSOR, .number = 1),
    VALUE_ROW("arange",
              "start, end=None, step=None, *, dtype=None, requires_grad=False, device=None",
              run_arange, IN_TORCH),
    VALUE_ROW("linspace", "start, end, steps, *, dtype=None, requires_grad=False, device=None",
              run_linspace, IN_TORCH),
    VALUE_ROW("eye", "n, m=None, *, dtype=None, requires_grad=False, device=None", run_eye,
              IN_TORCH),
    {0},
};
