#include "tensor/operation/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"

// The errors of a storage's elements, and of all storages that were asked about before.
struct errors {
    const struct storage *storage;
    double *of;
    struct errors *next;
};

struct erring {
    struct arena *arena;
    struct arena *scratch; // for one element
    struct errors *known;
};

static const struct errors *errors_in(struct erring *erring, struct storage *storage);

// An element that an operation only moved errs as it did before; one that it put in does not.
static double error_of_moved(const struct derivation *derivation, const double *errors) {
    double error = 0;
    for (int i = 0; i < derivation->operand_count; i++) {
        if (derivation->operands[i].value == derivation->value) error = fmax(error, errors[i]);
    }
    return error;
}

// Near 0 floats are evenly apart: there each rounding is by as much, however small the number is.
static const double LEAST_ERROR = (double)FLT_TRUE_MIN / ROUNDING;

// `errors` are those of the operands' storages.
static double error_of(struct arena *arena, const struct derivation *derivation,
                       const double *const *errors) {
    const struct operation *operation = derivation->origin->operation;
    const int count = derivation->operand_count;
    double *operand_errors = arena_array(arena, (size_t)count, sizeof *operand_errors);
    for (int i = 0; i < count; i++) {
        const struct operand *operand = &derivation->operands[i];
        operand_errors[i] =
            errors[operand->number][flat_index(&operand->cell.tensor, operand->cell.index)];
    }
    if (operation->error == NULL) return error_of_moved(derivation, operand_errors);
    const double error = operation->error(derivation, operand_errors);
    if (isnan(error)) return INFINITY; // of infinities, which nothing bounds
    return error > 0 ? error + count * LEAST_ERROR : 0;
}

// Bytes for elements before they are freed: few, so that the same memory is used again and again.
enum { ENOUGH = 1 << 15 };

// Of all elements of a storage.
static void find_errors(struct erring *erring, const struct tensor *whole, double *found) {
    const struct storage *storage = whole->storage;
    const struct origin *origin = storage->origin;
    const double **errors =
        arena_array(erring->arena, (size_t)origin->operand_count, sizeof *errors);
    for (int i = 0; i < origin->operand_count; i++)
        errors[i] = errors_in(erring, origin->operands[i].storage)->of;
    for (int64_t i = 0; i < storage->count; i++) {
        struct cell cell = {.tensor = *whole};
        index_at(storage->shape, i, cell.index);
        const struct derivation derivation = find_operands(erring->scratch, &cell);
        found[i] = error_of(erring->scratch, &derivation, errors);
        if (erring->scratch->used > ENOUGH) arena_free(erring->scratch);
    }
}

static const struct errors *errors_in(struct erring *erring, struct storage *storage) {
    for (const struct errors *known = erring->known; known != NULL; known = known->next) {
        if (known->storage == storage) return known;
    }
    struct errors *errors = arena_allocate(erring->arena, sizeof *errors);
    errors->storage = storage;
    errors->of = arena_array(erring->arena, (size_t)storage->count, sizeof *errors->of);
    const struct operation *operation = storage->origin->operation;
    const struct tensor whole = tensor_over(storage, storage->shape);
    if (operation->find != NULL || operation->error != NULL)
        find_errors(erring, &whole, errors->of);
    errors->next = erring->known;
    erring->known = errors;
    return errors;
}

const double *tolerances_of(struct arena *arena, const struct tensor *tensor) {
    struct scratch scratch;
    struct erring erring = {.arena = arena, .scratch = scratch_open(&scratch, arena->failure)};
    const double *errors = errors_in(&erring, tensor->storage)->of;
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    double *tolerances = arena_array(arena, (size_t)count, sizeof *tolerances);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        tolerances[i] = ROUNDING * errors[flat_index(tensor, index)];
    scratch_close(&scratch);
    return tolerances;
}

bool agree(double value, double wanted, double allowed) {
    if (isnan(wanted) || isnan(value)) return isnan(wanted) && isnan(value);
    if (isinf(wanted) || isinf(value)) return value == wanted;
    return fabs(value - wanted) <= allowed;
}
