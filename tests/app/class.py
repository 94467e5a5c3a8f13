"""Does `onestep check` grade a class? Thirty students with seeds of their own, of whom some are wrong in ways that are known.

usage: class.py ONESTEP

Also: --quiet gives no right number away, --min-decimals lets nothing pass, codes are the ones that are documented. The
wrong files are made by what-ifs, which pytorch_mistakes.py holds against PyTorch. Speaks TAP.
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

REPORTS = pathlib.Path(__file__).resolve().parent.parent / "data" / "reports"
STEP = ["causal", "--step", "context"]
# student: what the file holds instead of the right numbers, and what the answer must say: verdict, code, same_as
WRONG = {
    2: (["--what-if", "no-scale"], "different", "no-scale", "student 16"),
    4: (["--what-if", "mask-zero"], "different", "mask-zero", ""),
    6: (["--what-if", "softmax-columns"], "different", "softmax-columns", ""),
    8: (["--what-if", "mask-diagonal"], "different", "mask-diagonal", ""),
    10: (["--what-if", "mask-upside-down"], "different", "mask-upside-down", ""),
    12: (["--what-if", "swapped-qk"], "different", "scores-transposed/swapped-qk", ""),
    14: (["--seed", "1001"], "different", None, "student 1"),  # the seed of student 1
    16: ("COPY", "different", "none", "student 2"),  # of student 2's file, with another seed: nobody's right numbers
    18: ("transposed", "shape", "shape-transposed", ""),
    20: (["--d-out", "3"], "shape", "d_out=3", ""),
    22: ("nothing", "unreadable", "unreadable", ""),
    24: (["--what-if", "no-scale", "--what-if", "mask-zero"], "different", None, ""),
}
COUNT = 30


def run(*arguments):
    return subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def printed(*arguments):
    done = run("print", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def seed_of(student):
    return 1000 + student


def write(name, text):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def file_of(student):
    own = STEP + ["--seed", str(seed_of(student))]
    how = WRONG.get(student, ([],))[0]
    if how == "COPY":
        return file_of(2)
    if how == "transposed":
        values = json.loads(printed(*own, "--format=json"))["lessons"][0]["steps"][0]["values"]
        return json.dumps([list(column) for column in zip(*values)])
    if how == "nothing":
        return "I could not do it"
    return printed(*own, *how) if "--seed" not in how else printed(*STEP, *how)


def make_class():
    rows = ["name,file,seed"]
    for student in range(1, COUNT + 1):
        write(f"{student}.txt", file_of(student))
        rows.append(f"student {student},{student}.txt,{seed_of(student)}")
    write("class.csv", "\n".join(rows) + "\n")


def grade(*more):
    return run("check", *STEP, "--roster", os.path.join(FOLDER, "class.csv"), *more, FOLDER)


def graded(roster, *arguments, folder=None):
    """The rows of the answer, by name, and the summary."""
    write("own.csv", roster)
    done = run("check", *arguments, "--roster", os.path.join(FOLDER, "own.csv"), folder or FOLDER)
    assert done.returncode in (0, 1), done
    return {row["name"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}, done.stderr.decode()


def every_student_is_judged():
    done = grade()
    assert done.returncode == 1, done
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}
    assert len(rows) == COUNT, rows
    for student in range(1, COUNT + 1):
        row = rows[f"student {student}"]
        _, verdict, code, same_as = WRONG.get(student, (None, "equal", "equal", ""))
        assert row["verdict"] == verdict, row
        assert code is None or row["code"] == code, row
        assert row["same_as"] == same_as, row
        assert (float(row["right"]) == 1) == (verdict == "equal"), row
        assert bool(row["text"]) == (verdict != "equal") or row["code"] == "none", row
    assert "student 14" in rows and rows["student 24"]["code"] != "equal"


def json_says_the_same():
    rows = list(csv.DictReader(io.StringIO(grade().stdout.decode())))
    found = json.loads(grade("--format=json").stdout)
    for row, item in zip(rows, found):
        assert abs(item.pop("right") - float(row.pop("right"))) < 1e-3
        said = {name: str(value) if isinstance(value, int) else value or "" for name, value in item.items()}
        assert said == row and item["lesson"] == "causal", (item, row)
    assert len(rows) == len(found) == COUNT


def a_row_says_how_much_was_judged():
    """The files of a class that used the names of the book (data/reports), one of a single step, and a program."""
    program = run("print", "causal", "--format", "lines").stdout.decode()
    write("own.py", program)
    write("right.txt", printed("causal", "--step", "context"))
    for name in ("37-course-names.npz", "B2_book_names_right.npz"):
        write(name, (REPORTS / name).read_bytes())
    for step in ("queries", "keys", "context"):  # whose names a folder's files are
        write(f"part/{step}.txt", printed("causal", "--step", step))
    write("part/other.txt", "[[0.5, 0.25], [1, 2], [3, 4], [5, 6], [7, 8], [9, 1]]")
    for step in ("queries", "keys"):
        write(f"begun/{step}.txt", printed("causal", "--step", step))
    rows, summary = graded("name,file,step\nAda,37-course-names.npz,\nBob,B2_book_names_right.npz,\nEve,begun,\n"
                           "Dan,part,\nCem,right.txt,context\nFay,own.py,\nGil,nowhere.npz,\n", "causal")
    columns = ("verdict", "handed_in", "steps_right", "steps_wrong", "not_judged", "steps")
    found = {name: tuple(row[column] for column in columns) for name, row in rows.items()}
    every = found.pop("Fay")
    assert every[0] == "equal" and every[1] == every[2] == every[5] and every[3:5] == ("0", "0"), every
    assert found == {"Ada": ("wrong", "7", "5", "2", "0", "19"), "Bob": ("equal", "9", "9", "0", "0", "19"),
                     "Eve": ("part", "2", "2", "0", "0", "19"), "Dan": ("part", "3", "3", "0", "1", "19"),
                     "Cem": ("equal", "1", "1", "0", "0", "19"), "Gil": ("unreadable", "0", "0", "0", "0", "0")}, found
    assert rows["Eve"]["text"] == "the lesson goes on to context" and rows["Dan"]["text"] == "not judged: other", rows
    assert "7 students, 3 right" in summary, summary


def rosters_that_cannot_be_are_refused():
    for text, message in [("name,seed\na,1\n", "columns name and file"), ("name,file,heads\na,b,2\n", "unknown column 'heads'"),
                          ("name,file,shoes\na,b,2\n", "unknown column 'shoes'"), ("name,file\n", "no students")]:
        write("bad.csv", text)
        done = run("check", *STEP, "--roster", os.path.join(FOLDER, "bad.csv"), FOLDER)
        assert done.returncode == 2 and not done.stdout and message in done.stderr.decode(), done


def a_bad_line_costs_its_student_a_line():
    lines = {"seed": "seed,1.txt,causal,context,x", "lesson": "lesson,1.txt,cause,context,1001", "short": "short,1.txt",
             "long": "long,1.txt,causal,context,1001,,,", "step": "step,1.txt,causal,nothing,1001",
             "nofile": "nofile,,causal,context,1001", "quote": 'quote,1".txt,causal,context,1001'}
    rows, summary = graded("name,file,lesson,step,seed\n" + "\n".join([*lines.values(), "Ada,1.txt,causal,context,1001"]), *STEP)
    words = {"seed": "seed takes", "lesson": "no lesson 'cause'", "short": "the header names 5", "long": "more fields",
             "step": "no step", "nofile": "no file"}
    for name, said in words.items():
        row = rows[name] if name in rows else rows[""]
        assert row["verdict"] == row["code"] == "roster" and (name not in rows or said in row["text"]), (name, row)
    assert rows["Ada"]["verdict"] == "equal" and "8 students, 1 right: 7 roster, 1 equal" in summary, summary


def lesson_and_step_are_columns():
    write("scores.txt", printed("simplified", "--step=scores"))
    write("heads.txt", printed("split_head", "--step=output", "--heads=2", "--d-out=4"))
    roster = "Name;File;lesson;step;heads;d_out;seed\nAda;1.txt;;;;;1001\nAlan;scores.txt;simplified;scores;;;\n"
    rows, _ = graded(roster + "Grace; heads.txt ;split-head;output;2;4;\nKurt;scores.txt;simplified;scores;2;;\n", *STEP)
    assert [rows[name]["verdict"] for name in ("Ada", "Alan", "Grace", "Kurt")] == ["equal", "equal", "equal", "roster"], rows
    assert rows["Grace"]["lesson"] == "split_head" and rows["Grace"]["step"] == "output", rows
    assert "simplified has no use for heads" in rows["Kurt"]["text"], rows


def whole_programs_are_graded():
    for name, more in (("right", []), ("wrong", ["--what-if", "no-scale"])):
        done = run("print", "causal", "--format=npy", "-o", os.path.join(FOLDER, name), "--seed=7", *more)
        assert done.returncode == 0, done
    rows, summary = graded("name,file,seed\nAda,right,7\nAlan,wrong,7\nGrace,1.txt,7\n", "causal")
    assert rows["Ada"]["verdict"] == "equal" and rows["Ada"]["step"] == "" and float(rows["Ada"]["right"]) == 1, rows
    alan = rows["Alan"]
    assert alan["verdict"] == "wrong" and alan["code"].startswith("no-scale") and alan["step"] == "weights", alan
    assert alan["text"].startswith("the first wrong step is weights: ") and 0.5 < float(alan["right"]) < 1, alan
    assert rows["Grace"]["verdict"] == "unreadable", rows
    assert "no-scale" in summary, summary


def four_decimals_are_the_least():
    exact = json.loads(printed("causal", "--step=causal_weights", "--format=json"))["lessons"][0]["steps"][0]["values"]
    for decimals in 2, 3, 4:
        write(f"few{decimals}.txt", "\n".join(",".join(f"{value:.{decimals}f}" for value in row) for row in exact))
    roster = "name,file\n2,few2.txt\n3,few3.txt\n4,few4.txt\n"
    rows, _ = graded(roster, "causal", "--step=causal_weights")
    assert [(row["verdict"], float(row["right"])) for row in rows.values()] == [("coarse", 1), ("coarse", 1), ("equal", 1)], rows
    rows, _ = graded(roster, "causal", "--step=causal_weights", "--min-decimals=3")
    assert [row["text"] == "" for row in rows.values()] == [False, True, True], rows
    write("few2.txt", "[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]")
    rows, _ = graded("name,file\n2,few2.txt\n", "simplified", "--step=inputs")  # these have no more digits
    assert rows["2"]["verdict"] == "equal", rows


def the_seed_beside_is_named():
    write("beside.txt", printed(*STEP, "--seed=1024"))
    for seed in 1023, 1025:
        row = graded(f"name,file,seed\nAda,beside.txt,{seed}\n", *STEP)[0]["Ada"]
        assert row["verdict"] == "different" and row["code"] == "seed=1024", row
        assert row["text"] == f"the right numbers for seed 1024, and yours is {seed}", row


def doubles_and_files_of_nobody_are_told():
    folder = os.path.join(FOLDER, "few")
    os.mkdir(folder)
    for name in ("a.txt", "b.txt", "c.txt", ".hidden"):
        write(os.path.join("few", name), file_of(1))
    _, summary = graded("name,file,seed\nAda,a.txt,1001\nAda,b.txt,1001\nAlan,a.txt,1001\n", *STEP, folder=folder)
    assert "lines 2 and 3 of the roster have the same name: Ada" in summary, summary
    assert "lines 2 and 4 of the roster have the same file: a.txt" in summary, summary
    assert "no line of the roster names this file: c.txt" in summary and "hidden" not in summary, summary


def a_summary_counts_and_a_page_shows_it():
    done = grade()
    summary = done.stderr.decode()
    assert summary.startswith("30 students, 18 right: ") and "mistakes:\n" in summary, summary
    assert re.search(r"^  all +18  #{18}$", summary, re.M) and re.search(r"^    1  no-scale: ", summary, re.M), summary
    page = os.path.join(FOLDER, "page.html")
    done = grade("-o", page)
    assert done.returncode == 1 and not done.stdout, done
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("<!DOCTYPE html>") and "student 16" in text and "no-scale" in text and "18 right" in text, text
    write("evil.csv", "name,file\n<script>,1.txt\n")
    done = run("check", *STEP, "--roster", os.path.join(FOLDER, "evil.csv"), FOLDER, "--format=html")
    assert b"<script>" not in done.stdout and b"&lt;script&gt;" in done.stdout, done


def a_large_class_with_hostile_files_is_graded_in_time():
    """200 students, 15 files that are none, 5 wrong lines."""
    folder = os.path.join(FOLDER, "large")
    os.mkdir(folder)
    mistakes = ["no-scale", "mask-zero", "softmax-columns", "mask-diagonal", "mask-upside-down", "swapped-qk"]
    hostile = [b"", b"\0" * 9999, b"[" * 9999, b"\x93NUMPY\xff\xff", b"PK\x03\x04cut", b"\x80\x02torch", b"{" * 500, b"1e999999,",
               "\u202e\x1b[2J".encode(), b"nan\n" * 5000, b"1," * (1 << 20), b"\xff\xfe1\0", b"tensor([[1., 2.", b"<html>", b"9" * (1 << 25)]
    rows = ["name,file,seed"]
    for student in range(200):
        how = ["--what-if", mistakes[student % 6]] if student % 4 == 0 else []
        content = printed(*STEP, "--seed", str(student), *how).encode() if student < 180 else b""
        if 180 <= student < 195:
            content = hostile[student - 180]
        with open(os.path.join(folder, f"{student}.txt"), "wb") as file:
            file.write(content)
        rows.append(f"s{student},{student}.txt,{student}" if student < 195 else f"s{student},{student}.txt,x{student}")
    started = tap.processor_seconds()
    answer, summary = graded("\n".join(rows), *STEP, folder=folder)
    took = tap.processor_seconds() - started
    verdicts = [answer[f"s{student}"]["verdict"] for student in range(200)]
    assert verdicts[195:] == ["roster"] * 5 and all(verdict in ("unreadable", "shape") for verdict in verdicts[180:195]), verdicts
    assert verdicts[:180].count("equal") == 135 and verdicts[:180].count("different") == 45, summary
    assert all(any(name in answer[f"s{i}"]["code"] for name in (mistakes[i % 6], "unclear")) for i in range(0, 180, 4)), summary
    assert took < 20, took


def a_roster_may_name_the_lessons():
    """Without a lesson in the command: each line has its own, one that has none costs its student a line."""
    roster = "name,file,lesson,step,seed\na,1.txt,causal,context,1001\nb,3.txt,causal,context,1003\nc,1.txt,,context,1\nd,1.txt\n"
    rows, _ = graded(roster)
    assert [rows[name]["verdict"] for name in "abcd"] == ["equal", "equal", "roster", "roster"], rows
    assert "no lesson" in rows["c"]["text"], rows["c"]
    write("own.csv", "name,file\na,1.txt\n")
    own = os.path.join(FOLDER, "own.csv")
    for arguments, message in ([[FOLDER], "no column names the lesson"], [["casual", FOLDER], "no lesson 'casual'"]):
        done = run("check", "--roster", own, *arguments)
        assert done.returncode == 2 and message in done.stderr.decode(), done
    done = run("check", "nothing", "--step", "1", own)
    assert done.returncode == 2 and b"no lesson 'nothing'" in done.stderr, done


def names_are_no_formulas():
    write("evil.csv", 'name,file\n"=1+1",1.txt\n"a""b",none.txt\n')
    done = run("check", *STEP, "--seed=1001", "--roster", os.path.join(FOLDER, "evil.csv"), FOLDER)
    rows = list(csv.reader(io.StringIO(done.stdout.decode())))
    assert rows[1][0] == "'=1+1" and rows[1][2] == "equal" and rows[2][0] == 'a"b', rows
    assert rows[2][2] == "unreadable" and "cannot read" in rows[2][6], rows


def parameters_are_columns():
    write("heads.csv", "name,file,heads,d_out,bias\na,a.txt,2,4,yes\nb,b.txt,4,4,no\n")
    write("a.txt", printed("split_head", "--step=output", "--heads=2", "--d-out=4", "--bias"))
    write("b.txt", printed("split_head", "--step=output", "--heads=4", "--d-out=4"))
    done = run("check", "split_head", "--step=output", "--roster", os.path.join(FOLDER, "heads.csv"), FOLDER)
    assert done.returncode == 0, done


def quiet_gives_nothing_away():
    right = run("check", *STEP, os.path.join(FOLDER, "2.txt"), "--seed=1002").stdout.decode()
    quiet = run("check", *STEP, os.path.join(FOLDER, "2.txt"), "--seed=1002", "--quiet").stdout.decode()
    assert " instead of " in right and " instead of " not in quiet, quiet
    wanted = {f"{value:.3g}" for value in json.loads(
        printed(*STEP, "--seed=1002", "--format=json"))["lessons"][0]["steps"][0]["values"][1]}
    assert not any(number in quiet for number in wanted), quiet
    assert "no-scale" in quiet and "first difference: at query journey" in quiet, quiet
    answer = json.loads(run("check", *STEP, os.path.join(FOLDER, "2.txt"), "--seed=1002", "--quiet", "--format=json").stdout)
    assert answer["quiet"] and answer["first_difference"]["right"] is None and answer["largest_difference"] is None, answer
    assert answer["code"] == "no-scale", answer


def few_decimals_do_not_pass():
    exact = json.loads(printed("causal", "--step=causal_weights", "--format=json"))["lessons"][0]["steps"][0]["values"]
    for decimals in 1, 2, 3, 4:
        write("few.txt", "\n".join(",".join(f"{value:.{decimals}f}" for value in row) for row in exact))
        for least in 2, 4:
            done = run("check", "causal", "--step=causal_weights", os.path.join(FOLDER, "few.txt"), f"--min-decimals={least}")
            assert (done.returncode == 0) == (decimals >= least), (decimals, least, done)
            text = done.stdout.decode()
            assert text.startswith("equal: " if decimals >= least else "equal as far as the digits show: "), text
            assert decimals >= least or "mistakes that would not show in these digits: " in text, text
    write("few.txt", "\n".join(",".join(f"{value:.0f}." for value in row) for row in exact))
    done = run("check", "causal", "--step=causal_weights", os.path.join(FOLDER, "few.txt"), "--min-decimals=4")
    assert done.returncode == 1, done


def what_cannot_be_seen_is_said():
    """With head_dim 1 no scaling mistake shows; with head_dim 2 they do."""
    for arguments, hidden in ((["split_head"], True), (["split_head", "--d-out=4"], False)):
        write("own.txt", printed(*arguments, "--step=output", "--digits=6"))
        answer = json.loads(run("check", *arguments, "--step=output", "--format=json", os.path.join(FOLDER, "own.txt")).stdout)
        assert ("no-scale" in answer["unseen"]) == hidden and answer["code"] == "equal", answer
        for name in answer["unseen"]:
            wrong = printed(*arguments, "--step=output", "--what-if", name, "--digits=6")
            with open(os.path.join(FOLDER, "own.txt"), encoding="utf-8") as file:
                numbers = [[float(n) for n in re.findall(r"-?\d+\.\d+", text)] for text in (wrong, file.read())]
            assert all(abs(a - b) < 3e-6 for a, b in zip(*numbers)), name


def answer_to(lesson, step, text, *more):
    write("one.txt", text)
    done = run("check", lesson, "--step", step, os.path.join(FOLDER, "one.txt"), "--format=json", *more)
    return done.returncode, json.loads(done.stdout)


def other_masks_are_a_verdict():
    for arguments in (["wrapper", "--dropout=0.5"], ["split_head", "--d-out=4", "--dropout=0.2"]):
        text = printed(*arguments, "--step=context", "--bernoulli=mcg31m1")
        status, answer = answer_to(arguments[0], "context", text, *arguments[1:])
        assert (status, answer["verdict"], answer["code"]) == (1, "stream", "stream"), answer
        status, answer = answer_to(arguments[0], "context", text, *arguments[1:], "--bernoulli=any")
        assert (status, answer["verdict"]) == (0, "equal"), answer


def other_parameters_are_named():
    for own, asked, code in ((["--seed=42"], [], "seed=42"), (["--bias"], [], "bias=yes"), ([], ["--bias"], "no-bias"),
                             ([], ["--seed=9", "--d-out=2"], None)):
        _, answer = answer_to("causal", "context", printed("causal", "--step=context", *own), *asked)
        assert code is None or answer["code"] == code, answer["code"]
        assert answer["verdict"] == "different" and answer["explanations"], answer


def a_part_of_a_step_is_checked():
    for part in ("context[1]", "keys.T", "causal_weights[3:, :2].T", "causal_weights.sum(0)"):
        status, answer = answer_to("causal", part, printed("causal", "--step", part))
        assert status == 0 and answer["step"]["name"] == part, (part, answer)
    _, answer = answer_to("causal", "causal_weights[3:, :2].T", printed("causal", "--step", "causal_weights[3:, :2].T", "--what-if=no-scale"))
    assert answer["code"] == "no-scale", answer
    done = run("check", "causal", "--step=context.shape", os.path.join(FOLDER, "1.txt"))
    assert done.returncode == 2 and b"check needs a tensor, and 'context.shape' is torch.Size([6, 2])" in done.stderr, done
    rows, _ = graded("name,file,step\nAda,part.txt,context[1]\n", "causal")
    assert rows["Ada"]["verdict"] == "unreadable", rows
    write("part.txt", printed("causal", "--step=context[1]"))
    rows, _ = graded("name,file,step\nAda,part.txt,context[1]\n", "causal")
    assert rows["Ada"]["verdict"] == "equal" and rows["Ada"]["step"] == "context[1]", rows


def exercise_3_2_is_named():
    """The README's: what the solution in the course's repository prints."""
    text = printed("wrapper", "--d-out=1", "--step=context", "--what-if=softmax-columns")
    assert text.startswith("tensor([[[-9.1476e-02,") and "-0.5740" in printed("wrapper", "--d-out=1", "--step=context"), text
    assert answer_to("wrapper", "context", text, "--d-out=1")[1]["code"] == "softmax-columns"


def words_stand_for_their_tokens():
    said = json.loads(printed("training", "--step=said", "--format=json"))["lessons"][0]["steps"][0]
    words = printed("training", "--step=said", "--format=plain").splitlines()[-1].split(": ")[1].split(", ")
    words = [word.split()[0] for word in words]
    assert len(words) == len(said["values"])
    for text in " ".join(words), repr(words):
        assert answer_to("training", "said", text)[0] == 0, text
    status, answer = answer_to("training", "said", " ".join([*words[:-1], "moon"]))
    assert status == 1 and answer["different"] == 1, answer


def a_loss_behind_a_tensor_is_found():
    both = printed("model", "--step=logits") + "loss: " + printed("model", "--step=loss")
    for step in "logits", "loss":
        assert answer_to("model", step, both)[0] == 0, step


def nan_is_explained_as_nan():
    for size in (6, 6), (2, 6, 2):
        lesson, step = ("causal", "causal_weights") if size == (6, 6) else ("split_head", "output")
        values = float("nan")
        for count in reversed(size):
            values = [values] * count
        _, answer = answer_to(lesson, step, str(values))
        # a row with one nan is nan behind its softmax; a loss is nan for more reasons
        assert answer["code"] == "mask-times-inf" and answer["explanations"] == [{"kind": "mask-times-inf"}], answer
    _, answer = answer_to("simplified", "weights", str([[float("nan")] * 6] * 6))
    assert answer["code"] == "nan" and not answer["explanations"] and "all numbers are nan" in answer["hint"], answer
    assert b"of nan only" in run("check", "simplified", "--step=weights", os.path.join(FOLDER, "one.txt")).stdout, answer
    # some nan are no excuse for the rest: a mask on the diagonal makes one row of them
    _, answer = answer_to("causal", "causal_weights", printed("causal", "--step=causal_weights", "--what-if=mask-diagonal"))
    assert answer["code"] == "mask-diagonal", answer


def half_precision_is_claimed_only_of_such_numbers():
    exact = json.loads(printed("causal", "--step=causal_weights", "--format=json"))["lessons"][0]["steps"][0]["values"]

    def rounded(value, bits):
        mantissa, exponent = math.frexp(value)
        return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)
    for bits, word in ((8, "bfloat16"), (11, "float16")):
        text = str([[rounded(value, bits) for value in row] for row in exact])
        _, answer = answer_to("causal", "causal_weights", text)
        assert answer["verdict"] == "rounded" and f" of {word}," in (answer["hint"] or ""), (bits, answer["hint"])
        assert answer["code"] == answer["precision"] == word, answer["code"]
        path = os.path.join(FOLDER, "one.txt")
        assert b"equal: " in run("check", "causal", "--step=causal_weights", f"--dtype={word}", path).stdout
        other = "float16" if word == "bfloat16" else "tf32"  # of more bits, or rounded elsewhere
        assert run("check", "causal", "--step=causal_weights", f"--dtype={other}", path).returncode == (word == "bfloat16")
    off = str([[value * 1.001 for value in row] for row in exact])
    _, answer = answer_to("causal", "causal_weights", off)
    assert "half precision" not in (answer["hint"] or ""), answer["hint"]


def a_file_is_watched_until_it_is_right():
    path = os.path.join(FOLDER, "watched.txt")
    watching = subprocess.Popen([ONESTEP, "check", *STEP, path, "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert b"watched.txt is not there yet; waiting for it\n" in watching.stderr.readline()
        os.mkfifo(path)
        assert b"is no regular file" in watching.stderr.readline()
        for text, wanted in (("nothing yet", b""), (printed(*STEP, "--what-if=no-scale"), b"different: "),
                             (printed(*STEP), b"equal: ")):
            write("new.txt", text)
            os.replace(os.path.join(FOLDER, "new.txt"), path)
            line = watching.stdout.readline() if wanted else watching.stderr.readline()
            assert line.startswith(wanted), line
            while wanted == b"different: " and not line.startswith(b"file: "):
                line = watching.stdout.readline()
        assert watching.wait(timeout=20) == 0
    finally:
        watching.kill()
        watching.communicate()


def what_is_no_file_holds_nobody_up():
    """A pipe without a writer, a device without an end, a folder: a line each in the answer, and nothing waits."""
    os.mkfifo(os.path.join(FOLDER, "pipe.txt"))
    os.symlink("/dev/zero", os.path.join(FOLDER, "zero.txt"))
    os.mkdir(os.path.join(FOLDER, "folder.txt"))
    names = ["pipe.txt", "zero.txt", "folder.txt", "1.txt"]
    write("odd.csv", "name,file\n" + "".join(f"{name},{name}\n" for name in names))
    done = run("check", *STEP, "--seed=1001", "--roster", os.path.join(FOLDER, "odd.csv"), FOLDER)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["verdict"] for row in rows] == ["unreadable"] * 3 + ["equal"], rows
    assert all("is no regular file" in row["text"] for row in rows[:3]), rows


def a_pipe_alone_is_read():
    """As in onestep check causal --step context <(python3 mine.py)."""
    path = os.path.join(FOLDER, "alone")
    os.mkfifo(path)
    with subprocess.Popen(["cp", os.path.join(FOLDER, "1.txt"), path]):
        assert run("check", *STEP, "--seed=1001", path).returncode == 0
    with open(os.path.join(FOLDER, "1.txt"), "rb") as file:
        for own in ("-", "/dev/stdin"):
            done = subprocess.run([ONESTEP, "check", *STEP, "--seed=1001", own], input=file.read(), check=False,
                                  stdout=subprocess.DEVNULL, timeout=20)
            assert done.returncode == 0, own
            file.seek(0)


def a_pipe_among_results_is_left_alone():
    path = os.path.join(FOLDER, "results", "causal.context.npy")
    os.mkdir(os.path.dirname(path))
    os.mkfifo(path)
    done = run("print", *STEP, "--format=npy", "-o", os.path.dirname(path))
    assert done.returncode == 1 and b"cannot write" in done.stderr and done.stderr.count(b"\n") == 1, done


def peak_of_class(count):
    """Of grading so many students of a model 256 wide, in kilobytes. A sanitizer is asked to keep nothing that was freed."""
    freed = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}
    write("wide.csv", "name,file,seed\n" + "".join(f"{i},wide.txt,{i}\n" for i in range(count)))
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([ONESTEP, "check", "model", "--d-model=256", "--step=loss", "--roster",
                                    os.path.join(FOLDER, "wide.csv"), FOLDER], env=freed,
                                   stdout=nothing, stderr=nothing)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1, status
    return usage.ru_maxrss


def a_large_class_takes_no_more_memory():
    write("wide.txt", "[1.0, 2.0]")  # of another shape, so that no mistakes are looked for
    few, many = peak_of_class(5), peak_of_class(100)
    assert many < 1.1 * few, (few, many)


TESTS = [what_is_no_file_holds_nobody_up, a_pipe_alone_is_read, a_pipe_among_results_is_left_alone,
         a_large_class_takes_no_more_memory, a_file_is_watched_until_it_is_right,
         other_masks_are_a_verdict, other_parameters_are_named, a_part_of_a_step_is_checked, exercise_3_2_is_named,
         words_stand_for_their_tokens, a_loss_behind_a_tensor_is_found, nan_is_explained_as_nan,
         half_precision_is_claimed_only_of_such_numbers,
         every_student_is_judged, json_says_the_same, rosters_that_cannot_be_are_refused, names_are_no_formulas,
         a_roster_may_name_the_lessons,
         a_bad_line_costs_its_student_a_line, lesson_and_step_are_columns, whole_programs_are_graded,
         four_decimals_are_the_least, the_seed_beside_is_named, doubles_and_files_of_nobody_are_told,
         a_summary_counts_and_a_page_shows_it, a_large_class_with_hostile_files_is_graded_in_time,
         parameters_are_columns, quiet_gives_nothing_away, few_decimals_do_not_pass, what_cannot_be_seen_is_said,
         a_row_says_how_much_was_judged]

ONESTEP = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as FOLDER:
    make_class()
    failed = tap.run(TESTS)
sys.exit(failed)
