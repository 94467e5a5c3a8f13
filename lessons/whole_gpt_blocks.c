#include <math.h>

#include "whole_gpt.h"

// What is left of x; NO_TENSOR where nothing is dropped.
static struct tensor drop_some(struct run *run, tensor x) {
    double p = run->parameters.dropout;
    return p > 0 ? dropout(run, x, p) : NO_TENSOR;
}

static struct tensor either(tensor dropped, tensor x) {
    return is_tensor(&dropped) ? dropped : x;
}

// 0 · x if the run's block is switched off; else NO_TENSOR.
static struct tensor switch_off(struct run *run, tensor x) {
    bool is_off =
        is_switched_off(run->parameters.off, run->group_number, 0);
    return is_off ? multiply_by(x, 0) : NO_TENSOR;
}

// What the heads of the run's block found, 0 for those that are off; NO_TENSOR
// if none is.
static struct tensor switch_off_heads(struct run *run, tensor x,
                                      int64_t heads) {
    bool is_any_off = false;
    tensor on = tensor_given(run->memory, FLOAT32, SHAPE(heads, 1, 1));
    for (int64_t head = 0; head < heads; head++) {
        bool is_off = is_switched_off(run->parameters.off,
                                      run->group_number, head + 1);
        floats_of(&on)[head] = is_off ? 0 : 1;
        is_any_off = is_any_off || is_off;
    }
    return is_any_off ? multiply(x, on) : NO_TENSOR;
}

static struct tensor embed_ids(struct run *run, const struct small_gpt *gpt,
                               tensor ids) {
    SECTION("From ids to rows");

    // Look up the rows of the tokens and of their positions, and add them.
    // From here on a token is a row of 768 features. Every block reads such
    // rows and returns such rows.
    tensor token_embeddings = embed(ids, gpt->token_table);
    STEP(token_embeddings, "xᵢ = E[idᵢ]",
         "token_embeddings = token_table(ids)");
    tensor positions = label_columns(numbers_from_0(run, ids.shape[1]),
                                     counted_from_0(run, ids.shape[1]));
    tensor position_embeddings =
        label_rows(rows(embed(positions, gpt->position_table), AXIS_TOKEN),
                   position_names(run, ids.shape[1]));
    STEP(position_embeddings, "pᵢ = P[i]",
         "position_embeddings = position_table(torch.arange(ids.shape[1]))");
    tensor embedded = add(token_embeddings, position_embeddings);
    STEP(embedded, "xᵢ = E[idᵢ] + P[i]",
         "embedded = token_embeddings + position_embeddings\n"
         "x = embedded");

    // Dropout of the sums, in training mode only. The model drops numbers in
    // four places: here, in the weights of attention, and before each of the
    // two shortcuts of a block.
    tensor embedded_dropped = drop_some(run, embedded);
    STEP(embedded_dropped, "X · keep / (1 - p)",
         "embedded_dropped = torch.nn.functional.dropout(x, p)\n"
         "x = embedded_dropped",
         "embedded_dropped");

    return either(embedded_dropped, embedded);
}

static struct tensor attend(struct run *run, const struct block *block,
                            int64_t heads, tensor x) {
    int64_t tokens = x.shape[1];
    tensor epsilon = number(run, 1e-5);

    // LayerNorm comes before attention. Each row gets mean 0 and variance 1.
    // A new LayerNorm has the scale 1 and the shift 0, which change nothing.
    tensor norm1_mean = mean(x, -1, true);
    STEP(norm1_mean, "μ, one a row",
         "norm1_mean = x.mean(dim=-1, keepdim=True)");
    tensor norm1_variance = var(x, -1, false, true);
    STEP(norm1_variance, "σ² = sum of (x - μ)² / n",
         "norm1_variance = x.var(dim=-1, keepdim=True, unbiased=False)");
    tensor norm1_normalized =
        divide(subtract(x, norm1_mean),
               square_root(add(norm1_variance, epsilon)));
    STEP(norm1_normalized, "N = (X - μ) / √(σ² + ε)",
         "norm1_normalized = (x - norm1_mean) / torch.sqrt(norm1_variance + 1e-5)\n"
         "normalized = norm1_normalized",
         "norm1_normalized");

    // The scale and the shift that this LayerNorm has learned. Each feature has
    // its own. So training decides how large a feature is, and around which
    // number it lies.
    tensor norm1_scaled = scale_and_shift(&block->norm1, norm1_normalized);
    STEP(norm1_scaled, "γ N + β",
         "norm1_scaled = norm1_{h}.scale * norm1_normalized + norm1_{h}.shift\n"
         "normalized = norm1_scaled",
         "norm1_scaled");

    // Queries, keys and values of every head. The heads share the features of
    // a row. In GPT-2 small, twelve heads share 768 features, so each head has
    // 64 of them.
    tensor normalized = either(norm1_scaled, norm1_normalized);
    tensor queries_by_head =
        split_heads(apply(block->W_query, normalized), heads);
    STEP(queries_by_head, "Q = N W_qᵀ, by head",
         "def split(x):\n"
         "    b, t, width = x.shape\n"
         "    return x.view(b, t, num_heads, width // num_heads).transpose(1, 2)\n"
         "queries_by_head = split(W_query_{h}(normalized))");
    tensor keys_by_head =
        split_heads(apply(block->W_key, normalized), heads);
    STEP(keys_by_head, "K = N W_kᵀ, by head",
         "keys_by_head = split(W_key_{h}(normalized))");
    tensor values_by_head =
        split_heads(apply(block->W_value, normalized), heads);
    STEP(values_by_head, "V = N W_vᵀ, by head",
         "values_by_head = split(W_value_{h}(normalized))");

    // Scores with the future hidden, and the weights. A score is a sum of
    // head_dim products, so the scores are divided by √head_dim. In GPT-2 small
    // that is √64 = 8.
    tensor scores = matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    tensor mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else Q Kᵀ",
         "t = x.shape[1]\n"
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "scores = queries_by_head @ keys_by_head.transpose(2, 3)\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");
    int64_t head_dim = keys_by_head.shape[3];
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "head_dim = d_model // num_heads\n"
         "weights = kept_weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)",
         "weights");

    // Dropout of the weights, in training mode only. The rows no longer sum to
    // 1.
    tensor dropped = drop_some(run, weights);
    STEP(dropped, "W · keep / (1 - p)",
         "dropped = kept_weights = torch.nn.functional.dropout(weights, p)",
         "dropped");

    // What each head finds: its values, mixed by its weights. This is its part
    // of the context vectors.
    tensor context_by_head =
        matmul(either(dropped, weights), values_by_head);
    STEP(context_by_head, "Z = W V, for each head",
         "context_by_head = kept_weights @ values_by_head");

    // Heads that --off switches off. What they found is multiplied with 0, so
    // they add nothing, and the other heads find what they found before.
    tensor context_of_rest = switch_off_heads(run, context_by_head, heads);
    STEP(context_of_rest, "0 for a head that is off, else Z",
         "on = torch.ones(num_heads, 1, 1)\n"
         "for place in off.split(','):\n"
         "    if place.startswith('{h}.'):\n"
         "        on[int(place.split('.')[1]) - 1] = 0\n"
         "context_of_rest = context_by_head * on\n"
         "context_by_head = context_of_rest",
         "context_of_rest");

    // The heads side by side. In GPT-2 small, 12 heads of 64 features are 768
    // features again. The output projection then mixes them.
    tensor context = merge_heads(either(context_of_rest, context_by_head));
    STEP(context, "[Z₁, Z₂, ...]",
         "context = context_by_head.transpose(1, 2).contiguous().flatten(2)");
    tensor attention = rows(apply(block->W_out, context), AXIS_TOKEN);
    STEP(attention, "A = Z W_oᵀ + b_o",
         "attention = out_proj_{h}(context)\n"
         "kept_attention = attention",
         "attention");

    // Dropout of the result, in training mode only. What is dropped here the
    // shortcut still carries on.
    tensor attention_dropped = drop_some(run, attention);
    STEP(attention_dropped, "A · keep / (1 - p)",
         "attention_dropped = torch.nn.functional.dropout(attention, p)\n"
         "kept_attention = attention_dropped",
         "attention_dropped");

    // The attention of a block that --off switches off. It is multiplied with
    // 0, so only the shortcut is left.
    tensor attention_off =
        switch_off(run, either(attention_dropped, attention));
    STEP(attention_off, "0 · A",
         "attention_off = kept_attention * 0\n"
         "kept_attention = attention_off",
         "attention_off");

    // The shortcut past attention. What attention found is added to the rows
    // as they entered the block.
    tensor after_attention =
        add(either(attention_off, either(attention_dropped, attention)), x);
    STEP(after_attention, "X + A", "after_attention = kept_attention + x");

    return after_attention;
}

static struct tensor think(struct run *run, const struct block *block,
                           tensor after_attention) {
    tensor epsilon = number(run, 1e-5);

    // LayerNorm before the feed-forward module. It is a second one, with a
    // scale and a shift of its own.
    tensor norm2_mean = mean(after_attention, -1, true);
    STEP(norm2_mean, "μ, one a row",
         "norm2_mean = after_attention.mean(dim=-1, keepdim=True)");
    tensor norm2_variance = var(after_attention, -1, false, true);
    STEP(norm2_variance, "σ² = sum of (x - μ)² / n",
         "norm2_variance = after_attention.var(dim=-1, keepdim=True, unbiased=False)");
    tensor norm2_normalized =
        divide(subtract(after_attention, norm2_mean),
               square_root(add(norm2_variance, epsilon)));
    STEP(norm2_normalized, "N = (X - μ) / √(σ² + ε)",
         "distance = after_attention - norm2_mean\n"
         "norm2_normalized = distance / torch.sqrt(norm2_variance + 1e-5)\n"
         "normalized = norm2_normalized",
         "norm2_normalized");

    // The scale and the shift of the second LayerNorm. They are learned like
    // those of the first one, and differ from them.
    tensor norm2_scaled = scale_and_shift(&block->norm2, norm2_normalized);
    STEP(norm2_scaled, "γ N + β",
         "norm2_scaled = norm2_{h}.scale * norm2_normalized + norm2_{h}.shift\n"
         "normalized = norm2_scaled",
         "norm2_scaled");

    // The feed-forward module: a layer to more features, GELU, and a layer
    // back. It works on each token alone. In GPT-2 small it goes from 768 to
    // 3,072 features and back.
    tensor hidden =
        apply(block->W_ffn1, either(norm2_scaled, norm2_normalized));
    STEP(hidden, "H = N W₁ᵀ + b₁", "hidden = ffn1_{h}(normalized)");
    tensor activated = gelu(run, hidden);
    STEP(activated, "GELU(H)",
         "def gelu(x):\n"
         "    inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * x**3)\n"
         "    return 0.5 * x * (1 + torch.tanh(inner))\n"
         "activated = gelu(hidden)");
    tensor feed_forward = apply(block->W_ffn2, activated);
    STEP(feed_forward, "F = GELU(H) W₂ᵀ + b₂",
         "feed_forward = ffn2_{h}(activated)\n"
         "kept_feed_forward = feed_forward",
         "feed_forward");

    // Dropout of the result, in training mode only. It is the fourth place.
    tensor feed_forward_dropped = drop_some(run, feed_forward);
    STEP(feed_forward_dropped, "F · keep / (1 - p)",
         "feed_forward_dropped = torch.nn.functional.dropout(feed_forward, p)\n"
         "kept_feed_forward = feed_forward_dropped",
         "feed_forward_dropped");

    // The feed-forward module of a block that --off switches off. Its rows
    // leave the block as they entered it.
    tensor feed_forward_off =
        switch_off(run, either(feed_forward_dropped, feed_forward));
    STEP(feed_forward_off, "0 · F",
         "feed_forward_off = kept_feed_forward * 0\n"
         "kept_feed_forward = feed_forward_off",
         "feed_forward_off");

    // The shortcut past the feed-forward module. The result has the shape of
    // what entered the block, so the next block can follow.
    tensor after_feed_forward =
        add(either(feed_forward_off,
                   either(feed_forward_dropped, feed_forward)),
            after_attention);
    STEP(after_feed_forward, "X + F",
         "after_feed_forward = kept_feed_forward + after_attention\n"
         "x = after_feed_forward",
         "after_feed_forward");

    return after_feed_forward;
}

struct tensor pass_blocks(struct run *run, const struct small_gpt *gpt,
                          tensor ids) {
    if (ids.shape[0] * ids.shape[1] > MOST_WALKED_TOKENS)
        return gpt_ways.hidden(run, gpt, ids);
    struct tensor x = embed_ids(run, gpt, ids);
    for (int i = 0; i < gpt->sizes.blocks; i++) {
        SECTION(arena_format(run->memory, "Block %d", i + 1));
        GROUP("block %d", i + 1);
        x = think(run, &gpt->blocks[i],
                  attend(run, &gpt->blocks[i], gpt->sizes.heads, x));
        END_GROUP;
    }
    return x;
}
