#include <math.h>

#include "gpt.h"
#include "variants.h"

static const double PI = 3.14159265358979323846;

// The cosines and sines of all angles of a sentence, [tokens, d_out] each.
struct table {
    struct tensor cosines, sines;
};

static struct table turn_tables(struct run *run, tensor frequencies,
                                int64_t first);
static struct tensor turn_halves(tensor x, const struct table *table);
static struct tensor turn_pairs(tensor x, const struct table *table);
static const char *const *every_second(tensor x, int64_t first);
static void compare_conventions(struct run *run, layer W_query, layer W_key,
                                const struct table *table);
static void compare_turns(struct run *run, tensor of_pairs);
static void read_longer_texts(struct run *run, tensor inverse_frequencies,
                              tensor angles);

static void rotary(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out, shift = run->parameters.shift;
    bool bias = run->parameters.bias;

    SECTION("Scores without positions");

    // The layers of queries, keys and values. So far a token's position was
    // added to its embedding, or was not used. Rotary positions (RoPE) do not
    // change the embeddings. They turn queries and keys by an angle that grows
    // with the position. Values stay as they are. Here there is one head, d_out
    // features wide.
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries and keys, and their scores. Nothing in a score says where its
    // two tokens stand. "journey" and "starts" get the same score next to each
    // other or far apart, so scores alone do not know the order of words.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor scores_without = matmul(queries, transpose(keys, 0, 1));
    STEP(scores_without, "Q Kᵀ, not turned",
         "scores_without = queries @ keys.T");

    SECTION("The angles");

    // How fast each pair turns. Two features make a pair, the coordinates
    // of a point in a plane. Pair i turns by θᵢ radians from one token to
    // the next. base is {base}, and d, the width, is {d_out}. The first
    // pair turns by 1 radian, so neighbours differ clearly. At the course's
    // parameters the last pair turns by only 0.01 radians, so even tokens
    // that are far apart have different angles. A larger --base slows all
    // pairs but the first.
    tensor pair_numbers = to_float(numbers_from_0(run, d_out / 2));
    tensor exponents =
        divide_by(multiply_by(pair_numbers, 2), (double)d_out);
    tensor powers = power(number(run, run->parameters.base), exponents);
    tensor inverse_frequencies =
        named(divide(number(run, 1), powers), "pair");
    STEP(inverse_frequencies,
         "θᵢ = 1 / base^(2 (i - 1) / d), i = 1, 2, ...",
         "exponents = torch.arange(0, d_out, 2).float() / d_out\n"
         "inverse_frequencies = 1 / base**exponents");

    // The angle of each pair at each position: position times θ. Positions
    // count from 0, so the first token is not turned at all. Both features of a
    // pair turn by one angle, so each angle stands here twice. With four
    // features, 1 and 3 are a pair, and 2 and 4 are another: a pair has one
    // feature of each half. This convention is called halves.
    tensor positions =
        view(to_float(numbers_from_0(run, tokens)), tokens, 1);
    tensor of_pairs = multiply(positions, inverse_frequencies);
    struct tensor twice[] = {of_pairs, of_pairs};
    tensor angles =
        label_rows(axes(cat(2, twice, 1), AXIS_POSITION, AXIS_FEATURE),
                   position_names(run, tokens));
    AT(3, 1);
    STEP(angles, "p · θ, once for each half",
         "positions = torch.arange(num_tokens).float().unsqueeze(1)\n"
         "of_pairs = positions * inverse_frequencies\n"
         "angles = torch.cat([of_pairs, of_pairs], dim=1)");
    tensor cosines = cosine(angles);
    AT(1, 0);
    STEP(cosines, "cos(angle)", "cosines = angles.cos()");
    tensor sines = sine(angles);
    AT(1, 0);
    STEP(sines, "sin(angle)", "sines = angles.sin()");

    // The first pair on a circle. The point (1, 0), turned by t, is (cos t,
    // sin t). Here it is turned by the first pair's angle at each position.
    // From one token to the next it goes 1 radian further, about 57 degrees.
    // All points lie on a circle around 0, because a turn changes no length.
    // After a little more than 6 tokens it has gone round. So this pair alone
    // mixes up distances: 44 tokens are 7 rounds, and look like 0.
    struct tensor sides[] = {select_index(cosines, 1, 0),
                             select_index(sines, 1, 0)};
    static const char *const side_names[] = {"cos", "sin"};
    tensor circle = label_columns(stack(2, sides, 1), side_names);
    PICTURE;
    STEP(circle, "(cos(p · θ₁), sin(p · θ₁))",
         "circle = torch.stack([cosines[:, 0], sines[:, 0]], dim=1)");

    SECTION("Turned queries and keys");

    // Every pair turned by its angle. A point (a, b), turned by t, is (a cos t
    // - b sin t, b cos t + a sin t). a comes from the first half and b from
    // the second. turn_halves adds two products. One is the row (a, b) times
    // the cosines. The other is (-b, a) times the sines. The first row stays
    // as it was: its angles are 0.
    struct table table = {cosines, sines};
    tensor queries_rotated = turn_halves(queries, &table);
    STEP(queries_rotated, "[a cos - b sin, b cos + a sin]",
         "def turn_halves(x, cosines, sines):\n"
         "    a, b = x.chunk(2, dim=1)\n"
         "    return x * cosines + torch.cat([-b, a], dim=1) * sines\n"
         "queries_rotated = turn_halves(queries, cosines, sines)");
    tensor keys_rotated = turn_halves(keys, &table);
    STEP(keys_rotated, "[a cos - b sin, b cos + a sin]",
         "keys_rotated = turn_halves(keys, cosines, sines)");

    // The lengths of the queries, before and after. A turn changes a direction,
    // not a length, so no query becomes stronger by its position. The last
    // digits may differ, because sines and cosines are rounded.
    tensor lengths_before =
        square_root(sum(multiply(queries, queries), -1, false));
    AT(0, 1);
    STEP(lengths_before, "√Σ q²",
         "lengths_before = (queries * queries).sum(dim=-1).sqrt()");
    tensor lengths_after = square_root(
        sum(multiply(queries_rotated, queries_rotated), -1, false));
    AT(0, 1);
    STEP(lengths_after, "√Σ q², q turned",
         "lengths_after = (queries_rotated * queries_rotated).sum(dim=-1).sqrt()");

    // Scores of turned queries and keys. A token's own query and key are
    // turned by the same angle. So the diagonal keeps the scores of
    // scores_without, but for rounding. Off the diagonal the two angles
    // differ, and the scores change.
    tensor scores = matmul(queries_rotated, transpose(keys_rotated, 0, 1));
    STEP(scores, "S = Q Kᵀ, turned",
         "scores = queries_rotated @ keys_rotated.T");

    SECTION("The distance alone");

    compare_turns(run, of_pairs);

    // The same tokens further on in a text have the same scores. Here all
    // positions are larger by {shift}; --shift sets this number. A query and a
    // key both turn by the same extra angle, so the angle between them stays.
    // So of the positions a score knows only the distance. The differences
    // that are left are rounding: sines of larger angles round differently.
    struct table later = turn_tables(run, inverse_frequencies, shift);
    tensor later_queries = turn_halves(queries, &later);
    tensor later_keys = turn_halves(keys, &later);
    tensor scores_later =
        matmul(later_queries, transpose(later_keys, 0, 1));
    STEP(scores_later, "Q Kᵀ, turned from position shift on",
         "later = (positions + shift) * inverse_frequencies\n"
         "later = torch.cat([later, later], dim=1)\n"
         "later_queries = turn_halves(queries, later.cos(), later.sin())\n"
         "later_keys = turn_halves(keys, later.cos(), later.sin())\n"
         "scores_later = later_queries @ later_keys.T");
    tensor difference = amax(absolute(subtract(scores, scores_later)));
    STEP(difference, "max |scores - scores_later|",
         "difference = (scores - scores_later).abs().max()");

    SECTION("Attention");

    // Weights from turned queries and keys. From here on the lesson is causal
    // attention: scores are masked, divided by the root of the width, and go
    // through the softmax.
    tensor future = axes(to_bool(triu(ones(run, tokens, tokens), 1)),
                         AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor weights = softmax(divide_by(masked_scores, root(d_out)), -1);
    STEP(weights, "W = softmax(masked S / √d_k)",
         "future = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(future, -torch.inf)\n"
         "weights = torch.softmax(masked_scores / d_out**0.5, dim=-1)");

    // Values and context. Values are not turned. Positions decide how much a
    // token gives, not what it gives. A turned value would mean something else
    // at each position.
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");
    tensor context = matmul(weights, values);
    STEP(context, "Z = W V", "context = weights @ values");

    compare_conventions(run, W_query, W_key, &table);
    read_longer_texts(run, inverse_frequencies, angles);
}

// The matrix that turns a pair by t.
static struct tensor turn_by(tensor t) {
    tensor c = cosine(t), s = sine(t);
    struct tensor numbers[] = {c, negative(s), s, c};
    return named(view(stack(4, numbers, 0), 2, 2), "to", "from");
}

static void compare_turns(struct run *run, tensor of_pairs) {
    int64_t m = run->inputs.shape[0] - 1, n = m / 2;
    tensor first_pair = select_index(of_pairs, 1, 0);

    // Two turns, and the turn by their difference. R(t) is the matrix that
    // turns the first pair by t. A score is (R(m) q) · (R(n) k), which is qᵀ
    // R(m)ᵀ R(n) k: m is the query's angle, n is the key's. Here the query is
    // the last token, the key is one in the middle. R(m)ᵀ R(n) turns back by m
    // and forward by n, so only the difference is left: R(m)ᵀ R(n) = R(n - m).
    // A score depends on the positions only through n - m.
    tensor turn_of_query = turn_by(select_index(first_pair, 0, m));
    STEP(turn_of_query, "R(m)",
         "def turn_by(t):\n"
         "    c, s = t.cos(), t.sin()\n"
         "    return torch.stack([c, -s, s, c]).reshape(2, 2)\n"
         "m, n = of_pairs[-1, 0], of_pairs[(num_tokens - 1) // 2, 0]\n"
         "turn_of_query = turn_by(m)");
    tensor turn_of_key = turn_by(select_index(first_pair, 0, n));
    STEP(turn_of_key, "R(n)", "turn_of_key = turn_by(n)");
    tensor product =
        named(matmul(transpose(turn_of_query, 0, 1), turn_of_key), "to",
              "from");
    STEP(product, "R(m)ᵀ R(n)", "product = turn_of_query.T @ turn_of_key");
    tensor turn_between = turn_by(subtract(select_index(first_pair, 0, n),
                                           select_index(first_pair, 0, m)));
    BESIDE("product");
    STEP(turn_between, "R(n - m)", "turn_between = turn_by(n - m)");
}

static struct table turn_tables(struct run *run, tensor frequencies,
                                int64_t first) {
    int64_t tokens = run->inputs.shape[0];
    tensor from_0 = to_float(numbers_from_0(run, tokens));
    tensor positions = add(from_0, number(run, (double)first));
    tensor of_pairs = multiply(view(positions, tokens, 1), frequencies);
    struct tensor twice[] = {of_pairs, of_pairs};
    tensor angles = axes(cat(2, twice, 1), AXIS_POSITION, AXIS_FEATURE);
    return (struct table){cosine(angles), sine(angles)};
}

// Feature i and feature i + d / 2 are a pair.
static struct tensor turn_halves(tensor x, const struct table *table) {
    int64_t half = x.shape[1] / 2;
    tensor a = narrow(x, 1, 0, half), b = narrow(x, 1, half, half);
    struct tensor crossed[] = {negative(b), a};
    return add(multiply(x, table->cosines),
               multiply(cat(2, crossed, 1), table->sines));
}

// "1", "3", "5", ... or "2", "4", "6", ...: names of features that a slice leaves.
static const char *const *every_second(tensor x, int64_t first) {
    int64_t half = x.shape[1] / 2;
    struct arena *memory = x.storage->arena;
    const char **names = arena_array(memory, (size_t)half, sizeof *names);
    for (int64_t i = 0; i < half; i++)
        names[i] = arena_format(memory, "%lld", (long long)(first + 2 * i));
    return names;
}

// Features 1 and 2 are a pair, 3 and 4, ...
static struct tensor turn_pairs(tensor x, const struct table *table) {
    int64_t tokens = x.shape[0], d = x.shape[1], half = d / 2;
    tensor a = label_columns(slice(x, 1, 0, 2), every_second(x, 1));
    tensor b = label_columns(slice(x, 1, 1, 2), every_second(x, 2));
    tensor c = narrow(table->cosines, 1, 0, half);
    tensor s = narrow(table->sines, 1, 0, half);
    struct tensor turned[] = {subtract(multiply(a, c), multiply(b, s)),
                              add(multiply(b, c), multiply(a, s))};
    return label_columns(view(stack(2, turned, 2), tokens, d), NULL);
}

// The features in the order 1, 3, 5, ..., 2, 4, 6, ...: what was a pair side by side
// becomes a pair of halves.
static struct layer reorder(layer W) {
    struct tensor rows[] = {slice(W.weight, 0, 0, 2),
                            slice(W.weight, 0, 1, 2)};
    struct layer reordered = {cat(2, rows, 0), NO_TENSOR};
    if (!is_tensor(&W.bias)) return reordered;
    struct tensor numbers[] = {slice(W.bias, 0, 0, 2),
                               slice(W.bias, 0, 1, 2)};
    reordered.bias = cat(2, numbers, 0);
    return reordered;
}

static void compare_conventions(struct run *run, layer W_query, layer W_key,
                                const struct table *table) {
    SECTION("Halves or pairs");

    // The other convention: neighbours are a pair, feature 1 with 2, and so
    // on. The paper on rotary positions and Meta's Llama use pairs of
    // neighbours: a is the first of a pair, b the second. HuggingFace's
    // Llama and the course use halves. The angles are the same. The first
    // row is turned in neither convention. With more than two features, all
    // other rows of the queries differ between the two, and so do those of
    // the keys.
    GROUP("pairs");
    tensor queries = apply(W_query, run->inputs);
    tensor queries_rotated =
        axes(turn_pairs(queries, table), AXIS_QUERY, AXIS_FEATURE);
    AT(1, 0);
    STEP(queries_rotated, "[a cos - b sin, b cos + a sin], ...",
         "half = d_out // 2\n"
         "def turn_pairs(x):\n"
         "    a, b = x[:, 0::2], x[:, 1::2]\n"
         "    c, s = cosines[:, :half], sines[:, :half]\n"
         "    return torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(1)\n"
         "queries_rotated = turn_pairs(W_query(inputs))");
    tensor keys = apply(W_key, run->inputs);
    tensor keys_rotated =
        axes(turn_pairs(keys, table), AXIS_KEY, AXIS_FEATURE);
    AT(1, 0);
    STEP(keys_rotated, "[a cos - b sin, b cos + a sin], ...",
         "keys_rotated = turn_pairs(W_key(inputs))");

    // Scores of this convention. Neither convention is wrong, but with more
    // than two features the same layers give other scores. So layers that were
    // trained with one convention give wrong scores in a program with the
    // other. No shape differs and no error is raised.
    tensor scores = matmul(queries_rotated, transpose(keys_rotated, 0, 1));
    STEP(scores, "S = Q Kᵀ, turned in pairs",
         "scores = queries_rotated @ keys_rotated.T");

    // How layers are converted from one convention to the other. The rows of
    // the layers of queries and keys are put in another order: first 1, 3, ...,
    // then 2, 4, ... Neighbours, such as 1 and 2, are half a width apart then.
    // With these layers, halves give the scores of pairs. The differences that
    // are left are rounding: each score adds up the same products in another
    // order.
    layer query_layer = reorder(W_query), key_layer = reorder(W_key);
    tensor W_query_reordered = query_layer.weight;
    STEP(W_query_reordered, "rows 1, 3, ..., 2, 4, ... of W_q",
         "W_query_reordered = torch.cat([W_query.weight[0::2], W_query.weight[1::2]])");
    tensor reordered_queries =
        turn_halves(apply(query_layer, run->inputs), table);
    tensor reordered_keys =
        turn_halves(apply(key_layer, run->inputs), table);
    tensor scores_reordered =
        matmul(reordered_queries, transpose(reordered_keys, 0, 1));
    tensor difference = amax(absolute(subtract(scores, scores_reordered)));
    STEP(difference, "max |pairs - halves of reordered layers|",
         "order = [*range(0, d_out, 2), *range(1, d_out, 2)]\n"
         "q, k = W_query(inputs)[:, order], W_key(inputs)[:, order]\n"
         "q, k = turn_halves(q, cosines, sines), turn_halves(k, cosines, sines)\n"
         "difference = (scores - q @ k.T).abs().max()");

    END_GROUP;
}

static void read_longer_texts(struct run *run, tensor inverse_frequencies,
                              tensor angles) {
    SECTION("Longer texts");

    // A larger base. Here a head is 8 features wide, so it has four pairs.
    // The paper on rotary positions (2021) and Llama 2 (2023) have base
    // 10,000. Llama 3 (2024) has 500,000 and reads 8,192 tokens. turns is
    // how often each pair turns round in them. With 500,000 the last pair
    // does not turn round once, so each of the 8,192 positions has an angle
    // of its own.
    static const char *const bases[] = {"10,000", "500,000"};
    tensor exponents =
        divide_by(multiply_by(to_float(numbers_from_0(run, 4)), 2), 8);
    struct tensor powers[] = {power(number(run, 10000), exponents),
                              power(number(run, 500000), exponents)};
    tensor of_bases =
        label_rows(named(divide(number(run, 1), stack(2, powers, 0)),
                         "base", "pair"),
                   bases);
    STEP(of_bases, "θᵢ = 1 / base^(2 (i - 1) / 8)",
         "exponents = torch.arange(0, 8, 2).float() / 8\n"
         "powers = torch.stack([10000**exponents, 500000**exponents])\n"
         "of_bases = 1 / powers");
    tensor turns = divide_by(multiply_by(of_bases, 8192), 2 * PI);
    AT(1, 3);
    STEP(turns, "8192 · θ / 2π",
         "turns = of_bases * 8192 / (2 * torch.pi)");

    // Positions divided by a factor, here by 4. This is position
    // interpolation (2023). A model that has learned the positions up to
    // 2,048 then reads 8,192 tokens, and meets no angle that is larger than
    // those that it knows. It has to learn a little further: all pairs turn
    // more slowly, also the first, which tells neighbours apart.
    int64_t tokens = angles.shape[0];
    tensor positions =
        view(to_float(numbers_from_0(run, tokens)), tokens, 1);
    tensor divided = multiply(divide_by(positions, 4), inverse_frequencies);
    struct tensor twice[] = {divided, divided};
    tensor angles_interpolated =
        label_rows(axes(cat(2, twice, 1), AXIS_POSITION, AXIS_FEATURE),
                   position_names(run, tokens));
    BESIDE("angles");
    STEP(angles_interpolated, "(p / 4) · θ",
         "divided = positions / 4 * inverse_frequencies\n"
         "angles_interpolated = torch.cat([divided, divided], dim=1)");

    // Llama 3.1 (2024) slows down only the slow pairs. Llama 3 was trained
    // on texts of 8,192 tokens. A pair that turns round 4 times or more in
    // them keeps its speed. One with 1 turn or less becomes 8 times as slow.
    // Between the two the speed is a mix. So the fast pairs tell neighbours
    // apart as before, and the slow pairs reach further: Llama 3.1 reads
    // 131,072 tokens.
    tensor share =
        divide_by(subtract(select_index(turns, 0, 1), number(run, 1)), 3);
    tensor at_most_1 = masked_fill(share, less(number(run, 1), share), 1);
    tensor kept = masked_fill(at_most_1, less(share, number(run, 0)), 0);
    STEP(kept, "(turns - 1) / 3, within 0 ... 1",
         "share = (turns[1] - 1) / 3\n"
         "kept = share.masked_fill(share > 1, 1).masked_fill(share < 0, 0)");
    tensor speed = add(kept, divide_by(subtract(number(run, 1), kept), 8));
    STEP(speed, "kept + (1 - kept) / 8", "speed = kept + (1 - kept) / 8");
}

// Queries and keys turn with their positions: pair i by theta[i] a token.
struct tensor rotary_attention(struct run *run, tensor x, layer W_query,
                               layer W_key, layer W_value, tensor theta) {
    int64_t tokens = x.shape[0], half = theta.shape[0];
    tensor places = view(to_float(numbers_from_0(run, tokens)), tokens, 1);
    tensor angles = repeat(multiply(places, theta), 2, 1);
    struct tensor y[] = {apply(W_query, x), apply(W_key, x)};
    for (int i = 0; i < 2; i++) {
        tensor b = narrow(y[i], 1, half, half);
        struct tensor crossed[] = {negative(b), narrow(y[i], 1, 0, half)};
        tensor moved = multiply(cat(2, crossed, 1), sine(angles));
        y[i] = add(multiply(y[i], cosine(angles)), moved);
    }
    tensor scores = matmul(y[0], transpose(y[1], 0, 1));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(2 * half));
    return matmul(softmax(scaled, -1), apply(W_value, x));
}

LESSON(rotary) = {
    .name = "rotary",
    .part = PART_OF_TODAY,
    .title = "Rotary positions",
    .summary =
        "Queries and keys are turned by their positions, so of the positions a score knows only the distance.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS | USES_BASE |
            USES_SHIFT,
    .defaults = {.d_out = 4, .base = 10000, .shift = 5},
    .teach = rotary,
    .source = &rotary_source,
};
