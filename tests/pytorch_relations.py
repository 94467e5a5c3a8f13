#!/usr/bin/env python3
"""Slips that have no rule of their own, made in PyTorch: pytorch_relations.py ONESTEP > data/relations.txt

Offline: needs torch, the test does not. tests/app/check/test_relation.c asks what `check` says of these numbers. Made with
PyTorch 2.6, one thread.

Each slip is a lesson's own PyTorch (`print --format json`) with a text in it replaced, or a tensor of it changed before it is
handed in. A line each:

    OPTIONS | STEP | CODE | SHAPE | VALUE VALUE ...
"""
import json
import subprocess
import sys

import torch

torch.set_num_threads(1)

# Code, the lesson and its options, the step, what is handed in for it (x is the step's tensor, the others have their names),
# and what is typed in place of what.
SLIPS = [
    # ---- a constant
    ("backward-twice", "gradients", "W_query_grad", "2 * x"),
    ("edit", "simplified", "scores", "-x"),
    ("edit", "trainable", "rand: scores", "x * 6"),
    ("edit", "split_head", "scores", "x * 0.731"),
    ("edit", "model", "logits", "x / 6"),
    ("edit", "simplified", "context", "x + 0.25"),
    ("edit", "trainable", "rand: scores", "x - 1"),
    ("edit", "causal", "scores", "x + 1e-2"),
    ("edit", "model", "logits", "x - 0.5"),
    ("edit", "training --updates=20", "losses", "x + 0.1"),
    # ---- places
    ("edit", "simplified", "context", "x.flip(0)"),
    ("edit", "trainable", "rand: context", "torch.stack([x[i] for i in range(5, -1, -1)])"),
    ("edit", "causal", "values", "x.flip(0)"),
    ("edit", "model", "logits", "x.flip(-1)"),
    ("edit", "training --updates=20", "losses", "x.flip(0)"),
    ("edit", "simplified", "context", "x.roll(1, 0)"),
    ("edit", "trainable", "rand: weights", "x.roll(-1, 1)"),
    ("edit", "causal", "queries", "torch.cat([x[1:], x[:1]])"),
    ("edit", "wrapper", "context", "x.roll(1, 2)"),
    ("edit", "model", "logits", "x.roll(2, 1)"),
    ("edit", "split_head", "keys_by_head", "x.flip(1)"),
    ("edit", "model", "weights", "x[:, [1, 0]]"),
    ("edit", "trainable", "rand: W_query", "x[:, [1, 0]]"),
    ("edit", "simplified", "inputs", "x[[3, 1, 2, 0, 4, 5]]"),
    ("edit", "gradients", "logits_grad", "x.transpose(0, 1)[[0, 3, 2, 1, 4]].transpose(0, 1)"),
    ("edit", "simplified", "context", "x[[2, 0, 1, 5, 3, 4]]"),
    ("edit", "trainable", "rand: queries", "x[[0, 2, 3, 1, 4, 5]]"),
    ("edit", "split_head --heads=4 --d-out=8", "scores", "x[:, [1, 2, 0, 3]]"),
    ("edit", "wrapper", "context", "x[..., [0, 2, 3, 1]]"),
    ("edit", "model", "embedding", "x[[1, 2, 0, 4, 5, 3]]"),
    ("edit", "simplified", "context", "x[:1].expand(6, 3)"),
    ("edit", "causal", "values", "torch.stack([x[5] for i in range(6)])"),
    ("edit", "split_head --heads=4 --d-out=8", "weights", "torch.stack([x[:, 0] for h in range(4)], dim=1)"),
    ("edit", "model", "logits", "x[:, -1:].expand(1, 5, 6)"),
    ("edit", "training --updates=20", "weights", "x[:, :1].expand(1, 2, 10, 10)"),
    ("edit", "simplified", "weights", "x[[0, 1, 2, 2, 4, 5]]"),
    ("edit", "trainable", "rand: keys", "x[[0, 0, 2, 3, 4, 5]]"),
    ("edit", "causal", "context", "x[[0, 1, 2, 3, 4, 3]]"),
    ("edit", "model", "logits", "x[:, [0, 1, 1, 3, 4]]"),
    ("edit", "split_head --heads=4 --d-out=8", "queries_by_head", "x[:, [0, 1, 1, 3]]"),
    ("losses-late", "training --updates=20", "losses", "x", "losses = [loss_of(mask).item()]", "losses = []",
     "range(updates)", "range(updates + 1)"),
    ("edit", "training --updates=20 --lr=0.001", "losses", "x", "    losses = [loss_of(mask).item()]", "    losses = [0.0, loss_of(mask).item()]",
     "range(updates)", "range(updates - 1)"),
    ("edit", "simplified", "context", "torch.cat([x[1:], torch.zeros(1, 3)])"),
    ("edit", "trainable", "rand: scores", "torch.cat([torch.zeros(6, 1), x[:, :-1]], dim=1)"),
    ("edit", "model", "logits", "torch.nn.functional.pad(x[:, 1:], (0, 0, 0, 1))"),
    ("edit", "simplified", "context", "x.T.reshape(6, 3)"),
    ("edit", "causal", "values", "x.T.reshape(6, 2)"),
    ("edit", "model", "logits", "x.transpose(1, 2).reshape(x.shape)"),
    ("edit", "gradients", "logits_grad", "x.transpose(1, 2).reshape(x.shape)"),
    ("edit", "trainable", "rand: keys", "x.T.reshape(6, 2)"),
    ("edit", "split_head", "output", "x.transpose(1, 2).reshape(x.shape)"),
    ("transposed", "window", "masked_scores", "x.T"),
    ("transposed", "grouped_query", "weights", "x.transpose(2, 3)"),
    ("transposed", "gradients", "W_out_grad", "x.T"),
    ("transposed", "causal", "masked_scores", "x.T"),
    ("transposed", "split_head", "weights", "x.transpose(2, 3)"),
    # ---- other tensors of the run
    ("edit", "simplified", "weights", "torch.exp(scores)"),
    ("edit", "trainable", "rand: weights", "torch.exp(scaled - scaled.max(dim=-1, keepdim=True).values)"),
    ("edit", "causal", "causal_weights", "scaled.exp()"),
    ("edit", "split_head", "weights", "torch.exp(masked_scores / head_dim**0.5)"),
    ("edit", "model", "weights", "torch.exp(scores.masked_fill(mask, -torch.inf))"),
    ("part", "simplified", "query_scores", "inputs @ inputs[0]"),
    ("part", "trainable", "rand: query_scores", "keys @ queries[4]"),
    ("part", "trainable", "rand: query_context", "torch.softmax(queries[3] @ keys.T / 2**0.5, dim=-1) @ values"),
    ("part", "simplified", "query_context", "torch.softmax(inputs @ inputs.T, dim=-1)[5] @ inputs"),
    ("part", "simplified", "query", "inputs[4]"),
    ("part", "split_head --d-out=4", "scores[0, 0]", "x[0, 1]"),
    ("part", "split_head --d-out=4", "values_by_head[0, 0]", "x[0, 1]"),
    ("part", "model", "weights[0, 1]", "x[0, 0]"),
    ("part", "gradients", "scores_grad[0, 1]", "x[0, 0]"),
    ("part", "grouped_query", "weights[0, 2]", "x[0, 1]"),
    ("edit", "simplified", "context", "x + inputs"),
    ("edit", "trainable", "rand: context", "x + queries"),
    ("edit", "causal", "context", "x + values"),
    ("edit", "split_head", "output", "context + x"),
    ("edit", "model", "attention", "x + embedded"),
    ("edit", "model", "feed_forward", "x - attention"),
    ("edit", "simplified", "scores", "torch.sigmoid(x)"),
    ("edit", "trainable", "rand: scores", "x**2"),
    ("edit", "causal", "values", "x.relu()"),
    ("edit", "split_head", "output", "x.tanh()"),
    ("edit", "model", "logits", "x.abs()"),
    # ---- one line written otherwise
    ("scale-twice", "block", "block 1: norm1_normalized", "(embedded - norm1_mean) / (norm1_variance + 1e-5)"),
    ("edit", "gradients", "masked_scores_grad", "weights_grad * weights"),
    ("edit", "gradients", "W_ffn1_grad", "hidden_grad.flatten(0, 1).T @ attention.flatten(0, 1)"),
    ("scale-by-tokens", "causal", "context", "x", "keys.shape[-1]**0.5", "keys.shape[0]**0.5"),
    ("precedence", "trainable", "rand: scaled", "scores / keys.shape[-1]**1/2"),
    ("edit", "simplified", "weights", "torch.softmax(scores / 3**0.5, dim=-1)"),
    ("mask-zero", "sampling", "kept_probabilities", "torch.softmax(logits.masked_fill(is_below, 0), dim=-1)"),
    ("edit", "model", "hidden", "torch.nn.functional.gelu(ffn1(attention))"),
    ("edit", "model", "loss", "torch.nn.functional.cross_entropy(logits[0], ids[0, 1:], reduction='sum')"),
    ("edit", "trainable", "rand: scaled", "scores * keys.shape[-1]**0.5"),
    ("edit", "causal", "masked_weights", "weights + mask_tril"),
    ("edit", "simplified", "weights", "scores.exp() / scores.exp().sum()"),
    ("edit", "causal", "renormalized", "masked_weights / masked_weights.sum(0)"),
    ("edit", "simplified", "query_context", "query_weights_by_sum @ inputs"),
    ("edit", "block", "logits", "head(after_feed_forward)"),
    ("edit", "split_head", "context_by_head", "dropped @ queries_by_head"),
    ("edit", "embeddings", "token_embeddings", "token_table(input_ids - 1)"),
    ("edit", "embeddings", "position_embeddings", "token_table(torch.arange(4))"),
    ("edit", "window", "masked_scores", "scores.masked_fill(mask.T, -torch.inf)"),
    ("edit", "gradients", "values_by_head_grad", "weights @ context_by_head_grad"),
    ("edit", "simplified", "query_context", "query_weights[5] * inputs[5]"),
    ("edit", "trainable", "rand: context", "weights[:, 5:] @ values[5:]"),
    ("edit", "cross", "scores", "queries[:, 1:] @ keys[:, 1:].T"),
    ("edit", "model", "hidden", "torch.relu(ffn1(attention + embedded))"),
    ("edit", "model", "logits", "to_logits(torch.relu(feed_forward))"),
    ("edit", "trainable", "rand: context", "weights @ (values + keys)"),
    ("edit", "split_head", "output", "out_proj(context + queries)"),
    ("edit", "dropout", "mt19937: weights_dropped", "x", "torch.manual_seed(123)\nweights_dropped", "weights_dropped"),
    ("edit", "trainable", "rand: W_query", "x", "torch.rand(", "torch.randn("),
    ("edit", "embeddings", "token_table", "(torch.manual_seed(123), torch.rand(vocabulary, d_model))[1]"),
    # ---- digits, and the place of wrong numbers
    ("constant", "causal", "masked_scores", "x.masked_fill(mask_bool, torch.inf)"),
    ("constant", "simplified", "query_scores", "torch.cat([x[:5], torch.zeros(1)])"),
    ("constant", "window", "masked_scores", "x.masked_fill(mask, 1.0)"),
    ("rounded", "simplified", "scores", "(x * 100).round() / 100"),
    ("rounded", "trainable", "rand: context", "torch.tensor([[round(n, 2) for n in row] for row in x.tolist()])"),
    ("rounded", "causal", "scores", "torch.round(x, decimals=3)"),
    ("rounded", "model", "logits", "torch.round(x, decimals=1)"),
    ("rounded", "split_head", "output", "torch.from_numpy(x.numpy().round(3))"),
    ("cast", "simplified", "context", "x.long()"),
    ("cast", "trainable", "rand: scores", "x.int()"),
    ("cast", "causal", "causal_weights", "x.long()"),
    ("cast", "model", "logits", "x.to(torch.int64)"),
    ("cast", "gradients", "logits_grad", "torch.from_numpy(x.numpy().astype(int))"),
    ("place", "simplified", "context", "torch.cat([x[:5], torch.zeros(1, 3)])"),
    ("place", "trainable", "rand: scores", "torch.cat([x[:2], x[2:3] * torch.arange(2.0, 8), x[3:]])"),
    ("place", "causal", "values", "torch.cat([torch.ones(1, 2) / 3, x[1:]])"),
    ("place", "model", "logits", "torch.cat([x[..., :5], torch.zeros(1, 5, 1)], dim=-1)"),
    ("place", "split_head --heads=4 --d-out=8", "scores", "torch.cat([x[:, :3], x[:, 3:] * x[:, 3:]], dim=1)"),
]


def lesson_of(options):
    done = subprocess.run([ONESTEP, "print", *options.split(), "--format=json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["lessons"][0]


def label_of(step):
    return f"{step['group']}: {step['name']}" if step.get("group") else step["name"]


def program_of(lesson, step):
    """The lesson's PyTorch up to a step, or a part of one, and its name there."""
    step = step.split("[")[0]
    lines = [lesson["setup"]]
    for each in lesson["steps"]:
        lines.append(each["statement"])
        if label_of(each) == step:
            return "\n".join(lines), each["expression"]
    sys.exit(f"{lesson['lesson']} has no step {step}")


def handed_in(options, step, expression, typed):
    text, shown = program_of(lesson_of(options), step)
    for old, new in zip(typed[::2], typed[1::2]):
        assert old in text, f"{old!r} does not stand before {step}"
        text = text.replace(old, new)
    names = {}
    exec(compile(text, options, "exec"), names)
    names["x"] = eval(shown, names).detach()
    return eval(expression, names).detach()


def record(code, options, step, expression, *typed):
    result = handed_in(options, step, expression, typed)
    numbers = " ".join(f"{number:.9g}" for number in result.flatten().tolist())
    print(f"{options} | {step} | {code} | {'x'.join(map(str, result.shape)) or '-'} | {numbers}")


if __name__ == "__main__":
    ONESTEP = sys.argv[1]
    for slip in SLIPS:
        record(*slip)
