import contextlib
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class Conv1D(nn.Module):
    """A linear layer with the weight of GPT-2's files: [in, out]."""

    def __init__(self, nx, nf):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(*x.shape[:-1], -1)


class Block(nn.Module):
    def __init__(self, nx, n_head):
        super().__init__()
        self.n_head = n_head
        self.ln_1, self.ln_2 = nn.LayerNorm(nx, eps=1e-5), nn.LayerNorm(nx, eps=1e-5)
        self.c_attn, self.c_proj = Conv1D(nx, 3 * nx), Conv1D(nx, nx)
        self.c_fc, self.mlp_proj = Conv1D(nx, 4 * nx), Conv1D(4 * nx, nx)

    def split_heads(self, u):
        return u.view(u.size(0), u.size(1), self.n_head, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        query, key, value = self.c_attn(self.ln_1(x)).chunk(3, dim=-1)
        query, key, value = self.split_heads(query), self.split_heads(key), self.split_heads(value)
        nd = query.size(-2)
        w = torch.matmul(query, key.permute(0, 1, 3, 2)) / value.size(-1) ** 0.5
        b = torch.tril(torch.ones(nd, nd)).view(1, 1, nd, nd)
        w = w * b - 1e4 * (1 - b)
        w = F.softmax(w, dim=-1)
        a = torch.matmul(w, value).permute(0, 2, 1, 3).contiguous()
        x = x + self.c_proj(a.view(a.size(0), a.size(1), -1))
        m = F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        return x + self.mlp_proj(m)


npz = {k: torch.from_numpy(v) for k, v in np.load(os.path.join(os.path.dirname(path), "weights.npz")).items()}
blocks = nn.ModuleList([Block(4, 2), Block(4, 2)])
with torch.no_grad():
    for i, block in enumerate(blocks):
        block.c_attn.weight.copy_(torch.cat([npz[f"h{i}.{n}"] for n in ("wq", "wk", "wv")]).t())
        block.c_proj.weight.copy_(npz[f"h{i}.wo"].t())
        block.c_proj.bias.copy_(npz[f"h{i}.bo"])
        block.c_fc.weight.copy_(npz[f"h{i}.w1"].t())
        block.c_fc.bias.copy_(npz[f"h{i}.b1"])
        block.mlp_proj.weight.copy_(npz[f"h{i}.w2"].t())
        block.mlp_proj.bias.copy_(npz[f"h{i}.b2"])
ln_f = nn.LayerNorm(4)
with torch.no_grad(), recording:
    hidden_states = F.embedding(npz["ids"], npz["wte"])[None] + npz["wpe"]
    for block in blocks:
        hidden_states = block(hidden_states)
    hidden_states = ln_f(hidden_states)
    lm_logits = hidden_states @ npz["head"].t()
print(lm_logits)
