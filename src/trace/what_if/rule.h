#ifndef ONESTEP_TRACE_WHAT_IF_RULE_H
#define ONESTEP_TRACE_WHAT_IF_RULE_H

// The rules of the table of mistakes, and functions by which a rule recognizes the nodes that it changes. It
// recognizes a node by what it computes, by what the result is for (tensor/role.h) and by what its axes mean: not by the
// lesson, the name of a step or the number of a dimension. A rule changes nothing of which it is not sure.

#include "trace/what_if/replay.h"

// Each changes a node; it returns false for a node that it does not apply to.
#define CHANGES(RULE)                                                                              \
    RULE(no_scale)                                                                                 \
    RULE(scale_twice)                                                                              \
    RULE(scale_by_dk)                                                                              \
    RULE(scale_by_d_out)                                                                           \
    RULE(softmax_columns)                                                                          \
    RULE(mask_zero)                                                                                \
    RULE(mask_diagonal)                                                                            \
    RULE(mask_upside_down)                                                                         \
    RULE(mask_after_softmax)                                                                       \
    RULE(dropout_before_softmax)                                                                   \
    RULE(dropout_scale_p)                                                                          \
    RULE(dropout_no_scale)                                                                         \
    RULE(other_bernoulli)                                                                          \
    RULE(no_out_proj)                                                                              \
    RULE(no_bias)                                                                                  \
    RULE(wrong_seed)                                                                               \
    RULE(swapped_qk)                                                                               \
    RULE(no_zero_grad)                                                                             \
    RULE(wrong_seed_of_weights)                                                                    \
    RULE(wrong_seed_of_masks)                                                                      \
    RULE(no_mask)                                                                                  \
    RULE(mask_inverted)                                                                            \
    RULE(mask_diagonal_2)                                                                          \
    RULE(keepdim_forgotten)                                                                        \
    RULE(keepdim_forgotten_in_softmax)                                                             \
    RULE(scale_by_tokens)                                                                          \
    RULE(scale_by_heads)                                                                           \
    RULE(scale_after_softmax)                                                                      \
    RULE(softmax_heads)                                                                            \
    RULE(softmax_batch)                                                                            \
    RULE(softmax_twice)                                                                            \
    RULE(no_softmax)                                                                               \
    RULE(heads_shared)                                                                             \
    RULE(heads_reversed)                                                                           \
    RULE(heads_stacked)                                                                            \
    RULE(heads_stacked_behind_batch)                                                               \
    RULE(heads_stacked_last)                                                                       \
    RULE(out_proj_first)                                                                           \
    RULE(values_first)                                                                             \
    RULE(queries_first)                                                                            \
    RULE(padding_inverted)                                                                         \
    RULE(padding_over_queries)                                                                     \
    RULE(repaired_before_softmax)                                                                  \
    RULE(cross_from_target)                                                                        \
    RULE(cross_causal_mask)                                                                        \
    RULE(square_mask_after_cache)                                                                  \
    RULE(no_mask_in_prefill)                                                                       \
    RULE(cache_not_cleared)                                                                        \
    RULE(chunks_exchanged)                                                                         \
    RULE(chunks_from_keys)                                                                         \
    RULE(chunks_reversed)                                                                          \
    RULE(seed_each_layer)                                                                          \
    RULE(layers_drawn_twice)                                                                       \
    RULE(layer_sizes_swapped)                                                                      \
    RULE(repeat_for_interleave)                                                                    \
    RULE(groups_reversed)                                                                          \
    RULE(scale_by_all_keys)                                                                        \
    RULE(scale_by_all_heads)                                                                       \
    RULE(rotary_in_pairs)                                                                          \
    RULE(values_rotated)                                                                           \
    RULE(queries_from_0)                                                                           \
    RULE(keys_not_rotated)                                                                         \
    RULE(window_plus_one)                                                                          \
    RULE(window_sees_future)                                                                       \
    RULE(scale_by_latent)                                                                          \
    RULE(up_exchanged)                                                                             \
    RULE(absorbed_on_wrong_side)                                                                   \
    RULE(result_not_rescaled)                                                                      \
    RULE(sum_not_rescaled)                                                                         \
    RULE(tile_maximum)                                                                             \
    RULE(divided_in_every_tile)                                                                    \
    RULE(weights_transposed)                                                                       \
    RULE(scores_transposed)                                                                        \
    RULE(keys_for_values)                                                                          \
    RULE(keys_reshaped)                                                                            \
    RULE(no_dropout)                                                                               \
    RULE(dropout_twice)                                                                            \
    RULE(dropout_on_context)                                                                       \
    RULE(dropout_on_output)                                                                        \
    RULE(dropout_on_merged_context)                                                                \
    RULE(dropout_on_values)                                                                        \
    RULE(dropout_on_values_seen)                                                                   \
    RULE(dropout_by_rand)                                                                          \
    RULE(softmax_before_loss)                                                                      \
    RULE(logits_transposed)                                                                        \
    RULE(tied_weights)                                                                             \
    RULE(no_mean_grad)                                                                             \
    RULE(bias_grad_mean)                                                                           \
    RULE(grad_overwritten)                                                                         \
    RULE(softmax_grad_elementwise)                                                                 \
    RULE(relu_gate_by_grad)                                                                        \
    RULE(no_scale_grad)                                                                            \
    RULE(scores_grad_transposed)                                                                   \
    RULE(scores_grad_unturned)                                                                     \
    RULE(ascent)                                                                                   \
    RULE(lr_ten_times)                                                                             \
    RULE(no_bias_correction)                                                                       \
    RULE(decay_in_grad)                                                                            \
    RULE(graph_cut)                                                                                \
    RULE(keys_detached)                                                                            \
    RULE(zero_grad_late)                                                                           \
    RULE(other_betas)                                                                              \
    RULE(by_autograd)                                                                              \
    RULE(no_positions)                                                                             \
    RULE(positions_twice)                                                                          \
    RULE(unbiased_variance)                                                                        \
    RULE(norm_after)                                                                               \
    RULE(no_shortcut)                                                                              \
    RULE(shortcut_after_norm)                                                                      \
    RULE(no_gelu)                                                                                  \
    RULE(no_relu)                                                                                  \
    RULE(windows_not_shifted)                                                                      \
    RULE(temperature_multiplied)                                                                   \
    RULE(threshold_of_largest)                                                                     \
    RULE(threshold_left_out)                                                                       \
    RULE(mask_not_in_training)                                                                     \
    RULE(round_as_1_13)

// Each changes how a view is read; it returns false for a view that it does not apply to.
#define REREADS(RULE)                                                                              \
    RULE(heads_by_view)                                                                            \
    RULE(merge_without_transpose)                                                                  \
    RULE(weight_untransposed)                                                                      \
    RULE(sizes_read_swapped)                                                                       \
    RULE(heads_interleaved)                                                                        \
    RULE(targets_not_shifted)                                                                      \
    RULE(targets_before_inputs)                                                                    \
    RULE(first_position)                                                                           \
    RULE(position_before_last)

#define DECLARE_CHANGE(name) bool name(struct replay *replay, struct node *node);
CHANGES(DECLARE_CHANGE)
#undef DECLARE_CHANGE

#define DECLARE_REREAD(name)                                                                       \
    bool name(const struct replay *replay, struct view *view, bool is_factor);
REREADS(DECLARE_REREAD)
#undef DECLARE_REREAD

// ---- Recognizing nodes --------------------------------------------------------------------------

// Is it this operation, and does its result have this role?
bool makes(const struct node *node, const struct operation *operation, enum role role);

// The product of queries and keys from which a view's numbers were computed by scaling, masking or dropping;
// NULL if they are no scores.
struct node *scores_behind(const struct view *view);

// The product whose scores this node divides or multiplies by a constant; NULL if it does neither.
struct node *scores_scaled_by(const struct node *node);

// The softmax that turns scores into attention weights? A mask's triangle?
bool is_attention(const struct node *node);
bool is_triangle(const struct node *node);

// The layer, or the product with a weight, that made the queries (or keys, values) that a node comes from, without
// another layer in between; NULL if there is none.
struct node *projection_behind(struct node *node, enum role role);

// How many keys stand before those of a triangle's own queries: tokens of a cache.
int64_t keys_before(const struct node *triangle);

// The draws of the weight, or bias, of a layer that makes this and is that number among those; NULL if there are none.
struct node *drawn_for(const struct replay *replay, enum role part, enum role makes, int layer);

// Where heads lie among a view's axes, or groups of heads: -1 if it has none.
int head_axis(const struct tensor *x);

// Does a view cut rows of what it shows, whole projections, into heads?
bool cuts_into_heads(const struct view *view);

// How wide the rows of a storage are; 1 for a single number.
int64_t width_of(const struct node *node);

// Lets a node that draws do so before another one.
void draw_before(struct replay *replay, struct node *node, struct node *other);

// Divides scores by `divisor` in place of what a node divides them by.
void divide_scores_by(struct replay *replay, struct node *node, double divisor);

#endif
