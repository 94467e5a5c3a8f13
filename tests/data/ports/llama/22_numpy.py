import os
import numpy as np

W = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.npz"))
log = {}


def note(name, a):
    log[name] = a
    return a


x, T, H, G, d = W["x"], 6, 4, 2, 4


def rms(a):
    return a / np.sqrt(np.sum(a * a, axis=-1, keepdims=True) + np.float32(1e-5))


def rope(a):
    f = np.float32(500000) ** (-np.arange(0, d, 2, dtype=np.float32) / d)
    m = np.arange(T, dtype=np.float32)[:, None] * f
    c, s = np.tile(np.cos(m), 2), np.tile(np.sin(m), 2)
    return a * c + np.concatenate([-a[..., 2:], a[..., :2]], -1) * s


n = note("attn_norm", rms(x))
q = note("q_rope", rope(note("q", (n @ W["wq"].T).reshape(T, H, d).swapaxes(0, 1))))
k = note("k_rope", rope(note("k", (n @ W["wk"].T).reshape(T, G, d).swapaxes(0, 1))))
v = note("v", (n @ W["wv"].T).reshape(T, G, d).swapaxes(0, 1))
k, v = np.repeat(k, H // G, axis=0), np.repeat(v, H // G, axis=0)
s = q @ k.swapaxes(1, 2) / np.float32(d ** 0.5)
s = note("scores", np.where(np.tri(T, dtype=bool), s, np.float32(-1e30)))
e = np.exp(s - s.max(-1, keepdims=True))
w = note("weights", e / e.sum(-1, keepdims=True))
o = note("o", (w @ v).swapaxes(0, 1).reshape(T, H * d) @ W["wo"].T)
h = note("h", x + o)
n = note("ffn_norm", h / np.sqrt((h * h).mean(-1, keepdims=True) + np.float32(1e-5)))
g = n @ W["wgate"].T
g = note("silu", g / (1 + np.exp(-g)))
note("y", h + (g * (n @ W["wup"].T)) @ W["wdown"].T)

np.savez(os.path.abspath(__file__)[:-3] + ".npz", **log)
print(log[list(log)[-1]])
