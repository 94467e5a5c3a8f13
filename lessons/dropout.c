#include <math.h>

#include "trace/lesson.h"

enum { MANY = 200, PROBABILITIES = 4 };
static const char *const probability_labels[PROBABILITIES] = {
    "p 0.1", "p 0.2", "p 0.5", "p 0.9"};
static const char *const scale_labels[2] = {"1/(1-p)", "1/p"};

// What one stream of random numbers drops, from one seed.
static void drop(struct run *r, enum bernoulli stream,
                 struct tensor causal_weights, struct tensor values) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const double p = r->parameters.eval ? 0 : r->parameters.dropout;
    const int64_t tokens = r->inputs.shape[0];

    // Dropout of ones shows the mask itself. Each number is zeroed with probability
    // p; what is kept grows by 1/(1-p). Two readers with one seed can still see
    // different masks: PyTorch has two ways to draw them. mt19937 takes two draws
    // of the generator a number; builds with Intel's MKL (mcg31m1) take one draw in
    // all and let it seed a second generator. The groups of this lesson are named
    // after the two.
    reseed_dropout(r, 123);
    const struct tensor all_ones =
        name_matrix(ones(m, SHAPE(tokens, tokens)), "query", "key");
    const struct tensor ones_dropped = dropout(m, g, all_ones, p, stream);
    STEP(r, ones_dropped, "1 · keep / (1 - p)",
         "torch.nn.functional.dropout(torch.ones(num_tokens, num_tokens), "
         "p)");

    // Dropout of the causal weights. The seed is set again, so the same places are
    // zeroed. Future positions are drawn for as well, although their weight is 0
    // anyway. Rows no longer add up to 1: some lost too much, some grew. A whole
    // row may vanish. That is intended, and training only.
    reseed_dropout(r, 123);
    const struct tensor weights_dropped =
        dropout(m, g, causal_weights, p, stream);
    STEP(r, weights_dropped, "W · keep / (1 - p)",
         "torch.nn.functional.dropout(causal_weights, p)");

    // What each row adds up to now. Without dropout every sum was 1. No one divides
    // by it again: the factor 1/(1-p) is there so that the sum is right on average,
    // not each time.
    const struct tensor row_sums = sum(m, weights_dropped, -1, false);
    STEP(r, row_sums, "Σⱼ dropped W[i,j]", "weights_dropped.sum(dim=-1)");

    // Context from the dropped weights. A token that was dropped from a row adds
    // nothing to it this time, and the others add more. With another mask each
    // time, the model learns not to lean on any one token.
    const struct tensor context = matmul(m, weights_dropped, values);
    STEP(r, context, "Z = dropped W · V", "weights_dropped @ values");

    // The mean of 200 draws comes back to the weights. A weight w is w/(1-p) with
    // probability 1-p and else 0, so on average it is w. This is why the scale is
    // 1/(1-p): evaluation can then use the weights as they are.
    struct tensor draws[MANY];
    for (int i = 0; i < MANY; i++)
        draws[i] = dropout(m, g, causal_weights, p, stream);
    const struct tensor mean_of_draws =
        mean(m, stack(m, MANY, draws, 0), 0);
    STEP(r, mean_of_draws, "mean of W · keep / (1 - p) ≈ W",
         "torch.stack([torch.nn.functional.dropout(causal_weights, p) for "
         "_ in "
         "range(200)]).mean(dim=0)");
}

static void with_dropout(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t tokens = r->inputs.shape[0], d_in = r->inputs.shape[1];
    const int64_t d_out = r->parameters.d_out;
    const bool bias = r->parameters.bias;

    SECTION(r, "Causal weights, as before");

    // The query layer's weight, as in the causal lesson. Dropout comes after causal
    // attention and changes nothing before it, so this lesson starts from the same
    // layers.
    reseed(r, 789);
    const struct tensor W_query = linear_weight(m, g, d_out, d_in);
    STEP(r, W_query, "W_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The query layer's bias. Only there when biases are switched on.
    const struct tensor W_query_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_query_bias, "b_q ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // The key layer's weight. Drawn after the query layer's.
    const struct tensor W_key = linear_weight(m, g, d_out, d_in);
    STEP(r, W_key, "W_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The key layer's bias. Only there when biases are switched on.
    const struct tensor W_key_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_key_bias, "b_k ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // The value layer's weight. The last of the three.
    const struct tensor W_value = linear_weight(m, g, d_out, d_in);
    STEP(r, W_value, "W_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out, bias=False).weight");

    // The value layer's bias. Only there when biases are switched on.
    const struct tensor W_value_bias = linear_bias(m, g, bias, d_out, d_in);
    STEP(r, W_value_bias, "b_v ~ uniform ±1/√d_in",
         "torch.nn.Linear(d_in, d_out).bias");

    // Queries. What each token looks for.
    const struct tensor projected_queries =
        linear(m, r->inputs, W_query, W_query_bias);
    const struct tensor queries =
        rename_axis(projected_queries, "token", "query");
    STEP(r, queries, "Q = X W_qᵀ", "W_query(inputs)");

    // Keys. What each token can be found by.
    const struct tensor projected_keys =
        linear(m, r->inputs, W_key, W_key_bias);
    const struct tensor keys = rename_axis(projected_keys, "token", "key");
    STEP(r, keys, "K = X W_kᵀ", "W_key(inputs)");

    // Values. What each token hands over.
    const struct tensor values =
        linear(m, r->inputs, W_value, W_value_bias);
    STEP(r, values, "V = X W_vᵀ", "W_value(inputs)");

    // The causal weights: scores, mask, scaling and softmax in one go. Each line is
    // a step of the causal lesson. Dropout will zero some of these numbers at
    // random while the model trains, so that it does not come to depend on any
    // single one.
    const struct tensor scores = matmul(m, queries, transpose(keys, 0, 1));
    const struct tensor mask =
        to_bool(m, triu(m, ones(m, SHAPE(tokens, tokens)), 1));
    const struct tensor masked_scores =
        masked_fill(m, scores, mask, -INFINITY);
    const struct tensor root = scalar(m, sqrt((double)keys.shape[1]));
    const struct tensor causal_weights =
        softmax(m, divide(m, masked_scores, root), -1);
    STEP(r, causal_weights, "W = softmax(masked S / √d_k)",
         "torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Context in evaluation mode. Dropout belongs to training. After model.eval()
    // it does nothing: no number is zeroed, none is scaled, none is drawn. So this
    // is the causal lesson's context.
    const struct tensor context_eval = matmul(m, causal_weights, values);
    STEP(r, context_eval, "Z = W V", "causal_weights @ values");

    SECTION(r, "How much the kept ones grow");

    // What is kept grows by 1/(1-p), not by 1/p. With p = 0.5 both are 2, which is
    // why the slip is easy to make and hard to see. With p = 0.1 the kept weights
    // grow by 1/0.9 = 1.1111, so by 11.1 %, not by 10 % and not tenfold: each of
    // the 90 % that stay takes its part of the lost 10 %.
    const float p_values[] = {0.1F, 0.2F, 0.5F, 0.9F};
    const struct tensor p = tensor_of(m, SHAPE(PROBABILITIES), p_values);
    const struct tensor one = scalar(m, 1);
    const struct tensor factors[] = {divide(m, one, subtract(m, one, p)),
                                     divide(m, one, p)};
    const struct tensor both =
        name_matrix(stack(m, 2, factors, 1), "probability", "factor");
    const struct tensor kept_scale = label_axis(
        label_axis(both, 0, probability_labels), 1, scale_labels);
    STEP(r, kept_scale, "1 / (1 - p), and the slip 1 / p",
         "torch.stack([1 / (1 - p), 1 / p], dim=1)");

    if (shows_stream(r, MT19937)) {
        GROUP(r, "mt19937");
        SECTION(r, "Masks of the mt19937 stream");
        drop(r, MT19937, causal_weights, values);
    }
    if (shows_stream(r, MCG31M1)) {
        GROUP(r, "mcg31m1");
        SECTION(r, "Masks of the mcg31m1 stream");
        drop(r, MCG31M1, causal_weights, values);
    }
}

LESSON(dropout) = {
    .name = "dropout",
    .title = "Dropout on attention weights",
    .summary =
        "Zeroing weights at random while training, why the rest grows by "
        "1/(1-p), and why one "
        "seed gives two different masks.",
    .uses = USES_INPUT | USES_SEED | USES_DROPOUT_SEED | USES_D_OUT |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS | USES_EVAL,
    .defaults = {.d_out = 2, .dropout = 0.5},
    .teach = with_dropout,
    .source = &dropout_source,
};
