#include "trace/tape/both_ways.h"

#include "tensor/operation/operation.h"
#include "trace/tape/graph.h"

static bool is_gradient(const struct step *step) {
    return role_of(&step->tensor) == ROLE_GRADIENT;
}

// What the numbers were before they were only moved in memory.
static const struct storage *before_moved(const struct storage *storage) {
    const struct origin *origin = storage->origin;
    const bool is_moved = origin->operation->moves && origin->operand_count == 1;
    return is_moved ? origin->operands[0].storage : storage;
}

// Is it a gradient of what the step shows, number by number? What was moved and then viewed differently, as heads are
// when they are merged, has one gradient, which is viewed differently, too.
static bool is_gradient_of(const struct step *gradient, const struct step *step) {
    if (!is_gradient(gradient) || is_gradient(step)) return false;
    const struct storage *of = gradient->tensor.storage->purpose.of,
                         *storage = step->tensor.storage;
    if (of != storage && before_moved(of) != storage) return false;
    return shapes_equal(shape_of(&gradient->tensor), shape_of(&step->tensor));
}

// The first step that is the gradient of this one, or of which this one is the gradient; NULL if there is none.
static const struct step *partner(const struct run *run, const struct step *step) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *other = &run->steps[i];
        if (is_gradient_of(other, step) || is_gradient_of(step, other)) return other;
    }
    return NULL;
}

int both_ways_of(struct arena *arena, const struct run *run, const struct step *step,
                 struct both_ways **ways) {
    const struct step *other = partner(run, step);
    *ways = NULL;
    if (other == NULL) return 0;
    const struct step *in = is_gradient(step) ? other : step;
    const struct step *in_grad = is_gradient(step) ? step : other;
    const struct graph graph = graph_of(arena, run);
    *ways = arena_array(arena, (size_t)graph.edge_count, sizeof **ways);
    int count = 0;
    for (int i = 0; i < graph.edge_count; i++) {
        const struct step *out = graph.nodes[graph.edges[i].to];
        if (graph.nodes[graph.edges[i].from] != in || is_gradient(out)) continue;
        if (out->number > in_grad->number) continue; // what asks of the gradient is not on its way
        const struct step *out_grad = partner(run, out);
        const bool is_again = count > 0 && (*ways)[count - 1].out == out;
        if (is_again || (out_grad == NULL && role_of(&out->tensor) != ROLE_LOSS)) continue;
        (*ways)[count++] = (struct both_ways){in, out, out_grad, in_grad};
    }
    return count;
}
