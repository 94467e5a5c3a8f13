#include "trace/tape/autograd.h"

#include "tensor/operation/operation.h"

static bool is_made_by_layer(const struct storage *storage) {
    const enum role role = storage->purpose.role;
    if (role != ROLE_LAYER_WEIGHT && role != ROLE_LAYER_BIAS && role != ROLE_EMBEDDING)
        return false;
    const struct origin *origin = storage->origin;
    return origin->operation->updates || (origin->operation->draws && origin->operand_count == 0);
}

bool is_parameter(const struct step *step) {
    return is_made_by_layer(step->tensor.storage);
}

// An optimizer's result may hold the parameter's moments behind it.
bool is_whole_parameter(const struct step *step) {
    const struct tensor *tensor = &step->tensor;
    if (!is_parameter(step)) return false;
    return tensor->view == NULL ||
           (tensor->storage->origin->operation->updates && tensor->offset == 0 &&
            shapes_equal(shape_of(tensor), shape_of(&tensor->storage->origin->operands[0])));
}

// Storages whose numbers parameters had a part in, or had none.
struct search {
    struct arena *arena;
    int count;
    struct {
        const struct storage *storage;
        bool depends;
    } * known;
};

static bool depends(struct search *search, const struct storage *storage) {
    for (int i = 0; i < search->count; i++) {
        if (search->known[i].storage == storage) return search->known[i].depends;
    }
    bool found = is_made_by_layer(storage);
    const struct origin *origin = storage->origin;
    const bool is_gradient = storage->question != NULL; // in .grad, detached
    for (int i = 0; i < origin->operand_count && !found && !is_gradient; i++)
        found = depends(search, origin->operands[i].storage);
    found = found && storage->dtype == FLOAT32;
    search->known =
        arena_grow(search->arena, search->known, (size_t)search->count * sizeof *search->known,
                   sizeof *search->known);
    search->known[search->count].storage = storage;
    search->known[search->count++].depends = found;
    return found;
}

const char *autograd_text(struct arena *arena, const struct step *step) {
    if (is_whole_parameter(step)) return "requires_grad=True";
    if (find_axis(&step->tensor, AXIS_UPDATE) >= 0) return NULL; // the losses' item()
    struct search search = {.arena = arena};
    if (!depends(&search, step->tensor.storage)) return NULL;
    const struct operation *view = step->tensor.view;
    const struct origin *origin = step->tensor.storage->origin;
    const char *name = view != NULL ? view->backward
                       : origin->operation->backward_of != NULL
                           ? origin->operation->backward_of(origin)
                           : origin->operation->backward;
    return name != NULL ? arena_format(arena, "grad_fn=<%s>", name) : NULL;
}
