// The rules of the classic mistakes, and the table of them. Each rule finds its place by what is computed
// there, not by the lesson: scores are a product whose softmax is taken, a weight is what a linear layer
// multiplies by. Only projections of queries, keys and results are found by the names of their steps.

#include "trace/what_if/mistake.h"

#include <math.h>
#include <string.h>

#include "tensor/ops/rows.h"

// ---- Who is who on the tape ---------------------------------------------------------------------

// The product of queries and keys that a view's numbers were made of, by scaling, masking or dropping;
// NULL if they are no scores.
static struct node *scores_behind(const struct view *view) {
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
static struct node *scores_scaled_by(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation != &divide_row && operation != &multiply_row) return NULL;
    const struct view *factor = &node->operands[1];
    if (factor->of->origin.operation != &constant_row || factor->tensor.ndim > 0) return NULL;
    return scores_behind(&node->operands[0]);
}

// The softmax that turns scores into attention weights?
static bool is_attention(const struct node *node) {
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
static const struct step *step_called(const struct replay *replay, const struct node *node,
                                      const char *name) {
    for (int i = 0; i < replay->right->step_count; i++) {
        const struct step *step = &replay->right->steps[i];
        if (replay->steps[i].of == node && strcmp(step->name, name) == 0) return step;
    }
    return NULL;
}

// The node shown by the step called `name` in the group of another step.
static struct node *node_called(const struct replay *replay, const struct step *beside,
                                const char *name) {
    for (int i = 0; i < replay->right->step_count; i++) {
        const struct step *step = &replay->right->steps[i];
        if (same_group(step, beside) && strcmp(step->name, name) == 0) return replay->steps[i].of;
    }
    return NULL;
}

// ---- Scaling ------------------------------------------------------------------------------------

static void divide_by(struct replay *replay, struct node *node, double divisor) {
    const bool divides = node->origin.operation == &divide_row;
    node->operands[1] = constant(replay, node, divides ? divisor : 1 / divisor);
    (void)rewrite(node);
}

static bool no_scale(struct replay *replay, struct node *node) {
    if (scores_scaled_by(node) == NULL) return false;
    divide_by(replay, node, 1);
    return true;
}

static bool scale_twice(struct replay *replay, struct node *node) {
    if (scores_scaled_by(node) == NULL) return false;
    const struct view factor = node->operands[1];
    (void)then(replay, node, node->origin.operation, &factor);
    return true;
}

static bool scale_by_dk(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    divide_by(replay, node, (double)width_of_keys(scores));
    return true;
}

// d_out is how wide the projection is before it is split into heads.
static bool scale_by_d_out(struct replay *replay, struct node *node) {
    const struct node *scores = scores_scaled_by(node);
    if (scores == NULL) return false;
    const struct shape projected = scores->operands[0].of->shape;
    divide_by(replay, node, sqrt((double)projected.size[projected.ndim - 1]));
    return true;
}

static bool softmax_columns(struct replay *replay, struct node *node) {
    (void)replay;
    const int last = node->shape.ndim - 1;
    if (!is_attention(node) || last < 1 || node->origin.dim != last) return false;
    rewrite(node)->dim = last - 1;
    return true;
}

// ---- Masks --------------------------------------------------------------------------------------

static bool mask_zero(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &masked_fill_row || !isinf(node->origin.number)) return false;
    rewrite(node)->number = 0;
    return true;
}

static bool is_triangle(const struct node *node) {
    return node->origin.operation == &tril_row || node->origin.operation == &triu_row;
}

static bool mask_diagonal(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    rewrite(node)->diagonal--;
    return true;
}

// Rows and columns exchanged: above the diagonal becomes below it.
static bool mask_upside_down(struct replay *replay, struct node *node) {
    (void)replay;
    if (!is_triangle(node)) return false;
    struct origin *origin = rewrite(node);
    origin->operation = origin->operation == &tril_row ? &triu_row : &tril_row;
    origin->diagonal = -origin->diagonal;
    return true;
}

static bool mask_after_softmax(struct replay *replay, struct node *node) {
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
static bool dropout_before_softmax(struct replay *replay, struct node *node) {
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

static bool dropout_scale_p(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    const double p = node->origin.number;
    return multiply_dropped(replay, node, (1 - p) / p);
}

static bool dropout_no_scale(struct replay *replay, struct node *node) {
    if (node->origin.operation != &dropout_row) return false;
    return multiply_dropped(replay, node, 1 - node->origin.number);
}

static bool other_bernoulli(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &dropout_row) return false;
    struct draws *draws = &rewrite(node)->draws;
    draws->stream = draws->stream == MT19937 ? MCG31M1 : MT19937;
    return true;
}

// ---- Heads --------------------------------------------------------------------------------------

static int token_axis(const struct tensor *x) {
    static const char *const names[] = {"query", "key", "token"};
    for (int i = 0; i < 3; i++) {
        const int dim = find_axis(x, names[i]);
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
static bool heads_by_view(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, "head"), token = token_axis(x);
    if (x->ndim != 4 || view->of->shape.ndim != 3 || head != 1 || token < 2) return false;
    walk_in_order(x, (const int[]){0, head, token, 5 - token});
    return true;
}

// Context vectors (batch, head, token, feature), seen as (batch, token, head, feature): read as if view
// had made it so.
static bool merge_without_transpose(const struct replay *replay, struct view *view,
                                    bool is_factor) {
    (void)replay;
    (void)is_factor;
    struct tensor *x = &view->tensor;
    const int head = find_axis(x, "head");
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
static bool weight_untransposed(const struct replay *replay, struct view *view, bool is_factor) {
    struct tensor *x = &view->tensor;
    if (!is_factor || view->of->shape.ndim != 2 || !is_layer_weight(replay, view->of)) return false;
    const int64_t out = view->of->shape.size[0], in = view->of->shape.size[1];
    x->offset = x->offset % in * out + x->offset / in;
    for (int dim = 0; dim < x->ndim; dim++) {
        x->stride[dim] = x->stride[dim] % in * out + x->stride[dim] / in;
    }
    return true;
}

static bool no_out_proj(struct replay *replay, struct node *node) {
    if (node->origin.operation != &linear_row) return false;
    if (step_called(replay, node->operands[1].of, "W_out") == NULL) return false;
    node->is_skipped = true;
    return true;
}

// No bias is a bias of zeros, and one that is not drawn.
static bool no_bias(struct replay *replay, struct node *node) {
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

static bool wrong_seed(struct replay *replay, struct node *node) {
    (void)replay;
    return node->takes_turn && seed_wrongly(node);
}

// Was the seed that a node draws from set for dropout masks alone?
static bool is_seeded_for_masks(const struct replay *replay, const struct node *node) {
    const uint64_t sequence = node->origin.draws.sequence;
    for (int i = 0; i < replay->count; i++) {
        const struct node *other = replay->nodes[i];
        if (!other->takes_turn || other->origin.draws.sequence != sequence) continue;
        if (other->origin.operation != &dropout_row) return false;
    }
    return true;
}

static bool wrong_seed_of_weights(struct replay *replay, struct node *node) {
    return node->takes_turn && !is_seeded_for_masks(replay, node) && seed_wrongly(node);
}

static bool wrong_seed_of_masks(struct replay *replay, struct node *node) {
    return node->takes_turn && is_seeded_for_masks(replay, node) && seed_wrongly(node);
}

// ---- Training -----------------------------------------------------------------------------------

static bool no_zero_grad(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &zero_grad_row) return false;
    node->is_skipped = true;
    return true;
}

static bool swapped_qk(struct replay *replay, struct node *node) {
    static const char *const pairs[][2] = {{"W_query", "W_key"}, {"W_query_bias", "W_key_bias"}};
    if (!node->takes_turn) return false;
    for (int i = 0; i < 2; i++) {
        const struct step *step = step_called(replay, node, pairs[i][0]);
        struct node *other = step != NULL ? node_called(replay, step, pairs[i][1]) : NULL;
        if (other == NULL) continue;
        exchange(replay, node, other);
        return true;
    }
    return false;
}

// ---- The table ----------------------------------------------------------------------------------

#define SCALING "the division by √d_k"
#define NO_SCALING "nothing divides scores by √d_k"
#define SAME_SCALE "d_k is 1, and √1 is 1"
#define ONE_TOKEN "one token has all the weight, whatever its score"
#define NO_MASK "nothing is masked"
#define NO_DROPOUT "nothing is dropped: p is 0, --eval is on, or the lesson has no dropout"
#define NO_HEADS "nothing is split into heads"

const struct mistake mistake_table[WAY_COUNT] = {
    {
        .name = "no-scale",
        .title = "Scores not divided by √d_k",
        .place = SCALING,
        .wrong = "Scores grow with the width of the keys, so the softmax leans too far to the "
                 "largest one, and learning slows down.",
        .pytorch = "torch.softmax(scores, dim=-1), without / keys.shape[-1]**0.5.",
        .absent = NO_SCALING,
        .alike = SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = no_scale,
    },
    {
        .name = "scale-twice",
        .title = "Scores divided by √d_k twice",
        .place = SCALING,
        .wrong = "Dividing by √d_k twice is dividing by d_k: the weights come out too even.",
        .pytorch = "One / keys.shape[-1]**0.5 where scores is made, a second one in the softmax; "
                   "or a scaled query and scaled scores.",
        .absent = NO_SCALING,
        .alike = SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = scale_twice,
    },
    {
        .name = "scale-by-dk",
        .title = "Scores divided by d_k, not by its root",
        .place = SCALING,
        .wrong = "The variance of a score is d_k, its typical size √d_k; dividing by d_k makes "
                 "the weights too even, more so the wider the keys are.",
        .pytorch = "scores / keys.shape[-1], without **0.5.",
        .absent = NO_SCALING,
        .alike = SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = scale_by_dk,
    },
    {
        .name = "scale-by-d-out",
        .title = "Scores divided by √d_out, not by √head_dim",
        .place = SCALING,
        .wrong = "A score adds up head_dim products, not d_out; the root of the width of all "
                 "heads together is too large.",
        .pytorch = "scores / self.d_out**0.5, or keys.shape[-1]**0.5 taken before the keys are "
                   "split into heads.",
        .absent = NO_SCALING,
        .alike = "keys are as wide as d_out here: there is one head, or each has layers of its own",
        .alone = ONE_TOKEN,
        .change = scale_by_d_out,
    },
    {
        .name = "softmax-columns",
        .title = "Softmax down the columns",
        .wrong = "Columns add up to 1, rows do not: each key shares itself out among the queries, "
                 "where each query should share its attention among the keys.",
        .pytorch =
            "torch.softmax(scores, dim=-2) instead of dim=-1: dim=0 of a matrix, dim=1 with a "
            "batch, dim=2 with heads (there, dim=1 is the heads).",
        .absent = "nothing takes the softmax of a matrix of scores",
        .alike = "rows and columns of these scores give the same weights",
        .change = softmax_columns,
    },
    {
        .name = "mask-zero",
        .title = "Masked scores set to 0 instead of -∞",
        .wrong = "e^0 is 1, so the future gets weights like any other token, and more than tokens "
                 "with a negative score.",
        .pytorch = "scores.masked_fill(mask, 0), or scores * mask, where it should be -torch.inf.",
        .absent = "no score is set to -∞",
        .alike = "one token has no future to hide",
        .change = mask_zero,
    },
    {
        .name = "mask-diagonal",
        .title = "The mask hides the token itself",
        .wrong = "The diagonal is hidden too, so no token sees itself; the first one sees nothing, "
                 "and its row is nan.",
        .pytorch = "torch.triu(ones) without diagonal=1, or torch.tril(ones, diagonal=-1).",
        .absent = NO_MASK,
        .change = mask_diagonal,
    },
    {
        .name = "mask-upside-down",
        .title = "The mask hides the past instead of the future",
        .wrong = "Every token sees itself and what comes after it: the model can look up the word "
                 "that it should predict.",
        .pytorch = "mask.T; or torch.tril(ones, diagonal=-1) for torch.triu(ones, diagonal=1), and "
                   "torch.triu(ones) for torch.tril(ones).",
        .absent = NO_MASK,
        .alike = "one token has neither past nor future",
        .change = mask_upside_down,
    },
    {
        .name = "mask-after-softmax",
        .title = "Weights masked after the softmax, and not renormalized",
        .wrong = "The softmax has shared out attention to the future already; setting that to 0 "
                 "afterwards leaves rows that add up to less than 1.",
        .pytorch = "torch.softmax(scores, dim=-1).masked_fill(mask, 0), and no division by the "
                   "row's sum after it.",
        .absent = "no score is masked before a softmax",
        .alike = "one token has no future to hide",
        .change = mask_after_softmax,
    },
    {
        .name = "dropout-before-softmax",
        .title = "Dropout on the scores instead of the weights",
        .wrong = "A dropped score of 0 is no weight of 0, and a dropped -∞ becomes nan, which "
                 "takes its whole row along.",
        .pytorch = "torch.softmax(dropout(masked_scores / root), dim=-1) instead of "
                   "dropout(torch.softmax(...)).",
        .absent = "no weights are dropped: p is 0, --eval is on, or the lesson has no dropout",
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_before_softmax,
        .is_early = true,
    },
    {
        .name = "dropout-scale-p",
        .title = "Kept weights scaled by 1/p instead of 1/(1-p)",
        .wrong = "The mean of many draws is no longer the weight; only with p = 0.5 does it not "
                 "show.",
        .pytorch = "weights * keep / p, with keep drawn by hand, instead of / (1 - p).",
        .absent = NO_DROPOUT,
        .alike = "p is 0.5, so 1/p and 1/(1-p) are the same; or nothing is kept",
        .showing = {.given = USES_DROPOUT, .dropout = 0.1},
        .change = dropout_scale_p,
    },
    {
        .name = "dropout-no-scale",
        .title = "Kept weights not scaled",
        .wrong = "Some weights are zeroed and the rest stay as they are, so in training everything "
                 "is smaller by a factor of 1-p than in evaluation.",
        .pytorch = "weights * keep, with keep drawn by hand, without / (1 - p).",
        .absent = NO_DROPOUT,
        .alike = "nothing is kept that could be scaled",
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_no_scale,
    },
    {
        .name = "other-bernoulli",
        .title = "Masks of the other Bernoulli stream",
        .wrong =
            "Nothing is wrong with the program: until about PyTorch 2.6, builds with MKL on an "
            "Intel processor draw dropout masks in another way, so one seed gives two masks.",
        .pytorch = "torch.manual_seed(123); F.dropout(torch.ones(6), 0.5) has zeros at places 3 "
                   "and 6 with mt19937, and none with mcg31m1.",
        .absent = NO_DROPOUT,
        .alike = "both streams draw the same mask here",
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = other_bernoulli,
    },
    {
        .name = "heads-by-view",
        .title = "Heads split by view alone, without transpose",
        .wrong = "Memory holds token after token, so what is called head 1 is all heads of the "
                 "first tokens: heads and tokens are mixed up, and no error is raised.",
        .pytorch = "queries.view(b, num_heads, num_tokens, head_dim) instead of view(b, "
                   "num_tokens, num_heads, head_dim).transpose(1, 2).",
        .absent = NO_HEADS,
        .alike = "with one head or one token both ways read the numbers alike",
        .reread = heads_by_view,
    },
    {
        .name = "merge-without-transpose",
        .title = "Heads merged by view alone, without transpose",
        .wrong = "Memory holds head after head, so a row of the result mixes several tokens of one "
                 "head instead of all heads of one token.",
        .pytorch = "context.view(b, num_tokens, d_out) without .transpose(1, 2).contiguous() "
                   "before it.",
        .absent = NO_HEADS,
        .alike = "with one head or one token both ways read the numbers alike",
        .reread = merge_without_transpose,
    },
    {
        .name = "weight-untransposed",
        .title = "A layer's weight read as [in, out]",
        .wrong =
            "A linear layer draws its weight as [out, in], row by row; the same draws laid out "
            "as [in, out] put every number in another place.",
        .pytorch = "x @ W with W made as torch.empty(d_in, d_out).uniform_(-bound, bound), instead "
                   "of x @ layer.weight.T.",
        .absent = "no linear layer is used",
        .alike = "weights of one row or one column read the same both ways",
        .reread = weight_untransposed,
    },
    {
        .name = "no-out-proj",
        .title = "No output projection",
        .wrong = "The heads' results stay side by side, and no head's numbers meet another's.",
        .pytorch = "return context where forward should end with return self.out_proj(context); "
                   "the layer is made, but never called.",
        .absent = "no output projection follows the heads",
        .change = no_out_proj,
    },
    {
        .name = "no-bias",
        .title = "Linear layers without a bias",
        .wrong = "No bias is added, and none is drawn, so every weight that is drawn after it "
                 "differs as well.",
        .pytorch = "torch.nn.Linear(d_in, d_out, bias=False) where the bias belongs.",
        .absent = "no layer has a bias",
        .showing = {.given = USES_BIAS, .bias = true},
        .change = no_bias,
    },
    {
        .name = "wrong-seed",
        .title = "The course's other seed",
        .wrong = "All that is drawn differs: the course seeds with 123 in some chapters and with "
                 "789 in others.",
        .pytorch = "torch.manual_seed(123) where it should be 789, or the reverse.",
        .absent = "nothing is drawn at random",
        .change = wrong_seed,
    },
    {
        .name = "swapped-qk",
        .title = "Keys drawn before queries",
        .wrong =
            "The query layer has the numbers that belong to the key layer, and the reverse, so "
            "the scores come out transposed.",
        .pytorch = "self.W_key = torch.nn.Linear(...) stands above self.W_query.",
        .absent = "queries and keys have no weights here",
        .change = swapped_qk,
    },
    {
        .name = "no-zero-grad",
        .title = "Gradients not set to 0 before backward",
        .wrong =
            "backward adds to what is there, so every update is pushed by the gradients of all "
            "updates before it as well, and soon runs past its aim.",
        .pytorch = "loss.backward() and optimizer.step() in a loop, without optimizer.zero_grad().",
        .absent = "nothing is trained",
        .alike = "before the first update the gradients are 0 anyway",
        .change = no_zero_grad,
    },
    {
        .name = "wrong-seed",
        .title = "The course's other seed before the weights",
        .wrong = "All weights differ, while the dropout masks are the course's.",
        .pytorch =
            "torch.manual_seed(123) before the layers where it should be 789, or the reverse.",
        .absent = "no weights are drawn from a seed of their own",
        .change = wrong_seed_of_weights,
    },
    {
        .name = "wrong-seed",
        .title = "The course's other seed before the dropout masks",
        .wrong = "The weights are the course's, but other ones of them are dropped.",
        .pytorch = "torch.manual_seed(789) before dropout where it should be 123, or the reverse.",
        .absent = "no masks are drawn from a seed of their own",
        .change = wrong_seed_of_masks,
    },
};
