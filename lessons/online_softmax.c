#include <math.h>

#include "gpt.h"
#include "trace/lesson.h"
#include "variants.h"

// What is kept from tile to tile, for each query.
struct kept_rows {
    struct tensor max, sum; // [tokens]
    struct tensor result;   // [tokens, d_out]
};

static void read_one_row(struct run *run);
static struct kept_rows read_tile(struct run *run, tensor queries,
                                  tensor keys, tensor values, tensor mask,
                                  struct kept_rows before, int64_t first);
static void read_backwards(struct run *run, tensor queries, tensor keys,
                           tensor running_sum);
static void compare_with_plain_softmax(struct run *run, tensor queries,
                                       tensor keys, tensor values,
                                       tensor mask, tensor running_sum,
                                       tensor context);

static void online_softmax(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out, size = run->parameters.tile;
    bool bias = run->parameters.bias;

    read_one_row(run);

    SECTION("Queries, keys and values");

    // The layers of queries, keys and values. The layers and the result are
    // those of the lesson on causal attention. Only the way to the result
    // differs: the attention weights of a token are never all in memory.
    // FlashAttention computes in this way, and PyTorch's
    // scaled_dot_product_attention uses it for float16 and bfloat16 on recent
    // graphics processors.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values, one row for each token. They are computed
    // as always. The next steps read the keys and values in tiles: a few
    // rows of both at a time. A graphics processor has a small fast memory,
    // and a tile fits into it. The scores of all keys of a long text do not
    // fit.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    SECTION("Tile by tile");

    // The causal mask. Each tile needs only its own columns of the mask. Here
    // the whole mask is made first, so that you can see it; a program for long
    // texts compares the positions of a tile's queries and keys instead.
    tensor above = triu(ones(run, tokens, tokens), 1);
    tensor mask =
        name_tokens(run, axes(to_bool(above), AXIS_QUERY, AXIS_KEY), 0);
    STEP(mask, "True if j > i",
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()");

    // What is kept for each query, before the first tile. For each query the
    // program keeps three things of what it has read: m, the largest score; l,
    // the sum of the powers of e; and R, the sum of the values times these
    // powers. No score has been read, so the largest is -∞ and the other two
    // are 0. These are d_out + 2 numbers for each query, however long the text
    // is.
    tensor running_max =
        as(ROLE_RUNNING_MAX,
           axes(full(run->memory, SHAPE(tokens), -INFINITY), AXIS_QUERY));
    STEP(running_max, "m = -∞",
         "running_max = torch.full((num_tokens,), -torch.inf)");
    tensor running_sum =
        as(ROLE_RUNNING_SUM,
           axes(full(run->memory, SHAPE(tokens), 0), AXIS_QUERY));
    STEP(running_sum, "l = 0", "running_sum = torch.zeros(num_tokens)");
    tensor running_result =
        as(ROLE_RUNNING_RESULT,
           axes(full(run->memory, SHAPE(tokens, d_out), 0), AXIS_QUERY,
                AXIS_FEATURE));
    STEP(running_result, "R = 0",
         "running_result = torch.zeros(num_tokens, d_out)");

    struct kept_rows kept = {running_max, running_sum, running_result};
    for (int64_t first = 0; first < tokens; first += size) {
        GROUP("tile %d", (int)(first / size) + 1);
        kept = read_tile(run, queries, keys, values, mask, kept, first);
    }

    END_GROUP;
    SECTION("The division at the end");

    // Context vectors: the results divided by the sums. After the last
    // tile, running_result (R) and running_sum (l) count all keys of a row.
    // l is the denominator of the softmax. One division for each row is
    // enough. If each tile divided its result, the parts of earlier tiles
    // would be divided several times.
    tensor context = divide(kept.result, view(kept.sum, tokens, 1));
    STEP(context, "Z = R / l",
         "context = running_result / running_sum.unsqueeze(1)");

    read_backwards(run, queries, keys, kept.sum);
    compare_with_plain_softmax(run, queries, keys, values, mask, kept.sum,
                               context);
}

// The idea at four scores of one query, of which the second half is larger.
static void read_one_row(struct run *run) {
    SECTION("One row in two halves");

    // Four scores of one query, the largest at the end. Softmax subtracts the
    // largest score of the row, takes powers of e, and divides them by their
    // sum. Without the subtraction, e^s is too large for a float from a score
    // of 89 on. Here the row is read in two halves, as if it were too long to
    // be kept.
    tensor row = axes(numbers(run, 1, 2, 3, 4), AXIS_KEY);
    STEP(row, "s = 1, 2, 3, 4", "row = torch.tensor([1.0, 2.0, 3.0, 4.0])");

    // The first half alone. The scores 3 and 4 are not known yet. So the
    // largest score is 2, and 2 is subtracted. The whole row needs 4.
    tensor first_half = narrow(row, 0, 0, 2);
    tensor half_max = as(ROLE_RUNNING_MAX, amax(first_half));
    STEP(half_max, "max(1, 2)", "half_max = row[:2].amax()");
    tensor half_sum =
        as(ROLE_RUNNING_SUM,
           sum(exponential(subtract(first_half, half_max)), 0, false));
    STEP(half_sum, "e^(1-2) + e^(2-2)",
         "half_sum = torch.exp(row[:2] - half_max).sum()");

    // The second half, and the factor that corrects the first. The largest
    // score is now 4. Each power of the first half is e^(s-2) and should be
    // e^(s-4), which is e^(s-2) · e^(2-4). The factor e^(2-4) is the same for
    // all of them, so it corrects their sum: no score is read again.
    tensor second_half = narrow(row, 0, 2, 2);
    tensor whole_max = maximum(half_max, amax(second_half));
    STEP(whole_max, "max(2, max(3, 4))",
         "whole_max = torch.maximum(half_max, row[2:].amax())");
    tensor factor = exponential(subtract(half_max, whole_max));
    STEP(factor, "e^(2-4)", "factor = torch.exp(half_max - whole_max)");

    // The sum of both halves. The factor corrects the sum of the first half.
    // Then the sum of the second half is added. The result is as if 4 had been
    // subtracted from the start.
    tensor second_sum =
        sum(exponential(subtract(second_half, whole_max)), 0, false);
    tensor whole_sum = add(multiply(half_sum, factor), second_sum);
    STEP(whole_sum, "half_sum · e^(2-4) + e^(3-4) + e^(4-4)",
         "second_sum = torch.exp(row[2:] - whole_max).sum()\n"
         "whole_sum = half_sum * factor + second_sum");

    // The sum of the whole row at once, for comparison. It is the same sum.
    // Without the factor the two halves would give 2.7358, and every weight of
    // the row would be too small.
    tensor row_sum = sum(exponential(subtract(row, amax(row))), 0, false);
    BESIDE("whole_sum");
    STEP(row_sum, "Σ e^(s - 4)",
         "row_sum = torch.exp(row - row.amax()).sum()");
}

// The keys and values from `first` on, as many as a tile has.
static struct kept_rows read_tile(struct run *run, tensor queries,
                                  tensor keys, tensor values, tensor mask,
                                  struct kept_rows before, int64_t first) {
    int64_t tokens = keys.shape[0], rest = tokens - first;
    int64_t size = run->parameters.tile;
    int64_t count =
        rest < size ? rest : size; // the last tile may be narrower

    // Scores against the keys of this tile, scaled and masked. A tile is at
    // most {tile} rows of the keys, so its scores are a few columns of all
    // scores. -∞ hides keys that come after the query. If the whole tile comes
    // after a token, all its scores here are hidden. Fast programs read queries
    // in tiles as well, and skip a tile that is hidden whole.
    tensor tile_keys = narrow(keys, 0, first, count);
    tensor scaled = divide_by(matmul(queries, transpose(tile_keys, 0, 1)),
                              root(keys.shape[1]));
    tensor scores =
        masked_fill(scaled, narrow(mask, 1, first, count), -INFINITY);
    STEP(scores, "S = Q Kᵀ / √d_k, masked",
         "tile = slice(({h} - 1) * tile_size, {h} * tile_size)\n"
         "scaled = queries @ keys[tile].T / keys.shape[-1]**0.5\n"
         "scores = scaled.masked_fill(mask[:, tile], -torch.inf)");

    // The largest score so far, and the factor that corrects earlier sums.
    // rescale is the factor. It is below 1 where this tile has a larger score
    // than all tiles before; else it is 1. At the course's parameters "Your"
    // has the largest score of every row, so rescale is 1 after tile 1; it
    // will be smaller where the last tile comes first. In tile 1 it is e^-∞ =
    // 0, and it multiplies 0. The maximum must include the tiles before: where
    // all keys of a tile are hidden, its own maximum is -∞, and -∞ minus -∞ is
    // nan.
    tensor running_max = maximum(before.max, amax_along(scores, 1));
    AT(0, run->inputs.shape[0] - 1);
    STEP(running_max, "m = max(m, max of each row of S)",
         "max_before = running_max\n"
         "running_max = torch.maximum(max_before, scores.amax(dim=-1))");
    tensor rescale = exponential(subtract(before.max, running_max));
    AT(0, run->inputs.shape[0] - 1);
    STEP(rescale, "e^(m before - m)",
         "rescale = torch.exp(max_before - running_max)");

    // Powers of e, each at most 1. They are the numerators of the weights. The
    // denominator is known only after the last tile.
    tensor numerators =
        exponential(subtract(scores, view(running_max, tokens, 1)));
    STEP(numerators, "P = e^(S - m)",
         "numerators = torch.exp(scores - running_max.unsqueeze(1))");

    // The sum so far, and the result so far. Both are multiplied by rescale,
    // then this tile's part is added. The result is made of the same powers,
    // so it needs the factor, too. After that this tile's scores and powers
    // can be forgotten.
    tensor running_sum =
        add(multiply(before.sum, rescale), sum(numerators, 1, false));
    STEP(running_sum, "l = l · rescale + sum of each row of P",
         "running_sum = running_sum * rescale + numerators.sum(dim=-1)");
    tensor corrected = multiply(before.result, view(rescale, tokens, 1));
    tensor running_result =
        add(corrected, matmul(numerators, narrow(values, 0, first, count)));
    STEP(running_result, "R = R · rescale + P V",
         "corrected = running_result * rescale.unsqueeze(1)\n"
         "running_result = corrected + numerators @ values[tile]");

    return (struct kept_rows){running_max, running_sum, running_result};
}

// The scores of the last token's query, with the last tile first.
static void read_backwards(struct run *run, tensor queries, tensor keys,
                           tensor running_sum) {
    int64_t tokens = keys.shape[0], size = run->parameters.tile;
    int64_t tiles = (tokens + size - 1) / size;
    const size_t count = (size_t)tiles;
    struct tensor *tile = arena_array(run->memory, count, sizeof *tile);
    struct tensor *of_tile =
        arena_array(run->memory, count, sizeof *of_tile);
    struct tensor *m_before =
        arena_array(run->memory, count, sizeof *m_before);
    struct tensor *l = arena_array(run->memory, count, sizeof *l);
    const char **names = arena_array(run->memory, count, sizeof *names);
    SECTION("The last tile first");

    // The same scores, with the last tile first. The query is that of the last
    // token, which sees all keys. Tile 1 is now read last. At the course's
    // parameters it has the largest score. So its factor is below 1, and
    // corrects the sum of the tiles before it.
    tensor last_query = narrow(queries, 0, tokens - 1, 1);
    tensor products = matmul(last_query, transpose(keys, 0, 1));
    tensor last_scores =
        select_index(divide_by(products, root(keys.shape[1])), 0, 0);
    STEP(last_scores, "s = q Kᵀ / √d_k",
         "last_scores = (queries[-1:] @ keys.T / keys.shape[-1]**0.5)[0]");
    struct tensor so_far = number(run, -INFINITY);
    for (int64_t i = 0; i < tiles; i++) {
        int64_t first = (tiles - 1 - i) * size, rest = tokens - first;
        tile[i] = narrow(last_scores, 0, first, rest < size ? rest : size);
        of_tile[i] = amax(tile[i]);
        m_before[i] = so_far;
        so_far = maximum(so_far, of_tile[i]);
        names[i] = arena_format(run->memory, "tile %d", (int)(tiles - i));
    }
    tensor before = stack(tiles, m_before, 0);
    tensor maxima =
        label_columns(as(ROLE_RUNNING_MAX,
                         named(maximum(before, stack(tiles, of_tile, 0)),
                               "tile")),
                      names);
    STEP(maxima, "m = max(m before, max of the tile)",
         "m, before, of_tiles = torch.tensor(-torch.inf), [], []\n"
         "for tile in last_scores.split(tile_size)[::-1]:\n"
         "    before.append(m), of_tiles.append(tile.amax())\n"
         "    m = torch.maximum(m, of_tiles[-1])\n"
         "before = torch.stack(before)\n"
         "maxima = torch.maximum(before, torch.stack(of_tiles))");
    tensor factors = exponential(subtract(before, maxima));
    STEP(factors, "e^(m before - m)",
         "factors = torch.exp(before - maxima)");

    // The sum after each tile, each time corrected by the factor. The last one
    // counts all keys. With tile 1 first, the last token's sum was the same,
    // but for rounding. So tiles may be read in any order. Flash-Decoding
    // (2023) uses that: it reads several parts of a long text at the same time,
    // and joins them by such factors.
    struct tensor total = number(run, 0);
    for (int64_t i = 0; i < tiles; i++) {
        tensor powers =
            exponential(subtract(tile[i], select_index(maxima, 0, i)));
        tensor corrected = multiply(total, select_index(factors, 0, i));
        total = l[i] = add(corrected, sum(powers, 0, false));
    }
    tensor sums = label_columns(as(ROLE_RUNNING_SUM,
                                   named(stack(tiles, l, 0), "tile")),
                                names);
    STEP(sums, "l = l · factor + Σ e^(s - m)",
         "l, sums = 0, []\n"
         "tiles = last_scores.split(tile_size)[::-1]\n"
         "for tile, m, correction in zip(tiles, maxima, factors):\n"
         "    l = l * correction + torch.exp(tile - m).sum()\n"
         "    sums.append(l)\n"
         "sums = torch.stack(sums)");
    tensor difference_of_orders =
        absolute(subtract(select_index(sums, 0, tiles - 1),
                          select_index(running_sum, 0, tokens - 1)));
    STEP(difference_of_orders, "|l backwards - l|",
         "difference_of_orders = (sums[-1] - running_sum[-1]).abs()");
}

// Causal attention with whole rows of weights, and what differs.
static void compare_with_plain_softmax(struct run *run, tensor queries,
                                       tensor keys, tensor values,
                                       tensor mask, tensor running_sum,
                                       tensor context) {
    SECTION("Plain softmax");

    // The weights as causal attention computes them: whole rows. For n tokens
    // this matrix has n² numbers, and tiles never hold them all. That is why
    // PyTorch's scaled_dot_product_attention cannot return weights.
    tensor products = matmul(queries, transpose(keys, 0, 1));
    tensor masked_scores =
        masked_fill(divide_by(products, root(keys.shape[1])), mask,
                    -INFINITY);
    tensor weights = softmax(masked_scores, -1);
    STEP(weights, "W = softmax(Q Kᵀ / √d_k, masked)",
         "scaled = queries @ keys.T / keys.shape[-1]**0.5\n"
         "masked = scaled.masked_fill(mask, -torch.inf)\n"
         "weights = torch.softmax(masked, dim=-1)");
    tensor context_at_once = matmul(weights, values);
    STEP(context_at_once, "Z = W V", "context_at_once = weights @ values");

    // The difference between the two contexts. Mathematics says 0. Some numbers
    // may differ in their last digit, because each operation rounds and the two
    // orders differ. Plain softmax divides first and then mixes values. Tiles
    // mix first and divide once. Tiles also add up in another order: the next
    // step shows that.
    tensor difference = amax(absolute(subtract(context, context_at_once)));
    STEP(difference, "max |by tiles - at once|",
         "difference = (context - context_at_once).abs().max()");

    // The sums alone, added up at once. The numerators are the same as by
    // tiles, but PyTorch adds up each whole row in another order. Each addition
    // rounds, so again last digits may differ.
    tensor largest = amax_along(masked_scores, 1);
    tensor all_numerators = exponential(
        subtract(masked_scores, view(largest, largest.shape[0], 1)));
    tensor sum_at_once = sum(all_numerators, 1, false);
    STEP(sum_at_once, "l = Σ e^(S - m)",
         "largest = masked.amax(dim=-1, keepdim=True)\n"
         "sum_at_once = torch.exp(masked - largest).sum(dim=-1)");
    tensor difference_of_sums =
        amax(absolute(subtract(running_sum, sum_at_once)));
    STEP(difference_of_sums, "max |l by tiles - l at once|",
         "difference_of_sums = (running_sum - sum_at_once).abs().max()");
}

// Attention that never has a whole row of weights.
struct tensor attention_by_tiles(struct run *run, tensor q, tensor k,
                                 tensor v, tensor mask, int64_t size) {
    int64_t n = k.shape[0], d_k = k.shape[1];
    struct tensor l = number(run, 0), r = l, m = number(run, -INFINITY);
    for (int64_t i = 0; i < n; i += size) {
        int64_t count = n - i < size ? n - i : size;
        tensor keys = transpose(narrow(k, 0, i, count), 0, 1);
        tensor scaled = divide_by(matmul(q, keys), root(d_k));
        tensor hide = narrow(mask, 1, i, count), before = m;
        tensor scores = masked_fill(scaled, hide, -INFINITY);
        m = maximum(before, view(amax_along(scores, 1), n, 1));
        tensor rescale = exponential(subtract(before, m));
        tensor numerators = exponential(subtract(scores, m));
        l = add(multiply(l, rescale), sum(numerators, 1, true));
        tensor part = matmul(numerators, narrow(v, 0, i, count));
        r = add(multiply(r, rescale), part);
    }
    return divide(r, l); // context: [tokens, d_out]
}

LESSON(online_softmax) = {
    .name = "online_softmax",
    .part = PART_OF_TODAY,
    .title = "Online softmax",
    .summary =
        "Keys are read in tiles, a few at a time, and a maximum, a sum and a result are kept up to date: no whole row of weights is needed.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_TILE,
    .defaults = {.d_out = 2, .tile = 2},
    .teach = online_softmax,
    .source = &online_softmax_source,
};
