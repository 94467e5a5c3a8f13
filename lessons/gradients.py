"""A gradient says for each number by how much the loss would rise if that number rose a little. One walk from the
loss back to the words finds all of them: each operation turns the gradient of its result into those of its operands,
which takes the numbers of the way forward. Where a tensor was used more than once, its gradients add up. A number that
reached nothing, hidden by the mask, closed by ReLU or not read at all, has a gradient of exactly 0. backward() does
the same by itself, and gives the same numbers but for rounding.

1. (logits_grad) What does each row of the logits' gradient add up to, and why?
2. (embedding_grad) Which row of the embedding has a gradient of 0?
3. (W_key_bias_grad) Which parameter could be anything, and the loss would not change?

Next: a gradient says which way. The next lesson goes there, again and again.

Gives: embedding_grad
"""


class Model(torch.nn.Module):
    def __init__(self, vocabulary, d_model, d_hidden, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.embedding = torch.nn.Embedding(vocabulary, d_model)
        self.W_query = torch.nn.Linear(d_model, d_model)
        self.W_key = torch.nn.Linear(d_model, d_model)
        self.W_value = torch.nn.Linear(d_model, d_model)
        self.out_proj = torch.nn.Linear(d_model, d_model) if num_heads > 1 else torch.nn.Identity()
        self.ffn1 = torch.nn.Linear(d_model, d_hidden)
        self.ffn2 = torch.nn.Linear(d_hidden, d_model)
        self.to_logits = torch.nn.Linear(d_model, vocabulary)

    def split(self, x):
        batch_size, num_tokens, d_out = x.shape
        return x.view(batch_size, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    def attend(self, x):
        batch_size, num_tokens, d_in = x.shape
        queries = self.split(self.W_query(x))
        keys = self.split(self.W_key(x))
        values = self.split(self.W_value(x))
        scores = queries @ keys.transpose(2, 3) * self.head_dim**-0.5
        mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))

    def forward(self, ids):
        attention = self.attend(self.embedding(ids))
        feed_forward = self.ffn2(torch.relu(self.ffn1(attention)))
        return self.to_logits(feed_forward)


words = text.split()
vocabulary = list(dict.fromkeys(words))
ids = torch.tensor([[vocabulary.index(word) for word in words]])
torch.manual_seed(123)
model = Model(len(vocabulary), d_model, d_hidden, num_heads)
logits = model(ids[:, :-1])
loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
loss.backward()
embedding_grad = model.embedding.weight.grad
