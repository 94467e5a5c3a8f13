#include <math.h>

#include "trace/lesson.h"

enum { MOST_HEADS = 16 };

// What one object of the class CausalAttention keeps: its layers.
struct causal_attention {
    struct tensor W_query, W_query_bias, W_key, W_key_bias, W_value,
        W_value_bias;
};

// Draws the layers of one head.
static struct causal_attention make_head(struct run *r, int64_t d_in) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t d_out = r->parameters.d_out;
    const bool bias = r->parameters.bias;

    // Each head has a query layer of its own. All layers of all heads are drawn
    // when the wrapper is made, head after head, before any input is seen. Within a
    // head the order is query, key, value: a class that makes its key layer first
    // draws the same numbers for other layers, and all its results differ, although
    // the seed is the same.
    const struct tensor W_query = linear_weight(m, g, d_out, d_in);
    STEP(r, W_query, "W_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The bias of this head's query layer. It shifts every query of the head, and
    // no other head's.
    const struct tensor W_query_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_query_bias, "b_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // This head's key layer. Other weights in other heads are the point of having
    // several: each can learn to look for something else.
    const struct tensor W_key = linear_weight(m, g, d_out, d_in);
    STEP(r, W_key, "W_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The bias of this head's key layer. It adds one amount to all scores of a
    // query, which the softmax undoes.
    const struct tensor W_key_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_key_bias, "b_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // This head's value layer. In the wrapper d_out is the width of one head, so
    // two heads of width 2 give context vectors of width 4.
    const struct tensor W_value = linear_weight(m, g, d_out, d_in);
    STEP(r, W_value, "W_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The bias of this head's value layer. It arrives whole in each of the head's
    // context vectors.
    const struct tensor W_value_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_value_bias, "b_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    return (struct causal_attention){
        W_query, W_query_bias, W_key, W_key_bias, W_value, W_value_bias};
}

// The forward pass of one head: (batch, token, d_in) to (batch, token, d_out).
static struct tensor attend(struct run *r,
                            const struct causal_attention *head,
                            struct tensor batch, struct tensor mask) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const double p = r->parameters.eval ? 0 : r->parameters.dropout;

    // The head's queries, for the whole batch. The layer works on the last
    // dimension and leaves the others alone, so nothing changes in the code when a
    // batch is added in front.
    const struct tensor projected_queries =
        linear(m, batch, head->W_query, head->W_query_bias);
    const struct tensor queries =
        rename_axis(projected_queries, "token", "query");
    STEP(r, queries, "Q = X W_qᵀ", "W_query(batch)");

    // The head's keys. Tokens of one sentence are never compared with those of
    // another: the batch is only several sentences worked on side by side.
    const struct tensor projected_keys =
        linear(m, batch, head->W_key, head->W_key_bias);
    const struct tensor keys = rename_axis(projected_keys, "token", "key");
    STEP(r, keys, "K = X W_kᵀ", "W_key(batch)");

    // The head's values. What this head's weights will mix.
    const struct tensor values =
        linear(m, batch, head->W_value, head->W_value_bias);
    STEP(r, values, "V = X W_vᵀ", "W_value(batch)");

    // Scores, a matrix for each sentence. keys.T would turn the batch around as
    // well, so the last two dimensions are named: transpose(1, 2) swaps tokens and
    // features and leaves the batch in front.
    const struct tensor scores = matmul(m, queries, transpose(keys, 1, 2));
    STEP(r, scores, "S = Q Kᵀ, for each sentence",
         "queries @ keys.transpose(1, 2)");

    // Hide the future in every sentence. The mask has no batch dimension; it is
    // broadcast: the same mask is laid over each matrix of the batch.
    const struct tensor masked_scores =
        masked_fill(m, scores, mask, -INFINITY);
    STEP(r, masked_scores, "-∞ if j > i, else S[i,j]",
         "scores.masked_fill(mask, -torch.inf)");

    // The head's weights. It scales by the root of its own keys' width. Both
    // sentences of the course are the same, so both matrices are.
    const struct tensor root = scalar(m, sqrt((double)keys.shape[2]));
    const struct tensor weights =
        softmax(m, divide(m, masked_scores, root), -1);
    STEP(r, weights, "W = softmax(masked S / √d_k)",
         "torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Dropout, if it is on. With p = 0, as the course has it here, nothing changes
    // and no random number is drawn. With p above 0 each head draws its own mask,
    // after all weights of all heads.
    const struct tensor dropped =
        dropout(m, g, weights, p, r->parameters.stream);
    STEP(r, dropped, "W · keep / (1 - p)",
         "torch.nn.functional.dropout(weights, p)");

    // The head's context vectors. Each head ends here, with a result of its own,
    // d_out wide.
    const struct tensor context = matmul(m, dropped, values);
    STEP(r, context, "Z = W V, for each sentence", "dropped @ values");

    return context;
}

static void wrapper(struct run *r) {
    struct arena *m = r->memory;
    const int64_t tokens = r->inputs.shape[0], d_in = r->inputs.shape[1];
    const int64_t context_length = r->parameters.context_length;
    const int heads = (int)r->parameters.heads;
    reseed(r, 123);

    SECTION(r, "A batch and a mask");

    // Several sentences at once are a batch. The course simply takes the same
    // sentence twice. The batch dimension comes first: [batch, tokens, d_in].
    struct tensor copies[MOST_HEADS];
    for (int64_t i = 0; i < r->parameters.batch; i++) copies[i] = r->inputs;
    const struct tensor batch = name_axis(
        stack(m, (int)r->parameters.batch, copies, 0), 0, "batch");
    STEP(r, batch, "X, one matrix a sentence",
         "torch.stack((inputs, inputs), dim=0)");

    // The class keeps a mask as large as it may ever need. It is made once, for
    // context_length tokens, and kept as a buffer: saved and moved with the model,
    // but never trained, unlike a parameter.
    const struct tensor all_ones =
        ones(m, SHAPE(context_length, context_length));
    const struct tensor mask_buffer =
        to_bool(m, name_matrix(triu(m, all_ones, 1), "query", "key"));
    STEP(r, mask_buffer, "M[i,j] = (j > i)",
         "torch.triu(torch.ones(context_length, context_length), "
         "diagonal=1).bool()");

    // The mask for the tokens at hand is a slice of it. A sentence may be shorter
    // than context_length, so the upper left corner is taken, num_tokens by
    // num_tokens. A longer sentence has no mask, and PyTorch fails: raise
    // context_length.
    const struct tensor mask =
        narrow(narrow(mask_buffer, 0, 0, tokens), 1, 0, tokens);
    STEP(r, mask, "M[:t, :t]", "mask_buffer[:num_tokens, :num_tokens]");

    SECTION(r, "The layers of each head");

    struct causal_attention head[MOST_HEADS];
    for (int h = 0; h < heads; h++) {
        GROUP(r, "head %d", h + 1);
        head[h] = make_head(r, d_in);
    }

    SECTION(r, "The forward pass of each head");

    struct tensor contexts[MOST_HEADS];
    for (int h = 0; h < heads; h++) {
        GROUP(r, "head %d", h + 1);
        contexts[h] = attend(r, &head[h], batch, mask);
    }

    END_GROUP(r);
    SECTION(r, "Side by side");

    // The wrapper lays the heads' results side by side. torch.cat joins them along
    // the features: the first columns are head 1, the next head 2. Nothing mixes
    // the heads, for this class has no output projection: whatever comes after it
    // has to. The next lesson's class has one.
    const struct tensor context = cat(m, heads, contexts, -1);
    STEP(r, context, "[Z₁, Z₂, ...]",
         "torch.cat([head(batch) for head in heads], dim=-1)");
}

LESSON(wrapper) = {
    .name = "wrapper",
    .title = "Multi-head attention as a wrapper",
    .summary =
        "Several causal heads, one after the other, on a batch; their "
        "results laid side by "
        "side.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS |
            USES_CONTEXT_LENGTH | USES_BATCH | USES_EVAL,
    .defaults = {.d_out = 2, .heads = 2, .batch = 2},
    .teach = wrapper,
    .source = &wrapper_source,
};
