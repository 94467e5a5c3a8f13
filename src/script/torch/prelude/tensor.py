# Methods of tensors that are Python; those that end without _ are names of torch too.
import math

import torch
from torch import Tensor
from torch._halves import _HALVES, _in_float32


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


def bernoulli_(self, p=0.5, *, generator=None):
    return self.copy_(torch.bernoulli(torch.full(self.shape, p, dtype=torch.float64), generator=generator))


def is_set_to(self, tensor):
    return self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()


def view_as(self, other):
    return self.view(other.shape)


def reshape_as(self, other):
    return self.reshape(other.shape)


def expand_as(self, other):
    return self.expand(other.shape)


def chunk(input, chunks, dim=0):
    if input.dim() == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return input.split(-(-input.size(dim) // chunks) or 1, dim)


def tensor_split(input, indices_or_sections, dim=0):
    size, sections = input.size(dim), indices_or_sections
    if isinstance(sections, int):
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        bounds = [size // sections * i + min(i, size % sections) for i in range(sections + 1)]
    else:
        bounds = [0] + [min(end, size) for end in sections] + [size]
    return tuple([input.narrow(dim, start, max(end - start, 0)) for start, end in zip(bounds, bounds[1:])])


def unflatten(input, dim, sizes):
    size = input.size(dim)
    dim = dim % input.dim()
    known = math.prod([n for n in sizes if n != -1])
    if size % (known or 1) if -1 in sizes else size != known:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({size}) in the input tensor")
    return input.view(tuple(input.shape[:dim]) + tuple(sizes) + tuple(input.shape[dim + 1:]))


def movedim(input, source, destination):
    if input.dim() == 0:
        return input
    input.size(source), input.size(destination)
    order = [dim for dim in range(input.dim()) if dim != source % input.dim()]
    order.insert(destination % input.dim(), source % input.dim())
    return input.permute(order)


def atleast_1d(input):
    return input if input.dim() > 0 else input.reshape(1)


def atleast_2d(input):
    return input if input.dim() > 1 else input.reshape(1, -1)


def broadcast_tensors(*tensors):
    both = torch.zeros((), dtype=torch.bool)
    for tensor in tensors:
        both = both | torch.zeros(tensor.shape, dtype=torch.bool)
    return tuple([tensor.expand(both.shape) for tensor in tensors])


def meshgrid(*tensors, indexing=None):
    tensors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    sizes = [tensor.numel() for tensor in tensors]
    grids = [tensor.reshape([-1 if j == i else 1 for j in range(len(sizes))]).expand(sizes) for i, tensor in enumerate(tensors)]
    return tuple([grid.transpose(0, 1) for grid in grids] if indexing == "xy" and len(grids) > 1 else grids)


def roll(input, shifts, dims=None):
    if dims is None:
        return torch._named(input.flatten().roll(shifts, 0).view(input.shape), "RollBackward0")
    for shift, dim in zip(shifts, dims) if isinstance(dims, (tuple, list)) else [(shifts, dims)]:
        at = -shift % max(input.size(dim), 1)
        input = torch._named(torch.cat([input.narrow(dim, at, input.size(dim) - at), input.narrow(dim, 0, at)], dim), "RollBackward0")
    return input


def diag(input, diagonal=0):
    if input.dim() == 2:
        return torch._named(input.diagonal(diagonal).clone(), "DiagonalBackward0")
    if input.dim() != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.dim()}D")
    result = torch.zeros(len(input) + abs(diagonal), len(input) + abs(diagonal), dtype=input.dtype)
    result.diagonal(diagonal).copy_(input)
    return torch._named(result, "DiagEmbedBackward0")


def tril_indices(row, col, offset=0):
    return torch.ones(row, col, dtype=torch.bool).tril(offset).nonzero().t().contiguous()


def triu_indices(row, col, offset=0):
    return torch.ones(row, col, dtype=torch.bool).triu(offset).nonzero().t().contiguous()


def index_select(input, dim, index):
    if input.dim() == 0:
        return index_select(input.unsqueeze(0), dim, index).squeeze(0)
    size = input.size(dim)
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    for i in index.flatten().tolist():
        if (i < 0 or i >= size) and input.dim() == 2 and dim in (1, -1):
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={i} axis_dim={size}")
        if i < 0 or i >= size:
            raise IndexError("index out of range in self")
    line, shape = [1] * input.dim(), list(input.shape)
    line[dim] = shape[dim] = index.numel()
    return torch._named(input.gather(dim, index.reshape(line).expand(shape)), "IndexSelectBackward0")


def diff(input, n=1, dim=-1):
    for _ in range(n):
        rest = max(input.size(dim) - 1, 0)
        input = input.narrow(dim, input.size(dim) - rest, rest) - input.narrow(dim, 0, rest)
    return input


def count_nonzero(input, dim=None):
    return (input != 0).sum(dim)


def searchsorted(sorted_sequence, input, *, right=False):
    values = torch.as_tensor(input).unsqueeze(-1)
    return (sorted_sequence <= values if right else sorted_sequence < values).sum(-1)


def bucketize(input, boundaries, *, right=False):
    return searchsorted(boundaries, input, right=right)


def unique(input, sorted=True, return_inverse=False, return_counts=False):
    values, places = input.flatten().sort()
    is_new = torch.ones_like(values, dtype=torch.bool)
    is_new[1:] = values[1:] != values[:-1]
    group, inverse = is_new.cumsum(0) - 1, torch.empty_like(places)
    inverse[places] = group
    found = [values[is_new]] + [inverse.view(input.shape)] * return_inverse + [torch.bincount(group)] * return_counts
    return found[0] if len(found) == 1 else tuple(found)


def norm(input, p=2, dim=None, keepdim=False):
    if not input.is_floating_point():
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           + input.type().replace("torch.", "").replace("Tensor", ""))
    p = 2 if p is None or isinstance(p, str) else p
    if p == math.inf:
        return input.abs().amax(dim, keepdim)
    if p == 2 and input.dtype != torch.float64:
        return input._two_norm(dim, keepdim)
    sizes = (input * input if p == 2 else input.abs() if p == 1 else input.abs() ** p).sum(dim, keepdim)
    return torch._named(sizes.sqrt() if p == 2 else sizes if p == 1 else sizes ** (1 / p), "LinalgVectorNormBackward0")


def logsumexp(input, dim, keepdim=False):
    input = input if input.is_floating_point() else input.float()
    most = input.max(dim, keepdim=True)[0]
    most = torch.where(most.isinf(), torch.zeros_like(most), most)
    result = (input - most).exp().sum(dim, keepdim=True).log() + most
    return torch._named(result if keepdim else result.squeeze(dim), "LogsumexpBackward0")


def _fused(a, b, c):  # a * b + c, rounded once, as PyTorch's kernels do, where no gradient is asked for
    needs_grad = torch.is_grad_enabled() and any([x.requires_grad for x in (a, b, c)])
    if needs_grad or any([x.dtype != torch.float32 for x in (a, b, c)]):
        return a * b + c
    return (a.double() * b.double() + c.double()).float()


def lerp(input, end, weight):
    if input.dtype in _HALVES:
        return _in_float32("LerpBackward0", lerp, input, end, weight)
    apart = end - input  # from the nearer end, as aten/src/ATen/native/Lerp.h
    weight = torch.as_tensor(weight, dtype=input.dtype)
    is_near = weight.abs() < 0.5
    return torch._named(torch.where(is_near, _fused(weight, apart, input), _fused(-apart, 1 - weight, end)), "LerpBackward0")


def addcmul(input, tensor1, tensor2, *, value=1):
    if input.dtype in _HALVES:
        return _in_float32("AddcmulBackward0", lambda a, b, c: a + b * c * value, input, tensor1, tensor2)
    return torch._named(_fused(tensor1 * value, tensor2, input), "AddcmulBackward0")


def addcdiv(input, tensor1, tensor2, *, value=1):
    return torch._named(input + tensor1 * value / tensor2, "AddcdivBackward0")


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    product = mat1 @ mat2
    return torch._named((input if beta == 1 else input * beta) + (product if alpha == 1 else product * alpha), "AddmmBackward0")


def inner(input, other):
    return input * other if input.dim() == 0 or other.dim() == 0 else tensordot(input, other, [[-1], [-1]])


def tensordot(a, b, dims=2):
    if isinstance(dims, int):
        dims = [list(range(a.dim() - dims, a.dim())), list(range(dims))]
    left, right = [i % a.dim() for i in dims[0]], [i % b.dim() for i in dims[1]]
    rows, columns = [i for i in range(a.dim()) if i not in left], [i for i in range(b.dim()) if i not in right]
    for i, j in zip(left, right):
        if a.size(i) != b.size(j):
            raise RuntimeError(f"contracted dimensions need to match, but first has size {a.size(i)} in dim {i} and second has size {b.size(j)} in dim {j}")
    count = math.prod([a.size(i) for i in left])
    product = a.permute(rows + left).reshape(-1, count) @ b.permute(right + columns).reshape(count, -1)
    return product.reshape([a.size(i) for i in rows] + [b.size(i) for i in columns])


def hstack(tensors):
    return torch.cat([x.reshape(1) if x.dim() == 0 else x for x in tensors], 0 if tensors[0].dim() < 2 else 1)


def vstack(tensors):
    return torch.cat([x.reshape(1, -1) if x.dim() < 2 else x for x in tensors], 0)


def fmod(input, other):
    rest = torch.remainder(input.abs(), other.abs() if isinstance(other, torch.Tensor) else abs(other))
    return torch._named(torch.where(input < 0, -rest, rest), "FmodBackward0")


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return torch._named(addmm(input, batch1, batch2, beta=beta, alpha=alpha), "BaddbmmBackward0")


def cdist(x1, x2, p=2.0):
    return torch._named((x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1), "CdistBackward0")


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input
    most = torch.finfo(input.dtype).max
    result = input.masked_fill(input.isnan(), nan or 0.0).masked_fill(input == math.inf, most if posinf is None else posinf)
    return torch._named(result.masked_fill(input == -math.inf, -most if neginf is None else neginf), "NanToNumBackward0")


def clamp_min(input, min):
    return input.clamp(min=min)


def clamp_max(input, max):
    return input.clamp(max=max)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = input.double(), torch.as_tensor(other).double()
    is_close = (a == b) | ((a - b).abs() <= atol + (rtol * b).abs()) & a.isfinite() & b.isfinite()
    return is_close | a.isnan() & b.isnan() if equal_nan else is_close


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return isclose(input, other, rtol, atol, equal_nan).all().item()


def equal(input, other):
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return input.shape == other.shape and (input == other).all().item()


def _sum_out(x, letters, needed):
    for dim in range(len(letters) - 1, -1, -1):
        if letters[dim] not in needed:
            x, letters = x.sum(dim), letters[:dim] + letters[dim + 1:]
    return x, letters


# Batches, rows of the one, columns of the other, and what is summed: one product of matrices (aten/src/ATen/native/Linear.cpp).
def _multiply_letters(x, left, y, right, needed):
    shared, rows = [c for c in left if c in right], [c for c in left if c not in right]
    batch, inner = [c for c in shared if c in needed], [c for c in shared if c not in needed]
    columns = [c for c in right if c not in left]
    size = dict(list(zip(left, x.shape)) + list(zip(right, y.shape)))
    b, n, k, m = [math.prod([size[c] for c in part]) for part in (batch, rows, inner, columns)]
    x = x.permute([left.index(c) for c in batch + rows + inner]).reshape(b, n, k)
    y = y.permute([right.index(c) for c in batch + inner + columns]).reshape(b, k, m)
    letters = batch + rows + columns
    return (x @ y).reshape([size[c] for c in letters]), "".join(letters)


def einsum(equation, *operands):
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    operands = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    inputs, *outputs = equation.replace(" ", "").split("->")
    if "." in equation:
        raise RuntimeError("einsum(): onestep takes letters, without '...'")
    letters, sizes = inputs.split(","), {}
    for i, x in enumerate(operands):
        if len(letters[i]) != x.dim():
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(letters[i])}) does not match the number of "
                               f"dimensions ({x.dim()}) for operand {i} and no ellipsis was given")
        for c, size in zip(letters[i], x.shape):
            if sizes.get(c, 1) == 1:
                sizes[c] = size
            elif size not in (1, sizes[c]):
                raise RuntimeError(f"einsum(): subscript {c} has size {size} for operand {i} which does not broadcast with previously seen "
                                   f"size {sizes[c]}")
    output = outputs[0] if outputs else "".join(sorted([c for c in sizes if inputs.count(c) == 1]))
    for c in output:
        if c not in sizes:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
        if output.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
    for i in range(len(operands)):
        for c in set(letters[i]):
            while letters[i].count(c) > 1:  # its diagonal
                first, second = [at for at, letter in enumerate(letters[i]) if letter == c][:2]
                operands[i] = operands[i].diagonal(0, first, second)
                letters[i] = letters[i][:first] + letters[i][first + 1:second] + letters[i][second + 1:] + c
    for i, x in enumerate(operands):  # a size of 1 that is another elsewhere: as if the letter were not there
        kept = [c for c in letters[i] if x.size(letters[i].index(c)) == sizes[c]]
        operands[i] = x.reshape([sizes[c] for c in kept]) if len(kept) < x.dim() else x
        letters[i] = "".join(kept)
    result, own = _sum_out(operands[0], letters[0], output + "".join(letters[1:]))
    for i in range(1, len(operands)):
        needed = output + "".join(letters[i + 1:])
        result, own = _multiply_letters(result, own, *_sum_out(operands[i], letters[i], needed + own), needed)
    return result if own == output else result.permute([own.index(c) for c in output])


def _in_place(function):
    return lambda self, *args, **kwargs: self.copy_(function(self, *args, **kwargs))


for _name in ("nan_to_num", "lerp", "addcmul", "addcdiv", "masked_scatter", "clamp_min", "clamp_max"):
    setattr(Tensor, _name + "_", _in_place(globals()[_name]))
for _name in ("logical_not", "logical_and", "logical_or", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, _name + "_", _in_place(getattr(Tensor, _name)))
for _name, _function in list(globals().items()):
    if _name[0] != "_" and _name not in ("math", "torch", "Tensor"):
        setattr(Tensor, _name, _function)
        if _name[-1] != "_":
            setattr(torch, _name, _function)
