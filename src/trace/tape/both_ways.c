#include "trace/tape/both_ways.h"

#include <string.h>

#include "trace/tape/graph.h"

static const char grad[] = "_grad";

// The length of NAME in NAME_grad; of another name its whole length.
static size_t stem_length(const char *name) {
    const size_t length = strlen(name), tail = sizeof grad - 1;
    const bool is_gradient = length > tail && strcmp(name + length - tail, grad) == 0;
    return is_gradient ? length - tail : length;
}

static bool share_group(const struct step *a, const struct step *b) {
    if (a->group == NULL || b->group == NULL) return a->group == b->group;
    return strcmp(a->group, b->group) == 0;
}

static bool is_gradient(const struct step *step) {
    return step->name[stem_length(step->name)] != '\0';
}

// The step of the same stem and group that is a gradient, or that is none; NULL if there is no such step.
static const struct step *partner(const struct run *run, const struct step *step,
                                  bool wants_gradient) {
    const size_t length = stem_length(step->name);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *other = &run->steps[i];
        const bool has_same_stem = stem_length(other->name) == length &&
                                   strncmp(other->name, step->name, length) == 0 &&
                                   share_group(other, step);
        if (has_same_stem && is_gradient(other) == wants_gradient) return other;
    }
    return NULL;
}

int both_ways_of(struct arena *arena, const struct run *run, const struct step *step,
                 struct both_ways **ways) {
    const struct step *in = partner(run, step, false), *in_grad = partner(run, step, true);
    *ways = NULL;
    if (in == NULL || in_grad == NULL) return 0;
    const struct graph graph = graph_of(arena, run);
    *ways = arena_array(arena, (size_t)graph.edge_count, sizeof **ways);
    int count = 0;
    for (int i = 0; i < graph.edge_count; i++) {
        const struct step *out = graph.nodes[graph.edges[i].to];
        if (graph.nodes[graph.edges[i].from] != in || is_gradient(out)) continue;
        if (out->number > in_grad->number) continue; // what asks of the gradient is not on its way
        const struct step *out_grad = partner(run, out, true);
        const bool is_again = count > 0 && (*ways)[count - 1].out == out;
        if (is_again || (out_grad == NULL && out->tensor.ndim > 0)) continue;
        (*ways)[count++] = (struct both_ways){in, out, out_grad, in_grad};
    }
    return count;
}
