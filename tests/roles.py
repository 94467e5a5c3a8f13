#!/usr/bin/env python3
"""Do the readers of a run ask for roles and meanings, not for what one lesson happens to have?

A rule that asks for four dimensions, for the size of dimension 1 or for a step called "W_query" says something false of
the next lesson. So no file of the folders below compares ndim with a number, indexes a shape or axes with one, or compares
with the name of a step. The names are those of the steps of all lessons, as the program lists them. To ask for a single
number (ndim 0) is no guess. Speaks TAP.

usage: roles.py ONESTEP
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = [
    "src/trace/run",
    "src/trace/tape",
    "src/trace/what_if",
    "src/show",
    "src/show/map",
    "src/show/picture",
    "src/walk",
    "src/walk/kit",
    "src/walk/model",
    "src/walk/step",
    "src/walk/views",
    "src/app",
    "src/app/check",
    "src/app/command",
    "src/app/print",
    "src/app/print/html",
    "src/app/session",
    "src/tensor/operation",
]
# What is about shapes or identity, not about a role: in which file, the code, and why.
EXEMPT = {
    "src/app/check/checked.c": {
        "tensor->ndim != 1": "words in a file are a list, and so may stand for a list of ids only",
        "numbers.shape.size[0]++": "words in a file are a list",
    },
    "src/app/check/handed_in.c": {
        "shape_of(whole).size[0]": "a tensor may be a part of any step along its first dimension",
    },
    "src/show/table.c": {
        "return tensor->ndim": "it lays any tensor out in rows, columns and pages; the others ask it",
    },
    "src/trace/tape/order.c": {
        "tensor->ndim == 1": "the name of a line of any tensor: without the others of its vector or matrix",
        "tensor->ndim == 2": "the name of a line of any tensor: without the others of its vector or matrix",
    },
    "src/walk/kit/names.c": {
        "flat->ndim != 2": "whether a matrix is another tensor's memory, its leading dimensions merged",
        "whole->ndim == 2": "whether a vector is a row or a column of a matrix in memory",
        "tensor->shape[0] == whole": "whether a vector is a row or a column of a matrix in memory",
        "tensor->shape[0]);": "how many pages there are along the first dimension, whatever it counts",
    },
    "src/walk/kit/sizes.c": {'shape.ndim == 1 ? ""': "one size, or several sizes"},
    "src/app/check/compare.c": {
        "columns = numbers->shape.size[1]": "a table in a file has rows and columns, whatever the tensor has",
        "shape.ndim < 2": "a table in a file has rows and columns, whatever the tensor has",
    },
    "src/app/check/called.c": {"strcmp(step->name, row->steps": "it finds the steps that a row of data/names.txt names"},
    "src/app/check/diagnose.c": {"i < tensor->shape[0]": "any first dimension may be missing in a file"},
    "src/trace/run/expression.c": {"": "it computes what is written with PyTorch's indices and methods, for any tensor"},
    "src/trace/run/exercise.c": {"step->name": "the statement assigns to the step's own name"},
    "src/trace/run/step.c": {
        "tensor->ndim != 1 || origin": "whether a list goes along the rows of the matrix that it was made of",
        "of->ndim != 2 || of->shape[0]": "whether a list goes along the rows of the matrix that it was made of",
        "strcmp(step->expression, step->name)": "an expression that is the step's own name is not shown twice",
        "strcmp(step->name, name)": "it finds the step that a user names",
        "strcmp(a->name, b->name)": "the same step of another run",
        "strcmp(run->steps[i].name, name)": "it finds the step that a user names",
    },
    "src/trace/tape/where_to.c": {
        "origin->operands[1].ndim == 2": "a product with any matrix; a factor with pages is asked number by number",
    },
    "src/walk/step/numbers.c": {
        "view(*tensor, SHAPE(tensor->shape[0], 1))": "a list stands upright: it is turned into one column",
        "column.axis[0] = tensor->axis[0]": "a list stands upright: it is turned into one column",
    },
}
NUMBER = [
    (re.compile(r"\bndim\s*(?:[=!<>]=|[<>])\s*(?!0\b)\d"), "compares ndim with a number"),
    (re.compile(r"[1-9]\s*(?:[=!<>]=|[<>])\s*[\w.>-]*ndim\b"), "compares ndim with a number"),
    (re.compile(r"\b(?:shape|size|stride|axis)\[\d"), "indexes a dimension by its number"),
    (re.compile(r"\bstr\w+\([^;]*\bsteps?\b[^;]*\bname\b"), "compares a step's name"),
]


def names_of_steps(program):
    """The names of all steps of all lessons; without those that are plain words, which a text may well hold."""
    said = subprocess.run([program, "print", "all", "--format", "json"], capture_output=True, check=True).stdout.decode()
    names = set(re.findall(r'"name": "(\w+)"', said))
    return {name for name in names if "_" in name}


def code_of(path):
    """(number, line) without comments."""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        yield number, re.sub(r"//.*", "", line)


def faults(path, names):
    exempt = EXEMPT.get(str(path.relative_to(ROOT)), {})
    for number, line in code_of(path):
        if any(code in line for code in exempt):
            continue
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        for pattern, words in NUMBER:
            if pattern.search(bare):
                yield f"{path.relative_to(ROOT)}:{number} {words}: {line.strip()}"
        for text in texts:
            if text in names:
                yield f"{path.relative_to(ROOT)}:{number} has a step's name: {text}"


names = names_of_steps(sys.argv[1])
paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.c"))
failed = 0
print("TAP version 13")
print(f"1..{len(paths)}")
for place, path in enumerate(paths, 1):
    found = list(faults(path, names))
    print(f"{'not ok' if found else 'ok'} {place} - {path.relative_to(ROOT)}")
    for fault in found:
        print(f"# {fault}")
    failed += bool(found)
sys.exit(failed > 0)
