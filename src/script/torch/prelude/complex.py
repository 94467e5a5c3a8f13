# Complex numbers, as rotary embeddings use them: pairs of floats in a last dimension.
import torch


class _ComplexType:
    is_floating_point, is_complex, itemsize = False, True, 8

    def __repr__(self):
        return "torch.complex64"


complex64 = cfloat = _ComplexType()


class _Complex:
    dtype, requires_grad = complex64, False

    def __init__(self, pairs):
        self._pairs = pairs
        self.shape, self.ndim, self.device = torch.Size(pairs.shape[:-1]), pairs.dim() - 1, pairs.device
        self.real, self.imag = pairs[..., 0], pairs[..., 1]

    def _at(self, dim):
        return dim % self.ndim

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def numel(self):
        return self.shape.numel()

    def is_floating_point(self):
        return False

    def is_complex(self):
        return True

    def to(self, *args, **kwargs):
        return self

    contiguous = clone = detach = cpu = to

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        return _Complex(self._pairs[index + (slice(None),) if any([i is ... for i in index]) else index])

    def _sized(self, name, sizes):
        sizes = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        return _Complex(getattr(self._pairs, name)(*sizes, 2))

    def view(self, *size):
        return self._sized("view", size)

    def reshape(self, *shape):
        return self._sized("reshape", shape)

    def expand(self, *size):
        return self._sized("expand", size)

    def transpose(self, dim0, dim1):
        return _Complex(self._pairs.transpose(self._at(dim0), self._at(dim1)))

    def unsqueeze(self, dim):
        return _Complex(self._pairs.unsqueeze(dim if dim >= 0 else dim + self.ndim + 1))

    def squeeze(self, dim):
        return _Complex(self._pairs.squeeze(self._at(dim)))

    def conj(self):
        return complex(self.real, -self.imag)

    def abs(self):
        return (self.real * self.real + self.imag * self.imag).sqrt()

    def __add__(self, other):
        return _Complex(self._pairs + other._pairs) if isinstance(other, _Complex) else complex(self.real + other, self.imag)

    def __mul__(self, other):
        if not isinstance(other, _Complex):
            return complex(self.real * other, self.imag * other)
        return complex(self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real)

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self):
        raise NotImplementedError("onestep does not print complex tensors: torch.view_as_real() gives their numbers")


def complex(real, imag):
    return _Complex(torch.stack((real, imag), -1))


def polar(abs, angle):
    return complex(abs * torch.cos(angle), abs * torch.sin(angle))


def view_as_complex(input):
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    return _Complex(input)


def view_as_real(input):
    if not isinstance(input, _Complex):
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return torch._named(input._pairs, "ViewAsRealBackward0")


def is_complex(input):
    return isinstance(input, _Complex)
