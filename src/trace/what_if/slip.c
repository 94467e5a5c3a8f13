// More rules: what students write in place of a line, beside the classic mistakes of rule.c.

#include <math.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "tensor/ops/rows.h"
#include "trace/what_if/rule.h"

// ---- Masks --------------------------------------------------------------------------------------

static bool hides_scores(const struct node *node) {
    return node->origin.operation == &masked_fill_row && isinf(node->origin.number);
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

// A column of sums (n, 1), read as a row (1, n), as sums without their dimension are.
bool keepdim_forgotten(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &divide_row) return false;
    struct tensor *sums = &node->operands[1].tensor;
    if (sums->ndim != 2 || sums->shape[1] != 1 || sums->shape[0] == 1) return false;
    if (node->operands[1].of->origin.operation != &sum_row) return false;
    sums->shape[1] = sums->shape[0];
    sums->stride[1] = sums->stride[0];
    sums->shape[0] = 1;
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
    if (!is_attention(node) || node->shape.ndim != 2 || node->shape.size[0] == 1) return false;
    if (node->shape.size[0] != node->shape.size[1]) return false;
    const struct view scores = node->operands[0];
    struct view *operands = arena_array(replay->arena, 2, sizeof *operands);
    operands[0] = exponentials(replay, node, &scores);
    operands[1] = computed(replay, node, &sum_row, 1, &operands[0]);
    operands[1].of->origin.dim = 1;
    operands[1].of->shape.size[1] = 1;
    operands[1].tensor = tensor_over(NULL, (struct shape){2, {1, node->shape.size[0]}});
    node->operands = operands;
    struct origin *origin = rewrite(node);
    origin->operation = &divide_row;
    origin->operand_count = 2;
    return true;
}

// ---- Scaling ------------------------------------------------------------------------------------

// Dimension 1 of the keys of some scores is no width where there is a batch: it is the tokens, or the
// heads.
static int64_t size_of_keys(const struct node *scores, int ndim, int dim) {
    const struct tensor *queries = &scores->operands[0].tensor;
    return queries->ndim == ndim ? queries->shape[dim] : 0;
}

bool scale_by_tokens(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const int ndim = scores->operands[0].tensor.ndim;
    if (ndim < 3) return false;
    divide_scores_by(replay, node, sqrt((double)size_of_keys(scores, ndim, ndim - 2)));
    return true;
}

bool scale_by_heads(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL || scores->operands[0].tensor.ndim != 4) return false;
    divide_scores_by(replay, node, sqrt((double)size_of_keys(scores, 4, 1)));
    return true;
}

// ---- Softmax ------------------------------------------------------------------------------------

static bool softmax_over(struct node *node, int ndim, int dim) {
    if (!is_attention(node) || node->shape.ndim < ndim) return false;
    rewrite(node)->dim = dim;
    return true;
}

bool softmax_heads(struct replay *replay, struct node *node) {
    (void)replay;
    return softmax_over(node, 4, 1);
}

bool softmax_batch(struct replay *replay, struct node *node) {
    (void)replay;
    return softmax_over(node, 3, 0);
}

bool softmax_twice(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    const int dim = node->origin.dim;
    (void)then(replay, node, &softmax_row, NULL);
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

static void turn(struct view *view) {
    view->tensor = transpose(view->tensor, view->tensor.ndim - 2, view->tensor.ndim - 1);
}

// The softmax behind a view, dropped or not; NULL if it shows no attention weights.
static struct node *weights_behind(const struct view *view) {
    struct node *node = view->of;
    if (node->origin.operation == &dropout_row) node = node->operands[0].of;
    return is_attention(node) ? node : NULL;
}

// Weights as they are, not turned as on the way back.
static bool mixes_values(const struct node *node) {
    if (node->origin.operation != &matmul_row) return false;
    const struct tensor *weights = &node->operands[0].tensor;
    const bool is_turned = weights->ndim > 1 && weights->stride[weights->ndim - 1] != 1;
    return !is_turned && weights_behind(&node->operands[0]) != NULL;
}

bool weights_transposed(struct replay *replay, struct node *node) {
    (void)replay;
    if (!mixes_values(node) || node->operands[0].tensor.ndim < 2) return false;
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
    if (node->origin.operation != &matmul_row || node->operands[1].tensor.ndim < 2) return false;
    if (node->operands[0].tensor.ndim < 2 || !becomes_weights(replay, node)) return false;
    const struct view queries = node->operands[0];
    node->operands[0] = node->operands[1];
    node->operands[1] = queries;
    turn(&node->operands[0]);
    turn(&node->operands[1]);
    (void)rewrite(node);
    return true;
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
    (void)then(replay, node, &dropout_row, NULL);
    node->origin.number = like->number;
    node->origin.draws = draws_like(like);
    node->turn.is_taken = true;
}

bool dropout_twice(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row || weights_behind(&node->operands[0]) == NULL)
        return false;
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

// ---- Heads --------------------------------------------------------------------------------------

// A projection seen as (batch, token, head, head_dim) or turned: read as if view had made heads the last.
bool heads_interleaved(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, AXIS_HEAD), head_dim = find_axis(x, AXIS_HEAD_DIM);
    if (x->ndim != 4 || view->of->shape.ndim != 3 || head < 0 || head_dim < 0) return false;
    x->stride[head] = 1;
    x->stride[head_dim] = x->shape[head];
    return true;
}

// A layer of a later head: its weight, or bias, is the first head's.
bool heads_shared(struct replay *replay, struct node *node) {
    static const char *const names[] = {"W_query",      "W_key",      "W_value",
                                        "W_query_bias", "W_key_bias", "W_value_bias"};
    if (node->origin.operation != &linear_row) return false;
    bool is_changed = false;
    for (int i = 1; i < node->origin.operand_count; i++) {
        for (int name = 0; name < 6; name++) {
            const struct step *own = step_named(replay, node->operands[i].of, names[name]);
            if (own == NULL || own->group == NULL) continue;
            const struct step first = {.group = "head 1"};
            struct node *shared = node_named(replay, &first, names[name]);
            if (shared == NULL || shared == node->operands[i].of) continue;
            node->operands[i].of = shared;
            is_changed = true;
        }
    }
    if (is_changed) (void)rewrite(node);
    return is_changed;
}

bool heads_reversed(struct replay *replay, struct node *node) {
    const int count = node->origin.operand_count;
    if (node->origin.operation != &cat_row || count < 2) return false;
    if (step_named(replay, node->operands[0].of, "context") == NULL) return false;
    for (int i = 0; i < count / 2; i++) {
        const struct view first = node->operands[i];
        node->operands[i] = node->operands[count - 1 - i];
        node->operands[count - 1 - i] = first;
    }
    (void)rewrite(node);
    return true;
}

// ---- Order of draws -----------------------------------------------------------------------------

// Lets a node that draws do so before another one.
static void draw_before(struct replay *replay, struct node *node, struct node *other) {
    const int from = place_of_node(replay, node), to = place_of_node(replay, other);
    if (from <= to) return;
    memmove(&replay->nodes[to + 1], &replay->nodes[to],
            (size_t)(from - to) * sizeof *replay->nodes);
    replay->nodes[to] = node;
    (void)rewrite(node);
    (void)rewrite(other);
}

// If `node` is the query's weight: the layer `name` of the same group draws before it.
static bool layer_first(struct replay *replay, struct node *node, const char *name,
                        const char *bias_name) {
    const struct step *query = step_named(replay, node, "W_query");
    if (query == NULL || !node->turn.is_taken) return false;
    struct node *weight = node_named(replay, query, name);
    struct node *bias = node_named(replay, query, bias_name);
    if (weight == NULL || !weight->turn.is_taken) return false;
    draw_before(replay, weight, node);
    if (bias != NULL && bias->turn.is_taken) draw_before(replay, bias, node);
    return true;
}

bool out_proj_first(struct replay *replay, struct node *node) {
    return layer_first(replay, node, "W_out", "W_out_bias");
}

bool values_first(struct replay *replay, struct node *node) {
    return layer_first(replay, node, "W_value", "W_value_bias");
}
