#!/usr/bin/env python3
"""Compares operations with PyTorch's, bit for bit: tensors of random shapes and layouts, and every float there is.

usage: pytorch_operations.py [--tensors N] [--draws N] [--functions] [--write FILE] TENSOR_PIPE

TENSOR_PIPE is build/tests/tensor_pipe (`ninja -C build tests/tensor_pipe`). Needs PyTorch on AVX2 with OpenBLAS
(pytorch_library.py). Prints a line an operation: how many results were compared, how many numbers, how many differ.
--tensors and --draws say how many tensors an operation and how many random numbers a seed. --functions tries exp, log,
tanh and glibc's exp with all 2^32 floats, some minutes. --write makes tests/data/pytorch.txt, with PyTorch 2.

Products of matrices stay below the size from which on onestep has an order of its own (src/tensor/number/tile.h).
"""
import argparse
import random
import sys

from pytorch_library import Pipe, torch

torch = torch()
functional = torch.nn.functional


def same_count(mine, theirs):
    """How many numbers have the same bits; any nan equals any nan."""
    equal = mine.view(torch.int32) == theirs.view(torch.int32)
    return int((equal | (mine.isnan() & theirs.isnan())).sum())


def floats(data):
    return torch.frombuffer(bytearray(data), dtype=torch.float32) if data else torch.empty(0)


# --- Operations ----------------------------------------------------------------------------------------------------


def cross_entropy(logits):
    return functional.cross_entropy(logits, torch.arange(logits.size(0)) % logits.size(1))


def samples(logits, count):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        probabilities = torch.softmax(logits, 0)
        return torch.cat([torch.multinomial(probabilities, 1) for _ in range(count)]).float()


OPERATIONS = {
    "sum": lambda dim, x: x.sum(dim),
    "mean": lambda dim, x: x.mean(dim),
    "var": lambda dim, x: x.var(dim),
    "population_var": lambda dim, x: x.var(dim, unbiased=False, keepdim=True),
    "multinomial": lambda count, x: samples(x, count),
    "softmax": lambda dim, x: torch.softmax(x, dim),
    "log_softmax": lambda dim, x: torch.log_softmax(x, dim),
    "matmul": lambda dim, a, b: a @ b,
    "linear": lambda dim, x, weight, *bias: functional.linear(x, weight, *bias),
    "cross_entropy": lambda dim, logits: cross_entropy(logits),
    "sin": lambda power, x: torch.sin(x * 10**power),
    "cos": lambda power, x: torch.cos(x * 10**power),
    "pow": lambda dim, a, b: torch.pow(a, b),
    "raise": lambda exponent, x: x ** exponent,
    "tanh_backward": lambda dim, grad, y: torch.ops.aten.tanh_backward(grad, y),
}
LARGE_PRODUCT = 2**18  # src/tensor/number/tile.h
OF_2 = {"sin", "cos"}  # operations whose bits are those of PyTorch 2 only (src/tensor/number/sine.h)


class Layout:
    """Sizes, and the order in which the dimensions of what lies in memory are permuted."""

    def __init__(self, shape, order=None):
        self.shape, self.order = shape, order or list(range(len(shape)))

    def words(self):
        return [len(self.shape), *self.shape, *self.order]

    def count(self):
        return torch.Size(self.shape).numel()

    def place(self, numbers):
        return numbers.view(self.shape).permute(self.order)


def shuffled(r, shape):
    """The shape, by way of another one in memory."""
    order = list(range(len(shape)))
    if r.random() < 0.5:
        r.shuffle(order)
    memory = [0] * len(shape)
    for place, dim in enumerate(order):
        memory[dim] = shape[place]
    return Layout(memory, order)


def sizes(r, most, ndim=None):
    ndim = ndim or r.randint(1, 4)
    most = max(2, int(most ** (1 / ndim)))
    return [r.choice((1, 2, 3, 8, r.randint(1, most))) for _ in range(ndim)]


def layouts(r, operation):
    """Operands for an operation, and the dimension that it works along."""
    if operation == "matmul":
        return 0, product_layouts(r)
    if operation == "linear":
        k, m = r.randint(1, 30), r.randint(1, 30)
        x = Layout(sizes(r, 300)[:3] + [k])
        return 0, [x, Layout([m, k])] + ([Layout([m])] if r.random() < 0.6 else [])
    if operation == "cross_entropy":
        return 0, [Layout([r.randint(1, 400), r.choice((2, 6, 7, 11, 50))])]
    if operation == "multinomial":
        return r.randint(1, 100), [Layout([r.randint(1, 40)])]
    if operation in ("sin", "cos"):
        return r.randint(0, 6), [Layout(sizes(r, 300))]
    if operation == "raise":
        return r.randint(0, 3), [Layout(sizes(r, 300))]
    if operation in ("pow", "tanh_backward"):
        layout = Layout(sizes(r, 300))
        other = r.choice((layout, Layout([]), Layout(layout.shape[-1:]))) if operation == "pow" else layout
        return 0, r.choice(([layout, other], [other, layout]))
    layout = shuffled(r, sizes(r, r.choice((20, 300, 20000))))
    dim = r.randrange(len(layout.shape))
    if operation == "var" and layout.shape[layout.order[dim]] == 1:
        layout.shape[layout.order[dim]] = 2
    return dim, [layout]


def product_layouts(r):
    n, k, m = (r.randint(1, r.choice((4, 9, 20, 70))) for _ in range(3))
    batch = [r.randint(1, 4) for _ in range(r.randint(1, 2))]
    if r.random() < 0.1:  # several blocks of terms, or of columns
        n, k, m = r.randint(1, 30), r.randint(1, 20), r.randint(300, 1000)
        k, m = r.choice(((k, m), (m, k)))
        return [shuffled(r, [n, k]), shuffled(r, [k, m])]
    kind = r.random()
    if kind < 0.1:
        return [Layout([k]), Layout([k])]
    if kind < 0.3:
        return [Layout([n, k]), Layout([k])]
    if kind < 0.4:
        return [Layout([k]), shuffled(r, [k, m])]
    if kind < 0.6:
        return [shuffled(r, [n, k]), shuffled(r, [k, m])]
    if kind < 0.7:
        return [Layout(batch + [n, k]), shuffled(r, [k, m])]
    left, right = ([r.choice((1, size)) if r.random() < 0.2 else size for size in batch] for _ in range(2))
    return [shuffled(r, left + [n, k]), shuffled(r, right + [k, m])]


def is_large(operation, operands):
    """Would this product of matrices have a large product's order?"""
    a, b = (torch.empty(layout.shape).permute(layout.order) for layout in operands[:2])
    product = a @ (b.t() if operation == "linear" else b)
    return product.numel() * a.size(-1) >= LARGE_PRODUCT


def operands_of(r, operation):
    """The layouts of operands, as above, whose product is not large."""
    dim, operands = layouts(r, operation)
    while operation in ("matmul", "linear") and is_large(operation, operands):
        dim, operands = layouts(r, operation)
    return dim, operands


def random_numbers(r, count):
    """Numbers of very different sizes, so that every order of adding up shows; some hidden, huge or tiny."""
    x = torch.randn(count) * torch.exp2(torch.randint(-8, 9, (count,)).float())
    kind = r.random()
    if kind < 0.1:
        x *= r.choice((1e-30, 1e-22, 1e18, 1e-42))
    elif kind < 0.2:
        x[torch.rand(count) < 0.3] = r.choice((0.0, -0.0, torch.inf, -torch.inf, torch.nan, -1e9))
    return x


def compare_operation(pipe, r, name, count):
    numbers = differing = 0
    if name in OF_2 and torch.__version__ < "2":
        return 0
    for _ in range(count):
        dim, operands = operands_of(r, name)
        memory = [random_numbers(r, layout.count()) for layout in operands]
        if name == "multinomial":
            memory = [torch.randn(layout.count()) * r.choice((0.1, 1, 10)) for layout in operands]
        if name in ("sin", "cos"):
            memory = [x.clamp(-60, 60) for x in memory]  # times 10^6 at most, where onestep's end
        theirs = OPERATIONS[name](dim, *(layout.place(x) for layout, x in zip(operands, memory))).contiguous()
        words = [name, dim, "-"] + [word for layout in operands for word in layout.words()]
        mine = floats(pipe.ask(" ".join(map(str, words)), b"".join(x.numpy().tobytes() for x in memory)))
        numbers += theirs.numel()
        wrong = theirs.numel() - same_count(mine, theirs.flatten())
        if wrong and not differing:
            print("the first that differs:", *words)
        differing += wrong
    print(f"PyTorch {torch.__version__} {name}: {count:,} results, {numbers:,} numbers, {differing:,} differ", flush=True)
    return differing


# --- Draws and functions -------------------------------------------------------------------------------------------


def compare_draws(pipe, r, count):
    kinds = {"rand": torch.rand, "randn": torch.randn, "rand_double": lambda n: torch.rand(n, dtype=torch.float64)}
    seeds = [0, 1, 123, 789, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1] + [r.randrange(2**64) for _ in range(11)]
    differing = 0
    for name, draw in kinds.items():
        numbers = wrong = 0
        for seed in seeds:
            for n in (count, 15, 17, 31):
                torch.manual_seed(seed if seed < 2**63 else seed - 2**64)
                theirs = draw(n).numpy()
                mine = pipe.ask(f"{name} 0 {seed if seed < 2**63 else seed - 2**64} 1 {n}")
                numbers += n
                wrong += sum(a != b for a, b in zip(mine, theirs.tobytes())) if mine != theirs.tobytes() else 0
        differing += wrong
        print(f"PyTorch {torch.__version__} {name}: {len(seeds)} seeds, {numbers:,} numbers, {wrong:,} bytes differ", flush=True)
    return differing


def exp_of_glibc(x):
    """PyTorch calls it where a softmax goes down fewer than eight columns; only a tensor's one row shows it bare, so the
    C library is asked itself."""
    import ctypes
    import numpy
    expf = ctypes.CDLL("libm.so.6").expf
    expf.restype, expf.argtypes = ctypes.c_float, [ctypes.c_float]
    return torch.from_numpy(numpy.fromiter(map(expf, x.tolist()), dtype=numpy.float32, count=x.numel()))


FUNCTIONS = {"exp": torch.exp, "log": torch.log, "tanh": torch.tanh, "exp_of_glibc": exp_of_glibc}


def floats_with_bits(first, count, step):
    bits = torch.arange(first, first + count * step, step, dtype=torch.int64)
    return torch.where(bits >= 2**31, bits - 2**32, bits).to(torch.int32).view(torch.float32)


def compare_function(pipe, name):
    """Over all bit patterns, 2^22 at a time; every 251st of the slow one."""
    step, chunk = (251, 2**16) if name == "exp_of_glibc" else (1, 2**22)
    compared = differing = 0
    for first in range(0, 2**32, step * chunk):
        count = min(chunk, (2**32 - first + step - 1) // step)
        theirs = FUNCTIONS[name](floats_with_bits(first, count, step))
        mine = floats(pipe.ask(f"{name} {first} {count} {step}"))
        compared += count
        differing += count - same_count(mine, theirs)
    print(f"PyTorch {torch.__version__} {name}: {compared:,} floats, {differing:,} differ", flush=True)
    return differing


# --- The file ------------------------------------------------------------------------------------------------------


def digest_of(numbers):
    digest = 0xcbf29ce484222325
    numbers = torch.where(numbers.isnan(), torch.tensor(float("nan")), numbers)
    for byte in numbers.numpy().tobytes():
        digest = (digest ^ byte) * 0x100000001b3 % 2**64
    return digest


def lines(r):
    """Lines as asked.h has them, with PyTorch's results."""
    for name, function in FUNCTIONS.items():
        yield f"{name} 0 65551 65521", function(floats_with_bits(0, 65551, 65521))
    for name, draw in ("rand", torch.rand), ("randn", torch.randn):
        for n in 1, 2, 15, 16, 17, 31, 32, 1000:
            torch.manual_seed(n)
            yield f"{name} 0 {n} 1 {n}", draw(n)
    for name, count in (("sum", 60), ("mean", 20), ("var", 20), ("population_var", 10), ("multinomial", 20), ("softmax", 40), ("log_softmax", 20), ("matmul", 100),
                        ("linear", 30), ("cross_entropy", 10), ("sin", 10), ("cos", 10), ("pow", 20), ("raise", 10),
                        ("tanh_backward", 5)):
        for seed in range(count):
            dim, operands = operands_of(r, name)
            torch.manual_seed(seed)
            memory = [torch.empty(layout.count()).uniform_(-1, 1) for layout in operands]
            words = [name, dim, seed] + [word for layout in operands for word in layout.words()]
            yield " ".join(map(str, words)), OPERATIONS[name](dim, *(x.place(m) for x, m in zip(operands, memory)))


def write(path):
    with open(path, "w", encoding="utf-8") as file:
        for line, result in lines(random.Random(1)):
            file.write(f"{digest_of(result.contiguous().flatten()):016x} {line}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensors", type=int, default=300)
    parser.add_argument("--draws", type=int, default=10000)
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("tensor_pipe", nargs="?")
    options = parser.parse_args()
    if options.write:
        write(options.write)
        return 0
    torch.manual_seed(1)
    r, pipe = random.Random(2), Pipe(options.tensor_pipe)
    differing = compare_draws(pipe, r, options.draws)
    differing += sum(compare_operation(pipe, r, name, options.tensors) for name in OPERATIONS)
    if options.functions:
        differing += sum(compare_function(pipe, name) for name in FUNCTIONS)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
