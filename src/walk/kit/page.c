#include "walk/kit/page.h"

#include <string.h>

#include "base/text.h"
#include "walk/kit/bar.h"
#include "walk/kit/spots.h"

enum { MOST_COLUMNS = 78 }; // wider lines are hard to read
enum { OVERLAP = 2 };       // of two screens of a list

struct page page_new(const struct canvas *canvas, const char *title) {
    return (struct page){.arena = canvas->arena, .canvas = canvas, .title = title};
}

void page_add_line(struct page *page, const char *line, struct style style) {
    const size_t used = (size_t)page->count * sizeof *page->lines;
    page->lines = arena_grow(page->arena, page->lines, used, sizeof *page->lines);
    page->lines[page->count++] = (struct page_line){line, style, KEY_NOTHING};
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

void page_break(struct page *page) {
    const int rows = page_rows(page->canvas);
    while (page->count % rows != 0) page_add(page, "", 0, PLAIN);
}

// Puts blank lines before those from `first` on.
static void insert_blanks(struct page *page, int first, int count) {
    const int lines = page->count - first;
    for (int i = 0; i < count; i++) page_add(page, "", 0, PLAIN);
    memmove(&page->lines[first + count], &page->lines[first], (size_t)lines * sizeof *page->lines);
    for (int i = 0; i < count; i++) page->lines[first + i] = (struct page_line){.text = ""};
}

void page_keep(struct page *page, int first) {
    const int rows = page_rows(page->canvas), lines = page->count - first;
    const int used = first % rows;
    if (used == 0) return;
    const bool is_split = used + 1 + lines > rows;
    insert_blanks(page, first, is_split && (lines <= rows || used + 2 >= rows) ? rows - used : 1);
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
    const char *place =
        page->count <= rows ? ""
        : first % rows == 0 && page->count % rows == 0
            ? arena_format(canvas->arena, "page %d of %d", first / rows + 1, page->count / rows)
            : arena_format(canvas->arena, "lines %d-%d of %d", first + 1, last, page->count);
    draw_title(canvas, page->title, place);
    for (int i = first; i < last; i++) {
        const struct page_line *line = &page->lines[i];
        put_text(canvas, 1 + i - first, 1, canvas->columns - 2, line->text, line->style);
        if (line->key != KEY_NOTHING)
            put_spot(canvas, (struct spot){1 + i - first, 1, canvas->columns - 2, SPOT_KEY,
                                           (int)line->key});
    }
    if (first > 0) put_text(canvas, 1, canvas->columns - 1, 1, "…", BOLD);
    if (last < page->count) put_text(canvas, rows, canvas->columns - 1, 1, "…", BOLD);
    put_cursor(canvas, 1, 1);
    draw_key_bar(canvas, view);
}
