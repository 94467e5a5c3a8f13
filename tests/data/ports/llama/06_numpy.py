import os
import numpy as np

me = os.path.abspath(__file__)
w = dict(np.load(os.path.join(os.path.dirname(me), "weights.npz")))
t, hd = 6, 4
trace = {"wq": w["wq"], "wk": w["wk"], "wv": w["wv"], "wo": w["wo"], "w1": w["wgate"], "w3": w["wup"], "w2": w["wdown"], "x": w["x"]}


def norm(a):
    a = a - a.mean(-1, keepdims=True)
    return a / np.sqrt(np.mean(np.square(a), -1, keepdims=True) + np.float32(1e-5))


def rope(a):
    """a: [heads, t, hd]"""
    lo, hi = a[..., :hd // 2], a[..., hd // 2:]
    angle = (np.arange(t)[:, None] / 500000 ** (np.arange(hd // 2) / (hd // 2))).astype(np.float32)
    c, s = np.cos(angle), np.sin(angle)
    return np.concatenate([lo * c - hi * s, hi * c + lo * s], -1)


x = w["x"]
n1 = trace["n1"] = norm(x)
q = trace["q"] = np.stack([n1 @ w["wq"][hd * i:hd * i + hd].T for i in range(4)])
k = trace["k"] = np.stack([n1 @ w["wk"][hd * i:hd * i + hd].T for i in range(2)])
v = trace["v"] = np.stack([n1 @ w["wv"][hd * i:hd * i + hd].T for i in range(2)])
q, k = trace["qr"], trace["kr"] = rope(q), rope(k)
group = np.array([0, 0, 1, 1])
s = trace["s"] = np.einsum("htd,hsd->hts", q, k[group])
s = np.where(np.arange(t)[:, None] >= np.arange(t), s / np.float32(hd ** 0.5), np.float32(-1e30))
a = np.exp(s - s.max(-1)[..., None])
a = trace["a"] = a / a.sum(-1)[..., None]
c = trace["c"] = np.einsum("hts,hsd->thd", a, v[group]).reshape(t, -1)
h = trace["h"] = x + c @ w["wo"].T
n2 = trace["n2"] = norm(h)
g = n2 @ w["wgate"].T
g = trace["g"] = g / (1 + np.exp(-g))
u = trace["u"] = n2 @ w["wup"].T
trace["gu"] = g * u
trace["y"] = h + trace["gu"] @ w["wdown"].T
np.savez(me[:-3] + ".npz", **trace)
print(trace["y"])
