"""The module onestep.py: does it ask onestep, and do without it?

usage: module.py ONESTEP MODULE

Needs neither PyTorch nor NumPy: lists are numbers, too. Speaks TAP.
"""
import html.parser
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import tap
from stand_in import Tensor


def values(*arguments):
    output = subprocess.run([ONESTEP, "print", *arguments, "--format=json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)["lessons"][0]["steps"][0]["values"]


def wrong_of(call, *arguments, **more):
    try:
        call(*arguments, **more)
    except onestep.Wrong as error:
        assert error._render_traceback_() == str(error).splitlines()
        return str(error)
    raise AssertionError("nothing was raised")


def right_numbers_pass():
    found = onestep.check("causal", "context", values("causal", "--step=context"))
    assert found and found.code == "equal" and str(found).startswith("equal: all 12 numbers"), found
    assert onestep.check("causal", "context", values("causal", "--step=context", "--seed=5", "--bias"), seed=5, bias=True)
    assert onestep.check("split_head", "output", values("split_head", "--step=output", "--d-out=4"), d_out=4)


def wrong_numbers_get_their_diagnosis():
    numbers = values("causal", "--step=context", "--what-if=mask-zero")
    text = wrong_of(onestep.check, "causal", "context", numbers)
    assert "explanation: mask-zero" in text and "file:" not in text, text
    found = onestep.verdict("causal", "context", numbers)
    assert not found and found.code == "mask-zero" and "<pre" in found._repr_html_() and "&#x27;" in found._repr_html_() + "&#x27;"
    assert "is still left out" in wrong_of(onestep.check, "causal", "context", ...)


def all_of(*arguments):
    """The steps of a lesson by their names, as a student's locals() would have them."""
    output = subprocess.run([ONESTEP, "print", *arguments, "--format=json"], stdout=subprocess.PIPE, check=True).stdout
    infinite = {"-inf": float("-inf"), "inf": float("inf"), "nan": float("nan")}

    def numbers(value):
        return [numbers(part) for part in value] if isinstance(value, list) else infinite.get(value, value)
    return {step["name"]: numbers(step["values"]) for step in json.loads(output)["lessons"][0]["steps"] if not step["group"]}


def all_tensors_are_checked_at_once():
    mine = all_of("causal")
    found = onestep.check_all("causal", {**mine, "d_in": 3, "_": mine["keys"], "name": "x", "nothing": None, "module": onestep})
    assert found and found.code == "equal" and found.first_wrong is None, found
    assert onestep.check_all("causal", all_of("causal", "--seed=5"), seed=5)
    layer = type("Linear", (), {"weight": mine["W_query"]})()
    assert onestep.check_all("causal", {"W_query": layer}).answer["counts"]["equal"] == 1
    wrong = all_of("causal", "--what-if=no-scale")
    text = wrong_of(onestep.check_all, "causal", wrong)
    assert text.startswith("wrong: the first wrong step is ") and "no-scale" in text and "file:" not in text, text
    found = onestep.verdict_all("causal", wrong)
    assert not found and found.code.split("/")[0] == "no-scale" and found.first_wrong == found.answer["first_wrong"], found.code


def the_lesson_may_stand_behind_the_tensors():
    assert onestep.check_all(all_of("causal"), "causal")


def a_cell_shows_a_figure_or_the_page():
    shown = onestep.show("causal/scores", seed=5)
    text = subprocess.run([ONESTEP, "screen", "causal", "--step=scores", "--seed=5"], stdout=subprocess.PIPE).stdout.decode()
    assert str(shown) == text and shown.link == "#causal/scores?seed=5", shown.link
    with tempfile.TemporaryDirectory() as folder:
        program, page = os.path.join(folder, "bin", "onestep"), os.path.join(folder, "share", "onestep", "onestep.html")
        os.makedirs(os.path.dirname(program))
        os.makedirs(os.path.dirname(page))
        shutil.copy(ONESTEP, program)
        os.environ["ONESTEP"] = program
        try:
            still = onestep.show("wrapper/head 2: scores")._repr_html_()
            assert still.startswith("<svg") and "onestep.html is not installed" in still and "./start web" in still, still
            with open(page, "w", encoding="utf-8") as file:
                file.write('<p title="a">&amp;</p>')
            drawn = onestep.show("wrapper/head 2: scores", height=300)._repr_html_()
        finally:
            os.environ["ONESTEP"] = ONESTEP
    frame = html.parser.HTMLParser()
    frames = []
    frame.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)))
    frame.feed(drawn)
    [(tag, attributes)] = frames
    assert tag == "iframe" and attributes["srcdoc"] == '<p title="a">&amp;</p>' and "height:300px" in attributes["style"], drawn
    assert attributes["name"].startswith("#wrapper/") and "not installed" not in drawn, drawn
    for wrong in "nothing", "causal/nothing":
        try:
            onestep.show(wrong)
        except ValueError as error:
            assert str(error).startswith("onestep: "), error
        else:
            raise AssertionError(wrong)


def the_program_beside_this_python_comes_first():
    before, path = sysconfig.get_path, os.environ.pop("ONESTEP")
    sysconfig.get_path = lambda name, scheme=None: os.path.dirname(ONESTEP) if scheme is None else "/nowhere"
    try:
        assert onestep.program() == ONESTEP, onestep.program()
    finally:
        sysconfig.get_path, os.environ["ONESTEP"] = before, path


def other_names_are_mapped():
    mine = {"attn_scores": all_of("causal")["scores"], "scores": [[1.0]]}
    assert onestep.check_all("causal", mine, {"attn_scores": "scores"})
    for tensors, words in (({"attn": [[0.5, 1.0]]}, "no name"), ({"d_in": 3}, "no tensors")):
        try:
            onestep.check_all("causal", tensors)
        except ValueError as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)


class Raises:
    """An object whose every attribute raises what is no AttributeError."""
    def __getattr__(self, name):
        raise RuntimeError(name)


class Unlisted:
    """An array whose numbers cannot be had."""
    shape, dtype = (2, 2), "float32"

    def tolist(self):
        raise RuntimeError("on another machine")


class Large:
    """A tensor of more numbers than any step has; nobody may ask for them."""
    shape, dtype = (50257, 768), "float32"

    def tolist(self):
        sys.exit("the numbers of a large tensor were listed")


def unrelated_names_are_not_in_the_way():
    myself, twins, deep, shared = [], [], 1.0, [0.5] * 100
    myself.append(myself)
    twins += [twins] * 1000
    for _ in range(100000):
        deep = [deep]
    for _ in range(40):
        shared = [shared, shared]
    strange = {"myself": myself, "twins": twins, "deep": deep, "shared": shared, "raises": Raises(), "unlisted": Unlisted(),
               "large": Large(), "ragged": [[1.0], [1.0, 2.0]], "mixed": [1.0, myself], 3: [1.0], None: [2.0], "a\0b": [1.0],
               ("scores",): [[1.0]], "\ud800": [1.0]}
    mine = all_of("causal")
    for name, value in strange.items():
        assert onestep.check_all("causal", {**mine, name: value}).first_wrong is None, name
    assert onestep.check_all("causal", {**strange, **mine})


def refusal_of(call, *arguments, **more):
    """The message of the ValueError or FileNotFoundError that is raised; nothing else may be."""
    try:
        call(*arguments, **more)
    except (ValueError, FileNotFoundError) as error:
        assert "\n" not in str(error), error
        return str(error)
    raise AssertionError((arguments, more))


def errors_speak_python():
    mine, numbers = all_of("causal"), values("causal", "--step=context")
    assert onestep.check(3, "context", numbers) and onestep.check_all(3, mine) and onestep.check_all(mine, 3)
    for lesson in "--help", "-", "--version", None, 1.5, True, ["causal"]:
        assert "a name or a number" in refusal_of(onestep.check, lesson, "context", numbers)
        if not isinstance(lesson, bool):
            assert "a name or a number" in refusal_of(onestep.check_all, lesson, mine), lesson
    for name in "help", "version", "format", "output", "roster":
        assert f"{name}= is no parameter" in refusal_of(onestep.check, "causal", "context", numbers, **{name: True})
        assert f"{name}= is no parameter" in refusal_of(onestep.show, "causal", **{name: True})
    assert "no lesson has a parameter d_outs=" in refusal_of(onestep.check, "causal", "context", numbers, d_outs=1)
    assert "seed= takes a whole number" in refusal_of(onestep.check, "causal", "context", numbers, seed="x")
    others = [[0.5 + 0.7 * x for x in row] for row in mine["scores"]]
    assert 'names={"my_scores": "scores"}' in refusal_of(onestep.check_all, "causal", {"my_scores": others})
    part = onestep.verdict_all("causal", {"my_scores": others, "keys": mine["keys"]})
    assert not part and part.code == "part" and 'give names={"my_scores": "scores"}' in str(part), part
    assert "names= takes a dictionary" in refusal_of(onestep.check_all, "causal", mine, ["scores"])
    assert "a dictionary" in refusal_of(onestep.check_all, "causal", [mine["scores"]])
    assert "-x" in refusal_of(onestep.check, "causal", "-x", numbers)
    assert "--" not in refusal_of(onestep.check_all, "causal", {"my_scores": others})
    for tensor in Raises(), Unlisted():
        assert "RuntimeError" in refusal_of(onestep.check, "causal", "context", tensor)


def another_program_is_not_onestep():
    with tempfile.TemporaryDirectory() as folder:
        damaged = os.path.join(folder, "damaged")
        with open(damaged, "wb") as file:
            file.write(b"\x7fELF")
        os.chmod(damaged, 0o755)
        for program in shutil.which("false"), shutil.which("true"), shutil.which("grep"), damaged:
            os.environ["ONESTEP"] = program
            try:
                for call in (lambda: onestep.check("causal", "context", [[1.0]]), lambda: onestep.show("causal"),
                             lambda: onestep.check_all("causal", {"scores": [[1.0]]})):
                    assert "set ONESTEP to the path of onestep" in refusal_of(call), program
            finally:
                os.environ["ONESTEP"] = ONESTEP


def a_step_has_a_number_too():
    assert onestep.check("simplified", 1, values("simplified", "--step=1"))


def what_cannot_be_is_said():
    for arguments in ("causal", "nothing", [[1.0]]), ("nothing", "context", [[1.0]]), ("causal", "context", [["x"]]):
        try:
            onestep.check(*arguments)
        except ValueError as error:
            assert str(error).startswith("onestep: "), error
        else:
            raise AssertionError(arguments)


def prints_do_without_onestep():
    os.environ["ONESTEP"] = "no-such-program"
    try:
        right = Tensor([1.0, 2.0], "tensor([1., 2.])")
        assert str(onestep.check("lesson", "step", right, "tensor([1., 2.])")) == "step: equal"
        text = wrong_of(onestep.check, "lesson", "step", right, "tensor([1., 3.])")
        assert "1 of 2 numbers differ" in text and "install onestep" in text, text
        try:
            onestep.check("causal", "context", right)
        except FileNotFoundError as error:
            assert "onestep is not in PATH" in str(error)
    finally:
        os.environ["ONESTEP"] = ONESTEP


def prints_get_a_diagnosis_with_onestep():
    numbers = values("causal", "--step=context", "--what-if=no-scale")
    right = subprocess.run([ONESTEP, "print", "causal", "--step=context"], stdout=subprocess.PIPE).stdout.decode().strip()
    text = wrong_of(onestep.check, "causal", "context", Tensor(numbers, "another"), right)
    assert "explanation: no-scale" in text, text


ONESTEP = os.environ["ONESTEP"] = os.path.abspath(sys.argv[1])
spec = importlib.util.spec_from_file_location("onestep", os.path.abspath(sys.argv[2]))
sys.dont_write_bytecode = True
onestep = importlib.util.module_from_spec(spec)
spec.loader.exec_module(onestep)
TESTS = [right_numbers_pass, wrong_numbers_get_their_diagnosis, all_tensors_are_checked_at_once,
         the_lesson_may_stand_behind_the_tensors, a_cell_shows_a_figure_or_the_page, the_program_beside_this_python_comes_first,
         other_names_are_mapped, unrelated_names_are_not_in_the_way, errors_speak_python, another_program_is_not_onestep,
         a_step_has_a_number_too, what_cannot_be_is_said, prints_do_without_onestep, prints_get_a_diagnosis_with_onestep]
sys.exit(tap.run(TESTS))
