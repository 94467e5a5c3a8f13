import torch
from torch import nn


class MLA(nn.Module):
    def __init__(self, dim, width, n_heads, kv_rank):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(dim, width, bias=False)
        self.kv_a = nn.Linear(dim, kv_rank, bias=False)
        self.kv_b = nn.Linear(kv_rank, 2 * width, bias=False)
        self.o_proj = nn.Linear(width, width)

    def by_head(self, u):
        return u.view(u.shape[0], u.shape[1], self.n_heads, -1).transpose(1, 2)

    def forward(self, x):
        q = self.by_head(self.q_proj(x))
        compressed = self.kv_a(x)
        both = self.kv_b(compressed)
        v, k = both.chunk(2, dim=-1)
        kh = self.by_head(k)
        vh = self.by_head(v)
        logits = torch.einsum("bhqd,bhkd->bhqk", q, kh) / q.shape[-1] ** 0.5
        logits = logits.masked_fill(torch.triu(torch.ones(6, 6), diagonal=1) > 0, float("-inf"))
        att = logits.softmax(-1)
        z = torch.einsum("bhqk,bhkd->bqhd", att, vh).flatten(2)
        return self.o_proj(z)


mla = MLA(3, 4, 2, 2)
with torch.no_grad():
    mla.q_proj.weight.copy_(torch.tensor([[-0.23542964, 0.019124476, -0.28674594], [0.21772662, -0.4919342, 0.42322308], [-0.4196414, -0.45901766, -0.36482018], [0.2614782, -0.2133264, 0.21605217]]))
    mla.kv_a.weight.copy_(torch.tensor([[-0.49001414, -0.35029206, -0.2119892], [-0.11346072, -0.44043937, 0.37804362]]))
    mla.kv_b.weight[:4] = torch.tensor([[-0.16675779, 0.22697258], [0.500026, 0.13173823], [0.19335887, 0.68254095], [-0.3189118, 0.22397694]])
    mla.kv_b.weight[4:] = torch.tensor([[-0.3146032, 0.5053336], [0.5647354, -0.65193284], [0.60361874, 0.33765367], [0.30813384, 0.2910981]])
    mla.o_proj.weight.copy_(torch.tensor([[0.41564953, -0.06601977, -0.42284924, -0.14347446], [-0.35213733, 0.03305334, -0.09335375, -0.26819247], [-0.0454607, 0.4737019, -0.03943771, 0.015875041], [-0.07798028, 0.078603506, 0.44550633, 0.30574644]]))
    mla.o_proj.bias.copy_(torch.tensor([0.17748076, 0.108655274, 0.11789644, 0.19316661]))
    y = mla(torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]]))
print(y)
