#!/usr/bin/env python3
"""What does PyTorch give for a part of a tensor, and what does it say of one that cannot be?

usage: pytorch_parts.py ONESTEP [--check]

Needs PyTorch and NumPy. Evaluates the expressions below with the tensors of ONESTEP's steps and writes data/parts.json,
which app/parts.py compares (long ones as a digest, app/shortened.py); --check compares it with the PyTorch at hand instead, but for the words of what is refused.
"""
import io
import json
import os
import subprocess
import sys

import numpy
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "app"))
from shortened import shortened

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "parts.json")
PARTS = [
    "", "[0]", "[-1]", "[:]", "[::2]", "[1::2]", "[:-1]", "[-3:]", "[-99:99]", "[4:2]", "[...]", "[..., 0]", "[..., None]", "[None]",
    "[None, 0]", "[0, ...]", "[::3, ...]", "[..., ::2]", "[..., 1:99:3]", "[:][0]", "[None].shape", "[::2].shape", ".T.shape", ".T",
    ".shape", ".shape[0]", ".shape[-1]", ".shape[:1]", ".shape[9]", ".size()", ".size(0)", ".size(-1)", ".size(dim=0)", ".size(7)",
    ".ndim", ".dim()", ".numel()", ".sum()", ".sum(0)", ".sum(-1)", ".sum(dim=-1)", ".sum(-1, keepdim=True)",
    ".sum(dim=0, keepdim=True)", ".sum(0).sum()", ".sum(0, keepdim=False)", ".sum(9)", ".sum(-9)", ".mean()", ".mean(0)", ".mean(-1)",
    ".mean(dim=-1, keepdim=True)", ".amax()", ".amax(0)", ".amax(dim=-1)", ".amax(-1, keepdim=True)", ".max()", ".argmax()",
    ".T.sum()", ".T.sum(0)", ".T.mean(-1)", "[::2].sum()", "[..., ::2].sum(-1)", "[..., :1].sum()", "[0].sum()", "[-1].mean()",
    "[99]", "[-99]", "[0, 99]", "[0, 0, 0, 0, 0, 0]", "[::-1]", "[::0]", "[..., ...]", "[0:0]", "[0:0].sum()", "[0:0].shape",
    ".transpose(0, -1)", ".transpose(0, 1).shape", ".transpose(0, 7)", ".t()", ".sum().shape", ".sum()[0]", ".sum()[:]", ".sum()[None]",
    ".sum()[...]", ".sum().size(0)", ".shape[0][0]",
]
STEPS = {
    "causal": ["scores", "masked_scores", "row_sums", "mask_bool", "queries"],
    "causal --d-out 40": ["scores", "queries"],
    "split_head": ["queries", "weights", "in_memory", "a_products"],
    "model --d-model 48": ["embedding", "loss"],
}


def tensor_of(program, lesson, step):
    values = subprocess.run([program, "print", *lesson.split(), "--step", step, "--format", "npy"], stdout=subprocess.PIPE, check=True)
    return torch.from_numpy(numpy.load(io.BytesIO(values.stdout)))


def bits(tensor):
    return tensor.contiguous().view(torch.int32).flatten().tolist() if tensor.dtype == torch.float32 else tensor.flatten().tolist()


def evaluate(tensor, part):
    try:
        value = eval("tensor" + part)
    except (IndexError, ValueError, RuntimeError, TypeError) as error:
        return {"refused": str(error).split("\n", maxsplit=1)[0]}
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape), "dtype": str(value.dtype), "bits": bits(value), "printed": str(value)}
    return {"printed": str(value)}


def main():
    program = os.path.abspath(sys.argv[1])
    tensors = [(lesson, step, tensor_of(program, lesson, step)) for lesson, steps in STEPS.items() for step in steps]
    found = [[lesson, step, part, shortened(evaluate(tensor, part))] for lesson, step, tensor in tensors for part in PARTS
             if tensor.dtype == torch.float32 or "max" not in part]
    if "--check" not in sys.argv:
        with open(DATA, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n")
        return 0
    with open(DATA, encoding="utf-8") as file:
        wanted = json.load(file)
    different = 0
    for mine, theirs in zip(wanted, found):
        if mine != theirs and not ("refused" in mine[3] and "refused" in theirs[3]):
            different += 1
            print("different:", *mine[:3])
    print(f"{len(found)} parts, {different} different")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
