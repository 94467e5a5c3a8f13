"""The classic mistakes in attention with grouped queries, made in PyTorch by one who writes it so.

usage: pytorch_grouped.py TESTS
       pytorch_grouped.py --numbers 'case grouped --batch 2 : MISTAKE' [STEP]

Offline: needs torch, the tests do not. Writes data/grouped.txt in the form of pytorch_mistakes.py; tests/app/check/test_grouped.c
compares what the program makes of a lesson that has no line about mistakes. Made with PyTorch 1.13, one thread.
"""

import os
import sys

import torch

from pytorch_mistakes import Case, own_bits, print_numbers, write

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "grouped.txt")
torch.set_num_threads(1)
inputs = torch.tensor(
    [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
)
MISTAKES = """
    no-scale scale-twice scale-by-dk scale-by-d-out scale-by-tokens softmax-columns softmax-heads softmax-batch softmax-twice
    no-softmax mask-zero mask-diagonal mask-upside-down mask-after-softmax no-mask mask-inverted mask-diagonal-2
    heads-by-view heads-interleaved merge-without-transpose weight-untransposed no-out-proj wrong-seed swapped-qk
    values-first out-proj-first weights-transposed scores-transposed scale-after-softmax keys-for-values keys-reshaped
    layer-sizes-swapped heads-reversed seed-each-layer drawn-twice chunks-exchanged
    repeat-for-interleave groups-reversed
""".split()
LAYERS = {"swapped-qk": "kqvo", "values-first": "vqko", "chunks-exchanged": "qvko", "out-proj-first": "oqkv"}  # in which order they are drawn


def split(x, heads, made):
    width = x.shape[-1]
    if made == "heads-by-view":
        return x.view(*x.shape[:-2], heads, x.shape[-2], width // heads)
    if made == "heads-interleaved":
        return x.view(*x.shape[:-1], width // heads, heads).movedim(-1, -3)
    return x.view(*x.shape[:-1], heads, width // heads).transpose(-3, -2)


def repeat_groups(x, times, made):
    if made == "groups-reversed":
        x = x.flip(-3)
    if made == "repeat-for-interleave":
        return torch.cat([x] * times, dim=-3)
    return x.repeat_interleave(times, dim=-3)


def future(tokens, made):
    ones = torch.ones(tokens, tokens)
    if made == "mask-inverted":
        return torch.tril(ones).bool()
    above = torch.triu(ones, diagonal={"mask-diagonal": 0, "mask-diagonal-2": 2}.get(made, 1)).bool()
    return above.T if made == "mask-upside-down" else above


def weigh(scores, mask, root, made):
    if made in ("no-mask", "mask-after-softmax"):
        masked = scores
    else:
        masked = scores.masked_fill(mask, 0 if made == "mask-zero" else -torch.inf)
    if made == "no-softmax":
        return masked / root
    dim = {"softmax-columns": -2, "softmax-heads": -3, "softmax-batch": 0}.get(made, -1)
    weights = torch.softmax(masked / root, dim=dim)
    if made == "softmax-twice":
        weights = torch.softmax(weights, dim=dim)
    return weights.masked_fill(mask, 0) if made == "mask-after-softmax" else weights


def attend(x, made, heads=4, groups=2, d_in=3, d_out=8):
    head_dim = d_out // heads
    sizes = {"q": (d_in, d_out), "k": (d_in, groups * head_dim), "v": (d_in, groups * head_dim), "o": (d_out, d_out)}
    torch.manual_seed(789 if made == "wrong-seed" else 123)
    for name in "qkvo" if made == "drawn-twice" else "":
        torch.nn.Linear(*sizes[name], bias=False)
    weight = {}
    for name in LAYERS.get(made, "qkvo"):
        if made == "seed-each-layer":
            torch.manual_seed(123)
        if made == "layer-sizes-swapped" and name != "o":
            weight[name] = torch.nn.Linear(*reversed(sizes[name]), bias=False).weight.detach().T
        else:
            weight[name] = torch.nn.Linear(*sizes[name], bias=False).weight.detach()

    def project(name, y):
        W = weight[name]
        return y @ (W.reshape(-1).view(W.shape[1], W.shape[0]) if made == "weight-untransposed" else W.T)

    queries = split(project("q", x), heads, made)
    keys, values = (repeat_groups(split(project(name, x), groups, made), heads // groups, made) for name in "kv")
    turned = keys.transpose(-2, -1)
    turned = keys.reshape(turned.shape) if made == "keys-reshaped" else turned
    scores = keys @ queries.transpose(-2, -1) if made == "scores-transposed" else queries @ turned
    roots = {"no-scale": 1, "scale-twice": head_dim, "scale-by-dk": head_dim, "scale-after-softmax": 1, "scale-by-d-out": d_out**0.5,
             "scale-by-tokens": x.shape[-2] ** 0.5}
    weights = weigh(scores, future(x.shape[-2], made), roots.get(made, head_dim**0.5), made)
    weights = weights / head_dim**0.5 if made == "scale-after-softmax" else weights
    values = keys if made == "keys-for-values" else values
    by_head = (weights.transpose(-2, -1) if made == "weights-transposed" else weights) @ values
    by_head = by_head.flip(-3) if made == "heads-reversed" else by_head
    turned = by_head if made == "merge-without-transpose" else by_head.transpose(-3, -2)
    context = turned.contiguous().view(*x.shape[:-1], d_out)
    output = context if made == "no-out-proj" else project("o", context)
    return {"queries_by_head": queries, "weights": weights, "context": context, "output": output}


class Grouped(Case):
    def __init__(self, batch, made):  # pylint: disable=super-init-not-called
        self.heading = f"case grouped {f'--batch {batch} ' if batch else ''}: {made}"
        self.wrong = attend(torch.stack([inputs] * batch) if batch else inputs, made)
        self.steps, self.absent = list(self.wrong), []


if __name__ == "__main__":
    cases = [Grouped(batch, made) for batch in (0, 2) for made in MISTAKES if made != "softmax-batch" or batch]
    if sys.argv[1] == "--numbers":
        print_numbers(cases, *sys.argv[2:])
    else:
        write(DATA, cases, {})
        write(DATA, cases, own_bits(sys.argv[1], "grouped", "grouped queries"))
