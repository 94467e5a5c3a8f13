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

// A numbered line of C, wrapped under its own indent where it is too long. Returns how many it takes.
static int number_line(const struct screen *screen, int number, const char *line, char **lines) {
    struct arena *arena = screen->canvas->arena;
    const int indent = (int)strspn(line, " ");
    const int room = screen->width - 6 > 10 ? screen->width - 6 : 10;
    char **parts;
    const int count = text_wrap(arena, line, room - indent > 10 ? room - indent : 10, &parts);
    for (int i = 0; i < count; i++) {
        const char *mark = i == 0 ? arena_format(arena, "%4d", number) : "    ";
        lines[i] =
            arena_format(arena, "%s  %*s%s%s", mark, indent, "", i == 0 ? "" : "    ", parts[i]);
    }
    return count;
}

static int want_source(struct screen *screen, struct slot *slot) {
    const struct canvas *canvas = screen->canvas;
    const struct excerpt *excerpt = screen->step->excerpt;
    struct arena *arena = canvas->arena;
    const bool is_tall = canvas->rows >= TALL_ROWS;
    if (shows_memory(screen) && !is_tall) return 0;
    char *pytorch = arena_format(arena, "PyTorch  %s", step_pytorch(arena, screen->step));
    if (screen->scene->state->shows_pytorch)
        return want_lines(screen, slot, pytorch, screen->width);
    const int numbered = excerpt->last_line - excerpt->first_line + 1;
    slot->lines =
        arena_array(arena, strlen(excerpt->text) + (size_t)numbered + 2, sizeof *slot->lines);
    int count = 0, number = excerpt->first_line;
    for (const char *text = excerpt->text; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = shown(canvas, arena_copy_bytes(arena, text, length));
        count += number_line(screen, number, line, &slot->lines[count]);
        text += length;
        if (*text == '\n') text++;
    }
    if (!is_tall) return count;
    slot->lines[count] = "";
    slot->lines[count + 1] = pytorch;
    return count + 2;
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
