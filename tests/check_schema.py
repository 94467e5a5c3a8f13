"""Is the JSON of `onestep check` what src/app/check/json.c says, to any reader of JSON, and what the plain answer says?

usage: check_schema.py ONESTEP

Every case is a file that a student might bring: numbers that were printed, changed, rounded, turned or computed here in
Python. It is checked in both formats; the JSON is read strictly, held against the documented members, against the plain
answer, and against the numbers themselves. Speaks TAP.
"""
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import json_schema as schema  # noqa: E402: the line above is for it
from json_schema import check_members, flat, say, shape_of  # noqa: E402

NUMBER = (int, float, str)  # strings: "inf", "-inf", "nan"
LIST_OR_NULL, STRING_OR_NULL, INTEGER_OR_NULL = (list, type(None)), (str, type(None)), (int, type(None))

MEMBERS = {
    "onestep": str, "lesson": str, "parameters": dict, "step": dict, "file": dict, "verdict": str,
    "elements": int, "different": int, "largest_difference": (int, float), "first_difference": (dict, type(None)),
    "explanations": list, "nearest": (dict, type(None)), "hint": STRING_OR_NULL, "shape_relation": (dict, type(None)),
    "same_numbers": list, "same_shape": list,
}
STEP = {"number": int, "name": str, "group": STRING_OR_NULL, "shape": list}
FILE = {"name": str, "form": str, "dtype": STRING_OR_NULL, "decimals": INTEGER_OR_NULL, "scientific": bool,
        "shape": list}
FIRST = {"index": list, "place": str, "file": NUMBER, "right": NUMBER, "allowed": (int, float)}
EXPLANATIONS = {
    "mistakes": {"kind": str, "mistakes": list, "text": list},
    "step": {"kind": str, "step": str},
    "transposed": {"kind": str, "dims": list},
}
NEAREST = {"mistakes": list, "different": int, "largest_difference": (int, float)}
RELATION = {"kind": str, "dims": LIST_OR_NULL, "index": INTEGER_OR_NULL, "same_numbers": bool}

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
        with open(os.path.join(FOLDER.encode(), name), "wb") as file:
            file.write(content)
        self.path = b"-" if from_input else name
        json_text, self.status = self.ask(name, "json")
        plain_text, plain_status = self.ask(name, "plain")
        os.remove(os.path.join(FOLDER.encode(), name))
        if plain_status != self.status:
            raise ValueError(f"exit status {self.status} with JSON, {plain_status} with plain")
        self.text, self.plain = json_text.decode("utf-8"), plain_text.decode("utf-8")  # strictly
        self.json = schema.read_strictly(self.text)

    def ask(self, name, format):
        with open(os.path.join(FOLDER.encode(), name), "rb") as file:
            done = subprocess.run([ONESTEP, "check", self.lesson, "--step", self.wanted_step, self.path, "--format",
                                   format, *self.options], capture_output=True, cwd=FOLDER, stdin=file)
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
        if "text" in explanation and len(explanation["text"]) != len(explanation["mistakes"]):
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


def facts_of_json(document):
    """What both answers say, in one form."""
    step, relation = document["step"], document["shape_relation"]
    others = document["same_numbers"] + document["same_shape"]
    facts = {
        "verdict": document["verdict"], "lesson": document["lesson"], "number": str(step["number"]),
        "step": ": ".join(filter(None, (step["group"], step["name"]))),
        "explanations": [[e["kind"], e.get("mistakes") or e.get("dims") or [e["step"]]]
                         for e in document["explanations"]],
        "text": [text for e in document["explanations"][:3] for text in e.get("text", [])],
        "hint": document["hint"], "name": document["file"]["name"], "form": FORMS[document["file"]["form"]],
        "shape": document["file"]["shape"], "others": others[:8], "more": max(0, len(others) - 8),
        "relation": None if relation is None else [relation["kind"], relation["dims"], relation["same_numbers"]],
    }
    if document["verdict"] == "different":
        facts["counts"] = [document["different"], document["elements"]]
        facts["place"] = document["first_difference"]["place"]
    if document["verdict"] == "equal":
        facts["counts"] = [document["elements"]]
    if document["nearest"] is not None:
        facts["nearest"] = [document["nearest"]["mistakes"], document["nearest"]["different"]]
    return facts


def explanation_in(words):
    if words.startswith("none of the"):
        return []
    step = re.search(r"another step: (.*) \(step \d+\)$", words)
    if step:
        return [["step", [step.group(1)]]]
    dims = re.search(r"transposed: try x\.(?:transpose|swapaxes)\((\d), (\d)\)$", words)
    if dims:
        return [["transposed", [int(dim) for dim in dims.groups()]]]
    return [["mistakes", words.replace(" together", "").split(" and ")]]


def relation_in(plain):
    same_numbers = "seen so, the numbers are right" in plain
    dims = re.search(r"^it is the shape of the transposition: try x\.\w+\((\d), (\d)\)", plain, re.M)
    if dims:
        return ["transposed", [int(dim) for dim in dims.groups()], same_numbers]
    for kind, sentence in (("part", "the first dimension is missing"), ("refolded", "it has as many numbers")):
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
    head = re.fullmatch(r"(equal|different|shape): (.*) of (.+?) \((\w+), step (\d+)(?:; (.*))?\)", lines[0])
    kinds = {"explanation": [], "or": [], "nearest": [], "hint": [], "same numbers": [], "same shape": []}
    for line in lines[1:-1]:
        word, colon, rest = line.partition(": ")
        if colon and word in kinds:
            kinds[word].append(rest)
    explanations = [found for words in kinds["explanation"] + kinds["or"] for found in explanation_in(words)]
    others = ", ".join(kinds["same numbers"] + kinds["same shape"])
    more = re.search(r" and (\d+) more$", others)
    file = re.fullmatch(r"file: (.*?), (a [.\w]+ \w+|a \w+)( with .*| of .*?)? of shape \(([\d, ]*)\)", lines[-1])
    facts = {
        "verdict": head.group(1), "step": head.group(3), "lesson": head.group(4), "number": head.group(5),
        "parameters": chosen_in(head.group(6)), "explanations": explanations,
        "text": [line.strip() for line, after in zip(lines, lines[1:]) if after.startswith("  look for: ")],
        "hint": next(iter(kinds["hint"]), None), "name": file.group(1), "form": file.group(2),
        "shape": [int(size) for size in file.group(4).replace(",", " ").split()],
        "others": re.findall(r"(?:^|, )(.+?) \(step \d+\)", others), "more": int(more.group(1)) if more else 0,
        "relation": relation_in(plain) if head.group(1) == "shape" else None,
    }
    if head.group(1) != "shape":
        facts["counts"] = [int(count) for count in re.findall(r"\d+", head.group(2))]
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
    yield from {"equal": check_equal, "different": check_different, "shape": check_shape}[document["verdict"]](answer)


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


# --- Right numbers -----------------------------------------------------------------------------------------------

EQUAL = {"verdict": "equal", "different": 0}


def check_forms():
    inputs = values_of("simplified", "inputs")
    def case(content, form, dtype, decimals, scientific=False, values=None):
        return check_case("simplified", "inputs", content, values=values, wanted={
            **EQUAL, "file.form": form, "file.dtype": dtype, "file.decimals": decimals, "file.scientific": scientific})
    yield from case(printed("simplified", "inputs", format="torch"), "tensor", None, 4)
    yield from case(printed("simplified", "inputs", "--digits", "7", format="torch"), "tensor", None, 7)
    yield from case(numpy_text(inputs), "array", None, 8)
    yield from case(b"array(" + numpy_text(inputs).replace(b" ", b", ") + b", dtype=float32)", "array", None, 8)
    yield from case(python_list(each(lambda x: round(x, 2), inputs)), "list", None, 2)
    yield from case(b"\xef\xbb\xbfmine = " + python_list(each(lambda x: round(x, 3), inputs)), "list", None, 2)
    yield from case(b'{"values": ' + python_list(each(lambda x: round(x, 2), inputs)) + b"}", "list", None, 2)
    yield from case("\n".join(";".join(f"{x:.5f}" for x in row) for row in inputs).encode(), "table", None, 5)
    yield from case(printed("simplified", "inputs"), "npy", "float32", None, values=inputs)
    rows = (", ".join(f"{x:.4e}" for x in row) for row in inputs)
    yield from case(("tensor([[" + "], [".join(rows) + "]])").encode(), "tensor", None, 4, scientific=True)
    yield from case(npy(inputs), "npy", "float64", None, values=inputs)
    yield from case(npy(inputs, ">f4"), "npy", "float32", None)


def check_whole_numbers():
    mask, ids = values_of("causal", "mask_tril"), values_of("model", "ids")
    bools = each(bool, values_of("causal", "mask_bool"))
    for descr in ("|b1", "|u1", "<i2", ">i4", "<i8"):
        yield from check_case("causal", "mask_tril", npy(mask, descr),
                              wanted={**EQUAL, "file.dtype": DTYPES[descr], "elements": 36, "largest_difference": 0})
    exact = {**EQUAL, "file.decimals": None, "file.scientific": False, "file.dtype": None}
    yield from check_case("causal", "mask_tril", python_list(each(int, mask)), wanted={**exact, "file.form": "list"})
    yield from check_case("causal", "mask_tril", printed("causal", "mask_tril", format="torch"),
                          wanted={**exact, "file.form": "tensor"})  # tensor([[1., 0., ...
    yield from check_case("causal", "mask_bool", python_list(bools), wanted={**exact, "file.form": "list"})
    yield from check_case("causal", "mask_bool", f"tensor({bools})".encode(), wanted={**exact, "file.form": "tensor"})
    yield from check_case("model", "ids", npy(ids, "<i8"), wanted={**EQUAL, "file.shape": shape_of(ids)})


def check_dimensions():
    """None, one and four; a table has rows and columns, and neither a vector nor a batch minds."""
    loss = values_of("model", "loss")
    yield from check_case("model", "loss", npy(loss), values=loss,
                          wanted={**EQUAL, "elements": 1, "step.shape": [], "file.shape": []})
    yield from check_case("model", "loss", f"tensor({loss:.4f}, grad_fn=<NllLossBackward0>)".encode(), wanted=EQUAL)
    yield from check_case("split_head", "scores", printed("split_head", "scores"),
                          wanted={**EQUAL, "elements": 2 * 2 * 6 * 6, "file.shape": [2, 2, 6, 6]})
    yield from check_case("split_head", "output", printed("split_head", "output", format="csv"),
                          wanted={**EQUAL, "file.form": "table", "file.shape": [12, 2], "step.shape": [2, 6, 2]})
    yield from check_case("simplified", "query", b"0.55\n0.87\n0.66\n",
                          wanted={**EQUAL, "file.form": "table", "file.shape": [3, 1]})


def check_infinities():
    scores = values_of("causal", "masked_scores")
    yield from check_case("causal", "masked_scores", npy(scores), values=scores, wanted=EQUAL)
    wrong = each(lambda x: -1e9 if x == -math.inf else x, scores)  # a way to mask that is as good, but another
    yield from check_case("causal", "masked_scores", npy(wrong), values=wrong, wanted={
        "verdict": "different", "different": 15, "first_difference.index": [0, 1], "first_difference.file": -1e9,
        "first_difference.right": "-inf", "first_difference.allowed": 0})
    for number, name in ((math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")):
        wrong = [[number, *row[1:]] for row in scores]
        yield from check_case("causal", "masked_scores", npy(wrong), values=wrong, wanted={
            "verdict": "different", "different": 6, "first_difference.file": name, "first_difference.index": [0, 0]})
    yield from check_case("simplified", "query", b'[NaN, Infinity, "-inf"]', wanted={
        "verdict": "different", "different": 3, "first_difference.file": "nan", "largest_difference": 0,
        "first_difference.allowed": ROUNDING * schema.as_float32(0.55), "file.decimals": None})


def check_precision():
    """Half a unit of the last digit is allowed, and what machines may differ by; a zero keeps its sign."""
    for text, half_unit in (("0.54", 5e-3), ("0.545", 5e-4), ("0.5400", 5e-5), ("5.4e-1", 5e-3)):
        yield from check_case("simplified", "query", f"[{text}, 0.87, 0.66]".encode(), wanted={
            "verdict": "different", "different": 1, "first_difference.index": [0],
            "first_difference.allowed": half_unit + ROUNDING * schema.as_float32(0.55), "first_difference.file": float(text)})
    yield from check_case("simplified", "query", b"[0.6, 0.9, 0.7]", wanted=EQUAL)
    weights = values_of("causal", "causal_weights")
    weights[0][5] = 1.9e-6  # where the mask made an exact 0
    yield from check_case("causal", "causal_weights", npy(weights), wanted={
        "verdict": "different", "different": 1, "first_difference.index": [0, 5], "first_difference.allowed": 0})
    yield from check_case("simplified", "query", b"[6.e-01 9.e-01 7.e-01]",  # NumPy leaves out zeros at the end
                          wanted={**EQUAL, "file.form": "array", "file.decimals": 0, "file.scientific": True})
    yield from check_case("simplified", "query", b"[0.6, 0.8, 0.7]", wanted={"verdict": "different", "different": 1})
    answer = Answer("simplified", "query", b"[-0.0, 0.87, 0.66]")
    if math.copysign(1, answer.at("first_difference.file")) != -1:
        yield "-0.0 loses its sign"


# --- Mistakes ----------------------------------------------------------------------------------------------------


def check_every_mistake():
    """Each in one of the lessons that it changes, in turn: it is among the explanations, and simple ones come first."""
    for at, mistake in enumerate(schema.read("list", "--what-ifs", "--format", "json")["what_ifs"]):
        change = mistake["changes"][at % len(mistake["changes"])]
        options, step = (change["options"] or "").split(), change["steps"][at % len(change["steps"])]
        answer = Answer(change["lesson"], step, printed(change["lesson"], step, "--what-if", mistake["name"], *options),
                        *options)
        where = f"{mistake['name']} in {change['lesson']} {step}"
        yield from (f"{where}: {problem}" for problem in check_answer(answer))
        found = {tuple(e["mistakes"]): e["text"] for e in answer.json["explanations"] if e["kind"] == "mistakes"}
        if found.get((mistake["name"],)) != [f"{mistake['title']}. {mistake['wrong']}"]:
            yield f"{where}: found {found}"
        counts = [len(e.get("mistakes", "-")) for e in answer.json["explanations"]]
        if counts != sorted(counts):
            yield f"{where}: a pair before what is simpler"


def mistakes(*names):
    return {"verdict": "different", "explanations.0.kind": "mistakes", "explanations.0.mistakes": list(names),
            "nearest": None, "hint": None}


def check_mistakes_of_our_own():
    """Weights computed here, from the printed queries and keys, with one mistake and with two."""
    scores = product(values_of("causal", "queries"), turned(values_of("causal", "keys")))
    def masked(hides):
        return [[-math.inf if hides(i, j) else x for j, x in enumerate(row)] for i, row in enumerate(scores)]
    def divided(scores, by):
        return each(lambda x: x / by, scores)
    future = masked(lambda i, j: j > i)
    cases = [
        (divided(future, math.sqrt(2)), {**EQUAL}),
        (future, mistakes("no-scale")),
        (divided(masked(lambda i, j: j < i), math.sqrt(2)), mistakes("mask-upside-down")),
        (masked(lambda i, j: j < i), mistakes("no-scale", "mask-upside-down")),
        (divided([[0 if j > i else x for j, x in enumerate(row)] for i, row in enumerate(scores)], math.sqrt(2)),
         mistakes("mask-zero")),
    ]
    for wrong, wanted in cases:
        weights = softmax_rows(wrong)
        yield from check_case("causal", "causal_weights", npy(weights), wanted=wanted, values=weights)
        yield from check_case("causal", "causal_weights", numpy_text(weights), wanted=wanted)


def check_pairs():
    for lesson, step, names, options in (
            ("causal", "context", ("mask-diagonal", "swapped-qk"), ["--seed", "5"]),
            ("wrapper", "head 2: weights", ("no-scale", "weight-untransposed"), []),
            ("split_head", "output", ("heads-by-view", "no-out-proj"), ["--d-out", "4"]),
            ("model", "logits", ("softmax-columns", "no-bias"), [])):
        made = [option for name in names for option in ("--what-if", name)]
        answer = Answer(lesson, step, printed(lesson, step, *options, *made), *options)
        yield from check_answer(answer)
        found = [set(e["mistakes"]) for e in answer.json["explanations"] if e["kind"] == "mistakes"]
        if set(names) not in found or min(map(len, found)) < 2:
            yield f"{lesson} {step}: found {found}, not {names}"


def check_seeds():
    """The dropout lesson sets two seeds, 789 and 123; either may be wrong alone, and then that is said."""
    step = "mt19937: weights_dropped"
    for weights, masks, place in (("123", "123", "the weights"), ("789", "789", "the dropout masks")):
        content = printed("dropout", step, "--seed", weights, "--dropout-seed", masks)
        answer = Answer("dropout", step, content)
        yield from check_answer(answer)
        named = [e["mistakes"] for e in answer.json["explanations"] if e["kind"] == "mistakes"]
        if named != [["wrong-seed"]] or place not in answer.at("explanations.0.text.0"):
            yield f"{place}: {answer.json['explanations']}"
    content = printed("dropout", "mt19937: context", "--seed", "123", "--dropout-seed", "123", "--what-if", "no-scale")
    answer = Answer("dropout", "mt19937: context", content)
    yield from check_answer(answer)
    if [e["mistakes"] for e in answer.json["explanations"]] != [["no-scale", "wrong-seed"]]:
        yield f"a pair with a seed: {answer.json['explanations']}"


def check_other_tensors():
    def explained(lesson, step, values, explanation):
        answer = Answer(lesson, step, npy(values))
        yield from check_answer(answer)
        yield from check_numbers(answer, values)
        if explanation not in answer.json["explanations"]:
            yield f"{lesson} {step}: {answer.json['explanations']}"
    scores = values_of("split_head", "scores")
    yield from explained("causal", "scores", turned(values_of("causal", "scores")),
                         {"kind": "transposed", "dims": [0, 1]})
    yield from explained("split_head", "scores", [[turned(head) for head in heads] for heads in scores],
                         {"kind": "transposed", "dims": [2, 3]})
    yield from explained("causal", "keys", values_of("causal", "values"), {"kind": "step", "step": "values"})
    yield from explained("wrapper", "head 2: context", values_of("wrapper", "head 1: context"),
                         {"kind": "step", "step": "head 1: context"})
    yield from explained("trainable", "rand: queries", values_of("trainable", "linear: queries"),
                         {"kind": "step", "step": "linear: queries"})


# --- Numbers that nothing explains -------------------------------------------------------------------------------


def rounded_to(format, x):
    """In half precision: float16, or the upper half of a float32."""
    if format == "float16":
        return struct.unpack("<e", struct.pack("<e", x))[0]
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]


def says(answer, hint, nearest):
    document = answer.json
    yield from check_answer(answer)
    if document["explanations"]:
        yield f"explained by {document['explanations']}"
    if (document["hint"] is None) != (hint is None) or hint is not None and hint not in document["hint"]:
        yield f"hint {document['hint']!r}, not {hint!r}"
    if (document["nearest"] or {}).get("mistakes") != nearest:
        yield f"nearest {document['nearest']}, not {nearest}"


def check_hints():
    weights = values_of("causal", "causal_weights")
    for format in ("float16", "bfloat16"):
        half = each(lambda x, format=format: rounded_to(format, x), weights)
        answer = Answer("causal", "causal_weights", npy(half))
        yield from says(answer, "half precision", None)
        yield from check_numbers(answer, half)
    for count, hint in ((1, "only 1 of 36 numbers is"), (4, "only 4 of 36 numbers are"), (5, None)):
        slips = [list(row) for row in weights]
        for i in range(count):
            slips[5][i] += 0.25
        answer = Answer("causal", "causal_weights", npy(slips))
        yield from says(answer, hint, None)
        yield from check_numbers(answer, slips)


def check_masks():
    """A large number hides as well as -inf does; -1 hides nothing, nor does a mask with a slip beside it."""
    scores = values_of("causal", "masked_scores")
    for number, slip, hint in ((-1e9, 0, "hide as well"), (-1e4, 0, "hide as well"), (-1, 0, None),
                               (1e9, 0, None), (-1e9, 0.5, None), (math.nan, 0, None)):
        masked = each(lambda x, number=number: number if x == -math.inf else x, scores)
        masked[5][5] += slip
        answer = Answer("causal", "masked_scores", npy(masked))
        yield from says(answer, hint, None)
        yield from check_numbers(answer, masked)
    hidden = softmax_rows([[-1e4 if x == -math.inf else x / math.sqrt(2) for x in row] for row in scores])
    yield from check_case("causal", "causal_weights", npy(hidden), wanted=EQUAL)


def check_nearest():
    wrong = values_of("causal", "causal_weights", "--what-if", "no-scale")
    for row, left in ((5, 6), (1, 2)):
        slips = [list(numbers) for numbers in wrong]
        slips[row][:left] = [x / 2 for x in slips[row][:left]]
        answer = Answer("causal", "causal_weights", npy(slips))
        yield from says(answer, None, ["no-scale"])
        nearest = answer.json["nearest"]
        largest = max(wrong[row]) / 2  # what was halved is half as far as it was large
        if nearest["different"] != left or not math.isclose(nearest["largest_difference"], largest, rel_tol=1e-5):
            yield f"nearest: {nearest}, not {left} and {largest}"
    pair = values_of("causal", "causal_weights", "--what-if", "no-scale", "--what-if", "mask-upside-down")
    pair[0][0] = 0.5
    yield from says(Answer("causal", "causal_weights", npy(pair)), None, ["no-scale", "mask-upside-down"])


# --- Another shape -----------------------------------------------------------------------------------------------


def related(kind, dims=None, index=None, same_numbers=False):
    return {"verdict": "shape", "shape_relation": {"kind": kind, "dims": dims, "index": index,
                                                   "same_numbers": same_numbers}}


def check_shapes():
    inputs = values_of("simplified", "inputs")
    loss = values_of("model", "loss")
    cases = [
        ("simplified", "inputs", turned(inputs), related("transposed", [0, 1], same_numbers=True)),
        ("simplified", "inputs", zeros(3, 6), related("transposed", [0, 1])),
        ("split_head", "queries_by_head", values_of("split_head", "queries_viewed"),
         {**related("transposed", [1, 2], same_numbers=True), "same_numbers": ["queries_viewed"],
          "same_shape": ["context_transposed", "context_contiguous"]}),
        ("simplified", "inputs", inputs[3], related("part", index=3, same_numbers=True)),
        ("simplified", "inputs", zeros(3), {**related("part"), "same_numbers": [],
                                            "same_shape": ["query", "query_context"]}),
        ("wrapper", "head 2: weights", values_of("wrapper", "head 2: weights")[1],
         related("part", index=0, same_numbers=True)),  # both sentences are alike, so the first is as good
        ("simplified", "query", [inputs[1]], {**related("refolded", same_numbers=True), "file.shape": [1, 3]}),
        ("simplified", "query", zeros(1, 3), related("refolded")),
        ("model", "loss", [loss], {**related("refolded", same_numbers=True), "step.shape": []}),
        ("simplified", "query", zeros(), {**related("unrelated"), "file.shape": [], "same_shape": []}),
        ("simplified", "scores", zeros(5, 6), related("unrelated")),
        ("simplified", "query_context", inputs, {**related("unrelated"), "same_numbers": ["inputs"],
                                                 "same_shape": ["context"]}),
        ("wrapper", "head 2: scores", values_of("wrapper", "head 1: keys"),
         {**related("unrelated"), "same_numbers": ["head 1: keys"]}),
    ]
    for lesson, step, values, wanted in cases:
        yield from check_case(lesson, step, npy(values), wanted=wanted)
        yield from check_case(lesson, step, python_list(values), wanted=wanted)
    many = Answer("trainable", "score_variance", npy(zeros(6, 2)))
    yield from check_answer(many)
    if len(many.json["same_shape"]) <= 8 or " and " not in many.plain:
        yield "the lesson should have more than eight steps of shape (6, 2)"
    yield from check_case("simplified", "scores", b"1,2,3\n4,5,6\n",
                          wanted={**related("unrelated"), "file.form": "table", "file.shape": [2, 3]})


# --- Which run, which file ---------------------------------------------------------------------------------------


def check_parameters():
    def parameters(values, lesson, step, *options):
        return check_case(lesson, step, printed(lesson, step, *options), *options,
                          wanted={**EQUAL, "lesson": lesson, "parameters": values})
    causal = {"input": None, "seed": 789, "d_out": 2, "bias": False}
    wrapper = {"input": None, "seed": 123, "d_out": 2, "heads": 2, "dropout": 0,
               "bernoulli": "mt19937", "bias": False, "context_length": 6, "batch": 2, "eval": False}
    yield from parameters(causal, "causal", "queries")
    yield from parameters(wrapper, "wrapper", "context", "--heads", "2")  # as it is anyway
    yield from parameters({**causal, "seed": 5, "d_out": 4}, "causal", "queries", "--seed", "5", "--d-out", "4")
    yield from parameters({"seed": 18446744073709551615, "heads": 2}, "model", "embedding",
                          "--seed", "18446744073709551615")
    yield from parameters({**wrapper, "seed": 9, "d_out": 4, "bias": True}, "split_head", "context",
                          "--bias", "--seed", "9", "--d-out", "4")
    wrong = printed("causal", "context", "--what-if", "no-scale", *PARAMETERS)
    yield from check_case("causal", "context", wrong, *PARAMETERS, wanted={
        **mistakes("no-scale"), "parameters": {**causal, "seed": 9, "d_out": 4, "bias": True}})
    yield from check_case("causal", "context", wrong, wanted={"verdict": "shape", "parameters": causal})


def check_groups():
    for lesson, wanted, number, group, name in (
            ("wrapper", "head 2: queries", 18, "head 2", "queries"), ("wrapper", "26", 26, None, "context"),
            ("wrapper", "context", 26, None, "context"), ("dropout", "mcg31m1: row_sums", 17, "mcg31m1", "row_sums"),
            ("model", "13", 13, None, "weights"), ("trainable", "copied_queries", 28, None, "copied_queries")):
        yield from check_case(lesson, wanted, printed(lesson, wanted), wanted={
            **EQUAL, "step.number": number, "step.group": group, "step.name": name})


def check_names():
    """Names are those that the file system has; in an answer they are harmless and valid UTF-8."""
    for name, shown in (
            (b"mine.txt", "mine.txt"), (b'quo"te\\s, and a, comma: [{}].txt', 'quo"te\\s, and a, comma: [{}].txt'),
            ("é 日本 🚀.npy".encode(), "é 日本 🚀.npy"), (b"\x01\x1b[31m\x7f.txt", "\\x01\\x1b[31m\\x7f.txt"),
            (b"two\nlines\t.txt", "two\\x0alines\\x09.txt"), (b"\xff\xc3.txt", "\\xff\\xc3.txt"),
            ("\u202egpj.txt".encode(), "\\u202egpj.txt"), ("a\u0085b".encode(), None), (b" ", " "),
            (b"x" * 255, "x" * 255)):
        for content in (b"[0.55, 0.87, 0.66]", b"[0, 1]", b"[0, 1, 2]"):
            answer = Answer("simplified", "query", content, name=name)
            yield from check_answer(answer)
            if shown is not None and answer.at("file.name") != shown:
                yield f"{name!r} is called {answer.at('file.name')!r}"
            if not answer.at("file.name").isprintable():
                yield f"{name!r} is called {answer.at('file.name')!r}, which is not harmless"
    yield from check_case("simplified", "query", b"[0.55, 0.87, 0.66]", from_input=True,
                          wanted={**EQUAL, "file.name": "standard input"})
    yield from check_case("simplified", "query", b"[1, 2, 3]", from_input=True,
                          wanted={"verdict": "different", "file.name": "standard input"})


def check_tokens():
    """Tokens, and the name of their file, are in places and parameters as they are."""
    name = b'"in\xff\\put".csv'
    with open(os.path.join(FOLDER.encode(), name), "w", encoding="utf-8") as file:
        file.write('token,"d""1\\",d 2\n"say ""hi""\\",1,2\n日本,3,4\n')
    for values, place in (([[0, 2], [3, 4]], 'say "hi"\\'), ([[1, 2], [3, 0]], "日本")):
        answer = Answer("simplified", "inputs", npy(values), "--input", name)
        yield from check_answer(answer)
        if place not in answer.at("first_difference.place"):
            yield f"place {answer.at('first_difference.place')!r}"
        if answer.json["parameters"]["input"] != '"in\\xff\\put".csv':
            yield f"parameters {answer.json['parameters']!r}"


def check_refusals():
    """Who asks in JSON gets an answer or none: never half of one."""
    path = os.path.join(FOLDER, "bad.txt")
    for content in (b"", b"[1, 2", b"[[1, 2], [3]]", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x00"):
        with open(path, "wb") as file:
            file.write(content)
        done = subprocess.run([ONESTEP, "check", "simplified", "--step", "query", path, "--format", "json"],
                              capture_output=True)
        if done.returncode != 2 or done.stdout or not done.stderr.startswith(b"onestep: "):
            yield f"{content!r}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}"


# --- TAP ---------------------------------------------------------------------------------------------------------


def main():
    say("every form", check_forms())
    say("whole numbers", check_whole_numbers())
    say("dimensions", check_dimensions())
    say("infinities and nan", check_infinities())
    say("precision", check_precision())
    say("every mistake", check_every_mistake())
    say("mistakes made here", check_mistakes_of_our_own())
    say("pairs of mistakes", check_pairs())
    say("seeds, each on its own", check_seeds())
    say("other tensors", check_other_tensors())
    say("hints", check_hints())
    say("masks of large numbers", check_masks())
    say("the nearest mistake", check_nearest())
    say("shapes", check_shapes())
    say("parameters", check_parameters())
    say("groups", check_groups())
    say("names of files", check_names())
    say("tokens", check_tokens())
    say("refusals", check_refusals())
    print(f"1..{schema.checks}")
    return schema.failures > 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ONESTEP = schema.ONESTEP = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as FOLDER:
        schema.REFERENCE = FOLDER  # where it runs the program
        status = main()
    sys.exit(status)
