# torch.autograd.
import torch


def _listed(x):
    return [x] if isinstance(x, torch.Tensor) else list(x)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    outputs = _listed(outputs)
    given = [None] * len(outputs) if grad_outputs is None else _listed(grad_outputs)
    retain = create_graph if retain_graph is None else retain_graph
    return tuple(torch._gradients(outputs, given, _listed(inputs), retain, create_graph, allow_unused))


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    tensors = _listed(tensors)
    given = [None] * len(tensors) if grad_tensors is None else _listed(grad_tensors)
    torch._gradients(tensors, given, None, create_graph if retain_graph is None else retain_graph, create_graph, True)
