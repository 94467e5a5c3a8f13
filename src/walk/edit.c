#include "walk/walker.h"

#include "tensor/ops/ops.h"
#include "trace/what_if/effects.h" // defines: differ

bool has_input(const struct run *run) {
    return run->lesson->uses & USES_INPUT;
}

// A copy of an input in memory that outlives the run.
static struct tensor kept_inputs(struct arena *arena, const struct tensor *inputs) {
    const int64_t count = count_of(shape_of(inputs));
    float *values = arena_array(arena, (size_t)count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = (float)element_at(inputs, i);
    struct tensor copy = tensor_of(arena, shape_of(inputs), values);
    for (int dim = 0; dim < inputs->ndim; dim++) {
        const int64_t size = inputs->shape[dim];
        const char **labels = arena_array(arena, (size_t)size, sizeof *labels);
        for (int64_t i = 0; i < size; i++)
            labels[i] = arena_copy(arena, label_of(arena, inputs, dim, i));
        copy = set_axis(copy, dim, inputs->axis[dim].meaning);
        copy = label_axis(copy, dim, labels);
    }
    return copy;
}

struct parameters unedited(const struct edits *edits, const struct parameters *chosen) {
    struct parameters before = *chosen;
    if (!edits->are_made) return before;
    before.given = (before.given & ~(uint64_t)USES_INPUT) | edits->was_given;
    before.input = edits->name;
    before.inputs = edits->inputs;
    return before;
}

struct parameters edited(struct arena *arena, struct edits *edits, const struct run *run,
                         const struct parameters *chosen, const int64_t *index, double number) {
    if (!edits->are_made)
        *edits = (struct edits){true, chosen->given & USES_INPUT, chosen->input,
                                kept_inputs(arena, &run->inputs)};
    struct parameters changed = *chosen;
    changed.given |= USES_INPUT;
    changed.inputs = kept_inputs(arena, &run->inputs);
    floats_of(&changed.inputs)[flat_index(&changed.inputs, index)] = (float)number;
    changed.input = edits->was_given ? arena_format(arena, "%s, edited", edits->name) : "edited";
    if (differ(&changed.inputs, &edits->inputs)) return changed;
    changed = unedited(edits, chosen);
    edits->are_made = false;
    return changed;
}

double number_before(const struct edits *edits, const struct run *run, const int64_t *index) {
    return element(edits->are_made ? &edits->inputs : &run->inputs, index);
}
