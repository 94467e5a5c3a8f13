#ifndef ONESTEP_WALK_MODEL_STATE_H
#define ONESTEP_WALK_MODEL_STATE_H

// The state of a walk: the lesson, the step, the cell, and the place inside the step. State of a single view
// is in that view's own struct. Every function changes the state in place; nothing here draws or computes
// tensors.

#include <stdbool.h>

#include "show/table.h"
#include "tensor/cell.h"
#include "trace/run/run.h"
#include "trace/tape/order.h"
#include "walk/model/action.h"

enum { MAX_BESIDE = 8 }; // steps on one screen

enum { MAX_LESSONS = 32, MAX_STEPS = 512, SEEN_WORDS = MAX_STEPS / 64 };

// What is kept of a lesson while another lesson is on screen, and between two walks.
struct visit {
    int step;                  // from 0
    uint64_t seen[SEEN_WORDS]; // one bit a step
    int guesses, good_guesses;
    uint64_t asked,
        answered; // challenges of the lesson (source.h), one bit each: asked; answered rightly
};
bool same_visit(const struct visit *a, const struct visit *b);

// "2 of 6 questions", "done" where all of the lesson's challenges are; NULL where none is answered.
const char *answers_text(struct arena *arena, const struct lesson *lesson,
                         const struct visit *visit);

// How much one `next` computes.
enum grain { GRAIN_STEP, GRAIN_ROW, GRAIN_CELL, GRAIN_TERM };

// A screen as a file.
enum saving { SAVE_NOTHING, SAVE_SVG, SAVE_HTML, SAVE_TEXT, SAVE_PROGRAM };

struct state {
    bool has_quit;
    int lesson, lesson_count; // lesson on screen, from 0
    int first_number;         // of the first lesson (first_number() of run.h)
    const int *numbers;       // of the lessons, where they are only some of the course; or NULL
    int step;                 // from 0

    // The cell cursor. A step opens on a cell that shows what it does (opening_cell); a cell that the reader
    // went to is kept as long as the tables of the steps have its size.
    int64_t row, column; // in the last two dimensions
    int64_t page;        // leading dimensions, counted row by row
    struct table
        chosen; // the size of the page on which the reader chose the cell; no rows: the reader chose none

    enum grain grain;
    int64_t moment; // inside a step: the last moment of its order that is done; -1 if there is none
    int64_t term;   // term by term: the last that is added to the moment's cell, from 0

    bool shows_c, shows_memory, shows_all_digits, compares, has_mouse, is_light;
    bool asks_nothing; // a challenge is shown at its key alone
    char message[512]; // the result of the last key; empty if there is nothing to say
    char foot[256];    // a message about something outside of the walker, shown in any view
    enum saving
        saves; // requested by the last key: the owner of the screen (terminal or page) writes the file and reports it
    struct visit visits[MAX_LESSONS];
};

// The number that a lesson of the list has, and not its place.
int number_of_lesson(const struct state *state, int lesson);

// The state at the first step of a lesson.
struct state state_new(int lesson, int lesson_count);

// Leaves a message, in printf's manner.
void tell(struct state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same at the foot.
void tell_at_foot(struct state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The step on screen, and its cell under the cursor.
const struct step *current_step(const struct state *state, const struct run *run);
struct cell current_cell(const struct state *state, const struct run *run);

bool is_seen(const struct state *state, int lesson, int step);

// A stop of the walk: the steps of one paragraph, which share a screen and a place on the timeline.
struct stop {
    int first, count; // steps, the first from 0
};
struct stop stop_at(const struct run *run, int step);

// Does the stop repeat an earlier one: the same paragraph again (head 2 after head 1), or a paragraph whose
// steps are in the lesson before?
bool repeats(const struct run *run, struct stop stop);

// Does the stop show more parameters than fit side by side (MAX_BESIDE)? The reader does not need all of
// their numbers yet, so each takes one line until it is opened.
bool lists_parameters(const struct run *run, struct stop stop);

// ---- Going --------------------------------------------------------------------------------------

// `run` is always the run of state->lesson.

// Moves step and cell into the bounds of a new run (another lesson, other parameters), and marks the steps of
// this stop as seen.
void arrive(struct state *state, const struct run *run);

// Goes to a step of the lesson, shown whole; and to a cell of its tensor.
void go_to_step(struct state *state, const struct run *run, int step);
void go_to_cell(struct state *state, const struct run *run, const struct step *step,
                const int64_t *index);

// A call of a program is closed, but for those around the step on screen. Is a step (from 0) in sight, that is in no closed
// call? The first step in sight at or behind a step (by 1) or before it (by -1); -1 or step_count if there is none.
bool is_in_sight(const struct state *state, const struct run *run, int step);
int step_in_sight(const struct state *state, const struct run *run, int step, int by);
int first_outside_calls(const struct run *run);

// The first step in the call whose result a stop shows; NULL if it shows none. Going there opens the call.
const struct step *first_in_call(const struct run *run, struct stop stop);

// Goes to the first step in sight of the next stop (by 1) or the one before (by -1); false if there is none. And
// to the next step of this stop, after the last one to the first.
bool go_to_stop(struct state *state, const struct run *run, int by);
void go_beside(struct state *state, const struct run *run);

// The same, but passes over stops that repeat earlier ones, such as head 2 behind head 1, unless something is asked there, and
// says which; back from a stop that repeats, it goes to the one before.
bool go_to_new(struct state *state, const struct run *run, int by);

// Puts the cursor on a cell of the step's page, and keeps it there for steps of the same size.
void choose_cell(struct state *state, const struct run *run, int64_t row, int64_t column);

// Moves the cell cursor or turns the page, if that is what the action does; else returns false.
bool move_cell(struct state *state, const struct run *run, const struct pressed *pressed);

// ---- Inside a step ------------------------------------------------------------------------------

// The order of the step on screen.
struct order current_order(const struct state *state, const struct run *run);

// Goes to a moment (-1: none), at its first term, and puts the cell cursor on the cell that it computes.
void go_to_moment(struct state *state, const struct order *order, int64_t moment);

// The last moment of a row of the order.
int64_t row_end(const struct order *order, int64_t row);

// The cell that a step opens on, and its page if that is another one: the one that the lesson gives with AT; else the first
// nan, or what was put in its place; else one that shows what the step does, on the page that is open. Of a product it is the
// largest number; of a softmax the largest of a row that shares among as many as any, or of the row in which two softmaxes
// on one screen differ most; of a mask, or of what a mask went through, the border in the middle of a page that has one; of
// sums of rows, the sum of the row with that border. Of anything else it is the first number that the operation changes: it is
// not 0, and no operand of the same shape has it in the same place.
void opening_cell(const struct run *run, const struct step *step, int64_t *page, int64_t *row,
                  int64_t *column);

#endif
