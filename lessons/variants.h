#ifndef ONESTEP_LESSONS_VARIANTS_H
#define ONESTEP_LESSONS_VARIANTS_H

// The functions that lessons end with: each computes a whole variant of attention and records no steps. It gives the bits
// of the lesson's steps. The summary of a lesson shows its function.

#include "trace/lesson.h"

// What one object of the class CausalAttention keeps: its layers.
struct head {
    struct layer W_query, W_key, W_value;
};

// What the gradient of a loss is with respect to each of them: [batch, heads, tokens, head_dim].
struct attention_gradients {
    struct tensor queries, keys, values;
};

// gpt.h, training_model.h, small_gpt.h
struct layers;
struct task;
struct block;
struct small_gpt;

// The logits [tokens, words] of a GPT that has learned (agreement.h); what `off` lists (--off) adds nothing.
struct tensor agreement_logits(struct run *run, const struct small_gpt *gpt,
                               tensor ids, const char *off);
// Inputs [tokens, d_in], context [tokens, d_out], or [tokens, d_in] where there is no layer.
struct tensor simplified_attention(tensor inputs);
struct tensor self_attention(tensor inputs, layer W_query, layer W_key,
                             layer W_value);
struct tensor causal_attention(tensor inputs, layer W_query, layer W_key,
                               layer W_value);
// A batch [sentences, tokens, d_in], and True for each key that is padding [sentences, tokens].
struct tensor padded_attention(tensor batch, tensor key_padding_mask,
                               layer W_query, layer W_key, layer W_value);
// The target's tokens [asking, d_in] ask, those of the source [tokens, d_in] answer: a context [asking, d_out].
struct tensor cross_attention(tensor target, tensor source, layer W_query,
                              layer W_key, layer W_value);
// What is kept of the tokens read so far: [tokens, d_out] each; NO_TENSOR before the first.
struct cache {
    struct tensor keys, values;
};
// A context as causal_attention's, of a chunk of further tokens [new, d_in]; the cache grows by them.
struct tensor cached_attention(struct cache *kept, tensor chunk,
                               layer W_query, layer W_key, layer W_value);
// The run's generator draws the masks of dropout. In evaluation mode the run drops nothing.
struct tensor causal_attention_with_dropout(struct run *run, tensor inputs,
                                            layer W_query, layer W_key,
                                            layer W_value, double p);
// A batch [batch, tokens, d_in]; the result is [batch, tokens, heads * d_out], and of multi_head_attention
// [batch, tokens, d_out].
struct tensor stacked_heads(struct run *run, tensor batch, int64_t heads,
                            const struct head *head, double p);
struct tensor multi_head_attention(struct run *run, tensor batch,
                                   layer W_query, layer W_key,
                                   layer W_value, layer W_out,
                                   int64_t heads, double p);
// The same, with keys and values of groups of heads.
struct tensor grouped_query_attention(tensor batch, layer W_query,
                                      layer W_key, layer W_value,
                                      layer W_out, int64_t heads,
                                      int64_t groups);
// A context as causal_attention's, of queries and keys turned by their positions; theta [d_out / 2] is by how many
// radians each pair turns from one token to the next.
struct tensor rotary_attention(struct run *run, tensor x, layer W_query,
                               layer W_key, layer W_value, tensor theta);
// A context as causal_attention's, of which a token sees `width` tokens, itself counted.
struct tensor sliding_window_attention(struct run *run, tensor inputs,
                                       layer W_query, layer W_key,
                                       layer W_value, int64_t width);
// As multi_head_attention's, with keys and values that are made from a latent.
struct tensor latent_attention(tensor batch, layer W_query, layer W_down,
                               layer W_up_key, layer W_up_value,
                               layer W_out, int64_t heads);
// A layer of Llama: its linear layers, and what divides their results.
struct llama {
    int64_t heads, groups, head_dim;
    struct layer W_query, W_key, W_value, W_out, W_gate, W_up, W_down;
};
// A batch [batch, tokens, d_in] becomes another one. The run has the base of the angles.
struct tensor llama_layer(struct run *run, tensor x,
                          const struct llama *of);
// A context as causal_attention's, from queries, keys and values [tokens, d_out] and the causal mask; `size` keys at a time.
struct tensor attention_by_tiles(struct run *run, tensor q, tensor k,
                                 tensor v, tensor mask, int64_t size);
// The ids that are read and the ids that follow them, both [batch, tokens]. Returns the loss.
struct tensor gpt_loss(struct run *run, tensor ids, tensor targets,
                       tensor embedding, const struct layers *layers,
                       int64_t heads, double p);
struct attention_gradients attention_backward(tensor queries, tensor keys,
                                              tensor values, tensor weights,
                                              tensor context_grad);
// Changes the parameters p (enum parameter_place). Returns the loss after the last update.
struct tensor train_model(const struct task *task, struct tensor *p,
                          int64_t updates, double lr);
// The ids are [tokens] or [batch, tokens], the tables [vocabulary, d_model] and [context_length, d_model].
struct tensor embed_tokens(struct run *run, tensor ids, tensor token_table,
                           tensor position_table);
// One block of a GPT: [batch, tokens, d_model] becomes the same.
struct tensor gpt_block_of(struct run *run, tensor x,
                           const struct block *block, int64_t heads);
// Logits [words], of which top_k are kept. Returns the places of `count` words that are drawn.
struct tensor draw_words(struct run *run, tensor logits, double temperature,
                         int64_t top_k, int64_t count);

#endif
