#!/usr/bin/env python3
"""The fast attention beside what a user has today: one layer of GPT-2, all by turns, and is it the same layer?

usage: peers.py [--tokens 128 1024 4096 8192] [--threads 1 2] [--kernels avx2 avx512] [--runs 9] FOLDER ONESTEP

peers.sh sets up FOLDER, a Debian 13 with the peers in it, and calls this. Each run asks every peer and onestep once, one
after the other, so that a machine whose speed drifts favours nobody; each warms up with a pass of its own. The table has
medians, the median of the ratios peer / onestep (above 1: onestep is ahead), the peers' peak memory and the largest
difference of an element.

Traps that would flatter onestep, and are avoided:
- OpenBLAS built for pthreads serialises PyTorch's heads when there are two threads: libopenblas0-openmp serves here.
- Threads are set for each library by name; Debian's default is one for some of them.
- Query, key and value are one layer in the peers: one large product runs faster than three.
- /proc and /sys must be mounted in FOLDER, or PyTorch and oneDNN fall back to code for old processors.

With --kernels avx2 the peers are told to use AVX2 as well; onnxruntime can't be told, and is left out.
Exit status 1 if an element differs by more than 5e-6.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
TOLERANCE = 5e-6
HEADS = {"small": 12, "medium": 16, "large": 20, "xl": 25}
MOST_SCORES = 2**30  # of a peer that keeps them all: 4 GB

# name: worker's kind, its Debian, the library of ours that it calls, whether all scores are kept at once
PEERS = {
    "PyTorch 2.6, sdpa": ("sdpa", 13, None, False),
    "PyTorch 2.6, written": ("written", 13, None, True),
    "PyTorch 1.13, written": ("written", 12, None, True),
    "onnxruntime": ("onnxruntime", 13, None, True),
    "OpenBLAS by hand": ("hand", 13, "openblas", False),
    "oneDNN by hand": ("hand", 13, "dnnl", False),
}


def environment_of(debian, kernel, threads, library):
    count = str(threads)
    environment = dict(os.environ, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count)
    if debian == 13:
        environment["LD_LIBRARY_PATH"] = LIBRARIES + "/openblas-openmp"
    if library:
        environment["LAYER"] = f"/peers/layer_{library}.so"
    if kernel == "avx2":
        environment.update(ATEN_CPU_CAPABILITY="avx2", OPENBLAS_CORETYPE="Haswell", DNNL_MAX_CPU_ISA="AVX2")
    return environment


class Peer:
    def __init__(self, name, options, size):
        kind, debian, library, _ = PEERS[name]
        self.name, self.runs = name, []
        folder = os.path.abspath(options.folder)
        command = ["chroot", folder, "/usr/bin/python3", "/peers/worker.py"]
        if debian == 12:
            command = ["/usr/bin/python3", os.path.join(folder, "peers", "worker.py")]
        self.output = "/peers/output.npy" if debian == 13 else os.path.join(folder, "peers", "output.npy")
        self.said = os.path.join(folder, "peers", "said.txt")  # Debian's onnx says much that is harmless
        with open(self.said, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen(
                [*command, kind, json.dumps(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True,
                env=environment_of(debian, options.kernel, size["threads"], library))

    def ask(self, path=None):
        self.process.stdin.write(json.dumps(path) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended, see {self.said}; is FOLDER set up (tests/peers/peers.sh)?")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def run_onestep(options, size, path=None):
    arguments = [options.onestep, "gpt2", size["size"], "--bias"]
    arguments += [f"--{name}={size[name]}" for name in ("batch", "tokens", "seed", "threads")]
    ended = subprocess.run([*arguments, *(["-o", path] if path else [])], check=True, text=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, env=dict(os.environ, ONESTEP_KERNEL=options.kernel))
    figures = dict(re.findall(r"^(\w+): (.*)$", ended.stderr, re.MULTILINE))
    return {"path": figures["path"], "ms": float(figures["forward"].split()[0]), "mb": float(figures["memory"].split()[0]),
            "share": float(re.search(r"\((\d+) %\)", figures["peak"])[1])}


def names_of(options, size):
    scores = size["batch"] * HEADS[size["size"]] * size["tokens"] ** 2
    for name, (kind, _, _, keeps_scores) in PEERS.items():
        if (kind == "onnxruntime" and options.kernel == "avx2") or (keeps_scores and scores > MOST_SCORES):
            continue
        if not options.peers or any(wanted in name for wanted in options.peers):
            yield name


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def compare(options, size):
    """A table of one size; returns whether all outputs agree."""
    peers = [Peer(name, options, size) for name in names_of(options, size)]
    ours = []
    for _ in range(options.runs):
        ours.append(run_onestep(options, size))
        for peer in peers:
            peer.runs.append(peer.ask())
    run_onestep(options, size, os.path.join(options.folder, "peers", "output.npy"))
    print(f"\n{size['tokens']} tokens, batch {size['batch']}, {ours[0]['path']}: {median(ours, 'ms'):.1f} ms,"
          f" {median(ours, 'share'):.0f} % of the peak, {median(ours, 'mb'):.0f} MB")
    agree = True
    for peer in peers:
        about = peer.ask(peer.output)
        ratios = sorted(theirs["ms"] / our["ms"] for theirs, our in zip(peer.runs, ours))
        print(f"  {peer.name:24}{median(peer.runs, 'ms'):9.1f} ms  {statistics.median(ratios):5.2f}"
              f"  ({ratios[0]:.2f} ... {ratios[-1]:.2f}) {median(peer.runs, 'mb'):7.0f} MB  {about['difference']:.0e}",
              flush=True)
        agree = agree and about["difference"] <= TOLERANCE
        peer.about = about
        peer.end()
    if options.verbose:
        for peer in peers:
            print(f"  {peer.name}: torch {peer.about['torch']}, {', '.join(peer.about['libraries'])}")
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("onestep", type=os.path.abspath)
    parser.add_argument("--size", choices=HEADS, default="small")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, nargs="+", default=[128, 1024, 4096, 8192])
    parser.add_argument("--seed", type=int, default=123)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kernels", nargs="+", default=["avx2", "avx512"])
    parser.add_argument("--peers", nargs="+", help="those whose names contain one of these")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--verbose", action="store_true", help="which libraries each peer has loaded")
    options = parser.parse_args()
    results = []
    for options.kernel in options.kernels:
        for threads in options.threads:
            for tokens in options.tokens:
                size = {"size": options.size, "batch": options.batch, "tokens": tokens, "seed": options.seed}
                results.append(compare(options, size | {"threads": threads}))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
