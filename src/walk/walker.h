#ifndef ONESTEP_WALK_WALKER_H
#define ONESTEP_WALK_WALKER_H

// The walker: the state of a walk, its run, and the open views. It takes keys and draws canvases. It does not
// know the terminal, and knows the lessons only from the table in walk_start.

#include "base/text.h"
#include "trace/what_if/companion.h"
#include "walk/kit/canvas.h"
#include "walk/step/screen.h"

struct walker;

// ---- Views --------------------------------------------------------------------------------------

// A view: one thing that the screen can show, such as help or the map, with everything about it in one
// struct. Views are on a stack above the step's screen; the view at the top gets the keys and draws. A new
// view is a file in views/, a bit and rows in the table of keys (action.h), and its name here and in views.c.
// `view_state` is a struct of the view's: all zeros when it is opened, freed when it is closed.
struct walk_view {
    enum view_bit bit;
    const char *name;      // in the help
    enum action opened_by; // in any view that has a key for it; ACT_NOTHING: only by other views
    const struct walk_view
        *shares;      // a view whose keys it shares, so that the help does not repeat them; or NULL
    size_t size;      // of its own struct
    bool has_lines;   // lines of which one is chosen, also by a click
    size_t chosen_at; // offset of the chosen line, an int, in its own struct

    void (*open)(struct walker *walker, void *view_state);  // NULL: zeros are enough
    void (*close)(struct walker *walker, void *view_state); // NULL: nothing to restore
    bool (*takes)(struct walker *walker, void *view_state,
                  uint32_t key); // takes a key as text; NULL: only the keys of the table
    void (*press)(struct walker *walker, void *view_state, const struct pressed *pressed);
    void (*typed)(struct walker *walker, void *view_state,
                  const char *text); // the text typed after it opened the typing view
    void (*draw)(struct walker *walker, void *view_state, struct canvas *canvas);
    // Adds what it shows, in words, for a reader who cannot see it. NULL: its rows are already words.
    void (*say)(struct walker *walker, void *view_state, struct text *text);
};

extern const struct walk_view step_view, inside_view, beside_view, where_from_view, settings_view,
    estimate_view, typing_view, list_view, search_view, read_view, help_view, mistakes_view,
    sheet_view, map_view, picture_view, palette_view, both_ways_view, summary_view, input_view,
    save_view, overview_view, line_view, challenge_view;

// All views, in the order of the help.
extern const struct walk_view *const view_table[];
extern const int view_count;

// ---- Edits of the input -------------------------------------------------------------------------

// Numbers that the user puts in the place of the course's, or of a file's own. Are there any by now? Then what the input was
// before.
struct edits {
    bool are_made;
    uint64_t was_given; // USES_INPUT if the user had chosen it
    const char *name;
    struct tensor inputs;
};

// Does a run read an input? One that reads a text has none.
bool has_input(const struct run *run);

// The user's parameters with another number (as a float) in a cell of the run's inputs (tokens, features),
// which is noted in the edits. An input that is thereby as it was before is not edited any more. What they
// hold lies in `arena`.
struct parameters edited(struct arena *arena, struct edits *edits, const struct run *run,
                         const struct parameters *chosen, const int64_t *index, double number);

// The user's parameters with the input that was there before the edits.
struct parameters unedited(const struct edits *edits, const struct parameters *chosen);

// The number that stood in a cell of the run's inputs before the edits.
double number_before(const struct edits *edits, const struct run *run, const int64_t *index);

// ---- The walker ---------------------------------------------------------------------------------

struct open_view {
    const struct walk_view *view;
    struct arena memory; // of its state
    void *view_state;    // a struct of the view
};

struct tour {
    bool is_offered; // the offer is in the last row until the first key
    int stage;       // from 1; 0: there is no tour
    int step;        // the step, cell and moment at which this stage began
    int64_t row, column, moment;
    struct state before; // this and the others are restored when the tour ends
    struct parameters chosen;
    struct what_ifs what_ifs;
    struct edits edits;
};

enum { MOST_OPEN = 8 };

struct walker {
    const struct lesson *const *lessons;
    int lesson_count;
    int digits;
    struct state state;

    struct open_view open[MOST_OPEN]; // first the step's screen, last the view that gets the keys
    int open_count;
    const struct walk_view *const *views; // all views
    int view_count;

    struct parameters chosen;    // by the user
    struct what_ifs what_ifs;    // mistakes that the user makes
    struct arena words;          // the strings of `chosen`
    struct failure failure;      // why the last run failed
    struct arena memory;         // of the trial, when it runs from its beginning
    struct arena purpose_memory; // of what is made on purpose in a lesson that ran before
    struct trial trial;          // the lesson on screen

    struct edits edits; // of the input

    bool asks_turn; // what is typed is the turn of a program's loops

    int hints; // given to the challenge that is asked
    bool
        is_trying; // a line that was typed for a challenge runs in the lesson: it is taken back when the walk goes on

    const struct interpreter *interpreter; // of changed lines; NULL: none
    const char **typed;                    // lines that were typed, from the oldest on
    int typed_count;

    // The run with the course's parameters, or the run before the input was edited. It is run when it is
    // first compared, and kept until the lesson is run again or the other of the two is compared.
    // Where a companion stands beside the walk, it is the one.
    bool has_other, other_is_course;
    struct arena other_memory;
    struct trial other;
    const bool *other_touched;                 // steps that an edit of the input changes
    const struct companion_source *companions; // NULL: the walk stands alone
    struct companion companion;                // where has_other

    struct arena course_memory;
    struct run *course; // all lessons with the course's parameters; NULL: not run yet

    struct tour tour;

    bool is_following; // marks the numbers that depend on one number
    struct arena follow_memory;
    struct where_to followed;

    struct failure *memory_failure; // receives "out of memory"
    struct screen_reader *reader;   // of the screens of steps; NULL: nobody
    struct matrix_cache matrix_cache;
    struct map_cache map_cache;
    struct effects effects; // of the mistakes on this run
    struct shown shown;     // the matrices of the last frame, for the mouse
    struct spots spots;     // the other places of the last frame that can be clicked
};

// What a walk starts from.
struct walk_start {
    const struct lesson *const *lessons; // must outlive the walker
    int lesson_count;
    int lesson;          // from 0
    const char *step;    // a label; NULL: the step in `visits`
    const int64_t *cell; // index of the cell under the cursor
    int cell_dims;       // of that index; 0: none is given
    const struct parameters *chosen;
    const struct what_ifs *what_ifs;
    const struct interpreter *interpreter;     // runs changed lines; NULL: none can be changed
    const struct companion_source *companions; // NULL: no run stands beside the walk
    int digits;
    const struct visit *visits; // one a lesson: what was saved of earlier walks; or NULL
    bool shows_c;               // before PyTorch
    bool is_light;              // colours for a light screen
    bool asks_nothing;          // no questions on the way
};

// Starts a walk. Fails with FAIL_USAGE if the lesson cannot run with these parameters or has no such
// step or cell, and as its companion does; walker_free is still to be called then. `failure` is also where later calls report that memory
// has ended. The walker must not be moved.
void walker_start(struct walker *walker, const struct walk_start *start, struct failure *failure);

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

void walker_free(struct walker *walker);

// ---- For the views: runs -------------------------------------------------------------------------

// Each of these leaves a message in the state if there is something to say.

// go_to_lesson goes to another lesson, at the step where it was left; go_to_lesson_with does so with other parameters and mistakes.
// run_again runs the lesson with others, at the same step and cell. If that fails, nothing changes and they return false.
bool go_to_lesson(struct walker *walker, int lesson);
bool go_to_lesson_with(struct walker *walker, int lesson, const struct parameters *chosen,
                       const struct what_ifs *what_ifs);
bool run_again(struct walker *walker, const struct parameters *chosen,
               const struct what_ifs *what_ifs);

// The runs of all lessons with the course's parameters, in the order of the lessons. The first call runs
// them; later calls return the same.
const struct run *course_runs(struct walker *walker);

// follow_number marks the numbers that depend on the number under the cursor. If a number is followed
// already, it goes to the next step with such numbers, and after the last step stops following.
// follow_no_longer stops at once.
void follow_number(struct walker *walker);
void follow_no_longer(struct walker *walker);

// Sets a cell of the inputs (tokens, features). Cells that differ from the run before the first edit (with
// the same mistakes) are marked as changed.
bool edit_input(struct walker *walker, const int64_t *index, double number);

// Makes a mistake (its number in mistake_table), or unmakes it. False if it can't be made.
bool toggle_mistake(struct walker *walker, int mistake);

// Keeps a line that was typed, so that it can be had again; not twice in a row.
void remember_line(struct walker *walker, const char *code);

// Runs the lesson with another line of PyTorch in the place of that of the step on screen.
void change_line(struct walker *walker, const char *code);

// Did the changed line of a step (from 0) compute what the lesson's line does, but for rounding? False where it failed.
bool is_line_right(const struct trial *trial, int step);

// Takes back the line that was typed for a challenge, if one runs in the lesson.
void end_try(struct walker *walker);

// Undoes the last change of a line of this lesson; without any, the edits of the input; without edits, all changes, so that
// the course's numbers are back.
void undo_changes(struct walker *walker);

// Runs the lesson that trains with this number of updates in all; it continues from the updates already made.
void train_to(struct walker *walker, int64_t updates);

// Turns the comparison with the course on, if there is a difference, or off; beside a companion, that with it.
void toggle_comparison(struct walker *walker);

// ---- For the views: what is open -----------------------------------------------------------------

// Opens a view over the others. If it is open already, closes those above it and starts it again.
void open_view(struct walker *walker, const struct walk_view *view);

// Closes the view at the top; all views but the step's screen.
void close_view(struct walker *walker);
void close_views(struct walker *walker);

// The view at the top; and the view below it, if it is not the step's screen.
struct open_view *top_view(struct walker *walker);
struct open_view *view_below(struct walker *walker);

// The steps that differ from the companion; else those that the mistakes change, or, if the input is edited, those that the edits
// change; NULL without any of these.
const bool *touched_steps(struct walker *walker);

// Why none can be asked at the step on screen; NULL if one can.
const char *why_no_challenge(struct walker *walker);

// The challenge that is asked, which has its view open; NULL if none is.
const struct challenge *asked_challenge(const struct walker *walker);

// Collects what a frame shows; its strings live as long as the canvas.
struct scene scene_for(struct walker *walker, const struct canvas *canvas);

// The digits on screen: as started, or all.
int shown_digits(const struct walker *walker);

// ---- A program's calls and loops ----------------------------------------------------------------

// The calls and the loops of a program. A call with steps inside is one closed step, which shows its result, until it is
// entered; a loop shows its first two and its last two turns, and one that was asked for.

// In the place of the timeline: the steps in sight. In the place of the keys: with those that enter and leave a call.
extern const struct block calls_block, calls_keys_block;
// In the place of the source: with what stands for the step in the run beside, and what the step printed, below it.
extern const struct block below_block;

// Is it a run whose steps stand in calls or in turns?
bool has_calls(const struct run *run);
// Is it a recorded run, in which nothing can be changed? Then says so.
bool refuses_changes(struct walker *walker);

// Enter the call whose result the step shows, or leave the one that it stands in; each says so where there is none.
void enter_call(struct walker *walker);
void leave_call(struct walker *walker);

// Runs the program again for a turn, as it was typed, and goes there.
void go_to_turn(struct walker *walker, const char *text);

// Says which turns were passed over on the way from a step (from 0) to this one, if any were.
void tell_turns_passed(struct walker *walker, int from);

// ---- The tour -----------------------------------------------------------------------------------

// The tour: two minutes in which the walker teaches its main keys and what attention is: it asks for one key after another.
// The tour is no view: the key that it asks for goes to the walker as usual, and the tour checks the result.
// If another key would lead away, the tour says so in a line and keeps the key. Its words are in the first
// and the last row of the screen, where they hide no number.

// Begins the tour, with all views closed, at the first step of lesson 1 as in the course. Says why not in a walk through a program or
// a whole model.
void tour_begin(struct walker *walker);

// Does the tour wait for a question of the lesson? Otherwise none is asked in it.
bool tour_asks(const struct walker *walker);

// Called with each key: true if the tour keeps it, because the key ends the tour or is not the one that the
// tour asked for. An offer of the tour ends.
bool tour_takes(struct walker *walker, uint32_t key);

// Called after a key was handled: goes to the next stage if it was the key that the tour asked for. After the
// last stage it goes back to where the tour began.
void tour_look(struct walker *walker);

// Adds the words of this stage, or of the offer; nothing if there is neither.
void say_tour(const struct walker *walker, struct text *text);

// Draws the tour, or the offer, over the screen of a view; nothing if there is neither.
void draw_tour(struct walker *walker, struct canvas *canvas);

#endif
