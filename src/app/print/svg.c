// The format `svg`: one step as a figure for a slide, on white, complete in itself.

#include "app/print/formats.h"
#include "show/heat.h"
#include "show/markup.h"
#include "show/paper.h"
#include "show/table.h"
#include "trace/run/step.h"

// Sizes in pixels. A letter is taken for as wide as a common sans-serif's widest digits.
enum {
    MARGIN = 28,
    TITLE = 26, // font sizes
    SUBTITLE = 16,
    NUMBER = 17,
    LABEL = 15,
    SMALL = 13,
    CELL_HEIGHT = 38,
    GAP = 3,         // between cells
    BETWEEN = 34,    // leaves
    MOST_LABEL = 14, // letters of a label
};

#define QUIET "#5a6370"

static int width_of(const char *string, int size) {
    return (text_width(string) * size * 62 + 99) / 100;
}

struct figure {
    struct text *text;
    struct arena *arena;
    struct paper paper;
    int row_label, cell; // widths
    int top;             // height above a leaf's cells: its title and the columns' labels
    int leaf_width, leaf_height;
    int64_t across, down; // leaves
    int width, height;    // of the whole figure
};

// ---- Measuring ----------------------------------------------------------------------------------

static const char *short_label(struct arena *arena, const char *label) {
    return text_cut(arena, label, MOST_LABEL);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void measure_cells(struct figure *figure, const struct leaf *leaf) {
    struct arena *arena = figure->arena;
    struct cell cell;
    for (int64_t row = 0; row < leaf->rows; row++) {
        const char *label = row_label(arena, leaf, row);
        if (label != NULL) {
            const int width = width_of(short_label(arena, label), LABEL) + 12;
            figure->row_label = larger(figure->row_label, width);
        }
        for (int64_t column = 0; column < leaf->columns; column++) {
            if (!cell_on_leaf(leaf, row, column, &cell)) continue;
            const char *number = paper_number(arena, &figure->paper, &cell);
            figure->cell = larger(figure->cell, width_of(number, NUMBER) + 18);
        }
    }
    for (int64_t column = 0; column < leaf->columns; column++) {
        const char *label = column_label(arena, leaf, column);
        if (label == NULL) continue;
        figure->cell = larger(figure->cell, width_of(short_label(arena, label), LABEL) + 8);
    }
}

static int heading_height(void) {
    return MARGIN + TITLE + 2 * (SUBTITLE + 10) + 18;
}

static struct figure measure(struct text *text, const struct step *step, int digits) {
    struct arena *arena = text->arena;
    struct figure figure = {
        .text = text,
        .arena = arena,
        .paper = paper_of(arena, &step->tensor, digits),
        .cell = 60,
    };
    const struct leaf first = leaf_at(&figure.paper, 0); // all are as large
    for (int64_t i = 0; i < figure.paper.leaves; i++) {
        const struct leaf leaf = leaf_at(&figure.paper, i);
        measure_cells(&figure, &leaf);
    }
    figure.top = has_pages(&step->tensor) ? LABEL + 12 : 0;
    figure.top += step->tensor.ndim > 0 ? LABEL + 10 : 0;
    figure.leaf_width = figure.row_label + (int)first.columns * (figure.cell + GAP);
    figure.leaf_height = figure.top + (int)first.rows * (CELL_HEIGHT + GAP);
    figure.across = 1;
    const int64_t leaves = figure.paper.leaves;
    while (figure.across < leaves && figure.across * figure.leaf_width < 900 &&
           figure.across * figure.across < leaves)
        figure.across++;
    figure.down = (leaves + figure.across - 1) / figure.across;
    return figure;
}

// ---- Drawing ------------------------------------------------------------------------------------

// How words are set: their size, which end of them is where they are put, their colour.
struct lettering {
    int size;
    const char *anchor, *color;
};
static const struct lettering title_letters = {TITLE, "start", heat_ink_light};
static const struct lettering formula_letters = {SUBTITLE, "start", heat_ink_light};
static const struct lettering layout_letters = {SUBTITLE, "start", QUIET};
static const struct lettering leaf_letters = {LABEL, "start", QUIET};
static const struct lettering column_letters = {LABEL, "middle", heat_ink_light};
static const struct lettering row_letters = {LABEL, "end", heat_ink_light};
static const struct lettering number_letters = {NUMBER, "middle", heat_ink_light};
static const struct lettering quiet_letters = {NUMBER, "middle", QUIET};
static const struct lettering note_letters = {SMALL, "start", QUIET};

struct spot {
    int x, y; // of words, y is that of their baseline
};

static void add_words(struct figure *figure, const struct lettering *how, struct spot spot,
                      const char *words) {
    text_add_format(figure->text,
                    "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\">",
                    spot.x, spot.y, how->size, how->anchor, how->color);
    markup_add(figure->text, words);
    text_add(figure->text, "</text>\n");
}

// A leaf, and the upper left corner of its cells.
struct laid_leaf {
    struct leaf leaf;
    struct spot corner;
};

static struct spot corner_of_cell(const struct figure *figure, const struct laid_leaf *laid,
                                  int64_t row, int64_t column) {
    return (struct spot){laid->corner.x + (int)column * (figure->cell + GAP),
                         laid->corner.y + (int)row * (CELL_HEIGHT + GAP)};
}

static void add_cell(struct figure *figure, const struct laid_leaf *laid, int64_t row,
                     int64_t column) {
    const struct spot corner = corner_of_cell(figure, laid, row, column);
    const struct spot number = {corner.x + figure->cell / 2,
                                corner.y + CELL_HEIGHT / 2 + NUMBER * 35 / 100};
    struct cell cell;
    if (!cell_on_leaf(&laid->leaf, row, column, &cell)) {
        add_words(figure, &quiet_letters, number, "…");
        return;
    }
    const struct heat_color *color = heat_of(figure->arena, &figure->paper.heat, &cell);
    text_add_format(figure->text,
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\"/>\n",
                    corner.x, corner.y, figure->cell, CELL_HEIGHT,
                    color != NULL ? color->light.rgb : "url(#no)");
    add_words(figure, color != NULL ? &number_letters : &quiet_letters, number,
              paper_number(figure->arena, &figure->paper, &cell));
}

static void add_column_label(struct figure *figure, const struct laid_leaf *laid, int64_t column) {
    const char *label = column_label(figure->arena, &laid->leaf, column);
    if (label == NULL) return;
    const struct spot corner = corner_of_cell(figure, laid, 0, column);
    add_words(figure, &column_letters, (struct spot){corner.x + figure->cell / 2, corner.y - 8},
              short_label(figure->arena, label));
}

static void add_row(struct figure *figure, const struct laid_leaf *laid, int64_t row) {
    const char *label = row_label(figure->arena, &laid->leaf, row);
    const struct spot corner = corner_of_cell(figure, laid, row, 0);
    if (label != NULL)
        add_words(figure, &row_letters,
                  (struct spot){corner.x - 10, corner.y + CELL_HEIGHT / 2 + 5},
                  short_label(figure->arena, label));
    for (int64_t column = 0; column < laid->leaf.columns; column++)
        add_cell(figure, laid, row, column);
}

// The leaf number i, with its title and labels; `corner` is theirs.
static void add_leaf(struct figure *figure, int64_t i, struct spot corner) {
    const struct laid_leaf laid = {leaf_at(&figure->paper, i),
                                   {corner.x + figure->row_label, corner.y + figure->top}};
    const char *title = leaf_title(figure->arena, &laid.leaf);
    if (title != NULL)
        add_words(figure, &leaf_letters, (struct spot){corner.x, corner.y + LABEL}, title);
    for (int64_t column = 0; column < laid.leaf.columns; column++)
        add_column_label(figure, &laid, column);
    for (int64_t row = 0; row < laid.leaf.rows; row++) add_row(figure, &laid, row);
}

static void add_start(struct figure *figure, const char *title, const char *description) {
    struct text *text = figure->text;
    text_add_format(text,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" style=\"max-width:100%%;height:auto\" "
                    "role=\"img\" aria-labelledby=\"title\" "
                    "aria-describedby=\"description\"\n"
                    " font-family=\"'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, Arial, "
                    "sans-serif\">\n<title id=\"title\">",
                    figure->width, figure->height, figure->width, figure->height);
    markup_add(text, title);
    text_add(text, "</title>\n<desc id=\"description\">");
    markup_add(text, description);
    text_add(text, "</desc>\n"
                   "<defs><pattern id=\"no\" width=\"6\" height=\"6\" "
                   "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                   "<rect width=\"6\" height=\"6\" fill=\"#fff\"/>"
                   "<rect width=\"1.5\" height=\"6\" fill=\"#e3e6e9\"/></pattern></defs>\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

// What is below the leaves: that a part is shown, that the numbers are not the course's.
static const char *footnote(struct arena *arena, const struct trial *trial,
                            const struct paper *paper) {
    const char *note = paper_note(arena, paper), *differences = differences_text(arena, trial);
    if (differences == NULL) return note;
    return arena_format(arena, "Not the %s's numbers: %s.%s%s", standard_of(trial->run.lesson),
                        differences, note != NULL ? " " : "", note != NULL ? note : "");
}

// The lines above the leaves, and the note below them (NULL if there is none).
struct captions {
    const char *title, *formula, *layout, *note;
};

static struct captions words_of(struct arena *arena, const struct trial *trial,
                                const struct step *step, const struct paper *paper) {
    const struct tensor *tensor = &step->tensor;
    return (struct captions){
        .title = step->paragraph->title,
        .formula = formula_text(arena, trial, step),
        .layout = arena_format(arena, "%s   %s %s: %s", step_label(arena, step), dtype_text(tensor),
                               shape_text(arena, shape_of(tensor)), axes_text(arena, tensor)),
        .note = footnote(arena, trial, paper),
    };
}

// Makes room for the leaves and for the longest line.
static void measure_figure(struct figure *figure, const struct captions *words) {
    const int leaves = (int)figure->across * (figure->leaf_width + BETWEEN) - BETWEEN;
    const int above =
        larger(larger(width_of(words->title, TITLE), width_of(words->formula, SUBTITLE)),
               width_of(words->layout, SUBTITLE));
    const int below = words->note != NULL ? width_of(words->note, SMALL) : 0;
    figure->width = 2 * MARGIN + larger(leaves, larger(above, below));
    figure->height = heading_height() + (int)figure->down * (figure->leaf_height + BETWEEN) -
                     BETWEEN + MARGIN + (words->note != NULL ? SMALL + 14 : 0);
}

static void add_captions(struct figure *figure, const struct captions *words) {
    const int first = MARGIN + TITLE, line = SUBTITLE + 9;
    add_words(figure, &title_letters, (struct spot){MARGIN, first - 4}, words->title);
    add_words(figure, &formula_letters, (struct spot){MARGIN, first + line - 1}, words->formula);
    add_words(figure, &layout_letters, (struct spot){MARGIN, first + 2 * line}, words->layout);
    if (words->note == NULL) return;
    const struct spot below = {MARGIN, figure->height - MARGIN + 8};
    add_words(figure, &note_letters, below, words->note);
}

static void add_leaves(struct figure *figure) {
    for (int64_t i = 0; i < figure->paper.leaves; i++) {
        const int column = (int)(i % figure->across), row = (int)(i / figure->across);
        const struct spot corner = {
            MARGIN + column * (figure->leaf_width + BETWEEN),
            heading_height() + row * (figure->leaf_height + BETWEEN),
        };
        add_leaf(figure, i, corner);
    }
}

void add_svg(struct text *text, const struct selection *selection) {
    const struct step *step = selection->step;
    struct arena *arena = text->arena;
    struct figure figure = measure(text, step, selection->digits);
    const struct captions words = words_of(arena, &selection->trials[0], step, &figure.paper);
    measure_figure(&figure, &words);
    add_start(&figure, words.title, words.layout);
    add_captions(&figure, &words);
    add_leaves(&figure);
    text_add(text, "</svg>\n");
}
