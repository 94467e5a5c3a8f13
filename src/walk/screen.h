#ifndef ONESTEP_WALK_SCREEN_H
#define ONESTEP_WALK_SCREEN_H

// The main screen: one step of a lesson, at any size. What must go when there is little room, and what
// comes first when there is more, is one table in screen.c.

#include "walk/matrix.h"

// The smallest terminal that shows a step.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40 };

// What the screen shows.
struct scene {
    const struct run *run;
    const struct state *state;
    const struct matrix *matrix; // the step's tensor, page state->page
    const char *badge;           // what differs from the course ("seed 5"); NULL for nothing
    int digits;
};

// Draws the step on the whole canvas, the cursor on the focused cell.
void draw_step(struct canvas *canvas, const struct scene *scene);

// One line for a terminal that is too small for anything else.
void draw_too_small(struct canvas *canvas);

// The line of keys at the foot of every screen: as many as fit, help and the way out always.
void draw_key_bar(struct canvas *canvas, enum mode mode);

// The line at the head of every screen: `left`, and `right` at its end.
void draw_title(struct canvas *canvas, const char *left, const char *right);

#endif
