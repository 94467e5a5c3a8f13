#include "walk/origin.h"

#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h"
#include "trace/step.h"
#include "walk/exhibit.h"

enum {
    LIST_COLUMNS = 38,
    WIDE_LIST_COLUMNS = 52,
    LEAST_LIST = 3,
    MOST_LIST = 7,
    BESIDE_COLUMNS = 60,
    LEAST_BESIDE = 29, // columns that a matrix keeps beside the list
};

const struct cell *asked_cell(const struct state *state) {
    return &state->trail[state->trail_count - 1];
}

const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before) {
    return arena_format(arena, "%s%s", tensor_name(arena, run, &cell->tensor, before),
                        cell_label(arena, cell));
}

// "weights[starts, with] ‹ scaled[starts, with] ‹ ...": how we came here, the number asked first.
static const char *trail_text(const struct canvas *canvas, const struct scene *scene) {
    struct arena *arena = canvas->arena;
    const struct state *state = scene->state;
    struct text text = text_new(arena);
    for (int i = state->trail_count - 1; i >= 0; i--) {
        const char *name = cell_name(arena, scene->run, &state->trail[i], state->step + 2);
        text_add_format(&text, "%s%s", i < state->trail_count - 1 ? "  for  " : "", name);
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
static int draw_arithmetic(struct canvas *canvas, const struct derivation *derivation, int row,
                           int rows) {
    const struct arithmetic arithmetic = wrap_arithmetic(canvas, derivation);
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

static void draw_operand(struct canvas *canvas, const struct scene *scene,
                         const struct operand *operand, struct area area, int row, bool is_chosen) {
    struct arena *arena = canvas->arena;
    struct style style = is_chosen ? REVERSE : PLAIN;
    const char *number = cell_number(arena, &operand->cell, scene->digits);
    const char *name =
        tensor_name(arena, scene->run, &operand->cell.tensor, scene->state->step + 1);
    const char *place = cell_label(arena, &operand->cell);
    put_blanks(canvas, row, area.column, area.columns, style);
    const int room = area.columns - 2 - shown_width(canvas, number);
    const int used =
        put_text(canvas, row, area.column + 1, room - 1 - shown_width(canvas, place), name, style);
    put_text(canvas, row, area.column + 1 + used, room - 1 - used, place, style);
    put_right(canvas, row, area.column + room, area.columns - room - 1, number, style);
    if (is_chosen) put_cursor(canvas, row, area.column + 1);
}

// Columns that the longest line of the list would like to have.
static int widest_operand(struct canvas *canvas, const struct scene *scene,
                          const struct derivation *derivation) {
    enum { MOST_MEASURED = 64, BLANKS = 4 };
    int widest = 0;
    for (int i = 0; i < derivation->operand_count && i < MOST_MEASURED; i++) {
        const struct cell *cell = &derivation->operands[i].cell;
        const char *name = cell_name(canvas->arena, scene->run, cell, scene->state->step + 1);
        const char *number = cell_number(canvas->arena, cell, scene->digits);
        const int width = shown_width(canvas, name) + shown_width(canvas, number) + BLANKS;
        if (width > widest) widest = width;
    }
    return widest;
}

// The list gets what its lines need, as long as a few columns of a matrix fit beside it.
static int columns_of_list(struct canvas *canvas, const struct scene *scene,
                           const struct derivation *derivation) {
    if (canvas->columns >= WIDE_COLUMNS) return WIDE_LIST_COLUMNS;
    const int wanted = widest_operand(canvas, scene, derivation);
    const int most = canvas->columns - LEAST_BESIDE;
    if (wanted <= LIST_COLUMNS || most <= LIST_COLUMNS) return LIST_COLUMNS;
    return wanted < most ? wanted : most;
}

static void draw_operands(struct canvas *canvas, const struct scene *scene,
                          const struct derivation *derivation, struct area area) {
    const int count = derivation->operand_count;
    const int chosen = scene->state->operand < count ? scene->state->operand : count - 1;
    int first = chosen - area.rows / 2;
    if (first > count - area.rows) first = count - area.rows;
    if (first < 0) first = 0;
    const int shown_rows = count - first < area.rows ? count - first : area.rows;
    for (int i = 0; i < shown_rows; i++) {
        draw_operand(canvas, scene, &derivation->operands[first + i], area, area.row + i,
                     first + i == chosen);
    }
    if (first > 0) put_text(canvas, area.row, area.column, 1, "…", BOLD);
    if (first + shown_rows < count)
        put_text(canvas, area.row + shown_rows - 1, area.column, 1, "…", BOLD);
}

// Puts the chosen operand in sight of its matrix and underlines nothing else.
static void focus_operand(struct exhibit *exhibit, struct measured *measured,
                          const struct operand *operand, int digits) {
    int64_t page, row, column;
    table_place(&operand->cell.tensor, operand->cell.index, &page, &row, &column);
    for (int i = 0; i < exhibit->count; i++) {
        struct panel *panel = &exhibit->panels[i];
        const struct matrix *matrix =
            measured_matrix(measured, &operand->cell.tensor, page, digits);
        if (panel->matrix != matrix) continue;
        panel->view.row = row;
        panel->view.column = column;
        panel->has_chosen = true;
    }
}

// Only the matrix of the chosen operand where there is no room for all.
static void draw_matrices(struct canvas *canvas, const struct scene *scene,
                          const struct derivation *derivation, struct area area) {
    const struct state *state = scene->state;
    struct exhibit exhibit =
        exhibit_of(canvas->arena, scene->measured, scene->run, asked_cell(state), derivation,
                   state->step + 1, false, scene->digits);
    const int last = derivation->operand_count - 1;
    const int chosen = state->operand < last ? state->operand : last;
    if (chosen >= 0)
        focus_operand(&exhibit, scene->measured, &derivation->operands[chosen], scene->digits);
    if (exhibit.count > 1 && exhibit_columns(canvas, &exhibit) > area.columns) {
        for (int i = 0; i < exhibit.count; i++) {
            if (exhibit.panels[i].has_chosen) exhibit.panels[0] = exhibit.panels[i];
        }
        exhibit.count = 1;
    }
    if (exhibit.count > 0) draw_exhibit(canvas, area, &exhibit);
}

// The asked number in its own matrix, where it has no operands.
static void draw_own_matrix(struct canvas *canvas, const struct scene *scene, struct area area) {
    const struct cell *cell = asked_cell(scene->state);
    struct matrix_view view = {.has_focus = true};
    int64_t page;
    table_place(&cell->tensor, cell->index, &page, &view.row, &view.column);
    matrix_draw(canvas, area, measured_matrix(scene->measured, &cell->tensor, page, scene->digits),
                &view);
}

void draw_origin(struct canvas *canvas, const struct scene *scene) {
    struct arena *arena = canvas->arena;
    const struct cell *cell = asked_cell(scene->state);
    const struct derivation derivation = derive(arena, cell, scene->digits);
    const struct step *step = current_step(scene->state, scene->run);
    draw_title(canvas, "Where did this number come from?",
               arena_format(arena, "step %d/%d  %s", step->number, scene->run->step_count,
                            step_label(arena, step)));
    const char *name = cell_name(arena, scene->run, cell, scene->state->step + 2);
    put_text(canvas, 1, 1, canvas->columns - 2, trail_text(canvas, scene), DIM);
    put_text(canvas, 2, 1, canvas->columns - 2,
             arena_format(arena, "%s = %s, by %s", name, cell_number(arena, cell, scene->digits),
                          derivation.operation),
             BOLD);
    const int wanted = derivation.operand_count < MOST_LIST ? derivation.operand_count : MOST_LIST;
    const int list = canvas->rows < 20 && wanted > LEAST_LIST ? LEAST_LIST : wanted;
    const bool ends = derivation.operand_count == 0;
    const int own_row = 1; // of the number's own matrix, where the road ends
    const int most = canvas->rows - 6 - (ends ? own_row : list);
    int row = 3 + draw_arithmetic(canvas, &derivation, 3, most);
    if (canvas->rows > 18) row++;
    put_text(canvas, row, 1, canvas->columns - 2,
             ends ? derivation.origin->operation->end
                  : "Made of these; Enter follows the chosen one:",
             PLAIN);
    row++;
    const int list_columns = columns_of_list(canvas, scene, &derivation);
    const bool is_beside = canvas->columns >= BESIDE_COLUMNS && !ends;
    const struct area left = {row, 1, canvas->rows - 1 - row,
                              is_beside ? list_columns : canvas->columns - 2};
    const struct area right = {row, is_beside ? list_columns + 2 : 1, canvas->rows - 1 - row,
                               canvas->columns - (is_beside ? list_columns + 3 : 2)};
    put_cursor(canvas, row, 1);
    if (!ends) draw_operands(canvas, scene, &derivation, left);
    if (is_beside) draw_matrices(canvas, scene, &derivation, right);
    if (ends) draw_own_matrix(canvas, scene, right);
    draw_key_bar(canvas, MODE_ORIGIN);
}
