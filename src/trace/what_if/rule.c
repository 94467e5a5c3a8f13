// The rules of the classic mistakes.

#include "trace/what_if/rule.h"

#include <math.h>
#include <string.h>

#include "tensor/operation/rows.h"

// ---- Who is who on the tape ---------------------------------------------------------------------

bool makes(const struct node *node, const struct operation *operation, enum role role) {
    return node->origin.operation == operation && node->purpose.role == role;
}

static bool is_scored(const struct node *node) {
    return node->purpose.role == ROLE_SCORES || node->purpose.role == ROLE_MASKED_SCORES;
}

struct node *scores_behind(const struct view *view) {
    struct node *node = view->of;
    while (is_scored(node) && node->origin.operation != &matmul_row) node = node->operands[0].of;
    return is_scored(node) ? node : NULL;
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

struct node *scores_scaled_by(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation != &divide_row && operation != &multiply_row) return NULL;
    const struct view *factor = &node->operands[1];
    if (factor->of->origin.operation != &constant_row) return NULL;
    return scores_behind(&node->operands[0]);
}

bool is_attention(const struct node *node) {
    return makes(node, &softmax_row, ROLE_WEIGHTS) && is_scored(node->operands[0].of);
}

static bool projects(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation != &linear_row && operation != &matmul_row) return false;
    return node->operands[1].of->purpose.role == ROLE_LAYER_WEIGHT;
}

struct node *projection_behind(struct node *node, enum role role) {
    if (projects(node)) return node->purpose.role == role ? node : NULL;
    struct node *found = NULL;
    for (int i = 0; found == NULL && i < node->origin.operand_count; i++)
        found = projection_behind(node->operands[i].of, role);
    return found;
}

struct node *drawn_for(const struct replay *replay, enum role part, enum role makes, int layer) {
    for (int i = 0; i < replay->count; i++) {
        const struct purpose *own = &replay->nodes[i]->purpose;
        if (replay->nodes[i]->turn.is_taken && own->role == part && own->makes == makes &&
            own->layer == layer)
            return replay->nodes[i];
    }
    return NULL;
}

int64_t width_of(const struct node *node) {
    const int last = node->shape.ndim - 1;
    return last < 0 ? 1 : node->shape.size[last];
}

static int64_t width_of_keys(const struct node *scores) {
    const struct tensor *queries = &scores->operands[0].tensor;
    return queries->shape[queries->ndim - 1];
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
    (void)insert_after(replay, node, node->origin.operation, &factor);
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
    struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct node *queries = projection_behind(scores->operands[0].of, ROLE_QUERIES);
    if (queries == NULL) return false;
    divide_scores_by(replay, node, sqrt((double)width_of(queries)));
    return true;
}

bool softmax_columns(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_attention(node)) return false;
    const struct tensor *scores = &node->operands[0].tensor;
    const int rows = find_axis(scores, AXIS_QUERY);
    if (rows < 0 || node->origin.dim != find_axis(scores, AXIS_KEY)) return false;
    rewrite(node)->dim = rows;
    return true;
}

// ---- Masks --------------------------------------------------------------------------------------

bool mask_zero(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &masked_fill_row, ROLE_MASKED_SCORES) || !isinf(node->origin.number))
        return false;
    rewrite(node)->number = 0;
    return true;
}

bool is_triangle(const struct node *node) {
    return makes(node, &tril_row, ROLE_MASK) || makes(node, &triu_row, ROLE_MASK);
}

int64_t keys_before(const struct node *triangle) {
    const struct tensor *x = &triangle->operands[0].tensor;
    if (find_axis(x, AXIS_QUERY) < 0 || find_axis(x, AXIS_KEY) < 0) return 0;
    return size_along(x, AXIS_KEY) - size_along(x, AXIS_QUERY);
}

bool mask_diagonal(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    rewrite(node)->diagonal--;
    return true;
}

// Rows and columns exchanged: above the diagonal becomes below it. Behind a cache these are the last rows of a square.
bool mask_upside_down(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    struct origin *origin = rewrite(node);
    origin->operation = origin->operation == &tril_row ? &triu_row : &tril_row;
    origin->diagonal = 2 * (int)keys_before(node) - origin->diagonal;
    return true;
}

bool mask_after_softmax(struct replay *replay, struct node *node) {
    if (!is_attention(node)) return false;
    struct node *fill = mask_behind(&node->operands[0]);
    if (fill == NULL) return false;
    fill->is_skipped = true;
    const struct view mask = fill->operands[1];
    (void)insert_after(replay, node, &masked_fill_row, &mask);
    return true;
}

// ---- Dropout ------------------------------------------------------------------------------------

// dropout(softmax(x)) becomes softmax(dropout(x)).
bool dropout_before_softmax(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    const struct node *weights = node->operands[0].of;
    if (!is_attention(weights)) return false;
    struct node *drop = insert_after(replay, node, &softmax_row, NULL);
    drop->operands[0] = weights->operands[0];
    drop->purpose.role = ROLE_MASKED_SCORES;
    node->operands[0].tensor = with_axes_of(node->operands[0].tensor, &drop->operands[0].tensor);
    node->purpose.role = ROLE_WEIGHTS;
    (void)rewrite(drop);
    node->origin.dim = weights->origin.dim;
    return true;
}

static bool multiply_dropped(struct replay *replay, struct node *node, double factor) {
    const struct view view = constant(replay, node, factor);
    (void)insert_after(replay, node, &multiply_row, &view);
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

int head_axis(const struct tensor *x) {
    const int group = find_axis(x, AXIS_GROUP);
    return group >= 0 ? group : find_axis(x, AXIS_HEAD);
}

// Of its tokens, whatever they are for.
static int token_axis(const struct tensor *x) {
    static const enum meaning meanings[] = {AXIS_QUERY, AXIS_KEY, AXIS_TOKEN};
    for (int i = 0; i < 3; i++) {
        const int dim = find_axis(x, meanings[i]);
        if (dim >= 0) return dim;
    }
    return -1;
}

bool cuts_into_heads(const struct view *view) {
    const struct tensor *x = &view->tensor;
    const int head = head_axis(x), head_dim = find_axis(x, AXIS_HEAD_DIM);
    return head >= 0 && head_dim >= 0 && token_axis(x) >= 0 &&
           x->shape[head] * x->shape[head_dim] == width_of(view->of);
}

// A number that is repeated along a dimension lies at one place.
static bool is_repeated(const struct tensor *x, int dim) {
    return x->shape[dim] > 1 && x->stride[dim] == 0;
}

// Gives the dimensions strides as if view had cut memory into their sizes: first all others in order, then tokens, then
// the features of a head. Returns false if the view shows but a part of what it is of.
static bool read_in_order(struct view *view) {
    struct tensor *x = &view->tensor;
    const int token = token_axis(x), head_dim = find_axis(x, AXIS_HEAD_DIM);
    int64_t shown = 1;
    for (int dim = 0; dim < x->ndim; dim++) shown *= is_repeated(x, dim) ? 1 : x->shape[dim];
    if (shown != count_of(view->of->shape)) return false;
    x->stride[head_dim] = 1;
    x->stride[token] = x->shape[head_dim];
    int64_t stride = x->shape[token] * x->shape[head_dim];
    for (int dim = x->ndim - 1; dim >= 0; dim--) {
        if (dim == token || dim == head_dim || is_repeated(x, dim)) continue;
        x->stride[dim] = stride;
        stride *= x->shape[dim];
    }
    return true;
}

// A projection (batch, token, width), seen as (batch, head, token, head_dim) or with the last two turned:
// read as if view had made it so.
bool heads_by_view(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    const struct tensor *x = &view->tensor;
    return cuts_into_heads(view) && head_axis(x) < token_axis(x) && read_in_order(view);
}

// Context vectors (batch, head, token, head_dim), seen as (batch, token, head, head_dim): read as if view
// had made it so.
bool merge_without_transpose(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, AXIS_HEAD), token = token_axis(x);
    const int head_dim = find_axis(x, AXIS_HEAD_DIM);
    if (token < 0 || head < token || head_dim < head) return false;
    if (x->shape[head_dim] != width_of(view->of)) return false;
    if (count_of(shape_of(x)) != count_of(view->of->shape)) return false;
    const struct tensor in_order = tensor_over(x->storage, shape_of(x));
    memcpy(x->stride, in_order.stride, sizeof x->stride);
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

// A weight (out, in), or rows of it: the same numbers in the same order, but read as (in, out). What an optimizer keeps
// of a weight may lie behind it.
bool weight_untransposed(const struct replay *replay, struct view *view, bool is_factor) {
    struct tensor *x = &view->tensor;
    if (!is_factor || !is_layer_weight(replay, view->of)) return false;
    const struct shape *shape = &view->of->shape;
    const int64_t in = shape->size[shape->ndim - 1], out = shape->size[shape->ndim - 2];
    x->offset = x->offset % in * out + x->offset / in;
    for (int dim = 0; dim < x->ndim; dim++) {
        x->stride[dim] = x->stride[dim] % in * out + x->stride[dim] / in;
    }
    return true;
}

bool no_out_proj(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &linear_row, ROLE_OUTPUT)) return false;
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

void draw_before(struct replay *replay, struct node *node, struct node *other) {
    const int from = place_of_node(replay, node), to = place_of_node(replay, other);
    if (from <= to) return;
    memmove(&replay->nodes[to + 1], &replay->nodes[to],
            (size_t)(from - to) * sizeof *replay->nodes);
    replay->nodes[to] = node;
    (void)rewrite(node);
    (void)rewrite(other);
}

// Where queries are drawn before keys. Each layer gets what the other one drew, if both draw as much.
bool swapped_qk(struct replay *replay, struct node *node) {
    if (!node->turn.is_taken || node->purpose.makes != ROLE_QUERIES) return false;
    const struct purpose *own = &node->purpose;
    struct node *other = drawn_for(replay, own->role, ROLE_KEYS, own->layer);
    if (other == NULL) return false;
    if (place_of_node(replay, other) < place_of_node(replay, node)) return false;
    if (shapes_equal(node->shape, other->shape))
        exchange(replay, node, other);
    else
        draw_before(replay, other, node);
    return true;
}

// ---- Training -----------------------------------------------------------------------------------

bool no_zero_grad(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &zero_grad_row) return false;
    node->is_skipped = true;
    return true;
}
