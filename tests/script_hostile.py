#!/usr/bin/env python3
"""Do hostile programs end? Each has some seconds and little memory, and must end well or in an error that programs may have.

usage: script_hostile.py [--all] [--memory MB] ONESTEP

Recursion in every form, loops without an end, huge sizes, deep nesting, long strings, cycles, values that change while they
are walked, exceptions from everywhere. Without --all: a dozen. A program that never ends by itself gets Ctrl-C (its name
begins with "endless"). Of a build with sanitizers, too: a report is another exit status.
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "app")]
import tap  # noqa: E402: the lines above are for it
from hostile_classes import CLASSES  # noqa: E402

SECONDS, DELAY = 60, 1.0
ERRORS = {"RecursionError", "MemoryError", "OverflowError", "KeyboardInterrupt", "SyntaxError", "ValueError", "TypeError", "RuntimeError",
          "IndexError", "KeyError", "AttributeError", "ZeroDivisionError", "NotImplementedError", "StopIteration", "NameError", "AssertionError", "IndentationError"}
N = 100000

RECURSION = {
    "a function": "def f(n):\n    return f(n + 1) + 1\nf(0)",
    "two functions": "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)",
    "a lambda": "f = lambda n: f(n + 1)\nf(0)",
    "a closure": "def f():\n    def g():\n        return f()\n    return g()\nf()",
    "a comprehension": "def f(n):\n    return [f(n) for _ in range(2)]\nf(0)",
    "a generator": "def f(n):\n    return sum(f(n) for _ in range(2))\nf(0)",
    "a default": "def f(n):\n    def g(x=f(n)):\n        return x\n    return g()\nf(0)",
    "a key": "def f(x):\n    return sorted([1, 2], key=f)\nf(0)",
    "map": "def f(x):\n    return list(map(f, [1]))\nf(0)",
    "filter": "def f(x):\n    return list(filter(f, [1]))\nf(0)",
    "repr": "class A:\n    def __repr__(self):\n        return repr(self)\nprint(A())",
    "str": "class A:\n    def __str__(self):\n        return str(self)\nprint(A())",
    "eq": "class A:\n    def __eq__(self, other):\n        return self == other\nA() == A()",
    "hash": "class A:\n    def __hash__(self):\n        return hash(self)\n{A(): 1}",
    "add": "class A:\n    def __add__(self, other):\n        return self + other\nA() + A()",
    "getitem": "class A:\n    def __getitem__(self, i):\n        return self[i]\nA()[0]",
    "setitem": "class A:\n    def __setitem__(self, i, x):\n        self[i] = x\nA()[0] = 1",
    "getattr": "class A:\n    def __getattr__(self, name):\n        return self.other\nA().x",
    "call": "class A:\n    def __call__(self):\n        return self()\nA()()",
    "init": "class A:\n    def __init__(self):\n        A()\nA()",
    "iter": "class A:\n    def __iter__(self):\n        return iter(self)\nlist(A())",
    "len": "class A:\n    def __len__(self):\n        return len(self)\nlen(A())",
    "bool": "class A:\n    def __bool__(self):\n        return bool(self)\nif A(): pass",
    "contains": "class A:\n    def __contains__(self, x):\n        return x in self\n1 in A()",
    "format": "class A:\n    def __format__(self, s):\n        return f'{self}'\nf'{A()}'",
    "super": "class A:\n    def f(self):\n        return super().f()\nclass B(A):\n    def f(self):\n        return B().f()\nB().f()",
    "finally": "def f(n):\n    try:\n        return f(n + 1)\n    finally:\n        n += 1\nf(0)",
    "with": "import torch\ndef f():\n    with torch.no_grad():\n        f()\nf()",
    "a module": "import torch\nclass A(torch.nn.Module):\n    def forward(self, x):\n        return self(x)\nA()(1)",
    "children": "import torch\na = torch.nn.Sequential()\na.add_module('x', a)\nprint(a)",
}
ENDLESS = {
    "calls from except": "def f():\n    try:\n        f()\n    except RecursionError:\n        f()\nf()",
    "while": "while True:\n    pass",
    "while else": "n = 0\nwhile True:\n    n += 1\nelse:\n    pass",
    "a growing list": "x = [1]\nfor i in x:\n    x.append(i)",
    "a generator": "def f(n):\n    return n + 1\nn = 0\nwhile f(n):\n    n = f(n)",
    "try": "while True:\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        continue",
    "tensors": "import torch\nx = torch.ones(10)\nwhile True:\n    x = x * 1.0001",
    "a comprehension": "[x for x in range(2**62) if x < 0]",
    "sum": "sum(x for x in range(2**62))",
    "sum of a range": "sum(range(2**40))", "filter": "next(filter(None, (0 for i in range(2**62))))",
    "any": "any(x < 0 for x in range(2**62))",
    "zip": "for a, b in zip(range(2**62), range(2**62)):\n    pass",
    "all of a range": "all(range(1, 2**62))",
    "min": "min(range(2**62), key=lambda x: -x)",
    "in a range": "'a' in range(2**62)",
    "joining": "def f():\n    while True:\n        ','.join(['a', 'b'])\nf()",
    "in a class": "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nfor x in A():\n    pass",
    "in eq": "class A:\n    def __eq__(self, other):\n        while True: pass\n[A()].index(A())",
    "catching all": "while True:\n    try:\n        pass\n    except Exception:\n        pass",
}
SIZES = {
    "a list": "[0] * 10**12", "a list of a list": "x = [0] * 1000\nfor i in range(10):\n    x = x * 1000", "a tuple": "(1, 2) * 10**13",
    "a str": "'ab' * 10**12", "a str doubled": "s = 'a'\nwhile True:\n    s += s", "a range as a list": "list(range(10**12))",
    "a range": "range(2**62, -2**62, -3)[10**9]", "an int in a range": "print(2**61 in range(2**62), -1 in range(2**62, -2**62, -2**61))", "a dict": "{i: i for i in range(10**9)}", "a set": "set(range(10**10))",
    "a comprehension": "[i for i in range(10**12)]", "zeros": "import torch\ntorch.zeros(10**6, 10**6)", "zeros of many dims": "import torch\ntorch.zeros(1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)",
    "nine dims": "import torch\ntorch.zeros(1, 1, 1, 1, 1, 1, 1, 1, 1)", "below zero": "import torch\ntorch.zeros(-1)", "2**62": "import torch\ntorch.zeros(2**62)",
    "a product of sizes": "import torch\ntorch.zeros(2**32, 2**32)", "arange": "import torch\ntorch.arange(10**15)", "arange of small steps": "import torch\ntorch.arange(0, 1, 1e-15)",
    "linspace": "import torch\ntorch.linspace(0, 1, 10**15)", "eye": "import torch\ntorch.eye(10**9)", "expand": "import torch\nx = torch.ones(1).expand(2**40)\nx + 1", "expand and print": "import torch\nprint(torch.ones(1).expand(2**40))",
    "expand and list": "import torch\ntorch.ones(1).expand(2**40).tolist()", "repeat": "import torch\ntorch.ones(10).repeat(10**12)", "repeat_interleave": "import torch\ntorch.ones(10).repeat_interleave(10**12)", "outer": "import torch\nx = torch.ones(10**5)\ntorch.outer(x, x)",
    "a broadcast": "import torch\ntorch.ones(10**5, 1) + torch.ones(1, 10**5)", "one_hot": "import torch\ntorch.nn.functional.one_hot(torch.tensor([10**12]))", "bincount": "import torch\ntorch.bincount(torch.tensor([10**12]))", "a layer": "import torch\ntorch.nn.Linear(10**6, 10**6)",
    "an embedding": "import torch\ntorch.nn.Embedding(10**9, 100)", "randn": "import torch\ntorch.randn(10**10)", "randperm": "import torch\ntorch.randperm(10**11)", "multinomial": "import torch\ntorch.multinomial(torch.ones(3), 10**12, replacement=True)",
    "pad": "import torch\ntorch.nn.functional.pad(torch.ones(1), (10**11, 10**11))", "as_strided": "import torch\ntorch.ones(1).as_strided((10**12,), (0,)) + 1", "as_strided beyond": "import torch\ntorch.ones(1).as_strided((2,), (10**9,))", "a tensor of a range": "import torch\ntorch.tensor(range(10**12))",
    "cat": "import torch\nx = torch.ones(1000)\nwhile True:\n    x = torch.cat([x, x])", "kept": "import torch\nx = []\nwhile True:\n    x.append(torch.ones(1000))", "a graph": "import torch\nx = torch.ones(100, requires_grad=True)\nwhile True:\n    x = x * 1.01",
    "powers": "2**10**10", "powers below": "(-2)**63 * 2", "a shift": "1 << 10**12", "a shift below": "1 >> -1", "factorial": "import math\nmath.factorial(10**9)", "a float power": "10.0**10**10", "comb": "import math\nmath.comb(10**18, 10**17)",
    "int of digits": "int('9' * 10**6)", "repr of a float": "print(1e308 * 10, -1e308 * 10)", "round": "round(1.5, 10**12)", "round below": "round(12345, -10**12)", "a width": "f'{1:{10**12}}'", "a precision": "f'{1.5:.{10**9}f}'", "a percent width": "'%1000000000d' % 1",
    "a percent star": "'%*d' % (10**12, 1)", "rjust": "'a'.rjust(10**12)", "center": "'a'.center(10**15)", "zfill": "'1'.zfill(10**13)", "join": "('ab' * 1000).join(['x' * 1000] * 10**6)", "replace": "('a' * 10**5).replace('a', 'b' * 10**5)", "format": "'{:>1000000000000}'.format(1)",
    "expandtabs": "('\\t' * 10**6).expandtabs(10**9)", "many arguments": "def f(*a):\n    return len(a)\nf(*range(10**12))", "max of nothing": "max([])", "splits": "x = 'a,' * 10**6\nlen(x.split(','))", "slices": "x = list(range(1000))\nx[:: 2**62], x[-2**62:2**62]",
    "an index": "[1][2**62]", "a negative index": "[1][-2**63]", "a slice beyond": "x = [1]\nx[2**62:2**62] = [2]\nprint(x)", "insert": "x = []\nx.insert(2**62, 1)\nprint(x)", "view": "import torch\ntorch.ones(4).view(2**62, -1)", "split": "import torch\ntorch.ones(4).split(2**62)",
    "many splits": "import torch\ntorch.ones(10**6).split(1)", "narrow": "import torch\ntorch.ones(4).narrow(0, 2**62, 2**62)", "unfold": "import torch\ntorch.ones(4).unfold(0, 2**62, 1)", "roll": "import torch\nprint(torch.arange(4).roll(2**62))", "triu": "import torch\nprint(torch.ones(2, 2).triu(2**62))",
    "diagonal": "import torch\ntorch.ones(2, 2).diagonal(2**62)", "seeds": "import torch\ntorch.manual_seed(2**63 - 1)\ntorch.manual_seed(-2**63)", "randint": "import torch\nprint(torch.randint(-2**63, 2**63 - 1, (3,)).shape)", "topk": "import torch\ntorch.ones(3).topk(2**62)",
}
DEEP = {
    "parentheses": "(" * N + "1" + ")" * N, "lists": "[" * N + "]" * N, "dicts": "{1:" * N + "1" + "}" * N, "calls": "f(" * N + ")" * N, "subscripts": "x" + "[0" * N + "]" * N,
    "unclosed": "(" * N, "minus": "-" * N + "1", "not": "not " * N + "1", "powers": "2" + "**1" * N, "sums": "1" + "+1" * N, "attributes": "x" + ".x" * N, "comparisons": "1" + "<2" * N, "and": "1" + " and 1" * N,
    "conditions": "1 if 1 else " * N + "1", "lambdas": "lambda: " * N + "1", "f-strings": "f'{" * 1000 + "1" + "}'" * 1000, "ifs": "".join(" " * i + "if 1:\n" for i in range(2000)) + " " * 2000 + "pass", "whiles": "".join(" " * i + "while 0:\n" for i in range(2000)) + " " * 2000 + "pass",
    "defs": "".join(" " * i + f"def f{i}():\n" for i in range(1000)) + " " * 1000 + "pass", "tries": "".join(" " * i + "try:\n" for i in range(500)) + " " * 500 + "pass", "comprehensions": "[x for x in " * N + "[]" + "]" * N, "targets": "(" * N + "x" + ",)" * N + " = 1",
    "a long line": "x = " + "1 + " * N + "1\nprint(x)", "many lines": "x = 0\n" + "x += 1\n" * N + "print(x)", "a long name": "x" * 10**6 + " = 1", "a long string": "x = '" + "a" * 10**7 + "'\nprint(len(x))", "a long list": "x = [" + "1," * N + "]\nprint(len(x))", "many arguments": "def f(*a):\n    return len(a)\nprint(f(" + "1," * N + "))",
    "many names": "\n".join(f"x{i} = {i}" for i in range(20000)), "elifs": "if 0: pass\n" + "elif 0: pass\n" * 20000, "decorators": "@f\n" * 10000 + "def g(): pass", "digits": "1" * N, "digits behind a point": "print(0." + "1" * N + ")", "backslashes": "x = 1 + \\\n" * 1000 + "1", "quotes": "'" * 99999, "null": "x = '\\x00'\nprint(repr(x))",
    "wide letters": "x = '" + "\U0001F600" * 10000 + "'\nprint(len(x), x[5000:5001] == x[0])", "no utf-8": "x = '\\ud800'\nprint(repr(x))",
}
DATA = {
    "a deep list printed": "x = []\nfor i in range(100000):\n    x = [x]\nprint(x)", "a deep list compared": "x = y = []\nfor i in range(100000):\n    x = [x]\n    y = [y]\nx == y", "a deep tuple hashed": "x = ()\nfor i in range(100000):\n    x = (x,)\nhash(x)", "a deep dict": "x = {}\nfor i in range(100000):\n    x = {1: x}\nprint(x)",
    "a deep copy": "import copy\nx = []\nfor i in range(100000):\n    x = [x]\ncopy.deepcopy(x)", "a deep sort": "x = y = []\nfor i in range(100000):\n    x = [x]\n    y = [y]\nsorted([x, y])", "a deep tensor": "import torch\nx = [1]\nfor i in range(100000):\n    x = [x]\ntorch.tensor(x)", "a cycle printed": "x = []\nx.append(x)\nprint(x)",
    "a cycle compared": "x = []\nx.append(x)\ny = []\ny.append(y)\nx == y", "a cycle of dicts": "x = {}\nx['a'] = x\nprint(x)", "a cycle of tensors": "import torch\nx = []\nx.append(x)\ntorch.tensor(x)", "a cycle copied": "import copy\nx = []\nx.append(x)\ny = copy.deepcopy(x)\nprint(y[0] is y)", "a cycle of objects": "class A: pass\nfor i in range(100000):\n    a = A()\n    a.a = a",
    "closures in a ring": "def f():\n    def g():\n        return g\n    return g\nfor i in range(100000):\n    f()", "a sort that changes its list": "x = [3, 1, 2]\ndef key(n):\n    x.append(n)\n    return n\nx.sort(key=key)\nprint(x)", "a sort that raises": "def key(n):\n    raise ValueError('no')\nsorted([1, 2], key=key)", "a sort of all kinds": "sorted([1, 'a', None, []])",
    "an eq that clears": "x = []\nclass A:\n    def __eq__(self, other):\n        x.clear()\n        return False\nx += [A() for _ in range(100)]\nx.index(5)", "an eq that grows": "x = []\nclass A:\n    def __eq__(self, other):\n        x.append(A())\n        return False\nx += [A()]\nprint(len(x))\nx.count(1)", "a hash that changes": "n = 0\nclass A:\n    def __hash__(self):\n        global n\n        n += 1\n        return n\nd = {}\na = A()\nfor i in range(1000):\n    d[a] = i\nprint(len(d))",
    "an eq of keys that clears": "d = {}\nclass A:\n    def __hash__(self):\n        return 1\n    def __eq__(self, other):\n        d.clear()\n        return False\nfor i in range(50):\n    d[A()] = i\nprint(len(d))", "a list cleared while walked": "x = list(range(1000))\nfor i in x:\n    x.clear()\nprint(x)", "a dict cleared while walked": "d = {i: i for i in range(100)}\nfor k in d:\n    d.clear()", "a set changed while walked": "s = {1, 2, 3}\nfor x in s:\n    s.add(x + 10)",
    "a dict changed in items": "d = {1: 1}\nfor k, v in d.items():\n    del d[k]\n    d[k + 1] = 1", "a repr that changes": "x = []\nclass A:\n    def __repr__(self):\n        x.clear()\n        return 'A'\nx += [A(), A(), A()]\nprint(x)", "a len that lies": "class A:\n    def __len__(self):\n        return -1\nlen(A())", "a len of a str": "class A:\n    def __len__(self):\n        return 'a'\nlen(A())", "a bool of a str": "class A:\n    def __bool__(self):\n        return 'a'\nbool(A())",
    "an index of a str": "class A:\n    def __index__(self):\n        return 'a'\n[1][A()]", "a next that raises": "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        raise ValueError('no')\nlist(A())", "an exit that raises": "class A:\n    def __enter__(self):\n        return 1\n    def __exit__(self, *a):\n        raise ValueError('no')\nwith A():\n    1 / 0", "an exception in its text": "class E(Exception):\n    def __str__(self):\n        raise self\nraise E()",
    "a chain of exceptions": "e = None\nfor i in range(100000):\n    try:\n        raise ValueError(i) from e\n    except ValueError as error:\n        e = error\nraise e", "no exception": "raise 1", "a class of itself": "class A(A): pass", "bases in a ring": "class A: pass\nclass B(A): pass\nA.__bases__ = (B,)", "a deleted name": "x = 1\ndel x\nprint(x)",
    "map while its list shrinks": "x = [1, 2, 3]\nprint(list(map(lambda n: x.pop(), x)))", "zip of one iterator": "i = iter(range(10**5))\nprint(sum(a for a, b in zip(i, i)))", "a dict of nan": "d = {}\nfor i in range(1000):\n    d[float('nan')] = i\nprint(len(d))", "joining a changing list": "x = ['a']\nclass A:\n    def __iter__(self):\n        x.append('b')\n        return iter(x)\nprint(','.join(A()))",
    "unpacking": "a, *b = range(10**6)\na, b = range(10**12)", "a slice assigned to itself": "x = [1, 2, 3]\nfor i in range(15):\n    x[1:2] = x\nprint(len(x))", "star of itself": "x = [1]\nfor i in range(30):\n    x = [*x, *x]", "globals": "globals()['x'] = 1\nglobals().clear()\nprint(1)",
    "setting on all": "(1).x = 1", "builtins replaced": "print = 1\nlen = print\nlist = 5\nx = [i for i in range(3)]\nlist(x)", "torch replaced": "import torch\ntorch.tensor = torch.nn = torch.float32 = None\ntorch.ones(2).softmax(0)",
}
TENSORS = {
    "100,000 additions": "n = 0\nfor i in range(100000):\n    n += i\nprint(n)", "100,000 additions of tensors": "import torch\nx = torch.zeros(1)\nfor i in range(100000):\n    x = x + 1\nprint(x)", "views of views": "import torch\nx = torch.arange(8)\nfor i in range(100000):\n    x = x.view(2, 4).T.T.view(8)\nprint(x)", "a graph of 100,000": "import torch\nx = y = torch.ones(1, requires_grad=True)\nfor i in range(100000):\n    y = y + 1\ny.backward()\nprint(x.grad)",
    "a mask by item": "import torch\nx = torch.zeros(100, 100)\nfor i in range(100):\n    for j in range(100):\n        x[i, j] = j > i\nprint(x.sum())", "slices of slices": "import torch\nx = torch.arange(100000)\nwhile len(x) > 1:\n    x = x[1:]\nprint(x)", "a chain of transposes": "import torch\nx = torch.ones(2, 3)\nfor i in range(100001):\n    x = x.transpose(0, 1)\nprint(x.shape)", "in place": "import torch\nx = torch.zeros(1000)\nfor i in range(10000):\n    x += 1\nprint(x[0])",
    "in place in a graph": "import torch\nx = torch.ones(10, requires_grad=True)\ny = x * 1\nfor i in range(10000):\n    y += x\ny.sum().backward()\nprint(x.grad[0])", "written into itself": "import torch\nx = torch.arange(10)\nx[1:] = x[:-1]\nx[:] = x.flip(0)\nprint(x)", "written to expanded": "import torch\nx = torch.zeros(1).expand(5)\nx[0] = 1", "indices out of range": "import torch\ntorch.ones(3)[torch.tensor([5])]", "gather out of range": "import torch\ntorch.ones(3).gather(0, torch.tensor([2**62]))",
    "embedding out of range": "import torch\ntorch.nn.Embedding(3, 2)(torch.tensor([-2**63]))", "a target out of range": "import torch\ntorch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 2**62]))", "empty": "import torch\nx = torch.zeros(0)\nprint(x.sum(), x.mean(), x.T, x @ x, x.view(0, 5).softmax(0))\nx.max()", "empty of many dims": "import torch\nx = torch.zeros(2, 0, 3)\nprint(x, x.sum(1), x.permute(2, 0, 1).shape)\nx.argmax(1)",
    "division by zero": "import torch\nprint(torch.tensor([1, 2]) / 0, torch.tensor([1.0]) // 0)\ntorch.tensor([1]) // 0", "the least of integers": "import torch\nx = torch.tensor(-2**63)\nprint(x.abs(), -x, x * x, x - 1)\nx // -1", "integers to floats and back": "import torch\nprint(torch.tensor([1e30, float('nan'), float('inf')]).long().shape)", "shifts": "import torch\nprint((torch.tensor(1) << 100).shape, (torch.tensor(1) >> -5).shape)", "a step of zero": "import torch\ntorch.arange(0, 1, 0)",
    "a step of nan": "import torch\ntorch.arange(0, 1, float('nan'))", "a dim of its own": "import torch\ntorch.ones(2, 3).sum(2**62)", "many dims": "import torch\nx = torch.ones(1)\nfor i in range(20):\n    x = x[None]", "einsum": "import torch\ntorch.einsum('a' * 1000, torch.ones(1))", "einsum of all letters": "import torch\ntorch.einsum('abcdefghijk->k', torch.ones(1))", "an optimizer": "import torch\np = torch.nn.Parameter(torch.ones(3))\no = torch.optim.SGD([p], lr=float('nan'))\nfor i in range(1000):\n    (p * p).sum().backward()\n    o.step()\nprint(p)",
    "backward twice": "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()", "a hook of its own": "import torch\nx = torch.ones(3, requires_grad=True)\nx.grad = x\nprint(x.grad is x)", "print options": "import torch\ntorch.set_printoptions(precision=10**9)\nprint(torch.rand(3))", "print of everything": "import torch\ntorch.set_printoptions(threshold=10**12)\nprint(torch.zeros(300, 300).sum())\nstr(torch.zeros(1000, 300))",
    "lists of tensors": "import torch\nx = [torch.ones(10) for _ in range(10000)]\nprint(torch.stack(x).shape, torch.cat(x).shape)", "a tensor in a tensor": "import torch\nx = torch.ones(3)\nfor i in range(30):\n    x = torch.tensor([x.tolist(), x.tolist()])", "iterating": "import torch\nx = torch.arange(100000)\nprint(sum(int(i) for i in x))", "a sort of nan": "import torch\nprint(torch.tensor([float('nan')] * 1000 + [1.0]).sort().values[:3])", "hashes": "import torch\nx = {torch.ones(1): i for i in range(10000)}\nprint(len(x))",
}
GROUPS = {"recursion": RECURSION, "endless": ENDLESS, "sizes": SIZES, "deep": DEEP, "data": DATA, "tensors": TENSORS, "classes": CLASSES}
FEW = ["recursion: a function", "recursion: eq", "endless: while", "endless: sum", "sizes: a list", "sizes: a width", "sizes: a percent width", "sizes: zfill", "sizes: expand", "deep: parentheses", "deep: lambdas", "data: a cycle printed",
       "data: an eq that clears", "data: a deep copy", "tensors: 100,000 additions", "tensors: views of views"]


def limited(memory):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if memory > 0:
            resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    return limit


def run(onestep, source, is_endless, memory):
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8", errors="surrogatepass") as file:
        file.write(source + "\n")
        file.flush()
        process = subprocess.Popen([onestep, "run", file.name, "--memory=256"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=limited(memory))
        try:
            said = process.communicate(timeout=DELAY if is_endless else SECONDS)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                said = process.communicate(timeout=10)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise AssertionError("does not end, even with Ctrl-C")
            if not is_endless:
                raise AssertionError(f"takes more than {SECONDS} s")
    return process.returncode, said.decode(errors="replace").replace(file.name, "FILE")


def ends(onestep, name, source, memory):
    status, said = run(onestep, source, name.startswith("endless"), memory)
    first = said.split("\n")[0]
    kind = first.split(": ")[1] if first.startswith("FILE:") and ": " in first else first
    if status not in (0, 1) or status == 1 and kind.split(" ")[0] not in ERRORS | {"E"}:
        raise AssertionError(f"exit status {status}: {said[:600]}")
    if len(said) > 10**5:
        raise AssertionError(f"{len(said)} bytes of error")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--memory", type=int, default=1024, help="MB of addresses that a program may have; 0: any, for sanitizers")
    parser.add_argument("--only", default="")
    parser.add_argument("onestep", type=os.path.abspath)
    options = parser.parse_args()
    programs = {f"{group}: {name}": source for group, named in GROUPS.items() for name, source in named.items()}
    chosen = [name for name in programs if options.only in name] if options.all or options.only else FEW
    return tap.run([(name, lambda name=name: ends(options.onestep, name, programs[name], options.memory)) for name in chosen])


if __name__ == "__main__":
    sys.exit(main())
