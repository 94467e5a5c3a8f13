"""Writes right numbers in every form that `onestep check` reads, by PyTorch and NumPy themselves, and files that it must
refuse, into tests/data/check/: check_forms.py

Made with PyTorch 1.13 and NumPy 1.24; the files are part of the project, neither of the two is.
"""
import io
import json
import os
import sys

import numpy as np
import torch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "check")
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

listed = []


def write(name, content):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def right(name, lesson, step, content):
    write(name, content)
    listed.append(f"{lesson} {step} {name}\n")


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


def write_torch(prefix, lesson, step, x):
    plain = x.detach()
    right(prefix + ".torch.txt", lesson, step, printed(plain))
    right(prefix + ".torch-grad.txt", lesson, step, printed(x))
    right(prefix + ".torch-double.txt", lesson, step, "Result: " + printed(plain.double()))
    right(prefix + ".torch-2.txt", lesson, step, printed(plain, precision=2))
    right(prefix + ".torch-8.txt", lesson, step, printed(plain, precision=8))
    right(prefix + ".torch-scientific.txt", lesson, step, printed(plain, sci_mode=True))
    right(prefix + ".torch-parameter.txt", lesson, step, str(torch.nn.Parameter(plain)) + "\n")
    right(prefix + ".torch-windows.txt", lesson, step, printed(plain).replace("\n", "\r\n"))
    right(prefix + ".torch-bare.txt", lesson, step, printed(plain)[len("tensor("):].rstrip("\n)").replace("\n       ", "\n"))


def write_numpy(prefix, lesson, step, x):
    array = x.detach().numpy()
    right(prefix + ".numpy.txt", lesson, step, array_printed(array))
    right(prefix + ".numpy-repr.txt", lesson, step, array_printed(array, repr))
    right(prefix + ".numpy-double.txt", lesson, step, array_printed(array.astype(np.float64), repr))
    right(prefix + ".numpy-4.txt", lesson, step, array_printed(array, precision=4, suppress=True))
    right(prefix + ".numpy-narrow.txt", lesson, step, "weights = " + array_printed(array, linewidth=40))
    right(prefix + ".numpy-scientific.txt", lesson, step,
          array_printed(array, formatter={"float_kind": lambda value: f"{value:.3e}"}))


def write_lists(prefix, lesson, step, x):
    values = x.detach().tolist()
    rounded = np.round(x.detach().double().numpy(), 4).tolist()
    right(prefix + ".json", lesson, step, json.dumps(values))
    right(prefix + "-indented.json", lesson, step, json.dumps(rounded, indent=1))
    right(prefix + "-object.json", lesson, step, json.dumps({"step": step, "values": values}))
    right(prefix + ".list.txt", lesson, step, str(rounded) + "\n")


def write_npy(prefix, lesson, step, x):
    array = x.detach().numpy()
    right(prefix + ".npy", lesson, step, npy(array))
    if array.dtype == np.float32:
        right(prefix + "-double.npy", lesson, step, npy(array.astype("<f8")))
        right(prefix + "-big.npy", lesson, step, npy(array.astype(">f4")))
        right(prefix + "-big-double.npy", lesson, step, npy(array.astype(">f8")))
    right(prefix + "-fortran.npy", lesson, step, npy(np.asfortranarray(array)))
    right(prefix + "-version-2.npy", lesson, step, npy(array, (2, 0)))
    right(prefix + "-version-3.npy", lesson, step, npy(array, (3, 0)))


def write_tables(prefix, lesson, step, x):
    array = x.detach().numpy()
    rows = array.reshape(-1, array.shape[-1])
    right(prefix + ".csv", lesson, step, savetxt(rows, delimiter=",", fmt="%.9g"))
    right(prefix + "-blanks.txt", lesson, step, savetxt(rows))
    right(prefix + "-semicolons.csv", lesson, step, savetxt(rows, delimiter=";", fmt="%.4f", header="rounded"))
    right(prefix + "-tabs.tsv", lesson, step, savetxt(rows, delimiter="\t", fmt="%.4g"))
    names = [f"d{i}" for i in range(rows.shape[1])] if rows.shape[1] != 6 else TOKENS
    header = "," + ",".join(names) + "\r\n"
    lines = (f'"{TOKENS[i % 6]}",' + ",".join(f"{value:.6f}" for value in row) + "\r\n" for i, row in enumerate(rows))
    right(prefix + "-labelled.csv", lesson, step, header + "".join(lines))


def write_all_forms(prefix, lesson, step, x):
    for writer in (write_torch, write_numpy, write_lists, write_npy, write_tables):
        writer(prefix, lesson, step, x)


def write_right():
    own = causal()
    write_all_forms("weights", "causal", "causal_weights", own["causal_weights"])
    write_all_forms("masked", "causal", "masked_scores", own["masked_scores"])
    heads = split_head()
    write_torch("heads", "split_head", "scores", heads["scores"])
    write_numpy("heads", "split_head", "scores", heads["scores"])
    write_lists("heads", "split_head", "scores", heads["scores"])
    write_npy("heads", "split_head", "scores", heads["scores"])
    write_all_forms("output", "split_head", "output", heads["output"])
    vector = simplified()["query_scores"]
    for writer in (write_torch, write_numpy, write_lists, write_npy):
        writer("vector", "simplified", "query_scores", vector)
    right("vector.csv", "simplified", "query_scores", savetxt(vector.numpy(), fmt="%.9g"))
    right("vector-row.csv", "simplified", "query_scores", savetxt(vector.numpy()[None], fmt="%.9g", delimiter=","))
    for name, x in (("bool", own["mask_bool"]), ("int", own["mask_bool"].int()), ("mask", own["mask_triu"])):
        step = "mask_triu" if name == "mask" else "mask_bool"
        right(name + ".torch.txt", "causal", step, printed(x))
        right(name + ".numpy.txt", "causal", step, array_printed(x.numpy()))
        right(name + ".json", "causal", step, json.dumps(x.tolist()))
        write_npy(name, "causal", step, x)
    for kind in ("<i8", ">i2", "|u1", ">u4"):
        right(f"int-{kind[1:]}.npy", "causal", "mask_bool", npy(own["mask_bool"].numpy().astype(kind)))


# --- Files to be refused -----------------------------------------------------------------------------------------


def write_wrong():
    array = causal()["causal_weights"].detach().numpy()
    good = npy(array)
    write("bad-cut-header.npy", good[:40])
    write("bad-cut-numbers.npy", good[:-5])
    write("bad-longer.npy", good + b"\0")
    write("bad-magic.npy", b"\x93NUMPI" + good[6:])
    write("bad-version.npy", good[:6] + b"\x09" + good[7:])
    write("bad-huge-header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + good[10:])
    write("bad-overflow.npy", good.replace(b"(6, 6)", b"(99999999999, 99999999999, 99999999999)"[:39]))
    write("bad-complex.npy", npy(array.astype(np.complex64)))
    write("bad-records.npy", npy(np.zeros(3, dtype=[("a", "<f4"), ("b", "<f4")])))
    write("bad-empty.npy", npy(np.zeros((0, 3), dtype=np.float32)))
    zipped = io.BytesIO()
    np.savez_compressed(zipped, array)  # with --step an array alone is read, if it is stored as it is
    write("bad-zip.npz", zipped.getvalue())
    write("bad-summarised.txt", printed(torch.rand(40, 40)))
    write("bad-summarised-numpy.txt", array_printed(np.random.RandomState(1).rand(40, 40)))
    write("bad-utf-16.txt", printed(torch.tensor(array)).encode("utf-16"))


def main():
    os.makedirs(FOLDER, exist_ok=True)
    write_right()
    write_wrong()
    write("right.txt", "".join(listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
