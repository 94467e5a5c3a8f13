# Compares tensors with their values as onestep printed them.
import ast
import re

MARGIN = 2e-6  # times max(1, |x|): how far sums may differ on machines that add in another order
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?|-?inf|nan|True|False|\.\.\.")
MASKS = {  # the two ways in which builds of PyTorch drop from ones(6, 6), with seed 123
    "mt19937": "110110000101111101011001010101011110",
    "mcg31m1": "111111010000001010110001100001010000",
}
HINTS = {}  # for each exercise, from a nudge to nearly the answer
FIRST_HINT = 0
compared = []  # a pair for each comparison: the step's name and the verdict


class Wrong(AssertionError):
    """The message for a wrong tensor; a notebook shows it without a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class Said(str):
    """A message that a notebook's cell shows without quotes."""

    __repr__ = str.__str__


def nested(text):
    """The numbers of a printed tensor as nested lists of strings."""
    body = re.sub(r",\s*(?:dtype|size|device|grad_fn|requires_grad)=.*", "", text, flags=re.DOTALL)
    body = body[body.index("(") + 1 :].strip().rstrip(")")
    return ast.literal_eval(NUMBER.sub(lambda match: repr(match.group()), body))


def numbers_of(tensor):
    """The numbers of a tensor as nested lists; for a large tensor, those that print() shows."""
    return tensor.tolist() if tensor.numel() <= 1000 else nested(str(tensor))


def with_places(numbers, place=()):
    """Yields each number with its index."""
    if not isinstance(numbers, list):
        yield place, numbers
        return
    for i, number in enumerate(numbers):
        yield from with_places(number, place + (i,))


def agree(printed, number, within=0):
    """Does the number round to the printed one, within the margin that machines may differ by?"""
    if "..." in (printed, number):
        return printed == number
    want, have = (float({"True": 1, "False": 0}.get(x, x)) for x in (printed, number))
    digits, _, exponent = printed.partition("e")
    decimals = len(digits.partition(".")[2])
    half_unit = 0.5 * 10 ** (int(exponent or 0) - decimals) if decimals or exponent else 0
    if isinstance(number, str):  # read from a print, so it is rounded too
        half_unit *= 2
    is_near = abs(have - want) <= half_unit + max(within, MARGIN * max(1, min(abs(want), 1e30)))
    return have == want or is_near or (have != have and want != want)


def what_differs(tensor, expected, within=0):
    """Says where a tensor differs from a print; "" if it does not."""
    want, have = dict(with_places(nested(expected))), dict(with_places(numbers_of(tensor)))
    if want.keys() != have.keys():
        sizes = tuple(i + 1 for i in max(want)) if tensor.numel() <= 1000 else "another one"
        return f"its shape is {tuple(tensor.shape)}, but should be {sizes}"
    wrong = [place for place in want if not agree(want[place], have[place], within)]
    if not wrong:
        return ""
    where = f", at {list(wrong[0])}," if wrong[0] else ""
    return f"{len(wrong)} of {len(want)} numbers differ; the first{where} is {have[wrong[0]]} and should be {want[wrong[0]]}"


def stream_of_masks():
    """How this PyTorch draws its dropout masks: a key of MASKS, or "another way"."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(123)
        kept = torch.nn.functional.dropout(torch.ones(6, 6), 0.5).flatten().bool()
    bits = "".join("01"[bit] for bit in kept.tolist())
    return next((name for name in MASKS if MASKS[name] == bits), "another way")


def advise(lesson, step, tensor, parameters):
    """The advice for a wrong tensor if onestep is not installed."""
    return "To learn why, install onestep: it knows the mistakes that lead to wrong numbers here."


diagnose = advise


def check(lesson, step, tensor, expected, masks=None, within=0, **parameters):
    """Compares a tensor with the print of a step. Raises Wrong, with the next hint, if they differ. `masks` names the stream of
    the dropout masks, if there are any; `within` is how far results of different machines may differ here, if that is more
    than MARGIN. The other arguments are the lesson's parameters: seed=5."""
    name = f"{lesson}, {step}"
    if masks and masks != stream_of_masks():
        compared.append((name, "not compared"))
        return Said(f"{step}: not compared. Its masks come from {masks}; this PyTorch draws them differently.")
    if not hasattr(tensor, "detach"):
        left_out = "the expression is still left out" if tensor is ... else f"it is of type {type(tensor).__name__}, but should be a tensor"
        problem, why = left_out, ""
    else:
        tensor = tensor.detach()
        problem = "" if str(tensor) == expected else what_differs(tensor, expected, within)
        why = diagnose(lesson, step, tensor, parameters) if problem else ""
    if problem:
        tries = sum(1 for other, verdict in compared if (other, verdict) == (name, "wrong"))
        compared.append((name, "wrong"))
        hints = HINTS.get((lesson, step), ())
        number = min(FIRST_HINT + tries, len(hints) - 1)
        hint = f"Hint {number + 1} of {len(hints)}: {hints[number]}" if hints else ""
        raise Wrong("\n".join(line for line in (f"{step}: {problem}.", why, hint) if line))
    verdict = "equal" if str(tensor) == expected else "near"
    compared.append((name, verdict))
    return Said(f"{step}: equal" + (", except for rounding that differs between machines" if verdict == "near" else ""))


def summary():
    """Prints which steps were equal."""
    names = {verdict: [name for name, found in compared if found == verdict] for verdict in ("equal", "near", "not compared")}
    count = sum(len(found) for found in names.values())
    print(f"{len(names['equal'])} of {count} steps print what onestep prints, digit for digit.")
    if names["near"]:
        print(f"{len(names['near'])} differ only by rounding, as machines do: {'; '.join(names['near'])}.")
    if names["not compared"]:
        print(f"{len(names['not compared'])} were not compared, because this PyTorch draws other dropout masks.")
