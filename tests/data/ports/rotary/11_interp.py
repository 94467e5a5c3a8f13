import math
import torch

torch.manual_seed(123)
layer_q = torch.nn.Linear(3, 4, bias=False)
layer_k = torch.nn.Linear(3, 4, bias=False)
layer_v = torch.nn.Linear(3, 4, bias=False)
x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                  [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])


def turn_matrix(position):
    """The 4 x 4 matrix that turns features 0 and 2 by one angle, and 1 and 3 by another."""
    a, b = position, position / 10000 ** 0.5
    return torch.tensor([[math.cos(a), 0, -math.sin(a), 0],
                         [0, math.cos(b), 0, -math.sin(b)],
                         [math.sin(a), 0, math.cos(a), 0],
                         [0, math.sin(b), 0, math.cos(b)]])


with torch.no_grad():
    past_keys, past_values, rows = [], [], []
    for t in range(6):
        r = turn_matrix(t)
        query = r @ layer_q(x[t])
        past_keys.append(r @ layer_k(x[t]))
        past_values.append(layer_v(x[t]))
        scores = torch.stack(past_keys) @ query
        attention = torch.softmax(scores / 2, dim=0)
        rows.append(attention @ torch.stack(past_values))
    context = torch.stack(rows)
print(context)
