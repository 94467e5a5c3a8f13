// Which cells an element was computed from. The arithmetic is next door, in arithmetic.c.

#include "trace/derivation.h"

#include <string.h>

#include "trace/arithmetic.h"

// A derivation whose operands are being collected.
struct search {
    struct arena *arena;
    struct derivation *derivation;
    struct shape shape; // that the operation filled
};

static const struct tensor *operand_tensor(const struct search *s, int number) {
    return &s->derivation->origin->operands[number];
}

static void add(struct search *s, int number, const char *role, const int64_t *index) {
    struct derivation *d = s->derivation;
    const size_t used = (size_t)d->operand_count * sizeof *d->operands;
    d->operands = arena_grow(s->arena, d->operands, used, sizeof *d->operands);
    const struct cell cell = cell_at(operand_tensor(s, number), index);
    d->operands[d->operand_count++] = (struct operand){cell, cell_value(&cell), number, role};
}

// The operand's element that meets this one when shapes broadcast: dimensions are counted from the
// right, and one of size 1 serves every index.
static void add_broadcast(struct search *s, int number, const char *role) {
    const struct tensor *x = operand_tensor(s, number);
    int64_t index[MAX_DIMS] = {0};
    for (int dim = 0; dim < x->ndim; dim++) {
        const int64_t own = s->derivation->index[dim + s->shape.ndim - x->ndim];
        index[dim] = x->shape[dim] == 1 ? 0 : own;
    }
    add(s, number, role, index);
}

// ---- One function a kind of operation -----------------------------------------------------------

static void find_none(struct search *s) {
    (void)s;
}

static void find_same(struct search *s) {
    add(s, 0, "x", s->derivation->index);
}

static void find_pair(struct search *s) {
    add_broadcast(s, 0, "a");
    add_broadcast(s, 1, "b");
}

static void find_masked(struct search *s) {
    add_broadcast(s, 0, "x");
    add_broadcast(s, 1, "mask");
}

// The index of a product's factor, its summed dimension still 0: leading dimensions broadcast, then
// comes the row (of a) or the column (of b) that this element has. A vector has neither.
static void factor_index(const struct search *s, const struct tensor *x, bool is_left,
                         int64_t *index) {
    const int64_t *own = s->derivation->index;
    const int n = s->shape.ndim;
    for (int dim = 0; dim < x->ndim - 2; dim++) {
        index[dim] = x->shape[dim] == 1 ? 0 : own[dim + n - x->ndim];
    }
    if (x->ndim >= 2) index[is_left ? x->ndim - 2 : x->ndim - 1] = own[is_left ? n - 2 : n - 1];
}

static void find_matmul(struct search *s) {
    const struct tensor *a = operand_tensor(s, 0), *b = operand_tensor(s, 1);
    int64_t index_a[MAX_DIMS] = {0}, index_b[MAX_DIMS] = {0};
    factor_index(s, a, true, index_a);
    factor_index(s, b, false, index_b);
    const int summed_a = a->ndim - 1, summed_b = b->ndim >= 2 ? b->ndim - 2 : 0;
    for (int64_t k = 0; k < a->shape[summed_a]; k++) {
        index_a[summed_a] = index_b[summed_b] = k;
        add(s, 0, "a", index_a);
        add(s, 1, "b", index_b);
    }
}

static void find_linear(struct search *s) {
    const int last = s->shape.ndim - 1;
    int64_t index[MAX_DIMS];
    memcpy(index, s->derivation->index, sizeof index);
    const int64_t out = index[last];
    for (int64_t k = 0; k < operand_tensor(s, 0)->shape[last]; k++) {
        index[last] = k;
        add(s, 0, "x", index);
        add(s, 1, "weight", (int64_t[]){out, k});
    }
    if (s->derivation->origin->operand_count > 2) add(s, 2, "bias", &out);
}

// The whole line along the origin's dimension.
static void find_line(struct search *s) {
    const int dim = s->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, s->derivation->index, sizeof index);
    for (int64_t k = 0; k < operand_tensor(s, 0)->shape[dim]; k++) {
        index[dim] = k;
        add(s, 0, "x", index);
    }
}

// The line in the order in which it is added up: lane by lane.
static void find_addends(struct search *s) {
    const int dim = s->derivation->origin->dim;
    const int64_t count = operand_tensor(s, 0)->shape[dim];
    int64_t index[MAX_DIMS];
    memcpy(index, s->derivation->index, sizeof index);
    for (int64_t lane = 0; lane < lanes_of_sum(count); lane++) {
        for (int64_t k = 0; k < count; k++) {
            index[dim] = k;
            if (lane_of_addend(count, k) == lane) add(s, 0, "x", index);
        }
    }
}

static void add_all(struct search *s, int number, const char *role) {
    const struct shape shape = shape_of(operand_tensor(s, number));
    for (int64_t position = 0; position < count_of(shape); position++) {
        int64_t index[MAX_DIMS];
        index_at(shape, position, index);
        add(s, number, role, index);
    }
}

static void find_all(struct search *s) {
    add_all(s, 0, "x");
}

static void find_joined(struct search *s) {
    const int dim = s->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, s->derivation->index, sizeof index);
    int number = 0;
    while (index[dim] >= operand_tensor(s, number)->shape[dim]) {
        index[dim] -= operand_tensor(s, number)->shape[dim];
        number++;
    }
    add(s, number, "x", index);
}

static void find_stacked(struct search *s) {
    const int dim = s->derivation->origin->dim;
    int64_t index[MAX_DIMS] = {0};
    for (int i = 0, to = 0; i < s->shape.ndim; i++) {
        if (i != dim) index[to++] = s->derivation->index[i];
    }
    add(s, (int)s->derivation->index[dim], "x", index);
}

static void find_embedded(struct search *s) {
    const int64_t *index = s->derivation->index; // that of the id, then the feature
    add(s, 0, "id", index);
    const int64_t id = (int64_t)s->derivation->operands[0].value;
    add(s, 1, "weight", (int64_t[]){id, index[s->shape.ndim - 1]});
}

static void find_loss(struct search *s) {
    add_all(s, 0, "logits");
    add_all(s, 1, "target");
}

static void (*const finders[OPERATION_COUNT])(struct search *s) = {
    [FROM_INPUT] = find_none,    [FROM_FULL] = find_none,     [FROM_UNIFORM] = find_none,
    [FROM_NORMAL] = find_none,   [ADD] = find_pair,           [SUBTRACT] = find_pair,
    [MULTIPLY] = find_pair,      [DIVIDE] = find_pair,        [ABSOLUTE] = find_same,
    [RELU] = find_same,          [LOG] = find_same,           [MATMUL] = find_matmul,
    [LINEAR] = find_linear,      [SOFTMAX] = find_line,       [LOG_SOFTMAX] = find_line,
    [SUM] = find_addends,        [MEAN] = find_addends,       [VARIANCE] = find_line,
    [LARGEST] = find_all,        [TRIL] = find_same,          [TRIU] = find_same,
    [TO_BOOL] = find_same,       [MASKED_FILL] = find_masked, [DROPOUT] = find_same,
    [CAT] = find_joined,         [STACK] = find_stacked,      [COPY] = find_same,
    [EMBEDDING] = find_embedded, [CROSS_ENTROPY] = find_loss,
};

struct derivation derive(struct arena *arena, const struct cell *cell, int digits) {
    const struct storage *storage = cell->tensor.storage;
    struct derivation derivation = {
        .origin = storage->origin,
        .operation = operation_name(storage->origin->operation),
        .value = cell_value(cell),
        .flat_index = flat_index(&cell->tensor, cell->index),
    };
    index_at(storage->shape, derivation.flat_index, derivation.index);
    struct search search = {.arena = arena, .derivation = &derivation, .shape = storage->shape};
    finders[storage->origin->operation](&search);
    reckon(arena, &derivation, storage, digits);
    return derivation;
}

// ---- Finding a step -----------------------------------------------------------------------------

const struct step *step_showing(const struct run *run, const struct tensor *tensor, int before) {
    const struct step *found = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (found != NULL && step->number >= before) break;
        if (step->tensor.storage == tensor->storage) found = step;
    }
    return found;
}

const struct step *step_of_cell(const struct run *run, const struct cell *cell, int before,
                                struct cell *found) {
    const struct step *nearest = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (nearest != NULL && step->number >= before) break;
        if (cell_in_view(&step->tensor, cell, found)) nearest = step;
    }
    return nearest;
}
