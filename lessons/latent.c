#include <math.h>

#include "gpt.h"
#include "variants.h"

static struct tensor absorb(struct run *run, tensor queries_by_head,
                            layer W_up_key, tensor latent, tensor scores);
static void size_caches(struct run *run, int64_t tokens, int64_t d_latent);
static void widen(struct run *run, tensor batch, tensor latent);
static void add_rotary_key(struct run *run, tensor batch, tensor latent,
                           tensor scores_absorbed);

static void attend_by_latent(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t d_out = run->parameters.d_out, heads = run->parameters.heads;
    int64_t head_dim = d_out / heads, d_latent = run->parameters.latent;

    SECTION("Layers down and up");

    // A batch of {batch sentence}. With grouped queries a cache is smaller
    // because heads share keys and values. In latent attention (MLA) each head
    // has its own keys and values, but all of them are computed from a few
    // numbers for each token. A cache keeps only these.
    tensor batch = axes(stack(run->batch_size, run->sentences, 0),
                        AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "head_dim = d_out // num_heads\n"
         "batch = torch.stack({sentences}, dim=0)");

    // One layer to fewer numbers, two layers back to more. W_down makes the
    // latent, latent_dim numbers for each token. From the latent W_up_key
    // makes the keys of all heads, and W_up_value makes their values. Queries
    // are made as before, because a cache does not keep them. W_out mixes the
    // results of all heads, as in multi-head attention.
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, false, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=False)");
    LAYER(W_down, ROLE_LATENT, d_in, d_latent, false, "W_d",
          "W_down = torch.nn.Linear(d_in, latent_dim, bias=False)");
    LAYER(W_up_key, ROLE_KEYS, d_latent, d_out, false, "W_uk",
          "W_up_key = torch.nn.Linear(latent_dim, d_out, bias=False)");
    LAYER(W_up_value, ROLE_VALUES, d_latent, d_out, false, "W_uv",
          "W_up_value = torch.nn.Linear(latent_dim, d_out, bias=False)");
    LAYER(W_out, ROLE_OUTPUT, d_out, d_out, true, "W_o",
          "out_proj = torch.nn.Linear(d_out, d_out)");

    SECTION("Down and up again");

    // Queries, and the latent of each token. A cache keeps only the latent of
    // a token. It must be enough for the keys and values of all heads, so
    // training has to find numbers from which both can be made.
    tensor queries = apply(W_query, batch);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor latent = apply(W_down, batch);
    STEP(latent, "C = X W_dᵀ", "latent = W_down(batch)");

    // Keys and values, made from the latent. Keys and values have d_out numbers
    // for each token, as in multi-head attention, but all of them follow from
    // the latent_dim numbers of the latent. Keys and values are made when
    // scores and context need them, and are not kept.
    tensor keys = apply(W_up_key, latent);
    STEP(keys, "K = C W_ukᵀ", "keys = W_up_key(latent)");
    tensor values = apply(W_up_value, latent);
    STEP(values, "V = C W_uvᵀ", "values = W_up_value(latent)");

    SECTION("Attention in every head");

    // Queries, keys and values by head. view and transpose split them as in
    // multi-head attention. In grouped-query attention heads share keys and
    // values; here each head has its own.
    tensor queries_by_head = split_heads(queries, heads);
    STEP(queries_by_head, "Q[b, h, t] = part h of Q[b, t]",
         "def split(x):\n"
         "    return x.view(batch_size, num_tokens, num_heads, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(queries)");
    tensor keys_by_head = split_heads(keys, heads);
    STEP(keys_by_head, "K[b, h, t] = part h of K[b, t]",
         "keys_by_head = split(keys)");
    tensor values_by_head = split_heads(values, heads);
    STEP(values_by_head, "V[b, h, t] = part h of V[b, t]",
         "values_by_head = split(values)");

    // Scores of every head, from the keys. The section "Scores without keys"
    // computes the same scores.
    tensor scores = matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(scores, "S = Q Kᵀ, for each sentence and head",
         "scores = queries_by_head @ keys_by_head.transpose(2, 3)");

    // Hide the future, as in every causal attention. One mask serves all heads.
    tensor above = triu(ones(run, tokens, tokens), 1);
    tensor mask = axes(to_bool(above), AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights of every head. The scores are divided by the root of head_dim,
    // the width of one key, and not by the root of latent_dim. At the course's
    // parameters both widths are 2, so a mistake would not show. A score is a
    // sum of head_dim products, however few numbers the key was made from.
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)");

    // Context vectors of each head, then of all heads side by side, then the
    // output. These steps are those of multi-head attention.
    tensor context_by_head = matmul(weights, values_by_head);
    AT(5, 0);
    STEP(context_by_head, "Z = W V, for each head",
         "context_by_head = weights @ values_by_head");
    tensor context = merge_heads(context_by_head);
    AT(0, 2);
    STEP(context, "[Z₁, Z₂, ...]",
         "merged = context_by_head.transpose(1, 2).contiguous()\n"
         "context = merged.view(batch_size, num_tokens, d_out)");
    tensor output = apply(W_out, context);
    STEP(output, "Y = Z W_oᵀ + b_o", "output = out_proj(context)");

    tensor scores_absorbed =
        absorb(run, queries_by_head, W_up_key, latent, scores);
    size_caches(run, tokens, d_latent);
    widen(run, batch, latent);
    add_rotary_key(run, batch, latent, scores_absorbed);
}

// What all heads share of each token: (batch, 1, token, width).
static struct tensor for_all_heads(tensor x) {
    return set_axis(view(x, x.shape[0], 1, x.shape[1], x.shape[2]), 2,
                    AXIS_KEY);
}

// Scores from the latent alone.
static struct tensor absorb(struct run *run, tensor queries_by_head,
                            layer W_up_key, tensor latent, tensor scores) {
    int64_t heads = queries_by_head.shape[1];
    int64_t head_dim = queries_by_head.shape[3];

    SECTION("Scores without keys");

    // The up-projection of the keys, absorbed into the queries. From a
    // cache of latents, the keys of all tokens would be made again for
    // every new word. A key is c W_ukᵀ, where c is the latent, and W_uk is
    // W_up_key. So a score is q · (c W_ukᵀ) = (q W_uk) · c. It is enough to
    // multiply the query. Each head uses its own rows of W_up_key. A query
    // of head_dim numbers becomes one of latent_dim numbers.
    tensor rows_by_head = axes(view(W_up_key.weight, heads, head_dim,
                                    W_up_key.weight.shape[1]),
                               AXIS_HEAD, AXIS_HEAD_DIM, AXIS_FEATURE);
    tensor queries_absorbed =
        as(ROLE_QUERIES, matmul(queries_by_head, rows_by_head));
    STEP(queries_absorbed, "Q W_uk, for each head",
         "rows_by_head = W_up_key.weight.view(num_heads, head_dim, latent_dim)\n"
         "queries_absorbed = queries_by_head @ rows_by_head");

    // Scores from the latent alone. Every head reads the same latent, as heads
    // of one group read the same keys. A cache keeps the latent, and no key is
    // computed. W_up_value can be absorbed into the output projection in the
    // same way, but not in this lesson.
    tensor scores_absorbed =
        matmul(queries_absorbed, transpose(for_all_heads(latent), 2, 3));
    STEP(scores_absorbed, "(Q W_uk) Cᵀ",
         "scores_absorbed = queries_absorbed @ latent.unsqueeze(1).transpose(2, 3)");

    // The difference between the two scores. Mathematics says 0. Last digits
    // differ, because the sums are added in another order: one over the latent
    // first, the other over head_dim first. A bias is left out here, as in the
    // course's class. With a bias b in W_up_key, q · b must be added to the
    // scores. Positions are left out, too: the section "A rotary key" adds them.
    tensor difference = amax(absolute(subtract(scores, scores_absorbed)));
    STEP(difference, "max |by keys - by the latent|",
         "difference = (scores - scores_absorbed).abs().max()");

    return scores_absorbed;
}

// How many numbers four caches keep for one sentence.
static void size_caches(struct run *run, int64_t tokens, int64_t d_latent) {
    int64_t d_out = run->parameters.d_out, heads = run->parameters.heads;
    int64_t window = tokens < 3 ? tokens : 3;
    static const char *const labels[] = {"all heads", "one group",
                                         "window 3", "latent"};

    SECTION("Four caches");

    // What four caches keep for one sentence. With all heads a cache keeps a
    // key and a value of d_out numbers for each token. One group for all heads
    // keeps a key and a value of head_dim numbers. A window of 3 keeps at most
    // three tokens. The latent is latent_dim numbers for each token, from which
    // both keys and values are made. `onestep help memory` computes such sizes
    // for larger models.
    tensor counts =
        numbers(run, (float)(2 * tokens * d_out),
                (float)(2 * tokens * d_out / heads),
                (float)(2 * window * d_out), (float)(tokens * d_latent));
    tensor cache_sizes = label_columns(named(counts, "cache"), labels);
    STEP(cache_sizes, "2 · tokens · d_out, ..., tokens · latent_dim",
         "cache_sizes = torch.tensor([\n"
         "    2.0 * num_tokens * d_out, 2.0 * num_tokens * head_dim,\n"
         "    2.0 * min(num_tokens, 3) * d_out, 1.0 * num_tokens * latent_dim])");
}

// Two heads of 4 features in the place of the lesson's.
static void widen(struct run *run, tensor batch, tensor latent) {
    int64_t tokens = latent.shape[1], d_latent = latent.shape[2];
    int64_t window = tokens < 3 ? tokens : 3;
    static const char *const labels[] = {"all heads", "one group",
                                         "window 3", "latent"};

    SECTION("Keys of 8 numbers");
    GROUP("wide");

    // Keys of 8 numbers, from the same latent. They belong to two heads. The
    // latent still has {latent number}. To read it without keys, a query of 4
    // numbers becomes one of latent_dim numbers. At the course's parameters a
    // score is then a sum of 2 products, and from keys a sum of 4.
    layer W_query = draw_layer(run, ROLE_QUERIES, batch.shape[2], 8, false);
    layer W_up_key = draw_layer(run, ROLE_KEYS, d_latent, 8, false);
    tensor keys = apply(W_up_key, latent);
    STEP(keys, "K = C W_ukᵀ",
         "wide_query = torch.nn.Linear(d_in, 8, bias=False)\n"
         "wide_up_key = torch.nn.Linear(latent_dim, 8, bias=False)\n"
         "keys = wide_up_key(latent)");
    tensor queries = split_heads(apply(W_query, batch), 2);
    tensor rows_by_head = axes(view(W_up_key.weight, 2, 4, d_latent),
                               AXIS_HEAD, AXIS_HEAD_DIM, AXIS_FEATURE);
    tensor absorbed = as(ROLE_QUERIES, matmul(queries, rows_by_head));
    STEP(absorbed, "Q W_uk, for each head",
         "queries = wide_query(batch).view(batch_size, -1, 2, 4).transpose(1, 2)\n"
         "absorbed = queries @ wide_up_key.weight.view(2, 4, latent_dim)");
    tensor scores =
        matmul(absorbed, transpose(for_all_heads(latent), 2, 3));
    STEP(scores, "(Q W_uk) Cᵀ",
         "scores = absorbed @ latent.unsqueeze(1).transpose(2, 3)");

    // What four caches keep now. At the course's parameters the first three
    // caches are twice as large as before. The cache of the latent is as large
    // as before: its size does not depend on how wide keys and values are. So a
    // latent saves most where all heads together are wide.
    tensor counts =
        numbers(run, (float)(16 * tokens), (float)(8 * tokens),
                (float)(16 * window), (float)(tokens * d_latent));
    tensor cache_sizes = label_columns(named(counts, "cache"), labels);
    AT(3);
    STEP(cache_sizes, "2 · tokens · 8, ..., tokens · latent_dim",
         "cache_sizes = torch.tensor([\n"
         "    16.0 * num_tokens, 8.0 * num_tokens,\n"
         "    16.0 * min(num_tokens, 3), 1.0 * num_tokens * latent_dim])");

    END_GROUP;
}

// Rows of two features, turned by their positions.
static struct tensor turn_pair(tensor of_heads, tensor turns) {
    tensor x = contiguous(of_heads);
    tensor a = narrow(x, 3, 0, 1), b = narrow(x, 3, 1, 1);
    struct tensor crossed[] = {negative(b), a};
    return add(multiply(x, narrow(turns, 1, 0, 1)),
               multiply(cat(2, crossed, 3), narrow(turns, 1, 1, 1)));
}

// A short key that knows its position, beside the latent.
static void add_rotary_key(struct run *run, tensor batch, tensor latent,
                           tensor scores_absorbed) {
    int64_t tokens = batch.shape[1], d_in = batch.shape[2];
    int64_t d_out = run->parameters.d_out, heads = run->parameters.heads;

    SECTION("A rotary key");
    GROUP("rotary");

    // A second, short key, which is turned by its position. DeepSeek-V2 (2024)
    // has such keys. They are made from the tokens, not from the latent, and
    // all heads share them. Each head has a second query for them. Here both
    // have 2 numbers. They are one pair, which turns by 1 radian a token. Keys
    // from the latent are not turned. If they were, a query would have to absorb
    // W_up_key anew for each distance.
    tensor positions =
        view(to_float(numbers_from_0(run, tokens)), tokens, 1);
    struct tensor sides[] = {cosine(positions), sine(positions)};
    static const char *const side_names[] = {"cos", "sin"};
    tensor of_positions = named(cat(2, sides, 1), "position", "side");
    tensor turns =
        label_columns(label_rows(of_positions, position_names(run, tokens)),
                      side_names);
    AT(1, 0);
    STEP(turns, "(cos p, sin p)",
         "positions = torch.arange(num_tokens).float().unsqueeze(1)\n"
         "turns = torch.cat([positions.cos(), positions.sin()], dim=1)");
    layer W_key = draw_layer(run, ROLE_KEYS, d_in, 2, false);
    layer W_query = draw_layer(run, ROLE_QUERIES, d_in, 2 * heads, false);
    tensor queries_turned =
        turn_pair(split_heads(apply(W_query, batch), heads), turns);
    AT(1, 0);
    STEP(queries_turned, "[a cos - b sin, b cos + a sin] of X W_qrᵀ",
         "W_key_rotary = torch.nn.Linear(d_in, 2, bias=False)\n"
         "W_query_rotary = torch.nn.Linear(d_in, 2 * num_heads, bias=False)\n"
         "def turn_pair(x):\n"
         "    x = x.contiguous()\n"
         "    (a, b), (c, s) = x.chunk(2, dim=3), turns.chunk(2, dim=1)\n"
         "    return x * c + torch.cat([-b, a], dim=3) * s\n"
         "q = W_query_rotary(batch).view(batch_size, -1, num_heads, 2).transpose(1, 2)\n"
         "queries_turned = turn_pair(q)");
    tensor keys_turned =
        turn_pair(for_all_heads(apply(W_key, batch)), turns);
    AT(1, 0);
    STEP(keys_turned, "[a cos - b sin, b cos + a sin] of X W_krᵀ",
         "keys_turned = turn_pair(W_key_rotary(batch).unsqueeze(1))");

    // Scores of two parts. The rotary part knows distances. Scores are divided
    // by √(head_dim + 2).
    tensor rotary_scores =
        matmul(queries_turned, transpose(keys_turned, 2, 3));
    STEP(rotary_scores, "turned Q Kᵀ",
         "rotary_scores = queries_turned @ keys_turned.transpose(2, 3)");
    tensor scores = add(scores_absorbed, rotary_scores);
    STEP(scores, "(Q W_uk) Cᵀ + turned Q Kᵀ",
         "scores = scores_absorbed + rotary_scores");

    // What a cache keeps of one token. It is the latent, and one rotary key for
    // all heads. A layer of DeepSeek-V2 (2024) has 128 heads of 128 features, a
    // latent of 512 numbers and a rotary key of 64. So it keeps 576 numbers of
    // each token. Keys and values of all heads would be 32,768 numbers.
    int64_t d_latent = latent.shape[2];
    tensor counts = numbers(run, (float)(2 * d_out), (float)d_latent,
                            (float)(d_latent + 2));
    static const char *const names[] = {"all heads", "latent", "with key"};
    tensor numbers_of_a_token =
        label_columns(named(counts, "cache"), names);
    AT(2);
    STEP(numbers_of_a_token, "2 · d_out, latent_dim, latent_dim + 2",
         "numbers_of_a_token = torch.tensor([2.0 * d_out, latent_dim, latent_dim + 2])");

    END_GROUP;
}

// Keys and values of all heads, made from a few numbers for each token.
struct tensor latent_attention(tensor batch, layer W_query, layer W_down,
                               layer W_up_key, layer W_up_value,
                               layer W_out, int64_t heads) {
    tensor latent = apply(W_down, batch); // what a cache keeps
    tensor queries = split_heads(apply(W_query, batch), heads);
    tensor keys = split_heads(apply(W_up_key, latent), heads);
    tensor values = split_heads(apply(W_up_value, latent), heads);
    tensor scores = matmul(queries, transpose(keys, 2, 3));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[3]));
    tensor weights = softmax(scaled, -1); // [batch, heads, tokens, tokens]
    tensor context = merge_heads(matmul(weights, values));
    return apply(W_out, context); // [batch, tokens, d_out]
}

LESSON(latent) = {
    .name = "latent",
    .part = PART_OF_TODAY,
    .title = "Multi-head latent attention",
    .summary =
        "Keys and values are made from a few numbers for each token, and a cache keeps only these; scores can even be computed without keys.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS | USES_LATENT |
            USES_BATCH,
    .splits_heads = true,
    .defaults = {.d_out = 4, .heads = 2, .latent = 2, .batch = 1},
    .teach = attend_by_latent,
    .source = &latent_source,
};
