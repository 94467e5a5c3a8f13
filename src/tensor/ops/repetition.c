// Operations that copy the parts of a tensor along one dimension in another order, or several times.

#include <inttypes.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// The index along origin->dim that the index i of the result was copied from.
static int64_t source_of(const struct origin *origin, int64_t i) {
    const int64_t size = origin->operands[0].shape[origin->dim];
    if (origin->operation == &flip_row) return size - 1 - i;
    if (origin->operation == &repeat_row) return i % size;
    return i / origin->times;
}

static struct tensor compute_repeated(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = shape_of(x);
    shape.size[origin->dim] *= origin->times;
    struct tensor result = with_axes_of(tensor_new(arena, x->storage->dtype, shape), x);
    result.axis[origin->dim].labels = NULL;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        int64_t from[MAX_DIMS];
        for (int dim = 0; dim < shape.ndim; dim++) from[dim] = index[dim];
        from[origin->dim] = source_of(origin, index[origin->dim]);
        if (x->storage->dtype == INT64)
            put_whole(result.storage, i, whole_element(x, from));
        else
            put_number(result.storage, i, element(x, from));
    }
    return result;
}

static void find_source(struct finding *finding) {
    const struct origin *origin = finding->derivation->origin;
    int64_t index[MAX_DIMS];
    for (int dim = 0; dim < MAX_DIMS; dim++) index[dim] = finding->derivation->index[dim];
    index[origin->dim] = source_of(origin, index[origin->dim]);
    add_operand(finding, 0, "x", index);
}

static double account_of_repeated(struct account *account) {
    const struct derivation *d = account->derivation;
    const int64_t to = d->index[d->origin->dim];
    say(account, "%s, copied from index %" PRId64 " of dimension %d to index %" PRId64,
        operand_figure(account, 0), source_of(d->origin, to), d->origin->dim, to);
    return operand_value(account, 0);
}

// All copies of a part answer for it: they are added up along a dimension of their own.
static struct tensor gradient_of_repeated(const struct backward *back, int operand) {
    const struct origin *origin = back->origin;
    const int dim = origin->dim;
    const bool is_apart =
        origin->operation == &repeat_row; // copies lie apart, not beside each other
    struct shape shape = shape_of(&origin->operands[operand]);
    for (int i = shape.ndim++; i > dim; i--) shape.size[i] = shape.size[i - 1];
    shape.size[is_apart ? dim : dim + 1] = origin->times;
    return sum(reshape(back->grad, shape), is_apart ? dim : dim + 1, false);
}

const struct operation repeat_interleave_row = {
    .name = "repeat_interleave",
    .purpose = purpose_of_first,
    .help = {"repeat_interleave", "x.repeat_interleave(n, dim)",
             "a size times n, copies side by side; new memory", "dx = Σ dy over the copies"},
    .backward = "ViewBackward0",
    .gradient = gradient_of_repeated,
    .compute = compute_repeated,
    .find = find_source,
    .account = account_of_repeated,
    .hides = hides_as_operands,
};

static struct tensor repeated(const struct operation *operation, struct tensor x, int64_t times,
                              int dim) {
    const int at = dimension(&x, dim, operation->name);
    return perform_on(ONE(x), (struct origin){.operation = operation, .times = times, .dim = at});
}

struct tensor repeat_interleave(struct tensor x, int64_t times, int dim) {
    return repeated(&repeat_interleave_row, x, times, dim);
}

const struct operation repeat_row = {
    .name = "repeat",
    .purpose = purpose_of_first,
    .help = {"repeat", "x.repeat(1, n, 1)", "a size times n, the whole n times; new memory",
             "dx = Σ dy over the copies"},
    .backward = "RepeatBackward0",
    .gradient = gradient_of_repeated,
    .compute = compute_repeated,
    .find = find_source,
    .account = account_of_repeated,
    .hides = hides_as_operands,
};

struct tensor repeat(struct tensor x, int64_t times, int dim) {
    return repeated(&repeat_row, x, times, dim);
}

static struct tensor gradient_of_flip(const struct backward *back, int operand) {
    (void)operand;
    return flip(back->grad, back->origin->dim);
}

const struct operation flip_row = {
    .name = "flip",
    .purpose = purpose_of_first,
    .help = {"flip", "x.flip(dim)", "same sizes, a dimension backwards; new memory",
             "dx = dy, turned back"},
    .backward = "FlipBackward0",
    .gradient = gradient_of_flip,
    .compute = compute_repeated,
    .find = find_source,
    .account = account_of_repeated,
    .hides = hides_as_operands,
};

struct tensor flip(struct tensor x, int dim) {
    return repeated(&flip_row, x, 1, dim);
}
