#include "show/map/layout.h"

#include "trace/run/step.h"

static bool is_used(const struct graph *graph, int node) {
    for (int i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].from == node) return true;
    }
    return false;
}

static const struct tensor *tensor_of(const struct map *map, int node) {
    const struct step *step = map->graph.nodes[node];
    return step != NULL ? &step->tensor : &map->run->inputs;
}

static void name_place(struct arena *arena, const struct map *map, int node, struct map_box *box) {
    const struct step *step = map->graph.nodes[node];
    const bool is_of_call = step != NULL && map->within > 0 && step->within == map->within;
    box->label = is_of_call ? step->name : node_label(arena, &map->graph, node);
    if (step != NULL) box->label = arena_format(arena, "%d %s", step->number, box->label);
    if (is_used(&map->graph, node)) box->shape = shape_text(arena, shape_of(tensor_of(map, node)));
}

const char *arriving_shape(const struct layout *l, int edge) {
    const struct edge *e = &l->map->graph.edges[edge];
    const struct shape shape = shape_of(&e->tensor);
    if (shapes_equal(shape, shape_of(tensor_of(l->map, e->from)))) return NULL;
    return shape_text(l->arena, shape);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// Sets the places to what was found, and the columns of the whole.
static void settle(const struct layout *l, struct map *map) {
    for (int i = 0; i < l->vertex_count; i++) {
        const struct vertex *vertex = &l->vertices[i];
        map->columns = larger(map->columns, larger(vertex->left, vertex->exit) + vertex->room);
        if (vertex->passes) continue;
        struct map_box *box = &l->places[vertex->node];
        box->column = vertex->left;
        box->width = vertex->width;
        box->exit = vertex->exit;
    }
}

struct map map_of(struct arena *arena, const struct run *run) {
    return map_of_call(arena, run, 0);
}

struct map map_of_call(struct arena *arena, const struct run *run, int within) {
    struct map map = {.run = run, .within = within, .graph = graph_of_call(arena, run, within)};
    const int count = map.graph.node_count;
    struct layout layout = {
        .arena = arena,
        .map = &map,
        .places = arena_array(arena, (size_t)count, sizeof *layout.places),
    };
    map.places = layout.places;
    if (count == 0) return map;
    for (int i = 0; i < count; i++) name_place(arena, &map, i, &layout.places[i]);
    find_layers(&layout);
    find_columns(&layout);
    map.hops = find_hops(&layout, &map);
    settle(&layout, &map);
    return map;
}
