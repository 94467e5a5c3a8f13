# Names of torch that are Python.
import torch
from torch._complex import complex, complex64, is_complex, polar, view_as_complex, view_as_real
from torch._tensor import diag as _diag  # all names of it


class _GradMode:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        self.before = torch._set_grad_enabled(self.mode)

    def __exit__(self, kind, value, traceback):
        torch._set_grad_enabled(self.before)

    def __call__(self, function):
        def in_mode(*args, **kwargs):
            with _GradMode(self.mode):
                return function(*args, **kwargs)
        return in_mode


def no_grad(function=None):
    mode = _GradMode(False)
    return mode if function is None else mode(function)


def enable_grad(function=None):
    mode = _GradMode(True)
    return mode if function is None else mode(function)


def inference_mode(mode=True):
    return _GradMode(not mode) if mode is True or mode is False else _GradMode(False)(mode)


def set_grad_enabled(mode):
    result = _GradMode(mode)
    result.before = torch._set_grad_enabled(mode)
    return result


def get_default_dtype():
    return torch.float32


def promote_types(type1, type2):
    return (torch.zeros(1, dtype=type1) + torch.zeros(1, dtype=type2)).dtype


class _TypedTensor:
    """torch.FloatTensor and its like: of sizes or of a list; a type for Tensor.type()."""
    def __init__(self, name, dtype):
        self.name, self.dtype = name, dtype

    def __call__(self, *args):
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            return torch.tensor(args[0], dtype=self.dtype)
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            return args[0].to(self.dtype)
        return torch.empty(*args or (0,), dtype=self.dtype)

    def __repr__(self):
        return f"<class 'torch.{self.name}'>"


FloatTensor, DoubleTensor, HalfTensor, BFloat16Tensor, LongTensor, IntTensor, ShortTensor, ByteTensor, CharTensor, BoolTensor = [
    _TypedTensor(_name + "Tensor", _dtype) for _name, _dtype in (
        ("Float", torch.float32), ("Double", torch.float64), ("Half", torch.float16), ("BFloat16", torch.bfloat16), ("Long", torch.int64),
        ("Int", torch.int32), ("Short", torch.int16), ("Byte", torch.uint8), ("Char", torch.int8), ("Bool", torch.bool))]


class backends:
    class cuda:
        @staticmethod
        def is_available():
            return False

    mps = cudnn = cuda


class _Limits:
    def __init__(self, type):
        self.dtype, self.bits = str(type)[6:], type.itemsize * 8

    def __repr__(self):
        names = [name for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny") if hasattr(self, name)]
        texts = [f"{name}={getattr(self, name):.6g}" for name in names]
        return f"{type(self).__name__}({', '.join(texts)}, dtype={self.dtype})"


class finfo(_Limits):
    def __init__(self, type=None):
        type = torch.float32 if type is None else type
        if not type.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        super().__init__(type)
        digits, least, self.resolution = {"float16": (10, -14, 1e-3), "bfloat16": (7, -126, 1e-2), "float32": (23, -126, 1e-6),
                                          "float64": (52, -1022, 1e-15)}[self.dtype]
        self.eps, self.tiny = 2.0 ** -digits, 2.0 ** least
        self.smallest_normal, self.max = self.tiny, (2.0 - self.eps) * 2.0 ** (1 - least)
        self.min = -self.max


class iinfo(_Limits):
    def __init__(self, type):
        if type.is_floating_point:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        super().__init__(type)
        self.min, self.max = (0, 255) if type is torch.uint8 else (-2 ** (self.bits - 2) * 2, 2 ** (self.bits - 2) - 1 + 2 ** (self.bits - 2))
