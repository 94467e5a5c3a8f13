// The rules of the classic mistakes. Each rule finds its place by what is computed
// there, not by the lesson: scores are a product whose softmax is taken, a weight is what a linear layer
// multiplies by. Only projections of queries, keys and results are found by the names of their steps.

#include "trace/what_if/rule.h"

#include <math.h>
#include <string.h>

#include "tensor/ops/rows.h"

// ---- Who is who on the tape ---------------------------------------------------------------------

// The product of queries and keys that a view's numbers were made of, by scaling, masking or dropping;
// NULL if they are no scores.
struct node *scores_behind(const struct view *view) {
    struct node *node = view->of;
    while (node->origin.operation != &matmul_row) {
        const struct operation *operation = node->origin.operation;
        const bool scales = operation == &divide_row || operation == &multiply_row;
        const bool hides = operation == &masked_fill_row || operation == &dropout_row;
        if (!hides && !(scales && node->operands[1].tensor.ndim == 0)) return NULL;
        node = node->operands[0].of;
    }
    return node;
}

// The masked_fill among what made scores of that product; NULL if they are not masked.
static struct node *mask_behind(const struct view *view) {
    struct node *node = view->of;
    while (node->origin.operation != &matmul_row) {
        if (node->origin.operation == &masked_fill_row) return node;
        node = node->operands[0].of;
    }
    return NULL;
}

// The product whose scores this node divides by a constant, or multiplies with one; NULL if it does not.
struct node *scores_scaled_by(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation != &divide_row && operation != &multiply_row) return NULL;
    const struct view *factor = &node->operands[1];
    if (factor->of->origin.operation != &constant_row || factor->tensor.ndim > 0) return NULL;
    return scores_behind(&node->operands[0]);
}

// The softmax that turns scores into attention weights?
bool is_attention(const struct node *node) {
    return node->origin.operation == &softmax_row && scores_behind(&node->operands[0]) != NULL;
}

static int64_t width_of_keys(const struct node *scores) {
    const struct tensor *queries = &scores->operands[0].tensor;
    return queries->shape[queries->ndim - 1];
}

static bool same_group(const struct step *a, const struct step *b) {
    if (a->group == NULL || b->group == NULL) return a->group == b->group;
    return strcmp(a->group, b->group) == 0;
}

// The step called `name` that shows a node; NULL if there is none.
const struct step *step_named(const struct replay *replay, const struct node *node,
                              const char *name) {
    for (int i = 0; i < replay->step_count; i++) {
        const struct step *step = &replay->right->steps[i];
        if (replay->steps[i].of == node && strcmp(step->name, name) == 0) return step;
    }
    return NULL;
}

// The node shown by the step called `name` in the group of another step.
struct node *node_named(const struct replay *replay, const struct step *beside, const char *name) {
    for (int i = 0; i < replay->step_count; i++) {
        const struct step *step = &replay->right->steps[i];
        if (same_group(step, beside) && strcmp(step->name, name) == 0) return replay->steps[i].of;
    }
    return NULL;
}

// ---- Scaling ------------------------------------------------------------------------------------

void divide_scores_by(struct replay *replay, struct node *node, double divisor) {
    const bool divides = node->origin.operation == &divide_row;
    node->operands[1] = constant(replay, node, divides ? divisor : 1 / divisor);
    (void)rewrite(node);
}

bool no_scale(struct replay *replay, struct node *node) {
    if (scores_scaled_by(node) == NULL) return false;
    divide_scores_by(replay, node, 1);
    return true;
}

bool scale_twice(struct replay *replay, struct node *node) {
    if (scores_scaled_by(node) == NULL) return false;
    const struct view factor = node->operands[1];
    (void)then(replay, node, node->origin.operation, &factor);
    return true;
}

bool scale_by_dk(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    divide_scores_by(replay, node, (double)width_of_keys(scores));
    return true;
}

// d_out is how wide the projection is before it is split into heads.
bool scale_by_d_out(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct shape projected = scores->operands[0].of->shape;
    divide_scores_by(replay, node, sqrt((double)projected.size[projected.ndim - 1]));
    return true;
}

bool softmax_columns(struct replay *replay, struct node *node) {
    (void)replay;
    const int last = node->shape.ndim - 1;
    if (!is_attention(node) || last < 1 || node->origin.dim != last) return false;
    rewrite(node)->dim = last - 1;
    return true;
}

// ---- Masks --------------------------------------------------------------------------------------

bool mask_zero(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &masked_fill_row || !isinf(node->origin.number)) return false;
    rewrite(node)->number = 0;
    return true;
}

bool is_triangle(const struct node *node) {
    return node->origin.operation == &tril_row || node->origin.operation == &triu_row;
}

bool mask_diagonal(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    rewrite(node)->diagonal--;
    return true;
}

// Rows and columns exchanged: above the diagonal becomes below it.
bool mask_upside_down(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    struct origin *origin = rewrite(node);
    origin->operation = origin->operation == &tril_row ? &triu_row : &tril_row;
    origin->diagonal = -origin->diagonal;
    return true;
}

bool mask_after_softmax(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    struct node *fill = mask_behind(&node->operands[0]);
    if (fill == NULL) return false;
    fill->is_skipped = true;
    const struct view mask = fill->operands[1];
    (void)then(replay, node, &masked_fill_row, &mask);
    return true;
}

// ---- Dropout ------------------------------------------------------------------------------------

// dropout(softmax(x)) becomes softmax(dropout(x)).
bool dropout_before_softmax(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    const struct node *weights = node->operands[0].of;
    if (!is_attention(weights)) return false;
    struct node *drop = then(replay, node, &softmax_row, NULL);
    drop->operands[0] = weights->operands[0];
    (void)rewrite(drop);
    node->origin.dim = weights->origin.dim;
    return true;
}

static bool multiply_dropped(struct replay *replay, struct node *node, double factor) {
    const struct view view = constant(replay, node, factor);
    (void)then(replay, node, &multiply_row, &view);
    return true;
}

bool dropout_scale_p(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    const double p = node->origin.number;
    return multiply_dropped(replay, node, (1 - p) / p);
}

bool dropout_no_scale(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    return multiply_dropped(replay, node, 1 - node->origin.number);
}

bool other_bernoulli(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &dropout_row) return false;
    struct draws *draws = &rewrite(node)->draws;
    draws->stream = draws->stream == MT19937 ? MCG31M1 : MT19937;
    return true;
}

// ---- Heads --------------------------------------------------------------------------------------

static int token_axis(const struct tensor *x) {
    static const enum meaning meanings[] = {AXIS_QUERY, AXIS_KEY, AXIS_TOKEN};
    for (int i = 0; i < 3; i++) {
        const int dim = find_axis(x, meanings[i]);
        if (dim >= 0) return dim;
    }
    return -1;
}

// Gives the dimensions, from the slowest to the fastest, the strides of rows without gaps.
static void walk_in_order(struct tensor *x, const int *dims) {
    int64_t stride = 1;
    for (int i = x->ndim - 1; i >= 0; i--) {
        x->stride[dims[i]] = stride;
        stride *= x->shape[dims[i]];
    }
}

// A projection (batch, token, width), seen as (batch, head, token, feature) or with the last two turned:
// read as if view had made it so.
bool heads_by_view(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, AXIS_HEAD), token = token_axis(x);
    if (x->ndim != 4 || view->of->shape.ndim != 3 || head != 1 || token < 2) return false;
    walk_in_order(x, (const int[]){0, head, token, 5 - token});
    return true;
}

// Context vectors (batch, head, token, head_dim), seen as (batch, token, head, head_dim): read as if view
// had made it so.
bool merge_without_transpose(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, AXIS_HEAD);
    if (x->ndim != 4 || view->of->shape.ndim != 4 || head != 2 || token_axis(x) != 1) return false;
    walk_in_order(x, (const int[]){0, 1, 2, 3});
    return true;
}

// ---- Layers -------------------------------------------------------------------------------------

// Does a linear layer multiply by it?
static bool is_layer_weight(const struct replay *replay, const struct node *node) {
    for (int i = 0; i < replay->count; i++) {
        const struct node *user = replay->nodes[i];
        if (user->origin.operation == &linear_row && user->operands[1].of == node) return true;
    }
    return false;
}

// A weight (out, in), or rows of it: the same numbers in the same order, but read as (in, out).
bool weight_untransposed(const struct replay *replay, struct view *view, bool is_factor) {
    struct tensor *x = &view->tensor;
    if (!is_factor || view->of->shape.ndim != 2 || !is_layer_weight(replay, view->of)) return false;
    const int64_t out = view->of->shape.size[0], in = view->of->shape.size[1];
    x->offset = x->offset % in * out + x->offset / in;
    for (int dim = 0; dim < x->ndim; dim++) {
        x->stride[dim] = x->stride[dim] % in * out + x->stride[dim] / in;
    }
    return true;
}

bool no_out_proj(struct replay *replay, struct node *node) {
    if (node->origin.operation != &linear_row) return false;
    if (step_named(replay, node->operands[1].of, "W_out") == NULL) return false;
    node->is_skipped = true;
    return true;
}

// No bias is a bias of zeros, and one that is not drawn.
bool no_bias(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &linear_row || node->origin.operand_count < 3) return false;
    struct origin *bias = rewrite(node->operands[2].of);
    bias->operation = &full_row;
    bias->number = 0;
    return true;
}

// ---- Draws --------------------------------------------------------------------------------------

// The course seeds with 123 and 789.
static uint64_t other_seed(uint64_t seed) {
    return seed == 123 ? 789 : 123;
}

static bool seed_wrongly(struct node *node) {
    struct draws *draws = &rewrite(node)->draws;
    draws->seed = other_seed(draws->seed);
    return true;
}

bool wrong_seed(struct replay *replay, struct node *node) {
    (void)replay;
    return node->turn.is_taken && seed_wrongly(node);
}

// Was the seed that a node draws from set for dropout masks alone?
static bool is_seeded_for_masks(const struct replay *replay, const struct node *node) {
    const uint64_t sequence = node->origin.draws.sequence;
    for (int i = 0; i < replay->count; i++) {
        const struct node *other = replay->nodes[i];
        if (!other->turn.is_taken || other->origin.draws.sequence != sequence) continue;
        if (other->origin.operation != &dropout_row) return false;
    }
    return true;
}

bool wrong_seed_of_weights(struct replay *replay, struct node *node) {
    return node->turn.is_taken && !is_seeded_for_masks(replay, node) && seed_wrongly(node);
}

bool wrong_seed_of_masks(struct replay *replay, struct node *node) {
    return node->turn.is_taken && is_seeded_for_masks(replay, node) && seed_wrongly(node);
}

bool swapped_qk(struct replay *replay, struct node *node) {
    static const char *const pairs[][2] = {{"W_query", "W_key"}, {"W_query_bias", "W_key_bias"}};
    if (!node->turn.is_taken) return false;
    for (int i = 0; i < 2; i++) {
        const struct step *step = step_named(replay, node, pairs[i][0]);
        struct node *other = step != NULL ? node_named(replay, step, pairs[i][1]) : NULL;
        if (other == NULL) continue;
        exchange(replay, node, other);
        return true;
    }
    return false;
}

// ---- Training -----------------------------------------------------------------------------------

bool no_zero_grad(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &zero_grad_row) return false;
    node->is_skipped = true;
    return true;
}
