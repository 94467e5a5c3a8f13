// Operations that copy: elements of other tensors side by side in new memory, untouched.

#include <inttypes.h>
#include <string.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// Copies the element at the place `from` in the storage of x to the place `to` in the storage of y.
static void copy_element(const struct tensor *x, int64_t from, struct tensor *y, int64_t to) {
    switch (x->storage->dtype) {
    case FLOAT32:
        ((float *)y->storage->data)[to] = ((const float *)x->storage->data)[from];
        break;
    case BOOL:
        ((unsigned char *)y->storage->data)[to] = ((const unsigned char *)x->storage->data)[from];
        break;
    case INT64:
        ((int64_t *)y->storage->data)[to] = ((const int64_t *)x->storage->data)[from];
        break;
    case INT32:
        ((int32_t *)y->storage->data)[to] = ((const int32_t *)x->storage->data)[from];
        break;
    case FLOAT64:
        ((double *)y->storage->data)[to] = ((const double *)x->storage->data)[from];
        break;
    }
}

// Copies all of x into `slot`, a view of a new tensor with the same shape.
static void copy_into(const struct tensor *x, struct tensor slot) {
    const struct shape shape = shape_of(x);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t position = 0; position < count; position++, next_index(&shape, index))
        copy_element(x, flat_index(x, index), &slot, flat_index(&slot, index));
}

static double account_of_joined(struct account *account) {
    const struct operand *from = &account->derivation->operands[0];
    say(account, "%s, copied from %s%stensor %d of %d", operand_figure(account, 0),
        cell_label(account->arena, &from->cell), from->cell.tensor.ndim > 0 ? " of " : "",
        from->number + 1, account->derivation->origin->operand_count);
    return from->value;
}

// Ids stay ids of the same words.
static struct tensor like_first(struct arena *arena, const struct origin *origin,
                                struct shape shape) {
    const struct storage *first = origin->operands[0].storage;
    const struct tensor result = tensor_new(arena, first->dtype, shape);
    result.storage->narrow = first->narrow;
    result.storage->words = first->words;
    result.storage->word_count = first->word_count;
    return result;
}

// ---- contiguous ----------------------------------------------------------------------------------

static struct tensor compute_copy(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = with_axes_of(like_first(arena, origin, shape_of(x)), x);
    copy_into(x, result);
    return result;
}

static double account_of_copy(struct account *account) {
    const struct operand *from = &account->derivation->operands[0];
    say(account, "%s, copied from place %" PRId64 " in memory to place %" PRId64 " of new memory",
        operand_figure(account, 0), flat_index(&from->cell.tensor, from->cell.index) + 1,
        account->derivation->flat_index + 1);
    return from->value;
}

static struct tensor gradient_of_copy(const struct backward *back, int operand) {
    (void)operand;
    return back->grad;
}

const struct operation copy_row = {
    .name = "contiguous",
    .purpose = purpose_of_first,
    .formula = "1",
    .backward = "CloneBackward0",
    .gradient = gradient_of_copy,
    .help = {"contiguous", "x.contiguous()",
             "same sizes; copies the numbers into the order of the dimensions, if needed",
             "dx = dy"},
    .compute = compute_copy,
    .find = find_same,
    .account = account_of_copy,
    .moves = true,
};

struct tensor contiguous(struct tensor x) {
    if (is_contiguous(&x)) return x;
    return perform_on(ONE(x), (struct origin){.operation = &copy_row});
}

// ---- detach --------------------------------------------------------------------------------------

static double account_of_detached(struct account *account) {
    say(account, "%s, as it was; but no gradient goes back from here", operand_figure(account, 0));
    return operand_value(account, 0);
}

const struct operation detach_row = {
    .name = "detach",
    .purpose = purpose_of_first,
    .formula = "1",
    .compute = compute_copy,
    .find = find_same,
    .account = account_of_detached,
    .no_gradient = "detach() cuts its operand off from the loss",
    .moves = true,
};

// ---- What the joined ones are for ----------------------------------------------------------------

static bool is_same_purpose(const struct purpose *a, const struct purpose *b) {
    return a->role == b->role && a->makes == b->makes && a->layer == b->layer && a->of == b->of;
}

// The purpose that all have. Several losses are no loss.
static struct purpose purpose_of_joined(const struct origin *origin, const struct tensor *result) {
    (void)result;
    const struct purpose *first = &origin->operands[0].storage->purpose;
    if (first->role == ROLE_LOSS) return (struct purpose){0};
    for (int i = 1; i < origin->operand_count; i++) {
        if (!is_same_purpose(first, &origin->operands[i].storage->purpose))
            return (struct purpose){0};
    }
    return *first;
}

// ---- stack ---------------------------------------------------------------------------------------

static bool has_same_labels(const struct tensor *a, const struct tensor *b, int dim) {
    const char *const *first = a->axis[dim].labels, *const *second = b->axis[dim].labels;
    if (first == second || first == NULL || second == NULL) return true;
    for (int64_t i = 0; i < a->shape[dim]; i++) {
        if (strcmp(first[i], second[i]) != 0) return false;
    }
    return true;
}

// The labels of a dimension of all that is stacked, one behind the other where they differ.
static struct axis stacked_axis(struct arena *arena, const struct origin *origin, int dim) {
    const struct tensor *x = origin->operands;
    struct axis axis = x[0].axis[dim];
    bool is_same = true, has_all = true;
    for (int i = 0; i < origin->operand_count; i++) {
        is_same = is_same && has_same_labels(&x[0], &x[i], dim);
        has_all = has_all && x[i].axis[dim].labels != NULL;
    }
    if (is_same || !has_all) return axis;
    const int64_t size = x[0].shape[dim];
    const size_t count = (size_t)(size * origin->operand_count);
    const char **labels = arena_array(arena, count, sizeof *labels);
    for (int64_t i = 0; i < size * origin->operand_count; i++)
        labels[i] = x[i / size].axis[dim].labels[i % size];
    axis.labels = labels;
    axis.apart = size;
    return axis;
}

static struct tensor compute_stack(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = origin->operands;
    const int count = origin->operand_count, at = origin->dim;
    struct shape shape = {.ndim = x[0].ndim + 1};
    for (int dim = 0; dim < shape.ndim; dim++) {
        shape.size[dim] = dim == at ? count : x[0].shape[dim < at ? dim : dim - 1];
    }
    struct tensor result = like_first(arena, origin, shape);
    for (int i = 0; i < count; i++) {
        if (!shapes_equal(shape_of(&x[i]), shape_of(&x[0])))
            refuse_shapes(arena, origin, &x[0], &x[i], "differ");
        copy_into(&x[i], select_index(result, at, i));
    }
    for (int i = 0; i < x[0].ndim; i++)
        result.axis[i < at ? i : i + 1] = stacked_axis(arena, origin, i);
    return result;
}

static void find_stacked(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    int64_t index[MAX_DIMS] = {0};
    for (int i = 0, to = 0; i < finding->shape.ndim; i++) {
        if (i != dim) index[to++] = finding->derivation->index[i];
    }
    add_operand(finding, (int)finding->derivation->index[dim], "x", index);
}

static struct tensor part_of_stack(const struct origin *origin, struct tensor whole, int operand) {
    return select_index(whole, origin->dim, operand);
}

static struct tensor gradient_of_stack(const struct backward *back, int operand) {
    return part_of_stack(back->origin, back->grad, operand);
}

const struct operation stack_row = {
    .name = "stack",
    .purpose = purpose_of_joined,
    .backward = "StackBackward0",
    .gradient = gradient_of_stack,
    .help = {"stack", "torch.stack(list, dim)", "a new dimension; new memory",
             "each tensor of the list gets its part of dy"},
    .compute = compute_stack,
    .find = find_stacked,
    .account = account_of_joined,
    .part = part_of_stack,
    .hides = hides_as_operands,
    .moves = true,
};

struct tensor stack(int64_t count, const struct tensor *x, int dim) {
    const int at = dim < 0 ? dim + x[0].ndim + 1 : dim;
    if (x[0].ndim == MAX_DIMS || at < 0 || at > x[0].ndim) {
        struct arena *arena = x[0].storage->arena;
        fail(arena->failure, FAIL_USAGE, "stack: no dimension %d to stack shapes %s along", dim,
             shape_text(arena, shape_of(&x[0])));
    }
    return perform_on((int)count, x, (struct origin){.operation = &stack_row, .dim = at});
}

// ---- cat -----------------------------------------------------------------------------------------

// Shape of the operands joined; fails where another size differs.
static struct shape joined_shape(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = origin->operands;
    const int at = origin->dim;
    struct shape shape = shape_of(&x[0]);
    for (int i = 1; i < origin->operand_count; i++) {
        struct shape other = shape_of(&x[i]);
        shape.size[at] += other.size[at];
        other.size[at] = x[0].shape[at];
        if (!shapes_equal(other, shape_of(&x[0])))
            refuse_shapes(arena, origin, &x[0], &x[i],
                          arena_format(arena, "do not line up along dimension %d", at));
    }
    return shape;
}

// The labels of what is joined, one behind the other; NULL if some have none, or each sentence has its own.
static const char *const *joined_labels(struct arena *arena, const struct origin *origin,
                                        int64_t count) {
    const char **labels = arena_array(arena, (size_t)count, sizeof *labels);
    for (int i = 0; i < origin->operand_count; i++) {
        const struct axis *axis = &origin->operands[i].axis[origin->dim];
        if (axis->labels == NULL || axis->apart > 0) return NULL;
        for (int64_t j = 0; j < origin->operands[i].shape[origin->dim]; j++)
            *labels++ = axis->labels[j];
    }
    return labels - count;
}

static struct tensor compute_cat(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = origin->operands;
    struct tensor result = like_first(arena, origin, joined_shape(arena, origin));
    memcpy(result.axis, x[0].axis, sizeof result.axis);
    struct axis *joined = &result.axis[origin->dim];
    joined->labels = joined_labels(arena, origin, result.shape[origin->dim]);
    int64_t start = 0;
    for (int i = 0; i < origin->operand_count; i++) {
        const int64_t size = x[i].shape[origin->dim];
        copy_into(&x[i], narrow(result, origin->dim, start, size));
        start += size;
    }
    return result;
}

static void find_joined(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    int number = 0;
    while (index[dim] >= operand_tensor(finding, number)->shape[dim]) {
        index[dim] -= operand_tensor(finding, number)->shape[dim];
        number++;
    }
    add_operand(finding, number, "x", index);
}

static struct tensor part_of_cat(const struct origin *origin, struct tensor whole, int operand) {
    int64_t start = 0;
    for (int i = 0; i < operand; i++) start += origin->operands[i].shape[origin->dim];
    return narrow(whole, origin->dim, start, origin->operands[operand].shape[origin->dim]);
}

static struct tensor gradient_of_cat(const struct backward *back, int operand) {
    return part_of_cat(back->origin, back->grad, operand);
}

const struct operation cat_row = {
    .name = "cat",
    .purpose = purpose_of_joined,
    .backward = "CatBackward0",
    .gradient = gradient_of_cat,
    .help = {"cat", "torch.cat(list, dim)", "the sizes along one dimension add up; new memory",
             "each tensor of the list gets its part of dy"},
    .compute = compute_cat,
    .find = find_joined,
    .account = account_of_joined,
    .part = part_of_cat,
    .hides = hides_as_operands,
    .moves = true,
};

struct tensor cat(int64_t count, const struct tensor *x, int dim) {
    const int at = dimension(&x[0], dim, "cat");
    return perform_on((int)count, x, (struct origin){.operation = &cat_row, .dim = at});
}

// ---- embedding -----------------------------------------------------------------------------------

static struct tensor compute_embedding(struct arena *arena, const struct origin *origin) {
    const struct tensor *ids = &origin->operands[0], *weight = &origin->operands[1];
    struct shape shape = shape_of(ids);
    if (weight->ndim != 2 || shape.ndim == MAX_DIMS) {
        fail(arena->failure, FAIL_USAGE,
             "embedding: ids of shape %s and a weight of shape %s do not fit",
             shape_text(arena, shape), shape_text(arena, shape_of(weight)));
    }
    const int64_t count = count_of(shape), width = weight->shape[1];
    shape.size[shape.ndim++] = width;
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    for (int64_t i = 0; i < count; i++) {
        const int64_t id = (int64_t)element_at(ids, i);
        if (id < 0 || id >= weight->shape[0]) {
            fail(arena->failure, FAIL_USAGE, "embedding: no row %lld in a weight of shape %s",
                 (long long)id, shape_text(arena, shape_of(weight)));
        }
        for (int64_t j = 0; j < width; j++) {
            floats_of(&result)[i * width + j] = float_at(weight, (int64_t[]){id, j});
        }
    }
    memcpy(result.axis, ids->axis, (size_t)ids->ndim * sizeof *ids->axis);
    result.axis[ids->ndim] = weight->axis[1];
    return result;
}

static void find_embedded(struct finding *finding) {
    const int64_t *index = finding->derivation->index; // that of the id, then the feature
    add_operand(finding, 0, "id", index);
    const int64_t id = (int64_t)finding->derivation->operands[0].value;
    add_operand(finding, 1, "weight", (int64_t[]){id, index[finding->shape.ndim - 1]});
}

static double account_of_embedding(struct account *account) {
    const char *id = operand_figure(account, 0);
    say(account, "%s, from row %s of the table, counted from 0", operand_figure(account, 1), id);
    return account->derivation->operands[1].value;
}

// A row that was read twice answers to both.
static struct tensor gradient_of_embedding(const struct backward *back, int operand) {
    const struct tensor *ids = &back->origin->operands[0], *weight = &back->origin->operands[1];
    return operand == 0 ? NO_TENSOR : index_add(weight->shape[0], *ids, back->grad);
}

// Rows of a table.
static struct purpose purpose_of_embedding(const struct origin *origin,
                                           const struct tensor *result) {
    (void)result;
    const struct purpose *table = &origin->operands[1].storage->purpose;
    return (struct purpose){.role = table->role == ROLE_EMBEDDING ? table->makes : ROLE_NONE};
}

const struct operation embedding_row = {
    .name = "embedding",
    .purpose = purpose_of_embedding,
    .formula = "2[1]",
    .help = {.sizes = "sizes of the ids, then the width of a row",
             .back = "of rows E[id]: dE = rows of dy with one id added up, 0 for words not read"},
    .backward = "EmbeddingBackward0",
    .gradient = gradient_of_embedding,
    .compute = compute_embedding,
    .find = find_embedded,
    .account = account_of_embedding,
};

struct tensor embed(struct tensor ids, struct tensor weight) {
    return perform_on(TWO(ids, weight), (struct origin){.operation = &embedding_row});
}
