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


class GQA(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, head_dim):
        super().__init__()
        self.n_heads, self.n_kv, self.hd = n_heads, n_kv_heads, head_dim
        self.wq = nn.Linear(dim, n_heads * head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.wo = nn.Linear(n_heads * head_dim, n_heads * head_dim, bias=False)

    def forward(self, x):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.hd).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv, self.hd).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv, self.hd).transpose(1, 2)
        keys = torch.repeat_interleave(xk, self.n_heads // self.n_kv, dim=1)
        vals = torch.repeat_interleave(xv, self.n_heads // self.n_kv, dim=1)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / self.hd ** 0.5
        keep = torch.tril(torch.ones(seqlen, seqlen, dtype=torch.bool), diagonal=-1)
        scores = scores.masked_fill(keep, float("-inf"))
        probs = F.softmax(scores, dim=-1)
        output = torch.matmul(probs, vals)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output)


gqa = GQA(3, 4, 2, 2)
gqa.load_state_dict({n + ".weight": P[n] for n in ("wq", "wk", "wv", "wo")})
with run, torch.no_grad():
    y = gqa(P["x"][None])
print(y)
