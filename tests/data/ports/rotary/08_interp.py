import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.rates = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)

    def forward(self, u):
        where = torch.arange(u.shape[0]).float()
        phi = torch.outer(where, self.rates)
        left, right = u.chunk(2, dim=-1)
        return torch.cat([left * phi.cos() - right * phi.sin(), right * phi.cos() + left * phi.sin()], dim=-1)


class Attention(nn.Module):
    def __init__(self, d_in, d):
        super().__init__()
        self.d = d
        self.to_q = nn.Linear(d_in, d, bias=False)
        self.to_k = nn.Linear(d_in, d, bias=False)
        self.to_v = nn.Linear(d_in, d, bias=False)
        self.rotary = Rotary(d)

    def forward(self, x):
        q = self.rotary(self.to_q(x))
        k = self.rotary(self.to_k(x))
        v = self.to_v(x)
        dots = torch.mm(q, k.t())
        dots = dots / self.d
        dots = dots.masked_fill(torch.tril(torch.ones(6, 6)) == 0, float("-inf"))
        attn = F.softmax(dots, dim=-1)
        out = torch.mm(attn, v)
        return out


torch.manual_seed(123)
model = Attention(3, 4)
words = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                      [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])
print(model(words))
