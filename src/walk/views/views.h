#ifndef ONESTEP_WALK_VIEWS_VIEWS_H
#define ONESTEP_WALK_VIEWS_VIEWS_H

// What views share, beside the walker's own functions.

#include "walk/walker.h"

// ---- A step, shown whole or seen from inside ----------------------------------------------------

void press_on_step(struct walker *walker, void *view_state, const struct pressed *pressed);
void draw_step(struct walker *walker, void *view_state, struct canvas *canvas);
void typed_on_step(struct walker *walker, void *view_state, const char *text);

// To the first step of a lesson, counted from 0; says so if there is none.
void change_lesson(struct walker *walker, int lesson);

// Into the step: row by row, and from there cell by cell.
void step_into(struct walker *walker);

// Puts the cell cursor where the mouse points, if that is on the matrix of a step: of this one, if the
// walk is bound to it, or of one beside it, which is gone to.
void click_cell(struct walker *walker, const struct press *press, bool is_bound);

// ---- Text that is being typed -------------------------------------------------------------------

enum { TYPED_ROOM = 64 };

struct typing {
    char text[TYPED_ROOM]; // UTF-8
};

// Adds what a key writes, or takes the last character back. Returns false for keys that do neither.
bool types(struct typing *typing, uint32_t key);

// Has a value typed, from `first` on (KEY_NOTHING: from nothing), over the view at the top. That one is
// drawn meanwhile; when the user is done, its typed() gets the text, unless there is none.
void begin_typing(struct walker *walker, uint32_t first);

// Puts what is being typed into the scene; with an arrangement, it stands in place of the line under the
// matrix.
void show_typing(struct walker *walker, struct scene *scene, struct arrangement *arrangement);

// "0.5" as a number. Returns false, and says what would be one, if it is none.
bool read_number(struct walker *walker, const char *text, double *number);

// The same, or an infinity: "-inf".
bool read_infinite(struct walker *walker, const char *text, double *number);

// Is `wanted` somewhere in the text, whatever the case of its letters?
bool holds_word(const char *text, const char *wanted);

// ---- Settings ------------------------------------------------------------------------------------

// The parameters that a lesson uses and that can be set in the walker.
struct settable {
    int count;
    const struct parameter *parameters[PARAMETER_COUNT];
};
struct settable settable_in(const struct lesson *lesson);

// What the run uses for one, in words where the lesson has no value of its own; and whether the user gave it.
const char *setting_text(struct arena *arena, const struct run *run,
                         const struct parameter *parameter);
bool is_setting_given(const struct run *run, const struct parameter *parameter);

// ---- Your turn ----------------------------------------------------------------------------------

// Asks the challenge of the stop that was gone to, if it was not asked before and nothing is changed in the lesson.
void ask_new_challenge(struct walker *walker);

// A mistake was just made: asks for a number that it changes, before its numbers are in sight; at the step on screen if the mistake
// changes that one. Nothing happens where questions are off, or where there is no such number.
void guess_mistake(struct walker *walker, int mistake);

// The largest of the row under the cursor.
struct cell largest_of_row(const struct state *state, const struct run *run);

// The operands of the step alone, each with its sizes: nothing of the step itself.
extern const struct block operands_block;

// In the place of the line under the matrix: the sizes that are typed, with the cursor behind them.
extern const struct block sizes_block;

// The screen of a challenge: what is asked, over the step with its numbers hidden.
extern const struct arrangement challenge_arrangement;

// ---- A step's line, a number of the input -------------------------------------------------------

// Opens the line of the step on screen for editing; or says why it can't be changed. Over a challenge the line is the answer to it, and
// is given to the challenge's typed().
void open_line(struct walker *walker);

// Begins typing another number of the input, in place where the step shows the input, else over the step; says why where a
// lesson has no input.
void open_input(struct walker *walker);

// Takes the number for the cell under the cursor of a step that shows the input: its typed().
void type_input(struct walker *walker, void *view_state, const char *text);

#endif
