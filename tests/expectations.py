"""Writes data/expectations.txt, which `onestep verify` compares with, from PyTorch's tensors in tests/data/reference/:
expectations.py [--check]

With --check it writes nothing and says, in TAP, whether the file is what it would write.
"""
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFERENCE = os.path.join(ROOT, "tests", "data", "reference")
TARGET = os.path.join(ROOT, "data", "expectations.txt")

# The files, the run that each belongs to, and the group that its tensors are in.
FILES = [
    ("simplified", "simplified", None),
    ("trainable-rand", "trainable", "rand"),
    ("trainable-linear", "trainable", "linear"),
    ("trainable-linear-123", "trainable --seed 123", "linear"),
    ("trainable-linear-bias", "trainable --seed 123 --bias", "linear"),
    ("causal", "causal", None),
    ("causal-bias", "causal --seed 123 --d-out 3 --bias", None),
    ("dropout", "dropout", None),
    ("dropout-tenth", "dropout --dropout 0.1", None),
    ("wrapper", "wrapper", None),
    ("causal-batch", "wrapper --heads 1", None),
    ("wrapper-one-wide", "wrapper --d-out 1", None),
    ("wrapper-dropout", "wrapper --dropout 0.5 --bias", None),
    ("split-head", "split_head", None),
    ("split-head-six", "split_head --input data/six.csv --d-out 6", None),
    ("split-head-dropout", "split_head --d-out 4 --dropout 0.5 --bias", None),
    ("split-head-dropout-mcg31m1", "split_head --d-out 4 --dropout 0.5 --bias --bernoulli mcg31m1", None),
    ("model-single", "model --heads 1", None),
    ("model-multi", "model", None),
    ("gradients-single", "gradients --heads 1", None),
    ("gradients-multi", "gradients", None),
    ("training", "training", None),
    ("embeddings", "embeddings", None),
    ("norm", "block", "norm"),
    ("shortcut", "block", None),
    ("block", "block", None),
    ("sampling", "sampling", None),
    ("padding", "padding", None),
    ("cross", "cross", None),
    ("cache", "cache", None),
    ("grouped_query-4", "grouped_query --groups 4", None),
    ("grouped_query-2", "grouped_query", None),
    ("grouped_query-1", "grouped_query --groups 1", None),
    ("rotary", "rotary", None),
    ("window", "window", None),
    ("online_softmax", "online_softmax", None),
    ("latent", "latent", None),
    ("llama", "llama", None),
]

HEAD = """\
# What PyTorch 1.13.1 (llama: 2.6.0) computes for the lessons (one thread, on the processor), float32 with the nine digits that
# keep every bit. `onestep verify` reads this:
#
#     run LESSON PARAMETERS
#     tensor DTYPE SIZES : STEP
#     numbers, an innermost row a line
#
# tests/expectations.py writes it.
"""


def number(word, dtype):
    if dtype != "float32" or word in ("inf", "-inf", "nan"):
        return word
    text = f"{float.fromhex(word):.9g}"
    assert struct.pack("<f", float(text)) == struct.pack("<f", float.fromhex(word))
    return text


NOISE = {"W_key_bias_grad", "trained: W_key_bias"}  # gradients of 0, but for rounding, which no two programs share


def converted(name, group):
    dtype, is_left_out = None, False
    with open(os.path.join(REFERENCE, name + ".ref"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] != "tensor":
                if is_left_out:
                    continue
                yield " ".join(number(word, dtype) for word in words)
                continue
            label = line.split(" : ", 1)[1].strip()
            is_left_out = label in NOISE
            if is_left_out:
                continue
            dtype, sizes = words[1], words[3:3 + int(words[2])]
            yield " ".join(["tensor", dtype, *sizes, ":", f"{group}: {label}" if group else label])


def text():
    lines, last = [HEAD], None
    for name, run, group in FILES:
        if run != last:
            lines.append(f"\nrun {run}\n")
        lines.extend(line + "\n" for line in converted(name, group))
        last = run
    return "".join(lines)


def main():
    if sys.argv[1:] != ["--check"]:
        with open(TARGET, "w", encoding="utf-8") as file:
            file.write(text())
        return 0
    with open(TARGET, encoding="utf-8") as file:
        is_same = file.read() == text()
    print(f"1..1\n{'ok' if is_same else 'not ok'} 1 - data/expectations.txt holds the reference tensors")
    return not is_same


if __name__ == "__main__":
    sys.exit(main())
