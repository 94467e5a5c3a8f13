"""Cuts lessons into the paragraphs that are shown on screen: cut.py OUTPUT TABLE LESSON.c ... [LESSON.py ...]

OUTPUT defines TABLE_table and TABLE_count (lessons.h).

A paragraph is a run of lines without a blank one between them. One that holds a STEP becomes an entry: the comment at
its top (first sentence: the title; the rest: the explanation; lines that are indented by two blanks or more: a drawing), and for each STEP the lines of C since the STEP before
it, or since the comment. STEPs that follow each other directly share their lines. A LAYER is the lines of its steps, too,
without its texts. Whether a paragraph repeats what was said before is found out here as well. Anything that a reader would stumble
over is an error here, when the program is built.

The function of C before LESSON, if it is not static, is the whole lesson as one function, and is shown at its end.

LESSON.py is how a lesson begins and ends. Its docstring holds, with blank lines between, a paragraph on what the lesson
showed, "New since LESSON: ..." (the classes are compared with those of that earlier lesson; "New: ..." compares them with
none, and the first lesson has neither), three questions ("1. (step that answers it) text Answer:
text"; behind the step may stand a cell, "[0, 1]", for questions that a number answers), "Exercises, each with three hints:" (each
"- (step) a nudge", and below it, each behind "  - ", which operation, and nearly the answer: the step shows the variable of a
statement "NAME = ...", whose right side the reader has to find), "Your turn:" (each "- (step [cell]) KIND: question", asked before
the step shows its numbers: KIND is a row of CHALLENGES below, the question may be left out), "Learned: (step [page]) text" (weights of lesson 0, shown at the end; without a page, all of them), "You can now: ...", "Next: ..." and "Gives: step", the step that its last line
computes. Then come the classes, and what makes them and calls them. A class that stays as it was stands as
"from LESSON import CLASS", and is shown whole.
"""
import ast
import itertools
import os
import re
import sys
import textwrap

# How a class is applied to a batch whose sentences are the same; run_statement() (trace/run/run.h) knows when they differ.
COPIES = "[inputs] * batch_size"


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
    """The STEPs and LAYERs of a paragraph: (index of the first line, index of the last) of each call."""
    found = []
    for first, line in enumerate(lines):
        if re.match(r"\s*(STEP|LAYER(_IF)?)\(", line):
            last = first
            while not lines[last].rstrip().endswith(");"):
                last += 1
            found.append((first, last))
    return found


def layer_of(lines):
    """The first line of a LAYER without the texts that begin there; nothing of a STEP."""
    return [re.sub(r', ".*', ");", lines[0].strip())] if lines[0].lstrip().startswith("LAYER") else []


def end_of_code(lines, after, first):
    """The index behind the code of a STEP: AT and PICTURE, which say how it opens, stand between the two and are not shown."""
    while first > after and lines[first - 1].lstrip().startswith(("AT(", "PICTURE;")):
        first -= 1
    return first


def cut(path, start, lines):
    """A paragraph as (title, explanation, drawing, excerpts); None without a STEP."""
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
    if steps[0][0] == comments and not layer_of(lines[comments:]):
        stop("a STEP needs a line of C that computes it")
    if steps[-1][1] != len(lines) - 1:
        stop("a paragraph ends with its last STEP")
    said = [line.strip()[2:] for line in lines[:comments]]
    drawing = "".join(line.rstrip()[3:] + "\n" for line in said if line.startswith("   "))
    title, explanation = split_comment(" ".join(line.strip() for line in said if not line.startswith("   ")))
    if not explanation:
        stop("the comment needs a second sentence: the first is the title, the rest explains")
    excerpts, after = [], comments
    for first, last in steps:
        if lines[first].lstrip().startswith("LAYER") and ', "' not in lines[first]:
            stop("the first line of a LAYER has all but its texts")
        end = end_of_code(lines, after, first)
        code, layer = textwrap.dedent("\n".join(lines[after:end])), layer_of(lines[first : last + 1])
        if code or layer:
            text = "\n".join([code] * bool(code) + layer) + "\n"
            excerpts.append([start + after, start + (first if layer else end - 1), start + first, start + last, text])
        else:
            excerpts[-1][3] = start + last
        after = last + 1
    return title, explanation, drawing, excerpts


def steps_of(lines):
    """What the STEPs of a paragraph say, name, formula and PyTorch, however their lines are broken."""
    said = (" ".join("\n".join(lines[first : last + 1]).split()) for first, last in records(lines))
    return {text.replace('" "', "") for text in said}


def function_of(path):
    """The function that a lesson ends with, and the comment above it: the lines before its LESSON, unless they are static."""
    before = ""
    for _, lines in paragraphs(lines_of(path)):
        if lines[0].startswith("LESSON("):
            break
        before = "".join(line + "\n" for line in lines)
    is_whole = re.match(r"(//.*\n)*struct \w+ \w+\(", before) and before.endswith("\n}\n")
    return before if is_whole else None


def literal(string):
    escaped = string.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\n", '\\n"\n        "')
    return '"' + escaped + '"'


def program_of(path):
    """The classes of an end, those of other lessons among them, and the lines behind them."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines, body = text.split("\n"), ast.parse(text).body
    last = max(node.end_lineno for node in body if isinstance(node, (ast.ClassDef, ast.ImportFrom)))
    other = lambda match: program_of(os.path.join(os.path.dirname(path), match[1] + ".py"))[0].rstrip("\n")
    classes = re.sub(r"^from (\w+) import \w+$", other, "\n".join(lines[body[0].end_lineno : last]), flags=re.M)
    return classes.strip("\n") + "\n", "\n".join(lines[last:]).strip("\n") + "\n"


def outline_of(classes, use):
    """The classes with a blank in place of the one that is used: what its __init__ and forward() take, and ... for the rest."""
    lines, body = classes.split("\n"), ast.parse(classes).body
    blank = next(node for node in body if f" {node.name}(" in use)
    methods = [node for node in blank.body if getattr(node, "name", "") in ("__init__", "forward")]
    kept = [lines[blank.lineno - 1]]
    for node in methods:
        first = node.body[0]
        is_super = node.name == "__init__"
        kept += lines[node.lineno - 1 : first.end_lineno if is_super else first.lineno - 1]
        kept += ["        ...", ""]
    before, after = lines[: blank.lineno - 1], lines[blank.end_lineno :]
    return "\n".join(before + kept[:-1] + after)


def changes_since(before, now):
    """The lines of `now`, with those of `before` that are gone where they stood, as rows of struct change. As many lines as can stay
    do: difflib alone takes the longest run of equal lines first, and may lose others."""
    a, b = before.splitlines(), now.splitlines()
    stays = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # how many of a[i:] stay in b[j:]
    for i, j in itertools.product(range(len(a) - 1, -1, -1), range(len(b) - 1, -1, -1)):
        stays[i][j] = max(stays[i + 1][j], stays[i][j + 1], (a[i] == b[j]) + stays[i + 1][j + 1])
    i = j = 0
    while i < len(a) or j < len(b):
        if i < len(a) and stays[i][j] == stays[i + 1][j]:
            yield "LINE_IS_GONE", a[i]
            i += 1
        elif j < len(b) and stays[i][j] == stays[i][j + 1]:
            yield "LINE_IS_NEW", b[j]
            j += 1
        else:
            yield "LINE_STAYS", a[i]
            i, j = i + 1, j + 1


HINTS = 3


def exercises_of(block, stop):
    """The exercises of an end as (step, hint, hint, hint)."""
    title, *lines = block.split("\n")
    items = re.split(r"^- |\n- ", "\n".join(lines))[1:]
    found = []
    for item in items:
        first, *more = [" ".join(hint.split()) for hint in item.split("\n  - ")]
        begun = re.fullmatch(r"\((.*?)\) (.*)", first)
        if not begun or len(more) != HINTS - 1:
            stop(f"an exercise is '- (step) hint' and {HINTS - 1} lines '  - hint', not '{first}'")
        found.append((*begun.groups(), *more))
    if title != "Exercises, each with three hints:" or not found:
        stop("behind the questions come Exercises, Next: and Gives:")
    return found


MOST_CHALLENGES = 64  # as in trace/run/source.h: a bit each is kept of what was answered

# What may be asked, and whether it is about a cell. A line is asked of a step that has an exercise, which has the hints.
CHALLENGES = {"line": False, "largest": True, "sign": True, "number": True, "shape": False, "prints": False}


def challenges_of(block, exercises, stop):
    """The questions of an end as rows of struct challenge."""
    title, *items = re.split(r"^- |\n- ", block.strip())
    if title.strip() != "Your turn:" or not items or len(items) > MOST_CHALLENGES:
        stop("behind the exercises come Your turn:, Next: and Gives:")
    rows = ""
    for item in (" ".join(item.split()) for item in items):
        said = re.fullmatch(r"\((.*?)(?: \[([\d, ]*)\])?\) (\w+)(?: `(.*?)`)?(?:: (.*))?", item)
        if not said or said[3] not in CHALLENGES or CHALLENGES[said[3]] != bool(said[2]) or (said[3] == "prints") != bool(said[4]):
            stop(f"a question is '- (step [cell]) {' | '.join(CHALLENGES)}: question', not '{item}'")
        step, cell, kind, code, text = said.groups("")
        if kind == "line" and step not in [exercise[0] for exercise in exercises]:
            stop(f"the line of {step} is asked for, but no exercise has hints for it")
        index = f"{len(cell.split(','))}, {{{cell}}}" if cell else "0, {0}"
        rows += f"    {{{literal(step)}, CHALLENGE_{kind.upper()}, {index}, {literal(code)},\n     {literal(text)}}},\n"
    return len(items), rows


def recap_of(path, name, ends_before):
    """The end of a lesson as a struct recap; `ends_before` are the files of the ends of the lessons before it, by lesson."""
    def stop(what):
        sys.exit(f"{path}: {what}")

    with open(path, encoding="utf-8") as file:
        text = file.read()
    blocks = ast.get_docstring(ast.parse(text)).split("\n\n")
    learned = [block for block in blocks if block.startswith("Learned: ")]
    blocks = [block for block in blocks if block not in learned]
    seen = re.fullmatch(r"Learned: \((\w+)(?: \[(\d)\])?\) (.*)", " ".join("".join(learned).split())) if learned else None
    if learned and not seen:
        stop("what was learned stands as 'Learned: (step of lesson 0 [page]) text'")
    learned = f"{{{literal(seen[1])}, {seen[2] or -1}, {literal(seen[3])}}}" if seen else "{0}"
    can = blocks.pop(-3).replace("\n", " ") if blocks[-3].startswith("You can now: ") else ""
    words, *new, questions, _, _, onward, gives = [" ".join(block.split()) for block in blocks]
    exercises = exercises_of(blocks[-4], stop)
    challenge_count, challenges = challenges_of(blocks[-3], exercises, stop)
    asked = re.findall(r"\b\d\. \(([^[)]*?)(?: \[([\d, ]*)\])?\) (.*?) Answer: (.*?)(?= \d\. \(|$)", questions)
    if len(asked) != 3:
        stop("three questions, each as '1. (step) text Answer: text'")
    said = re.fullmatch(r"New(?: since (\w+))?: (.*)", " ".join(new)) if new else None
    if new and not said:
        stop("between the words and the questions stands at most New: or New since LESSON:")
    since = said and said[1]
    if since and since not in ends_before:
        stop(f"{since}.py is no end of a lesson before this one")
    if not onward.startswith("Next: ") or not gives.startswith("Gives: "):
        stop("behind the exercises come Next: and Gives:")
    classes, use = program_of(path)
    marked = use.replace(COPIES, "{sentences}")
    rows = ""
    for step, cell, question, answer in asked:
        index = f"{len(cell.split(','))}, {{{cell}}}" if cell else "0, {0}"
        rows += f"        {{{literal(step)}, {index},\n         {literal(question)},\n         {literal(answer)}}},\n"
    news = literal(said[2]) if said else "NULL"
    changes = list(changes_since(program_of(ends_before[since])[0] if since else classes, classes))
    lines = "".join(f"    {{{kind}, {literal(line)}}},\n" for kind, line in changes)
    hints = "".join(f"    {{{literal(step)}, {{{', '.join(map(literal, said))}}}}},\n" for step, *said in exercises)
    return (f"static const struct change {name}_changes[] = {{\n{lines}}};\n"
            f"static const struct exercise {name}_exercises[] = {{\n{hints}}};\n"
            f"static const struct challenge {name}_challenges[] = {{\n{challenges}}};\n"
            f"static const struct recap {name}_recap = {{\n    .words = {literal(words)},\n    .news = {news},\n"
            f"    .questions = {{\n{rows}    }},\n    .exercise_count = {len(exercises)},\n"
            f"    .exercises = {name}_exercises,\n    .challenge_count = {challenge_count},\n    .challenges = {name}_challenges,\n    .can = {literal(can)},\n    .learned = {learned},\n    .onward = {literal(onward.removeprefix('Next: '))},\n"
            f"    .classes = {literal(classes)},\n    .since = {literal(since) if since else 'NULL'},\n"
            f"    .change_count = {len(changes)},\n    .changes = {name}_changes,\n"
            f"    .outline = {literal(outline_of(classes, use))},\n"
            f"    .use = {literal(marked)},\n"
            f"    .gives = {literal(gives.removeprefix('Gives: '))},\n}};\n")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def by_lesson(paths):
    """The files of each lesson: one with a LESSON, and those without that follow it."""
    lessons = []
    for path in paths:
        if any(line.startswith("LESSON(") for line in lines_of(path)):
            lessons.append([path])
        elif lessons:
            lessons[-1].append(path)
        else:
            sys.exit(f"{path}: no LESSON, and no lesson before it to go on with")
    return lessons


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def source_of(paths, ends, ends_before, before):
    """A lesson's files; of each paragraph also whether it repeats: its title says "as before" or "as in", and all of its steps stand
    in the lesson earlier, or in the lesson `before`, a set of steps_of(), which is changed to those of this lesson."""
    name = name_of(paths[0])
    found, here = [], set()
    for path, start, block in [(path, *place) for path in paths for place in paragraphs(lines_of(path))]:
        entry = cut(path, start, block)
        if entry:
            says_so = re.search(r"\bas (before|in)\b", entry[0]) is not None
            found.append((path, *entry, says_so and (steps_of(block) <= before or steps_of(block) <= here)))
            here |= steps_of(block)
    before.clear()
    before |= here
    if not found:
        sys.exit(f"{paths[0]}: a lesson without a STEP")
    excerpts = rows = ""
    for i, (path, title, explanation, drawing, own, repeats) in enumerate(found):
        excerpts += f"static const struct excerpt {name}_excerpts_{i}[] = {{\n"
        excerpts += "".join(f"    {{{', '.join(map(str, numbers))}, {literal(text)}}},\n" for *numbers, text in own)
        excerpts += "};\n"
        rows += (f"    {{{literal(f'lessons/{name_of(path)}.c')},\n     {literal(title)},\n"
                 f"     {literal(explanation)},\n     {len(own)}, {name}_excerpts_{i}, {str(repeats).lower()}, {literal(drawing) if drawing else 'NULL'}}},\n")
    function = function_of(paths[0])
    recap = recap_of(ends[name], name, ends_before) if name in ends else ""
    return name, (f"{recap}{excerpts}static const struct paragraph {name}_paragraphs[] = {{\n{rows}}};\n"
                  f"extern const struct source {name}_source;\n"
                  f"const struct source {name}_source = {{{len(found)}, {name}_paragraphs, "
                  f"{literal(function) if function else 'NULL'}, {f'&{name}_recap' if recap else 'NULL'}}};\n"
                  f"extern const struct lesson {name}_lesson;\n")


output, table, *files = sys.argv[1:]
ends = {name_of(path): path for path in files if path.endswith(".py")}
before = set()
lessons = by_lesson([path for path in files if path.endswith(".c")])
names = [name_of(paths[0]) for paths in lessons]
ends_before = [{name: ends[name] for name in names[:i] if name in ends} for i in range(len(names))]
cuts = [source_of(paths, ends, end, before) for paths, end in zip(lessons, ends_before)]
with open(output, "w", encoding="utf-8") as file:
    file.write('#include <stddef.h>\n\n#include "lessons.h"\n\n' + "\n".join(text for _, text in cuts))
    file.write(f"\nconst int {table}_count = {len(cuts)};\n")
    file.write(f"const struct lesson *const {table}_table[] = {{\n")
    file.write("".join(f"    &{name}_lesson,\n" for name, _ in cuts) + "};\n")
