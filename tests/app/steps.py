#!/usr/bin/env python3
"""Does a program in Python have the steps of a lesson: their names, groups, numbers and words?

usage: steps.py ONESTEP

The numbers were printed by PyTorch 1.13 and 2.6, which agree.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

ONESTEP = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "docs/three_heads.py"

HEAD = "import torch\nimport torch.nn as nn\n"
LABELS = {  # name: (program, the labels of its steps)
    "bindings": ("x = torch.ones(2)\ny: torch.Tensor = x + 1\ny += 1\nn = 3\nz = w = y * n\n",
                 ["x", "y", "y (2)", "z", "w"]),
    "targets as written": ("class C:\n    pass\nc = C()\nc.mask = torch.ones(2)\nd = {}\nd['a'] = c.mask\nx = torch.ones(2, 2)\n"
                           "x[0, 1:] = 3\n", ["c.mask", "d['a']", "x", "x[0, 1:]"]),
    "tuples": ("a, (b, n) = torch.ones(2), (torch.zeros(2), 1)\nvalues, places = torch.ones(2, 2).max(dim=1)\n",
               ["a", "b", "values", "places"]),
    "lists": ("parts = [torch.ones(2), torch.zeros(2)]\nnamed = {'k': torch.ones(1), 'n': 2}\n",
              ["parts[0]", "parts[1]", 'named["k"]']),
    "in place": ("x = torch.ones(2, 2)\nx.add_(1)\nx[0].fill_(5)\nnn.init.zeros_(x)\n", ["x", "x (2)", "x[0]", "x[0] before", "x (3)", "x before"]),
    "functions": ("def f(x):\n    y = x + 1\n    return y * 2\na = f(torch.ones(2))\nb = f(a)\n",
                  ["f: y", "f: return", "a", "f (2): y", "f (2): return", "b"]),
    "recursion": ("def f(n):\n    x = torch.ones(n)\n    y = f(n - 1) if n > 1 else x\n    return y\nf(2)\n",
                  ["f: x", "f (2): x", "f (2): y", "f: y", "f(2)"]),
    "a layer": ("layer = nn.Linear(2, 1)\nlayer(torch.ones(2)).sum().backward()\n",
                ["Linear: self.weight", "Linear: self.bias", "Linear.reset_parameters: self.weight", "Linear.reset_parameters: self.bias",
                 "Linear: self.weight (2)", "Linear: self.bias (2)", "layer.weight", "layer.bias", "layer: return",
                 "layer(torch.ones(2))", "layer.bias.grad", "layer.weight.grad"]),
    "modules of modules": ("class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.W = nn.Linear(2, 2, bias=False)\n"
                           "    def forward(self, x):\n        y = self.W(x)\n        return self.twice(y)\n"
                           "    def twice(self, y):\n        return y * 2\n"
                           "net = nn.Sequential(A(), nn.ReLU(), A())\nout = net(torch.ones(2))\n",
                           [f"{name}: {step}" for a, b, c in (("Linear", "Linear.reset_parameters", "A"),
                                                              ("Linear (2)", "Linear.reset_parameters (2)", "A (2)"))
                            for name, step in ((a, "self.weight"), (b, "self.weight"), (a, "self.weight (2)"), (c, "self.W.weight"))]
                           + ["net[0].W.weight", "net[2].W.weight", "net[0].W: return", "net[0]: y", "net[0].twice: return",
                              "net[0]: return", "turn 1 of 3, net: input", "net[1]: return", "turn 2 of 3, net: input",
                              "net[2].W: return", "net[2]: y", "net[2].twice: return", "net[2]: return", "turn 3 of 3, net: input",
                              "out"]),
    "a constructor draws": ("class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.part = nn.Embedding(2, 1)\n"
                            "        self.own = nn.Parameter(torch.rand(1))\n        self.register_buffer('mask', torch.ones(1))\n        self.last = nn.Embedding(2, 1)\na = A()\n",
                            ["Embedding: self.weight", "Embedding.reset_parameters: self.weight", "Embedding: self.weight (2)", "A: self.part.weight", "A: self.own",
                             "A: self.mask", "Embedding (2): self.weight", "Embedding.reset_parameters (2): self.weight", "Embedding (2): self.weight (2)",
                             "A: self.last.weight", "a.part.weight", "a.own", "a.mask", "a.last.weight"]),
    "a class that is gone": ("def f():\n    class A:\n        def g(self):\n            x = torch.ones(1)\n            return x + 1\n    return A().g()\n"
                             "y = f()\nfor i in range(30000):\n    s = str(i)\n", ["A.g: x", "A.g: return", "f: return", "y"]),
    "a loop": ("x = torch.zeros(2)\nfor i in range(7):\n    x = x + i\n",
               ["x", "turn 1 of 7: x", "turn 2 of 7: x", "turn 6 of 7: x", "turn 7 of 7: x"]),
    "loops in loops": ("x = torch.zeros(2)\nfor i in range(2):\n    n = 0\n    while n < 5:\n        n += 1\n        x = x + n\n"
                       "        if n == 1:\n            continue\n",
                       ["x"] + [f"turn {i} of 2, turn {k} of 5: x" for i in (1, 2) for k in (1, 2, 4, 5)]),
    "a loop that breaks": ("for i in range(9):\n    x = torch.ones(i + 1)\n    if i == 5:\n        break\n",
                           [f"turn {i} of 6: x" for i in (1, 2, 5, 6)]),
    "a caught exception": ("x = torch.ones(2)\ntry:\n    x @ torch.ones(3)\nexcept RuntimeError:\n    y = x * 2\n", ["x", "y"]),
    "an optimizer": ("w = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1)\nloss = (w * w).sum()\nloss.backward()\n"
                     "opt.step()\n", ["w", "loss", "w.grad", "SGD._update: p", "SGD.step: w", "w (2)"]),
}
TREES = {  # name: (program, how deep in calls each step stands)
    "no call": ("x = torch.ones(2)\nfor i in range(2):\n    x = x + i\n", [0, 0, 0]),
    "a call": ("def f(x):\n    y = x + 1\n    return y * 2\na = f(torch.ones(2))\n", [1, 1, 0]),
    "a call in a call": ("def g(x):\n    return x * 2\ndef f(x):\n    y = g(x) + 1\n    return g(y)\na = f(torch.ones(2))\n",
                         [2, 1, 1, 2, 1, 0]),
    "two calls in a line": ("def f(x):\n    return x * 2\na = f(torch.ones(2)) + f(torch.zeros(2))\n", [1, 0, 1, 0, 0]),
    "a call without a result": ("def f(x):\n    y = x + 1\nf(torch.ones(2))\n", [0]),
    "a call that raises": ("def f(x):\n    y = x + 1\n    return y @ x[:1]\nf(torch.ones(2))\n", [0, 0, 0]),
    "a call whose error is caught": ("def f(x):\n    y = x + 1\n    return y @ x[:1]\ntry:\n    f(torch.ones(2))\nexcept RuntimeError:\n"
                                     "    z = torch.ones(1)\n", [0, 0]),
    "a constructor": ("class A:\n    def __init__(self):\n        self.x = torch.ones(1)\na = A()\nb = a.x\n", [0, 0]),
    "a module's constructor": ("class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.b = nn.Parameter(torch.ones(1))\n"
                               "a = A()\n", [1, 0]),
    "an operation": ("import torch.nn.functional as F\nx = F.gelu(torch.ones(2))\ny = F.cross_entropy(torch.ones(1, 2), torch.tensor([1]))\n", [0, 0]),
    "several results": ("def f(x):\n    y = x + 1\n    return y, y * 2\na, b = f(torch.ones(2))\n", [1, 1, 0, 0]),
    "a comprehension": ("def f(x):\n    return x * 2\nys = [f(torch.ones(i)) for i in range(1, 3)]\n", [1, 0, 1, 0, 0, 0]),
    "a function that is handed on": ("def f(x):\n    return x * 2\nys = list(map(f, [torch.ones(1)]))\n", [1, 0]),
}
NUMBERS = {  # of docs/three_heads.py
    "attention.heads[1]: scores": "tensor([[-0.2327,  0.1055,  0.1098],\n        [-0.2396,  0.1015,  0.1057],\n"
                                  "        [-0.2323,  0.1004,  0.1045]])\n",
    "attention.heads[1]: scores (2)": "tensor([[-0.2327,    -inf,    -inf],\n        [-0.2396,  0.1015,    -inf],\n"
                                      "        [-0.2323,  0.1004,  0.1045]])\n",
    "attention.heads[1]: weights": "tensor([[1.0000, 0.0000, 0.0000],\n        [0.4400, 0.5600, 0.0000],\n"
                                   "        [0.2830, 0.3580, 0.3590]])\n",
    "attention.heads[1]: weights[1, :2]": "tensor([0.4400, 0.5600])\n",
    "CausalAttention (2): self.mask": "tensor([[False,  True,  True],\n        [False, False,  True],\n        [False, False, False]])\n",
    "context": "tensor([[-0.4519,  0.2216,  0.4772,  0.1063,  0.4566,  0.2729],\n"
               "        [-0.5874,  0.0058,  0.5891,  0.3257,  0.5792,  0.3011],\n"
               "        [-0.6300, -0.0632,  0.6202,  0.3860,  0.6249,  0.3102]])\n",
    "loss": "tensor(3.5440)\n",
    "attention.heads[0].W_query.weight.grad": "tensor([[0.0370, 0.0570, 0.0431],\n        [0.0214, 0.0330, 0.0249]])\n",
}
REFUSED = {  # name: (arguments, program, the one line, or two with a hint)
    "a file that is not there": (["print", "nowhere.py"], None, "onestep: cannot read nowhere.py: No such file or directory"),
    "nothing": (["list", "x.py"], "", "onestep: x.py computes no tensor, so there is no step"),
    "no tensor": (["screen", "x.py"], "print('hello')\n", "onestep: x.py computes no tensor, so there is no step"),
    "no Python": (["print", "x.py"], "x = 1\ny = (\n", "onestep: x.py:2: SyntaxError: '(' was never closed"),
    "an error before any tensor": (["print", "x.py"], "x = 1\nx / 0\n", "onestep: x.py:2: ZeroDivisionError: division by zero"),
    "a byte that is 0": (["print", "x.py"], "x = 1\0\n", "onestep: x.py is no program: it has more than 16777216 bytes, or a byte that is 0"),
    "a seed": (["print", "x.py", "--seed", "5"], HEAD + "x = torch.ones(1)\n", "onestep: x has no use for --seed; see 'onestep list'"),
    "a mistake": (["print", "x.py", "--what-if", "no-scale"], HEAD + "x = torch.ones(1)\n",
                  "onestep: --what-if is of a lesson: x is a program"),
    "a script": (["print", "x.py", "--format", "py"], HEAD + "x = torch.ones(1)\n", "onestep: --format py is of a lesson: x is a program"),
    "a link": (["screen", "x.py", "--format", "link"], HEAD + "x = torch.ones(1)\n", "onestep: --format link is of a lesson: the page has no x"),
    "checking": (["check", "x.py", "y.csv"], HEAD, "onestep: check takes a lesson, not a program"),
    "practice": (["practice", "x.py"], HEAD, "onestep: practice takes a lesson, not a program"),
    "walking through standard input": (["walk", "-"], HEAD, "onestep: walk needs a program in a file: standard input has the keys"),
}


def run(*arguments, folder=None, given=b""):
    freed = dict(os.environ, MALLOC_PERTURB_="145")  # what was freed is not read any more
    done = subprocess.run([ONESTEP, *map(str, arguments)], cwd=folder, input=given, capture_output=True, timeout=120, env=freed)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def steps_of(program):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(program)
        status, output, errors = run("print", "x.py", "--format", "json", folder=folder)
    return status, json.loads(output)["lessons"][0]["steps"], errors


def label(step):
    return step["name"] if step["group"] is None else f"{step['group']}: {step['name']}"


def check_labels(program, wanted):
    _, steps, errors = steps_of(HEAD + program)
    if [label(step) for step in steps] != wanted:
        raise ValueError(f"{[label(step) for step in steps]} {errors}")


def check_tree(program, wanted):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + program)
        lines = [line for line in run("list", "x.py", folder=folder)[1].splitlines() if re.match(" +[0-9]+ ", line)]
    depths = [(len(re.match(" +[0-9]+( +)", line).group(1)) - 2) // 2 for line in lines]
    if depths != wanted:
        raise ValueError(f"{depths}\n" + "\n".join(lines))


def check_number(step, wanted):
    status, output, errors = run("print", EXAMPLE, "--step", step)
    if (status, output) != (0, wanted):
        raise ValueError(f"{status}\n{output}{errors}")


def check_refused(arguments, program, wanted):
    with tempfile.TemporaryDirectory() as folder:
        if program is not None:
            pathlib.Path(folder, "x.py").write_bytes(program.encode())
        status, output, errors = run(*arguments, folder=folder)
    if status != 2 or output != "" or errors.splitlines()[0] != wanted or len(errors.splitlines()) > 2:
        raise ValueError(f"{status}: {output}{errors}")


def words():
    """The comment above a step explains it, or the one behind it; the lines without tensors stand before it."""
    _, steps, _ = steps_of(HEAD + "# Ones. Two of them,\n# side by side.\nx = torch.ones(2)  # not this\ny = x + 1  # More. Than before.\n"
                           "n = 3\nz = (x *\n     n)\n# ═══ ─── ═══\n# A box.\n# ═══\nw = z\n")
    x, y, z, w = steps
    if (w["title"], w["explanation"]) != ("A box", ""):
        raise ValueError(w)
    if (x["title"], x["explanation"], x["formula"]) != ("Ones", "Two of them, side by side.", "x = torch.ones(2)"):
        raise ValueError(x)
    if (y["title"], y["explanation"], y["statement"]) != ("More", "Than before.", "y = x + 1"):
        raise ValueError(y)
    if (z["title"], z["formula"], z["statement"]) != ("Line 8", "z = (x * n)", "n = 3\nz = (x *\n     n)"):
        raise ValueError(z)


def numbers_stay():
    """A step shows what its tensor was, whatever is written later."""
    _, steps, _ = steps_of(HEAD + "x = torch.zeros(2)\nrow = x[:1]\nx[0] = 7\nx += 1\nwith torch.no_grad():\n    x.mul_(2)\n")
    if [step["values"] for step in steps] != [[0, 0], [0], [7, 0], [8, 1], [16, 2]]:
        raise ValueError([step["values"] for step in steps])


def in_place():
    """Before and after side by side, and the names of all that see what was written."""
    program = ("x = torch.arange(6.).view(2, 3)\nrow = x[0]\ny = x.T\nz = x + 1\n# The row.\nrow[1:] = 7\nx += 1\n"
               "def f(t):\n    t[0] = 9\nf(x)\n")
    _, steps, _ = steps_of(HEAD + program)
    if [(label(step), step["explanation"], step["values"]) for step in steps[4:]] != [
            ("row[1:]", "Also seen in x, y.", [0, 7, 7]), ("x (2)", "Also seen in row, y.", [[1, 8, 8], [4, 5, 6]]),
            ("x before", "Also seen in row, y.", [[0, 7, 7], [3, 4, 5]]), ("f: t[0]", "Also seen in x, row, y.", [[9, 9, 9], [4, 5, 6]])]:
        raise ValueError(steps[4:])
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + program)
        screen = run("screen", "x.py", "--step", "x (2)", folder=folder)[1]
    if not re.search("x \\(2\\) +x before +difference", screen) or "1≠1.≠8.≠8.        1 0. 7. 7.        1 1. 1. 1." not in screen:
        raise ValueError(screen)


def screens_of(program, *arguments):
    """What `onestep screen x.py` shows, for each list of arguments."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + program)
        return [run("screen", "x.py", *these, folder=folder)[1] for these in arguments]


def check_shows(screen, *wanted):
    for words in wanted:
        if words not in screen:
            raise ValueError(f"{words}\n{screen}")


def written_cells():
    """A line that writes is seen beside what was there before it, with its arithmetic, and the cells that it changed marked."""
    program = "x = torch.arange(6.).view(2, 3)\ny = torch.ones(3) * 5\nx[0] = y\nx[1, 1] += 4\nx.mul_(2)\nx.lerp_(y, 0.5)\n"
    copied, stays, added, product, between = screens_of(
        program, ("--step", "x[0]"), ("--step", "x[0]", "--cell", "1,1"), ("--step", "x[1, 1]", "--cell", "1,1"),
        ("--step", "x (2)"), ("--step", "x (3)"))
    check_shows(copied, " x[0][1, 1] = y[1] = 5.0000", "1≠5.≠5.≠5. ", "2 3. 4. 5. ")
    check_shows(stays, " x[0][2, 2] = x[2, 2] = 4.0000")
    check_shows(added, " x[1, 1][2, 2] = 4.0000 + 4.0000 = 8.0000; in x[0] 4.0000", "2 3.≠8. 5. ")
    check_shows(product, " x (2)[1, 1] = 5.0000 × 2.0000 = 10.0000")
    given, = screens_of("x = torch.ones(2, 2)\nx[0] = 7\n", ("--step", "x[0]"))
    check_shows(given, " x[0][1, 1] = 7.0000, a number of this line\n")
    small, = screens_of("x = torch.ones(1)\ny = x + 1e-8\n", ("--step", "y"))
    check_shows(small, " y[1] = 1.0000 + 1.0000e-08 = 1.0000\n")
    check_shows(between, " x (3)[1, 1] = 2.5000 + 5.0000 = 7.5000, and 2.5000 is 5.0000 × 0.5000")


def own_words():
    """A program is compared with its file, stands in no part of the course, and says which of its lines are PyTorch's."""
    program = "layer = nn.Linear(2, 1)\nx = torch.ones(2)\ny = x * 2\n"
    listed, idle, back, inside = screens_of(program, ("--keys", "L"), ("--keys", "u"), ("--step", "y", "--keys", "y<Backspace>3<Enter>u"),
                                            ("--step", "Linear: self.weight"))
    check_shows(listed, " Your program\n")
    check_shows(idle, "Nothing is changed: these are the file's numbers.")
    check_shows(back, "All lines are the file's.")
    check_shows(inside, " Inside PyTorch: Linear.__init__\n")


def maps():
    """The map of a call has its own steps, and what they read from outside; a closed call is one node of its caller's map."""
    program = ("def scale(x):\n    double = x * 2\n    lost = x + 1\n    return double + 1\nx = torch.ones(2)\ny = torch.zeros(2)\n"
               "z = scale(x + y)\nw = z * z\n")
    outer, inner = screens_of(program, ("--step", "w", "--keys", "v"), ("--step", "scale: double", "--keys", "v"))
    check_shows(outer, " Map: x.py ", "1 x ", "2 y\n", "6 z", "◆7 w")
    check_shows(inner, " Map of scale ", "1 x ", "2 y\n", "◆3 double", "4 lost", "5 return")
    if "double" in outer or "6 z" in inner or "7 w" in inner:
        raise ValueError(outer + inner)


def too_many_steps():
    """Where there is no room for more steps, the last one says so; an error that follows has its step all the same."""
    last, = screens_of("x = torch.ones(2)\n" + "x = x + 1\n" * 4200 + "raise ValueError(3)\n", ("--step", "4096"))
    check_shows(last, "step 4096/4097", "onestep keeps 4096 steps of a program. Steps behind this one are left out.")


def printed():
    """What a step prints stands below it, on its screen and in its text."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + "x = torch.ones(2)\nn = 2\ny = x * n\nprint('sum', y.sum())\nprint(1)\nz = y\n")
        screens = [run("screen", "x.py", "--step", "y", "--keys", keys, folder=folder)[1] for keys in ("", "t")]
    for wanted, screen in zip((" PyTorch  n = 2\n          y = x * n\n Prints   sum tensor(4.)\n          1\n",
                               " It prints\n   sum tensor(4.)\n   1\n"), screens):
        if wanted not in screen:
            raise ValueError(screen)


def adamw():
    """An update of AdamW in its lines gives the numbers that it gives at once. PyTorch 2.6 printed the sum."""
    program = (HEAD + "torch.manual_seed(123)\nx = torch.rand(8, 3)\ntarget = x @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5\n"
               "net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))\nopt = torch.optim.AdamW(net.parameters(), lr=0.01)\n"
               "for i in range(200):\n    opt.zero_grad()\n    loss = ((net(x) - target) ** 2).mean()\n    loss.backward()\n    opt.step()\n"
               "end = torch.cat([p.detach().flatten() for p in net.parameters()])\nprint(end.double().sum().item())\n")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(program)
        at_once = run("run", "x.py", folder=folder)[1]
        in_lines = run("screen", "x.py", "--step", "end", folder=folder)[1]
        lines = run("screen", "x.py", "--turn", "150", "--step", "turn 150 of 200, AdamW._update: exp_avg (2)", folder=folder)[1]
        update = run("screen", "x.py", "--turn", "150", "--step", "turn 150 of 200: net[0].weight", folder=folder)[1]
    if not re.search(r"net\[0\].weight +net\[0\].weight before +difference", update) or "1 of 8" not in update:
        raise ValueError(update)
    if at_once != "-2.7224158104509115\n" or f"Prints   {at_once}" not in in_lines:
        raise ValueError(at_once + in_lines)
    if "exp_avg.lerp_(grad, 1 - beta1)" not in lines or "The running mean of the gradients" not in lines:
        raise ValueError(lines)


def turns():
    """A turn that is asked for stands between the first two and the last two; its numbers are those of the whole run."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + "def f(x):\n    return x * 2\nx = torch.ones(1)\nfor i in range(20):\n    x = f(x)\n")
        for turn in (1, 3, 11, 18, 20):
            at = {1: 3, 3: 7, 11: 7, 18: 7, 20: 9}[turn]
            shown = run("screen", "x.py", "--keys", f"#{turn}<Enter>", folder=folder)[1]
            number = run("print", "x.py", "--turn", turn, "--step", f"turn {turn} of 20: x", folder=folder)[1]
            if f"step {at}/{9 if turn in (1, 20) else 11} ({at - 1} inside)  turn {turn} of 20: x" not in shown or number != f"tensor([{2.0 ** turn:.0f}.])\n":
                raise ValueError(shown + number)
        passed = run("screen", "x.py", "--keys", "nnn", folder=folder)[1]
        missing = run("screen", "x.py", "--keys", "#21<Enter>", folder=folder)[1]
        letters = run("screen", "x.py", "--keys", "#x<Enter>", folder=folder)[1]
    for wanted, screen in (("Turns 3 to 18 are not shown. # shows one of them.", passed), ("No loop of this program has a turn 21", missing),
                           ("A turn is a whole number, from 1 on.", letters)):
        if wanted not in screen:
            raise ValueError(screen)


def entering():
    """n passes over a call, I enters it, O leaves it; a step inside is reached by its name, and the calls around it are open."""
    def place(keys, *more):
        return re.search("step [0-9]+/[0-9]+(?: \\(.*inside\\))?  (.*)", run("screen", EXAMPLE, *more, "--keys", keys)[1]).group(1)
    for keys, wanted in (("nn", "context"), ("nnI", "turn 1 of 3, attention: head(x)"), ("nnII", "attention.heads[0]: queries"),
                         ("nnIII", "attention.heads[0].W_query: return"), ("nnIIO", "turn 1 of 3, attention: head(x)"),
                         ("nnIIOO", "context"), ("nnInnnn", "context"), ("nnIIb", "attention.heads[0].W_query.weight"), ("nnO", "context"), ("nI" + "n" * 3, "loss"),
                         ("G", "attention.heads[0].W_query.weight.grad"), ("Gg", "inputs")):
        if place(keys) != wanted:
            raise ValueError(f"{keys}: {place(keys)}")
    if place("O", "--step", "attention.heads[1]: weights") != "turn 2 of 3, attention: head(x)":
        raise ValueError(place("O", "--step", "attention.heads[1]: weights"))


def results_of_calls():
    """The step of a call's result says where in the call its numbers were computed, and where-from goes there."""
    program = HEAD + "def f(x):\n    y = x * 2\n    return y + 1\ndef g(x):\n    return f(x)\ndef h(x):\n    z = x + 5\n    return x\n" \
                     "def v(x):\n    w = x * 3\n    return w.view(1, 2)\nx = torch.ones(2)\na = g(x)\nb = h(x)\nc = v(x)\n"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(program)

        def screen(*arguments):
            return " ".join(run("screen", "x.py", *arguments, folder=folder)[1].split())
        for arguments, wanted in (
                (("--step", "a"), "a[1] = 3.0000, computed inside the call, in f: return[1]. I enters the call."),
                (("--step", "a", "--keys", "i"), "The call computed these numbers, in f: return. I enters the call."),
                (("--step", "a", "--keys", "<Enter>"), "a[1] = 3.0000, by add, in f: return"),
                (("--step", "a", "--keys", "<Enter>g"), "f: return"), (("--step", "a", "--keys", "I"), "step 4/10 (2-3 inside) g: return"),
                (("--step", "c"), "computed inside the call, in v: w[1]. I enters the call."),
                (("--step", "b"), "b[1] = x[1] = 1.0000")):
            if wanted not in screen(*arguments):
                raise ValueError(f"{arguments}: {screen(*arguments)}")
        for step, keys in (("a", ""), ("a", "i"), ("c", "i")):
            if "view reads" in screen("--step", step, "--keys", keys) or "f: return (2,)" in screen("--step", step):
                raise ValueError(screen("--step", step))


def lines():
    """Another line in the place of a step's runs the program with it, in each turn and call; the file stays as it is."""
    head = EXAMPLE.read_text()
    changed = "weights = torch.softmax(scores, dim=-1)"
    line = f"attention.heads[1]: weights={changed}"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(head.replace("weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)", changed))
        wanted = run("print", "x.py", "--step", "context", folder=folder)
    if run("print", EXAMPLE, "--step", "context", "--line", line) != wanted:
        raise ValueError(wanted)
    for keys, words in (("y + 1<Enter>", "15 of 109 steps changed. u undoes it."), ("y + 1<Enter>u", "All lines are the"),
                        ("y)<Enter>", "three_heads.py:27: SyntaxError: unmatched ')'"),
                        ("y @ x[:1]<Enter>", "With this line there is no step attention.heads[1]: weights. u undoes it."),
                        ("b" * 5 + "Iy", "This line is PyTorch's own: it cannot be changed.")):
        screen = run("screen", EXAMPLE, "--step", "attention.heads[1]: weights", "--keys", keys)[1]
        if words not in screen:
            raise ValueError(f"{keys}\n{screen}")
    written = run("print", EXAMPLE, "--format", "lines", "--line", line)[1]
    if written != head.replace("weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)", changed):
        raise ValueError(written)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + "x = torch.ones(2)\nfor i in range(3):\n    if i:\n        n = i\n        x = x * n  # twice\n"
                                                "y = x\nz = y + 1\n")
        for lines, wanted in ((["z=y = x + 1\nz = y * 5"], [3, 3, 15]), (["turn 2 of 3: x=n = i\nx = x * n + 1"], [5, 5, 6]),
                              (["turn 2 of 3: x=n = 4\nx = x * n"], [16, 16, 17]), (["x=x = torch.zeros(2)", "z=z = y - 1"], [0, 0, -1])):
            given = [word for line in lines for word in ("--line", line)]
            steps = json.loads(run("print", "x.py", "--format", "json", *given, folder=folder)[1])["lessons"][0]["steps"]
            shown = [step["values"][0] for step in steps[-3:]]
            if shown != wanted and lines != ["z=y = x + 1\nz = y * 5"]:
                raise ValueError(f"{lines}: {shown}")


def notebook(*cells):
    """A file of code cells; a cell that is a list is text."""
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": cell} if isinstance(cell, list) else
        {"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True), "outputs": [], "execution_count": None}
        for cell in cells]})


def notebooks():
    """Code cells are a program; those that need what onestep refuses are left out and named, and their names say so."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.ipynb")
        cells = ["import tiktoken\nn = 3\n", ["# A title"], "import torch\n%matplotlib inline\n!ls", "# Ones. Two.\nx = torch.ones(2)\nx",
                 "y = torch.linalg.solve(torch.eye(2), x)", "def f(x):\n    return x * 2\ny = f(x)"]
        path.write_text(notebook(*cells))
        status, output, errors = run("list", "x.ipynb", folder=folder)
        wanted = ("onestep: note: code cell 1 is left out: ModuleNotFoundError: No module named 'tiktoken'\n"
                  "onestep: note: code cell 4 is left out: NotImplementedError: onestep does not run torch.linalg.solve()\n")
        steps = [line.split(None, 1)[1] for line in output.splitlines() if re.match(" +[0-9]+ ", line)]
        if (status, errors) != (0, wanted) or [" ".join(step.split()) for step in steps] != [
                "x Ones", "f: return Code cell 5, line 2, in f", "y Code cell 5, line 3"]:
            raise ValueError(output + errors)
        screen = run("screen", "x.ipynb", folder=folder)[1]
        if "Code cell 1 is left out: ModuleNotFoundError" not in screen or "cell 4 is left out" not in screen:
            raise ValueError(screen)
        path.write_text(notebook(*cells, "z = y + n"))
        status, output, errors = run("print", "x.ipynb", folder=folder)
        last = ("onestep: note: the program ended early: x.ipynb: code cell 6, line 1: NameError: name 'n' is not defined: code cell 1 binds it, "
                "which is left out (ModuleNotFoundError: No module named 'tiktoken')\n")
        if status != 1 or errors != wanted + last or "The program ends here, in code cell 6, line 1" not in output:
            raise ValueError(output + errors)
        for cell, why in (("n = 5 +", "SyntaxError: invalid syntax"), ("import tiktoken\nn = 5", "ModuleNotFoundError: No module named 'tiktoken'")):
            path.write_text(notebook("import torch\nn = 3\nx = torch.ones(2)", "if x is None:\n    pass\n" + cell, "z = x * n"))
            status, output, errors = run("print", "x.ipynb", folder=folder)
            if status != 1 or f"line 1: NameError: name 'n' is not defined: code cell 2 binds it, which is left out ({why})\n" not in errors:
                raise ValueError(output + errors)
        for text, words in (("{}", "onestep: x.ipynb: is no notebook of Jupyter"), (notebook("x = 1"), "onestep: x.ipynb computes no tensor, so there is no step"),
                            ('{"nbformat": 4, "cells": [{"source": 3, "cell_type": "code"}, 7]}', "onestep: x.ipynb:1:"), ('{"nbformat"', "onestep: x.ipynb:1:")):
            path.write_text(text)
            status, output, errors = run("print", "x.ipynb", folder=folder)
            if status != 2 or output or not errors.startswith(words) or len(errors.splitlines()) > 2:
                raise ValueError(f"{text}: {status} {errors}")


def all_dtypes():
    """Every dtype and six dimensions, at each step of the walker, with the key that asks where a number is from."""
    program = HEAD + ("a = torch.arange(24).view(2, 3, 4)\nb = a > 5\nc = a.double() / 7\nd = torch.arange(5, dtype=torch.int32)\n"
                      "e = torch.rand(2, 1, 2, 1, 3, 2)\nf = e.permute(5, 4, 3, 2, 1, 0)\ng = torch.tensor(3)\nh = torch.zeros(0, 3)\n"
                      "i = torch.tensor(2**62 + 1)\nj = a[b]\nk = c.sort(dim=-1, descending=True)\nl = b.sum(dim=0)\n"
                      "m = torch.tensor(float('nan'))\nn = d.add_(1)\nb[0, 0] = True\nc[b] = -1\n"
                      "o = nn.Parameter(torch.rand(4, 2))\np = torch.where(o > 1, o, 1 + o.detach().log2())\n")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(program)
        count = len(steps_of(program)[1])
        for step in range(1, count + 1):
            for keys in ("", "<Enter>", "<Enter><Enter>", "t", "i", "v", "m", "L", "x:", "=y", "P", "#2<Enter>", "I", "O"):
                status, _, errors = run("screen", "x.py", "--step", step, "--keys", keys, folder=folder)
                if status != 0:
                    raise ValueError(f"step {step}, {keys}: {status} {errors}")


def where_from():
    """From a number of the result back to the input."""
    status, output, _ = run("screen", EXAMPLE, "--step", "context", "--cell", "0,0", "--keys", "<Enter>")
    if status != 0 or "-0.4519" not in output or "return" not in output:
        raise ValueError(output)


def an_error():
    """The last step is the line that raised, with its message and what it read; the exit status is 1."""
    status, steps, errors = steps_of(HEAD + "def f(q, k):\n    return q @ k\nq = torch.ones(6, 3)\nf(q, torch.ones(2, 3))\n")
    last = steps[-2:]
    if status != 1 or [label(step) for step in last] != ["f: q", "f: k"] or [step["shape"] for step in last] != [[6, 3], [2, 3]]:
        raise ValueError((status, last))
    if last[0]["title"] != "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x3 and 2x3)" or last[0]["formula"] != "return q @ k":
        raise ValueError(last[0])
    if errors != ("onestep: note: the program ended early: x.py:4: RuntimeError: mat1 and mat2 shapes cannot be multiplied "
                  "(6x3 and 2x3)\n"):
        raise ValueError(errors)


def shapes_of_an_error():
    """The line that raised stands there with the shape of each operand in its order, and what PyTorch's message means."""
    product = "A product of matrices needs as many columns on its left as rows on its right: "
    for program, wanted in (
            ("q = torch.ones(6, 2)\nk = torch.ones(6, 3)\ns = 1\ns = q @ k\n",
             f"in line 6: it raised this. The line with its shapes: s = q 6x2 @ k 6x3. {product}2 is not 6."),
            ("q = torch.ones(3, 2)\nq @ q[:2] @ q\n",
             f"in line 4: it raised this. The line with its shapes: q 3x2 @ q[:2] @ q 3x2. {product}2 is not 3."),
            ("q = torch.ones(3, 2)\ny = torch.zeros(7)\ny = q @ q.T @ q.T\n",
             f"in line 5: it raised this. The line with its shapes: y = q 3x2 @ q.T @ q.T. {product}3 is not 2."),
            ("net = nn.Linear(4, 2)\nx = torch.ones(2, 3)\nnet(x)\n",
             f"in line 5: it raised this. The line with its shapes: net(x 2x3). net.weight is 2x4. net.bias is (2,). {product}3 is not 4."),
            ("a = torch.ones(2, 3)\nb = torch.ones(4)\nc = torch.tensor(1.)\ny = c * (a +\n  b)\n",
             "in line 6: it raised this. The line with its shapes: y = c () * (a 2x3 + b (4,)). Shapes are compared from their last dimension "
             "on. Two sizes must be equal, or one of them 1: in dimension 1, counted from 0, 3 is not 4."),
            ("a = torch.ones(2, 3)\nif a.view(4) is None:\n    pass\n",
             "in line 4: it raised this. a is 2x3. The sizes of the new shape, multiplied, must give the count of the numbers."),
            ("a = torch.ones(2, 3)\na.foo\n", "in line 4: it raised this. a is 2x3."), ("a = torch.ones(2)\n1 / 0\n", "in line 4: it raised this.")):
        _, steps, _ = steps_of(HEAD + program)
        if steps[-1]["explanation"] != "The program ends here, " + wanted:
            raise ValueError(f"{steps[-1]['title']}\n{steps[-1]['explanation']}\n{wanted}")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + "queries = torch.ones(6, 2)\nkeys = torch.zeros(6, 3)\nscores = queries @ keys\n")
        screen = run("screen", "x.py", "--step", "3", folder=folder)[1]
    if not re.search(r" queries \(2\)  6 × 2 +keys \(2\)  6 × 3\n", screen) or " queries (6, 2)" in screen:
        raise ValueError(screen)


def counted_and_ended():
    """The number of a step is followed by those of the steps that its calls have; behind the last step a program's end is told."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + "def f(x):\n    return x * 2\ndef g(x):\n    y = f(x)\n    return f(y) + 1\n"
                                                "x = torch.ones(1)\na = g(x)\nprint('seven')\nb = a * 2\n")

        def screen(keys, *more):
            return run("screen", "x.py", *more, "--keys", keys, folder=folder)[1]
        for keys, wanted in (("", "step 1/8  x\n"), ("n", "step 7/8 (2-6 inside)  a\n"), ("nI", "step 3/8 (2 inside)  g: y\n"),
                             ("nIn", "step 5/8 (4 inside)  g: f(y)\n"), ("nInn", "step 6/8  g: return\n"), ("nn", "step 8/8  b\n")):
            if wanted not in screen(keys):
                raise ValueError(f"{wanted}\n{screen(keys)}")
        end = screen("nnn")
        for wanted in (" The end of x.py\n", " This is the end: no step follows. The last step is 8, b: Line 11.\n",
                       " The program printed last, behind step 7, a:\n   seven\n", " Esc goes back to the step. There b goes one step back, g to the first"):
            if wanted not in end:
                raise ValueError(f"{wanted}\n{end}")
        if "step 8/8" not in screen("nnn<Esc>") or "step 7/8" not in screen("nnn<Esc>b") or "step 1/8" not in screen("nnn<Esc>g"):
            raise ValueError(screen("nnn<Esc>"))


def completing():
    """Tab in a program's line completes the names in sight there: locals, globals, torch's functions, a tensor's methods."""
    program = ("class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.query_part = nn.Parameter(torch.ones(2))\n"
               "    def forward(self, inner):\n        middle = inner * 2\n        z = middle + self.query_part\n        later = z\n        return z + 1\n"
               "outside = torch.ones(2)\nboth_a = both_b = outside\nnet = A()\ntry:\n    y = net(outside)\nexcept Exception:\n    pass\nafter = y\n")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.py").write_text(HEAD + program)
        for step, typed, wanted in (("net: z", " * mid", ">>> z = middle + self.query_part * middle\n"), ("net: z", " * inn", "query_part * inner\n"),
                                    ("net: z", " * out", "query_part * outside\n"), ("net: z", " * self.que", "query_part * self.query_part\n"),
                                    ("net: z", " * torch.logsumex", "query_part * torch.logsumexp\n"), ("net: z", " * inner.masked_sc", "* inner.masked_scatter"),
                                    ("net: z", " * lat", "No name in sight begins with lat."), ("net: z", " * aft", "No name in sight begins with aft."),
                                    ("net: z", " * nowhere.x", "No name in sight begins with nowhere.x."), ("y", " + both", "y = net(outside) + both_\n"),
                                    ("y", " + both_", "both_a both_b\n"), ("y", "", "No name can stand here. Tab completes a name that is begun."),
                                    ("y", " + mid", "No name in sight begins with mid."), ("after", " * ne", "after = y * net\n"),
                                    ("net.query_part", " + outs", "net = A() + outside\n")):
            keys = f"y{typed}<Tab>"
            screen = run("screen", "x.py", "--step", step, "--keys", keys, folder=folder)[1]
            if wanted not in screen:
                raise ValueError(f"{step} {keys}\n{screen}")


def its_name():
    """A file that is called as a lesson is the file; a name without .py is the lesson. - is standard input."""
    with tempfile.TemporaryDirectory() as folder:
        program = HEAD + '"""not the first"""\nx = torch.ones(1)\n'
        pathlib.Path(folder, "causal.py").write_text(program)
        file, lesson = run("list", "causal.py", folder=folder)[1], run("list", "causal", folder=folder)[1]
        given = run("list", "-", folder=folder, given=program.encode())[1]
    if not file.startswith("causal: causal.py\n") or not lesson.startswith("3 causal: ") or not given.startswith("stdin: stdin.py\n"):
        raise ValueError(file + lesson + given)


def many_turns():
    """100,000 turns in a bounded time; 600 steps in a row; a recursion to the end."""
    _, steps, _ = steps_of(HEAD + "x = torch.zeros(3)\nfor i in range(100000):\n    x = x + 1\n")
    if [step["values"][0] for step in steps] != [0, 1, 2, 99999, 100000]:
        raise ValueError(steps)
    _, steps, _ = steps_of(HEAD + "x = torch.zeros(1)\n" + "x = x + 1\n" * 600)
    if len(steps) != 601 or label(steps[-1]) != "x (601)" or steps[-1]["values"] != [600]:
        raise ValueError(len(steps))
    status, steps, _ = steps_of(HEAD + "def f(x):\n    y = x + 1\n    return f(y)\nf(torch.zeros(1))\n")
    if status != 1 or steps[-1]["title"] != "RecursionError: maximum recursion depth exceeded":
        raise ValueError(steps[-1])


def the_example():
    """docs/three_heads.py, which docs/teacher.md names: each step, with each of its comments, on a screen."""
    status, output, errors = run("list", EXAMPLE)
    if status != 0 or errors != "" or "Three heads of causal attention" not in output:
        raise ValueError(output + errors)
    if EXAMPLE.name not in (ROOT / "docs/teacher.md").read_text():
        raise ValueError("docs/teacher.md does not name it")
    status, output, _ = run("screen", EXAMPLE, "--step", "attention.heads[0]: scores (2)")
    for wanted in ("Hide the future", "A score of -inf becomes a weight of 0.", "scores.masked_fill_(self.mask, -torch.inf)", "-inf"):
        if wanted not in output:
            raise ValueError(f"{wanted}\n{output}")


TESTS = [(f"steps: {name}", lambda case=case: check_labels(*case)) for name, case in LABELS.items()]
TESTS += [(f"calls: {name}", lambda case=case: check_tree(*case)) for name, case in TREES.items()]
TESTS += [(f"numbers: {step}", lambda case=(step, wanted): check_number(*case)) for step, wanted in NUMBERS.items()]
TESTS += [(f"refused: {name}", lambda case=case: check_refused(*case)) for name, case in REFUSED.items()]
TESTS += [completing, counted_and_ended, results_of_calls, shapes_of_an_error]
TESTS += [words, numbers_stay, in_place, written_cells, own_words, maps, too_many_steps, printed, adamw, turns, entering, lines, notebooks, all_dtypes, where_from, an_error, its_name, many_turns, the_example]

if __name__ == "__main__":
    os.environ.pop("XDG_STATE_HOME", None)
    sys.exit(tap.run(TESTS))
