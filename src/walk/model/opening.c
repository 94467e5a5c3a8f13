#include "walk/model/state.h"

#include <math.h>
#include <string.h>

#include "show/table.h"
#include "tensor/operation/operation.h"
#include "trace/run/step.h"

enum { MANY = 1000000 }; // numbers: none is looked for among more

static double number_at(const struct tensor *tensor, int64_t page, int64_t row, int64_t column) {
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, row, column, index);
    return element(tensor, index);
}

// The largest number of some rows, whatever its sign.
static void find_largest(const struct tensor *tensor, int64_t page, int64_t first, int64_t count,
                         int64_t *row, int64_t *column) {
    const int64_t columns = table_of(tensor).columns;
    double most = -1;
    for (int64_t i = first; i < first + count; i++) {
        for (int64_t k = 0; k < columns; k++) {
            const double size = fabs(number_at(tensor, page, i, k));
            if (!(size > most) || isinf(size)) continue;
            most = size;
            *row = i;
            *column = k;
        }
    }
}

// Does a mask let nothing through here, or say so itself?
static bool is_blocked(const struct tensor *tensor, double number) {
    return tensor->storage->dtype == BOOL ? number != 0 : number == 0 || isinf(number);
}

// The first of the rows in which most numbers are not 0.
static int64_t fullest_row(const struct tensor *tensor, int64_t page) {
    const struct table table = table_of(tensor);
    int64_t fullest = 0, most = 0;
    for (int64_t row = 0; row < table.rows; row++) {
        int64_t count = 0;
        for (int64_t k = 0; k < table.columns; k++) count += number_at(tensor, page, row, k) != 0;
        if (count <= most) continue;
        fullest = row;
        most = count;
    }
    return fullest;
}

// In the row nearest to the middle that has one: the first blocked number behind one that is not, or that one. No
// border is looked for in millions of drawn numbers, which are the weights of a whole GPT.
static bool find_border(const struct tensor *tensor, int64_t page, bool is_behind, int64_t *row,
                        int64_t *column) {
    const struct table table = table_of(tensor);
    if (tensor->storage->origin->operation->draws && table.rows * table.columns > MANY)
        return false;
    for (int64_t i = 0; i < table.rows; i++) {
        const int64_t step = (i + 1) / 2, middle = table.rows / 2;
        const int64_t at = i % 2 == 0 ? middle + step : middle - step;
        if (at < 0 || at >= table.rows) continue;
        for (int64_t k = 1; k < table.columns; k++) {
            const bool is_open = !is_blocked(tensor, number_at(tensor, page, at, k - 1));
            if (!is_open || !is_blocked(tensor, number_at(tensor, page, at, k))) continue;
            *row = at;
            *column = is_behind ? k : k - 1;
            return true;
        }
    }
    return false;
}

// The cell that the lesson gives, if the tensor has it: with other parameters it may be smaller.
static bool find_given(const struct step *step, int64_t *page, int64_t *row, int64_t *column) {
    const struct opening *given = &step->opening;
    const struct table table = table_of(&step->tensor);
    if (!given->is_given || given->page >= table.pages || given->row >= table.rows ||
        given->column >= table.columns)
        return false;
    if (given->page >= 0) *page = given->page;
    *row = given->row;
    *column = given->column;
    return true;
}

// The first nan, or the first number that an operation put in the place of one.
static bool find_nan(const struct tensor *tensor, int64_t *page, int64_t *row, int64_t *column) {
    const struct origin *origin = tensor->storage->origin;
    const struct shape shape = shape_of(tensor);
    const bool is_whole = shapes_equal(shape, tensor->storage->shape);
    const bool has_before = is_whole && origin->operand_count > 0 &&
                            shapes_equal(shape, shape_of(&origin->operands[0]));
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        const bool was_nan = has_before && isnan(element(&origin->operands[0], index));
        if (!was_nan && !isnan(element(tensor, index))) continue;
        table_place(tensor, index, page, row, column);
        return true;
    }
    return false;
}

// The page that is open, or the next one on which a mask blocks something.
static int64_t page_of_mask(const struct tensor *tensor, int64_t page) {
    const struct table table = table_of(tensor);
    const int64_t count = table.rows * table.columns;
    for (int64_t i = page * count; i < table.pages * count; i++) {
        const int64_t row = i % count / table.columns, column = i % table.columns;
        if (is_blocked(tensor, number_at(tensor, i / count, row, column))) return i / count;
    }
    return page;
}

// The row in which two tensors of one shape lie furthest apart.
static int64_t row_furthest_apart(const struct tensor *tensor, const struct tensor *other,
                                  int64_t page) {
    const struct table table = table_of(tensor);
    int64_t furthest = 0;
    double most = 0;
    for (int64_t row = 0; row < table.rows; row++) {
        double apart = 0;
        for (int64_t k = 0; k < table.columns; k++)
            apart += fabs(number_at(tensor, page, row, k) - number_at(other, page, row, k));
        if (!(apart > most)) continue;
        furthest = row;
        most = apart;
    }
    return furthest;
}

// Of numbers that each stand for a row of another tensor, as sums of rows do: the one whose row find_border finds.
static bool find_line_with_border(const struct tensor *tensor, int64_t page, int64_t *row,
                                  int64_t *column) {
    const struct origin *origin = tensor->storage->origin;
    if (origin->operand_count != 1) return false;
    const struct tensor *x = &origin->operands[0];
    const struct table result = table_of(tensor), operand = table_of(x);
    const bool is_column = result.columns == 1 && result.rows == operand.rows;
    const bool is_row = result.rows == 1 && result.columns == operand.rows;
    const bool is_of_rows = origin->dim == x->ndim - 1 && operand.pages == result.pages;
    int64_t line, ignored;
    if (!is_of_rows || (!is_column && !is_row)) return false;
    if (!find_border(x, page, false, &line, &ignored)) return false;
    *row = is_column ? line : 0;
    *column = is_column ? 0 : line;
    return true;
}

// The first number of a page that the operation changes; the page's first if it changes none. Most operations change
// the first one: rotate leaves position 0 as it was, and a running maximum that starts at -inf is a copy. Changed is a number
// that is not 0 and that no operand of the same shape has there.
static void find_changed(const struct tensor *tensor, int64_t page, int64_t *row, int64_t *column) {
    const struct table table = table_of(tensor);
    const struct origin *origin = tensor->storage->origin;
    const bool is_whole = shapes_equal(shape_of(tensor), tensor->storage->shape);
    for (int64_t i = 0; is_whole && i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, page, i / table.columns, i % table.columns, index);
        const double number = element(tensor, index);
        bool is_changed = number != 0;
        for (int k = 0; k < origin->operand_count && is_changed; k++) {
            const struct tensor *operand = &origin->operands[k];
            is_changed = !shapes_equal(shape_of(operand), shape_of(tensor)) ||
                         element(operand, index) != number;
        }
        if (!is_changed) continue;
        *row = i / table.columns;
        *column = i % table.columns;
        return;
    }
}

void opening_cell(const struct run *run, const struct step *step, int64_t *page, int64_t *row,
                  int64_t *column) {
    const struct step *beside = weights_beside(run, step);
    const struct tensor *tensor = &step->tensor;
    const struct operation *operation = tensor->storage->origin->operation;
    const struct table table = table_of(tensor);
    const bool is_vast = is_of_reader(run->lesson) && count_of(shape_of(tensor)) > MANY;
    *row = *column = 0;
    if (is_vast || table.rows * table.columns == 0 || find_given(step, page, row, column)) return;
    if (find_nan(tensor, page, row, column)) return;
    if (operation->changes_some) *page = page_of_mask(tensor, *page);
    if (operation->factors == 2)
        find_largest(tensor, *page, 0, table.rows, row, column);
    else if (operation->parts_of_line > 0)
        find_largest(tensor, *page,
                     beside != NULL ? row_furthest_apart(tensor, &beside->tensor, *page)
                                    : fullest_row(tensor, *page),
                     1, row, column);
    else if (!find_line_with_border(tensor, *page, row, column) &&
             !find_border(tensor, *page, operation->changes_some || tensor->storage->dtype == BOOL,
                          row, column))
        find_changed(tensor, *page, row, column);
}
