#ifndef ONESTEP_WALK_WALKER_H
#define ONESTEP_WALK_WALKER_H

// The walker: where a walk stands, the run that it walks through, and the views that are open. Keys go
// in, canvases come out; it knows neither a terminal nor any lesson but by the table that it
// is given.

#include "walk/edit.h"
#include "walk/exhibit.h"
#include "walk/mapped.h"
#include "walk/spots.h"
#include "walk/view.h"

struct open_view {
    const struct walk_view *view;
    struct arena memory; // of `own`
    void *own;           // the view's own struct
};

// The tour (tour.h).
struct tour {
    bool is_offered; // in the last row, up to the first key
    int stage;       // from 1; 0: there is no tour
    int step;        // where this stage began, and the cell and moment
    int64_t row, column, moment;
    struct state before; // to be gone back to in the end
};

enum { MOST_OPEN = 8 };

struct walker {
    const struct lesson *const *lessons;
    int lesson_count;
    int digits;
    struct state state;

    struct open_view
        open[MOST_OPEN]; // at the bottom the step's screen, at the top what has the keys
    int open_count;
    const struct walk_view *const *views; // all that there are
    int view_count;

    struct parameters chosen; // by the user
    struct what_ifs what_ifs; // mistakes that the user makes
    struct arena words;       // what chosen points to
    struct failure failure;   // why the last run could not be
    struct arena memory;      // of the trial
    struct trial trial;       // the lesson on screen

    struct edits edits; // of the input

    // The course's own run, or the one before the input was edited: made when it is to be compared with.
    bool has_other;
    struct arena other_memory;
    struct trial other;
    const bool *other_touched; // steps that an edit of the input changes

    struct arena course_memory;
    struct run *course; // all lessons as the course has them; NULL: nobody has asked yet

    struct tour tour;

    bool is_following; // a number: where does it go?
    struct arena follow_memory;
    struct where_to followed;

    struct failure *broken; // where "out of memory" goes
    struct measured measured;
    struct mapped mapped;
    struct effects effects; // of the mistakes on this run
    struct shown shown;     // the matrices of the last frame, for the mouse
    struct spots spots;     // and what else of it can be clicked
};

// What a walk starts from.
struct walk_start {
    const struct lesson *const *lessons; // must outlive the walker
    int lesson_count;
    int lesson;          // from 0
    const char *step;    // a label; NULL: where `visits` left it
    const int64_t *cell; // index of the cell under the cursor
    int cell_dims;       // of that index; 0: none is given
    const struct parameters *chosen;
    const struct what_ifs *what_ifs;
    int digits;
    const struct visit *visits; // one a lesson: what is remembered of walks before; or NULL
    bool shows_c;               // before PyTorch
    bool is_light;              // colours for a light screen
};

// Starts a walk. Fails with FAIL_USAGE if the lesson cannot run with these parameters or has no such
// step or cell; walker_free is still to be called then. `failure` is also where later calls report that memory
// has ended. The walker must not be moved.
void walker_start(struct walker *walker, const struct walk_start *start, struct failure *failure);

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

void walker_free(struct walker *walker);

// ---- For the views: runs -------------------------------------------------------------------------

// Each of these leaves a message in the state where there is something to say.

// Goes to another lesson, at the step where it was left, or runs the lesson anew with other parameters
// and mistakes, at the same step and cell. If that cannot be, everything stays, and they return false.
bool go_to_lesson(struct walker *walker, int lesson);
bool run_again(struct walker *walker, const struct parameters *chosen,
               const struct what_ifs *what_ifs);

// All lessons as the course has them, one a lesson. They are run when it is first asked for, and kept.
const struct run *course_runs(struct walker *walker);

// Marks where the number under the cursor goes; if one is marked already, goes to the next step that it
// reaches, and after the last one marks nothing any more. And: no longer.
void follow_number(struct walker *walker);
void follow_no_longer(struct walker *walker);

// Puts another number into a cell of the inputs (tokens, features). What that changes is marked against the
// same lesson, mistakes and all, with the input that was there before the first edit.
bool edit_input(struct walker *walker, const int64_t *index, double number);

// Takes back the edits of the input; where there are none, all changes: back to the course's numbers.
void undo_changes(struct walker *walker);

// Makes so many updates in all, in the lesson that trains; those made already are gone on with.
void train_to(struct walker *walker, int64_t updates);

// Compares with the course from now on, if there is a difference, or no longer.
void toggle_comparison(struct walker *walker);

// ---- For the views: what is open -----------------------------------------------------------------

// Opens a view over what is open; or goes back to it, if it is open already, and begins it anew.
void open_view(struct walker *walker, const struct walk_view *view);

// Closes the view at the top; all views but the step's screen.
void close_view(struct walker *walker);
void close_views(struct walker *walker);

// The view at the top, and the one below a view that is not the step's screen.
struct open_view *top_view(struct walker *walker);
struct open_view *view_below(struct walker *walker);

// The steps that mistakes change, or where the input is edited, that the edits change; NULL if there are
// neither.
const bool *touched_steps(struct walker *walker);

// What there is to be shown; its words live as long as the canvas.
struct scene scene_for(struct walker *walker, const struct canvas *canvas);

// The digits on screen: as started, or all.
int shown_digits(const struct walker *walker);

#endif
