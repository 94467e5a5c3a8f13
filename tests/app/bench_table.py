"""Is the table of `onestep bench` whole, its arithmetic right, and are the bits of both attentions the same?

usage: bench_table.py ONESTEP

It says nothing of how fast they are, which is the machine's affair. Takes half a minute. Speaks TAP.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import json_schema as schema  # noqa: E402: the line above is for it
from json_schema import say  # noqa: E402

TOKENS = [128, 256, 512, 1024, 2048, 4096, 8192]
MOST_READABLE = 512  # tokens; beyond, the readable attention would take too long
WIDTH = 768
COLUMNS = ["tokens", "ms", "GFLOP/s", "MB", "ms", "GFLOP/s", "MB", "times", "bits"]


def check_head(lines):
    wanted = [r"One attention layer of GPT-2 small, 768 wide, 12 heads, batch 1\.",
              r"Fast: path (generic|avx2|avx512), (1 thread|[1-9]\d* threads), peak [\d.]+ GFLOP/s of multiply-adds\.",
              r"Readable: one thread; as the lessons compute it, up to 512 tokens\.", "", " +fast +readable"]
    for pattern, line in zip(wanted, lines, strict=True):
        if not re.fullmatch(pattern, line):
            yield f"'{line}' is not '{pattern}'"


def check_row(words, tokens):
    if len(words) != len(COLUMNS) or words[0] != str(tokens):
        yield f"{words} is no row for {tokens} tokens"
        return
    has_readable = tokens <= MOST_READABLE
    if not has_readable and words[4:] != ["-"] * 5:
        yield f"{tokens} tokens: the readable attention should not have run: {words[4:]}"
    if has_readable and words[8] != "same":
        yield f"{tokens} tokens: the bits {words[8]}"
    numbers = [float(word) for word in words[1:8 if has_readable else 4]]
    if min(numbers) <= 0:
        yield f"{tokens} tokens: not all positive: {numbers}"
        return
    # Four projections, and the causal half of scores and context: see CLI.md.
    operations = 8 * tokens * WIDTH**2 + 2 * tokens * (tokens + 1) * WIDTH
    for milliseconds, rate in zip(numbers[0::3], numbers[1::3]):
        if not rounds(operations / 1e6, milliseconds, rate):
            yield f"{tokens} tokens: {rate} GFLOP/s in {milliseconds} ms is not {operations} operations"
    if has_readable and not abs(numbers[3] / numbers[0] - numbers[6]) <= 0.5 + numbers[6] * 0.06 / numbers[0]:
        yield f"{tokens} tokens: {numbers[3]} ms is not {numbers[6]} times {numbers[0]} ms"


def rounds(wanted, a, b):
    """Can a product be this, of factors that were rounded to one digit behind the point?"""
    return max(0, a - 0.05) * max(0, b - 0.05) <= wanted <= (a + 0.05) * (b + 0.05)


def check_memory(rows):
    """It grows with the tokens; the readable attention has every score at once, the fast one a few of them."""
    fast, readable = [[float(row[column]) for row in rows if row[column] != "-"] for column in (3, 6)]
    if fast != sorted(fast) or readable != sorted(readable):
        yield f"MB: {fast}, {readable}"
    if readable[-1] < megabytes_of_scores(MOST_READABLE) or fast[-1] > megabytes_of_scores(TOKENS[-1]):
        yield f"{readable[-1]} MB with all scores, {fast[-1]} MB with a few"


def megabytes_of_scores(tokens):
    return 12 * tokens**2 * 4 / 1e6


def main():
    done = subprocess.run([ONESTEP, "bench"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    say("status", [] if done.returncode == 0 and not done.stderr else [f"{done.returncode}: {done.stderr[:200]}"])
    lines = done.stdout.splitlines()
    say("head", check_head(lines[:5]))
    rows = [line.split() for line in lines[5:]]
    say("columns", [] if rows[0] == COLUMNS else [f"columns {rows[0]}"])
    say("rows", [] if len(rows) == 1 + len(TOKENS) else [f"{len(rows) - 1} rows"])
    for row, tokens in zip(rows[1:], TOKENS):
        say(f"{tokens} tokens", check_row(row, tokens))
    say("memory", check_memory(rows[1:]))
    print(f"1..{schema.checks}")
    return schema.failures > 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ONESTEP = os.path.abspath(sys.argv[1])
    sys.exit(main())
