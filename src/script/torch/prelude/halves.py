# Types of 16 bits.
import torch

_HALVES = (torch.bfloat16, torch.float16)


def _in_float32(name, function, input, *args):
    """What PyTorch computes of half types in float32, and rounds once."""
    wide = [x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in (input,) + args]
    return torch._named(function(*wide).to(input.dtype), name)
