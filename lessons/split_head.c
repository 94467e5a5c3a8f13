#include <math.h>

#include "trace/lesson.h"

enum { MOST_HEADS = 16 };

// The layers that the class keeps.
struct layers {
    struct tensor W_query, W_query_bias, W_key, W_key_bias, W_value,
        W_value_bias, W_out, W_out_bias;
};

static struct layers make_layers(struct run *r, int64_t d_in) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t d_out = r->parameters.d_out;
    const bool bias = r->parameters.bias;

    SECTION(r, "One set of layers for all heads");

    // One query layer serves all heads. Here d_out is the width of all heads
    // together, where in the wrapper it was the width of one: d_out 2 with 2 heads
    // means heads of width 1. The first rows of the weight belong to head 1, the
    // next to head 2.
    reseed(r, 123);
    const struct tensor W_query = linear_weight(m, g, d_out, d_in);
    STEP(r, W_query, "W_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The query layer's bias. Each head gets its part of it.
    const struct tensor W_query_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_query_bias, "b_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // One key layer for all heads. One large product is faster than several small
    // ones; that is the reason for this class. What it computes is the same.
    const struct tensor W_key = linear_weight(m, g, d_out, d_in);
    STEP(r, W_key, "W_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The key layer's bias. Each head gets its part of it.
    const struct tensor W_key_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_key_bias, "b_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // One value layer for all heads. With the same seed as the wrapper its numbers
    // differ, for the layers are drawn in another order: there all of head 1 came
    // before head 2.
    const struct tensor W_value = linear_weight(m, g, d_out, d_in);
    STEP(r, W_value, "W_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The value layer's bias. Each head gets its part of it.
    const struct tensor W_value_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_value_bias, "b_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // The output projection mixes what the heads found. It is a linear layer from
    // d_out to d_out, drawn last. Attention does not need it, but without it no
    // head's numbers would ever meet another's; GPT models have it.
    const struct tensor W_out = linear_weight(m, g, d_out, d_out);
    STEP(r, W_out, "W_o ~ uniform ±1/√d_out",
         "torch.nn.Linear(d_out, d_out).weight");

    // The output projection's bias. It is there even when the other layers have
    // none: the bias parameter speaks of query, key and value only. Its bound is
    // 1/√d_out, since the layer's inputs are d_out wide.
    const struct tensor W_out_bias = linear_bias(m, g, true, d_out, d_out);
    STEP(r, W_out_bias, "b_o ~ uniform ±1/√d_out",
         "torch.nn.Linear(d_out, d_out).bias");

    return (struct layers){W_query, W_query_bias, W_key, W_key_bias,
                           W_value, W_value_bias, W_out, W_out_bias};
}

// One head's part of a layer: its rows of the weight and, if there is a bias, of the bias.
static struct tensor part_of(struct run *r, struct tensor batch,
                             struct tensor weight, struct tensor bias,
                             int64_t h) {
    const int64_t head_dim = weight.shape[0] / r->parameters.heads;
    const struct tensor rows = narrow(weight, 0, h * head_dim, head_dim);
    if (!is_tensor(&bias)) return linear(r->memory, batch, rows, bias);
    return linear(r->memory, batch, rows,
                  narrow(bias, 0, h * head_dim, head_dim));
}

static void split_head(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t tokens = r->inputs.shape[0], d_in = r->inputs.shape[1];
    const int64_t sentences = r->parameters.batch,
                  heads = r->parameters.heads;
    const int64_t d_out = r->parameters.d_out, head_dim = d_out / heads;
    const int64_t context_length = r->parameters.context_length;
    const double p = r->parameters.eval ? 0 : r->parameters.dropout;

    SECTION(r, "The input");

    // A batch of sentences, as in the wrapper. The course takes the same sentence
    // twice: [batch, tokens, d_in]. This lesson's class is the one that GPT models
    // use; the sizes are tiny, the code is not simplified.
    struct tensor copies[MOST_HEADS];
    for (int64_t i = 0; i < sentences; i++) copies[i] = r->inputs;
    const struct tensor batch =
        name_axis(stack(m, (int)sentences, copies, 0), 0, "batch");
    STEP(r, batch, "X, one matrix a sentence",
         "torch.stack((inputs, inputs), dim=0)");

    const struct layers layers = make_layers(r, d_in);

    SECTION(r, "Queries, keys and values of all heads");

    // Queries of all heads in one product. Each row holds the heads' queries next
    // to each other: first head_dim numbers of head 1, then those of head 2, and so
    // on.
    const struct tensor projected_queries =
        linear(m, batch, layers.W_query, layers.W_query_bias);
    const struct tensor queries =
        rename_axis(projected_queries, "token", "query");
    STEP(r, queries, "Q = X W_qᵀ", "W_query(batch)");

    // Keys of all heads in one product. So far there is no sign of heads: they are
    // only a way to read these rows.
    const struct tensor projected_keys =
        linear(m, batch, layers.W_key, layers.W_key_bias);
    const struct tensor keys = rename_axis(projected_keys, "token", "key");
    STEP(r, keys, "K = X W_kᵀ", "W_key(batch)");

    // Values of all heads in one product. The three results have the same shape,
    // [batch, tokens, d_out].
    const struct tensor values =
        linear(m, batch, layers.W_value, layers.W_value_bias);
    STEP(r, values, "V = X W_vᵀ", "W_value(batch)");

    SECTION(r, "Splitting into heads");

    // view cuts each row into heads. The last dimension, d_out, becomes two: heads
    // and head_dim. No number moves in memory; only the strides, the steps to take
    // from one element to the next, are counted anew. For each token we now have a
    // small matrix, one row a head.
    const struct shape split = SHAPE(sentences, tokens, heads, head_dim);
    const struct tensor queries_viewed =
        name_axis(view(queries, split), 2, "head");
    STEP(r, queries_viewed, "Q[b, t, h, d]",
         "queries.view(b, num_tokens, num_heads, head_dim)");

    // transpose puts the heads in front of the tokens. Each head's queries now form
    // a matrix [tokens, head_dim], as in a class with one head. Again nothing
    // moves: sizes and strides of two dimensions swap places.
    const struct tensor queries_by_head = transpose(queries_viewed, 1, 2);
    STEP(
        r, queries_by_head, "Q[b, h, t, d]",
        "queries.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)");

    // The slip: view(b, h, t, d) at once. The shape is the same, the content is
    // not: it cuts the numbers in the order in which they lie in memory, so what it
    // calls head 1 is all heads of the first tokens. Compare with the step before.
    // No error is raised, and training even works somewhat, which makes this slip
    // so hard to find.
    const struct tensor queries_scrambled =
        name_axis(name_matrix(view(queries, SHAPE(sentences, heads, tokens,
                                                  head_dim)),
                              "query", "feature"),
                  1, "head");
    STEP(r, queries_scrambled, "not Q[b, h, t, d]",
         "queries.view(b, num_heads, num_tokens, head_dim)");

    // Keys, split in the same way. view first, then transpose: the view must follow
    // how the numbers lie in memory, token by token, head by head within a token.
    const struct tensor keys_viewed =
        name_axis(view(keys, split), 2, "head");
    const struct tensor keys_by_head = transpose(keys_viewed, 1, 2);
    STEP(r, keys_by_head, "K[b, h, t, d]",
         "keys.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)");

    // Values, split in the same way. Queries, keys and values of one head stay
    // together because all three are cut alike.
    const struct tensor values_viewed =
        name_axis(view(values, split), 2, "head");
    const struct tensor values_by_head = transpose(values_viewed, 1, 2);
    STEP(r, values_by_head, "V[b, h, t, d]",
         "values.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)");

    SECTION(r, "Attention in every head");

    // Scores of every head in one call. matmul multiplies the last two dimensions
    // and repeats that for all that stand in front, here batch and head. So the
    // keys swap dimensions 2 and 3.
    const struct tensor scores =
        matmul(m, queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(r, scores, "S = Q Kᵀ, for each sentence and head",
         "queries_by_head @ keys_by_head.transpose(2, 3)");

    // The mask kept by the class, sliced to the tokens at hand. It is a buffer of
    // context_length by context_length, made once. It has no batch and no head
    // dimension: one mask serves them all.
    const struct tensor all_ones =
        ones(m, SHAPE(context_length, context_length));
    const struct tensor mask_buffer =
        to_bool(m, name_matrix(triu(m, all_ones, 1), "query", "key"));
    const struct tensor mask =
        narrow(narrow(mask_buffer, 0, 0, tokens), 1, 0, tokens);
    STEP(r, mask, "M[i,j] = (j > i)",
         "mask_buffer.bool()[:num_tokens, :num_tokens]");

    // Hide the future in every head. A mask of [tokens, tokens] meets scores of
    // [batch, heads, tokens, tokens]: it is broadcast, laid over each of the
    // matrices in turn, without being copied.
    const struct tensor masked_scores =
        masked_fill(m, scores, mask, -INFINITY);
    STEP(r, masked_scores, "-∞ if j > i, else S[i,j]",
         "scores.masked_fill(mask, -torch.inf)");

    // Weights of every head. d_k is the width of one head's keys, head_dim, so that
    // is whose root we divide by, not d_out's. In the course's example head_dim is
    // 1 and √1 is 1: the scaling is there and changes nothing. Leave it out and you
    // will not notice until heads get wider.
    const struct tensor root =
        scalar(m, sqrt((double)keys_by_head.shape[3]));
    const struct tensor weights =
        softmax(m, divide(m, masked_scores, root), -1);
    STEP(r, weights, "W = softmax(masked S / √head_dim)",
         "torch.softmax(masked_scores / keys_by_head.shape[-1]**0.5, "
         "dim=-1)");

    // Dropout, if it is on. One call draws the mask of all sentences and heads, in
    // the order of memory. The wrapper makes one call a head, so with the same seed
    // its masks differ.
    const struct tensor dropped =
        dropout(m, g, weights, p, r->parameters.stream);
    STEP(r, dropped, "W · keep / (1 - p)",
         "torch.nn.functional.dropout(weights, p)");

    // Each head's context vectors. Head h mixes its own values with its own
    // weights.
    const struct tensor context_by_head =
        matmul(m, dropped, values_by_head);
    STEP(r, context_by_head, "Z = W V, for each sentence and head",
         "dropped @ values_by_head");

    SECTION(r, "Putting the heads together");

    // Turn it around: tokens before heads again. For the next line each token needs
    // the results of all its heads next to each other. transpose gives that order,
    // but only in how it counts; look at the strides. In memory all of head 1 still
    // lies before all of head 2.
    const struct tensor context_transposed =
        transpose(context_by_head, 1, 2);
    STEP(r, context_transposed, "Z[b, t, h, d]",
         "context_by_head.transpose(1, 2)");

    // The order in memory, for the first sentence. First come all tokens of head 1,
    // then all of head 2. To merge heads and head_dim into one dimension, view
    // needs one stride that leads from head to head and through a head alike. With
    // head_dim 2 there is none, and PyTorch says: "view size is not compatible with
    // input tensor's size and stride". With head_dim 1, as in the course, view
    // would go through: by luck.
    const struct tensor first_sentence =
        select_index(context_by_head, 0, 0);
    const struct tensor in_memory = name_axis(
        view(first_sentence, SHAPE(heads * tokens * head_dim)), 0, "place");
    STEP(r, in_memory, "head by head, token by token",
         "context_by_head[0].flatten()");

    // contiguous() copies the numbers into the order in which they are counted.
    // Same shape, same values, new strides, new memory: token by token, all heads
    // of a token side by side. (With one head the order was right already, and
    // nothing is copied.)
    const struct tensor context_contiguous =
        contiguous(m, context_transposed);
    STEP(r, context_contiguous, "Z[b, t, h, d], copied",
         "context_transposed.contiguous()");

    // The order in memory now. The first numbers are the first token's, one head
    // after the other: exactly the row that we want. Compare with the list before.
    const struct tensor first_copied =
        select_index(context_contiguous, 0, 0);
    const struct tensor in_memory_now =
        name_axis(view(contiguous(m, first_copied), SHAPE(tokens * d_out)),
                  0, "place");
    STEP(r, in_memory_now, "token by token, head by head",
         "context_contiguous[0].flatten()");

    // Now view can merge heads and head_dim into d_out. Each row holds a token's
    // context from all heads. This is torch.cat of the wrapper, without its loop.
    // (reshape would copy by itself where needed, and hide what happens.)
    const struct tensor merged =
        view(context_contiguous, SHAPE(sentences, tokens, d_out));
    const struct tensor context = name_axis(merged, 2, "feature");
    STEP(r, context, "[Z₁, Z₂, ...]",
         "context_contiguous.view(b, num_tokens, d_out)");

    // The output projection mixes the heads. Every number of the result can draw on
    // every head, which nothing before it did. This is the result of the class.
    const struct tensor output =
        linear(m, context, layers.W_out, layers.W_out_bias);
    STEP(r, output, "Y = Z W_oᵀ + b_o", "out_proj(context)");

    SECTION(r, "The wrapper class gives the same");

    // The wrapper class with slices of these weights. Wrapper head h gets the rows
    // of each weight that belong to head h, and works alone, as in the lesson
    // before. Dropout is left out on both sides of this comparison, since the two
    // classes draw their masks in different orders.
    struct tensor contexts[MOST_HEADS];
    for (int64_t h = 0; h < heads; h++) {
        const struct tensor q =
            part_of(r, batch, layers.W_query, layers.W_query_bias, h);
        const struct tensor k =
            part_of(r, batch, layers.W_key, layers.W_key_bias, h);
        const struct tensor v =
            part_of(r, batch, layers.W_value, layers.W_value_bias, h);
        const struct tensor s = masked_fill(
            m, matmul(m, q, transpose(k, 1, 2)), mask, -INFINITY);
        contexts[h] = matmul(m, softmax(m, divide(m, s, root), -1), v);
    }
    const struct tensor wrapper_context = cat(m, (int)heads, contexts, -1);
    STEP(r, wrapper_context, "[Z₁, Z₂, ...] from slices of W",
         "torch.cat([head(batch) for head in heads], dim=-1)");

    // The largest difference is 0. Splitting one wide layer or stacking narrow ones
    // is the same arithmetic on the same numbers. The classes differ in speed, in
    // the order in which their weights are drawn, and in the output projection.
    const struct tensor undropped =
        transpose(matmul(m, weights, values_by_head), 1, 2);
    const struct tensor split_context =
        view(contiguous(m, undropped), shape_of(&wrapper_context));
    const struct tensor difference =
        amax(m, absolute(m, subtract(m, split_context, wrapper_context)));
    STEP(r, difference, "max |split - wrapper|",
         "(split_context - wrapper_context).abs().max()");
}

LESSON(split_head) = {
    .name = "split_head",
    .title = "Multi-head attention with split heads",
    .summary = "One set of layers for all heads: view, transpose, attend, "
               "transpose back, contiguous, "
               "view, project.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS |
            USES_CONTEXT_LENGTH | USES_BATCH | USES_EVAL,
    .splits_heads = true,
    .defaults = {.d_out = 2, .heads = 2, .batch = 2},
    .teach = split_head,
    .source = &split_head_source,
};
