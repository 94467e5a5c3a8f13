"""Programs at random: Python without classes, and PyTorch, as people write it around attention.

A grammar of templates, whose holes are filled by kind. What a statement gives is known by running it in PyTorch while the
program grows: later statements use its variables, by kind and shape. A statement that fails is left out, or kept with its
failure caught; now and then it is the last.
"""
import contextlib
import io
import random
import signal
import warnings

import torch


def templates(text):
    """One in a line, or several with two blanks between."""
    return [template for line in text.strip().split("\n") for template in line.split("  ")]


LETTERS = "abcdefghmnpqruvwxyz"
INTS = templates("""
{I}  {i}+{i}  {i}-{i}  {i}*{k}  {i}//{i}  {i}%{i}  -{i}  abs({i})  {i}**{k}  len({l})  len({s})  len({t})  {t}.dim()
{t}.numel()  {t}.ndim  {t}.shape[{d}]  {t}.size({d})  sum({l})  max({l})  min({l})  int({f})  round({f})
{i} if {b} else {i}  {i}&{i}  {i} | {i}  {i}^{i}  {i}<<{k}  {i}>>{k}  ~{i}  divmod({i}, {i})[{k}]  {l}.index({i})
{l}.count({i})  {l}[{d}]  {l}[-1]  sum([{i} for _ in range({k})])  int({b})  {s}.count('a')  {s}.find('o')
max({i}, {i})  min({i}, {i}, {i})  sum(x*x for x in {l})  {D}.get('a', {i})  len({D})  math.floor({f})  math.ceil({f})
math.gcd({i}, {i})  ord('{S}')  (lambda x, y={i}: x+y)({i})  {z}.sum().item()  {m}.sum().item()  {t}.argmax().item()
{g}({i})  int('{K}')  {i}.bit_length()  next(iter({l}))  {i} or {i}  {i} and {i}  {z}.max().item()  {t}.stride(0)
{t}.stride()[-1]  {t}.nelement()  math.prod({l})  len(range({i}))  math.comb({k}, {k})
""")
FLOATS = templates("""
{R}  {R}  {f}+{f}  {f}-{i}  {f}*{f}  {f}/{n}  {i}/{i}  -{f}  {f}**{k}  {f}//{n}  {f}%{n}  abs({f})
math.sqrt(abs({f}))  math.exp({R})  math.log(abs({f})+1)  math.sin({R})  math.cos({R})  math.tanh({f})
round({f}, {k})  float({i})  {f} if {b} else {f}  float('{R}')  {x}.sum().item()  {x}.mean().item()  {x}.max().item()
math.pi  math.e  {i}**-{K}  {i}*0.5  sum([{f}, {f}])  max({f}, {n})  min({f}, {n})  math.hypot({f}, {f})  float('inf')
float('nan')  math.inf  {f}*1e-5  {f}*1e10  {x}.std().item()  {h}({f})  math.log2({K})  math.log10({K})
math.fabs({f})  sum({l})/len({l})  {K}**0.5  math.erf({R})  math.pow({K}, 0.5)
{x}.norm().item()  float({x}.sum())
""")
BOOLS = templates("""
True  False  {i}<{i}  {i}<={f}  {i}=={i}  {f}!={f}  {i}<{i}<{i}  {i} in {l}  {i} not in {l}  not {b}  {b} and {b}
{b} or {b}  {n}>{n}  {s}=={s}  isinstance({n}, int)  isinstance({t}, torch.Tensor)  bool({i})  bool({l})  all({l})
any({l})  {m}.any().item()  {m}.all().item()  math.isnan({f})  torch.equal({t}, {t})  torch.allclose({x}, {x})
{s} in {s}  {l}=={l}  {s}.startswith('a')  {s}.isdigit()  {t} is {t}  {t}.is_contiguous()  {x}.requires_grad
callable({g})  {t}.dtype == torch.float32  {t}.is_floating_point()  {s}<{s}  {b}^{b}  {b}&{b}
all(x > {i} for x in {l})  torch.is_tensor({v})  isinstance({v}, (int, float))  {t}.shape == {t}.shape  None is None
math.isclose({f}, {f})  'a' in {D}
""")
STRS = templates("""
'{S}'  '{S} {S}'  str({n})  repr({s})  {s}+{s}  {s}*{k}  {s}.upper()  {s}.title()  {s}[::-1]  {s}[{k}:]  {s}[:-{K}]
{s}.replace('o', '0')  ','.join(str(x) for x in {l})  '-'.join([{s}, {s}])  f'{{{i}}}'  f'{{{f}:.3f}}'
f'{{{i}:>{K}}}'  f'{{{i}:0{K}d}}'  f'{{{f}:8.2f}} '  f'{{{f}:e}}'  f'{{{f}:.{k}g}}'  f'{{{i}:,}}'  f'{{{s}!r}}'
f'{{{s}:^12}} '  f'{{{s}:*<9}}'  f'{{{f}:+.1f}}'  f'{{{b}}}'  f'{{{l}}}'  f'{{{i}=}}'  '%d items' % ({i},)
'%.2f' % {f}  '%s %r' % ({s}, {s})  '{{}} {{:.2f}}'.format({s}, {f})  {s}.rjust({K})  {s}.zfill({K})
{s}.center({K}, '.')  {s}.strip()  f'{{{f}:.1%}}'  f'{{{i}:x}}'  f'{{{i}:b}}'  str({t}.shape)  str({t}.dtype)
type({v}).__name__  str({l})  f'{{{x}.mean():.4f}}'  f'{{{x}.sum().item():.3f}}'  f'{{{x}}}'  str({m})  {s}.swapcase()
chr(97+{k})  {s}.split()[0]  f'{{{s}:>{{{K}}}}}'  ' '.join({s}.split('o'))  f'{{{i}:5}} {{{f}:<8}} '
f'{{{f}}} {{{f}!r}}'  str({x}.tolist())  f'{{tuple({t}.shape)}}'
""")
LISTS = templates("""
[{i}, {i}, {i}]  [{i}]  list(range({k}, {K}))  list(range({K}, 0, -{K}))  [x*{i} for x in {l}]
[x for x in {l} if x % 2]  sorted({l})  sorted({l}, reverse=True)  {l}[::2]  {l}[::-1]  {l}[{k}:]  {l}[-2:]  {l}[:{k}]
{l}+{l}  {l}*2  list(reversed({l}))  [i*x for i, x in enumerate({l})]  [x+y for x, y in zip({l}, {l})]
list(map(lambda x: x+{i}, {l}))  list(filter(lambda x: x>{i}, {l}))  {z}.flatten().tolist()  list({t}.shape)
sorted({l}, key=lambda x: -x)  [{i} if x>{i} else x for x in {l}]  sorted(set({l}))  [len(s) for s in [{s}, {s}]]
[i+j for i in range({K}) for j in range(i)]  [*{l}, {i}]  list({D}.values())  [y := {i}, y+1, y*2]
[{g}(x) for x in {l}]  [x for x in range({K}) if x not in {l}]  [int(x) for x in {z}.flatten()]
[a for a, *_ in [{l}, {l}]]  [max(x, {i}) for x in {l}]  {l}.copy()  [{i}]*{K}  list(dict.fromkeys({l}))
""")
DICTS = templates("""
{{'a': {i}, 'b': {i}}}  {{x: x*x for x in {l}}}  dict(zip('abc', {l}))  dict(a={i}, c={i})  {{**{D}, 'z': {i}}}
{{k: v+1 for k, v in {D}.items()}}  {{str(x): x for x in {l}}}  dict({D})  {{k: {D}[k] for k in sorted({D}, key=str)}}
{{v: 1 for v in {l}}}
""")
FLOAT_TENSORS = templates("""
torch.tensor([{R}, {R}, {R}])  torch.tensor([[{R}, {R}], [{R}, {R}]])  torch.rand({c})  torch.randn({c})
torch.zeros({c})  torch.ones({c})  torch.full(({c}), {R})  torch.linspace({R}, {R}, {K})  torch.eye({K})
torch.arange({K}).float()  torch.arange(0, {K}, 0.5)  {t}.float()  {x}+{x}  {x}-{x}  {x}*{x}  {x}/{x}  {x}*{n}
{x}+{n}  {n}-{x}  {n}/{x}  {x}**{k}  {x}**0.5  -{x}  {x}.exp()  {x}.log()  {x}.abs()  {x}.sqrt()  torch.exp({x})
torch.tanh({x})  torch.sigmoid({x})  torch.relu({x})  {x}.clamp(min={R})  {x}.clamp({R}, {R})  {x}.sum({d})
{x}.sum(dim={d}, keepdim=True)  {x}.mean({d})  {x}.mean(dim={d}, keepdim=True)  {x}.max(dim={d}).values
{x}.min(dim={d})[0]  {x}.amax({d})  {x}.std({d})  {x}.var(dim={d}, unbiased=False)  {x}.softmax({d})
torch.softmax({x}, dim={d})  F.softmax({x}, dim=-1)  torch.log_softmax({x}, dim={d})  {x}.cumsum({d})  {p}@{p}
{p}@{p}.T  {p}.T@{p}  torch.matmul({x}, {x})  torch.matmul({p}, {p}.transpose(0, 1))  {x}.masked_fill({m}, {R})
{x}.masked_fill({x}>{R}, -torch.inf)  torch.where({m}, {x}, {x})  torch.where({x}>0, {x}, {R})  torch.tril({p})
torch.triu({p}, diagonal={d})  {p}.triu({d})  {x}.transpose({d}, {d})  {p}.T  {x}.view({c})  {x}.view(-1)
{x}.reshape({c})  {x}.reshape(-1, {K})  {x}.flatten()  {x}.unsqueeze({d})  {x}.squeeze()  {x}.squeeze({d})  {x}[{k}]
{x}[-1]  {x}[:, {k}]  {x}[..., {d}]  {x}[{k}:]  {x}[::2]  {x}[:, ::2]  {x}[None]  {x}[:, None]  {x}[{x}>{R}]  {x}[{m}]
{x}[{z}]  {x}[[{k}, {k}]]  {x}[..., None]  torch.cat([{x}, {x}])  torch.cat(({x}, {x}), dim={d})
torch.stack([{x}, {x}])  torch.stack([{x}, {x}], dim={d})  {x}.expand({K}, -1)  {x}.expand(-1, {K})
{x}.repeat({K}, 1)  {x}.repeat_interleave({K}, dim={d})  {x}.permute(*range({x}.dim()-1, -1, -1))  {x}.contiguous()
{x}.clone()  {x}.detach()  torch.outer({u}, {u})  torch.dot({u}, {u})  {u}@{u}  {p}@{u}
torch.einsum('ij,jk->ik', {p}, {p})  torch.einsum('ij->ji', {p})  torch.einsum('i,j->ij', {u}, {u})
torch.einsum('ij,ij->i', {p}, {p})  torch.bmm({q}, {q}.transpose(1, 2))  {q}@{q}.mT  {p}.mT  {x}.chunk(2, dim={d})[0]
{x}.split({K}, dim={d})[-1]  {x}.sort(dim={d}).values  {x}.topk({K}).values  {x}.norm()  {x}.norm(dim={d})  {x}.prod()
{x}.sum()  {x}.mean()  {x}.max()  {x}.min()  {x}.var()  {x}.std()  {x}.float()
torch.zeros_like({t}, dtype=torch.float32)  torch.ones_like({x})  {x}.round()  {x}.floor()  {x}.sign()  F.relu({x})
F.gelu({x})  F.silu({x})  F.linear({x}, {p})  F.linear({x}, {p}, {u})
torch.maximum({x}, {x})  torch.minimum({x}, {x})  torch.pow({x}, {k})  torch.sin({x})  torch.cos({x})
torch.rsqrt({x}.abs()+1)  {x}.mul({n})  {x}.add({x})  {x}.sub({x})  {x}.div({x})  {x}.pow(2).sum({d})
torch.add({x}, {x}, alpha={k})  ({x}-{x}.mean())/{x}.std()  {x}.logsumexp({d})  {x}.gather({d}, {z})
{x}.index_select({d}, torch.tensor([0]))  {x}.narrow(0, 0, {K})  {x}.unbind({d})[0]  {x}.flip({d})  {x}.roll({k}, {d})
torch.roll({x}, {k})  {p}.diagonal()  torch.diag({u})  {x}.triu().sum()  {x}.fill_({R})  {x}.add_({n})
{x}.mul_({n})  {x}.clone().zero_()  {x}.masked_fill_({m}, {R})  {x}.neg()  {x}.reciprocal()  {x}.square()
{x}.median()  torch.sqrt({x}.abs())  F.one_hot({z}).float()  {x}.erf()  {x}%{K}  {x}//{K}
{x}.sum((0, 1))  {x}.view({K}, -1, {K})  {x}.swapaxes(0, 1)  {x}.movedim(0, -1)  {x}.unflatten(0, (-1, {K}))
{x}.lerp({x}, 0.5)  F.normalize({x}, dim={d})  F.dropout({x}, 0.5)  F.mse_loss({x}, {x})  F.cross_entropy({p}, {z})
torch.tensor({f})  torch.tensor({l}, dtype=torch.float32)
torch.nn.functional.pad({x}, ({k}, {k}))  {x}.nan_to_num()  {x}.cumprod({d})  torch.addmm({p}, {p}, {p})
torch.mm({p}, {p})  torch.mv({p}, {u})  torch.normal(0.0, 1.0, ({c},))  {x}.mean(({d}, {d}))
{x}.minimum({x})  F.leaky_relu({x})  F.log_softmax({x}, {d})
torch.meshgrid({u}, {u}, indexing='ij')[0]  torch.full_like({x}, {R})  torch.empty({c}).fill_({R})  {x}.tanh()
{x}.sigmoid()  {x}.T  {x}.tril()
torch.concat([{x}, {x}])  torch.tile({x}, ({K},))  {x}.view_as({x})  {x}.reshape_as({x})  {x}.expand_as({x})
{x}.new_zeros({c})  {x}.trunc()  {x}.ceil()  {x}.clip(0, 1)  {x}.masked_select({m})
{x}.scatter({d}, {z}, {R})

""")
INT_TENSORS = templates("""
torch.tensor({l})  torch.arange({K})  torch.arange({k}, {K})  torch.arange({K}, 0, -1)
torch.zeros({c}, dtype=torch.int64)  torch.tensor([[{i}, {i}], [{i}, {i}]])  {z}+{z}  {z}-{z}  {z}*{i}  {z}//{K}
{z}%{K}  {z}**2  -{z}  {z}.abs()  {t}.long()  {t}.int()  torch.randint(0, {K}, ({c},))  {t}.argmax({d})  {t}.argmin()
{t}.argmax(dim={d}, keepdim=True)  {t}.argsort({d})  {x}.sort(dim={d}).indices  {x}.topk({K}).indices
{x}.max(dim={d}).indices  {m}.sum({d})  {m}.long()  {m}.nonzero()  {z}[{k}]  {z}[:, None]  {z}[::2]  {z}[{z}>{i}]
{z}.view(-1)  {z}.reshape({c})  {z}.sum()  {z}.sum({d})  {z}.max()  {z}.cumsum({d})  torch.cat([{z}, {z}])
torch.stack([{z}, {z}])  {z}.unsqueeze({d})  torch.where({m}, {z}, {z})  {z}.clamp({k}, {K})  {z}.unique()
{z}.bincount()  F.one_hot({z})  torch.bincount({z})  {z}.t()  {z}.min({d}).values  {z}.prod()  {z}&{z}  {z} | {z}
{z}.flip(0)  {z}.masked_fill({m}, {i})  {z}.repeat({K})  torch.searchsorted({u}.sort().values, {R})  {z}^{z}  ~{z}
{z}<<1  torch.multinomial({u}.abs()+0.1, {K}, replacement=True)  torch.randperm({K})  torch.arange({K}).view({c})
{z}.expand({K}, -1)  torch.count_nonzero({t})  torch.full(({c},), {i})  torch.ones_like({z})  {z}.T
{z}.remainder({K})  {z}.sign()  {z}.square()  torch.tensor({i})  {z}.bool().int()  torch.triu_indices({K}, {K})
torch.tril_indices({K}, {K})  {z}.to(torch.int32)  {z}.roll(1)  {z}.amax({d})  {z}.tril()  {z}.gather({d}, {z})
""")
BOOL_TENSORS = templates("""
{x}>{R}  {x}<{x}  {x}>={n}  {x}=={x}  {z}=={i}  {z}!={z}  {t}.bool()  ~{m}  {m}&{m}  {m} | {m}  {m}^{m}
torch.ones({c}, dtype=torch.bool)  torch.triu(torch.ones({K}, {K}), diagonal=1).bool()
torch.tril(torch.ones({K}, {K}, dtype=torch.bool))  torch.isnan({x})  {x}.isinf()  {m}[{k}]  {m}[:, None]
{m}.any({d})  {m}.all(dim={d})  {m}.T  {m}.view(-1)  torch.tensor([True, False, {b}])  {z}<{K}
torch.arange({K})[:, None]>=torch.arange({K})  torch.zeros({c}).bool()  {m}.logical_not()  torch.logical_and({m}, {m})
{m} == {m}  torch.isclose({x}, {x})  {x}.isfinite()  {x}.eq({x})  {z}.gt({i})
{m}.unsqueeze({d})  {m}.tril()  torch.cat([{m}, {m}])  {m}.expand({K}, -1)  {m}.logical_or({m})  {x}.ne({R})
torch.logical_xor({m}, {m})  {m}.clone()  {m}.repeat({K}, 1)  {m}.any()  {m}.all()
""")
DOUBLES = templates("""
{x}.double()  {x}.to(torch.float64)  torch.tensor([{R}, {f}], dtype=torch.float64)  {y}+{y}  {y}-{n}  {y}*{y}  {y}/{n}
{y}.sum()  {y}.mean({d})  {y}.sum({d})  {y}@{y}  {y}.T  {y}[{k}]  {y}+{x}  {y}.view(-1)  {y}.max()  {y}.abs()  -{y}
{y}.reshape({c})  {y}.masked_fill({m}, {R})  {y}*{z}  {y}.unsqueeze({d})  {y}.cumsum({d})  {y}>{R}
""")
ELEMENTS = {"y": DOUBLES, "i": INTS, "f": FLOATS, "b": BOOLS, "s": STRS, "l": LISTS, "D": DICTS, "x": FLOAT_TENSORS, "z": INT_TENSORS, "m": BOOL_TENSORS}
WORDS = "journey one step with your the attention is all you need hello World a b42".split()
SETTINGS = templates("""
{x}[{k}] = {R}  {x}[:, {k}] = {R}  {x}[{x}>{R}] = {R}  {x}[{m}] = {n}  {x}[{k}] += {n}  {x} += {n}  {x} *= {x}
{x} -= {x}  {x} /= {n}  {x}[..., 0] = {u}  {z}[{k}] = {i}  {x}[{k}:] = {x}  {x}[::2] *= {n}  {l}.append({i})
{l}[{k}] = {i}  {l}.insert({k}, {i})  {l}.extend({l})  {l}.sort()  {l}.reverse()  {l}[1:2] = {l}  {D}['{S}'] = {i}
{D}.update(q={i})  {l}[0] += {i}  {x}[{z}] = {R}  {x}.zero_()  {m}[{k}] = {b}  del {l}[{k}]  {l}.pop()
{D}.pop('a', None)  {x}[:, 1:] = {R}  {x}[{k}, {k}] = {i}  {D}.setdefault('a', {i})  {l} += {l}  {l} *= 2
{x}[{k}][{k}] = {R}  {l}.remove({i})  {l}[::2] = [0] * len({l}[::2])  {D}.clear()  {x}[None] = {x}
{x}.masked_fill_({m}, {R})  {z} += {i}  {z} //= {K}  {z}[{z}>{i}] = {i}
""")
SIZES = (1, 2, 2, 3, 3, 4, 5)


class Late(Exception):
    """A statement took too long."""


def late(signal_number, frame):
    raise Late


def kind_of(value):
    """The hole that a value may fill; None if it may fill none."""
    if isinstance(value, torch.Tensor):
        dtype = value.dtype
        return {torch.bool: "m", torch.int64: "z", torch.int32: "z", torch.float32: "x", torch.float64: "y"}.get(dtype)
    kinds = {bool: "b", int: "i", float: "f", str: "s", list: "l", dict: "D"}
    return kinds.get(type(value))


def is_small(value):
    if isinstance(value, torch.Tensor):
        return value.numel() <= 48 and value.dim() <= 4 and all(size < 12 for size in value.shape)
    if isinstance(value, int):
        return abs(value) < 2**40
    if isinstance(value, list):
        return len(value) < 20 and all(type(item) in (int, bool) and abs(item) < 2**40 for item in value)
    return not isinstance(value, (str, dict)) or len(value) < 200


class Drawn:
    """A program as it grows: its lines, and its variables as they are behind them."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = ["import math", "import torch", "import torch.nn.functional as F"]
        self.names = {}
        exec("\n".join(self.lines), self.names)
        self.functions = {"g": [], "h": []}
        self.own = set()
        self.ended = False
        self.keep(f"torch.manual_seed({self.r.randrange(1000)})")

    # ---- Expressions ----

    def variables(self, kind, accepts=lambda value: True):
        return [name for name in sorted(self.own) if kind_of(self.names.get(name)) == kind and accepts(self.names[name])]

    def hole(self, kind, depth):
        r = self.r
        if kind == "I":
            return str(r.choice([0, 1, 2, 3, 4, 5, 7, 10, 12, 100, -1, -3]))
        if kind == "k":
            return str(r.choice([0, 0, 1, 1, 2, 3]))
        if kind == "K":
            return str(r.choice([1, 2, 2, 3, 3, 4, 5, 6]))
        if kind == "d":
            return str(r.choice([0, 0, 1, 1, -1, -1, -2, 2]))
        if kind == "R":
            return r.choice(["0.5", "1.5", "-0.25", "0.0", "2.0", "-1.0", "0.1", "3.14159", "1e-3", "100.0", "-2.5", "0.3333", "1e6", "7.0"])
        if kind == "S":
            return r.choice(WORDS)
        if kind == "c":
            return ", ".join(str(r.choice(SIZES)) for _ in range(r.choice([1, 2, 2, 2, 3])))
        if kind == "n":
            return self.expression(r.choice("if"), depth)
        if kind == "v":
            return self.expression(r.choice("ifbslxzm"), depth)
        if kind == "t":
            return self.expression(r.choice("xxxzm"), depth)
        if kind in "upq":
            wanted = {"u": 1, "p": 2, "q": 3}[kind]
            known = self.variables("x", lambda value: value.dim() == wanted)
            sizes = ", ".join(str(r.choice(SIZES)) for _ in range(wanted))
            return r.choice(known) if known and r.random() < 0.8 else f"torch.randn({sizes})"
        if kind in "gh":
            known = self.functions[kind]
            return r.choice(known) if known else "abs"
        return self.expression(kind, depth)

    def expression(self, kind, depth):
        known = self.variables(kind)
        if known and (depth <= 0 or self.r.random() < 0.55):
            return self.r.choice(known)
        if depth <= 0:
            simple = {"i": "{I}", "f": "{R}", "b": "True", "s": "'{S}'", "l": "[{I}, {I}, {I}]", "D": "dict(a={I}, b={I})", "x": "torch.rand({c})",
                      "z": "torch.arange({K})", "m": "torch.tensor([True, False])", "y": "torch.rand({c}).double()"}[kind]
            return self.fill(simple, 0)
        text = self.fill(self.r.choice(ELEMENTS[kind]), depth - 1)
        return f"({text})" if kind in "ifbl" and any(c in text for c in " +-*/%<>&|^~=") and not text[0] in "[" else text if text[0] not in "-~" else f"({text})"

    def fill(self, template, depth):
        if template.startswith("f'"):
            depth = 0  # no quotes within quotes, before Python 3.12
        out, i = [], 0
        while i < len(template):
            if template[i:i + 2] in ("{{", "}}"):
                out.append(template[i])
                i += 2
            elif template[i] == "{" and template[i + 2:i + 3] == "}":
                out.append(self.hole(template[i + 1], depth))
                i += 3
            else:
                out.append(template[i])
                i += 1
        return "".join(out)

    # ---- Statements ----

    def attempt(self, text):
        """Runs a statement; its failure or None."""
        signal.signal(signal.SIGALRM, late)
        signal.alarm(3)
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(text, "drawn", "exec"), self.names)
        except Late:
            return "late"
        except Exception as error:
            return error
        finally:
            signal.alarm(0)
        return None

    def keep(self, text):
        error = self.attempt(text)
        if error is None:
            self.lines += text.split("\n")
        return error

    def shown(self, name):
        value, r = self.names[name], self.r
        if isinstance(value, torch.Tensor):
            form = r.choice(["print({})", "print({0}.tolist())", "print({0}.shape, {0}.dtype, {0})", "print({0}.tolist(), {0}.stride())"])
        else:
            form = r.choice(["print({})", "print(repr({}))", "print('{0}', {0})", "print({0}, sep=', ')", "print(f'{{{0}}}')", "print([{0}])", "print({0}, type({0}))"])
        return form.format(name)

    def name(self):
        return self.r.choice(LETTERS) + self.r.choice(["", "", "", "1", "2"])

    def assign(self):
        r = self.r
        kind = r.choice("iifbsllDxxxxxxxxzzzmmmy")
        name, text = self.name(), self.expression(kind, 2)
        # no function's name
        if name in self.functions["g"] + self.functions["h"]:
            return
        known = self.names.get(name)
        statement = f"{name} = {text}"
        if r.random() < 0.1:
            statement = f"{name} = {self.name()}1 = {text}"
        elif r.random() < 0.1:
            statement = f"{name}: int = {text}"
        elif r.random() < 0.1:
            statement = f"{name}, {name}2 = {text}, {self.expression(r.choice('ifs'), 1)}"
        error = self.attempt(statement)
        if error is None and is_small(self.names[name]) and "dtype('" not in repr(self.names[name]):
            self.lines += statement.split("\n")
            self.own.add(name)
            self.lines.append(self.shown(name))
        elif error is None:
            self.names[name] = known
            self.own.discard(name)
        else:
            self.failed(text, error)

    def failed(self, text, error):
        if error == "late" or isinstance(error, (SyntaxError, MemoryError)):
            return
        if self.r.random() < 0.12:
            self.lines += ["try:", f"    print({text})", "except Exception as error:", "    print(type(error).__name__, str(error).split('\\n')[0])"]
        elif self.r.random() < 0.02:
            self.lines.append(f"print({text})")
            self.ended = True

    def change(self):
        text = self.fill(self.r.choice(SETTINGS), 1)
        targets = [name for name in self.own if text.lstrip("del ").startswith(name)]
        if not targets:
            return
        if self.keep(text) is None:
            name = max(targets, key=len)
            if is_small(self.names[name]):
                self.lines.append(self.shown(name))
            else:
                self.own.discard(name)

    def unpack(self):
        names = self.r.sample([letter + "3" for letter in LETTERS], 3)
        a, b, c = names
        items = [self.expression("i", 1) for _ in range(4)]
        text = self.r.choice([f"{a}, {b} = {items[0]}, {items[1]}", f"{a}, *{b} = [{', '.join(items)}]", f"*{a}, {b} = ({', '.join(items)})", f"{a}, ({b}, {c}) = {items[0]}, ({items[1]}, {items[2]})",
                              f"{a}, {b}, *{c} = {', '.join(items)}", f"{a}, {b} = divmod({items[0]}, {items[1]})", f"({a}, {b}), {c} = zip([{items[0]}, {items[1]}], [1, 2]), 0",
                              f"[{a}, {b}] = {self.expression('x', 1)}.shape"])
        if self.keep(text) is None:
            used = [name for name in names if name in text]
            self.lines.append(f"print({', '.join(used)})")

    def block(self, count):
        """Lines of a body: prints and changes of variables that are there."""
        lines = []
        for _ in range(count):
            kind = self.r.choice("ifsbxzlm")
            what = self.expression(kind, 1)
            mine = self.variables("i") + self.variables("f")
            if mine and self.r.random() < 0.4:
                lines.append(f"{self.r.choice(mine)} {self.r.choice(['+=', '-=', '*='])} {self.hole('I', 0)}")
            else:
                lines.append(f"print({what})")
        return lines

    def compound(self):
        r, e = self.r, self.expression

        def body(count=None, depth=1):
            return "\n".join("    " * depth + line for line in self.block(count or r.choice([1, 1, 2])))
        form = r.randrange(12)
        if form == 0:
            text = f"if {e('b', 2)}:\n{body()}\nelif {e('b', 1)}:\n{body()}\nelse:\n{body()}"
        elif form == 1:
            text = f"for i, x in enumerate({e('l', 1)}):\n    if i > 3: break\n    if x % 2: continue\n    print(i, x)\n{body(1)}\nelse:\n    print('done')"
        elif form == 2:
            text = f"for row in {e('x', 1)}[:3]:\n    print(row.sum(), row.shape)\n{body(1)}"
        elif form == 3:
            text = f"n9 = {self.hole('K', 0)}\nwhile n9 > 0:\n    n9 -= 1\n    if n9 == {self.hole('k', 0)}: continue\n{body(1)}\nelse:\n    print('end', n9)"
        elif form == 4:
            text = f"try:\n    print({e(r.choice('xzl'), 2)})\nexcept (IndexError, ValueError) as error:\n    print('index', type(error).__name__)\nexcept Exception as error:\n    print(type(error).__name__)\nelse:\n    print('fine')\nfinally:\n    print('finally')"
        elif form == 5:
            text = f"with torch.no_grad():\n{body(2)}"
        elif form == 6:
            text = f"for key, value in sorted({e('D', 1)}.items(), key=str):\n    print(key, value, end='; ')\nprint()"
        elif form == 7:
            text = f"if (w9 := {e('i', 1)}) > {self.hole('I', 0)}:\n    print('above', w9)\nelse:\n    print('below', w9)"
        elif form == 8:
            text = f"assert {e('b', 1)} or True, 'never'\nprint('asserted')"
        elif form == 9:
            text = f"for a9, b9 in zip({e('l', 1)}, {e('s', 1)}):\n    print(a9, b9, a9 * 2, b9 * 2)"
        elif form == 10:
            text = f"for a9 in range({self.hole('k', 0)}, {self.hole('K', 0)}):\n    for b9 in range(a9):\n        if b9 == 2: break\n        print(a9, b9, a9 / (b9 + 1))\n    else:\n        print('no break')"
        else:
            text = f"for piece in {e('x', 1)}.{r.choice(['split', 'chunk'])}({self.hole('K', 0)}, dim={self.hole('d', 0)}):\n    print(piece)"
        error = self.keep(text)
        if error is None:
            for name in list(self.own):
                if not is_small(self.names[name]):
                    self.own.discard(name)

    def function(self):
        r = self.r
        name = f"{r.choice(['scale', 'shift', 'mix', 'apply', 'norm'])}{len(self.lines)}"
        kind = r.choice("gh")
        one = self.hole("I", 0) if kind == "g" else self.hole("R", 0)
        two = self.hole("K", 0)
        text = r.choice([
            f"def {name}(x, y={one}):\n    return x * y + {two}",
            f"def {name}(x, *more, scale={two}, **others):\n    total = x\n    for item in more:\n        total += item * scale\n    return total - len(others)",
            f"def make{name}(step):\n    count = 0\n    def inner(x):\n        nonlocal count\n        count += step\n        return x + count\n    return inner\n{name} = make{name}({two})",
            f"{name} = lambda x, y={one}: x - y if x > y else y",
            f"def {name}(x, depth={two}):\n    if depth == 0:\n        return x\n    return {name}(x + 1, depth - 1)",
            f"def {name}(x):\n    '''Doubles.'''\n    if not x:\n        return {one}\n    return x + x",
            f"def {name}(x, /, y={one}, *, z={two}):\n    return x + y * z",
        ])
        if self.keep(text) is None:
            self.functions[kind].append(name)
            call = r.choice([f"print({name}({one}))", f"print([{name}(x) for x in range(3)])", f"print({name}({one}), {name}.__name__)", f"print(list(map({name}, [1, 2, 3])))"])
            self.keep(call)

    def grow(self, statements):
        for _ in range(statements):
            if self.ended:
                break
            self.r.choice([self.assign] * 12 + [self.change] * 3 + [self.compound] * 3 + [self.unpack, self.function])()
        return "\n".join(self.lines) + "\n"


def draw_program(seed):
    """The text of a program, always the same of a seed and a PyTorch."""
    return Drawn(seed).grow(random.Random(seed).randint(8, 30))
