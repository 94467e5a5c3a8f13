// The format `csv`, for spreadsheets and data frames: one step's numbers under their labels.
//
// A matrix has a line a row; its first field is the row's label, the header holds the columns' labels.
// Dimensions before the last two come first, as columns of their own. A vector has a line a number.
// The tokens' matrix comes out as --input reads it.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/print/formats.h"
#include "show/table.h"
#include "trace/run/step.h"

// A spreadsheet takes text that begins like this for a formula and would compute it. An apostrophe
// before it makes it text again.
static void add_field(struct text *text, const char *field) {
    const char *mark = *field != '\0' && strchr("=+-@\t\r", *field) != NULL ? "'" : "";
    if (strpbrk(field, ",\"\r\n") == NULL) {
        text_add_format(text, "%s%s", mark, field);
        return;
    }
    text_add_format(text, "\"%s", mark);
    for (const char *c = field; *c != '\0'; c++)
        text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    text_add(text, "\"");
}

static const char *name_of_axis(struct arena *arena, const struct tensor *tensor, int dim) {
    const char *name = axis_name(tensor, dim);
    return name != NULL ? name : arena_format(arena, "dim %d", dim);
}

// "starts", or "feature 2" where there is no label, or each sentence of a batch has its own.
static const char *column_name(struct arena *arena, const struct tensor *tensor, int dim,
                               int64_t i) {
    const char *label = label_of(arena, tensor, dim, i);
    if (has_labels(tensor, dim) && tensor->axis[dim].apart == 0) return label;
    return arena_format(arena, "%s %" PRId64, name_of_axis(arena, tensor, dim), i + 1);
}

// Nine significant digits keep a float's bits.
static void add_number(struct text *text, const struct tensor *tensor, const int64_t *index) {
    const double value = element(tensor, index);
    if (tensor->storage->dtype == BOOL)
        text_add(text, value != 0 ? "True" : "False");
    else if (tensor->storage->dtype == INT64)
        text_add_format(text, "%" PRId64,
                        ((const int64_t *)tensor->storage->data)[flat_index(tensor, index)]);
    else if (isnan(value))
        text_add(text, "nan");
    else
        text_add_format(text, "%.9g", value);
}

// Dimensions that have a column of their own: all of a vector's, all but the last of a matrix.
static int leading_dimensions(const struct tensor *tensor) {
    return has_rows(tensor) ? tensor->ndim - 1 : tensor->ndim;
}

static void add_header(struct text *text, const struct step *step) {
    const struct tensor *tensor = &step->tensor;
    struct arena *arena = text->arena;
    for (int dim = 0; dim < leading_dimensions(tensor); dim++) {
        if (dim > 0) text_add(text, ",");
        add_field(text, name_of_axis(arena, tensor, dim));
    }
    if (!has_rows(tensor)) {
        text_add_format(text, "%s%s\n", tensor->ndim > 0 ? "," : "", step->name);
        return;
    }
    const int last = tensor->ndim - 1;
    for (int64_t i = 0; i < tensor->shape[last]; i++) {
        text_add(text, ",");
        add_field(text, column_name(arena, tensor, last, i));
    }
    text_add(text, "\n");
}

// The labels of a line and its numbers; `index` is that of the first.
static void add_line(struct text *text, const struct tensor *tensor, int64_t *index) {
    const int leading = leading_dimensions(tensor);
    for (int dim = 0; dim < leading; dim++) {
        if (dim > 0) text_add(text, ",");
        add_field(text, label_at(text->arena, tensor, dim, index));
    }
    const int64_t numbers = has_rows(tensor) ? table_of(tensor).columns : 1;
    for (int64_t i = 0; i < numbers; i++) {
        if (has_rows(tensor)) index[tensor->ndim - 1] = i;
        if (i > 0 || tensor->ndim > 0) text_add(text, ",");
        add_number(text, tensor, index);
    }
    text_add(text, "\n");
}

void add_csv(struct text *text, const struct selection *selection) {
    const struct tensor *tensor = &selection->step->tensor;
    struct shape lines = shape_of(tensor);
    if (has_rows(tensor)) lines.ndim--;
    const int64_t count = count_of(lines);
    add_header(text, selection->step);
    for (int64_t line = 0; line < count; line++) {
        int64_t index[MAX_DIMS] = {0};
        index_at(lines, line, index);
        add_line(text, tensor, index);
    }
}
