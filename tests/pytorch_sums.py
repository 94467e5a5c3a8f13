#!/usr/bin/env python3
"""Compares sums with PyTorch's, bit for bit: every length up to 2000, and views of random shapes and strides."""
import ctypes
import itertools
import random

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.unequal.restype = ctypes.c_int64
random.seed(1)
torch.manual_seed(1)


def numbers(*shape):
    """Random numbers of very different sizes, so that every order of adding up shows."""
    return torch.randn(*shape) * torch.exp2(torch.randint(-8, 9, shape).float())


def ours(x, dims):
    """The sums of x over dims as sum_dimensions adds them up, without the dims."""
    kept = [size for i, size in enumerate(x.shape) if i not in dims]
    sums = torch.empty(kept)
    integers = lambda values: (ctypes.c_int64 * max(1, len(values)))(*values)
    library.sum_tensor(address(x), ctypes.c_int64(x.dim()), integers(x.shape), integers(x.stride()),
                       integers([i in dims for i in range(x.dim())]), address(sums))
    return sums


class Tally:
    """Counts tensors and numbers that were compared, and those that differ."""

    def __init__(self, what):
        self.what, self.tensors, self.numbers, self.wrong, self.examples = what, 0, 0, 0, []

    def add(self, mine, theirs, example):
        theirs = theirs.contiguous()
        count = library.unequal(address(mine), address(theirs), ctypes.c_int64(mine.numel()))
        self.tensors += 1
        self.numbers += mine.numel()
        self.wrong += count
        if count and len(self.examples) < 3:
            self.examples.append(example)

    def show(self):
        print(f"PyTorch {torch.__version__} {self.what}: {self.tensors:,} tensors, {self.numbers:,} sums,"
              f" {self.wrong:,} differ", *self.examples, flush=True)


def lengths():
    tally = Tally("sum of n, of rows of n, of columns of n, n = 1 ... 2000")
    for n in range(1, 2001):
        x = numbers(n)
        tally.add(ours(x, [0]), x.sum(), n)
        for shape, dims in ((3, n), [1]), ((n, 3), [0]), ((n, 45), [0]), ((2, n, 9), [1]), ((n, 5), [0, 1]):
            x = numbers(*shape)
            tally.add(ours(x, dims), x.sum(dims), (shape, dims))
    for n in 32768, 100000, 300007, 1 << 20, (1 << 20) + 17, 5000011:
        x = numbers(n)
        tally.add(ours(x, [0]), x.sum(), n)
    tally.show()


def view(x):
    """x or a view of it: permuted, every second element, cut off, expanded."""
    x = x.permute(*random.sample(range(x.dim()), x.dim()))
    for dim in range(x.dim()):
        if random.random() < 0.15 and x.size(dim) > 2:
            x = x.narrow(dim, 1, x.size(dim) - 1)
        if random.random() < 0.1 and x.size(dim) > 2:
            x = x[(slice(None),) * dim + (slice(None, None, 2),)]
    if random.random() < 0.1:
        dim = random.randrange(x.dim())
        x = x.narrow(dim, 0, 1).expand(*[7 if i == dim else -1 for i in range(x.dim())])
    return x


def views():
    tally = Tally("sum of views, 1 to 4 dimensions, over each set of dimensions")
    for _ in range(20000):
        ndim = random.randint(1, 4)
        most = {1: 3000, 2: 120, 3: 40, 4: 16}[ndim]
        x = view(numbers(*[random.choice((1, 2, 3, 8, random.randint(1, most))) for _ in range(ndim)]))
        for count in range(1, ndim + 1):
            for dims in itertools.combinations(range(ndim), count):
                tally.add(ours(x, dims), x.sum(dims), (tuple(x.shape), x.stride(), dims))
    tally.show()


lengths()
views()
