#!/usr/bin/env python3
"""Do lessons' statements run in onestep's own Python, and give the lessons' numbers?

usage: script_statements.py [--runs N] [--seed N] ONESTEP [LESSON...]

Every step of `print --format json` carries a statement and an expression. All statements of a lesson become one program,
behind its setup, which `onestep run` runs; each expression must have the step's shape and every bit of its numbers, and
print as PyTorch prints it, which is what `onestep print` shows (tests/pytorch_statements.py). The first of a lesson's runs
has its own parameters, the others have those that pytorch_statements.py draws.
"""
import argparse
import ast
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from pytorch_parameters import Parameters  # noqa: E402: the line above is for it

MARK = "--- step "
BLOCK = re.compile(r"^(?:Parameter containing:\n)?tensor\(.*?\)$", re.MULTILINE | re.DOTALL)
TORN = {"gpt"}  # its numbers take minutes


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def program_of(lesson):
    lines = [lesson["setup"]]
    for step in lesson["steps"]:
        lines += [f"print({MARK + str(step['number'])!r})", "try:"]
        lines += ["    " + line for line in step["statement"].split("\n")]
        lines += [f"    _shown = {step['expression']}", "    print(tuple(_shown.shape), _shown.flatten().tolist())",
                  "    print(_shown.detach())"]
        lines += ["except Exception as _error:", "    print('failed', type(_error).__name__, str(_error))"]
    return "\n".join(lines) + "\n"


def flat(values):
    return [x for value in values for x in flat(value)] if isinstance(values, list) else [values]


def bits(numbers):
    return [struct.pack("<f", float(x)) if float(x) == float(x) else b"nan" for x in numbers]


def numbers_in(text):
    named = text.replace("-inf", "'-inf'").replace(" inf", " 'inf'").replace("[inf", "['inf'").replace("nan", "'nan'")
    return ast.literal_eval(named)


def wrong_with(step, block, printed):
    """What the program gave otherwise than the step; None if nothing."""
    first, _, text = printed.partition("\n")
    if first.startswith("failed") or not first.startswith("("):
        return first or "nothing was printed"
    shape, values = re.fullmatch(r"(\(.*?\)) (\[.*\])", first).groups()
    if list(ast.literal_eval(shape)) != step["shape"]:
        return f"shape {shape}, not {step['shape']}"
    mine, theirs = bits(numbers_in(values)), bits(flat(step["values"]))
    if mine != theirs:
        return f"{sum(a != b for a, b in zip(mine, theirs))} of {len(theirs)} numbers differ in bits"
    if text.strip() != block.strip():
        return f"printed {text.strip()[:100]!r}, not {block.strip()[:100]!r}"
    return None


def run(onestep, path, *options):
    """What came back, and what each step printed."""
    ran = output_of(onestep, "run", path, *options)
    parts = ran.stdout.decode().split(MARK)[1:]
    return ran, {int(part.split("\n", 1)[0]): part.split("\n", 1)[1] for part in parts}


def compare(onestep, arguments, folder):
    """Sentences about the steps that differ, and how many steps there are."""
    name = arguments[0]
    lesson = json.loads(output_of(onestep, "print", *arguments, "--format=json").stdout)["lessons"][0]
    blocks = BLOCK.findall(output_of(onestep, "print", *arguments).stdout.decode())
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program_of(lesson))
    is_other_stream = name != "dropout" and lesson["parameters"].get("bernoulli") == "mcg31m1"
    ran, printed = run(onestep, path, *["--bernoulli=mcg31m1"] * is_other_stream)
    if any(step["group"] == "mcg31m1" for step in lesson["steps"]):
        printed_of_mcg31m1 = run(onestep, path, "--bernoulli=mcg31m1")[1]
        printed.update({step["number"]: printed_of_mcg31m1[step["number"]] for step in lesson["steps"] if step["group"] == "mcg31m1"})
    called = " ".join(arguments)
    wrong = [] if ran.returncode == 0 else [f"{called}: {ran.stderr.decode().split(chr(10))[0].replace(folder + '/', '')}"]
    assert len(blocks) == len(lesson["steps"]), (called, len(blocks), len(lesson["steps"]))
    for step, block in zip(lesson["steps"], blocks):
        what = wrong_with(step, block, printed.get(step["number"], "not reached\n"))
        if what is not None:
            group = f"{step['group']}: " if step["group"] else ""
            wrong.append(f"{called} {step['number']} {group}{step['name']}: {what}\n#     {step['statement'].strip()}".replace("\n", "\n#   "))
    return wrong, len(lesson["steps"])


def compare_runs(onestep, lesson, runs, seed, folder):
    """How many steps of all runs are right, and how many there are; says which are not."""
    r = random.Random(f"{seed} {lesson['lesson']}")
    total = right = 0
    for i in range(runs):
        uses = set(lesson["parameters"])
        arguments = [lesson["lesson"]] if i == 0 else Parameters(r, lesson["lesson"], uses, folder, False)
        wrong, steps = compare(onestep, arguments, folder)
        for sentence in wrong:
            print("# " + sentence)
        total, right = total + steps, right + max(0, steps - len(wrong))
    return right, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1, help="of each lesson")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args()
    answer = json.loads(output_of(options.onestep, "list", "--format=json").stdout)
    listed = answer["lessons"] + answer["models"]
    asked = options.lessons or [lesson["lesson"] for lesson in listed if lesson["lesson"] not in TORN]
    lessons = [lesson for lesson in listed if lesson["lesson"] in asked]
    print(f"1..{len(lessons)}")
    total = right = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, lesson in enumerate(lessons, 1):
            well, steps = compare_runs(options.onestep, lesson, options.runs, options.seed, folder)
            print(f"{'ok' if well == steps else 'not ok'} {i} - {lesson['lesson']}: {well} of {steps} steps", flush=True)
            total, right = total + steps, right + well
    print(f"# {right} of {total} steps")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
