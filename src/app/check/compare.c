#include "app/check/compare.h"

#include <math.h>

#include "tensor/operation/tolerance.h"

// Is `shorter` what is left of `longer` without some of its dimensions of size 1?
static bool leaves(struct shape longer, struct shape shorter) {
    int next = 0;
    for (int dim = 0; dim < longer.ndim; dim++) {
        if (next < shorter.ndim && longer.size[dim] == shorter.size[next])
            next++;
        else if (longer.size[dim] != 1)
            return false;
    }
    return next == shorter.ndim;
}

bool fits(const struct numbers *numbers, struct shape shape) {
    const bool is_shorter = numbers->shape.ndim < shape.ndim;
    if (is_shorter ? leaves(shape, numbers->shape) : leaves(numbers->shape, shape)) return true;
    if (count_of(numbers->shape) != count_of(shape)) return false;
    if (numbers->form != FORM_TABLE) return false;
    const int64_t rows = numbers->shape.size[0], columns = numbers->shape.size[1];
    if (shape.ndim < 2) return rows == 1 || columns == 1;
    return columns == shape.size[shape.ndim - 1];
}

bool is_all_nan(const struct numbers *numbers) {
    for (int64_t i = 0; i < count_of(numbers->shape); i++) {
        if (!isnan(numbers->values[i])) return false;
    }
    return true;
}

double half_unit_at(const struct numbers *numbers, int64_t position) {
    return numbers->half_units != NULL ? numbers->half_units[position] : 0;
}

double *least_allowed(struct arena *arena, const struct numbers *numbers,
                      const struct tensor *tensor) {
    const int64_t count = count_of(shape_of(tensor));
    double *allowed = arena_array(arena, (size_t)count, sizeof *allowed);
    for (int64_t i = 0; i < count; i++) {
        const double wanted = fabs(element_at(tensor, i));
        allowed[i] = half_unit_at(numbers, i) + (isfinite(wanted) ? ROUNDING * wanted : 0);
    }
    return allowed;
}

bool all_agree(const struct numbers *numbers, const struct tensor *tensor, const double *allowed) {
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i < count; i++) {
        if (!agree(numbers->values[i], element_at(tensor, i), allowed[i])) return false;
    }
    return true;
}

const double *allowed_of(struct arena *arena, const struct numbers *numbers,
                         const struct tensor *tensor) {
    double *allowed = least_allowed(arena, numbers, tensor);
    if (all_agree(numbers, tensor, allowed)) return allowed;
    const double *tolerances = tolerances_of(arena, tensor);
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++)
        allowed[i] = fmax(allowed[i], half_unit_at(numbers, i) + tolerances[i]);
    return allowed;
}

const double *allowed_beside(struct arena *arena, const struct numbers *numbers,
                             const struct tensor *tensor, const struct tensor *right,
                             const double *allowed) {
    const double *least = least_allowed(arena, numbers, right);
    double *widened = least_allowed(arena, numbers, tensor);
    const double size = size_of(right), times = size > 0 ? size_of(tensor) / size : 1;
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++)
        widened[i] += times * (allowed[i] - least[i]);
    return widened;
}

double size_of(const struct tensor *tensor) {
    const int64_t count = count_of(shape_of(tensor));
    double sum = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < count; i++) {
        const double x = element_at(tensor, i);
        if (!isfinite(x)) continue;
        sum += x * x;
        finite++;
    }
    return finite > 0 ? sqrt(sum / (double)finite) : 0;
}

int64_t count_apart(const struct numbers *numbers, const struct tensor *tensor, double part) {
    const int64_t count = count_of(shape_of(tensor));
    const double size = size_of(tensor);
    int64_t apart = 0;
    for (int64_t i = 0; i < count; i++) {
        const double wanted = element_at(tensor, i);
        apart += !agree(numbers->values[i], wanted,
                        half_unit_at(numbers, i) + part * fmax(size, fabs(wanted)));
    }
    return apart;
}

struct comparison compare(const struct numbers *numbers, const struct tensor *tensor) {
    return compare_up_to(numbers, tensor, INT64_MAX);
}

struct comparison compare_up_to(const struct numbers *numbers, const struct tensor *tensor,
                                int64_t most) {
    static const double FAR =
        1e-3; // too far for any rounding: what is allowed takes longer to know
    struct comparison comparison = {.count = count_of(shape_of(tensor)), .first = -1};
    if (most < comparison.count && count_apart(numbers, tensor, FAR) > most) {
        comparison.different = most + 1;
        return comparison;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, tensor->storage->arena->failure);
    comparison = compare_within(numbers, tensor, allowed_of(m, numbers, tensor), most);
    scratch_close(&scratch);
    return comparison;
}

struct comparison compare_within(const struct numbers *numbers, const struct tensor *tensor,
                                 const double *allowed, int64_t most) {
    struct comparison comparison = {.count = count_of(shape_of(tensor)), .first = -1};
    for (int64_t i = 0; i < comparison.count && comparison.different <= most; i++) {
        const double value = numbers->values[i], wanted = element_at(tensor, i);
        if (!agree(value, wanted, allowed[i])) {
            if (comparison.different++ == 0) comparison.first = i;
        }
        const double difference = fabs(value - wanted);
        if (isfinite(difference) && difference > comparison.largest) {
            comparison.largest = difference;
            comparison.worst = i;
        }
    }
    return comparison;
}

bool has_fractions(const struct tensor *tensor) {
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i < count; i++) {
        const double wanted = element_at(tensor, i);
        if (isfinite(wanted) && wanted != rint(wanted)) return true;
    }
    return false;
}
