#include <math.h>

#include "trace/lesson.h"

enum { D_MODEL = 4, HIDDEN = 8 };

// Multi-head attention inside the model: (batch, token, D_MODEL) to the same.
static struct tensor attend(struct run *r, struct tensor embedded) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t sentences = embedded.shape[0], tokens = embedded.shape[1];
    const int64_t heads = r->parameters.heads, head_dim = D_MODEL / heads;

    SECTION(r, "Attention");

    // The query layer's weight. d_in and d_out are both d_model here, so that the
    // result of attention is as wide as its input and blocks can be stacked.
    const struct tensor W_query = linear_weight(m, g, D_MODEL, D_MODEL);
    STEP(r, W_query, "W_q ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).weight");

    // The query layer's bias. This model has biases in all its layers, as GPT-2
    // has.
    const struct tensor W_query_bias =
        linear_bias(m, g, true, D_MODEL, D_MODEL);
    STEP(r, W_query_bias, "b_q ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).bias");

    // The key layer's weight. Drawn after the query layer's weight and bias.
    const struct tensor W_key = linear_weight(m, g, D_MODEL, D_MODEL);
    STEP(r, W_key, "W_k ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).weight");

    // The key layer's bias. It moves all scores of a query alike, so the weights do
    // not feel it.
    const struct tensor W_key_bias =
        linear_bias(m, g, true, D_MODEL, D_MODEL);
    STEP(r, W_key_bias, "b_k ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).bias");

    // The value layer's weight. The last of the three.
    const struct tensor W_value = linear_weight(m, g, D_MODEL, D_MODEL);
    STEP(r, W_value, "W_v ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).weight");

    // The value layer's bias. It arrives whole in every context vector.
    const struct tensor W_value_bias =
        linear_bias(m, g, true, D_MODEL, D_MODEL);
    STEP(r, W_value_bias, "b_v ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).bias");

    // The output projection's weight. With one head there is none in this model:
    // single-head attention ends with the context vectors, and --heads 1 shows
    // that. It is drawn before the layers of the feed-forward block, so all of
    // these differ between one head and two.
    const bool projects = heads > 1;
    const struct tensor W_out =
        projects ? linear_weight(m, g, D_MODEL, D_MODEL) : NO_TENSOR;
    STEP(r, W_out, "W_o ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).weight");

    // The output projection's bias. Drawn right after its weight.
    const struct tensor W_out_bias =
        linear_bias(m, g, projects, D_MODEL, D_MODEL);
    STEP(r, W_out_bias, "b_o ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, d_model).bias");

    // Scores of every head. All of lesson 6 in one paragraph: project, view,
    // transpose, multiply. The scores are multiplied by 1/√head_dim, which is how
    // many models write the division; it may differ from it in the last digit.
    const struct shape split = SHAPE(sentences, tokens, heads, head_dim);
    const struct tensor all_queries = rename_axis(
        linear(m, embedded, W_query, W_query_bias), "token", "query");
    const struct tensor all_keys =
        rename_axis(linear(m, embedded, W_key, W_key_bias), "token", "key");
    const struct tensor queries =
        transpose(name_axis(view(all_queries, split), 2, "head"), 1, 2);
    const struct tensor keys =
        transpose(name_axis(view(all_keys, split), 2, "head"), 1, 2);
    const struct tensor dot_products =
        matmul(m, queries, transpose(keys, 2, 3));
    const struct tensor scores =
        multiply(m, dot_products, scalar(m, 1 / sqrt((double)head_dim)));
    STEP(r, scores, "S = Q Kᵀ · 1/√head_dim",
         "queries @ keys.transpose(2, 3) * keys.shape[-1]**-0.5");

    // Causal weights: lesson 3, in every head. Each token sees itself and what came
    // before it. Here this is vital: the model is asked for the next token, and
    // without the mask it could look it up.
    const struct tensor mask =
        to_bool(m, triu(m, ones(m, SHAPE(tokens, tokens)), 1));
    const struct tensor weights =
        softmax(m, masked_fill(m, scores, mask, -INFINITY), -1);
    STEP(r, weights, "W = softmax(masked S)",
         "torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)");

    // The result of attention. Each head mixes its values, the heads are put side
    // by side, and with several heads the output projection mixes them. Dropout
    // (lesson 4) would act on the weights during training; it is left out here.
    const struct tensor all_values =
        linear(m, embedded, W_value, W_value_bias);
    const struct tensor values =
        transpose(name_axis(view(all_values, split), 2, "head"), 1, 2);
    const struct tensor by_token =
        contiguous(m, transpose(matmul(m, weights, values), 1, 2));
    const struct tensor context =
        view(by_token, SHAPE(sentences, tokens, D_MODEL));
    const struct tensor projected =
        projects ? linear(m, context, W_out, W_out_bias) : context;
    const struct tensor attention =
        rename_axis(projected, "query", "token");
    STEP(r, attention, "Z W_oᵀ + b_o", "attention(embedded)");

    return attention;
}

static void model(struct run *r) {
    struct arena *m = r->memory;
    struct generator *g = &r->generator;
    const int64_t tokens = r->inputs.shape[0], vocabulary = tokens;
    const char *const *words = r->inputs.axis[0].labels;

    SECTION(r, "From words to vectors");

    // A model reads numbers, so each word gets one. The six tokens of the sentence
    // are the whole vocabulary here, and their ids are 0 to 5, in order. The model
    // will be asked at each token which one comes next.
    const struct tensor numbered =
        view(arange(m, 0, tokens), SHAPE(1, tokens));
    const struct tensor ids =
        label_axis(name_matrix(numbered, "batch", "token"), 1, words);
    STEP(r, ids, "ids = 0, 1, ..., vocabulary - 1",
         "torch.arange(6).unsqueeze(0)");

    // One vector for every word of the vocabulary. The rows are drawn from the
    // normal distribution: mostly between -2 and 2, around 0. In the first lessons
    // such rows were given as inputs; here they are parameters, and training would
    // move them.
    reseed(r, 123);
    const struct tensor drawn = normal(m, g, SHAPE(vocabulary, D_MODEL));
    const struct tensor embedding_named =
        name_matrix(drawn, "token", "feature");
    const struct tensor embedding = label_axis(embedding_named, 0, words);
    STEP(r, embedding, "E ~ normal(0, 1)",
         "torch.nn.Embedding(vocabulary, d_model).weight");

    // Look up the row of each id. The last token is left out, since nothing follows
    // it that could be predicted. A lookup is no arithmetic: the rows are copied.
    // (GPT would add a second vector here that says at which position the token
    // stands. Without it attention knows the order only through the mask.)
    const struct tensor read = narrow(ids, 1, 0, tokens - 1);
    const struct tensor embedded = embed(m, read, embedding);
    STEP(r, embedded, "xᵢ = E[idᵢ]", "embedding(ids[:, :-1])");

    const struct tensor attention = attend(r, embedded);

    SECTION(r, "Feed-forward");

    // The first layer of the feed-forward block, from 4 to 8 features. Attention
    // moves information between tokens; this block then works on each token alone.
    // The hidden layer is wider, so that there is room for intermediate results.
    const struct tensor W_ffn1 = linear_weight(m, g, HIDDEN, D_MODEL);
    STEP(r, W_ffn1, "W₁ ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, hidden).weight");

    // The first layer's bias, one number for each hidden feature. It decides from
    // where on the feature becomes active.
    const struct tensor W_ffn1_bias =
        linear_bias(m, g, true, HIDDEN, D_MODEL);
    STEP(r, W_ffn1_bias, "b₁ ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, hidden).bias");

    // The second layer, from 8 features back to 4. Its weight is bounded by 1/√8,
    // since 8 numbers come in.
    const struct tensor W_ffn2 = linear_weight(m, g, D_MODEL, HIDDEN);
    STEP(r, W_ffn2, "W₂ ~ uniform ±1/√hidden",
         "torch.nn.Linear(hidden, d_model).weight");

    // The second layer's bias. The result of the block has the width of its input
    // again.
    const struct tensor W_ffn2_bias =
        linear_bias(m, g, true, D_MODEL, HIDDEN);
    STEP(r, W_ffn2_bias, "b₂ ~ uniform ±1/√hidden",
         "torch.nn.Linear(hidden, d_model).bias");

    // The hidden features, negative ones set to 0. That is ReLU. Without something
    // like it the two layers would be one: a product of two matrices is a matrix.
    const struct tensor hidden =
        relu(m, linear(m, attention, W_ffn1, W_ffn1_bias));
    STEP(r, hidden, "H = max(0, A W₁ᵀ + b₁)",
         "torch.relu(ffn1(attention))");

    // The result of the feed-forward block. (In GPT both attention and this block
    // add their input to their result, and numbers are normalized before each:
    // residual connections and LayerNorm. They make deep stacks trainable; this
    // model has one block and does without.)
    const struct tensor feed_forward =
        linear(m, hidden, W_ffn2, W_ffn2_bias);
    STEP(r, feed_forward, "F = H W₂ᵀ + b₂", "ffn2(hidden)");

    SECTION(r, "Predicting the next token");

    // The last layer, from features to words. It has one row for each word of the
    // vocabulary, and its dot product with a token's features says how well that
    // word would follow. (GPT uses the embedding for this once more.)
    const struct tensor drawn_logits =
        linear_weight(m, g, vocabulary, D_MODEL);
    const struct tensor W_logits =
        label_axis(name_axis(drawn_logits, 0, "word"), 0, words);
    STEP(r, W_logits, "W_l ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, vocabulary).weight");

    // The last layer's bias, one number a word. Trained, it would learn how
    // frequent each word is.
    const struct tensor drawn_bias =
        linear_bias(m, g, true, vocabulary, D_MODEL);
    const struct tensor W_logits_bias =
        label_axis(name_axis(drawn_bias, 0, "word"), 0, words);
    STEP(r, W_logits_bias, "b_l ~ uniform ±1/√d_model",
         "torch.nn.Linear(d_model, vocabulary).bias");

    // Logits: a score for every word, at every position. Like the scores of
    // attention they may be any numbers. Row i holds what the model, having read up
    // to token i, thinks of each word as the next.
    const struct tensor raw_logits =
        linear(m, feed_forward, W_logits, W_logits_bias);
    const struct tensor logits = label_axis(raw_logits, 2, words);
    STEP(r, logits, "L = F W_lᵀ + b_l", "logits_layer(feed_forward)");

    // Probabilities: softmax again, now over words. The same function that made
    // weights of scores. Untrained, the model has no reason for its preferences:
    // the rows are nearly the same, whatever the token.
    const struct tensor probabilities = softmax(m, logits, -1);
    STEP(r, probabilities, "P = softmax(L)",
         "torch.softmax(logits, dim=-1)");

    // The loss measures the surprise at the true next words. It is the mean of -log
    // of the probability that each position gave to the token that really follows.
    // Pure guessing among 6 words costs log 6 = 1.7918; training lowers the loss by
    // changing every weight above a little, again and again.
    const struct tensor targets = narrow(ids, 1, 1, tokens - 1);
    const struct tensor loss = cross_entropy(m, logits, targets);
    STEP(r, loss, "mean of -log P[i, idᵢ₊₁]",
         "torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, "
         "1:].flatten())");
}

LESSON(model) = {
    .name = "model",
    .title = "Attention inside a small GPT",
    .summary =
        "Embedding, causal attention, feed-forward, logits and loss: the "
        "smallest model that "
        "has all the parts.",
    .uses = USES_SEED | USES_HEADS,
    .splits_heads = true,
    .defaults = {.d_out = D_MODEL, .heads = 2},
    .teach = model,
    .source = &model_source,
};
