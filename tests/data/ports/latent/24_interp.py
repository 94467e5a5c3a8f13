import torch

inp = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
q_weight = torch.tensor([[-0.23542964, 0.019124476, -0.28674594], [0.21772662, -0.4919342, 0.42322308], [-0.4196414, -0.45901766, -0.36482018], [0.2614782, -0.2133264, 0.21605217]])
down = torch.tensor([[-0.49001414, -0.35029206, -0.2119892], [-0.11346072, -0.44043937, 0.37804362]])
up_k = torch.tensor([[-0.16675779, 0.22697258], [0.500026, 0.13173823], [0.19335887, 0.68254095], [-0.3189118, 0.22397694]])
up_v = torch.tensor([[-0.3146032, 0.5053336], [0.5647354, -0.65193284], [0.60361874, 0.33765367], [0.30813384, 0.2910981]])
out_weight = torch.tensor([[0.41564953, -0.06601977, -0.42284924, -0.14347446], [-0.35213733, 0.03305334, -0.09335375, -0.26819247], [-0.0454607, 0.4737019, -0.03943771, 0.015875041], [-0.07798028, 0.078603506, 0.44550633, 0.30574644]])
out_bias = torch.tensor([0.17748076, 0.108655274, 0.11789644, 0.19316661])


class LatentAttention(torch.nn.Module):
    def __init__(self, n_head, size):
        super().__init__()
        self.n_head, self.size = n_head, size

    def heads(self, t):
        return t.view(t.shape[0], t.shape[1], self.n_head, self.size).permute(0, 2, 1, 3)

    def forward(self, x):
        kv = x @ down.T
        q = self.heads(x @ q_weight.T)
        k = self.heads(kv @ up_k.T)
        v = self.heads(kv @ up_v.T)
        attn = q @ k.mT / self.size ** 0.5
        attn = attn + torch.full((6, 6), float("-inf")).triu(1)
        probs = torch.softmax(attn, dim=-2)
        y = probs @ v
        y = y.permute(0, 2, 1, 3).reshape(1, 6, self.n_head * self.size)
        return y @ out_weight.T + out_bias


mla = LatentAttention(2, 2)
z = mla(inp)
print(z)
