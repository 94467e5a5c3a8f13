"""Are the scripts and notebooks that `onestep print` makes well formed, and do they say what the lesson says?

usage: programs.py ONESTEP

Needs no PyTorch: scripts are compiled, notebooks judged by the rules of nbformat 4.5 and of nbgrader's metadata, version 3,
and both compared with the JSON of the same run. What scripts carry, python/compare.py, is tried on prints. (That they run is the
business of pytorch_programs.py.) Speaks TAP.
"""
import ast
import base64
import json
import os
import re
import subprocess
import sys
import tempfile

import tap
from stand_in import Tensor

RUNS = [
    ["all"],
    ["simplified", "--query", "step"],
    ["trainable", "--seed", "5", "--bias", "--d-out", "3"],
    ["dropout", "--dropout", "0.2", "--digits", "6"],
    ["split_head", "--d-out", "4", "--dropout", "0.1", "--batch", "3"],
    ["wrapper", "--step", "head 2: scores"],
    ["causal", "--input", "EVIL"],
]
EVIL = '"""\nimport os #\\.csv'  # a file's name that would be code


def onestep(*arguments):
    arguments = [os.path.join(FOLDER, EVIL) if argument == "EVIL" else argument for argument in arguments]
    return subprocess.run([ONESTEP, "print", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def steps_of(arguments):
    data = json.loads(onestep(*arguments, "--format=json"))
    for lesson in data["lessons"]:
        for step in lesson["steps"]:
            yield lesson["lesson"], f"{step['group']}: {step['name']}" if step["group"] else step["name"], step


def torch_text(lesson, label, arguments):
    given = [argument for argument in arguments[1:]]
    if "--step" in given:
        return onestep(*arguments).rstrip("\n")
    return onestep(lesson, *given, "--step", label).rstrip("\n")


def equal(found, wanted, what):
    assert found == wanted, f"{what}: {found!r}, not {wanted!r}"


# --- Scripts -------------------------------------------------------------------------------------------------------


def calls_of(tree, name):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name
            and node.args and isinstance(node.args[0], ast.Constant)]


def script_says_every_step(arguments):
    """One check a step: its names, expression, and the text that onestep prints of it."""
    text = onestep(*arguments, "--format=py")
    calls = calls_of(ast.parse(text), "check")
    steps = list(steps_of(arguments))
    equal(len(calls), len(steps), "checks")
    for call, (lesson, label, step) in zip(calls, steps):
        equal([call.args[0].value, call.args[1].value], [lesson, label], "names")
        equal(ast.unparse(call.args[2]), ast.unparse(ast.parse(step["expression"], mode="eval")), label)
        assert step["statement"] in text, step["statement"]
    for call, (lesson, label, _) in list(zip(calls, steps))[::7]:
        equal(call.args[3].value, torch_text(lesson, label, arguments), label)


def script_has_blanks(lesson):
    """Between the script with blanks and the solution only the right sides differ, and each has its three hints."""
    solution, blanks = (onestep(lesson, "--format=py", how).splitlines() for how in ("--solution", "--blanks"))
    solution = solution[next(i for i, line in enumerate(solution) if line.startswith("import ast")):]
    blanks = [line for line in blanks if line not in ("import sys", "FIRST_HINT = int(sys.argv[1]) - 1 if sys.argv[1:] else 0")]
    blanks = blanks[blanks.index("import ast"):]
    blanks = [line for i, line in enumerate(blanks) if line or (i and blanks[i - 1])]
    solution = [line for i, line in enumerate(solution) if line or (i and solution[i - 1])]
    equal(len(blanks), len(solution), "lines")
    differ = [(a, b) for a, b in zip(blanks, solution) if a != b]
    hints = [node for node in ast.walk(ast.parse("\n".join(blanks))) if isinstance(node, ast.Dict)
             and node.keys and isinstance(node.keys[0], ast.Tuple)][0]
    equal(len(differ), len(hints.keys), "exercises")
    assert len(differ) >= 3, differ
    for (blank, whole), key, value in zip(differ, hints.keys, hints.values):
        name = key.elts[1].value.split(": ")[-1]
        equal(blank, f"{name} = ...", "blank")
        assert whole.startswith(f"{name} = ") and "..." not in whole, whole
        equal(len(value.elts), 3, "hints")
        answer = whole.partition(" = ")[2]
        assert answer not in [hint.value for hint in value.elts], f"{whole}: a hint is the answer"


# --- Notebooks -----------------------------------------------------------------------------------------------------


def is_text(value):
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))


def judge_output(output):
    if output["output_type"] == "stream":
        equal(set(output), {"output_type", "name", "text"}, "stream")
        assert output["name"] == "stdout" and is_text(output["text"])
    else:
        equal(output["output_type"], "execute_result", "output")
        equal(set(output), {"output_type", "execution_count", "data", "metadata"}, "result")
        assert all(is_text(text) for text in output["data"].values())


def judge_cell(cell):
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]), cell["id"]
    members = {"cell_type", "id", "metadata", "source"}
    if cell["cell_type"] == "code":
        members |= {"execution_count", "outputs"}
        assert cell["execution_count"] is None or cell["execution_count"] >= 0
        ast.parse("".join(cell["source"]))
        for output in cell["outputs"]:
            judge_output(output)
    else:
        equal(cell["cell_type"], "markdown", "type")
    equal(set(cell), members, cell["id"])
    assert is_text(cell["source"]) and all(line.endswith("\n") for line in cell["source"][:-1])


def judge_grading(cell):
    """The rules of nbgrader's own validator."""
    grading = cell["metadata"]["nbgrader"]
    kinds = {"schema_version": int, "grade": bool, "locked": bool, "solution": bool, "task": bool, "grade_id": str}
    if grading["grade"]:
        kinds["points"] = int
    equal({name: type(value) for name, value in grading.items()}, kinds, cell["id"])
    equal(grading["schema_version"], 3, "version")
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", grading["grade_id"]), grading
    if cell["cell_type"] == "markdown":
        assert not grading["grade"] and not grading["solution"], cell["id"]
    assert not (grading["locked"] and grading["solution"]), cell["id"]


def notebook_of(arguments, *more):
    notebook = json.loads(onestep(*arguments, "--format=ipynb", *more))
    equal(set(notebook), {"cells", "metadata", "nbformat", "nbformat_minor"}, "notebook")
    equal((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5), "version")
    equal(notebook["metadata"]["kernelspec"]["name"], "python3", "kernel")
    for cell in notebook["cells"]:
        judge_cell(cell)
    ids = [cell["id"] for cell in notebook["cells"]]
    equal(len(set(ids)), len(ids), "ids")
    return notebook


def says_words(step):
    """Is it a row of ids, called by its words? A row that counts words is called by them, too."""
    if "bincount" in step["statement"]:
        return False
    return step["dtype"] == "int64" and step["columns"] is not None and isinstance(step["columns"][0], str)


def notebook_says_every_step(arguments):
    notebook = notebook_of(arguments)
    shown = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and cell["outputs"]]
    steps = list(steps_of(arguments))
    texts = {lesson for lesson, _, step in steps if "vocabulary_words = " in step["statement"]}
    equal(len(shown), len(steps), "cells")
    numbers = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    equal(numbers, list(range(1, len(numbers) + 1)), "execution counts")
    for cell, (lesson, label, step) in zip(shown, steps):
        source = step["statement"] + ("\n" if step["statement"] else "") + f"show({step['expression']})"
        if lesson in texts and says_words(step):
            source += f"\nprint(*[vocabulary_words[id] for id in {step['expression']}.flatten()])"
        equal("".join(cell["source"]), source, label)
    for cell, (lesson, label, step) in list(zip(shown, steps))[::7]:
        words = " ".join(step["columns"]) + "\n" if lesson in texts and says_words(step) else ""
        equal("".join(cell["outputs"][0]["text"]), torch_text(lesson, label, arguments) + "\n" + words, label)


def notebook_has_exercises(arguments):
    blanks, solution = notebook_of(arguments, "--blanks"), notebook_of(arguments, "--solution")
    for notebook in blanks, solution:
        for cell in notebook["cells"]:
            judge_grading(cell)
    equal(len(blanks["cells"]), len(solution["cells"]), "cells")
    count = 0
    for i, (blank, solved) in enumerate(zip(blanks["cells"], solution["cells"])):
        equal(blank["id"], solved["id"], "id")
        equal(blank["metadata"], solved["metadata"], "metadata")
        assert not blank.get("outputs"), blank["id"]
        tags = blank["metadata"].get("tags", [])
        equal("raises-exception" in tags, blank["metadata"]["nbgrader"]["solution"] or blank["metadata"]["nbgrader"]["grade"], "runs on")
        if not blank["metadata"]["nbgrader"]["solution"]:
            equal(blank["source"], solved["source"], blank["id"])
            continue
        count += 1
        is_class = blank["id"].endswith("-class")
        assert re.findall(r"^(?:    +|\w+ = )\.\.\.$", "".join(blank["source"]), re.M), blank["source"]
        assert is_class or "".join(blank["source"]).count(" = ...") == 1, blank["source"]
        ast.parse("".join(blank["source"]))
        solved = "".join(solved["source"])
        assert solved.startswith("### BEGIN SOLUTION\n") and solved.endswith("\n### END SOLUTION") and "..." not in solved
        graded = blanks["cells"][i + 1]
        assert graded["metadata"]["nbgrader"]["grade"] and "".join(graded["source"]).startswith("check("), graded
    equal(count, sum(cell["metadata"]["nbgrader"]["grade"] for cell in blanks["cells"]), "checks")
    lessons = {lesson for lesson, _, _ in steps_of(arguments)}
    equal({cell["id"] for cell in blanks["cells"] if cell["id"].endswith("-class")}, {f"{name}-class" for name in lessons}, "classes")
    assert count > 2, count


def set_up_is_short_and_shows_no_hint(arguments):
    """One cell a lesson, collapsed in Jupyter and Colab; neither a hint nor an answer stands anywhere as text."""
    blanks = notebook_of(arguments, "--blanks")
    text = "\n".join("".join(cell["source"]) for cell in blanks["cells"])
    cells = [cell for cell in blanks["cells"] if cell["id"].endswith("-setup")]
    equal(len(cells), len({lesson for lesson, _, _ in steps_of(arguments)}), "set-ups")
    for cell in cells:
        # Lesson 0 has a whole model here, which its steps only ask. What it has learned is no code.
        source, learned = re.subn(r'learned = """.*?"""', "learned", "".join(cell["source"]), flags=re.S)
        assert source.startswith("#@title ") and source.count("\n") <= (60 if learned else 30), source
        equal([cell["metadata"]["jupyter"], cell["metadata"]["cellView"]], [{"source_hidden": True}, "form"], "collapsed")
    script = ast.parse(onestep(*arguments, "--format=py", "--blanks"))
    hints = [node for node in ast.walk(script) if isinstance(node, ast.Dict) and node.keys and isinstance(node.keys[0], ast.Tuple)][0]
    for value in hints.values:
        assert not any(hint.value in text for hint in value.elts), value
    code = base64.b64decode(re.search(r'b64decode\("(.*?)"\)', text)[1]).decode()
    assert code.startswith(carried_text("exercises.py")), code[:200]
    ast.parse(code)


# --- What they carry -----------------------------------------------------------------------------------------------


def carried_text(name):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "python", name), encoding="utf-8") as file:
        return file.read()


class Bound(ast.NodeVisitor):
    """The names that a program binds where all of it sees them."""

    def __init__(self, text):
        self.names = set()
        self.visit(ast.parse(text))

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.names.add(node.id)

    def visit_FunctionDef(self, node):
        self.names.add(node.name)

    visit_ClassDef = visit_FunctionDef

    def visit_ListComp(self, node):
        """What a comprehension binds, it keeps to itself."""

    visit_DictComp = visit_GeneratorExp = visit_SetComp = visit_ListComp


def lessons_leave_their_names():
    """A step called as a function of theirs would take its place."""
    own = {"check", "hint", "points", "show"} | Bound(carried_text("compare.py")).names | Bound(carried_text("ask.py")).names
    assert {"check", "Wrong", "compared", "verdict"} <= own, own
    taken = {f"{label} of {lesson}" for lesson, label, step in steps_of(["all"]) if Bound(step["statement"]).names & own}
    equal(taken, set(), "steps that take a name")


def compares_as_it_says():
    carried = {}
    exec(carried_text("compare.py"), carried)
    check, wrong, print_ = carried["check"], carried["Wrong"], "tensor([[ 0.1000, -0.2000],\n        [   -inf,     nan]])"
    inf, nan = float("inf"), float("nan")

    def said(numbers, text="another", expected=print_, within=0):
        try:
            return str(check("lesson", "step", Tensor(numbers, text), expected, within=within))
        except wrong as error:
            return str(error)
    equal(said(None, print_), "step: equal", "the same print")
    near = "step: equal, except for rounding that differs between machines"
    equal(said([[0.10005, -0.2], [-inf, nan]]), near, "half a unit of the last digit")
    equal(said([[0.1, -0.20004], [-inf, nan]]), near, "less than that")
    for numbers in [[0.1001, -0.2], [-inf, nan]], [[0.1, 0.2], [-inf, nan]], [[0.1, -0.2], [inf, nan]], \
            [[0.1, -0.2], [-inf, 0.0]], [[0.1, nan], [-inf, nan]]:
        assert said(numbers).startswith("step: 1 of 4 numbers differ; the first, at ["), said(numbers)
    assert "its shape is" in said([0.1, -0.2]), said([0.1, -0.2])
    equal(said([6e-8], expected="tensor([0.])"), near, "what is left when equal numbers are subtracted")
    assert "1 of 1 numbers differ" in said([6e-6], expected="tensor([0.])")
    drifted = "tensor([0.5000, 2.0000])"
    assert "1 of 2 numbers differ" in said([0.51, 2], expected=drifted)
    equal(said([0.51, 2], expected=drifted, within=0.02), near, "what machines train otherwise")
    assert "1 of 2 numbers differ" in said([0.53, 2], expected=drifted, within=0.02)
    equal(said([1.23456e-7], expected="tensor([1.2346e-07])"), near, "an exponent")
    equal(said([True, False], expected="tensor([ True, False])"), near, "truth")
    equal(said([1, 2], expected="tensor([1, 2], dtype=torch.int32)"), near, "a type behind the numbers")
    carried["HINTS"]["lesson", "step"] = ["one", "two", "three"]
    carried["compared"].clear()
    hints = [said([1.0], expected="tensor([2.])").splitlines()[-1] for _ in range(4)]
    equal(hints, ["Hint 1 of 3: one", "Hint 2 of 3: two", "Hint 3 of 3: three", "Hint 3 of 3: three"], "hints")


# --- All of them ---------------------------------------------------------------------------------------------------


def is_refused(*arguments):
    run = subprocess.run([ONESTEP, "print", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.returncode == 2 and not run.stdout and run.stderr.count(b"\n") == 2, run


def tests():
    for arguments in RUNS:
        words = " ".join(arguments)
        yield f"script of {words}", lambda a=arguments: script_says_every_step(a)
        yield f"notebook of {words}", lambda a=arguments: notebook_says_every_step(a)
    for lesson in json.loads(subprocess.run([ONESTEP, "list", "--format=json"], stdout=subprocess.PIPE).stdout)["lessons"]:
        yield f"script of {lesson['lesson']} with blanks", lambda name=lesson["lesson"]: script_has_blanks(name)
    yield "notebook of all with blanks", lambda: notebook_has_exercises(["all"])
    yield "notebook of causal with blanks", lambda: notebook_has_exercises(["causal", "--seed", "3"])
    yield "set-up of all with blanks", lambda: set_up_is_short_and_shows_no_hint(["all"])
    yield "set-up of split_head with blanks", lambda: set_up_is_short_and_shows_no_hint(["split_head", "--seed", "3"])
    yield "tensors are compared with prints", compares_as_it_says
    yield "lessons leave names alone", lessons_leave_their_names
    yield "no mistakes in what runs", lambda: is_refused("causal", "--format=py", "--what-if=no-scale")
    yield "no blanks in what is read", lambda: is_refused("causal", "--format=html", "--blanks")


ONESTEP = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as FOLDER:
    os.makedirs(os.path.dirname(os.path.join(FOLDER, EVIL)), exist_ok=True)
    with open(os.path.join(FOLDER, EVIL), "w", encoding="utf-8") as file:
        file.write("token,d1,d2\na,0.5,1\nb,-2,0.25\n")
    failed = tap.run(tests())
sys.exit(failed)
