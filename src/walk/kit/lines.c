#include "walk/kit/lines.h"

#include <string.h>

#include "base/text.h"
#include "walk/kit/cells.h"

void note_line(struct canvas *canvas, struct noted_line line) {
    struct noted *noted = canvas->noted;
    if (noted == NULL) return;
    const size_t used = (size_t)noted->count * sizeof *noted->lines;
    noted->lines = arena_grow(canvas->arena, noted->lines, used, sizeof *noted->lines);
    noted->lines[noted->count++] = line;
}

void note_words(struct canvas *canvas, const char *words, struct style style) {
    note_line(canvas, (struct noted_line){.text = words, .style = style, .is_words = true});
}

void draw_title(struct canvas *canvas, const char *left, const char *right) {
    if (canvas->noted != NULL) canvas->noted->title = left, canvas->noted->right = right;
    put_blanks(canvas, 0, 0, canvas->columns, REVERSE);
    int room = canvas->columns - 2 - shown_width(canvas, right);
    if (room < 0) room = 0;
    put_text(canvas, 0, 1, room - 1, left, REVERSE);
    put_right(canvas, 0, room, canvas->columns - 1 - room, right, REVERSE);
}

static const char *label_here(const struct binding *binding, const struct key_hint *hint) {
    const bool is_special = binding->action == hint->helps && hint->label != NULL;
    return is_special ? hint->label : binding->label;
}

static int weight_of(const struct binding *binding, const struct key_hint *hint) {
    enum { OFFERED_NOW = 89, HEAVIEST = 1000 };
    if (binding->weight == 0) return OFFERED_NOW;
    return binding->action == hint->helps ? HEAVIEST : binding->weight;
}

// Chooses the heaviest that fit into the row: for each binding, is it among them?
static const bool *choose_keys(struct canvas *canvas, enum view_bit view,
                               const struct key_hint *hint, unsigned offered) {
    bool *chosen = arena_array(canvas->arena, (size_t)binding_count, sizeof *chosen);
    int room = canvas->columns;
    for (;;) {
        int best = -1;
        for (int i = 0; i < binding_count; i++) {
            const struct binding *binding = &bindings[i];
            const bool is_offered =
                binding->label != NULL &&
                (binding->weight > 0 || (offered & OFFERED(binding->action)) != 0);
            const bool fits =
                binding->views & (unsigned)view && is_offered &&
                binding->action != hint->does_nothing && !chosen[i] &&
                (!hint->only_closes || binding->action == ACT_CLOSE || binding->action == ACT_HELP);
            if (fits && (best < 0 || weight_of(binding, hint) > weight_of(&bindings[best], hint)))
                best = i;
        }
        if (best < 0) return chosen;
        char buffer[5]; // "n next"
        const char *key = key_text(bindings[best].keys[0], buffer);
        const char *label = label_here(&bindings[best], hint);
        room -= shown_width(canvas, arena_format(canvas->arena, "%s %s", key, label)) + 2;
        if (room < -1) return chosen;
        chosen[best] = true;
    }
}

void draw_key_bar(struct canvas *canvas, enum view_bit view) {
    const struct key_hint no_hint = {ACT_NOTHING, NULL, ACT_NOTHING, false};
    draw_key_bar_here(canvas, view, &no_hint);
}

void draw_key_bar_here(struct canvas *canvas, enum view_bit view, const struct key_hint *hint) {
    draw_key_bar_offering(canvas, view, hint, 0);
}

void draw_key_bar_offering(struct canvas *canvas, enum view_bit view, const struct key_hint *hint,
                           unsigned offered) {
    if (canvas->look.has_buttons) return; // they stand elsewhere
    const bool *chosen = choose_keys(canvas, view, hint, offered);
    int column = 0;
    for (int i = 0; i < binding_count; i++) {
        if (!chosen[i]) continue;
        char buffer[5];
        const char *key = shown(canvas, key_text(bindings[i].keys[0], buffer));
        const int row = canvas->rows - 1, first = column;
        column += put_text(canvas, row, column, canvas->columns - column, key, BOLD) + 1;
        const char *label = label_here(&bindings[i], hint);
        column += put_text(canvas, row, column, canvas->columns - column, label,
                           label == bindings[i].label ? PLAIN : BOLD);
        put_spot(canvas,
                 (struct spot){row, first, column - first, SPOT_KEY, (int)bindings[i].keys[0]});
        column += 2;
    }
}

// ---- A list -------------------------------------------------------------------------------------

enum { MORE_COLUMN = 34, WITH_MORE = 60 };

void mark_more(struct canvas *canvas, const struct area *area, int first, int count) {
    if (first > 0) put_text(canvas, area->row, area->column, 1, "…", BOLD);
    if (first + area->rows < count)
        put_text(canvas, area->row + area->rows - 1, area->column, 1, "…", BOLD);
}

void draw_choices(struct canvas *canvas, const struct choice *choices, int count, int chosen) {
    const int rows = canvas->rows - 2;
    const int first = (int)first_visible(chosen, count, rows);
    for (int i = 0; i < count; i++)
        note_line(canvas, (struct noted_line){.text = choices[i].text,
                                              .more = choices[i].more,
                                              .style = choices[i].style,
                                              .is_choice = true,
                                              .is_chosen = i == chosen,
                                              .number = i});
    for (int i = 0; i < rows && first + i < count; i++) {
        const struct choice *choice = &choices[first + i];
        const bool is_chosen = first + i == chosen;
        const int row = 1 + i;
        struct style style = choice->style;
        style.reverse = is_chosen;
        if (is_chosen) put_blanks(canvas, row, 0, canvas->columns, REVERSE);
        const int used = put_text(canvas, row, 1, canvas->columns - 2, choice->text, style);
        const int column = used + 3 > MORE_COLUMN ? used + 3 : MORE_COLUMN;
        if (choice->more != NULL && canvas->columns >= WITH_MORE)
            put_text(canvas, row, column, canvas->columns - column - 1, choice->more,
                     is_chosen ? REVERSE : DIM);
        put_line_spot(canvas, &(struct area){row, 0, 1, canvas->columns}, first + i, is_chosen);
    }
    if (count > 0) put_cursor(canvas, 1 + chosen - first, 1);
    mark_more(canvas, &(struct area){1, canvas->columns - 1, rows, 1}, first, count);
}

// ---- A page -------------------------------------------------------------------------------------

enum { MOST_COLUMNS = 78 }; // wider lines are hard to read
enum { OVERLAP = 2 };       // of two screens of a list

struct page page_new(const struct canvas *canvas, const char *title) {
    return (struct page){.arena = canvas->arena, .canvas = canvas, .title = title};
}

void page_add_line(struct page *page, const char *line, struct style style) {
    const size_t used = (size_t)page->count * sizeof *page->lines;
    page->lines = arena_grow(page->arena, page->lines, used, sizeof *page->lines);
    page->lines[page->count++] = (struct page_line){.text = line, .style = style};
}

void page_add(struct page *page, const char *paragraph, int indent, struct style style) {
    int width = page->canvas->columns - 3;
    if (width > MOST_COLUMNS) width = MOST_COLUMNS;
    width = width - indent > 8 ? width - indent : 8;
    char **lines;
    const int count = wrap_shown(page->canvas, paragraph, width, &lines);
    for (int i = 0; i < count; i++) {
        page_add_line(page, arena_format(page->arena, "%*s%s", indent, "", lines[i]), style);
        page->lines[page->count - 1].is_words = true;
        page->lines[page->count - 1].goes_on = i > 0;
    }
    if (count == 0) page_add_line(page, "", style);
}

static int page_rows(const struct canvas *canvas) {
    return canvas->rows > 3 ? canvas->rows - 2 : 1;
}

void page_break(struct page *page) {
    const int rows = page_rows(page->canvas);
    while (page->count % rows != 0) page_add(page, "", 0, PLAIN);
}

void page_keep(struct page *page, int first) {
    const int rows = page_rows(page->canvas), lines = page->count - first;
    const int used = first % rows;
    if (used == 0) return;
    const bool is_split = used + 1 + lines > rows;
    const int blanks = is_split && (lines <= rows || used + 2 >= rows) ? rows - used : 1;
    for (int i = 0; i < blanks; i++) page_add(page, "", 0, PLAIN);
    memmove(&page->lines[first + blanks], &page->lines[first], (size_t)lines * sizeof *page->lines);
    for (int i = 0; i < blanks; i++) page->lines[first + i] = (struct page_line){.text = ""};
}

void scroll_page(struct walker *walker, void *view_state, const struct pressed *pressed) {
    (void)walker;
    struct scrolled *scrolled = view_state;
    const enum action action = pressed->action;
    const bool is_screen = action == ACT_SCROLL_DOWN || action == ACT_SCROLL_UP;
    const int more = is_screen ? OVERLAP : 0; // lists keep so many lines in sight; pages are turned
    scrolled->first += lines_moved(pressed) + (action == ACT_SCROLL_UP ? -more : more);
    if (scrolled->first < 0) scrolled->first = 0;
}

void draw_page(struct canvas *canvas, const struct page *page, struct scrolled *scrolled,
               enum view_bit view) {
    const int rows = page_rows(canvas);
    if (scrolled->first > page->count - rows) scrolled->first = page->count - rows;
    if (scrolled->first < 0) scrolled->first = 0;
    const int first = scrolled->first;
    const int last = first + rows < page->count ? first + rows : page->count;
    const char *at =
        page->count <= rows ? ""
        : first % rows == 0 && page->count % rows == 0
            ? arena_format(canvas->arena, "page %d of %d", first / rows + 1, page->count / rows)
            : arena_format(canvas->arena, "lines %d-%d of %d", first + 1, last, page->count);
    draw_title(canvas, page->title, canvas->noted != NULL ? "" : at);
    for (int i = 0; i < page->count; i++) {
        const struct page_line *line = &page->lines[i];
        note_line(canvas, (struct noted_line){.text = line->text,
                                              .style = line->style,
                                              .key = line->key,
                                              .is_words = line->is_words,
                                              .goes_on = line->goes_on});
    }
    for (int i = first; i < last; i++) {
        const struct page_line *line = &page->lines[i];
        put_text(canvas, 1 + i - first, 1, canvas->columns - 2, line->text, line->style);
        if (line->key != KEY_NOTHING)
            put_spot(canvas, (struct spot){1 + i - first, 1, canvas->columns - 2, SPOT_KEY,
                                           (int)line->key});
    }
    mark_more(canvas, &(struct area){1, canvas->columns - 1, rows, 1}, first, page->count);
    put_cursor(canvas, 1, 1);
    draw_key_bar(canvas, view);
}
