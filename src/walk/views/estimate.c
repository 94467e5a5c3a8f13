// Estimating: the numbers of the step are hidden, and the user says what they are; and of a step that comes
// next, before anything of it is in sight, first which sizes it will have.

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h> // defines: strncasecmp

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "trace/run/step.h"
#include "walk/kit/names.h"
#include "walk/step/screen.h"
#include "walk/views/views.h"

// A cell or a row that was looked at: it stays open.
struct look_at {
    int step;
    int64_t page, row;
    int64_t column; // of the row only this cell; -1: all of it
};

struct estimate {
    bool asks_sizes;           // of the step that was gone to
    uint64_t told[SEEN_WORDS]; // the steps whose sizes are known, a bit each
    int count;
    struct look_at *looks;
    const char
        *made; // the title of the mistake whose numbers are asked for; NULL: those of the lesson
};

static bool is_told(const struct estimate *estimate, int step) {
    return step >= MAX_STEPS || estimate->told[step / 64] >> (step % 64) & 1;
}

// The sizes of the steps on screen are known.
static void tell_sizes(struct walker *walker, struct estimate *estimate) {
    const struct stop stop = stop_at(&walker->trial.run, walker->state.step);
    for (int i = stop.first; i < stop.first + stop.count && i < MAX_STEPS; i++)
        estimate->told[i / 64] |= UINT64_C(1) << (i % 64);
    estimate->asks_sizes = false;
}

// At cell grain the question is the next cell.
static void open(struct walker *walker, void *view_state) {
    tell_sizes(walker, view_state);
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

// The first number that both steps have and that is another one; false if there is none.
static bool find_changed(const struct tensor *before, const struct tensor *now, int64_t *index) {
    const struct shape shape = shape_of(now);
    if (now->storage->dtype == BOOL || !shapes_equal(shape_of(before), shape)) return false;
    memset(index, 0, sizeof *index * MAX_DIMS);
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        const double a = element(before, index), b = element(now, index);
        if (a != b && !isnan(b)) return true;
    }
    return false;
}

void guess_mistake(struct walker *walker, int mistake) {
    struct state *state = &walker->state;
    const struct trial *trial = &walker->trial;
    const bool is_here = trial->touched != NULL && trial->touched[state->step];
    const int first = effect_in(trial, mistake)->first;
    if (first < 0 || state->asks_nothing || walker->tour.stage > 0) return;
    const struct step *step = &trial->run.steps[is_here ? state->step : first];
    const struct tensor *before = right_tensor(trial, step);
    int64_t index[MAX_DIMS];
    if (failed_outcome(trial, step) != NULL || before == NULL ||
        !find_changed(before, &step->tensor, index))
        return;
    close_views(walker);
    go_to_cell(state, &trial->run, step, index);
    open_view(walker, &estimate_view);
    struct estimate *estimate = top_view(walker)->view_state;
    estimate->made = mistake_table[mistake].title;
}

// ---- Judging ------------------------------------------------------------------------------------

static void reveal(struct walker *walker, struct estimate *estimate, bool whole_row) {
    struct state *state = &walker->state;
    const size_t used = (size_t)estimate->count * sizeof *estimate->looks;
    struct arena *memory = &top_view(walker)->memory;
    estimate->looks = arena_grow(memory, estimate->looks, used, sizeof *estimate->looks);
    estimate->looks[estimate->count++] =
        (struct look_at){state->step, state->page, state->row, whole_row ? -1 : state->column};
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

// Within a tenth of the range of the numbers is close; a boolean and -inf have to be met.
static bool is_right(struct walker *walker, const struct cell *cell, double guess) {
    const double value = cell_value(cell);
    if (cell->tensor.storage->dtype == BOOL || isinf(value) || isinf(guess)) return guess == value;
    const struct matrix *matrix = cached_matrix(&walker->matrix_cache, &cell->tensor,
                                                walker->state.page, shown_digits(walker));
    const double range = matrix->most > matrix->least ? matrix->most - matrix->least : 1;
    return fabs(guess - value) <= range / 10;
}

// The sizes that were typed, or none: what they are, and where they come from.
static void judge_sizes(struct walker *walker, struct estimate *estimate, const char *text) {
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    const struct tensor *tensor = &step->tensor;
    struct shape guess;
    if (*text != '\0' && !read_sizes(text, &guess)) {
        tell(&walker->state,
             "These are not sizes. Type them like 6 2 or (6, 2), or () for one number.");
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *sizes = shape_text(m, shape_of(tensor)), *why = sizes_explained(m, run, step);
    if (*text == '\0')
        tell(&walker->state, "It is %s, from %s.", sizes, why);
    else if (shapes_equal(guess, shape_of(tensor))) {
        count_guess(walker, true);
        tell(&walker->state, "Yes, %s %s, from %s.", sizes, axes_text(m, tensor), why);
    } else {
        count_guess(walker, false);
        const char *wrong = sizes_compared(m, guess, tensor, shows_view(run, step));
        tell(&walker->state, "No, it is %s: %s. It comes from %s.", sizes, wrong, why);
    }
    tell_sizes(walker, estimate);
    scratch_close(&scratch);
}

static bool is_boolean(const struct cell *cell) {
    return cell->tensor.storage->dtype == BOOL;
}

// "0.5", "-inf", for a boolean "t" or "False". Returns false, and says what would be one, if it is none.
static bool read_guess(struct walker *walker, const struct cell *cell, const char *text,
                       double *guess) {
    if (!is_boolean(cell)) return read_infinite(walker, text, guess);
    const size_t length = strlen(text);
    const bool is_true = strncasecmp(text, "true", length) == 0 || strcmp(text, "1") == 0;
    *guess = is_true ? 1 : 0;
    if (is_true || strncasecmp(text, "false", length) == 0 || strcmp(text, "0") == 0) return true;
    tell(&walker->state, "This cell is True or False. Type t or f.");
    return false;
}

// "It is 0.2098: 0.0098 off, that is close"; "Right, it is 0.2098"; "No, it is False".
static const char *verdict_on(struct arena *arena, const struct cell *cell, double guess,
                              bool is_good, int digits) {
    const double value = cell_value(cell);
    const char *number = cell_number(arena, cell, digits);
    if (is_boolean(cell) || (isinf(value) && is_good))
        return arena_format(arena, "%s, it is %s", is_good ? "Yes" : "No", number);
    if (isinf(value)) return arena_format(arena, "It is %s: a masked score", number);
    if (isinf(guess)) return arena_format(arena, "It is %s: not masked", number);
    if (strcmp(number, number_in_digits(arena, guess, digits)) == 0)
        return arena_format(arena, "Right, it is %s", number);
    return arena_format(arena, "It is %s: %s off%s", number,
                        number_in_digits(arena, fabs(guess - value), digits),
                        is_good ? ", that is close" : "");
}

static void typed(struct walker *walker, void *view_state, const char *text) {
    struct estimate *estimate = view_state;
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    double guess;
    if (estimate->asks_sizes) {
        judge_sizes(walker, estimate, text);
        return;
    }
    if (!read_guess(walker, &cell, text, &guess)) return;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const bool is_good = is_right(walker, &cell, guess);
    const struct visit *visit = count_guess(walker, is_good);
    reveal(walker, view_state, false);
    tell(&walker->state, "%s. (%d of %d %s in this lesson)",
         verdict_on(m, &cell, guess, is_good, shown_digits(walker)), visit->good_guesses,
         visit->guesses, is_boolean(&cell) ? "right" : "close");
    scratch_close(&scratch);
}

struct cell largest_of_row(const struct state *state, const struct run *run) {
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
    const struct cell picked = current_cell(&walker->state, &walker->trial.run);
    if (is_boolean(&picked)) {
        tell(&walker->state, "These cells are True or False. Type t or f.");
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct cell largest = largest_of_row(&walker->state, &walker->trial.run);
    const struct tensor *tensor = &largest.tensor;
    const int last = tensor->ndim - 1;
    const bool is_right = cell_value(&picked) == cell_value(&largest);
    const char *name = last >= 0 ? label_at(m, tensor, last, largest.index) : "this one";
    const struct visit *visit = count_guess(walker, is_right);
    reveal(walker, estimate, true);
    tell(&walker->state, "%s: the largest is %s, %s. (%d of %d in this lesson)",
         is_right ? "Yes" : "No", name, cell_number(m, &largest, shown_digits(walker)),
         visit->good_guesses, visit->guesses);
    scratch_close(&scratch);
}

// ---- Keys ---------------------------------------------------------------------------------------

// A number may be typed at once, sizes, and True or False.
static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    const struct estimate *estimate = view_state;
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    const char *others = estimate->asks_sizes ? "(" : is_boolean(&cell) ? "tTfF" : "-.";
    const bool begins_guess =
        key != KEY_NOTHING && key < 128 && (isdigit((int)key) || strchr(others, (int)key) != NULL);
    if (begins_guess) begin_typing(walker, key);
    return begins_guess;
}

// To the next step, whose sizes are asked first if they were not told yet; or back.
static void walk(struct walker *walker, struct estimate *estimate, int by) {
    struct state *state = &walker->state;
    if (!go_to_stop(state, &walker->trial.run, by)) {
        tell(state, by > 0 ? "This was the last step." : "This is the first step.");
        return;
    }
    estimate->asks_sizes = !is_told(estimate, state->step);
}

static void press_on_numbers(struct walker *walker, struct estimate *estimate,
                             const struct pressed *pressed) {
    switch (pressed->action) {
    case ACT_PICK:
        pick(walker, estimate);
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

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct estimate *estimate = view_state;
    const enum action action = pressed->action;
    if (action == ACT_NEXT || action == ACT_BACK)
        walk(walker, estimate, action == ACT_NEXT ? 1 : -1);
    else if (!estimate->asks_sizes)
        press_on_numbers(walker, estimate, pressed);
    else if (action == ACT_REVEAL)
        judge_sizes(walker, estimate, "");
    else if (action == ACT_EDIT)
        begin_typing(walker, KEY_NOTHING);
    else if (action == ACT_PICK)
        tell(&walker->state, "Type the sizes first, or press r to see them.");
}

// ---- Drawing ------------------------------------------------------------------------------------

enum { ROOMY_ROWS = 18 }; // below, the numbers need all rows

static int want_heading(struct screen *screen, struct slot *slot) {
    const struct estimate *estimate = screen->view;
    const char *heading = estimate->made == NULL
                              ? "Estimate, then look"
                              : arena_format(screen->canvas->arena, "Made: %s. What is %s now?",
                                             estimate->made, screen->step->name);
    return add_paragraph(screen, slot, heading, screen->width);
}

// What the number under the cursor is without the mistake.
static const char *number_before_mistake(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    const struct tensor *right = right_tensor(scene->trial, screen->step);
    struct cell cell = screen->cell;
    if (right == NULL || !shapes_equal(shape_of(right), shape_of(&cell.tensor))) return "";
    cell.tensor = *right;
    return arena_format(screen->canvas->arena, "Without the mistake it is %s. ",
                        cell_number(screen->canvas->arena, &cell, scene->digits));
}

static bool is_drawn(const struct step *step) {
    const struct origin *origin = step->tensor.storage->origin;
    return origin->operation->draws && origin->operand_count == 0;
}

static int want_words(struct screen *screen, struct slot *slot) {
    const struct estimate *estimate = screen->view;
    const char *before = estimate->made != NULL ? number_before_mistake(screen) : "";
    const bool has_buttons = screen->canvas->look.has_buttons;
    const char *words =
        is_drawn(screen->step)
            ? has_buttons
                  ? "These numbers are drawn at random, so no one can estimate them."
                  : "These numbers are drawn at random, so no one can estimate them. n goes on to "
                    "the next step, r shows all."
        : is_boolean(&screen->cell)
            ? has_buttons ? "Is this cell True or False? Type t or f."
                          : "Is this cell True or False? Type t or f, then Enter. Arrow keys go to "
                            "other cells, r shows all."
            : arena_format(screen->canvas->arena,
                           "%sType the number that you expect in this cell, or %s. A rough guess "
                           "will do.%s",
                           before,
                           has_buttons ? "click the largest of its row"
                                       : "press Space on the largest of its row",
                           has_buttons ? "" : " r shows all.");
    const int rows = add_paragraph(screen, slot, words,
                                   screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS);
    slot->needed = screen->canvas->rows < ROOMY_ROWS ? 0 : rows;
    return rows;
}

static int want_formula(struct screen *screen, struct slot *slot) {
    return screen->canvas->rows < ROOMY_ROWS ? 0 : formula_block.wants(screen, slot);
}

static const struct block estimate_heading = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};
static const struct block estimate_words = {
    .wants = want_words, .draw = draw_plain_lines, .may_be_cut = true};

static bool is_open(const struct estimate *estimate, const struct state *state, int64_t row,
                    int64_t column) {
    for (int i = 0; i < estimate->count; i++) {
        const struct look_at *look = &estimate->looks[i];
        const bool is_here = look->step == state->step && look->page == state->page;
        if (is_here && look->row == row && (look->column < 0 || look->column == column))
            return true;
    }
    return false;
}

// All but those that were revealed; inside a step, cell by cell, only the one that comes next.
static void hide(const struct screen *screen, unsigned char *marks) {
    const struct estimate *estimate = screen->view;
    const struct state *state = screen->scene->state;
    const struct table table = screen->matrix->table;
    if (state->grain >= GRAIN_CELL) {
        unsigned char *focused = &marks[state->row * table.columns + state->column];
        if (*focused & CELL_PENDING) *focused = CELL_HIDDEN;
        return;
    }
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        if (!is_open(estimate, state, i / table.columns, i % table.columns))
            marks[i] |= CELL_HIDDEN;
    }
}

// ---- The question for sizes ---------------------------------------------------------------------

static int want_sizes_heading(struct screen *screen, struct slot *slot) {
    const char *question =
        arena_format(screen->canvas->arena, "Which sizes will %s have?", screen->step->name);
    return add_paragraph(screen, slot, question, screen->width);
}

static int want_sizes_words(struct screen *screen, struct slot *slot) {
    const char *words =
        arena_format(screen->canvas->arena,
                     "%s Its operands and its line in PyTorch are shown below. Type the sizes in "
                     "order: 6 2 for (6, 2), () for a single number.%s",
                     sizes_known(screen->canvas->arena, screen->scene->run),
                     screen->canvas->look.has_buttons ? "" : " r shows them, Esc leaves.");
    return add_paragraph(screen, slot, words + (*words == ' ' ? 1 : 0),
                         screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS);
}

// Is it a number of the step's own line that no other step shows, with the sizes of its result? It would tell them.
static bool tells_sizes(const struct screen *screen, const struct tensor *operand) {
    const struct run *run = screen->scene->run;
    for (int i = 0; i < screen->step->number - 1; i++) {
        if (run->steps[i].tensor.storage == operand->storage) return false;
    }
    return operand->storage != run->inputs.storage &&
           shapes_equal(shape_of(operand), shape_of(&screen->step->tensor));
}

// The operands alone, each with its sizes; nothing of the step itself.
static int want_operands(struct screen *screen, struct slot *slot) {
    (void)slot;
    enum { OTHERS = 12, LEAST = 3 };
    struct arena *arena = screen->canvas->arena;
    const struct matrices operands = operands_at_cursor(screen);
    screen->matrices = (struct matrices){0};
    for (int i = 0; i < operands.count; i++) {
        const struct tensor *tensor = &operands.panels[i].placed.matrix->tensor;
        if (tells_sizes(screen, tensor)) continue;
        struct panel *panel = &screen->matrices.panels[screen->matrices.count++];
        *panel = operands.panels[i];
        panel->name =
            arena_format(arena, "%s %s", panel->name, shape_text(arena, shape_of(tensor)));
        panel->placed.view.marks = NULL; // which of its cells are lit would tell
        panel->placed.view.row = panel->placed.view.column = 0;
    }
    const int rows = rows_of_panels(&screen->matrices), most = screen->canvas->rows - OTHERS;
    return rows < most ? rows : most > LEAST ? most : LEAST;
}

static void draw_operands(struct screen *screen, const struct slot *slot) {
    const struct area area = {slot->row, 0, slot->rows, screen->canvas->columns};
    if (screen->matrices.count > 0) draw_panels(screen->canvas, area, &screen->matrices);
}

static int want_answer(struct screen *screen, struct slot *slot) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const char *line = scene->state->message;
    if (*line == '\0' || scene->typed != NULL)
        line = arena_format(arena, "%s: %s", screen->step->name,
                            scene->typed != NULL ? scene->typed : "(?)");
    return add_paragraph(screen, slot, line, screen->width);
}

static void draw_answer(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, BOLD);
    const int last = slot->rows < slot->wanted ? slot->rows - 1 : slot->wanted - 1;
    const int column = 1 + shown_width(screen->canvas, slot->lines[last]);
    if (screen->scene->typed == NULL) // here the sizes will stand
        put_blanks(screen->canvas, slot->row + last, column, 1, REVERSE);
    put_cursor(screen->canvas, slot->row + last, column);
}

static const struct block sizes_heading = {
    .wants = want_sizes_heading, .draw = draw_bold_lines, .likes_gap = true};
static const struct block sizes_words = {
    .wants = want_sizes_words, .draw = draw_plain_lines, .may_be_cut = true};
const struct block operands_block = {.wants = want_operands, .draw = draw_operands};
const struct block sizes_block = {.wants = want_answer, .draw = draw_answer, .has_cursor = true};

static const struct arrangement sizes_arrangement = {
    .blocks = {[SLOT_TITLE] = &title_block,
               [SLOT_HEADING] = &sizes_heading,
               [SLOT_WORDS] = &sizes_words,
               [SLOT_FORMULA] = &formula_block,
               [SLOT_MATRIX] = &operands_block,
               [SLOT_CELL] = &sizes_block,
               [SLOT_SOURCE] = &source_block,
               [SLOT_KEYS] = &keys_block},
    .hide = hide, // so that no map beside the words tells
};

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct estimate *estimate = view_state;
    struct scene scene = scene_for(walker, canvas);
    if (estimate->asks_sizes) {
        show_typing(walker, &scene, NULL);
        (void)draw_screen(canvas, &scene, &sizes_arrangement, view_state);
        return;
    }
    const struct block formula = {
        .wants = want_formula, .draw = formula_block.draw, .likes_gap = true};
    struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_HEADING] = &estimate_heading,
                   [SLOT_WORDS] = &estimate_words,
                   [SLOT_FORMULA] = &formula,
                   [SLOT_FACTS] = &facts_block,
                   [SLOT_MATRIX] = &matrices_block,
                   [SLOT_CELL] = &cell_block,
                   [SLOT_KEYS] = &keys_block},
        .hide = hide,
    };
    if (estimate->made != NULL) arrangement.blocks[SLOT_SOURCE] = &source_block;
    show_typing(walker, &scene, &arrangement);
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
}

// What is asked, and the number under the cursor where it is known.
static void say(struct walker *walker, void *view_state, struct text *text) {
    const struct estimate *estimate = view_state;
    const struct run *run = &walker->trial.run;
    const struct state *state = &walker->state;
    const struct step *step = current_step(state, run);
    if (estimate->asks_sizes) {
        text_add_format(text, "Which sizes will %s have? r shows them.\n", step->name);
        return;
    }
    const struct cell cell = current_cell(state, run);
    const bool is_known = is_open(estimate, state, state->row, state->column);
    text_add_format(text, "%s%s %s\n", step->name, cell_label(text->arena, &cell),
                    is_known ? arena_format(text->arena, "= %s",
                                            cell_number(text->arena, &cell, shown_digits(walker)))
                             : "is hidden: type a number, or press Space if it is the largest of "
                               "its row.");
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
    .say = say,
};
