# Complex numbers as rotary embeddings use them.
import torch
from torch import nn

torch.manual_seed(0)
freqs = torch.outer(torch.arange(5).float(), 1.0 / (10000.0 ** (torch.arange(0, 6, 2).float() / 6)))
turns = torch.polar(torch.ones_like(freqs), freqs)
print(turns.shape, turns.dtype, turns.ndim, torch.view_as_real(turns)[1], torch.is_complex(turns), torch.is_complex(freqs))


class Rotary(nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.register_buffer("turns", turns, persistent=False)

    def forward(self, x, start=0):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        turns = self.turns[start:start + x.shape[1]].view(1, x.shape[1], 1, pairs.size(-1))
        return torch.view_as_real(pairs * turns).flatten(3).type_as(x)


x = torch.randn(2, 4, 2, 6, requires_grad=True)
rotary = Rotary(turns).eval()
y = rotary(x)
print(y[0, 1], rotary(x, 1)[1, 3])
(y * y.flip(-1)).sum().backward()
print(x.grad[0, 2])
z = torch.complex(torch.tensor([3.0, 1.0]), torch.tensor([4.0, -1.0]))
print(z.abs(), z.real, z.imag, torch.view_as_real(z * z.conj()), torch.view_as_real(z * 2 + z), z.unsqueeze(0).shape, z[..., None].shape, z.numel())
try:
    torch.view_as_complex(torch.ones(3))
except RuntimeError as error:
    print(error)
print(torch.hstack([torch.ones(2), torch.zeros(1)]), torch.hstack((torch.ones(2, 1), torch.zeros(2, 2))), torch.vstack([torch.ones(2), torch.zeros(3, 2)]))
