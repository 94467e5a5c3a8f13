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
