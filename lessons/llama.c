#include <math.h>

#include "gpt.h"
#include "variants.h"

// The cosines and sines of all angles of a sentence, [tokens, head_dim] each.
struct table {
    struct tensor cosines, sines;
    bool qk_norm; // rows are still to be normalized before they turn
};

// What the last token needs of the others.
struct kept {
    struct tensor keys, values; // by group, the keys turned
    struct table table;
};

static struct tensor attend(struct run *run, const struct llama *llama,
                            tensor batch, tensor normalized,
                            struct kept *kept);
static struct tensor feed_forward(struct run *run,
                                  const struct llama *llama,
                                  tensor after_attention);
static void read_last_token(struct run *run, const struct llama *llama,
                            tensor batch, const struct kept *kept,
                            tensor output);

// Each row divided by the root of the mean of its squares. A new RMSNorm multiplies by 1.
static struct tensor rms_norm(tensor x) {
    tensor mean_squares = mean(raise_to(x, 2), -1, true);
    tensor epsilon = scalar(x.storage->arena, 1e-5);
    return divide(x, square_root(add(mean_squares, epsilon)));
}

// The same of each head's rows; the heads of a token stay next to each other.
static struct tensor norm_heads(tensor x) {
    return transpose(rms_norm(transpose(x, 1, 2)), 1, 2);
}

static struct tensor either(tensor normalized, tensor x) {
    return is_tensor(&normalized) ? normalized : x;
}

// Rows of all heads, turned by halves.
static struct tensor turn(tensor of_heads, const struct table *table) {
    tensor x = contiguous(table->qk_norm ? norm_heads(of_heads) : of_heads);
    int64_t half = x.shape[3] / 2;
    tensor a = narrow(x, 3, 0, half), b = narrow(x, 3, half, half);
    struct tensor crossed[] = {negative(b), a};
    return add(multiply(x, table->cosines),
               multiply(cat(2, crossed, 3), table->sines));
}

// The tables for the positions first, first + 1, ...
static struct table turn_table(struct run *run, tensor positions,
                               int64_t head_dim) {
    tensor pair_numbers = to_float(numbers_from_0(run, head_dim / 2));
    tensor exponents =
        divide_by(multiply_by(pair_numbers, 2), (double)head_dim);
    tensor powers = power(number(run, run->parameters.base), exponents);
    tensor frequencies = divide(number(run, 1), powers);
    tensor column = view(to_float(positions), positions.shape[0], 1);
    tensor angles = repeat(multiply(column, frequencies), 2, 1);
    bool qk_norm = run->parameters.qk_norm;
    return (struct table){cosine(angles), sine(angles), qk_norm};
}

static void llama(struct run *run) {
    int64_t d_in = run->inputs.shape[1], heads = run->parameters.heads;
    int64_t groups = run->parameters.groups, d_out = run->parameters.d_out;
    int64_t head_dim = d_out / heads, d_hidden = run->parameters.hidden;
    int64_t d_group = groups * head_dim;

    SECTION("RMSNorm");

    // A batch of {batch sentence}. A layer of Llama 3 (2024) reads a row for
    // each token and makes a row as wide. It has a block's two halves, attention
    // and feed-forward. Grouped keys and values, rotary positions and a cache
    // have lessons of their own. RMSNorm and SwiGLU are new. Mistral 7B (2023)
    // and Qwen3 (2025) have such layers, too.
    tensor batch = axes(stack(run->batch_size, run->sentences, 0),
                        AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "head_dim = d_out // num_heads\n"
         "per_group = num_heads // num_groups\n"
         "batch = torch.stack({sentences}, dim=0)");

    // RMSNorm divides a row by the root of the mean of its squares. LayerNorm
    // first subtracts the mean and in the end adds a shift. RMSNorm does
    // neither. ε is added under the root, so that a row of zeros is not divided
    // by 0. It is 1e-5 in Llama 2 (2023) and Llama 3 (2024). Then each feature
    // is multiplied by a trained number, which begins as 1 and changes nothing
    // here.
    tensor mean_squares = mean(raise_to(batch, 2), -1, true);
    STEP(mean_squares, "m = mean of x², one a row",
         "mean_squares = batch.pow(2).mean(dim=-1, keepdim=True)");
    tensor roots = square_root(add(mean_squares, number(run, 1e-5)));
    tensor normalized = divide(batch, roots);
    STEP(normalized, "N = X / √(m + ε)",
         "normalized = batch / torch.sqrt(mean_squares + 1e-5)");

    SECTION("Grouped keys and values");

    // The linear layers, all without a bias. Those of attention make queries for
    // {heads head}, and keys and values for {groups group}. W_out makes rows as
    // wide as those of the input, so that the two can be added. W_gate, W_up and
    // W_down are for the feed-forward half. Llama 2 70B (2023), Mistral 7B
    // (2023) and Llama 3 8B (2024) have 8 groups.
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, false, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=False)");
    LAYER(W_key, ROLE_KEYS, d_in, d_group, false, "W_k",
          "W_key = torch.nn.Linear(d_in, num_groups * head_dim, bias=False)");
    LAYER(W_value, ROLE_VALUES, d_in, d_group, false, "W_v",
          "W_value = torch.nn.Linear(d_in, num_groups * head_dim, bias=False)");
    LAYER(W_out, ROLE_OUTPUT, d_out, d_in, false, "W_o",
          "out_proj = torch.nn.Linear(d_out, d_in, bias=False)");
    LAYER(W_gate, ROLE_NONE, d_in, d_hidden, false, "W_g",
          "W_gate = torch.nn.Linear(d_in, d_hidden, bias=False)");
    LAYER(W_up, ROLE_NONE, d_in, d_hidden, false, "W_u",
          "W_up = torch.nn.Linear(d_in, d_hidden, bias=False)");
    LAYER(W_down, ROLE_NONE, d_hidden, d_in, false, "W_d",
          "W_down = torch.nn.Linear(d_hidden, d_in, bias=False)");

    struct llama layers = {.heads = heads,
                           .head_dim = head_dim,
                           .groups = groups,
                           .W_query = W_query,
                           .W_key = W_key,
                           .W_value = W_value,
                           .W_out = W_out,
                           .W_gate = W_gate,
                           .W_up = W_up,
                           .W_down = W_down};
    struct kept kept;
    tensor after = attend(run, &layers, batch, normalized, &kept);
    tensor output = feed_forward(run, &layers, after);
    read_last_token(run, &layers, batch, &kept, output);
}

static struct tensor attend(struct run *run, const struct llama *llama,
                            tensor batch, tensor normalized,
                            struct kept *kept) {
    int64_t tokens = batch.shape[1], heads = llama->heads;
    int64_t groups = llama->groups, per_group = heads / groups;
    int64_t head_dim = llama->head_dim;

    // Queries by head, keys and values by group. Each layer reads the
    // normalized rows. view and transpose split the results as in grouped-query
    // attention.
    tensor queries_by_head =
        split_heads(apply(llama->W_query, normalized), heads);
    STEP(queries_by_head, "Q = N W_qᵀ, by head",
         "def split(x, parts):\n"
         "    return x.view(batch_size, -1, parts, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(W_query(normalized), num_heads)");
    tensor keys_by_group =
        set_axis(split_heads(apply(llama->W_key, normalized), groups), 1,
                 AXIS_GROUP);
    STEP(keys_by_group, "K = N W_kᵀ, by group",
         "keys_by_group = split(W_key(normalized), num_groups)");
    tensor values_by_group =
        set_axis(split_heads(apply(llama->W_value, normalized), groups), 1,
                 AXIS_GROUP);
    STEP(values_by_group, "V = N W_vᵀ, by group",
         "values_by_group = split(W_value(normalized), num_groups)");

    // QK-norm, which is RMSNorm of each query and of each key. It comes before
    // the rotation, as in Qwen3 (2025). A head's query or key is divided by the
    // root of the mean of its squares, so it is no longer than √head_dim. Then
    // each feature is multiplied by a trained number, one for all queries and
    // one for all keys. It begins as 1. While it is 1, a score is at most
    // head_dim, however large W_query and W_key grow. The heads of a token stay
    // next to each other in memory: transpose undoes that of split.
    bool qk_norm = run->parameters.qk_norm;
    tensor queries_normalized =
        qk_norm ? norm_heads(queries_by_head) : NO_TENSOR;
    STEP(queries_normalized, "Q / √(mean of q² + ε)",
         "def rms_norm(x):\n"
         "    return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5)\n"
         "queries_normalized = rms_norm(queries_by_head.transpose(1, 2)).transpose(1, 2)");
    tensor keys_normalized =
        qk_norm ? norm_heads(keys_by_group) : NO_TENSOR;
    STEP(keys_normalized, "K / √(mean of k² + ε)",
         "keys_normalized = rms_norm(keys_by_group.transpose(1, 2)).transpose(1, 2)");

    SECTION("Rotary positions");

    // Angles: position times the frequency of each pair. The first half of a
    // head's features is paired with the second half, as in HuggingFace's
    // Llama. base is {base}. Llama 2 (2023) has 10,000 and Llama 3 (2024) has
    // 500,000. A larger base turns all pairs but the first more slowly, so
    // that angles stay small in long texts.
    tensor positions = label_columns(numbers_from_0(run, tokens),
                                     position_names(run, tokens));
    struct table table = turn_table(run, positions, head_dim);
    tensor cosines = axes(table.cosines, AXIS_POSITION, AXIS_FEATURE);
    tensor sines = axes(table.sines, AXIS_POSITION, AXIS_FEATURE);
    AT(1, 0);
    STEP(cosines, "cos(p · θ), once for each half",
         "theta = 1 / base**(torch.arange(0, head_dim, 2).float() / head_dim)\n"
         "positions = torch.arange(num_tokens).float().unsqueeze(1)\n"
         "angles = (positions * theta).repeat(1, 2)\n"
         "cosines = angles.cos()");
    AT(1, 0);
    STEP(sines, "sin(p · θ), once for each half", "sines = angles.sin()");

    // Queries and keys, turned by their positions. All heads turn by the same
    // angles, values do not turn. contiguous() first copies the rows of a head
    // next to each other. A cache keeps the turned keys.
    table = (struct table){cosines, sines, false};
    tensor queries_turned =
        turn(either(queries_normalized, queries_by_head), &table);
    AT(1, 0);
    STEP(queries_turned, "[a cos - b sin, b cos + a sin]",
         "def turn(x, cosines, sines):\n"
         "    x = x.contiguous()\n"
         "    a, b = x.chunk(2, dim=3)\n"
         "    return x * cosines + torch.cat([-b, a], dim=3) * sines\n"
         "queries_turned = turn(queries_by_head, cosines, sines)  # {plain}\n"
         "queries_turned = turn(queries_normalized, cosines, sines)  # {qk}");
    tensor keys_turned =
        turn(either(keys_normalized, keys_by_group), &table);
    AT(1, 0);
    STEP(keys_turned, "[a cos - b sin, b cos + a sin]",
         "keys_turned = turn(keys_by_group, cosines, sines)  # {plain}\n"
         "keys_turned = turn(keys_normalized, cosines, sines)  # {qk}");

    SECTION("Attention in every head");

    // Each group's keys and values, once for each of its heads. The copies
    // stand side by side, as in grouped-query attention. They live only during
    // the product.
    tensor keys_repeated =
        set_axis(repeat_interleave(keys_turned, per_group, 1), 1,
                 AXIS_HEAD);
    AT(1, 0, 0);
    STEP(keys_repeated, "K[b, g of h, t, d]",
         "keys_repeated = keys_turned.repeat_interleave(per_group, dim=1)");
    tensor values_repeated =
        set_axis(repeat_interleave(values_by_group, per_group, 1), 1,
                 AXIS_HEAD);
    AT(1, 0, 0);
    STEP(values_repeated, "V[b, g of h, t, d]",
         "values_repeated = values_by_group.repeat_interleave(per_group, dim=1)");

    // Scores and weights of every head. A score depends on both tokens and on
    // the distance between them. The mask hides later tokens. The scores are
    // divided by the root of head_dim, the width of one key.
    tensor scores = matmul(queries_turned, transpose(keys_repeated, 2, 3));
    STEP(scores, "S = Q Kᵀ, for each sentence and head",
         "scores = queries_turned @ keys_repeated.transpose(2, 3)");
    tensor above = triu(ones(run, tokens, tokens), 1);
    tensor mask = axes(to_bool(above), AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)\n"
         "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)");

    // Context, output layer and shortcut. W_out makes rows as wide as the input.
    // The shortcut adds the batch as it came in.
    tensor context_by_head = matmul(weights, values_repeated);
    STEP(context_by_head, "Z = W V, for each sentence and head",
         "context_by_head = weights @ values_repeated\n"
         "merged = context_by_head.transpose(1, 2).contiguous().flatten(2)");
    tensor context = merge_heads(context_by_head);
    tensor attention = rows(apply(llama->W_out, context), AXIS_TOKEN);
    tensor after_attention = add(attention, batch);
    STEP(after_attention, "X + [Z₁, Z₂, ...] W_oᵀ",
         "after_attention = out_proj(merged) + batch");

    *kept = (struct kept){keys_turned, values_by_group, table};
    return after_attention;
}

static struct tensor feed_forward(struct run *run,
                                  const struct llama *llama,
                                  tensor after_attention) {
    SECTION("SwiGLU");

    // A second RMSNorm, before the feed-forward half. It has trained numbers of
    // its own, which begin as 1.
    tensor normalized_again = rms_norm(after_attention);
    STEP(normalized_again, "N = X / √(m + ε)",
         "def rms_norm(x):\n"
         "    return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5)\n"
         "normalized_again = rms_norm(after_attention)");

    // Two layers side by side, gate and up. A feed-forward block of GPT-2 has
    // one layer here and bends its result by GELU. SwiGLU has two layers, and
    // one of them says how much of the other's result goes on. SiLU is x / (1 +
    // e⁻ˣ), which is x times a number between 0 and 1.
    tensor gate = silu(apply(llama->W_gate, normalized_again));
    STEP(gate, "G = SiLU(N W_gᵀ)",
         "gate = torch.nn.functional.silu(W_gate(normalized_again))");
    tensor up = apply(llama->W_up, normalized_again);
    STEP(up, "U = N W_uᵀ", "up = W_up(normalized_again)");

    // The gate times what comes up, number by number. Where the gate is near 0,
    // the feature is switched off for this token.
    tensor gated = multiply(gate, up);
    STEP(gated, "G · U", "gated = gate * up");

    // Back down, and the shortcut. There are three layers where GPT-2 has two.
    // So that the layers have as many weights, the hidden width is about 8/3 of
    // a row's instead of 4 times: Llama 2 7B has 11,008 for rows of 4,096. The
    // next layer of a model reads this output.
    tensor made = rows(apply(llama->W_down, gated), AXIS_TOKEN);
    tensor output = add(made, after_attention);
    STEP(output, "Y = H + (G · U) W_dᵀ",
         "output = W_down(gated) + after_attention");

    return output;
}

static void read_last_token(struct run *run, const struct llama *llama,
                            tensor batch, const struct kept *kept,
                            tensor output) {
    int64_t last = batch.shape[1] - 1, heads = llama->heads;
    int64_t groups = llama->groups, head_dim = kept->keys.shape[3];

    SECTION("The last token alone");
    GROUP("cache");

    // The query of the last token, turned by its position. All tokens before it
    // were read earlier, and a cache has their turned keys and their values.
    // Only one row goes through the layers.
    tensor token = narrow(batch, 1, last, 1);
    tensor normalized = rms_norm(token);
    struct table table = {narrow(kept->table.cosines, 0, last, 1),
                          narrow(kept->table.sines, 0, last, 1),
                          run->parameters.qk_norm};
    tensor last_query =
        turn(split_heads(apply(llama->W_query, normalized), heads), &table);
    STEP(last_query, "q = x W_qᵀ, turned",
         "token = batch[:, -1:]\n"
         "token_normalized = rms_norm(token)\n"
         "c, s = cosines[-1:], sines[-1:]\n"
         "query = split(W_query(token_normalized), num_heads)  # {qk}\n"
         "last_query = turn(rms_norm(query), c, s)  # {qk}\n"
         "last_query = turn(split(W_query(token_normalized), num_heads), c, s)  # {plain}");

    // Its key and its value join the cache. The key is turned before it is
    // kept. For each token the cache has a key and a value of each group, and
    // not of each head. `onestep help memory` computes how much memory this is
    // in real models.
    tensor key =
        turn(split_heads(apply(llama->W_key, normalized), groups), &table);
    struct tensor keys[] = {narrow(kept->keys, 2, 0, last),
                            set_axis(key, 1, AXIS_GROUP)};
    tensor key_cache = cat(2, keys, 2);
    STEP(key_cache, "K = [K so far; k turned]",
         "key = turn(split(W_key(token_normalized), num_groups), c, s)  # {plain}\n"
         "key = split(W_key(token_normalized), num_groups)  # {qk}\n"
         "key = turn(rms_norm(key), c, s)  # {qk}\n"
         "key_cache = torch.cat([keys_turned[:, :, :-1], key], dim=2)");
    tensor value = split_heads(apply(llama->W_value, normalized), groups);
    struct tensor values[] = {narrow(kept->values, 2, 0, last),
                              set_axis(value, 1, AXIS_GROUP)};
    tensor value_cache = cat(2, values, 2);
    STEP(value_cache, "V = [V so far; x W_vᵀ]",
         "value = split(W_value(token_normalized), num_groups)\n"
         "value_cache = torch.cat([values_by_group[:, :, :-1], value], dim=2)");

    // The output of the last token. It needs no mask, because the cache has no
    // later token. Shortcuts, RMSNorm and SwiGLU work on each token alone, so
    // nothing else is needed of the tokens before it.
    int64_t size = heads / groups;
    tensor keys_here =
        set_axis(repeat_interleave(key_cache, size, 1), 1, AXIS_HEAD);
    tensor values_here =
        set_axis(repeat_interleave(value_cache, size, 1), 1, AXIS_HEAD);
    tensor scores = matmul(last_query, transpose(keys_here, 2, 3));
    tensor weights = softmax(divide_by(scores, root(head_dim)), -1);
    STEP(weights, "w = softmax(q Kᵀ / √head_dim)",
         "keys_here = key_cache.repeat_interleave(per_group, dim=1)\n"
         "scores = last_query @ keys_here.transpose(2, 3)\n"
         "weights = torch.softmax(scores / head_dim**0.5, dim=-1)");
    tensor context = merge_heads(matmul(weights, values_here));
    tensor attention = rows(apply(llama->W_out, context), AXIS_TOKEN);
    tensor after = add(attention, token);
    tensor normalized_again = rms_norm(after);
    tensor gate = silu(apply(llama->W_gate, normalized_again));
    tensor gated = multiply(gate, apply(llama->W_up, normalized_again));
    tensor made = rows(apply(llama->W_down, gated), AXIS_TOKEN);
    tensor output_of_last = add(made, after);
    STEP(output_of_last, "y, the last row of Y",
         "values_here = value_cache.repeat_interleave(per_group, dim=1)\n"
         "mixed = (weights @ values_here).transpose(1, 2).contiguous().flatten(2)\n"
         "after = out_proj(mixed) + token\n"
         "after_normalized = rms_norm(after)\n"
         "gate_here = torch.nn.functional.silu(W_gate(after_normalized))\n"
         "gated_here = gate_here * W_up(after_normalized)\n"
         "output_of_last = W_down(gated_here) + after");

    // The largest difference from the last row of the whole layer. At the
    // course's parameters it is 0: the same numbers are multiplied and added in
    // the same order. With other widths, or another version of PyTorch, the
    // products of one row may be added in another order than those of many
    // rows. Then last digits differ.
    tensor row = narrow(output, 1, last, 1);
    tensor difference = amax(absolute(subtract(output_of_last, row)));
    STEP(difference, "max |last token alone - whole layer|",
         "difference = (output_of_last - output[:, -1:]).abs().max()");

    END_GROUP;
}

// Attention by groups, with turned queries and keys, then SwiGLU.
struct tensor llama_layer(struct run *run, tensor x,
                          const struct llama *of) {
    int64_t size = of->heads / of->groups;
    tensor n = rms_norm(x), from_0 = numbers_from_0(run, x.shape[1]);
    struct table table = turn_table(run, from_0, of->head_dim);
    tensor q = turn(split_heads(apply(of->W_query, n), of->heads), &table);
    tensor k = turn(split_heads(apply(of->W_key, n), of->groups), &table);
    tensor v = split_heads(apply(of->W_value, n), of->groups);
    tensor scores =
        matmul(q, transpose(repeat_interleave(k, size, 1), 2, 3));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked = masked_fill(scores, future, -INFINITY);
    tensor weights = softmax(divide_by(masked, root(of->head_dim)), -1);
    tensor context = matmul(weights, repeat_interleave(v, size, 1));
    tensor y = add(apply(of->W_out, merge_heads(context)), x);
    tensor gate = silu(apply(of->W_gate, rms_norm(y)));
    tensor gated = multiply(gate, apply(of->W_up, rms_norm(y)));
    return add(apply(of->W_down, gated), y);
}

LESSON(llama) = {
    .name = "llama",
    .part = PART_OF_TODAY,
    .title = "A Llama layer",
    .summary =
        "RMSNorm, rotary positions, grouped keys and values, SwiGLU and a cache, joined in one layer; `onestep help memory` has the bytes of real models.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HIDDEN | USES_HEADS |
            USES_GROUPS | USES_BASE | USES_QK_NORM | USES_BATCH,
    .splits_heads = true,
    .defaults = {.d_out = 16,
                 .hidden = 6,
                 .heads = 4,
                 .groups = 2,
                 .base = 500000,
                 .batch = 1},
    .teach = llama,
    .source = &llama_source,
};
