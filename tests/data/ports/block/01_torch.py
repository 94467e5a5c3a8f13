"""nanoGPT-like model, parameters of the reference."""
import contextlib
import math
import os

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F

here = os.path.dirname(os.path.abspath(__file__))
try:
    import onestep
    recording = onestep.record(os.path.join(here, "01_torch.onestep"))
except ImportError:
    recording = contextlib.nullcontext()


class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.bias = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        return self.weight * (x - mu) / torch.sqrt(var + 1e-5) + self.bias


class Attn(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(n, 3 * n, bias=False)
        self.c_proj = nn.Linear(n, n)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Layer(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = Norm(n), Attn(n, heads), Norm(n)
        self.c_fc, self.c_out = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(6, 4), nn.Embedding(6, 4)
        self.h = nn.ModuleList([Layer(4, 2), Layer(4, 2)])
        self.ln_f, self.lm_head = Norm(4), nn.Linear(4, 6, bias=False)

    def forward(self, idx):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for layer in self.h:
            x = layer(x)
        logits = self.lm_head(self.ln_f(x))
        return logits


w = {k: torch.from_numpy(v) for k, v in np.load(os.path.join(here, "weights.npz")).items()}
state = {"wte.weight": w["wte"], "wpe.weight": w["wpe"], "lm_head.weight": w["head"]}
for i in range(2):
    state[f"h.{i}.attn.c_attn.weight"] = torch.cat([w[f"h{i}.wq"], w[f"h{i}.wk"], w[f"h{i}.wv"]])
    state[f"h.{i}.attn.c_proj.weight"], state[f"h.{i}.attn.c_proj.bias"] = w[f"h{i}.wo"], w[f"h{i}.bo"]
    state[f"h.{i}.c_fc.weight"], state[f"h.{i}.c_fc.bias"] = w[f"h{i}.w1"], w[f"h{i}.b1"]
    state[f"h.{i}.c_out.weight"], state[f"h.{i}.c_out.bias"] = w[f"h{i}.w2"], w[f"h{i}.b2"]
model = Model()
model.load_state_dict(state, strict=False)
with torch.no_grad(), recording:
    answer = model(w["ids"][None])
print(answer)
