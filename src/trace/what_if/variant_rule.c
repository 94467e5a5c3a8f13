// Rules of mistakes in attention as models run it today: padding, caches, heads that share keys, rotary positions, windows.

#include <math.h>
#include <string.h>

#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/what_if/rule.h"

// ---- Padding ------------------------------------------------------------------------------------

// Is this mask a comparison of each key's place with the length of its sentence?
static bool marks_padding(const struct node *node) {
    if (!makes(node, &at_most_row, ROLE_MASK) && !makes(node, &less_row, ROLE_MASK)) return false;
    for (int i = 0; i < 2; i++) {
        const struct tensor *places = &node->operands[i].tensor;
        if (find_axis(places, AXIS_BATCH) >= 0 && find_axis(places, AXIS_KEY) >= 0) return true;
    }
    return false;
}

// Not (a < b) is b ≤ a, and not (a ≤ b) is b < a.
bool padding_inverted(struct replay *replay, struct node *node) {
    (void)replay;
    if (!marks_padding(node)) return false;
    const struct view first = node->operands[0];
    node->operands[0] = node->operands[1];
    node->operands[1] = first;
    struct origin *origin = rewrite(node);
    origin->operation = origin->operation == &less_row ? &at_most_row : &less_row;
    return true;
}

// Lets a mask [.., 1, keys] hide rows: [.., queries, 1]. Returns false for a view of another shape.
static bool hide_queries(struct tensor *mask) {
    const int query = find_axis(mask, AXIS_QUERY), key = find_axis(mask, AXIS_KEY);
    if (query < 0 || key < 0 || mask->shape[query] != 1) return false;
    *mask = with_axes_of(transpose(*mask, query, key), mask);
    return true;
}

bool padding_over_queries(struct replay *replay, struct node *node) {
    (void)replay;
    const bool hides = makes(node, &masked_fill_row, ROLE_MASKED_SCORES);
    if (!hides && !makes(node, &logical_or_row, ROLE_MASK)) return false;
    const int last = node->shape.ndim - 1;
    if (last < 1 || node->shape.size[last] != node->shape.size[last - 1]) return false;
    bool is_changed = false;
    for (int i = hides ? 1 : 0; i < 2; i++) {
        struct view *mask = &node->operands[i];
        if (marks_padding(mask->of)) is_changed |= hide_queries(&mask->tensor);
    }
    if (is_changed) (void)rewrite(node);
    return is_changed;
}

// Zeros in rows that see no key: softmax(x).masked_fill(rows, 0) becomes softmax(x.masked_fill(rows, 0)).
bool repaired_before_softmax(struct replay *replay, struct node *node) {
    if (!makes(node, &masked_fill_row, ROLE_WEIGHTS) || node->origin.number != 0) return false;
    const struct node *softmax = node->operands[0].of;
    const struct view *rows = &node->operands[1];
    if (!is_attention(softmax) || rows->of->purpose.role != ROLE_MASK) return false;
    if (size_along(&rows->tensor, AXIS_KEY) != 1) return false;
    struct node *fill = insert_after(replay, node, &softmax_row, NULL);
    fill->operands[0] = softmax->operands[0];
    fill->purpose.role = ROLE_MASKED_SCORES;
    node->operands[0].tensor = with_axes_of(node->operands[0].tensor, &fill->operands[0].tensor);
    (void)rewrite(fill);
    node->origin.dim = softmax->origin.dim;
    return true;
}

// ---- Two sentences --------------------------------------------------------------------------------

// Are queries and keys of these scores made of different rows? Then one sentence asks another. Where another mistake has put
// something else in place of the scores (NULL), nobody can tell.
static bool asks_another(const struct node *scores) {
    if (scores == NULL) return false;
    const struct node *queries = scores->operands[0].of, *keys = scores->operands[1].of;
    return queries->origin.operation == &linear_row && keys->origin.operation == &linear_row &&
           queries->operands[0].of != keys->operands[0].of;
}

// Keys and the values beside them read what the queries read, if it has as many rows. Those that do so by now are left.
bool cross_from_target(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    const struct node *scores = scores_behind(&node->operands[0]);
    if (!asks_another(scores)) return false;
    const struct view target = scores->operands[0].of->operands[0];
    const struct node *source = scores->operands[1].of->operands[0].of;
    if (source->origin.operand_count > 0 || !shapes_equal(target.of->shape, source->shape))
        return false;
    for (int i = 0; i < replay->count; i++) {
        struct node *user = replay->nodes[i];
        const enum role role = user->purpose.role;
        if (user->origin.operation != &linear_row || (role != ROLE_KEYS && role != ROLE_VALUES))
            continue;
        if (user->operands[0].of != source) continue;
        user->operands[0] = target;
        (void)rewrite(user);
    }
    return true;
}

bool cross_causal_mask(struct replay *replay, struct node *node) {
    if (!is_attention(node) || !asks_another(scores_behind(&node->operands[0]))) return false;
    const struct view scores = node->operands[0];
    struct view parts[] = {computed(replay, node, &full_row, 0, &scores), {0}};
    parts[0].of->origin.number = 1;
    parts[1] = computed(replay, node, &triu_row, 1, &parts[0]);
    parts[1].of->origin.diagonal = 1;
    const struct view later = computed(replay, node, &at_most_row, 2, parts);
    struct view *masked = arena_array(replay->arena, 1, sizeof *masked);
    *masked = computed(replay, node, &masked_fill_row, 2, (const struct view[]){scores, later});
    masked->of->origin.number = -INFINITY;
    node->operands = masked;
    (void)rewrite(node);
    return true;
}

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
// further columns, under `labels`: those recorded are as many as there were. There is one query, so strides stay as they are.
static void lengthen(struct replay *replay, struct node *node, int dim, int64_t more,
                     const char *const *labels) {
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
            x->axis[along].labels = labels;
            if (user->purpose.role != ROLE_CONTEXT)
                lengthen(replay, user, user->shape.ndim - 1, more, labels);
        }
    }
}

// The labels of all rows of a cache and of one behind them; NULL if a row has none.
static const char *const *labels_behind(struct arena *arena, const struct tensor *cache,
                                        const struct tensor *row, int dim) {
    const char *const *before = cache->axis[dim].labels, *const *own = row->axis[dim].labels;
    const size_t count = (size_t)cache->shape[dim];
    if (before == NULL || own == NULL) return NULL;
    const char **labels = arena_array(arena, count + 1, sizeof *labels);
    memcpy(labels, before, count * sizeof *labels);
    labels[count] = own[0];
    return labels;
}

// Rows of a sentence that begins with no row of a full cache come behind all of its rows.
bool cache_not_cleared(struct replay *replay, struct node *node) {
    if (!grows_cache(node, ROLE_KEYS) && !grows_cache(node, ROLE_VALUES)) return false;
    const int dim = node->origin.dim;
    struct view *cleared = &node->operands[0];
    if (cleared->tensor.shape[dim] != 0 || node->shape.size[dim] != 1) return false;
    cleared->tensor.shape[dim] = cleared->of->shape.size[dim];
    lengthen(replay, node, dim, cleared->tensor.shape[dim],
             labels_behind(replay->arena, &cleared->tensor, &node->operands[1].tensor, dim));
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

// Heads with layers of their own: all of them are as wide as what is put side by side behind them.
bool scale_by_all_heads(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL || head_axis(&scores->operands[0].tensor) >= 0) return false;
    for (int i = 0; i < replay->count; i++) {
        const struct node *each = replay->nodes[i];
        const int last = each->shape.ndim - 1;
        if (!makes(each, &cat_row, ROLE_CONTEXT) || each->origin.dim != last) continue;
        divide_scores_by(replay, node, sqrt((double)each->shape.size[last]));
        return true;
    }
    return false;
}

// ---- Rotary positions ---------------------------------------------------------------------------

// A turn: x · cosines + (x crossed) · sines.
struct turn_of {
    struct node *kept, *moved; // the two products
    struct node *crossed;      // [-second half, first half]
};

static bool is_turn(const struct node *node, struct turn_of *turn) {
    if (node->origin.operation != &add_row) return false;
    turn->kept = node->operands[0].of;
    turn->moved = node->operands[1].of;
    if (turn->kept->origin.operation != &multiply_row) return false;
    if (turn->moved->origin.operation != &multiply_row) return false;
    turn->crossed = turn->moved->operands[0].of;
    return turn->crossed->origin.operation == &cat_row &&
           turn->kept->operands[1].of->origin.operation == &cos_row &&
           turn->moved->operands[1].of->origin.operation == &sin_row;
}

static bool turns(const struct node *node, enum role role, struct turn_of *turn) {
    return node->purpose.role == role && is_turn(node, turn);
}

// Every second feature of what a view shows, from `first` on.
static void take_every_second(struct view *view, const struct view *whole, int64_t first) {
    const int last = view->tensor.ndim - 1;
    view->tensor.offset = whole->tensor.offset + first * whole->tensor.stride[last];
    view->tensor.stride[last] = 2 * whole->tensor.stride[last];
}

// The first half of a table, each number twice side by side.
static struct view repeat_half(struct replay *replay, const struct node *user,
                               const struct view *table) {
    const int last = table->tensor.ndim - 1;
    struct view half = *table;
    half.tensor.shape[last] /= 2;
    const struct view repeated = computed(replay, user, &repeat_interleave_row, 1, &half);
    repeated.of->origin.dim = last;
    repeated.of->origin.times = 2;
    repeated.of->shape = shape_of(&table->tensor);
    return (struct view){repeated.of, tensor_over(NULL, repeated.of->shape)};
}

// Neighbours become pairs: [-b, a] of every second feature, side by side in the end.
bool rotary_in_pairs(struct replay *replay, struct node *node) {
    struct turn_of turn;
    if (!turns(node, ROLE_QUERIES, &turn) && !turns(node, ROLE_KEYS, &turn)) return false;
    struct node *negated = turn.crossed->operands[0].of;
    const struct view whole = turn.kept->operands[0];
    if (negated->origin.operation != &neg_row) return false;
    take_every_second(&negated->operands[0], &whole, 1);
    take_every_second(&turn.crossed->operands[1], &whole, 0);
    (void)rewrite(negated);
    struct origin *crossed = rewrite(turn.crossed);
    crossed->operation = &stack_row;
    crossed->dim = whole.tensor.ndim;
    turn.kept->operands[1] = repeat_half(replay, turn.kept, &turn.kept->operands[1]);
    turn.moved->operands[1] = repeat_half(replay, turn.moved, &turn.moved->operands[1]);
    (void)rewrite(turn.kept), (void)rewrite(turn.moved);
    return true;
}

// x, turned by these tables.
static struct view turned(struct replay *replay, const struct node *user, const struct view *x,
                          const struct turn_of *like) {
    const int last = x->tensor.ndim - 1;
    const int64_t half = x->tensor.shape[last] / 2;
    struct view first = *x, second = *x;
    first.tensor.shape[last] = second.tensor.shape[last] = half;
    second.tensor.offset += half * x->tensor.stride[last];
    const struct view parts[] = {computed(replay, user, &neg_row, 1, &second), first};
    struct view crossed = computed(replay, user, &cat_row, 2, parts);
    crossed.of->origin.dim = last;
    crossed.of->shape = shape_of(&x->tensor);
    crossed.tensor = tensor_over(NULL, crossed.of->shape);
    const struct view kept[] = {*x, like->kept->operands[1]};
    const struct view moved[] = {crossed, like->moved->operands[1]};
    const struct view products[] = {computed(replay, user, &multiply_row, 2, kept),
                                    computed(replay, user, &multiply_row, 2, moved)};
    return computed(replay, user, &add_row, 2, products);
}

// Values are turned like the keys that they stand beside.
bool values_rotated(struct replay *replay, struct node *node) {
    if (!makes(node, &matmul_row, ROLE_CONTEXT)) return false;
    struct view *values = &node->operands[1];
    const struct node *softmax = node->operands[0].of;
    if (!is_attention(softmax) || values->of->purpose.role != ROLE_VALUES) return false;
    const struct node *scores = scores_behind(&softmax->operands[0]);
    struct turn_of turn;
    if (scores == NULL || !turns(scores->operands[1].of, ROLE_KEYS, &turn)) return false;
    const struct tensor *tables = &turn.kept->operands[1].tensor;
    if (!shapes_equal(shape_of(tables), shape_of(&values->tensor))) return false;
    const struct view result = turned(replay, node, values, &turn);
    values->tensor = with_axes_of(result.tensor, &values->tensor);
    values->of = result.of;
    (void)rewrite(node);
    return true;
}

// Queries that are turned twice, by two tables: the second time as the first time.
bool queries_from_0(struct replay *replay, struct node *node) {
    struct turn_of turn, earlier;
    if (!turns(node, ROLE_QUERIES, &turn)) return false;
    const int place = place_of_node(replay, node);
    for (int i = 0; i < place; i++) {
        struct node *other = replay->nodes[i];
        if (!turns(other, ROLE_QUERIES, &earlier)) continue;
        if (earlier.kept->operands[0].of != turn.kept->operands[0].of) continue;
        node->operands[0] = (struct view){other, tensor_over(NULL, other->shape)};
        node->is_skipped = true;
        return true;
    }
    return false;
}

bool keys_not_rotated(struct replay *replay, struct node *node) {
    struct turn_of turn;
    (void)replay;
    if (!turns(node, ROLE_KEYS, &turn)) return false;
    node->operands[0] = turn.kept->operands[0];
    node->is_skipped = true;
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

// ---- Keys and values from a latent --------------------------------------------------------------

// Makes a layer this from what keys and values are made from?
static bool projects_up(const struct node *node, enum role role) {
    return makes(node, &linear_row, role) && node->operands[0].of->purpose.role == ROLE_LATENT;
}

// √(width of the latent), where it should be the width of a key.
bool scale_by_latent(struct replay *replay, struct node *node) {
    struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct node *keys = projection_behind(scores->operands[1].of, ROLE_KEYS);
    if (keys == NULL || !projects_up(keys, ROLE_KEYS)) return false;
    divide_scores_by(replay, node, sqrt((double)width_of(keys->operands[0].of)));
    return true;
}

// The layer of keys makes values, and that of values makes keys.
bool up_exchanged(struct replay *replay, struct node *node) {
    const bool is_of_keys = projects_up(node, ROLE_KEYS);
    if (!is_of_keys && !projects_up(node, ROLE_VALUES)) return false;
    const int layer = node->operands[1].of->purpose.layer;
    struct node *other =
        drawn_for(replay, ROLE_LAYER_WEIGHT, is_of_keys ? ROLE_VALUES : ROLE_KEYS, layer);
    if (other == NULL || !shapes_equal(other->shape, node->operands[1].of->shape)) return false;
    node->operands[1].of = other;
    (void)rewrite(node);
    return true;
}

// Queries times a layer's rows of their head: turned, if that fits.
bool absorbed_on_wrong_side(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &matmul_row, ROLE_QUERIES)) return false;
    struct view *rows = &node->operands[1];
    if (rows->of->purpose.role != ROLE_LAYER_WEIGHT || rows->of->purpose.makes != ROLE_KEYS)
        return false;
    const int head_dim = find_axis(&rows->tensor, AXIS_HEAD_DIM), last = rows->tensor.ndim - 1;
    if (head_dim < 0) return false;
    if (rows->tensor.shape[head_dim] != rows->tensor.shape[last]) return true; // it raises an error
    rows->tensor = with_axes_of(transpose(rows->tensor, head_dim, last), &rows->tensor);
    (void)rewrite(node);
    return true;
}
