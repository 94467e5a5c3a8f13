#include "walk/screen.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/derivation.h"
#include "trace/step.h"
#include "walk/exhibit.h"
#include "walk/facts.h"
#include "walk/memory.h"
#include "walk/mistakes.h"
#include "walk/panel.h"

// ---- Head and foot ------------------------------------------------------------------------------

void draw_title(struct canvas *canvas, const char *left, const char *right) {
    put_blanks(canvas, 0, 0, canvas->columns, REVERSE);
    int room = canvas->columns - 2 - shown_width(canvas, right);
    if (room < 0) room = 0;
    put_text(canvas, 0, 1, room - 1, left, REVERSE);
    put_right(canvas, 0, room, canvas->columns - 1 - room, right, REVERSE);
}

// "n next", the way a binding stands in the key bar.
static const char *key_label(struct canvas *canvas, const struct binding *binding) {
    char buffer[5];
    const char *key = key_text(binding->keys[0], buffer);
    return shown(canvas, arena_format(canvas->arena, "%s %s", key, binding->label));
}

// Chooses the heaviest that fit into the row: for each binding, is it among them?
static const bool *choose_keys(struct canvas *canvas, enum mode mode) {
    bool *chosen = arena_array(canvas->arena, (size_t)binding_count, sizeof *chosen);
    int room = canvas->columns;
    for (;;) {
        int best = -1;
        for (int i = 0; i < binding_count; i++) {
            const struct binding *binding = &bindings[i];
            const bool fits =
                binding->modes & (unsigned)mode && binding->label != NULL && !chosen[i];
            if (fits && (best < 0 || binding->weight > bindings[best].weight)) best = i;
        }
        if (best < 0) return chosen;
        room -= text_width(key_label(canvas, &bindings[best])) + 2;
        if (room < -1) return chosen;
        chosen[best] = true;
    }
}

void draw_key_bar(struct canvas *canvas, enum mode mode) {
    const bool *chosen = choose_keys(canvas, mode);
    int column = 0;
    for (int i = 0; i < binding_count; i++) {
        if (!chosen[i]) continue;
        char buffer[5];
        const char *key = shown(canvas, key_text(bindings[i].keys[0], buffer));
        const int row = canvas->rows - 1;
        column += put_text(canvas, row, column, canvas->columns - column, key, BOLD) + 1;
        column += put_text(canvas, row, column, canvas->columns - column, bindings[i].label, PLAIN);
        column += 2;
    }
}

void draw_too_small(struct canvas *canvas) {
    static const char *const messages[] = {
        "This terminal is too small: onestep needs 40x12. q leaves.",
        "needs 40x12 (q quits)",
        "onestep needs 40x12",
        "needs 40x12",
        "40x12",
    };
    const int count = sizeof messages / sizeof *messages;
    int i = 0;
    while (i < count - 1 && text_width(messages[i]) > canvas->columns) i++;
    put_text(canvas, 0, 0, canvas->columns, messages[i], PLAIN);
    put_cursor(canvas, 0, 0);
}

// ---- Sharing out the rows -----------------------------------------------------------------------

enum block {
    BLOCK_TITLE,
    BLOCK_TIMELINE,
    BLOCK_HEADING,
    BLOCK_PROSE,
    BLOCK_FORMULA,
    BLOCK_FACTS,
    BLOCK_MATRIX,
    BLOCK_CELL,
    BLOCK_SOURCE,
    BLOCK_KEYS,
    BLOCK_COUNT,
};

// Who gets rows in which order: each block up to so many, all that it wants for ALL.
enum { ALL = 1000, GAP = -1 };

static const struct grant {
    int block; // or GAP: a blank row above the blocks that like one
    int up_to;
} grants[] = {
    {BLOCK_TITLE, 1},     {BLOCK_KEYS, 1},     {BLOCK_MATRIX, 2},  {BLOCK_CELL, 1},
    {BLOCK_HEADING, 1},   {BLOCK_MATRIX, 4},   {BLOCK_FORMULA, 1}, {BLOCK_PROSE, 2},
    {BLOCK_CELL, ALL},    {BLOCK_FACTS, 1},    {BLOCK_MATRIX, 7},  {BLOCK_HEADING, ALL},
    {BLOCK_PROSE, ALL},   {BLOCK_FACTS, ALL},  {BLOCK_SOURCE, 3},  {BLOCK_TIMELINE, 1},
    {BLOCK_FORMULA, ALL}, {BLOCK_SOURCE, ALL}, {GAP, 4},           {BLOCK_MATRIX, ALL},
};

// Everything of a screen before it is laid out.
struct draft {
    struct canvas *canvas;
    const struct scene *scene;
    const struct step *step;
    const struct matrix *matrix; // of the step's tensor, the page on screen
    const struct cell cell;      // under the cursor
    struct derivation derivation;
    struct matrix_view view;
    struct exhibit exhibit; // operands and result, where they stand side by side
    bool is_wide;
    struct sight sight;
    int width;
    char **heading, **prose, **formula, **source;
    char **said; // lines of a message, or of what happens at this moment
    int wants[BLOCK_COUNT], rows[BLOCK_COUNT];
    int gaps;
};

static void share_rows(struct draft *draft) {
    int left = draft->canvas->rows;
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        int *rows = grants[i].block == GAP ? &draft->gaps : &draft->rows[grants[i].block];
        int wanted = grants[i].block == GAP ? grants[i].up_to : draft->wants[grants[i].block];
        if (wanted > grants[i].up_to) wanted = grants[i].up_to;
        if (wanted - *rows > left) wanted = *rows + left;
        if (wanted <= *rows) continue;
        left -= wanted - *rows;
        *rows = wanted;
    }
}

enum {
    TALL_ROWS = 34,  // from here on, the line in PyTorch stands below the C
    ROOMY_ROWS = 20, // below, the words about a mistake leave no more than a row to the matrix
};

// ---- What the blocks say ------------------------------------------------------------------------

// The lines of source with their numbers, wrapped where they are too long; or the line of PyTorch.
static int source_lines(struct draft *draft, char ***lines) {
    const struct canvas *canvas = draft->canvas;
    const struct excerpt *excerpt = draft->step->excerpt;
    struct arena *arena = canvas->arena;
    if (draft->scene->state->shows_pytorch) {
        char *line = arena_format(arena, "PyTorch  %s", step_pytorch(arena, draft->step));
        return wrap_shown(canvas, line, draft->width, lines);
    }
    const bool shows_both = canvas->rows >= TALL_ROWS;
    const int numbered = excerpt->last_line - excerpt->first_line + 1;
    const int room = draft->width - 6 > 10 ? draft->width - 6 : 10;
    *lines = arena_array(arena, strlen(excerpt->text) + (size_t)numbered + 2, sizeof **lines);
    int count = 0, number = excerpt->first_line;
    for (const char *text = excerpt->text; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = shown(canvas, arena_copy_bytes(arena, text, length));
        const size_t indent = strspn(line, " ");
        char **parts;
        const int fitting = room - (int)indent > 10 ? room - (int)indent : 10;
        const int part_count = text_wrap(arena, line, fitting, &parts);
        for (int i = 0; i < part_count; i++) {
            const char *mark = i == 0 ? arena_format(arena, "%4d", number) : "    ";
            const char *blanks = i == 0 ? "" : "    ";
            (*lines)[count++] =
                arena_format(arena, "%s  %*s%s%s", mark, (int)indent, "", blanks, parts[i]);
        }
        text += length;
        if (*text == '\n') text++;
    }
    if (shows_both) {
        (*lines)[count++] = "";
        (*lines)[count++] = arena_format(arena, "PyTorch  %s", step_pytorch(arena, draft->step));
    }
    return count;
}

static bool is_panel(const struct state *state) {
    return state->mode == MODE_PANEL ||
           (state->mode == MODE_TYPE && state->mode_before_help == MODE_PANEL);
}

static bool is_guess(const struct state *state) {
    return state->mode == MODE_GUESS ||
           (state->mode == MODE_TYPE && state->mode_before_help == MODE_GUESS);
}

// Memory would tell what is to be guessed.
static bool shows_memory(const struct state *state) {
    return state->shows_memory && !is_guess(state);
}

static bool is_mistakes(const struct state *state) {
    return state->mode == MODE_MISTAKES;
}

static void write_mistakes(struct draft *draft) {
    static const char heading[] =
        "What if? Enter makes the chosen mistake; those with = change nothing here.";
    int *wants = draft->wants;
    wants[BLOCK_HEADING] = wrap_shown(
        draft->canvas, draft->width < 76 ? "What if?  (= changes nothing here)" : heading,
        draft->width, &draft->heading);
    wants[BLOCK_PROSE] = mistakes_rows(draft->canvas);
    if (draft->canvas->rows < ROOMY_ROWS) {
        wants[BLOCK_MATRIX] = 2;
        wants[BLOCK_FACTS] = 0;
    }
    const int left = draft->canvas->rows - 8 - wants[BLOCK_FACTS] - wants[BLOCK_MATRIX];
    const int least = draft->canvas->rows / 2;
    if (wants[BLOCK_PROSE] > left) wants[BLOCK_PROSE] = left > least ? left : least;
}

static void write_guess(struct draft *draft) {
    const struct canvas *canvas = draft->canvas;
    int *wants = draft->wants;
    wants[BLOCK_HEADING] = wrap_shown(canvas, "Estimate, then look", draft->width, &draft->heading);
    wants[BLOCK_PROSE] =
        wrap_shown(canvas,
                   "The numbers of this step are hidden. Go to a cell and type what you expect, or "
                   "go to the cell "
                   "that you take for the largest of its row and press Space. Rough is fine: the "
                   "sign, the size, "
                   "which token wins. r reveals everything, Esc leaves; nobody keeps you here.",
                   draft->width < 78 ? draft->width : 78, &draft->prose);
    wants[BLOCK_FORMULA] =
        wrap_shown(canvas, draft->step->formula, draft->width - 4, &draft->formula);
}

static void write_words(struct draft *draft) {
    const struct canvas *canvas = draft->canvas;
    const struct paragraph *paragraph = draft->step->paragraph;
    const int prose_width = draft->width < 78 ? draft->width : 78;
    int *wants = draft->wants;
    wants[BLOCK_TIMELINE] = 1;
    wants[BLOCK_HEADING] = wrap_shown(canvas, paragraph->title, draft->width, &draft->heading);
    wants[BLOCK_PROSE] = wrap_shown(canvas, paragraph->explanation, prose_width, &draft->prose);
    wants[BLOCK_FORMULA] =
        wrap_shown(canvas, draft->step->formula, draft->width - 4, &draft->formula);
    const bool needs_room = shows_memory(draft->scene->state) && canvas->rows < TALL_ROWS;
    if (!needs_room) wants[BLOCK_SOURCE] = source_lines(draft, &draft->source);
}

// Lines of a block; the last is marked if lines are missing.
static void put_lines(struct draft *draft, int row, int column, char **lines, int count, int wanted,
                      struct style style) {
    for (int i = 0; i < count; i++) {
        const bool is_cut = i == count - 1 && count < wanted;
        const int width = draft->canvas->columns - column - (is_cut ? 2 : 0);
        const int used = put_text(draft->canvas, row + i, column, width, lines[i], style);
        const bool is_whole = shown_width(draft->canvas, lines[i]) <= width;
        if (is_cut && is_whole) put_text(draft->canvas, row + i, column + used + 1, 1, "…", BOLD);
    }
}

// "row 2/6", "cell 7/36", where inside the step we are; "" for the whole step.
static const char *grain_text(const struct draft *draft) {
    const struct state *state = draft->scene->state;
    struct arena *arena = draft->canvas->arena;
    if (state->grain == GRAIN_STEP) return "";
    const struct order order = order_of(draft->scene->run, draft->step);
    if (order.moment_count == 0) return ", nothing inside";
    if (state->grain == GRAIN_CELL) {
        return arena_format(arena, ", moment %" PRId64 "/%" PRId64, state->moment + 1,
                            order.moment_count);
    }
    const int64_t row = moment_at(&order, state->moment).row;
    return arena_format(arena, ", row %" PRId64 "/%" PRId64, row + 1, order.row_count);
}

static void draw_step_title(struct draft *draft) {
    const struct run *run = draft->scene->run;
    const struct state *state = draft->scene->state;
    struct arena *arena = draft->canvas->arena;
    const char *label = step_label(arena, draft->step);
    const char *place = arena_format(arena, "step %d/%d%s  %s", state->step + 1, run->step_count,
                                     grain_text(draft), label);
    const char *badge = draft->scene->badge;
    const char *title = arena_format(arena, "%d %s", state->lesson + 1, run->lesson->title);
    if (badge != NULL) title = arena_format(arena, "CHANGED: %s. %s", badge, title);
    draw_title(draft->canvas, title, place);
}

static const char *step_mark(const struct draft *draft, int step) {
    const struct state *state = draft->scene->state;
    const bool *touched = draft->scene->touched;
    const bool is_ascii =
        draft->canvas->look.is_ascii; // one column each, whatever stands beside it
    if (step == state->step) return is_ascii ? "#" : "◆";
    if (touched != NULL && touched[step]) return is_ascii ? "!" : "≠";
    if (is_seen(state, state->lesson, step)) return is_ascii ? "*" : "●";
    return is_ascii ? "o" : "○";
}

// One mark a step: seen, not yet, here, changed by a mistake; a line between two sections. At most `most` steps around here.
static const char *marks_text(const struct draft *draft, int most) {
    const struct run *run = draft->scene->run;
    const struct state *state = draft->scene->state;
    struct text text = text_new(draft->canvas->arena);
    int first = state->step - most / 2;
    if (first > run->step_count - most) first = run->step_count - most;
    if (first < 0) first = 0;
    const int last = first + most < run->step_count ? first + most : run->step_count;
    if (first > 0) text_add(&text, "…");
    for (int i = first; i < last; i++) {
        if (i > first && run->steps[i].section != run->steps[i - 1].section) text_add(&text, "│");
        text_add(&text, step_mark(draft, i));
    }
    if (last < run->step_count) text_add(&text, "…");
    return text.bytes;
}

static void draw_timeline(struct draft *draft, int row) {
    const struct run *run = draft->scene->run;
    struct arena *arena = draft->canvas->arena;
    const struct step *step = draft->step;
    struct text text = text_new(arena);
    text_add(&text, marks_text(draft, draft->width / 4));
    if (step->number > 1) text_add_format(&text, "  ‹ %s", step_label(arena, step - 1));
    if (step->number < run->step_count)
        text_add_format(&text, "  › %s", step_label(arena, step + 1));
    const int used = put_text(draft->canvas, row, 1, draft->width, text.bytes, PLAIN);
    const int left = draft->width - used - 2;
    if (step->section != NULL && shown_width(draft->canvas, step->section) <= left)
        put_right(draft->canvas, row, used + 3, left, step->section, DIM);
}

static void draw_facts(struct draft *draft, int row, int rows) {
    struct canvas *canvas = draft->canvas;
    struct arena *arena = canvas->arena;
    const struct state *state = draft->scene->state;
    const struct tensor *tensor = &draft->step->tensor;
    const char *facts = facts_text(arena, tensor);
    const char *page = page_text(arena, tensor, state->page, true);
    const char *invariant = invariant_text(arena, draft->matrix, state->row, draft->width);
    int width = draft->width;
    if (page != NULL) {
        if (shown_width(canvas, facts) + shown_width(canvas, page) + 2 > width)
            page = page_text(arena, tensor, state->page, false);
        put_right(canvas, row, 1, width, page, BOLD);
        width -= shown_width(canvas, page) + 2;
    }
    put_text(canvas, row, 1, width, facts, DIM);
    if (rows > 1 && invariant != NULL && !is_guess(state))
        put_text(canvas, row + 1, 1, draft->width, invariant, DIM);
}

// ---- The line under the matrix ------------------------------------------------------------------

// Some numbers are made of so many that nobody would read them, let alone between two frames.
static bool is_readable(const struct tensor *tensor) {
    enum { MOST_NUMBERS = 4096 };
    const struct origin *origin = tensor->storage->origin;
    const int64_t results = tensor->storage->count;
    for (int i = 0; i < origin->operand_count; i++) {
        const bool is_reduction = results * MOST_NUMBERS < origin->operands[i].storage->count;
        if (is_reduction) return false;
    }
    return true;
}

// "scores[journey, starts]: 0.5500·0.5700 + ... = 1.4754"; where that is too long, without the name,
// or without the place as well; NULL if not even then.
static const char *fitting_moment(const struct draft *draft, const char *text) {
    const char *whole = arena_format(draft->canvas->arena, "%s%s", draft->step->name, text);
    const char *end = *text == '[' ? strstr(text, "]: ") : NULL;
    const char *const candidates[] = {whole, text, end != NULL ? end + strlen("]: ") : text};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (shown_width(draft->canvas, candidates[i]) <= draft->width) return candidates[i];
    }
    return end != NULL ? NULL : text;
}

// The moment inside the step, if the cursor is on what it computes.
static const char *moment_line(const struct draft *draft) {
    const struct state *state = draft->scene->state;
    if (state->grain == GRAIN_STEP || state->moment < 0) return NULL;
    const struct order order = order_of(draft->scene->run, draft->step);
    const struct moment moment = moment_at(&order, state->moment);
    if (moment_of(&order, draft->cell.index) > state->moment && moment.part == COMPUTES_CELL)
        return "This cell is not computed yet.";
    if (state->grain == GRAIN_ROW || !same_element(&moment.cell, &draft->cell)) return NULL;
    if (!is_readable(&draft->step->tensor)) return NULL;
    return fitting_moment(
        draft, moment_text(draft->canvas->arena, &order, state->moment, draft->scene->digits));
}

// The step's tensor in the run to compare with; NULL if there is none of the same shape.
static const struct tensor *other_tensor(const struct draft *draft) {
    if (draft->scene->other == NULL) return NULL;
    const struct tensor *other = same_step_in(draft->scene->other, draft->step);
    if (other == NULL || !shapes_equal(shape_of(other), shape_of(&draft->step->tensor)))
        return NULL;
    return other;
}

// "weights[one, step] = 0.1295, in the course 0.1210, difference 0.0085"; without the name where that
// is too long (labels in bold say which cell it is).
static const char *difference_line(const struct draft *draft, double here, double there) {
    const struct scene *scene = draft->scene;
    struct arena *arena = draft->canvas->arena;
    const char *line = arena_format(arena, "%s, %s %s, difference %s",
                                    number_in_digits(arena, here, scene->digits), scene->other_word,
                                    number_in_digits(arena, there, scene->digits),
                                    number_in_digits(arena, here - there, scene->digits));
    const char *whole =
        arena_format(arena, "%s%s = %s", draft->step->name, cell_label(arena, &draft->cell), line);
    return shown_width(draft->canvas, whole) <= draft->width ? whole : line;
}

// What the course, or the lesson without the mistake, has in this cell. Where a mistake changes
// nothing there is nothing to compare.
static const char *comparison(const struct draft *draft) {
    const struct scene *scene = draft->scene;
    struct arena *arena = draft->canvas->arena;
    if (scene->other == NULL) return NULL;
    const bool is_course = scene->other != scene->trial->right;
    const struct tensor *other = same_step_in(scene->other, draft->step);
    if (other == NULL) return "The course has no such step.";
    if (!shapes_equal(shape_of(other), shape_of(&draft->step->tensor))) {
        return arena_format(arena, "In the course this tensor has another shape, %s.",
                            shape_text(arena, shape_of(other)));
    }
    const double here = element(&draft->step->tensor, draft->cell.index);
    const double there = element(other, draft->cell.index);
    if (is_other_number(here, there)) return difference_line(draft, here, there);
    return is_course ? "The same number as in the course." : NULL;
}

// "scores[journey, starts] = 0.5500·0.5700 + ... = 1.4754"; where that is too long, without the name
// (labels in bold say which cell it is), or else without the arithmetic.
static const char *arithmetic(const struct draft *draft) {
    struct arena *arena = draft->canvas->arena;
    const char *name =
        arena_format(arena, "%s%s", draft->step->name, cell_label(arena, &draft->cell));
    const struct derivation *derivation = &draft->derivation;
    if (derivation->operand_count > 0 && derivation->line_count > 0) {
        const char *conclusion = derivation->lines[derivation->line_count - 1];
        const char *line = arena_format(arena, "%s = %s", name, conclusion);
        if (shown_width(draft->canvas, line) <= draft->width) return line;
        if (shown_width(draft->canvas, conclusion) <= draft->width) return conclusion;
    }
    const char *number = cell_number(arena, &draft->cell, draft->scene->digits);
    const char *line = arena_format(arena, "%s = %s", name, number);
    return shown_width(draft->canvas, line) <= draft->width ? line : number;
}

static bool is_hidden(const struct draft *draft) {
    if (!is_guess(draft->scene->state) || draft->view.marks == NULL) return false;
    const struct state *state = draft->scene->state;
    return draft->view.marks[state->row * draft->matrix->table.columns + state->column] &
           CELL_HIDDEN;
}

static void draw_cell_line(struct draft *draft, int row) {
    const struct state *state = draft->scene->state;
    struct canvas *canvas = draft->canvas;
    struct arena *arena = canvas->arena;
    const char *name =
        arena_format(arena, "%s%s", draft->step->name, cell_label(arena, &draft->cell));
    if (state->mode == MODE_TYPE && !is_panel(state)) {
        const char *prompt = arena_format(arena, "%s = %s", name, state->typed);
        if (shown_width(canvas, prompt) >= draft->width) prompt = prompt + strlen(name) + 1;
        const int used = put_text(canvas, row, 1, draft->width, prompt, BOLD);
        put_cursor(canvas, row, 1 + used);
        return;
    }
    const bool has_message = *state->message != '\0';
    if (has_message || draft->wants[BLOCK_CELL] > 1) {
        put_lines(draft, row, 1, draft->said, draft->rows[BLOCK_CELL], draft->wants[BLOCK_CELL],
                  has_message ? BOLD : PLAIN);
        return;
    }
    const char *line = NULL;
    if (is_hidden(draft)) line = arena_format(arena, "%s = ?", name);
    if (line == NULL) line = moment_line(draft);
    if (line == NULL) line = comparison(draft);
    if (line == NULL) line = arithmetic(draft);
    put_text(canvas, row, 1, draft->width, line, PLAIN);
}

// ---- The matrix ---------------------------------------------------------------------------------

static void mark_pending(const struct draft *draft, unsigned char *marks) {
    const struct state *state = draft->scene->state;
    const struct order order = order_of(draft->scene->run, draft->step);
    if (state->grain == GRAIN_STEP || order.moment_count == 0) return;
    const struct table table = draft->matrix->table;
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(&draft->step->tensor, state->page, i / table.columns, i % table.columns, index);
        if (moment_of(&order, index) > state->moment) marks[i] |= CELL_PENDING;
    }
}

static void mark_changed(const struct draft *draft, unsigned char *marks) {
    const struct tensor *other = other_tensor(draft), *here = &draft->step->tensor;
    if (other == NULL) return;
    const struct table table = draft->matrix->table;
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(here, draft->scene->state->page, i / table.columns, i % table.columns, index);
        if (is_other_number(element(here, index), element(other, index))) marks[i] |= CELL_CHANGED;
    }
}

// Which numbers are hidden to be guessed: all but those that were revealed; inside a step, cell by cell,
// only the one that comes next.
static void mark_hidden(const struct draft *draft, unsigned char *marks) {
    const struct state *state = draft->scene->state;
    if (!is_guess(state)) return;
    const struct table table = draft->matrix->table;
    unsigned char *focused = &marks[state->row * table.columns + state->column];
    if (state->grain == GRAIN_CELL) {
        if (*focused & CELL_PENDING) *focused = CELL_HIDDEN;
        return;
    }
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        const bool is_in_row = i / table.columns == state->reveals_row;
        const bool is_in_column =
            state->reveals_column < 0 || i % table.columns == state->reveals_column;
        const bool is_open = is_in_row && is_in_column && state->page == state->reveals_page;
        if (!is_open) marks[i] |= CELL_HIDDEN;
    }
}

static void draw_matrices(struct draft *draft, int row, int rows) {
    struct canvas *canvas = draft->canvas;
    struct area area = {row, 0, rows, canvas->columns};
    if (shows_memory(draft->scene->state)) {
        draw_memory(canvas, area, &draft->cell, draft->matrix);
        return;
    }
    if (draft->is_wide)
        area = draw_exhibit(canvas, area, &draft->exhibit);
    else
        matrix_draw(canvas, area, draft->matrix, &draft->view);
    draft->sight = (struct sight){area, draft->matrix, draft->view};
}

// In place of the last line that fits, where there are more.
static void draw_more_source(const struct draft *draft, int row) {
    struct canvas *canvas = draft->canvas;
    const int more = draft->wants[BLOCK_SOURCE] - draft->rows[BLOCK_SOURCE] + 1;
    put_blanks(canvas, row, 0, canvas->columns, PLAIN);
    put_text(canvas, row, 1, draft->width,
             arena_format(canvas->arena, "      … %d more lines (t shows all)", more), DIM);
}

static void draw_block(struct draft *draft, enum block block, int row) {
    struct canvas *canvas = draft->canvas;
    const int rows = draft->rows[block], wanted = draft->wants[block];
    switch (block) {
    case BLOCK_TITLE:
        draw_step_title(draft);
        break;
    case BLOCK_TIMELINE:
        draw_timeline(draft, row);
        break;
    case BLOCK_HEADING:
        put_lines(draft, row, 1, draft->heading, rows, wanted, BOLD);
        break;
    case BLOCK_PROSE: // drawn with its cursor after the matrix, if it is a panel
        if (!is_panel(draft->scene->state) && !is_mistakes(draft->scene->state))
            put_lines(draft, row, 1, draft->prose, rows, wanted, PLAIN);
        break;
    case BLOCK_FORMULA:
        put_lines(draft, row, 4, draft->formula, rows, wanted, BOLD);
        break;
    case BLOCK_FACTS:
        draw_facts(draft, row, rows);
        break;
    case BLOCK_MATRIX:
        draw_matrices(draft, row, rows);
        break;
    case BLOCK_CELL:
        draw_cell_line(draft, row);
        break;
    case BLOCK_SOURCE:
        put_lines(draft, row, 1, draft->source, rows, wanted, PLAIN);
        if (rows > 1 && rows < wanted) draw_more_source(draft, row + rows - 1);
        break;
    case BLOCK_KEYS:
        draw_key_bar(canvas, key_mode(draft->scene->state));
        break;
    case BLOCK_COUNT:
        break;
    }
}

static bool likes_gap(enum block block) {
    return block == BLOCK_HEADING || block == BLOCK_FORMULA || block == BLOCK_FACTS ||
           block == BLOCK_SOURCE;
}

static struct panel own_panel(const struct draft *draft) {
    return (struct panel){
        .name = step_label(draft->canvas->arena, draft->step),
        .matrix = draft->matrix,
        .view = draft->view,
    };
}

// The numbers beside those that they are compared with. Returns false if they are the same, or if
// that would give away what is to be computed or estimated.
static bool arrange_comparison(struct draft *draft) {
    const struct scene *scene = draft->scene;
    const struct tensor *other = other_tensor(draft);
    if (other == NULL || is_guess(scene->state) || scene->state->grain != GRAIN_STEP) return false;
    const bool is_course = scene->other != scene->trial->right; // never large
    const bool differs =
        is_course ? differ(&draft->step->tensor, other) : scene->touched[scene->state->step];
    if (!differs) return false;
    const struct panel own = own_panel(draft);
    draft->exhibit = comparison_of(draft->canvas, scene->measured, &own, other, scene->other_name,
                                   scene->digits);
    return true;
}

// Operands and result beside each other, if there is room and the numbers were computed; what it is
// compared with in the operands' place.
static void arrange_exhibit(struct draft *draft) {
    const struct scene *scene = draft->scene;
    if (draft->canvas->columns < WIDE_COLUMNS) return;
    draft->is_wide = true;
    if (arrange_comparison(draft)) return;
    draft->exhibit = exhibit_of(draft->canvas->arena, scene->measured, scene->run, &draft->cell,
                                &draft->derivation, draft->step->number, true, scene->digits);
    draft->exhibit.panels[draft->exhibit.count++] = own_panel(draft);
}

static void prepare(struct draft *draft) {
    const struct scene *scene = draft->scene;
    struct arena *arena = draft->canvas->arena;
    draft->matrix =
        measured_matrix(scene->measured, &draft->step->tensor, scene->state->page, scene->digits);
    draft->derivation.origin = draft->step->tensor.storage->origin;
    if (is_readable(&draft->step->tensor))
        draft->derivation = derive(arena, &draft->cell, scene->digits);
    unsigned char *marks = blank_marks(arena, draft->matrix);
    mark_pending(draft, marks);
    mark_changed(draft, marks);
    mark_hidden(draft, marks);
    draft->view = (struct matrix_view){scene->state->row, scene->state->column, true, marks};
    arrange_exhibit(draft);
}

static void write_draft(struct draft *draft) {
    const struct state *state = draft->scene->state;
    int *wants = draft->wants;
    wants[BLOCK_TITLE] = wants[BLOCK_KEYS] = wants[BLOCK_CELL] = 1;
    const char *said = is_hidden(draft) ? NULL : moment_line(draft);
    if (*state->message != '\0') said = state->message;
    const int lines =
        said != NULL ? wrap_shown(draft->canvas, said, draft->width, &draft->said) : 0;
    if (lines > 1) wants[BLOCK_CELL] = lines;
    wants[BLOCK_FACTS] = draft->step->tensor.ndim > 0 ? 2 : 1;
    wants[BLOCK_MATRIX] =
        draft->is_wide ? exhibit_rows(&draft->exhibit) : matrix_rows(draft->matrix);
    if (shows_memory(state))
        wants[BLOCK_MATRIX] = memory_rows(draft->canvas, &draft->step->tensor, draft->matrix);
    if (is_panel(state)) {
        wants[BLOCK_HEADING] = wrap_shown(draft->canvas, "Settings", draft->width, &draft->heading);
        wants[BLOCK_PROSE] = panel_rows(draft->scene);
    } else if (is_mistakes(state)) {
        write_mistakes(draft);
    } else if (is_guess(state)) {
        write_guess(draft);
    } else {
        write_words(draft);
    }
}

struct sight draw_step(struct canvas *canvas, const struct scene *scene) {
    struct draft draft = {
        .canvas = canvas,
        .scene = scene,
        .step = current_step(scene->state, scene->run),
        .cell = current_cell(scene->state, scene->run),
        .width = canvas->columns - 2,
    };
    prepare(&draft);
    write_draft(&draft);
    share_rows(&draft);
    int row = 0, prose_row = 0;
    for (enum block block = 0; block < BLOCK_COUNT; block++) {
        if (draft.rows[block] == 0) continue;
        if (likes_gap(block) && draft.gaps > 0) draft.gaps--, row++;
        if (block == BLOCK_PROSE) prose_row = row;
        draw_block(&draft, block, row);
        row += draft.rows[block];
    }
    const struct area prose = {prose_row, 1, draft.rows[BLOCK_PROSE], canvas->columns - 2};
    if (is_panel(scene->state)) draw_panel(canvas, scene, prose);
    if (is_mistakes(scene->state)) draw_mistakes(canvas, scene, prose);
    return draft.sight;
}
