#!/usr/bin/env python3
"""Is onestep.html what the onestep of a terminal is?

usage: page.py [--axe axe.min.js] [--quick] [--programs FOLDER] ONESTEP PAGE [TEST ...]

The test `programs` also pastes those of a folder. Asks Debian's chromium, headless (browser.py). Speaks TAP; --quick takes samples of what takes minutes.
"""
import argparse
import functools
import html.parser
import importlib.machinery
import json
import os
import pathlib
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

from browser import Browser

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "app")]
import digest  # noqa: E402 (of the folder above)
import run as runs  # noqa: E402 (of app)

MOST_BYTES = 1_000_000
MOST_SHOWN = 200_000  # characters of what a program prints, in the page
MOST_MILLISECONDS = {"open": 300, "median": 8, "99 %": 16, "block": 100}
SLACK = 4  # a busy machine is no reason to fail


class Failed(Exception):
    pass


def expect(truth, *said):
    if not truth:
        raise Failed(" ".join(str(part) for part in said)[:600])


class Tests:
    def __init__(self, options):
        self.onestep = os.path.abspath(options.onestep)
        self.url = pathlib.Path(options.page).resolve().as_uri()
        self.path = options.page
        self.axe = options.axe
        self.quick = options.quick
        self.programs_folder = options.programs
        self.lessons = json.loads(self.run("list", "--format", "json"))["lessons"]

    @functools.cached_property
    def what_ifs(self):  # it runs every lesson with every mistake
        return json.loads(self.run("list", "--what-ifs", "--format", "json"))["what_ifs"]

    def run(self, *arguments, check=True):
        return subprocess.run([self.onestep, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=TESTS / "data",
                              check=check, text=True).stdout

    def open(self, link="", **options):
        return self.terminal(**options).open(self.url + link)

    def terminal(self, **options):
        """A page that opens as the program in a terminal; tests/web/face.py is about the other face."""
        page = self.browser.page(**options)
        page.before("try { localStorage.setItem('onestep.view', 'terminal'); } catch { }")
        return page

    @staticmethod
    def after(page, expression):
        """The value of an expression when the page has done what it was asked for."""
        return page.do(f"onestep.page.turn.then(() => ({expression}))")

    def steps(self):
        """(lesson, label of a step) of all."""
        for lesson in self.lessons:
            for step in lesson["steps"]:
                yield lesson["lesson"], f"{step['group']}: {step['name']}" if step["group"] else step["name"]

    def mistake(self, lesson):
        """A mistake that changes the lesson, for a command line."""
        for what_if in self.what_ifs:
            if any(change["lesson"] == lesson and change["options"] is None for change in what_if["changes"]):
                return ["--what-if", what_if["name"]]
        return []

    # ---- One file that asks for nothing -----------------------------------------------------------

    def size_and_silence(self):
        size = os.path.getsize(self.path)
        expect(size <= MOST_BYTES, f"{size} bytes")
        page = self.open()
        for keys in ("n", "L", "<Enter>", "v", "<Esc>", "?"):
            page.do(f"onestep.page.press({json.dumps(keys)})")
        page.do("onestep.page.showDocument()")
        asked = [event["params"]["request"]["url"] for event in page.said("Network.requestWillBeSent")]
        expect(asked[0] == self.url and all(url.startswith("blob:") for url in asked[1:]), asked)
        said = page.said("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        expect(not said, said)
        return f"{size} bytes"

    # ---- The numbers ------------------------------------------------------------------------------

    def numbers(self):
        """The digest of what the page computes, as tests/digest.py does it."""
        page = self.open()
        rows = [row for row in digest.read_list() if row[1] not in (digest.ALL, "verify") and not row[1].startswith("gpt2")]
        if self.quick:
            rows = rows[::4]
        files = {}
        for _, command in rows:
            for word in shlex.split(command):
                if word.endswith(".csv"):
                    files[word] = (TESTS / "data" / word).read_text(encoding="utf-8")
        page.do("globalThis.given = new Map(Object.entries(" + json.dumps(files) + ")"
                ".map(([name, text]) => [name, new TextEncoder().encode(text)]))")
        for expected, command in rows:
            found = page.do(DIGEST.replace("ARGV", json.dumps([*shlex.split(command), "--format", "npy", "-o", "out"])))
            expect(found == expected, command, found)
        answer = page.do('await onestep.command(onestep.page.module, ["verify"]).then(({status, text}) => [status, text])')
        expect(answer[0] == 0, answer)
        bits = next(expected for expected, command in digest.read_list() if command == "verify")
        expect(bits in answer[1], bits, answer)
        native = self.run("verify", check=False)
        expect(answer[1].split("\n")[:-3] == native.split("\n")[:-3], "verify says something else")
        return f"{len(rows)} digests, verify is well"

    def texts(self):
        """Every format, as the program of a terminal prints it."""
        page = self.open()
        count = 0
        for number, lesson in enumerate(self.lessons):
            for kind in ("torch", "plain", "json", "markdown", "html", "py", "ipynb", "csv", "svg", "latex", "gift"):
                if self.quick and (number + len(kind)) % 3:
                    continue
                step = ["--step", "2"] if kind in ("csv", "svg", "latex", "gift") else []
                argv = ["print", lesson["lesson"], "--format", kind, *step]
                here = page.do(f"await onestep.command(onestep.page.module, {json.dumps(argv)})"
                               ".then(({text, errors, status}) => [text, errors, status])")
                there = subprocess.run([self.onestep, *argv], capture_output=True, text=True, check=False)
                expect(here == [there.stdout, there.stderr, there.returncode], argv)
                count += 1
        return f"{count} prints"

    def programs(self):
        """What programs print and where they fail, as in a terminal; and an endless one ends when it is told to."""
        page = self.terminal()
        page.before(OBSERVE)
        page.open(self.url)
        files = [*(TESTS / "data" / "script").glob("*.py"), *(pathlib.Path(self.programs_folder).rglob("*.py") if self.programs_folder else [])]
        programs = [program for program, _ in [*runs.CASES.values(), *runs.WRONG.values()]]
        programs += [file.read_text(encoding="utf-8") for file in files]
        with tempfile.TemporaryDirectory() as folder:
            for program in programs:
                pathlib.Path(folder, "program.py").write_text(program, encoding="utf-8")
                there = subprocess.run([self.onestep, "run", "program.py"], capture_output=True, text=True, check=False, cwd=folder)
                here = page.do(RUN.replace("PROGRAM", json.dumps(program)))
                if len(there.stdout) > MOST_SHOWN:  # the page shows the first of them
                    here[1], there.stdout = here[1][:MOST_SHOWN], there.stdout[:MOST_SHOWN]
                read = same_digits if "CosineAnnealingLR" in program else str
                expect(here[0] == there.returncode and read(here[1]) == read(there.stdout + there.stderr), program[:200], here, there)
        for endless in ("while True:\n    pass\n", "import torch\nx = torch.ones(64, 64)\nwhile True:\n    x = x @ x\n"):
            page.do(f"void (globalThis.endless = onestep.page.runText({json.dumps(endless)}))")
            page.wait("/: [1-9][0-9]* s/.test(onestep.page.find('dialog').textContent)")
            page.do("onestep.page.find('dialog').querySelector('button').click()")
            page.do("await endless")
            page.do("onestep.page.find('dialog').replaceChildren()")
            expect(page.do("[onestep.page.find('dialog').open, onestep.page.answers.isBusy]") == [False, False], "the program goes on")
        longest = max(page.do("blocks"), default=0)
        expect(longest < SLACK * MOST_MILLISECONDS["block"], page.do("blocks"))
        dropped = page.do(DROP.replace("NAME", '"mine.py"').replace("BYTES", json.dumps(list(b"print(6 * 7)\nprint(x)\n"))))
        expect(dropped == [1, "42\nmine.py:2: NameError: name 'x' is not defined\n    print(x)\n"], dropped)
        page.do("onestep.page.find('run').click()")
        kept = page.do("onestep.page.find('dialog').querySelector('textarea').value")
        expect(kept == "print(6 * 7)\nprint(x)\n", kept)
        return f"{len(programs)} programs, {longest:.0f} ms is the longest task"

    # ---- The screens ------------------------------------------------------------------------------

    def screens(self):
        """Text and style of every cell, against `screen --format html`."""
        keys = ["", "jl", "ii", "iinn", "<Enter>", "s", "s<Down><Right>", "x", "x<Enter>", "L", "v", "P", "t", "m", "e", "p",
                "d", "/mask", "?f", "=", "<Enter><Enter>", "Pj", "vj", "n", "b", "c", "G", "xj "]
        sizes = ["40x12", "80x24", "200x60", "120x40", "57x19", "100x30", "160x45"]
        chance = random.Random(7)
        places = list(self.steps())
        page = self.open()
        count = 60 if self.quick else 500
        for number in range(count):
            lesson, step = places[number * 7919 % len(places)]
            size, pressed = sizes[number % len(sizes)], keys[chance.randrange(len(keys))]
            what_if = self.mistake(lesson) if number % 3 == 0 else []
            screen = [lesson, "--step", step, *what_if]
            self.is_same_screen(page, screen, pressed, size)
        return f"{count} screens"

    def is_same_screen(self, page, screen, pressed, size):
        link = self.run("screen", *screen, "--format", "link").strip()
        native = self.run("screen", *screen, "--keys", pressed, "--size", size, "--format", "html", "--color", "always")
        native = native[native.index('tabindex="0">') + 13:native.index("</pre>")].rstrip("\n")
        here = page.do(SCREEN % (json.dumps(link), json.dumps(pressed), *size.split("x")))
        here, native = (markup.rsplit("\n", 1)[0] for markup in (here, native)) # the keys' row has the page's own
        expect(cells_of(here) == cells_of(native), screen, size, pressed)

    def lines(self):
        """A line that is typed, fails, is mended and undone: the screens of a terminal. What is pasted goes into it."""
        page = self.open()
        wrong, mended = "y<Backspace><Backspace><Enter>", "y * 2<Enter>"
        keys = ["y", "y<Home>x", wrong, wrong + "y.T<Enter>", mended, mended + "nn", mended + "u", "y<Up>"]
        for pressed in keys:
            for lesson, size in (("causal", "80x24"), ("split_head", "120x40")):
                step = ["--step", "scores" if lesson == "causal" else "queries"]
                self.is_same_screen(page, [lesson, *step], pressed, size)
        page = self.open("#causal/scores")
        page.do("onestep.page.press('y + quer')")
        page.key("Tab", code=9)
        shown = self.after(page, "[onestep.page.screen.textContent, document.activeElement.id]")
        expect(">>> scores = queries @ keys.T + queries" in shown[0] and shown[1] == "walker", shown)
        page.do("onestep.page.press('<Esc>')")
        page.do("onestep.page.press('y<End>')")
        page.do(PASTE)
        shown = self.after(page, "onestep.page.screen.textContent")
        expect(" * torch.tensor(2)" in shown and page.do("!onestep.page.find('dialog').open"), shown[-400:])
        changed = self.after(page, "onestep.page.press('<Enter>').then(() => onestep.page.screen.textContent)")
        expect("* torch.tensor(2)" in changed, changed)
        return f"{2 * len(keys)} screens"

    # ---- Speed ------------------------------------------------------------------------------------

    def speed(self):
        opened = [self.open().do("onestep.openedAfter") for _ in range(5)]
        said = [f"open {statistics.median(opened):.0f} ms"]
        expect(statistics.median(opened) < SLACK * MOST_MILLISECONDS["open"], opened)
        largest = max(self.lessons, key=lambda lesson: len(lesson["steps"]))["lesson"]
        for lesson in dict.fromkeys(["causal", largest, self.lessons[-1]["lesson"]]):
            page = self.open(f"#{lesson}", width=1920, height=1080)
            times = page.do(TIMES.replace("KEYS", json.dumps(KEYS)))
            times.sort()
            median, most = statistics.median(times), times[int(len(times) * 0.99)]
            said.append(f"{lesson} {median:.1f} and {most:.1f} ms")
            expect(median < SLACK * MOST_MILLISECONDS["median"], lesson, median)
            expect(most < SLACK * MOST_MILLISECONDS["99 %"], lesson, most)
        return ", ".join(said)

    def blocks(self):
        """What computes for half a minute leaves the page free, and ends when it is told to."""
        page = self.terminal()
        page.before(OBSERVE)
        page.go(self.url + HEAVY)
        page.wait("globalThis.onestep?.page?.find('busy').hidden === false")
        expect(HEAVY in page.do("onestep.page.find('spoken').textContent"), page.do("onestep.page.find('spoken').textContent"))
        page.key("n", "n")
        page.key("Escape", code=27)
        page.wait("document.documentElement.dataset.ready !== undefined")
        said = self.after(page, "[onestep.page.said.spoken, onestep.page.said.link, onestep.page.find('busy').hidden]")
        expect(said == [f"Stopped: this step opened instead of {HEAVY}.\n", "#training/ids", True], said)
        # A step that is stopped leaves everything as it was: the view, the cell, the mistake.
        page.do("onestep.page.open('#training/weights?cell=0,2,1').then(() => onestep.page.press('x<Down>'))")
        before = page.do("[onestep.page.screen.textContent, onestep.page.said.link]")
        for _ in range(2):
            page.do(f"void (location.hash = '{HEAVY}')")
            page.wait("!onestep.page.find('busy').hidden")
            page.do("onestep.page.find('stop').click()")
            said = self.after(page, "[onestep.page.said.spoken.split('\\n')[0], location.hash]")
            expect(said == ["Stopped: the screen has not changed.", before[1]], said)
            after = page.do("onestep.page.press('<Up><Down>').then(() => [onestep.page.screen.textContent, onestep.page.said.link])")
            expect(after == before, after, before)
        page.do("void (globalThis.command = onestep.page.asked('Print', ['print', '" + HEAVY + "']))")
        page.wait("/ [1-9][0-9]* s/.test(onestep.page.find('dialog').textContent)")
        page.do("onestep.page.find('dialog').querySelector('button').click()")
        expect(page.do("await command") == {}, "the command goes on")
        longest = max(page.do("blocks"), default=0)
        expect(longest < SLACK * MOST_MILLISECONDS["block"], page.do("blocks"))
        return f"{longest:.0f} ms is the longest task"

    def without_workers(self):
        """A browser without workers, or that lets none begin, shows the same; so does a frame that may only run scripts."""
        for script in ("delete globalThis.Worker", DEAF):
            page = self.terminal()
            page.before(script)
            page.open(self.url + "#causal/scores")
            page.do("onestep.page.press('n')")
            expect(page.do("onestep.page.said.step") == "weights", script, page.do("onestep.page.said.link"))
            page.do("await onestep.page.showDocument()")
            expect(page.do("!onestep.page.walk.worker && onestep.page.find('document').shadowRoot !== null"), script)
        with tempfile.TemporaryDirectory() as folder:
            around = pathlib.Path(folder) / "around.html"
            around.write_text(f"<iframe sandbox=allow-scripts width=900 height=500 src='{self.url}#causal/scores'></iframe>", encoding="utf-8")
            page = self.terminal()
            page.go(around.as_uri())
            frame = page.frame(self.url)
            frame.wait("document.documentElement?.dataset.ready !== undefined")
            expect(frame.do("onestep.page.press('n').then(() => onestep.page.said.step)") == "weights", "in a frame")
            expect(frame.do("Boolean(onestep.page.walk.worker)"), "no worker in a frame")
        return "the same"

    def policy(self):
        """The page's policy allows what the page does, and nothing that is put into it."""
        page = self.terminal()
        page.before(OBSERVE)
        page.open(self.url)
        for lesson in [lesson["lesson"] for lesson in self.lessons]:
            page.do(f"onestep.page.open('#{lesson}/2')")
            for keys in ("x", "<Esc>", "v", "<Esc>", "m", "<Esc>", "P", "<Esc>", "?"):
                page.do(f"onestep.page.press({json.dumps(keys)})")
            page.do("await onestep.page.showDocument()")
        page.do("onestep.page.askToSave(), onestep.page.askToCheck(), onestep.page.askForProgram(), onestep.page.close()")
        expect(page.do("violations") == [], page.do("violations"))
        for markup, directive in (("<script>globalThis.broken = 1</script>", "script-src-elem"),
                                  ("<img src=https://example.org/x>", "img-src"),
                                  ("<img src='data:,' onerror='globalThis.broken = 1'>", "script-src-attr"),
                                  ("<a href='javascript:globalThis.broken = 1'>", "script-src-elem"),
                                  ("<script src='data:text/javascript,globalThis.broken = 1'></script>", "script-src-elem"),
                                  ("<style>body { display: none }</style>", "style-src-elem"),
                                  ("<iframe src='data:text/html,<script>1</script>'>", "frame-src")):
            page.do("violations.length = 0")
            page.do(f"document.body.append(document.createRange().createContextualFragment({json.dumps(markup)}))")
            page.do("document.body.lastElementChild.click()")
            page.wait("violations.length > 0", 5)
            expect(directive in page.do("violations") and page.do("globalThis.broken") is None, markup, page.do("violations"))
        page.do("violations.length = 0")
        expect(page.do("await fetch('data:,x').then(() => 'came', () => 'refused')") == "refused", "fetch")
        expect(page.do("violations") == ["connect-src"], page.do("violations"))
        return "nothing else runs"

    # ---- Anything at all --------------------------------------------------------------------------

    def anything(self):
        """Random keys, sizes, drops and links: no exception, and no memory that only grows."""
        page = self.open()
        count = 1000 if self.quick else 10000
        most = page.do("await (async () => { for (const lesson of " + json.dumps([lesson["lesson"] for lesson in self.lessons]) +
                       ") for (const keys of ['x', 'v', 'P', 's'])"
                       "{ onestep.page.open('#' + lesson); await onestep.page.press(keys); }"
                       "return (await onestep.page.walk.ask('memory')).byteLength; })()")
        after = 0
        for seed in range(count // 500):
            after = page.do(ANYTHING.replace("SEED", str(seed)))
        said = page.said("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        expect(not said, said[:2])
        expect(after <= 4 * most, f"memory {most} -> {after}")
        return f"{count} of them; memory {most >> 10} KiB, then {after >> 10} KiB"

    # ---- For everybody ----------------------------------------------------------------------------

    def listeners(self):
        page = self.open("#causal/causal_weights?cell=0,0")
        spoken = "document.getElementById('spoken').textContent"
        first = page.do(spoken)
        expect("Causal attention, step 17 of" in first and "Causal weights in one softmax" in first, first)
        page.key("ArrowDown", code=40)
        expect(self.after(page, spoken).strip() == "causal_weights[journey, Your] = 0.5517", page.do(spoken))
        page.key("n", "n")
        expect("step 18" in self.after(page, spoken), page.do(spoken))
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        roles = {}
        for node in tree:
            roles.setdefault(node["role"].get("value"), []).append(node.get("name", {}).get("value", ""))
        expect("application" in roles and "status" in roles and "heading" in roles, sorted(map(str, roles)))
        page.do("await onestep.page.showDocument()")
        inside = page.do("onestep.page.find('document').shadowRoot.querySelectorAll('article h2, article h3').length")
        expect(inside >= 1, "no heading in the document")
        # Tab is the browser's: it leaves the walker, and comes to the lessons.
        page.do("onestep.page.walker.focus()")
        seen = []
        for _ in range(30):
            page.key("Tab", code=9)
            seen.append(page.do("document.activeElement.id || document.activeElement.textContent"))
            if seen[-1] == "lessons":
                break
        expect(seen[-1] == "lessons", seen)
        return f"{len(tree)} nodes"

    def tour(self):
        """It is offered on the first visit, whose words and the tour's are spoken; and not on the second."""
        page = self.open()
        spoken = "onestep.page.find('spoken').textContent"
        expect("First time here? n: the next step. T: a tour" in page.do(spoken), page.do(spoken))
        expect("First time here?" in page.do("onestep.page.screen.lastChild.textContent"), "not on screen")
        page.key("T", "T")
        expect("Tour, stage 1 of" in self.after(page, spoken) and "Press n." in page.do(spoken), page.do(spoken))
        page.key("n", "n")
        expect("Tour, stage 2 of" in self.after(page, spoken) and "Press n." in page.do(spoken), page.do(spoken))
        declined = page.do("onestep.page.press('L').then(() => onestep.page.screen.lastChild.textContent)")
        expect("Press n now: the tour waits for it." in declined, declined)
        page.open(self.url + "#causal")
        expect("First time" not in page.do(spoken + " + onestep.page.screen.textContent"), page.do(spoken))
        return "offered once"

    def drawings(self):
        """What is drawn is spoken as words; what is hidden is not."""
        page = self.open()
        spoken = "onestep.page.find('spoken').textContent"
        for link, keys, wanted in (("#causal/scores", "v", "scores (6, 6): computed from"), ("#causal/scores", "v<Up>", "queries (6, 2): computed from inputs"),
                                   ("#causal/causal_weights", "P", "Strips: causal_weights\n"),
                                   ("#training/losses", "P", "Curve: losses"), ("#causal/queries", "P", "Plane: queries"),
                                   ("#causal/scores?cell=0,0", "e", "scores[Your, Your] is hidden"),
                                   ("#causal/scores", "en", "Which sizes will")):
            page.do(f"onestep.page.open('{link}')")
            said = page.do(f"onestep.page.press('{keys}').then(() => {spoken})")
            expect(wanted in said, link, keys, said)
            expect(not any(0x2500 <= ord(c) < 0x2600 or 0x2800 <= ord(c) < 0x2900 for c in said), link, keys, said)
        page.do("onestep.page.open('#causal/scores')")
        number = page.do("onestep.page.said.spoken").split(" = ")[1].strip()
        said = page.do(f"onestep.page.press('e').then(() => {spoken})")
        expect(number not in said, number, said)
        return "in words"

    def axe_findings(self):
        if not self.axe:
            return "skipped: no --axe"
        with open(self.axe, encoding="utf-8") as file:
            axe = file.read()
        count = 0
        for features in ({"prefers_color_scheme": "light"}, {"prefers_color_scheme": "dark"}):
            for link, keys in (("#causal/causal_weights", ""), ("#wrapper/3?what-if=no-scale", "x"), ("#simplified", "L"), ("#model", "v")):
                page = self.open(link)
                page.prefer(**features)
                page.do(f"onestep.page.press({json.dumps(keys)})")
                page.do("await onestep.page.showDocument()")
                for dialog in ("0", "onestep.page.askToSave()", "onestep.page.askToCheck()", "onestep.page.askForProgram()"):
                    page.do(dialog)
                    page.call("Runtime.evaluate", expression=axe)
                    found = page.do("(await axe.run()).violations.map(v => [v.id, v.nodes.slice(0, 2).map(n => n.html.slice(0, 120))])")
                    expect(not found, link, keys, dialog, found)
                    count += 1
        return f"{count} states"

    # ---- Links ------------------------------------------------------------------------------------

    def links(self):
        page = self.open()
        count = 0
        for lesson, step in self.steps():
            for what_if in [[], self.mistake(lesson)] if not self.quick or count % 5 == 0 else [[]]:
                link = self.run("screen", lesson, "--step", step, *what_if, "--keys", "l", "--format", "link").strip()
                said = page.do(f"onestep.page.open({json.dumps(link)}).then(() =>"
                               "[onestep.page.said.link, onestep.page.said.lesson, onestep.page.said.step])")
                expect(said == [link, lesson, step], link, said)
                count += 1
        page = self.open("#causal/causal_weights")
        for step in ("difference", "context"):  # a question on the way would be no new place
            page.do("onestep.page.press('n').then(() => new Promise(resolve => setTimeout(resolve, 500)))")
            expect(page.do("onestep.page.said.step") == step, step, page.do("onestep.page.said.link"))
        after = page.do("location.hash")
        expect(after == page.do("onestep.page.said.link"), after)
        for by, wanted in ((-2, "#causal/causal_weights"), (2, after)):
            page.do(f"new Promise(resolve => {{ addEventListener('popstate', resolve, {{once: true}}); history.go({by}); }})")
            expect(self.after(page, "onestep.page.said.link") == wanted, by, page.do("onestep.page.said.link"))
        # what it says, and what is in the link that is opened instead
        page.do("onestep.page.open('#causal/scores')")
        first = f"#{self.lessons[0]['lesson']}/{self.lessons[0]['steps'][0]['name']}"
        for bad, reason, opened in (("#causal/nosuch?seed=5", "no step 'nosuch'", "#causal/W_query?seed=5"),
                                    ("#nosuch", "no lesson 'nosuch'. This step opened", first), ("#causal/scores?seed=x&bias", "'x'", "#causal/scores?bias"),
                                    ("#causal/scores?output=x", "a link has no 'output'", "#causal/scores"),
                                    ("#causal/scores?cell=99,0", "its shape is (6, 6)", "#causal/scores"),
                                    ("#%3Cimg%20src=x%20onerror=alert(1)%3E", "no lesson", first), ("#%00%ff%", "no lesson", first)):
            page.do(f"new Promise(resolve => {{ addEventListener('popstate', resolve, {{once: true}}); location.hash = {json.dumps(bad)}; }})")
            said = self.after(page, "([onestep.page.said.spoken, onestep.page.said.link, document.images.length])")
            expect(reason in said[0] and all(part in said[1] for part in opened.split()) and said[2] == 0, bad, said)
            expect("--" not in said[0] and "onestep" not in said[0], bad, said)
            count += 1
        return f"{count} links"

    def hints(self):
        """No key is advertised that the browser has for itself; and S saves the screen."""
        page = self.open("#causal/scores", width=1920, height=1080)
        for keys in ("", "<Esc>", "v", "<Esc>P", "<Esc>x", "<Esc>?"):
            page.do(f"onestep.page.press('{keys}')")
            shown = page.do("[...onestep.page.screen.querySelectorAll(':scope > div')].map(line => line.textContent).join('\\n')")
            for word in ("q quit", "Tab", "Ctrl-S", "Ctrl-C", "wheel"):
                expect(word not in shown, keys, word, shown[-200:])
        expect("L list" in page.do("onestep.page.press('<Esc>').then(() => onestep.page.screen.lastChild.textContent)"), "no lessons")
        labels = page.do("onestep.page.said.keys.map(key => key.label)")
        expect("list" in labels and "quit" not in labels, labels)
        with tempfile.TemporaryDirectory() as folder:
            self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            page.do("onestep.page.press('S').then(() => onestep.page.press('t'))")
            page.do("new Promise(resolve => setTimeout(resolve, 1000))")
            saved = {file.name: file.read_text(encoding="utf-8") for file in pathlib.Path(folder).iterdir()}
        expect(list(saved) == ["onestep-causal-scores.txt"] and "scores" in saved["onestep-causal-scores.txt"], saved)
        expect("Saved as onestep-causal-scores.txt" in page.do("onestep.page.screen.textContent"), "not said")
        return "none; saved"

    # ---- Files ------------------------------------------------------------------------------------

    def drops(self):
        """Every file of the tests, dropped and checked: the words of the program of a terminal."""
        page = self.open("#causal/causal_weights")
        count = 0
        for file in sorted((TESTS / "data" / "check").iterdir()):
            for lesson, step in (("causal", "causal_weights"), ("split_head", "output")):
                argv = ["check", lesson, "--step", step, file.name]
                native = subprocess.run([self.onestep, *argv], capture_output=True, check=False, cwd=file.parent)
                data = list(file.read_bytes())
                page.do(f"onestep.page.open('#{lesson}/{step}')")
                here = page.do(DROP.replace("NAME", json.dumps(file.name)).replace("BYTES", json.dumps(data)))
                there = [native.returncode, native.stdout.decode() + native.stderr.decode()]
                expect(here == there, file.name, lesson, here, there)
                count += 1
        hostile = "<img src=x onerror=alert(1)>\n<script>alert(1)</script>"
        here = page.do(DROP.replace("NAME", '"<b>.txt"').replace("BYTES", json.dumps(list(hostile.encode()))))
        expect(here[0] == 2 and page.do("document.images.length + document.querySelectorAll('dialog b').length") == 0, here)
        return f"{count} answers"

    def own_tokens(self):
        page = self.open("#simplified/inputs")
        text = "token,a,b\n<b>x</b>,1,2\ny,3,4\n"
        page.do(f"await onestep.page.take(new File([{json.dumps(text)}], 'mine.csv')), await onestep.page.walkWith('mine.csv')")
        shown = page.do("onestep.page.screen.textContent")
        expect("<b>x</b>" in shown and page.do("onestep.page.screen.querySelectorAll('b').length") == 0, shown[:300])
        page.do("await onestep.page.take(new File(['nonsense'], 'bad.csv')), await onestep.page.walkWith('bad.csv')")
        expect("bad.csv" in page.do("onestep.page.said.spoken"), page.do("onestep.page.said.spoken"))
        expect("<b>x</b>" in page.do("onestep.page.screen.textContent"), "the tokens are lost")
        page.do("onestep.page.find('share').click()")
        page.wait("onestep.page.find('dialog').open || onestep.page.said.spoken.includes('Copied')", 5)
        said = self.after(page, "onestep.page.find('dialog').textContent + onestep.page.said.spoken")
        expect("It does not contain your own tokens: they are in mine.csv." in said, said)
        page.call("Page.reload")
        page.do("new Promise(resolve => setTimeout(resolve, 300))")
        page.wait("document.documentElement?.dataset.ready !== undefined")
        shown = self.after(page, "onestep.page.screen.textContent")
        expect("<b>x</b>" in shown and "your own tokens, from mine.csv" in page.do("onestep.page.said.spoken"), shown[:300])
        there = page.do("await onestep.page.command(['print', onestep.page.said.link, ...onestep.page.ownTokens]).then(({text}) => text)")
        expect("[1., 2.]" in there, there)
        page.do("onestep.page.find('tokens').click()")
        page.do("[...onestep.page.find('dialog').querySelectorAll('button')].find(button => button.textContent.startsWith('Back')).click()")
        expect("journey" in self.after(page, "onestep.page.screen.textContent"), "not the course's")
        page.open(self.url + "#simplified/inputs")
        expect("journey" in page.do("onestep.page.screen.textContent"), "not the course's")
        return "shown, kept, left, and bad ones answered"

    def hands(self):
        """Mouse, swipe, a keyboard that comes up, and what is saved."""
        page = self.open("#simplified/inputs", width=1366, height=768)
        x, y = page.do(PLACE)
        for kind in ("mousePressed", "mouseReleased"):
            page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        expect(self.after(page, "onestep.page.said.link") == "#simplified/inputs?cell=2,1", page.do("onestep.page.said.link"))
        with tempfile.TemporaryDirectory() as folder:
            self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            page.do("await onestep.page.save('npy', '#simplified/inputs')")
            page.do("new Promise(resolve => setTimeout(resolve, 1000))")
            saved = [file.read_bytes() for file in pathlib.Path(folder).iterdir()]
        native = subprocess.run([self.onestep, "print", "simplified", "--step", "inputs", "--format", "npy"], capture_output=True,
                                check=True).stdout
        expect(saved == [native], len(saved))
        phone = self.open("#simplified/inputs", width=360, height=640, scale=2, touch=True)
        phone.swipe([(300, 300), (100, 300)])
        phone.do("new Promise(resolve => setTimeout(resolve, 300))")
        expect(phone.do("onestep.page.said.step") == "query", phone.do("onestep.page.said.link"))
        phone.do("onestep.page.press('/').then(() => new Promise(resolve => setTimeout(resolve, 300)))")
        phone.call("Input.insertText", text="<mask>")
        expect("Search: <mask>" in self.after(phone, "onestep.page.screen.textContent"), phone.do("onestep.page.screen.textContent")[:99])
        return "click, file, swipe, typing"

    def scrolling(self):
        """The wheel and a finger that goes up scroll the page, and do nothing else."""
        page = self.open("#simplified/inputs?cell=2,1")
        page.do("await onestep.page.showDocument()")
        x, y = page.do(PLACE)
        page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=300)
        page.wait("scrollY > 100", 5)
        expect(self.after(page, "onestep.page.said.link") == "#simplified/inputs?cell=2,1", page.do("onestep.page.said.link"))
        phone = self.open("#simplified/inputs?cell=2,1", width=360, height=640, scale=2, touch=True)
        phone.do("await onestep.page.showDocument()")
        phone.swipe([(150, y) for y in range(450, 200, -25)])
        phone.wait("scrollY > 100", 5)
        expect(self.after(phone, "onestep.page.said.link") == "#simplified/inputs?cell=2,1", phone.do("onestep.page.said.link"))
        return "by wheel and by finger"

    def in_a_frame(self):
        """Steps in a frame are no entries in the history of the page around it; steps in a window are."""
        with tempfile.TemporaryDirectory() as folder:
            around = pathlib.Path(folder) / "around.html"
            around.write_text(f"<iframe sandbox=allow-scripts width=900 height=500 src='{self.url}#causal/scores'></iframe>", encoding="utf-8")
            page = self.terminal()
            page.go(around.as_uri())
            frame = page.frame(self.url)
            frame.wait("document.documentElement?.dataset.ready !== undefined")
            before = page.do("history.length")
            for _ in range(3):
                frame.do("onestep.page.press('n').then(() => new Promise(resolve => setTimeout(resolve, 400)))")
            expect(frame.do("location.hash") == frame.do("onestep.page.said.link") != "#causal/scores", frame.do("location.hash"))
            expect(page.do("history.length") == before, before, page.do("history.length"))
        page = self.open("#causal/scores")
        before = page.do("history.length")
        page.do("onestep.page.press('n').then(() => new Promise(resolve => setTimeout(resolve, 400)))")
        expect(page.do("history.length") == before + 1, before, page.do("history.length"))
        return "no entries"

    def in_a_cell(self):
        """show() draws the page in a cell of a notebook: without a server, at its step, whatever the charset around."""
        module = pathlib.Path(self.onestep).parent / "python" / "onestep.py"
        onestep = importlib.machinery.SourceFileLoader("onestep_module", str(module)).load_module()
        os.environ["ONESTEP"] = self.onestep
        onestep.page = lambda: self.path
        with tempfile.TemporaryDirectory() as folder:
            around = pathlib.Path(folder) / "around.html"
            around.write_bytes(b'<meta charset="latin1">' + onestep.show("causal/scores", seed=5)._repr_html_().encode())
            page = self.terminal()
            page.go(around.as_uri())
            frame = "document.querySelector('iframe').contentWindow"
            page.wait("document.querySelector('iframe')?.contentDocument?.documentElement?.dataset.ready !== undefined")
            expect(page.do(f"{frame}.onestep.page.said.link") == "#causal/scores?seed=5", page.do(f"{frame}.onestep.page.said.link"))
            expect("√" in page.do(f"{frame}.onestep.page.press('n').then(() => {frame}.document.body.innerText)"), "no root")
        return "at its step"

    def about(self):
        """What others read of the page; and after a dialog the keys go to the walker again."""
        page = self.open()
        for selector, attribute in (("meta[name=description]", "content"), ("meta[name=author]", "content"),
                                    ("link[rel=icon]", "href"), ("link[rel=license]", "href")):
            expect(len(page.do(f"document.querySelector('{selector}').getAttribute('{attribute}')")) > 5, selector)
        licence = (TESTS.parent / "LICENSE").read_text(encoding="utf-8").strip()
        for button in ("about", "save", "check", "run", "tokens"):
            page.do(f"onestep.page.find('{button}').focus(), onestep.page.find('{button}').click()")
            expect(page.do("onestep.page.find('dialog').open"), button)
            if button == "about":
                expect(licence in page.do("onestep.page.find('dialog').textContent"), "no licence")
            page.key("Escape", code=27)
            page.wait("!onestep.page.find('dialog').open", 5)
            page.wait("document.activeElement.id === 'walker'", 5)
        return "told; the walker has the focus"

    def places(self):
        page = self.open("#causal/scores")
        page.do("onestep.page.press('n')")
        step = page.do("onestep.page.said.step")
        page.open(self.url)
        expect(page.do("onestep.page.said.step") == step, page.do("onestep.page.said.link"))
        page.open(self.url + "?lesson=dropout#causal/scores")
        expect("left out" in page.do("onestep.page.said.spoken") and page.do("onestep.page.said.lesson") == "dropout",
               page.do("onestep.page.said.spoken"))
        page.open(self.url + "?lesson=dropout,causal#causal/scores")  # with the numbers that they have among all
        shown = page.do("[onestep.page.screen.textContent, await onestep.page.press('L').then(() => onestep.page.screen.textContent)]")
        expect("3 Causal attention" in shown[0] and all(title in shown[1] for title in (" 4  Dropout", " 3  Causal attention")), shown)
        page.open(self.url + "?lesson=nonsense,causal#causal/scores")
        expect("a lesson 'nonsense', which does not exist" in page.do("onestep.page.said.spoken"), page.do("onestep.page.said.spoken"))
        expect(page.do("onestep.page.said.link") == "#causal/scores", page.do("onestep.page.said.link"))
        return "kept"


# What blocks the page, in milliseconds, and what its policy forbids.
OBSERVE = """
globalThis.blocks = [];
globalThis.violations = [];
new PerformanceObserver(list => blocks.push(...list.getEntries().map(task => task.duration))).observe({type: "longtask", buffered: true});
addEventListener("securitypolicyviolation", event => violations.push(event.effectiveDirective));
"""

# Half a minute of work.
HEAVY = "#training?updates=1000&d-model=64"

# A worker that never begins.
DEAF = """
globalThis.Worker = class {
    constructor() { setTimeout(() => this.onerror(new Event("error"))); }
    postMessage() {}
    terminate() {}
};
"""

# Runs a command and gives the digest of the files that it writes.
DIGEST = """await (async () => {
    const {files} = await onestep.command(onestep.page.module, ARGV, given);
    const names = [...files.keys()].filter(name => name.startsWith("out/")).sort();
    const parts = names.flatMap(name => [new TextEncoder().encode(name.slice(4) + "\\n"), files.get(name)]);
    const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
    return [...new Uint8Array(hash)].map(byte => byte.toString(16).padStart(2, "0")).join("");
})()"""

# A screen of a walk that begins anew and asks no questions on its way, as `screen` does not.
SCREEN = """await (async () => {
    const page = onestep.page;
    const link = %s, keys = %s;
    page.size = {columns: %s, rows: %s};
    page.measure = () => {};
    page.files.clear();
    page.files.set(PLACE, new TextEncoder().encode("why\\tlast\\tno questions\\n"));
    page.kept = nothing();
    await page.begin();
    await page.open(link);
    if (keys) await page.press(keys);
    const screen = page.screen.cloneNode(true);
    screen.querySelector("#cursor").remove();
    for (const box of screen.querySelectorAll(".fit")) box.replaceWith(box.textContent);
    return [...screen.children].map(line => line.innerHTML).join("\\n");
})()"""

# Milliseconds from a key to the frame, layout included.
TIMES = """await (async () => {
    const times = [], keys = KEYS;
    for (let i = 0; i < 300; i++) {
        const began = performance.now();
        await onestep.page.press(keys[i % keys.length]);
        document.body.offsetHeight;
        times.push(performance.now() - began);
        if (i % 20 === 0) await new Promise(resolve => setTimeout(resolve));
    }
    return times;
})()"""

KEYS = ["n", "<Down>", "<Right>", "n", "<Enter>", "<Esc>", "b", "i", "n", "o", "n", "<Right>", "n"]

ANYTHING = """await (async () => {
    let state = SEED * 2654435761 + 1;
    const chance = most => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor(state / 4294967296 * most));
    const keys = ["<Up>", "<Down>", "<Left>", "<Right>", "<Enter>", "<Esc>", "<Tab>", "<Backspace>", "<PgDn>", "<Home>"];
    const letters = "nbiowesxucmdptvPL/gG][0$.,;r=?fq<5\\u65e5-";
    const links = ["#", "#causal/scores?seed=7", "#nosuch", "#wrapper?d-out=64&heads=4", "#model", "#gradients?batch=4", "#%ff",
        "#split_head/5?what-if=no-scale&what-if=mask-zero", "#dropout?dropout=1"];
    const page = onestep.page;
    for (let i = 0; i < 500; i++) {
        const what = chance(100);
        if (what < 60) await page.press(letters[chance(letters.length)]);
        else if (what < 88) await page.press(keys[chance(keys.length)]);
        else if (what < 92) await page.point(chance(60), chance(200));
        else if (what < 95) page.size = {columns: 40 + chance(161), rows: 12 + chance(49)}, await page.act(["stay"]);
        else if (what < 98) await page.open(links[chance(links.length)]);
        else {
            await page.take(new File([chance(2) ? "1 2\\n3 4" : "token,a\\nx,1\\ny,2"], "f" + chance(3)));
            if (chance(2)) await page.check("f" + chance(3)); else await page.walkWith("f" + chance(3));
            page.close();
        }
        if (i % 50 === 0) await new Promise(resolve => setTimeout(resolve));
    }
    page.tokens = "";
    page.files.clear();
    return (await page.walk.ask("memory")).byteLength;
})()"""

# Where the second number of the row "starts" stands in the window.
PLACE = """(() => {
    const page = onestep.page, box = page.screen.getBoundingClientRect();
    const lines = [...page.screen.querySelectorAll(":scope > div")].map(line => line.textContent);
    const row = lines.findIndex(line => line.trim().startsWith("starts"));
    return [box.left + (lines[row].indexOf("0.8500") + 1) * page.letter.width, box.top + (row + 0.5) * page.letter.height];
})()"""

PASTE = """(() => {
    const data = new DataTransfer();
    data.setData("text", " * torch.tensor(2)\\n");
    document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
})()"""

# A program that is written into the page, and what is shown of its run.
RUN = """await (async () => {
    const page = onestep.page;
    page.answer = null;
    page.find("run").click();
    page.find("dialog").querySelector("textarea").value = PROGRAM;
    [...page.find("dialog").querySelectorAll(".buttons button")].find(button => button.textContent === "Only run it").click();
    while (!page.answer) await new Promise(resolve => setTimeout(resolve, 1));
    return [page.answer.status, page.find("dialog").querySelector("pre").textContent];
})()"""

# A file dropped on the page, and the button that checks it, or runs it if it is a program.
DROP = """await (async () => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(BYTES)], NAME));
    const page = onestep.page;
    page.answer = null;
    page.walker.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    while (!page.find("dialog").querySelector(".buttons")) await new Promise(resolve => setTimeout(resolve, 1));
    [...page.find("dialog").querySelectorAll(".buttons button")].find(button => button.textContent.startsWith(NAME.endsWith(".py") ? "Run" : "Check")).click();
    while (!page.answer) await new Promise(resolve => setTimeout(resolve, 1));
    const shown = page.find("dialog").querySelector("pre").textContent, {status} = page.answer;
    page.close();
    page.find("dialog").replaceChildren();
    return [status, shown];
})()"""


def same_digits(text):
    """A float of 64 bits without its last digits: two C libraries may differ in those of a cosine."""
    return re.sub(r"\b0\.\d{16,}(?!\d|e)", lambda number: f"{float(number[0]):.15f}", text)


class Cells(html.parser.HTMLParser):
    """Characters with the class and the style of the span they stand in."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.cells = []
        self.style = ()

    def handle_starttag(self, tag, attrs):
        self.style = tuple(sorted(attrs))

    def handle_endtag(self, tag):
        self.style = ()

    def handle_data(self, data):
        self.cells += [(character, self.style) for character in data]


def cells_of(markup):
    parser = Cells()
    parser.feed(markup)
    parser.close()
    return parser.cells


ALL = ["size_and_silence", "numbers", "texts", "programs", "screens", "lines", "speed", "blocks", "without_workers", "policy", "anything", "listeners",
       "tour", "drawings", "axe_findings", "links", "hints", "drops", "own_tokens", "hands", "scrolling", "in_a_frame", "in_a_cell", "about", "places"]


def main(kind, names):
    """Runs tests of a class, those that were asked for or all of these."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--axe")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--programs", metavar="FOLDER")
    parser.add_argument("onestep")
    parser.add_argument("page")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    tests = kind(options)
    chosen = [getattr(tests, name) for name in options.tests or names]
    failed = 0
    print(f"1..{len(chosen)}")
    for number, test in enumerate(chosen, 1):
        try:
            with Browser() as tests.browser:
                print(f"ok {number} {test.__name__}: {test()}", flush=True)
        except (Failed, RuntimeError, EOFError) as error:
            failed += 1
            print(f"not ok {number} {test.__name__}: {error}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(Tests, ALL))
