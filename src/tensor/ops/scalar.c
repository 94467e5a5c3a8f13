// More operations of programs only: pair by pair, and of each number.

#include <math.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/choice.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/ops.h"

static struct tensor operand_of(const struct backward *back, int operand) {
    return back->origin->operands[operand];
}

// ---- Pairs -------------------------------------------------------------------------------------------

#define PAIR_FUNCTIONS(name, of_floats, of_doubles_, of_whole_numbers)                                                             \
    static float name##_floats(float a, float b) { return of_floats; }                                                             \
    static double name##_doubles(double a, double b) { return of_doubles_; }                                                       \
    static int64_t name##_wholes(int64_t a, int64_t b) { return of_whole_numbers; }
#define PAIR(name) .of_pair = name##_floats, .of_doubles = name##_doubles, .of_wholes = name##_wholes

PAIR_FUNCTIONS(smaller, a < b || a != a ? a : b, a < b || a != a ? a : b, a < b ? a : b)

static struct tensor gradient_of_minimum(const struct backward *back, int operand) {
    const struct tensor own = operand_of(back, operand), other = operand_of(back, 1 - operand);
    const struct tensor half = masked_fill(multiply_by(back->grad, 0.5), logical_not(equal(own, other)), 0);
    return add(half, masked_fill(back->grad, at_most(other, own), 0));
}

static const struct operation minimum_row = {
    .name = "minimum", .backward = "MinimumBackward0", .compute = compute_pairs, .gradient = gradient_of_minimum, PAIR(smaller)};

struct tensor minimum(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &minimum_row});
}

static double rest(double a, double b) {
    const double left = fmod(a, b);
    return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

static int64_t whole_rest(int64_t a, int64_t b) {
    const int64_t left = b == 0 || b == -1 ? 0 : a % b;
    return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

static float float_rest(float a, float b) {
    const float left = fmodf(a, b);
    return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

PAIR_FUNCTIONS(rest_of, float_rest(a, b), rest(a, b), whole_rest(a, b))

static struct tensor gradient_of_remainder(const struct backward *back, int operand) {
    return operand == 0 ? back->grad : NO_TENSOR;
}

static const struct operation remainder_row = {
    .name = "remainder", .backward = "RemainderBackward0", .compute = compute_pairs, .gradient = gradient_of_remainder, PAIR(rest_of)};

struct tensor remainder_of(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &remainder_row});
}

// c10/util/generic_math.h, div_floor_floating.
static double floor_quotient(double a, double b) {
    if (b == 0) return a / b;
    const double left = fmod(a, b), quotient = (a - left) / b;
    const double whole = left != 0 && (b < 0) != (left < 0) ? quotient - 1 : quotient;
    if (whole == 0) return copysign(0, a / b);
    const double down = floor(whole);
    return whole - down > 0.5 ? down + 1 : down;
}

static int64_t whole_quotient(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return b == 0 ? 0 : (int64_t)(0 - (uint64_t)a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

PAIR_FUNCTIONS(quotient, (float)floor_quotient((double)a, (double)b), floor_quotient(a, b), whole_quotient(a, b))

static const struct operation floor_divide_row = {
    .name = "floor_divide", .compute = compute_pairs, .no_gradient = "a step is flat between its edges", PAIR(quotient)};

struct tensor floor_divide(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &floor_divide_row});
}

#define BITS(function, title, symbol)                                                                                              \
    static int64_t function##_whole(int64_t a, int64_t b) { return (int64_t)((uint64_t)a symbol (uint64_t)b); }                        \
    static float function##_float(float a, float b) { return (float)function##_whole((int64_t)a, (int64_t)b); }                            \
    static const struct operation function##_row = {                                                                                  \
        .name = title, .compute = compute_pairs, .of_pair = function##_float, .of_wholes = function##_whole};                           \
    struct tensor function(struct tensor a, struct tensor b) {                                                                        \
        return perform_on(TWO(a, b), (struct origin){.operation = &function##_row});                                                   \
    }
BITS(bits_and, "bitwise_and", &)
BITS(bits_or, "bitwise_or", |)
BITS(bits_xor, "bitwise_xor", ^)
BITS(shifted_left, "bitwise_left_shift", <<)
BITS(shifted_right, "bitwise_right_shift", >>)

struct tensor logical_and(struct tensor a, struct tensor b) {
    return logical_not(logical_or(logical_not(a), logical_not(b)));
}

struct tensor logical_xor(struct tensor a, struct tensor b) {
    return logical_not(equal(to_bool(a), to_bool(b)));
}

// ---- Each number ---------------------------------------------------------------------------------------

#define EACH(function, title, backward_name, of_float, of_double_, slope)                                                          \
    static float function##_float(float x) { return of_float; }                                                                    \
    static double function##_double(double x) { return of_double_; }                                                               \
    static struct tensor gradient_of_##function(const struct backward *back, int operand) {                                        \
        const struct tensor x = operand_of(back, operand), y = back->result, dy = back->grad;                                      \
        (void)x;                                                                                                                   \
        (void)y;                                                                                                                   \
        return slope;                                                                                                              \
    }                                                                                                                              \
    static const struct operation function##_row = {.name = title, .backward = backward_name, .compute = compute_each,             \
        .of_one = function##_float, .of_double = function##_double, .gradient = gradient_of_##function};                           \
    struct tensor function(struct tensor x) { return perform_on(ONE(x), (struct origin){.operation = &function##_row}); }

static struct tensor number(struct tensor like, double value) {
    return full_of(like.storage->arena, like.storage->dtype, NO_DIMS, value);
}

static struct tensor zeros_like(struct tensor x) {
    return full_of(x.storage->arena, x.storage->dtype, shape_of(&x), 0);
}

EACH(reciprocal, "reciprocal", "ReciprocalBackward0", 1 / x, 1 / x, multiply(negative(dy), multiply(y, y)))
EACH(reciprocal_root, "rsqrt", "RsqrtBackward0", 1 / sqrtf(x), 1 / sqrt(x),
     multiply(multiply(dy, number(x, -0.5)), multiply(y, multiply(y, y))))
EACH(sigmoid, "sigmoid", "SigmoidBackward0", 1 / (1 + exp_float(0 - x)), 1 / (1 + exp(-x)),
     multiply(multiply(dy, subtract(number(x, 1), y)), y))
EACH(silu, "silu", "SiluBackward0", x / (1 + exp_float(-x)), x / (1 + exp(-x)),
     multiply(multiply(dy, sigmoid(x)), add(number(x, 1), multiply(x, subtract(number(x, 1), sigmoid(x))))))
EACH(error_function, "erf", "ErfBackward0", erff(x), erf(x),
     multiply(multiply(exponential(negative(multiply(x, x))), number(x, 1.1283791670955126)), dy))
EACH(gelu_of, "gelu", "GeluBackward0", x * 0.5F * (1 + erff(x * 0.70710678118654752440F)), x * 0.5 * (1 + erf(x * 0.70710678118654752440)),
     multiply(dy, add(multiply(number(x, 0.5), add(number(x, 1), error_function(multiply(x, number(x, 0.70710678118654752440))))),
                      multiply(x, multiply(exponential(multiply(multiply(x, x), number(x, -0.5))), number(x, 0.3989422804014327))))))
EACH(rounded_down, "floor", "FloorBackward0", floorf(x), floor(x), zeros_like(dy))
EACH(rounded_up, "ceil", "CeilBackward0", ceilf(x), ceil(x), zeros_like(dy))
EACH(rounded, "round", "RoundBackward0", nearbyintf(x), nearbyint(x), zeros_like(dy))
EACH(truncated, "trunc", "TruncBackward0", truncf(x), trunc(x), zeros_like(dy))
EACH(binary_log, "log2", "Log2Backward0", log2f(x), log2(x), divide(dy, multiply(x, number(x, 0.6931471805599453))))
EACH(decimal_log, "log10", "Log10Backward0", log10f(x), log10(x), divide(dy, multiply(x, number(x, 2.3025850929940456))))
EACH(log_of_one_more, "log1p", "Log1PBackward0", log1pf(x), log1p(x), divide(dy, add(x, number(x, 1))))
EACH(exponential_less_one, "expm1", "Expm1Backward0", expm1f(x), expm1(x), multiply(dy, add(y, number(x, 1))))
