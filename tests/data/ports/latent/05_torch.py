"""Multi-head latent attention after DeepSeek's modeling file, without rotary parts."""
import contextlib
import os

import torch
from torch import nn

path = os.path.abspath(__file__)
try:
    import onestep
    recording = onestep.record(path[:-3] + ".onestep")
except ImportError:
    recording = contextlib.nullcontext()


class LatentAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, head_dim, kv_lora_rank):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.q_proj = nn.Linear(hidden_size, num_heads * head_dim, bias=False)
        self.kv_down = nn.Linear(hidden_size, kv_lora_rank, bias=False)
        self.k_up = nn.Linear(kv_lora_rank, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(kv_lora_rank, num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, num_heads * head_dim)

    def norm(self, c):
        return c * torch.rsqrt(c.square().mean(-1, keepdim=True) + 1e-6)

    def forward(self, hidden_states):
        bsz, q_len, _ = hidden_states.size()
        shape = (bsz, q_len, self.num_heads, self.head_dim)
        query_states = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        compressed_kv = self.norm(self.kv_down(hidden_states))
        key_states = self.k_up(compressed_kv).view(shape).transpose(1, 2)
        value_states = self.v_up(compressed_kv).view(shape).transpose(1, 2)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim ** -0.5
        attention_mask = torch.full((q_len, q_len), torch.finfo(torch.float32).min).triu(diagonal=1)
        attn_weights = nn.functional.softmax(attn_weights + attention_mask, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, -1)
        attn_output = self.o_proj(attn_output)
        return attn_output


torch.manual_seed(123)
layer = LatentAttention(3, 2, 2, 2)
tokens = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                        [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
with torch.no_grad(), recording:
    answer = layer(tokens)
print(answer)
