"""Cuts lessons into the paragraphs that are shown on screen: cut.py OUTPUT LESSON.c ...

A paragraph is a run of lines without a blank one between them. One that holds a STEP becomes an entry: the comment at
its top (first sentence: the title; the rest: the explanation), and for each STEP the lines of C since the STEP before
it, or since the comment. STEPs that follow each other directly share their lines. Anything that a reader would stumble
over is an error here, when the program is built.
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


def records(lines):
    """The STEPs of a paragraph: (index of the first line, index of the last) of each call."""
    found = []
    for first, line in enumerate(lines):
        if re.match(r"\s*STEP\(", line):
            last = first
            while not lines[last].rstrip().endswith(");"):
                last += 1
            found.append((first, last))
    return found


def cut(path, start, lines):
    """A paragraph as (title, explanation, excerpts); None without a STEP."""
    def stop(what):
        sys.exit(f"{path}:{start}: {what}")

    while lines[-1].strip() == "}":
        lines = lines[:-1]
    steps = records(lines)
    if not steps:
        return None
    comments = 0
    while lines[comments].lstrip().startswith("//"):
        comments += 1
    if comments == 0:
        stop("a STEP needs a comment above it that explains it")
    if steps[0][0] == comments:
        stop("a STEP needs a line of C that computes it")
    if steps[-1][1] != len(lines) - 1:
        stop("a paragraph ends with its last STEP")
    title, explanation = split_comment(" ".join(line.strip()[2:].strip() for line in lines[:comments]))
    if not explanation:
        stop("the comment needs a second sentence: the first is the title, the rest explains")
    excerpts, after = [], comments
    for first, last in steps:
        if first > after:
            text = textwrap.dedent("\n".join(lines[after:first])) + "\n"
            excerpts.append([start + after, start + first - 1, start + first, start + last, text])
        else:
            excerpts[-1][3] = start + last
        after = last + 1
    return title, explanation, excerpts


def literal(string):
    escaped = string.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\n", '\\n"\n        "')
    return '"' + escaped + '"'


def source_of(path):
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = [entry for start, block in paragraphs(lines) if (entry := cut(path, start, block))]
    if not found:
        sys.exit(f"{path}: a lesson without a STEP")
    excerpts = rows = ""
    for i, (title, explanation, own) in enumerate(found):
        excerpts += f"static const struct excerpt {name}_excerpts_{i}[] = {{\n"
        excerpts += "".join(f"    {{{', '.join(map(str, numbers))}, {literal(text)}}},\n" for *numbers, text in own)
        excerpts += "};\n"
        rows += f"    {{{literal(title)},\n     {literal(explanation)},\n     {len(own)}, {name}_excerpts_{i}}},\n"
    return name, (f"{excerpts}static const struct paragraph {name}_paragraphs[] = {{\n{rows}}};\n"
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
