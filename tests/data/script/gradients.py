# In which order PyTorch adds up gradients follows from how they lie in memory.
import torch

torch.manual_seed(122)
turned = torch.randn(4, 5, requires_grad=True)
x = turned.transpose(0, 1)
total = x.sum(0, keepdim=True)
total.retain_grad()
((x * total) * 1.51).sum().backward()
print(total.grad.tolist())
print(turned.grad[2:, 0].tolist())

# Two gradients are added: the sum lies as the first does.
torch.manual_seed(881)
torch.randn(5, 3)
x1 = torch.randn(5, 5, requires_grad=True)
x4 = x1 * x1.sum(0, keepdim=True)
x5 = torch.cat([x4, x4])[:5]
x6 = x4 + x5
x7 = x5 * x5.sum(0, keepdim=True)
x11 = (x6 * x6).t()
((x7 * -1.8).sum() + (x5[:, :2] * -0.1).sum() + (x11 * -1.86).sum() + (x5.t() * 0.05).sum()).backward()
print(x1.grad.tolist())

# A part's gradient is copied into place: -0 stays -0. What is repeated is added up.
whole = torch.ones(2, 3, requires_grad=True)
(whole[:, :2] * torch.tensor([-0.0, 1.0])).sum().backward()
print(whole.grad.tolist())
one = torch.ones(1, 2, requires_grad=True)
(one.expand(3, 2) * torch.tensor([-0.0, 1.0])).sum().backward()
print(one.grad.tolist())

# Above a power of two, numbers are wider apart.
print(2.0**-24, -(2.0**-24), 2.0**-44, 2.0**-1022, torch.tensor(2.0**-24).tolist())

# .data is set between the graph and the way back.
a = torch.tensor([1., 2.], requires_grad=True)
b = (a * a * torch.tensor([1., 1.])).sum()
a.data = torch.tensor([10., 20.])
b.backward()
print(a.grad)
w = torch.nn.Parameter(torch.tensor([[1., 2.]]))
x = torch.tensor([[3., 4.]], requires_grad=True)
loss = (x @ w.t()).sum() + (x * w).sum() + torch.exp(w).sum()
w.data = w.data - 0.5
loss.backward()
print(w.grad, x.grad)
c = torch.tensor([1., 2.], requires_grad=True)
d = c.exp().sum() + (c ** 2).sum() + c.sum()
e = c.detach()
c.data = torch.tensor([3.0, 4.0])
d.backward()
print(c.grad, e)
f = torch.tensor([1., 2.], requires_grad=True)
g = f[0] * f[1] + f.view(2).sum()
f.data = torch.tensor([3., 5.])
g.backward()
print(f.grad)

# ... to another shape.
lin = torch.nn.Linear(3, 2)
lin.weight.data = torch.ones(4, 3)
lin.bias.data = torch.zeros(4)
print(lin.weight, lin.weight.requires_grad, lin.weight.is_leaf)
out = lin(torch.ones(1, 3)).sum()
out.backward()
print(lin.weight.grad, lin.bias.grad)
emb = torch.nn.Embedding(3, 2)
emb.weight.data = torch.arange(8.).view(4, 2)
emb(torch.tensor([3])).sum().backward()
print(emb.weight.grad)
a = torch.ones(2, requires_grad=True)
b = a * 2
a.data = torch.ones(3)
try:
    (b.sum()).backward()
    print(a.grad)
except RuntimeError as e:
    print(e)
c = torch.ones(2, requires_grad=True)
c.data = c.data[:1]
(c * 5).sum().backward()
print(c, c.grad)
c.data = torch.ones(3)
print(c.grad)
del b
d = torch.ones(2, requires_grad=True)
(d * 5).sum().backward()
d.data = torch.ones(3)
try:
    (d * 2).sum().backward()
    print(d.grad)
except RuntimeError as e:
    print(e)
d.grad = None
(d * 2).sum().backward()
print(d.grad)
d.data = d.data.double()
print(d, d.dtype)
try:
    (d * 2).sum().backward()
    print(d.grad)
except RuntimeError as e:
    print(e)
opt = torch.optim.SGD([d], lr=0.1)
d.data = torch.zeros(3)
d.grad = None
(d * 2).sum().backward()
opt.step()
print(d)
def attempt(make, old, new):
    q = torch.nn.Parameter(old)
    z = make(q)
    q.data = new
    try:
        z.backward()
        print(q.grad)
    except RuntimeError as e:
        print("E", e)


new = torch.arange(4.)
for old in (torch.ones(2, 3), torch.ones(4, 4), torch.ones(2, 4)):
    attempt(lambda q: (q * q).sum(), old, new)
    attempt(lambda q: (q * 2).sum(), old, new)
    attempt(lambda q: q.sum(), old, new)
    attempt(lambda q: q.view(-1).sum(), old, new)
