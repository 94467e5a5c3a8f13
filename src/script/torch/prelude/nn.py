# torch.nn: modules, layers and losses.
import math

import torch
import torch.nn.functional as F
from torch.nn import init


def _indented(text):
    return text.replace("\n", "\n  ")


class Module:
    def __init__(self, *args, **kwargs):
        names = self.__dict__
        names["training"] = True
        for group in ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks"):
            names[group] = {}
        names["_not_saved"] = set()

    def __setattr__(self, name, value):
        names = self.__dict__
        group = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if group is not None:
            if group not in names:
                what = "parameters" if group == "_parameters" else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            for other in (names, self._parameters, self._buffers, self._modules):
                if name in other and other is not names[group]:
                    del other[name]
            names[group][name] = value
        elif name in names.get("_parameters", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{_type_of(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            self._parameters[name] = value
        elif name in names.get("_modules", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{_type_of(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            self._modules[name] = value
        elif name in names.get("_buffers", ()):
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(f"cannot assign '{_type_of(value)}' as buffer '{name}' (torch.Tensor or None expected)")
            self._buffers[name] = value
        else:
            names[name] = value

    def __getattr__(self, name):
        names = self.__dict__
        for group in ("_parameters", "_buffers", "_modules"):
            if group in names and name in names[group]:
                return names[group][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for group in (self._parameters, self._buffers, self._modules, self.__dict__):
            if name in group:
                del group[name]
                return
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __call__(self, *args, **kwargs):
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook in list(self._forward_hooks.values()):
            changed = hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def forward(self, *args):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def register_forward_hook(self, hook):
        return _Handle(self._forward_hooks, hook)

    def register_forward_pre_hook(self, hook):
        return _Handle(self._forward_pre_hooks, hook)

    def register_parameter(self, name, param):
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_type_of(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if name in self.__dict__ or name in self._parameters or name in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{_type_of(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = tensor
        if persistent:
            self._not_saved.discard(name)
        else:
            self._not_saved.add(name)

    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_of(module)} is not a Module subclass")
        self._modules[name] = module

    register_module = add_module

    def _walk(self, prefix, found):
        if self not in [module for _, module in found]:
            found.append((prefix, self))
            for name, module in self._modules.items():
                if module is not None:
                    module._walk(prefix + ("." if prefix else "") + name, found)
        return found

    def _members(self, group, prefix, recurse):
        seen, members = set(), []
        for path, module in self._walk(prefix, []) if recurse else [(prefix, self)]:
            for name, member in getattr(module, group).items():
                if member is not None and member not in seen:
                    seen.add(member)
                    members.append((path + ("." if path else "") + name, member))
        return members

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        return iter(self._walk(prefix, []))

    def modules(self):
        return iter([module for _, module in self._walk("", [])])

    def named_children(self):
        return iter([(name, module) for name, module in self._modules.items() if module is not None])

    def children(self):
        return iter([module for module in self._modules.values() if module is not None])

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._members("_parameters", prefix, recurse))

    def parameters(self, recurse=True):
        return iter([p for _, p in self._members("_parameters", "", recurse)])

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._members("_buffers", prefix, recurse))

    def buffers(self, recurse=True):
        return iter([b for _, b in self._members("_buffers", "", recurse)])

    def get_submodule(self, target):
        module = self
        for name in target.split(".") if target else []:
            module = getattr(module, name)
        return module

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = torch.zeros_like(p.grad)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _convert(self, convert):
        for module in self.modules():
            for p in module._parameters.values():
                if p is not None:
                    p.data = convert(p.data)
            for name, b in module._buffers.items():
                if b is not None:
                    module._buffers[name] = convert(b)
        return self

    def to(self, *args, **kwargs):
        target = args[0] if args else kwargs.get("dtype", kwargs.get("device"))
        return self._convert(lambda x: x.to(target) if x.is_floating_point() or not isinstance(target, torch.dtype) else x)

    def float(self):
        return self.to(torch.float32)

    def double(self):
        return self.to(torch.float64)

    def cpu(self):
        return self

    def cuda(self, device=None):
        raise RuntimeError("onestep has no GPU: cuda() cannot run here")

    def _kept(self):
        kept = {}
        for path, module in self._walk_all(""):
            for group in (module._parameters, module._buffers):
                for name, tensor in group.items():
                    if tensor is not None and name not in module._not_saved:
                        kept[path + name] = tensor
        return kept

    def _walk_all(self, prefix):
        found = [(prefix, self)]
        for name, module in self._modules.items():
            if module is not None:
                found += module._walk_all(prefix + name + ".")
        return found

    def state_dict(self, *, prefix="", keep_vars=False):
        return {prefix + name: tensor if keep_vars else tensor.detach() for name, tensor in self._kept().items()}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own, errors = self._kept(), []
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        for name, tensor in own.items():
            if name not in state_dict:
                continue
            if state_dict[name].shape != tensor.shape:
                errors.append(f"size mismatch for {name}: copying a param with shape {state_dict[name].shape} from checkpoint, "
                              f"the shape in current model is {tensor.shape}.")
                continue
            with torch.no_grad():
                tensor.copy_(state_dict[name])
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)

    def extra_repr(self):
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        children = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if not children and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        lines = (extra.split("\n") if extra else []) + children
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


def _type_of(value):
    return value.type() if isinstance(value, torch.Tensor) else type(value).__name__


def _quoted(names):
    return ", ".join([f'"{name}"' for name in names])


class _IncompatibleKeys:
    def __init__(self, missing_keys, unexpected_keys):
        self.missing_keys, self.unexpected_keys = missing_keys, unexpected_keys

    def __iter__(self):
        return iter((self.missing_keys, self.unexpected_keys))

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class _Handle:
    def __init__(self, hooks, hook):
        self.hooks = hooks
        hooks[self] = hook

    def remove(self):
        self.hooks.pop(self, None)


class _Container(Module):  # of modules by number
    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules.values())[index]

    def __setitem__(self, index, module):
        self._modules[str(index % len(self))] = module

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self


class Sequential(_Container):
    def __init__(self, *args):
        super().__init__()
        items = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else [(str(i), m) for i, m in enumerate(args)]
        for name, module in items:
            self.add_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Container):
    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules.values() if isinstance(modules, dict) else modules or [])

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __repr__(self):
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        lines, first = [], 0
        for i in range(1, len(texts) + 1):
            if i == len(texts) or texts[i] != texts[first]:
                single = i - first == 1
                text = f"({first}): {texts[first]}" if single else f"({first}-{i - 1}): {i - first} x {texts[first]}"
                lines.append(_indented(text))
                first = i
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        for key, module in modules.items() if isinstance(modules, (dict, ModuleDict)) else modules:
            self.add_module(key, module)


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        for value in values or []:
            self.append(value)

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]

    def append(self, value):
        self._parameters[str(len(self))] = value if isinstance(value, Parameter) else Parameter(value)
        return self

    def extra_repr(self):
        lines = [f"({i}): Parameter containing: [{p.dtype} of size {'x'.join([str(n) for n in p.shape])}]" for i, p in enumerate(self)]
        return "\n".join(["  " + line for line in lines])


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(torch.empty(out_features, in_features))
        if bias:
            self.bias = Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Conv2d(Linear):
    _dims, _function = 2, staticmethod(F.conv2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
        Module.__init__(self)
        def several(x):
            return tuple(x) if isinstance(x, (tuple, list)) else (x,) * self._dims
        self.in_channels, self.out_channels, self.dilation, self.groups = in_channels, out_channels, dilation, groups
        self.kernel_size, self.stride, self.padding = several(kernel_size), several(stride), several(padding)
        self.weight = Parameter(torch.empty((out_channels, in_channels // groups) + self.kernel_size))
        self.in_features = self.weight[0].numel()
        self.register_parameter("bias", Parameter(torch.empty(out_channels)) if bias else None)
        self.reset_parameters()

    def forward(self, input):
        one = self._dims == 1
        return self._function(input, self.weight, self.bias, self.stride[0] if one else self.stride, self.padding[0] if one else self.padding,
                              self.dilation, self.groups)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        text += f", padding={self.padding}" if any(self.padding) else ""
        return text + (", bias=False" if self.bias is None else "")


class Conv1d(Conv2d):
    _dims, _function = 1, staticmethod(F.conv1d)


class NonDynamicallyQuantizableLinear(Linear):
    pass


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx + num_embeddings if padding_idx is not None and padding_idx < 0 else padding_idx
        self.weight = Parameter(torch.empty(num_embeddings, embedding_dim))
        self.reset_parameters()

    def reset_parameters(self):
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx] = 0

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None):
        rows, columns = embeddings.shape
        embedding = cls(rows, columns)
        embedding.padding_idx = padding_idx
        embedding.weight = Parameter(embeddings, requires_grad=not freeze)
        return embedding

    def forward(self, input):
        rows = F.embedding(input, self.weight)
        if self.padding_idx is None:
            return rows
        return torch._named(torch.where((input == self.padding_idx).unsqueeze(-1), rows.detach(), rows), "EmbeddingBackward0")

    def extra_repr(self):
        end = f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        return f"{self.num_embeddings}, {self.embedding_dim}{end}"


class MultiheadAttention(Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False, kdim=None, vdim=None):
        super().__init__()
        if kdim is not None or vdim is not None:
            raise NotImplementedError("onestep's MultiheadAttention takes keys and values of the queries' size")
        if embed_dim % num_heads != 0:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.batch_first = dropout, batch_first
        self.in_proj_weight = Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.register_parameter("in_proj_bias", Parameter(torch.empty(3 * embed_dim)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias)
        init.xavier_uniform_(self.in_proj_weight)
        if bias:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def _heads(self, x, part):
        rows = slice(part * self.embed_dim, (part + 1) * self.embed_dim)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[rows]
        projected = F.linear(x, self.in_proj_weight[rows], bias)
        return projected.unflatten(-1, (self.num_heads, self.head_dim)).transpose(-3, -2)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        is_batch = query.dim() == 3
        if is_batch and not self.batch_first:
            query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        q, k, v = self._heads(query, 0), self._heads(key, 1), self._heads(value, 2)
        scores = q * (1.0 / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
        if attn_mask is not None:
            if attn_mask.dim() == 3 and is_batch:
                attn_mask = attn_mask.unflatten(0, (-1, self.num_heads))
            scores = scores.masked_fill(attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask.unsqueeze(-2).unsqueeze(-3)
            scores = scores.masked_fill(padding, -math.inf) if padding.dtype == torch.bool else scores + padding
        weights = F.dropout(F.softmax(scores, dim=-1), self.dropout, self.training)
        context = self.out_proj((weights @ v).transpose(-3, -2).flatten(-2))
        if is_batch:
            context = context.transpose(0, 1) if not self.batch_first else torch._named(context, "TransposeBackward0")
        if not need_weights:
            return context, None
        return context, weights.mean(-3) if average_attn_weights else weights


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class ReLU(Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class SiLU(ReLU):
    def forward(self, input):
        return F.silu(input)


class GELU(Module):
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Tanh(Module):
    def forward(self, input):
        return torch.tanh(input)


class Sigmoid(Module):
    def forward(self, input):
        return torch.sigmoid(input)


class Softmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, dim=self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    def forward(self, input):
        return F.log_softmax(input, dim=self.dim)

    def extra_repr(self):
        return ""


class CrossEntropyLoss(Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        super().__init__()
        self.weight, self.ignore_index, self.reduction, self.label_smoothing = weight, ignore_index, reduction, label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
                               label_smoothing=self.label_smoothing)


class NLLLoss(CrossEntropyLoss):
    def forward(self, input, target):
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class MSELoss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(MSELoss):
    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class BCEWithLogitsLoss(MSELoss):
    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, reduction=self.reduction)


class BCELoss(MSELoss):
    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, reduction=self.reduction)
