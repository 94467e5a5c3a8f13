import os
import numpy as np

me = os.path.abspath(__file__)
P = np.load(os.path.join(os.path.dirname(me), "weights.npz"))
D = {}


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(np.float32(2 / np.pi)) * (x + np.float32(0.044715) * x ** 3)))


def softmax(x):
    exp_x = np.exp(x - np.max(x, axis=-2, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-2, keepdims=True)


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(eps))


def mha(x, i):
    q, k, v = (np.hsplit(x @ P[f"h{i}.{n}"].T, 2) for n in ("wq", "wk", "wv"))
    D[f"h{i}/q"], D[f"h{i}/k"], D[f"h{i}/v"] = np.stack(q), np.stack(k), np.stack(v)
    causal = (1 - np.tri(len(x), dtype=x.dtype)) * np.float32(-1e10)
    scores = np.stack([a @ b.T / np.sqrt(np.float32(2)) + causal for a, b in zip(q, k)])
    attn = D[f"h{i}/attn"] = softmax(scores)
    D[f"h{i}/heads"] = np.hstack([a @ b for a, b in zip(attn, v)])
    return D[f"h{i}/heads"] @ P[f"h{i}.wo"].T + P[f"h{i}.bo"]


x = D["embedding"] = P["wte"][P["ids"]] + P["wpe"][np.arange(6)]
for i in range(2):
    n = D[f"h{i}/ln1"] = layer_norm(x)
    x = D[f"h{i}/mid"] = x + mha(n, i)
    n = D[f"h{i}/ln2"] = layer_norm(x)
    u = D[f"h{i}/fc"] = n @ P[f"h{i}.w1"].T + P[f"h{i}.b1"]
    g = D[f"h{i}/gelu"] = gelu(u)
    x = D[f"h{i}/out"] = x + g @ P[f"h{i}.w2"].T + P[f"h{i}.b2"]
n = D["ln_f"] = layer_norm(x)
D["logits"] = n @ P["head"].T
np.savez(me[:-3] + ".npz", **D)
print(D["logits"])
