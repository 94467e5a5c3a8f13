import os
import numpy as np

me = os.path.abspath(__file__)
W = np.load(os.path.join(os.path.dirname(me), "weights.npz"))
x, T, d = W["x"], 6, 4
keep = {}


def rotate_half(u):
    return np.concatenate([-u[:, d // 2:], u[:, :d // 2]], axis=1)


q = keep["q"] = x @ W["wq"].T
k = keep["k"] = x @ W["wk"].T
v = keep["v"] = x @ W["wv"].T
inv_freq = keep["inv_freq"] = (10000.0 ** (-np.arange(0, d, 2) / d)).astype(np.float32)
freqs = np.outer(np.arange(T, dtype=np.float32), inv_freq)
emb = keep["emb"] = np.repeat(freqs, 2, axis=1)
cos, sin = keep["cos"], keep["sin"] = np.cos(emb), np.sin(emb)
q_rot = keep["q_rot"] = q * cos + rotate_half(q) * sin
k_rot = keep["k_rot"] = k * cos + rotate_half(k) * sin
att = keep["att"] = q_rot @ k_rot.T
att = np.where(np.tril(np.ones((T, T), bool)), att / np.sqrt(np.float32(d)), -np.inf)
w = np.exp(att - att.max(1, keepdims=True))
w = keep["w"] = w / w.sum(1, keepdims=True)
out = keep["out"] = w @ v
np.savez(me[:-3] + ".npz", **keep)
print(out)
