// The map as SVG: the same grid, in pixels.

#include "show/figure.h"
#include "show/map/map.h"
#include "show/markup.h"
#include "trace/run/step.h"

static const double COLUMN = 8.4, ROW = 19, RADIUS = 4, HALF_NODE = 13; // pixels

static double x_of(int column) {
    return (column + 0.5) * COLUMN;
}

static double y_of(int row) {
    return (row + 0.5) * ROW;
}

// Down in one column, along in a row, down in another, round the corners.
static void add_turn(struct text *text, const struct map_hop *hop) {
    const double from = x_of(hop->exit), to = x_of(hop->entry), y = y_of(hop->turn);
    const double side = from < to ? RADIUS : -RADIUS;
    text_add_format(text, "V%.5gq0 %.5g %.5g %.5gH%.5gq%.5g 0 %.5g %.5g", y - RADIUS, RADIUS, side,
                    RADIUS, to - side, side, side, RADIUS);
}

// A line begins at its node's edge; an arrow ends just above one.
static void add_hop(struct text *text, const struct map *map, const struct map_hop *hop) {
    const bool leaves = hop->top == map->places[hop->from].row + 1, arrives = hop->edge >= 0;
    const double x = x_of(hop->entry);
    const double end = arrives ? y_of(hop->bottom + 1) - HALF_NODE - 1 : y_of(hop->bottom);
    text_add_format(text, "<path class=\"line\" d=\"M%.5g %.5g", x_of(hop->exit),
                    y_of(hop->top) - (leaves ? ROW / 2 : 0));
    if (hop->exit != hop->entry) add_turn(text, hop);
    text_add_format(text, "V%.5g\"/>\n", arrives ? end - 4 : end);
    if (!arrives) return;
    text_add_format(text, "<path class=\"arrow\" d=\"M%.5g %.5gl-4-8h8z\"/>\n", x, end);
    if (hop->shape != NULL)
        figure_words(text, (struct figure_spot){x + 7, end - 2}, "start", "quiet", hop->shape);
}

static void add_place(struct text *text, const struct map_box *box, const char *link) {
    const double y = y_of(box->row), left = box->column * COLUMN, width = box->width * COLUMN;
    if (link != NULL) {
        text_add(text, "<a href=\"");
        markup_add(text, link);
        text_add(text, "\">\n");
    }
    text_add_format(
        text,
        "<rect class=\"node\" rx=\"6\" x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\"/>\n",
        left, y - HALF_NODE, width, 2 * HALF_NODE);
    figure_words(text, (struct figure_spot){left + width / 2, y + 4.5}, "middle", "words",
                 box->label);
    if (link != NULL) text_add(text, "</a>\n");
    if (box->shape != NULL)
        figure_words(text, (struct figure_spot){x_of(box->exit) + 7, y + HALF_NODE + 12}, "start",
                     "quiet", box->shape);
}

static const char *link_of(struct arena *arena, const struct map *map, int node) {
    const struct step *step = map->graph.nodes[node];
    if (step == NULL) return NULL;
    return arena_format(arena, "#%s", step_address(arena, map->run, step));
}

void add_map_svg(struct text *text, const struct map *map, const char *heading, bool has_links) {
    struct text facts = text_new(text->arena);
    text_add(&facts, "");
    add_map_facts(&facts, map);
    const char *label =
        arena_format(text->arena, "%s: what each step was computed from", map->run->lesson->title);
    figure_open(text, (struct figure_spot){map->columns * COLUMN, map->rows * ROW + 4}, heading,
                label, facts.bytes);
    for (int i = 0; i < map->hop_count; i++) add_hop(text, map, &map->hops[i]);
    for (int i = 0; i < map->graph.node_count; i++) {
        const char *link = has_links ? link_of(text->arena, map, i) : NULL;
        add_place(text, &map->places[i], link);
    }
    figure_close(text);
}
