#include <math.h>

#include "gpt.h"
#include "variants.h"

static struct layers make_layers(struct run *run,
                                 const struct sentence *sentence) {
    int64_t vocabulary = sentence->vocabulary;
    const char *const *words = sentence->vocabulary_words;
    int64_t d_model = run->parameters.d_model;
    int64_t hidden = run->parameters.hidden;
    bool projects = run->parameters.heads > 1;

    SECTION("The layers");

    // The layers of queries, keys and values. Each reads d_model features
    // and makes d_model features: the result of attention is as wide as its
    // input, so that blocks can be stacked. In this model every layer has a
    // bias. Its random numbers are drawn right after those of the weight.
    // In GPT-2 every layer has one except the last, which makes the logits.
    LAYER(W_query, ROLE_QUERIES, d_model, d_model, true, "W_q",
          "W_query = torch.nn.Linear(d_model, d_model)");
    LAYER(W_key, ROLE_KEYS, d_model, d_model, true, "W_k",
          "W_key = torch.nn.Linear(d_model, d_model)");
    LAYER(W_value, ROLE_VALUES, d_model, d_model, true, "W_v",
          "W_value = torch.nn.Linear(d_model, d_model)");

    // The output projection. It mixes the heads, so with one head this model
    // leaves the projection out. It is drawn before the layers of the
    // feed-forward block, so the numbers of all these layers differ between
    // one head and two.
    LAYER_IF(projects, W_out, ROLE_OUTPUT, d_model, d_model, true, "W_o",
             "out_proj = torch.nn.Linear(d_model, d_model)");

    // The feed-forward block: a layer from {d_model} features to {hidden},
    // and one back. Attention moves information between tokens; this block
    // then works on each token alone. Its hidden layer is wider, to have
    // room for intermediate results. Negative hidden features will be set
    // to 0, and the first bias shifts which ones are negative. The second
    // layer has {hidden} inputs, so none of its numbers lies further from 0
    // than one over the root of {hidden}.
    LAYER(W_ffn1, ROLE_NONE, d_model, hidden, true, "W₁",
          "ffn1 = torch.nn.Linear(d_model, d_hidden)");
    LAYER(W_ffn2, ROLE_NONE, hidden, d_model, true, "W₂",
          "ffn2 = torch.nn.Linear(d_hidden, d_model)");

    // The last layer, from features to words. It has one row for each word of
    // the vocabulary; the dot product of this row with a token's features says
    // how well the word would follow. After training its bias reflects how
    // frequent each word is. (GPT-2 uses the weight of its embedding here
    // again.)
    LAYER(W_logits, ROLE_LOGITS, d_model, vocabulary, true, "W_l",
          "to_logits = torch.nn.Linear(d_model, vocabulary)", words);

    return (struct layers){W_query, W_key,  W_value, W_out,
                           W_ffn1,  W_ffn2, W_logits};
}

// Multi-head attention inside the model: (batch, token, d_model) to the same.
static struct tensor attend(struct run *run, const struct layers *layers,
                            tensor embedded) {
    int64_t tokens = embedded.shape[1];
    int64_t d_model = run->parameters.d_model;
    int64_t heads = run->parameters.heads, head_dim = d_model / heads;
    bool projects = heads > 1;

    SECTION("Attention");

    // Scores of every head. This is lesson 6 in one step: project, view,
    // transpose, multiply. Many models multiply by 1/√head_dim instead of
    // dividing by the root; the result may differ in the last digit.
    tensor queries = apply(layers->W_query, embedded);
    tensor keys = apply(layers->W_key, embedded);
    tensor queries_by_head = split_heads(queries, heads);
    tensor keys_by_head = split_heads(keys, heads);
    tensor dot_products =
        matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    tensor scores = multiply_by(dot_products, 1 / root(head_dim));
    STEP(scores, "S = Q Kᵀ · 1/√head_dim",
         "b, t, head_dim = 1, num_tokens - 1, d_model // num_heads\n"
         "def split(layer):\n"
         "    return layer(embedded).view(b, t, num_heads, head_dim).transpose(1, 2)\n"
         "queries, keys, values = split(W_query), split(W_key), split(W_value)\n"
         "scores = queries @ keys.transpose(2, 3) * head_dim**-0.5");

    // Causal weights in every head, as in lesson 3. Each token sees itself and
    // the tokens before it. The mask is necessary here: the model predicts the
    // next token, so it must not have seen it. Without a mask GPT would learn
    // to copy the next token. (This model knows no positions, so it would only
    // mix all words. Lesson 9 tries it.)
    tensor mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor weights = softmax(masked_fill(scores, mask, -INFINITY), -1);
    STEP(weights, "W = softmax(masked S)",
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "weights = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)");

    // Dropout, if it is on, as in lesson 4. By now all layers are drawn, and
    // the generator continues from there. With p = 0, the default here, nothing
    // is drawn.
    double p = run->parameters.dropout;
    tensor dropped = p > 0 ? dropout(run, weights, p) : NO_TENSOR;
    STEP(dropped, "W · keep / (1 - p)",
         "weights = torch.nn.functional.dropout(weights, p, training)",
         "weights");

    // The result of attention. Each head mixes its values, the heads are put
    // side by side, and the output projection (W_o, b_o) mixes them. With one
    // head there is no projection.
    tensor values = apply(layers->W_value, embedded);
    tensor values_by_head = split_heads(values, heads);
    tensor context_by_head =
        matmul(p > 0 ? dropped : weights, values_by_head);
    tensor context = merge_heads(context_by_head);
    tensor projected = projects ? apply(layers->W_out, context) : context;
    tensor attention = rows(projected, AXIS_TOKEN);
    STEP(attention, projects ? "Z W_oᵀ + b_o" : "Z = W V",
         projects
             ? "context = (weights @ values).transpose(1, 2).contiguous().view(b, t, d_model)\n"
               "attention = out_proj(context)"
             : "attention = (weights @ values).transpose(1, 2).contiguous().view(b, t, d_model)");

    return attention;
}

static void model(struct run *run) {
    struct sentence sentence = read_sentence(run);
    int64_t vocabulary = sentence.vocabulary;
    int64_t d_model = run->parameters.d_model;
    const char *const *words = sentence.vocabulary_words;

    SECTION("From words to vectors");

    // A model reads numbers, so each word gets one. Words are numbered in the
    // order in which they first appear, and a repeated word keeps its number.
    // The different words form the vocabulary. At the course's parameters there
    // are six, and none is repeated. At each token the model will predict which
    // word comes next.
    tensor ids = sentence.ids;
    int64_t tokens = ids.shape[1];
    STEP(ids, "ids = 0, 1, ..., vocabulary - 1",
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "num_tokens = len(words)\n"
         "ids = torch.tensor([[vocabulary_words.index(word) for word in words]])");

    // One vector for every word of the vocabulary. The rows are drawn from the
    // normal distribution around 0: most numbers lie between -2 and 2. In the
    // first lessons such rows were given as inputs. Here they are parameters,
    // which training changes.
    reseed(run, 123);
    tensor drawn = draw_embedding(run, ROLE_TOKENS, vocabulary, d_model);
    tensor embedding = label_rows(drawn, words);
    STEP(embedding, "E ~ normal(0, 1)",
         "embedding = torch.nn.Embedding(vocabulary, d_model)",
         "embedding.weight");

    // Look up the row of each id. A lookup computes nothing: it copies rows.
    // The last token is left out, because no token follows it that could be
    // predicted. (GPT adds a second vector here that says at which position
    // the token stands. Without it, attention knows the order only through the
    // mask.)
    tensor read = narrow(ids, 1, 0, tokens - 1);
    tensor embedded = embed(read, embedding);
    STEP(embedded, "xᵢ = E[idᵢ]", "embedded = embedding(ids[:, :-1])");

    struct layers layers = make_layers(run, &sentence);
    tensor attention = attend(run, &layers, embedded);

    SECTION("Feed-forward");

    // The hidden features, with negative ones set to 0. Setting negative
    // numbers to 0 is the function ReLU. Without such a function the two
    // layers would be one, because the product of two matrices is again a
    // matrix. (GPT-2 uses GELU, a ReLU with a smooth corner.)
    tensor hidden = relu(apply(layers.W_ffn1, attention));
    STEP(hidden, "H = max(0, A W₁ᵀ + b₁)",
         "hidden = torch.relu(ffn1(attention))");

    // The result of the feed-forward block. The second layer brings the hidden
    // features back to d_model. GPT has two things more. A shortcut adds the
    // input of attention to its result. A second one does so for the
    // feed-forward block. A LayerNorm in front of attention and one in front of
    // this block normalize what they read. Both make deep stacks trainable;
    // this model has one block and needs neither.
    tensor feed_forward = apply(layers.W_ffn2, hidden);
    STEP(feed_forward, "F = H W₂ᵀ + b₂", "feed_forward = ffn2(hidden)");

    SECTION("Predicting the next token");

    // Logits: a score for every word, at every position. Row i says how well
    // the model thinks each word would follow, after it has read the tokens up
    // to i. Like scores of attention, logits can be any numbers.
    tensor logits = apply(layers.W_logits, feed_forward);
    STEP(logits, "L = F W_lᵀ + b_l", "logits = to_logits(feed_forward)");

    // Probabilities: softmax again, now over words. It turns logits into
    // probabilities as it turned scores into weights. The model is untrained,
    // so its preferences are random. At the course's parameters the rows are
    // nearly the same for every token.
    tensor probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits, dim=-1)");

    // The loss measures the surprise at the true next words. Each position
    // gives a probability to the word that really follows; the loss is the mean
    // of -log of these. At the course's parameters guessing among 6 words costs
    // log 6 = 1.7918. Training lowers the loss by changing every parameter a
    // little, again and again.
    tensor targets = narrow(ids, 1, 1, tokens - 1);
    tensor loss = cross_entropy(logits, targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]",
         "targets = ids[:, 1:].flatten()\n"
         "loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets)");
}

// The loss of a small GPT. The ids and the targets are [batch, tokens].
struct tensor gpt_loss(struct run *run, tensor ids, tensor targets,
                       tensor embedding, const struct layers *layers,
                       int64_t heads, double p) {
    tensor embedded = embed(ids, embedding); // [batch, tokens, d_model]
    tensor queries = split_heads(apply(layers->W_query, embedded), heads);
    tensor keys = split_heads(apply(layers->W_key, embedded), heads);
    tensor values = split_heads(apply(layers->W_value, embedded), heads);
    tensor dot_products = matmul(queries, transpose(keys, 2, 3));
    tensor scores = multiply_by(dot_products, 1 / root(keys.shape[3]));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor weights = dropout(run, softmax(masked_scores, -1), p);
    tensor context = merge_heads(matmul(weights, values));
    tensor attention = heads > 1 ? apply(layers->W_out, context) : context;
    tensor hidden = relu(apply(layers->W_ffn1, attention));
    tensor logits = apply(layers->W_logits, apply(layers->W_ffn2, hidden));
    return cross_entropy(logits, targets);
}

LESSON(model) = {
    .name = "model",
    .part = PART_OF_LEARNING,
    .title = "Attention inside a small GPT",
    .summary =
        "Embedding, causal attention, feed-forward, logits and loss: a small model with the main parts of a GPT.",
    .book =
        "chapter 4, Implementing a GPT model from scratch to generate text",
    .uses = USES_SEED | USES_HEADS | USES_TEXT | USES_D_MODEL |
            USES_HIDDEN | USES_VOCABULARY | USES_DROPOUT | USES_BERNOULLI |
            USES_EVAL,
    .splits_heads = true,
    .most_numbers = 100000000,
    .defaults = {.d_model = 4, .hidden = 8, .heads = 2, .text = SIX_WORDS},
    .teach = model,
    .source = &model_source,
};
