"""Does any floor of the program lean on one above it, or a file on one that leans on it?

usage: floors.py --source ROOT --compiler COMMAND FLOOR=LIBRARY ...

Reads every #include of src/ and lessons/ (no noun, a header with its .c file, may lead back to itself), and with nm
every symbol that a floor's library wants and that only a floor above it has. Speaks TAP. Before it judges the program,
it shows on a small wrong one that it can find what is wrong.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

# What each floor may include and call.
BELOW = {
    "base": set(),
    "tensor": {"base"},
    "trace": {"base", "tensor"},
    "script": {"base", "tensor", "trace"},
    "lessons": {"base", "tensor", "trace"},
    "show": {"base", "tensor", "trace"},
    "walk": {"base", "tensor", "trace", "show"},
    "app": {"base", "tensor", "trace", "script", "lessons", "show", "walk"},
    "web": {"base", "tensor", "trace", "script", "lessons", "show", "walk", "app"},  # compiled by itself, for a browser
}
# Rooms of a floor, and what else of the floor each may include; "" is the floor outside of its rooms. A room may always
# include itself and the floors below.
ROOMS = {
    "tensor": {"": {"number"}, "number": set(), "text": {""}, "operation": {"", "number", "text"},
               "ops": {"", "number", "text", "operation"}, "file": {"", "number", "text", "operation", "ops"},
               "fast": {"", "number", "ops"}},
    "script": {"": {"syntax"}, "syntax": set(), "python": {"", "syntax"}, "torch": {"", "syntax"},
               "lesson": {"", "syntax", "torch", "edit", "steps"}, "steps": {"", "syntax", "torch"},
               "recording": {"", "syntax", "torch", "steps"},
               "edit": {"", "syntax", "steps"}},
    "trace": {"run": set(), "tape": {"run"}, "what_if": {"run", "tape"}, "": {"run", "tape"}},
    "walk": {"model": set(), "kit": {"model"}, "step": {"model", "kit"}, "": {"model", "kit", "step"},
             "views": {"model", "kit", "step", ""}},
    "app": {"": {"print", "check", "command", "compare", "session"}, "command": {"print", "session", ""}, "print": {"command"},
            "check": {"command"}, "compare": {"check", "command"}, "session": {"command"}},
}
NOT_SEEN = {("app", "print"): {"walk"}, ("app", "check"): {"walk"}, ("app", "compare"): {"walk"}}  # floors that a room has nothing to do with

CURSES = re.compile(r"^(n?curses(w)?/)?(n?curses|ncurses\w*|panel|form|menu|term|termcap|unctrl)\.h$")
MAY_HAVE_CURSES = re.compile(r"^src/app/session/terminal\.[ch]$")
LESSONS_HEADER = "trace/lesson.h"  # the one header through which a lesson sees the floors below


# --- What is included --------------------------------------------------------------------------------------------


def floor_of_file(path):
    parts = path.split("/")
    return parts[0] if parts[0] == "lessons" else parts[1]


def room_of(path):
    """(floor, room) of a file below src/ or of a header as it is included; the room is "" outside of the rooms."""
    parts = path.removeprefix("src/").split("/")
    return parts[0], parts[1] if len(parts) > 2 and parts[1] in ROOMS.get(parts[0], {}) else ""


def wrong_room(header, path):
    """What is wrong with including a header across rooms; None if nothing is."""
    floor, room = room_of(path)
    other_floor, other_room = room_of(header)
    if other_floor in NOT_SEEN.get((floor, room), set()):
        return f'{floor}/{room} has nothing to do with "{header}"'
    if floor != other_floor or room == other_room or floor not in ROOMS:
        return None
    if other_room not in ROOMS[floor][room]:
        return f'"{header}" is in a room that {floor}/{room} must not see'
    return None


def floor_of_header(header, path, root):
    """The floor of a header in quotes; None if there is no such header."""
    first = header.split("/")[0]
    if first in BELOW and os.path.exists(os.path.join(root, "src", header)):
        return first
    if os.path.exists(os.path.join(root, "lessons", header)):
        return "lessons"
    if os.path.exists(os.path.join(root, os.path.dirname(path), header)):
        return floor_of_file(path)
    return None


def wrong_include(line, path, root):
    """What is wrong with an #include; None if nothing is."""
    match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
    if not match:
        return "an #include that names no file"
    header, system = match.groups()
    if system:
        if CURSES.match(system) and not MAY_HAVE_CURSES.match(path):
            return f"only src/app/session/terminal.c may include <{system}>"
        return None
    own = floor_of_file(path)
    floor = floor_of_header(header, path, root)
    if floor is None:
        return f'there is no "{header}"'
    if floor != own and floor not in BELOW[own]:
        return f'{own} must not include "{header}" of {floor}'
    if floor != "lessons" and wrong_room(header, path):
        return wrong_room(header, path)
    if own == "lessons" and path.endswith(".c") and floor != "lessons" and header != LESSONS_HEADER:
        return f'of the floors below, a lesson includes "{LESSONS_HEADER}" alone, not "{header}"'
    return None


def source_files(root):
    for pattern in ("src/**/*.[ch]", "lessons/**/*.[ch]"):
        for path in sorted(glob.glob(os.path.join(root, pattern), recursive=True)):
            yield os.path.relpath(path, root).replace(os.sep, "/")


def wrong_includes(root):
    """Yields (file, what is wrong in it: a list) for every file."""
    for path in source_files(root):
        found = []
        if floor_of_file(path) not in BELOW:
            found.append(f"no floor is called {floor_of_file(path)}")
        else:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if re.match(r"\s*#\s*include\b", line):
                        wrong = wrong_include(line, path, root)
                        if wrong:
                            found.append(f"{path}:{number}: {wrong}")
        yield path, found


# --- Files that comments name --------------------------------------------------------------------------------------

NAMED = re.compile(r"(?<![\w./])(?:src|lessons|python|tests)/[a-z0-9_./]+\.(?:c|h|py|sh|txt|csv)\b")  # NAME.c is any


def names_of_nothing(root):
    """What the sources say of files of ours that there are not."""
    for path in source_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for name in NAMED.findall(line):
                    if not os.path.exists(os.path.join(root, name)):
                        yield f"{path}:{number}: there is no {name}"


# --- Circles -----------------------------------------------------------------------------------------------------


def nouns_included(root):
    """For every noun, that is a header with its .c file, the nouns that it includes."""
    included = {}
    for path in source_files(root):
        noun = os.path.splitext(path)[0]
        others = included.setdefault(noun, set())
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for header in re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), re.MULTILINE):
                for folder in ("src", "lessons", os.path.dirname(path)):
                    if os.path.exists(os.path.join(root, folder, header)):
                        others.add(os.path.splitext(os.path.normpath(os.path.join(folder, header)))[0])
                        break
        others.discard(noun)
    return included


def reached_from(noun, included):
    reached, ahead = set(), [noun]
    while ahead:
        for other in included.get(ahead.pop(), ()):
            if other not in reached:
                reached.add(other)
                ahead.append(other)
    return reached


def circles(root):
    """The sets of nouns that include each other, directly or not."""
    included = nouns_included(root)
    reached = {noun: reached_from(noun, included) for noun in included}
    found = []
    for noun in sorted(included):
        circle = {other for other in reached[noun] if noun in reached.get(other, ())}
        if noun in circle and circle not in found:
            found.append(circle)
    return found


# --- What is called ----------------------------------------------------------------------------------------------


def symbols(nm, library):
    """The global symbols of a library: (those it defines, those that it wants from elsewhere)."""
    output = subprocess.run([nm, "-g", library], capture_output=True, text=True, check=True).stdout
    defined, wanted = set(), set()
    for line in output.splitlines():
        match = re.match(r"(?:[0-9a-fA-F]+)?\s+([A-Za-z])\s+(\S+)$", line)
        if match and not match.group(2).startswith("__"):  # those are the compiler's, or a sanitizer's
            (wanted if match.group(1) in "Uw" else defined).add(match.group(2))
    return defined, wanted - defined


def wrong_calls(nm, libraries):
    """Yields (floor, what is wrong in it: a list). `app` may be the whole program: what the other floors define there
    is theirs."""
    defined, wanted = {}, {}
    for floor, library in libraries.items():
        defined[floor], wanted[floor] = symbols(nm, library)
    for floor in libraries:
        if floor != "app":
            defined["app"] -= defined[floor]
    for floor in libraries:
        found = []
        if not defined[floor]:
            found.append(f"nm finds no symbol in {libraries[floor]}")
        allowed = set().union(*(defined[other] for other in BELOW[floor] if other in defined))
        for symbol in sorted(wanted[floor] - allowed):
            for other in libraries:
                if other != floor and symbol in defined[other]:
                    found.append(f"{floor} must not call {symbol}() of {other}")
        yield floor, found


def nm_of(compiler):
    answer = subprocess.run(compiler + ["-print-prog-name=nm"], capture_output=True, text=True, check=True)
    return answer.stdout.strip() or "nm"


# --- How many files lie together ---------------------------------------------------------------------------------

MOST_NOUNS = 20  # directly in a folder; a header and its source are one


def crowded(root):
    """Each folder of src/ with more nouns than that."""
    for folder, _, files in sorted(os.walk(os.path.join(root, "src"))):
        nouns = {file.rsplit(".", 1)[0] for file in files if file.endswith((".c", ".h"))}
        if len(nouns) > MOST_NOUNS:
            yield f"{os.path.relpath(folder, root)}: {len(nouns)} nouns, more than {MOST_NOUNS}"


# --- Can it fail? ------------------------------------------------------------------------------------------------

# A small wrong program, and for each of its files how many mistakes there are.
WRONG = {
    "src/base/base.h": ("int base(void);\n", 0),
    "src/base/base.c": ('#include "base/base.h"\n#include "tensor/tensor.h"\nint base(void) { return tensor(); }\n', 1),
    "src/tensor/tensor.h": ("#include <stdio.h>\nint tensor(void);\n", 0),
    "src/tensor/tensor.c": ('#include "base/base.h"\n#include "tensor.h"\nint tensor(void) { return base(); }\n', 0),
    "src/tensor/ops/ops.h": ('#include "tensor/tensor.h"\n#include "tensor/file/csv.h"\n', 1),
    "src/tensor/file/csv.h": ('#include "tensor/ops/ops.h"\n', 0),
    "src/trace/what_if/trial.h": ('#include "trace/run/run.h"\n', 0),
    "src/trace/run/run.h": ('#include "trace/what_if/trial.h"\n', 1),
    "src/app/print/print.h": ('#include "walk/walk.h"\n#include "app/check/check.h"\n', 2),
    "src/app/check/check.h": ('#include "tensor/file/csv.h"\n', 0),
    "src/trace/lesson.h": ('#include "tensor/tensor.h"\nint trace(void);\n', 0),
    "src/trace/trace.c": ('#include "trace/lesson.h"\nint walk(void);\n'
                          "int trace(void) { return tensor() + walk(); }\n", 0),
    "lessons/lessons.h": ("int lesson(void);\n", 0),
    "lessons/lesson.c": ('#include "trace/lesson.h"\n#include "tensor/tensor.h"\n  #  include "walk/walk.h"\n'
                         "int lesson(void) { return walk() + tensor(); }\n", 2),
    "src/walk/walk.h": ("int walk(void);\n", 0),
    "src/walk/walk.c": ('#include "lessons.h"\n#include <curses.h>\n#define HEADER "walk/walk.h"\n#include HEADER\n'
                        "int walk(void) { return 0; }\n", 3),
    "src/app/session/terminal.c": ("#include <curses.h>\n", 0),
    "src/app/main.c": ('#include "lessons.h"\n#include "walk/walk.h"\n#include "app/gone.h"\n'
                       "int main(void) { return lesson() + walk(); }\n", 1),
    "src/attic/old.c": ('#include "base/base.h"\n', 1),
}
WRONG_CIRCLES = [{"src/base/base", "src/tensor/tensor"}, {"src/tensor/file/csv", "src/tensor/ops/ops"},
                 {"src/trace/run/run", "src/trace/what_if/trial"}]
WRONG_CALLS = {"base": 1, "tensor": 0, "trace": 1, "lessons": 1, "walk": 0, "app": 0}
OBJECTS = {"base": "src/base/base.c", "tensor": "src/tensor/tensor.c", "trace": "src/trace/trace.c",
           "lessons": "lessons/lesson.c", "walk": "src/walk/walk.c", "app": "src/app/main.c"}


def write_wrong_program(root):
    for path, (text, _) in WRONG.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)


def compile_wrong_program(root, compiler):
    """An object a floor; what they include is not there, so without the #include lines."""
    libraries = {}
    for floor, path in OBJECTS.items():
        libraries[floor] = os.path.join(root, floor + ".o")
        declarations = "int base(void), tensor(void), trace(void), lesson(void), walk(void);\n"
        text = declarations + re.sub(r"(?m)^\s*#.*\n", "", WRONG[path][0])
        subprocess.run(compiler + ["-w", "-x", "c", "-c", "-", "-o", libraries[floor]], input=text, text=True,
                       check=True)
    return libraries


def check_itself(compiler, nm):
    with tempfile.TemporaryDirectory() as root:
        write_wrong_program(root)
        counts = {path: len(found) for path, found in wrong_includes(root)}
        expected = {path: mistakes for path, (_, mistakes) in WRONG.items()}
        say("finds the wrong includes of a wrong program",
            [f"{path}: {counts.get(path)} mistakes found, not {n}" for path, n in expected.items() if counts.get(path) != n])
        say("finds the circles of a wrong program",
            [] if circles(root) == WRONG_CIRCLES else [f"found {circles(root)}, not {WRONG_CIRCLES}"])
        libraries = compile_wrong_program(root, compiler)
        counts = {floor: len(found) for floor, found in wrong_calls(nm, libraries)}
        say("finds the wrong calls of a wrong program",
            [f"{floor}: {counts[floor]} mistakes found, not {n}" for floor, n in WRONG_CALLS.items() if counts[floor] != n])


# --- TAP ---------------------------------------------------------------------------------------------------------

checks = 0
failures = 0


def say(what, mistakes):
    global checks, failures
    checks += 1
    failures += bool(mistakes)
    print(f"{'not ok' if mistakes else 'ok'} {checks} - {what}")
    for mistake in mistakes:
        print(f"# {mistake}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", required=True, type=shlex.split)
    parser.add_argument("libraries", nargs="+")
    arguments = parser.parse_args()
    libraries = dict(library.split("=", 1) for library in arguments.libraries)
    nm = nm_of(arguments.compiler)
    check_itself(arguments.compiler, nm)
    for path, found in wrong_includes(arguments.source):
        say(f"includes of {path}", found)
    say("files that comments name are there", list(names_of_nothing(arguments.source)))
    say("no circles of includes",
        [" and ".join(sorted(circle)) for circle in circles(arguments.source)])
    say("no folder is crowded", list(crowded(arguments.source)))
    for floor, found in wrong_calls(nm, libraries):
        say(f"calls of {floor}", found)
    print(f"1..{checks}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
