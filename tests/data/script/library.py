import collections
import copy
import dataclasses
import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field, replace
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from typing import Dict, List, NamedTuple, Optional, Tuple, Union


def tried(label, function):
    try:
        print(label, function())
    except Exception as error:
        print(label, type(error).__name__, error)


# classes below built-in ones
class Names(dict):
    def first(self):
        return next(iter(self))


class Stack(list):
    def __init__(self, *items):
        super().__init__(items)
        self.pushed = 0

    def push(self, item):
        self.append(item)
        self.pushed += 1


names = Names(a=1, b=2)
names["c"] = 3
print(names, names.first(), len(names), "b" in names, isinstance(names, dict), dict(names), list(names.items()), {**names})
stack = Stack(1, 2)
stack.push(3)
print(stack, stack[-1], stack[1:], stack.pushed, len(stack), sorted(stack, reverse=True), stack == [1, 2, 3], [*stack], bool(Stack()))


class Wrong(ValueError):
    def __init__(self, code, text):
        super().__init__(f"{text} ({code})")
        self.code = code


class Loud(Exception):
    def __str__(self):
        return "loud!"


tried("own exception", lambda: (_ for _ in ()).throw(Wrong(1, "x")) if False else str(Wrong(7, "broken")))
try:
    raise Wrong(3, "broken")
except ValueError as error:
    print(error, error.args, error.code)
print(str(Loud(1)), repr(Loud(1)), [Loud("a")])

# collections
letters = Counter("mississippi")
print(letters, letters.most_common(2), letters["z"], sum(letters.values()), Counter(a=1) + Counter(a=2, b=1))
letters.update("ss")
letters.subtract("m")
print(letters["s"], letters["m"], sorted(letters.elements())[:3])
groups = defaultdict(list)
for word in "to be or not to be".split():
    groups[len(word)].append(word)
print(dict(groups), groups.get(9), 9 in groups, sorted(groups))
counts = defaultdict(int, a=1)
counts["b"] += 2
print(counts["a"], counts["b"], dict(counts))
queue = deque([1, 2, 3], maxlen=3)
queue.append(4)
queue.appendleft(0)
print(queue, queue.popleft(), list(queue), len(queue))
order = OrderedDict([("b", 1), ("a", 2)])
order.move_to_end("b")
print(list(order), order == {"a": 2, "b": 1}, order)
Point = namedtuple("Point", "x y", defaults=[5])
point = Point(1)
x, y = point
print(point, point.x, point[1], x + y, point == (1, 5), point._replace(y=7), point._asdict(), Point._fields, len(point), isinstance(point, tuple))
tried("namedtuple", lambda: Point(1, 2, 3))
tried("namedtuple", lambda: Point(z=1))
tried("namedtuple", lambda: setattr(point, "x", 2))


class Result(NamedTuple):
    output: int
    weights: Optional[int] = None


print(Result(1), Result(1, 2).weights, Result._fields, Result(1, 2) == (1, 2), {Result(1): "a"}[Result(1)])


# dataclasses
@dataclass
class Config:
    width: int
    heads: int = 2
    sizes: List[int] = field(default_factory=list)
    name: Optional[str] = None

    @property
    def head(self):
        return self.width // self.heads


config = Config(8, name="small")
config.sizes.append(3)
print(config, config.head, Config(1), Config(1) == Config(1), asdict(config), replace(config, heads=4).head, dataclasses.is_dataclass(config))
print([f.name for f in dataclasses.fields(config)], dataclasses.astuple(config), Config.__annotations__["width"])
for arguments in ((), (1, 2, 3, 4, 5)):
    tried("dataclass", lambda: Config(*arguments))
tried("dataclass", lambda: Config(1, depth=2))
tried("dataclass", lambda: Config(1, width=2))


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0


@dataclass
class Wide(Config):
    depth: int = 6

    def __post_init__(self):
        self.total = self.width * self.depth


print(Version(1) < Version(1, 2), len({Version(1), Version(1)}), Wide(3), Wide(3).total)
tried("frozen", lambda: setattr(Version(1), "major", 2))


def either(x: int | None, y: Union[int, str] = 1) -> Dict[str, int]:
    return {"x": x, "y": y}


print(either(1), Optional[int], Tuple[int, str], Union[int, str], List[Optional[int]], int | None, Optional[int] == Union[int, None])


# torch.utils.data
class Windows(Dataset):
    def __init__(self, ids, length):
        self.ids, self.length = ids, length

    def __len__(self):
        return len(self.ids) - self.length

    def __getitem__(self, i):
        return torch.tensor(self.ids[i:i + self.length]), torch.tensor(self.ids[i + 1:i + self.length + 1])


torch.manual_seed(123)
loader = DataLoader(Windows(list(range(20)), 4), batch_size=5, shuffle=True, drop_last=True)
print(len(loader), [(x[:, 0].tolist(), y[:, -1].tolist()) for x, y in loader])
print([x[:, 0].tolist() for x, y in loader], torch.rand(2))
torch.manual_seed(1)
generator = torch.Generator().manual_seed(5)
pairs = TensorDataset(torch.arange(7.0), torch.arange(7) * 10)
given = DataLoader(pairs, batch_size=3, shuffle=True, generator=generator)
print([[part.tolist() for part in batch] for batch in given], [batch[0].tolist() for batch in given])
first, second = random_split(pairs, [4, 3], generator=torch.Generator().manual_seed(2))
print([item[1].item() for item in first], [item[1].item() for item in second], pairs[1:3])
print([batch for batch in DataLoader([{"a": 1, "b": 2.0}, {"a": 3, "b": 4.0}], batch_size=2)], next(iter(DataLoader("abcd", batch_size=3))))
tried("uneven", lambda: list(DataLoader([torch.ones(2), torch.ones(3)], batch_size=2)))

# names of torch
torch.manual_seed(3)
conv = nn.Conv2d(2, 3, kernel_size=2, stride=2, padding=1, bias=False)
print(conv, nn.Conv1d(1, 2, 3), conv(torch.ones(1, 2, 4, 4)).shape, nn.Conv1d(1, 2, 3)(torch.ones(4, 1, 7)).shape)
print(F.conv2d(torch.arange(9.0).view(1, 1, 3, 3), torch.ones(1, 1, 2, 2)), F.conv1d(torch.arange(5.0).view(1, 1, 5), torch.ones(1, 1, 2)))
tried("conv", lambda: conv(torch.ones(1, 3, 4, 4)))
print(torch.finfo(torch.float32), torch.finfo(torch.float16).max, torch.finfo(torch.bfloat16).eps, torch.iinfo(torch.int64), torch.iinfo(torch.int8).min)
print(torch.special.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 3.0])), torch.erfinv(torch.tensor([0.0, 0.5, -0.9, 1.0, 2.0])))
x = torch.arange(6).view(2, 3)
print(x.new_tensor([1.5, 2]), x.new_full((2,), 3), x.float().masked_scatter(x > 2, torch.arange(10.0)), x.clone().index_fill_(1, torch.tensor([0]), 9))
print(torch.empty(3).bernoulli_(1.0), x.clone().index_put_((torch.tensor([0]),), torch.tensor(4)), torch.eye(3).fill_diagonal_(2)[1])
tried("classes", lambda: F.cross_entropy(torch.zeros(2, 3, 5), torch.zeros(2, 3, dtype=torch.long)))
tried("name", lambda: nn.Linear(1, 1).weigth)
print(list(bytes([104, 105])), bytes([104, 105]).decode(), bytes([1, 200]))
print(copy.copy(config).sizes is config.sizes, copy.deepcopy(config).sizes is config.sizes)

# containers of modules
m = nn.ModuleList([nn.Linear(1,2), nn.ReLU(), nn.Linear(2,1)])
print(m, len(m), m[1:], m[-1], [type(x).__name__ for x in m])
m[1] = nn.Tanh(); print(m[1]); m.append(nn.ReLU()); print(len(m))
s = nn.Sequential(*m); print(s, s[0:2], len(s)); s.append(nn.Tanh()); s[0] = nn.Identity(); print(s[0], len(s))
try: s[9]
except IndexError as e: print(e)
for x in s: print(type(x).__name__)
d = nn.ModuleDict({"a": nn.ReLU()}); d["b"] = nn.Tanh(); print(d, list(d), len(d), "a" in d)
p = nn.ParameterList([torch.ones(2), torch.zeros(1)]); print(p, len(p), p[1])

# tensors in a list are numbers
for make in [lambda: [torch.ones(3)] * 2, lambda: [(torch.ones(2, 1), torch.ones(2, 2))] * 2, lambda: [1.0, torch.ones(2)], lambda: [torch.ones(1, 1), 2], lambda: [[1.0, 2.0], torch.ones(1)]]:
    tried("in a list", lambda: torch.tensor(make()))
