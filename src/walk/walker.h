#ifndef ONESTEP_WALK_WALKER_H
#define ONESTEP_WALK_WALKER_H

// The walker: the state of a walk together with the run that it walks through. Keys go in, canvases
// come out; it knows neither a terminal nor any lesson but by the table that it is given.

#include "walk/canvas.h"
#include "walk/screen.h"
#include "walk/state.h"

struct walker {
    const struct lesson *const *lessons;
    int lesson_count;
    int digits;
    struct state state;

    struct parameters chosen; // by the user
    struct arena words;       // what chosen points to
    struct failure failure;   // why the last run could not be
    struct arena memory;      // of the run
    struct run run;

    bool has_course; // the run at the course's own parameters, made when it is to be compared with
    struct arena course_memory;
    struct run course;

    struct failure *broken; // where "out of memory" goes
    struct measured measured;
    struct effects effects; // of the mistakes on this run
    bool *touched;          // steps that the mistakes made change; NULL: none are made
    struct sight sight;     // of the last frame
};

// Starts a walk at a lesson and a step (a label; NULL: where `visits` left it). `visits`, one a lesson,
// is what is remembered of walks before, or NULL. Fails with FAIL_USAGE if the lesson cannot run with
// these parameters or has no such step; walker_free is still to be called then. `failure` is also where
// later calls report that memory has ended. `lessons` must outlive the walker, which must not be moved.
void walker_start(struct walker *walker, const struct lesson *const *lessons, int lesson_count,
                  int lesson, const char *step, const struct parameters *chosen, int digits,
                  const struct visit *visits, struct failure *failure);

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

void walker_free(struct walker *walker);

// ---- For press.c ---------------------------------------------------------------------------------

// Runs a lesson with parameters in place of the old ones. If that cannot be, everything stays, and the
// state's message says why.
bool walker_run(struct walker *walker, int lesson, const struct parameters *chosen);

// Has the course's own run ready if the state compares with it.
void walker_compare(struct walker *walker);

// The digits on screen: as started, or all.
int walker_digits(const struct walker *walker);

// Says which of the mistakes made change nothing in this lesson, and why; nothing if there is none.
void walker_say_idle(struct walker *walker);

#endif
