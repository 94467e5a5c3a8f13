// Rules for the way back and for training. What is on the way back is found by the names of its steps, as
// lesson 8 gives them; what trains, by what an update is made of.

#include <math.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "tensor/ops/rows.h"
#include "trace/what_if/rule.h"

static bool is_called(const struct replay *replay, const struct node *node, const char *name) {
    return step_named(replay, node, name) != NULL;
}

// Is it an operation that a step of that name shows?
static bool is_step(const struct replay *replay, const struct node *node,
                    const struct operation *operation, const char *name) {
    return node->origin.operation == operation && is_called(replay, node, name);
}

// The first node with a step of that name, in whichever group; NULL if there is none.
static struct node *node_called(const struct replay *replay, const char *name) {
    for (int i = 0; i < replay->step_count; i++) {
        if (strcmp(replay->right->steps[i].name, name) == 0) return replay->steps[i].of;
    }
    return NULL;
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

// ---- The loss -----------------------------------------------------------------------------------

bool softmax_before_loss(struct replay *replay, struct node *node) {
    if (node->origin.operation != &cross_entropy_row) return false;
    const struct view logits = node->operands[0];
    node->operands[0] = computed(replay, node, &softmax_row, 1, &logits);
    node->operands[0].of->origin.dim = logits.tensor.ndim - 1;
    (void)rewrite(node);
    return true;
}

bool no_mean_grad(struct replay *replay, struct node *node) {
    return is_step(replay, node, &divide_row, "logits_grad") && take_constant(replay, node, 1);
}

// ---- The way back -------------------------------------------------------------------------------

static bool shows_bias_grad(const struct replay *replay, const struct node *node) {
    static const char END[] = "_bias_grad";
    for (int i = 0; i < replay->step_count; i++) {
        const char *name = replay->right->steps[i].name;
        const size_t length = strlen(name);
        if (replay->steps[i].of != node || length < strlen(END)) continue;
        if (strcmp(name + length - strlen(END), END) == 0) return true;
    }
    return false;
}

bool bias_grad_mean(struct replay *replay, struct node *node) {
    if (node->origin.operation != &sum_row || !shows_bias_grad(replay, node)) return false;
    const double positions = (double)node->operands[0].tensor.shape[0];
    const struct view divisor = constant(replay, node, positions);
    (void)then(replay, node, &divide_row, &divisor);
    return true;
}

// The last of what is added up stays alone.
bool grad_overwritten(struct replay *replay, struct node *node) {
    if (!is_step(replay, node, &add_row, "embedded_grad")) return false;
    node->operands[0] = node->operands[1];
    node->is_skipped = true;
    return true;
}

// W · (∂W - ∂W · W), which is ∂W · W (1 - W), in place of W · (∂W - sum of ∂W · W).
bool softmax_grad_elementwise(struct replay *replay, struct node *node) {
    if (!is_step(replay, node, &multiply_row, "masked_scores_grad")) return false;
    struct node *less = node->operands[0].of;
    const struct view own[] = {less->operands[0], node->operands[1]};
    less->operands[1] = computed(replay, less, &multiply_row, 2, own);
    (void)rewrite(less);
    return true;
}

// ReLU opened by what comes back, not by what went forward.
bool relu_gate_by_grad(struct replay *replay, struct node *node) {
    if (!is_step(replay, node, &masked_fill_row, "ffn1_grad")) return false;
    struct node *closed = node->operands[1].of;
    closed->operands[0] = node->operands[0];
    (void)rewrite(closed);
    return true;
}

bool no_scale_grad(struct replay *replay, struct node *node) {
    return is_step(replay, node, &multiply_row, "dot_products_grad") &&
           take_constant(replay, node, 1);
}

static bool turn_scores_grad(struct replay *replay, struct node *node, const char *name) {
    if (!is_step(replay, node, &matmul_row, name)) return false;
    struct tensor *grad = &node->operands[0].tensor;
    *grad = transpose(*grad, grad->ndim - 2, grad->ndim - 1);
    (void)rewrite(node);
    return true;
}

bool scores_grad_transposed(struct replay *replay, struct node *node) {
    return turn_scores_grad(replay, node, "queries_by_head_grad");
}

bool scores_grad_unturned(struct replay *replay, struct node *node) {
    return turn_scores_grad(replay, node, "keys_by_head_grad");
}

// ---- The step -----------------------------------------------------------------------------------

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
    if (node->origin.operation != &adamw_row && node->origin.operation != &sgd_row) return false;
    const struct view turned[] = {node->operands[1], constant(replay, node, -1)};
    node->operands[1] = computed(replay, node, &multiply_row, 2, turned);
    (void)rewrite(node);
    return true;
}

// Decays with AdamW's factor for this learning rate?
static bool decays(const struct view *view, double lr) {
    return multiplies_by(view, 1 - lr * ADAMW_DECAY);
}

bool lr_ten_times(struct replay *replay, struct node *node) {
    const double lr = replay->right->parameters.lr, much = 10 * lr;
    if (node->origin.operation == &adamw_row || node->origin.operation == &sgd_row) {
        rewrite(node)->number = much;
        return true;
    }
    if (!takes_step(replay, node)) return false;
    (void)take_constant(replay, node->operands[1].of, much);
    if (decays(&node->operands[0], lr))
        (void)take_constant(replay, node->operands[0].of, 1 - much * ADAMW_DECAY);
    return true;
}

bool no_bias_correction(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row) {
        rewrite(node)->is_uncorrected = true;
        return true;
    }
    const bool is_corrected = is_step(replay, node, &divide_row, "first_moment_corrected") ||
                              is_step(replay, node, &divide_row, "second_moment_corrected");
    return is_corrected && take_constant(replay, node, 1);
}

// grad + 0.01 · x, for a node that reads the gradient as its operand number `number`.
static void couple(struct replay *replay, struct node *node, int number, struct node *parameter) {
    const struct view grad = node->operands[number];
    struct view x = grad;
    x.of = parameter;
    const struct view scaled[] = {x, constant(replay, node, ADAMW_DECAY)};
    const struct view both[] = {grad, computed(replay, node, &multiply_row, 2, scaled)};
    node->operands[number] = computed(replay, node, &add_row, 2, both);
    (void)rewrite(node);
}

// Adam with L2: the decay is part of the gradient, and the parameter does not decay by itself.
bool decay_in_grad(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row) {
        rewrite(node)->is_coupled = true;
        return true;
    }
    if (takes_step(replay, node) && decays(&node->operands[0], replay->right->parameters.lr)) {
        node->operands[0].of->is_skipped = true;
        return true;
    }
    struct node *parameter = node_called(replay, "W_query");
    if (node->origin.operation != &add_row || parameter == NULL) return false;
    const bool is_first = is_called(replay, node, "first_moment");
    if (!is_first && !is_called(replay, node, "second_moment")) return false;
    struct node *weighed = node->operands[1].of;
    if (is_first) {
        couple(replay, weighed, 0, parameter);
    } else {
        struct node *square = weighed->operands[0].of;
        couple(replay, square, 0, parameter);
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

static bool is_of_query(const struct replay *replay, const struct node *node) {
    return is_called(replay, node, "W_query") || is_called(replay, node, "W_query_bias");
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

bool graph_cut(struct replay *replay, struct node *node) {
    if (node->origin.operation == &adamw_row && is_of_query(replay, node->operands[0].of)) {
        stay(replay, node);
        return true;
    }
    if (node->origin.operation != &linear_row || !is_differentiated(replay)) return false;
    if (!is_called(replay, node->operands[1].of, "W_query")) return false;
    (void)then(replay, node, &detach_row, NULL);
    return true;
}

// In the updates alone; what is shown before and after them has its mask.
bool mask_not_in_training(struct replay *replay, struct node *node) {
    if (node->origin.operation != &masked_fill_row || !isinf(node->origin.number)) return false;
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
