"""PyTorch 2: scaled_dot_product_attention in place of scores and weights."""
import contextlib
import os

import torch
from torch import nn
from torch.nn import functional as F

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(3, 16, bias=False)
        self.k = nn.Linear(3, 8, bias=False)
        self.v = nn.Linear(3, 8, bias=False)
        self.o = nn.Linear(16, 3, bias=False)
        self.gate = nn.Linear(3, 6, bias=False)
        self.up = nn.Linear(3, 6, bias=False)
        self.down = nn.Linear(6, 3, bias=False)
        self.norm_1, self.norm_2 = nn.RMSNorm(3, eps=1e-5), nn.RMSNorm(3, eps=1e-5)

    def rope(self, u):
        f = torch.outer(torch.arange(u.size(-2)), 500000.0 ** (-torch.arange(0, 4, 2) / 4))
        f = torch.cat([f, f], -1)
        lo, hi = u.tensor_split(2, dim=-1)
        return u * f.cos() + torch.cat([-hi, lo], -1) * f.sin()

    def forward(self, x):
        y = self.norm_1(x)
        q = self.rope(self.q(y).unflatten(-1, (4, 4)).movedim(-2, -3))
        k = self.rope(self.k(y).unflatten(-1, (2, 4)).movedim(-2, -3))
        v = self.v(y).unflatten(-1, (2, 4)).movedim(-2, -3)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o(z.movedim(-3, -2).flatten(-2))
        y = self.norm_2(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return x


torch.manual_seed(123)
layer = Layer()
tokens = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                        [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
with torch.no_grad(), recording:
    result = layer(tokens)
print(result)
