#include <float.h>
#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

// Four forms of attention, and the layers whose gradients are shown.
enum { FORMS = 4, LAYERS = 4 };
static const char *const form_labels[FORMS] = {"no repair", "zeros",
                                               "-3.4e38", "added mask"};
static const char *const layer_labels[LAYERS] = {"query", "key", "value",
                                                 "predict"};

static void attend_alone(struct run *run, layer W_query, layer W_key,
                         layer W_value, tensor context);
static void pad_in_front(struct run *run, layer W_query, layer W_key,
                         layer W_value);
static struct tensor padded(struct run *run, bool is_in_front);
static struct tensor key_places(struct run *run, int64_t tokens);
static struct tensor for_every_query(struct tensor mask);
static struct tensor hides_all_keys(struct tensor mask);
static struct tensor number_of_tokens(struct run *run);
static int64_t shortest(struct run *run, int64_t *tokens);

static void padding(struct run *run) {
    tensor inputs = run->inputs;
    int64_t d_in = inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Sentences of different lengths");

    // Sentences of different lengths, and which keys are padding. In a tensor
    // all sentences are equally long, so the shorter ones are filled up with
    // vectors of zeros: padding. At the course's parameters the second sentence
    // is "one step", and gets four rows of padding. The mask has a row for each
    // sentence. True means "hide this key". The mask must be made from the
    // lengths, not from the vectors, because a real token may be a vector of
    // zeros, too.
    tensor batch = padded(run, false);
    AT(1, 2, 0);
    STEP(batch, "X, then rows of 0",
         "sentences = [inputs[-length:] for length in lengths]\n"
         "batch = torch.nn.utils.rnn.pad_sequence(sentences, batch_first=True)");
    tensor places = key_places(run, batch.shape[1]);
    tensor key_padding_mask =
        axes(at_most(number_of_tokens(run), places), AXIS_BATCH, AXIS_KEY);
    STEP(key_padding_mask, "True if j ≥ length of the sentence",
         "places = torch.arange(batch.shape[1])\n"
         "key_padding_mask = places >= torch.tensor(lengths).unsqueeze(1)");

    // The layers of queries, keys and values. They are those of the lesson on
    // causal attention, and know nothing of padding: a layer works on each row
    // alone.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values of all rows, padding included. A row of
    // padding is all zeros. Without a bias the layers make zeros of it
    // again. With a bias they make the bias of it.
    tensor queries = apply(W_query, batch);
    AT(1, 2, 0);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor keys = apply(W_key, batch);
    AT(1, 2, 0);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(batch)");
    tensor values = apply(W_value, batch);
    AT(1, 2, 0);
    STEP(values, "V = X W_vᵀ", "values = W_value(batch)");

    SECTION("Hiding the padding");

    // Scores in each sentence. A key of zeros has a score of 0 with every
    // query.
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    AT(1, 0, 2);
    STEP(scores, "S = Q Kᵀ, for each sentence",
         "scores = queries @ keys.transpose(1, 2)");

    // What goes wrong without a mask. A score of 0 is not a weight of 0,
    // because e⁰ is 1. At the course's parameters "one" gives 0.1648 to each of
    // the four rows of padding in the second sentence: that is about two thirds
    // of its weight, and the two real tokens share the rest.
    tensor weights_unmasked = softmax(divide_by(scores, root(d_out)), -1);
    AT(1, 0, 2);
    STEP(weights_unmasked, "softmax(S / √d_k), nothing hidden",
         "weights_unmasked = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");

    // Hide the keys that are padding. unsqueeze(1) adds a dimension for
    // the queries. PyTorch repeats the mask along it: every query of a
    // sentence ignores the same keys. So whole columns become -∞. The rows
    // of padding are not hidden.
    tensor mask = for_every_query(key_padding_mask);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ where the key is padding, else S[i,j]",
         "mask = key_padding_mask.unsqueeze(1)\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights: padding gets 0. The rows of padding still have weights,
    // because the mask hides keys and not queries. Without a bias their
    // scores are all 0, so they give the same weight to each real token:
    // at the course's parameters 0.5000. A program ignores the results of
    // these rows, for example when it computes the loss.
    tensor weights = softmax(divide_by(masked_scores, root(d_out)), -1);
    AT(1, 2, 0);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Context vectors. All rows of a sentence are mixed from the values of its
    // own tokens alone. At the course's parameters those of the second are
    // "one" and "step", and one of its numbers is 0.1075.
    tensor context = matmul(weights, values);
    AT(1, 0, 1);
    STEP(context, "Z = W V, for each sentence",
         "context = weights @ values");

    attend_alone(run, W_query, W_key, W_value, context);
    pad_in_front(run, W_query, W_key, W_value);
}

// The shortest sentence, computed without a batch and without padding.
static void attend_alone(struct run *run, layer W_query, layer W_key,
                         layer W_value, tensor context) {
    int64_t tokens, sentence = shortest(run, &tokens);
    tensor inputs = run->inputs;

    SECTION("The short sentence alone");

    // The shortest sentence without padding, beside the padded one. It is
    // computed as in the lesson on trainable weights: one matrix, no batch
    // and no mask. The mathematics is the same, for padding has a weight
    // of exactly 0. Yet a difference may be left: at the course's
    // parameters it is 1.9e-9. For one matrix PyTorch rounds once for each
    // product that it adds; for a small batch it rounds twice, after the
    // product and after the sum.
    tensor alone = narrow(inputs, 0, inputs.shape[0] - tokens, tokens);
    tensor context_alone = self_attention(alone, W_query, W_key, W_value);
    STEP(context_alone, "Z = softmax(Q Kᵀ / √d_k) V",
         "alone = inputs[-min(lengths):]\n"
         "q, k, v = W_query(alone), W_key(alone), W_value(alone)\n"
         "context_alone = torch.softmax(q @ k.T / k.shape[-1]**0.5, dim=-1) @ v");
    tensor row = select_index(context, 0, sentence);
    tensor difference =
        amax(absolute(subtract(narrow(row, 0, 0, tokens), context_alone)));
    STEP(difference, "max |padded - alone|",
         "padded = context[lengths.index(min(lengths)), :min(lengths)]\n"
         "difference = (padded - context_alone).abs().max()");
}

// Padding in front of the tokens, with a causal mask.
static void pad_in_front(struct run *run, layer W_query, layer W_key,
                         layer W_value) {
    int64_t d_out = run->parameters.d_out;

    SECTION("Padding in front");

    // Padding in front of the tokens. A model that writes text needs it. The
    // next word is predicted from the last token, and with padding in front
    // the last token of every sentence stands in the last row.
    GROUP("left");
    tensor batch = padded(run, true);
    AT(1, 0, 0);
    STEP(batch, "X, with rows of 0 in front",
         "flipped = [sentence.flip(0) for sentence in sentences]\n"
         "batch = torch.nn.utils.rnn.pad_sequence(flipped, batch_first=True).flip(1)");

    // Padding and future are both hidden. A key is hidden if one of the two
    // masks hides it. A row of padding may see only itself and what stands
    // before it, and all of that is padding. At the course's parameters these
    // are the first four rows of the second sentence.
    int64_t tokens = batch.shape[1];
    tensor first =
        subtract(number(run, (double)tokens), number_of_tokens(run));
    tensor key_padding_mask =
        axes(less(key_places(run, tokens), first), AXIS_BATCH, AXIS_KEY);
    tensor future = to_bool(
        triu(axes(ones(run, tokens, tokens), AXIS_QUERY, AXIS_KEY), 1));
    tensor mask =
        axes(logical_or(for_every_query(key_padding_mask), future),
             AXIS_BATCH, AXIS_QUERY, AXIS_KEY);
    AT(1, 0, 0);
    STEP(mask, "True if j is padding or j > i",
         "first = batch.shape[1] - torch.tensor(lengths).unsqueeze(1)\n"
         "key_padding_mask = places < first\n"
         "future = torch.ones(len(places), len(places)).triu(diagonal=1).bool()\n"
         "mask = key_padding_mask.unsqueeze(1) | future");

    // Scores, with both masks. Rows of padding have -∞ in every place.
    tensor queries = apply(W_query, batch), keys = apply(W_key, batch);
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    AT(1, 0, 0);
    STEP(masked_scores, "-∞ where hidden, else S[i,j]",
         "scores = W_query(batch) @ W_key(batch).transpose(1, 2)\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // A row of nan. The softmax subtracts the largest score of the row. Where
    // all scores are -∞, that is -∞ - (-∞), which is nan: not a number. Its
    // context vector is nan, too, and so is a loss that reads it. Even if no
    // loss reads it, it makes nan of some gradients, and after one update each
    // further output of the model is nan.
    tensor weights = softmax(divide_by(masked_scores, root(d_out)), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // One repair: the most negative float in place of -∞. In a row of
    // padding every key is hidden. All its scores are equal now, so it
    // gives the same weight to every key: at the course's parameters 0.1667
    // to each of six. Nothing is nan, but the row mixes values that it must
    // not see. As long as no later operation reads such a row, that does no
    // harm.
    tensor scaled = divide_by(scores, root(d_out));
    tensor finite = masked_fill(scaled, mask, -(double)FLT_MAX);
    tensor weights_with_finite_min = softmax(finite, -1);
    AT(1, 0, 0);
    STEP(weights_with_finite_min, "softmax, with -3.4e38 for -∞",
         "scaled = scores / keys.shape[-1]**0.5\n"
         "finite = scaled.masked_fill(mask, torch.finfo(scaled.dtype).min)\n"
         "weights_with_finite_min = torch.softmax(finite, dim=-1)");

    // Another repair: zeros after the softmax. Rows in which every key is
    // hidden get weights of 0, so their context vectors are 0, and no longer
    // nan. Zeros before the softmax would give equal weights again. All other
    // rows are as before. The first token of a sentence sees only itself, so
    // its row is its own value.
    tensor hidden_rows = hides_all_keys(mask);
    tensor weights_repaired = masked_fill(weights, hidden_rows, 0);
    STEP(weights_repaired, "0 in rows where everything is hidden, else W",
         "hidden_rows = mask.all(dim=-1, keepdim=True)\n"
         "weights_repaired = weights.masked_fill(hidden_rows, 0)");
    tensor values = apply(W_value, batch);
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V",
         "values = W_value(batch)\n"
         "context = weights @ values");
    tensor context_repaired = matmul(weights_repaired, values);
    AT(1, 4, 0);
    STEP(context_repaired, "Z = repaired W V",
         "context_repaired = weights_repaired @ values");

    // A loss that does not count padding. Each token is to predict the next
    // one. Padding has nothing to predict, and no token follows the last one.
    // Both get the target -100: cross_entropy leaves such rows out of the mean.
    // -100 is its ignore_index. (Tokens are numbered from 0.)
    tensor ids = numbers_from_0(run, run->inputs.shape[0] + 1);
    tensor following = narrow(ids, 0, ids.shape[0] - tokens, tokens);
    tensor last =
        at_most(number(run, (double)tokens - 1), key_places(run, tokens));
    tensor has_none = logical_or(key_padding_mask, last);
    tensor targets =
        axes(masked_fill(expand(following, shape_of(&has_none)), has_none,
                         -100),
             AXIS_BATCH, AXIS_TOKEN);
    STEP(targets, "id of the next token, or -100",
         "following = torch.arange(len(inputs) + 1)[-len(places):]\n"
         "has_none = key_padding_mask | (places >= len(places) - 1)\n"
         "targets = following.expand(has_none.shape).masked_fill(has_none, -100)");
    layer predict =
        draw_layer(run, ROLE_LOGITS, d_out, run->inputs.shape[0], true);
    tensor loss = cross_entropy(apply(predict, context_repaired), targets);
    STEP(loss, "mean of -log P[i, target], without -100",
         "predict = torch.nn.Linear(d_out, len(inputs))\n"
         "cross_entropy = torch.nn.functional.cross_entropy\n"
         "def loss_with(weights):\n"
         "    logits = predict(weights @ values)\n"
         "    return cross_entropy(logits.flatten(0, 1), targets.flatten())\n"
         "loss = loss_with(weights_repaired)");

    // Which gradients are nan. The loss is the same in all cases of the next
    // table, and reads no row of padding. Yet a row of nan without a repair
    // makes nan of the gradients of W_value and predict: 0 · nan is nan.
    // masked_fill passes nothing back where it hid a score. An added mask
    // (scores + mask) does: there such a row makes nan of W_query's and W_key's
    // gradients, even if zeros repair it.
    tensor added = masked_fill(zeros_like(scores), mask, -INFINITY);
    tensor with_added = divide_by(add(scores, added), root(d_out));
    tensor added_repaired =
        masked_fill(softmax(with_added, -1), hidden_rows, 0);
    struct tensor forms[] = {weights, weights_repaired,
                             weights_with_finite_min, added_repaired};
    tensor of[] = {W_query.weight, W_key.weight, W_value.weight,
                   predict.weight};
    struct tensor grads[FORMS][LAYERS], sizes[LAYERS], largest[FORMS];
    for (int i = 0; i < FORMS; i++) {
        tensor mixed = matmul(forms[i], values);
        gradients(cross_entropy(apply(predict, mixed), targets), LAYERS, of,
                  grads[i]);
        for (int k = 0; k < LAYERS; k++)
            sizes[k] = amax(absolute(grads[i][k]));
        largest[i] = stack(LAYERS, sizes, 0);
    }
    tensor W_query_grad = grads[0][0];
    STEP(W_query_grad, "∂W_q = ∂Qᵀ X, without a repair",
         "loss_with(weights).backward(retain_graph=True)\n"
         "W_query_grad = W_query.weight.grad");
    tensor table = named(stack(FORMS, largest, 0), "form", "layer");
    tensor largest_gradients =
        label_columns(label_rows(table, form_labels), layer_labels);
    STEP(largest_gradients, "max |∂W|, for each layer",
         "added = torch.zeros(mask.shape).masked_fill(mask, -torch.inf)\n"
         "weights_added = torch.softmax((scores + added) / keys.shape[-1]**0.5, dim=-1)\n"
         "added_repaired = weights_added.masked_fill(hidden_rows, 0)\n"
         "layers = [layer.weight for layer in (W_query, W_key, W_value, predict)]\n"
         "def largest(weights):\n"
         "    grads = torch.autograd.grad(loss_with(weights), layers, retain_graph=True)\n"
         "    return torch.stack([grad.abs().max() for grad in grads])\n"
         "forms = [weights, weights_repaired, weights_with_finite_min, added_repaired]\n"
         "largest_gradients = torch.stack([largest(form) for form in forms])");

    // What PyTorch's functions do. True hides in a mask of MultiheadAttention,
    // but keeps in one of scaled_dot_product_attention. A row in which all is
    // hidden: 1.13 makes it nan, in both functions (there the second one's
    // name begins with _). In 2.6 scaled_dot_product_attention makes it 0.
    // MultiheadAttention makes it nan with need_weights=True, the default, and
    // in the fast path: eval() without gradients. Otherwise it makes it 0.
    tensor keep = logical_not(mask);
    AT(1, 0, 0);
    STEP(keep, "True if i may see j", "keep = ~mask");

    END_GROUP;
}

// The place of each key in its sentence, from 0: [1, tokens].
static struct tensor key_places(struct run *run, int64_t tokens) {
    return axes(view(numbers_from_0(run, tokens), 1, tokens), AXIS_BATCH,
                AXIS_KEY);
}

// A mask of keys, the same for every query: [sentences, 1, tokens].
static struct tensor for_every_query(struct tensor mask) {
    return axes(view(mask, mask.shape[0], 1, mask.shape[1]), AXIS_BATCH,
                AXIS_QUERY, AXIS_KEY);
}

// Of a mask [sentences, queries, keys], the rows that see no key: [.., queries, 1].
static struct tensor hides_all_keys(struct tensor mask) {
    tensor sees_a_key = amax_along(to_float(logical_not(mask)), -1);
    return logical_not(
        axes(view(sees_a_key, mask.shape[0], mask.shape[1], 1), AXIS_BATCH,
             AXIS_QUERY, AXIS_KEY));
}

// The lengths as a column, [sentences, 1].
static struct tensor number_of_tokens(struct run *run) {
    double listed[MOST_SENTENCES];
    float lengths[MOST_SENTENCES];
    int count = lengths_given(run, listed);
    for (int i = 0; i < count; i++) lengths[i] = (float)listed[i];
    return view(numbers_of(run, count, lengths), count, 1);
}

// The first of the shortest sentences, and how many tokens it has.
static int64_t shortest(struct run *run, int64_t *tokens) {
    double lengths[MOST_SENTENCES];
    int count = lengths_given(run, lengths), found = 0;
    for (int i = 1; i < count; i++)
        if (lengths[i] < lengths[found]) found = i;
    *tokens = (int64_t)lengths[found];
    return found;
}

// Sentences of the last tokens, as long as the longest: [sentences, longest, d_in].
static struct tensor padded(struct run *run, bool is_in_front) {
    double lengths[MOST_SENTENCES], longest = 0;
    int count = lengths_given(run, lengths);
    for (int i = 0; i < count; i++) longest = fmax(longest, lengths[i]);
    tensor inputs = run->inputs;
    struct tensor sentences[MOST_SENTENCES];
    for (int i = 0; i < count; i++) {
        int64_t length = (int64_t)lengths[i],
                more = (int64_t)longest - length;
        tensor tokens = narrow(inputs, 0, inputs.shape[0] - length, length);
        sentences[i] = tokens;
        if (more == 0) continue;
        const char **pads =
            arena_array(run->memory, (size_t)more, sizeof *pads);
        for (int64_t j = 0; j < more; j++) pads[j] = "pad";
        tensor zeros = full(run->memory, SHAPE(more, inputs.shape[1]), 0);
        tensor padding =
            label_rows(axes(zeros, AXIS_TOKEN, AXIS_FEATURE), pads);
        sentences[i] = is_in_front ? cat(2, (tensor[]){padding, tokens}, 0)
                                   : cat(2, (tensor[]){tokens, padding}, 0);
    }
    return axes(stack(count, sentences, 0), AXIS_BATCH, AXIS_TOKEN,
                AXIS_FEATURE);
}

// A batch in which some keys are padding: True in the mask.
struct tensor padded_attention(tensor batch, tensor key_padding_mask,
                               layer W_query, layer W_key, layer W_value) {
    int64_t sentences = batch.shape[0], tokens = batch.shape[1];
    tensor queries = apply(W_query, batch); // [sentences, tokens, d_out]
    tensor keys = apply(W_key, batch);
    tensor values = apply(W_value, batch);
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    tensor mask = view(key_padding_mask, sentences, 1, tokens);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[2]));
    return matmul(softmax(scaled, -1), values);
}

LESSON(padding) = {
    .name = "padding",
    .part = PART_OF_TODAY,
    .title = "Padding: sentences of different lengths",
    .summary =
        "Sentences of different lengths in a batch: which keys are padding, rows of nan, and two repairs.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_LENGTHS,
    .defaults = {.d_out = 2, .lengths = "6,2"},
    .teach = padding,
    .source = &padding_source,
};
