import contextlib
import os

import torch
import torch.nn as nn

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class FeedForward(nn.Module):
    def __init__(self, emb_dim, hidden_dim):
        super().__init__()
        self.fc1 = nn.Linear(emb_dim, hidden_dim, bias=False)
        self.fc2 = nn.Linear(emb_dim, hidden_dim, bias=False)
        self.fc3 = nn.Linear(hidden_dim, emb_dim, bias=False)

    def forward(self, x):
        x_fc1 = self.fc1(x)
        x_fc2 = self.fc2(x)
        bent = nn.functional.gelu(x_fc1)
        x = bent * x_fc2
        return self.fc3(x)


class GroupedQuery(nn.Module):
    def __init__(self, d_in, n, g, hd):
        super().__init__()
        self.n, self.g, self.hd = n, g, hd
        self.W_query = nn.Linear(d_in, n * hd, bias=False)
        self.W_key = nn.Linear(d_in, g * hd, bias=False)
        self.W_value = nn.Linear(d_in, g * hd, bias=False)
        self.out_proj = nn.Linear(n * hd, d_in, bias=False)
        theta = 500000 ** (-torch.arange(0, hd, 2).float() / hd)
        positions = torch.arange(16).float()
        self.register_buffer("freqs", torch.polar(torch.ones(16, hd // 2), torch.outer(positions, theta)))

    def rotate(self, u):
        pairs = torch.complex(*u.contiguous().chunk(2, dim=-1))
        turned = pairs * self.freqs[: u.shape[-2]]
        return torch.cat([turned.real, turned.imag], dim=-1)

    def forward(self, x):
        b, t, _ = x.shape
        queries = self.rotate(self.W_query(x).view(b, t, self.n, self.hd).transpose(1, 2))
        keys = self.rotate(self.W_key(x).view(b, t, self.g, self.hd).transpose(1, 2))
        values = self.W_value(x).view(b, t, self.g, self.hd).transpose(1, 2)
        keys = torch.stack([keys[:, i * self.g // self.n] for i in range(self.n)], dim=1)
        values = torch.stack([values[:, i * self.g // self.n] for i in range(self.n)], dim=1)
        attn_scores = queries @ keys.mT
        attn_scores = attn_scores.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1), -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.hd ** 0.5, dim=-1)
        context_vec = (attn_weights @ values).transpose(1, 2).reshape(b, t, -1)
        return self.out_proj(context_vec)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.att = GroupedQuery(3, 4, 2, 4)
        self.ff = FeedForward(3, 6)

    def norm(self, x):
        means = x.pow(2).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(means + 1e-5)

    def forward(self, x):
        shortcut = x
        x = self.att(self.norm(x))
        x = x + shortcut
        shortcut = x
        x = self.ff(self.norm(x))
        x = x + shortcut
        return x


torch.manual_seed(123)
layer = Layer()
inputs = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                        [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
with torch.no_grad(), recording:
    final = layer(inputs)
print(final)
