"""Is a reason for wrong numbers ever false?

Each row is a program of one of the nine lessons of the course with one slip, as a student makes it. Its step is handed in in three
forms: as float32 in a .npy, as a print of four decimals and as a print of two. What is said first has to be true of the slip, in
every form; "nothing" is never false. A slip that has a code in the table has to be named where the numbers are exact; one that has a
line there, with this line of the lesson written so.
"""
from checks.programs import BACKWARD, FORWARD, GRADIENTS, LAYERS, SETUP, TRAINING

SIMPLIFIED = SETUP + """query_index = 1
query = inputs[query_index]
query_scores = inputs @ query
query_weights = torch.exp(query_scores) / torch.exp(query_scores).sum()
query_context = query_weights @ inputs
scores = inputs @ inputs.T
weights = torch.softmax(scores, dim=-1)
context = weights @ inputs
"""

RAND = SETUP + """torch.manual_seed(123)
W_query = torch.rand(3, 2)
W_key = torch.rand(3, 2)
W_value = torch.rand(3, 2)
queries = inputs @ W_query
keys = inputs @ W_key
values = inputs @ W_value
scores = queries @ keys.T
scaled = scores / keys.shape[-1]**0.5
weights = torch.softmax(scaled, dim=-1)
context = weights @ values
"""

LINEAR = LAYERS + """weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
context = weights @ values
"""

CAUSAL = LAYERS + """mask = torch.triu(torch.ones(6, 6), diagonal=1)
masked = scores.masked_fill(mask.bool(), -torch.inf)
weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)
context = weights @ values
"""

RENORMALIZED = LAYERS + """weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
masked_weights = weights * torch.tril(torch.ones(6, 6))
renormalized = masked_weights / masked_weights.sum(dim=-1, keepdim=True)
"""

DROPOUT = CAUSAL.replace("context = weights @ values", """torch.manual_seed(123)
dropped = torch.nn.functional.dropout(weights, 0.5)
context = dropped @ values""")

WRAPPER = SETUP + """class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = torch.nn.Linear(3, 2, bias=False)
        self.W_key = torch.nn.Linear(3, 2, bias=False)
        self.W_value = torch.nn.Linear(3, 2, bias=False)
        self.register_buffer("mask", torch.triu(torch.ones(6, 6), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values

batch = torch.stack((inputs, inputs), dim=0)
torch.manual_seed(123)
heads = torch.nn.ModuleList([Head() for _ in range(2)])
context = torch.cat([head(batch) for head in heads], dim=-1)
"""

SPLIT = SETUP + """b, num_tokens, num_heads, head_dim, d_out = 2, 6, 2, 2, 4
batch = torch.stack((inputs, inputs), dim=0)
torch.manual_seed(123)
W_query = torch.nn.Linear(3, d_out, bias=False)
W_key = torch.nn.Linear(3, d_out, bias=False)
W_value = torch.nn.Linear(3, d_out, bias=False)
out_proj = torch.nn.Linear(d_out, d_out)
queries = W_query(batch).view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
keys = W_key(batch).view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
values = W_value(batch).view(b, num_tokens, num_heads, head_dim).transpose(1, 2)
scores = queries @ keys.transpose(2, 3)
mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
masked = scores.masked_fill(mask, -torch.inf)
weights = torch.softmax(masked / head_dim**0.5, dim=-1)
context = (weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, d_out)
output = out_proj(context)
"""

TRAINED = TRAINING + """losses = torch.tensor(losses)
W_value_after = W_value.weight
read = logits_of(embedding(read))[0, :3]  # no later word has a part in them
next_probabilities = torch.softmax(read[-1], dim=-1)
"""

SAMPLING = """import torch
logits = torch.tensor([4.51, 0.89, -1.90, 6.75, 1.63, -1.62, -1.89, 6.28, 1.79])
top_logits, top_positions = torch.topk(logits, 3)
kept_logits = torch.where(logits < top_logits[-1], torch.tensor(-torch.inf), logits)
kept_probabilities = torch.softmax(kept_logits, dim=-1)
warm = torch.softmax(logits / 5, dim=-1)
loss = torch.nn.functional.cross_entropy(logits.unsqueeze(0), logits.argmax().unsqueeze(0))
"""

PROGRAMS = {"sampling": SAMPLING, "simplified": SIMPLIFIED, "rand": RAND, "linear": LINEAR, "causal": CAUSAL, "renormalized": RENORMALIZED,
            "dropout": DROPOUT, "wrapper": WRAPPER, "split": SPLIT, "gpt": FORWARD, "gradients": BACKWARD, "by_hand": GRADIENTS,
            "update": TRAINING, "training": TRAINED}

TRAIN = "training --updates=20 --step="
RAND_STEP = "trainable --step=rand: "
LINEAR_STEP = "trainable --step=linear: "
DROP_STEP = "dropout --bernoulli=any --step=mt19937: "
SOFTMAX = "torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)"

# Program, its variable, the lesson's step, what is typed in place of what, and what check may call it: the names of one
# arithmetic, in any order; None where no known mistake is this slip, and nothing may be named for it.
WRONG = [
    ("simplified", "weights", "simplified --step=weights", "torch.softmax(scores, dim=-1)",
     "torch.exp(scores) / torch.exp(scores).sum(-1)", "softmax-columns/keepdim-forgotten"),
    ("simplified", "context", "simplified --step=context", "torch.softmax(scores, dim=-1)",
     "torch.exp(scores) / torch.exp(scores).sum(dim=-1)", "softmax-columns/weights-transposed/keepdim-forgotten"),
    ("simplified", "context", "simplified --step=context", "dim=-1",
     "dim=0", "softmax-columns/weights-transposed/keepdim-forgotten"),
    ("simplified", "weights", "simplified --step=weights", "torch.softmax(scores, dim=-1)",
     "scores / scores.sum(dim=-1, keepdim=True)", "no-exponential"),
    ("simplified", "context", "simplified --step=context", "weights @ inputs",
     "weights.T @ inputs", "softmax-columns/weights-transposed/keepdim-forgotten"),
    ("simplified", "query_scores", "simplified --step=query_scores", "query_index = 1", "query_index = 2", "part"),
    ("simplified", "weights", "simplified --step=weights", "softmax(scores,", "softmax(scores / 3**0.5,", "weights = torch.softmax((scores) / d_in**0.5, dim=-1)"),
    ("simplified", "weights", "simplified --step=weights", "torch.softmax", "torch.log_softmax", "weights = torch.log_softmax(scores, dim=-1)"),
    ("simplified", "query_weights", "simplified --step=query_weights", "torch.exp(query_scores).sum()",
     "torch.exp(query_scores.sum())", ("query_weights = torch.softmax(query_scores, dim=0) / 37.7", "query_weights = torch.softmax(query_scores, dim=0) * 0.03")),
    ("simplified", "query_context", "simplified --step=query_context", "torch.exp(query_scores) / torch.exp(query_scores).sum()",
     "query_scores / query_scores.sum()", "no-exponential"),
    ("rand", "queries", RAND_STEP + "queries", "torch.rand(", "torch.randn(", "W_query = torch.nn.Parameter(torch.randn(d_in, d_out))"),
    ("rand", "weights", RAND_STEP + "weights", "keys.shape[-1]", "keys.shape[0]", "scale-by-tokens"),
    ("rand", "context", RAND_STEP + "context", " / keys.shape[-1]**0.5", "", "no-scale"),
    ("rand", "scores", RAND_STEP + "scores", "queries @ keys.T", "keys @ queries.T", "swapped-qk/scores-transposed"),
    ("rand", "scaled", RAND_STEP + "scaled", "/ keys", "* keys", "scaled = scores * (keys.shape[-1]**0.5)"),
    ("rand", "context", RAND_STEP + "context", "W_key =", "torch.manual_seed(123)\nW_key =", ("torch.manual_seed(123)\nW_key = ", "keys-for-values")),
    ("rand", "weights", RAND_STEP + "weights", "keys.shape[-1]**0.5", "inputs.shape[-1]**0.5", "scaled = scores / inputs.shape[-1]**0.5"),
    ("linear", "context", LINEAR_STEP + "context", ", bias=False", "", "bias=yes"),
    ("linear", "context", LINEAR_STEP + "context", "values = W_value", "values = W_key", "keys-for-values"),
    ("linear", "queries", LINEAR_STEP + "queries", "W_query(inputs)",
     "inputs @ W_query.weight.view(3, 2)", "weight-untransposed"),
    ("linear", "weights", LINEAR_STEP + "weights", "789", "123", "wrong-seed"),
    ("linear", "weights", LINEAR_STEP + "weights", "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)",
     "torch.exp(scores / keys.shape[-1]**0.5) / torch.exp(scores / keys.shape[-1]**0.5).sum(-1)", "keepdim-in-softmax"),
    ("causal", "weights", "causal --step=causal_weights", "scores.masked_fill(mask.bool(), -torch.inf)",
     "scores + mask * -torch.inf", "mask-times-inf"),
    ("causal", "context", "causal --step=context", "scores.masked_fill(mask.bool(), -torch.inf)",
     "scores * (1 - mask) + mask * float('-inf')", "mask-times-inf"),
    ("causal", "weights", "causal --step=causal_weights", "torch.triu(torch.ones(6, 6), diagonal=1)",
     "torch.tril(torch.ones(6, 6), diagonal=-1)", "mask-upside-down"),
    ("causal", "weights", "causal --step=causal_weights", ", diagonal=1", "", "mask-diagonal"),
    ("causal", "context", "causal --step=context", "scores.masked_fill(mask.bool(), -torch.inf)",
     "scores * (1 - mask)", "mask-zero"),
    ("causal", "weights", "causal --step=causal_weights", "-torch.inf", "-1e-9", "mask-zero"),
    ("causal", "weights", "causal --step=causal_weights", "-torch.inf", "torch.inf", "masked_scores = scores.masked_fill(mask_bool, torch.inf)"),
    ("causal", "weights", "causal --step=causal_weights", SOFTMAX,
     "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1) * (1 - mask)", "mask-after-softmax"),
    ("causal", "context", "causal --step=context", "dim=-1", "dim=0", "softmax-columns"),
    ("causal", "weights", "causal --step=causal_weights", SOFTMAX,
     "torch.softmax(masked, dim=-1) / keys.shape[-1]**0.5", "scale-after-softmax"),
    ("renormalized", "renormalized", "causal --step=renormalized", ", keepdim=True", "", "keepdim-forgotten"),
    ("renormalized", "renormalized", "causal --step=renormalized", "masked_weights.sum(dim=-1",
     "weights.sum(dim=-1", "step:masked_weights"),
    ("dropout", "context", DROP_STEP + "context", "dropout(weights, 0.5)",
     "dropout(weights, 0.5, training=False)", "no-dropout"),
    ("dropout", "context", DROP_STEP + "context", "dropout(weights, 0.5)", "dropout(weights, 0.1)", "dropout=0.1"),
    ("dropout", "dropped", DROP_STEP + "weights_dropped", "torch.nn.functional.dropout(weights, 0.5)",
     "weights * (torch.rand(6, 6) > 0.5)", "rand-unscaled"),
    ("dropout", "context", DROP_STEP + "context", "dropped @ values",
     "torch.nn.functional.dropout(dropped @ values, 0.5)", "dropout-on-both"),
    ("dropout", "dropped", DROP_STEP + "weights_dropped", "torch.manual_seed(123)\n", "", "dropout_seed=none"),
    ("dropout", "dropped", DROP_STEP + "weights_dropped", "torch.nn.functional.dropout(weights, 0.5)",
     "torch.softmax(torch.nn.functional.dropout(masked / keys.shape[-1]**0.5, 0.5), dim=-1)", "dropout-before-softmax"),
    ("dropout", "dropped", DROP_STEP + "weights_dropped", "dropout(weights, 0.5)",
     "dropout(weights, 0.5) * 0.5", "dropout-no-scale"),
    ("wrapper", "context", "wrapper --step=context", "torch.cat([head(batch) for head in heads], dim=-1)",
     "torch.stack([head(batch) for head in heads], dim=-1).flatten(2)", "exchanged/heads-stacked"),
    ("wrapper", "context", "wrapper --step=context", "[Head() for _ in range(2)]", "[Head()] * 2", "heads-shared"),
    ("wrapper", "context", "wrapper --step=context", "dim=-1)\n        return",
     "dim=1)\n        return", "softmax-columns"),
    ("wrapper", "context", "wrapper --step=context", "scores.masked_fill_", "scores.masked_fill", "no-mask"),
    ("wrapper", "context", "wrapper --step=context", "keys.shape[-1]**0.5", "d_in**0.5", None),
    ("wrapper", "context", "wrapper --step=context", "return weights @",
     "return torch.nn.functional.dropout(weights, 0.5) @", "dropout=0.5"),
    ("wrapper", "context", "wrapper --step=context", "self.mask.bool()", "~self.mask.bool()", "mask-inverted"),
    ("wrapper", "context", "wrapper --step=context", "self.W_query = torch.nn.Linear(3, 2, bias=False)\n        self.W_key",
     "self.W_key = torch.nn.Linear(3, 2, bias=False)\n        self.W_query", "swapped-qk/scores-transposed"),
    ("split", "output", "split_head --d-out=4 --step=output", ".view(b, num_tokens, num_heads, head_dim).transpose(1, 2)",
     ".view(b, num_heads, num_tokens, head_dim)", "heads-by-view"),
    ("split", "output", "split_head --d-out=4 --step=output", "(weights @ values).transpose(1, 2).contiguous()",
     "(weights @ values).contiguous()", "merge-without-transpose"),
    ("split", "output", "split_head --d-out=4 --step=output", "out_proj(context)", "context", "no-out-proj"),
    ("split", "output", "split_head --d-out=4 --step=output", "masked / head_dim**0.5",
     "masked / d_out**0.5", "scale-twice/scale-by-dk/scale-by-d-out"),
    ("split", "context", "split_head --d-out=4 --step=context", "dim=-1)\ncontext", "dim=1)\ncontext", "softmax-heads"),
    ("split", "output", "split_head --d-out=4 --step=output",
     "W_value(batch).view(b, num_tokens, num_heads, head_dim).transpose(1, 2)",
     "W_value(batch).view(b, num_heads, num_tokens, head_dim)", "heads-by-view"),
    ("split", "weights", "split_head --d-out=4 --step=weights", " / head_dim**0.5", "", "no-scale"),
    ("split", "output", "split_head --d-out=4 --step=output", "torch.nn.Linear(d_out, d_out)",
     "torch.nn.Linear(d_out, d_out, bias=False)", "no-bias"),
    ("split", "output", "split_head --d-out=4 --step=output", "keys.transpose(2, 3)",
     "keys.reshape(b, num_heads, head_dim, num_tokens)", "keys-reshaped"),
    ("gpt", "hidden", "model --step=hidden", "torch.relu", "torch.nn.functional.gelu", "hidden = torch.nn.functional.gelu("),
    ("gpt", "loss", "model --step=loss", "cross_entropy(logits.flatten(0, 1)",
     "cross_entropy(torch.softmax(logits, dim=-1).flatten(0, 1)", "softmax-before-loss"),
    ("gpt", "loss", "model --step=loss", "targets = ids[:, 1:]", "targets = ids[:, :-1]",
     "targets-not-shifted"),
    ("gpt", "logits", "model --step=logits", " * head_dim**-0.5", "", "no-scale"),
    ("gpt", "logits", "model --step=logits", "torch.relu(W_ffn1(attention))", "W_ffn1(attention)", "no-relu"),
    ("gpt", "attention", "model --step=attention", "attention = W_out(", "attention = embedded + W_out(", "attention = embedded + out_proj(context)"),
    ("gpt", "loss", "model --step=loss", "targets.flatten())", "targets.flatten(), reduction='sum')", "loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets, reduction='sum')"),
    ("gpt", "weights", "model --step=weights", "scores.masked_fill(mask, -torch.inf)", "scores", "no-mask"),
    ("gradients", "W_logits_grad", "gradients --step=W_logits_grad", "targets.flatten())",
     "targets.flatten(), reduction='sum')", "no-mean-grad"),
    ("gradients", "W_query_grad", "gradients --step=W_query_grad", "loss.backward()",
     "loss.backward(retain_graph=True)\nloss.backward()", "backward-twice"),
    ("gradients", "W_value_grad", "gradients --step=W_value_grad", "targets = ids[:, 1:]",
     "targets = ids[:, :-1]", "targets-not-shifted"),
    ("gradients", "embedding_grad", "gradients --step=embedding_grad", "weights @ values",
     "weights.detach() @ values", "weights-detached"),
    ("gradients", "W_ffn1_grad", "gradients --step=W_ffn1_grad", "loss.backward()", "(-loss).backward()", "W_ffn1_grad = -(ffn1_grad.flatten(0, 1).T @ attention.flatten(0, 1))"),
    ("gradients", "W_query_grad", "gradients --step=W_query_grad", " * head_dim**-0.5", "", "no-scale"),
    ("gradients", "embedding_grad", "gradients --step=embedding_grad", "scores.masked_fill(mask, -torch.inf)", "scores",
     "no-mask"),
    ("sampling", "kept_probabilities", "sampling --step=kept_probabilities", "top_logits[-1]", "top_logits[0]",
     "top-k-threshold/coarse"),
    ("sampling", "kept_probabilities", "sampling --step=kept_probabilities", "logits < top_logits[-1]",
     "logits <= top_logits[-1]", "top-k-threshold"),
    ("sampling", "kept_logits", "sampling --step=kept_logits", "logits < top_logits[-1]", "logits <= top_logits[-1]",
     "top-k-threshold"),
    ("sampling", "kept_probabilities", "sampling --step=kept_probabilities", "torch.tensor(-torch.inf)", "torch.tensor(0.)",
     "mask-zero"),
    ("training", "next_probabilities", "sampling --updates=20 --step=next_probabilities", "read[-1]", "read[0]", "wrong-position"),
    ("training", "next_probabilities", "sampling --updates=20 --step=next_probabilities", "read[-1]", "read[-2]", "wrong-position/part"),
    ("training", "next_probabilities", "sampling --updates=20 --step=next_probabilities", "    optimizer.zero_grad()", "    if update == 0: optimizer.zero_grad()", "no-zero-grad"),
    ("sampling", "warm", "sampling --step=temperature 5: probabilities", "logits / 5", "logits * 5", "temperature-multiplied"),
    ("sampling", "loss", "sampling --step=loss", "logits.unsqueeze(0)", "torch.softmax(logits, -1).unsqueeze(0)",
     "softmax-before-loss"),
    ("gradients", "W_value_grad", "gradients --step=W_value_grad", "cross_entropy(logits.flatten(0, 1)",
     "cross_entropy(torch.softmax(logits, dim=-1).flatten(0, 1)", "softmax-before-loss"),
    ("by_hand", "W_logits_bias_grad", "gradients --step=W_logits_bias_grad", ".sum(0)", ".mean(0)", "bias-grad-mean"),
    ("by_hand", "W_query_grad", "gradients --step=W_query_grad", "(weights_grad - average) * weights",
     "weights_grad * weights", "masked_scores_grad = (weights_grad) * weights"),
    ("by_hand", "W_query_grad", "gradients --step=W_query_grad", "scores_grad * head_dim**-0.5",
     "scores_grad", "no-scale-grad"),
    ("by_hand", "W_ffn1_grad", "gradients --step=W_ffn1_grad", " * (hidden > 0)", "", "W_ffn1_grad = hidden_grad.flatten(0, 1).T @ attention.flatten(0, 1)"),
    ("by_hand", "W_query_grad", "gradients --step=W_query_grad", "queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)",
     "embedded.flatten(0, 1).T @ queries_grad.flatten(0, 1)", "transposed"),
    ("by_hand", "logits_grad", "gradients --step=logits_grad", "(probabilities - truth) / t",
     "probabilities - truth", "no-mean-grad"),
    ("update", "sgd_after", TRAIN + "sgd: W_query_after", "- lr * W_query_grad", "+ lr * W_query_grad", "ascent"),
    ("update", "adamw_after", TRAIN + "adamw: W_query_after", "length = first_moment_corrected /", "length = first_moment /", ("length = first_moment / (second_moment_corrected.sqrt() + 1e-8)", "lr=0.001")),
    ("update", "adamw_after", TRAIN + "adamw: W_query_after", "second_moment_corrected.sqrt()", "second_moment_corrected", "length = first_moment_corrected / (second_moment_corrected + 1e-8)"),
    ("update", "second_moment", TRAIN + "adamw: second_moment", "W_query_grad**2", "W_query_grad", "second_moment = (1 - 0.999) * W_query_grad**1"),
    ("update", "adamw_after", TRAIN + "adamw: W_query_after", " * (1 - lr * 0.01)", "", "weight_decay=0"),
    ("training", "losses", TRAIN + "losses", "    optimizer.zero_grad()", "    if update == 0: optimizer.zero_grad()", "no-zero-grad"),
    ("training", "losses", TRAIN + "losses", "AdamW", "Adam", "optimizer=adam"),
    ("training", "losses", TRAIN + "losses", "lr=0.01", "lr=0.1", ("lr-ten-times", "optimizer=adamw lr=0.1")),
    ("training", "W_value_after", TRAIN + "trained: W_value", "AdamW", "SGD", "optimizer=sgd"),
    ("training", "losses", TRAIN + "losses", "    optimizer.step()\n", "", ("no-step", "optimizer=sgd")),
]
