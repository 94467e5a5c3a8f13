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


class Attn(nn.Module):
    def __init__(self, C, nh):
        super().__init__()
        self.nh = nh
        self.q_proj = nn.Linear(C, C, bias=False)
        self.k_proj = nn.Linear(C, C, bias=False)
        self.v_proj = nn.Linear(C, C, bias=False)
        self.c_proj = nn.Linear(C, C)

    def forward(self, x):
        B, T, C = x.size()
        q = self.q_proj(x).view(B, T, self.nh, C // self.nh).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.nh, C // self.nh).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.nh, C // self.nh).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / (C // self.nh) ** 0.5)
        att = att.masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Layer(nn.Module):
    def __init__(self, C, nh):
        super().__init__()
        self.ln_1 = nn.LayerNorm(C)
        self.attn = Attn(C, nh)
        self.ln_2 = nn.LayerNorm(C)
        self.c_fc = nn.Linear(C, 4 * C)
        self.c_proj = nn.Linear(4 * C, C)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        h = F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        x = x + self.c_proj(h)
        return x


class NanoGPT(nn.Module):
    def __init__(self, vocab, block, C, nh, n_layer):
        super().__init__()
        self.wte = nn.Embedding(vocab, C)
        self.wpe = nn.Embedding(block, C)
        self.h = nn.ModuleList([Layer(C, nh) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(C)
        self.lm_head = nn.Linear(C, vocab, bias=False)

    def forward(self, idx):
        pos = torch.arange(idx.size(1))
        x = self.wte(idx) + self.wpe(pos)
        for layer in self.h:
            x = layer(x)
        out = self.lm_head(x)
        return out


model = NanoGPT(6, 6, 4, 2, 2)
sd = {"wte.weight": P["wte"], "wpe.weight": P["wpe"], "lm_head.weight": P["head"]}
for i in range(2):
    for mine, theirs in [("attn.q_proj.weight", "wq"), ("attn.k_proj.weight", "wk"), ("attn.v_proj.weight", "wv"), ("attn.c_proj.weight", "wo"), ("attn.c_proj.bias", "bo"),
                         ("c_fc.weight", "w1"), ("c_fc.bias", "b1"), ("c_proj.weight", "w2"), ("c_proj.bias", "b2")]:
        sd[f"h.{i}.{mine}"] = P[f"h{i}.{theirs}"]
model.load_state_dict(sd, strict=False)
with run, torch.no_grad():
    answer = model(P["ids"].long()[None])
print(answer)
