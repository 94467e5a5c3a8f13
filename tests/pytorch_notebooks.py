#!/usr/bin/env python3
"""Are the points of notebooks with blanks as they should be? Executes those of every lesson, as five students would fill them in.

usage: pytorch_notebooks.py [--kernel] ONESTEP [LESSON ...]

A notebook is left blank, half filled in, filled in, filled in with the lesson's numbers pasted in as text, and filled in with a
wrong answer first. A check that raises earns nothing, any other a point, as nbgrader counts; no cell but a check may raise, and no
answer may cost another one its point. The cells run in IPython in this process; with --kernel, jupyter nbconvert executes the
notebooks, one kernel after the other.
"""
import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile

HIDDEN = "for other inputs and other seeds"
# What each student writes: of the number of a blank, its statement and the printed tensor. None: it is left blank.
STUDENTS = {
    "blank": lambda i, solved, pasted: None,
    "half": lambda i, solved, pasted: solved if i % 2 else None,
    "filled": lambda i, solved, pasted: solved,
    "pasted": lambda i, solved, pasted: pasted,
    "one wrong": lambda i, solved, pasted: re.sub(r"^(\w+) = (.*)\Z", r"\1 = (\2) * 1.5 + 1", solved, flags=re.M) if i == 0 else solved,
}


def printed(program, *arguments):
    return subprocess.run([program, "print", *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def source_of(cell):
    return "".join(cell["source"])


def is_class(cell):
    return cell["id"].endswith("-class")


def filled_in(blanks, solution, tensors, student):
    """The notebook as this student hands it in, and the points that it is worth."""
    notebook, points, number = json.loads(json.dumps(blanks)), 0, 0
    for cell, solved in zip(notebook["cells"], solution["cells"]):
        if cell["cell_type"] != "code" or not cell["metadata"]["nbgrader"]["solution"]:
            continue
        answer = source_of(solved).replace("### BEGIN SOLUTION\n", "").replace("\n### END SOLUTION", "")
        written = STUDENTS[student](number, answer, None if is_class(cell) else pasted_into(cell, tensors))
        if written is not None:
            cell["source"] = [written]
        points += written == answer
        number += 1
    return notebook, points, number


def pasted_into(cell, tensors):
    """The statement with the lesson's numbers in place of the blank, to eight digits."""
    place = int(cell["id"].rpartition("-")[2]) - 1
    return re.sub(r"= \.\.\.$", lambda _: f"= torch.{tensors[place]}", source_of(cell), flags=re.M)


def run_in_process(notebook):
    """Runs the cells; (id, what it raised or None, what it showed) of each."""
    from IPython.core.interactiveshell import InteractiveShell
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                result = shell.run_cell(source_of(cell), store_history=True)
            error = result.error_before_exec or result.error_in_exec
            yield cell["id"], error and f"{type(error).__name__}: {error}", f"{shown.getvalue()}{result.result}"


def run_in_kernel(notebook):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "own.ipynb"), "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        subprocess.run(["jupyter", "nbconvert", "--to=notebook", "--execute", "--inplace", "own.ipynb",
                        "--ExecutePreprocessor.startup_timeout=300", "--ExecutePreprocessor.iopub_timeout=300"],
                       cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(os.path.join(folder, "own.ipynb"), encoding="utf-8") as file:
            executed = json.load(file)
    for cell in executed["cells"]:
        outputs = cell.get("outputs", [])
        errors = [f"{output['ename']}: {output['evalue']}" for output in outputs if output["output_type"] == "error"]
        shown = "".join("".join(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in outputs)
        if cell["cell_type"] == "code":
            yield cell["id"], errors[0] if errors else None, shown


def judge(name, student, notebook, points, blanks, run):
    """What is not as it should be."""
    cells = list(run(notebook))
    graded = {cell["id"] for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["grade"]}
    earned = sum(1 for cell, error, _ in cells if cell in graded and error is None)
    if earned != points:
        yield f"{name}, {student}: {earned} points of {blanks}, not {points}"
    for cell, error, shown in cells:
        if error is not None and cell not in graded:
            yield f"{name}, {student}: {cell} ends with {error}"
        if error is not None and "ints" in error.lower() and "hint 1" in error.lower():
            yield f"{name}, {student}: {cell} gives a hint away"
        if student == "pasted" and error is not None and HIDDEN not in error and not cell.endswith("-class-check"):
            yield f"{name}, {student}: {cell} says {error}"
        if cell == "points" and f"{points} of {blanks} points" not in shown:
            yield f"{name}, {student}: the last cell says {shown}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["ONESTEP"] = options.onestep
    listed = subprocess.run([options.onestep, "list", "--format=json"], stdout=subprocess.PIPE, check=True).stdout
    done, wrong = 0, 0
    for name in options.lessons or [lesson["lesson"] for lesson in json.loads(listed)["lessons"]]:
        blanks, solution = (json.loads(printed(options.onestep, name, "--format=ipynb", more)) for more in ("--blanks", "--solution"))
        count = len(json.loads(printed(options.onestep, name, "--format=json"))["lessons"][0]["steps"])
        wanted = {int(cell["id"].rpartition("-")[2]) for cell in blanks["cells"]
                  if cell["metadata"]["nbgrader"]["solution"] and not is_class(cell)}
        tensors = [printed(options.onestep, name, f"--step={i + 1}", "--digits=8").strip() if i + 1 in wanted else "" for i in range(count)]
        tensors = [re.sub(r",\s*grad_fn=<\w+>", "", text).replace("inf", "torch.inf").replace("nan", "torch.nan") for text in tensors]
        for student in STUDENTS:
            notebook, points, exercises = filled_in(blanks, solution, tensors, student)
            found = list(judge(name, student, notebook, points, exercises, run_in_kernel if options.kernel else run_in_process))
            done += 1
            wrong += bool(found)
            print("\n".join(found) or f"{name}, {student}: {points} of {exercises} points", flush=True)
    print(f"{done} notebooks, {wrong} not as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
