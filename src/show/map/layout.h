#ifndef ONESTEP_SHOW_MAP_LAYOUT_H
#define ONESTEP_SHOW_MAP_LAYOUT_H

// The layout of a map while it is computed: layout.c (map_of) calls the functions of the other files in turn.
// No other file includes this header.

#include "show/map/map.h"

// A place on a layer: a node, or a line that passes through.
struct vertex {
    int node;    // of the graph; of a passing line, the one that it comes from
    bool passes; // is it a passing line?
    int layer;   // from 0, at the top
    int left;    // column
    int width;   // columns
    int room;    // columns of the node together with the shape below it
    int exit;    // column in which its line leaves
    double key;  // sort key while the layer is ordered
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
    struct map_box *places;
    int vertex_count;
    struct vertex *vertices; // those of nodes first, by node
    int link_count;
    struct link *links; // by the layer that they leave
    int layer_count;
    struct layer *layers;
};

enum { BETWEEN = 2 }; // columns between two vertices

// Assigns every node to a layer, adds passing lines on the layers between, and orders each layer with few
// crossings.
void find_layers(struct layout *layout);

// Assigns a column to every vertex.
void find_columns(struct layout *layout);

// Routes the lines and assigns a row to each layer. Returns the hops; sets the map's rows.
struct map_hop *find_hops(struct layout *layout, struct map *map);

// The shape beside the arrow of an edge; NULL if it is the shape below its node.
const char *arriving_shape(const struct layout *layout, int edge);

#endif
