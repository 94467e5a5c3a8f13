import os
import numpy as np

me = os.path.abspath(__file__)
W = np.load(os.path.join(os.path.dirname(me), "weights.npz"))
log = {}


def rms_norm(x):
    return x * (1 / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-5)))


def silu(x):
    return x * (1 / (1 + np.exp(-x)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def apply_rotary_emb(xq, cos, sin):
    # xq: [T, H, D], cos and sin: [T, 1, D/2]
    xr, xi = xq[..., 0::2], xq[..., 1::2]
    turned = np.stack([xr * cos - xi * sin, xr * sin + xi * cos], axis=-1)
    return turned.reshape(xq.shape)


x = W["x"]
T = len(x)
freqs = 1.0 / (500000 ** (np.arange(0, 4, 2) / 4))
ang = np.outer(np.arange(T), freqs).astype(np.float32)[:, None, :]
cos, sin = log["cos"], log["sin"] = np.cos(ang), np.sin(ang)

h = log["attn_norm"] = rms_norm(x)
xq = log["xq"] = (h @ W["wq"].T).reshape(T, 4, 4)
xk = log["xk"] = (h @ W["wk"].T).reshape(T, 2, 4)
xv = log["xv"] = (h @ W["wv"].T).reshape(T, 2, 4)
xq = log["xq_rope"] = apply_rotary_emb(xq, cos, sin)
xk = log["xk_rope"] = apply_rotary_emb(xk, cos, sin)
xk, xv = np.repeat(xk, 2, axis=1), np.repeat(xv, 2, axis=1)
xq, xk, xv = (a.transpose(1, 0, 2) for a in (xq, xk, xv))
att = log["att"] = xq @ xk.transpose(0, 2, 1) / np.float32(2)
prob = log["prob"] = softmax(att + np.triu(np.full((T, T), -np.inf, np.float32), 1))
o = log["o"] = (prob @ xv).transpose(1, 0, 2).reshape(T, -1)
x = log["h"] = x + o @ W["wo"].T
f = log["ffn_norm"] = rms_norm(x)
s = log["swish"] = silu(f @ W["wgate"].T)
u = log["x_V"] = f @ W["wup"].T
out = log["out"] = x + (s * u) @ W["wdown"].T
np.savez(me[:-3] + ".npz", **log)
print(out)
