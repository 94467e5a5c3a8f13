"""Cuts lessons into the paragraphs that are shown on screen: cut.py OUTPUT LESSON.c ...

A paragraph is a run of lines without a blank one between them. One that holds a STEP becomes an entry: the comment at
its top (first sentence: the title; the rest: the explanation) and the lines of C between the comment and the STEP.
Anything that a reader would stumble over is an error here, when the program is built.
"""
import os
import re
import sys
import textwrap


def paragraphs(lines):
    """Yields (number of the first line, lines) for each run of lines that are not blank."""
    start = None
    for number, line in enumerate(lines + [""], 1):
        if line.strip() and start is None:
            start = number
        elif not line.strip() and start is not None:
            yield start, lines[start - 1 : number - 1]
            start = None


def split_comment(comment):
    """The first sentence without its full stop, and the rest."""
    match = re.match(r"(.+?[.?!])(?:\s+(.*))?$", comment, re.S)
    title, rest = match.groups() if match else (comment, "")
    return title.removesuffix("."), rest or ""


def cut(path, name, start, lines):
    def stop(what):
        sys.exit(f"{path}:{start}: {what}")

    steps = [i for i, line in enumerate(lines) if re.match(r"\s*STEP\(", line)]
    if not steps:
        return None
    if len(steps) > 1:
        stop("two STEPs in one paragraph: put a blank line between them")
    comments = 0
    while lines[comments].lstrip().startswith("//"):
        comments += 1
    if comments == 0:
        stop("a STEP needs a comment above it that explains it")
    code = lines[comments : steps[0]]
    if not code:
        stop("a STEP needs a line of C that computes it")
    comment = " ".join(line.strip()[2:].strip() for line in lines[:comments])
    title, explanation = split_comment(comment)
    if not explanation:
        stop("the comment needs a second sentence: the first is the title, the rest explains")
    text = textwrap.dedent("\n".join(code)) + "\n"
    return (start + comments, start + steps[0] - 1, start + len(lines) - 1, title, explanation, text)


def literal(string):
    escaped = string.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\n", '\\n"\n        "')
    return '"' + escaped + '"'


def source_of(path):
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = [entry for start, block in paragraphs(lines) if (entry := cut(path, name, start, block))]
    if not found:
        sys.exit(f"{path}: a lesson without a STEP")
    rows = "".join(
        f"    {{{first}, {last}, {end}, {literal(title)},\n     {literal(explanation)},\n     {literal(text)}}},\n"
        for first, last, end, title, explanation, text in found)
    return name, (f"static const struct paragraph {name}_paragraphs[] = {{\n{rows}}};\n"
                  f"extern const struct source {name}_source;\n"
                  f"const struct source {name}_source = {{\"lessons/{name}.c\", {len(found)}, {name}_paragraphs}};\n"
                  f"extern const struct lesson {name}_lesson;\n")


output, *files = sys.argv[1:]
cuts = [source_of(path) for path in files]
with open(output, "w", encoding="utf-8") as file:
    file.write('#include "lessons.h"\n\n' + "\n".join(text for _, text in cuts))
    file.write(f"\nconst int lesson_count = {len(cuts)};\n")
    file.write("const struct lesson *const lesson_table[] = {\n")
    file.write("".join(f"    &{name}_lesson,\n" for name, _ in cuts) + "};\n")
