#ifndef ONESTEP_WALK_STATE_H
#define ONESTEP_WALK_STATE_H

// Where the walker stands, and how a key moves it: state + action + trace -> state. Nothing here draws
// or computes tensors. The state of a walk is plain data: it can be copied, compared and kept.

#include <stdbool.h>

#include "trace/run.h"
#include "walk/action.h"

enum { MAX_LESSONS = 32, MAX_STEPS = 512, SEEN_WORDS = MAX_STEPS / 64 };

// What is remembered of a lesson while another one is on screen.
struct visit {
    int step;                  // from 0
    uint64_t seen[SEEN_WORDS]; // one bit a step
};

struct state {
    enum mode mode;
    enum mode mode_before_help;
    bool has_quit;

    int lesson, lesson_count; // lesson on screen, from 0
    int step;                 // from 0

    // The cell cursor. Whatever step comes, it is brought inside that step's tensor; so it may be kept
    // from one to the next.
    int64_t row, column; // in the last two dimensions
    int64_t page;        // leading dimensions, counted row by row

    bool shows_pytorch;
    int scroll;   // first line shown, in modes that show more lines than fit
    int selected; // line of the list

    struct visit visits[MAX_LESSONS];
};

// The state at the first step of a lesson.
struct state state_new(int lesson, int lesson_count);

// A tensor as pages of a table: the last two dimensions are its rows and columns; a vector is one row;
// all dimensions before are pages.
struct table {
    int64_t pages, rows, columns;
};
struct table table_of(const struct tensor *tensor);

// The index of a place on a page; `index` has room for MAX_DIMS.
void table_index(const struct tensor *tensor, int64_t page, int64_t row, int64_t column,
                 int64_t *index);

// The step on screen.
const struct step *current_step(const struct state *state, const struct run *run);

// The state after an action. `run` is the run of state->lesson; if the result's lesson is another one,
// run that and call arrive(). `lines` is how many lines fit where the mode scrolls.
struct state state_after(const struct state *state, enum action action, const struct run *run,
                         int lines);

// Brings step and cell inside a run that is new (another lesson, other parameters), and notes the
// step as seen.
struct state arrive(const struct state *state, const struct run *run);

// Goes to a step of the current lesson.
struct state go_to_step(const struct state *state, const struct run *run, int step);

bool is_seen(const struct state *state, int lesson, int step);

#endif
