#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

// How many numbers a cache keeps for one sentence, for every number of groups
// that divides the heads.
static void size_caches(struct run *run, int64_t heads, int64_t tokens,
                        int64_t head_dim) {
    float divisors[MOST_HEADS];
    const char **labels =
        arena_array(run->memory, (size_t)heads, sizeof *labels);
    int64_t count = 0;
    for (int groups = 1; groups <= heads; groups++) {
        if (heads % groups != 0) continue;
        labels[count] = arena_format(run->memory, "%d", groups);
        divisors[count++] = (float)groups;
    }

    SECTION("What it saves");

    // What a cache keeps. A cache keeps keys and values of all words. For each
    // word and each group it keeps a key and a value of head_dim numbers: at
    // the course's parameters 2 · 6 · 2 = 24 numbers for a group. Half as many
    // groups need half the memory. One group for all heads is multi-query
    // attention (MQA). The price: heads that share keys can tell fewer tokens
    // apart. Llama 3 8B (2024) has 32 heads in 8 groups, so its cache is a
    // quarter as large.
    tensor counts = numbers_of(run, count, divisors);
    tensor group_counts = label_columns(named(counts, "groups"), labels);
    STEP(group_counts, "every divisor of the number of heads",
         "counts = [n for n in range(1, num_heads + 1) if num_heads % n == 0]\n"
         "group_counts = torch.tensor(counts).float()");
    tensor cache_sizes =
        multiply_by(group_counts, (double)(2 * tokens * head_dim));
    STEP(cache_sizes, "2 · groups · tokens · head_dim",
         "cache_sizes = group_counts * (2 * num_tokens * head_dim)");
}

// The rows of each group, once for each head of the group: the layer of
// multi-head attention that makes the same keys, or values, for all heads of a
// group.
static struct tensor widen(tensor x, int64_t heads, int64_t groups) {
    int64_t d_in = x.shape[1], head_dim = x.shape[0] / groups;
    tensor by_group = view(x, groups, head_dim, d_in);
    tensor by_head = repeat_interleave(by_group, heads / groups, 0);
    return view(by_head, heads * head_dim, d_in);
}

static struct layer widen_layer(layer W, int64_t heads, int64_t groups) {
    struct layer wide = {widen(W.weight, heads, groups), NO_TENSOR};
    if (!is_tensor(&W.bias)) return wide;
    tensor column = view(W.bias, W.bias.shape[0], 1);
    tensor repeated = widen(column, heads, groups);
    wide.bias = view(repeated, repeated.shape[0]);
    return wide;
}

static void compare_with_multi_head(struct run *run, tensor batch,
                                    layer W_query, layer W_key,
                                    layer W_value, layer W_out,
                                    tensor output) {
    int64_t heads = run->parameters.heads, groups = run->parameters.groups;

    SECTION("Multi-head attention gives the same");

    // A wide key layer that gives the same keys. The rows of each group are
    // repeated for each head of the group. So grouped-query attention is
    // multi-head attention in which some heads have equal keys and values, and
    // equal keys are computed and kept once. With as many groups as heads,
    // nothing is repeated: W_key_wide is W_key.
    layer W_key_as_wide = widen_layer(W_key, heads, groups);
    tensor W_key_wide = W_key_as_wide.weight;
    AT(2, 0);
    STEP(W_key_wide, "each group's rows of W_k, once for each head",
         "def widened(x):\n"
         "    by_group = x.unflatten(0, (num_groups, head_dim))\n"
         "    return by_group.repeat_interleave(group_size, dim=0).flatten(0, 1)\n"
         "W_key_wide = widened(W_key.weight)");

    // Multi-head attention with the wide layers. The function of the lesson on
    // split heads computes this output, here without a bias of the output
    // projection. Each head has keys and values of its own, although some are
    // equal.
    layer W_value_as_wide = widen_layer(W_value, heads, groups);
    tensor output_of_heads =
        multi_head_attention(run, batch, W_query, W_key_as_wide,
                             W_value_as_wide, W_out, heads, 0);
    STEP(output_of_heads, "Y, from W_key_wide and W_value_wide",
         "def by_head(layer):\n"
         "    bias = widened(layer.bias) if qkv_bias else None\n"
         "    x = torch.nn.functional.linear(batch, widened(layer.weight), bias)\n"
         "    return x.view(batch_size, num_tokens, num_heads, head_dim).transpose(1, 2)\n"
         "s = queries_by_head @ by_head(W_key).transpose(2, 3)\n"
         "w = torch.softmax(s.masked_fill(mask, -torch.inf) / head_dim**0.5, dim=-1)\n"
         "z = (w @ by_head(W_value)).transpose(1, 2).contiguous()\n"
         "output_of_heads = out_proj(z.view(batch_size, num_tokens, d_out))");

    // The largest difference is 0. Grouped-query and multi-head attention add
    // the same products in the same order. A trained multi-head model can be
    // converted: the rows of W_key of a group's heads are replaced by their
    // mean, and so are those of W_value. Then the model is trained further,
    // because the heads' rows were not equal.
    tensor difference = amax(absolute(subtract(output, output_of_heads)));
    STEP(difference, "max |grouped - multi-head|",
         "difference = (output - output_of_heads).abs().max()");
}

static void grouped_query(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t sentences = run->batch_size, heads = run->parameters.heads;
    int64_t groups = run->parameters.groups, group_size = heads / groups;
    int64_t d_out = run->parameters.d_out, head_dim = d_out / heads;
    int64_t d_group = groups * head_dim;
    bool bias = run->parameters.bias;

    SECTION("Layers of two widths");

    // A batch of {batch sentence}. In grouped-query attention (GQA) several
    // heads share their keys and values. The heads that share them are a
    // group: here {heads head} in {groups group}. Each head has its own
    // queries. HuggingFace calls the number of groups num_key_value_heads.
    tensor batch = axes(stack(sentences, run->sentences, 0), AXIS_BATCH,
                        AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "head_dim = d_out // num_heads\n"
         "group_size = num_heads // num_groups\n"
         "batch = torch.stack({sentences}, dim=0)");

    // The layers of keys and values have fewer rows. Each head has a query of
    // head_dim numbers, but only each group has a key and a value. So W_query
    // has d_out = heads · head_dim rows, and W_key and W_value have only
    // groups · head_dim. The course's class makes the layers in this order,
    // keys first. A class that makes W_query first gets other numbers from the
    // same seed.
    reseed(run, 123);
    LAYER(W_key, ROLE_KEYS, d_in, d_group, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, num_groups * head_dim, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_group, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, num_groups * head_dim, bias=qkv_bias)");
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // The output projection is as wide as in multi-head attention. W_out reads
    // the results of all heads, and there are as many heads as in multi-head
    // attention. Here W_out has no bias: the course's class for grouped queries
    // leaves it out, as most models of this kind do.
    LAYER(W_out, ROLE_OUTPUT, d_out, d_out, false, "W_o",
          "out_proj = torch.nn.Linear(d_out, d_out, bias=False)");

    // Queries, keys and values. A row of the queries holds the queries of
    // all heads side by side, a row of the keys the keys of all groups. At
    // the course's parameters each takes two columns (head_dim): a row
    // holds four queries, but only two keys.
    tensor queries = apply(W_query, batch);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor keys = apply(W_key, batch);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(batch)");
    tensor values = apply(W_value, batch);
    STEP(values, "V = X W_vᵀ", "values = W_value(batch)");

    SECTION("Heads and groups");

    // Queries by head, keys and values by group. view and transpose split
    // the rows as in multi-head attention. head_dim is the same for all
    // three, because a dot product needs two rows of one width. But
    // dimension 1, counted from 0, counts heads for the queries, and groups
    // for keys and values.
    tensor queries_by_head = split_heads(queries, heads);
    STEP(queries_by_head, "Q[b, h, t] = part h of Q[b, t]",
         "def split(x, parts):\n"
         "    return x.view(batch_size, num_tokens, parts, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(queries, num_heads)");
    tensor keys_by_group =
        set_axis(split_heads(keys, groups), 1, AXIS_GROUP);
    STEP(keys_by_group, "K[b, g, t] = part g of K[b, t]",
         "keys_by_group = split(keys, num_groups)");
    tensor values_by_group =
        set_axis(split_heads(values, groups), 1, AXIS_GROUP);
    STEP(values_by_group, "V[b, g, t] = part g of V[b, t]",
         "values_by_group = split(values, num_groups)");

    // A view shows each group's keys to all heads of the group. Look at the
    // third stride: it is 0. Its dimension counts the heads of a group. So the
    // next head of the group reads the same memory, and expand copies nothing.
    // PyTorch's scaled_dot_product_attention takes keys by group with
    // enable_gqa=True, from version 2.5 on. The next step copies the keys
    // instead, as the course does.
    tensor single =
        view(keys_by_group, sentences, groups, 1, tokens, head_dim);
    struct shape of_all =
        SHAPE(sentences, groups, group_size, tokens, head_dim);
    tensor keys_expanded =
        axes(expand(single, of_all), AXIS_BATCH, AXIS_GROUP, AXIS_HEAD,
             AXIS_KEY, AXIS_HEAD_DIM);
    STEP(keys_expanded, "K[b, g, ·, t, d]",
         "single = keys_by_group.view(batch_size, num_groups, 1, num_tokens, head_dim)\n"
         "keys_expanded = single.expand(-1, -1, group_size, -1, -1)");

    // The course copies each group's keys and values for its heads.
    // repeat_interleave puts the copies side by side. At the course's
    // parameters heads 1 and 2 get group 1, heads 3 and 4 get group 2;
    // Tensor.repeat would give the four heads the groups 1, 2, 1, 2. The shape
    // is the same and no error is raised, but some heads would read the keys of
    // the wrong group. The copies live only during the product. A cache keeps
    // the keys once for each group.
    tensor keys_repeated =
        set_axis(repeat_interleave(keys_by_group, group_size, 1), 1,
                 AXIS_HEAD);
    AT(1, 0, 0);
    STEP(keys_repeated, "K[b, g of h, t, d]",
         "keys_repeated = keys_by_group.repeat_interleave(group_size, dim=1)");
    tensor values_repeated =
        set_axis(repeat_interleave(values_by_group, group_size, 1), 1,
                 AXIS_HEAD);
    AT(1, 0, 0);
    STEP(values_repeated, "V[b, g of h, t, d]",
         "values_repeated = values_by_group.repeat_interleave(group_size, dim=1)");

    SECTION("Attention in every head");

    // Scores of every head. From here on all is as in multi-head attention.
    // The heads of a group compare different queries with the same keys, so
    // their scores differ.
    tensor scores = matmul(queries_by_head, transpose(keys_repeated, 2, 3));
    STEP(scores, "S = Q Kᵀ, for each sentence and head",
         "scores = queries_by_head @ keys_repeated.transpose(2, 3)");

    // Hide the future. One mask serves all heads, grouped or not.
    tensor above = triu(ones(run, tokens, tokens), 1);
    tensor mask = axes(to_bool(above), AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights of every head. The scores are divided by the root of head_dim,
    // the width of one key. Two other roots would be mistakes: that of d_out,
    // the width of all queries, and that of the width of all keys. A score is a
    // sum of head_dim products, however many groups there are.
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)");

    // Each head's context vectors. The heads of a group mix the same values,
    // each with its own weights. In the row of the first token all heads of a
    // group are equal: the first token sees only itself, so its context is its
    // value.
    tensor context_by_head = matmul(weights, values_repeated);
    STEP(context_by_head, "Z = W V, for each sentence and head",
         "context_by_head = weights @ values_repeated");

    // The heads side by side, then mixed by the output projection. transpose
    // puts each token's heads together, and flatten joins them to one row, as
    // in multi-head attention. The context is d_out wide, whatever the number
    // of groups.
    tensor context = merge_heads(context_by_head);
    AT(0, 2);
    STEP(context, "[Z₁, Z₂, ...]",
         "context = context_by_head.transpose(1, 2).contiguous().flatten(2)");
    tensor output = apply(W_out, context);
    STEP(output, "Y = Z W_oᵀ", "output = out_proj(context)");

    size_caches(run, heads, tokens, head_dim);
    compare_with_multi_head(run, batch, W_query, W_key, W_value, W_out,
                            output);
}

// Each group of heads shares keys and values.
struct tensor grouped_query_attention(tensor batch, layer W_query,
                                      layer W_key, layer W_value,
                                      layer W_out, int64_t heads,
                                      int64_t groups) {
    tensor queries = split_heads(apply(W_query, batch), heads);
    tensor by_group = split_heads(apply(W_key, batch), groups);
    tensor keys = repeat_interleave(by_group, heads / groups, 1);
    tensor values =
        repeat_interleave(split_heads(apply(W_value, batch), groups),
                          heads / groups, 1);
    tensor scores = matmul(queries, transpose(keys, 2, 3));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[3]));
    tensor weights = softmax(scaled, -1); // [batch, heads, tokens, tokens]
    tensor context = merge_heads(matmul(weights, values));
    return apply(W_out, context); // [batch, tokens, d_out]
}

LESSON(grouped_query) = {
    .name = "grouped_query",
    .part = PART_OF_TODAY,
    .title = "Grouped-query attention",
    .summary =
        "Several heads share keys and values, so a cache is smaller; the arithmetic stays that of multi-head attention.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS | USES_GROUPS |
            USES_BIAS | USES_BATCH,
    .splits_heads = true,
    .defaults = {.d_out = 8, .heads = 4, .groups = 2, .batch = 1},
    .teach = grouped_query,
    .source = &grouped_query_source,
};
