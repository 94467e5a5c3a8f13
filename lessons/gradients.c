#include <math.h>

#include "trace/lesson.h"

enum { D_MODEL = 4, HIDDEN = 8 };

enum { MOST_PARAMETERS = 17 };

// What the way forward leaves for the way back; and each parameter with the
// gradient that was computed by hand.
struct forward {
    int64_t vocabulary;
    const char *const *words;
    struct tensor ids, read, targets;
    struct tensor embedding, embedded;
    struct tensor W_query, W_query_bias, W_key, W_key_bias;
    struct tensor W_value, W_value_bias, W_out, W_out_bias;
    struct tensor W_ffn1, W_ffn1_bias, W_ffn2, W_ffn2_bias;
    struct tensor W_logits, W_logits_bias;
    struct tensor queries_by_head, keys_by_head, values_by_head;
    struct tensor mask, weights, context, attention;
    struct tensor hidden, feed_forward, probabilities, loss;

    int count;
    const char *names[MOST_PARAMETERS];
    struct tensor parameters[MOST_PARAMETERS], by_hand[MOST_PARAMETERS];
};

static void note(struct forward *f, const char *name, tensor parameter,
                 tensor grad) {
    if (!is_tensor(&parameter)) return;
    f->names[f->count] = name;
    f->parameters[f->count] = parameter;
    f->by_hand[f->count++] = grad;
}

// The tokens of all sentences, one below the other: flatten(0, 1).
static struct tensor flat(tensor x) {
    return view(x, x.shape[0] * x.shape[1], x.shape[2]);
}

// (batch, token, width) as (batch, head, token, head_dim), and back.
static struct tensor split(struct run *run, tensor x, const char *token) {
    int64_t heads = run->parameters.heads;
    tensor viewed =
        axes(view(x, x.shape[0], x.shape[1], heads, x.shape[2] / heads),
             "batch", token, "head", "head_dim");
    return transpose(viewed, 1, 2);
}

static struct tensor merge(tensor x) {
    tensor together = contiguous(transpose(x, 1, 2));
    return view(together, x.shape[0], x.shape[2], x.shape[1] * x.shape[3]);
}

// ---- The way forward: lesson 7 once more -----------------------------------

static void draw(struct run *run, struct forward *f) {
    int64_t vocabulary = f->vocabulary;
    const char *const *words = f->words;
    bool projects = run->parameters.heads > 1;

    // The parameters, drawn as in lesson 7. These are the numbers that may be
    // changed: the lesson asks of each of them which way, and how strongly, it
    // pushes the loss. The answer for all of them together is called the gradient.
    reseed(run, 123);
    tensor drawn =
        axes(normal(run, vocabulary, D_MODEL), "token", "feature");
    tensor embedding = f->embedding = label_rows(drawn, words);
    STEP(embedding, "E ~ normal(0, 1)",
         "embedding = torch.nn.Embedding(vocabulary, d_model)",
         "embedding.weight");
    tensor W_query = f->W_query = linear_weight(run, D_MODEL, D_MODEL);
    STEP(W_query, "W_q ~ uniform ±1/√d_model",
         "W_query = torch.nn.Linear(d_model, d_model)", "W_query.weight");
    tensor W_query_bias = f->W_query_bias =
        linear_bias(run, true, D_MODEL, D_MODEL);
    STEP(W_query_bias, "b_q ~ uniform ±1/√d_model", "", "W_query.bias");
    tensor W_key = f->W_key = linear_weight(run, D_MODEL, D_MODEL);
    STEP(W_key, "W_k ~ uniform ±1/√d_model",
         "W_key = torch.nn.Linear(d_model, d_model)", "W_key.weight");
    tensor W_key_bias = f->W_key_bias =
        linear_bias(run, true, D_MODEL, D_MODEL);
    STEP(W_key_bias, "b_k ~ uniform ±1/√d_model", "", "W_key.bias");
    tensor W_value = f->W_value = linear_weight(run, D_MODEL, D_MODEL);
    STEP(W_value, "W_v ~ uniform ±1/√d_model",
         "W_value = torch.nn.Linear(d_model, d_model)", "W_value.weight");
    tensor W_value_bias = f->W_value_bias =
        linear_bias(run, true, D_MODEL, D_MODEL);
    STEP(W_value_bias, "b_v ~ uniform ±1/√d_model", "", "W_value.bias");
    tensor W_out = f->W_out =
        projects ? linear_weight(run, D_MODEL, D_MODEL) : NO_TENSOR;
    STEP(W_out, "W_o ~ uniform ±1/√d_model",
         "out_proj = torch.nn.Linear(d_model, d_model)", "out_proj.weight");
    tensor W_out_bias = f->W_out_bias =
        linear_bias(run, projects, D_MODEL, D_MODEL);
    STEP(W_out_bias, "b_o ~ uniform ±1/√d_model", "", "out_proj.bias");
    tensor W_ffn1 = f->W_ffn1 = linear_weight(run, HIDDEN, D_MODEL);
    STEP(W_ffn1, "W₁ ~ uniform ±1/√d_model",
         "ffn1 = torch.nn.Linear(d_model, d_hidden)", "ffn1.weight");
    tensor W_ffn1_bias = f->W_ffn1_bias =
        linear_bias(run, true, HIDDEN, D_MODEL);
    STEP(W_ffn1_bias, "b₁ ~ uniform ±1/√d_model", "", "ffn1.bias");
    tensor W_ffn2 = f->W_ffn2 = linear_weight(run, D_MODEL, HIDDEN);
    STEP(W_ffn2, "W₂ ~ uniform ±1/√hidden",
         "ffn2 = torch.nn.Linear(d_hidden, d_model)", "ffn2.weight");
    tensor W_ffn2_bias = f->W_ffn2_bias =
        linear_bias(run, true, D_MODEL, HIDDEN);
    STEP(W_ffn2_bias, "b₂ ~ uniform ±1/√hidden", "", "ffn2.bias");
    tensor drawn_logits =
        axes(linear_weight(run, vocabulary, D_MODEL), "word", "input");
    tensor W_logits = f->W_logits = label_rows(drawn_logits, words);
    STEP(W_logits, "W_l ~ uniform ±1/√d_model",
         "to_logits = torch.nn.Linear(d_model, vocabulary)",
         "to_logits.weight");
    tensor drawn_bias =
        axes(linear_bias(run, true, vocabulary, D_MODEL), "word");
    tensor W_logits_bias = f->W_logits_bias =
        label_columns(drawn_bias, words);
    STEP(W_logits_bias, "b_l ~ uniform ±1/√d_model", "", "to_logits.bias");
}

static void attend(struct run *run, struct forward *f) {
    int64_t tokens = f->embedded.shape[1];
    int64_t head_dim = D_MODEL / run->parameters.heads;

    // Attention, as in lesson 7. Every step on the way has a name here, because
    // each will be met again on the way back: what was computed last comes first
    // then.
    tensor queries =
        rows(linear(f->embedded, f->W_query, f->W_query_bias), "query");
    STEP(queries, "Q = X W_qᵀ + b_q", "queries = W_query(embedded)");
    tensor keys = rows(linear(f->embedded, f->W_key, f->W_key_bias), "key");
    STEP(keys, "K = X W_kᵀ + b_k", "keys = W_key(embedded)");
    tensor values = linear(f->embedded, f->W_value, f->W_value_bias);
    STEP(values, "V = X W_vᵀ + b_v", "values = W_value(embedded)");
    tensor queries_by_head = f->queries_by_head =
        split(run, queries, "query");
    STEP(queries_by_head, "Q[b, h, t, d]",
         "b, t, head_dim = 1, num_tokens - 1, d_model // num_heads\n"
         "def split(x):\n"
         "    return x.view(b, t, num_heads, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(queries)");
    tensor keys_by_head = f->keys_by_head = split(run, keys, "key");
    STEP(keys_by_head, "K[b, h, t, d]", "keys_by_head = split(keys)");
    tensor values_by_head = f->values_by_head = split(run, values, "token");
    STEP(values_by_head, "V[b, h, t, d]", "values_by_head = split(values)");
    tensor dot_products =
        matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(dot_products, "Q Kᵀ",
         "dot_products = queries_by_head @ keys_by_head.transpose(2, 3)");
    tensor scores = multiply_by(dot_products, 1 / root(head_dim));
    STEP(scores, "S = Q Kᵀ · 1/√head_dim",
         "scores = dot_products * head_dim**-0.5");
    tensor mask = f->mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "M[i,j] = -∞ if j > i, else S[i,j]",
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");
    tensor weights = f->weights = softmax(masked_scores, -1);
    STEP(weights, "W = softmax(M)",
         "weights = torch.softmax(masked_scores, dim=-1)");
    tensor context_by_head = matmul(weights, values_by_head);
    STEP(context_by_head, "Z = W V, for each head",
         "context_by_head = weights @ values_by_head");
    tensor context = f->context = merge(context_by_head);
    STEP(context, "heads side by side",
         "def merge(x):\n"
         "    return x.transpose(1, 2).contiguous().view(b, t, d_model)\n"
         "context = merge(context_by_head)");
    bool projects = run->parameters.heads > 1;
    tensor projected =
        projects ? linear(context, f->W_out, f->W_out_bias) : context;
    tensor attention = f->attention = rows(projected, "token");
    STEP(attention, projects ? "A = Z W_oᵀ + b_o" : "A = Z",
         projects ? "attention = out_proj(context)"
                  : "attention = context");
}

static void go_forward(struct run *run, struct forward *f) {
    struct sentence sentence = read_sentence(run);
    f->vocabulary = sentence.vocabulary;
    f->words = sentence.vocabulary_words;

    SECTION("The way forward, as in lesson 7");

    // The sentence as ids. Words are numbered as they first appear, and a word that
    // comes again has the same number.
    tensor ids = f->ids = sentence.ids;
    int64_t tokens = ids.shape[1];
    STEP(ids, "ids = 0, 1, ..., vocabulary - 1",
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "vocabulary, num_tokens = len(vocabulary_words), len(words)\n"
         "ids = torch.tensor([[vocabulary_words.index(word) for word in words]])");

    // What is asked. The model reads all tokens but the last, and is to say at each
    // of them which one follows: so the targets are the same ids, one further.
    f->read = narrow(ids, 1, 0, tokens - 1);
    tensor targets = f->targets = narrow(ids, 1, 1, tokens - 1);
    STEP(targets, "ids[:, 1:]", "targets = ids[:, 1:]");

    draw(run, f);

    // The looked-up rows. One row for each token that is read; the last word's row
    // is never looked up here, and that will show at the very end.
    tensor embedded = f->embedded = embed(f->read, f->embedding);
    STEP(embedded, "X = E[ids]", "embedded = embedding(ids[:, :-1])");

    attend(run, f);

    // Feed-forward, logits and probabilities. ffn1 is what ReLU gets, hidden what it
    // lets through. The probabilities are needed twice: for the loss now, and as the
    // first thing on the way back.
    tensor ffn1 = linear(f->attention, f->W_ffn1, f->W_ffn1_bias);
    STEP(ffn1, "A W₁ᵀ + b₁", "before_relu = ffn1(attention)",
         "before_relu");
    tensor hidden = f->hidden = relu(ffn1);
    STEP(hidden, "H = max(0, A W₁ᵀ + b₁)",
         "hidden = torch.relu(before_relu)");
    tensor feed_forward = f->feed_forward =
        linear(hidden, f->W_ffn2, f->W_ffn2_bias);
    STEP(feed_forward, "F = H W₂ᵀ + b₂", "feed_forward = ffn2(hidden)");
    tensor logits = linear(feed_forward, f->W_logits, f->W_logits_bias);
    STEP(logits, "L = F W_lᵀ + b_l", "logits = to_logits(feed_forward)");
    tensor probabilities = f->probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits, dim=-1)");

    SECTION("The loss");

    // The loss: one number that says how wrong the model is. It is the mean over the
    // positions of -log of the probability given to the word that really follows.
    // e^loss is called perplexity: among how many words the model might as well have
    // guessed. A gradient is asked of the loss, never of the perplexity.
    tensor loss = f->loss = cross_entropy(logits, targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]",
         "cross_entropy = torch.nn.functional.cross_entropy\n"
         "loss = cross_entropy(logits.flatten(0, 1), targets.flatten())");
}

// ---- The way back ------------------------------------------------------------

static struct tensor back_to_attention(struct run *run, struct forward *f) {
    int64_t vocabulary = f->W_logits.shape[0];
    double positions = (double)count_of(shape_of(&f->targets));

    SECTION("The way back: from the loss to attention");

    // How the loss answers to each logit. Read a number here as: raise this logit by
    // a little, and the loss grows by so many times that little. For softmax and
    // -log together it is simple: what the model said minus what was true, 1 at the
    // right word and 0 elsewhere. The loss is a mean, so each position gets its
    // share, 1/n: here, and nowhere else on the way. Each row adds up to 0: what is
    // given to one word is taken from the others.
    tensor truth = one_hot(f->targets, vocabulary);
    tensor missed = subtract(f->probabilities, truth);
    tensor logits_grad = divide_by(missed, positions);
    STEP(logits_grad, "∂L = (P - one-hot) / n",
         "truth = torch.nn.functional.one_hot(targets, vocabulary)\n"
         "logits_grad = (probabilities - truth) / targets.numel()");

    // The weight behind the logits. A logit is a dot product of a row of the weight
    // with a token's features; so the weight's number moves the logit in proportion
    // to the feature that it meets, and the loss in proportion to that logit's
    // gradient. It meets one at every position: these add up. Rows by columns, that
    // is a product of matrices, with the shape of the weight.
    tensor W_logits_grad =
        matmul(transpose(flat(logits_grad), 0, 1), flat(f->feed_forward));
    STEP(W_logits_grad, "∂W_l = ∂Lᵀ F",
         "W_logits_grad = logits_grad.flatten(0, 1).T @ feed_forward.flatten(0, 1)");

    // The bias: a sum over positions, not a mean. The same bias is added at every
    // position, and moving it moves the logit there by just as much. The mean was
    // taken in the loss already; to take it again here would divide twice.
    tensor W_logits_bias_grad = sum(flat(logits_grad), 0, false);
    STEP(W_logits_bias_grad, "∂b_l = sum of rows of ∂L",
         "W_logits_bias_grad = logits_grad.flatten(0, 1).sum(0)");

    // The other factor: what went into the layer. A feature goes into the logits of
    // all words, each time multiplied by a weight. The loss answers to it through
    // all of these ways, and what comes back through each is added up. From here on
    // every linear layer is the same three lines: its input, its weight, its bias.
    tensor feed_forward_grad =
        axes_of(f->feed_forward, matmul(logits_grad, f->W_logits));
    STEP(feed_forward_grad, "∂F = ∂L W_l",
         "feed_forward_grad = logits_grad @ to_logits.weight");

    // The second layer of the feed-forward block. The pattern again: gradient of
    // what came out, turned, times what went in. A column of zeros belongs to a
    // hidden feature that was 0 at every position: a weight that was multiplied by
    // nothing but zeros moved nothing.
    tensor W_ffn2_grad =
        axes_of(f->W_ffn2, matmul(transpose(flat(feed_forward_grad), 0, 1),
                                  flat(f->hidden)));
    STEP(W_ffn2_grad, "∂W₂ = ∂Fᵀ H",
         "W_ffn2_grad = feed_forward_grad.flatten(0, 1).T @ hidden.flatten(0, 1)");
    tensor W_ffn2_bias_grad =
        axes_of(f->W_ffn2_bias, sum(flat(feed_forward_grad), 0, false));
    STEP(W_ffn2_bias_grad, "∂b₂ = sum of rows of ∂F",
         "W_ffn2_bias_grad = feed_forward_grad.flatten(0, 1).sum(0)");

    // What ReLU gave. This is the gradient of its result, not yet of what it was
    // given: it is a number for every hidden feature, open or closed.
    tensor hidden_grad =
        axes_of(f->hidden, matmul(feed_forward_grad, f->W_ffn2));
    STEP(hidden_grad, "∂H = ∂F W₂",
         "hidden_grad = feed_forward_grad @ ffn2.weight");

    // ReLU lets through what was positive. Where it gave a feature on, a nudge went
    // on as well, unchanged; where it set it to 0, a nudge is still 0, and nothing
    // comes back. The gate is the feature on the way forward, not the sign of the
    // gradient: negative gradients pass like positive ones.
    tensor closed = at_most(f->hidden, number(run, 0));
    tensor ffn1_grad = masked_fill(hidden_grad, closed, 0);
    STEP(ffn1_grad, "∂H where H > 0, else 0",
         "ffn1_grad = hidden_grad.masked_fill(hidden <= 0, 0)");

    // The first layer of the feed-forward block. Rows of zeros belong to hidden
    // features that were closed at every position. They can't learn from this
    // sentence, and if no sentence ever opens them they never will: dead units.
    tensor W_ffn1_grad =
        axes_of(f->W_ffn1, matmul(transpose(flat(ffn1_grad), 0, 1),
                                  flat(f->attention)));
    STEP(W_ffn1_grad, "∂W₁ = (∂H where H > 0)ᵀ A",
         "W_ffn1_grad = ffn1_grad.flatten(0, 1).T @ attention.flatten(0, 1)");
    tensor W_ffn1_bias_grad =
        axes_of(f->W_ffn1_bias, sum(flat(ffn1_grad), 0, false));
    STEP(W_ffn1_bias_grad, "∂b₁ = sum of rows",
         "W_ffn1_bias_grad = ffn1_grad.flatten(0, 1).sum(0)");

    // What attention gave to the feed-forward block. Each number says how the loss
    // would answer to one feature of one token's attention result. In PyTorch such
    // gradients of what lies inside come and go: .grad is None there unless
    // retain_grad() asked for it. Only what was made by hand, the parameters, keeps
    // its gradient.
    tensor attention_grad =
        axes_of(f->attention, matmul(ffn1_grad, f->W_ffn1));
    STEP(attention_grad, "∂A = (∂H where H > 0) W₁",
         "attention_grad = ffn1_grad @ ffn1.weight");

    note(f, "W_logits", f->W_logits, W_logits_grad);
    note(f, "W_logits_bias", f->W_logits_bias, W_logits_bias_grad);
    note(f, "W_ffn2", f->W_ffn2, W_ffn2_grad);
    note(f, "W_ffn2_bias", f->W_ffn2_bias, W_ffn2_bias_grad);
    note(f, "W_ffn1", f->W_ffn1, W_ffn1_grad);
    note(f, "W_ffn1_bias", f->W_ffn1_bias, W_ffn1_bias_grad);
    return attention_grad;
}

// Through the output projection, if there is one.
static struct tensor back_to_context(struct run *run, struct forward *f,
                                     tensor attention_grad) {
    bool projects = run->parameters.heads > 1;

    SECTION("The way back: through the heads");

    // The output projection. A linear layer like the others. Here the gradients of
    // the two heads meet for the last time: this weight mixed them on the way
    // forward, so it shares the gradient out among them on the way back.
    tensor W_out_grad = projects
                            ? matmul(transpose(flat(attention_grad), 0, 1),
                                     flat(f->context))
                            : NO_TENSOR;
    STEP(W_out_grad, "∂W_o = ∂Aᵀ Z",
         "W_out_grad = attention_grad.flatten(0, 1).T @ context.flatten(0, 1)");
    tensor W_out_bias_grad =
        projects
            ? axes_of(f->W_out_bias, sum(flat(attention_grad), 0, false))
            : NO_TENSOR;
    STEP(W_out_bias_grad, "∂b_o = sum of rows of ∂A",
         "W_out_bias_grad = attention_grad.flatten(0, 1).sum(0)");

    // The context vectors, all heads side by side. Without an output projection they
    // are the result of attention, and their gradient is the one above.
    tensor context_grad =
        axes_of(f->context, projects ? matmul(attention_grad, f->W_out)
                                     : attention_grad);
    STEP(context_grad, projects ? "∂Z = ∂A W_o" : "∂Z = ∂A",
         projects ? "context_grad = attention_grad @ out_proj.weight"
                  : "context_grad = attention_grad");

    // Each head's part of it. On the way forward the heads were laid side by side;
    // the way back cuts them apart again. View and transpose compute nothing, so
    // their gradient computes nothing either: each number goes back to the place
    // that it was read from.
    tensor context_by_head_grad = split(run, context_grad, "query");
    STEP(context_by_head_grad, "∂Z[b, h, t, d]",
         "context_by_head_grad = split(context_grad)");

    note(f, "W_out", f->W_out, W_out_grad);
    note(f, "W_out_bias", f->W_out_bias, W_out_bias_grad);
    return context_by_head_grad;
}

struct paths {
    struct tensor queries, keys, values; // gradients, (batch, token, width)
};

static struct paths back_through_heads(struct run *run, struct forward *f,
                                       tensor context_by_head_grad) {
    double scale = 1 / root(D_MODEL / run->parameters.heads);

    // The values. A value was handed to every token that looked at it, with the
    // weight as factor: so it collects the gradients of all of these tokens, each
    // with that same weight. Down a column of the weights, not along a row: that is
    // why they are turned. The first token was seen by all, the last by itself only.
    tensor values_by_head_grad =
        axes_of(f->values_by_head,
                matmul(transpose(f->weights, 2, 3), context_by_head_grad));
    STEP(values_by_head_grad, "∂V = Wᵀ ∂Z",
         "values_by_head_grad = weights.transpose(2, 3) @ context_by_head_grad");

    // The attention weights. Would it pay to look more at that token? The answer is
    // a dot product: of the token's value with the direction in which the context
    // vector should move. There is an answer for hidden tokens, too. It will not
    // get far.
    tensor weights_grad =
        axes_of(f->weights, matmul(context_by_head_grad,
                                   transpose(f->values_by_head, 2, 3)));
    STEP(weights_grad, "∂W = ∂Z Vᵀ",
         "weights_grad = context_by_head_grad @ values_by_head.transpose(2, 3)");

    // Through the softmax: not element by element. Raise one score, and its weight
    // grows while all others of the row shrink. So a score's gradient is its weight
    // times how much better than the row's average (weighted, of course) it would be
    // to look there. Each row adds up to 0. Where a weight is 0 or 1, nothing gets
    // through: this is how a softmax that is too sure of itself stops learning.
    tensor average = sum(multiply(weights_grad, f->weights), -1, true);
    tensor masked_scores_grad =
        multiply(subtract(weights_grad, average), f->weights);
    STEP(masked_scores_grad, "∂M = W · (∂W - sum over the row of ∂W · W)",
         "average = (weights_grad * weights).sum(-1, keepdim=True)\n"
         "masked_scores_grad = (weights_grad - average) * weights");

    // Through the mask: 0 where it hid. A score that was replaced by -∞ does not
    // answer, whatever it was. The softmax gave it a weight of 0, so its gradient
    // is 0 already; the mask would see to it in any case.
    tensor scores_grad = masked_fill(masked_scores_grad, f->mask, 0);
    STEP(scores_grad, "∂S[i,j] = 0 if j > i, else ∂M[i,j]",
         "scores_grad = masked_scores_grad.masked_fill(mask, 0)");

    // Through the scaling. What was multiplied by 1/√head_dim on the way forward is
    // multiplied by it on the way back. The root has two effects, then: it keeps
    // scores small, so that the softmax lets something through at all, and it makes
    // what gets through smaller by this factor.
    tensor dot_products_grad = multiply_by(scores_grad, scale);
    STEP(dot_products_grad, "∂S · 1/√head_dim",
         "dot_products_grad = scores_grad * head_dim**-0.5");

    // The queries and the keys. A score is the dot product of a query and a key: the
    // query's gradient is made of keys, and the key's of queries. Along a row of the
    // scores for a query, down a column for a key, so that one is turned. To forget
    // that still fits, since the matrix is square, and is wrong.
    tensor queries_by_head_grad =
        axes_of(f->queries_by_head,
                matmul(dot_products_grad, f->keys_by_head));
    STEP(queries_by_head_grad, "∂Q = ∂(Q Kᵀ) K",
         "queries_by_head_grad = dot_products_grad @ keys_by_head");
    tensor keys_by_head_grad =
        axes_of(f->keys_by_head, matmul(transpose(dot_products_grad, 2, 3),
                                        f->queries_by_head));
    STEP(keys_by_head_grad, "∂K = ∂(Q Kᵀ)ᵀ Q",
         "keys_by_head_grad = dot_products_grad.transpose(2, 3) @ queries_by_head");

    // All heads side by side again. A layer made the queries of all heads in one
    // product, so its gradient wants them as it gave them: token by token.
    tensor queries_grad = rows(merge(queries_by_head_grad), "query");
    STEP(queries_grad, "∂Q, heads side by side",
         "queries_grad = merge(queries_by_head_grad)");
    tensor keys_grad = rows(merge(keys_by_head_grad), "key");
    STEP(keys_grad, "∂K, heads side by side",
         "keys_grad = merge(keys_by_head_grad)");
    tensor values_grad = rows(merge(values_by_head_grad), "token");
    STEP(values_grad, "∂V, heads side by side",
         "values_grad = merge(values_by_head_grad)");

    return (struct paths){queries_grad, keys_grad, values_grad};
}

static void back_to_embedding(struct run *run, struct forward *f,
                              const struct paths *paths) {
    tensor queries_grad = paths->queries, keys_grad = paths->keys;
    tensor values_grad = paths->values;

    SECTION("The way back: to the embedding");

    // The layers of queries and values. Linear layers once more. All three layers
    // read the same rows, so all three gradients have them as a factor.
    tensor W_query_grad =
        axes_of(f->W_query, matmul(transpose(flat(queries_grad), 0, 1),
                                   flat(f->embedded)));
    STEP(W_query_grad, "∂W_q = ∂Qᵀ X",
         "W_query_grad = queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_query_bias_grad =
        axes_of(f->W_query_bias, sum(flat(queries_grad), 0, false));
    STEP(W_query_bias_grad, "∂b_q = sum of rows of ∂Q",
         "W_query_bias_grad = queries_grad.flatten(0, 1).sum(0)");
    tensor W_value_grad =
        axes_of(f->W_value, matmul(transpose(flat(values_grad), 0, 1),
                                   flat(f->embedded)));
    STEP(W_value_grad, "∂W_v = ∂Vᵀ X",
         "W_value_grad = values_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_value_bias_grad =
        axes_of(f->W_value_bias, sum(flat(values_grad), 0, false));
    STEP(W_value_bias_grad, "∂b_v = sum of rows of ∂V",
         "W_value_bias_grad = values_grad.flatten(0, 1).sum(0)");

    // The layer of keys, whose bias has no gradient. The same number added to every
    // key adds the same amount to all scores of a query, and the softmax does not
    // feel that. So nothing the key's bias does can change the loss: its gradient is
    // 0. What stands here instead is rounding, a few times 10⁻¹⁰. This bias never
    // learns; some models leave it out.
    tensor W_key_grad =
        axes_of(f->W_key, matmul(transpose(flat(keys_grad), 0, 1),
                                 flat(f->embedded)));
    STEP(W_key_grad, "∂W_k = ∂Kᵀ X",
         "W_key_grad = keys_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_key_bias_grad =
        axes_of(f->W_key_bias, sum(flat(keys_grad), 0, false));
    STEP(W_key_bias_grad, "∂b_k = sum of rows of ∂K = 0",
         "W_key_bias_grad = keys_grad.flatten(0, 1).sum(0)");

    // Three paths add up. A token's row was used as a query, as a key and as a
    // value. Nudge it, and the loss changes through all three at once; so the
    // gradients of the three are added. Each gets the whole, not a third. This is
    // why programs write += for a gradient, and why an order is needed: all uses of
    // a tensor must be done before its own gradient is handed on.
    tensor through_values = matmul(values_grad, f->W_value);
    tensor through_keys = matmul(keys_grad, f->W_key);
    tensor through_queries = matmul(queries_grad, f->W_query);
    tensor embedded_grad =
        axes_of(f->embedded,
                add(add(through_values, through_keys), through_queries));
    STEP(embedded_grad, "∂X = ∂V W_v + ∂K W_k + ∂Q W_q",
         "through_values = values_grad @ W_value.weight\n"
         "through_keys = keys_grad @ W_key.weight\n"
         "through_queries = queries_grad @ W_query.weight\n"
         "embedded_grad = through_values + through_keys + through_queries");

    // The end of the way: the words' own rows. A lookup copied rows, so each
    // gradient goes back to the row that it was copied from, and a word that was
    // read twice would get both, added up. A word that was not read gets exactly 0:
    // the loss does not know of it. (It stands in the sentence as the last target
    // only.)
    tensor embedding_grad =
        axes_of(f->embedding,
                index_add(f->embedding.shape[0], f->read, embedded_grad));
    STEP(embedding_grad, "∂E[id] = sum of ∂xᵢ where idᵢ = id",
         "embedding_grad = torch.zeros_like(embedding.weight).index_add(\n"
         "    0, ids[:, :-1].flatten(), embedded_grad.flatten(0, 1))");

    note(f, "W_query", f->W_query, W_query_grad);
    note(f, "W_query_bias", f->W_query_bias, W_query_bias_grad);
    note(f, "W_key", f->W_key, W_key_grad);
    note(f, "W_key_bias", f->W_key_bias, W_key_bias_grad);
    note(f, "W_value", f->W_value, W_value_grad);
    note(f, "W_value_bias", f->W_value_bias, W_value_bias_grad);
    note(f, "embedding", f->embedding, embedding_grad);
}

// ---- Is it right? ------------------------------------------------------------

enum { NUDGES = 6 };
static const float nudges[NUDGES] = {1, 0.1F, 0.01F, 1e-3F, 1e-4F, 1e-5F};
static const char *const nudge_labels[NUDGES] = {"h = 1",
                                                 "h = 0.1",
                                                 "h = 0.01",
                                                 "h = 0.001",
                                                 "h = 0.0001",
                                                 "h = 0.00001"};
static const char *const side_labels[] = {"loss below", "loss above"};
static const char *const slope_labels[] = {"slope", "gradient"};

// The loss with one number of W_logits moved: that where `which` is 1.
static struct tensor loss_at(struct forward *f, tensor which,
                             double moved) {
    tensor weight = add(f->W_logits, multiply_by(which, moved));
    tensor logits = linear(f->feed_forward, weight, f->W_logits_bias);
    return cross_entropy(logits, f->targets);
}

static void check_it(struct run *run, struct forward *f) {
    bool projects = run->parameters.heads > 1;

    SECTION("Is it right?");

    // The program's own way back gives the same: the largest differences are 0.
    // Every operation knows the rule of its gradient, and the program walks the
    // list of all operations backwards, adding up where a tensor was used more than
    // once. That is all that loss.backward() does. It finds each parameter's
    // gradient in one walk, whether there are a hundred or a billion numbers to ask
    // about. (PyTorch's own differ by some 10⁻⁸ from those by hand: it takes two
    // steps back through -log and softmax, not one, and rounds twice.)
    struct tensor automatic[MOST_PARAMETERS], apart[MOST_PARAMETERS];
    gradients(f->loss, f->count, f->parameters, automatic);
    for (int i = 0; i < f->count; i++) {
        apart[i] = amax(absolute(subtract(automatic[i], f->by_hand[i])));
    }
    tensor differences = axes(stack(f->count, apart, 0), "parameter");
    tensor automatic_difference = label_columns(differences, f->names);
    STEP(automatic_difference, "max |backward() - by hand|",
         projects
             ? "loss.backward()\n"
               "layers = [(to_logits, W_logits_grad, W_logits_bias_grad),\n"
               "          (ffn2, W_ffn2_grad, W_ffn2_bias_grad),\n"
               "          (ffn1, W_ffn1_grad, W_ffn1_bias_grad),\n"
               "          (out_proj, W_out_grad, W_out_bias_grad),\n"
               "          (W_query, W_query_grad, W_query_bias_grad),\n"
               "          (W_key, W_key_grad, W_key_bias_grad),\n"
               "          (W_value, W_value_grad, W_value_bias_grad)]\n"
               "pairs = [(embedding.weight, embedding_grad)]\n"
               "for layer, weight_grad, bias_grad in layers[::-1]:\n"
               "    pairs = [(layer.weight, weight_grad), (layer.bias, bias_grad)] + pairs\n"
               "distances = [(p.grad - by_hand).abs().max() for p, by_hand in pairs]\n"
               "automatic_difference = torch.stack(distances)"
             : "loss.backward()\n"
               "layers = [(to_logits, W_logits_grad, W_logits_bias_grad),\n"
               "          (ffn2, W_ffn2_grad, W_ffn2_bias_grad),\n"
               "          (ffn1, W_ffn1_grad, W_ffn1_bias_grad),\n"
               "          (W_query, W_query_grad, W_query_bias_grad),\n"
               "          (W_key, W_key_grad, W_key_bias_grad),\n"
               "          (W_value, W_value_grad, W_value_bias_grad)]\n"
               "pairs = [(embedding.weight, embedding_grad)]\n"
               "for layer, weight_grad, bias_grad in layers[::-1]:\n"
               "    pairs = [(layer.weight, weight_grad), (layer.bias, bias_grad)] + pairs\n"
               "distances = [(p.grad - by_hand).abs().max() for p, by_hand in pairs]\n"
               "automatic_difference = torch.stack(distances)");

    // The loss with one weight moved a little, both ways. This needs no theory at
    // all: take one number of W_logits (that of Your and feature 1), move it down
    // and up by h, and compute the loss anew. Six sizes of h, from 1 to 0.00001.
    tensor first = narrow(numbers_from_0(run, 1), 0, 0, 1);
    int64_t words = f->W_logits.shape[0];
    tensor which = view(one_hot(first, words * D_MODEL), words, D_MODEL);
    struct tensor losses[NUDGES];
    for (int i = 0; i < NUDGES; i++) {
        tensor below = loss_at(f, which, -(double)nudges[i]);
        tensor above = loss_at(f, which, (double)nudges[i]);
        losses[i] = stack(2, (tensor[]){below, above}, 0);
    }
    tensor both = axes(stack(NUDGES, losses, 0), "nudge", "side");
    tensor nudged_loss =
        label_columns(label_rows(both, nudge_labels), side_labels);
    STEP(nudged_loss, "loss(w - h), loss(w + h)",
         "which = torch.zeros_like(to_logits.weight)\n"
         "which[0, 0] = 1\n"
         "def loss_at(h):\n"
         "    weight = to_logits.weight + which * h\n"
         "    nudged = torch.nn.functional.linear(feed_forward, weight, to_logits.bias)\n"
         "    return cross_entropy(nudged.flatten(0, 1), targets.flatten())\n"
         "nudges = torch.tensor([1, 0.1, 0.01, 0.001, 0.0001, 0.00001])\n"
         "both = [torch.stack([loss_at(-h), loss_at(h)]) for h in nudges]\n"
         "nudged_loss = torch.stack(both)");

    // Its slope beside the gradient. The slope is what the loss gained from below to
    // above, divided by 2h. With h = 1 the curve bends too much; around 0.01 slope
    // and gradient agree in three digits or more; and with a smaller h the slope
    // gets worse again. The loss is a float32 of seven digits, the two losses agree
    // in the first ones, and what is left of their difference is rounding. A
    // gradient has no h, and needs one walk for all numbers where slopes need two
    // losses for each.
    tensor gained = subtract(select_index(nudged_loss, 1, 1),
                             select_index(nudged_loss, 1, 0));
    tensor slopes =
        divide(gained, multiply_by(numbers_of(run, NUDGES, nudges), 2));
    tensor grad = select_index(select_index(f->by_hand[0], 0, 0), 0, 0);
    tensor grads = multiply(ones(run, NUDGES), grad);
    tensor side_by_side = stack(2, (tensor[]){slopes, grads}, 1);
    tensor slope = label_columns(side_by_side, slope_labels);
    STEP(slope, "(loss(w + h) - loss(w - h)) / 2h",
         "slopes = (nudged_loss[:, 1] - nudged_loss[:, 0]) / (nudges * 2)\n"
         "slope = torch.stack([slopes, torch.ones(6) * W_logits_grad[0, 0]], dim=1)");
}

static void way_there_and_back(struct run *run) {
    struct forward *f = arena_allocate(run->memory, sizeof *f);
    go_forward(run, f);
    tensor attention_grad = back_to_attention(run, f);
    tensor context_grad = back_to_context(run, f, attention_grad);
    struct paths paths = back_through_heads(run, f, context_grad);
    back_to_embedding(run, f, &paths);
    check_it(run, f);
}

LESSON(gradients) = {
    .name = "gradients",
    .title = "Gradients: the way back, by hand",
    .summary =
        "Which way does each number push the loss? From the loss of the small GPT back to its words, one paragraph a step, through softmax, mask and heads.",
    .book = "appendix A.4, Automatic differentiation made easy",
    .uses = USES_SEED | USES_HEADS | USES_TEXT,
    .splits_heads = true,
    .defaults = {.d_out = D_MODEL, .heads = 2, .text = SIX_WORDS},
    .setup = "d_model, d_hidden = 4, 8",
    EXERCISES(
        {"logits_grad",
         {"What the model said, and what was true: how far apart are they?",
          "The loss is a mean: what does each position get of it?",
          "The difference of two tensors, divided by the number of targets."}},
        {"W_logits_bias_grad",
         {"The same bias is added at every position.",
          "Is it a sum over the positions or a mean?",
          "Flatten sentences and tokens into one dimension; what becomes of it?"}},
        {"ffn1_grad",
         {"ReLU let through what was positive.",
          "Which tensor says where it was closed?",
          "masked_fill with a comparison of hidden and 0."}},
        {"values_by_head_grad",
         {"A value was handed to every token that looked at it.",
          "The weights are the factor; along rows or columns?",
          "A product of matrices, with the weights turned."}},
        {"scores_grad",
         {"What was hidden on the way forward does not answer.",
          "The same mask as on the way forward.",
          "masked_fill, but not with -torch.inf."}},
        {"keys_by_head_grad",
         {"A key was used by every query that sees it.",
          "Down a column of the scores, not along a row.",
          "The turned gradient of the dot products, times what met the keys."}},
        {"embedded_grad",
         {"One row was used in three layers.",
          "Does each use get a third, or all of it?",
          "A sum of the three tensors just computed."}}),
    .teach = way_there_and_back,
    .source = &gradients_source,
};
