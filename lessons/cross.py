"""The target's tokens ask, the source's tokens answer. Queries are made from the target, keys and values from the
source, by the same three layers as in self-attention. The weights have a row for each token that asks and a column for
each token that can answer. They need not be square, and no causal mask belongs here. With the same sentence as source
and target it is self-attention, with a difference of 0.

New since trainable: a second sentence.

1. (weights) How many rows and how many columns have the weights, and why? Answer: 4 rows, one for each token of the
target, and 6 columns, one for each token of the source.
2. (weights) Which token of the source gets the largest weight from "one"? Answer: journey.
3. (context) How many numbers does the context have, and how many would it have if keys and values came from the target,
too? Answer: 8 numbers. It would have 8 again, so its shape does not show this mistake.

Exercises, each with three hints:
- (queries) Which sentence asks?
  - The tokens that ask are those of the target.
  - W_query(...), applied to the target.
- (scores) Each query is compared with each key.
  - One matrix product; the keys are transposed.
  - queries @ ..., with the keys transposed.
- (weights) The same function as in self-attention, and no mask.
  - Divide by the root of a key's width, then take the softmax over the keys.
  - torch.softmax(scores / ..., dim=-1)
- (context) Mix the values of the source, once for each token that asks.
  - Each row of weights belongs to a token of the target.
  - weights @ ..., with one value for each column.

Your turn:
- (queries) line
- (keys) shape: The source has six tokens. Which shape will keys have?
- (scores) line
- (weights) line
- (context) line
- (shortcut) shape: The shortcut adds the target's rows. Which shape will the result have?
- (next: queries) shape: One more token asks. Which shape will its query have?
- (padded: weights [0, 5]) number: The last token of the source is padding now. Which weight does it get?
- (larger: weights [2, 0]) largest: Which token of the source gets the largest weight of "with" now?
- (itself: weights) shape

You can now: let one sentence ask another, keep the source's keys and values while the target grows, and hide the
source's padding.

Next: the next lesson is about a single sentence again. It reads one token at a time and keeps the keys and values of the
tokens before.

Gives: context
"""


class CrossAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, target, source):
        queries = self.W_query(target)
        keys = self.W_key(source)
        values = self.W_value(source)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(123)
attention = CrossAttention(d_in, d_out, qkv_bias)
source = inputs
target = source[target_rows]
context = attention(target, source)
