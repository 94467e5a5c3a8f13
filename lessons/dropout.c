#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

enum { MANY = 200, PROBABILITIES = 4 };
static const char *const probability_labels[PROBABILITIES] = {"p 0.1",
                                                              "p 0.2",
                                                              "p 0.5",
                                                              "p 0.9"};
static const char *const scale_labels[2] = {"1/(1-p)", "1/p"};

// What one stream of random numbers drops, from one seed.
static void drop_from(struct run *run, enum bernoulli stream,
                      tensor causal_weights, tensor values) {
    double p = run->parameters.dropout;
    int64_t tokens = causal_weights.shape[0];
    choose_stream(run, stream);

    // Dropout of ones shows the mask itself. Each number is set to 0 with
    // probability p, and the others are multiplied by 1/(1-p). Two builds of
    // PyTorch may draw different masks from one seed. The generator mt19937
    // gives the book's mask; mcg31m1 gives that of builds with MKL on Intel's
    // processors, up to about version 2.6. Compare row 1 with yours.
    reseed_dropout(run, 123);
    tensor all_ones = axes(ones(run, tokens, tokens), AXIS_QUERY, AXIS_KEY);
    tensor ones_dropped = dropout(run, all_ones, p);
    STEP(ones_dropped, "1 · keep / (1 - p)",
         "all_ones = torch.ones(num_tokens, num_tokens)\n"
         "ones_dropped = torch.nn.functional.dropout(all_ones, p, training)");

    // Dropout of the causal weights. The seed is set again, so the same places
    // become 0. Where p is above 0, rows no longer add up to 1: some add up to
    // less, others to more, and a whole row may become 0. That is intended, and
    // it happens only in training. The future has weight 0 already, but random
    // numbers are drawn for it, too.
    reseed_dropout(run, 123);
    tensor weights_dropped = dropout(run, causal_weights, p);
    STEP(weights_dropped, "W · keep / (1 - p)",
         "weights_dropped = torch.nn.functional.dropout(causal_weights, p, training)");

    // What each row adds up to now. Without dropout every sum was 1. The rows
    // are not divided by their sums again: the factor 1/(1-p) makes the sum
    // right on average, not each time.
    tensor row_sums = sum(weights_dropped, -1, false);
    STEP(row_sums, "Σⱼ dropped W[i,j]",
         "row_sums = weights_dropped.sum(dim=-1)");

    // Context from the dropped weights. A token whose weight was dropped adds
    // nothing to the row of that query. A token that is kept adds 1/(1-p)
    // times as much: at the course's parameters twice as much. If all weights
    // of a row are dropped, its context is 0. The mask is new each time, so
    // the model learns not to depend on any single token. The two generators,
    // mt19937 and mcg31m1, drop different weights.
    tensor context = matmul(weights_dropped, values);
    AT(3, 0);
    STEP(context, "Z = dropped W · V",
         "context = weights_dropped @ values");

    // The mean of 200 draws comes back to the weights. A weight w becomes
    // w/(1-p) with probability 1-p and 0 otherwise, so its mean is w. Thanks
    // to the factor 1/(1-p), evaluation can use the weights as they are. The
    // difference that remains is chance: four times as many draws would halve
    // it.
    struct tensor draws[MANY];
    for (int i = 0; i < MANY; i++)
        draws[i] = dropout(run, causal_weights, p);
    tensor all_draws = named(stack(MANY, draws, 0), "draw");
    tensor mean_of_draws = mean(all_draws, 0, false);
    STEP(mean_of_draws, "mean of W · keep / (1 - p) ≈ W",
         "draws = [torch.nn.functional.dropout(causal_weights, p, training)\n"
         "         for _ in range(200)]\n"
         "mean_of_draws = torch.stack(draws).mean(dim=0)");
    tensor mean_misses = subtract(mean_of_draws, causal_weights);
    STEP(mean_misses, "mean - W",
         "mean_misses = mean_of_draws - causal_weights");
}

// An aside: the factor of the weights that are kept.
static void show_growth(struct run *run) {
    SECTION("How much the kept weights grow");

    // What is kept is multiplied by 1/(1-p), not by 1/p. Dropout sets a number
    // to 0 with probability p, and keeps the others. With p = 0.5 both factors
    // are 2, so the mistake is easy to make and hard to see. With p = 0.1 the
    // kept numbers are multiplied by 1/0.9 = 1.1111. So the 90 % that are kept
    // make up for the 10 % that are lost.
    tensor p = numbers(run, 0.1F, 0.2F, 0.5F, 0.9F);
    tensor one = number(run, 1);
    tensor right = divide(one, subtract(one, p)), slip = divide(one, p);
    tensor both = named(stack(2, (tensor[]){right, slip}, 1), "probability",
                        "factor");
    tensor kept_scale =
        label_rows(label_columns(both, scale_labels), probability_labels);
    STEP(kept_scale, "1 / (1 - p), and the mistake 1 / p",
         "some_p = torch.tensor([0.1, 0.2, 0.5, 0.9])\n"
         "kept_scale = torch.stack([1 / (1 - some_p), 1 / some_p], dim=1)");
}

static void with_dropout(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Causal weights, as before");

    // The layers, as in the causal lesson. Dropout follows the causal weights
    // and changes nothing before them, so this lesson starts from the same
    // numbers. Biases are there only if they are switched on.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values, as in the causal lesson. A query is what a
    // token looks for, a key what it can be found by, a value what it
    // contributes.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // The causal weights: scores, mask, scaling and softmax in one step. In
    // the causal lesson each of these was a step. In training, dropout will
    // set some of these weights to 0 at random, so that the model does not
    // come to depend on any single one.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    tensor causal_weights = softmax(scaled, -1);
    STEP(causal_weights, "W = softmax(masked S / √d_k)",
         "scores = queries @ keys.T\n"
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)\n"
         "scaled = masked_scores / keys.shape[-1]**0.5\n"
         "causal_weights = torch.softmax(scaled, dim=-1)");

    // Context in evaluation mode. Dropout belongs to training. After
    // model.eval() it does nothing: it sets no number to 0, scales none and
    // draws none. So this is the context of the causal lesson.
    tensor context_eval = matmul(causal_weights, values);
    STEP(context_eval, "Z = W V", "context_eval = causal_weights @ values");

    show_growth(run);
    if (shows_stream(run, MT19937)) {
        GROUP("mt19937");
        SECTION("Masks of the mt19937 stream");
        drop_from(run, MT19937, causal_weights, values);
    }
    if (shows_stream(run, MCG31M1)) {
        GROUP("mcg31m1");
        SECTION("Masks of the mcg31m1 stream");
        drop_from(run, MCG31M1, causal_weights, values);
    }
}

// The run draws which weights are dropped.
struct tensor causal_attention_with_dropout(struct run *run, tensor inputs,
                                            layer W_query, layer W_key,
                                            layer W_value, double p) {
    tensor queries = apply(W_query, inputs); // [tokens, d_out]
    tensor keys = apply(W_key, inputs);
    tensor values = apply(W_value, inputs);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    tensor weights = softmax(scaled, -1); // [tokens, tokens]
    tensor dropped = dropout(run, weights, p);
    return matmul(dropped, values);
}

LESSON(dropout) = {
    .name = "dropout",
    .part = PART_OF_COURSE,
    .title = "Dropout on attention weights",
    .summary =
        "Setting weights to 0 at random in training, why the others are multiplied by 1/(1-p), and why one seed gives two different masks.",
    .book =
        "section 3.5.2, Masking additional attention weights with dropout",
    .uses = USES_INPUT | USES_SEED | USES_DROPOUT_SEED | USES_D_OUT |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS | USES_EVAL,
    .defaults = {.d_out = 2, .dropout = 0.5},
    .teach = with_dropout,
    .source = &dropout_source,
};
