# Functions that yield: in loops, branches, `with` and `try`; from others; read by half; endless.
import torch


def count(start, stop=None):
    n = start
    while stop is None or n < stop:
        if n % 2:
            yield n
        elif n % 3 == 0:
            yield -n
        else:
            print("passes", n)
        n += 1
    print("done")


print(list(count(0, 8)), sum(count(1, 4)))
numbers = count(10)
print(next(numbers), next(numbers), numbers is iter(numbers), type(numbers).__name__)
for i, n in enumerate(count(100)):
    if i == 2:
        break


class Opened:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, kind, value, traceback):
        print("exit", kind)


def several(limit):
    with Opened() as a, Opened():
        for i in range(limit):
            for j in "ab":
                try:
                    yield i, j
                    print("behind", i, j)
                    if (i, j) == (1, "b"):
                        raise ValueError("at the end")
                except ValueError as error:
                    print(error)
                    return
                finally:
                    print("finally", i, j)


print([pair for pair in several(3)])
half = several(2)
print(next(half), next(half), list(half))


def tree(depth):
    if depth > 0:
        yield from tree(depth - 1)
        yield depth
        yield from [depth * 10, depth * 100]
        yield from tree(depth - 1)


print(list(tree(3)))


def batches(data, size):
    """Random batches."""
    order = torch.randperm(len(data))
    for i in range(0, len(data), size):
        with torch.no_grad():
            yield data[order[i:i + size]] * 2


torch.manual_seed(0)
for batch in batches(torch.arange(10.0, requires_grad=True), 4):
    print(batch, batch.requires_grad)


def empty():
    return
    yield


def nothing():
    yield


def failing():
    yield 1
    raise KeyError("x")


print(list(empty()), list(nothing()), next(empty(), "none"))
g = failing()
print(next(g))
try:
    next(g)
except KeyError as error:
    print("KeyError", error)
print(list(g))
try:
    next(g)
except StopIteration:
    print("StopIteration")


def own():
    yield next(me)


me = own()
try:
    next(me)
except ValueError as error:
    print(error)


class Data:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        for row in self.rows:
            yield row + 1

    @property
    def pairs(self):
        yield from zip(self.rows, self)


print(list(Data([1, 2])), list(Data([3, 4]).pairs), max(Data([7, 9, 8])), *Data([1]), dict(Data([(1,)]).pairs) if False else {})
a, *b = Data([1, 2, 3])
print(a, b, sorted(count(1, 6), reverse=True), [*zip(count(0), "xyz")], any(n > 4 for n in count(1)))


def primes(limit):
    def sieve(numbers):
        head = next(numbers, None)
        if head is not None:
            yield head
            yield from sieve(n for n in numbers if n % head)
    yield from sieve(iter(range(2, limit)))


print(list(primes(60)))


def guarded():
    try:
        with torch.no_grad():
            with Opened():
                for i in range(5):
                    try:
                        yield i
                    except Exception:
                        print("not caught")
    finally:
        print("closed", torch.is_grad_enabled())


for i in guarded():
    if i == 1:
        break
print(torch.is_grad_enabled())
try:
    for i in guarded():
        raise KeyError(i)
except KeyError as error:
    print("KeyError", error, torch.is_grad_enabled())


def first():
    for i in guarded():
        return i


print(first(), torch.is_grad_enabled())


def outer():
    yield from guarded()


for i in outer():
    break
kept = guarded()
for i in kept:
    break
print("kept", torch.is_grad_enabled(), next(kept), kept.close(), list(kept), torch.is_grad_enabled())
fresh = guarded()
print(fresh.close(), list(fresh))


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        print("asked to end")


for i in stubborn():
    break
for i in (n for n in range(5)):
    break
