// Rules for attention, beside the classic mistakes of rule.c: what students write in place of a line.

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/what_if/rule.h"

// ---- Masks --------------------------------------------------------------------------------------

static bool hides_scores(const struct node *node) {
    return makes(node, &masked_fill_row, ROLE_MASKED_SCORES) &&
           node->origin.number <= -(double)FLT_MAX;
}

bool no_mask(struct replay *replay, struct node *node) {
    (void)replay;
    if (!hides_scores(node)) return false;
    node->is_skipped = true;
    return true;
}

// What was hidden is seen, and what was seen is hidden: above the diagonal becomes on and below it.
bool mask_inverted(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    struct origin *origin = rewrite(node);
    const bool is_upper = origin->operation == &triu_row;
    origin->operation = is_upper ? &tril_row : &triu_row;
    origin->diagonal += is_upper ? -1 : 1;
    return true;
}

bool mask_diagonal_2(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    rewrite(node)->diagonal++;
    return true;
}

// A matrix of queries and keys, as many as each other, and nothing around it?
static bool is_square_of_scores(const struct tensor *x) {
    for (int dim = 0; dim < x->ndim; dim++) {
        if (x->axis[dim].meaning != AXIS_QUERY && x->axis[dim].meaning != AXIS_KEY) return false;
    }
    return size_along(x, AXIS_QUERY) > 1 && size_along(x, AXIS_QUERY) == size_along(x, AXIS_KEY);
}

// A column of sums (n, 1), read as a row (1, n), as sums without their dimension are.
bool keepdim_forgotten(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &divide_row) return false;
    const struct view *weights = &node->operands[0];
    struct view *sums = &node->operands[1];
    if (sums->of->origin.operation != &sum_row || !is_square_of_scores(&weights->tensor))
        return false;
    const int key = find_axis(&weights->tensor, AXIS_KEY);
    if (sums->tensor.ndim != weights->tensor.ndim || sums->tensor.shape[key] != 1) return false;
    sums->tensor = transpose(sums->tensor, find_axis(&weights->tensor, AXIS_QUERY), key);
    (void)rewrite(node);
    return true;
}

// e^x, of what is computed: of x beside 0 softmax makes the shares e^x / (e^x + 1) and 1 / (e^x + 1).
static struct view exponentials(struct replay *replay, const struct node *user,
                                const struct view *x) {
    const struct shape shape = shape_of(&x->tensor);
    struct shape both = {.ndim = shape.ndim + 1, .size = {2}};
    for (int dim = 0; dim < shape.ndim; dim++) both.size[dim + 1] = shape.size[dim];
    const struct view zeros = computed(replay, user, &full_row, 0, x);
    struct view stacked = computed(replay, user, &stack_row, 2, (const struct view[]){*x, zeros});
    stacked.of->shape = both;
    stacked.tensor = tensor_over(NULL, both);
    const struct view shares = computed(replay, user, &softmax_row, 1, &stacked);
    struct view parts[2] = {shares, shares};
    for (int i = 0; i < 2; i++) {
        parts[i].tensor = tensor_over(NULL, shape);
        parts[i].tensor.offset = i * count_of(shape);
    }
    return computed(replay, user, &divide_row, 2, parts);
}

// Softmax written out, without keepdim: torch.exp(s) / torch.exp(s).sum(-1) divides column j by the sum of row j.
bool keepdim_forgotten_in_softmax(struct replay *replay, struct node *node) {
    if (!is_attention(node) || !is_square_of_scores(&node->operands[0].tensor)) return false;
    const struct view scores = node->operands[0];
    const int query = find_axis(&scores.tensor, AXIS_QUERY);
    const int key = find_axis(&scores.tensor, AXIS_KEY);
    struct view *operands = arena_array(replay->arena, 2, sizeof *operands);
    operands[0] = exponentials(replay, node, &scores);
    operands[1] = computed(replay, node, &sum_row, 1, &operands[0]);
    operands[1].of->origin.dim = key;
    operands[1].of->shape.size[key] = 1;
    operands[1].tensor = transpose(tensor_over(NULL, operands[1].of->shape), query, key);
    node->operands = operands;
    struct origin *origin = rewrite(node);
    origin->operation = &divide_row;
    origin->operand_count = 2;
    return true;
}

// ---- Scaling ------------------------------------------------------------------------------------

// keys.shape[1], where that is no width: in a batch, or with heads in front, it is the tokens.
bool scale_by_tokens(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct tensor *keys = &scores->operands[1].tensor;
    if (find_axis(keys, AXIS_BATCH) < 0 && head_axis(keys) < 0) return false;
    if (find_axis(keys, AXIS_KEY) < 0) return false;
    divide_scores_by(replay, node, sqrt((double)size_along(keys, AXIS_KEY)));
    return true;
}

// After the split into heads, behind the batch, it is the heads.
bool scale_by_heads(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct tensor *keys = &scores->operands[1].tensor;
    if (find_axis(keys, AXIS_BATCH) < 0 || find_axis(keys, AXIS_HEAD) < 0) return false;
    divide_scores_by(replay, node, sqrt((double)size_along(keys, AXIS_HEAD)));
    return true;
}

// What scales the scores that a view shows; NULL if nothing does.
static struct node *scaling_behind(const struct view *view) {
    struct node *node = view->of;
    while (scores_behind(view) != NULL && node->origin.operation != &matmul_row) {
        if (scores_scaled_by(node) != NULL) return node;
        node = node->operands[0].of;
    }
    return NULL;
}

bool scale_after_softmax(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    struct node *scaling = scaling_behind(&node->operands[0]);
    if (scaling == NULL) return false;
    scaling->is_skipped = true;
    const struct view factor = scaling->operands[1];
    (void)insert_after(replay, node, scaling->origin.operation, &factor);
    return true;
}

// ---- Softmax ------------------------------------------------------------------------------------

static bool softmax_over(struct node *node, enum meaning meaning) {
    if (!is_attention(node)) return false;
    const int dim = find_axis(&node->operands[0].tensor, meaning);
    if (dim < 0) return false;
    rewrite(node)->dim = dim;
    return true;
}

bool softmax_heads(struct replay *replay, struct node *node) {
    (void)replay;
    return softmax_over(node, AXIS_HEAD);
}

bool softmax_batch(struct replay *replay, struct node *node) {
    (void)replay;
    return softmax_over(node, AXIS_BATCH);
}

bool softmax_twice(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    const int dim = node->origin.dim;
    (void)insert_after(replay, node, &softmax_row, NULL);
    node->origin.dim = dim;
    return true;
}

bool no_softmax(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_attention(node)) return false;
    node->is_skipped = true;
    return true;
}

// ---- Products -----------------------------------------------------------------------------------

// Queries and keys, or keys and features, change places.
static void turn(struct view *view) {
    const int last = view->tensor.ndim - 1;
    view->tensor = transpose(view->tensor, last - 1, last);
}

// Weights, dropped or not, that are as they are, not turned as on the way back.
static bool mixes_values(const struct node *node) {
    return makes(node, &matmul_row, ROLE_CONTEXT);
}

// As many rows as columns? Others do not fit once they are turned.
static bool is_square(const struct tensor *queries, const struct tensor *keys) {
    return find_axis(queries, AXIS_QUERY) >= 0 && find_axis(keys, AXIS_KEY) >= 0 &&
           size_along(queries, AXIS_QUERY) == size_along(keys, AXIS_KEY);
}

bool weights_transposed(struct replay *replay, struct node *node) {
    (void)replay;
    if (!mixes_values(node)) return false;
    const struct tensor *weights = &node->operands[0].tensor;
    if (!is_square(weights, weights)) return false;
    turn(&node->operands[0]);
    (void)rewrite(node);
    return true;
}

static bool becomes_weights(const struct replay *replay, const struct node *node) {
    for (int i = 0; i < replay->count; i++) {
        const struct node *user = replay->nodes[i];
        if (is_attention(user) && scores_behind(&user->operands[0]) == node) return true;
    }
    return false;
}

bool scores_transposed(struct replay *replay, struct node *node) {
    if (!makes(node, &matmul_row, ROLE_SCORES) || !becomes_weights(replay, node)) return false;
    if (!is_square(&node->operands[0].tensor, &node->operands[1].tensor)) return false;
    const struct view queries = node->operands[0];
    node->operands[0] = node->operands[1];
    node->operands[1] = queries;
    turn(&node->operands[0]);
    turn(&node->operands[1]);
    (void)rewrite(node);
    return true;
}

// The keys of scores, a row for each key, whichever operand they are; of nothing if there is no such matrix.
static struct view keys_in(const struct node *scores) {
    for (int i = 0; i < 2; i++) {
        struct view keys = scores->operands[i];
        const int key = find_axis(&keys.tensor, AXIS_KEY), last = keys.tensor.ndim - 1;
        if (key < 0 || last < 1) continue;
        if (key == last) turn(&keys);
        return keys;
    }
    return (struct view){0};
}

// The scores from whose weights, dropped or not, a view was computed; NULL if it shows no weights.
static struct node *scores_of_weights(const struct view *weights) {
    const struct node *node = weights->of;
    while (!is_attention(node)) {
        if (node->origin.operand_count == 0) return NULL;
        node = node->operands[0].of;
    }
    return scores_behind(&node->operands[0]);
}

bool keys_for_values(struct replay *replay, struct node *node) {
    (void)replay;
    if (!mixes_values(node)) return false;
    const struct node *scores = scores_of_weights(&node->operands[0]);
    if (scores == NULL) return false;
    const struct view keys = keys_in(scores);
    struct view *values = &node->operands[1];
    if (keys.of == NULL || !shapes_equal(shape_of(&keys.tensor), shape_of(&values->tensor)))
        return false;
    values->of = keys.of;
    values->tensor = with_axes_of(keys.tensor, &values->tensor);
    (void)rewrite(node);
    return true;
}

// Keys (token, feature), in the shape (feature, token) without being turned.
bool keys_reshaped(struct replay *replay, struct node *node) {
    if (!makes(node, &matmul_row, ROLE_SCORES) || !becomes_weights(replay, node)) return false;
    struct view *turned = &node->operands[1];
    const int last = turned->tensor.ndim - 1;
    if (last < 1 || find_axis(&turned->tensor, AXIS_KEY) != last) return false;
    struct view keys = *turned;
    turn(&keys);
    const struct view in_order = computed(replay, node, &copy_row, 1, &keys);
    turned->of = in_order.of;
    turned->tensor = with_axes_of(tensor_over(NULL, shape_of(&turned->tensor)), &turned->tensor);
    (void)rewrite(node);
    return true;
}

// ---- Heads --------------------------------------------------------------------------------------

// A projection seen as (batch, token, head, head_dim) or turned: read as if view had made heads the last.
bool heads_interleaved(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    if (!cuts_into_heads(view)) return false;
    const int head = head_axis(x);
    x->stride[head] = 1;
    x->stride[find_axis(x, AXIS_HEAD_DIM)] = x->shape[head];
    return true;
}

// The layer that a head's context comes from; NULL if there is none.
static struct node *layer_behind(const struct view *head, enum role role) {
    return projection_behind(head->of, role);
}

// Joins a node heads, each of which has layers of its own?
static bool joins_heads(const struct node *node) {
    if (!makes(node, &cat_row, ROLE_CONTEXT) || node->origin.operand_count < 2) return false;
    const struct node *first = layer_behind(&node->operands[0], ROLE_VALUES);
    const struct node *second = layer_behind(&node->operands[1], ROLE_VALUES);
    return first != NULL && second != NULL && first->operands[1].of != second->operands[1].of;
}

// The layers of a later head become the first head's, weight and bias.
bool heads_shared(struct replay *replay, struct node *node) {
    static const enum role roles[] = {ROLE_QUERIES, ROLE_KEYS, ROLE_VALUES};
    (void)replay;
    if (!joins_heads(node)) return false;
    for (int head = 1; head < node->origin.operand_count; head++) {
        for (int i = 0; i < 3; i++) {
            const struct node *first = layer_behind(&node->operands[0], roles[i]);
            struct node *later = layer_behind(&node->operands[head], roles[i]);
            if (first == NULL || later == NULL) continue;
            for (int part = 1; part < later->origin.operand_count; part++)
                later->operands[part].of = first->operands[part].of;
            (void)rewrite(later);
        }
    }
    return true;
}

// Does a node copy context vectors (batch, token, head, head_dim) that lie head by head in memory?
static bool merges_heads(const struct node *node) {
    if (!makes(node, &copy_row, ROLE_CONTEXT)) return false;
    const struct tensor *x = &node->operands[0].tensor;
    const int head = head_axis(x), head_dim = find_axis(x, AXIS_HEAD_DIM);
    return head > 0 && head_dim > head && x->stride[head] >= x->stride[head - 1];
}

static void merge_reversed(struct replay *replay, struct node *node) {
    struct view *heads = &node->operands[0];
    const struct view reversed = computed(replay, node, &flip_row, 1, heads);
    reversed.of->origin.dim = head_axis(&heads->tensor);
    reversed.of->origin.times = 1;
    *heads = (struct view){reversed.of, with_axes_of(reversed.tensor, &heads->tensor)};
    (void)rewrite(node);
}

bool heads_reversed(struct replay *replay, struct node *node) {
    if (merges_heads(node)) {
        merge_reversed(replay, node);
        return true;
    }
    const int count = node->origin.operand_count;
    if (!joins_heads(node)) return false;
    for (int i = 0; i < count / 2; i++) {
        const struct view first = node->operands[i];
        node->operands[i] = node->operands[count - 1 - i];
        node->operands[count - 1 - i] = first;
    }
    (void)rewrite(node);
    return true;
}

// Contexts of heads, each (batch, token, width), stacked along `dim` and read as (batch, token, heads · width).
static bool stack_heads(struct replay *replay, struct node *node, int dim) {
    if (!joins_heads(node)) return false;
    const int count = node->origin.operand_count;
    const struct view stacked = computed(replay, node, &stack_row, count, node->operands);
    const struct shape shape = shape_of(&node->operands[0].tensor);
    struct shape *all = &stacked.of->shape;
    all->ndim = shape.ndim + 1;
    for (int i = 0; i < all->ndim; i++)
        all->size[i] = i == dim ? count : shape.size[i < dim ? i : i - 1];
    stacked.of->origin.dim = dim;
    node->operands = arena_allocate(replay->arena, sizeof *node->operands);
    node->operands[0] = (struct view){stacked.of, tensor_over(NULL, node->shape)};
    rewrite(node)->operand_count = 1;
    node->is_skipped = true;
    return true;
}

bool heads_stacked(struct replay *replay, struct node *node) {
    return stack_heads(replay, node, 0);
}

bool heads_stacked_behind_batch(struct replay *replay, struct node *node) {
    return stack_heads(replay, node, 1);
}

bool heads_stacked_last(struct replay *replay, struct node *node) {
    return stack_heads(replay, node, node->shape.ndim);
}

// ---- Dropout ------------------------------------------------------------------------------------

// A dropout that keeps everything as it is, and draws nothing.
static void keep_all(struct replay *replay, struct node *node) {
    struct view *operands = arena_array(replay->arena, 2, sizeof *operands);
    operands[0] = node->operands[0];
    operands[1] = constant(replay, node, 1);
    node->operands = operands;
    struct origin *origin = rewrite(node);
    origin->operation = &multiply_row;
    origin->operand_count = 2;
}

bool no_dropout(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    keep_all(replay, node);
    return true;
}

// Draws of the same sequence and stream, wherever they stand in it.
static struct draws draws_like(const struct origin *like) {
    return (struct draws){
        .seed = like->draws.seed, .sequence = like->draws.sequence, .stream = like->draws.stream};
}

// Puts a dropout like `like` behind a node; it draws where it stands.
static void drop_behind(struct replay *replay, struct node *node, const struct origin *like) {
    (void)insert_after(replay, node, &dropout_row, NULL);
    node->origin.number = like->number;
    node->origin.draws = draws_like(like);
    node->turn.is_taken = true;
}

bool dropout_twice(struct replay *replay, struct node *node) {
    if (!makes(node, &dropout_row, ROLE_DROPPED_WEIGHTS)) return false;
    const struct origin like = node->origin;
    drop_behind(replay, node, &like);
    return true;
}

// The product that mixes values by the weights that a dropout dropped; NULL if there is none.
static struct node *mixing_by(const struct replay *replay, const struct node *dropout) {
    for (int i = 0; i < replay->count; i++) {
        struct node *node = replay->nodes[i];
        if (mixes_values(node) && node->operands[0].of == dropout) return node;
    }
    return NULL;
}

bool dropout_on_context(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    struct node *mixing = mixing_by(replay, node);
    if (mixing == NULL) return false;
    const struct origin like = node->origin;
    keep_all(replay, node);
    drop_behind(replay, mixing, &like);
    return true;
}

// Is it a dropout of all that another node makes?
static bool drops(const struct node *node, const struct node *other) {
    return node->origin.operation == &dropout_row && node->operands[0].of == other;
}

// The first node behind `dropped` that depends on it and is an end of attention, or what a dropout right behind leaves
// of it; NULL if there is none.
static struct node *end_behind(const struct replay *replay, const struct node *dropped,
                               bool (*is_end)(const struct node *node)) {
    const int first = place_of_node(replay, dropped);
    bool *depends = arena_array(replay->arena, (size_t)replay->count, sizeof *depends);
    depends[first] = true;
    for (int i = first + 1; i < replay->count; i++) {
        struct node *node = replay->nodes[i];
        for (int j = 0; j < node->origin.operand_count; j++) {
            const int from = place_of_node(replay, node->operands[j].of);
            depends[i] = depends[i] || (from >= first && depends[from]);
        }
        if (!depends[i] || !is_end(node)) continue;
        const bool is_dropped = i + 1 < replay->count && drops(replay->nodes[i + 1], node);
        return is_dropped ? replay->nodes[i + 1] : node;
    }
    return NULL;
}

// Drops what the end of attention makes, once for all heads, and no weights any more.
static bool drop_at_end(struct replay *replay, struct node *node,
                        bool (*is_end)(const struct node *node)) {
    if (node->origin.operation != &dropout_row || mixing_by(replay, node) == NULL) return false;
    struct node *end = end_behind(replay, node, is_end);
    if (end == NULL) return false;
    const struct origin like = node->origin;
    keep_all(replay, node);
    if (end->origin.operation != &dropout_row) drop_behind(replay, end, &like);
    return true;
}

static bool is_output(const struct node *node) {
    return makes(node, &linear_row, ROLE_OUTPUT);
}

bool dropout_on_output(struct replay *replay, struct node *node) {
    return drop_at_end(replay, node, is_output);
}

// Context vectors of all heads, side by side?
static bool is_merged(const struct node *node) {
    return joins_heads(node) || merges_heads(node);
}

bool dropout_on_merged_context(struct replay *replay, struct node *node) {
    return drop_at_end(replay, node, is_merged);
}

// Drops some of what a view shows where a node drops weights, and no weights any more.
static struct view drop_instead(struct replay *replay, struct node *node, struct node *mixing,
                                const struct view *shown) {
    const struct view dropped = computed(replay, mixing, &dropout_row, 1, shown);
    dropped.of->origin.number = node->origin.number;
    dropped.of->origin.draws = draws_like(&node->origin);
    dropped.of->turn.is_taken = true;
    keep_all(replay, node);
    return dropped;
}

// PyTorch 2.6 draws the mask in the order in which the values lie in memory, whatever view of them is dropped.
bool dropout_on_values(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    struct node *mixing = mixing_by(replay, node);
    if (mixing == NULL) return false;
    struct view *values = &mixing->operands[1];
    const struct view all = {values->of, tensor_over(NULL, values->of->shape)};
    values->of = drop_instead(replay, node, mixing, &all).of;
    return true;
}

// PyTorch 1.13 draws it row by row, as the view shows the values.
bool dropout_on_values_seen(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    struct node *mixing = mixing_by(replay, node);
    if (mixing == NULL || is_contiguous(&mixing->operands[1].tensor)) return false;
    const struct view values = mixing->operands[1];
    mixing->operands[1] = drop_instead(replay, node, mixing, &values);
    return true;
}

// torch.rand has a float for each number, whatever stream dropout draws.
bool dropout_by_rand(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row || node->origin.number >= 1) return false;
    const struct view x = node->operands[0];
    const double p = node->origin.number;
    struct view random = computed(replay, node, &uniform_row, 0, &x);
    random.of->origin.most = 1;
    random.of->origin.draws = draws_like(&node->origin);
    random.of->turn = node->turn;
    node->turn = (struct turn){.is_taken = true};
    const struct view kept = constant(replay, node, 1 - p), bound = constant(replay, node, p);
    struct view *operands = arena_array(replay->arena, 2, sizeof *operands);
    operands[0] = computed(replay, node, &divide_row, 2, (const struct view[]){x, kept});
    operands[1] = computed(replay, node, &at_most_row, 2, (const struct view[]){random, bound});
    node->operands = operands;
    struct origin *origin = rewrite(node);
    origin->operation = &masked_fill_row;
    origin->operand_count = 2;
    origin->number = 0;
    return true;
}
