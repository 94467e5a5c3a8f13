// The format `markdown`: a handout to go on writing (CommonMark, with the tables of GitHub and pandoc).

#include <string.h>

#include "app/print/document.h"
#include "show/paper.h"
#include "trace/run/step.h"

// ---- Words --------------------------------------------------------------------------------------

static const char *label(struct arena *arena, const char *string) {
    struct text text = text_new(arena);
    text_add(&text, "");
    add_label(&text, string);
    return text.bytes;
}

// ---- Tables -------------------------------------------------------------------------------------

// The fields of a table, padded so that the source can be read as well.
struct pipe_table {
    int64_t rows, columns;
    const char **fields; // row by row; row 0 is the header, column 0 the rows' labels
};

static const char **field(const struct pipe_table *table, int64_t row, int64_t column) {
    return &table->fields[row * table->columns + column];
}

static const char *corner(struct arena *arena, const struct leaf *leaf) {
    const char *rows = rows_name(leaf), *columns = columns_name(leaf);
    return arena_format(arena, "%s%s%s%s", rows != NULL ? rows : "", rows != NULL ? " ↓" : "",
                        columns != NULL && rows != NULL ? " " : "",
                        columns != NULL ? arena_format(arena, "%s →", columns) : "");
}

// Spaces that no program takes away, so that there is room to write "-0.0872" by hand.
#define FOUR_SPACES "\u00a0\u00a0\u00a0\u00a0"
static const char blank_field[] = FOUR_SPACES FOUR_SPACES FOUR_SPACES;

static struct pipe_table table_of_leaf(const struct document *d, const struct leaf *leaf) {
    struct arena *arena = d->text->arena;
    const char *name = d->step->name;
    const bool is_blank = d->selection->has_blank_values;
    struct pipe_table table = {.rows = leaf->rows + 1, .columns = leaf->columns + 1};
    table.fields = arena_array(arena, (size_t)(table.rows * table.columns), sizeof *table.fields);
    *field(&table, 0, 0) = corner(arena, leaf);
    for (int64_t column = 0; column < leaf->columns; column++) {
        const char *above = column_label(arena, leaf, column);
        *field(&table, 0, column + 1) = above != NULL ? label(arena, above) : "";
    }
    for (int64_t row = 0; row < leaf->rows; row++) {
        const char *before = row_label(arena, leaf, row);
        *field(&table, row + 1, 0) = label(arena, before != NULL ? before : name);
        for (int64_t column = 0; column < leaf->columns; column++) {
            struct cell cell;
            const bool is_cell = cell_on_leaf(leaf, row, column, &cell);
            *field(&table, row + 1, column + 1) = !is_cell ? "…"
                                                  : is_blank
                                                      ? blank_field
                                                      : paper_number(arena, leaf->paper, &cell);
        }
    }
    return table;
}

static int column_width(const struct pipe_table *table, int64_t column) {
    int widest = 3; // of the line below the header
    for (int64_t row = 0; row < table->rows; row++) {
        const int width = text_width(*field(table, row, column));
        if (width > widest) widest = width;
    }
    return widest;
}

static void add_table_row(struct text *text, const struct pipe_table *table, int64_t row) {
    for (int64_t column = 0; column < table->columns; column++) {
        text_add(text, column > 0 ? " | " : "| ");
        text_add_padded(text, *field(table, row, column), column_width(table, column), column > 0);
    }
    text_add(text, " |\n");
}

static void add_table(struct text *text, const struct pipe_table *table) {
    add_table_row(text, table, 0);
    for (int64_t column = 0; column < table->columns; column++) {
        text_add(text, column > 0 ? " | " : "| ");
        text_add_repeated(text, "-", column_width(table, column) - (column > 0));
        text_add(text, column > 0 ? ":" : "");
    }
    text_add(text, " |\n");
    for (int64_t row = 1; row < table->rows; row++) add_table_row(text, table, row);
    text_add(text, "\n");
}

// ---- Parts --------------------------------------------------------------------------------------

static void add_headline(const struct document *d, const char *headline) {
    text_add_repeated(d->text, "#", d->level);
    text_add(d->text, " ");
    add_prose(d->text, headline);
    text_add(d->text, "\n\n");
}

static void add_heading(const struct document *d) {
    add_headline(d, d->words);
}

static void add_title(const struct document *d) {
    if (d->selection->trial_count > 1) add_heading(d);
}

static void add_paragraph(const struct document *d) {
    add_prose(d->text, d->words);
    text_add(d->text, "\n\n");
}

// "Formula: `...`", with d->how before the colon.
static void add_code(const struct document *d) {
    if (strchr(d->words, '\n') == NULL)
        text_add_format(d->text, "%s: `%s`\n\n", d->how, d->words);
    else
        text_add_format(d->text, "%s:\n\n```python\n%s\n```\n\n", d->how, d->words);
}

// ---- Lessons ------------------------------------------------------------------------------------

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    text_add_format(d->text, "**Not the %s's numbers:** ", standard_of(d->trial->run.lesson));
    add_label(d->text, d->words);
    text_add(d->text, "\n\n");
}

static void add_mistake(const struct document *d) {
    const struct mistake *mistake = d->trial->mistakes[d->mistake];
    text_add(d->text, "**What if:** ");
    add_prose(d->text, arena_format(d->text->arena, "%s (%s). %s\n\n", mistake->title,
                                    mistake->name, mistake_text(d)));
}

// ---- Steps --------------------------------------------------------------------------------------

static void add_step(const struct document *d) {
    struct arena *arena = d->text->arena;
    const char *name = d->words != NULL ? d->words : step_label(arena, d->step);
    add_headline(d, arena_format(arena, "%d. %s", d->step->number, name));
}

// Behind the backticks stands the language alone: more of it is read by some programs, and breaks others.
static void add_source(const struct document *d) {
    const struct excerpt *excerpt = d->step->excerpt;
    text_add_format(d->text, "In C (`%s`, from line %d):\n\n```c\n%s```\n\n",
                    d->step->paragraph->file, excerpt->first_line, d->words);
}

static void add_pytorch(const struct document *d) {
    text_add_format(d->text, "In PyTorch:\n\n```python\n%s\n```\n\n", d->words);
}

static void add_wrong(const struct document *d) {
    text_add(d->text, "**The mistake, in PyTorch:** ");
    add_prose(d->text, d->words);
    text_add(d->text, "\n\n");
}

static void add_lines(const struct document *d) {
    text_add_format(d->text,
                    "**The mistake, in PyTorch:** the lesson's lines (-), and those that ran in "
                    "their place (+)\n\n```diff\n%s```\n\n",
                    d->words);
}

static void add_layout(const struct document *d) {
    text_add_format(d->text, "`%s`, ", step_label(d->text->arena, d->step));
    add_paragraph(d);
}

static void add_tensor(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct paper paper = paper_of(arena, &d->step->tensor, d->selection->digits);
    const char *note = paper_note(arena, &paper);
    if (note != NULL) text_add_format(d->text, "%s\n\n", note);
    for (int64_t i = 0; i < paper.leaves; i++) {
        const struct leaf leaf = leaf_at(&paper, i);
        const char *title = leaf_title(arena, &leaf);
        if (title != NULL) text_add_format(d->text, "%s:\n\n", label(arena, title));
        const struct pipe_table table = table_of_leaf(d, &leaf);
        add_table(d->text, &table);
    }
}

// ---- The cheat sheet ----------------------------------------------------------------------------

static void add_sheet_row(struct text *text, const char *const *cells, int count) {
    for (int i = 0; i < count; i++) {
        text_add(text, i > 0 ? " | " : "| ");
        add_prose(text, cells[i] != NULL ? cells[i] : "");
    }
    text_add(text, " |\n");
}

static void add_sheet_table(const struct document *d) {
    const struct sheet_table *table = d->table;
    add_heading(d);
    if (table->introduction != NULL) {
        add_prose(d->text, table->introduction);
        text_add(d->text, "\n\n");
    }
    add_sheet_row(d->text, table->heads, table->column_count);
    text_add_repeated(d->text, "| --- ", table->column_count);
    text_add(d->text, "|\n");
    for (int i = 0; i < table->row_count; i++)
        add_sheet_row(d->text, table->rows[i].cells, table->column_count);
    text_add(d->text, "\n");
}

// ---- The document -------------------------------------------------------------------------------

// A file ends with one newline.
static void cut_blank_lines(const struct document *d) {
    struct text *text = d->text;
    while (text->length > 1 && text->bytes[text->length - 2] == '\n')
        text->bytes[--text->length] = '\0';
}

static const struct print_part parts[PART_COUNT] = {
    [PART_BEGIN] = {add_title, NULL},
    [PART_LESSON] = {add_heading, NULL},
    [PART_SUMMARY] = {add_paragraph, NULL},
    [PART_BOOK] = {add_paragraph, NULL},
    [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_MISTAKE] = {add_mistake, NULL},
    [PART_SETUP_LINES] = {add_lines, NULL},
    [PART_SECTION] = {add_heading, NULL},
    [PART_STEP] = {add_step, NULL},
    [PART_EXPLANATION] = {add_paragraph, NULL},
    [PART_FORMULA] = {add_code, "Formula"},
    [PART_WRONG] = {add_wrong, NULL},
    [PART_LINES] = {add_lines, NULL},
    [PART_SOURCE] = {add_source, NULL},
    [PART_PYTORCH] = {add_pytorch, NULL},
    [PART_LAYOUT] = {add_layout, NULL},
    [PART_TENSOR] = {add_tensor, NULL},
    [PART_SHEET] = {add_heading, NULL},
    [PART_SHEET_TABLE] = {add_sheet_table, NULL},
    [PART_END] = {cut_blank_lines, NULL},
};

void add_markdown(struct text *text, const struct selection *selection) {
    add_document(text, selection, parts, NULL);
}
