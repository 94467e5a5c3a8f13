// Types with fewer bits than their numbers have here: bfloat16 and float16 are float32, uint8, int8 and int16 are int32. What
// a call made of them is rounded once, at its end, as PyTorch rounds the float32 in which its functions on a CPU compute.

#include <math.h>

#include "script/torch/tensor_object.h"
#include "tensor/number/double_math.h"
#include "tensor/number/elementary.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/precision.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

enum dtype dtype_of_narrow(enum narrow narrow) {
    return narrow <= FLOAT16 ? FLOAT32 : INT32;
}

double narrow_number(double x, enum narrow narrow) {
    switch (narrow) {
    case ALL_BITS:
        return x;
    case BFLOAT16:
        return round_to(&precisions[PRECISION_BFLOAT16], (float)x, TO_NEAREST);
    case FLOAT16:
        return round_to(&precisions[PRECISION_FLOAT16], (float)x, TO_NEAREST);
    case UINT8:
        return (uint8_t)(int64_t)x;
    case INT8:
        return (int8_t)(int64_t)x;
    case INT16:
        return (int16_t)(int64_t)x;
    }
    return x;
}

extern const struct operation cast_rows[];

static struct tensor compute_cast(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct shape shape = shape_of(x);
    const struct tensor result = tensor_new(arena, x->storage->dtype, shape);
    int64_t index[MAX_DIMS] = {0};
    result.storage->narrow = (enum narrow)(origin->operation - cast_rows);
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        put_number(result.storage, i, narrow_number(element(x, index), result.storage->narrow));
    return result;
}

static double account_of_cast(struct account *account) {
    const struct operation *operation = account->derivation->origin->operation;
    say(account, "%s, rounded to the numbers that its type holds", operand_figure(account, 0));
    return narrow_number(account->derivation->operands[0].value,
                         (enum narrow)(operation - cast_rows));
}

static struct tensor gradient_of_cast(const struct backward *back, int operand) {
    (void)operand;
    return back->grad;
}

#define CAST_ROW                                                                                   \
    {                                                                                              \
        .name = "to", .backward = "ToCopyBackward0", .compute = compute_cast,                      \
        .account = account_of_cast, .gradient = gradient_of_cast                                   \
    }
// One for each type.
const struct operation cast_rows[] = {CAST_ROW, CAST_ROW, CAST_ROW, CAST_ROW, CAST_ROW, CAST_ROW};

static bool is_narrow(const struct tensor *x, enum narrow narrow) {
    return x->storage->narrow == narrow || x->storage->dtype != dtype_of_narrow(narrow);
}

struct tensor cast_to(struct tensor x, enum narrow narrow) {
    return is_narrow(&x, narrow)
               ? x
               : perform_on(ONE(x), (struct origin){.operation = &cast_rows[narrow]});
}

// What a call has just computed is rounded where it lies: gradients are computed from the rounded numbers, too.
struct tensor narrowed(struct tensor x, enum narrow narrow) {
    struct storage *storage = x.storage;
    if (is_narrow(&x, narrow) || storage->keeper != NULL) return cast_to(x, narrow);
    storage->narrow = narrow;
    const struct tensor whole = tensor_over(storage, SHAPE(storage->count));
    for (int64_t i = 0; i < storage->count; i++)
        put_number(storage, i, narrow_number(element(&whole, &i), narrow));
    return x;
}

static enum narrow wider(enum narrow a, enum narrow b) {
    const bool are_signed = (a == INT8 || a == INT16) && (b == INT8 || b == INT16);
    const bool is_one_short = (a == INT16 && b > FLOAT16) || (b == INT16 && a > FLOAT16);
    return a == b                                                       ? a
           : are_signed || is_one_short || (a > FLOAT16 && b > FLOAT16) ? INT16
                                                                        : ALL_BITS;
}

void note_narrow(struct torch_call *call, const struct tensor *x) {
    if (x->storage->dtype == BOOL) return;
    signed char *seen = &call->narrow[is_floating(x->storage->dtype)][x->ndim == 0];
    *seen =
        (signed char)(1 + (int)(*seen == 0 ? x->storage->narrow
                                           : wider((enum narrow)(*seen - 1), x->storage->narrow)));
}

enum narrow narrow_of_call(const struct torch_call *call, enum dtype dtype) {
    const signed char *seen = call->narrow[is_floating(dtype)];
    const int found = call->is_narrow_given ? (int)call->narrow_given + 1
                      : seen[0] != 0        ? seen[0]
                                            : seen[1];
    const enum narrow narrow = found > 0 ? (enum narrow)(found - 1) : ALL_BITS;
    return dtype_of_narrow(narrow) == dtype || narrow == ALL_BITS ? narrow : ALL_BITS;
}

// ---- Functions whose steps are rounded, too -----------------------------------------------------------------------

// aten/src/ATen/native/cpu/SoftMaxKernel.cpp: along the last dimension the sum of the gradient is rounded.
static struct tensor summed(const struct backward *back, struct tensor x) {
    const int dim = back->origin->dim;
    const struct tensor all = sum(x, dim, true);
    return dim == x.ndim - 1 ? narrowed(all, back->result.storage->narrow) : all;
}
static struct tensor gradient_of_softmax(const struct backward *back, int operand) {
    (void)operand;
    const struct tensor all = summed(back, multiply(back->grad, back->result));
    return multiply(subtract(back->grad, all), back->result);
}
static struct tensor gradient_of_log_softmax(const struct backward *back, int operand) {
    (void)operand;
    return subtract(back->grad, multiply(exponential(back->result), summed(back, back->grad)));
}

// Along the last dimension log_softmax rounds the sum and its logarithm; along another one softmax rounds the powers.
static struct tensor soft_numbers(struct tensor x, int dim, bool is_log, enum narrow narrow) {
    const bool is_last = dim == x.ndim - 1;
    const struct tensor apart = subtract(x, take_along(x, place_of_most(x, dim, false), dim));
    const struct tensor powers = exponential(apart), sums = sum(powers, dim, true);
    if (!is_log) return divide(is_last ? powers : narrowed(powers, narrow), sums);
    return subtract(apart, is_last ? narrowed(natural_log(narrowed(sums, narrow)), narrow)
                                   : natural_log(sums));
}

// softmax's row or log_softmax's, but for the gradient.
static const struct operation *soft_row(struct torch_call *call, const struct operation *of,
                                        bool is_log) {
    struct operation **row = &torch_library_of(call->machine)->soft_rows[is_log];
    if (*row == NULL) {
        *row = arena_allocate(machine_arena(call->machine), sizeof **row);
        **row = *of;
        (*row)->gradient = is_log ? gradient_of_log_softmax : gradient_of_softmax;
    }
    return *row;
}

struct tensor narrow_soft(struct torch_call *call, struct tensor x, int dim, bool is_log) {
    const enum narrow narrow = narrow_of_call(call, x.storage->dtype);
    const struct tensor result = is_log ? log_softmax(x, dim) : softmax(x, dim);
    if (result.storage->count == 0) return narrowed(result, narrow);
    const struct tensor numbers = soft_numbers(x, dim, is_log, narrow);
    const struct shape shape = shape_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        put_number(result.storage, flat_index(&result, index), element(&numbers, index));
    struct origin *origin = arena_allocate(call->arena, sizeof *origin);
    *origin = *result.storage->origin;
    origin->operation = soft_row(call, origin->operation, is_log);
    result.storage->origin = origin;
    return narrowed(result, narrow);
}

// What is left behind vectors of 32 numbers is computed by itself, and its root is rounded.
struct tensor narrow_rsqrt(struct tensor x, enum narrow narrow) {
    const struct tensor result = reciprocal_root(x), whole = contiguous(x);
    const int64_t count = count_of(shape_of(&x));
    for (int64_t i = count - count % 32; i < count; i++) {
        const float root = sqrtf(floats_of(&whole)[i]);
        floats_of(&result)[i] = 1 / (float)narrow_number(root, narrow);
    }
    return narrowed(result, narrow);
}

// ---- Drawing ------------------------------------------------------------------------------------------------------

// aten/src/ATen/core/TransformationHelper.h, uniform_real: as many bits as the type has.
static float drawn(struct generator *generator, double least, double most, enum narrow narrow) {
    const int bits = narrow == BFLOAT16 ? 8 : 11;
    const float x = ldexpf((float)(random_bits(generator) & ((1U << bits) - 1)), -bits);
    const float from = (float)narrow_number(least, narrow), to = (float)narrow_number(most, narrow);
    return (float)narrow_number(x * (to - from) + from, narrow);
}

struct tensor narrow_uniform(struct arena *arena, struct generator *generator, struct shape shape,
                             double least, double most, enum narrow narrow) {
    if (narrow != BFLOAT16 && narrow != FLOAT16)
        return uniform(arena, generator, shape, least, most);
    const struct tensor result = tensor_given(arena, FLOAT32, shape);
    for (int64_t i = 0; i < result.storage->count; i++)
        floats_of(&result)[i] = drawn(generator, least, most, narrow);
    return narrowed(result, narrow);
}

// aten/src/ATen/native/cpu/DistributionTemplates.h, normal_fill_16, in the type's own arithmetic.
static void turn_to_normal(float *u, enum narrow narrow) {
#define ROUNDED(x) ((float)narrow_number((double)(x), narrow))
    for (int j = 0; j < 8; j++) {
        const float log = ROUNDED(log_float(ROUNDED(1 - u[j]))),
                    radius = ROUNDED(sqrtf(ROUNDED(-2 * log)));
        const float angle = ROUNDED(6.2831855F * u[j + 8]);
        u[j] = ROUNDED(radius * ROUNDED(cos_double((double)angle)));
        u[j + 8] = ROUNDED(radius * ROUNDED(sin_double((double)angle)));
    }
#undef ROUNDED
}

struct tensor narrow_normal(struct arena *arena, struct generator *generator, struct shape shape,
                            enum narrow narrow) {
    const int64_t count = count_of(shape);
    if ((narrow != BFLOAT16 && narrow != FLOAT16) || count < 16)
        return normal(arena, generator, shape);
    const struct tensor result = tensor_given(arena, FLOAT32, shape);
    float *u = floats_of(&result);
    for (int64_t i = 0; i < count; i++) u[i] = drawn(generator, 0, 1, narrow);
    for (int64_t i = 0; i + 15 < count; i += 16) turn_to_normal(u + i, narrow);
    for (int64_t i = count - 16; count % 16 != 0 && i < count; i++)
        u[i] = drawn(generator, 0, 1, narrow);
    if (count % 16 != 0) turn_to_normal(u + count - 16, narrow);
    return narrowed(result, narrow);
}
