import os
import numpy as np

me = os.path.abspath(__file__)
w = {k: (v if k == "ids" else v.astype(np.float64)) for k, v in np.load(os.path.join(os.path.dirname(me), "weights.npz")).items()}
T = {k: v.T.copy() for k, v in w.items() if v.ndim == 2 and k not in ("wte", "wpe")}      # row vectors: x @ W
names, tensors = [], []


def note(name, value):
    names.append(name)
    tensors.append(value)
    return value


def ln(x, tag):
    mu = note(tag + "_mu", x.mean(-1))
    var = note(tag + "_var", x.var(-1))
    return note(tag, (x - mu[:, None]) * (var[:, None] + 1e-5) ** -0.5)


x = note("tok", w["wte"][w["ids"]])
x = note("sum", x + w["wpe"])
hide = -1e9 * np.triu(np.ones((6, 6)), 1)
for b in range(2):
    y = ln(x, f"ln_a{b}")
    heads = []
    for h in range(2):
        cols = slice(2 * h, 2 * h + 2)
        q, k, v = (note(f"{n}{b}{h}", y @ T[f"h{b}.w{n}"][:, cols]) for n in "qkv")
        s = note(f"s{b}{h}", q @ k.T)
        e = np.exp(s / 2 ** 0.5 + hide)
        p = note(f"p{b}{h}", e / e.sum(-1, keepdims=True))
        heads.append(p @ v)
    a = note(f"attn{b}", np.concatenate(heads, -1) @ T[f"h{b}.wo"] + w[f"h{b}.bo"])
    x = note(f"res_a{b}", x + a)
    y = ln(x, f"ln_b{b}")
    u = note(f"up{b}", y @ T[f"h{b}.w1"] + w[f"h{b}.b1"])
    g = note(f"act{b}", 0.5 * u * (1 + np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u ** 3))))
    f = note(f"down{b}", g @ T[f"h{b}.w2"] + w[f"h{b}.b2"])
    x = note(f"res_b{b}", x + f)
out = note("lm", ln(x, "ln_z") @ T["head"])
np.savez(me[:-3] + ".npz", **dict(zip(names, tensors)))
print(out)
