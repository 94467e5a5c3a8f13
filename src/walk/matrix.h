#ifndef ONESTEP_WALK_MATRIX_H
#define ONESTEP_WALK_MATRIX_H

// One page of a tensor as a table with labels: numbers lined up as PyTorch writes them, each on the
// heat of its size; what is masked is crossed out.

#include "tensor/file/format.h"
#include "walk/canvas.h"
#include "walk/state.h"

// What drawing needs to know of a tensor, measured once and kept as long as the page is on screen.
struct matrix {
    struct tensor tensor;
    struct table table;
    int64_t page;
    int digits;
    struct number_format
        format;         // of all pages; of this page if the tensor has more than 1000 numbers
    double least, most; // of all finite numbers; least > most if there are none
    enum ramp ramp;     // diverging if there are numbers on both sides of 0
    bool crosses_zeros; // a 0 here means: masked or dropped
    int row_label_width, column_label_width; // columns of the longest, in UTF-8
};

// Measures a page of a tensor. With ALL_DIGITS (trace/cell.h) for `digits`, numbers have nine
// significant digits.
struct matrix matrix_measure(struct arena *arena, const struct tensor *tensor, int64_t page,
                             int digits);

// What is special about a cell, bits.
enum cell_mark {
    CELL_LIT = 1 << 0,     // an operand of the number asked about
    CELL_PENDING = 1 << 1, // not computed yet: shown as a dot
    CELL_HIDDEN = 1 << 2,  // to be guessed: shown as a question mark
    CELL_CHANGED = 1 << 3, // not what it is in the run that it is compared with
};

struct matrix_view {
    int64_t row, column;        // the cell that stays in sight
    bool has_focus;             // and is shown as the one that the keys move, with the cursor on it
    const unsigned char *marks; // cell_mark bits, row by row of the page; NULL: none
};

struct area {
    int row, column, rows, columns;
};

// Rows and columns of the canvas that the whole page takes, its heading included.
int matrix_rows(const struct matrix *matrix);
int matrix_columns(const struct matrix *matrix);

// Draws the page into the area, the focused cell always in sight; … marks what is cut.
void matrix_draw(struct canvas *canvas, struct area area, const struct matrix *matrix,
                 const struct matrix_view *view);

// The cell of the page that a place on the canvas shows when drawn so; false if it shows none.
bool matrix_hit(struct area area, const struct matrix *matrix, const struct matrix_view *view,
                int row, int column, int64_t *cell_row, int64_t *cell_column);

// A number of the tensor as it is written in its matrix.
const char *matrix_number(struct arena *arena, const struct matrix *matrix, double value);

// Is this number crossed out: -inf, or a zero that masks?
bool is_crossed(const struct matrix *matrix, double value);

#endif
