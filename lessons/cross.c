#include "trace/lesson.h"
#include "variants.h"

static void ask_itself(struct run *run, const struct head *head,
                       tensor keys, tensor values);

static void cross(struct run *run) {
    int64_t d_in = run->inputs.shape[1], d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Two sentences");

    // The source: the sentence that is read. In a model that translates, it is
    // the sentence to be translated. In a model that describes a picture, its
    // rows stand for parts of the picture. At the course's parameters it is the
    // sentence of all lessons of the course.
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
    // In a model a shortcut adds the target's rows to the result.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    const struct head head = {W_query, W_key, W_value};
    ask_itself(run, &head, keys, values);
}

static void ask_itself(struct run *run, const struct head *head,
                       tensor keys, tensor values) {
    SECTION("The same sentence twice");

    // The source asks itself. Now the queries come from the source, too, so
    // this is self-attention. The layers, the keys and the values are the
    // same as for the target; only the queries are new. At the course's
    // parameters the scores are near 0, so all weights are near a sixth,
    // and the rows of the context hardly differ.
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

    END_GROUP;

    // This is self-attention. The function of the lesson on trainable weights
    // computes the same from the source and these layers. The largest
    // difference is 0, because both programs multiply and add the same numbers
    // in the same order.
    tensor self_context = self_attention(run->inputs, head->W_query,
                                         head->W_key, head->W_value);
    tensor difference = amax(absolute(subtract(context, self_context)));
    STEP(difference, "max |cross - self|",
         "s = W_query(inputs) @ W_key(inputs).T\n"
         "w = torch.softmax(s / W_key(inputs).shape[-1]**0.5, dim=-1)\n"
         "self_context = w @ W_value(inputs)\n"
         "difference = (context - self_context).abs().max()");
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
