"""Are right programs accepted?

The programs are the PyTorch of each step (`print --format json`), and those below that compute the same in other ways: modules,
einsum, masks that are added, scaled_dot_product_attention where there is one, CrossEntropyLoss, optimizers with their options.
Parameters are chosen at random, --runs N times, by --seed N; the first run of each lesson has the course's. Each number of a step is
handed in in a form chosen at random: as PyTorch prints it, with no, two or eight decimals, as .npy, as a list in JSON, as a table.
Counted are the prints that were called equal and those that could not be judged. The exit status must agree with the verdict.

--record writes numbers that two versions of PyTorch do not agree on, for tests/app/check/test_check.c.
"""
import torch

F = torch.nn.functional
FORMS = ["print", "no decimals", "2 decimals", "8 decimals", "npy", "list", "table"]

# Each program takes the names of the lesson's setup and its parameters, and yields names of steps with their tensors.


def attend(queries, keys, values, hidden):
    """Of the last two dimensions; in one call where PyTorch has one."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~hidden)
    scores = torch.einsum("...qd,...kd->...qk", queries, keys) * queries.shape[-1] ** -0.5
    return torch.einsum("...qk,...kd->...qd", torch.softmax(scores + zeros_or_inf(hidden), -1), values)


def zeros_or_inf(hidden):
    return torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)


def later(tokens):
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)


class Projections(torch.nn.Module):
    def __init__(self, d_in, d_out, bias):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(d_in, d_out, bias=bias) for _ in range(3))

    def forward(self, x):
        return self.query(x), self.key(x), self.value(x)


def simplified(names, parameters):
    x = names["inputs"]
    scores = torch.einsum("id,jd->ij", x, x)
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    yield "scores", scores
    yield "weights", weights
    yield "context", torch.einsum("ij,jd->id", weights, x)


def causal(names, parameters):
    x = names["inputs"]
    torch.manual_seed(parameters["seed"])
    queries, keys, values = Projections(names["d_in"], names["d_out"], names["qkv_bias"])(x)
    scores = torch.einsum("qd,kd->qk", queries, keys)
    hidden = later(len(x))
    yield "queries", queries
    yield "scores", scores
    yield "causal_weights", torch.exp(torch.log_softmax(scores * names["d_out"] ** -0.5 + zeros_or_inf(hidden), dim=1))
    weights = torch.softmax(scores / names["d_out"] ** 0.5, dim=1).tril()
    yield "renormalized", weights / weights.sum(1, keepdim=True)
    yield "context", attend(queries[None], keys[None], values[None], hidden)[0]


def batch_of(names):
    sentences = names.get("sentences")
    return torch.stack(sentences) if sentences is not None else names["inputs"].expand(names["batch_size"], -1, -1)


def wrapper(names, parameters):
    if parameters["dropout"] > 0 and names["training"] or "batch_size" not in names:
        return
    torch.manual_seed(parameters["seed"])
    layers = [Projections(names["d_in"], names["d_out"], names["qkv_bias"]) for _ in range(names["num_heads"])]
    parts = [layer(batch_of(names)) for layer in layers]
    yield "context", torch.cat([attend(*part, later(names["num_tokens"])) for part in parts], dim=-1)


def split_head(names, parameters):
    if parameters["dropout"] > 0 and names["training"] or "batch_size" not in names:
        return
    torch.manual_seed(parameters["seed"])
    layer, heads = Projections(names["d_in"], names["d_out"], names["qkv_bias"]), names["num_heads"]
    out = torch.nn.Linear(names["d_out"], names["d_out"])
    queries, keys, values = (x.unflatten(-1, (heads, -1)).transpose(-3, -2) for x in layer(batch_of(names)))
    context = attend(queries, keys, values, later(names["num_tokens"])).transpose(1, 2).flatten(2)
    yield "context", context
    yield "output", torch.einsum("...i,oi->...o", context, out.weight) + out.bias


class Model(torch.nn.Module):
    def __init__(self, names):
        super().__init__()
        width, hidden, self.heads = names["d_model"], names["d_hidden"], names["num_heads"]
        self.embedding = torch.nn.Embedding(names["vocabulary"], width)
        self.projections = Projections(width, width, True)
        self.out = torch.nn.Linear(width, width) if self.heads > 1 else torch.nn.Identity()
        self.feed_forward = torch.nn.Sequential(torch.nn.Linear(width, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, width))
        self.logits = torch.nn.Linear(width, names["vocabulary"])

    def forward(self, ids, hidden):
        queries, keys, values = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in self.projections(self.embedding(ids)))
        context = attend(queries, keys, values, hidden).transpose(1, 2).flatten(2)
        return self.logits(self.feed_forward(self.out(context)))

    def loss(self, ids, hidden):
        return torch.nn.CrossEntropyLoss()(self(ids[:, :-1], hidden).transpose(1, 2), ids[:, 1:])

    def named(self):
        layers = {"W_query": self.projections.query, "W_key": self.projections.key, "W_value": self.projections.value,
                  "W_ffn1": self.feed_forward[0], "W_ffn2": self.feed_forward[2], "W_logits": self.logits}
        if self.heads > 1:
            layers["W_out"] = self.out
        yield "embedding", self.embedding.weight
        for name, layer in layers.items():
            yield name, layer.weight
            yield name + "_bias", layer.bias


def model_of(names, parameters):
    words = names["text"].split()
    vocabulary = list(dict.fromkeys(words))
    torch.manual_seed(parameters["seed"])
    return Model(names), torch.tensor([[vocabulary.index(word) for word in words]])


def model(names, parameters):
    if parameters["dropout"] > 0 and names["training"]:
        return
    net, ids = model_of(names, parameters)
    hidden = later(ids.shape[1] - 1)
    yield "logits", net(ids[:, :-1], hidden)
    yield "loss", net.loss(ids, hidden)


def gradients(names, parameters):
    net, ids = model_of(names, parameters)
    loss = net.loss(ids, later(ids.shape[1] - 1))
    loss.backward()
    yield "loss", loss
    for name, parameter in net.named():
        yield name + "_grad", parameter.grad


def trained(names, parameters, hidden, updates):
    net, ids = model_of(names, parameters)
    how = {"lr": names["lr"], "weight_decay": names["weight_decay"]}
    kinds = {"adamw": lambda all: torch.optim.AdamW(all, foreach=True, **how),
             "adam": lambda all: torch.optim.Adam(all, foreach=True, **how),
             "sgd": lambda all: torch.optim.SGD(all, **how),
             "momentum": lambda all: torch.optim.SGD(all, momentum=0.9, **how)}
    optimizer = kinds[names["optimizer"]](net.parameters())
    losses = []
    for _ in range(updates):
        loss = net.loss(ids, hidden)
        losses.append(loss.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net, torch.stack(losses + [net.loss(ids, hidden).detach()])


def training(names, parameters):
    tokens = len(names["text"].split()) - 1
    for group, updates in ("after 1", 1), ("trained", names["updates"]):
        if names["updates"] == 0:
            continue
        net, losses = trained(names, parameters, later(tokens), updates)
        for name, parameter in net.named():
            yield f"{group}: {name}", parameter
    yield "losses", trained(names, parameters, later(tokens), names["updates"])[1]
    yield "losses_without_mask", trained(names, parameters, torch.zeros(tokens, tokens, dtype=torch.bool), names["updates"])[1]
    itself = ~torch.eye(tokens, dtype=torch.bool)
    yield "losses_without_attention", trained(names, parameters, itself, names["updates"])[1]


OTHERS = {program.__name__: program for program in (simplified, causal, wrapper, split_head, model, gradients, training)}

# Lessons, with steps that two versions of PyTorch do not agree on.
RECORDED = {
    "training": ["losses_without_mask", "trained: W_key_bias"],
    "training --seed=5": ["losses_without_mask"],
    "training --lr=1 --updates=40": ["losses", "trained: W_query"],
    "training --seed=57606 --d-model=8": ["after 1: W_key_bias"],
}


def dropped_values(names):
    """A wrong one, whose masks two versions draw in another order: split_head --d-out=4 --dropout=0.5, the output."""
    torch.manual_seed(123)
    layer, out = Projections(3, 4, False), torch.nn.Linear(4, 4)
    queries, keys, values = (x.view(2, 6, 2, 2).transpose(1, 2) for x in layer(batch_of(names)))
    scores = (queries @ keys.transpose(2, 3)).masked_fill(later(6), -torch.inf)
    context = torch.softmax(scores / 2**0.5, dim=-1) @ F.dropout(values, 0.5)
    return out(context.transpose(1, 2).contiguous().view(2, 6, 4)).detach()
