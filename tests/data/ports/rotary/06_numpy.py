import os
import numpy as np

base_dir = os.path.dirname(os.path.abspath(__file__))
w = np.load(os.path.join(base_dir, "weights.npz"))
x = w["x"]
n, d = 6, 4
queries_in = x.dot(w["wq"].T)
keys_in = x.dot(w["wk"].T)
vals = x.dot(w["wv"].T)
freqs = 1.0 / (10000 ** (np.arange(d // 2) * 2 / d))
pos = np.arange(n)
m = pos[:, None] * freqs[None, :]
C, S = np.cos(m).astype(np.float32), np.sin(m).astype(np.float32)


def spin(y):
    y1, y2 = np.split(y, 2, axis=-1)
    return np.hstack([y1 * C - y2 * S, y2 * C + y1 * S])


turned_q = spin(queries_in)
turned_k = spin(keys_in)
sim = turned_q.dot(turned_k.T)
future = np.triu(np.ones((n, n)), k=0)
sim_masked = sim / np.sqrt(np.float32(d)) - np.float32(1e9) * future.astype(np.float32)
soft = np.exp(sim_masked - sim_masked.max(axis=-1, keepdims=True))
soft = soft / soft.sum(axis=-1, keepdims=True)
ctx = soft.dot(vals)
np.savez(os.path.join(base_dir, "06_numpy.npz"), tokens=x, queries_in=queries_in, keys_in=keys_in, vals=vals, freqs=freqs, C=C, S=S,
         turned_q=turned_q, turned_k=turned_k, sim=sim, soft=soft, ctx=ctx)
print(ctx)
