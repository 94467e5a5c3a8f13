#!/usr/bin/env python3
"""Does onestep refuse what PyTorch refuses, in its words? Misfits of shape, dtype and dim on the lessons' operations.

usage: pytorch_misfits.py [--count N] [--seed S] [--other COMMAND] [--show] ONESTEP

Draws calls whose operands do not fit, as this PyTorch says, and runs each in onestep: the exception must have the type, and
at least 95 % the first line of the message, of this PyTorch or another one (--other 'chroot FOLDER python3'). All of a
hundred calls stand in one program, each within a try.
"""
import argparse
import collections
import os
import random
import shlex
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
from pytorch_library import torch  # noqa: E402: the line above is for it

torch = torch()
from pytorch_drawn import ran_by, ran_by_onestep  # noqa: E402: PyTorch comes first, and starts the script anew if need be

SETUP = "import math\nimport torch\nimport torch.nn.functional as F\n"
SHAPES = [(), (1,), (2,), (3,), (5,), (2, 3), (3, 2), (3, 4), (1, 3), (4, 1), (2, 2, 3), (2, 3, 4), (3, 3), (1, 2, 3), (2, 1, 4), (5, 2, 3, 4), (0,), (0, 3)]
OF_TWO = """{a} + {b}  {a} - {b}  {a} * {b}  {a} / {b}  {a} ** {b}  {a} @ {b}  {a} > {b}  {a} <= {b}  {a} == {b}  {a} // {b}  {a} % {b}
torch.matmul({a}, {b})  torch.mm({a}, {b})  torch.bmm({a}, {b})  torch.dot({a}, {b})  {a}.matmul({b})  torch.outer({a}, {b})
F.linear({a}, {b})  F.linear({a}, {b}, {c})  torch.cat([{a}, {b}])  torch.cat([{a}, {b}], dim={d})  torch.stack([{a}, {b}])
torch.stack([{a}, {b}], dim={d})  torch.maximum({a}, {b})  {a}.masked_fill({m}, 0.0)  {a}.masked_fill({m}, -torch.inf)  {a}[{m}]
torch.where({m}, {a}, {b})  {a}.expand_as({b})  {a}.view_as({b})  {a}.copy_({b})  {a}.add_({b})  {a}.mul_({b})
F.cross_entropy({a}, {z})  F.embedding({z}, {a})  F.embedding({a}, {b})  {a}.gather({d}, {z})  {a}[{z}]  {a}[{z}, {z}]
torch.nn.Linear(3, 2)({a})  torch.nn.Embedding(3, 2)({z})  F.mse_loss({a}, {b})  {m} & {n}  {m} | {n}  {m} - {n}  {a} & {b}
{a}.index_select({d}, {z})  torch.einsum('ij,jk->ik', {a}, {b})  torch.einsum('ij,ij->i', {a}, {b})  torch.nn.LayerNorm(4)({a})
torch.allclose({a}, {b})  {z} @ {z}  {z} @ {a}  {a}.double() @ {b}  {z}.float() @ {b}"""
OF_ONE = """{a}.view({s})  {a}.reshape({s})  {a}.transpose({d}, {e})  {a}.permute({p})  {a}.T.view({s})  {a}.transpose(0, 1).view(-1)
{a}.sum({d})  {a}.sum(dim={d}, keepdim=True)  {a}.mean({d})  {a}.mean(dim=({d}, {e}))  {a}.sum(dim=({d}, {d}))  {a}.max({d})
{a}.min(dim={d})  {a}.softmax({d})  torch.softmax({a}, dim={d})  F.softmax({a}, dim={d})  torch.log_softmax({a}, {d})
{a}.argmax({d})  {a}.argmax(dim={d}, keepdim=True)  {a}.std({d})  {a}.var(dim={d})  {a}.cumsum({d})  {a}.sort({d})  {a}.topk({k})
{a}.topk({k}, dim={d})  {a}.unsqueeze({d})  {a}.squeeze({d})  {a}.expand({s})  {a}.repeat({s})  {a}[{i}]  {a}[:, {i}]
{a}[{i}, {j}]  {a}[..., {i}]  {a}[0, 0, 0, 0, 0]  {a}[:, :, :, :, 1]  {a}[None, {i}]  {a}.tril()  torch.triu({a})  torch.tril({a})
{a}.split({k}, dim={d})  {a}.chunk({k}, dim={d})  {a}.split([1, {k}], dim={d})  {a}.flatten({d}, {e})  {a}.unflatten({d}, ({k}, {j}))
{a}.size({d})  {a}.item()  bool({a})  float({a})  int({a})  len({a})  {a}.backward()  {z}.mean()  {z}.softmax(-1)
{z}.mean(dim={d})  {z}.std()  {m}.mean()  {m}.softmax(0)  -{m}  ~{a}  {a}.repeat_interleave({k}, dim={d})  {a}.flip({d})
{a}.masked_fill({z}, 0.0)  {a}[{a}]  {a}[{i}] = {b}  {a}[:, {i}] = {b}  {a}[{m}] = {b}
{z}.requires_grad_()  torch.tensor([1, 2], requires_grad=True)  torch.tensor([[1, 2], [3]])  torch.tensor(['a'])
torch.tensor({{}})  torch.zeros(-{k})  torch.ones(2.5)  torch.arange({k}, 0)  torch.eye(-{k})
torch.rand({k}, -{k})  torch.linspace(0, 1, -{k})  torch.randint({k}, {k}, (2,))  torch.randint(3, 1, (2,))  torch.stack([])  torch.cat([])
F.one_hot({z}, {k})  F.one_hot({a})  F.dropout({a}, {k})  F.dropout({a}, -0.5)  torch.multinomial({a}.abs(), {k})
torch.bincount({z})  {a}.diagonal({k}, {d}, {e})
{a}.select({d}, {i})  {a}.narrow({d}, {i}, {k})  {a}.unbind({d})  {a}.norm(dim={d})  {a}.t()  {a}.mT  {a}.logsumexp({d})
{a}.any({d})  {a}.all(dim={d})  {a}.prod({d})  {a}.amax({d})"""


def templates(text):
    return [template for line in text.split("\n") for template in line.split("  ")]


def tensor(r):
    shape = r.choice(SHAPES)
    return f"torch.ones({', '.join(map(str, shape))})" if shape else "torch.tensor(1.0)"


def whole(r):
    return r.choice(["torch.tensor([0, 1])", "torch.tensor([0, 5])", "torch.tensor([[0, 1], [1, 2]])", "torch.tensor(1)", "torch.arange(3)", "torch.tensor([-1])",
                     "torch.zeros(2, 3, dtype=torch.int64)", "torch.tensor([2, 7, 1])"])


def mask(r):
    shape = r.choice([shape for shape in SHAPES if shape])
    return f"torch.ones({', '.join(map(str, shape))}, dtype=torch.bool)"


def drawn_call(r, template):
    def small():
        return str(r.choice([0, 1, 1, 2, 2, 3, 4, 5, 7]))

    def dim():
        return str(r.choice([0, 1, 1, 2, 2, 3, -1, -2, -3, -4, 4, 5]))
    holes = {"a": tensor(r), "b": tensor(r), "c": tensor(r), "m": mask(r), "n": mask(r), "z": whole(r), "d": dim(), "e": dim(), "k": small(), "i": dim(), "j": small(),
             "s": ", ".join(str(r.choice([1, 2, 3, 4, 6, -1])) for _ in range(r.choice([1, 2, 2, 3, 4]))),
             "p": ", ".join(str(n) for n in r.choice([[0, 1], [1, 0], [0, 2, 1], [0, 0], [1, 2], [2, 0, 1, 3], [0, 1, 2, 5]]))}
    for name, text in holes.items():
        template = template.replace("{" + name + "}", text)
    return template.replace("{{", "{").replace("}}", "}")


def is_statement(call):
    return "] = " in call


def misfits(count, seed):
    """Calls that fail here, none twice."""
    r, names, calls = random.Random(seed), {}, {}
    exec(SETUP, names)
    known = templates(OF_TWO) + templates(OF_ONE)
    while len(calls) < count:
        call = drawn_call(r, r.choice(known))
        if call in calls:
            continue
        try:
            exec(call if is_statement(call) else f"_ = {call}", names)
        except Exception:
            calls[call] = True
    return list(calls)


def program_of(calls):
    lines = [SETUP]
    for call in calls:
        if is_statement(call):  # of a tensor of its own
            call = "x = " + call.replace(")[", ")\n    x[", 1)
        lines.append(f"try:\n    {call}\n    print('fine')\nexcept Exception as error:\n    print(type(error).__name__ + ': ' + str(error).split('\\n')[0])")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--other", default="", help="the command of another Python with PyTorch")
    parser.add_argument("--show", action="store_true", help="those whose words differ")
    parser.add_argument("onestep", type=os.path.abspath)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = misfits(options.count, options.seed)
    parts = [calls[i:i + 100] for i in range(0, len(calls), 100)]
    programs = [program_of(part) for part in parts]
    pythons = [[sys.executable]] + ([shlex.split(options.other)] if options.other else [])
    known = [ran_by(python, programs) for python in pythons]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for i, part in enumerate(parts):
            mine = ran_by_onestep(options.onestep, programs[i], os.path.join(folder, "program.py"))
            said = mine[0].split("\n")
            theirs = [run[i][0].split("\n") for run in known]
            for n, call in enumerate(part):
                own = said[n] if n < len(said) - 1 else f"ended: {mine[1]}"
                wanted = list(dict.fromkeys(text[n] for text in theirs))
                has_type = own.split(": ")[0] in [text.split(": ")[0] for text in wanted]
                counts["type"] += has_type
                counts["text"] += own in wanted
                if not has_type or options.show and own not in wanted:
                    print(f"{'--- ' if has_type else '!!! '}{call}\n    onestep: {own}\n    PyTorch: {' or '.join(wanted)}", flush=True)
    print(f"{counts['type']} of {len(calls)} misfits have PyTorch's type, {counts['text']} its words")
    return 0 if counts["type"] == len(calls) and counts["text"] >= 0.95 * len(calls) else 1


if __name__ == "__main__":
    sys.exit(main())
