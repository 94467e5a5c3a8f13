"""Is `gpt`, GPT-2 small from its seed, what PyTorch draws, and does it take its place beside the lessons?

usage: gpt.py ONESTEP

Each run draws the model, which takes a second. Speaks TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

ONESTEP = os.path.abspath(sys.argv[1])


def run(*arguments, status=0):
    done = subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def step(name, *arguments):
    return json.loads(run("print", "gpt", "--step", name, "--format", "json", *arguments))["lessons"][0]["steps"][0]["values"]


def its_numbers_are_those_of_pytorch():
    said = run("verify", "--gpt")
    assert "All is well: 32 tensors of 6 runs" in said and "Bits" not in said, said


# One line at once, before anything is drawn.
def what_is_wrong_is_said_at_once():
    wrong = {("--ids", "50257"): "id 50257 is not in a vocabulary of 50257", ("--ids", "1,x"): "--ids takes whole numbers",
             ("--ids", "1,2", "--ids", "3"): "one sentence has 2 ids and another 1", ("--bias",): "gpt has no use for --bias",
             ("--ids", "1,2,3", "--context-length", "2"): "3 ids are more than a --context-length of 2",
             ("--step", "logits", "--dropout", "2"): "--dropout takes", ("--format", "json"): "163 million parameters",
             ("--context-length", "1025"): "--context-length takes"}
    for arguments, words in wrong.items():
        start = tap.processor_seconds()
        error = run("print", "gpt", *arguments, status=2)
        lines = [line for line in error.splitlines() if not line.startswith("Try ")]
        assert len(lines) == 1 and words in lines[0], error
        assert tap.processor_seconds() - start < 0.5, arguments
    assert "no exercises" in run("practice", "gpt", status=2)


def too_little_memory_is_said_at_once():
    done = subprocess.run(["sh", "-c", 'ulimit -v 600000; exec "$0" print gpt --step loss', ONESTEP], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 1 and not done.stdout, done
    assert done.stderr.count("\n") == 1 and "of memory, and there are" in done.stderr, done.stderr


def it_ends_the_third_part_and_is_in_no_list_of_lessons():
    listed = json.loads(run("list", "--format", "json"))
    model, learned = listed["models"]
    assert learned["lesson"] == "agreement" and "sentence" in learned["parameters"], learned
    assert model["lesson"] == "gpt" and model["part"] == "a whole GPT" and "new_tokens" in model["parameters"], model
    assert "gpt" not in [lesson["lesson"] for lesson in listed["lessons"]]
    plain = run("list")
    assert plain.index("\nPart 3: ") < plain.index("\ngpt: ") < plain.index("\nPart 4: "), plain


def list_names_its_steps():
    model, = json.loads(run("list", "gpt", "--format", "json"))["models"]
    plain = run("list", "gpt")
    assert len(model["steps"]) > 200 and plain.startswith("gpt: "), plain[:80]
    labels = [(step["group"] + ": " if step["group"] else "") + step["name"] for step in model["steps"]]
    assert {"parameter_counts", "block 1: W_query", "block 12: weights", "W_head", "logits", "said"} <= set(labels), labels
    lines = [line.split("  ") for line in plain.splitlines() if re.match(r" +\d+  ", line)]
    assert [next(part for part in line if ":" in part or "_" in part or part.isalpha()) for line in lines] == labels
    for label in labels[::80] + labels[-1:]:
        assert run("print", "gpt", "--step", label + ".shape"), label


def list_of_one_lesson_is_its_part_of_the_list():
    every, alone = run("list"), run("list", "causal")
    assert alone.startswith("3 causal: ") and f"\n\n{alone}\n" in every, alone
    lesson, = json.loads(run("list", "causal", "--format", "json"))["lessons"]
    assert lesson in json.loads(run("list", "--format", "json"))["lessons"]


def its_help_and_that_of_gpt2_name_each_other():
    own = run("gpt", "--help")
    assert own == run("help", "gpt") and "onestep gpt2 --help" in own and "eval() was" in own, own
    assert "onestep print gpt --step logits" in run("gpt2", "--help")


def its_sizes_are_shown():
    assert step("parameter_counts") == [163009536, 124412160, 2360064, 4722432]
    shown = run("screen", "gpt", "--step", "parameter_counts")
    assert "621.83 MiB" in shown and shown.startswith(" GPT-2 small"), shown  # not lesson 1
    assert run("screen", "gpt", "--step", "parameter_counts", "--keys", "E").startswith(" Summary: GPT-2 small"), "a number of a lesson"


# Up to 64 tokens every tensor is a step; above, none of a block is. Both compute the same.
def longer_texts_have_the_numbers_of_short_ones():
    ids = [str(i * 7919 % 50257) for i in range(65)]
    short = step("logits[0, 60:64, :9]", "--ids", ",".join(ids[:64]), "--new-tokens", "0")
    whole = step("logits[0, 60:64, :9]", "--ids", ",".join(ids), "--new-tokens", "0")
    assert all(abs(a - b) < 5e-6 for rows in zip(short, whole) for a, b in zip(*rows)), (short, whole)
    assert "no step 'block 1: weights'" in run("print", "gpt", "--step", "block 1: weights", "--ids", ",".join(ids), status=2)


def a_student_is_told_of_a_mistake():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(run("print", "gpt", "--step", "block 1: weights", "--what-if", "no-scale"))
        done = subprocess.run([ONESTEP, "check", "gpt", "--step", "block 1: weights", path], stdout=subprocess.PIPE, check=False, text=True)
        assert done.returncode == 1 and "Scores not divided by" in done.stdout, done.stdout


def its_overview_is_what_a_walk_begins_with():
    screen = run("screen", "gpt", "--what-if", "no-mask")
    assert "Overview: attention in 12 steps, heads 12, tokens 4" in screen and "Most likely after 716, of 50257:   (right)" in screen, screen
    assert [line.split()[1] for line in screen.splitlines()[3:15]] == [str(i) for i in range(1, 13)], screen
    assert "(0.0002055)" in screen and max(map(len, screen.splitlines())) <= 80, screen
    assert "27018          40179" in run("screen", "gpt")  # the first is what PyTorch goes on with


# What is off adds nothing: in the steps, in what is generated with a cache, and in long texts, which have no steps.
# No class, no questions: its keys name only the way out.
def its_page_without_a_summary_offers_no_answers():
    screen = run("screen", "gpt", "--step", "351", "--keys", "E")
    assert "This lesson has no summary." in screen, screen
    assert screen.rstrip("\n").splitlines()[-1].split() == ["Esc", "close", "?", "help"], screen


def heads_and_blocks_can_be_switched_off():
    off = ("--off", "3.5,4")
    assert all(value == 0 for row in step("block 3: context_of_rest[0, 4]", *off) for value in row)
    assert step("block 4: after_feed_forward[0, 1, :9]", *off) == step("block 3: after_feed_forward[0, 1, :9]", *off)
    assert step("said", "--new-tokens", "2", *off)[0][4] == step("most_likely", *off)[0][-1]
    ids = ",".join(str(i * 7919 % 50257) for i in range(65))
    short = step("logits[0, 60:64, :9]", "--ids", ids.rsplit(",", 1)[0], "--new-tokens", "0", *off)
    whole = step("logits[0, 60:64, :9]", "--ids", ids, "--new-tokens", "0", *off)
    assert all(abs(a - b) < 5e-6 for rows in zip(short, whole) for a, b in zip(*rows)), (short, whole)
    assert "blocks are 1 ... 12" in run("print", "gpt", "--off", "3,13", status=2)
    assert "--off takes blocks (4)" in run("print", "gpt", "--off", "3.", status=2)


# In the overview, with the probabilities of before below the new ones.
def numbers_of(lesson, name, *arguments):
    return json.loads(run("print", *lesson, "--step", name, "--format", "json", *arguments))["lessons"][0]["steps"][0]["values"]


# The model of the lesson `why`, whole: both compute the same, and only this one has a step for each tensor.
def the_learned_model_is_walked_whole_and_with_words():
    whole, why = ("gpt", "--model", "agreement"), ("why",)
    for arguments in ((), ("--sentence", "that child"), ("--sentence", "the birds that see the dog")):
        assert numbers_of(whole, "probabilities", *arguments) == numbers_of(why, "probabilities", *arguments), arguments
        assert numbers_of(whole, "block 2: weights", *arguments) == [numbers_of(why, "weights", *arguments)], arguments
    off = numbers_of(whole, "probabilities", "--off", "2.1")
    words = next(line for line in open(os.path.join(os.path.dirname(__file__), "../../data/agreement.txt"), encoding="utf-8")).split()[1:]
    assert off[words.index("sleep")] > off[words.index("sleeps")], off
    screen = run("screen", *whole, "--keys", "<Down>o")
    assert "Overview: attention in 2 steps, heads 2, tokens 5" in screen and "(in the course)" in screen, screen
    assert "This model has" in run("screen", *whole) and "drawn and not learned" in run("screen", "gpt")
    assert len(numbers_of(whole, "said", "--new-tokens", "12")) == 17
    assert run("print", "agreement", "--step", "said") == run("print", *whole, "--step", "said")
    assert "words that the model knows" in run("print", *whole, "--sentence", "the fox", status=2)
    assert "--model is of gpt" in run("print", "causal", "--model", "agreement", status=2)
    assert "--model takes gpt2 or agreement" in run("print", "gpt", "--model", "llama", status=2)
    assert "onestep gpt --model agreement" in run("agreement", "--help")


def a_key_switches_a_head_off_and_a_token_is_exchanged():
    before = run("screen", "gpt")
    switched = run("screen", "gpt", "--keys", "<Down><Right>o")
    assert "(in the course)" in switched and "(0.0002055)" in switched and "0.0002103" in switched, switched
    assert run("screen", "gpt", "--keys", "<Down><Right>oo<Up><Left>") == before
    exchanged = run("screen", "gpt", "--keys", "<Up><Left>=777<Enter>")
    assert "15496  11  777  716" in exchanged and "(in the course)" in exchanged, exchanged


def four_tokens_take_less_than_700_mib():
    with subprocess.Popen([ONESTEP, "print", "gpt", "--step", "loss"], stdout=subprocess.DEVNULL) as process:
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and usage.ru_maxrss < 700 * 1024, usage.ru_maxrss


# Seconds of the processor, so that a busy machine changes little.
def processor_time(*arguments):
    with subprocess.Popen([ONESTEP, *arguments], stdout=subprocess.DEVNULL) as process:
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_utime + usage.ru_stime


# The first new token is one that the pass has found: a second pass would take as long again. A processor's speed changes
# with what runs beside it, so the three take turns and the least of each counts, of two turns or of more until it holds.
def a_long_text_is_read_once():
    ids = ("print", "gpt", "--step", "loss", "--ids", ",".join(str(i) for i in range(200)))
    commands = (("print", "gpt", "--step", "parameter_counts"), ids, (*ids, "--new-tokens", "0"))
    least = [float("inf")] * 3
    for turn in range(8):
        least = [min(before, processor_time(*command)) for before, command in zip(least, commands)]
        drawn, one, none = least
        if turn and one - drawn < 1.4 * (none - drawn):
            return
    assert False, least


# `print all` trains two models; the list needs only the names of their steps.
def the_list_trains_no_model():
    listed = min(processor_time("list") for _ in range(5))
    trained = sum(min(processor_time("print", lesson) for _ in range(5)) for lesson in ("training", "sampling"))
    assert listed < 0.6 * trained, (listed, trained)
    steps = {lesson["lesson"]: [(step["group"], step["name"]) for step in lesson["steps"]]
             for lesson in json.loads(run("list", "--format", "json"))["lessons"]}
    for lesson in ("training", "sampling"):
        printed = json.loads(run("print", lesson, "--format", "json"))["lessons"][0]["steps"]
        assert steps[lesson] == [(step["group"], step["name"]) for step in printed], lesson


sys.exit(tap.run([its_numbers_are_those_of_pytorch, what_is_wrong_is_said_at_once, too_little_memory_is_said_at_once,
                  it_ends_the_third_part_and_is_in_no_list_of_lessons, list_names_its_steps, list_of_one_lesson_is_its_part_of_the_list,
                  its_help_and_that_of_gpt2_name_each_other,
                  its_sizes_are_shown, longer_texts_have_the_numbers_of_short_ones, a_student_is_told_of_a_mistake,
                  its_overview_is_what_a_walk_begins_with, its_page_without_a_summary_offers_no_answers,
                  heads_and_blocks_can_be_switched_off, the_learned_model_is_walked_whole_and_with_words, a_key_switches_a_head_off_and_a_token_is_exchanged, four_tokens_take_less_than_700_mib,
                  a_long_text_is_read_once, the_list_trains_no_model]))
