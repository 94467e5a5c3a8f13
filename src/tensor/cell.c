#include "tensor/cell.h"

#include "base/text.h"

struct cell cell_at(const struct tensor *tensor, const int64_t *index) {
    struct cell cell = {.tensor = *tensor};
    for (int dim = 0; dim < tensor->ndim; dim++) cell.index[dim] = index[dim];
    return cell;
}

bool has_index(const struct tensor *tensor, int count, const int64_t *index) {
    bool is_there = count == tensor->ndim;
    for (int dim = 0; is_there && dim < count; dim++) is_there = index[dim] < tensor->shape[dim];
    return is_there;
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
