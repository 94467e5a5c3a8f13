#ifndef ONESTEP_SHOW_MAP_MAP_H
#define ONESTEP_SHOW_MAP_MAP_H

// A lesson as a data-flow diagram: a node for each step, and lines down to each step from those that it was
// computed from, with the shapes beside the lines. It is laid out once, on a grid of rows and columns of
// characters, as numbers; text and SVG draw the same layout.
//
//     struct map map = map_of(arena, run);
//     add_map(text, &map);           // for a terminal and for paper
//     add_map_svg(text, &map, NULL, false);
//
// The layout is that of Sugiyama, Tagawa and Toda (Methods for visual understanding of hierarchical system
// structures, 1981): every node is on a layer below the nodes that it was computed from, the order within
// each layer gives few crossings, and lines turn only between layers.

#include "base/text.h"
#include "show/sketch.h"
#include "trace/tape/graph.h"

// Where a node stands.
struct map_box {
    int row, column, width; // of its words, brackets included
    int exit;               // column in which its line leaves, downwards
    const char *label;      // "4 queries"
    const char *shape; // "(6, 2)", beside the line below it; NULL if no step was computed from it
};

// A piece of a line, from one layer to the next: down in column `exit` from row `top`, along row `turn` to
// column `entry`, down to row `bottom`. Straight where exit and entry are one.
struct map_hop {
    int from; // node
    int edge; // of the graph, whose arrow ends here, above the node; -1 if the line goes on
    int top, exit, turn, entry, bottom;
    const char *
        shape; // "(2, 6)", beside the arrow: as it is read, if that is not the shape below the node
};

struct map {
    const struct run *run;
    int within; // of the call whose map it is (graph_of_call); its steps are named without their group
    struct graph graph;
    int rows, columns;
    const struct map_box *places; // of each node of the graph
    int hop_count;
    const struct map_hop
        *hops; // drawn in this order: hops of earlier layers are above those that they cross
};

// Lays out a run, with its calls closed, in `arena`; or one call of it, for the `within` of its steps (graph_of_call).
struct map map_of(struct arena *arena, const struct run *run);
struct map map_of_call(struct arena *arena, const struct run *run, int within);

// The nearest node in a direction (one of the two is 0, the other -1 or 1) from `node`; `node` if there is
// none. For a cursor: up and down to the next layer, left and right within one.
int map_neighbour(const struct map *map, int node, int down, int right);

// The map drawn. What belongs to a node (sketch_cell.of): its words, and the line that leaves it.
struct sketch map_sketch(struct arena *arena, const struct map *map);

// Adds the map as lines of text (add_map); as sentences for readers who cannot see it, one line for one node
// (add_map_fact) or for each (add_map_facts); and as SVG under a heading (or NULL), where each step links to
// its address if a handout is around it.
void add_map(struct text *text, const struct map *map);
void add_map_fact(struct text *text, const struct map *map, int node);
void add_map_facts(struct text *text, const struct map *map);
void add_map_svg(struct text *text, const struct map *map, const char *heading, bool has_links);

#endif
