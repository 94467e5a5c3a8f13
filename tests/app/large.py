"""Does a long pass say what it takes before it begins, and one that does not fit say so in a line?

usage: large.py ONESTEP

Speaks TAP.
"""
import os
import re
import subprocess
import sys
import time

import tap

ONESTEP = os.path.abspath(sys.argv[1])


def a_long_pass_says_what_it_takes():
    start = time.monotonic()
    with subprocess.Popen([ONESTEP, "gpt2", "large", "--batch=8", "--tokens=1024"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, "ONESTEP_KERNEL": "generic"}) as process:
        line = process.stderr.readline().decode()
        process.kill()
    assert re.fullmatch(r"gpt2: takes [0-9.]+ [MG]B of memory and at least [0-9]+ s\n", line), line
    assert time.monotonic() - start < 20


def a_short_one_says_nothing_of_it():
    done = subprocess.run([ONESTEP, "gpt2", "small", "--batch=1", "--tokens=16"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=True)
    assert b"takes" not in done.stderr, done.stderr


def what_does_not_fit_is_refused():
    done = subprocess.run(["sh", "-c", 'ulimit -v 800000; exec "$0" gpt2 xl --batch 64', ONESTEP], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and not done.stdout and b"of memory, and there are" in done.stderr, done


# A table of all pairs of words would take 17 GB.
def the_largest_vocabulary_takes_no_more_than_its_model():
    with subprocess.Popen([ONESTEP, "print", "training", "--vocabulary", "65536", "--updates", "2", "--step", "losses"],
                          stdout=subprocess.DEVNULL) as process:
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and usage.ru_maxrss < 2_000_000, usage.ru_maxrss


# Into a file or a pipe it goes unasked.
def a_terminal_gets_no_50_mb_unasked():
    ours, theirs = os.openpty()
    command = [ONESTEP, "print", "block", "--context-length", "1024", "--d-model", "512", "--format", "json"]
    shown = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    os.close(ours)
    assert shown.returncode == 2 and b" MB, too much for a terminal: write a file with -o" in shown.stderr, shown
    piped = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    assert len(piped.stdout) > 50_000_000, len(piped.stdout)


sys.exit(tap.run([a_long_pass_says_what_it_takes, a_short_one_says_nothing_of_it, what_does_not_fit_is_refused,
                  the_largest_vocabulary_takes_no_more_than_its_model, a_terminal_gets_no_50_mb_unasked]))
