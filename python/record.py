# Records a run of a PyTorch model, operation by operation: RECORDING.md beside this file describes what it writes.
import ast
import ctypes
import fnmatch
import inspect
import json
import linecache
import mmap
import os
import struct
import sys
import tempfile
import threading
import time
import weakref

FORMAT = "onestep recording 1"
DTYPES = {  # PyTorch's name: that of safetensors
    "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL"}
OPERATORS = {  # a method that stands for an operator, where the line has one
    "add": "+", "sub": "-", "mul": "*", "div": "/", "true_divide": "/", "matmul": "@", "pow": "**", "remainder": "%",
    "floor_divide": "//", "__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==", "ne": "!=",
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__div__": "/", "__matmul__": "@", "__pow__": "**",
    "__mod__": "%", "__floordiv__": "//", "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">",
    "__ge__": ">="}
REFLECTED = {
    "__radd__": "+", "__rsub__": "-", "__rmul__": "*", "__rdiv__": "/", "__rtruediv__": "/", "__rpow__": "**", "__rmatmul__": "@",
    "__rmod__": "%", "__rfloordiv__": "//", "__rand__": "&", "__ror__": "|", "__rxor__": "^"}
UNARY = {"neg": "-", "__neg__": "-", "bitwise_not": "~", "__invert__": "~", "positive": "+", "__pos__": "+"}
CHANGING = {  # in-place: the operator
    "add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/=", "pow_": "**=", "remainder_": "%=", "floor_divide_": "//=",
    "__iadd__": "+=", "__isub__": "-=", "__imul__": "*=", "__idiv__": "/=", "__itruediv__": "/=", "__ipow__": "**=",
    "__imod__": "%=", "__ifloordiv__": "//=", "__iand__": "&=", "__ior__": "|=", "__ixor__": "^="}
TENSOR_PROPERTIES = {"T", "mT", "H", "mH", "data", "real", "imag", "grad"}
NO_OPERATIONS = {"requires_grad_", "retain_grad", "register_hook", "size", "dim", "stride", "numel", "item", "tolist", "__len__",
                 "is_contiguous", "__repr__", "__format__", "__bool__", "type", "is_floating_point", "is_complex",
                 "has_names", "data_ptr", "storage_offset", "__hash__", "element_size", "get_device", "__deepcopy__"}
MOST_NODES, MOST_RESULTS = 1_000_000, 1024  # onestep reads no more
LONG_LIST = 1000  # elements of a list among the arguments; a longer one is written as [...]
torch = None


class RecordingError(Exception):
    """What cannot be recorded, in one line."""


def load_torch():
    """Imports PyTorch when the first recording begins: the rest of the module does without it."""
    global torch
    import torch


# --- Lines of source -----------------------------------------------------------------------------------------------
class Site:
    """A place in the user's code at which operations run."""

    def __init__(self, file, line, expression, variable, node):
        self.file, self.line, self.expression, self.variable, self.node = file, line, expression, variable, node


class Sources:
    """The user's files: which frame is the user's, and what stands at an instruction."""

    def __init__(self):
        self.torch_folder = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
        self.is_users = {}  # by a code's file name
        self.files, self.number_of = [], {}
        self.trees = {}  # by file name: {position: (node, variable)}, {line: variable}
        self.lines = {}  # by file name
        self.sites = {}  # by code and instruction

    def user_frame(self, frame):
        """The innermost frame from this one outwards that is the user's, or None."""
        while frame is not None:
            name = frame.f_code.co_filename
            users = self.is_users.get(name)
            if users is None:
                users = self.is_users[name] = not (os.path.abspath(name).startswith(self.torch_folder) or name == OWN_FILE or
                                                   name.startswith("<frozen"))
            if users:
                return frame
            frame = frame.f_back
        return None

    def site_of(self, frame):
        key = (frame.f_code, frame.f_lasti)
        site = self.sites.get(key)
        if site is None:
            site = self.sites[key] = self.look_up(frame)
        return site

    def look_up(self, frame):
        file = self.file_number(frame.f_code.co_filename)
        positions, lines = self.tree(frame.f_code.co_filename)
        position = position_of(frame)
        if position is None:
            return Site(file, frame.f_lineno, None, lines.get(frame.f_lineno), None)
        node, variable = positions.get(position) or call_that_ends_at(position, positions) or (None, None)
        text = None
        if node is not None:
            text = segment(self.lines[frame.f_code.co_filename], node)
        return Site(file, frame.f_lineno, " ".join(text.split()) if text else None, variable, node)

    def file_number(self, name):
        if name not in self.number_of:
            self.number_of[name] = len(self.files)
            path = os.path.abspath(name) if os.path.exists(name) else name
            self.files.append({"name": path, "text": "".join(linecache.getlines(name))})
        return self.number_of[name]

    def tree(self, name):
        if name not in self.trees:
            text = self.files[self.file_number(name)]["text"]
            lines = self.lines[name] = text.encode("utf-8", "replace").split(b"\n")
            try:
                self.trees[name] = places_in(text, lines)
            except (SyntaxError, ValueError):  # a cell with commands of IPython
                self.trees[name] = {}, {}
        return self.trees[name]


def position_of(frame):
    """(line, column, last line, last column) of the instruction that runs, or None before Python 3.11."""
    if not hasattr(frame.f_code, "co_positions"):
        return None
    for number, place in enumerate(frame.f_code.co_positions()):
        if number == frame.f_lasti // 2:
            line, end_line, column, end_column = place
            return (line, column, end_line, end_column)
    return None


def segment(lines, node):
    """The text of a node. Its columns count bytes. (The function of ast splits the whole text into lines each time.)"""
    found = lines[node.lineno - 1:node.end_lineno]
    found[-1] = found[-1][:node.end_col_offset]
    found[0] = found[0][node.col_offset:]
    return b"\n".join(found).decode("utf-8", "replace")


def places_in(text, lines_of_text):
    """({position: (node, variable)}, {line: variable}) of all expressions and assignments. The variable is what a statement
    assigns the whole expression to."""
    positions, lines, variables = {}, {}, {}
    for node in ast.walk(ast.parse(text)):
        if not hasattr(node, "lineno") or not isinstance(node, (ast.expr, ast.stmt)):
            continue
        for value, target in assigned_by(node):
            target = variables[value] = name_in(lines_of_text, target)
            for line in range(node.lineno, node.end_lineno + 1):
                lines.setdefault(line, target)
        if isinstance(node, (ast.expr, ast.AugAssign)):
            place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if place not in positions or isinstance(node, ast.Call):
                positions[place] = node
    return {place: (node, variables.get(node)) for place, node in positions.items()}, lines


def assigned_by(node):
    """Pairs of an expression and what it is assigned to."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
            pairs = list(zip(node.value.elts, target.elts))
        else:
            pairs = [(node.value, target)]
    elif isinstance(node, ast.AugAssign):
        pairs = [(node, node.target)]
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        pairs = [(node.value, node.target)]
    else:
        pairs = []
    return [(value, target) for value, target in pairs if is_name(target)]


def name_in(lines, target):
    """The target as it is written, several without brackets around them."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return ", ".join(segment(lines, element) for element in target.elts)
    return segment(lines, target)


def is_name(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(is_name(element) for element in target.elts)
    return isinstance(target, (ast.Name, ast.Attribute))


def call_that_ends_at(position, positions):
    """A chain of methods over several lines: Python says the line of the method's name, not that of the chain's beginning."""
    calls = [found for place, found in positions.items() if place[2:] == position[2:] and isinstance(found[0], ast.Call)]
    return max(calls, key=lambda found: (found[0].lineno, found[0].col_offset)) if calls else None


# --- Operations as text --------------------------------------------------------------------------------------------
class Operation:
    """How a function of PyTorch is written: its form ("function", "method", "property", ...) and its name or operator."""

    def __init__(self, form, name):
        self.form, self.name = form, name
        self.defaults = {}
        self.may_change = False
        self.is_secretive = False  # changes operands, and their versions do not tell


class Operations:
    """Names of PyTorch's functions."""

    def __init__(self):
        self.known = {}
        self.public = {}
        for prefix, space in [("torch.nn.functional.", torch.nn.functional), ("torch.linalg.", torch.linalg),
                              ("torch.special.", torch.special), ("torch.fft.", torch.fft), ("torch.", torch)]:
            for name, function in list(vars(space).items()):
                if callable(function) and not name.startswith("_") and not isinstance(function, type):
                    try:
                        self.public[function] = prefix + name
                    except TypeError:
                        pass

    def find(self, function):
        operation = self.known.get(function)
        if operation is None:
            operation = self.known[function] = self.describe(function)
        return operation

    def describe(self, function):
        name = getattr(function, "__name__", type(function).__name__)
        operation = self.accessor(function, name) if name in ("__get__", "__set__") else Operation(self.form_of(function, name), name)
        if operation.form == "function":
            operation.name = self.public.get(function) or public_name(function, name)
        if operation.name.startswith("torch.ops.profiler"):
            operation.form = "none"
        operation.defaults = defaults_of(function, operation.name)
        operation.is_secretive = "batch_norm" in name or "instance_norm" in name  # their running means
        operation.may_change = (
            name.endswith("_") and not name.endswith("__") or name in CHANGING or name in ("__setitem__", "__set__") or
            name.startswith("_foreach") or operation.is_secretive)
        return operation

    def accessor(self, function, name):
        """Reading or setting an attribute of a tensor."""
        attribute = function.__self__.__name__
        if name == "__get__":
            return Operation("property" if attribute in TENSOR_PROPERTIES else "none", attribute)
        return Operation("set property" if attribute == "data" else "none", attribute)

    def form_of(self, function, name):
        if name in NO_OPERATIONS:
            return "none"
        if function in self.public:
            return "function"
        is_method = getattr(torch.Tensor, name, None) is function or hasattr(function, "__objclass__") or \
            getattr(function, "__module__", None) == "torch._tensor"
        return "method" if is_method else "function"


def public_name(function, name):
    """The name of a function that stands in none of PyTorch's public modules under its own object."""
    for prefix, space in [("torch.nn.functional.", torch.nn.functional), ("torch.", torch)]:
        if callable(getattr(space, name.lstrip("_"), None)) and not name.startswith("__"):
            return prefix + name.lstrip("_")
    module = getattr(function, "__module__", None) or "torch"
    if module == "torch" and hasattr(torch, name):
        return "torch." + name
    if module.startswith("torch._C._") and name.startswith(module[len("torch._C._"):] + "_"):  # torch._C._linalg.linalg_norm
        return "torch." + module[len("torch._C._"):] + "." + name[len(module) - len("torch._C._") + 1:]
    if type(function).__name__ in ("OpOverloadPacket", "OpOverload"):
        return "torch.ops." + str(function)
    return module + "." + getattr(function, "__qualname__", name)


def defaults_of(function, name):
    """The defaults of a function: its arguments come with those that the user left out."""
    function = getattr(torch.nn.functional, "_" + name.rpartition(".")[2], function)  # _max_pool1d has what max_pool1d calls
    if not inspect.isfunction(function):
        return {}
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a wrapper of a method that is not Python's
        return {}
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def is_default(value, default):
    return value is default or type(value) is type(default) and isinstance(value, (int, float, str)) and value == default


class Text:
    """Writes a call, with values in the place of tensors. number_of(tensor) gives a value's number."""

    def __init__(self, number_of):
        self.number_of = number_of

    def call(self, operation, arguments, named, is_operator):
        """The operation as a line of Python. is_operator: the user wrote an operator, not a method."""
        name = operation.name
        if name == "torch.nn.functional.linear" and arguments[-1] is None:
            arguments = arguments[:-1]  # nn.Linear without a bias
        if operation.form == "script":
            name, arguments = arguments[0].name, arguments[1:]
        texts = [self.of(argument) for argument in arguments]
        texts += [f"{word}={self.of(value)}" for word, value in named.items()
                  if value is not None and not is_default(value, operation.defaults.get(word))]
        if operation.form == "property":
            return f"{texts[0]}.{name}"
        if operation.form == "set property":
            return f"{texts[0]}.{name} = {texts[1]}"
        if operation.form == "method" and arguments:
            return self.indexing(name, arguments, texts) or sign(name, texts, is_operator) or \
                f"{texts[0]}.{name}({', '.join(texts[1:])})"
        return f"{name}({', '.join(texts)})"

    def indexing(self, name, arguments, texts):
        if name == "__getitem__":
            return f"{texts[0]}[{self.index(arguments[1])}]"
        if name == "__setitem__":
            return f"{texts[0]}[{self.index(arguments[1])}] = {texts[2]}"
        return None

    def index(self, index):
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.piece, index)) + ("," if len(index) == 1 else "")
        return self.piece(index)

    def piece(self, index):
        if not isinstance(index, slice):
            return self.of(index)
        first, last, step = ("" if part is None else self.of(part) for part in (index.start, index.stop, index.step))
        return f"{first}:{last}" + (f":{step}" if step else "")

    def of(self, value):
        if isinstance(value, torch.Tensor):
            return f"v{self.number_of(value)}"
        if value is Ellipsis:
            return "..."
        if isinstance(value, float):
            return repr(value) if value - value == 0 else f"float('{value}')"
        if value is None or isinstance(value, (bool, int, str, complex)):
            return repr(value) if type(value) in (type(None), bool, int, str, complex) else plain(value)
        if isinstance(value, (tuple, list)):
            return self.sequence(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.of(key)}: {self.of(item)}" for key, item in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.of(value.start)}, {self.of(value.stop)}, {self.of(value.step)})"
        if isinstance(value, torch.device):
            return f"torch.device({str(value)!r})"
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return str(value)
        if hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            return self.of(value.item())  # a number of NumPy
        return getattr(value, "__qualname__", type(value).__name__)

    def sequence(self, values):
        open_, close = "[]" if isinstance(values, list) else "()"
        if len(values) > LONG_LIST:
            return open_ + "..." + close
        comma = "," if isinstance(values, tuple) and len(values) == 1 else ""
        return open_ + ", ".join(self.of(value) for value in values) + comma + close


def sign(name, texts, is_operator):
    """A method as an operator, such as "v1 + v2", or None."""
    is_operator = is_operator or name.startswith("__")
    if len(texts) == 2 and name in REFLECTED:
        return f"{texts[1]} {REFLECTED[name]} {texts[0]}"
    if len(texts) == 2 and is_operator and (name in OPERATORS or name in CHANGING):
        return f"{texts[0]} {OPERATORS.get(name) or CHANGING[name]} {texts[1]}"
    if len(texts) == 1 and is_operator and name in UNARY:
        return UNARY[name] + texts[0]
    return None


def plain(value):
    """A subclass of a plain type, such as an enumeration."""
    for kind in (bool, int, str, complex):
        if isinstance(value, kind):
            return repr(kind(value))
    return repr(value)


def tensors_in(value, found):
    """Appends the tensors in nested tuples, lists and dictionaries to found, in their order."""
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        if len(value) <= LONG_LIST or isinstance(value[0], torch.Tensor):
            for element in value:
                tensors_in(element, found)
    elif isinstance(value, dict):
        for element in value.values():
            tensors_in(element, found)
    return found


# --- Values --------------------------------------------------------------------------------------------------------
class Storage:
    """Memory that tensors share: what was saved of it, how often and by which node it was changed."""

    def __init__(self):
        self.live = 0  # known tensors
        self.changes, self.writer = 0, None
        self.bases = []  # saved whole, row by row: (value, version, dtype, first element, elements)
        self.seen = {}  # values by view_as_key()


class Known:
    """A tensor that has a value."""

    def __init__(self, reference, value, stamp, storage, address):
        self.reference, self.value, self.stamp, self.storage, self.address = reference, value, stamp, storage, address
        self.is_watched = False  # for its gradient


class Values:
    """The values of a recording. Tensors are known by weak references, so that nothing lives longer because of it."""

    def __init__(self, limit, weights):
        self.list, self.saved = [], {}  # saved: {value: tensor}
        self.bytes, self.limit, self.weights = 0, limit, weights
        self.known, self.storages = {}, {}

    def find(self, tensor):
        """The value of a tensor that has not changed since it was recorded, or None."""
        known = self.known.get(id(tensor))
        if known is None or known.reference() is not tensor or known.stamp != self.stamp(tensor, known.storage):
            return None
        return known.value

    def find_same(self, tensor):
        """The value of another tensor that is the same view of the same numbers, or None. Hooks for gradients make such tensors."""
        storage = self.storages.get(address_of(tensor))
        number = storage.seen.get(view_as_key(tensor, storage)) if storage else None
        if number is not None:
            self.remember(tensor, number, storage, address_of(tensor))
        return number

    def writer_of(self, tensor):
        """The node that changed the memory of a tensor since the tensor was recorded, or None."""
        known = self.known.get(id(tensor))
        if known is not None and known.reference() is tensor and known.address == address_of(tensor):
            return known.storage.writer if known.stamp[2] != known.storage.changes else None
        storage = self.storages.get(address_of(tensor))
        return storage.writer if storage else None

    def stamp(self, tensor, storage):
        return (version_of(tensor), pointer_of(tensor), storage.changes)

    def add(self, tensor, name=None):
        """Gives the tensor a new value, with its numbers as they are now. Returns the value's number."""
        address = address_of(tensor)
        storage = self.storages.get(address) if address else None
        if storage is None:
            storage = Storage()
            if address:
                self.storages[address] = storage
        number = len(self.list)
        self.list.append(self.entry(tensor, number, storage, name))
        if name and "name" not in self.list[number]:
            self.list[number]["name"] = name
        self.remember(tensor, number, storage, address)
        return number

    def changed(self, tensor, node):
        """A node has changed the tensor's memory in place."""
        storage = self.storages.get(address_of(tensor))
        if storage is not None:
            storage.changes += 1
            storage.writer = node
            storage.bases.clear()
            storage.seen.clear()

    def remember(self, tensor, number, storage, address):
        old = self.known.get(id(tensor))
        if old is not None and old.reference() is tensor:
            self.forget(id(tensor), old)
        key = id(tensor)
        reference = weakref.ref(tensor, lambda gone: self.forget(key, self.known.get(key), gone))
        storage.live += 1
        storage.seen[view_as_key(tensor, storage)] = number
        self.known[key] = Known(reference, number, self.stamp(tensor, storage), storage, address)

    def forget(self, key, known, gone=None):
        if known is None or gone is not None and known.reference is not gone:
            return
        del self.known[key]
        known.storage.live -= 1
        if known.storage.live == 0 and self.storages.get(known.address) is known.storage:
            del self.storages[known.address]

    def entry(self, tensor, number, storage, name):
        """The JSON of a new value; saves its numbers if they stand nowhere yet."""
        dtype = str(tensor.dtype)[len("torch."):]
        if is_plain(tensor) and storage.live:
            view = view_of(tensor, dtype, storage)
            if view is not None:
                return view
        if is_plain(tensor) and tensor.is_contiguous():
            storage.bases.append((number, version_of(tensor), dtype, tensor.storage_offset(), tensor.numel()))
        found = self.weights.find(tensor, name) if name and self.weights and is_plain(tensor) else None
        if found is not None:
            return found
        size = 0 if not has_numbers(tensor) else tensor.numel() * tensor.element_size()
        if not has_numbers(tensor) or self.bytes + size > self.limit:
            return without_numbers(tensor)
        self.saved[number] = copy_of(tensor)
        self.bytes += size
        return {"tensor": f"v{number}"}

    def add_numbers(self, numbers):
        """A value that no tensor of the run is: a copied gradient."""
        number = len(self.list)
        size = numbers.numel() * numbers.element_size() if has_numbers(numbers) else self.limit + 1
        if self.bytes + size > self.limit:
            self.list.append(without_numbers(numbers))
        else:
            self.saved[number] = copy_of(numbers)
            self.bytes += size
            self.list.append({"tensor": f"v{number}"})
        return number


def view_of(tensor, dtype, storage):
    version, first, elements = version_of(tensor), tensor.storage_offset(), extent_of(tensor)
    for base, base_version, base_dtype, base_first, base_elements in reversed(storage.bases):
        if base_version == version and base_dtype == dtype and base_first <= first and \
                first + elements <= base_first + base_elements:
            return {"view_of": base, "shape": list(tensor.shape), "stride": list(tensor.stride()), "offset": first - base_first}
    return None


def view_as_key(tensor, storage):
    """What tells a view of memory from all others, and from what it was before a change."""
    if not has_numbers(tensor):
        return None
    return tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), version_of(tensor), storage.changes


def extent_of(tensor):
    """How many elements of memory there are from the tensor's first to its last."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))


def stamp_of(tensor):
    """Another one when the tensor has changed in place, or has got other memory."""
    return (version_of(tensor), pointer_of(tensor))


def version_of(tensor):
    try:
        return tensor._version
    except RuntimeError:  # made in inference mode
        return 0


def pointer_of(tensor):
    try:
        return tensor.data_ptr()
    except RuntimeError:  # without memory: sparse, a transformation's wrapper
        return 0


def address_of(tensor):
    """Where the memory begins that the tensor shares with its views, or 0."""
    try:
        return tensor.data_ptr() and tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
    except RuntimeError:
        return 0


def has_numbers(tensor):
    """Not sparse, quantized, nested, on the device meta, of a type that the file does not know, or a transformation's wrapper."""
    return (pointer_of(tensor) or tensor.numel() == 0) and tensor.layout == torch.strided and not tensor.is_quantized and tensor.device.type != "meta" and \
        str(tensor.dtype)[len("torch."):] in DTYPES and not getattr(tensor, "is_nested", False)


def is_plain(tensor):
    return has_numbers(tensor) and not tensor.is_neg()


def without_numbers(tensor):
    """The JSON of a value whose numbers are left out."""
    try:
        shape = list(tensor.shape)
    except RuntimeError:  # nested
        shape = []
    name = str(tensor.dtype)[len("torch."):]
    return {"shape": shape, "dtype": DTYPES[name]} if name in DTYPES else {"shape": shape, "dtype": "F32", "type": name}


def copy_of(tensor):
    """The numbers of a tensor, row by row, in memory of their own."""
    return tensor.detach().resolve_neg().to("cpu").clone(memory_format=torch.contiguous_format)


# --- Weights in their own files --------------------------------------------------------------------------------------
class Weights:
    """Tensors of safetensors files, which a recording names instead of copying them."""

    def __init__(self, paths, folder):
        self.tensors = {}  # name: (path, dtype, shape, mapped file, first byte)
        for path in paths:
            self.read(os.fspath(path), folder)

    def read(self, path, folder):
        try:
            with open(path, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            length = struct.unpack("<Q", mapped[:8])[0]
            header = json.loads(mapped[8:8 + length].decode())
            for name, entry in header.items():
                if name != "__metadata__":
                    place = 8 + length + entry["data_offsets"][0]
                    self.tensors[name] = (os.path.relpath(path, folder), entry["dtype"], entry["shape"], mapped, place)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
            raise RecordingError(f"{path} is no safetensors file: {error}") from None

    def find(self, tensor, name):
        """The value of a parameter whose numbers stand in a file, or None."""
        for candidate in self.candidates(name):
            path, dtype, shape, mapped, place = self.tensors[candidate]
            if shape == list(tensor.shape) and dtype in DTYPES.values() and tensor.device.type == "cpu" and \
                    equals(tensor, stored(mapped, place, dtype, shape)):
                return {"file": path, "tensor": candidate, "dtype": DTYPES[str(tensor.dtype)[6:]], "name": name}
        return None

    def candidates(self, name):
        if name in self.tensors:
            yield name
        for other in self.tensors:
            if other != name and (other.endswith("." + name) or name.endswith("." + other)):
                yield other


def stored(mapped, place, dtype, shape):
    name = next(name for name, short in DTYPES.items() if short == dtype)
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return torch.empty(shape, dtype=getattr(torch, name))
    return torch.frombuffer(mapped, dtype=getattr(torch, name), count=count, offset=place).view(shape)


def equals(tensor, other):
    """Are the bits of a tensor those of another, after conversion to its type?"""
    tensor, other = tensor.detach().contiguous(), other.to(tensor.dtype).contiguous()
    compare = ctypes.CDLL(None).memcmp  # twice as fast as torch.equal, for which NaN is not NaN
    compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return compare(tensor.data_ptr(), other.data_ptr(), tensor.numel() * tensor.element_size()) == 0


# --- The recorder ----------------------------------------------------------------------------------------------------
class Call:
    """A module whose forward() runs."""

    def __init__(self, module, path, number, frame, is_users):
        self.module, self.path, self.number, self.frame, self.is_users = module, path, number, frame, is_users


class record:
    """Records what PyTorch computes inside of `with record(path):`.

    path      the file to write
    modules   paths of modules, "*" for any letters: only operations inside of these are recorded
    limit     bytes of numbers; values beyond have none
    tokens    the words of the sentence, or a list of them for each sentence of a batch
    backward  also the gradients that loss.backward() computes inside of the with
    weights   safetensors files in which the model's weights lie: they are named there instead of copied

    Raises RecordingError for what cannot be recorded. The file is written whole, or not at all.
    """

    under_way = None  # the recording of this process

    def __init__(self, path, *, modules=None, limit=2_000_000_000, tokens=None, backward=False, weights=None):
        self.path = os.fspath(path)
        self.modules = [modules] if isinstance(modules, str) else modules
        self.limit, self.tokens, self.backward = limit, tokens, backward
        self.weights = [weights] if isinstance(weights, (str, os.PathLike)) else list(weights or [])
        check_tokens(tokens)

    def __enter__(self):
        if record.under_way is not None:
            raise RecordingError("a recording is under way: there can be one at a time")
        load_torch()
        folder = os.path.dirname(os.path.abspath(self.path))
        if os.path.isdir(self.path) or not os.access(folder, os.W_OK):
            raise RecordingError(f"{self.path} cannot be written")
        self.thread, self.busy, self.refused, self.is_on = threading.get_ident(), False, None, True
        self.between = {OWN_FILE, torch.overrides.__file__, torch._tensor.__file__}  # frames between the asking one and ours
        self.sources, self.operations, self.text = Sources(), Operations(), Text(self.value_of)
        self.values = Values(self.limit, Weights(self.weights, folder) if self.weights else None)
        self.nodes, self.calls, self.stack = [], [], []
        self.paths, self.names, self.kept = {}, {}, []  # of modules; of parameters, buffers and inputs; keeps these alive
        self.frame, self.is_direct, self.serial, self.last_site, self.before = None, False, 0, None, {}
        self.latest = []
        self.progress = Progress()
        self.mode, self.hooks, self.restore = mode_of(self), [], []
        record.under_way = self
        try:
            self.watch()
        except BaseException:
            record.under_way = None
            self.release()
            raise
        return self

    def watch(self):
        """Begins to see what PyTorch does: operations, modules, and what a mode does not see."""
        modules = torch.nn.modules.module
        self.hooks.append(modules.register_module_forward_pre_hook(self.before_module))
        self.hooks.append(modules.register_module_forward_hook(self.after_module))
        for watch in (watch_indexing, watch_scripts, watch_compiled, keep_fast_paths):
            self.restore.append(watch(self))
        self.mode.__enter__()
        self.restore.append(lambda: self.mode.__exit__(None, None, None))

    def release(self):
        """Leaves PyTorch as it was."""
        while self.restore:
            self.restore.pop()()
        while self.hooks:
            self.hooks.pop().remove()

    def __exit__(self, kind, error, trace):
        record.under_way = None
        self.progress.end()
        self.is_on, self.latest = False, []
        self.release()
        if error is not None:
            self.add_raised(error, trace)
        if not self.refused:
            self.write()
        elif error is None:
            raise RecordingError(self.refused)
        return False

    # Operations

    def ran(self, function, arguments, named):
        """Runs a function of PyTorch and records it. Returns its result."""
        if not self.is_watching():
            return function(*arguments, **named)
        operation = self.guarded(self.operations.find, function)
        if operation is None or operation.form == "none" or not self.is_wanted():
            return self.run(function, arguments, named)
        operands = unique(tensors_in(named, tensors_in(arguments, [])))
        before = self.guarded(self.look_before, operation, operands, named)
        result = self.run(function, arguments, named)
        if operation.name == "__iter__":
            result = list(result)
        if before is not None:
            self.guarded(self.look_after, operation, arguments, named, operands, before, unique(tensors_in(result, [])))
        return iter(result) if operation.name == "__iter__" else result

    def is_watching(self):
        return self.is_on and not self.busy and threading.get_ident() == self.thread and torch._C._get_tracing_state() is None

    def guarded(self, work, *arguments):
        """Does work of the recorder, unseen by functions of tensors' own classes. If that fails, the recording is refused at its end,
        and the run goes on."""
        was_busy, self.busy = self.busy, True
        try:
            with torch._C.DisableTorchFunction():
                return work(*arguments)
        except Exception as error:
            self.is_on, self.refused = False, str(error)
            if not isinstance(error, RecordingError):
                self.refused = f"onestep cannot record this: {type(error).__name__}: {' '.join(str(error).split())}"
        finally:
            self.busy = was_busy

    def stop(self, reason):
        """Ends the recording before its end, and leaves PyTorch as it was. There will be no file."""
        self.is_on, self.refused = False, reason
        if not self.busy:
            self.release()

    def look_before(self, operation, operands, named):
        """(what tells a change, values by id) of the operands. These get their values now where they may change."""
        values, copies = {}, [None] * len(operands)
        if operation.is_secretive:
            copies = [copy_of(operand) if has_numbers(operand) else None for operand in operands]
        if operation.may_change or named.get("out") is not None or named.get("inplace"):
            self.locate()
            values = {id(operand): self.value_of(operand) for operand in operands}
        return list(zip(map(stamp_of, operands), copies)), values

    def look_after(self, operation, arguments, named, operands, before, results):
        marks, values = before
        changed = [operand for operand, (stamp, copy) in zip(operands, marks)
                   if stamp_of(operand) != stamp or copy is not None and not equals(operand, copy)]
        if results or changed:
            self.add_operation(operation, arguments, named, results, changed, values)

    def run(self, function, arguments, named):
        self.busy = True
        try:
            return function(*arguments, **named)
        finally:
            self.busy = False

    def locate(self):
        """Finds the user's frame, and whether it is this frame that asked PyTorch, not one of PyTorch's own."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename in self.between:
            frame = frame.f_back
        self.frame = self.sources.user_frame(frame)
        self.is_direct = self.frame is frame

    def add_operation(self, operation, arguments, named, results, changed, before):
        self.locate()
        site = self.sources.site_of(self.frame) if self.frame else None
        for operand in changed:
            before.setdefault(id(operand), self.old_value(operand))
        if operation.name == "__iter__":
            operation, arguments = Operation("method", "unbind"), (arguments[0], 0)
        self.before = before
        node = {"call": self.text.call(operation, arguments, named, self.is_operator(site)), "results": []}
        self.before = {}
        written = [before[id(operand)] for operand in changed]
        if written:
            node["writes"] = written[0]
        if len(written) > 1:
            node["also_writes"] = written[1:]
        autocast = autocast_dtype()
        if autocast:
            node["autocast"] = autocast
        number = self.add_node(node, site)
        for operand in changed:
            self.values.changed(operand, number)
        self.latest = results  # they live until the next operation: another tensor may take their memory over in between
        for tensor in unique(results + changed)[:MOST_RESULTS]:
            node["results"].append(self.values.add(tensor))
            self.watch_gradient(tensor)

    def is_operator(self, site):
        """Does an operator stand at the site, rather than a call?"""
        return site is not None and self.is_direct and isinstance(
            site.node, (ast.BinOp, ast.Compare, ast.UnaryOp, ast.AugAssign))

    def old_value(self, operand):
        known = self.values.known.get(id(operand))
        if known is not None and known.reference() is operand:
            return known.value
        self.values.list.append(without_numbers(operand))
        return len(self.values.list) - 1

    def add_node(self, node, site):
        node["in"] = self.stack_number()
        if self.stack:
            node["module"] = self.stack[-1].path
        if site is not None:
            node["file"], node["line"] = site.file, site.line
            if site.variable:
                node["variable"] = site.variable
                self.take_variable(site)
            if site.expression:
                node["expression"] = site.expression
        self.last_site = (site, self.serial, self.frame.f_lasti if self.frame else 0) if site else None
        self.nodes.append(node)
        if len(self.nodes) > MOST_NODES:
            raise RecordingError(f"more than {MOST_NODES:,} operations: record less of the run, or fewer modules")
        self.progress.show(len(self.nodes), self.values.bytes)
        return len(self.nodes) - 1

    def take_variable(self, site):
        """Of several operations of one call of PyTorch's module, only the last one's result gets the variable."""
        if self.last_site and self.nodes and self.last_site[0] is site and self.last_site[1] == self.serial:
            self.nodes[-1].pop("variable", None)

    def stack_number(self):
        while self.stack and not is_running(self.stack[-1].frame):
            self.stack.pop()  # an exception ended it
        for call in reversed(self.stack):
            if call.number is not None:
                return call.number
        return -1

    # Values

    def value_of(self, tensor):
        """The number of an operand's value; gives it one if it has none, or if it has changed since."""
        if id(tensor) in self.before:
            return self.before[id(tensor)]
        value = self.values.find(tensor)
        if value is None:
            value = self.values.find_same(tensor)
        if value is not None:
            self.watch_gradient(tensor)
            return value
        writer = self.values.writer_of(tensor)
        if writer is not None:
            node = {"changed_by": writer, "results": []}
            self.add_node(node, None)
            node["results"].append(self.values.add(tensor))
            self.watch_gradient(tensor)
            return node["results"][0]
        value = self.values.add(tensor, self.name_of(tensor))
        self.watch_gradient(tensor)
        return value

    def name_of(self, tensor):
        if id(tensor) in self.names:
            return self.names[id(tensor)]
        frame = self.frame
        if frame is None:
            return None
        scope = dict(frame.f_globals) if frame.f_locals is frame.f_globals else dict(frame.f_locals)
        for name, value in scope.items():
            if value is tensor:
                return name
        owner = scope.get("self")
        for name, value in getattr(owner, "__dict__", {}).items():
            if value is tensor:
                path = self.paths.get(id(owner))
                return f"{path}.{name}" if path else name
        for name, value in frame.f_globals.items():
            if value is tensor:
                return name
        return None

    # Modules

    def before_module(self, module, inputs):
        if self.is_watching():
            self.guarded(self.enter_module, module, inputs, sys._getframe(1))

    def after_module(self, module, inputs, output):
        if self.is_watching():
            self.guarded(self.leave_module, module, output)

    def enter_module(self, module, inputs, frame):
        outer = self.stack_number()
        if not self.stack:
            self.add_root(module)
            self.locate()
            self.name_inputs(inputs)
        path = self.paths.get(id(module))
        if path is None:
            path = self.add_path(module)
        number = None
        is_users = not type(module).__module__.startswith("torch.")
        if is_users and self.is_inside(path):
            number = len(self.calls)
            self.calls.append({"module": path, "class": type(module).__name__, "outer": outer})
        if is_users or not self.stack or self.stack[-1].is_users:
            self.serial += 1
        self.stack.append(Call(module, path, number, frame, is_users))

    def leave_module(self, module, output):
        if not any(call.module is module for call in self.stack):
            return
        call = self.stack.pop()
        while call.module is not module:
            call = self.stack.pop()
        if call.number is not None:
            self.add_end(call, output)

    def add_end(self, call, output):
        """The node at which a call of the user's module ends. Its line is the one that called."""
        self.locate()
        values = [self.value_of(tensor) for tensor in tensors_in(output, [])]
        site = self.sources.site_of(self.frame) if self.frame else None
        self.add_node({"ends": call.number, "results": values}, site)

    def add_root(self, module):
        for path, part in module.named_modules():
            self.paths[id(part)] = path
            self.kept.append(part)
        for name, tensor in list(module.named_parameters()) + list(module.named_buffers()):
            self.names.setdefault(id(tensor), name)
            self.kept.append(tensor)

    def name_inputs(self, inputs):
        """The model's inputs get the names of the variables outside, not those of the parameters of forward()."""
        for tensor in tensors_in(inputs, []):
            if self.values.find(tensor) is None and id(tensor) not in self.names:
                name = self.name_of(tensor)
                if name:
                    self.names[id(tensor)] = name
                    self.kept.append(tensor)

    def add_path(self, module):
        outer = self.stack[-1].path if self.stack else ""
        path = f"{outer}.{type(module).__name__}" if outer else type(module).__name__
        self.paths[id(module)] = path
        self.kept.append(module)
        return path

    def is_wanted(self):
        return not self.modules or bool(self.stack) and self.is_inside(self.stack[-1].path)

    def is_inside(self, path):
        return not self.modules or any(
            path == wanted or path.startswith(wanted + ".") or fnmatch.fnmatchcase(path, wanted) for wanted in self.modules)

    # Gradients

    def watch_gradient(self, tensor):
        """Its gradient will be recorded, once for each loss.backward()."""
        if not self.backward or not tensor.requires_grad:
            return
        known = self.values.known[id(tensor)]
        if known.is_watched:
            return
        known.is_watched, value = True, known.value

        def take(gradient):
            if gradient is not None and self.is_on and threading.get_ident() == self.thread:
                self.guarded(self.add_gradient, gradient, value)

        if tensor.grad_fn is None:
            self.hooks.append(tensor.register_hook(take))
        else:  # the hooks of a tensor stay with its first version in PyTorch 1.13
            place = tensor.output_nr
            self.hooks.append(tensor.grad_fn.register_hook(lambda inputs, outputs: take(outputs[place])))

    def add_gradient(self, gradient, value):
        self.locate()
        site = self.sources.site_of(self.frame) if self.frame else None
        self.add_node({"gradient_of": value, "results": [self.values.add_numbers(gradient)]}, site)

    # The end

    def add_raised(self, error, trace):
        """The last node says which exception ended the run, and in which of the user's lines."""
        node = {"raised": f"{type(error).__name__}: {error}", "results": [], "in": -1}
        while trace is not None:
            if self.sources.user_frame(trace.tb_frame) is trace.tb_frame:
                node["file"], node["line"] = self.sources.file_number(trace.tb_frame.f_code.co_filename), trace.tb_lineno
            trace = trace.tb_next
        self.nodes.append(node)

    def write(self):
        description = {"made_by": f"onestep.py, PyTorch {torch.__version__}"}
        if self.tokens is not None:
            description["tokens"] = self.tokens
        description.update(files=self.sources.files, values=self.values.list, calls=self.calls, nodes=self.nodes)
        tensors = {f"v{number}": tensor for number, tensor in self.values.saved.items()}
        try:
            write_safetensors(self.path, tensors, {"format": FORMAT, "recording": json.dumps(description)})
        except OSError as error:
            raise RecordingError(f"{self.path} was not written: {error}") from None


OWN_FILE = record.__init__.__code__.co_filename


def check_tokens(tokens):
    def are_words(words):
        return isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)

    if tokens is not None and not are_words(tokens) and not (
            isinstance(tokens, (list, tuple)) and all(are_words(words) for words in tokens)):
        raise RecordingError("tokens= is a list of words, or a list of such lists")


def unique(tensors):
    return list({id(tensor): tensor for tensor in tensors}.values())


def is_running(frame):
    """Is this one of the frames that have called us?"""
    caller = sys._getframe(1)
    while caller is not None and caller is not frame:
        caller = caller.f_back
    return caller is frame


def autocast_dtype():
    """The type to which operations are cast here, as safetensors calls it, or None."""
    if hasattr(torch, "get_autocast_dtype"):
        kinds = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        dtype = torch.get_autocast_dtype(kinds[0]) if kinds else None
    else:
        dtype = torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else \
            torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    return DTYPES.get(str(dtype)[len("torch."):])


def mode_of(recorder):
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            return recorder.ran(function, arguments, named or {})

    return Mode()


def watch_indexing(recorder):
    """PyTorch 1.13 does not tell a mode of tensor[index]: there, the method is replaced until the returned function is called."""
    seen = []

    class Probe(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            seen.append(function)
            return function(*arguments, **(named or {}))

    tensor = torch.zeros(1)
    with Probe():
        tensor[0]
    if seen:
        return lambda: None
    original = torch.Tensor.__getitem__

    def __getitem__(tensor, index):
        return recorder.ran(original, (tensor, index), {})

    torch.Tensor.__getitem__ = __getitem__
    return lambda: delattr(torch.Tensor, "__getitem__")


def watch_scripts(recorder):
    """PyTorch tells a mode of no call of a compiled script, which is one operation here. Returns what ends that."""
    def watch(kind):
        original = kind.__call__

        def run(script, *arguments, **named):
            return original(script, *arguments, **named)

        def __call__(script, *arguments, **named):
            return recorder.ran(run, (script, *arguments), named)

        kind.__call__ = __call__
        recorder.operations.known[run] = Operation("script", "")
        return lambda: setattr(kind, "__call__", original)

    restores = [watch(torch._C.ScriptFunction), watch(torch._C.ScriptMethod)]
    return lambda: [restore() for restore in restores]


def watch_compiled(recorder):
    """What torch.compile made would see the recorder as a part of the run. Stops the recording when such a function is called.
    Returns what ends that."""
    original_compile = getattr(torch, "compile", None)
    restores = []

    def watch():
        frames = sys.modules.get("torch._dynamo.eval_frame")
        if frames is None or restores:
            return
        name = "_maybe_set_eval_frame" if hasattr(frames, "_maybe_set_eval_frame") else "set_eval_frame"  # from 2.5 on; before
        original = getattr(frames, name)

        def set_eval_frame(callback, *more):
            if callable(callback):
                recorder.stop("code of torch.compile has no single operations: record the model without it")
            return original(callback, *more)

        setattr(frames, name, set_eval_frame)
        restores.append(lambda: setattr(frames, name, original))

    def compile_and_watch(*arguments, **named):
        compiled = original_compile(*arguments, **named)
        watch()
        return compiled

    def restore():
        for undo in restores:
            undo()
        if original_compile:
            torch.compile = original_compile

    watch()
    if original_compile:
        torch.compile = compile_and_watch
    return restore


def keep_fast_paths(_):
    """PyTorch's transformer layers leave their fast path, which has other bits, when a mode sees them. Until the returned function
    is called, they are told only of tensors that have functions of their own."""
    original = torch.overrides.has_torch_function

    def has_torch_function(arguments):
        plain_types = (torch.Tensor, torch.nn.Parameter)
        return any(hasattr(type(argument), "__torch_function__") and type(argument) not in plain_types for argument in arguments)

    def restore():
        torch.overrides.has_torch_function = original

    torch.overrides.has_torch_function = has_torch_function
    return restore


class Progress:
    """Says on a terminal how far a long recording is."""

    def __init__(self):
        self.is_shown, self.next = False, time.monotonic() + 2
        self.wanted = sys.stderr is not None and sys.stderr.isatty()

    def show(self, operations, size):
        if self.wanted and time.monotonic() > self.next:
            self.is_shown, self.next = True, time.monotonic() + 0.5
            sys.stderr.write(f"\ronestep: {operations} operations, {size / 1e6:.0f} MB recorded ")
            sys.stderr.flush()

    def end(self):
        if self.is_shown:
            sys.stderr.write("\r\033[K")


# --- The file --------------------------------------------------------------------------------------------------------
def write_safetensors(path, tensors, metadata):
    """Writes a safetensors file of tensors by their names, contiguous ones, and of strings. It stands at path when it is whole, or
    what stood there before. Raises OSError."""
    order = sorted(tensors, key=lambda name: -tensors[name].element_size())  # each at a multiple of its size
    header, place = {"__metadata__": metadata}, 0
    for name in order:
        tensor = tensors[name]
        end = place + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": DTYPES[str(tensor.dtype)[len("torch."):]], "shape": list(tensor.shape), "data_offsets": [place, end]}
        place = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".onestep-")
    try:
        with open(handle, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for name in order:
                file.write(bytes_of(tensors[name]))
        os.chmod(temporary, 0o666 & ~current_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def bytes_of(tensor):
    """The memory of a tensor that is contiguous."""
    size = tensor.numel() * tensor.element_size()
    return (ctypes.c_char * size).from_address(tensor.data_ptr()) if size else b""
