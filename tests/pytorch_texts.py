#!/usr/bin/env python3
"""Snippets of the kinds that texts and courses have, and for each the onestep command that gives its numbers.

usage: pytorch_texts.py ONESTEP

Runs each snippet in PyTorch, as a reader would have it in a notebook, and compares what it prints with the command: the
numbers, and the text but for the last digit of a number that lies on the edge of rounding. Speaks TAP.

PyTorch without MKL draws the masks of mt19937; so do the commands here.
"""
import os
import re
import subprocess
import sys
import tempfile

from pytorch_library import torch

torch = torch()
import numpy  # noqa: E402: PyTorch comes first, and starts the script anew if need be

MARGIN = 2e-6  # times max(1, |x|): what another order of adding may change
WIDE = 5e-6  # where thousands of products are added up

# What the snippets share: the course's sentence, and the classes as texts write them.
COMMON = '''
import torch
from torch import nn

inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
others = torch.tensor([[0.12, 0.98, 0.31], [0.44, 0.05, 0.72], [0.91, 0.36, 0.28],
                       [0.63, 0.17, 0.84], [0.29, 0.52, 0.47], [0.76, 0.68, 0.09]])


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        scores = queries @ keys.transpose(-2, -1)
        return torch.softmax(scores / keys.shape[-1]**0.5, dim=-1) @ values


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        num_tokens = x.shape[-2]
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        scores = queries @ keys.transpose(-2, -1)
        scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores / keys.shape[-1]**0.5, dim=-1))
        return weights @ values


class MultiHeadWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList([CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                                    for _ in range(num_heads)])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, _ = x.shape
        keys, queries, values = (layer(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                                 for layer in (self.W_key, self.W_query, self.W_value))
        scores = queries @ keys.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores / keys.shape[-1]**0.5, dim=-1))
        return self.out_proj((weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, self.d_out))


class MyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, d_hidden, num_heads, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.W_query = nn.Linear(d_model, d_model)
        self.W_key = nn.Linear(d_model, d_model)
        self.W_value = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model) if num_heads > 1 else nn.Identity()
        self.num_heads, self.head_dim, self.dropout = num_heads, d_model // num_heads, nn.Dropout(dropout)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_hidden), nn.ReLU(), nn.Linear(d_hidden, d_model))
        self.to_logits = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        x = self.embedding(ids)
        b, t, d = x.shape
        q, k, v = (layer(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                   for layer in (self.W_query, self.W_key, self.W_value))
        scores = q @ k.transpose(2, 3) * self.head_dim**-0.5
        scores = scores.masked_fill(torch.triu(torch.ones(t, t), diagonal=1).bool(), -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        x = self.out_proj((weights @ v).transpose(1, 2).contiguous().view(b, t, d))
        return self.to_logits(self.ffn(x))


def loss_of(model, ids):
    logits = model(ids[:, :-1])
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


batch = torch.stack((inputs, inputs), dim=0)
ids = torch.tensor([[0, 1, 2, 3, 4, 5]])
'''

# What it is; the snippet, whose last line is an expression; the command; and what may differ.
SNIPPETS = [
    ("single head with biases",
     "torch.manual_seed(789)\nSelfAttention(3, 2, qkv_bias=True)(inputs)",
     "print trainable --bias --step 'linear: context'", MARGIN),
    ("single causal head with biases, as wide as its input",
     "torch.manual_seed(123)\nCausalAttention(3, 3, 6, 0.0, qkv_bias=True)(inputs)",
     "print causal --seed 123 --d-out 3 --bias --step context", MARGIN),
    ("multi-head wrapper with biases",
     "torch.manual_seed(123)\nMultiHeadWrapper(3, 2, 6, 0.0, 2, qkv_bias=True)(batch)",
     "print wrapper --bias --step context", MARGIN),
    ("multi-head attention with biases",
     "torch.manual_seed(123)\nMultiHeadAttention(3, 4, 6, 0.0, 2, qkv_bias=True)(batch)",
     "print split_head --d-out 4 --bias --step output", MARGIN),
    ("multi-head attention, wide",
     "torch.manual_seed(0)\nMultiHeadAttention(3, 768, 1024, 0.0, 12)(batch)",
     "print split_head --seed 0 --d-out 768 --heads 12 --context-length 1024 --step output", WIDE),
    ("MyGPT, small", "torch.manual_seed(123)\nloss_of(MyGPT(6, 4, 8, 2), ids)", "print model --step loss", MARGIN),
    ("MyGPT with one head", "torch.manual_seed(123)\nloss_of(MyGPT(6, 4, 8, 1), ids)",
     "print model --heads 1 --step loss", MARGIN),
    ("MyGPT at its own sizes", "torch.manual_seed(123)\nMyGPT(6, 512, 2048, 8)(ids[:, :-1])",
     "print model --d-model 512 --hidden 2048 --heads 8 --step logits", WIDE),
    ("MyGPT at its own sizes, its loss", "torch.manual_seed(123)\nloss_of(MyGPT(6, 512, 2048, 8), ids)",
     "print model --d-model 512 --hidden 2048 --heads 8 --step loss", WIDE),
    ("MyGPT with three heads", "torch.manual_seed(1)\nMyGPT(6, 12, 24, 3)(ids[:, :-1])",
     "print model --seed 1 --d-model 12 --hidden 24 --heads 3 --step logits", MARGIN),
    ("MyGPT with a large vocabulary", "torch.manual_seed(123)\nloss_of(MyGPT(1000, 16, 32, 4), ids)",
     "print model --vocabulary 1000 --d-model 16 --hidden 32 --heads 4 --step loss", MARGIN),
    ("MyGPT with dropout, training", "torch.manual_seed(123)\nloss_of(MyGPT(6, 4, 8, 2, 0.1), ids)",
     "print model --dropout 0.1 --step loss", MARGIN),
    ("MyGPT with dropout, evaluated", "torch.manual_seed(123)\nloss_of(MyGPT(6, 4, 8, 2, 0.1).eval(), ids)",
     "print model --dropout 0.1 --eval --step loss", MARGIN),
    ("MyGPT, rows that are never read",
     "torch.manual_seed(123)\nmodel = MyGPT(9, 6, 12, 3)\nloss_of(model, ids).backward()\nmodel.embedding.weight.grad",
     "print gradients --d-model 6 --hidden 12 --heads 3 --vocabulary 9 --step embedding_grad", MARGIN),
    ("dropout behind the layers, single head",
     "torch.manual_seed(789)\nCausalAttention(3, 2, 6, 0.5)(inputs)",
     "print dropout --dropout-seed none --step 'mt19937: context'", MARGIN),
    ("dropout behind the layers, with biases",
     "torch.manual_seed(42)\nCausalAttention(3, 4, 6, 0.2, qkv_bias=True)(inputs)",
     "print dropout --seed 42 --d-out 4 --bias --dropout 0.2 --dropout-seed none --step 'mt19937: context'", MARGIN),
    ("dropout behind the layers of a wrapper",
     "torch.manual_seed(123)\nMultiHeadWrapper(3, 2, 6, 0.5, 2)(batch)",
     "print wrapper --dropout 0.5 --step context", MARGIN),
    ("dropout behind the layers of split heads",
     "torch.manual_seed(123)\nMultiHeadAttention(3, 4, 6, 0.1, 2, qkv_bias=True)(batch)",
     "print split_head --d-out 4 --dropout 0.1 --bias --step output", MARGIN),
    ("the same, evaluated",
     "torch.manual_seed(123)\nMultiHeadAttention(3, 4, 6, 0.1, 2, qkv_bias=True).eval()(batch)",
     "print split_head --d-out 4 --dropout 0.1 --bias --eval --step output", MARGIN),
    ("a batch without a mask",
     "torch.manual_seed(789)\nSelfAttention(3, 2)(batch)",
     "print trainable --batch 2 --step 'batch: context'", MARGIN),
    ("a batch without a mask, with biases",
     "torch.manual_seed(1)\nSelfAttention(3, 4, qkv_bias=True)(torch.stack([inputs] * 3))",
     "print trainable --seed 1 --d-out 4 --bias --batch 3 --step 'batch: context'", MARGIN),
    ("a batch of different sentences, without a mask",
     "torch.manual_seed(789)\nSelfAttention(3, 2)(torch.stack((inputs, others)))",
     "print trainable --input {inputs.csv} --input {others.csv} --step 'batch: context'", MARGIN),
    ("different sentences in a wrapper, with dropout",
     "torch.manual_seed(123)\nMultiHeadWrapper(3, 2, 6, 0.2, 2)(torch.stack((inputs, others)))",
     "print wrapper --input {inputs.csv} --input {others.csv} --dropout 0.2 --step context", MARGIN),
    ("different sentences in split heads",
     "torch.manual_seed(123)\nMultiHeadAttention(3, 4, 6, 0.0, 2)(torch.stack((others, inputs)))",
     "print split_head --input {others.csv} --input {inputs.csv} --d-out 4 --step output", MARGIN),
    ("GPT-2's layer, training",
     "torch.manual_seed(123)\nx = torch.rand(2, 16, 768)\nMultiHeadAttention(768, 768, 1024, 0.1, 12)(x)",
     "gpt2 small --batch 2 --tokens 16 --dropout 0.1", WIDE),
    ("GPT-2's layer, evaluated",
     "torch.manual_seed(123)\nx = torch.rand(2, 16, 768)\nMultiHeadAttention(768, 768, 1024, 0.1, 12).eval()(x)",
     "gpt2 small --batch 2 --tokens 16 --dropout 0.1 --eval", WIDE),
    ("GPT-2's layer, made before a normal input",
     "torch.manual_seed(123)\nmha = MultiHeadAttention(768, 768, 1024, 0.1, 12, qkv_bias=True)\nmha(torch.randn(2, 16, 768))",
     "gpt2 small --batch 2 --tokens 16 --dropout 0.1 --bias --randn --layers-first", WIDE),
    ("the largest GPT-2's layer, evaluated, with another seed",
     "torch.manual_seed(42)\nmha = MultiHeadAttention(1600, 1600, 1024, 0.1, 25).eval()\nmha(torch.randn(1, 4, 1600))",
     "gpt2 xl --batch 1 --tokens 4 --seed 42 --dropout 0.1 --eval --randn --layers-first", WIDE),
]

# Of each size: layers, width; and what a snippet counts.
SIZES = {"small": (12, 768), "medium": (24, 1024), "large": (36, 1280), "xl": (48, 1600)}

# Snippets that fail, and how `onestep help formulas` begins to say so.
ERRORS = [
    ("heads that do not divide d_out", "MultiHeadAttention(3, 7, 6, 0.0, 2)"),
    ("a class without super().__init__()",
     "class Attention(nn.Module):\n"
     "    def __init__(self):\n"
     "        self.W_query = nn.Linear(3, 2)\n"
     "Attention()"),
    ("a view of heads that do not divide d_out", "torch.rand(2, 6, 7).view(2, 6, 2, 3)"),
    ("inputs of the wrong width", "nn.Linear(4, 2)(batch)"),
    ("keys not transposed", "torch.rand(2, 6, 3) @ torch.rand(2, 6, 3)"),
    ("keys.T on a batch", "torch.rand(2, 6, 3) @ torch.rand(2, 6, 3).permute(2, 1, 0)"),
    ("view after transpose", "torch.rand(2, 2, 6, 3).transpose(1, 2).view(2, 6, 6)"),
    ("more tokens than context_length", "MultiHeadWrapper(3, 2, 4, 0.0, 2)(batch)"),
    ("row sums without keepdim", "x = torch.rand(3, 4)\nx / torch.rand(3)"),
    ("an id outside of the vocabulary", "nn.Embedding(6, 4)(torch.tensor([6]))"),
]


def evaluated(snippet):
    """The value of the last line."""
    names = {}
    exec(COMMON, names)
    *lines, last = snippet.split("\n")
    exec("\n".join(lines), names)
    return eval(last, names)


def words_of(command, folder):
    """As a shell would cut it; {...} are files of the folder."""
    return [word.replace("{", folder + "/").replace("}", "") for word in re.findall(r"'[^']*'|\S+", command)]


def run(command, folder, *more):
    words = [word.strip("'") for word in words_of(command, folder)]
    return subprocess.run([ONESTEP, *words, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout


def tensor_of(command, folder):
    """What the command computed, and as it prints it."""
    path = os.path.join(folder, "result.npy")
    text = run(command, folder).decode()
    run(command, folder, *(["--format=npy"] if command.startswith("print") else []), "-o", path)
    return torch.from_numpy(numpy.load(path)), text


def check_snippet(snippet, command, margin, folder):
    mine, text = tensor_of(command, folder)
    theirs = evaluated(snippet).detach()
    if mine.shape != theirs.shape:
        raise ValueError(f"shape {tuple(mine.shape)}, not {tuple(theirs.shape)}")
    distance = float(((mine - theirs).abs() / theirs.abs().clamp(min=1)).max())
    if not distance <= margin:
        raise ValueError(f"numbers differ by {distance:.1e}")
    if torch.equal(mine, theirs) and text.rstrip("\n") != str(theirs):
        raise ValueError(f"PyTorch prints\n{theirs}\nnot\n{text}")
    return "equal" if torch.equal(mine, theirs) else f"{distance:.1e}"


def numel(module):
    return sum(p.numel() for p in module.parameters())


def counted(layers, width):
    """Parameters of a layer's attention, with and without biases, and of the model: counted by PyTorch."""
    names = {}
    exec(COMMON, names)
    attention = [numel(names["MultiHeadAttention"](width, width, 8, 0.1, width // 64, qkv_bias=bias)) for bias in (True, False)]
    nn, empty = torch.nn, {"device": "meta"}
    block = attention[0] + sum(numel(part) for part in (
        nn.Linear(width, 4 * width, **empty), nn.Linear(4 * width, width, **empty), nn.LayerNorm(width), nn.LayerNorm(width)))
    whole = layers * block + sum(numel(part) for part in (
        nn.Embedding(50257, width, **empty), nn.Embedding(1024, width, **empty), nn.LayerNorm(width)))
    return *attention, whole


def check_count(size, folder):
    text = run(f"gpt2 {size}", folder).decode()
    for number in counted(*SIZES[size]):
        if f"{number:,}" not in text:
            raise ValueError(f"{number:,} is not in what it says of {size}")


def check_error(snippet, formulas):
    try:
        evaluated(snippet)
    except Exception as error:
        said = " ".join(str(error).split())
        if said not in formulas:
            raise ValueError(f"no '{said}' in help formulas")
        named = re.search(r"(\w+Error): " + re.escape(said), formulas)
        if named and named[1] != type(error).__name__:
            raise ValueError(f"it is a {type(error).__name__}, not {named[1]}")
        return
    raise ValueError("no error")


def write_tokens(folder):
    names = {}
    exec(COMMON, names)
    for name in "inputs", "others":
        with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8") as file:
            file.write("token,d1,d2,d3\n")
            file.writelines(f"{name}{i},{','.join(f'{x:.2f}' for x in row)}\n" for i, row in enumerate(names[name].tolist()))


def checks(folder):
    for what, snippet, command, margin in SNIPPETS:
        yield f"{what}: onestep {command}", lambda: check_snippet(snippet, command, margin, folder)
    for size in SIZES:
        yield f"parameters: onestep gpt2 {size}", lambda: check_count(size, folder)
    formulas = " ".join(run("help formulas", folder).decode().split())
    for what, snippet in ERRORS:
        yield f"{what}: onestep help formulas", lambda: check_error(snippet, formulas)


def main():
    failed = 0
    torch.set_num_threads(1)
    print(f"1..{len(SNIPPETS) + len(SIZES) + len(ERRORS)}")
    with tempfile.TemporaryDirectory() as folder:
        write_tokens(folder)
        for number, (what, check) in enumerate(checks(folder), 1):
            try:
                print(f"ok {number} - {what} # {check() or ''}".rstrip(" #"))
            except Exception as error:  # whatever the snippet throws
                failed += 1
                reason = "\n# ".join(f"{type(error).__name__}: {error}".split("\n"))
                print(f"not ok {number} - {what}\n# {reason}")
    return failed > 0


if __name__ == "__main__":
    ONESTEP = os.path.abspath(sys.argv[1])
    sys.exit(main())
