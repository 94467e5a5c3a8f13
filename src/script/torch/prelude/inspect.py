# inspect: the parameters of functions and classes of Python.
import inspect


class signature:
    def __init__(self, function):
        is_class = isinstance(function, type)
        names = inspect._parameters(function.__init__ if is_class else function)
        self.parameters = dict.fromkeys(names[1:] if is_class else names)
