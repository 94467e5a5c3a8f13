// On which layer a node stands, and in which order the vertices of a layer.

#include <string.h>

#include "show/map/layout.h"

// ---- Layers --------------------------------------------------------------------------------------

// A node stands below all that it is made of: on the layer of the longest way to it. Nodes come in an order
// in which every edge but one between views leads on, so a few passes find it.
static void sink(const struct graph *graph, int *layer) {
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (int i = 0; i < graph->edge_count; i++) {
            const struct edge *edge = &graph->edges[i];
            if (layer[edge->to] > layer[edge->from]) continue;
            layer[edge->to] = layer[edge->from] + 1;
            has_changed = true;
        }
    }
}

// What is made of nothing (weights, masks) stands just above where it is first used.
static void pull_down(struct layout *layout, int *layer) {
    const struct graph *graph = &layout->map->graph;
    int *first_use = arena_array(layout->arena, (size_t)graph->node_count, sizeof *first_use);
    bool *is_made = arena_array(layout->arena, (size_t)graph->node_count, sizeof *is_made);
    for (int i = 0; i < graph->edge_count; i++) {
        const struct edge *edge = &graph->edges[i];
        is_made[edge->to] = true;
        if (first_use[edge->from] == 0 || layer[edge->to] < first_use[edge->from])
            first_use[edge->from] = layer[edge->to];
    }
    for (int i = 0; i < graph->node_count; i++) {
        if (!is_made[i] && first_use[i] > 0) layer[i] = first_use[i] - 1;
    }
}

// ---- Vertices and links ----------------------------------------------------------------------------

static int add_vertex(struct layout *l, struct vertex vertex) {
    l->vertices = arena_grow(l->arena, l->vertices, (size_t)l->vertex_count * sizeof *l->vertices,
                             sizeof *l->vertices);
    l->vertices[l->vertex_count] = vertex;
    struct layer *layer = &l->layers[vertex.layer];
    layer->vertices =
        arena_grow(l->arena, layer->vertices, (size_t)layer->count * sizeof *layer->vertices,
                   sizeof *layer->vertices);
    layer->vertices[layer->count++] = l->vertex_count;
    return l->vertex_count++;
}

static void add_link(struct layout *l, int from, int to, int edge) {
    l->links =
        arena_grow(l->arena, l->links, (size_t)l->link_count * sizeof *l->links, sizeof *l->links);
    l->links[l->link_count++] = (struct link){from, to, edge, 0};
}

// Links a node with all that is made of it, by one line that passes the layers between.
static void link_node(struct layout *l, int node, const int *layer) {
    const struct graph *graph = &l->map->graph;
    int last = layer[node];
    for (int i = 0; i < graph->edge_count; i++) {
        const struct edge *edge = &graph->edges[i];
        if (edge->from == node && layer[edge->to] > last) last = layer[edge->to];
    }
    int above = node;
    for (int below = layer[node] + 1; below <= last; below++) {
        for (int i = 0; i < graph->edge_count; i++) {
            const struct edge *edge = &graph->edges[i];
            if (edge->from == node && layer[edge->to] == below) add_link(l, above, edge->to, i);
        }
        if (below == last) break;
        const int passing = add_vertex(
            l,
            (struct vertex){.node = node, .passes = true, .layer = below, .width = 1, .room = 1});
        add_link(l, above, passing, -1);
        above = passing;
    }
}

// ---- Order ---------------------------------------------------------------------------------------

// The places of the vertices, by vertex.
static void note_places(const struct layout *l, int *position) {
    for (int i = 0; i < l->layer_count; i++) {
        for (int j = 0; j < l->layers[i].count; j++) position[l->layers[i].vertices[j]] = j;
    }
}

static bool cross(const struct layout *l, const int *position, const struct link *a,
                  const struct link *b) {
    if (l->vertices[a->from].layer != l->vertices[b->from].layer) return false;
    return (position[a->from] < position[b->from] && position[a->to] > position[b->to]) ||
           (position[a->from] > position[b->from] && position[a->to] < position[b->to]);
}

static int64_t count_crossings(const struct layout *l, const int *position) {
    int64_t count = 0;
    for (int i = 0; i < l->link_count; i++) {
        for (int j = 0; j < i; j++) count += cross(l, position, &l->links[i], &l->links[j]);
    }
    return count;
}

// The mean place of the neighbours of vertex `v` above it (or below); -1 without any.
static double mean_place(const struct layout *l, const int *position, int v, bool above) {
    int count = 0;
    double sum = 0;
    for (int i = 0; i < l->link_count; i++) {
        const struct link *link = &l->links[i];
        if ((above ? link->to : link->from) != v) continue;
        sum += position[above ? link->from : link->to];
        count++;
    }
    return count > 0 ? sum / count : -1;
}

// Each vertex of a layer gets the mean place of its neighbours on one side as its key; without any there, of
// those on the other.
static void set_keys(struct layout *l, const struct layer *layer, const int *position, bool above) {
    for (int i = 0; i < layer->count; i++) {
        const int v = layer->vertices[i];
        double key = mean_place(l, position, v, above);
        if (key < 0) key = mean_place(l, position, v, !above);
        l->vertices[v].key = key < 0 ? position[v] : key;
    }
}

// Sorts a layer by key; what is equal keeps its order.
static void sort_layer(const struct layout *l, struct layer *layer) {
    for (int i = 1; i < layer->count; i++) {
        const int vertex = layer->vertices[i];
        int j = i;
        for (; j > 0 && l->vertices[layer->vertices[j - 1]].key > l->vertices[vertex].key; j--)
            layer->vertices[j] = layer->vertices[j - 1];
        layer->vertices[j] = vertex;
    }
}

static void sweep(struct layout *l, int *position, bool downwards) {
    for (int i = 1; i < l->layer_count; i++) {
        struct layer *layer = &l->layers[downwards ? i : l->layer_count - 1 - i];
        set_keys(l, layer, position, downwards);
        sort_layer(l, layer);
        note_places(l, position);
    }
}

// Sweeps down and up, and keeps the order with the fewest crossings (Sugiyama's barycenters).
static void order_layers(struct layout *l) {
    enum { SWEEPS = 12 };
    const size_t count = (size_t)l->vertex_count;
    int *position = arena_array(l->arena, count, sizeof *position);
    int *best = arena_array(l->arena, count, sizeof *best);
    note_places(l, position);
    memcpy(best, position, count * sizeof *best);
    int64_t fewest = count_crossings(l, position);
    for (int i = 0; i < SWEEPS && fewest > 0; i++) {
        sweep(l, position, i % 2 == 0);
        const int64_t crossings = count_crossings(l, position);
        if (crossings >= fewest) continue;
        fewest = crossings;
        memcpy(best, position, count * sizeof *best);
    }
    for (int i = 0; i < l->vertex_count; i++) l->layers[l->vertices[i].layer].vertices[best[i]] = i;
}

void find_layers(struct layout *l) {
    const struct graph *graph = &l->map->graph;
    int *layer = arena_array(l->arena, (size_t)graph->node_count, sizeof *layer);
    sink(graph, layer);
    pull_down(l, layer);
    for (int i = 0; i < graph->node_count; i++) {
        if (layer[i] >= l->layer_count) l->layer_count = layer[i] + 1;
    }
    l->layers = arena_array(l->arena, (size_t)l->layer_count, sizeof *l->layers);
    for (int i = 0; i < graph->node_count; i++)
        add_vertex(l, (struct vertex){.node = i, .layer = layer[i]});
    for (int i = 0; i < graph->node_count; i++) link_node(l, i, layer);
    order_layers(l);
}
