#include "walk/names.h"

#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "trace/step.h"

// Do both show the same numbers, but with the last two dimensions exchanged?
static bool is_transposed(const struct tensor *tensor, const struct tensor *other) {
    const int n = tensor->ndim;
    if (n < 2 || other->ndim != n) return false;
    return tensor->shape[n - 1] == other->shape[n - 2] &&
           tensor->shape[n - 2] == other->shape[n - 1] &&
           tensor->stride[n - 1] == other->stride[n - 2] &&
           tensor->stride[n - 2] == other->stride[n - 1];
}

static bool is_same_place(const struct tensor *tensor, const struct tensor *other) {
    return shapes_equal(shape_of(tensor), shape_of(other)) && tensor->offset == other->offset &&
           memcmp(tensor->stride, other->stride, (size_t)tensor->ndim * sizeof *tensor->stride) ==
               0;
}

// The last step below `before` whose tensor is related so to this one; NULL if there is none.
static const struct step *
related_step(const struct run *run, const struct tensor *tensor, int before,
             bool (*is_related)(const struct tensor *, const struct tensor *)) {
    for (int i = run->step_count - 1; i >= 0; i--) {
        const struct step *step = &run->steps[i];
        if (step->number < before && step->tensor.storage == tensor->storage &&
            is_related(tensor, &step->tensor))
            return step;
    }
    return NULL;
}

static bool is_smaller(const struct tensor *tensor, const struct tensor *other) {
    return count_of(shape_of(tensor)) < count_of(shape_of(other));
}

// The step's label; without its group where the step numbered `before`, or the one ahead of it, is of
// the same group: there it goes without saying.
static const char *near_label(struct arena *arena, const struct run *run, const struct step *step,
                              int before) {
    for (int number = before - 1; number <= before; number++) {
        if (number < 1 || number > run->step_count) continue;
        if (run->steps[number - 1].group == step->group) return step->name;
    }
    return step_label(arena, step);
}

const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before) {
    const struct step *step = related_step(run, tensor, before, is_same_place);
    if (step != NULL) return near_label(arena, run, step, before);
    step = related_step(run, tensor, before, is_transposed);
    if (step != NULL) return arena_format(arena, "%sᵀ", near_label(arena, run, step, before));
    step = related_step(run, tensor, before, is_smaller);
    if (step != NULL)
        return arena_format(arena, "part of %s", near_label(arena, run, step, before));
    step = step_showing(run, tensor, before);
    if (step != NULL)
        return arena_format(arena, "%s in another shape", near_label(arena, run, step, before));
    if (tensor->storage == run->inputs.storage) return "inputs";
    const struct origin *origin = tensor->storage->origin;
    if (origin->operand_count == 0) return tensor->ndim == 0 ? "a number" : origin->operation->name;
    const char *first = tensor_name(arena, run, &origin->operands[0], before);
    const char *more = origin->operand_count > 1 ? ", …" : "";
    return arena_format(arena, "%s(%s%s)", origin->operation->name, first, more);
}

const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before) {
    return arena_format(arena, "%s%s", tensor_name(arena, run, &cell->tensor, before),
                        cell_label(arena, cell));
}
