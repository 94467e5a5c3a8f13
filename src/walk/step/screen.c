#include "walk/step/screen.h"

#include "tensor/number/partial.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

unsigned char marks_at_cursor(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    return screen->marks[state->row * screen->matrix->table.columns + state->column];
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

const struct tensor *compared_with(const struct screen *screen, const struct step *step) {
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

// Inside a step, its later cells and the steps behind it are not computed yet.
static bool is_pending(const struct screen *screen, const struct step *step, const int64_t *index) {
    if (step != screen->step)
        return screen->scene->state->grain != GRAIN_STEP && step > screen->step;
    if (screen->order.moment_count == 0) return false;
    const struct state *state = screen->scene->state;
    const int64_t moment = moment_of(&screen->order, index);
    const bool has_terms_left =
        state->term < screen->terms.count - 1; // of the cell that is computed
    return moment > state->moment || (moment == state->moment && has_terms_left);
}

// The tensor that a program's line wrote over, so that changed cells are marked; NULL if there is none of this shape.
static const struct tensor *written_over(const struct screen *screen, const struct step *step) {
    const struct run *run = screen->scene->run;
    if (run->lesson->part != PART_OF_READER || step->beside == NULL) return NULL;
    const struct step *before = step_called(run, step->beside);
    const bool is_alike =
        before != NULL && shapes_equal(shape_of(&before->tensor), shape_of(&step->tensor));
    return is_alike ? &before->tensor : NULL;
}

bool is_changed_number(const struct screen *screen, const struct step *step,
                       const struct tensor *other, const int64_t *index) {
    const struct companion *companion = screen->scene->companion;
    const bool *is_other =
        companion != NULL ? companion->counterparts[step->number - 1].is_other : NULL;
    const struct tensor *tensor = &step->tensor;
    if (is_other == NULL) return is_other_number(element(tensor, index), element(other, index));
    int64_t position = 0;
    for (int dim = 0; dim < tensor->ndim; dim++)
        position = position * tensor->shape[dim] + index[dim];
    return is_other[position];
}

unsigned char *marks_of(const struct screen *screen, const struct step *step,
                        const struct matrix *matrix) {
    const struct table table = matrix->table;
    const struct tensor *tensor = &step->tensor, *other = compared_with(screen, step);
    if (screen->scene->other == NULL) other = written_over(screen, step);
    unsigned char *marks = blank_marks(screen->canvas->arena, matrix);
    const struct where_to *followed = screen->scene->followed;
    if (other == NULL && followed == NULL && screen->scene->state->grain == GRAIN_STEP)
        return marks;
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, matrix->page, i / table.columns, i % table.columns, index);
        if (is_pending(screen, step, index)) marks[i] |= CELL_PENDING;
        if (other != NULL && is_changed_number(screen, step, other, index))
            marks[i] |= CELL_CHANGED;
        if (followed != NULL && is_reached(followed, tensor, index)) marks[i] |= CELL_REACHED;
    }
    return marks;
}

// ---- Beside the matrices -------------------------------------------------------------------------

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

// The terms of the cell that is computed, whether or not the cursor is on it.
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
    screen->failure = failed_outcome(scene->trial, screen->step);
    screen->derivation.origin = tensor->storage->origin;
    if (is_readable(tensor)) {
        struct arena *arena = screen->canvas->arena;
        const struct cell cell = cell_with_terms(arena, screen->cell);
        screen->derivation = derive_conclusion(arena, &cell, scene->digits);
    }
    find_terms(screen);
    unsigned char *marks = marks_of(screen, screen->step, screen->matrix);
    if (screen->arrangement->hide != NULL) screen->arrangement->hide(screen, marks);
    screen->marks = marks;
}

// ---- Beside the words ----------------------------------------------------------------------------

// The largest block of rows that are blank from a column on, above the foot of the matrices.
static struct area free_beside(const struct screen *screen, int column) {
    const struct slot *matrices = &screen->slots[SLOT_MATRIX];
    const int end = matrices->row + matrices->rows;
    struct area best = {.column = column, .columns = screen->canvas->columns - 1 - column};
    int first = screen->slots[SLOT_HEADING].row;
    for (int row = first; row <= end; row++) {
        bool is_free = row < end;
        for (int i = column - 1; is_free && i < screen->canvas->columns; i++)
            is_free = glyph_at(screen->canvas, row, i)->character == ' ';
        if (is_free) continue;
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
    const struct map_cache *map_cache = cached_map(scene->map_cache, scene->run, screen->step);
    if (map_cache == NULL) return;
    area.row++, area.rows -= 2;
    const int here = node_of(&map_cache->map.graph, screen->step);
    const struct map_drawing drawing = {&map_cache->map, &map_cache->sketch, scene, here};
    draw_map(screen->canvas, &area, &drawing, false);
}

const struct arrangement step_arrangement = {
    .blocks = {[SLOT_TITLE] = &title_block,
               [SLOT_TIMELINE] = &timeline_block,
               [SLOT_OPENING] = &opening_block,
               [SLOT_HEADING] = &heading_block,
               [SLOT_WORDS] = &prose_block,
               [SLOT_FORMULA] = &formula_block,
               [SLOT_FACTS] = &facts_block,
               [SLOT_MATRIX] = &matrices_block,
               [SLOT_CELL] = &cell_block,
               [SLOT_SOURCE] = &source_block,
               [SLOT_KEYS] = &keys_block},
};

struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
                         const struct arrangement *arrangement, const void *view) {
    struct screen screen = {
        .canvas = canvas,
        .scene = scene,
        .arrangement = arrangement,
        .view = view,
        .width = canvas->columns - 2,
        .step = current_step(scene->state, scene->run),
        .cell = current_cell(scene->state, scene->run),
    };
    for (int i = 0; i < SLOT_COUNT; i++) screen.slots[i].block = arrangement->blocks[i];
    prepare(&screen);
    lay_out(&screen);
    draw_slots(&screen);
    draw_map_beside(&screen);
    if (scene->reader != NULL) scene->reader->read(scene->reader, &screen);
    return shown_of(&screen.matrices);
}
