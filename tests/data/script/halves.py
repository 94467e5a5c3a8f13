# bfloat16, float16 and the small integers: what is rounded, and when.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 4)
for t in (torch.bfloat16, torch.float16):
    h = x.to(t)
    print(h, h.dtype, h.element_size(), h.itemsize, h.type())
    print(h + 0.1, h + 1.2345, h * 1.2345, h / 3, 3 / h, h @ h.T, h.sum(), h.mean(), h.std(), h.var(-1), h ** 2, h ** 3, h.max(), h.argmax())
    print(h.softmax(-1), h.softmax(0), h.log_softmax(-1), h.log_softmax(0), h.exp(), h.abs().sqrt(), h.abs().rsqrt(), h.logsumexp(-1))
    print(h > 0.1, h == 0.1, h + x, h + x[0, 0], h * torch.tensor(2.0), h + torch.arange(4), h.float(), h.double(), h.long())
    print(F.layer_norm(h, (4,)), F.rms_norm(h, (4,)), F.gelu(h), F.relu(h), torch.tanh(h), torch.sigmoid(h), F.silu(h), F.softplus(h))
    print(torch.zeros(2, dtype=t), torch.full((2,), 0.1, dtype=t), torch.tensor([1.1, 2.2], dtype=t), torch.arange(4, dtype=t), torch.zeros_like(h)[0])
    print(torch.cat([h, h])[3], torch.stack([h[0], h[1]]), h[1:, ::2], h.T.contiguous(), h.view(2, 6), h.masked_fill(h > 0, -1e4), torch.where(h > 0, h, 0.1))
    y = h.clone()
    y += 0.1
    y[0] = 1.23456
    y.mul_(1.1)
    print(y)
    w = h.clone().requires_grad_(True)
    loss = (w.exp() * w).sum() + F.cross_entropy(w, torch.tensor([0, 1, 2])) + (w.softmax(-1) * h).sum() + torch.tanh(w @ w.T).sum()
    loss.backward()
    print(loss, w.grad, w.grad.dtype)
    m = nn.Linear(4, 3).to(t)
    print(m(h), m.weight)
    m(h).pow(2).sum().backward()
    print(m.weight.grad, m.bias.grad)
    print(F.cross_entropy(h, torch.tensor([0, 1, 2])), F.mse_loss(h, h * 2), h.norm(), h.norm(dim=-1), h.cumsum(-1), h.clamp(-0.5, 0.5), h.topk(2), h.sort(-1))
    print(h[0, 0].item(), h.tolist()[0], torch.outer(h[0], h[0]), torch.einsum("ij,kj->ik", h, h), F.scaled_dot_product_attention(h[None], h[None], h[None]))
    for wrong in (lambda: h @ x.T, lambda: F.linear(h, x), lambda: F.linear(h, x, x[:, 0])):
        try:
            wrong()
        except RuntimeError as error:
            print(error)
    print(torch.finfo(t), f"{h[0, 0]:.4f}", torch.result_type(h, x), h.to(x).dtype, x.to(h).dtype, x.type_as(h).dtype, h.type(torch.float32).dtype)
    layer = nn.Linear(4, 2, dtype=t)
    print(layer(h), nn.LayerNorm(4, dtype=t)(h), nn.Embedding(5, 3, dtype=t)(torch.tensor([1, 2])), nn.LayerNorm(4).to(t)(h))
    print(torch.randn(3, dtype=t), torch.randn(20, dtype=t), torch.rand(3, dtype=t), torch.empty(17, dtype=t).normal_(1, 2), torch.randn_like(h[0]))
try:
    x.half().masked_fill(x > 0, -1e9)
except RuntimeError as error:
    print(error)

b = torch.tensor([250, 3], dtype=torch.uint8)
print(b + 10, b * b, b.sum(), ~b, b.float(), b / 2, b & torch.tensor([True, False]), b > 5, b.dtype, b.type(), b + torch.tensor([1, 1], dtype=torch.int8))
print(-torch.tensor([1, -128], dtype=torch.int8), torch.tensor([300]).to(torch.uint8), torch.tensor([40000]).short(), torch.ones(2).type(torch.ByteTensor))

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).bfloat16()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x.bfloat16()), torch.tensor([0, 1, 0]))
    loss.backward()
    optimizer.step()
    print(loss.item(), model[0].weight[0].tolist())
m = torch.tensor([1, 0, 1], dtype=torch.uint8)
y = torch.arange(6.0).view(2, 3)
print(y[:, m], y[0][m], torch.arange(3)[torch.tensor([2, 0], dtype=torch.int32)])
print(m == 0, y.masked_fill(m == 0, 9.0))
