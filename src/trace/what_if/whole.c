// Rules for what a whole GPT has besides attention: positions, targets, blocks, the choice of the next word.

#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/what_if/rule.h"

// ---- Embeddings ---------------------------------------------------------------------------------

static bool has_role(const struct view *view, enum role role) {
    return view->of->purpose.role == role;
}

// Does it add rows of positions to rows of tokens?
static bool adds_positions(const struct node *node) {
    return makes(node, &add_row, ROLE_HIDDEN) && has_role(&node->operands[0], ROLE_TOKENS) &&
           has_role(&node->operands[1], ROLE_POSITIONS);
}

bool no_positions(struct replay *replay, struct node *node) {
    if (!adds_positions(node)) return false;
    const struct view factors[] = {node->operands[1], constant(replay, node, 0)};
    node->operands[1] = computed(replay, node, &multiply_row, 2, factors);
    (void)rewrite(node);
    return true;
}

bool positions_twice(struct replay *replay, struct node *node) {
    if (!adds_positions(node)) return false;
    const struct view positions = node->operands[1];
    (void)insert_after(replay, node, &add_row, &positions);
    return true;
}

// ---- Targets ------------------------------------------------------------------------------------

// A window of ids that begins one token later than its inputs: the same view, one token earlier.
static bool shift_back(struct view *view) {
    const int token = find_axis(&view->tensor, AXIS_TOKEN);
    if (token < 0 || view->tensor.offset < view->tensor.stride[token]) return false;
    view->tensor.offset -= view->tensor.stride[token];
    return true;
}

bool windows_not_shifted(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &stack_row, ROLE_TARGETS)) return false;
    bool is_shifted = false;
    for (int i = 0; i < node->origin.operand_count; i++)
        is_shifted |= shift_back(&node->operands[i]);
    if (is_shifted) (void)rewrite(node);
    return is_shifted;
}

// All ids of each sentence but the first.
bool targets_not_shifted(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay, (void)is_factor;
    const struct tensor *x = &view->tensor;
    const int token = find_axis(x, AXIS_TOKEN);
    const bool is_of_ids = x->storage != NULL && x->storage->words != NULL;
    if (!is_of_ids || token < 0 || x->stride[token] != 1) return false;
    const int64_t tokens = width_of(view->of);
    if (x->shape[token] != tokens - 1 || x->offset % tokens != 1) return false;
    return shift_back(view);
}

// ---- The next word ------------------------------------------------------------------------------

static bool is_constant(const struct view *view) {
    return view->of->origin.operation == &constant_row;
}

bool temperature_multiplied(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &divide_row, ROLE_LOGITS) || !is_constant(&node->operands[1])) return false;
    rewrite(node)->operation = &multiply_row;
    return true;
}

// Logits compared with one of them, which is not the largest. The larger ones stand before it.
static bool compares_with_threshold(const struct node *node) {
    return node->origin.operation == &less_row && has_role(&node->operands[0], ROLE_LOGITS) &&
           node->operands[1].of->origin.operation == &gather_row &&
           node->operands[1].tensor.offset > 0;
}

bool threshold_of_largest(struct replay *replay, struct node *node) {
    (void)replay;
    if (!compares_with_threshold(node)) return false;
    node->operands[1].tensor.offset = 0;
    (void)rewrite(node);
    return true;
}

bool threshold_left_out(struct replay *replay, struct node *node) {
    (void)replay;
    if (!compares_with_threshold(node)) return false;
    rewrite(node)->operation = &at_most_row;
    return true;
}
