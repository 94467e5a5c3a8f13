#include "trace/lesson.h"

static void simplified(struct run *run) {
    SECTION("One query");

    // Every token is a row of numbers. The rows stand for the words of a sentence,
    // "Your journey starts with one step" in the course. Attention never sees the
    // words: all that it knows of a token is its row, also called its embedding.
    // Here the numbers are given; in a real model they are learned.
    tensor inputs = run->inputs;
    STEP(inputs, "X, row i is xᵢ, the vector of token i", "");

    // One token asks. Its row is the query. Attention is going to describe this
    // token anew, with the help of all the others. The lesson follows this one
    // query to the end before it treats all tokens at once. The course asks with
    // its second token, journey; any other could ask in the same way.
    tensor query = select_index(inputs, 0, run->query);
    STEP(query, "q = xᵢ", "query = inputs[query_index]");

    // A score says how well a key fits the query. A key is the row that the query
    // is compared with; every token serves as one, the asking token too. Multiply
    // number by number and add up: this dot product is large where both have large
    // numbers in the same places. A score is not a weight yet: it may be any
    // number, also a negative one, and the scores add up to nothing in particular.
    tensor query_scores = axes(matmul(inputs, query), "key");
    STEP(query_scores, "sⱼ = q · xⱼ", "query_scores = inputs @ query");

    // Weights are shares of one whole. They say how much of each token goes into
    // the mix, so they must add up to 1. Dividing by the sum achieves it here, but
    // only by luck: a negative score would become a negative share, and scores that
    // add up to 0 would divide by 0. The next step does better.
    tensor query_weights_by_sum =
        divide(query_scores, sum(query_scores, 0, false));
    STEP(query_weights_by_sum, "wⱼ = sⱼ / Σₖ sₖ",
         "query_weights_by_sum = query_scores / query_scores.sum()");

    // Softmax makes weights of any scores. e^s is positive whatever s is, so
    // dividing by the sum now always works, and the best scores gain the most. The
    // largest score is subtracted first. That divides every e^s by the same number,
    // so the weights stay what they were, but no e^s can grow too large for a
    // float.
    tensor query_weights = softmax(query_scores, 0);
    STEP(query_weights, "wⱼ = e^(sⱼ - max s) / Σₖ e^(sₖ - max s)",
         "query_weights = torch.softmax(query_scores, dim=0)");

    // The context vector mixes all rows. Each token's row is multiplied by its
    // weight, and the products are added up. The result has the width of one row
    // and lies somewhere among the rows, since the weights are shares: more weight
    // draws it closer to a row, but the one with the most need not be the nearest.
    // This is the whole of attention: the asking token gets a vector that knows
    // about its neighbours.
    tensor query_context = matmul(query_weights, inputs);
    STEP(query_context, "z = Σⱼ wⱼ xⱼ",
         "query_context = query_weights @ inputs");

    SECTION("All queries at once");

    // One product computes every score. Row i holds the scores of query i against
    // all keys, so the row that was computed alone is here again. The matrix is
    // symmetric, since xᵢ · xⱼ = xⱼ · xᵢ. That is so only because the same rows
    // serve as queries and as keys; the next lesson ends it.
    tensor queries = rows(inputs, "query");
    tensor keys = rows(inputs, "key");
    tensor scores = matmul(queries, transpose(keys, 0, 1));
    STEP(scores, "S = X Xᵀ", "scores = inputs @ inputs.T");

    // Each row of scores becomes a row of weights. The softmax runs along the row,
    // over the keys (dim=-1), because each query shares out its own attention. The
    // scores were symmetric, the weights are not: two tokens have one score in
    // common, but each row divides it by a sum of its own.
    tensor weights = softmax(scores, -1);
    STEP(weights, "W[i,j] = e^S[i,j] / Σₖ e^S[i,k]",
         "weights = torch.softmax(scores, dim=-1)");

    // Every row adds up to 1. A row is the whole attention of one query. If yours
    // adds up to something else, look at the dim of your softmax: with dim=0 it
    // runs down the columns. A sum may miss 1 in its last digit, and then prints as
    // 1.0000 where an exact one prints as 1.: each weight was rounded.
    tensor row_sums = sum(weights, -1, false);
    STEP(row_sums, "Σⱼ W[i,j] = 1", "row_sums = weights.sum(dim=-1)");

    // A column may add up to anything. It collects what one key gets from all
    // queries. A token that many ask for gets more than 1, another less. Nothing
    // makes a column 1, and nothing should.
    tensor column_sums = sum(weights, 0, false);
    STEP(column_sums, "Σᵢ W[i,j], any number",
         "column_sums = weights.sum(dim=0)");

    // One product computes every context vector. Row i mixes the inputs with the
    // weights of row i; the row of the query above is the vector that we computed
    // alone. Nothing here can be learned yet: given the inputs, all weights are
    // settled. The next lesson adds numbers that training can change.
    tensor context = matmul(weights, inputs);
    STEP(context, "Z = W X", "context = weights @ inputs");
}

LESSON(simplified) = {
    .name = "simplified",
    .title = "Simplified self-attention",
    .summary =
        "Scores, weights and context vectors from the inputs alone, without anything to train: first for one query, then for all at once.",
    .book =
        "section 3.3, Attending to different parts of the input with self-attention",
    .uses = USES_INPUT | USES_QUERY,
    EXERCISES(
        {"query_scores",
         {"A score is one number for each token: its row and the query, compared.",
          "Multiply number by number and add up: that is a dot product, and @ computes one for every row.",
          "inputs @ ..., with the query behind it."}},
        {"query_weights_by_sum",
         {"Shares of one whole: what does each score have to be divided by?",
          "By the sum of all of them, which .sum() gives.",
          "query_scores / query_scores..., where the dots are a call."}},
        {"query_weights",
         {"PyTorch has one function that does e^s and the division.",
          "torch.softmax takes the scores, and a dim: there is only one, number 0.",
          "torch.softmax(query_scores, dim=...)"}},
        {"query_context",
         {"Each row times its weight, and everything added up.",
          "That is a product of a vector with a matrix: @ again, the weights first.",
          "query_weights @ ..., with the rows that are mixed."}},
        {"scores",
         {"Every row with every row: one product of two matrices.",
          "For @ to meet rows with rows, the second matrix has to be turned: .T",
          "inputs @ inputs..."}},
        {"weights",
         {"Each query shares out its own attention, so each row should add up to 1.",
          "torch.softmax along the keys, which are the last dimension.",
          "torch.softmax(scores, dim=...), where -1 means the last."}},
        {"context",
         {"As for one query, but all rows of weights at once.",
          "One product of two matrices: the weights, then what is mixed.",
          "weights @ ..."}}),
    .teach = simplified,
    .source = &simplified_source,
};
