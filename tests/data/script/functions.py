# Functions of torch that are Python here, with their gradients.
import math

import torch
import torch.nn.functional as F

torch.manual_seed(11)
X = torch.randn(3, 4)
Y = torch.rand(3, 4) + 0.5


def tried(label, function):
    try:
        result = function()
    except Exception as error:
        result = f"{type(error).__name__} {error}"
    if isinstance(result, (tuple, list)):
        print(label, *[part.tolist() if isinstance(part, torch.Tensor) else part for part in result])
    else:
        print(label, (result.tolist(), result.dtype, tuple(result.shape)) if isinstance(result, torch.Tensor) else result)


def differentiated(label, function):
    x = X.clone().requires_grad_()
    result = function(x)
    (result * torch.arange(1.0, result.numel() + 1).view(result.shape)).sum().backward()
    print(label, result.grad_fn.name(), result.tolist(), x.grad.tolist())


tried("view_as", lambda: X.view_as(torch.zeros(4, 3)))
tried("expand_as", lambda: torch.ones(1, 4).expand_as(X))
for sizes in ((2, 0), (5, 1), (0, 0)):
    tried(f"chunk {sizes}", lambda: X.chunk(*sizes))
for parts in (2, 3, (1, 3), (2, 9)):
    tried(f"tensor_split {parts}", lambda: X.tensor_split(parts, dim=1))
tried("unflatten", lambda: X.unflatten(1, (2, -1)).shape)
tried("movedim", lambda: [torch.zeros(2, 3, 4).movedim(0, 2).shape, torch.zeros(2, 3, 4).movedim(-1, 0).shape])
tried("atleast", lambda: [torch.atleast_1d(torch.tensor(1)).shape, torch.atleast_2d(torch.ones(3)).shape, torch.atleast_2d(X) is X])
tried("broadcast_tensors", lambda: torch.broadcast_tensors(torch.ones(3, 1), torch.arange(2)))
tried("broadcast_tensors", lambda: torch.broadcast_tensors(torch.ones(3, 2), torch.arange(3)))
tried("meshgrid", lambda: torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))
tried("meshgrid xy", lambda: torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy"))
for shifts in ((1,), (-1, 1), (5, 0), ((1, 2), (0, 1))):
    tried(f"roll {shifts}", lambda: torch.arange(12).view(3, 4).roll(*shifts))
tried("diag", lambda: [torch.diag(torch.tensor([1, 2])), torch.diag(torch.tensor([1.0, 2]), 1), torch.arange(6).view(2, 3).diag(), torch.arange(6).view(2, 3).diag(-1)])
tried("triangles", lambda: [torch.tril_indices(3, 3), torch.triu_indices(3, 4, 1), torch.triu_indices(2, 2, offset=-1)])
tried("index_select", lambda: X.index_select(1, torch.tensor([3, 0, 3])))
tried("diff", lambda: [torch.tensor([1, 4, 9, 16]).diff(), torch.tensor([1, 4, 9, 16]).diff(n=2), X.diff(dim=0)])
tried("count_nonzero", lambda: [(X > 0).count_nonzero(), (X > 0).int().count_nonzero(dim=1)])
for value in (torch.tensor([0.5, 2.0, 3.0, 9.0]), torch.tensor([[1, 2], [3, 4]])):
    tried("searchsorted", lambda: [torch.searchsorted(torch.tensor([1.0, 2.0, 3.0]), value.float()), torch.bucketize(value.float(), torch.tensor([1.0, 2.0, 3.0]), right=True)])
tried("unique", lambda: torch.unique(torch.tensor([[3, 1], [3, 2]]), return_inverse=True, return_counts=True))
tried("unique", lambda: torch.tensor([2.5, -1.0, 2.5]).unique())
for arguments in ((), (math.inf,), (2, 0, True), ("fro",)):
    tried(f"norm {arguments}", lambda: X.norm(*arguments))
tried("norm", lambda: torch.arange(3).norm())
tried("logsumexp", lambda: [X.logsumexp(1), torch.logsumexp(X, 0, keepdim=True), torch.tensor([-math.inf, -math.inf]).logsumexp(0)])
tried("lerp", lambda: [torch.ones(3).lerp(torch.zeros(3), 0.25), torch.addcmul(torch.ones(2), torch.ones(2), torch.ones(2), value=0.5), torch.addcdiv(torch.ones(2), torch.ones(2), torch.ones(2) + 1, value=-2)])
tried("addmm", lambda: [torch.addmm(torch.ones(3), X, Y.T[:, :3], beta=0.5, alpha=2), torch.addmm(torch.ones(3, 3), X, Y.T)])
tried("nan_to_num", lambda: [torch.tensor([math.nan, math.inf, -math.inf, 1]).nan_to_num(), torch.tensor([math.nan, math.inf]).nan_to_num(nan=1.0, posinf=2.0), torch.arange(2).nan_to_num()])
tried("clamp", lambda: [X.clamp_min(0), X.clamp_max(0), torch.arange(4).clamp_min(2)])
tried("isclose", lambda: [torch.isclose(torch.tensor([1.0, math.inf, math.nan]), torch.tensor([1.0 + 1e-6, math.inf, math.nan])), torch.isclose(torch.tensor([math.nan]), torch.tensor([math.nan]), equal_nan=True)])
tried("allclose", lambda: [torch.allclose(X, X + 1e-7), torch.allclose(X, X + 1), X.allclose(X + 0.1, atol=0.2), torch.equal(X, X.clone()), torch.equal(X, Y), X.equal(X.T)])
tried("equal", lambda: torch.equal(X, 3))
tried("in place", lambda: [torch.ones(2).lerp_(torch.zeros(2), 0.5), torch.ones(2).addcmul_(torch.ones(2), torch.ones(2)), X.clone().clamp_min_(0), (X > 0).logical_not_(), X.clone().masked_scatter_(X > 0, Y)])
for reduction in ("mean", "sum", "none"):
    tried(f"mse_loss {reduction}", lambda: F.mse_loss(X, Y, reduction=reduction))
differentiated("norm", lambda x: x.norm())
differentiated("mse_loss", lambda x: F.mse_loss(x, Y))
differentiated("index_select", lambda x: x.index_select(0, torch.tensor([2, 0, 2])))
differentiated("roll", lambda x: x.roll(1, 0))
differentiated("nan_to_num", lambda x: x.nan_to_num())
differentiated("diag", lambda x: x[0].diag())
x, y, s = torch.arange(12.0).view(3, 4), torch.arange(20.0).view(4, 5), torch.arange(9.0).view(3, 3)
tried("einsum", lambda: torch.einsum("ij,jk->ik", x, y))
tried("einsum", lambda: torch.einsum("ij,jk", x, y))
tried("einsum", lambda: torch.einsum("ij->", x))
tried("einsum", lambda: torch.einsum("ij->j", x))
tried("einsum", lambda: torch.einsum("ij->ji", x))
tried("einsum", lambda: torch.einsum("ii->i", s))
tried("einsum", lambda: torch.einsum("ii", s))
tried("einsum", lambda: torch.einsum("ij,ij->ij", x, x))
tried("einsum", lambda: torch.einsum("i,j->ij", x[0], y[0]))
tried("einsum", lambda: torch.einsum("ij,jk,kl->il", x, y, y.T))
tried("einsum", lambda: torch.einsum("ij,kj->ik", x, y))
tried("einsum", lambda: torch.einsum("bij,bjk->bik", x.view(1,3,4), y.view(1,4,5)))
tried("einsum", lambda: torch.einsum("ij,jk->il", x, y))
tried("einsum", lambda: torch.einsum("ij,jk->ii", x, y))
tried("einsum", lambda: torch.einsum("ij,jkl->ik", x, y))
tried("einsum", lambda: torch.einsum("iij->j", torch.arange(18).view(3,3,2)))
tried("einsum", lambda: torch.einsum("ij,jk->ik", x.long(), y.long()))
tried("einsum", lambda: torch.einsum(3, x))
tried("einsum", lambda: torch.einsum("i,i->", x[0], x[1]))

# Products of several dimensions, places, and torch.Tensor.
x = torch.arange(24.).view(2, 3, 4)
y = torch.arange(12.).view(4, 3)
print(torch.inner(x[0, 0], x[0, 1]), torch.inner(x, x[0]).shape, torch.inner(torch.tensor(2.), y))
print(torch.tensordot(x, y, dims=1), torch.tensordot(x, y, dims=([2, 1], [0, 1])))
a = torch.ones(2, 3, requires_grad=True)
b = torch.tensordot(a, torch.ones(3, 2), 1)
b.sum().backward()
print(a.grad)
print(torch.Tensor(3).shape, torch.Tensor(torch.ones(2)), torch.Tensor().shape, isinstance(torch.Tensor([1]), torch.Tensor))
print(torch.where(torch.ones(2, 2).tril().t() > 0), torch.where(torch.tensor([True, False]), 1.0, 2.0))
print(torch.Tensor([[1, 2], [3, 4]]) @ torch.Tensor([1, 1]))
p = torch.nn.Parameter(torch.Tensor(2, 2))
torch.nn.init.ones_(p)
print(p)
try:
    torch.where(torch.tensor([True]), torch.ones(1))
except TypeError as e:
    print("TypeError")

# A loss of numbers that are no float32.
rows, classes = torch.arange(30).view(5, 6), torch.tensor([0, 1, 2, 3, 4])
print(F.cross_entropy(rows.double(), classes), F.cross_entropy(rows[0].double(), classes[3]))
for kind in (torch.bool, torch.int64):
    for loss in (F.cross_entropy, F.nll_loss):
        try:
            loss(rows.to(kind), classes)
        except RuntimeError as error:
            print(error)
    try:
        F.log_softmax(rows.to(kind), dim=0)
    except RuntimeError as error:
        print(error)

# Rows that do not count: their numbers may be nan, and the first row and every 16th end a sum.
torch.manual_seed(1)
for rows, gone in (12, (1, 2)), (40, (0, 16, 17)), (300, (3, 256, 272)), (3, (0, 1, 2)):
    x, target = torch.randn(rows, 6), torch.randint(0, 6, (rows,))
    for row in gone:
        target[row] = -100
        if row % 2 == 0:
            x[row] = float("nan")
    x.requires_grad_()
    loss = F.cross_entropy(x, target)
    loss.backward()
    print(repr(loss.item()), [x.grad[row].tolist() for row in (0, 1, rows - 1)])
print(torch.isnan(F.nll_loss(x, torch.tensor([0, 1, 2]), ignore_index=0)), F.nll_loss(torch.tensor([[float("nan")], [2.0]]), torch.tensor([7, 0]), ignore_index=7))
