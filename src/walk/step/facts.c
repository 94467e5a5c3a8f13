#include "walk/step/facts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"

const char *facts_text(struct arena *arena, const struct tensor *tensor) {
    struct text text = text_new(arena);
    if (tensor->ndim == 0) {
        text_add_format(&text, "a single number, %s", dtype_text(tensor));
        return text.bytes;
    }
    text_add_format(&text, "%s %s", shape_text(arena, shape_of(tensor)), axes_text(arena, tensor));
    if (tensor->storage->dtype != FLOAT32) text_add_format(&text, ", %s", dtype_text(tensor));
    return text.bytes;
}

const char *page_text(struct arena *arena, const struct tensor *tensor, int64_t page,
                      bool is_long) {
    if (table_of(tensor).pages < 2) return NULL;
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, 0, 0, index);
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim - 2; dim++) {
        const char *name = axis_name(tensor, dim) != NULL ? axis_name(tensor, dim) : "page";
        const char *label = label_at(arena, tensor, dim, index);
        text_add_format(&text, "%s%s %s", dim > 0 ? ", " : "", name, label);
    }
    if (is_long) text_add(&text, " (press .)");
    return text.bytes;
}

// ---- What is always so --------------------------------------------------------------------------

enum { UNIT_ULPS = 8 };

static double row_sum(const struct tensor *tensor, int64_t page, int64_t row) {
    const int64_t columns = table_of(tensor).columns;
    double sum = 0;
    for (int64_t column = 0; column < columns; column++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, page, row, column, index);
        sum += element(tensor, index);
    }
    return sum;
}

bool rows_sum_to_one(const struct tensor *tensor, int64_t page) {
    const struct table table = table_of(tensor);
    if (tensor->storage->dtype != FLOAT32 || table.columns < 2) return false;
    if (page >= table.pages) return false;
    for (int64_t row = 0; row < table.rows; row++) {
        if (!(fabs(row_sum(tensor, page, row) - 1) < (int)UNIT_ULPS * 6e-8 * (double)table.columns))
            return false;
    }
    return true;
}

static const char *sums_text(struct arena *arena, const struct matrix *matrix, int64_t row) {
    const struct tensor *tensor = &matrix->tensor;
    const struct origin *origin = tensor->storage->origin;
    if (rows_sum_to_one(tensor, matrix->page))
        return matrix->table.rows > 1 ? "every row sums to 1" : "sums to 1";
    if (origin->operation->why_rows_lose != NULL &&
        rows_sum_to_one(&origin->operands[0], matrix->page))
        return origin->operation->why_rows_lose(arena, origin);
    const double sum = row_sum(tensor, matrix->page, row);
    if (sum == -INFINITY)
        return "e^-inf is 0"; // no one adds up masked scores; this is why they are so
    const char *number = number_in_digits(arena, sum, matrix->digits);
    return arena_format(arena, matrix->table.rows > 1 ? "this row sums to %s" : "sums to %s",
                        number);
}

static void add_if_fits(struct text *text, const char *more, int width) {
    if (text->length > 0 && text_width(text->bytes) + 2 + text_width(more) > width) return;
    text_add_format(text, "%s%s", text->length > 0 ? "; " : "", more);
}

// "15 of 36 changed", against the operand of a step that only changes some numbers; NULL for others.
static const char *changes_text(struct arena *arena, const struct matrix *matrix) {
    const struct tensor *tensor = &matrix->tensor;
    const struct origin *origin = tensor->storage->origin;
    if (!origin->operation->changes_some) return NULL;
    const struct tensor *before = &origin->operands[0];
    if (!shapes_equal(shape_of(before), shape_of(tensor))) return NULL;
    const int64_t columns = matrix->table.columns, count = matrix->table.rows * columns;
    int64_t changed = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, matrix->page, i / columns, i % columns, index);
        if (element(tensor, index) != element(before, index)) changed++;
    }
    return arena_format(arena, "%" PRId64 " of %" PRId64 " changed", changed, count);
}

bool is_about_memory(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    const bool is_view =
        !shapes_equal(shape_of(tensor), tensor->storage->shape) || !is_contiguous(tensor);
    return has_pages(tensor) &&
           (is_view || (origin->operation->moves && origin->operand_count == 1 &&
                        origin->operation != &stack_row));
}

const char *sentence_within(struct arena *arena, const struct tensor *tensor, int width) {
    const char *sentence = sentence_of(arena, tensor);
    return sentence != NULL && text_width(sentence) <= width ? sentence : NULL;
}

const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row,
                           int width) {
    const struct tensor *tensor = &matrix->tensor;
    if (tensor->ndim == 0) return NULL;
    struct text text = text_new(arena);
    const char *sentence = sentence_within(arena, tensor, width);
    if (sentence != NULL) return sentence;
    add_if_fits(&text,
                arena_format(arena, "strides %s", sizes_text(arena, tensor->stride, tensor->ndim)),
                width);
    if (tensor->storage->dtype != FLOAT32 || matrix->least > matrix->most) return text.bytes;
    if (matrix->table.columns > 1) add_if_fits(&text, sums_text(arena, matrix, row), width);
    const char *changes = changes_text(arena, matrix);
    if (changes != NULL) add_if_fits(&text, changes, width);
    add_if_fits(&text,
                arena_format(arena, "from %s to %s",
                             number_in_digits(arena, matrix->least, matrix->digits),
                             number_in_digits(arena, matrix->most, matrix->digits)),
                width);
    return text.bytes;
}

// ---- Words --------------------------------------------------------------------------------------

struct prose prose_of(struct arena *arena, const struct trial *trial, int step) {
    const char *explanation = trial->run.steps[step].paragraph->explanation;
    if (trial->touched == NULL || !trial->touched[step] || trial->line_count > 0)
        return (struct prose){"", explanation};
    struct text wrong = text_new(arena);
    for (int i = 0; i < trial->mistake_count; i++)
        text_add_format(&wrong, "%s%s", i > 0 ? " " : "", trial->mistakes[i]->wrong);
    return (struct prose){wrong.bytes,
                          arena_format(arena, "Without %s: %s",
                                       trial->mistake_count == 1 ? "the mistake" : "the mistakes",
                                       explanation)};
}
