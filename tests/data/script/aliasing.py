import torch


def tried(function):
    try:
        print(function.__name__, function())
    except (RuntimeError, IndexError) as error:
        print(function.__name__, type(error).__name__, error)


def leaf(n=4):
    return torch.arange(1.0, n + 1, requires_grad=True)


# What was saved for a gradient, and written since
def exp_result(): x = leaf(); y = x.exp(); y.add_(1); y.sum().backward(); return x.grad
def doubled_is_not_saved(): x = leaf(); y = x * 2; z = y * 3; y.add_(1); z.sum().backward(); return x.grad
def square_saves(): x = leaf(); y = x * 2; z = y * y; y.add_(1); z.sum().backward(); return x.grad
def other_factor(): x = leaf(); w = torch.ones(4); z = x * w; w.add_(1); z.sum().backward(); return x.grad
def written_before(): x = leaf(); w = torch.ones(4); w.add_(1); z = x * w; z.sum().backward(); return x.grad
def by_itself(): x = leaf(); y = x * 2; y.mul_(y); y.sum().backward(); return x.grad
def through_detach(): x = leaf(); y = x.exp(); y.detach().zero_(); y.sum().backward(); return x.grad
def through_data(): x = leaf(); y = x.exp(); y.data.zero_(); y.sum().backward(); return x.grad
def detach_sees(): x = leaf(); y = x * 2; d = y.detach(); y.add_(1); return d, d._version, y._version
def exp_in_place(): x = leaf(); y = x * 2; y.exp_(); y.sum().backward(); return x.grad
def pow_in_place(): x = leaf(); y = x * 2; y.pow_(3); y.sum().backward(); return x.grad
def weight_updated(): w = torch.ones(4, 2, requires_grad=True); h = leaf() @ w; w.data.sub_(1); h.sum().backward(); return w.grad


def weight_updated_without_grad():
    w = torch.ones(4, 2, requires_grad=True)
    h = leaf() @ w
    with torch.no_grad():
        w.sub_(0.1)
    h.sum().backward()
    return w.grad


def view_saved_base_written(): x = leaf(); y = x * 1; v = y[1:3]; z = v * v; y[0] = 5; z.sum().backward(); return x.grad
def sigmoid_item(): x = leaf(); y = torch.sigmoid(x); y[0] = 1; y.sum().backward(); return x.grad
def softmax_masked(): x = leaf(); y = torch.softmax(x, 0).masked_fill_(x > 2, 0.0); y.sum().backward(); return x.grad
def relu_then_add(): x = leaf(); y = x.relu(); y += 1; y.sum().backward(); return x.grad
def add_then_relu_then_mul(): x = leaf(); y = x * 2; y += 1; y.relu_(); y.mul_(3); y.sum().backward(); return x.grad
def sqrt_then_zero(): x = leaf(); y = x / 2; w = y.sqrt(); y.zero_(); w.sum().backward(); return x.grad
def log_then_zero(): x = leaf(); y = x / 2; w = y.log(); y.zero_(); w.sum().backward(); return x.grad
def mask_written(): x = leaf(); m = x > 2; y = x.masked_fill(m, 0.0); m.zero_(); y.sum().backward(); return x.grad
def mean_saves_nothing(): x = leaf(); y = x * 1; m = y.mean(); y.zero_(); m.backward(); return x.grad
def cat_saves_nothing(): x = leaf(); y = x * 1; c = torch.cat([y, y]); y.zero_(); c.sum().backward(); return x.grad
def max_result(): x = leaf(); y = x * 1; m = y.max(); y.zero_(); m.backward(); return x.grad
def tanh_written(): x = leaf(); y = x.tanh(); z = y * 2; y.add_(1); z.sum().backward(); return x.grad


# Leaves and views of leaves
def leaf_written(): leaf().add_(1)
def leaf_item(): leaf()[0] = 1
def leaf_view(): leaf()[1:].mul_(2)
def leaf_without_grad():
    x = leaf()
    with torch.no_grad():
        x.mul_(2)
        x[0] = 7
    return x, x.is_leaf, x.requires_grad, x._version
def leaf_data(): x = leaf(); x.data[0] = 9; return x, x._version
def detached_write(): x = leaf(); d = x.detach(); d[0] = 5; return x, x._version, d.requires_grad
def leaf_becomes_computed(): x = torch.zeros(3); w = leaf(3); x[0] = w[1]; x.sum().backward(); return x.requires_grad, x.is_leaf, w.grad, x.grad_fn.name()
def clone_then_write(): x = leaf(); c = x.clone(); c[1:3] = 0; (c * c).sum().backward(); return x.grad, c


# CopySlices
def slice_written(): x = leaf(); y = x * 2; y[1:3] = y[1:3] * 3; y.sum().backward(); return x.grad, y.grad_fn.name()
def view_written(): x = leaf(); y = x * 2; v = y.view(2, 2); v.mul_(3); y.sum().backward(); return x.grad, y.grad_fn.name()
def row_written(): x = leaf(); y = (x * 2).view(2, 2); y[0].add_(10); (y * y).sum().backward(); return x.grad, y
def transposed_written(): x = leaf(); y = (x * 2).view(2, 2); y.t()[0].mul_(5); y.sum().backward(); return x.grad
def written_by_leaf(): x = leaf(2); b = torch.zeros(2, 2); b[1] = x; b[:, 0] = x * 2; (b * b).sum().backward(); return x.grad, b
def twice_over(): x = leaf(); y = x * 1; y[0] = x[3]; y[0] = x[2] * 2; y.sum().backward(); return x.grad
def view_made_before(): x = leaf(); y = x * 1; v = y[:2]; y.mul_(2); v.sum().backward(); return x.grad, v
def view_written_then_base_used(): x = leaf(); y = x * 1; v = y[:2]; v *= 5; (y * y).sum().backward(); return x.grad, v
def chunk_written(): x = leaf(); y = x * 1; a, b = y.chunk(2); return a.add(1), b
def loop_of_rows():
    x = leaf()
    y = torch.zeros(3, 4)
    for i in range(3):
        y[i] = x * i
    y.sum().backward()
    return x.grad
def diagonal_written(): x = leaf(); y = (x * 1).view(2, 2); y.diagonal().mul_(3); y.sum().backward(); return x.grad
def index_written(): x = leaf(); y = x * 1; y[torch.tensor([0, 2])] = x[:2] * 7; y.sum().backward(); return x.grad
def masked_written(): x = leaf(); y = x * 1; y[y > 2] = 0; y.sum().backward(); return x.grad


# Overlaps
def overlapping_add(): x = torch.arange(4.0); x += x[2]; return x
def overlapping_copy(): x = torch.arange(4.0); x[1:] = x[:-1]; return x
def overlapping_method(): x = torch.arange(6.0); x[1:4].add_(x[2:5]); return x
def same_twice(): x = torch.arange(4.0); x.mul_(x); x += x; return x
def apart(): x = torch.arange(6.0); x[:3].add_(x[3:]); return x
def expanded_written(): x = torch.zeros(1).expand(3); x.add_(1); return x
def expanded_filled(): x = torch.zeros(2, 1).expand(2, 3); x.fill_(3); return x
def transposed_add(): x = torch.arange(4.0).view(2, 2); x.add_(x.t()); return x
def wrong_shape(): x = torch.zeros(2); x.add_(torch.ones(3, 2)); return x
def wrong_mask(): x = torch.zeros(1, 3); x.masked_fill_(torch.ones(2, 2, dtype=torch.bool), 1); return x
def wrong_type(): x = torch.arange(3); x.add_(0.5); return x


# Versions, bases, views in place
def versions(): x = torch.zeros(4); v = x[1:]; v.add_(1); x[0] = 2; x.zero_(); return x._version, v._version
def bases(): x = torch.zeros(4); v = x[1:].view(3, 1); return v._base is x, x._base is None, x.clone()._base is None
def turned(): x = torch.arange(6).view(2, 3); x.t_(); x.unsqueeze_(0); x[0, 0, 1] = 50; return x, x.shape, x.stride()
def squeezed(): x = torch.zeros(1, 3, 1); x.squeeze_(); x.unsqueeze_(1); return x.shape, x.transpose_(0, 1).shape
def again(): x = leaf(); y = (x * x).sum(); y.backward(); y.backward()
def again_of_sum(): x = leaf(); y = x.sum(); y.backward(); y.backward(); return x.grad
def again_retained(): x = leaf(); y = (x * x).sum(); y.backward(retain_graph=True); y.backward(); return x.grad
def no_grad_fn(): torch.ones(2).sum().backward()
def not_scalar(): (leaf() * 2).backward()
def grad_of_view_parts(): x = leaf(); a = x[:2]; b = x[1:]; (a.sum() * 2 + (b * b).sum()).backward(); return x.grad
def accumulated(): x = leaf(); (x * 3).sum().backward(); g = x.grad; (x * 2).sum().backward(); return g, g is x.grad


# Views that several operations read, each in its own way
def rows_read():
    x = leaf(6).view(3, 2)
    y = x[1:]
    x.retain_grad()
    (y.sum() + (y * y).sum() + y.var() + y.mean() + y.max() + y.norm() + y.std(1).sum() + y.flatten().sort()[0][2]).backward()
    return x.grad
def turned_read(): x = leaf(6); y = x.view(3, 2).t(); (y.sum() * 3 + (y * y).sum() + y.mean(0).sum() + y.sum((0, 1))).backward(); return x.grad
def columns_read(): x = leaf(6); y = x.view(2, 3)[:, 1:]; (y.view_as(y).sum() + (y * 2).view(4).sum() + (y @ y.t()).sum() + y[[0, 1]].sum()).backward(); return x.grad
def view_of_view(): x = leaf(); y = x - x; v = x[1:][1:]; ((y * -1.59).sum() + (v.softmax(0) * 1.3).sum()).backward(); return x.grad
def expanded_then_chosen(): x = leaf(); ((x.unsqueeze(0).expand(2, -1)[1] * 3).sum() + x.expand(3, 4).sum()).backward(); return x.grad
def written_then_reshaped(): x = leaf(); y = x.view(2, 2) * 1.5; y[:, 1].mul_(3); (y.reshape(4, 1) * -2).sum().backward(); return x.grad


for name, function in list(globals().items()):
    if callable(function) and name not in ("tried", "leaf"):
        tried(function)

# A size below 0, where there is no size of its own to keep.
for sizes in (-2, 2, 3), (2, -2, 3):
    try:
        print(torch.ones(2, 1, 3).expand(*sizes).shape)
    except RuntimeError as error:
        print(error)

# No place at all: an empty list is whole numbers, as an index.
empty = torch.ones(2, 3)
empty[:, []] = 0
print(empty, empty[[]].shape, empty[:, []].shape, empty[[], []].shape)
