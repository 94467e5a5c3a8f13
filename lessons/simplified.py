"""Attention computes a new vector for each token: a mix of all tokens of its sentence. The dot product of two tokens'
rows is their score; it says how well they match. Softmax turns a row of scores into weights, which are positive and
add up to 1. The context vector is the sum of the tokens' rows, each multiplied by its weight. All of this is two
products and a softmax, and nothing in it can be trained yet.

1. (scores [5, 0]) Which number stands at [step, Your] of scores, and which other cell has the same one? Answer: 0.6310, as at [Your,
step]. The scores are symmetric, because a dot product does not depend on the order of its two rows.
2. (weights [4, 0]) Which token gets the largest weight from "one", and is that "one" itself? Answer: No: "starts" gets
0.1975, and "one" gives itself 0.1879. The row of "starts" is a longer vector, which makes its dot product larger.
3. (column_sums) The rows of the weights add up to 1; do the columns? Answer: No. They lie between 0.7540 and 1.2970.
Each token gives 1 in all, but some get more than that and others less.

Exercises, each with three hints:
- (query_scores) Each token gets one score: compare its row with the query.
  - Multiply number by number and add up. This is a dot product; @ computes one for every row.
  - inputs @ ..., followed by the query.
- (query_weights_by_sum) The weights must add up to 1. What must each score be divided by?
  - Divide by the sum of all scores; .sum() computes it.
  - query_scores / query_scores..., where the dots stand for a call.
- (query_weights) PyTorch has one function that computes e^s and divides by the sum.
  - torch.softmax takes the scores and a dim. There is only one dimension, number 0.
  - torch.softmax(query_scores, dim=...)
- (query_context) Multiply each row by its weight, then add everything up.
  - This is a vector times a matrix: use @ again, with the weights first.
  - query_weights @ ..., followed by the rows that are mixed.
- (scores) Compare every row with every row: one product of two matrices does it.
  - @ multiplies rows by columns, so transpose the second matrix with .T.
  - inputs @ inputs...
- (weights) Each query distributes its own attention, so each row must add up to 1.
  - Use torch.softmax along the keys. They are the last dimension.
  - torch.softmax(scores, dim=...), where -1 means the last.
- (context) Do the same as for one query, but with all rows of weights at once.
  - It is one product of two matrices: first the weights, then the rows that are mixed.
  - weights @ ...

Your turn:
- (query_scores) line: Write the line that computes a score for each token.
- (query_weights [0]) largest: Which token gets the largest weight of the query?
- (query_context) shape: Which shape will the context vector have?
- (scores) line: Write the line that computes the scores of all queries at once.
- (weights [3, 0]) largest: Which token gets the largest weight of "with"?
- (context) line: Write the line that computes all context vectors.

You can now: compute scores, weights and context vectors by hand and in three lines of PyTorch, and say why rows of
weights add up to 1.

Next: the inputs themselves were the queries and the keys, so no training could change a weight. The next lesson gives
each role a matrix of its own.

Gives: context
"""


class SelfAttention(torch.nn.Module):
    def forward(self, x):
        scores = x @ x.T
        weights = torch.softmax(scores, dim=-1)
        return weights @ x


attention = SelfAttention()
context = attention(inputs)
