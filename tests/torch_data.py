"""Writes what PyTorch gives, for the tests to compare with: torch_data.py FOLDER

Only needed to make data/random.txt, data/views.txt and data/operations.txt anew; the tests read those and need no
PyTorch. They were made with PyTorch 1.13 on a processor with AVX2, one thread.
"""
import random
import sys

import torch

from pytorch_library import exact

torch.set_num_threads(1)


def write(folder, name, lines):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def sizes(shape):
    return "x".join(map(str, shape)) if len(shape) else "-"


def numbers(tensor):
    return " ".join(str(int(x)) if tensor.dtype in (torch.bool, torch.int64) else exact(x)
                    for x in tensor.flatten().tolist())


# --- random.txt: OPERATION ARGUMENTS | numbers | the next torch.rand(1) ------------------------------------------


def after(lines, what, tensors):
    drawn = " ".join(numbers(tensor) for tensor in tensors)
    lines.append(f"{what} | {drawn} | {numbers(torch.rand(1))}")


def random_lines():
    lines = []
    for seed in (0, 1, 123, 789, -1, -2**63, 2**32 + 123, 2**64 - 1):
        torch.manual_seed(seed)
        after(lines, f"uniform {seed} 0 1 5", [torch.rand(5)])
    for seed, least, most, count in ((123, -0.5, 0.5, 40), (5, -3, 7, 17), (6, 100, 100.5, 9), (7, -1e-3, 1e3, 33)):
        torch.manual_seed(seed)
        after(lines, f"uniform {seed} {least} {most} {count}", [torch.empty(count).uniform_(least, most)])
    for seed in (123, 42):
        for counts in ((1,), (2,), (15,), (16,), (17,), (31,), (32,), (40,), (1, 1), (3, 3, 16, 2, 17, 1), (15, 15), (16, 1, 1)):
            torch.manual_seed(seed)
            after(lines, f"normal {seed} {','.join(map(str, counts))}", [torch.randn(n) for n in counts])
    for seed, d_out, d_in, bias in ((123, 2, 3, 0), (123, 2, 3, 1), (789, 5, 7, 1), (1, 1, 1, 1)):
        torch.manual_seed(seed)
        layer = torch.nn.Linear(d_in, d_out, bias=bool(bias))
        after(lines, f"linear {seed} {d_out} {d_in} {bias}", [layer.weight] + ([layer.bias] if bias else []))
    for seed, p, count in ((123, 0.5, 36), (123, 0.1, 36), (7, 0.9, 20), (7, 0.3333, 20), (8, 1.0, 6), (8, 0.0, 6), (8, 0.5, 0)):
        torch.manual_seed(seed)
        x = torch.arange(count, dtype=torch.float32) - 2.5
        after(lines, f"dropout {seed} {p} {count}", [torch.nn.functional.dropout(x, p)])
    return lines


# --- views.txt: SHAPE ; OPERATION ; ... | SHAPE | STRIDES | OFFSET | numbers, or: | refused ----------------------


def factors(count):
    shape = []
    while count > 1 and len(shape) < 4:
        size = random.choice([n for n in range(1, count + 1) if count % n == 0])
        shape.append(size)
        count //= size
    if count > 1 or not shape:
        shape.append(count)
    random.shuffle(shape)
    return shape


def chain(x):
    """Returns (operations, the view), or (operations, None) where PyTorch refuses."""
    words = []
    for _ in range(random.randint(1, 4)):
        kind = random.choice("tttvvvvnsc")
        if kind == "t" and x.dim() > 1:
            a, b = random.randrange(-x.dim(), x.dim()), random.randrange(x.dim())
            words.append(f"transpose {a} {b}")
            x = x.transpose(a, b)
        elif kind == "v":
            shape = factors(x.numel())
            words.append(f"view {sizes(shape)}")
            try:
                x = x.view(shape)
            except RuntimeError:
                return words, None
        elif kind == "n" and x.dim():
            dim = random.randrange(-x.dim(), x.dim())
            start = random.randrange(x.shape[dim])
            length = random.randint(1, x.shape[dim] - start)
            words.append(f"narrow {dim} {start} {length}")
            x = x.narrow(dim, start, length)
        elif kind == "s" and x.dim() > 1:
            dim = random.randrange(x.dim())
            index = random.randrange(x.shape[dim])
            words.append(f"select {dim} {index}")
            x = x.select(dim, index)
        elif kind == "c":
            words.append("contiguous")
            x = x.contiguous()
    return words, x


def view_lines():
    random.seed(5)
    lines, refused = [], 0
    while len(lines) < 400 or refused < 60:
        shape = [random.choice((1, 1, 2, 2, 3, 4)) for _ in range(random.randint(1, 4))]
        x = torch.arange(torch.Size(shape).numel(), dtype=torch.float32).view(shape)
        words, y = chain(x)
        if not words or (y is not None and len(lines) >= 340):
            continue
        line = " ; ".join([sizes(shape)] + words)
        if y is None:
            refused += 1
            lines.append(f"{line} | refused")
        else:
            values = " ".join(str(int(v)) for v in y.flatten().tolist())
            lines.append(f"{line} | {sizes(y.shape)} | {sizes(y.stride())} | {y.storage_offset()} | {values}")
    return lines


# --- operations.txt: OPERATION ARGUMENTS | SHAPE ... of operands, T: last two swapped | SHAPE | numbers ----------


def value(seed, i):
    """A float in [-0.5, 0.5), the same in test_operation.c."""
    h = (seed * 2654435761 + i * 2246822519) % 2**32
    h ^= h >> 15
    h = h * 3266489917 % 2**32
    h ^= h >> 13
    return (h >> 8) * 2.0**-24 - 0.5


def operand(seed, spelled):
    shape = [int(n) for n in spelled.rstrip("T").split("x")] if spelled.rstrip("T") != "-" else []
    x = torch.tensor([value(seed, i) for i in range(torch.Size(shape).numel())], dtype=torch.float32).view(shape)
    return x.transpose(-2, -1) if spelled.endswith("T") else x


def operation_lines():
    lines = []

    def case(what, spelled, function):
        result = function(*[operand(seed + 1, s) for seed, s in enumerate(spelled.split())])
        lines.append(f"{what} | {spelled} | {sizes(result.shape)} | {numbers(result)}")

    for spelled in ("3x4 4x2", "3 3", "5x3 3", "3 3x5", "1x1 1x1", "2x3x4 2x4x5", "2x3x4 4x5", "3x4 2x4x5", "2x1x3x4 5x4x2",
                    "1x3x4 6x4x2", "2x3x4 4", "4 2x4x5", "4x3T 4x2", "3x4 2x4T", "2x4x3T 2x5x4T", "7x40 40x3", "2x2x3x1 2x2x1x3",
                    "3x0 0x2", "0x3 3x2", "1 1", "2x3x4T 3x2"):
        case("matmul", spelled, torch.matmul)
    for spelled in ("6x3 2x3 2", "6x3 2x3", "2x6x3 4x3 4", "3 2x3 2", "3x6T 2x3 2", "2x3x5x7 1x7 1", "6x3 3x2T 2"):
        case("linear", spelled, torch.nn.functional.linear)
    for spelled in ("6", "6x3", "2x3x4", "3x2T", "1x1", "2x1x5", "4x2x3x2"):
        for dim in range(-1, len(spelled.rstrip("T").split("x"))):
            case(f"softmax {dim}", spelled, lambda x: torch.softmax(x * 20, dim))
            case(f"sum {dim} 0", spelled, lambda x: x.sum(dim))
            case(f"sum {dim} 1", spelled, lambda x: x.sum(dim, keepdim=True))
            case(f"mean {dim}", spelled, lambda x: x.mean(dim))
    for count in range(1, 9):
        for rows in ("", "1x", "6x", "2x3x"):
            case("sum -1 0", f"{rows}{count}", lambda x: x.sum(-1))
    for count in (9, 15, 16, 17, 33, 64, 100):
        case("sum -1 0", f"{count}", lambda x: x.sum(-1))
        case("sum -1 0", f"3x{count}", lambda x: x.sum(-1))
    for spelled in ("2", "6", "3x9", "2x40"):
        case("var -1", spelled, lambda x: x.var(-1))
    case("var 0", "5x3", lambda x: x.var(0))
    for spelled in ("6", "2x3x4", "3x2T", "-"):
        case("amax", spelled, lambda x: x.amax())
        case("absolute", spelled, torch.abs)
        case("relu", spelled, torch.relu)
    for name, function in (("add", torch.add), ("subtract", torch.subtract), ("multiply", torch.multiply), ("divide", torch.divide)):
        for spelled in ("3x4 3x4", "3x4 4", "4 3x4", "3x1 1x4", "2x3x4 -", "- 3", "3x4 4x3T", "2x1x4 3x1", "0x3 3", "1 1x1x1", "- -"):
            case(name, spelled, function)
    for diagonal in (-7, -2, -1, 0, 1, 2, 7):
        for spelled in ("4x4", "3x5", "5x3", "2x3x3", "4x3T"):
            case(f"tril {diagonal}", spelled, lambda x: torch.tril(x, diagonal))
            case(f"triu {diagonal}", spelled, lambda x: torch.triu(x, diagonal))
    for spelled in ("3x4 3x4", "2x3x4 3x4", "2x3x4 4", "2x3x4 1x3x1", "4x3T 3x4", "3x4 -"):
        case("masked_fill", spelled, lambda x, m: x.masked_fill(m > 0, -torch.inf))
    case("to_bool", "3x4", lambda x: (x > 0).float().bool())
    for dim in (-1, 0, 1, 2):
        case(f"stack {dim}", "3x4 3x4 4x3T", lambda *x: torch.stack(x, dim))
    for dim in (-2, 0):
        case(f"cat {dim}", "3x4 1x4 4x2T", lambda *x: torch.cat(x, dim))
    case("cat 1", "3x4 3x1 2x3T", lambda *x: torch.cat(x, 1))
    case("cat -1", "2x3x2 2x3x2", lambda *x: torch.cat(x, -1))
    case("contiguous", "4x3T", lambda x: x.contiguous())
    case("contiguous", "2x4x3T", lambda x: x.contiguous())
    return lines


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1], "random.txt", random_lines())
    write(sys.argv[1], "views.txt", view_lines())
    write(sys.argv[1], "operations.txt", operation_lines())
