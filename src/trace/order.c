#include "trace/order.h"

#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h" // defines: narrow, select_index
#include "trace/derivation.h"
#include "trace/step.h" // defines: label_of

// ---- How the numbers are walked -----------------------------------------------------------------

static void move_dim(struct tensor *x, int from, int to) {
    const int64_t size = x->shape[from], stride = x->stride[from];
    const struct axis axis = x->axis[from];
    for (int dim = from; dim != to; dim += from < to ? 1 : -1) {
        const int next = from < to ? dim + 1 : dim - 1;
        x->shape[dim] = x->shape[next];
        x->stride[dim] = x->stride[next];
        x->axis[dim] = x->axis[next];
    }
    x->shape[to] = size;
    x->stride[to] = stride;
    x->axis[to] = axis;
}

// The view with its dimensions as memory lies: the larger the stride, the slower.
static struct tensor slowest_first(struct tensor x) {
    if (is_contiguous(&x)) return x;
    for (int dim = 1; dim < x.ndim; dim++) {
        int to = dim;
        while (to > 0 && x.stride[to - 1] < x.stride[dim]) to--;
        move_dim(&x, dim, to);
    }
    return x;
}

// All numbers of a storage in the shape that the operation filled.
static struct tensor whole(struct storage *storage) {
    struct tensor tensor = {.storage = storage, .ndim = storage->shape.ndim};
    int64_t stride = 1;
    for (int dim = tensor.ndim - 1; dim >= 0; dim--) {
        tensor.shape[dim] = storage->shape.size[dim];
        tensor.stride[dim] = stride;
        stride *= tensor.shape[dim];
    }
    return tensor;
}

// Which dimension of a view walks the storage as dimension `dim` of the operation's result does; -1
// if none does.
static int same_dim(const struct tensor *view, int dim) {
    const struct tensor result = whole(view->storage);
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == result.shape[dim] && view->stride[i] == result.stride[dim]) return i;
    }
    return -1;
}

// The numbers of part `part`, to be walked row by row.
static struct tensor part_of(const struct order *order, int part) {
    if (order->part_count == 1) return order->walked;
    const struct origin *origin = order->walked.storage->origin;
    if (origin->operation == STACK) return select_index(order->walked, origin->dim, part);
    int64_t start = 0;
    for (int i = 0; i < part; i++) start += origin->operands[i].shape[origin->dim];
    return narrow(order->walked, origin->dim, start, origin->operands[part].shape[origin->dim]);
}

// ---- Rows and moments ---------------------------------------------------------------------------

static int64_t width_of(const struct tensor *part) {
    return part->ndim == 0 ? 1 : part->shape[part->ndim - 1];
}

static int64_t rows_of(const struct tensor *part) {
    const int64_t count = count_of(shape_of(part));
    return count == 0 ? 0 : count / width_of(part);
}

static int64_t row_moments(const struct order *order, const struct tensor *part) {
    return order->before_cells + width_of(part);
}

// Is the step a view of numbers that an earlier step has shown?
static bool is_view(const struct run *run, const struct step *step) {
    for (int i = 0; i < run->step_count && run->steps[i].number < step->number; i++) {
        if (run->steps[i].tensor.storage == step->tensor.storage) return true;
    }
    return false;
}

static void find_walk(struct order *order) {
    struct storage *storage = order->tensor.storage;
    const struct origin *origin = storage->origin;
    order->part_count = 1;
    order->walked = slowest_first(order->tensor);
    if (origin->operation == SOFTMAX || origin->operation == LOG_SOFTMAX) {
        const int dim = same_dim(&order->walked, origin->dim);
        if (dim < 0) return;
        move_dim(&order->walked, dim, order->walked.ndim - 1);
        order->before_cells = 3;
    }
    if (origin->operation == CAT || origin->operation == STACK) {
        if (count_of(shape_of(&order->tensor)) != storage->count) return;
        order->walked = whole(storage);
        order->part_count = origin->operand_count;
    }
}

struct order order_of(const struct run *run, const struct step *step) {
    struct order order = {.tensor = step->tensor};
    const bool is_given = step->tensor.storage->origin->operation == FROM_INPUT;
    if (is_given || is_view(run, step)) return order;
    find_walk(&order);
    for (int i = 0; i < order.part_count; i++) {
        const struct tensor part = part_of(&order, i);
        order.row_count += rows_of(&part);
        order.moment_count += rows_of(&part) * row_moments(&order, &part);
    }
    return order;
}

int64_t row_start(const struct order *order, int64_t row) {
    int64_t moments = 0;
    for (int i = 0; i < order->part_count; i++) {
        const struct tensor part = part_of(order, i);
        const int64_t rows = rows_of(&part);
        if (row < rows) return moments + row * row_moments(order, &part);
        row -= rows;
        moments += rows * row_moments(order, &part);
    }
    return moments;
}

// The cell of the step's tensor that is number `position` of a part.
static struct cell cell_in_part(const struct order *order, const struct tensor *part,
                                int64_t position) {
    struct cell own = {.tensor = *part};
    index_at(shape_of(part), position, own.index);
    struct cell cell = {0};
    (void)cell_in_view(&order->tensor, &own, &cell);
    return cell;
}

struct moment moment_at(const struct order *order, int64_t i) {
    struct moment moment = {.kind = COMPUTES_CELL};
    for (int number = 0; number < order->part_count; number++) {
        const struct tensor part = part_of(order, number);
        const int64_t rows = rows_of(&part), per_row = row_moments(order, &part);
        if (i >= rows * per_row) {
            i -= rows * per_row;
            moment.row += rows;
            continue;
        }
        const int64_t row = i / per_row, place = i % per_row - order->before_cells;
        if (place < 0) moment.kind = FINDS_MAXIMUM + (enum moment_kind)(i % per_row);
        moment.row += row;
        const int64_t first = row * width_of(&part);
        moment.cell = cell_in_part(order, &part, first + (place < 0 ? 0 : place));
        break;
    }
    return moment;
}

static int64_t position_of(const struct cell *cell) {
    int64_t position = 0;
    for (int dim = 0; dim < cell->tensor.ndim; dim++) {
        position = position * cell->tensor.shape[dim] + cell->index[dim];
    }
    return position;
}

int64_t moment_of(const struct order *order, const int64_t *index) {
    const struct cell cell = cell_at(&order->tensor, index);
    int64_t moments = 0;
    for (int i = 0; i < order->part_count; i++) {
        const struct tensor part = part_of(order, i);
        struct cell own;
        if (cell_in_view(&part, &cell, &own)) {
            const int64_t row = position_of(&own) / width_of(&part);
            const int64_t place = position_of(&own) % width_of(&part);
            return moments + row * row_moments(order, &part) + order->before_cells + place;
        }
        moments += rows_of(&part) * row_moments(order, &part);
    }
    return moments;
}

// ---- What happens -------------------------------------------------------------------------------

// "row starts: ", "row [head 2, query starts]: ", "column with: ": the line that `cell` lies in; "" if
// it is the only one.
static const char *line_name(struct arena *arena, const struct order *order,
                             const struct cell *cell) {
    const struct tensor *tensor = &order->tensor;
    const int dim = same_dim(tensor, tensor->storage->origin->dim);
    if (tensor->ndim == 1) return "";
    const char *word = dim == tensor->ndim - 1   ? "row"
                       : dim == tensor->ndim - 2 ? "column"
                                                 : "line";
    if (tensor->ndim == 2) {
        const int other = 1 - dim;
        return arena_format(arena, "%s %s: ", word,
                            label_of(arena, tensor, other, cell->index[other]));
    }
    struct cell rest = {.tensor = select_index(*tensor, dim, cell->index[dim])};
    for (int i = 0, to = 0; i < tensor->ndim; i++) {
        if (i != dim) rest.index[to++] = cell->index[i];
    }
    return arena_format(arena, "%s %s: ", word, cell_label(arena, &rest));
}

// The lines of a softmax's derivation are: maximum, an exponential each, sum, conclusion.
static const char *line_text(struct arena *arena, enum moment_kind kind,
                             const struct derivation *derivation) {
    if (kind == FINDS_MAXIMUM) return derivation->lines[0];
    if (kind == ADDS_UP) return derivation->lines[derivation->line_count - 2];
    struct text text = text_new(arena);
    for (int i = 1; i < derivation->line_count - 2; i++) {
        text_add_format(&text, "%s%s", i > 1 ? ", " : "", derivation->lines[i]);
    }
    return text.bytes;
}

const char *moment_text(struct arena *arena, const struct order *order, int64_t i, int digits) {
    const struct moment moment = moment_at(order, i);
    const struct derivation derivation = derive(arena, &moment.cell, digits);
    if (moment.kind != COMPUTES_CELL) {
        return arena_format(arena, "%s%s", line_name(arena, order, &moment.cell),
                            line_text(arena, moment.kind, &derivation));
    }
    const char *label = cell_label(arena, &moment.cell);
    return arena_format(arena, "%s%s%s", label, *label != '\0' ? ": " : "",
                        derivation.lines[derivation.line_count - 1]);
}
