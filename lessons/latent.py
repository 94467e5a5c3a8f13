"""Keys and values of all heads are made from a few numbers for each token, the latent. A cache keeps only the latent.
One layer makes keys from it and another one makes values, whenever they are needed. The layer of the keys can be
absorbed into the queries, so scores are computed from the latent alone. The scores are the same except in last digits.

New since split_head: keys and values that are computed from what is kept.

1. (latent) How many numbers does a cache keep of each token, and how many would it keep of keys and values? Answer: 2
of the latent. Keys and values of all heads are 8.
2. (weights) Are scores divided by the root of head_dim or by the root of latent_dim, and why? Answer: By that of
head_dim. A score is a sum of head_dim products, whatever the key was made from. Here both widths are 2, so a mistake
would not show.
3. (difference) How far are the scores without keys from those with keys, and why is that not 0? Answer: 2.9802e-08. The
sums are added in another order, and each addition rounds.

Exercises, each with three hints:
- (keys) Keys are not made from the tokens here.
  - A layer up reads the latent.
  - W_up_key(...)
- (weights) Which width is a score a sum over?
  - Divide by the root of head_dim, not of latent_dim; softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)
- (scores_absorbed) No key is needed: the absorbed queries are as wide as the latent.
  - All heads read the same latent: unsqueeze(1) gives it a dimension of one head.
  - queries_absorbed @ latent.unsqueeze(1)....

Your turn:
- (latent) shape
- (keys) line
- (scores) shape
- (weights) line
- (output) shape
- (scores_absorbed) line
- (wide: cache_sizes [3]) number: Keys have 8 numbers now. How many numbers does the cache of the latent keep of this sentence?
- (rotary: keys_turned) shape: All heads share the rotary keys. Which shape will keys_turned have?

You can now: keep one small vector a token in place of keys and values, absorb a layer into the queries, and add
positions by a short key that all heads share.

Next: the last lesson joins rotary positions, groups and a cache in one layer. `onestep help memory` computes such sizes for larger models.

Gives: output
"""


class MultiHeadLatentAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, num_heads, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = torch.nn.Linear(d_in, d_out, bias=False)
        self.W_down = torch.nn.Linear(d_in, latent_dim, bias=False)
        self.W_up_key = torch.nn.Linear(latent_dim, d_out, bias=False)
        self.W_up_value = torch.nn.Linear(latent_dim, d_out, bias=False)
        self.out_proj = torch.nn.Linear(d_out, d_out)

    def split(self, x):
        batch_size, num_tokens, width = x.shape
        return x.view(batch_size, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        batch_size, num_tokens, d_in = x.shape
        latent = self.W_down(x)  # what a cache keeps
        queries = self.split(self.W_query(x))
        keys = self.split(self.W_up_key(latent))
        values = self.split(self.W_up_value(latent))
        scores = queries @ keys.transpose(2, 3)
        mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))


batch = torch.stack([inputs] * batch_size)
torch.manual_seed(123)
attention = MultiHeadLatentAttention(d_in, d_out, num_heads, latent_dim)
output = attention(batch)
