"""PyTorch's GPT-2 small, in a process of its own: a line with the name of a piece of work in, a line of JSON out. gpt_peers.py
starts it.

usage: gpt_worker.py KIND THREADS

The model is the course's GPTModel, drawn as the course draws it. KIND says how it runs: "course", in the course's own operations;
or "fast", as those who care for speed run it, with query, key and value in one layer, scaled_dot_product_attention where this
PyTorch has it, GELU and LayerNorm in one call, and a cache with room for all tokens. Both compute the logits of the last token
alone where the work asks for no others.
"""
import json
import math
import resource
import sys
import time

import torch
from torch.nn import functional

VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS = 50257, 1024, 768, 12, 12
FEW, MANY, MORE = 4, 1024, 20
ROOT = math.sqrt(WIDTH // HEADS)
IS_FAST = sys.argv[1] == "fast"


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.shift = torch.nn.Parameter(torch.ones(WIDTH)), torch.nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        if IS_FAST:
            return functional.layer_norm(x, (WIDTH,), self.scale, self.shift)
        mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * ((x - mean) / torch.sqrt(variance + 1e-5)) + self.shift


def gelu(x):
    if IS_FAST:
        return functional.gelu(x, approximate="tanh")
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * torch.pow(x, 3))))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.out = torch.nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        self.norm1, self.norm2 = Norm(), Norm()

    def fuse(self):
        self.qkv = torch.cat([layer.weight.data for layer in self.layers])
        del self.layers

    def projected(self, x):
        return functional.linear(x, self.qkv).chunk(3, dim=-1) if IS_FAST else [layer(x) for layer in self.layers]

    def attend(self, x, cache):
        shape = (x.shape[0], x.shape[1], HEADS, WIDTH // HEADS)
        queries, keys, values = (part.view(shape).transpose(1, 2) for part in self.projected(x))
        if cache is not None:
            keys, values = cache.add(self, keys, values)
        context = attention(queries, keys, values)
        return self.out(context.transpose(1, 2).reshape(x.shape))

    def forward(self, x, cache=None):
        x = x + self.attend(self.norm1(x), cache)
        return x + self.narrow(gelu(self.wide(self.norm2(x))))


def attention(queries, keys, values):
    is_square = queries.shape[2] == keys.shape[2] > 1
    if IS_FAST and hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(queries, keys, values, is_causal=is_square)
    scores = queries @ keys.transpose(2, 3)
    if is_square:
        scores.masked_fill_(torch.ones(scores.shape[2:], dtype=torch.bool).triu(1), -torch.inf)
    return torch.softmax(scores / ROOT, dim=-1) @ values


class Cache:
    """Keys and values of all tokens so far, in memory that is taken once."""

    def __init__(self):
        self.room, self.tokens = {}, 0

    def add(self, block, keys, values):
        if block not in self.room:
            self.room[block] = torch.empty(2, 1, HEADS, FEW + MORE, WIDTH // HEADS)
        room, end = self.room[block], self.tokens + keys.shape[2]
        room[0, :, :, self.tokens:end], room[1, :, :, self.tokens:end] = keys, values
        return room[0, :, :, :end], room[1, :, :, :end]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(VOCABULARY, WIDTH), torch.nn.Embedding(CONTEXT, WIDTH)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = Norm(), torch.nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, ids, cache=None, is_whole=False):
        first = cache.tokens if cache is not None else 0
        x = self.words(ids) + self.places(torch.arange(first, first + ids.shape[1]))
        for block in self.blocks:
            x = block(x, cache)
        if cache is not None:
            cache.tokens += ids.shape[1]
        return self.head(self.norm(x if is_whole else x[:, -1:]))


def drawn():
    torch.manual_seed(123)
    return Model()


def ids_of(tokens):
    return (torch.arange(tokens) * 7919 % VOCABULARY).unsqueeze(0)


def prepared(work, model):
    """What is to be timed, and how many times it does the work."""
    if work == "draw":
        return drawn, 1
    if work == "few":
        return lambda: model(ids_of(FEW), is_whole=True), 1
    if work == "many":
        return lambda: model(ids_of(MANY)), 1
    cache = Cache()
    model(ids_of(FEW), cache)
    return lambda: [model(ids_of(1), cache) for _ in range(MORE)], MORE


def main():
    torch.set_num_threads(int(sys.argv[2]))
    with torch.no_grad():
        model = drawn()
        for block in model.blocks if IS_FAST else ():
            block.fuse()
        for line in sys.stdin:
            run, times = prepared(line.strip(), model)
            start = time.perf_counter()
            run()
            taken = 1e3 * (time.perf_counter() - start) / times
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(json.dumps({"ms": taken, "mb": megabytes, "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
