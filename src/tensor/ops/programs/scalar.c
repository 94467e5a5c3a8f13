// More operations of programs only: pair by pair, and of each number.

#include <math.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

static struct tensor operand_of(const struct backward *back, int operand) {
    return back->origin->operands[operand];
}

// ---- Pairs -------------------------------------------------------------------------------------------

#define PAIR_FUNCTIONS(name, of_floats, of_doubles_, of_whole_numbers)                             \
    static float name##_floats(float a, float b) {                                                 \
        return of_floats;                                                                          \
    }                                                                                              \
    static double name##_doubles(double a, double b) {                                             \
        return of_doubles_;                                                                        \
    }                                                                                              \
    static int64_t name##_wholes(int64_t a, int64_t b) {                                           \
        return of_whole_numbers;                                                                   \
    }
#define PAIR(name)                                                                                 \
    .of_pair = name##_floats, .of_doubles = name##_doubles, .of_wholes = name##_wholes

PAIR_FUNCTIONS(smaller, a < b || a != a ? a : b, a < b || a != a ? a : b, a < b ? a : b)

static struct tensor gradient_of_minimum(const struct backward *back, int operand) {
    const struct tensor this_operand = operand_of(back, operand),
                        other = operand_of(back, 1 - operand);
    const struct tensor half =
        masked_fill(multiply_by(back->grad, 0.5), logical_not(equal(this_operand, other)), 0);
    return add(half, masked_fill(back->grad, at_most(other, this_operand), 0));
}

static const struct operation minimum_row = {.name = "minimum",
                                             .backward = "MinimumBackward0",
                                             .compute = compute_pairs,
                                             .gradient = gradient_of_minimum,
                                             PAIR(smaller)};

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

static const struct operation remainder_row = {.name = "remainder",
                                               .backward = "RemainderBackward0",
                                               .compute = compute_pairs,
                                               .gradient = gradient_of_remainder,
                                               PAIR(rest_of)};

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

PAIR_FUNCTIONS(quotient, (float)floor_quotient((double)a, (double)b), floor_quotient(a, b),
               whole_quotient(a, b))

static const struct operation floor_divide_row = {.name = "floor_divide",
                                                  .compute = compute_pairs,
                                                  .no_gradient = "a step is flat between its edges",
                                                  PAIR(quotient)};

struct tensor floor_divide(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &floor_divide_row});
}

#define ON_BITS(function, title, symbol)                                                           \
    static int64_t function##_whole(int64_t a, int64_t b) {                                        \
        return (int64_t)((uint64_t)a symbol(uint64_t) b);                                          \
    }                                                                                              \
    static float function##_float(float a, float b) {                                              \
        return (float)function##_whole((int64_t)a, (int64_t)b);                                    \
    }                                                                                              \
    static const struct operation function##_row = {.name = title,                                 \
                                                    .compute = compute_pairs,                      \
                                                    .of_pair = function##_float,                   \
                                                    .of_wholes = function##_whole};                \
    struct tensor function(struct tensor a, struct tensor b) {                                     \
        return perform_on(TWO(a, b), (struct origin){.operation = &function##_row});               \
    }
ON_BITS(bits_and, "bitwise_and", &)
ON_BITS(bits_or, "bitwise_or", |)
ON_BITS(bits_xor, "bitwise_xor", ^)
ON_BITS(shifted_left, "bitwise_left_shift", <<)
ON_BITS(shifted_right, "bitwise_right_shift", >>)

struct tensor logical_and(struct tensor a, struct tensor b) {
    return logical_not(logical_or(logical_not(a), logical_not(b)));
}

struct tensor logical_xor(struct tensor a, struct tensor b) {
    return logical_not(equal(to_bool(a), to_bool(b)));
}

// ---- Each number ---------------------------------------------------------------------------------------

#define EACH(function, title, backward_name, of_float, of_double_, slope)                          \
    static float function##_float(float x) {                                                       \
        return of_float;                                                                           \
    }                                                                                              \
    static double function##_double(double x) {                                                    \
        return of_double_;                                                                         \
    }                                                                                              \
    static struct tensor gradient_of_##function(const struct backward *back, int operand) {        \
        const struct tensor x = operand_of(back, operand), y = back->result, dy = back->grad;      \
        (void)x;                                                                                   \
        (void)y;                                                                                   \
        return slope;                                                                              \
    }                                                                                              \
    static const struct operation function##_row = {.name = title,                                 \
                                                    .backward = backward_name,                     \
                                                    .compute = compute_each,                       \
                                                    .of_one = function##_float,                    \
                                                    .of_double = function##_double,                \
                                                    .gradient = gradient_of_##function};           \
    struct tensor function(struct tensor x) {                                                      \
        return perform_on(ONE(x), (struct origin){.operation = &function##_row});                  \
    }

static struct tensor number(struct tensor like, double value) {
    return full_of(like.storage->arena, like.storage->dtype, NO_DIMS, value);
}

static struct tensor zeros_like(struct tensor x) {
    return full_of(x.storage->arena, x.storage->dtype, shape_of(&x), 0);
}

// aten/src/ATen/cpu/vec/vec256/vec256_float.h, erf: M. Abramowitz and I. Stegun, Handbook of Mathematical
// Functions, 7.1.26.
static float erf_float(float x) {
    const float t = 1 / fmaf(0.3275911F, fabsf(x), 1);
    const float r =
        fmaf(fmaf(fmaf(fmaf(1.061405429F, t, -1.453152027F), t, 1.421413741F), t, -0.284496736F), t,
             0.254829592F);
    return copysignf(1, x) * fmaf(-exp_float(-(x * x)) * t, r, 1);
}

EACH(reciprocal, "reciprocal", "ReciprocalBackward0", 1 / x, 1 / x,
     multiply(negative(dy), multiply(y, y)))
EACH(reciprocal_root, "rsqrt", "RsqrtBackward0", 1 / sqrtf(x), 1 / sqrt(x),
     multiply(multiply(dy, number(x, -0.5)), multiply(y, multiply(y, y))))
// PyTorch computes sixteen numbers at a time, by SLEEF, and asks glibc for those that are left at the end
// (aten/src/ATen/native/cpu/Loops.h, vectorized_loop).
enum { AT_A_TIME = 16 };

static float logistic(float x, float power_of_e) {
    (void)x;
    return 1 / (1 + power_of_e);
}

static float weighted_by_logistic(float x, float power_of_e) {
    return x / (1 + power_of_e);
}

static double logistic_double(double x) {
    return 1 / (1 + exp(-x));
}

static double weighted_by_logistic_double(double x) {
    return x / (1 + exp(-x));
}

// of_pair of these rows takes a number x and e^-x.
static struct tensor compute_logistic(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    if (x->storage->dtype == FLOAT64) return compute_each(arena, origin);
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const struct shape shape = shape_of(x);
    const int64_t count = result.storage->count,
                  length = is_contiguous(x) ? count : rows_of(shape).length;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const float number_here = (float)element(x, index);
        const bool is_left = i % length >= length - length % AT_A_TIME;
        const float power_of_e =
            is_left ? exp_float_of_glibc(-number_here) : exp_float(0 - number_here);
        floats_of(&result)[i] = origin->operation->of_pair(number_here, power_of_e);
    }
    return result;
}

static struct tensor gradient_of_sigmoid(const struct backward *back, int operand) {
    const struct tensor y = back->result;
    (void)operand;
    return multiply(multiply(back->grad, subtract(number(y, 1), y)), y);
}

static const struct operation sigmoid_row = {.name = "sigmoid",
                                             .backward = "SigmoidBackward0",
                                             .compute = compute_logistic,
                                             .of_pair = logistic,
                                             .of_double = logistic_double,
                                             .gradient = gradient_of_sigmoid};

struct tensor sigmoid(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &sigmoid_row});
}

static struct tensor gradient_of_silu(const struct backward *back, int operand) {
    const struct tensor x = operand_of(back, operand), share = sigmoid(x), one = number(x, 1);
    return multiply(multiply(back->grad, share), add(one, multiply(x, subtract(one, share))));
}

static const struct operation silu_row = {.name = "silu",
                                          .backward = "SiluBackward0",
                                          .compute = compute_logistic,
                                          .of_pair = weighted_by_logistic,
                                          .of_double = weighted_by_logistic_double,
                                          .gradient = gradient_of_silu};

struct tensor silu(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &silu_row});
}

EACH(error_function, "erf", "ErfBackward0", erf_float(x), erf(x),
     multiply(multiply(exponential(negative(multiply(x, x))), number(x, 1.1283791670955126)), dy))
// aten/src/ATen/native/Math.h, calc_erfinv: a rational function, and two steps of Newton's method.
static double erf_inverse(double y, bool is_single) {
    static const double a[] = {0.886226899, -1.645349621, 0.914624893, -0.140543331},
                        b[] = {-2.118377725, 1.442710462, -0.329097515, 0.012229801},
                        c[] = {-1.970840454, -1.624906493, 3.429567803, 1.641345311},
                        d[] = {3.543889200, 1.637067800};
    const double size = fabs(y);
    double x, z;
    if (!(size <= 1)) return NAN;
    if (size == 1) return copysign(INFINITY, y);
    if (size <= 0.7) {
        z = y * y;
        x = y * (((a[3] * z + a[2]) * z + a[1]) * z + a[0]) /
            ((((b[3] * z + b[2]) * z + b[1]) * z + b[0]) * z + 1);
    } else {
        z = sqrt(-log((1 - size) / 2));
        x = copysign(((c[3] * z + c[2]) * z + c[1]) * z + c[0], y) / ((d[1] * z + d[0]) * z + 1);
    }
    for (int i = 0; i < 2 + is_single; i++)
        x -= (erf(x) - y) / (2 / sqrt(3.141592653589793238) * exp(-x * x));
    return x;
}
EACH(error_inverse, "erfinv", "ErfinvBackward0", (float)erf_inverse((double)x, true),
     erf_inverse(x, false),
     multiply(dy, multiply_by(exponential(multiply(y, y)), 0.88622692545275801365)))

EACH(gelu_of, "gelu", "GeluBackward0", x * 0.5F * (1 + erf_float(x * 0.70710678118654752440F)),
     x * 0.5 * (1 + erf(x * 0.70710678118654752440)),
     multiply(dy, add(multiply(number(x, 0.5),
                               add(number(x, 1),
                                   error_function(multiply(x, number(x, 0.70710678118654752440))))),
                      multiply(x, multiply(exponential(multiply(multiply(x, x), number(x, -0.5))),
                                           number(x, 0.3989422804014327))))))
EACH(rounded_down, "floor", "FloorBackward0", floorf(x), floor(x), zeros_like(dy))
EACH(rounded_up, "ceil", "CeilBackward0", ceilf(x), ceil(x), zeros_like(dy))
EACH(rounded, "round", "RoundBackward0", nearbyintf(x), nearbyint(x), zeros_like(dy))
EACH(truncated, "trunc", "TruncBackward0", truncf(x), trunc(x), zeros_like(dy))
EACH(binary_log, "log2", "Log2Backward0", log2_float(x), log2(x),
     divide(dy, multiply(x, number(x, 0.6931471805599453))))
EACH(decimal_log, "log10", "Log10Backward0", log10_float(x), log10(x),
     divide(dy, multiply(x, number(x, 2.3025850929940456))))
EACH(log_of_one_more, "log1p", "Log1PBackward0", log_float_of_one_more(x), log1p(x),
     divide(dy, add(x, number(x, 1))))
EACH(exponential_less_one, "expm1", "Expm1Backward0", exp_float_less_one(x), expm1(x),
     multiply(dy, add(y, number(x, 1))))
