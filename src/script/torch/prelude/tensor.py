# Methods of tensors that are Python.
import torch
from torch import Tensor


def t_(self):
    return self._become(self.t(), "TBackward1")


def transpose_(self, dim0, dim1):
    return self._become(self.transpose(dim0, dim1), "TransposeBackward1")


def unsqueeze_(self, dim):
    return self._become(self.unsqueeze(dim), "UnsqueezeBackward1")


def squeeze_(self, dim=None):
    return self._become(self.squeeze() if dim is None else self.squeeze(dim), "SqueezeBackward2" if dim is None else "SqueezeBackward3")


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    return torch.tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    return torch.full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)


def index_fill_(self, dim, index, value):
    self.transpose(0, dim)[index] = value
    return self


def index_put_(self, indices, values, accumulate=False):
    if accumulate:
        raise NotImplementedError("onestep's index_put_ does not accumulate")
    self[tuple(indices)] = values
    return self


def fill_diagonal_(self, fill_value):
    self.diagonal().fill_(fill_value)
    return self


def masked_scatter(self, mask, source):
    result = self.clone()
    result[mask] = source.flatten()[:mask.sum().item()]
    return result


def masked_scatter_(self, mask, source):
    return self.copy_(self.masked_scatter(mask, source))


def bernoulli_(self, p=0.5, *, generator=None):
    return self.copy_(torch.bernoulli(torch.full(self.shape, p, dtype=torch.float64), generator=generator))


def logical_not_(self):
    return self.copy_(self.logical_not())


def is_set_to(self, tensor):
    return self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()


for _name, _method in list(globals().items()):
    if _name[0] != "_" and _name not in ("torch", "Tensor"):
        setattr(Tensor, _name, _method)
