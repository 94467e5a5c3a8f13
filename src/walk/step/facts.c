// What can be said of a tensor in a line or two: its shape, which page is open, and, where memory is the subject, how it lies
// there and what is always so of its numbers, or why it is not.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"
#include "walk/step/screen.h"

// ---- What is always so --------------------------------------------------------------------------

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
    enum { UNIT_ULPS = 8 };
    const struct table table = table_of(tensor);
    if (tensor->storage->dtype != FLOAT32 || table.columns < 2 || page >= table.pages) return false;
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
    return arena_format(arena, matrix->table.rows > 1 ? "this row sums to %s" : "sums to %s",
                        number_in_digits(arena, sum, matrix->digits));
}

// "15 of 36 changed", against the operand of a step that only changes some numbers; "" for others.
static const char *changes_text(struct arena *arena, const struct matrix *matrix) {
    const struct tensor *tensor = &matrix->tensor;
    const struct origin *origin = tensor->storage->origin;
    if (!origin->operation->changes_some) return "";
    const struct tensor *before = &origin->operands[0];
    if (!shapes_equal(shape_of(before), shape_of(tensor))) return "";
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

const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row) {
    const struct tensor *tensor = &matrix->tensor;
    const char *sentence = sentence_of(arena, tensor);
    if (tensor->ndim == 0 || sentence != NULL) return tensor->ndim == 0 ? NULL : sentence;
    const bool has_numbers = tensor->storage->dtype == FLOAT32 && matrix->least <= matrix->most;
    const char *parts[] = {
        arena_format(arena, "strides %s", sizes_text(arena, tensor->stride, tensor->ndim)),
        has_numbers && matrix->table.columns > 1 ? sums_text(arena, matrix, row) : "",
        has_numbers ? changes_text(arena, matrix) : "",
        !has_numbers ? ""
                     : arena_format(arena, "from %s to %s",
                                    number_in_digits(arena, matrix->least, matrix->digits),
                                    number_in_digits(arena, matrix->most, matrix->digits)),
    };
    struct text text = text_new(arena);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*parts[i] != '\0') text_add_format(&text, "%s%s", i > 0 ? "; " : "", parts[i]);
    }
    return text.bytes;
}

// ---- The block ----------------------------------------------------------------------------------

// "batch 1, head 2 (press .)": which page of the step's tensor is open; NULL if there is only one.
static const char *page_text(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    int64_t index[MAX_DIMS] = {0};
    if (table_of(tensor).pages < 2) return NULL;
    table_index(tensor, screen->scene->state->page, 0, 0, index);
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim - 2; dim++) {
        const char *name = axis_name(tensor, dim) != NULL ? axis_name(tensor, dim) : "page";
        text_add_format(&text, "%s%s %s", dim > 0 ? ", " : "", name,
                        label_at(arena, tensor, dim, index));
    }
    text_add(&text, " (press .)");
    return text.bytes;
}

const char *which_text(const struct screen *screen, bool is_beside_heading) {
    const struct stop stop = screen->stop;
    const char *which = page_text(screen);
    if (stop.count > 1)
        which = arena_format(screen->canvas->arena, "%d of %d (press ;)%s%s",
                             screen->scene->state->step - stop.first + 1, stop.count,
                             which != NULL ? ", " : "", which != NULL ? which : "");
    if (which == NULL) return NULL;
    const int heading = shown_width(screen->canvas, screen->step->paragraph->title);
    const bool has_room = heading + 2 + shown_width(screen->canvas, which) <= screen->width;
    return has_room == is_beside_heading ? which : NULL;
}

// The second line: what a row of ids says, or the strides where memory is the subject. A sentence would tell what is hidden.
static const char *second_fact(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    if (screen->arrangement->hide != NULL || tensor->ndim == 0) return NULL;
    const char *sentence = sentence_of(arena, tensor);
    if (sentence != NULL && text_width(sentence) <= screen->width) return sentence;
    if (!shows_memory(screen) && !is_about_memory(tensor)) return NULL;
    return arena_format(arena, "strides %s", sizes_text(arena, tensor->stride, tensor->ndim));
}

static int want_facts(struct screen *screen, struct slot *slot) {
    if (screen->failure != NULL) return 0;
    slot->needed = which_text(screen, false) != NULL ? 1 : 0;
    return second_fact(screen) != NULL ? 2 : 1;
}

// "(2, 6, 6) batch × query × key", and the type if it is not float32; at the right, which page this is.
static void draw_facts(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const bool is_single = tensor->ndim == 0, has_type = tensor->storage->dtype != FLOAT32;
    const char *facts = arena_format(arena, "%s %s%s%s", shape_text(arena, shape_of(tensor)),
                                     axes_text(arena, tensor), has_type ? ", " : "",
                                     has_type ? dtype_text(tensor) : "");
    if (is_single) facts = arena_format(arena, "a single number, %s", dtype_text(tensor));
    const char *which = which_text(screen, false);
    const int width = screen->width - (which != NULL ? shown_width(canvas, which) + 2 : 0);
    if (which != NULL) put_right(canvas, slot->row, 1, screen->width, which, BOLD);
    if (shown_width(canvas, facts) <= width) put_text(canvas, slot->row, 1, width, facts, DIM);
    const char *second = slot->rows < 2 ? NULL : second_fact(screen);
    if (second != NULL) put_text(canvas, slot->row + 1, 1, screen->width, second, DIM);
}

const struct block facts_block = {.wants = want_facts, .draw = draw_facts, .likes_gap = true};
