"""A model that writes reads one new token at a time, and each one needs the keys and values of all tokens before it. They
never change, so a cache keeps them; queries are used once and are not kept. The prompt is read at once and needs the
causal mask; a single token after it needs none. Several tokens after a cache need a mask that is moved by the length of
the cache. The rows are those of causal attention, with a difference of 0 and far fewer products.

New since causal: a cache.

1. (token 6: key_cache) How many rows has the cache when "step" is read, and how many queries are compared with them?
Answer: It has 6 rows, one for each token so far, and 1 query.
2. (chunk: mask) How many entries of this mask are True, and how many would a square mask's first rows hide? Answer: 3.
The first rows of a square mask would hide 12.
3. (products_without_cache) How many products does token 6 take with the cache, and how many without it? Answer: 42 with
it, 252 without it.

Exercises, each with three hints:
- (prefill: weights) The prompt is read like a sentence in causal attention.
  - Divide by the root of a key's width, then take the softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)
- (token 4: key_cache) The new token's key becomes one more row.
  - torch.cat joins a list of tensors, along the rows unless told otherwise.
  - torch.cat([key_cache, ...])
- (token 4: scores) There is one query, and a key for each token so far.
  - One matrix product; the keys are transposed.
  - query @ ..., with the cache transposed.
- (chunk: mask) Row i is not token i of the sentence: tokens of the cache come before it.
  - torch.triu keeps what lies on a diagonal and above; it starts past + 1 to the right.
  - torch.triu(places, diagonal=...).bool()

Your turn:
- (prefill: queries) shape: The prompt has three tokens. Which shape will queries have?
- (prefill: weights) line
- (token 4: key_cache) line
- (token 4: scores) line
- (token 4: context) shape
- (products_with_cache) shape
- (one query: mask) prints `print(mask.sum())`: is_causal=True hides these keys from a single query. What does
print(mask.sum()) print?
- (allocated: key_cache) shape: This cache has a row for each token to come. Which shape will it have?
- (chunk: mask) line
- (positions [1, 5]) number: A prompt of three tokens is padded in front to six columns. Which position has its last token?
- (next sentence: context) shape

You can now: write one token at a time with a key-value cache, allocated once or not, mask several new tokens at once, and
say at which position a token stands behind padding.

Next: the cache grows with every token, in every head. In the next lesson several heads share one set of keys and values.

Gives: context
"""


class CausalAttentionWithCache(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.clear()

    def clear(self):
        self.keys = self.values = None

    def keep(self, keys, values):
        is_empty = self.keys is None
        self.keys = keys if is_empty else torch.cat([self.keys, keys])
        self.values = values if is_empty else torch.cat([self.values, values])

    def forward(self, x):
        queries = self.W_query(x)
        self.keep(self.W_key(x), self.W_value(x))
        scores = queries @ self.keys.T
        past = self.keys.shape[0] - x.shape[0]
        mask = torch.ones_like(scores).triu(diagonal=past + 1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / queries.shape[-1]**0.5, dim=-1)
        return weights @ self.values


torch.manual_seed(789)
attention = CausalAttentionWithCache(d_in, d_out, qkv_bias)
chunks = [inputs[:prefill], *inputs[prefill:].split(1)]
context = torch.cat([attention(chunk) for chunk in chunks if len(chunk) > 0])
