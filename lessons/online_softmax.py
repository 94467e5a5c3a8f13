"""Attention without whole rows of weights: keys and values are read in tiles, a few at a time. For each query three
things are kept: the largest score so far, the sum of powers of e so far, and the result so far. Where a tile has a
larger score, one factor corrects what was added up before; the scores themselves can be forgotten. At the end one
division by the sum gives the context. It equals that of causal attention except in last digits, which depend on the
order of operations.

New since causal: a softmax that is computed while its row is being read.

1. (factor) By which factor is the sum of the first half multiplied, and why? Answer: By e^(2-4) = 0.1353. The largest
score grew from 2 to 4, so each power of the first half is e^2 times too large.
2. (tile 2: running_max) Why is the largest score of "Your" still 0.2050 after tile 2, although all its scores in this
tile are -inf? Answer: "Your" sees only itself, in tile 1. The maximum compares -inf with 0.2050 and keeps the latter.
3. (difference) Why is the difference 7.4506e-09 and not 0? Answer: The operations come in another order, and each of
them rounds. Tiles divide after values are mixed; plain softmax divides before. Tiles also add up in another order.

Exercises, each with three hints:
- (factor) Powers of e^(s-2) should have been powers of e^(s-4).
  - A power of e, whose exponent is the old largest score minus the new one.
  - torch.exp(... - whole_max)
- (tile 1: numerators) From each score of the tile, the largest so far of its row is subtracted.
  - running_max has one number for each row: unsqueeze(1) makes it a column.
  - torch.exp(scores - ...)
- (tile 2: running_sum) Correct what was added up before, then add what this tile brings.
  - rescale corrects; the numerators of a row are added along dim=-1.
  - running_sum * ... + numerators.sum(dim=-1)
- (context) Weights are numerators divided by a sum. The numerators have already mixed the values.
  - One division for each row, by a column.
  - running_result / running_sum....

Your turn:
- (factor) line
- (row_sum) shape
- (queries) shape
- (running_max [0]) number: No score was read yet. Which number is smaller than every score?
- (tile 1: numerators) line
- (tile 2: running_sum) line
- (context) line
- (factors [0]) number: No tile was read before the last one. What is e to the power of -inf?
- (sum_at_once) shape

You can now: compute a softmax tile by tile, with the factor that corrects what was added up before.

Next: tiles save the memory of the scores, but a cache still keeps all keys and values. The next lesson keeps a few
numbers for each token, from which keys and values are computed.

Gives: context
"""


class TiledAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, tile_size, qkv_bias=False):
        super().__init__()
        self.tile_size = tile_size
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        num_tokens = x.shape[0]
        mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        running_max = torch.full((num_tokens, 1), -torch.inf)
        running_sum = torch.zeros(num_tokens, 1)
        result = torch.zeros_like(values)
        for start in range(0, num_tokens, self.tile_size):
            tile = slice(start, start + self.tile_size)
            scores = queries @ keys[tile].T / keys.shape[-1]**0.5
            scores = scores.masked_fill(mask[:, tile], -torch.inf)
            before = running_max
            running_max = torch.maximum(before, scores.amax(dim=-1, keepdim=True))
            rescale = torch.exp(before - running_max)
            numerators = torch.exp(scores - running_max)
            running_sum = running_sum * rescale + numerators.sum(dim=-1, keepdim=True)
            result = result * rescale + numerators @ values[tile]
        return result / running_sum


torch.manual_seed(789)
attention = TiledAttention(d_in, d_out, tile_size, qkv_bias)
context = attention(inputs)
