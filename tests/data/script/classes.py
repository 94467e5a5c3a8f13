# Orders of classes, what dunders must give, and texts of what holds itself.
import copy
from collections import defaultdict
from dataclasses import dataclass


class A: pass
class B(A): pass
class C(A): pass
class D(B, C): pass
class E(C): pass
class F(D, E): pass


print([c.__name__ for c in F.__mro__], [c.__name__ for c in D.__mro__])


def said(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, error)


def contradiction():
    class X(A, B): pass


def wrong_of(name, result):
    class Wrong:
        pass
    setattr(Wrong, name, lambda self: result)
    return Wrong()


said(contradiction)
said(lambda: len(wrong_of("__len__", -1)))
said(lambda: bool(wrong_of("__len__", -1)))
said(lambda: bool(wrong_of("__bool__", 3)))
said(lambda: {wrong_of("__hash__", "x")})
said(lambda: wrong_of("__init__", 3).__class__())


def without_exit():
    with wrong_of("__enter__", 1):
        pass


said(without_exit)


class Other:
    def f(self):
        return "other"


a = A()
a.__class__ = Other
print(a.f())
said(lambda: setattr(a, "__class__", 3))
x = []
x.append(x)
y = {"x": x}
y["y"] = y
t = (1, [])
t[1].append(t)
print(x, y, t, str(x), f"{y}")


@dataclass
class Node:
    next: object = None


n = Node()
n.next = n
print(n, [n])
d = defaultdict(list)
d[1].append(d[1])
print(dict(d))
z = copy.deepcopy(t)
print(z[1][0] is z, z is not t, len.__name__)
