#!/usr/bin/env python3
"""check LESSON FILE.py: a program beside a lesson, and the line that makes it wrong.

The programs are the lessons' own (`print LESSON --format lines`), as they are and with a slip typed into them, and a class as
the course writes it. usage: mended.py ONESTEP
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

import tap

ONESTEP = sys.argv[1]

CLASS = """import torch
import torch.nn as nn

class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()
        attn_scores.masked_fill_(mask, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec

inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
torch.manual_seed(789)
attention = SelfAttention(3, 2)
context_vecs = attention(torch.stack((inputs, inputs)))
"""

# In the class: what is typed instead, the line that must be named, what must stand there, the mistake's name.
SLIPS = {
    "softmax over the queries": ("dim=-1)", "dim=1)", "dim=-1)", "softmax-columns"),
    "not divided": ("attn_scores / keys.shape[-1]**0.5, dim", "attn_scores, dim", "attn_scores / keys.shape[-1]**0.5, dim", "no-scale"),
    "divided by d_k": ("**0.5", "", "**0.5", "scale-by-dk"),
    "a product for a power": ("**0.5", "*0.5", "**0.5", None),
    "no diagonal": (", diagonal=1", "", ", diagonal=1", "mask-diagonal"),
    "0 for -inf": ("-torch.inf", "0", "-torch.inf", "mask-zero"),
    "the keys twice": ("values = self.W_value(x)", "values = self.W_key(x)", "values = self.W_value(x)", None),
    "the queries for values": ("attn_weights @ values", "attn_weights @ queries", "attn_weights @ values", None),
    "another seed": ("manual_seed(789)", "manual_seed(123)", "manual_seed(789)", None),
    "1e-9 for 1e9": ("-torch.inf", "-1e-9", "-torch.inf", "mask-finite"),
    "a copy for the tensor": ("masked_fill_(mask", "masked_fill(mask", "masked_fill_(mask", None),
    "a root of another axis": ("keys.shape[-1]**0.5", "keys.shape[1]**0.5", "keys.shape[-1]**0.5", "scale-by-tokens"),
}

# In the lessons' own programs: lesson, text, what is typed instead.
LESSON_SLIPS = [
    ("simplified", "softmax(scores, dim=-1)", "softmax(scores, dim=0)"),
    ("simplified", "inputs[query_index]", "inputs[2]"),
    ("causal", "values = W_value(inputs)", "values = W_key(inputs)"),
    ("causal", "masked_fill(mask_bool, -torch.inf)", "masked_fill(mask_bool, 1e-9)"),
    ("split_head", "output = out_proj(context)", "output = context"),
    ("model", "torch.relu(", "torch.nn.functional.gelu("),
    ("embeddings", "position_table(torch.arange", "token_table(torch.arange"),
    ("block", "dim=-1, keepdim=True, unbiased=False)", "dim=-1, keepdim=True)"),
    ("block", "attention + x", "attention"),
    ("gradients", " / targets.numel()", ""),
    ("model", "ids[:, 1:]", "ids[:, :-1]"),
    ("window", " | (distance < 0)", ""),
    ("wrapper", "W_query_2 =", "torch.manual_seed(123)\nW_query_2 ="),
    # the lesson has several steps of the name, and another of them is right
    ("trainable", "torch.nn.Linear(d_in, d_out, bias=qkv_bias)", "torch.nn.Linear(d_in, d_out)"),
    ("training", "W_query.weight - W_query_grad * lr", "W_query.weight + W_query_grad * lr"),
    ("sampling", "logits / 5", "logits * 5"),
    ("training", "range(updates)", "range(updates - 1)"),
    ("block", "norm1_mean) / torch.sqrt(norm1_variance + 1e-5)", "norm1_mean) / torch.sqrt(norm1_variance)"),
    ("block", "grad.abs().mean()", "grad.mean()"),
    ("cache", "[key_cache, W_key(token)]", "[W_key(token), key_cache]"),
    ("rotary", "torch.cat([-b, a], dim=1)", "torch.cat([b, -a], dim=1)"),
]

# Programs whose names are the student's own.
INPUTS = """import torch
x = torch.tensor([[.43, .15, .89], [.55, .87, .66], [.57, .85, .64], [.22, .58, .33], [.77, .25, .10], [.05, .80, .55]])
"""
LAYERS = INPUTS + """torch.manual_seed(789)
q_of, k_of, v_of = [torch.nn.Linear(3, 2, bias=False) for _ in range(3)]
"""
# `scores` and `weights` are other steps of the lesson than those it calls so.
OTHER_NAMES = LAYERS + """scores = q_of(x) @ k_of(x).T / 2**0.5
weights = torch.softmax(scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf), dim=-1)
context = weights @ v_of(x)
"""
COLUMNS = LAYERS + """scores = (k_of(x) @ q_of(x).T).masked_fill(torch.ones(6, 6).tril(-1).bool(), -torch.inf)
context = v_of(x).T @ torch.softmax(scores / 2**0.5, dim=0)
"""
LAYER_NEVER_USED = INPUTS + """x = torch.stack([x, x])
torch.manual_seed(123)
q_of, k_of, v_of = [torch.nn.Linear(3, 2, bias=False) for _ in range(3)]
out_proj = torch.nn.Linear(2, 2)
q, k, v = (layer(x).view(2, 6, 2, 1).transpose(1, 2) for layer in (q_of, k_of, v_of))
w = torch.softmax((q @ k.transpose(2, 3)).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf), dim=-1)
y = (w @ v).transpose(1, 2).reshape(2, 6, 2)
"""
WINDOWS = """import torch
words = "Your journey starts with one step one step starts Your journey".split()
ids = torch.tensor([list(dict.fromkeys(words)).index(word) for word in words])
rows, next_rows = [], []
for i in range(len(ids) - 4):
    chunk = ids[i:i + 4]
    next_chunk = ids[i + 1:i + 5]
    rows.append(chunk)
    next_rows.append(next_chunk)
inputs, targets = torch.stack(rows), torch.stack(next_rows)
"""
FILLED = LAYERS + """context = torch.zeros(6, 2)
for i in range(6):
    seen = x[:i + 1]
    context[i] = torch.softmax(q_of(x[i]) @ k_of(seen).T / 2**0.5, dim=-1) @ v_of(seen)
"""
ROTATED = INPUTS + """torch.manual_seed(123)
q_of, k_of, v_of = [torch.nn.Linear(3, 4, bias=False) for _ in range(3)]
angles = torch.outer(torch.arange(6.), 10000**(-torch.arange(0., 4, 2) / 4)).repeat(1, 2)
def turn(t):
    a, b = t.chunk(2, dim=-1)
    return t * angles.cos() + torch.cat((-b, a), dim=-1) * angles.sin()
q, k, v = q_of(x), k_of(x), v_of(x)
q = turn(q)
k = turn(k)
hidden = torch.ones(6, 6).triu(1).bool()
y = torch.softmax((q @ k.T).masked_fill(hidden, -torch.inf) / 2, dim=-1) @ v
"""
WINDOWED = LAYERS + """apart = torch.arange(6)[:, None] - torch.arange(6)
hidden = (apart < 0) | (apart >= 3)
y = torch.softmax((q_of(x) @ k_of(x).T).masked_fill(hidden, -torch.inf) / 2**0.5, dim=-1) @ v_of(x)
"""

# Lesson, right program, text, slip.
OWN_SLIPS = [
    ("embeddings", WINDOWS, "next_rows.append(next_chunk)", "next_rows.append(chunk)"),
    ("causal", FILLED, "x[:i + 1]", "x[:i + 2]"),
    ("rotary", ROTATED, "k = turn(k)\n", "\n"),
    ("rotary", ROTATED, "(-b, a)", "(b, -a)"),
    ("window", WINDOWED, "(apart < 0) | (apart >= 3)", "apart.abs() >= 3"),
    ("window", WINDOWED, "apart >= 3", "apart > 3"),
    ("split_head", LAYER_NEVER_USED + "y = out_proj(y)\n", "(w @ v).transpose(1, 2)", "(w @ v)"),
    ("split_head", LAYER_NEVER_USED + "y = out_proj(y)\n", "y = out_proj(y)", "y = out_proj(v)"),
]

# A loop of training that lacks a line: lesson, the line, the words of the edit.
LACKING = [
    ("training", "optimize.zero_grad()", "gradients not set to zero"),
    ("training", "optimize.step()", "no step of the optimizer"),
]


def check(lesson, program, *options, name="mine.py"):
    """(exit status, answer) of a program; the answer as JSON unless options say otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([ONESTEP, "check", lesson, path, *(options or ["--format=json"])], capture_output=True, text=True,
                              timeout=200, check=False)
    if options or done.returncode == 2:
        return done.returncode, done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)


def printed(*arguments):
    return subprocess.run([ONESTEP, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def expect(is_right, what):
    if not is_right:
        raise AssertionError(what)


def line_of(program, text):
    return program[:program.index(text)].count("\n") + 1


def lesson_is_equal(lesson):
    status, answer = check(lesson, printed("print", lesson, "--format=lines"))
    expect((status, answer["verdict"], answer["edits"]) == (0, "equal", []), answer)


def class_is_equal():
    status, answer = check("causal", CLASS)
    expect((status, answer["verdict"]) == (0, "equal"), answer)
    steps = {row["name"]: row["step"] for row in answer["tensors"]}
    wanted = {"keys": "keys", "attn_weights": "causal_weights", "context_vec": "context", "context_vecs": "context"}
    expect(all(steps[name] == step for name, step in wanted.items()), steps)


def slip_is_mended(text, slip, right, mistake):
    program = CLASS.replace(text, slip)
    status, answer = check("causal", program)
    edit = answer["edits"][0] if answer["edits"] else {}
    expect((status, answer["verdict"], answer["whole"]) == (1, "wrong", True), answer)
    wanted = CLASS.splitlines()[line_of(CLASS, text) - 1].strip()
    expect((edit["line"], edit["right"], edit["mistake"]) == (line_of(CLASS, text), wanted, mistake), edit)
    expect(right in edit["right"], edit)


def lesson_slip_is_mended(lesson, text, slip):
    program = printed("print", lesson, "--format=lines")
    expect(text in program, f"{lesson} has no {text}")
    status, answer = check(lesson, program.replace(text, slip))
    expect((status, answer["verdict"]) == (1, "wrong"), answer["verdict"])
    expect(answer["edits"][0]["line"] == line_of(program, text), answer["edits"])


def own_slip_is_mended(lesson, program, text, slip):
    expect(check(lesson, program)[1]["verdict"] in ("equal", "part"), check(lesson, program)[1]["verdict"])
    status, answer = check(lesson, program.replace(text, slip))
    expect((status, answer["verdict"], answer["whole"], len(answer["edits"])) == (1, "wrong", True, 1), answer)
    line = line_of(program, text)
    expect(answer["edits"][0]["line"] in ((line - 1, line, line + 1) if slip == "\n" else (line,)), answer["edits"])


def right_under_other_names():
    """None of these is wrong; what cannot be judged has its reason."""
    for lesson, program, words in [
        ("causal", OTHER_NAMES.replace(".masked_fill(", ".mul(1.5).div(1.5).masked_fill("), "Its last tensor, context, is context."),
        ("causal", COLUMNS, "context has the numbers of context with its rows as columns."),
        ("causal", FILLED, "Its last tensor, context[i], is context."),
        ("causal", OTHER_NAMES + "y = torch.nn.functional.no_such_function(context)\n", "What comes behind the line that onestep could not run"),
    ]:
        status, said = check(lesson, program, "--format=plain")
        expect(status == 0 and words in said.replace("\n", " "), said)


def says_which_layer_is_never_used():
    status, answer = check("split_head", LAYER_NEVER_USED)
    edit = answer["edits"][0]
    expect((status, answer["verdict"], edit["line"]) == (0, "part", line_of(LAYER_NEVER_USED, "y =")), answer)
    expect(edit["right"] == "y = out_proj((w @ v).transpose(1, 2).reshape(2, 6, 2))", edit)
    said = check("split_head", LAYER_NEVER_USED, "--format=plain")[1]
    expect(said.startswith("part: ") and "With this, y is output." in said, said)


def lacking_line_is_put_in(lesson, line, words):
    status, answer = check(lesson, printed("print", lesson, "--format=lines").replace(line, "pass"))
    expect((status, answer["verdict"]) == (1, "wrong"), answer["verdict"])
    expect(line in answer["edits"][0]["right"] and answer["edits"][0]["words"] == words, answer["edits"])


def notebook_of(program):
    """A cell for each paragraph."""
    cells = [{"cell_type": "code", "id": str(i), "metadata": {}, "execution_count": None, "outputs": [], "source": source}
             for i, source in enumerate(program.split("\n\n"))]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def says_what_is_computed():
    few = "\n".join(CLASS.splitlines()[:21])
    part = CLASS.replace("attn_weights @ values", "attn_scores").replace("context_vec = ", "keys = ")
    for program in (CLASS, part):
        steps = check("causal", program)[1]["steps"]
        expect(steps["all"] == steps["computed"] + len(steps["missing"]) == 17, steps)
    expect("context" in steps["missing"] and "W_query" not in steps["missing"], steps)
    said = check("causal", CLASS, "--format=plain")[1].replace("\n", " ")
    expect(" of the 17 steps that causal computes. It has not: " in said, said)
    expect("computes no tensor" in check("causal", few)[1], "a class that is never used")


def part_is_not_equal():
    program = printed("print", "simplified", "--format=lines")
    head = program[:program.index("# 2.")]
    own = head + "w = torch.softmax(inputs @ {}, dim=0)\nscores = inputs @ inputs.T\ncontext = torch.softmax(scores, dim=-1) @ inputs\n"
    for query, verdict in [("inputs[1]", "equal"), ("inputs[0]", "part")]:
        status, answer = check("simplified", own.format(query))
        expect((status, answer["verdict"]) == (0, verdict), answer)
    said = check("simplified", own.format("inputs[0]"), "--format=plain")[1]
    expect(said.startswith("part: ") and "cannot be judged" in said, said)


def searches_further_when_asked():
    program = printed("print", "training", "--format=lines").replace(
        "first_moment_corrected / (second_moment_corrected.sqrt()", "first_moment / (second_moment.sqrt()")
    status, answer = check("training", program)
    expect((status, answer["verdict"], answer["cut"]) == (1, "unexplained", True), answer["verdict"])
    thorough = check("training", program, "--thorough", "--format=json")[1]
    thorough = json.loads(thorough)
    expect(thorough["tried"] > 5 * answer["tried"] or not thorough["cut"], (thorough["tried"], answer["tried"]))
    said = check("training", program, "--format=plain")[1].replace("\n", " ")
    expect("the search ended, and --thorough tries ten times as many" in said, said)


def reads_notebooks():
    program = printed("print", "causal", "--format=lines")
    expect(check("causal", notebook_of(program), name="mine.ipynb")[1]["verdict"] == "equal", "a right notebook")
    wrong = program.replace("context = causal_weights", "context = weights")
    cell = 1 + next(i for i, source in enumerate(wrong.split("\n\n")) if "context = weights" in source)
    said = check("causal", notebook_of(wrong), "--format=plain", name="mine.ipynb")[1]
    expect(f"cell {cell}, line 2 is context = weights @ values\nright would be context = causal_weights @ values\n" in said, said)


def knows_a_sign_from_a_zero():
    program = CLASS.replace("-torch.inf", "torch.inf")
    edit = check("causal", program)[1]["edits"][0]
    expect((edit["line"], edit["mistake"]) == (line_of(CLASS, "-torch.inf"), None), edit)


def marks_a_class():
    wrong = CLASS.replace("dim=-1)", "dim=1)")
    files = {"a.py": CLASS, "b.py": wrong, "c.ipynb": notebook_of(wrong), "d.py": "# mine\n" + wrong.replace(" = ", "  =  "), "e.py": "x = 1 +\n"}
    with tempfile.TemporaryDirectory() as folder:
        for name, program in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(program)
        roster = os.path.join(folder, "class.csv")
        with open(roster, "w", encoding="utf-8") as file:
            file.write("name,file\n" + "".join(f"{name[0]},{name}\n" for name in files))
        done = subprocess.run([ONESTEP, "check", "causal", "--roster", roster, folder, "--format=json"], capture_output=True, text=True,
                              timeout=100, check=False)
    rows = json.loads(done.stdout)
    rows = rows["students"] if isinstance(rows, dict) else rows
    expect([row["verdict"] for row in rows] == ["equal", "wrong", "wrong", "wrong", "unreadable"], rows)
    expect([row["code"] for row in rows[1:4]] == ["softmax-columns"] * 3, rows)
    expect(rows[1]["same_as"] in ("c", "d") and rows[2]["same_as"] and rows[3]["same_as"] == "b", rows)
    expect(rows[1]["text"].startswith("line 18 is attn_weights = ") and "dim=-1) would be right" in rows[1]["text"], rows[1])
    expect("SyntaxError" in rows[4]["text"], rows[4])


def says_it_to_people():
    status, said = check("causal", CLASS.replace("dim=-1)", "dim=1)"), "--format=plain")
    for words in ["wrong: ", "attn_weights, line 18, is causal_weights of the lesson.", "differs in ",
                  "line 18 is     attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=1)",
                  "right would be attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)",
                  "softmax-columns: "]:
        expect(words in said, said)
    expect(status == 1 and max(map(len, said.splitlines())) <= 100, said)


def hides_right_numbers():
    said = check("causal", CLASS.replace("dim=-1)", "dim=1)"), "--quiet")[1]
    expect("it should be" not in said and "right would be" in said, said)


def says_what_ended_it():
    status, answer = check("causal", CLASS + "x = 1 / 0\n")
    expect(status == 1 and answer["error"].endswith("mine.py:27: ZeroDivisionError: division by zero"), answer)


def refuses_what_is_no_program():
    for program, words in [("def f(:\n", "SyntaxError"), ("x = 1\n", "computes no tensor")]:
        status, said = check("causal", program)
        expect(status == 2 and words in said and said.count("\n") == 1, said)


def says_what_is_ahead():
    """A program that ends before what the lesson's class gives is no whole one."""
    program = printed("print", "causal", "--format=lines").split("# 19. context")[0]
    expect(check("causal", program)[1]["verdict"] == "part", "ends behind its weights")
    said = check("causal", program, "--format=plain")[1]
    expect("Nothing is wrong so far. The lesson goes on to context." in said, said)


def answers_alike():
    program = CLASS.replace("**0.5", "")
    answers = {json.dumps(check("causal", program)[1]["edits"]) for _ in range(5)}
    expect(len(answers) == 1, answers)


def takes_little_memory():
    """A long program that no line explains: bytes that the command may have, of which 3,000 such lines once took 3 GB."""
    most = 400 << 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import torch\nx = torch.ones(3)\n" + "y = x + x * 2 - torch.softmax(x, dim=0)\n" * 800)
        done = subprocess.run([ONESTEP, "check", "causal", path], capture_output=True, text=True, timeout=200, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
    expect(done.returncode == 1 and done.stdout.startswith("unrelated: "), done.stdout[-300:] + done.stderr)


LESSONS = [lesson["lesson"] for lesson in json.loads(printed("list", "--format=json"))["lessons"] if lesson["lesson"] != "gpt"]
sys.exit(tap.run(
    [(f"{lesson} is equal", lambda lesson=lesson: lesson_is_equal(lesson)) for lesson in LESSONS] +
    [(f"the class: {name}", lambda row=row: slip_is_mended(*row)) for name, row in SLIPS.items()] +
    [(f"{row[0]}: {row[2]}".replace("\n", " "), lambda row=row: lesson_slip_is_mended(*row)) for row in LESSON_SLIPS] +
    [(f"{row[0]} without {row[1]}", lambda row=row: lacking_line_is_put_in(*row)) for row in LACKING] +
    [(f"{row[0]}, own names: {row[3]}".replace("\n", " "), lambda row=row: own_slip_is_mended(*row)) for row in OWN_SLIPS] +
    [right_under_other_names, says_which_layer_is_never_used, says_what_is_computed, part_is_not_equal, searches_further_when_asked, reads_notebooks, knows_a_sign_from_a_zero, marks_a_class, class_is_equal, says_it_to_people, hides_right_numbers, says_what_ended_it, refuses_what_is_no_program, answers_alike, says_what_is_ahead, takes_little_memory]))
