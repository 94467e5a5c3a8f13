"""Checks the numbers of attention where they are computed: in a cell of a notebook, or in a test.

    from onestep import check
    check("causal", "context", context)             # the course's numbers
    check("causal", "context", context, seed=5)     # with any parameter of the lesson, by its name

check() runs onestep (from PATH, or from the environment variable ONESTEP) and raises Wrong with its diagnosis if the
numbers are not those of the step. verdict() returns the same as an object instead. Without onestep, check() can compare
with a given print: check("causal", "context", context, expected="tensor(...)"). The module is one file and needs only Python.
"""
# --- Asking onestep ------------------------------------------------------------------------------------------------
import html
import json
import os
import shutil
import subprocess


def program():
    """The path of onestep; None if it is not installed."""
    return shutil.which(os.environ.get("ONESTEP", "onestep"))


def options_of(parameters):
    """The parameters as onestep takes them: seed=5 is --seed=5, bias=True is --bias."""
    for name, value in parameters.items():
        option = "--" + name.replace("_", "-")
        if value is not False:
            yield option if value is True else f"{option}={value}"


class Verdict:
    """The answer of onestep about a tensor. It is true if the tensor holds the step's numbers."""

    def __init__(self, is_equal, text, code):
        self.is_equal, self.text, self.code = is_equal, text, code

    def __bool__(self):
        return self.is_equal

    def __str__(self):
        return self.text

    __repr__ = __str__

    def _repr_html_(self):
        color = "#0b6170" if self.is_equal else "#b3261e"
        return f'<pre style="border-left:4px solid {color};padding-left:1em;white-space:pre-wrap">{html.escape(self.text)}</pre>'


def listed(tensor):
    """The numbers as nested lists; the tensor is PyTorch's, NumPy's, or lists already."""
    tensor = tensor.detach() if hasattr(tensor, "detach") else tensor
    return tensor.tolist() if hasattr(tensor, "tolist") else tensor


def verdict(lesson, step, tensor, **parameters):
    """Asks onestep. Raises FileNotFoundError without onestep, ValueError if there is no such step or parameter."""
    path = program()
    if path is None:
        raise FileNotFoundError("onestep is not in PATH: install it, or set ONESTEP to its path")
    command = [path, "check", lesson, "--step", step, *options_of(parameters), "-"]
    numbers = json.dumps(listed(tensor)).encode()
    plain, code = (subprocess.run([*command, *more], input=numbers, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for more in ([], ["--format=json"]))
    if plain.returncode == 2:
        raise ValueError(plain.stderr.decode().strip())
    text = "\n".join(line for line in plain.stdout.decode().splitlines() if not line.startswith("file: "))
    return Verdict(plain.returncode == 0, text, json.loads(code.stdout)["code"])


def ask(lesson, step, tensor, parameters):
    """The diagnosis of a wrong tensor, for check(); advice if onestep is not installed."""
    if program() is None:
        return advise(lesson, step, tensor, parameters)  # noqa: F821: compare.py comes first in the file
    found = verdict(lesson, step, tensor, **parameters)
    return "" if found else found.text


diagnose = ask
compare_prints = check  # noqa: F821: compare.py's


def check(lesson, step, tensor, expected=None, masks=None, within=0, **parameters):
    """Raises Wrong, with the diagnosis, if the tensor does not hold the step's numbers; returns the verdict otherwise."""
    if expected is not None:
        return compare_prints(lesson, step, tensor, expected, masks, within, **parameters)
    if tensor is ...:
        raise Wrong(f"{step}: the expression is still left out.")  # noqa: F821
    found = verdict(lesson, step, tensor, **parameters)
    if not found:
        raise Wrong(found.text)  # noqa: F821
    return found
