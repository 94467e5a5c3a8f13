#!/usr/bin/env python3
"""Allocations, reads, writes and file operations fail once, one after the other, until a run meets no fault: each of the
first hundred of a kind, and every thirty-seventh of those behind.

usage: faults.py ONESTEP FAULT_LIBRARY

Each run must end well (exit 0, all of its output) or cleanly: exit 1 or 2, one line on standard error, nothing half
written, the terminal as it was. Linux and glibc only; standard library only.
"""
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

ONESTEP, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])
RIGHT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "check", "weights.torch.txt")
TOKENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "journey.csv")
PRELOADED = os.path.join(".", os.path.basename(LIBRARY))  # a blank in LD_PRELOAD would end the path
os.chdir(os.path.dirname(LIBRARY))
MOST = 20000  # calls of one kind in one run; more would mean that the count never ends

points, wrong = 0, []


def environment(folder, kind, at):
    """The files that the library leaves when the fault is met and when memory leaks, and the environment for a run."""
    state, mark, leak = (os.path.join(folder, name) for name in ("state", "mark", "leak"))
    for name in mark, leak:
        if os.path.exists(name):
            os.remove(name)
    return mark, leak, {**os.environ, "LD_PRELOAD": PRELOADED, "FAULT_KIND": kind, "FAULT_AT": str(at),
                        "FAULT_MARK": mark, "FAULT_LEAK": leak, "XDG_STATE_HOME": state, "TERM": "xterm-256color",
                        "LC_ALL": "C.UTF-8"}


def say(arguments, kind, at, what):
    wrong.append(1)
    print(f"{' '.join(arguments)}: {kind} {at}: {what}", flush=True)


# Lines on standard error that are no message: a hint, a note, the figures of gpt2.
BESIDES = ("Try ", "onestep: note:", "path:", "forward:", "rate:", "peak:", "memory:")


def contents(folder):
    """Name and bytes of every file in a folder and those inside; leaves it empty."""
    found = {}
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(file.name, folder)] = file.read()
            os.remove(file.name)
        for name in folders:
            os.rmdir(os.path.join(path, name))
    return found


def run_command(folder, arguments, kind, at, expected, out):
    """One run. `expected` is what a run without a fault prints, and the files that it leaves in the folder `out`."""
    mark, leak, env = environment(folder, kind, at)
    process = subprocess.run([ONESTEP, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=60)
    met = os.path.exists(mark)
    error = process.stderr.decode("utf-8", "replace")
    lines = [line for line in error.splitlines() if not line.startswith(BESIDES)]
    left = contents(out)
    if process.returncode == 0:
        if (process.stdout, left) != expected:
            say(arguments, kind, at, "exit 0, but not all of the output")
    elif process.returncode not in (1, 2) or len(lines) != 1:
        say(arguments, kind, at, f"exit {process.returncode}, {error!r}")
    elif left not in ({}, expected[1]):  # of several files none, unless only the message after them failed
        say(arguments, kind, at, f"exit {process.returncode}, not all files are left: {sorted(left)}")
    if os.path.exists(leak):
        say(arguments, kind, at, "not all memory was freed")
    return met


def try_command(arguments, kinds, path=None):
    """Runs the command with each fault of each kind in turn; `path` is the file that it writes, in a folder of its own."""
    global points
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        os.mkdir(out)
        if path is not None:
            arguments = [*arguments, "-o", os.path.join(out, path)]
        process = subprocess.run([ONESTEP, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
        expected = (process.stdout, contents(out))
        for kind in kinds:
            for at in [*range(1, 100), *range(100, 2000, 37), *range(2000, MOST, 397)]:
                if not run_command(folder, arguments, kind, at, expected, out):
                    break
                points += 1


def read_until_quiet(master, seconds):
    """Reads what the program shows until it has been quiet for that long or has closed the terminal."""
    while select.select([master], [], [], seconds)[0]:
        try:
            if not os.read(master, 65536):
                return
        except OSError:
            return


def run_walker(folder, kind, at):
    """One short walk on a pseudo-terminal. Returns whether the fault was met."""
    mark, leak, env = environment(folder, kind, at)
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    process = subprocess.Popen([ONESTEP], stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=env,
                               start_new_session=True)
    for key in (b"n", b"n", b"j", b"?", b"\x1b", b"q", b"q"):  # the first q may close a lesson's summary
        if process.poll() is not None:
            break
        read_until_quiet(master, 0.03)
        try:
            os.write(master, key)
        except OSError:
            break
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        read_until_quiet(master, 0.02)
    if process.poll() is None:
        process.kill()
        say(["walk"], kind, at, "still running after q")
    error = process.stderr.read().decode("utf-8", "replace")
    lines = [line for line in error.splitlines() if not line.startswith(BESIDES)]
    if process.wait() not in (0, 1, 2) or len(lines) != int(process.returncode != 0):
        say(["walk"], kind, at, f"exit {process.returncode}, {error!r}")
    if termios.tcgetattr(slave) != before:
        say(["walk"], kind, at, "the terminal is not as it was")
    if os.path.exists(leak):
        say(["walk"], kind, at, "not all memory was freed")
    os.close(master)
    os.close(slave)
    return os.path.exists(mark)


def die_of_a_full_stack():
    """The signal's handler has a stack of its own, and gives the terminal back."""
    global points
    with tempfile.TemporaryDirectory() as folder:
        env = environment(folder, "stack", 1)[2]
        master, slave = pty.openpty()
        before = termios.tcgetattr(slave)
        process = subprocess.Popen([ONESTEP], stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            read_until_quiet(master, 0.02)
        process.kill()
        if process.wait() != -signal.SIGSEGV or termios.tcgetattr(slave) != before:
            say(["walk"], "stack", 1, f"exit {process.returncode}, or the terminal is not as it was")
        points += 1
        os.close(master)
        os.close(slave)


def try_walker(kinds):
    global points
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        print("no pseudo-terminals here: the walker is left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            for at in range(1, MOST):
                if not run_walker(folder, kind, at):
                    break
                points += 1
    die_of_a_full_stack()


ALL = ("memory", "write", "read", "file")
try_command(["--version"], ALL)
try_command(["list"], ALL)
try_command(["print", "split_head", "--dropout", "0.5"], ALL)
try_command(["print", "causal", "--format", "json"], ("memory", "write", "file"), path="causal.json")
try_command(["check", "causal", "--step", "causal_weights", RIGHT], ALL)
try_command(["check", "causal", "--step", "causal_weights", "--format", "json", RIGHT], ALL)
try_command(["print", "trainable", "--input", TOKENS, "--what-if", "no-scale"], ALL)
try_command(["print", "model", "--format", "html"], ("memory", "write", "file"), path="handout.html")
try_command(["print", "simplified", "--format", "npy"], ("memory", "write", "file"), path="folder")
try_command(["verify"], ALL)
try_command(["gpt2", "small", "--batch", "1", "--tokens", "3"], ALL)
try_command(["gpt2", "small", "--batch", "1", "--tokens", "3"], ("memory", "write", "file"), path="output.npy")
try_walker(ALL)
print(f"{points} faults, {len(wrong)} not met cleanly")
sys.exit(1 if wrong else 0)
