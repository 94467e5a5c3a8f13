import contextlib
import os

import torch
from torch import nn

try:
    import onestep
    recording = onestep.record(os.path.abspath(__file__)[:-3] + ".onestep", tokens="Your journey starts with one step".split())
except ImportError:
    recording = contextlib.nullcontext()


class RoPEAttention(nn.Module):
    def __init__(self, width_in, width):
        super().__init__()
        self.q_lin = nn.Linear(width_in, width, bias=False)
        self.k_lin = nn.Linear(width_in, width, bias=False)
        self.v_lin = nn.Linear(width_in, width, bias=False)
        inv = 1.0 / (10000 ** (torch.arange(0, width, 2).float() / width))
        t = torch.arange(64).float()
        ang = torch.einsum("i,j->ij", t, inv)
        self.register_buffer("cos", torch.cat((ang, ang), dim=-1).cos())
        self.register_buffer("sin", torch.cat((ang, ang), dim=-1).sin())

    def rope(self, z):
        n = z.size(-2)
        z1, z2 = z[..., : z.size(-1) // 2], z[..., z.size(-1) // 2:]
        turned = torch.cat((-z2, z1), dim=-1)
        return z * self.cos[:n] + turned * self.sin[:n]

    def forward(self, x):
        q = self.rope(self.q_lin(x))
        k = self.rope(self.k_lin(x))
        v = self.rope(self.v_lin(x))
        s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones_like(s).triu(1).bool(), float("-inf"))
        p = torch.softmax(s, dim=-1)
        ctx = p @ v
        return ctx


torch.manual_seed(123)
net = RoPEAttention(3, 4)
inp = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                     [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
with torch.no_grad(), recording:
    res = net(inp)
print(res)
