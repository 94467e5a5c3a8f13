import torch
from torch import nn


class SharedKV(nn.Module):
    """Keys and values from one layer; every query head picks its group."""

    def __init__(self):
        super().__init__()
        self.kv = nn.Linear(3, 8, bias=False)
        self.q = nn.Linear(3, 8, bias=False)
        self.o = nn.Linear(8, 8, bias=False)

    def forward(self, x):
        key, value = self.kv(x).split(4, dim=-1)
        query = self.q(x)
        t = x.shape[0]
        outs = []
        for h in range(4):
            g = h // 2
            qh = query[:, 2 * h:2 * h + 2]
            kh = key[:, 2 * g:2 * g + 2]
            vh = value[:, 2 * g:2 * g + 2]
            logit = (qh @ kh.t()) / 2 ** 0.5
            logit = logit + torch.full((t, t), -1e9).triu(diagonal=1)
            prob = nn.functional.softmax(logit, dim=1)
            outs.append(prob @ vh)
        cat = torch.cat(outs, dim=-1)
        return self.o(cat)


m = SharedKV()
torch.manual_seed(123)
first, second, third, fourth = nn.Linear(3, 4, bias=False), nn.Linear(3, 4, bias=False), nn.Linear(3, 8, bias=False), nn.Linear(8, 8, bias=False)
with torch.no_grad():
    m.kv.weight.copy_(torch.cat([first.weight, second.weight]))
    m.q.weight.copy_(third.weight)
    m.o.weight.copy_(fourth.weight)
x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                  [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])
print(m(x))
