"""What stands in for PyTorch where a test is about what is done with its numbers."""


class Tensor:
    """As much of a tensor as is asked for: one number, and its print."""

    def __init__(self, numbers, text):
        self.numbers, self.text, self.shape = numbers, text, ()

    def detach(self):
        return self

    def tolist(self):
        return self.numbers

    def numel(self):
        return 1

    def __str__(self):
        return self.text
