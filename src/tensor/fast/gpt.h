#ifndef ONESTEP_TENSOR_FAST_GPT_H
#define ONESTEP_TENSOR_FAST_GPT_H

// A whole GPT as the course's GPTModel builds it, at full size: embeddings, pre-norm blocks, a last norm and the head. Linear
// layers and attention run on the fast kernels; everything between them is computed by the operations of ops.h. So all numbers
// have the bits of the operations of lesson `block` at the same sizes.
//
//     struct gpt gpt = gpt_new(arena, &generator, gpt2_small, NULL, NULL);
//     struct gpt_pass pass = {.gpt = &gpt, .path = PATH_BEST, .threads = 1};
//     struct tensor logits = gpt_logits(&pass, gpt_hidden(&pass, ids, gpt.size.layers));

#include "tensor/fast/attention.h"

struct gpt_size {
    int64_t vocabulary, context, d, heads, layers;
};

// 50257 words, 1024 positions, 768 features, 12 heads, 12 blocks: 163,009,536 numbers, since the head is not the token table.
extern const struct gpt_size gpt2_small;

// A block: attention without biases of query, key and value, and a feed-forward module of 4 d features.
struct gpt_block {
    struct attention_layer attention;
    struct tensor W_ffn1, W_ffn1_bias; // (4 d, d) and (4 d)
    struct tensor W_ffn2, W_ffn2_bias; // (d, 4 d) and (d)
};

struct gpt {
    struct gpt_size size;
    struct tensor token_table;    // (vocabulary, d)
    struct tensor position_table; // (context, d)
    struct gpt_block *blocks;     // size.layers
    struct tensor W_head;         // (vocabulary, d), no bias
};

// The scales and shifts of LayerNorm are 1 and 0 in a new model. They are counted, but not stored.
int64_t gpt_parameters(struct gpt_size size);

// Bytes of a model's tensors.
double gpt_bytes(struct gpt_size size);

// Told the fraction of the work that is done, 0 ... 1; or NULL.
typedef void gpt_progress(void *context, double done);

// Draws a model in the order of PyTorch's constructors: token table, position table, for each block query, key, value, output
// and the two layers of the feed-forward module, then the head. Fails unless heads divide d.
struct gpt gpt_new(struct arena *m, struct generator *generator, struct gpt_size size,
                   gpt_progress *progress, void *context);

// How a pass goes through the model.
struct gpt_pass {
    const struct gpt *gpt;
    // Dropout as in training mode, its masks drawn from here; p = 0 draws none. Blocks draw in their order.
    struct generator *generator;
    double p;
    enum bernoulli stream;
    enum kernel_path path;
    int threads; // 1 ... MAX_THREADS
};

// ids (batch, tokens), INT64 -> (batch, tokens, d): each token's row and its position's. Fails with FAIL_USAGE if an id is not
// in the vocabulary or if there are more tokens than positions.
struct tensor gpt_embed(const struct gpt_pass *pass, struct tensor ids);

// One block, number 0 ... layers - 1: (batch, tokens, d) to the same. The result lies in x's arena.
struct tensor gpt_block(const struct gpt_pass *pass, int64_t layer, struct tensor x);

// What enters block `layer`, or the last norm if that is size.layers: gpt_embed and the blocks before it. (batch, tokens, d), in
// the arena of ids.
struct tensor gpt_hidden(const struct gpt_pass *pass, struct tensor ids, int64_t layer);

// The last norm and the head: (batch, tokens, d) -> (batch, tokens, vocabulary).
struct tensor gpt_logits(const struct gpt_pass *pass, struct tensor hidden);

// ---- Token by token -----------------------------------------------------------------------------

// Keys and values of the tokens so far, of one sentence.
struct gpt_cache;
struct gpt_cache *gpt_cache_new(struct arena *m, const struct gpt *gpt);

// The next tokens, ids (1, tokens): the logits behind the last of them, (1, 1, vocabulary). They see those in the cache, which
// grows by their keys and values. Without dropout. Fails like gpt_embed. Sums may be rounded in another order than those of the whole
// sentence at once, because the matrices have other sizes (number/product.h).
struct tensor gpt_continue(const struct gpt_pass *pass, struct gpt_cache *cache, struct tensor ids);

#endif
