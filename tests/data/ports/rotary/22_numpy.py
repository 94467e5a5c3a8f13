import os
import numpy as np

W = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.npz"))
log = {}


def note(name, a):
    log[name] = a
    return a


x, n, d = W["x"], 6, 4
q = note("query", x @ W["wq"].T)
k = note("key", x @ W["wk"].T)
v = note("value", x @ W["wv"].T)
freq = np.float32(1) / np.float32(10000) ** (np.arange(0, d, 2, dtype=np.float32) / d)
angle = note("angle", np.arange(n, dtype=np.float32)[:, None] * freq)
cos, sin = note("cos", np.cos(angle)), note("sin", np.sin(angle))


def rope(a, c, s):
    a1, a2 = np.split(a, 2, axis=-1)
    return np.concatenate([a1 * c - a2 * s, a2 * c + a1 * s], axis=-1)


q = note("query_rot", rope(q, cos, sin))
k = note("key_rot", rope(k, cos, -sin))
dots = note("dots", q @ k.T / np.float32(2))
dots[np.triu_indices(n, 1)] = -np.inf
w = np.exp(dots)
w = note("weights", w / w.sum(-1, keepdims=True))
note("context", w @ v)

np.savez(os.path.abspath(__file__)[:-3] + ".npz", **log)
print(log[list(log)[-1]])
