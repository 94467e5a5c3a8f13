# A module of Python that onestep lacks: what a program takes of it is refused where it is used.
class _Refused:
    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        return _Refused(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"onestep does not run {self._name}()")

    def _refuse(self, *args):
        raise NotImplementedError(f"onestep does not have {self._name}")

    __bool__ = __len__ = __iter__ = __getitem__ = __setattr__ = __str__ = __repr__ = _refuse


def __getattr__(name):
    return _Refused(f"{__name__}.{name}")
