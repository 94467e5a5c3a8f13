#!/usr/bin/env python3
"""Are the numbers of a onestep those that every onestep prints?

usage: digest.py [--record] [--text [--one-in N]] [--without COMMAND] PROGRAM [ARGUMENT ...]

Runs the program (with what stands before it, for example an emulator) with every command line of data/digest.txt and
compares the SHA-256 of the values with the one that is recorded there; the last line is the digest of all of them.
Speaks TAP. What is hashed are npy files, so prose, titles and the version make no difference.
The first eight digits of that last one are the version of the numbers, which `onestep --version` tells.

--record writes what this program gives into data/digest.txt. --text prints one SHA-256 of all that the same commands
print in every format instead (large ones in two): it changes with the prose and is recorded nowhere, but any two builds
of one source agree; with --one-in 4, what every fourth command prints. --without gpt2 leaves out what a program without that command can't do, and the digest of all.
"""
import argparse
import concurrent.futures
import hashlib
import os
import shlex
import subprocess
import sys
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
LIST = os.path.join(DATA, "digest.txt")
ALL = "all of them"


def run(program, command, *options):
    """What a command writes to standard output. Files that it names are those of data/."""
    return subprocess.run(program + shlex.split(command) + list(options), cwd=DATA, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout


def digest_of_values(program, command):
    """All npy files that a command writes, with their names; of verify the digest that it tells, which is built into it."""
    if command == "verify":
        told = subprocess.run(program + [command], stdout=subprocess.PIPE, check=False).stdout.decode()
        return told.split("Bits of all steps: ")[1][:16]
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        if command.startswith("print"):
            run(program, command, "--format", "npy", "-o", folder)
        else:
            run(program, command, "-o", os.path.join(folder, "output.npy"))
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\n" + file.read())
    return digest.hexdigest()


LARGE = 100000  # bytes as PyTorch prints it; other formats take megabytes then, and an emulator a minute


def digest_of_text(program, command):
    digest = hashlib.sha256()
    if command.startswith("print"):
        text = run(program, command)
        digest.update(text)
        for format in ("markdown",) if len(text) > LARGE else ("plain", "json", "markdown", "html"):
            digest.update(run(program, command, "--format", format))
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
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--without", metavar="COMMAND")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.program = [os.path.abspath(part) if os.path.exists(part) else part for part in options.program]
    recorded = read_list()
    if options.without:
        recorded = [row for row in recorded if row[1] != ALL and not row[1].startswith(options.without)]
    commands = [command for _, command in recorded if command != ALL]
    if options.text:
        print(digests(digest_of_text, options.program, commands[:: options.one_in])[-1])
        return 0
    found = digests(digest_of_values, options.program, commands)
    if options.record:
        with open(LIST, "w", encoding="utf-8") as file:
            for digest, command in zip(found, commands + [ALL]):
                file.write(f"{digest}  {command}\n")
        return 0
    wrong = 0
    found = found[:len(recorded)]
    print(f"1..{len(found)}")
    for number, (digest, (expected, command)) in enumerate(zip(found, recorded), 1):
        wrong += digest != expected
        print(f"{'ok' if digest == expected else 'not ok'} {number} {digest} {command}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
