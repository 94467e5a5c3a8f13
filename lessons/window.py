"""Each token sees itself and the few tokens before it, as many as the window is wide. The distance from a key to a
query says what is hidden: a key too far back, or a later one. The weights are a band along the diagonal, so a program
that computes only the band does the same work for each row, however long the text is. Two layers reach twice as far
back as one, because the second reads what the first has already mixed. A window as wide as the sentence is causal
attention, with a difference of 0.

New since causal: a mask that hides what lies too far back.

1. (mask) Which keys does "step", the last token, see? Answer: with, one and step. Their distances are 2, 1 and 0.
2. (reach_of_two_layers) How many tokens does "step" reach through two layers, and which one does it not reach? Answer:
It reaches 5 tokens, itself included. It does not reach "Your": its distance is 5, and two layers reach 4 back.
3. (weights) How many of the 36 weights are not 0, and how many are not 0 with causal attention? Answer: 15 with this
window. With causal attention there are 21.

Exercises, each with three hints:
- (scores) Each query is compared with each key, as in causal attention.
  - One matrix product; the keys are transposed.
  - queries @ ..., with the keys transposed.
- (mask) Two kinds of keys are hidden: those too far back, and the later ones.
  - Compare the distance with the window, and with 0; | joins two conditions.
  - (distance >= ...) | (distance ...)
- (weights) The same function as without a window, on masked scores.
  - Divide by the root of a key's width, then take the softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)
- (reach_of_two_layers) Count the ways from token i to token j through one token between them.
  - A matrix product adds up over what lies between row and column.
  - The matrix of what is seen, multiplied by itself with @.

Your turn:
- (scores) line
- (mask) line
- (weights) line
- (seen [0, 5]) number: 1 stands where a token sees another one, 0 where it does not. Which number stands where "Your"
would see "step"?
- (reach_of_two_layers) line
- (wide: context) shape
- (rolling: key_cache) shape: The cache has a row for each token of the window. Which shape will key_cache have?

You can now: limit attention to the last tokens, keep a cache of that size, and say how far two layers reach.

Next: another way to save memory. The next lesson reads the keys in tiles and never keeps a whole row of weights.

Gives: context
"""


class SlidingWindowAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, window, qkv_bias=False):
        super().__init__()
        self.window = window
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        positions = torch.arange(x.shape[0])
        distance = positions.unsqueeze(1) - positions
        mask = (distance >= self.window) | (distance < 0)
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(789)
attention = SlidingWindowAttention(d_in, d_out, window, qkv_bias)
context = attention(inputs)
