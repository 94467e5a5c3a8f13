#!/usr/bin/env python3
"""Does a link open the screen that it was made of?

usage: links.py ONESTEP

For every step of every lesson; one has another cell under the cursor, the next another seed, the next a mistake. Speaks
TAP.
"""
import json
import os
import re
import subprocess
import sys

ONESTEP = sys.argv[1]
MISTAKES = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "mistakes.txt")


def run(*arguments):
    return subprocess.run([ONESTEP, *arguments], capture_output=True, text=True, check=True).stdout


def label(step):
    return f"{step['group']}: {step['name']}" if step["group"] else step["name"]


def trips(lesson, step, options, looks):
    """A link, the one of the screen that it opens, and where `looks`, the screens: are they the same?"""
    screen = [lesson, "--step", label(step), *options]
    link = run("screen", *screen, "--format", "link").rstrip("\n")
    address = "https://example.org/a%20b/onestep.html" + link
    if looks and run("screen", *screen) != run("screen", address):
        return False
    return run("screen", link, "--format", "link").rstrip("\n") == link


def mistakes(lesson):
    """The first mistake that PyTorch has made in the lesson."""
    with open(MISTAKES, encoding="utf-8") as file:
        made = re.search(rf"^case {lesson} : ([a-z-]+)$", file.read(), re.MULTILINE)
    return [["--what-if", made[1], "--keys", "jl"]] if made else []


def main():
    lessons = json.loads(run("list", "--format", "json"))["lessons"]
    print(f"1..{len(lessons)}")
    wrong = 0
    for number, lesson in enumerate(lessons, 1):
        name = lesson["lesson"]
        seed = [["--seed", "5", "--digits", "2"]] if "seed" in json.dumps(lesson["parameters"]) else []
        options = [["--keys", "jl"]] + seed + mistakes(name)
        if name == "training":  # each screen is a run
            options = [option + ["--updates", "3"] for option in options]
        bad = [label(step) for place, step in enumerate(lesson["steps"])
               if not trips(name, step, options[place % len(options)], place % 7 == 0)]
        wrong += len(bad)
        print(f"{'not ok' if bad else 'ok'} {number} {name} {' '.join(bad)}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
