"""Writes data/gpt.txt, what PyTorch computes for `onestep verify --gpt`: gpt_expectations.py OUTPUT

Needs PyTorch and some three gigabytes. The model is the course's GPTModel (chapter 4), written out.
"""
import sys

import torch
from torch import nn

HEAD = """# What PyTorch {version} computes for GPT-2 small from its seed (one thread, on the processor). `onestep verify --gpt` reads
# this, in the form of data/expectations.txt. "within X" says how far the numbers may differ from here on, "within X of each"
# how far as a part of each number: PyTorch's own settings differ by up to 1.8e-6 in a logit, and by up to 3.6e-6 from one
# chain of fused products.
#
# tests/gpt_expectations.py writes it.
"""
D, HEADS, BLOCKS, VOCABULARY = 768, 12, 12, 50257


class LayerNorm(nn.Module):
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)


class Block(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(D, D, bias=False) for _ in range(3))
        self.out = nn.Linear(D, D)
        self.ffn1, self.ffn2 = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)
        self.norm, self.dropout = LayerNorm(), nn.Dropout(p)

    def attend(self, x):
        b, t, _ = x.shape
        q, k, v = (layer(x).view(b, t, HEADS, D // HEADS).transpose(1, 2) for layer in (self.query, self.key, self.value))
        scores = (q @ k.transpose(2, 3)).masked_fill(torch.triu(torch.ones(t, t), 1).bool(), -torch.inf)
        weights = self.dropout(torch.softmax(scores / (D // HEADS) ** 0.5, -1))
        return self.out((weights @ v).transpose(1, 2).contiguous().view(b, t, D))

    def think(self, x):
        x = self.ffn1(x)
        return self.ffn2(0.5 * x * (1 + torch.tanh(torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * x**3))))

    def forward(self, x):
        x = self.dropout(self.attend(self.norm(x))) + x
        return self.dropout(self.think(self.norm(x))) + x


class GPT(nn.Module):
    def __init__(self, context_length, p):
        super().__init__()
        torch.manual_seed(123)
        self.tokens, self.positions = nn.Embedding(VOCABULARY, D), nn.Embedding(context_length, D)
        self.dropout = nn.Dropout(p)
        self.blocks = nn.Sequential(*(Block(p) for _ in range(BLOCKS)))
        self.norm, self.head = LayerNorm(), nn.Linear(D, VOCABULARY, bias=False)

    def forward(self, ids):
        x = self.dropout(self.tokens(ids) + self.positions(torch.arange(ids.shape[1])))
        return self.head(self.norm(self.blocks(x)))


def write(file, name, tensor):
    sizes = "".join(f" {size}" for size in tensor.shape)
    file.write(f"tensor {str(tensor.dtype).removeprefix('torch.')}{sizes} : {name}\n")
    for row in tensor.reshape(-1, tensor.shape[-1] if tensor.ndim else 1).tolist():
        file.write(" ".join(f"{number:.9g}" for number in row) + "\n")


def run(file, sentences, context_length=1024, p=0.0, new_tokens=0):
    ids = torch.tensor(sentences)
    options = " --ids " + ";".join(",".join(map(str, sentence)) for sentence in sentences)
    options += f" --context-length {context_length}" * (context_length != 1024) + f" --dropout {p}" * (p > 0)
    file.write(f"\nrun gpt{options}" + f" --new-tokens {new_tokens}\n")
    model = GPT(context_length, p)
    model.train(p > 0)
    logits = model(ids)
    file.write("within 5e-6\n")
    write(file, "logits[:, :, :8]", logits[:, :, :8])
    write(file, "logits[:, :, -8:]", logits[:, :, -8:])
    if p > 0:
        return
    write(file, "most_likely", logits.argmax(-1))
    write(file, "loss", nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()))
    file.write("within 1e-5 of each\n")
    write(file, "target_probabilities", torch.softmax(logits[:, :-1], -1).gather(-1, ids[:, 1:, None])[..., 0])
    for _ in range(new_tokens):
        ids = torch.cat([ids, model(ids[:, -context_length:])[:, -1].argmax(-1, keepdim=True)], 1)
    write(file, "said", ids)


torch.set_num_threads(1)
with open(sys.argv[1], "w", encoding="utf-8") as output, torch.no_grad():
    output.write(HEAD.format(version=torch.__version__))
    run(output, [[15496, 11, 314, 716]], new_tokens=10)
    run(output, [[6109, 3626, 6100, 345], [6109, 1110, 6622, 257]])
    run(output, [[6109, 3626, 6100, 345], [6109, 1110, 6622, 257]], p=0.1)
    run(output, [[16833, 3626, 6100, 345], [40, 1107, 588, 11311]], context_length=256)
    run(output, [[6109, 3626, 6100, 345]], context_length=256, new_tokens=10)
    run(output, [[15496, 11, 314, 716]], context_length=8, new_tokens=12)
