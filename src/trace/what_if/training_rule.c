// Rules for the way back and for training. What is on the way back is found by what it is the gradient of; what
// trains, by what an update is made of.

#include <math.h>

#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/what_if/mistake.h"
#include "trace/what_if/rule.h"

// Is it this operation, and is its result the gradient of something for this?
static bool makes_gradient(const struct node *node, const struct operation *operation,
                           enum role of) {
    return makes(node, operation, ROLE_GRADIENT) && node->purpose.of->purpose.role == of;
}

static bool is_computed_by(const struct view *view, const struct operation *operation) {
    return view->of->origin.operation == operation;
}

// Lets a node multiply, or divide, by another constant in place of its second operand.
static bool take_constant(struct replay *replay, struct node *node, double number) {
    node->operands[1] = constant(replay, node, number);
    (void)rewrite(node);
    return true;
}

static bool multiplies_by(const struct view *view, double number) {
    if (!is_computed_by(view, &multiply_row)) return false;
    const struct view *factor = &view->of->operands[1];
    return is_computed_by(factor, &constant_row) && factor->of->origin.number == number;
}

// The loss that the run's gradients are of: the first.
static struct node *loss_in(const struct replay *replay) {
    for (int i = 0; i < replay->count; i++) {
        if (makes(replay->nodes[i], &cross_entropy_row, ROLE_LOSS)) return replay->nodes[i];
    }
    return NULL;
}

// ---- The loss -----------------------------------------------------------------------------------

bool softmax_before_loss(struct replay *replay, struct node *node) {
    if (node->origin.operation != &cross_entropy_row) return false;
    const struct view logits = node->operands[0];
    node->operands[0] = computed(replay, node, &softmax_row, 1, &logits);
    node->operands[0].of->origin.dim = logits.tensor.ndim - 1;
    (void)rewrite(node);
    return true;
}

// Words before positions, flattened and read as positions before words.
bool logits_transposed(struct replay *replay, struct node *node) {
    if (node->origin.operation != &cross_entropy_row) return false;
    const struct shape shape = shape_of(&node->operands[0].tensor);
    struct view turned = node->operands[0];
    turned.tensor = transpose(turned.tensor, shape.ndim - 2, shape.ndim - 1);
    node->operands[0] = computed(replay, node, &copy_row, 1, &turned);
    node->operands[0].tensor = tensor_over(NULL, shape);
    (void)rewrite(node);
    return true;
}

// Is a gradient of this loss asked for?
static bool has_gradients_of(const struct replay *replay, const struct node *loss) {
    for (int i = 0; i < replay->count; i++) {
        const struct node *node = replay->nodes[i];
        if (is_asked(node) && node->operands[0].of == loss) return true;
    }
    return false;
}

// The table's numbers in the place of those that the layer of logits has drawn. On the way back the table would get both
// gradients added up: no rule does that.
bool tied_weights(struct replay *replay, struct node *node) {
    const struct purpose *own = &node->purpose;
    if (own->role != ROLE_LAYER_WEIGHT || own->makes != ROLE_LOGITS || !node->turn.is_taken)
        return false;
    struct node *table = drawn_for(replay, ROLE_EMBEDDING, ROLE_TOKENS, 1);
    if (table == NULL || !shapes_equal(table->shape, node->shape)) return false;
    if (replay->right->lesson->trains || has_gradients_of(replay, loss_in(replay))) return false;
    (void)insert_after(replay, node, &copy_row, NULL);
    node->operands[0] = (struct view){table, tensor_over(NULL, table->shape)};
    return true;
}

bool no_mean_grad(struct replay *replay, struct node *node) {
    return makes_gradient(node, &divide_row, ROLE_LOGITS) && take_constant(replay, node, 1);
}

// ---- The way back -------------------------------------------------------------------------------

bool bias_grad_mean(struct replay *replay, struct node *node) {
    if (!makes_gradient(node, &sum_row, ROLE_LAYER_BIAS)) return false;
    const double positions = (double)node->operands[0].tensor.shape[node->origin.dim];
    const struct view divisor = constant(replay, node, positions);
    (void)insert_after(replay, node, &divide_row, &divisor);
    return true;
}

// The last of what is added up stays alone.
bool grad_overwritten(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &add_row, ROLE_GRADIENT)) return false;
    node->operands[0] = node->operands[1];
    node->is_skipped = true;
    return true;
}

// W · (∂W - ∂W · W), which is ∂W · W (1 - W), in place of W · (∂W - sum of ∂W · W).
bool softmax_grad_elementwise(struct replay *replay, struct node *node) {
    if (!makes_gradient(node, &multiply_row, ROLE_MASKED_SCORES)) return false;
    struct node *less = node->operands[0].of;
    const struct view own[] = {less->operands[0], node->operands[1]};
    less->operands[1] = computed(replay, less, &multiply_row, 2, own);
    (void)rewrite(less);
    return true;
}

// ReLU opened by what comes back, not by what went forward.
bool relu_gate_by_grad(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &masked_fill_row, ROLE_GRADIENT)) return false;
    struct node *closed = node->operands[1].of;
    if (closed->origin.operation != &at_most_row) return false;
    closed->operands[0] = node->operands[0];
    (void)rewrite(closed);
    return true;
}

bool no_scale_grad(struct replay *replay, struct node *node) {
    return makes_gradient(node, &multiply_row, ROLE_SCORES) && take_constant(replay, node, 1);
}

// The product that makes the gradient of queries, or keys, from that of the scores.
static bool turn_scores_grad(struct node *node, enum role role) {
    if (!makes_gradient(node, &matmul_row, role)) return false;
    struct tensor *grad = &node->operands[0].tensor;
    const int query = find_axis(grad, AXIS_QUERY), key = find_axis(grad, AXIS_KEY);
    if (query < 0 || key < 0) return false;
    *grad = transpose(*grad, query, key);
    (void)rewrite(node);
    return true;
}

bool scores_grad_transposed(struct replay *replay, struct node *node) {
    (void)replay;
    return turn_scores_grad(node, ROLE_QUERIES);
}

bool scores_grad_unturned(struct replay *replay, struct node *node) {
    (void)replay;
    return turn_scores_grad(node, ROLE_KEYS);
}

// ---- The step -----------------------------------------------------------------------------------

// Does the node read a gradient, as its second operand, for an optimizer?
static bool reads_gradient(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation == &adamw_row || operation == &momentum_row) return true;
    return operation == &sgd_row && !is_computed_by(&node->operands[1], &momentum_row);
}

// Does the node take a step of the run's learning rate, x - step · lr?
static bool takes_step(const struct replay *replay, const struct node *node) {
    const struct run *run = replay->right;
    return run->lesson->trains && node->origin.operation == &subtract_row &&
           multiplies_by(&node->operands[1], run->parameters.lr);
}

bool ascent(struct replay *replay, struct node *node) {
    if (takes_step(replay, node)) {
        rewrite(node)->operation = &add_row;
        return true;
    }
    if (!reads_gradient(node)) return false;
    const struct view turned[] = {node->operands[1], constant(replay, node, -1)};
    node->operands[1] = computed(replay, node, &multiply_row, 2, turned);
    (void)rewrite(node);
    return true;
}

// Decays with AdamW's factor for the run's learning rate?
static bool decays(const struct replay *replay, const struct view *view) {
    const struct parameters *p = &replay->right->parameters;
    return multiplies_by(view, 1 - p->lr * decay_of_adamw(p));
}

bool lr_ten_times(struct replay *replay, struct node *node) {
    const struct parameters *p = &replay->right->parameters;
    const double much = 10 * p->lr, decay = decay_of_adamw(p);
    if (node->origin.operation == &adamw_row || node->origin.operation == &sgd_row) {
        rewrite(node)->number = much;
        return true;
    }
    if (!takes_step(replay, node)) return false;
    (void)take_constant(replay, node->operands[1].of, much);
    if (decays(replay, &node->operands[0]))
        (void)take_constant(replay, node->operands[0].of, 1 - much * decay);
    return true;
}

bool no_bias_correction(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row) {
        rewrite(node)->is_uncorrected = true;
        return true;
    }
    return makes(node, &divide_row, ROLE_OPTIMIZER_STATE) && take_constant(replay, node, 1);
}

// In place of PyTorch's 0.999: that of GPT-3, T. Brown et al., "Language models are few-shot learners", 2020,
// appendix B.
#define OTHER_BETA2 0.95

bool other_betas(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row) {
        rewrite(node)->beta2 = OTHER_BETA2;
        return true;
    }
    if (makes(node, &add_row, ROLE_OPTIMIZER_STATE))
        return multiplies_by(&node->operands[1], 1 - ADAMW_BETA2) &&
               take_constant(replay, node->operands[1].of, 1 - OTHER_BETA2);
    if (!makes(node, &divide_row, ROLE_OPTIMIZER_STATE)) return false;
    const struct node *divisor = node->operands[1].of;
    return divisor->origin.number == adamw_correction(ADAMW_BETA2, 1) &&
           take_constant(replay, node, adamw_correction(OTHER_BETA2, 1));
}

// What the optimizer reads is 0.
bool zero_grad_late(struct replay *replay, struct node *node) {
    if (!reads_gradient(node)) return false;
    const struct view gone[] = {node->operands[1], constant(replay, node, 0)};
    node->operands[1] = computed(replay, node, &multiply_row, 2, gone);
    (void)rewrite(node);
    return true;
}

// grad + decay · x, for a node that reads the gradient as its first operand.
static void couple(struct replay *replay, struct node *node, struct node *parameter) {
    const struct view grad = node->operands[0];
    struct view x = grad;
    x.of = parameter;
    const struct view scaled[] = {
        x, constant(replay, node, decay_of_adamw(&replay->right->parameters))};
    const struct view both[] = {grad, computed(replay, node, &multiply_row, 2, scaled)};
    node->operands[0] = computed(replay, node, &add_row, 2, both);
    (void)rewrite(node);
}

// Adam with L2: the decay is part of the gradient, and the parameter does not decay by itself.
bool decay_in_grad(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row) {
        rewrite(node)->is_coupled = true;
        return true;
    }
    if (takes_step(replay, node) && decays(replay, &node->operands[0])) {
        node->operands[0].of->is_skipped = true;
        return true;
    }
    if (!makes(node, &add_row, ROLE_OPTIMIZER_STATE)) return false;
    struct node *parameter = node_with(replay, node->purpose.of);
    if (parameter == NULL) return false;
    struct node *weighed = node->operands[1].of;
    if (weighed->operands[0].of->purpose.role == ROLE_GRADIENT) {
        couple(replay, weighed, parameter);
    } else {
        struct node *square = weighed->operands[0].of;
        couple(replay, square, parameter);
        square->operands[1] = square->operands[0];
    }
    return true;
}

// ---- The graph ----------------------------------------------------------------------------------

static bool is_differentiated(const struct replay *replay) {
    for (int i = 0; i < replay->count; i++) {
        if (is_asked(replay->nodes[i])) return true;
    }
    return false;
}

// A parameter without a gradient is left as it is, memory and decay and all.
static void stay(struct replay *replay, struct node *node) {
    struct view *operands = arena_array(replay->arena, 3, sizeof *operands);
    operands[0] = node->operands[0];
    operands[1] = node->operands[2];
    operands[2] = node->operands[3];
    node->operands = operands;
    struct origin *origin = rewrite(node);
    origin->operation = &stack_row;
    origin->operand_count = 3;
    origin->dim = 0;
}

// Cuts the graph behind the layer that makes `made`.
static bool cut_behind(struct replay *replay, struct node *node, enum role made) {
    if (node->origin.operation == &adamw_row && node->operands[0].of->purpose.makes == made) {
        stay(replay, node);
        return true;
    }
    if (node->origin.operation != &linear_row || !is_differentiated(replay)) return false;
    if (node->operands[1].of->purpose.makes != made) return false;
    (void)insert_after(replay, node, &detach_row, NULL);
    return true;
}

bool graph_cut(struct replay *replay, struct node *node) {
    return cut_behind(replay, node, ROLE_QUERIES);
}

bool keys_detached(struct replay *replay, struct node *node) {
    return cut_behind(replay, node, ROLE_KEYS);
}

// A sum keeps a dimension of one number.
static struct shape without_ones(struct shape shape) {
    struct shape result = NO_DIMS;
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (shape.size[dim] != 1) result.size[result.ndim++] = shape.size[dim];
    }
    return result;
}

// What is the gradient of a part of its tensor, or of a view of it in another shape, is left as it is.
bool by_autograd(struct replay *replay, struct node *node) {
    if (node->purpose.role != ROLE_GRADIENT || is_asked(node)) return false;
    struct node *loss = loss_in(replay), *of = node_with(replay, node->purpose.of);
    if (loss == NULL || of == NULL ||
        !shapes_equal(without_ones(node->shape), without_ones(of->shape)))
        return false;
    ask_gradient(replay, node, loss, of);
    return true;
}

// In the updates alone; what is shown before and after them has its mask.
bool mask_not_in_training(struct replay *replay, struct node *node) {
    if (!makes(node, &masked_fill_row, ROLE_MASKED_SCORES) || !isinf(node->origin.number))
        return false;
    if (replay->is_update) node->is_skipped = true;
    return replay->right->lesson->trains;
}

// ---- Rounding -----------------------------------------------------------------------------------

// The gradient of a softmax is computed anew, and asks the softmax how.
bool round_as_1_13(struct replay *replay, struct node *node) {
    const struct operation *operation = node->origin.operation;
    if (operation != &adamw_row && operation != &softmax_row) return false;
    if (operation == &softmax_row && !is_differentiated(replay)) return false;
    rewrite(node)->is_of_1_13 = true;
    return true;
}

// ---- No mistakes ----------------------------------------------------------------------------------

const struct mistake gradients_by_autograd = {
    .name = "by-autograd",
    .title = "Gradients by autograd",
    .change = by_autograd,
};

const struct mistake rounded_as_1_13 = {
    .name = "rounded-as-1.13",
    .title = "Rounded as in PyTorch 1.13",
    .change = round_as_1_13,
};
