#include "trace/lesson.h"
#include "variants.h"

static void simplified(struct run *run) {
    SECTION("One query");

    // Every token is a row of numbers. Each row stands for one word of a
    // sentence. The course's sentence is "Your journey starts with one step".
    // Attention never sees the words: all it knows of a token is its row, also
    // called its embedding. Here the numbers are given; a real model learns
    // them.
    tensor inputs = run->inputs;
    STEP(inputs, "X, row i is xᵢ, the vector of token i", "");

    // One token asks: its row is the query. Attention will compute a new
    // vector for this token from the rows of all tokens. The lesson follows
    // this one query to the end before it treats all tokens at once. The
    // course takes its second token, "journey"; any other would work in the
    // same way.
    tensor query = select_index(inputs, 0, run->query);
    STEP(query, "q = xᵢ", "query = inputs[query_index]");

    // A score says how well a key matches the query. A key is the row that the
    // query is compared with; every token has one, the asking token too. The
    // score is their dot product: multiply number by number and add up. It is
    // large where both rows have large numbers in the same places. A score is
    // not a weight yet: it can be any number, even a negative one, and the
    // scores need not add up to 1.
    tensor query_scores = matmul(rows(inputs, AXIS_KEY), query);
    STEP(query_scores, "sⱼ = q · xⱼ", "query_scores = inputs @ query");

    // Weights are shares that add up to 1. Divide each score of the query by
    // the sum of all its scores. That gives shares only if no score is
    // negative. At the course's parameters the query is "journey", and no
    // score of it is negative. If some scores are negative, some shares are,
    // too. If the scores add up to 0, this divides by 0. Softmax, the next
    // step, avoids both. A weight says how much of one token goes into the
    // mix.
    tensor query_weights_by_sum =
        divide(query_scores, sum(query_scores, 0, false));
    STEP(query_weights_by_sum, "wⱼ = sⱼ / Σₖ sₖ",
         "query_weights_by_sum = query_scores / query_scores.sum()");

    // Softmax turns any scores into weights. e^s is positive for every s, so
    // no share is negative and the sum is never 0. A larger score gets a
    // larger weight. The largest score is subtracted first, so that no e^s
    // grows too large for a float. This divides every e^s by the same number,
    // so the weights stay the same.
    tensor query_weights = softmax(query_scores, 0);
    STEP(query_weights, "wⱼ = e^(sⱼ - max s) / Σₖ e^(sₖ - max s)",
         "query_weights = torch.softmax(query_scores, dim=0)");

    // The context vector is a weighted sum of all rows. Each token's row is
    // multiplied by its weight, and the products are added up. This is the core
    // of attention: the asking token gets a vector that depends on every token.
    // It is as wide as one row. It is a weighted average of the rows, so it
    // lies among them.
    tensor query_context = matmul(query_weights, inputs);
    STEP(query_context, "z = Σⱼ wⱼ xⱼ",
         "query_context = query_weights @ inputs");

    SECTION("All queries at once");

    // One product computes every score. Row i holds the scores of query i with
    // all keys. The row of the query of step 2 has the scores of step 3. The
    // matrix is symmetric: a dot product stays the same if its two rows change
    // places. It is so only because the same rows serve as queries and as
    // keys. In the next lesson they differ.
    tensor queries = rows(inputs, AXIS_QUERY);
    tensor keys = rows(inputs, AXIS_KEY);
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = X Xᵀ", "scores = inputs @ inputs.T");

    // Each row of scores becomes a row of weights. The softmax runs along the
    // row, over the keys (dim=-1), because each query distributes its own
    // attention. The scores were symmetric, but the weights are not, because
    // each row divides by its own sum.
    tensor weights = softmax(scores, -1);
    STEP(weights, "W[i,j] = e^S[i,j] / Σₖ e^S[i,k]",
         "weights = torch.softmax(scores, dim=-1)");

    // Every row adds up to 1. A row is the whole attention of one query. If
    // your rows add up to something else, check the dim of your softmax: dim=0
    // normalizes the columns. PyTorch prints 1. if all sums are exactly 1, and
    // 1.0000 if rounding changed one.
    tensor row_sums = sum(weights, -1, false);
    STEP(row_sums, "Σⱼ W[i,j] = 1", "row_sums = weights.sum(dim=-1)");

    // A column need not add up to 1. A column holds what one key gets from
    // all queries. A key that many queries prefer gets more than 1. A key
    // that few queries prefer gets less. That is right: softmax normalizes
    // only the rows.
    tensor column_sums = sum(weights, 0, false);
    STEP(column_sums, "cⱼ = Σᵢ W[i,j]", "column_sums = weights.sum(dim=0)");

    // One product computes every context vector. Row i is the sum of the
    // inputs, weighted by row i of the weights. The row of the first
    // section's query is its context vector. Nothing here can be trained:
    // the inputs alone determine all weights. The next lesson adds matrices
    // that training can change.
    tensor context = matmul(weights, inputs);
    STEP(context, "Z = W X", "context = weights @ inputs");
}

// Each token is query, key and value at once.
struct tensor simplified_attention(tensor inputs) {
    tensor queries = inputs, keys = inputs, values = inputs;
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    tensor weights = softmax(scores, -1); // [tokens, tokens]
    return matmul(weights, values);
}

LESSON(simplified) = {
    .name = "simplified",
    .part = PART_OF_COURSE,
    .title = "Simplified self-attention",
    .summary =
        "Scores, weights and context vectors from the inputs alone, with nothing to train: first for one query, then for all at once.",
    .book =
        "section 3.3, Attending to different parts of the input with self-attention",
    .uses = USES_INPUT | USES_QUERY,
    .teach = simplified,
    .source = &simplified_source,
};
