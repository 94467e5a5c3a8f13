// A plane as a figure.

#include <math.h>

#include "show/figure.h"
#include "show/picture/plane.h"

// Pixels. As wide as a phone shows with letters that can be read.
enum { SIDE = 340, LEGEND = 70 };

struct scale {
    double least_x, most_y, unit, width, height;
};

static struct scale scale_of(const struct plane *plane) {
    const double across = plane->most_x - plane->least_x, up = plane->most_y - plane->least_y;
    const double longest = fmax(across, up), unit = longest > 0 ? SIDE / longest : 1;
    const double blank = 30 / unit; // around the points
    return (struct scale){plane->least_x - blank, plane->most_y + blank, unit, across * unit + 60,
                          up * unit + 60};
}

static struct figure_spot spot_of(const struct scale *scale, double x, double y) {
    return (struct figure_spot){(x - scale->least_x) * scale->unit,
                                (scale->most_y - y) * scale->unit};
}

static void add_hull(struct text *text, const struct plane *plane, const struct scale *scale) {
    if (plane->hull_count == 0) return;
    text_add(text, "<path class=\"area\" d=\"");
    for (int i = 0; i < plane->hull_count; i++) {
        const struct plane_point *point = &plane->points[plane->hull[i]];
        const struct figure_spot spot = spot_of(scale, point->x, point->y);
        text_add_format(text, "%c%.5g %.5g", i == 0 ? 'M' : 'L', spot.x, spot.y);
    }
    text_add(text, "Z\"/>\n");
}

static void add_zero(struct text *text, const struct scale *scale) {
    const struct figure_spot zero = spot_of(scale, 0, 0);
    text_add_format(text, "<path class=\"line\" d=\"M0 %.5gH%.5gM%.5g 0V%.5g\"/>\n", zero.y,
                    scale->width, zero.x, scale->height);
}

// ---- Points --------------------------------------------------------------------------------------

static void add_mark(struct text *text, int set, struct figure_spot spot) {
    if (set == 0)
        text_add_format(text, "<circle class=\"dot lit\" cx=\"%.5g\" cy=\"%.5g\" r=\"5\"/>\n",
                        spot.x, spot.y);
    else
        text_add_format(text, "<circle class=\"ring\" cx=\"%.5g\" cy=\"%.5g\" r=\"4.5\"/>\n",
                        spot.x, spot.y);
}

// ---- Labels --------------------------------------------------------------------------------------

struct box {
    double left, top, right, bottom;
};

static bool overlap(const struct box *a, const struct box *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// What is taken: the marks, and the labels placed so far.
struct taken {
    int count;
    struct box *boxes;
};

static struct taken take_marks(struct arena *arena, const struct plane *plane,
                               const struct scale *scale) {
    const size_t count = (size_t)plane->point_count;
    struct taken taken = {0, arena_array(arena, 2 * count, sizeof *taken.boxes)};
    for (int i = 0; i < plane->point_count; i++) {
        const struct figure_spot spot = spot_of(scale, plane->points[i].x, plane->points[i].y);
        taken.boxes[taken.count++] = (struct box){spot.x - 6, spot.y - 6, spot.x + 6, spot.y + 6};
    }
    return taken;
}

static bool is_free(const struct taken *taken, const struct box *box, const struct scale *scale) {
    if (box->left < 0 || box->right > scale->width || box->top < 0 || box->bottom > scale->height)
        return false;
    for (int i = 0; i < taken->count; i++) {
        if (overlap(box, &taken->boxes[i])) return false;
    }
    return true;
}

// Places for a label around its point, nearer ones first.
enum { DIRECTIONS = 8, DISTANCES = 4 };

static struct box place_at(const struct figure_spot *spot, double width, int position) {
    static const double ways[DIRECTIONS][2] = {{1, 0},      {-1, 0},      {0.7, 0.8}, {0.7, -0.8},
                                               {-0.7, 0.8}, {-0.7, -0.8}, {0.1, 1.2}, {0.1, -1.2}};
    const double away = 9 + 13 * (position / DIRECTIONS), *way = ways[position % DIRECTIONS];
    const double x = spot->x + way[0] * away, y = spot->y + way[1] * away;
    const double left = way[0] < 0 ? x - width : x;
    return (struct box){left, y - 7, left + width, y + 7};
}

// A label stands where it covers nothing; away from its point, a line leads there.
static void add_label(struct text *text, const struct plane *plane, const struct scale *scale,
                      struct taken *taken, int i) {
    const struct plane_point *point = &plane->points[i];
    const struct figure_spot spot = spot_of(scale, point->x, point->y);
    const bool is_first = point->set == 0;
    const double width = figure_width(point->label) * (is_first ? 1 : 0.85);
    int position = 0;
    struct box box = place_at(&spot, width, 0);
    for (; position < DIRECTIONS * DISTANCES && !is_free(taken, &box, scale); position++)
        box = place_at(&spot, width, position);
    taken->boxes[taken->count++] = box;
    const bool is_right = box.left >= spot.x;
    const struct figure_spot end = {is_right ? box.left : box.right, (box.top + box.bottom) / 2};
    if (position > DIRECTIONS)
        text_add_format(text, "<path class=\"line\" d=\"M%.5g %.5gL%.5g %.5g\"/>\n", spot.x, spot.y,
                        end.x + (is_right ? -2 : 2), end.y);
    figure_words(text, (struct figure_spot){end.x, end.y + 4.5}, is_right ? "start" : "end",
                 is_first ? "label" : "quiet", point->label);
}

static void add_legend(struct text *text, const struct plane *plane, const struct scale *scale) {
    double x = 6;
    const double y = scale->height + 22;
    for (int i = 0; i < plane->set_count; i++) {
        const bool has_hull = i == 1 && plane->hull_count > 0;
        const char *words =
            has_hull ? arena_format(text->arena, "%s, with their hull", plane->sets[i].name)
                     : plane->sets[i].name;
        add_mark(text, i, (struct figure_spot){x, y - 4});
        figure_words(text, (struct figure_spot){x + 12, y}, "start", "label", words);
        x += figure_width(words) + 40;
    }
    figure_words(text, (struct figure_spot){0, y + 22}, "start", "quiet",
                 arena_format(text->arena, "→ %s, %.4g … %.4g", plane->x_name, plane->least_x,
                              plane->most_x));
    figure_words(text, (struct figure_spot){0, y + 39}, "start", "quiet",
                 arena_format(text->arena, "↑ %s, %.4g … %.4g", plane->y_name, plane->least_y,
                              plane->most_y));
}

void add_plane_svg(struct text *text, const struct plane *plane, const char *heading) {
    const struct scale scale = scale_of(plane);
    struct text facts = text_new(text->arena);
    add_plane_facts(&facts, plane);
    figure_open(text, (struct figure_spot){fmax(scale.width, SIDE), scale.height + LEGEND}, heading,
                heading, facts.bytes);
    text_add_format(text, "<path class=\"grid\" d=\"M0 0H%.5gV%.5gH0Z\"/>\n", scale.width,
                    scale.height);
    add_hull(text, plane, &scale);
    if (plane->has_zero) add_zero(text, &scale);
    for (int i = plane->point_count - 1; i >= 0; i--) {
        const struct plane_point *point = &plane->points[i];
        add_mark(text, point->set, spot_of(&scale, point->x, point->y));
    }
    struct taken taken = take_marks(text->arena, plane, &scale);
    for (int i = 0; i < plane->point_count; i++) add_label(text, plane, &scale, &taken, i);
    add_legend(text, plane, &scale);
    figure_close(text);
}
