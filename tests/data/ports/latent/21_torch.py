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


class MLA(nn.Module):
    def __init__(self, dim, heads, hd, rank):
        super().__init__()
        self.heads, self.hd = heads, hd
        self.q_proj = nn.Linear(dim, heads * hd, bias=False)
        self.kv_a = nn.Linear(dim, rank, bias=False)
        self.k_b = nn.Linear(rank, heads * hd, bias=False)
        self.v_b = nn.Linear(rank, heads * hd, bias=False)
        self.o_proj = nn.Linear(heads * hd, heads * hd)

    def forward(self, x):
        b, n, _ = x.shape
        c = self.kv_a(x)
        q = self.q_proj(x).view(b, n, self.heads, self.hd).transpose(1, 2)
        k = self.k_b(c).view(b, n, self.heads, self.hd).transpose(1, 2)
        v = self.v_b(c).view(b, n, self.heads, self.hd).transpose(1, 2)
        logit = q @ k.transpose(-1, -2) * self.hd ** -0.5
        att = logit.softmax(dim=-1)
        o = (att @ v).transpose(1, 2).reshape(b, n, -1)
        return self.o_proj(o)


mla = MLA(3, 2, 2, 2)
mla.load_state_dict({"q_proj.weight": P["wq"], "kv_a.weight": P["wdown"], "k_b.weight": P["wupk"], "v_b.weight": P["wupv"], "o_proj.weight": P["wo"], "o_proj.bias": P["bo"]})
with run, torch.no_grad():
    result = mla(P["x"].unsqueeze(0))
print(result)
