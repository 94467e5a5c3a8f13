// In which column a vertex stands: near what it is linked with, and never too near its neighbours.

#include <math.h>

#include "show/map/layout.h"

// ---- How wide ------------------------------------------------------------------------------------

static int larger(int a, int b) {
    return a > b ? a : b;
}

// Columns that the arrows above a node take, with their shapes.
static int width_of_arrows(const struct layout *l, int node) {
    const struct graph *graph = &l->map->graph;
    int width = 1;
    for (int i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].to != node) continue;
        const char *shape = arriving_shape(l, i);
        width += shape != NULL ? text_width(shape) + 3 : 3;
    }
    return width;
}

static void measure_node(struct layout *l, struct vertex *vertex) {
    struct map_box *box = &l->places[vertex->node];
    vertex->width = larger(text_width(box->label) + 2, width_of_arrows(l, vertex->node));
    const int shape = box->shape != NULL ? 2 + text_width(box->shape) : 0;
    vertex->room = larger(vertex->width, vertex->width / 2 + shape);
}

// ---- Where ---------------------------------------------------------------------------------------

static int middle(const struct vertex *vertex) {
    return vertex->left + vertex->width / 2;
}

// A run of vertices that stand as close as they may, and where the first one would like to stand.
struct pool {
    double wish, weight;
    int count;
};

// Where vertex `v` would like to begin: where its middle is below (or above) the mean of those that it is
// linked with. The weight says how much; it is 0 if there are none.
static struct pool wish_on_side(const struct layout *l, int v, bool above) {
    const struct vertex *vertex = &l->vertices[v];
    double sum = 0, weight = 0;
    for (int i = 0; i < l->link_count; i++) {
        const struct link *link = &l->links[i];
        if ((above ? link->to : link->from) != v) continue;
        const struct vertex *other = &l->vertices[above ? link->from : link->to];
        const double pull = vertex->passes && other->passes ? 8 : vertex->passes ? 2 : 1;
        sum += pull * middle(other);
        weight += pull;
    }
    if (weight == 0) return (struct pool){vertex->left, 0, 1};
    return (struct pool){sum / weight - vertex->width / 2, weight, 1};
}

// Without any on that side, those on the other count a little.
static struct pool wish_of(const struct layout *l, int v, bool above) {
    struct pool wish = wish_on_side(l, v, above);
    if (wish.weight > 0) return wish;
    wish = wish_on_side(l, v, !above);
    if (wish.weight == 0)
        return (struct pool){-1e4, 1e-9, 1}; // with nothing: as far left as may be
    wish.weight = 0.01;
    return wish;
}

// Gives the vertices of a layer the columns nearest to their wishes in the sum of weighted squares, with room
// between: pool adjacent violators (Ayer and others, 1955), on the columns less the room before each.
static void place_layer(struct layout *l, const struct layer *layer, bool above) {
    struct pool *pools = arena_array(l->arena, (size_t)layer->count, sizeof *pools);
    int count = 0, before = 0;
    for (int i = 0; i < layer->count; i++) {
        struct pool pool = wish_of(l, layer->vertices[i], above);
        pool.wish -= before;
        before += l->vertices[layer->vertices[i]].room + BETWEEN;
        for (; count > 0 && pools[count - 1].wish >= pool.wish; count--) {
            const struct pool *other = &pools[count - 1];
            const double weight = other->weight + pool.weight;
            pool.wish = (other->wish * other->weight + pool.wish * pool.weight) / weight;
            pool.weight = weight;
            pool.count += other->count;
        }
        pools[count++] = pool;
    }
    before = 0;
    for (int i = 0, next = 0; i < count; i++) {
        for (int j = 0; j < pools[i].count; j++, next++) {
            struct vertex *vertex = &l->vertices[layer->vertices[next]];
            vertex->left = (int)floor(pools[i].wish + 0.5) + before;
            before += vertex->room + BETWEEN;
        }
    }
}

// ---- Straight lines --------------------------------------------------------------------------------

// The columns between which vertex number i of a layer may begin, its neighbours as they are.
static void bounds_of(const struct layout *l, const struct layer *layer, int i, int *least,
                      int *most) {
    const struct vertex *vertex = &l->vertices[layer->vertices[i]];
    *least = -10000, *most = 10000;
    if (i > 0) {
        const struct vertex *left = &l->vertices[layer->vertices[i - 1]];
        *least = left->left + left->room + BETWEEN;
    }
    if (i + 1 < layer->count)
        *most = l->vertices[layer->vertices[i + 1]].left - vertex->room - BETWEEN;
}

// Moves what has only one link upwards straight below it, where there is room.
static void straighten(struct layout *l, const struct layer *layer) {
    for (int i = 0; i < layer->count; i++) {
        struct vertex *vertex = &l->vertices[layer->vertices[i]];
        const struct vertex *above = NULL;
        int count = 0;
        for (int j = 0; j < l->link_count; j++) {
            if (l->links[j].to != layer->vertices[i]) continue;
            above = &l->vertices[l->links[j].from];
            count++;
        }
        if (count != 1) continue;
        int least, most;
        bounds_of(l, layer, i, &least, &most);
        const int wish = middle(above) - vertex->width / 2;
        if (wish >= least && wish <= most) vertex->left = wish;
    }
}

static void begin_at_0(struct layout *l) {
    int least = l->vertices[0].left;
    for (int i = 1; i < l->vertex_count; i++) {
        if (l->vertices[i].left < least) least = l->vertices[i].left;
    }
    for (int i = 0; i < l->vertex_count; i++) {
        struct vertex *vertex = &l->vertices[i];
        vertex->left -= least;
        vertex->exit = middle(vertex);
    }
}

void find_columns(struct layout *l) {
    enum { SWEEPS = 8 };
    for (int i = 0; i < l->map->graph.node_count; i++) measure_node(l, &l->vertices[i]);
    for (int i = 0; i < l->layer_count; i++) place_layer(l, &l->layers[i], true);
    for (int i = 0; i < SWEEPS; i++) {
        for (int j = l->layer_count - 2; j >= 0; j--) place_layer(l, &l->layers[j], false);
        for (int j = 1; j < l->layer_count; j++) place_layer(l, &l->layers[j], true);
    }
    for (int i = 1; i < l->layer_count; i++) straighten(l, &l->layers[i]);
    begin_at_0(l);
}
