// Estimating: the numbers of the step are hidden, and the user says what they are.

#include <math.h>

#include "base/text.h"
#include "walk/blocks/blocks.h"
#include "walk/views/step.h"
#include "walk/views/typing.h"

// What is open again.
struct estimate {
    bool has_row;
    int64_t page, row;
    int64_t column; // of the row only this cell; -1: all of it
};

// At cell grain the question is the next cell.
static void open(struct walker *walker, void *own) {
    (void)own;
    struct state *state = &walker->state;
    if (state->grain < GRAIN_CELL || state->moment < 0) return;
    const struct order order = current_order(state, &walker->trial.run);
    for (int64_t i = state->moment + 1; i < order.moment_count; i++) {
        const struct moment moment = moment_at(&order, i);
        if (moment.part != COMPUTES_CELL) continue;
        table_place(&moment.cell.tensor, moment.cell.index, &state->page, &state->row,
                    &state->column);
        return;
    }
}

// ---- Judging ------------------------------------------------------------------------------------

static void reveal(struct walker *walker, struct estimate *estimate, bool whole_row) {
    struct state *state = &walker->state;
    *estimate = (struct estimate){true, state->page, state->row, whole_row ? -1 : state->column};
    if (state->grain == GRAIN_STEP) return;
    const struct cell cell = current_cell(state, &walker->trial.run);
    const struct order order = current_order(state, &walker->trial.run);
    const int64_t moment = order.moment_count > 0 ? moment_of(&order, cell.index) : -1;
    if (moment >= state->moment) state->moment = moment, state->term = INT32_MAX;
}

static const struct visit *count_guess(struct walker *walker, bool is_good) {
    struct visit *visit = &walker->state.visits[walker->state.lesson];
    visit->guesses++;
    if (is_good) visit->good_guesses++;
    return visit;
}

// Within a tenth of the range of the numbers is close.
static bool is_close(struct walker *walker, const struct cell *cell, double gap) {
    const struct matrix *matrix =
        measured_matrix(&walker->measured, &cell->tensor, walker->state.page, shown_digits(walker));
    const double range = matrix->most > matrix->least ? matrix->most - matrix->least : 1;
    return isfinite(cell_value(cell)) && gap <= range / 10;
}

static void typed(struct walker *walker, void *own, const char *text) {
    double guess;
    if (!read_number(walker, text, &guess)) return;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    const double value = cell_value(&cell), gap = fabs(guess - value);
    const bool is_good = is_close(walker, &cell, gap);
    const struct visit *visit = count_guess(walker, is_good);
    reveal(walker, own, false);
    const char *verdict =
        !isfinite(value)
            ? "a masked score"
            : arena_format(m, "%s off%s", number_in_digits(m, gap, shown_digits(walker)),
                           is_good ? ", that is close" : "");
    tell(&walker->state, "It is %s: %s. (%d of %d close in this lesson)",
         cell_number(m, &cell, shown_digits(walker)), verdict, visit->good_guesses, visit->guesses);
    scratch_close(&scratch);
}

// The largest of the row under the cursor.
static struct cell largest_of_row(const struct state *state, const struct run *run) {
    const struct cell start = current_cell(state, run);
    const int64_t columns = table_of(&start.tensor).columns;
    struct cell best = start;
    double most = -INFINITY;
    for (int64_t column = 0; column < columns; column++) {
        struct cell cell = {.tensor = start.tensor};
        table_index(&cell.tensor, state->page, state->row, column, cell.index);
        const bool is_larger = cell_value(&cell) > most;
        if (is_larger) most = cell_value(&cell);
        if (is_larger || column == 0) best = cell;
    }
    return best;
}

static void pick(struct walker *walker, struct estimate *estimate) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct cell picked = current_cell(&walker->state, &walker->trial.run);
    const struct cell largest = largest_of_row(&walker->state, &walker->trial.run);
    const struct tensor *tensor = &largest.tensor;
    const int last = tensor->ndim - 1;
    const bool is_right = cell_value(&picked) == cell_value(&largest);
    const char *name = last >= 0 ? label_of(m, tensor, last, largest.index[last]) : "this one";
    const struct visit *visit = count_guess(walker, is_right);
    reveal(walker, estimate, true);
    tell(&walker->state, "%s: the largest is %s, %s. (%d of %d in this lesson)",
         is_right ? "Yes" : "No", name, cell_number(m, &largest, shown_digits(walker)),
         visit->good_guesses, visit->guesses);
    scratch_close(&scratch);
}

// ---- Keys ---------------------------------------------------------------------------------------

// A number may be typed at once.
static bool takes(struct walker *walker, void *own, uint32_t key) {
    (void)own;
    const bool begins_number = (key >= '0' && key <= '9') || key == '-' || key == '.';
    if (begins_number) begin_typing(walker, key);
    return begins_number;
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    switch (pressed->action) {
    case ACT_PICK:
        pick(walker, own);
        break;
    case ACT_REVEAL:
        close_view(walker);
        break;
    case ACT_EDIT:
        begin_typing(walker, KEY_NOTHING);
        break;
    case ACT_CLICK:
        click_cell(walker, &pressed->press, true);
        break;
    default:
        move_cell(&walker->state, &walker->trial.run, pressed);
    }
}

// ---- Drawing ------------------------------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, "Estimate, then look", screen->width);
}

static int want_words(struct screen *screen, struct slot *slot) {
    return want_lines(
        screen, slot,
        "The numbers of this step are hidden. Go to a cell and type what you expect, or go to the "
        "cell that you take for the largest of its row and press Space. Rough is fine: the sign, "
        "the size, which token wins. r reveals everything, Esc leaves; nobody keeps you here.",
        screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS);
}

static const struct block estimate_heading = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};
static const struct block estimate_words = {.wants = want_words, .draw = draw_plain_lines};

// All but those that were revealed; inside a step, cell by cell, only the one that comes next.
static void hide(const struct screen *screen, unsigned char *marks) {
    const struct estimate *estimate = screen->own;
    const struct state *state = screen->scene->state;
    const struct table table = screen->matrix->table;
    if (state->grain >= GRAIN_CELL) {
        unsigned char *focused = &marks[state->row * table.columns + state->column];
        if (*focused & CELL_PENDING) *focused = CELL_HIDDEN;
        return;
    }
    const bool has_open = estimate->has_row && state->page == estimate->page;
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        const bool is_in_row = i / table.columns == estimate->row;
        const bool is_in_column = estimate->column < 0 || i % table.columns == estimate->column;
        if (!has_open || !is_in_row || !is_in_column) marks[i] |= CELL_HIDDEN;
    }
}

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    struct scene scene = scene_for(walker, canvas);
    struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_HEADING] = &estimate_heading,
                   [SLOT_WORDS] = &estimate_words,
                   [SLOT_FORMULA] = &formula_block,
                   [SLOT_FACTS] = &facts_block,
                   [SLOT_MATRIX] = &matrices_block,
                   [SLOT_CELL] = &cell_block,
                   [SLOT_KEYS] = &keys_block},
        .hide = hide,
    };
    show_typing(walker, &scene, &arrangement);
    walker->shown = draw_screen(canvas, &scene, &arrangement, own);
}

const struct walk_view estimate_view = {
    .bit = VIEW_ESTIMATE,
    .name = "Estimating",
    .opened_by = ACT_ESTIMATE,
    .size = sizeof(struct estimate),
    .open = open,
    .takes = takes,
    .press = press,
    .typed = typed,
    .draw = draw,
};
