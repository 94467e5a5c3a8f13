"""Writes the recordings of tests/data/recordings: samples.py FOLDER. They are PyTorch 1.13's."""
import importlib.util
import json
import os
import pathlib
import sys

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import models  # noqa: E402
from replay import read_header, tensor_of  # noqa: E402

WORDS = "Your journey starts with one step".split()


def load_module(path):
    spec = importlib.util.spec_from_file_location("onestep", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", mask.bool())

    def forward(self, x):
        num_tokens = x.shape[0]
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        masked_scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        scaled = masked_scores / keys.shape[-1]**0.5
        causal_weights = torch.softmax(scaled, dim=-1)
        context = causal_weights @ values
        return context


def causal():
    inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10],
                           [0.05, 0.80, 0.55]])
    torch.manual_seed(789)
    attention = CausalAttention(3, 2, 6)
    return (lambda: attention(inputs)), {"tokens": WORDS}


def gpt2():
    torch.manual_seed(1)
    model = models.random(models.GPT2({
        "n_layer": 1, "n_head": 2, "n_embd": 8, "vocab_size": 20, "n_positions": 8, "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True}))
    ids = torch.tensor([[5, 0, 17, 3], [3, 9, 12, 1]])
    return (lambda: model(ids)), {"tokens": [["a", "b", "c", "d"], ["d", "e", "f", "g"]]}


def qwen3():
    """Its weights lie in a file of their own, in bfloat16."""
    torch.manual_seed(2)
    model = models.random(models.Llama({
        "model_type": "qwen3", "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2,
        "num_key_value_heads": 1, "vocab_size": 20, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "tie_word_embeddings": False, "head_dim": 4}))
    stored = {name: parameter.detach().bfloat16() for name, parameter in model.named_parameters()}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(stored[name])
    onestep.write_safetensors("qwen3.safetensors", stored, {"format": "pt"})
    ids = torch.tensor([[5, 0, 17, 3]])
    return (lambda: model(ids)), {"weights": "qwen3.safetensors"}


def changes():
    """Changes in place, views, several results, other types; at last it raises."""
    def run():
        numbers = torch.arange(6.0).view(2, 3)
        row, turned = numbers[0], numbers.T
        numbers += 1
        row.mul_(2)
        numbers[1] = -torch.inf
        sums = turned.sum(1)
        largest, where = numbers.max(dim=1)
        first, second = numbers.to(torch.bfloat16).split([1, 2], dim=1)
        half = first.half() * 0.1
        complex_ones = torch.complex(row, row)
        length = complex_ones.abs()
        picked = numbers[numbers > 0]
        return sums @ torch.ones(4)
    return run, {}


def step():
    """A step of training, with its gradients."""
    torch.manual_seed(3)
    layer, inputs, targets = nn.Linear(3, 2), torch.rand(4, 3), torch.tensor([0, 1, 1, 0])

    def run():
        logits = layer(inputs)
        loss = torch.nn.functional.cross_entropy(logits, targets)
        loss.backward()
    return run, {"backward": True}


class Branches(nn.Module):
    """The same table twice, several results, views, writes in place, what has no gradient."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 8)
        self.both = nn.Linear(8, 16)
        self.norm = nn.LayerNorm(8)

    def forward(self, ids):
        x = self.norm(self.table(ids))
        queries, keys = self.both(x).split(8, dim=-1)
        scores = queries @ keys.transpose(0, 1) / 8**0.5
        scores.masked_fill_(torch.triu(torch.ones(4, 4), diagonal=1).bool(), -torch.inf)
        weights = scores.softmax(-1)
        heads = (weights @ x).view(4, 2, 4).transpose(0, 1)
        context = heads.transpose(0, 1).reshape(4, 8) + x.detach()
        hidden = torch.relu(context) * context
        length = (hidden * 3).sum()  # what only the second loss reads
        hidden += x
        logits = hidden @ self.table.weight.T
        return logits, length


def backward():
    """The gradients of many kinds of lines, and of two losses."""
    torch.manual_seed(4)
    model, ids, targets = Branches(), torch.tensor([5, 0, 3, 5]), torch.tensor([0, 3, 5, 1])

    def run():
        logits, _ = model(ids)
        loss = torch.nn.functional.cross_entropy(logits, targets)
        loss.backward()
        other, length = model(ids)
        far = (other.var(dim=-1).mean() + length) * 2
        far.backward()
    return run, {"backward": True}


def without_folders(path):
    """The files of a recording by their last names: nothing of where it was made is left."""
    header, numbers = read_header(path)
    tensors = {name: tensor_of(header, numbers, name) for name in header if name != "__metadata__"}
    description = json.loads(header["__metadata__"]["recording"])
    for file in description["files"]:
        file["name"] = os.path.basename(file["name"])
    onestep.write_safetensors(path, tensors, {**header["__metadata__"], "recording": json.dumps(description)})


if __name__ == "__main__":
    onestep = load_module(HERE.parent.parent / "python" / "record.py")
    os.chdir(sys.argv[1])
    for make in (causal, gpt2, qwen3, changes, step, backward):
        run, options = make()
        path = f"{make.__name__}.onestep"
        try:
            with onestep.record(path, **options):
                run()
        except RuntimeError as error:
            assert make is changes, error
        without_folders(path)
