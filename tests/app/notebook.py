#!/usr/bin/env python3
"""Does onestep print what the chapter's notebook stores? Every tensor in it, byte for byte. Speaks TAP.

usage: notebook.py ONESTEP

data/chapter3.json holds the text that PyTorch printed in each cell, and the command that prints the same.
"""
import json
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "chapter3.json")


def main():
    with open(DATA, encoding="utf-8") as file:
        cells = json.load(file)
    print(f"1..{len(cells)}")
    failed = 0
    for number, cell in enumerate(cells, 1):
        printed = subprocess.run([sys.argv[1], *cell["command"]], stdout=subprocess.PIPE, check=False).stdout.decode()
        is_equal = printed == cell["text"] + "\n"
        failed += not is_equal
        print(f"{'ok' if is_equal else 'not ok'} {number} - cell {cell['cell']}: {' '.join(cell['command'])}")
        if not is_equal:
            print("\n".join("# " + line for line in printed.splitlines()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
