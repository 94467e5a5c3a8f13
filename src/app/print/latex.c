// The format `latex`: a step as a matrix of LaTeX (amsmath's bmatrix), one a matrix of the last two
// dimensions.

#include <math.h>

#include "app/print/formats.h"
#include "show/paper.h"
#include "trace/run/step.h"

static void add_number(struct text *text, const struct paper *paper, const struct cell *cell) {
    const double value = cell_value(cell);
    if (isinf(value))
        text_add(text, value > 0 ? "\\infty" : "-\\infty");
    else if (isnan(value))
        text_add(text, "\\mathrm{nan}");
    else
        text_add(text, paper_number(text->arena, paper, cell));
}

static void add_leaf_matrix(struct text *text, const struct leaf *leaf, bool is_blank) {
    if (leaf->columns > 10) // amsmath's own limit
        text_add_format(text, "\\setcounter{MaxMatrixCols}{%d}\n", (int)leaf->columns);
    text_add(text, "\\begin{bmatrix}\n");
    for (int64_t row = 0; row < leaf->rows; row++) {
        text_add(text, "  ");
        for (int64_t column = 0; column < leaf->columns; column++) {
            struct cell cell;
            if (column > 0) text_add(text, " & ");
            if (!cell_on_leaf(leaf, row, column, &cell))
                text_add(text, "\\cdots");
            else if (is_blank)
                text_add(text, "\\phantom{-0.0000}");
            else
                add_number(text, leaf->paper, &cell);
        }
        text_add(text, row + 1 < leaf->rows ? " \\\\\n" : "\n");
    }
    text_add(text, "\\end{bmatrix}\n");
}

void add_latex(struct text *text, const struct selection *selection) {
    const struct step *step = selection->step;
    struct arena *arena = text->arena;
    const struct paper paper = paper_of(arena, &step->tensor, selection->digits);
    text_add_format(text, "%% %s, %s\n", selection->trials[0].run.lesson->name,
                    step_label(arena, step));
    for (int64_t i = 0; i < paper.leaves; i++) {
        const struct leaf leaf = leaf_at(&paper, i);
        const char *title = leaf_title(arena, &leaf);
        if (title != NULL) text_add_format(text, "%% %s\n", text_safe(arena, title));
        add_leaf_matrix(text, &leaf, selection->has_blank_values);
    }
}
