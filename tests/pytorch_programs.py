#!/usr/bin/env python3
"""Do the scripts and notebooks that onestep prints run, and give what they say? Executes those of every lesson.

usage: pytorch_programs.py [--notebooks] ONESTEP [LESSON ...]

Scripts run with this Python and its PyTorch: as they are, with blanks, and with the solution filled in. A script with blanks
must stop at its first one with the hint asked for; with the solution it must reach its end, for parameters beside the
course's, too. (pytorch_notebooks.py counts the points of notebooks with blanks.) --notebooks lets jupyter nbconvert execute a notebook of all lessons in the same three ways: what its cells
print must be what they say. Lessons that are named are tried alone, a notebook each.
"""
import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

PARAMETERS = {
    "simplified": ["--query=step"],
    "trainable": ["--seed=5", "--d-out=4", "--bias"],
    "causal": ["--seed=-1", "--d-out=3", "--bias"],
    "dropout": ["--dropout=0.2", "--dropout-seed=7"],
    "wrapper": ["--heads=3", "--dropout=0.5", "--context-length=9"],
    "split_head": ["--d-out=4", "--batch=3", "--bias", "--dropout=0.1"],
    "model": ["--heads=1", "--seed=1"],
    "padding": ["--lengths=2,5,1", "--d-out=3", "--bias"],
    "cross": ["--target=step,2,Your", "--d-out=3", "--bias"],
    "cache": ["--prefill=4", "--d-out=5", "--bias"],
    "grouped_query": ["--heads=6", "--d-out=12", "--groups=3", "--bias", "--batch=2"],
    "rotary": ["--d-out=6", "--base=100", "--shift=40", "--bias"],
    "window": ["--window=2", "--d-out=3", "--bias"],
    "llama": ["--heads=6", "--groups=3", "--d-out=24", "--hidden=5", "--base=100", "--batch=2"],
    "latent": ["--heads=3", "--d-out=12", "--latent=5", "--batch=2"],
    "online_softmax": ["--tile=4", "--d-out=3", "--bias", "--seed=5"],
}

# Cells that may print something else here: those of the other stream of masks, which no PyTorch without MKL draws, sums of
# 64 products and more, what autograd adds up in another order, and what was trained by it.
OTHERWISE = {
    "dropout": range(16, 22),
    "trainable": range(14, 20),
    "gradients": [71],
    "training": range(21, 71),
}


def onestep(program, *arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


class Count:
    def __init__(self):
        self.done = self.wrong = 0

    def expect(self, is_right, what, text=""):
        self.done += 1
        if not is_right:
            self.wrong += 1
            print(f"{what}: not as it should be\n{text}", flush=True)


# --- Scripts -------------------------------------------------------------------------------------------------------


def run_script(text, *arguments):
    """Runs in this process, where PyTorch is loaded: what it printed, and what it died of or None."""
    import torch
    output = io.StringIO()
    sys.argv[1:] = arguments
    torch.set_printoptions(profile="default")
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except Exception as error:  # whatever a script may die of
        return output.getvalue(), f"{type(error).__name__}: {error}"
    return output.getvalue(), None


def try_scripts(program, lesson, count):
    for arguments in [], PARAMETERS.get(lesson, []):
        for more in [], ["--solution"]:
            what = " ".join(["print", lesson, "--format=py", *arguments, *more])
            output, error = run_script(onestep(program, *what.split()))
            count.expect(error is None and " steps print what onestep prints" in output, what, f"{output}{error}")
            # sums of 64 products and more, and what autograd adds up, are rounded in another order
            count.expect("differ by" not in output or lesson in ("trainable", "gradients", "training"), what, output)
    blanks = onestep(program, "print", lesson, "--format=py", "--blanks")
    for hint in "1", "2", "3":
        _, error = run_script(blanks, hint)
        count.expect(str(error).startswith("Wrong: ") and f"Hint {hint} of 3: " in error, f"{lesson} with blanks", error)


# --- Notebooks -----------------------------------------------------------------------------------------------------


def may_differ(cell):
    """Of a cell's id: "training-26", or "training-26-check" of an exercise."""
    lesson, number = cell.split("-")[:2]
    return number.isdigit() and int(number) in OTHERWISE.get(lesson, ())


# A busy machine may be slow to start a kernel, and to bring what a cell printed: by default, what is four seconds late is lost.
NBCONVERT = [
    "jupyter", "nbconvert", "--to=notebook", "--execute", "--inplace", "--allow-errors",
    "--ExecutePreprocessor.startup_timeout=300", "--ExecutePreprocessor.iopub_timeout=300",
]


def execute(folder, name):
    """Runs a notebook in the folder; the notebook as it is afterwards, and what nbconvert said."""
    run = subprocess.run([*NBCONVERT, name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file), run.returncode, run.stdout.decode()


def outputs_of(notebook):
    """What the cells show, without the numbers of their execution."""
    shown = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain")
            shown.append((cell["id"], "".join(text) if text else output.get("evalue")))
    return shown


def try_notebooks(program, lesson, count, folder):
    """Of a lesson, or of `all`."""
    texts = {more: onestep(program, "print", lesson, "--format=ipynb", *more) for more in ((), ("--solution",), ("--blanks",))}
    for more, text in texts.items():
        name = "".join(more).strip("-") or "whole"
        with open(os.path.join(folder, name + ".ipynb"), "w", encoding="utf-8") as file:
            file.write(text)
    # one after the other: kernels that start at once may choose the same ports, and one of them then says nothing
    whole, solution, blanks = (execute(folder, name) for name in ("whole.ipynb", "solution.ipynb", "blanks.ipynb"))
    for more, (executed, status, said) in ((), whole), (("--solution",), solution):
        errors = [output for cell in executed["cells"] for output in cell.get("outputs", []) if output["output_type"] == "error"]
        count.expect(status == 0 and not errors, f"print {lesson} --format=ipynb {more}", said)
        pairs = list(zip(outputs_of(json.loads(texts[more])), outputs_of(executed)))
        differ = [pair for pair in pairs if pair[0] != pair[1]]
        wrong = [(wanted, found) for wanted, found in differ if not may_differ(wanted[0])]
        count.expect(len(pairs) >= 10 and not wrong, f"outputs of {lesson} {more}", wrong)
    cells = json.loads(texts["--blanks",])["cells"]
    first = next(cell["id"] for cell in cells if cell["metadata"]["nbgrader"]["solution"])
    executed, status, said = blanks
    found = "".join(text or "" for cell, text in outputs_of(executed) if cell == first + "-check")
    is_right = status == 0 and "still left out" in found and "hint 1 of" not in found.lower()
    count.expect(is_right, f"print {lesson} --format=ipynb --blanks", found + said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--notebooks", action="store_true")
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    listed = json.loads(onestep(options.onestep, "list", "--format=json"))
    count = Count()
    with tempfile.TemporaryDirectory() as folder:
        for lesson in options.lessons or [lesson["lesson"] for lesson in listed["lessons"]]:
            try_scripts(options.onestep, lesson, count)
        if options.notebooks:
            for lesson in options.lessons or ["all"]:
                try_notebooks(options.onestep, lesson, count, folder)
    print(f"{count.done} expectations, {count.wrong} not met")
    return 1 if count.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
