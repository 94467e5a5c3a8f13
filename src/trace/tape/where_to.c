#include "trace/tape/where_to.h"

#include <math.h>

#include "tensor/operation/derivation.h"
#include "tensor/operation/rows.h"

// What is known of a number. One that ends the way was made of the asked number, but does not answer to it.
enum { NOT_REACHED, REACHED, ENDS };

static const unsigned char *reached_of(const struct where_to *where_to,
                                       const struct storage *storage) {
    const int position = place_on_tape(&where_to->tape, storage);
    return position < 0 ? NULL : where_to->reached[position];
}

static bool has_reached_operand(const struct where_to *where_to, const struct origin *origin) {
    for (int i = 0; i < origin->operand_count; i++) {
        if (reached_of(where_to, origin->operands[i].storage) != NULL) return true;
    }
    return false;
}

// Would the number be another if its operand number i were? A factor of 0 hides the other one, a mask what it
// replaces; a 0 that masks hides everything.
static bool answers_to(struct arena *arena, const struct derivation *derivation, int i) {
    const struct operation *operation = derivation->origin->operation;
    const struct operand *operand = &derivation->operands[i];
    const bool may_hide = operation->hides != NULL && derivation->value == 0;
    if (may_hide && operation->hides(arena, derivation)) return false;
    if (operation->changes_some && operand->number == 0 && operand->value != derivation->value)
        return false;
    const int partner = i % 2 == 0 ? i + 1 : i - 1;
    const bool is_pair = operation->factors == 2 && partner < derivation->operand_count &&
                         (derivation->operand_count % 2 == 0 || i < derivation->operand_count - 1);
    return !is_pair || derivation->operands[partner].value != 0;
}

// All elements of a storage, in the shape that it was made in.
static struct tensor all_of(struct storage *storage) {
    struct tensor tensor = {.storage = storage, .ndim = storage->shape.ndim};
    int64_t stride = 1;
    for (int dim = tensor.ndim - 1; dim >= 0; dim--) {
        tensor.shape[dim] = storage->shape.size[dim];
        tensor.stride[dim] = stride;
        stride *= tensor.shape[dim];
    }
    return tensor;
}

static unsigned char is_element_reached(const struct where_to *where_to, struct arena *arena,
                                        const struct cell *cell) {
    const struct derivation derivation = find_operands(arena, cell);
    unsigned char result = NOT_REACHED;
    for (int i = 0; i < derivation.operand_count; i++) {
        const struct cell *operand = &derivation.operands[i].cell;
        const unsigned char *reached = reached_of(where_to, operand->tensor.storage);
        const int64_t position = flat_index(&operand->tensor, operand->index);
        if (reached == NULL || reached[position] != REACHED) continue;
        if (answers_to(arena, &derivation, i)) return REACHED;
        if (operand->tensor.storage == where_to->asked.tensor.storage &&
            position == flat_index(&where_to->asked.tensor, where_to->asked.index))
            result = ENDS;
    }
    return result;
}

// ---- Long rows ----------------------------------------------------------------------------------

// How many numbers in a row answer alike, but for those that stand apart; 1 if each has to be asked. A row of a softmax is made
// of one row, a row of a product of one row of its first factor. A model has fifty thousand words in a row, and a softmax of
// them has as many operands for each.
static int64_t row_length(const struct where_to *where_to, const struct storage *storage) {
    const struct origin *origin = storage->origin;
    const int columns = storage->shape.ndim - 1;
    const bool is_softmax = origin->operation == &softmax_row && origin->dim == columns;
    const bool is_product =
        (origin->operation == &linear_row || origin->operation == &matmul_row) &&
        origin->operands[1].ndim == 2 && columns >= 0;
    if (!is_softmax && !is_product) return 1;
    for (int i = 0; i < origin->operand_count; i++) {
        const struct storage *operand = origin->operands[i].storage;
        if (operand == where_to->asked.tensor.storage) return 1;
        if (i > 0 && reached_of(where_to, operand) != NULL) return 1;
    }
    return storage->shape.size[columns];
}

// Is the number hidden by a mask, or may it be by a factor of 0?
static bool stands_apart(const struct origin *origin, const struct cell *cell) {
    const int64_t column = cell->index[cell->tensor.ndim - 1];
    if (origin->operation == &softmax_row)
        return element(&origin->operands[0], cell->index) == -INFINITY && cell_value(cell) == 0;
    const struct tensor *factor = &origin->operands[1];
    const int dim = origin->operation == &linear_row ? 0 : 1, summed = 1 - dim;
    int64_t index[2];
    index[dim] = column;
    for (index[summed] = 0; index[summed] < factor->shape[summed]; index[summed]++) {
        if (element(factor, index) == 0) return true;
    }
    return false;
}

static void reach(struct where_to *where_to, struct arena *arena, int position) {
    struct storage *storage = where_to->tape.storages[position];
    unsigned char *reached = arena_array(arena, (size_t)storage->count, sizeof *reached);
    bool has_any = false, knows_row = false;
    unsigned char of_row = NOT_REACHED;
    struct cell cell = {.tensor = all_of(storage)};
    const int64_t length = row_length(where_to, storage);
    for (int64_t i = 0; i < storage->count; i++) {
        index_at(storage->shape, i, cell.index);
        const bool is_apart = length > 1 && stands_apart(storage->origin, &cell);
        if (i % length == 0) knows_row = false;
        if (is_apart && storage->origin->operation == &softmax_row) continue; // hidden
        if (!knows_row || is_apart) {
            struct scratch scratch;
            struct arena *m = scratch_open(&scratch, arena->failure);
            reached[i] = is_element_reached(where_to, m, &cell);
            scratch_close(&scratch);
            if (!is_apart) of_row = reached[i];
            knows_row = knows_row || !is_apart;
        } else
            reached[i] = of_row;
        has_any = has_any || reached[i] != NOT_REACHED;
    }
    if (has_any) where_to->reached[position] = reached;
}

struct where_to where_to_of(struct arena *arena, const struct run *run, const struct cell *cell) {
    struct tensor *tensors = arena_array(arena, (size_t)run->step_count, sizeof *tensors);
    for (int i = 0; i < run->step_count; i++) tensors[i] = run->steps[i].tensor;
    struct where_to where_to = {.asked = *cell,
                                .tape = computed_tape_of(arena, run->step_count, tensors)};
    where_to.reached = arena_array(arena, (size_t)where_to.tape.count, sizeof *where_to.reached);
    const int start = place_on_tape(&where_to.tape, cell->tensor.storage);
    if (start < 0) return where_to;
    unsigned char *reached =
        arena_array(arena, (size_t)cell->tensor.storage->count, sizeof *reached);
    reached[flat_index(&cell->tensor, cell->index)] = REACHED;
    where_to.reached[start] = reached;
    for (int i = start + 1; i < where_to.tape.count; i++) {
        if (has_reached_operand(&where_to, where_to.tape.storages[i]->origin))
            reach(&where_to, arena, i);
    }
    return where_to;
}

// ---- Asking -------------------------------------------------------------------------------------

bool is_reached(const struct where_to *where_to, const struct tensor *tensor,
                const int64_t *index) {
    const unsigned char *reached = reached_of(where_to, tensor->storage);
    return reached != NULL && reached[flat_index(tensor, index)] != NOT_REACHED;
}

int64_t reached_in(const struct where_to *where_to, const struct tensor *tensor) {
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0}, reached = 0;
    if (reached_of(where_to, tensor->storage) == NULL) return 0;
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        reached += is_reached(where_to, tensor, index) ? 1 : 0;
    return reached;
}

bool first_reached(const struct where_to *where_to, const struct tensor *tensor, int64_t *index) {
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    if (reached_of(where_to, tensor->storage) == NULL) return false;
    for (int64_t i = 0; i < count; i++) {
        index_at(shape, i, index);
        if (is_reached(where_to, tensor, index)) return true;
    }
    return false;
}
