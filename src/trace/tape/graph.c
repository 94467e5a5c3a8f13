#include "trace/tape/graph.h"

#include "tensor/origin.h"
#include "trace/run/step.h"
#include "trace/tape/tape.h"

// ---- Which step a tensor is a view of -------------------------------------------------------------

enum likeness { UNLIKE, REORDERED, ALIKE };

// Does dimension `dim` of a have a counterpart in b that no earlier dimension of a has taken?
static bool takes_counterpart(const struct tensor *a, int dim, const struct tensor *b,
                              bool *taken) {
    for (int other = 0; other < b->ndim; other++) {
        const bool is_same = a->shape[dim] == b->shape[other] && a->stride[dim] == b->stride[other];
        if (!is_same || taken[other]) continue;
        taken[other] = true;
        return true;
    }
    return false;
}

static enum likeness likeness_of(const struct tensor *a, const struct tensor *b) {
    if (a->offset != b->offset || a->ndim != b->ndim) return UNLIKE;
    enum likeness likeness = ALIKE;
    bool taken[MAX_DIMS] = {false};
    for (int dim = 0; dim < a->ndim; dim++) {
        if (!takes_counterpart(a, dim, b, taken)) return UNLIKE;
        if (a->shape[dim] != b->shape[dim] || a->stride[dim] != b->stride[dim])
            likeness = REORDERED;
    }
    return likeness;
}

const struct step *step_viewed(const struct run *run, const struct tensor *tensor, int before) {
    const int64_t count = count_of(shape_of(tensor));
    const struct step *alike = NULL, *first = NULL;
    enum likeness best = UNLIKE;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const bool is_late = step->number >= before;
        if (step->tensor.storage != tensor->storage || (is_late && first != NULL)) continue;
        const enum likeness likeness = likeness_of(tensor, &step->tensor);
        if (likeness != UNLIKE && likeness >= best) alike = step, best = likeness;
        if (first == NULL || (count_of(shape_of(&first->tensor)) < count &&
                              count_of(shape_of(&step->tensor)) >= count))
            first = step;
    }
    return alike != NULL ? alike : first;
}

// ---- Collecting the edges --------------------------------------------------------------------------

struct collector {
    struct arena *arena;
    const struct run *run;
    struct tape tape; // behind all steps
    int *visited;     // by place on the tape: the step that was last made of this storage
    struct edge *edges;
    int edge_count;
    int first_edge; // of the step at hand
    int to;         // its index; that of the inputs is -1
};

static void add_edge(struct collector *c, int from, const struct tensor *tensor) {
    for (int i = c->first_edge; i < c->edge_count; i++) {
        const struct edge *edge = &c->edges[i];
        if (edge->from == from && shapes_equal(shape_of(&edge->tensor), shape_of(tensor))) return;
    }
    c->edges =
        arena_grow(c->arena, c->edges, (size_t)c->edge_count * sizeof *c->edges, sizeof *c->edges);
    c->edges[c->edge_count++] = (struct edge){from, c->to, *tensor};
}

static void follow_operands(struct collector *c, const struct storage *storage);

static void follow(struct collector *c, const struct tensor *tensor) {
    const struct step *step = step_viewed(c->run, tensor, c->to + 1);
    if (step != NULL) {
        add_edge(c, step->number - 1, tensor);
        return;
    }
    if (tensor->storage == c->run->inputs.storage) {
        add_edge(c, -1, tensor);
        return;
    }
    int *visited = &c->visited[place_on_tape(&c->tape, tensor->storage)];
    if (*visited == c->to + 1) return;
    *visited = c->to + 1;
    follow_operands(c, tensor->storage);
}

static void follow_operands(struct collector *c, const struct storage *storage) {
    int count;
    const struct tensor *operands = made_of(storage, &count);
    for (int i = 0; i < count; i++) follow(c, &operands[i]);
}

static void collect_step(struct collector *c, int i) {
    const struct step *step = &c->run->steps[i];
    c->to = i;
    c->first_edge = c->edge_count;
    if (!shows_view(c->run, step)) {
        follow_operands(c, step->tensor.storage);
        return;
    }
    const struct step *viewed = step_viewed(c->run, &step->tensor, step->number);
    add_edge(c, viewed->number - 1, &viewed->tensor);
}

static void collect_edges(struct collector *c) {
    const struct run *run = c->run;
    struct tensor *tensors = arena_array(c->arena, (size_t)run->step_count, sizeof *tensors);
    for (int i = 0; i < run->step_count; i++) tensors[i] = run->steps[i].tensor;
    c->tape = tape_of(c->arena, run->step_count, tensors);
    c->visited = arena_array(c->arena, (size_t)c->tape.count, sizeof *c->visited);
    for (int i = 0; i < run->step_count; i++) collect_step(c, i);
}

// ---- The graph ------------------------------------------------------------------------------------

struct graph graph_of(struct arena *arena, const struct run *run) {
    struct collector c = {.arena = arena, .run = run};
    collect_edges(&c);
    int extra = 0; // 1 if there is a node for the inputs
    for (int i = 0; i < c.edge_count; i++) {
        if (c.edges[i].from < 0) extra = 1;
    }
    const int count = run->step_count + extra;
    const struct step **nodes = arena_array(arena, (size_t)count, sizeof *nodes);
    for (int i = 0; i < run->step_count; i++) nodes[i + extra] = &run->steps[i];
    for (int i = 0; i < c.edge_count; i++) {
        c.edges[i].from += extra;
        c.edges[i].to += extra;
    }
    return (struct graph){count, nodes, c.edge_count, c.edges};
}

// ---- Of one call ----------------------------------------------------------------------------------

// Is the call `outer`, named by the number of the step that shows its result, the call or one around it?
static bool is_around(const struct run *run, int outer, int call) {
    while (call != outer && call > 0) call = run->steps[call - 1].within;
    return call == outer;
}

// The node that stands for one when only the calls around `call` are open; of the inputs, 0 in front of all steps, themselves.
static int seen_from(const struct graph *whole, const struct run *run, int node, int call) {
    const int extra = whole->node_count - run->step_count;
    while (node >= extra && !is_around(run, whole->nodes[node]->within, call))
        node = whole->nodes[node]->within - 1 + extra;
    return node;
}

// Does the edge, from and to what is seen, belong to the call? What was computed inside of a closed call leads to the first
// step of its line, and not from there to the others.
static bool is_of_call(const struct graph *whole, const struct edge *seen, int from, int call) {
    const struct step *to = whole->nodes[seen->to], *source = whole->nodes[seen->from];
    if (to->within != call || seen->from >= seen->to) return false;
    return seen->from == from || source->paragraph != to->paragraph;
}

static void keep_edge(struct edge *edges, int *count, const struct edge *edge) {
    int at = *count;
    for (; at > 0 && edges[at - 1].to >= edge->to; at--)
        if (edges[at - 1].to == edge->to && edges[at - 1].from == edge->from &&
            shapes_equal(shape_of(&edges[at - 1].tensor), shape_of(&edge->tensor)))
            return;
    for (at = (*count)++; at > 0 && edges[at - 1].to > edge->to; at--) edges[at] = edges[at - 1];
    edges[at] = *edge;
}

struct graph graph_of_call(struct arena *arena, const struct run *run, int within) {
    const struct graph whole = graph_of(arena, run);
    const int extra = whole.node_count - run->step_count;
    const struct step **nodes = arena_array(arena, (size_t)whole.node_count, sizeof(void *));
    struct edge *edges = arena_array(arena, (size_t)whole.edge_count, sizeof *edges);
    int *places = arena_array(arena, (size_t)whole.node_count, sizeof *places);
    struct graph graph = {.nodes = nodes, .edges = edges};
    for (int i = extra; i < whole.node_count; i++) places[i] = whole.nodes[i]->within == within;
    for (int i = 0; i < whole.edge_count; i++) {
        struct edge seen = whole.edges[i];
        seen.from = seen_from(&whole, run, seen.from, within);
        seen.to = seen_from(&whole, run, seen.to, within);
        if (!is_of_call(&whole, &seen, whole.edges[i].from, within)) continue;
        places[seen.from] = 1;
        keep_edge(edges, &graph.edge_count, &seen);
    }
    for (int i = 0; i < whole.node_count; i++) {
        if (places[i] == 0) continue;
        nodes[graph.node_count] = whole.nodes[i];
        places[i] = graph.node_count++;
    }
    for (int i = 0; i < graph.edge_count; i++) {
        edges[i].from = places[edges[i].from];
        edges[i].to = places[edges[i].to];
    }
    return graph;
}

int node_of(const struct graph *graph, const struct step *step) {
    for (int i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i] == step) return i;
    }
    return -1;
}

const char *node_label(struct arena *arena, const struct graph *graph, int node) {
    const struct step *step = graph->nodes[node];
    return step != NULL ? step_label(arena, step) : "inputs";
}
