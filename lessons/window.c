#include <math.h>

#include "gpt.h"
#include "variants.h"

static void roll_cache(struct run *run, tensor queries, tensor keys,
                       tensor values);
static void widen_window(struct run *run, layer W_query, layer W_key,
                         layer W_value, tensor scores, tensor distance,
                         tensor values);

static void window(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out, width = run->parameters.window;
    bool bias = run->parameters.bias;

    SECTION("Scores as in causal attention");

    // The layers of queries, keys and values. The layers are those of the
    // lesson on causal attention. There a token sees all tokens before it, so
    // each further token has more keys to compare. With a sliding window it
    // sees only itself and the few tokens before it. A window changes only the
    // mask.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values, one row for each token. With a window, only a
    // token itself and the few after it read its key and value. So a cache
    // needs as many rows as the window is wide: a new row replaces the oldest.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // Scores of every query against every key. This lesson computes all of
    // them and hides those outside the window. A program for long texts does
    // not compute those at all, which is what saves time.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    SECTION("The window");

    // How far each key lies behind each query. The positions are 0, 1, 2, ...
    // The column holds the positions of the queries, the row those of the keys.
    // The difference is 0 on the diagonal, 1 for the token before, and negative
    // for later tokens.
    tensor positions = numbers_from_0(run, tokens);
    tensor apart = axes(subtract(view(positions, tokens, 1),
                                 view(positions, 1, tokens)),
                        AXIS_QUERY, AXIS_KEY);
    const char *const *names = position_names(run, tokens);
    tensor distance = label_rows(label_columns(apart, names), names);
    AT(3, 0);
    STEP(distance, "d[i,j] = i - j",
         "positions = torch.arange(num_tokens)\n"
         "distance = positions.unsqueeze(1) - positions");

    // What to hide: keys that lie too far back, and later keys. True means
    // "hide it". With a window of 3 a token sees the distances 0, 1 and 2, so
    // a distance of 3 is too far. Programs disagree here: in some, a window of
    // 3 means three tokens before the token itself. The distance of a later
    // key is negative and so never too far: without the second condition every
    // token would see its whole future.
    tensor too_far = at_most(number(run, (double)width), distance);
    tensor later = less(distance, number(run, 0));
    tensor mask = logical_or(too_far, later);
    AT(3, 0);
    STEP(mask, "True if d[i,j] ≥ window or d[i,j] < 0",
         "mask = (distance >= window) | (distance < 0)");

    // Hide these scores. Each row keeps at most as many scores as the window is
    // wide. The first rows keep fewer, because fewer tokens come before them.
    // No row is hidden as a whole: a token always sees itself. A window as wide
    // as the sentence hides only later keys.
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    AT(3, 0);
    STEP(masked_scores, "-∞ where hidden, else S[i,j]",
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights: a band along the diagonal. With a window of {window} a token
    // sees that many keys at most, itself included. They get all of the
    // weight, so each row still adds up to 1. Mistral 7B (2023) has a window in
    // each layer, Gemma 2 (2024) in every second one. Some programs keep the
    // first tokens as well, which are called attention sinks.
    tensor weights = softmax(divide_by(masked_scores, root(d_out)), -1);
    AT(4, 2);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");

    // Context vectors, mixed from the last few values. If a token changes, only
    // its own row and the next rows within the window change. Try it with =.
    // Later rows do not see it in this layer. That is the price of a window:
    // words far back are read only through several layers.
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    SECTION("What two layers reach");

    // What a token sees, as 1 and 0. The mask says what is hidden, so ~
    // inverts it. The next step multiplies these numbers; it could not
    // multiply True and False.
    tensor seen = to_float(logical_not(mask));
    STEP(seen, "1 where seen, 0 where hidden", "seen = (~mask).float()");

    // How two layers reach further. The second layer reads context vectors,
    // and these already contain other tokens. R[i,j] counts the tokens k for
    // which token i sees k and k sees j. Where it is 0, nothing of token j
    // reaches token i. One layer reaches back one token less than the window
    // is wide. Two layers reach twice as far, and each further layer adds as
    // much. But each layer mixes, so little of a far token is left.
    tensor reach_of_two_layers = matmul(seen, seen);
    AT(4, 0);
    STEP(reach_of_two_layers, "R[i,j] = Σₖ seen[i,k] · seen[k,j]",
         "reach_of_two_layers = seen @ seen");

    widen_window(run, W_query, W_key, W_value, scores, distance, values);
    roll_cache(run, queries, keys, values);
}

// Rows of `x` as a cache of `width` rows has them when the token `last` was read:
// that of position p stands in row p % width.
static struct tensor rolled(tensor x, int64_t last, int64_t width) {
    int64_t first = last - last % width;
    int64_t oldest = last + 1 > width ? last + 1 - width : 0;
    struct tensor parts[] = {narrow(x, 0, first, last + 1 - first),
                             narrow(x, 0, oldest, first - oldest)};
    return cat(first > oldest ? 2 : 1, parts, 0);
}

// A cache that has room for a window.
static void roll_cache(struct run *run, tensor queries, tensor keys,
                       tensor values) {
    int64_t width = run->parameters.window, tokens = keys.shape[0];
    int64_t last = tokens > 1 ? tokens - 2 : 0;

    SECTION("A rolling cache");
    GROUP("rolling");

    // A cache with as many rows as the window is wide. The key of position p,
    // counted from 0, is written into row p % window. There it replaces the
    // oldest key, which is now outside of the window. Here the last token of
    // the sentence is not read yet. The rows may stand in another order than
    // the tokens. Mistral 7B (2023) has such a cache.
    tensor key_cache = rolled(keys, last, width);
    STEP(key_cache, "row p % window: the key of position p",
         "last = max(num_tokens - 2, 0)\n"
         "first = last - last % window\n"
         "oldest = max(last + 1 - window, 0)\n"
         "key_cache = torch.cat([keys[first:last + 1], keys[oldest:first]])");
    tensor value_cache = rolled(values, last, width);
    STEP(value_cache, "row p % window: the value of position p",
         "value_cache = torch.cat([values[first:last + 1], values[oldest:first]])");

    // The token that was read last asks this cache. The order of the keys does
    // not matter to attention: each weight goes to the value of the same row.
    // So the result equals this token's row of the first context of this
    // lesson, but for rounding. No mask is needed, because the cache has no
    // other keys.
    tensor query = narrow(queries, 0, last, 1);
    tensor scores = matmul(query, transpose(key_cache, 0, 1));
    tensor weights = softmax(divide_by(scores, root(keys.shape[1])), -1);
    STEP(weights, "w = softmax(q Kᵀ / √d_k)",
         "new_scores = queries[last:last + 1] @ key_cache.T\n"
         "weights = torch.softmax(new_scores / keys.shape[-1]**0.5, dim=-1)");
    tensor context = matmul(weights, value_cache);
    STEP(context, "z = w V", "context = weights @ value_cache");

    END_GROUP;
}

// The same scores with a window that is as wide as the sentence.
static void widen_window(struct run *run, layer W_query, layer W_key,
                         layer W_value, tensor scores, tensor distance,
                         tensor values) {
    int64_t tokens = run->inputs.shape[0], d_k = values.shape[1];

    SECTION("A window as wide as the sentence");

    // The widest window. Now the window is as wide as the sentence. No distance
    // reaches the number of tokens, so this window hides only what the causal
    // mask hides: the triangle above the diagonal.
    GROUP("wide");
    tensor too_far = at_most(number(run, (double)tokens), distance);
    tensor later = less(distance, number(run, 0));
    tensor mask = logical_or(too_far, later);
    STEP(mask, "True if d[i,j] ≥ tokens or d[i,j] < 0",
         "mask = (distance >= num_tokens) | (distance < 0)");

    // Scores, weights and context with this mask. Only later keys are hidden,
    // so the context is that of the lesson on the causal mask: the largest
    // difference is 0.
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    AT(3, 0);
    STEP(masked_scores, "-∞ where hidden, else S[i,j]",
         "masked_scores = scores.masked_fill(mask, -torch.inf)");
    tensor weights = softmax(divide_by(masked_scores, root(d_k)), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");
    tensor causal_context =
        causal_attention(run->inputs, W_query, W_key, W_value);
    tensor difference = amax(absolute(subtract(context, causal_context)));
    STEP(difference, "max |wide window - causal|",
         "future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()\n"
         "s = (queries @ keys.T).masked_fill(future, -torch.inf)\n"
         "causal_context = torch.softmax(s / keys.shape[-1]**0.5, dim=-1) @ values\n"
         "difference = (context - causal_context).abs().max()");

    END_GROUP;
}

// Each token sees itself and the tokens just before it.
struct tensor sliding_window_attention(struct run *run, tensor inputs,
                                       layer W_query, layer W_key,
                                       layer W_value, int64_t width) {
    int64_t tokens = inputs.shape[0];
    tensor queries = apply(W_query, inputs); // [tokens, d_out]
    tensor keys = apply(W_key, inputs);
    tensor values = apply(W_value, inputs);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor positions = numbers_from_0(run, tokens);
    tensor distance = // i - j
        subtract(view(positions, tokens, 1), view(positions, 1, tokens));
    tensor too_far = at_most(number(run, (double)width), distance);
    tensor mask = logical_or(too_far, less(distance, number(run, 0)));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    return matmul(softmax(scaled, -1), values);
}

LESSON(window) = {
    .name = "window",
    .part = PART_OF_TODAY,
    .title = "Sliding-window attention",
    .summary =
        "Each token sees itself and the few tokens before it: what is hidden, and how two layers still see further.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_WINDOW,
    .defaults = {.d_out = 2, .window = 3},
    .teach = window,
    .source = &window_source,
};
