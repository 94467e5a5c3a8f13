#include "web/face.h"

#include <inttypes.h>
#include <string.h>

#include "show/heat.h"
#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "show/recap.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/kit/names.h"
#include "walk/views/views.h"

struct face {
    struct screen_reader reader; // first, so that a reader is a face
    struct json *json;
    struct matrix_cache *matrix_cache;
    int columns;  // of a canvas as wide as the page
    bool is_read; // the view shows a step
    bool has_rows;
};

// Rows and columns on which every screen of a step has room for all that it has.
enum { ROOMY_ROWS = 110, ROOMY_COLUMNS = 240 };

// Views that are pages of text, wrapped.
enum { PAGES = VIEW_SUMMARY | VIEW_HELP | VIEW_READ | VIEW_SHEET };

// ---- Words --------------------------------------------------------------------------------------

// The lines of a slot as they were before they were wrapped to so many columns: a line goes on in the next one if that one's
// first word had no room in it.
static const char *unwrapped(struct arena *arena, const struct slot *slot, int columns) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int i = 0; i < slot->line_count; i++) {
        const char *before = i > 0 ? slot->lines[i - 1] : "";
        const char *word = arena_copy_bytes(arena, slot->lines[i], strcspn(slot->lines[i], " "));
        const bool goes_on = i > 0 && text_width(before) + 1 + text_width(word) > columns;
        text_add_format(&text, "%s%s", i == 0 ? "" : goes_on ? " " : "\n", slot->lines[i]);
    }
    return text.bytes;
}

// Has the page a way of its own for the block of a slot, or is it only lines of text?
static bool is_usual(const struct screen *screen, enum slot_name name) {
    const struct block *block = screen->slots[name].block;
    return block->draw == step_arrangement.blocks[name]->draw || block == &below_block;
}

// Is it the screen on which a number of the input is typed?
static bool is_of_input(const struct screen *screen) {
    const struct noted *noted = screen->canvas->noted;
    return noted != NULL && noted->asked != NULL;
}

static bool is_text(const struct block *block) {
    return block->draw == draw_plain_lines || block->draw == draw_bold_lines;
}

static void add_prose(struct json *json, const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct scene *scene = screen->scene;
    const struct prose prose = prose_of(arena, scene->trial, scene->state->step);
    const char *drawing = screen->step->paragraph->drawing;
    if (*prose.wrong != '\0') json_add_string(json, "wrong", prose.wrong);
    json_add_string(json, "prose", prose.lesson);
    if (drawing != NULL) json_add_string(json, "drawing", drawing);
}

// "(6, 6) query × key", and the sentence of a row of ids.
static void add_facts(struct json *json, const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const char *sentence = sentence_of(arena, tensor);
    const char *shape =
        arena_format(arena, "%s %s", shape_text(arena, shape_of(tensor)), axes_text(arena, tensor));
    json_add_string(json, "facts",
                    arena_format(arena, "%s, %s", tensor->ndim > 0 ? shape : "a single number",
                                 dtype_text(tensor)));
    if (sentence != NULL && screen->arrangement->hide == NULL)
        json_add_string(json, "sentence", sentence);
}

// The line that can be changed; and of a changed step its lines, marked as on the screen; and the lines of C.
static void add_source(struct json *json, const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct step *step = screen->step;
    const bool is_changed = is_mistaken(screen->scene->trial, screen->scene->state->step) ||
                            screen->scene->trial->line_count > 0;
    json_add_string(json, "line", *step->statement != '\0' ? step->statement : step->expression);
    json_add_string(json, "pytorch", step_pytorch(arena, step));
    const struct slot *slot = &screen->slots[SLOT_SOURCE];
    json_open_list(json, "changed");
    for (int i = 0; is_changed && i < slot->line_count && *slot->lines[i] != '\0'; i++)
        json_add_string(json, NULL, slot->lines[i]);
    json_close(json);
    if (is_python(step->paragraph)) return;
    json_add_string(json, "c", step->excerpt->text);
    json_add_bool(json, "shows_c", screen->scene->state->shows_c);
    json_add_string(
        json, "file",
        arena_format(arena, "%s, line %d", step->paragraph->file, step->excerpt->first_line));
}

// A slot's block under the slot's name: what the page shows in its own way, or its text.
static void add_slot(struct json *json, const struct screen *screen, enum slot_name name,
                     const char *key, void (*usual)(struct json *, const struct screen *)) {
    const struct slot *slot = &screen->slots[name];
    if (slot->block == NULL) return;
    if (is_usual(screen, name) && usual != NULL)
        usual(json, screen);
    else if (slot->rows > 0 && (is_text(slot->block) || is_usual(screen, name) ||
                                (name == SLOT_CELL && is_of_input(screen))))
        json_add_string(json, key,
                        unwrapped(screen->canvas->arena, slot,
                                  name == SLOT_CELL ? screen->width : PROSE_COLUMNS));
}

// "goes there" as a button says it.
static const char *as_order(struct arena *arena, const char *words) {
    const size_t verb = strcspn(words, " .,"), length = strlen(words);
    const size_t ending = verb > 3 && strncmp(words + verb - 3, "oes", 3) == 0 ? 2
                          : verb > 1 && words[verb - 1] == 's'                 ? 1
                                                                               : 0;
    const size_t end = words[length - 1] == '.' || words[length - 1] == ',' ? 1 : 0;
    return arena_format(arena, "%.*s%.*s", (int)(verb - ending), words, (int)(length - verb - end),
                        words + verb);
}

// Does it say what a key of the view does, "u undoes it." or "Y: once more."? Then `words` is what.
static bool says_key(const char *clause, enum view_bit view, const char **words) {
    const bool has_colon = clause[0] != '\0' && clause[1] == ':' && clause[2] == ' ';
    const bool is_named = has_colon || (clause[0] != '\0' && clause[1] == ' ');
    if (!is_named || action_of(view, (uint32_t)(unsigned char)clause[0]) == ACT_NOTHING)
        return false;
    *words = clause + (has_colon ? 3 : 2);
    const size_t verb = strcspn(*words, " .,");
    return has_colon || (verb > 1 && (*words)[verb - 1] == 's' && (*words)[verb - 2] != 's');
}

// The text up to the end of a sentence or clause; `at` goes on behind it.
static const char *piece(struct arena *arena, const char **at, const char *end) {
    const char *first = *at, *found = strstr(first, end);
    const size_t length = found != NULL ? (size_t)(found - first) + 1 : strlen(first);
    *at = first + length + (first[length] == ' ');
    return arena_copy_bytes(arena, first, length);
}

static void add_offer(struct json *json, const char *key, const char *words) {
    json_open_list(json, NULL);
    json_add_string(json, NULL, key);
    json_add_string(json, NULL, words);
    json_close(json);
}

// A message without its sentences about keys: what these do is offered, a list of [key, words] each.
static void add_message(struct json *json, const struct screen *screen, const char *message) {
    struct arena *arena = screen->canvas->arena;
    const enum view_bit view = screen->scene->keys;
    static const struct {
        const char *words, *what;
    } of_escape[] = {
        {" (Esc: the answer.)", "the answer"},
        {" Esc goes on to lesson 1, the first of the course.", "go on to lesson 1"},
    };
    struct text kept = text_new(arena);
    const char *words;
    text_add(&kept, "");
    json_open_list(json, "offers");
    for (size_t i = 0; i < sizeof of_escape / sizeof *of_escape; i++) {
        const char *const last = strstr(message, of_escape[i].words);
        if (last == NULL) continue;
        add_offer(json, "<Esc>", of_escape[i].what);
        message = arena_copy_bytes(arena, message, (size_t)(last - message));
    }
    while (*message != '\0') {
        const char *sentence = piece(arena, &message, ". ");
        if (!says_key(sentence, view, &words)) {
            text_add_format(&kept, "%s%s", kept.length > 0 ? " " : "", sentence);
            continue;
        }
        while (*sentence != '\0') {
            const char *clause = piece(arena, &sentence, ", ");
            if (says_key(clause, view, &words))
                add_offer(json, arena_copy_bytes(arena, clause, 1), as_order(arena, words));
        }
    }
    json_close(json);
    json_add_string(json, "cell", kept.bytes);
}

static void add_formula(struct json *json, const struct screen *screen) {
    json_add_string(json, "formula",
                    formula_text(screen->canvas->arena, screen->scene->trial, screen->step));
}

static void add_opening(struct json *json, const struct screen *screen) {
    if (screen->stop.first == 0)
        json_add_string(json, "opening",
                        opening_text(screen->canvas->arena, screen->scene->run->lesson));
}

static void add_words(struct json *json, const struct screen *screen) {
    add_slot(json, screen, SLOT_OPENING, "opening", add_opening);
    add_slot(json, screen, SLOT_HEADING, "heading", NULL);
    add_slot(json, screen, SLOT_WORDS, "words", add_prose);
    add_slot(json, screen, SLOT_FORMULA, "formula", add_formula);
    add_slot(json, screen, SLOT_FACTS, "facts", add_facts);
    const struct slot *cell = &screen->slots[SLOT_CELL];
    const char *message = screen->scene->state->message;
    if (*message != '\0' && cell->rows > 0)
        add_message(json, screen,
                    is_of_input(screen) ? unwrapped(screen->canvas->arena, cell, screen->width)
                                        : message);
    else
        add_slot(json, screen, SLOT_CELL, "cell", NULL);
    add_slot(json, screen, SLOT_SOURCE, "asked_line", add_source);
}

// ---- Where the walk is --------------------------------------------------------------------------

// The stops of the lesson, a list of [its first step, its mark, its name] each.
static void add_stops(struct json *json, const struct screen *screen) {
    const struct run *run = screen->scene->run;
    json_open_list(json, "stops");
    for (int step = 0; step < run->step_count;) {
        const struct stop stop = stop_at(run, step);
        if (is_in_sight(screen->scene->state, run, step)) {
            json_open_list(json, NULL);
            json_add_integer(json, NULL, step);
            json_add_string(json, NULL, stop_mark(screen, stop, true));
            json_add_string(json, NULL, step_label(screen->canvas->arena, &run->steps[step]));
            json_close(json);
        }
        step += stop.count;
    }
    json_close(json);
}

// The steps that share the screen.
static void add_beside(struct json *json, const struct screen *screen) {
    json_open_list(json, "beside");
    for (int i = 0; screen->stop.count > 1 && i < screen->stop.count; i++)
        json_add_string(json, NULL, screen->scene->run->steps[screen->stop.first + i].name);
    json_close(json);
    json_add_integer(json, "first", screen->stop.first);
}

static void add_page(struct json *json, const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const int64_t pages = table_of(tensor).pages;
    int64_t index[MAX_DIMS] = {0};
    if (pages < 2) return;
    table_index(tensor, screen->scene->state->page, 0, 0, index);
    json_add_string(json, "page", page_title(arena, tensor, index));
    json_add_integer(json, "page_number", screen->scene->state->page);
}

static void add_place(struct json *json, const struct screen *screen) {
    static const char *const kinds[] = {
        [CHALLENGE_LINE] = "line",   [CHALLENGE_LARGEST] = "largest",
        [CHALLENGE_SIGN] = "sign",   [CHALLENGE_NUMBER] = "number",
        [CHALLENGE_SHAPE] = "shape", [CHALLENGE_PRINTS] = "prints"};
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    json_add_string(json, "label", step_label(arena, screen->step));
    json_add_integer(json, "number", screen->step->number);
    json_add_integer(json, "count", scene->run->step_count);
    json_add_integer(json, "within", screen->step->within);
    json_add_bool(json, "has_call", first_in_call(scene->run, screen->stop) != NULL);
    json_add_bool(json, "is_in_call", call_around(scene->run, screen->step) != NULL);
    if (screen->step->section != NULL) json_add_string(json, "section", screen->step->section);
    if (screen->step->group != NULL) json_add_string(json, "group", screen->step->group);
    if (scene->badge != NULL) json_add_string(json, "badge", scene->badge);
    const bool is_guessed = scene->keys == VIEW_ESTIMATE;
    if (scene->challenge != NULL || is_guessed)
        json_add_string(json, "asks", is_guessed ? "guess" : kinds[scene->challenge->kind]);
    json_add_bool(json, "is_message", *scene->state->message != '\0');
    const int64_t lines[] = {screen->step->excerpt->first_line, screen->step->excerpt->last_line};
    json_add_integers(json, "lines", lines, 2);
    if (screen->step->printed != NULL) json_add_string(json, "printed", screen->step->printed);
    add_stops(json, screen);
    add_beside(json, screen);
    add_page(json, screen);
}

// ---- Matrices -----------------------------------------------------------------------------------

// A cell as its text, the class of its colour ("no" where a mask or dropout crosses it out), and its marks as letters: l lit,
// c changed, r reached, p not computed yet, h hidden, f the cursor.
static void add_cell(struct json *json, struct arena *arena, const struct panel *panel, int64_t row,
                     int64_t column) {
    const struct matrix *matrix = panel->placed.matrix;
    const struct matrix_view *view = &panel->placed.view;
    struct cell cell = {.tensor = matrix->tensor};
    table_index(&cell.tensor, matrix->page, row, column, cell.index);
    const unsigned marks =
        view->marks != NULL ? view->marks[row * matrix->table.columns + column] : 0;
    const bool is_there = !(marks & (CELL_PENDING | CELL_HIDDEN));
    const struct heat_color *color = is_there ? heat_of(arena, matrix, &cell) : NULL;
    const bool is_crossed = is_there && crossing_of(arena, &cell) != NOT_CROSSED;
    const bool has_cursor = view->has_focus && row == view->row && column == view->column;
    json_open_list(json, NULL);
    json_add_string(json, NULL,
                    marks & CELL_PENDING  ? "·"
                    : marks & CELL_HIDDEN ? "?"
                                          : number_text(arena, matrix->format, cell_value(&cell)));
    json_add_string(json, NULL, is_crossed ? "no" : color != NULL ? color->name : "");
    json_add_string(json, NULL,
                    arena_format(arena, "%s%s%s%s%s%s", marks & CELL_LIT ? "l" : "",
                                 marks & CELL_CHANGED ? "c" : "", marks & CELL_REACHED ? "r" : "",
                                 marks & CELL_PENDING ? "p" : "", marks & CELL_HIDDEN ? "h" : "",
                                 has_cursor ? "f" : ""));
    json_close(json);
}

static void add_labels(struct json *json, struct arena *arena, const char *name,
                       const struct matrix *matrix, int dim, int64_t first, int64_t count) {
    const struct tensor page = labelled_page(&matrix->tensor, matrix->page);
    json_open_list(json, name);
    for (int64_t i = first; dim >= 0 && i < first + count; i++)
        json_add_string(json, NULL, label_of(arena, &page, dim, i));
    json_close(json);
}

// Columns of a canvas that a picture of matrices takes. Matrices in one row or in one column are no picture for a page, which
// puts them below each other where they have no room (showMatrices in face.js): then 0.
static int columns_of_picture(const struct matrices *matrices) {
    const struct panel *first = NULL;
    bool has_rows_of_panels = false, has_columns_of_panels = false, is_tall = true;
    int end = 0;
    for (int i = 0; i < matrices->count; i++) {
        const struct panel *panel = &matrices->panels[i];
        const struct placed_matrix *placed = &panel->placed;
        const struct area *area = &placed->area;
        if (area->rows < 1) continue;
        if (first == NULL) first = panel;
        const struct area *other = &first->placed.area;
        const int right = area->column + matrix_columns(placed->matrix, &placed->view);
        has_rows_of_panels |= area->row + area->rows != other->row + other->rows;
        has_columns_of_panels |= area->column != other->column;
        is_tall = is_tall && placed->matrix->table.rows > 1;
        if (right > end) end = right;
    }
    return has_rows_of_panels && (has_columns_of_panels || !is_tall) ? end : 0;
}

// Where a page has few columns, decimals go before columns. A phone has a matrix below the other, a page that is not much wider
// has them beside the words (web.html).
static struct panel fitting_panel(const struct face *face, const struct matrices *matrices,
                                  const struct panel *shown) {
    enum { NARROW = 60, WIDE = 112, WORDS = 32, FEWER = 2 };
    struct panel panel = *shown;
    const struct matrix *matrix = shown->placed.matrix;
    const int own = matrix_columns(matrix, &shown->placed.view);
    const bool is_narrow = face->columns < NARROW;
    const int all = is_narrow ? 0 : columns_of_picture(matrices), wanted = all > own ? all : own;
    const bool fits = is_narrow
                          ? 5 * wanted <= 8 * face->columns
                          : face->columns >= WIDE || 3 * wanted <= 4 * (face->columns - WORDS);
    if (!fits && matrix->digits > FEWER)
        panel.placed.matrix =
            cached_matrix(face->matrix_cache, &matrix->tensor, matrix->page, FEWER);
    return panel;
}

// A panel: where it stands in the picture, its name, its axes and their labels, and the cells in sight, row by row.
static void add_panel(const struct face *face, const struct canvas *canvas,
                      const struct matrices *matrices, const struct panel *shown) {
    struct arena *arena = canvas->arena;
    struct json *json = face->json;
    const struct panel fitting = fitting_panel(face, matrices, shown), *panel = &fitting;
    const struct matrix *matrix = panel->placed.matrix;
    const struct tensor *tensor = &matrix->tensor;
    const struct raster raster = raster_of(&shown->placed);
    const char *crossed = crossed_text(canvas, matrix);
    const int ndim = tensor->ndim;
    json_open_object(json, NULL);
    json_add_string(json, "name", panel_name(arena, panel));
    if (panel->note != NULL) json_add_string(json, "note", panel->note);
    if (crossed != NULL) json_add_string(json, "crossed", crossed);
    json_add_integer(json, "step", panel->step != NULL ? panel->step->number - 1 : -1);
    json_add_integer(json, "top", panel->placed.area.row + panel->placed.area.rows);
    json_add_integer(json, "left", panel->placed.area.column);
    if (has_rows(tensor)) json_add_string(json, "rows_axis", axis_name(tensor, ndim - 2));
    if (ndim > 0) json_add_string(json, "columns_axis", axis_name(tensor, ndim - 1));
    const int64_t at[] = {raster.first_row, matrix->table.rows, raster.first_column,
                          matrix->table.columns};
    json_add_integers(json, "sight", at, 4);
    add_labels(json, arena, "columns", matrix, ndim - 1, raster.first_column, raster.columns);
    add_labels(json, arena, "rows", matrix, has_rows(tensor) ? ndim - 2 : -1, raster.first_row,
               raster.rows);
    json_open_list(json, "cells");
    for (int64_t row = raster.first_row; row < raster.first_row + raster.rows; row++) {
        json_open_list(json, NULL);
        for (int64_t i = 0; i < raster.columns; i++)
            add_cell(json, arena, panel, row, raster.first_column + i);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void add_matrices(const struct face *face, const struct canvas *canvas,
                         const struct matrices *matrices) {
    struct json *json = face->json;
    json_open_list(json, "panels");
    for (int i = 0; i < matrices->count; i++) {
        if (matrices->panels[i].placed.area.rows >= 1)
            add_panel(face, canvas, matrices, &matrices->panels[i]);
    }
    json_close(json);
}

// A number in memory as a cell of a matrix: "A -0.3536 #7".
static void add_memory_number(struct json *json, struct arena *arena,
                              const struct memory_number *number) {
    const bool has_letter = number->letter != '\0', has_turn = number->turn > 0;
    const char *letter = has_letter ? arena_format(arena, "%c ", number->letter) : "";
    const char *turn = has_turn ? arena_format(arena, " #%" PRId64, number->turn) : "";
    json_open_list(json, NULL);
    json_add_string(json, NULL, arena_format(arena, "%s%s%s", letter, number->text, turn));
    json_add_string(json, NULL, has_letter ? arena_format(arena, "s%d", number->level) : "");
    json_add_string(json, NULL, number->is_focus ? "f" : "");
    json_close(json);
}

// The numbers as they lie in memory, as a matrix whose rows are called by the place of their first number: those around the
// cursor.
static void add_memory(struct json *json, const struct screen *screen) {
    enum { MOST_COLUMNS = 8, MOST_ROWS = 100 };
    struct arena *arena = screen->canvas->arena;
    const struct storage *storage = screen->step->tensor.storage;
    const int ndim = storage->shape.ndim;
    const int64_t last = ndim > 0 ? storage->shape.size[ndim - 1] : 1;
    const int64_t columns = last > 1 && last < MOST_COLUMNS ? last : MOST_COLUMNS;
    const int64_t rows = (storage->count + columns - 1) / columns;
    const int64_t here = flat_index(&screen->step->tensor, screen->cell.index) / columns;
    const int64_t first = here > MOST_ROWS / 2 ? here - MOST_ROWS / 2 : 0;
    const int64_t end = first + MOST_ROWS < rows ? first + MOST_ROWS : rows;
    json_open_list(json, "panels");
    json_open_object(json, NULL);
    json_add_string(json, "name", "memory");
    json_add_integer(json, "step", -1);
    json_add_integer(json, "top", 0);
    json_add_integer(json, "left", 0);
    json_add_integers(json, "sight", (const int64_t[]){first, rows, 0, columns}, 4);
    json_add_raw(json, "columns", "[]");
    json_open_list(json, "rows");
    for (int64_t row = first; row < end; row++)
        json_add_string(json, NULL, arena_format(arena, "%" PRId64, row * columns + 1));
    json_close(json);
    json_open_list(json, "cells");
    for (int64_t row = first; row < end; row++) {
        json_open_list(json, NULL);
        for (int64_t i = row * columns; i < (row + 1) * columns && i < storage->count; i++) {
            const struct memory_number number = memory_number(screen, i);
            add_memory_number(json, arena, &number);
        }
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_close(json);
    json_add_string(json, "memory", memory_words(screen));
}

static void add_panels(const struct face *face, const struct screen *screen) {
    static const struct matrices none;
    const struct slot *slot = &screen->slots[SLOT_MATRIX];
    const bool is_there = slot->block != NULL && slot->rows > 0 &&
                          (is_usual(screen, SLOT_MATRIX) || slot->block == &operands_block);
    if (is_there && screen->failure != NULL)
        json_add_string(face->json, "failure",
                        unwrapped(screen->canvas->arena, slot, screen->width));
    if (is_there && shows_memory(screen))
        add_memory(face->json, screen);
    else
        add_matrices(face, screen->canvas, is_there ? &screen->matrices : &none);
}

// The input over the step: its numbers as a matrix, and the cell of it that is asked for.
static void add_input(const struct face *face, const struct screen *screen) {
    struct json *json = face->json;
    const struct noted *noted = screen->canvas->noted;
    json_open_object(json, "input");
    json_add_string(json, "asked", noted->asked);
    json_add_string(json, "answer", noted->answer);
    add_matrices(face, screen->canvas, noted->matrices);
    json_close(json);
}

// The picture that stands beside the numbers, as SVG.
static void add_picture_beside(struct json *json, const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct run *run = screen->scene->run;
    const struct tensor *tensor = &screen->step->tensor;
    struct text svg = text_new(arena);
    struct plane plane;
    if (screen->arrangement->hide != NULL || screen->failure != NULL) return;
    if (has_curve(screen))
        add_curve_svg(&svg, tensor, curve_beside(run, screen->step), NULL);
    else if (has_plane(screen) &&
             plane_of(arena, &plane, run, screen->step, screen->scene->state->page) == NULL)
        add_plane_svg(&svg, &plane, NULL);
    if (svg.length > 0) json_add_string(json, "picture", svg.bytes);
}

// ---- Settings -----------------------------------------------------------------------------------

// A parameter: its name, its value, what it is for, and the field that it needs; of whole numbers and probabilities the range.
static void add_setting(struct json *json, const struct screen *screen,
                        const struct parameter *parameter) {
    struct arena *arena = screen->canvas->arena;
    const struct run *run = screen->scene->run;
    const struct parameter_kind *kind = parameter->kind;
    const char *field = is_switch(parameter)        ? "switch"
                        : kind == &choice_kind      ? "choice"
                        : kind == &size_kind        ? "size"
                        : kind == &count_kind       ? "count"
                        : kind == &probability_kind ? "probability"
                                                    : "text";
    json_open_object(json, NULL);
    json_add_string(json, "name", parameter->name);
    json_add_string(json, "value", setting_text(arena, run, parameter));
    json_add_bool(json, "is_given", is_setting_given(run, parameter));
    json_add_string(json, "help", parameter->help);
    json_add_string(json, "field", field);
    json_add_integer(json, "most", parameter->walked > 0 ? parameter->walked : parameter->most);
    json_open_list(json, "choices");
    for (int i = 0; i < PARAMETER_CHOICES && parameter->choices[i] != NULL; i++)
        json_add_string(json, NULL, parameter->choices[i]);
    json_close(json);
    json_close(json);
}

static void add_settings(struct json *json, const struct screen *screen) {
    const struct settable settable = settable_in(screen->scene->run->lesson);
    json_open_list(json, "settings");
    for (int i = 0; i < settable.count; i++) add_setting(json, screen, settable.parameters[i]);
    json_close(json);
}

// ---- Lines --------------------------------------------------------------------------------------

// A line as [kind, text, style, what stands beside it, marks before it, number]: a "choice" with its number (the chosen one a
// "chosen"), "words" that wrap, "code" as it is; of these the number is the key that a click is as good as.
static void add_noted_line(struct json *json, const struct noted_line *line, const char *text) {
    json_open_list(json, NULL);
    json_add_string(json, NULL,
                    line->is_chosen   ? "chosen"
                    : line->is_choice ? "choice"
                    : line->is_words  ? "words"
                                      : "code");
    json_add_string(json, NULL, text);
    json_add_string(json, NULL,
                    line->style.underline ? "title"
                    : line->style.bold    ? "bold"
                    : line->style.dim     ? "dim"
                                          : "");
    json_add_string(json, NULL, line->more != NULL ? line->more : "");
    json_add_string(json, NULL, line->marks != NULL ? line->marks : "");
    json_add_integer(json, NULL, line->is_choice ? line->number : line->key);
    json_close(json);
}

// Paragraphs whole. A blank line between lines of code is one of them.
static void add_lines(const struct face *face, const struct canvas *canvas) {
    struct json *json = face->json;
    const struct noted *noted = canvas->noted;
    json_open_object(json, "lines");
    json_add_string(json, "title", noted->title);
    json_add_string(json, "right", noted->right);
    json_open_list(json, "lines");
    for (int i = 0; i < noted->count; i++) {
        const struct noted_line *first = &noted->lines[i];
        const char *text = first->text;
        for (; i + 1 < noted->count && noted->lines[i + 1].goes_on; i++) {
            const char *more = noted->lines[i + 1].text;
            text = arena_format(canvas->arena, "%s %s", text, more + strspn(more, " "));
        }
        add_noted_line(json, first, text);
    }
    json_close(json);
    if (noted->svg != NULL) json_add_string(json, "svg", noted->svg);
    if (noted->matrices != NULL) add_matrices(face, canvas, noted->matrices);
    json_close(json);
}

// ---- The screen ---------------------------------------------------------------------------------

// Is a slot's block nothing that the page shows in rows of a screen?
static bool is_shown_otherwise(const struct screen *screen, enum slot_name name) {
    const struct block *block = screen->slots[name].block;
    if (screen->scene->keys & (VIEW_SETTINGS | VIEW_MISTAKES) || is_of_input(screen)) return true;
    if (block == &operands_block || block == &sizes_block) return true;
    const bool is_frame = name == SLOT_TITLE || name == SLOT_TIMELINE || name == SLOT_KEYS;
    return block == NULL || is_frame || is_usual(screen, name) || is_text(block);
}

static void read(struct screen_reader *reader, const struct screen *screen) {
    struct face *face = (struct face *)reader;
    face->is_read = true;
    for (int name = 0; name < SLOT_COUNT; name++)
        face->has_rows |=
            screen->slots[name].rows > 0 && !is_shown_otherwise(screen, (enum slot_name)name);
    add_place(face->json, screen);
    add_words(face->json, screen);
    add_panels(face, screen);
    add_picture_beside(face->json, screen);
    if (screen->scene->keys == VIEW_SETTINGS) add_settings(face->json, screen);
    if (is_of_input(screen)) add_input(face, screen);
}

struct faced add_face(struct json *json, struct walker *walker, struct arena *arena,
                      struct look look, int columns) {
    enum { PAGE_COLUMNS = 86 }; // of its lines of code
    struct text text = text_new(arena);
    struct json inside = json_new(&text);
    struct face face = {.reader.read = read,
                        .json = &inside,
                        .matrix_cache = &walker->matrix_cache,
                        .columns = columns};
    struct noted noted = {0};
    const bool is_page = (top_view(walker)->view->bit & PAGES) != 0;
    const int page_columns = columns < PAGE_COLUMNS ? columns : PAGE_COLUMNS;
    look.has_buttons = true;
    struct canvas canvas =
        canvas_new(arena, ROOMY_ROWS, is_page ? page_columns : ROOMY_COLUMNS, look);
    canvas.noted = &noted;
    json_open_object(&inside, NULL);
    walker->reader = &face.reader;
    walker_draw(walker, &canvas);
    walker->reader = NULL;
    json_close(&inside);
    json_add_raw(json, "face", face.is_read ? text.bytes : "null");
    face.json = json;
    if (noted.count > 0) add_lines(&face, &canvas);
    struct faced faced = {face.is_read, face.is_read ? face.has_rows : noted.count == 0,
                          walker->shown};
    if (noted.matrices != NULL) {
        const struct shown shown = shown_of(noted.matrices);
        if (noted.asked == NULL)
            faced.shown = shown;
        else if (shown.count == 1 && faced.shown.count < MAX_PANELS) // behind those of the step
            faced.shown.pages[faced.shown.count++] = shown.pages[0];
    }
    return faced;
}

void add_operand_number(struct json *json, const char *name, struct walker *walker,
                        const struct shown *shown, const struct press *press) {
    struct arena *arena = json->text->arena;
    const struct run *run = &walker->trial.run;
    struct cell cell = {0};
    if (!operand_at(shown, press, &cell)) {
        json_add_raw(json, name, "null");
        return;
    }
    const int digits = shown_digits(walker);
    const struct derivation derivation = derive_conclusion(arena, &cell, digits);
    const char *number = derivation.operand_count > 0 && derivation.line_count > 0
                             ? derivation.lines[derivation.line_count - 1]
                             : cell_number(arena, &cell, digits);
    const char *of = cell_name(arena, run, &cell, walker->state.step + 1);
    json_add_string(json, name, arena_format(arena, "%s = %s", of, number));
}

static void read_rows(struct screen_reader *reader, const struct screen *screen) {
    struct face *face = (struct face *)reader;
    face->is_read = true;
    for (int name = 0; name < SLOT_COUNT; name++) {
        const struct slot *slot = &screen->slots[name];
        if (slot->rows == 0 || is_shown_otherwise(screen, (enum slot_name)name)) continue;
        json_add_integers(face->json, NULL, (const int64_t[]){slot->row, slot->rows}, 2);
    }
}

void add_rows_to_show(struct json *json, const char *name, struct walker *walker,
                      struct canvas *canvas) {
    struct text text = text_new(canvas->arena);
    struct json inside = json_new(&text);
    struct face face = {.reader.read = read_rows, .json = &inside};
    json_open_list(&inside, NULL);
    walker->reader = &face.reader;
    walker_draw(walker, canvas);
    walker->reader = NULL;
    json_close(&inside);
    json_add_raw(json, name, face.is_read ? text.bytes : "null");
}

bool place_of_cell(const struct shown *shown, int page, int64_t row, int64_t column,
                   struct press *press) {
    if (page < 0 || page >= shown->count) return false;
    const struct raster *raster = &shown->pages[page].raster;
    const int64_t down = row - raster->first_row, right = column - raster->first_column;
    if (down < 0 || down >= raster->rows || right < 0 || right >= raster->columns) return false;
    *press = (struct press){PRESS_CLICK, raster->row + (int)down,
                            raster->column + (int)right * raster->apart};
    return true;
}
