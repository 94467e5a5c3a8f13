#include <math.h>

#include "gradients.h"
#include "variants.h"

// ---- The way forward: lesson 7 once more -----------------------------------

static void draw(struct run *run, struct forward *f) {
    int64_t vocabulary = f->vocabulary;
    const char *const *words = f->words;
    int64_t d_model = run->parameters.d_model;
    int64_t hidden = run->parameters.hidden;
    bool projects = run->parameters.heads > 1;

    // The parameters, drawn as in lesson 7. These numbers can be changed. For
    // each of them the lesson asks: if it rises a little, does the loss rise
    // or fall, and how fast? The answers for all of them together are called
    // the gradient.
    reseed(run, 123);
    tensor drawn = draw_embedding(run, ROLE_TOKENS, vocabulary, d_model);
    tensor embedding = f->embedding = label_rows(drawn, words);
    STEP(embedding, "E ~ normal(0, 1)",
         "embedding = torch.nn.Embedding(vocabulary, d_model)",
         "embedding.weight");
    LAYER(W_query, ROLE_QUERIES, d_model, d_model, true, "W_q",
          "W_query = torch.nn.Linear(d_model, d_model)");
    LAYER(W_key, ROLE_KEYS, d_model, d_model, true, "W_k",
          "W_key = torch.nn.Linear(d_model, d_model)");
    LAYER(W_value, ROLE_VALUES, d_model, d_model, true, "W_v",
          "W_value = torch.nn.Linear(d_model, d_model)");
    LAYER_IF(projects, W_out, ROLE_OUTPUT, d_model, d_model, true, "W_o",
             "out_proj = torch.nn.Linear(d_model, d_model)");
    LAYER(W_ffn1, ROLE_NONE, d_model, hidden, true, "W₁",
          "ffn1 = torch.nn.Linear(d_model, d_hidden)");
    LAYER(W_ffn2, ROLE_NONE, hidden, d_model, true, "W₂",
          "ffn2 = torch.nn.Linear(d_hidden, d_model)");
    LAYER(W_logits, ROLE_LOGITS, d_model, vocabulary, true, "W_l",
          "to_logits = torch.nn.Linear(d_model, vocabulary)", words);

    f->layers = (struct layers){W_query, W_key,  W_value, W_out,
                                W_ffn1,  W_ffn2, W_logits};
}

static void attend(struct run *run, struct forward *f) {
    int64_t tokens = f->embedded.shape[1];
    int64_t d_model = run->parameters.d_model;
    int64_t heads = run->parameters.heads, head_dim = d_model / heads;

    // Attention, as in lesson 7. Every result on the way forward has a name
    // here, because the way back visits each of them again. It does so in
    // reverse order: the last result comes first.
    tensor queries = apply(f->layers.W_query, f->embedded);
    STEP(queries, "Q = X W_qᵀ + b_q", "queries = W_query(embedded)");
    tensor keys = apply(f->layers.W_key, f->embedded);
    STEP(keys, "K = X W_kᵀ + b_k", "keys = W_key(embedded)");
    tensor values = apply(f->layers.W_value, f->embedded);
    STEP(values, "V = X W_vᵀ + b_v", "values = W_value(embedded)");
    tensor queries_by_head = f->queries_by_head =
        split_heads(queries, heads);
    STEP(queries_by_head, "Q[b, h, t] = part h of Q[b, t]",
         "b, t, head_dim = 1, num_tokens - 1, d_model // num_heads\n"
         "def split(x):\n"
         "    return x.view(b, t, num_heads, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(queries)");
    tensor keys_by_head = f->keys_by_head = split_heads(keys, heads);
    STEP(keys_by_head, "K[b, h, t] = part h of K[b, t]",
         "keys_by_head = split(keys)");
    tensor values_by_head = f->values_by_head = split_heads(values, heads);
    STEP(values_by_head, "V[b, h, t] = part h of V[b, t]",
         "values_by_head = split(values)");
    tensor dot_products = f->dot_products =
        matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(dot_products, "Q Kᵀ",
         "dot_products = queries_by_head @ keys_by_head.transpose(2, 3)");
    tensor scores = f->scores =
        multiply_by(dot_products, 1 / root(head_dim));
    STEP(scores, "S = Q Kᵀ · 1/√head_dim",
         "scores = dot_products * head_dim**-0.5");
    tensor mask = f->mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = f->masked_scores =
        masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "M[i,j] = -∞ if j > i, else S[i,j]",
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");
    tensor weights = f->weights = softmax(masked_scores, -1);
    STEP(weights, "W = softmax(M)",
         "weights = torch.softmax(masked_scores, dim=-1)");
    tensor context_by_head = matmul(weights, values_by_head);
    STEP(context_by_head, "Z = W V, for each head",
         "context_by_head = weights @ values_by_head");
    tensor context = f->context = merge_heads(context_by_head);
    AT(0, 2);
    STEP(context, "heads side by side",
         "def merge(x):\n"
         "    return x.transpose(1, 2).contiguous().view(b, t, d_model)\n"
         "context = merge(context_by_head)");
    bool projects = heads > 1;
    tensor projected = projects ? apply(f->layers.W_out, context) : context;
    tensor attention = f->attention = rows(projected, AXIS_TOKEN);
    STEP(attention, projects ? "A = Z W_oᵀ + b_o" : "A = Z",
         projects ? "attention = out_proj(context)"
                  : "attention = context");
}

static void go_forward(struct run *run, struct forward *f) {
    struct sentence sentence = read_sentence(run);
    f->vocabulary = sentence.vocabulary;
    f->words = sentence.vocabulary_words;

    SECTION("The way forward, as in lesson 7");

    // The sentence as ids. Words are numbered in the order in which they first
    // appear, and a repeated word keeps its number.
    tensor ids = f->ids = sentence.ids;
    int64_t tokens = ids.shape[1];
    STEP(ids, "ids = 0, 1, ..., vocabulary - 1",
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "num_tokens = len(words)\n"
         "ids = torch.tensor([[vocabulary_words.index(word) for word in words]])");

    // The targets: which word follows each token. The model reads all tokens
    // but the last, and predicts at each of them the next one. So the targets
    // are the same ids, shifted by one.
    f->read = narrow(ids, 1, 0, tokens - 1);
    tensor targets = f->targets = narrow(ids, 1, 1, tokens - 1);
    STEP(targets, "ids[:, 1:]", "targets = ids[:, 1:]");

    draw(run, f);

    // The rows of the embedding, looked up. There is one row for each token
    // that is read. A row that is not looked up will have a gradient of 0 at
    // the end. At the course's parameters that is the row of the last word.
    tensor embedded = f->embedded = embed(f->read, f->embedding);
    STEP(embedded, "X = E[ids]", "embedded = embedding(ids[:, :-1])");

    attend(run, f);

    // The hidden features, before and after ReLU. ReLU reads the result of the
    // layer ffn1. ReLU's result is called hidden.
    tensor ffn1 = f->ffn1 = apply(f->layers.W_ffn1, f->attention);
    STEP(ffn1, "A W₁ᵀ + b₁", "before_relu = ffn1(attention)",
         "before_relu");
    tensor hidden = f->hidden = relu(ffn1);
    STEP(hidden, "H = max(0, A W₁ᵀ + b₁)",
         "hidden = torch.relu(before_relu)");

    // The result of the feed-forward block, the logits and the probabilities.
    // The way back starts from the probabilities. (cross_entropy computes them
    // itself from the logits.)
    tensor feed_forward = f->feed_forward = apply(f->layers.W_ffn2, hidden);
    STEP(feed_forward, "F = H W₂ᵀ + b₂", "feed_forward = ffn2(hidden)");
    tensor logits = f->logits = apply(f->layers.W_logits, feed_forward);
    STEP(logits, "L = F W_lᵀ + b_l", "logits = to_logits(feed_forward)");
    tensor probabilities = f->probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits, dim=-1)");

    SECTION("The loss");

    // The loss: one number that says how wrong the model is. Each position
    // gives a probability to the word that really follows; the loss is the
    // mean of -log of these. All gradients in the next steps are gradients of
    // this loss. e^loss is called perplexity: the model is as uncertain as if
    // it guessed among that many words.
    tensor loss = f->loss = cross_entropy(logits, targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]",
         "cross_entropy = torch.nn.functional.cross_entropy\n"
         "loss = cross_entropy(logits.flatten(0, 1), targets.flatten())");
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
    tensor weight =
        add(f->layers.W_logits.weight, multiply_by(which, moved));
    tensor logits =
        linear(f->feed_forward, weight, f->layers.W_logits.bias);
    return cross_entropy(logits, f->targets);
}

static void check_it(struct run *run, struct forward *f) {
    bool projects = run->parameters.heads > 1;

    SECTION("Is it right?");

    // The program's own way back gives the same, but for rounding. Every
    // operation knows its gradient rule. The program walks the list of all
    // operations backwards and adds up where a tensor was used more than once;
    // PyTorch's loss.backward() does the same. One such walk finds the
    // gradients of all parameters, be they a hundred or a billion. (At the
    // course's parameters they differ from those by hand by about 10⁻⁸: the
    // walk goes back through -log and softmax in two steps instead of one, and
    // adds up rows in another order.)
    struct tensor automatic[MOST_PARAMETERS], apart[MOST_PARAMETERS];
    gradients(f->loss, f->count, f->parameters, automatic);
    for (int i = 0; i < f->count; i++) {
        apart[i] = amax(absolute(subtract(automatic[i], f->by_hand[i])));
    }
    tensor differences = named(stack(f->count, apart, 0), "parameter");
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

    // The loss with one weight moved a little, both ways. This test needs no
    // theory: take the first number of W_logits, that of the first word and
    // feature 1, move it down and up by h, and compute the loss again. h takes
    // six sizes from 1 to 0.00001. At the course's parameters the two losses of
    // the smallest h agree in all four decimals that are shown.
    tensor first = narrow(numbers_from_0(run, 1), 0, 0, 1);
    int64_t words = f->layers.W_logits.weight.shape[0],
            d_model = f->layers.W_logits.weight.shape[1];
    tensor which = view(one_hot(first, words * d_model), words, d_model);
    struct tensor losses[NUDGES];
    for (int i = 0; i < NUDGES; i++) {
        tensor below = loss_at(f, which, -(double)nudges[i]);
        tensor above = loss_at(f, which, (double)nudges[i]);
        losses[i] = stack(2, (tensor[]){below, above}, 0);
    }
    tensor both = named(stack(NUDGES, losses, 0), "nudge", "side");
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

    // The slope of the loss beside the gradient. The slope is the difference of
    // the two losses, divided by 2h. At the course's parameters both agree in
    // three digits or more around h = 0.01. With a larger h the slope is off,
    // because the loss is not a straight line. With a smaller h it is off,
    // because the two float32 losses share their first digits and their
    // difference is mostly rounding. A gradient needs no h, and one walk finds
    // it for all numbers; slopes need two losses for each.
    tensor gained = subtract(select_index(nudged_loss, 1, 1),
                             select_index(nudged_loss, 1, 0));
    tensor slopes =
        divide(gained, multiply_by(numbers_of(run, NUDGES, nudges), 2));
    tensor grad = select_index(select_index(f->by_hand[0], 0, 0), 0, 0);
    tensor grads = multiply(ones(run, NUDGES), grad);
    tensor side_by_side = stack(2, (tensor[]){slopes, grads}, 1);
    tensor slope =
        label_columns(named(side_by_side, "nudge", "kind"), slope_labels);
    STEP(slope, "(loss(w + h) - loss(w - h)) / 2h",
         "slopes = (nudged_loss[:, 1] - nudged_loss[:, 0]) / (nudges * 2)\n"
         "slope = torch.stack([slopes, torch.ones(6) * W_logits_grad[0, 0]], dim=1)");
}

static void way_there_and_back(struct run *run) {
    struct forward *f = arena_allocate(run->memory, sizeof *f);
    go_forward(run, f);
    go_back(run, f);
    check_it(run, f);
}

// The way back through attention. No gradient passes where a weight is 0.
struct attention_gradients attention_backward(tensor queries, tensor keys,
                                              tensor values, tensor weights,
                                              tensor context_grad) {
    tensor values_grad = matmul(transpose(weights, 2, 3), context_grad);
    tensor weights_grad = matmul(context_grad, transpose(values, 2, 3));
    tensor average = sum(multiply(weights_grad, weights), -1, true);
    tensor scores_grad = multiply(subtract(weights_grad, average), weights);
    tensor products_grad =
        multiply_by(scores_grad, 1 / root(keys.shape[3]));
    tensor queries_grad = matmul(products_grad, keys);
    tensor keys_grad = matmul(transpose(products_grad, 2, 3), queries);
    return (struct attention_gradients){queries_grad, keys_grad,
                                        values_grad};
}

LESSON(gradients) = {
    .name = "gradients",
    .part = PART_OF_LEARNING,
    .title = "Gradients: the way back, by hand",
    .summary =
        "In which direction does each number change the loss? From the loss of the small GPT back to its words, step by step, through softmax, mask and heads.",
    .book = "appendix A.4, Automatic differentiation made easy",
    .uses = USES_SEED | USES_HEADS | USES_TEXT | USES_D_MODEL |
            USES_HIDDEN | USES_VOCABULARY,
    .splits_heads = true,
    .most_numbers = 10000000,
    .defaults = {.d_model = 4, .hidden = 8, .heads = 2, .text = SIX_WORDS},
    .teach = way_there_and_back,
    .source = &gradients_source,
};
