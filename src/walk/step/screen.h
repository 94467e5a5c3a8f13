#ifndef ONESTEP_WALK_STEP_SCREEN_H
#define ONESTEP_WALK_STEP_SCREEN_H

// The main screen: one step of a lesson, at any size. A view that keeps the step in sight replaces the blocks
// of some slots by its own.

#include "walk/step/composition.h"
#include "walk/step/inventory.h"
#include "walk/step/layout.h"
#include "walk/step/matrices.h"

// The smallest terminal that shows a step; the width from which operands stand beside the result; and the
// height from which there is room for more than one thing of a kind.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, WIDE_COLUMNS = 100, TALL_ROWS = 34 };

enum { PROSE_COLUMNS = 78 }; // wider lines are hard to read

// How a view changes the step's screen.
struct arrangement {
    const struct block *blocks[SLOT_COUNT];
    // Marks the cells whose numbers are hidden; then no other part of the screen shows them. NULL: none are
    // hidden.
    void (*hide)(const struct screen *screen, unsigned char *marks);
};

// Everything that the blocks of one frame need, computed once.
struct screen {
    struct canvas *canvas;
    const struct scene *scene;
    const struct arrangement *arrangement;
    const void *own; // the view's own struct
    int width;       // of lines of text

    const struct step *step;
    struct cell cell;            // under the cursor
    const struct matrix *matrix; // of the step's tensor, the page on screen
    const unsigned char *marks;  // of its cells
    struct stop stop;            // the steps that share the screen
    struct order order;          // inside the step; no moments if it is shown whole
    struct derivation derivation;
    struct terms terms; // of the cell that is computed, if it is shown term by term; else none
    bool is_at_moment;  // the cursor is on that cell
    const struct tensor *other; // the same step in the run that is compared; NULL: there is none
    bool has_other;             // of the same shape
    const struct line_outcome
        *failure; // a changed line failed, and the step was not computed; NULL: it was
    struct inventory inventory; // the list of parameters at their left
    struct matrices matrices;   // the matrices

    struct composition_room room; // for them
    struct slot slots[SLOT_COUNT];
};

// Draws the step on the whole canvas, the cursor on the focused cell. Returns where each matrix is; none if
// memory is shown instead.
struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
                         const struct arrangement *arrangement, const void *own);

// Arranges the matrices in the available rows: called after the other blocks have said how many rows they
// want.
void arrange_matrices(struct screen *screen);

// The area that a picture leaves free above the left operand of a product; no rows if it is too small to use.
// Known after the screen is laid out.
struct area free_area_of(const struct screen *screen);

// The term that was added last to the cell under the cursor; NULL: the cell is not shown term by term.
const struct partial *current_term(const struct screen *screen);

// Is the number under the cursor hidden?
bool is_hidden(const struct screen *screen);

// Are numbers shown in the order of memory?
bool shows_memory(const struct screen *screen);

// Can a reader take in the tensor's numbers? Some tensors have so many that drawing them would also delay a
// frame.
bool is_readable(const struct tensor *tensor);

#endif
