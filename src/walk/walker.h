#ifndef ONESTEP_WALK_WALKER_H
#define ONESTEP_WALK_WALKER_H

// The walker: the state of a walk together with the run that it walks through. Keys go in, canvases
// come out; it knows neither a terminal nor any lesson but by the table that it is given.

#include "walk/canvas.h"
#include "walk/matrix.h"
#include "walk/state.h"

struct walker {
    const struct lesson *const *lessons;
    int lesson_count;
    struct parameters chosen; // by the user
    int digits;
    struct state state;

    struct failure failure; // why the last run could not be
    struct arena memory;    // of the run
    struct run run;

    struct arena measured; // of the matrix, which is measured once a step and page
    struct matrix matrix;
    int measured_step; // -1: none
};

// Starts a walk at a lesson and a step (a label; NULL: the first). Returns false if the lesson cannot
// run with these parameters or has no such step; then walker->failure says why, and walker_free is
// still to be called. `failure` is where later calls report that memory has ended. `lessons` must
// outlive the walker, which must not be moved.
bool walker_start(struct walker *walker, const struct lesson *const *lessons, int lesson_count,
                  int lesson, const char *step, const struct parameters *chosen, int digits,
                  struct failure *failure);

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

void walker_free(struct walker *walker);

#endif
