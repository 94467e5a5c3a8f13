# Names of torch that are Python.
import torch


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
    return _GradMode(not mode) if isinstance(mode, bool) else _GradMode(False)(mode)


def set_grad_enabled(mode):
    result = _GradMode(mode)
    result.before = torch._set_grad_enabled(mode)
    return result
