// Tensors in the HTML handout.

#include <math.h>
#include <string.h>

#include "app/print/html/html.h"
#include "show/heat.h"
#include "show/markup.h"
#include "show/paper.h"
#include "tensor/operation/derivation.h"
#include "trace/run/step.h"
#include "trace/what_if/trial.h"

enum {
    MOST_CELLS = 160,       // of a step whose cells show their arithmetic
    MOST_ARITHMETIC = 1200, // bytes of a cell's arithmetic that is of use to a reader
};

// What drawing a tensor needs to know.
struct drawing {
    struct text *text;
    struct arena *scratch;
    const struct step *step;
    const struct tensor *right; // what a mistake made on purpose has changed; NULL: nothing
    const char *changed_by;     // what made others of them
    struct paper paper;
    bool shows_arithmetic;
    bool is_blank; // numbers are to be filled in by hand
    int digits;
};

static size_t arithmetic_length(const struct derivation *derivation) {
    size_t length = 0;
    for (int i = 0; i < derivation->line_count; i++) length += strlen(derivation->lines[i]);
    return length;
}

// Is the arithmetic of the tensor's first number short enough? The others are like it.
static bool is_readable(struct arena *scratch, const struct paper *paper, int digits) {
    if (paper->cells == 0 || paper->cells > MOST_CELLS) return false;
    const struct cell first = {.tensor = paper->tensor};
    const struct derivation derivation = derive(scratch, &first, digits);
    return arithmetic_length(&derivation) <= MOST_ARITHMETIC;
}

// Has a mistake changed this number? Both may be nan.
static bool is_changed(const struct drawing *drawing, const struct cell *cell) {
    if (drawing->right == NULL) return false;
    const double here = cell_value(cell), right = element(drawing->right, cell->index);
    return here != right && !(isnan(here) && isnan(right));
}

// "[journey, starts] by matmul" and the lines, in an element of their own. Whose number it is stands above.
static void add_arithmetic(const struct drawing *drawing, const struct cell *cell) {
    struct text *text = drawing->text;
    const struct paper *paper = &drawing->paper;
    const struct derivation derivation = derive(drawing->scratch, cell, drawing->digits);
    text_add(text, "<span><b>");
    markup_add(text, cell_label(drawing->scratch, cell));
    text_add_format(text, "</b> %s", derivation.operation);
    const int last = derivation.line_count - 1;
    const bool is_long = arithmetic_length(&derivation) > MOST_ARITHMETIC;
    for (int i = is_long ? last : 0; i <= last; i++) {
        text_add(text, "<br>");
        markup_add(text, is_long ? text_cut(drawing->scratch, derivation.lines[i], MOST_ARITHMETIC)
                                 : derivation.lines[i]);
    }
    if (is_changed(drawing, cell)) {
        const double value = element(drawing->right, cell->index);
        text_add_format(text, "<br>the right program has %s",
                        number_text(drawing->scratch, paper->format, value));
    }
    text_add(text, "</span>");
}

static void add_cell(const struct drawing *drawing, const struct leaf *leaf, int64_t row,
                     int64_t column) {
    struct cell cell;
    if (!cell_on_leaf(leaf, row, column, &cell)) {
        text_add(drawing->text, "<td class=\"gap\">…</td>");
        return;
    }
    if (drawing->is_blank) {
        text_add(drawing->text, "<td class=\"blank\"></td>");
        return;
    }
    const struct heat_color *color = heat_of(drawing->scratch, &drawing->paper.heat, &cell);
    text_add_format(drawing->text, "<td class=\"%s%s\"%s>", color != NULL ? color->name : "no",
                    is_changed(drawing, &cell) ? " changed" : "",
                    drawing->shows_arithmetic ? " tabindex=\"0\"" : "");
    text_add(drawing->text, paper_number(drawing->scratch, &drawing->paper, &cell));
    if (drawing->shows_arithmetic) add_arithmetic(drawing, &cell);
    text_add(drawing->text, "</td>");
}

static void add_heading_cell(struct text *text, const char *scope, const char *label) {
    text_add_format(text, "<th scope=\"%s\">", scope);
    markup_add(text, label);
    text_add(text, "</th>");
}

// The corner between the labels says what both are: "query ↓ key →".
static void add_corner(struct text *text, const struct leaf *leaf) {
    const char *rows = rows_name(leaf), *columns = columns_name(leaf);
    text_add(text, "<td class=\"corner\">");
    if (rows != NULL) text_add_format(text, "%s&#160;↓", rows);
    text_add(text, rows != NULL && columns != NULL ? " " : "");
    if (columns != NULL) text_add_format(text, "%s&#160;→", columns);
    text_add(text, "</td>");
}

static void add_column_labels(const struct drawing *drawing, const struct leaf *leaf) {
    struct text *text = drawing->text;
    if (drawing->paper.tensor.ndim == 0) return;
    text_add(text, "<thead><tr>");
    add_corner(text, leaf);
    for (int64_t column = 0; column < leaf->columns; column++) {
        add_heading_cell(text, "col", column_label(drawing->scratch, leaf, column));
    }
    text_add(text, "</tr></thead>\n");
}

// "scores float32 (6, 6): query × key; strides (6, 1)"
static void add_layout(const struct drawing *drawing) {
    struct arena *arena = drawing->scratch;
    const struct tensor *tensor = &drawing->paper.tensor;
    text_add(drawing->text, "<p class=\"layout\"><code>");
    markup_add(drawing->text, step_label(arena, drawing->step));
    text_add_format(drawing->text, "</code> %s %s: %s", dtype_text(tensor),
                    shape_text(arena, shape_of(tensor)), axes_text(arena, tensor));
    if (tensor->ndim > 0)
        text_add_format(drawing->text, "; strides %s",
                        sizes_text(arena, tensor->stride, tensor->ndim));
    if (drawing->right != NULL)
        text_add_format(drawing->text, " <strong>changed by %s</strong>", drawing->changed_by);
    text_add(drawing->text, "</p>\n");
}

// A leaf's place stands above it; what it belongs to only a screen reader needs to hear again.
static void add_caption(const struct drawing *drawing, const struct leaf *leaf) {
    const char *title = leaf_title(drawing->scratch, leaf);
    text_add(drawing->text, "<caption><span class=\"unseen\">");
    markup_add(drawing->text, step_label(drawing->scratch, drawing->step));
    text_add(drawing->text, title != NULL ? ", </span>" : "</span>");
    if (title != NULL) markup_add(drawing->text, title);
    text_add(drawing->text, "</caption>\n");
}

static void add_leaf(const struct drawing *drawing, const struct leaf *leaf) {
    struct text *text = drawing->text;
    text_add(text, "<div class=\"leaf\"><table>");
    add_caption(drawing, leaf);
    add_column_labels(drawing, leaf);
    text_add(text, "<tbody>\n");
    for (int64_t row = 0; row < leaf->rows; row++) {
        const char *label = row_label(drawing->scratch, leaf, row);
        text_add(text, "<tr>");
        if (label != NULL)
            add_heading_cell(text, "row", label);
        else
            text_add_format(text, "<th scope=\"row\"><span class=\"unseen\">%s</span></th>",
                            drawing->step->name);
        for (int64_t column = 0; column < leaf->columns; column++) {
            add_cell(drawing, leaf, row, column);
        }
        text_add(text, "</tr>\n");
    }
    text_add(text, "</tbody></table></div>\n");
}

void html_add_tensor(const struct document *document) {
    struct text *text = document->text;
    const struct step *step = document->step;
    const int digits = document->selection->digits;
    const struct tensor *right = right_tensor(document->trial, step);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, text->arena->failure);
    struct drawing drawing = {
        .text = text,
        .scratch = m,
        .step = step,
        .right =
            right != NULL && shapes_equal(shape_of(right), shape_of(&step->tensor)) ? right : NULL,
        .changed_by = document->trial->line_count > 0 ? "a changed line" : "the mistake",
        .paper = paper_of(m, &step->tensor, digits),
        .digits = digits,
        .is_blank = document->selection->has_blank_values,
    };
    drawing.shows_arithmetic = is_readable(m, &drawing.paper, digits);
    add_layout(&drawing);
    const char *note = paper_note(m, &drawing.paper);
    if (note != NULL) text_add_format(text, "<p class=\"note\">%s</p>\n", note);
    text_add(text, "<div class=\"leaves\">\n");
    for (int64_t i = 0; i < drawing.paper.leaves; i++) {
        const struct leaf leaf = leaf_at(&drawing.paper, i);
        add_leaf(&drawing, &leaf);
    }
    text_add(text, "</div>\n");
    scratch_close(&scratch);
}
