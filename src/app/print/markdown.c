// The format `markdown`: a handout to go on writing (CommonMark, with the tables of GitHub and pandoc).

#include <string.h>

#include "app/print/print.h"
#include "app/what_if.h"
#include "show/paper.h"
#include "show/sheet.h"
#include "trace/step.h"

// ---- Words --------------------------------------------------------------------------------------

// Adds text in which nothing is markup: a backslash goes before each of `specials`.
static void add_escaped(struct text *text, const char *string, const char *specials) {
    for (const char *c = string; *c != '\0'; c++) {
        if (strchr(specials, *c) != NULL) text_add(text, "\\");
        text_add_bytes(text, c, 1);
    }
}

static void add_prose(struct text *text, const char *string) {
    add_escaped(text, string, "\\`*_[]<>|~$&#");
}

// A label may come from a file: all punctuation is escaped, so that it can't even become a link.
static void add_label(struct text *text, const char *string) {
    add_escaped(text, string, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
}

static const char *label(struct arena *arena, const char *string) {
    struct text text = text_new(arena);
    text_add(&text, "");
    add_label(&text, string);
    return text.bytes;
}

static void add_code(struct text *text, const char *code) {
    text_add_format(text, "`%s`", code);
}

static void add_heading(struct text *text, int level, const char *heading) {
    text_add_repeated(text, "#", level);
    text_add(text, " ");
    add_prose(text, heading);
    text_add(text, "\n\n");
}

// ---- Tables -------------------------------------------------------------------------------------

// The fields of a table, padded so that the source can be read as well.
struct grid {
    int64_t rows, columns;
    const char **fields; // row by row; row 0 is the header, column 0 the rows' labels
};

static const char **field(const struct grid *grid, int64_t row, int64_t column) {
    return &grid->fields[row * grid->columns + column];
}

static const char *corner(struct arena *arena, const struct leaf *leaf) {
    const char *rows = rows_name(leaf), *columns = columns_name(leaf);
    return arena_format(arena, "%s%s%s%s", rows != NULL ? rows : "", rows != NULL ? " ↓" : "",
                        columns != NULL && rows != NULL ? " " : "",
                        columns != NULL ? arena_format(arena, "%s →", columns) : "");
}

static struct grid grid_of(struct arena *arena, const struct leaf *leaf, const char *name) {
    struct grid grid = {.rows = leaf->rows + 1, .columns = leaf->columns + 1};
    grid.fields = arena_array(arena, (size_t)(grid.rows * grid.columns), sizeof *grid.fields);
    *field(&grid, 0, 0) = corner(arena, leaf);
    for (int64_t column = 0; column < leaf->columns; column++) {
        const char *above = column_label(arena, leaf, column);
        *field(&grid, 0, column + 1) = above != NULL ? label(arena, above) : "";
    }
    for (int64_t row = 0; row < leaf->rows; row++) {
        const char *before = row_label(arena, leaf, row);
        *field(&grid, row + 1, 0) = label(arena, before != NULL ? before : name);
        for (int64_t column = 0; column < leaf->columns; column++) {
            struct cell cell;
            const bool is_cell = cell_on_leaf(leaf, row, column, &cell);
            *field(&grid, row + 1, column + 1) =
                is_cell ? paper_number(arena, leaf->paper, &cell) : "…";
        }
    }
    return grid;
}

static int column_width(const struct grid *grid, int64_t column) {
    int widest = 3; // of the line below the header
    for (int64_t row = 0; row < grid->rows; row++) {
        const int width = text_width(*field(grid, row, column));
        if (width > widest) widest = width;
    }
    return widest;
}

static void add_grid_row(struct text *text, const struct grid *grid, int64_t row) {
    for (int64_t column = 0; column < grid->columns; column++) {
        text_add(text, column > 0 ? " | " : "| ");
        text_add_padded(text, *field(grid, row, column), column_width(grid, column), column > 0);
    }
    text_add(text, " |\n");
}

static void add_grid(struct text *text, const struct grid *grid) {
    add_grid_row(text, grid, 0);
    for (int64_t column = 0; column < grid->columns; column++) {
        text_add(text, column > 0 ? " | " : "| ");
        text_add_repeated(text, "-", column_width(grid, column) - (column > 0));
        text_add(text, column > 0 ? ":" : "");
    }
    text_add(text, " |\n");
    for (int64_t row = 1; row < grid->rows; row++) add_grid_row(text, grid, row);
    text_add(text, "\n");
}

static void add_tensor(struct text *text, const struct step *step, int digits) {
    struct arena *arena = text->arena;
    const struct paper paper = paper_of(arena, &step->tensor, digits);
    const char *note = paper_note(arena, &paper);
    if (note != NULL) text_add_format(text, "%s\n\n", note);
    for (int64_t i = 0; i < paper.leaves; i++) {
        const struct leaf leaf = leaf_at(&paper, i);
        const char *title = leaf_title(arena, &leaf);
        if (title != NULL) text_add_format(text, "%s:\n\n", label(arena, title));
        const struct grid grid = grid_of(arena, &leaf, step->name);
        add_grid(text, &grid);
    }
}

// ---- Steps and lessons --------------------------------------------------------------------------

// The language comes first, then what a reader of numbered listings may use.
static void add_source(struct text *text, const struct run *run, const struct step *step) {
    const struct excerpt *excerpt = step->excerpt;
    text_add_format(text, "```c file=%s lines=%d-%d startline=%d\n%s```\n\n",
                    run->lesson->source->file, excerpt->first_line, excerpt->last_line,
                    excerpt->first_line, excerpt->text);
}

static void add_step(struct text *text, const struct run *run, const struct step *step, int level,
                     int digits) {
    struct arena *arena = text->arena;
    const struct tensor *tensor = &step->tensor;
    const bool continues = continues_paragraph(run, step);
    add_heading(text, level,
                arena_format(arena, "%d. %s", step->number,
                             continues ? step_label(arena, step) : step->paragraph->title));
    if (!continues) {
        add_prose(text, step->paragraph->explanation);
        text_add(text, "\n\n");
    }
    text_add(text, "Formula: ");
    add_code(text, step->formula);
    text_add(text, "\n\n");
    add_source(text, run, step);
    text_add(text, "PyTorch: ");
    add_code(text, step_pytorch(arena, step));
    text_add(text, "\n\n");
    add_code(text, step_label(arena, step));
    const char *layout = arena_format(arena, ", %s %s: %s; strides %s\n\n", dtype_text(tensor),
                                      shape_text(arena, shape_of(tensor)), axes_text(arena, tensor),
                                      sizes_text(arena, tensor->stride, tensor->ndim));
    add_prose(text, layout);
    add_tensor(text, step, digits);
}

// A mistake made on purpose: what goes wrong, or why nothing does.
static void add_mistake(struct text *text, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const char *idle = idle_text(text->arena, trial, i);
    text_add(text, "**What if:** ");
    add_prose(text, arena_format(text->arena, "%s (%s). ", mistake->title, mistake->name));
    if (idle != NULL)
        add_prose(text, arena_format(text->arena, "%s.", idle));
    else
        add_prose(text,
                  arena_format(text->arena, "%s In PyTorch: %s", mistake->wrong, mistake->pytorch));
    text_add(text, "\n\n");
}

static bool is_new_section(const struct step *step, const char *section) {
    if (step->section == NULL) return false;
    return section == NULL || strcmp(step->section, section) != 0;
}

static void add_lesson(struct text *text, const struct selection *selection,
                       const struct trial *trial) {
    const struct run *run = &trial->run;
    const int level = selection->trial_count == 1 ? 1 : 2;
    const char *section = NULL, *differences = differences_text(text->arena, trial);
    add_heading(text, level, run->lesson->title);
    add_prose(text, run->lesson->summary);
    text_add(text, "\n\n");
    if (differences != NULL) {
        text_add(text, "**Not the course's numbers:** ");
        add_label(text, differences);
        text_add(text, "\n\n");
    }
    for (int i = 0; i < trial->mistake_count; i++) add_mistake(text, trial, i);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (selection->step != NULL && selection->step != step) continue;
        if (is_new_section(step, section)) {
            section = step->section;
            add_heading(text, level + 1, section);
        }
        add_step(text, run, step, section != NULL ? level + 2 : level + 1, selection->digits);
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

static void add_sheet_table(struct text *text, const struct sheet_table *table, int level) {
    add_heading(text, level, table->title);
    if (table->introduction != NULL) {
        add_prose(text, table->introduction);
        text_add(text, "\n\n");
    }
    add_sheet_row(text, table->heads, table->column_count);
    text_add_repeated(text, "| --- ", table->column_count);
    text_add(text, "|\n");
    for (int i = 0; i < table->row_count; i++)
        add_sheet_row(text, table->rows[i].cells, table->column_count);
    text_add(text, "\n");
}

static void add_formulas(struct text *text, const struct selection *selection) {
    const struct sheet_table *tables;
    const int count = sheet_tables(text->arena, selection->trial_count, selection->trials, &tables);
    add_heading(text, 2, "Cheat sheet");
    for (int i = 0; i < count; i++) add_sheet_table(text, &tables[i], 3);
}

void add_markdown(struct text *text, const struct selection *selection) {
    if (selection->trial_count > 1) add_heading(text, 1, "Attention, one step at a time");
    for (int i = 0; i < selection->trial_count; i++) {
        add_lesson(text, selection, &selection->trials[i]);
    }
    if (selection->step == NULL) add_formulas(text, selection);
    while (text->length > 1 && text->bytes[text->length - 2] == '\n')
        text->bytes[--text->length] = '\0';
}
