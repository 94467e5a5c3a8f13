// Operations that treat every element on its own: of two tensors, pair by pair, and of one.

#include <math.h>

#include "tensor/number/elementary.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/rows.h"

// ---- Two tensors ---------------------------------------------------------------------------------

static struct tensor compute_pairs(struct arena *arena, const struct origin *origin,
                                   float (*combine)(float, float)) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
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
        for (int64_t i = 0; i < rows.length; i++) *out++ = combine(left[i], right[i]);
    }
    return result;
}

static void find_pair(struct finding *finding) {
    add_broadcast(finding, 0, "a");
    add_broadcast(finding, 1, "b");
}

static double account_of_pair(struct account *account, const char *sign,
                              float (*combine)(float, float)) {
    const float result = combine(operand_value(account, 0), operand_value(account, 1));
    say(account, "%s %s %s = %s", operand_figure(account, 0), sign, operand_term(account, 1),
        figure(account, (double)result));
    return (double)result;
}

static float sum_of_pair(float a, float b) {
    return a + b;
}

static struct tensor compute_add(struct arena *arena, const struct origin *origin) {
    return compute_pairs(arena, origin, sum_of_pair);
}

static double account_of_add(struct account *account) {
    return account_of_pair(account, "+", sum_of_pair);
}

const struct operation add_row = {
    .name = "add",
    .compute = compute_add,
    .find = find_pair,
    .account = account_of_add,
    .tolerance = ROUNDED,
};

struct tensor add(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &add_row});
}

static float difference_of_pair(float a, float b) {
    return a - b;
}

static struct tensor compute_subtract(struct arena *arena, const struct origin *origin) {
    return compute_pairs(arena, origin, difference_of_pair);
}

static double account_of_subtract(struct account *account) {
    return account_of_pair(account, "−", difference_of_pair);
}

const struct operation subtract_row = {
    .name = "subtract",
    .compute = compute_subtract,
    .find = find_pair,
    .account = account_of_subtract,
    .tolerance = ROUNDED,
};

struct tensor subtract(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &subtract_row});
}

static float product_of_pair(float a, float b) {
    return a * b;
}

static struct tensor compute_multiply(struct arena *arena, const struct origin *origin) {
    return compute_pairs(arena, origin, product_of_pair);
}

static double account_of_multiply(struct account *account) {
    return account_of_pair(account, "×", product_of_pair);
}

const struct operation multiply_row = {
    .name = "multiply",
    .compute = compute_multiply,
    .find = find_pair,
    .account = account_of_multiply,
    .tolerance = ROUNDED,
    .zeros_mask = true,
    .why_rows_lose = mask_took_a_part,
};

struct tensor multiply(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &multiply_row});
}

static float quotient_of_pair(float a, float b) {
    return a / b;
}

static struct tensor compute_divide(struct arena *arena, const struct origin *origin) {
    return compute_pairs(arena, origin, quotient_of_pair);
}

static double account_of_divide(struct account *account) {
    return account_of_pair(account, "/", quotient_of_pair);
}

const struct operation divide_row = {
    .name = "divide",
    .compute = compute_divide,
    .find = find_pair,
    .account = account_of_divide,
    .tolerance = ROUNDED,
    .zeros_mask = true,
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

static struct tensor compute_each(struct arena *arena, const struct origin *origin,
                                  float (*apply)(float)) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const int64_t count = count_of(shape_of(x));
    for (int64_t i = 0; i < count; i++) floats_of(&result)[i] = apply((float)element_at(x, i));
    return result;
}

// "log(0.5000) = -0.6931": `before` and `after` stand around the operand.
static double account_of_each(struct account *account, const char *before, const char *after,
                              float (*apply)(float)) {
    const double result = (double)apply(operand_value(account, 0));
    say(account, "%s%s%s = %s", before, operand_figure(account, 0), after, figure(account, result));
    return result;
}

static struct tensor compute_absolute(struct arena *arena, const struct origin *origin) {
    return compute_each(arena, origin, fabsf);
}

static double account_of_absolute(struct account *account) {
    return account_of_each(account, "|", "|", fabsf);
}

const struct operation absolute_row = {
    .name = "abs",
    .compute = compute_absolute,
    .find = find_same,
    .account = account_of_absolute,
    .tolerance = ROUNDED,
};

struct tensor absolute(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &absolute_row});
}

static float positive_part(float x) {
    return x > 0 || x != x ? x : 0;
}

static struct tensor compute_relu(struct arena *arena, const struct origin *origin) {
    return compute_each(arena, origin, positive_part);
}

static double account_of_relu(struct account *account) {
    return account_of_each(account, "max(0, ", ")", positive_part);
}

const struct operation relu_row = {
    .name = "relu",
    .compute = compute_relu,
    .find = find_same,
    .account = account_of_relu,
    .tolerance = ROUNDED,
};

struct tensor relu(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &relu_row});
}

static struct tensor compute_log(struct arena *arena, const struct origin *origin) {
    return compute_each(arena, origin, log_float);
}

static double account_of_log(struct account *account) {
    return account_of_each(account, "log(", ")", log_float);
}

const struct operation log_row = {
    .name = "log",
    .compute = compute_log,
    .find = find_same,
    .account = account_of_log,
    .tolerance = ROUNDED,
};

struct tensor natural_log(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &log_row});
}
