#include "walk/kit/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"

bool read_sizes(const char *text, struct shape *shape) {
    enum { MOST_DIGITS = 6 };
    static const char between[] = " ,()x×[]";
    *shape = (struct shape){0};
    const bool is_single = strchr(text, '(') != NULL;
    for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > MOST_DIGITS || shape->ndim == MAX_DIMS) return false;
        shape->size[shape->ndim++] = strtoll(text, NULL, 10);
        text += digits;
    }
    return shape->ndim > 0 || is_single;
}

const char *sizes_known(struct arena *arena, const struct run *run) {
    struct text text = text_new(arena);
    if (run->lesson->uses & USES_INPUT)
        text_add_format(&text, "inputs %s", shape_text(arena, shape_of(&run->inputs)));
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(run->lesson->uses & parameter->bit) || parameter->kind != &size_kind) continue;
        text_add_format(&text, "%s%s %s", text.length > 0 ? ", " : "", parameter->name,
                        parameter_text(arena, &run->parameters, parameter));
    }
    return text.length > 0 ? arena_format(arena, "With %s.", text.bytes) : "";
}

// ---- Where they come from -----------------------------------------------------------------------

// "(6, 2) and (2, 6)".
static const char *operand_shapes(struct arena *arena, const struct origin *origin) {
    enum { MOST = 3 };
    struct text text = text_new(arena);
    const int count = origin->operand_count;
    for (int i = 0; i < count && i < MOST; i++)
        text_add_format(&text, "%s%s",
                        i == 0           ? ""
                        : i == count - 1 ? " and "
                                         : ", ",
                        shape_text(arena, shape_of(&origin->operands[i])));
    if (count > MOST) text_add(&text, ", …");
    return text.bytes;
}

// What an operation makes of the sizes of its operands.
static const char *rule_of(const struct origin *origin, struct shape result) {
    if (origin->operation->help.sizes != NULL) return origin->operation->help.sizes;
    for (int i = 0; i < origin->operand_count; i++) {
        if (count_of(shape_of(&origin->operands[i])) > count_of(result))
            return "a dimension disappears, or stays with size 1";
        if (!shapes_equal(shape_of(&origin->operands[i]), result))
            return "where sizes differ, one of them is 1 or not there, and is repeated";
    }
    return "same sizes";
}

static const char *view_rule(const struct operation *view) {
    return view == NULL || view->help.sizes == NULL ? "the same numbers in other sizes"
                                                    : view->help.sizes;
}

const char *sizes_explained(struct arena *arena, const struct run *run, const struct step *step) {
    const struct tensor *tensor = &step->tensor;
    const struct storage *storage = tensor->storage;
    const struct origin *origin = storage->origin;
    const struct operation *view = tensor->view;
    if (shows_view(run, step)) {
        const struct step *before = step_viewed(run, tensor, step->number);
        const char *sizes = shape_text(arena, shape_of(&before->tensor));
        if (shapes_equal(shape_of(&before->tensor), shape_of(tensor)) &&
            view == before->tensor.view)
            return arena_format(arena, "%s %s, unchanged", before->name, sizes);
        const bool has_name = view != NULL && view->help.here != NULL;
        return arena_format(arena, "%s of %s %s: %s", has_name ? view->help.here : "a view",
                            before->name, sizes, view_rule(view));
    }
    struct text text = text_new(arena);
    if (origin->operand_count == 0)
        text_add(&text, "its line in PyTorch, which names them");
    else
        text_add_format(&text, "%s of %s: %s", origin->operation->name,
                        operand_shapes(arena, origin), rule_of(origin, storage->shape));
    const bool is_other = !shapes_equal(storage->shape, shape_of(tensor));
    if (is_other)
        text_add_format(&text, "; then %s: %s",
                        view != NULL && view->help.here != NULL ? view->help.here : "a view",
                        view_rule(view));
    return text.bytes;
}

// ---- What is wrong ------------------------------------------------------------------------------

const char *sizes_compared(struct arena *arena, struct shape guess, const struct tensor *tensor,
                           bool is_view) {
    static const char *const ordinals[] = {"first", "second", "third", "fourth", "fifth"};
    enum { NAMED = sizeof ordinals / sizeof *ordinals };
    const struct shape shape = shape_of(tensor);
    if (is_view && count_of(guess) != count_of(shape))
        return arena_format(arena,
                            "a view keeps its %" PRId64 " numbers, these sizes hold %" PRId64,
                            count_of(shape), count_of(guess));
    if (guess.ndim != shape.ndim)
        return arena_format(arena, "it has %d size%s, not %d", shape.ndim,
                            shape.ndim == 1 ? "" : "s", guess.ndim);
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (dim >= NAMED || guess.size[dim] == shape.size[dim]) continue;
        const char *name = axis_name(tensor, dim);
        return arena_format(arena, "the %s size%s is %" PRId64, ordinals[dim],
                            name != NULL ? arena_format(arena, " (%s)", name) : "",
                            shape.size[dim]);
    }
    return "";
}
