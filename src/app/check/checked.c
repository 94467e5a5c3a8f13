#include "app/check/checked.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "tensor/ops/tolerance.h"
#include "trace/step.h"

const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position) {
    if (tensor->ndim == 0) return "its only number";
    struct text text = text_new(arena);
    int64_t index[MAX_DIMS];
    index_at(shape_of(tensor), position, index);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *name = tensor->axis[dim].name;
        if (dim > 0) text_add(&text, ", ");
        if (name != NULL)
            text_add_format(&text, "%s ", name);
        else
            text_add_format(&text, "dimension %d: ", dim);
        text_add(&text, text_safe(arena, label_of(arena, tensor, dim, index[dim])));
    }
    text_add(&text, " (x[");
    for (int dim = 0; dim < tensor->ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? ", " : "", index[dim]);
    text_add(&text, "])");
    return text.bytes;
}

bool is_right(const struct checked *checked, int64_t position) {
    const struct tensor *tensor = &checked->step->tensor;
    return agree(checked->numbers.values[position], element_at(tensor, position),
                 checked->allowed[position]);
}

// Are large negative numbers all that is wrong, and where -inf belongs? e^-1000 is 0 to any float.
static bool masks_with_numbers(const struct checked *checked) {
    static const double LARGE = -1e3;
    for (int64_t i = 0; i < checked->comparison.count; i++) {
        if (is_right(checked, i)) continue;
        const double value = checked->numbers.values[i];
        const double wanted = element_at(&checked->step->tensor, i);
        if (!isinf(wanted) || wanted > 0 || !isfinite(value) || value > LARGE) return false;
    }
    return true;
}

// The names of mistakes, each once, with + between.
static const char *mistakes_code(struct arena *arena, const struct explanation *explanation) {
    const struct mistake *const *mistakes = explanation->mistakes;
    if (explanation->mistake_count == 1) return mistakes[0]->name;
    return arena_format(arena, "%s+%s", mistakes[0]->name, mistakes[1]->name);
}

const char *code_of(struct arena *arena, const struct checked *checked) {
    static const char *const shapes[] = {
        [UNRELATED] = "shape-unrelated",
        [TRANSPOSED] = "shape-transposed",
        [PART] = "shape-part",
        [REFOLDED] = "shape-refolded",
    };
    if (checked->verdict == VERDICT_EQUAL) return "equal";
    if (checked->verdict == VERDICT_COARSE) return "coarse";
    if (checked->verdict == VERDICT_SHAPE) return shapes[checked->shaped.misshape];
    if (checked->diagnosis.count == 0) return "none";
    const struct explanation *best = &checked->diagnosis.explanations[0];
    switch (best->kind) {
    case BY_MISTAKES:
        return mistakes_code(arena, best);
    case BY_STEP:
        return arena_format(arena, "step:%s", step_label(arena, best->step));
    case BY_TRANSPOSING:
        return "transposed";
    }
    return "none";
}

const char *hint_text(struct arena *arena, const struct checked *checked) {
    static const double CLOSE = 4e-3; // a half-precision format's 8 bits
    const struct comparison *comparison = &checked->comparison;
    const struct tensor *tensor = &checked->step->tensor;
    if (count_apart(&checked->numbers, tensor, CLOSE) == 0)
        return "all numbers are close to the right ones: were they computed from rounded numbers, "
               "or in half precision (float16, bfloat16)?";
    if (masks_with_numbers(checked))
        return "all is right but the mask: large negative numbers stand where -inf should; "
               "they hide as well, for softmax makes 0 of both";
    if (comparison->different * 8 > comparison->count) return NULL;
    return arena_format(arena,
                        "only %" PRId64 " of %" PRId64 " numbers %s not right: typed or copied "
                        "wrongly, or overwritten?",
                        comparison->different, comparison->count,
                        comparison->different == 1 ? "is" : "are");
}
