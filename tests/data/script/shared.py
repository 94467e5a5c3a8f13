# .data, detach(), Parameter() and views over the same numbers: who sees a write, and what the way back reads.
import torch
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
x = torch.tensor([1.0, 1.0, 2.0], requires_grad=True)
y = x * w
w.data.mul_(10)
print(w, y)
y.sum().backward()
print(x.grad, w.grad)
a = torch.zeros(3)
b = a.data
c = a.detach()
v = a[1:]
a[0] = 5
b[1] = 7
c[2] = 9
print(a, b, c, v)
p = torch.nn.Parameter(torch.ones(2))
old = p
q = p * 2
with torch.no_grad():
    p.add_(1)
    p -= 0.5
print(p, q)
p.data = torch.zeros(2)
print(p)
m = torch.nn.Linear(2, 1)
z = m(torch.ones(1, 2))
m.weight.data.copy_(torch.ones(1, 2))
m.bias.data.zero_()
print(m(torch.ones(1, 2)), z.shape)
e = torch.ones(3, requires_grad=True)
f = e.exp()
g = f.data
g.fill_(2.0)
f.sum().backward()
print(e.grad, f)
s = torch.arange(4.0)
t = s.data
u = t.view(2, 2)
u[0] = 8
s += 1
print(s, t, u)
y = torch.ones(3, requires_grad=True) * 2
d = y.data
y.mul_(3)
print(d, y)
d[0] = 0
print(d, y)
r = torch.ones(2)
n = torch.nn.Parameter(r)
r += 5
print(n)
k = torch.nn.Parameter(torch.zeros(2))
k.data = r
r[0] = -1
print(k, r)
for write in (lambda t: t.detach().mul_(2), lambda t: t.data.mul_(2)):
    w = torch.ones(2, requires_grad=True)
    out = (w * w).exp()
    write(out)
    try:
        out.sum().backward()
        print(w.grad)
    except RuntimeError as error:
        print(str(error)[:80])
h = torch.ones(4).bfloat16()
i = h.data
i += 0.33333
print(h, i, h.dtype)
