#include "walk/kit/cells.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "trace/run/step.h"

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
struct frame {
    int label_width; // of the rows, with the mark of cut rows
    int box, gap;    // columns of a cell, its mark and its number, and between two
    int64_t first_row, rows;
    int64_t first_column, columns;
    bool cuts_left, cuts_right;
};

// A few columns have room for their labels even where it is tight.
static bool cuts_labels(const struct matrix *matrix, const struct matrix_view *view) {
    enum { FEW = 3 };
    return view->is_tight && matrix->table.columns > FEW;
}

// Of ids, the words are what is read: where there is room, they are not cut to the width of the numbers.
static int box_width(const struct matrix *matrix, const struct matrix_view *view,
                     bool cuts_labels) {
    enum { LEAST_OF_WORD = 6 };
    const bool keeps_words = matrix->tensor.storage->words != NULL && !view->cuts_words;
    const int least = keeps_words ? LEAST_OF_WORD : 0;
    const int number = matrix->format.width + 1 > least ? matrix->format.width + 1 : least;
    const int label =
        matrix->column_label_width < MOST_LABEL ? matrix->column_label_width : MOST_LABEL;
    return !cuts_labels && label > number ? label : number;
}

int matrix_box(const struct matrix *matrix, const struct matrix_view *view) {
    return view->box > 0 ? view->box : box_width(matrix, view, cuts_labels(matrix, view));
}

// Columns between two cells. A tight cell's mark keeps them apart.
static int gap_of(const struct matrix_view *view) {
    return view->is_tight && !view->has_gaps ? 0 : 1;
}

// With the mark of cut rows and a blank, where it is not tight: then no rows are cut.
int matrix_label_width(const struct matrix *matrix, const struct matrix_view *view) {
    if (view->label_width > 0) return view->label_width;
    if (!has_rows(&matrix->tensor) || view->hides_rows) return 0;
    if (view->is_tight) return matrix->row_label_width;
    const bool has_name = matrix->row_axis_width > matrix->row_label_width;
    return 2 + (has_name ? matrix->row_axis_width : matrix->row_label_width);
}

int matrix_rows(const struct matrix *matrix) {
    return 1 + (int)matrix->table.rows;
}

// Roomy, a blank follows the last number.
int matrix_columns(const struct matrix *matrix, const struct matrix_view *view) {
    const int columns = (int)matrix->table.columns * (matrix_box(matrix, view) + gap_of(view));
    return matrix_label_width(matrix, view) + columns;
}

static int fitting_label_columns(const struct placed_matrix *placed) {
    const int columns = placed->area.columns;
    const int width = matrix_label_width(placed->matrix, &placed->view);
    const int beside_one = columns - box_width(placed->matrix, &placed->view, true) - 3;
    int most = beside_one < 11 ? beside_one : 11;
    if (columns / 3 > most) most = columns / 3;
    if (most < 3) most = 3;
    const bool fits = columns >= matrix_columns(placed->matrix, &placed->view);
    return width < most || fits ? width : most;
}

int64_t first_visible(int64_t focus, int64_t count, int64_t fitting) {
    int64_t first = (focus < 0 ? 0 : focus) - fitting / 2;
    if (first > count - fitting) first = count - fitting;
    return first < 0 ? 0 : first;
}

// Do labels of columns still differ when they are cut to so many bytes? Of a matrix, those of columns that are near each
// other; of a row, those beside each other. A number at the end is not cut.
static bool are_told_apart(const struct matrix *matrix, int bytes) {
    enum { NEAR = 8 };
    const struct tensor *tensor = &matrix->tensor;
    const char *const *labels = tensor->ndim > 0 ? tensor->axis[tensor->ndim - 1].labels : NULL;
    const int near = matrix->table.rows > 1 ? NEAR : 1;
    for (int64_t i = 1; labels != NULL && i < matrix->table.columns; i++) {
        for (int64_t k = i > near ? i - near : 0; k < i; k++) {
            const size_t length = strlen(labels[i]);
            const bool is_numbered =
                length > 0 && strchr("0123456789", labels[i][length - 1]) != NULL;
            if (!is_numbered && strncmp(labels[k], labels[i], (size_t)bytes) == 0 &&
                strcmp(labels[k], labels[i]) != 0)
                return false;
        }
    }
    return true;
}

bool has_readable_columns(const struct matrix *matrix, const struct matrix_view *view) {
    return are_told_apart(matrix, matrix_box(matrix, view) - 1);
}

static struct frame frame_of(const struct placed_matrix *placed) {
    const struct matrix *matrix = placed->matrix;
    const int gap = gap_of(&placed->view);
    struct frame frame = {.label_width = fitting_label_columns(placed), .gap = gap};
    const int room = placed->area.columns - frame.label_width;
    const int64_t count = matrix->table.columns;
    frame.box = matrix_box(matrix, &placed->view);
    if (count * (frame.box + gap) > room) { // labels are cut, but no more than they have to be
        const int least = box_width(matrix, &placed->view, true),
                  fitting = (int)(room / count) - gap;
        const int box = fitting > least && fitting < frame.box ? fitting : least;
        if (are_told_apart(matrix, box - 1)) frame.box = box; // else fewer columns are in sight
    }
    frame.columns = count;
    if (count * (frame.box + gap) > room) {
        frame.columns = (room - 2) / (frame.box + gap); // 2: the marks of what is cut
        if (frame.columns < 1) frame.columns = 1;
        if (frame.columns > count) frame.columns = count;
    }
    if (frame.box > room - 1 && !placed->view.is_tight) frame.box = room - 1;
    const int rows = placed->area.rows - 1;
    frame.rows = rows < 0 ? 0 : rows < matrix->table.rows ? rows : matrix->table.rows;
    frame.first_row = first_visible(placed->view.row, matrix->table.rows, frame.rows);
    frame.first_column = first_visible(placed->view.column, count, frame.columns);
    frame.cuts_left = frame.first_column > 0;
    frame.cuts_right = frame.first_column + frame.columns < count;
    return frame;
}

static int cell_place(const struct placed_matrix *placed, const struct frame *frame,
                      int64_t column) {
    return placed->area.column + frame->label_width + (frame->cuts_left ? 1 : 0) +
           (int)(column - frame->first_column) * (frame->box + frame->gap);
}

static bool is_drawn(const struct placed_matrix *placed) {
    return placed->area.rows >= 1 && placed->area.columns >= 4;
}

struct raster raster_of(const struct placed_matrix *placed) {
    if (!is_drawn(placed)) return (struct raster){0};
    const struct frame frame = frame_of(placed);
    return (struct raster){
        .row = placed->area.row + 1,
        .column = cell_place(placed, &frame, frame.first_column),
        .apart = frame.box + frame.gap,
        .first_row = frame.first_row,
        .rows = frame.rows,
        .first_column = frame.first_column,
        .columns = frame.columns,
    };
}

bool raster_hit(const struct raster *raster, const struct press *press, int64_t *row,
                int64_t *column) {
    const int line = press->row - raster->row, position = press->column - raster->column;
    if (line < 0 || line >= raster->rows || position < 0) return false;
    if (position / raster->apart >= raster->columns) return false;
    *row = raster->first_row + line;
    *column = raster->first_column + position / raster->apart;
    return true;
}

unsigned char *blank_marks(struct arena *arena, const struct matrix *matrix) {
    const int64_t count = matrix->table.rows * matrix->table.columns;
    return arena_array(arena, (size_t)count, sizeof(unsigned char));
}

// ---- Drawing ------------------------------------------------------------------------------------

struct drawing {
    struct canvas *canvas;
    const struct placed_matrix *placed;
    const struct matrix *matrix;
    const struct matrix_view *view;
    struct frame frame;
};

// What is left of a label that ends in a number, "d_k 16", "h = 0.01": that is what tells it from its neighbours.
// "d_k16", or the number, without its 0 before the point if it must be; NULL of other labels.
static const char *numbered_label(const struct canvas *canvas, const char *label, int width) {
    const char *blank = strrchr(label, ' ');
    if (blank == NULL || blank[1] == '\0') return NULL;
    if (strspn(blank + 1, "0123456789.") != strlen(blank + 1)) return NULL;
    const char *joined =
        arena_format(canvas->arena, "%.*s%s", (int)(blank - label), label, blank + 1);
    if (blank > label && blank[-1] != '=' && shown_width(canvas, joined) <= width) return joined;
    const char *number = blank + 1;
    if (shown_width(canvas, number) > width && number[0] == '0' && number[1] == '.') number++;
    return shown_width(canvas, number) <= width ? number : NULL;
}

// A label in so many columns: itself, what tells it from others, or its beginning and a full stop.
static const char *fitting_label(const struct canvas *canvas, const char *label, int width) {
    if (shown_width(canvas, label) <= width) return label;
    const char *numbered = numbered_label(canvas, label, width);
    if (numbered != NULL) return numbered;
    const bool has_stop = width >= 3;
    const char *end = label, *next = label;
    for (int used = 0; *next != '\0'; end = next) {
        used += character_width(utf8_next(&next));
        if (used > width - (has_stop ? 1 : 0)) break;
    }
    return arena_format(canvas->arena, "%.*s%s", (int)(end - label), label, has_stop ? "." : "");
}

// The page's own labels: in a batch those of its sentence.
static const char *page_label(const struct drawing *drawing, int dim, int64_t i) {
    const struct matrix *matrix = drawing->matrix;
    const struct tensor page = labelled_page(&matrix->tensor, matrix->page);
    return label_of(drawing->canvas->arena, &page, dim, i);
}

static void draw_heading(const struct drawing *drawing) {
    struct canvas *canvas = drawing->canvas;
    const struct frame *frame = &drawing->frame;
    const struct area area = drawing->placed->area;
    const struct tensor *tensor = &drawing->matrix->tensor;
    if (tensor->ndim == 0) return;
    const char *rows = has_rows(tensor) ? axis_name(tensor, tensor->ndim - 2) : NULL;
    const bool is_tight = drawing->view->is_tight;
    const int start = area.column + (is_tight ? 0 : 1),
              room = frame->label_width - (is_tight ? 0 : 2);
    if (rows != NULL && !drawing->view->hides_rows && shown_width(canvas, rows) <= room)
        put_text(canvas, area.row, start, room, rows, DIM);
    const bool is_ascii = canvas->look.is_ascii;
    if (frame->cuts_left)
        put_text(canvas, area.row, area.column + frame->label_width, 1, is_ascii ? "<" : "‹", DIM);
    for (int64_t i = 0; i < frame->columns; i++) {
        const int64_t column = frame->first_column + i;
        const bool is_focused = column == drawing->view->column && drawing->view->has_focus;
        const int position = cell_place(drawing->placed, frame, column);
        const int blank = is_tight ? 1 : 0;
        put_right(canvas, area.row, position + blank, frame->box - blank,
                  fitting_label(canvas, page_label(drawing, tensor->ndim - 1, column),
                                frame->box - blank),
                  is_focused ? BOLD : PLAIN);
    }
    if (frame->cuts_right) {
        const int64_t end = frame->first_column + frame->columns;
        put_text(canvas, area.row, cell_place(drawing->placed, frame, end), 1, is_ascii ? ">" : "›",
                 DIM);
    }
}

static const char *crossed_mark(const struct canvas *canvas, enum crossing crossing) {
    const bool is_ascii = canvas->look.is_ascii;
    return crossing == CROSSED_BY_DROPOUT ? (is_ascii ? "v" : "↓") : is_ascii ? "|" : "¦";
}

const char *crossed_text(const struct canvas *canvas, const struct matrix *matrix) {
    static const char *const words[] = {
        [CROSSED_BY_MASK] = "masked", [CROSSED_BY_DROPOUT] = "dropped"};
    const struct table table = matrix->table;
    bool are_there[] = {false, false, false};
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        struct cell cell = {.tensor = matrix->tensor};
        table_index(&cell.tensor, matrix->page, i / table.columns, i % table.columns, cell.index);
        are_there[crossing_of(canvas->arena, &cell)] = true;
    }
    struct text text = text_new(canvas->arena);
    for (int i = CROSSED_BY_MASK; i <= CROSSED_BY_DROPOUT; i++) {
        if (are_there[i])
            text_add_format(&text, "%s%s %s", text.length > 0 ? " " : "",
                            crossed_mark(canvas, (enum crossing)i), words[i]);
    }
    return text.length > 0 ? text.bytes : NULL;
}

struct look_of_cell {
    const char *mark, *number;
    struct style style;
};

static struct look_of_cell look_of_cell(const struct canvas *canvas, const struct matrix *matrix,
                                        const struct cell *cell, unsigned marks) {
    const bool is_ascii = canvas->look.is_ascii;
    const double value = cell_value(cell);
    if (marks & CELL_PENDING) return (struct look_of_cell){" ", is_ascii ? "." : "·", DIM};
    if (marks & CELL_HIDDEN) return (struct look_of_cell){" ", "?", BOLD};
    struct look_of_cell look = {.mark = " ",
                                .number = number_text(canvas->arena, matrix->format, value)};
    const enum crossing crossing = crossing_of(canvas->arena, cell);
    if (crossing != NOT_CROSSED) {
        look.mark = crossed_mark(canvas, crossing);
        look.style = DIM;
    } else if (isfinite(value)) {
        const int level = level_of(matrix, value);
        if (canvas->look.has_heat)
            look.style = (struct style){.ramp = shown_ramp(canvas, matrix->ramp), .level = level};
        else
            look.mark = shade_of(canvas, matrix->ramp, level);
    }
    if (marks & CELL_CHANGED) look.mark = is_ascii ? "!" : "≠";
    if (marks & CELL_LIT) {
        if (crossing == NOT_CROSSED) look.mark = is_ascii ? ">" : "▸"; // a reader sees why it is 0
        look.style.bold = look.style.underline = true;
        look.style.dim = false;
    }
    if (marks & CELL_REACHED) {
        look.mark = is_ascii ? "^" : "→";
        look.style.bold = true;
        look.style.dim = false;
    }
    return look;
}

static void draw_cell(const struct drawing *drawing, int64_t row, int64_t column) {
    struct canvas *canvas = drawing->canvas;
    const struct matrix *matrix = drawing->matrix;
    const struct matrix_view *view = drawing->view;
    const struct frame *frame = &drawing->frame;
    struct cell cell = {.tensor = matrix->tensor};
    table_index(&cell.tensor, matrix->page, row, column, cell.index);
    const unsigned marks =
        view->marks != NULL ? view->marks[row * matrix->table.columns + column] : 0;
    struct look_of_cell look = look_of_cell(canvas, matrix, &cell, marks);
    const bool is_focused = view->has_focus && row == view->row && column == view->column;
    look.style.reverse = is_focused;
    const int line = drawing->placed->area.row + 1 + (int)(row - frame->first_row);
    const int position = cell_place(drawing->placed, frame, column);
    put_blanks(canvas, line, position, frame->box, look.style);
    put_right(canvas, line, position + 1, frame->box - 1, look.number, look.style);
    put_text(canvas, line, position, 1, look.mark, look.style);
    if (is_focused) {
        const int blanks = frame->box - 1 - shown_width(canvas, look.number);
        put_cursor(canvas, line, position + 1 + (blanks > 0 ? blanks : 0));
    }
}

static void draw_row(const struct drawing *drawing, int64_t row) {
    struct canvas *canvas = drawing->canvas;
    const struct frame *frame = &drawing->frame;
    const struct area area = drawing->placed->area;
    const struct tensor *tensor = &drawing->matrix->tensor;
    const int line = area.row + 1 + (int)(row - frame->first_row);
    if (has_rows(tensor) && !drawing->view->hides_rows) {
        const bool is_tight = drawing->view->is_tight;
        const bool is_focused = row == drawing->view->row && drawing->view->has_focus;
        const int width = frame->label_width - (is_tight ? 0 : 2);
        put_text(canvas, line, area.column + (is_tight ? 0 : 1), width,
                 fitting_label(canvas, page_label(drawing, tensor->ndim - 2, row), width),
                 is_focused ? BOLD : PLAIN);
        const bool is_cut =
            (row == frame->first_row && row > 0) ||
            (row == frame->first_row + frame->rows - 1 && row < drawing->matrix->table.rows - 1);
        if (is_cut) // where it is tight, over the end of the label
            put_text(canvas, line, area.column + (is_tight && width > 0 ? width - 1 : 0), 1,
                     canvas->look.is_ascii ? ":" : "⋮", DIM);
    }
    for (int64_t i = 0; i < frame->columns; i++) draw_cell(drawing, row, frame->first_column + i);
}

void matrix_draw(struct canvas *canvas, const struct placed_matrix *placed) {
    if (!is_drawn(placed)) return;
    const struct drawing drawing = {canvas, placed, placed->matrix, &placed->view,
                                    frame_of(placed)};
    draw_heading(&drawing);
    for (int64_t i = 0; i < drawing.frame.rows; i++)
        draw_row(&drawing, drawing.frame.first_row + i);
}
