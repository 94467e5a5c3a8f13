#ifndef ONESTEP_WALK_CELLS_H
#define ONESTEP_WALK_CELLS_H

// One page of a tensor on a canvas: numbers lined up under their labels, each on the heat of its size;
// what is masked is crossed out.

#include "show/matrix.h"
#include "walk/canvas.h"

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

#endif
