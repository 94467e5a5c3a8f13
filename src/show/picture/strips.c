#include "show/picture/strips.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "show/figure.h"
#include "show/table.h"

// ---- Which tensors ---------------------------------------------------------------------------------

static double most_of(const struct tensor *tensor) {
    double most = 0;
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++)
        most = fmax(most, element_at(tensor, i));
    return most;
}

static bool is_below_0(const struct tensor *tensor) {
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        const double weight = element_at(tensor, i);
        if (!(weight >= 0) || !isfinite(weight)) return true;
    }
    return false;
}

const char *why_no_strips(struct arena *arena, const struct tensor *tensor) {
    if (tensor->ndim == 0 || tensor->axis[tensor->ndim - 1].meaning != AXIS_KEY)
        return arena_format(arena, "it is %s; strips show what queries give to keys",
                            tensor->ndim > 0 ? axes_text(arena, tensor) : "one number");
    if (count_of(shape_of(tensor)) == 0) return "it is empty";
    if (is_below_0(tensor)) return "it has numbers that are not shares; strips show weights";
    return NULL;
}

static double weight_at(const struct tensor *tensor, int64_t page, int64_t row, int64_t column) {
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, row, column, index);
    return element(tensor, index);
}

static const char *row_name(struct arena *arena, const struct tensor *tensor, int64_t row) {
    return has_rows(tensor) ? label_of(arena, tensor, tensor->ndim - 2, row) : "";
}

static const char *column_name(struct arena *arena, const struct tensor *tensor, int64_t column) {
    return label_of(arena, tensor, tensor->ndim - 1, column);
}

static const char *title_of(struct arena *arena, const struct tensor *tensor, int64_t page) {
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, 0, 0, index);
    return page_title(arena, tensor, index);
}

// ---- With characters -------------------------------------------------------------------------------

enum { MOST_LABEL = 10, LEAST_BAR = 3, MOST_BAR = 12 };

struct strips {
    struct sketch *sketch;
    const struct tensor *tensor;
    int64_t page;
    struct table table;
    int label, bar; // columns of a query's label, and of a key's bar
    double most;    // fills a bar
    bool ascii;
};

static const char *fitted(const struct strips *s, const char *name, int width) {
    struct arena *arena = s->sketch->arena;
    return text_cut(arena, s->ascii ? text_to_ascii(arena, name) : name, width);
}

// A bar of so many eighths of a column; ASCII has whole columns only. What is not 0 shows.
static void draw_bar(const struct strips *s, int row, int column, int eighths, int of) {
    const int whole = s->ascii ? (eighths + 4) / 8 : eighths / 8;
    const uint32_t least = s->ascii ? '.' : 0x2590u - (uint32_t)(eighths % 8);
    for (int i = 0; i < whole; i++)
        sketch_put(s->sketch, row, column + i, s->ascii ? '#' : 0x2588, of);
    if (s->ascii ? whole == 0 : eighths % 8 > 0)
        sketch_put(s->sketch, row, column + whole, least, of);
}

static void draw_strip(const struct strips *s, int64_t row) {
    const int line = (int)row + 1;
    const char *label = fitted(s, row_name(s->sketch->arena, s->tensor, row), s->label);
    sketch_write(s->sketch, line, 0, label, PART_OF_NOTHING);
    for (int64_t j = 0; j < s->table.columns; j++) {
        const double weight = weight_at(s->tensor, s->page, row, j);
        if (weight == 0) continue;
        const int eighths = (int)fmax(1, floor(weight / s->most * 8 * s->bar + 0.5));
        draw_bar(s, line, s->label + 1 + (int)j * (s->bar + 1), eighths,
                 (int)(row * s->table.columns + j));
    }
}

static int bar_for(const struct strips *s, int columns) {
    const int room = (columns - s->label) / (int)s->table.columns - 1;
    return room < LEAST_BAR ? LEAST_BAR : room > MOST_BAR ? MOST_BAR : room;
}

static int label_width(struct arena *arena, const struct tensor *tensor, int64_t rows) {
    int widest = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int width = text_width(row_name(arena, tensor, row));
        if (width > widest) widest = width;
    }
    return widest < MOST_LABEL ? widest : MOST_LABEL;
}

struct sketch strips_sketch(struct arena *arena, const struct tensor *batch, int64_t page,
                            int columns, bool ascii) {
    const struct tensor labelled = labelled_page(batch, page), *tensor = &labelled;
    struct strips s = {.tensor = tensor, .page = page, .table = table_of(tensor), .ascii = ascii};
    s.label = label_width(arena, tensor, s.table.rows);
    s.bar = bar_for(&s, columns);
    s.most = most_of(tensor);
    if (s.most == 0) s.most = 1;
    const int needed = s.label + 1 + (int)s.table.columns * (s.bar + 1);
    struct sketch sketch =
        sketch_new(arena, (int)s.table.rows + 2, needed < columns ? needed : columns);
    s.sketch = &sketch;
    for (int64_t j = 0; j < s.table.columns; j++)
        sketch_write(&sketch, 0, s.label + 1 + (int)j * (s.bar + 1),
                     fitted(&s, column_name(arena, tensor, j), s.bar), PART_OF_NOTHING);
    for (int64_t row = 0; row < s.table.rows; row++) draw_strip(&s, row);
    sketch_write(&sketch, sketch.rows - 1, 0, arena_format(arena, "a full bar is %.4f", s.most),
                 PART_OF_NOTHING);
    return sketch;
}

// ---- As a figure -----------------------------------------------------------------------------------

enum { BAND = 26, ACROSS = 150, BETWEEN = 40, THICKEST = 12, TITLE = 22, MOST_ACROSS = 4 };

// `bands` is their upper left corner.
static double y_of(const struct figure_spot *bands, int64_t row) {
    return bands->y + ((double)row + 0.5) * BAND;
}

static void add_band(struct text *text, const struct figure_spot *bands, int64_t row,
                     int64_t column, double share) {
    const double from = y_of(bands, row), to = y_of(bands, column), left = bands->x;
    if (share <= 0) return;
    text_add_format(text,
                    "<path class=\"band\" d=\"M%.5g %.5gC%.5g %.5g %.5g %.5g %.5g %.5g\" "
                    "stroke-width=\"%.3g\" opacity=\"%.2f\"/>\n",
                    left, from, left + ACROSS / 2, from, left + ACROSS / 2, to, left + ACROSS, to,
                    fmax(0.6, share * THICKEST), 0.25 + 0.6 * share);
}

static void add_strip_page(struct text *text, const struct tensor *batch, int64_t page,
                           const struct figure_spot *bands, double most) {
    const struct tensor labelled = labelled_page(batch, page), *tensor = &labelled;
    struct arena *arena = text->arena;
    const struct table table = table_of(tensor);
    const char *title = title_of(arena, tensor, page);
    if (*title != '\0')
        figure_words(text, (struct figure_spot){bands->x, bands->y - 8}, "start", "quiet", title);
    for (int64_t row = 0; row < table.rows; row++) {
        for (int64_t j = 0; j < table.columns; j++)
            add_band(text, bands, row, j, weight_at(tensor, page, row, j) / most);
        figure_words(text, (struct figure_spot){bands->x - 6, y_of(bands, row) + 4.5}, "end",
                     "label", text_cut(arena, row_name(arena, tensor, row), MOST_LABEL));
    }
    for (int64_t j = 0; j < table.columns; j++)
        figure_words(text, (struct figure_spot){bands->x + ACROSS + 6, y_of(bands, j) + 4.5},
                     "start", "label", text_cut(arena, column_name(arena, tensor, j), MOST_LABEL));
}

static double longest_label(struct arena *arena, const struct tensor *batch, int64_t page) {
    const struct tensor labelled = labelled_page(batch, page), *tensor = &labelled;
    const struct table own_table = table_of(tensor), *table = &own_table;
    double longest = 0;
    for (int64_t i = 0; i < table->columns; i++) {
        const char *name = text_cut(arena, column_name(arena, tensor, i), MOST_LABEL);
        longest = fmax(longest, figure_width(name));
    }
    for (int64_t i = 0; i < table->rows; i++) {
        const char *name = text_cut(arena, row_name(arena, tensor, i), MOST_LABEL);
        longest = fmax(longest, figure_width(name));
    }
    return longest + 8;
}

void add_strips_svg(struct text *text, const struct tensor *tensor, const char *heading) {
    const struct table table = table_of(tensor);
    const double most = fmax(most_of(tensor), 1e-30);
    double label = 0;
    for (int64_t page = 0; page < table.pages; page++)
        label = fmax(label, longest_label(text->arena, tensor, page));
    const double lines = (double)(table.rows > table.columns ? table.rows : table.columns);
    const double width = 2 * label + ACROSS + BETWEEN, height = lines * BAND + TITLE + BETWEEN / 2;
    const int64_t across = table.pages < MOST_ACROSS ? table.pages : MOST_ACROSS;
    const int64_t down = (table.pages + across - 1) / across;
    struct text facts = text_new(text->arena);
    add_strips_facts(&facts, tensor);
    const struct figure_spot size = {fmax((double)across * width - BETWEEN, 340),
                                     (double)down * height + 24};
    figure_open(text, size, heading, heading, facts.bytes);
    for (int64_t page = 0; page < table.pages; page++) {
        const struct figure_spot bands = {(double)(page % across) * width + label,
                                          (double)(page / across) * height + TITLE};
        add_strip_page(text, tensor, page, &bands, most);
    }
    figure_words(text, (struct figure_spot){0, size.y - 16}, "start", "quiet",
                 "from queries on the left to keys on the right");
    figure_words(text, (struct figure_spot){0, size.y}, "start", "quiet",
                 arena_format(text->arena, "the widest is %.4f", most));
    figure_close(text);
}

// ---- Facts ---------------------------------------------------------------------------------------

// "journey: 0.2758 Your, 0.2460 journey": largest first.
static void add_row_facts(struct text *text, const struct tensor *batch, int64_t page,
                          int64_t row) {
    const struct tensor labelled = labelled_page(batch, page), *tensor = &labelled;
    const struct table table = table_of(tensor);
    bool *said = arena_array(text->arena, (size_t)table.columns, sizeof *said);
    const char *separator = ":";
    text_add(text, row_name(text->arena, tensor, row));
    for (int64_t i = 0; i < table.columns; i++) {
        int64_t best = -1;
        for (int64_t j = 0; j < table.columns; j++) {
            if (said[j] || weight_at(tensor, page, row, j) == 0) continue;
            if (best < 0 || weight_at(tensor, page, row, j) > weight_at(tensor, page, row, best))
                best = j;
        }
        if (best < 0) break;
        said[best] = true;
        text_add_format(text, "%s %.4f %s", separator, weight_at(tensor, page, row, best),
                        column_name(text->arena, tensor, best));
        separator = ",";
    }
    text_add(text, "\n");
}

void add_strips_facts(struct text *text, const struct tensor *tensor) {
    const struct table table = table_of(tensor);
    text_add(text, "");
    for (int64_t page = 0; page < table.pages; page++) {
        const char *title = title_of(text->arena, tensor, page);
        if (*title != '\0') text_add_format(text, "%s\n", title);
        for (int64_t row = 0; row < table.rows; row++) add_row_facts(text, tensor, page, row);
    }
}
