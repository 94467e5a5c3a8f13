# Modules of Python's library: those that are there, and what is refused where it is used.
import functools
import inspect
import json
import os.path as path
import sys
import warnings
from functools import lru_cache, partial, reduce, wraps

import torch

warnings.filterwarnings("ignore")
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], 7), partial(int, base=2)("101"))


def logged(function):
    @wraps(function)
    def inner(*args, **kwargs):
        print("calls", function.__name__)
        return function(*args, **kwargs)
    return inner


@logged
def add(a, b=1, *, c=0):
    return a + b + c


print(add(2), add.__name__, add(1, c=3))
add.calls = 3
print(add.calls, hasattr(add, "other"))


@lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


print(fibonacci(60), functools.cache(len)("abc"))
print("fused" in inspect.signature(torch.optim.AdamW).parameters, list(inspect.signature(add.__wrapped__).parameters))
print(callable(sys.exit), callable(json.dumps), callable(path.exists))

counts = {1: 2, 3: 4}
print(counts.keys() - {1}, counts.keys() & {3}, counts.keys() == {3: 0, 1: 0}.keys(), counts.items() - {(1, 2)}, counts.keys() >= {1})
torch.manual_seed(0)
print(torch.randint(5, (2,)), torch.randint(5, size=(2,)), torch.randint(high=5, size=(2,)), torch.randint(low=2, high=5, size=(3,)))
x = torch.arange(24).reshape(shape=(2, 3, 4))
print(x.permute(dims=(2, 0, 1)).shape, x.flip(dims=[1])[0], x.view(size=(6, 4)).shape, x.repeat(repeats=(2, 1, 1)).shape)
print(torch.FloatTensor([[1, 2], [3, 4]]), torch.LongTensor([1, 2]), torch.ones(2).type(torch.LongTensor), torch.BoolTensor([1, 0]))
print(torch.backends.mps.is_available(), torch.baddbmm(torch.ones(1, 2, 2), torch.ones(1, 2, 3), torch.ones(1, 3, 2)))
with torch.inference_mode():
    print((torch.ones(2, requires_grad=True) * 2).requires_grad)
import time

start = time.time()
for i in range(10):
    pass
print(time.time() >= start, isinstance(start, float), time.sleep(0))
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

T = TypeVar("T")


def typed(f: Callable[[int], T], names: Mapping[str, T]) -> T:
    return cast(int, f(1))


print(typed(lambda x: x + 1, {}), TYPE_CHECKING, T)


class Merged(torch.nn.Linear):
    def __init__(self):
        super().__init__(2, 2, bias=False)
        self._register_load_state_dict_pre_hook(self.rename)

    def rename(self, state_dict, prefix, *args):
        if prefix + "w" in state_dict:
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "w")


model = torch.nn.Sequential(Merged())
print(model.load_state_dict({"0.w": torch.ones(2, 2)}), model[0].weight)
