#include "trace/tape/order.h"

#include <string.h>

#include "base/text.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h" // defines: select_index
#include "trace/run/step.h"

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

// Which dimension of a view walks the storage as dimension `dim` of the operation's result does; -1
// if none does.
static int same_dim(const struct tensor *view, int dim) {
    const struct tensor result = tensor_over(view->storage, view->storage->shape);
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == result.shape[dim] && view->stride[i] == result.stride[dim]) return i;
    }
    return -1;
}

// Piece number `piece` of the numbers, to be walked row by row.
static struct tensor piece_of(const struct order *order, int piece) {
    if (order->piece_count == 1) return order->walked;
    const struct origin *origin = order->walked.storage->origin;
    return origin->operation->part(origin, order->walked, piece);
}

// ---- Rows and moments ---------------------------------------------------------------------------

static int64_t width_of(const struct tensor *piece) {
    return piece->ndim == 0 ? 1 : piece->shape[piece->ndim - 1];
}

static int64_t rows_of(const struct tensor *piece) {
    const int64_t count = count_of(shape_of(piece));
    return count == 0 ? 0 : count / width_of(piece);
}

static int64_t row_moments(const struct order *order, const struct tensor *piece) {
    return order->before_cells + width_of(piece);
}

static void find_walk(struct order *order) {
    struct storage *storage = order->tensor.storage;
    const struct origin *origin = storage->origin;
    order->piece_count = 1;
    order->walked = slowest_first(order->tensor);
    if (origin->operation->parts_of_line > 0) {
        const int dim = same_dim(&order->walked, origin->dim);
        if (dim < 0) return;
        move_dim(&order->walked, dim, order->walked.ndim - 1);
        order->before_cells = origin->operation->parts_of_line;
    }
    if (origin->operation->part != NULL) {
        if (count_of(shape_of(&order->tensor)) != storage->count) return;
        order->walked = tensor_over(storage, storage->shape);
        order->piece_count = origin->operand_count;
    }
}

struct order order_of(const struct run *run, const struct step *step) {
    struct order order = {.tensor = step->tensor};
    const bool is_given = step->tensor.storage->origin->operation->compute == NULL;
    if (is_given || shows_view(run, step)) return order;
    find_walk(&order);
    for (int i = 0; i < order.piece_count; i++) {
        const struct tensor piece = piece_of(&order, i);
        order.row_count += rows_of(&piece);
        order.moment_count += rows_of(&piece) * row_moments(&order, &piece);
    }
    return order;
}

int64_t row_start(const struct order *order, int64_t row) {
    int64_t moments = 0;
    for (int i = 0; i < order->piece_count; i++) {
        const struct tensor piece = piece_of(order, i);
        const int64_t rows = rows_of(&piece);
        if (row < rows) return moments + row * row_moments(order, &piece);
        row -= rows;
        moments += rows * row_moments(order, &piece);
    }
    return moments;
}

// The cell of the step's tensor that is number `position` of a piece.
static struct cell cell_in_piece(const struct order *order, const struct tensor *piece,
                                 int64_t position) {
    struct cell in_piece = {.tensor = *piece};
    index_at(shape_of(piece), position, in_piece.index);
    struct cell cell = {0};
    (void)cell_in_view(&order->tensor, &in_piece, &cell);
    return cell;
}

struct moment moment_at(const struct order *order, int64_t i) {
    struct moment moment = {.part = COMPUTES_CELL};
    for (int number = 0; number < order->piece_count; number++) {
        const struct tensor piece = piece_of(order, number);
        const int64_t rows = rows_of(&piece), per_row = row_moments(order, &piece);
        if (i >= rows * per_row) {
            i -= rows * per_row;
            moment.row += rows;
            continue;
        }
        const int64_t row = i / per_row, position = i % per_row - order->before_cells;
        if (position < 0) moment.part = (int)(i % per_row);
        moment.row += row;
        const int64_t first = row * width_of(&piece);
        moment.cell = cell_in_piece(order, &piece, first + (position < 0 ? 0 : position));
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
    for (int i = 0; i < order->piece_count; i++) {
        const struct tensor piece = piece_of(order, i);
        struct cell in_piece;
        if (cell_in_view(&piece, &cell, &in_piece)) {
            const int64_t row = position_of(&in_piece) / width_of(&piece);
            const int64_t position = position_of(&in_piece) % width_of(&piece);
            return moments + row * row_moments(order, &piece) + order->before_cells + position;
        }
        moments += rows_of(&piece) * row_moments(order, &piece);
    }
    return moments;
}

// ---- What happens -------------------------------------------------------------------------------

// "row starts", "row [head 2, query starts]", "column with": the line that `cell` lies in; "" if
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
        return arena_format(arena, "%s %s", word,
                            label_of(arena, tensor, other, cell->index[other]));
    }
    struct cell rest = {.tensor = select_index(*tensor, dim, cell->index[dim])};
    for (int i = 0, to = 0; i < tensor->ndim; i++) {
        if (i != dim) rest.index[to++] = cell->index[i];
    }
    return arena_format(arena, "%s %s", word, cell_label(arena, &rest));
}

// The lines of a derivation that belong to a part of its line.
static const char *part_text(struct arena *arena, int part, const struct derivation *derivation) {
    struct text text = text_new(arena);
    const int first = part > 0 ? derivation->part_end[part - 1] : 0;
    for (int i = first; i < derivation->part_end[part]; i++) {
        text_add_format(&text, "%s%s", i > first ? ", " : "", derivation->lines[i]);
    }
    return text.length > 0 ? text.bytes : "";
}

struct happening what_happens(struct arena *arena, const struct order *order, int64_t i,
                              int digits) {
    const struct moment moment = moment_at(order, i);
    const struct derivation derivation = derive(arena, &moment.cell, digits);
    if (moment.part != COMPUTES_CELL)
        return (struct happening){line_name(arena, order, &moment.cell),
                                  part_text(arena, moment.part, &derivation)};
    return (struct happening){cell_label(arena, &moment.cell),
                              derivation.lines[derivation.line_count - 1]};
}
