# What of torch.nn, torch.optim and gradients is not in the lessons; training.out is what PyTorch 2.6 prints of it.
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def show(name, *tensors):
    print(name, *[x if x is None else x.tolist() for x in tensors])


def refused(action):
    try:
        action()
        print("not refused")
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:150])


torch.manual_seed(3)
net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3))
x, y = torch.randn(7, 5), torch.tensor([0, 2, 1, 1, 0, 2, 2])
makers = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1), "decay": lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.03),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, dampening=0.1),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.8, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01), "adam decay": lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.8, 0.95)), "maximize": lambda p: torch.optim.SGD(p, lr=0.1, maximize=True)}
for name, make in makers.items():
    own = copy.deepcopy(net)
    optimizer = make(own.parameters())
    for update in range(4):
        optimizer.zero_grad()
        loss = F.cross_entropy(own(x), y)
        loss.backward()
        optimizer.step()
    show(name, loss, own[0].weight[0], own[2].bias)

# The order in which gradients are added, and what they are added to.
w = torch.randn(4, 4, requires_grad=True)
a = w * 3
b = a[1:3] + a[:2] * w.T[2:]
((b @ w[:, 1]).sum() + (w.view(2, 8) ** 2).mean() + a.sum() * 0.1).backward()
show("uses", w.grad)
w.sum().backward()
show("added", w.grad)
with torch.no_grad():
    cut = w[0] * 2
(cut * w[1]).sum().backward()
show("cut", w.grad, cut)
v = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
first, = torch.autograd.grad((v ** 3 / 3).sum(), v, create_graph=True)
second, = torch.autograd.grad(first.sum(), v)
show("twice", first, second)
s = v.exp().softmax(0)
s.retain_grad()
kept = (s * torch.arange(3.0)).sum()
kept.backward(retain_graph=True)
kept.backward()
show("kept", v.grad, s.grad)
print(v.grad_fn, s.grad_fn.name(), s.is_leaf, v.is_leaf, (v.detach() * 2).requires_grad)
show("unused", *torch.autograd.grad(s.sum() if False else (v * 2).sum(), [v, w], allow_unused=True))
z = v.clone()
z[0] = 7.0
z *= v
z.sum().backward()
show("in place", v.grad, z)
p = nn.Parameter(torch.ones(3))
p.data.mul_(2)
with torch.no_grad():
    p -= 0.5
show("parameter", p)
refused(lambda: (v * 2).backward())
refused(lambda: torch.ones(2).sum().backward())
refused(lambda: kept.backward())
refused(lambda: torch.autograd.grad((v * 2).sum(), [w]))
refused(lambda: (v * 2).backward(torch.ones(2)))
refused(lambda: v.mul_(2))
refused(lambda: torch.optim.SGD([], lr=0.1))
refused(lambda: torch.optim.Adam([v], lr=-1.0))
refused(lambda: torch.optim.SGD([v * 2], lr=0.1))
refused(lambda: nn.Linear(2, 3).load_state_dict({"weight": torch.ones(2, 2)}))
refused(lambda: nn.Linear(2, 3).missing)
refused(lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 5])))

# Losses and layers.
logits = torch.randn(4, 5, requires_grad=True)
target = torch.tensor([1, -100, 4, 0])
weight = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0])
for options in {}, {"reduction": "sum"}, {"reduction": "none"}, {"weight": weight}, {"label_smoothing": 0.1}:
    logits.grad = None
    loss = F.cross_entropy(logits, target, **options)
    loss.sum().backward()
    print(sorted(options), [f"{n:.5f}" for n in loss.flatten().tolist()], [f"{n:.5f}" for n in logits.grad[0].tolist()])
norm = nn.LayerNorm(6)
near = norm(torch.randn(2, 6, requires_grad=True) * 3 + 1)
print(norm, near, nn.RMSNorm(4)(torch.tensor([[1.0, 2.0, 3.0, 4.0]])))
embedding = nn.Embedding(5, 3, padding_idx=1)
embedding(torch.tensor([[0, 1, 4], [4, 1, 1]])).pow(2).sum().backward()
show("embedding", embedding.weight, embedding.weight.grad)
print(nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.ModuleList([nn.GELU(), nn.SiLU(), nn.GELU()])}))
print([name for name, _ in net.named_modules()], [name for name, _ in net.named_parameters()], net.training, net.eval()[1].training)
for start in (nn.init.kaiming_normal_, nn.init.xavier_uniform_, nn.init.xavier_normal_, nn.init.ones_):
    show(start.__name__, start(torch.empty(4, 5)))
print(torch.optim.SGD([v], lr=0.1, momentum=0.9))
