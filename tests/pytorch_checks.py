#!/usr/bin/env python3
"""Programs that PyTorch runs are handed in to `onestep check`: does it say what it should?

usage: pytorch_checks.py [--only TEXT] [--list] [--as-it-is] [--record] [--runs N] [--seed N] TABLE... ONESTEP

A table is a file of tests/checks: cases, and in its docstring what must be said of them; programs.py has what tables share. Here are
the running of the programs, the handing in, the comparing and the counting; `KINDS` has a function for each table. --only takes the
cases with this text in their names, --list writes what was said. PyTorch (any version from 1.13 on) runs on AVX2 with one thread, or,
with --as-it-is, as it does on this machine. --record writes a table's files in tests/data anew. Speaks TAP.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import functools
import importlib.util
import io
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types
import typing
import warnings

import pytorch_library
from pytorch_parameters import Parameters

if "--as-it-is" in sys.argv:
    import torch
else:
    torch = pytorch_library.torch()
import numpy  # noqa: E402: PyTorch comes first, and starts the script anew if need be

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


class Verdict(typing.NamedTuple):
    problems: list = []  # with none of them the case is well
    counts: list = []    # words that are counted over all cases of the table
    notes: list = []     # what --list writes


# --- Programs --------------------------------------------------------------------------------------------------------


def label(step):
    return f"{step['group']}: {step['name']}" if step["group"] else step["name"]


def in_json(*arguments):
    done = subprocess.run([OPTIONS.onestep, *arguments, "--format=json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


@functools.lru_cache(None)
def lesson_of(*arguments):
    """As `print` has it: the setup, and the steps with their statements."""
    return in_json("print", *arguments)["lessons"][0]


def lessons():
    """All names, each with the parameters that the lesson has."""
    return {lesson["lesson"]: set(lesson["parameters"]) for lesson in in_json("list")["lessons"]}


def text_of(lesson):
    """A lesson's program; its setup and each step end with a comment, by which their tensors are found after the edits."""
    return lesson["setup"] + "#@\n" + "".join(f"{step['statement']}\n#@\n" for step in lesson["steps"])


def run_steps(lesson, text=None, names=None, after=lambda names: None):
    """Runs a lesson's program: its steps, each with the names behind its statement. `after` is called after each statement."""
    names = {} if names is None else names
    for step, part in zip([None, *lesson["steps"]], (text or text_of(lesson)).split("#@\n")):
        exec(part, names)
        after(names)
        if step is not None:
            yield step, names


def edited(text, *edits):
    for old, new in edits:
        if old not in text:
            raise ValueError(f"the program has no `{old}`")
        text = text.replace(old, new)
    return text


def names_of(text, names=None):
    names = {"torch": torch} if names is None else names
    exec(compile(text, "program", "exec"), names)  # ours, not a student's
    return names


def names_at(lesson, wanted, text=None, names=None):
    """The names behind a step's statement, and its tensor."""
    for step, names in run_steps(lesson, text, names):
        if label(step) == wanted:
            return names, eval(step["expression"], names).detach()
    raise ValueError(f"{lesson['lesson']} has no step {wanted}")


def tensors_of(lesson, text):
    """The steps' tensors by name, up to the line that PyTorch refuses."""
    torch.manual_seed(0)
    tensors = {}
    try:
        for step, names in run_steps(lesson, text):
            value = eval(step["expression"], names)
            if value is not None:  # a layer without bias has none
                tensors[label(step)] = value.detach().clone()
    except (RuntimeError, IndexError, ValueError, TypeError):
        pass
    return {name: tensor for name, tensor in tensors.items() if not name.startswith("mcg31m1")}


@functools.lru_cache(None)
def right_tensors(name):
    return tensors_of(lesson_of(name), text_of(lesson_of(name)))


def names_in_calls(text):
    """The names of a program, and of each call of its functions: L_forward is the last call of forward, L_forward_0 the first."""
    calls, names = {}, {"__name__": "__main__"}

    def profile(frame, event, _):
        if event == "return" and frame.f_code.co_filename == "program" and frame.f_code.co_name.isidentifier():
            values = {name: value.detach().clone() if isinstance(value, torch.Tensor) else value
                      for name, value in frame.f_locals.items()}
            calls.setdefault(frame.f_code.co_name, []).append(types.SimpleNamespace(**values))

    with contextlib.redirect_stdout(None):
        sys.setprofile(profile)
        try:
            names_of(text, names)
        finally:
            sys.setprofile(None)
    for name, all_calls in calls.items():
        names["L_" + name] = all_calls[-1]
        names.update({f"L_{name}_{i}": call for i, call in enumerate(all_calls)})
    return names


# --- Handing in ------------------------------------------------------------------------------------------------------


def printed(value, **options):
    torch.set_printoptions(threshold=1 << 20, **options)
    text = repr(value)
    torch.set_printoptions(profile="default", sci_mode=None)
    return text


def array(value):
    return numpy.asarray(value.detach() if isinstance(value, torch.Tensor) else value)


def npy(value):
    buffer = io.BytesIO()
    numpy.save(buffer, array(value))
    return buffer.getvalue()


def npz(values):
    buffer = io.BytesIO()
    numpy.savez(buffer, **{name: array(value) for name, value in values.items()})
    return buffer.getvalue()


FORMS = {
    "print": printed,
    "no decimals": lambda tensor: printed(tensor, precision=0),
    "2 decimals": lambda tensor: printed(tensor, precision=2),
    "8 decimals": lambda tensor: printed(tensor, precision=8),
    "plain": lambda tensor: printed(tensor, sci_mode=False),
    "plain, 2 decimals": lambda tensor: printed(tensor, precision=2, sci_mode=False),
    "npy": npy,
    "json": lambda tensor: json.dumps(tensor.tolist()),
    "list": lambda tensor: json.dumps(tensor.tolist()).replace("NaN", "nan").replace("Infinity", "inf"),
    "table": lambda tensor: "\n".join(",".join(f"{x:.6f}" for x in row)
                                      for row in tensor.reshape(-1, tensor.shape[-1] if tensor.dim() else 1).tolist()),
}


def write_data(name, content):
    pathlib.Path(DATA, name).write_bytes(content if isinstance(content, bytes) else content.encode())


class Answer(typing.NamedTuple):
    status: int
    text: str
    errors: str

    @property
    def json(self):
        return json.loads(self.text)


def asked(content, name, *arguments):
    """What `check` says of a file of this content; "-" is the standard input, #5 behind the name a notebook's cell."""
    content = content if isinstance(content, bytes) else content.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = "-" if name == "-" else os.path.join(folder, name)
        if path != "-":
            pathlib.Path(path.split("#")[0]).write_bytes(content)
        done = subprocess.run([OPTIONS.onestep, "check", *arguments, path], input=content, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def ask(content, name, *arguments):
    """A question: asked two at a time, while PyTorch runs the next programs."""
    return functools.partial(asked, content, name, *arguments)


# --- Comparing: a generator for each case, which yields its questions and returns a verdict on their answers ---------


def has_numbers_of(tensor, right):
    """As `check` has it, which sees through dimensions of 1 where there are more or fewer of them: keepdim is no number."""
    if tensor.dim() != right.dim():
        tensor, right = tensor.squeeze(), right.squeeze()
    return tensor.shape == right.shape and torch.allclose(right.float(), tensor.float(), rtol=1e-5, atol=1e-7, equal_nan=True)


def first_wrong(right, wrong):
    """The first step that a student can see to be wrong."""
    for name in right:
        if name.endswith("W_key_bias"):
            continue  # its gradient is rounding alone, and so is what an optimizer makes of it
        if name in wrong and not has_numbers_of(wrong[name], right[name]):
            return name
    return None


def explanation_in(answer):
    """The first explanation with all its lines; "" if there is none."""
    found = re.search(r"^(?:explanation|shape): (?!none of|unclear)(?:.*\n)(?:(?:  |two dim|the file has|the first dim).*\n)*", answer, re.MULTILINE)
    return found.group() if found else ""


def alike_in(answer):
    found = re.search(r"^\d+ other explanations? gives? the same numbers here: .*", answer, re.MULTILINE)
    return found.group() if found else ""


def verdict_on(cause, alone, whole):
    said = explanation_in(alone.text)
    if alone.status != 1 or whole.status != 1:
        return "passes"
    if not said:
        return "nothing"
    if re.search(cause, said):
        return "named"
    return "alike" if re.search(cause, alike_in(alone.text)) else "false"


def slip(lesson, step, edits, cause):
    program = lesson_of(lesson)
    wrong = tensors_of(program, edited(text_of(program), *edits.items()))
    wanted = first_wrong(right_tensors(lesson), wrong)
    alone, whole = yield [ask(printed(wrong[step]), "step.txt", lesson, "--step", step), ask(npz(wrong), "dump.npz", lesson)]
    verdict = verdict_on(cause, alone, whole)
    first = re.search(r"^wrong: the first wrong step is (.*?);", whole.text, re.MULTILINE)
    problems = [f"the answer: {alone.text}{alone.errors}"] * (verdict in ("passes", "false"))
    problems += [f"the first wrong step is {wanted}, not {first and first.group(1)}"] * (not first or first.group(1) != wanted)
    in_dump = ["named in the dump"] * (re.search(cause, explanation_in(whole.text)) is not None)
    return Verdict(problems, [verdict, *in_dump], [explanation_in(alone.text) + alike_in(alone.text)])


def slips(table):
    for lesson, step, story, edits, cause in table.SLIPS:
        yield f"{lesson}, {step}: {story}", slip(lesson, step, edits, cause)


SILENT = {"none", "equal", "unclear", "nan"}


def squeezed(text):
    return "".join(text.split())


def said_first(answer):
    """The code; of a line without a name, the line."""
    if answer["code"] != "edit":
        return answer["code"]
    return squeezed((answer["shape_relation"] or answer["explanations"][0])["line"])


def wanted_ones(wanted):
    """Names of one arithmetic with / between, a piece of a line, which has " = ", or several of these; None: nothing. The pieces
    of lines and the names."""
    ones = [] if wanted is None else [wanted] if isinstance(wanted, str) else wanted
    return [squeezed(one) for one in ones if " = " in one], [one for one in ones if " = " not in one]


def coded(text, variable, words, forms, judge, name="student.txt"):
    """A tensor of a program in some forms; judge takes the answer to each."""
    tensor = names_of(text)[variable].detach()
    answers = yield [ask(FORMS[form](tensor), "student.npy" if form == "npy" else name, *words, "--format=json") for form in forms]
    return judge({form: answer.json for form, answer in zip(forms, answers)})


def all_equal(answers):
    return Verdict([answer["code"] for answer in answers.values() if answer["verdict"] != "equal"])


def nothing_false(wanted, answers):
    problems, codes = [], {form: said_first(answer) for form, answer in answers.items()}
    lines, names = wanted_ones(wanted)
    for form, code in codes.items():
        is_wanted = (any(line in code for line in lines) if answers[form]["code"] == "edit" else
                     any(set(code.split("/")) <= set(name.split("/")) for name in names))
        if code not in SILENT and not is_wanted:
            problems += [f"{form}: {code}, which is not {wanted}"]
        if wanted is not None and form == "npy" and code in SILENT:
            problems += [f"{form}: {code} in place of {wanted}"]
        if "computed from rounded numbers" in (answers[form]["hint"] or ""):
            problems += [f"{form}: taken for rounded numbers"]
    return Verdict(problems, [f"{form}: named" for form, code in codes.items() if code not in SILENT], [" | ".join(codes.values())])


def wrong(table):
    def words(step):  # "training --updates=20 --step=adamw: W_query_after": only the last of the words has blanks
        return [*re.split(" (?=--)", step), "--thorough"]

    for program, variable, step in sorted({row[:3] for row in table.WRONG}):
        yield f"right: {step}", coded(table.PROGRAMS[program], variable, words(step), ["npy"], all_equal)
    for program, variable, step, old, new, wanted in table.WRONG:
        yield f"{step}: {new.strip()!r} for {old.strip()!r}: {wanted}", coded(
            edited(table.PROGRAMS[program], (old, new)), variable, words(step), ["npy", "plain", "plain, 2 decimals"],
            functools.partial(nothing_false, wanted))


def named_first(wanted, answers):
    """None: nothing may be named. A place is no cause."""
    lines, names = wanted_ones(wanted)

    def is_well(answer):
        code = said_first(answer)
        if answer["code"] == "edit":
            return any(line in code for line in lines)
        return code in ("none", "place") if wanted is None else code.count("/") <= 1 and any(name in code.split("/") for name in names)
    return Verdict([f"{said_first(answer)}, not {wanted}" for answer in answers.values() if not is_well(answer)])


def students(table):
    def program(name, judge, *edits):
        text, words = table.PROGRAMS[name]
        return coded(edited(text, *edits), "result", words, ["json", "plain"], judge, "-")

    for name in table.PROGRAMS:
        yield f"{name}, right", program(name, all_equal)
    for name, old, new, *code in table.NAMED + table.UNNAMED:
        wanted = code[0] if code else None
        yield f"{name}: {new.strip()!r}, {wanted or 'none'}", program(name, functools.partial(named_first, wanted), (old, new))


def line_of(code, options, step, expression, *typed):
    """A slip's line in data/relations.txt, and its numbers."""
    lesson = lesson_of(*options.split())
    names, tensor = names_at(lesson, step.split("[")[0], edited(text_of(lesson), *zip(typed[::2], typed[1::2])))
    result = eval(expression, {**names, "x": tensor}).detach()
    return f"{options} | {step} | {code} | {'x'.join(map(str, result.shape)) or '-'} | ", result.flatten()


def relation(slip, line):
    start, numbers = line_of(*slip)
    yield []
    recorded = line[len(start):].split() if line.startswith(start) else []
    is_same = len(recorded) == len(numbers) and numpy.allclose(numpy.array(recorded, float), numbers.numpy(), 1e-4, 1e-6, equal_nan=True)
    return Verdict([f"not in data/relations.txt: {start}{numbers.tolist()}"] * (not is_same))


def relations(table):
    if OPTIONS.record:
        lines = ((start, " ".join(f"{number:.9g}" for number in numbers.tolist())) for start, numbers in (line_of(*slip) for slip in table.SLIPS))
        write_data("relations.txt", "".join(start + numbers + "\n" for start, numbers in lines))
    for slip, line in itertools.zip_longest(table.SLIPS, pathlib.Path(DATA, "relations.txt").read_text().splitlines(), fillvalue=""):
        yield f"{' | '.join(slip)}", relation(slip, line)


def unusual_program(table, lesson, step, code):
    """What the code has for the step, behind all that the lesson has computed up to it."""
    torch.manual_seed(0)
    names, _ = names_at(lesson_of(lesson), step, names={**vars(table)})
    value = eval(code, names)
    value = value.detach() if isinstance(value, torch.Tensor) else value
    answers = yield [ask(printed(value), "print.txt", lesson, "--step", step), ask(npy(value), "all.npy", lesson, "--step", step)]
    return Verdict([answer.text + answer.errors for answer in answers if answer.status != 0])


def unusual(table):
    for lesson, step, code in table.PROGRAMS:
        yield f"{lesson}, {step}: {code}", unusual_program(table, lesson, step, code)


@functools.lru_cache(None)
def module():
    """onestep.py, as Jupyter has it."""
    os.environ["ONESTEP"] = OPTIONS.onestep
    spec = importlib.util.spec_from_file_location("onestep", os.path.join(os.path.dirname(OPTIONS.onestep), "python", "onestep.py"))
    onestep = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(onestep)
    return onestep


def dump(lesson, parameters, text, slips):
    """Each slip is what is typed in place of what, its first wrong step, and its causes."""
    names = names_of(edited(text, *(slip[:2] for slip in slips)))
    names.update(names.pop("names", {}))
    verdict, = yield [functools.partial(module().verdict_all, lesson, names, **parameters)]
    said = verdict.answer
    wrong = [step["step"] for step in said["steps"] if step["standing"] == "wrong"]
    if not slips:
        is_right = verdict or (said["verdict"] == "part" and said["unjudged"] == ["length"])  # as wide as a layer
        return Verdict([] if is_right else [f"wrong: {wrong}"])
    codes = dict(zip(wrong, (answer["code"] for answer in said["answers"])))
    steps = [step for _, _, step, _ in slips]
    is_right = wrong[0] == steps[0] and set(steps) <= set(codes)
    if len(slips) == 2:  # nothing else is called wrong
        is_right = is_right and len(codes) == 2
    is_named = all(set(codes.get(step, "").split("/")) & set(causes.split()) for _, _, step, causes in slips)
    return Verdict([] if is_right else [f"expected {steps}, found {codes}"], ["named"] * is_named, [f"{codes}"])


def dumps(table):
    for program, right in table.RIGHT.items():
        yield f"right: {program}", dump(*right, [])
    for program, *words in table.ONE + table.TWO:
        slips = [words[:4], words[4:]][:len(words) // 4]
        yield f"{program}: {' and '.join(repr(new) for _, new, _, _ in slips)}", dump(*table.RIGHT[program], slips)


def styled(lesson, parameters, text, steps, judge):
    """The dump of a program, and then the program itself."""
    names = names_in_calls(text)
    of_steps = npz({step: eval(expression, names) for step, expression in steps.items()})
    answers = yield [ask(of_steps, "program.npz", lesson, *parameters), ask(text, "program.py", lesson, *parameters)]
    return judge(*answers)._replace(notes=[answer.text + answer.errors for answer in answers])


def styles(table):
    def right(dump, program):
        return Verdict([answer.text for answer in (dump, program) if answer.status != 0])

    def wrong(number, line, dump, program):
        has_line = "".join(line.split()) in "".join((program.text + program.errors).split())
        return Verdict([dump.text] * (dump.status == 0 and number not in table.UNSEEN), ["the line"] * has_line)

    for name, program in table.BASES.items():
        yield f"right: {name}", styled(*program, right)
    for number, (name, old, new, line) in enumerate(table.ROWS, 1):
        lesson, parameters, text, steps = table.BASES[name]
        assert text.count(old) == 1, (number, old)
        yield f"wrong: {number}, {name}", styled(lesson, parameters, text.replace(old, new), steps, functools.partial(wrong, number, line or new))


def filled_in(path, name, expression):
    """Runs a copy of the script with its blank filled in; its file lies where the script's own would."""
    text = path.read_text()
    blank = f"{name} = ..."
    assert text.count(blank) == 1, f"{text.count(blank)} blanks"
    names_of(text.replace(blank, f"{name} = {expression}"), {"__file__": str(path), "__name__": "__main__", "print": lambda *_: None})
    return path.with_suffix(".txt").read_bytes()


def practise(folder):
    return subprocess.run([OPTIONS.onestep, "practice"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def exercise(path, lesson, step, answer, wrong_ones):
    folder, name, problems = path.parent.parent, step.split(": ")[-1], []
    for expression, code in wrong_ones.items():
        numbers = filled_in(path, name, expression)
        found = asked(numbers, "exercise.txt", lesson, "--step", step, "--bernoulli=any", "--format=json").json
        lines, names = wanted_ones(code)
        problems += [f"{expression}: {said_first(found)}, not {code}"] * (said_first(found) not in lines + names)
        said = practise(folder)
        problems += [f"{expression}: it says {said[-300:]}"] * (f"right: {step}\n" in said or f"{name} = {answer}\n" in said)
    filled_in(path, name, answer)
    said = practise(folder)
    problems += [f"{answer}: it says {said[-300:]}"] * (f"right: {step}\n" not in said)
    yield []  # all has been asked: `practice` looks at one folder
    return Verdict(problems)


def practice(table):
    folder = pathlib.Path(OPTIONS.folder, "practice")
    folder.mkdir()
    practise(folder)
    for (name, answer), path in zip(table.ANSWERS.items(), sorted(folder.glob("practice/*.py")), strict=True):
        yield name, exercise(path, *name.split(" ", 1), *answer)


def values_in(table, kind, lesson):
    """Each step's tensor, as a program has it that computes in such a type."""
    tensors = {}
    with table.mode(kind):
        for step, names in run_steps(lesson, after=lambda names: table.convert(names, table.TYPES[kind])):
            if step["group"] != "mcg31m1":  # no PyTorch without MKL draws such masks
                value = torch.as_tensor(eval(step["expression"], names)).detach().clone()
                tensors[label(step)] = value.float() if value.dtype == torch.bfloat16 else value  # which .npz has not
    return tensors


def with_softmax_over_rows(lesson):
    """The lesson with the first softmax over the last dimension of a matrix over the one before, and that step."""
    for step in lesson["steps"]:
        if re.search(r"softmax\(.*dim=-1", step["statement"]) and len(step["shape"]) > 1 and step["shape"][-2] > 1:
            changed = {**step, "statement": step["statement"].replace("dim=-1", "dim=-2")}
            return label(step), {**lesson, "steps": [changed if each is step else each for each in lesson["steps"]]}
    return None, None


def half(table, kind, lesson):
    def both(lesson):
        dump = npz(values_in(table, kind, lesson))
        return [ask(dump, "dump.npz", lesson["lesson"], *options, "--format", "json") for options in ([], ["--dtype", kind])]

    changed, wrong = with_softmax_over_rows(lesson)
    answers = yield both(lesson) + (both(wrong) if changed else [])
    said = [f"{answer.json['verdict']} of {answer.json.get('precision')} first at {answer.json['first_wrong']}" for answer in answers]
    found, as_type = answers[0].json, answers[1].json
    problems = []
    if (answers[0].status, found["verdict"], found["precision"]) != (1, "rounded", kind) or found["answers"]:
        problems += [f"is {said[0]}"]
    if answers[1].status != 0 or as_type["verdict"] not in ("equal", "part"):
        problems += [f"--dtype {kind}: {said[1]}"]
    problems += [f"softmax over rows in {changed}: {what}" for what, answer in zip(said[2:], answers[2:])
                 if (answer.status, answer.json["first_wrong"]) != (1, changed)]
    return Verdict(problems, notes=[answer.json["answers"][0]["code"] for answer in answers[2:]])


def halves(table):
    for name in lessons():
        for kind in table.TYPES:
            if name not in ("training", "sampling") and (name, kind) not in table.LEFT_OUT:
                yield f"{name} in {kind}", half(table, kind, lesson_of(name))


def form(content, name, lesson, step):
    """Never another verdict than accepted; or refused in one line that says what to do."""
    answer, = yield [ask(content, name, lesson, "--step", step)]
    said = (answer.text + answer.errors).strip()
    is_refused = answer.status == 2 and len(said.splitlines()) == 1 and re.search(r"\b(take|put|write|choose)\b", said)
    verdict = "accepted" if answer.status == 0 else "refused" if is_refused else "wrong"
    return Verdict([said] * (verdict == "wrong"), [verdict], [said])


def forms(table):
    right = list(table.right_files())
    if OPTIONS.record:
        listed = "".join(f"{lesson} {step} {name}\n" for name, lesson, step, _ in right)
        for name, content in [(name, content) for name, *_, content in right] + [*table.wrong_files(), ("right.txt", listed)]:
            write_data(f"check/{name}", content)
    for name, lesson, step, content in right:
        yield name, form(content, name, lesson, step)
    for name, text in table.COPIED.items():
        yield name, form(text, "copied.txt", "causal", "context")
    for name, (text, cell) in table.NOTEBOOKS.items():
        yield name, form(text, "notebook.ipynb" + cell, "causal", "context")


ACCEPTED = "equal", "coarse", "unjudged"


def own_tensors(lesson):
    is_mcg31m1 = lesson["parameters"].get("bernoulli") == "mcg31m1" and lesson["lesson"] != "dropout"
    with contextlib.redirect_stdout(None):
        return [(label(step), eval(step["expression"], names).detach().clone()) for step, names in run_steps(lesson)
                if step["group"] != "mcg31m1" and not is_mcg31m1]  # no PyTorch without MKL draws this stream


def tensors_for(table, lesson):
    """Steps with tensors that right programs have for them: the lesson's own program, and another one."""
    yield from own_tensors(lesson)
    known = {label(step) for step in lesson["steps"]}
    if lesson["lesson"] in table.OTHERS:
        others = table.OTHERS[lesson["lesson"]](names_of(lesson["setup"]), lesson["parameters"])
        yield from (pair for pair in others if pair[0] in known)


def right_prints(table, name, uses):
    """Of a lesson with many steps some, each in a form of its own."""
    r, names, questions = random.Random(f"{OPTIONS.seed} {name}"), [], []
    for i in range(OPTIONS.runs):
        own = os.path.join(OPTIONS.folder, f"{name}{i}")
        os.mkdir(own)
        arguments = [name] if i == 0 else list(Parameters(r, name, uses, own, r.random() < 0.3))
        lesson = lesson_of(*arguments)
        for step, tensor in tensors_for(table, lesson):
            if r.random() < min(1, 30 / len(lesson["steps"])):
                kind = r.choice(table.FORMS)
                words = [name, f"--step={step}", *arguments[1:], "--format=json"]
                names.append(f"check {' '.join(words)} ({kind})")
                questions.append(ask(FORMS[kind](tensor.detach()), "-", *words))
    answers = yield questions
    problems, verdicts = [], []
    for where, answer in zip(names, answers):
        found = answer.json if answer.status != 2 else {"verdict": "refused"}
        is_right = answer.status == 0 and found["verdict"] in ACCEPTED
        verdicts.append(found["verdict"])
        problems += [f"{where}: {answer.status} {answer.text[:2000]}{answer.errors}"] * (not is_right)
    return Verdict(problems, verdicts, [where for where, verdict in zip(names, verdicts) if verdict == "unjudged"])


def right(table):
    if OPTIONS.record:
        record_right(table)
    for name, uses in lessons().items():
        yield name, right_prints(table, name, uses)


def record_right(table):
    version = ".".join(torch.__version__.split(".")[:2])
    names = names_of(lesson_of("split_head")["setup"])
    write_data(f"check/dropout-on-values-{version}.txt", printed(table.dropped_values(names), precision=8) + "\n")
    for arguments, steps in table.RECORDED.items():
        for step, tensor in own_tensors(lesson_of(*arguments.split())):
            if step in steps:
                name = f"rounding {version} {arguments} {step}.txt".replace("--", "").replace(": ", ".").replace(" ", "-")
                write_data(f"check/{name}", printed(tensor, precision=4 if tensor.dim() == 1 else 8) + "\n")


KINDS = {function.__name__: function for function in (slips, wrong, relations, unusual, forms, students, dumps, styles, practice, halves, right)}


# --- Counting --------------------------------------------------------------------------------------------------------


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def say(self, name, problems, notes=()):
        self.number += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {name}")
        for line in "\n".join([*problems, *notes]).splitlines():
            print(f"# {line}")
        sys.stdout.flush()


def go_on(case, answers=None):
    """A case's next questions, or its verdict."""
    try:
        return case.send(answers)
    except StopIteration as end:
        return end.value
    except Exception as error:
        return Verdict([f"{type(error).__name__}: {error}"])


def counted(words):
    counts = collections.Counter(words)
    return ": " * bool(counts) + ", ".join(f"{count} {word}" if count > 1 else word for word, count in counts.items())


def run_table(name, pool, tap):
    """Prints a line for each case, and the counts; enough of some words must be said."""
    table, waiting, counts = importlib.import_module(f"checks.{name}"), [], collections.Counter()
    for title, case in KINDS[name](table):
        if OPTIONS.only in title:
            answers = go_on(case)
            waiting.append((title, case, answers if isinstance(answers, Verdict) else [pool.submit(question) for question in answers]))
    for title, case, answers in waiting:
        verdict = answers if isinstance(answers, Verdict) else go_on(case, [answer.result() for answer in answers])
        counts.update(verdict.counts)
        tap.say(title + counted(verdict.counts), verdict.problems, verdict.notes if OPTIONS.list else [])
    print(f"# {name}, PyTorch {torch.__version__}, {len(waiting)} cases{counted(counts)}")
    if not OPTIONS.only:
        for word, least in getattr(table, "ENOUGH", {}).items():
            tap.say(f"{name}: at least {least} {word}", [f"{counts[word]}"] * (counts[word] < least))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="+", choices=KINDS, metavar="TABLE")
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("--only", default="", help="the cases with this text in their names")
    parser.add_argument("--list", action="store_true", help="write what was said")
    parser.add_argument("--as-it-is", action="store_true", help="PyTorch as it runs on this machine")
    parser.add_argument("--record", action="store_true", help="write a table's files in tests/data anew")
    parser.add_argument("--runs", type=int, default=4, help="of each lesson, for the table right")
    parser.add_argument("--seed", type=int, default=1, help="of their parameters")
    return parser.parse_args()


def main():
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # of onestep; PyTorch's generator is one for all threads
        for name in OPTIONS.tables:
            run_table(name, pool, tap)
    print(f"1..{tap.number}")
    return tap.failed > 0


if __name__ == "__main__":
    OPTIONS = options()
    warnings.simplefilter("ignore")  # of 1.13, about .T
    with tempfile.TemporaryDirectory() as OPTIONS.folder:
        sys.exit(main())
