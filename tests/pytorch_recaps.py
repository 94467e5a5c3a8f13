#!/usr/bin/env python3
"""Do the classes that lessons end with run in PyTorch, and give the lesson's tensor?

usage: pytorch_recaps.py ONESTEP

Runs what `onestep print LESSON --summary --format py` prints, with several parameters, and compares the tensor that its
last line computes with the step that the lesson says it gives. Which of the two streams dropout draws from is up to the
build of PyTorch, so the step of either group will do. Speaks TAP.
"""
import json
import os
import re
import subprocess
import sys

from pytorch_library import torch

torch = torch()

MARGIN = 2e-6  # times max(1, |x|): what another order of adding may change
RUNS = [
    ["simplified"], ["simplified", "--query", "step"],
    ["trainable"], ["trainable", "--seed", "5", "--d-out", "4", "--bias"],
    ["causal"], ["causal", "--seed", "1", "--d-out", "7", "--bias"],
    ["dropout"], ["dropout", "--eval"], ["dropout", "--dropout", "0.1", "--bias", "--d-out", "5"],
    ["wrapper"], ["wrapper", "--heads", "3", "--batch", "3", "--context-length", "9", "--bias"],
    ["split_head"], ["split_head", "--heads", "4", "--d-out", "8", "--context-length", "12", "--bias"],
    ["model"], ["model", "--heads", "1"], ["model", "--heads", "4"],
    ["model", "--text", "a b a c"], ["gradients"], ["gradients", "--heads", "1"], ["gradients", "--seed", "5"],
    ["training"], ["training", "--heads", "1", "--updates", "50"],
    ["training", "--optimizer", "sgd", "--lr", "0.1", "--updates", "100"],
]


def onestep(*arguments):
    return subprocess.run([ONESTEP, *arguments], capture_output=True, check=True).stdout.decode()


def seeded(program, arguments):
    """A class is made behind the lesson's own seed; --seed stands in its place."""
    seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments else None
    return program if seed is None else re.sub(r"manual_seed\(\d+\)", f"manual_seed({seed})", program)


def distance(step, tensor):
    values = torch.tensor(step["values"], dtype=torch.float32)
    if values.shape != tensor.shape:
        return float("inf")
    return ((values - tensor).abs() / values.abs().clamp(min=1)).max().item()


def check(arguments):
    program = onestep("print", *arguments, "--summary", "--format", "py")
    first, *lines = seeded(program, arguments).rstrip("\n").split("\n")
    scope = {}
    exec("\n".join(lines[:-1]), scope)
    tensor = scope[re.fullmatch(r"print\((\w+)\)", lines[-1])[1]].detach()
    name = first.split(": ")[-1]
    steps = json.loads(onestep("print", *arguments, "--format", "json"))["lessons"][0]["steps"]
    found = [distance(step, tensor) for step in steps if step["name"] == name]
    if not found or min(found) > MARGIN:
        raise ValueError(f"other numbers than {first[2:]}: {found}")
    return min(found)


ONESTEP = os.path.abspath(sys.argv[1])
failed = 0
print(f"1..{len(RUNS)}")
for number, arguments in enumerate(RUNS, 1):
    try:
        print(f"ok {number} - {' '.join(arguments)} # {check(arguments):.1e}")
    except Exception as error:  # whatever the program throws
        failed += 1
        print(f"not ok {number} - {' '.join(arguments)}\n# {type(error).__name__}: {error}")
sys.exit(failed > 0)
