"""Is the first wrong step of a whole program found, and its cause?

Whole programs of lessons 3, 6, 7, 8 and 9: right ones in several ways of writing them, ones with a slip, and ones with two that have
nothing to do with each other. All tensors of the program are handed in at once, with onestep.py, which lies in python/ beside
onestep. No right program may be refused. Of all others the first wrong step has to be the right one; of two slips the second step, too.
"""
from checks import programs
from checks.programs import BACKWARD, FORWARD, GPT_LAYERS, GRADIENTS, LAYERS, SETUP

ENOUGH = {"named": 40}

CAUSAL = LAYERS + """weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
mask_tril = torch.tril(torch.ones(6, 6))
masked_weights = weights * mask_tril
row_sums = masked_weights.sum(dim=-1, keepdim=True)
renormalized = masked_weights / row_sums
mask_triu = torch.triu(torch.ones(6, 6), diagonal=1)
mask_bool = mask_triu.bool()
masked_scores = scores.masked_fill(mask_bool, -torch.inf)
scaled = masked_scores / keys.shape[-1]**0.5
causal_weights = torch.softmax(scaled, dim=-1)
context = causal_weights @ values
"""

CAUSAL_EINSUM = CAUSAL.replace("queries @ keys.T", "torch.einsum('id,jd->ij', queries, keys)").replace(
    "causal_weights @ values", "torch.einsum('ij,jd->id', causal_weights, values)").replace(
    "torch.softmax(scaled, dim=-1)", "(scaled - scaled.amax(-1, keepdim=True)).exp()\n"
    "causal_weights = causal_weights / causal_weights.sum(-1, keepdim=True)")

CAUSAL_DOUBLE = CAUSAL.replace("queries = W_query(inputs)", "inputs = inputs.double()\n"
                               "for layer in (W_query, W_key, W_value): layer.double()\nqueries = W_query(inputs)")

SPLIT = SETUP + """b, num_tokens, num_heads, head_dim, d_out = 2, 6, 2, 2, 4
batch = torch.stack((inputs, inputs), dim=0)
torch.manual_seed(123)
W_query = torch.nn.Linear(3, d_out, bias=False)
W_key = torch.nn.Linear(3, d_out, bias=False)
W_value = torch.nn.Linear(3, d_out, bias=False)
W_out = torch.nn.Linear(d_out, d_out)
queries = W_query(batch)
keys = W_key(batch)
values = W_value(batch)
queries_viewed = queries.view(b, num_tokens, num_heads, head_dim)
queries_by_head = queries_viewed.transpose(1, 2)
keys_by_head = keys.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
values_by_head = values.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
scores = queries_by_head @ keys_by_head.transpose(2, 3)
future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
masked_scores = scores.masked_fill(future, -torch.inf)
weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)
context_by_head = weights @ values_by_head
context_transposed = context_by_head.transpose(1, 2)
context = context_transposed.contiguous().view(b, num_tokens, d_out)
output = W_out(context)
"""

SPLIT_SDPA = SPLIT.replace("""scores = queries_by_head @ keys_by_head.transpose(2, 3)
future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
masked_scores = scores.masked_fill(future, -torch.inf)
weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)
context_by_head = weights @ values_by_head
""", """attend = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
if attend is None:
    attend = lambda q, k, v, is_causal: torch.nn.functional._scaled_dot_product_attention(q, k, v, is_causal=True)[0]
context_by_head = attend(queries_by_head, keys_by_head, values_by_head, is_causal=True)
""")

SPLIT_LOOPS = SPLIT.replace("scores = queries_by_head @ keys_by_head.transpose(2, 3)\n", """scores = torch.zeros(b, num_heads, 6, 6)
for s in range(b):
    for h in range(num_heads):
        for i in range(6):
            for j in range(6):
                scores[s, h, i, j] = torch.dot(queries_by_head[s, h, i], keys_by_head[s, h, j])
""").replace("weights @ values_by_head", "torch.stack([w @ v for w, v in zip(weights.flatten(0, 1), values_by_head.flatten(0, 1))])"
             ".view(b, num_heads, 6, head_dim)")

MODEL = """
ids = torch.tensor([[0, 1, 2, 3, 4, 5]])
targets = ids[:, 1:]
""" + GPT_LAYERS + """
b, t, num_heads, head_dim = 1, 5, 2, 2

def split(x):
    return x.view(b, t, num_heads, head_dim).transpose(1, 2)

embedded = embedding(ids[:, :-1])
queries, keys, values = split(W_query(embedded)), split(W_key(embedded)), split(W_value(embedded))
scores = queries @ keys.transpose(2, 3) * head_dim**-0.5
future = torch.triu(torch.ones(t, t), diagonal=1).bool()
weights = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
attention = W_out((weights @ values).transpose(1, 2).contiguous().view(b, t, 4))
hidden = torch.relu(W_ffn1(attention))
feed_forward = W_ffn2(hidden)
logits = W_logits(feed_forward)
probabilities = torch.softmax(logits, dim=-1)
loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
"""

MODEL_LOG = MODEL.replace("torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())",
                          "-probabilities.gather(2, targets.unsqueeze(-1)).log().mean()")

MODEL_CLASS = MODEL.replace("torch.relu(W_ffn1(attention))", "torch.nn.Sequential(W_ffn1, torch.nn.ReLU())(attention)").replace(
    "embedding(ids[:, :-1])", "torch.nn.functional.one_hot(ids[:, :-1], 6).float() @ embedding.weight").replace(
    "probabilities = torch.softmax(logits, dim=-1)", "probabilities = torch.log_softmax(logits, dim=-1).exp()")

BACKWARD_GRAD = FORWARD + """
logits_grad, hidden_grad, scores_grad, W_query_grad, W_value_grad, embedding_grad = torch.autograd.grad(
    loss, [logits, hidden, scores, W_query.weight, W_value.weight, embedding.weight])
"""

TRAINING = programs.TRAINING + "del W_query\n"  # a trained one, which is no step

TRAINING_ADAM = TRAINING.replace("length = first_moment_corrected / (second_moment_corrected.sqrt() + 1e-8)",
                                 "length = first_moment_corrected * (second_moment_corrected.sqrt() + 1e-8).reciprocal()").replace(
    "torch.optim.AdamW(layers.parameters(), lr=0.01)",
    "torch.optim.AdamW([{'params': [x]} for x in layers.parameters()], lr=0.01, betas=(0.9, 0.999), weight_decay=0.01)")

TRAINING_FRESH = TRAINING.replace("    optimizer.zero_grad()\n", "").replace(
    "    optimizer.step()\n", "    optimizer.step()\n    for x in layers.parameters(): x.grad = None\n").replace(
    "losses = []\n", "losses = []\noptimizer.zero_grad()\n")

RIGHT = {"causal": ("causal", {}, CAUSAL), "causal by einsum": ("causal", {}, CAUSAL_EINSUM),
         "causal in float64": ("causal", {}, CAUSAL_DOUBLE), "split_head": ("split_head", {"d_out": 4}, SPLIT),
         "split_head by SDPA": ("split_head", {"d_out": 4}, SPLIT_SDPA), "split_head by loops": ("split_head", {"d_out": 4}, SPLIT_LOOPS),
         "model": ("model", {}, MODEL), "model by logarithms": ("model", {}, MODEL_LOG), "model by modules": ("model", {}, MODEL_CLASS),
         "gradients": ("gradients", {}, GRADIENTS), "gradients by backward": ("gradients", {}, BACKWARD),
         "gradients by autograd.grad": ("gradients", {}, BACKWARD_GRAD), "training": ("training", {"updates": 20}, TRAINING),
         "training in groups": ("training", {"updates": 20}, TRAINING_ADAM),
         "training without zero_grad": ("training", {"updates": 20}, TRAINING_FRESH)}

# Program, what is typed in place of what, the first wrong step, and what its cause may be called.
ONE = [
    ("causal", "manual_seed(789)", "manual_seed(123)", "W_query", "wrong-seed seed=123"),
    ("causal", "values = W_value(inputs)", "values = W_key(inputs)", "values", "step:keys"),
    ("causal", "queries @ keys.T", "keys @ queries.T", "scores", "scores-transposed swapped-qk transposed"),
    ("causal", "masked_weights.sum(dim=-1, keepdim=True)", "masked_weights.sum(dim=0, keepdim=True)", "row_sums", ""),
    ("causal", "torch.triu(torch.ones(6, 6), diagonal=1)", "torch.triu(torch.ones(6, 6))", "mask_triu", "mask-diagonal"),
    ("causal", "scores.masked_fill(mask_bool, -torch.inf)", "scores * (1 - mask_triu)", "masked_scores", "mask-zero"),
    ("causal", "scaled = masked_scores / keys.shape[-1]**0.5", "scaled = masked_scores / keys.shape[-1]", "scaled", "scale-by-dk scale-twice"),
    ("causal", "torch.softmax(scaled, dim=-1)", "torch.softmax(scaled, dim=0)", "causal_weights", "softmax-columns"),
    ("split_head", "queries.view(b, num_tokens, num_heads, head_dim)", "queries.view(b, num_heads, num_tokens, head_dim).transpose(1, 2)",
     "queries_viewed", "heads-by-view"),
    ("split_head", "keys.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)", "keys.view(b, num_heads, num_tokens, head_dim)",
     "keys_by_head", "heads-by-view"),
    ("split_head", "scores.masked_fill(future, -torch.inf)", "scores", "masked_scores", "no-mask step:scores"),
    ("split_head", "diagonal=1", "diagonal=2", "masked_scores", "mask-diagonal-2"),
    ("split_head", "masked_scores / head_dim**0.5", "masked_scores", "weights", "no-scale"),
    ("split_head", "head_dim**0.5, dim=-1", "head_dim**0.5, dim=1", "weights", "softmax-heads"),
    ("split_head", "context_transposed.contiguous()", "context_by_head.contiguous()", "context", "merge-without-transpose"),
    ("split_head", "output = W_out(context)", "output = context @ W_out.weight.T", "output", "no-out-bias no-bias offset"),
    ("model", "manual_seed(123)", "manual_seed(1234)", "embedding", "seed=1234"),
    ("model", " * head_dim**-0.5", "", "scores", "no-scale"),
    ("model", "scores.masked_fill(future, -torch.inf)", "scores.masked_fill(future, 0)", "weights", "mask-zero"),
    ("model", "(weights @ values).transpose(1, 2).contiguous()", "(weights @ values).contiguous()", "attention", "merge-without-transpose"),
    ("model", "torch.relu(W_ffn1(attention))", "W_ffn1(attention)", "hidden", "no-relu relu-left-out"),
    ("model", "torch.relu", "torch.nn.functional.gelu", "hidden", "gelu gelu-for-relu"),
    ("model", "cross_entropy(logits.flatten(0, 1)", "cross_entropy(probabilities.flatten(0, 1)", "loss", "softmax-before-loss"),
    ("model", "targets = ids[:, 1:]", "targets = ids[:, :-1]", "loss", "targets-not-shifted"),
    ("gradients", "(probabilities - truth) / t", "probabilities - truth", "logits_grad", "no-mean-grad"),
    ("gradients", "logits_grad.flatten(0, 1).sum(0)", "logits_grad.flatten(0, 1).mean(0)", "W_logits_bias_grad", "bias-grad-mean"),
    ("gradients", "hidden_grad * (hidden > 0)", "hidden_grad", "ffn1_grad", "no-relu-grad step:hidden_grad relu-grad-left-out"),
    ("gradients", "(weights_grad - average) * weights", "weights_grad * weights", "masked_scores_grad", "no-softmax-grad softmax-grad-no-average"),
    ("gradients", "scores_grad * head_dim**-0.5", "scores_grad", "dot_products_grad", "no-scale-grad step:scores_grad"),
    ("gradients", "dot_products_grad.transpose(2, 3) @ queries_by_head", "dot_products_grad @ queries_by_head", "keys_by_head_grad", "scores-grad-transposed"),
    ("gradients", "values_grad @ W_value.weight + keys_grad @ W_key.weight + queries_grad", "values_grad @ W_value.weight + queries_grad",
     "embedded_grad", "keys-detached detached-keys"),
    ("gradients by backward", "loss.backward()", "loss.backward(retain_graph=True)\nloss.backward()", "logits_grad", "backward-twice"),
    ("training", "mask, -torch.inf", "mask, 0", "weights_before", "mask-zero"),
    ("training", "/ 2**0.5", "", "weights_before", "no-scale"),
    ("training", "- lr * W_query_grad", "+ lr * W_query_grad", "sgd: W_query_after", "ascent"),
    ("training", "(1 - 0.999) * W_query_grad**2", "(1 - 0.999) * W_query_grad", "adamw: second_moment", ""),
    ("training", "first_moment / (1 - 0.9)", "first_moment", "adamw: first_moment_corrected", "no-bias-correction step:first_moment"),
    ("training", "AdamW(layers.parameters(), lr=0.01)", "AdamW(layers.parameters(), lr=0.001)", "losses", "lr=0.001"),
    ("training", "    optimizer.zero_grad()\n", "    if update == 0: optimizer.zero_grad()\n", "losses", "no-zero-grad"),
    ("training", "torch.optim.AdamW(layers.parameters(), lr=0.01)", "torch.optim.SGD(layers.parameters(), lr=0.01)", "losses", "optimizer=sgd"),
]

# The same with two replacements, and two steps with a cause of each.
TWO = [
    ("causal", "masked_scores / keys.shape[-1]**0.5", "masked_scores", "scaled", "no-scale step:masked_scores", "torch.softmax(scaled, dim=-1)",
     "torch.softmax(scaled, dim=0)", "causal_weights", "softmax-columns"),
    ("causal", "queries @ keys.T", "keys @ queries.T", "scores", "scores-transposed swapped-qk transposed", "causal_weights @ values",
     "causal_weights.T @ values", "context", "weights-transposed"),
    ("causal", "scores.masked_fill(mask_bool, -torch.inf)", "scores * (1 - mask_triu)", "masked_scores", "mask-zero",
     "scaled = masked_scores / keys.shape[-1]**0.5", "scaled = masked_scores / keys.shape[-1]", "scaled", "scale-by-dk scale-twice"),
    ("split_head", "keys.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)", "keys.view(b, num_heads, num_tokens, head_dim)",
     "keys_by_head", "heads-by-view", "masked_scores / head_dim**0.5", "masked_scores", "weights", "no-scale"),
    ("split_head", "scores.masked_fill(future, -torch.inf)", "scores", "masked_scores", "no-mask step:scores",
     "context_transposed.contiguous()", "context_by_head.contiguous()", "context", "merge-without-transpose"),
    ("model", " * head_dim**-0.5", "", "scores", "no-scale", "torch.relu(W_ffn1(attention))", "W_ffn1(attention)", "hidden",
     "no-relu relu-left-out"),
    ("model", "scores.masked_fill(future, -torch.inf)", "scores", "weights", "no-mask", "cross_entropy(logits.flatten(0, 1)",
     "cross_entropy(probabilities.flatten(0, 1)", "loss", "softmax-before-loss"),
    ("gradients", "(probabilities - truth) / t", "probabilities - truth", "logits_grad", "no-mean-grad",
     "scores_grad * head_dim**-0.5", "scores_grad", "dot_products_grad", "no-scale-grad step:scores_grad"),
    ("gradients", "dot_products * head_dim**-0.5", "dot_products", "scores", "no-scale step:dot_products", "hidden_grad * (hidden > 0)",
     "hidden_grad", "ffn1_grad", "no-relu-grad step:hidden_grad relu-grad-left-out"),
    ("training", "mask, -torch.inf", "mask, 0", "weights_before", "mask-zero", "first_moment / (1 - 0.9)", "first_moment",
     "adamw: first_moment_corrected", "no-bias-correction step:first_moment"),
]
