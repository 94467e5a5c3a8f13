#!/usr/bin/env python3
"""How many lines has each room, and may it have so many? Speaks TAP.

A room is a folder of src/, or lessons/; what a folder below has a row of its own is not the room's. BUDGET says how many lines each
may have. Whoever needs more raises the row, in a commit that says what the lines buy; whoever takes lines away lowers it.
src/README.md shows the table.

usage: size.py            (checks)
       size.py --table    (prints the rows for src/README.md)
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUDGET = {
    "lessons": 11950,
    "src": 300,
    "src/app": 2300,
    "src/app/check": 5700,
    "src/app/check/class": 1100,
    "src/app/check/program": 1850,
    "src/app/check/relation": 800,
    "src/app/check/rounding": 250,
    "src/app/compare": 3150,
    "src/app/command": 3550,
    "src/app/print": 2950,
    "src/app/print/html": 950,
    "src/app/session": 2000,
    "src/base": 1550,
    "src/script": 5610,
    "src/script/edit": 2450,
    "src/script/lesson": 1950,
    "src/script/python": 2000,
    "src/script/recording": 1800,
    "src/script/steps": 2450,
    "src/script/syntax": 3100,
    "src/script/torch": 6400,
    "src/script/torch/prelude": 2900,
    "src/show": 1700,
    "src/show/map": 1050,
    "src/show/picture": 1400,
    "src/tensor": 900,
    "src/tensor/fast": 2550,
    "src/tensor/file": 2500,
    "src/tensor/number": 2150,
    "src/tensor/operation": 1500,
    "src/tensor/ops": 5900,
    "src/tensor/ops/programs": 1050,
    "src/tensor/text": 2100,
    "src/trace": 450,
    "src/trace/run": 3450,
    "src/trace/tape": 2100,
    "src/trace/what_if": 1800,
    "src/walk": 1950,
    "src/walk/kit": 1750,
    "src/walk/model": 1350,
    "src/walk/step": 3950,
    "src/walk/views": 6280,
    "src/web": 4290,
}
BEGIN, END = "| room | lines | at most |\n|---|---:|---:|\n", "\n\n"


def room_of(path):
    """The longest row that the file lies in."""
    folder = path.relative_to(ROOT).parent
    return next((str(place) for place in (folder, *folder.parents) if str(place) in BUDGET), None)


def lines_of_rooms():
    found = dict.fromkeys(BUDGET, 0)
    for top in ("src", "lessons"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                room = room_of(path)
                found[room] = found.get(room, 0) + path.read_bytes().count(b"\n")
    return found


def rounded(lines):
    return round(lines, -2)


def table(found):
    rows = [f"| `{room}` | {rounded(found[room])} | {BUDGET[room]} |" for room in BUDGET]
    return "\n".join([*rows, f"| together | {rounded(sum(found.values()))} | {sum(BUDGET.values())} |"])


def checks():
    """Pairs: what holds, and why not (None: it holds)."""
    found = lines_of_rooms()
    for room, most in BUDGET.items():
        over = found[room] - most
        yield room, None if over <= 0 else (
            f"{room} has {found[room]} lines, {over} more than tests/size.py allows: make it shorter, or raise its row in a commit "
            "that says what the lines buy; then put `tests/size.py --table` into src/README.md")
        slack = -over > max(100, most // 20)
        yield f"{room} is used", None if not slack else (
            f"{room} has {found[room]} lines, and tests/size.py allows {most}: lower its row, so that the room stays small")
    yield "every file is in a room", None if None not in found else "a file of src/ lies in no row of tests/size.py"
    shown = (ROOT / "src/README.md").read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    limits = [row.split("|")[1:4:2] for row in table(found).split("\n")]
    yield "src/README.md", None if [row.split("|")[1:4:2] for row in shown.split("\n")] == limits else (
        "src/README.md has other limits than tests/size.py: put `tests/size.py --table` into it")


def main():
    if sys.argv[1:] == ["--table"]:
        print(BEGIN + table(lines_of_rooms()))
        return 0
    results = list(checks())
    for number, (name, problem) in enumerate(results, 1):
        print(f"{'ok' if problem is None else 'not ok'} {number} - {name}" + (f"\n# {problem}" if problem else ""))
    print(f"1..{len(results)}")
    return any(problem for _, problem in results)


if __name__ == "__main__":
    sys.exit(main())
