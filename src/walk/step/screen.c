#include "walk/step/screen.h"

#include "tensor/number/partial.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "walk/step/map_drawing.h"

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

// The tensor of a step in the run to compare with; NULL if there is none of the same shape.
static const struct tensor *comparable(const struct screen *screen, const struct step *step) {
    if (screen->scene->other == NULL) return NULL;
    const struct tensor *other = same_step_in(screen->scene->other, step);
    if (other == NULL || !shapes_equal(shape_of(other), shape_of(&step->tensor))) return NULL;
    return other;
}

const struct partial *current_term(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    const int64_t last = screen->terms.count - 1;
    if (last < 0 || !screen->is_at_moment) return NULL;
    return &screen->terms.all[state->term < last ? state->term : last];
}

// Is the cell that is computed not the whole sum yet?
static bool has_terms_left(const struct screen *screen) {
    return screen->scene->state->term < screen->terms.count - 1;
}

// Inside a step, what comes later is not computed yet: of its own cells, and those of steps behind it.
static bool is_pending(const struct screen *screen, const struct step *step, const int64_t *index) {
    if (step != screen->step)
        return screen->scene->state->grain != GRAIN_STEP && step > screen->step;
    if (screen->order.moment_count == 0) return false;
    const struct state *state = screen->scene->state;
    const int64_t moment = moment_of(&screen->order, index);
    return moment > state->moment || (moment == state->moment && has_terms_left(screen));
}

static unsigned char *marks_of(const struct screen *screen, const struct step *step,
                               const struct matrix *matrix) {
    const struct table table = matrix->table;
    const struct tensor *tensor = &step->tensor, *other = comparable(screen, step);
    unsigned char *marks = blank_marks(screen->canvas->arena, matrix);
    const struct where_to *followed = screen->scene->followed;
    if (other == NULL && followed == NULL && screen->scene->state->grain == GRAIN_STEP)
        return marks;
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, matrix->page, i / table.columns, i % table.columns, index);
        if (is_pending(screen, step, index)) marks[i] |= CELL_PENDING;
        if (other != NULL && is_other_number(element(tensor, index), element(other, index)))
            marks[i] |= CELL_CHANGED;
        if (followed != NULL && is_reached(followed, tensor, index)) marks[i] |= CELL_REACHED;
    }
    return marks;
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

// "[change here: +0.8538]": of the number under the cursor, since an earlier step.
static const char *change_text(const struct screen *screen, const struct tensor *before) {
    struct arena *arena = screen->canvas->arena;
    const int64_t *index = screen->cell.index;
    const double change = element(&screen->cell.tensor, index) - element(before, index);
    return arena_format(arena, "[change here: %s%s]", change > 0 ? "+" : "",
                        number_in_digits(arena, change, screen->scene->digits));
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
        scene->state->grain != GRAIN_STEP ||
        !shapes_equal(shape_of(&before->tensor), shape_of(&screen->step->tensor)))
        return false;
    const bool hides = screen->arrangement->hide != NULL; // the change would tell what is hidden
    const int most = scene->digits > LEAST_DIGITS ? scene->digits : LEAST_DIGITS;
    for (int panels = hides ? ALL_PANELS - 1 : ALL_PANELS; panels > 1; panels--) {
        for (int digits = most; digits >= LEAST_DIGITS; digits--) {
            struct panel result = panel_of(screen, screen->step, digits);
            result.placed.view.is_tight = true;
            screen->matrices = comparison_of(canvas, scene, &result, &before->tensor, before->name);
            if (hides) screen->matrices.count = ALL_PANELS - 1;
            const bool fits = columns_of_panels(canvas, &screen->matrices) <= canvas->columns;
            const bool has_all = fits && screen->matrices.count >= panels;
            if (screen->matrices.count < ALL_PANELS && !hides)
                screen->matrices.panels[1].note = change_text(screen, &before->tensor);
            if (has_all) return true;
        }
    }
    return true; // narrowed, in the fewest digits
}

// Ranges of numbers that are hidden, or not computed yet, would give these away.
static bool may_list(const struct screen *screen) {
    return screen->arrangement->hide == NULL && screen->scene->state->grain == GRAIN_STEP &&
           !shows_memory(screen) &&
           !(screen->canvas->columns >= WIDE_COLUMNS && has_comparison(screen));
}

// The operands of the number under the cursor, what was used of them lit: of one term of a sum inside of it.
static struct matrices operands_at_cursor(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const struct partial *term = current_term(screen);
    const struct term_operands all_of_them = {0, screen->derivation.operand_count};
    if (shows_view(scene->run, screen->step)) return viewed_by(arena, scene, &screen->cell);
    return operands_with(arena, scene, &screen->derivation,
                         term != NULL ? operands_of_term(&screen->derivation, term) : all_of_them);
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
            screen->matrices = composition_of(screen->canvas, screen->scene, shown,
                                              is_alone ? results : beside, &screen->room);
            if (screen->matrices.count > 0) return;
        }
    }
}

// Weights of several heads, bars above them.
static void find_bars(struct screen *screen) {
    const struct scene *scene = screen->scene;
    const struct matrices none = {0}, results = results_of(screen);
    if (weights_beside(scene->run, screen->step) == NULL) return;
    screen->matrices = composition_of(screen->canvas, scene, &none, &results, &screen->room);
    if (screen->arrangement->hide == NULL)
        add_bars(screen->canvas->arena, &screen->matrices, screen->room.most);
}

// Beside what the step is compared with; or beside the step that the lesson wants; or as a picture; where none fits, the
// result alone, on a wide screen with its operands narrowed.
void arrange_matrices(struct screen *screen) {
    const struct scene *scene = screen->scene;
    const bool is_wide = screen->canvas->columns >= WIDE_COLUMNS;
    struct panel result = panel_of(screen, screen->step, scene->digits);
    const char *label = step_label(screen->canvas->arena, screen->step);
    if (is_wide && has_comparison(screen)) {
        result.name = label;
        screen->matrices =
            comparison_of(screen->canvas, scene, &result, screen->other, scene->other_name);
        return;
    }
    if (find_pair(screen)) return;
    const struct matrices operands = operands_at_cursor(screen);
    result = upright(screen, result);
    find_bars(screen);
    if (screen->matrices.count == 0) find_picture(screen, &operands, &result);
    if (screen->matrices.count > 0) return;
    if (is_wide) screen->matrices = operands;
    const bool has_name = is_wide || result.placed.matrix->exponent != 0; // where the factor stands
    result.name = has_name ? label : NULL;
    screen->matrices.panels[screen->matrices.count++] = result;
}

struct area free_area_of(const struct screen *screen) {
    enum { LEAST_COLUMNS_OF_WORDS = 32, LEAST_ROWS_OF_WORDS = 3, MARGIN = 2 };
    const struct matrices *matrices = &screen->matrices;
    const struct slot *slot = &screen->slots[SLOT_MATRIX];
    struct area free_area = matrices->free_area;
    free_area.row += slot->row + slot->rows - matrices->rows;
    free_area.column = 1;
    free_area.columns -= MARGIN;
    if (free_area.columns > PROSE_COLUMNS) free_area.columns = PROSE_COLUMNS;
    if (free_area.columns < LEAST_COLUMNS_OF_WORDS || free_area.rows < LEAST_ROWS_OF_WORDS ||
        shows_memory(screen) || screen->inventory.columns > 0)
        free_area.rows = 0;
    return free_area;
}

// The terms of the cell that is computed, be the cursor on it or not.
static void find_terms(struct screen *screen) {
    const struct state *state = screen->scene->state;
    struct arena *arena = screen->canvas->arena;
    const bool has_cell = state->grain == GRAIN_TERM && screen->order.moment_count > 0;
    if (!has_cell || !is_readable(&screen->step->tensor)) return;
    const struct moment moment = moment_at(&screen->order, state->moment);
    if (moment.part != COMPUTES_CELL) return;
    const struct cell cell = cell_with_terms(arena, moment.cell);
    const struct derivation derivation = find_operands(arena, &cell);
    screen->terms = terms_of(arena, &cell, &derivation);
    screen->is_at_moment = same_element(&moment.cell, &screen->cell);
}

static void prepare(struct screen *screen) {
    const struct scene *scene = screen->scene;
    const struct tensor *tensor = &screen->step->tensor;
    screen->matrix = cached_matrix(scene->matrix_cache, tensor, scene->state->page, scene->digits);
    screen->stop = stop_at(scene->run, scene->state->step);
    if (scene->state->grain != GRAIN_STEP) screen->order = order_of(scene->run, screen->step);
    if (scene->other != NULL) screen->other = same_step_in(scene->other, screen->step);
    screen->has_other = comparable(screen, screen->step) != NULL;
    screen->failure = failed_outcome(scene->trial, screen->step);
    screen->derivation.origin = tensor->storage->origin;
    if (is_readable(tensor)) {
        struct arena *arena = screen->canvas->arena;
        const struct cell cell = cell_with_terms(arena, screen->cell);
        screen->derivation = derive(arena, &cell, scene->digits);
    }
    find_terms(screen);
    unsigned char *marks = marks_of(screen, screen->step, screen->matrix);
    if (screen->arrangement->hide != NULL) screen->arrangement->hide(screen, marks);
    screen->marks = marks;
}

// ---- Beside the words ----------------------------------------------------------------------------

static bool is_blank(const struct canvas *canvas, int row, int column) {
    for (int i = column; i < canvas->columns; i++) {
        const uint32_t character = glyph_at(canvas, row, i)->character;
        if (character != ' ') return false;
    }
    return true;
}

// The most rows in a row that are free from a column on, above the foot of the matrices.
static struct area free_beside(const struct screen *screen, int column) {
    const struct slot *matrices = &screen->slots[SLOT_MATRIX];
    const int end = matrices->row + matrices->rows;
    struct area best = {.column = column, .columns = screen->canvas->columns - 1 - column};
    int first = screen->slots[SLOT_HEADING].row;
    for (int row = first; row <= end; row++) {
        if (row < end && is_blank(screen->canvas, row, column - 1)) continue;
        if (row - first > best.rows) best.row = first, best.rows = row - first;
        first = row + 1;
    }
    return best;
}

// Where there is room beside the words, the part of the map that is around this step.
static void draw_map_beside(const struct screen *screen) {
    enum { LEAST_ROWS_OF_MAP = 9, LEAST_COLUMNS_OF_MAP = 36, BETWEEN = 3 };
    const struct scene *scene = screen->scene;
    const struct block *words = screen->slots[SLOT_WORDS].block;
    const bool is_plain = words != NULL && words->may_be_cut && screen->arrangement->hide == NULL;
    if (!is_plain || screen->canvas->columns < WIDE_COLUMNS || shows_memory(screen)) return;
    struct area area = free_beside(screen, PROSE_COLUMNS + BETWEEN);
    if (area.rows < LEAST_ROWS_OF_MAP || area.columns < LEAST_COLUMNS_OF_MAP) return;
    const struct map_cache *map_cache = cached_map(scene->map_cache, scene->run);
    if (map_cache == NULL) return;
    area.row++, area.rows -= 2;
    const int here = node_of(&map_cache->map.graph, screen->step);
    const struct map_drawing drawing = {&map_cache->map, &map_cache->sketch, scene, here};
    draw_map(screen->canvas, &area, &drawing, false);
}

struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
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
    if (may_list(&screen)) screen.inventory = inventory_of(canvas, scene);
    lay_out(&screen);
    draw_slots(&screen);
    draw_map_beside(&screen);
    return shown_of(&screen.matrices);
}
