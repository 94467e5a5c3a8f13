#!/usr/bin/env python3
"""Files as people hand them in, from public issues and pages (data/reports): what does `onestep check` say of them?

usage: reports.py ONESTEP

Each row is a command, its exit status, and what its output has to contain. Speaks TAP.
"""
import pathlib
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

ONESTEP = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "reports"
CONTEXT = "equal: all 12 numbers are those of context (causal, step 19)"

PRINTS = (
    ("causal --step context 38-burn-print.txt", 0, CONTEXT),
    ("causal --step context 38-candle-print.txt", 0, CONTEXT),
    ("causal --step context 39-libtorch-print.txt", 0, CONTEXT),
    ("causal --step context 55-no-break-spaces.txt", 0, CONTEXT),
    ("causal --step context 55-prompt-behind.txt", 0, CONTEXT),
    ("causal --step context 55-prompt-first-numpy.txt", 0, CONTEXT),
    ("causal --step context 55-shape-line-first.txt", 0, CONTEXT),
    ("causal --step context 55-unicode-minus.txt", 0, CONTEXT),
    ("causal --step context 55-one-array.npz", 0, CONTEXT),
    ("causal --step context 37-course-names.npz", 2, "7 tensors in one file: check them all, without --step, or save one"),
    ("simplified --input 41-own-vectors-word-header.csv --step inputs 41-own-vectors.npy", 0, "equal: all 20 numbers"),
    ("simplified --input 41-own-vectors.npy --step inputs 41-own-vectors.npy", 0, "equal: all 20 numbers"),
    ("simplified --input 41-own-vectors.csv --step inputs 41-own-vectors.csv", 0, "equal: all 12 numbers"),
    ("causal --step causal_weights 55-lower-triangle.txt", 0, "equal: all 36 numbers are those of causal_weights"),
    ("causal --step weights 55-lower-triangle.txt", 1, "different: 30 of 36 numbers are not those of weights"),
)

# A dimension of size 1 more or less, and what follows is judged from those numbers.
SHAPES = (
    ("model R22.safetensors", 0, "loss                         equal     in another shape: (1,), and the lesson has ()"),
    ("block R33.safetensors", 0, "equal: 20 of the 88 steps of block were handed in, and all are right"),
    ("online_softmax R49.npz", 0, "in another shape: (6, 1), and the lesson has (6,)"),
    ("latent R51.npz", 0, "in another shape: (2, 6, 6), and the lesson has (1, 2, 6, 6)"),
    ("split_head --d-out 4 --batch 1 X02.npz", 1, "wrong: the first wrong step is weights; 4 of 7 steps are equal, 2 follow"),
    ("block P_mixed_unbatched_embedded --names map2.txt", 1, "wrong: the first wrong step is block 2: attention; 14 of 23"),
)

# Under the names of the book.
NAMES = (
    ("causal 37-course-names.npz", 1, "wrong: the first wrong step is causal_weights; 5 of 7 steps are equal, 1 follows"),
    ("causal 37-course-names.npz", 1, "15  masked_scores                equal     your masked\n"),
    ("causal B1_book_names_mask_zero.npz", 1, "wrong: the first wrong step is masked_scores; 6 of 9 steps are equal, 2 follow"),
    ("causal B2_book_names_right.npz", 0, "equal: 9 of the 19 steps of causal were handed in, and all are right"),
)

# Parameters of the student's own, as a port has.
PORT = "block port2_gelu.safetensors --names map.txt"
PORTS = (
    (PORT, 1, "wrong: the first wrong step is block 2: activated; 0 of 49 steps are equal, 21 are parameters of your own, "
     "22 are right for these, 5 follow from wrong ones"),
    (PORT, 1, "explanation: gelu-exact, the numbers of\n    activated = torch.nn.functional.gelu(hidden)"),
    (PORT, 1, "right: what your own parameters lead to; your h.1.fc\n"),
    (PORT.replace("map.txt", "map_forms.txt"), 1, "wrong: the first wrong step is block 2: activated; 0 of 49 steps are equal, 21 are parameters"),
    ("block P_np_mask --names map2.txt", 1, "explanation: mask-diagonal-2\n"),
    ("block port_eps.safetensors --names map.txt", 1, "norm2_normalized = distance / torch.sqrt(norm2_variance + 1e-3)\n  where block 1:"),
    ("causal W10-xavier.npz", 1, "the first wrong step is W_query; 0 of 10 steps are equal, 3 are parameters of your own, 7 are right for these"),
)

# Mistakes that give another shape, and mistakes of a lesson's own.
LINES = (
    ("split_head --d-out 4 --step weights W25.txt", 1, "explanation: weights-averaged"),
    ("split_head --d-out 4 --step output W23.npy", 1, "explanation: fused-cut-by-head"),
    ("split_head --bias --step queries 11-fused-qkv-bias-queries.npy", 1, "explanation: fused-qkv"),
    ("rotary --step 'pairs: difference' one-number.txt", 1, "none of the 107 known mistakes"),
    ("training W41", 1, "wrong: the first wrong step is adamw: second_moment; 5 of 8 steps are equal"),
    ("padding W56.safetensors", 1, "explanation: first-for-last"),
    ("padding --step context 31-padding-queries-zero-context.npy", 1, "explanation: padding-both"),
    ("block --step loss 46-random-loss-block.txt", 1, "explanation: unclear, because too few digits differ"),
    ("block --step loss 46-loss-of-mean-probability.txt", 1, "too few digits differ: 2 known explanations fit them"),
    ("block --step loss 46-loss-of-mean-probability-16.txt", 1, "explanation: loss-of-mean, the numbers of"),
    ("causal --step renormalized exercise-sum-of-all.txt", 1, "explanation: sum-of-all"),
    ("block --step 'norm: out_norm' exercise-norm-of-all.txt", 1, "explanation: norm-of-all"),
    ("sampling --step most_likely exercise-max-for-argmax.txt", 1, "explanation: max-for-argmax"),
    ("cross --step context W58.txt", 1, "explanation: cross-roles"),
    ("embeddings --step window_inputs W46.txt", 1, "starts = range(len(words) - window - 1)"),
    ("training --step losses W40.txt", 1, "explanation: warm-up"),
)


def judge(rows):
    for command, status, words in rows:
        done = subprocess.run([ONESTEP, "check", *shlex.split(command)], capture_output=True, text=True, cwd=FOLDER)
        said = done.stdout + done.stderr
        assert done.returncode == status and words in said, f"check {command}: {done.returncode}\n{said}"


def prints():
    judge(PRINTS)


def shapes():
    judge(SHAPES)


def names():
    judge(NAMES)


def ports():
    judge(PORTS)


def lines():
    judge(LINES)


# A text of few words has the ids of its first words, unless --ids gives others.
def short_texts():
    for text, ids in (("a b", "tensor([0, 1])"), ("Hello, do you like tea?", "tensor([0, 1, 2, 3])"), ("a b c d e f", "tensor([2, 3, 5, 1])")):
        done = subprocess.run([ONESTEP, "print", "embeddings", "--text", text, "--step", "input_ids"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == ids, done.stdout


if __name__ == "__main__":
    sys.exit(tap.run([prints, shapes, names, ports, lines, short_texts]))
