"""Attention computes a new vector for each token: a mix of all tokens of its sentence. The dot product of two tokens'
rows is their score; it says how well they match. Softmax turns a row of scores into weights, which are positive and
add up to 1. The context vector is the sum of the tokens' rows, each multiplied by its weight. All of this is two
products and a softmax, and nothing in it can be trained yet.

1. (scores [5, 0]) Without computing it: which number stands at [step, Your], if [Your, step] is 0.6310? Answer: 0.6310
again. The scores are symmetric, because a dot product does not depend on the order of its two rows.
2. (weights [4, 0]) Which token gets the largest weight from "one", and is that "one" itself? Answer: No: "starts" gets
0.1975, and "one" gives itself 0.1879. The row of "starts" is a longer vector, which makes its dot product larger.
3. (column_sums) The rows of the weights add up to 1; do the columns? Answer: No. They lie between 0.7540 and 1.2970.
Each token gives 1 in all, but some get more than that and others less.

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
