// Functions of every element on its own: e^x, sine and cosine, the hyperbolic tangent, powers.

#include <math.h>

#include "tensor/number/elementary.h"
#include "tensor/number/sine.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/ops.h"

static struct tensor operand_of(const struct backward *back, int operand) {
    return back->origin->operands[operand];
}

// ---- e^x -----------------------------------------------------------------------------------------

static double error_of_exponential(const struct derivation *derivation, const double *errors) {
    const double power = fabs(derivation->value);
    return power * expm1(ROUNDING * errors[0]) / ROUNDING + power;
}

static struct tensor gradient_of_exponential(const struct backward *back, int operand) {
    (void)operand;
    return multiply(back->grad, back->result);
}

// By the power of what the largest score has grown by, all that was added up before is rescaled.
static struct purpose purpose_of_power(const struct origin *origin, const struct tensor *result) {
    (void)result;
    const bool is_of_maxima = role_of(&origin->operands[0]) == ROLE_RUNNING_MAX;
    return (struct purpose){.role = is_of_maxima ? ROLE_RESCALE : ROLE_NONE};
}

const struct operation exp_row = {
    .name = "exp",
    .purpose = purpose_of_power,
    .help = {.back = "dx = dy · y"},
    .backward = "ExpBackward0",
    .gradient = gradient_of_exponential,
    .compute = compute_each,
    .find = find_same,
    .account = account_of_each,
    .of_one = exp_float,
    .of_double = exp,
    .before = "e^",
    .after = "",
    .error = error_of_exponential,
};

struct tensor exponential(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &exp_row});
}

// ---- Sine and cosine -----------------------------------------------------------------------------

typedef float circular(float angle, float largest);

static circular *function_of(const struct origin *origin) {
    return origin->operation == &sin_row ? sine_float : cosine_float;
}

// The largest of the angles that SLEEF takes together with number `position`, counted row by row.
static float largest_beside(const struct tensor *x, int64_t position) {
    const int64_t first = position - position % SINE_LANES, count = count_of(shape_of(x));
    float largest = 0;
    for (int64_t i = first; i < first + SINE_LANES && i < count; i++) {
        const float size = fabsf((float)element_at(x, i));
        if (size > largest || size != size) largest = size;
        if (size != size) break;
    }
    return largest;
}

static struct tensor compute_turning(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    if (x->storage->dtype == FLOAT64) return compute_each(arena, origin);
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    circular *function = function_of(origin);
    float largest = 0;
    for (int64_t i = 0; i < result.storage->count; i++) {
        if (i % SINE_LANES == 0) largest = largest_beside(x, i);
        floats_of(&result)[i] = function((float)element_at(x, i), largest);
    }
    return result;
}

static double account_of_turning(struct account *account) {
    const struct origin *origin = account->derivation->origin;
    const float largest = largest_beside(&origin->operands[0], account->derivation->flat_index);
    const double value = (double)function_of(origin)(operand_value(account, 0), largest);
    say(account, "%s(%s) = %s", origin->operation->name, operand_figure(account, 0),
        figure(account, value));
    return value;
}

// It is nowhere steeper than 1. Near its zeros another program may reduce the angle less exactly.
static double error_of_turning(const struct derivation *derivation, const double *errors) {
    return errors[0] + fabs(derivation->value) + 0.1;
}

static struct tensor gradient_of_sine(const struct backward *back, int operand) {
    return multiply(back->grad, cosine(operand_of(back, operand)));
}

const struct operation sin_row = {
    .name = "sin",
    .help = {.back = "dx = dy · cos(x)"},
    .backward = "SinBackward0",
    .gradient = gradient_of_sine,
    .of_double = sin,
    .compute = compute_turning,
    .find = find_same,
    .account = account_of_turning,
    .error = error_of_turning,
};

struct tensor sine(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &sin_row});
}

static struct tensor gradient_of_cosine(const struct backward *back, int operand) {
    return multiply(back->grad, negative(sine(operand_of(back, operand))));
}

const struct operation cos_row = {
    .name = "cos",
    .help = {.back = "dx = -dy · sin(x)"},
    .backward = "CosBackward0",
    .gradient = gradient_of_cosine,
    .of_double = cos,
    .compute = compute_turning,
    .find = find_same,
    .account = account_of_turning,
    .error = error_of_turning,
};

struct tensor cosine(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &cos_row});
}

// ---- Hyperbolic tangent --------------------------------------------------------------------------

// It is nowhere steeper than 1.
static double error_of_tanh(const struct derivation *derivation, const double *errors) {
    return errors[0] + fabs(derivation->value);
}

static struct tensor gradient_of_tanh(const struct backward *back, int operand) {
    (void)operand;
    return perform_on(TWO(back->grad, back->result),
                      (struct origin){.operation = &tanh_backward_row});
}

const struct operation tanh_row = {
    .name = "tanh",
    .help = {.back = "dx = dy · (1 - y²)"},
    .backward = "TanhBackward0",
    .gradient = gradient_of_tanh,
    .compute = compute_each,
    .find = find_same,
    .account = account_of_each,
    .of_one = tanh_float,
    .of_double = tanh,
    .before = "tanh(",
    .after = ")",
    .error = error_of_tanh,
};

struct tensor hyperbolic_tangent(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &tanh_row});
}

// grad · (1 - y²), the square and the difference rounded once, as PyTorch's kernel is compiled
// (BinaryOpsKernel.cpp, tanh_backward_kernel).
static float slope_of_tanh(float grad, float y) {
    return grad * fmaf(-y, y, 1);
}

static double account_of_tanh_backward(struct account *account) {
    const double slope =
        (double)slope_of_tanh(operand_value(account, 0), operand_value(account, 1));
    say(account, "%s × (1 − %s²) = %s", operand_figure(account, 0), operand_term(account, 1),
        figure(account, slope));
    return slope;
}

static double error_of_tanh_backward(const struct derivation *derivation, const double *errors) {
    const double grad = derivation->operands[0].value, y = derivation->operands[1].value;
    const double error_of_square = error_of_factors(y, y, errors[1], errors[1]) + 1;
    return error_of_factors(grad, 1 - y * y, errors[0], error_of_square) + fabs(derivation->value);
}

const struct operation tanh_backward_row = {
    .name = "tanh_backward",
    .compute = compute_pairs,
    .find = find_both,
    .account = account_of_tanh_backward,
    .of_pair = slope_of_tanh,
    .error = error_of_tanh_backward,
    .no_gradient = "a gradient's own gradient is asked for nowhere",
};

// ---- Powers --------------------------------------------------------------------------------------

// PyTorch computes sixteen numbers at a time, by SLEEF, and asks glibc for those that are left at the end:
// of the whole result where both operands lie as it does or are one number, else of each row.
enum { AT_A_TIME = 16 };

static bool is_walked_at_once(const struct tensor *x, struct shape shape) {
    return count_of(shape_of(x)) == 1 || (shapes_equal(shape_of(x), shape) && is_contiguous(x));
}

// Element number `position` of the result, whose shape this is.
static float power_at(const struct origin *origin, struct shape shape, int64_t position, float base,
                      float exponent) {
    const bool at_once = is_walked_at_once(&origin->operands[0], shape) &&
                         is_walked_at_once(&origin->operands[1], shape);
    const int64_t length = at_once ? count_of(shape) : rows_of(shape).length;
    const bool is_left = position % length >= length - length % AT_A_TIME;
    if (is_left && origin->number != 0) return (float)pow((double)base, origin->number);
    return is_left ? power_float_of_glibc(base, exponent) : power_float(base, exponent);
}

static struct tensor compute_power(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    if (a->storage->dtype != FLOAT32) return compute_pairs(arena, origin);
    const struct shape shape = broadcast_shape(arena, origin, a, b);
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    const struct tensor base = broadcast_to(*a, shape), exponent = broadcast_to(*b, shape);
    join_axes(&base, &exponent, &result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        floats_of(&result)[i] = power_at(origin, shape, i, (float)element(&base, index),
                                         (float)element(&exponent, index));
    return result;
}

static double say_power(struct account *account, double power) {
    say(account, "%s^%s = %s", operand_term(account, 0), operand_term(account, 1),
        figure(account, power));
    return power;
}

static double account_of_power(struct account *account) {
    const struct derivation *d = account->derivation;
    const float base = operand_value(account, 0), exponent = operand_value(account, 1);
    const struct shape shape = account->storage->shape;
    return say_power(account, (double)power_at(d->origin, shape, d->flat_index, base, exponent));
}

// The farthest that a power of operands within their errors lies from this one.
static double error_of_power(const struct derivation *derivation, const double *errors) {
    const struct operand *operands = derivation->operands;
    double error = 0;
    for (int corner = 0; corner < 4; corner++) {
        const double base = operands[0].value + (corner & 1 ? 1 : -1) * ROUNDING * errors[0];
        const double exponent = operands[1].value + (corner & 2 ? 1 : -1) * ROUNDING * errors[1];
        error = fmax(error, fabs(pow(base, exponent) - derivation->value) / ROUNDING);
    }
    return (errors[0] == 0 && errors[1] == 0 ? 0 : error) + fabs(derivation->value);
}

// Of the base: exponent · base^(exponent - 1); of the exponent: y · log(base).
static struct tensor gradient_of_power(const struct backward *back, int operand) {
    const struct tensor base = operand_of(back, 0), exponent = operand_of(back, 1);
    if (operand == 1) return multiply(back->grad, multiply(back->result, natural_log(base)));
    const struct tensor lower = subtract(exponent, scalar(base.storage->arena, 1));
    return multiply(back->grad, multiply(exponent, power(base, lower)));
}

static double raised_doubles_of(double base, double exponent) {
    return pow(base, exponent);
}

static int64_t raised_wholes_of(int64_t base, int64_t exponent) {
    uint64_t product = 1;
    for (int64_t i = 0; i < exponent; i++) product *= (uint64_t)base;
    return (int64_t)product;
}

const struct operation pow_row = {
    .name = "pow",
    .help = {.back = "of a ** b: da = dy · b · a^(b-1), db = dy · y · log(a)"},
    .backward = "PowBackward1",
    .gradient = gradient_of_power,
    .compute = compute_power,
    .of_doubles = raised_doubles_of,
    .of_wholes = raised_wholes_of,
    .find = find_both,
    .account = account_of_power,
    .error = error_of_power,
};

struct tensor power(struct tensor base, struct tensor exponent) {
    return perform_on(TWO(base, exponent), (struct origin){.operation = &pow_row});
}

struct tensor power_of(struct tensor base, double exponent) {
    const struct tensor number =
        full_of(base.storage->arena, base.storage->dtype, NO_DIMS, exponent);
    return perform_on(TWO(base, number),
                      (struct origin){.operation = &pow_row, .number = exponent});
}

// aten/src/ATen/native/cpu/PowKernel.cpp, pow_tensor_scalar_kernel: small whole exponents are products.
static float raised(float x, float exponent) {
    float product = exponent > 0 ? x : 1;
    for (int i = 1; i < (int)(exponent + 0.5F); i++) product *= x;
    return product;
}

static double account_of_raised(struct account *account) {
    return say_power(account, (double)raised(operand_value(account, 0), operand_value(account, 1)));
}

static struct tensor gradient_of_raised(const struct backward *back, int operand) {
    const int exponent = (int)element(&back->origin->operands[1], NULL);
    if (operand == 1) return NO_TENSOR;
    const struct tensor lower = raise_to(operand_of(back, 0), exponent > 0 ? exponent - 1 : 0);
    return multiply(back->grad, multiply_by(lower, exponent));
}

const struct operation pow_number_row = {
    .name = "pow",
    .backward = "PowBackward0",
    .gradient = gradient_of_raised,
    .compute = compute_pairs,
    .find = find_both,
    .account = account_of_raised,
    .of_pair = raised,
    .of_doubles = raised_doubles_of,
    .of_wholes = raised_wholes_of,
    .error = error_of_power,
};

struct tensor raise_to(struct tensor x, int exponent) {
    struct arena *arena = x.storage->arena;
    if (exponent < 0 || exponent > 3)
        fail(arena->failure, FAIL_USAGE, "pow: an exponent of %d is not from 0 to 3", exponent);
    return perform_on(TWO(x, scalar(arena, exponent)),
                      (struct origin){.operation = &pow_number_row});
}
