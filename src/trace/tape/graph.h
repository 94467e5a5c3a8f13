#ifndef ONESTEP_TRACE_TAPE_GRAPH_H
#define ONESTEP_TRACE_TAPE_GRAPH_H

// A run as a graph: from which other steps a step was computed, as the origins recorded it. A tensor between
// two steps that is not a step itself (a sum inside a division, a tensor that is only viewed) is skipped.
// A step that is a view of another step's numbers comes from that step.
//
//     const struct graph graph = graph_of(arena, run);
//     for (int i = 0; i < graph.edge_count; i++)
//         puts(step_label(arena, graph.nodes[graph.edges[i].to]));

#include "trace/run/run.h"

// From one node to another.
struct edge {
    int from, to; // nodes
    struct tensor
        tensor; // of `from`, as the first operation on the way to `to` reads it: transposed, cut
};

struct graph {
    int node_count;
    const struct step *const
        *nodes; // in the order of the steps; first NULL, the inputs, if a step is
                // made of them and none shows them
    int edge_count;
    const struct edge
        *edges; // by `to`, then in the order in which the operations read them; of equal
                // ones (nodes and shape) there is one
};

// The graph of a run, in `arena`. It has no cycles.
struct graph graph_of(struct arena *arena, const struct run *run);

// The graph of one call: its own steps, and those outside of it that they were computed from. `within` is that of its steps
// (run.h); 0: of what no call computed. Each call in it is closed: the steps inside are one with that which shows its result.
struct graph graph_of_call(struct arena *arena, const struct run *run, int within);

// The node of a step (-1 if it is none of the graph's), and what a node is called: "head 1: scores", "inputs".
int node_of(const struct graph *graph, const struct step *step);
const char *node_label(struct arena *arena, const struct graph *graph, int node);

// Which step a tensor, read by step number `before`, is a view of: of those that show its storage, the last
// one before that shows just this view of it, or the same one with its dimensions in another order; else the
// first one that shows as many numbers or more. NULL if no step shows the storage.
const struct step *step_viewed(const struct run *run, const struct tensor *tensor, int before);

#endif
