#include "walk/names.h"

#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "trace/graph.h"
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

// Of a number that is a part of a name; and how many operands a name tells one by one.
enum { NAMED_DIGITS = 2, NAMED_OPERANDS = 3 };

// `depth`: how many operations a name may tell, one inside the other.
static const char *name_of(struct arena *arena, const struct run *run, const struct tensor *tensor,
                           int before, int depth) {
    const struct step *step = related_step(run, tensor, before, is_same_place);
    if (step != NULL) return near_label(arena, run, step, before);
    step = related_step(run, tensor, before, is_transposed);
    if (step != NULL) return arena_format(arena, "%sᵀ", near_label(arena, run, step, before));
    step = related_step(run, tensor, before, is_smaller);
    if (step != NULL)
        return arena_format(arena, "part of %s", near_label(arena, run, step, before));
    step = step_viewed(run, tensor, before);
    if (step != NULL)
        return arena_format(arena, "%s in another shape", near_label(arena, run, step, before));
    if (tensor->storage == run->inputs.storage) return "inputs";
    const struct origin *origin = tensor->storage->origin;
    if (origin->operand_count == 0) return tensor->ndim == 0 ? "a number" : origin->operation->name;
    if (depth == 0) return origin->operation->name;
    if (origin->operand_count > NAMED_OPERANDS)
        return arena_format(arena, "%s of %d", origin->operation->name, origin->operand_count);
    struct text text = text_new(arena);
    text_add_format(&text, "%s(", origin->operation->name);
    for (int i = 0; i < origin->operand_count; i++) {
        const struct tensor *operand = &origin->operands[i];
        const bool is_number = operand->ndim == 0 && operand->storage->origin->operand_count == 0;
        text_add_format(&text, "%s%s", i > 0 ? ", " : "",
                        is_number ? number_in_digits(arena, element(operand, NULL), NAMED_DIGITS)
                                  : name_of(arena, run, operand, before, depth - 1));
    }
    text_add(&text, ")");
    return text.bytes;
}

const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before) {
    return name_of(arena, run, tensor, before, 1);
}

const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before) {
    return arena_format(arena, "%s%s", tensor_name(arena, run, &cell->tensor, before),
                        cell_label(arena, cell));
}

const char *short_place(struct arena *arena, const struct cell *cell) {
    const struct tensor *tensor = &cell->tensor;
    if (tensor->ndim == 0) return "";
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *label = label_at(arena, tensor, dim, cell->index);
        const char *name = axis_name(tensor, dim);
        const bool is_leading = dim < tensor->ndim - 2, is_number = *label >= '0' && *label <= '9';
        const bool has_letter = is_leading && is_number && name != NULL;
        text_add_format(&text, "%s%.*s%s", dim == 0 ? "[" : ", ", has_letter ? 1 : 0,
                        has_letter ? name : "", label);
    }
    text_add(&text, "]");
    return text.bytes;
}
