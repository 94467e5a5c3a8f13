// Masks: triangles, truth values, and filling where a mask is true.

#include <inttypes.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"

// ---- Triangles -----------------------------------------------------------------------------------

static bool is_lower(const struct origin *origin) {
    return origin->operation == &tril_row;
}

static bool is_kept(const struct origin *origin, int64_t row, int64_t column) {
    const int64_t above = column - row - origin->diagonal;
    return is_lower(origin) ? above <= 0 : above >= 0;
}

static struct tensor compute_triangle(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    if (x->ndim < 2) {
        fail(arena->failure, FAIL_USAGE, "%s: shape %s has no rows and columns",
             origin->operation->name, shape_text(arena, shape_of(x)));
    }
    const struct tensor result = tensor_like(arena, x->storage->dtype, x);
    const int64_t count = count_of(shape_of(x));
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(x), i, index);
        const bool keeps = is_kept(origin, index[x->ndim - 2], index[x->ndim - 1]);
        put_number(result.storage, i, keeps ? element(x, index) : 0);
    }
    return result;
}

// "1.0000: triu keeps it, as column 5 − row 2 = 3 is at least 1", "0, not 6.0000: tril, as column 3 − row 2 = 1 is more than 0"
static double account_of_triangle(struct account *account) {
    const struct derivation *d = account->derivation;
    const int last = account->storage->shape.ndim - 1;
    const int64_t row = d->index[last - 1], column = d->index[last];
    const bool keeps = is_kept(d->origin, row, column);
    const char *compared = is_lower(d->origin) ? (keeps ? "at most" : "more than")
                                               : (keeps ? "at least" : "less than");
    say(account, "%s%s: %s%s as column %" PRId64 " − row %" PRId64 " = %" PRId64 " is %s %d",
        keeps ? "" : "0, not ", operand_figure(account, 0), d->operation,
        keeps ? " keeps it," : ",", column + 1, row + 1, column - row, compared,
        d->origin->diagonal);
    return keeps ? d->operands[0].value : 0;
}

static struct tensor gradient_of_triangle(const struct backward *back, int operand) {
    (void)operand;
    return perform_on(ONE(back->grad), (struct origin){.operation = back->origin->operation,
                                                       .diagonal = back->origin->diagonal});
}

static bool hides_outside(struct arena *arena, const struct derivation *derivation) {
    (void)arena;
    const int last = derivation->operands[0].cell.tensor.ndim - 1;
    return !is_kept(derivation->origin, derivation->index[last - 1], derivation->index[last]);
}

// A triangle of ones is a mask.
static struct purpose purpose_of_triangle(const struct origin *origin,
                                          const struct tensor *result) {
    (void)result;
    const bool is_of_ones = origin->operands[0].storage->origin->operation == &full_row;
    return (struct purpose){.role = is_of_ones ? ROLE_MASK : ROLE_NONE};
}

const struct operation tril_row = {
    .name = "tril",
    .purpose = purpose_of_triangle,
    .backward = "TrilBackward0",
    .gradient = gradient_of_triangle,
    .help = {"tril, triu", "torch.tril(x), torch.triu(x, d)",
             "same sizes; 0 above the diagonal, or below it", "dx = dy, 0 where x was cut off"},
    .compute = compute_triangle,
    .find = find_same,
    .account = account_of_triangle,
    .hides = hides_outside,
    .changes_some = true,
    .why_rows_lose = mask_took_a_part,
};

struct tensor tril(struct tensor x, int diagonal) {
    return perform_on(ONE(x), (struct origin){.operation = &tril_row, .diagonal = diagonal});
}

// Its ones say what a mask is to hide, so its zeros hide nothing.
const struct operation triu_row = {
    .name = "triu",
    .purpose = purpose_of_triangle,
    .backward = "TriuBackward0",
    .gradient = gradient_of_triangle,
    .compute = compute_triangle,
    .find = find_same,
    .account = account_of_triangle,
    .changes_some = true,
};

struct tensor triu(struct tensor x, int diagonal) {
    return perform_on(ONE(x), (struct origin){.operation = &triu_row, .diagonal = diagonal});
}

// ---- Truth values --------------------------------------------------------------------------------

static struct tensor compute_bool(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, BOOL, x);
    const struct shape shape = shape_of(x);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        ((unsigned char *)result.storage->data)[i] = element(x, index) != 0;
    return result;
}

static double account_of_bool(struct account *account) {
    const bool result = account->derivation->operands[0].value != 0;
    say(account, result ? "%s is not 0: True" : "%s is 0: False", operand_figure(account, 0));
    return result;
}

const struct operation bool_row = {
    .name = "bool",
    .purpose = purpose_of_first,
    .formula = "1",
    .no_gradient = "a small change of a number changes nothing from True to False",
    .compute = compute_bool,
    .find = find_same,
    .account = account_of_bool,
};

struct tensor to_bool(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &bool_row});
}

// ---- Filling -------------------------------------------------------------------------------------

static struct tensor fill_typed(const struct origin *origin, const struct tensor *mask,
                                struct tensor result) {
    const struct tensor *x = &origin->operands[0];
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        if (element(mask, index) != 0)
            put_number(result.storage, i, origin->number);
        else if (is_floating(x->storage->dtype))
            put_number(result.storage, i, element(x, index));
        else
            put_whole(result.storage, i, whole_element(x, index));
    }
    return result;
}

static struct tensor compute_masked_fill(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *mask = &origin->operands[1];
    const struct shape shape = broadcast_shape(arena, origin, x, mask);
    if (!shapes_equal(shape, shape_of(x))) {
        fail(arena->failure, FAIL_USAGE,
             "masked_fill: a mask of shape %s does not fit a tensor of shape %s",
             shape_text(arena, shape_of(mask)), shape_text(arena, shape_of(x)));
    }
    const struct tensor result = tensor_like(arena, x->storage->dtype, x);
    const struct tensor wide_mask = broadcast_to(*mask, shape);
    if (x->storage->dtype != FLOAT32) return fill_typed(origin, &wide_mask, result);
    const struct rows rows = rows_of(shape);
    float *hides = arena_array(arena, (size_t)rows.length, sizeof *hides);
    float *out = floats_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t row = 0; row < rows.count; row++, next_index(&rows.places, index)) {
        read_row(&wide_mask, index, rows.length, hides);
        read_row(x, index, rows.length, out);
        for (int64_t i = 0; i < rows.length; i++, out++) {
            if (hides[i] != 0) *out = (float)origin->number;
        }
    }
    return result;
}

static void find_masked(struct finding *finding) {
    add_broadcast(finding, 0, "x");
    add_broadcast(finding, 1, "mask");
}

// Why is the mask what it is here? Follows it to the triangle that it was cut from, if it was.
static void say_why_masked(struct account *account) {
    struct cell cell = account->derivation->operands[1].cell;
    for (;;) {
        const struct derivation mask = derive(account->arena, &cell, ALL_DIGITS);
        const struct operation *operation = mask.origin->operation;
        if (operation == &tril_row || operation == &triu_row) {
            say(account, "the mask: %s", mask.lines[mask.line_count - 1]);
            return;
        }
        if (operation != &bool_row && operation != &copy_row) return;
        cell = mask.operands[0].cell;
    }
}

static double account_of_masked_fill(struct account *account) {
    const struct derivation *d = account->derivation;
    say_why_masked(account);
    if (d->operands[1].value == 0) {
        say(account, "the mask is False: %s stays", operand_figure(account, 0));
        return d->operands[0].value;
    }
    const float fill = (float)d->origin->number;
    say(account, "the mask is True: %s replaces %s", figure(account, (double)fill),
        operand_figure(account, 0));
    return (double)fill;
}

// What was filled in does not answer: its number is there whatever x is.
static struct tensor gradient_of_filled(const struct backward *back, int operand) {
    return operand == 0 ? masked_fill(back->grad, back->origin->operands[1], 0) : NO_TENSOR;
}

static bool hides_where_true(struct arena *arena, const struct derivation *derivation) {
    (void)arena;
    return derivation->operands[1].value != 0;
}

static struct purpose purpose_of_filled(const struct origin *origin, const struct tensor *result) {
    (void)result;
    const enum role role = role_of(&origin->operands[0]);
    if (role == ROLE_SCORES || role == ROLE_MASKED_SCORES)
        return (struct purpose){.role = ROLE_MASKED_SCORES};
    const bool is_kept = role == ROLE_WEIGHTS || role == ROLE_LOGITS;
    return (struct purpose){.role = is_kept ? role : ROLE_NONE};
}

const struct operation masked_fill_row = {
    .name = "masked_fill",
    .purpose = purpose_of_filled,
    .formula = "masked 1",
    .backward = "MaskedFillBackward0",
    .gradient = gradient_of_filled,
    .help = {"masked_fill", "x.masked_fill(mask, value)",
             "sizes of x; the mask is broadcast: missing dimensions in front are repeated",
             "dx = dy, 0 where the mask hid"},
    .compute = compute_masked_fill,
    .find = find_masked,
    .account = account_of_masked_fill,
    .hides = hides_where_true,
    .changes_some = true,
};

struct tensor masked_fill(struct tensor x, struct tensor mask, double value) {
    return perform_on(TWO(x, mask),
                      (struct origin){.operation = &masked_fill_row, .number = value});
}
