#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

static void pass_by(struct run *run, tensor target, tensor context);
static void ask_next(struct run *run, layer W_query, tensor keys,
                     tensor values);
static void hide_padding(struct run *run, tensor scores, tensor values);
static void look_at_one(struct run *run, tensor target);
static void ask_itself(struct run *run, const struct head *head,
                       tensor keys, tensor values);

static void cross(struct run *run) {
    int64_t d_in = run->inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Two sentences");

    // The source: the sentence that is read. In a model that translates, it is
    // the sentence to be translated. In a model that describes a picture, its
    // rows stand for parts of the picture. At the course's parameters it is
    // the course's sentence of six tokens.
    tensor source = rows(run->inputs, AXIS_TOKEN);
    STEP(source, "Y, row j is yⱼ", "source = inputs");

    // The target: the sentence that asks. Here it is made of tokens of the
    // source, so that each row is known already. In a model that translates,
    // these are the words that it has written so far. The two sentences can
    // have different lengths.
    tensor target = embed(target_ids(run), source);
    STEP(target, "X, row i is xᵢ", "target = source[target_rows]");

    SECTION("Queries from one, keys and values from the other");

    // The layers are those of self-attention. Nothing in a layer says which
    // sentence it reads. Only what the layers are applied to makes it
    // cross-attention: the layer of queries reads the target, the layers of
    // keys and values read the source.
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries of the target. A query asks: what do I need from the other
    // sentence? There is one query for each token that asks.
    tensor queries = apply(W_query, target);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(target)");

    // Keys and values of the source. Each token of the source has one key and
    // one value. A weight comes from a key and says how much of a value is
    // taken, so both come from the same sentence.
    tensor keys = apply(W_key, source);
    STEP(keys, "K = Y W_kᵀ", "keys = W_key(source)");
    tensor values = apply(W_value, source);
    STEP(values, "V = Y W_vᵀ", "values = W_value(source)");

    // Scores of every query against every key. The matrix has a row for
    // each token of the target and a column for each token of the source,
    // so it need not be square. Its diagonal means nothing: query i and key
    // i need not be the same token. (Here the target is made of tokens of
    // the source.)
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Weights. No mask hides anything here. The whole source is known before
    // the first token of the target is written, so no token of the source lies
    // in the future. A causal mask would raise no error, but it would hide
    // most of the source from the first tokens of the target.
    tensor weights = softmax(divide_by(scores, root(d_out)), -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");

    // Context vectors. There is one for each token of the target, mixed from
    // the values of the source. The target's own rows decide only the weights.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    pass_by(run, target, context);
    ask_next(run, W_query, keys, values);
    hide_padding(run, scores, values);
    look_at_one(run, target);
    const struct head head = {W_query, W_key, W_value};
    ask_itself(run, &head, keys, values);
}

static void pass_by(struct run *run, tensor target, tensor context) {
    int64_t d_in = run->inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("In a decoder");

    // The place of cross-attention in a decoder. A block of a decoder first has
    // masked self-attention, in which the target reads itself. Then comes
    // cross-attention, and feed-forward comes last. The Transformer of 2017, T5
    // (2019) and Whisper (2022) have this order. out_proj makes the context as
    // wide as the target's rows. Then a shortcut adds these rows to it.
    layer out_proj = draw_layer(run, ROLE_OUTPUT, d_out, d_in, bias);
    tensor shortcut = add(target, apply(out_proj, context));
    STEP(shortcut, "X + Z W_oᵀ",
         "out_proj = torch.nn.Linear(d_out, d_in, bias=qkv_bias)\n"
         "shortcut = target + out_proj(context)");
}

// The target grows by a token; the source does not.
static void ask_next(struct run *run, layer W_query, tensor keys,
                     tensor values) {
    int64_t last_row = run->targets[run->target_count - 1];
    int64_t next_row = (last_row + 1) % run->inputs.shape[0];

    SECTION("One more token of the target");

    // The next token of the target, and its query. At the course's parameters
    // it is "journey", which follows "Your" in the source. Only this token goes
    // through W_query. A program computes the source's keys and values once,
    // and keeps them for the whole target. They do not grow. The cache of
    // self-attention grows: see the next lesson.
    GROUP("next");
    tensor token = narrow(run->inputs, 0, next_row, 1);
    tensor queries = apply(W_query, token);
    STEP(queries, "q = x W_qᵀ",
         "next_row = (target_rows[-1] + 1) % num_tokens\n"
         "token = source[next_row:next_row + 1]\n"
         "queries = W_query(token)");

    // The context of this token. It is mixed from the same values, by one
    // weight for each token of the source.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor weights = softmax(divide_by(scores, root(keys.shape[1])), -1);
    tensor context = matmul(weights, values);
    STEP(context, "z = w V, w = softmax(q Kᵀ / √d_k)",
         "weights = torch.softmax(queries @ keys.T / keys.shape[-1]**0.5, dim=-1)\n"
         "context = weights @ values");

    END_GROUP;
}

// The last token of the source, as if it were padding.
static void hide_padding(struct run *run, tensor scores, tensor values) {
    int64_t tokens = run->inputs.shape[0];
    int64_t length = tokens > 1 ? tokens - 1 : 1;

    SECTION("Padding in the source");

    // A mask of the source's padding. The sources of a batch have different
    // lengths, so the short ones are filled up with padding. Its columns are
    // hidden from all tokens of the target, and nothing else is. Here the last
    // token of the source counts as padding. The target's padding needs no mask
    // here: nobody reads its rows.
    GROUP("padded");
    tensor places = numbers_from_0(run, tokens);
    tensor padding = at_most(number(run, (double)length), places);
    tensor mask =
        label_columns(axes(padding, AXIS_KEY), run->inputs.axis[0].labels);
    AT(0, tokens - 1);
    STEP(mask, "True if j ≥ length of the source",
         "length = max(num_tokens - 1, 1)\n"
         "mask = torch.arange(num_tokens) >= length");
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    AT(0, tokens - 1);
    STEP(masked_scores, "-∞ where hidden, else S[i,j] of S = Q Kᵀ",
         "scores = W_query(target) @ keys.T\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights without padding. The hidden column gets 0 in each row, and the
    // other weights grow: a row still adds up to 1. The values of padding do
    // not reach the context.
    tensor weights =
        softmax(divide_by(masked_scores, root(values.shape[1])), -1);
    AT(0, tokens - 1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    END_GROUP;
}

// Each row divided by its length.
static struct tensor unit_rows(struct run *run, tensor x) {
    tensor lengths = maximum(norm(x, -1, true), number(run, 1e-12));
    return divide(x, lengths);
}

// Weights as a trained model may have them.
static void look_at_one(struct run *run, tensor target) {
    SECTION("Larger scores");

    // Weights that look at something. Training makes scores larger. Here are
    // large scores without a layer: 100 times the cosine of two tokens. The
    // cosine of a token with itself is 1. So each token looks mostly at itself
    // in the source. In translation a row often gives most weight to the word
    // that is translated next.
    GROUP("larger");
    tensor asking = unit_rows(run, target);
    tensor answering = unit_rows(run, run->inputs);
    tensor products = matmul(asking, transpose(answering, 0, 1));
    tensor cosines = as(ROLE_SCORES, axes(products, AXIS_QUERY, AXIS_KEY));
    AT(2, 3);
    STEP(cosines, "C[i,j] = xᵢ·yⱼ / (|xᵢ| |yⱼ|)",
         "asking = torch.nn.functional.normalize(target, dim=-1)\n"
         "answering = torch.nn.functional.normalize(source, dim=-1)\n"
         "cosines = asking @ answering.T");
    tensor weights = softmax(multiply_by(cosines, 100), -1);
    AT(2, 3);
    STEP(weights, "W = softmax(100 C)",
         "weights = torch.softmax(100 * cosines, dim=-1)");

    END_GROUP;
}

static void ask_itself(struct run *run, const struct head *head,
                       tensor keys, tensor values) {
    SECTION("The same sentence twice");

    // The source asks itself. Now the queries come from the source, too, so
    // this is self-attention. Only the queries are new. The formula of lesson
    // 2 gives the same numbers with these layers: the largest difference is 0.
    GROUP("itself");
    tensor queries = apply(head->W_query, run->inputs);
    STEP(queries, "Q = Y W_qᵀ", "queries = W_query(source)");
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor weights = softmax(divide_by(scores, root(keys.shape[1])), -1);
    STEP(weights, "W = softmax(Q Kᵀ / √d_k)",
         "scores = queries @ keys.T\n"
         "weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");
    tensor self_context = self_attention(run->inputs, head->W_query,
                                         head->W_key, head->W_value);
    tensor difference = amax(absolute(subtract(context, self_context)));
    STEP(difference, "max |cross - self|",
         "s = W_query(inputs) @ W_key(inputs).T\n"
         "w = torch.softmax(s / W_key(inputs).shape[-1]**0.5, dim=-1)\n"
         "self_context = w @ W_value(inputs)\n"
         "difference = (context - self_context).abs().max()");

    END_GROUP;
}

// Queries of one sentence, keys and values of another.
struct tensor cross_attention(tensor target, tensor source, layer W_query,
                              layer W_key, layer W_value) {
    tensor queries = apply(W_query, target); // [asking, d_out]
    tensor keys = apply(W_key, source);      // [tokens, d_out]
    tensor values = apply(W_value, source);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor scaled = divide_by(scores, root(keys.shape[1]));
    return matmul(softmax(scaled, -1), values); // [asking, d_out]
}

LESSON(cross) = {
    .name = "cross",
    .part = PART_OF_TODAY,
    .title = "Cross-attention",
    .summary =
        "Queries come from one sentence, keys and values from another. With the same sentence twice it is self-attention.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_TARGET,
    .defaults = {.d_out = 2},
    .teach = cross,
    .source = &cross_source,
};
