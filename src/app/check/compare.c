#include "app/check/compare.h"

#include <math.h>

#include "tensor/tolerance.h"

bool fits(const struct numbers *numbers, struct shape shape) {
    if (shapes_equal(numbers->shape, shape)) return true;
    if (numbers->form != FORM_TABLE || count_of(numbers->shape) != count_of(shape)) return false;
    const int64_t rows = numbers->shape.size[0], columns = numbers->shape.size[1];
    if (shape.ndim < 2) return rows == 1 || columns == 1;
    return columns == shape.size[shape.ndim - 1];
}

double tolerance_for(const struct tensor *tensor) {
    static const double LEAST = 2e-6;
    const double tolerance = tolerance_of(tensor);
    return tolerance > LEAST ? tolerance : LEAST;
}

double half_unit_at(const struct numbers *numbers, int64_t position) {
    return numbers->half_units != NULL ? numbers->half_units[position] : 0;
}

struct comparison compare(const struct numbers *numbers, const struct tensor *tensor,
                          double tolerance) {
    return compare_up_to(numbers, tensor, tolerance, INT64_MAX);
}

struct comparison compare_up_to(const struct numbers *numbers, const struct tensor *tensor,
                                double tolerance, int64_t most) {
    struct comparison comparison = {.count = count_of(shape_of(tensor)), .first = -1};
    for (int64_t i = 0; i < comparison.count && comparison.different <= most; i++) {
        const double value = numbers->values[i], wanted = element_at(tensor, i);
        if (!agree(value, wanted, tolerance, half_unit_at(numbers, i))) {
            if (comparison.different++ == 0) comparison.first = i;
        }
        const double difference = fabs(value - wanted);
        if (isfinite(difference) && difference > comparison.largest) {
            comparison.largest = difference;
            comparison.place = i;
        }
    }
    return comparison;
}
