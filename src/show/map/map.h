#ifndef ONESTEP_SHOW_MAP_MAP_H
#define ONESTEP_SHOW_MAP_MAP_H

// A lesson as a data-flow diagram: a node for each step, and lines that lead down from what a step was made
// of, with the shapes beside them. It is laid out once, on a grid of rows and columns of characters, as
// numbers; text and SVG draw the same layout.
//
//     struct map map = map_of(arena, run);
//     add_map(text, &map);           // for a terminal and for paper
//     add_map_svg(text, &map, NULL, false);
//
// The layout is that of Sugiyama, Tagawa and Toda (Methods for visual understanding of hierarchical system
// structures, 1981): every node on the layer below what it is made of, an order within each layer with few
// lines crossing, and lines that turn only between layers.

#include "base/text.h"
#include "show/sketch.h"
#include "trace/graph.h"

// Where a node stands.
struct map_place {
    int row, column, width; // of its words, brackets included
    int exit;               // column in which its line leaves, downwards
    const char *label;      // "4 queries"
    const char *shape;      // "(6, 2)", beside the line below it; NULL if nothing is made of it
};

// A piece of a line, from one layer to the next: down in column `exit` from row `top`, along row `turn` to
// column `entry`, down to row `bottom`. Straight where exit and entry are one.
struct map_hop {
    int from; // node
    int edge; // of the graph, whose arrow ends here, above the node; -1 if the line goes on
    int top, exit, turn, entry, bottom;
    const char
        *shape; // "(2, 6)", beside the arrow: as it arrives, if that is another than below the node
};

struct map {
    const struct run *run;
    struct graph graph;
    int rows, columns;
    const struct map_place *places; // of each node of the graph
    int hop_count;
    const struct map_hop *hops; // above those that they cross come those of earlier layers
};

// Lays a run out, in `arena`.
struct map map_of(struct arena *arena, const struct run *run);

// The nearest node in a direction (one of the two is 0, the other -1 or 1) from `node`; `node` if there is
// none. For a cursor: up and down to the next layer, left and right within one.
int map_neighbour(const struct map *map, int node, int down, int right);

// The map drawn. What belongs to a node (sketch_cell.of): its words, and the line that leaves it.
struct sketch map_sketch(struct arena *arena, const struct map *map);

// Adds the map as lines of text; as a fact a line, for whoever can't see it, of one node or of all; and as SVG, under
// a heading (or NULL), where each step links to its address in the handout if that is around it.
void add_map(struct text *text, const struct map *map);
void add_map_fact(struct text *text, const struct map *map, int node);
void add_map_facts(struct text *text, const struct map *map);
void add_map_svg(struct text *text, const struct map *map, const char *heading, bool has_links);

#endif
