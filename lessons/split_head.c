#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

// An aside: numbers that say where view and transpose take them. Returns them
// split into heads.
static struct tensor split_places(struct run *run) {
    static const float word_head_number[] = {111, 112, 121, 122, 211, 212,
                                             221, 222, 311, 312, 321, 322};

    // Numbers that name their own place: 312 is word 3, head 1, 2nd number.
    // view and transpose collect the numbers of one head from all words. The
    // mistake, view alone, gives head 1 the numbers 121 and 122, which belong
    // to head 2. (The course's heads are one number wide, which hides what
    // moves; these are two wide.)
    tensor places =
        axes(view(numbers_of(run, 12, word_head_number), 1, 3, 4),
             AXIS_BATCH, AXIS_WORD, AXIS_FEATURE);
    STEP(places, "word, head, number",
         "places = torch.tensor([[[111., 112, 121, 122],\n"
         "                        [211, 212, 221, 222],\n"
         "                        [311, 312, 321, 322]]])");
    tensor places_viewed = axes(view(places, 1, 3, 2, 2), AXIS_BATCH,
                                AXIS_WORD, AXIS_HEAD, AXIS_HEAD_DIM);
    tensor places_by_head = transpose(places_viewed, 1, 2);
    STEP(places_by_head, "view, then transpose",
         "places_by_head = places.view(1, 3, 2, 2).transpose(1, 2)");
    tensor places_cut = axes(view(places, 1, 2, 3, 2), AXIS_BATCH,
                             AXIS_HEAD, AXIS_WORD, AXIS_HEAD_DIM);
    tensor places_scrambled = name_axis(places_cut, 2, "row");
    STEP(places_scrambled, "view alone",
         "places_scrambled = places.view(1, 2, 3, 2)");

    return places_by_head;
}

// The same numbers, merged again.
static void merge_places(struct run *run, tensor places_by_head) {

    // The places, merged again. 312 is word 3, head 1, 2nd number.
    // places_in_heads looks like places_by_head; new is the order in
    // memory: head by head, as a matrix product leaves its result.
    // transpose, contiguous and view make a row of each word: 111 112 121
    // 122, as before the split. Without the transpose the first row would
    // be 111 112 211 212: numbers of head 1 alone, from two words.
    tensor places_in_heads = contiguous(places_by_head);
    AT(0, 1, 0);
    STEP(places_in_heads, "head by head in memory",
         "places_in_heads = places_by_head.contiguous()");
    tensor places_turned = contiguous(transpose(places_in_heads, 1, 2));
    tensor places_merged = axes(view(places_turned, 1, 3, 4), AXIS_BATCH,
                                AXIS_WORD, AXIS_FEATURE);
    AT(0, 0, 2);
    STEP(places_merged, "transpose, contiguous, view",
         "places_merged = places_in_heads.transpose(1, 2).contiguous().view(1, 3, 4)");
}

// An aside: products in four dimensions.
static void multiply_example(struct run *run) {
    static const float two_heads[] = {0.2745F, 0.6584F, 0.2775F, 0.8573F,
                                      0.8993F, 0.0390F, 0.9268F, 0.7388F,
                                      0.7179F, 0.7058F, 0.9156F, 0.4340F,
                                      0.0772F, 0.3565F, 0.1479F, 0.5331F,
                                      0.4066F, 0.2318F, 0.4545F, 0.9737F,
                                      0.4606F, 0.5159F, 0.4220F, 0.5786F};

    // An example: each head alone, [tokens, features] times [features,
    // tokens]. The chapter's notebook shows products in four dimensions on
    // these numbers: 1 sentence, 2 heads, 3 tokens, 4 numbers each.
    // transpose(2, 3) swaps dimensions 2 and 3, counted from 0: the last
    // two. So it transposes every matrix and leaves batch and head in
    // front; a.T would reverse all four dimensions. The first matrix is
    // head 1 times its own transpose; head 2 plays no part in it.
    tensor a = axes(view(numbers_of(run, 24, two_heads), 1, 2, 3, 4),
                    AXIS_BATCH, AXIS_HEAD, AXIS_TOKEN, AXIS_FEATURE);
    STEP(a, "a[b, h, t, d]",
         "a = torch.tensor([[[[0.2745, 0.6584, 0.2775, 0.8573],\n"
         "                    [0.8993, 0.0390, 0.9268, 0.7388],\n"
         "                    [0.7179, 0.7058, 0.9156, 0.4340]],\n"
         "                   [[0.0772, 0.3565, 0.1479, 0.5331],\n"
         "                    [0.4066, 0.2318, 0.4545, 0.9737],\n"
         "                    [0.4606, 0.5159, 0.4220, 0.5786]]]])");
    tensor a_products = axes(matmul(a, transpose(a, 2, 3)), AXIS_BATCH,
                             AXIS_HEAD, AXIS_QUERY, AXIS_KEY);
    STEP(a_products, "A Aᵀ, for each head",
         "a_products = a @ a.transpose(2, 3)");
}

// The context of each head, (batch, head, token, head_dim), as (batch, token,
// d_out).
static struct tensor put_together(struct run *run, tensor context_by_head) {
    int64_t sentences = context_by_head.shape[0];
    int64_t heads = context_by_head.shape[1];
    int64_t tokens = context_by_head.shape[2];
    int64_t head_dim = context_by_head.shape[3], d_out = heads * head_dim;

    SECTION("Putting the heads together");

    // transpose puts the tokens before the heads again. To merge heads and
    // head_dim into one dimension, view needs one stride for both.
    // transpose changes only the order in which numbers are counted: in
    // memory all tokens of head 1 still come first, then all of the next
    // head. With several heads wider than 1 PyTorch says: "view size is
    // not compatible with input tensor's size and stride". At the course's
    // parameters head_dim is 1, and view would work by luck.
    tensor context_transposed = transpose(context_by_head, 1, 2);
    STEP(context_transposed, "transposed[b, t, h, d] = Z[b, h, t, d]",
         "context_transposed = context_by_head.transpose(1, 2)");
    tensor first_sentence = select_index(context_by_head, 0, 0);
    tensor in_memory =
        named(view(first_sentence, heads * tokens * head_dim), "place");
    STEP(in_memory, "head by head, token by token",
         "in_memory = context_by_head[0].flatten()");

    // contiguous() copies the numbers, and view merges heads and head_dim.
    // The copy has the same shape and values; its strides are new. In
    // memory the first token's numbers come first now, one head after the
    // other: the row that view needs. (With one head nothing is copied.)
    // Each row of context has one token's context from all heads, as from
    // torch.cat in the wrapper. (reshape would copy without saying so.)
    tensor context_contiguous = contiguous(context_transposed);
    AT(0, 1, 0);
    STEP(context_contiguous, "Z[b, t, h, d], copied",
         "context_contiguous = context_transposed.contiguous()");
    tensor first_copied = select_index(context_contiguous, 0, 0);
    tensor in_memory_now =
        named(view(contiguous(first_copied), tokens * d_out), "place");
    STEP(in_memory_now, "token by token, head by head",
         "in_memory_now = context_contiguous[0].flatten()");
    tensor context =
        axes(view(context_contiguous, sentences, tokens, d_out), AXIS_BATCH,
             AXIS_QUERY, AXIS_FEATURE);
    STEP(context, "[Z₁, Z₂, ...]",
         "context = context_contiguous.view(batch_size, num_tokens, d_out)");

    return context;
}

// One head's part of a layer applied: its rows of the weight, its numbers of the bias.
static struct tensor apply_part(layer W, int64_t head, int64_t head_dim,
                                tensor x) {
    int64_t first = head * head_dim;
    tensor weight = narrow(W.weight, 0, first, head_dim);
    tensor bias =
        is_tensor(&W.bias) ? narrow(W.bias, 0, first, head_dim) : NO_TENSOR;
    return apply((struct layer){weight, bias}, x);
}

static void compare_with_wrapper(struct run *run, const struct head *layers,
                                 tensor batch, tensor mask, tensor weights,
                                 tensor values_by_head) {
    layer W_query = layers->W_query, W_key = layers->W_key;
    layer W_value = layers->W_value;
    int64_t sentences = weights.shape[0], heads = weights.shape[1];
    int64_t tokens = weights.shape[2], head_dim = values_by_head.shape[3];
    int64_t d_out = heads * head_dim;

    SECTION("The wrapper class gives the same");

    // The wrapper class with slices of these weights gives the same. Head
    // h gets those rows of each weight that belong to head h, and works
    // alone. At the course's parameters both add the same products in the same
    // order, so the largest difference is 0. The classes differ in speed, in
    // the order in which they draw, and in the output projection.
    struct tensor *contexts =
        arena_array(run->memory, (size_t)heads, sizeof *contexts);
    for (int h = 0; h < heads; h++) {
        tensor Q = apply_part(W_query, h, head_dim, batch);
        tensor K = apply_part(W_key, h, head_dim, batch);
        tensor V = apply_part(W_value, h, head_dim, batch);
        tensor S =
            masked_fill(matmul(Q, transpose(K, 1, 2)), mask, -INFINITY);
        contexts[h] = matmul(softmax(divide_by(S, root(head_dim)), -1), V);
    }
    tensor wrapper_context = rows(cat(heads, contexts, -1), AXIS_TOKEN);
    STEP(wrapper_context, "[Z₁, Z₂, ...] from slices of W",
         "def head(h):\n"
         "    part = slice(h * head_dim, (h + 1) * head_dim)\n"
         "    def project(layer):\n"
         "        bias = layer.bias[part] if qkv_bias else None\n"
         "        return torch.nn.functional.linear(batch, layer.weight[part], bias)\n"
         "    q, k, v = project(W_query), project(W_key), project(W_value)\n"
         "    s = (q @ k.transpose(1, 2)).masked_fill(mask, -torch.inf)\n"
         "    return torch.softmax(s / head_dim**0.5, dim=-1) @ v\n"
         "wrapper_context = torch.cat([head(h) for h in range(num_heads)], dim=-1)");
    tensor undropped = transpose(matmul(weights, values_by_head), 1, 2);
    tensor split_context =
        view(contiguous(undropped), sentences, tokens, d_out);
    tensor difference =
        amax(absolute(subtract(split_context, wrapper_context)));
    STEP(difference, "max |split - wrapper|",
         "undropped = (weights @ values_by_head).transpose(1, 2).contiguous()\n"
         "split_context = undropped.view(batch_size, num_tokens, d_out)\n"
         "difference = (split_context - wrapper_context).abs().max()");
}

static void split_head(struct run *run) {
    int64_t tokens = run->inputs.shape[0], d_in = run->inputs.shape[1];
    int64_t sentences = run->batch_size, heads = run->parameters.heads;
    int64_t d_out = run->parameters.d_out, head_dim = d_out / heads;
    int64_t context_length = run->parameters.context_length;
    double p = run->parameters.dropout;
    bool bias = run->parameters.bias;

    SECTION("The input");

    // A batch of sentences, as in the wrapper. At the course's parameters it is
    // the same sentence twice: [batch, tokens, d_in]. GPT models use the class
    // of this lesson; only the sizes are tiny here.
    tensor batch = axes(stack(sentences, run->sentences, 0), AXIS_BATCH,
                        AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch, "X, one matrix a sentence",
         "batch = torch.stack({sentences}, dim=0)");

    SECTION("One set of layers for all heads");

    // One query, one key and one value layer serve all heads. d_out is the
    // width of all heads together; at the course's parameters d_out 2 with
    // 2 heads means heads of width 1. The first rows of a weight belong to
    // head 1, the next ones to the next head. One large product is faster
    // than several small ones: that is the reason for this class. The
    // output projection, drawn last, mixes what the heads found. It always
    // has a bias.
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_out, ROLE_OUTPUT, d_out, d_out, true, "W_o",
          "out_proj = torch.nn.Linear(d_out, d_out)");

    SECTION("Queries, keys and values of all heads");

    // Queries, keys and values of all heads, each in one product. A row of the
    // queries holds the queries of all heads side by side: head_dim numbers of
    // head 1, then those of the next head, and so on. No dimension separates
    // the heads yet. All three results have the same shape, [batch, tokens,
    // d_out].
    tensor queries = apply(W_query, batch);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(batch)");
    tensor keys = apply(W_key, batch);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(batch)");
    tensor values = apply(W_value, batch);
    STEP(values, "V = X W_vᵀ", "values = W_value(batch)");

    SECTION("Splitting into heads");

    // view cuts each row into heads. The last dimension, d_out, becomes
    // two: heads and head_dim. No number moves in memory; only the shape
    // and the strides change, at the course's parameters from (12, 2, 1) to
    // (12, 2, 1, 1). A stride is the number of places from one element to
    // the next along a dimension. Each token now has a small matrix with
    // one row for each head.
    tensor queries_viewed =
        axes(view(queries, sentences, tokens, heads, head_dim), AXIS_BATCH,
             AXIS_QUERY, AXIS_HEAD, AXIS_HEAD_DIM);
    STEP(queries_viewed, "Q[b, t, h] = part h of Q[b, t]",
         "head_dim = d_out // num_heads\n"
         "queries_viewed = queries.view(batch_size, num_tokens, num_heads, head_dim)");

    // transpose puts the heads in front; view alone would scramble them. Each
    // head's queries now form a matrix [tokens, head_dim]. No number moves: two
    // dimensions swap their sizes and strides. A common mistake is view(b, h,
    // t, d) without a transpose. It gives the same shape and no error, but it
    // cuts the numbers in the order in which they are stored. So what it calls
    // head 1 is made of all heads of the first tokens.
    tensor queries_by_head = transpose(queries_viewed, 1, 2);
    STEP(queries_by_head, "by_head[b, h, t, d] = viewed[b, t, h, d]",
         "queries_by_head = queries_viewed.transpose(1, 2)");
    tensor cut = axes(view(queries, sentences, heads, tokens, head_dim),
                      AXIS_BATCH, AXIS_HEAD, AXIS_QUERY, AXIS_HEAD_DIM);
    tensor queries_scrambled = name_axis(cut, 2, "row");
    STEP(queries_scrambled, "not by_head[b, h, t, d]",
         "queries_scrambled = queries.view(batch_size, num_heads, num_tokens, head_dim)");

    tensor places_by_head = split_places(run);

    // Keys and values, split in the same way. view comes first, because it
    // must follow the order in memory: token by token, and within a token head
    // by head. Then transpose. All three are cut in the same way, so the
    // queries, keys and values of one head stay together.
    tensor keys_viewed =
        axes(view(keys, sentences, tokens, heads, head_dim), AXIS_BATCH,
             AXIS_KEY, AXIS_HEAD, AXIS_HEAD_DIM);
    tensor keys_by_head = transpose(keys_viewed, 1, 2);
    STEP(keys_by_head, "K[b, h, t] = part h of K[b, t]",
         "keys_viewed = keys.view(batch_size, num_tokens, num_heads, head_dim)\n"
         "keys_by_head = keys_viewed.transpose(1, 2)");
    tensor values_viewed =
        axes(view(values, sentences, tokens, heads, head_dim), AXIS_BATCH,
             AXIS_TOKEN, AXIS_HEAD, AXIS_HEAD_DIM);
    tensor values_by_head = transpose(values_viewed, 1, 2);
    STEP(values_by_head, "V[b, h, t] = part h of V[b, t]",
         "values_viewed = values.view(batch_size, num_tokens, num_heads, head_dim)\n"
         "values_by_head = values_viewed.transpose(1, 2)");

    SECTION("Attention in every head");

    multiply_example(run);

    // Scores of every head in one call. @ multiplies matrices in the last
    // two dimensions, and repeats this for all dimensions in front, here
    // batch and head. Python counts dimensions from 0, so transpose(2, 3)
    // swaps the last two. At the course's parameters a head is one number
    // wide, so each score is a single product.
    tensor scores = matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    STEP(scores, "S = Q Kᵀ, for each sentence and head",
         "scores = queries_by_head @ keys_by_head.transpose(2, 3)");

    // The mask kept by the class, sliced to this sentence. The class made
    // it once as a buffer, context_length by context_length. It has no
    // batch and no head dimension: one mask serves them all.
    tensor above = triu(ones(run, context_length, context_length), 1);
    tensor mask_buffer = axes(to_bool(above), AXIS_QUERY, AXIS_KEY);
    tensor mask = narrow(narrow(mask_buffer, 0, 0, tokens), 1, 0, tokens);
    STEP(mask, "M[i,j] = (j > i)",
         "above = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
         "mask_buffer = above.bool()\n"
         "mask = mask_buffer[:num_tokens, :num_tokens]");

    // Hide the future in every head. The mask is [tokens, tokens], the
    // scores are [batch, heads, tokens, tokens]. The mask is broadcast:
    // PyTorch applies it to each of the matrices without copying it.
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "masked_scores = scores.masked_fill(mask, -torch.inf)");

    // Weights of every head. The scores are divided by the root of head_dim,
    // not of d_out, because d_k is the width of one head's keys. At the
    // course's parameters head_dim is 1 and √1 is 1, so nobody notices if the
    // division is forgotten.
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "W = softmax(masked S / √head_dim)",
         "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)");

    // Dropout, if it is on, and each head's context vectors. At the course's
    // parameters p is 0, so nothing changes. If p is above 0, one call draws
    // the mask of all sentences and heads, in the order of memory. The same
    // seed gives the wrapper other masks, because it draws in another order.
    // Each head mixes its own values with its own weights.
    tensor dropped = dropout(run, weights, p);
    STEP(dropped, "W · keep / (1 - p)",
         "dropped = torch.nn.functional.dropout(weights, p, training)");
    tensor context_by_head = matmul(dropped, values_by_head);
    STEP(context_by_head, "Z = W V, for each sentence and head",
         "context_by_head = dropped @ values_by_head");

    tensor context = put_together(run, context_by_head);
    merge_places(run, places_by_head);

    // The output projection mixes the heads. Each number of the output can
    // depend on every head; before this step, each number depended on one head
    // only. This is the result of the class.
    tensor output = apply(W_out, context);
    STEP(output, "Y = Z W_oᵀ + b_o", "output = out_proj(context)");

    struct head layers = {W_query, W_key, W_value};
    compare_with_wrapper(run, &layers, batch, mask, weights,
                         values_by_head);
}

// Each layer serves all heads.
struct tensor multi_head_attention(struct run *run, tensor batch,
                                   layer W_query, layer W_key,
                                   layer W_value, layer W_out,
                                   int64_t heads, double p) {
    tensor queries = split_heads(apply(W_query, batch), heads);
    tensor keys = split_heads(apply(W_key, batch), heads);
    tensor values = split_heads(apply(W_value, batch), heads);
    tensor scores = matmul(queries, transpose(keys, 2, 3));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[3]));
    tensor weights = softmax(scaled, -1); // [batch, heads, tokens, tokens]
    tensor dropped = dropout(run, weights, p);
    tensor context = merge_heads(matmul(dropped, values));
    return apply(W_out, context); // [batch, tokens, d_out]
}

LESSON(split_head) = {
    .name = "split_head",
    .part = PART_OF_COURSE,
    .title = "Multi-head attention with split heads",
    .summary =
        "One set of layers for all heads: view, transpose, attend, transpose back, contiguous, view, project.",
    .book =
        "section 3.6.2, Implementing multi-head attention with weight splits",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS |
            USES_DROPOUT | USES_BERNOULLI | USES_BIAS |
            USES_CONTEXT_LENGTH | USES_BATCH | USES_EVAL,
    .splits_heads = true,
    .defaults = {.d_out = 2, .heads = 2, .batch = 2},
    .teach = split_head,
    .source = &split_head_source,
};
