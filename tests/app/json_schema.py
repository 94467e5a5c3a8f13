"""Is the JSON of `onestep` what its manual says, for any reader of JSON?

usage: json_schema.py ONESTEP REFERENCE

Reads `print --format json` and `list --format json` strictly, checks every member of every step, and compares the
numbers with PyTorch's tensors in the folder REFERENCE. Speaks TAP.
"""
import json
import os
import struct
import subprocess
import sys

LESSONS = ["simplified", "trainable", "causal", "dropout", "wrapper", "split_head"]

# File of reference tensors, arguments of print, and the group that its steps are in.
CASES = [
    ("simplified", ["simplified"], None),
    ("trainable-linear-bias", ["trainable", "--seed", "123", "--bias"], "linear"),
    ("causal-bias", ["causal", "--seed", "123", "--d-out", "3", "--bias"], None),
    ("dropout-tenth", ["dropout", "--dropout", "0.1"], None),
    ("wrapper-dropout", ["wrapper", "--dropout", "0.5", "--bias"], None),
    ("split-head-six", ["split_head", "--input", "six.csv", "--d-out", "6"], None),
    ("split-head-dropout-mcg31m1",
     ["split_head", "--d-out", "4", "--dropout", "0.5", "--bias", "--bernoulli", "mcg31m1"], None),
]

MEMBERS = {
    "number": int, "name": str, "group": (str, type(None)), "title": str, "explanation": str, "formula": str,
    "pytorch": str, "statement": str, "expression": str, "seed": (int, type(None)), "draws": (dict, type(None)),
    "source": dict, "dtype": str, "shape": list, "strides": list, "rows": (list, type(None)),
    "columns": (list, type(None)), "values": object,
}
SOURCE_MEMBERS = {"file": str, "first_line": int, "last_line": int, "text": str}

PARAMETERS = {"input", "seed", "dropout_seed", "d_out", "heads", "dropout", "bernoulli", "bias", "query",
              "d_model", "hidden", "vocabulary", "context_length", "lengths", "target", "prefill", "groups", "base", "qk_norm", "shift", "window", "tile", "latent", "batch", "eval", "text", "updates", "optimizer", "lr", "weight_decay", "warmup", "cosine", "clip",
              "ids", "layers", "logits", "temperature", "top_k", "samples", "sentence", "off"}


# --- Reading -----------------------------------------------------------------------------------------------------


def run(*arguments):
    done = subprocess.run([ONESTEP, *arguments], capture_output=True, cwd=REFERENCE, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or done.stderr:
        raise ValueError(f"onestep {' '.join(arguments)}: exit status {done.returncode}: {done.stderr[:200]}")
    return done.stdout


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a member twice: {names}")
    return dict(pairs)


def no_constants(name):
    raise ValueError(f"{name} is not JSON")


def read_strictly(text):
    """A document of JSON, laid out as a person would: no line ends in a blank, the last one ends."""
    blank = next((line for line in text.split("\n") if line.endswith(" ")), None)
    if blank is not None or not text.endswith("\n"):
        raise ValueError(f"badly laid out: {(blank or text)[-60:]!r}")
    return json.loads(text, object_pairs_hook=no_duplicates, parse_constant=no_constants)


def read(*arguments):
    return read_strictly(run(*arguments).decode("utf-8"))


def flat(values):
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    else:
        yield values


def number(value):
    return float(value)  # also of "inf", "-inf" and "nan"


def as_float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


# --- What a step must be -----------------------------------------------------------------------------------------


def check_members(thing, members, where):
    for name, kind in members.items():
        if name not in thing:
            yield f"{where} has no {name}"
        elif not isinstance(thing[name], kind) or (kind is int and isinstance(thing[name], bool)):
            yield f"{where}: {name} is {thing[name]!r:.60}"


def shape_of(values):
    shape = []
    while isinstance(values, list):
        shape.append(len(values))
        values = values[0] if values else None
    return shape


def is_rectangular(values, shape):
    if not shape:
        return not isinstance(values, list)
    return isinstance(values, list) and len(values) == shape[0] and all(is_rectangular(v, shape[1:]) for v in values)


def check_value(value, dtype):
    if dtype == "bool":
        return isinstance(value, bool)
    if dtype == "int64":
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, bool) or isinstance(value, str):
        return value in ("inf", "-inf", "nan")
    return isinstance(value, (int, float)) and float(f"{value:.9g}") == value and len(repr(value)) < 24


def check_step(step, at, where):
    yield from check_members(step, MEMBERS, where)
    yield from check_members(step["source"], SOURCE_MEMBERS, where + " source")
    if step["number"] != at:
        yield f"{where} has number {step['number']}, not {at}"
    for name in ("title", "explanation", "formula", "pytorch"):
        if not step[name].strip():
            yield f"{where}: empty {name}"
    shape = step["shape"]
    if shape_of(step["values"]) != shape or not is_rectangular(step["values"], shape):
        yield f"{where}: values are not nested as {shape}"
    if len(step["strides"]) != len(shape):
        yield f"{where}: strides {step['strides']} of shape {shape}"
    for name, back in (("rows", 2), ("columns", 1)):
        labels = step[name]
        each = labels if labels and isinstance(labels[0], list) else [labels]  # one list a sentence, where they differ
        if labels is not None and (len(shape) < back or any(len(own) != shape[-back] for own in each)):
            yield f"{where}: {name} {labels} of shape {shape}"
    if step["dtype"] not in ("float32", "bool", "int64"):
        yield f"{where}: dtype {step['dtype']}"
    for value in flat(step["values"]):
        if not check_value(value, step["dtype"]):
            yield f"{where}: {value!r} is no {step['dtype']}"
    source = step["source"]
    if source["text"].count("\n") != source["last_line"] - source["first_line"] + 1:
        yield f"{where}: lines {source['first_line']} ... {source['last_line']} of source are others"


def check_lesson(lesson):
    where = lesson["lesson"]
    yield from check_members(lesson, {"lesson": str, "title": str, "parameters": dict, "setup": str, "steps": list}, where)
    for name in lesson["parameters"]:
        if name not in PARAMETERS:
            yield f"{where}: parameter {name}"
    labels = [(step["group"], step["name"]) for step in lesson["steps"]]
    if len(set(labels)) != len(labels):
        yield f"{where}: two steps with one name"
    for at, step in enumerate(lesson["steps"], 1):
        yield from check_step(step, at, f"{where} {at}")


# --- Against PyTorch ---------------------------------------------------------------------------------------------


def reference(name):
    """Yields (name of a step, shape, values) of a file."""
    with open(os.path.join(REFERENCE, name + ".ref"), encoding="utf-8") as file:
        blocks = file.read().split("tensor ")[1:]
    for block in blocks:
        head, _, body = block.partition("\n")
        kind, _, label = head.partition(" : ")
        dtype, ndim, *shape = kind.split()
        values = [float.fromhex(word) if dtype == "float32" else float(word) for word in body.split()]
        yield label, [int(size) for size in shape], values


def check_case(name, arguments, group):
    steps = read("print", *arguments, "--format", "json")["lessons"][0]["steps"]
    found = {": ".join(filter(None, (step["group"], step["name"]))): step for step in steps}
    for label, shape, values in reference(name):
        step = found.get(f"{group}: {label}" if group else label)
        if step is None or step["shape"] != shape:
            yield f"{name}: no {label} of shape {shape}"
            continue
        for have, want in zip(map(number, flat(step["values"])), values, strict=True):
            have = as_float32(have)
            if have != want and not abs(have - want) <= 2e-6 * max(1, abs(want)):
                yield f"{name}: {label}: {have} is not {want}"


def check_signs():
    """A dropped negative number is -0, and stays so in JSON."""
    document = read("print", "trainable", "--step", "linear: keys", "--format", "json")
    if not any(number(value) < 0 for value in flat(document["lessons"][0]["steps"][0]["values"])):
        yield "linear: keys should have negative numbers"
    text = run("print", "dropout", "--format", "json").decode()
    for value in text.replace("[", " ").replace("]", " ").replace(",", " ").split():
        if value == "-0":
            yield "-0 is an integer to Python: its sign is lost"


# --- The rest ----------------------------------------------------------------------------------------------------


def check_all():
    document = read("print", "all", "--format", "json")
    yield from check_members(document, {"onestep": str, "lessons": list}, "document")
    if document["onestep"] not in run("--version").decode().split():
        yield f"version {document['onestep']} is not that of --version"
    names = [lesson["lesson"] for lesson in document["lessons"]]
    if names[:len(LESSONS) + 1] != ["why", *LESSONS]:
        yield f"lessons {names}"


def check_one_step():
    whole = read("print", "wrapper", "--format", "json")["lessons"][0]
    for step in whole["steps"]:
        label = ": ".join(filter(None, (step["group"], step["name"])))
        alone = read("print", "wrapper", "--step", label, "--format", "json")["lessons"][0]
        if alone["steps"] != [step]:
            yield f"--step '{label}' prints another step"


def check_parameters():
    def parameters(*arguments):
        return read("print", *arguments, "--step", "1", "--format", "json")["lessons"][0]["parameters"]
    wanted = {"seed": 2**64 - 1, "d_out": 3, "heads": 1, "dropout": 0.25, "bernoulli": "mcg31m1", "bias": True,
              "context_length": 7, "batch": 1, "eval": True, "input": None}
    have = parameters("wrapper", "--seed", "18446744073709551615", "--d-out", "3", "--heads", "1", "--dropout",
                      "0.25", "--bernoulli", "mcg31m1", "--bias", "--context-length", "7", "--batch", "1", "--eval")
    yield from (f"{name} is {have.get(name)!r}, not {value!r}" for name, value in wanted.items() if have.get(name) != value)
    if set(have) != set(wanted):
        yield f"parameters {sorted(have)}"
    if parameters("simplified", "--query", "6").get("query") != "step":
        yield "query is not the token"
    if parameters("simplified", "--input", "six.csv").get("input") != "six.csv":
        yield "input is not the name of the file"


def check_list():
    document = read("list", "--format", "json")
    if f"numbers {document['numbers']}" not in run("--version").decode().splitlines():
        yield f"numbers {document['numbers']} are not those of --version"
    printed = read("print", "all", "--format", "json")
    for lesson, run_of_it in zip(document["lessons"], printed["lessons"], strict=True):
        where = lesson["lesson"]
        yield from check_members(lesson, {"lesson": str, "title": str, "part": str, "parameters": list, "steps": list}, where)
        if not isinstance(lesson["book"], (str, type(None))):
            yield f"{where}: book is {lesson['book']!r}"
        if set(lesson["parameters"]) != set(run_of_it["parameters"]):
            yield f"{where}: parameters differ from those printed"
        names = [[(step["number"], step["group"], step["name"]) for step in steps["steps"]] for steps in (lesson, run_of_it)]
        if names[0] != names[1]:
            yield f"{where}: steps differ from those printed"


# --- TAP ---------------------------------------------------------------------------------------------------------

checks = 0
failures = 0


def say(what, mistakes):
    global checks, failures
    try:
        mistakes = list(mistakes)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        mistakes = [repr(error)]
    checks += 1
    failures += bool(mistakes)
    print(f"{'not ok' if mistakes else 'ok'} {checks} - {what}")
    for mistake in mistakes[:20]:
        print(f"# {mistake}")


def main():
    say("document", check_all())
    for lesson in read("print", "all", "--format", "json")["lessons"]:
        say(f"steps of {lesson['lesson']}", check_lesson(lesson))
    for name, arguments, group in CASES:
        say(f"numbers of {name}", check_case(name, arguments, group))
    say("signs of zeros", check_signs())
    say("one step alone", check_one_step())
    say("parameters", check_parameters())
    say("list", check_list())
    print(f"1..{checks}")
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ONESTEP, REFERENCE = map(os.path.abspath, sys.argv[1:])
    sys.exit(main())
