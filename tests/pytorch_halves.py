#!/usr/bin/env python3
"""Does `check` tell numbers of bfloat16, float16 and TF32, and judge them by what these hold?

usage: pytorch_halves.py ONESTEP [LESSON...] [--list]

PyTorch (any version from 1.13 on) runs each lesson's own statements in such a type: every tensor and layer is converted
where the program makes it, and for TF32, which needs a GPU, the factors of products are rounded to its 11 bits. All tensors
are handed in at once. They have one cause, with --dtype they are right, and with a softmax over another dimension they are
wrong both times. Speaks TAP; --list prints the causes that were found.

Left out are the lessons that train: an update of AdamW is smaller than half a unit of bfloat16, and its eps is 0 as a float16,
so what such a training makes is not the lesson's. So are the statements of block in half precision, which make layers inside,
and embeddings in TF32: its only product takes rows of a table as they are, and has 11 bits like a float16.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy
import torch

ONESTEP, *LESSONS = [word for word in sys.argv[1:] if word != "--list"]
LISTS = "--list" in sys.argv
TYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "tf32": torch.float32}
LEFT_OUT = {("block", "bfloat16"), ("block", "float16"), ("embeddings", "tf32")}
LINEAR = {torch.nn.functional.linear}
PRODUCTS = LINEAR | {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.mm, torch.bmm}


def rounded(x):
    """To the nearest number of 11 bits, away from 0 if two are as near: as cvt.rna.tf32.f32 does."""
    if x.dtype != torch.float32:
        return x
    return ((x.detach().contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32) + (x - x.detach())


class InTf32(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), options=None):
        if function in PRODUCTS:
            arguments = (*(rounded(x) for x in arguments[:2]), *arguments[2:])
        return function(*arguments, **(options or {}))


class InHalf(torch.overrides.TorchFunctionMode):
    """What 1.13 has not for float16 on a CPU, it computes in float32, and rounds the result, as later versions do."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        try:
            return function(*arguments, **(options or {}))
        except RuntimeError as error:
            if "not implemented for 'Half'" not in str(error):
                raise
        wide = [x.float() if isinstance(x, torch.Tensor) and x.dtype == torch.float16 else x for x in arguments]
        result = function(*wide, **(options or {}))
        return result.half() if isinstance(result, torch.Tensor) and result.dtype == torch.float32 else result


def convert(names, dtype):
    """All that is float32 among the program's names."""
    for name, value in list(names.items()):
        if isinstance(value, torch.nn.Module):
            value.to(dtype)
        elif isinstance(value, torch.nn.Parameter):
            value.data = value.data.to(dtype)
        elif isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            names[name] = value.to(dtype)


def run_in(kind, lesson, change=None):
    """Each step's label and tensor; `change` is a step, and what is replaced in its statement."""
    names, tensors = {}, {}
    dtype = TYPES[kind]
    with InTf32() if kind == "tf32" else InHalf():
        exec(lesson["setup"], names)
        convert(names, dtype)
        for step in lesson["steps"]:
            if step["group"] == "mcg31m1":  # no PyTorch without MKL draws such masks
                continue
            label = f"{step['group']}: {step['name']}" if step["group"] else step["name"]
            statement = step["statement"]
            if change is not None and change[0] == label:
                statement = statement.replace(*change[1:])
            exec(statement, names)
            convert(names, dtype)
            value = eval(step["expression"], names)
            tensors[label] = value.detach().clone() if isinstance(value, torch.Tensor) else torch.tensor(value)
    return tensors


def check(lesson, path, *options):
    done = subprocess.run([ONESTEP, "check", lesson, path, "--format", "json", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def write_dump(folder, kind, tensors):
    """As .npz, which has no bfloat16: a student converts that to float32."""
    path = os.path.join(folder, "dump.npz")
    numpy.savez(path, **{name: (x.float() if x.dtype == torch.bfloat16 else x).numpy() for name, x in tensors.items()})
    return path


def softmax_over_rows(lesson):
    """The first softmax over the last dimension of a matrix, over the one before; None if there is none."""
    for step in lesson["steps"]:
        if re.search(r"softmax\(.*dim=-1", step["statement"]) and len(step["shape"]) > 1 and step["shape"][-2] > 1:
            label = f"{step['group']}: {step['name']}" if step["group"] else step["name"]
            return label, "dim=-1", "dim=-2"
    return None


def problems_of(lesson, kind, folder):
    tensors = run_in(kind, lesson)
    path = write_dump(folder, kind, tensors)
    status, answer = check(lesson["lesson"], path)
    if (status, answer["verdict"], answer["precision"]) != (1, "rounded", kind) or answer["answers"]:
        yield f"is {answer['verdict']} of {answer['precision']} first at {answer['first_wrong']}"
    status, answer = check(lesson["lesson"], path, "--dtype", kind)
    if status != 0 or answer["verdict"] not in ("equal", "part"):
        yield f"--dtype {kind}: {answer['verdict']} first at {answer['first_wrong']}"
    change = softmax_over_rows(lesson)
    if change is None:
        return
    path = write_dump(folder, kind, run_in(kind, lesson, change))
    for options in [], ["--dtype", kind]:
        status, answer = check(lesson["lesson"], path, *options)
        if (status, answer["first_wrong"]) != (1, change[0]):
            yield f"softmax over rows in {change[0]} {options}: {answer['verdict']} first at {answer['first_wrong']}"
        elif LISTS:
            yield f"# softmax over rows {options}: {answer['answers'][0]['code']}"


def main():
    listed = json.loads(subprocess.run([ONESTEP, "list", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
    lessons = LESSONS or [lesson["lesson"] for lesson in listed["lessons"] if lesson["lesson"] not in ("training", "sampling")]
    print(f"1..{sum((name, kind) not in LEFT_OUT for name in lessons for kind in TYPES)}")
    number = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in lessons:
            lesson = json.loads(subprocess.run([ONESTEP, "print", name, "--format", "json"], stdout=subprocess.PIPE,
                                               check=True).stdout)["lessons"][0]
            for kind in TYPES:
                if (name, kind) in LEFT_OUT:
                    continue
                number += 1
                try:
                    said = list(problems_of(lesson, kind, folder))
                except Exception as error:
                    said = [f"{type(error).__name__}: {error}"]
                problems = [problem for problem in said if not problem.startswith("# ")]
                failures += bool(problems)
                print(f"{'not ' if problems else ''}ok {number} - {name} in {kind}", flush=True)
                for problem in said:
                    print(f"# {problem}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
