"""Dropout sets weights to 0 at random while a model trains, so that the model cannot depend on any single one.
Weights that are kept are divided by 1 - p, so that the mean over many draws stays the same. Rows of dropped weights
no longer add up to 1, and need not. In evaluation mode no weight is dropped and none grows. Which weights are dropped
depends on the seed and on the build of PyTorch: two published streams of random numbers give two different masks.

New since causal: torch.nn.Dropout, after the softmax.

1. (kept_scale) With p = 0.1, by how many percent do the kept weights grow? Answer: By 11.1 %. They are divided by 0.9,
which multiplies them by 1.1111, not by 1.1.
2. (mt19937: ones_dropped) Which two numbers are the only ones that dropout of ones with p = 0.5 can give? Answer: 0 and
2: a 1 is either dropped or divided by 1 - 0.5.
3. (mt19937: row_sums) Can a row of dropped weights add up to more than 1? Answer: Yes. The first row keeps its only
weight, and that is 2.0000. Only the mean of many draws is 1.

Exercises, each with three hints:
- (context_eval) After model.eval() nothing is dropped.
  - Multiply the weights, as they are, by the values.
  - causal_weights @ ...
- (mt19937: weights_dropped) torch.nn.functional has a function called dropout.
  - It takes the weights, the probability p, and whether this is training.
  - torch.nn.functional.dropout(causal_weights, ..., training)
- (mt19937: row_sums) What does each row add up to now?
  - Tensor.sum adds along a dimension: the last one.
  - weights_dropped.sum(dim=...)

Your turn:
- (causal_weights [1, 2]) number: "journey" is the second token. Which weight does it give to the third?
- (context_eval) line
- (mt19937: ones_dropped) prints `print(ones_dropped.max())`: Some of the ones are dropped, and the others are scaled. What
does print(ones_dropped.max()) print?
- (mt19937: weights_dropped) line
- (mt19937: row_sums) line
- (mt19937: mean_of_draws) shape: 200 draws of the weights are averaged. Which shape has their mean?

You can now: say what dropout does to a row of weights and to its sum, and when it must be off.

Next: one set of queries, keys and values can express one kind of relation between tokens. The next lesson runs
several side by side, on a batch of sentences.

Gives: mt19937: context
"""


class CausalAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = torch.nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask.bool())

    def forward(self, x):
        num_tokens = x.shape[0]
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        mask = self.mask[:num_tokens, :num_tokens]
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        weights = self.dropout(weights)
        return weights @ values


torch.manual_seed(789)
attention = CausalAttention(d_in, d_out, num_tokens, p, qkv_bias)
attention.train(training)
torch.manual_seed(123)
context = attention(inputs)
