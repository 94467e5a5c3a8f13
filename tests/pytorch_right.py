#!/usr/bin/env python3
"""Does `onestep check` accept right programs? Runs them with PyTorch and hands in what they print.

usage: pytorch_right.py [--runs N] [--seed N] [--lesson NAME] [--as-it-is] [--record FOLDER] ONESTEP

The programs are the PyTorch of each step (`print --format json`), and others below that compute the same in other ways: modules,
einsum, masks that are added, scaled_dot_product_attention where there is one, CrossEntropyLoss, optimizers with their options.
Parameters are chosen at random; the first run of each lesson has the course's. Each number of a step is handed in in a form
chosen at random: as PyTorch prints it, with two, four or eight decimals, as .npy, as a list in JSON, as a table.

PyTorch runs on AVX2 with one thread, or, with --as-it-is, as it does on this machine. Prints a line a lesson: how many prints were
called equal, how many could not be judged, how many were called different, and of those for how many a mistake was named. Exit
status 1 if any was called different. The verdict is that of the exit status and of "verdict" in JSON, which must agree.

--record writes numbers that two versions of PyTorch do not agree on, for tests/app/check/test_check.c, into FOLDER (tests/data/check).
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile

from pytorch_parameters import Parameters

if "--as-it-is" in sys.argv:
    import torch
else:
    from pytorch_library import torch

    torch = torch()
import numpy  # noqa: E402: PyTorch comes first, and starts the script anew if need be
F = torch.nn.functional


# --- Other right programs: each takes the lesson's setup and yields names of steps with their tensors ----------------


def attend(queries, keys, values, hidden):
    """Of the last two dimensions; in one call where PyTorch has one."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~hidden)
    scores = torch.einsum("...qd,...kd->...qk", queries, keys) * queries.shape[-1] ** -0.5
    return torch.einsum("...qk,...kd->...qd", torch.softmax(scores + zeros_or_inf(hidden), -1), values)


def zeros_or_inf(hidden):
    return torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)


def later(tokens):
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)


class Projections(torch.nn.Module):
    def __init__(self, d_in, d_out, bias):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(d_in, d_out, bias=bias) for _ in range(3))

    def forward(self, x):
        return self.query(x), self.key(x), self.value(x)


def simplified(names, parameters):
    x = names["inputs"]
    scores = torch.einsum("id,jd->ij", x, x)
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    yield "scores", scores
    yield "weights", weights
    yield "context", torch.einsum("ij,jd->id", weights, x)


def causal(names, parameters):
    x = names["inputs"]
    torch.manual_seed(parameters["seed"])
    queries, keys, values = Projections(names["d_in"], names["d_out"], names["qkv_bias"])(x)
    scores = torch.einsum("qd,kd->qk", queries, keys)
    hidden = later(len(x))
    yield "queries", queries
    yield "scores", scores
    yield "causal_weights", torch.exp(torch.log_softmax(scores * names["d_out"] ** -0.5 + zeros_or_inf(hidden), dim=1))
    weights = torch.softmax(scores / names["d_out"] ** 0.5, dim=1).tril()
    yield "renormalized", weights / weights.sum(1, keepdim=True)
    yield "context", attend(queries[None], keys[None], values[None], hidden)[0]


def batch_of(names):
    sentences = names.get("sentences")
    return torch.stack(sentences) if sentences is not None else names["inputs"].expand(names["batch_size"], -1, -1)


def wrapper(names, parameters):
    if parameters["dropout"] > 0 and names["training"] or "batch_size" not in names:
        return
    torch.manual_seed(parameters["seed"])
    layers = [Projections(names["d_in"], names["d_out"], names["qkv_bias"]) for _ in range(names["num_heads"])]
    parts = [layer(batch_of(names)) for layer in layers]
    yield "context", torch.cat([attend(*part, later(names["num_tokens"])) for part in parts], dim=-1)


def split_head(names, parameters):
    if parameters["dropout"] > 0 and names["training"] or "batch_size" not in names:
        return
    torch.manual_seed(parameters["seed"])
    layer, heads = Projections(names["d_in"], names["d_out"], names["qkv_bias"]), names["num_heads"]
    out = torch.nn.Linear(names["d_out"], names["d_out"])
    queries, keys, values = (x.unflatten(-1, (heads, -1)).transpose(-3, -2) for x in layer(batch_of(names)))
    context = attend(queries, keys, values, later(names["num_tokens"])).transpose(1, 2).flatten(2)
    yield "context", context
    yield "output", torch.einsum("...i,oi->...o", context, out.weight) + out.bias


class Model(torch.nn.Module):
    def __init__(self, names):
        super().__init__()
        width, hidden, self.heads = names["d_model"], names["d_hidden"], names["num_heads"]
        self.embedding = torch.nn.Embedding(names["vocabulary"], width)
        self.projections = Projections(width, width, True)
        self.out = torch.nn.Linear(width, width) if self.heads > 1 else torch.nn.Identity()
        self.feed_forward = torch.nn.Sequential(torch.nn.Linear(width, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, width))
        self.logits = torch.nn.Linear(width, names["vocabulary"])

    def forward(self, ids, hidden):
        queries, keys, values = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in self.projections(self.embedding(ids)))
        context = attend(queries, keys, values, hidden).transpose(1, 2).flatten(2)
        return self.logits(self.feed_forward(self.out(context)))

    def loss(self, ids, hidden):
        return torch.nn.CrossEntropyLoss()(self(ids[:, :-1], hidden).transpose(1, 2), ids[:, 1:])

    def named(self):
        layers = {"W_query": self.projections.query, "W_key": self.projections.key, "W_value": self.projections.value,
                  "W_ffn1": self.feed_forward[0], "W_ffn2": self.feed_forward[2], "W_logits": self.logits}
        if self.heads > 1:
            layers["W_out"] = self.out
        yield "embedding", self.embedding.weight
        for name, layer in layers.items():
            yield name, layer.weight
            yield name + "_bias", layer.bias


def model_of(names, parameters):
    words = names["text"].split()
    vocabulary = list(dict.fromkeys(words))
    torch.manual_seed(parameters["seed"])
    return Model(names), torch.tensor([[vocabulary.index(word) for word in words]])


def model(names, parameters):
    if parameters["dropout"] > 0 and names["training"]:
        return
    net, ids = model_of(names, parameters)
    hidden = later(ids.shape[1] - 1)
    yield "logits", net(ids[:, :-1], hidden)
    yield "loss", net.loss(ids, hidden)


def gradients(names, parameters):
    net, ids = model_of(names, parameters)
    loss = net.loss(ids, later(ids.shape[1] - 1))
    loss.backward()
    yield "loss", loss
    for name, parameter in net.named():
        yield name + "_grad", parameter.grad


def trained(names, parameters, hidden, updates):
    net, ids = model_of(names, parameters)
    how = {"lr": names["lr"], "weight_decay": names["weight_decay"]}
    kinds = {"adamw": lambda all: torch.optim.AdamW(all, foreach=True, **how),
             "adam": lambda all: torch.optim.Adam(all, foreach=True, **how),
             "sgd": lambda all: torch.optim.SGD(all, **how),
             "momentum": lambda all: torch.optim.SGD(all, momentum=0.9, **how)}
    optimizer = kinds[names["optimizer"]](net.parameters())
    losses = []
    for _ in range(updates):
        loss = net.loss(ids, hidden)
        losses.append(loss.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net, torch.stack(losses + [net.loss(ids, hidden).detach()])


def training(names, parameters):
    tokens = len(names["text"].split()) - 1
    for group, updates in ("after 1", 1), ("trained", names["updates"]):
        if names["updates"] == 0:
            continue
        net, losses = trained(names, parameters, later(tokens), updates)
        for name, parameter in net.named():
            yield f"{group}: {name}", parameter
    yield "losses", trained(names, parameters, later(tokens), names["updates"])[1]
    yield "losses_without_mask", trained(names, parameters, torch.zeros(tokens, tokens, dtype=torch.bool), names["updates"])[1]
    itself = ~torch.eye(tokens, dtype=torch.bool)
    yield "losses_without_attention", trained(names, parameters, itself, names["updates"])[1]


ACCEPTED = "equal", "coarse", "unjudged"
OTHERS = {program.__name__: program for program in (simplified, causal, wrapper, split_head, model, gradients, training)}


# --- The lesson's own ----------------------------------------------------------------------------------------------


def draws_mcg31m1(lesson, step):
    """No PyTorch without MKL draws this stream."""
    return step["group"] == "mcg31m1" or lesson["parameters"].get("bernoulli") == "mcg31m1" and lesson["lesson"] != "dropout"


def label(step):
    return f"{step['group']}: {step['name']}" if step["group"] else step["name"]


def statements(lesson):
    names = {}
    with contextlib.redirect_stdout(None):
        exec(lesson["setup"], names)
        for step in lesson["steps"]:
            exec(step["statement"], names)
            value = eval(step["expression"], names).detach().clone()
            if not draws_mcg31m1(lesson, step):
                yield label(step), value


def programs(lesson):
    """Steps of the lesson with tensors that right programs have for them."""
    yield from statements(lesson)
    names, known = {}, {label(step) for step in lesson["steps"]}
    if lesson["lesson"] in OTHERS:
        exec(lesson["setup"], names)
        yield from (pair for pair in OTHERS[lesson["lesson"]](names, lesson["parameters"]) if pair[0] in known)


# --- Forms ---------------------------------------------------------------------------------------------------------


def printed(tensor, **options):
    torch.set_printoptions(threshold=1 << 20, **options)
    text = str(tensor)
    torch.set_printoptions(profile="default")
    return text.encode()


def table(tensor):
    rows = tensor.reshape(-1, tensor.shape[-1] if tensor.dim() else 1)
    return "\n".join(",".join(f"{x:.6f}" for x in row) for row in rows.tolist()).encode()


def npy(tensor):
    with tempfile.TemporaryFile() as file:
        numpy.save(file, tensor.numpy())
        file.seek(0)
        return file.read()


FORMS = {
    "print": printed,
    "no decimals": lambda tensor: printed(tensor, precision=0),
    "2 decimals": lambda tensor: printed(tensor, precision=2),
    "8 decimals": lambda tensor: printed(tensor, precision=8),
    "npy": npy,
    "json": lambda tensor: json.dumps(tensor.tolist()).replace("NaN", "nan").replace("Infinity", "inf").encode(),
    "table": table,
}


# --- Checking ------------------------------------------------------------------------------------------------------


def run(options, *arguments, given=None):
    return subprocess.run([options.onestep, *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check(options, arguments, step, form, given):
    """What becomes of a print: the verdict, and what is wrong with it if anything is."""
    name, *parameters = arguments
    end = run(options, "check", name, f"--step={step}", "-", *parameters, "--format=json", given=given)
    where = f"check {name} --step='{step}' {' '.join(parameters)} ({form})"
    if end.returncode == 2:
        return "refused", f"{where}: {end.stderr.decode()}"
    answer = json.loads(end.stdout)
    verdict = answer["verdict"] if (end.returncode == 0) == (answer["verdict"] in ACCEPTED) else "status"
    if verdict in ACCEPTED:
        return verdict, f"{where}: {answer['unjudged']} of {answer['elements']}"
    return ("different" if answer["code"] in ("none", "nan") else "named"), (
        f"{where}: {answer['code']}, {answer['different']} of {answer['elements']}; {answer['first_difference']}")


def share(lesson, r):
    """Of a lesson with many steps some, each in a form of its own."""
    for step, tensor in programs(lesson):
        if r.random() < min(1, 30 / len(lesson["steps"])):
            form = r.choice(list(FORMS))
            yield step, form, FORMS[form](tensor.detach())


def check_lesson(options, name, uses, folder, pool):
    r = random.Random(f"{options.seed} {name}")
    found, prints = collections.Counter(), []
    for i in range(options.runs):
        own = os.path.join(folder, f"{name}{i}")
        os.mkdir(own)
        arguments = [name] if i == 0 else list(Parameters(r, name, uses, own, r.random() < 0.3))
        lesson = json.loads(run(options, "print", *arguments, "--format=json").stdout)["lessons"][0]
        prints += [pool.submit(check, options, arguments, *handed_in) for handed_in in share(lesson, r)]
    for future in prints:
        verdict, what = future.result()
        found[verdict] += 1
        if verdict not in ACCEPTED or verdict == "unjudged" and options.verbose:
            print(f"{verdict}: {what}", flush=True)
    return found


# Lessons, with steps that two versions of PyTorch do not agree on.
RECORDED = {
    "training": ["losses_without_mask", "trained: W_key_bias"],
    "training --seed=5": ["losses_without_mask"],
    "training --lr=1 --updates=40": ["losses", "trained: W_query"],
    "training --seed=57606 --d-model=8": ["after 1: W_key_bias"],
}


def dropped_values(names):
    """A wrong one, whose masks two versions draw in another order: split_head --d-out=4 --dropout=0.5, the output."""
    torch.manual_seed(123)
    layer, out = Projections(3, 4, False), torch.nn.Linear(4, 4)
    queries, keys, values = (x.view(2, 6, 2, 2).transpose(1, 2) for x in layer(batch_of(names)))
    scores = (queries @ keys.transpose(2, 3)).masked_fill(later(6), -torch.inf)
    context = torch.softmax(scores / 2**0.5, dim=-1) @ F.dropout(values, 0.5)
    return out(context.transpose(1, 2).contiguous().view(2, 6, 4)).detach()


def record(options):
    version = ".".join(torch.__version__.split(".")[:2])
    names = {}
    exec(json.loads(run(options, "print", "split_head", "--format=json").stdout)["lessons"][0]["setup"], names)
    with open(os.path.join(options.record, f"dropout-on-values-{version}.txt"), "wb") as file:
        file.write(printed(dropped_values(names), precision=8) + b"\n")
    for arguments, steps in RECORDED.items():
        lesson = json.loads(run(options, "print", *arguments.split(), "--format=json").stdout)["lessons"][0]
        for step, tensor in statements(lesson):
            if step in steps:
                name = f"rounding {version} {arguments} {step}.txt".replace("--", "").replace(": ", ".").replace(" ", "-")
                with open(os.path.join(options.record, name), "wb") as file:
                    file.write(printed(tensor, precision=4 if tensor.dim() == 1 else 8) + b"\n")


def show(name, found):
    wrong = found["different"] + found["named"]
    print(f"| {name} | {sum(found.values()):,} | {found['equal'] + found['coarse']:,} | {found['unjudged']:,} | {wrong:,} | {found['named']:,} |"
          + (f" {found['refused'] + found['status']} refused" if found["refused"] + found["status"] else ""), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=4, help="of each lesson, its own parameters first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lesson", action="append")
    parser.add_argument("--as-it-is", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="say what could not be judged")
    parser.add_argument("--record", metavar="FOLDER")
    parser.add_argument("onestep", type=os.path.abspath)
    options = parser.parse_args()
    if options.record:
        return record(options)
    uses = {lesson["lesson"]: set(lesson["parameters"]) for lesson in json.loads(run(options, "list", "--format=json").stdout)["lessons"]}
    total = collections.Counter()
    threads = f"{torch.get_num_threads()} thread{'s' * (torch.get_num_threads() > 1)}"
    print(f"PyTorch {torch.__version__}, {'as it is here' if options.as_it_is else 'AVX2'}, {threads}")
    print("| lesson | prints | equal | unjudged | different | named |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in options.lesson or uses:
            found = check_lesson(options, name, uses[name], folder, pool)
            show(name, found)
            total += found
    show("all", total)
    return 0 if set(+total) <= set(ACCEPTED) else 1


if __name__ == "__main__":
    sys.exit(main())
