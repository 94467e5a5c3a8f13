"""Each word gets a number, and the number selects a row of the embedding: from there on the model computes with
vectors. Attention moves information between tokens; the feed-forward block then works on each token alone. The last
layer gives every word of the vocabulary a score, and softmax turns the scores into probabilities. The loss is the
mean surprise at the words that really follow. GPT-2 adds positions, shortcuts (also called residual connections), LayerNorm and GELU, and
stacks twelve such blocks or more.

New since split_head: everything around attention.

1. (weights) Five tokens go in: how many weights of each head are not 0? Answer: 15 of 25: a token sees itself and those
before it, 1 + 2 + 3 + 4 + 5.
2. (probabilities [0, 0, 0]) About how probable is each of six words to a model that has learned nothing? Answer: A
sixth, 0.1667. They lie between 0.0999 and 0.2564.
3. (loss) What is the loss of pure guessing among six words, and is this one higher? Answer: log 6 = 1.7918. This one is
1.7565. It is lower by chance: the model has learned nothing.

Exercises, each with three hints:
- (embedded) No token follows the last one, so it is left out.
  - embedding takes ids; [:, :-1] takes all but the last of each sentence.
  - embedding(ids[...])
- (hidden) Apply a linear layer, then set negative numbers to 0.
  - Take torch.relu of the result of ffn1, which reads attention.
  - torch.relu(ffn1(...))
- (logits) One number for each word of the vocabulary.
  - to_logits is a layer; its input is the result of the feed-forward block.
  - to_logits(...)
- (loss) How surprised is the model at the tokens that really follow?
  - torch.nn.functional.cross_entropy takes logits [tokens, words] and targets [tokens].
  - torch.nn.functional.cross_entropy(logits.flatten(0, 1), ...)

Your turn:
- (embedded) line
- (W_ffn1) shape: The layer reads 4 features and makes 8. Which shape has its weight?
- (scores) shape
- (hidden) line
- (logits) line
- (loss) line

You can now: go from words to ids, logits, probabilities and a loss, and say what each of their dimensions counts.

Next: lower the loss. Every number of every matrix above has a gradient. It says in which direction that number
changes the loss.

Gives: loss
"""


class Model(torch.nn.Module):
    def __init__(self, vocabulary, d_model, d_hidden, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.embedding = torch.nn.Embedding(vocabulary, d_model)
        self.W_query = torch.nn.Linear(d_model, d_model)
        self.W_key = torch.nn.Linear(d_model, d_model)
        self.W_value = torch.nn.Linear(d_model, d_model)
        self.out_proj = torch.nn.Linear(d_model, d_model) if num_heads > 1 else torch.nn.Identity()
        self.dropout = torch.nn.Dropout(dropout)
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
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = (weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context.view(batch_size, num_tokens, -1))

    def forward(self, ids):
        attention = self.attend(self.embedding(ids))
        feed_forward = self.ffn2(torch.relu(self.ffn1(attention)))
        return self.to_logits(feed_forward)


words = text.split()
vocabulary_words = list(dict.fromkeys(words))
ids = torch.tensor([[vocabulary_words.index(word) for word in words]])
torch.manual_seed(123)
model = Model(vocabulary, d_model, d_hidden, num_heads, p)
model.train(training)
logits = model(ids[:, :-1])
loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
