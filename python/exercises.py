"""What a notebook with blanks needs: check(), hint(), points() and show(). Its first cell carries this, encoded."""
import ast
import builtins
import contextlib
import glob
import io
import os
import shutil
import sys

import torch

MARGIN = 1e-5  # times max(1, |x|): how far sums may differ that are added in another order
# What the hidden test varies: names of the set-up, and a step whose numbers are typed.
VARIED = {"inputs", "context_length", "text", "given_logits", "base", "row"}
WHOLE = "the whole class"
WHOLE_HINTS = ["The steps of the lesson, in their order, are the lines of forward().",
               "The layers draw their weights when they are made, so make them in the order of the lesson.",
               "onestep print LESSON --summary prints the class, without --blanks."]
lessons = {}
results = {}  # (lesson, step): is it right?
given = {}  # (lesson, step): how many hints


class Wrong(AssertionError):
    """The message for a wrong tensor; a notebook shows it without a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class Said(str):
    """A message that a notebook's cell shows without quotes."""

    __repr__ = str.__str__


def show(tensor):
    """Prints a tensor without its autograd information."""
    print(tensor.detach())


# --- What the student wrote ----------------------------------------------------------------------------------------


def names_in(source, context):
    """The names that a cell binds (ast.Store) or uses (ast.Load)."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}
    defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return names | defined if context is ast.Store else names


def cell_of(name):
    """The text of the cell that bound the name last; None if none did."""
    cells = reversed(student.get("In", []))  # noqa: F821: the notebook's names
    return next((cell for cell in cells if name in names_in(cell, ast.Store)), None)


def helpers_of(source, known, found=()):
    """The student's other cells that this one needs, in the order in which they must run."""
    found = list(found)
    for name in sorted(names_in(source, ast.Load) - set(known) - set(dir(builtins))):
        cell = cell_of(name)
        if cell is not None and cell != source and cell not in found:
            found = helpers_of(cell, known, [*found, cell])
            found.append(found.pop(found.index(cell)))
    return found


def run(source, names):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "the cell", "exec"), names)


def run_as_student(source, names, lesson):
    """Runs a cell, and those of the student's own that it needs, on the tensors in `names`."""
    silent = dict.fromkeys(("check", "hint", "points", "show"), lambda *_: None)
    own = {**student, **names, **silent}  # noqa: F821
    for helper in helpers_of(source, names.keys() | lesson.own_names()):
        run(helper, own)
        own.update(names)
    run(source, own)
    names.update(own)


# --- The lesson ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def other_seeds():
    seed = torch.manual_seed
    torch.manual_seed = lambda number: seed((int(number) + 1000) % 2**63)
    try:
        yield
    finally:
        torch.manual_seed = seed


def vary(name, names):
    """Other inputs, so that what depends on no seed is another tensor, too."""
    value = names[name]
    if name == "inputs":
        names[name] = torch.rand(len(value) - (len(value) > 2), value.shape[1])
    elif name == "context_length":
        names[name] = value + 1
    elif name in ("base", "row"):
        names[name] = value * 2
    elif name == "given_logits":
        names[name] = [number / 2 for number in reversed(value)]
    elif name == "text" and len(value.split()) > 3:
        names[name] = " ".join(value.split()[:-1])


class Lesson:
    """The right program: `steps` are pairs of a label and its statements; `use` makes the classes' object and calls it."""

    varied = ()  # of VARIED, for the hidden test: as much as the right program can bear

    def __init__(self, name, parameters, setup, steps, hints, classes, use, gives):
        self.name, self.parameters, self.setup, self.steps = name, parameters, setup, steps
        self.hints = {**hints, WHOLE: WHOLE_HINTS}
        self.classes, self.use, self.gives = classes, use, gives
        lessons[name] = self

    def own_names(self):
        """The names of the set-up and of all steps."""
        return names_in("\n".join([self.setup, *(statement for _, statement in self.steps)]), ast.Store)

    def answer(self, step):
        return self.classes if step == WHOLE else dict(self.steps)[step]

    def target(self, step):
        """The name that an answer binds: the class that `use` makes an object of, or the tensor."""
        if step != WHOLE:
            return step.rpartition(": ")[2]
        return next(name for name in names_in(self.classes, ast.Store) if f" {name}(" in self.use)

    def play(self, step, do):
        """The names after the set-up, the statements before the step, and do(names)."""
        torch.manual_seed(0)
        names = {}
        for statement in ast.parse(self.setup).body:
            run(ast.Module([statement], []), names)
            name = getattr(getattr(statement, "targets", [None])[0], "id", None)
            if name in self.varied:
                vary(name, names)
        for label, statement in [] if step == WHOLE else self.steps:
            if label == step:
                break
            run(statement, names)
            if label in self.varied:
                vary(label, names)
        do(names)
        if step == WHOLE:
            run(self.use, names)
        return names

    def right(self, step):
        return self.play(step, lambda names: run(self.answer(step), names))

    def wanted(self, step, names):
        """The tensor that is compared."""
        last = ast.parse(self.use).body[-1].targets[0].id
        return names.get(last if step == WHOLE else self.target(step))

    def hidden_test(self, step, source):
        """Is the cell right for other seeds and other inputs, too? Says what is wrong."""
        with other_seeds():
            for self.varied in (VARIED, VARIED - {"context_length"}, {"inputs"}, ()):
                with contextlib.suppress(Exception):
                    right = self.right(step)
                    break
            try:
                mine = self.play(step, lambda names: run_as_student(source, names, self))
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            finally:
                self.varied = ()
        return difference(self.wanted(step, mine), self.wanted(step, right))


# --- Judging -------------------------------------------------------------------------------------------------------


def difference(tensor, right):
    """Says how a tensor differs from the right one; "" if it does not."""
    if isinstance(tensor, (bool, int, float)):
        tensor = torch.tensor(tensor)
    if not isinstance(tensor, torch.Tensor):
        return f"it is of type {type(tensor).__name__}, but should be a tensor"
    if tensor.shape != right.shape:
        return f"its shape is {tuple(tensor.shape)}, but should be {tuple(right.shape)}"
    mine, right = tensor.detach().double(), right.detach().double()
    near = torch.isclose(mine, right, rtol=MARGIN, atol=MARGIN, equal_nan=True)
    wrong = (~near).nonzero().tolist()
    if not wrong:
        return ""
    place = tuple(wrong[0])
    where = f", at {list(place)}," if place else ""
    return f"{len(wrong)} of {near.numel()} numbers differ; the first{where} is {mine[place].item():.4f} and should be {right[place].item():.4f}"


def onestep_module():
    """onestep's own module, which names mistakes: installed among Python's, or beside the program. None if there is none."""
    program = shutil.which(os.environ.get("ONESTEP", "onestep"))
    folder = os.path.dirname(os.path.realpath(program)) if program else ""
    places = [os.path.join(folder, "python"), *glob.glob(os.path.join(folder, "..", "lib", "python3*", "*-packages"))]
    kept = list(sys.path)
    sys.path += [place for place in places if os.path.exists(os.path.join(place, "onestep.py"))]
    try:
        import onestep
        return onestep
    except ImportError:
        sys.path[:] = kept
        return None


def explained(lesson, step, tensor, problem):
    """What onestep says of a wrong tensor; where it is not installed, what is seen without it."""
    module = onestep_module()
    label = lesson.gives if step == WHOLE else step
    with contextlib.suppress(Exception):  # the answer is wrong without a diagnosis, too
        found = module and module.program() and module.verdict(lesson.name, label, tensor, quiet=True, **lesson.parameters)
        if found is not None and not found:
            return str(found)
    return f"{problem}." + ("" if module else " To learn why, install onestep: it knows the mistakes that lead to wrong numbers.")


def is_left_out(source):
    """Is there still a blank?"""
    return any(isinstance(node, (ast.Expr, ast.Assign)) and getattr(node.value, "value", None) is ...
               for node in ast.walk(ast.parse(source)))


def problem_of(lesson, step, right):
    """What is wrong with the student's answer: "" if nothing is. The cell is run again, on right tensors."""
    source = cell_of(lesson.target(step))
    if source is None:
        return "its cell was not run."
    if is_left_out(source):
        return "still left out."
    try:
        tensor = lesson.wanted(step, lesson.play(step, lambda names: run_as_student(source, names, lesson)))
    except Exception as error:
        return f"it ends with {type(error).__name__}: {error}"
    problem = difference(tensor, lesson.wanted(step, right))
    if problem:
        return explained(lesson, step, tensor, problem)
    if lesson.hidden_test(step, source):
        return ("these numbers are right, but for other inputs and other seeds the cell gives wrong ones. "
                "Compute the tensor from those above; type no numbers.")
    return ""


def check(lesson, step):
    """Judges an answer. If it is wrong or left out, raises Wrong; then the right one takes its place, so that what follows
    can still be right."""
    here, state = lessons[lesson], torch.get_rng_state()
    right = here.right(step)
    state_after = torch.get_rng_state()
    problem = problem_of(here, step, right)
    results[lesson, step] = not problem
    torch.set_rng_state(state_after if problem and step != WHOLE else state)
    program = {name: value for name, value in right.items() if name != "__builtins__"}
    if step == WHOLE:
        program = {name: value for name, value in program.items() if name in names_in(here.classes, ast.Store)}
    if not problem:
        program = {name: value for name, value in program.items() if name not in names_in(here.answer(step), ast.Store)}
    student.update(program)  # noqa: F821
    if problem:
        raise Wrong(f"{step}: {problem}\nThe cells below go on with the right answer. For a hint, run hint() in a cell.")
    return Said(f"{step}: right")


def hint(lesson=None, step=None):
    """The next hint for a step; without one, for the answer that was wrong last."""
    wrong = [key for key, is_right in results.items() if not is_right]
    if step is None and not wrong:
        return Said("Run the check behind a blank first.")
    lesson, step = (lesson, step) if step is not None else wrong[-1]
    hints, number = lessons[lesson].hints[step], given.get((lesson, step), 0)
    given[lesson, step] = min(number + 1, len(hints) - 1)
    return Said(f"{step}, hint {number + 1} of {len(hints)}: {hints[number]}")


def points():
    """How many points the answers are worth."""
    missing = [step for (_, step), is_right in results.items() if not is_right]
    text = f"{len(results) - len(missing)} of {len(results)} points"
    return Said(text + (f"; not right yet: {', '.join(missing)}" if missing else ""))


student.update(check=check, hint=hint, points=points, show=show)  # noqa: F821
