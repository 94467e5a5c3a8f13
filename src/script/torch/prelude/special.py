# torch.special.
import torch


def xlogy(input, other):
    result = torch.where(input == 0, torch.zeros_like(other), input * other.log())
    return torch.where(other.isnan(), other, result)


erf, erfinv, expm1, log1p, softmax, log_softmax, expit = (torch.erf, torch.erfinv, torch.expm1, torch.log1p, torch.softmax, torch.log_softmax,
                                                          torch.sigmoid)
