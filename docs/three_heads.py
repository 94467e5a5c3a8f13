"""Three heads of causal attention. Each head has weights of its own; their contexts are laid side by side."""
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        # The mask: which keys lie in the future. Row i belongs to query i, and True hides a key.
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def forward(self, x):
        # Queries: what does each token look for? Each row is a token times the weights.
        queries = self.W_query(x)
        # Keys: what does each token offer to the queries?
        keys = self.W_key(x)
        # Values: what does a token give to those that look at it?
        values = self.W_value(x)
        # Scores: how well does each key answer each query? The future still shows.
        scores = queries @ keys.T
        # Hide the future. A score of -inf becomes a weight of 0.
        scores.masked_fill_(self.mask, -torch.inf)
        # Weights: a softmax for each query. Each row sums to 1.
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([CausalAttention(d_in, d_out, context_length) for _ in range(num_heads)])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


# Three words, a row each.
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]])
torch.manual_seed(123)
attention = MultiHeadAttention(3, 2, 3, num_heads=3)
# The call: three heads, each with two columns of the result.
context = attention(inputs)
loss = context.sum()
loss.backward()
print(context.shape)
