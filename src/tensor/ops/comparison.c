// Comparisons, what follows from truth values, and the larger of two.

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/ops.h"

// ---- Truth of two --------------------------------------------------------------------------------

// of_pair of these rows is 1 or 0.
static struct tensor compute_truth(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    const struct shape shape = broadcast_shape(arena, origin, a, b);
    struct tensor result = tensor_new(arena, BOOL, shape);
    const struct tensor wide_a = broadcast_to(*a, shape), wide_b = broadcast_to(*b, shape);
    join_axes(&wide_a, &wide_b, &result);
    unsigned char *out = result.storage->data;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        out[i] =
            origin->operation->of_doubles(element(&wide_a, index), element(&wide_b, index)) != 0;
    return result;
}

static double account_of_truth(struct account *account) {
    const struct operation *operation = account->derivation->origin->operation;
    const bool is_true =
        operation->of_pair(operand_value(account, 0), operand_value(account, 1)) != 0;
    say(account, "%s %s %s: %s", operand_figure(account, 0), operation->sign,
        operand_figure(account, 1), is_true ? "True" : "False");
    return is_true;
}

// Near the border another program may see it the other way; what is compared here is compared with a number
// that does not err.
static double error_of_truth(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    (void)errors;
    return 0;
}

// What is true or false of keys is a mask.
static struct purpose purpose_of_truth(const struct origin *origin, const struct tensor *result) {
    (void)origin;
    return (struct purpose){.role = find_axis(result, AXIS_KEY) >= 0 ? ROLE_MASK : ROLE_NONE};
}

#define TRUTH                                                                                      \
    .purpose = purpose_of_truth, .compute = compute_truth, .find = find_both,                      \
    .account = account_of_truth, .error = error_of_truth,                                          \
    .no_gradient = "a small change of a number changes nothing from True to False"

static double is_less_of(double a, double b) {
    return a < b;
}

static float is_less(float a, float b) {
    return a < b;
}

const struct operation less_row = {
    .name = "lt", .of_pair = is_less, .of_doubles = is_less_of, .sign = "<", TRUTH};

struct tensor less(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &less_row});
}

static double is_at_most_of(double a, double b) {
    return a <= b;
}

static float is_at_most(float a, float b) {
    return a <= b;
}

const struct operation at_most_row = {
    .name = "le", .of_pair = is_at_most, .of_doubles = is_at_most_of, .sign = "≤", TRUTH};

struct tensor at_most(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &at_most_row});
}

static double is_equal_of(double a, double b) {
    return a == b;
}

static float is_equal(float a, float b) {
    return a == b;
}

const struct operation equal_row = {
    .name = "eq", .of_pair = is_equal, .of_doubles = is_equal_of, .sign = "=", TRUTH};

struct tensor equal(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &equal_row});
}

static double is_either_of(double a, double b) {
    return a != 0 || b != 0;
}

static float is_either(float a, float b) {
    return a != 0 || b != 0;
}

const struct operation logical_or_row = {
    .name = "logical_or", .of_pair = is_either, .of_doubles = is_either_of, .sign = "or", TRUTH};

struct tensor logical_or(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &logical_or_row});
}

// ---- Truth of one --------------------------------------------------------------------------------

static struct tensor compute_not(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, BOOL, x);
    for (int64_t i = 0; i < result.storage->count; i++)
        ((unsigned char *)result.storage->data)[i] = element_at(x, i) == 0;
    return result;
}

static double account_of_not(struct account *account) {
    const bool is_true = operand_value(account, 0) == 0;
    say(account, "not %s: %s", operand_figure(account, 0), is_true ? "True" : "False");
    return is_true;
}

const struct operation logical_not_row = {
    .name = "logical_not",
    .purpose = purpose_of_truth,
    .formula = "~1",
    .compute = compute_not,
    .find = find_same,
    .account = account_of_not,
    .error = error_of_truth,
    .no_gradient = "a small change of a number changes nothing from True to False",
};

struct tensor logical_not(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &logical_not_row});
}

static float same_float_of(float x) {
    return x;
}

// A 1 of a one-hot row says why it is there.
static double account_of_float(struct account *account) {
    const struct cell *cell = &account->derivation->operands[0].cell;
    if (cell->tensor.storage->origin->operation != &one_hot_row) return account_of_each(account);
    const struct derivation whole = derive(account->arena, cell, account->digits);
    say(account, "%s", whole.lines[whole.line_count - 1]);
    return whole.value;
}

const struct operation float_row = {
    .name = "float",
    .purpose = purpose_of_first,
    .compute = compute_each,
    .find = find_same,
    .account = account_of_float,
    .of_one = same_float_of,
    .before = "",
    .after = " as a float",
    .no_gradient = "a truth value and an integer do not change by a little",
};

struct tensor to_float(struct tensor x) {
    if (x.storage->dtype == FLOAT32) return x;
    return perform_on(ONE(x), (struct origin){.operation = &float_row});
}

// ---- The larger of two ---------------------------------------------------------------------------

static float larger_of_pair(float a, float b) {
    return a > b || a != a ? a : b;
}

static double larger_of_doubles(double a, double b) {
    return a > b || a != a ? a : b;
}

static int64_t larger_of_wholes(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static double account_of_maximum(struct account *account) {
    const double result =
        (double)larger_of_pair(operand_value(account, 0), operand_value(account, 1));
    say(account, "the larger of %s and %s is %s", operand_figure(account, 0),
        operand_figure(account, 1), figure(account, result));
    return result;
}

static double error_of_maximum(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    return errors[0] > errors[1] ? errors[0] : errors[1];
}

// The larger one gets all; equal ones get a half each.
static struct tensor gradient_of_maximum(const struct backward *back, int operand) {
    const struct tensor this_operand = back->origin->operands[operand];
    const struct tensor other = back->origin->operands[1 - operand];
    const struct tensor half = multiply_by(back->grad, 0.5);
    const struct tensor shared = masked_fill(half, logical_not(equal(this_operand, other)), 0);
    const struct tensor whole = masked_fill(back->grad, at_most(this_operand, other), 0);
    return add(shared, whole);
}

const struct operation maximum_row = {
    .name = "maximum",
    .purpose = purpose_of_pair,
    .help = {.back = "the larger one gets dy, equal ones a half each"},
    .backward = "MaximumBackward0",
    .gradient = gradient_of_maximum,
    .compute = compute_pairs,
    .find = find_both,
    .account = account_of_maximum,
    .of_pair = larger_of_pair,
    .of_doubles = larger_of_doubles,
    .of_wholes = larger_of_wholes,
    .error = error_of_maximum,
};

struct tensor maximum(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &maximum_row});
}
