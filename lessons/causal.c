#include <math.h>

#include "trace/lesson.h"

static void causal(struct run *run) {
    tensor inputs = run->inputs;
    int64_t tokens = inputs.shape[0], d_in = inputs.shape[1];
    int64_t d_out = run->parameters.d_out;
    bool bias = run->parameters.bias;

    SECTION("Weights that still see everything");

    // The layers of queries, keys and values, drawn as in the lesson before. A
    // causal model must not look ahead: to predict the next word it may use the
    // words so far, never the later ones. This lesson hides them in two ways and
    // shows that both come to the same. Masks touch the weights of attention only,
    // so the layers are the old ones.
    reseed(run, 789);
    tensor W_query = linear_weight(run, d_out, d_in);
    STEP(W_query, "W_q ~ uniform ±1/√d_in",
         "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_query.weight");
    tensor W_query_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_query_bias, "b_q ~ uniform ±1/√d_in", "", "W_query.bias");
    tensor W_key = linear_weight(run, d_out, d_in);
    STEP(W_key, "W_k ~ uniform ±1/√d_in",
         "W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_key.weight");
    tensor W_key_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_key_bias, "b_k ~ uniform ±1/√d_in", "", "W_key.bias");
    tensor W_value = linear_weight(run, d_out, d_in);
    STEP(W_value, "W_v ~ uniform ±1/√d_in",
         "W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)",
         "W_value.weight");
    tensor W_value_bias = linear_bias(run, bias, d_out, d_in);
    STEP(W_value_bias, "b_v ~ uniform ±1/√d_in", "", "W_value.bias");

    // Queries, keys and values, one row a token. Each token may ask; what it may
    // see is decided later. The keys and values of later tokens are computed as
    // well: not seeing them saves no time.
    tensor queries = rows(linear(inputs, W_query, W_query_bias), "query");
    STEP(queries, "Q = X W_qᵀ", "queries = W_query(inputs)");
    tensor keys = rows(linear(inputs, W_key, W_key_bias), "key");
    STEP(keys, "K = X W_kᵀ", "keys = W_key(inputs)");
    tensor values = linear(inputs, W_value, W_value_bias);
    STEP(values, "V = X W_vᵀ", "values = W_value(inputs)");

    // Scores of every query against every key. What lies right of the diagonal is
    // the future: in row i, the keys after token i.
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");

    // Weights without a mask, scaled and normalized in one line. Every row shares
    // its attention among all tokens, so the first word already listens to the
    // last. That is what has to go.
    tensor weights = softmax(divide_by(scores, root(keys.shape[1])), -1);
    STEP(weights, "W = softmax(S / √d_k)",
         "weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");

    SECTION("Road one: zeros after the softmax");

    // A mask of ones and zeros. tril keeps the lower triangle and the diagonal: 1
    // where query i may see key j, that is where j ≤ i. The diagonal stays, since a
    // token may always see itself; without it the first token would see nothing.
    tensor mask_tril =
        axes(tril(ones(run, tokens, tokens), 0), "query", "key");
    STEP(mask_tril, "M[i,j] = 1 if j ≤ i, else 0",
         "mask_tril = torch.tril(torch.ones(num_tokens, num_tokens))");

    // Multiply the weights by the mask. The future's weights are 0 now, but only
    // the last row, which has no future, still adds up to 1. In all others the
    // shares that went to the future are lost.
    tensor masked_weights = multiply(weights, mask_tril);
    STEP(masked_weights, "W · M, element by element",
         "masked_weights = weights * mask_tril");

    // What is left of each row. The first row has kept one weight only, the last
    // all of them. keepdim leaves a column of sums rather than a plain list, so
    // that the next division lines up with the rows.
    tensor row_sums = sum(masked_weights, -1, true);
    STEP(row_sums, "rᵢ = Σⱼ (W · M)[i,j]",
         "row_sums = masked_weights.sum(dim=-1, keepdim=True)");

    // Divide each row by its sum. The rows add up to 1 again, and the future has no
    // share. It looks as if the future had leaked in, because the softmax had
    // divided by a sum over all tokens. It has not: that sum was one number a row,
    // and this division takes it out again.
    tensor renormalized = divide(masked_weights, row_sums);
    STEP(renormalized, "(W · M)[i,j] / rᵢ",
         "renormalized = masked_weights / row_sums");

    SECTION("Road two: -∞ before the softmax");

    // Now mark what to hide. triu with diagonal 1 keeps what lies above the
    // diagonal: 1 where key j comes after query i. It is the first mask turned
    // inside out.
    tensor mask_triu =
        axes(triu(ones(run, tokens, tokens), 1), "query", "key");
    STEP(mask_triu, "M[i,j] = 1 if j > i, else 0",
         "mask_triu = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)");

    // The same mask as true and false. masked_fill asks for booleans: True means
    // "fill this cell", that is "hide it". Mind the direction. Other libraries use
    // True for "may be seen".
    tensor mask_bool = to_bool(mask_triu);
    STEP(mask_bool, "M[i,j] = (j > i)", "mask_bool = mask_triu.bool()");

    // Hide the future. A score of -∞ becomes e^-∞ = 0 in the softmax, which divides
    // by the sum of what remains. So the rows will add up to 1 at once. A 0 instead
    // of -∞ would not hide anything: e^0 is 1, a weight like any other.
    tensor masked_scores = masked_fill(scores, mask_bool, -INFINITY);
    STEP(masked_scores, "-∞ if j > i, else S[i,j]",
         "masked_scores = scores.masked_fill(mask_bool, -torch.inf)");

    // Divide by √d_k. -∞ divided by anything positive is still -∞, so it makes no
    // difference whether we scale before the mask or after it.
    tensor scaled = divide_by(masked_scores, root(keys.shape[1]));
    STEP(scaled, "masked S / √d_k",
         "scaled = masked_scores / keys.shape[-1]**0.5");

    // Causal weights in one softmax. The first token can only attend to itself,
    // with weight 1; each row after it shares among one token more. Every row adds
    // up to 1 without being renormalized.
    tensor causal_weights = softmax(scaled, -1);
    STEP(causal_weights, "W = softmax(masked S / √d_k)",
         "causal_weights = torch.softmax(scaled, dim=-1)");

    // Both roads lead to the same weights. The largest difference is 0 or a unit in
    // the last place: it comes from rounding, not from the method. Road two is the
    // usual one because it is shorter and never divides by the small remainder of a
    // row.
    tensor difference =
        amax(absolute(subtract(renormalized, causal_weights)));
    STEP(difference, "max |road one - road two|",
         "difference = (renormalized - causal_weights).abs().max()");

    // Context vectors that know the past only. The first row is the first value
    // itself. Change a later token of the input and no earlier row changes; that is
    // what causal means.
    tensor context = matmul(causal_weights, values);
    STEP(context, "Z = W V", "context = causal_weights @ values");
}

LESSON(causal) = {
    .name = "causal",
    .title = "Causal attention",
    .summary =
        "Hiding the future in two ways, zeros after the softmax or -∞ before it, and why both give the same weights.",
    .book = "section 3.5.1, Applying a causal attention mask",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_BIAS,
    .defaults = {.d_out = 2},
    EXERCISES(
        {"mask_tril",
         {"1 where a token may look, at itself and back, and 0 elsewhere: a triangle.",
          "torch.tril keeps the lower triangle of a matrix of ones.",
          "torch.tril(torch.ones(num_tokens, ...))"}},
        {"renormalized",
         {"The rows no longer add up to 1. What makes shares of any numbers?",
          "Divide each row by its sum; row_sums kept its dimension for this.",
          "masked_weights / ..."}},
        {"masked_scores",
         {"A score whose e^s is 0 needs to be -infinity.",
          "Tensor.masked_fill(mask, number) puts a number where the mask is True.",
          "scores.masked_fill(mask_bool, ...), with torch.inf and a sign."}},
        {"causal_weights",
         {"The same function as ever, on scores that are masked and scaled.",
          "torch.softmax along the keys.",
          "torch.softmax(scaled, dim=...)"}}),
    .teach = causal,
    .source = &causal_source,
};
