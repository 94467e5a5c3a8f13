# typing: names for annotations, which nothing reads.
class _Name:
    def __init__(self, text):
        self.text = text

    def __getitem__(self, of):
        parts = of if isinstance(of, tuple) else (of,)
        texts = ["NoneType" if part is None else getattr(part, "__name__", None) or repr(part) for part in parts]
        return _Name(f"{self.text}[{', '.join([str(text) for text in texts])}]")

    def __or__(self, other):
        return self

    def __eq__(self, other):
        return isinstance(other, _Name) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        return self.text


Any, Optional, Union, Callable = _Name("typing.Any"), _Name("typing.Optional"), _Name("typing.Union"), _Name("typing.Callable")
List, Tuple, Dict, Set, Type = (_Name("typing.List"), _Name("typing.Tuple"), _Name("typing.Dict"), _Name("typing.Set"), _Name("typing.Type"))
Iterable, Iterator, Sequence = _Name("typing.Iterable"), _Name("typing.Iterator"), _Name("typing.Sequence")
Literal, Final, ClassVar = _Name("typing.Literal"), _Name("typing.Final"), _Name("typing.ClassVar")
