# Where names are bound.
def f():
    class A:
        nonlocal x
        x = 2
    x = 1
    return x
print(f())


def f():
    x = 1
    class A:
        nonlocal x
        x = 2
    return x
print(f())


def f():
    def g():
        nonlocal x
        x = 5
    x = 1
    g()
    return x
print(f())


def f():
    [x for x in []]
    global x
    x = 3
f(); print(x)


def f():
    lambda: x
    global x
    x = 7
f(); print(x)


def f():
    def g(): return [y for y in range(3) if (z := y)]
    g()
    return g()
print(f())


def f():
    r = [(last := i) for i in range(4)]
    return last, [[(q := j) for j in range(i)] for i in range(3)], q
print(f())


r = [(last := i) for i in range(4)]
print(last)


x = 5
def f():
    global x, y
    x = 6; y = 7
    def g():
        return x + y
    return g()
print(f(), x, y)


def f(n):
    def g():
        nonlocal n
        n -= 1
        return n
    return [g() for _ in range(3)]
print(f(5))


x = 10
class C:
    x = 20
    def f(self): return x
    y = [x for _ in range(2)]
    z = (lambda: x)()
print(C().f(), C.y, C.z)


def f():
    global g
    def g(): return 4
f(); print(g())


def f():
    global E
    class E: v = 3
f(); print(E.v)


def f():
    global math
    import math
f(); print(math.pi)
