# torch.nn.utils.
import torch


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [p.grad for p in parameters if p.grad is not None]
    if not grads:
        return torch.tensor(0.0)
    with torch.no_grad():
        total = torch.stack([grad.norm() for grad in grads]).norm()
        clip = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(clip)
    return total


def clip_grad_value_(parameters, clip_value):
    for p in [parameters] if isinstance(parameters, torch.Tensor) else parameters:
        if p.grad is not None:
            p.grad.copy_(p.grad.clamp(-clip_value, clip_value))
