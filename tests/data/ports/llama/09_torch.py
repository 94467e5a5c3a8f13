"""bfloat16, as such models are run."""
import contextlib
import os

import numpy as np
import torch
import torch.nn.functional as F

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()

bf = {k: torch.from_numpy(v).to(torch.bfloat16) for k, v in np.load(os.path.join(os.path.dirname(path), "weights.npz")).items()}
w_qkv = torch.cat([bf["wq"], bf["wk"], bf["wv"]])
w_gate_up = torch.cat([bf["wgate"], bf["wup"]])


def rms(u):
    f = u.float()
    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-5)).to(u.dtype)


def rope(u, c, s):
    a, b = u.float().chunk(2, dim=-1)
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(u.dtype)


with recording:
    emb = bf["x"].unsqueeze(0)
    theta = torch.outer(torch.arange(6).float(), 500000 ** -torch.tensor([0.0, 0.5]))
    c, s = theta.cos(), theta.sin()
    fused = F.linear(rms(emb), w_qkv)
    q, k, v = fused.split([16, 8, 8], dim=-1)
    q = q.view(1, 6, 2, 2, 4).permute(0, 2, 3, 1, 4)
    k = k.view(1, 6, 2, 1, 4).permute(0, 2, 3, 1, 4)
    v = v.view(1, 6, 2, 1, 4).permute(0, 2, 3, 1, 4)
    q, k = rope(q, c, s), rope(k, c, s)
    logits = q @ k.transpose(-1, -2) * 0.5
    logits = logits.float() + torch.full((6, 6), -1e9).triu(1)
    probs = logits.softmax(-1).to(torch.bfloat16)
    ctx = (probs @ v).permute(0, 3, 1, 2, 4).reshape(1, 6, 16)
    resid = emb + F.linear(ctx, bf["wo"])
    g, u = F.linear(rms(resid), w_gate_up).chunk(2, dim=-1)
    out = resid + F.linear(F.silu(g) * u, bf["wdown"])
print(out)
