import contextlib
import os

import torch
from torch import nn

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class FeedForward(nn.Module):
    def __init__(self, e):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(e, 4 * e), nn.GELU(approximate="tanh"), nn.Linear(4 * e, e))

    def forward(self, x):
        return self.layers(x)


class MultiHead(nn.Module):
    def __init__(self, e, n):
        super().__init__()
        self.n = n
        self.Wq = nn.Linear(e, e, bias=False)
        self.Wk = nn.Linear(e, e, bias=False)
        self.Wv = nn.Linear(e, e, bias=False)
        self.Wo = nn.Linear(e, e)

    def forward(self, x):
        b, t, e = x.shape
        q = self.Wq(x)
        k = self.Wk(x)
        v = self.Wv(x)
        q, k, v = (u.view(b, t, self.n, e // self.n).transpose(1, 2) for u in (q, k, v))
        sim = q @ k.transpose(2, 3)
        sim.masked_fill_(torch.triu(torch.ones(t, t), diagonal=1).bool(), -torch.inf)
        p = torch.softmax(sim / (e // self.n) ** 0.5, dim=-1)
        ctx = (p @ v).transpose(1, 2).reshape(b, t, e)
        return self.Wo(ctx)


class TransformerBlock(nn.Module):
    def __init__(self, e, n):
        super().__init__()
        self.att = MultiHead(e, n)
        self.ff = FeedForward(e)
        self.norm1 = nn.LayerNorm(e)
        self.norm2 = nn.LayerNorm(e)

    def forward(self, x):
        x = self.norm1(x + self.att(x))
        x = x + self.ff(self.norm2(x))
        return x


class GPTModel(nn.Module):
    def __init__(self, vocab, e, n, depth):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab, e)
        self.pos_emb = nn.Embedding(vocab, e)
        self.trf_blocks = nn.Sequential(*[TransformerBlock(e, n) for _ in range(depth)])
        self.final_norm = nn.LayerNorm(e)
        self.out_head = nn.Linear(e, vocab, bias=False)

    def forward(self, in_idx):
        tok = self.tok_emb(in_idx)
        pos = self.pos_emb(torch.arange(in_idx.shape[1]))
        x = self.trf_blocks(tok + pos)
        logits = self.out_head(self.final_norm(x))
        return logits


torch.manual_seed(123)
gpt = GPTModel(6, 4, 2, 2)
with torch.no_grad(), recording:
    out = gpt(torch.arange(6).unsqueeze(0))
print(out)
