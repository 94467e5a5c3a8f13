# typing: names for annotations, which nothing but NamedTuple and dataclasses reads.
from collections import _NamedTuple as NamedTuple


class _Name:
    def __init__(self, text, parts=()):
        self.text, self.parts = text, parts

    def __getitem__(self, of):
        parts = of if isinstance(of, tuple) else (of,)
        if self.text == "typing.Optional":
            parts = parts + (type(None),)
        is_union = self.text in ("typing.Optional", "typing.Union")
        return _Name("typing.Union" if is_union else self.text, tuple([type(None) if part is None else part for part in parts]))

    def __or__(self, other):
        return _either(self, other)

    def __ror__(self, other):
        return _either(other, self)

    def __call__(self, *args):
        raise TypeError(f"Type {self.text} cannot be instantiated")

    def __eq__(self, other):
        return isinstance(other, _Name) and self.text == other.text and self.parts == other.parts

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        if not self.parts:
            return self.text
        texts = ["None" if part is type(None) else repr(part) if isinstance(part, (_Name, list)) else
                 part.__name__ if getattr(part, "__module__", "builtins") == "builtins" and hasattr(part, "__name__") else
                 repr(part) if not hasattr(part, "__name__") else f"{part.__module__}.{part.__name__}" for part in self.parts]
        if self.text == "|":
            return " | ".join(texts)
        if self.text == "typing.Union" and len(texts) == 2 and texts[1] == "None":
            return f"typing.Optional[{texts[0]}]"
        return f"{self.text}[{', '.join(texts)}]"


def _either(a, b):
    parts = a.parts if isinstance(a, _Name) and a.text == "|" else (a,)
    return _Name("|", parts + (type(None) if b is None else b,))


Any, Optional, Union, Callable = _Name("typing.Any"), _Name("typing.Optional"), _Name("typing.Union"), _Name("typing.Callable")
List, Tuple, Dict, Set, Type = (_Name("typing.List"), _Name("typing.Tuple"), _Name("typing.Dict"), _Name("typing.Set"), _Name("typing.Type"))
Iterable, Iterator, Sequence, Mapping, Generator, Self = [_Name("typing." + _name) for _name in (
    "Iterable", "Iterator", "Sequence", "Mapping", "Generator", "Self")]
Literal, Final, ClassVar = _Name("typing.Literal"), _Name("typing.Final"), _Name("typing.ClassVar")
TYPE_CHECKING = False


def TypeVar(name, *constraints, bound=None):
    return _Name("~" + name)


def cast(typ, val):
    return val
