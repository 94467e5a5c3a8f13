"""Can others read what `onestep print` exports?

usage: exports.py ONESTEP

Reads npy, csv, svg, markdown and html back, each as strictly as its readers do, and compares every number with those of
the JSON. With NumPy installed, NumPy reads npy and csv too; with tidy installed, tidy judges html. Speaks TAP.
"""
import ast
import csv
import html.parser
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import tap

try:
    import numpy
except ImportError:
    numpy = None

RUNS = [
    ["all"],
    ["trainable", "--seed", "5", "--bias", "--d-out", "3"],
    ["wrapper", "--batch", "3", "--heads", "3", "--dropout", "0.5"],
    ["split-head", "--d-out", "6", "--heads", "3", "--bias"],
    ["simplified", "--input", "EVIL"],
    ["wrapper", "--input", "LONG"],
    ["causal", "--what-if", "mask-zero"],
    ["split-head", "--what-if", "heads-by-view"],
]

# Tokens that would be markup, formulas or separators if they were not text.
EVIL_TOKENS = ["<script>alert(1)</script>", '"onmouseover="x', "=1+1", "+1", "-1", "@SUM(1)", "a,b", 'say "hi"', "</td>",
               "&amp;", "'", "`x`", "|", "[a](http://b)", "*a*", "日本", "שלום", "]]>", "\\", "<!--", "http://a.b",
               "%s%n", "\ufffe"]

# What a handout may have: for its head, for each step and for each cell of a table. So a new lesson changes no limit. The
# handouts of RUNS take between 0.4 and 0.9 of it, so one that becomes as long again fails.
HEAD_BYTES, STEP_BYTES, CELL_BYTES = 40 * 1024, 6 * 1024, 300
# Of the processor's time, not with sanitizers; training computes for the last. Twice as long as it takes where nobody else
# computes: processors that are shared have been seen to take half as long again.
HEAD_SECONDS, STEP_SECONDS = 2 * 0.08, 2 * 0.00052


def run(*arguments):
    done = subprocess.run([ONESTEP, *arguments], capture_output=True, cwd=FOLDER, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or done.stderr:
        raise ValueError(f"onestep {' '.join(arguments)}: exit status {done.returncode}: {done.stderr[:300]}")
    return done.stdout


def require(condition, what):
    if not condition:
        raise ValueError(what)


# --- Numbers -----------------------------------------------------------------------------------------------------


def flat(values):
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    else:
        yield float(values)


def bits(dtype, values):
    """What the numbers are in memory, so that -0 is not 0; every nan is the same one."""
    if dtype == "float32":
        return [struct.pack("<f", value) if value == value else b"nan" for value in values]
    return [int(value) for value in values]


def steps_of(arguments):
    """(file's name without its end, step) of every step."""
    for lesson in json.loads(run("print", *arguments, "--format", "json"))["lessons"]:
        for step in lesson["steps"]:
            parts = [lesson["lesson"], step["group"], step["name"]]
            yield ".".join(part.replace(" ", "-") for part in parts if part), step


def export(arguments, form):
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "new")
        run("print", *arguments, "--format", form, "-o", place)
        files = {}
        for name in os.listdir(place):
            with open(os.path.join(place, name), "rb") as file:
                files[name] = file.read()
        return files


def compare(arguments, form, read):
    files = export(arguments, form)
    names = set()
    for name, step in steps_of(arguments):
        names.add(f"{name}.{form}")
        content = files[f"{name}.{form}"]
        require(bits(step["dtype"], read(content, step)) == bits(step["dtype"], list(flat(step["values"]))),
                f"{name}.{form}: other numbers than in the JSON")
    require(names == set(files), f"files {sorted(names ^ set(files))}")


# --- npy ---------------------------------------------------------------------------------------------------------

FORMATS = {"float32": ("<f4", "f"), "bool": ("|b1", "?"), "int64": ("<i8", "q")}


def read_npy(content, step):
    require(content[:8] == b"\x93NUMPY\x01\x00", "npy: magic")
    (length,) = struct.unpack("<H", content[8:10])
    require((10 + length) % 64 == 0 and content[9 + length] == 10, "npy: the header's length")
    header = ast.literal_eval(content[10:10 + length].decode("ascii"))
    description, letter = FORMATS[step["dtype"]]
    require(header == {"descr": description, "fortran_order": False, "shape": tuple(step["shape"])}, f"npy: {header}")
    data = content[10 + length:]
    values = struct.unpack(f"<{len(data) // struct.calcsize('<' + letter)}{letter}", data)
    if numpy is not None:
        array = numpy.load(io.BytesIO(content), allow_pickle=False)
        require(array.dtype == numpy.dtype(step["dtype"]) and array.shape == tuple(step["shape"]), "npy: NumPy's view")
        require(array.tobytes() == data, "npy: NumPy's numbers")
    return [float(value) for value in values]


# --- csv ---------------------------------------------------------------------------------------------------------


def number(field):
    return {"True": 1.0, "False": 0.0}.get(field) if field in ("True", "False") else float(field)


def rows_of_pages(step):
    """The rows' labels, a list for each sentence: each sentence of a batch may have words of its own."""
    rows = step["rows"] or []
    return rows if rows and isinstance(rows[0], list) else [rows]


def read_csv(content, step):
    text = content.decode("utf-8")
    header, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    dimensions = len(step["shape"])
    leading = 1 if dimensions == 1 else max(dimensions - 1, 0)
    require(all(len(line) == len(header) for line in lines), "csv: ragged lines")
    for line in [header, *lines]:
        for field in line[:leading]:
            require(field[:1] not in ("=", "+", "-", "@", "\t", "\r"), f"csv: a formula, {field!r}")
    if step["rows"] and dimensions >= 2:
        labels = [line[leading - 1] for line in lines[:step["shape"][-2]]]
        wanted = [("'" + row if row[:1] in "=+-@" else row) for row in rows_of_pages(step)[0]]
        require(labels == wanted, f"csv: rows {labels}")
    if numpy is not None and step["dtype"] == "float32" and '"' not in text:
        columns = range(leading, len(header))
        array = numpy.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, usecols=columns, dtype=numpy.float32,
                              comments=None, ndmin=2, encoding="utf-8")
        require(bits("float32", array.ravel().tolist()) == bits("float32", list(flat(step["values"]))), "csv: NumPy")
    return [number(field) for line in lines for field in line[leading:]]


def csv_comes_back():
    """What is exported as csv is what --input reads."""
    written = run("print", "simplified", "--step", "inputs", "--format", "csv")
    with open(os.path.join(FOLDER, "back.csv"), "wb") as file:
        file.write(written)
    again = run("print", "simplified", "--step", "inputs", "--format", "csv", "--input", "back.csv")
    require(again == written, "csv: --input reads something else")


# --- html --------------------------------------------------------------------------------------------------------

VOID = {"meta", "link", "br"}
ELEMENTS = VOID | {"html", "head", "title", "style", "body", "a", "header", "main", "nav", "footer", "section", "article",
                   "h1", "h2", "h3", "h4", "p", "ol", "li", "details", "summary", "figure", "figcaption", "pre", "code",
                   "span", "b", "i", "em", "strong", "div", "table", "caption", "thead", "tbody", "tr", "th", "td",
                   "svg", "desc", "rect", "path", "text"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "rel", "href", "class", "id", "aria-labelledby",
              "aria-hidden", "style", "value", "scope", "tabindex", "aria-label", "role", "xmlns", "width", "height", "viewbox",
              "x", "y", "rx", "d", "text-anchor"}


class Handout(html.parser.HTMLParser):
    """Every element closed in its turn; ids once; references answered; headings in order; tables with headings."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.wanted, self.landmarks = [], set(), set(), []
        self.level, self.cells, self.text, self.table = 0, 0, [], None

    def handle_starttag(self, tag, attributes):
        require(tag in ELEMENTS, f"html: <{tag}>")
        given = dict(attributes)
        require(len(given) == len(attributes) and set(given) <= ATTRIBUTES, f"html: <{tag} {attributes}>")
        require(re.fullmatch(r"counter-reset:line \d+", given.get("style", "counter-reset:line 0")), "html: style")
        require(given.get("href", "#").startswith("#") or given["href"] == "data:,", f"html: a link to {given.get('href')}")
        if "id" in given:
            require(given["id"] not in self.ids and " " not in given["id"], f"html: id {given['id']} twice")
            self.ids.add(given["id"])
        self.wanted |= set(given.get("aria-labelledby", "").split())
        if given.get("href", "").startswith("#"):
            self.wanted.add(given["href"][1:])
        if tag in ("header", "nav", "main", "footer"):
            self.landmarks.append(tag)
        if re.fullmatch("h[1-6]", tag):
            require(int(tag[1]) <= self.level + 1, f"html: <{tag}> below <h{self.level}>")
            self.level = int(tag[1])
        self.follow_table(tag, given)
        if tag not in VOID:
            self.open.append(tag)

    def follow_table(self, tag, given):
        if tag == "table":
            self.table = {"rows": [], "caption": "aria-labelledby" in given}
        elif tag == "caption":
            require(self.open[-1] == "table", "html: a caption elsewhere")
            self.table["caption"] = True
        elif tag == "tr":
            self.table["rows"].append(0)
        elif tag in ("td", "th"):
            require(self.open[-1] == "tr", f"html: <{tag}> in <{self.open[-1]}>")
            require(tag == "td" or given.get("scope") in ("row", "col"), "html: <th> without scope")
            self.table["rows"][-1] += 1
            self.cells += tag == "td"

    def handle_endtag(self, tag):
        require(self.open and self.open[-1] == tag, f"html: </{tag}> closes <{self.open[-1:]}>")
        self.open.pop()
        if tag == "table":
            require(self.table["caption"], "html: a table without a name")
            require(len(set(self.table["rows"])) == 1, f"html: rows of {set(self.table['rows'])} cells")

    def handle_data(self, data):
        self.text.append(data)

    def unknown_decl(self, data):
        raise ValueError(f"html: {data}")

    def handle_comment(self, data):
        raise ValueError(f"html: a comment, {data}")


def check_html(arguments):
    content = run("print", *arguments, "--format", "html")
    require(content == run("print", *arguments, "--format", "html"), "html: other bytes the second time")
    text = content.decode("utf-8")
    require(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">\n"), "html: its start")
    handout = Handout()
    handout.feed(text)
    handout.close()
    most = HEAD_BYTES + STEP_BYTES * len(list(steps_of(arguments))) + CELL_BYTES * handout.cells
    require(len(content) < most, f"html: {len(content)} bytes, more than {most}")
    require(not handout.open, f"html: left open {handout.open}")
    require(handout.wanted <= handout.ids, f"html: no id {handout.wanted - handout.ids}")
    require(handout.landmarks == ["header", "nav", "main", "footer"], f"html: {handout.landmarks}")
    require(not re.search(r"url\(|@import|src=", text), "html: something to fetch")
    if TIDY:
        said = subprocess.run([TIDY, "-q", "-e", "--drop-empty-elements", "no"], input=content, capture_output=True)
        require(said.returncode == 0, f"html: tidy says {said.stderr[:300]}")
    return "".join(handout.text)


def check_every_step():
    words = check_html(["all"])
    for lesson in json.loads(run("print", "all", "--format", "json"))["lessons"]:
        for step in lesson["steps"]:
            for part in ("title", "explanation", "formula", "pytorch"):
                require(step[part] in words, f"html: no {part} of {step['name']}")


def check_tokens():
    words = check_html(["simplified", "--input", "EVIL"])
    for token in EVIL_TOKENS:
        require(token.replace("\ufffe", "\ufffd") in words, f"html: no token {token!r}")


def check_time():
    if is_slow():
        return
    times = []
    for _ in range(3):
        before = os.times()
        run("print", "all", "--format", "html")
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    most = HEAD_SECONDS + STEP_SECONDS * len(list(steps_of(["all"])))
    require(min(times) < most, f"html: {min(times):.3f} s of the processor, more than {most:.3f}")


def is_slow():
    with open(ONESTEP, "rb") as file:
        return b"__asan_init" in file.read()


# --- Colours -----------------------------------------------------------------------------------------------------


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def check_contrast():
    style = run("print", "simplified", "--format", "html").decode().split("<style>")[1].split("</style>")[0]
    variables = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    require(len(variables) == 2, "html: a light and a dark page")
    swatches = re.findall(r"^\.([sd]\d)\{background:(#[0-9a-f]{6})\}", style, re.M)
    require(len(swatches) == 34, f"html: {len(swatches)} colours")
    for look, colors in zip(variables, (swatches[:17], swatches[17:])):
        for name, color in colors:
            require(contrast(color, look["heat-ink"]) >= 4.5, f"html: contrast of {name}")
        for ink, page in [("ink", "page"), ("quiet", "page"), ("quiet", "panel"), ("quiet", "hatch"), ("accent", "page"),
                          ("accent", "panel"), ("word", "panel"), ("bar-ink", "bar"), ("page", "accent"), ("changed", "page")]:
            require(contrast(look[ink], look[page]) >= 4.5, f"html: contrast of {ink} on {page}")
        ramp = [luminance(color) for name, color in colors if name[0] == "s"]
        require(ramp in (sorted(ramp), sorted(ramp, reverse=True)), "html: the ramp's lightness turns")
    check_contrast_of_figures()


def check_contrast_of_figures():
    style = run("print", "causal", "--picture", "map", "--format", "svg").decode().split("<style>")[1].split("</style>")[0]
    looks = [dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", block)) for block in re.findall(r"\.fig\{(--.*?)\}", style, re.S)]
    require(len(looks) == 2, "svg: a light and a dark figure")
    for look in looks:
        for ink in ("ink", "quiet", "accent"):
            for page in ("page", "panel"):
                require(contrast(look[ink], look[page]) >= 4.5, f"svg: contrast of {ink} on {page}")
        require(contrast(look["line"], look["page"]) >= 3, "svg: contrast of lines")


# --- svg ---------------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def check_svg(arguments):
    lessons = json.loads(run("print", *arguments, "--format", "json"))["lessons"]
    maps = {f"{lesson['lesson']}.svg": lesson for lesson in lessons}
    for name, content in export(arguments, "svg").items():
        root = xml.etree.ElementTree.fromstring(content.decode("utf-8"))
        if name in maps:
            check_map(root, maps.pop(name))
            continue
        tags = {element.tag for element in root.iter()}
        require(tags <= {SVG + tag for tag in ("svg", "title", "desc", "defs", "pattern", "rect", "text")}, f"{name}: {tags}")
        require(root.find(SVG + "title").text, f"{name}: no title")
        width, height = float(root.get("width")), float(root.get("height"))
        for element in root.iter(SVG + "rect"):
            if element.get("x"):
                require(float(element.get("x")) + float(element.get("width")) <= width, f"{name}: too narrow")
                require(float(element.get("y")) + float(element.get("height")) <= height, f"{name}: too low")
        for element in root.iter(SVG + "text"):
            require(0 <= float(element.get("y")) <= height, f"{name}: text outside")


    require(not maps, f"svg: no map of {list(maps)}")


def check_figure(root, tags=()):
    """Names, style and drawing, and nothing outside of the frame."""
    found = {element.tag for element in root.iter()}
    require(found <= {SVG + tag for tag in ("svg", "title", "desc", "style", "rect", "path", "text", *tags)}, f"svg: {found}")
    require(root.find(SVG + "title").text and root.find(SVG + "desc").text, "svg: no words")
    left, top, width, height = [float(number) for number in root.get("viewBox").split()]
    require((width, height) == (float(root.get("width")), float(root.get("height"))), "svg: its size")
    for element in root.iter():
        if element.get("x"):
            x, y = float(element.get("x")), float(element.get("y"))
            right, bottom = x + float(element.get("width", 0)), y + float(element.get("height", 0))
            require(left <= x and right <= left + width and top <= y and bottom <= top + height, f"svg: {element.attrib} outside")
        numbers = re.findall(r"[A-Za-z]|-?[\d.]+(?:e-?\d+)?", element.get("d", ""))
        require(all(re.match(r"[A-Zhvlqz]|-?\d", number) for number in numbers), f"svg: {element.get('d')}")


def check_map(root, lesson):
    check_figure(root)
    words = [element.text for element in root.iter(SVG + "text")]
    for step in lesson["steps"]:
        label = f"{step['group']}: {step['name']}" if step["group"] else step["name"]
        require(f"{step['number']} {label}" in words, f"map: no step {label}")


def check_pictures():
    """Every step that can be drawn, as each picture that it can be."""
    drawn = {"plane": 0, "strips": 0, "curve": 0}
    for lesson in json.loads(run("print", "all", "--format", "json"))["lessons"]:
        for step in lesson["steps"]:
            for picture in drawn:
                words = ["print", lesson["lesson"], "--step", str(step["number"]), "--picture", picture, "--format", "svg"]
                if lesson["lesson"] == "training":
                    words += ["--updates", "3"]  # each is a run
                done = subprocess.run([ONESTEP, *words], capture_output=True)
                if done.returncode == 2 and b" has no " + picture.encode() + b": " in done.stderr:
                    continue
                require(done.returncode == 0, f"{words}: {done.stderr}")
                drawn[picture] += 1
                root = xml.etree.ElementTree.fromstring(done.stdout.decode())
                check_figure(root, ["circle"])
                for row in rows_of_pages(step)[0]:
                    require(picture == "curve" or any(element.text == row for element in root.iter(SVG + "text")),
                            f"{words}: no label {row}")
    require(min(drawn.values()) >= 5, f"svg: drew only {drawn}")


# --- markdown ----------------------------------------------------------------------------------------------------


def check_markdown(arguments):
    text = run("print", *arguments, "--format", "markdown").decode("utf-8")
    require(text.endswith("\n") and not text.endswith("\n\n"), "markdown: its end")
    level, fence, columns = 0, False, None
    for line in text.split("\n"):
        if line.startswith("```"):
            fence = not fence
        elif fence:
            continue
        elif line.startswith("#"):
            marks = len(line) - len(line.lstrip("#"))
            require(marks <= level + 1, f"markdown: {line}")
            level = marks
        elif line.startswith("|"):
            count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            require(columns in (None, count), f"markdown: a row of {count}, not {columns}: {line}")
            columns = count
        bare = re.sub(r"`[^`]*`|\\.", "", line)
        require(not re.search(r"[<>]|\]\(|https?:", bare), f"markdown: markup in {line}")
        if not line.startswith("|"):
            columns = None
    require(not fence, "markdown: code left open")


# --- All ---------------------------------------------------------------------------------------------------------


def prepare():
    with open(os.path.join(FOLDER, "EVIL"), "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["token", "=d1", "<b>", "a,b"])
        for i, token in enumerate(EVIL_TOKENS):
            lines.writerow([token, i / 7, -i / 3, 1])
    with open(os.path.join(FOLDER, "LONG"), "w", encoding="utf-8") as file:
        file.write("token," + ",".join(f"d{i}" for i in range(20)) + "\n")
        for i in range(40):
            file.write(f"token{i}," + ",".join(str((i * 7 + j * 3) % 11 / 10) for j in range(20)) + "\n")


def tests():
    for arguments in RUNS:
        words = " ".join(arguments)
        yield f"npy of {words}", lambda a=arguments: compare(a, "npy", read_npy)
        yield f"csv of {words}", lambda a=arguments: compare(a, "csv", read_csv)
        yield f"html of {words}", lambda a=arguments: check_html(a)
        yield f"svg of {words}", lambda a=arguments: check_svg(a)
        yield f"markdown of {words}", lambda a=arguments: check_markdown(a)
    yield "pictures of every step", check_pictures
    yield "csv comes back", csv_comes_back
    yield "html says everything of every step", check_every_step
    yield "html shows tokens as they are", check_tokens
    yield "html in time", check_time
    yield "colours keep their contrast", check_contrast


ONESTEP = os.path.abspath(sys.argv[1])
TIDY = shutil.which("tidy")
with tempfile.TemporaryDirectory() as FOLDER:
    prepare()
    failed = tap.run(tests())
    if numpy is None:
        print("# without NumPy")
sys.exit(failed)
