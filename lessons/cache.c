#include <math.h>

#include "gpt.h"
#include "trace/lesson.h"
#include "variants.h"

static struct tensor read_prompt(struct run *run, const struct head *head,
                                 struct cache *kept);
static struct tensor read_token(struct run *run, const struct head *head,
                                struct cache *kept, int64_t position);
static void compare_with_all_at_once(struct run *run,
                                     const struct head *head,
                                     tensor context);
static void count_products(struct run *run);
static void ask_alone(struct run *run, const struct head *head,
                      const struct cache *full);
static void allocate(struct run *run, const struct head *head);
static void read_chunk(struct run *run, const struct head *head,
                       const struct cache *prompt, tensor context);
static void pad_in_front(struct run *run);
static void begin_again(struct run *run, const struct head *head,
                        const struct cache *full, tensor context);

static void cache(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t d_out = run->parameters.d_out,
            prefill = run->parameters.prefill;
    bool bias = run->parameters.bias;

    SECTION("The prompt, all at once");

    // The layers of queries, keys and values. They are those of the lesson on
    // causal attention. A model that writes text adds one token at a time, and
    // each new token needs the keys and values of all earlier ones. These
    // never change, because no token sees a later one. So a program keeps
    // them, in a cache.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    struct head head = {W_query, W_key, W_value};
    struct tensor *parts =
        arena_array(run->memory, (size_t)tokens, sizeof *parts);
    struct cache kept;
    int count = 0;
    GROUP("prefill");
    parts[count++] = read_prompt(run, &head, &kept);
    const struct cache prompt = kept;

    SECTION("Then one token at a time");

    for (int64_t position = prefill; position < tokens; position++) {
        GROUP("token %d", (int)position + 1);
        parts[count++] = read_token(run, &head, &kept, position);
    }

    END_GROUP;
    SECTION("The same, all at once");

    // The rows of the prompt and of each token, one below the other. Each row
    // was computed once, when its token came, and never again.
    tensor context = cat(count, parts, 0);
    AT(3, 0);
    STEP(context, "Z, row by row as it came", "context = torch.cat(parts)");

    compare_with_all_at_once(run, &head, context);
    if (prefill < tokens) {
        count_products(run);
        ask_alone(run, &head, &kept);
        allocate(run, &head);
        read_chunk(run, &head, &prompt, context);
    }
    pad_in_front(run);
    begin_again(run, &head, &kept, context);
}

static struct tensor read_prompt(struct run *run, const struct head *head,
                                 struct cache *kept) {
    int64_t prefill = run->parameters.prefill;

    // Queries of the prompt. The prompt is what a model is given before it
    // writes. All its tokens are known, so they are read at once, as in the
    // lessons before. This is called prefill.
    tensor prompt = narrow(run->inputs, 0, 0, prefill);
    tensor queries = apply(head->W_query, prompt);
    STEP(queries, "Q = X W_qᵀ",
         "prompt = inputs[:prefill]\n"
         "queries = W_query(prompt)");

    // The cache: the keys and values of all tokens read so far. Every later
    // token compares its query with these keys and mixes these values. Queries
    // are not kept. A query serves its own row only: once this row has its
    // context, no other row reads the query.
    tensor key_cache = apply(head->W_key, prompt);
    STEP(key_cache, "K = X W_kᵀ", "key_cache = W_key(prompt)");
    tensor value_cache = apply(head->W_value, prompt);
    STEP(value_cache, "V = X W_vᵀ", "value_cache = W_value(prompt)");

    // Weights inside the prompt. All its tokens are there at once, so the
    // future has to be hidden. Without this mask no error is raised, but each
    // token of the prompt sees later ones, as it never did in training. In a
    // model of several layers the next layer makes its keys and values from
    // this context, and keeps them.
    tensor scores = matmul(queries, transpose(key_cache, 0, 1));
    tensor future = triu(ones(run, prefill, prefill), 1);
    tensor mask = axes(to_bool(future), AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j] of S = Q Kᵀ",
         "mask = torch.triu(torch.ones(prefill, prefill), diagonal=1).bool()\n"
         "scores = queries @ key_cache.T\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");
    tensor weights =
        softmax(divide_by(masked_scores, root(key_cache.shape[1])), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / d_out**0.5, dim=-1)");

    // Context vectors of the prompt. A model predicts the next word from the
    // last row.
    tensor context = matmul(weights, value_cache);
    STEP(context, "Z = W V",
         "context = weights @ value_cache\n"
         "parts = [context]");

    *kept = (struct cache){key_cache, value_cache};
    return context;
}

static struct tensor read_token(struct run *run, const struct head *head,
                                struct cache *kept, int64_t position) {

    // One new token, and its query. Only the row of this token goes through
    // the layers. The tokens before it are not read again, because their
    // keys and values are in the cache.
    tensor token = narrow(run->inputs, 0, position, 1);
    tensor query = apply(head->W_query, token);
    STEP(query, "q = x W_qᵀ",
         "token = inputs[{h} - 1:{h}]\n"
         "query = W_query(token)");

    // Its key and its value join the cache. They are made from the row of
    // the new token, and they become the last row of the cache. In the
    // formula the semicolon puts it below. This comes before the scores,
    // because a token also sees itself.
    struct tensor keys[] = {kept->keys, apply(head->W_key, token)};
    tensor key_cache = cat(2, keys, 0);
    AT(position, 0);
    STEP(key_cache, "K = [K so far; x W_kᵀ]",
         "key_cache = torch.cat([key_cache, W_key(token)])");
    struct tensor values[] = {kept->values, apply(head->W_value, token)};
    tensor value_cache = cat(2, values, 0);
    AT(position, 0);
    STEP(value_cache, "V = [V so far; x W_vᵀ]",
         "value_cache = torch.cat([value_cache, W_value(token)])");

    // Scores: one row. The query of the new token is compared with every key
    // of the cache. It needs no mask: the cache holds no later token.
    tensor scores = matmul(query, transpose(key_cache, 0, 1));
    STEP(scores, "s = q Kᵀ", "scores = query @ key_cache.T");

    // Weights and context of this token. From here on this is one row of causal
    // attention.
    tensor weights =
        softmax(divide_by(scores, root(key_cache.shape[1])), -1);
    STEP(weights, "w = softmax(s / √d_k)",
         "weights = torch.softmax(scores / d_out**0.5, dim=-1)");
    tensor context = matmul(weights, value_cache);
    STEP(context, "z = w V",
         "context = weights @ value_cache\n"
         "parts.append(context)");

    *kept = (struct cache){key_cache, value_cache};
    return context;
}

static void compare_with_all_at_once(struct run *run,
                                     const struct head *head,
                                     tensor context) {

    // Causal attention, which reads the whole sentence at once. The lesson on
    // causal attention ends with this function. At the course's parameters the
    // largest difference from the rows above is 0: both multiply and add the
    // same numbers in the same order. With wide layers PyTorch may add the
    // products of one row in another order than those of many rows, and the
    // last digits differ.
    tensor context_at_once = causal_attention(run->inputs, head->W_query,
                                              head->W_key, head->W_value);
    STEP(context_at_once, "Z of causal attention",
         "keys, values = W_key(inputs), W_value(inputs)\n"
         "future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()\n"
         "s = (W_query(inputs) @ keys.T).masked_fill(future, -torch.inf)\n"
         "context_at_once = torch.softmax(s / d_out**0.5, dim=-1) @ values");
    tensor difference = amax(absolute(subtract(context, context_at_once)));
    STEP(difference, "max |row by row - at once|",
         "difference = (context - context_at_once).abs().max()");
}

// How many products each further token takes.
static void count_products(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t d_out = run->parameters.d_out,
            prefill = run->parameters.prefill;
    const char **labels =
        arena_array(run->memory, (size_t)tokens, sizeof *labels);
    for (int64_t i = prefill; i < tokens; i++)
        labels[i - prefill] = arena_format(run->memory, "%d", (int)i + 1);

    SECTION("What it saves");

    // Products for each further token, with the cache. One row goes through
    // three layers, d_in · d_out products each. Then its query meets the keys
    // of all n tokens so far, and its weights meet their values: d_out
    // products each.
    tensor counted =
        to_float(arange(run->memory, prefill + 1, tokens - prefill));
    tensor lengths = label_columns(named(counted, "tokens so far"), labels);
    tensor products_with_cache =
        add(multiply_by(lengths, (double)(2 * d_out)),
            number(run, (double)(3 * d_in * d_out)));
    STEP(products_with_cache, "3 · d_in · d_out + 2 · n · d_out",
         "lengths = torch.arange(prefill + 1, num_tokens + 1).float()\n"
         "products_with_cache = lengths * (2 * d_out) + 3 * d_in * d_out");

    // Products for the same token without a cache. All n rows go through the
    // layers, and all n queries meet all n keys, although only the last row is
    // new. That is n times as many. So a cache costs memory and saves time.
    // (Here one query would do, with the keys and values of all rows. In a
    // model of several layers all rows are needed: the next layer makes keys
    // and values from them.) `onestep help memory` has the bytes of a cache.
    tensor products_without_cache = multiply(lengths, products_with_cache);
    STEP(products_without_cache, "n times as many",
         "products_without_cache = lengths * products_with_cache");
}

// The last token once more, with the mask that is_causal makes.
static void ask_alone(struct run *run, const struct head *head,
                      const struct cache *full) {
    int64_t tokens = run->inputs.shape[0];

    SECTION("One token and is_causal");

    // is_causal=True with a single query. scaled_dot_product_attention takes
    // the first query to be the first token. So a single query sees only the
    // first key: all later keys are hidden. No error is raised, but the
    // context is the value of the first token. A single query after a cache
    // needs no mask at all.
    GROUP("one query");
    tensor places = numbers_from_0(run, tokens);
    tensor mask =
        label_columns(axes(less(number(run, 0), places), AXIS_KEY),
                      run->inputs.axis[0].labels);
    STEP(mask, "True if j > 0", "mask = torch.arange(num_tokens) > 0");
    tensor query =
        apply(head->W_query, narrow(run->inputs, 0, tokens - 1, 1));
    tensor scores = matmul(query, transpose(full->keys, 0, 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > 0, else s[j]",
         "scores = W_query(inputs[-1:]) @ key_cache.T\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    END_GROUP;
}

// The prompt and the token after it, in a cache with room for all tokens.
static void allocate(struct run *run, const struct head *head) {
    int64_t tokens = run->inputs.shape[0], past = run->parameters.prefill;

    SECTION("Room for all tokens");

    // A cache that is made once, with a row for each token to come. torch.cat
    // copies all rows for each new token. Many programs make the whole cache
    // first and write each key into the row of its position: key_cache[past] =
    // key. Rows not written yet have a score of 0, and e⁰ is 1: they must be
    // masked, or left out with [:past + 1].
    GROUP("allocated");
    tensor read = narrow(run->inputs, 0, 0, past + 1);
    tensor empty =
        full(run->memory,
             SHAPE(tokens - past - 1, head->W_key.weight.shape[0]), 0);
    struct tensor parts[] = {apply(head->W_key, read), empty};
    tensor key_cache = rows(cat(2, parts, 0), AXIS_KEY);
    AT(past, 0);
    STEP(key_cache, "K, row p is the key of position p, else 0",
         "read = inputs[:prefill + 1]\n"
         "empty = torch.zeros(num_tokens - prefill - 1, d_out)\n"
         "key_cache = torch.cat([W_key(read), empty])");
    tensor query = apply(head->W_query, narrow(run->inputs, 0, past, 1));
    tensor scores = matmul(query, transpose(key_cache, 0, 1));
    STEP(scores, "s = q Kᵀ",
         "scores = W_query(inputs[prefill:prefill + 1]) @ key_cache.T");

    END_GROUP;
}

// The tokens behind the prompt once more, all in one piece.
static void read_chunk(struct run *run, const struct head *head,
                       const struct cache *prompt, tensor one_by_one) {
    int64_t tokens = run->inputs.shape[0], past = run->parameters.prefill;
    int64_t fresh = tokens - past;

    SECTION("Several tokens after a cache");

    // The mask for several new tokens at once. Programs that read a long prompt
    // in pieces need it. It has a row for each new token and a column for each
    // key, those of the cache first. Row i is token past + i, where past is the
    // length of the cache. So the diagonal lies that much further right. The
    // first rows of a square mask have the right shape, too. But they treat the
    // first new token as the sentence's first, and hide keys of the cache.
    // is_causal=True of scaled_dot_product_attention makes this wrong mask.
    GROUP("chunk");
    tensor places = axes(ones(run, fresh, tokens), AXIS_QUERY, AXIS_KEY);
    tensor mask =
        name_tokens(run, to_bool(triu(places, (int)past + 1)), past);
    STEP(mask, "M[i,j] = (j > past + i)",
         "past = prefill\n"
         "places = torch.ones(num_tokens - past, num_tokens)\n"
         "mask = torch.triu(places, diagonal=past + 1).bool()");

    // Scores of the new tokens, masked. The keys are those of the cache
    // and, below them, the new ones. past is the length of the cache: at
    // the course's parameters 3. No row hides a key of the cache. Each row
    // hides the new tokens after its own, so the last row hides nothing.
    tensor chunk = narrow(run->inputs, 0, past, fresh);
    tensor queries = apply(head->W_query, chunk);
    struct tensor keys[] = {prompt->keys, apply(head->W_key, chunk)};
    tensor key_cache = cat(2, keys, 0);
    tensor scores = matmul(queries, transpose(key_cache, 0, 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > past + i, else S[i,j]",
         "chunk = inputs[past:]\n"
         "key_cache = torch.cat([W_key(prompt), W_key(chunk)])\n"
         "scores = W_query(chunk) @ key_cache.T\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights and context of the new tokens. One chunk gives what the tokens
    // gave one by one. At the course's parameters the largest difference is 0.
    tensor weights =
        softmax(divide_by(masked_scores, root(key_cache.shape[1])), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "weights = torch.softmax(masked_scores / d_out**0.5, dim=-1)");
    struct tensor values[] = {prompt->values, apply(head->W_value, chunk)};
    tensor value_cache = cat(2, values, 0);
    tensor context = matmul(weights, value_cache);
    STEP(context, "Z = W V",
         "value_cache = torch.cat([W_value(prompt), W_value(chunk)])\n"
         "context = weights @ value_cache");
    tensor rows_of_tokens = narrow(one_by_one, 0, past, fresh);
    tensor difference = amax(absolute(subtract(context, rows_of_tokens)));
    STEP(difference, "max |one chunk - one by one|",
         "difference = (context - torch.cat(parts)[past:]).abs().max()");

    END_GROUP;
}

// Two prompts of one batch: all tokens, and as many as the prompt has.
static void pad_in_front(struct run *run) {
    int64_t tokens = run->inputs.shape[0];
    int64_t missing = tokens - run->parameters.prefill;

    SECTION("Several prompts at once");

    // Positions, where a batch is padded in front. The long prompt has all
    // tokens, the short prompt is the one of this lesson. Padding stands in
    // front, so that each prompt ends in the last column and its next token
    // follows. So the position of a token is not its column: the padding
    // before it does not count. Where a position is negative, there is
    // padding, which is hidden. Tables of positions and rotary angles need the
    // positions.
    tensor padding =
        multiply(numbers_from_0(run, 2), arange(run->memory, missing, 1));
    tensor columns = numbers_from_0(run, tokens);
    static const char *const prompts[] = {"long", "short"};
    tensor positions = label_rows(axes(subtract(view(columns, 1, tokens),
                                                view(padding, 2, 1)),
                                       AXIS_BATCH, AXIS_TOKEN),
                                  prompts);
    AT(1, tokens - 1);
    STEP(positions, "column - padding in front",
         "padding = torch.tensor([0, num_tokens - prefill])\n"
         "positions = torch.arange(num_tokens) - padding.unsqueeze(1)");
}

// The first token once more, as the first of another sentence.
static void begin_again(struct run *run, const struct head *head,
                        const struct cache *full, tensor before) {
    SECTION("The next sentence");

    // The next sentence begins with an empty cache. If nobody clears the
    // cache, the next sentence also sees the whole sentence before it, and no
    // error is raised. Here the first token is read once more. With an empty
    // cache it sees only itself: its weight is 1 and its context is its value.
    // The difference from row 1 of the context above is 0.
    GROUP("next sentence");
    tensor first = narrow(run->inputs, 0, 0, 1);
    struct tensor keys[] = {narrow(full->keys, 0, 0, 0),
                            apply(head->W_key, first)};
    struct tensor values[] = {narrow(full->values, 0, 0, 0),
                              apply(head->W_value, first)};
    tensor scores = matmul(apply(head->W_query, first),
                           transpose(cat(2, keys, 0), 0, 1));
    tensor weights =
        softmax(divide_by(scores, root(full->keys.shape[1])), -1);
    tensor context = matmul(weights, cat(2, values, 0));
    STEP(context, "z = w V, with a cache of this token",
         "first = inputs[:1]\n"
         "keys = torch.cat([key_cache[:0], W_key(first)])      # cleared\n"
         "values = torch.cat([value_cache[:0], W_value(first)])\n"
         "weights = torch.softmax(W_query(first) @ keys.T / d_out**0.5, dim=-1)\n"
         "context = weights @ values");
    tensor difference =
        amax(absolute(subtract(context, narrow(before, 0, 0, 1))));
    STEP(difference, "max |next sentence - row 1|",
         "difference = (context - parts[0][:1]).abs().max()");
}

// Reads tokens that follow those of the cache, if any, and keeps them too.
struct tensor cached_attention(struct cache *kept, tensor chunk,
                               layer W_query, layer W_key, layer W_value) {
    tensor queries = apply(W_query, chunk); // [new, d_out]
    tensor new_keys = apply(W_key, chunk),
           new_values = apply(W_value, chunk);
    bool is_empty = !is_tensor(&kept->keys);
    struct tensor keys[] = {kept->keys, new_keys};
    struct tensor values[] = {kept->values, new_values};
    kept->keys = is_empty ? new_keys : cat(2, keys, 0);
    kept->values = is_empty ? new_values : cat(2, values, 0);
    int64_t past = kept->keys.shape[0] - chunk.shape[0];
    tensor scores = matmul(queries, transpose(kept->keys, 0, 1));
    tensor future = to_bool(triu(ones_like(scores), (int)past + 1));
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(queries.shape[1]));
    return matmul(softmax(scaled, -1), kept->values);
}

LESSON(cache) = {
    .name = "cache",
    .part = PART_OF_TODAY,
    .title = "A cache of keys and values",
    .summary =
        "A model writes one token at a time. It keeps the keys and values of earlier tokens instead of computing them again.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_PREFILL,
    .defaults = {.d_out = 2, .prefill = 3},
    .teach = cache,
    .source = &cache_source,
};
