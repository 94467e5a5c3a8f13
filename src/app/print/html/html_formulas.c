// The cheat sheet in the HTML handout.

#include "app/print/html/html.h"
#include "show/markup.h"

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

void html_add_sheet_table(const struct document *document) {
    struct text *text = document->text;
    const struct sheet_table *table = document->table;
    text_add_format(text, "<h%d id=\"formulas-%d\">", document->level, document->table_number);
    markup_add(text, document->words);
    text_add_format(text, "</h%d>\n", document->level);
    if (table->introduction != NULL) {
        text_add(text, "<p>");
        markup_add(text, table->introduction);
        text_add(text, "</p>\n");
    }
    if (table->row_count == 0) return;
    text_add_format(text,
                    "<div class=\"scroll\"><table class=\"words\" "
                    "aria-labelledby=\"formulas-%d\">\n",
                    document->table_number);
    add_heads(text, table);
    text_add(text, "<tbody>\n");
    for (int i = 0; i < table->row_count; i++) add_row(text, table, &table->rows[i]);
    text_add(text, "</tbody></table></div>\n");
}
