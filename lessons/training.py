"""Training is three verbs in a loop: zero_grad, backward, step. SGD goes a small step against the gradient; AdamW
divides a running mean of the gradients by the root of their running mean square, so that a step is about as long as
the learning rate. After 200 updates the model says its sentence, because attention looks back where one word has two
successors. Without looking back the loss stays above a price that can be counted from the pairs of words. Without the
mask it does not get below that price either: this model has no positions, and only the mask tells places apart.

1. (loss_before) What does guessing among six words cost, and is the untrained model far from it?
2. (weights) Which word does the second "starts" attend to that the first one cannot see?
3. (price_of_not_looking_back) Why is it 0.4 times log 2?

Next: your own words. --text takes a sentence, and --updates, --lr and --optimizer say how it is learned.

Gives: losses
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
kinds = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
optimize = kinds[optimizer](model.parameters(), lr=lr)
losses = []
for update in range(updates + 1):
    logits = model(ids[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    losses.append(loss.item())
    optimize.zero_grad()
    loss.backward()
    optimize.step()
losses = torch.tensor(losses)
