#!/usr/bin/env python3
"""Does `onestep run` print what Python prints, and say where a program is wrong?

usage: run.py ONESTEP

What each program prints was printed by CPython 3.13, with PyTorch 2.6 where it has tensors.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

ONESTEP = sys.argv[1]

CASES = {  # name: (program, output)
    "arithmetic": ("print(7 // 2, -7 // 2, -7 % 3, 2**10, 2**-1, 10 / 4, round(2.675, 2), 0.1 + 0.2)\n",
                   "3 -4 2 1024 0.5 2.5 2.67 0.30000000000000004\n"),
    "floats": ("for x in [2.0**-44, 2.0**122, -2.0**122, 9007199254740993.0, 5e-324, 1e23, 0.1 + 0.7, 2.0**-24]:\n    print(x)\n",
               "5.684341886080802e-14\n5.316911983139664e+36\n-5.316911983139664e+36\n9007199254740992.0\n5e-324\n1e+23\n0.7999999999999999\n5.960464477539063e-08\n"),
    "formats": ("x = 3\nprint(f\"{x=} {3.14159:.2f} {1234567:,} {'hi':<4}|{0.5:%} {x!r:>3}\")\n",
                "x=3 3.14 1,234,567 hi  |50.000000%   3\n"),
    "parameters": ("def f(a, b=2, *more, c, **others):\n    return a, b, more, c, others\nprint(f(1, c=3), f(1, 2, 3, c=5, z=6))\n",
                   "(1, 2, (), 3, {}) (1, 2, (3,), 5, {'z': 6})\n"),
    "names": ("import torch\nclass A:\n    n = 1\n    def f(self):\n        self.m = 2\na = A()\na.f()\n"
              "print([name for name in dir(a) if name[0] != '_'], 'softmax' in dir(torch), 'relu' in dir(torch.nn.functional))\n"
              "print('T' in dir(torch.ones(2)), 'matmul' in dir(torch.ones(2)), 'append' in dir([]), 'a' in dir(), dir(A) == sorted(dir(A)))\n",
              "['f', 'm', 'n'] True True\nTrue True True True True\n"),
    "closures": ("def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner\n"
                 "count = outer()\ncount()\nprint(count())\n", "2\n"),
    "classes": ("class A:\n    def __init__(self, n):\n        self.n = n\n    def get(self):\n        return self.n\n"
                "class B(A):\n    def get(self):\n        return super().get() + 100\nprint(B(4).get(), isinstance(B(1), A))\n",
                "104 True\n"),
    "exceptions": ("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print('caught', error)\nelse:\n    print('no')\n"
                   "finally:\n    print('end')\n", "caught division by zero\nend\n"),
    "comprehensions": ("print([(i, j) for i in range(3) for j in range(i)], {k: k**2 for k in 'ab' if k > 'a'} if 0 else {})\n"
                       "squares = (i * i for i in range(4))\nprint(next(squares), list(squares))\n",
                       "[(1, 0), (2, 0), (2, 1)] {}\n0 [1, 4, 9]\n"),
    "tensors": ("import torch\ntorch.manual_seed(123)\nx = torch.rand(2, 3)\nprint(x)\nprint(x @ x.T, x.shape)\n",
                "tensor([[0.2961, 0.5166, 0.2517],\n        [0.6886, 0.0740, 0.8665]])\n"
                "tensor([[0.4179, 0.4602],\n        [0.4602, 1.2304]]) torch.Size([2, 3])\n"),
    "layers": ("import torch\ntorch.manual_seed(123)\nlayer = torch.nn.Linear(3, 2, bias=False)\nprint(layer)\n"
               "print(layer(torch.ones(1, 3)).shape)\n",
               "Linear(in_features=3, out_features=2, bias=False)\ntorch.Size([1, 2])\n"),
    "states of generators": ("import torch\ntorch.manual_seed(1)\nstate = torch.get_rng_state()\nx = torch.rand(3)\n"
                             "torch.set_rng_state(state)\nprint(torch.equal(x, torch.rand(3)), x)\n",
                             "True tensor([0.7576, 0.2793, 0.4031])\n"),
    "deep calls": ("def f(n):\n    return n and 1 + f(n - 1)\nprint(f(990))\n", "990\n"),
    "many keywords": ("def f(**k):\n    return len(k)\nprint(f(" + ", ".join(f"a{i}=1" for i in range(64)) + "))\n", "64\n"),
    "gradients": ("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n",
                  "tensor([2., 4.])\n"),
    # Some methods of tensors are Python, and there when one is asked for.
    "a method of the class": ("import torch\nprint(torch.Tensor.diag(torch.tensor([[1., 2.], [3., 4.]])))\n", "tensor([1., 4.])\n"),
    "a method of a parameter": ("import torch\nprint(torch.nn.Parameter(torch.tensor([[1., 2.], [3., 4.]])).diag().detach())\n", "tensor([1., 4.])\n"),
    "names of tensors": ("import torch\nprint('diag' in dir(torch.ones(1)))\n", "True\n"),
    "names of the class": ("import torch\nprint('diag' in dir(torch.Tensor))\n", "True\n"),
    "a method of one's own": ("import torch\ntorch.Tensor.diag = lambda self: 'mine'\nx = torch.tensor([[1., 2.], [3., 4.]])\n"
                              "print(x.diag(), x.count_nonzero(), x.diag())\n", "mine tensor(4) mine\n"),
}
WRONG = {  # name: (program, the first line on standard error behind the file)
    "a name": ("scores = 1\nprint(scroes)\n", "2: NameError: name 'scroes' is not defined. Did you mean: 'scores'?"),
    "a type": ("x = 1\nx = x + 'a'\n", "2: TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
    "a shape": ("import torch\na = torch.ones(3, 4)\na @ a\n",
                "3: RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)"),
    "a colon": ("def f()\n    pass\n", "1: SyntaxError: expected ':'"),
    "no end": ("def f():\n    return f()\nf()\n", "2: RecursionError: maximum recursion depth exceeded"),
    "a file": ("open('x')\n", "1: NotImplementedError: onestep runs no open(): it lets no program reach files, input or other code"),
    "einsum's letters": ("import torch\ntorch.einsum('ij,jk->il', torch.ones(2, 3), torch.ones(3, 4))\n",
                         "2: RuntimeError: einsum(): output subscript l does not appear in the equation for any input operand"),
    "a deep value": ("x = (1,)\nfor i in range(100000):\n    x = (x,)\nhash(x)\n", "4: RecursionError: maximum recursion depth exceeded"),
    "a deep call in parentheses": ("def f(n):\n    return " + "(1 + " * 190 + "f(n - 1)" + ")" * 190 + "\nf(0)\n",
                                   "2: RecursionError: maximum recursion depth exceeded"),
    "iterators in iterators": ("x = [1]\nfor i in range(100000):\n    x = enumerate(x)\nnext(x)\n",
                               "4: RecursionError: maximum recursion depth exceeded"),
    "dicts in dicts": ("a = b = 0\nfor i in range(100000):\n    a, b = {1: a}, {1: b}\na == b\n",
                       "4: RecursionError: maximum recursion depth exceeded"),
    "a dict that grows": ("d = {1: 1}\nfor k in d:\n    d[k + 1] = 1\n", "2: RuntimeError: dictionary changed size during iteration"),
    "65 bits": ("x = -2**63\nabs(x)\n", "1: OverflowError: an int has at most 64 bits in onestep"),
    "a long range": ("len(range(-2**62, 2**62))\n", "1: OverflowError: an int has at most 64 bits in onestep"),
    "async": ("async def f():\n    pass\n", "1: SyntaxError: onestep does not run `async`"),
}


def run(program, *options):
    """(exit status, standard output, standard error), in which the program is called FILE."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([ONESTEP, "run", path, *options], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.replace(path, "FILE")


def expect(wanted, got):
    if got != wanted:
        raise AssertionError(f"{got!r}, not {wanted!r}")


def prints(program, output):
    expect((0, output, ""), run(program))


def fails(program, message):
    status, _, said = run(program)
    expect((1, f"FILE:{message}"), (status, said.split("\n")[0]))


def reads_standard_input():
    done = subprocess.run([ONESTEP, "run", "-"], input="print(1)\n1 / 0\n", capture_output=True, text=True, check=False)
    expect((1, "1\n", "<stdin>:2: ZeroDivisionError: division by zero"), (done.returncode, done.stdout, done.stderr.split("\n")[0]))


def names_the_calls():
    said = run("def f(x):\n    return 1 / x\n\nf(0)\n")[2]
    expect("FILE:2: ZeroDivisionError: division by zero\n    return 1 / x\n  called from line 4:\n    f(0)\n", said)


def keeps_to_the_memory():
    for program in ("list(range(10**12))\n", "x = [1]\nwhile True:\n    x += x\n", "import torch\nx = torch.ones(100000, 100000)\n",
                    "import torch\nx = []\nwhile True:\n    x.append(torch.ones(1000))\n",
                    "import torch\nx = torch.ones(1000, requires_grad=True)\nwhile True:\n    x = x * 2\n"):
        status, _, said = run(program, "--memory", "64")
        expect(1, status)
        expect("MemoryError: the program needs more than 67108864 bytes; --memory sets another limit", said.split("\n")[0].split(": ", 1)[1])


def takes_back_the_memory_of_tensors():
    for program in ("x = torch.ones(1000, 1000)\nfor i in range(100):\n    x = x + 1\n",
                    "for i in range(20000):\n    x = torch.ones(1000) * i\n",
                    "p = torch.ones(1000, requires_grad=True)\nfor i in range(10000):\n    x = (p * 2).detach()\n    p.detach()\n",
                    "w = torch.nn.Parameter(torch.ones(40, 40))\noptimize = torch.optim.AdamW([w])\nfor i in range(1000):\n"
                    "    optimize.zero_grad()\n    (w @ w).sum().backward()\n    optimize.step()\n",
                    "x = torch.ones(40, 40, requires_grad=True)\nfor i in range(5000):\n    y = x.T[1:] * 2\n    y[0] = 1\n"):
        expect((0, "", ""), run("import torch\n" + program, "--memory", "16"))


def ends_with_ctrl_c():
    with subprocess.Popen([ONESTEP, "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        program.stdin.write("print('begun')\nwhile True:\n    pass\n")
        program.stdin.close()
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        expect("begun\n", program.stdout.read())
        expect("KeyboardInterrupt", program.stderr.read().split("\n")[0].split(": ")[1])
        expect(1, program.wait(timeout=60))


def wants_a_file():
    done = subprocess.run([ONESTEP, "run"], capture_output=True, text=True, check=False)
    expect(2, done.returncode)
    expect("onestep: run needs a program: onestep run FILE.py, or - for standard input", done.stderr.split("\n")[0])


TESTS = [(f"prints: {name}", lambda case=case: prints(*case)) for name, case in CASES.items()]
TESTS += [(f"is wrong: {name}", lambda case=case: fails(*case)) for name, case in WRONG.items()]
TESTS += [reads_standard_input, names_the_calls, keeps_to_the_memory, takes_back_the_memory_of_tensors, ends_with_ctrl_c, wants_a_file]
if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
