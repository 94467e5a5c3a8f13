// Operations that put numbers into places of a larger tensor: lookups and views, on the way back.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/operation/account.h"
#include "tensor/operation/addends.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// Fails unless 0 <= id < count.
static void check_id(struct arena *arena, const struct origin *origin, int64_t id, int64_t count) {
    if (id < 0 || id >= count)
        fail(arena->failure, FAIL_USAGE, "%s: no place %" PRId64 " among %" PRId64,
             origin->operation->name, id, count);
}

// The numbers found, added up in order from 0, with words for it.
static double account_of_added(struct account *account) {
    const int count = account->derivation->operand_count;
    float *numbers = arena_array(account->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = operand_value(account, i);
    const struct line addends = {numbers, 1, count};
    const double sum = (double)sum_of(addends, IN_ORDER);
    if (count == 0)
        say(account, "nothing was read from here: 0");
    else if (count == 1)
        say(account, "%s, the only number that comes back here", figure(account, sum));
    else
        say(account, "%s = %s", sum_text(account, addends, IN_ORDER), figure(account, sum));
    return sum;
}

static double error_of_added(const struct derivation *derivation, const double *errors) {
    const int count = derivation->operand_count;
    double error = 0;
    for (int i = 0; i < count; i++) error += errors[i];
    for (int i = 0; count > 1 && i < count; i++) error += fabs(derivation->operands[i].value);
    return error;
}

// ---- one_hot -------------------------------------------------------------------------------------

static struct tensor compute_one_hot(struct arena *arena, const struct origin *origin) {
    const struct tensor *ids = &origin->operands[0];
    const int64_t classes = origin->shape.size[origin->shape.ndim - 1];
    const struct tensor result = tensor_new(arena, INT64, origin->shape);
    int64_t *out = result.storage->data;
    for (int64_t i = 0; i < count_of(shape_of(ids)); i++, out += classes) {
        const int64_t id = (int64_t)element_at(ids, i);
        check_id(arena, origin, id, classes);
        out[id] = 1;
    }
    struct tensor named = result;
    memcpy(named.axis, ids->axis, (size_t)ids->ndim * sizeof *ids->axis);
    return named;
}

static void find_id(struct finding *finding) {
    add_operand(finding, 0, "id", finding->derivation->index);
}

static double account_of_one_hot(struct account *account) {
    const struct derivation *d = account->derivation;
    const int64_t position = d->index[account->storage->shape.ndim - 1];
    const bool is_hot = (int64_t)d->operands[0].value == position;
    say(account, "%d, because the id is %s and this is place %" PRId64 ", counted from 0", is_hot,
        operand_figure(account, 0), position);
    return is_hot;
}

const struct operation one_hot_row = {
    .name = "one_hot",
    .help = {"one_hot", "torch.nn.functional.one_hot(ids, n)",
             "a new last dimension of n; new memory", NULL},
    .compute = compute_one_hot,
    .find = find_id,
    .account = account_of_one_hot,
    .no_gradient = "an id is a name, not a quantity",
};

struct tensor one_hot(struct tensor ids, int64_t classes) {
    struct shape shape = shape_of(&ids);
    if (shape.ndim == MAX_DIMS)
        fail(ids.storage->arena->failure, FAIL_USAGE,
             "one_hot: ids of shape %s have no room for more",
             shape_text(ids.storage->arena, shape));
    shape.size[shape.ndim++] = classes;
    return perform_on(ONE(ids), (struct origin){.operation = &one_hot_row, .shape = shape});
}

// ---- index_add -----------------------------------------------------------------------------------

static struct tensor compute_index_add(struct arena *arena, const struct origin *origin) {
    const struct tensor *ids = &origin->operands[0], *x = &origin->operands[1];
    const int64_t width = x->shape[x->ndim - 1], count = count_of(shape_of(ids));
    if (x->ndim < 1 || count_of(shape_of(x)) != count * width)
        refuse_shapes(arena, origin, ids, x, "do not fit together");
    struct tensor result = tensor_new(arena, FLOAT32, origin->shape);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++) {
        const int64_t id = (int64_t)element_at(ids, i);
        check_id(arena, origin, id, origin->shape.size[0]);
        float *row = floats_of(&result) + id * width;
        for (int64_t j = 0; j < width; j++, next_index(&shape, index)) row[j] += float_at(x, index);
    }
    result.axis[1] = x->axis[x->ndim - 1];
    return result;
}

static void find_rows(struct finding *finding) {
    const struct tensor *ids = operand_tensor(finding, 0), *x = operand_tensor(finding, 1);
    const struct shape shape = shape_of(ids);
    for (int64_t i = 0; i < count_of(shape); i++) {
        int64_t index[MAX_DIMS] = {0};
        index_at(shape, i, index);
        if ((int64_t)element(ids, index) != finding->derivation->index[0]) continue;
        index[x->ndim - 1] = finding->derivation->index[1];
        add_operand(finding, 1, "x", index);
    }
}

static struct tensor gradient_of_index_add(const struct backward *back, int operand) {
    return operand == 0 ? NO_TENSOR : embed(back->origin->operands[0], back->grad);
}

const struct operation index_add_row = {
    .name = "index_add",
    .backward = "IndexAddBackward0",
    .help = {"index_add", "torch.zeros(n, d).index_add(0, ids, x)",
             "(..., d) becomes (n, d): rows with one id are added up", "dx = rows of dy, by id"},
    .compute = compute_index_add,
    .find = find_rows,
    .account = account_of_added,
    .gradient = gradient_of_index_add,
    .error = error_of_added,
};

struct tensor index_add(int64_t rows, struct tensor ids, struct tensor x) {
    return perform_on(TWO(ids, x), (struct origin){.operation = &index_add_row,
                                                   .shape = SHAPE(rows, x.shape[x.ndim - 1])});
}

// ---- scatter_add ---------------------------------------------------------------------------------

bool shows_twice(const struct tensor *x) {
    int64_t reach = 0;
    bool is_done[MAX_DIMS] = {false};
    for (int n = 0; n < x->ndim; n++) {
        int least = -1;
        for (int dim = 0; dim < x->ndim; dim++)
            if (!is_done[dim] && (least < 0 || x->stride[dim] < x->stride[least])) least = dim;
        if (x->shape[least] > 1 && x->stride[least] <= reach) return true;
        reach += (x->shape[least] - 1) * x->stride[least];
        is_done[least] = true;
    }
    return false;
}

static struct tensor compute_scatter(struct arena *arena, const struct origin *origin) {
    const struct tensor *grad = &origin->operands[0], *x = &origin->operands[1];
    const struct shape shape = shape_of(x);
    if (!shapes_equal(shape_of(grad), shape)) refuse_shapes(arena, origin, grad, x, "differ");
    const struct tensor result = tensor_new(arena, grad->storage->dtype, x->storage->shape);
    const bool adds = shows_twice(x); // else -0 stays -0
    float *floats = floats_of(&result);
    double *doubles = result.storage->data;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        const int64_t position = flat_index(x, index);
        if (grad->storage->dtype == FLOAT64)
            doubles[position] = element(grad, index) + (adds ? doubles[position] : -0.0);
        else
            floats[position] = float_at(grad, index) + (adds ? floats[position] : -0.0F);
    }
    return result;
}

// The numbers whose place this is; a view may walk it more than once.
static void find_scattered(struct finding *finding) {
    const struct tensor *x = operand_tensor(finding, 1);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        if (flat_index(x, index) == finding->derivation->flat_index)
            add_operand(finding, 0, "grad", index);
    }
}

// Where a number was added to, there its gradient is read.
static struct tensor gradient_of_scatter(const struct backward *back, int operand) {
    if (operand == 1) return NO_TENSOR;
    struct tensor walked = back->origin->operands[1];
    const struct tensor grad = contiguous(back->grad);
    walked.storage = grad.storage;
    walked.offset += grad.offset;
    return walked;
}

const struct operation scatter_add_row = {
    .name = "scatter_add",
    .compute = compute_scatter,
    .find = find_scattered,
    .account = account_of_added,
    .gradient = gradient_of_scatter,
    .error = error_of_added,
};

struct tensor scatter_add(struct tensor grad, struct tensor x) {
    return perform_on(TWO(grad, x), (struct origin){.operation = &scatter_add_row});
}
