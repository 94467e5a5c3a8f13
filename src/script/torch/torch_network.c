// Names of torch.nn.functional that are operations; the others are Python, in the prelude.

#include <inttypes.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// A bias that is not a number for each output.
static void check_bias(struct torch_call *call, const struct tensor *x, const struct tensor *weight,
                       const struct tensor *bias) {
    const int64_t count = weight->shape[0],
                  bias_size = bias->ndim > 0 ? bias->shape[bias->ndim - 1] : 1;
    if (bias_size == count || bias_size == 1 || bias->ndim > 1) return;
    struct shape shape = shape_of(x);
    shape.size[shape.ndim - 1] = count;
    if (x->ndim == 2)
        refuse(call,
               "The expanded size of the tensor (%" PRId64
               ") must match the existing size (%" PRId64
               ") at non-singleton dimension 1.  Target sizes: %s.  Tensor sizes: [%" PRId64 "]",
               count, bias_size, sizes_list(call, shape), bias_size);
    refuse(call,
           "The size of tensor a (%" PRId64 ") must match the size of tensor b (%" PRId64
           ") at non-singleton dimension %d",
           count, bias_size, x->ndim - 1);
}

static struct tensor run_linear(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), weight = tensor_argument(call, 1);
    const struct tensor bias = is_given(call, 2) ? tensor_argument(call, 2) : NO_TENSOR;
    const struct tensor turned = weight.ndim == 2 ? transpose(weight, 0, 1) : weight;
    const struct tensor row = x.ndim == 1 ? view(contiguous(x), SHAPE(1, x.shape[0])) : x;
    if (weight.ndim > 2)
        refuse(call, "t() expects a tensor with <= 2 dimensions, but self is %dD", weight.ndim);
    if (weight.ndim == 1 && x.ndim == 2 && is_tensor(&bias))
        refuse(call, "mat2 must be a matrix, got 1-D tensor");
    if (is_tensor(&bias) &&
        (x.storage->dtype != weight.storage->dtype || x.storage->narrow != weight.storage->narrow))
        refuse(call, "mat1 and mat2 must have the same dtype, but got %s and %s",
               scalar_type(x.storage), scalar_type(weight.storage));
    check_product(call, is_tensor(&bias) ? &row : &x, &turned);
    if (is_tensor(&bias) && weight.ndim == 2) check_bias(call, &row, &weight, &bias);
    if (x.storage->dtype == FLOAT32 && weight.ndim == 2) return linear(x, weight, bias);
    refuse(call, "onestep's linear takes float32 and a weight of two dimensions");
}

static struct tensor run_embedding(struct torch_call *call) {
    const struct tensor ids = tensor_argument(call, 0), weight = tensor_argument(call, 1);
    const struct shape shape = shape_of(&ids);
    int64_t index[MAX_DIMS] = {0};
    if (weight.ndim != 2) refuse(call, "'weight' must be 2-D");
    if (weight.shape[0] == 0 && count_of(shape) > 0)
        refuse(call, "index_select(): self indexing axis dim should be positive");
    if (is_floating(ids.storage->dtype))
        refuse(
            call,
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            "Long, Int; but got torch.%sTensor instead (while checking arguments for embedding)",
            scalar_type(ids.storage));
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        const int64_t id = whole_element(&ids, index);
        if (id < 0 || id >= weight.shape[0])
            refuse_as(call, INDEX_ERROR, "index out of range in self");
    }
    return embed(convert(ids, INT64), weight);
}

// "input": along the last dimension, as layer_norm computes them.
static struct tensor run_layer_mean(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return layer_mean(x, x.ndim - 1);
}
static struct tensor run_layer_var(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return layer_var(x, x.ndim - 1);
}
static struct tensor run_multiply_add(struct torch_call *call) {
    return multiply_add(tensor_argument(call, 0), tensor_argument(call, 1),
                        tensor_argument(call, 2));
}

static struct tensor run_one_hot(struct torch_call *call) {
    return one_hot(tensor_argument(call, 0), int_argument(call, 1));
}

static struct tensor run_cross_entropy(struct torch_call *call) {
    return cross_entropy(tensor_argument(call, 0), tensor_argument(call, 1));
}

// "input, target, ignore_index": is this the loss of rows of numbers and a class for each, of which all count but those of -100?
static struct value run_are_classes(struct torch_call *call) {
    if (!is_tensor_value(call->values[0]) || !is_tensor_value(call->values[1]))
        return value_of_bool(false);
    const struct tensor x = tensor_argument(call, 0), classes = tensor_argument(call, 1);
    const int64_t ignored = int_argument(call, 2);
    bool are = x.ndim == 2 && classes.ndim == 1 && x.shape[0] == classes.shape[0] &&
               x.shape[0] > 0 && x.storage->dtype == FLOAT32 && x.storage->narrow == ALL_BITS &&
               classes.storage->dtype == INT64;
    for (int64_t i = 0; are && i < classes.shape[0]; i++) {
        const int64_t class = whole_element(&classes, &i);
        are = class == ignored ? class == -100 : class >= 0 && class < x.shape[1];
    }
    return value_of_bool(are);
}

static struct tensor run_gelu(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const bool is_tanh = is_given(call, 1) && is_kind(call->values[1], OBJECT_STR) &&
                         strcmp(((const struct str *)call->values[1].object)->bytes, "tanh") == 0;
    if (!is_tanh) return gelu_of(x);
    const struct tensor cube = multiply(multiply(x, x), x);
    const struct tensor rate = scalar(call->arena, 0.044715F);
    const struct tensor sum = x.storage->dtype == FLOAT32 ? multiply_add(cube, rate, x)
                                                          : add(x, multiply_by(cube, 0.044715));
    const struct tensor inner = multiply_by(sum, 0.7978845608028654);
    return multiply(multiply_by(x, 0.5), add(hyperbolic_tangent(inner), scalar(call->arena, 1)));
}

const struct torch_row network_rows[] = {
    TENSOR_ROW("linear", "input, weight, bias=None", run_linear, IN_FUNCTIONAL),
    TENSOR_ROW("embedding", "input, weight", run_embedding, IN_FUNCTIONAL),
    TENSOR_ROW("_one_hot", "tensor, num_classes", run_one_hot, IN_FUNCTIONAL),
    TENSOR_ROW("_cross_entropy", "input, target", run_cross_entropy, IN_FUNCTIONAL),
    TENSOR_ROW("_layer_mean", "input", run_layer_mean, IN_FUNCTIONAL),
    TENSOR_ROW("_layer_var", "input", run_layer_var, IN_FUNCTIONAL),
    TENSOR_ROW("_multiply_add", "input, weight, bias", run_multiply_add, IN_FUNCTIONAL),
    VALUE_ROW("_are_classes", "input, target, ignore_index", run_are_classes, IN_FUNCTIONAL),
    TENSOR_ROW("gelu", "input, approximate=None", run_gelu, IN_FUNCTIONAL | BY_NUMBER),
    {0},
};
