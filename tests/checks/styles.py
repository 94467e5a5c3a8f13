"""Is the line shown in which a student's own program is wrong?

24 right programs in the styles of students, with names of their own, and 60 that have one line wrong. Both were written by somebody
who had not seen what onestep knows. Each is run by PyTorch, and its numbers are handed in as a dump, with the names of the steps,
and then the program itself. No right program may be called wrong, and no wrong dump may be called right but those whose numbers
are right.
"""
ENOUGH = {"the line": 54}
UNSEEN = (27, 41, 47)  # eps below what is allowed; positions from 1 turn as those from 0; no later score is larger

X = '''inputs = torch.tensor(
  [[0.43, 0.15, 0.89], # Your
   [0.55, 0.87, 0.66], # journey
   [0.57, 0.85, 0.64], # starts
   [0.22, 0.58, 0.33], # with
   [0.77, 0.25, 0.10], # one
   [0.05, 0.80, 0.55]] # step
)
'''
BASES = {}   # name: (lesson, parameters, text, {step: expression})
ROWS = []    # (base, old, new, the line of the answer; None: the new one)


def base(name, lesson, text, steps, parameters=()):
    BASES[name] = (lesson, list(parameters), text.replace("%X%", X), steps)


def wrong(name, old, new, line=None):
    """`line`: a true answer other than the wrong line, such as the one that is missing."""
    ROWS.append((name, old, new, line))


# ---- simplified
base("loops", "simplified", '''import torch

%X%
query = inputs[1]  # 2nd token is the query
attn_scores_2 = torch.empty(inputs.shape[0])
for i, x_i in enumerate(inputs):
    attn_scores_2[i] = torch.dot(x_i, query)
print(attn_scores_2)

def softmax_naive(x):
    return torch.exp(x) / torch.exp(x).sum(dim=0)

attn_weights_2 = softmax_naive(attn_scores_2)
print("Attention weights:", attn_weights_2)
print("Sum:", attn_weights_2.sum())

context_vec_2 = torch.zeros(query.shape)
for i, x_i in enumerate(inputs):
    context_vec_2 += attn_weights_2[i] * x_i
print(context_vec_2)

attn_scores = torch.empty(6, 6)
for i, x_i in enumerate(inputs):
    for j, x_j in enumerate(inputs):
        attn_scores[i, j] = torch.dot(x_i, x_j)
print(attn_scores)
attn_weights = torch.softmax(attn_scores, dim=-1)
all_context_vecs = attn_weights @ inputs
print(all_context_vecs)
''', {"query": "query", "query_scores": "attn_scores_2", "query_weights": "attn_weights_2", "query_context": "context_vec_2",
      "scores": "attn_scores", "weights": "attn_weights", "context": "all_context_vecs"})
wrong("loops", "torch.dot(x_i, x_j)", "torch.dot(x_i, x_i)")
wrong("loops", "    context_vec_2 += attn_weights_2[i] * x_i", "    context_vec_2 = attn_weights_2[i] * x_i")
wrong("loops", "torch.exp(x) / torch.exp(x).sum(dim=0)", "torch.exp(x - x.max()) / torch.exp(x).sum(dim=0)")

# ---- trainable
base("v1", "trainable", '''import torch
import torch.nn as nn

%X%
d_in = inputs.shape[1]
d_out = 2

class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(
            attn_scores / keys.shape[-1]**0.5, dim=-1
        )
        context_vec = attn_weights @ values
        return context_vec

torch.manual_seed(123)
sa_v1 = SelfAttention_v1(d_in, d_out)
out = sa_v1(inputs)
print(out)
''', {"rand: W_query": "sa_v1.W_query", "rand: W_key": "sa_v1.W_key", "rand: W_value": "sa_v1.W_value",
      "rand: queries": "L_forward.queries", "rand: keys": "L_forward.keys", "rand: values": "L_forward.values",
      "rand: scores": "L_forward.attn_scores", "rand: weights": "L_forward.attn_weights", "rand: context": "out"})
wrong("v1", "keys = x @ self.W_key", "keys = x @ self.W_query")
wrong("v1", "attn_scores / keys.shape[-1]**0.5, dim=-1", "attn_scores / keys.shape[-1]*0.5, dim=-1")

base("v2", "trainable", '''import torch
from torch import nn

%X%

class SelfAttention_v2(nn.Module):

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key   = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        q = self.W_query(x)
        k = self.W_key(x)
        v = self.W_value(x)
        omega = q @ k.T
        alpha = torch.softmax(omega / k.shape[-1]**0.5, dim=-1)
        z = alpha @ v
        return z

torch.manual_seed(789)
sa_v2 = SelfAttention_v2(3, 2)
z = sa_v2(inputs)
print(z)
''', {"linear: W_query": "sa_v2.W_query.weight", "linear: W_key": "sa_v2.W_key.weight", "linear: W_value": "sa_v2.W_value.weight",
      "linear: queries": "L_forward.q", "linear: keys": "L_forward.k", "linear: values": "L_forward.v", "linear: scores": "L_forward.omega",
      "linear: weights": "L_forward.alpha", "linear: context": "z"})
wrong("v2", "torch.manual_seed(789)", "torch.manual_seed(798)")

# ---- causal
base("script_causal", "causal", '''import torch

%X%
torch.manual_seed(789)
d_in, d_out = 3, 2
W_q = torch.nn.Linear(d_in, d_out, bias=False)
W_k = torch.nn.Linear(d_in, d_out, bias=False)
W_v = torch.nn.Linear(d_in, d_out, bias=False)

queries = W_q(inputs)
keys = W_k(inputs)
values = W_v(inputs)

attn_scores = queries @ keys.T
attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)

context_length = attn_scores.shape[0]
mask_simple = torch.tril(torch.ones(context_length, context_length))
masked_simple = attn_weights*mask_simple
row_sums = masked_simple.sum(dim=-1, keepdim=True)
masked_simple_norm = masked_simple / row_sums
print(masked_simple_norm)

mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
masked = attn_scores.masked_fill(mask.bool(), -torch.inf)
causal_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=1)
print(causal_weights)
context_vecs = causal_weights @ values
print(context_vecs)
''', {"queries": "queries", "keys": "keys", "values": "values", "scores": "attn_scores", "weights": "attn_weights", "mask_tril": "mask_simple",
      "masked_weights": "masked_simple", "row_sums": "row_sums", "renormalized": "masked_simple_norm", "mask_triu": "mask",
      "masked_scores": "masked", "causal_weights": "causal_weights", "context": "context_vecs"})
wrong("script_causal", "masked_simple = attn_weights*mask_simple", "masked_simple = attn_scores*mask_simple")
wrong("script_causal", "masked_fill(mask.bool(), -torch.inf)", "masked_fill(mask.bool(), 1e-9)")
wrong("script_causal", "causal_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=1)",
      "causal_weights = torch.softmax(masked, dim=1) / keys.shape[-1]**0.5")
wrong("script_causal", "row_sums = masked_simple.sum(dim=-1, keepdim=True)", "row_sums = attn_weights.sum(dim=-1, keepdim=True)")

base("class_causal", "causal", '''import torch
import torch.nn as nn
import torch.nn.functional as F

%X%

class CausalSelfAttention(nn.Module):
    """one head, no batch"""

    def __init__(self, d_in, d_out, block_size):
        super().__init__()
        self.query = nn.Linear(d_in, d_out, bias=False)
        self.key = nn.Linear(d_in, d_out, bias=False)
        self.value = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        T, C = x.shape
        q = self.query(x)
        k = self.key(x)
        v = self.value(x)
        wei = q @ k.transpose(-2, -1)
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        att = F.softmax(wei * k.shape[-1] ** -0.5, dim=-1)
        out = att @ v
        return out

torch.manual_seed(789)
head = CausalSelfAttention(3, 2, 6)
y = head(inputs)
print(y)
''', {"queries": "L_forward.q", "keys": "L_forward.k", "values": "L_forward.v", "masked_scores": "L_forward.wei",
      "causal_weights": "L_forward.att", "context": "y"})
wrong("class_causal", "        wei = wei.masked_fill(self.tril", "        wei.masked_fill(self.tril")
wrong("class_causal", "wei * k.shape[-1] ** -0.5", "wei * C ** -0.5")

# ---- dropout
base("class_dropout", "dropout", '''import torch
import torch.nn as nn

%X%

class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key   = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        n, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.T
        attn_scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        attn_dropped = self.dropout(attn_weights)
        context_vec = attn_dropped @ values
        return context_vec

torch.manual_seed(789)
ca = CausalAttention(3, 2, 6, 0.5)
torch.manual_seed(123)
context_vecs = ca(inputs)
print(context_vecs)
''', {"queries": "L_forward.queries", "keys": "L_forward.keys", "values": "L_forward.values", "causal_weights": "L_forward.attn_weights",
      "mt19937: weights_dropped": "L_forward.attn_dropped", "mt19937: context": "context_vecs"}, ["--bernoulli", "mt19937"])
wrong("class_dropout", "        context_vec = attn_dropped @ values", "        context_vec = attn_dropped @ self.dropout(values)")
wrong("class_dropout", "ca = CausalAttention(3, 2, 6, 0.5)", "ca = CausalAttention(3, 2, 6, 0.5).eval()")

# ---- wrapper
base("wrapped", "wrapper", '''import torch
import torch.nn as nn

%X%
batch = torch.stack((inputs, inputs), dim=0)


class Head(nn.Module):
    def __init__(self, d_in, d_out, context_length):
        super().__init__()
        self.Wq = nn.Linear(d_in, d_out, bias=False)
        self.Wk = nn.Linear(d_in, d_out, bias=False)
        self.Wv = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        k = self.Wk(x)
        q = self.Wq(x)
        v = self.Wv(x)
        scores = torch.bmm(q, k.transpose(1, 2))
        masked = scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(masked / k.shape[-1]**0.5, dim=-1)
        return torch.bmm(weights, v)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_in, d_out, context_length) for _ in range(num_heads)])

    def forward(self, x):
        outs = [h(x) for h in self.heads]
        return torch.cat(outs, dim=-1)


torch.manual_seed(123)
mha = MultiHeadAttentionWrapper(3, 2, 6, num_heads=2)
context_vecs = mha(batch)
print(context_vecs)
print("context_vecs.shape:", context_vecs.shape)
''', {"head 1: queries": "L_forward_0.q", "head 1: keys": "L_forward_0.k", "head 1: values": "L_forward_0.v", "head 1: scores": "L_forward_0.scores",
      "head 1: masked_scores": "L_forward_0.masked", "head 1: weights": "L_forward_0.weights",
      "head 2: queries": "L_forward_1.q", "head 2: keys": "L_forward_1.k", "head 2: values": "L_forward_1.v", "head 2: scores": "L_forward_1.scores",
      "head 2: masked_scores": "L_forward_1.masked", "head 2: weights": "L_forward_1.weights", "context": "context_vecs"})
wrong("wrapped", "        return torch.cat(outs, dim=-1)", "        return torch.stack(outs, dim=-1).flatten(-2)")
wrong("wrapped", "diagonal=1))", "diagonal=1).T)")

# ---- split_head
base("mha", "split_head", '''import torch
import torch.nn as nn

%X%

class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)

        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)

        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)

        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        masked = attn_scores.masked_fill(mask_bool, -torch.inf)
        attn_weights = torch.softmax(masked / self.head_dim**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)

        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        out = self.out_proj(context_vec)
        return out

torch.manual_seed(123)
batch = torch.stack((inputs, inputs), dim=0)
batch_size, context_length, d_in = batch.shape
mha = MultiHeadAttention(d_in, 2, context_length, 0.0, num_heads=2)
output = mha(batch)
print(output)
''', {"queries_by_head": "L_forward.queries", "keys_by_head": "L_forward.keys", "values_by_head": "L_forward.values", "scores": "L_forward.attn_scores",
      "masked_scores": "L_forward.masked", "weights": "L_forward.attn_weights", "context": "L_forward.context_vec", "output": "output"})
wrong("mha", "        context_vec = (attn_weights @ values).transpose(1, 2)", "        context_vec = attn_weights @ values",
      line="context_vec = context_vec.transpose(1, 2).contiguous()")
wrong("mha", "        values = values.view(b, num_tokens, self.num_heads, self.head_dim)",
      "        values = queries.view(b, num_tokens, self.num_heads, self.head_dim)")
wrong("mha", "        self.out_proj = nn.Linear(d_out, d_out)", "        self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)")
wrong("mha", "        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)\n        values = values.view(b, num_tokens, self.num_heads, self.head_dim)\n        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)\n\n        keys = keys.transpose(1, 2)\n",
      "        keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)\n        values = values.view(b, num_tokens, self.num_heads, self.head_dim)\n        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)\n\n",
      line="        keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)")

base("fused", "split_head", '''import torch
from torch.nn import functional as F

%X%
torch.manual_seed(123)
B, T, C = 2, 6, 2
H = 2
x = inputs.repeat(B, 1, 1)
c_attn = torch.nn.Linear(3, 3 * C, bias=False)   # q, k, v in one layer
c_proj = torch.nn.Linear(C, C)

q, k, v = c_attn(x).split(C, dim=2)
q = q.view(B, T, H, C // H).transpose(1, 2)
k = k.view(B, T, H, C // H).transpose(1, 2)
v = v.view(B, T, H, C // H).transpose(1, 2)
att = torch.einsum("bhid,bhjd->bhij", q, k) * (1.0 / (C // H)**0.5)
causal = torch.ones(T, T, dtype=torch.bool).tril()
att = att.masked_fill(~causal, float("-inf"))
p = F.softmax(att, dim=-1)
y = p @ v
y = y.transpose(1, 2).reshape(B, T, C)
out = c_proj(y)
print(out)
''', {"queries_by_head": "q", "keys_by_head": "k", "values_by_head": "v", "weights": "p", "context": "y", "output": "out"})
wrong("fused", "q, k, v = c_attn(x).split(C, dim=2)", "k, q, v = c_attn(x).split(C, dim=2)")
wrong("fused", '"bhid,bhjd->bhij"', '"bhid,bhjd->bhji"')
wrong("fused", "y = y.transpose(1, 2).reshape(B, T, C)", "y = y.reshape(B, T, C)")

# ---- model
base("tiny", "model", '''import torch
import torch.nn as nn
import torch.nn.functional as F

sentence = "Your journey starts with one step"
tokens = sentence.split(" ")
stoi = {w: i for i, w in enumerate(tokens)}
ids = torch.tensor([[stoi[w] for w in tokens]])
x, y = ids[:, :-1], ids[:, 1:]


class TinyGPT(nn.Module):
    def __init__(self, vocab_size=6, n_embd=4, n_head=2, n_hidden=8):
        super().__init__()
        self.n_head = n_head
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.q = nn.Linear(n_embd, n_embd)
        self.k = nn.Linear(n_embd, n_embd)
        self.v = nn.Linear(n_embd, n_embd)
        self.proj = nn.Linear(n_embd, n_embd)
        self.fc1 = nn.Linear(n_embd, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, idx):
        B, T = idx.shape
        emb = self.wte(idx)
        q = self.q(emb).view(B, T, self.n_head, -1).transpose(1, 2)
        k = self.k(emb).view(B, T, self.n_head, -1).transpose(1, 2)
        v = self.v(emb).view(B, T, self.n_head, -1).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / (q.size(-1) ** 0.5)
        keep = torch.tril(torch.ones(T, T)) > 0
        att_masked = att.masked_fill(~keep, float("-inf"))
        wei = att_masked.softmax(dim=-1)
        ctx = (wei @ v).transpose(1, 2).contiguous().view(B, T, -1)
        attn_out = self.proj(ctx)
        h = F.relu(self.fc1(attn_out))
        ff = self.fc2(h)
        return self.lm_head(ff)


torch.manual_seed(123)
model = TinyGPT()
logits = model(x)
probas = torch.softmax(logits, dim=-1)
loss = F.cross_entropy(logits.view(-1, 6), y.reshape(-1))
print(logits)
print(loss)
''', {"embedded": "L_forward.emb", "scores": "L_forward.att", "weights": "L_forward.wei", "attention": "L_forward.attn_out", "hidden": "L_forward.h",
      "feed_forward": "L_forward.ff", "logits": "logits", "probabilities": "probas", "loss": "loss"})
wrong("tiny", "F.cross_entropy(logits.view(-1, 6), y.reshape(-1))", "F.cross_entropy(logits.transpose(1, 2).reshape(-1, 6), y.reshape(-1))")
wrong("tiny", "h = F.relu(self.fc1(attn_out))", "h = F.relu(self.fc1(emb))")

# ---- block
base("gptblock", "block", '''import torch
import torch.nn as nn

class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        norm_x = (x - mean) / torch.sqrt(var + self.eps)
        return self.scale * norm_x + self.shift

class GELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(
            torch.sqrt(torch.tensor(2.0 / torch.pi)) *
            (x + 0.044715 * torch.pow(x, 3))
        ))

class MultiHeadAttention(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, d // num_heads
        self.W_query = nn.Linear(d, d, bias=False)
        self.W_key = nn.Linear(d, d, bias=False)
        self.W_value = nn.Linear(d, d, bias=False)
        self.out_proj = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        keys = self.W_key(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        queries = self.W_query(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(mask, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous().view(b, t, d)
        return self.out_proj(context_vec)

class TransformerBlock(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.att = MultiHeadAttention(d, num_heads)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), GELU(), nn.Linear(4 * d, d))
        self.norm1 = LayerNorm(d)
        self.norm2 = LayerNorm(d)

    def forward(self, x):
        shortcut = x
        x = self.norm1(x)
        x = self.att(x)
        x = x + shortcut
        shortcut = x
        x = self.norm2(x)
        x = self.ff(x)
        x = x + shortcut
        return x

class GPTModel(nn.Module):
    def __init__(self, vocab_size, context_length, d, num_heads, n_layers):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, d)
        self.pos_emb = nn.Embedding(context_length, d)
        self.trf_blocks = nn.Sequential(
            *[TransformerBlock(d, num_heads) for _ in range(n_layers)])
        self.final_norm = LayerNorm(d)
        self.out_head = nn.Linear(d, vocab_size, bias=False)

    def forward(self, in_idx):
        batch_size, seq_len = in_idx.shape
        tok_embeds = self.tok_emb(in_idx)
        pos_embeds = self.pos_emb(torch.arange(seq_len))
        x = tok_embeds + pos_embeds
        x1 = self.trf_blocks[0](x)
        x2 = self.trf_blocks[1](x1)
        x3 = self.final_norm(x2)
        logits = self.out_head(x3)
        return logits

ids = torch.tensor([[0, 1, 2, 3, 4, 5]])
torch.manual_seed(123)
model = GPTModel(6, 6, 4, 2, 2)
logits = model(ids)
loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
print(logits)
print(loss)
''', {"embedded": "L_forward.x", "block 1: after_feed_forward": "L_forward.x1", "block 2: after_feed_forward": "L_forward.x2", "final": "L_forward.x3",
      "block 1: norm1_normalized": "L_forward_0.norm_x", "block 1: weights": "L_forward_1.attn_weights",
      "block 1: norm2_normalized": "L_forward_2.norm_x",
      "logits": "logits", "loss": "loss"})
wrong("gptblock", "        x = x + shortcut\n        shortcut = x\n", "        x = x + shortcut\n", line="shortcut = x")
wrong("gptblock", "norm_x = (x - mean) / torch.sqrt(var + self.eps)", "norm_x = (x - mean) / (torch.sqrt(var) + self.eps)")
wrong("gptblock", "(x + 0.044715 * torch.pow(x, 3))", "(x + 0.044715 * torch.pow(x, 2))")
wrong("gptblock", "        x3 = self.final_norm(x2)", "        x3 = self.final_norm(x1)")

base("normscript", "block", '''import torch
import torch.nn as nn

torch.manual_seed(123)
batch_example = torch.randn(2, 5)
layer = nn.Sequential(nn.Linear(5, 6), nn.ReLU())
out = layer(batch_example)
print(out)
mean = out.mean(dim=-1, keepdim=True)
var = out.var(dim=-1, keepdim=True)
print("Mean:", mean)
print("Variance:", var)
out_norm = (out - mean) / torch.sqrt(var)
print("Normalized:", out_norm)
''', {"norm: batch_example": "batch_example", "norm: out": "out", "norm: row_mean": "mean", "norm: row_variance": "var", "norm: out_norm": "out_norm"})
wrong("normscript", "var = out.var(dim=-1, keepdim=True)", "var = out.std(dim=-1, keepdim=True)")

# ---- embeddings
base("embed", "embeddings", '''import torch
from torch.nn import Embedding

raw = "Your journey starts with one step one step starts Your journey"
words = raw.split()
vocab = {}
for w in words:
    if w not in vocab:
        vocab[w] = len(vocab)
text_ids = torch.tensor([vocab[w] for w in words])
print(text_ids)

ids = torch.tensor([2, 3, 5, 1])
torch.manual_seed(123)
token_embedding_layer = Embedding(6, 3)
tok = token_embedding_layer(ids)
pos_embedding_layer = Embedding(4, 3)
pos = pos_embedding_layer(torch.arange(4))
input_embeddings = tok + pos
print(input_embeddings)

max_length = 4
xs, ys = [], []
for i in range(0, len(text_ids) - max_length):
    xs.append(text_ids[i:i + max_length])
    ys.append(text_ids[i + 1:i + max_length + 1])
xs = torch.stack(xs)
ys = torch.stack(ys)
print(xs, ys)
''', {"text_ids": "text_ids", "input_ids": "ids", "token_embeddings": "tok", "position_embeddings": "pos", "input_embeddings": "input_embeddings",
      "window_inputs": "xs", "window_targets": "ys"})
wrong("embed", "pos = pos_embedding_layer(torch.arange(4))", "pos = token_embedding_layer(torch.arange(4))")
wrong("embed", "        vocab[w] = len(vocab)", "        vocab[w] = len(vocab) + 1")

# ---- padding
base("padded", "padding", '''import torch
import torch.nn as nn

%X%
torch.manual_seed(789)
Wq = nn.Linear(3, 2, bias=False)
Wk = nn.Linear(3, 2, bias=False)
Wv = nn.Linear(3, 2, bias=False)

lens = torch.tensor([6, 2])
x = torch.zeros(2, 6, 3)
x[0] = inputs
x[1, :2] = inputs[-2:]

pad = torch.arange(6)[None, :] >= lens[:, None]      # True = padding
Q, K, V = Wq(x), Wk(x), Wv(x)
S = Q @ K.mT
S_masked = S.masked_fill(pad[:, None, :], -torch.inf)
A = torch.softmax(S_masked / 2 ** 0.5, dim=-1)
Z = A @ V
print(Z)
''', {"batch": "x", "key_padding_mask": "pad", "queries": "Q", "keys": "K", "values": "V", "scores": "S", "masked_scores": "S_masked",
      "weights": "A", "context": "Z"})
wrong("padded", "S.masked_fill(pad[:, None, :], -torch.inf)", "S.masked_fill(pad[:, :, None], -torch.inf)")
wrong("padded", "torch.arange(6)[None, :] >= lens[:, None]", "torch.arange(6)[None, :] > lens[:, None]")

# ---- cross
base("crossed", "cross", '''import torch
import torch.nn as nn

%X%

class CrossAttention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.to_q = nn.Linear(d_in, d_out, bias=False)
        self.to_k = nn.Linear(d_in, d_out, bias=False)
        self.to_v = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x, memory):
        q = self.to_q(x)
        k = self.to_k(memory)
        v = self.to_v(memory)
        sim = torch.einsum("i d, j d -> i j", q, k)
        attn = (sim / q.shape[-1]**0.5).softmax(dim=-1)
        return attn @ v

torch.manual_seed(123)
decoder_states = inputs[[4, 5, 3, 0]]    # one step with Your
cross = CrossAttention(3, 2)
out = cross(decoder_states, inputs)
print(out)
''', {"target": "decoder_states", "queries": "L_forward.q", "keys": "L_forward.k", "values": "L_forward.v", "scores": "L_forward.sim",
      "weights": "L_forward.attn", "context": "out"})
wrong("crossed", "        v = self.to_v(memory)", "        v = self.to_k(memory)")

# ---- cache
base("kv", "cache", '''import torch
import torch.nn as nn

%X%

class Attention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.wq = nn.Linear(d_in, d_out, bias=False)
        self.wk = nn.Linear(d_in, d_out, bias=False)
        self.wv = nn.Linear(d_in, d_out, bias=False)
        self.cache_k = None
        self.cache_v = None

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        if self.cache_k is not None:
            k = torch.cat((self.cache_k, k), dim=0)
            v = torch.cat((self.cache_v, v), dim=0)
        self.cache_k, self.cache_v = k, v
        n_new, n_all = q.shape[0], k.shape[0]
        s = q @ k.T
        mask = torch.triu(torch.ones(n_new, n_all), diagonal=n_all - n_new + 1).bool()
        s = s.masked_fill(mask, -torch.inf)
        w = torch.softmax(s / k.shape[1]**0.5, dim=1)
        return w @ v

torch.manual_seed(789)
attn = Attention(3, 2)
outs = [attn(inputs[:3])]
for t in range(3, 6):
    outs.append(attn(inputs[t:t + 1]))
result = torch.cat(outs)
print(result)
''', {"prefill: queries": "L_forward_0.q", "prefill: key_cache": "L_forward_0.k", "prefill: weights": "L_forward_0.w", "prefill: context": "outs[0]",
      "token 4: query": "L_forward_1.q", "token 4: key_cache": "L_forward_1.k", "token 4: value_cache": "L_forward_1.v", "token 4: weights": "L_forward_1.w",
      "token 4: context": "outs[1]", "token 5: key_cache": "L_forward_2.k", "token 5: value_cache": "L_forward_2.v", "token 5: weights": "L_forward_2.w",
      "token 5: context": "outs[2]", "token 6: context": "outs[3]", "context": "result"})
wrong("kv", "v = torch.cat((self.cache_v, v), dim=0)", "v = torch.cat((v, self.cache_v), dim=0)")
wrong("kv", "diagonal=n_all - n_new + 1)", "diagonal=1)")
wrong("kv", "/ k.shape[1]**0.5", "/ k.shape[0]**0.5")

# ---- grouped_query
base("gqa", "grouped_query", '''import torch
import torch.nn as nn

%X%

class GQA(nn.Module):
    def __init__(self, d_in, d_out, num_heads, num_kv_groups):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_groups = num_kv_groups
        self.head_dim = d_out // num_heads
        self.group_size = num_heads // num_kv_groups
        self.W_key = nn.Linear(d_in, num_kv_groups * self.head_dim, bias=False)
        self.W_value = nn.Linear(d_in, num_kv_groups * self.head_dim, bias=False)
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        queries = self.W_query(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        keys = self.W_key(x).view(b, t, self.num_kv_groups, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, t, self.num_kv_groups, self.head_dim).transpose(1, 2)
        keys_rep = keys.repeat_interleave(self.group_size, dim=1)
        values_rep = values.repeat_interleave(self.group_size, dim=1)
        attn_scores = queries @ keys_rep.transpose(2, 3)
        mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
        attn_scores = attn_scores.masked_fill(mask, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        context_vec = (attn_weights @ values_rep).transpose(1, 2).reshape(b, t, -1)
        return self.out_proj(context_vec)

torch.manual_seed(123)
gqa = GQA(3, 8, 4, 2)
y = gqa(inputs.unsqueeze(0))
print(y)
''', {"queries_by_head": "L_forward.queries", "keys_by_group": "L_forward.keys", "values_by_group": "L_forward.values", "keys_repeated": "L_forward.keys_rep",
      "values_repeated": "L_forward.values_rep", "weights": "L_forward.attn_weights", "context": "L_forward.context_vec", "output": "y"})
wrong("gqa", "        values_rep = values.repeat_interleave(self.group_size, dim=1)", "        values_rep = values.repeat(1, self.group_size, 1, 1)")
wrong("gqa", "/ self.head_dim**0.5", "/ (self.head_dim * self.num_kv_groups)**0.5")

# ---- rotary
base("rope", "rotary", '''import torch
import torch.nn as nn

%X%

def precompute(seq_len, dim, theta_base=10_000):
    inv_freq = 1.0 / (theta_base ** (torch.arange(0, dim, 2).float() / dim))
    pos = torch.arange(seq_len).float()
    ang = pos[:, None] * inv_freq[None, :]
    ang = torch.cat([ang, ang], dim=1)
    return torch.cos(ang), torch.sin(ang)

def rotate_half(x):
    half = x.shape[-1] // 2
    x1 = x[..., :half]
    x2 = x[..., half:]
    return torch.cat((-x2, x1), dim=-1)

def apply_rope(x, cos, sin):
    return x * cos + rotate_half(x) * sin

torch.manual_seed(123)
wq = nn.Linear(3, 4, bias=False)
wk = nn.Linear(3, 4, bias=False)
wv = nn.Linear(3, 4, bias=False)
cos, sin = precompute(6, 4)
q, k, v = wq(inputs), wk(inputs), wv(inputs)
q_rot = apply_rope(q, cos, sin)
k_rot = apply_rope(k, cos, sin)
scores = q_rot @ k_rot.T
mask = torch.ones(6, 6).triu(1).bool()
weights = torch.softmax(scores.masked_fill(mask, -torch.inf) / 4**0.5, dim=-1)
ctx = weights @ v
print(ctx)
''', {"queries": "q", "keys": "k", "inverse_frequencies": "L_precompute.inv_freq", "angles": "L_precompute.ang", "cosines": "cos", "sines": "sin",
      "queries_rotated": "q_rot", "keys_rotated": "k_rot", "scores": "scores", "weights": "weights", "values": "v", "context": "ctx"})
wrong("rope", "    pos = torch.arange(seq_len).float()", "    pos = torch.arange(1, seq_len + 1).float()")
wrong("rope", "    return torch.cat((-x2, x1), dim=-1)", "    return torch.cat((x2, -x1), dim=-1)")
wrong("rope", "    ang = torch.cat([ang, ang], dim=1)", "    ang = ang.repeat_interleave(2, dim=1)")
wrong("rope", "/ dim))", "/ (dim // 2)))")

# ---- window
base("sliding", "window", '''import torch

%X%
n, w = 6, 3
torch.manual_seed(789)
W_q = torch.nn.Linear(3, 2, bias=False)
W_k = torch.nn.Linear(3, 2, bias=False)
W_v = torch.nn.Linear(3, 2, bias=False)
Q = W_q(inputs); K = W_k(inputs); V = W_v(inputs)
S = torch.matmul(Q, K.transpose(0, 1))
hide = torch.zeros(n, n, dtype=torch.bool)
for i in range(n):
    for j in range(n):
        if j > i or i - j >= w:
            hide[i, j] = True
masked = S.masked_fill(hide, float('-inf'))
P = torch.softmax(masked / 2**0.5, dim=-1)
O = torch.matmul(P, V)
print(O)
''', {"queries": "Q", "keys": "K", "values": "V", "scores": "S", "mask": "hide", "masked_scores": "masked", "weights": "P", "context": "O"})
wrong("sliding", "if j > i or i - j >= w:", "if j > i or i - j > w:")
wrong("sliding", "if j > i or i - j >= w:", "if abs(i - j) >= w:")

# ---- online_softmax
base("flash", "online_softmax", '''import torch
import torch.nn as nn

%X%
torch.manual_seed(789)
wq = nn.Linear(3, 2, bias=False)
wk = nn.Linear(3, 2, bias=False)
wv = nn.Linear(3, 2, bias=False)
q, k, v = wq(inputs), wk(inputs), wv(inputs)
N, Bc = 6, 2

m = torch.full((N,), float("-inf"))
l = torch.zeros(N)
acc = torch.zeros(N, 2)
causal = torch.triu(torch.ones(N, N), diagonal=1).bool()
for j in range(0, N, Bc):
    kj, vj = k[j:j + Bc], v[j:j + Bc]
    s = q @ kj.T / 2**0.5
    s = s.masked_fill(causal[:, j:j + Bc], float("-inf"))
    m_new = torch.maximum(m, s.max(dim=1).values)
    corr = torch.exp(m - m_new)
    p = torch.exp(s - m_new[:, None])
    l = l * corr + p.sum(dim=1)
    acc = acc * corr[:, None] + p @ vj
    m = m_new
o = acc / l[:, None]
print(o)
''', {"queries": "q", "keys": "k", "values": "v", "tile 3: scores": "s", "tile 3: running_max": "m", "tile 3: rescale": "corr", "tile 3: numerators": "p",
      "tile 3: running_sum": "l", "tile 3: running_result": "acc", "context": "o"})
wrong("flash", "    l = l * corr + p.sum(dim=1)", "    l = l + p.sum(dim=1)")
wrong("flash", "    acc = acc * corr[:, None] + p @ vj", "    acc = (acc + p @ vj) * corr[:, None]")

# ---- latent
base("mla", "latent", '''import torch
import torch.nn as nn

%X%

class MLA(nn.Module):
    def __init__(self, d_in, d_out, num_heads, latent_dim):
        super().__init__()
        self.h = num_heads
        self.dh = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_DKV = nn.Linear(d_in, latent_dim, bias=False)
        self.W_UK = nn.Linear(latent_dim, d_out, bias=False)
        self.W_UV = nn.Linear(latent_dim, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x)
        latent = self.W_DKV(x)
        k = self.W_UK(latent)
        v = self.W_UV(latent)
        qh = q.view(b, t, self.h, self.dh).transpose(1, 2)
        kh = k.view(b, t, self.h, self.dh).transpose(1, 2)
        vh = v.view(b, t, self.h, self.dh).transpose(1, 2)
        scores = torch.matmul(qh, kh.transpose(-2, -1))
        causal_mask = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)
        masked = scores.masked_fill(causal_mask, -torch.inf)
        attn = torch.softmax(masked / self.dh**0.5, dim=-1)
        ctx = torch.matmul(attn, vh).transpose(1, 2).contiguous().view(b, t, -1)
        return self.out_proj(ctx)

torch.manual_seed(123)
mla = MLA(3, 4, 2, 2)
out = mla(inputs[None])
print(out)
''', {"queries": "L_forward.q", "latent": "L_forward.latent", "keys": "L_forward.k", "values": "L_forward.v", "scores": "L_forward.scores",
      "masked_scores": "L_forward.masked", "weights": "L_forward.attn", "context": "L_forward.ctx", "output": "out"})
wrong("mla", "        v = self.W_UV(latent)", "        v = self.W_UK(latent)")

# ---- sampling
base("sampler", "sampling", '''import torch

next_token_logits = torch.tensor([4.51, 0.89, -1.90, 6.75, 1.63, -1.62, -1.89, 6.28, 1.79])

def softmax_with_temperature(logits, temperature):
    scaled_logits = logits / temperature
    return torch.softmax(scaled_logits, dim=0)

temperatures = [1, 0.1, 5]
scaled_probas = [softmax_with_temperature(next_token_logits, T) for T in temperatures]

def sample_counts(probas):
    torch.manual_seed(123)
    sample = [torch.multinomial(probas, num_samples=1).item() for i in range(1_000)]
    return torch.bincount(torch.tensor(sample), minlength=len(probas))

counts = [sample_counts(p) for p in scaled_probas]
print(counts)

top_k = 3
top_logits, top_pos = torch.topk(next_token_logits, top_k)
new_logits = torch.where(
    condition=next_token_logits < top_logits[-1],
    input=torch.tensor(float("-inf")),
    other=next_token_logits
)
topk_probas = torch.softmax(new_logits, dim=0)
print(topk_probas)

target = torch.tensor([3])
loss = torch.nn.functional.cross_entropy(next_token_logits[None], target)
perplexity = torch.exp(loss)
print(perplexity)
''', {"logits": "next_token_logits", "temperature 1: probabilities": "scaled_probas[0]", "temperature 0.1: probabilities": "scaled_probas[1]",
      "temperature 5: probabilities": "scaled_probas[2]", "temperature 1: counts": "counts[0]", "temperature 0.1: counts": "counts[1]",
      "temperature 5: counts": "counts[2]", "top_logits": "top_logits", "top_positions": "top_pos", "kept_logits": "new_logits",
      "kept_probabilities": "topk_probas", "loss": "loss", "perplexity": "perplexity"})
wrong("sampler", "    scaled_logits = logits / temperature", "    scaled_logits = logits * temperature")
wrong("sampler", "next_token_logits < top_logits[-1]", "next_token_logits <= top_logits[-1]")
wrong("sampler", "perplexity = torch.exp(loss)", "perplexity = 2 ** loss")

# ---- training
base("train", "training", '''import torch
import torch.nn as nn

words = "Your journey starts with one step one step starts Your journey".split()
vocab = list(dict.fromkeys(words))
data = torch.tensor([[vocab.index(w) for w in words]])
xb, yb = data[:, :-1], data[:, 1:]

class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(6, 4)
        self.wq = nn.Linear(4, 4)
        self.wk = nn.Linear(4, 4)
        self.wv = nn.Linear(4, 4)
        self.proj = nn.Linear(4, 4)
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 4)
        self.head = nn.Linear(4, 6)

    def forward(self, idx):
        b, t = idx.shape
        x = self.emb(idx)
        q = self.wq(x).view(b, t, 2, 2).transpose(1, 2)
        k = self.wk(x).view(b, t, 2, 2).transpose(1, 2)
        v = self.wv(x).view(b, t, 2, 2).transpose(1, 2)
        s = q @ k.transpose(2, 3) * 2 ** -0.5
        m = torch.triu(torch.ones(t, t), diagonal=1).bool()
        w = torch.softmax(s.masked_fill(m, -torch.inf), dim=-1)
        c = (w @ v).transpose(1, 2).contiguous().view(b, t, 4)
        x = self.proj(c)
        return self.head(self.fc2(torch.relu(self.fc1(x))))

torch.manual_seed(123)
net = GPT()
opt = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)
track = []
for step in range(201):
    logits = net(xb)
    loss = nn.functional.cross_entropy(logits.view(-1, 6), yb.flatten())
    track.append(loss.item())
    opt.zero_grad()
    loss.backward()
    opt.step()
losses = torch.tensor(track)
print(losses[:5], losses[-1])
''', {"ids": "data", "losses": "losses"})
wrong("train", "cross_entropy(logits.view(-1, 6), yb.flatten())", "cross_entropy(logits.view(-1, 6), yb.flatten(), reduction='sum')")
wrong("train", "opt = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)",
      "opt = torch.optim.AdamW(net.parameters(), lr=0.01, betas=(0.9, 0.99), weight_decay=0.01)")
wrong("train", "xb, yb = data[:, :-1], data[:, 1:]", "xb, yb = data[:, :-1], data[:, :-1]")

# ---- gradients
base("backprop", "gradients", '''import torch
from torch.nn import Linear, Embedding
from torch.nn.functional import cross_entropy, one_hot

text = "Your journey starts with one step".split()
ids = torch.arange(len(text))[None]
inp, tgt = ids[:, :-1], ids[:, 1:]
torch.manual_seed(123)
emb = Embedding(6, 4)
Wq, Wk, Wv = Linear(4, 4), Linear(4, 4), Linear(4, 4)
Wo = Linear(4, 4)
f1, f2 = Linear(4, 8), Linear(8, 4)
head = Linear(4, 6)

def heads(t):
    return t.view(1, 5, 2, 2).transpose(1, 2)

def unheads(t):
    return t.transpose(1, 2).contiguous().view(1, 5, 4)

with torch.no_grad():
    x = emb(inp)
    q, k, v = heads(Wq(x)), heads(Wk(x)), heads(Wv(x))
    s = q @ k.transpose(2, 3) * 2 ** -0.5
    m = torch.triu(torch.ones(5, 5), diagonal=1).bool()
    a = torch.softmax(s.masked_fill(m, -torch.inf), dim=-1)
    c = unheads(a @ v)
    att = Wo(c)
    pre = f1(att)
    h = torch.relu(pre)
    ff = f2(h)
    logits = head(ff)
    p = torch.softmax(logits, dim=-1)
    loss = cross_entropy(logits[0], tgt[0])

    # backward by hand
    d_logits = (p - one_hot(tgt, 6)) / tgt.numel()
    d_head = d_logits[0].T @ ff[0]
    d_ff = d_logits @ head.weight
    d_h = d_ff @ f2.weight
    d_pre = d_h * (pre > 0)
    d_att = d_pre @ f1.weight
    d_c = d_att @ Wo.weight
    d_o = heads(d_c)
    d_v = a.transpose(2, 3) @ d_o
    d_a = d_o @ v.transpose(2, 3)
    d_s = a * (d_a - (a * d_a).sum(dim=-1, keepdim=True))
    d_qk = d_s * 2 ** -0.5
    d_q = d_qk @ k
    d_k = d_qk.transpose(2, 3) @ q
    d_Wq = unheads(d_q)[0].T @ x[0]
    d_x = unheads(d_q) @ Wq.weight + unheads(d_k) @ Wk.weight + unheads(d_v) @ Wv.weight
print(loss)
print(d_Wq)
print(d_x)
''', {"logits": "logits", "loss": "loss", "logits_grad": "d_logits", "W_logits_grad": "d_head", "feed_forward_grad": "d_ff", "hidden_grad": "d_h",
      "ffn1_grad": "d_pre", "attention_grad": "d_att", "context_grad": "d_c", "values_by_head_grad": "d_v", "weights_grad": "d_a", "scores_grad": "d_s",
      "dot_products_grad": "d_qk", "queries_by_head_grad": "d_q", "keys_by_head_grad": "d_k", "W_query_grad": "d_Wq", "embedded_grad": "d_x"})
wrong("backprop", "/ tgt.numel()", "/ tgt.shape[0]")
wrong("backprop", "    d_pre = d_h * (pre > 0)", "    d_pre = d_h * (d_h > 0)")
wrong("backprop", "(a * d_a).sum(dim=-1, keepdim=True)", "(a * d_a).sum(dim=-2, keepdim=True)")
wrong("backprop", "    d_Wq = unheads(d_q)[0].T @ x[0]", "    d_Wq = x[0].T @ unheads(d_q)[0]")
wrong("backprop", "    d_x = unheads(d_q) @ Wq.weight + unheads(d_k) @ Wk.weight + unheads(d_v) @ Wv.weight",
      "    d_x = unheads(d_q) @ Wq.weight + unheads(d_k) @ Wk.weight")
