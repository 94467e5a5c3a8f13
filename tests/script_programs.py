#!/usr/bin/env python3
"""Does a program print every character that Python 3.13 with PyTorch 2.6 prints of it?

usage: script_programs.py ONESTEP NAME       The program is tests/data/script/NAME.py, and NAME.out is what they print."""
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "script")

ran = subprocess.run([sys.argv[1], "run", os.path.join(DATA, sys.argv[2] + ".py")], stdout=subprocess.PIPE, check=False)
with open(os.path.join(DATA, sys.argv[2] + ".out"), encoding="utf-8") as file:
    theirs = file.read().split("\n")
mine = ran.stdout.decode().split("\n")
print(f"1..{len(theirs)}")
for i, line in enumerate(theirs):
    own = mine[i] if i < len(mine) else "nothing"
    print(f"{'ok' if own == line else 'not ok'} {i + 1} - {line[:60]}" + ("" if own == line else f"\n# printed: {own[:300]}\n# PyTorch: {line[:300]}"))
sys.exit(mine != theirs)
