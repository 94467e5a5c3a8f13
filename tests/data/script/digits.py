# The last digits of functions: what SLEEF gives of eight numbers at a time, and what is left at the end.
import torch
import torch.nn.functional as F

torch.manual_seed(3)
for count in (48, 7):
    x, p = torch.randn(count) * 3, torch.rand(count) * 5 + 0.001
    print(torch.log1p(p).tolist())
    print(torch.log1p(x * 0.1).tolist())
    print(torch.log2(p).tolist())
    print(torch.log10(p).tolist())
    print(torch.expm1(x).tolist())
    print(F.logsigmoid(x).tolist())
    print(F.elu(x).tolist())
    print((p ** 1.7).tolist())
    print((p ** -0.3).tolist())
x = torch.randn(48) * 3
print(F.gelu(x, approximate="tanh").tolist())
print(F.softplus(x).tolist())
print(torch.log1p(torch.tensor([-1.0, -2.0, 0.0, -0.0, float("inf"), float("nan"), 1e38, 3e38, 1e-30])).tolist())
print(torch.expm1(torch.tensor([88.7, 89.0, -17.0, -16.6, 0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-30])).tolist())
print(torch.log2(torch.tensor([0.0, -1.0, 1e-40, float("inf"), float("nan"), 8.0])).tolist())
print(torch.log10(torch.tensor([0.0, -1.0, 1e-40, float("inf"), float("nan"), 1000.0])).tolist())
for size in (1, 3, 8, 12, 33, 300):
    x, weight, bias = torch.randn(2, size) * 2, torch.randn(size), torch.randn(size)
    print(F.layer_norm(x, (size,)).tolist())
    print(F.layer_norm(x, (size,), weight, bias).tolist())
