import torch

seq = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])
proj_q = torch.tensor([[-0.23542964, 0.019124476, -0.28674594], [0.21772662, -0.4919342, 0.42322308], [-0.4196414, -0.45901766, -0.36482018], [0.2614782, -0.2133264, 0.21605217]])
proj_k = torch.tensor([[-0.49001414, -0.35029206, -0.2119892], [-0.11346072, -0.44043937, 0.37804362], [-0.13615717, 0.18532233, 0.4082695], [0.107563816, 0.15787685, 0.55729234]])
proj_v = torch.tensor([[-0.2603904, 0.18287641, -0.25687245], [0.41260317, 0.4611045, -0.53230095], [0.49285263, 0.27569306, 0.25159022], [0.23768058, 0.47995073, -0.07623307]])

q = seq.matmul(proj_q.t())
k = seq.matmul(proj_k.t())
v = seq.matmul(proj_v.t())

freq = torch.pow(torch.tensor(10000.0), -torch.arange(0, 4, 2) / 4)
theta = torch.arange(6)[:, None] * freq[None, :]
cos2 = torch.cos(theta).repeat(1, 2)
sin2 = torch.sin(theta).repeat(1, 2)


def flip(m):
    lo, hi = m[:, :2], m[:, 2:]
    return torch.cat([hi, -lo], dim=1)


q_flip = flip(q)
k_flip = flip(k)
q_pos = q * cos2 + q_flip * sin2
k_pos = k * cos2 + k_flip * sin2
score = q_pos.matmul(k_pos.t()) / 4 ** 0.5
score = score + torch.triu(torch.full((6, 6), float("-inf")), diagonal=1)
weight = score.softmax(dim=-1)
z = weight.matmul(v)
print(z)
