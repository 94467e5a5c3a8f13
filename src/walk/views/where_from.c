// The view that answers: where did this number come from? The operation, the arithmetic with the real
// numbers, the operands to follow, and their matrices with the operands lit up.

#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"
#include "walk/kit/names.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

enum {
    MAX_TRAIL = 32,
    LIST_COLUMNS = 38,
    WIDE_LIST_COLUMNS = 52,
    LEAST_LIST = 3,
    MOST_LIST = 7,
    BESIDE_COLUMNS = 60,
    LEAST_BESIDE = 29, // columns that a matrix keeps beside the list
};

struct where_from {
    struct cell trail[MAX_TRAIL]; // the cells followed so far; the last one is asked about
    int count;
    int operand; // chosen, from 0
};

static const struct cell *asked_cell(const struct where_from *where_from) {
    return &where_from->trail[where_from->count - 1];
}

// ---- Following ----------------------------------------------------------------------------------

static void open(struct walker *walker, void *view_state) {
    struct where_from *where_from = view_state;
    where_from->trail[0] = current_cell(&walker->state, &walker->trial.run);
    where_from->count = 1;
}

static void follow(struct where_from *where_from, const struct derivation *derivation) {
    if (derivation->operand_count == 0) return;
    if (where_from->count == MAX_TRAIL) {
        memmove(&where_from->trail[0], &where_from->trail[1],
                (MAX_TRAIL - 1) * sizeof *where_from->trail);
        where_from->count--;
    }
    where_from->trail[where_from->count++] = derivation->operands[where_from->operand].cell;
    where_from->operand = 0;
}

static void go_there(struct walker *walker, const struct where_from *where_from) {
    struct cell found;
    const struct run *run = &walker->trial.run;
    const struct step *step =
        step_of_cell(run, asked_cell(where_from), walker->state.step + 2, &found);
    if (step == NULL) {
        tell(&walker->state, "No step shows this number: it is an intermediate result.");
        return;
    }
    const struct step *inside = computed_in_call(run, step);
    if (inside != NULL && cell_in_view(&inside->tensor, asked_cell(where_from), &found))
        step = inside;
    go_to_cell(&walker->state, run, step, found.index);
    close_views(walker);
}

// A number of an update that was not kept is had by ending with that update.
static void train_again(struct walker *walker, const struct where_from *where_from) {
    const int64_t update = update_of_kept(asked_cell(where_from));
    if (update < 0) {
        tell(&walker->state, "This number's operands were kept: there is nothing to train again.");
        return;
    }
    close_views(walker);
    train_to(walker, update);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct where_from *where_from = view_state;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    explain_numbers(&walker->trial.run, asked_cell(where_from)->tensor.storage);
    const struct derivation derivation = derive(m, asked_cell(where_from), walker->digits);
    const int operand = where_from->operand + lines_moved(pressed);
    if (operand >= 0 && operand < derivation.operand_count) where_from->operand = operand;
    if (pressed->action == ACT_CHOOSE) follow(where_from, &derivation);
    if (pressed->action == ACT_RETURN) {
        where_from->operand = 0;
        if (--where_from->count == 0) close_view(walker);
    }
    scratch_close(&scratch);
    if (pressed->action == ACT_GO_THERE) go_there(walker, where_from);
    if (pressed->action == ACT_TRAIN_TO) train_again(walker, where_from);
}

// ---- What is asked ------------------------------------------------------------------------------

struct asking {
    struct canvas *canvas;
    const struct scene *scene;
    const struct where_from *where_from;
    struct derivation derivation;
    int chosen; // operand, from 0; -1 if there is none
};

// "weights[starts, with]  for  scaled[starts, with]": how we came here, the number asked first.
static const char *trail_text(const struct asking *asking) {
    struct text text = text_new(asking->canvas->arena);
    const struct scene *scene = asking->scene;
    for (int i = asking->where_from->count - 1; i >= 0; i--) {
        const char *name = cell_name(text.arena, scene->run, &asking->where_from->trail[i],
                                     scene->state->step + 2);
        text_add_format(&text, "%s%s", i < asking->where_from->count - 1 ? "  for  " : "", name);
    }
    return text.bytes;
}

// A line of arithmetic as it is drawn: its continuations are indented, the conclusion is bold.
struct arithmetic {
    int count;
    struct {
        const char *text;
        bool is_continued, is_conclusion;
    } * lines;
};

static struct arithmetic wrap_arithmetic(struct canvas *canvas,
                                         const struct derivation *derivation) {
    struct arithmetic arithmetic = {0};
    size_t most = 1;
    for (int i = 0; i < derivation->line_count; i++) most += strlen(derivation->lines[i]);
    arithmetic.lines = arena_array(canvas->arena, most, sizeof *arithmetic.lines);
    for (int i = 0; i < derivation->line_count; i++) {
        char **lines;
        const int count = wrap_shown(canvas, derivation->lines[i], canvas->columns - 6, &lines);
        for (int k = 0; k < count; k++, arithmetic.count++) {
            arithmetic.lines[arithmetic.count].text = lines[k];
            arithmetic.lines[arithmetic.count].is_continued = k > 0;
            arithmetic.lines[arithmetic.count].is_conclusion = i == derivation->line_count - 1;
        }
    }
    return arithmetic;
}

// Draws it in at most `rows`; of more lines the last stays, which has the result. Returns the rows used.
static int draw_arithmetic(struct asking *asking, int row, int rows) {
    struct canvas *canvas = asking->canvas;
    const struct arithmetic arithmetic = wrap_arithmetic(canvas, &asking->derivation);
    for (int i = 0; i < asking->derivation.line_count; i++)
        note_words(canvas, asking->derivation.lines[i],
                   i == asking->derivation.line_count - 1 ? BOLD : PLAIN);
    const int shown_lines = arithmetic.count < rows ? arithmetic.count : rows;
    const int left_out = arithmetic.count - shown_lines;
    for (int i = 0; i < shown_lines; i++) {
        const bool is_gap = left_out > 0 && i == shown_lines - 2;
        const int line = left_out > 0 && i == shown_lines - 1 ? arithmetic.count - 1 : i;
        const char *text = is_gap ? arena_format(canvas->arena, "… %d more lines", left_out + 1)
                                  : arithmetic.lines[line].text;
        put_text(canvas, row + i, arithmetic.lines[line].is_continued ? 4 : 2, canvas->columns - 5,
                 text, arithmetic.lines[line].is_conclusion && !is_gap ? BOLD : PLAIN);
    }
    return shown_lines;
}

// ---- Operands -----------------------------------------------------------------------------------

static void draw_operand(const struct asking *asking, int number, const struct area *line) {
    struct canvas *canvas = asking->canvas;
    struct arena *arena = canvas->arena;
    const struct scene *scene = asking->scene;
    const struct cell *cell = &asking->derivation.operands[number].cell;
    const bool is_chosen = number == asking->chosen;
    const struct style style = is_chosen ? REVERSE : PLAIN;
    const char *text = cell_number(arena, cell, scene->digits);
    const char *name = operand_name(arena, scene->run, &asking->derivation,
                                    &asking->derivation.operands[number], scene->state->step + 1);
    const char *at = cell_label(arena, cell);
    note_line(canvas, (struct noted_line){.text = arena_format(arena, "%s%s", name, at),
                                          .more = text,
                                          .is_choice = true,
                                          .is_chosen = is_chosen,
                                          .number = number});
    const int first = line->column + 1, room = line->columns - 2 - shown_width(canvas, text);
    put_blanks(canvas, line->row, line->column, line->columns, style);
    const int used =
        put_text(canvas, line->row, first, room - 1 - shown_width(canvas, at), name, style);
    put_text(canvas, line->row, first + used, room - 1 - used, at, style);
    put_right(canvas, line->row, line->column + room, line->columns - room - 1, text, style);
    if (is_chosen) put_cursor(canvas, line->row, first);
}

// Columns that the longest line of the list would like to have.
static int widest_operand(const struct asking *asking) {
    enum { MOST_MEASURED = 64, BLANKS = 4 };
    struct canvas *canvas = asking->canvas;
    const struct scene *scene = asking->scene;
    int widest = 0;
    for (int i = 0; i < asking->derivation.operand_count && i < MOST_MEASURED; i++) {
        const struct cell *cell = &asking->derivation.operands[i].cell;
        const char *name = cell_name(canvas->arena, scene->run, cell, scene->state->step + 1);
        const char *number = cell_number(canvas->arena, cell, scene->digits);
        const int width = shown_width(canvas, name) + shown_width(canvas, number) + BLANKS;
        if (width > widest) widest = width;
    }
    return widest;
}

// The list gets what its lines need, as long as a few columns of a matrix fit beside it.
static int columns_of_list(const struct asking *asking) {
    const int columns = asking->canvas->columns;
    if (columns >= WIDE_COLUMNS) return WIDE_LIST_COLUMNS;
    const int wanted = widest_operand(asking), most = columns - LEAST_BESIDE;
    if (wanted <= LIST_COLUMNS || most <= LIST_COLUMNS) return LIST_COLUMNS;
    return wanted < most ? wanted : most;
}

static void draw_operands(const struct asking *asking, struct area area) {
    struct canvas *canvas = asking->canvas;
    const int count = asking->derivation.operand_count;
    const int first = (int)first_visible(asking->chosen, count, area.rows);
    for (int i = first; i < count && i < first + area.rows; i++) {
        const struct area line = {area.row + i - first, area.column, 1, area.columns};
        draw_operand(asking, i, &line);
        put_line_spot(canvas, &line, i, i == asking->chosen);
    }
    mark_more(canvas, &area, first, count);
}

static void note_matrices(struct canvas *canvas, const struct matrices *matrices) {
    if (canvas->noted != NULL)
        canvas->noted->matrices =
            memcpy(arena_allocate(canvas->arena, sizeof *matrices), matrices, sizeof *matrices);
}

// Puts the chosen operand in sight of its matrix.
static void focus_operand(const struct asking *asking, struct matrices *matrices) {
    const struct cell *cell = &asking->derivation.operands[asking->chosen].cell;
    const struct scene *scene = asking->scene;
    int64_t page, row, column;
    table_place(&cell->tensor, cell->index, &page, &row, &column);
    const struct matrix *matrix =
        cached_matrix(scene->matrix_cache, &cell->tensor, page, scene->digits);
    for (int i = 0; i < matrices->count; i++) {
        struct panel *panel = &matrices->panels[i];
        if (panel->placed.matrix != matrix) continue;
        panel->placed.view.row = row;
        panel->placed.view.column = column;
        panel->has_chosen = true;
    }
}

// Only the matrix of the chosen operand where there is no room for all.
static void draw_matrices(const struct asking *asking, struct area area) {
    struct arena *arena = asking->canvas->arena;
    struct matrices matrices = operands_of(arena, asking->scene, &asking->derivation, NULL);
    focus_operand(asking, &matrices);
    if (matrices.count > 1 && columns_of_panels(asking->canvas, &matrices) > area.columns) {
        for (int i = 0; i < matrices.count; i++) {
            if (matrices.panels[i].has_chosen) matrices.panels[0] = matrices.panels[i];
        }
        matrices.count = 1;
    }
    if (matrices.count > 0) draw_panels(asking->canvas, area, &matrices);
    note_matrices(asking->canvas, &matrices);
}

// The asked number in its own matrix, where it has no operands.
static void draw_asked_matrix(const struct asking *asking, struct area area) {
    const struct cell *cell = asked_cell(asking->where_from);
    const struct scene *scene = asking->scene;
    struct placed_matrix placed = {.view = {.has_focus = true}, .area = area};
    int64_t page;
    table_place(&cell->tensor, cell->index, &page, &placed.view.row, &placed.view.column);
    placed.matrix = cached_matrix(scene->matrix_cache, &cell->tensor, page, scene->digits);
    matrix_draw(asking->canvas, &placed);
    note_matrices(asking->canvas, &(struct matrices){.count = 1, .panels = {{.placed = placed}}});
}

// ---- The screen ---------------------------------------------------------------------------------

// Title, trail and what is asked, in the first three rows.
static void draw_question(const struct asking *asking) {
    struct canvas *canvas = asking->canvas;
    struct arena *arena = canvas->arena;
    const struct scene *scene = asking->scene;
    const struct cell *cell = asked_cell(asking->where_from);
    const struct step *step = current_step(scene->state, scene->run);
    draw_title(canvas, "Where did this number come from?",
               arena_format(arena, "step %d/%d  %s", step->number, scene->run->step_count,
                            step_label(arena, step)));
    const char *trail = trail_text(asking);
    put_text(canvas, 1, 1, canvas->columns - 2, trail, DIM);
    if (asking->where_from->count > 1) note_words(canvas, trail, DIM);
    const char *name = cell_name(arena, scene->run, cell, scene->state->step + 2);
    const char *number = cell_number(arena, cell, scene->digits);
    const struct step *shown = step_of_cell(scene->run, cell, step->number + 1, NULL);
    const struct step *inside = shown != NULL ? computed_in_call(scene->run, shown) : NULL;
    const char *what = arena_format(arena, "%s = %s, by %s%s%s", name, number,
                                    asking->derivation.operation, inside != NULL ? ", in " : "",
                                    inside != NULL ? step_label(arena, inside) : "");
    put_text(canvas, 2, 1, canvas->columns - 2, what, BOLD);
    note_words(canvas, what, BOLD);
}

// What there is below the arithmetic.
static const char *heading_of(const struct asking *asking) {
    if (asking->derivation.operand_count > 0)
        return asking->canvas->look.has_buttons
                   ? "Computed from these:"
                   : "Computed from these; Enter follows the chosen one:";
    const char *end = asking->derivation.origin->operation->end;
    if (end == NULL) return "No other number went into this one."; // a count of 0
    if (update_of_kept(asked_cell(asking->where_from)) < 0) return end;
    const bool has_buttons = asking->canvas->look.has_buttons;
    return arena_format(asking->canvas->arena, "%s %s", end,
                        has_buttons ? "[1: Train up to there]" : "a trains up to there.");
}

static void draw_asking(struct asking *asking) {
    struct canvas *canvas = asking->canvas;
    const int count = asking->derivation.operand_count;
    const int wanted = count < MOST_LIST ? count : MOST_LIST;
    const int list = canvas->rows < 20 && wanted > LEAST_LIST ? LEAST_LIST : wanted;
    const int least = count == 0 ? 1 : list; // rows below: the number's own where the road ends
    draw_question(asking);
    int row = 3 + draw_arithmetic(asking, 3, canvas->rows - 6 - least);
    if (canvas->rows > 18) row++;
    const char *heading = heading_of(asking);
    put_text(canvas, row, 1, canvas->columns - 2, heading, PLAIN);
    note_line(canvas, (struct noted_line){.text = heading, .is_words = true, .key = 'a'});
    row++;
    put_cursor(canvas, row, 1);
    const int columns = canvas->columns, rows = canvas->rows - 1 - row;
    const bool is_beside = columns >= BESIDE_COLUMNS;
    const int width = count > 0 && is_beside ? columns_of_list(asking) : columns - 2;
    if (count > 0)
        draw_operands(asking, (struct area){row, 1, rows, width});
    else
        draw_asked_matrix(asking, (struct area){row, 1, rows, width});
    if (count > 0 && is_beside)
        draw_matrices(asking, (struct area){row, width + 2, rows, columns - width - 3});
    draw_key_bar(canvas, asking->scene->keys);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct scene scene = scene_for(walker, canvas);
    struct asking asking = {.canvas = canvas, .scene = &scene, .where_from = view_state};
    explain_numbers(&walker->trial.run, asked_cell(asking.where_from)->tensor.storage);
    asking.derivation = derive(canvas->arena, asked_cell(asking.where_from), scene.digits);
    const int last = asking.derivation.operand_count - 1;
    asking.chosen = asking.where_from->operand < last ? asking.where_from->operand : last;
    draw_asking(&asking);
}

const struct walk_view where_from_view = {
    .bit = VIEW_WHERE_FROM,
    .name = "Where a number came from",
    .opened_by = ACT_WHERE_FROM,
    .size = sizeof(struct where_from),
    .has_lines = true,
    .chosen_at = offsetof(struct where_from, operand),
    .open = open,
    .press = press,
    .draw = draw,
};
