"""One wide layer each for queries, keys and values serves all heads, and view cuts its rows into heads. transpose
puts the heads in front, so that one product computes the scores of every head. Here d_out is the width of all heads
together, and the scores are divided by the root of head_dim, the width of one. A second transpose and contiguous
store each token's heads side by side again, and view merges them. The output projection mixes what the heads found;
apart from it and the order of the draws, the class computes what the wrapper computes.

New since wrapper: one layer for all heads, and a projection.

1. (queries_by_head) Which shape do the queries have after view and transpose, for 2 sentences, 6 tokens, 2 heads of
width 1? Answer: (2, 2, 6, 1): sentences, heads, tokens, head_dim.
2. (scores) Over which of its four dimensions does the softmax of the scores run? Answer: Over the last one, the keys:
each query distributes a weight of 1 over them.
3. (context_contiguous) How does context_contiguous differ from context_transposed, whose shape and values it has? Answer: The order in memory:
its strides are (12, 2, 1, 1), those of context_transposed are (12, 1, 6, 1). In the new order view can merge heads of
any width.

Exercises, each with three hints:
- (queries_viewed) The last dimension becomes two: heads and head_dim.
  - Tensor.view takes the new sizes. Tokens stay before heads, as in memory.
  - queries.view(batch_size, num_tokens, num_heads, ...)
- (queries_by_head) Heads must come before tokens, so that @ multiplies head by head.
  - Swap dimensions 1 and 2.
  - queries_viewed.transpose(1, ...)
- (scores) Compare rows of queries with rows of keys, in every sentence and head.
  - Swap the last two dimensions of the keys. There are four now.
  - queries_by_head @ keys_by_head.transpose(2, ...)
- (context_contiguous) view cannot merge heads that are stored apart in memory.
  - One call copies the numbers into the order of the dimensions.
  - context_transposed.con...()
- (output) The heads' results are side by side now. A layer mixes them.
  - Call the layer like a function.
  - out_proj(...)

Your turn:
- (queries) shape: One layer serves both heads. Which shape will queries have?
- (queries_viewed) line
- (queries_by_head) line
- (keys_by_head) shape
- (scores) line
- (context_by_head) shape
- (context_contiguous) line
- (output) line

Learned: (weights) Why several heads? In the model of lesson 0, two heads that have learned look at different words. In the
last row, head 1 (left) looks at "cat", the subject. Head 2 (right) looks at "dogs" itself and at "near":

You can now: split one layer into heads with view and transpose, merge them again, and say when contiguous is needed.

Next: this is the attention of GPT models. The next lesson puts it between an embedding and the prediction of the next
word.

Gives: output
"""


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = torch.nn.Linear(d_out, d_out)
        self.dropout = torch.nn.Dropout(dropout)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask.bool())

    def split(self, x):
        batch_size, num_tokens, d_out = x.shape
        return x.view(batch_size, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        batch_size, num_tokens, d_in = x.shape
        queries = self.split(self.W_query(x))
        keys = self.split(self.W_key(x))
        values = self.split(self.W_value(x))
        scores = queries @ keys.transpose(2, 3)
        mask = self.mask[:num_tokens, :num_tokens]
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))


batch = torch.stack([inputs] * batch_size)
torch.manual_seed(123)
attention = MultiHeadAttention(d_in, d_out, context_length, p, num_heads, qkv_bias)
attention.train(training)
output = attention(batch)
