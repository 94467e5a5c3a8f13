#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

// Draws the layers of one head.
static struct head make_head(struct run *run, int64_t d_in) {
    int64_t d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    // Each head has layers of its own. With its own weights, each head can
    // learn to look for something else. Here d_out is the width of one head.
    // There are {heads head} of width {d_out}, and the context vectors are as
    // wide as all heads together. The random numbers are drawn head after
    // head, in each head for the queries first. If a class draws the keys'
    // layer first, W_query and W_key have other numbers with the same seed.
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    return (struct head){W_query, W_key, W_value};
}

// The forward pass of one head: (batch, token, d_in) to (batch, token, d_out).
static struct tensor attend(struct run *run, const struct head *head,
                            tensor batch, tensor mask) {
    double p = run->parameters.dropout;

    // The head's queries, keys and values, for the whole batch. A layer works
    // on the last dimension and leaves the others alone, so a batch dimension
    // in front changes nothing in the code. Tokens of one sentence are never
    // compared with tokens of another: a batch only computes several sentences
    // side by side.
    tensor queries = apply(head->W_query, batch);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query_{h}(batch)");
    tensor keys = apply(head->W_key, batch);
    STEP(keys, "K = X W_kᵀ", "keys = W_key_{h}(batch)");
    tensor values = apply(head->W_value, batch);
    STEP(values, "V = X W_vᵀ", "values = W_value_{h}(batch)");

    // Scores: one matrix for each sentence. transpose(1, 2) swaps tokens and
    // features and leaves the batch in front; keys.T would move the batch
    // dimension as well.
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    STEP(scores, "S = Q Kᵀ, for each sentence",
         "scores = queries @ keys.transpose(1, 2)");

    // Hide the future in every sentence. One mask serves all: it has no batch
    // dimension, so PyTorch broadcasts it, that is, applies it to each matrix
    // of the batch.
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // The head's weights. The scores are divided by √d_k, the root of the
    // width of this head's keys. Each sentence of the batch has a matrix of
    // weights. At the course's parameters the batch is one sentence twice,
    // so its two matrices of weights are equal.
    tensor weights =
        softmax(divide_by(masked_scores, root(keys.shape[2])), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Dropout, if it is on. At the course's parameters p is 0, so nothing
    // changes and no random number is drawn. If p is above 0, each head draws a
    // mask of its own. The layers of all heads are drawn before the first mask.
    tensor dropped = dropout(run, weights, p);
    STEP(dropped, "W · keep / (1 - p)",
         "dropped = torch.nn.functional.dropout(weights, p, training)");

    // The head's context vectors. This is the result of one head: d_out
    // numbers for each token.
    tensor context = matmul(dropped, values);
    STEP(context, "Z = W V, for each sentence",
         "context = dropped @ values\n"
         "contexts.append(context)");

    return context;
}

static void wrapper(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t context_length = run->parameters.context_length,
            heads = run->parameters.heads;
    reseed(run, 123);

    SECTION("A batch and a mask");

    // Several sentences at once are a batch. The batch dimension comes first:
    // [batch, tokens, d_in]. At the course's parameters the batch is the same
    // sentence twice.
    tensor batch = axes(stack(run->batch_size, run->sentences, 0),
                        AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "batch = torch.stack({sentences}, dim=0)");

    // The class keeps a mask as large as it may ever need. It is made once,
    // for context_length tokens, and kept as a buffer. A buffer is saved and
    // moved with the model, but unlike a parameter it is never trained.
    tensor above = triu(ones(run, context_length, context_length), 1);
    tensor mask_buffer = axes(to_bool(above), AXIS_QUERY, AXIS_KEY);
    STEP(mask_buffer, "M[i,j] = (j > i)",
         "above = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
         "mask_buffer = above.bool()");

    // The mask of this sentence is a slice of it. A sentence may be shorter
    // than context_length, so the upper left corner is taken, num_tokens by
    // num_tokens. A sentence of context_length tokens needs the whole mask, and
    // half of a sentence needs a smaller corner. For a longer sentence there is
    // no mask and PyTorch fails: raise context_length.
    tensor mask = narrow(narrow(mask_buffer, 0, 0, tokens), 1, 0, tokens);
    STEP(mask, "M[:t, :t]", "mask = mask_buffer[:num_tokens, :num_tokens]");
    int64_t fewer = (tokens + 1) / 2;
    tensor mask_of_half =
        narrow(narrow(mask_buffer, 0, 0, fewer), 1, 0, fewer);
    STEP(mask_of_half, "M[:t/2, :t/2]",
         "fewer = (num_tokens + 1) // 2\n"
         "mask_of_half = mask_buffer[:fewer, :fewer]");

    SECTION("The layers of each head");

    struct head *head =
        arena_array(run->memory, (size_t)heads, sizeof *head);
    for (int h = 0; h < heads; h++) {
        GROUP("head %d", h + 1);
        head[h] = make_head(run, d_in);
    }

    SECTION("The forward pass of each head");

    struct tensor *contexts =
        arena_array(run->memory, (size_t)heads, sizeof *contexts);
    for (int h = 0; h < heads; h++) {
        GROUP("head %d", h + 1);
        contexts[h] = attend(run, &head[h], batch, mask);
    }

    END_GROUP;
    SECTION("Side by side");

    // The wrapper puts the heads' results side by side. torch.cat joins them
    // along the features: first the columns of head 1, then those of the next
    // head, and so on. Nothing mixes the heads, because this class has no
    // output projection. The next lesson's class has one.
    tensor context = cat(heads, contexts, -1);
    STEP(context, "[Z₁, Z₂, ...]", "context = torch.cat(contexts, dim=-1)");
}

// Each head has layers of its own.
struct tensor stacked_heads(struct run *run, tensor batch, int64_t heads,
                            const struct head *head, double p) {
    struct tensor *contexts =
        arena_array(run->memory, (size_t)heads, sizeof *contexts);
    for (int64_t h = 0; h < heads; h++) {
        tensor queries = apply(head[h].W_query, batch);
        tensor keys = apply(head[h].W_key, batch);
        tensor values = apply(head[h].W_value, batch);
        tensor scores = matmul(queries, transpose(keys, 1, 2));
        tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
        tensor masked_scores = masked_fill(scores, future, -INFINITY);
        tensor scaled = divide_by(masked_scores, root(keys.shape[2]));
        tensor weights = softmax(scaled, -1); // [batch, tokens, tokens]
        contexts[h] = matmul(dropout(run, weights, p), values);
    }
    return cat(heads, contexts, -1); // [batch, tokens, heads * d_out]
}

LESSON(wrapper) = {
    .name = "wrapper",
    .part = PART_OF_COURSE,
    .title = "Multi-head attention as a wrapper",
    .summary =
        "Several causal heads on a batch, computed one after the other; their results are put side by side.",
    .book = "section 3.6.1, Stacking multiple single-head attention layers",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS |
            USES_CONTEXT_LENGTH | USES_BATCH | USES_EVAL,
    .defaults = {.d_out = 2, .heads = 2, .batch = 2},
    .setup = "contexts = []",
    .teach = wrapper,
    .source = &wrapper_source,
};
