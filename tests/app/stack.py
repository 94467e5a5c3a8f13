"""Does onestep do with a stack of 256 KiB?

usage: stack.py ONESTEP

Speaks TAP.
"""
import os
import resource
import subprocess
import sys

import tap

ONESTEP = os.path.abspath(sys.argv[1])


def limit():
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))


def run(arguments, answer):
    done = subprocess.run([ONESTEP, *arguments], input=answer, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit,
                          check=False)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr[-300:])
    return done.stdout


def all_lessons_are_printed():
    run(["print", "all"], b"")


def a_screen_is_shown():
    run(["screen", "split_head", "--step", "weights"], b"")


def a_file_is_checked():
    for lesson, step in (("causal", "context"), ("wrapper", "context"), ("split_head", "output"), ("model", "logits")):
        run(["check", lesson, "--step", step, "-"], run(["print", lesson, "--step", step], b""))


def many_heads_are_enough():
    run(["print", "wrapper", "--heads", "256", "--step", "context"], b"")


sys.exit(tap.run([all_lessons_are_printed, a_screen_is_shown, a_file_is_checked, many_heads_are_enough]))
