"""What an answer of `onestep check` must be: held against the documented members, the plain answer and the numbers.

A case is a lesson, a step and a file that a student might bring. For check_schema.py, which has the cases.
"""
import json
import math
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
import json_schema as schema  # noqa: E402: the line above is for it
from json_schema import check_members, flat, shape_of  # noqa: E402

NUMBER = (int, float, str)  # strings: "inf", "-inf", "nan"
LIST_OR_NULL, STRING_OR_NULL, INTEGER_OR_NULL = (list, type(None)), (str, type(None)), (int, type(None))

MEMBERS = {
    "onestep": str, "lesson": str, "parameters": dict, "step": dict, "file": dict, "verdict": str,
    "code": str, "min_decimals": int, "quiet": bool, "unseen": (list, type(None)), "elements": int, "different": int, "different_at": list,
    "unjudged": int, "rounded_as": (str, type(None)), "precision": STRING_OR_NULL,
    "largest_difference": (int, float), "largest_index": LIST_OR_NULL, "first_difference": (dict, type(None)),
    "explanations": list, "possible": int, "cut": bool, "nearest": (dict, type(None)), "hint": STRING_OR_NULL, "shape_relation": (dict, type(None)),
    "same_numbers": list, "same_shape": list,
}
STEP = {"number": int, "name": str, "group": STRING_OR_NULL, "shape": list}
FILE = {"name": str, "form": str, "dtype": STRING_OR_NULL, "decimals": INTEGER_OR_NULL, "scientific": bool,
        "shape": list}
FIRST = {"index": list, "place": str, "file": NUMBER, "right": NUMBER, "allowed": (int, float)}
EXPLANATIONS = {
    "mistakes": {"kind": str, "mistakes": list, "text": list, "look_for": list, "step": STRING_OR_NULL, "line": STRING_OR_NULL,
                 "right_line": STRING_OR_NULL, "alike": list},
    "step": {"kind": str, "step": str},
    "transposed": {"kind": str, "dims": list},
    "parameter": {"kind": str, "parameter": str},
    "mask-times-inf": {"kind": str},
    "relation": {"kind": str, "relation": str, "sentence": str},
    "edit": {"kind": str, "mistake": STRING_OR_NULL, "step": str, "line": str, "right_line": str, "text": STRING_OR_NULL},
}
NEAREST = {"mistakes": list, "different": int, "largest_difference": (int, float)}
RELATION = {"kind": str, "dims": LIST_OR_NULL, "index": INTEGER_OR_NULL, "same_numbers": bool, "mistake": STRING_OR_NULL,
            "text": STRING_OR_NULL, "line": STRING_OR_NULL, "right_line": STRING_OR_NULL}

FORMS = {"tensor": "a PyTorch tensor", "array": "a NumPy array", "list": "a list", "table": "a table",
         "npy": "a .npy file"}
DTYPES = {"<f4": "float32", ">f4": "float32", "<f8": "float64", "|b1": "bool", "|u1": "uint8", "<i2": "int16",
          ">i4": "int32", "<i8": "int64"}
ROUNDING = 1e-6  # of numbers that machines may round differently; see src/tensor/ops/tolerance.h
TOLERANCE = 2e-6  # of what is computed here

PARAMETERS = ["--seed", "9", "--d-out", "4", "--bias"]


# --- Files of students -------------------------------------------------------------------------------------------


def printed(lesson, step, *options, format="npy"):
    return schema.run("print", lesson, "--step", step, "--format", format, *options)


def values_of(lesson, step, *options):
    """The step's numbers, nested; "inf" and the like as floats."""
    document = schema.read("print", lesson, "--step", step, "--format", "json", *options)
    return each(lambda number: schema.as_float32(float(number)), document["lessons"][0]["steps"][0]["values"])


def each(function, values):
    return [each(function, value) for value in values] if isinstance(values, list) else function(values)


def turned(values):
    return [list(column) for column in zip(*values)]


def zeros(*shape):
    return [zeros(*shape[1:]) for _ in range(shape[0])] if shape else 0.0


def npy(values, descr="<f8"):
    shape, numbers = shape_of(values), list(flat(values))
    kind = {"f4": "f", "f8": "d", "b1": "?", "u1": "B", "i2": "h", "i4": "i", "i8": "q"}[descr[1:]]
    numbers = numbers if kind in "fd" else map(int, numbers)
    sizes = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    order = ">" if descr[0] == ">" else "<"
    body = b"".join(struct.pack(order + kind, number) for number in numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def python_list(values):
    return json.dumps(values).encode()


def numpy_text(values):
    """As NumPy prints an array of one or two dimensions, eight digits behind the point."""
    rows = values if isinstance(values[0], list) else [values]
    text = "\n ".join("[" + " ".join(f"{number:.8f}" for number in row) + "]" for row in rows)
    return (f"[{text}]" if isinstance(values[0], list) else text).encode()


def softmax_rows(scores):
    def row(numbers):
        shares = [math.exp(number) for number in numbers]
        return [share / sum(shares) for share in shares]
    return [row(numbers) for numbers in scores]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


# --- Asking ------------------------------------------------------------------------------------------------------


class Answer:
    def __init__(self, lesson, step, content, *options, name=b"mine.txt", from_input=False):
        self.lesson, self.wanted_step, self.options, self.content = lesson, step, options, content
        with open(os.path.join(schema.REFERENCE.encode(), name), "wb") as file:
            file.write(content)
        self.path = b"-" if from_input else name
        json_text, self.status = self.ask(name, "json")
        plain_text, plain_status = self.ask(name, "plain")
        os.remove(os.path.join(schema.REFERENCE.encode(), name))
        if plain_status != self.status:
            raise ValueError(f"exit status {self.status} with JSON, {plain_status} with plain")
        self.text, self.plain = json_text.decode("utf-8"), plain_text.decode("utf-8")  # strictly
        self.json = schema.read_strictly(self.text)

    def ask(self, name, format):
        with open(os.path.join(schema.REFERENCE.encode(), name), "rb") as file:
            done = subprocess.run([schema.ONESTEP, "check", self.lesson, "--thorough", "--all", "--step", self.wanted_step, self.path,
                                   "--format", format, *self.options], capture_output=True, cwd=schema.REFERENCE,
                                  stdin=file)
        if done.stderr or done.returncode not in (0, 1):
            raise ValueError(f"exit status {done.returncode}: {done.stderr[:200]}")
        return done.stdout, done.returncode

    def at(self, path):
        """The member at "explanations.0.mistakes"."""
        thing = self.json
        for name in path.split("."):
            thing = thing[int(name) if isinstance(thing, list) else name]
        return thing


# --- What an answer must be --------------------------------------------------------------------------------------


def exactly(thing, members, where):
    yield from check_members(thing, members, where)
    yield from (f"{where} has {name}, which is not documented" for name in thing if name not in members)
    for name, kind in members.items():
        value = thing.get(name)
        if kind is not bool and isinstance(value, bool):
            yield f"{where}: {name} is {value}"
        if kind is NUMBER and isinstance(value, str) and value not in ("inf", "-inf", "nan"):
            yield f"{where}: {name} is {value!r}, no number"


def are_all(things, kind):
    return all(isinstance(thing, kind) and not isinstance(thing, bool) for thing in things)


def check_documented(document):
    yield from exactly(document, MEMBERS, "answer")
    yield from exactly(document["step"], STEP, "step")
    yield from exactly(document["file"], FILE, "file")
    if document["first_difference"] is not None:
        yield from exactly(document["first_difference"], FIRST, "first_difference")
    for explanation in document["explanations"]:
        yield from exactly(explanation, EXPLANATIONS[explanation["kind"]], "explanation")
        if not 1 <= len(explanation.get("mistakes", "-")) <= 2:
            yield f"{explanation['mistakes']} are more than two mistakes"
        if explanation["kind"] == "mistakes" and len(explanation["text"]) != len(explanation["mistakes"]):
            yield "not one text for each mistake"
    if document["nearest"] is not None:
        yield from exactly(document["nearest"], NEAREST, "nearest")
    if document["shape_relation"] is not None:
        yield from exactly(document["shape_relation"], RELATION, "shape_relation")
    for list_of, kind in ((document["same_numbers"] + document["same_shape"], str), (document["step"]["shape"], int),
                          (document["file"]["shape"], int)):
        if not are_all(list_of, kind):
            yield f"{list_of}: not all of them are {kind.__name__}"


def check_file(file):
    if file["form"] not in FORMS:
        yield f"form {file['form']}"
    if (file["form"] == "npy") != (file["dtype"] is not None) or file["dtype"] not in (None, *DTYPES.values()):
        yield f"dtype {file['dtype']} of {file['form']}"
    if file["decimals"] is not None and (file["decimals"] < 0 or file["form"] == "npy"):
        yield f"decimals {file['decimals']} of {file['form']}"
    if file["scientific"] and file["decimals"] is None:
        yield "scientific without decimals"


def check_equal(answer):
    document = answer.json
    if answer.status != 0 or document["different"] != 0 or document["elements"] != math.prod(document["step"]["shape"]):
        yield f"equal, but {document['different']} of {document['elements']} differ, exit status {answer.status}"
    for name in ("first_difference", "nearest", "hint", "shape_relation"):
        if document[name] is not None:
            yield f"equal, but {name} is {document[name]}"
    for name in ("explanations", "same_numbers", "same_shape"):
        if document[name]:
            yield f"equal, but {name} is {document[name]}"


def check_unjudged(answer):
    """Nothing is wrong, and something has no answer: then there is no list of mistakes that would look the same."""
    document = answer.json
    yield from check_equal(answer)
    if not 1 <= document["unjudged"] <= document["elements"] or document["unseen"] or document["code"] != "unjudged":
        yield f"unjudged: {document['unjudged']} of {document['elements']}, {document['unseen']}, {document['code']}"


def check_stream(answer):
    """The numbers differ, and are those of another machine."""
    document = answer.json
    if answer.status != 1 or not document["different"] or document["explanations"] or document["code"] != "stream":
        yield f"other masks, but {document['different']} differ, exit status {answer.status}, {document['explanations']}"


def check_rounded(answer):
    """Right with fewer bits, and the answer says which type has so few."""
    document = answer.json
    if answer.status != 1 or document["different"] or document["explanations"] or document["code"] != document["precision"]:
        yield f"rounded, but {document['different']} differ, exit status {answer.status}, {document['explanations']}, {document['code']}"
    if not document["precision"] or f"--dtype {document['precision']}" not in (document["hint"] or ""):
        yield f"rounded in {document['precision']}: {document['hint']}"


def check_different(answer):
    document, first = answer.json, answer.json["first_difference"]
    shape = document["step"]["shape"]
    if answer.status != 1 or document["elements"] != math.prod(shape):
        yield f"{document['elements']} numbers of shape {shape}, exit status {answer.status}"
    if not 1 <= document["different"] <= document["elements"]:
        yield f"{document['different']} of {document['elements']} differ"
    if len(first["index"]) != len(shape) or not all(0 <= i < size for i, size in zip(first["index"], shape)):
        yield f"index {first['index']} of shape {shape}"
    apart = abs(float(first["file"]) - float(first["right"]))
    if apart <= first["allowed"]:
        yield f"the first difference is {apart}, and {first['allowed']} is allowed"
    if document["explanations"] and (document["nearest"] is not None or document["hint"] is not None):
        yield "explained, and yet there is a nearest mistake or a hint"
    if (document["code"] == "unclear") != (document["possible"] > 0) or (document["possible"] and document["explanations"]):
        yield f"{document['possible']} explanations are possible, and {document['code']} is the answer"
    if document["nearest"] is not None and not 1 <= document["nearest"]["different"] <= document["different"] / 2:
        yield f"nearest: {document['nearest']['different']} of {document['different']} still differ"
    if document["shape_relation"] is not None or document["same_numbers"] or document["same_shape"]:
        yield "different numbers, but other shapes are spoken of"


def check_shape(answer):
    document, relation = answer.json, answer.json["shape_relation"]
    if answer.status != 1 or document["elements"] or document["different"] or document["largest_difference"]:
        yield f"another shape, but {document['elements']} numbers were compared, exit status {answer.status}"
    for name in ("first_difference", "nearest", "hint"):
        if document[name] is not None:
            yield f"another shape, but {name} is {document[name]}"
    if document["explanations"]:
        yield "another shape, but it is explained as if it fitted"
    if relation["kind"] not in ("transposed", "part", "refolded", "unrelated"):
        yield f"relation {relation['kind']}"
    if (relation["dims"] is not None) != (relation["kind"] == "transposed"):
        yield f"dims {relation['dims']} of {relation['kind']}"
    if (relation["index"] is not None) != (relation["kind"] == "part" and relation["same_numbers"]):
        yield f"index {relation['index']} of {relation['kind']}"
    if relation["kind"] == "unrelated" and relation["same_numbers"]:
        yield "unrelated, but with the same numbers"
    yield from check_other_steps(answer)


def check_other_steps(answer):
    """The steps of the file's shape, looked up here: all of them, those with the file's numbers apart."""
    document = answer.json
    if document["file"]["form"] != "npy":
        return  # exact, and of any shape
    numbers = list(values_in_npy(answer.content))
    lesson = schema.read("print", answer.lesson, "--format", "json", *answer.options)["lessons"][0]
    same = {True: [], False: []}
    for step in lesson["steps"]:
        if step["shape"] == document["file"]["shape"] and step["number"] != document["step"]["number"]:
            right = [float(value) for value in flat(step["values"])]
            agrees = all(x == y or abs(x - y) <= 5e-6 * max(1, abs(y)) for x, y in zip(numbers, right))
            same[agrees].append(": ".join(filter(None, (step["group"], step["name"]))))
    if (document["same_numbers"], document["same_shape"]) != (same[True], same[False]):
        yield f"same numbers {document['same_numbers']}, same shape {document['same_shape']}, not {same}"


def values_in_npy(content):
    start = 10 + struct.unpack("<H", content[8:10])[0]
    kind = {b"<f4": "<f", b"<f8": "<d"}[re.search(rb"'descr': '(...)'", content).group(1)]
    return (value for value, in struct.iter_unpack(kind, content[start:]))


def check_numbers(answer, values):
    """How many of these exact values differ, which is the first, and how far they are: computed here."""
    document, first = answer.json, answer.json["first_difference"]
    right = list(flat(values_of(answer.lesson, answer.wanted_step, *answer.options)))
    values = list(flat(values))
    def agree(x, y):
        return x == y or math.isnan(x) and math.isnan(y) or abs(x - y) <= TOLERANCE * max(1, abs(y)) < math.inf
    wrong = [i for i, (x, y) in enumerate(zip(values, right, strict=True)) if not agree(x, y)]
    apart = [abs(x - y) for x, y in zip(values, right) if math.isfinite(x - y)]
    if document["different"] != len(wrong):
        yield f"{document['different']} differ, not {len(wrong)}"
    if document["different_at"] != wrong[:4096] and document["verdict"] == "different":
        yield f"they differ at {document['different_at'][:9]}, not {wrong[:9]}"
    if not math.isclose(document["largest_difference"], max(apart, default=0), rel_tol=1e-6, abs_tol=1e-9):
        yield f"largest difference {document['largest_difference']}, not {max(apart, default=0)}"
    if not wrong:
        return
    position = 0
    for index, size in zip(first["index"], document["step"]["shape"]):
        position = position * size + index
    if position != wrong[0]:
        yield f"the first difference is {first['index']}, not element {wrong[0]}"
    for name, value in (("file", values[wrong[0]]), ("right", right[wrong[0]])):
        if float(first[name]) != float(f"{value:.9g}") and not (math.isnan(value) and first[name] == "nan"):
            yield f"first difference: {name} is {first[name]}, not {value}"
    most = 10 * TOLERANCE * max(1, abs(right[wrong[0]])) if math.isfinite(right[wrong[0]]) else 0
    if not 0 <= first["allowed"] <= most:
        yield f"first difference: {first['allowed']} would be allowed, more than {most}"


# --- Against the plain answer ------------------------------------------------------------------------------------


def texts_of(explanation):
    """What is said of its mistakes, and of those with the same arithmetic; of each once."""
    texts = explanation["text"] if explanation["kind"] == "mistakes" else []
    return texts + [text for a in explanation.get("alike", []) for text in a["text"] if text not in texts]


def facts_of_json(document):
    """What both answers say, in one form."""
    step, relation = document["step"], document["shape_relation"]
    others = document["same_numbers"] + document["same_shape"]
    facts = {
        "verdict": document["verdict"], "lesson": document["lesson"], "number": str(step["number"]),
        "step": ": ".join(filter(None, (step["group"], step["name"]))),
        "explanations": [[e["kind"], e.get("mistakes") or e.get("dims") or e.get("sentence") or e.get("parameter") or [e["step"]]]
                         for e in document["explanations"]],
        "alike": [a["mistakes"] for e in document["explanations"] for a in e.get("alike", [])],
        "text": [text for e in document["explanations"][:3] for text in texts_of(e)]
                + ([relation["text"]] if relation and relation["text"] else []),
        "hint": document["hint"], "name": document["file"]["name"], "form": FORMS[document["file"]["form"]],
        "shape": document["file"]["shape"], "others": others[:8], "more": max(0, len(others) - 8),
        "relation": None if relation is None else [relation["kind"], relation["dims"], relation["same_numbers"]],
    }
    if document["verdict"] == "different":
        facts["counts"] = [document["different"], document["elements"]]
        facts["place"] = document["first_difference"]["place"]
    if document["verdict"] in ("equal", "coarse", "stream", "rounded"):
        facts["counts"] = [document["elements"]]
    if document["verdict"] == "unjudged":
        facts["counts"] = [document["unjudged"], document["elements"]]
    if document["nearest"] is not None:
        facts["nearest"] = [document["nearest"]["mistakes"], document["nearest"]["different"]]
    return facts


def explanation_in(words):
    if words.startswith(("none of the", "unclear, because too few digits differ")):
        return []
    if words == "these are the numbers of" or words.endswith(", the numbers of"):  # of a mistake that only check knows
        return [["edit", []]]  # and its step stands below
    if "; the usual cause: " in words:
        return [["relation", words]]
    if words.startswith("your numbers are those "):
        return [["parameter", changed_in(words)]]
    step = re.search(r"another step: (.*) \(step \d+\)$", words)
    if step:
        return [["step", [step.group(1)]]]
    dims = re.search(r"transposed: try x\.(?:transpose|swapaxes)\((\d), (\d)\)$", words)
    if dims:
        return [["transposed", [int(dim) for dim in dims.groups()]]]
    return [["mistakes", words.replace(" together", "").split(" and ")]]


def changed_in(words):
    """lr=0.001 of "your numbers are those of lr 0.001", as JSON has it."""
    how = re.fullmatch(r"your numbers are those (of|with|without) (.*)", words)
    if "sets the seed once" in words:
        return "dropout_seed=none"
    if how.group(1) != "of":
        return how.group(2) + ("=yes" if how.group(1) == "with" else "=no")
    return how.group(2) if how.group(2).startswith("the course") else how.group(2).replace(" ", "=", 1)


def relation_in(plain):
    same_numbers = "apart from that, the numbers are right" in plain
    dims = re.search(r"^two dimensions are exchanged: try x\.\w+\((\d), (\d)\)", plain, re.M)
    if dims:
        return ["transposed", [int(dim) for dim in dims.groups()], same_numbers]
    for kind, sentence in (("part", "the first dimension is missing"), ("refolded", "the file has as many numbers")):
        if re.search("^" + sentence, plain, re.M):
            return [kind, None, same_numbers]
    return ["unrelated", None, same_numbers]


def chosen_in(text):
    """The parameters of "seed 5, d_out 4, bias", as JSON has them."""
    chosen = {}
    for name, _, value in (part.partition(" ") for part in (text or "").split(", ") if part):
        is_number = re.fullmatch(r"\d+(\.\d+)?", value)
        chosen[name] = True if not value else json.loads(value) if is_number else value
    return chosen


def facts_of_plain(plain):
    lines = plain.splitlines()
    head = re.fullmatch(r"(equal|equal as far as the digits show|unjudged|stream|rounded|different|shape): (.*) of (.+?) \((\w+), step (\d+)(?:; (.*))?\)", lines[0])
    kinds = {"explanation": [], "another explanation": [], "same effect here": [], "nearest": [], "hint": [], "steps with the same numbers": [], "steps with the same shape": []}
    for line in lines[1:-1]:
        word, colon, rest = line.partition(": ")
        if colon and word in kinds:
            kinds[word].append(rest)
    explanations = [found for words in kinds["explanation"] + kinds["another explanation"] for found in explanation_in(words)]
    steps = re.findall(r"^(?:another )?explanation: (?!.*: ).*(?:of|line)(?:\n    .*)*\n  where (.*) of the lesson has$", plain, re.MULTILINE)
    explanations = [["edit", [steps.pop(0)]] if kind == "edit" else [kind, what] for kind, what in explanations]
    others = ", ".join(kinds["steps with the same numbers"] + kinds["steps with the same shape"])
    more = re.search(r" and (\d+) more$", others)
    file = re.fullmatch(r"file: (.*?), (a [.\w]+ \w+|a \w+)( with .*| of .*?)? of shape \(([\d, ]*)\)", lines[-1])
    facts = {
        "verdict": "coarse" if head.group(1) == "equal as far as the digits show" else head.group(1), "step": head.group(3), "lesson": head.group(4), "number": head.group(5),
        "parameters": chosen_in(head.group(6)), "explanations": explanations,
        "alike": [words.replace(" together", "").split(" and ") for words in kinds["same effect here"]],
        "text": [line.strip() for line, after in zip(lines, lines[1:]) if after.startswith("  look for: ")],
        "hint": next(iter(kinds["hint"]), None), "name": file.group(1), "form": file.group(2),
        "shape": [int(size) for size in file.group(4).replace(",", " ").split()],
        "others": re.findall(r"(?:^|, )(.+?) \(step \d+\)", others), "more": int(more.group(1)) if more else 0,
        "relation": relation_in(plain) if head.group(1) == "shape" else None,
    }
    if head.group(1) != "shape":
        facts["counts"] = [int(count) for count in re.findall(r"\b\d+", head.group(2))]
    if head.group(1) == "different":
        facts["place"] = re.search(r"^first difference: at (.*) the file has ", plain, re.M).group(1)
    if kinds["nearest"]:
        names, count = re.fullmatch(r"(.*); (\d+) of \d+ numbers would still differ", kinds["nearest"][0]).groups()
        facts["nearest"] = [names.replace(" together", "").split(" and "), int(count)]
        facts["text"] = []  # those of the nearest mistake, which JSON leaves out
    return facts


def check_plain(answer):
    wanted, have = facts_of_json(answer.json), facts_of_plain(answer.plain)
    for name, value in have.pop("parameters").items():
        if answer.json["parameters"].get(name) != value:
            yield f"{name} is {answer.json['parameters'].get(name)!r} in JSON, {value!r} in the plain answer"
    for name in wanted.keys() | have.keys():
        if wanted.get(name) != have.get(name):
            yield f"{name}: {wanted.get(name)!r} in JSON, {have.get(name)!r} in the plain answer"


def check_answer(answer):
    document = answer.json
    yield from check_documented(document)
    yield from check_file(document["file"])
    if document["onestep"] not in schema.run("--version").decode().split():
        yield f"version {document['onestep']}"
    yield from check_plain(answer)
    yield from {"equal": check_equal, "coarse": check_equal, "unjudged": check_unjudged, "stream": check_stream, "rounded": check_rounded, "different": check_different, "shape": check_shape}[document["verdict"]](answer)


def check_case(lesson, step, content, *options, wanted, values=None, **how):
    """A file, and what the answer must be: a dict from "file.dtype" and the like to values."""
    answer = Answer(lesson, step, content, *options, **how)
    yield from check_answer(answer)
    if values is not None:
        yield from check_numbers(answer, values)
    for path, value in wanted.items():
        have = answer.at(path)
        if have != value and not (isinstance(value, float) and math.isclose(float(have), value, rel_tol=1e-6)):
            yield f"{path} is {have!r}, not {value!r}"
