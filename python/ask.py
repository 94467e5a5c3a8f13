"""Checks the numbers of attention where they are computed: in a cell of a notebook, or in a test.

    from onestep import check
    check("causal", "context", context)             # the course's numbers
    check("causal", "context", context, seed=5)     # with any parameter of the lesson, by its name
    check_all("causal", locals())                   # every tensor whose name is a step's: the first wrong one
    show("causal/scores", seed=5)                   # the walker at this step, inside a cell of a notebook

check() runs onestep (from PATH, or from the environment variable ONESTEP) and raises Wrong with its diagnosis if the
numbers are not those of the step, and so does check_all(). verdict() and verdict_all() return the same as an object
instead. Without onestep, check() can compare
with a given print: check("causal", "context", context, expected="tensor(...)"). The module is one file and needs only Python.
"""
# --- Asking onestep ------------------------------------------------------------------------------------------------
import html
import json
import os
import shutil
import struct
import subprocess
import sysconfig


def program():
    """The path of onestep: what the environment variable ONESTEP says, else of the program that was installed together with
    this module, else from PATH; None if there is none."""
    if "ONESTEP" in os.environ:
        return shutil.which(os.environ["ONESTEP"])
    schemes = (None, os.name + "_user")  # of this Python, and of `pip install --user`
    folders = [sysconfig.get_path("scripts", *([scheme] if scheme else [])) for scheme in schemes]
    return shutil.which("onestep", path=os.pathsep.join(folders)) or shutil.which("onestep")


NOT_FOUND = "onestep is not in PATH: install it, or set ONESTEP to its path"


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
    """The numbers as nested lists; the tensor is PyTorch's, NumPy's, or lists already; a layer stands for its weight."""
    tensor = getattr(tensor, "weight", tensor)
    tensor = tensor.detach() if hasattr(tensor, "detach") else tensor
    return tensor.tolist() if hasattr(tensor, "tolist") else tensor


def run_check(arguments, content):
    """What `onestep check` says of what it reads: whether it is accepted, the text, and the JSON."""
    path = program()
    if path is None:
        raise FileNotFoundError(NOT_FOUND)
    plain, code = (subprocess.run([path, "check", *arguments, *more], input=content, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for more in ([], ["--format=json"]))
    if plain.returncode == 2:
        raise ValueError(plain.stderr.decode().strip())
    text = "\n".join(line for line in plain.stdout.decode().splitlines() if not line.startswith("file: "))
    return plain.returncode == 0, text, json.loads(code.stdout)


def verdict(lesson, step, tensor, **parameters):
    """Asks onestep. Raises FileNotFoundError without onestep, ValueError if there is no such step or parameter."""
    numbers = json.dumps(listed(tensor)).encode()
    is_equal, text, answer = run_check([lesson, "--step", str(step), *options_of(parameters), "-"], numbers)
    return Verdict(is_equal, text, answer["code"])


TYPES = {"float32": ("F32", "f"), "bool": ("BOOL", "?"), "int64": ("I64", "q")}  # others are written as float64


def flat(numbers, shape, depth=0):
    """Adds the size of each dimension of nested lists to `shape`, and returns the numbers in one list."""
    if not isinstance(numbers, (list, tuple)):
        return [numbers]
    if depth == len(shape):
        shape.append(len(numbers))
    parts = [flat(part, shape, depth + 1) for part in numbers]
    if len(numbers) != shape[depth] or len({len(part) for part in parts}) > 1:
        raise ValueError("rows of different lengths")
    return [number for part in parts for number in part]


def is_tensor(value):
    """A tensor, an array, a layer, a float, or lists of numbers; whole numbers alone are sizes and seeds."""
    value = getattr(value, "weight", value)
    if hasattr(value, "tolist"):
        return hasattr(value, "shape")
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
        if isinstance(value, int):
            return True
    return isinstance(value, float)


def packed(name, value):
    """What the header of a safetensors file says of a tensor, and its bytes; None for what holds no numbers."""
    shape = []
    try:
        numbers = flat(listed(value), shape)
        dtype, letter = TYPES.get(str(getattr(getattr(value, "weight", value), "dtype", "")).replace("torch.", ""), ("F64", "d"))
        elements = struct.pack(f"<{len(numbers)}{letter}", *numbers)
    except (TypeError, ValueError, struct.error):
        return None
    return {"dtype": dtype, "shape": shape}, elements


def dump_of(tensors):
    """A safetensors file of what is a tensor among these."""
    header, elements = {}, []
    start = 0
    for name, value in tensors.items():
        pack = packed(name, value) if is_tensor(value) and not name.startswith("_") else None
        if pack is None or not pack[1]:
            continue
        header[name] = {**pack[0], "data_offsets": [start, start + len(pack[1])]}
        elements.append(pack[1])
        start += len(pack[1])
    if not header:
        raise ValueError("no tensors: check_all() takes a dictionary of names and tensors, such as locals()")
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(elements)


class VerdictOfAll(Verdict):
    """The answer about all tensors: also the label of the first wrong step (None if all are equal), and what the JSON says."""

    def __init__(self, is_equal, text, answer):
        code = answer["answers"][0]["code"] if answer["answers"] else "equal"
        super().__init__(is_equal, text, code)
        self.first_wrong, self.answer = answer["first_wrong"], answer


def verdict_all(lesson, tensors, names=None, **parameters):
    """Asks onestep about a dictionary of tensors, such as locals(). Names of no step are left out; `names` says which steps
    they are: names={"attn_scores": "scores"}. The lesson may stand behind the tensors. Raises as verdict() does, and ValueError
    if no name is a step's."""
    if isinstance(tensors, (str, int)):
        lesson, tensors = tensors, lesson
    names = names or {}
    given = {names.get(name, name): value for name, value in tensors.items() if name in names or name not in names.values()}
    return VerdictOfAll(*run_check([lesson, *options_of(parameters), "-"], dump_of(given)))


def check_all(lesson, tensors, names=None, **parameters):
    """Raises Wrong, with the first wrong step and its mistake, unless every tensor that has the name of a step holds the
    step's numbers; returns the verdict otherwise. In a test: check_all("causal", locals())."""
    found = verdict_all(lesson, tensors, names, **parameters)
    if not found:
        raise Wrong(found.text)  # noqa: F821
    return found


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
