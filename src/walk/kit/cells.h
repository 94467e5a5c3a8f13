#ifndef ONESTEP_WALK_KIT_CELLS_H
#define ONESTEP_WALK_KIT_CELLS_H

// One page of a tensor on a canvas: numbers lined up under their labels, each on the heat of its size;
// what is masked is crossed out.

#include "show/matrix.h"
#include "walk/kit/canvas.h"
#include "walk/model/action.h"

// What is special about a cell, bits.
enum cell_mark {
    CELL_LIT = 1 << 0,     // an operand of the number asked about
    CELL_PENDING = 1 << 1, // not computed yet: shown as a dot
    CELL_HIDDEN = 1 << 2,  // to be guessed: shown as a question mark
    CELL_CHANGED = 1 << 3, // not what it is in the run that it is compared with
    CELL_REACHED = 1 << 4, // computed from the number that is followed
    CELL_USED = 1 << 5,    // an operand of the number asked about, lit or not
};

struct matrix_view {
    int64_t row, column;  // a cell that must be visible
    bool has_focus;       // whether it has the cursor, which the arrow keys move
    bool is_tight;        // as few columns as numbers need: nothing between them, labels cut short
    bool has_gaps;        // a gap between columns even so: for shades in place of colours
    bool cuts_words;      // labels above ids as well
    bool hides_rows;      // no row labels: the panel to the left shows the same
    int label_width, box; // columns of the rows' labels and of a cell, to line up; 0: as they need
    const unsigned char *marks; // cell_mark bits, row by row of the page; NULL: none
};

// A page and where it stands on the canvas.
struct placed_matrix {
    const struct matrix *matrix;
    struct matrix_view view;
    struct area area;
};

// Rows and columns of the canvas that the whole page takes, its heading included.
int matrix_rows(const struct matrix *matrix);
int matrix_columns(const struct matrix *matrix, const struct matrix_view *view);

// What is to be given in view->label_width and view->box, so that a matrix lines up with another.
int matrix_label_width(const struct matrix *matrix, const struct matrix_view *view);
int matrix_box(const struct matrix *matrix, const struct matrix_view *view);

// Can the labels of its columns be told apart, as far as they are cut?
bool has_readable_columns(const struct matrix *matrix, const struct matrix_view *view);

// Draws the page into its area, the focused cell always in sight; ‹ and › mark columns that are cut, ⋮
// rows.
void matrix_draw(struct canvas *canvas, const struct placed_matrix *placed);

// Where the cells of a page were drawn: all that the mouse needs, so it outlives the frame. Without rows: nowhere.
struct raster {
    int row, column; // of the canvas: the first cell in sight
    int apart;       // columns of the canvas from a cell to the next one
    int64_t first_row, rows, first_column, columns; // of the page, in sight
};
struct raster raster_of(const struct placed_matrix *placed);

// The cell of the page that the mouse points at; false if it points at none.
bool raster_hit(const struct raster *raster, const struct press *press, int64_t *row,
                int64_t *column);

// "¦ masked", "↓ dropped", or both: what marks the numbers of a page through which nothing gets; NULL if none are.
const char *crossed_text(const struct canvas *canvas, const struct matrix *matrix);

// Marks (cell_mark bits) for the page of a matrix, all 0.
unsigned char *blank_marks(struct arena *arena, const struct matrix *matrix);

// The first of `fitting` items in sight out of `count`, with the focused one in the middle where
// possible: it depends on nothing but the focus, so no resizing loses the place.
int64_t first_visible(int64_t focus, int64_t count, int64_t fitting);

#endif
