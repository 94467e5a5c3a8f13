#include <math.h>

#include "trace/lesson.h"
#include "variants.h"

static void causal(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Weights that still see everything");

    // The layers of queries, keys and values, drawn as before. They are those
    // of the lesson before: a causal mask changes only the attention weights.
    // A causal model must not look ahead. To predict the next word it may use
    // the words so far, but none after them. This lesson hides the later words
    // in two ways and shows that both give the same weights.
    reseed(run, 789);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_key, ROLE_KEYS, d_in, d_out, bias, "W_k",
          "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
    LAYER(W_value, ROLE_VALUES, d_in, d_out, bias, "W_v",
          "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");

    // Queries, keys and values, as before. The mask comes later. It says
    // for each query which keys it may see. The keys and values of all
    // tokens are computed before that, so the mask saves no time.
    tensor queries = apply(W_query, inputs);
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = apply(W_key, inputs);
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = apply(W_value, inputs);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // Scores of every query against every key, as before. In row i, the keys
    // after token i are its future: they stand to the right of the diagonal.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Weights without a mask, scaled and normalized in one line. Every row
    // distributes its weight over all tokens, so the first word already
    // attends to the last. The mask will prevent that.
    tensor weights = softmax(divide_by(scores, root(keys.shape[1])), -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");

    SECTION("First way: zeros after the softmax");

    // A mask of ones and zeros. It is 1 where query i may see key j, that is
    // where j ≤ i. tril keeps the lower triangle with the diagonal. The
    // diagonal stays, because every token may see itself; without it the first
    // token would see nothing.
    tensor mask_tril =
        axes(tril(ones(run, tokens, tokens), 0), AXIS_QUERY, AXIS_KEY);
    STEP(mask_tril, "M[i,j] = 1 if j ≤ i, else 0",
         "mask_tril = torch.tril(torch.ones(num_tokens, num_tokens))");

    // Multiply the weights by the mask. The weights of the future are now 0.
    // Only the last row, which has no future, still adds up to 1: in the other
    // rows, those weights are missing.
    tensor masked_weights = multiply(weights, mask_tril);
    STEP(masked_weights, "W · M, element by element",
         "masked_weights = weights * mask_tril");

    // The sum of what is left in each row. The first row has kept only one
    // weight, the last row all of them. keepdim keeps the sums as a column:
    // one sum for each row. The next step divides each row by its own sum.
    tensor row_sums = sum(masked_weights, -1, true);
    STEP(row_sums, "rᵢ = Σⱼ (W · M)[i,j]",
         "row_sums = masked_weights.sum(dim=-1, keepdim=True)");

    // Divide each row by its sum. The rows add up to 1 again, and the future
    // has no weight. It has no effect on the other weights either. The softmax
    // divided by a sum over all tokens, but that sum was one number for the
    // whole row, and this division cancels it.
    tensor renormalized = divide(masked_weights, row_sums);
    STEP(renormalized, "(W · M)[i,j] / rᵢ",
         "renormalized = masked_weights / row_sums");

    SECTION("Second way: -∞ before the softmax");

    // Now mark what to hide. triu with diagonal=1 keeps what lies above the
    // diagonal: 1 where key j comes after query i. It is 1 exactly where the
    // first mask is 0.
    tensor mask_triu =
        axes(triu(ones(run, tokens, tokens), 1), AXIS_QUERY, AXIS_KEY);
    STEP(mask_triu, "M[i,j] = 1 if j > i, else 0",
         "mask_triu = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)");

    // The same mask as True and False. masked_fill needs booleans, and True
    // means "fill this cell", that is "hide it". PyTorch's
    // scaled_dot_product_attention uses True for the opposite, "may be seen".
    tensor mask_bool = to_bool(mask_triu);
    STEP(mask_bool, "M[i,j] = (j > i)", "mask_bool = mask_triu.bool()");

    // Hide the future. A score of -∞ becomes e^-∞ = 0 in the softmax. A score
    // of 0 would hide nothing: e^0 is 1, so the token would still get a
    // weight. The softmax divides by the sum of what remains, so the rows add
    // up to 1 at once.
    tensor masked_scores = masked_fill(scores, mask_bool, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "masked_scores = scores.masked_fill(mask_bool, -torch.inf)");

    // Divide by √d_k. -∞ divided by a positive number is still -∞, so scaling
    // before the mask would give the same.
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    STEP(scaled, "masked S / √d_k",
         "scaled = masked_scores / keys.shape[-1]**0.5");

    // Causal weights in one softmax. Each row adds up to 1 without being
    // renormalized. The first token can attend only to itself, with weight
    // 1. Each later token may attend to one token more than the token
    // before it.
    tensor causal_weights = softmax(scaled, -1);
    STEP(causal_weights, "W = softmax(masked S / √d_k)",
         "causal_weights = torch.softmax(scaled, dim=-1)");

    // Both ways give the same weights. The largest difference is a rounding
    // error in the last digit, or 0. The second way is the usual one: it is
    // shorter, and it never divides a row by the small sum that masking leaves.
    tensor difference =
        amax(absolute(subtract(renormalized, causal_weights)));
    STEP(difference, "max |first way - second way|",
         "difference = (renormalized - causal_weights).abs().max()");

    // Context vectors that depend on no later token. If you change a later
    // token of the input, no earlier row changes: that is what causal means.
    // Try it: = changes a number of the input. The first row is the first
    // token's value itself.
    tensor context = matmul(causal_weights, values);
    STEP(context, "Z = W V", "context = causal_weights @ values");
}

// Each token sees itself and the tokens before it.
struct tensor causal_attention(tensor inputs, layer W_query, layer W_key,
                               layer W_value) {
    tensor queries = apply(W_query, inputs); // [tokens, d_out]
    tensor keys = apply(W_key, inputs);
    tensor values = apply(W_value, inputs);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor future = to_bool(triu(ones_like(scores), 1)); // j > i
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    tensor weights = softmax(scaled, -1); // [tokens, tokens]
    return matmul(weights, values);
}

LESSON(causal) = {
    .name = "causal",
    .part = PART_OF_COURSE,
    .title = "Causal attention",
    .summary =
        "Hiding the future in two ways, zeros after the softmax or -∞ before it, and why both give the same weights.",
    .book = "section 3.5.1, Applying a causal attention mask",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS,
    .defaults = {.d_out = 2},
    .teach = causal,
    .source = &causal_source,
};
