#!/usr/bin/env python3
"""Compares the elementary functions of src/tensor/number/ with PyTorch's, for every float there is.

    python3 tests/pytorch_functions.py [NAME ...]

Prints a line a function: how many floats were compared and how many results differ. Takes a minute a function.
"""
import ctypes
import sys

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.differences.restype = ctypes.c_int64
NEWER = torch.__version__ >= "2"
EVERYTHING = float("inf")

# PyTorch's function, ours, and up to which magnitude ours answers.
FUNCTIONS = {
    "exp": (torch.exp, "vector_exp", EVERYTHING),
    "log": (torch.log, "vector_log", EVERYTHING),
    "log1p": (torch.log1p, "vector_log1p", EVERYTHING),
    "tanh": (torch.tanh, "vector_tanh", EVERYTHING),
    "erf": (torch.erf, "vector_erf_2_6" if NEWER else "vector_erf_1_13", EVERYTHING),
    "sin": (torch.sin, "vector_sin_2_6" if NEWER else "vector_sin_1_13", 125),
    "cos": (torch.cos, "vector_cos_2_6" if NEWER else "vector_cos_1_13", 125),
}


def compare(function, ours, limit):
    """Over all bit patterns, 2^24 at a time: how many were compared, how many differ, one that does."""
    compared = differing = 0
    example = None
    first = ctypes.c_float()
    for start in range(-2**31, 2**31, 2**24):
        x = torch.arange(start, start + 2**24, dtype=torch.int64).to(torch.int32).view(torch.float32)
        if limit != EVERYTHING:
            x = x[x.abs() < limit].contiguous()
        y = function(x)
        count = library.differences(getattr(library, ours), address(x), address(y), ctypes.c_int64(x.numel()),
                                    ctypes.byref(first))
        compared += x.numel()
        differing += count
        if count and example is None:
            example = first.value.hex()
    return compared, differing, example


for name in sys.argv[1:] or FUNCTIONS:
    function, ours, limit = FUNCTIONS[name]
    compared, differing, example = compare(function, ours, limit)
    print(f"PyTorch {torch.__version__} {name}: {compared:,} floats compared, {differing:,} differ",
          f"(the first is {example})" if example else "", flush=True)
