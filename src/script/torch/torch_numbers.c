// Names of torch that work number by number, and the operators of Python.

#include <math.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

typedef struct tensor pair_operation(struct tensor a, struct tensor b);

static pair_operation multiply_any;

static struct tensor pair(struct torch_call *call, struct value a, struct value b,
                          pair_operation *operation) {
    struct tensor left, right;
    call->is_exact = operation == multiply_any;
    read_pair(call, a, b, &left, &right);
    return operation(left, right);
}

static bool are_truths(const struct tensor *a, const struct tensor *b) {
    return a->storage->dtype == BOOL && b->storage->dtype == BOOL;
}

// Truths are added and multiplied as truths.
static struct tensor add_any(struct tensor a, struct tensor b) {
    return are_truths(&a, &b) ? logical_or(a, b) : add(a, b);
}
static struct tensor multiply_any(struct tensor a, struct tensor b) {
    return are_truths(&a, &b) ? logical_and(a, b) : multiply(a, b);
}
static struct tensor and_any(struct tensor a, struct tensor b) {
    return are_truths(&a, &b) ? logical_and(a, b) : bits_and(a, b);
}
static struct tensor or_any(struct tensor a, struct tensor b) {
    return are_truths(&a, &b) ? logical_or(a, b) : bits_or(a, b);
}
static struct tensor xor_any(struct tensor a, struct tensor b) {
    return are_truths(&a, &b) ? logical_xor(a, b) : bits_xor(a, b);
}
static struct tensor more(struct tensor a, struct tensor b) {
    return less(b, a);
}
static struct tensor at_least(struct tensor a, struct tensor b) {
    return at_most(b, a);
}
static struct tensor unequal(struct tensor a, struct tensor b) {
    return logical_not(equal(a, b));
}

static void refuse_float(struct torch_call *call, struct value value, const char *name) {
    static const struct storage of_number = {.dtype = FLOAT32};
    const struct storage *storage = is_tensor_value(value) ? tensor_of_value(call, value).storage
                                    : value.kind == VALUE_FLOAT ? &of_number
                                                                : NULL;
    if (storage != NULL && is_floating(storage->dtype))
        refuse(call, "\"%s_cpu\" not implemented for '%s'", name, scalar_type(storage));
}

static struct tensor of_bits(struct torch_call *call, struct value a, struct value b,
                             pair_operation *operation, const char *name) {
    struct tensor left, right;
    read_pair(call, a, b, &left, &right);
    refuse_float(call, a, name);
    refuse_float(call, b, name);
    return operation(left, right);
}

static bool is_truth(struct torch_call *call, struct value value) {
    return is_tensor_value(value) ? tensor_of_value(call, value).storage->dtype == BOOL
                                  : value.kind == VALUE_BOOL;
}

static void refuse_truths(struct torch_call *call, struct value a, struct value b) {
    const bool is_first = is_truth(call, a), is_second = is_truth(call, b);
    if (is_first && is_second)
        refuse(call,
               "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
               "or `logical_xor()` operator instead.");
    if (is_first || is_second)
        refuse(call,
               "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
               "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

// ---- Powers ------------------------------------------------------------------------------------------

// aten/src/ATen/native/cpu/PowKernel.cpp, pow_tensor_scalar_kernel.
static struct tensor power_of_number(struct torch_call *call, struct tensor x,
                                     struct value exponent) {
    const double number = number_of_value(call, exponent);
    if (!is_floating(x.storage->dtype) && exponent.kind == VALUE_FLOAT) x = to_float(x);
    if (!is_floating(x.storage->dtype)) {
        if (x.storage->dtype == BOOL) x = convert(x, INT64);
        if (number < 0) refuse(call, "Integers to negative integer powers are not allowed.");
        return power(x, number_tensor(call, exponent, x.storage->dtype));
    }
    if (number == 3 && x.storage->narrow == BFLOAT16)
        return named(call, multiply(narrowed(multiply(x, x), x.storage->narrow), x),
                     "PowBackward0");
    const bool is_small = number == 0 || number == 1 || number == 2 || number == 3;
    if (is_small && x.storage->dtype == FLOAT32) return raise_to(x, (int)number);
    if (number == 0.5) return square_root(x);
    if (number == -0.5) return reciprocal_root(x);
    if (number == -1) return reciprocal(x);
    if (number == -2) return reciprocal(multiply(x, x));
    if (x.storage->dtype == FLOAT32 && x.storage->narrow == ALL_BITS) return power_of(x, number);
    return power(x, number_tensor(call, value_of_float(number), x.storage->dtype));
}

static struct tensor power_any(struct torch_call *call, struct value a, struct value b) {
    struct tensor left, right;
    if (!is_tensor_value(b)) return power_of_number(call, tensor_of_value(call, a), b);
    read_pair(call, a, b, &left, &right);
    return is_tensor_value(a) ? power(left, right)
                              : named(call, power(left, right), "PowBackward2");
}

// A number divided by a tensor is its reciprocal times the number: Tensor.__rtruediv__.
static struct tensor divide_any(struct torch_call *call, struct value a, struct value b) {
    struct tensor left, right;
    if (!is_tensor_value(a)) {
        const struct tensor x = tensor_of_value(call, b);
        const struct tensor turned = narrowed(reciprocal(as_floats(x)), x.storage->narrow);
        return multiply(turned, number_tensor(call, a, turned.storage->dtype));
    }
    call->is_exact = true;
    read_pair(call, a, b, &left, &right);
    return divide(as_floats(left), as_floats(right));
}

static void check_divisor(struct torch_call *call, const struct tensor *divisor) {
    if (is_floating(divisor->storage->dtype)) return;
    const struct shape shape = shape_of(divisor);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        if (whole_element(divisor, index) == 0) refuse(call, "ZeroDivisionError");
}

static struct tensor whole_pair(struct torch_call *call, struct value a, struct value b,
                                pair_operation *operation) {
    struct tensor left, right;
    read_pair(call, a, b, &left, &right);
    check_divisor(call, &right);
    return operation(left, right);
}

// ---- Products ----------------------------------------------------------------------------------------

static struct tensor with_front(struct tensor x, struct shape leading) {
    struct shape shape = {.ndim = leading.ndim + 2};
    memcpy(shape.size, leading.size, sizeof shape.size);
    for (int dim = 0; dim < 2; dim++) shape.size[leading.ndim + dim] = x.shape[x.ndim - 2 + dim];
    return expand(x, shape);
}

// PyTorch names the function in C++ that it comes to.
static void refuse_product_of_truths(struct torch_call *call, const struct tensor *a,
                                     const struct tensor *b) {
    if (a->storage->dtype != BOOL || b->storage->dtype != BOOL) return;
    refuse(call, "\"%s\" not implemented for 'Bool'",
           a->ndim == 1 && b->ndim == 1   ? "dot"
           : a->ndim == 2 && b->ndim == 1 ? "addmv_impl_cpu"
           : a->ndim > 2 && b->ndim > 2   ? "bmm"
                                          : "addmm_impl_cpu_");
}

static struct tensor multiply_matrices(struct torch_call *call, struct tensor a, struct tensor b) {
    check_product(call, &a, &b);
    refuse_product_of_truths(call, &a, &b);
    if (a.storage->dtype == FLOAT32) return matmul(a, b);
    const bool is_row = a.ndim == 1, is_column = b.ndim == 1;
    if (is_row) a = view(contiguous(a), SHAPE(1, a.shape[0]));
    if (is_column) b = view(contiguous(b), SHAPE(b.shape[0], 1));
    struct tensor left = a, right = b;
    left.ndim = a.ndim - 2;
    right.ndim = b.ndim - 2;
    const struct shape leading = broadcast_of(call, &left, &right);
    struct tensor result = typed_product(with_front(a, leading), with_front(b, leading));
    if (is_column) result = select_index(result, -1, 0);
    if (is_row) result = select_index(result, is_column ? -1 : -2, 0);
    return result;
}

// ---- Operators -----------------------------------------------------------------------------------------

struct operands {
    enum operator operator;
    struct value a, b;
};

static struct tensor computed(struct torch_call *call, const struct operands *o) {
    static pair_operation *const pairs[OPERATOR_COUNT] = {
        [OP_ADD] = add_any,    [OP_MULTIPLY] = multiply_any,     [OP_SHIFT_LEFT] = shifted_left,
        [OP_LESS] = less,      [OP_SHIFT_RIGHT] = shifted_right, [OP_AT_MOST] = at_most,
        [OP_MORE] = more,      [OP_AT_LEAST] = at_least,         [OP_EQUAL] = equal,
        [OP_UNEQUAL] = unequal};
    struct tensor left, right;
    if (pairs[o->operator] != NULL) return pair(call, o->a, o->b, pairs[o->operator]);
    switch (o->operator) {
    case OP_SUBTRACT:
        refuse_truths(call, o->a, o->b);
        read_pair(call, o->a, o->b, &left, &right);
        left = subtract(left, right);
        return is_tensor_value(o->a) ? left : named(call, left, "RsubBackward1");
    case OP_DIVIDE:
        return divide_any(call, o->a, o->b);
    case OP_FLOOR_DIVIDE:
    case OP_MODULO:
        return whole_pair(call, o->a, o->b, o->operator== OP_MODULO ? remainder_of : floor_divide);
    case OP_POWER:
        return power_any(call, o->a, o->b);
    case OP_MATMUL:
        return multiply_matrices(call, tensor_of_value(call, o->a), tensor_of_value(call, o->b));
    case OP_AND_BITS:
        return of_bits(call, o->a, o->b, and_any, "bitwise_and");
    case OP_OR_BITS:
        return of_bits(call, o->a, o->b, or_any, "bitwise_or");
    case OP_XOR_BITS:
        return of_bits(call, o->a, o->b, xor_any, "bitwise_xor");
    default:
        break;
    }
    refuse_as(call, TYPE_ERROR, "unsupported operand type(s) for %s: 'Tensor' and '%s'",
              operator_text(o->operator), type_name(o->b));
}

static void compute_binary(struct torch_call *call, void *context) {
    const struct operands *o = context;
    if (o->operator!= OP_MATMUL) take_layout(call, 2, (const struct value[]){o->a, o->b});
    call->result = made(call, computed(call, o));
}

static bool is_operand(struct value value) {
    return is_tensor_value(value) || value.kind == VALUE_INT || value.kind == VALUE_FLOAT ||
           value.kind == VALUE_BOOL;
}

bool tensor_binary(struct machine *machine, enum operator operator, struct value a, struct value b,
                   struct value *value) {
    struct operands operands = {operator, a, b};
    *value = NO_VALUE;
    if (!is_operand(a) || !is_operand(b)) {
        const bool is_equality = operator== OP_EQUAL || operator== OP_UNEQUAL;
        if (is_equality) *value = value_of_bool(operator== OP_UNEQUAL);
        return true;
    }
    if (operator== OP_MATMUL &&(!is_tensor_value(a) || !is_tensor_value(b))) return true;
    return torch_attempt(machine, compute_binary, &operands, value);
}

static void compute_in_place(struct torch_call *call, void *context) {
    const struct operands *o = context;
    struct tensor_object *object = (struct tensor_object *)o->a.object;
    const struct tensor target = tensor_of_object(object);
    if (is_tensor_value(o->b)) {
        const struct tensor other = tensor_of_value(call, o->b);
        check_overlap(call, &target, &other);
    }
    put_in_place(call, object, computed(call, o));
    call->result = o->a;
}

bool tensor_in_place(struct machine *machine, enum operator operator, struct value a,
                     struct value b, struct value *value) {
    struct operands operands = {operator, a, b};
    *value = NO_VALUE;
    if (!is_tensor_value(a) || !is_operand(b) || operator== OP_MATMUL) return true;
    return torch_attempt(machine, compute_in_place, &operands, value);
}

static void compute_unary(struct torch_call *call, void *context) {
    const struct operands *o = context;
    take_layout(call, 1, &o->a);
    const struct tensor x = tensor_of_value(call, o->a);
    const bool is_truth = x.storage->dtype == BOOL;
    if (o->operator== OP_PLUS)
        call->result = o->a;
    else if (o->operator== OP_INVERT && is_truth)
        call->result = made(call, logical_not(x));
    else if (o->operator== OP_INVERT && !is_floating(x.storage->dtype))
        call->result =
            made(call, subtract(negative(x), full_of(call->arena, x.storage->dtype, NO_DIMS, 1)));
    else if (o->operator== OP_INVERT)
        refuse_as(call, TYPE_ERROR,
                  "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    else if (is_truth)
        refuse(call, "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                     "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
    else
        call->result = made(call, negative(x));
}

bool tensor_unary(struct machine *machine, enum operator operator, struct value a,
                  struct value *value) {
    struct operands operands = {operator, a, NO_VALUE};
    return torch_attempt(machine, compute_unary, &operands, value);
}

// ---- Rows ------------------------------------------------------------------------------------------------

// With alpha: a + alpha · b.
static struct value scaled(struct torch_call *call, int alpha) {
    struct tensor left, right;
    if (!is_given(call, alpha)) return call->values[1];
    read_pair(call, call->values[1], call->values[alpha], &left, &right);
    return made(call, multiply(left, right));
}

// With alpha: fused, as PyTorch rounds it, where no gradient is asked for.
static bool is_fused(struct torch_call *call, struct tensor *x, struct tensor *y) {
    if (!is_given(call, 2) || !is_tensor_value(call->values[0]) ||
        !is_tensor_value(call->values[1]))
        return false;
    *x = tensor_argument(call, 0);
    *y = tensor_argument(call, 1);
    const bool is_recorded = call->requires_grad && torch_library_of(call->machine)->grad_enabled;
    return !is_recorded && x->storage->dtype == FLOAT32 && y->storage->dtype == FLOAT32 &&
           shapes_equal(shape_of(x), shape_of(y));
}
static struct tensor run_add(struct torch_call *call) {
    struct tensor x, y;
    if (is_fused(call, &x, &y)) return sgd(x, y, -number_argument(call, 2), 0);
    return pair(call, call->values[0], scaled(call, 2), add_any);
}
static struct tensor run_sub(struct torch_call *call) {
    struct tensor left, right;
    refuse_truths(call, call->values[0], call->values[1]);
    read_pair(call, call->values[0], scaled(call, 2), &left, &right);
    return subtract(left, right);
}
static struct tensor run_div(struct torch_call *call) {
    if (is_given(call, 2) && is_kind(call->values[2], OBJECT_STR)) {
        const char *mode = ((const struct str *)call->values[2].object)->bytes;
        if (strcmp(mode, "floor") == 0)
            return whole_pair(call, call->values[0], call->values[1], floor_divide);
        struct tensor left, right;
        read_pair(call, call->values[0], call->values[1], &left, &right);
        const enum dtype dtype = left.storage->dtype;
        if (is_floating(dtype))
            return truncated(divide_any(call, call->values[0], call->values[1]));
        check_divisor(call, &right);
        return convert(truncated(divide(convert(left, FLOAT64), convert(right, FLOAT64))), dtype);
    }
    return divide_any(call, call->values[0], call->values[1]);
}
static struct tensor run_whole_pair(struct torch_call *call) {
    return whole_pair(call, call->values[0], call->values[1], call->row->pair);
}
static struct tensor run_pow(struct torch_call *call) {
    return power_any(call, call->values[0], call->values[1]);
}
static struct tensor run_matmul(struct torch_call *call) {
    const struct tensor a = tensor_argument(call, 0), b = tensor_argument(call, 1);
    return multiply_matrices(call, a, b);
}
static struct tensor run_mm(struct torch_call *call) {
    const struct tensor a = tensor_argument(call, 0), b = tensor_argument(call, 1);
    if (a.ndim != 2) refuse(call, "self must be a matrix");
    if (b.ndim != 2) refuse(call, "mat2 must be a matrix");
    return multiply_matrices(call, a, b);
}
static struct tensor run_bmm(struct torch_call *call) {
    const struct tensor a = tensor_argument(call, 0), b = tensor_argument(call, 1);
    if (a.ndim != 3) refuse(call, "batch1 must be a 3D tensor");
    if (b.ndim != 3) refuse(call, "batch2 must be a 3D tensor");
    if (a.shape[0] != b.shape[0] || a.shape[2] != b.shape[1])
        refuse(call,
               "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but "
               "got: [%lld, %lld].",
               (long long)a.shape[0], (long long)a.shape[2], (long long)b.shape[0],
               (long long)b.shape[1]);
    return named(call, multiply_matrices(call, a, b), "BmmBackward0");
}
static struct tensor run_dot(struct torch_call *call) {
    const struct tensor a = tensor_argument(call, 0), b = tensor_argument(call, 1);
    if (a.ndim != 1 || b.ndim != 1)
        refuse(call, "1D tensors expected, but got %dD and %dD tensors", a.ndim, b.ndim);
    return multiply_matrices(call, a, b);
}
static struct tensor run_outer(struct torch_call *call) {
    const struct tensor a = tensor_argument(call, 0), b = tensor_argument(call, 1);
    if (a.ndim != 1) refuse(call, "outer: Expected 1-D argument self, but got %d-D", a.ndim);
    if (b.ndim != 1) refuse(call, "outer: Expected 1-D argument vec2, but got %d-D", b.ndim);
    const enum dtype dtype = promoted(a.storage->dtype, b.storage->dtype);
    return multiply_any(convert(reshape(a, SHAPE(a.shape[0], 1)), dtype), convert(b, dtype));
}

static struct tensor run_pair(struct torch_call *call) {
    return pair(call, call->values[0], call->values[1], call->row->pair);
}

static struct tensor run_each(struct torch_call *call) {
    const struct tensor x = as_floats(tensor_argument(call, 0));
    const bool is_narrow = x.storage->narrow != ALL_BITS;
    if (is_narrow && call->row->each == reciprocal_root) return narrow_rsqrt(x, x.storage->narrow);
    return call->row->each(x);
}

// Integers stay integers.
static struct tensor run_whole(struct torch_call *call) {
    return call->row->each(tensor_argument(call, 0));
}
static struct tensor run_steps(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return is_floating(x.storage->dtype) ? call->row->each(x) : x;
}
static struct tensor square_of(struct tensor x) {
    return multiply_any(x, x);
}
static struct tensor is_no_number(struct tensor x) {
    return logical_not(equal(x, x));
}
static struct tensor is_endless(struct tensor x) {
    x = as_floats(x);
    return equal(absolute(x), full_of(x.storage->arena, x.storage->dtype, NO_DIMS, INFINITY));
}
static struct tensor is_finite(struct tensor x) {
    return logical_and(equal(x, x), logical_not(is_endless(x)));
}

static struct tensor run_round(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int64_t decimals = is_given(call, 1) ? int_argument(call, 1) : 0;
    if (!is_floating(x.storage->dtype)) return x;
    if (decimals == 0) return rounded(x);
    const struct tensor tens =
        full_of(call->arena, x.storage->dtype, NO_DIMS, pow(10, fabs((double)decimals)));
    return decimals > 0 ? divide(rounded(multiply(x, tens)), tens)
                        : multiply(rounded(divide(x, tens)), tens);
}

static struct tensor run_clamp(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    const bool has_least = is_given(call, 1), has_most = is_given(call, 2);
    if (!has_least && !has_most)
        refuse(call, "torch.clamp: At least one of 'min' or 'max' must not be None");
    if ((has_least && call->values[1].kind == VALUE_FLOAT) ||
        (has_most && call->values[2].kind == VALUE_FLOAT))
        x = as_floats(x);
    return clamp(x, has_least ? number_argument(call, 1) : -INFINITY,
                 has_most ? number_argument(call, 2) : INFINITY);
}
static struct value run_where(struct torch_call *call) {
    struct tensor a, b;
    if (!is_given(call, 1) && !is_given(call, 2)) {
        call->layout = (struct layout){0};
        return places_of(call, tensor_argument(call, 0), true);
    }
    if (!is_given(call, 1) || !is_given(call, 2))
        refuse_as(call, TYPE_ERROR, "where() missing 1 required positional argument: \"%s\"",
                  is_given(call, 1) ? "other" : "input");
    const struct tensor mask = tensor_argument(call, 0);
    if (mask.storage->dtype != BOOL)
        refuse(call,
               "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
               scalar_type(mask.storage));
    const struct tensor first = is_tensor_value(call->values[1]) ? tensor_argument(call, 1) : mask;
    struct tensor both = first;
    const struct shape shape = broadcast_of(call, &mask, &first);
    both.ndim = shape.ndim;
    memcpy(both.shape, shape.size, sizeof shape.size);
    if (is_tensor_value(call->values[2])) {
        const struct tensor second = tensor_argument(call, 2);
        (void)broadcast_of(call, &both, &second);
    }
    read_pair(call, call->values[1], call->values[2], &a, &b);
    return made(call, where(mask, a, b));
}

static struct tensor run_masked_fill(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    const struct tensor mask = tensor_argument(call, 1);
    if (!call->is_in_place) (void)broadcast_of(call, &mask, &x);
    if (mask.storage->dtype != BOOL)
        refuse(call, "masked_fill_ only supports boolean masks, but got mask with dtype %s",
               c_name(mask.storage));
    const double value = number_argument(call, 2);
    if (!is_floating(x.storage->dtype) && call->values[2].kind == VALUE_FLOAT &&
        x.storage->dtype != BOOL && (isinf(value) || isnan(value)))
        refuse(call, "value cannot be converted to type %s without overflow",
               x.storage->dtype == INT64 ? "int64_t" : "int");
    if (x.storage->narrow == FLOAT16 && isfinite(value) && isinf(narrow_number(value, FLOAT16)))
        refuse(call, "value cannot be converted to type at::Half without overflow");
    const struct shape shape =
        call->is_in_place ? broadcast_of(call, &x, &mask) : broadcast_of(call, &mask, &x);
    if (!shapes_equal(shape, shape_of(&x))) x = expand(x, shape);
    return masked_fill(x, mask, value);
}

enum {
    ANY = IN_TORCH | IN_TENSOR,
    BOTH = IN_TORCH | IN_TENSOR | BY_NUMBER,
    ALL = IN_TORCH | IN_TENSOR | IN_PLACE | BY_NUMBER
};
#define TWO_VALUES "input, other"

const struct torch_row number_rows[] = {
    TENSOR_ROW("add", "input, other, *, alpha=None", run_add, ALL),
    TENSOR_ROW("sub", "input, other, *, alpha=None", run_sub, ALL),
    TENSOR_ROW("subtract", "input, other, *, alpha=None", run_sub, BOTH),
    TENSOR_ROW("mul", TWO_VALUES, run_pair, ALL, .pair = multiply_any),
    TENSOR_ROW("multiply", TWO_VALUES, run_pair, BOTH, .pair = multiply_any),
    TENSOR_ROW("div", "input, other, *, rounding_mode=None", run_div, ALL),
    TENSOR_ROW("divide", "input, other, *, rounding_mode=None", run_div, BOTH),
    TENSOR_ROW("true_divide", TWO_VALUES, run_div, BOTH),
    TENSOR_ROW("pow", "input, exponent", run_pow, ALL),
    TENSOR_ROW("floor_divide", TWO_VALUES, run_whole_pair, BOTH, .pair = floor_divide),
    TENSOR_ROW("remainder", TWO_VALUES, run_whole_pair, BOTH, .pair = remainder_of),
    TENSOR_ROW("matmul", TWO_VALUES, run_matmul, ANY),
    TENSOR_ROW("mm", "input, mat2", run_mm, ANY),
    TENSOR_ROW("bmm", "input, mat2", run_bmm, ANY),
    TENSOR_ROW("dot", "input, tensor", run_dot, ANY),
    TENSOR_ROW("mv", "input, vec", run_matmul, ANY),
    TENSOR_ROW("outer", "input, vec2", run_outer, ANY),
    TENSOR_ROW("maximum", TWO_VALUES, run_pair, BOTH, .pair = maximum),
    TENSOR_ROW("minimum", TWO_VALUES, run_pair, BOTH, .pair = minimum),
    TENSOR_ROW("eq", TWO_VALUES, run_pair, BOTH, .pair = equal),
    TENSOR_ROW("ne", TWO_VALUES, run_pair, BOTH, .pair = unequal),
    TENSOR_ROW("lt", TWO_VALUES, run_pair, BOTH, .pair = less),
    TENSOR_ROW("le", TWO_VALUES, run_pair, BOTH, .pair = at_most),
    TENSOR_ROW("gt", TWO_VALUES, run_pair, BOTH, .pair = more),
    TENSOR_ROW("ge", TWO_VALUES, run_pair, BOTH, .pair = at_least),
    TENSOR_ROW("logical_and", TWO_VALUES, run_pair, BOTH, .pair = logical_and),
    TENSOR_ROW("logical_or", TWO_VALUES, run_pair, BOTH, .pair = logical_or),
    TENSOR_ROW("logical_xor", TWO_VALUES, run_pair, BOTH, .pair = logical_xor),
    TENSOR_ROW("logical_not", "input", run_whole, BOTH, .each = logical_not),
    TENSOR_ROW("bitwise_and", TWO_VALUES, run_pair, BOTH, .pair = and_any),
    TENSOR_ROW("bitwise_or", TWO_VALUES, run_pair, BOTH, .pair = or_any),
    TENSOR_ROW("bitwise_xor", TWO_VALUES, run_pair, BOTH, .pair = xor_any),
    TENSOR_ROW("exp", "input", run_each, ALL, .each = exponential),
    TENSOR_ROW("log", "input", run_each, ALL, .each = natural_log),
    TENSOR_ROW("sqrt", "input", run_each, ALL, .each = square_root),
    TENSOR_ROW("tanh", "input", run_each, ALL | IN_FUNCTIONAL, .each = hyperbolic_tangent),
    TENSOR_ROW("sin", "input", run_each, ALL, .each = sine),
    TENSOR_ROW("cos", "input", run_each, ALL, .each = cosine),
    TENSOR_ROW("rsqrt", "input", run_each, ALL, .each = reciprocal_root),
    TENSOR_ROW("reciprocal", "input", run_each, ALL, .each = reciprocal),
    TENSOR_ROW("sigmoid", "input", run_each, ALL | IN_FUNCTIONAL, .each = sigmoid),
    TENSOR_ROW("silu", "input, inplace=False", run_each, IN_FUNCTIONAL | BY_NUMBER, .each = silu),
    TENSOR_ROW("erf", "input", run_each, ALL, .each = error_function),
    TENSOR_ROW("erfinv", "input", run_each, ALL, .each = error_inverse),
    TENSOR_ROW("log2", "input", run_each, ALL, .each = binary_log),
    TENSOR_ROW("log10", "input", run_each, ALL, .each = decimal_log),
    TENSOR_ROW("log1p", "input", run_each, ALL, .each = log_of_one_more),
    TENSOR_ROW("expm1", "input", run_each, ALL, .each = exponential_less_one),
    TENSOR_ROW("abs", "input", run_whole, ALL, .each = absolute),
    TENSOR_ROW("absolute", "input", run_whole, BOTH, .each = absolute),
    TENSOR_ROW("neg", "input", run_whole, ALL, .each = negative),
    TENSOR_ROW("negative", "input", run_whole, BOTH, .each = negative),
    TENSOR_ROW("sign", "input", run_whole, ALL, .each = sign),
    TENSOR_ROW("relu", "input, inplace=False", run_whole, ALL | IN_FUNCTIONAL, .each = relu),
    TENSOR_ROW("floor", "input", run_steps, ALL, .each = rounded_down),
    TENSOR_ROW("ceil", "input", run_steps, ALL, .each = rounded_up),
    TENSOR_ROW("trunc", "input", run_steps, ALL, .each = truncated),
    TENSOR_ROW("square", "input", run_whole, ALL, .each = square_of),
    TENSOR_ROW("isnan", "input", run_whole, BOTH, .each = is_no_number),
    TENSOR_ROW("isinf", "input", run_whole, BOTH, .each = is_endless),
    TENSOR_ROW("isfinite", "input", run_whole, BOTH, .each = is_finite),
    TENSOR_ROW("round", "input, *, decimals=0", run_round, ALL),
    TENSOR_ROW("clamp", "input, min=None, max=None", run_clamp, ALL),
    TENSOR_ROW("clip", "input, min=None, max=None", run_clamp, ALL),
    VALUE_ROW("where", "condition, input=None, other=None", run_where, IN_TORCH | BY_NUMBER),
    TENSOR_ROW("masked_fill", "input, mask, value", run_masked_fill, ANY | IN_PLACE),
    {0},
};
