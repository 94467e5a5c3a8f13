// The cheat sheet, with the shapes of the lesson that is open.

#include "show/sheet.h"
#include "base/text.h"
#include "walk/kit/lines.h"
#include "walk/walker.h"

enum { WIDEST_TABLE = 120 };

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
    char **lines;
    const int count = split_shown(page->canvas, text.bytes, &lines);
    for (int i = 0; i < count; i++) page_add_line(page, lines[i], i == 0 ? BOLD : PLAIN);
    page_add(page, "", 0, PLAIN);
}

static void draw_cheat_sheet(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct page page = page_new(canvas, "Cheat sheet");
    const int room = canvas->columns - 3;
    const struct sheet_table *tables;
    const int count = sheet_tables(canvas->arena, 1, &walker->trial, &tables);
    for (int i = 0; i < count; i++)
        add_table(&page, &tables[i], room < WIDEST_TABLE ? room : WIDEST_TABLE);
    draw_page(canvas, &page, view_state, VIEW_SHEET);
}

const struct walk_view sheet_view = {
    .bit = VIEW_SHEET,
    .name = "In the cheat sheet",
    .opened_by = ACT_SHEET,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw_cheat_sheet,
};
