#include "walk/screen.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "trace/step.h"

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

// Chooses the heaviest that fit into the row, and tells which by bits.
static uint64_t choose_keys(struct canvas *canvas, enum mode mode) {
    uint64_t chosen = 0;
    int room = canvas->columns;
    for (;;) {
        int best = -1;
        for (int i = 0; i < binding_count; i++) {
            const struct binding *binding = &bindings[i];
            const bool fits = binding->modes & (unsigned)mode && binding->label != NULL &&
                              !(chosen >> i & 1);
            if (fits && (best < 0 || binding->weight > bindings[best].weight)) best = i;
        }
        if (best < 0) return chosen;
        room -= text_width(key_label(canvas, &bindings[best])) + 2;
        if (room < -1) return chosen;
        chosen |= UINT64_C(1) << best;
    }
}

void draw_key_bar(struct canvas *canvas, enum mode mode) {
    const uint64_t chosen = choose_keys(canvas, mode);
    int column = 0;
    for (int i = 0; i < binding_count; i++) {
        if (!(chosen >> i & 1)) continue;
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
    {BLOCK_TITLE, 1},    {BLOCK_KEYS, 1},    {BLOCK_MATRIX, 2},    {BLOCK_CELL, 1},
    {BLOCK_HEADING, 1},  {BLOCK_MATRIX, 4},  {BLOCK_FORMULA, 1},   {BLOCK_PROSE, 2},
    {BLOCK_FACTS, 1},    {BLOCK_MATRIX, 7},  {BLOCK_HEADING, ALL}, {BLOCK_PROSE, ALL},
    {BLOCK_SOURCE, 3},   {BLOCK_TIMELINE, 1}, {BLOCK_FORMULA, ALL}, {BLOCK_SOURCE, ALL},
    {GAP, 4},            {BLOCK_MATRIX, ALL},
};

// Everything of a screen before it is laid out.
struct draft {
    struct canvas *canvas;
    const struct scene *scene;
    const struct step *step;
    int width;
    char **heading, **prose, **formula, **source;
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

// ---- What the blocks say ------------------------------------------------------------------------

// The lines of source with their numbers, wrapped where they are too long; or the line of PyTorch.
static int source_lines(struct draft *draft, char ***lines) {
    const struct canvas *canvas = draft->canvas;
    const struct paragraph *paragraph = draft->step->paragraph;
    struct arena *arena = canvas->arena;
    if (draft->scene->state->shows_pytorch) {
        char *line = arena_format(arena, "PyTorch  %s", draft->step->pytorch);
        return wrap_shown(canvas, line, draft->width, lines);
    }
    const int numbered = paragraph->last_line - paragraph->first_line + 1;
    const int room = draft->width - 6 > 10 ? draft->width - 6 : 10;
    *lines = arena_array(arena, strlen(paragraph->text) + (size_t)numbered, sizeof **lines);
    int count = 0, number = paragraph->first_line;
    for (const char *text = paragraph->text; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = shown(canvas, arena_copy_bytes(arena, text, length));
        const size_t indent = strspn(line, " ");
        char **parts;
        const int fitting = room - (int)indent > 10 ? room - (int)indent : 10;
        const int part_count = text_wrap(arena, line, fitting, &parts);
        for (int i = 0; i < part_count; i++) {
            const char *mark = i == 0 ? arena_format(arena, "%4d", number) : "    ";
            const char *blanks = i == 0 ? "" : "    ";
            (*lines)[count++] = arena_format(arena, "%s  %*s%s%s", mark, (int)indent, "", blanks,
                                             parts[i]);
        }
        text += length;
        if (*text == '\n') text++;
    }
    return count;
}

static void write_draft(struct draft *draft) {
    const struct canvas *canvas = draft->canvas;
    const struct paragraph *paragraph = draft->step->paragraph;
    const int prose_width = draft->width < 78 ? draft->width : 78;
    int *wants = draft->wants;
    wants[BLOCK_TITLE] = wants[BLOCK_KEYS] = wants[BLOCK_CELL] = 1;
    wants[BLOCK_TIMELINE] = wants[BLOCK_FACTS] = 1;
    wants[BLOCK_MATRIX] = matrix_rows(draft->scene->matrix);
    wants[BLOCK_HEADING] = wrap_shown(canvas, paragraph->title, draft->width, &draft->heading);
    wants[BLOCK_PROSE] = wrap_shown(canvas, paragraph->explanation, prose_width, &draft->prose);
    wants[BLOCK_FORMULA] = wrap_shown(canvas, draft->step->formula, draft->width - 4,
                                      &draft->formula);
    wants[BLOCK_SOURCE] = source_lines(draft, &draft->source);
}

// Lines of a block; the last is marked if lines are missing.
static void put_lines(struct draft *draft, int row, int column, char **lines, int count, int wanted,
                      struct style style) {
    for (int i = 0; i < count; i++) {
        const bool is_cut = i == count - 1 && count < wanted;
        const int width = draft->canvas->columns - column - (is_cut ? 2 : 0);
        const int used = put_text(draft->canvas, row + i, column, width, lines[i], style);
        if (is_cut) put_text(draft->canvas, row + i, column + used + 1, 1, "…", BOLD);
    }
}

static void draw_step_title(struct draft *draft) {
    const struct run *run = draft->scene->run;
    const struct state *state = draft->scene->state;
    struct arena *arena = draft->canvas->arena;
    const char *label = step_label(arena, draft->step);
    const char *place = arena_format(arena, "step %d/%d  %s", state->step + 1, run->step_count, label);
    const char *badge = draft->scene->badge;
    const char *title = arena_format(arena, "%d %s", state->lesson + 1, run->lesson->title);
    if (badge != NULL) title = arena_format(arena, "%s [not the course's: %s]", title, badge);
    draw_title(draft->canvas, title, place);
}

static void draw_timeline(struct draft *draft, int row) {
    const struct run *run = draft->scene->run;
    struct arena *arena = draft->canvas->arena;
    const struct step *step = draft->step;
    const char *before = step->number > 1 ? step_label(arena, step - 1) : NULL;
    const char *after = step->number < run->step_count ? step_label(arena, step + 1) : NULL;
    struct text text = text_new(arena);
    if (step->section != NULL) text_add_format(&text, "%s   ", step->section);
    if (before != NULL) text_add_format(&text, "‹ %s  ", before);
    if (after != NULL) text_add_format(&text, "› %s", after);
    put_text(draft->canvas, row, 1, draft->width, text.length > 0 ? text.bytes : "", DIM);
}

// "float32, 2 batch × 6 query × 6 key, strides (36, 6, 1)", and which page this is.
static const char *facts_text(struct draft *draft) {
    struct arena *arena = draft->canvas->arena;
    const struct tensor *tensor = &draft->step->tensor;
    struct text text = text_new(arena);
    text_add_format(&text, "%s, %s", axes_text(arena, tensor), dtype_text(tensor));
    if (tensor->ndim > 0)
        text_add_format(&text, ", strides %s", sizes_text(arena, tensor->stride, tensor->ndim));
    if (tensor->ndim > 2) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, draft->scene->state->page, 0, 0, index);
        text_add(&text, "; here");
        for (int dim = 0; dim < tensor->ndim - 2; dim++) {
            const char *name = tensor->axis[dim].name != NULL ? tensor->axis[dim].name : "page";
            text_add_format(&text, " %s %s", name, label_of(arena, tensor, dim, index[dim]));
        }
        text_add(&text, " (. ,)");
    }
    return text.bytes;
}

// "scores[journey, starts] = 1.4754"
static const char *cell_text(struct draft *draft) {
    struct arena *arena = draft->canvas->arena;
    const struct state *state = draft->scene->state;
    const struct tensor *tensor = &draft->step->tensor;
    struct text text = text_new(arena);
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, state->page, state->row, state->column, index);
    text_add(&text, draft->step->name);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *label = label_of(arena, tensor, dim, index[dim]);
        text_add_format(&text, "%s%s", dim == 0 ? "[" : ", ", label);
    }
    const char *number = matrix_number(arena, draft->scene->matrix, element(tensor, index));
    text_add_format(&text, "%s = %s", tensor->ndim > 0 ? "]" : "", number);
    return text.bytes;
}

static void draw_block(struct draft *draft, enum block block, int row) {
    struct canvas *canvas = draft->canvas;
    const struct state *state = draft->scene->state;
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
    case BLOCK_PROSE:
        put_lines(draft, row, 1, draft->prose, rows, wanted, PLAIN);
        break;
    case BLOCK_FORMULA:
        put_lines(draft, row, 4, draft->formula, rows, wanted, BOLD);
        break;
    case BLOCK_FACTS:
        put_text(canvas, row, 1, draft->width, facts_text(draft), DIM);
        break;
    case BLOCK_MATRIX: {
        const struct matrix_view view = {state->row, state->column, true, NULL};
        const struct area area = {row, 0, rows, canvas->columns};
        matrix_draw(canvas, area, draft->scene->matrix, &view);
        break;
    }
    case BLOCK_CELL:
        put_text(canvas, row, 1, draft->width, cell_text(draft), PLAIN);
        break;
    case BLOCK_SOURCE:
        put_lines(draft, row, 1, draft->source, rows, wanted, PLAIN);
        break;
    case BLOCK_KEYS:
        draw_key_bar(canvas, MODE_STEP);
        break;
    case BLOCK_COUNT:
        break;
    }
}

static bool likes_gap(enum block block) {
    return block == BLOCK_HEADING || block == BLOCK_FORMULA || block == BLOCK_FACTS ||
           block == BLOCK_SOURCE;
}

void draw_step(struct canvas *canvas, const struct scene *scene) {
    struct draft draft = {
        .canvas = canvas,
        .scene = scene,
        .step = current_step(scene->state, scene->run),
        .width = canvas->columns - 2,
    };
    write_draft(&draft);
    share_rows(&draft);
    int row = 0;
    for (enum block block = 0; block < BLOCK_COUNT; block++) {
        if (draft.rows[block] == 0) continue;
        if (likes_gap(block) && draft.gaps > 0) draft.gaps--, row++;
        draw_block(&draft, block, row);
        row += draft.rows[block];
    }
}
