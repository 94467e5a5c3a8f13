// Blocks of text: what the lesson says of a step.

#include "walk/blocks/blocks.h"

#include <string.h>

#include "base/text.h"
#include "show/recap.h"
#include "trace/step.h"

int want_lines(const struct screen *screen, struct slot *slot, const char *paragraph, int width) {
    return wrap_shown(screen->canvas, paragraph, width, &slot->lines);
}

void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style) {
    struct canvas *canvas = screen->canvas;
    const int count = slot->rows < slot->wanted ? slot->rows : slot->wanted;
    for (int i = 0; i < count; i++)
        put_text(canvas, slot->row + i, column, canvas->columns - column, slot->lines[i], style);
}

void draw_plain_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, PLAIN);
}

void draw_bold_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, BOLD);
}

static int prose_width(const struct screen *screen) {
    return screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS;
}

// Did mistakes change the numbers of the step; were they made in its own lines?
static bool is_touched_here(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    return trial->touched != NULL && trial->touched[screen->scene->state->step];
}

static bool is_mistaken_here(const struct screen *screen) {
    return is_mistaken(screen->scene->trial, screen->scene->state->step);
}

// ---- What the lesson is for -----------------------------------------------------------------------

// At the first step, where all of it fits; the text of that step (t) has it anyway.
static int want_opening(struct screen *screen, struct slot *slot) {
    enum { LEAST_ROWS_FOR_OPENING = 18 };
    const bool is_first = screen->stop.first == 0;
    if (!is_first || screen->canvas->rows < LEAST_ROWS_FOR_OPENING) return 0;
    const char *words = opening_text(screen->canvas->arena, screen->scene->run->lesson);
    return want_lines(screen, slot, words, prose_width(screen));
}

static void draw_opening(struct screen *screen, const struct slot *slot) {
    if (slot->rows < slot->wanted) return;
    put_lines(screen, slot, 1, PLAIN);
}

const struct block opening_block = {.wants = want_opening, .draw = draw_opening, .likes_gap = true};

// ---- Heading, explanation, formula ---------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->paragraph->title, screen->width);
}

// Behind the words that stand here, where there are more.
#define MORE "  [t: more]"

// Where no row is left for the explanation, nor a nook, the heading says how to read it. `room` columns are left in its
// last row.
static void draw_more(struct screen *screen, const struct slot *slot, int room) {
    const struct slot *words = &screen->slots[SLOT_WORDS];
    const bool is_prose = words->block != NULL && words->block->may_be_cut && words->wanted > 0;
    const struct area nook = nook_beside(screen);
    if (!is_prose || words->rows > 0 || nook.rows * nook.columns > 0) return;
    if (slot->rows < slot->wanted || shown_width(screen->canvas, MORE) > room) return;
    const int row = slot->rows - 1, used = shown_width(screen->canvas, slot->lines[row]);
    put_text(screen->canvas, slot->row + row, 1 + used, room, MORE, DIM);
}

// At the right, which page this is.
static void draw_heading(struct screen *screen, const struct slot *slot) {
    draw_bold_lines(screen, slot);
    if (slot->rows == 0) return;
    const char *which = which_text(screen);
    const bool is_shown = which != NULL && has_room_beside_heading(screen, which);
    const int width = screen->width,
              used = shown_width(screen->canvas, slot->lines[slot->rows - 1]);
    if (is_shown) put_right(screen->canvas, slot->row, 1, width, which, BOLD);
    draw_more(screen, slot, width - used - (is_shown ? shown_width(screen->canvas, which) + 2 : 0));
}

const struct block heading_block = {.wants = want_heading, .draw = draw_heading, .likes_gap = true};

static int want_prose(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->paragraph->explanation, prose_width(screen));
}

// The first sentences of the explanation that fit into so many lines, and how to read the others.
static const char *fitting_sentences(const struct screen *screen, int width, int rows) {
    struct arena *arena = screen->canvas->arena;
    const char *all = screen->step->paragraph->explanation, *fitting = "";
    for (const char *end = all; (end = strstr(end, ". ")) != NULL; end++) {
        const char *words = arena_format(arena, "%.*s" MORE, (int)(end + 1 - all), all);
        char **lines;
        if (wrap_shown(screen->canvas, words, width, &lines) > rows) break;
        fitting = words;
    }
    return *fitting != '\0' ? fitting : "[t: what there is to say of this step]";
}

// Words are cut between two sentences. Where there is more room beside the matrices than above them, they
// stand there.
static void draw_prose(struct screen *screen, const struct slot *slot) {
    const struct style style =
        is_touched_here(screen) ? DIM : PLAIN; // it speaks of the right numbers
    if (slot->rows >= slot->wanted) {
        put_lines(screen, slot, 1, style);
        return;
    }
    const struct area nook = nook_beside(screen);
    struct area area = {slot->row, 1, slot->rows, prose_width(screen)};
    if (nook.rows * nook.columns > area.rows * area.columns) area = nook;
    struct slot fitting = {.row = area.row, .rows = area.rows};
    const char *all = screen->step->paragraph->explanation;
    fitting.wanted = want_lines(screen, &fitting, all, area.columns);
    if (fitting.wanted > fitting.rows)
        fitting.wanted = want_lines(
            screen, &fitting, fitting_sentences(screen, area.columns, area.rows), area.columns);
    put_lines(screen, &fitting, area.column, style);
}

const struct block prose_block = {.wants = want_prose, .draw = draw_prose, .may_be_cut = true};

enum { FORMULA_COLUMN = 4 };

static int want_formula(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->formula, screen->width - FORMULA_COLUMN);
}

static void draw_formula(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, FORMULA_COLUMN, is_mistaken_here(screen) ? DIM : BOLD);
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

// What is done here in the place of the right line: the mistakes that are made.
static int add_mistakes(const struct screen *screen, struct slot *slot, int count) {
    const struct trial *trial = screen->scene->trial;
    for (int i = 0; i < trial->mistake_count && is_mistaken_here(screen); i++) {
        const char *mark = screen->canvas->look.is_ascii ? "! wrong" : "≠ wrong";
        add_code(screen, slot, &count, mark, shown(screen->canvas, trial->mistakes[i]->pytorch));
    }
    return count;
}

// The line in PyTorch.
static int add_pytorch(const struct screen *screen, struct slot *slot, int count) {
    char **lines;
    const char *statement = step_pytorch(screen->canvas->arena, screen->step);
    const int line_count = split_shown(screen->canvas, statement, &lines);
    const char *mark = is_mistaken_here(screen) ? "right  " : "PyTorch";
    for (int i = 0; i < line_count; i++)
        add_code(screen, slot, &count, i == 0 ? mark : "       ", lines[i]);
    return count;
}

// The lines of C with their numbers.
static int add_c(const struct screen *screen, struct slot *slot, int count) {
    char **lines;
    const struct excerpt *excerpt = screen->step->excerpt;
    const int line_count = split_shown(screen->canvas, excerpt->text, &lines);
    for (int i = 0; i < line_count; i++)
        add_code(screen, slot, &count,
                 arena_format(screen->canvas->arena, "%4d", excerpt->first_line + i), lines[i]);
    return count;
}

static size_t most_lines(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    size_t most = strlen(screen->step->excerpt->text) +
                  strlen(step_pytorch(screen->canvas->arena, screen->step)) + 1;
    for (int i = 0; i < trial->mistake_count; i++) most += strlen(trial->mistakes[i]->pytorch);
    return 2 * most;
}

// What the reader knows comes first, PyTorch or C; the other below it, where there is room. Where a mistake
// is made, it stands above the right line, which is dim then.
static int want_source(struct screen *screen, struct slot *slot) {
    const bool is_tall = screen->canvas->rows >= TALL_ROWS, has_c = screen->scene->state->shows_c;
    if (shows_memory(screen) && !is_tall) return 0;
    slot->lines = arena_array(screen->canvas->arena, most_lines(screen), sizeof *slot->lines);
    const int wrong = add_mistakes(screen, slot, 0);
    slot->needed = wrong > 0 ? wrong + 1 : 0;
    slot->lead = has_c ? add_c(screen, slot, wrong) : add_pytorch(screen, slot, wrong);
    if (!is_tall) return slot->lead;
    slot->lines[slot->lead] = "";
    return has_c ? add_pytorch(screen, slot, slot->lead + 1) : add_c(screen, slot, slot->lead + 1);
}

// Of a statement with more lines than rows the last ones stay, which make the step's tensor; of what comes
// second the first.
static void draw_source(struct screen *screen, const struct slot *slot) {
    if (slot->lines == NULL) return; // nothing to show
    struct canvas *canvas = screen->canvas;
    const int wrong = slot->needed > 0 ? slot->needed - 1 : 0;
    struct slot head = *slot, part = *slot;
    head.rows = wrong < slot->rows ? wrong : slot->rows;
    put_lines(screen, &head, 1, BOLD);
    part.row += head.rows;
    part.rows -= head.rows;
    part.lines += wrong;
    part.wanted -= wrong;
    const int lead = slot->lead - wrong;
    if (part.rows <= 0) return;
    if (part.rows < lead) {
        part.lines += lead - part.rows;
        part.wanted = part.rows;
    }
    put_lines(screen, &part, 1, is_touched_here(screen) && wrong > 0 ? DIM : PLAIN);
    if (part.rows >= lead) return;
    const char *note = arena_format(canvas->arena, "[t: all %d lines]", lead);
    const int left = screen->width - shown_width(canvas, part.lines[0]) - 2;
    if (shown_width(canvas, note) <= left)
        put_right(canvas, part.row, canvas->columns - 1 - left, left, note, DIM);
}

const struct block source_block = {.wants = want_source, .draw = draw_source, .likes_gap = true};
