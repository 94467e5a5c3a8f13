#!/usr/bin/env python3
"""Does a link open the screen that it was made of?

usage: links.py ONESTEP

For every step of every lesson; one has another cell under the cursor, the next another seed, the next a mistake. Speaks
TAP.
"""
import json
import subprocess
import sys

ONESTEP = sys.argv[1]


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


def mistakes(what_ifs, lesson):
    """The first mistake that changes a step of the lesson."""
    for what_if in what_ifs:
        if any(change["lesson"] == lesson and change["options"] is None for change in what_if["changes"]):
            return [["--what-if", what_if["name"], "--keys", "jl"]]
    return []


def main():
    lessons = json.loads(run("list", "--format", "json"))["lessons"]
    what_ifs = json.loads(run("list", "--what-ifs", "--format", "json"))["what_ifs"]
    print(f"1..{len(lessons)}")
    wrong = 0
    for number, lesson in enumerate(lessons, 1):
        name = lesson["lesson"]
        seed = [["--seed", "5", "--digits", "2"]] if "seed" in json.dumps(lesson["parameters"]) else []
        options = [["--keys", "jl"]] + seed + mistakes(what_ifs, name)
        if name == "training":  # each screen is a run
            options = [option + ["--updates", "3"] for option in options]
        bad = [label(step) for place, step in enumerate(lesson["steps"])
               if not trips(name, step, options[place % len(options)], place % 7 == 0)]
        wrong += len(bad)
        print(f"{'not ok' if bad else 'ok'} {number} {name} {' '.join(bad)}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
