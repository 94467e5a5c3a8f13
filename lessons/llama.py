"""A layer of Llama has the two halves of a block: attention and feed-forward. RMSNorm divides a row by the root of the mean
of its squares and subtracts no mean. Queries and keys are turned by their positions, and the heads of a group share keys
and values. In SwiGLU a gate multiplies what a second layer makes, number by number. A cache keeps turned keys and values
of each group; with it, the last token alone gives the last row of the whole layer.

New since grouped_query: RMSNorm and SwiGLU, and all of it in one layer.

1. (normalized) What is the mean of the squares of a row after RMSNorm? Answer: It is 1, or a little less because of ε.
2. (keys_turned) Which token's keys stay as they were when keys are turned, and which token's values? Answer: Keys of
"Your", whose position is 0. Values of all tokens: no value is turned.
3. (cache: value_cache) How many numbers does the cache hold of this sentence, and how many would it hold with keys and
values for each head? Answer: 96. With 4 heads in place of 2 groups it would be 192.

Exercises, each with three hints:
- (normalized) Divide each row by a root.
  - ε is added to the mean of the squares before the root is taken.
  - batch / torch.sqrt(...)
- (keys_turned) Keys are turned like queries.
  - The function and the tables are those of the queries.
  - turn(..., cosines, sines)
- (keys_repeated) Each group's keys are needed once for each head of the group, side by side.
  - Tensor.repeat_interleave(times, dim) copies each part next to itself.
  - keys_turned.repeat_interleave(per_group, ...), along the groups.
- (weights) Which width is a score a sum over?
  - Divide by the root of head_dim, then take the softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)
- (gate) One of two layers goes through SiLU.
  - The gate's layer reads the rows behind the second RMSNorm.
  - torch.nn.functional.silu(...)
- (output) Back to the width of the input, then a shortcut.
  - What entered the second RMSNorm is added, not what came out of it.
  - W_down(gated) + ...

Your turn:
- (normalized) line
- (keys_by_group) shape
- (cosines [0, 0]) number: The first position is 0. What is the cosine of its angle?
- (keys_repeated) line
- (weights) line
- (after_attention) shape
- (gate) line
- (cache: value_cache) shape

You can now: build a layer of Llama from RMSNorm, rotary positions, shared keys and values, and SwiGLU.

Next: this is the last lesson. `onestep help memory` computes the memory of real models.

Gives: output
"""


class RMSNorm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.scale * (x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5))


class LlamaLayer(torch.nn.Module):
    def __init__(self, d_in, d_out, d_hidden, num_heads, num_groups, base):
        super().__init__()
        self.num_heads, self.num_groups = num_heads, num_groups
        self.head_dim = d_out // num_heads
        self.W_query = torch.nn.Linear(d_in, d_out, bias=False)
        self.W_key = torch.nn.Linear(d_in, num_groups * self.head_dim, bias=False)
        self.W_value = torch.nn.Linear(d_in, num_groups * self.head_dim, bias=False)
        self.out_proj = torch.nn.Linear(d_out, d_in, bias=False)
        self.W_gate = torch.nn.Linear(d_in, d_hidden, bias=False)
        self.W_up = torch.nn.Linear(d_in, d_hidden, bias=False)
        self.W_down = torch.nn.Linear(d_hidden, d_in, bias=False)
        self.norm1, self.norm2 = RMSNorm(d_in), RMSNorm(d_in)
        theta = 1 / base**(torch.arange(0, self.head_dim, 2).float() / self.head_dim)
        self.register_buffer("theta", theta)

    def split(self, x, parts):
        batch_size, num_tokens, width = x.shape
        return x.view(batch_size, num_tokens, parts, self.head_dim).transpose(1, 2)

    def turn(self, x):
        positions = torch.arange(x.shape[2]).float().unsqueeze(1)
        angles = (positions * self.theta).repeat(1, 2)
        a, b = x.chunk(2, dim=3)
        return x * angles.cos() + torch.cat([-b, a], dim=3) * angles.sin()

    def attend(self, x):
        batch_size, num_tokens, d_in = x.shape
        per_group = self.num_heads // self.num_groups
        queries = self.turn(self.split(self.W_query(x), self.num_heads))
        keys = self.turn(self.split(self.W_key(x), self.num_groups))
        values = self.split(self.W_value(x), self.num_groups)
        keys = keys.repeat_interleave(per_group, dim=1)
        values = values.repeat_interleave(per_group, dim=1)
        scores = queries @ keys.transpose(2, 3)
        mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))

    def feed_forward(self, x):
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))

    def forward(self, x):
        x = self.attend(self.norm1(x)) + x
        return self.feed_forward(self.norm2(x)) + x


batch = torch.stack([inputs] * batch_size)
torch.manual_seed(123)
layer = LlamaLayer(d_in, d_out, d_hidden, num_heads, num_groups, base)
# All trained numbers of a new RMSNorm are 1, so one normalizes queries and keys.  # {qk}
turn, qk_norm = layer.turn, RMSNorm(d_out // num_heads)  # {qk}
layer.turn = lambda x: turn(qk_norm(x))  # {qk}
output = layer(batch)
