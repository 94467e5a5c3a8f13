#include "tensor/operation/derivation.h"

#include <string.h>

#include "tensor/operation/operation.h"

const struct tensor *operand_tensor(const struct finding *finding, int number) {
    return &finding->derivation->origin->operands[number];
}

void expect_operands(struct finding *finding, int64_t count) {
    struct operand **operands = &finding->derivation->operands;
    *operands = arena_array(finding->arena, (size_t)count, sizeof **operands);
    finding->room = count;
}

void add_operand(struct finding *finding, int number, const char *role, const int64_t *index) {
    struct derivation *d = finding->derivation;
    const struct operand *before = d->operands;
    if (d->operand_count == finding->room) {
        expect_operands(finding, finding->room > 0 ? 2 * finding->room : 2);
        for (int i = 0; i < d->operand_count; i++) d->operands[i] = before[i];
    }
    const struct cell cell = cell_at(operand_tensor(finding, number), index);
    d->operands[d->operand_count++] = (struct operand){cell, cell_value(&cell), number, role};
}

// Dimensions are counted from the right, and one of size 1 serves every index.
void add_broadcast(struct finding *finding, int number, const char *role) {
    const struct tensor *x = operand_tensor(finding, number);
    int64_t index[MAX_DIMS] = {0};
    for (int dim = 0; dim < x->ndim; dim++) {
        const int64_t at = finding->derivation->index[dim + finding->shape.ndim - x->ndim];
        index[dim] = x->shape[dim] == 1 ? 0 : at;
    }
    add_operand(finding, number, role, index);
}

void add_all(struct finding *finding, int number, const char *role) {
    const struct shape shape = shape_of(operand_tensor(finding, number));
    for (int64_t position = 0; position < count_of(shape); position++) {
        int64_t index[MAX_DIMS];
        index_at(shape, position, index);
        add_operand(finding, number, role, index);
    }
}

void find_same(struct finding *finding) {
    add_operand(finding, 0, "x", finding->derivation->index);
}

void find_line(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    expect_operands(finding, operand_tensor(finding, 0)->shape[dim]);
    for (int64_t k = 0; k < operand_tensor(finding, 0)->shape[dim]; k++) {
        index[dim] = k;
        add_operand(finding, 0, "x", index);
    }
}

bool hides_as_operands(struct arena *arena, const struct derivation *derivation) {
    for (int i = 0; i < derivation->operand_count; i++) {
        if (is_hidden_by_mask(arena, &derivation->operands[i].cell)) return true;
    }
    return false;
}

bool is_hidden_by_mask(struct arena *arena, const struct cell *cell) {
    const struct operation *operation = cell->tensor.storage->origin->operation;
    if (operation->hides == NULL || cell_value(cell) != 0) return false;
    const struct derivation derivation = find_operands(arena, cell);
    return operation->hides(arena, &derivation);
}

// Do its elements meet those of the result, as shapes broadcast?
static bool meets(const struct tensor *x, struct shape shape) {
    for (int dim = 1; dim <= x->ndim; dim++) {
        const int64_t size = x->shape[x->ndim - dim];
        if (dim > shape.ndim || (size != 1 && size != shape.size[shape.ndim - dim])) return false;
    }
    return true;
}

// For an operation that does not say it: the elements that meet this one.
static void find_meeting(struct finding *finding) {
    for (int i = 0; i < finding->derivation->origin->operand_count; i++)
        if (meets(operand_tensor(finding, i), finding->shape)) add_broadcast(finding, i, "x");
}

struct derivation find_operands(struct arena *arena, const struct cell *cell) {
    const struct storage *storage = cell->tensor.storage;
    const struct operation *operation = storage->origin->operation;
    struct derivation derivation = {
        .origin = storage->origin,
        .operation = operation->name,
        .value = storage->count > 0 ? cell_value(cell) : 0,
        .flat_index = flat_index(&cell->tensor, cell->index),
    };
    if (storage->count == 0) return derivation;
    index_at(storage->shape, derivation.flat_index, derivation.index);
    struct finding finding = {.arena = arena, .derivation = &derivation, .shape = storage->shape};
    if (operation->find != NULL)
        operation->find(&finding);
    else if (operation->account == NULL)
        find_meeting(&finding);
    return derivation;
}
