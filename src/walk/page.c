#include "walk/page.h"

#include <string.h>

#include "base/text.h"
#include "show/sheet.h"
#include "trace/step.h"
#include "walk/screen.h"

enum { MOST_COLUMNS = 78, WIDEST_TABLE = 120 }; // wider lines are hard to read

struct page page_new(const struct canvas *canvas, const char *title) {
    return (struct page){.arena = canvas->arena, .canvas = canvas, .title = title};
}

void page_add_line(struct page *page, const char *line, struct style style) {
    const size_t used = (size_t)page->count * sizeof *page->lines;
    page->lines = arena_grow(page->arena, page->lines, used, sizeof *page->lines);
    page->lines[page->count++] = (struct line){line, style};
}

void page_add(struct page *page, const char *paragraph, int indent, struct style style) {
    int width = page->canvas->columns - 3;
    if (width > MOST_COLUMNS) width = MOST_COLUMNS;
    width = width - indent > 8 ? width - indent : 8;
    char **lines;
    const int count = wrap_shown(page->canvas, paragraph, width, &lines);
    for (int i = 0; i < count; i++)
        page_add_line(page, arena_format(page->arena, "%*s%s", indent, "", lines[i]), style);
    if (count == 0) page_add_line(page, "", style);
}

static int page_rows(const struct canvas *canvas) {
    return canvas->rows > 3 ? canvas->rows - 2 : 1;
}

int page_first(const struct page *page, int scroll) {
    const int last = page->count - page_rows(page->canvas);
    if (scroll > last) scroll = last;
    return scroll < 0 ? 0 : scroll;
}

void draw_page(struct canvas *canvas, const struct page *page, int scroll, enum mode mode) {
    const int rows = page_rows(canvas);
    const int first = page_first(page, scroll);
    const int last = first + rows < page->count ? first + rows : page->count;
    const char *place = page->count <= rows ? ""
                                            : arena_format(canvas->arena, "lines %d-%d of %d",
                                                           first + 1, last, page->count);
    draw_title(canvas, page->title, place);
    for (int i = first; i < last; i++) {
        const struct line *line = &page->lines[i];
        put_text(canvas, 1 + i - first, 1, canvas->columns - 2, line->text, line->style);
    }
    if (first > 0) put_text(canvas, 1, canvas->columns - 1, 1, "…", BOLD);
    if (last < page->count) put_text(canvas, rows, canvas->columns - 1, 1, "…", BOLD);
    put_cursor(canvas, 1, 1);
    draw_key_bar(canvas, mode);
}

// ---- Help ---------------------------------------------------------------------------------------

static const char *key_names(struct arena *arena, const struct binding *binding) {
    struct text text = text_new(arena);
    for (int i = 0; i < KEYS_PER_ACTION && binding->keys[i] != KEY_NOTHING; i++) {
        char buffer[5];
        text_add_format(&text, "%s%s", i > 0 ? "  " : "", key_text(binding->keys[i], buffer));
    }
    return text.bytes;
}

// "n  Space          next step", wrapped under its own words.
static void add_binding(struct page *page, const struct binding *binding) {
    enum { KEY_COLUMNS = 18, LEAST_WORDS = 16 };
    const int left = page->canvas->columns - 2 - KEY_COLUMNS;
    char **words;
    const int count =
        wrap_shown(page->canvas, binding->help, left > LEAST_WORDS ? left : LEAST_WORDS, &words);
    for (int i = 0; i < count; i++) {
        struct text line = text_new(page->arena);
        const char *keys = i == 0 ? shown(page->canvas, key_names(page->arena, binding)) : "";
        text_add_padded(&line, keys, KEY_COLUMNS - 2, false);
        text_add_format(&line, "  %s", words[i]);
        page_add_line(page, line.bytes, PLAIN);
    }
}

// The keys of a mode, but for those that it shares with another mode already explained.
static void add_bindings(struct page *page, enum mode mode, unsigned explained) {
    page_add(page, mode_name(mode), 0, BOLD);
    for (int i = 0; i < binding_count; i++) {
        if (!(bindings[i].modes & (unsigned)mode) || bindings[i].modes & explained) continue;
        add_binding(page, &bindings[i]);
    }
    page_add(page, "", 0, PLAIN);
}

static void add_legend(struct page *page) {
    const char *const lines[] = {
        "×  crossed out: -inf, or a 0 that a mask or dropout put there",
        "▸  an operand of the number that is asked about",
        page->canvas->look.is_ascii
            ? "!  not the number without the mistake (x), or not the course's (c compares)"
            : "≠  not the number without the mistake (x), or not the course's (c compares)",
        page->canvas->look.is_ascii ? ".  not computed yet (inside a step)"
                                    : "·  not computed yet (inside a step)",
        "?  hidden, to be estimated",
        page->canvas->look.is_ascii
            ? "~  something does not fit: move on, or make the terminal larger"
            : "…  something does not fit: move on, or make the terminal larger",
    };
    page_add(page, "Marks in a matrix", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_add(
        page,
        page->canvas->look.has_heat
            ? "Colours: from dark blue (least) over green to yellow (most); where there are "
              "numbers below 0, purple is negative, white is 0, orange is positive."
        : page->canvas->look.is_ascii
            ? "The character before a number, from blank over ' : ; = # & to @, grows darker "
              "with its size; where there are numbers below 0, with its distance from 0."
            : "The character before a number, from blank over ░ ▒ ▓ to █, grows darker with its "
              "size; where there are numbers below 0, with its distance from 0.",
        2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

static void add_lines_explained(struct page *page) {
    const char *const lines[] = {
        page->canvas->look.is_ascii ? "#*o!: the steps of the lesson: here, seen, not yet, changed "
                                      "by a mistake; | begins a "
                                      "new section"
                                    : "◆●○≠: the steps of the lesson: here, seen, not yet, changed "
                                      "by a mistake; │ begins a "
                                      "new section",
        "CHANGED: these are not the course's numbers: what was changed (u undoes it)",
        "(6, 6) query × key: the sizes of the tensor and what its dimensions mean; the last one "
        "runs "
        "along a row, the one before it down the rows",
        "batch 1, head 2 (. turns): which page of a tensor with more dimensions this is",
        "strides (6, 1): how many numbers on in memory the next row and the next column lie",
    };
    page_add(page, "Lines of the screen", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

struct page help_page(const struct canvas *canvas, enum mode mode) {
    struct page page = page_new(canvas, "Help");
    page_add(&page,
             "A lesson is a computation in steps. Each step shows what it is for, its formula, the "
             "tensor (the numbers) that it makes, and the lines of C that made it. Walk with n and "
             "b, look at single numbers with the arrow keys.",
             0, PLAIN);
    page_add(&page, "", 0, PLAIN);
    add_bindings(&page, mode, 0);
    add_legend(&page);
    add_lines_explained(&page);
    for (unsigned other = 1; other < MODE_END; other <<= 1) {
        const bool is_inside = other == MODE_INSIDE;
        if (other != (unsigned)mode)
            add_bindings(&page, (enum mode)other, is_inside ? (unsigned)MODE_STEP : 0);
    }
    return page;
}

// ---- The cheat sheet ----------------------------------------------------------------------------

// The table as this canvas can show it, so that its columns are measured as they will be.
static struct sheet_table shown_table(const struct canvas *canvas,
                                      const struct sheet_table *table) {
    struct sheet_table result = *table;
    struct sheet_row *rows = arena_array(canvas->arena, (size_t)table->row_count, sizeof *rows);
    for (int i = 0; i < table->row_count; i++) {
        for (int column = 0; column < table->column_count; column++)
            rows[i].cells[column] = shown(canvas, table->rows[i].cells[column]);
    }
    result.rows = rows;
    result.title = shown(canvas, table->title);
    if (table->introduction != NULL) result.introduction = shown(canvas, table->introduction);
    return result;
}

static void add_table(struct page *page, const struct sheet_table *table, int width) {
    struct text text = text_new(page->arena);
    const struct sheet_table fitting = shown_table(page->canvas, table);
    add_sheet(&text, 1, &fitting, width);
    bool is_title = true;
    for (const char *line = text.bytes; *line != '\0'; is_title = false) {
        const size_t length = strcspn(line, "\n");
        page_add_line(page, arena_copy_bytes(page->arena, line, length), is_title ? BOLD : PLAIN);
        line += length + (line[length] == '\n');
    }
    page_add(page, "", 0, PLAIN);
}

struct page sheet_page(const struct canvas *canvas, const struct trial *trial) {
    struct page page = page_new(canvas, "Cheat sheet");
    const int room = canvas->columns - 3;
    const struct sheet_table *tables;
    const int count = sheet_tables(canvas->arena, 1, trial, &tables);
    for (int i = 0; i < count; i++)
        add_table(&page, &tables[i], room < WIDEST_TABLE ? room : WIDEST_TABLE);
    return page;
}

// ---- The text of a step -------------------------------------------------------------------------

static void add_source(struct page *page, const struct excerpt *excerpt) {
    int number = excerpt->first_line;
    for (const char *text = excerpt->text; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = arena_copy_bytes(page->arena, text, length);
        page_add_line(page, arena_format(page->arena, "%4d  %s", number, line), PLAIN);
        text += length;
        if (*text == '\n') text++;
    }
}

struct page step_page(const struct canvas *canvas, const struct run *run, const struct step *step) {
    struct arena *arena = canvas->arena;
    struct page page = page_new(canvas, arena_format(arena, "%s, step %d: %s", run->lesson->title,
                                                     step->number, step_label(arena, step)));
    page_add(&page, step->paragraph->title, 0, BOLD);
    page_add(&page, step->paragraph->explanation, 0, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, "Formula", 0, BOLD);
    page_add(&page, step->formula, 2, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, "In PyTorch", 0, BOLD);
    page_add(&page, step_pytorch(arena, step), 2, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, arena_format(arena, "In C, %s", run->lesson->source->file), 0, BOLD);
    add_source(&page, step->excerpt);
    return page;
}
