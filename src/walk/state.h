#ifndef ONESTEP_WALK_STATE_H
#define ONESTEP_WALK_STATE_H

// Where the walker stands, and how a key moves it: state + action + trace -> state. Nothing here draws
// or computes tensors. The state of a walk is plain data: it can be copied, compared and kept.

#include <stdbool.h>

#include "show/table.h"
#include "tensor/cell.h"
#include "trace/order.h"
#include "trace/run.h"
#include "walk/action.h"

enum { MAX_LESSONS = 32, MAX_STEPS = 512, SEEN_WORDS = MAX_STEPS / 64, MAX_TRAIL = 32 };

// What is remembered of a lesson while another one is on screen, and between two walks.
struct visit {
    int step;                  // from 0
    uint64_t seen[SEEN_WORDS]; // one bit a step
    int guesses, good_guesses;
};

// How much one `next` computes.
enum grain { GRAIN_STEP, GRAIN_ROW, GRAIN_CELL };

enum { TYPED_ROOM = 64 };

struct state {
    enum mode mode;             // never MODE_INSIDE: that is MODE_STEP with a grain, see key_mode
    enum mode mode_before_help; // and before MODE_TYPE
    bool has_quit;

    int lesson, lesson_count; // lesson on screen, from 0
    int step;                 // from 0

    // The cell cursor. Whatever step comes, it is brought inside that step's tensor; so it may be kept
    // from one to the next.
    int64_t row, column; // in the last two dimensions
    int64_t page;        // leading dimensions, counted row by row

    enum grain grain;
    int64_t moment; // inside a step: the last moment of its order that is over; -1 if it has none

    // Where a number came from: the cells followed so far. They belong to the run.
    struct cell trail[MAX_TRAIL];
    int trail_count;
    int operand; // chosen, from 0

    bool shows_pytorch, shows_memory, shows_all_digits, compares, has_mouse;
    int scroll;             // first line shown, in modes that show more lines than fit
    int selected;           // line of a list; -1: that of the current step
    char typed[TYPED_ROOM]; // UTF-8
    int64_t reveals_row;    // MODE_GUESS: this row is open; -1: none
    int64_t reveals_column; // ... only this cell of it; -1: all of it
    int64_t reveals_page;   // ... on this page
    char message[512];      // what the last key led to; empty if there is nothing to say
    struct visit visits[MAX_LESSONS];
};

// The state at the first step of a lesson.
struct state state_new(int lesson, int lesson_count);

// The mode that decides what keys do.
enum mode key_mode(const struct state *state);

// The step on screen, and its cell under the cursor.
const struct step *current_step(const struct state *state, const struct run *run);
struct cell current_cell(const struct state *state, const struct run *run);

// The state after an action that needs no more than the run. `run` is the run of state->lesson; if
// the result's lesson is another one, run that and call arrive(). `lines` is how many lines fit where
// the mode scrolls.
struct state state_after(const struct state *state, enum action action, const struct run *run,
                         int lines);

// Brings step and cell inside a run that is new (another lesson, other parameters), and notes the
// step as seen.
struct state arrive(const struct state *state, const struct run *run);

// Goes to a step of the current lesson, shown whole.
struct state go_to_step(const struct state *state, const struct run *run, int step);

// Goes to a cell of a step's tensor.
struct state go_to_cell(const struct state *state, const struct run *run, const struct step *step,
                        const int64_t *index);

// Leaves help, lists and the like for another mode.
struct state set_mode(const struct state *state, enum mode mode);

bool is_seen(const struct state *state, int lesson, int step);

#endif
