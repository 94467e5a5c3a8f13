#include "show/matrix.h"

#include <math.h>
#include <stddef.h>

#include "base/text.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"

// ---- Measuring ----------------------------------------------------------------------------------

static void take_into_range(struct matrix *matrix, double value) {
    if (!isfinite(value)) return;
    if (value < matrix->least) matrix->least = value;
    if (value > matrix->most) matrix->most = value;
}

// One row, whose first element lies at `start` of the storage.
static void measure_row(struct matrix *matrix, int64_t start) {
    const struct tensor *tensor = &matrix->tensor;
    const int64_t stride = tensor->ndim > 0 ? tensor->stride[tensor->ndim - 1] : 0;
    const float *floats = tensor->storage->data;
    const bool is_float = tensor->storage->dtype == FLOAT32;
    struct tensor number = {.storage = tensor->storage};
    for (int64_t j = 0; j < matrix->table.columns; j++) {
        number.offset = start + j * stride;
        take_into_range(matrix, is_float ? (double)floats[number.offset] : element(&number, NULL));
    }
}

// How many rows further the next one is that is looked at: the numbers of a large model are too many for a frame, and rows of
// all parts of a matrix tell their range.
static int64_t rows_apart(const struct tensor *tensor) {
    enum { MOST = 1 << 19, ENOUGH = 1 << 18 };
    const int64_t count = count_of(shape_of(tensor));
    return count > MOST && has_rows(tensor) ? (count + ENOUGH - 1) / ENOUGH : 1;
}

// Passes over the numbers of the tensor, row by row, for their range.
static void measure_range(struct matrix *matrix) {
    matrix->least = INFINITY;
    matrix->most = -INFINITY;
    const int64_t rows = matrix->table.pages * matrix->table.rows;
    const int64_t apart = rows_apart(&matrix->tensor);
    for (int64_t i = 0; i < rows; i += apart) {
        int64_t index[MAX_DIMS] = {0};
        table_index(&matrix->tensor, i / matrix->table.rows, i % matrix->table.rows, 0, index);
        measure_row(matrix, flat_index(&matrix->tensor, index));
    }
}

// One page as a tensor of its own.
static struct tensor page_of(const struct tensor *tensor, int64_t page) {
    struct tensor result = *tensor;
    if (!has_pages(tensor) || count_of(shape_of(tensor)) == 0) return result;
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, 0, 0, index);
    for (int dim = 0; dim < tensor->ndim - 2; dim++) result = select_index(result, 0, index[dim]);
    return result;
}

static struct tensor some_rows(struct tensor page) {
    const int64_t apart = rows_apart(&page);
    const int dim = page.ndim - 2;
    if (apart == 1) return page;
    page.shape[dim] = (page.shape[dim] + apart - 1) / apart;
    page.stride[dim] *= apart;
    return page;
}

// Of numbers the last is widest.
static int widest_label(struct arena *arena, const struct tensor *tensor, int dim) {
    int widest = 0;
    if (!has_labels(tensor, dim) && tensor->shape[dim] > 0)
        return text_width(label_of(arena, tensor, dim, tensor->shape[dim] - 1));
    for (int64_t i = 0; i < tensor->shape[dim]; i++) {
        const int width = text_width(label_of(arena, tensor, dim, i));
        if (width > widest) widest = width;
    }
    return widest;
}

static void measure_labels(struct arena *arena, struct matrix *matrix) {
    const struct tensor labelled = labelled_page(&matrix->tensor, matrix->page),
                        *tensor = &labelled;
    if (tensor->ndim > 0)
        matrix->column_label_width = widest_label(arena, tensor, tensor->ndim - 1);
    if (!has_rows(tensor)) return;
    matrix->row_label_width = widest_label(arena, tensor, tensor->ndim - 2);
    const char *name = axis_name(tensor, tensor->ndim - 2);
    if (name != NULL) matrix->row_axis_width = text_width(name);
}

struct matrix matrix_measure(struct arena *arena, const struct tensor *tensor, int64_t page,
                             int digits) {
    struct matrix matrix = {
        .tensor = *tensor, .table = table_of(tensor), .page = page, .digits = digits};
    measure_range(&matrix);
    matrix.ramp = matrix.least < 0 ? RAMP_DIVERGING : RAMP_SEQUENTIAL;
    const struct tensor shown_page = some_rows(page_of(tensor, page));
    const double size = fmax(fabs(matrix.least), fabs(matrix.most));
    matrix.format = page_format_of(arena, tensor, &shown_page, digits, size);
    if (rows_apart(tensor) > 1) matrix.format.width++; // another row may have a longer number
    measure_labels(arena, &matrix);
    return matrix;
}

enum crossing crossing_of(struct arena *arena, const struct cell *cell) {
    const struct origin *origin = cell->tensor.storage->origin;
    if (cell_value(cell) == -INFINITY && origin->operand_count > 0) return CROSSED_BY_MASK;
    if (!is_hidden_by_mask(arena, cell)) return NOT_CROSSED;
    const struct operation *operation = origin->operation;
    if (!operation->draws && !operation->moves) return CROSSED_BY_MASK;
    const struct derivation derivation = find_operands(arena, cell);
    const enum crossing before = crossing_of(arena, &derivation.operands[0].cell);
    return before == NOT_CROSSED ? CROSSED_BY_DROPOUT : before;
}

// ---- Heat ---------------------------------------------------------------------------------------

int level_of(const struct matrix *matrix, double value) {
    if (isnan(value)) return 0; // no size; what it rounds to would be the processor's choice
    if (matrix->ramp == RAMP_DIVERGING) {
        const double size = fmax(fabs(matrix->least), fabs(matrix->most));
        return 4 + (size > 0 ? (int)lround(4 * fmax(-1, fmin(value / size, 1))) : 0);
    }
    // Numbers that print alike look alike: sums that are 1 but for their last bits.
    const double even = 1e-5 * fmax(fabs(matrix->least), fabs(matrix->most));
    const double range = matrix->most - matrix->least;
    if (!(range > even)) return matrix->most > 0 ? SEQUENTIAL_LEVELS / 2 : 0;
    const double part = fmax(0, fmin((value - matrix->least) / range, 1));
    return (int)lround((SEQUENTIAL_LEVELS - 1) * part);
}
