"""Writes the table of mistakes, mistake.h, from its text: mistakes.py OUTPUT data/edits.txt"""
import json
import sys

TEXTS = ("name", "title", "wrong", "pytorch", "changes", "alone", "alike")  # texts as they are


def stanzas(path):
    """The mistakes of a file that have a title: their names and fields."""
    found, name = [], None
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        if line.startswith("    ") and found:
            found[-1][last] += " " + line.strip()
        elif line.startswith("  ") and not line.startswith("  |"):
            key, _, text = line.strip().partition(": ")
            last, _, condition = key.partition(" if ")
            if last == "title":
                found.append({"name": name})
            found[-1][last] = text
            if condition:
                found[-1]["is_alike"] = condition
        elif line and not line.startswith(("#", " ")):
            name = line.split()[0]
    return found


def uses(names):
    return " | ".join("USES_" + name.upper() for name in names.split())


def row_of(fields):
    row = [f".{key} = {json.dumps(fields[key], ensure_ascii=False)}" for key in TEXTS if key in fields]
    if "is_alike" in fields:
        row.append(f".is_alike = {fields['is_alike']}")
    if "own" in fields:
        row.append(".is_of_one_lesson = true")
    if "lever" in fields:
        row.append(f".lever = {uses(fields['lever'])}")
    if "shows" in fields:
        parameter, value = fields["shows"].split(" ", 1)
        row.append(f".showing = {{.given = {uses(parameter)}, .{parameter} = {value}}}")
    return "    {" + ",\n     ".join(row) + "},\n"


output, edits = sys.argv[1:]
named = stanzas(edits)
with open(output, "w", encoding="utf-8") as file:
    file.write('#include "trace/what_if/mistake.h"\n#include "trace/what_if/reason.h"\n\n'
               f"const int mistake_total = {len(named)};\n\n"
               f"const struct mistake mistake_table[] = {{\n{''.join(map(row_of, named))}}};\n")
