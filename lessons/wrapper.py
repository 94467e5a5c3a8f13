"""Several heads, each a causal attention with matrices of its own, look at the same sentences in different ways. The
wrapper computes them one after the other and puts their contexts side by side. So the result is as wide as all heads
together: d_out times the number of heads. A batch is one more dimension in front, and every product works on each
sentence alone. The mask is made once for context_length tokens, kept as a buffer and sliced to the length of the
sentence.

New since dropout: the batch and the loop over heads.

1. (head 1: scores) Which shape do the scores of one head have, for two sentences of six tokens? Answer: (2, 6, 6): for
each sentence a row for each query and a column for each key.
2. (context) How many numbers does each token's context have, and which of them are head 2's? Answer: 4, that is 2 heads
times d_out 2. The last two are those of head 2.
3. (context) Both sentences of the batch are the same; do their contexts differ? Answer: No: the largest difference is
0. Each sentence is computed alone, and no weight is dropped here.

Exercises, each with three hints:
- (batch) Stack two copies of the inputs along a new dimension.
  - torch.stack takes a list of tensors; [x] * 2 is a list with x twice.
  - torch.stack([inputs] * batch_size, dim=...)
- (mask) The mask was made for context_length tokens; the sentence has as many or fewer.
  - Take its first num_tokens rows and its first num_tokens columns.
  - mask_buffer[:num_tokens, ...]
- (head 1: scores) With a batch, .T would move the batch dimension as well.
  - Tensor.transpose(a, b) swaps two dimensions: here the last two of keys.
  - queries @ keys.transpose(1, ...)
- (context) Each head made two columns; the result has four.
  - torch.cat joins tensors along a dimension that they already have.
  - torch.cat(contexts, dim=...), along the last.

Your turn:
- (mask_buffer) shape: The class keeps a mask for its context length, as many rows as columns. Which shape is that?
- (mask) line
- (head 1: queries) shape: The batch has two sentences of six tokens, and a head is two numbers wide. Which shape will
queries have?
- (head 1: scores) line
- (head 2: weights [0, 5, 0]) largest: The last token of sentence 1 sees all six. To which does it give the largest
weight in head 2?
- (context) line

You can now: run several heads on a batch, cut a mask to the sentence, and say along which dimension heads are joined.

Next: a loop over heads is slow, and no head uses what another found. The next lesson computes all heads in one
product and mixes them at the end.

Gives: context
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
        batch_size, num_tokens, d_in = x.shape
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        mask = self.mask[:num_tokens, :num_tokens]
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        weights = self.dropout(weights)
        return weights @ values


class MultiHeadAttentionWrapper(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = torch.nn.ModuleList(
            [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


batch = torch.stack([inputs] * batch_size)
torch.manual_seed(123)
attention = MultiHeadAttentionWrapper(d_in, d_out, context_length, p, num_heads, qkv_bias)
attention.train(training)
context = attention(batch)
