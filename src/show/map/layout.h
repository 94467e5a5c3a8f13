#ifndef ONESTEP_SHOW_MAP_LAYOUT_H
#define ONESTEP_SHOW_MAP_LAYOUT_H

// The map on its way to being laid out: layout.c is map_of, and asks the others in turn. Nobody else includes it.

#include "show/map/map.h"

// What stands on a layer: a node, or a line that passes it.
struct vertex {
    int node;    // of the graph; of a passing line, the one that it comes from
    bool passes; // is it a passing line?
    int layer;   // from 0, at the top
    int left;    // column
    int width;   // columns
    int room;    // columns that it takes with the shape below it
    int exit;    // column in which its line leaves
    double key;  // while the layer is being ordered
};

// From a vertex to one of the next layer.
struct link {
    int from, to; // vertices
    int edge;     // of the graph; -1 if `to` is a passing line
    int entry;    // column in which it arrives
};

struct layer {
    int count;
    int *vertices; // from left to right
};

struct layout {
    struct arena *arena;
    const struct map *map;
    struct map_place *places;
    int vertex_count;
    struct vertex *vertices; // those of nodes first, by node
    int link_count;
    struct link *links; // by the layer that they leave
    int layer_count;
    struct layer *layers;
};

enum { BETWEEN = 2 }; // columns between two vertices

// Puts every node on a layer and lines through those between, in an order with few crossings.
void find_layers(struct layout *layout);

// Gives every vertex its column.
void find_columns(struct layout *layout);

// Leads the lines, and says in which row each layer stands. Returns the hops; sets the map's rows.
struct map_hop *find_hops(struct layout *layout, struct map *map);

// The shape that stands beside the arrow of an edge, NULL if it is the one below its node.
const char *arriving_shape(const struct layout *layout, int edge);

#endif
