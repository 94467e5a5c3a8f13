// Tensors that operations start from: numbers that were given, and one number everywhere.

#include <inttypes.h>
#include <string.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// ---- Given ---------------------------------------------------------------------------------------

static double account_of_given(struct account *account) {
    const double value = account->derivation->value;
    const bool is_whole = account->storage->dtype == INT64;
    say(account, "%s is given: typed in, counted, or read from a file",
        is_whole ? arena_format(account->arena, "%.0f", value) : figure(account, value));
    return value;
}

const struct operation given_row = {
    .name = "tensor",
    .formula = "given",
    .account = account_of_given,
    .end = "Nothing comes before this: the number was given, not computed.",
};

struct tensor tensor_given(struct arena *arena, enum dtype dtype, struct shape shape) {
    const struct tensor result = tensor_new(arena, dtype, shape);
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    origin->operation = &given_row;
    result.storage->origin = origin;
    return result;
}

struct tensor tensor_of(struct arena *arena, struct shape shape, const float *values) {
    const struct tensor result = tensor_given(arena, FLOAT32, shape);
    memcpy(floats_of(&result), values, (size_t)count_of(shape) * sizeof *values);
    return result;
}

struct tensor arange(struct arena *arena, int64_t first, int64_t count) {
    const struct tensor result = tensor_given(arena, INT64, SHAPE(count));
    for (int64_t i = 0; i < count; i++) ((int64_t *)result.storage->data)[i] = first + i;
    return result;
}

// ---- One number ----------------------------------------------------------------------------------

static struct tensor compute_full(struct arena *arena, const struct origin *origin) {
    const struct tensor result = tensor_new(arena, origin->dtype, origin->shape);
    const int64_t count = count_of(origin->shape);
    if (origin->dtype != FLOAT32)
        for (int64_t i = 0; i < count; i++) put_number(result.storage, i, origin->number);
    else
        for (int64_t i = 0; i < count; i++) floats_of(&result)[i] = (float)origin->number;
    return result;
}

static double account_of_constant(struct account *account) {
    say(account, "%s is a constant of the lesson", figure(account, account->derivation->value));
    return (double)(float)account->derivation->origin->number;
}

const struct operation constant_row = {
    .name = "tensor",
    .compute = compute_full,
    .account = account_of_constant,
    .end = "Nothing comes before this: the number was given, not computed.",
};

struct tensor scalar(struct arena *arena, double number) {
    return perform(arena, &(struct origin){.operation = &constant_row, .number = number});
}

static double account_of_full(struct account *account) {
    const float value = (float)account->derivation->origin->number;
    say(account, "every element is %s", figure(account, (double)value));
    return (double)value;
}

const struct operation full_row = {
    .name = "full",
    .formula = "#",
    .compute = compute_full,
    .account = account_of_full,
    .end = "Nothing comes before this: all numbers of this tensor are the same constant.",
};

struct tensor full_of(struct arena *arena, enum dtype dtype, struct shape shape, double number) {
    return perform(arena, &(struct origin){.operation = shape.ndim == 0 ? &constant_row : &full_row,
                                           .dtype = dtype,
                                           .shape = shape,
                                           .number = number});
}

struct tensor full(struct arena *arena, struct shape shape, double number) {
    return perform(arena,
                   &(struct origin){.operation = &full_row, .shape = shape, .number = number});
}
