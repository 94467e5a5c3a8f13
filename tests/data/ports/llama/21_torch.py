import contextlib
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import onestep
    run = onestep.record(os.path.abspath(__file__)[:-3] + ".onestep")
except ImportError:
    run = contextlib.nullcontext()
P = {n: torch.from_numpy(a) for n, a in np.load(os.path.join(HERE, "weights.npz")).items()}


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rope(x, base=500000.0):
    d = x.shape[-1]
    freqs = base ** (-torch.arange(0, d, 2).float() / d)
    ang = torch.arange(x.shape[-2]).float()[:, None] * freqs
    ang = torch.cat([ang, ang], -1)
    a, b = x.chunk(2, -1)
    return x * ang.cos() + torch.cat([-b, a], -1) * ang.sin()


class TransformerBlock(nn.Module):
    def __init__(self, dim, hd, n_heads, n_kv_heads, hidden):
        super().__init__()
        self.hd, self.nh, self.nkv = hd, n_heads, n_kv_heads
        self.wq = nn.Linear(dim, n_heads * hd, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * hd, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * hd, bias=False)
        self.wo = nn.Linear(n_heads * hd, dim, bias=False)
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)
        self.attention_norm, self.ffn_norm = Norm(dim), Norm(dim)

    def attention(self, x):
        b, t, _ = x.shape
        q = rope(self.wq(x)).view(b, t, self.nh, self.hd).transpose(1, 2)
        k = rope(self.wk(x).view(b, t, self.nkv, self.hd).transpose(1, 2))
        v = self.wv(x).view(b, t, self.nkv, self.hd).transpose(1, 2)
        k = k.repeat_interleave(self.nh // self.nkv, 1)
        v = v.repeat_interleave(self.nh // self.nkv, 1)
        s = q @ k.transpose(2, 3) / self.hd ** 0.5
        s = s + torch.full((t, t), float("-inf")).triu(1)
        o = s.softmax(-1) @ v
        return self.wo(o.transpose(1, 2).reshape(b, t, -1))

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x))
        n = self.ffn_norm(h)
        return h + self.w2(F.silu(self.w1(n)) * self.w3(n))


block = TransformerBlock(3, 4, 4, 2, 6)
names = {"wq": "wq", "wk": "wk", "wv": "wv", "wo": "wo", "w1": "wgate", "w2": "wdown", "w3": "wup"}
block.load_state_dict({mine + ".weight": P[theirs] for mine, theirs in names.items()}, strict=False)
with run, torch.no_grad():
    final = block(P["x"][None])
print(final)
