// The cheat sheet in the HTML handout.

#include "app/print/html.h"
#include "show/markup.h"
#include "show/sheet.h"

static void add_row(struct text *text, const struct sheet_table *table,
                    const struct sheet_row *row) {
    text_add(text, "<tr>");
    for (int column = 0; column < table->column_count; column++) {
        const char *cell = row->cells[column] != NULL ? row->cells[column] : "";
        text_add(text, column == 0 ? "<th scope=\"row\">" : "<td>");
        markup_add(text, cell);
        text_add(text, column == 0 ? "</th>" : "</td>");
    }
    text_add(text, "</tr>\n");
}

static void add_heads(struct text *text, const struct sheet_table *table) {
    bool has_heads = false;
    for (int i = 0; i < table->column_count; i++) has_heads = has_heads || table->heads[i] != NULL;
    if (!has_heads) return;
    text_add(text, "<thead><tr>");
    for (int i = 0; i < table->column_count; i++) {
        text_add(text, "<th scope=\"col\">");
        markup_add(text, table->heads[i] != NULL ? table->heads[i] : "");
        text_add(text, "</th>");
    }
    text_add(text, "</tr></thead>\n");
}

static void add_table(struct text *text, const struct sheet_table *table, int number, int level) {
    text_add_format(text, "<h%d id=\"formulas-%d\">", level, number);
    markup_add(text, table->title);
    text_add_format(text, "</h%d>\n", level);
    if (table->introduction != NULL) {
        text_add(text, "<p>");
        markup_add(text, table->introduction);
        text_add(text, "</p>\n");
    }
    if (table->row_count == 0) return;
    text_add_format(text,
                    "<div class=\"scroll\"><table class=\"words\" "
                    "aria-labelledby=\"formulas-%d\">\n",
                    number);
    add_heads(text, table);
    text_add(text, "<tbody>\n");
    for (int i = 0; i < table->row_count; i++) add_row(text, table, &table->rows[i]);
    text_add(text, "</tbody></table></div>\n");
}

void html_add_formulas(struct text *text, int trial_count, const struct trial *trials) {
    const struct sheet_table *tables;
    const int count = sheet_tables(text->arena, trial_count, trials, &tables);
    text_add(text, "<section class=\"lesson\" aria-labelledby=\"formulas\">\n"
                   "<h2 id=\"formulas\">Cheat sheet</h2>\n");
    for (int i = 0; i < count; i++) add_table(text, &tables[i], i + 1, 3);
    text_add(text, "</section>\n");
}
