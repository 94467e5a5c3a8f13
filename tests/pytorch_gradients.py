#!/usr/bin/env python3
"""Compares gradients with PyTorch's autograd, and with finite differences of a model in double, on graphs at random.

usage: pytorch_gradients.py [--graphs N] [--seed N] [--write FILE] TENSOR_PIPE

A graph is a line as in tests/graph.h: a few tensors, operations on them (every one that onestep has, views and
broadcasts among them), a loss. PyTorch's gradients must agree within 5e-6 of the graph's largest (some are 0 but for rounding);
those of the model, (loss(x + h) - loss(x - h)) / 2h in NumPy's double, within 1e-4, where no kink is near. --write makes
tests/data/gradients.txt.
"""
import argparse
import collections
import math
import random
import sys

import numpy

from pytorch_library import Pipe, exact, torch

torch = torch()
functional = torch.nn.functional

# --- Each operation twice: in PyTorch, and in double ----------------------------------------------------------------


def exponentials(x, dim):
    powers = numpy.exp(x - x.max(dim, keepdims=True))
    return powers / powers.sum(dim, keepdims=True)


def logits_loss(x, ids):
    return -numpy.log(exponentials(x, -1)[numpy.arange(len(ids)), ids]).mean()


def hidden(x, diagonal, number, module):
    mask = module.triu(module.ones(x.shape[-2:]), diagonal) != 0
    return x.masked_fill(mask, number) if module is torch else numpy.where(mask, number, x)


def dropout(x, p, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(seed))
        return functional.dropout(x, p)


OPERATIONS = {
    "matmul": (torch.matmul, numpy.matmul),
    "linear": (functional.linear, lambda x, w, b=0: x @ w.T + b),
    "add": (torch.add, numpy.add), "subtract": (torch.sub, numpy.subtract),
    "multiply": (torch.mul, numpy.multiply), "divide": (torch.div, numpy.divide),
    "add_number": (lambda x, n: x + n, lambda x, n: x + n),
    "multiply_by": (lambda x, n: x * n, lambda x, n: x * n), "divide_by": (lambda x, n: x / n, lambda x, n: x / n),
    "absolute": (torch.abs, numpy.abs), "relu": (torch.relu, lambda x: numpy.maximum(x, 0)),
    "log": (torch.log, numpy.log), "sqrt": (torch.sqrt, numpy.sqrt), "sign": (torch.sign, numpy.sign),
    "maximum": (torch.maximum, numpy.maximum),
    "population_var": (lambda x, d: x.var(d, unbiased=False, keepdim=True), lambda x, d: numpy.var(x, d, keepdims=True)),
    "largest_two": (lambda x: x.topk(2).values, lambda x: numpy.sort(x)[..., :-3:-1]),
    "repeat_interleave": (torch.repeat_interleave, numpy.repeat),
    "repeat": (lambda x, n, d: torch.cat([x] * n, d), lambda x, n, d: numpy.concatenate([x] * n, d)),
    "flip": (lambda x, d: x.flip(d), numpy.flip),
    "slice": (lambda x, d, start, step: x.transpose(0, d)[start::step].transpose(0, d),
              lambda x, d, start, step: x.swapaxes(0, d)[start::step].swapaxes(0, d)),
    "exp": (torch.exp, numpy.exp), "sin": (torch.sin, numpy.sin), "cos": (torch.cos, numpy.cos),
    "tanh": (torch.tanh, numpy.tanh), "negative": (torch.neg, numpy.negative), "power": (torch.pow, numpy.power),
    "raise_to": (lambda x, n: x ** n, lambda x, n: x ** n),
    "transpose": (torch.transpose, numpy.swapaxes),
    "view": (lambda x, n, *shape: x.view(shape), lambda x, n, *shape: x.reshape(shape)),
    "expand": (lambda x, n, *shape: x.expand(shape), lambda x, n, *shape: numpy.broadcast_to(x, shape)),
    "narrow": (torch.narrow, lambda x, d, start, n: numpy.take(x, range(start, start + n), d)),
    "select": (torch.select, lambda x, d, i: numpy.take(x, i, d)),
    "contiguous": (lambda x: x.contiguous(), lambda x: x),
    "stack": (lambda x, y, d: torch.stack([x, y], d), lambda x, y, d: numpy.stack([x, y], d)),
    "cat": (lambda x, y, d: torch.cat([x, y], d), lambda x, y, d: numpy.concatenate([x, y], d)),
    "embed": (lambda ids, w: functional.embedding(ids, w), lambda ids, w: w[ids]),
    "index_add": (lambda ids, x, n: torch.zeros(n, x.shape[-1]).index_add(0, ids, x),
                  lambda ids, x, n: sum(numpy.eye(n)[:, [i]] * row for i, row in zip(ids, x))),
    # the view in these graphs is a transposed matrix
    "scatter_add": (lambda grad, x: grad.transpose(0, 1) + 0, lambda grad, x: grad.T),
    "softmax": (torch.softmax, exponentials), "log_softmax": (torch.log_softmax, lambda x, d: numpy.log(exponentials(x, d))),
    "sum": (lambda x, d, keep: x.sum(d, keepdim=bool(keep)), lambda x, d, keep: x.sum(d, keepdims=bool(keep))),
    "mean": (torch.mean, numpy.mean), "var": (torch.var, lambda x, d: numpy.var(x, d, ddof=1)),
    "amax": (torch.amax, numpy.max), "amax_along": (torch.amax, numpy.max),
    "cross_entropy": (functional.cross_entropy, logits_loss),
    "tril": (torch.tril, numpy.tril), "triu": (torch.triu, numpy.triu),
    "hide": (lambda x, d, n: hidden(x, d, n, torch), lambda x, d, n: hidden(x, d, n, numpy)),
    "dropout": (dropout, lambda x, p, seed: x * dropout(torch.ones(x.shape), p, seed).double().numpy()),
}
PAIRS = {"matmul", "add", "subtract", "multiply", "divide", "power", "maximum", "stack", "cat", "embed", "index_add", "scatter_add", "cross_entropy"}


def operands(name, numbers, values):
    """A clause's arguments: values for the numbers of values, then the other numbers."""
    own = len(numbers) if name == "linear" else 2 if name in PAIRS else 1
    return [values[n] for n in numbers[:own]] + list(numbers[own:])


class Graph:
    """Clauses, and what PyTorch makes of them as they come."""

    def __init__(self, r):
        self.r, self.clauses, self.values, self.given = r, [], [], []

    def put(self, name, *numbers):
        self.clauses.append((name, numbers))
        if name == "given":
            value = torch.empty(numbers[1:]).uniform_(-1, 1).requires_grad_()
            self.given.append(value)
        elif name == "ids":
            value = (3 * torch.arange(numbers[0]) + 1) % numbers[1]
        else:
            value = OPERATIONS[name][0](*operands(name, numbers, self.values))
        self.values.append(value)
        return len(self.values) - 1

    def fresh(self, *shape):
        return self.put("given", len(shape), *shape)

    def line(self, seed):
        words = [" ".join(map(str, [name, *numbers])) for name, numbers in self.clauses]
        return " ; ".join([f"graph {seed}", *words])

    def loss_in_double(self, given):
        values, given = [], iter(given)
        for name, numbers in self.clauses:
            if name == "given":
                values.append(next(given))
            elif name == "ids":
                values.append((3 * numpy.arange(numbers[0]) + 1) % numbers[1])
            else:
                values.append(OPERATIONS[name][1](*operands(name, numbers, values)))
            if name in ("relu", "absolute", "sign"):
                self.nearest = min(self.nearest, float(numpy.abs(values[numbers[0]]).min()))
            if name == "maximum":
                apart = values[numbers[0]] - values[numbers[1]]
                self.nearest = min(self.nearest, float(numpy.abs(apart).min()) if numbers[0] != numbers[1] else 1)
            if name == "largest_two":
                apart = numpy.diff(numpy.sort(values[numbers[0]]), axis=-1)
                self.nearest = min(self.nearest, float(apart.min()))
            if name == "amax":
                largest = numpy.sort(values[numbers[0]].flatten())[-2:]
                self.nearest = min(self.nearest, float(largest[-1] - largest[0]) if len(largest) > 1 else 1)
            if name == "amax_along" and values[numbers[0]].shape[numbers[1]] > 1:
                largest = numpy.sort(values[numbers[0]], axis=numbers[1]).take([-2, -1], axis=numbers[1])
                self.nearest = min(self.nearest, float(numpy.diff(largest, axis=numbers[1]).min()))
        return float(values[-1])


# --- Graphs at random ----------------------------------------------------------------------------------------------


def partial(r, shape):
    """A shape that broadcasts to it."""
    shape = [1 if r.random() < 0.3 else size for size in shape]
    return shape[r.randint(0, len(shape)) if r.random() < 0.4 else 0:]


def grow(g, x):
    """One operation more, on value x; returns the value made."""
    r, value = g.r, g.values[x]
    shape, n = list(value.shape), value.dim()
    kind = r.choice(list(OPERATIONS))
    dim = r.randrange(n) if n else 0
    if kind in ("add", "subtract", "multiply", "maximum"):
        other = x if r.random() < 0.2 else g.fresh(*partial(r, shape))
        return g.put(kind, *r.sample([x, other], 2))
    if kind == "divide":
        other = g.put("add_number", g.put("absolute", g.fresh(*partial(r, shape))), 0.5)
        return g.put(kind, x, other)
    if kind in ("absolute", "relu", "sign"):
        made = g.put(kind, x)
        return g.put("add", made, x) if kind == "sign" else made
    if kind == "power":
        base = g.put("add_number", g.put("absolute", x), 0.5)
        return g.put(kind, base, g.fresh(*partial(r, shape)))
    if kind == "raise_to":
        return g.put(kind, x, r.randint(0, 3))
    if kind == "exp":
        return g.put(kind, g.put("tanh", x))
    if kind in ("sin", "cos", "tanh", "negative"):
        return g.put(kind, x)
    if kind in ("log", "sqrt"):
        return g.put(kind, g.put("add_number", g.put("absolute", x), 0.5))
    if kind in ("add_number", "multiply_by", "divide_by"):
        return g.put(kind, x, r.choice([-1.5, 0.25, 3.0]))
    if kind == "contiguous":
        return g.put(kind, x)
    if kind == "dropout":
        return g.put(kind, x, r.choice([0.1, 0.5]), r.randrange(1000))
    if n == 0:
        return g.put("expand", x, 2, 3, 2)
    if kind == "amax":
        return g.put("add", x, g.put("amax", x))
    if kind in ("softmax", "log_softmax", "amax_along"):
        return g.put(kind, x, dim)
    if kind == "sum":
        return g.put(kind, x, dim, r.randint(0, 1))
    if kind == "mean" or (kind == "var" and shape[dim] > 1):
        return g.put(kind, x, dim)
    if kind == "population_var":
        return g.put(kind, x, dim)
    if kind == "largest_two" and shape[-1] > 1 and len(set(value.flatten().tolist())) == value.numel():
        return g.put(kind, x)
    if kind in ("repeat_interleave", "repeat"):
        return g.put(kind, x, r.randint(1, 3), dim)
    if kind == "flip":
        return g.put(kind, x, dim)
    if kind == "slice":
        return g.put(kind, x, dim, r.randrange(shape[dim]), r.randint(1, 3))
    if kind == "select":
        return g.put(kind, x, dim, r.randrange(shape[dim]))
    if kind == "narrow":
        start = r.randrange(shape[dim])
        return g.put(kind, x, dim, start, r.randint(1, shape[dim] - start))
    if kind == "stack" and n < 4:
        return g.put(kind, *r.choice([(x, x), (x, g.fresh(*shape))]), r.randrange(n + 1))
    if kind == "cat":
        return g.put(kind, x, g.fresh(*shape[:dim], r.randint(1, 3), *shape[dim + 1:]), dim)
    if kind == "expand" and n < 4:
        return g.put(kind, x, n + 1, r.randint(1, 3), *shape)
    if kind == "view":
        return g.put(kind, x if value.is_contiguous() else g.put("contiguous", x), 2, math.prod(shape) // shape[-1], shape[-1])
    if kind == "linear":
        width = r.randint(1, 5)
        weight = g.fresh(width, shape[-1])
        return g.put(kind, x, weight, *[g.fresh(width)] * r.randint(0, 1))
    if kind == "matmul":
        if n == 1:
            other = r.choice([[shape[0]], [shape[0], 3], [2, shape[0], 3]])
            return g.put(kind, x, g.fresh(*other))
        other = r.choice([[shape[-1]], [shape[-1], 3], shape[:-2] + [shape[-1], 2], [1] * (n - 2) + [shape[-1], 3]])
        if r.random() < 0.3:
            return g.put(kind, g.fresh(*r.choice([[4, shape[-2]], [shape[-2]]])), x)
        return g.put(kind, x, g.fresh(*other))
    if n < 2:
        return g.put("multiply", x, x)
    if kind == "transpose":
        return g.put(kind, x, *r.sample(range(n), 2))
    if kind in ("tril", "triu"):
        return g.put(kind, x, r.randint(-2, 2))
    if kind == "hide":
        return g.put(kind, x, r.randint(-1, 2), r.choice([0.0, 7.0, -2.5]))
    if n == 2 and kind == "scatter_add":
        return g.put(kind, x, g.put("transpose", g.fresh(*reversed(shape)), 0, 1))
    if n == 2 and kind == "embed":
        return g.put(kind, g.put("ids", r.randint(1, 6), shape[0]), x)
    if n == 2 and kind == "index_add":
        return g.put(kind, g.put("ids", shape[0], 4), x, 4)
    if n == 2 and kind == "cross_entropy":
        return g.put("multiply", x, g.put(kind, x, g.put("ids", shape[0], shape[1])))
    return g.put("multiply_by", x, 2.0)


def random_graph(r):
    g = Graph(r)
    x = g.fresh(*(r.randint(1, 5) for _ in range(r.randint(1, 4))))
    for _ in range(r.randint(1, 6)):
        if g.values[x].numel() < 400:
            x = grow(g, x)
    if g.values[x].dim():
        x = g.put("multiply", x, g.fresh(*g.values[x].shape))
    while g.values[x].dim():
        x = g.put("sum", x, g.values[x].dim() - 1, 0)
    return g


# --- Comparing -----------------------------------------------------------------------------------------------------


def gradients_of_torch(g):
    return torch.autograd.grad(g.values[-1], g.given, allow_unused=True)


def split(g, answer):
    """The numbers of a pipe's answer as (loss, gradients)."""
    numbers = torch.frombuffer(bytearray(answer), dtype=torch.float32)
    parts = torch.split(numbers[1:], [x.numel() for x in g.given])
    return float(numbers[0]), [part.view(x.shape) for part, x in zip(parts, g.given)]


def compare_with_torch(g, mine, theirs):
    """How many numbers lie outside 5e-6 of the largest."""
    outside = count = 0
    scale = max((float(b.abs().max()) for b in theirs if b is not None), default=0)
    for a, b in zip(mine, theirs):
        count += a.numel()
        if b is None:
            outside += int((~a.isnan()).sum())
            continue
        outside += int(((a - b).abs() > 5e-6 * scale).sum() + a.isnan().sum())
    return count, outside


def compare_with_differences(g, mine, r):
    """The same for four numbers of each tensor, within 1e-4."""
    outside = count = 0
    given = [x.detach().double().numpy().copy() for x in g.given]
    for number, a in enumerate(mine):
        if a.isnan().any():
            continue
        for _ in range(4):
            place = tuple(r.randrange(size) for size in a.shape)
            x, h = given[number][place], 1e-5
            losses = []
            g.nearest = math.inf
            for step in (h, -h):
                given[number][place] = x + step
                losses.append(g.loss_in_double(given))
            given[number][place] = x
            if g.nearest < 1e-3:
                continue  # a kink is near
            slope = (losses[0] - losses[1]) / (2 * h)
            count += 1
            outside += abs(float(a[place]) - slope) > 1e-4 * max(1, float(a.abs().max()))
    return count, outside


def ask(pipe, g):
    data = b"".join(x.detach().numpy().tobytes() for x in g.given)
    return split(g, pipe.ask(g.line("-"), data))


def write(path, r):
    """Lines with a seed, each with PyTorch's loss and gradients behind it."""
    with open(path, "w", encoding="utf-8") as file:
        seen = collections.Counter()
        for seed in range(100000):
            torch.manual_seed(seed)
            g = random_graph(r)
            names = {name for name, _ in g.clauses}
            line = g.line(seed)
            if sum(x.numel() for x in g.given) > 60 or len(line) > 400 or all(seen[name] >= 6 for name in names):
                continue
            seen.update(names)
            numbers = [g.values[-1].detach().view(1)]
            for x, grad in zip(g.given, gradients_of_torch(g)):
                numbers.append(torch.full_like(x, math.nan).flatten() if grad is None else grad.flatten())
            sizes = " ".join(str(x.numel()) for x in g.given)
            file.write(f"{line} | {sizes} | {' '.join(exact(n) for n in torch.cat(numbers))}\n")
            if all(seen[name] >= 6 for name in OPERATIONS):
                return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write")
    parser.add_argument("tensor_pipe", nargs="?")
    options = parser.parse_args()
    r = random.Random(options.seed)
    if options.write:
        write(options.write, r)
        return 0
    pipe, total, used = Pipe(options.tensor_pipe), collections.Counter(), collections.Counter()
    for seed in range(options.graphs):
        torch.manual_seed(seed)
        g = random_graph(r)
        used.update({name for name, _ in g.clauses})
        loss, mine = ask(pipe, g)
        count, outside = compare_with_torch(g, mine, gradients_of_torch(g))
        if abs(loss - float(g.values[-1])) > 5e-6 * max(1, abs(loss)):
            outside += 1
        if outside and not total["torch"]:
            print("the first that differs from PyTorch:", g.line(seed))
        total.update(numbers=count, torch=outside)
        count, outside = compare_with_differences(g, mine, r)
        if outside and not total["differences"]:
            print("the first that differs from the slope:", g.line(seed))
        total.update(slopes=count, differences=outside)
    least = min(OPERATIONS, key=lambda name: used[name])
    print(f"PyTorch {torch.__version__}: {options.graphs:,} graphs, {total['numbers']:,} gradients, {total['torch']:,} outside 5e-6;"
          f" {total['slopes']:,} slopes in double, {total['differences']:,} outside 1e-4; every operation in {used[least]}"
          f" graphs or more ({least})")
    return 1 if total["torch"] or total["differences"] or not used[least] else 0


if __name__ == "__main__":
    sys.exit(main())
