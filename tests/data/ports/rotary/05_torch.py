import contextlib
import os

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import onestep
    recording = onestep.record(os.path.join(HERE, "05_torch.onestep"))
except ImportError:
    recording = contextlib.nullcontext()

weights = {n: torch.from_numpy(a) for n, a in np.load(os.path.join(HERE, "weights.npz")).items()}


def rope_tables(length, dim, base=10000.0):
    power = torch.arange(dim // 2) / dim
    speed = base ** -power
    phase = torch.arange(length).unsqueeze(-1) * speed
    return phase.cos(), phase.sin()


def apply_rope(u, c, s):
    a, b = u.chunk(2, dim=-1)
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


with recording:
    h = weights["x"]
    c, s = rope_tables(len(h), 4)
    Q = apply_rope(h @ weights["wq"].T, c, s)
    K = apply_rope(h @ weights["wk"].T, c, s)
    V = h @ weights["wv"].T
    G = Q @ K.T
    M = torch.full_like(G, -torch.inf).triu(1)
    A = torch.softmax(G / 2 + M, dim=-1)
    Z = A @ V
print(Z)
