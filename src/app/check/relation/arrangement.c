#include "app/check/relation/arrangement.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "tensor/ops/ops.h"

// ---- Words --------------------------------------------------------------------------------------

// "the head axis (dim 1)".
static const char *axis_words(const struct seeking *seeking, int dim) {
    const char *name = axis_name(seeking->right, dim);
    if (name == NULL) return arena_format(seeking->arena, "dimension %d", dim);
    return arena_format(seeking->arena, "the %s axis (dim %d)", name, dim);
}

static enum meaning meaning_of(const struct seeking *seeking, int dim) {
    return seeking->right->axis[dim].meaning;
}

// What a program does that brings the indices of a dimension into another order.
static const char *cause_of_order(const struct seeking *seeking, int dim) {
    switch (meaning_of(seeking, dim)) {
    case AXIS_HEAD:
    case AXIS_GROUP:
    case AXIS_HEAD_DIM:
        return "the heads are split or joined in another order";
    case AXIS_BATCH:
        return "the sentences of the batch are stacked in another order";
    case AXIS_FEATURE:
    case AXIS_INPUT:
        return "the features are in another order, or the heads are joined in another order";
    case AXIS_UPDATE:
        return "the list is filled in another order";
    case AXIS_TOKEN:
    case AXIS_QUERY:
    case AXIS_KEY:
        return "the tokens are in another order, or a loop counts otherwise";
    default:
        return "an index counts in another order";
    }
}

static const char *cause_of_shift(const struct seeking *seeking, int dim, bool is_late) {
    if (meaning_of(seeking, dim) == AXIS_UPDATE)
        return is_late ? "the number is recorded after the update instead of before it"
                       : "another number stands at the start of the list";
    return "an index is off by one";
}

static const char *cause_of_repetition(const struct seeking *seeking, int dim) {
    if (meaning_of(seeking, dim) == AXIS_UPDATE)
        return "nothing moves the parameters, because optimizer.step() is missing or made of "
               "others";
    return "a loop uses the same index, the same layer or the same tensor in every round";
}

// ---- An order that is known beforehand ------------------------------------------------------------

// Dimensions longer than this are taken for no order of their indices.
enum { MOST_INDICES = 256 };

static bool has_order(const struct seeking *seeking, int dim, int64_t least) {
    const int64_t size = seeking->right->shape[dim];
    return size >= least && size <= MOST_INDICES;
}

static bool is_ordered(struct seeking *seeking, int dim, const int64_t *order, double cost) {
    struct proposal proposal = as_it_is(seeking->right);
    proposal.order = order;
    proposal.dim = dim;
    proposal.cost = cost;
    return explains(seeking, &proposal);
}

bool find_reversed(struct seeking *seeking) {
    int64_t order[MOST_INDICES];
    for (int dim = 0; dim < seeking->right->ndim; dim++) {
        if (!has_order(seeking, dim, 3)) continue;
        const int64_t size = seeking->right->shape[dim];
        for (int64_t i = 0; i < size; i++) order[i] = size - 1 - i;
        if (!is_ordered(seeking, dim, order, 0)) continue;
        return is_related(seeking, "reversed",
                          arena_format(seeking->arena,
                                       "these are the right numbers in reverse order along %s; the "
                                       "usual cause: %s",
                                       axis_words(seeking, dim), cause_of_order(seeking, dim)));
    }
    return false;
}

static bool is_rolled(struct seeking *seeking, int dim, int64_t by) {
    int64_t order[MOST_INDICES];
    const int64_t size = seeking->right->shape[dim];
    for (int64_t i = 0; i < size; i++) order[i] = (i - by + size) % size;
    if (!is_ordered(seeking, dim, order, 0)) return false;
    const int64_t nearest = 2 * by > size ? by - size : by;
    return is_related(seeking, "rolled",
                      arena_format(seeking->arena,
                                   "these are the right numbers rolled along %s: torch.roll(x, "
                                   "%" PRId64 ", dims=%d); the usual cause: an index is off by "
                                   "%" PRId64 ", or counts from another start",
                                   axis_words(seeking, dim), nearest, dim,
                                   nearest < 0 ? -nearest : nearest));
}

bool find_rolled(struct seeking *seeking) {
    for (int dim = 0; dim < seeking->right->ndim; dim++) {
        for (int64_t by = 1; has_order(seeking, dim, 3) && by < seeking->right->shape[dim]; by++) {
            if (is_rolled(seeking, dim, by)) return true;
        }
    }
    return false;
}

static bool is_shifted(struct seeking *seeking, int dim, bool is_late) {
    const int64_t size = seeking->right->shape[dim];
    int64_t *order = arena_array(seeking->arena, (size_t)size, sizeof *order);
    for (int64_t i = 0; i < size; i++) order[i] = is_late ? i + 1 : i - 1;
    if (is_late) order[size - 1] = -1;
    if (!is_ordered(seeking, dim, order, 0)) return false;
    return is_related(
        seeking, "shifted",
        arena_format(seeking->arena,
                     "each number is the right one of one place %s along %s; the usual cause: %s",
                     is_late ? "later" : "earlier", axis_words(seeking, dim),
                     cause_of_shift(seeking, dim, is_late)));
}

bool find_shifted(struct seeking *seeking) {
    enum { LEAST = 4 };
    for (int dim = 0; dim < seeking->right->ndim; dim++) {
        if (seeking->right->shape[dim] < LEAST) continue;
        if (is_shifted(seeking, dim, true) || is_shifted(seeking, dim, false)) return true;
    }
    return false;
}

// ---- An order that the file tells -----------------------------------------------------------------

// Has the file at index `i` of a dimension the right numbers of index `j`?
static bool has_numbers_of(const struct seeking *seeking, int dim, int64_t i, int64_t j) {
    const struct tensor *right = seeking->right;
    int64_t order[MOST_INDICES];
    order[i] = j;
    struct proposal proposal = as_it_is(right);
    proposal.order = order;
    proposal.dim = dim;
    int64_t apart = 1;
    for (int k = dim + 1; k < right->ndim; k++) apart *= right->shape[k];
    const int64_t round = apart * right->shape[dim];
    for (int64_t outer = i * apart; outer < seeking->count; outer += round) {
        for (int64_t position = outer; position < outer + apart; position++) {
            if (!agrees_at(seeking, &proposal, position)) return false;
        }
    }
    return true;
}

// The order of a dimension in the file, as far as it is certain: an index that is in its place stays there, and no other may
// have the numbers of two.
struct found_order {
    int64_t of[MOST_INDICES];
    int64_t size;
    int64_t moved;       // how many are not in their own place
    int64_t first, last; // of these
    bool is_onto;        // each index of the step is taken once
};

static bool locate(const struct seeking *seeking, int dim, int64_t i, struct found_order *order) {
    int found = 0;
    order->of[i] = i;
    if (has_numbers_of(seeking, dim, i, i)) return true;
    for (int64_t j = 0; j < order->size; j++) {
        if (j == i || !has_numbers_of(seeking, dim, i, j)) continue;
        order->of[i] = j;
        found++;
    }
    if (order->moved++ == 0) order->first = i;
    order->last = i;
    return found == 1;
}

static bool find_order(const struct seeking *seeking, int dim, struct found_order *order) {
    bool is_taken[MOST_INDICES] = {false};
    *order = (struct found_order){.size = seeking->right->shape[dim], .is_onto = true};
    for (int64_t i = 0; i < order->size; i++) {
        if (!locate(seeking, dim, i, order)) return false;
        order->is_onto = order->is_onto && !is_taken[order->of[i]];
        is_taken[order->of[i]] = true;
    }
    return order->moved > 0;
}

// The first dimension whose indices are in such an order; -1 if there is none.
static int find_dim(struct seeking *seeking, bool (*is_wanted)(const struct found_order *),
                    struct found_order *order) {
    for (int dim = 0; dim < seeking->right->ndim; dim++) {
        if (!has_order(seeking, dim, 2)) continue;
        seeking->tried++;
        if (!find_order(seeking, dim, order) || !is_wanted(order)) continue;
        const double cost = (double)order->moved * log2((double)order->size);
        if (is_ordered(seeking, dim, order->of, cost)) return dim;
    }
    return -1;
}

static bool is_exchange(const struct found_order *order) {
    return order->is_onto && order->moved == 2;
}

bool find_exchanged(struct seeking *seeking) {
    struct found_order order;
    const int dim = find_dim(seeking, is_exchange, &order);
    if (dim < 0) return false;
    return is_related(seeking, "exchanged",
                      arena_format(seeking->arena,
                                   "these are the right numbers with %s and %s exchanged; the "
                                   "usual cause: %s",
                                   slice_words(seeking, dim, order.first),
                                   slice_words(seeking, dim, order.last),
                                   cause_of_order(seeking, dim)));
}

static bool is_reordering(const struct found_order *order) {
    return order->is_onto;
}

bool find_reordered(struct seeking *seeking) {
    enum { MOST_LISTED = 12 };
    struct found_order order;
    const int dim = find_dim(seeking, is_reordering, &order);
    if (dim < 0) return false;
    struct text text = text_new(seeking->arena);
    text_add_format(
        &text, "these are the right numbers in another order along %s: ", axis_words(seeking, dim));
    for (int64_t i = 0; i < order.size && i < MOST_LISTED; i++)
        text_add_format(
            &text, "%s%s", i > 0 ? ", " : "",
            text_safe(seeking->arena, label_of(seeking->arena, seeking->right, dim, order.of[i])));
    text_add_format(&text, "%s; the usual cause: %s", order.size > MOST_LISTED ? ", ..." : "",
                    cause_of_order(seeking, dim));
    return is_related(seeking, "reordered", text.bytes);
}

static bool is_of_one(const struct found_order *order) {
    for (int64_t i = 1; i < order->size; i++) {
        if (order->of[i] != order->of[0]) return false;
    }
    return true;
}

bool find_repeated(struct seeking *seeking) {
    struct found_order order;
    const int dim = find_dim(seeking, is_of_one, &order);
    if (dim < 0) return false;
    return is_related(seeking, "repeated",
                      arena_format(seeking->arena,
                                   "all numbers along %s are those of %s; the usual cause: %s",
                                   axis_words(seeking, dim), slice_words(seeking, dim, order.of[0]),
                                   cause_of_repetition(seeking, dim)));
}

static bool is_of_another(const struct found_order *order) {
    return order->moved == 1;
}

bool find_misplaced(struct seeking *seeking) {
    struct found_order order;
    const int dim = find_dim(seeking, is_of_another, &order);
    if (dim < 0) return false;
    return is_related(seeking, "misplaced",
                      arena_format(seeking->arena,
                                   "only %s is wrong: it has the right numbers of %s; the usual "
                                   "cause: a wrong index, or a copy that was not changed",
                                   slice_words(seeking, dim, order.first),
                                   slice_words(seeking, dim, order.of[order.first])));
}
