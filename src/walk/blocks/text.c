// Blocks of text: what the lesson says of a step.

#include "walk/blocks/blocks.h"

#include <string.h>

#include "base/text.h"
#include "trace/step.h"

int want_lines(const struct screen *screen, struct slot *slot, const char *paragraph, int width) {
    return wrap_shown(screen->canvas, paragraph, width, &slot->lines);
}

void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style) {
    struct canvas *canvas = screen->canvas;
    for (int i = 0; i < slot->rows; i++) {
        const bool is_cut = i == slot->rows - 1 && slot->rows < slot->wanted;
        const int width = canvas->columns - column - (is_cut ? 2 : 0);
        const int used = put_text(canvas, slot->row + i, column, width, slot->lines[i], style);
        const bool is_whole = shown_width(canvas, slot->lines[i]) <= width;
        if (is_cut && is_whole) put_text(canvas, slot->row + i, column + used + 1, 1, "…", BOLD);
    }
}

void draw_plain_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, PLAIN);
}

void draw_bold_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, BOLD);
}

// ---- Heading, explanation, formula ---------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->paragraph->title, screen->width);
}

const struct block heading_block = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};

static int want_prose(struct screen *screen, struct slot *slot) {
    const int width = screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS;
    return want_lines(screen, slot, screen->step->paragraph->explanation, width);
}

const struct block prose_block = {.wants = want_prose, .draw = draw_plain_lines};

enum { FORMULA_COLUMN = 4 };

static int want_formula(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->formula, screen->width - FORMULA_COLUMN);
}

static void draw_formula(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, FORMULA_COLUMN, BOLD);
}

const struct block formula_block = {.wants = want_formula, .draw = draw_formula, .likes_gap = true};

// ---- The source ---------------------------------------------------------------------------------

// Adds a line of code behind a mark to the slot's, wrapped under its own indent where it is too long.
// `count` is how many there are.
static void add_code(const struct screen *screen, struct slot *slot, int *count, const char *mark,
                     const char *line) {
    enum { HANG = 4, LEAST = 10 };
    struct arena *arena = screen->canvas->arena;
    const int blanks = (int)strlen(mark) + 2 + (int)strspn(line, " ");
    const int room = screen->width - blanks > LEAST ? screen->width - blanks : LEAST;
    char **parts;
    const int part_count = text_wrap(arena, line, room, &parts);
    for (int i = 0; i < part_count; i++) {
        slot->lines[(*count)++] = i == 0
                                      ? arena_format(arena, "%-*s%s", blanks, mark, parts[i])
                                      : arena_format(arena, "%*s%s", blanks + HANG, "", parts[i]);
    }
}

// The lines of C with their numbers, or those of PyTorch; both where there is room.
static int want_source(struct screen *screen, struct slot *slot) {
    const struct excerpt *excerpt = screen->step->excerpt;
    struct arena *arena = screen->canvas->arena;
    const bool is_tall = screen->canvas->rows >= TALL_ROWS;
    const bool has_pytorch = is_tall || screen->scene->state->shows_pytorch;
    const bool has_c = !screen->scene->state->shows_pytorch;
    if (shows_memory(screen) && !is_tall) return 0;
    const char *pytorch = step_pytorch(arena, screen->step);
    char **lines;
    int count = 0;
    slot->lines =
        arena_array(arena, 2 * (strlen(excerpt->text) + strlen(pytorch)) + 2, sizeof *slot->lines);
    const int c_count = has_c ? split_shown(screen->canvas, excerpt->text, &lines) : 0;
    for (int i = 0; i < c_count; i++)
        add_code(screen, slot, &count, arena_format(arena, "%4d", excerpt->first_line + i),
                 lines[i]);
    if (has_c && has_pytorch) slot->lines[count++] = "";
    const int pytorch_count = has_pytorch ? split_shown(screen->canvas, pytorch, &lines) : 0;
    for (int i = 0; i < pytorch_count; i++)
        add_code(screen, slot, &count, i == 0 ? "PyTorch" : "       ", lines[i]);
    return count;
}

// In place of the last line that fits, where there are more: how to see them.
static void draw_source(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    put_lines(screen, slot, 1, PLAIN);
    if (slot->rows < 2 || slot->rows == slot->wanted) return;
    const int row = slot->row + slot->rows - 1, more = slot->wanted - slot->rows + 1;
    put_blanks(canvas, row, 0, canvas->columns, PLAIN);
    put_text(canvas, row, 1, screen->width,
             arena_format(canvas->arena, "      … %d more lines (t shows all)", more), DIM);
}

const struct block source_block = {.wants = want_source, .draw = draw_source, .likes_gap = true};
