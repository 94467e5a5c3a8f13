"""Does `onestep compare` say where a port of a lesson parts from it, and call no right one different?

usage: ports.py [--right] ONESTEP FOLDER

FOLDER has ports.tsv: for each port its file, the lesson, its slip or "right: ...", and the first tensor that is wrong with its line,
as who wrote the port says. Half of the files are dumps (their programs in NumPy and C lie beside them), the others recordings of
PyTorch and programs. --right takes the right ones alone. Speaks TAP.
"""
import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

LEAST_FIRST, LEAST_EDITS = 60, 54  # of 60; of the last 20, before they were looked at, 16 and 12

arguments = [argument for argument in sys.argv[1:] if argument != "--right"]
ONESTEP, FOLDER = arguments


def compare(port):
    done = subprocess.run([ONESTEP, "compare", port["lesson"], os.path.join(FOLDER, port["file"]), "--format", "json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr.decode()


def is_first(port, answer):
    """Is the tensor that it names, or the line, or the line that calls it, the one that who wrote the port says?"""
    of_b = answer.get("of_b") or {}
    has_lines = not port["file"].endswith((".npz", ".safetensors"))
    has_line = has_lines and port["line"] in (str(of_b.get("line")), str(of_b.get("called_at")))
    return has_line or re.search(r"(^|[ .:])" + re.escape(port["first"]) + "$", of_b.get("tensor") or "") is not None


with open(os.path.join(FOLDER, "ports.tsv"), encoding="utf-8", newline="") as file:
    ports = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
right = [port for port in ports if port["slip"].startswith("right")]
slips = [] if "--right" in sys.argv else [port for port in ports if port not in right]
with ThreadPoolExecutor(2) as workers:
    answers = dict(zip([port["file"] for port in right + slips], workers.map(compare, right + slips)))


def right_one(port):
    def is_the_same():
        status, answer, error = answers[port["file"]]
        assert status == 0 and answer.get("verdict") == "same", f"{status} {answer} {error}"
    return f"{port['file']} is the same ({port['slip']})", is_the_same


def slip_found(port):
    def is_different():
        status, answer, error = answers[port["file"]]
        assert status == 1 and answer.get("verdict") == "part", f"{status} {answer} {error}"
    return f"{port['file']} is another ({port['slip']})", is_different


def firsts():
    missed = [f"{port['file']}: {(answers[port['file']][1].get('of_b') or {}).get('tensor')}, not {port['first']}" for port in slips
              if not is_first(port, answers[port["file"]][1])]
    print("# the first wrong operation of", len(slips) - len(missed), "of", len(slips), "is named; not:", *missed, sep="\n#   ")
    assert len(slips) - len(missed) >= LEAST_FIRST, missed


def edits():
    missed = [port["file"] for port in slips if not (is_first(port, answers[port["file"]][1]) and
                                                     (answers[port["file"]][1].get("edit") or {}).get("found"))]
    print("# an edit is named for", len(slips) - len(missed), "of", len(slips), "; not:", *missed, sep="\n#   ")
    assert len(slips) - len(missed) >= LEAST_EDITS, missed


counts = [("the first wrong operation is named", firsts), ("an edit is named", edits)] if slips else []
sys.exit(tap.run([right_one(port) for port in right] + [slip_found(port) for port in slips] + counts))
