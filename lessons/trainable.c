#include <math.h>

#include "trace/lesson.h"

// Powers of two from 1 to 256: the widths at which random scores are measured.
enum { WIDTHS = 9, RANDOM_VECTORS = 32 };
static const char *const width_labels[WIDTHS] = {
    "d_k 1",  "d_k 2",  "d_k 4",   "d_k 8",  "d_k 16",
    "d_k 32", "d_k 64", "d_k 128", "d_k 256"};
static const char *const scaling_labels[2] = {"unscaled", "scaled"};

static void weights_from_rand(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t d_in = r->inputs.shape[1], d_out = r->parameters.d_out;

    GROUP(r, "rand");
    SECTION(r, "Weights from torch.rand");

    // Each token plays three roles. As a query it asks, as a key it is found, as a
    // value it is what gets mixed. Three matrices make the three versions of its
    // row. This one, W_query, starts as random numbers between 0 and 1; training
    // would change them. Its shape is [d_in, d_out]: inputs of width d_in leave
    // with width d_out.
    reseed(r, 123);
    const struct tensor W_query = name_matrix(
        uniform(m, g, SHAPE(d_in, d_out), 0, 1), "input", "feature");
    STEP(r, W_query, "W_q ~ uniform [0, 1)", "torch.rand(d_in, d_out)");

    // The keys get a matrix of their own. It is drawn right after W_query from the
    // same sequence of random numbers. That order matters: draw the key matrix
    // first and every number that follows changes, although the seed is the same.
    const struct tensor W_key = name_matrix(
        uniform(m, g, SHAPE(d_in, d_out), 0, 1), "input", "feature");
    STEP(r, W_key, "W_k ~ uniform [0, 1)", "torch.rand(d_in, d_out)");

    // And so do the values. Mind the two meanings of one word: these weight
    // matrices are parameters, fixed once trained; the attention weights further
    // down are computed anew for every sentence.
    const struct tensor W_value = name_matrix(
        uniform(m, g, SHAPE(d_in, d_out), 0, 1), "input", "feature");
    STEP(r, W_value, "W_v ~ uniform [0, 1)", "torch.rand(d_in, d_out)");

    // Queries: what each token looks for. A row of the inputs times W_query gives a
    // row of d_out numbers, as many as we asked for. The product mixes features,
    // never tokens: row i of the result depends on row i of the inputs alone.
    const struct tensor queries =
        rename_axis(matmul(m, r->inputs, W_query), "token", "query");
    STEP(r, queries, "Q = X W_q", "inputs @ W_query");

    // Keys: what each token can be found by. Queries and keys are compared with
    // each other, so they must have the same width, called d_k. It is the only
    // thing that they must share.
    const struct tensor keys =
        rename_axis(matmul(m, r->inputs, W_key), "token", "key");
    STEP(r, keys, "K = X W_k", "inputs @ W_key");

    // Values: what each token hands over. Not the inputs are mixed now, but these.
    // A token may be easy to find by its key and still hand over something quite
    // different.
    const struct tensor values = matmul(m, r->inputs, W_value);
    STEP(r, values, "V = X W_v", "inputs @ W_value");

    // One query against all keys. As in the first lesson, but the query and the
    // keys are now the projected rows, no longer the inputs themselves.
    const struct tensor query = select_index(queries, 0, r->query);
    const struct tensor query_scores = matmul(m, keys, query);
    STEP(r, query_scores, "sⱼ = qᵢ · kⱼ", "keys @ queries[i]");

    // Divide by √d_k, then take the softmax. The division keeps large scores from
    // pushing the softmax to all or nothing; the section on √d_k below shows what
    // happens without it.
    const struct tensor query_root = scalar(m, sqrt((double)keys.shape[1]));
    const struct tensor query_weights =
        softmax(m, divide(m, query_scores, query_root), -1);
    STEP(r, query_weights, "w = softmax(s / √d_k)",
         "torch.softmax(query_scores / keys.shape[-1]**0.5, dim=-1)");

    // The context vector mixes the values. Its width is the width of the values,
    // not of the inputs.
    const struct tensor query_context = matmul(m, query_weights, values);
    STEP(r, query_context, "z = Σⱼ wⱼ vⱼ", "query_weights @ values");

    // Scores of all queries against all keys. No longer symmetric: q₁ · k₂ and q₂ ·
    // k₁ come from different rows now. That 'journey' looks for 'step' need not
    // mean that 'step' looks for 'journey'.
    const struct tensor scores = matmul(m, queries, transpose(keys, 0, 1));
    STEP(r, scores, "S = Q Kᵀ", "queries @ keys.T");

    // Scores divided by √d_k. d_k is the width of one key, the number of products
    // that each score adds up. Here it equals d_out. With several heads it does
    // not: each head has narrower keys, and √d_out would be wrong.
    const struct tensor scaled =
        divide(m, scores, scalar(m, sqrt((double)keys.shape[1])));
    STEP(r, scaled, "S / √d_k", "scores / keys.shape[-1]**0.5");

    // Attention weights, each row a sum of 1. The softmax runs along the keys as
    // before. Dividing all scores by one number does not change their order, only
    // how far apart the weights are.
    const struct tensor weights = softmax(m, scaled, -1);
    STEP(r, weights, "W = softmax(S / √d_k)",
         "torch.softmax(scaled, dim=-1)");

    // Context: scaled dot-product attention is complete. This is the formula of the
    // Transformer paper, softmax(Q Kᵀ / √d_k) V, one row a token.
    const struct tensor context = matmul(m, weights, values);
    STEP(r, context, "Z = W V", "weights @ values");

    END_GROUP(r);
}

static void why_scale(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;

    SECTION(r, "Why divide by √d_k");

    // Scores of random vectors, for nine widths. To see what the width alone does,
    // draw 32 queries and 32 keys of each width d_k, every number with mean 0 and
    // variance 1, and take all dot products. This has nothing to do with our
    // sentence: it is an experiment.
    reseed(r, 123);
    struct tensor scores_of_width[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        const struct tensor random_queries =
            normal(m, g, SHAPE(RANDOM_VECTORS, INT64_C(1) << i));
        const struct tensor random_keys =
            normal(m, g, SHAPE(RANDOM_VECTORS, INT64_C(1) << i));
        scores_of_width[i] =
            matmul(m, random_queries, transpose(random_keys, 0, 1));
    }
    const struct tensor by_width =
        name_axis(stack(m, WIDTHS, scores_of_width, 0), 0, "width");
    const struct tensor random_scores =
        name_matrix(label_axis(by_width, 0, width_labels), "query", "key");
    STEP(r, random_scores, "S = Q Kᵀ with random Q and K",
         "torch.stack([torch.randn(32, d) @ torch.randn(32, d).T for d in "
         "widths])");

    // The variance of a score grows with d_k. Each score adds up d_k products of
    // variance 1, and variances of independent numbers add up, so the left column
    // is near d_k itself. The typical size of a score grows as its root, √d_k.
    // Divide by that and the variance stays near 1 for every width: that is the
    // whole reason for √d_k.
    float roots[WIDTHS];
    for (int i = 0; i < WIDTHS; i++)
        roots[i] = (float)sqrt((double)(INT64_C(1) << i));
    const struct tensor random_scaled =
        divide(m, random_scores, tensor_of(m, SHAPE(WIDTHS, 1, 1), roots));
    const struct shape flat =
        SHAPE(WIDTHS, RANDOM_VECTORS * RANDOM_VECTORS);
    const struct tensor variances[] = {
        var(m, view(random_scores, flat), 1),
        var(m, view(random_scaled, flat), 1)};
    const struct tensor score_variance =
        label_axis(stack(m, 2, variances, 1), 1, scaling_labels);
    STEP(r, score_variance, "var(S) ≈ d_k, var(S / √d_k) ≈ 1",
         "torch.stack([random_scores.flatten(1).var(1), "
         "random_scaled.flatten(1).var(1)], dim=1)");

    // Without scaling, wide scores make the softmax choose. Each row shows how one
    // random query shares its attention among six keys. As d_k grows, one weight
    // goes to 1 and the others to 0, and a softmax that is so sure of itself hardly
    // learns: its gradients are close to 0.
    const struct tensor six_scores =
        narrow(select_index(random_scores, 1, 0), 1, 0, 6);
    const struct tensor unscaled_weights = softmax(m, six_scores, -1);
    STEP(r, unscaled_weights, "softmax(S)",
         "torch.softmax(random_scores[:, 0, :6], dim=-1)");

    // With scaling, every width shares about alike. These are the same scores,
    // divided by √d_k before the softmax. The weights stay spread out from the
    // first row to the last, so no width learns worse than another.
    const struct tensor six_scaled =
        narrow(select_index(random_scaled, 1, 0), 1, 0, 6);
    const struct tensor scaled_weights = softmax(m, six_scaled, -1);
    STEP(r, scaled_weights, "softmax(S / √d_k)",
         "torch.softmax(random_scaled[:, 0, :6], dim=-1)");
}

static void weights_in_layers(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t d_in = r->inputs.shape[1], d_out = r->parameters.d_out;
    const bool bias = r->parameters.bias;

    GROUP(r, "linear");
    SECTION(r, "Weights in linear layers");

    // A linear layer keeps its weight as [d_out, d_in]. That is the other way round
    // from W_query above, and the layer turns it back when it computes x Wᵀ. Its
    // numbers start uniform between -1/√d_in and 1/√d_in instead of between 0 and
    // 1, which suits training better: they average 0, and wider inputs get smaller
    // numbers.
    reseed(r, 789);
    const struct tensor W_query = linear_weight(m, g, d_out, d_in);
    STEP(r, W_query, "W_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The layer's bias, one number a feature. A layer with a bias adds it to every
    // row of its result. It is drawn right after the layer's weight, from the same
    // ±1/√d_in, so switching biases on changes every weight that is drawn later.
    const struct tensor W_query_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_query_bias, "b_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // The key layer's weight. Layers draw their numbers when they are made, one
    // after the other: query, key, value. Make them in another order and the same
    // seed gives other weights.
    const struct tensor W_key = linear_weight(m, g, d_out, d_in);
    STEP(r, W_key, "W_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The key layer's bias. Added to every key, it raises or lowers all scores of a
    // query by one amount, q · b_k. The softmax does not feel that: it looks at
    // differences only.
    const struct tensor W_key_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_key_bias, "b_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // The value layer's weight. Its width is free: values are mixed, never compared
    // with queries or keys. That all three layers here have the same d_out is a
    // habit.
    const struct tensor W_value = linear_weight(m, g, d_out, d_in);
    STEP(r, W_value, "W_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The value layer's bias. The weights of a row add up to 1, so this bias
    // arrives whole in every context vector.
    const struct tensor W_value_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_value_bias, "b_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // Queries from the layer. Column j of the result is the dot product of a token
    // with row j of the weight: x Wᵀ. Compare x @ W above, where it was column j of
    // the matrix.
    const struct tensor projected_queries =
        linear(m, r->inputs, W_query, W_query_bias);
    const struct tensor queries =
        rename_axis(projected_queries, "token", "query");
    STEP(r, queries, "Q = X W_qᵀ", "W_query(inputs)");

    // Keys from the layer. They may be negative now, since the weights may: nothing
    // in attention asks for positive numbers.
    const struct tensor projected_keys =
        linear(m, r->inputs, W_key, W_key_bias);
    const struct tensor keys = rename_axis(projected_keys, "token", "key");
    STEP(r, keys, "K = X W_kᵀ", "W_key(inputs)");

    // Values from the layer. The same inputs a third time, seen through the third
    // matrix.
    const struct tensor values =
        linear(m, r->inputs, W_value, W_value_bias);
    STEP(r, values, "V = X W_vᵀ", "W_value(inputs)");

    // Scores, as before. Only where the queries and keys come from has changed, not
    // what happens to them.
    const struct tensor scores = matmul(m, queries, transpose(keys, 0, 1));
    STEP(r, scores, "S = Q Kᵀ", "queries @ keys.T");

    // Scaled by √d_k, as before. These scores were small to begin with, so the rows
    // of weights will come out nearly even.
    const struct tensor scaled =
        divide(m, scores, scalar(m, sqrt((double)keys.shape[1])));
    STEP(r, scaled, "S / √d_k", "scores / keys.shape[-1]**0.5");

    // Weights: nearly even, because nothing was trained. Small random weights make
    // scores near 0, and the softmax of equal scores is one over the number of
    // tokens. A trained model would have found preferences.
    const struct tensor weights = softmax(m, scaled, -1);
    STEP(r, weights, "W = softmax(S / √d_k)",
         "torch.softmax(scaled, dim=-1)");

    // Context vectors of the linear layers. Other numbers than with torch.rand,
    // since the weights are others; the next section shows that this is the only
    // difference.
    const struct tensor context = matmul(m, weights, values);
    STEP(r, context, "Z = W V", "weights @ values");

    END_GROUP(r);
    SECTION(r, "Both are one thing");

    // Copy the layer's weight over, turned. Transpose the layer's [d_out, d_in]
    // weight into [d_in, d_out], and x @ W computes what the layer does. Without
    // the transposition the shapes fit only where d_in equals d_out, and there the
    // result would be quietly wrong.
    const struct tensor copied_weight = transpose(W_query, 0, 1);
    const struct tensor copied_queries =
        matmul(m, r->inputs, copied_weight);
    STEP(r, copied_queries, "X W with W = W_qᵀ",
         "inputs @ W_query.weight.T");

    // The largest difference between the two is 0. Both compute the same sums of
    // the same products in the same order, so not even a last digit differs. (A
    // bias, if there is one, is left out on both sides.)
    const struct tensor layer_queries =
        linear(m, r->inputs, W_query, NO_TENSOR);
    const struct tensor difference =
        amax(m, absolute(m, subtract(m, copied_queries, layer_queries)));
    STEP(r, difference, "max |X W - X W_qᵀ|",
         "(copied_queries - torch.nn.functional.linear(inputs, "
         "W_query.weight)).abs().max()");
}

static void trainable(struct run *r) {
    weights_from_rand(r);
    why_scale(r);
    weights_in_layers(r);
}

LESSON(trainable) = {
    .name = "trainable",
    .title = "Self-attention with trainable weights",
    .summary =
        "Queries, keys and values from weight matrices, why scores are "
        "divided by √d_k, and "
        "torch.rand against linear layers.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_QUERY,
    .defaults = {.d_out = 2},
    .teach = trainable,
    .source = &trainable_source,
};
