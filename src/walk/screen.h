#ifndef ONESTEP_WALK_SCREEN_H
#define ONESTEP_WALK_SCREEN_H

// The main screen: one step of a lesson, at any size. Views that leave the step in sight show their own
// blocks in some of its slots.

#include "walk/composition.h"
#include "walk/exhibit.h"
#include "walk/inventory.h"
#include "walk/layout.h"

// The smallest terminal that shows a step; the width from which operands stand beside the result; and the
// height from which there is room for more than one thing of a kind.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, WIDE_COLUMNS = 100, TALL_ROWS = 34 };

enum { PROSE_COLUMNS = 78 }; // wider lines are hard to read

// What a view makes of the step's screen.
struct arrangement {
    const struct block *blocks[SLOT_COUNT];
    // Marks the cells whose numbers are hidden; then nothing else on the screen gives them away. NULL:
    // none are.
    void (*hide)(const struct screen *screen, unsigned char *marks);
};

// All that the blocks of one frame need to know, found out once.
struct screen {
    struct canvas *canvas;
    const struct scene *scene;
    const struct arrangement *arrangement;
    const void *own; // of the view
    int width;       // of lines of text

    const struct step *step;
    struct cell cell;            // under the cursor
    const struct matrix *matrix; // of the step's tensor, the page on screen
    const unsigned char *marks;  // of its cells
    struct stop stop;            // the steps that the screen is for
    struct order order;          // inside the step; no moments if it is shown whole
    struct derivation derivation;
    struct terms terms; // of the cell that is computed, where it is seen term by term; else none
    bool is_at_moment;  // the cursor is on that cell
    const struct tensor *other; // the same step in the run to compare with; NULL: there is none
    bool has_other;             // of the same shape
    struct inventory inventory; // the list of parameters at their left
    struct exhibit exhibit;     // the matrices

    struct composition_room room; // for them
    struct slot slots[SLOT_COUNT];
};

// Draws the step on the whole canvas, the cursor on the focused cell. Returns which matrices are where;
// none if memory is shown instead.
struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
                         const struct arrangement *arrangement, const void *own);

// Finds the matrices for the rows that there are: called once the other blocks have said what they want.
void arrange_exhibit(struct screen *screen);

// The place that a picture leaves free beside it, above the left operand of a product; no rows if there is
// none worth it. Known once the screen is laid out.
struct area nook_beside(const struct screen *screen);

// The term that was added last to the cell under the cursor; NULL: it is not seen so.
const struct partial *current_term(const struct screen *screen);

// Is the number under the cursor hidden?
bool is_hidden(const struct screen *screen);

// Are numbers shown as they lie in memory?
bool shows_memory(const struct screen *screen);

// Some numbers are made of so many that nobody would read them, let alone between two frames.
bool is_readable(const struct tensor *tensor);

#endif
