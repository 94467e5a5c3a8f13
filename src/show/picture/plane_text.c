// A plane drawn with characters.

#include <math.h>

#include "show/picture/dots.h"
#include "show/picture/plane.h"

enum { LEGEND = 2 }; // rows

// Where a point of the plane lies: in dots, which are as wide as they are high.
struct scale {
    double least_x, most_y, dots; // a unit
    double left, top;             // blank dots before
};

static struct scale scale_of(const struct plane *plane, int rows, int columns) {
    const double across = plane->most_x - plane->least_x, up = plane->most_y - plane->least_y;
    const double width = 2 * columns - 4, height = 4 * rows - 6; // some blank around
    double dots = fmin(across > 0 ? width / across : INFINITY, up > 0 ? height / up : INFINITY);
    if (!isfinite(dots)) dots = 1; // a single point
    return (struct scale){plane->least_x, plane->most_y, dots, 2 + (width - across * dots) / 2,
                          3 + (height - up * dots) / 2};
}

static int x_of(const struct scale *scale, double x) {
    return (int)floor(scale->left + (x - scale->least_x) * scale->dots + 0.5);
}

static int y_of(const struct scale *scale, double y) {
    return (int)floor(scale->top + (scale->most_y - y) * scale->dots + 0.5);
}

// ---- Lines ---------------------------------------------------------------------------------------

static void draw_hull(struct sketch *sketch, const struct plane *plane, const struct scale *scale,
                      bool ascii) {
    struct dots dots = dots_new(sketch->arena, sketch->rows - LEGEND, sketch->columns);
    for (int i = 0; i < plane->hull_count; i++) {
        const struct plane_point *a = &plane->points[plane->hull[i]];
        const struct plane_point *b = &plane->points[plane->hull[(i + 1) % plane->hull_count]];
        dots_line(&dots, x_of(scale, a->x), y_of(scale, a->y), x_of(scale, b->x),
                  y_of(scale, b->y));
    }
    put_dots(sketch, &dots, PART_OF_NOTHING, ascii);
}

// Where x or y is 0: a dot in each cell.
static void draw_zero(struct sketch *sketch, const struct scale *scale, bool ascii) {
    struct dots dots = dots_new(sketch->arena, sketch->rows - LEGEND, sketch->columns);
    for (int x = 0; x < 2 * dots.columns; x += 4) dot_at(&dots, x, y_of(scale, 0));
    for (int y = 0; y < 4 * dots.rows; y += 4) dot_at(&dots, x_of(scale, 0), y);
    put_dots(sketch, &dots, PART_OF_NOTHING, ascii);
}

// ---- Points --------------------------------------------------------------------------------------

static const uint32_t marks[PLANE_SETS] = {0x25cf, 0x25cb}; // ● ○
static const uint32_t ascii_marks[PLANE_SETS] = {'*', 'o'};

static bool is_free(const struct sketch *sketch, int row, int column, int width) {
    if (row < 0 || row >= sketch->rows - LEGEND || column < 0 || column + width > sketch->columns)
        return false;
    for (int i = 0; i < width; i++) {
        if (sketch_at(sketch, row, column + i)->of != PART_OF_NOTHING) return false;
    }
    return true;
}

// Writes the label beside its mark, where there is room: right, left, below, above.
static void put_label(struct sketch *sketch, int row, int column, const char *label, int of) {
    const int width = text_width(label);
    const int places[][2] = {
        {row, column + 2},
        {row, column - 1 - width},
        {row + 1, column + 1},
        {row - 1, column + 1},
        {row + 1, column - width},
        {row - 1, column - width},
        {row + 1, column - width / 2},
        {row - 1, column - width / 2},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!is_free(sketch, places[i][0], places[i][1], width)) continue;
        sketch_write(sketch, places[i][0], places[i][1], label, of);
        return;
    }
}

static void draw_points(struct sketch *sketch, const struct plane *plane, const struct scale *scale,
                        bool ascii) {
    for (int i = plane->point_count - 1; i >= 0; i--) { // the first set lies on top
        const struct plane_point *point = &plane->points[i];
        sketch_put(sketch, y_of(scale, point->y) / 4, x_of(scale, point->x) / 2,
                   ascii ? ascii_marks[point->set] : marks[point->set], i);
    }
    for (int i = 0; i < plane->point_count; i++) {
        const struct plane_point *point = &plane->points[i];
        const char *label = text_cut(sketch->arena, point->label, 12);
        put_label(sketch, y_of(scale, point->y) / 4, x_of(scale, point->x) / 2,
                  ascii ? text_to_ascii(sketch->arena, label) : label, i);
    }
}

static void draw_legend(struct sketch *sketch, const struct plane *plane, bool ascii) {
    struct arena *arena = sketch->arena;
    struct text names = text_new(arena);
    for (int i = 0; i < plane->set_count && i < PLANE_SETS; i++) {
        char mark[5];
        utf8_encode(ascii ? ascii_marks[i] : marks[i], mark);
        text_add_format(&names, "%s%s %s", i > 0 ? "   " : "", mark, plane->sets[i].name);
    }
    if (plane->hull_count > 0) text_add(&names, ", with their hull");
    const char *ranges =
        arena_format(arena, "→ %s %.2g…%.2g  ↑ %s %.2g…%.2g", plane->x_name, plane->least_x,
                     plane->most_x, plane->y_name, plane->least_y, plane->most_y);
    sketch_write(sketch, sketch->rows - 2, 0, names.bytes, PART_OF_NOTHING);
    sketch_write(sketch, sketch->rows - 1, 0, ascii ? text_to_ascii(arena, ranges) : ranges,
                 PART_OF_NOTHING);
}

struct sketch plane_sketch(struct arena *arena, const struct plane *plane, int rows, int columns,
                           bool ascii) {
    struct sketch sketch = sketch_new(arena, rows, columns);
    if (rows <= LEGEND || columns < 4) return sketch;
    const struct scale scale = scale_of(plane, rows - LEGEND, columns);
    draw_points(&sketch, plane, &scale, ascii);
    draw_hull(&sketch, plane, &scale, ascii);
    if (plane->has_zero) draw_zero(&sketch, &scale, ascii);
    draw_legend(&sketch, plane, ascii);
    return sketch;
}
