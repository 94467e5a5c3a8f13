#include "tensor/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct cell cell_at(const struct tensor *tensor, const int64_t *index) {
    struct cell cell = {.tensor = *tensor};
    for (int dim = 0; dim < tensor->ndim; dim++) cell.index[dim] = index[dim];
    return cell;
}

double cell_value(const struct cell *cell) {
    return cell->tensor.storage->count > 0 ? element(&cell->tensor, cell->index) : 0;
}

static int64_t flat_index_of(const struct cell *cell) {
    return flat_index(&cell->tensor, cell->index);
}

bool same_element(const struct cell *a, const struct cell *b) {
    return a->tensor.storage == b->tensor.storage && flat_index_of(a) == flat_index_of(b);
}

// The dimension with the largest stride below `below` among those that are walked, or -1.
static int next_slower(const struct tensor *view, int64_t below) {
    int found = -1;
    for (int dim = 0; dim < view->ndim; dim++) {
        const int64_t stride = view->stride[dim];
        if (view->shape[dim] == 1 || stride == 0 || stride >= below) continue;
        if (found < 0 || stride > view->stride[found]) found = dim;
    }
    return found;
}

// No view here walks an element twice, so strides work like the places of a number: the largest takes
// as much of the way as it can.
bool cell_in_view(const struct tensor *view, const struct cell *cell, struct cell *found) {
    if (view->storage != cell->tensor.storage || count_of(shape_of(view)) == 0) return false;
    struct cell result = {.tensor = *view};
    int64_t rest = flat_index_of(cell) - view->offset;
    if (rest < 0) return false;
    for (int dim = next_slower(view, INT64_MAX); dim >= 0;
         dim = next_slower(view, view->stride[dim])) {
        result.index[dim] = rest / view->stride[dim];
        if (result.index[dim] >= view->shape[dim]) return false;
        rest %= view->stride[dim];
    }
    if (rest != 0) return false;
    if (found != NULL) *found = result;
    return true;
}

const char *cell_label(struct arena *arena, const struct cell *cell) {
    const struct tensor *tensor = &cell->tensor;
    if (tensor->ndim == 0) return "";
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *name = axis_name(tensor, dim);
        const bool is_named = name != NULL && (tensor->ndim > 2 || !has_labels(tensor, dim));
        text_add_format(&text, "%s%s%s%s", dim == 0 ? "[" : ", ", is_named ? name : "",
                        is_named ? " " : "", label_at(arena, tensor, dim, cell->index));
    }
    text_add(&text, "]");
    return text.bytes;
}

const char *number_in_digits(struct arena *arena, double number, int digits) {
    if (isnan(number)) return "nan";
    if (isinf(number)) return number > 0 ? "inf" : "-inf";
    if (digits < 0) return arena_format(arena, "%.9g", number);
    const double size = fabs(number);
    const bool fits = size >= pow(10, -digits) && size < 1e8;
    if (size > 0 && !fits) return arena_format(arena, "%.*e", digits, number);
    return arena_format(arena, "%.*f", digits, number);
}

const char *number_in_arithmetic(struct arena *arena, double number, int digits) {
    const double size = fabs(number), unit = pow(10, -digits);
    const bool is_rough = digits > 0 && size >= unit && size < fmin(100 * unit, 1) &&
                          fabs(round(size / unit) * unit - size) > size * unit;
    const int zeros = is_rough ? -1 - (int)floor(log10(size)) : 0; // behind the point
    return number_in_digits(arena, number, digits + zeros);
}

const char *number_more_precise(struct arena *arena, double number, int digits, int more) {
    const char *own = number_in_arithmetic(arena, number, digits);
    const char *point = strchr(own, '.');
    if (more == 0 || digits < 0 || point == NULL) return own;
    const int decimals = (int)strspn(point + 1, "0123456789") + more;
    const bool has_exponent = strchr(own, 'e') != NULL;
    const char *full = has_exponent ? arena_format(arena, "%.*e", decimals, number)
                                    : arena_format(arena, "%.*f", decimals, number);
    return strtod(own, NULL) == strtod(full, NULL) ? own : full;
}

const char *cell_number(struct arena *arena, const struct cell *cell, int digits) {
    const double value = cell_value(cell);
    if (cell->tensor.storage->count == 0) return "";
    switch (cell->tensor.storage->dtype) {
    case BOOL:
        return value != 0 ? "True" : "False";
    case INT64:
    case INT32:
        return arena_format(arena, "%" PRId64, whole_element(&cell->tensor, cell->index));
    default:
        return number_in_digits(arena, value, digits);
    }
}
