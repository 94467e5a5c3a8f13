"""Does `onestep practice` see what scripts write, keep the place, and leave the student's scripts alone?

usage: practice.py ONESTEP

Needs no PyTorch: what the scripts would write is written here. tests/pytorch_checks.py practice runs them. Speaks TAP.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

FIRST, SECOND = "01_simplified_query_scores", "02_simplified_query_weights_by_sum"


def practise(*arguments, keys=""):
    return subprocess.run([ONESTEP, "practice", *arguments], cwd=FOLDER, input=keys, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=60)


def numbers(values):
    """As lists, and -inf as what Python takes for it."""
    return [numbers(value) for value in values] if isinstance(values, list) else float(values)


def write(name, lesson, step, *options):
    printed = subprocess.run([ONESTEP, "print", lesson, "--step", step, "--format=json", *options], stdout=subprocess.PIPE,
                             check=True).stdout
    values = json.loads(printed)["lessons"][0]["steps"][0]["values"]
    (FOLDER / "practice" / f"{name}.txt").write_text(repr(numbers(values)) + "\n")


def scripts_are_written_and_are_python():
    done = practise()
    assert done.returncode == 0 and not done.stderr, done
    scripts = sorted((FOLDER / "practice").glob("*.py"))
    assert 30 <= len(scripts) <= 120, scripts
    for script in scripts:
        text = script.read_text()
        compile(text, script.name, "exec")
        assert len(re.findall(r"^\w+ = \.\.\.$", text, re.M)) == 1, text
    assert done.stdout.startswith("\n1 of "), done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout


def keys_ask_for_hints_and_solutions():
    said = practise(keys="h\nh\nh\nh\ns\nq\n").stdout
    places = [said.index(f"hint {number} of 3: ") for number in (1, 2, 3)]
    assert places == sorted(places) and "no more hints" in said, said
    assert "solution: query_scores = inputs @ query\n" in said, said
    assert "inputs @ query\n" not in practise(keys="h\nh\nh\nq\n").stdout


def keys_lead_on_and_back_and_the_place_is_kept():
    said = practise(keys="n\nn\nb\nq\n").stdout
    assert re.findall(r"^(\d+) of ", said, re.M) == ["1", "2", "3", "2"], said
    assert (FOLDER / "practice" / "place.txt").read_text() == SECOND + "\n"
    assert practise().stdout.startswith("\n2 of ")
    assert practise(keys="b\nb\nq\n").stdout.count("\n1 of ") == 1  # nothing is before the first


def a_lesson_is_a_way_through():
    assert ", causal: " in practise("causal").stdout.splitlines()[1]
    assert ", causal: " in practise("3").stdout.splitlines()[1]


def mistakes_are_named_and_nothing_is_given_away():
    name = next((FOLDER / "practice").glob("*_causal_causal_weights.py")).stem
    write(name, "causal", "causal_weights", "--what-if=no-scale")
    said = practise("causal", keys="n\nn\nn\nq\n").stdout
    assert "explanation: no-scale\n" in said and " instead of " not in said, said
    write(name, "causal", "causal_weights")
    said = practise("causal", keys="n\nn\nn\nq\n").stdout
    assert "right: causal_weights\n" in said and "explanation: " not in said, said
    (FOLDER / "practice" / f"{name}.txt").write_text("nothing")
    said = practise("causal", keys="n\nn\nn\nq\n").stdout
    assert f"/{name}.txt" in said and "right: " not in said, said


def a_script_that_crashes_tells_its_last_line():
    script = FOLDER / "practice" / f"{FIRST}.py"
    text = script.read_text()
    own = re.sub(r"(?s)import torch.*?^query_scores = \.\.\.", "query_scores = inputs @ qery", text, flags=re.M)
    script.write_text(own)
    ran = subprocess.run([sys.executable, script], stderr=subprocess.PIPE)
    assert ran.returncode == 1 and b"Traceback" in ran.stderr, ran
    said = practise("simplified", keys="q\n").stdout
    assert "your script ended with NameError: name 'inputs' is not defined\n" in said, said
    (FOLDER / "practice" / f"{FIRST}.txt").unlink()
    script.write_text(text)


def no_line_is_longer_than_the_screen():
    name = next((FOLDER / "practice").glob("*_causal_causal_weights.py")).stem
    write(name, "causal", "causal_weights", "--what-if=no-scale")
    said = practise("causal", keys="n\nn\nn\nq\n").stdout
    assert all(len(line) <= 80 for line in said.splitlines()) and "explanation: no-scale\n" in said, said
    assert "\n  Scores not divided" in said, said


def blanks_keep_their_lines_and_words():
    """Of every exercise: two-line statements are indented, and no line is wider than the screen, so no word is broken."""
    said = practise("simplified", keys="h\nh\nh\ns\nn\n" * 120).stdout
    assert "\n  query = queries[query_index]\n  query_scores = ...\n" in said, said
    assert "\n  torch.manual_seed(123)\n  weights_dropped = ...\n" in said, said
    wide = [line for line in said.splitlines() if len(line) > 80]
    assert not wide, wide
    answers = re.findall(r"^solution:\s+\w+ = .+$", said, re.M)
    assert len(answers) == len(list((FOLDER / "practice").glob("*.py"))), answers


def at_most_three_mistakes_are_told():
    for step, mistake in ("context_contiguous", "mask-inverted"), ("context_contiguous", "scale-by-d-out"):
        name = next((FOLDER / "practice").glob(f"*_split_head_{step}.py")).stem
        write(name, "split_head", step, f"--what-if={mistake}")
        said = practise("split_head", keys="n\n" * 3 + "q\n").stdout
        (FOLDER / "practice" / f"{name}.txt").unlink()
        assert 1 <= said.count("look for: ") <= 3, said


def a_script_of_the_students_stays():
    script = FOLDER / "practice" / f"{FIRST}.py"
    script.write_text("print('mine')\n")
    practise()
    assert script.read_text() == "print('mine')\n"


def what_is_written_later_is_seen():
    os.unlink(FOLDER / "practice" / "place.txt")
    child = subprocess.Popen([ONESTEP, "practice"], cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             encoding="utf-8")
    try:
        while not child.stdout.readline().startswith("Keys"):
            pass
        write(FIRST, "simplified", "query_scores")
        assert child.stdout.readline() == "right: query_scores\n"
        child.stdin.write("q\n")
        child.stdin.flush()
        assert "\n2 of " in child.stdout.read()
        assert child.wait(timeout=20) == 0
    finally:
        child.kill()
        child.communicate()


def all_of_them_lead_to_the_end():
    os.unlink(FOLDER / "practice" / "place.txt")
    for script in (FOLDER / "practice").glob("*.py"):
        if script.stem == FIRST:
            continue
        lesson = re.match(r"\d+_(split_head|grouped_query|online_softmax|[a-z]+)_", script.stem)[1]
        steps = json.loads(subprocess.run([ONESTEP, "print", lesson, "--format=json"], stdout=subprocess.PIPE).stdout)
        labels = [": ".join(filter(None, (step["group"], step["name"]))) for step in steps["lessons"][0]["steps"]]
        rest = script.stem[len(lesson) + 4:]
        step, = [label for label in labels if label.replace(": ", "_").replace(" ", "_") == rest]
        write(script.stem, lesson, step)
    said = practise().stdout
    count = len(list((FOLDER / "practice").glob("*.py")))
    assert said.count("\nright: ") == count and f"That was the last of {count} exercises.\n" in said, said[-500:]


def a_folder_that_cannot_be_is_refused():
    (FOLDER / "file").write_text("")
    done = practise("-o", "file/in/it")
    assert done.returncode == 1 and "cannot make the folder" in done.stderr and len(done.stderr.splitlines()) == 1, done
    done = practise("-o", "mine")
    assert done.returncode == 0 and not done.stderr and (FOLDER / "mine" / f"{FIRST}.py").is_file(), done
    (FOLDER / "theirs").mkdir()
    (FOLDER / "theirs" / "place.txt").write_text("Platform 9, at ten\n")
    done = practise("-o", "theirs")
    assert done.returncode == 2 and "theirs/place.txt is not of onestep practice" in done.stderr, done
    assert (FOLDER / "theirs" / "place.txt").read_text() == "Platform 9, at ten\n"
    assert len(list((FOLDER / "theirs").iterdir())) == 1
    done = practise("bogus")
    assert done.returncode == 2 and "no lesson 'bogus'" in done.stderr, done
    done = practise("--seed", "3")
    assert done.returncode == 2, done


TESTS = [scripts_are_written_and_are_python, keys_ask_for_hints_and_solutions, keys_lead_on_and_back_and_the_place_is_kept,
         a_lesson_is_a_way_through, a_script_that_crashes_tells_its_last_line, no_line_is_longer_than_the_screen, blanks_keep_their_lines_and_words,
         at_most_three_mistakes_are_told,
         mistakes_are_named_and_nothing_is_given_away, a_script_of_the_students_stays,
         what_is_written_later_is_seen, all_of_them_lead_to_the_end, a_folder_that_cannot_be_is_refused]

ONESTEP = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    FOLDER = pathlib.Path(folder)
    failed = tap.run(TESTS)
sys.exit(failed)
