#!/usr/bin/env python3
"""Has every step of every lesson, at its defaults, and of some with parameters, PyTorch's bits? Needs no PyTorch.

usage: bits.py ONESTEP [DIGESTS]

tests/data/bits.json holds for each lesson and step the type, the shape, and eight digits of the SHA-1 of the bytes that
PyTorch 2.6 computes with AVX2, OpenBLAS and one thread; nan counts as 7, and -0 as 0. There is no dropout of mcg31m1 among
them, which needs MKL. Prints the steps that differ or are absent.
"""
import hashlib
import json
import math
import os
import struct
import subprocess
import sys

DIGESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "bits.json")
FORMS = {"float32": ("f", float), "int64": ("q", int), "bool": ("?", bool)}


def flat(values):
    return [number for item in values for number in flat(item)] if isinstance(values, list) else [float(values)]


def digest_of(step):
    form, kind = FORMS[step["dtype"]]
    numbers = [kind(7.0 if math.isnan(x) else x + 0.0) for x in flat(step["values"])]
    return hashlib.sha1(struct.pack(f"<{len(numbers)}{form}", *numbers)).hexdigest()[:8]


def steps_of(onestep, lesson):
    printed = subprocess.run([onestep, "print", *lesson.split(), "--format", "json"], stdout=subprocess.PIPE, check=True).stdout
    return {f"{step['group']}: {step['name']}" if step["group"] else step["name"]: step
            for step in json.loads(printed)["lessons"][0]["steps"]}


def main():
    onestep, path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else DIGESTS
    with open(path, encoding="utf-8") as file:
        wanted = json.load(file)
    compared = wrong = 0
    for lesson, digests in wanted.items():
        steps = steps_of(onestep, lesson)
        for name, (dtype, shape, digest) in digests.items():
            compared += 1
            step = steps.get(name)
            if step and step["dtype"] == dtype and [int(n) for n in step["shape"]] == shape and digest_of(step) == digest:
                continue
            wrong += 1
            print(f"{lesson}: {name}: {'other bits than PyTorch' if step else 'no such step'}")
    print(f"{compared} steps compared, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
