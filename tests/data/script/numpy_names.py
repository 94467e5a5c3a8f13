# NumPy's names of parameters, and what truths are not multiplied by.
import torch

x = torch.arange(6.0).view(2, 3)
print(x.sum(axis=-1, keepdims=True), torch.softmax(x, axis=-1), x.mean(axis=0), x.argmax(axis=1))
print(torch.cat([x, x], axis=0).shape, torch.stack([x, x], axis=1).shape, x.cumsum(axis=0), x.std(axis=0, keepdims=True))


def attempt(action):
    try:
        print(action())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)


def truths(*sizes):
    return torch.ones(*sizes).bool()


for a, b in (truths(2, 2), truths(2, 2)), (truths(2, 2, 2), truths(2, 2, 2)), (truths(2), truths(2)), (truths(2, 2), truths(2)):
    attempt(lambda: a @ b)
attempt(lambda: torch.maximum((1, 2), x))
attempt(lambda: torch.maximum(x, (1, 2)))

print(torch.nn.LeakyReLU(0.1)(x - 3), torch.nn.LeakyReLU())
print(torch.nn.functional.softmax(x), torch.nn.functional.log_softmax(x[0]), torch.nn.functional.softmax(x.view(1, 2, 3)))
attempt(lambda: torch.nn.functional.softmax(x[0, 0]))
