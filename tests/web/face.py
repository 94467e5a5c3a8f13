#!/usr/bin/env python3
"""Does the page's own face show what the onestep of a terminal shows?

usage: face.py [--axe axe.min.js] [--quick] ONESTEP PAGE [TEST ...]

Asks Debian's chromium, headless (browser.py). Speaks TAP; --quick takes samples of what takes minutes.
"""
import itertools
import json
import re
import statistics
import sys

import page as pages
from page import Failed, expect  # noqa: F401 (Failed is what main catches)

SIZES = {"desktop": {"width": 1366, "height": 768}, "frame": {"width": 820, "height": 520},
         "phone": {"width": 390, "height": 844, "scale": 2, "touch": True}}
MOST_MILLISECONDS = {"step": 16, "look": 16}


def words(text):
    return " ".join(text.replace("`", "").split())  # which the page shows as code


class Tests(pages.Tests):
    def face(self, link="", **options):
        page = self.browser.page(**(options or SIZES["desktop"]))
        return page.open(self.url + link)

    def screen(self, link, keys=""):
        """What a terminal with room for all would show."""
        return self.run("screen", link, "--keys", keys, "--size", "240x110")

    # ---- What is shown ----------------------------------------------------------------------------

    def fits(self):
        """Each step of each lesson, in a window, a frame and on a phone: nothing overflows or is cut, no text under 12 px."""
        count = 0
        for name, size in SIZES.items():
            page = self.face("#causal", **size)
            for lesson in self.lessons:
                page.do(f"onestep.page.open('#{lesson['lesson']}/1')")
                for number in range(0, len(lesson["steps"]), 5 if self.quick else 1):
                    found = page.do(f"onestep.page.act(['goTo', {number}]).then(() => {FAULTS})")
                    expect(not found, name, lesson["lesson"], number + 1, found)
                    count += 1
        return f"{count} steps"

    def texts(self):
        """The words and the numbers of each step are those of the program, and stand in its order."""
        page = self.face("#causal")
        count = 0
        for lesson, step in list(self.steps())[::7 if self.quick else 1]:
            page.do(f"onestep.page.open({json.dumps(f'#{lesson}/{step}'.replace(' ', '%20'))})")
            link = page.do("onestep.page.said.link")
            there = words(self.screen(link).replace("▸", " ").replace("¦", " ").replace("↓", " ").replace("⋮", " "))
            for row in page.do(ROWS):
                # the terminal has other digits where a tensor has many numbers, and bars in some places
                expect(re.search(r"\s+".join(map(re.escape, row)), there), link, row)
            title = page.do("onestep.page.face.parts.heading.firstChild.textContent")
            expect(words(title) in there, link, title)
            formula = page.do("onestep.page.face.parts.formula.textContent")
            expect(words(formula) in there, link, formula)
            count += 1
        return f"{count} steps"

    def looks(self):
        """The arithmetic and the operands of every cell that is pointed at are those of the terminal's cursor."""
        page = self.face("#causal")
        count = marked = nameless = 0
        places = list(self.steps())
        chosen = places[::max(1, len(places) // (8 if self.quick else 60))]
        for lesson, step in chosen:
            page.do(f"onestep.page.open({json.dumps(f'#{lesson}/{step}'.replace(' ', '%20'))})")
            before, panels = page.do("[[onestep.page.said.link, onestep.page.face.parts.matrices.innerHTML], onestep.page.face.shown.panels]")
            for at, here, lit in page.do(LOOKS % (36 if self.quick else 400)):
                page.do(f"onestep.page.act(['click', {at}])")
                link = page.do("onestep.page.said.link")
                there = self.screen(link)
                expect(words(here) in words(there), link, here)
                operands = self.operands(link)
                # An intermediate that no matrix here shows: its own operands are marked, which are only counted.
                if any("[" in text and not any(is_named(text, panel) for panel in panels) for text in operands):
                    nameless += 1
                    expect(there.count("▸") >= len([number for number in lit if not number[3]]), link, lit, there.count("▸"))
                    continue
                lit = [place[:3] for place in lit]
                cells = [(number, row, column) for number, panel in enumerate(panels) for row in range(len(panel["cells"]))
                         for column in range(len(panel["cells"][row]))]
                # An operand that no matrix here has the name of was given another one by its step: the place is compared.
                known = {text for text in operands if any(is_named(text, panel) for panel in panels)}
                whole = {text for text in known if cell_parts(text)[0] and "…" not in text}
                fitting = {text: [cell for cell in cells if is_place(text, panels[cell[0]], *cell[1:]) and
                                  (text not in known or is_named(text, panels[cell[0]]))] for text in operands}
                lit = {(number, row - panels[number]["sight"][0], column - panels[number]["sight"][2]) for number, row, column in lit}
                number, row, column = map(int, at.split(","))
                own = panels[number]["cells"][row - panels[number]["sight"][0]][column - panels[number]["sight"][2]][0]
                # None is marked that C does not name, and none in sight is left out. A view is the number that it views.
                for cell in lit:
                    number = panels[cell[0]]["cells"][cell[1]][cell[2]][0]
                    # Of ids and targets the list has what they choose.
                    chooses = number.isdigit() and not any(is_named(text, panels[cell[0]]) for text in operands)
                    if chooses or (len(lit) == 1 and number == own):
                        continue
                    expect(any(cell in fitting[text] for text in operands), link, "marked:", panels[cell[0]]["name"], cell, operands)
                for text in operands:
                    expect(text not in whole or not fitting[text] or lit & set(fitting[text]), link, "not marked:", text, fitting[text])
                count += 1
                marked += len(lit)
            page.do(f"onestep.page.open({json.dumps(before[0])})")
            expect(page.do("onestep.page.face.parts.matrices.innerHTML") == before[1], before[0], "looking has changed something")
        return f"{count} cells of {len(chosen)} steps, {marked} marks in their places; of {nameless} more cells marks are counted"

    def operands(self, link):
        """What the terminal says that a number was computed from: "values[Your, feature 2]", ..."""
        rows = self.run("screen", link, "--keys", "<Enter>", "--size", "59x400").split("\n")
        begin = next((i for i, row in enumerate(rows) if row.startswith(" Computed from these")), None)
        found = []
        for row in rows[begin + 1:] if begin is not None else []:
            if not row.startswith("  ") or not row.strip():
                break
            found.append(row.strip().rsplit(None, 1)[0].strip())
        return found

    def speed(self):
        said = []
        for lesson in ("causal", "block", "llama"):
            page = self.face(f"#{lesson}")
            for what, script in (("look", LOOK_TIMES), ("step", pages.TIMES.replace("KEYS", json.dumps(KEYS)))):
                times = sorted(page.do(script))
                median, most = statistics.median(times), times[int(len(times) * 0.99)]
                said.append(f"{lesson} {what} {median:.1f} and {most:.1f} ms")
                expect(median < pages.SLACK * MOST_MILLISECONDS[what], said)
        return ", ".join(said)

    # ---- What is done -----------------------------------------------------------------------------

    def buttons(self):
        """Back, Next, Where from, Mistakes and Settings are in sight at every size, and do it."""
        for name, size in SIZES.items():
            page = self.face("#causal/scores", **size)
            for label in ("Back", "Play", "Where from", "Mistakes", "Settings", "More", "Next"):
                box = page.do(BOX % json.dumps(label))
                expect(box and box[0] >= 0 and box[1] >= 0 and box[2] <= size["width"] and box[3] <= size["height"], name, label, box)
            page.do("onestep.page.open('#causal/mask_tril')")
            for label, wanted in (("Next", "#causal/masked_weights"), ("Back", "#causal/mask_tril")):
                self.press(page, label, name == "phone")
                expect(self.after(page, "onestep.page.said.link").startswith(wanted), name, label, page.do("onestep.page.said.link"))
            for label, wanted in (("Where from", "Where did this n"), ("Mistakes", "What if?"), ("Settings", "Settings")):
                self.press(page, label, name == "phone")
                shown = self.after(page, "onestep.page.face.root.innerText")
                expect(wanted in shown, name, label, shown[:300])
                page.do("onestep.page.press('<Esc>')")
        return "at three sizes"

    def press(self, page, label, is_touch=False):
        left, top, right, bottom = page.do(BOX % json.dumps(label))
        x, y = (left + right) / 2, (top + bottom) / 2
        if is_touch:
            page.tap(x, y)
            page.do("new Promise(resolve => setTimeout(resolve, 100))")
            return
        for kind in ("mousePressed", "mouseReleased"):
            page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def cells(self):
        """A click puts the cursor on a cell, a second one asks where it is from; on an operand, it goes to its step."""
        page = self.face("#causal/causal_weights")
        page.do("document.querySelector('#matrices .panel:last-child tbody tr:nth-child(2) td:nth-child(3)').click()")
        expect(self.after(page, "onestep.page.said.link") == "#causal/causal_weights?cell=1,1", page.do("onestep.page.said.link"))
        expect("0.8127" not in page.do("onestep.page.face.parts.cell.textContent") and
               "= 0.4483" in page.do("onestep.page.face.parts.cell.textContent"), page.do("onestep.page.face.parts.cell.textContent"))
        page.do("document.querySelector('#matrices .focus').click()")
        expect("Where did this number come from?" in self.after(page, "onestep.page.face.root.innerText"), "not asked")
        page.do("onestep.page.press('<Esc>')")
        page.do("onestep.page.turn.then(() => document.querySelector('#matrices .panel:first-child tbody tr:nth-child(2) td').click())")
        expect(self.after(page, "onestep.page.said.link").startswith("#causal/scaled?cell=1,0"), page.do("onestep.page.said.link"))
        return "clicked"

    def lines(self):
        """A line is changed and run in its field; both results are there; Undo takes it back. A line that fails says what PyTorch says."""
        page = self.face("#causal/scores")
        page.do(TYPE % json.dumps("scores = queries @ keys.T * 2"))
        shown = self.after(page, "onestep.page.face.root.innerText")
        expect("≠ yours" in shown and "keys.T * 2" in shown and page.do("document.querySelectorAll('#matrices .changed').length") == 36, shown)
        expect(page.do("onestep.page.face.parts.cell.getBoundingClientRect().bottom") < 700, "what changed is out of sight behind the three matrices")
        page.do("document.querySelector('#words .notice button').click()")
        expect(self.after(page, "document.querySelectorAll('#matrices .changed').length") == 0, "not undone")
        # p shows the lines of C, and those of PyTorch again.
        for is_open in (True, False):
            page.do("onestep.page.press('p')")
            expect(self.after(page, "onestep.page.face.parts.c.open") == is_open, "p", is_open)
        # A step behind it has one line, which stands in its field; y goes into the field, S to the formats of a file.
        page.do(TYPE % json.dumps("scores = queries @ keys.T * 2"))
        page.do("onestep.page.press('n')")
        expect(self.after(page, "[onestep.page.said.step, onestep.page.face.parts.changes.hidden]") == ["weights", True], "its line stands there twice")
        page.do("onestep.page.press('y')")
        expect(page.do("[document.activeElement.id, onestep.page.said.typing]") == ["code", False], "y does not go into the field")
        page.do("document.activeElement.blur()")
        page.do("onestep.page.press('S')")
        expect(page.do("document.querySelector('dialog select') !== null && onestep.page.said.on_step"), "S does not ask for a format")
        page.do("onestep.page.close()")
        page.do("onestep.page.press('u').then(() => onestep.page.open('#causal/scores'))")
        page.do(TYPE % json.dumps("scores = queries @ keys"))
        shown = words(self.after(page, "onestep.page.face.root.innerText"))
        expect("mat1 and mat2 shapes cannot be multiplied (6x2 and 6x2)" in shown, shown)
        return "run, undone, failed"

    def turns(self):
        """What is asked is answered in the page: a line by its field, a sign by a button, a cell by a click."""
        page = self.face("#simplified/inputs")
        page.do("onestep.page.press('nn')")
        expect(page.do("onestep.page.face.shown.asks") == "line", page.do("onestep.page.said.link"))
        expect("0.9544" not in page.do("onestep.page.face.root.innerText") and page.do("onestep.page.face.parts.map.hidden"), "the answer is shown")
        page.do(ANSWER % json.dumps("query_scores = inputs @ query"))
        shown = self.after(page, "onestep.page.face.parts.cell.textContent")
        expect(shown.startswith("Right:"), shown)
        page.do("onestep.page.press('Y')")
        page.do(ANSWER % json.dumps("query_scores = inputs.T @ query"))
        shown = words(self.after(page, "onestep.page.face.root.innerText"))
        expect("size mismatch" in shown or "shapes cannot be multiplied" in shown, shown)
        # Of sizes that are asked for there is no cell to choose, and no row of a screen.
        page.do("onestep.page.open('#causal/scores').then(() => onestep.page.press('en'))")
        asked = "[onestep.page.said.step, onestep.page.face.parts.turn.innerText, onestep.page.face.parts.rows.childElementCount, [...document.querySelectorAll('#matrices caption b')].map(name => name.textContent)]"
        shown = page.do(asked)
        expect(shown[0] == "weights" and "largest" not in shown[1] and shown[2] == 0, shown)
        page.do("onestep.page.open('#simplified/query_context').then(() => onestep.page.press('Y'))")
        shown = page.do(asked)
        expect("largest" not in shown[1] and shown[2] == 0 and [name.split(" ")[0] for name in shown[3]] == ["query_weights", "inputs"], shown)
        page.do(ANSWER % json.dumps("6 6"))
        shown = self.after(page, "onestep.page.face.parts.cell.textContent + onestep.page.face.parts.prose.textContent")
        expect(shown and page.do("onestep.page.face.parts.rows.childElementCount") == 0, shown)
        kinds = set()
        for lesson in self.lessons[:8 if self.quick else None]:
            page.do(f"onestep.page.open('#{lesson['lesson']}/1')")
            for _ in range(60):
                kind = page.do("onestep.page.press('n').then(() => onestep.page.face.shown && onestep.page.face.shown.asks)")
                if page.do("!onestep.page.face.shown"):
                    break
                if kind and kind not in kinds:
                    kinds.add(kind)
                    way = page.do("onestep.page.face.parts.turn.querySelectorAll('form, button').length")
                    expect(way >= 3, kind, way)
        return ", ".join(sorted(kinds))

    def programs(self):
        """A program that is pasted is walked: its source with the line of the step, its calls folded; an error is at its line."""
        page = self.face("#causal/scores")
        page.do(f"onestep.page.walkText({json.dumps(PROGRAM)})")
        shown = self.after(page, "[onestep.page.said.step, document.querySelector('#program_text mark').textContent.trim()]")
        expect(shown == ["x", "x = torch.ones(4, 3)"], shown)
        steps = []
        for _ in range(6):
            steps.append(page.do("onestep.page.said.step"))
            page.do("onestep.page.press('n')")
        expect(steps[:3] == ["x", "scores", "y"], steps)
        page.do("onestep.page.press('<Esc>')")
        expect(page.do("onestep.page.said.step") == "y" and not page.do(BOX % json.dumps("Out of it")), page.do("onestep.page.said.link"))
        self.press(page, "Into the call")
        expect("softmax" in self.after(page, "document.querySelector('#program_text mark').textContent"), page.do("onestep.page.said.step"))
        page.do("onestep.page.press('GE')")
        shown = self.after(page, "[...onestep.page.find('keys').querySelectorAll('button')].map(button => button.textContent)")
        expect("close" in shown and not {"next lesson", "reveal", "2 3 answers"} & set(shown), "no lesson and no question follows a program", shown)
        page.do("onestep.page.press('<Esc>')")
        page.do(f"onestep.page.walkText({json.dumps('import torch' + chr(10) + 'x = torch.ones(2, 3)' + chr(10) + 'y = x @ x' + chr(10))})")
        page.do("onestep.page.press('n')")
        shown = words(self.after(page, "onestep.page.face.root.innerText"))
        expect("mat1 and mat2 shapes cannot be multiplied" in shown and "y = x @ x" in page.do("document.querySelector('#program_text mark').textContent"), shown[:500])
        # What cannot be read is shown again, with its error and its line chosen.
        page.do(f"onestep.page.walkText({json.dumps('import torch' + chr(10) + 'x = torch.ones(2, 3' + chr(10) + 'y = x * 2' + chr(10))})")
        shown = page.do("(field => [field.value.slice(field.selectionStart, field.selectionEnd), document.querySelector('dialog .wrong').textContent])(document.querySelector('dialog textarea'))")
        expect(shown == ["x = torch.ones(2, 3", "program.py:2: SyntaxError: '(' was never closed"], shown)
        return "walked"

    def lists(self):
        """A line of a list is a button, and takes one click: a lesson, a step, a mistake, an operand."""
        page = self.face("#causal/scores")
        for line, wanted in (("Dropout on attention weights", "#dropout/"), ("Causal attention", "#causal/scores"), ("10 masked_weights", "#causal/masked_weights")):
            page.do("onestep.page.find('lessons').click()")
            self.after(page, "0")
            page.do(LINE_CLICK % json.dumps(line))
            expect(self.after(page, "onestep.page.said.on_step") and page.do("onestep.page.said.link").startswith(wanted), line, page.do("onestep.page.said.link"))
        page = self.face("#causal/causal_weights?cell=1,1")
        self.press(page, "Where from")
        self.after(page, "0")
        page.do(LINE_CLICK % json.dumps("scaled[journey, journey]"))
        shown = self.after(page, "onestep.page.face.parts.lines.innerText")
        expect("scaled[journey, journey] = 0.1218, by" in shown and "masked_scores[journey, journey]" in shown, shown)
        expect(page.do("document.querySelectorAll('#matrices td').length") > 0, "no matrix beside it")
        for name, size in SIZES.items():
            page = self.face("#causal/scores", **size)
            self.press(page, "Mistakes", name == "phone")
            boxes = self.after(page, LINE_BOXES)
            top = page.do("[onestep.page.face.root.scrollTop, document.querySelector('#lines button').getBoundingClientRect().top]")
            expect(len(boxes) > 20 and all(height >= 32 and isWhole for height, isWhole in boxes), name, boxes)
            expect(top[0] == 0 and top[1] < size["height"] / 2, name, top)
            page.do(LINE_CLICK % json.dumps("Scores not divided by"))
            expect("no-scale" in self.after(page, "onestep.page.said.link"), page.do("onestep.page.said.link"))
        # What is typed into the field of a search, or beside it, stands in both.
        page = self.face("#causal/scores")
        page.do("onestep.page.press('/')")
        page.do("document.getElementById('typed').focus()")
        for text, wanted in (("m", "m"), ("askx", "maskx")):
            page.call("Input.insertText", text=text)
            shown = self.after(page, SEARCHED)
            expect(shown == [" " + wanted, "Search: " + wanted], shown)
        page.key("Backspace", code=8)
        page.do("document.getElementById('typed').blur()")
        page.do("onestep.page.press(' k')")
        shown = self.after(page, SEARCHED)
        expect(shown == [" mask k", "Search: mask k"], shown)
        return "one click"

    def views(self):
        """Lists, pages of text and where a number is from are the program's words, in the page's own type; no row of a screen is left."""
        count, mistakes = 0, "".join(f"what goes wrong: {what_if['wrong']} in pytorch: {what_if['pytorch']} " for what_if in self.what_ifs)
        for link, keys in (("#causal/scores", "L"), ("#causal/scores", "x"), ("#causal/scores?what-if=no-scale", "x"), ("#causal", "E"), ("#wrapper", "Er"),
                           ("#simplified/inputs", "t"), ("#causal/causal_weights?cell=1,1", "<Enter>"), ("#causal/causal_weights?cell=1,1", "<Enter><Enter>"), ("#causal/W_query", "<Enter>"),
                           ("#causal", ":mask"), ("#causal", "/mask"), ("#gradients/values_by_head", "B"), ("#training/trained: embedding", "<Enter><Enter>")):
            page = self.face(link.replace(" ", "%20"))
            page.do(f"onestep.page.press({json.dumps(keys)})")
            said, rows, here = page.do("[onestep.page.said.link, onestep.page.face.parts.rows.childElementCount, [...document.querySelectorAll('#lines :is(h2, h3, h4, p, code, pre span, li span, li small)')].map(made => made.firstChild ? made.firstChild.textContent : '')]")
            # the words of a mistake are cut on the screen
            there = words(self.run("screen", link, "--keys", keys, "--size", "160x150") + mistakes).lower()
            for text in here:
                text = words(text.removeprefix("* ").removeprefix("Find").removesuffix(":").split(" (shows")[0].split(" (hides")[0])
                expect(text.lower() in there or text == "Those with * are made at this step.", link, keys, text)
            expect(rows == 0 and len(here) > 3, link, keys, rows, len(here))
            expect(not page.do(FAULTS), link, keys, page.do(FAULTS))
            count += len(here)
        page = self.face("#gradients/values_by_head")
        page.do("onestep.page.press('B')")
        names = page.do("[...document.querySelectorAll('#matrices caption b')].map(name => name.textContent.split(' ')[0])")
        expect(names == ["values_by_head", "context_by_head", "values_by_head_grad", "context_by_head_grad"], names)
        for link in ("#causal/keys", "#split_head/queries_by_head?cell=0,1,0,0", "#causal/mask_tril"):
            page = self.face(link)
            page.do("onestep.page.press('m')")
            there = words(self.screen(link, "m"))
            rows, cells, facts = page.do("[onestep.page.face.parts.rows.childElementCount, [...document.querySelectorAll('#matrices td')].map(cell => cell.textContent), onestep.page.face.parts.facts.textContent]")
            expect(rows == 0 and len(cells) >= 12 and all(words(cell) in there for cell in cells), link, rows, cells)
            expect("contiguous" in facts.lower() and not page.do(FAULTS), link, facts, page.do(FAULTS))
            count += len(cells)
        return f"{count} texts"

    def aligned(self):
        """Beside a list the matrix stands at the top; on a phone at the left, a name does not run into its field, Next has one place."""
        box = "(made => (box => [box.left, box.top, box.right])(made.getBoundingClientRect()))"
        page = self.face("#causal/causal_weights?cell=2,1")
        page.do("onestep.page.press('<Enter>')")
        tops = page.do(f"['#lines h2', '#matrices .panel'].map(name => {box}(document.querySelector(name))[1])")
        expect(0 <= tops[1] - tops[0] < 60, tops)
        page = self.face("#causal/causal_weights?cell=2,1", **SIZES["phone"])
        page.do("onestep.page.press('<Enter>')")
        lefts = page.do(f"['#lines h2', '#matrices .panel'].map(name => {box}(document.querySelector(name))[0])")
        expect(abs(lefts[1] - lefts[0]) < 16, lefts)
        for lesson in self.lessons[::4 if self.quick else 1]:
            page.do(f"onestep.page.open('#{lesson['lesson']}/1').then(() => onestep.page.press('s'))")
            cut = page.do("[...document.querySelectorAll('#parameters label')].filter(label => label.scrollWidth > label.clientWidth).map(label => label.textContent)")
            expect(not cut and not page.do(FAULTS), lesson["lesson"], cut, page.do(FAULTS))
        next_ = f"{box}(document.querySelector('#controls [data-action=n]'))"
        page.do("onestep.page.open('#causal/scores')")
        before = page.do(next_)
        page.do(f"onestep.page.walkText({json.dumps(PROGRAM)}).then(() => onestep.page.press('nn'))")
        expect(page.do(BOX % json.dumps("Into the call")) and page.do(next_)[0] == before[0] and page.do(next_)[2] == before[2], before, page.do(next_))
        page.do("onestep.page.find('save').click()")
        expect(page.do("(dialog => dialog.scrollWidth <= dialog.clientWidth)(onestep.page.find('dialog'))"), "the list of formats is cut")
        # A picture with more than fits begins with the cell in sight, or wraps.
        page = self.face("#grouped_query/8")
        for link, cells in (("#grouped_query/8", "#matrices .focus"), ("#block/66", "#matrices td[data-at]"), ("#grouped_query/7", "#matrices .focus")):
            page.do(f"onestep.page.open('{link}')")
            inside = self.after(page, IN_SIGHT % json.dumps(cells))
            expect(inside > 0, link, "has no number in sight")
        return "in their places"

    def decimals(self):
        """On a phone decimals go before columns; where all columns fit, the numbers are whole."""
        wide, phone = self.face("#causal/queries?d-out=10"), self.face("#causal/queries?d-out=10", **SIZES["phone"])
        there, here = (page.do("[...document.querySelectorAll('#matrices .panel:last-child td[data-at]')].map(cell => cell.textContent)") for page in (wide, phone))
        expect(len(here) == len(there) == 60 and all(len(number.split(".")[1]) == 2 for number in here), here)
        expect(all(abs(float(few) - float(all_)) < 0.00501 for few, all_ in zip(here, there)), here, there)
        phone.do("onestep.page.open('#causal/scores')")
        here = phone.do("document.querySelector('#matrices .panel:last-child td[data-at]').textContent")
        expect(len(here) == len("0.2899"), here)
        frame = self.face("#causal/scores", **SIZES["frame"])
        for link in ("#causal/scores", "#trainable/scores", "#split_head/scores", "#rotary/scores", "#block/16"):
            frame.do(f"onestep.page.open('{link}')")
            widths = frame.do("[[...document.querySelectorAll('#matrices, #matrices .panel')].map(box => box.scrollWidth - box.clientWidth)].flat()")
            expect(max(widths) <= 1, link, widths)
        frame.do("onestep.page.open('#causal/scores')")
        here = frame.do("[...document.querySelectorAll('#matrices .panel:last-child td[data-at]')].map(cell => cell.textContent)")
        expect(len(here) == 36 and all(len(number.split(".")[1]) == 2 for number in here), here)
        frame.do("onestep.page.open('#causal/causal_weights')")
        here = frame.do("document.querySelector('#matrices .panel:last-child td[data-at]').textContent")
        expect(len(here) == len("0.2899"), here)
        return "two of four"

    def more(self):
        """What has no button of its own at a step is in a list behind one: the tour and the input are two clicks away."""
        for name, size in SIZES.items():
            is_touch = name == "phone"
            page = self.face("#causal/scores", **size)
            for label, done in (("input", "onestep.page.face.shown.input !== undefined"), ("whole", "document.querySelectorAll('#lines svg a').length > 0"),
                                ("tour of", "!onestep.page.face.isOpen && onestep.page.find('walker').textContent.includes('Tour')")):
                page.do("onestep.page.open('#causal/scores')")
                self.click(page, BUTTON % "More…", is_touch)
                expect(page.do("document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth"), name, "the list is wide")
                self.click(page, BUTTON.replace("made.get", "made.closest('dialog') && made.get") % label, is_touch)
                page.do("onestep.page.turn")
                page.wait(done, 10)
            page.do("onestep.page.turnOver()") # which is kept
        page = self.face("#causal/scores")
        shown = page.do("onestep.page.said.more.map(({help}) => help)")
        page.do("onestep.page.press('?')")
        helps = words(page.do("document.getElementById('lines').textContent"))
        expect(len(shown) > 12 and all(text.split(": ")[-1] in helps for text in shown), shown)
        return f"{len(shown)} lines"

    def inputs(self):
        """Another number of the input: a cell is clicked or tapped, or the keys go there; a number is typed; what changes with it is the program's."""
        there = words(self.screen("#causal/scores", "=<Left><Up>0.9<Enter>"))
        for name, size in SIZES.items():
            page = self.face("#causal/scores", **size)
            page.do("onestep.page.press('=')")
            expect(page.do("[onestep.page.face.parts.rows.childElementCount, document.querySelectorAll('#input td[data-at]').length]") == [0, 18], name)
            if name == "desktop":
                page.key("ArrowUp", code=38)
                page.key("0", "0", 48), page.key(".", ".", 190), page.key("9", "9", 57)
                expect(self.after(page, "onestep.page.face.parts.cell.textContent") == "inputs[Your, d1] = 0.9", page.do("onestep.page.face.parts.cell.textContent"))
                page.key("Enter", "\r", 13)
            else:
                self.click(page, "document.querySelector('#input tbody tr:first-child td[data-at]')", name == "phone")
                page.wait("document.activeElement.id === 'number' && document.querySelector('#input label').textContent.startsWith('inputs[Your, d1]')", 10)
                page.do("document.execCommand('insertText', false, '0.9')")
                self.click(page, BUTTON % "Change", name == "phone")
            page.wait("onestep.page.face.shown.input.answer === '0.9000'", 10)
            cell, offers, marked = self.after(page, "[onestep.page.face.shown.cell, onestep.page.face.shown.offers, [...document.querySelectorAll('#matrices .panel:first-child .changed, #input .changed')].length]")
            expect(all(words(part) in there for part in cell.split(". ")), name, cell, there)
            expect(offers == [["u", "undo it"]] and marked == 12, name, offers, marked)
            expect(not page.do(FAULTS), name, page.do(FAULTS))
            inside = page.do("document.querySelector('#number').getBoundingClientRect().bottom <= onestep.page.find('keys').getBoundingClientRect().top")
            expect(inside, name, "the field is not in sight")
            page.key("Escape", code=27), page.key("Escape", code=27)
            page.wait("onestep.page.said.on_step", 10)
        for link, lesson in (("#split_head/2", 18), ("#llama/1", 1)):
            page.do(f"onestep.page.open('{link}').then(() => onestep.page.press('='))")
            expect(page.do("onestep.page.face.parts.rows.childElementCount") == 0 and not page.do(FAULTS), link, page.do(FAULTS))
        return "mouse, touch, keys"

    def overview(self):
        """All heads of all layers: a figure and the words of the program; a click chooses, a second one goes there; so do keys."""
        count = 0
        for name, size in SIZES.items():
            is_touch = name == "phone"
            page = self.face("#block/1", **size)
            page.do("onestep.page.press('W')")
            expect(page.do("[onestep.page.face.parts.rows.childElementCount, document.querySelectorAll('#lines svg a').length]") == [0, 18], name)
            for head, keys in (("block 1, head 2", "<Right>"), ("block 2, head 2", "<Right><Down>"), ("journey", "<Right><Down><Up><Up>" + "<Left>" * 4)):
                self.click(page, f"document.querySelector('#lines svg [aria-label=\"{head}\"] .node')", is_touch)
                page.do("onestep.page.turn")
                page.wait(f"document.querySelector('#lines svg .here').getAttribute('aria-label') === '{head}'", 10)
                there = words(self.screen("#block/1", "W" + keys))
                for text in page.do("[...document.querySelectorAll('#lines p, #lines li span, #lines li small')].map(made => made.textContent)"):
                    is_own = text.startswith("A row is a layer") or text.startswith("Click again") or text == "sentence 1 of 2 the next sentence"
                    expect(is_own or words(text) in there, name, head, text)
                    count += 1
            expect(not page.do(FAULTS), name, page.do(FAULTS))
            self.click(page, "document.querySelector('#lines svg [aria-label=\"block 2, head 2\"] .node')", is_touch)
            page.wait("document.querySelector('#lines svg .here').getAttribute('aria-label') === 'block 2, head 2'", 10)
            self.click(page, "document.querySelector('#lines svg .here .node')", is_touch)
            page.wait("onestep.page.said.on_step", 10)
            link = self.run("screen", "#block/1", "--keys", "W<Right><Down><Up><Up>" + "<Left>" * 4 + "<Down><Down><Enter>", "--format", "link").strip()
            expect(page.do("onestep.page.said.link") == link, name, page.do("onestep.page.said.link"), link)
        page.do("onestep.page.open('#block/1').then(() => onestep.page.press('W<Down>'))")
        expect(page.do("document.querySelector('#lines svg .here').getAttribute('aria-label')") == "block 2, head 1", "keys")
        for link in ("#causal", "#split_head/weights", "#model", "#why", "#training", "#grouped_query", "#simplified"):
            page.do(f"onestep.page.open('{link}').then(() => onestep.page.press('W'))")
            expect(page.do("onestep.page.face.parts.rows.childElementCount") == 0 and not page.do(FAULTS), link, page.do(FAULTS))
        return f"{count} texts"

    def painted(self):
        """The chosen node of a map in the Terminal tab is painted whole."""
        page = self.face("#latent/scores")
        page.do("onestep.page.turnOver()")
        spans = page.do("[...document.querySelectorAll('.screen .p')].map(span => span.textContent)")
        page.do("onestep.page.turnOver()")
        expect(any(re.fullmatch(r"\s*◆15 scores\s*", text) for text in spans), spans)
        return "one box"

    def figures(self):
        """The map and pictures are figures; a click on the map goes to its step. What a message says of keys are buttons."""
        page = self.face("#causal/scores?seed=5")
        page.do("onestep.page.press('v')")
        page.wait("document.querySelector('#lines .here') !== null", 10)
        expect(page.do("[...document.querySelectorAll('#lines .here')].map(link => link.textContent.trim())") == ["7 scores"], page.do("onestep.page.face.parts.lines.innerText"))
        page.do("[...document.querySelectorAll('#lines a')].find(link => link.textContent.includes('causal_weights')).dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
        page.wait("onestep.page.said.on_step", 10)
        expect(page.do("onestep.page.said.link") == "#causal/causal_weights?seed=5", page.do("onestep.page.said.link"))
        for link, words_there in (("#causal/causal_weights", "journey: 0.5517 Your"), ("#trainable/linear: keys", "feature 1"), ("#block/gelu_curve", "gelu_curve")):
            page.do(f"onestep.page.open({json.dumps(link.replace(' ', '%20'))})")
            page.do("onestep.page.press('P')")
            shown = self.after(page, "[document.querySelectorAll('#lines svg').length, onestep.page.face.parts.rows.childElementCount, onestep.page.face.parts.lines.innerText]")
            expect(shown[:2] == [1, 0] and words_there in shown[2], link, shown)
            expect(not page.do(FAULTS), link, page.do(FAULTS))
        page = self.face("#causal/queries?cell=1,0")
        for keys in ("P", "<Right><Right>", "<Up>"):
            page.do(f"onestep.page.press({json.dumps(keys)})")
            shown = page.do("[...document.querySelectorAll('#lines p')].map(line => line.textContent).find(line => line.includes(' of '))")
            told = keys if keys == "P" else told + keys
            there = words(self.screen("#causal/queries?cell=1,0", told))
            expect(len(shown.split(", ")) == 6 and all(re.search(rf"{re.escape(weight.split()[0])} .*{weight.split()[1]}", there) for weight in shown.split(": ")[1].split(", ")), shown, there)
        page = self.face("#causal/scores")
        page.do("onestep.page.press('f')")
        offers = page.do("[...document.querySelectorAll('#numbers .cell button')].map(made => [made.textContent, made.dataset.action])")
        expect(offers == [["go there", "f"], ["end it", "F"]] and "f goes" not in page.do("onestep.page.face.root.innerText"), offers)
        page.do("document.querySelector('#numbers .cell button').click()")
        expect("#causal/weights" in self.after(page, "onestep.page.said.link"), page.do("onestep.page.said.link"))
        for keys in ("e", "Y", "E2"):
            page.do(f"onestep.page.open('#causal/causal_weights').then(() => onestep.page.press({json.dumps(keys)}))")
            shown = page.do("onestep.page.face.root.innerText")
            expect(not re.search(r"\b(press|Press|Enter|Esc|Space|arrow keys)\b", shown), keys, shown)
        return "map, pictures, messages"

    def first(self):
        """Who opens the page for the first time is told what it is, sees a matrix, and has three ways in; a link leads to its step."""
        page = self.face()
        page.wait("document.querySelector('#welcome td') !== null", 20)
        shown = page.do("[document.querySelector('#welcome').innerText, onestep.page.find('controls').hidden]")
        expect("one step at a time" in shown[0] and "0.9608" in shown[0], shown)
        page.do("[...document.querySelectorAll('#welcome button')][0].click()")
        expect(self.after(page, "[onestep.page.said.link, document.querySelector('#welcome').hidden]") == ["#why/ids", True], page.do("onestep.page.said.link"))
        with pages.Browser() as self.browser:
            page = self.face("#causal/scores")
            expect(page.do("document.querySelector('#welcome').hidden"), "a link does not lead to its step")
            page.do("localStorage.clear()")
            page = self.face("#why/weights")
            page.do("[...document.querySelectorAll('#numbers .cell button')].find(made => made.textContent === 'go on to lesson 1').click()")
            expect(self.after(page, "onestep.page.said.lesson") == "simplified", page.do("onestep.page.said.link"))
            page = self.face("#gpt/logits")
            expect("gpt runs in a terminal only" in page.do("onestep.page.face.parts.cell.textContent"), page.do("onestep.page.face.root.innerText")[:300])
        return "welcome"

    def keyboard(self):
        """All keys of the terminal work; a field has its own; Terminal shows the same step with its screen, and back."""
        page = self.face("#causal/scores")
        page.key("n", "n")
        expect(self.after(page, "onestep.page.said.step") == "weights", page.do("onestep.page.said.link"))
        page.key("ArrowDown", code=40)
        page.do("onestep.page.find('code').focus()")
        page.key("n", "n")
        expect(self.after(page, "onestep.page.said.step") == "weights", "a field's key has walked")
        page.do("onestep.page.find('code').blur()")
        link = page.do("onestep.page.said.link")
        page.do("onestep.page.find('tab').click()")
        page.wait("onestep.page.screen.textContent.includes('softmax')", 10)
        expect(page.do("onestep.page.said.link") == link, link)
        page.do("onestep.page.find('tab').click()")
        page.wait("onestep.page.face.isOpen && document.querySelectorAll('#matrices td').length > 0", 10)
        return "walked"

    def one_lesson(self):
        """The lesson causal from its first step to its last, with its questions, by keys alone and by a finger alone; each step is told once."""
        right = {step["name"]: step["pytorch"] for step in json.loads(self.run("print", "causal", "--format", "json"))["lessons"][0]["steps"]}
        told = []
        for name in ("desktop", "phone"):
            with pages.Browser() as self.browser:  # one that has seen no lesson
                page, answered, seen, is_phone = self.face("#causal/weights", **SIZES[name]), 0, ["weights"], name == "phone"
                page.call("Runtime.evaluate", expression=HEARD)
                while True:
                    page.do("void heard.splice(0)")
                    self.press(page, "Next", True) if is_phone else page.key("n", "n")
                    step, on_step, asks = self.after(page, "new Promise(resolve => setTimeout(() => resolve(["
                                                           "onestep.page.said.step, onestep.page.said.on_step, onestep.page.face.shown?.asks]), 30))")
                    if asks:
                        expect([said.count("Your turn") for said in page.do("heard")] == [1], name, step, page.do("heard"))
                    if asks == "line":
                        page.do("void heard.splice(0)")
                        self.reach(page, "#face .turn textarea", is_phone)
                        page.do("document.activeElement.select()")
                        page.call("Input.insertText", text=right[step])
                        if is_phone:
                            self.reach(page, "#face .turn form button", True)
                        else:
                            page.key("Enter", "\r", code=13)
                        shown = self.after(page, "onestep.page.face.parts.cell.textContent")
                        expect(shown.startswith("Right:"), name, step, shown)
                        answered += 1
                        seen.append(step)
                        said = page.do("heard")
                        expect(len(said) == 1 and "Right:" in said[0], name, step, said)
                    elif not on_step and not asks:
                        break
                    elif on_step:
                        said = page.do("heard")
                        expect(len(said) == 1 and re.match(rf"Causal attention, step \d+ of 19, {step}: ", said[0]), name, step, said)
                        seen.append(step)
                        told.append(said[0])
                expect(seen == [*right][7:] and answered == 4, name, seen, answered)
                if is_phone:
                    self.reach(page, "#keys button:nth-child(2)", True)  # Next lesson
                else:
                    page.key("n", "n")
                expect(self.after(page, "onestep.page.said.lesson") == "dropout", name, page.do("onestep.page.said.link"))
                roles = {}
                for node in page.call("Accessibility.getFullAXTree")["nodes"]:
                    roles.setdefault(node["role"].get("value"), []).append(node.get("name", {}).get("value", ""))
                expect({"status", "heading", "table", "navigation", "toolbar", "textbox"} <= set(roles), sorted(map(str, roles)))
        return f"{len(told)} steps, told once each"

    def told(self):
        """Ten steps of three lessons and of a program of one's own: the tree has each step once, as words, and all that can be pressed has a name."""
        count = 0
        for lesson in ("simplified", "gradients", "llama", None):
            page = self.face(f"#{lesson or 'causal'}/1", **SIZES["desktop"])
            if not lesson:
                page.do(f"onestep.page.walkText({json.dumps(PROGRAM + LONGER)})")
            page.call("Runtime.evaluate", expression=HEARD)
            steps = []
            for _ in range(30):
                if len(steps) == 10:
                    break
                page.do("void heard.splice(0)")
                page.key("n", "n")
                step, title, asks = self.after(page, "new Promise(resolve => setTimeout(() => resolve(["
                                                     "onestep.page.said.step, onestep.page.said.title, onestep.page.face.shown?.asks]), 30))")
                said = page.do("heard")
                expect(len(said) == 1, lesson, step, said)
                if asks:
                    continue
                first = said[0].split("\n")[0]
                expect(re.match(rf"{re.escape(title)}, step \d+ of \d+, {re.escape(step)}: \w", first) and len(first.split()) > 5, lesson, step, said)
                expect(not re.search(r"[\u2500-\u25ff\u2800-\u28ff]|undefined|null|<|>", said[0]), lesson, step, said)
                nodes = page.call("Accessibility.getFullAXTree")["nodes"]
                names = {}
                for node in nodes:
                    if not node.get("ignored"):
                        names.setdefault(node["role"].get("value"), []).append(node.get("name", {}).get("value", ""))
                texts = words(" ".join(names["StaticText"]))
                expect(texts.count(words(first)) == 1, lesson, step, "is in the tree", texts.count(words(first)), "times")
                for role in ("button", "textbox", "link", "table", "slider", "checkbox", "combobox"):
                    expect(all(name.strip() for name in names.get(role, [])), lesson, step, role, names.get(role))
                steps.append(step)
                count += 1
            expect(len(steps) == 10, lesson, steps)
        return f"{count} steps"

    def tasks(self):
        """What a reader comes for is at most four clicks or taps from the lesson's link, in a window, on a phone and in a frame."""
        most = 0
        for name, size in SIZES.items():
            for link, clicks, wanted in TASKS:
                page = self.face(link, **size)
                for click in clicks:
                    self.click(page, click, name == "phone")
                shown = self.after(page, "onestep.page.said.link + onestep.page.face.root.innerText + onestep.page.find('dialog').innerText")
                expect(wanted in shown, name, link, wanted, shown)
                most = max(most, len(clicks))
                expect(most <= 4, link, clicks)
        return f"{len(TASKS)} tasks at three sizes, at most {most} clicks"

    def click(self, page, element, by_finger):
        """Clicks on an element, an expression, or taps on it."""
        x, y = self.after(page, PLACE_OF % element)
        if by_finger:
            page.tap(x, y)
        else:
            for kind in ("mousePressed", "mouseReleased"):
                page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        page.do("new Promise(resolve => setTimeout(resolve, 150))")

    def reach(self, page, selector, by_finger):
        """Goes to an element as a reader does: Tab until it has the focus, or a tap on it."""
        at = f"document.querySelector({json.dumps(selector)})"
        if by_finger:
            page.do(f"{at}.scrollIntoView({{block: 'center'}})")
            page.tap(*page.do(f"(box => [box.left + box.width / 2, box.top + box.height / 2])({at}.getBoundingClientRect())"))
            page.do("new Promise(resolve => setTimeout(resolve, 100))")
            return
        for _ in range(60):
            if page.do(f"document.activeElement === {at}"):
                return
            page.key("Tab", code=9)
        raise Failed(f"Tab does not reach {selector}")

    def parameters(self):
        """Settings have a field for each parameter; the lesson follows a slider, refuses what is none, and Done leads back."""
        page = self.face("#split_head/queries")
        self.press(page, "Settings")
        self.after(page, "0")
        names = page.do("[...document.querySelectorAll('#parameters label')].map(label => label.textContent)")
        expect(names == page.do("onestep.page.face.shown.settings.map(({name}) => name)") and "d_out" in names, names)
        page.do(SLIDE % ("d_out", 8))
        expect("?d-out=8" in self.after(page, "onestep.page.said.link"), page.do("onestep.page.said.link"))
        expect(page.do("document.getElementById('set_d_out').value") == "8", "the field does not follow")
        page.do("(field => { field.value = '3'; field.dispatchEvent(new Event('change', {bubbles: true})); })(document.getElementById('set_heads'))")
        said = self.after(page, "onestep.page.face.parts.cell.textContent")
        expect("heads" in said and "8" in said and page.do("document.getElementById('set_heads').value") != "3", said)
        page.do("[...document.querySelectorAll('#parameters button')].find(button => button.textContent === 'Done').click()")
        expect(self.after(page, "onestep.page.said.on_step"), "not left")
        return f"{len(names)} of them"

    def share(self):
        """A link, a frame and a picture of the step."""
        page = self.face("#causal/scores?seed=5")
        page.do("onestep.page.find('share').click()")
        fields = page.do("[...document.querySelectorAll('dialog input')].map(field => field.value)")
        expect(fields[0].endswith("#causal/scores?seed=5") and fields[1].startswith("<iframe src=") and "seed=5" in fields[1], fields)
        # The image has the size of the figure, twice, and is not blank; nothing is asked of a network for it.
        found = page.do(PICTURE)
        expect(found[0].endswith(".png") and found[1] > 400 and found[2] > 100 and found[3] > 20, found)
        # Short tokens of the reader's own are in a link of their own, and come out of it.
        page.do("onestep.page.walkWith(onestep.page.keep('mine.csv', new TextEncoder().encode('token,a,b\\na b,0.5,0.25\\nc&d,1,-2\\n')))")
        page.do("onestep.page.turn.then(() => onestep.page.share())")
        fields = page.do("[...document.querySelectorAll('dialog input')].map(field => field.value)")
        values = page.do("document.querySelector('#matrices').innerText")
        other = self.face("#" + fields[2].split("#")[1])
        expect(other.do("document.querySelector('#matrices').innerText") == values and "c&d" in values, values)
        expect(other.do("[onestep.page.said.own_tokens, onestep.page.said.link.includes('tokens')]") == [True, False], other.do("onestep.page.said.link"))
        page.do("void (location.hash = '#causal/weights')")
        page.wait("!onestep.page.find('dialog').open && onestep.page.said.step === 'weights'", 10)
        # The frame shows the numbers of its step.
        page = self.face("#causal/causal_weights", width=820, height=560)
        box = page.do("(box => [box.top, box.bottom, box.right])(document.querySelector('#matrices .panel:last-child').getBoundingClientRect())")
        expect(box[1] < 505 and box[2] < 820, box)
        return "link and frame"

    def check(self):
        """Pasted numbers are checked in one dialog, and the mistake has its name."""
        page = self.face("#causal/causal_weights")
        numbers = json.loads(self.run("print", "causal", "--step", "causal_weights", "--what-if", "no-scale", "--format", "json"))
        rows = numbers["lessons"][0]["steps"][0]["values"]
        numbers = "\n".join(" ".join(f"{number:.4f}" for number in row) for row in rows)
        page.do("onestep.page.find('check').click()")
        page.do(CHECK % json.dumps(numbers))
        page.wait("document.querySelector('dialog pre') !== null", 30)
        expect("no-scale" in page.do("document.querySelector('dialog pre').textContent"), page.do("document.querySelector('dialog pre').textContent"))
        marked = "[...document.querySelectorAll('#matrices .wrong')].map(cell => cell.dataset.at)"
        page.wait(f"{marked}.length > 0", 30)
        right = json.loads(self.run("print", "causal", "--step", "causal_weights", "--format", "json"))["lessons"][0]["steps"][0]["values"]
        wrong = [f"{i},{k}" for i in range(6) for k in range(6) if abs(float(numbers.split()[6 * i + k]) - right[i][k]) > 0.00006]
        expect([at.split(",", 1)[1] for at in page.do(marked)] == wrong, page.do(marked), wrong)
        return "named, and the wrong cells are marked"

    def play(self):
        """Play fills the result in its order and ends whole; who asked for less motion goes row by row, by Next."""
        page = self.face("#causal/scores")
        self.press(page, "Play")
        page.wait("document.querySelectorAll('#matrices .pending').length > 0", 5)
        page.wait("!onestep.page.face.playing && document.querySelectorAll('#matrices .pending').length === 0", 20)
        expect(page.do("onestep.page.said.step") == "scores", page.do("onestep.page.said.link"))
        page.prefer(prefers_reduced_motion="reduce")
        self.press(page, "Play")
        count = "document.querySelectorAll('#matrices .pending').length"
        before = self.after(page, count)
        page.do("new Promise(resolve => setTimeout(resolve, 1500))")
        expect(before > 0 and page.do(count) == before, before, page.do(count))
        self.press(page, "Next")
        expect(self.after(page, count) < before, before, page.do(count))
        return "filled; still where that is asked for"

    def silence(self):
        """Nothing is asked of a network, nothing is said to the console, the policy is kept."""
        page = self.browser.page(**SIZES["desktop"])
        page.before(pages.OBSERVE)
        page.open(self.url)
        for lesson in self.lessons:
            page.do(f"onestep.page.open('#{lesson['lesson']}/2')")
            for keys in ("n", "x", "<Esc>", "v", "<Esc>", "m", "<Esc>", "P", "<Esc>", "e", "<Esc>"):
                page.do(f"onestep.page.press({json.dumps(keys)})")
        expect(page.do("violations") == [], page.do("violations"))
        asked = [event["params"]["request"]["url"] for event in page.said("Network.requestWillBeSent")]
        expect(all(url == self.url or url.startswith("blob:") for url in asked), asked)
        said = page.said("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        expect(not said, said[:2])
        return "silent"

    def hostile(self):
        """Markup in names, programs and answers stays text."""
        page = self.face("#causal/scores")
        markup = "<img src=x onerror=alert(1)>"
        page.do(TYPE % json.dumps(f"scores = '{markup}'"))
        page.do(f"onestep.page.walkText({json.dumps('import torch' + chr(10) + f'x = torch.ones(2)  # {markup}' + chr(10))})")
        self.after(page, "0")
        expect(page.do("document.images.length") == 0, "an image")
        page.do(f"void onestep.page.walkText({json.dumps('import torch' + chr(10) + 'while True:' + chr(10) + '    pass' + chr(10))})")
        page.wait("!onestep.page.find('busy').hidden", 20)
        page.do("onestep.page.find('stop').click()")
        page.wait("onestep.page.find('busy').hidden", 20)
        expect("Stopped" in self.after(page, "onestep.page.face.root.innerText"), page.do("onestep.page.face.root.innerText")[:300])
        return "text; an endless program is stopped"

    def axe_findings(self):
        if not self.axe:
            return "skipped: no --axe"
        with open(self.axe, encoding="utf-8") as file:
            axe = file.read()
        count = 0
        for scheme in ("light", "dark"):
            for link, keys in (("", ""), ("#causal/causal_weights", ""), ("#wrapper/3?what-if=no-scale", "x"), ("#simplified", "L"), ("#simplified/inputs", "nn"),
                               ("#block/gelu_curve", "")):
                page = self.face(link)
                page.prefer(prefers_color_scheme=scheme)
                page.do(f"onestep.page.press({json.dumps(keys)})" if keys else "1")
                page.call("Runtime.evaluate", expression=axe)
                found = page.do("(await axe.run()).violations.map(v => [v.id, v.nodes.slice(0, 2).map(n => n.html.slice(0, 120))])")
                expect(not found, link, keys, scheme, found)
                count += 1
        return f"{count} states"


def cell_parts(text):
    """"keys × cosines[:, 0:2][Your, 1]": the matrix, the bracket, and what is in the last one. It may be cut: "embedded −…[1]"."""
    name, bracket, index = text.rpartition("[")
    return (name, bracket, index) if bracket else (text, "", "")


def is_named(text, panel):
    """Does C's text of a cell, "keysᵀ[feature 1, key Your]", name this matrix of the face?"""
    name, bracket, _ = cell_parts(text)
    shown = panel["name"].split(" ×10")[0]
    return name in (shown, shown.removesuffix("ᵀ")) or (name.endswith("…") and shown.startswith(name[:-1])) or (not name and bracket)


def is_place(text, panel, row, column):
    """Does C's text of a cell name this row and column of a matrix of the face?"""
    name, bracket, index = cell_parts(text)
    turned = panel["name"].split(" ×10")[0].endswith("ᵀ") and not name.endswith("ᵀ")
    labels = [[label, f"{axis} {label}"] for axis, label in (
        (panel.get("rows_axis"), (panel["rows"] or [None] * (row + 1))[row]),
        (panel.get("columns_axis"), (panel["columns"] or [None] * (column + 1))[column])) if label is not None]
    if turned:
        labels.reverse()
    if not bracket:
        return not labels
    before = index.rstrip("]…").split(", ")[:-len(labels)] if labels else []
    for words_ in itertools.product(*labels):
        whole = ", ".join([*before, *words_])
        if whole + "]" == index or (index.endswith("…") and whole.startswith(index[:-1])):
            return True
    return False


# What overflows, is cut or is too small in the face; a scroll bar of its own is no fault.
FAULTS = """(() => {
    const found = [], root = onestep.page.face.root;
    if (document.documentElement.scrollWidth > innerWidth) found.push(["the page is wide", document.documentElement.scrollWidth]);
    if (root.scrollWidth > root.clientWidth) found.push(["the face is wide", root.scrollWidth, root.clientWidth]);
    const stops = onestep.page.face.parts.stops;
    if (onestep.page.face.shown && stops.clientHeight < 24) found.push(["the steps have no room", stops.clientHeight]);
    for (const element of root.querySelectorAll("*")) {
        const style = getComputedStyle(element);
        if (element.closest("svg") || element.getClientRects().length === 0 || element.classList.contains("heard")) continue;
        const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
        if (hasText && parseFloat(style.fontSize) < 12) found.push(["small", element.className, element.textContent.slice(0, 30), style.fontSize]);
        if (hasText && style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) found.push(["cut", element.textContent.slice(0, 30)]);
    }
    return found.slice(0, 5);
})()"""

# The numbers of the matrices, row by row, in the panel of the step.
ROWS = """[...document.querySelectorAll("#matrices tbody tr")].map(row => [...row.querySelectorAll("td")].map(cell => cell.textContent))"""

# Points at each cell of the step's own matrix: its place, what stands below, which cells are marked.
LOOKS = """await (async () => {
    const face = onestep.page.face, found = [];
    const own = face.shown.panels.findIndex(panel => panel.step === face.shown.number - 1);
    const cells = [...face.cells()].filter(cell => cell.dataset.at.startsWith(own + ","));
    for (const cell of cells.slice(0, %d)) {
        await face.onPoint({target: cell});
        found.push([cell.dataset.at, [...face.parts.cell.children].map(line => line.textContent).join(" "), [...face.parts.matrices.querySelectorAll(".lit")].map(made => [...made.dataset.at.split(",").map(Number), made.classList.contains("no")])]);
    }
    face.lookAway();
    return found;
})()"""

LOOK_TIMES = """await (async () => {
    const face = onestep.page.face, times = [];
    for (const cell of [...face.cells()].slice(0, 60)) {
        const began = performance.now();
        await face.onPoint({target: cell});
        document.body.offsetHeight;
        times.push(performance.now() - began);
    }
    return times;
})()"""

# The middle of an element that was scrolled into sight.
PLACE_OF = """(element => {
    element.scrollIntoView({block: "nearest"});
    const box = element.getBoundingClientRect();
    return [box.left + Math.min(box.width / 2, 120), box.top + box.height / 2];
})(%s)"""

BUTTON = "[...document.querySelectorAll('button')].find(made => made.getClientRects().length && made.textContent.includes('%s'))"

# Why is row 2 of the weights 0.55 and 0.45; what changes without the root of d_k; another head; the link to send.
TASKS = [
    ("#causal/causal_weights", ["document.querySelector('#matrices .panel:last-child tbody tr:nth-child(2) td[data-at]')"], "= 0.5517"),
    ("#causal/causal_weights", [BUTTON % "Mistakes", BUTTON % "not divided by"], "no-scale"),
    ("#split_head/weights", [BUTTON % "›"], "head 2"),
    ("#causal/scores", [BUTTON % "Share", BUTTON % "Copy"], "Link"),
]

# What is told to who listens, from now on.
HEARD = """globalThis.heard = [];
new MutationObserver(() => heard.push(onestep.page.find("spoken").textContent)).observe(onestep.page.find("spoken"), {childList: true});"""

KEYS = ["n", "<Down>", "<Right>", "n", "<Down>", "b", "n", "<Right>", "n"]

# How many of some cells can be seen whole.
IN_SIGHT = """(cells => {
    const [around, above] = [onestep.page.find("matrices"), onestep.page.face.root].map(made => made.getBoundingClientRect());
    return [...document.querySelectorAll(cells)].map(cell => cell.getBoundingClientRect()).filter(box => box.left >= around.left &&
        box.right <= around.right && box.top >= above.top && box.bottom <= above.bottom).length;
})(%s)"""

SEARCHED = "[document.getElementById('typed').value, document.querySelector('#lines h2').textContent]"

# Left, top, right and bottom of a button of the walk.
BOX = """(() => {
    const button = [...onestep.page.find("controls").querySelectorAll("button")].find(made => made.textContent.includes(%s));
    const box = button.getBoundingClientRect();
    return box.width ? [box.left, box.top, box.right, box.bottom] : null;
})()"""

TYPE = """(() => {
    const field = onestep.page.find("code");
    field.value = %s;
    field.form.requestSubmit();
})()"""

ANSWER = """onestep.page.turn.then(() => {
    const field = onestep.page.face.parts.turn.querySelector("textarea");
    field.value = %s;
    field.form.requestSubmit();
})"""

# Moves the slider of a parameter to a value.
SLIDE = """((name, value) => {
    const slider = document.getElementById("set_" + name).parentElement.querySelector("input[type=range]");
    slider.value = value;
    for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, {bubbles: true}));
})("%s", %d)"""

# Saves the image of the step: its name, width, height, and how many colours it has.
PICTURE = """await (async () => {
    const {page} = onestep, {download} = page;
    const [name, bytes] = await new Promise(resolve => (page.download = (...saved) => resolve(saved), page.savePicture()));
    page.download = download;
    const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return [name, image.width, image.height, new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)).size];
})()"""

CHECK = """(() => {
    document.querySelector("dialog textarea").value = %s;
    [...document.querySelectorAll("dialog button")].find(button => button.textContent === "Check").click();
})()"""

# A click on the line of a list that has these words.
LINE_CLICK = """(() => {
    [...document.querySelectorAll("#lines li button")].find(line => line.textContent.includes(%s)).click();
})()"""

# Of each line of a list its height, and whether all of it is in it.
LINE_BOXES = """[...document.querySelectorAll("#lines li button")].map(line =>
    [line.getBoundingClientRect().height, line.scrollWidth <= line.clientWidth && [...line.children].every(part => part.getBoundingClientRect().right <= innerWidth)])"""

PROGRAM = """import torch
torch.manual_seed(1)
x = torch.ones(4, 3)
scores = x @ x.T
def attend(s, v):
    w = torch.softmax(s, dim=-1)
    return w @ v
y = attend(scores, x)
print(y)
"""

# More steps of it.
LONGER = """a = x * 2
b = a + 1
c = b - a
d = torch.tanh(c)
e = d @ x.T
f = e / 3
g = torch.relu(f)
h = g.sum(dim=0)
i = h.mean()
"""


if __name__ == "__main__":
    sys.exit(pages.main(Tests, ["fits", "texts", "looks", "speed", "buttons", "cells", "lines", "turns", "programs", "lists", "views", "aligned", "decimals", "more", "inputs", "overview", "painted", "figures", "first", "keyboard", "one_lesson", "told", "tasks", "parameters", "share", "check", "play",
                                "silence", "hostile", "axe_findings"]))
