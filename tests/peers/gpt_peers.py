#!/usr/bin/env python3
"""A whole GPT-2 small beside PyTorch, all by turns: drawing it, 4 tokens, 1,024 tokens, 20 tokens more with a cache.

usage: gpt_peers.py [--threads 1 2] [--kernels avx2 avx512] [--runs 5] [--work few many] FOLDER GPT

FOLDER is the Debian 13 that peers.sh sets up, GPT is tests/peers/gpt.c in the build folder. Each run asks every peer and then
GPT, one after the other, so that a machine whose speed drifts favours nobody; each has warmed up. The table has medians, the
median of the ratios peer / onestep (above 1: onestep is ahead) with the smallest and the largest, and the peak memory of a process that
did this work alone. Beside `few` stands how long it takes to add up all weights that it reads.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

from peers import environment_of

PEERS = {  # name: its Debian, the worker's kind
    "PyTorch 2.6": (13, "fast"),
    "PyTorch 2.6, course's": (13, "course"),
    "PyTorch 1.13": (12, "fast"),
    "PyTorch 1.13, course's": (12, "course"),
}
WORKS = ("draw", "few", "many", "more")


class Peer:
    def __init__(self, name, options, threads):
        self.name, self.runs = name, []
        folder, worker = os.path.abspath(options.folder), os.path.join("peers", "gpt_worker.py")
        debian, kind = PEERS[name]
        command = ["/usr/bin/python3", os.path.join(folder, worker)]
        if debian == 13:
            command = ["chroot", folder, "/usr/bin/python3", "/" + worker]
        self.process = subprocess.Popen([*command, kind, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment_of(debian, options.kernel, threads, None))

    def ask(self, work):
        self.process.stdin.write(work + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended; is FOLDER set up (tests/peers/peers.sh)?")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def run_onestep(options, work, threads):
    path = "best" if options.kernel == "avx512" else options.kernel  # what a user gets
    said = subprocess.run([options.gpt, work, str(threads), path, "1"], check=True, capture_output=True, text=True).stdout
    milliseconds, megabytes = re.fullmatch(r"([\d.]+) ms, (\d+) MB\n", said).groups()
    return {"ms": float(milliseconds), "mb": float(megabytes)}


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def compare(options, work, threads):
    peers = [Peer(name, options, threads) for name in PEERS]
    for peer in peers:
        peer.ask(work)
    ours, read = [], []
    for _ in range(options.runs):
        ours.append(run_onestep(options, work, threads))
        if work == "few":
            read.append(run_onestep(options, "read", threads))
        for peer in peers:
            peer.runs.append(peer.ask(work))
    print(f"\n{work}, {options.kernel}, threads {threads}: {median(ours, 'ms'):.1f} ms, {median(ours, 'mb'):.0f} MB")
    if read:
        ratio = statistics.median(our["ms"] / own["ms"] for our, own in zip(ours, read))
        print(f"  adding up all weights   {median(read, 'ms'):9.1f} ms; 4 tokens take {ratio:.2f} times as long")
    for peer in peers:
        ratios = sorted(theirs["ms"] / our["ms"] for theirs, our in zip(peer.runs, ours))
        print(f"  {peer.name:24}{median(peer.runs, 'ms'):9.1f} ms  {statistics.median(ratios):5.2f}"
              f"  ({ratios[0]:.2f} ... {ratios[-1]:.2f}) {median(peer.runs, 'mb'):7.0f} MB", flush=True)
        peer.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("gpt", type=os.path.abspath)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kernels", nargs="+", default=["avx2", "avx512"])
    parser.add_argument("--work", nargs="+", choices=WORKS, default=WORKS)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    os.makedirs(os.path.join(options.folder, "peers"), exist_ok=True)
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpt_worker.py"), os.path.join(options.folder, "peers"))
    for options.kernel in options.kernels:
        for threads in options.threads:
            for work in options.work:
                compare(options, work, threads)


if __name__ == "__main__":
    main()
