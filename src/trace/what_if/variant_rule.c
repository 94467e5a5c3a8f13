// Rules of mistakes in attention as models run it today: heads that share keys, windows, caches.

#include <math.h>

#include "tensor/operation/rows.h"
#include "trace/what_if/rule.h"

// ---- Caches -------------------------------------------------------------------------------------

// Does it add further rows to a cache of keys, or of values?
static bool grows_cache(const struct node *node, enum role role) {
    if (!makes(node, &cat_row, role) || node->origin.operand_count != 2) return false;
    const enum meaning meaning = role == ROLE_KEYS ? AXIS_KEY : AXIS_TOKEN;
    return find_axis(&node->operands[0].tensor, meaning) == node->origin.dim;
}

bool square_mask_after_cache(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node) || keys_before(node) <= 0) return false;
    rewrite(node)->diagonal -= (int)keys_before(node);
    return true;
}

// The prompt's keys are those that a cache begins with.
bool no_mask_in_prefill(struct replay *replay, struct node *node) {
    if (!makes(node, &masked_fill_row, ROLE_MASKED_SCORES) || !isinf(node->origin.number))
        return false;
    const struct node *scores = scores_behind(&node->operands[0]);
    if (scores == NULL) return false;
    for (int i = 0; i < replay->count; i++) {
        const struct node *cache = replay->nodes[i];
        if (!grows_cache(cache, ROLE_KEYS) || cache->operands[0].of != scores->operands[1].of)
            continue;
        node->is_skipped = true;
        return true;
    }
    return false;
}

// Lets whoever reads a node read `more` further rows of keys, or of values. Scores and weights of these keys have as many
// further columns. There is one query, so strides stay as they are.
static void lengthen(struct replay *replay, struct node *node, int dim, int64_t more) {
    const enum meaning meaning = node->purpose.role == ROLE_VALUES ? AXIS_TOKEN : AXIS_KEY;
    node->shape.size[dim] += more;
    (void)rewrite(node);
    for (int i = place_of_node(replay, node) + 1; i < replay->count; i++) {
        struct node *user = replay->nodes[i];
        for (int j = 0; j < user->origin.operand_count; j++) {
            struct tensor *x = &user->operands[j].tensor;
            const int along = find_axis(x, meaning);
            if (user->operands[j].of != node || along < 0) continue;
            x->shape[along] += more;
            if (user->purpose.role != ROLE_CONTEXT)
                lengthen(replay, user, user->shape.ndim - 1, more);
        }
    }
}

// Rows of a sentence that begins with no row of a full cache come behind all of its rows.
bool cache_not_cleared(struct replay *replay, struct node *node) {
    if (!grows_cache(node, ROLE_KEYS) && !grows_cache(node, ROLE_VALUES)) return false;
    const int dim = node->origin.dim;
    struct view *cleared = &node->operands[0];
    if (cleared->tensor.shape[dim] != 0 || node->shape.size[dim] != 1) return false;
    cleared->tensor.shape[dim] = cleared->of->shape.size[dim];
    lengthen(replay, node, dim, cleared->tensor.shape[dim]);
    return true;
}

// ---- Groups of heads ----------------------------------------------------------------------------

// Are keys, or values, of groups repeated for the heads of each group?
static bool repeats_groups(const struct node *node) {
    if (!makes(node, &repeat_interleave_row, ROLE_KEYS) &&
        !makes(node, &repeat_interleave_row, ROLE_VALUES))
        return false;
    return find_axis(&node->operands[0].tensor, AXIS_GROUP) == node->origin.dim;
}

bool repeat_for_interleave(struct replay *replay, struct node *node) {
    (void)replay;
    if (!repeats_groups(node)) return false;
    rewrite(node)->operation = &repeat_row;
    return true;
}

bool groups_reversed(struct replay *replay, struct node *node) {
    // after repeat_for_interleave, too
    const bool is_repeated = node->origin.operation == &repeat_row &&
                             find_axis(&node->operands[0].tensor, AXIS_GROUP) == node->origin.dim;
    if (!is_repeated && !repeats_groups(node)) return false;
    const struct view reversed = computed(replay, node, &flip_row, 1, &node->operands[0]);
    reversed.of->origin.dim = node->origin.dim;
    reversed.of->origin.times = 1;
    node->operands[0].of = reversed.of;
    node->operands[0].tensor = with_axes_of(reversed.tensor, &node->operands[0].tensor);
    (void)rewrite(node);
    return true;
}

// Keys of groups are narrower than queries before they are split.
bool scale_by_all_keys(struct replay *replay, struct node *node) {
    struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct node *queries = projection_behind(scores->operands[0].of, ROLE_QUERIES);
    const struct node *keys = projection_behind(scores->operands[1].of, ROLE_KEYS);
    if (queries == NULL || keys == NULL || width_of(queries) == width_of(keys)) return false;
    divide_scores_by(replay, node, sqrt((double)width_of(keys)));
    return true;
}

// ---- Windows ------------------------------------------------------------------------------------

// Is this mask a comparison of each query's place with each key's?
static bool compares_places(const struct node *node, const struct operation *operation) {
    if (!makes(node, operation, ROLE_MASK)) return false;
    const struct tensor *distance = &node->operands[1].tensor;
    return find_axis(distance, AXIS_QUERY) >= 0 && find_axis(distance, AXIS_KEY) >= 0;
}

// window ≤ distance becomes window < distance.
bool window_plus_one(struct replay *replay, struct node *node) {
    (void)replay;
    if (!compares_places(node, &at_most_row)) return false;
    rewrite(node)->operation = &less_row;
    return true;
}

// Of "too far back, or later" only the first is left.
bool window_sees_future(struct replay *replay, struct node *node) {
    (void)replay;
    if (!compares_places(node, &logical_or_row)) return false;
    if (node->operands[1].of->origin.operation != &less_row) return false;
    node->is_skipped = true;
    return true;
}

// ---- Softmax by tiles ---------------------------------------------------------------------------

// Does it correct what was added up before by the factor of its tile?
static bool rescales(const struct node *node, enum role role) {
    if (node->origin.operation != &multiply_row) return false;
    return node->operands[0].of->purpose.role == role &&
           node->operands[1].of->purpose.role == ROLE_RESCALE;
}

static bool skip_rescaling(struct node *node, enum role role) {
    if (!rescales(node, role)) return false;
    node->is_skipped = true;
    return true;
}

bool result_not_rescaled(struct replay *replay, struct node *node) {
    (void)replay;
    return skip_rescaling(node, ROLE_RUNNING_RESULT);
}

bool sum_not_rescaled(struct replay *replay, struct node *node) {
    (void)replay;
    return skip_rescaling(node, ROLE_RUNNING_SUM);
}

// The larger of the maximum so far and the tile's becomes the tile's.
bool tile_maximum(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &maximum_row, ROLE_RUNNING_MAX)) return false;
    node->operands[0] = node->operands[1];
    (void)rewrite(node);
    return true;
}

// The sum so far that was corrected by the same factor as this result; NULL if there is none.
static struct node *sum_beside(const struct replay *replay, const struct node *result) {
    const struct node *corrected = result->operands[0].of;
    for (int i = 0; i < replay->count; i++) {
        struct node *sum = replay->nodes[i];
        if (!makes(sum, &add_row, ROLE_RUNNING_SUM)) continue;
        const struct node *other = sum->operands[0].of;
        if (rescales(other, ROLE_RUNNING_SUM) && other->operands[1].of == corrected->operands[1].of)
            return sum;
    }
    return NULL;
}

// Each result so far is divided by the sum so far, and the last one not again.
bool divided_in_every_tile(struct replay *replay, struct node *node) {
    if (makes(node, &divide_row, ROLE_CONTEXT) &&
        node->operands[0].of->purpose.role == ROLE_RUNNING_RESULT) {
        node->is_skipped = true;
        return true;
    }
    if (!makes(node, &add_row, ROLE_RUNNING_RESULT)) return false;
    if (!rescales(node->operands[0].of, ROLE_RUNNING_RESULT)) return false;
    struct node *sum = sum_beside(replay, node);
    if (sum == NULL) return false;
    const struct tensor *factor = &node->operands[0].of->operands[1].tensor; // a column
    const struct view column = {sum, tensor_over(NULL, shape_of(factor))};
    (void)insert_after(replay, node, &divide_row, &column);
    return true;
}
