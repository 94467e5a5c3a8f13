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
    struct what_ifs what_ifs; // mistakes that the user makes
    struct arena words;       // what chosen points to
    struct failure failure;   // why the last run could not be
    struct arena memory;      // of the trial
    struct trial trial;       // the lesson on screen

    bool has_course; // the run at the course's own parameters, made when it is to be compared with
    struct arena course_memory;
    struct run course;

    struct failure *broken; // where "out of memory" goes
    struct measured measured;
    struct effects effects; // of the mistakes on this run
    struct sight sight;     // of the last frame
};

// What a walk starts from.
struct walk_start {
    const struct lesson *const *lessons; // must outlive the walker
    int lesson_count;
    int lesson;       // from 0
    const char *step; // a label; NULL: where `visits` left it
    const struct parameters *chosen;
    const struct what_ifs *what_ifs;
    int digits;
    const struct visit *visits; // one a lesson: what is remembered of walks before; or NULL
};

// Starts a walk. Fails with FAIL_USAGE if the lesson cannot run with these parameters or has no such
// step; walker_free is still to be called then. `failure` is also where later calls report that memory
// has ended. The walker must not be moved.
void walker_start(struct walker *walker, const struct walk_start *start, struct failure *failure);

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

void walker_free(struct walker *walker);

// ---- For press.c ---------------------------------------------------------------------------------

// Runs a lesson with parameters and mistakes in place of the old ones. If that cannot be, everything
// stays, and the state's message says why.
bool walker_run(struct walker *walker, int lesson, const struct parameters *chosen,
                const struct what_ifs *what_ifs);

// Has the course's own run ready if the state compares with it.
void walker_compare(struct walker *walker);

// The digits on screen: as started, or all.
int walker_digits(const struct walker *walker);

// Says which of the mistakes made change nothing in this lesson, and why; nothing if there is none.
void walker_say_idle(struct walker *walker);

#endif
