# torch.nn.functional: what is not one operation.
import math

import torch
import torch.nn.functional as F
from torch._halves import _HALVES, _in_float32


def _reduced(x, reduction):
    if reduction == "none":
        return x
    if reduction == "sum":
        return x.sum()
    if reduction != "mean":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return x.mean()


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    if weight is None and reduction == "mean" and label_smoothing == 0.0 and F._are_classes(input, target, ignore_index):
        return F._cross_entropy(input, target)
    is_plain = weight is None and reduction == "mean" and label_smoothing == 0.0 and input.dim() < 3 and input.dtype == torch.float32
    if not target.is_floating_point() or target.dim() != input.dim():
        _check_classes(input, target, ignore_index)
        if is_plain and (input.dim() != 2 or not (target == ignore_index).any()):
            return F._cross_entropy(input, target)
    dim = 1 if input.dim() > 1 else 0
    logs = F.log_softmax(input, dim=dim)
    if target.is_floating_point():
        classes = input.shape[dim]
        if label_smoothing > 0:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        losses = -(logs * target if weight is None else logs * target * weight).sum(dim)
        if reduction == "mean":
            return torch._named(losses.sum() / (losses.numel() or 1), "DivBackward1")
        return _reduced(losses, reduction)
    loss = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing == 0.0:
        return loss
    smooth = -(logs if weight is None else logs * weight).sum(dim)
    smooth = torch.where(target == ignore_index, torch.zeros_like(smooth), smooth)
    if reduction == "mean":
        share = (target != ignore_index).float() if weight is None else weight[target.clamp(min=0)] * (target != ignore_index)
        smooth = smooth.sum() / share.sum()
    elif reduction == "sum":
        smooth = smooth.sum()
    return (1 - label_smoothing) * loss + label_smoothing / input.shape[dim] * smooth


def _check_classes(input, target, ignore_index):
    if not isinstance(target, torch.Tensor):
        raise TypeError(f"cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not {type(target).__name__}")
    if target.shape == input.shape:
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {target.type()[6:-6]}")
    if input.dim() == 0:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if target.dtype != torch.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.type()[6:-6]}")
    batch = target.shape[0] if target.dim() > 0 else 0
    if input.dim() > 1 and input.shape[0] != batch:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
    wanted = input.shape[:1] + input.shape[2:] if input.dim() > 1 else ()
    if input.dim() < 3 and target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input.dim() == 1 and target.dim() == 1:
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)}, target: {list(target.shape)})")
    if tuple(target.shape) != tuple(wanted):
        sizes = list(wanted) if input.dim() > 2 else [input.shape[0], 1]
        raise RuntimeError(f"Expected target size {sizes}, got {list(target.shape)}")
    wrong = target[((target < 0) | (target >= input.shape[min(input.dim() - 1, 1)])) & (target != ignore_index)]
    if wrong.numel() > 0:
        raise IndexError(f"Target {wrong[0].item()} is out of bounds.")


def one_hot(tensor, num_classes=-1):
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor.")
    if (tensor < 0).any():
        raise RuntimeError("Class values must be non-negative.")
    if num_classes >= 0 and (tensor >= num_classes).any():
        raise RuntimeError("Class values must be smaller than num_classes.")
    return F._one_hot(tensor, num_classes if num_classes >= 0 else tensor.max().item() + 1)


def _sum_of_halves(losses):
    """aten/src/ATen/native/LossNLL.cpp: the first one last, then sixteen at a time, each sum rounded."""
    sums, power = [0.0] * 8, max(4, math.ceil(math.log2(len(losses) or 1)) // 8)
    for i, loss in enumerate(losses):
        sums[0] = sums[0] + loss
        for level in range(7):
            if i & ((1 << power) - 1) << level * power:
                break
            sums[level + 1], sums[level] = sums[level + 1] + sums[level], 0.0
    return sum(sums)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    dim = 1 if input.dim() > 1 else 0
    _check_classes(input, target, ignore_index)
    if not input.is_floating_point():
        raise RuntimeError(f"\"nll_loss_out_frame\" not implemented for '{input.type()[6:-6]}'")
    is_kept = target != ignore_index
    places = torch.where(is_kept, target, torch.zeros_like(target))
    share = is_kept.to(input.dtype) if weight is None else weight[places] * is_kept
    losses = -input.gather(dim, places.unsqueeze(dim)).squeeze(dim) * share
    losses = torch.where(is_kept, losses, torch.zeros_like(losses))  # of which nan times 0 is none
    total = _sum_of_halves(losses[is_kept]) if input.dtype in _HALVES and losses.dim() == 1 else losses.sum()
    result = total / share.sum() if reduction == "mean" else _reduced(losses, reduction)
    return torch._named(result, "NllLossBackward0" if input.dim() < 3 else "NllLoss2DBackward0")


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return torch._named(_reduced((input - target) ** 2, reduction), "MseLossBackward0")


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    apart = (input - target).abs()
    return _reduced(torch.where(apart < beta, 0.5 * apart * apart / beta, apart - 0.5 * beta), reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    losses = (target - 1) * torch.log1p(-input).clamp(min=-100) - target * input.log().clamp(min=-100)
    return _reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    logs = torch.log1p((-input.abs()).exp()) + (-input).clamp(min=0)
    factor = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    losses = (1 - target) * input + factor * logs
    return _reduced(losses if weight is None else losses * weight, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        losses = target.exp() * (target - input)
    else:
        positive = target > 0
        logs = torch.where(positive, target, torch.ones_like(target)).log()
        losses = torch.where(positive, target * (logs - input), torch.zeros_like(input))
    return losses.sum() / input.shape[0] if reduction == "batchmean" else _reduced(losses, reduction)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    if input.dtype in _HALVES:
        return _in_float32("NativeLayerNormBackward0", layer_norm, input, normalized_shape, weight, bias, eps)
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[-len(shape):]) != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join([str(n) for n in shape])}], "
                           f"but got input of size{list(input.shape)}")
    dims = [-1 - i for i in range(len(shape))]
    flat = input if len(shape) == 1 else input.flatten(-len(shape))
    is_float32 = input.dtype == torch.float32
    mean = F._layer_mean(flat) if is_float32 else flat.mean(-1, keepdim=True)
    var = F._layer_var(flat) if is_float32 else flat.var(-1, unbiased=False, keepdim=True)
    result = ((flat - mean) * torch.rsqrt(var + eps)).view(input.shape)
    if is_float32 and weight is not None and bias is not None:
        result = F._multiply_add(result, weight, bias)  # rounded once
    else:
        if weight is not None:
            result = result * weight
        if bias is not None:
            result = result + bias
    return torch._named(result, "NativeLayerNormBackward0")


def rms_norm(input, normalized_shape, weight=None, eps=None):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    flat = input if len(shape) == 1 else input.flatten(-len(shape))
    flat = flat.float() if input.dtype in _HALVES else flat
    result = (flat * torch.rsqrt(flat.pow(2).mean(-1, keepdim=True) + eps)).view(input.shape).to(input.dtype)
    return result if weight is None else result * weight


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / input.norm(p, dim, True).clamp(min=eps).expand_as(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    return (x1 / x1.norm(2, dim, True).clamp(min=eps) * (x2 / x2.norm(2, dim, True).clamp(min=eps))).sum(dim)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return torch.where(input > 0, input, input * negative_slope)


def elu(input, alpha=1.0, inplace=False):
    if input.dtype in _HALVES:
        return _in_float32("EluBackward0", elu, input, alpha)
    return torch.where(input > 0, input, alpha * (torch.exp(input.clamp(max=0.0)) - 1))


def softplus(input, beta=1, threshold=20):
    if input.dtype in _HALVES:
        return _in_float32("SoftplusBackward0", softplus, input, beta, threshold)
    scaled = input * beta
    return torch.where(scaled > threshold, input, torch.log1p(scaled.clamp(max=threshold).exp()) / beta)


def logsigmoid(input):
    size = input.abs()
    return torch._named((input - size) * 0.5 - torch.log1p(torch.exp(-size)), "LogSigmoidBackward0")  # the least of x and 0, first


def softmin(input, dim=None):
    return F.softmax(-input, dim=dim)


def tanh(input):
    return input.tanh()


def sigmoid(input):
    return input.sigmoid()


def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        raise NotImplementedError(f"onestep pads with a constant, not with mode '{mode}'")
    for i in range(len(pad) // 2):
        dim, before, after = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        parts = [input.narrow(dim, max(-before, 0), input.shape[dim] - max(-before, 0) - max(-after, 0))]
        for count, at in ((before, 0), (after, len(parts))):
            if count > 0:
                shape = list(input.shape)
                shape[dim] = count
                parts.insert(at if at == 0 else len(parts), torch.full(shape, value or 0, dtype=input.dtype))
        input = torch.cat(parts, dim=dim)
    return input


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if query.dtype in _HALVES:
        return _in_float32("ScaledDotProductFlashAttentionForCpuBackward0", F.scaled_dot_product_attention, query, key, value, attn_mask, dropout_p,
                           is_causal, scale, enable_gqa)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    if dropout_p > 0.0:
        scores = query * math.sqrt(scale) @ (key.transpose(-2, -1) * math.sqrt(scale))
    else:
        scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    nothing = None if attn_mask is None else (scores == -math.inf).all(-1, keepdim=True)
    if nothing is not None and nothing.any():  # a query that attends to no key gets zeros
        weights = F.softmax(scores.masked_fill(nothing, 0.0), dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = F.softmax(scores, dim=-1)
    result = F.dropout(weights, dropout_p) @ value if dropout_p > 0.0 else weights @ value
    return torch._named(result, "ScaledDotProductFlashAttentionForCpuBackward0")


def _pair(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x, x)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if groups != 1 or _pair(dilation) != (1, 1):
        raise NotImplementedError("onestep's conv2d has no groups and no dilation")
    if input.dim() == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding).squeeze(0)
    if input.shape[1] != weight.shape[1]:
        raise RuntimeError(f"Given groups=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have {weight.shape[1]} "
                           f"channels, but got {input.shape[1]} channels instead")
    (down, across), (up, left) = _pair(stride), _pair(padding)
    if up or left:
        input = pad(input, (left, left, up, up))
    windows = input.unfold(2, weight.shape[2], down).unfold(3, weight.shape[3], across).permute(0, 2, 3, 1, 4, 5)
    rows = F.linear(windows.flatten(3), weight.flatten(1), bias)
    return torch._named(rows.permute(0, 3, 1, 2).contiguous(), "ConvolutionBackward0")


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, (1, stride), (0, padding), dilation, groups).squeeze(-2)
