#!/usr/bin/env python3
"""Does onestep print a tensor as PyTorch's print() does, byte for byte? For random tensors of all kinds.

usage: pytorch_printing.py [--tensors N] [--seed N] TENSOR_PIPE
       pytorch_printing.py --digests FILE

The second prints the tensors of data/print_random.txt and puts the CRC-32 of each text into the file.

TENSOR_PIPE is build/tests/tensor_pipe (`ninja -C build tests/tensor_pipe`). Needs PyTorch (pytorch_library.py).
"""
import argparse
import random
import sys
import zlib

from pytorch_library import Pipe, torch

torch = torch()


def random_shape(r):
    kind = r.random()
    if kind < 0.05:  # more than 1000 elements: summarised
        return r.choice([[r.randint(1001, 3000)], [r.randint(6, 60), r.randint(40, 200)], [3, r.randint(5, 9), 80],
                         [r.randint(1, 8), r.randint(1, 8), r.randint(7, 9), 20]])
    if kind < 0.08:
        return [r.randint(0, 3) for _ in range(r.randint(1, 5))]  # most of them empty
    return [r.randint(1, r.choice([2, 4, 9]) if i else r.choice([3, 20])) for i in range(r.choice([0, 1, 1, 2, 2, 2, 3, 4, 5]))]


def random_floats(r, g, shape):
    uniform = torch.rand(shape, generator=g)
    kind = r.randrange(10)
    if kind == 0:
        x = (uniform * 2 - 1) * 10.0 ** r.randint(-12, 12)
    elif kind == 1:
        x = (uniform * 2 - 1) * 10 ** ((torch.rand(shape, generator=g) * 2 - 1) * r.choice([1, 2, 4, 38]))
    elif kind == 2:
        x = (uniform * r.choice([2, 10, 1000, 2e8])).floor() - r.choice([0, 5])  # integers
    elif kind == 3:
        x = (uniform * 4096).floor() / r.choice([8, 16, 64, 1024])  # ties, where rounding to even shows
    elif kind == 4:
        x = (uniform * 20000 - 10000).round() / 10000 + r.choice([0, 5e-5, -5e-5, 1e-8])  # near ties in decimal
    elif kind == 5:
        bits = torch.randint(-2**31, 2**31, shape, generator=g)
        x = bits.int().view(torch.float32) if shape else torch.tensor(1e-40)  # any float there is
    elif kind == 6:
        x = torch.full(shape, r.choice([0.0, -0.0, 1.0, 0.1, 1e-4, 9.9999e-5, 99999999.0, 1e8, 1.00000001e8, 0.99999994]))
    elif kind == 7:
        x = uniform * r.choice([1.0, 1000.0, 1000.1]) + r.choice([1.0, 1e-4, 1e-3])  # ratios near 1000
    elif kind == 8:
        x = torch.softmax(uniform * 10, dim=-1) if shape else uniform
    else:
        x = (uniform * 2 - 1) * 3
    x = x.float().clone()
    if r.random() < 0.2 and x.numel():
        for special in r.sample([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1.0, 1e-45], 3):
            x[torch.rand(x.shape, generator=g) < 0.15] = special
    return x


def compare_tensors(pipe, r, count):
    wrong = summarised = 0
    g = torch.Generator().manual_seed(r.randrange(2**32))
    for _ in range(count):
        shape = random_shape(r)
        kind = r.random()
        if kind < 0.8:
            code, tensor = 0, random_floats(r, g, shape)
        elif kind < 0.9:
            code, tensor = 1, torch.rand(shape, generator=g) < 0.5
        else:
            most = 10 ** r.randint(0, 15)  # what a double holds, and no tensor of onestep has more
            code, tensor = 2, torch.randint(-most, most + 1, shape, generator=g)
        digits = r.choice([4, 4, 4, r.randint(0, 17)])
        data = tensor.contiguous().numpy().tobytes()
        transposed = tensor.dim() >= 2 and r.random() < 0.1
        line = " ".join(map(str, ["print", digits, code, int(transposed), tensor.dim()] + list(tensor.shape)))
        shown = tensor.transpose(-2, -1) if transposed else tensor
        torch.set_printoptions(precision=digits)
        theirs, ours = str(shown), pipe.ask(line, data).decode()
        summarised += "..." in theirs
        if ours != theirs:
            wrong += 1
            if wrong <= 5:
                print(f"not equal: {line} {data[:64].hex()}\n{theirs}\n{ours}")
    print(f"PyTorch {torch.__version__} printing: {count:,} tensors ({summarised:,} summarised), {wrong} differ")
    return wrong


def write_digests(path):
    """A case of the file: its name, "DTYPE DIGITS SHAPE CRC", and the numbers, which repeat."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for i in (i for i, line in enumerate(lines) if line.startswith("= ")):
        dtype, digits, sizes = lines[i + 1].split()[:3]
        shape = [int(size) for size in sizes.split("x")] if sizes != "-" else []
        words = " ".join(lines[i + 2:next(j for j in range(i + 2, len(lines) + 1) if lines[j:j + 1] in ([], [""]))]).split()
        count = torch.Size(shape).numel()
        numbers = [float(word) if dtype == "float32" else int(word) for word in words]
        numbers = (numbers * (count // max(len(numbers), 1) + 1))[:count]
        torch.set_printoptions(precision=int(digits))
        text = str(torch.tensor(numbers, dtype=getattr(torch, dtype)).view(shape))
        lines[i + 1] = f"{dtype} {digits} {sizes} {zlib.crc32(text.encode()):08x}"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    if sys.argv[1:2] == ["--digests"]:
        write_digests(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensors", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tensor_pipe")
    options = parser.parse_args()
    return 1 if compare_tensors(Pipe(options.tensor_pipe), random.Random(options.seed), options.tensors) else 0


if __name__ == "__main__":
    sys.exit(main())
