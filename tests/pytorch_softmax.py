#!/usr/bin/env python3
"""Compares softmax, log_softmax and cross_entropy with PyTorch's, bit for bit."""
import ctypes
import random

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.unequal.restype = ctypes.c_int64
library.nll_loss.restype = ctypes.c_float
functional = torch.nn.functional
size = ctypes.c_size_t
random.seed(1)
torch.manual_seed(1)


def ours(name, x, dim):
    """Our softmax or log_softmax of a contiguous tensor over a dimension."""
    y = torch.empty_like(x)
    n = x.size(dim)
    columns = x[(0,) * (dim + 1)].numel() if dim + 1 < x.dim() else 1
    each = n * columns
    for start in range(0, x.numel(), each):
        at = lambda t: ctypes.c_void_p(t.data_ptr() + 4 * start)
        if dim == x.dim() - 1:
            library[name + "_row"](at(x), size(n), at(y))
        else:
            library[name + "_columns"](at(x), size(n), size(columns), at(y))
    return y


def scores(*shape):
    """Scores as attention has them, some hidden, some huge, some nan."""
    x = torch.randn(*shape) * random.choice((0.1, 1, 10, 100))
    hidden = random.choice((0, 0, 0.3))
    x[torch.rand(*shape) < hidden] = random.choice((-torch.inf, -torch.inf, -1e9, 0.0, -0.0))
    if random.random() < 0.02:
        x.view(-1)[random.randrange(x.numel())] = random.choice((torch.inf, torch.nan))
    return x


def compare(what, shapes):
    """Softmax and log_softmax of contiguous and transposed tensors over each of their dimensions."""
    tensors = numbers = wrong = 0
    for shape in shapes:
        x = scores(*shape)
        for dim in range(x.dim()):
            for view in (x, x.transpose(0, -1)):
                for name in "softmax", "log_softmax":
                    theirs = getattr(torch, name)(view, dim)
                    mine = ours(name, view.contiguous(), dim)
                    tensors += 1
                    numbers += mine.numel()
                    wrong += library.unequal(address(mine), address(theirs.contiguous()), ctypes.c_int64(mine.numel()))
    print(f"PyTorch {torch.__version__} {what}: {tensors:,} tensors, {numbers:,} numbers, {wrong:,} differ", flush=True)


def losses():
    """cross_entropy of rows, its target's classes at random."""
    count = wrong = 0
    for rows in [*range(1, 400), 1000, 4096, 5000, 70000]:
        for classes in 2, 6, 7, 11, 50:
            x = scores(rows, classes)
            target = torch.randint(classes, (rows,))
            theirs = functional.cross_entropy(x, target)
            logarithms = ours("log_softmax", x, 1)
            mine = torch.tensor(library.nll_loss(address(logarithms), address(target), size(rows), size(classes)))
            count += 1
            wrong += library.unequal(address(mine), address(theirs), ctypes.c_int64(1))
    print(f"PyTorch {torch.__version__} cross_entropy: {count:,} losses, {wrong:,} differ", flush=True)


compare("softmax, log_softmax of rows of 1 ... 300", [(n,) for n in range(1, 301)] * 3)
compare("softmax, log_softmax of 7 rows of 1 ... 300", [(7, n) for n in range(1, 301)])
compare("softmax, log_softmax over each dimension", [[random.randint(1, 24) for _ in range(random.randint(2, 4))]
                                                     for _ in range(3000)])
compare("softmax, log_softmax of large tensors", [(70, 40, 30), (3, 5000), (5000, 3), (4, 3000, 17), (2, 40000, 9)])
losses()
