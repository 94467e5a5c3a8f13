"""GQA as a module, weights from weights.npz."""
import contextlib
import os

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import onestep
    recording = onestep.record(os.path.splitext(os.path.abspath(__file__))[0] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class GQA(nn.Module):
    def __init__(self, dim, inner, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.dh = heads, kv_heads, inner // heads
        self.wq = nn.Linear(dim, inner, bias=False)
        self.wk = nn.Linear(dim, kv_heads * self.dh, bias=False)
        self.wv = nn.Linear(dim, kv_heads * self.dh, bias=False)
        self.wo = nn.Linear(inner, inner, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq(x).reshape(b, t, self.heads, self.dh).permute(0, 2, 1, 3)
        k = self.wk(x).reshape(b, t, self.kv_heads, self.dh).permute(0, 2, 1, 3)
        v = self.wv(x).reshape(b, t, self.kv_heads, self.dh).permute(0, 2, 1, 3)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
        logits = q @ k.transpose(-2, -1)
        hidden = torch.tril(torch.ones(t, t)) == 0
        logits = logits.masked_fill(hidden, float("-inf"))
        p = logits.softmax(dim=-1)
        o = (p @ v).permute(0, 2, 1, 3).reshape(b, t, -1)
        return self.wo(o)


w = np.load(os.path.join(HERE, "weights.npz"))
net = GQA(3, 8, 4, 2)
net.load_state_dict({f"{n}.weight": torch.from_numpy(w[n]) for n in ("wq", "wk", "wv", "wo")})
tokens = torch.from_numpy(w["x"])[None]
with torch.no_grad(), recording:
    y = net(tokens)
print(y)
