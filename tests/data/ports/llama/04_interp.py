import torch
import torch.nn.functional as F

torch.manual_seed(123)
n_head, n_group, size = 4, 2, 4
lin_q = torch.nn.Linear(3, n_head * size, bias=False)
lin_k = torch.nn.Linear(3, n_group * size, bias=False)
lin_v = torch.nn.Linear(3, n_group * size, bias=False)
lin_o = torch.nn.Linear(n_head * size, 3, bias=False)
fc_gate = torch.nn.Linear(3, 6, bias=False)
fc_up = torch.nn.Linear(3, 6, bias=False)
fc_down = torch.nn.Linear(6, 3, bias=False)


def rms(t):
    return t * torch.rsqrt(torch.mean(t ** 2, dim=-1, keepdim=True) + 1e-5)


def rope(t):
    steps = torch.arange(t.size(2)).float()
    speeds = 1.0 / 500000 ** (torch.arange(0, size, 2) / size)
    angle = torch.outer(steps, speeds)
    x1, x2 = t[..., :2], t[..., 2:]
    return torch.cat([x1 * angle.cos() - x2 * angle.sin(), x2 * angle.cos() + x1 * angle.sin()], dim=-1)


def attention(t):
    q = rope(lin_q(t).view(1, 6, n_head, size).transpose(1, 2))
    k = rope(lin_k(t).view(1, 6, n_group, size).transpose(1, 2))
    v = lin_v(t).view(1, 6, n_group, size).transpose(1, 2)
    k = k.repeat_interleave(2, dim=1)
    v = v.repeat_interleave(2, dim=1)
    s = q @ k.transpose(-2, -1) / size ** 0.5
    s = s.masked_fill(torch.ones(6, 6).triu(diagonal=1).bool(), float("-inf"))
    z = (torch.softmax(s, dim=-1) @ v).transpose(1, 2).reshape(1, 6, n_head * size)
    return lin_o(z)


start = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
x = rms(start)
made = attention(x)
h = x + made
hn = rms(h)
gated = F.silu(fc_gate(hn)) * fc_up(hn)
y = h + fc_down(gated)
print(y)
