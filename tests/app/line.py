#!/usr/bin/env python3
"""Does --line put another line of PyTorch in a step's place, wherever a lesson is shown?

usage: line.py ONESTEP

The numbers and the messages are PyTorch 1.13's. Speaks TAP.
"""
import os
import subprocess
import sys
import tempfile

ONESTEP = sys.argv[1]
LINE = "weights=weights = torch.softmax(scores, dim=0)"
WEIGHTS = """tensor([[0.2098, 0.1385, 0.1390, 0.1435, 0.1526, 0.1385],
        [0.2006, 0.2379, 0.2369, 0.2074, 0.1958, 0.2184],
        [0.1981, 0.2333, 0.2326, 0.2046, 0.1975, 0.2128],
        [0.1242, 0.1240, 0.1242, 0.1462, 0.1367, 0.1420],
        [0.1220, 0.1082, 0.1108, 0.1263, 0.1879, 0.0988],
        [0.1452, 0.1581, 0.1565, 0.1720, 0.1295, 0.1896]])
"""
ROW_SUMS = "tensor([0.9220, 1.2970, 1.2788, 0.7974, 0.7540, 0.9508])\n"
MESSAGE = "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"
REFUSED = [  # arguments, what standard error says
    (["print", "simplified", "--line", "weights"], "--line takes STEP=CODE, not 'weights'"),
    (["print", "simplified", "--line", "=x = 1"], "--line takes STEP=CODE, not '=x = 1'"),
    (["print", "all", "--line", LINE], "--line needs a lesson ("),
    (["print", "simplified", "--line", "weigts=x = 1"], "simplified has no step 'weigts'"),
    (["print", "causal", "--what-if", "no-scale", "--line", LINE], "--line and --what-if exclude each other"),
    (["print", "gpt", "--step", "logits", "--line", LINE], "no line of gpt can be changed"),
    (["print", "simplified", "--format", "py", "--blanks", "--line", LINE], "leave out --line"),
    (["print", "causal", "--format", "lines", "--what-if", "no-scale"], "it has no use for --what-if"),
]


def run(*arguments):
    ran = subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def expect(wanted, got):
    assert wanted == got, f"wanted {wanted!r}, got {got!r}"


def printed(*arguments):
    status, out, error = run("print", *arguments)
    expect((0, ""), (status, error))
    return out


def prints_pytorchs_numbers():
    expect(WEIGHTS, printed("simplified", "--step", "weights", "--line", LINE))
    expect(ROW_SUMS, printed("simplified", "--step", "row_sums", "--line", LINE))
    expect(WEIGHTS, printed("simplified", "--step", "weights", "--line", LINE.replace("weights=", "8=", 1)))


def takes_several():
    lines = ["--line", "scores=scores = torch.ones(6, 6)", "--line", LINE, "--line", "weights=weights = scores * 2"]
    expect("tensor([12., 12., 12., 12., 12., 12.])\n", printed("simplified", "--step", "row_sums", *lines))


def leaves_the_others():
    status, out, error = run("print", "simplified", "--step", "scores", "--line", LINE)
    expect((0, printed("simplified", "--step", "scores")), (status, out))
    expect("onestep: note: simplified: the changed line changes other steps, but not 'scores'\n", error)


def says_what_failed():
    failing = LINE.replace("dim=0", "dim=2")
    for step in ("weights", "context"):
        status, out, error = run("print", "simplified", "--step", step, "--line", failing)
        expect((1, "", f"onestep: simplified, step 8, weights: {MESSAGE}\n"), (status, out, error))
    status, out, error = run("print", "simplified", "--step", "scores", "--line", failing)
    expect(0, status)


def is_a_program():
    """The lesson's lines, changed, are a program that prints what `print` prints."""
    steps = ["weights", "row_sums", "context"]
    lines = printed("simplified", "--format", "lines", "--line", LINE)
    assert lines.count(LINE.split("=", 1)[1]) == 1, lines
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lesson.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(lines)
        status, out, error = run("run", path)
    expect((0, ""), (status, error))
    for step in steps:
        block = printed("simplified", "--step", step, "--line", LINE)
        assert block in out, f"{step}: {block!r} is not in {out!r}"
    assert f"{LINE.split('=', 1)[1]}\n" in printed("simplified", "--format", "py", "--line", LINE)


def is_shown_on_a_screen():
    status, out, _ = run("screen", "simplified", "--step", "weights", "--line", LINE)
    expect(0, status)
    for words in ("CHANGED: line of weights", "≠ yours  weights = torch.softmax(scores, dim=0)",
                  "lesson   weights = torch.softmax(scores, dim=-1)"):
        assert words in out, f"{words!r} is not in {out}"


def is_part_of_a_link():
    link = run("screen", "simplified", "--step", "weights", "--line", LINE, "--format", "link")[1].strip()
    assert "line=" in link, link
    here = run("screen", "simplified", "--step", "weights", "--line", LINE)
    expect(here, run("screen", link))


def refuses(arguments, message):
    status, out, error = run(*arguments)
    expect((2, ""), (status, out))
    assert message in error, f"{message!r} is not in {error!r}"


TESTS = [("prints PyTorch's numbers", prints_pytorchs_numbers), ("takes several lines", takes_several),
         ("leaves the steps before as they are", leaves_the_others), ("says what failed", says_what_failed),
         ("is a program", is_a_program), ("is shown on a screen", is_shown_on_a_screen), ("is part of a link", is_part_of_a_link)]
TESTS += [(f"refuses {' '.join(arguments)}", lambda case=(arguments, message): refuses(*case)) for arguments, message in REFUSED]


def main():
    print(f"1..{len(TESTS)}")
    failed = 0
    for number, (name, test) in enumerate(TESTS, 1):
        try:
            test()
            print(f"ok {number} - {name}")
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} - {name}\n# {str(error).replace(chr(10), chr(10) + '# ')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
