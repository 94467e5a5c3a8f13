#ifndef ONESTEP_TENSOR_FAST_ATTENTION_H
#define ONESTEP_TENSOR_FAST_ATTENTION_H

// One layer of causal multi-head attention with an output projection, as in GPT-2: (batch, tokens, d) ->
// (batch, tokens, d). There are two versions: one as the lessons compute it, and a fast one. Both give the
// same bits, because they round each number in the same order (kernel.h).

#include "tensor/fast/path.h"
#include "tensor/ops/ops.h"

struct attention_layer {
    int64_t heads;
    struct tensor W_query, W_query_bias; // (d, d) as [out, in]; (d) or NO_TENSOR
    struct tensor W_key, W_key_bias;
    struct tensor W_value, W_value_bias;
    struct tensor W_out, W_out_bias; // always with a bias
};

// Draws a layer in PyTorch's order: query, key, value, each weight before its bias, then output. `bias`
// applies to query, key and value. Fails unless heads divide d.
struct attention_layer attention_layer_new(struct arena *m, struct generator *g, int64_t d,
                                           int64_t heads, bool bias);

// The definition: the operations of ops.h in the order of lesson split_head. With p > 0 weights are dropped,
// and the mask is drawn from g.
struct tensor attention(const struct attention_layer *layer, struct tensor x, struct generator *g,
                        double p, enum bernoulli stream);

// ---- The fast way -------------------------------------------------------------------------------

struct attention_size {
    int64_t batch, tokens, d, heads;
};

// Bytes that attention_prepare allocates: grows linearly with tokens. A double, so that no size
// overflows it.
double attention_bytes(struct attention_size size, enum kernel_path path, int threads);

// Floating-point operations of one pass, a multiply-add being two: 8·B·T·d² for the four projections
// and 2·B·T·(T+1)·d for scores and context of the causal half.
double attention_operations(struct attention_size size);

// Working memory for any number of passes of that size. `threads` is 1 ... MAX_THREADS.
struct attention_work;
struct attention_work *attention_prepare(struct arena *m, struct attention_size size,
                                         enum kernel_path path, int threads);

// attention_mask_bytes: the size of the dropout mask of all weights of a pass. attention_drop draws the mask,
// in the same order as `attention`. With p = 0 there is no mask.
double attention_mask_bytes(struct attention_size size, double p);
void attention_drop(struct attention_work *work, struct arena *m, struct generator *g, double p,
                    enum bernoulli stream);

// Called from time to time in the caller's thread with the fraction that is done, 0 ... 1.
typedef void attention_progress(void *context, double done);
void attention_report_to(struct attention_work *work, attention_progress *progress, void *context);

// One pass over x (batch, tokens, d), contiguous and of the size prepared for. Fills `result`, which has as
// many floats as x and must not overlap it.
void attention_fast(struct attention_work *work, const struct attention_layer *layer,
                    const struct tensor *x, float *result);

#endif
