# Grouped-query attention, ported from a Llama 2 tutorial.
import torch
import torch.nn as nn

torch.manual_seed(123)
hidden = torch.tensor([[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                        [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]]])
n_heads, n_kv_heads, head_size = 4, 2, 2
n_rep = n_heads // n_kv_heads
k_proj = nn.Linear(3, n_kv_heads * head_size, bias=False)
v_proj = nn.Linear(3, n_kv_heads * head_size, bias=False)
q_proj = nn.Linear(3, n_heads * head_size, bias=False)
o_proj = nn.Linear(n_heads * head_size, n_heads * head_size, bias=False)

bsz, seqlen, _ = hidden.shape
xq = q_proj(hidden).view(bsz, seqlen, n_heads, head_size).transpose(1, 2)
xk = k_proj(hidden).view(bsz, seqlen, n_kv_heads, head_size).transpose(1, 2)
xv = v_proj(hidden).view(bsz, seqlen, n_kv_heads, head_size).transpose(1, 2)
k_all = xk.repeat(1, n_rep, 1, 1)
v_all = xv.repeat_interleave(n_rep, dim=1)
att = torch.matmul(xq, k_all.transpose(2, 3)) / head_size ** 0.5
causal = torch.full((seqlen, seqlen), float("-inf")).triu(1)
att = att + causal
prob = torch.softmax(att, dim=-1)
mixed = torch.matmul(prob, v_all)
joined = mixed.transpose(1, 2).reshape(bsz, seqlen, n_heads * head_size)
result = o_proj(joined)
print(result)
