"""Checks the numbers of attention where they are computed: in a cell of a notebook, or in a test.

    from onestep import check
    check("causal", "context", context)             # the course's numbers
    check("causal", "context", context, seed=5)     # with any parameter of the lesson, by its name
    check_all("causal", locals())                   # every tensor whose name is a step's: the first wrong one
    show("causal/scores", seed=5)                   # the walker at this step, inside a cell of a notebook
    with record("run.onestep"): model(ids)          # a run of PyTorch, for `onestep walk run.onestep` (RECORDING.md)

check() runs onestep (from PATH, or from the environment variable ONESTEP) and raises Wrong with its diagnosis if the
numbers are not those of the step, and so does check_all(). verdict() and verdict_all() return the same as an object
instead. Without onestep, check() can compare
with a given print: check("causal", "context", context, expected="tensor(...)"). The module is one file and needs only Python;
record() needs PyTorch, too.
"""
# --- Asking onestep ------------------------------------------------------------------------------------------------
import html
import json
import math
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


NO_PARAMETERS = {"help", "version", "step", "format", "watch", "names", "roster", "output"}  # with these, onestep answers otherwise
FLAGS = {"all", "thorough", "quiet"}


def lesson_of(lesson):
    """The lesson as onestep takes it: a name, or a number."""
    if isinstance(lesson, bool) or not isinstance(lesson, (str, int)):
        raise ValueError(f"the lesson is a name or a number, such as \"causal\" or 3, not of type {type(lesson).__name__}")
    if str(lesson).startswith("-") or "\0" in str(lesson):
        raise ValueError(f"no lesson {lesson!r}: a lesson is a name or a number, such as \"causal\" or 3")
    return str(lesson)


def options_of(parameters):
    """The parameters as onestep takes them: seed=5 is --seed=5, bias=True is --bias."""
    for name, value in parameters.items():
        if name in NO_PARAMETERS:
            raise ValueError(f"{name}= is no parameter of a lesson; parameters are such as seed=5")
        if "\0" in str(value):
            raise ValueError(f"{name}= takes no text with a NUL")
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


def answer_of(arguments, content=None):
    """What onestep writes for these arguments, as subprocess.run() returns it; it may have found wrong numbers."""
    path = program()
    if path is None:
        raise FileNotFoundError(NOT_FOUND)
    try:
        return subprocess.run([path, *arguments], input=content, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise FileNotFoundError(f"{path} cannot be run ({error.strerror}): set ONESTEP to the path of onestep") from None


def not_onestep(done):
    """The error for a program that does not answer as onestep does."""
    said = (done.stderr.decode(errors="replace").splitlines() or [f"its exit status is {done.returncode}"])[0]
    return FileNotFoundError(f"{program()} does not answer as onestep does ({said}): set ONESTEP to the path of onestep")


def in_python(text):
    """A message of onestep's in the words of a caller: seed= instead of --seed, names={...} instead of a line for --names."""
    text = text.replace("\nTry 'onestep --help'.", "")
    text = re.sub(r"write a line (.+?) = (.+?) for --names", r'give names={"\1": "\2"}', text)
    text = re.sub(r"check has no option '--([^']*)'", lambda found: f"no lesson has a parameter {found[1].replace('-', '_')}=", text)
    text = text.replace("--bernoulli any", 'bernoulli="any"')
    return re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_") + ("=True" if found[1] in FLAGS else "="), text)


def run_check(arguments, content):
    """What `onestep check` says of what it reads: whether it is accepted, the text, and the JSON."""
    plain, code = (answer_of(["check", *arguments, *more], content) for more in ([], ["--format=json"]))
    if plain.returncode == 2 and plain.stderr.startswith(b"onestep: "):
        raise ValueError(in_python(plain.stderr.decode(errors="replace").strip()))
    try:
        answer = json.loads(code.stdout)
    except ValueError:
        raise not_onestep(code) from None
    text = "\n".join(line for line in plain.stdout.decode().splitlines() if not line.startswith("file: "))
    return plain.returncode == 0, in_python(text), answer


def verdict(lesson, step, tensor, **parameters):
    """Asks onestep. Raises FileNotFoundError without onestep, ValueError if there is no such step or parameter."""
    try:
        numbers = json.dumps(listed(tensor)).encode()
    except Exception as error:  # whatever a tensor's own code raises
        raise ValueError(f"the tensor does not give its numbers as lists: {type(error).__name__}: {error}") from error
    is_equal, text, answer = run_check([lesson_of(lesson), f"--step={step}", *options_of(parameters), "-"], numbers)
    return Verdict(is_equal, text, answer["code"])


NO_TENSORS = "no tensors: check_all() takes a dictionary of names and tensors, such as locals()"
TYPES = {"float32": ("F32", "f"), "bool": ("BOOL", "?"), "int64": ("I64", "q")}  # others are written as float64


MOST_DIMENSIONS, MOST_NUMBERS = 5, 1 << 20  # of a step; what is larger is left out


def shape_of(value):
    """The size of each dimension of nested lists, by the first part of each. A list may hold itself, so the depth is limited."""
    shape, count = [], 1
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        count *= len(value)
        if count == 0 or count > MOST_NUMBERS or len(shape) > MOST_DIMENSIONS:
            raise ValueError("not the shape of a step")
        value = value[0]
    return shape


def flat(numbers, shape):
    """The numbers of nested lists in one list, if they have this shape."""
    if not shape:
        return [numbers]
    if not isinstance(numbers, (list, tuple)) or len(numbers) != shape[0]:
        raise ValueError("rows of different lengths")
    return [number for part in numbers for number in flat(part, shape[1:])]


def is_tensor(value):
    """A tensor, an array, a layer, a float, or lists of numbers; whole numbers alone are sizes and seeds."""
    value = getattr(value, "weight", value)
    if hasattr(value, "tolist"):
        return hasattr(value, "shape") and math.prod(value.shape) <= MOST_NUMBERS
    if isinstance(value, (list, tuple)):
        for _ in shape_of(value):
            value = value[0]
        return isinstance(value, (int, float))
    return isinstance(value, float)


def packed(value):
    """What the header of a safetensors file says of a tensor, and its bytes; None for what is no tensor. Any object may be among
    locals(), and its code may raise anything: none is in the way of the tensors."""
    try:
        if not is_tensor(value):
            return None
        numbers = listed(value)
        shape = shape_of(numbers)
        numbers = flat(numbers, shape)
        dtype, letter = TYPES.get(str(getattr(getattr(value, "weight", value), "dtype", "")).replace("torch.", ""), ("F64", "d"))
        return {"dtype": dtype, "shape": shape}, struct.pack(f"<{len(numbers)}{letter}", *numbers)
    except Exception:
        return None


def dump_of(tensors):
    """A safetensors file of what is a tensor among these."""
    header, elements = {}, []
    start = 0
    for name, value in tensors.items():
        pack = packed(value) if isinstance(name, str) and name.isprintable() and not name.startswith("_") else None
        if pack is None:
            continue
        header[name] = {**pack[0], "data_offsets": [start, start + len(pack[1])]}
        elements.append(pack[1])
        start += len(pack[1])
    if not header:
        raise ValueError(NO_TENSORS)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(elements)


class VerdictOfAll(Verdict):
    """The answer about all tensors: also the label of the first wrong step (None if all are equal), and what the JSON says."""

    def __init__(self, is_equal, text, answer):
        code = answer["answers"][0]["code"] if answer["answers"] else answer["verdict"]
        super().__init__(is_equal, text, code)
        self.first_wrong, self.answer = answer["first_wrong"], answer


def verdict_all(lesson, tensors, names=None, **parameters):
    """Asks onestep about a dictionary of tensors, such as locals(). Names of the book and numbers of a step are known; for others
    `names` says which steps they are: names={"mine": "scores"}. The lesson may stand behind the tensors. Raises as verdict() does, and ValueError
    if no tensor is a step."""
    if isinstance(tensors, (str, int)):
        lesson, tensors = tensors, lesson
    names = names or {}
    if not isinstance(tensors, dict):
        raise ValueError(NO_TENSORS)
    if not isinstance(names, dict):
        raise ValueError("names= takes a dictionary of your names and the steps: names={\"attn_scores\": \"scores\"}")
    given = {names.get(name, name): value for name, value in tensors.items() if name in names or name not in names.values()}
    return VerdictOfAll(*run_check([lesson_of(lesson), *options_of(parameters), "-"], dump_of(given)))


def check_all(lesson, tensors, names=None, **parameters):
    """Raises Wrong, with the first wrong step and its mistake, unless every tensor that is a step holds the
    step's numbers and none was left out that may be one; returns the verdict otherwise. In a test: check_all("causal", locals())."""
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
