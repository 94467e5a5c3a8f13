"""Are right answers accepted in whatever form a student has them, or refused with the way out?

Right numbers in every form that PyTorch and NumPy write, and then what students copy out of notebooks, print in pieces, or save by
pandas. Each is accepted, or refused in one line that says what to do.

--record writes the forms of PyTorch and NumPy, and files that must be refused, into tests/data/check, for tests/app/check/test_check.c.
Made with PyTorch 1.13 and NumPy 1.24; the files are part of the project, neither of the two is.
"""
import io
import json

import numpy as np
import torch

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
INPUTS = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33],
                       [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])


# --- The lessons, as a student would write them ------------------------------------------------------------------


def causal():
    torch.manual_seed(789)
    query, key, value = (torch.nn.Linear(3, 2, bias=False) for _ in range(3))
    queries, keys, values = query(INPUTS), key(INPUTS), value(INPUTS)
    scores = queries @ keys.T
    mask = torch.triu(torch.ones(6, 6), diagonal=1)
    masked = scores.masked_fill(mask.bool(), -torch.inf)
    weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)
    return {"mask_triu": mask, "mask_bool": mask.bool(), "masked_scores": masked, "causal_weights": weights,
            "context": weights @ values}


def split_head():
    torch.manual_seed(123)
    batch = torch.stack((INPUTS, INPUTS))
    query, key, value = (torch.nn.Linear(3, 2, bias=False) for _ in range(3))
    out = torch.nn.Linear(2, 2)
    queries, keys, values = (layer(batch).view(2, 6, 2, 1).transpose(1, 2) for layer in (query, key, value))
    scores = queries @ keys.transpose(2, 3)
    mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(mask, -torch.inf) / keys.shape[-1] ** 0.5, dim=-1)
    context = (weights @ values).transpose(1, 2).contiguous().view(2, 6, 2)
    return {"scores": scores, "weights": weights, "output": out(context)}


def simplified():
    scores = INPUTS @ INPUTS.T
    return {"query_scores": INPUTS @ INPUTS[1], "context": torch.softmax(scores, -1) @ INPUTS}


# --- Forms -------------------------------------------------------------------------------------------------------


def npy(array, version=None):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version)
    return buffer.getvalue()


def savetxt(array, **options):
    buffer = io.StringIO()
    np.savetxt(buffer, array, **options)
    return buffer.getvalue()


def printed(tensor, **options):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    text = str(tensor)
    torch.set_printoptions(profile="default", sci_mode=None)
    return text + "\n"


def array_printed(array, show=str, **options):
    with np.printoptions(**options):
        return show(array) + "\n"


def of_torch(x):
    plain = x.detach()
    return {".torch.txt": printed(plain),
            ".torch-grad.txt": printed(x),
            ".torch-double.txt": "Result: " + printed(plain.double()),
            ".torch-2.txt": printed(plain, precision=2),
            ".torch-8.txt": printed(plain, precision=8),
            ".torch-scientific.txt": printed(plain, sci_mode=True),
            ".torch-parameter.txt": str(torch.nn.Parameter(plain)) + "\n",
            ".torch-windows.txt": printed(plain).replace("\n", "\r\n"),
            ".torch-bare.txt": printed(plain)[len("tensor("):].rstrip("\n)").replace("\n       ", "\n")}


def of_numpy(x):
    array = x.detach().numpy()
    return {".numpy.txt": array_printed(array),
            ".numpy-repr.txt": array_printed(array, repr),
            ".numpy-double.txt": array_printed(array.astype(np.float64), repr),
            ".numpy-4.txt": array_printed(array, precision=4, suppress=True),
            ".numpy-narrow.txt": "weights = " + array_printed(array, linewidth=40),
            ".numpy-scientific.txt": array_printed(array, formatter={"float_kind": lambda value: f"{value:.3e}"})}


def lists(x, step):
    values, rounded = x.detach().tolist(), np.round(x.detach().double().numpy(), 4).tolist()
    return {".json": json.dumps(values), "-indented.json": json.dumps(rounded, indent=1),
            "-object.json": json.dumps({"step": step, "values": values}), ".list.txt": str(rounded) + "\n"}


def files(x):
    array = x.detach().numpy()
    types = {"-double": "<f8", "-big": ">f4", "-big-double": ">f8"} if array.dtype == np.float32 else {}
    return {".npy": npy(array), **{f"{name}.npy": npy(array.astype(kind)) for name, kind in types.items()},
            "-fortran.npy": npy(np.asfortranarray(array)), "-version-2.npy": npy(array, (2, 0)), "-version-3.npy": npy(array, (3, 0))}


def tables(x):
    array = x.detach().numpy()
    rows = array.reshape(-1, array.shape[-1])
    names = [f"d{i}" for i in range(rows.shape[1])] if rows.shape[1] != 6 else TOKENS
    lines = (f'"{TOKENS[i % 6]}",' + ",".join(f"{value:.6f}" for value in row) + "\r\n" for i, row in enumerate(rows))
    return {".csv": savetxt(rows, delimiter=",", fmt="%.9g"),
            "-blanks.txt": savetxt(rows),
            "-semicolons.csv": savetxt(rows, delimiter=";", fmt="%.4f", header="rounded"),
            "-tabs.tsv": savetxt(rows, delimiter="\t", fmt="%.4g"),
            "-labelled.csv": "," + ",".join(names) + "\r\n" + "".join(lines)}


def right_files():
    """Names, with their lesson, step and content."""
    own, heads, vector = causal(), split_head(), simplified()["query_scores"]
    for prefix, lesson, step, x in (
            ("weights", "causal", "causal_weights", own["causal_weights"]), ("masked", "causal", "masked_scores", own["masked_scores"]),
            ("heads", "split_head", "scores", heads["scores"]), ("output", "split_head", "output", heads["output"]),
            ("vector", "simplified", "query_scores", vector)):
        rows = tables(x) if prefix not in ("heads", "vector") else {}
        for suffix, content in {**of_torch(x), **of_numpy(x), **lists(x, step), **files(x), **rows}.items():
            yield prefix + suffix, lesson, step, content
    yield "vector.csv", "simplified", "query_scores", savetxt(vector.numpy(), fmt="%.9g")
    yield "vector-row.csv", "simplified", "query_scores", savetxt(vector.numpy()[None], fmt="%.9g", delimiter=",")
    for name, step, x in (("bool", "mask_bool", own["mask_bool"]), ("int", "mask_bool", own["mask_bool"].int()),
                          ("mask", "mask_triu", own["mask_triu"])):
        for suffix, content in {".torch.txt": printed(x), ".numpy.txt": array_printed(x.numpy()), ".json": json.dumps(x.tolist()),
                                **files(x)}.items():
            yield name + suffix, "causal", step, content
    for kind in ("<i8", ">i2", "|u1", ">u4"):
        yield f"int-{kind[1:]}.npy", "causal", "mask_bool", npy(own["mask_bool"].numpy().astype(kind))


def wrong_files():
    """To be refused."""
    array = causal()["causal_weights"].detach().numpy()
    good = npy(array)
    yield "bad-cut-header.npy", good[:40]
    yield "bad-cut-numbers.npy", good[:-5]
    yield "bad-longer.npy", good + b"\0"
    yield "bad-magic.npy", b"\x93NUMPI" + good[6:]
    yield "bad-version.npy", good[:6] + b"\x09" + good[7:]
    yield "bad-huge-header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + good[10:]
    yield "bad-overflow.npy", good.replace(b"(6, 6)", b"(99999999999, 99999999999, 99999999999)"[:39])
    yield "bad-complex.npy", npy(array.astype(np.complex64))
    yield "bad-records.npy", npy(np.zeros(3, dtype=[("a", "<f4"), ("b", "<f4")]))
    yield "bad-empty.npy", npy(np.zeros((0, 3), dtype=np.float32))
    zipped = io.BytesIO()
    np.savez_compressed(zipped, array)  # with --step an array alone is read, if it is stored as it is
    yield "bad-zip.npz", zipped.getvalue()
    yield "bad-summarised.txt", printed(torch.rand(40, 40))
    yield "bad-summarised-numpy.txt", array_printed(np.random.RandomState(1).rand(40, 40))
    yield "bad-utf-16.txt", printed(torch.tensor(array)).encode("utf-16")


# --- What students copy: all of it is causal's context -----------------------------------------------------------


CONTEXT = causal()["context"]
SCALARS = [[np.float32(x) for x in row] for row in CONTEXT.tolist()]


def cell(number, text):
    return {"cell_type": "code", "id": f"c{number}", "execution_count": number, "metadata": {}, "source": ["print(context)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]}


def notebook(*cells):
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def rows(separator, start="", end="", digits=4):
    return "".join(start.format(token=token) + separator.join(f"{x:.{digits}f}" for x in row) + end + "\n"
                   for token, row in zip(TOKENS, CONTEXT.tolist()))


PLAIN = str(CONTEXT.detach())
# Name: the text; of a notebook, also which cell
COPIED = {
    "tensor and its shape": f"{PLAIN}\n{CONTEXT.shape}\n",
    "shape before it, as a comment says": f"context.shape: {CONTEXT.shape}\n{PLAIN}\n",
    "with the gradient's name": f"{CONTEXT}\n",
    "with a heading": f"Context vectors:\n{PLAIN}\n",
    "with its name": f"context = {PLAIN}\n",
    "with Out[7]": f"Out[7]: {PLAIN}\n",
    "with a prompt": f">>> print(context)\n{PLAIN}\n",
    "on the GPU": PLAIN[:-1] + ", device='cuda:0')\n",
    "as double": str(CONTEXT.detach().double()) + "\n",
    "eight digits": repr(CONTEXT.detach().tolist()) + "\n",
    "numpy": str(CONTEXT.detach().numpy()) + "\n",
    "numpy, by repr": repr(CONTEXT.detach().numpy()) + "\n",
    "numpy's scalars": repr(SCALARS) + "\n",
    "a list of tensors": repr([row.detach() for row in CONTEXT]) + "\n",
    "a tuple of tensors": repr(tuple(row.detach() for row in CONTEXT)) + "\n",
    "an object of JSON": json.dumps({"context": CONTEXT.tolist()}),
    "pandas, by to_csv": ",0,1\n" + "".join(f"{i},{a!r},{b!r}\n" for i, (a, b) in enumerate(CONTEXT.tolist())),
    "pandas, printed": "          0         1\n" + "".join(f"{i} {a:9.6f} {b:9.6f}\n" for i, (a, b) in enumerate(CONTEXT.tolist())),
    "a token before each row": rows(", ", "{token}: "),
    "a token in a column": rows(",", "{token},"),
    "blanks": rows(" "), "tabs": rows("\t"), "semicolons": rows(";"), "commas and blanks": rows(", "),
    "brackets by hand": "[" + rows(", ", "[", "],")[:-2] + "]\n",
    "rows in brackets": rows(", ", "[", "]"),
    "Markdown": "| token | d1 | d2 |\n| --- | ---: | ---: |\n" + rows(" | ", "| {token} | ", " |"),
    "a block of Markdown": f"```\n{PLAIN}\n```\n",
    "with an empty line at both ends": f"\n\n{PLAIN}\n\n",
    "with Windows' ends of lines": (PLAIN + "\n").replace("\n", "\r\n"),
    "with a mark of the byte order": "\ufeff" + PLAIN + "\n",
    "with a warning above": "UserWarning: nothing of importance\n" + PLAIN + "\n",
    "with decimal commas": rows(" ").replace(".", ","),
}
NOTEBOOKS = {"the only cell": (notebook(cell(1, PLAIN + "\n")), ""),
             "a cell by its number": (notebook(cell(1, "tensor([1., 2.])\n"), cell(5, PLAIN + "\n")), "#5")}
