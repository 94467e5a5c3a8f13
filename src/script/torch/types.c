// Which type numbers have: of tensors from lists, and of two operands that meet (torch.result_type).

#include <math.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

struct tensor to_dtype(struct tensor x, enum dtype dtype) {
    return convert(x, dtype);
}

struct tensor as_floats(struct tensor x) {
    return is_floating(x.storage->dtype) ? x : to_float(x);
}

static int rank_of(enum dtype dtype) {
    static const int ranks[] = {[BOOL] = 0, [INT32] = 1, [INT64] = 2, [FLOAT32] = 3, [FLOAT64] = 4};
    return ranks[dtype];
}

enum dtype promoted(enum dtype a, enum dtype b) {
    return rank_of(a) > rank_of(b) ? a : b;
}

// Truths, integers, floats: only a higher category of a number, or of a tensor of no dimensions, widens a tensor.
static int category_of(enum dtype dtype) {
    return dtype == BOOL ? 0 : is_floating(dtype) ? 2 : 1;
}

static enum dtype dtype_of_number(struct value number) {
    return number.kind == VALUE_FLOAT ? FLOAT32 : number.kind == VALUE_BOOL ? BOOL : INT64;
}

// 0: a tensor with dimensions, 1: one without, 2: a number of Python.
static int weakness_of(struct torch_call *call, struct value value) {
    if (!is_tensor_value(value)) return 2;
    return tensor_of_value(call, value).ndim == 0 ? 1 : 0;
}

static bool is_first_argument(const struct torch_call *call, struct value value) {
    return call->count > 0 && value.kind == VALUE_OBJECT && call->values[0].kind == VALUE_OBJECT &&
           call->values[0].object == value.object;
}

static enum dtype dtype_of_value(struct torch_call *call, struct value value) {
    if (is_tensor_value(value)) return tensor_of_value(call, value).storage->dtype;
    if (value.kind != VALUE_FLOAT && value.kind != VALUE_INT && value.kind != VALUE_BOOL)
        refuse_as(call, TYPE_ERROR, "%s(): argument '%s' (position %d) must be Tensor, not %s",
                  call->row != NULL ? call->row->name : "operation",
                  is_first_argument(call, value) ? "input" : "other",
                  is_first_argument(call, value) ? 1 : 2, type_name(value));
    return dtype_of_number(value);
}

static enum dtype common_dtype(struct torch_call *call, struct value a, struct value b) {
    const enum dtype left = dtype_of_value(call, a), right = dtype_of_value(call, b);
    const int weak_left = weakness_of(call, a), weak_right = weakness_of(call, b);
    if (weak_left == weak_right) return promoted(left, right);
    const enum dtype strong = weak_left < weak_right ? left : right,
                     weak = weak_left < weak_right ? right : left;
    return category_of(weak) > category_of(strong) ? promoted(weak, strong) : strong;
}

struct tensor number_tensor(struct torch_call *call, struct value number, enum dtype dtype) {
    if (number.kind == VALUE_INT && !is_floating(dtype) && dtype != BOOL) {
        const struct tensor result = full_of(call->arena, dtype, NO_DIMS, 0);
        put_whole(result.storage, 0, number.integer);
        return result;
    }
    return full_of(call->arena, dtype, NO_DIMS, number_of_value(call, number));
}

static struct tensor read_as(struct torch_call *call, struct value value, enum dtype dtype) {
    if (!is_tensor_value(value)) return number_tensor(call, value, dtype);
    return convert(tensor_of_value(call, value), dtype);
}

void read_pair(struct torch_call *call, struct value a, struct value b, struct tensor *left,
               struct tensor *right) {
    const enum dtype dtype = common_dtype(call, a, b);
    *left = read_as(call, a, dtype);
    *right = read_as(call, b, dtype);
    const enum narrow narrow = narrow_of_call(call, dtype);
    if (!call->is_exact || is_tensor_value(a)) *left = narrowed(*left, narrow);
    if (!call->is_exact) *right = narrowed(*right, narrow);
    (void)broadcast_of(call, left, right);
}

// ---- From lists ------------------------------------------------------------------------------------------

struct reading {
    struct torch_call *call;
    struct shape shape;
    enum dtype dtype;
    bool has_numbers;
    struct tensor into;
    int64_t at;
};

static bool is_sequence(struct value value) {
    return is_kind(value, OBJECT_LIST) || is_kind(value, OBJECT_TUPLE) ||
           is_kind(value, OBJECT_RANGE);
}

static int64_t parts_of(struct reading *reading, struct value value, const struct value **items) {
    return items_of(reading->call, value, items);
}

// The shape follows the first of each list. A tensor in a list is a number.
static void measure(struct reading *reading, struct value value) {
    const bool is_alone = !is_sequence(value);
    while (is_sequence(value)) {
        const struct value *items;
        const int64_t count = parts_of(reading, value, &items);
        if (reading->shape.ndim == MAX_DIMS)
            refuse_as(reading->call, VALUE_ERROR, "a tensor has at most %d dimensions here",
                      MAX_DIMS);
        reading->shape.size[reading->shape.ndim++] = count;
        if (count == 0) return;
        value = items[0];
    }
    if (!is_tensor_value(value) || !is_alone) return;
    const struct tensor x = tensor_of_value(reading->call, value);
    for (int dim = 0; dim < x.ndim && reading->shape.ndim < MAX_DIMS; dim++)
        reading->shape.size[reading->shape.ndim++] = x.shape[dim];
}

static void note_dtype(struct reading *reading, enum dtype dtype) {
    reading->dtype = reading->has_numbers ? promoted(reading->dtype, dtype) : dtype;
    reading->has_numbers = true;
}

static void put_tensor(struct reading *reading, struct value value, int dim, bool is_read) {
    const struct tensor x = tensor_of_value(reading->call, value);
    const struct shape shape = shape_of(&x);
    int64_t index[MAX_DIMS] = {0};
    if (!is_read) {
        if (dim > 0 && count_of(shape) != 1)
            refuse_as(reading->call, VALUE_ERROR,
                      "only one element tensors can be converted to Python scalars");
        for (int i = dim; dim > 0 && i < reading->shape.ndim; i++) {
            if (reading->shape.size[i] != 1)
                refuse_as(reading->call, VALUE_ERROR,
                          "expected sequence of length %lld at dim %d (got 1)",
                          (long long)reading->shape.size[i], i);
        }
        note_dtype(reading, x.storage->dtype);
        return;
    }
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        if (is_floating(x.storage->dtype))
            put_number(reading->into.storage, reading->at++, element(&x, index));
        else
            put_whole(reading->into.storage, reading->at++, whole_element(&x, index));
    }
}

// Looks for the dtype first; then reads.
static void walk(struct reading *reading, struct value value, int dim, bool is_read) {
    const struct value *items = NULL;
    if (is_sequence(value)) {
        const int64_t count = parts_of(reading, value, &items);
        if (dim >= reading->shape.ndim) refuse_as(reading->call, TYPE_ERROR, "not a sequence");
        if (count != reading->shape.size[dim])
            refuse_as(reading->call, VALUE_ERROR,
                      "expected sequence of length %lld at dim %d (got %lld)",
                      (long long)reading->shape.size[dim], dim, (long long)count);
        for (int64_t i = 0; i < count; i++) walk(reading, items[i], dim + 1, is_read);
        return;
    }
    if (is_tensor_value(value)) {
        put_tensor(reading, value, dim, is_read);
        return;
    }
    const bool is_number =
        value.kind == VALUE_FLOAT || value.kind == VALUE_INT || value.kind == VALUE_BOOL;
    if (is_kind(value, OBJECT_STR) && dim == 0)
        refuse_as(reading->call, TYPE_ERROR, "new(): invalid data type 'str'");
    if (!is_number && dim == 0)
        refuse(reading->call, "Could not infer dtype of %s", type_name(value));
    if (!is_number) {
        if (is_kind(value, OBJECT_STR))
            refuse_as(reading->call, VALUE_ERROR, "too many dimensions 'str'");
        refuse(reading->call, "Could not infer dtype of %s", type_name(value));
    }
    if (dim != reading->shape.ndim)
        refuse_as(reading->call, TYPE_ERROR, "expected a sequence, got %s", type_name(value));
    if (!is_read)
        note_dtype(reading, dtype_of_number(value));
    else if (value.kind == VALUE_INT)
        put_whole(reading->into.storage, reading->at++, value.integer);
    else
        put_number(reading->into.storage, reading->at++, number_of_value(reading->call, value));
}

struct tensor tensor_from(struct torch_call *call, struct value value, int dtype) {
    struct reading reading = {.call = call, .dtype = FLOAT32};
    measure(&reading, value);
    walk(&reading, value, 0, false);
    if (dtype >= 0) reading.dtype = (enum dtype)dtype;
    reading.into = tensor_given(call->arena, reading.dtype, reading.shape);
    walk(&reading, value, 0, true);
    return reading.into;
}
