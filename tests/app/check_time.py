"""Is `onestep check` of a right answer as quick as `print` of the same step?

usage: check_time.py ONESTEP

Each lesson of the course with 64 words or tokens: what `print` writes is checked, and what it writes with the last place of a
few numbers moved, as on another machine: then rounding is measured. On a quiet machine check takes 0.2 s longer at most; LOADED
times that is let pass here. A search through the mistakes takes 3 s to 100 s with these. Speaks TAP.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

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

# Steps in which right programs differ by more than the last place of a number.
ROUNDED = {
    "trainable": ["linear: context"],
    "dropout": ["mt19937: context", "mt19937: mean_misses"],
    "wrapper": ["context"],
    "split_head": ["output"],
    "model": ["logits", "loss"],
    "gradients": ["W_query_grad", "automatic_difference"],
    "training": ["adamw: W_query_after", "losses", "trained: W_query", "losses_without_mask"],
}


def least_time(*arguments):
    """The least of a few, in seconds."""
    times = []
    for _ in range(3):
        start = tap.processor_seconds()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        times.append(tap.processor_seconds() - start)
    return min(times)


def move_last_places(path):
    """Of a few floats, by the last place of the largest."""
    with open(path, "rb") as file:
        start = file.read()
    header = 10 + int.from_bytes(start[8:10], "little")
    numbers = list(struct.unpack(f"<{(len(start) - header) // 4}f", start[header:]))
    place = 2**-22 * max(abs(x) for x in numbers) or 1e-10
    for i in range(0, len(numbers), 1 + len(numbers) // 4):
        numbers[i] += place
    with open(path, "wb") as file:
        file.write(start[:header] + struct.pack(f"<{len(numbers)}f", *numbers))


def check_quick(folder, lesson, steps, *more, moves=False):
    options = SMALL_GPT if lesson in ("model", "gradients", "training") else ["--input", f"{folder}/tokens.csv"]
    if lesson == "training":
        options = options + ["--updates", "5"]
    for step in steps:
        asked = [lesson, "--step", step, *options, *more]
        subprocess.run([ONESTEP, "print", *asked, "--format=npy", "-o", f"{folder}/right.npy"], check=True)
        if moves:
            move_last_places(f"{folder}/right.npy")
        longer = least_time(ONESTEP, "check", *asked, f"{folder}/right.npy") - least_time(ONESTEP, "print", *asked)
        print(f"# {' '.join([lesson, *more])}, {step}{', moved' if moves else ''}: {longer:.3f} s longer")
        assert longer <= 0.2 * LOADED, f"check of {step} takes {longer:.2f} s longer than print"


def write_tokens(path):
    random.seed(64)
    rows = "".join(f"t{i},{','.join(f'{random.random():.2f}' for _ in range(3))}\n" for i in range(64))
    with open(path, "w", encoding="ascii") as file:
        file.write("token,a,b,c\n" + rows)


ONESTEP = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    write_tokens(f"{folder}/tokens.csv")
    cases = [(lesson, lambda lesson=lesson: check_quick(folder, lesson, STEPS[lesson])) for lesson in STEPS]
    for lesson in ROUNDED:
        cases.append((f"{lesson}, moved", lambda lesson=lesson: check_quick(folder, lesson, ROUNDED[lesson], moves=True)))
    wide = ["W_query_grad", "automatic_difference"]
    cases.append(("gradients of 64 features, moved", lambda: check_quick(folder, "gradients", wide, "--d-model=64", moves=True)))
    sys.exit(tap.run(cases))
