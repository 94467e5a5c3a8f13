# Five tokens are read at once, the last one with the cache.
import torch
import torch.nn as nn


class RMS(nn.Module):
    def forward(self, x):
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()


class CachedLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.wq = nn.Linear(3, 16, bias=False)
        self.wk = nn.Linear(3, 8, bias=False)
        self.wv = nn.Linear(3, 8, bias=False)
        self.wo = nn.Linear(16, 3, bias=False)
        self.w1 = nn.Linear(3, 6, bias=False)
        self.w3 = nn.Linear(3, 6, bias=False)
        self.w2 = nn.Linear(6, 3, bias=False)
        self.norm = RMS()
        self.k_cache = None
        self.v_cache = None

    def rope(self, x, pos):
        freq = 1 / 500000 ** (torch.arange(0, 4, 2).float() / 4)
        phase = pos.unsqueeze(1) * freq
        c = phase.cos()
        s = phase.sin()
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

    def forward(self, x, start_pos):
        bsz, n, _ = x.shape
        xn = self.norm(x)
        pos = torch.arange(start_pos, start_pos + n).float()
        q_new = self.rope(self.wq(xn).view(bsz, n, 4, 4).transpose(1, 2).contiguous(), pos)
        k_new = self.rope(self.wk(xn).view(bsz, n, 2, 4).transpose(1, 2).contiguous(), pos)
        v_new = self.wv(xn).view(bsz, n, 2, 4).transpose(1, 2)
        if self.k_cache is None:
            self.k_cache, self.v_cache = k_new, v_new
        else:
            self.k_cache = torch.cat([self.k_cache, k_new], dim=2)
            self.v_cache = torch.cat([self.v_cache, v_new], dim=2)
        keys = self.k_cache.repeat_interleave(2, dim=1)
        vals = self.v_cache.repeat_interleave(2, dim=1)
        total = keys.shape[2]
        scores = q_new @ keys.transpose(2, 3) / 2
        if n > 1:
            scores = scores.masked_fill(torch.ones(n, total).triu(diagonal=1).bool(), float("-inf"))
        probs = torch.softmax(scores, dim=-1)
        att = self.wo((probs @ vals).transpose(1, 2).reshape(bsz, n, 16))
        h = x + att
        hn = self.norm(h)
        return h + self.w2(nn.functional.silu(self.w1(hn)) * self.w3(hn))


torch.manual_seed(123)
net = CachedLayer()
text = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                      [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
prompt = text[:, :5]
with torch.no_grad():
    first = net(prompt, 0)
    cur = prompt.shape[1] + 1
    last = net(text[:, 5:], cur)
print(last)
