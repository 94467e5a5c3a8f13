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

// ---- Blocks -------------------------------------------------------------------------------------

// All of a node's numbers, with the axes of `like`.
static struct view all_of(struct node *of, const struct tensor *like) {
    return (struct view){of, with_axes_of(tensor_over(NULL, of->shape), like)};
}

// Rows of tokens as they run from half to half. (With LayerNorm behind a half they are normalized.)
static bool is_running(const struct node *node) {
    return node->purpose.role == ROLE_HIDDEN || node->purpose.role == ROLE_NORMALIZED;
}

// Which operand of a sum is what a shortcut adds; -1 if the node adds no shortcut.
static int shortcut_in(const struct node *node) {
    if (!makes(node, &add_row, ROLE_HIDDEN) || adds_positions(node)) return -1;
    return is_running(node->operands[1].of) ? 1 : is_running(node->operands[0].of) ? 0 : -1;
}

// The LayerNorm behind what a half of a block made: the division that ends it; NULL if there is none.
static struct node *norm_behind(struct node *node) {
    if (makes(node, &divide_row, ROLE_NORMALIZED)) return node;
    if (node->purpose.role == ROLE_HIDDEN) return NULL;
    for (int i = 0; i < node->origin.operand_count; i++) {
        struct node *norm = norm_behind(node->operands[i].of);
        if (norm != NULL) return norm;
    }
    return NULL;
}

// The LayerNorm of the half whose shortcut a node adds; NULL if it adds none, or the half has no LayerNorm.
static struct node *norm_past(const struct node *node) {
    const int shortcut = shortcut_in(node);
    return shortcut < 0 ? NULL : norm_behind(node->operands[1 - shortcut].of);
}

bool no_shortcut(struct replay *replay, struct node *node) {
    (void)replay;
    const int shortcut = shortcut_in(node);
    if (shortcut < 0) return false;
    node->operands[0] = node->operands[1 - shortcut];
    rewrite(node)->operand_count = 1;
    node->is_skipped = true;
    return true;
}

bool shortcut_after_norm(struct replay *replay, struct node *node) {
    (void)replay;
    struct node *norm = norm_past(node);
    if (norm == NULL) return false;
    struct view *shortcut = &node->operands[shortcut_in(node)];
    *shortcut = all_of(norm, &shortcut->tensor);
    (void)rewrite(node);
    return true;
}

// The operations that normalize are those between what a half reads and the division that ends them.
static bool normalizes(const struct node *node, const struct node *norm) {
    if (node == norm) return true;
    for (int i = 0; i < norm->origin.operand_count; i++) {
        const struct node *operand = norm->operands[i].of;
        if (!is_running(operand) && normalizes(node, operand)) return true;
    }
    return false;
}

// Whoever read `old` reads `new`, from one place in the list of nodes to another.
static void read_instead(struct replay *replay, int from, int to, const struct node *old,
                         struct node *new) {
    for (int i = from; i < to; i++) {
        struct node *node = replay->nodes[i];
        for (int j = 0; j < node->origin.operand_count; j++) {
            struct view *operand = &node->operands[j];
            if (operand->of != old) continue;
            *operand = all_of(new, &operand->tensor);
            (void)rewrite(node);
        }
    }
}

// Moves a node of the list to a later place.
static void move_to(struct replay *replay, int place, int later) {
    struct node *node = replay->nodes[place];
    for (int i = place; i < later; i++) replay->nodes[i] = replay->nodes[i + 1];
    replay->nodes[later] = node;
}

// The half reads what its LayerNorm read, the LayerNorm reads the sum, and all behind reads the LayerNorm.
bool norm_after(struct replay *replay, struct node *node) {
    struct node *norm = norm_past(node);
    if (norm == NULL) return false;
    struct node *entered = node->operands[shortcut_in(node)].of;
    const int sum = place_of_node(replay, node), ended = place_of_node(replay, norm);
    read_instead(replay, ended + 1, sum, norm, entered);
    read_instead(replay, sum + 1, replay->count, node, norm);
    for (int i = 0, left = sum; i < left;) {
        struct node *each = replay->nodes[i];
        if (each->origin.operand_count == 0 || !normalizes(each, norm)) {
            i++;
            continue;
        }
        move_to(replay, i, sum);
        left--;
    }
    read_instead(replay, place_of_node(replay, node) + 1, sum + 1, entered, node);
    return true;
}

// The variance by which a LayerNorm divides: √(variance + ε).
bool unbiased_variance(struct replay *replay, struct node *node) {
    (void)replay;
    if (!makes(node, &divide_row, ROLE_NORMALIZED)) return false;
    for (struct node *at = node->operands[1].of; at->origin.operand_count > 0;
         at = at->operands[0].of) {
        if (at->origin.operation != &var_row) continue;
        rewrite(at)->is_biased = false;
        return true;
    }
    return false;
}

// Is it 1 + tanh(...), by which GELU multiplies?
static bool is_share_of_gelu(const struct view *view) {
    const struct node *sum = view->of;
    return sum->origin.operation == &add_row && sum->operands[1].of->origin.operation == &tanh_row;
}

// Of features. (A curve over numbers is what it is.)
bool no_gelu(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &multiply_row || !is_share_of_gelu(&node->operands[1]))
        return false;
    const struct view *x = &node->operands[0].of->operands[0];
    if (find_axis(&x->tensor, AXIS_FEATURE) < 0) return false;
    node->operands[0] = *x;
    rewrite(node)->operand_count = 1;
    node->is_skipped = true;
    return true;
}

// The ReLU of a layer; a curve is no layer's.
bool no_relu(struct replay *replay, struct node *node) {
    (void)replay;
    if (node->origin.operation != &relu_row) return false;
    if (find_axis(&node->operands[0].tensor, AXIS_FEATURE) < 0) return false;
    node->is_skipped = true;
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

// All ids of each sentence but one: the first, if they begin at `first` 1, or the last, if they begin at 0.
static bool has_all_but_one(const struct view *view, int64_t first) {
    const struct tensor *x = &view->tensor;
    const int token = find_axis(x, AXIS_TOKEN);
    const bool is_of_ids = x->storage != NULL && x->storage->words != NULL;
    if (!is_of_ids || token < 0 || x->stride[token] != 1) return false;
    const int64_t tokens = width_of(view->of);
    return x->shape[token] == tokens - 1 && x->offset % tokens == first;
}

bool targets_not_shifted(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay, (void)is_factor;
    return has_all_but_one(view, 1) && shift_back(view);
}

// Does a model read all ids of a sentence but one? A model that reads all of them has targets for all but the last.
static bool reads_all_but_one(const struct replay *replay) {
    for (int i = 0; i < replay->count; i++) {
        const struct node *node = replay->nodes[i];
        if (node->origin.operation != &embedding_row) continue;
        for (int j = 0; j < node->origin.operand_count; j++) {
            const struct view *ids = &node->operands[j];
            if (has_all_but_one(ids, 0) || has_all_but_one(ids, 1)) return true;
        }
    }
    return false;
}

// What was read are the targets, and the targets are read.
bool targets_before_inputs(const struct replay *replay, struct view *view, bool is_factor) {
    (void)is_factor;
    if (!reads_all_but_one(replay)) return false;
    if (has_all_but_one(view, 1)) return shift_back(view);
    if (!has_all_but_one(view, 0)) return false;
    view->tensor.offset++;
    return true;
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

// Is a logit above the threshold? If none is, all would be left out, and nothing could be drawn.
static bool has_larger(const struct node *node) {
    const struct tensor *logits = &node->operands[0].tensor;
    const double threshold = element_at(&node->operands[1].tensor, 0);
    for (int64_t i = 0; i < count_of(shape_of(logits)); i++) {
        if (element_at(logits, i) > threshold) return true;
    }
    return false;
}

bool threshold_left_out(struct replay *replay, struct node *node) {
    (void)replay;
    if (!compares_with_threshold(node) || !has_larger(node)) return false;
    rewrite(node)->operation = &at_most_row;
    return true;
}

// The logits of one position, the last of several? `row` is how many there are of one position.
static bool is_last_position(const struct view *view, int64_t *row) {
    const struct tensor *x = &view->tensor;
    *row = width_of(view->of);
    return has_role(view, ROLE_LOGITS) && count_of(shape_of(x)) == *row && x->offset > 0 &&
           x->offset == count_of(view->of->shape) - *row;
}

bool first_position(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay, (void)is_factor;
    int64_t row;
    if (!is_last_position(view, &row)) return false;
    view->tensor.offset = 0;
    return true;
}

bool position_before_last(const struct replay *replay, struct view *view, bool is_factor) {
    (void)replay, (void)is_factor;
    int64_t row;
    if (!is_last_position(view, &row)) return false;
    view->tensor.offset -= row;
    return true;
}
