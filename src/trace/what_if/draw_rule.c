// Rules for the drawing of layers: in which order, from which seed and in which shape.

#include <math.h>

#include "tensor/operation/rows.h"
#include "trace/what_if/rule.h"

// ---- Order of draws -----------------------------------------------------------------------------

// Is it the weight that is drawn first of those that make queries, keys or values?
static bool is_drawn_first(const struct replay *replay, const struct node *node) {
    static const enum role roles[] = {ROLE_QUERIES, ROLE_KEYS, ROLE_VALUES};
    bool is_one = false;
    for (int i = 0; i < 3; i++) {
        const struct node *other =
            drawn_for(replay, ROLE_LAYER_WEIGHT, roles[i], node->purpose.layer);
        if (other == NULL) continue;
        if (place_of_node(replay, other) < place_of_node(replay, node)) return false;
        is_one = is_one || other == node;
    }
    return is_one;
}

// If `node` is drawn first of the layers of queries, keys and values, and the layer that makes `role` is drawn later: that
// one draws before it.
static bool layer_first(struct replay *replay, struct node *node, enum role role) {
    if (node->purpose.role != ROLE_LAYER_WEIGHT || !node->turn.is_taken) return false;
    if (!is_drawn_first(replay, node)) return false;
    const int layer = node->purpose.layer;
    struct node *weight = drawn_for(replay, ROLE_LAYER_WEIGHT, role, layer);
    if (weight == NULL || place_of_node(replay, weight) <= place_of_node(replay, node))
        return false;
    struct node *bias = drawn_for(replay, ROLE_LAYER_BIAS, role, layer);
    draw_before(replay, weight, node);
    if (bias != NULL) draw_before(replay, bias, node);
    return true;
}

bool out_proj_first(struct replay *replay, struct node *node) {
    return layer_first(replay, node, ROLE_OUTPUT);
}

bool values_first(struct replay *replay, struct node *node) {
    return layer_first(replay, node, ROLE_VALUES);
}

bool queries_first(struct replay *replay, struct node *node) {
    return layer_first(replay, node, ROLE_QUERIES);
}

// ---- Chunks of a fused layer --------------------------------------------------------------------

// What draws the weights, or biases, of queries, keys and values of one layer.
struct chunks {
    struct node *queries, *keys, *values;
};

// If `node` draws for queries, before keys of a shape with values, and these before values.
static bool find_chunks(const struct replay *replay, struct node *node, struct chunks *chunks) {
    const struct purpose *own = &node->purpose;
    if (!node->turn.is_taken || own->makes != ROLE_QUERIES) return false;
    *chunks = (struct chunks){node, drawn_for(replay, own->role, ROLE_KEYS, own->layer),
                              drawn_for(replay, own->role, ROLE_VALUES, own->layer)};
    if (chunks->keys == NULL || chunks->values == NULL) return false;
    if (!shapes_equal(chunks->keys->shape, chunks->values->shape)) return false;
    const int keys = place_of_node(replay, chunks->keys);
    return place_of_node(replay, node) < keys && keys < place_of_node(replay, chunks->values);
}

// If queries are of the same shape as well.
static bool find_equal_chunks(const struct replay *replay, struct node *node,
                              struct chunks *chunks) {
    return find_chunks(replay, node, chunks) && shapes_equal(node->shape, chunks->keys->shape);
}

// Query, value, key.
bool chunks_exchanged(struct replay *replay, struct node *node) {
    struct chunks chunks;
    if (!find_chunks(replay, node, &chunks)) return false;
    exchange(replay, chunks.keys, chunks.values);
    return true;
}

// Key, value, query.
bool chunks_from_keys(struct replay *replay, struct node *node) {
    struct chunks chunks;
    if (!find_equal_chunks(replay, node, &chunks)) return false;
    exchange(replay, chunks.queries, chunks.keys);
    exchange(replay, chunks.queries, chunks.values);
    return true;
}

// Value, key, query.
bool chunks_reversed(struct replay *replay, struct node *node) {
    struct chunks chunks;
    if (!find_equal_chunks(replay, node, &chunks)) return false;
    exchange(replay, chunks.queries, chunks.values);
    return true;
}

// ---- Seeds --------------------------------------------------------------------------------------

static bool draws_layer(const struct node *node) {
    const enum role role = node->purpose.role;
    return node->turn.is_taken &&
           (role == ROLE_LAYER_WEIGHT || role == ROLE_LAYER_BIAS || role == ROLE_EMBEDDING);
}

bool seed_each_layer(struct replay *replay, struct node *node) {
    if (!draws_layer(node) || node->purpose.role == ROLE_LAYER_BIAS) return false;
    draw_anew(replay, node);
    return true;
}

// The first layer after a seed draws what follows all layers after this seed, and the others go on from there.
bool layers_drawn_twice(struct replay *replay, struct node *node) {
    if (!draws_layer(node)) return false;
    const struct draws *own = &node->origin.draws;
    uint64_t end = own->first;
    for (int i = 0; i < replay->count; i++) {
        const struct draws *draws = &replay->nodes[i]->origin.draws;
        if (!draws_layer(replay->nodes[i]) || draws->sequence != own->sequence) continue;
        if (draws->first < own->first) return true;
        if (draws->first + draws->count > end) end = draws->first + draws->count;
    }
    node->turn.gap += end - own->first;
    (void)rewrite(node);
    return true;
}

// ---- Shapes -------------------------------------------------------------------------------------

// The layer of queries, keys or values whose weight this is; NULL if it is none.
static const struct node *layer_of(const struct replay *replay, const struct node *weight) {
    const enum role makes = weight->purpose.makes;
    if (weight->purpose.role != ROLE_LAYER_WEIGHT) return NULL;
    if (makes != ROLE_QUERIES && makes != ROLE_KEYS && makes != ROLE_VALUES) return NULL;
    for (int i = 0; i < replay->count; i++) {
        const struct node *user = replay->nodes[i];
        if (user->origin.operation == &linear_row && user->operands[1].of == weight) return user;
    }
    return NULL;
}

// How many numbers a layer makes of each row: how many rows its weight has.
static int64_t made_by(const struct node *weight) {
    return count_of(weight->shape) / width_of(weight);
}

// Can its weight be made as (in, out)? A square one is the same, and a bias would not fit behind it.
static bool can_swap_sizes(const struct node *layer) {
    const struct node *weight = layer->operands[1].of;
    return layer->origin.operand_count == 2 && made_by(weight) != width_of(weight);
}

// Linear(d_out, d_in) draws as many numbers, between other bounds.
bool layer_sizes_swapped(struct replay *replay, struct node *node) {
    if (!node->turn.is_taken || node->origin.operation != &uniform_row) return false;
    const struct node *layer = layer_of(replay, node);
    if (layer == NULL) return false;
    if (!can_swap_sizes(layer)) return true;
    struct origin *origin = rewrite(node);
    origin->most = (float)(1 / sqrt((double)made_by(node)));
    origin->least = -origin->most;
    return true;
}

// They are a weight (in, out), whose transpose a view of (out, in) shows.
bool sizes_read_swapped(const struct replay *replay, struct view *view, bool is_factor) {
    (void)is_factor;
    const struct node *layer = layer_of(replay, view->of);
    struct tensor *x = &view->tensor;
    if (layer == NULL || !can_swap_sizes(layer)) return false;
    if (x->offset != 0 || count_of(shape_of(x)) != count_of(view->of->shape)) return false;
    const int64_t in = width_of(view->of), out = made_by(view->of);
    for (int dim = 0; dim < x->ndim; dim++) {
        if (x->stride[dim] != 1 && x->stride[dim] % in != 0) return false;
    }
    for (int dim = 0; dim < x->ndim; dim++)
        x->stride[dim] = x->stride[dim] == 1 ? out : x->stride[dim] / in;
    return true;
}
