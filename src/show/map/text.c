// The map as text.

#include "show/map/map.h"
#include "trace/run/step.h"

// ---- Lines ---------------------------------------------------------------------------------------

// Where a line leads on from a cell.
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

static const char *const characters[] = {
    [UP] = "│",
    [DOWN] = "│",
    [UP | DOWN] = "│",
    [LEFT] = "─",
    [RIGHT] = "─",
    [LEFT | RIGHT] = "─",
    [UP | LEFT] = "┘",
    [UP | RIGHT] = "└",
    [DOWN | LEFT] = "┐",
    [DOWN | RIGHT] = "┌",
    [UP | DOWN | LEFT] = "┤",
    [UP | DOWN | RIGHT] = "├",
    [UP | LEFT | RIGHT] = "┴",
    [DOWN | LEFT | RIGHT] = "┬",
    [UP | DOWN | LEFT | RIGHT] = "┼",
};

// The lines as arms in cells, while they are drawn.
struct lines {
    struct sketch *sketch;
    unsigned char *arms; // by cell
};

// Where the lines of two nodes cross, the one that goes down passes in front.
static void add_arms(struct lines *lines, int row, int column, int arms, int of) {
    struct sketch_cell *cell = sketch_at(lines->sketch, row, column);
    if (cell == NULL) return;
    unsigned char *here = &lines->arms[cell - lines->sketch->cells];
    const bool is_crossing = *here != 0 && cell->of != of;
    if (is_crossing && (arms & (LEFT | RIGHT)) != 0) return;
    *here = (unsigned char)(is_crossing ? arms : *here | arms);
    const char *character = characters[*here];
    *cell = (struct sketch_cell){utf8_next(&character), of, false};
}

static void draw_down(struct lines *lines, int column, int from, int to, int of) {
    for (int row = from; row <= to; row++)
        add_arms(lines, row, column, (row > from ? UP : 0) | (row < to ? DOWN : 0), of);
}

static void draw_along(struct lines *lines, int row, int from, int to, int of) {
    const int first = from < to ? from : to, last = from < to ? to : from;
    for (int column = first; column <= last; column++)
        add_arms(lines, row, column, (column > first ? LEFT : 0) | (column < last ? RIGHT : 0), of);
}

static void draw_hop(struct lines *lines, const struct map_hop *hop) {
    if (hop->exit == hop->entry) {
        draw_down(lines, hop->exit, hop->top, hop->bottom, hop->from);
        return;
    }
    draw_down(lines, hop->exit, hop->top, hop->turn, hop->from);
    draw_along(lines, hop->turn, hop->exit, hop->entry, hop->from);
    draw_down(lines, hop->entry, hop->turn, hop->bottom, hop->from);
}

static void draw_lines(struct sketch *sketch, const struct map *map) {
    struct lines lines = {sketch, NULL};
    lines.arms = arena_array(sketch->arena, (size_t)sketch->rows, (size_t)(sketch->columns + 1));
    for (int i = 0; i < map->hop_count; i++) draw_hop(&lines, &map->hops[i]);
}

// ---- Words ---------------------------------------------------------------------------------------

static void draw_arrow(struct sketch *sketch, const struct map_hop *hop) {
    if (hop->edge < 0) return;
    sketch_put(sketch, hop->bottom, hop->entry, 0x25bc, hop->from); // ▼
    if (hop->shape != NULL)
        sketch_write(sketch, hop->bottom, hop->entry + 2, hop->shape, hop->from);
}

// The words stand in the middle of their brackets.
static void draw_place(struct sketch *sketch, const struct map_box *box, int node) {
    for (int column = 0; column < box->width; column++)
        sketch_write(sketch, box->row, box->column + column, " ", node);
    const int inner = box->width - 2, blank = (inner - text_width(box->label)) / 2;
    sketch_write(sketch, box->row, box->column, "[", node);
    sketch_write(sketch, box->row, box->column + 1 + blank, box->label, node);
    sketch_write(sketch, box->row, box->column + box->width - 1, "]", node);
    if (box->shape != NULL) sketch_write(sketch, box->row + 1, box->exit + 2, box->shape, node);
}

struct sketch map_sketch(struct arena *arena, const struct map *map) {
    struct sketch sketch = sketch_new(arena, map->rows, map->columns);
    draw_lines(&sketch, map);
    for (int i = 0; i < map->hop_count; i++) draw_arrow(&sketch, &map->hops[i]);
    for (int i = 0; i < map->graph.node_count; i++) draw_place(&sketch, &map->places[i], i);
    return sketch;
}

void add_map(struct text *text, const struct map *map) {
    const struct sketch sketch = map_sketch(text->arena, map);
    add_sketch(text, &sketch);
}

// ---- Facts ---------------------------------------------------------------------------------------

// "7 scores (6, 6): computed from queries (6, 2), keys (2, 6)".
void add_map_fact(struct text *text, const struct map *map, int node) {
    struct arena *arena = text->arena;
    const struct graph *graph = &map->graph;
    const struct step *step = graph->nodes[node];
    const struct tensor *tensor = step != NULL ? &step->tensor : &map->run->inputs;
    text_add_format(text, "%s %s", map->places[node].label, shape_text(arena, shape_of(tensor)));
    const char *separator = ": computed from ";
    for (int i = 0; i < graph->edge_count; i++) {
        const struct edge *edge = &graph->edges[i];
        if (edge->to != node) continue;
        text_add_format(text, "%s%s %s", separator, node_label(arena, graph, edge->from),
                        shape_text(arena, shape_of(&edge->tensor)));
        separator = ", ";
    }
    text_add(text, "\n");
}

void add_map_facts(struct text *text, const struct map *map) {
    for (int i = 0; i < map->graph.node_count; i++) add_map_fact(text, map, i);
}
