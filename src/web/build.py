#!/usr/bin/env python3
"""Builds onestep.html: the program as WebAssembly, with style and script, in one file.

usage: build.py --compiler CLANG --version V -DNAME=VALUE --private FOLDER --depfile FILE --output FILE [GENERATED.c ...]

The tool chain is clang, lld, wasi-libc and clang's compiler-rt for wasm32, as Debian has them: four packages, some 100 MB,
that compile all but the files below unchanged. (emscripten has setjmp and files of its own; but it is ten times as large,
and puts a script of its own around the program, larger than ours, that asks to fetch and to evaluate.)
"""
import argparse
import base64
import concurrent.futures
import hashlib
import html
import lzma
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# What needs a terminal, threads or setjmp, or is part of another build; web.c has something else in its place, or leaves it out.
LEFT_OUT = re.compile(r"(lessons/whole_gpt.*|src/base/landing|src/web/expand|src/tensor/fast/.*|src/tensor/file/(recording_read|widened)|src/script/recording/.*|src/app/compare/.*|src/app/(complete|gpt2|gpt_ways|memory|bench|practice|session/terminal|command/recording|check/(script|progress|program/recorded|class/.*|watch)))\.c$")

# What calls itself a thousand times. A function that has others inside has room for all that they need, in each call.
DEEP = re.compile(r"src/script/(call|class|evaluate|iterate|statement)\.c$")

FLAGS = ["--target=wasm32-wasi", "-std=c11", "-Oz", "-ffp-contract=off", "-D_POSIX_C_SOURCE=200809L",
         "-D_WASI_EMULATED_SIGNAL", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
         "-include", f"{HERE}/missing.h", f"-I{ROOT}/src", f"-I{ROOT}/lessons", f"-ffile-prefix-map={ROOT}/="]
ASSEMBLE = ["--target=wasm32-wasi", "-mexception-handling", "-c"]
LINK = ["--target=wasm32-wasi", "-mexec-model=reactor", "-lwasi-emulated-signal", "-Wl,--strip-all",
        "-Wl,--compress-relocations", "-Wl,-z,stack-size=8388608", "-Wl,--stack-first", "-Wl,--max-memory=2147483648",
        "-Wl,--export-table", "-Wl,--export=__main_argc_argv", "-Wl,--export=__stack_pointer", "-mmutable-globals"]
FREESTANDING = ["--target=wasm32", "-std=c11", "-Os", "-ffreestanding", "-fno-builtin", "-nostdlib", "-Wl,--no-entry",
                "-Wl,--strip-all"]

SCRIPTS = ["program.js", "engine.js", "face.js", "page.js"]

def sources():
    found = []
    for folder in ("lessons", "src"):
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.join(path, name) for name in names if name.endswith(".c")]
    return sorted(path for path in found if not LEFT_OUT.search(os.path.relpath(path, ROOT).replace(os.sep, "/")))


def is_current(made):
    """Is an object newer than all that it was made of?"""
    try:
        with open(made + ".d", encoding="utf-8") as file:
            parts = file.read().replace("\\\n", " ").split(":", 1)[1].split()
        made_at = os.path.getmtime(made)
        return all(os.path.getmtime(part) <= made_at for part in [*parts, __file__])
    except (OSError, IndexError):
        return False


def compiled(source, options):
    name = os.path.relpath(source, ROOT).replace(os.sep, "-").replace("..", "up")
    made = os.path.join(options.private, name + ".o")
    if not is_current(made):
        errors = ["-Werror"] if options.werror else []
        errors += ["-fno-inline-functions"] if DEEP.search(source) else []
        own = ["-MMD", "-MF", made + ".d", "-c", source, "-o", made]
        subprocess.run([options.compiler, *FLAGS, *errors, *(f"-D{name}" for name in options.D), *own], check=True)
    return made


def parts_of(objects):
    """All files that the objects were made of."""
    parts = {os.path.join(HERE, name) for name in ("web.html", *SCRIPTS, "expand.c", "landing.s", "build.py")}
    parts.update(os.path.join(ROOT, name) for name in ("CITATION.cff", "LICENSE"))
    for made in objects:
        with open(made + ".d", encoding="utf-8") as file:
            parts.update(file.read().replace("\\\n", " ").split(":", 1)[1].split())
    return sorted(parts)


def compressed(data):
    """LZMA without its header of 13 bytes, and with the properties that expand.c knows."""
    filters = [{"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 0, "pb": 0}]
    return lzma.compress(data, lzma.FORMAT_ALONE, filters=filters)[13:]


def in_digits(data):
    """The length, and two digits of base 93 for each 13 bits. A digit is a character that can be seen, but for "<": inside of a
    script, no other means anything to a browser."""
    digits = bytes(code for code in range(33, 127) if code != ord("<")).decode()
    bits = "".join(f"{byte:08b}" for byte in data) + "0" * 12
    groups = (int(bits[at:at + 13], 2) for at in range(0, len(bits) - 12, 13))
    return f"{len(data)} {''.join(digits[group // 93] + digits[group % 93] for group in groups)}"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text(name):
    return read(os.path.join(HERE, name)).decode()


def script(name):
    """A script without its comments and the blanks at the beginning of lines: it has neither in a string."""
    lines = (line.strip() for line in text(name).split("\n"))
    return in_ascii("\n".join(line for line in lines if line and not line.startswith("//")), "\\u%04x")


def style(page):
    """A page with its style sheet without blanks that mean nothing. Its strings keep theirs: none has one of these signs."""
    begin, rest = page.split("<style>", 1)
    sheet, end = rest.split("</style>", 1)
    dense = re.sub(r" *([{};,>]) *|(?<=:) ", lambda match: match[1] or "", re.sub("\n *", "", sheet))
    return begin + "<style>" + in_ascii(dense, "\\%x ") + "</style>" + in_ascii(end, "&#%d;")


def in_ascii(text, escape):
    """A text with other characters than ASCII's as `escape` writes them. A browser reads a page of ASCII in half the time."""
    return re.sub(r"[^\x00-\x7f]", lambda match: escape % ord(match[0]), text)


def about():
    """Who made the program, under which licence, and where its source is, if CITATION.cff has an address."""
    citation = read(os.path.join(ROOT, "CITATION.cff")).decode()
    author = re.search('^  - name: "(.*)"', citation, re.MULTILINE)[1]
    source = re.search('^repository-code: "(.*)"', citation, re.MULTILINE)
    address = html.escape(source[1]) if source else ""
    return {"AUTHOR": html.escape(author), "LICENCE": html.escape(read(os.path.join(ROOT, "LICENSE")).decode().strip()),
            "SOURCE_LINK": f'\n<link rel="code-repository" href="{address}">' if address else "",
            "SOURCE_WORDS": f' <a href="{address}">Its source.</a>' if address else ""}


def hash_of(page, name):
    """What the page's policy calls the only script, or style, that it allows."""
    inside, = re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL)
    return f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--compiler", "--version", "--private", "--depfile", "--output"):
        parser.add_argument(option, required=True)
    parser.add_argument("-D", action="append", default=[], metavar="NAME=VALUE", help="as the compiler takes it")
    parser.add_argument("--werror", action="store_true", help="warnings are errors")
    parser.add_argument("generated", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.private, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: compiled(source, options), sources() + options.generated))
    place = os.path.join(options.private, "place.o")
    subprocess.run([options.compiler, *ASSEMBLE, os.path.join(HERE, "landing.s"), "-o", place], check=True)
    module = os.path.join(options.private, "onestep.wasm")
    subprocess.run([options.compiler, *LINK, *objects, place, "-o", module], check=True)
    expander = os.path.join(options.private, "expand.wasm")
    subprocess.run([options.compiler, *FREESTANDING, os.path.join(HERE, "expand.c"), "-o", expander], check=True)
    program = read(module)
    fills = {**about(), "VERSION": options.version, "SCRIPT": "\n".join(map(script, SCRIPTS)),
             "PROGRAM": f"{in_digits(read(expander))} {in_digits(compressed(program))} {len(program)}"}
    page = re.sub(f"@({'|'.join(fills)})@", lambda match: fills[match[1]], style(text("web.html")))
    page = re.sub("@HASH_OF_(SCRIPT|STYLE)@", lambda match: hash_of(page, match[1].lower()), page)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(page)
    with open(options.depfile, "w", encoding="utf-8") as file:
        file.write(f"{options.output}: {' '.join(parts_of(objects))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
