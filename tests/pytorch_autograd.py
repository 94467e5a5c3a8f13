#!/usr/bin/env python3
"""Has every gradient and every updated parameter autograd's bits? Lessons 8 and 9, for parameters at random.

usage: pytorch_autograd.py [--runs N] [--seed N] ONESTEP TENSOR_PIPE
       pytorch_autograd.py --write FILE      makes tests/data/autograd.txt, with PyTorch 2.6

A run has sizes at random: heads, d_model, hidden, words, and a text of them; none of its products is one that OpenBLAS
would tile, forwards or backwards (pytorch_statements.py). It compares bit by bit, shape and all:

- lesson 8's model as a graph (tests/graph.h), with parameters of its own: the gradient of each of them;
- lesson 8's steps, automatic_difference among them, each beside the value of its PyTorch statement;
- lesson 9's steps in the same way, by SGD or AdamW, and those of its mistake decay-in-grad beside torch.optim.Adam.

onestep follows PyTorch 2.6. 1.13 rounds two things otherwise, so what follows from them is counted apart there: AdamW's
first moment from the second update on, and the products that softmax's gradient adds up, from the ninth of a row on.
Prints a line for each kind, and the first differences.
"""
import argparse
import collections
import json
import math
import random
import subprocess
import sys

from pytorch_library import Pipe, exact, torch

torch = torch()
from pytorch_gradients import Graph, ask  # noqa: E402: they need PyTorch
from pytorch_statements import same_bits, tensor_of  # noqa: E402

IS_OLD = torch.__version__ < "2"
LATER, LONG = ", from the second update on", ", rows of nine and more"


class Sizes:
    def __init__(self, r):
        while True:
            most = r.choice([4, 7, 24])
            self.heads = r.choice([1, 1, 2, 3, 4])
            self.width = self.heads * r.randint(1, max(1, most // self.heads))
            self.hidden, self.tokens = r.randint(1, most), r.randint(1, 30 if most < 8 else 7)
            self.words = [f"w{r.randrange(most)}" for _ in range(self.tokens + 1)]
            self.vocabulary = len(set(self.words)) + r.choice([0, 0, 0, 1])
            if not any(n >= 4 and k >= 8 and m >= 8 for n, k, m in self.products()):
                break
        self.seed = r.randrange(100000)

    def products(self):
        """(rows, inner, columns) of every product of matrices, and of the two that lead back through it."""
        forwards = [(self.tokens, self.width, self.width), (self.tokens, self.width, self.hidden),
                    (self.tokens, self.hidden, self.width), (self.tokens, self.width, self.vocabulary)]
        head = self.width // self.heads
        batches = [(self.tokens, head, self.tokens), (self.tokens, self.tokens, head)]
        for n, k, m in forwards + batches:
            yield from ((n, k, m), (n, m, k), (k, n, m), (m, n, k))

    def kind(self):
        return LONG if IS_OLD and self.tokens > 8 else ""

    def arguments(self):
        return [f"--heads={self.heads}", f"--d-model={self.width}", f"--hidden={self.hidden}",
                f"--vocabulary={self.vocabulary}", f"--text={' '.join(self.words)}", f"--seed={self.seed}"]


def graph_of(sizes):
    """Lesson 8's model; its ids are those of tests/graph.h."""
    g = Graph(random.Random(sizes.seed))
    torch.manual_seed(sizes.seed)
    heads, width, tokens = sizes.heads, sizes.width, sizes.tokens
    names = []

    def layer(name, x, d_out, d_in):
        names.extend([name, name + "_bias"])
        return g.put("linear", x, g.fresh(d_out, d_in), g.fresh(d_out))

    def split(x):
        by_token = g.put("view", g.put("view", x, 3, 1, tokens, width), 4, 1, tokens, heads, width // heads)
        return g.put("transpose", by_token, 1, 2)

    names.append("embedding")
    embedding = g.fresh(sizes.vocabulary, width)
    rows = g.put("embed", g.put("ids", tokens, sizes.vocabulary), embedding)
    embedded = g.put("view", rows, 3, 1, tokens, width)
    queries, keys, values = (layer(name, embedded, width, width) for name in ("W_query", "W_key", "W_value"))
    queries, keys, values = split(queries), split(keys), split(values)
    dot_products = g.put("matmul", queries, g.put("transpose", keys, 2, 3))
    scores = g.put("multiply_by", dot_products, (width // heads) ** -0.5)
    weights = g.put("softmax", g.put("hide", scores, 1, -math.inf), 3)
    mixed = g.put("contiguous", g.put("transpose", g.put("matmul", weights, values), 1, 2))
    context = g.put("view", mixed, 3, 1, tokens, width)
    attention = layer("W_out", context, width, width) if heads > 1 else context
    hidden = g.put("relu", layer("W_ffn1", attention, sizes.hidden, width))
    logits = layer("W_logits", layer("W_ffn2", hidden, width, sizes.hidden), sizes.vocabulary, width)
    flat = g.put("view", logits, 2, tokens, sizes.vocabulary)
    g.put("cross_entropy", flat, g.put("ids", tokens, sizes.vocabulary))
    return g, names


class Figures(collections.Counter):
    def compare(self, kind, label, mine, theirs):
        is_same = mine.shape == theirs.shape and mine.dtype == theirs.dtype and same_bits(mine, theirs)
        self[kind, "all"] += 1
        self[kind, "apart"] += not is_same
        if not is_same and self[kind, "apart"] <= 20 and not kind.endswith((LATER, LONG)):
            distance = (mine.double() - theirs.double()).abs().max() if mine.shape == theirs.shape else "shape"
            print(f"{kind}: {label}: {distance}", flush=True)

    def show(self):
        for kind in dict.fromkeys(kind for kind, _ in self):
            print(f"PyTorch {torch.__version__} {kind}: {self[kind, 'all']:,} tensors, {self[kind, 'apart']:,} differ")


def compare_graph(sizes, pipe, figures):
    g, names = graph_of(sizes)
    _, mine = ask(pipe, g)
    theirs = torch.autograd.grad(g.values[-1], g.given)
    for name, a, b in zip(names, mine, theirs):
        kind = "biases' gradients" if name.endswith("_bias") else "weights' gradients"
        figures.compare(kind + sizes.kind(), f"{name} of {' '.join(sizes.arguments())}", a, b)


def write(path, r):
    """Graphs of a few numbers each, with what PyTorch computed; their form is that of tests/data/gradients.txt."""
    with open(path, "w", encoding="utf-8") as file:
        lines = 0
        while lines < 16:
            sizes = Sizes(r)
            g, _ = graph_of(sizes)
            counts = [x.numel() for x in g.given]
            if sum(counts) > 300 or sizes.tokens < 4 + lines:
                continue
            grads = torch.autograd.grad(g.values[-1], g.given)
            numbers = torch.cat([g.values[-1].detach().view(1), *(grad.flatten() for grad in grads)])
            file.write(f"{g.line(sizes.seed)} | {' '.join(map(str, counts))} | {' '.join(exact(n) for n in numbers)}\n")
            lines += 1


def compare_lesson(onestep, lesson, sizes, arguments, figures, mistake=False):
    """Steps beside their statements."""
    asked = [onestep, "print", lesson, *sizes.arguments(), *arguments, "--format=json"]
    asked += ["--what-if=decay-in-grad"] * mistake
    printed = json.loads(subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout, parse_int=float)
    lesson, names, updates = printed["lessons"][0], {}, 0
    exec(lesson["setup"], names)
    for step in lesson["steps"]:
        statement = step["statement"]
        if mistake:
            statement = statement.replace("torch.optim.AdamW,", "lambda p, lr: torch.optim.Adam(p, lr, weight_decay=0.01),")
        exec(statement, names)
        if mistake and step["group"] == "adamw":
            continue
        if step["group"] == "trained" or "losses" in step["name"]:
            updates = lesson["parameters"]["updates"]
        label = f"{step['group'] or ''}: {step['name']} of {' '.join(asked[1:])}"
        kind = lesson["lesson"] + (", Adam" if mistake else "")
        if lesson["lesson"] == "training" and not mistake:
            kind += ", " + lesson["parameters"]["optimizer"]
        is_later = IS_OLD and updates > 1 and lesson["parameters"]["optimizer"] != "sgd"
        figures.compare(kind + (LATER if is_later else sizes.kind()), label, tensor_of(step), eval(step["expression"], names).detach())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write")
    parser.add_argument("onestep", nargs="?")
    parser.add_argument("tensor_pipe", nargs="?")
    options = parser.parse_args()
    r = random.Random(options.seed)
    if options.write:
        write(options.write, r)
        return 0
    figures, pipe = Figures(), Pipe(options.tensor_pipe)
    for i in range(options.runs):
        sizes = Sizes(r)
        compare_graph(sizes, pipe, figures)
        compare_lesson(options.onestep, "gradients", sizes, [], figures)
        rate, updates = r.choice([0.001, 0.01, 0.1, 1]), r.choice([0, 1, 2, 5, 20])
        arguments = [f"--lr={rate}", f"--updates={updates}"]
        decay = r.choice([[], ["--weight-decay=0.1"], ["--weight-decay=0"]])
        chosen = [*arguments, *decay, f"--optimizer={r.choice(['sgd', 'adamw', 'adam', 'momentum'])}"]
        compare_lesson(options.onestep, "training", sizes, chosen, figures)
        if i % 4 == 0:
            compare_lesson(options.onestep, "training", sizes, arguments, figures, mistake=True)
    figures.show()
    return 1 if any(count for (kind, what), count in figures.items() if what == "apart" and not kind.endswith((LATER, LONG))) else 0


if __name__ == "__main__":
    sys.exit(main())
