#ifndef ONESTEP_WALK_SCREEN_H
#define ONESTEP_WALK_SCREEN_H

// The main screen: one step of a lesson, at any size. What must go when there is little room, and what
// comes first when there is more, is one table in screen.c.

#include "trace/what_if/trial.h"
#include "walk/measured.h"
#include "walk/state.h"

// The smallest terminal that shows a step, and the width from which operands stand beside the result.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, WIDE_COLUMNS = 100 };

// What the screen shows.
struct scene {
    const struct trial *trial;
    const struct run *run;   // the trial's
    const struct run *other; // the same lesson, to compare with; NULL: do not
    const char *other_name;  // "without the mistake"
    const char *other_word;  // the same in short: "right"
    const struct state *state;
    const struct parameters *chosen; // by the user
    struct measured *measured;
    struct effects *effects; // of mistakes
    const bool *touched;     // steps that the mistakes made change; NULL: none are made
    const char *badge;       // what differs from the course ("seed 5"); NULL for nothing
    int digits;
};

// Where the mouse would find the cells.
struct sight {
    struct area area; // no rows: there are none
    const struct matrix *matrix;
    struct matrix_view view;
};

// Draws the step on the whole canvas, the cursor on the focused cell.
struct sight draw_step(struct canvas *canvas, const struct scene *scene);

// One line for a terminal that is too small for anything else.
void draw_too_small(struct canvas *canvas);

// The line of keys at the foot of every screen: as many as fit, help and the way out always.
void draw_key_bar(struct canvas *canvas, enum mode mode);

// The line at the head of every screen: `left`, and `right` at its end.
void draw_title(struct canvas *canvas, const char *left, const char *right);

#endif
