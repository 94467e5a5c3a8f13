"""A model that predicts the next token must not see it, so each token may see only itself and the tokens before it.
One way to hide the future is to set its weights to 0 after the softmax and to divide each row by its sum again. The
other is to set its scores to minus infinity before the softmax: e to the power of that is 0, so one softmax hides the future and makes each row add up to 1. Both ways give the same weights, but for rounding. The first token sees only itself, so its context is its own
value.

New since trainable: a mask that hides later tokens.

1. (causal_weights) How many of the 36 weights are 0, and which row has no 0 at all? Answer: 15. Only the last row, that
of "step", has none: nothing comes after it.
2. (causal_weights [0, 0]) What is the only weight of "Your", before you look? Answer: 1.0000. It sees only itself, and
the softmax of a single score is 1.
3. (context) Which tokens' contexts would change if the last token were another one? Answer: Only its own, in the last
row. No token before it sees it.

Exercises, each with three hints:
- (mask_tril) 1 where a token may look, at itself and before it, and 0 elsewhere: a triangle.
  - torch.tril keeps the lower triangle of a matrix of ones.
  - torch.tril(torch.ones(num_tokens, ...))
- (renormalized) The rows no longer add up to 1. How do you make them add up to 1 again?
  - Divide each row by its sum; row_sums is a column for this reason.
  - masked_weights / ...
- (masked_scores) For e^s to be 0, the score must be -infinity.
  - Tensor.masked_fill(mask, number) puts a number where the mask is True.
  - scores.masked_fill(mask_bool, ...), with torch.inf and a minus sign.
- (causal_weights) The same function as before, on scores that are masked and scaled.
  - Use torch.softmax along the keys.
  - torch.softmax(scaled, dim=...)

Your turn:
- (weights [5, 0]) largest: Nothing is hidden yet. Which token gets the largest weight of "step"?
- (mask_tril) line
- (masked_weights [0, 5]) number: Which number is left where "Your" would look at "step"?
- (renormalized) line
- (masked_scores) line
- (causal_weights) line

Learned: (weights [0]) What can such weights mean? Here the layers are random, so a token looks at all earlier tokens
nearly alike. The layers of the model in lesson 0 have learned. Its words see no later word, either. But "dogs" takes 0.961
from "cat", the subject of its sentence:

You can now: hide the future in two ways, say why -∞ stands where a 0 would not do, and see in a matrix of weights which tokens are hidden.

Next: a model that has only memorized its training text has learned little. The next lesson sets weights to 0 at
random while the model trains.

Gives: context
"""


class CausalAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
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
        return weights @ values


torch.manual_seed(789)
attention = CausalAttention(d_in, d_out, num_tokens, qkv_bias)
context = attention(inputs)
