# dataclasses.
class _Missing:
    def __repr__(self):
        return "<dataclasses._MISSING_TYPE object>"


MISSING = _Missing()


class FrozenInstanceError(AttributeError):
    pass


class Field:
    def __init__(self, default=MISSING, default_factory=MISSING, init=True, repr=True, compare=True):
        self.default, self.default_factory, self.init, self.repr, self.compare = default, default_factory, init, repr, compare


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=False):
    return Field(default, default_factory, init, repr, compare)


def _fields_of(cls):
    found = {}
    for base in reversed(cls.__mro__):
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    for name, kind in cls.__dict__.get("__annotations__", {}).items():
        given = cls.__dict__.get(name, MISSING)
        if isinstance(given, (list, dict, set)):
            raise ValueError(f"mutable default {type(given)} for field {name} is not allowed: use default_factory")
        found[name] = given if isinstance(given, Field) else Field(given)
        found[name].name, found[name].type = name, kind
        if found[name].default is not MISSING:
            setattr(cls, name, found[name].default)
    return found


def _initialize(self, *args, **kwargs):
    cls = type(self)
    wanted = [f for f in cls.__dataclass_fields__.values() if f.init]
    if len(args) > len(wanted):
        least = len([f for f in wanted if f.default is MISSING and f.default_factory is MISSING]) + 1
        takes = f"from {least} to {len(wanted) + 1}" if least <= len(wanted) else str(least)
        raise TypeError(f"{cls.__name__}.__init__() takes {takes} positional arguments but {len(args) + 1} were given")
    given = dict(zip([f.name for f in wanted], args))
    for name in kwargs:
        if name not in [f.name for f in wanted]:
            raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument '{name}'")
    given.update(kwargs)
    missing = [f"'{f.name}'" for f in wanted if f.name not in given and f.default is MISSING and f.default_factory is MISSING]
    if missing:
        names = missing[0] if len(missing) == 1 else " and ".join([", ".join(missing[:-1]) + ("," if len(missing) > 2 else ""), missing[-1]])
        raise TypeError(f"{cls.__name__}.__init__() missing {len(missing)} required positional argument{'s'[:len(missing) - 1]}: {names}")
    for f in cls.__dataclass_fields__.values():
        if f.name in given or f.default_factory is not MISSING or f.default is not MISSING:
            self.__dict__[f.name] = given[f.name] if f.name in given else f.default if f.default is not MISSING else f.default_factory()
    if hasattr(self, "__post_init__"):
        self.__post_init__()


_shown = []  # whose texts are being written


def _text(self):
    if id(self) in _shown:
        return "..."
    _shown.append(id(self))
    try:
        return f"{type(self).__name__}({', '.join([f'{f.name}={getattr(self, f.name)!r}' for f in fields(self) if f.repr])})"
    finally:
        _shown.pop()


def _compared(self):
    return tuple([getattr(self, f.name) for f in fields(self) if f.compare])


def _is_equal(self, other):
    return type(self) is type(other) and _compared(self) == _compared(other)


def _refuse_to_set(self, name, value):
    raise FrozenInstanceError(f"cannot assign to field '{name}'")


def dataclass(cls=None, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, kw_only=False, slots=False):
    def build(cls):
        cls.__dataclass_fields__ = _fields_of(cls)
        methods = {"__init__": _initialize if init else None, "__repr__": _text if repr else None, "__eq__": _is_equal if eq else None,
                   "__setattr__": _refuse_to_set if frozen else None, "__hash__": (lambda self: hash(_compared(self))) if frozen else None,
                   "__lt__": (lambda self, other: _compared(self) < _compared(other)) if order else None}
        for name, method in methods.items():
            if method is not None and name not in cls.__dict__:
                setattr(cls, name, method)
        return cls
    return build if cls is None else build(cls)


def fields(of):
    return tuple(of.__dataclass_fields__.values())


def is_dataclass(of):
    return hasattr(of, "__dataclass_fields__")


def _plain(value):
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item) for item in value])
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def asdict(of):
    return {f.name: _plain(getattr(of, f.name)) for f in fields(of)}


def astuple(of):
    return tuple([_plain(getattr(of, f.name)) for f in fields(of)])


def replace(of, **changes):
    return type(of)(**{**{f.name: getattr(of, f.name) for f in fields(of) if f.init}, **changes})
