#!/usr/bin/env python3
"""Are the numbers of a onestep those that every onestep prints?

usage: digest.py [--record] [--text] PROGRAM [ARGUMENT ...]

Runs the program (with what stands before it, for example an emulator) with every command line of data/digest.txt and
compares the SHA-256 of the values with the one that is recorded there; the last line is the digest of all of them.
Speaks TAP. The values of a step are hashed as its npy file, so prose, titles and the version make no difference.

--record writes what this program gives into data/digest.txt. --text prints one SHA-256 of all that the same commands
print in every format instead: it changes with the prose and is recorded nowhere, but any two builds of one source agree.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import shlex
import struct
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
LIST = os.path.join(DATA, "digest.txt")
ALL = "all of them"
NPY_TYPES = {"float32": ("<f4", "f"), "bool": ("|b1", "?"), "int64": ("<i8", "q")}


def run(program, arguments):
    """What a command writes. Files among its arguments are those of data/."""
    return subprocess.run(program + arguments, cwd=DATA, stdout=subprocess.PIPE, check=True).stdout


def flatten(values):
    if isinstance(values, list):
        for value in values:
            yield from flatten(value)
    else:
        yield values


def npy(step):
    """The bytes that numpy.save would write for a step of the json format."""
    descr, code = NPY_TYPES[step["dtype"]]
    shape = tuple(step["shape"])
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    kind = {"f": float, "q": int, "?": bool}[code]
    values = [kind(value) for value in flatten(step["values"])]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def digest_of_values(program, command):
    output = run(program, shlex.split(command) + ["--format", "json"])
    digest = hashlib.sha256()
    # -0 is a number of its own, and Python's integers have none.
    for lesson in json.loads(output, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))["lessons"]:
        for step in lesson["steps"]:
            digest.update(npy(step))
    return digest.hexdigest()


def digest_of_text(program, command):
    digest = hashlib.sha256()
    for format in ("torch", "plain", "json"):
        digest.update(run(program, shlex.split(command) + ["--format", format]))
    return digest.hexdigest()


def digests(function, program, commands):
    """The digest of each command, then that of all of them."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda command: function(program, command), commands))
    return found + [hashlib.sha256("".join(found).encode()).hexdigest()]


def read_list():
    """(digest, command) of every line but the last, which is that of all."""
    with open(LIST, encoding="utf-8") as file:
        return [line.rstrip("\n").split("  ", 1) for line in file]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.program = [os.path.abspath(part) if os.path.exists(part) else part for part in options.program]
    recorded = read_list()
    commands = [command for _, command in recorded if command != ALL]
    if options.text:
        print(digests(digest_of_text, options.program, commands)[-1])
        return 0
    found = digests(digest_of_values, options.program, commands)
    if options.record:
        with open(LIST, "w", encoding="utf-8") as file:
            for digest, command in zip(found, commands + [ALL]):
                file.write(f"{digest}  {command}\n")
        return 0
    wrong = 0
    print(f"1..{len(found)}")
    for number, (digest, (expected, command)) in enumerate(zip(found, recorded), 1):
        wrong += digest != expected
        print(f"{'ok' if digest == expected else 'not ok'} {number} {digest} {command}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
