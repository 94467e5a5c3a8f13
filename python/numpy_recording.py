"""Writes a recording with NumPy alone: causal attention over six words, each line with its result.

usage: numpy_recording.py FILE

RECORDING.md describes the file. Other programs write it in the same way.
"""
import json
import struct
import sys

import numpy

TYPES = {"float32": "F32", "float64": "F64", "int64": "I64", "bool": "BOOL"}


class Recording:
    def __init__(self, tokens):
        self.tokens, self.values, self.nodes, self.arrays = tokens, [], [], []

    def given(self, array, name):
        """A value that no line made."""
        return self.add(array, {"name": name})

    def made(self, array, call, variable, *operands):
        """The value of a line. The line is written in PyTorch, {} for each operand."""
        number = self.add(array, {})
        self.nodes.append({"call": call.format(*(f"v{operand}" for operand in operands)), "results": [number], "in": -1,
                           "variable": variable})
        return number

    def add(self, array, entry):
        number = len(self.values)
        self.values.append({"tensor": f"v{number}", **entry})
        self.arrays.append(numpy.ascontiguousarray(array))
        return number

    def write(self, path):
        description = {"made_by": "numpy_recording.py", "tokens": self.tokens, "files": [], "values": self.values, "calls": [],
                       "nodes": self.nodes}
        header, place = {"__metadata__": {"format": "onestep recording 1", "recording": json.dumps(description)}}, 0
        order = sorted(range(len(self.arrays)), key=lambda number: -self.arrays[number].itemsize)
        for number in order:
            array = self.arrays[number]
            header[f"v{number}"] = {"dtype": TYPES[str(array.dtype)], "shape": list(array.shape),
                                    "data_offsets": [place, place + array.nbytes]}
            place += array.nbytes
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for number in order:
                file.write(self.arrays[number].tobytes())


def softmax(x):
    powers = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def main(path):
    random = numpy.random.default_rng(123)
    x = random.random((6, 3), dtype=numpy.float32)
    W_query, W_key, W_value = (random.random((3, 2), dtype=numpy.float32) for _ in range(3))
    run = Recording(["Your", "journey", "starts", "with", "one", "step"])
    v_x = run.given(x, "x")
    v_query, v_key, v_value = run.given(W_query, "W_query"), run.given(W_key, "W_key"), run.given(W_value, "W_value")

    queries, keys, values = x @ W_query, x @ W_key, x @ W_value
    v_queries = run.made(queries, "{} @ {}", "queries", v_x, v_query)
    v_keys = run.made(keys, "{} @ {}", "keys", v_x, v_key)
    v_values = run.made(values, "{} @ {}", "values", v_x, v_value)
    v_turned = run.made(keys.T, "{}.T", "", v_keys)
    scores = queries @ keys.T
    v_scores = run.made(scores, "{} @ {}", "scores", v_queries, v_turned)
    mask = numpy.triu(numpy.ones((6, 6)), 1) == 1
    v_mask = run.made(mask, "torch.ones(6, 6, dtype=torch.bool).triu(1)", "mask")
    masked = numpy.where(mask, numpy.float32(-numpy.inf), scores)
    v_masked = run.made(masked, "{}.masked_fill({}, float('-inf'))", "masked", v_scores, v_mask)
    weights = softmax(masked / numpy.float32(2**0.5))
    v_scaled = run.made(masked / numpy.float32(2**0.5), "{} / 1.4142135623730951", "scaled", v_masked)
    v_weights = run.made(weights, "torch.softmax({}, dim=-1)", "weights", v_scaled)
    run.made(weights @ values, "{} @ {}", "context", v_weights, v_values)
    run.write(path)


if __name__ == "__main__":
    main(sys.argv[1])
