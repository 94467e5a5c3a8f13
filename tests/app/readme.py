#!/usr/bin/env python3
"""Do README.md and the pages of docs/ show what the program prints?

usage: readme.py [--record] ONESTEP

A picture stands below a comment that is the command which made it:

    <!-- onestep screen causal --step 3 --format svg -->
    ![words](data/screens/name.svg)

and an indented block that begins with "$ onestep" holds what that command prints. --record writes the pictures anew.
A row of a table, `| words | `numbers` | `onestep ...` | yes ... |`, says that the command prints these numbers in this order.
Speaks TAP.
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def printed(command):
    done = subprocess.run([ONESTEP, *shlex.split(command)], capture_output=True, stdin=subprocess.DEVNULL, cwd=ROOT)
    if done.returncode != 0:
        raise ValueError(f"onestep {command}: {done.stderr.decode()}")
    return done.stdout


def pictures(page):
    for command, path in re.findall(r"^<!-- onestep (.*?) -->\n!\[[^\]]*\]\((.*?)\)", page.read_text(), re.M):
        yield command, (page.parent / path).resolve()


def blocks(page):
    for match in re.finditer(r"^    \$ onestep (.*)\n((?:    .*\n)+)", page.read_text(), re.M):
        yield match[1], "".join(line[4:] + "\n" for line in match[2].splitlines())


def rows(page):
    for match in re.finditer(r"^\| .*?\| `([^`]*)` \| `onestep ([^`]*)` \| yes", page.read_text(), re.M):
        yield match[2], match[1]


def check_picture(command, path):
    if RECORDS:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(printed(command))
    if path.read_bytes() != printed(command):
        raise ValueError(f"{path.relative_to(ROOT)} is another screen; python3 tests/app/readme.py --record ONESTEP draws it anew")


def check_block(command, shown):
    if printed(command).decode() != shown:
        raise ValueError(f"a page shows another output of onestep {command}")


def check_row(command, numbers):
    output, at = printed(command).decode(), 0
    for number in numbers.split(", "):
        at = output.find(number, at)
        if at < 0:
            raise ValueError(f"onestep {command} does not print {numbers}")
        at += len(number)


RECORDS = sys.argv[1] == "--record"
ONESTEP = str(pathlib.Path(sys.argv[-1]).resolve())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
tests = [(command, check_picture, path) for page in PAGES for command, path in pictures(page)]
tests += [(command, check_block, shown) for page in PAGES for command, shown in blocks(page)]
tests += [(command, check_row, numbers) for page in PAGES for command, numbers in rows(page)]
failed = 0 if len(tests) >= 4 else 1
print(f"1..{len(tests)}")
for number, (command, check, expected) in enumerate(tests, 1):
    try:
        check(command, expected)
        print(f"ok {number} - {command}")
    except (ValueError, OSError) as error:
        failed += 1
        print(f"not ok {number} - {command}\n# {error}")
sys.exit(failed > 0)
