"""Reads a recording, and runs each of its lines again in PyTorch with the values that it names."""
import contextlib
import json
import math
import os
import re
import struct

import torch

TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64, "I64": torch.int64,
         "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}
DRAWS = re.compile(r"rand|dropout|bernoulli|multinomial|uniform_|normal_|empty|\.grad$|\bv\d+\.new\b")  # have other numbers each time


def read_header(path):
    """(header, bytes after it) of a safetensors file, whose tensors must lie side by side, each at a multiple of its size."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header, numbers = json.loads(data[8:8 + length]), bytearray(data[8 + length:])
    end = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1].get("data_offsets", [-1])[0]):
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            item = torch.empty(0, dtype=TYPES[entry["dtype"]]).element_size()
            assert first == end and first % item == 0 and last - first == item * math.prod(entry["shape"]), (name, entry)
            end = last
    assert end == len(numbers) and length % 8 == 0, (end, len(numbers), length)
    return header, numbers


def tensor_of(header, numbers, name):
    entry = header[name]
    first, last = entry["data_offsets"]
    if first == last:
        return torch.empty(entry["shape"], dtype=TYPES[entry["dtype"]])
    return torch.frombuffer(numbers[first:last], dtype=TYPES[entry["dtype"]]).view(entry["shape"])


class Recording:
    """nodes, calls, files and entries as RECORDING.md says; values has a tensor for each value, or None where there are no numbers."""

    def __init__(self, path):
        header, numbers = read_header(path)
        assert header["__metadata__"]["format"] == "onestep recording 1"
        self.json = json.loads(header["__metadata__"]["recording"])
        self.nodes, self.calls, self.files = self.json["nodes"], self.json["calls"], self.json["files"]
        self.entries, self.values, others = self.json["values"], [], {}
        for entry in self.entries:
            if "tensor" in entry and "file" not in entry:
                value = tensor_of(header, numbers, entry["tensor"])
            elif "file" in entry:
                place = os.path.join(os.path.dirname(path), entry["file"])
                if place not in others:
                    others[place] = read_header(place)
                value = tensor_of(*others[place], entry["tensor"]).to(TYPES[entry["dtype"]])
            elif "view_of" in entry:
                base = self.values[entry["view_of"]]
                assert "view_of" not in self.entries[entry["view_of"]]
                value = None if base is None else base.flatten().as_strided(entry["shape"], entry["stride"], entry["offset"])
            else:
                value = None
            self.values.append(value)
        self.check()

    def check(self):
        """What is true of every recording: values are made before they are used, and by one node each."""
        made = set()
        for number, node in enumerate(self.nodes):
            kinds = [key for key in ("call", "ends", "changed_by", "gradient_of", "raised") if key in node]
            assert len(kinds) == 1, node
            if "ends" not in node:
                assert not made & set(node["results"]), node
                made |= set(node["results"])
            assert -1 <= node["in"] < len(self.calls) and node.get("changed_by", -1) < number, node
            for word in re.findall(r"\bv(\d+)\b", re.sub(r"'[^']*'", "", node.get("call", ""))):
                assert int(word) < len(self.entries), node
        for number, call in enumerate(self.calls):
            assert -1 <= call["outer"] < number, call
        for made_one in made:
            assert "name" not in self.entries[made_one], made_one

    def find(self, **wanted):
        """The nodes that have all of these keys with these values."""
        return [node for node in self.nodes if all(node.get(key) == value for key, value in wanted.items())]

    def result(self, **wanted):
        """The numbers that the last of these nodes made."""
        return self.values[self.find(**wanted)[-1]["results"][0]]

    def value(self, name):
        """The numbers of the parameter, buffer or variable of this name."""
        return next(value for entry, value in zip(self.entries, self.values) if entry.get("name") == name)


def same_bits(first, second):
    """Are the numbers the same, and is NaN where NaN is?"""
    return first.shape == second.shape and first.dtype == second.dtype and \
        (torch.equal(first, second) or torch.equal(first.nan_to_num(), second.nan_to_num()) and
         torch.equal(first.isnan(), second.isnan()))


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for part in value for tensor in tensors_in(part)] if isinstance(value, (tuple, list)) else []


def run_again(recording, node):
    """What the line of the node gives now, or None if it cannot be told."""
    names = {f"v{number}": value.clone() if "writes" in node and value is not None else value
             for number, value in enumerate(recording.values)}
    words = set(re.findall(r"\bv\d+\b", node["call"]))
    if any(names[word] is None for word in words) or DRAWS.search(node["call"].replace("dropout(v", "") if "training=False" in node["call"] else node["call"]) or not re.search("torch|v[0-9]", node["call"]):
        return None
    names.update({"torch": torch})
    context = torch.autocast("cpu", dtype=TYPES[node["autocast"]]) if "autocast" in node else contextlib.nullcontext()
    with torch.no_grad(), context:
        try:
            results = tensors_in(eval(node["call"], names))
        except SyntaxError:
            results = exec(node["call"], names)
    written = [node["writes"], *node.get("also_writes", [])] if "writes" in node else []
    return list({id(result): result for result in [*(results or []), *(names[f"v{number}"] for number in written)]}.values())


def replay(recording, within=0):
    """Runs every line again. Returns how many were run; raises AssertionError if one gives other numbers than the recording."""
    count = 0
    for node in recording.nodes:
        results = run_again(recording, node) if "call" in node else None
        if results is None:
            continue
        wanted = [recording.values[number] for number in node["results"]]
        assert len(results) >= len(wanted), node
        for found, value in zip(results, wanted):
            assert value is None or same_bits(found, value) or within and torch.allclose(found, value, rtol=within, atol=within), \
                f"{node}: {found} instead of {value}"
        count += 1
    return count
