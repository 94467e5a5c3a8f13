// The numbers of a step: which matrices, and how they are arranged.

#include <string.h>

#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "walk/step/screen.h"

// ---- A curve ------------------------------------------------------------------------------------

// A list too long to be read as numbers has a curve above them: losses, update by update; one of words has bars. Inside the
// step its place is kept.
bool has_curve(const struct screen *screen) {
    enum { FEWEST = 32, FEWEST_BARS = 5 };
    const struct table table = screen->matrix->table;
    const struct tensor *tensor = &screen->step->tensor;
    const bool has_bars = is_drawn_as_bars(tensor) && is_floating(tensor->storage->dtype); // no ids
    return !shows_memory(screen) && screen->arrangement->hide == NULL &&
           (!screen->matrices.is_composed || screen->matrices.count == 1) &&
           table.rows == charts_of(tensor) && table.columns >= (has_bars ? FEWEST_BARS : FEWEST) &&
           why_no_curve(screen->canvas->arena, &screen->step->tensor) == NULL;
}

static struct style style_on_curve(const void *context, const struct sketch_cell *cell) {
    const struct screen *screen = context;
    if (cell->of == PART_OF_NOTHING) return DIM;
    const struct state *state = screen->scene->state;
    const int64_t chosen = state->row * screen->matrix->table.columns + state->column;
    return cell->of == chosen ? REVERSE : PLAIN;
}

static void draw_curve(const struct screen *screen, struct area area) {
    const struct sketch sketch =
        curve_sketch(screen->canvas->arena, &screen->step->tensor,
                     curve_beside(screen->scene->run, screen->step), area.rows, area.columns,
                     screen->canvas->look.is_ascii);
    put_sketch(screen->canvas, &area, &sketch, 0, 0, style_on_curve, screen);
}

// ---- A plane ------------------------------------------------------------------------------------

enum { ROWS_OF_PLANE = 12, COLUMNS_OF_PLANE = 44, FEWEST_COLUMNS_OF_PLANE = 30 };

// The columns at the right of the numbers, behind a gap.
static int columns_beside(const struct screen *screen) {
    enum { GAP = 3 };
    const struct canvas *canvas = screen->canvas;
    return canvas->columns - columns_of_panels(canvas, &screen->matrices) - GAP;
}

// Points that a lesson wants to be seen stand at the right of their numbers.
bool has_plane(const struct screen *screen) {
    return screen->step->has_plane && !shows_memory(screen) &&
           columns_beside(screen) >= FEWEST_COLUMNS_OF_PLANE;
}

static struct style style_on_plane(const void *context, const struct sketch_cell *cell) {
    const struct screen *screen = context;
    if (cell->of == PART_OF_NOTHING) return DIM;
    return cell->of == screen->scene->state->row ? REVERSE : PLAIN;
}

static void draw_plane(const struct screen *screen, struct area area) {
    struct arena *arena = screen->canvas->arena;
    struct plane plane;
    const struct state *state = screen->scene->state;
    if (screen->arrangement->hide != NULL || state->grain != GRAIN_STEP)
        return; // it would tell what is hidden, or not computed yet
    if (plane_of(arena, &plane, screen->scene->run, screen->step, state->page) != NULL) return;
    const int taken = screen->canvas->columns - columns_beside(screen);
    area.column += taken;
    area.columns -= taken;
    if (area.columns > COLUMNS_OF_PLANE) area.columns = COLUMNS_OF_PLANE;
    enum { LEGEND = 2 }; // the step's name and the ranges stand beside it
    area.rows--;
    const struct sketch sketch = plane_sketch(arena, &plane, area.rows + LEGEND, area.columns,
                                              screen->canvas->look.is_ascii);
    put_sketch(screen->canvas, &area, &sketch, 0, 0, style_on_plane, screen);
    put_text(screen->canvas, area.row + area.rows, area.column, area.columns,
             arena_format(arena, "→ %s   ↑ %s", plane.x_name, plane.y_name), DIM);
}

// ---- Which matrices -----------------------------------------------------------------------------

// Do the step's numbers differ from those that they are compared with, and may that be told?
static bool has_comparison(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    const struct tensor *other = compared_with(screen, screen->step);
    if (other == NULL || screen->arrangement->hide != NULL || scene->state->grain != GRAIN_STEP)
        return false;
    const bool is_another = scene->other != scene->trial->right; // never large
    return is_another ? differ(&screen->step->tensor, other)
                      : scene->trial->touched[scene->state->step];
}

// A step of this stop: at the cursor's place, with the cursor if it is the one on screen.
static struct panel panel_of(const struct screen *screen, const struct step *step, int digits) {
    const struct scene *scene = screen->scene;
    const struct state *state = scene->state;
    const struct table table = table_of(&step->tensor);
    const int64_t page = state->page < table.pages ? state->page : table.pages - 1;
    const struct matrix *matrix = cached_matrix(scene->matrix_cache, &step->tensor, page, digits);
    const bool is_own = step == screen->step;
    return (struct panel){
        .name = step->name,
        .step = step,
        .placed = {.matrix = matrix,
                   .view = {.row = state->row < table.rows ? state->row : table.rows - 1,
                            .column =
                                state->column < table.columns ? state->column : table.columns - 1,
                            .has_focus = is_own,
                            .marks = is_own ? screen->marks : marks_of(screen, step, matrix)}},
    };
}

// Row sums stand beside the rows, as a column. Their marks are in the same order.
static struct panel upright(const struct screen *screen, struct panel panel) {
    const struct matrix *matrix = panel.placed.matrix;
    const struct tensor *tensor = &matrix->tensor;
    if (!stands_upright(tensor)) return panel;
    struct tensor column = view(*tensor, SHAPE(tensor->shape[0], 1));
    column.axis[0] = tensor->axis[0];
    panel.placed.matrix =
        cached_matrix(screen->scene->matrix_cache, &column, matrix->page, matrix->digits);
    panel.placed.view.row = panel.placed.view.column;
    panel.placed.view.column = 0;
    return panel;
}

// The steps of the stop, the one on screen with the cursor.
static struct matrices results_of(const struct screen *screen) {
    struct matrices results = {0};
    const bool is_many = screen->stop.count > MAX_BESIDE || screen->inventory.columns > 0;
    for (int i = 0; i < (is_many ? 1 : screen->stop.count); i++) {
        const struct step *step =
            is_many ? screen->step : &screen->scene->run->steps[screen->stop.first + i];
        if (step != screen->step && failed_outcome(screen->scene->trial, step) != NULL) continue;
        results.panels[results.count++] =
            upright(screen, panel_of(screen, step, screen->scene->digits));
    }
    return results;
}

// The operands that are no results of the stop. Those that are stand among these, where what was used of them is lit.
static struct matrices others_than(const struct matrices *operands, struct matrices *results) {
    struct matrices others = {0};
    for (int i = 0; i < operands->count; i++) {
        const struct placed_matrix *placed = &operands->panels[i].placed;
        struct panel *same = NULL;
        for (int k = 0; k < results->count; k++) {
            struct panel *result = &results->panels[k];
            if (result->placed.matrix == placed->matrix && !result->placed.view.has_focus)
                same = result;
        }
        if (same == NULL)
            others.panels[others.count++] = operands->panels[i];
        else
            same->placed.view.marks = placed->view.marks;
    }
    return others;
}

// The step beside the one that the lesson wants it to be seen beside: in as many digits as leave room for both and for
// the change, else for both. False if there is none, or where hardly any of it would be in sight.
static bool find_pair(struct screen *screen) {
    enum { LEAST_DIGITS = 2, LEAST_COLUMNS_OF_PAIR = 72, ALL_PANELS = 3 };
    const struct scene *scene = screen->scene;
    const struct canvas *canvas = screen->canvas;
    const struct step *before =
        screen->step->beside != NULL ? step_called(scene->run, screen->step->beside) : NULL;
    if (before == NULL || canvas->columns < LEAST_COLUMNS_OF_PAIR ||
        !shapes_equal(shape_of(&before->tensor), shape_of(&screen->step->tensor)))
        return false;
    // The change would tell what is hidden, and means nothing where numbers are names: ids.
    const bool lacks_change =
        screen->arrangement->hide != NULL || !is_floating(screen->step->tensor.storage->dtype);
    const int most = scene->digits > LEAST_DIGITS ? scene->digits : LEAST_DIGITS;
    for (int panels = lacks_change ? ALL_PANELS - 1 : ALL_PANELS; panels > 1; panels--) {
        for (int digits = most; digits >= LEAST_DIGITS; digits--) {
            struct panel result = panel_of(screen, screen->step, digits);
            result.placed.view.is_tight = true;
            screen->matrices = comparison_of(canvas, scene, &result, &before->tensor, before->name);
            if (lacks_change) screen->matrices.count = ALL_PANELS - 1;
            if (scene->state->grain != GRAIN_STEP) // what is not computed yet has no difference
                screen->matrices.panels[2].placed.view.marks = screen->marks;
            const bool fits = columns_of_panels(canvas, &screen->matrices) <= canvas->columns;
            const bool has_all = fits && screen->matrices.count >= panels;
            if (has_all) return true;
        }
    }
    return true; // narrowed, in the fewest digits
}

// The picture with the most panels that fits: the last operand is left out first, a bias, and of each choice of operands the
// other results of the stop. On a wide screen the result with narrow operands is better than without any.
static void find_picture(struct screen *screen, const struct matrices *operands,
                         const struct panel *result) {
    const bool is_wide = screen->canvas->columns >= WIDE_COLUMNS;
    struct matrices *results = arena_array(screen->canvas->arena, 3, sizeof *results); // large
    struct matrices *beside = &results[1], *shown = &results[2];
    beside[0] = results_of(screen);
    const struct matrices others = others_than(operands, beside);
    results->panels[results->count++] = *result;
    for (int lost = 0; lost <= operands->count; lost++) {
        const bool is_last = lost == operands->count;
        for (int is_alone = 0; is_alone < (is_last && is_wide ? 1 : 2); is_alone++) {
            *shown = is_alone ? *operands : others;
            shown->count = shown->count > lost ? shown->count - lost : 0;
            screen->matrices = picture_of(screen->canvas, screen->scene, shown,
                                          is_alone ? results : beside, &screen->room);
            if (screen->matrices.count > 0) return;
        }
    }
}

// Beside what the step is compared with; or beside the step that the lesson wants; or as a picture; where none fits, the
// result alone, on a wide screen with its operands narrowed.
static void arrange_matrices(struct screen *screen) {
    const struct scene *scene = screen->scene;
    const bool is_wide = screen->canvas->columns >= WIDE_COLUMNS;
    struct panel result = panel_of(screen, screen->step, scene->digits);
    const char *label = step_label(screen->canvas->arena, screen->step);
    if ((is_wide || scene->companion != NULL) && has_comparison(screen)) {
        result.name = label;
        screen->matrices = comparison_of(screen->canvas, scene, &result,
                                         compared_with(screen, screen->step), scene->other_name);
        return;
    }
    if (find_pair(screen)) return;
    if (charts_of(&screen->step->tensor) > 1) { // bars stand in the place of its operands
        result.name = result.placed.matrix->format.exponent != 0 ? label : NULL;
        result.placed.view.is_tight =
            columns_of_panels(screen->canvas, &(struct matrices){.count = 1, .panels = {result}}) >
            screen->room.columns;
        screen->matrices.panels[screen->matrices.count++] = result;
        return;
    }
    if (screen->step->has_plane) {
        result.name = label;
        screen->matrices.panels[screen->matrices.count++] = result;
        if (has_plane(screen)) return;
        screen->matrices.count = 0;
    }
    const struct matrices operands = operands_at_cursor(screen);
    result = upright(screen, result);
    if (weights_beside(scene->run, screen->step) !=
        NULL) { // several heads: bars above their weights
        const struct matrices no_operands = {0}, results = results_of(screen);
        screen->matrices = picture_of(screen->canvas, scene, &no_operands, &results, &screen->room);
        if (screen->arrangement->hide == NULL)
            add_bars(screen->canvas->arena, &screen->matrices, screen->room.most);
    }
    if (screen->matrices.count == 0) find_picture(screen, &operands, &result);
    if (screen->matrices.count > 0) return;
    if (is_wide) screen->matrices = operands;
    const bool has_name =
        is_wide || result.placed.matrix->format.exponent != 0; // where the factor stands
    result.name = has_name ? label : NULL;
    screen->matrices.panels[screen->matrices.count++] = result;
}

// ---- Matrices -----------------------------------------------------------------------------------

// Why there are none, in place of the numbers: all lines of the message.
static int want_failure(const struct screen *screen, struct slot *slot) {
    struct arena *arena = screen->canvas->arena;
    const struct line_outcome *failure = screen->failure;
    const char *words = arena_format(arena, "Not computed. %s", failure->failure);
    if (failure->behind >= 0) {
        const struct step *step = &screen->scene->run->steps[failure->behind];
        words = arena_format(arena,
                             failure->is_unreached
                                 ? "Not reached: the line of step %d, %s, did not end."
                                 : "Not computed: it needs what failed at step %d, %s.",
                             step->number, step_label(arena, step));
    }
    char **paragraphs;
    const int count = split_shown(screen->canvas, words, &paragraphs);
    slot->line_count = 0; // it may be asked again
    for (int i = 0; i < count; i++)
        slot->needed = add_paragraph(screen, slot, paragraphs[i], screen->width);
    return slot->needed;
}

// With the numbers below it.
static int rows_of_curve(const struct screen *screen) {
    enum { MOST_OF_CURVE = 16, MOST_OF_BARS = 8, MOST_OF_CHART = 3 };
    const struct tensor *tensor = &screen->step->tensor;
    const int charts = charts_of(tensor);
    if (charts > 1) return charts * MOST_OF_CHART + 1 + rows_of_panels(&screen->matrices);
    return is_drawn_as_bars(tensor) ? MOST_OF_BARS : MOST_OF_CURVE;
}

static int want_matrices(struct screen *screen, struct slot *slot) {
    if (screen->failure != NULL) return want_failure(screen, slot);
    enum { LEAST = 4 };
    const int most = screen->room.comfortable > LEAST ? screen->room.comfortable : LEAST;
    const bool is_known = // ranges of other numbers would give these away
        screen->arrangement->hide == NULL && screen->scene->state->grain == GRAIN_STEP;
    const bool is_compared = screen->canvas->columns >= WIDE_COLUMNS && has_comparison(screen);
    if (is_known && !shows_memory(screen) && !is_compared) screen->inventory = inventory_of(screen);
    screen->room.columns = screen->canvas->columns - screen->inventory.columns;
    arrange_matrices(screen);
    if (has_curve(screen)) {
        const int drawn = rows_of_curve(screen);
        return most < drawn ? most : drawn;
    }
    if (has_plane(screen)) return most < ROWS_OF_PLANE ? most : ROWS_OF_PLANE;
    const bool is_composed = !shows_memory(screen) && screen->matrices.is_composed;
    const int rows = shows_memory(screen) ? memory_rows(screen) : rows_of_panels(&screen->matrices);
    const int wanted = is_composed || rows < most ? rows : most;
    if (screen->inventory.columns == 0) return wanted;
    const int lines = screen->stop.count;
    const int listed = lines < screen->room.most ? lines : screen->room.most;
    return listed > wanted ? listed : wanted;
}

static void draw_matrices(struct screen *screen, const struct slot *slot) {
    enum { LEAST_OF_CURVE = 4 };
    if (screen->failure != NULL) {
        struct slot words = *slot; // some views give it rows unasked
        (void)want_failure(screen, &words);
        draw_bold_lines(screen, &words);
        return;
    }
    struct area area = {slot->row, 0, slot->rows, screen->canvas->columns};
    const int left = slot->rows - rows_of_panels(&screen->matrices);
    if (screen->inventory.columns > 0) draw_inventory(screen, area);
    area.column += screen->inventory.columns;
    area.columns -= screen->inventory.columns;
    if (has_curve(screen) && left >= LEAST_OF_CURVE) {
        if (screen->scene->state->grain == GRAIN_STEP)
            draw_curve(screen, (struct area){slot->row, 1 + screen->inventory.columns, left,
                                             screen->width - screen->inventory.columns});
        area.row += left;
        area.rows -= left;
    }
    if (shows_memory(screen))
        draw_memory(screen, area);
    else
        draw_panels(screen->canvas, area, &screen->matrices);
    if (has_plane(screen)) draw_plane(screen, area);
}

const struct block matrices_block = {.wants = want_matrices, .draw = draw_matrices};
