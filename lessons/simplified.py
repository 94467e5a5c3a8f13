"""Attention describes each token anew, as a mix of all tokens of its sentence. A dot product says how well two
tokens fit: the score. Softmax turns a row of scores into weights, positive and adding up to 1. The context vector is
the tokens' rows, each times its weight, added up. All of it is two products and a softmax, and nothing in it can
learn yet.

1. (scores [5, 0]) Without computing it: which number stands at [step, Your], if [Your, step] is 0.6310? Answer: 0.6310
again. The scores are symmetric, since a dot product is the same from either side.
2. (weights [4, 0]) Which token gets the largest weight from "one", and is that "one" itself? Answer: No: "starts" gets
0.1975, and "one" gives itself 0.1879. The longer row of numbers wins.
3. (column_sums) The rows of the weights add up to 1; do the columns? Answer: No. They lie between 0.7540 and 1.2970:
some tokens get more attention than they give.

Next: queries and keys were the inputs themselves, so no training could change a weight. The next lesson gives each
role a matrix of its own.

Gives: context
"""


class SelfAttention(torch.nn.Module):
    def forward(self, x):
        scores = x @ x.T
        weights = torch.softmax(scores, dim=-1)
        return weights @ x


attention = SelfAttention()
context = attention(inputs)
