import torch

xs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])
w_q = torch.tensor([[-0.23542964, 0.019124476, -0.28674594], [0.21772662, -0.4919342, 0.42322308], [-0.4196414, -0.45901766, -0.36482018], [0.2614782, -0.2133264, 0.21605217]])
w_k = torch.tensor([[-0.49001414, -0.35029206, -0.2119892], [-0.11346072, -0.44043937, 0.37804362], [-0.13615717, 0.18532233, 0.4082695], [0.107563816, 0.15787685, 0.55729234]])
w_v = torch.tensor([[-0.2603904, 0.18287641, -0.25687245], [0.41260317, 0.4611045, -0.53230095], [0.49285263, 0.27569306, 0.25159022], [0.23768058, 0.47995073, -0.07623307]])
T, dim = 6, 4


def precompute(theta):
    inv = 1.0 / (theta ** (torch.arange(0, dim, 2).float() / dim))
    ang = torch.arange(T).float()[:, None] * inv[None]
    ang = torch.cat([ang, ang], dim=-1)
    return torch.sin(ang), torch.cos(ang)


cos, sin = precompute(10000.0)


def apply(h):
    half = torch.cat([-h[:, dim // 2:], h[:, :dim // 2]], dim=-1)
    return h * cos + half * sin


Q = xs @ w_q.T
K = xs @ w_k.T
V = xs @ w_v.T
Qr = apply(Q)
Kr = apply(K)
S = Qr @ Kr.T / dim ** 0.5
S = S.masked_fill(~torch.tril(torch.ones(T, T)).bool(), float("-inf"))
A = torch.softmax(S, dim=-1)
ctx = A @ V
print(ctx)
