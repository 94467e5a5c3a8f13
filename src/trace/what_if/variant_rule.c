// Rules of mistakes in attention as models run it today: heads that share keys, padding, caches.

#include <math.h>

#include "tensor/operation/rows.h"
#include "trace/what_if/rule.h"

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
