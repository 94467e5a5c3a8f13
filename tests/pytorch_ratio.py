#!/usr/bin/env python3
"""How much faster than PyTorch is the attention layer of `onestep gpt2`, and is it the same layer?

Runs both in turn, PyTorch, onestep, PyTorch, onestep, ..., so that a machine whose speed drifts favours
neither, and prints the medians, the median of the ratios and both processes' peak memory. Then it holds
every element of the outputs together. PyTorch's threads are set explicitly (Debian's default is one), and
it is told not to keep anything for a backward pass.

    python3 tests/pytorch_ratio.py build/onestep [--size small] [--batch 2] [--tokens 1024] [--threads 1 2]
                                   [--kernels avx512 avx2] [--runs 11] [--no-bias]

Needs PyTorch and NumPy (Debian: python3-torch). PyTorch is only as fast as the BLAS that it finds, and the
first line of the report says which that was: Debian's libblas3 is slow, libopenblas0-pthread is not.
Exit status 1 if an element differs by more than 3e-6.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

WIDTHS = {"small": (768, 12), "medium": (1024, 16), "large": (1280, 20), "xl": (1600, 25)}
TOLERANCE = 3e-6


# --- PyTorch, in a process of its own: a line of JSON in, a line out ---------------------------------------------


def make_layer(torch, options):
    """The course's class without its dropout: input first, then the weights in the order of its constructor."""
    width, heads = WIDTHS[options.size]
    head_dim = width // heads
    torch.manual_seed(options.seed)
    inputs = torch.rand(options.batch, options.tokens, width)
    query, key, value = (torch.nn.Linear(width, width, bias=options.bias) for _ in range(3))
    project = torch.nn.Linear(width, width)
    mask = torch.triu(torch.ones(options.tokens, options.tokens), diagonal=1).bool()

    def split(x):
        return x.view(options.batch, options.tokens, heads, head_dim).transpose(1, 2)

    def forward():
        queries, keys, values = split(query(inputs)), split(key(inputs)), split(value(inputs))
        scores = queries @ keys.transpose(2, 3)
        scores.masked_fill_(mask, -torch.inf)
        weights = torch.softmax(scores / head_dim**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous()
        return project(context.view(options.batch, options.tokens, width))

    return forward


def libraries_of_blas():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if re.search(r"/lib[^/]*(blas|mkl|blis)[^/]*\.so", line)}
    return sorted(os.path.realpath(path) for path in paths)


def work_as_pytorch(options):
    import resource
    import time

    import numpy
    import torch

    torch.set_num_threads(options.threads[0])
    forward = make_layer(torch, options)
    with torch.no_grad():
        output = forward().numpy()
        for line in sys.stdin:
            path = json.loads(line)
            if path:
                reply = {"difference": float(numpy.abs(numpy.load(path) - output).max())}
            else:
                start = time.perf_counter()
                forward()
                reply = {"ms": 1e3 * (time.perf_counter() - start)}
            reply["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024e-6
            reply["about"] = f"PyTorch {torch.__version__}, BLAS: {', '.join(libraries_of_blas()) or 'built in'}"
            print(json.dumps(reply), flush=True)


class PyTorch:
    def __init__(self, options, threads):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
        arguments = [sys.executable, __file__, options.onestep, "--as-pytorch", "--threads", str(threads)]
        arguments += ["--size", options.size, "--batch", str(options.batch), "--tokens", str(options.tokens)]
        arguments += ["--seed", str(options.seed)] + ([] if options.bias else ["--no-bias"])
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, path=None):
        self.process.stdin.write(json.dumps(path) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("PyTorch's process ended; is python3-torch installed for " + sys.executable + "?")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# --- onestep -----------------------------------------------------------------------------------------------------


def run_onestep(options, threads, kernel, path=None):
    arguments = [options.onestep, "gpt2", options.size, "--batch", str(options.batch)]
    arguments += ["--tokens", str(options.tokens), "--seed", str(options.seed), "--threads", str(threads)]
    arguments += (["--bias"] if options.bias else []) + (["-o", path] if path else [])
    environment = dict(os.environ, ONESTEP_KERNEL=kernel or "")
    ended = subprocess.run(arguments, env=environment, check=True, text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    figures = dict(re.findall(r"^(\w+): (.*)$", ended.stderr, re.MULTILINE))
    return {
        "path": figures["path"],
        "ms": float(figures["forward"].split()[0]),
        "mb": float(figures["memory"].split()[0]),
        "share": float(re.search(r"\((\d+) %\)", figures["peak"])[1]),
    }


# --- Both --------------------------------------------------------------------------------------------------------


def compare(options, threads, kernel):
    """Alternating runs of one configuration; returns whether the outputs agree."""
    pytorch = PyTorch(options, threads)
    pytorch.ask()  # warms up
    theirs, ours = [], []
    for _ in range(options.runs):
        theirs.append(pytorch.ask())
        ours.append(run_onestep(options, threads, kernel))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "output.npy")
        run_onestep(options, threads, kernel, path)
        difference = pytorch.ask(path)["difference"]
    pytorch.end()

    def median(runs, figure):
        return statistics.median(run[figure] for run in runs)

    ratios = [their["ms"] / our["ms"] for their, our in zip(theirs, ours)]
    memory = max(run["mb"] for run in theirs) / max(run["mb"] for run in ours)
    print(f"\n{theirs[0]['about']}; onestep: {ours[0]['path']}")
    print(f"  PyTorch  {median(theirs, 'ms'):8.1f} ms  {median(theirs, 'mb'):7.1f} MB")
    print(f"  onestep  {median(ours, 'ms'):8.1f} ms  {median(ours, 'mb'):7.1f} MB"
          f"  {median(ours, 'share'):.0f} % of the peak of multiply-adds")
    print(f"  PyTorch / onestep: time {statistics.median(ratios):.2f}"
          f" ({min(ratios):.2f} ... {max(ratios):.2f}), memory {memory:.1f}")
    print(f"  largest difference of an element: {difference:.1e}", flush=True)
    return difference <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("onestep")
    parser.add_argument("--size", choices=WIDTHS, default="small")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=123)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kernels", nargs="+", default=[""], help="generic, avx2, avx512; the best if left out")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--no-bias", dest="bias", action="store_false")
    parser.add_argument("--as-pytorch", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_pytorch:
        return work_as_pytorch(options)
    print(f"{options.size}, batch {options.batch}, {options.tokens} tokens, {options.runs} runs each, in turn")
    results = [compare(options, threads, kernel) for threads in options.threads for kernel in options.kernels]
    return sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
