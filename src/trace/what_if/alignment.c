#include "trace/what_if/alignment.h"

#include <string.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "trace/tape/tape.h"
#include "trace/what_if/effects.h" // defines: differ

struct alignment {
    struct run *run;
    const struct run *right;
    const struct line_outcome *outcomes;
    struct arena *arena;
    bool *is_replaced; // by step: it shows the program's tensor
    struct tape tape;  // of the program
    bool *is_reached;  // by storage of the tape: a replaced step is among what it was computed from
    const struct step **shown; // by storage of the tape: the step that shows it
    bool *is_led;              // by storage of the tape: done
};

static int place_of(const struct alignment *alignment, const struct storage *storage) {
    return place_on_tape(&alignment->tape, storage);
}

// ---- Axes ---------------------------------------------------------------------------------------

// The axes of the right tensor, as far as the other one has its sizes.
static struct tensor like_right(struct tensor tensor, const struct tensor *right) {
    if (tensor.ndim != right->ndim) return tensor;
    const bool is_equal = shapes_equal(shape_of(&tensor), shape_of(right));
    for (int dim = 0; dim < tensor.ndim; dim++) {
        const bool has_labels = is_equal || right->axis[dim].apart == 0;
        if (tensor.shape[dim] == right->shape[dim] && has_labels)
            tensor.axis[dim] = right->axis[dim];
    }
    return tensor;
}

static bool has_axes(const struct tensor *tensor) {
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (tensor->axis[dim].meaning != AXIS_NONE || tensor->axis[dim].labels != NULL) return true;
    }
    return false;
}

// Of another view of a tensor's numbers: the axes of those dimensions that walk the storage alike.
static void take_axes(struct tensor *view, const struct tensor *of) {
    for (int dim = 0; dim < view->ndim; dim++) {
        for (int i = 0; i < of->ndim; i++) {
            if (view->shape[dim] == of->shape[i] && view->stride[dim] == of->stride[i] &&
                view->shape[dim] > 1 && of->axis[i].apart == 0)
                view->axis[dim] = of->axis[i];
        }
    }
}

// ---- Which steps --------------------------------------------------------------------------------

bool reads_alike(const struct tensor *a, const struct tensor *b) {
    if (a->offset != b->offset || !shapes_equal(shape_of(a), shape_of(b))) return false;
    return memcmp(a->stride, b->stride, (size_t)a->ndim * sizeof *a->stride) == 0;
}

static void replace_steps(struct alignment *alignment, const bool *touched,
                          const bool *is_changed) {
    struct run *run = alignment->run;
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *outcome = &alignment->outcomes[i].tensor;
        alignment->is_replaced[i] = is_tensor(outcome) && (touched[i] || is_changed[i]);
        if (alignment->is_replaced[i])
            alignment->is_reached[place_of(alignment, outcome->storage)] = true;
    }
    for (int at = 0; at < alignment->tape.count; at++) {
        const struct origin *origin = alignment->tape.storages[at]->origin;
        for (int i = 0; i < origin->operand_count; i++) {
            const int position = place_of(alignment, origin->operands[i].storage);
            if (position >= 0 && alignment->is_reached[position]) alignment->is_reached[at] = true;
        }
    }
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *outcome = &alignment->outcomes[i].tensor;
        if (!is_tensor(outcome) || alignment->is_replaced[i]) continue;
        alignment->is_replaced[i] = alignment->is_reached[place_of(alignment, outcome->storage)];
    }
}

// Did the lesson draw the numbers, or take them as given, and has the program the same? How a layer of PyTorch puts them where they
// are says nothing more.
static bool is_same_draw(const struct tensor *outcome, const struct tensor *right) {
    return right->storage->origin->operand_count == 0 &&
           outcome->storage->dtype == right->storage->dtype &&
           shapes_equal(shape_of(outcome), shape_of(right)) && !differ(outcome, right);
}

static void stand_for(struct storage *storage, const struct storage *right) {
    storage->purpose = right->purpose;
    if (storage->dtype != right->dtype) return;
    storage->words = right->words;
    storage->word_count = right->word_count;
}

static double account_of_program(struct account *account) {
    say(account, "%s is what the changed lines computed",
        figure(account, account->derivation->value));
    return account->derivation->value;
}

// Python's own numbers stood between, as with losses, or too many operations.
static const struct operation program_row = {
    .name = "program",
    .formula = "computed by the changed lines",
    .account = account_of_program,
    .end = "The changed lines computed this number; no tensor says what from.",
};

// Does only the lesson know what the numbers were computed from?
static bool is_cut_off(const struct tensor *outcome, const struct tensor *right) {
    return outcome->storage->origin->operand_count == 0 &&
           right->storage->origin->operand_count > 0 &&
           outcome->storage->origin->operation == &given_row;
}

static void put_tensors(struct alignment *alignment) {
    for (int i = 0; i < alignment->run->step_count; i++) {
        struct step *step = &alignment->run->steps[i];
        const struct tensor *outcome = &alignment->outcomes[i].tensor, right = step->tensor;
        if (!is_tensor(outcome)) continue;
        const int position = place_of(alignment, outcome->storage);
        const bool is_replaced = alignment->is_replaced[i] && !is_same_draw(outcome, &right);
        if (is_replaced) {
            if (is_cut_off(outcome, &right)) {
                struct origin *origin = arena_allocate(alignment->arena, sizeof *origin);
                origin->operation = &program_row;
                outcome->storage->origin = origin;
            }
            step->tensor = like_right(*outcome, &right);
            if (shapes_equal(shape_of(outcome), shape_of(&right)))
                stand_for(outcome->storage, right.storage);
        }
        const bool stands_for = outcome->storage->count == right.storage->count &&
                                outcome->storage->dtype == right.storage->dtype &&
                                reads_alike(outcome, &right);
        if (alignment->shown[position] == NULL && (is_replaced || stands_for))
            alignment->shown[position] = step;
    }
}

// ---- What they were computed from ---------------------------------------------------------------

// The same numbers where the lesson has them, if a step shows them.
static void lead(const struct alignment *alignment, struct tensor *operand) {
    const int position = place_of(alignment, operand->storage);
    const struct step *step = position >= 0 ? alignment->shown[position] : NULL;
    if (step == NULL) return;
    operand->storage = step->tensor.storage;
    take_axes(operand, &step->tensor);
}

// Operands in the place of the program's; `right` is what the lesson computed there, or NULL.
static void lead_operands(struct alignment *alignment, struct storage *storage,
                          const struct storage *right) {
    const int position = place_of(alignment, storage);
    if (position < 0 || alignment->is_led[position] || storage->origin->operand_count == 0) return;
    alignment->is_led[position] = true;
    struct origin *origin = arena_allocate(alignment->arena, sizeof *origin);
    *origin = *storage->origin;
    const size_t count = (size_t)origin->operand_count;
    struct tensor *operands = arena_array(alignment->arena, count, sizeof *operands);
    memcpy(operands, origin->operands, count * sizeof *operands);
    const struct origin *same = right != NULL ? right->origin : NULL;
    if (same != NULL &&
        (same->operation != origin->operation || same->operand_count != origin->operand_count))
        same = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct tensor *beside = same != NULL ? &same->operands[i] : NULL;
        if (beside != NULL && is_same_draw(&operands[i], beside)) {
            operands[i] = *beside;
            continue;
        }
        lead_operands(alignment, operands[i].storage, beside != NULL ? beside->storage : NULL);
        lead(alignment, &operands[i]);
        if (beside == NULL) continue;
        if (!has_axes(&operands[i])) operands[i] = like_right(operands[i], beside);
        if (operands[i].storage->purpose.role == ROLE_NONE &&
            operands[i].storage->count == beside->storage->count)
            stand_for(operands[i].storage, beside->storage);
    }
    origin->operands = operands;
    storage->origin = origin;
}

void align_outcomes(struct run *run, struct arena *arena, const struct run *right,
                    const struct line_outcome *outcomes, const bool *touched,
                    const bool *is_changed) {
    const size_t count = (size_t)run->step_count;
    struct tensor *tensors = arena_array(arena, count, sizeof *tensors);
    int tensor_count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_tensor(&outcomes[i].tensor)) tensors[tensor_count++] = outcomes[i].tensor;
    struct alignment alignment = {.run = run, .right = right, .outcomes = outcomes, .arena = arena};
    alignment.tape = computed_tape_of(arena, tensor_count, tensors);
    const size_t storages = (size_t)alignment.tape.count;
    alignment.is_replaced = arena_array(arena, count, sizeof *alignment.is_replaced);
    alignment.is_reached = arena_array(arena, storages, sizeof *alignment.is_reached);
    alignment.is_led = arena_array(arena, storages, sizeof *alignment.is_led);
    alignment.shown = arena_array(arena, storages, sizeof *alignment.shown);
    replace_steps(&alignment, touched, is_changed);
    put_tensors(&alignment);
    for (size_t i = 0; i < count; i++) {
        if (alignment.is_replaced[i])
            lead_operands(&alignment, outcomes[i].tensor.storage, right->steps[i].tensor.storage);
    }
}
