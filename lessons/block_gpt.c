#include <math.h>

#include "block.h"
#include "variants.h"

static struct block make_block(struct run *run, int number) {
    int64_t d_model = run->parameters.d_model, d_hidden = 4 * d_model;
    bool bias = run->parameters.bias;

    GROUP("block %d", number);

    // The layers of a block: four of attention, two of the feed-forward block.
    // Layers of attention keep the width of a row, so that attention's result
    // can be added to it. The course's queries, keys and values have no bias;
    // GPT-2's have one, which --bias adds. The feed-forward block makes a row
    // four times as wide, and narrow again: in GPT-2 768, 3,072, 768. Two
    // thirds of a block's weights stand in these two layers.
    LAYER(W_query, ROLE_QUERIES, d_model, d_model, bias, "W_q",
          "W_query_{h} = torch.nn.Linear(d_model, d_model, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_model, d_model, bias, "W_k",
          "W_key_{h} = torch.nn.Linear(d_model, d_model, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_model, d_model, bias, "W_v",
          "W_value_{h} = torch.nn.Linear(d_model, d_model, bias=qkv_bias)");
    LAYER(W_out, ROLE_OUTPUT, d_model, d_model, true, "W_o",
          "out_proj_{h} = torch.nn.Linear(d_model, d_model)");
    LAYER(W_ffn1, ROLE_NONE, d_model, d_hidden, true, "W₁",
          "ffn1_{h} = torch.nn.Linear(d_model, 4 * d_model)");
    LAYER(W_ffn2, ROLE_NONE, d_hidden, d_model, true, "W₂",
          "ffn2_{h} = torch.nn.Linear(4 * d_model, d_model)");

    END_GROUP;
    return (struct block){.W_query = W_query,
                          .W_key = W_key,
                          .W_value = W_value,
                          .W_out = W_out,
                          .W_ffn1 = W_ffn1,
                          .W_ffn2 = W_ffn2};
}

static struct small_gpt make_gpt(struct run *run,
                                 const char *const *words) {
    int64_t vocabulary = run->parameters.vocabulary;
    int64_t d_model = run->parameters.d_model;
    int64_t context_length = run->parameters.context_length;
    struct small_gpt gpt = {.sizes = {.heads = run->parameters.heads,
                                      .blocks = run->parameters.layers}};

    SECTION("A GPT: what is drawn");

    // Two tables, as in the lesson before. One has a row for each word, the
    // other a row for each position. They are drawn first. The order in which
    // a class makes its layers decides which numbers each of them gets from
    // the seed.
    reseed(run, 123);
    tensor token_table =
        label_rows(draw_embedding(run, ROLE_TOKENS, vocabulary, d_model),
                   words);
    STEP(token_table, "E ~ normal(0, 1)",
         "token_table = torch.nn.Embedding(vocabulary, d_model)",
         "token_table.weight");
    tensor position_table =
        label_rows(draw_embedding(run, ROLE_POSITIONS, context_length,
                                  d_model),
                   position_names(run, context_length));
    STEP(position_table, "P ~ normal(0, 1)",
         "position_table = torch.nn.Embedding(context_length, d_model)",
         "position_table.weight");

    gpt.token_table = token_table;
    gpt.position_table = position_table;
    gpt.blocks = arena_array(run->memory, (size_t)gpt.sizes.blocks,
                             sizeof *gpt.blocks);
    for (int i = 0; i < gpt.sizes.blocks; i++)
        gpt.blocks[i] = make_block(run, i + 1);

    // The head, from features to words. It is the last layer of the model, not
    // a head of attention. It has a row for each word and no bias. GPT-2 uses
    // its token table here again, which is called weight tying; the course's
    // model draws a layer of its own.
    LAYER(W_head, ROLE_LOGITS, d_model, vocabulary, false, "W_h",
          "head = torch.nn.Linear(d_model, vocabulary, bias=False)", words);

    gpt.W_head = W_head;
    return gpt;
}

static struct tensor embed_ids(struct run *run, const struct small_gpt *gpt,
                               tensor ids) {
    SECTION("A GPT: from words to rows");

    // Look up the rows of the words and of their positions, and add them.
    // There are three steps: a row for each word, a row for each position,
    // and their sum. The sum depends on the word and on where it stands.
    // From here on a token is a row of d_model features, and every block
    // reads such rows and returns such rows.
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
         "embedded = token_embeddings + position_embeddings");

    return embedded;
}

static struct tensor attend(struct run *run, const struct block *block,
                            tensor x, bool is_first) {
    int64_t tokens = x.shape[1], heads = run->parameters.heads;
    tensor epsilon = number(run, 1e-5);

    // LayerNorm comes before attention. Each row gets mean 0 and variance 1,
    // with the biased variance. The first GPT normalized after each half of a
    // block. GPT-2 normalizes before each half, which is called pre-norm. Deep
    // models train better so, because nothing stands in the way of the
    // shortcuts.
    tensor norm1_mean = mean(x, -1, true);
    STEP(norm1_mean, "μ, one a row",
         is_first ? "x = embedded\n"
                    "norm1_mean = x.mean(dim=-1, keepdim=True)"
                  : "x = after_feed_forward\n"
                    "norm1_mean = x.mean(dim=-1, keepdim=True)");
    tensor norm1_variance = var(x, -1, false, true);
    STEP(norm1_variance, "σ² = sum of (x - μ)² / n",
         "norm1_variance = x.var(dim=-1, keepdim=True, unbiased=False)");
    tensor norm1_normalized =
        divide(subtract(x, norm1_mean),
               square_root(add(norm1_variance, epsilon)));
    STEP(norm1_normalized, "N = (X - μ) / √(σ² + ε)",
         "norm1_normalized = (x - norm1_mean) / torch.sqrt(norm1_variance + 1e-5)");

    // Queries and keys of every head, as in lesson 6. They read the normalized
    // rows. So large rows do not make large scores.
    tensor queries_by_head =
        split_heads(apply(block->W_query, norm1_normalized), heads);
    STEP(queries_by_head, "Q = N W_qᵀ, by head",
         "def split(x):\n"
         "    b, t, width = x.shape\n"
         "    return x.view(b, t, num_heads, width // num_heads).transpose(1, 2)\n"
         "queries_by_head = split(W_query_{h}(norm1_normalized))");
    tensor keys_by_head =
        split_heads(apply(block->W_key, norm1_normalized), heads);
    STEP(keys_by_head, "K = N W_kᵀ, by head",
         "keys_by_head = split(W_key_{h}(norm1_normalized))");

    // Scores of every head. All heads compare rows that LayerNorm has made
    // equally large, so no token gets a high score only because its
    // numbers are large.
    tensor scores = matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(scores, "S = Q Kᵀ, for each sentence and head",
         "scores = queries_by_head @ keys_by_head.transpose(2, 3)");

    // Hide the future. A token that saw the next one would not have to
    // predict it.
    tensor mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "t = x.shape[1]\n"
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // The weights: scores divided by the root of head_dim, then softmax.
    // In the first block a token weighs the words themselves. In later
    // blocks it weighs rows to which earlier blocks have already added
    // what they found.
    int64_t head_dim = keys_by_head.shape[3];
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "head_dim = d_model // num_heads\n"
         "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)");

    // The result of attention. The output projection mixes the heads'
    // results, which are in context.
    tensor values_by_head =
        split_heads(apply(block->W_value, norm1_normalized), heads);
    tensor context = merge_heads(matmul(weights, values_by_head));
    tensor attention = rows(apply(block->W_out, context), AXIS_TOKEN);
    STEP(attention, "A = Z W_oᵀ + b_o",
         "values_by_head = split(W_value_{h}(norm1_normalized))\n"
         "context = (weights @ values_by_head).transpose(1, 2).contiguous().flatten(2)\n"
         "attention = out_proj_{h}(context)");

    // The shortcut past attention. What attention found is added to the
    // rows as they entered the block, not to the normalized ones. So the
    // rows run through the whole model, and each block only adds to them.
    tensor after_attention = add(attention, x);
    STEP(after_attention, "X + A", "after_attention = attention + x");

    return after_attention;
}

static struct tensor think(struct run *run, const struct block *block,
                           tensor after_attention) {
    tensor epsilon = number(run, 1e-5);

    // LayerNorm before the feed-forward block. It is a second one, with a
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
         "norm2_normalized = distance / torch.sqrt(norm2_variance + 1e-5)");

    // Feed-forward: four times as wide, GELU, and back, then a shortcut.
    // It works on each token alone: attention moves information between
    // tokens, and this half computes with what arrived. The result has the
    // shape of what entered the block, so another block can follow. GPT-2
    // small has twelve of them.
    tensor hidden = apply(block->W_ffn1, norm2_normalized);
    STEP(hidden, "H = N W₁ᵀ + b₁", "hidden = ffn1_{h}(norm2_normalized)");
    tensor activated = gelu(run, hidden);
    STEP(activated, "GELU(H)", "activated = gelu(hidden)");
    tensor feed_forward = apply(block->W_ffn2, activated);
    STEP(feed_forward, "F = GELU(H) W₂ᵀ + b₂",
         "feed_forward = ffn2_{h}(activated)");
    tensor after_feed_forward = add(feed_forward, after_attention);
    STEP(after_feed_forward, "X + F",
         "after_feed_forward = feed_forward + after_attention");

    return after_feed_forward;
}

static void predict(struct run *run, const struct small_gpt *gpt, tensor x,
                    tensor ids) {
    int64_t tokens = ids.shape[1];

    SECTION("A GPT: from rows to words");

    // A last LayerNorm, and the logits. A block normalizes only a copy of the
    // rows. Now the rows are normalized. A logit is a score: row i has one for
    // each word that may follow after token i.
    tensor final = layer_norm(x);
    STEP(final, "N = (X - μ) / √(σ² + ε)",
         "distance = after_feed_forward - after_feed_forward.mean(dim=-1, keepdim=True)\n"
         "variance = after_feed_forward.var(dim=-1, keepdim=True, unbiased=False)\n"
         "final = distance / torch.sqrt(variance + 1e-5)");
    tensor logits = apply(gpt->W_head, final);
    STEP(logits, "L = N W_hᵀ", "logits = head(final)");

    // Probabilities of the next word, and the loss, as in lesson 7. The model
    // is untrained, so its preferences are random. The targets are the same
    // ids, one place later. So the last row of logits has no target and is left
    // out. At the course's parameters guessing among 6 words costs log 6 =
    // 1.7918. Training would change most numbers drawn above.
    tensor probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits, dim=-1)");
    if (tokens == 1) return;
    tensor targets = narrow(ids, 1, 1, tokens - 1);
    tensor loss = cross_entropy(narrow(logits, 1, 0, tokens - 1), targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]",
         "with_target = logits[:, :-1].flatten(0, 1)\n"
         "loss = torch.nn.functional.cross_entropy(with_target, ids[:, 1:].flatten())");
}

void build_gpt(struct run *run) {
    struct sentence sentence = read_sentence(run);
    const char *const *words = sentence.vocabulary_words;

    SECTION("A GPT: what it reads");

    // The ids that the model reads. At the course's parameters they are words 0
    // to 5 of a vocabulary of six words, that is "Your journey starts with one
    // step". Each id becomes a row, and the rows go through blocks. A block has
    // two halves. Each half reads the rows, and its result is added to them.
    //
    //   rows --+-- LayerNorm -- attention -- + --+-- LayerNorm -- feed-forward -- +
    //          |                             |   |                                |
    //          +-----------------------------+   +--------------------------------+
    tensor ids = ids_given(run, words);
    STEP(ids, "id₀, id₁, ...",
         "ids = torch.atleast_2d(torch.tensor(token_ids))");

    const struct small_gpt gpt = make_gpt(run, words);
    struct tensor x = embed_ids(run, &gpt, ids);
    for (int i = 0; i < gpt.sizes.blocks; i++) {
        SECTION(arena_format(run->memory, "Block %d", i + 1));
        GROUP("block %d", i + 1);
        x = think(run, &gpt.blocks[i],
                  attend(run, &gpt.blocks[i], x, i == 0));
        END_GROUP;
    }
    predict(run, &gpt, x, ids);
}
