#!/usr/bin/env python3
"""Are the gradients of drawn graphs those of PyTorch, bit for bit?

usage: pytorch_graphs.py [--count N] [--seed N] [--quiet] ONESTEP

Each graph is a program: leaves, then operations and views of what is there, made early or late and used once, twice or more,
some written in place; then one loss of all that nobody used. PyTorch and onestep run the same text, which prints every leaf's
gradient. Products have fewer than 12 rows (there OpenBLAS goes through tiles). Speaks TAP unless --quiet.
"""
import argparse
import contextlib
import io
import os
import random
import subprocess
import sys
import tempfile

import pytorch_library

UNARY = ["{0}.exp()", "{0}.tanh()", "{0}.sigmoid()", "{0}.relu()", "-{0}", "{0}.sin()", "{0} * 0.5", "{0} + 1", "{0}.abs()", "{0} ** 2",
         "{0}.softmax(-1)", "{0}.softmax(0)", "{0}.log_softmax(-1)", "{0} - {0}.mean(-1, keepdim=True)", "{0} / ({0} * {0} + 1).sqrt()",
         "{0}.masked_fill({0} > 0.5, 0.0)", "torch.tril({0})", "{0}.clone()"]
BINARY = ["{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / ({1}.exp() + 1)", "torch.where({0} > {1}, {0}, {1})"]
IN_PLACE = ["{0}.mul_(2)", "{0}.add_({1})", "{0}[0] = {1}[-1]", "{0}[:, 1].mul_(3)", "{0}.t()[1].add_(1)", "{0} += {1}"]


def views(name, rows, columns):
    """Views with their shapes: what a program does between two operations."""
    return [(f"{name}.t()", columns, rows), (f"{name}.transpose(0, 1)", columns, rows), (f"{name}[1:]", rows - 1, columns),
            (f"{name}[:, :2]", rows, 2), (f"{name}.reshape({columns}, {rows})", columns, rows), (f"{name}[[0, -1]]", 2, columns),
            (f"{name}.unsqueeze(0).expand(2, -1, -1)[1]", rows, columns), (f"torch.cat([{name}, {name}])[:{rows}]", rows, columns)]


class Graph:
    def __init__(self, draw):
        self.draw, self.lines, self.shapes, self.used = draw, ["import torch", f"torch.manual_seed({draw.randrange(1000)})"], {}, {}
        self.leaves = [self.add(f"torch.randn({rows}, {columns}, requires_grad=True)", rows, columns) for rows, columns in
                       [(draw.randint(2, 5), draw.randint(2, 5)) for _ in range(draw.randint(1, 3))]]
        for _ in range(draw.randint(6, 16)):
            self.step()
        rest = [name for name in self.shapes if self.used[name] == 0] or [list(self.shapes)[-1]]
        self.lines.append("loss = " + " + ".join(f"({name} * {round(draw.uniform(-2, 2), 2)}).sum()" for name in rest))
        self.lines += ["loss.backward()"] + [f"print({name}.grad if {name}.grad is None else {name}.grad.tolist())" for name in self.leaves]

    def add(self, expression, rows, columns):
        name = f"x{len(self.shapes)}"
        self.lines.append(f"{name} = {expression}")
        self.shapes[name], self.used[name] = (rows, columns), 0
        return name

    def take(self, fits=lambda rows, columns: True):
        names = [name for name, shape in self.shapes.items() if fits(*shape)]
        if not names:
            return None
        name = self.draw.choice(names[-4:] if self.draw.random() < 0.6 else names)
        self.used[name] += 1
        return name

    def step(self):
        name = self.take()
        rows, columns = self.shapes[name]
        kind = self.draw.random()
        if kind < 0.3:
            self.add(self.draw.choice(UNARY).format(name), rows, columns)
        elif kind < 0.55:
            self.add(self.draw.choice(BINARY).format(name, self.take(lambda n, m: (n, m) == (rows, columns))), rows, columns)
        elif kind < 0.75:
            expression, rows, columns = self.draw.choice([view for view in views(name, rows, columns) if view[1] > 1 and view[2] > 1])
            self.add(expression, rows, columns)
        elif kind < 0.85:
            other = self.take(lambda n, m: n == columns)
            if other is not None:
                self.add(f"{name} @ {other}", rows, self.shapes[other][1])
        elif kind < 0.92:
            self.add(f"{name} * {name}.sum(0, keepdim=True)", rows, columns)
        else:
            copy = self.add(f"{name} * 1.5", rows, columns)
            other = self.take(lambda n, m: (n, m) == (rows, columns))
            if other != copy:
                self.lines.append(self.draw.choice(IN_PLACE).format(copy, other))


def printed(text):
    """What PyTorch prints of the program, or its error's first line."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, "graph", "exec"), {})  # pylint: disable=exec-used
    except (RuntimeError, IndexError) as error:
        return str(error).split("\n", maxsplit=1)[0]
    return output.getvalue()


def answered(onestep, path):
    done = subprocess.run([onestep, "run", path], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else done.stderr.split("\n")[0].split("Error: ", 1)[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("onestep")
    arguments = parser.parse_args()
    pytorch_library.torch()
    wrong, errors = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.py")
        for number in range(arguments.count):
            text = "\n".join(Graph(random.Random(arguments.seed * 100000 + number)).lines) + "\n"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            theirs, mine = printed(text), answered(arguments.onestep, path)
            is_same = theirs == mine
            wrong += not is_same
            errors += not theirs.startswith("[")
            if not arguments.quiet or not is_same:
                print(f"{'ok' if is_same else 'not ok'} {number + 1}")
            if not is_same:
                print("# " + "\n# ".join(text.split("\n") + ["PyTorch: " + theirs, "onestep: " + mine]))
    print(f"# {arguments.count} graphs, {errors} of them with an error of PyTorch's, {wrong} with other bits")
    if not arguments.quiet:
        print(f"1..{arguments.count}")
    sys.exit(wrong > 0)


main()
