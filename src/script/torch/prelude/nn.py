# torch.nn: modules, layers and losses.
import copy
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

    __getattr__ = _member

    def __delattr__(self, name):
        for group in (self._parameters, self._buffers, self._modules, self.__dict__):
            if name in group:
                del group[name]
                return
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __call__(self, *args, **kwargs):
        if self._forward_pre_hooks:
            for hook in list(self._forward_pre_hooks.values()):
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        if self._forward_hooks:
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
        if tensor is not None and not isinstance(tensor, torch.Tensor) and not torch.is_complex(tensor):
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

    def half(self):
        return self.to(torch.float16)

    def bfloat16(self):
        return self.to(torch.bfloat16)

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

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        self.__dict__.setdefault("_load_hooks", []).append(hook)

    register_load_state_dict_pre_hook = _register_load_state_dict_pre_hook

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own, errors, state_dict = self._kept(), [], dict(state_dict)
        for path, module in self._walk_all(""):
            for hook in module.__dict__.get("_load_hooks", ()):
                hook(state_dict, path, {}, strict, [], [], errors)
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
        self.weight = Parameter(torch.empty(out_features, in_features, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_features, dtype=dtype))
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
    _dims = 2

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
        function, stride, padding = (F.conv1d, self.stride[0], self.padding[0]) if self._dims == 1 else (F.conv2d, self.stride, self.padding)
        return function(input, self.weight, self.bias, stride, padding, self.dilation, self.groups)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        text += f", padding={self.padding}" if any(self.padding) else ""
        return text + (", bias=False" if self.bias is None else "")


class Conv1d(Conv2d):
    _dims = 1


class LazyLinear(Linear):
    def __init__(self, out_features, bias=True, device=None, dtype=None):
        Module.__init__(self)
        self.__dict__.update(out_features=out_features, has_bias=bias, in_features=0)

    def forward(self, input):
        if type(self) is LazyLinear:  # its first call makes a Linear of it
            names = self.__dict__
            self.__class__ = Linear
            hooks, training = (names["_forward_hooks"], names["_forward_pre_hooks"]), names["training"]
            Linear.__init__(self, input.shape[-1], self.out_features, names.pop("has_bias"))
            names["_forward_hooks"], names["_forward_pre_hooks"] = hooks
            names["training"] = training
        return F.linear(input, self.weight, self.bias)


class NonDynamicallyQuantizableLinear(Linear):
    pass


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx + num_embeddings if padding_idx is not None and padding_idx < 0 else padding_idx
        self.weight = Parameter(torch.empty(num_embeddings, embedding_dim, dtype=dtype))
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
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):
        super().__init__()
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("onestep's MultiheadAttention has no add_bias_kv and no add_zero_attn")
        if (kdim or embed_dim) != embed_dim or (vdim or embed_dim) != embed_dim:
            raise NotImplementedError("onestep's MultiheadAttention takes keys and values of the queries' size")
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead")
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

    def _projected(self, query, key, value):
        weight, bias, sizes = self.in_proj_weight, self.in_proj_bias, [self.embed_dim] * 3
        if query is key and key is value:
            parts = F.linear(query, weight, bias).unflatten(-1, (3, self.embed_dim))
            return parts.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous().unbind(0)
        biases = [None] * 3 if bias is None else bias.split(sizes)
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.split(sizes), biases)]

    def _mask(self, attn_mask, padding, batch, keys):
        masks = [mask if mask is None or mask.dtype != torch.bool else torch.zeros(mask.shape).masked_fill(mask, -math.inf)
                 for mask in (attn_mask, padding)]
        if masks[0] is not None and masks[0].dim() == 2:
            masks[0] = masks[0].unsqueeze(0)
        if padding is not None:
            masks[1] = masks[1].view(batch, 1, 1, keys).expand(-1, self.num_heads, -1, -1).reshape(batch * self.num_heads, 1, keys)
        return masks[0] if masks[1] is None else masks[1] if masks[0] is None else masks[0] + masks[1]

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        is_batch, is_self, is_own = query.dim() == 3, query is key, key is value
        if not is_batch or self.batch_first:  # (tokens, batch, embed_dim)
            query = query.transpose(1, 0) if is_batch else query.unsqueeze(1)
            key = query if is_self else key.transpose(1, 0) if is_batch else key.unsqueeze(1)
            value = key if is_own else value.transpose(1, 0) if is_batch else value.unsqueeze(1)
        if query.shape[-1] != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}")
        queries, batch, keys, heads = query.shape[0], query.shape[1], key.shape[0], self.num_heads
        q, k, v = [x.view(x.shape[0], batch * heads, self.head_dim).transpose(0, 1) for x in self._projected(query, key, value)]
        mask, dropout = self._mask(attn_mask, key_padding_mask, batch, keys), self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            q = q * math.sqrt(1.0 / self.head_dim)
            scores = torch.bmm(q, k.transpose(-2, -1)) if mask is None else torch.baddbmm(mask, q, k.transpose(-2, -1))
            weights = F.softmax(scores, dim=-1)
            weights = F.dropout(weights, dropout) if dropout > 0.0 else weights
            context = torch.bmm(weights, v).transpose(0, 1)
        else:
            if mask is not None:
                mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, heads, -1, keys)
            q, k, v = [x.view(batch, heads, -1, self.head_dim) for x in (q, k, v)]
            context = F.scaled_dot_product_attention(q, k, v, mask, dropout).permute(2, 0, 1, 3)
        context = self.out_proj(context.contiguous().view(queries * batch, self.embed_dim)).view(queries, batch, self.embed_dim)
        context = context.squeeze(1) if not is_batch else context.transpose(1, 0) if self.batch_first else context
        if need_weights:
            weights = weights.view(batch, heads, queries, keys)
            weights = weights.mean(dim=1) if average_attn_weights else weights
            weights = weights if is_batch else weights.squeeze(0)
        return context, weights


class TransformerEncoderLayer(Module):
    _attentions = ("self_attn",)

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        count = len(self._attentions) + 1
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first))
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        for i in range(1, count + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias))
        for i in range(1, count + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = {"relu": F.relu, "gelu": F.gelu}[activation] if isinstance(activation, str) else activation

    def _around(self, x, i, block):
        norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
        return x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        x = self._around(src, 1, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self._around(x, 2, self._feed_forward)


class TransformerDecoderLayer(TransformerEncoderLayer):
    _attentions = ("self_attn", "multihead_attn")

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=False, memory_is_causal=False):
        x = self._around(tgt, 1, lambda x: self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0])
        x = self._around(x, 2, lambda x: self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0])
        return self._around(x, 3, self._feed_forward)


class TransformerEncoder(Module):
    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(TransformerEncoder):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=None, memory_is_causal=False):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True):
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.encoder = custom_encoder or TransformerEncoder(TransformerEncoderLayer(*options), num_encoder_layers,
                                                            LayerNorm(d_model, layer_norm_eps, bias=bias))
        self.decoder = custom_decoder or TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers,
                                                            LayerNorm(d_model, layer_norm_eps, bias=bias))
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, memory_is_causal=False):
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        return torch.triu(torch.full((sz, sz), -math.inf), diagonal=1)


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
        self.register_parameter("weight", Parameter(torch.ones(self.normalized_shape, dtype=dtype)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(torch.zeros(self.normalized_shape, dtype=dtype)) if elementwise_affine and bias else None)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", Parameter(torch.ones(self.normalized_shape, dtype=dtype)) if elementwise_affine else None)

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


class LeakyReLU(ReLU):
    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


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
