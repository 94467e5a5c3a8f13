import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(123)
emb_dim, n_heads, n_layers, vocab = 4, 2, 2, 6
tok_emb = nn.Embedding(vocab, emb_dim)
pos_emb = nn.Embedding(vocab, emb_dim)
layers = []
for i in range(n_layers):
    layers.append({
        "q": nn.Linear(emb_dim, emb_dim, bias=False),
        "k": nn.Linear(emb_dim, emb_dim, bias=False),
        "v": nn.Linear(emb_dim, emb_dim, bias=False),
        "o": nn.Linear(emb_dim, emb_dim),
        "up": nn.Linear(emb_dim, 4 * emb_dim),
        "down": nn.Linear(4 * emb_dim, emb_dim),
    })
unembed = nn.Linear(emb_dim, vocab, bias=False)


def norm(t):
    return F.layer_norm(t, (emb_dim,))


sequence = torch.tensor([[0, 1, 2, 3, 4, 5]])
stream = tok_emb(sequence) + pos_emb(torch.arange(6))
for layer in layers:
    h = norm(stream)
    q = layer["q"](h).unflatten(-1, (n_heads, -1)).transpose(1, 2)
    k = layer["k"](h).unflatten(-1, (n_heads, -1)).transpose(1, 2)
    v = layer["v"](h).unflatten(-1, (n_heads, -1)).transpose(1, 2)
    s = q @ k.transpose(-2, -1) / (emb_dim // n_heads) ** 0.5
    s = s.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
    p = F.softmax(s, dim=-1)
    z = (p @ v).transpose(1, 2).flatten(2)
    stream = stream + layer["o"](z)
    h2 = norm(stream)
    wide = layer["up"](h2)
    bent = F.gelu(wide)
    stream = stream + layer["down"](bent)
normed = norm(stream)
scores_of_words = unembed(normed)
print(scores_of_words)
