// Operations that treat every element on its own: of two tensors, pair by pair, and of one.

#include "tensor/ops/elementwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/account.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"

// ---- Two tensors ---------------------------------------------------------------------------------

// Do both lie row by row, in one shape?
static bool are_alike(const struct tensor *a, const struct tensor *b) {
    return a->storage->dtype == FLOAT32 && b->storage->dtype == FLOAT32 &&
           shapes_equal(shape_of(a), shape_of(b)) && is_contiguous(a) && is_contiguous(b);
}

// Of two that are alike: number by number, as memory lies.
static struct tensor compute_alike(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    struct tensor result = tensor_new(arena, FLOAT32, shape_of(a));
    join_axes(a, b, &result);
    const float *left = floats_of(a), *right = floats_of(b);
    for (int64_t i = 0; i < result.storage->count; i++)
        floats_of(&result)[i] = origin->operation->of_pair(left[i], right[i]);
    return result;
}

// Of other dtypes, number by number.
static struct tensor compute_typed(struct arena *arena, const struct origin *origin,
                                   enum dtype dtype) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    const struct operation *operation = origin->operation;
    const struct shape shape = broadcast_shape(arena, origin, a, b);
    struct tensor result = tensor_new(arena, dtype, shape);
    const struct tensor wide_a = broadcast_to(*a, shape), wide_b = broadcast_to(*b, shape);
    join_axes(&wide_a, &wide_b, &result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        if (dtype == FLOAT64)
            ((double *)result.storage->data)[i] =
                operation->of_doubles(element(&wide_a, index), element(&wide_b, index));
        else
            put_whole(
                result.storage, i,
                operation->of_wholes(whole_element(&wide_a, index), whole_element(&wide_b, index)));
    }
    return result;
}

// The dtype of the result: the wider of the two, and float32 where the operation is not one of integers.
static enum dtype dtype_of_pair(const struct origin *origin) {
    const enum dtype a = origin->operands[0].storage->dtype;
    const enum dtype b = origin->operands[1].storage->dtype;
    if (a == FLOAT64 || b == FLOAT64)
        return origin->operation->of_doubles != NULL ? FLOAT64 : FLOAT32;
    if (a == FLOAT32 || b == FLOAT32 || origin->operation->of_wholes == NULL) return FLOAT32;
    return a == INT64 || b == INT64 ? INT64 : a == INT32 || b == INT32 ? INT32 : FLOAT32;
}

struct tensor compute_pairs(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    if (are_alike(a, b)) return compute_alike(arena, origin);
    const enum dtype dtype = dtype_of_pair(origin);
    if (dtype != FLOAT32) return compute_typed(arena, origin, dtype);
    const struct shape shape = broadcast_shape(arena, origin, a, b);
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    const struct tensor wide_a = broadcast_to(*a, shape), wide_b = broadcast_to(*b, shape);
    join_axes(&wide_a, &wide_b, &result);
    const struct rows rows = rows_of(shape);
    float *left = arena_array(arena, (size_t)rows.length, sizeof *left);
    float *right = arena_array(arena, (size_t)rows.length, sizeof *right);
    float *out = floats_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t row = 0; row < rows.count; row++, next_index(&rows.places, index)) {
        read_row(&wide_a, index, rows.length, left);
        read_row(&wide_b, index, rows.length, right);
        for (int64_t i = 0; i < rows.length; i++)
            *out++ = origin->operation->of_pair(left[i], right[i]);
    }
    return result;
}

void find_both(struct finding *finding) {
    add_broadcast(finding, 0, "a");
    add_broadcast(finding, 1, "b");
}

// How many decimals more the operands need, so that whoever computes with what is written gets what is written: `shown`.
static int decimals_needed(const struct account *account, const char *shown) {
    enum { MOST = 8 };
    const struct operation *operation = account->derivation->origin->operation;
    for (int more = 0; more <= MOST; more++) {
        const float a = strtof(precise_figure(account, 0, more), NULL);
        const float b = strtof(precise_figure(account, 1, more), NULL);
        const float result = operation->of_pair(a, b);
        if (strcmp(figure(account, (double)result), shown) == 0) return more;
    }
    return 0;
}

// " (√2)" behind 1.4142: of a number that was given and is the root of a whole one, or 1 divided by it; else "". A float is
// near some root of large whole numbers always, so these tell nothing.
static const char *root_text(struct account *account, int i) {
    enum { MOST = 10000 };
    const struct tensor *x = &account->derivation->operands[i].cell.tensor;
    const float value = operand_value(account, i), square = value * value;
    if (x->storage->origin->operand_count > 0 || x->ndim > 0 || value <= 0) return "";
    const bool divides = square < 1;
    const double whole = round(divides ? 1 / (double)square : (double)square);
    const double root = divides ? 1 / sqrt(whole) : sqrt(whole);
    if (whole > MOST || (float)root != value || sqrt(whole) == round(sqrt(whole))) return "";
    return arena_format(account->arena, " (%s√%.0f)", divides ? "1/" : "", whole);
}

double account_of_pair(struct account *account) {
    const struct operation *operation = account->derivation->origin->operation;
    const float result = operation->of_pair(operand_value(account, 0), operand_value(account, 1));
    const bool is_whole = account->storage->dtype == INT64;
    const char *shown = is_whole ? arena_format(account->arena, "%.0f", (double)result)
                                 : figure(account, (double)result);
    const int more = is_whole ? 0 : decimals_needed(account, shown);
    const char *second = precise_figure(account, 1, more);
    const bool is_negative = second[0] == '-';
    say(account, "%s %s %s%s%s%s = %s", precise_figure(account, 0, more), operation->sign,
        is_negative ? "(" : "", second, is_negative ? ")" : "", root_text(account, 1), shown);
    return (double)result;
}

static const struct tensor *operand_of(const struct backward *back, int operand) {
    return &back->origin->operands[operand];
}

#define PAIR .compute = compute_pairs, .find = find_both, .account = account_of_pair

static double sum_of_pair_doubles(double a, double b) {
    return a + b;
}

static int64_t sum_of_pair_wholes(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static float sum_of_pair(float a, float b) {
    return a + b;
}

// Of sums and differences, and of a matrix product's bias: what each errs by, and both.
static double error_of_addition(const struct derivation *derivation, const double *errors) {
    const struct operand *operands = derivation->operands;
    return errors[0] + errors[1] + fabs(operands[0].value) + fabs(operands[1].value);
}

// Both summands answer as the sum does: each gets all of it, not half.
static struct tensor gradient_of_sum(const struct backward *back, int operand) {
    (void)operand;
    return back->grad;
}

static bool is_of_layer(const struct tensor *x) {
    const enum role role = role_of(x);
    return role == ROLE_LAYER_WEIGHT || role == ROLE_LAYER_BIAS || role == ROLE_EMBEDDING;
}

// Is it what tokens are, or have become?
static bool is_of_tokens(const struct tensor *x) {
    const enum role role = role_of(x);
    return role == ROLE_TOKENS || role == ROLE_HIDDEN || role == ROLE_NORMALIZED;
}

// Does arithmetic, number by number, leave the role alone? Scores less a penalty are scores, queries times cosines are
// queries. But a probability less 1 is none, and the gradient of one thing times a number is the gradient of another.
static bool lasts(enum role role) {
    return role >= ROLE_LATENT && role <= ROLE_LOGITS && role != ROLE_MASK && role != ROLE_RESCALE;
}

// What is subtracted, or divided by, does not say what is left.
struct purpose purpose_of_pair(const struct origin *origin, const struct tensor *result) {
    (void)result;
    const struct tensor *x = &origin->operands[0], *y = &origin->operands[1];
    const enum role of_x = role_of(x), of_y = role_of(y);
    const int64_t more = count_of(shape_of(x)) - count_of(shape_of(y));
    const bool counts_y =
        origin->operation != &subtract_row && origin->operation != &divide_row && lasts(of_y);
    if (of_x == ROLE_GRADIENT || of_y == ROLE_GRADIENT) return (struct purpose){0};
    // The difference of two scores is none, nor is their product, nor the sum of scores and weights.
    const bool is_other =
        of_x != of_y || origin->operation == &subtract_row || origin->operation == &multiply_row;
    if (more == 0 && lasts(of_x) && lasts(of_y) && is_other) return (struct purpose){0};
    if (more >= 0 && lasts(of_x)) return x->storage->purpose;
    return more <= 0 && counts_y ? y->storage->purpose : (struct purpose){0};
}

// A layer's weight, or a table, that has moved is still the same one.
static struct purpose purpose_of_moved(const struct origin *origin, const struct tensor *result) {
    const struct tensor *x = &origin->operands[0];
    return is_of_layer(x) ? x->storage->purpose : purpose_of_pair(origin, result);
}

// With a bias, all is for the same as before. What is added to tokens is what they become.
static struct purpose purpose_of_sum(const struct origin *origin, const struct tensor *result) {
    const struct tensor *x = &origin->operands[0], *y = &origin->operands[1];
    if (is_of_layer(x) || role_of(y) == ROLE_LAYER_BIAS) return x->storage->purpose;
    const bool is_back = role_of(x) == ROLE_GRADIENT || role_of(y) == ROLE_GRADIENT;
    const bool is_of_either = is_of_tokens(x) || is_of_tokens(y);
    if (is_of_either && !is_back) return (struct purpose){.role = ROLE_HIDDEN};
    return purpose_of_pair(origin, result);
}

const struct operation add_row = {
    .name = "add",
    .purpose = purpose_of_sum,
    .help = {.back = "dx = dy for both, added up over what was broadcast"},
    .backward = "AddBackward0",
    .of_pair = sum_of_pair,
    .of_doubles = sum_of_pair_doubles,
    .of_wholes = sum_of_pair_wholes,
    .sign = "+",
    .error = error_of_addition,
    .gradient = gradient_of_sum,
    PAIR,
};

struct tensor add(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &add_row});
}

static double difference_of_pair_doubles(double a, double b) {
    return a - b;
}

static int64_t difference_of_pair_wholes(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static float difference_of_pair(float a, float b) {
    return a - b;
}

static struct tensor gradient_of_difference(const struct backward *back, int operand) {
    return operand == 0 ? back->grad : multiply_by(back->grad, -1);
}

const struct operation subtract_row = {
    .name = "subtract",
    .purpose = purpose_of_moved,
    .help = {.back = "of a - b: da = dy, db = -dy"},
    .backward = "SubBackward0",
    .gradient = gradient_of_difference,
    .of_pair = difference_of_pair,
    .of_doubles = difference_of_pair_doubles,
    .of_wholes = difference_of_pair_wholes,
    .sign = "−",
    .error = error_of_addition,
    PAIR,
};

struct tensor subtract(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &subtract_row});
}

static double product_of_pair_doubles(double a, double b) {
    return a * b;
}

static int64_t product_of_pair_wholes(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static float product_of_pair(float a, float b) {
    return a * b;
}

static double error_of_product(const struct derivation *derivation, const double *errors) {
    const struct operand *operands = derivation->operands;
    return error_of_factors(operands[0].value, operands[1].value, errors[0], errors[1]) +
           fabs(derivation->value);
}

// Each factor answers in proportion to the other one.
static struct tensor gradient_of_product(const struct backward *back, int operand) {
    return multiply(back->grad, *operand_of(back, 1 - operand));
}

// What is scaled by a number is for the same. A layer's weight may multiply number by number, as LayerNorm's does.
static struct purpose purpose_of_product(const struct origin *origin, const struct tensor *result) {
    const struct storage *x = origin->operands[0].storage, *factor = origin->operands[1].storage;
    const bool is_number = factor->origin->operation == &constant_row;
    if (factor->purpose.role == ROLE_LAYER_WEIGHT && origin->operation == &multiply_row)
        return (struct purpose){.role = factor->purpose.makes};
    if (is_number && x->purpose.role != ROLE_GRADIENT) return x->purpose;
    return purpose_of_pair(origin, result);
}

const struct operation multiply_row = {
    .name = "multiply",
    .purpose = purpose_of_product,
    .help = {.back = "of a · b: da = dy · b, db = dy · a"},
    .backward = "MulBackward0",
    .gradient = gradient_of_product,
    .error = error_of_product,
    .of_pair = product_of_pair,
    .of_doubles = product_of_pair_doubles,
    .of_wholes = product_of_pair_wholes,
    .sign = "×",
    .hides = hides_as_operands,
    .why_rows_lose = mask_took_a_part,
    PAIR,
};

struct tensor multiply(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &multiply_row});
}

static double quotient_of_pair_doubles(double a, double b) {
    return a / b;
}

static float quotient_of_pair(float a, float b) {
    return a / b;
}

// The divisor may be as near to 0 as its error says; a quotient may be anything if that is 0.
static double error_of_quotient(const struct derivation *derivation, const double *errors) {
    const double quotient = fabs(derivation->value);
    const double divisor = fabs(derivation->operands[1].value) - ROUNDING * errors[1];
    const double error = errors[0] + quotient * errors[1];
    if (error == 0) return quotient;
    return divisor > 0 ? error / divisor + quotient : INFINITY;
}

// ∂(a/b)/∂a = 1/b, ∂(a/b)/∂b = -(a/b)/b.
static struct tensor gradient_of_quotient(const struct backward *back, int operand) {
    const struct tensor divisor = *operand_of(back, 1);
    if (operand == 0) return divide(back->grad, divisor);
    return multiply(multiply_by(back->grad, -1), divide(back->result, divisor));
}

// The root of a variance, which may have a small number added to it?
static bool is_deviation(const struct storage *divisor) {
    if (divisor->origin->operation != &sqrt_row) return false;
    const struct origin *within = divisor->origin->operands[0].storage->origin;
    if (within->operation == &add_row) within = within->operands[0].storage->origin;
    return within->operation == &var_row;
}

// Scores in shares of their sum are weights; rows in units of their deviation are normalized; what a softmax by tiles has
// added up, divided by its sum, is context.
static struct purpose purpose_of_quotient(const struct origin *origin,
                                          const struct tensor *result) {
    const struct tensor *x = &origin->operands[0];
    const struct storage *divisor = origin->operands[1].storage;
    const bool is_of_sum = divisor->origin->operation == &sum_row &&
                           divisor->origin->operands[0].storage == x->storage;
    if (is_of_sum && role_of(x) == ROLE_SCORES) return (struct purpose){.role = ROLE_WEIGHTS};
    if (is_deviation(divisor)) return (struct purpose){.role = ROLE_NORMALIZED};
    if (role_of(x) == ROLE_RUNNING_RESULT && divisor->purpose.role == ROLE_RUNNING_SUM)
        return (struct purpose){.role = ROLE_CONTEXT};
    return purpose_of_product(origin, result);
}

const struct operation divide_row = {
    .name = "divide",
    .purpose = purpose_of_quotient,
    .help = {.back = "of a / b: da = dy / b, db = -dy · a / b²"},
    .backward = "DivBackward0",
    .gradient = gradient_of_quotient,
    .error = error_of_quotient,
    .of_pair = quotient_of_pair,
    .of_doubles = quotient_of_pair_doubles,
    .sign = "/",
    .hides = hides_as_operands,
    PAIR,
};

struct tensor divide(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &divide_row});
}

struct tensor multiply_by(struct tensor x, double number) {
    return multiply(x, scalar(x.storage->arena, number));
}

struct tensor divide_by(struct tensor x, double number) {
    return divide(x, scalar(x.storage->arena, number));
}

// ---- One tensor ----------------------------------------------------------------------------------

static struct tensor compute_each_typed(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, x->storage->dtype, x);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        if (x->storage->dtype == FLOAT64)
            ((double *)result.storage->data)[i] = origin->operation->of_double(element(x, index));
        else
            put_whole(result.storage, i, origin->operation->of_whole(whole_element(x, index)));
    }
    return result;
}

// Has the operation a way of its own for the dtype?
static bool is_typed(const struct operation *operation, enum dtype dtype) {
    if (dtype == FLOAT64) return operation->of_double != NULL;
    return (dtype == INT64 || dtype == INT32) && operation->of_whole != NULL;
}

struct tensor compute_each(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    if (is_typed(origin->operation, x->storage->dtype)) return compute_each_typed(arena, origin);
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        floats_of(&result)[i] = origin->operation->of_one((float)element(x, index));
    return result;
}

double account_of_each(struct account *account) {
    const struct operation *operation = account->derivation->origin->operation;
    const double result = (double)operation->of_one(operand_value(account, 0));
    say(account, "%s%s%s = %s", operation->before, operand_figure(account, 0), operation->after,
        figure(account, result));
    return result;
}

#define EACH .compute = compute_each, .find = find_same, .account = account_of_each

static double error_of_same(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    return errors[0];
}

static double sign_of_double(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static int64_t sign_of_whole(int64_t x) {
    return (x > 0) - (x < 0);
}

static float sign_of(float x) {
    return x > 0 ? 1 : x < 0 ? -1 : x != x ? x : 0;
}

static double error_of_sign(const struct derivation *derivation, const double *errors) {
    return fabs(derivation->operands[0].value) > ROUNDING * errors[0] ? 0 : 1 / ROUNDING;
}

const struct operation sign_row = {
    .name = "sign",
    .of_one = sign_of,
    .of_double = sign_of_double,
    .of_whole = sign_of_whole,
    .before = "sign of ",
    .after = "",
    .error = error_of_sign,
    .no_gradient = "a small change of a number does not change its sign",
    EACH,
};

struct tensor sign(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &sign_row});
}

static struct tensor gradient_of_absolute(const struct backward *back, int operand) {
    return multiply(back->grad, sign(*operand_of(back, operand)));
}

static int64_t size_of_whole(int64_t x) {
    return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
}

const struct operation absolute_row = {
    .name = "abs",
    .backward = "AbsBackward0",
    .of_one = fabsf,
    .of_double = fabs,
    .of_whole = size_of_whole,
    .before = "|",
    .after = "|",
    .error = error_of_same,
    .gradient = gradient_of_absolute,
    EACH,
};

struct tensor absolute(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &absolute_row});
}

static double opposite_of_double(double x) {
    return -x;
}

static int64_t opposite_of_whole(int64_t x) {
    return (int64_t)(0 - (uint64_t)x);
}

static float opposite_of(float x) {
    return -x;
}

static struct tensor gradient_of_negative(const struct backward *back, int operand) {
    (void)operand;
    return negative(back->grad);
}

const struct operation neg_row = {
    .name = "neg",
    .backward = "NegBackward0",
    .of_one = opposite_of,
    .of_double = opposite_of_double,
    .of_whole = opposite_of_whole,
    .before = "−(",
    .after = ")",
    .error = error_of_same,
    .gradient = gradient_of_negative,
    EACH,
};

struct tensor negative(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &neg_row});
}

static double positive_part_double(double x) {
    return x > 0 || x != x ? x : 0;
}

static int64_t positive_part_whole(int64_t x) {
    return x > 0 ? x : 0;
}

static float positive_part(float x) {
    return x > 0 || x != x ? x : 0;
}

// A number that is negative for sure becomes 0 for sure.
static double error_of_positive_part(const struct derivation *derivation, const double *errors) {
    return derivation->operands[0].value < -ROUNDING * errors[0] ? 0 : errors[0];
}

// What was positive lets everything pass, the rest nothing.
static struct tensor gradient_of_relu(const struct backward *back, int operand) {
    (void)operand;
    const struct tensor zero = scalar(back->result.storage->arena, 0);
    return masked_fill(back->grad, at_most(back->result, zero), 0);
}

const struct operation relu_row = {
    .name = "relu",
    .help = {.back = "dx = dy where y is above 0, else 0"},
    .backward = "ReluBackward0",
    .gradient = gradient_of_relu,
    .of_one = positive_part,
    .of_double = positive_part_double,
    .of_whole = positive_part_whole,
    .before = "max(0, ",
    .after = ")",
    .error = error_of_positive_part,
    EACH,
};

struct tensor relu(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &relu_row});
}

// A number that may be 0 has a root that may be, too.
static double error_of_root(const struct derivation *derivation, const double *errors) {
    const double x = derivation->operands[0].value, error = ROUNDING * errors[0];
    const double root = fabs(derivation->value);
    if (errors[0] == 0) return root;
    if (x > error) return errors[0] / (root + sqrt(x - error)) + root;
    return fmax(root, sqrt(x + error) - root) / ROUNDING;
}

static struct tensor gradient_of_root(const struct backward *back, int operand) {
    (void)operand;
    return divide(back->grad, multiply_by(back->result, 2));
}

const struct operation sqrt_row = {
    .name = "sqrt",
    .backward = "SqrtBackward0",
    .of_one = sqrtf,
    .of_double = sqrt,
    .before = "√",
    .after = "",
    .error = error_of_root,
    .gradient = gradient_of_root,
    EACH,
};

struct tensor square_root(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &sqrt_row});
}

static double error_of_logarithm(const struct derivation *derivation, const double *errors) {
    const double x = fabs(derivation->operands[0].value);
    return -log1p(-fmin(ROUNDING * errors[0] / x, 1)) / ROUNDING + fabs(derivation->value);
}

static struct tensor gradient_of_log(const struct backward *back, int operand) {
    return divide(back->grad, *operand_of(back, operand));
}

const struct operation log_row = {
    .name = "log",
    .backward = "LogBackward0",
    .gradient = gradient_of_log,
    .of_one = log_float,
    .of_double = log,
    .before = "log(",
    .after = ")",
    .error = error_of_logarithm,
    EACH,
};

struct tensor natural_log(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &log_row});
}
