"""Is named what students do, and nothing false?

Each row is a program that a student may hand in: a right one with one slip. Nothing here knows of the rules in src/trace/what_if.
The slips of the first list have to be named, first, or together with what is the same arithmetic; those of the second are on no
list, and nothing may be named for them. Numbers are checked as floats and with the four decimals of a print.
"""
from checks.programs import LAYERS, SETUP

CAUSAL = LAYERS + """mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()
masked = scores.masked_fill(mask, -torch.inf)
weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)
result = weights @ values
"""

RENORMALIZED = CAUSAL.replace("weights = torch.softmax(masked", "weights = torch.softmax(scores") + """
masked = weights * torch.tril(torch.ones(6, 6))
result = masked / masked.sum(dim=-1, keepdim=True)
"""

DROPOUT = CAUSAL.replace("result = weights", "torch.manual_seed(123)\nresult = torch.nn.functional.dropout(weights, 0.2)")

SPLIT = SETUP + """class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = torch.nn.Linear(3, 12, bias=False)
        self.W_key = torch.nn.Linear(3, 12, bias=False)
        self.W_value = torch.nn.Linear(3, 12, bias=False)
        self.out_proj = torch.nn.Linear(12, 12)

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        queries = self.W_query(x).view(b, num_tokens, 3, 4).transpose(1, 2)
        keys = self.W_key(x).view(b, num_tokens, 3, 4).transpose(1, 2)
        values = self.W_value(x).view(b, num_tokens, 3, 4).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3)
        mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, num_tokens, 12)
        return self.out_proj(context)

torch.manual_seed(123)
result = Attention()(torch.stack([inputs, inputs]))
"""

WRAPPER = SETUP + """class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = torch.nn.Linear(3, 2, bias=False)
        self.W_key = torch.nn.Linear(3, 2, bias=False)
        self.W_value = torch.nn.Linear(3, 2, bias=False)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()
        weights = torch.softmax(scores.masked_fill(mask, -torch.inf) / keys.shape[-1]**0.5, dim=-1)
        return weights @ values

torch.manual_seed(123)
heads = [Head() for _ in range(2)]
result = torch.cat([head(torch.stack([inputs, inputs])) for head in heads], dim=-1)
"""

SOFTMAX = "torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)"
KEY, VALUE = "W_key = torch.nn.Linear(3, 2, bias=False)\n", "W_value = torch.nn.Linear(3, 2, bias=False)\n"
QUERY = "W_query = torch.nn.Linear(3, 2, bias=False)\n"
HEADS = "".join(f"        self.W_{name} = torch.nn.Linear(3, 12, bias=False)\n" for name in ("query", "key", "value"))
PROJECTION = "        self.out_proj = torch.nn.Linear(12, 12)\n"

# The right program, the step that it computes and its options.
PROGRAMS = {
    "causal": (CAUSAL, ["causal", "--step=context"]),
    "renormalized": (RENORMALIZED, ["causal", "--step=renormalized"]),
    "dropout": (DROPOUT, ["dropout", "--step=mt19937: context", "--dropout=0.2", "--bernoulli=any"]),
    "split": (SPLIT, ["split_head", "--step=output", "--d-out=12", "--heads=3"]),
    "wrapper": (WRAPPER, ["wrapper", "--step=context"]),
}

# Program, what is typed in place of what, and the code, or the lesson's line as it is written otherwise.
NAMED = [
    ("causal", " / keys.shape[-1]**0.5", "", "no-scale"),
    ("causal", "keys.shape[-1]**0.5", "keys.shape[-1]", "scale-by-dk"),
    ("causal", "keys.shape[-1]**0.5", "keys.shape[-1]**0.5 / keys.shape[-1]**0.5", "scale-twice"),
    ("causal", "**0.5, dim=-1", "**0.5, dim=0", "softmax-columns"),
    ("causal", "mask, -torch.inf", "mask, 0", "mask-zero"),
    ("causal", ", diagonal=1", "", "mask-diagonal"),
    ("causal", "fill(mask,", "fill(mask.T,", "mask-upside-down"),
    ("causal", "masked = scores.masked_fill", "masked = scores\nscores.masked_fill", "no-mask"),
    ("causal", "torch.triu(torch.ones(6, 6), diagonal=1)", "torch.tril(torch.ones(6, 6))", "mask-inverted"),
    ("causal", "diagonal=1", "diagonal=2", "mask-diagonal-2"),
    ("causal", "weights @ values", "weights.T @ values", "weights-transposed"),
    ("causal", "queries @ keys.T", "keys @ queries.T", "scores-transposed"),
    ("causal", "manual_seed(789)", "manual_seed(123)", "wrong-seed"),
    ("causal", "manual_seed(789)", "manual_seed(42)", "seed=42"),
    ("causal", "bias=False", "bias=True", "bias=yes"),
    ("causal", QUERY + KEY, KEY + QUERY, "swapped-qk"),
    ("causal", QUERY + KEY + VALUE, VALUE + QUERY + KEY, "values-first"),
    ("causal", SOFTMAX, f"torch.softmax({SOFTMAX}, dim=-1)", "softmax-twice"),
    ("causal", SOFTMAX, "masked / keys.shape[-1]**0.5", "no-softmax"),
    ("causal", SOFTMAX, SOFTMAX.replace("masked", "scores") + ".masked_fill(mask, 0)", "mask-after-softmax"),
    ("causal", "scores.masked_fill(mask, -torch.inf)", "scores + mask * -torch.inf", "mask-times-inf"),
    ("renormalized", ", keepdim=True", "", "keepdim-forgotten"),
    ("renormalized", "result = masked / masked.sum(dim=-1, keepdim=True)", "result = masked", "step:masked_weights"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)", "weights", "no-dropout"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)",
     "torch.nn.functional.dropout(torch.nn.functional.dropout(weights, 0.2), 0.2)", "dropout-twice"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2) @ values",
     "torch.nn.functional.dropout(weights @ values, 0.2)", "dropout-on-context"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2) @ values",
     "weights @ torch.nn.functional.dropout(values, 0.2)", "dropout-on-values"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)",
     "(weights * (torch.rand(weights.shape) > 0.2) / (1 - 0.2))", "dropout-by-rand"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)",
     "(weights * (torch.nn.functional.dropout(torch.ones(6, 6), 0.2) > 0))", "dropout-no-scale"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)",
     "(weights * (torch.nn.functional.dropout(torch.ones(6, 6), 0.2) > 0) / 0.2)", "dropout-scale-p"),
    ("dropout", "torch.nn.functional.dropout(weights, 0.2)",
     "torch.softmax(torch.nn.functional.dropout(masked / keys.shape[-1]**0.5, 0.2), dim=-1)", "dropout-before-softmax"),
    ("dropout", SOFTMAX, "masked / keys.shape[-1]**0.5", "no-softmax"),
    ("dropout", "manual_seed(123)", "manual_seed(789)", "wrong-seed"),
    ("dropout", "dropout(weights, 0.2)", "dropout(weights, 0.1)", "dropout=0.1"),
    ("split", ".view(b, num_tokens, 3, 4).transpose(1, 2)", ".view(b, 3, num_tokens, 4)", "heads-by-view"),
    ("split", "(weights @ values).transpose(1, 2).contiguous()", "(weights @ values).contiguous()", "merge-without-transpose"),
    ("split", ".view(b, num_tokens, 3, 4).transpose(1, 2)", ".view(b, num_tokens, 4, 3).permute(0, 3, 1, 2)",
     "heads-interleaved"),
    ("split", "return self.out_proj(context)", "return context", "no-out-proj"),
    ("split", HEADS + PROJECTION, PROJECTION + HEADS, "out-proj-first"),
    ("split", "keys.shape[-1]**0.5", "12**0.5", "scale-by-d-out"),
    ("split", "keys.shape[-1]**0.5", "keys.shape[1]**0.5",
     "weights = torch.softmax(masked_scores / num_heads**0.5, dim=-1)"),
    ("split", "dim=-1", "dim=1", "softmax-heads"),
    ("split", "dim=-1", "dim=0", "softmax-batch"),
    ("split", "bias=False", "bias=True", "bias=yes"),
    ("wrapper", "[Head() for _ in range(2)]", "[Head()] * 2", "heads-shared"),
    ("wrapper", "super().__init__()", "super().__init__()\n        torch.manual_seed(123)", "heads-shared"),
    ("wrapper", "for head in heads]", "for head in reversed(heads)]", "heads-reversed"),
    ("wrapper", "dim=-1)\n        return", "dim=1)\n        return", "softmax-columns"),
    ("wrapper", "dim=-1)\n        return", "dim=0)\n        return", "softmax-batch"),
    ("wrapper", "keys.shape[-1]**0.5", "keys.shape[1]**0.5", "scale-by-tokens"),
    ("causal", "values = W_value(inputs)", "values = W_value(inputs).flip(1)", "context = (causal_weights @ values).flip(1)"),
    ("causal", "weights @ values", "2 * weights @ values", "context = (causal_weights @ values) * 2"),
    ("dropout", "torch.manual_seed(123)\n", "", "dropout_seed=none"),
    ("split", "self.out_proj(context)", "self.out_proj(context).relu()", ("output = torch.relu(out_proj(context))", "constant")),
    ("split", "self.out_proj(context)", "context + self.out_proj(context)", "output = context + out_proj(context)"),
    ("split", "self.W_value(x)", "self.W_key(x)", "keys-for-values"),
    ("causal", SOFTMAX, "torch.softmax(masked / 3**0.5, dim=-1)", "scaled = masked_scores / inputs.shape[-1]**0.5"),
    ("causal", SOFTMAX, "torch.softmax(masked / 6**0.5, dim=-1)", "scale-by-tokens"),
    ("causal", SOFTMAX, "torch.tril(torch.ones(6, 6)) / torch.arange(1, 7).view(6, 1)",
     "masked_scores = mask_triu.masked_fill(mask_bool, -torch.inf)"),
    ("causal", "values = W_value(inputs)", "values = W_key(inputs)", "keys-for-values"),
    ("causal", "keys = W_key(inputs)", "keys = W_value(inputs)", "scores = queries @ values.T"),
    ("causal", "keys = W_key(inputs)", "keys = W_query(inputs)", "scores = queries @ queries.T"),
    ("causal", "weights @ values", "weights @ values + values", "context = values + causal_weights @ values"),
    ("causal", "mask, -torch.inf", "mask, -1", "masked_scores = scores.masked_fill(mask_bool, -1)"),
    ("causal", "mask, -torch.inf", "mask, 1", "masked_scores = scores.masked_fill(mask_bool, 1)"),
    ("causal", "queries @ keys.T", "-queries @ keys.T", "scores = -(queries @ keys.T)"),
    ("causal", "Linear(3, 2, bias=False)\nW_key", "Linear(3, 2)\nW_key", "W_query = torch.nn.Linear(d_in, d_out, bias=True)"),
    ("split", "self.W_query(x).view(b, num_tokens, 3, 4).transpose(1, 2)", "self.W_query(x).view(b, 3, num_tokens, 4)",
     "heads-by-view"),
    ("split", "W_value = torch.nn.Linear(3, 12, bias=False)", "W_value = torch.nn.Linear(3, 12, bias=True)",
     "W_value = torch.nn.Linear(d_in, d_out, bias=True)"),
]

# What is on no list.
UNNAMED = [("causal", old, new) for old, new in (
    (SOFTMAX, "torch.sigmoid(masked / keys.shape[-1]**0.5)"), (SOFTMAX, "torch.relu(scores)"),
    (SOFTMAX, "torch.tanh(scores)"), (SOFTMAX, "torch.softmax(masked * 3, dim=-1)"),
    (SOFTMAX, "torch.softmax(masked / 0.7, dim=-1)"), (SOFTMAX, "torch.ones(6, 6) / 6"),
    (SOFTMAX, "torch.eye(6) / 2"),
    ("values = W_value(inputs)", "values = inputs[:, :2]"),
    ("queries @ keys.T", "torch.cdist(queries, keys)"),
    ("queries @ keys.T", "(queries @ keys.T)**2"), ("queries @ keys.T", "(queries @ keys.T)**3"),
    ("queries @ keys.T", "torch.nn.functional.cosine_similarity(queries[:, None], keys[None], dim=-1)"),
    ("queries @ keys.T", "queries @ keys.T + 1e-2 * torch.arange(6)"),
    ("queries = W_query(inputs)", "queries = torch.nn.functional.layer_norm(W_query(inputs), [2])"),
    ("queries = W_query(inputs)", "queries = W_query(inputs + 0.1)"),
    ("keys = W_key(inputs)", "keys = W_key(inputs).roll(1, 0)"), ("keys = W_key(inputs)", "keys = W_key(inputs).flip(0)"),
    ("weights @ values", "(weights @ values).cumsum(0)"), ("weights @ values", "weights @ (weights @ values)"),
    ("weights @ values", "weights @ values.abs()"), ("0.43", "0.34"), ("[0.77, 0.25, 0.10]", "[0.25, 0.77, 0.10]"),
    ("manual_seed(789)", "manual_seed(20240917)"),
    ("diagonal=1", "diagonal=3"), ("torch.ones(6, 6)", "torch.ones(6, 6).index_fill(0, torch.tensor([2]), 0)"),
)] + [
    ("causal", "W_query(inputs)", "inputs @ W_query.weight.reshape(3, 2)"),
    ("split", "keys.shape[-1]**0.5", "5**0.5"),
    ("wrapper", "torch.stack([inputs, inputs])", "torch.stack([inputs, inputs]) * 1.01"),
]
