#!/usr/bin/env python3
"""Do programs that are drawn at random give in onestep what they give in Python and PyTorch?

usage: pytorch_drawn.py [--count N] [--seed S] [--other COMMAND] [--show] ONESTEP

tests/drawn.py draws them: no classes, all forms of statements, what people use of torch. What each prints, the type of the
exception that ends it and the first line of its message must be those of this Python and its PyTorch, or of another one's
(--other 'chroot FOLDER python3'): each line of one of the two. Large products are left out: onestep adds those up in an
order of its own from 12 rows on (src/tensor/number/tile.h).

Needs PyTorch on AVX2 with OpenBLAS (pytorch_library.py). Says how many programs are equal, and shows the first line that
differs of each that is not; --show prints the program, too.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from pytorch_library import ENVIRONMENT, torch  # noqa: E402: the line above is for it

torch()
import drawn  # noqa: E402: PyTorch comes first, and starts the script anew if need be

# Runs programs, each in fresh names: what each printed, and what ended it. Sent to the Python that is asked.
WORKER = r"""
import contextlib, io, json, signal, sys, warnings
import torch
warnings.simplefilter("ignore")
torch.set_num_threads(1)

class Late(BaseException):
    pass

def late(number, frame):
    raise Late

signal.signal(signal.SIGALRM, late)
ran = []
for program in json.load(sys.stdin):
    output, ended = io.StringIO(), None
    torch.set_printoptions(profile="default")
    torch.manual_seed(67280421310721)
    signal.alarm(20)
    try:
        with contextlib.redirect_stdout(output), torch.backends.mkldnn.flags(enabled=False):  # gelu is PyTorch's own
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    except BaseException as error:
        ended = [type(error).__name__, str(error).split("\n")[0]]
    signal.alarm(0)
    ran.append([output.getvalue(), ended])
json.dump(ran, sys.stdout)
"""


MARK = "# behind line "


def marked(program):
    """The program, which says behind each statement where it is: what differs is found by that."""
    out = []
    lines = program.split("\n")
    for number, line in enumerate(lines, 1):
        if out and line and not line.startswith((" ", "else", "elif", "except", "finally")):
            out.append(f"print({MARK + str(number - 1)!r})")
        out.append(line)
    return "\n".join(out)


def ran_by(python, programs):
    done = subprocess.run([*python, "-c", WORKER], input=json.dumps(programs), stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, **ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"})
    return json.loads(done.stdout)


def ran_by_onestep(onestep, program, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([onestep, "run", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    said = done.stderr.decode(errors="replace").split("\n")[0]
    ended = None
    if done.returncode != 0:
        name, _, message = said.split(": ", 1)[-1].partition(": ")
        ended = [name, message]
    return [done.stdout.decode(errors="replace"), ended]


def difference(mine, known):
    """The first line that is in neither of the known runs, with theirs, and the line of the program; None if there is none."""
    if mine in known:
        return None
    lines = [text.split("\n") for text, _ in known]
    line = 0
    for i, said in enumerate(mine[0].split("\n")[:-1]):
        others = [text[i] if i < len(text) else "(the end)" for text in lines]
        if said not in others:
            return said, " or ".join(dict.fromkeys(others)), line
        if said.startswith(MARK):
            line = int(said[len(MARK):])
    ends = [theirs[1] for theirs in known]
    return None if mine[1] in ends and len(mine[0].split("\n")) in map(len, lines) else (mine[1], ends, line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--other", default="", help="the command of another Python with PyTorch")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("onestep", type=os.path.abspath)
    options = parser.parse_args()
    programs = [marked(drawn.draw_program(1000003 * options.seed + i)) for i in range(options.count)]
    pythons = [[sys.executable]] + ([shlex.split(options.other)] if options.other else [])
    known = [ran_by(python, programs) for python in pythons]
    equal = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        for i, program in enumerate(programs):
            lines += program.count("\n") - program.count(MARK)
            differs = difference(ran_by_onestep(options.onestep, program, path), [run[i] for run in known])
            equal += differs is None
            if differs is not None:
                said, wanted, line = differs
                statements = re.split(r"\nprint\('" + MARK + r"\d+'\)\n", program.rstrip("\n"))
                marks = [int(number) for number in re.findall(MARK + r"(\d+)'", program)]
                at = marks.index(line) + 1 if line in marks else 0
                statement = "\n".join(statements[max(0, at - 1):at + 1])
                print(f"--- {i}: {statement}\n    onestep: {said}\n    PyTorch: {wanted}" + (f"\n{program}" if options.show else ""), flush=True)
    print(f"{equal} of {options.count} programs of {lines:,} lines print what PyTorch prints")
    return 0 if equal == options.count else 1


if __name__ == "__main__":
    sys.exit(main())
