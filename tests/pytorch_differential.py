#!/usr/bin/env python3
"""Does onestep print what PyTorch prints? For parameters, inputs and tensors that nobody has chosen.

usage: pytorch_differential.py [--sets N] [--tensors N] [--draws N] [--seed N] ONESTEP TENSOR_PIPE

ONESTEP and TENSOR_PIPE are build/onestep and build/tests/tensor_pipe (`ninja -C build tests/tensor_pipe`). Needs PyTorch:
Debian's python3-torch, or any of 1.13 or later whose build draws dropout from mt19937. No part of the quick suite.

Three comparisons, each with its figures:
  sets     lessons with random parameters and inputs, written below as a course writes them. Tensors may differ by 2e-6 of
           their scale (their largest number, or the largest that they were added up from), since a matrix product is rounded in an order of each library's own. Their text is equal,
           or a number lies as near to where the rounding changes; onestep's text has always to be what PyTorch prints for
           onestep's own numbers.
  tensors  random tensors of all kinds, printed by both. No exceptions.
  draws    uniform numbers, float and double, for 20 seeds. No exceptions.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

TOLERANCE = 2e-6
JOURNEY = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10],
           [0.05, 0.80, 0.55]]


# --- The lessons, in PyTorch ---------------------------------------------------------------------------------------


def terms(x):
    return getattr(x, "terms", x.abs())


def product(a, b, turned=False):
    """a @ b, or with b's last two dimensions turned. A sum of large products that nearly cancel has errors of their size,
    not of its own: that size is kept with it."""
    b_terms = terms(b)
    if turned:
        b, b_terms = b.transpose(-2, -1), b_terms.transpose(-2, -1)
    result = a @ b
    result.terms = terms(a) @ b_terms
    return result


def apply(layer, x):
    result = layer(x)
    result.terms = F.linear(terms(x), layer.weight.abs(), None if layer.bias is None else layer.bias.abs())
    return result


def as_large_as(x, result):
    result.terms = terms(x)
    return result


def softmax(x):
    """An error of a score becomes one of its weight, in proportion: large scores make weights that are less exact."""
    result = torch.softmax(x, dim=-1)
    size = terms(x)[x.isfinite()]
    result.terms = result * max(1, float(size.max()) if size.numel() else 0)
    return result


class Steps(list):
    """What a lesson leaves behind: (label, tensor, scale). `scale` is the size that errors are measured by, if it is not
    the tensor's own."""
    group = None

    def add(self, name, tensor, scale=None):
        if scale is None and hasattr(tensor, "terms") and tensor.numel():
            scale = float(tensor.terms.max())
        self.append((f"{self.group}: {name}" if self.group else name, tensor.detach(), scale))
        return tensor

    def layer(self, name, layer):
        self.add(name, layer.weight)
        if layer.bias is not None:
            self.add(name + "_bias", layer.bias)
        return layer


class Choice:
    """The parameters of one run."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def reseed(self, own):
        torch.manual_seed(own if self.seed is None else self.seed)

    def reseed_dropout(self, own):
        if self.dropout_seed is None:
            self.reseed(own)
        else:
            torch.manual_seed(self.dropout_seed)


# The powers of MCG31m1's multiplier: the number k of its sequence is the first one times power k.
MODULUS, MULTIPLIER = 2**31 - 1, 1132489760
POWERS = [1]
while len(POWERS) < 1 << 17:
    POWERS.append(POWERS[-1] * MULTIPLIER % MODULUS)
POWERS = torch.tensor(POWERS)


def mcg31m1_dropout(x, p):
    """Dropout as in PyTorch built with Intel's MKL. One 32-bit draw modulo 2^32 - 1 serves as well as the draw itself."""
    if p == 0 or p == 1:
        return F.dropout(x, p)
    first = int(torch.empty((), dtype=torch.int64).random_(0, 2**32 - 1)) % MODULUS or 1
    keep = (first * POWERS[:x.numel()] % MODULUS).double() / MODULUS < 1 - p
    return x * keep.view(x.shape).float().div(1 - p)


def drop(c, x, stream):
    return F.dropout(x, c.dropout, training=not c.eval) if stream == "mt19937" or c.eval else mcg31m1_dropout(x, c.dropout)


def simplified(c, s, inputs):
    s.add("inputs", inputs)
    query = s.add("query", inputs[c.query])
    scores = s.add("query_scores", product(inputs, query))
    # A sum near 0 of large scores loses the digits that they have in common.
    lost = scores.abs().sum() / scores.sum().abs()
    by_sum = scores / scores.sum()
    s.add("query_weights_by_sum", by_sum, float(lost * by_sum.abs().max()))
    weights = s.add("query_weights", softmax(scores))
    s.add("query_context", product(weights, inputs))
    scores = s.add("scores", product(inputs, inputs, turned=True))
    weights = s.add("weights", softmax(scores))
    s.add("row_sums", weights.sum(dim=-1))
    s.add("column_sums", weights.sum(dim=0))
    s.add("context", product(weights, inputs))


def projections(s, inputs, layers):
    return [s.add(name, apply(layer, inputs)) for name, layer in zip(("queries", "keys", "values"), layers)]


def three_layers(s, d_in, d_out, bias):
    return [s.layer(name, nn.Linear(d_in, d_out, bias=bias)) for name in ("W_query", "W_key", "W_value")]


def trainable(c, s, inputs):
    d_in = inputs.shape[1]
    s.group = "rand"
    c.reseed(123)
    W = [s.add(name, torch.rand(d_in, c.d_out)) for name in ("W_query", "W_key", "W_value")]
    queries, keys, values = [s.add(name, product(inputs, w)) for name, w in zip(("queries", "keys", "values"), W)]
    root = keys.shape[-1] ** 0.5
    query_scores = s.add("query_scores", keys @ queries[c.query], float(terms(keys).max() * terms(queries).sum(-1).max()))
    query_weights = s.add("query_weights", softmax(query_scores / root))
    s.add("query_context", product(query_weights, values))
    scores = s.add("scores", product(queries, keys, turned=True))
    scaled = s.add("scaled", as_large_as(scores, scores / root))
    weights = s.add("weights", softmax(scaled))
    s.add("context", product(weights, values))

    s.group = None
    c.reseed(123)
    widths = [2**i for i in range(9)]
    random_scores = s.add("random_scores", torch.stack([torch.randn(32, d) @ torch.randn(32, d).T for d in widths]))
    random_scaled = random_scores / torch.tensor(widths).sqrt().view(-1, 1, 1)
    s.add("score_variance", torch.stack([random_scores.flatten(1).var(1), random_scaled.flatten(1).var(1)], dim=1))
    # An error of a score is as large an error, relative to itself, of the weight.
    s.add("unscaled_weights", softmax(random_scores[:, 0, :6]), float(random_scores.abs().max()))
    s.add("scaled_weights", softmax(random_scaled[:, 0, :6]), float(random_scaled.abs().max()))

    s.group = "linear"
    c.reseed(789)
    layers = three_layers(s, d_in, c.d_out, c.bias)
    queries, keys, values = projections(s, inputs, layers)
    scores = s.add("scores", product(queries, keys, turned=True))
    scaled = s.add("scaled", as_large_as(scores, scores / root))
    weights = s.add("weights", softmax(scaled))
    s.add("context", product(weights, values))
    s.group = None
    copied = s.add("copied_queries", product(inputs, layers[0].weight, turned=True))
    difference = (copied - F.linear(inputs, layers[0].weight)).abs().max()
    s.add("difference", difference, float(copied.abs().max()))


def causal_mask(tokens):
    return torch.triu(torch.ones(tokens, tokens), diagonal=1)


def causal(c, s, inputs):
    tokens, d_in = inputs.shape
    c.reseed(789)
    queries, keys, values = projections(s, inputs, three_layers(s, d_in, c.d_out, c.bias))
    root = keys.shape[-1] ** 0.5
    scores = s.add("scores", product(queries, keys, turned=True))
    weights = s.add("weights", softmax(scores / root))
    mask_tril = s.add("mask_tril", torch.tril(torch.ones(tokens, tokens)))
    masked_weights = s.add("masked_weights", weights * mask_tril)
    row_sums = s.add("row_sums", masked_weights.sum(dim=-1, keepdim=True))
    renormalized = s.add("renormalized", masked_weights / row_sums)
    mask_bool = s.add("mask_bool", s.add("mask_triu", causal_mask(tokens)).bool())
    masked_scores = s.add("masked_scores", as_large_as(scores, scores.masked_fill(mask_bool, -torch.inf)))
    scaled = s.add("scaled", as_large_as(scores, masked_scores / root))
    causal_weights = s.add("causal_weights", softmax(scaled))
    s.add("difference", (renormalized - causal_weights).abs().max(), 1)
    s.add("context", product(causal_weights, values))


def dropout(c, s, inputs):
    tokens, d_in = inputs.shape
    c.reseed(789)
    queries, keys, values = projections(s, inputs, three_layers(s, d_in, c.d_out, c.bias))
    masked_scores = (queries @ keys.T).masked_fill(causal_mask(tokens).bool(), -torch.inf)
    weights = s.add("causal_weights", softmax(masked_scores / keys.shape[-1] ** 0.5))
    s.add("context_eval", product(weights, values))
    p = torch.tensor([0.1, 0.2, 0.5, 0.9])
    s.add("kept_scale", torch.stack([1 / (1 - p), 1 / p], dim=1))
    for stream in ("mt19937", "mcg31m1"):
        if c.bernoulli not in (None, stream):
            continue
        s.group = stream
        c.reseed_dropout(123)
        s.add("ones_dropped", drop(c, torch.ones(tokens, tokens), stream))
        c.reseed_dropout(123)
        dropped = s.add("weights_dropped", drop(c, weights, stream))
        s.add("row_sums", dropped.sum(dim=-1))
        s.add("context", product(dropped, values))
        s.add("mean_of_draws", torch.stack([drop(c, weights, stream) for _ in range(200)]).mean(dim=0))


def wrapper(c, s, inputs):
    tokens, d_in = inputs.shape
    c.reseed(123)
    batch = s.add("batch", torch.stack([inputs] * c.batch, dim=0))
    buffer = s.add("mask_buffer", causal_mask(c.context_length or tokens).bool())
    mask = s.add("mask", buffer[:tokens, :tokens])
    heads = []
    for h in range(c.heads):
        s.group = f"head {h + 1}"
        heads.append(three_layers(s, d_in, c.d_out, c.bias))
    contexts = []
    for h in range(c.heads):
        s.group = f"head {h + 1}"
        queries, keys, values = projections(s, batch, heads[h])
        scores = s.add("scores", product(queries, keys, turned=True))
        masked_scores = s.add("masked_scores", as_large_as(scores, scores.masked_fill(mask, -torch.inf)))
        weights = s.add("weights", softmax(masked_scores / keys.shape[-1] ** 0.5))
        dropped = s.add("dropped", drop(c, weights, c.bernoulli or "mt19937"))
        contexts.append(s.add("context", product(dropped, values)))
    s.group = None
    s.add("context", torch.cat(contexts, dim=-1))


def split_head(c, s, inputs):
    tokens, d_in = inputs.shape
    b, heads, head_dim = c.batch, c.heads, c.d_out // c.heads
    batch = s.add("batch", torch.stack([inputs] * b, dim=0))
    c.reseed(123)
    layers = three_layers(s, d_in, c.d_out, c.bias)
    out_proj = s.layer("W_out", nn.Linear(c.d_out, c.d_out))
    queries, keys, values = projections(s, batch, layers)
    viewed = s.add("queries_viewed", queries.view(b, tokens, heads, head_dim))
    queries_by_head = s.add("queries_by_head", viewed.transpose(1, 2))
    s.add("queries_scrambled", queries.view(b, heads, tokens, head_dim))
    keys_by_head = s.add("keys_by_head", keys.view(b, tokens, heads, head_dim).transpose(1, 2))
    values_by_head = s.add("values_by_head", values.view(b, tokens, heads, head_dim).transpose(1, 2))
    scores = s.add("scores", product(queries_by_head, keys_by_head, turned=True))
    mask = s.add("mask", causal_mask(c.context_length or tokens).bool()[:tokens, :tokens])
    masked_scores = s.add("masked_scores", as_large_as(scores, scores.masked_fill(mask, -torch.inf)))
    weights = s.add("weights", softmax(masked_scores / keys_by_head.shape[-1] ** 0.5))
    dropped = s.add("dropped", drop(c, weights, c.bernoulli or "mt19937"))
    by_head = s.add("context_by_head", product(dropped, values_by_head))
    transposed = s.add("context_transposed", by_head.transpose(1, 2))
    s.add("in_memory", by_head[0].flatten())
    copied = s.add("context_contiguous", transposed.contiguous())
    s.add("in_memory_now", copied[0].flatten())
    s.add("output", apply(out_proj, s.add("context", copied.view(b, tokens, c.d_out))))

    contexts = []
    for h in range(heads):
        rows = slice(h * head_dim, (h + 1) * head_dim)
        q, k, v = [F.linear(batch, layer.weight[rows], None if layer.bias is None else layer.bias[rows])
                   for layer in layers]
        masked = (q @ k.transpose(1, 2)).masked_fill(mask, -torch.inf)
        contexts.append(softmax(masked / k.shape[-1] ** 0.5) @ v)
    wrapped = s.add("wrapper_context", torch.cat(contexts, dim=-1))
    split = (weights @ values_by_head).transpose(1, 2).contiguous().view(wrapped.shape)
    s.add("difference", (split - wrapped).abs().max(), float(wrapped.abs().max()))


def model(c, s, inputs):
    vocabulary, d_model, hidden_width = len(JOURNEY), 4, 8
    head_dim = d_model // c.heads
    ids = s.add("ids", torch.arange(vocabulary).unsqueeze(0))
    c.reseed(123)
    embedding = nn.Embedding(vocabulary, d_model)
    s.add("embedding", embedding.weight)
    x = s.add("embedded", embedding(ids[:, :-1]))
    tokens = x.shape[1]
    W_query, W_key, W_value = three_layers(s, d_model, d_model, True)
    out_proj = s.layer("W_out", nn.Linear(d_model, d_model)) if c.heads > 1 else nn.Identity()
    queries, keys, values = [layer(x).view(1, tokens, c.heads, head_dim).transpose(1, 2)
                             for layer in (W_query, W_key, W_value)]
    scores = s.add("scores", queries @ keys.transpose(2, 3) * head_dim ** -0.5)
    masked_scores = scores.masked_fill(causal_mask(tokens).bool(), -torch.inf)
    weights = s.add("weights", softmax(masked_scores))
    context = (weights @ values).transpose(1, 2).contiguous().view(1, tokens, d_model)
    attention = s.add("attention", out_proj(context))
    ffn1 = s.layer("W_ffn1", nn.Linear(d_model, hidden_width))
    ffn2 = s.layer("W_ffn2", nn.Linear(hidden_width, d_model))
    before = apply(ffn1, attention)
    hidden = s.add("hidden", as_large_as(before, torch.relu(before)))
    feed_forward = s.add("feed_forward", apply(ffn2, hidden))
    logits = s.add("logits", apply(s.layer("W_logits", nn.Linear(d_model, vocabulary)), feed_forward))
    s.add("probabilities", softmax(logits))
    s.add("loss", F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()))


# Each lesson and the parameters that it has a use for.
LESSONS = {
    simplified: {"input", "query"},
    trainable: {"input", "query", "seed", "d_out", "bias"},
    causal: {"input", "seed", "d_out", "bias"},
    dropout: {"input", "seed", "dropout_seed", "d_out", "bias", "dropout", "bernoulli", "eval"},
    wrapper: {"input", "seed", "d_out", "heads", "bias", "dropout", "bernoulli", "eval", "batch", "context_length"},
    split_head: {"input", "seed", "d_out", "heads", "bias", "dropout", "bernoulli", "eval", "batch", "context_length"},
    model: {"seed", "heads"},
}


# --- Parameters at random ------------------------------------------------------------------------------------------


def random_seed(r):
    return r.choice([r.randrange(1000), r.randrange(2**32), r.randrange(2**32, 2**64), -r.randrange(1, 2**63)])


def random_inputs(r):
    tokens = r.choice([1, 2, 3, 5, 6, 7, 8, 9, 12, 17])
    features = r.choice([1, 2, 3, 3, 4, 5, 8, 13])
    least, most = r.choice([(0, 1), (-1, 1), (-2, 2)])
    return [[float(f"{r.uniform(least, most):.{r.choice([2, 2, 6])}f}") for _ in range(features)] for _ in range(tokens)]


def random_choice(r, lesson):
    """Parameters for a lesson, and the same as a command line (without --input)."""
    uses = LESSONS[lesson]
    c = Choice(input=JOURNEY, query=1, seed=None, dropout_seed=None, d_out=2, heads=2, bias=False, dropout=0.0,
               bernoulli=None, eval=False, batch=2, context_length=None)
    if lesson is dropout:
        c.dropout = 0.5
    arguments = ["print", lesson.__name__]

    def choose(name, value):
        if name in uses and r.random() < 0.7:
            setattr(c, name, value)
            option = "--" + name.replace("_", "-")
            arguments.extend([option] if value is True else [f"{option}={value}"])

    if "input" in uses and r.random() < 0.7:
        c.input = random_inputs(r)
    tokens = len(c.input)
    choose("seed", random_seed(r))
    choose("dropout_seed", random_seed(r))
    choose("heads", r.choice([1, 2, 4]) if lesson is model else r.choice([1, 1, 2, 3, 4]))
    if lesson is split_head:
        c.d_out = c.heads * r.choice([1, 2, 3])
        arguments.append(f"--d-out={c.d_out}")
    else:
        choose("d_out", r.choice([1, 2, 3, 4, 5, 7, 8]))
    choose("dropout", r.choice([0, 1, 0.1, 0.5, round(r.random(), 3)]))
    choose("bernoulli", r.choice(["mt19937", "mcg31m1"]))
    choose("batch", r.randint(1, 3))
    choose("context_length", tokens + r.choice([0, 1, 10]))
    for switch in ("bias", "eval"):
        if r.random() < 0.4:
            choose(switch, True)
    c.query = 1 if tokens > 1 else 0
    if "query" in uses and r.random() < 0.7:
        c.query = r.randrange(tokens)
        arguments.append(f"--query={c.query + 1}")
    return c, arguments


# --- Comparing -----------------------------------------------------------------------------------------------------

DTYPES = {"float32": torch.float32, "bool": torch.bool, "int64": torch.int64}


def tensor_of(step):
    def numbers(value):
        return [numbers(item) for item in value] if isinstance(value, list) else float(value)
    tensor = torch.tensor(numbers(step["values"]), dtype=torch.float64)
    return tensor.to(DTYPES[step["dtype"]]).view([int(size) for size in step["shape"]])


def worst_error(ours, theirs, scale):
    """The largest difference, in parts of the tensor's scale; infinite if something else differs."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return torch.inf
    if ours.dtype != torch.float32:
        return 0 if torch.equal(ours, theirs) else torch.inf
    finite = ours.isfinite()
    if not torch.equal(ours[~finite].nan_to_num(), theirs[~finite].nan_to_num()) or not theirs[finite].isfinite().all():
        return torch.inf
    ours, theirs = ours[finite].double(), theirs[finite].double()
    if torch.equal(ours, theirs):
        return 0
    return float((ours - theirs).abs().max() / max(scale or 0, float(theirs.abs().max())))


class Figures:
    def __init__(self):
        self.sets = self.tensors = self.numbers = self.wrong = self.usual = self.exceptions = self.usual_exceptions = 0
        self.worst = 0
        self.exact = 0


EXACT = re.compile(r"(.*: )?(W_.*|mask(_(tril|triu|bool|buffer))?|ids|ones_dropped|inputs|query|batch|kept_scale)$")


def compare_set(onestep, r, folder, figures):
    lesson = r.choice(list(LESSONS))
    c, arguments = random_choice(r, lesson)
    digits = r.choice([4, 4, 4, r.randint(0, 9)])
    if c.input is not JOURNEY:
        path = os.path.join(folder, "input.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(",".join(["token"] + [f"d{i}" for i in range(len(c.input[0]))]) + "\n")
            for i, row in enumerate(c.input):
                file.write(",".join([f"token{i}"] + [repr(value) for value in row]) + "\n")
        arguments.append("--input=" + path)
    steps = Steps()
    lesson(c, steps, torch.tensor(c.input))
    run = [subprocess.run([onestep] + arguments + extra, stdout=subprocess.PIPE, check=True).stdout.decode()
           for extra in (["--format=json"], [f"--digits={digits}"])]
    ours = json.loads(run[0], parse_int=float)["lessons"][0]["steps"]
    texts = re.findall(r"^tensor\(.*?\)$", run[1], re.MULTILINE | re.DOTALL)
    labels = [f"{step['group']}: {step['name']}" if step["group"] else step["name"] for step in ours]
    problems = []
    if labels != [label for label, _, _ in steps] or len(texts) != len(steps):
        problems.append(f"other steps: {labels}")
    torch.set_printoptions(precision=digits)
    for (label, theirs, scale), step, text in zip(steps, ours, texts):
        mine = tensor_of(step)
        error = worst_error(mine, theirs, scale)
        figures.worst = max(figures.worst, error)
        figures.numbers += theirs.numel()
        figures.exact += error == 0
        if error > (0 if EXACT.match(label) else TOLERANCE):
            problems.append(f"{label}: differs by {error:.3g}")
        if text != str(mine):
            problems.append(f"{label}: PyTorch prints these numbers as\n{mine}\nnot\n{text}")
        if text != str(theirs):
            figures.exceptions += 1
            figures.usual_exceptions += digits == 4
        figures.usual += digits == 4
        if lesson is split_head and [int(stride) for stride in step["strides"]] != list(theirs.stride()):
            problems.append(f"{label}: strides {step['strides']}, not {theirs.stride()}")
    torch.set_printoptions(precision=4)
    figures.sets += 1
    figures.tensors += len(steps)
    if problems:
        figures.wrong += 1
        print("not equal: onestep", " ".join(arguments), *problems, sep="\n    ")


# --- Tensors of all kinds ------------------------------------------------------------------------------------------


class Pipe:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line, data=b""):
        self.process.stdin.write(line.encode() + b"\n" + data)
        self.process.stdin.flush()
        return self.process.stdout.read(int(self.process.stdout.readline()))


def random_shape(r):
    kind = r.random()
    if kind < 0.05:  # more than 1000 elements: summarised
        return r.choice([[r.randint(1001, 3000)], [r.randint(6, 60), r.randint(40, 200)], [3, r.randint(5, 9), 80],
                         [r.randint(1, 8), r.randint(1, 8), r.randint(7, 9), 20]])
    if kind < 0.08:
        return [r.randint(0, 3) for _ in range(r.randint(1, 5))]  # most of them empty
    return [r.randint(1, r.choice([2, 4, 9]) if i else r.choice([3, 20])) for i in range(r.choice([0, 1, 1, 2, 2, 2, 3, 4, 5]))]


def random_floats(r, g, shape):
    uniform = torch.rand(shape, generator=g)
    kind = r.randrange(10)
    if kind == 0:
        x = (uniform * 2 - 1) * 10.0 ** r.randint(-12, 12)
    elif kind == 1:
        x = (uniform * 2 - 1) * 10 ** ((torch.rand(shape, generator=g) * 2 - 1) * r.choice([1, 2, 4, 38]))
    elif kind == 2:
        x = (uniform * r.choice([2, 10, 1000, 2e8])).floor() - r.choice([0, 5])  # integers
    elif kind == 3:
        x = (uniform * 4096).floor() / r.choice([8, 16, 64, 1024])  # ties, where rounding to even shows
    elif kind == 4:
        x = (uniform * 20000 - 10000).round() / 10000 + r.choice([0, 5e-5, -5e-5, 1e-8])  # near ties in decimal
    elif kind == 5:
        bits = torch.randint(-2**31, 2**31, shape, generator=g)
        x = bits.int().view(torch.float32) if shape else torch.tensor(1e-40)  # any float there is
    elif kind == 6:
        x = torch.full(shape, r.choice([0.0, -0.0, 1.0, 0.1, 1e-4, 9.9999e-5, 99999999.0, 1e8, 1.00000001e8, 0.99999994]))
    elif kind == 7:
        x = uniform * r.choice([1.0, 1000.0, 1000.1]) + r.choice([1.0, 1e-4, 1e-3])  # ratios near 1000
    elif kind == 8:
        x = torch.softmax(uniform * 10, dim=-1) if shape else uniform
    else:
        x = (uniform * 2 - 1) * 3
    x = x.float().clone()
    if r.random() < 0.2 and x.numel():
        for special in r.sample([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1.0, 1e-45], 3):
            x[torch.rand(x.shape, generator=g) < 0.15] = special
    return x


def compare_tensors(pipe, r, count):
    wrong = summarised = 0
    g = torch.Generator().manual_seed(r.randrange(2**32))
    for _ in range(count):
        shape = random_shape(r)
        kind = r.random()
        if kind < 0.8:
            code, tensor = 0, random_floats(r, g, shape)
        elif kind < 0.9:
            code, tensor = 1, torch.rand(shape, generator=g) < 0.5
        else:
            most = 10 ** r.randint(0, 15)  # what a double holds, and no tensor of onestep has more
            code, tensor = 2, torch.randint(-most, most + 1, shape, generator=g)
        digits = r.choice([4, 4, 4, r.randint(0, 17)])
        data = tensor.contiguous().numpy().tobytes()
        transposed = tensor.dim() >= 2 and r.random() < 0.1
        line = " ".join(map(str, ["print", digits, code, int(transposed), tensor.dim()] + list(tensor.shape)))
        shown = tensor.transpose(-2, -1) if transposed else tensor
        torch.set_printoptions(precision=digits)
        theirs, ours = str(shown), pipe.ask(line, data).decode()
        summarised += "..." in theirs
        if ours != theirs:
            wrong += 1
            if wrong <= 5:
                print(f"not equal: {line} {data[:64].hex()}\n{theirs}\n{ours}")
    torch.set_printoptions(precision=4)
    return wrong, summarised


def compare_draws(pipe, r, count):
    wrong = 0
    seeds = [0, 1, 123, 789, -1, -2**63, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1] + [random_seed(r) for _ in range(9)]
    for seed in seeds:
        for name, dtype in (("float", torch.float32), ("double", torch.float64)):
            torch.manual_seed(seed)
            theirs = torch.rand(count, dtype=dtype).numpy().tobytes()
            if pipe.ask(f"draw {seed} {count} {name}") != theirs:
                wrong += 1
                print(f"not equal: {name} draws of seed {seed}")
    return len(seeds), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=5000)
    parser.add_argument("--tensors", type=int, default=100000)
    parser.add_argument("--draws", type=int, default=1000000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("tensor_pipe", type=os.path.abspath)
    options = parser.parse_args()
    torch.set_num_threads(1)
    r = random.Random(options.seed)
    pipe = Pipe(options.tensor_pipe)

    seeds, wrong_draws = compare_draws(pipe, r, options.draws)
    print(f"draws: {options.draws} floats and {options.draws} doubles for {seeds} seeds, {wrong_draws} differ", flush=True)
    wrong_tensors, summarised = compare_tensors(pipe, r, options.tensors)
    print(f"tensors: {options.tensors} printed ({summarised} summarised), {wrong_tensors} differ", flush=True)
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for _ in range(options.sets):
            compare_set(options.onestep, r, folder, figures)
    print(f"sets: {figures.sets} parameter sets, {figures.tensors} tensors, {figures.numbers} numbers; {figures.wrong} sets "
          f"differ; largest difference {figures.worst:.2e} of the scale; {figures.exact} tensors equal in every bit; "
          f"{figures.exceptions} texts differ where a number lies on the boundary of its rounding, "
          f"{figures.usual_exceptions} of them among the {figures.usual} with 4 digits")
    return 1 if wrong_draws or wrong_tensors or figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
