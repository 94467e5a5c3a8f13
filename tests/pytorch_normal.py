#!/usr/bin/env python3
"""Compares normal_block with Tensor.normal_: the uniform numbers are PyTorch's own, from the same seed."""
import ctypes

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.unequal.restype = ctypes.c_int64

COUNT = 1_000_000  # a multiple of 16; a ragged tail draws sixteen numbers of its own


def compare(seed, mean, deviation):
    """How many of COUNT numbers differ for one seed, from the uniform numbers of that seed."""
    ours = torch.rand(COUNT, generator=torch.Generator().manual_seed(seed))
    theirs = torch.empty(COUNT).normal_(mean, deviation, generator=torch.Generator().manual_seed(seed))
    library.normal_blocks(address(ours), ctypes.c_int64(COUNT), ctypes.c_float(mean), ctypes.c_float(deviation))
    return library.unequal(address(ours), address(theirs), ctypes.c_int64(COUNT))


for mean, deviation in (0.0, 1.0), (0.25, 0.02):
    differing = sum(compare(seed, mean, deviation) for seed in range(20))
    print(f"PyTorch {torch.__version__} normal_({mean}, {deviation}): 20 seeds, {20 * COUNT:,} numbers,"
          f" {differing:,} differ", flush=True)
