#include "walk/screen.h"

#include "trace/step.h"

bool is_hidden(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    return screen->marks[state->row * screen->matrix->table.columns + state->column] & CELL_HIDDEN;
}

// Memory would tell what is hidden.
bool shows_memory(const struct screen *screen) {
    return screen->scene->state->shows_memory && screen->arrangement->hide == NULL;
}

bool is_readable(const struct tensor *tensor) {
    enum { MOST_NUMBERS = 4096 };
    const struct origin *origin = tensor->storage->origin;
    const int64_t results = tensor->storage->count;
    for (int i = 0; i < origin->operand_count; i++) {
        const bool is_reduction = results * MOST_NUMBERS < origin->operands[i].storage->count;
        if (is_reduction) return false;
    }
    return true;
}

// ---- Marks --------------------------------------------------------------------------------------

// What a cell of the step is, whatever the view: not computed yet, not the number it is compared with.
static unsigned char mark_of(const struct screen *screen, const int64_t *index) {
    const struct tensor *tensor = &screen->step->tensor;
    unsigned char mark = 0;
    if (screen->order.moment_count > 0 &&
        moment_of(&screen->order, index) > screen->scene->state->moment)
        mark |= CELL_PENDING;
    if (screen->has_other && is_other_number(element(tensor, index), element(screen->other, index)))
        mark |= CELL_CHANGED;
    return mark;
}

static void mark_cells(struct screen *screen) {
    const struct table table = screen->matrix->table;
    unsigned char *marks = blank_marks(screen->canvas->arena, screen->matrix);
    const bool has_marks = screen->order.moment_count > 0 || screen->has_other;
    for (int64_t i = 0; has_marks && i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(&screen->step->tensor, screen->matrix->page, i / table.columns,
                    i % table.columns, index);
        marks[i] = mark_of(screen, index);
    }
    if (screen->arrangement->hide != NULL) screen->arrangement->hide(screen, marks);
    screen->marks = marks;
}

// ---- The matrices -------------------------------------------------------------------------------

// Do the step's numbers differ from those that they are compared with, and may that be told?
static bool has_comparison(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    if (!screen->has_other || screen->arrangement->hide != NULL ||
        scene->state->grain != GRAIN_STEP)
        return false;
    const bool is_course = scene->other != scene->trial->right; // never large
    return is_course ? differ(&screen->step->tensor, screen->other)
                     : scene->trial->touched[scene->state->step];
}

// The step's own matrix; where there is room, operands and result beside each other, or what the step is
// compared with in the operands' place.
static void arrange_exhibit(struct screen *screen) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const bool is_wide = screen->canvas->columns >= WIDE_COLUMNS;
    const struct panel own = {
        .name = is_wide ? step_label(arena, screen->step) : NULL,
        .step = screen->step,
        .sight = {screen->matrix,
                  {scene->state->row, scene->state->column, true, screen->marks},
                  {0}},
    };
    struct exhibit *exhibit = &screen->exhibit;
    if (is_wide && has_comparison(screen)) {
        *exhibit = comparison_of(screen->canvas, scene, &own, screen->other);
        return;
    }
    if (is_wide)
        *exhibit = shows_view(scene->run, screen->step)
                       ? viewed_by(arena, scene, &screen->cell)
                       : operands_of(arena, scene, &screen->derivation);
    exhibit->panels[exhibit->count++] = own;
}

static void prepare(struct screen *screen) {
    const struct scene *scene = screen->scene;
    const struct tensor *tensor = &screen->step->tensor;
    screen->matrix = measured_matrix(scene->measured, tensor, scene->state->page, scene->digits);
    if (scene->state->grain != GRAIN_STEP) screen->order = order_of(scene->run, screen->step);
    if (scene->other != NULL) screen->other = same_step_in(scene->other, screen->step);
    screen->has_other =
        screen->other != NULL && shapes_equal(shape_of(screen->other), shape_of(tensor));
    screen->derivation.origin = tensor->storage->origin;
    if (is_readable(tensor))
        screen->derivation = derive(screen->canvas->arena, &screen->cell, scene->digits);
    mark_cells(screen);
    arrange_exhibit(screen);
}

struct exhibit draw_screen(struct canvas *canvas, const struct scene *scene,
                           const struct arrangement *arrangement, const void *own) {
    struct screen screen = {
        .canvas = canvas,
        .scene = scene,
        .arrangement = arrangement,
        .own = own,
        .width = canvas->columns - 2,
        .step = current_step(scene->state, scene->run),
        .cell = current_cell(scene->state, scene->run),
    };
    for (int i = 0; i < SLOT_COUNT; i++) screen.slots[i].block = arrangement->blocks[i];
    prepare(&screen);
    lay_out(&screen);
    draw_slots(&screen);
    return screen.exhibit;
}
