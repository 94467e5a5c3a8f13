"""Does the recorder record what runs, and leave alone what it records?

usage: record.py [--quick] [--models FOLDER] [MODULE]

MODULE is the file of the module, python/record.py unless another is given. FOLDER has models in HuggingFace's form, each with
expected.ref; without it they are made up here. --quick leaves out what takes long: costs. Runs in the PyTorch that runs it. Speaks TAP.
"""
import argparse
import dataclasses
import gc
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import torch
import torch.utils.checkpoint
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "app")]
import models  # noqa: E402
import tap  # noqa: E402
from replay import Recording, replay, same_bits  # noqa: E402

ROOT = HERE.parent.parent
WORDS = "Your journey starts with one step".split()
INPUTS = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
EARLY = torch.__version__.startswith("1.")
warnings.simplefilter("ignore")  # of what PyTorch 1.13 says about nested and quantized tensors


def load_module(path):
    spec = importlib.util.spec_from_file_location("onestep", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(run, **options):
    """The recording of a function, which is also run without: results and random numbers must be the same."""
    path = os.path.join(FOLDER, "run.onestep")
    if os.path.exists(path):
        os.unlink(path)
    torch.manual_seed(123)
    plain, state = run(), torch.get_rng_state()
    torch.manual_seed(123)
    with onestep.record(path, **options):
        result = run()
    assert torch.equal(state, torch.get_rng_state()), "the random numbers are others"
    for one, other in zip(all_tensors(plain), all_tensors(result)):
        assert same_bits(one, other), f"{other} instead of {one}"
    return Recording(path)


def all_tensors(value):
    if isinstance(value, torch.Tensor):
        return [] if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu" else [value.detach()]
    return [tensor for part in value for tensor in all_tensors(part)] if isinstance(value, (tuple, list)) else []


def error_of(run, kind=None, **options):
    """The message of the exception that a recording ends with. There must be no file of it unless the run itself raised."""
    path = os.path.join(FOLDER, "none.onestep")
    try:
        with onestep.record(path, **options):
            run()
    except kind or onestep.RecordingError as error:
        message = str(error)
    else:
        raise AssertionError("nothing was raised")
    assert kind or not os.path.exists(path) and "\n" not in message, message
    assert not list(pathlib.Path(FOLDER).glob(".onestep-*"))
    assert_unwatched()
    return message


def assert_unwatched():
    """Nothing of the recorder is left in PyTorch."""
    modules = torch.nn.modules.module
    assert not modules._global_forward_hooks and not modules._global_forward_pre_hooks
    assert nn.Module.__call__ is CALL_MODULE
    assert "__getitem__" not in vars(torch.Tensor) and onestep.record.under_way is None
    assert torch.overrides.has_torch_function.__module__ != "onestep"
    assert torch._C.ScriptFunction.__call__.__class__.__name__ != "function"
    assert getattr(torch, "compile", None) is COMPILE
    seen, ran = [], onestep.record.ran
    onestep.record.ran = lambda recorder, function, arguments, named: seen.append(function)
    try:
        nn.Linear(3, 3)(INPUTS)[0] + 1
    finally:
        onestep.record.ran = ran
    assert not seen, seen


COMPILE, CALL_MODULE = getattr(torch, "compile", None), nn.Module.__call__


# --- What is recorded ------------------------------------------------------------------------------------------------
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(0.5)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def forward(self, x):
        num_tokens = x.shape[0]
        queries = self.W_query(x)
        keys, values = self.W_key(x), self.W_value(x)
        scores = queries @ keys.T
        masked = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)
        weights = self.dropout(weights)
        context = weights @ values
        return context


def attention():
    torch.manual_seed(789)
    return CausalAttention(3, 2, 6)


def a_line_has_its_source():
    model = attention().eval()
    run = recorded(lambda: model(INPUTS), tokens=WORDS)
    assert run.json["tokens"] == WORDS
    assert run.calls == [{"module": "", "class": "CausalAttention", "outer": -1}], run.calls
    seen = [(node.get("call"), node.get("variable"), node["module"], node["expression"]) for node in run.nodes[:-1]]
    assert seen == [
        ("torch.nn.functional.linear(v0, v1)", "queries", "W_query", "self.W_query(x)"),
        ("torch.nn.functional.linear(v0, v3)", "keys", "W_key", "self.W_key(x)"),
        ("torch.nn.functional.linear(v0, v5)", "values", "W_value", "self.W_value(x)"),
        ("v4.T", None, "", "keys.T"),
        ("v2 @ v7", "scores", "", "queries @ keys.T"),
        ("v9[:6, :6]", None, "", "self.mask[:num_tokens, :num_tokens]"),
        ("v8.masked_fill(v10, float('-inf'))", "masked", "",
         "scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)"),
        ("v11 / 1.4142135623730951", None, "", "masked / keys.shape[-1]**0.5"),
        ("torch.softmax(v12, dim=-1)", "weights", "", "torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)"),
        ("torch.nn.functional.dropout(v13, training=False)", "weights", "dropout", "self.dropout(weights)"),
        ("v14 @ v6", "context", "", "weights @ values")], seen
    names = [entry.get("name") for entry in run.entries]
    assert [names[number] for number in (0, 1, 3, 5, 9)] == ["INPUTS", "W_query.weight", "W_key.weight", "W_value.weight", "mask"], names
    end = run.nodes[-1]
    assert end["ends"] == 0 and end["results"] == run.nodes[-2]["results"] and end["in"] == -1 and "module" not in end, end
    source = run.files[run.nodes[4]["file"]]
    assert source["text"].splitlines()[run.nodes[4]["line"] - 1].strip() == "scores = queries @ keys.T"
    assert run.entries[7] == {"view_of": 4, "shape": [2, 6], "stride": [1, 2], "offset": 0}
    assert replay(run) == 11


def a_line_without_columns_has_its_variable():
    """As before Python 3.11: only the line is known."""
    original, onestep.position_of = onestep.position_of, lambda frame: None
    try:
        run = recorded(lambda: attention().eval()(INPUTS))
    finally:
        onestep.position_of = original
    seen = {node.get("variable"): node["call"] for node in run.nodes if node.get("module") == "" and "variable" in node}
    assert "matmul" in seen["scores"] and "masked_fill" in seen["masked"] and "softmax" in seen["weights"], seen
    assert not any("expression" in node for node in run.nodes)
    replay(run)


def a_loop_keeps_its_variables():
    layers = nn.ModuleList(nn.Sequential(nn.Linear(3, 3), nn.ReLU()) for _ in range(3))

    def loop():
        x = INPUTS
        for layer in layers:
            x = layer(x)
        heads = [layer(x) for layer in layers]
        first, second = x.split([1, 2], dim=1)
        x += 1
        large = (x
                 .abs()
                 .sum(1))
        return [x, heads, first, second, large]
    run = recorded(loop)
    assert [node["call"].split("(")[0] for node in run.find(variable="x")] == ["torch.nn.functional.relu"] * 3 + ["v12 += 1"], \
        run.find(variable="x")
    assert len(run.find(variable="first, second")) == 1 and len(run.find(variable="first, second")[0]["results"]) == 2
    assert run.find(variable="large")[0]["expression"].startswith("x .abs()"), run.find(variable="large")
    replay(run)


def operations_are_written_as_python():
    x, w, i = INPUTS, torch.arange(9.0).view(3, 3), torch.tensor([0, 2])

    def operations():
        a = [2 - x, 2 + x, x**2, 2**x, 1 / x, -x, ~(x > 0.5), x % 2, x // 2, (x > 0.5) & (x < 0.7), x == x, x != x, abs(x)]
        b = [x[0], x[:, 1], x[None, ..., 1:3], x[::2], x[i], x[i, 1], x[x > 0.5], x[i, [0, 1]], x[-1:, :, None]]
        c = [x.sum(), x.mean(-1, keepdim=True), x.max(0), x.topk(2), x.sort(descending=True), torch.stack([x, x]), x.chunk(2), x.var(-1)]
        d = [torch.where(x > 0.5, x, -torch.inf), torch.einsum("ij,jk->ik", x, w), x.to(torch.float64), x.to("cpu", torch.bfloat16),
             x.view(-1), x.reshape(3, 6), x.T, x.mT, x.new_zeros(2), torch.zeros_like(x, dtype=torch.int64)]
        e = [functional.gelu(x), functional.gelu(x, approximate="tanh"), functional.softmax(x, dim=-1), functional.silu(x),
             functional.layer_norm(x, (3,)), functional.cross_entropy(x, torch.tensor([0, 1, 2, 0, 1, 2])), torch.linalg.norm(x),
             functional.max_pool1d(x[None], 2), functional.one_hot(i), functional.pad(x, (0, 1), value=float("nan")), torch.nn.functional.relu(x)]
        f = [torch.tensor(3.5), torch.full((2,), torch.inf), torch.arange(0, 6, 2), torch.outer(x[0], x[1]), x.masked_fill(x > 0.5, 0)]
        for row in x:
            f.append(row * 2)
        p, q, r = w
        f += [x.float(), x.contiguous() + 1]  # these give x itself
        return a, b, c, d, e, f, p, q, r
    run = recorded(operations)
    count = replay(run)
    calls = [node["call"] for node in run.nodes]
    for call in ("2 - v0", "v0 ** 2", "2 ** v0", "1 / v0", "-v0", "v0[:, 1]", "v0[None, ..., 1:3]", "v0[::2]", "v0.unbind(0)",
                 "torch.full((2,), float('inf'))", "torch.linalg.norm(v0)", "v0.to('cpu', torch.bfloat16)"):
        assert call in calls, (call, calls)
    assert count == len(calls), (count, [node for node in run.nodes])
    assert not any("None" in call.replace("[None", "").replace(", None]", "") or "_stacklevel" in call for call in calls), calls


def changes_in_place_are_versions():
    def changes():
        a = torch.zeros(2, 3)
        b, c = a[0], a.T
        a += 1
        b.add_(2)
        d = a * 1
        a[1] = 5
        torch.add(a, 1, out=a)
        e = b.clone()
        a.data[0] = 7
        f = b + 1
        c.mul_(2)
        g = a + 0
        h = functional.relu(-g.clone(), inplace=True)
        a.data = torch.ones(3)
        k = a + b.sum()
        a.zero_()
        torch._foreach_add_([g, h], 1)
        return a, b, c, d, e, f, g, h, k
    run = recorded(changes)
    replay(run)
    assert [node["call"] for node in run.nodes if "writes" in node][:3] == ["v0 += 1", "v4.add_(2)", "v6[1] = 5"], run.nodes
    assert run.find(call="v6[1] = 5")[0]["writes"] == 6
    changed = [node for node in run.nodes if "changed_by" in node]
    assert changed and all("writes" in run.nodes[node["changed_by"]] for node in changed), changed
    assert torch.equal(run.result(variable="f"), torch.full((3,), 8.0)) and torch.equal(run.result(variable="k"), torch.full((3,), 43.0))

    def in_inference_mode():
        with torch.inference_mode():
            a = torch.zeros(3)
            b = a[:2]
            a.add_(1)
            return b + 1
    run = recorded(in_inference_mode)
    replay(run)
    assert torch.equal(run.values[-1], torch.full((2,), 2.0))
    assert run.find(call="v0.add_(1)")[0]["writes"] == 0 and "changed_by" in run.nodes[-2], run.nodes


def running_means_are_versions():
    def run():
        torch.manual_seed(1)
        norm, x = nn.BatchNorm1d(3), torch.rand(8, 3)
        norm(x)
        first = norm.running_mean * 1
        norm(x)
        return first, norm.running_mean * 1, norm.running_var * 1
    run = recorded(run)
    assert replay(run) >= 5
    assert len({tuple(run.values[int(node["call"][1:].split(" ")[0])].tolist()) for node in run.nodes
                if node.get("call", "").endswith("* 1")}) == 3


def views_cost_no_bytes():
    def views():
        a = torch.arange(24.0).view(2, 3, 4)
        return a.transpose(0, 1), a[:, 1], a[..., ::2], a.expand(5, 2, 3, 4), a.permute(2, 0, 1)[1:], a.unfold(1, 2, 1), a.view(torch.int32)
    run = recorded(views)
    replay(run)
    whole = [entry for entry in run.entries if "tensor" in entry]
    assert len(whole) == 2, run.entries  # arange's, and that of another type


def memory_is_not_mistaken():
    """A tensor that lies where another lay has no value of that."""
    def many():
        total = torch.zeros(4)
        for number in range(300):
            part = torch.full((4,), float(number))
            total = total + part[1:2]
            del part
        return total
    run = recorded(many)
    assert replay(run) == 901 and torch.equal(run.values[-1], torch.full((4,), 299 * 150.0)), len(run.nodes)
    alive = sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects())
    recorded(many)
    gc.collect()
    assert sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects()) <= alive + 2


def gradients_are_those_of_pytorch():
    def step():
        torch.manual_seed(1)
        model = attention()
        loss = model(INPUTS).pow(2).sum()
        loss.backward()
        return [loss] + [parameter.grad for parameter in model.parameters()]
    run = recorded(step, backward=True)
    plain = step()
    replay(run)
    gradients = {node["gradient_of"]: run.values[node["results"][0]] for node in run.nodes if "gradient_of" in node}
    for node in run.nodes:
        for number in node["results"] if "call" in node else []:
            if node["call"].startswith("torch.nn.functional.linear"):
                assert gradients[number].shape == run.values[number].shape
    for name, gradient in zip(("W_query", "W_key", "W_value"), plain[1:]):
        node = [node for node in run.nodes if node.get("module") == name and "call" in node][0]
        weight = int(node["call"].split("v")[-1].rstrip(")"))
        assert same_bits(gradients[weight], gradient), name
    lines = {run.files[node["file"]]["text"].splitlines()[node["line"] - 1].strip() for node in run.nodes if "gradient_of" in node}
    assert lines == {"loss.backward()"}, lines
    assert not any("gradient_of" in node for node in recorded(step).nodes)


def a_step_uses_its_gradients():
    """What the optimizer reads is what loss.backward() gave, and has its parameter's name where backward was called before."""
    def steps():
        torch.manual_seed(1)
        layer, x = nn.Linear(3, 2), torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        (layer(x).sum() + x.sum()).backward()
        optimizer.step()
        first = x.grad * 2
        layer(x).sum().backward()
        optimizer.step()
        return layer.weight, layer.bias, first, x.grad * 3
    run = recorded(steps, backward=True)
    replay(run)
    gradients = {node["results"][0] for node in run.nodes if "gradient_of" in node}
    updates = [node["call"] for node in run.nodes if "alpha=-0.1" in node.get("call", "")]
    used = [int(call.split("(v")[1].split(",")[0]) for call in updates]
    names = [run.entries[number].get("name") for number in used]
    assert len(used) == 4 and names[2:] == ["weight.grad", "bias.grad"], names
    assert all(number in gradients or name == wanted for number, name, wanted in zip(used, names, names[2:])), (updates, names)
    assert "x.grad" in {entry.get("name") for entry in run.entries}, run.entries
    assert not any("grad" in node.get("call", "").replace("requires_grad", "") for node in run.nodes)


def gradients_of_versions():
    def step():
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.mul_(3)
        z = y[:2]
        (z * z).sum().backward()
        w = x.detach().requires_grad_()
        (w * 5).sum().backward()
        (w * 5).sum().backward()
        return x.grad, w.grad
    run = recorded(step, backward=True)
    replay(run)
    by_value = {}
    for node in run.nodes:
        if "gradient_of" in node:
            by_value.setdefault(node["gradient_of"], []).append(run.values[node["results"][0]].tolist())
    call = {node["call"]: node["results"][0] for node in run.nodes if "call" in node}
    assert by_value[call["torch.ones(3, requires_grad=True)"]] == [[72.0, 72.0, 0.0]], by_value
    assert by_value[call["v0 * 2"]] == [[36.0, 36.0, 0.0]], by_value
    assert by_value[call["v1.mul_(3)"]] == [[12.0, 12.0, 0.0]], by_value


def only_wanted_modules():
    model = models_of()[0][1]
    ids = torch.tensor([[5, 0, 17]])
    run = recorded(lambda: model(ids), modules=["transformer.h.1.attn", "*.ln_f"])
    paths = {node["module"] for node in run.nodes if "call" in node}
    assert paths == {"transformer.h.1.attn", "transformer.h.1.attn.c_attn", "transformer.h.1.attn.c_proj", "transformer.ln_f"}, paths
    replay(run)
    assert [call["module"] for call in run.calls] == ["transformer.h.1.attn", "transformer.h.1.attn.c_attn", "transformer.h.1.attn.c_proj"]
    assert run.calls[1]["outer"] == 0 and run.calls[0]["outer"] == -1


def a_limit_leaves_numbers_out():
    run = recorded(lambda: [INPUTS.repeat(10, 1) @ INPUTS.T, INPUTS[0] * 2], limit=100)
    assert [value is None for value in run.values] == [False, True, False, True, True, False][:len(run.values)] or \
        sum(value is not None for value in run.values) >= 2
    assert all("shape" in entry and "dtype" in entry for entry, value in zip(run.entries, run.values) if value is None and "view_of" not in entry)
    size = sum(value.numel() * 4 for entry, value in zip(run.entries, run.values) if "tensor" in entry)
    assert size <= 100, size


# --- Models ----------------------------------------------------------------------------------------------------------
def models_of():
    """(name, model, ids, expected tensors or None, files) of each model of the folder."""
    made = []
    for folder in sorted(pathlib.Path(OPTIONS.models).iterdir()) if OPTIONS.models else []:
        if folder.is_dir():
            expected = models.read_reference(folder / "expected.ref")
            made.append((folder.name, models.load(folder), expected["ids"], expected, models.shards(folder)))
    if not made:
        torch.manual_seed(1)
        config = {"n_layer": 2, "n_head": 3, "n_embd": 12, "vocab_size": 40, "n_positions": 16, "activation_function": "gelu_new",
                  "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True}
        made.append(("gpt2", models.random(models.GPT2(config)), torch.tensor([[5, 0, 17, 3, 3, 9, 30]]), None, []))
        config = {"model_type": "qwen3", "hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 3,
                  "num_key_value_heads": 1, "vocab_size": 40, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "tie_word_embeddings": False,
                  "head_dim": 8}
        made.append(("qwen3", models.random(models.Llama(config)), torch.tensor([[5, 0, 17, 3, 3, 9, 30]]), None, []))
    return [(name, *rest) for name, *rest in made]


def models_are_recorded():
    for name, model, ids, expected, files in models_of():
        with torch.no_grad():
            run = recorded(lambda: model(ids), weights=files)
        count = replay(run)
        assert count == sum("call" in node for node in run.nodes), (name, count)
        parameters = {path for path, _ in model.named_parameters()}
        named = {entry["name"]: entry for entry in run.entries if "name" in entry}
        assert parameters <= set(named), parameters - set(named)
        if files:
            assert all("file" in named[path] for path in parameters), [path for path in parameters if "file" not in named[path]]
        assert "ids" in named, list(named)
        if expected:
            agree_with(run, name, expected)


def agree_with(run, name, expected):
    """Each expected tensor is among the recorded ones."""
    logits = run.values[run.nodes[-1]["results"][0]]
    assert torch.allclose(logits, expected["logits"], rtol=2e-6, atol=2e-6), (name, (logits - expected["logits"]).abs().max())
    for wanted, numbers in expected.items():
        near = [value for value in run.values if value is not None and value.shape == numbers.shape and
                torch.allclose(value.float(), numbers.float(), rtol=1e-5, atol=1e-5)]
        assert near, (name, wanted)


def weights_that_changed_are_copied():
    name, model, ids, _, files = models_of()[0]
    if not files:
        raise tap.Skipped("there is no folder of models")
    with torch.no_grad():
        model.transformer.ln_f.weight[0] += 1
        run = recorded(lambda: model(ids), weights=[str(path) for path in files])
    entries = {entry["name"]: entry for entry in run.entries if "name" in entry}
    assert "file" not in entries["transformer.ln_f.weight"] and "file" in entries["transformer.ln_f.bias"]
    replay(run)
    broken = os.path.join(FOLDER, "broken.safetensors")
    for content in (b"", b"abc", b"\xff" * 20, b"\x02" + b"\0" * 7 + b"[]", b"\x09" + b"\0" * 7 + b'{"a": {}}'):
        pathlib.Path(broken).write_bytes(content)
        assert "broken.safetensors" in error_of(lambda: None, weights=broken)
    assert "nowhere" in error_of(lambda: None, weights="nowhere.safetensors")


# --- What is left alone ----------------------------------------------------------------------------------------------
def training_goes_on_as_it_would():
    def train():
        torch.manual_seed(5)
        model = attention().train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = functional.mse_loss(model(INPUTS), torch.ones(6, 2))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return [loss] + list(model.parameters())
    run = recorded(train, backward=True)
    replay(run)
    assert sum("gradient_of" in node for node in run.nodes) > 30


def fast_paths_are_taken():
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    encoder, module = nn.TransformerEncoder(layer, 2).eval(), nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x, hidden = torch.rand(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.no_grad():
        run = recorded(lambda: (encoder(x), encoder(x, src_key_padding_mask=hidden), module(x, x, x)))
    calls = [node["call"] for node in run.nodes]
    assert any(call.startswith("torch._transformer_encoder_layer_fwd(") for call in calls), calls
    assert any(call.startswith("torch._native_multi_head_attention(") for call in calls), calls
    run = recorded(lambda: (encoder(x), module(x, x, x)))
    assert any(call.startswith("torch.nn.functional.multi_head_attention_forward(") for call in (node["call"] for node in run.nodes))
    replay(run, within=1e-6)  # PyTorch 2.6 has another path where gradients are wanted


def compiled_functions_are_refused():
    if EARLY:
        raise tap.Skipped("PyTorch 1.13 has no torch.compile")
    function = torch.compile(lambda x: torch.softmax(x, -1) * 2, backend="eager")
    module = torch.compile(attention(), backend="eager")
    wanted, results = (function(INPUTS), module(INPUTS)), []
    for run in (lambda: results.append(function(INPUTS)), lambda: results.append(module(INPUTS)),
                lambda: torch.compile(attention(), backend="eager")(INPUTS)):
        assert "torch.compile" in error_of(run), run
    assert torch.equal(results[0], wanted[0]) and results[1].shape == wanted[1].shape
    assert torch.equal(function(INPUTS), wanted[0])
    replay(recorded(lambda: torch.softmax(INPUTS, -1)))


def scripts_are_one_operation():
    scripted = torch.jit.script(attention().eval())
    run = recorded(lambda: scripted(INPUTS) * 2)
    assert [node["call"] for node in run.nodes] == ["forward(v0)", "v1 * 2"], run.nodes
    traced = torch.jit.trace(attention().eval(), INPUTS)
    assert len(recorded(lambda: traced(INPUTS)).nodes) == 1
    # tracing and scripting work while a recording is made
    recorded(lambda: torch.jit.trace(attention().eval(), INPUTS)(INPUTS))


def casts_are_told():
    model = attention().eval()

    def cast():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(INPUTS)
    run = recorded(cast)
    assert {node.get("autocast") for node in run.nodes if "call" in node} == {"BF16"}
    assert str(run.values[2].dtype) == "torch.bfloat16"
    replay(run)


def hooks_see_what_they_would():
    model, seen = attention().eval(), []
    model.W_key.register_forward_hook(lambda module, inputs, output: output * 2)
    model.W_query.register_forward_pre_hook(lambda module, inputs: (inputs[0] + 1,))
    handle = nn.modules.module.register_module_forward_hook(lambda module, inputs, output: seen.append(type(module).__name__))
    try:
        run = recorded(lambda: model(INPUTS))
    finally:
        handle.remove()
    assert len(seen) == 10, seen
    replay(run)
    assert run.find(expression="output * 2") and run.find(expression="inputs[0] + 1")


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    past: object = None


class Cached(nn.Module):
    """As HuggingFace's: named arguments alone, an object as output, keys and values that are kept."""

    def __init__(self):
        super().__init__()
        self.embed, self.qkv, self.head = nn.Embedding(20, 4), nn.Linear(4, 12), nn.Linear(4, 20, bias=False)

    def forward(self, *, input_ids, past=None):
        queries, keys, values = self.qkv(self.embed(input_ids)).split(4, dim=-1)
        if past is not None:
            keys, values = torch.cat([past[0], keys], dim=1), torch.cat([past[1], values], dim=1)
        if hasattr(functional, "scaled_dot_product_attention"):
            context = functional.scaled_dot_product_attention(queries, keys, values, is_causal=past is None)
        else:
            context = torch.softmax(queries @ keys.mT / 2, dim=-1) @ values
        return Output(self.head(context), (keys, values))


def models_of_libraries():
    torch.manual_seed(4)
    model = Cached().eval().bfloat16()
    model.register_forward_hook(lambda module, inputs, output: Output(output.logits * 2, output.past))
    for mode in (torch.no_grad, torch.inference_mode):
        @mode()
        def generate():
            ids = torch.tensor([[1, 2, 3]])
            output = model(input_ids=ids)
            for _ in range(3):
                following = output.logits[:, -1].argmax(-1, keepdim=True)
                ids = torch.cat([ids, following], dim=1)
                output = model(input_ids=following, past=output.past)
            return ids, output.logits
        run = recorded(generate)
        assert replay(run) == sum("call" in node for node in run.nodes), run.nodes
        assert len(run.calls) == 4 and not any("changed_by" in node for node in run.nodes)
        doubled = [node["results"][0] for node in run.find(expression="output.logits * 2")]
        ends = [node for node in run.nodes if "ends" in node]
        assert [end["results"][0] for end in ends] == doubled and all(len(end["results"]) == 3 for end in ends), ends
    run = recorded(lambda: (INPUTS.type(torch.float64), INPUTS.type_as(torch.ones(1).half())))
    assert run.find(call="v0.type(torch.float64)") and replay(run) == len(run.nodes), run.nodes


def a_run_that_raises():
    model = attention()
    message = error_of(lambda: model(torch.ones(6, 4)), RuntimeError)
    run = Recording(os.path.join(FOLDER, "none.onestep"))
    os.unlink(os.path.join(FOLDER, "none.onestep"))
    assert run.nodes[-1]["raised"] == "RuntimeError: " + message and run.nodes[-1]["results"] == []
    assert run.files[run.nodes[-1]["file"]]["text"].splitlines()[run.nodes[-1]["line"] - 1].strip() == "queries = self.W_query(x)"

    def caught():
        try:
            model(torch.ones(6, 4))
        except RuntimeError:
            pass
        return INPUTS + 1
    run = recorded(caught)
    assert run.nodes[-1]["in"] == -1 and "module" not in run.nodes[-1] and len(run.calls) == 1, run.nodes
    for kind in (KeyboardInterrupt, SystemExit):
        def interrupted():
            torch.ones(2)
            raise kind("stop")
        error_of(interrupted, kind)
        assert Recording(os.path.join(FOLDER, "none.onestep")).nodes[-1]["raised"] == f"{kind.__name__}: stop"
        os.unlink(os.path.join(FOLDER, "none.onestep"))


class Odd(torch.Tensor):
    """A tensor with functions of its own."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        Odd.seen.append(function)
        return super().__torch_function__(function, types, arguments, named or {})


def odd_tensors():
    x = INPUTS

    def odd():
        quantized = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
        sparse = x.to_sparse()
        meta = torch.empty(3, device="meta") + 1
        turned = torch.view_as_complex(x[:, :2].contiguous()) * torch.polar(torch.ones(6), x[:, 2])
        negative = torch.conj(turned).imag * 1
        return quantized.dequantize(), sparse.to_dense(), meta, torch.view_as_real(turned), negative, torch.empty(0, 3) * 2, torch.tensor(7)
    run = recorded(odd)
    replay(run)
    assert [entry.get("type", entry["dtype"]) for entry in run.entries if "dtype" in entry][:4] == ["quint8", "F32", "F32", "F32"]
    assert {entry["type"] for entry in run.entries if "type" in entry} == {"quint8", "complex64"}, run.entries
    counts = []
    for record in (False, True):
        Odd.seen = []
        odd_one = x.as_subclass(Odd)
        with onestep.record(os.path.join(FOLDER, "odd.onestep")) if record else torch.no_grad():
            result = (odd_one @ odd_one.T).softmax(-1)
        counts.append(len(Odd.seen))
        assert type(result) is Odd
    assert counts[0] == counts[1], counts
    replay(Recording(os.path.join(FOLDER, "odd.onestep")))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


def odd_runs():
    def own_function():
        x = torch.ones(3, requires_grad=True)
        y = Double.apply(x)
        (y + 1).sum().backward()
        return x.grad
    run = recorded(own_function, backward=True)
    assert sum("gradient_of" in node for node in run.nodes) == 4, run.nodes

    def checkpointed():
        x = torch.ones(3, requires_grad=True)
        torch.utils.checkpoint.checkpoint(lambda x: (x * 2).exp(), x).sum().backward()
        return x.grad
    replay(recorded(checkpointed, backward=True))

    def hooked():
        module, seen = attention(), []
        module.register_full_backward_hook(lambda module, inputs, outputs: seen.append(outputs[0].sum()))
        x = INPUTS.clone().requires_grad_()
        (module(x * 1) + 1).sum().backward()
        return x.grad, seen
    run = recorded(hooked, backward=True)
    replay(run)
    product = run.find(expression="x * 1")[0]["results"][0]
    call = run.find(expression="self.W_query(x)")[0]["call"]
    operand = int(call[len("torch.nn.functional.linear(v"):].split(",")[0])
    assert product in (operand, run.entries[operand].get("view_of")), call  # PyTorch 2.6 takes a view of it

    def grown():
        total = torch.zeros(3)
        weight = torch.ones(3, requires_grad=True)
        total += weight
        (total * 2).sum().backward()
        return weight.grad
    run = recorded(grown, backward=True)
    value = {node["call"]: node["results"][0] for node in run.nodes if "call" in node}
    assert [node["gradient_of"] for node in run.nodes if "gradient_of" in node].count(value["v0 += v1"]) == 1, run.nodes
    assert not run.find(gradient_of=0)
    run = recorded(lambda: [row.sum() for row in torch.ones(2000, 1)][-1] + sum(torch.ones(1500, 2)[:3]))
    assert max(len(node["results"]) for node in run.nodes) == 1024
    replay(recorded(lambda: torch.stack([INPUTS] * 100)))

    def generated(parts):
        return sum(part * 2 for part in parts)
    replay(recorded(lambda: generated(INPUTS[row] for row in range(3))))
    replay(recorded(lambda: nn.DataParallel(nn.Linear(3, 2))(INPUTS)))
    replay(recorded(lambda: nn.LSTM(3, 2)(INPUTS[None])[0]))
    if not EARLY:
        recorded(lambda: torch.vmap(lambda row: row * 2)(INPUTS))
        recorded(lambda: torch.func.grad(lambda x: (x * x).sum())(INPUTS))

    def in_a_thread():
        results = []
        thread = threading.Thread(target=lambda: results.append(attention()(INPUTS)))
        thread.start()
        thread.join()
        return results[0] + 1
    run = recorded(in_a_thread)
    assert [node["call"] for node in run.nodes] == ["v0 + 1"] and not run.calls, run.nodes

    class Caching(nn.Module):
        def forward(self, x):
            self.cache = x * 2
            return {"out": self.cache + 1, "more": [self.cache]}
    run = recorded(lambda: Caching()(x=INPUTS)["out"])
    assert len(run.nodes[-1]["results"]) == 2 and run.find(variable="self.cache"), run.nodes


def refused_in_one_line():
    assert "one at a time" in error_of(lambda: onestep.record(os.path.join(FOLDER, "b.onestep")).__enter__(), onestep.RecordingError)
    os.unlink(os.path.join(FOLDER, "none.onestep"))
    for tokens in ("a word", [1, 2], ["a", ["b"]], 3):
        assert "tokens=" in error_of(lambda: None, tokens=tokens), tokens
    for path in (FOLDER, os.path.join(FOLDER, "nowhere", "a.onestep"), "/dev/null/a.onestep"):
        try:
            with onestep.record(path):
                raise AssertionError("it began")
        except onestep.RecordingError as error:
            assert "\n" not in str(error)
    assert_unwatched()


def a_file_is_whole_or_not_there():
    path = os.path.join(FOLDER, "whole.onestep")
    with onestep.record(path):
        torch.ones(2) + 1
    before = pathlib.Path(path).read_bytes()
    original = os.replace
    os.replace = lambda *arguments: (_ for _ in ()).throw(OSError("the disk is full"))
    try:
        with onestep.record(path):
            torch.ones(3) + 1
    except onestep.RecordingError as error:
        assert "the disk is full" in str(error)
    else:
        raise AssertionError("nothing was raised")
    finally:
        os.replace = original
    assert pathlib.Path(path).read_bytes() == before and not list(pathlib.Path(FOLDER).glob(".onestep-*"))
    assert_unwatched()


def many_numbers_do_not_wait_in_memory():
    """They go to the file before the run ends, also where the header becomes longer than the room that was left for it."""
    x, kept, written = torch.rand(64, 33), (onestep.HELD, onestep.ROOM), []

    def run():
        a = x * 2
        b = a.T + x.T.bfloat16()[:, :63].sum()
        a += 1
        written.extend(path.stat().st_size for path in pathlib.Path(FOLDER).glob(".onestep-*"))
        return a > 1, b.double(), torch.arange(7), a.T, a.to(torch.int64)
    wanted = recorded(run)
    assert not written
    try:
        for onestep.HELD, onestep.ROOM in ((0, 100_000), (0, 1000), (10_000, 1000)):
            found = recorded(run)
            assert found.nodes == wanted.nodes and found.entries == wanted.entries
            assert all(same_bits(one, other) for one, other in zip(found.values, wanted.values))
            assert written and min(written) > 9000, written
            assert not list(pathlib.Path(FOLDER).glob(".onestep-*"))
            written.clear()
        onestep.HELD, add = 0, onestep.File.enter
        onestep.File.enter = lambda *arguments: (_ for _ in ()).throw(OSError("the disk is full"))
        try:
            assert error_of(run).endswith("none.onestep was not written: the disk is full")
        finally:
            onestep.File.enter = add
    finally:
        onestep.HELD, onestep.ROOM = kept


def copies_of_the_process_write_nothing():
    """Workers that load data are such copies."""
    def run():
        first, child = x * 2, os.fork()
        if child == 0:
            x + 1
            os._exit(0)
        os.waitpid(child, 0)
        return first - 1
    x, onestep.HELD = torch.rand(64, 33), 0
    path = os.path.join(FOLDER, "copies.onestep")
    try:
        assert [node["call"] for node in recorded(run).nodes] == ["v0 * 2", "v1 - 1"]
        with onestep.record(path):
            first = x * 2
            child = os.fork()
            second = x - first if child else x + 1
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        assert replay(Recording(path)) == 2 and torch.equal(Recording(path).values[-1], second)
    finally:
        onestep.HELD = 32_000_000


def a_failure_of_the_recorder_leaves_the_run_alone():
    results, original = [], onestep.Text.call
    onestep.Text.call = lambda *arguments: 1 / 0
    try:
        message = error_of(lambda: results.append(torch.ones(2) + 1))
    finally:
        onestep.Text.call = original
    assert "ZeroDivisionError" in message and torch.equal(results[0], torch.full((2,), 2.0))
    most, onestep.MOST_NODES = onestep.MOST_NODES, 10
    try:
        assert error_of(lambda: [INPUTS + 1 for _ in range(20)]).startswith("more than 10 operations")
    finally:
        onestep.MOST_NODES = most


def numpy_writes_the_same_file():
    path = os.path.join(FOLDER, "numpy.onestep")
    done = subprocess.run([sys.executable, str(ROOT / "python" / "numpy_recording.py"), path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if b"No module named 'numpy'" in done.stdout:
        raise tap.Skipped("there is no NumPy")
    assert done.returncode == 0, done.stdout
    run = Recording(path)
    assert len(run.nodes) > 5 and replay(run, within=1e-6) == len(run.nodes)


# --- Costs -----------------------------------------------------------------------------------------------------------
def times(plain, record, runs):
    """Medians in seconds of two functions that take turns."""
    plain(), record()
    spent = [[], []]
    for _ in range(runs):
        for which, call in enumerate((plain, record)):
            begun = time.perf_counter()
            call()
            spent[which].append(time.perf_counter() - begun)
    return [statistics.median(each) for each in spent]


def a_run_of_124_million_costs_three_times_at_most():
    import gpt
    torch.manual_seed(123)
    model = gpt.GPTModel(gpt.GPT_CONFIG_124M).eval()
    ids = torch.tensor([[6109, 3626, 6100, 345, 2651, 13]])
    path, weights = os.path.join(FOLDER, "gpt.onestep"), os.path.join(FOLDER, "gpt.safetensors")
    onestep.write_safetensors(weights, dict(model.state_dict()), {"format": "pt"})

    def record():
        with torch.no_grad(), onestep.record(path, weights=weights):
            model(ids)

    def plain():
        with torch.no_grad():
            model(ids)
    spent = times(plain, record, 9)
    run = Recording(path)
    nodes = len(run.nodes)
    print(f"# 124M, six words: {spent[0] * 1000:.0f} ms plain, {spent[1] * 1000:.0f} ms recorded, {spent[1] / spent[0]:.2f} times; "
          f"{nodes} nodes, {os.path.getsize(path) / 1e6:.1f} MB")
    assert all("file" in entry for entry in run.entries if entry.get("name", "").endswith("weight"))
    assert spent[1] <= 3 * spent[0], spent


def a_training_step_of_10_million_costs_three_times_at_most():
    import gpt
    torch.manual_seed(123)
    config = {**gpt.GPT_CONFIG_124M, "vocab_size": 8192, "context_length": 128, "emb_dim": 288, "n_heads": 6, "n_layers": 5}
    model = gpt.GPTModel(config).train()
    count = sum(parameter.numel() for parameter in model.parameters())
    ids, path = torch.randint(8192, (4, 65)), os.path.join(FOLDER, "training.onestep")
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        loss = functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)  # from PyTorch 2.0 on, that is what it does; before, zeros were recorded, too
        loss.backward()

    def record():
        with onestep.record(path, backward=True):
            step()
    spent = times(step, record, 7)
    print(f"# training step of {count / 1e6:.1f}M: {spent[0] * 1000:.0f} ms plain, {spent[1] * 1000:.0f} ms recorded, "
          f"{spent[1] / spent[0]:.2f} times; {len(Recording(path).nodes)} nodes, {os.path.getsize(path) / 1e6:.0f} MB")
    assert spent[1] <= 3 * spent[0], spent


QUICK = [a_line_has_its_source, a_line_without_columns_has_its_variable, a_loop_keeps_its_variables, operations_are_written_as_python,
         changes_in_place_are_versions, running_means_are_versions, views_cost_no_bytes, memory_is_not_mistaken, gradients_are_those_of_pytorch,
         gradients_of_versions, a_step_uses_its_gradients, only_wanted_modules, a_limit_leaves_numbers_out, models_are_recorded, weights_that_changed_are_copied,
         training_goes_on_as_it_would, fast_paths_are_taken, compiled_functions_are_refused, scripts_are_one_operation, casts_are_told,
         hooks_see_what_they_would, models_of_libraries, a_run_that_raises, odd_tensors, odd_runs, refused_in_one_line, a_file_is_whole_or_not_there,
         many_numbers_do_not_wait_in_memory, copies_of_the_process_write_nothing,
         a_failure_of_the_recorder_leaves_the_run_alone, numpy_writes_the_same_file]
LONG = [a_run_of_124_million_costs_three_times_at_most, a_training_step_of_10_million_costs_three_times_at_most]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", nargs="?", default=str(ROOT / "python" / "record.py"), metavar="MODULE")
    parser.add_argument("--quick", action="store_true", help="leaves out what takes long")
    parser.add_argument("--models", metavar="FOLDER", help="folders of models in HuggingFace's form, with expected.ref")
    OPTIONS = parser.parse_args()
    onestep = load_module(OPTIONS.module)
    with tempfile.TemporaryDirectory() as FOLDER:
        sys.exit(tap.run(QUICK if OPTIONS.quick else QUICK + LONG))
