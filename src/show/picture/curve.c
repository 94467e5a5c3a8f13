#include "show/picture/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "show/figure.h"
#include "show/picture/dots.h"
#include "show/table.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// The only dimension with more than one place, or that of a list of one; -1 if there are more of them, or none.
static int long_dimension(const struct tensor *tensor) {
    if (tensor->ndim > 0 && !has_rows(tensor)) return 0;
    int found = -1;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (tensor->shape[dim] == 1) continue;
        if (found >= 0) return -1;
        found = dim;
    }
    return found;
}

// Does a name at a place of the list say what it is, and not where it is on a scale?
static bool has_words(const struct tensor *tensor, int dim) {
    const char *const *labels = dim >= 0 ? tensor->axis[dim].labels : NULL;
    for (int64_t i = 0; labels != NULL && i < tensor->shape[dim]; i++) {
        char *end;
        (void)strtod(labels[i], &end);
        if (*labels[i] == '\0' || *end != '\0') return true;
    }
    return false;
}

int charts_of(const struct tensor *tensor) {
    const struct table table = table_of(tensor);
    const int words = find_axis(tensor, AXIS_WORD);
    const bool is_matrix =
        words == 1 && words == tensor->ndim - 1; // words behind one other dimension
    const bool has_room = table.rows > 1 && table.rows <= MOST_CHARTS && table.columns > 1;
    return is_matrix && has_room && has_words(tensor, words) ? (int)table.rows : 1;
}

bool is_drawn_as_bars(const struct tensor *tensor) {
    return charts_of(tensor) > 1 || has_words(tensor, long_dimension(tensor));
}

// A list of numbers, measured. What differs only by how it was rounded is drawn as a level line. Bars begin at 0.
struct list {
    const struct tensor *tensor;
    int dim;
    int count;
    double least, most;
    double range; // that fills the height
    bool has_bars;
};

static struct list list_of(const struct tensor *tensor) {
    struct list list = {.tensor = tensor, .dim = long_dimension(tensor)};
    list.has_bars = has_words(tensor, list.dim);
    list.least = list.has_bars ? 0 : INFINITY;
    list.most = list.has_bars ? 0 : -INFINITY;
    list.count = list.dim >= 0 ? (int)tensor->shape[list.dim] : 0;
    for (int i = 0; i < list.count; i++) {
        list.least = fmin(list.least, element_at(tensor, i));
        list.most = fmax(list.most, element_at(tensor, i));
    }
    const double large = fmax(fabs(list.least), fabs(list.most));
    list.range =
        list.most - list.least > large * 1e-5 ? list.most - list.least : fmax(large, 1e-30);
    return list;
}

// Both in one range, so that they can be drawn over each other.
static void share_range(struct list *a, struct list *b) {
    a->least = b->least = fmin(a->least, b->least);
    a->most = b->most = fmax(a->most, b->most);
    a->range = b->range = fmax(a->most - a->least, fmax(a->range, b->range));
}

static struct tensor row_of(const struct tensor *tensor, int row) {
    return charts_of(tensor) > 1 ? select_index(*tensor, 0, row) : *tensor;
}

// The rows of a matrix, all in one range. The lists point into it.
struct charts {
    int count;
    struct tensor row[MOST_CHARTS];
    struct list list[MOST_CHARTS];
};

static void measure_charts(struct charts *charts, const struct tensor *tensor) {
    charts->count = charts_of(tensor);
    for (int i = 0; i < charts->count; i++) {
        charts->row[i] = row_of(tensor, i);
        charts->list[i] = list_of(&charts->row[i]);
    }
    // Once to find the range of all, once to hand it on.
    for (int i = 1; i < charts->count; i++) share_range(&charts->list[0], &charts->list[i]);
    for (int i = 1; i < charts->count; i++) share_range(&charts->list[0], &charts->list[i]);
}

const struct tensor *curve_beside(const struct run *run, const struct step *step) {
    const struct step *other = step->beside != NULL ? step_called(run, step->beside) : NULL;
    if (other == NULL) return NULL;
    const struct list list = list_of(&other->tensor);
    if (list.count != list_of(&step->tensor).count) return NULL;
    for (int i = 0; i < list.count; i++) {
        if (!isfinite(element_at(&other->tensor, i))) return NULL;
    }
    return &other->tensor;
}

const char *why_no_curve(struct arena *arena, const struct tensor *tensor) {
    for (int row = 0; charts_of(tensor) > 1 && row < charts_of(tensor); row++) {
        const struct tensor words = row_of(tensor, row);
        const char *why = why_no_curve(arena, &words);
        if (why != NULL) return why;
    }
    if (charts_of(tensor) > 1) return NULL;
    const struct list list = list_of(tensor);
    if (list.count == 0)
        return arena_format(arena, "its shape is %s; a curve shows a single row of numbers",
                            shape_text(arena, shape_of(tensor)));
    for (int i = 0; i < list.count; i++) {
        if (!isfinite(element_at(tensor, i))) return "it has numbers that are not finite";
    }
    return NULL;
}

// Where number i is between the left end, 0, and the right end, 1.
static double place_of(const struct list *list, int i) {
    if (list->has_bars) return (i + 0.5) / list->count;
    return i / fmax(1, list->count - 1);
}

static const char *name_of(struct arena *arena, const struct list *list, int i) {
    return label_of(arena, list->tensor, list->dim, i);
}

// ---- With characters -------------------------------------------------------------------------------

enum { BELOW = 1 }; // a row of labels

// A number of three or four digits that count: "1.79", "0.0412".
static const char *short_number(struct arena *arena, double number) {
    return arena_format(arena, "%.4g", number);
}

static void draw_axis(struct sketch *sketch, const struct list *list, int left, bool ascii) {
    struct arena *arena = sketch->arena;
    const int last = sketch->rows - BELOW - 1;
    sketch_write(sketch, 0, 0, short_number(arena, list->most), PART_OF_NOTHING);
    sketch_write(sketch, last, 0, short_number(arena, list->least), PART_OF_NOTHING);
    for (int row = 0; row <= last; row++)
        sketch_put(sketch, row, left - 1, ascii ? '|' : 0x2502, PART_OF_NOTHING);
}

// Labels below, as many as have room.
static void draw_labels(struct sketch *sketch, const struct list *list, int left, bool ascii) {
    struct arena *arena = sketch->arena;
    int next = left;
    for (int i = 0; i < list->count; i++) {
        const char *name = name_of(arena, list, i);
        if (ascii) name = text_to_ascii(arena, name);
        const int width = text_width(name), room = sketch->columns - left;
        int column =
            left + (int)(place_of(list, i) * (room - 1)) - (list->has_bars ? width / 2 : 0);
        if (column < left) column = left;
        if (column + width > sketch->columns) column = sketch->columns - width;
        if (column < next) continue;
        sketch_write(sketch, sketch->rows - 1, column, name, i);
        next = column + width + 1;
    }
}

// Lines between the numbers, or a dot at each.
static void draw_list(struct dots *dots, const struct list *list, bool has_lines) {
    const double height = 4 * dots->rows - 1, width = 2 * dots->columns - 1;
    int before_x = 0, before_y = 0;
    for (int i = 0; i < list->count; i++) {
        const double below = list->most - element_at(list->tensor, i);
        const int x = (int)floor(i * width / fmax(1, list->count - 1) + 0.5);
        const int y = (int)floor(below / list->range * height + 0.5);
        const bool is_joined = has_lines && i > 0;
        dots_line(dots, is_joined ? before_x : x, is_joined ? before_y : y, x, y);
        before_x = x, before_y = y;
    }
}

// The column in which bar i begins, of a curve that has so many.
static int first_column(const struct list *list, int i, int columns) {
    return (i * columns + list->count - 1) / list->count;
}

// A bar from 0 to each number; between two bars a column of dots is free, where there is room.
static void draw_bars(struct dots *dots, const struct list *list) {
    const double height = 4 * dots->rows - 1;
    const int zero = (int)floor(list->most / list->range * height + 0.5);
    for (int i = 0; i < list->count; i++) {
        const int first = first_column(list, i, dots->columns);
        const int next = first_column(list, i + 1, dots->columns);
        const double below = list->most - element_at(list->tensor, i);
        const int y = (int)floor(below / list->range * height + 0.5);
        for (int x = 2 * first; x <= 2 * next - 2; x++) dots_line(dots, x, zero, x, y);
    }
}

// The number whose dots stand in a column of the curve.
static int number_at(const struct list *list, int column, int columns) {
    if (list->has_bars) return (int)((double)column * list->count / columns);
    return (int)floor((double)column * (list->count - 1) / fmax(1, columns - 1) + 0.5);
}

struct corner {
    int row, column;
};

// The dots of a list, from a row and a column on. Its numbers count from `first`.
static void put_chart(struct sketch *sketch, const struct list *list, const struct dots *dots,
                      struct corner at, int first, bool ascii) {
    struct sketch chart = sketch_new(sketch->arena, dots->rows, dots->columns);
    put_dots(&chart, dots, 0, ascii);
    for (int row = 0; row < chart.rows; row++) {
        for (int column = 0; column < chart.columns; column++) {
            const struct sketch_cell *cell = sketch_at(&chart, row, column);
            const int number = first + number_at(list, column, chart.columns);
            if (cell->character != ' ')
                sketch_put(sketch, at.row + row, at.column + column, cell->character, number);
        }
    }
}

// One above the other, all in one range. The name of its row stands at the left of each, the words below the last.
static struct sketch charts_sketch(struct arena *arena, const struct tensor *tensor, int rows,
                                   int columns, bool ascii) {
    struct sketch sketch = sketch_new(arena, rows, columns);
    struct charts charts;
    measure_charts(&charts, tensor);
    const int high = (rows - BELOW) / charts.count;
    int left = 0;
    for (int i = 0; i < charts.count; i++) {
        const int width = text_width(label_of(arena, tensor, 0, i)) + 2;
        if (left < width) left = width;
    }
    if (high < 1 || columns < left + 2) return sketch;
    for (int i = 0; i < charts.count; i++) {
        const struct list *list = &charts.list[i];
        struct dots dots = dots_new(arena, high, columns - left);
        draw_bars(&dots, list);
        put_chart(&sketch, list, &dots, (struct corner){i * high, left}, i * list->count, ascii);
        const char *name = label_of(arena, tensor, 0, i);
        sketch_write(&sketch, (i + 1) * high - 1, 0, ascii ? text_to_ascii(arena, name) : name,
                     PART_OF_NOTHING);
        for (int y = i * high; y < (i + 1) * high; y++)
            sketch_put(&sketch, y, left - 1, ascii ? '|' : 0x2502, PART_OF_NOTHING);
    }
    draw_labels(&sketch, &charts.list[0], left, ascii);
    return sketch;
}

struct sketch curve_sketch(struct arena *arena, const struct tensor *tensor,
                           const struct tensor *beside, int rows, int columns, bool ascii) {
    if (charts_of(tensor) > 1) return charts_sketch(arena, tensor, rows, columns, ascii);
    struct sketch sketch = sketch_new(arena, rows, columns);
    struct list list = list_of(tensor), other = list_of(beside != NULL ? beside : tensor);
    if (beside != NULL) share_range(&list, &other);
    const int high = text_width(short_number(arena, list.most));
    const int low = text_width(short_number(arena, list.least));
    const int left = (high > low ? high : low) + 2;
    if (rows < 3 || columns < left + 2 || list.count == 0) return sketch;
    struct dots dots = dots_new(arena, rows - BELOW, columns - left);
    if (list.has_bars)
        draw_bars(&dots, &list);
    else
        draw_list(&dots, &list, true);
    if (beside != NULL) draw_list(&dots, &other, false);
    draw_axis(&sketch, &list, left, ascii);
    put_chart(&sketch, &list, &dots, (struct corner){0, left}, 0, ascii);
    draw_labels(&sketch, &list, left, ascii);
    return sketch;
}

// ---- As a figure -----------------------------------------------------------------------------------

// As wide as a phone shows with letters that can be read.
enum { WIDTH = 400, HEIGHT = 220, FOOT = 42, MOST_MARKS = 32 };

static struct figure_spot spot_of(const struct list *list, double left, int i) {
    return (struct figure_spot){left + place_of(list, i) * (WIDTH - left),
                                8 + (list->most - element_at(list->tensor, i)) / list->range *
                                        (HEIGHT - 16)};
}

static void add_scale(struct text *text, const struct list *list, double left) {
    const double values[] = {list->most, (list->least + list->most) / 2, list->least};
    for (int i = 0; i < 3; i++) {
        const double y = 8 + i * (HEIGHT - 16) / 2.0;
        text_add_format(text, "<path class=\"grid\" d=\"M%.5g %.5gH%d\"/>\n", left - 8, y, WIDTH);
        figure_words(text, (struct figure_spot){left - 12, y + 4}, "end", "quiet",
                     short_number(text->arena, values[i]));
    }
}

// The names of bars stand in two rows, for each is needed; those of other numbers in one.
static void add_names(struct text *text, const struct list *list, double left) {
    double next[] = {0, 0};
    for (int i = 0; i < list->count; i++) {
        const char *name = name_of(text->arena, list, i);
        const struct figure_spot spot = spot_of(list, left, i);
        const double half = figure_width(name) / 2;
        const int row = spot.x - half >= next[0] ? 0 : 1;
        if (spot.x - half < next[row] || (row > 0 && !list->has_bars)) continue;
        figure_words(text, (struct figure_spot){spot.x, HEIGHT + 18 + 15 * row}, "middle", "quiet",
                     name);
        next[row] = spot.x + half + 8;
    }
}

// A line through all numbers; `style` is attributes of the path.
static void add_line(struct text *text, const struct list *list, double left, const char *style) {
    text_add_format(text, "<path class=\"thick\" %s d=\"", style);
    for (int i = 0; i < list->count; i++) {
        const struct figure_spot spot = spot_of(list, left, i);
        text_add_format(text, "%c%.5g %.5g", i == 0 ? 'M' : 'L', spot.x, spot.y);
    }
    text_add(text, "\"/>\n");
}

// A bar for each number, from 0 on.
static void add_bars(struct text *text, const struct list *list, double left) {
    const double zero = 8 + list->most / list->range * (HEIGHT - 16);
    text_add_format(text, "<path class=\"band\" stroke-width=\"%.5g\" d=\"",
                    0.6 * (WIDTH - left) / list->count);
    for (int i = 0; i < list->count; i++) {
        const struct figure_spot spot = spot_of(list, left, i);
        text_add_format(text, "M%.5g %.5gV%.5g", spot.x, zero, spot.y);
    }
    text_add(text, "\"/>\n");
}

// "temperature 0.1": a label that is a number does not say of what.
static const char *chart_name(struct arena *arena, const struct tensor *tensor, int i) {
    const char *label = label_of(arena, tensor, 0, i), *axis = axis_name(tensor, 0);
    const bool is_number = *label >= '0' && *label <= '9';
    return is_number && axis != NULL ? arena_format(arena, "%s %s", axis, label) : label;
}

// One above the other, as the sketch has them.
static void add_charts_svg(struct text *text, const struct tensor *tensor, const char *heading) {
    enum { HEAD = 20, EACH = HEAD + HEIGHT + FOOT };
    struct text facts = text_new(text->arena);
    add_curve_facts(&facts, tensor);
    struct charts charts;
    measure_charts(&charts, tensor);
    const double left = 12 + fmax(figure_width(short_number(text->arena, charts.list[0].most)),
                                  figure_width(short_number(text->arena, charts.list[0].least)));
    figure_open(text, (struct figure_spot){WIDTH + 30, charts.count * EACH}, heading, heading,
                facts.bytes);
    for (int i = 0; i < charts.count; i++) {
        text_add_format(text, "<svg y=\"%d\" overflow=\"visible\">\n", i * EACH + HEAD);
        figure_words(text, (struct figure_spot){left, 0}, "start", "strong",
                     chart_name(text->arena, tensor, i));
        add_scale(text, &charts.list[i], left);
        add_bars(text, &charts.list[i], left);
        add_names(text, &charts.list[i], left);
        text_add(text, "</svg>\n");
    }
    figure_close(text);
}

void add_curve_svg(struct text *text, const struct tensor *tensor, const struct tensor *beside,
                   const char *heading) {
    if (charts_of(tensor) > 1) {
        add_charts_svg(text, tensor, heading);
        return;
    }
    struct list list = list_of(tensor), other = list_of(beside != NULL ? beside : tensor);
    if (beside != NULL) share_range(&list, &other);
    struct text facts = text_new(text->arena);
    add_curve_facts(&facts, tensor);
    const double left = 12 + fmax(figure_width(short_number(text->arena, list.most)),
                                  figure_width(short_number(text->arena, list.least)));
    figure_open(text, (struct figure_spot){WIDTH + 30, HEIGHT + FOOT}, heading, heading,
                facts.bytes);
    add_scale(text, &list, left);
    if (list.has_bars)
        add_bars(text, &list, left);
    else
        add_line(text, &list, left, "stroke-width=\"2\"");
    if (beside != NULL) add_line(text, &other, left, "stroke-width=\"2\" stroke-dasharray=\"1 6\"");
    for (int i = 0; i < list.count && list.count <= MOST_MARKS && !list.has_bars; i++) {
        const struct figure_spot spot = spot_of(&list, left, i);
        text_add_format(text, "<circle class=\"dot lit\" cx=\"%.5g\" cy=\"%.5g\" r=\"4\"/>\n",
                        spot.x, spot.y);
    }
    add_names(text, &list, left);
    figure_close(text);
}

static void add_facts(struct text *text, const struct tensor *tensor, const char *before) {
    const struct list list = list_of(tensor);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < list.count; i++) {
        const double number = element_at(tensor, i);
        text_add_format(text, "%s%s: %.4f\n", before, name_of(text->arena, &list, i), number);
        least = fmin(least, number);
        most = fmax(most, number);
    }
    text_add_format(text, "%sleast %.4f, most %.4f\n", before, least, most);
}

void add_curve_facts(struct text *text, const struct tensor *tensor) {
    const int charts = charts_of(tensor);
    for (int i = 0; i < charts; i++) {
        const struct tensor row = row_of(tensor, i);
        const char *name = charts > 1 ? chart_name(text->arena, tensor, i) : "";
        add_facts(text, &row, charts > 1 ? arena_format(text->arena, "%s, ", name) : "");
    }
}
