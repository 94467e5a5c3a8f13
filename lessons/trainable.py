"""Three matrices give each token three roles: as a query it asks, as a key it is compared with queries, as a value it
is mixed. The matrices are parameters, which training changes; attention weights are computed anew for every sentence.
A score is a sum of d_k products, so scores of wider vectors vary more, and the softmax then gives nearly all of the
weight to one key. Dividing the scores by the root of d_k prevents this. A linear layer computes the same product from
a weight that it stores transposed, as [d_out, d_in].

New since simplified: three weight matrices and a division by √d_k.

1. (linear: scores [1, 2]) How large is the score of "journey" as a query and "starts" as a key, and does it stay the
same if they exchange roles? Answer: 0.1751, and 0.1703 with the roles exchanged: two different matrices make the
queries and the keys, so the scores are not symmetric any more.
2. (linear: weights [0, 0]) Untrained weights are nearly even: about how much does each of six tokens get? Answer: A
sixth, 0.1667. They lie between 0.1477 and 0.2041.
3. (linear: context) The context has two numbers for each token, the inputs have three; which matrix decides that?
Answer: W_value, which is (2, 3): it makes two numbers from three. Queries and keys only determine the weights.

Exercises, each with three hints:
- (rand: queries) Each row of the inputs becomes a row of two numbers.
  - Multiply rows of three by a matrix [3, 2]: @, with the inputs first.
  - inputs @ W_...
- (rand: query_scores) Compare one query with all keys: one dot product for each key.
  - This is as in the first lesson, with keys in place of the inputs.
  - keys @ ..., followed by the query.
- (rand: scaled) Scores grow with the width of the keys. Divide by the root of this width.
  - The width is the last number of keys.shape; **0.5 takes a root.
  - scores / keys.shape[...]**0.5
- (rand: context) The values are mixed here, not the inputs.
  - It is one product: first the attention weights, then what each token contributes.
  - weights @ ...
- (copied_queries) A linear layer stores its weight as [out, in].
  - Transpose it, and @ computes what the layer does.
  - inputs @ W_query.weight...

Your turn:
- (rand: queries) line
- (rand: query_scores) line
- (rand: scaled) line
- (rand: context) line
- (score_variance) shape: Each of nine widths has a variance, its root, and the variance of scaled scores. Which shape is
that?
- (linear: W_query) shape: The layer reads three numbers and makes two. Its weight has a row for each number that it makes. Which
shape is that?
- (copied_queries) line

You can now: give a sentence queries, keys and values, divide scores by the right root, and copy numbers between
nn.Linear and a matrix.

Next: every token still sees the tokens that come after it. The next lesson hides them.

Gives: linear: context
"""


class SelfAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(789)
attention = SelfAttention(d_in, d_out, qkv_bias)
context = attention(inputs)
