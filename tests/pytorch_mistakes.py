"""The classic mistakes made in PyTorch, written the way a student would write them.

usage: pytorch_mistakes.py TESTS
       pytorch_mistakes.py --numbers 'case LESSON OPTIONS... : MISTAKE...' [STEP]

Offline: needs torch, the tests do not. Every lesson is written once as plain PyTorch with the mistakes as branches in the
places where a student would slip. Writes data/mistakes.txt, which TESTS, build/tests/tests, reads with
tests/trace/what_if/made.c; or prints PyTorch's numbers for one case. Made with PyTorch 1.13, one thread, a build without Intel's
MKL; the stream of dropout masks that builds with it have is computed by hand.

    steps LESSON'S STEP | [GROUP: ]NAME | ...       (of the cases below)
    case LESSON OPTIONS... : MISTAKE [MISTAKE]      (MISTAKE/2: the second row of that name)
    VERDICT VERDICT ...                             (one for each of the steps)

A verdict is "=" where the mistake leaves the step as it was, but for rounding; "." where the program does not come so far; or a
CRC-32 of the step's sizes and of the bits of PyTorch's numbers as float32. Where onestep's numbers have other last bits, PyTorch's follow:
CRC~PLACE:BITS,FURTHER:BITS,... where FURTHER counts from the place before. These places are found by running TESTS; all numbers
are PyTorch's.
"""

import os
import struct
import subprocess
import sys
import tempfile
import zlib

import torch
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "mistakes.txt")

inputs = torch.tensor(
    [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
)
made = set()  # the mistakes of the case at hand


last_seed = 0
ends = []  # the generator's state behind the layers drawn since each seed of a run; None: no layer was drawn
ends_of_right = []


def seed(number):
    global last_seed
    last_seed = {123: 789, 789: 123}[number] if "wrong-seed" in made else number
    torch.manual_seed(last_seed)
    ends.append(None)


def prepare_draw():
    if "seed-each-layer" in made:
        torch.manual_seed(last_seed)
    if "drawn-twice" in made and ends[-1] is None:
        torch.set_rng_state(ends_of_right[len(ends) - 1])


def note_draw():
    ends[-1] = torch.get_rng_state()


def table(count, width):
    prepare_draw()
    embedding = torch.nn.Embedding(count, width)
    note_draw()
    return embedding


class Layer:
    """torch.nn.Linear, or what a student puts in its place."""

    def __init__(self, d_in, d_out, bias, projects=False):
        prepare_draw()
        self.turned = "layer-sizes-swapped" in made and projects and not bias and d_in != d_out
        if self.turned:
            self.layer = torch.nn.Linear(d_out, d_in, bias=False)
            note_draw()
            self.weight, self.bias, self.wants_bias = self.layer.weight.detach().T, None, False
            return
        self.layer = torch.nn.Linear(d_in, d_out, bias=bias and "no-bias" not in made)
        note_draw()
        self.weight, self.bias = self.layer.weight.detach(), self.layer.bias
        if self.bias is not None:
            self.bias = self.bias.detach()
        self.wants_bias = bias

    def __call__(self, x):
        if self.turned:
            return (x @ self.layer.weight).detach()
        if "weight-untransposed" not in made:
            return self.layer(x).detach()
        d_out, d_in = self.weight.shape
        y = x @ self.weight.reshape(-1).view(d_in, d_out)  # the same draws, laid out as [in, out]
        return y if self.bias is None else y + self.bias

    def tie(self, embedding):
        if "tied-weights" in made:
            self.layer.weight = embedding.weight
            self.weight = self.layer.weight.detach()

    def show(self, name):
        show(name, self.weight)
        if self.wants_bias:
            show(name + "_bias", self.bias if self.bias is not None else torch.zeros(self.weight.shape[0]))


ORDERS = {"swapped-qk": (1, 0, 2), "values-first": (2, 0, 1), "chunks-exchanged": (0, 2, 1), "chunks-exchanged/2": (1, 2, 0),
          "chunks-exchanged/3": (2, 1, 0)}  # in which the three are drawn


def query_key_value(d_in, d_out, bias):
    order = next((ORDERS[mistake] for mistake in ORDERS if mistake in made), (0, 1, 2))
    layers = {which: Layer(d_in, d_out, bias, True) for which in order}
    return layers[0], layers[1], layers[2]


left = 1.0  # what is still to be divided by, behind the softmax


def scale(scores, d_k, d_out):
    global left
    if "scale-after-softmax" in made:
        left = d_k**0.5
        return scores
    if "no-scale" in made:
        return scores
    if "scale-twice" in made:
        return scores / d_k**0.5 / d_k**0.5
    if "scale-by-dk" in made:
        return scores / d_k
    if "scale-by-d-out" in made:
        return scores / d_out**0.5
    if "scale-by-tokens" in made and scores.dim() > 2:
        return scores / scores.shape[-1] ** 0.5
    return scores / d_k**0.5


def softmax(scores):
    if "no-softmax" in made:
        return scores
    if "softmax-twice" in made:
        return torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    if "softmax-heads" in made and scores.dim() == 4:
        return torch.softmax(scores, dim=1)
    if "softmax-batch" in made and scores.dim() > 2:
        return torch.softmax(scores, dim=0)
    return torch.softmax(scores, dim=-2 if "softmax-columns" in made and scores.dim() > 1 else -1) / left


def score(queries, keys):
    if "scores-transposed" in made and queries.shape == keys.shape:  # else the sizes do not fit
        return keys @ queries.transpose(-2, -1)
    if "keys-reshaped" in made:
        return queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])
    return queries @ keys.transpose(-2, -1)


def mix(weights, values, keys):
    values = keys if "keys-for-values" in made else values
    is_square = weights.shape[-2:] == (values.shape[-2],) * 2  # else the sizes do not fit
    return (weights.transpose(-2, -1) if "weights-transposed" in made and is_square else weights) @ values


def future(tokens):
    ones = torch.ones(tokens, tokens)
    if "mask-inverted" in made:
        return torch.tril(ones).bool()
    if "mask-diagonal-2" in made:
        return torch.triu(ones, diagonal=2).bool()
    if "mask-diagonal" in made and "mask-upside-down" in made:
        return torch.triu(ones).T.bool()
    if "mask-diagonal" in made:
        return torch.triu(ones).bool()
    if "mask-upside-down" in made:
        return torch.triu(ones, diagonal=1).T.bool()
    return torch.triu(ones, diagonal=1).bool()


def hide(scores, mask):
    if "mask-after-softmax" in made or "no-mask" in made:
        return scores
    return scores.masked_fill(mask, 0 if "mask-zero" in made else -torch.inf)


def weigh(scaled, mask):
    """Softmax of scores that hide() has seen."""
    weights = softmax(scaled)
    return weights.masked_fill(mask, 0) if "mask-after-softmax" in made and mask is not None else weights


def keep_of_mkl(count, p):
    """The stream of builds with Intel's MKL: one draw seeds MCG31m1."""
    draw = int(torch.empty(1, dtype=torch.int64).random_(0, 2**32 - 1))
    x = draw % (2**31 - 1) or 1
    keep = []
    for _ in range(count):
        keep.append(float(x / (2**31 - 1) < 1 - p))
        x = 1132489760 * x % (2**31 - 1)
    return torch.tensor(keep)


def drop(x, p, stream="mt19937"):
    if p == 0 or "no-dropout" in made:
        return x
    if "other-bernoulli" in made:
        stream = "mcg31m1" if stream == "mt19937" else "mt19937"
    if "dropout-by-rand" in made:
        keep = torch.rand(x.shape) > p
    elif stream == "mcg31m1":
        keep = keep_of_mkl(x.numel(), p).view(x.shape)
    else:
        keep = torch.empty_like(x).bernoulli_(1 - p)
    if "dropout-scale-p" in made:
        return x * (keep / p)
    if "dropout-no-scale" in made:
        return x * keep
    return x * (keep / (1 - p))


def weigh_and_drop(scaled, mask, p, stream="mt19937"):
    """The weights, and what dropout leaves of them."""
    weights = weigh(scaled, mask)
    if "dropout-before-softmax" in made and p > 0:
        return weights, weigh(drop(scaled, p, stream), mask)
    if made & {"dropout-on-context", "dropout-on-context/2", "dropout-on-values", "dropout-on-output"}:
        return weights, weights
    dropped = drop(weights, p, stream)
    return weights, drop(dropped, p, stream) if "dropout-twice" in made else dropped


def mix_dropped(dropped, values, keys, p, stream="mt19937"):
    if "dropout-on-values" in made:
        projected = values.transpose(1, 2) if values.ndim == 4 else values  # before they are split into heads
        values = drop(projected, p, stream).view(projected.shape)
        values = values.transpose(1, 2) if values.ndim == 4 else values
    context = mix(dropped, values, keys)
    return drop(context, p, stream) if "dropout-on-context" in made else context


def drop_again(scaled, mask, p, stream):
    """Weights that nothing is mixed by."""
    if "dropout-on-context" in made or "dropout-on-values" in made:
        return drop(weigh(scaled, mask), p, stream)
    return weigh_and_drop(scaled, mask, p, stream)[1]


# ---- The lessons ----


def simplified():
    query = inputs[1]
    show("query_weights", softmax(inputs @ query))
    show("query_context", softmax(inputs @ query) @ inputs)
    weights = softmax(score(inputs, inputs))
    show("weights", weights)
    show("row_sums", weights.sum(dim=-1))
    show("column_sums", weights.sum(dim=0))
    show("context", mix(weights, inputs, inputs))


def trainable(d_out=2, bias=False):
    global group
    group = "rand: "
    seed(123)
    drawn = {}
    for which in next((ORDERS[mistake] for mistake in ORDERS if mistake in made), (0, 1, 2)):
        prepare_draw()
        drawn[which] = torch.rand(3, d_out)
        note_draw()
    W_query, W_key, W_value = drawn[0], drawn[1], drawn[2]
    queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value
    show("W_query", W_query), show("W_key", W_key), show("W_value", W_value)
    show("queries", queries), show("keys", keys), show("values", values)
    query_scores = keys @ queries[1]
    show("query_scores", query_scores)
    query_weights = softmax(scale(query_scores, d_out, d_out))
    show("query_weights", query_weights)
    show("query_context", query_weights @ (keys if "keys-for-values" in made else values))
    attend(queries, keys, values, d_out)
    group = ""
    seed(123)
    random_scores = torch.stack([torch.randn(32, 2**i) @ torch.randn(32, 2**i).T for i in range(9)])
    show("unscaled_weights", torch.softmax(random_scores[:, 0, :6], dim=-1))
    group = "linear: "
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values)
    attend(queries, keys, values, d_out)
    group = ""


def attend(queries, keys, values, d_out):
    scores = score(queries, keys)
    show("scores", scores)
    scaled = scale(scores, keys.shape[-1], d_out)
    show("scaled", scaled)
    weights = softmax(scaled)
    show("weights", weights)
    show("context", mix(weights, values, keys))


def causal(d_out=2, bias=False):
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values)
    scores = score(queries, keys)
    show("scores", scores)
    weights = softmax(scale(scores, d_out, d_out))
    show("weights", weights)
    mask_tril = torch.tril(torch.ones(6, 6), diagonal=-1 if "mask-diagonal" in made else 1 if "mask-diagonal-2" in made else 0)
    if "mask-inverted" in made:
        mask_tril = torch.triu(torch.ones(6, 6), diagonal=1)
    if "mask-upside-down" in made:
        mask_tril = torch.triu(torch.ones(6, 6), diagonal=1 if "mask-diagonal" in made else 0)
    masked_weights = weights * mask_tril
    show("mask_tril", mask_tril), show("masked_weights", masked_weights)
    row_sums = masked_weights.sum(dim=-1, keepdim=True)
    sums = masked_weights.sum(dim=-1) if "keepdim-forgotten" in made else row_sums
    show("row_sums", row_sums), show("renormalized", masked_weights / sums)
    mask = future(6)
    show("mask_triu", mask.float()), show("mask_bool", mask.float())
    masked_scores = hide(scores, mask)
    show("masked_scores", masked_scores)
    scaled = scale(masked_scores, d_out, d_out)
    show("scaled", scaled)
    causal_weights = weigh(scaled, mask)
    show("causal_weights", causal_weights)
    show("context", mix(causal_weights, values, keys))


def dropout(d_out=2, p=0.5, bias=False):
    global group
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values)
    mask = future(6)
    scaled = scale(hide(score(queries, keys), mask), d_out, d_out)
    causal_weights = weigh(scaled, mask)
    show("causal_weights", causal_weights)
    show("context_eval", mix(causal_weights, values, keys))
    for stream in "mt19937", "mcg31m1":
        group = stream + ": "
        seed(123)
        show("ones_dropped", drop(torch.ones(6, 6), p, stream))
        seed(123)
        weights_dropped = weigh_and_drop(scaled, mask, p, stream)[1]
        show("weights_dropped", weights_dropped)
        show("row_sums", weights_dropped.sum(dim=-1))
        show("context", mix_dropped(weights_dropped, values, keys, p, stream))
        draws = [drop_again(scaled, mask, p, stream) for _ in range(200)]
        show("mean_of_draws", torch.stack(draws).mean(dim=0))
    group = ""


def wrapper(d_out=2, heads=2, p=0.0, bias=False):
    global group
    seed(123)
    batch = torch.stack((inputs, inputs), dim=0)
    mask = future(6)
    show("mask_buffer", mask.float()), show("mask", mask.float())
    layers = [query_key_value(3, d_out, bias) for _ in range(heads)]
    contexts = []
    for head, (query, key, value) in enumerate(layers, 1):
        group = f"head {head}: "
        query.show("W_query"), key.show("W_key"), value.show("W_value")
        if "heads-shared" in made:
            query, key, value = layers[0]
        queries, keys, values = query(batch), key(batch), value(batch)
        show("queries", queries), show("keys", keys), show("values", values)
        scores = score(queries, keys)
        show("scores", scores)
        masked_scores = hide(scores, mask)
        show("masked_scores", masked_scores)
        weights, dropped = weigh_and_drop(scale(masked_scores, d_out, d_out), mask, p)
        show("weights", weights), show("dropped", dropped)
        context = mix_dropped(dropped, values, keys, p)
        show("context", context)
        contexts.append(context)
    group = ""
    context = torch.cat(contexts[::-1] if "heads-reversed" in made else contexts, dim=-1)
    for mistake, dim in ("heads-stacked", 0), ("heads-stacked/2", 1), ("heads-stacked/3", -1):
        context = torch.stack(contexts, dim=dim).view(context.shape) if mistake in made else context
    show("context", drop(context, p) if "dropout-on-context/2" in made else context)


def split(x, heads):
    b, tokens, width = x.shape
    if "heads-interleaved" in made:
        return x.view(b, tokens, width // heads, heads).permute(0, 3, 1, 2)
    if "heads-by-view" in made:
        return x.view(b, heads, tokens, width // heads)
    return x.view(b, tokens, heads, width // heads).transpose(1, 2)


def merge_context(x):
    return merge(x.flip(1) if "heads-reversed" in made else x)


def merge(x):
    b, heads, tokens, head_dim = x.shape
    if "merge-without-transpose" in made:
        return x.contiguous().view(b, tokens, heads * head_dim)
    return x.transpose(1, 2).contiguous().view(b, tokens, heads * head_dim)


def split_head(d_out=2, heads=2, p=0.0, bias=False):
    batch = torch.stack((inputs, inputs), dim=0)
    seed(123)
    out = Layer(d_out, d_out, True) if "out-proj-first" in made else None
    query, key, value = query_key_value(3, d_out, bias)
    out = out or Layer(d_out, d_out, True)
    query.show("W_query"), key.show("W_key"), value.show("W_value"), out.show("W_out")
    queries, keys, values = query(batch), key(batch), value(batch)
    show("queries", queries), show("keys", keys), show("values", values)
    queries, keys, values = (split(x, heads) for x in (queries, keys, values))
    show("queries_by_head", queries), show("keys_by_head", keys), show("values_by_head", values)
    scores = score(queries, keys)
    show("scores", scores)
    mask = future(6)
    show("mask", mask.float())
    masked_scores = hide(scores, mask)
    show("masked_scores", masked_scores)
    weights, dropped = weigh_and_drop(scale(masked_scores, d_out // heads, d_out), mask, p)
    show("weights", weights), show("dropped", dropped)
    context_by_head = mix_dropped(dropped, values, keys, p)
    show("context_by_head", context_by_head)
    context = merge_context(context_by_head)
    context = drop(context, p) if "dropout-on-context/2" in made else context
    show("context", context)
    output = context if "no-out-proj" in made else out(context)
    show("output", drop(output, p) if "dropout-on-output" in made else output)


def pad(sentences, is_in_front):
    longest = max(map(len, sentences))
    zeros = [torch.zeros(longest - len(sentence), 3) for sentence in sentences]
    return torch.stack([torch.cat([z, s] if is_in_front else [s, z]) for z, s in zip(zeros, sentences)])


def padding(d_out=2, bias=False):
    global group
    batch, lengths = pad([inputs, inputs[-2:]], False), torch.tensor([[6], [2]])
    places = torch.arange(6)
    mask = places < lengths if "padding-inverted" in made else places >= lengths
    show("batch", batch), show("key_padding_mask", mask.float())
    dim = 2 if "padding-over-queries" in made else 1
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(batch), key(batch), value(batch)
    show("queries", queries), show("keys", keys), show("values", values)
    scores = score(queries, keys)
    show("scores", scores)
    show("weights_unmasked", softmax(scale(scores, d_out, d_out)))
    masked_scores = hide(scores, mask.unsqueeze(dim))
    show("masked_scores", masked_scores)
    weights = weigh(scale(masked_scores, d_out, d_out), mask.unsqueeze(dim))
    context = mix(weights, values, keys)
    show("weights", weights), show("context", context)
    q, k, v = query(inputs[-2:]), key(inputs[-2:]), value(inputs[-2:])
    alone = mix(softmax(scale(score(q, k), d_out, d_out)), v, k)
    show("context_alone", alone), show("difference", (context[1, :2] - alone).abs().max())
    group = "left: "
    batch = pad([inputs, inputs[-2:]], True)
    queries, keys, values = query(batch), key(batch), value(batch)
    mask = places >= 6 - lengths if "padding-inverted" in made else places < 6 - lengths
    mask = mask.unsqueeze(dim) | future(6)
    show("batch", batch), show("mask", mask.float())
    scores = score(queries, keys)
    masked_scores = hide(scores, mask)
    show("masked_scores", masked_scores)
    weights = weigh(scale(masked_scores, d_out, d_out), mask)
    show("weights", weights), show("context", mix(weights, values, keys))
    hides = "mask-after-softmax" not in made and "no-mask" not in made
    scaled = scale(scores, d_out, d_out)
    finite = scaled.masked_fill(mask, torch.finfo(torch.float32).min) if hides else scaled
    show("weights_with_finite_min", weigh(finite, mask))
    hidden_rows = mask.all(dim=-1, keepdim=True)
    repaired = weights.masked_fill(hidden_rows, 0)
    if "repaired-before-softmax" in made:
        repaired = weigh(scale(masked_scores.masked_fill(hidden_rows, 0), d_out, d_out), mask)
    show("weights_repaired", repaired), show("context_repaired", mix(repaired, values, keys)), show("keep", (~mask).float())
    group = ""


def cross(d_out=2, bias=False, target="5,6,4,1"):
    global group
    seed(123)
    out = Layer(d_out, 3, bias) if "out-proj-first" in made else None
    query, key, value = query_key_value(3, d_out, bias)
    out = out or Layer(d_out, 3, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    asking = inputs[[int(row) - 1 for row in target.split(",")]]
    answering = asking if "cross-from-target" in made and asking.shape == inputs.shape else inputs
    keys, values = key(answering), value(answering)
    show("source", inputs), show("target", asking), show("keys", keys), show("values", values)
    following = inputs[[int(target.split(",")[-1]) % len(inputs)]]
    for group, sentence in ("", asking), ("next: ", following), ("itself: ", inputs):
        queries = query(sentence)
        scores = score(queries, keys)
        scaled = scale(scores, d_out, d_out)
        if "cross-causal-mask" in made and not group:
            scaled = scaled.masked_fill(torch.ones_like(scaled).triu(diagonal=1).bool(), -torch.inf)
        weights = softmax(scaled)
        context = mix(weights, values, keys)
        show("queries", queries), show("context", context)
        if group != "next: ":
            show("weights", weights)
        if not group:
            show("scores", scores)
            if "no-out-proj" in made:
                return  # a context is narrower than the target, and cannot be added to it
            show("shortcut", asking + out(context))
    own = mix(softmax(scale(score(query(inputs), key(inputs)), d_out, d_out)), value(inputs), key(inputs))
    show("difference", (context - own).abs().max())
    group = "padded: "
    mask = torch.arange(len(inputs)) >= len(inputs) - 1
    show("mask", mask.float())
    hidden = ~mask if "mask-inverted" in made else mask
    masked_scores = hide(score(query(asking), keys), hidden)
    weights = weigh(scale(masked_scores, d_out, d_out), hidden)
    show("masked_scores", masked_scores), show("weights", weights), show("context", mix(weights, values, keys))
    group = "larger: "
    cosines = torch.nn.functional.normalize(asking, dim=-1) @ torch.nn.functional.normalize(inputs, dim=-1).T
    show("cosines", cosines), show("weights", torch.softmax(100 * cosines, dim=-1))
    group = ""


def cache(d_out=2, prefill=3, bias=False):
    global group
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    parts, keys, values = [], torch.empty(0, d_out), torch.empty(0, d_out)
    pieces = [(inputs[:prefill], future(prefill)), *((token, None) for token in inputs[prefill:].split(1))]
    for place, (piece, mask) in enumerate(pieces, prefill):
        group = f"token {place}: " if place > prefill else "prefill: "
        queries, keys, values = query(piece), torch.cat([keys, key(piece)]), torch.cat([values, value(piece)])
        show("query" if place > prefill else "queries", queries), show("key_cache", keys), show("value_cache", values)
        scores = score(queries, keys)
        if place > prefill:
            show("scores", scores)
            weights = softmax(scale(scores, d_out, d_out))
        else:
            mask = None if "prefill-no-mask" in made else mask
            scores = scores if mask is None else hide(scores, mask)
            show("masked_scores", scores)
            weights = weigh(scale(scores, d_out, d_out), mask)
        parts.append(mix(weights, values, keys))
        show("weights", weights), show("context", parts[-1])
    group = ""
    context = torch.cat(parts)
    mask = future(6)
    at_once = mix(weigh(scale(hide(score(query(inputs), key(inputs)), mask), d_out, d_out), mask), value(inputs), key(inputs))
    show("context", context), show("context_at_once", at_once), show("difference", (context - at_once).abs().max())
    group = "one query: "
    first_only = torch.arange(6) > 0
    show("mask", first_only.float())
    show("masked_scores", hide(score(query(inputs[-1:]), keys), first_only))
    group = "allocated: "
    room = torch.zeros(6, d_out)
    room[:prefill + 1] = key(inputs[:prefill + 1])
    show("key_cache", room), show("scores", score(query(inputs[prefill:prefill + 1]), room))
    group = "chunk: "
    mask = torch.ones(6 - prefill, 6).triu(diagonal=1).bool() if "cache-square-mask" in made else mask[prefill:]
    show("mask", mask.float())
    masked_scores = hide(score(query(inputs[prefill:]), key(inputs)), mask)
    show("masked_scores", masked_scores)
    weights = weigh(scale(masked_scores, d_out, d_out), mask)
    chunk = mix(weights, value(inputs), key(inputs))
    show("weights", weights), show("context", chunk), show("difference", (chunk - context[prefill:]).abs().max())
    group = ""
    show("positions", torch.stack([torch.arange(6), torch.arange(6) - (6 - prefill)]).float())
    group = "next sentence: "
    old = slice(0, None if "cache-not-cleared" in made else 0)
    keys, values = torch.cat([keys[old], key(inputs[:1])]), torch.cat([values[old], value(inputs[:1])])
    first = mix(softmax(scale(score(query(inputs[:1]), keys), d_out, d_out)), values, keys)
    show("context", first), show("difference", (first - context[:1]).abs().max())
    group = ""


def grouped_query(d_out=8, heads=4, groups=2, bias=False):
    batch, head_dim = inputs.unsqueeze(0), d_out // heads
    sizes = {"key": groups * head_dim, "value": groups * head_dim, "query": d_out, "out": d_out}
    first = {"queries-first": ["query"], "values-first": ["value"], "out-proj-first": ["out"]}
    order = list(dict.fromkeys(sum((first.get(mistake, []) for mistake in made), []) + list(sizes)))
    seed(123)
    layers = {name: Layer(d_out if name == "out" else 3, sizes[name], bias and name != "out", name != "out") for name in order}
    for name, layer in layers.items():
        layer.show("W_" + name)
    queries, keys, values = (layers[name](batch) for name in ("query", "key", "value"))
    show("queries", queries), show("keys", keys), show("values", values)
    queries, keys, values = split(queries, heads), split(keys, groups), split(values, groups)
    show("queries_by_head", queries), show("keys_by_group", keys), show("values_by_group", values)
    show("keys_expanded", keys[:, :, None].expand(-1, -1, heads // groups, -1, -1))
    keys, values = repeat_groups(keys, heads // groups), repeat_groups(values, heads // groups)
    show("keys_repeated", keys), show("values_repeated", values)
    scores = score(queries, keys)
    show("scores", scores)
    mask = future(6)
    masked_scores = hide(scores, mask)
    show("masked_scores", masked_scores)
    weights = weigh(scale(masked_scores, head_dim, d_out), mask)
    show("weights", weights)
    context_by_head = mix(weights, values, keys)
    show("context_by_head", context_by_head)
    context = merge_context(context_by_head)
    show("context", context)
    show("output", context if "no-out-proj" in made else layers["out"](context))


def turn_halves(x, cosines, sines):
    a, b = x.chunk(2, dim=1)
    return x * cosines + torch.cat([-b, a], dim=1) * sines


def turn_pairs(x, cosines, sines):
    a, b, c, s = x[:, 0::2], x[:, 1::2], cosines[:, : x.shape[1] // 2], sines[:, : x.shape[1] // 2]
    return torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(1)


def turn_by(t):
    return torch.stack([t.cos(), -t.sin(), t.sin(), t.cos()]).view(2, 2)


def rotary(d_out=4, bias=False, base=10000, shift=5):
    global group
    seed(123)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values), show("scores_without", queries @ keys.T)
    theta = 1 / base ** (torch.arange(0, d_out, 2).float() / d_out)
    angles = (torch.arange(6).float().unsqueeze(1) * theta).repeat(1, 2)
    later = ((torch.arange(6) + shift).float().unsqueeze(1) * theta).repeat(1, 2)
    tables, later = [angles.cos(), angles.sin()], [later.cos(), later.sin()]
    show("inverse_frequencies", theta), show("angles", angles), show("cosines", tables[0]), show("sines", tables[1])
    show("circle", torch.stack([tables[0][:, 0], tables[1][:, 0]], 1))
    turn = turn_pairs if "rotary-pairs" in made else turn_halves
    turned_key = (lambda x, *tables: x) if "keys-not-rotated" in made else turn
    queries_rotated, keys_rotated = turn(queries, *tables), turned_key(keys, *tables)
    show("queries_rotated", queries_rotated), show("keys_rotated", keys_rotated)
    show("lengths_before", (queries * queries).sum(-1).sqrt()), show("lengths_after", (queries_rotated * queries_rotated).sum(-1).sqrt())
    scores = score(queries_rotated, keys_rotated)
    show("scores", scores)
    m, n = angles[5, 0], angles[2, 0]
    show("turn_of_query", turn_by(m)), show("turn_of_key", turn_by(n))
    show("product", turn_by(m).T @ turn_by(n)), show("turn_between", turn_by(n - m))
    later_queries = turn(queries, *(tables if "rotary-restart" in made else later))
    scores_later = later_queries @ turned_key(keys, *later).T
    show("scores_later", scores_later), show("difference", (scores - scores_later).abs().max())
    group = "pairs: "
    in_pairs = turn_pairs(queries, *tables), turn_pairs(keys, *tables)
    show("queries_rotated", in_pairs[0]), show("keys_rotated", in_pairs[1]), show("scores", in_pairs[0] @ in_pairs[1].T)
    group = ""
    mask = future(6)
    weights = weigh(scale(hide(scores, mask), d_out, d_out), mask)
    show("weights", weights)
    show("context", mix(weights, turn_halves(values, *tables) if "values-rotated" in made else values, keys_rotated))
    exponents = torch.arange(0, 8, 2).float() / 8
    powers = torch.stack([10000**exponents, 500000**exponents])
    turns = 1 / powers * 8192 / (2 * torch.pi)
    show("angles_interpolated", (torch.arange(6).float().unsqueeze(1) / 4 * theta).repeat(1, 2))
    kept = ((turns[1] - 1) / 3).clamp(0, 1)
    show("of_bases", 1 / powers), show("turns", turns), show("kept", kept), show("speed", kept + (1 - kept) / 8)


def window(d_out=2, width=3, bias=False):
    global group
    seed(789)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values)
    scores = score(queries, keys)
    show("scores", scores)
    distance = torch.arange(6).unsqueeze(1) - torch.arange(6)
    show("distance", distance.float())
    for group, widest in ("", width), ("wide: ", 6):
        mask = distance > widest if "window-plus-one" in made else distance >= widest
        mask = mask if "window-sees-future" in made else mask | (distance < 0)
        show("mask", mask.float())
        if not group:
            show("seen", (~mask).float()), show("reach_of_two_layers", (~mask).float() @ (~mask).float())
        masked_scores = hide(scores, mask)
        show("masked_scores", masked_scores)
        weights = weigh(scale(masked_scores, d_out, d_out), mask)
        context = mix(weights, values, keys)
        show("weights", weights), show("context", context)
    causal_weights = weigh(scale(hide(scores, future(6)), d_out, d_out), future(6))
    show("difference", (context - mix(causal_weights, values, keys)).abs().max())
    group = "rolling: "
    order = sorted(range(max(5 - width, 0), 5), key=lambda position: position % width)
    key_cache, value_cache = keys[order], values[order]
    show("key_cache", key_cache), show("value_cache", value_cache)
    weights = softmax(scale(score(queries[4:5], key_cache), d_out, d_out))
    show("weights", weights), show("context", mix(weights, value_cache, key_cache))
    group = ""


def online_softmax(d_out=2, tile_size=2, seed_number=789, bias=False):
    global group
    row = torch.tensor([1.0, 2.0, 3.0, 4.0])
    half_sum, factor = torch.exp(row[:2] - 2).sum(), torch.exp(torch.tensor(2.0 - 4.0))
    show("half_sum", half_sum), show("factor", factor)
    second_sum = torch.exp(row[2:] - 4).sum()
    show("whole_sum", half_sum + second_sum if "sum-not-rescaled" in made else half_sum * factor + second_sum)
    seed(seed_number)
    query, key, value = query_key_value(3, d_out, bias)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    queries, keys, values = query(inputs), key(inputs), value(inputs)
    show("queries", queries), show("keys", keys), show("values", values)
    mask = future(6)
    show("mask", mask.float())
    hides = "no-mask" not in made
    running_max, running_sum, running_result = torch.full((6,), -torch.inf), torch.zeros(6), torch.zeros(6, d_out)
    for start in range(0, 6, tile_size):
        group = f"tile {start // tile_size + 1}: "
        tile = slice(start, start + tile_size)
        scores = queries @ keys[tile].T  # scale() knows a mistake of plain softmax alone
        scores = scores / d_out**0.5 if "scale-after-softmax" in made else scale(scores, d_out, d_out)
        if hides:
            scores = scores.masked_fill(mask[:, tile], 0 if "mask-zero" in made else -torch.inf)
        before = running_max
        running_max = scores.amax(-1) if "tile-maximum" in made else torch.maximum(before, scores.amax(-1))
        rescale = torch.exp(before - running_max)
        numerators = torch.exp(scores - running_max.unsqueeze(1))
        running_sum = running_sum * (1 if "sum-not-rescaled" in made else rescale) + numerators.sum(-1)
        running_result = running_result * (1 if "result-not-rescaled" in made else rescale.unsqueeze(1)) + numerators @ values[tile]
        if "divided-in-every-tile" in made:
            running_result = running_result / running_sum.unsqueeze(1)
        show("scores", scores), show("running_max", running_max), show("rescale", rescale), show("numerators", numerators)
        show("running_sum", running_sum), show("running_result", running_result)
    group = ""
    context = running_result if "divided-in-every-tile" in made else running_result / running_sum.unsqueeze(1)
    show("context", context)
    products = queries[-1:] @ keys.T
    last_scores = (products / d_out**0.5 if "scale-after-softmax" in made else scale(products, d_out, d_out))[0]
    m, l, kept = torch.tensor(-torch.inf), torch.tensor(0.0), []
    for tile in last_scores.split(tile_size)[::-1]:
        before, m = m, torch.maximum(m, tile.amax())
        l = l * torch.exp(before - m) + torch.exp(tile - m).sum()
        kept.append(torch.stack([m, torch.exp(before - m), l]))
    maxima, factors, sums = torch.stack(kept, 1)
    show("last_scores", last_scores), show("maxima", maxima), show("factors", factors), show("sums", sums)
    show("difference_of_orders", (sums[-1] - running_sum[-1]).abs())
    masked_scores = hide(scale(score(queries, keys), d_out, d_out), mask)
    weights = weigh(masked_scores, mask)
    show("weights", weights), show("context_at_once", mix(weights, values, keys))


def latent(d_out=4, heads=2, latent_dim=2):
    batch, head_dim = inputs.unsqueeze(0), d_out // heads
    sizes = {"query": (3, d_out), "down": (3, latent_dim), "up_key": (latent_dim, d_out), "up_value": (latent_dim, d_out), "out": (d_out, d_out)}
    first = {"swapped-qk": ["up_key"], "values-first": ["up_value"], "out-proj-first": ["out"],
             "chunks-exchanged": ["query", "down", "up_value"]}
    order = list(dict.fromkeys(sum((first.get(mistake, []) for mistake in made), []) + list(sizes)))
    seed(123)
    layers = {name: Layer(*sizes[name], name == "out", name not in ("down", "out")) for name in order}
    for name, layer in layers.items():
        layer.show("W_" + name)
    queries, latent = layers["query"](batch), layers["down"](batch)
    show("queries", queries), show("latent", latent)
    key, value = ("up_value", "up_key") if "up-exchanged" in made else ("up_key", "up_value")
    keys, values = layers[key](latent), layers[value](latent)
    show("keys", keys), show("values", values)
    queries, keys, values = split(queries, heads), split(keys, heads), split(values, heads)
    show("queries_by_head", queries), show("keys_by_head", keys), show("values_by_head", values)
    scores = score(queries, keys)
    show("scores", scores)
    mask = future(6)
    masked_scores = hide(scores, mask)
    show("masked_scores", masked_scores)
    scaled = masked_scores / latent_dim**0.5 if "scale-by-latent" in made else scale(masked_scores, head_dim, d_out)
    weights = weigh(scaled, mask)
    show("weights", weights)
    context_by_head = mix(weights, values, keys)
    show("context_by_head", context_by_head)
    context = merge_context(context_by_head)
    show("context", context)
    show("output", context if "no-out-proj" in made else layers["out"](context))
    rows = layers["up_key"].weight
    if "weight-untransposed" in made:
        rows = rows.reshape(-1).view(latent_dim, d_out).T
    rows = rows.reshape(heads, head_dim, latent_dim)
    absorbed = queries @ (rows.transpose(1, 2) if "absorbed-on-wrong-side" in made else rows)
    scores_absorbed = absorbed @ latent.unsqueeze(1).transpose(2, 3)
    show("queries_absorbed", absorbed), show("scores_absorbed", scores_absorbed)
    widen(batch, latent, latent_dim)
    add_rotary_key(batch, heads, scores_absorbed)


def drawn_behind(d_in, d_out):
    """A layer that the class does not have: nobody draws it twice."""
    end = ends[-1]
    layer = Layer(d_in, d_out, False)
    ends[-1] = end
    return layer


def widen(batch, latent, latent_dim):
    global group
    group = "wide: "
    query, up_key = drawn_behind(3, 8), drawn_behind(latent_dim, 8)
    absorbed = split(query(batch), 2) @ up_key.weight.view(2, 4, latent_dim)
    show("keys", up_key(latent)), show("absorbed", absorbed)
    show("scores", absorbed @ latent.unsqueeze(1).transpose(2, 3))
    group = ""


def add_rotary_key(batch, heads, scores_absorbed):
    global group
    group = "rotary: "
    key, query = drawn_behind(3, 2), drawn_behind(3, 2 * heads)
    positions = torch.arange(6).float().unsqueeze(1)

    def turn(x):
        a, b = x.contiguous().chunk(2, dim=3)
        return x.contiguous() * positions.cos() + torch.cat([-b, a], dim=3) * positions.sin()

    queries_turned, keys_turned = turn(split(query(batch), heads)), turn(key(batch).unsqueeze(1))
    show("queries_turned", queries_turned), show("keys_turned", keys_turned)
    rotary_scores = queries_turned @ keys_turned.transpose(2, 3)
    show("rotary_scores", rotary_scores), show("scores", scores_absorbed + rotary_scores)
    group = ""


def repeat_groups(x, times):
    if "groups-reversed" in made:
        x = x.flip(1)
    return x.repeat(1, times, 1, 1) if "repeat-for-interleave" in made else x.repeat_interleave(times, dim=1)


def rms_norm(x):
    return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5)


def turn(x, cosines, sines):
    if "rotary-pairs" in made:
        a, b, c, s = x[..., 0::2], x[..., 1::2], cosines[:, : x.shape[3] // 2], sines[:, : x.shape[3] // 2]
        return torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(3)
    a, b = x.chunk(2, dim=3)
    return x * cosines + torch.cat([-b, a], dim=3) * sines


def add_shortcut(made_here, x, normalized):
    if "no-shortcut" in made:
        return made_here
    return made_here + (normalized if "shortcut-after-norm" in made else x)


def swiglu(layers, x):
    normalized = rms_norm(x)
    gate, up = torch.nn.functional.silu(layers["gate"](normalized)), layers["up"](normalized)
    return normalized, gate, up, add_shortcut(layers["down"](gate * up), x, normalized)


def llama(d_out=16, d_hidden=6, heads=4, groups=2, base=500000):
    global group
    batch, head_dim, times = inputs.unsqueeze(0), d_out // heads, heads // groups
    narrow = groups * head_dim
    sizes = {"query": (3, d_out), "key": (3, narrow), "value": (3, narrow), "out": (d_out, 3), "gate": (3, d_hidden), "up": (3, d_hidden),
             "down": (d_hidden, 3)}
    first = {"swapped-qk": ["key"], "values-first": ["value"], "out-proj-first": ["out"], "chunks-exchanged": ["query", "value"]}
    order = list(dict.fromkeys(sum((first.get(mistake, []) for mistake in made), []) + list(sizes)))
    seed(123)
    layers = {name: Layer(*sizes[name], False, name in ("query", "key", "value")) for name in order}
    for name, layer in layers.items():
        layer.show("W_" + name)
    mean_squares = batch.pow(2).mean(dim=-1, keepdim=True)
    normalized = batch / torch.sqrt(mean_squares + 1e-5)
    show("batch", batch), show("mean_squares", mean_squares), show("normalized", normalized)
    queries, keys, values = (split(layers[name](normalized), parts) for name, parts in (("query", heads), ("key", groups), ("value", groups)))
    show("queries_by_head", queries), show("keys_by_group", keys), show("values_by_group", values)
    theta = 1 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = (torch.arange(6).float().unsqueeze(1) * theta).repeat(1, 2)
    cosines, sines = angles.cos(), angles.sin()
    show("cosines", cosines), show("sines", sines)
    turned_key = (lambda x, *tables: x) if "keys-not-rotated" in made else turn
    queries_turned, keys_turned = turn(queries, cosines, sines), turned_key(keys, cosines, sines)
    show("queries_turned", queries_turned), show("keys_turned", keys_turned)
    keys_repeated, values_repeated = repeat_groups(keys_turned, times), repeat_groups(values, times)
    show("keys_repeated", keys_repeated), show("values_repeated", values_repeated)
    scores = score(queries_turned, keys_repeated)
    show("scores", scores)
    mask = future(6)
    weights = weigh(scale(hide(scores, mask), head_dim, d_out), mask)
    show("weights", weights)
    context_by_head = mix(weights, values_repeated, keys_repeated)
    show("context_by_head", context_by_head)
    context = merge_context(context_by_head)
    if "no-out-proj" in made:
        return  # a context is as wide as all heads, and cannot be added to the batch
    after_attention = add_shortcut(layers["out"](context), batch, normalized)
    show("after_attention", after_attention)
    normalized_again, gate, up, output = swiglu(layers, after_attention)
    show("normalized_again", normalized_again), show("gate", gate), show("up", up), show("gated", gate * up), show("output", output)
    group = "cache: "
    token = batch[:, -1:]
    token_normalized, here = rms_norm(token), (cosines[-1:], sines[-1:])
    query = turn(split(layers["query"](token_normalized), heads), *here)
    key = turned_key(split(layers["key"](token_normalized), groups), *here)
    key_cache = torch.cat([keys_turned[:, :, :-1], key], dim=2)
    value_cache = torch.cat([values[:, :, :-1], split(layers["value"](token_normalized), groups)], dim=2)
    show("last_query", query), show("key_cache", key_cache), show("value_cache", value_cache)
    keys_here, values_here = repeat_groups(key_cache, times), repeat_groups(value_cache, times)
    weights = softmax(scale(score(query, keys_here), head_dim, d_out))
    show("weights", weights)
    mixed = merge_context(mix(weights, values_here, keys_here))
    after = add_shortcut(layers["out"](mixed), token, token_normalized)
    output_of_last = swiglu(layers, after)[3]
    show("output_of_last", output_of_last), show("difference", (output_of_last - output[:, -1:]).abs().max())
    group = ""


def model(heads=2, p=0.0):
    ids = torch.arange(6).unsqueeze(0)
    seed(123)
    tokens = table(6, 4)
    embedding = tokens.weight.detach()
    show("embedding", embedding)
    embedded = embedding[inputs_in(ids)]
    show("embedded", embedded)
    first = Layer(4, 4, True) if heads > 1 and "out-proj-first" in made else None
    query, key, value = query_key_value(4, 4, True)
    query.show("W_query"), key.show("W_key"), value.show("W_value")
    out = first or (Layer(4, 4, True) if heads > 1 else None)
    if out:
        out.show("W_out")
    ffn1, ffn2, last = Layer(4, 8, True), Layer(8, 4, True), Layer(4, 6, True)
    last.tie(tokens)
    ffn1.show("W_ffn1"), ffn2.show("W_ffn2"), last.show("W_logits")
    queries, keys, values = (split(layer(embedded), heads) for layer in (query, key, value))
    scores = scale(score(queries, keys), 4 // heads, 4)
    show("scores", scores)
    mask = future(5)
    weights, dropped = weigh_and_drop(hide(scores, mask), mask, p)
    show("weights", weights)
    if p > 0:
        show("dropped", dropped)
    attention = merge_context(mix_dropped(dropped, values, keys, p))
    if out and "no-out-proj" not in made:
        attention = out(attention)
        attention = drop(attention, p) if "dropout-on-output" in made else attention
    show("attention", attention)
    feed_forward = ffn2(relu(ffn1(attention)))
    show("feed_forward", feed_forward)
    logits = last(feed_forward)
    show("logits", logits)
    show("loss", loss_of(logits.flatten(0, 1), targets_in(ids).flatten()))


def inputs_in(ids):
    return ids[:, 1:] if "targets-before-inputs" in made else ids[:, :-1]


def targets_in(ids):
    return ids[:, :-1] if "targets-not-shifted" in made or "targets-before-inputs" in made else ids[:, 1:]


def relu(x):
    return x if "no-relu" in made else torch.relu(x)


def loss_of(logits, targets):
    logits = logits.T.reshape(logits.shape) if "logits-transposed" in made else logits
    return cross_entropy(torch.softmax(logits, -1) if "softmax-before-loss" in made else logits, targets)


def gradients(heads=2):
    """The way back by hand: its numbers are wrong because the way forward is, or by a mistake of its own."""
    ids, d = torch.arange(6).unsqueeze(0), 4 // heads
    seed(123)
    embedding = table(6, 4).weight.detach()
    show("embedding", embedding)
    embedded = embedding[inputs_in(ids)]
    first = Layer(4, 4, True) if "out-proj-first" in made else None
    query, key, value = query_key_value(4, 4, True)
    out = first or Layer(4, 4, True)
    ffn1, ffn2, last = Layer(4, 8, True), Layer(8, 4, True), Layer(4, 6, True)
    query.show("W_query"), key.show("W_key"), value.show("W_value"), out.show("W_out")
    ffn1.show("W_ffn1"), ffn2.show("W_ffn2"), last.show("W_logits")
    queries, keys, values = (split(layer(embedded), heads) for layer in (query, key, value))
    show("queries_by_head", queries), show("keys_by_head", keys), show("values_by_head", values)
    scores = scale(score(queries, keys), d, 4)
    show("scores", scores)
    mask = future(5)
    weights = weigh(hide(scores, mask), mask)
    show("weights", weights)
    context = merge_context(mix(weights, values, keys))
    attention = context if "no-out-proj" in made else out(context)
    show("context", context), show("attention", attention)
    hidden = relu(ffn1(attention))
    feed_forward = ffn2(hidden)
    logits = last(feed_forward)
    show("hidden", hidden), show("logits", logits)
    show("loss", loss_of(logits.flatten(0, 1), targets_in(ids).flatten()))

    show("targets", targets_in(ids).float())
    logits_grad = (torch.softmax(logits, -1) - torch.eye(6)[targets_in(ids)]) / (1 if "no-mean-grad" in made else 5)
    feed_forward_grad = back_through(last, "W_logits", logits_grad, feed_forward)
    hidden_grad = back_through(ffn2, "W_ffn2", feed_forward_grad, hidden)
    gate = hidden_grad if "relu-gate-by-grad" in made else hidden
    ffn1_grad = hidden_grad.masked_fill(gate <= 0, 0)
    attention_grad = back_through(ffn1, "W_ffn1", ffn1_grad, attention)
    context_by_head_grad = split(back_through(out, "W_out", attention_grad, context), heads)
    values_grad = weights.transpose(2, 3) @ context_by_head_grad
    weights_grad = context_by_head_grad @ values.transpose(2, 3)
    masked_scores_grad = (weights_grad - (weights_grad * weights).sum(-1, keepdim=True)) * weights
    if "softmax-grad-elementwise" in made:
        masked_scores_grad = weights_grad * weights * (1 - weights)
    scores_grad = masked_scores_grad.masked_fill(mask, 0)
    dot_products_grad = scores_grad if "no-scale-grad" in made else scores_grad * d**-0.5
    show("logits_grad", logits_grad), show("hidden_grad", hidden_grad), show("ffn1_grad", ffn1_grad)
    show("context_by_head_grad", context_by_head_grad), show("values_by_head_grad", values_grad)
    show("weights_grad", weights_grad), show("masked_scores_grad", masked_scores_grad)
    show("scores_grad", scores_grad), show("dot_products_grad", dot_products_grad)
    turned = dot_products_grad.transpose(2, 3)
    queries_grad, keys_grad = (turned if "scores-grad-transposed" in made else dot_products_grad) @ keys, turned @ queries
    show("queries_by_head_grad", queries_grad), show("keys_by_head_grad", keys_grad)
    paths = [back_through(layer, name, merge(grad), embedded) for layer, name, grad in (
        (value, "W_value", values_grad), (key, "W_key", keys_grad), (query, "W_query", queries_grad))]
    embedded_grad = paths[-1] if "grad-overwritten" in made else sum(paths)
    show("embedded_grad", embedded_grad)
    layers = {"W_logits": last, "W_ffn2": ffn2, "W_ffn1": ffn1, "W_out": out, "W_query": query, "W_key": key, "W_value": value}
    p = leaves(embedding, layers)
    for name, layer in layers.items():  # no bias is one of zeros: it has a gradient
        p.setdefault(name + "_bias", torch.zeros(layer.weight.shape[0], requires_grad=True))
    loss = Learner(inputs_in(ids), targets_in(ids).flatten(), heads).loss(p)
    automatic = dict(zip(p, torch.autograd.grad(loss, p.values(), allow_unused=True)))
    by_hand = {**{name: shown[name + "_grad"] for name in p if name != "embedding"}, "embedding": torch.zeros(6, 4)}
    by_hand["embedding"][inputs_in(ids)[0]] = embedded_grad[0]
    names = [name + end for name in layers for end in ("", "_bias")] + ["embedding"]
    apart = [(by_hand[name] - (0 if automatic[name] is None else automatic[name])).abs().max() for name in names]
    show("automatic_difference", torch.stack(apart))


def back_through(layer, name, grad, x):
    """A linear layer on the way back; a weight read the other way round is read so here, too."""
    show(name + "_grad", grad.flatten(0, 1).T @ x.flatten(0, 1))
    rows = grad.flatten(0, 1)
    show(name + "_bias_grad", rows.mean(0) if "bias-grad-mean" in made else rows.sum(0))
    d_out, d_in = layer.weight.shape
    turned = layer.weight.reshape(-1).view(d_in, d_out).T
    return grad @ (turned if "weight-untransposed" in made else layer.weight)


SENTENCE = [0, 1, 2, 3, 4, 5, 4, 5, 2, 0, 1]


def draw_model():
    seed(123)
    embedding = table(6, 4).weight
    first = Layer(4, 4, True) if "out-proj-first" in made else None
    query, key, value = query_key_value(4, 4, True)
    out = first or Layer(4, 4, True)
    return embedding, {"W_query": query, "W_key": key, "W_value": value, "W_out": out, "W_ffn1": Layer(4, 8, True),
                       "W_ffn2": Layer(8, 4, True), "W_logits": Layer(4, 6, True)}


def training(updates=2, optimizer="sgd"):
    """The loop as a student writes it, on the functions of model(); parameters are leaves, so that they learn."""
    ids = torch.tensor([SENTENCE])
    read, targets, heads = inputs_in(ids), targets_in(ids).flatten(), 2
    embedding, layers = draw_model()
    p = leaves(embedding, layers)
    learner = Learner(read, targets, heads)
    weigh_with, logits_with, loss_with = learner.weigh, learner.logits, learner.loss
    show("weights_before", weigh_with(p))
    show("probabilities_before", torch.softmax(logits_with(p), -1))
    show("loss_before", loss_with(p))
    lr = 0.1 if "lr-ten-times" in made else 0.01
    update_by_hand(p, lr, loss_with)
    optimize = optimizer_of(optimizer, p, lr)
    losses = []
    for update in range(updates + 1):
        loss = loss_with(p, "mask-not-in-training" not in made)
        losses.append(loss.item())
        if update < updates:
            if "no-zero-grad" not in made:
                optimize.zero_grad()
            loss.backward()
            if "zero-grad-late" in made:
                optimize.zero_grad()
            optimize.step()
    show("losses", torch.tensor(losses))
    for name in ("embedding", "W_query", "W_key", "W_value", "W_out", "W_ffn1", "W_ffn2", "W_logits"):
        show("trained: " + name, p[name])
    show("weights", weigh_with(p)), show("probabilities", torch.softmax(logits_with(p), -1))
    show("loss", loss_with(p))
    show("said", write_words(p, ids[:, :1], 11, torch.argmax))


def update_by_hand(p, lr, loss_with):
    weight, way = p["W_query"].detach(), 1 if "ascent" in made else -1
    grad = torch.autograd.grad(loss_with(p), p["W_query"], allow_unused=True)[0]
    grad = torch.zeros_like(weight) if grad is None else grad
    show("W_query_grad", grad)
    show_update("sgd: ", weight + way * lr * grad, p, loss_with)
    if "decay-in-grad" in made:
        grad, decayed = grad + 0.01 * weight, weight
    else:
        decayed = weight * (1 - lr * 0.01)
    beta = 0.95 if "other-betas" in made else 0.999
    first, second = (1 - 0.9) * grad, (1 - beta) * grad**2
    show("adamw: first_moment", first), show("adamw: second_moment", second)
    if "no-bias-correction" not in made:
        first, second = first / (1 - 0.9), second / (1 - beta)
    show("adamw: first_moment_corrected", first), show("adamw: second_moment_corrected", second)
    show_update("adamw: ", decayed + way * lr * first / (second.sqrt() + 1e-8), p, loss_with)


def show_update(group, weight, p, loss_with):
    show(group + "W_query_after", weight)
    show(group + "loss_after", loss_with({**p, "W_query": weight}))


class Uncorrected(torch.optim.Optimizer):
    """AdamW as one writes it who does not know why the means are divided."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for x in group["params"]:
                first, second = self.state.setdefault(x, [torch.zeros_like(x), torch.zeros_like(x)])
                first.mul_(0.9).add_(x.grad, alpha=0.1)
                second.mul_(0.999).add_(x.grad**2, alpha=0.001)
                x.mul_(1 - group["lr"] * 0.01).sub_(group["lr"] * first / (second.sqrt() + 1e-8))


def optimizer_of(name, p, lr):
    if name == "sgd":
        return torch.optim.SGD(p.values(), lr=lr, maximize="ascent" in made)
    if "no-bias-correction" in made:
        return Uncorrected(p.values(), lr)
    if "decay-in-grad" in made:
        return torch.optim.Adam(p.values(), lr=lr, weight_decay=0.01, maximize="ascent" in made)
    betas = (0.9, 0.95 if "other-betas" in made else 0.999)
    return torch.optim.AdamW(p.values(), lr=lr, betas=betas, weight_decay=0.01, maximize="ascent" in made)


def leaves(embedding, layers):
    """All parameters by name, so that they learn."""
    p = {"embedding": embedding.detach().clone()}
    for name, layer in layers.items():
        p[name] = layer.weight.clone()
        if layer.bias is not None:
            p[name + "_bias"] = layer.bias.clone()
    return {name: tensor.requires_grad_() for name, tensor in p.items()}


class Learner:
    """The model, as a function of its parameters."""

    def __init__(self, read, targets, heads):
        self.read, self.targets, self.heads, self.mask = read, targets, heads, future(read.shape[1])

    def weigh(self, p, hides=True):
        embedded = p["embedding"][self.read]
        queries, keys = (split(project(p, name, embedded), self.heads) for name in ("W_query", "W_key"))
        queries = queries.detach() if "graph-cut" in made else queries
        keys = keys.detach() if "keys-detached" in made else keys
        scores = scale(score(queries, keys), 4 // self.heads, 4)
        return weigh(hide(scores, self.mask) if hides else scores, self.mask)

    def logits(self, p, hides=True):
        keys, values = (split(project(p, name, p["embedding"][self.read]), self.heads) for name in ("W_key", "W_value"))
        attention = merge_context(mix(self.weigh(p, hides), values, keys))
        if "no-out-proj" not in made:
            attention = project(p, "W_out", attention)
        hidden = relu(project(p, "W_ffn1", attention))
        return project(p, "W_logits", project(p, "W_ffn2", hidden))

    def loss(self, p, hides=True):
        return loss_of(self.logits(p, hides).flatten(0, 1), self.targets)


def project(p, name, x):
    weight, bias = p[name], p.get(name + "_bias")
    d_out, d_in = weight.shape
    y = x @ (weight.reshape(-1).view(d_in, d_out) if "weight-untransposed" in made else weight.T)
    return y if bias is None else y + bias


# ---- A whole GPT ----


def add_positions(tokens, positions):
    if "no-positions" in made:
        return tokens + 0 * positions
    return tokens + positions + positions if "positions-twice" in made else tokens + positions


def embeddings():
    text_ids = torch.tensor([0, 1, 2, 3, 4, 5, 4, 5, 2, 0, 1])
    input_ids = torch.tensor([2, 3, 5, 1])
    seed(123)
    token_table, position_table = table(6, 3), table(4, 3)
    show("token_table", token_table.weight), show("position_table", position_table.weight)
    tokens, positions = token_table(input_ids), position_table(torch.arange(4))
    show("token_embeddings", tokens), show("position_embeddings", positions)
    show("by_product", torch.nn.functional.one_hot(input_ids, 6).float() @ token_table.weight)
    show("input_embeddings", add_positions(tokens, positions))
    show("one_word_everywhere", add_positions(tokens[:1], positions))
    later = 0 if "targets-not-shifted" in made else 1
    show("window_inputs", torch.stack([text_ids[i:i + 4] for i in range(7)]).float())
    targets = torch.stack([text_ids[i + later:i + later + 4] for i in range(7)]).float()
    show("window_targets", targets), show("apart_targets", targets[::4])


def variance_in_norm(x):
    return x.var(dim=-1, keepdim=True, unbiased="unbiased-variance" in made)


def layer_norm(x, name=None):
    mean, variance = x.mean(dim=-1, keepdim=True), variance_in_norm(x)
    normalized = (x - mean) / torch.sqrt(variance + 1e-5)
    if name:
        show(name + "_mean", mean), show(name + "_variance", variance), show(name + "_normalized", normalized)
    return normalized


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))))


def activate(x):
    return x if "no-gelu" in made else gelu(x)


def around(x, half, name):
    """A half of a block with its LayerNorm and its shortcut."""
    if "norm-after" in made:
        after = half(x) if "no-shortcut" in made else half(x) + x
        return after, layer_norm(after, name)
    normalized = layer_norm(x, name)
    if "no-shortcut" in made:
        after = half(normalized)
    else:
        after = half(normalized) + (normalized if "shortcut-after-norm" in made else x)
    return after, after


def deep(shortcuts):
    """Five layers, each with a GELU; the gradients of their weights."""
    seed(123)
    layers = [Layer(3, width, True) for width in (3, 3, 3, 3, 1)]
    weights = [layer.weight.clone().requires_grad_() for layer in layers]
    x = torch.tensor([[1.0, 0.0, -1.0]])
    for layer, weight in zip(layers, weights):
        if "weight-untransposed" in made:
            d_out, d_in = weight.shape
            y = x @ weight.reshape(-1).view(d_in, d_out)
            y = activate(y if layer.bias is None else y + layer.bias)
        else:
            y = activate(torch.nn.functional.linear(x, weight, layer.bias))
        x = x + y if shortcuts and "no-shortcut" not in made and x.shape == y.shape else y
    show("output", x)
    torch.nn.functional.mse_loss(x, torch.tensor([[0.0]])).backward()
    for i, weight in enumerate(weights):
        show(f"W{i + 1}_grad", weight.grad)
    show("gradient_means", torch.stack([weight.grad.abs().mean() for weight in weights]))


class BlockOfGPT:
    def __init__(self, heads):
        self.heads = heads
        first = Layer(4, 4, True) if "out-proj-first" in made else None
        self.query, self.key, self.value = query_key_value(4, 4, False)
        self.out = first or Layer(4, 4, True)
        self.ffn1, self.ffn2 = Layer(4, 16, True), Layer(16, 4, True)

    def show(self):
        self.query.show("W_query"), self.key.show("W_key"), self.value.show("W_value"), self.out.show("W_out")
        self.ffn1.show("W_ffn1"), self.ffn2.show("W_ffn2")

    def attend(self, x):
        queries, keys, values = (split(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        show("queries_by_head", queries), show("keys_by_head", keys)
        mask = future(x.shape[1])
        scores = score(queries, keys)
        show("scores", scores)
        masked_scores = hide(scores, mask)
        show("masked_scores", masked_scores)
        weights = weigh(scale(masked_scores, 4 // self.heads, 4), mask)
        show("weights", weights)
        context = merge_context(mix(weights, values, keys))
        attention = context if "no-out-proj" in made else self.out(context)
        show("attention", attention)
        return attention

    def think(self, x):
        hidden = self.ffn1(x)
        show("hidden", hidden)
        activated = activate(hidden)
        show("activated", activated)
        feed_forward = self.ffn2(activated)
        show("feed_forward", feed_forward)
        return feed_forward

    def __call__(self, x):
        after, x = around(x, self.attend, "norm1")
        show("after_attention", after)
        after, x = around(x, self.think, "norm2")
        show("after_feed_forward", after)
        return x


def block(heads=2):
    global group
    group = "norm: "
    seed(123)
    batch = torch.randn(2, 5)
    show("batch_example", batch)
    out = relu(Layer(5, 6, True)(batch))
    show("out", out), show("row_mean", out.mean(-1, keepdim=True)), show("row_variance", out.var(-1, keepdim=True))
    show("out_norm", (out - out.mean(-1, keepdim=True)) / torch.sqrt(out.var(-1, keepdim=True)))
    normalized = layer_norm(out)
    show("out_ln", normalized), show("ln_mean", normalized.mean(-1, keepdim=True))
    show("ln_variance", normalized.var(-1, keepdim=True, unbiased=False))
    group = ""
    show("gelu_curve", gelu(torch.arange(49) / 8 - 3))
    for group, shortcuts in ("without: ", False), ("with: ", True):
        deep(shortcuts)
    group = ""
    ids = torch.arange(6).unsqueeze(0)
    seed(123)
    token_table, position_table = table(6, 4), table(6, 4)
    show("token_table", token_table.weight), show("position_table", position_table.weight)
    blocks = []
    for number in 1, 2:
        group = f"block {number}: "
        blocks.append(BlockOfGPT(heads))
        blocks[-1].show()
    group = ""
    head = Layer(4, 6, False)
    head.tie(token_table)
    head.show("W_head")
    tokens, positions = token_table(ids), position_table(torch.arange(6))
    show("token_embeddings", tokens), show("position_embeddings", positions)
    x = add_positions(tokens, positions).detach()
    show("embedded", x)
    for number, each in enumerate(blocks, 1):
        group = f"block {number}: "
        x = each(x)
    group = ""
    show("final", layer_norm(x))
    logits = head(layer_norm(x))
    show("logits", logits), show("probabilities", torch.softmax(logits, -1))
    show("loss", loss_of(logits[:, :-1].flatten(0, 1), (ids[:, :-1] if "targets-not-shifted" in made else ids[:, 1:]).flatten()))
NEXT_WORD = [4.51, 0.89, -1.90, 6.75, 1.63, -1.62, -1.89, 6.28, 1.79]


def draw(probabilities, samples):
    seed(123)
    return torch.tensor([torch.multinomial(probabilities, 1).item() for _ in range(samples)])


def sampling(temperatures=(1.0, 0.1, 5.0), top_k=3, samples=1000, updates=2):
    global group
    logits = torch.tensor(NEXT_WORD)
    show("logits", logits), show("most_likely", torch.argmax(logits))
    rows = []
    for temperature in temperatures:
        group = f"temperature {temperature:g}: "
        scaled_logits = logits * temperature if "temperature-multiplied" in made else logits / temperature
        probabilities = torch.softmax(scaled_logits, dim=-1)
        drawn = draw(probabilities, samples)
        show("scaled_logits", scaled_logits), show("probabilities", probabilities)
        show("first_samples", drawn[:16]), show("counts", torch.bincount(drawn, minlength=len(logits)))
        rows.append(probabilities)
    group = ""
    show("by_temperature", torch.stack(rows))
    top_logits, top_positions = torch.topk(logits, top_k)
    show("top_logits", top_logits), show("top_positions", top_positions)
    is_below = logits < top_logits[-1]
    if "top-k-threshold" in made:
        is_below = logits < top_logits[0]
    if "top-k-below" in made:
        is_below = logits <= top_logits[-1]
    show("is_below", is_below.float())
    kept_logits = torch.where(is_below, torch.tensor(-torch.inf), logits)
    kept_probabilities = torch.softmax(kept_logits, dim=-1)
    show("kept_logits", kept_logits), show("kept_probabilities", kept_probabilities)
    show("kept_counts", torch.bincount(draw(kept_probabilities, samples), minlength=len(logits)))
    target = torch.argmax(logits).view(1)
    show("costs", -torch.log_softmax(logits, dim=-1))
    loss = loss_of(logits.view(1, -1), target)
    show("loss", loss), show("perplexity", loss.exp())
    write_text(temperatures, top_k, updates)


def trained(ids, updates):
    """The model's parameters, after that many updates by AdamW."""
    p = leaves(*draw_model())
    learner = Learner(inputs_in(ids), targets_in(ids).flatten(), 2)
    optimize, losses = optimizer_of("adamw", p, 0.1 if "lr-ten-times" in made else 0.01), []
    for update in range(updates + 1):
        loss = learner.loss(p, "mask-not-in-training" not in made)
        losses.append(loss.item())
        if update < updates:
            if "no-zero-grad" not in made:
                optimize.zero_grad()
            loss.backward()
            if "zero-grad-late" in made:
                optimize.zero_grad()
            optimize.step()
    show("losses", torch.tensor(losses))
    return p


def next_row(p, said):
    logits = Learner(said, None, 2).logits(p)[0]
    return logits[0] if "wrong-position" in made else logits[-1]


def write_words(p, said, words, choose):
    with torch.no_grad():
        while said.shape[1] < words:
            said = torch.cat([said, choose(next_row(p, said)).view(1, 1)], dim=1)
    return said[0]


def draw_word(logits, temperature, top_k):
    top_logits = torch.topk(logits, top_k)[0]
    threshold = top_logits[0 if "top-k-threshold" in made else -1]
    kept_logits = torch.where(logits < threshold, torch.tensor(-torch.inf), logits)
    scaled_logits = kept_logits * temperature if "temperature-multiplied" in made else kept_logits / temperature
    return torch.multinomial(torch.softmax(scaled_logits, dim=-1), 1)


def write_text(temperatures, top_k, updates):
    global group
    ids = torch.tensor([SENTENCE])
    p = trained(ids, updates)
    text_logits = Learner(inputs_in(ids), None, 2).logits(p)
    text_loss = loss_of(text_logits.flatten(0, 1), targets_in(ids).flatten())
    show("text_probabilities", torch.softmax(text_logits, dim=-1)), show("text_loss", text_loss), show("text_perplexity", text_loss.exp())
    prompt = ids[:, :3]
    show("next_probabilities", torch.softmax(next_row(p, prompt), dim=-1))
    show("said", write_words(p, prompt, 11, torch.argmax))
    for temperature in temperatures:
        if shown["next_probabilities"].isnan().any():  # multinomial refuses these
            break
        group = f"temperature {temperature:g}: "
        seed(123)
        show("said", write_words(p, prompt, 11, lambda logits: draw_word(logits, temperature, top_k)))
    group = "untrained: "
    speak_untrained(prompt)
    group = ""


def speak_untrained(said):
    global shown
    seed(123)
    token_table, position_table = table(6, 4), table(6, 4)
    blocks, head = [BlockOfGPT(2) for _ in range(2)], Layer(4, 6, False)
    all_shown = shown
    while said.shape[1] < 6:
        shown = {}  # the lesson shows no step of the blocks
        x = add_positions(token_table(said), position_table(torch.arange(said.shape[1]))).detach()
        for block_of_gpt in blocks:
            x = block_of_gpt(x)
        logits = head(layer_norm(x))[0]
        logits = logits[0] if "wrong-position" in made else logits[-1]
        shown = all_shown
        if "untrained: next_logits" not in shown:
            show("next_logits", logits), show("next_probabilities", torch.softmax(logits, dim=-1))
        said = torch.cat([said, torch.argmax(logits).view(1, 1)], dim=1)
    show("said", said[0])


# ---- What is written ----

group = ""
shown = {}


def show(name, tensor):
    shown[group + name] = tensor.detach().clone()


def run(lesson, options, *mistakes):
    global made, shown, left, ends
    made, shown, left, ends = set(mistakes), {}, 1.0, []
    lesson(**options)
    return shown


def bits_of(x):
    return 0x7FC00000 if x != x else struct.unpack("<I", struct.pack("<f", x + 0.0))[0]  # -0 is 0


class Case:
    """The lesson with the mistakes: its steps, those that the mistakes change, PyTorch's bits in them."""

    def __init__(self, lesson, options, *mistakes):
        global ends_of_right
        right = run(lesson, options)
        ends_of_right = ends
        wrong = run(lesson, options, *mistakes)
        names = {"p": "dropout", "d_out": "d-out", "seed_number": "seed", "latent_dim": "latent"}
        words = [f"--{names.get(option, option)} {value}" if value is not True else "--bias" for option, value in options.items()]
        self.heading = " ".join(["case", lesson.__name__, *words, ":", *mistakes])
        self.steps = list(right)
        self.absent = [name for name in right if name not in wrong]
        self.wrong = {name: wrong[name] for name in right if name in wrong and not torch.equal(right[name].nan_to_num(7), wrong[name].nan_to_num(7))
                      and not torch.allclose(right[name], wrong[name], rtol=0, atol=1e-6, equal_nan=True)}

    def bits(self, name):
        return [bits_of(float(x)) for x in self.wrong[name].flatten().tolist()]

    def verdict(self, name, own):
        if name not in self.wrong:
            return "." if name in self.absent else "="
        bits = self.bits(name)
        sizes = "x".join(map(str, self.wrong[name].shape)).encode()
        places = [place for place, (x, y) in enumerate(zip(bits, own or bits)) if x != y]
        other = [f"{place - before}:{bits[place]:08x}" for place, before in zip(places, [0, *places])]
        return f"{zlib.crc32(sizes + struct.pack(f'<{len(bits)}I', *bits)):08x}" + ("~" + ",".join(other) if other else "")


def write(path, cases, own):
    """`own` has onestep's bits for (heading, step)."""
    steps = None
    with open(path, "w", encoding="utf-8") as file:
        for case in cases:
            if case.steps != steps:
                steps = case.steps
                print("steps", " | ".join(steps), file=file)
            print(case.heading, file=file)
            print(*(case.verdict(name, own.get((case.heading, name))) for name in steps), file=file)


def own_bits(tests, suite, test):
    """What onestep has in the steps of the file that was just written."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "own")
        subprocess.run([tests, "app"], stdout=subprocess.DEVNULL, check=False, env={
            **os.environ, "ONESTEP_TESTS_OWN": path, "CK_RUN_SUITE": suite, "CK_RUN_CASE": test})
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    return {(lines[i], lines[i + 1]): [int(bits, 16) for bits in lines[i + 2].split()] for i in range(0, len(lines), 3)}


MISTAKES = """no-scale scale-twice scale-by-dk scale-by-d-out softmax-columns mask-zero mask-diagonal mask-upside-down
mask-after-softmax dropout-before-softmax dropout-scale-p dropout-no-scale other-bernoulli heads-by-view
merge-without-transpose weight-untransposed layer-sizes-swapped no-out-proj no-bias wrong-seed swapped-qk no-zero-grad no-mask mask-inverted
mask-diagonal-2 keepdim-forgotten scale-by-tokens softmax-heads softmax-batch softmax-twice no-softmax weights-transposed
scores-transposed scale-after-softmax keys-for-values keys-reshaped no-dropout dropout-twice dropout-on-context dropout-on-output
dropout-on-values dropout-by-rand heads-interleaved heads-shared heads-reversed heads-stacked out-proj-first
values-first queries-first chunks-exchanged seed-each-layer drawn-twice padding-inverted padding-over-queries repaired-before-softmax
cross-from-target cross-causal-mask cache-square-mask prefill-no-mask cache-not-cleared repeat-for-interleave groups-reversed rotary-pairs values-rotated rotary-restart keys-not-rotated window-plus-one window-sees-future
scale-by-latent up-exchanged absorbed-on-wrong-side result-not-rescaled sum-not-rescaled tile-maximum divided-in-every-tile softmax-before-loss logits-transposed tied-weights no-mean-grad bias-grad-mean grad-overwritten softmax-grad-elementwise relu-gate-by-grad
no-scale-grad scores-grad-transposed ascent lr-ten-times no-bias-correction decay-in-grad other-betas zero-grad-late graph-cut keys-detached
mask-not-in-training no-positions positions-twice unbiased-variance norm-after no-shortcut shortcut-after-norm no-gelu no-relu targets-not-shifted targets-before-inputs
temperature-multiplied top-k-threshold wrong-position""".split()

PAIRS = [
    (split_head, {"d_out": 4}, "no-scale", "mask-zero"),
    (split_head, {"d_out": 4}, "heads-by-view", "merge-without-transpose"),
    (split_head, {"d_out": 4, "p": 0.5}, "dropout-before-softmax", "mask-after-softmax"),
    (split_head, {"d_out": 4, "p": 0.3}, "dropout-before-softmax", "dropout-scale-p"),
    (split_head, {"d_out": 4, "p": 0.3, "bias": True}, "no-bias", "swapped-qk"),
    (wrapper, {"p": 0.5, "bias": True}, "no-bias", "other-bernoulli"),
    (wrapper, {"bias": True}, "wrong-seed", "weight-untransposed"),
    (causal, {}, "mask-diagonal", "mask-upside-down"),
    (causal, {}, "softmax-columns", "mask-after-softmax"),
    (dropout, {}, "softmax-columns", "dropout-before-softmax"),
    (trainable, {}, "swapped-qk", "scale-twice"),
    (model, {}, "weight-untransposed", "no-out-proj"),
    (grouped_query, {}, "repeat-for-interleave", "groups-reversed"),
    (gradients, {}, "softmax-columns", "no-scale"),
]

# Other ways to make a mistake: the second row of that name in the table, the third.
WAYS = [
    *((lesson, {}, f"chunks-exchanged/{way}") for lesson in (trainable, causal, wrapper, split_head) for way in (2, 3)),
    (wrapper, {}, "heads-stacked/2"), (wrapper, {"heads": 3}, "heads-stacked/3"),
    (wrapper, {"p": 0.5}, "dropout-on-context/2"), (split_head, {"p": 0.5, "d_out": 4}, "dropout-on-context/2"),
]

TODAY = (padding, cross, cache, grouped_query, rotary, window, online_softmax, latent, llama)
OF_ADAMW = ("ascent", "lr-ten-times", "no-bias-correction", "decay-in-grad", "other-betas", "zero-grad-late",
            "graph-cut", "keys-detached")


def options_of(lesson, mistake):
    """The options with which a mistake shows."""
    options = {}
    if lesson is sampling:
        return {"updates": 2}
    if lesson is training:
        return {"updates": 2, "optimizer": "adamw" if mistake in OF_ADAMW else "sgd"}
    if mistake.startswith("scale") or mistake in ("no-scale", "weight-untransposed", "keys-reshaped"):
        options = {"d_out": 6} if lesson is split_head else {}  # with 4, √d_out would be d_k
    if lesson is latent and mistake == "scale-by-latent":
        options = {"latent_dim": 3}
    if lesson is online_softmax and mistake in ("result-not-rescaled", "sum-not-rescaled"):
        options = {"seed_number": 3}  # the largest score of some rows lies in a later tile
    if mistake == "heads-interleaved":
        options = {"d_out": 4} if lesson is split_head else {}
    if mistake.startswith("dropout") or mistake in ("other-bernoulli", "no-dropout"):
        options = {"p": 0.1 if mistake == "dropout-scale-p" else 0.5} if lesson in (
            dropout, wrapper, split_head, model) else {}
        if lesson is dropout and mistake != "dropout-scale-p":
            options = {}
    if mistake == "cross-from-target":
        options = {"target": "5,6,4,1,2,3"} if lesson is cross else {}
    if mistake in ("no-bias", "swapped-qk", "values-first") and lesson not in (simplified, model, gradients, training, embeddings, block, latent, llama):
        options = {"bias": True}
    return options


def all_cases():
    for lesson in (simplified, trainable, causal, dropout, wrapper, split_head, model, gradients, training, embeddings, block, sampling, *TODAY):
        for mistake in MISTAKES:
            if mistake == "dropout-on-output" and lesson in (dropout, wrapper):
                continue  # they have no output projection
            yield Case(lesson, options_of(lesson, mistake), mistake)
    for lesson, options, *pair in PAIRS + WAYS:
        yield Case(lesson, options, *pair)


def print_numbers(cases, heading, step=None):
    for case in cases:
        for name in case.wrong if case.heading == heading else ():
            if step in (None, name):
                print("tensor", *case.wrong[name].shape, ":", name)
                print(*(f"{x:.9g}" for x in case.wrong[name].flatten().tolist()))


def main():
    if sys.argv[1] == "--numbers":
        print_numbers(all_cases(), *sys.argv[2:])
        return
    cases = [case for case in all_cases() if case.wrong]
    write(DATA, cases, {})
    write(DATA, cases, own_bits(sys.argv[1], "edited_lessons", "edited_lessons"))


if __name__ == "__main__":
    main()
