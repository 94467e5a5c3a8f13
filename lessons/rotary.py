"""Rotary positions turn queries and keys and leave values alone. Two features are a pair, a point in a plane, and each
pair turns by an angle that grows with the position. A turn changes no length. Of the positions a score knows only the distance, so
the same sentence has the same scores further on in a text. Halves and pairs are two conventions:
if layers trained with one run in a program with the other, no error is raised, but the scores are wrong.

New since causal: positions as angles.

1. (inverse_frequencies) By how many radians do the first and the second pair turn from one token to the next? Answer:
By 1 and by 0.01.
2. (queries_rotated) Which row of queries does the turn leave as it was, and why? Answer: That of "Your". Its position
is 0, so its angles are 0.0, the cosines 1 and the sines 0.
3. (scores) Which numbers of the scores are the same with and without positions? Answer: The diagonal, but for rounding:
a token's distance from itself is 0. For "step" both are -0.1450.

Exercises, each with three hints:
- (inverse_frequencies) The base to the power of each exponent, upside down.
  - In Python ** is a power; base**exponents gives one number for each exponent.
  - 1 / base**...
- (keys_rotated) Keys are turned like queries.
  - The function and the tables are those of the queries.
  - turn_halves(..., cosines, sines)
- (scores) Which queries and keys are compared: those before the turn or after it?
  - One matrix product; the turned keys are transposed.
  - queries_rotated @ ..., with the turned keys transposed.
- (product) The first turn goes back, the second goes forward.
  - Transposed, the matrix of a turn turns back.
  - turn_of_query..., times turn_of_key
- (context) The weights mix the values, which were not turned.
  - One matrix product, weights first.
  - weights @ ...

Your turn:
- (inverse_frequencies) line
- (cosines [0, 0]) number: The first token stands at position 0, so its angles are 0. What is the cosine of 0?
- (keys_rotated) line
- (scores) line
- (product) line
- (context) line
- (pairs: scores) shape
- (turns [1, 0]) largest: Which pair turns round most often in 8,192 tokens?
- (kept [3]) number: The last pair turns round less than once in 8,192 tokens. Which share of its speed does it keep?

You can now: turn queries and keys by their positions in both conventions, say why only the distance counts, and
which pairs a longer text slows down.

Next: every token still sees all tokens before it. In the next lesson it sees only the last few.

Gives: context
"""


class RotaryAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, base, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        theta = 1 / base**(torch.arange(0, d_out, 2).float() / d_out)
        self.register_buffer("theta", theta)

    def turn(self, x):
        positions = torch.arange(x.shape[0]).float().unsqueeze(1)
        angles = (positions * self.theta).repeat(1, 2)
        a, b = x.chunk(2, dim=1)
        return x * angles.cos() + torch.cat([-b, a], dim=1) * angles.sin()

    def forward(self, x):
        queries = self.turn(self.W_query(x))
        keys = self.turn(self.W_key(x))
        values = self.W_value(x)
        scores = queries @ keys.T
        mask = torch.ones_like(scores).triu(diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(123)
attention = RotaryAttention(d_in, d_out, base, qkv_bias)
context = attention(inputs)
