import os
import numpy as np


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


me = os.path.abspath(__file__)
params = np.load(os.path.join(os.path.dirname(me), "weights.npz"))
wq, wk, wv, wo = (params[k] for k in ("wq", "wk", "wv", "wo"))
x = params["x"][None]                        # (1, 6, 3)
dump = {"x": x, "wq": wq, "wk": wk, "wv": wv, "wo": wo}

q = dump["query"] = np.einsum("btc,hdc->bhtd", x, wq.reshape(4, 2, 3))
k = dump["key"] = np.einsum("btc,hdc->bhtd", x, wk.reshape(2, 2, 3))
v = dump["value"] = np.einsum("btc,hdc->bhtd", x, wv.reshape(2, 2, 3))
k = dump["key_rep"] = k.repeat(2, axis=1)
v = dump["value_rep"] = v.repeat(2, axis=1)
scores = dump["att_scores"] = np.einsum("bhtd,bhsd->bhts", q, k)
mask = np.triu(np.ones((6, 6), dtype=bool), 1)
scores = np.where(mask, np.float32(-1e9), scores * np.float32(0.5 ** 0.5))
att = dump["att_probs"] = softmax(scores)
ctx = dump["att_ctx"] = np.einsum("bhts,bhsd->bthd", att, v).reshape(1, 6, 8)
dump["att_out"] = ctx @ wo
np.savez(me[:-3] + ".npz", **dump)
print(dump["att_out"])
