#!/usr/bin/env python3
"""Does one wrong number of four decimals prove no seed and no parameter? lone_numbers.py ONESTEP

Numbers are drawn with a fixed seed: a cell of a step of any lesson, or a step that is one number, and beside it a wrong
number of the size of the step's. Four decimals agree with one of ten thousand seeds by chance, so none may be claimed. A
sample is checked; LONE_NUMBERS=400 says how many. Speaks TAP.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ONESTEP = sys.argv[1]
COUNT = int(os.environ.get("LONE_NUMBERS", "24"))
TRAINED = ("training", "sampling")  # a run takes seconds: few of them


def run(*arguments):
    return subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def numbers_in(values):
    return [x for value in values for x in numbers_in(value)] if isinstance(values, list) else [values]


def cells():
    """(lesson, step as --step takes it, its size) without end: of steps of fractions; half of them are one number."""
    listed = json.loads(run("list", "--format=json").stdout)["lessons"]
    lessons = {}
    while True:
        name = random.choice(listed)["lesson"]
        if name in TRAINED and random.random() < 0.8:
            continue
        if name not in lessons:
            lessons[name] = json.loads(run("print", name, "--format=json").stdout)["lessons"][0]["steps"]
        alone = [step for step in lessons[name] if len(numbers_in(step["values"])) == 1]
        step = random.choice(alone if alone and random.random() < 0.5 else lessons[name])
        finite = [x for x in numbers_in(step["values"]) if isinstance(x, (int, float))]
        if step["dtype"] != "float32" or not finite or all(x == round(x) for x in finite):
            continue
        index = ", ".join(str(random.randrange(size)) for size in step["shape"])
        label = f"{step['group']}: {step['name']}" if step["group"] else step["name"]
        yield name, f"{label}[{index}]" if index else label, max(map(abs, finite))


def main():
    random.seed(42)
    claimed = judged = 0
    print("1..1")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "number.txt")
        for lesson, step, size in cells():
            if judged == COUNT:
                break
            number = f"{random.uniform(-1, 1) * max(size, 0.01):.4f}"
            with open(path, "w") as file:
                file.write(number + "\n")
            done = run("check", lesson, f"--step={step}", path, "--format=json")
            assert done.returncode in (0, 1), (lesson, step, done.stderr)
            answer = json.loads(done.stdout)
            if answer["verdict"] != "different":
                continue
            judged += 1
            kinds = [explanation["kind"] for explanation in answer["explanations"]]
            if "parameter" in kinds:
                claimed += 1
                print(f"# check {lesson} --step '{step}' says {answer['code']} of {number}")
            elif os.environ.get("LISTS"):
                print(f"# {lesson} {step} {number}: {answer['code']} {kinds} {answer['possible']}", flush=True)
    print(f"{'not ok' if claimed else 'ok'} 1 - {judged} wrong numbers, and a seed or a parameter is claimed of {claimed}")
    sys.exit(claimed > 0)


if __name__ == "__main__":
    main()
