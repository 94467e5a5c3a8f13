#!/usr/bin/env python3
"""Compares products with PyTorch's, bit for bit: dot, mv, mm, addmm, bmm, and what matmul and linear make of them."""
import ctypes
import random

from pytorch_library import address, number, torch

torch = torch()
library = number()
library.unequal.restype = ctypes.c_int64
library.dot.restype = ctypes.c_float
functional = torch.nn.functional
NEWER = torch.__version__ >= "2"
BLAS, ONE_CHAIN, OWN_LOOP = 0, 1, 2
SMALL_BATCH = 400
random.seed(1)
torch.manual_seed(1)


def described(tensor):
    """A vector or a matrix for C."""
    numbers = [tensor.data_ptr(), *tensor.shape, *tensor.stride()]
    return (ctypes.c_int64 * len(numbers))(*numbers)


def mm(a, b, how=BLAS, start=None):
    """a @ b of two matrices, begun with the matrix start."""
    c = torch.empty(a.size(0), b.size(1))
    library.mm(described(a), described(b), None if start is None else address(start), address(c), ctypes.c_int64(how))
    return c


def mv(a, x):
    """a @ x of a matrix and a vector."""
    y = torch.empty(a.size(0))
    library.mv(described(a), described(x), address(y))
    return y


def bmm(a, b):
    """Batches of matrices: PyTorch's own loop below SMALL_BATCH multiplications a matrix."""
    how = OWN_LOOP if a.size(1) * a.size(2) * b.size(2) < SMALL_BATCH else BLAS
    return torch.stack([mm(x, y, how) for x, y in zip(a, b)])


def folds(larger, other, transposed):
    """Whether matmul makes one matrix of the larger operand's batch and asks mm or mv (should_fold)."""
    if other.dim() > 2:
        return False
    if not NEWER:
        return not (larger.dim() == 3 and other.dim() == 2 and larger.stride(-1) != 1 and
                    larger.stride(0) == larger.size(1) * larger.size(2))
    if other.requires_grad:
        return True
    one_matrix = all(larger.stride(i) == larger.stride(i + 1) * larger.size(i + 1) for i in range(larger.dim() - 2))
    return one_matrix and not (transposed and other.dim() == 2)


def matmul(a, b):
    """torch.matmul's choice among dot, mv, mm and bmm (ATen/native/LinearAlgebra.cpp, _matmul_impl)."""
    if a.dim() == 1 and b.dim() == 1:
        return torch.tensor(library.dot(described(a), described(b)))
    if a.dim() == 2 and b.dim() == 1:
        return mv(a, b)
    if a.dim() <= 2 and b.dim() == 2:
        return mm(a.reshape(-1, a.size(-1)), b).reshape(*a.shape[:-1], b.size(-1))
    transposed = b.dim() > a.dim()
    larger, other = (b.mT, a.t() if a.dim() == 2 else a) if transposed else (a, b)
    if folds(b if transposed and not NEWER else larger, a if transposed else b, transposed):
        folded = larger.reshape(-1, larger.size(-1))
        if other.dim() == 1:
            return mv(folded, other).reshape(larger.shape[:-1])
        product = mm(folded, other).reshape(*larger.shape[:-1], -1)
        return product.mT.contiguous() if transposed else product
    if NEWER and a.dim() == b.dim() == 3 and a.size(0) != b.size(0):
        if a.size(0) == 1 and a.requires_grad:
            return matmul(a[0], b)
        if b.size(0) == 1 and b.requires_grad:
            return matmul(a, b[0])
    rows = a if a.dim() > 1 else a.unsqueeze(0)
    columns = b if b.dim() > 1 else b.unsqueeze(1)
    batch = torch.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    left = rows.expand(*batch, *rows.shape[-2:]).reshape(-1, *rows.shape[-2:])
    right = columns.expand(*batch, *columns.shape[-2:]).reshape(-1, *columns.shape[-2:])
    shape = [*batch, *rows.shape[-2:-1][:a.dim() - 1], *columns.shape[-1:][:b.dim() - 1]]
    return bmm(left, right).reshape(shape)


def linear(x, weight, bias):
    """F.linear's choice: addmm where there is a bias and x is a matrix or can be seen as one, else matmul and add."""
    if bias is not None and (x.dim() == 2 or x.dim() > 1 and x.is_contiguous() and (NEWER or x.dim() == 3)):
        rows = x.reshape(-1, x.size(-1))
        start = bias.expand(rows.size(0), -1).contiguous()
        return mm(rows, weight.t(), BLAS, start).reshape(*x.shape[:-1], -1)
    product = matmul(x, weight.t())
    return product if bias is None else product + bias


class Tally:
    """Counts products and numbers that were compared, and those that differ."""

    def __init__(self, what):
        self.what, self.products, self.numbers, self.wrong, self.examples = what, 0, 0, 0, []

    def add(self, mine, theirs):
        mine, theirs = mine.detach(), theirs.detach()
        assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
        mine, theirs = mine.contiguous(), theirs.contiguous()
        count = library.unequal(address(mine), address(theirs), ctypes.c_int64(mine.numel()))
        self.products += 1
        self.numbers += mine.numel()
        self.wrong += count
        return count

    def show(self):
        print(f"PyTorch {torch.__version__} {self.what}: {self.products:,} products, {self.numbers:,} numbers,"
              f" {self.wrong:,} differ", *self.examples[:3], flush=True)

    def check(self, mine, theirs, *operands):
        if self.add(mine, theirs):
            self.examples.append([(tuple(x.shape), x.stride()) for x in operands])


def numbers(*shape):
    """Random numbers, now and then hidden, huge or tiny ones among them."""
    x = torch.randn(*shape)
    kind = random.random()
    if kind < 0.1:
        x *= random.choice((1e-30, 1e-22, 1e18, 1e-42))
    elif kind < 0.15:
        x[torch.rand(*shape) < 0.3] = random.choice((0.0, -0.0, torch.inf, torch.nan))
    return x


def placed(*shape):
    """Random numbers in a tensor of this shape that lies in memory in one of the ways that views make."""
    order = list(range(len(shape)))
    if random.random() < 0.5:
        random.shuffle(order)
    step = [random.choice((1, 1, 1, 1, 2)) for _ in shape]
    offset = [random.choice((0, 0, 0, 1, 3)) for _ in shape]
    whole = [shape[i] * step[i] + offset[i] for i in order]
    x = numbers(*whole)[tuple(slice(offset[i], None, step[i]) for i in order)]
    inverse = [order.index(i) for i in range(len(shape))]
    return x.permute(*inverse)


def dots():
    tally = Tally("dot")
    for n in [*range(1, 700), 1000, 4096, 10001]:
        for _ in range(3):
            x, y = placed(n), placed(n)
            tally.check(matmul(x, y), x @ y, x, y)
    tally.show()


def vectors():
    tally = Tally("mv")
    for _ in range(20000):
        most = random.choice((6, 20, 70))
        a, x = random.randint(1, most), random.randint(1, most)
        a, x = placed(a, x), placed(x)
        tally.check(matmul(a, x), a @ x, a, x)
    for rows, columns in (3, 5000), (5000, 3), (4100, 17), (17, 4100), (4096, 9), (9, 4096), (8200, 12), (12, 8203):
        for _ in range(6):
            a, x = placed(rows, columns), placed(columns)
            tally.check(matmul(a, x), a @ x, a, x)
    tally.show()


def matrices():
    tally = Tally("mm, vector @ matrix, addmm")
    one = Tally("mm in one chain")
    safe = Tally("mm in one chain where rows < 4, k < 8 or columns < 8")
    shapes = [[random.randint(1, random.choice((4, 16, 40))) for _ in range(3)] for _ in range(20000)]
    shapes += [[random.randint(1, 130) for _ in range(3)] for _ in range(300)]
    shapes += [(700, 9, 30), (30, 9, 700), (13, 700, 17), (9, 1000, 40), (40, 330, 5), (400, 30, 400), (20, 641, 333),
               (64, 640, 64), (31, 12, 645), (8, 20, 321), (23, 20, 330), (1, 700, 1), (1, 330, 50), (50, 330, 1)]
    for n, k, m in shapes:
        a, b = placed(n, k), placed(k, m)
        theirs = a @ b
        tally.check(matmul(a, b), theirs, a, b)
        one.add(mm(a, b, ONE_CHAIN), theirs)
        if n < 4 or k < 8 or m < 8:
            safe.check(mm(a, b, ONE_CHAIN), theirs, a, b)
        x = placed(k)
        tally.check(matmul(x, b), x @ b, x, b)
        bias = numbers(m)
        tally.check(mm(a, b, BLAS, bias.expand(n, m).contiguous()), torch.addmm(bias, a, b), a, b, bias)
    tally.show()
    one.show()
    safe.show()


def batches():
    tally = Tally("matmul of 3 and 4 dimensions, with and without gradients")
    for _ in range(15000):
        batch = [random.randint(1, 4) for _ in range(random.randint(1, 2))]
        most = random.choice((4, 9, 9, 20))
        n, k, m = (random.randint(1, most) for _ in range(3))
        left = [random.choice((1, size)) if random.random() < 0.2 else size for size in batch]
        right = [random.choice((1, size)) if random.random() < 0.2 else size for size in batch]
        kind = random.random()
        if kind < 0.6:
            a, b = placed(*left, n, k), placed(*right, k, m)
        elif kind < 0.75:
            a, b = placed(*left, n, k), placed(k, m)
        elif kind < 0.85:
            a, b = placed(n, k), placed(*right, k, m)
        elif kind < 0.93:
            a, b = placed(*left, n, k), placed(k)
        else:
            a, b = placed(k), placed(*right, k, m)
        a, b = (x.requires_grad_(random.random() < 0.3) for x in (a, b))
        tally.check(matmul(a, b), a @ b, a, b)
    tally.show()


def linears():
    tally = Tally("linear with and without bias, 1 to 4 dimensions")
    for _ in range(15000):
        most = random.choice((4, 9, 30))
        k, m = random.randint(1, most), random.randint(1, most)
        shape = [random.randint(1, most) for _ in range(random.randint(0, 3))]
        x, weight = placed(*shape, k), placed(m, k)
        bias = numbers(m) if random.random() < 0.6 else None
        weight.requires_grad_(random.random() < 0.5)
        tally.check(linear(x, weight, bias), functional.linear(x, weight, bias), x, weight)
    tally.show()


dots()
vectors()
matrices()
batches()
linears()
