"""Is the JSON of `onestep check` what src/app/check/json.c says, to any reader of JSON, and what the plain answer says?

usage: check_schema.py ONESTEP

Every case is a file that a student might bring: numbers that were printed, changed, rounded, turned or computed here in
Python. It is checked in both formats; the JSON is read strictly, held against the documented members, against the plain
answer, and against the numbers themselves. Speaks TAP.
"""
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import json_schema as schema  # noqa: E402: the line above is for it
from check_answer import (  # noqa: E402
    Answer, DTYPES, PARAMETERS, ROUNDING, check_answer, check_case, check_numbers, each, npy,
    numpy_text, printed, product, python_list, softmax_rows, turned, values_of, zeros,
)
from json_schema import say, shape_of  # noqa: E402


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



def check_relations():
    """Numbers that are the right ones but for something simple: what was done at the end of the line, or how they were saved."""
    for lesson, step, function, end in (
        ("trainable", "rand: scores", lambda x: 0.731 * x, " * 0.731\n"), ("causal", "scores", lambda x: 6 * x, " * 6\n"),
        ("model", "logits", lambda x: x + 0.25, " + 0.25\n"),
    ):
        answer = Answer(lesson, step, npy(each(function, values_of(lesson, step))))
        yield from check_answer(answer)
        if answer.json["code"] != "edit" or not answer.json["explanations"][0]["line"].endswith(end):
            yield f"{lesson} {step}, not{end.rstrip()}: {answer.json['explanations']}"
    yield from check_case("causal", "scores", npy(each(lambda x: round(x, 3), values_of("causal", "scores"))),
                          wanted={"verdict": "different", "code": "rounded", "explanations.0.relation": "rounded"})


def check_rounding():
    """What rounding alone moves has no answer, and what was rounded to whole numbers a coarse one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "check")
    with open(os.path.join(path, "rounding-1.13-training-lr=1-updates=40-losses.txt"), "rb") as file:
        yield from check_case("training", "losses", file.read(), "--lr=1", "--updates=40",
                              wanted={"verdict": "unjudged", "code": "unjudged", "different": 0})
    yield from check_case("causal", "weights", printed("causal", "weights", "--digits=0", format="torch"),
                          wanted={"verdict": "coarse", "code": "coarse", "file.decimals": 0, "different": 0, "unjudged": 0})


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


def named(answer):
    """All mistakes that explain it, those that are the same arithmetic as another each by itself."""
    entries = [e for e in answer.json["explanations"] if e["kind"] == "mistakes"]
    return [name for entry in entries for name in (entry, *entry["alike"])]


def raises(*wrong):
    """Does PyTorch raise an error in the step with the mistake?"""
    try:
        printed(*wrong)
    except ValueError as error:
        return "RuntimeError: " in str(error)
    return False


def check_every_mistake():
    """Each in one of the lessons that it changes, in turn: it is among the explanations, and simple ones come first. Every
    eighth one, but all among the slow tests."""
    stride = 1 if os.environ.get("ONESTEP_TESTS_SLOW") else 8
    for at, mistake in enumerate(schema.read("list", "--what-ifs", "--format", "json")["what_ifs"]):
        if at % stride:
            continue
        # Training with each mistake takes long; some mistakes are there only.
        changes = [c for c in mistake["changes"] if c["lesson"] not in ("training", "sampling")] or mistake["changes"]
        change = changes[at % len(changes)]
        # The key's bias and its gradient are rounding: what a mistake does to them can't be told from that.
        steps = [step for step in change["steps"] if not step.endswith(("W_key_bias", "W_key_bias_grad"))]
        options, first = shlex.split(change["options"] or ""), at % len(steps)
        if change["lesson"] == "training":
            options += ["--updates", "100"]
        # At some steps the mistake raises, so no student has numbers of them: the next one that has.
        runs = [(change["lesson"], step, "--what-if", mistake["name"], *options) for step in steps[first:] + steps[:first]]
        wrong = next(run for run in runs if not raises(*run))
        step = wrong[1]
        answer = Answer(change["lesson"], step, printed(*wrong), *options)
        where = f"{mistake['name']} in {change['lesson']} {step}"
        yield from (f"{where}: {problem}" for problem in check_answer(answer))
        found = {tuple(e["mistakes"]): e["text"] for e in named(answer)}
        if (answer.json["verdict"] == "stream") != (mistake["name"] == "other-bernoulli"):
            yield f"{where}: verdict {answer.json['verdict']}"
        elif not re.search(rb"\d|True|False", printed(*wrong, format="torch")):  # nan alone may come of anything: the way to look is named instead
            if found or not answer.json["hint"]:
                yield f"{where}: found {found} in nan, hint {answer.json['hint']}"
        elif answer.json["verdict"] == "unjudged":
            pass  # it changes numbers that are rounding, too
        elif answer.json["code"] == "unclear" and answer.json["different"] < 4:
            pass  # so few numbers could come of other mistakes, too
        elif mistake["name"] != "other-bernoulli" and found.get((mistake["name"],)) != [f"{mistake['title']}. {mistake['wrong']}"]:
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
        found = [set(e["mistakes"]) for e in named(answer)]
        if set(names) not in found or min(map(len, found)) < 2:
            yield f"{lesson} {step}: found {found}, not {names}"


def check_seeds():
    """The dropout lesson sets two seeds, 789 and 123; either may be wrong alone, and then that is said."""
    step = "mt19937: weights_dropped"
    for weights, masks, place in (("123", "123", "W_query"), ("789", "789", "mt19937: ones_dropped")):
        content = printed("dropout", step, "--seed", weights, "--dropout-seed", masks)
        answer = Answer("dropout", step, content)
        yield from check_answer(answer)
        found = [e["mistakes"] for e in answer.json["explanations"] if e["kind"] == "mistakes"]
        if found != [["wrong-seed"]] or place != answer.at("explanations.0.step"):
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
        yield from check_answer(answer)
        if (answer.json["verdict"], answer.json["precision"]) != ("rounded", format):
            yield f"{answer.json['verdict']} in {answer.json['precision']}, not rounded in {format}"
    for count, hint in ((1, "only 1 of 36 numbers is"), (4, "only 4 of 36 numbers are"), (5, None)):
        slips = [list(row) for row in weights]
        for i in range(count):  # in no single row or column
            slips[5 - i][min(i, 4 - i)] += 0.25
        answer = Answer("causal", "causal_weights", npy(slips))
        yield from says(answer, hint, None)
        yield from check_numbers(answer, slips)


def check_masks():
    """A large number hides as well as -inf does; -1 hides nothing, nor does a mask with a slip beside it."""
    scores = values_of("causal", "masked_scores")
    for number in -1, 1e9:
        answer = Answer("causal", "masked_scores", npy(each(lambda x, number=number: number if x == -math.inf else x, scores)))
        yield from check_answer(answer)
        if [explanation.get("relation") for explanation in answer.json["explanations"]] != ["constant"]:
            yield f"{number} for -inf: {answer.json['explanations']}"
    for number, slip, hint in (-1e9, 0, "turns both into 0"), (-1e4, 0, "turns both into 0"), (-1e9, 0.5, None), (math.nan, 0, None):
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


def related(kind, dims=None, index=None, same_numbers=False, mistake=None, text=None):
    return {"verdict": "shape", "shape_relation": {"kind": kind, "dims": dims, "index": index,
                                                   "same_numbers": same_numbers, "mistake": mistake, "text": text,
                                                   "line": None, "right_line": None}}


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
        ("simplified", "query", [inputs[1]], {"verdict": "equal", "file.shape": [1, 3], "step.shape": [3]}),
        ("simplified", "inputs", [sum(inputs[:3], []), sum(inputs[3:], [])],
         {**related("refolded", same_numbers=True), "file.shape": [2, 9]}),
        ("simplified", "inputs", zeros(2, 9), related("refolded")),
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
    yield from check_case("model", "loss", npy([loss]), wanted={"verdict": "equal", "step.shape": []})
    # torch.manual_seed(789); torch.nn.Linear(2, 3).weight
    sizes = [[0.387091726, 0.559473932], [0.626867115, -0.206106678], [-0.413813174, -0.11239957]]
    swapped = {"verdict": "shape", "shape_relation.mistake": "layer-sizes-swapped", "shape_relation.dims": [0, 1]}
    yield from check_case("causal", "W_query", npy(sizes), wanted=swapped)
    yield from check_case("causal", "W_query", python_list(sizes), wanted=swapped)
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
    model = {"seed": 18446744073709551615, "d_model": 4, "hidden": 8, "vocabulary": 6, "heads": 2, "dropout": 0,
             "bernoulli": "mt19937", "eval": False, "text": "Your journey starts with one step"}
    yield from parameters(model, "model", "embedding", "--seed", "18446744073709551615")
    yield from parameters({**wrapper, "seed": 9, "d_out": 4, "bias": True}, "split_head", "context",
                          "--bias", "--seed", "9", "--d-out", "4")
    wrong = printed("causal", "context", "--what-if", "no-scale", *PARAMETERS)
    yield from check_case("causal", "context", wrong, *PARAMETERS, wanted={
        **mistakes("no-scale"), "parameters": {**causal, "seed": 9, "d_out": 4, "bias": True}})
    yield from check_case("causal", "context", wrong, wanted={"verdict": "shape", "parameters": causal})


def check_groups():
    for lesson, wanted, number, group, name in (
            ("wrapper", "head 2: queries", 19, "head 2", "queries"), ("wrapper", "27", 27, None, "context"),
            ("wrapper", "context", 27, None, "context"), ("dropout", "mcg31m1: row_sums", 18, "mcg31m1", "row_sums"),
            ("model", "19", 19, None, "weights"), ("trainable", "copied_queries", 30, None, "copied_queries")):
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
    with open(os.path.join(schema.REFERENCE.encode(), name), "w", encoding="utf-8") as file:
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
    path = os.path.join(schema.REFERENCE, "bad.txt")
    for content in (b"", b"[1, 2", b"[[1, 2], [3]]", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x00"):
        with open(path, "wb") as file:
            file.write(content)
        done = subprocess.run([schema.ONESTEP, "check", "simplified", "--step", "query", path, "--format", "json"],
                              capture_output=True)
        if done.returncode != 2 or done.stdout or not done.stderr.startswith(b"onestep: "):
            yield f"{content!r}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}"


# --- TAP ---------------------------------------------------------------------------------------------------------


def main():
    say("every form", check_forms())
    say("whole numbers", check_whole_numbers())
    say("relations", check_relations())
    say("what rounding moves", check_rounding())
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
    schema.ONESTEP = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as schema.REFERENCE:  # where it runs the program
        status = main()
    sys.exit(status)
