"""Each head has queries of its own, but the heads of a group share one set of keys and values. So the layers of keys
and values have fewer rows than the layer of queries. repeat_interleave copies each group's keys for the heads of the
group, side by side; expand shows them to the heads without a copy. A cache keeps keys and values once for each group:
with half as many groups it needs half the memory. With as many groups as heads it is multi-head attention.

New since split_head: layers of two widths.

1. (W_key) Why does W_key have 4 rows, when W_query has 8? Answer: There are 2 groups, and each has a key of head_dim =
2 numbers. Each of the 4 heads has a query of 2 numbers.
2. (keys_repeated) Which groups do heads 1, 2, 3 and 4 read, and which ones with repeat instead of repeat_interleave?
Answer: 1, 1, 2, 2. With repeat they are 1, 2, 1, 2.
3. (cache_sizes) How many numbers does a cache keep for this sentence, with 4 groups, 2 and 1? Answer: 96, 48 and 24.

Exercises, each with three hints:
- (keys_by_group) Split them like the queries. Into how many parts?
  - Each group has one key for each token: there are as many parts as groups.
  - split(keys, ...), with the number of groups.
- (keys_repeated) Each group's keys are needed once for each head of the group, side by side.
  - Tensor.repeat_interleave(times, dim) copies each part next to itself.
  - keys_by_group.repeat_interleave(group_size, ...), along the groups.
- (scores) Each head compares its queries with the keys of its group.
  - Swap the last two dimensions of the repeated keys.
  - queries_by_head @ keys_repeated.transpose(2, ...)
- (weights) Which width is a score a sum over?
  - Divide by the root of head_dim, then take the softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)

Your turn:
- (W_key) shape
- (keys_by_group) line
- (keys_repeated) line
- (scores) line
- (weights) line
- (output) shape
- (output_of_heads) shape

You can now: let heads share keys and values, and say how many numbers a cache saves by it.

Next: nothing in these scores says how far apart two tokens are. The next lesson turns queries and keys by their
positions.

Gives: output
"""


class GroupedQueryAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, num_heads, num_groups, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.num_groups = num_groups
        self.head_dim = d_out // num_heads
        self.W_key = torch.nn.Linear(d_in, num_groups * self.head_dim, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, num_groups * self.head_dim, bias=qkv_bias)
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = torch.nn.Linear(d_out, d_out, bias=False)

    def split(self, x, parts):
        batch_size, num_tokens, width = x.shape
        return x.view(batch_size, num_tokens, parts, self.head_dim).transpose(1, 2)

    def forward(self, x):
        batch_size, num_tokens, d_in = x.shape
        group_size = self.num_heads // self.num_groups
        queries = self.split(self.W_query(x), self.num_heads)
        keys = self.split(self.W_key(x), self.num_groups)
        values = self.split(self.W_value(x), self.num_groups)
        keys = keys.repeat_interleave(group_size, dim=1)
        values = values.repeat_interleave(group_size, dim=1)
        scores = queries @ keys.transpose(2, 3)
        mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))


batch = torch.stack([inputs] * batch_size)
torch.manual_seed(123)
attention = GroupedQueryAttention(d_in, d_out, num_heads, num_groups, qkv_bias)
output = attention(batch)
