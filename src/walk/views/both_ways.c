// One operation forwards and backwards, side by side: what went in and what came out above, their gradients below, the way
// forward from left to right and the way back from right to left.

#include "trace/tape/both_ways.h"

#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/kit/names.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

struct shown_ways {
    int use; // of the numbers that go in, from 0: which of the operations that use them
};

// ---- Keys ---------------------------------------------------------------------------------------

// The next step on the same way, forward or back, from the one on screen.
static void go_on(struct walker *walker, int by) {
    struct scratch scratch;
    struct arena *arena = scratch_open(&scratch, walker->memory_failure);
    const struct run *run = &walker->trial.run;
    struct both_ways *ways;
    int step = walker->state.step + by;
    while (step >= 0 && step < run->step_count &&
           both_ways_of(arena, run, &run->steps[step], &ways) == 0)
        step += by;
    scratch_close(&scratch);
    if (step >= 0 && step < run->step_count)
        go_to_step(&walker->state, run, step);
    else
        tell(&walker->state, "No step %s this one has its gradient beside it.",
             by > 0 ? "after" : "before");
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct shown_ways *shown = view_state;
    const enum action action = pressed->action;
    if (action == ACT_BESIDE) shown->use++;
    if (action == ACT_NEXT || action == ACT_BACK) {
        go_on(walker, action == ACT_NEXT ? 1 : -1);
        shown->use = 0;
    } else {
        move_cell(&walker->state, &walker->trial.run, pressed);
    }
}

// ---- The screen ---------------------------------------------------------------------------------

struct picture {
    struct canvas *canvas;
    const struct scene *scene;
    struct both_ways ways;
    int use, uses;
    int rows;                  // of a matrix
    int left;                  // columns of what stands on the left
    struct matrices *matrices; // that were drawn
};

// As many digits as its place has room for.
static const struct matrix *fitting_matrix(const struct picture *picture, const struct step *step,
                                           int columns) {
    const struct scene *scene = picture->scene;
    const struct table table = table_of(&step->tensor);
    const int64_t page = scene->state->page < table.pages ? scene->state->page : table.pages - 1;
    const struct matrix_view tight = {.is_tight = true};
    const struct matrix *matrix =
        cached_matrix(scene->matrix_cache, &step->tensor, page, scene->digits);
    const double largest = fmax(fabs(matrix->least), fabs(matrix->most));
    const int least = largest > 0 && largest < 1 ? (int)ceil(-log10(largest)) : 1; // not all zeros
    for (int digits = scene->digits - 1;
         digits >= least && matrix_columns(matrix, &tight) > columns; digits--)
        matrix = cached_matrix(scene->matrix_cache, &step->tensor, page, digits);
    return matrix;
}

// A step's name and numbers; those that go in have the cursor.
static void draw_step(const struct picture *picture, const struct step *step, struct area area,
                      bool has_cursor) {
    struct canvas *canvas = picture->canvas;
    const struct matrix *matrix = fitting_matrix(picture, step, area.columns);
    struct placed_matrix placed = {
        .matrix = matrix, .view = {.has_focus = has_cursor}, .area = area};
    placed.area.row++, placed.area.rows--;
    placed.view.is_tight = matrix_columns(matrix, &placed.view) > area.columns;
    if (has_cursor)
        placed.view.row = picture->scene->state->row,
        placed.view.column = picture->scene->state->column;
    const char *name = arena_format(canvas->arena, "%s %s", step_label(canvas->arena, step),
                                    shape_text(canvas->arena, shape_of(&step->tensor)));
    put_text(canvas, area.row, area.column, area.columns, name, BOLD);
    matrix_draw(canvas, &placed);
    picture->matrices->panels[picture->matrices->count++] =
        (struct panel){.name = name, .placed = placed};
}

enum { ARROW = 3 }; // columns between the two

// Columns that the numbers of a step, or of both of two, would like to have.
static int wanted_columns(const struct picture *picture, const struct step *step,
                          const struct step *other) {
    const struct matrix_view tight = {.is_tight = true};
    const int columns = matrix_columns(fitting_matrix(picture, step, INT_MAX), &tight);
    const int others = other != NULL ? wanted_columns(picture, other, NULL) : 0;
    return columns > others ? columns : others;
}

// Left and right share the room as they want it, but a name needs some, too.
static int columns_on_the_left(const struct picture *picture) {
    const struct both_ways *ways = &picture->ways;
    const int room = picture->canvas->columns - 2 - ARROW, least = room / 3;
    const int left = wanted_columns(picture, ways->in, ways->in_grad);
    const int right = wanted_columns(picture, ways->out, ways->out_grad);
    const int both = left + right > 0 ? left + right : 1;
    const int share = room * left / both;
    return share < least ? least : share > room - least ? room - least : share;
}

// What stands on the left, an arrow, and what stands on the right, below their formula. Returns the row below.
static int draw_way(const struct picture *picture, int row, const char *formula,
                    const struct step *left, const struct step *right, bool is_back) {
    struct canvas *canvas = picture->canvas;
    const int columns = picture->left, others = canvas->columns - 2 - ARROW - columns;
    put_text(canvas, row, 1, canvas->columns - 2,
             arena_format(canvas->arena, "%s  %s", is_back ? "Back:   " : "Forward:", formula),
             PLAIN);
    note_words(canvas,
               arena_format(canvas->arena, "%s %s", is_back ? "Back:" : "Forward:", formula),
               PLAIN);
    const struct area area = {row + 1, 1, picture->rows + 1, columns};
    draw_step(picture, left, area,
              left == current_step(picture->scene->state, picture->scene->run));
    put_text(canvas, row + 1, columns + 1 + ARROW / 2, 1, is_back ? "←" : "→", BOLD);
    const struct area beside = {row + 1, columns + 1 + ARROW, picture->rows + 1, others};
    if (right != NULL)
        draw_step(picture, right, beside, false);
    else {
        put_text(canvas, row + 1, beside.column, others, "the loss itself: 1", BOLD);
        note_words(canvas, "the loss itself: 1", PLAIN);
    }
    return row + picture->rows + 2;
}

// What the cell under the cursor was made of, in the rows that are left.
static void draw_readout(const struct picture *picture, int row) {
    struct canvas *canvas = picture->canvas;
    struct arena *arena = canvas->arena;
    const struct scene *scene = picture->scene;
    const struct cell cell = current_cell(scene->state, scene->run);
    const struct derivation derivation = derive(arena, &cell, scene->digits);
    const char *name = step_label(arena, current_step(scene->state, scene->run));
    const char *arithmetic =
        derivation.line_count > 0 ? derivation.lines[derivation.line_count - 1] : "";
    char **lines;
    const char *words =
        arena_format(arena, "%s%s = %s", name, short_place(arena, &cell), arithmetic);
    const int count = wrap_shown(canvas, words, canvas->columns - 2, &lines);
    note_words(canvas, words, BOLD);
    for (int i = 0; i < count && row + i < canvas->rows - 1; i++)
        put_text(canvas, row + i, 1, canvas->columns - 2, lines[i], PLAIN);
}

static const char *title_of(const struct picture *picture) {
    struct arena *arena = picture->canvas->arena;
    const struct step *step = current_step(picture->scene->state, picture->scene->run);
    const char *key = picture->canvas->look.has_buttons ? "" : " (press ;)";
    const char *use = picture->uses > 1 ? arena_format(arena, ", use %d of %d%s", picture->use + 1,
                                                       picture->uses, key)
                                        : "";
    return arena_format(arena, "Both ways: %s%s", step_label(arena, step), use);
}

static void draw_ways(struct picture *picture) {
    const struct canvas *canvas = picture->canvas;
    enum { AROUND = 6 }; // title, two formulas, two names, keys
    const struct both_ways *ways = &picture->ways;
    const int in = matrix_rows(fitting_matrix(picture, ways->in, INT_MAX));
    const int out = matrix_rows(fitting_matrix(picture, ways->out, INT_MAX));
    const int room = (canvas->rows - AROUND - 1) / 2, most = in > out ? in : out;
    picture->rows = most < room ? most : room;
    picture->left = columns_on_the_left(picture);
    picture->matrices = arena_allocate(canvas->arena, sizeof *picture->matrices);
    if (canvas->noted != NULL) canvas->noted->matrices = picture->matrices;
    const int row = draw_way(picture, 1, ways->out->formula, ways->in, ways->out, false);
    const int end =
        draw_way(picture, row, ways->in_grad->formula, ways->in_grad, ways->out_grad, true);
    draw_readout(picture, end);
}

static void draw_nothing(struct canvas *canvas, const struct step *step) {
    const char *words = arena_format(
        canvas->arena,
        "This lesson does not show the gradient of %s, so there is nothing to compare. Lesson 8 "
        "shows the gradient of every operation beside the operation.",
        step_label(canvas->arena, step));
    char **lines;
    const int count = wrap_shown(canvas, words, canvas->columns - 2, &lines);
    note_words(canvas, words, PLAIN);
    for (int i = 0; i < count; i++)
        put_text(canvas, 2 + i, 1, canvas->columns - 2, lines[i], PLAIN);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct shown_ways *shown = view_state;
    const struct scene scene = scene_for(walker, canvas);
    const struct step *step = current_step(scene.state, scene.run);
    struct picture picture = {.canvas = canvas, .scene = &scene};
    struct both_ways *ways;
    picture.uses = both_ways_of(canvas->arena, scene.run, step, &ways);
    if (picture.uses > 0) {
        picture.use = shown->use % picture.uses;
        picture.ways = ways[picture.use];
    }
    draw_title(canvas, title_of(&picture),
               arena_format(canvas->arena, "step %d/%d", step->number, scene.run->step_count));
    if (picture.uses > 0)
        draw_ways(&picture);
    else
        draw_nothing(canvas, step);
    draw_key_bar(canvas, VIEW_BOTH_WAYS);
}

const struct walk_view both_ways_view = {
    .bit = VIEW_BOTH_WAYS,
    .name = "Both ways through an operation",
    .opened_by = ACT_BOTH_WAYS,
    .size = sizeof(struct shown_ways),
    .press = press,
    .draw = draw,
};
