#include "trace/lesson.h"

// Powers of two from 1 to 256: the widths at which random scores are measured.
enum { WIDTHS = 9, RANDOM_VECTORS = 32 };
static const char *const width_labels[WIDTHS] = {"d_k 1",  "d_k 2",
                                                 "d_k 4",  "d_k 8",
                                                 "d_k 16", "d_k 32",
                                                 "d_k 64", "d_k 128",
                                                 "d_k 256"};
static const float width_roots[WIDTHS] = {1, 1.41421356F, 2, 2.82842712F,
                                          4, 5.65685425F, 8, 11.3137085F,
                                          16};
static const char *const scaling_labels[2] = {"unscaled", "scaled"};

static void weights_from_rand(struct run *run) {
    tensor inputs = run->inputs;
    int64_t d_in = inputs.shape[1], d_out = run->parameters.d_out;

    GROUP("rand");
    SECTION("Weights from torch.rand");

    // Each token plays three roles. As a query it asks, as a key it is found, as a
    // value it is what gets mixed. Three matrices [d_in, d_out] make the three
    // versions of its row. They are drawn one after the other: draw W_key first, and
    // with the same seed it gets W_query's numbers. Mind the two meanings of one
    // word: weight matrices are parameters, which training would change and then
    // leave; the attention weights further down are new for every sentence.
    reseed(run, 123);
    tensor W_query = axes(uniform(run, d_in, d_out), "input", "feature");
    STEP(W_query, "W_q ~ uniform [0, 1)",
         "W_query = torch.nn.Parameter(torch.rand(d_in, d_out))");
    tensor W_key = axes(uniform(run, d_in, d_out), "input", "feature");
    STEP(W_key, "W_k ~ uniform [0, 1)",
         "W_key = torch.nn.Parameter(torch.rand(d_in, d_out))");
    tensor W_value = axes(uniform(run, d_in, d_out), "input", "feature");
    STEP(W_value, "W_v ~ uniform [0, 1)",
         "W_value = torch.nn.Parameter(torch.rand(d_in, d_out))");

    // Queries: what each token looks for. A row of the inputs times W_query gives a
    // row of d_out numbers, as many as we asked for. The product mixes features,
    // never tokens: row i of the result depends on row i of the inputs alone.
    tensor queries = rows(matmul(inputs, W_query), "query");
    STEP(queries, "Q = X W_q", "queries = inputs @ W_query");

    // Keys: what each token can be found by. Queries and keys are compared with
    // each other, so they must have the same width, called d_k. It is the only
    // thing that they must share.
    tensor keys = rows(matmul(inputs, W_key), "key");
    STEP(keys, "K = X W_k", "keys = inputs @ W_key");

    // Values: what each token hands over. Not the inputs are mixed now, but these.
    // A token may be easy to find by its key and still hand over something quite
    // different.
    tensor values = matmul(inputs, W_value);
    STEP(values, "V = X W_v", "values = inputs @ W_value");

    // One query against all keys. As in the first lesson, but the query and the
    // keys are now the projected rows, no longer the inputs themselves.
    tensor query = select_index(queries, 0, run->query);
    tensor query_scores = matmul(keys, query);
    STEP(query_scores, "sⱼ = qᵢ · kⱼ",
         "query = queries[query_index]\n"
         "query_scores = keys @ query");

    // Divide by √d_k, then take the softmax. The division keeps large scores from
    // pushing the softmax to all or nothing; the section on √d_k below shows what
    // happens without it.
    tensor query_scaled = divide_by(query_scores, root(keys.shape[1]));
    tensor query_weights = softmax(query_scaled, -1);
    STEP(query_weights, "w = softmax(s / √d_k)",
         "query_weights = torch.softmax(query_scores / keys.shape[-1]**0.5, dim=-1)");

    // The context vector mixes the values. Its width is the width of the values,
    // not of the inputs.
    tensor query_context = matmul(query_weights, values);
    STEP(query_context, "z = Σⱼ wⱼ vⱼ",
         "query_context = query_weights @ values");

    // Scores of all queries against all keys. No longer symmetric: q₁ · k₂ and q₂ ·
    // k₁ come from different rows now. That one token looks for another need not
    // mean that the other looks for it.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Scores divided by √d_k. d_k is the width of one key, the number of products
    // that each score adds up. Here it equals d_out. With several heads it does
    // not: each head has narrower keys, and √d_out would be wrong.
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Attention weights, each row a sum of 1. The softmax runs along the keys as
    // before. Dividing all scores by one number does not change their order, only
    // how far apart the weights are.
    tensor weights = softmax(scaled, -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scaled, dim=-1)");

    // Context: scaled dot-product attention is complete. This is the formula of the
    // Transformer paper, softmax(Q Kᵀ / √d_k) V, one row a token.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    END_GROUP;
}

// Of weights (width, query, key), a number a width: the mean over its queries.
static struct tensor largest_share(tensor weights) {
    return mean(amax_along(weights, 2), 1);
}

static struct tensor answers(tensor one, tensor weights) {
    return mean(sum(multiply(weights, subtract(one, weights)), 2, false),
                1);
}

static void why_scale(struct run *run) {
    SECTION("Why divide by √d_k");

    // Scores of random vectors, for nine widths. To see what the width alone does,
    // draw 32 queries and 32 keys of each width d_k, every number with mean 0 and
    // variance 1, and take all dot products. This has nothing to do with our
    // sentence: it is an experiment.
    reseed(run, 123);
    struct tensor scores_of_width[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        tensor random_queries =
            normal(run, RANDOM_VECTORS, INT64_C(1) << i);
        tensor random_keys = normal(run, RANDOM_VECTORS, INT64_C(1) << i);
        scores_of_width[i] =
            matmul(random_queries, transpose(random_keys, 0, 1));
    }
    tensor by_width =
        axes(stack(WIDTHS, scores_of_width, 0), "width", "query", "key");
    tensor random_scores = label_axis(by_width, 0, width_labels);
    STEP(random_scores, "S = Q Kᵀ with random Q and K",
         "widths = [2**k for k in range(9)]\n"
         "pairs = [(torch.randn(32, d), torch.randn(32, d)) for d in widths]\n"
         "# row by row: added up in the same order on every processor\n"
         "products = [torch.cat([q @ K.T for q in Q.split(1)]) for Q, K in pairs]\n"
         "random_scores = torch.stack(products)");

    // The variance of a score grows with d_k. Each score adds up d_k products of
    // variance 1, and variances of independent numbers add up, so the left column
    // is near d_k itself. The typical size of a score grows as its root, √d_k.
    // Divide by that and the variance stays near 1 for every width: that is the
    // whole reason for √d_k.
    tensor roots = view(numbers_of(run, WIDTHS, width_roots), WIDTHS, 1, 1);
    tensor random_scaled = divide(random_scores, roots);
    tensor unscaled_variance =
        var(view(random_scores, WIDTHS, RANDOM_VECTORS * RANDOM_VECTORS),
            1);
    tensor scaled_variance =
        var(view(random_scaled, WIDTHS, RANDOM_VECTORS * RANDOM_VECTORS),
            1);
    tensor both_variances =
        stack(2, (tensor[]){unscaled_variance, scaled_variance}, 1);
    tensor score_variance = label_columns(both_variances, scaling_labels);
    STEP(score_variance, "var(S) ≈ d_k, var(S / √d_k) ≈ 1",
         "roots = torch.tensor(widths).sqrt().view(-1, 1, 1)\n"
         "random_scaled = random_scores / roots\n"
         "variances = [s.flatten(1).var(1) for s in (random_scores, random_scaled)]\n"
         "score_variance = torch.stack(variances, dim=1)");

    // Without scaling, wide scores make the softmax choose. Each row shows how one
    // random query shares its attention among six keys. As d_k grows, one weight
    // goes to 1 and the others to 0, and a softmax that is so sure of itself hardly
    // learns: its gradients are close to 0.
    tensor six_scores = narrow(select_index(random_scores, 1, 0), 1, 0, 6);
    tensor unscaled_weights = softmax(six_scores, -1);
    STEP(unscaled_weights, "softmax(S)",
         "unscaled_weights = torch.softmax(random_scores[:, 0, :6], dim=-1)");

    // With scaling, no width has to choose. These are the same scores, divided by
    // √d_k before the softmax. The rows still differ, since their numbers are
    // random, but from the first to the last the weights stay spread out.
    tensor six_scaled = narrow(select_index(random_scaled, 1, 0), 1, 0, 6);
    tensor scaled_weights = softmax(six_scaled, -1);
    STEP(scaled_weights, "softmax(S / √d_k)",
         "scaled_weights = torch.softmax(random_scaled[:, 0, :6], dim=-1)");

    // The largest weight, by width. Of each of the 32 queries the largest of its 32
    // weights is taken, and the mean of these is shown. Unscaled it climbs with the
    // width, until one key has most of it; scaled it stays about what it was.
    tensor shares = softmax(random_scores, -1);
    tensor scaled_shares = softmax(random_scaled, -1);
    tensor largest_of_both = stack(2,
                                   (tensor[]){largest_share(shares),
                                              largest_share(scaled_shares)},
                                   1);
    tensor largest_weights =
        label_rows(label_columns(largest_of_both, scaling_labels),
                   width_labels);
    STEP(largest_weights, "mean over queries of maxⱼ wⱼ",
         "shares = [torch.softmax(s, dim=-1) for s in (random_scores, random_scaled)]\n"
         "largest = [w.amax(dim=-1).mean(dim=1) for w in shares]\n"
         "largest_weights = torch.stack(largest, dim=1)");

    // How strongly weights answer to their scores. When a score rises a little, its
    // weight w rises by w (1 - w) times as much; here the sum over a query's keys.
    // It is 0 where one weight is 1: that softmax has decided, and no gradient comes
    // through it. That is what scaling prevents.
    tensor one = number(run, 1);
    tensor both_answers =
        stack(2,
              (tensor[]){answers(one, shares), answers(one, scaled_shares)},
              1);
    tensor weight_answers =
        label_rows(label_columns(both_answers, scaling_labels),
                   width_labels);
    STEP(weight_answers, "mean over queries of Σⱼ wⱼ (1 - wⱼ)",
         "answers = [(w * (1 - w)).sum(dim=-1).mean(dim=1) for w in shares]\n"
         "weight_answers = torch.stack(answers, dim=1)");
}

// What the section on linear layers leaves for a batch.
struct layers {
    struct tensor W_query, W_query_bias, W_key, W_key_bias, W_value,
        W_value_bias;
};

static struct layers weights_in_layers(struct run *run) {
    tensor inputs = run->inputs;
    int64_t d_in = inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    GROUP("linear");
    SECTION("Weights in linear layers");

    // A linear layer keeps its weight as [d_out, d_in]. That is the other way round
    // from W_query above, and the layer turns it back when it computes x Wᵀ. Its
    // numbers start uniform in ±1/√d_in, which suits training better than 0 to 1:
    // they average 0, and wider inputs get smaller ones. A bias, where biases are
    // on, is drawn right after its weight. A key's bias changes all scores of a
    // query alike, which the softmax does not feel; a value's arrives whole.
    reseed(run, 789);
    tensor W_query = linear_weight(run, d_out, d_in);
    STEP(W_query, "W_q ~ uniform ±1/√d_in",
         "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_query.weight");
    tensor W_query_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_query_bias, "b_q ~ uniform ±1/√d_in", "", "W_query.bias");
    tensor W_key = linear_weight(run, d_out, d_in);
    STEP(W_key, "W_k ~ uniform ±1/√d_in",
         "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_key.weight");
    tensor W_key_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_key_bias, "b_k ~ uniform ±1/√d_in", "", "W_key.bias");
    tensor W_value = linear_weight(run, d_out, d_in);
    STEP(W_value, "W_v ~ uniform ±1/√d_in",
         "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_value.weight");
    tensor W_value_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_value_bias, "b_v ~ uniform ±1/√d_in", "", "W_value.bias");

    // Queries, keys and values from the layers. Column j of a result is the dot
    // product of a token with row j of the weight: x Wᵀ. Compare x @ W above, where
    // it was column j of the matrix. The numbers may be negative now, since the
    // weights may: nothing in attention asks for positive ones.
    tensor queries = rows(linear(inputs, W_query, W_query_bias), "query");
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = rows(linear(inputs, W_key, W_key_bias), "key");
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = linear(inputs, W_value, W_value_bias);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // Scores, as before. Only where the queries and keys come from has changed, not
    // what happens to them.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Scaled by √d_k, as before. These scores were small to begin with, so the rows
    // of weights will come out nearly even.
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Weights: nearly even, because nothing was trained. Small random weights make
    // scores near 0, and the softmax of equal scores is one over the number of
    // tokens. A trained model would have found preferences.
    tensor weights = softmax(scaled, -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scaled, dim=-1)");

    // Context vectors of the linear layers. Other numbers than with torch.rand,
    // since the weights are others; the next section shows that this is the only
    // difference.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    END_GROUP;
    SECTION("Both are one thing");

    // Copy the layer's weight over, turned. Transpose the layer's [d_out, d_in]
    // weight into [d_in, d_out], and x @ W computes what the layer does. Without
    // the transposition the shapes fit only where d_in equals d_out, and there the
    // result would be quietly wrong.
    tensor copied_weight = transpose(W_query, 0, 1);
    tensor copied_queries = matmul(inputs, copied_weight);
    STEP(copied_queries, "X W with W = W_qᵀ",
         "copied_queries = inputs @ W_query.weight.T");

    // The largest difference between the two is 0. Both compute the same sums of
    // the same products in the same order, so not even a last digit differs. (A
    // bias, if there is one, is left out on both sides.)
    tensor layer_queries = linear(inputs, W_query, NO_TENSOR);
    tensor difference =
        amax(absolute(subtract(copied_queries, layer_queries)));
    STEP(difference, "max |X W - X W_qᵀ|",
         "layer_queries = torch.nn.functional.linear(inputs, W_query.weight)\n"
         "difference = (copied_queries - layer_queries).abs().max()");

    return (struct layers){W_query,    W_query_bias, W_key,
                           W_key_bias, W_value,      W_value_bias};
}

static void in_a_batch(struct run *run, const struct layers *layers) {
    GROUP("batch");
    SECTION("A batch of sentences");

    // Several sentences at once are a batch. They lie one behind the other in a new
    // first dimension: [batch, tokens, d_in]. Tokens of one sentence are never
    // compared with those of another.
    tensor batch = axes(stack(run->batch_size, run->sentences, 0), "batch",
                        "token", "feature");
    STEP(batch, "X, one matrix a sentence",
         "batch = torch.stack([inputs] * batch_size, dim=0)");

    // Queries, keys and values of all sentences. A layer works on the last dimension
    // and leaves the others alone, so these are the layers from above and nothing in
    // the code has changed.
    tensor queries =
        rows(linear(batch, layers->W_query, layers->W_query_bias), "query");
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor keys =
        rows(linear(batch, layers->W_key, layers->W_key_bias), "key");
    STEP(keys, "K = X W_kᵀ", "keys = W_key(batch)");
    tensor values = linear(batch, layers->W_value, layers->W_value_bias);
    STEP(values, "V = X W_vᵀ", "values = W_value(batch)");

    // Scores, a matrix for each sentence. keys.T would turn the batch around as
    // well, so the two dimensions are named: transpose(1, 2) swaps tokens and
    // features. That is the one line that a batch changes.
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    STEP(scores, "S = Q Kᵀ, for each sentence",
         "scores = queries @ keys.transpose(1, 2)");

    // Scaled by √d_k, the last size of the keys. keys.shape[1] would be the number of
    // tokens here: in a batch, dimensions are counted from the end.
    tensor scaled = divide_by(scores, root(keys.shape[2]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Weights and context, sentence by sentence. No mask yet: every token sees all
    // tokens of its own sentence, also those behind it.
    tensor weights = softmax(scaled, -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scaled, dim=-1)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V, for each sentence",
         "context = weights @ values");

    END_GROUP;
}

static void trainable(struct run *run) {
    weights_from_rand(run);
    why_scale(run);
    struct layers layers = weights_in_layers(run);
    if (run->batch_size > 0) in_a_batch(run, &layers);
}

LESSON(trainable) = {
    .name = "trainable",
    .title = "Self-attention with trainable weights",
    .summary =
        "Queries, keys and values from weight matrices, why scores are divided by √d_k, and torch.rand against linear layers.",
    .book =
        "section 3.4, Implementing self-attention with trainable weights",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_QUERY |
            USES_BATCH,
    .defaults = {.d_out = 2},
    EXERCISES(
        {"rand: queries",
         {"Each row of the inputs becomes a row of two numbers.",
          "A row of three times a matrix [3, 2]: @, the inputs first.",
          "inputs @ W_..."}},
        {"rand: query_scores",
         {"One query against all keys: a dot product for each key.",
          "As in the first lesson, with keys where the inputs were.",
          "keys @ ..., with the one that asks."}},
        {"rand: scaled",
         {"Scores grow with the width of the keys; divide by its root.",
          "The width is the last number of keys.shape, and **0.5 takes a root.",
          "scores / keys.shape[...]**0.5"}},
        {"rand: context",
         {"What is mixed here are not the inputs.",
          "One product: the attention weights, then what each token hands over.",
          "weights @ ..."}},
        {"copied_queries",
         {"A linear layer keeps its weight as [out, in].",
          "Turn it, and @ computes what the layer does.",
          "inputs @ W_query.weight..."}}),
    .teach = trainable,
    .source = &trainable_source,
};
