#!/usr/bin/env python3
"""Compares what is rounded once or taken from several numbers: mean, var, std, max, and arithmetic element by element."""
import ctypes
import random
import warnings

import numpy

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.unequal.restype = library.differences.restype = ctypes.c_int64
for name in "variance_of_all", "variance_of_row", "contiguous_sum":
    getattr(library, name).restype = ctypes.c_float
random.seed(1)
torch.manual_seed(1)
numpy.seterr(all="ignore")
warnings.simplefilter("ignore")


class Tally:
    """Counts tensors and numbers that were compared, and those that differ."""

    def __init__(self, what):
        self.what, self.tensors, self.numbers, self.wrong, self.examples = what, 0, 0, 0, []

    def add(self, mine, theirs, *example):
        mine = torch.as_tensor(mine, dtype=torch.float32).contiguous()
        theirs = theirs.contiguous()
        assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
        count = library.unequal(address(mine), address(theirs), ctypes.c_int64(mine.numel()))
        self.tensors += 1
        self.numbers += mine.numel()
        self.wrong += count
        if count:
            self.examples.append(example)

    def show(self):
        print(f"PyTorch {torch.__version__} {self.what}: {self.tensors:,} tensors, {self.numbers:,} numbers,"
              f" {self.wrong:,} differ", *self.examples[:3], flush=True)


def numbers(*shape):
    """Random numbers of very different sizes, 0, -0, inf and nan among them now and then."""
    x = torch.randn(*shape) * torch.exp2(torch.randint(-20, 20, shape).float())
    if random.random() < 0.3:
        x[torch.rand(*shape) < 0.2] = random.choice((0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-42, 1e38))
    return x


def variances():
    tally = Tally("var, std")
    size, double = ctypes.c_size_t, ctypes.c_double
    for n in [*range(1, 400), 1000, 5000]:
        for unbiased in True, False:
            x = torch.randn(n) * random.choice((1, 1e-3, 100)) + random.choice((0, 0, 1000))
            root = ctypes.c_float()
            variance = library.variance_of_all(address(x), size(n), double(unbiased), ctypes.byref(root))
            tally.add(variance, x.var(unbiased=unbiased), n)
            tally.add(root.value, x.std(unbiased=unbiased), n)
            rows = torch.randn(3, n) * 5 + random.choice((0, 0, 300))
            for matrix, stride in (rows, 1), (rows.t().contiguous().t(), 3):
                mine, roots = [], []
                for i in range(3):
                    at = ctypes.c_void_p(matrix[i].data_ptr())
                    mine.append(library.variance_of_row(at, size(n), size(stride), double(unbiased), ctypes.byref(root)))
                    roots.append(root.value)
                tally.add(mine, matrix.var(1, unbiased=unbiased), n, stride)
                tally.add(roots, matrix.std(1, unbiased=unbiased), n, stride)
    tally.show()


def means():
    tally = Tally("mean: the sum divided by the count as a float")
    for _ in range(5000):
        shape = [random.randint(1, 40) for _ in range(random.randint(1, 3))]
        x = numbers(*shape)
        for dim in [None, *range(len(shape))]:
            total = x.sum() if dim is None else x.sum(dim)
            count = x.numel() if dim is None else x.size(dim)
            tally.add(total.numpy() / numpy.float32(count), x.mean() if dim is None else x.mean(dim), shape, dim)
    tally.show()


def extremes():
    tally = Tally("max, amax, argmax: the first largest, nan above all")
    for _ in range(5000):
        shape = [random.randint(1, 40) for _ in range(random.randint(1, 3))]
        x = numbers(*shape).round(decimals=random.choice((0, 8)))
        flat = x.numpy()
        for dim in range(len(shape)):
            place = numpy.argmax(flat, dim)
            largest = torch.as_tensor(numpy.max(flat, dim))
            tally.add(torch.as_tensor(place).float(), x.argmax(dim).float(), shape, dim)
            tally.add(torch.as_tensor(place).float(), x.max(dim).indices.float(), shape, dim)
            tally.add(largest.float() + 0, x.amax(dim) + 0, shape, dim)
            tally.add(largest.float() + 0, x.max(dim).values + 0, shape, dim)
        tally.add(float(numpy.argmax(flat)), x.argmax().float(), shape)
    tally.show()


def view(x):
    """x as it lies, or transposed, or every second element of it."""
    return random.choice((x, x.transpose(0, -1), x[..., ::2], x[..., :-1] if x.size(-1) > 1 else x))


def arithmetic():
    tally = Tally("arithmetic: each operation rounded once, scalars rounded to float first")
    float32 = numpy.float32
    for _ in range(4000):
        shape = [random.randint(1, 30) for _ in range(random.randint(1, 3))]
        x, y = view(numbers(*shape)), view(numbers(*shape))
        if x.shape != y.shape:
            y = numbers(*x.shape)
        a, b = x.numpy(), y.numpy()
        s = random.choice((3 ** 0.5, 0.1, 7, 1 / 3, 2 ** -0.5, 1e-3, 6 ** -0.5, -0.0, 1e300))
        f = float32(s)
        zero = torch.tensor(s, dtype=torch.float32)
        one = float32(1)
        pairs = [
            (a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y), (a + f, x + s), (a - f, x - s),
            (f - a, s - x), (a * f, x * s), (a * f, s * x), (a / f, x / s), (a / f, x / zero), (a * f, x * zero),
            (f / a, zero / x), ((one / a) * f, s / x), (-a, -x), (numpy.abs(a), x.abs()),
            (numpy.sqrt(a), x.sqrt()), (numpy.sqrt(a), x ** 0.5), (one / numpy.sqrt(a), x.rsqrt()),
            (one / numpy.sqrt(a), x ** -0.5), (one / a, x.reciprocal()), (one / a, x ** -1), (a * a, x ** 2),
            (a * a * a, x ** 3), (one / (a * a), x ** -2), (a, x ** 1), (a * a, x.square()),
            (numpy.where(a < 0, float32(0), a), torch.relu(x)),
            (numpy.where(b > 0, f, a), x.masked_fill(y > 0, float(f))),
            (numpy.where(b > 0, a, float32(0)), torch.where(y > 0, x, torch.zeros(()))),
        ]
        for index, (mine, theirs) in enumerate(pairs):
            tally.add(torch.from_numpy(numpy.ascontiguousarray(mine)), theirs, index, s)
    tally.show()


def dropouts():
    tally = Tally("dropout: x times (keep / float(1 - p))")
    for p in (0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.9, 1 / 3, 0.999):
        for _ in range(50):
            x = numbers(random.randint(1, 20), random.randint(1, 20))
            seed = random.randrange(2 ** 31)
            torch.manual_seed(seed)
            theirs = torch.nn.functional.dropout(x, p)
            torch.manual_seed(seed)
            keep = torch.empty_like(x).bernoulli_(1 - p).numpy()
            tally.add(torch.from_numpy(x.numpy() * (keep / numpy.float32(1 - p))), theirs, p)
    tally.show()


variances()
means()
extremes()
arithmetic()
dropouts()
