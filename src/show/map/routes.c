// How lines lead from layer to layer: down out of a vertex, along a row between the layers, down into the next.
// Two lines may cross and never share a piece of their way, unless they come from one node.

#include <stdlib.h>

#include "show/map/layout.h"

// ---- Where lines arrive ----------------------------------------------------------------------------

// Leaves another line the layer above in this column? Then none may arrive in it: the two would be one.
static bool is_blocked(const struct layout *l, const struct link *link, int column) {
    const struct layer *above = &l->layers[l->vertices[link->from].layer];
    for (int i = 0; i < above->count; i++) {
        if (above->vertices[i] != link->from && l->vertices[above->vertices[i]].exit == column)
            return true;
    }
    return false;
}

// A passing line arrives where it stands, or as near as it can; there it also leaves.
static void arrive_at_passing(struct layout *l, struct link *link) {
    struct vertex *vertex = &l->vertices[link->to];
    for (int away = 0;; away++) {
        for (int side = -1; side <= 1; side += 2) {
            const int column = vertex->left + side * away;
            if (column < 0 || is_blocked(l, link, column)) continue;
            vertex->left = vertex->exit = link->entry = column;
            return;
        }
    }
}

// The arrows above one node, from left to right as their lines come.
struct arrows {
    int count;
    struct link **links;
};

static struct arrows arrows_above(struct layout *l, int vertex) {
    struct arrows arrows = {0};
    for (int i = 0; i < l->link_count; i++) arrows.count += l->links[i].to == vertex;
    arrows.links = arena_array(l->arena, (size_t)arrows.count, sizeof *arrows.links);
    int count = 0;
    for (int i = 0; i < l->link_count; i++) {
        if (l->links[i].to != vertex) continue;
        const int exit = l->vertices[l->links[i].from].exit;
        int position = count++;
        for (; position > 0 && l->vertices[arrows.links[position - 1]->from].exit > exit;
             position--)
            arrows.links[position] = arrows.links[position - 1];
        arrows.links[position] = &l->links[i];
    }
    return arrows;
}

static int columns_of_arrow(const struct layout *l, const struct link *link) {
    const char *shape = arriving_shape(l, link->edge);
    return shape != NULL ? text_width(shape) + 3 : 2;
}

// The free column nearest to `wish` in least ... most; -1 if there is none.
static int free_column(const struct layout *l, const struct link *link, int wish, int least,
                       int most) {
    for (int away = 0; away <= most - least; away++) {
        if (wish - away >= least && wish - away <= most && !is_blocked(l, link, wish - away))
            return wish - away;
        if (wish + away >= least && wish + away <= most && !is_blocked(l, link, wish + away))
            return wish + away;
    }
    return -1;
}

// Each arrow stands straight below where its line comes from, if it can, else where it would if all were
// spread evenly. Returns whether all have a place.
static bool spread_arrows(struct layout *l, const struct vertex *node, struct arrows arrows) {
    int rest = 0; // columns that the arrows from here on take
    for (int i = 0; i < arrows.count; i++) rest += columns_of_arrow(l, arrows.links[i]);
    int least = node->left + (node->width > 3);
    for (int i = 0; i < arrows.count; i++) {
        struct link *link = arrows.links[i];
        const int last = node->left + node->width - 1;
        int most = node->left + node->width - rest;
        if (most < least) most = least;
        const int exit = l->vertices[link->from].exit;
        const bool is_above = exit >= least && exit <= most;
        const int even = node->left + (2 * i + 1) * node->width / (2 * arrows.count);
        link->entry = free_column(l, link, is_above ? exit : even, least, most);
        if (link->entry < 0) link->entry = free_column(l, link, least, least, last);
        if (link->entry < 0) return false;
        least = link->entry + columns_of_arrow(l, link);
        rest -= columns_of_arrow(l, link);
    }
    return true;
}

// As far left as they can be. The node is wide enough: a third of the columns at most are blocked.
static void pack_arrows(struct layout *l, const struct vertex *node, struct arrows arrows) {
    const int last = node->left + node->width - 1;
    int least = node->left;
    for (int i = 0; i < arrows.count; i++) {
        struct link *link = arrows.links[i];
        link->entry = free_column(l, link, least, least, last);
        least = link->entry + columns_of_arrow(l, link);
    }
}

static void arrive_at_node(struct layout *l, int vertex) {
    const struct vertex *node = &l->vertices[vertex];
    const struct arrows arrows = arrows_above(l, vertex);
    if (!spread_arrows(l, node, arrows)) pack_arrows(l, node, arrows);
}

static void arrive(struct layout *l, const struct layer *layer) {
    for (int i = 0; i < layer->count; i++) {
        const int v = layer->vertices[i];
        if (!l->vertices[v].passes) {
            arrive_at_node(l, v);
            continue;
        }
        for (int j = 0; j < l->link_count; j++) {
            if (l->links[j].to == v) arrive_at_passing(l, &l->links[j]);
        }
    }
}

// ---- Where they turn --------------------------------------------------------------------------------

// All links that leave one vertex share a wire. It needs one row for itself from its first to its last
// column, unless it is straight.
struct wire {
    int vertex;
    int first, last; // columns
    int track;       // row, from 0 between the layers
};

static struct wire wire_from(const struct layout *l, int vertex) {
    struct wire wire = {vertex, l->vertices[vertex].exit, l->vertices[vertex].exit, 0};
    for (int i = 0; i < l->link_count; i++) {
        const struct link *link = &l->links[i];
        if (link->from != vertex) continue;
        if (link->entry < wire.first) wire.first = link->entry;
        if (link->entry > wire.last) wire.last = link->entry;
    }
    return wire;
}

static int by_first(const void *left, const void *right) {
    const struct wire *a = left, *b = right;
    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : a->vertex - b->vertex;
}

static bool fits_track(const struct wire *wires, int count, const struct wire *wire, int track) {
    for (int i = 0; i < count; i++) {
        const bool is_straight = wires[i].first == wires[i].last;
        if (!is_straight && wires[i].track == track && wires[i].last + 1 >= wire->first)
            return false;
    }
    return true;
}

// The lines below a layer, each in the first row that is free from its first column on (the left-edge
// algorithm of Hashimoto and Stevens, 1971). Returns the number of rows.
static int find_tracks(struct layout *l, const struct layer *layer, struct wire *wires) {
    int tracks = 0;
    for (int i = 0; i < layer->count; i++) wires[i] = wire_from(l, layer->vertices[i]);
    qsort(wires, (size_t)layer->count, sizeof *wires, by_first);
    for (int i = 0; i < layer->count; i++) {
        if (wires[i].first == wires[i].last) continue;
        while (!fits_track(wires, i, &wires[i], wires[i].track)) wires[i].track++;
        if (wires[i].track >= tracks) tracks = wires[i].track + 1;
    }
    return tracks;
}

// ---- Hops ----------------------------------------------------------------------------------------

static int add_hops(const struct layout *l, const struct wire *wire, int row, int below,
                    struct map_hop *hops) {
    int count = 0;
    const struct vertex *from = &l->vertices[wire->vertex];
    for (int i = 0; i < l->link_count; i++) {
        const struct link *link = &l->links[i];
        if (link->from != wire->vertex) continue;
        hops[count++] = (struct map_hop){
            .from = from->node,
            .edge = link->edge,
            .top = from->passes ? row : row + 1,
            .exit = from->exit,
            .turn = row + 2 + wire->track,
            .entry = link->entry,
            .bottom = link->edge >= 0 ? below - 1 : below,
            .shape = link->edge >= 0 ? arriving_shape(l, link->edge) : NULL,
        };
    }
    return count;
}

struct map_hop *find_hops(struct layout *l, struct map *map) {
    struct map_hop *hops = arena_array(l->arena, (size_t)l->link_count, sizeof *hops);
    int row = 0;
    for (int i = 0; i < l->layer_count; i++) {
        const struct layer *layer = &l->layers[i];
        struct wire *wires = arena_array(l->arena, (size_t)layer->count, sizeof *wires);
        if (i + 1 < l->layer_count) arrive(l, &l->layers[i + 1]);
        const int below = row + 3 + find_tracks(l, layer, wires);
        for (int j = 0; j < layer->count; j++) {
            const struct vertex *vertex = &l->vertices[layer->vertices[j]];
            if (!vertex->passes) l->places[vertex->node].row = row;
            map->hop_count += add_hops(l, &wires[j], row, below, &hops[map->hop_count]);
        }
        map->rows = row + 1;
        row = below;
    }
    return hops;
}
