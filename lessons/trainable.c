#include "trace/lesson.h"
#include "variants.h"

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
static const char *const variance_labels[3] = {"var", "√var", "scaled"};
static const char *const scaling_labels[2] = {"unscaled", "scaled"};

static void weights_from_rand(struct run *run) {
    tensor inputs = run->inputs;
    int64_t d_in = inputs.shape[1], d_out = run->parameters.d_out;

    GROUP("rand");
    SECTION("Weights from torch.rand");

    // Each token plays three roles: query, key and value. As a query it asks,
    // as a key it is compared with queries, as a value it is mixed into the
    // results. Three matrices [d_in, d_out] compute a row for each role. They
    // are drawn in this order. In another order they get each other's random
    // numbers. The matrices are parameters: only training changes them.
    // Attention weights are something else: they are computed anew for every
    // sentence.
    reseed(run, 123);
    tensor W_query =
        weight_of(run, ROLE_QUERIES, uniform(run, d_in, d_out));
    STEP(W_query, "W_q ~ uniform [0, 1)",
         "W_query = torch.nn.Parameter(torch.rand(d_in, d_out))");
    tensor W_key = weight_of(run, ROLE_KEYS, uniform(run, d_in, d_out));
    STEP(W_key, "W_k ~ uniform [0, 1)",
         "W_key = torch.nn.Parameter(torch.rand(d_in, d_out))");
    tensor W_value = weight_of(run, ROLE_VALUES, uniform(run, d_in, d_out));
    STEP(W_value, "W_v ~ uniform [0, 1)",
         "W_value = torch.nn.Parameter(torch.rand(d_in, d_out))");

    // Queries: what each token looks for. A row of the inputs times W_query
    // gives a row of d_out numbers. The product mixes features, never tokens:
    // row i of the result depends on row i of the inputs alone.
    tensor queries = rows(matmul(inputs, W_query), AXIS_QUERY);
    STEP(queries, "Q = X W_q", "queries = inputs @ W_query");

    // Keys: what each token can be found by; values: what it contributes.
    // Queries are compared with keys by a dot product, so both must have
    // the same width, called d_k. Values may have another width. The
    // values are mixed now, not the inputs. So a token may be easy to find
    // by its key and still contribute something quite different.
    tensor keys = rows(matmul(inputs, W_key), AXIS_KEY);
    STEP(keys, "K = X W_k", "keys = inputs @ W_key");
    tensor values = matmul(inputs, W_value);
    STEP(values, "V = X W_v", "values = inputs @ W_value");

    // One query against all keys. At the course's parameters it is that of
    // "journey". This is the first lesson's product again, but the query
    // and the keys are now projected rows instead of the inputs themselves.
    tensor query = select_index(queries, 0, run->query);
    tensor query_scores = matmul(keys, query);
    STEP(query_scores, "sⱼ = qᵢ · kⱼ",
         "query = queries[query_index]\n"
         "query_scores = keys @ query");

    // Divide by √d_k, take the softmax, and mix the values. The division
    // keeps large scores from giving nearly all of the weight to one key;
    // the next section shows what happens without it. Each value is
    // multiplied by the weight that the query gives to its token, and the
    // products are added up. The sum is as wide as the values, not as the
    // inputs. (The steps called rand have matrices that torch.rand draws.)
    tensor query_scaled = divide_by(query_scores, root(keys.shape[1]));
    tensor query_weights = softmax(query_scaled, -1);
    STEP(query_weights, "w = softmax(s / √d_k)",
         "query_weights = torch.softmax(query_scores / keys.shape[-1]**0.5, dim=-1)");
    tensor query_context = matmul(query_weights, values);
    STEP(query_context, "z = Σⱼ wⱼ vⱼ",
         "query_context = query_weights @ values");

    // Scores of all queries against all keys, divided by √d_k. They are no
    // longer symmetric, because q₁ · k₂ and q₂ · k₁ now come from different
    // rows. If one token looks for another, the other need not look for it.
    // d_k is the width of one key: each score is a sum of d_k products.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Attention weights: each row adds up to 1. The softmax runs along the
    // keys as before. Dividing all scores by the same number keeps their
    // order; it only changes how far apart the weights are.
    tensor weights = softmax(scaled, -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scaled, dim=-1)");

    // Context vectors: the end of scaled dot-product attention. This is the
    // formula of the Transformer paper, softmax(Q Kᵀ / √d_k) V, with one row
    // for each token.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    END_GROUP;
}

// Of weights (width, query, key), a number a width: the mean over its queries.
static struct tensor largest_share(tensor weights) {
    return mean(amax_along(weights, 2), 1, false);
}

static struct tensor answers(tensor one, tensor weights) {
    return mean(sum(multiply(weights, subtract(one, weights)), 2, false), 1,
                false);
}

static void why_scale(struct run *run) {
    SECTION("Why divide by √d_k");

    // Scores of random vectors, for nine widths. This experiment shows the
    // effect of the width alone. For each width d_k it draws 32 queries and 32
    // keys, every number with mean 0 and variance 1, and takes all their dot
    // products. On average wider vectors give scores further from 0.
    reseed(run, 123);
    struct tensor scores_of_width[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        tensor random_queries =
            normal(run, RANDOM_VECTORS, INT64_C(1) << i);
        tensor random_keys = normal(run, RANDOM_VECTORS, INT64_C(1) << i);
        struct tensor products[RANDOM_VECTORS];
        for (int row = 0; row < RANDOM_VECTORS; row++)
            products[row] = matmul(narrow(random_queries, 0, row, 1),
                                   transpose(random_keys, 0, 1));
        scores_of_width[i] = cat(RANDOM_VECTORS, products, 0);
    }
    tensor by_width = axes(stack(WIDTHS, scores_of_width, 0), AXIS_NONE,
                           AXIS_QUERY, AXIS_KEY);
    tensor random_scores =
        label_axis(named(by_width, "width"), 0, width_labels);
    STEP(random_scores, "S = Q Kᵀ with random Q and K",
         "widths = [2**k for k in range(9)]\n"
         "pairs = [(torch.randn(32, d), torch.randn(32, d)) for d in widths]\n"
         "# row by row: added up in the same order on every processor\n"
         "products = [torch.cat([q @ K.T for q in Q.split(1)]) for Q, K in pairs]\n"
         "random_scores = torch.stack(products)");

    // The variance of a score grows with d_k. The columns are the variance, its
    // root (the typical size of a score), and the variance after dividing by
    // √d_k. The last stays near 1 at every width. That is the whole reason for
    // √d_k. Each score is a sum of d_k products of variance 1, and variances of
    // independent numbers add up, so the first column is near d_k.
    tensor roots = view(numbers_of(run, WIDTHS, width_roots), WIDTHS, 1, 1);
    tensor random_scaled = divide(random_scores, roots);
    tensor unscaled_variance =
        var(view(random_scores, WIDTHS, RANDOM_VECTORS * RANDOM_VECTORS), 1,
            true, false);
    tensor scaled_variance =
        var(view(random_scaled, WIDTHS, RANDOM_VECTORS * RANDOM_VECTORS), 1,
            true, false);
    tensor variances =
        stack(3,
              (tensor[]){unscaled_variance, square_root(unscaled_variance),
                         scaled_variance},
              1);
    tensor score_variance = label_columns(variances, variance_labels);
    STEP(score_variance, "var(S) ≈ d_k, var(S / √d_k) ≈ 1",
         "roots = torch.tensor(widths).sqrt().view(-1, 1, 1)\n"
         "random_scaled = random_scores / roots\n"
         "variances = [s.flatten(1).var(1) for s in (random_scores, random_scaled)]\n"
         "columns = [variances[0], variances[0].sqrt(), variances[1]]\n"
         "score_variance = torch.stack(columns, dim=1)");

    // Without scaling, wide vectors give one key nearly all the weight. Before
    // the scores are divided by √d_k, one weight tends to 1 as d_k grows.
    // After the division the weights stay spread out at every width. A row has
    // one query's weights of six keys. The bars show the chosen row. A softmax
    // with one weight near 1 hardly learns: its gradients, which training
    // follows, are close to 0.
    tensor six_scores = narrow(select_index(random_scores, 1, 0), 1, 0, 6);
    tensor unscaled_weights = softmax(six_scores, -1);
    STEP(unscaled_weights, "softmax(S)",
         "unscaled_weights = torch.softmax(random_scores[:, 0, :6], dim=-1)");
    tensor six_scaled = narrow(select_index(random_scaled, 1, 0), 1, 0, 6);
    tensor scaled_weights = softmax(six_scaled, -1);
    STEP(scaled_weights, "softmax(S / √d_k)",
         "scaled_weights = torch.softmax(random_scaled[:, 0, :6], dim=-1)");

    // The largest weight, and how strongly weights react. Both tables have
    // the mean over 32 random queries. Unscaled, the largest weight grows with
    // the width until one key has most of the weight. If a score rises by a
    // small h, its weight w rises by about w (1 - w) h. The second table has
    // the sum of w (1 - w) over a query's keys. It is 0 where one weight is 1:
    // no gradient comes through the softmax there. Scaling prevents that.
    tensor shares = softmax(random_scores, -1);
    tensor scaled_shares = softmax(random_scaled, -1);
    tensor largest_of_both = stack(2,
                                   (tensor[]){largest_share(shares),
                                              largest_share(scaled_shares)},
                                   1);
    tensor largest_weights =
        label_rows(label_columns(named(largest_of_both, "width", "kind"),
                                 scaling_labels),
                   width_labels);
    AT(8, 0);
    STEP(largest_weights, "mean over queries of maxⱼ wⱼ",
         "shares = [torch.softmax(s, dim=-1) for s in (random_scores, random_scaled)]\n"
         "largest = [w.amax(dim=-1).mean(dim=1) for w in shares]\n"
         "largest_weights = torch.stack(largest, dim=1)");
    tensor one = number(run, 1);
    tensor both_answers =
        stack(2,
              (tensor[]){answers(one, shares), answers(one, scaled_shares)},
              1);
    tensor weight_answers =
        label_rows(label_columns(named(both_answers, "width", "kind"),
                                 scaling_labels),
                   width_labels);
    STEP(weight_answers, "mean over queries of Σⱼ wⱼ (1 - wⱼ)",
         "answers = [(w * (1 - w)).sum(dim=-1).mean(dim=1) for w in shares]\n"
         "weight_answers = torch.stack(answers, dim=1)");
}

// What the section on linear layers leaves for a batch.
struct layers {
    struct layer W_query, W_key, W_value;
};

static struct layers weights_in_layers(struct run *run) {
    tensor inputs = run->inputs;
    int64_t d_in = inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    GROUP("linear");
    SECTION("Weights in linear layers");

    // A linear layer stores its weight as [d_out, d_in]. In step 1, W_query was
    // [d_in, d_out]; the layer stores its weight the other way round and
    // computes x Wᵀ. Its numbers start uniform in ±1/√d_in, which suits
    // training better than 0 to 1: their mean is 0, and wider inputs get
    // smaller weights. If biases are on, each is drawn right after its weight.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values from the layers. The layer computes x Wᵀ. So
    // column j of a result is the dot product of each token with column j of
    // Wᵀ, which is row j of the weight. Numbers may be negative now, because
    // the weights may be; attention works with both signs.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // Scores, as before. Only the origin of the queries and keys has changed,
    // not what is done with them.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Scaled by √d_k, as before. d_k is the width of one key. At the
    // course's parameters these scores were small already, so each row of
    // weights will be nearly even.
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Attention weights and context, from layers that were not trained. Small
    // random weight matrices make scores near 0, and the softmax of equal
    // scores is one over the number of tokens. At the course's parameters all
    // weights are near a sixth. In the trained model of lesson 0 a weight is
    // nearly 1. The numbers differ from those with torch.rand, because the
    // weight matrices do. The next section shows that this is the only
    // difference.
    tensor weights = softmax(scaled, -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scaled, dim=-1)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    END_GROUP;
    SECTION("Both compute the same");

    // Copy the layer's weight, transposed, and nothing differs. The layer
    // stores [d_out, d_in]. Transposed, the weight is [d_in, d_out], and x
    // @ W computes what the layer does, to the last digit. If you forget
    // to transpose, PyTorch fails, unless d_in equals d_out. Then the
    // result is wrong, and no error says so. (A bias, if there is one, is
    // left out on both sides.)
    tensor copied_weight = transpose(W_query.weight, 0, 1);
    tensor copied_queries = matmul(inputs, copied_weight);
    STEP(copied_queries, "X W with W = W_qᵀ",
         "copied_queries = inputs @ W_query.weight.T");
    tensor layer_queries = linear(inputs, W_query.weight, NO_TENSOR);
    tensor difference =
        amax(absolute(subtract(copied_queries, layer_queries)));
    STEP(difference, "max |X W - X W_qᵀ|",
         "layer_queries = torch.nn.functional.linear(inputs, W_query.weight)\n"
         "difference = (copied_queries - layer_queries).abs().max()");

    return (struct layers){W_query, W_key, W_value};
}

static void in_a_batch(struct run *run, const struct layers *layers) {
    GROUP("batch");
    SECTION("A batch of sentences");

    // Several sentences at once are a batch. They are stacked along a new
    // first dimension: [batch, tokens, d_in]. Tokens of one sentence are never
    // compared with tokens of another.
    tensor batch = axes(stack(run->batch_size, run->sentences, 0),
                        AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "batch = torch.stack({sentences}, dim=0)");

    // Queries, keys and values of all sentences. A layer works on the last
    // dimension and leaves the others alone. So the same layers work on a batch
    // without any change in the code.
    tensor queries = apply(layers->W_query, batch);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor keys = apply(layers->W_key, batch);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(batch)");
    tensor values = apply(layers->W_value, batch);
    STEP(values, "V = X W_vᵀ", "values = W_value(batch)");

    // Scores: one matrix for each sentence. transpose(1, 2) swaps tokens and
    // features; keys.T would move the batch dimension as well. This is the only
    // line that a batch changes.
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    STEP(scores, "S = Q Kᵀ, for each sentence",
         "scores = queries @ keys.transpose(1, 2)");

    // Scaled by √d_k, the last size of the keys. keys.shape[1] is the number
    // of tokens here, so the code says keys.shape[-1]: it counts dimensions
    // from the end.
    tensor scaled = divide_by(scores, root(keys.shape[2]));
    STEP(scaled, "S / √d_k", "scaled = scores / keys.shape[-1]**0.5");

    // Weights and context, sentence by sentence. There is no mask yet: every
    // token sees all tokens of its own sentence, even those after it.
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
    // Nothing uses what this experiment draws: a run for a step of the layers
    // goes without it.
    if (!ends_in_group(run)) why_scale(run);
    struct layers layers = weights_in_layers(run);
    if (run->batch_size > 0) in_a_batch(run, &layers);
}

// softmax(Q Kᵀ / √d_k) V
struct tensor self_attention(tensor inputs, layer W_query, layer W_key,
                             layer W_value) {
    tensor queries = apply(W_query, inputs); // [tokens, d_out]
    tensor keys = apply(W_key, inputs);
    tensor values = apply(W_value, inputs);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    tensor weights = softmax(scaled, -1); // [tokens, tokens]
    return matmul(weights, values);
}

LESSON(trainable) = {
    .name = "trainable",
    .part = PART_OF_COURSE,
    .title = "Self-attention with trainable weights",
    .summary =
        "Queries, keys and values from weight matrices, why scores are divided by √d_k, and torch.rand compared with linear layers.",
    .book =
        "section 3.4, Implementing self-attention with trainable weights",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_QUERY |
            USES_BATCH,
    .defaults = {.d_out = 2},
    .teach = trainable,
    .source = &trainable_source,
};
