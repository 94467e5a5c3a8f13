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
