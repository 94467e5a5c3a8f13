#include <math.h>

#include "trace/lesson.h"

// What one object of the class CausalAttention keeps: its layers.
struct causal_attention {
    struct tensor W_query, W_query_bias, W_key, W_key_bias, W_value,
        W_value_bias;
};

// Draws the layers of one head.
static struct causal_attention make_head(struct run *run, int64_t d_in) {
    int64_t d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    // Each head has layers of its own. With other weights each can learn to look
    // for something else. Here d_out is the width of one head: two heads of width 2
    // give context vectors of width 4. All layers of all heads are drawn when the
    // wrapper is made, head after head; a class that makes its key layer before its
    // query layer gives these numbers to other layers, and its results differ.
    tensor W_query = linear_weight(run, d_out, d_in);
    STEP(W_query, "W_q ~ uniform ±1/√d_in",
         "W_query_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_query_{h}.weight");
    tensor W_query_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_query_bias, "b_q ~ uniform ±1/√d_in", "", "W_query_{h}.bias");
    tensor W_key = linear_weight(run, d_out, d_in);
    STEP(W_key, "W_k ~ uniform ±1/√d_in",
         "W_key_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_key_{h}.weight");
    tensor W_key_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_key_bias, "b_k ~ uniform ±1/√d_in", "", "W_key_{h}.bias");
    tensor W_value = linear_weight(run, d_out, d_in);
    STEP(W_value, "W_v ~ uniform ±1/√d_in",
         "W_value_{h} = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_value_{h}.weight");
    tensor W_value_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_value_bias, "b_v ~ uniform ±1/√d_in", "", "W_value_{h}.bias");

    return (struct causal_attention){W_query, W_query_bias,
                                     W_key,   W_key_bias,
                                     W_value, W_value_bias};
}

// The forward pass of one head: (batch, token, d_in) to (batch, token, d_out).
static struct tensor attend(struct run *run,
                            const struct causal_attention *head,
                            tensor batch, tensor mask) {
    double p = run->parameters.dropout;

    // The head's queries, keys and values, for the whole batch. A layer works on
    // the last dimension and leaves the others alone, so nothing changes in the
    // code when a batch is added in front. Tokens of one sentence are never
    // compared with those of another: the batch is only several sentences worked on
    // side by side.
    tensor queries =
        rows(linear(batch, head->W_query, head->W_query_bias), "query");
    STEP(queries, "Q = X W_qᵀ", "queries = W_query_{h}(batch)");
    tensor keys = rows(linear(batch, head->W_key, head->W_key_bias), "key");
    STEP(keys, "K = X W_kᵀ", "keys = W_key_{h}(batch)");
    tensor values = linear(batch, head->W_value, head->W_value_bias);
    STEP(values, "V = X W_vᵀ", "values = W_value_{h}(batch)");

    // Scores, a matrix for each sentence. keys.T would turn the batch around as
    // well, so the last two dimensions are named: transpose(1, 2) swaps tokens and
    // features and leaves the batch in front.
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    STEP(scores, "S = Q Kᵀ, for each sentence",
         "scores = queries @ keys.transpose(1, 2)");

    // Hide the future in every sentence. The mask has no batch dimension; it is
    // broadcast: the same mask is laid over each matrix of the batch.
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // The head's weights. It scales by the root of its own keys' width. Both
    // sentences of the course are the same, so both matrices are.
    tensor weights =
        softmax(divide_by(masked_scores, root(keys.shape[2])), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Dropout, if it is on. With p = 0, as the course has it here, nothing changes
    // and no random number is drawn. With p above 0 each head draws its own mask,
    // after all weights of all heads.
    tensor dropped = dropout(run, weights, p);
    STEP(dropped, "W · keep / (1 - p)",
         "dropped = torch.nn.functional.dropout(weights, p, training)");

    // The head's context vectors. Each head ends here, with a result of its own,
    // d_out wide.
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

    // Several sentences at once are a batch. The course simply takes the same
    // sentence twice. The batch dimension comes first: [batch, tokens, d_in].
    tensor batch = axes(stack(run->batch_size, run->sentences, 0), "batch",
                        "token", "feature");
    STEP(batch, "X, one matrix a sentence",
         "batch = torch.stack([inputs] * batch_size, dim=0)");

    // The class keeps a mask as large as it may ever need. It is made once, for
    // context_length tokens, and kept as a buffer: saved and moved with the model,
    // but never trained, unlike a parameter.
    tensor above = triu(ones(run, context_length, context_length), 1);
    tensor mask_buffer = axes(to_bool(above), "query", "key");
    STEP(mask_buffer, "M[i,j] = (j > i)",
         "above = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
         "mask_buffer = above.bool()");

    // The mask for the tokens at hand is a slice of it. A sentence may be shorter
    // than context_length, so the upper left corner is taken, num_tokens by
    // num_tokens. The course's sentence fills it; one half as long takes only the
    // corner below. A longer one has no mask, and PyTorch fails: raise
    // context_length.
    tensor mask = narrow(narrow(mask_buffer, 0, 0, tokens), 1, 0, tokens);
    STEP(mask, "M[:t, :t]", "mask = mask_buffer[:num_tokens, :num_tokens]");
    int64_t fewer = (tokens + 1) / 2;
    tensor mask_of_half =
        narrow(narrow(mask_buffer, 0, 0, fewer), 1, 0, fewer);
    STEP(mask_of_half, "M[:t/2, :t/2]",
         "fewer = (num_tokens + 1) // 2\n"
         "mask_of_half = mask_buffer[:fewer, :fewer]");

    SECTION("The layers of each head");

    struct causal_attention *head =
        arena_array(run->memory, (size_t)heads, sizeof *head);
    for (int h = 0; h < heads; h++) {
        GROUP("head %d", h + 1);
        head[h] = make_head(run, d_in);
    }

    SECTION("The forward pass of each head");

    struct tensor contexts[MOST_HEADS];
    for (int h = 0; h < heads; h++) {
        GROUP("head %d", h + 1);
        contexts[h] = attend(run, &head[h], batch, mask);
    }

    END_GROUP;
    SECTION("Side by side");

    // The wrapper lays the heads' results side by side. torch.cat joins them along
    // the features: the first columns are head 1, the next head 2. Nothing mixes
    // the heads, for this class has no output projection: whatever comes after it
    // has to. The next lesson's class has one.
    tensor context = cat(heads, contexts, -1);
    STEP(context, "[Z₁, Z₂, ...]", "context = torch.cat(contexts, dim=-1)");
}

LESSON(wrapper) = {
    .name = "wrapper",
    .title = "Multi-head attention as a wrapper",
    .summary =
        "Several causal heads, one after the other, on a batch; their results laid side by side.",
    .book = "section 3.6.1, Stacking multiple single-head attention layers",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS |
            USES_CONTEXT_LENGTH | USES_BATCH | USES_EVAL,
    .defaults = {.d_out = 2, .heads = 2, .batch = 2},
    .setup = "contexts = []",
    EXERCISES(
        {"batch",
         {"Two copies of the inputs, one behind the other, in a new dimension.",
          "torch.stack takes a list of tensors; [x] * 2 is a list with x twice.",
          "torch.stack([inputs] * batch_size, dim=...)"}},
        {"mask",
         {"The mask was made for context_length tokens; these are fewer, or as many.",
          "Take its first num_tokens rows, and of these the first num_tokens columns.",
          "mask_buffer[:num_tokens, ...]"}},
        {"head 1: scores",
         {"With a batch, .T would turn the sentences as well.",
          "Tensor.transpose(a, b) exchanges two dimensions: of keys, the last two.",
          "queries @ keys.transpose(1, ...)"}},
        {"context",
         {"Each head made two columns; the result has four.",
          "torch.cat joins tensors along a dimension that they have.",
          "torch.cat(contexts, dim=...), along the last."}}),
    .teach = wrapper,
    .source = &wrapper_source,
};
