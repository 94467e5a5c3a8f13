"""A decoder layer with the names of HuggingFace's Llama."""
import contextlib
import os

import numpy as np
import torch
from torch import nn

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep", tokens="Your journey starts with one step".split())
except ImportError:
    recording = contextlib.nullcontext()


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2:]
    return torch.cat((-x2, x1), dim=-1)


class LlamaRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states


class LlamaMLP(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        gate = self.gate_proj(x)
        up = self.up_proj(x)
        product = gate * self.act_fn(up)
        return self.down_proj(product)


class LlamaAttention(nn.Module):
    def __init__(self, hidden_size, heads, kv_heads, head_dim):
        super().__init__()
        self.head_dim, self.groups = head_dim, heads // kv_heads
        self.q_proj = nn.Linear(hidden_size, heads * head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_size, kv_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, kv_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(heads * head_dim, hidden_size, bias=False)

    def forward(self, hidden_states, cos, sin):
        shape = (*hidden_states.shape[:-1], -1, self.head_dim)
        q = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        k = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        v = self.v_proj(hidden_states).view(shape).transpose(1, 2)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k = k[:, :, None].expand(-1, -1, self.groups, -1, -1).flatten(1, 2)
        v = v[:, :, None].expand(-1, -1, self.groups, -1, -1).flatten(1, 2)
        attn = q @ k.transpose(2, 3) * self.head_dim ** -0.5
        attn = attn + torch.full(attn.shape[-2:], float("-inf")).triu(1)
        attn = nn.functional.softmax(attn, dim=-1, dtype=torch.float32)
        out = (attn @ v).transpose(1, 2).reshape(*hidden_states.shape[:-1], -1)
        return self.o_proj(out)


class LlamaDecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = LlamaAttention(3, 4, 2, 4)
        self.mlp = LlamaMLP(3, 6)
        self.input_layernorm, self.post_attention_layernorm = LlamaRMSNorm(3), LlamaRMSNorm(3)

    def forward(self, hidden_states):
        inv_freq = 500000.0 ** (-torch.arange(0, 4, 2).float() / 4)
        emb = torch.outer(torch.arange(hidden_states.shape[1]).float(), inv_freq).repeat(1, 2)
        residual = hidden_states
        hidden_states = self.self_attn(self.input_layernorm(hidden_states), emb.cos(), emb.sin())
        hidden_states = residual + hidden_states
        residual = hidden_states
        hidden_states = self.mlp(self.post_attention_layernorm(hidden_states))
        hidden_states = residual + hidden_states
        return hidden_states


npz = {k: torch.from_numpy(v) for k, v in np.load(os.path.join(os.path.dirname(path), "weights.npz")).items()}
layer = LlamaDecoderLayer()
with torch.no_grad():
    for module, name in ((layer.self_attn.q_proj, "wq"), (layer.self_attn.k_proj, "wk"), (layer.self_attn.v_proj, "wv"), (layer.self_attn.o_proj, "wo"),
                         (layer.mlp.gate_proj, "wgate"), (layer.mlp.up_proj, "wup"), (layer.mlp.down_proj, "wdown")):
        module.weight.copy_(npz[name])
with torch.no_grad(), recording:
    output = layer(npz["x"].unsqueeze(0))
print(output)
