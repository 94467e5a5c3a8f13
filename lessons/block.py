"""LayerNorm gives each row that a layer reads mean 0 and variance 1, however large the rows have become. GELU, a ReLU without a corner, stands inside the
feed-forward block, where a row is four times as wide. A shortcut adds
what entered a half of the block to what the half made, and gradients reach the first layers through it. A block of GPT
normalizes, attends and adds, then normalizes, feeds forward and adds. A GPT is two tables, such blocks one behind the other,
a last LayerNorm and a head.

New since split_head: LayerNorm, GELU and shortcuts, and a whole GPT.

1. (norm: ln_variance) Is the variance of a row exactly 1 behind LayerNorm? Answer: No, it is 0.9995 in the first row: ε was
added to the variance before the root was taken.
2. (with: gradient_means [0]) Without shortcuts the mean gradient of W1 is 0.0002. What is it with them? Answer: From
0.0002 to 0.2217, about a thousand times.
3. (loss) What is the loss of pure guessing among six words, and is this one higher? Answer: log 6 = 1.7918. This one is
1.7386. It is lower by chance: the model has learned nothing.

Exercises, each with three hints:
- (norm: out_norm) The mean of each row becomes 0, then its variance becomes 1.
  - Subtract row_mean first. What is the result divided by?
  - (out - row_mean) / torch.sqrt(...)
- (embedded) Each token has a row for its word and a row for its position.
  - Both are equally wide. They are put together number by number.
  - token_embeddings + ...
- (block 1: norm1_normalized) Subtract the mean of each row and divide by the root of its variance.
  - A small number keeps the root away from 0. Is it added inside or outside of the root?
  - (x - norm1_mean) / torch.sqrt(norm1_variance + ...)
- (block 1: after_attention) A shortcut goes past the normalization and past attention.
  - What attention found is added to what entered the block, before it was normalized.
  - attention + ...
- (block 1: activated) Between its two layers the feed-forward block has a function that bends.
  - GPT-2 has no ReLU. The function was defined above.
  - gelu(...)
- (logits) One number for each word of the vocabulary.
  - The head is a layer. It reads the normalized result of the last block.
  - head(...)

Your turn:
- (norm: out_norm) line
- (relu_curve [0]) number: The first number of the curve is -3. What does ReLU make of it?
- (gelu_curve [0]) sign: ReLU of -3 is 0. Is GELU of -3 positive or negative?
- (without: gradient_means [0]) largest: The loss is behind the last layer. Which layer has the largest gradient
without shortcuts?
- (with: gradient_means [0]) largest: Now all layers but the last have a shortcut. Which layer has the largest gradient?
- (block 1: W_ffn1) shape: A row has 4 features at the course's parameters, and the first layer of the feed-forward block
makes four times as many. Which shape has its weight?
- (embedded) line
- (block 1: norm1_normalized) line
- (block 1: scores) shape
- (block 1: after_attention) line
- (block 1: activated) line
- (logits) line

Learned: (weights) The GPT of lesson 0 has two blocks like these, and it has learned. Its second block looks like this, head
1 at the left: "dogs" looks at "cat", which decides the verb. The command onestep gpt --model agreement shows all its steps:

You can now: build a block from LayerNorm, attention, GELU and shortcuts, and say what each of them is for.

Next: choose the next word. The logits of the last row say how well each word would follow; a sampler draws one of them.

Gives: loss
"""


class LayerNorm(torch.nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(d_model))
        self.shift = torch.nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * ((x - mean) / torch.sqrt(variance + 1e-5)) + self.shift


class GELU(torch.nn.Module):
    def forward(self, x):
        inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + torch.tanh(inner))


class Block(torch.nn.Module):
    def __init__(self, d_model, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = torch.nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_model, d_model, bias=qkv_bias)
        self.out_proj = torch.nn.Linear(d_model, d_model)
        self.feed_forward = torch.nn.Sequential(
            torch.nn.Linear(d_model, 4 * d_model), GELU(), torch.nn.Linear(4 * d_model, d_model))
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def split(self, x):
        batch_size, num_tokens, d_model = x.shape
        return x.view(batch_size, num_tokens, self.num_heads, -1).transpose(1, 2)

    def attend(self, x):
        batch_size, num_tokens, d_model = x.shape
        queries = self.split(self.W_query(x))
        keys = self.split(self.W_key(x))
        values = self.split(self.W_value(x))
        scores = queries @ keys.transpose(2, 3)
        mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))

    def forward(self, x):
        x = self.attend(self.norm1(x)) + x
        return self.feed_forward(self.norm2(x)) + x


class GPT(torch.nn.Module):
    def __init__(self, vocabulary, context_length, d_model, num_heads, num_layers, qkv_bias=False):
        super().__init__()
        self.token_table = torch.nn.Embedding(vocabulary, d_model)
        self.position_table = torch.nn.Embedding(context_length, d_model)
        self.blocks = torch.nn.Sequential(*[Block(d_model, num_heads, qkv_bias) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model)
        self.head = torch.nn.Linear(d_model, vocabulary, bias=False)

    def forward(self, ids):
        x = self.token_table(ids) + self.position_table(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))


ids = torch.atleast_2d(torch.tensor(token_ids))
torch.manual_seed(123)
gpt = GPT(vocabulary, context_length, d_model, num_heads, num_layers, qkv_bias)
logits = gpt(ids)
loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
