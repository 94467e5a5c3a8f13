#!/usr/bin/env python3
"""Does each step's PyTorch give the step's numbers? Runs the statements of lessons in order, for parameters at random.

usage: pytorch_statements.py [--runs N] [--seed N] [--large] [--checked SHARE] ONESTEP

Every step of `print --format json` carries a statement and an expression. All statements of a lesson run here in order,
behind its setup, as a reader would run them, and each expression's value is compared with the step: shape, dtype, strides,
every bit, and the text that PyTorch prints with what onestep prints. --large takes inputs of up to 64 tokens and features,
huge, tiny and denormal ones too.

A run in which a step differs is run once more with large products taken three rows at a time: onestep adds those up in an
order of its own (src/tensor/number/tile.h). Where all is equal then, they were the reason, and what differed is told apart:
such numbers must still be accepted by `onestep check`, which takes a second or more where 64 tokens of 64 features are
added up: --checked asks it for a share. So must those of a training that drift apart: AdamW of 1.13 rounds otherwise from
the second update on.

Needs PyTorch on AVX2 with OpenBLAS (pytorch_library.py). No PyTorch without MKL draws mcg31m1, so for steps of that stream
dropout is one written here. Prints a table: how many steps of each lesson differ, by cause; and above it each step that
differs for another reason. Ctrl-C ends the runs and prints the table of those that are done.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from pytorch_library import torch
from pytorch_parameters import Parameters

torch = torch()
import numpy  # noqa: E402: PyTorch comes first, and starts the script anew if need be

DTYPES = {"float32": torch.float32, "bool": torch.bool, "int64": torch.int64}
IS_OLD = torch.__version__.startswith("1.")
TRAIN = ("training", "sampling") if IS_OLD else ()  # lessons whose numbers AdamW of 1.13 moves apart
CAUSES = {"large": "large products", "sines": "sines of 1.13", "updates": "updates of 1.13",
          "sums": "softmax's gradient of 1.13"}  # they fail no run
DETACHED = "loss_after"  # under no_grad(); onestep prints what autograd would know if nothing were detached
FAULTS = {"names": "autograd's names", "bits": "bits", "text": "text", "strides": "strides"}
LARGE_PRODUCT = 2**18  # src/tensor/number/tile.h
# Sines and cosines are 2.6's; those of 1.13 differ in their last digit. It goes on with the steps that are given here.
GIVEN = {(lesson, name) for lesson in ("rotary", "llama") for name in ("cosines", "sines")}
GIVEN |= {("rotary", name) for name in ("turn_of_query", "turn_of_key", "turn_between")} | {("latent", "turns")}
FROM_SINES = GIVEN | {("rotary", "scores_later"), ("rotary", "difference")}
GRADIENTS_OF_PADDING = "W_query_grad", "largest_gradients"
NEAR = {"losses_without_mask": 1e-2, "probabilities_without_mask": 5e-2} if IS_OLD else {}


# --- Comparing -----------------------------------------------------------------------------------------------------


def tensor_of(step):
    def numbers(value):
        return [numbers(item) for item in value] if isinstance(value, list) else float(value)
    return torch.tensor(numbers(step["values"]), dtype=torch.float64).to(DTYPES[step["dtype"]]).view(
        [int(size) for size in step["shape"]])


def same_bits(a, b):
    """Any nan equals any nan."""
    if a.dtype != torch.float32:
        return torch.equal(a, b)
    a, b = a.contiguous(), b.contiguous()
    equal = a.view(torch.int32) == b.view(torch.int32) if a.dim() else (a == b) & (a.signbit() == b.signbit())
    return bool((equal | (a.isnan() & b.isnan())).all())


def differing(mine, theirs):
    """How many of the numbers that differ in their bits, of how many, and by how much of the largest."""
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return f"is {tuple(theirs.shape)} {theirs.dtype}, not {tuple(mine.shape)} {mine.dtype}"
    a, b = mine.double().flatten(), theirs.double().flatten()
    distance = (a - b).abs().nan_to_num(0)
    return f"{int((a != b).sum())} of {a.numel()} differ, by {float(distance.max() / b[b.isfinite()].abs().max()):.1e}"


class LargeProducts(torch.overrides.TorchFunctionMode):
    """Meets the large products."""

    def __init__(self):
        super().__init__()
        self.met = 0

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = options or {}
        if function in PRODUCTS and not options:
            a, b, *bias = arguments
            columns = b.T if function in LINEAR else b
            if a.dim() >= 2 and columns.dim() >= 2 and is_large(a, columns):
                self.met += 1
                return self.changed(function, a, b, bias)
        return function(*arguments, **options)

    def changed(self, function, a, b, bias):
        return function(a, b, *bias)


class InThrees(LargeProducts):
    """Takes them three rows at a time, and each of a batch on its own."""

    def changed(self, function, a, b, bias):
        return self.in_threes(function, a, b, bias)

    def in_threes(self, function, a, b, bias):
        if b.dim() > 2:
            shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            pairs = zip(*(x.expand(*shape, *x.shape[-2:]).flatten(0, -3) for x in (a, b)))
            return torch.stack([self.in_threes(function, *pair, bias) for pair in pairs]).unflatten(0, shape)
        rows = torch.cat([function(piece, b, *bias) for piece in a.flatten(0, -2).split(3)])
        return rows.unflatten(0, a.shape[:-1])


class Mcg31m1(torch.overrides.TorchFunctionMode):
    """Dropout as in a PyTorch whose MKL draws it: one number of the generator begins a sequence of another."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        if function is torch.nn.functional.dropout:
            p, training = torch_dropout_options(*arguments[1:], **(options or {}))
            if training and 0 < p < 1:
                return mcg31m1_dropout(arguments[0], p)
        return function(*arguments, **(options or {}))


def torch_dropout_options(p=0.5, training=True, inplace=False):
    return p, training


def mcg31m1_dropout(x, p):
    """The draw modulo 2^32 - 1 serves as well as the draw itself: 2^31 - 1 divides neither."""
    modulus, multiplier = 2**31 - 1, 1132489760
    first = int(torch.empty((), dtype=torch.int64).random_(0, 2**32 - 1)) % modulus or 1
    keep = torch.empty(x.shape)
    for i in range(x.numel()):
        keep.view(-1)[i] = first / modulus < 1 - p
        first = first * multiplier % modulus
    return x * keep.div(1 - p)


NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[-+]\d+)?|inf|nan)")
LINEAR = {torch.nn.functional.linear}
PRODUCTS = LINEAR | {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.mm, torch.bmm}


def is_large(a, b):
    rows = a.shape[-2] if b.dim() > 2 else a.shape[:-1].numel()
    return rows * a.shape[-1] * b.shape[-1] >= LARGE_PRODUCT


class Figures(collections.Counter):
    def row(self, lesson):
        causes = (self[kind] for kind in (*CAUSES, *FAULTS))
        return f"| {lesson} | {self['runs']:,} | {self['steps']:,} | " + " | ".join(f"{count:,}" for count in causes) + " |"

    def show_large(self):
        equal, equal_behind = (100 * (1 - self["numbers off"] / max(1, self[of])) for of in ("numbers", "numbers behind"))
        print(f"{self['mcg']:,} steps of mcg31m1. Of large products {self['large text']:,} in text, {self['checked']:,} checked,"
              f" {equal:.3f} % of their printed numbers equal, {equal_behind:.3f} % of all {self['behind']:,} steps from a run's"
              " first large product on")


def show_table(figures):
    titles = "lesson", "runs", "steps", *CAUSES.values(), *FAULTS.values()
    print(f"PyTorch {torch.__version__}: steps that differ\n| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    total = Figures()
    for lesson, counted in figures.items():
        print(counted.row(lesson))
        total += counted
    print(total.row("all"))
    return total


def with_names_of_2_6(text):
    """1.13 calls three of autograd's nodes otherwise; onestep prints the later names."""
    for name in "ReshapeAliasBackward0", "IndexSelectBackward0":
        text = text.replace(name, "ViewBackward0")
    return text.replace("SqueezeBackward3", "SqueezeBackward4")


def is_near(step, mine, theirs):
    """Gradients of the loss are rounded in another order, and what was trained moves apart: a thousandth of the largest."""
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype or mine.dtype != torch.float32:
        return False
    distance = float((mine - theirs).abs().nan_to_num(0).max())
    if step["name"] in NEAR:
        return distance < NEAR[step["name"]]
    if IS_OLD and (step["lesson"], step["name"]) in FROM_SINES and step["group"] != "pairs":
        return distance <= 2e-6 * step["scale"]
    if IS_OLD and step["name"] == "automatic_difference":  # from the ninth of a row on (pytorch_autograd.py)
        return step["words"] > 9 and distance <= 1e-2 * float(theirs.abs().max())
    if IS_OLD and step["lesson"] == "padding" and step["name"] in GRADIENTS_OF_PADDING:  # from the ninth key on
        same_nan = torch.equal(mine.isnan(), theirs.isnan())
        return step["longest"] > 8 and same_nan and distance <= 1e-6 * float(theirs.abs().nan_to_num(0).max())
    return step["lesson"] in TRAIN and (step["name"] == "W_key_bias" or distance <= 1e-3 * float(theirs.abs().max()))


def says_same(theirs, mine):
    """A longer name of 1.13 may stand on a line of its own."""
    renamed = with_names_of_2_6(theirs)
    return mine == theirs if renamed == theirs else mine.split() == renamed.split()


def compare_step(step, texts, theirs):
    """What is wrong with a step, as a list of (kind, sentence)."""
    mine = tensor_of(step)
    problems = []
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype or not same_bits(mine, theirs):
        if is_near(step, mine, theirs):
            is_from_sines = (step["lesson"], step["name"]) in FROM_SINES
            cause = "updates" if step["lesson"] in TRAIN else "sines" if is_from_sines else "sums"
            return [(cause, differing(mine, theirs))]
        problems.append(("bits", differing(mine, theirs)))
    printed = str(theirs)
    plain = str(theirs.detach()) if theirs.requires_grad else printed
    if plain != texts[0]:
        problems.append(("text", f"PyTorch prints\n{plain}\nnot\n{texts[0]}"))
    elif step["name"] != DETACHED and not says_same(printed, texts[1]):
        problems.append(("names", f"PyTorch prints\n{printed}\nnot\n{texts[1]}"))
    theirs = theirs.detach()
    if [int(stride) for stride in step["strides"]] != list(theirs.stride()) and theirs.numel() > 1:
        problems.append(("strides", f"strides {step['strides']}, not {theirs.stride()}"))
    return problems


class Run:
    """What onestep prints of a lesson, and what PyTorch makes of its statements."""

    def __init__(self, onestep, arguments):
        self.onestep, self.arguments = onestep, arguments
        json_text, *texts = (subprocess.run([onestep, "print", *arguments, *more], stdout=subprocess.PIPE, check=True)
                             .stdout.decode() for more in (["--format=json"], [], ["--requires-grad"]))
        self.lesson = json.loads(json_text, parse_int=float)["lessons"][0]
        for step in self.lesson["steps"]:
            step["lesson"] = self.lesson["lesson"]
            step["longest"] = max(self.lesson["parameters"].get("lengths") or [0])
            step["words"] = len(str(self.lesson["parameters"].get("text", "")).split())
            if step["lesson"] == "rotary" and step["name"] == "scores" and step["group"] is None:
                scale = max(1, float(tensor_of(step).abs().max()))
            if (step["lesson"], step["name"]) in FROM_SINES:
                step["scale"] = 1 if step["name"] in ("cosines", "sines", "turns") else scale
        blocks = [re.findall(r"^(?:Parameter containing:\n)?tensor\(.*?\)$", text, re.MULTILINE | re.DOTALL)
                  for text in texts]
        self.texts = list(zip(*blocks, strict=True))
        assert len(self.texts) == len(self.lesson["steps"]), (len(self.texts), len(self.lesson["steps"]))

    def values(self):
        """Each step's tensor, with what autograd knows of it, or the exception that its statement raises."""
        names = {}
        exec(self.lesson["setup"], names)
        for step, is_mcg in zip(self.lesson["steps"], self.of_mcg31m1()):
            try:
                with Mcg31m1() if is_mcg else contextlib.nullcontext():
                    exec(step["statement"], names)
                    value = eval(step["expression"], names)
                yield value
                if IS_OLD and (step["lesson"], step["name"]) in GIVEN:
                    names[step["name"]] = tensor_of(step)
            except Exception as error:
                yield error

    def name(self, step):
        label = f"{step['group']}: {step['name']}" if step["group"] else step["name"]
        return f"onestep print {' '.join(self.arguments)}: {label} ({step['number']:.0f})"

    def of_mcg31m1(self):
        """For each step, whether its dropout would draw what no PyTorch without MKL draws."""
        chosen = self.lesson["parameters"].get("bernoulli") == "mcg31m1" and self.lesson["lesson"] != "dropout"
        return [chosen or step["group"] == "mcg31m1" for step in self.lesson["steps"]]

    def compared(self):
        """Each step's value, and what is wrong."""
        for step, texts, theirs in zip(self.lesson["steps"], self.texts, self.values()):
            if isinstance(theirs, Exception):
                yield theirs, [("bits", f"{type(theirs).__name__}: {theirs}\n{step['statement']}")]
            else:
                yield theirs, compare_step(step, texts, theirs)

    def is_accepted(self, step, theirs, folder):
        path = os.path.join(folder, "step.npy")
        numpy.save(path, theirs.detach().numpy())
        lesson, *parameters = self.arguments
        wanted = f"--step={step['number']:.0f}"
        return subprocess.run([self.onestep, "check", lesson, wanted, path, *parameters],
                              stdout=subprocess.DEVNULL).returncode == 0


def numbers_off(text, theirs):
    """How many of the numbers that PyTorch prints stand otherwise in a text; of how many."""
    mine, others = (NUMBER.findall(s) for s in (text, str(theirs)))
    return sum(a != b for a, b in zip(mine, others)), max(len(mine), len(others))


def count_problem(run, step, problem, figures, options):
    kind, sentence = problem
    figures[kind] += 1
    if kind in FAULTS and not options.quiet:
        print(f"{run.name(step)}: {kind}: {sentence}", flush=True)


def compare_large(run, compared, figures, folder, options):
    """A run in which steps differ: because of large products?"""
    chosen = random.Random(figures["runs"])
    with InThrees():
        # PyTorch's names are those of products in threes here.
        others = [[problem for problem in problems if problem[0] in ("bits", "text", "strides")] for _, problems in run.compared()]
    for step, (text, _), (theirs, wrong), otherwise in zip(run.lesson["steps"], run.texts, compared, others):
        drifts = bool(otherwise) and step["lesson"] in TRAIN and not isinstance(theirs, Exception)
        if wrong and (drifts or not otherwise and chosen.random() < options.checked):
            figures["checked"] += 1
            otherwise = [] if run.is_accepted(step, theirs, folder) else [("bits", "check does not accept PyTorch's")]
        if wrong and not otherwise and drifts:
            figures["updates"] += 1
        elif wrong and not otherwise:
            figures["large"] += 1
            figures["large text"] += any(kind == "text" for kind, _ in wrong)
            off, count = numbers_off(text, theirs.detach())
            figures["numbers off"] += off
            figures["numbers"] += count
        for problem in otherwise:
            count_problem(run, step, problem, figures, options)


def compare_run(arguments, figures, folder, options):
    run = Run(options.onestep, arguments)
    compared, large = [], LargeProducts()
    # Small products have no need of the detour, which takes a good part of the time.
    with large if options.large else contextlib.nullcontext():
        for step, (text, _), (theirs, problems) in zip(run.lesson["steps"], run.texts, run.compared()):
            wrong = []
            for problem in problems:
                if problem[0] in (*CAUSES, "names"):
                    count_problem(run, step, problem, figures, options)
                else:
                    wrong.append(problem)
            # Later updates change the parameters, so those that are asked about are copied.
            compared.append((theirs.clone() if wrong and torch.is_tensor(theirs) else theirs, wrong))
            if large.met and not isinstance(theirs, Exception):
                figures["behind"] += 1
                figures["numbers behind"] += len(NUMBER.findall(text))
    figures["runs"] += 1
    figures["steps"] += len(compared)
    figures["mcg"] += sum(run.of_mcg31m1())
    if any(wrong for _, wrong in compared):
        compare_large(run, compared, figures, folder, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=12, help="of each lesson, its own parameters first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--checked", type=float, default=1, help="share of the steps in large products that check is asked about")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--lesson", action="append")
    parser.add_argument("onestep", type=os.path.abspath)
    options = parser.parse_args()
    r = random.Random(options.seed)
    listed = json.loads(subprocess.run([options.onestep, "list", "--format=json"], stdout=subprocess.PIPE, check=True).stdout)
    uses = {lesson["lesson"]: set(lesson["parameters"]) for lesson in listed["lessons"]}
    figures = {lesson: Figures() for lesson in options.lesson or uses}
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        for i in range(options.runs):
            for lesson, counted in figures.items():
                arguments = [lesson] if i == 0 else Parameters(r, lesson, uses[lesson], folder, options.large)
                compare_run(arguments, counted, folder, options)
    total = show_table(figures)
    if options.large:
        total.show_large()
    return 1 if any(total[kind] for kind in FAULTS) else 0


if __name__ == "__main__":
    sys.exit(main())
