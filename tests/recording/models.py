"""Plain PyTorch models of GPT-2, Llama, Qwen2 and Qwen3, one class each with the names of HuggingFace. They load the safetensors files of a
folder themselves: load(folder) gives a model in float32."""
import json
import math
import pathlib
import struct

import torch
from torch import nn

STORED = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


# --- GPT-2 -----------------------------------------------------------------------------------------------------------
class Conv1D(nn.Module):
    """A linear layer whose weight is [in][out], as GPT-2 stores it."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.empty(n_out))

    def forward(self, x):
        return x @ self.weight + self.bias


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = Conv1D(width, 3 * width)
        self.c_proj = Conv1D(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        queries, keys, values = self.c_attn(x).split(width, dim=2)
        queries = queries.view(batch, tokens, self.heads, -1).transpose(1, 2)
        keys = keys.view(batch, tokens, self.heads, -1).transpose(1, 2)
        values = values.view(batch, tokens, self.heads, -1).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3)
        mask = torch.tril(torch.ones(tokens, tokens, dtype=torch.bool))
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores / math.sqrt(queries.shape[-1]), dim=-1)
        context = weights @ values
        context = context.transpose(1, 2).reshape(batch, tokens, width)
        return self.c_proj(context)


class FeedForward(nn.Module):
    def __init__(self, width, approximate):
        super().__init__()
        self.c_fc = Conv1D(width, 4 * width)
        self.act = nn.GELU(approximate=approximate)
        self.c_proj = Conv1D(4 * width, width)

    def forward(self, x):
        return self.c_proj(self.act(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["n_embd"], config["layer_norm_epsilon"]
        self.ln_1 = nn.LayerNorm(width, eps=eps)
        self.attn = CausalSelfAttention(width, config["n_head"])
        self.ln_2 = nn.LayerNorm(width, eps=eps)
        self.mlp = FeedForward(width, "tanh" if config["activation_function"] == "gelu_new" else "none")

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config["vocab_size"], config["n_embd"])
        self.wpe = nn.Embedding(config["n_positions"], config["n_embd"])
        self.h = nn.ModuleList(Block(config) for _ in range(config["n_layer"]))
        self.ln_f = nn.LayerNorm(config["n_embd"], eps=config["layer_norm_epsilon"])

    def forward(self, ids):
        positions = torch.arange(ids.shape[1])
        x = self.wte(ids) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.ln_f(x)


class GPT2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.transformer = Transformer(config)
        self.lm_head = nn.Linear(config["n_embd"], config["vocab_size"], bias=False)
        if config["tie_word_embeddings"]:
            self.lm_head.weight = self.transformer.wte.weight

    def forward(self, ids):
        x = self.transformer(ids)
        logits = self.lm_head(x)
        return logits


# --- Llama, Qwen2, Qwen3 -----------------------------------------------------------------------------------------------
class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self.eps = eps

    def forward(self, x):
        mean_square = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(mean_square + self.eps))


def frequencies(config, head_dim):
    """The frequency of each pair of features; Llama 3 slows the slow ones down."""
    inverse = 1.0 / config["rope_theta"] ** (torch.arange(0, head_dim, 2).float() / head_dim)
    scaling = config.get("rope_scaling")
    if not scaling:
        return inverse
    old = scaling["original_max_position_embeddings"]
    low, high = old / scaling["low_freq_factor"], old / scaling["high_freq_factor"]
    wavelength = 2 * math.pi / inverse
    slowed = torch.where(wavelength > low, inverse / scaling["factor"], inverse)
    smooth = (old / wavelength - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
    between = (1 - smooth) * inverse / scaling["factor"] + smooth * inverse
    is_between = (wavelength <= low) & (wavelength >= high)
    return torch.where(is_between, between, slowed)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return x * cos + turned * sin


class GroupedAttention(nn.Module):
    def __init__(self, config, head_dim):
        super().__init__()
        width, self.head_dim = config["hidden_size"], head_dim
        self.heads, self.groups = config["num_attention_heads"], config["num_key_value_heads"]
        bias = config["model_type"] == "qwen2"
        self.q_proj = nn.Linear(width, self.heads * head_dim, bias=bias)
        self.k_proj = nn.Linear(width, self.groups * head_dim, bias=bias)
        self.v_proj = nn.Linear(width, self.groups * head_dim, bias=bias)
        self.o_proj = nn.Linear(self.heads * head_dim, width, bias=False)
        if config["model_type"] == "qwen3":
            self.q_norm = RMSNorm(head_dim, config["rms_norm_eps"])
            self.k_norm = RMSNorm(head_dim, config["rms_norm_eps"])
        self.has_norms = config["model_type"] == "qwen3"

    def forward(self, x, cos, sin, mask):
        batch, tokens, _ = x.shape
        queries = self.q_proj(x).view(batch, tokens, self.heads, self.head_dim)
        keys = self.k_proj(x).view(batch, tokens, self.groups, self.head_dim)
        values = self.v_proj(x).view(batch, tokens, self.groups, self.head_dim).transpose(1, 2)
        if self.has_norms:
            queries, keys = self.q_norm(queries), self.k_norm(keys)
        queries = rotate(queries.transpose(1, 2), cos, sin)
        keys = rotate(keys.transpose(1, 2), cos, sin)
        keys = keys.repeat_interleave(self.heads // self.groups, dim=1)
        values = values.repeat_interleave(self.heads // self.groups, dim=1)
        scores = queries @ keys.transpose(-2, -1)
        scores = scores.masked_fill(mask, float("-inf"))
        weights = nn.functional.softmax(scores / math.sqrt(self.head_dim), dim=-1)
        context = (weights @ values).transpose(1, 2).reshape(batch, tokens, -1)
        return self.o_proj(context)


class SwiGLU(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        gated = nn.functional.silu(self.gate_proj(x)) * self.up_proj(x)
        return self.down_proj(gated)


class DecoderLayer(nn.Module):
    def __init__(self, config, head_dim):
        super().__init__()
        width, eps = config["hidden_size"], config["rms_norm_eps"]
        self.input_layernorm = RMSNorm(width, eps)
        self.self_attn = GroupedAttention(config, head_dim)
        self.post_attention_layernorm = RMSNorm(width, eps)
        self.mlp = SwiGLU(width, config["intermediate_size"])

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        x = x + self.mlp(self.post_attention_layernorm(x))
        return x


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        self.embed_tokens = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = nn.ModuleList(DecoderLayer(config, head_dim) for _ in range(config["num_hidden_layers"]))
        self.norm = RMSNorm(config["hidden_size"], config["rms_norm_eps"])
        self.register_buffer("inv_freq", frequencies(config, head_dim), persistent=False)

    def forward(self, ids):
        x = self.embed_tokens(ids)
        tokens = ids.shape[1]
        angles = torch.arange(tokens).float()[:, None] * self.inv_freq[None, :]
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        mask = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return self.norm(x)


class Llama(nn.Module):
    """Also Qwen2, which has biases, and Qwen3, which normalizes queries and keys."""

    def __init__(self, config):
        super().__init__()
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config["hidden_size"], config["vocab_size"], bias=False)
        if config["tie_word_embeddings"]:
            self.lm_head.weight = self.model.embed_tokens.weight

    def forward(self, ids):
        x = self.model(ids)
        logits = self.lm_head(x)
        return logits


# --- Files -----------------------------------------------------------------------------------------------------------
def read_safetensors(path):
    """{name: tensor} of a safetensors file."""
    data = bytearray(pathlib.Path(path).read_bytes())
    length = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            first, last = (8 + length + place for place in entry["data_offsets"])
            tensors[name] = torch.frombuffer(data[first:last], dtype=STORED[entry["dtype"]]).view(entry["shape"])
    return tensors


def shards(folder):
    return sorted(pathlib.Path(folder).glob("*.safetensors"))


def load(folder):
    """The model of a folder in HuggingFace's form, in float32 and in evaluation mode."""
    config = json.loads((pathlib.Path(folder) / "config.json").read_text(encoding="utf-8"))
    is_gpt2 = config["model_type"] == "gpt2"
    model = GPT2(config) if is_gpt2 else Llama(config)
    stored = {}
    for path in shards(folder):
        stored.update(read_safetensors(path))
    for name, parameter in model.named_parameters():
        found = stored.get(name)
        if found is None:
            found = stored[name.replace("transformer.", "")]
        with torch.no_grad():
            parameter.copy_(found)
    return model.eval()


def read_reference(path):
    """{name: numbers} of a file such as expected.ref: a tensor's line, then one line for each of its rows."""
    tensors, name = {}, None
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("tensor "):
            name = line.split(" : ", 1)[1]
            words = line.split(" : ", 1)[0].split()
            tensors[name] = (words[1], [int(word) for word in words[3:]], [])
        else:
            tensors[name][2].extend(line.split())
    return {name: torch.tensor([int(n) if kind == "int64" else float.fromhex(n) for n in numbers]).view(shape)
            for name, (kind, shape, numbers) in tensors.items()}


def random(model):
    """Gives every parameter random numbers."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.3 * torch.randn_like(parameter) + (parameter.ndim == 1))
    return model.eval()
