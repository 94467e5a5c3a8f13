#include "trace/tape/lost_role.h"

#include "base/text.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"
#include "trace/tape/tape.h"

// What a lesson writes for the roles of attention.
static const char *written(enum role role) {
    static const char *const words[ROLE_COUNT] = {
        [ROLE_QUERIES] = "ROLE_QUERIES", [ROLE_KEYS] = "ROLE_KEYS",
        [ROLE_SCORES] = "ROLE_SCORES",   [ROLE_MASKED_SCORES] = "ROLE_MASKED_SCORES",
        [ROLE_WEIGHTS] = "ROLE_WEIGHTS", [ROLE_DROPPED_WEIGHTS] = "ROLE_DROPPED_WEIGHTS",
    };
    return words[role];
}

// The operand that a role would come from: the largest; of a product, the first that has none.
static const struct tensor *operand_behind(const struct origin *origin) {
    const struct tensor *found = &origin->operands[0];
    const bool is_product = origin->operation->factors == 2;
    for (int i = 1; i < origin->operand_count; i++) {
        const struct tensor *x = &origin->operands[i];
        const bool is_larger = count_of(shape_of(x)) > count_of(shape_of(found));
        if (is_product ? role_of(found) != ROLE_NONE : is_larger) found = x;
    }
    return found;
}

// The operation behind a tensor, number by number, that reads one of the roles from `first` to `last` and makes nothing
// known of it; NULL if there is none. *role is the one that it reads. Products are passed only if `passes_products`.
static const struct operation *loser_of(const struct tensor *x, bool passes_products,
                                        enum role first, enum role last, enum role *role) {
    while (role_of(x) == ROLE_NONE && x->storage->origin->operand_count > 0) {
        const struct origin *origin = x->storage->origin;
        const bool is_product = origin->operation->factors == 2;
        if (is_product && !passes_products) return NULL;
        for (int i = 0; i < origin->operand_count && !is_product; i++) {
            *role = role_of(&origin->operands[i]);
            if (*role >= first && *role <= last && written(*role) != NULL) return origin->operation;
        }
        x = operand_behind(origin);
    }
    return NULL;
}

// The first step that was recorded when the storage was there.
static const char *step_behind(struct arena *arena, const struct run *run,
                               const struct storage *storage) {
    const struct step *step = run->steps;
    while (step->number < run->step_count && step->tensor.storage->age < storage->age) step++;
    return step_label(arena, step);
}

static bool is_over_keys(const struct tensor *x, int dim) {
    return x->axis[dim].meaning == AXIS_KEY || x->axis[dim].meaning == AXIS_TOKEN;
}

static const char *lost_scores(struct arena *arena, const struct run *run,
                               const struct storage *softmax) {
    const struct tensor *scores = &softmax->origin->operands[0];
    if (!is_over_keys(scores, softmax->origin->dim)) return NULL;
    if (role_of(scores) == ROLE_SCORES || role_of(scores) == ROLE_MASKED_SCORES) return NULL;
    const char *where = step_behind(arena, run, softmax);
    enum role role;
    const struct operation *loser = loser_of(scores, true, ROLE_QUERIES, ROLE_MASKED_SCORES, &role);
    if (loser == NULL)
        return arena_format(
            arena,
            "%s, step '%s': the softmax over keys reads no scores. Say what the layers before it "
            "make, "
            "LAYER(W_query, ROLE_QUERIES, ...), or write as(ROLE_SCORES, ...) around what it reads",
            run->lesson->name, where);
    return arena_format(arena,
                        "%s, step '%s': the softmax over keys reads no scores. %s before it reads "
                        "%s, and what it makes "
                        "has no role: write as(%s, ...) around it",
                        run->lesson->name, where, loser->name, written(role),
                        written(role <= ROLE_KEYS ? role : ROLE_SCORES));
}

static const char *lost_weights(struct arena *arena, const struct run *run,
                                const struct storage *product) {
    const struct tensor *weights = &product->origin->operands[0];
    enum role role;
    if (weights->ndim == 0 || !is_over_keys(weights, weights->ndim - 1)) return NULL;
    const struct operation *loser =
        loser_of(weights, false, ROLE_WEIGHTS, ROLE_DROPPED_WEIGHTS, &role);
    if (loser == NULL) return NULL;
    return arena_format(arena,
                        "%s, step '%s': the product over keys reads no weights. %s before it reads "
                        "%s, and what it makes has "
                        "no role: write as(%s, ...) around it",
                        run->lesson->name, step_behind(arena, run, product), loser->name,
                        written(role), written(role));
}

// For each place of the tape: does it come from the input or from a layer? Numbers that come from neither are an example,
// such as random scores, which needs no roles.
static const bool *of_model(struct arena *arena, const struct run *run, const struct tape *tape) {
    bool *is_of_model = arena_array(arena, (size_t)tape->count, sizeof *is_of_model);
    for (int i = 0; i < tape->count; i++) {
        const struct storage *storage = tape->storages[i];
        const enum role role = storage->purpose.role;
        is_of_model[i] =
            storage == run->inputs.storage || role == ROLE_LAYER_WEIGHT || role == ROLE_EMBEDDING;
        int count;
        const struct tensor *operands = made_of(storage, &count);
        for (int k = 0; k < count; k++)
            is_of_model[i] |= is_of_model[place_on_tape(tape, operands[k].storage)];
    }
    return is_of_model;
}

const char *lost_role(struct arena *arena, const struct run *run) {
    struct tensor *shown = arena_array(arena, (size_t)run->step_count, sizeof *shown);
    for (int i = 0; i < run->step_count; i++) shown[i] = run->steps[i].tensor;
    const struct tape tape = tape_of(arena, run->step_count, shown);
    const bool *is_of_model = of_model(arena, run, &tape);
    const char *lost = NULL;
    for (int i = 0; i < tape.count && lost == NULL; i++) {
        const struct storage *storage = tape.storages[i];
        if (!is_of_model[i]) continue;
        if (storage->origin->operation == &softmax_row) lost = lost_scores(arena, run, storage);
        if (storage->origin->operation == &matmul_row) lost = lost_weights(arena, run, storage);
    }
    return lost;
}
