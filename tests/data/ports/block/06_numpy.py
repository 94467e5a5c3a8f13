import os
import numpy as np

this = os.path.abspath(__file__)
par = dict(np.load(os.path.join(os.path.dirname(this), "weights.npz")))
saved = {}


def save(name, a):
    saved[name] = a
    return a


def normalize(a):
    centered = a - a.mean(axis=-1, keepdims=True)
    variance = (centered ** 2).mean(axis=-1, keepdims=True)
    return centered / (np.sqrt(variance) + np.float32(1e-5))


def heads(a):
    return a.reshape(6, 2, 2).swapaxes(0, 1)


def attend(a, pre):
    q = save(pre + "q", heads(a @ par[pre + "wq"].T))
    k = save(pre + "k", heads(a @ par[pre + "wk"].T))
    v = save(pre + "v", heads(a @ par[pre + "wv"].T))
    s = save(pre + "s", q @ k.swapaxes(1, 2))
    s = s / np.float32(2 ** 0.5)
    s[:, np.triu_indices(6, 1)[0], np.triu_indices(6, 1)[1]] = -np.inf
    e = np.exp(s)
    p = save(pre + "p", e / e.sum(axis=-1, keepdims=True))
    z = save(pre + "z", (p @ v).swapaxes(0, 1).reshape(6, 4))
    return save(pre + "o", z @ par[pre + "wo"].T + par[pre + "bo"])


def feed(a, pre):
    u = save(pre + "u", a @ par[pre + "w1"].T + par[pre + "b1"])
    g = save(pre + "g", u / 2 * (1 + np.tanh(np.float32(0.7978845608) * (u + np.float32(0.044715) * u * u * u))))
    return save(pre + "d", g @ par[pre + "w2"].T + par[pre + "b2"])


x = save("x", par["wte"][par["ids"]] + par["wpe"])
for pre in ("h0.", "h1."):
    x = save(pre + "x1", x + attend(save(pre + "n1", normalize(x)), pre))
    x = save(pre + "x2", x + feed(save(pre + "n2", normalize(x)), pre))
y = save("y", normalize(x) @ par["head"].T)
np.savez(this[:-3] + ".npz", **saved)
print(y)
