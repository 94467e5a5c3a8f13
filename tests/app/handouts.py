"""Handouts in parts and as worksheets, matrices of LaTeX, questions for Moodle: do they say what the lesson says?

usage: handouts.py ONESTEP

With pandoc installed, pandoc reads the Markdown: every table and every piece of code must come through. Speaks TAP.
"""
import html
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tap


def run(*arguments):
    return subprocess.run([ONESTEP, "print", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def printed(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.decode()


def lesson_of(*arguments):
    return json.loads(printed(*arguments, "--format=json"))["lessons"][0]


# --- Questions for Moodle ------------------------------------------------------------------------------------------


def plain(text):
    return re.sub(r"\\(.)", r"\1", text)


def shown(text):
    """What a browser shows of a text of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", plain(text).replace("<br>", "\n").replace("[html]", "")))


def data_in(words):
    """The tensors that stand above a question, by their names."""
    return {name: [float(number) for number in re.findall(r"-?(?:\d[\d.]*(?:e[-+]\d+)?|inf)|nan", numbers)]
            for name, numbers in re.findall(r"^(\w[\w: ]*) = tensor\((.*?)(?:, dtype=torch.\w+)?\)$", words.replace("True", "1").replace("False", "0"),
                                            re.M | re.S)}


def flat(values):
    return [number for part in values for number in flat(part)] if isinstance(values, list) else [float(values)]


def questions_in(text):
    """By Moodle's description of GIFT: what a backslash is before has no meaning of its own."""
    for title, words, answers in re.findall(r"^::((?:\\.|[^:\\])*)::((?:\\.|[^{\\])*)\{((?:\\.|[^}\\])*)\}$", text, re.M):
        found = re.findall(r"(?<!\\)([=~])((?:\\.|[^#\\])*)#((?:\\.|[^=~\\])*)", answers)
        yield plain(title), shown(words), [(sign, shown(number), shown(why).strip()) for sign, number, why in found]


def place_in(lesson, words):
    """The index of the element that a question asks for."""
    step = lesson["steps"][0]
    place = re.search(r"\? \(", words) and words[:words.index("? (")].rpartition(" at ")[2].split(", ")
    labels = [step["rows"], step["columns"]]
    index = []
    for i, part in enumerate(place):
        name = part.partition(" ")[2]
        own = labels[i - len(place) + 2] if i >= len(place) - 2 else None
        index.append(own.index(name) if own else int(name) - 1)
    return index


def element(values, index):
    for i in index:
        values = values[i]
    return float(values)


def gift_asks_for_numbers_of_the_step():
    listed = subprocess.run([ONESTEP, "list", "--what-ifs", "--format=json"], stdout=subprocess.PIPE, check=True).stdout
    what_ifs = json.loads(listed)["what_ifs"]
    for arguments in (["causal", "--step=causal_weights"], ["split_head", "--d-out=4", "--step=output"],
                      ["wrapper", "--dropout=0.2", "--step=context"], ["model", "--step=logits"]):
        (title, words, answers), = questions_in(printed(*arguments, "--format=gift"))
        index = place_in(lesson_of(*arguments), words)
        assert [sign for sign, _, _ in answers] == ["="] + ["~"] * (len(answers) - 1) and 3 <= len(answers) <= 6, answers
        right = element(lesson_of(*arguments)["steps"][0]["values"], index)
        assert abs(float(answers[0][1]) - right) <= 5e-5, (answers[0], right)
        numbers = [number for _, number, _ in answers]
        assert len(set(numbers)) == len(numbers), numbers
        for _, number, why in answers[1:]:
            named = [mistake["name"] for mistake in what_ifs if mistake["title"] in why]
            assert named, why
            for name in named:
                value = element(lesson_of(*arguments, "--what-if", name)["steps"][0]["values"], index)
                assert abs(float(number) - value) <= 5e-5, (number, name, value)


def gift_makes_a_question_a_seed():
    text = printed("causal", "--step=context", "--format=gift", "--seeds=5-9")
    found = list(questions_in(text))
    assert len(found) == 5 and len({title for title, _, _ in found}) == 5, found
    for seed, (title, words, answers) in zip(range(5, 10), found):
        assert f"seed {seed}" in title and f"seed {seed}" in words, title
        one, = questions_in(printed("causal", "--step=context", "--format=gift", f"--seed={seed}"))
        assert one[2] == answers, seed


SETTINGS = [[], ["--seed=5"], ["--seed=77", "--input=%s"]]  # of a lesson that has these parameters
TOKENS = "token,a,b,c,d\nwe,0.1,-0.9,0.4,1.5\ngo,-0.3,0.8,0.2,-1.1\nfar,1.2,0.5,-0.7,0.6\n"


def gift_holds_its_data_in_all_lessons():
    """Each step that is asked for: its data are the steps' numbers, and its answers differ where one reads them."""
    listed = json.loads(subprocess.run([ONESTEP, "list", "--format=json"], stdout=subprocess.PIPE, check=True).stdout)["lessons"]
    asked = 0
    with tempfile.TemporaryDirectory() as folder:
        tokens = os.path.join(folder, "tokens.csv")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(TOKENS)
        for lesson in listed:
            own = [name for name in lesson["parameters"] if name in ("seed", "input")]
            settings = [[option.replace("%s", tokens) for option in setting if option[2:].partition("=")[0] in own]
                        for setting in SETTINGS]
            for k, setting in enumerate(settings):
                if setting in settings[:k]:
                    continue
                whole = lesson_of(lesson["lesson"], *setting)
                values = {(step["group"] + ": " if step["group"] else "") + step["name"]: flat(step["values"]) for step in whole["steps"]}
                count = len(whole["steps"])
                for number in ((count // 2, count), (count - 3,), (count - 1,))[k]:
                    asked += asks_well([lesson["lesson"], f"--step={number}", *setting], values)
    assert asked >= 40, asked


def asks_well(arguments, values):
    done = run(*arguments, "--format=gift")
    if done.returncode != 0:
        said = done.stderr.decode()
        assert "no number leads to it" in said or "no mistake changes" in said or "too many for a question" in said, (arguments, said)
        return 0
    (_, words, answers), = questions_in(done.stdout.decode())
    data = data_in(words)
    assert data, (arguments, words)
    for name, numbers in data.items():
        if name == "inputs" and name not in values:  # which no step of this lesson shows
            continue
        assert len(numbers) == len(values[name]), (arguments, name, numbers)
        for number, value in zip(numbers, values[name]):
            near = abs(number - value) <= 5.1e-5 * max(1, abs(value))
            assert number == value or number != number and value != value or near, (arguments, name, number, value)
    read = [{"True": 1.0, "False": 0.0}.get(number) if number in ("True", "False") else float(number) for _, number, _ in answers]
    assert len(set(read)) == len(read) >= 2 and not any(number != number for number in read), (arguments, read)
    return 1


def gift_can_be_answered_from_its_data():
    """Weights are the softmax of the numbers above them."""
    (_, words, answers), = questions_in(printed("causal", "--step=causal_weights", "--format=gift"))
    row, column = place_in(lesson_of("causal", "--step=causal_weights"), words)
    scaled = data_in(words)["scaled"]
    powers = [math.exp(number) for number in scaled[6 * row:6 * row + 6]]
    assert abs(powers[column] / sum(powers) - float(answers[0][1])) <= 1e-4, answers


# --- Markdown ------------------------------------------------------------------------------------------------------


def markdown_comes_through():
    text = printed("all", "--format=markdown")
    fences = re.findall(r"^```(.*)$", text, re.M)
    assert set(fences) == {"c", "python", ""} and fences.count("") * 2 == len(fences), set(fences)
    if PANDOC is None:
        return
    page = subprocess.run([PANDOC, "-f", "markdown", "-t", "html"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    page = page.stdout.decode()
    assert page.count("<table") == len(re.findall(r"^\| -", text, re.M)), page.count("<table")
    assert len(re.findall(r'<pre\s+class="sourceCode (?:c|python)"|<div class="sourceCode"', page)) >= fences.count(""), "code"
    for cell in re.findall(r"^\| [^\n]*\d\.\d{4} \|$", text, re.M)[::50]:
        assert cell.split("|")[-2].strip() in page, cell


def parts_are_parts():
    whole = [step["name"] for step in lesson_of("causal")["steps"]]
    for arguments, wanted in ((["--steps=3-7"], whole[2:7]), (["--step=scores", "--step=3", "--step=context"],
                                                             ["W_value", "scores", "context"])):
        assert [step["name"] for step in lesson_of("causal", *arguments)["steps"]] == wanted, wanted
        for form, pattern in (("markdown", r"^`(\w+)`, float32"), ("torch", r"^\d+\. (\w+)"), ("py", r"^# \d+\. (\w+)")):
            found = re.findall(pattern, printed("causal", *arguments, f"--format={form}"), re.M)
            assert found == wanted, (form, found)
        assert "Cheat sheet" not in printed("causal", *arguments, "--format=markdown")


def code_is_what_was_asked_for():
    for form, c, pytorch in (("markdown", "```c", "```python"), ("html", "<figcaption>lessons/", "queries @ keys.T")):
        for code, has_c, has_pytorch in (("c", 1, 0), ("pytorch", 0, 1), ("both", 1, 1), ("none", 0, 0)):
            text = printed("causal", "--steps=7-8", f"--format={form}", f"--code={code}")
            assert ((c in text), (pytorch in text)) == (bool(has_c), bool(has_pytorch)), (form, code)


def worksheets_have_no_numbers():
    for form in "markdown", "html", "latex":
        arguments = ["causal", f"--format={form}"] + (["--step=context"] if form == "latex" else ["--steps=9-19"])
        whole, blank = printed(*arguments), printed(*arguments, "--blank-values")
        if form == "html":
            whole, blank = (text[text.index("<body"):] for text in (whole, blank))
        numbers = [number for number in re.findall(r"-?\d\.\d{4}", whole)]
        assert len(numbers) >= 12 and not re.search(r"(?<!phantom\{-)\d\.\d{4}(?!\})", blank), form
        if form == "markdown":
            assert whole.count("\n") == blank.count("\n")


def worksheets_have_room():
    """Each cell that is to be filled in is one to write "-0.0872" in, by hand: of 15 mm or more, or of twelve spaces that stay."""
    text = printed("causal", "--format=html", "--steps=7-8", "--blank-values")
    assert text.count('<td class="blank"></td>') == 72, text.count("blank")
    width, = re.findall(r"^\.blank \{ min-width: (\d+)mm;", text, re.M)
    assert int(width) >= 15, width
    cells = re.findall(r"(?<=\|) (\u00a0+) (?=\|)", printed("causal", "--format=markdown", "--steps=7-8", "--blank-values"))
    assert len(cells) == 72 and set(cells) == {"\u00a0" * 12}, len(cells)


def code_keeps_its_lines():
    """What stands in several lines of PyTorch does so in the handout: each in an element that keeps lines."""
    style = printed("causal", "--format=html", "--step=1")
    assert re.search(r"^\.pytorch code \{[^}]*white-space: pre-wrap", style, re.M)
    data = json.loads(printed("all", "--format=json"))
    wanted = [step["pytorch"] for lesson in data["lessons"] for step in lesson["steps"]]
    found = re.findall(r'<div class="pytorch"><span>PyTorch</span><pre><code>(.*?)</code></pre></div>',
                       printed("all", "--format=html"), re.S)
    assert [html.unescape(code) for code in found] == wanted and sum("\n" in code for code in wanted) > 90, len(found)


def a_lesson_fits_ten_pages():
    """As chromium prints it, on paper of both sizes."""
    if CHROMIUM is None:
        return
    for size in "A4", "letter":
        text = printed("causal", "--format=html").replace("@page { margin", f"@page {{ size: {size}; margin")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "causal.html"), "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                            f"--user-data-dir={folder}", "--print-to-pdf=causal.pdf", "causal.html"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
            with open(os.path.join(folder, "causal.pdf"), "rb") as file:
                pages = len(re.findall(rb"/Type ?/Page\b", file.read()))
        assert 2 <= pages <= 10, (size, pages)


def a_mistake_stands_in_place_of_the_right_line():
    for form in "markdown", "html":
        text = printed("causal", "--steps=15-16", f"--format={form}", "--what-if=mask-zero", "--code=both")
        left = re.sub(r"^(<figure.*<code>)?- .*\n", "", text, flags=re.M)  # the lesson's line, which is marked
        assert "The mistake, in PyTorch:" in text and "torch.inf)" not in re.sub(r"where it should be -torch.inf", "", left), form
        assert "- masked_scores = scores.masked_fill(mask_bool, -torch.inf)\n+ masked_scores = scores.masked_fill(mask_bool, 0)\n" in text, form
        assert "keys.shape[-1]**0.5" in text, form


# --- LaTeX ---------------------------------------------------------------------------------------------------------


def latex_has_every_number():
    for arguments in (["causal", "--step=masked_scores"], ["split_head", "--step=scores"], ["model", "--step=loss"]):
        step, = lesson_of(*arguments)["steps"]
        text = printed(*arguments, "--format=latex")
        found = []
        for body in re.findall(r"\\begin\{bmatrix\}\n(.*?)\\end\{bmatrix\}", text, re.S):
            for row in body.replace("\\infty", "inf").split("\\\\"):
                found += [float(cell) for cell in row.split("&")]

        def flat(value):
            return [number for item in value for number in flat(item)] if isinstance(value, list) else [float(value)]
        wanted = flat(step["values"])
        assert len(found) == len(wanted), arguments
        assert all(a == b or abs(a - b) <= 5.1e-5 for a, b in zip(found, wanted)), arguments


def what_cannot_be_is_refused():
    for arguments in (["causal", "--steps=3", "--format=markdown"], ["causal", "--steps=7-3"], ["causal", "--steps=1-99"],
                      ["causal", "--steps=1-2", "--format=csv"], ["all", "--steps=1-2"], ["causal", "--code=c"],
                      ["causal", "--format=html", "--code=x"], ["causal", "--blank-values"], ["causal", "--format=gift"],
                      ["causal", "--step=mask_tril", "--step=1", "--format=svg"], ["causal", "--seeds=1-3", "--step=1"],
                      ["simplified", "--step=inputs", "--format=gift"]):
        done = run(*arguments)
        assert done.returncode == 2 and not done.stdout and done.stderr.startswith(b"onestep: "), (arguments, done)


TESTS = [gift_holds_its_data_in_all_lessons, gift_can_be_answered_from_its_data, gift_asks_for_numbers_of_the_step, gift_makes_a_question_a_seed, markdown_comes_through, parts_are_parts,
         code_is_what_was_asked_for, worksheets_have_no_numbers, worksheets_have_room, code_keeps_its_lines,
         a_lesson_fits_ten_pages, a_mistake_stands_in_place_of_the_right_line,
         latex_has_every_number, what_cannot_be_is_refused]

ONESTEP = os.path.abspath(sys.argv[1])
CHROMIUM = shutil.which("chromium")
PANDOC = shutil.which("pandoc")
sys.exit(tap.run(TESTS))
