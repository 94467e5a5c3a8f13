"""Is a part of a step what Python and PyTorch make of the same expression, bit for bit, and is refused what they refuse?

usage: parts.py ONESTEP

data/parts.json has what PyTorch gives; pytorch_parts.py wrote it. Speaks TAP.
"""
import json
import os
import struct
import subprocess
import sys

import tap
from shortened import shortened

ONESTEP = os.path.abspath(sys.argv[1])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "parts.json"), encoding="utf-8") as data:
    ROWS = json.load(data)
# What the program says in its own words, since PyTorch's speak of what is not at hand.
OWN_WORDS = {"'int' object is not subscriptable": "is no part of a step"}


def run(*arguments):
    return subprocess.run([ONESTEP, "print", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def flat(values):
    return [number for row in values for number in flat(row)] if isinstance(values, list) else [values]


def bits_of(number, dtype):
    if dtype != "torch.float32":
        return number
    return struct.unpack("<i", struct.pack("<f", float(number)))[0]


def check_refused(done, said):
    message = done.stderr.decode()
    wanted = next((own for theirs, own in OWN_WORDS.items() if theirs in said), said)
    assert done.returncode == 2 and not done.stdout and message.count("\n") == 2, done
    assert wanted.rstrip(".").split(". Use ")[0] in message, (message, said)


def check_row(lesson, step, part, wanted):
    done = run(*lesson.split(), "--step", step + part)
    if "refused" in wanted:
        check_refused(done, wanted["refused"])
        return
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode().rstrip("\n")
    if "printed crc" in wanted:
        printed = shortened({"printed": text[text.rindex("tensor("):]})
        assert printed == {key: wanted.get(key) for key in printed}, (text, wanted)
    else:
        assert text.endswith(wanted["printed"]), (text, wanted["printed"])
    if "bits" not in wanted:
        return
    again = run(*lesson.split(), "--step", step + part, "--format", "json")
    found = json.loads(again.stdout)["lessons"][0]["steps"][0]
    assert found["shape"] == wanted["shape"], found["shape"]
    bits = shortened({"bits": [bits_of(number, wanted["dtype"]) for number in flat(found["values"])]})
    assert bits == {key: wanted.get(key) for key in bits}, (bits, wanted)


def every_part_is_pytorchs(lesson, step):
    wrong = []
    for row in ROWS:
        if row[:2] != [lesson, step]:
            continue
        try:
            check_row(*row)
        except AssertionError as error:
            wrong.append((row[2], str(error)[:300]))
    assert not wrong, f"{len(wrong)} wrong: {wrong[:6]}"


def test_of(lesson, step):
    def test():
        every_part_is_pytorchs(lesson, step)
    test.__name__ = f"{lesson} {step}".replace(" ", "_")
    return test


sys.exit(tap.run([test_of(*pair) for pair in dict.fromkeys((lesson, step) for lesson, step, *_ in ROWS)]))
