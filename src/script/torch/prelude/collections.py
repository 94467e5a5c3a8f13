# collections: what programs use of it; and typing.NamedTuple.
import collections as _collections


class OrderedDict(dict):
    def move_to_end(self, key, last=True):
        items = [(key, self.pop(key))]
        if not last:
            items += list(self.items())
            self.clear()
        self.update(items)

    def __repr__(self):
        return f"OrderedDict({dict(self)})" if self else "OrderedDict()"


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **kwargs):
        super().__init__(*args)
        self.update(kwargs)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = self.default_factory()
        return self[key]

    def __repr__(self):
        return f"defaultdict({self.default_factory}, {dict(self)})"


class Counter(dict):
    def __init__(self, iterable=(), **kwargs):
        self.update(iterable)
        self.update(kwargs)

    def __missing__(self, key):
        return 0

    def update(self, iterable, sign=1):
        for key, count in iterable.items() if isinstance(iterable, dict) else [(key, 1) for key in iterable]:
            self[key] = self[key] + sign * count

    def subtract(self, iterable):
        self.update(iterable, -1)

    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: item[1], reverse=True)[:n]

    def elements(self):
        return iter([key for key, count in self.items() for _ in range(count)])

    def total(self):
        return sum(self.values())

    def __add__(self, other):
        result = Counter(self)
        result.update(other)
        return Counter({key: count for key, count in result.items() if count > 0})

    def __repr__(self):
        return f"Counter({dict(self.most_common())})" if self else "Counter()"


class deque(list):
    def __init__(self, iterable=(), maxlen=None):
        self.maxlen = maxlen
        for item in iterable:
            self.append(item)

    def append(self, item):
        super().append(item)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop(0)

    def appendleft(self, item):
        self.insert(0, item)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop()

    def popleft(self):
        if not self:
            raise IndexError("pop from an empty deque")
        return self.pop(0)

    def extend(self, iterable):
        for item in iterable:
            self.append(item)

    def rotate(self, n=1):
        for _ in range(n % len(self) if self else 0):
            super().insert(0, self.pop())

    def __repr__(self):
        return f"deque({list(self)})" if self.maxlen is None else f"deque({list(self)}, maxlen={self.maxlen})"


class _NamedTuple(tuple):
    def __init__(self, *args, **kwargs):
        kind, names, values = type(self), type(self)._names(), list(args)
        wanted = [name for name in names if name not in kind._field_defaults and name not in kind.__dict__]
        if len(values) > len(names):
            takes = f"from {len(wanted) + 1} to {len(names) + 1}" if len(wanted) < len(names) else str(len(names) + 1)
            raise TypeError(f"{kind.__name__}.__new__() takes {takes} positional arguments but {len(values) + 1} were given")
        for name in kwargs:
            if name not in names[len(values):]:
                raise TypeError(f"{kind.__name__}.__new__() got an unexpected keyword argument '{name}'")
        missing = [f"'{name}'" for name in names[len(values):] if name in wanted and name not in kwargs]
        if missing:
            raise TypeError(f"{kind.__name__}.__new__() missing {len(missing)} required positional argument{'s'[:len(missing) - 1]}: "
                            + " and ".join(missing))
        values += [kwargs[n] if n in kwargs else kind._field_defaults.get(n, kind.__dict__.get(n)) for n in names[len(values):]]
        _collections._hold(self, tuple(values))
        self.__dict__.update(zip(names, values))

    _fields, _field_defaults = None, {}

    @classmethod
    def _names(cls):
        if cls._fields is None:
            cls._fields = tuple(getattr(cls, "__annotations__", {}))
        return cls._fields

    def __setattr__(self, name, value):
        raise AttributeError("can't set attribute")

    def _asdict(self):
        return dict(zip(self._fields, self))

    def _replace(self, **kwargs):
        return type(self)(**{**self._asdict(), **kwargs})

    def __repr__(self):
        return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in zip(self._fields, self)])})"


def namedtuple(typename, field_names, *, rename=False, defaults=(), module=None):
    class made(_NamedTuple):
        pass
    made._fields = tuple(field_names.replace(",", " ").split() if isinstance(field_names, str) else field_names)
    made._field_defaults = dict(zip(made._fields[len(made._fields) - len(defaults):], defaults))
    made.__name__ = made.__qualname__ = typename
    return made
