"""All of the language that onestep reads, once."""
from __future__ import annotations
import math, torch.nn as nn
from torch import (
    float32 as f32,
    int64,
)
from .. import above
from .beside import *

a = b = 1_000; c = 0x1F + 0o17 + 0b101 - 18446744073709551615
d = .5 + 1. + 1e-3 + 1_0.0_1E+2
e = 'a' "b" r'\n\'' '''two
lines''' "\x41\u00e9\U0001F600\101\0\
joined\q"
f = b'\xff\'' rb"\x" b''
g = f"{a}{b!r:>{c}}{d:{e}.{f}}{{}}" 'plain {' f'''{a
+ 1 = }{a=!s}{a=:3}''' rf"\d{a}"
h = f"{'nested' + f"{a['key']}"}" f'' f'{(lambda x: 1)}{a:{{}}}' if a else f'{a!a}'
i = (), (1,), (1, 2,), 1, [], [1, *a], {1, *a}, {}, {'k': 1, **a, **{}}
j, *k = *a, b
[l, (m, n)], o.p, q[0] = r
s = t[1:2], t[::2, ..., None], t[:], t[1:], t[a:=1], t[*a, 1], t[1,], t[-1:][0]
u = -a ** -b ** c, not a in b, not not a, +~a, a - b - c, a * (b + c) @ d // e % f
v = a < b <= c != d == e > f >= g is h is not i in j not in k
w = a or b and c or not d, a | b ^ c & d << e >> f
x = a if b else c if d else lambda: e
y = lambda p, /, q, *r, s=1, t, **u: (p, q)
z = [i for i in a if b if c for j, in d], {i for i, *j in a}, {i: j for i, j in a}, (i for i in a)
F(*a, b, c=1, *d, **e, f=2)(g for g in h)[i].j(k := 1, )
a += 1; b -= 1; c *= 1; d /= 1; e //= 1; f %= 1; g **= 1; h @= 1
a &= 1; b |= 1; c ^= 1; d <<= 1; e >>= *a, b
A: int
B: list[int] = 1, 2
C.d: "str" = 3
(D): int = 4
match = type = _ = 1; match(a, b); match[0]; type(a); print


@decorator
@other.one(1)
def function(a, b: int = 1, /, c=2, *args: tuple, d: str, e=3, **kwargs: dict) -> None:
    """Words."""
    global G, H

    def inner(*, a): nonlocal b; return
    return a, *b
	# a comment with a tab


class Empty: pass
class Model(nn.Module, metaclass=Meta, *bases):
    x: int = 1

    @property
    def y(self): return self.x

if a: pass
elif b:
    pass
elif c: pass
else:
    pass
if a:
    pass
else:
    if b: pass
for i, in a: break
else: pass
for x, *y in *a, b:
    continue
while (n := next(a)) and n: pass
else:
    pass
try:
    pass
except: pass
try: pass
except (A, B) as error:
    raise
except C:
    raise ValueError("x") from error
else: pass
finally: pass
with a: pass
with a as b, c() as (d, e): pass
with (a as b, c,): pass
with (a, b): pass
with (a): pass
with (a) as b, (c).d as e[0]: pass
with (yes if a else b) as c, d: pass
assert a, "b"
del a, b[0], (c.d, [e])
raise
x = a \
    + b; y = (a  # comment
    
    + b)
if a: b; c;
größe = 'ß' + größe.länge
print(größe, ünïcode := 1)
def f():
    yield
    yield 1, 2; yield from (a)
    if a: yield (b)
