import os
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
p = np.load(os.path.join(here, "weights.npz"))
X = p["x"]
T, H, G, D = len(X), 4, 2, 2
log = {}

Q = X @ p["wq"].T
K = X @ p["wk"].T
V = X @ p["wv"].T
log.update(Q=Q, K=K, V=V)

Qh = Q.reshape(H, T, D)
Kh = K.reshape(T, G, D).transpose(1, 0, 2)
Vh = V.reshape(T, G, D).transpose(1, 0, 2)
log.update(Qh=Qh, Kh=Kh, Vh=Vh)

Kh = np.repeat(Kh, H // G, axis=0)
Vh = np.repeat(Vh, H // G, axis=0)
S = np.matmul(Qh, Kh.transpose(0, 2, 1)) / np.sqrt(D).astype(np.float32)
log["S"] = S
S = np.where(np.tril(np.ones((T, T))) > 0, S, -np.inf)
E = np.exp(S - S.max(-1, keepdims=True))
P = E / E.sum(-1, keepdims=True)
log["P"] = P
Z = np.matmul(P, Vh)
log["Z"] = Z
Y = Z.transpose(1, 0, 2).reshape(T, H * D) @ p["wo"].T
log["Y"] = Y
np.savez(os.path.splitext(os.path.abspath(__file__))[0] + ".npz", **log)
print(Y)
