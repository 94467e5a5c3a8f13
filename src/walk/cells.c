#include "walk/cells.h"

#include <math.h>
#include <stddef.h>

#include "base/text.h"
#include "trace/step.h"

enum { MOST_LABEL = 12 }; // columns of a column's label where there is room

// The character beside a number on a screen without heat. The last ones get darker without looking like
// a part of the number: no sign, no point, no digit.
static const char *shade_of(const struct canvas *canvas, enum ramp ramp, int level) {
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    static const char *const characters[] = {" ", "'", ":", ";", "=", "#", "&", "@"};
    const bool is_diverging = ramp == RAMP_DIVERGING;
    const int size = is_diverging ? (level < 4 ? 4 - level : level - 4) : level;
    const int most = is_diverging ? 4 : SEQUENTIAL_LEVELS - 1;
    if (canvas->look.is_ascii) return characters[(size * 7 + most / 2) / most];
    return shades[(size * 4 + most / 2) / most];
}

// ---- Where things go ----------------------------------------------------------------------------

// How a matrix lies in its area.
struct layout {
    int label_width; // of the rows, with the mark of cut rows
    int box;         // columns of a cell: its mark and its number
    int64_t first_row, rows;
    int64_t first_column, columns;
    bool cuts_left, cuts_right;
};

static int box_width(const struct matrix *matrix, bool is_roomy) {
    const int number = matrix->format.width + 1;
    const int label =
        matrix->column_label_width < MOST_LABEL ? matrix->column_label_width : MOST_LABEL;
    return is_roomy && label > number ? label : number;
}

static int label_columns(const struct matrix *matrix, int columns) {
    if (matrix->tensor.ndim < 2) return 0;
    const int width = matrix->row_label_width + 2; // the mark of cut rows, a blank
    const int beside_one = columns - box_width(matrix, false) - 3;
    int most = beside_one < 11 ? beside_one : 11;
    if (columns / 3 > most) most = columns / 3;
    if (most < 3) most = 3;
    return width < most ? width : most;
}

int matrix_rows(const struct matrix *matrix) {
    return 1 + (int)matrix->table.rows;
}

int matrix_columns(const struct matrix *matrix) {
    const int columns = (int)matrix->table.columns;
    const int label = matrix->tensor.ndim < 2 ? 0 : matrix->row_label_width + 2;
    return label + columns * (box_width(matrix, true) + 1);
}

// The first of `fitting` items in sight out of `count`, with the focused one in the middle where
// possible: it depends on nothing but the focus, so no resizing loses the place.
static int64_t first_in_sight(int64_t focus, int64_t count, int64_t fitting) {
    int64_t first = (focus < 0 ? 0 : focus) - fitting / 2;
    if (first > count - fitting) first = count - fitting;
    return first < 0 ? 0 : first;
}

static struct layout layout_of(struct area area, const struct matrix *matrix,
                               const struct matrix_view *view) {
    struct layout layout = {.label_width = label_columns(matrix, area.columns)};
    const int room = area.columns - layout.label_width;
    const int64_t count = matrix->table.columns;
    layout.box = box_width(matrix, true);
    if (count * (layout.box + 1) > room) layout.box = box_width(matrix, false);
    layout.columns = count;
    if (count * (layout.box + 1) > room) {
        layout.columns = (room - 2) / (layout.box + 1); // 2: the marks of what is cut
        if (layout.columns < 1) layout.columns = 1;
        if (layout.columns > count) layout.columns = count;
    }
    if (layout.box > room - 1) layout.box = room - 1;
    layout.rows = area.rows - 1 < matrix->table.rows ? area.rows - 1 : matrix->table.rows;
    if (layout.rows < 0) layout.rows = 0;
    layout.first_row = first_in_sight(view->row, matrix->table.rows, layout.rows);
    layout.first_column = first_in_sight(view->column, count, layout.columns);
    layout.cuts_left = layout.first_column > 0;
    layout.cuts_right = layout.first_column + layout.columns < count;
    return layout;
}

static int cell_place(struct area area, const struct layout *layout, int64_t column) {
    return area.column + layout->label_width + (layout->cuts_left ? 1 : 0) +
           (int)(column - layout->first_column) * (layout->box + 1);
}

bool matrix_hit(struct area area, const struct matrix *matrix, const struct matrix_view *view,
                int row, int column, int64_t *cell_row, int64_t *cell_column) {
    const struct layout layout = layout_of(area, matrix, view);
    const int line = row - area.row - 1;
    const int place = column - cell_place(area, &layout, layout.first_column);
    if (line < 0 || line >= layout.rows || place < 0) return false;
    if (place / (layout.box + 1) >= layout.columns) return false;
    *cell_row = layout.first_row + line;
    *cell_column = layout.first_column + place / (layout.box + 1);
    return true;
}

// ---- Drawing ------------------------------------------------------------------------------------

static void draw_heading(struct canvas *canvas, struct area area, const struct matrix *matrix,
                         const struct matrix_view *view, const struct layout *layout) {
    const struct tensor *tensor = &matrix->tensor;
    if (tensor->ndim == 0) return;
    if (tensor->ndim >= 2 && tensor->axis[tensor->ndim - 2].name != NULL) {
        put_text(canvas, area.row, area.column + 1, layout->label_width - 2,
                 tensor->axis[tensor->ndim - 2].name, DIM);
    }
    if (layout->cuts_left)
        put_text(canvas, area.row, area.column + layout->label_width, 1, "…", DIM);
    for (int64_t i = 0; i < layout->columns; i++) {
        const int64_t column = layout->first_column + i;
        const struct style style = column == view->column && view->has_focus ? BOLD : PLAIN;
        const char *label = label_of(canvas->arena, tensor, tensor->ndim - 1, column);
        put_right(canvas, area.row, cell_place(area, layout, column), layout->box, label, style);
    }
    if (layout->cuts_right) {
        const int64_t end = layout->first_column + layout->columns;
        put_text(canvas, area.row, cell_place(area, layout, end), 1, "…", DIM);
    }
}

struct look_of_cell {
    const char *mark, *number;
    struct style style;
};

static struct look_of_cell look_of_cell(const struct canvas *canvas, const struct matrix *matrix,
                                        double value, unsigned marks) {
    const bool is_ascii = canvas->look.is_ascii;
    if (marks & CELL_PENDING) return (struct look_of_cell){" ", is_ascii ? "." : "·", DIM};
    if (marks & CELL_HIDDEN) return (struct look_of_cell){" ", "?", BOLD};
    struct look_of_cell look = {.mark = " ", .number = matrix_number(canvas->arena, matrix, value)};
    if (is_crossed(matrix, value)) {
        look.mark = "×";
        look.style = DIM;
    } else if (isfinite(value)) {
        const int level = level_of(matrix, value);
        if (canvas->look.has_heat)
            look.style = (struct style){.ramp = matrix->ramp, .level = level};
        else
            look.mark = shade_of(canvas, matrix->ramp, level);
    }
    if (marks & CELL_CHANGED) look.mark = is_ascii ? "!" : "≠";
    if (marks & CELL_LIT) {
        look.mark = is_ascii ? ">" : "▸";
        look.style.bold = look.style.underline = true;
        look.style.dim = false;
    }
    return look;
}

static void draw_cell(struct canvas *canvas, struct area area, const struct matrix *matrix,
                      const struct matrix_view *view, const struct layout *layout, int64_t row,
                      int64_t column) {
    int64_t index[MAX_DIMS] = {0};
    table_index(&matrix->tensor, matrix->page, row, column, index);
    const double value = element(&matrix->tensor, index);
    const unsigned marks =
        view->marks != NULL ? view->marks[row * matrix->table.columns + column] : 0;
    struct look_of_cell look = look_of_cell(canvas, matrix, value, marks);
    const bool is_focused = view->has_focus && row == view->row && column == view->column;
    look.style.reverse = is_focused;
    const int line = area.row + 1 + (int)(row - layout->first_row);
    const int place = cell_place(area, layout, column);
    put_blanks(canvas, line, place, layout->box, look.style);
    put_right(canvas, line, place + 1, layout->box - 1, look.number, look.style);
    put_text(canvas, line, place, 1, look.mark, look.style);
    if (is_focused) {
        const int blanks = layout->box - 1 - shown_width(canvas, look.number);
        put_cursor(canvas, line, place + 1 + (blanks > 0 ? blanks : 0));
    }
}

// Rows above the first in sight or below the last are marked beside the label.
static bool is_cut_at(const struct matrix *matrix, const struct layout *layout, int64_t row) {
    return (row == layout->first_row && row > 0) ||
           (row == layout->first_row + layout->rows - 1 && row < matrix->table.rows - 1);
}

static void draw_row(struct canvas *canvas, struct area area, const struct matrix *matrix,
                     const struct matrix_view *view, const struct layout *layout, int64_t row) {
    const int line = area.row + 1 + (int)(row - layout->first_row);
    if (matrix->tensor.ndim >= 2) {
        if (is_cut_at(matrix, layout, row)) put_text(canvas, line, area.column, 1, "…", DIM);
        const char *label = label_of(canvas->arena, &matrix->tensor, matrix->tensor.ndim - 2, row);
        put_text(canvas, line, area.column + 1, layout->label_width - 2, label,
                 row == view->row && view->has_focus ? BOLD : PLAIN);
    }
    for (int64_t i = 0; i < layout->columns; i++)
        draw_cell(canvas, area, matrix, view, layout, row, layout->first_column + i);
}

void matrix_draw(struct canvas *canvas, struct area area, const struct matrix *matrix,
                 const struct matrix_view *view) {
    if (area.rows < 1 || area.columns < 4) return;
    const struct layout layout = layout_of(area, matrix, view);
    draw_heading(canvas, area, matrix, view, &layout);
    for (int64_t i = 0; i < layout.rows; i++)
        draw_row(canvas, area, matrix, view, &layout, layout.first_row + i);
}
