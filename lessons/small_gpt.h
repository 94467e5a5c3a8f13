#ifndef ONESTEP_LESSONS_SMALL_GPT_H
#define ONESTEP_LESSONS_SMALL_GPT_H

// The GPT of the lesson on the block, as the course's GPTModel builds it: without dropout, and with biases in the layers of
// queries, keys and values only if they are asked for.
//
//     reseed(run, 123);
//     const struct small_gpt gpt = draw_small_gpt(run, (struct gpt_sizes){6, 6, 4, 2, 2, false}, words);
//     tensor logits = small_gpt_logits(run, &gpt, ids);

#include "gpt.h"

struct gpt_sizes {
    int64_t vocabulary, context_length, d_model, heads, blocks;
    bool bias; // in the layers of queries, keys and values
};

// What LayerNorm has learned. The scale and the shift of a new one are 1 and 0, and change nothing: both are NO_TENSOR.
struct norm {
    struct tensor scale, shift; // [d_model]
};

// The layers of one block, and the LayerNorms before attention and before the feed-forward module.
struct block {
    struct layer W_query, W_key, W_value, W_out, W_ffn1, W_ffn2;
    struct norm norm1, norm2;
};

struct small_gpt {
    struct gpt_sizes sizes;
    struct tensor token_table;    // [vocabulary, d_model]
    struct tensor position_table; // [context_length, d_model]
    struct block *blocks;
    struct norm norm;    // behind the blocks
    struct layer W_head; // no bias
};

// Draws the model in the order of PyTorch's constructors: token table, position table, for each block query, key, value,
// output and the two layers of the feed-forward block, then the head. `words` are those of the vocabulary. Heads divide
// d_model.
struct small_gpt draw_small_gpt(struct run *run, struct gpt_sizes sizes,
                                const char *const *words);
struct block draw_block(struct run *run, int64_t d_model, bool bias);

// Each row minus its mean, divided by √(variance + 1e-5); the variance is divided by n. torch.nn.LayerNorm without scale and
// shift
struct tensor layer_norm(struct tensor x);

// norm's scale times x plus its shift, x [..., d_model]; NO_TENSOR if the norm has none.
struct tensor scale_and_shift(const struct norm *norm, struct tensor x);

// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), operation by operation as in the course.
struct tensor gelu(struct run *run, struct tensor x);

// The logits [batch, tokens, vocabulary] of ids [batch, tokens]. Fails if an id is not in the vocabulary, or if there are
// more tokens than positions.
struct tensor small_gpt_logits(struct run *run, const struct small_gpt *gpt,
                               struct tensor ids);

#endif
