#!/usr/bin/env python3
"""Are right answers accepted in whatever form a student has them, or refused with the way out?

usage: pytorch_forms.py ONESTEP

Needs PyTorch and NumPy, any versions: those of the tests' data (check_forms.py) are written anew by the ones at hand, and then
what students copy out of notebooks, print in pieces, or save by pandas. Speaks TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import check_forms
import numpy as np
import torch

TOKENS = check_forms.TOKENS
own = check_forms.causal()
WEIGHTS, CONTEXT = own["causal_weights"], own["context"]
SCALARS = [[np.float32(x) for x in row] for row in CONTEXT.tolist()]


def cell(number, text):
    return {"cell_type": "code", "id": f"c{number}", "execution_count": number, "metadata": {}, "source": ["print(context)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]}


def notebook(*cells):
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def rows(separator, start="", end="", digits=4):
    return "".join(start.format(token=token) + separator.join(f"{x:.{digits}f}" for x in row) + end + "\n"
                   for token, row in zip(TOKENS, CONTEXT.tolist()))


PLAIN = str(CONTEXT.detach())
# Name: the text, and the cell of a notebook
COPIED = {
    "tensor and its shape": f"{PLAIN}\n{CONTEXT.shape}\n",
    "shape before it, as a comment says": f"context.shape: {CONTEXT.shape}\n{PLAIN}\n",
    "with the gradient's name": f"{CONTEXT}\n",
    "with a heading": f"Context vectors:\n{PLAIN}\n",
    "with its name": f"context = {PLAIN}\n",
    "with Out[7]": f"Out[7]: {PLAIN}\n",
    "with a prompt": f">>> print(context)\n{PLAIN}\n",
    "on the GPU": PLAIN[:-1] + ", device='cuda:0')\n",
    "as double": str(CONTEXT.detach().double()) + "\n",
    "eight digits": repr(CONTEXT.detach().tolist()) + "\n",
    "numpy": str(CONTEXT.detach().numpy()) + "\n",
    "numpy, by repr": repr(CONTEXT.detach().numpy()) + "\n",
    "numpy's scalars": repr(SCALARS) + "\n",
    "a list of tensors": repr([row.detach() for row in CONTEXT]) + "\n",
    "a tuple of tensors": repr(tuple(row.detach() for row in CONTEXT)) + "\n",
    "an object of JSON": json.dumps({"context": CONTEXT.tolist()}),
    "pandas, by to_csv": ",0,1\n" + "".join(f"{i},{a!r},{b!r}\n" for i, (a, b) in enumerate(CONTEXT.tolist())),
    "pandas, printed": "          0         1\n" + "".join(f"{i} {a:9.6f} {b:9.6f}\n" for i, (a, b) in enumerate(CONTEXT.tolist())),
    "a token before each row": rows(", ", "{token}: "),
    "a token in a column": rows(",", "{token},"),
    "blanks": rows(" "), "tabs": rows("\t"), "semicolons": rows(";"), "commas and blanks": rows(", "),
    "brackets by hand": "[" + rows(", ", "[", "],")[:-2] + "]\n",
    "rows in brackets": rows(", ", "[", "]"),
    "Markdown": "| token | d1 | d2 |\n| --- | ---: | ---: |\n" + rows(" | ", "| {token} | ", " |"),
    "a block of Markdown": f"```\n{PLAIN}\n```\n",
    "with an empty line at both ends": f"\n\n{PLAIN}\n\n",
    "with Windows' ends of lines": (PLAIN + "\n").replace("\n", "\r\n"),
    "with a mark of the byte order": "\ufeff" + PLAIN + "\n",
    "with a warning above": "UserWarning: nothing of importance\n" + PLAIN + "\n",
    "with decimal commas": rows(" ").replace(".", ","),
}
NOTEBOOKS = {"the only cell": (notebook(cell(1, PLAIN + "\n")), ""),
             "a cell by its number": (notebook(cell(1, "tensor([1., 2.])\n"), cell(5, PLAIN + "\n")), "#5")}


def check(step, path):
    done = subprocess.run([ONESTEP, "check", *step, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace")
    return done.returncode, (done.stdout + done.stderr).strip()


def judge(status, said):
    """Accepted; or refused in one line that says what to do. Never another verdict."""
    if status == 0:
        return "accepted"
    has_way_out = re.search(r"\b(take|put|write|choose)\b", said)
    return "refused" if status == 2 and len(said.splitlines()) == 1 and has_way_out else "wrong"


def cases(folder):
    check_forms.FOLDER = folder
    check_forms.main()
    with open(os.path.join(folder, "right.txt"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            lesson, step, name = line.split(" ", 2)
            yield name, [lesson, "--step", step], os.path.join(folder, name)
    for number, (name, text) in enumerate(COPIED.items()):
        path = os.path.join(folder, f"copied-{number}.txt")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        yield name, ["causal", "--step=context"], path
    for number, (name, (text, suffix)) in enumerate(NOTEBOOKS.items()):
        path = os.path.join(folder, f"notebook-{number}.ipynb")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield name, ["causal", "--step=context"], path + suffix


ONESTEP = os.path.abspath(sys.argv[1])
counts = {"accepted": 0, "refused": 0, "wrong": 0}
with tempfile.TemporaryDirectory() as folder:
    number = 0
    for number, (name, step, path) in enumerate(cases(folder), 1):
        status, said = check(step, path)
        verdict = judge(status, said)
        counts[verdict] += 1
        print(f"{'not ok' if verdict == 'wrong' else 'ok'} {number} - {name}: {verdict}")
        if verdict != "accepted":
            print("# " + said.replace("\n", "\n# "))
    print(f"1..{number}")
print(f"# PyTorch {torch.__version__}, NumPy {np.__version__}: {counts}")
sys.exit(counts["wrong"] > 0)
