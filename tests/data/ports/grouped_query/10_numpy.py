import os
import numpy as np

me = os.path.abspath(__file__)
w = np.load(os.path.join(os.path.dirname(me), "weights.npz"))
rec = {}
A = w["x"].astype(np.float64)
Wq = np.ascontiguousarray(w["wq"].T).astype(np.float64)
Wk = np.ascontiguousarray(w["wk"].T).astype(np.float64)
Wv = np.ascontiguousarray(w["wv"].T).astype(np.float64)
Wo = np.ascontiguousarray(w["wo"].T).astype(np.float64)
rec.update(Wq=Wq, Wk=Wk, Wv=Wv, Wo=Wo)
bias = np.triu(np.full((6, 6), -1e9), 1)
columns = []
for g in range(2):
    k = rec[f"k_group{g}"] = A @ Wk[:, 2 * g:2 * g + 2]
    v = rec[f"v_group{g}"] = A @ Wv[:, 2 * g:2 * g + 2]
    for h in (2 * g, 2 * g + 1):
        q = rec[f"q_head{h}"] = A @ Wq[:, 2 * h:2 * h + 2]
        s = rec[f"s_head{h}"] = q @ k.T / np.sqrt(2.0) + bias
        e = np.exp(s - s.max(1)[:, None])
        a = rec[f"a_head{h}"] = e / e.sum(1)[:, None]
        columns.append(a @ v)
both = rec["concat"] = np.hstack(columns)
rec["projected"] = both @ Wo
np.savez(me[:-3] + ".npz", **rec)
print(rec["projected"])
