#include "show/paper.h"

#include <inttypes.h>

#include "base/text.h"
#include "show/table.h"
#include "trace/run/step.h"

enum {
    EDGE = 3,          // indices at either end of a dimension that is cut, as PyTorch shows
    MOST_CELLS = 1000, // of a tensor that is shown whole, as in PyTorch
    MOST_COLUMNS = 12, // that fit a page
    GAP = -1,
};

// Places that a dimension takes: all its indices, or the edges and a gap.
static int64_t places_of(const struct paper *paper, int dim) {
    return paper->is_cut[dim] ? 2 * EDGE + 1 : paper->tensor.shape[dim];
}

// The index at a place, or GAP.
static int64_t index_of_place(const struct paper *paper, int dim, int64_t position) {
    if (!paper->is_cut[dim] || position < EDGE) return position;
    if (position == EDGE) return GAP;
    return paper->tensor.shape[dim] - (2 * EDGE + 1) + position;
}

// Indices of a dimension that are shown.
static int64_t indices_of(const struct paper *paper, int dim) {
    return paper->is_cut[dim] ? 2 * EDGE : paper->tensor.shape[dim];
}

static void cut_dimensions(struct paper *paper) {
    const struct tensor *tensor = &paper->tensor;
    const bool is_large = count_of(shape_of(tensor)) > MOST_CELLS;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const bool is_column = dim == tensor->ndim - 1;
        const bool is_wide = is_column && tensor->shape[dim] > MOST_COLUMNS;
        paper->is_cut[dim] = (is_large || is_wide) && tensor->shape[dim] > 2 * EDGE + 1;
        paper->is_partial = paper->is_partial || paper->is_cut[dim];
    }
}

struct paper paper_of(struct arena *arena, const struct tensor *tensor, int digits) {
    struct paper paper = {
        .tensor = *tensor,
        .leaves = 1,
        .cells = 1,
        .format = number_format_of(arena, tensor, digits),
        .heat = matrix_measure(arena, tensor, 0, digits),
    };
    cut_dimensions(&paper);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        paper.cells *= indices_of(&paper, dim);
        if (dim < tensor->ndim - 2) paper.leaves *= indices_of(&paper, dim);
    }
    return paper;
}

const char *paper_note(struct arena *arena, const struct paper *paper) {
    if (!paper->is_partial) return NULL;
    struct text text = text_new(arena);
    text_add(&text, "Shown in part, the first and the last 3 of");
    const char *separator = " ";
    for (int dim = 0; dim < paper->tensor.ndim; dim++) {
        if (!paper->is_cut[dim]) continue;
        const char *name = axis_name(&paper->tensor, dim);
        text_add_format(&text, "%s%" PRId64 " (%s)", separator, paper->tensor.shape[dim],
                        name != NULL ? name : "index");
        separator = ", ";
    }
    text_add_format(&text, ". There are %" PRId64 " numbers; csv and npy files hold them all.",
                    count_of(shape_of(&paper->tensor)));
    return text.bytes;
}

// ---- One leaf ----------------------------------------------------------------------------------

struct leaf leaf_at(const struct paper *paper, int64_t i) {
    const struct tensor *tensor = &paper->tensor;
    struct leaf leaf = {.paper = paper, .rows = 1, .columns = 1};
    if (paper->leaves == 0) return (struct leaf){.paper = paper};
    for (int dim = tensor->ndim - 3; dim >= 0; dim--) {
        const int64_t shown = indices_of(paper, dim), number = i % shown;
        const bool is_behind_gap = paper->is_cut[dim] && number >= EDGE;
        leaf.index[dim] = index_of_place(paper, dim, number + is_behind_gap);
        i /= shown;
    }
    if (tensor->ndim > 0) leaf.columns = places_of(paper, tensor->ndim - 1);
    if (has_rows(tensor)) leaf.rows = places_of(paper, tensor->ndim - 2);
    return leaf;
}

const char *leaf_title(struct arena *arena, const struct leaf *leaf) {
    const struct tensor *tensor = &leaf->paper->tensor;
    if (!has_pages(tensor)) return NULL;
    return page_title(arena, tensor, leaf->index);
}

// The label of a place along a dimension counted from the back.
static const char *label_on(struct arena *arena, const struct leaf *leaf, int back,
                            int64_t position) {
    const struct tensor *whole = &leaf->paper->tensor;
    int64_t page, row, column;
    table_place(whole, leaf->index, &page, &row, &column);
    const struct tensor labelled = labelled_page(whole, page), *tensor = &labelled;
    const int dim = tensor->ndim - back;
    if (dim < 0) return NULL;
    const int64_t i = index_of_place(leaf->paper, dim, position);
    return i == GAP ? "…" : label_of(arena, tensor, dim, i);
}

static const char *name_at(const struct leaf *leaf, int back) {
    const struct tensor *tensor = &leaf->paper->tensor;
    return tensor->ndim >= back ? axis_name(tensor, tensor->ndim - back) : NULL;
}

const char *row_label(struct arena *arena, const struct leaf *leaf, int64_t row) {
    return label_on(arena, leaf, 2, row);
}

const char *column_label(struct arena *arena, const struct leaf *leaf, int64_t column) {
    return label_on(arena, leaf, 1, column);
}

const char *rows_name(const struct leaf *leaf) {
    return name_at(leaf, 2);
}

const char *columns_name(const struct leaf *leaf) {
    return name_at(leaf, 1);
}

bool cell_on_leaf(const struct leaf *leaf, int64_t row, int64_t column, struct cell *cell) {
    const struct tensor *tensor = &leaf->paper->tensor;
    const int ndim = tensor->ndim;
    *cell = cell_at(tensor, leaf->index);
    if (ndim > 0) cell->index[ndim - 1] = index_of_place(leaf->paper, ndim - 1, column);
    if (has_rows(tensor)) cell->index[ndim - 2] = index_of_place(leaf->paper, ndim - 2, row);
    for (int dim = 0; dim < ndim; dim++) {
        if (cell->index[dim] == GAP) return false;
    }
    return true;
}

const char *paper_number(struct arena *arena, const struct paper *paper, const struct cell *cell) {
    return number_text(arena, paper->format, cell_value(cell));
}
