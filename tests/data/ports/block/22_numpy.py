import os
import numpy as np

W = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.npz"))
log = {}


def note(name, a):
    log[name] = a
    return a



def layernorm(a, eps=1e-5):
    mu = a.mean(-1, keepdims=True)
    return ((a - mu) / np.sqrt(a.var(-1, keepdims=True) + np.float32(eps))).astype(np.float32)


def gelu(a):
    return np.float32(0.5) * a * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (a + np.float32(0.044715) * a ** 3)))


def softmax(a):
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


T, C, H = 6, 4, 2
x = note("emb", W["wte"][W["ids"]] + W["wpe"][:T])
causal = np.where(np.tri(T, dtype=bool), 0, -np.inf).astype(np.float32)
for l in range(2):
    p = f"layer{l}."
    w = {n[3:]: W[n] for n in W.files if n.startswith(f"h{l}.")}
    n = note(p + "ln1", layernorm(x))
    q, k, v = (note(p + m, (n @ w["w" + m].T).reshape(T, H, C // H).swapaxes(0, 1)) for m in "qkv")
    a = note(p + "logits", q @ k.swapaxes(1, 2) / np.float32((C // H) ** 0.5) + causal)
    a = note(p + "probs", softmax(a))
    y = note(p + "mix", (a @ v).swapaxes(0, 1).reshape(T, C))
    x = note(p + "res1", x + y @ w["wo"].T + w["bo"])
    x = note(p + "ln2", layernorm(x))
    f = note(p + "act", gelu(note(p + "fc", x @ w["w1"].T + w["b1"])))
    x = note(p + "res2", x + f @ w["w2"].T + w["b2"])
note("final", layernorm(x))
note("lm_logits", log["final"] @ W["head"].T)

np.savez(os.path.abspath(__file__)[:-3] + ".npz", **log)
print(log[list(log)[-1]])
