"""Are right programs accepted that are written in unusual ways?

Each row computes a lesson's step in another way than the lesson does: with einsum, PyTorch's own modules, numpy, float64, loops, or a
formula that is the same in mathematics. It may use what the lesson's program has computed so far. The result is handed in as print()
shows it and as an .npy with all its digits. All must be accepted.
"""
import math

import numpy as np
import torch

F = torch.nn.functional



def softmax_by_hand(x, axis=-1):
    """numpy, in the array's own type."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def loops(queries, keys):
    return torch.tensor([[sum(a * b for a, b in zip(q, k)) for k in keys.tolist()] for q in queries.tolist()])


def attend(queries, keys, values):
    """Causal attention in one call where PyTorch has it, with a mask that is added where it does not."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    tokens = queries.shape[-2]
    mask = torch.full((tokens, tokens), -torch.inf).triu(1)
    return torch.baddbmm(mask, queries, keys.transpose(-2, -1), alpha=queries.shape[-1] ** -0.5).softmax(-1).bmm(values)


def multihead(width, heads, weights, biases, out, out_bias, x):
    """MultiheadAttention with these weights."""
    module = torch.nn.MultiheadAttention(width, heads, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat(weights))
        module.in_proj_bias.copy_(torch.cat(biases) if biases else torch.zeros(3 * width))
        module.out_proj.weight.copy_(out)
        module.out_proj.bias.copy_(out_bias)
    t = x.shape[1]
    return module(x, x, x, attn_mask=torch.ones(t, t).triu(1).bool(), average_attn_weights=False)


def online(queries, keys, values):
    """Causal attention, key after key, with a running maximum."""
    rows = []
    for i, q in enumerate(queries.double()):
        top, total, mixed = -math.inf, 0.0, torch.zeros(values.shape[-1]).double()
        for k, v in zip(keys.double()[: i + 1], values.double()[: i + 1]):
            score = (q @ k).item() / len(q) ** 0.5
            new = max(top, score)
            total, mixed = total * math.exp(top - new) + math.exp(score - new), mixed * math.exp(top - new) + v * math.exp(score - new)
            top = new
        rows.append(mixed / total)
    return torch.stack(rows)


def hand_made_adamw(names, updates):
    """AdamW's formulas over a list of parameters; the losses before each update and after the last one."""
    names["layers"].load_state_dict(names["start"])
    parameters = list(names["layers"].parameters())
    first, second = ([torch.zeros_like(p) for p in parameters] for _ in range(2))
    losses = []
    for t in range(1, updates + 1):
        loss = names["loss_of"](names["mask"])
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for p, g, m, v in zip(parameters, gradients, first, second):
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                p.mul_(1 - 0.01 * names["lr"])
                p.addcdiv_(m / (1 - 0.9**t), (v / (1 - 0.999**t)).sqrt() + 1e-8, value=-names["lr"])
    return losses + [names["loss_of"](names["mask"]).item()]


HEAD_WISE = "multihead(d_model, num_heads, [W_query.weight, W_key.weight, W_value.weight], [W_query.bias, W_key.bias, W_value.bias], out_proj.weight, out_proj.bias, embedded)"

PROGRAMS = [
    ("simplified", "query_scores", "torch.tensor([sum(a * b for a, b in zip(row, query.tolist())) for row in inputs.tolist()])"),
    ("simplified", "query_scores", "torch.einsum('td,d->t', inputs, query)"),
    ("simplified", "query_weights", "softmax_by_hand(query_scores.double().numpy())"),
    ("simplified", "query_weights", "torch.exp(query_scores) / torch.exp(query_scores).sum()"),
    ("simplified", "query_context", "sum(w * x for w, x in zip(query_weights, inputs))"),
    ("simplified", "query_context", "(query_weights[:, None] * inputs).sum(0)"),
    ("simplified", "scores", "loops(inputs, inputs)"),
    ("simplified", "scores", "np.inner(inputs.double(), inputs.double())"),
    ("simplified", "weights", "F.softmax(scores, 1)"),
    ("simplified", "weights", "np.array([[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in scores.tolist()])"),
    ("simplified", "context", "np.einsum('ij,jd->id', weights.numpy(), inputs.numpy())"),
    ("trainable", "rand: queries", "torch.stack([W_query.T @ x for x in inputs])"),
    ("trainable", "rand: keys", "inputs.double().numpy() @ W_key.detach().double().numpy()"),
    ("trainable", "rand: query_weights", "(keys @ query / math.sqrt(d_out)).softmax(0)"),
    ("trainable", "rand: weights", "torch.softmax((queries / 2**0.25) @ (keys / 2**0.25).T, dim=1)"),
    ("trainable", "rand: weights", "torch.softmax(torch.div(torch.mm(queries, keys.t()), torch.sqrt(torch.tensor(keys.size(-1)))), -1)"),
    ("trainable", "rand: context", "torch.matmul(weights.double(), values.double())"),
    ("trainable", "linear: queries", "F.linear(inputs, W_query.weight)"),
    ("trainable", "linear: scores", "torch.einsum('qd,kd->qk', queries, keys)"),
    ("trainable", "linear: context", "F.softmax(queries @ keys.T * d_out**-0.5, -1) @ values"),
    ("causal", "queries", "torch.nn.Sequential(W_query)(inputs[None])[0]"),
    ("causal", "scores", "torch.stack([keys @ q for q in queries])"),
    ("causal", "mask_tril", "(torch.arange(6)[:, None] >= torch.arange(6)).int()"),
    ("causal", "mask_bool", "torch.arange(6) > torch.arange(6).unsqueeze(1)"),
    ("causal", "masked_scores", "scores + torch.full((6, 6), -torch.inf).triu(1)"),
    ("causal", "masked_scores", "torch.where(mask_bool, torch.tensor(-torch.inf), scores)"),
    ("causal", "causal_weights", "torch.softmax(scores.masked_fill(mask_bool, -1e9) / d_out**0.5, dim=-1)"),
    ("causal", "causal_weights", "torch.nn.utils.rnn.pad_sequence([torch.softmax(scores[i, :i + 1] / 2**0.5, 0) for i in range(6)], batch_first=True)"),
    ("causal", "renormalized", "F.normalize(weights.tril(), p=1, dim=1)"),
    ("causal", "context", "attend(queries[None], keys[None], values[None])[0]"),
    ("causal", "context", "online(queries, keys, values)"),
    ("causal", "context", "torch.stack([torch.softmax(queries[i] @ keys[:i + 1].T / 2**0.5, 0) @ values[:i + 1] for i in range(6)])"),
    ("causal", "context", "softmax_by_hand((queries.detach().numpy() @ keys.detach().numpy().T + np.triu(np.full((6, 6), -np.inf), 1)) / np.sqrt(2)) @ values.detach().numpy()"),
    ("dropout", "mt19937: weights_dropped", "causal_weights * ones_dropped"),
    ("dropout", "mt19937: context", "torch.einsum('qk,kd->qd', causal_weights * (ones_dropped > 0) / (1 - p), values)"),
    ("wrapper", "head 1: scores", "torch.bmm(queries, keys.permute(0, 2, 1))"),
    ("wrapper", "head 1: weights", "torch.softmax(queries @ keys.mT / 2**0.5 + torch.full((6, 6), -torch.inf).triu(1), -1)"),
    ("wrapper", "context", "torch.cat([attend(batch @ q.weight.T, batch @ k.weight.T, batch @ v.weight.T) for q, k, v in ((W_query_1, W_key_1, W_value_1), (W_query_2, W_key_2, W_value_2))], -1)"),
    ("split_head", "queries_by_head", "torch.stack(queries.chunk(num_heads, dim=-1), dim=1)"),
    ("split_head", "scores", "torch.einsum('bqhd,bkhd->bhqk', queries_viewed, keys_viewed)"),
    ("split_head", "context", "torch.cat(list(context_by_head.unbind(1)), dim=-1)"),
    ("split_head", "output", "torch.addmm(out_proj.bias, context.reshape(-1, d_out), out_proj.weight.T).reshape(2, 6, 2)"),
    ("split_head", "output", "sum(F.linear(context_by_head[:, h], out_proj.weight[:, h:h + 1]) for h in range(2)) + out_proj.bias"),
    ("model", "embedded", "F.one_hot(ids[:, :-1], vocabulary).double() @ embedding.weight.double()"),
    ("model", "weights", f"{HEAD_WISE}[1]"),
    ("model", "attention", f"{HEAD_WISE}[0]"),
    ("model", "hidden", "ffn1(attention).clamp(min=0)"),
    ("model", "logits", "torch.nn.Sequential(ffn1, torch.nn.ReLU(), ffn2, to_logits)(attention)"),
    ("model", "loss", "-torch.log(probabilities[0, range(5), [1, 2, 3, 4, 5]]).mean()"),
    ("model", "loss", "F.nll_loss(logits.double().log_softmax(-1)[0], ids[0, 1:])"),
    ("gradients", "logits_grad", "torch.autograd.grad(cross_entropy(logits.transpose(1, 2), targets), logits, retain_graph=True)[0]"),
    ("gradients", "W_query_grad", "torch.einsum('bto,bti->oi', queries_grad, embedded)"),
    ("gradients", "masked_scores_grad", "torch.autograd.grad(weights, masked_scores, weights_grad, retain_graph=True)[0]"),
    ("gradients", "embedding_grad", "torch.autograd.grad(loss, embedding.weight, retain_graph=True)[0]"),
    ("training", "losses", "hand_made_adamw(globals(), updates)"),
    ("training", "adamw: W_query_after", "W_query.weight * (1 - 0.0001) - lr * W_query_grad / (W_query_grad.abs() + 1e-8)"),
    ("embeddings", "input_embeddings", "torch.stack([token_table.weight[i] + position_table.weight[p] for p, i in enumerate(token_ids)])"),
    ("embeddings", "window_targets", "text_ids.unfold(0, window, 1)[1:]"),
    ("block", "block 1: norm1_normalized", "torch.nn.LayerNorm(d_model)(x)"),
    ("block", "gelu_curve", "F.gelu(curve_inputs, approximate='tanh')"),
    ("block", "final", "F.layer_norm(after_feed_forward.double(), (4,))"),
    ("block", "loss", "torch.nn.CrossEntropyLoss()(head(final)[:, :-1].permute(0, 2, 1), ids[:, 1:])"),
    ("sampling", "kept_probabilities", "torch.zeros(9).scatter(0, top_positions, top_logits.softmax(0))"),
    ("sampling", "perplexity", "1 / torch.softmax(logits, 0)[most_likely]"),
    ("grouped_query", "scores", "torch.einsum('bgsqd,bgkd->bgsqk', queries_by_head.unflatten(1, (2, 2)), keys_by_group).flatten(1, 2)"),
    ("grouped_query", "output", "torch.cat([attend(queries_by_head[:, h], keys_by_group[:, h // 2], values_by_group[:, h // 2]) for h in range(4)], -1) @ out_proj.weight.T"),
    ("window", "weights", "torch.softmax(scores / 2**0.5 + torch.zeros(6, 6).masked_fill(torch.ones(6, 6).triu(1).bool() | torch.ones(6, 6).tril(-3).bool(), -torch.inf), -1)"),
    ("window", "context", "torch.stack([torch.softmax(queries[i] @ keys[max(0, i - 2):i + 1].T / 2**0.5, 0) @ values[max(0, i - 2):i + 1] for i in range(6)])"),
]
