"""Is `onestep check` of a right answer as quick as `print` of the same step?

usage: check_time.py ONESTEP

Each lesson of the course with 64 words or tokens: what `print` writes is checked. On a quiet machine check takes 0.2 s longer
at most; LOADED times that is let pass here. A search through the mistakes takes 3 s to 100 s with these. Speaks TAP.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

import tap

LOADED = 5
WORDS = " ".join(f"w{i}" for i in range(64))
SMALL_GPT = ["--text", WORDS, "--vocabulary", "64"]
# Steps that take long to compare in another way than number by number, or to compute again.
STEPS = {
    "simplified": ["weights", "context"],
    "trainable": ["rand: context", "largest_weights", "weight_answers", "linear: context"],
    "causal": ["row_sums", "renormalized", "context"],
    "dropout": ["mt19937: context", "mt19937: mean_of_draws"],
    "wrapper": ["head 1: weights", "context"],
    "split_head": ["weights", "output"],
    "model": ["weights", "logits", "loss"],
    "gradients": ["logits_grad", "W_query_grad", "embedding_grad", "slope"],
    "training": ["sgd: loss_after", "adamw: W_query_after", "after 1: W_logits", "losses"],
}


def least_time(*arguments):
    """The least of a few, in seconds."""
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - start)
    return min(times)


def check_quick(folder, lesson):
    options = SMALL_GPT if lesson in ("model", "gradients", "training") else ["--input", f"{folder}/tokens.csv"]
    if lesson == "training":
        options = options + ["--updates", "5"]
    for step in STEPS[lesson]:
        asked = [lesson, "--step", step, *options]
        subprocess.run([ONESTEP, "print", *asked, "--format=npy", "-o", f"{folder}/right.npy"], check=True)
        longer = least_time(ONESTEP, "check", *asked, f"{folder}/right.npy") - least_time(ONESTEP, "print", *asked)
        print(f"# {lesson}, {step}: {longer:.3f} s longer")
        assert longer <= 0.2 * LOADED, f"check of {step} takes {longer:.2f} s longer than print"


def write_tokens(path):
    random.seed(64)
    rows = "".join(f"t{i},{','.join(f'{random.random():.2f}' for _ in range(3))}\n" for i in range(64))
    with open(path, "w", encoding="ascii") as file:
        file.write("token,a,b,c\n" + rows)


ONESTEP = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    write_tokens(f"{folder}/tokens.csv")
    sys.exit(tap.run([(lesson, lambda lesson=lesson: check_quick(folder, lesson)) for lesson in STEPS]))
