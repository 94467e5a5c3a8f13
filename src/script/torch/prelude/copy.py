# copy: of lists, dicts, tuples, sets, tensors and instances of a program's classes.
import copy as _copy

import torch


def _is_instance(x):
    return hasattr(x, "__dict__") and not isinstance(x, type) and not callable(getattr(x, "__code__", None)) and type(x).__name__ != "module"


def copy(x):
    if isinstance(x, (list, dict, set)):
        return x.copy()
    if isinstance(x, torch.Tensor):
        return torch.nn.Parameter(x, x.requires_grad) if isinstance(x, torch.nn.Parameter) else x.view(x.shape)
    if not _is_instance(x):
        return x
    result = _copy._new(type(x))
    for name, value in x.__dict__.items():
        result.__dict__[name] = value
    return result


def deepcopy(x, memo=None):
    memo = {} if memo is None else memo
    key = id(x)
    if key in memo:
        return memo[key][0]
    if isinstance(x, torch.Tensor):
        result = _copy_of_tensor(x)
    elif isinstance(x, list):
        result = []
        memo[key] = (result, x)
        for item in x:
            result.append(deepcopy(item, memo))
    elif isinstance(x, tuple):
        result = tuple([deepcopy(item, memo) for item in x])
        if key in memo:  # an item holds it
            return memo[key][0]
    elif isinstance(x, set):
        result = {deepcopy(item, memo) for item in x}
    elif isinstance(x, dict):
        result = {}
        memo[key] = (result, x)
        for name, value in x.items():
            result[deepcopy(name, memo)] = deepcopy(value, memo)
    elif _is_instance(x):
        result = _copy._new(type(x))
        memo[key] = (result, x)
        for name, value in x.__dict__.items():
            result.__dict__[name] = deepcopy(value, memo)
    else:
        return x
    memo[key] = (result, x)
    return result


def _copy_of_tensor(x):
    if not x.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
                           "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
                           "see https://github.com/pytorch/pytorch/pull/103001")
    own = x.detach().clone()
    result = torch.nn.Parameter(own, x.requires_grad) if isinstance(x, torch.nn.Parameter) else own
    result.requires_grad = x.requires_grad
    if x.grad is not None:
        result.grad = x.grad.clone()
    return result
