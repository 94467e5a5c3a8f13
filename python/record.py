# Records a run of a PyTorch model, operation by operation: RECORDING.md describes what it writes.
import ast
import collections
import collections.abc
import ctypes
import dataclasses
import fnmatch
import inspect
import itertools
import json
import linecache
import math
import mmap
import os
import shutil
import struct
import sys
import tempfile
import threading
import time
import weakref

FORMAT = "onestep recording 1"
DTYPES = {  # PyTorch's name: that of safetensors
    "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64", "int64": "I64",
    "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL"}
SIGNS = {  # names of methods without underscores; "r" (reflected) or "i" (in place) may precede
    "add": "+", "sub": "-", "mul": "*", "div": "/", "truediv": "/", "true_divide": "/",
    "matmul": "@", "pow": "**", "mod": "%", "remainder": "%", "floordiv": "//",
    "floor_divide": "//", "and": "&", "bitwise_and": "&", "or": "|", "bitwise_or": "|",
    "xor": "^", "bitwise_xor": "^", "lshift": "<<", "rshift": ">>", "gt": ">", "lt": "<",
    "ge": ">=", "le": "<=", "eq": "==", "ne": "!="}
UNARY_SIGNS = {"neg": "-", "bitwise_not": "~", "invert": "~", "positive": "+", "pos": "+"}
PROPERTIES = {"__get__": {"T", "mT", "H", "mH", "data", "real", "imag"}, "__set__": {"data"}}
NO_OPERATIONS = {"requires_grad_", "retain_grad", "register_hook", "__deepcopy__"}
MOST_NODES, MOST_RESULTS = 1_000_000, 1024  # onestep reads no more
LONG_LIST = 1000  # elements of a list among the arguments; a longer one is written as [...]
HELD, ROOM = 32_000_000, 4_000_000  # bytes of numbers in memory; of the header before the others
torch = None


class RecordingError(Exception):
    """What cannot be recorded, in one line."""


def load_torch():
    """Imports PyTorch when the first recording begins: the rest of the module does without it."""
    global torch
    import torch
    import torch.multiprocessing.reductions


# --- Lines of source -----------------------------------------------------------------------------
# A place in the user's code at which operations run.
Site = collections.namedtuple("Site", "file line expression variable node")


class Source:
    """A file of the user's: which expression stands where, and which variable gets it."""

    def __init__(self, text):
        self.lines = text.encode("utf-8", "replace").split(b"\n")
        self.at, self.variables, self.variable_of_line = {}, {}, {}
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # a cell with commands of IPython
            return
        for node in ast.walk(tree):
            for value, target in assigned_by(node):
                self.variables[value] = self.variable(target)
                for line in range(node.lineno, node.end_lineno + 1):
                    self.variable_of_line.setdefault(line, self.variables[value])
            if isinstance(node, (ast.expr, ast.AugAssign)):
                place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
                if place not in self.at or isinstance(node, ast.Call):
                    self.at[place] = node

    def node_at(self, place):
        """The node at a position, or None. Of a chain of methods over several lines Python says
        the line of the last name: there it is the call that ends at the position's end."""
        if place in self.at:
            return self.at[place]
        calls = [node for other, node in self.at.items()
                 if other[2:] == place[2:] and isinstance(node, ast.Call)]
        return max(calls, key=lambda call: (call.lineno, call.col_offset), default=None)

    def segment(self, node):
        """The text of a node, whose columns count bytes."""
        found = self.lines[node.lineno - 1:node.end_lineno]
        found[-1] = found[-1][:node.end_col_offset]
        found[0] = found[0][node.col_offset:]
        return " ".join(b"\n".join(found).decode("utf-8", "replace").split())

    def variable(self, target):
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        return ", ".join(map(self.segment, parts))


def assigned_by(node):
    """Pairs of an expression and the variable, or variables, that the node assigns it to."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    value = node if isinstance(node, ast.AugAssign) else getattr(node, "value", None)
    if value is None or len(targets) != 1:
        return []
    pairs = [(value, targets[0])]
    if isinstance(value, ast.Tuple) and isinstance(targets[0], ast.Tuple) and \
            len(value.elts) == len(targets[0].elts):
        pairs = zip(value.elts, targets[0].elts)
    return [pair for pair in pairs if is_name(pair[1])]


def is_name(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(is_name, target.elts))
    return isinstance(target, (ast.Name, ast.Attribute))


class Sources:
    """The user's files: which frame is the user's, and what stands at an instruction."""

    def __init__(self):
        self.torch_folder = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
        self.is_users, self.numbers, self.sites = {}, {}, {}  # by file, file, and instruction
        self.files, self.sources = [], []

    def user_frame(self, frame):
        """The innermost frame from this one outwards that is the user's, or None."""
        while frame is not None:
            name = frame.f_code.co_filename
            if name not in self.is_users:
                self.is_users[name] = not (
                    os.path.abspath(name).startswith(self.torch_folder) or name == OWN_FILE or
                    name.startswith("<frozen"))
            if self.is_users[name]:
                return frame
            frame = frame.f_back
        return None

    def site_of(self, frame):
        """What stands where the frame is: its parts are those of a node in the file."""
        key = (frame.f_code, frame.f_lasti)
        if key not in self.sites:
            number = self.number_of(frame.f_code.co_filename)
            source, place = self.sources[number], position_of(frame)
            node = source.node_at(place) if place else None
            expression = source.segment(node) if node is not None else None
            variable = source.variables.get(node) if place else \
                source.variable_of_line.get(frame.f_lineno)
            self.sites[key] = Site(number, frame.f_lineno, expression, variable, node)
        return self.sites[key]

    def number_of(self, name):
        if name not in self.numbers:
            self.numbers[name] = len(self.files)
            text = "".join(linecache.getlines(name))
            path = os.path.abspath(name) if os.path.exists(name) else name
            self.files.append({"name": path, "text": text})
            self.sources.append(Source(text))
        return self.numbers[name]


def position_of(frame):
    """(line, column, last line, last column) of what runs, or None before Python 3.11."""
    if not hasattr(frame.f_code, "co_positions"):
        return None
    places = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    line, end_line, column, end_column = next(places, (None,) * 4)
    return line, column, end_line, end_column


# --- Operations as text --------------------------------------------------------------------------
class Operation:
    """How a function of PyTorch is written: as "function", "method", "get" or "set" (a property),
    "script", or "none" where it is no operation."""

    def __init__(self, function):
        self.word = getattr(function, "__name__", type(function).__name__)
        path = torch.overrides.resolve_name(function) or path_of(function, self.word)
        is_method = path.startswith("torch.Tensor.") or hasattr(function, "__objclass__") or \
            getattr(function, "__module__", None) == "torch._tensor"
        self.form, self.name = ("method", self.word) if is_method else ("function", path)
        if self.word in ("__get__", "__set__"):
            self.name = function.__self__.__name__
            is_operation = self.name in PROPERTIES[self.word]
            self.form = self.word.strip("_") if is_operation else "none"
        elif type(function).__name__ in ("OpOverloadPacket", "OpOverload"):
            self.name = f"torch.ops.{function}"
        self.name = self.name.replace("torch.functional.", "torch.")
        if self.word in NO_OPERATIONS or self.name.startswith("torch.ops.profiler"):
            self.form = "none"
        self.defaults = defaults_of(function, self.word)
        # the running means of these change, and their versions do not tell
        self.is_secretive = "batch_norm" in self.word or "instance_norm" in self.word
        self.may_change = self.is_secretive or self.word.startswith("_foreach") or \
            self.word in ("__setitem__", "__set__") or is_in_place(self.word)


def is_in_place(word):
    is_special = word.startswith("__")
    return word[2:3] == "i" and word[3:-2] in SIGNS if is_special else word.endswith("_")


def path_of(function, word):
    """The name of a function that PyTorch does not list."""
    plain = word.lstrip("_")
    for space in (torch.nn.functional, torch):
        if callable(getattr(space, plain, None)) and not word.startswith("__"):
            return f"{space.__name__}.{plain}"
    module = getattr(function, "__module__", None) or "torch"
    if module == "torch" and hasattr(torch, word):
        return f"torch.{word}"
    return module + "." + getattr(function, "__qualname__", word)


def defaults_of(function, word):
    """The defaults of a function: its arguments come with those that the user left out."""
    function = getattr(torch.nn.functional, f"_{word}", function)  # what max_pool1d calls
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):  # not Python's
        return {}
    return {p.name: p.default for p in parameters if p.default is not p.empty}


class Text:
    """Writes a call, with values for tensors. number_of(tensor) gives a value's number."""

    def __init__(self, number_of):
        self.number_of = number_of

    def call(self, operation, arguments, named, is_operator):
        """The operation as a line of Python. is_operator: the user wrote an operator."""
        name = operation.name
        if operation.form == "script":
            name, arguments = arguments[0].name, arguments[1:]
        elif name == "torch.nn.functional.linear" and arguments[-1] is None:
            arguments = arguments[:-1]  # nn.Linear without a bias
        texts = [self.of(argument) for argument in arguments]
        if operation.form == "get":
            return f"{texts[0]}.{name}"
        if operation.form == "set":
            return f"{texts[0]}.{name} = {texts[1]}"
        if name in ("__getitem__", "__setitem__"):
            value = f" = {texts[2]}" if name == "__setitem__" else ""
            return f"{texts[0]}[{self.index(arguments[1])}]{value}"
        texts += [f"{word}={self.of(value)}" for word, value in named.items()
                  if value is not None and not is_default(value, operation.defaults.get(word))]
        if operation.form == "method" and texts:
            return with_sign(name, texts, is_operator) or \
                f"{texts[0]}.{name}({', '.join(texts[1:])})"
        return f"{name}({', '.join(texts)})"

    def index(self, index):
        if isinstance(index, tuple) and index:
            return ", ".join(map(self.index, index)) + ("," if len(index) == 1 else "")
        if not isinstance(index, slice):
            return self.of(index)
        parts = (index.start, index.stop, index.step)
        first, last, step = ("" if part is None else self.of(part) for part in parts)
        return f"{first}:{last}" + (f":{step}" if step else "")

    def of(self, value):
        """A value as Python."""
        if isinstance(value, torch.Tensor):
            return f"v{self.number_of(value)}"
        if value is Ellipsis:
            return "..."
        if isinstance(value, float) and not math.isfinite(value):
            return f"float('{float(value)}')"
        for kind in (bool, int, float, complex, str):
            if isinstance(value, kind):
                return kind.__repr__(value)  # also of an enumeration, and of NumPy's
        if isinstance(value, (tuple, list)):
            open_, close = "[]" if isinstance(value, list) else "()"
            inside = ", ".join(map(self.of, value)) if len(value) <= LONG_LIST else "..."
            return open_ + inside + ("," if open_ == "(" and len(value) == 1 else "") + close
        if isinstance(value, dict):
            pairs = (f"{self.of(key)}: {self.of(item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self.of, (value.start, value.stop, value.step)))})"
        if isinstance(value, torch.device):
            return f"torch.device({str(value)!r})"
        if value is None or isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return str(value)
        if hasattr(value, "dtype") and getattr(value, "ndim", None) == 0:
            return self.of(value.item())  # a number of NumPy
        return getattr(value, "__qualname__", type(value).__name__)


def is_default(value, default):
    return value is default or type(value) is type(default) and \
        isinstance(value, (int, float, str)) and value == default


def with_sign(name, texts, is_operator):
    """A method as an operator, such as "v1 + v2", or None."""
    word, is_special = name.strip("_"), name.startswith("__")
    if not is_special and not is_operator:
        return None
    if len(texts) == 1 and word in UNARY_SIGNS:
        return UNARY_SIGNS[word] + texts[0]
    if len(texts) != 2:
        return None
    if word in SIGNS:
        change = "=" if is_in_place(name) else ""
        return f"{texts[0]} {SIGNS[word]}{change} {texts[1]}"
    if is_special and word[1:] in SIGNS:
        sign = SIGNS[word[1:]]
        return f"{texts[0]} {sign}= {texts[1]}" if word[0] == "i" else \
            f"{texts[1]} {sign} {texts[0]}"
    return None


def tensors_in(value):
    """The tensors in nested tuples, lists, dictionaries and data classes, each once."""
    found = {}
    collect(value, found)
    return list(found.values())


def collect(value, found):
    if isinstance(value, torch.Tensor):
        found[id(value)] = value
    elif isinstance(value, (tuple, list)):
        if len(value) <= LONG_LIST or isinstance(value[0], torch.Tensor):
            for element in value:
                if element is not None and type(element) not in (int, float, bool, str):
                    collect(element, found)
    elif isinstance(value, (dict, collections.abc.Mapping)):
        collect(list(value.values()), found)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        collect(list(vars(value).values()), found)


# --- Values --------------------------------------------------------------------------------------
class Memory:
    """Memory that tensors share: what was recorded of it since which node has changed it."""

    def __init__(self, storage):
        # PyTorch makes no other storage in the place of this one as long as this is kept
        self.reference = torch.multiprocessing.reductions.StorageWeakRef(storage)
        self.changes, self.writer = 0, None
        self.clear()

    def clear(self):
        self.wholes = []  # recorded row by row: (value, version and type, first element, elements)
        self.views = {}  # values by what view() says


class Values:
    """The values of a recording. Tensors are known by weak references: none lives longer."""

    def __init__(self, limit, weights, file):
        self.list, self.limit, self.weights, self.file = [], limit, weights, file
        self.known = {}  # by a tensor's id: (reference, value, stamp)
        self.memories = {}  # by the address of PyTorch's object

    def memory_of(self, tensor):
        try:
            storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else \
                tensor._storage()  # before PyTorch 2.0
            key = storage._cdata
        except (NotImplementedError, RuntimeError):  # a sparse one, a transformation's wrapper
            return None
        if key not in self.memories:
            self.memories[key] = Memory(storage)
        return self.memories[key]

    def find(self, tensor):
        """The value of a tensor as it is now, or None."""
        reference, value, stamp = self.known.get(id(tensor), (None, None, None))
        memory = self.memory_of(tensor)
        if reference is not None and reference() is tensor and stamp == stamp_of(tensor, memory):
            return value
        same = memory.views.get(view(tensor)) if memory is not None else None
        if same is not None:  # hooks for gradients make another tensor of the same numbers
            self.know(tensor, same, memory)
        return same

    def last(self, tensor):
        """The value of a tensor when it was recorded last, or None."""
        reference, value, _ = self.known.get(id(tensor), (None, None, None))
        return value if reference is not None and reference() is tensor else None

    def writer_of(self, tensor):
        """The node that changed the memory of a tensor since the tensor was recorded, or None."""
        memory = self.memory_of(tensor)
        if memory is None or self.last(tensor) is None:
            return memory and memory.writer
        stamp = self.known[id(tensor)][2]
        return memory.writer if stamp[:2] != (memory, memory.changes) else None

    def add(self, tensor, name=None):
        """Gives the tensor a new value, with its numbers as they are now. Returns its number."""
        number, memory = len(self.list), self.memory_of(tensor)
        entry = self.entry(tensor, number, memory, name)
        self.list.append({**entry, "name": name} if name else entry)
        self.know(tensor, number, memory)
        return number

    def know(self, tensor, number, memory):
        self.known[id(tensor)] = (weakref.ref(tensor), number, stamp_of(tensor, memory))
        if memory is not None:
            memory.views[view(tensor)] = number

    def changed(self, tensor, node):
        """A node has changed the tensor's memory in place."""
        memory = self.memory_of(tensor)
        if memory is not None:
            memory.changes += 1
            memory.writer = node
            memory.clear()

    def entry(self, tensor, number, memory, name):
        """The JSON of a new value; saves its numbers if they stand nowhere yet."""
        if memory is not None and has_numbers(tensor) and not tensor.is_neg():
            kind, first = (version_of(tensor), tensor.dtype), tensor.storage_offset()
            last = first + extent_of(tensor)
            for base, other_kind, begin, end in reversed(memory.wholes):
                if kind == other_kind and begin <= first and last <= end:
                    return {"view_of": base, "shape": list(tensor.shape),
                            "stride": list(tensor.stride()), "offset": first - begin}
            if tensor.is_contiguous():
                memory.wholes.append((number, kind, first, last))
            stored = find_weight(self.weights, tensor, name) if name else None
            if stored:
                return stored
        if not has_numbers(tensor) or self.file.bytes + size_of(tensor) > self.limit:
            return without_numbers(tensor)
        self.file.add(f"v{number}", tensor)
        return {"tensor": f"v{number}"}


def dtype_of(tensor):
    return str(tensor.dtype)[len("torch."):]


def size_of(tensor):
    return tensor.numel() * tensor.element_size()


def stamp_of(tensor, memory):
    """Another one when the tensor has changed in place, or has got other memory."""
    changes = memory.changes if memory is not None else 0
    return memory, changes, version_of(tensor), pointer_of(tensor)


def view(tensor):
    """What tells a view of memory from all others, and from what it was before a change."""
    if not has_numbers(tensor):
        return id(tensor)
    return (tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(),
            version_of(tensor), tensor.is_neg())


def extent_of(tensor):
    """How many elements of memory there are from the tensor's first to its last."""
    return tensor.numel() and \
        1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))


def version_of(tensor):
    return 0 if tensor.is_inference() else tensor._version


def pointer_of(tensor):
    try:
        return tensor.data_ptr()
    except RuntimeError:  # without memory: sparse, a transformation's wrapper
        return 0


def has_numbers(tensor):
    """Not sparse, nested, on the device meta, or of a type unknown to the file."""
    return (dtype_of(tensor) in DTYPES and tensor.layout == torch.strided and
            not tensor.is_meta and not tensor.is_nested and
            (pointer_of(tensor) != 0 or tensor.numel() == 0))


def without_numbers(tensor):
    """The JSON of a value whose numbers are left out."""
    name, shape = dtype_of(tensor), []
    if not tensor.is_nested:
        shape = list(tensor.shape)
    return {"shape": shape, "dtype": DTYPES[name]} if name in DTYPES else \
        {"shape": shape, "dtype": "F32", "type": name}


def equals(tensor, other):
    """Are the bits of two tensors the same, once the other has the type of the first?"""
    tensor, other = tensor.detach().contiguous(), other.to(tensor.dtype).contiguous()
    compare = ctypes.CDLL(None).memcmp  # torch.equal takes longer, and NaN is not NaN there
    compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return compare(tensor.data_ptr(), other.data_ptr(), size_of(tensor)) == 0


def read_weights(path, folder):
    """{name: (the file's path from the folder, tensor)} of a safetensors file, not copied."""
    tensors, types = {}, {short: name for name, short in DTYPES.items()}
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        begin = 8 + struct.unpack("<Q", mapped[:8])[0]
        header = json.loads(mapped[8:begin].decode())
        header.pop("__metadata__", None)
        for name, entry in header.items():
            if entry["dtype"] in types and 0 not in entry["shape"]:
                tensor = torch.frombuffer(
                    mapped, dtype=getattr(torch, types[entry["dtype"]]),
                    count=math.prod(entry["shape"]), offset=begin + entry["data_offsets"][0])
                tensors[name] = (os.path.relpath(path, folder), tensor.view(entry["shape"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise RecordingError(f"{path} is no safetensors file: {error}") from None
    return tensors


def find_weight(weights, tensor, name):
    """The JSON of a parameter whose numbers stand in a file of weights, or None."""
    for other in sorted(weights, key=lambda other: other != name):
        if not (other == name or other.endswith("." + name) or name.endswith("." + other)):
            continue
        path, stored = weights[other]
        if stored.shape == tensor.shape and tensor.device.type == "cpu" and equals(tensor, stored):
            return {"file": path, "tensor": other, "dtype": DTYPES[dtype_of(tensor)]}
    return None


# --- The file ------------------------------------------------------------------------------------
class File:
    """A safetensors file under way. It stands at its path when it is whole, or what stood there.

    The first numbers wait in memory. When there are many, the next ones are written at once, each
    at a multiple of 8 bytes: ROOM bytes before them are left for the header."""

    def __init__(self, path):
        self.path, self.held, self.bytes = os.path.abspath(path), {}, 0
        self.header, self.place = {}, 0
        self.file = self.temporary = None

    def add(self, name, tensor):
        """Adds the numbers of a tensor, as they are now."""
        self.bytes += size_of(tensor)
        plain = tensor.detach().resolve_neg().to("cpu").contiguous()
        if self.bytes <= HELD or size_of(tensor) < 4096 or size_of(tensor) % 8 != 0:
            self.held[name] = plain if pointer_of(plain) != pointer_of(tensor) else plain.clone()
            return
        if self.file is None:
            self.open(ROOM)
        self.enter(name, plain)
        self.file.write(bytes_of(plain))
        self.file.flush()  # a copy of the process would write it, too

    def enter(self, name, tensor):
        end = self.place + size_of(tensor)
        self.header[name] = {"dtype": DTYPES[dtype_of(tensor)], "shape": list(tensor.shape),
                             "data_offsets": [self.place, end]}
        self.place = end

    def open(self, begin):
        handle, self.temporary = tempfile.mkstemp(
            dir=os.path.dirname(self.path), prefix=".onestep-")
        self.file = open(handle, "w+b")
        self.file.seek(begin)

    def finish(self, metadata):
        """Writes what is left. Raises OSError."""
        written = self.place
        order = sorted(self.held, key=lambda name: -self.held[name].element_size())
        for name in order:  # each stands at a multiple of its size
            self.enter(name, self.held[name])
        text = json.dumps({"__metadata__": metadata, **self.header}).encode()
        length = len(text) + -len(text) % 8
        if self.file is not None and 8 + length <= ROOM:
            length = ROOM - 8
        else:
            self.move(8 + length, written)
        self.file.seek(0)
        self.file.write(struct.pack("<Q", length) + text.ljust(length))
        self.file.seek(8 + length + written)
        for name in order:
            self.file.write(bytes_of(self.held[name]))
        self.file.close()
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self.temporary, 0o666 & ~mask)
        os.replace(self.temporary, self.path)
        self.temporary = None

    def move(self, begin, written):
        """Begins the file whose header needs this room, with the numbers that were written."""
        old, old_path = self.file, self.temporary
        self.open(begin)
        if old is None:
            return
        try:
            old.seek(ROOM)
            shutil.copyfileobj(old, self.file, 1 << 20)
        finally:
            old.close()
            os.unlink(old_path)

    def drop(self):
        """Removes what is not whole."""
        if self.temporary is not None:
            self.file.close()
            os.unlink(self.temporary)
            self.temporary = None


def bytes_of(tensor):
    """The memory of a tensor that is contiguous, and has to be kept meanwhile."""
    size = size_of(tensor)
    return (ctypes.c_char * size).from_address(tensor.data_ptr()) if size else b""


def write_safetensors(path, tensors, metadata):
    """Writes a file of tensors by their names, and of strings. Raises OSError."""
    file = File(path)
    try:
        for name, tensor in tensors.items():
            file.add(name, tensor)
        file.finish(metadata)
    finally:
        file.drop()


# --- The recorder --------------------------------------------------------------------------------
# A call of a module: its path, its number among the calls of the user's modules, or None.
Call = collections.namedtuple("Call", "path number is_users")


class record:
    """Records what PyTorch computes inside of `with record(path):`.

    path      the file to write
    modules   paths of modules, "*" for any letters: only operations inside of these are recorded
    limit     bytes of numbers; values beyond have none
    tokens    the words of the sentence, or a list of them for each sentence of a batch
    backward  also the gradients that loss.backward() computes inside of the with
    weights   safetensors files with the model's weights: they are named there instead of copied

    Raises RecordingError for what cannot be recorded. The file is written whole, or not at all.
    """

    under_way = None  # the recording of this process

    def __init__(self, path, *, modules=None, limit=2_000_000_000, tokens=None, backward=False,
                 weights=None):
        self.path, self.limit, self.backward = os.fspath(path), limit, backward
        self.modules = [modules] if isinstance(modules, str) else modules
        self.weights = [weights] if isinstance(weights, (str, os.PathLike)) else weights or []
        self.tokens = tokens
        if tokens is not None and not are_words(tokens) and not (
                isinstance(tokens, (list, tuple)) and all(map(are_words, tokens))):
            raise RecordingError("tokens= is a list of words, or a list of such lists")

    def __enter__(self):
        if record.under_way is not None:
            raise RecordingError("a recording is under way: there can be one at a time")
        load_torch()
        folder = os.path.dirname(os.path.abspath(self.path))
        if os.path.isdir(self.path) or not os.access(folder, os.W_OK):
            raise RecordingError(f"{self.path} cannot be written")
        weights = {}
        for path in self.weights:
            weights.update(read_weights(os.fspath(path), folder))
        self.here, self.busy, self.is_on, self.refused = place_of_run(), False, True, None
        self.file = File(self.path)
        self.values = Values(self.limit, weights, self.file)
        self.sources, self.text, self.operations = Sources(), Text(self.value_of), {}
        self.nodes, self.calls, self.stack = [], [], []
        self.paths, self.names, self.kept = {}, {}, []  # by id of modules and tensors; these
        self.parameters = {}  # of the model, by name
        self.frame, self.is_direct, self.before, self.watched = None, False, {}, set()
        self.module_calls, self.last_place = 0, None  # what tells whether a line goes on
        self.restore, self.begun, self.said_at = [], time.monotonic(), None
        record.under_way = self
        try:
            self.watch()
        except BaseException:
            record.under_way = None
            self.release()
            raise
        return self

    def __exit__(self, kind, error, trace):
        record.under_way = None
        if self.said_at:
            print("\r\033[K", end="", file=sys.stderr)
        self.is_on = False
        self.release()
        if place_of_run() != self.here:  # a copy of the process that records
            return False
        try:
            if error is not None:
                self.add_raised(error, trace)
            if not self.refused:
                self.write()
            elif error is None:
                raise RecordingError(self.refused)
        finally:
            self.file.drop()
        return False

    def write(self):
        description = {"made_by": f"onestep.py, PyTorch {torch.__version__}"}
        if self.tokens is not None:
            description["tokens"] = self.tokens
        description.update(files=self.sources.files, values=self.values.list, calls=self.calls,
                           nodes=self.nodes)
        try:
            self.file.finish({"format": FORMAT, "recording": json.dumps(description)})
        except OSError as error:
            raise RecordingError(f"{self.path} was not written: {error}") from None

    # What it sees

    def watch(self):
        """Begins to see what PyTorch does: operations, modules, and what a mode does not see."""
        recorder, getitem, call_module = self, torch.Tensor.__getitem__, torch.nn.Module.__call__

        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, arguments=(), named=None):
                return recorder.ran(function, arguments, named or {})

        def index(tensor, index):  # PyTorch 1.13 does not tell a mode of it
            return recorder.ran(getitem, (tensor, index), {})

        def call(*arguments, **named):
            return recorder.call_module(call_module, *arguments, **named)

        self.replace(torch.Tensor, "__getitem__", index)
        self.replace(torch.nn.Module, "__call__", call)
        self.replace(torch.overrides, "has_torch_function", has_torch_function)
        for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
            self.watch_scripts(kind, kind.__call__)
        self.watch_compiled()
        mode = Mode()
        mode.__enter__()
        self.restore.append(lambda: mode.__exit__(None, None, None))

    def replace(self, owner, name, function):
        """Replaces an attribute until release()."""
        is_own, original = name in vars(owner), getattr(owner, name)
        setattr(owner, name, function)
        self.restore.append(
            lambda: setattr(owner, name, original) if is_own else delattr(owner, name))

    def release(self):
        """Leaves PyTorch as it was."""
        while self.restore:
            self.restore.pop()()

    def watch_scripts(self, kind, original):
        """PyTorch tells a mode of no call of a compiled script, which is one operation here."""
        def run(script, *arguments, **named):
            return original(script, *arguments, **named)

        self.operation_of(run).form = "script"
        self.replace(kind, "__call__", lambda script, *arguments, **named: self.ran(
            run, (script, *arguments), named))

    def watch_compiled(self):
        """What torch.compile made would see the recorder as a part of the run: calling it, and
        making it, stops the recording."""
        def stop(original):
            def stop_and_run(callback, *more, **named):
                if callable(callback):
                    self.is_on, self.refused = False, NO_COMPILED
                    if not self.busy:
                        self.release()
                return original(callback, *more, **named)
            return stop_and_run

        frames = sys.modules.get("torch._dynamo.eval_frame")
        name = "_maybe_set_eval_frame" if hasattr(frames, "_maybe_set_eval_frame") else \
            "set_eval_frame"  # before PyTorch 2.5
        for owner, name in ((frames, name), (torch, "compile")):
            if hasattr(owner, name):
                self.replace(owner, name, stop(getattr(owner, name)))

    def is_watching(self):
        return self.is_on and not self.busy and place_of_run() == self.here and \
            torch._C._get_tracing_state() is None

    def guarded(self, work, *arguments):
        """Does work of the recorder, unseen by functions of tensors' own classes. If that fails,
        the recording is refused at its end, and the run goes on."""
        was_busy, self.busy = self.busy, True
        try:
            with torch._C.DisableTorchFunction():
                return work(*arguments)
        except Exception as error:
            said = " ".join(str(error).split())
            self.is_on = False
            self.refused = said if isinstance(error, RecordingError) else \
                f"{self.path} was not written: {said}" if isinstance(error, OSError) else \
                f"onestep cannot record this: {type(error).__name__}: {said}"
        finally:
            self.busy = was_busy

    # Operations

    def ran(self, function, arguments, named):
        """Runs a function of PyTorch and records it. Returns its result."""
        if not self.is_watching():
            return function(*arguments, **named)
        operation = self.guarded(self.operation_of, function)
        if operation is None or operation.form == "none" or not self.is_wanted():
            return self.run(function, arguments, named)
        operands = tensors_in([arguments, named])
        before = self.guarded(self.look_before, operation, operands, named)
        result = self.run(function, arguments, named)
        is_loop = operation.word == "__iter__"
        result = list(result) if is_loop else result
        if before is not None:
            self.guarded(self.look_after, operation, arguments, named, before, result)
        return iter(result) if is_loop else result

    def run(self, function, arguments, named):
        self.busy = True
        try:
            return function(*arguments, **named)
        finally:
            self.busy = False

    def operation_of(self, function):
        if function not in self.operations:
            self.operations[function] = Operation(function)
        return self.operations[function]

    def look_before(self, operation, operands, named):
        """[(operand, what tells a change, a copy where nothing else tells it)]. Operands that may
        change get their values now."""
        may_change = operation.may_change or named.get("out") is not None or named.get("inplace")
        self.before = {}
        if may_change:
            self.locate()
            self.before = {id(operand): self.value_of(operand) for operand in operands}
        return [(operand, (version_of(operand), pointer_of(operand)), operand.clone()
                 if may_change and has_numbers(operand) and
                 (operation.is_secretive or operand.is_inference()) else None)
                for operand in operands]

    def look_after(self, operation, arguments, named, before, result):
        changed = [operand for operand, stamp, copy in before
                   if stamp != (version_of(operand), pointer_of(operand)) or
                   copy is not None and not equals(operand, copy)]
        results = tensors_in(result)
        if results or changed:
            self.locate()
            for operand in changed:
                self.before.setdefault(id(operand), self.old_value(operand))
            self.add_operation(operation, arguments, named, changed, results)
        self.before = {}

    def old_value(self, operand):
        """The value of an operand whose numbers are gone."""
        value = self.values.last(operand)
        if value is None:
            value = len(self.values.list)
            self.values.list.append(without_numbers(operand))
        return value

    def add_operation(self, operation, arguments, named, changed, results):
        site = self.site()
        is_operator = site is not None and self.is_direct and isinstance(
            site.node, (ast.BinOp, ast.Compare, ast.UnaryOp, ast.AugAssign))
        call = self.text.call(operation, arguments, named, is_operator)
        if operation.word == "__iter__":
            call = f"{self.text.of(arguments[0])}.unbind(0)"
        node = {"call": call, "results": []}
        written = [self.before[id(operand)] for operand in changed]
        if written:
            node["writes"] = written[0]
        if written[1:]:
            node["also_writes"] = written[1:]
        if autocast_dtype():
            node["autocast"] = autocast_dtype()
        number = self.add_node(node, site)
        for operand in changed:
            self.values.changed(operand, number)
        self.before = {}
        for tensor in tensors_in([results, changed])[:MOST_RESULTS]:
            value = self.values.add(tensor)
            node["results"].append(value)
            self.watch_gradient(tensor, value)

    def add_node(self, node, site):
        """Appends a node. Returns its number."""
        node["in"] = self.call_number()
        if self.stack:
            node["module"] = self.stack[-1].path
        if site is not None:
            node["file"], node["line"] = site.file, site.line
            if site.variable:
                node["variable"] = site.variable
            if site.expression:
                node["expression"] = site.expression
        place = site and (site, self.module_calls)
        if site and site.variable and place == self.last_place:
            self.nodes[-1].pop("variable", None)  # the last operation of a call gives its result
        self.last_place = place
        self.nodes.append(node)
        if len(self.nodes) > MOST_NODES:
            raise RecordingError(
                f"more than {MOST_NODES:,} operations: record less of the run, or fewer modules")
        self.show_progress()
        return len(self.nodes) - 1

    def call_number(self):
        """The number of the innermost call of a user's module, or -1."""
        numbers = (call.number for call in reversed(self.stack) if call.number is not None)
        return next(numbers, -1)

    def show_progress(self):
        """Says on a terminal how far a long recording is."""
        now = time.monotonic()
        if now > (self.said_at or self.begun + 1.5) + 0.5 and sys.stderr and sys.stderr.isatty():
            said = f"{len(self.nodes)} operations, {self.file.bytes / 1e6:.0f} MB recorded"
            print(f"\ronestep: {said} ", end="", file=sys.stderr, flush=True)
            self.said_at = now

    def locate(self):
        """Finds the user's frame, and whether it asked PyTorch itself."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename in (
                OWN_FILE, torch.overrides.__file__, torch._tensor.__file__):
            frame = frame.f_back
        self.frame = self.sources.user_frame(frame)
        self.is_direct = self.frame is frame

    def site(self):
        return self.sources.site_of(self.frame) if self.frame else None

    # Values

    def value_of(self, tensor):
        """The number of an operand's value; gives it one if it has none or has changed since."""
        if id(tensor) in self.before:
            return self.before[id(tensor)]
        value = self.values.find(tensor)
        if value is None:
            writer = self.values.writer_of(tensor)
            if writer is None:
                value = self.values.add(tensor, self.name_of(tensor))
            else:
                node = {"changed_by": writer, "results": []}
                self.add_node(node, None)
                value = self.values.add(tensor)
                node["results"].append(value)
        self.watch_gradient(tensor, value)
        return value

    def name_of(self, tensor):
        """The name of a parameter, a buffer, a variable or an attribute of self, or None."""
        if id(tensor) in self.names or self.frame is None:
            return self.names.get(id(tensor))
        variables = dict(self.frame.f_locals)
        owner = variables.get("self")
        path = self.paths.get(id(owner))
        attributes = {f"{path}.{name}" if path else name: value
                      for name, value in getattr(owner, "__dict__", {}).items()}
        for scope in (variables, attributes, self.frame.f_globals):
            for name, value in list(scope.items()):
                if value is tensor:
                    return name
        for name, value in [*self.parameters.items(), *variables.items()]:
            if isinstance(value, torch.Tensor) and value.is_leaf and value.grad is tensor:
                return f"{name}.grad"
        return None

    def watch_gradient(self, tensor, value):
        """Its gradient will be recorded, once for each loss.backward()."""
        if not self.backward or not tensor.requires_grad or value in self.watched:
            return
        self.watched.add(value)

        def take(gradient):
            if gradient is not None and self.is_on and place_of_run() == self.here:
                self.guarded(self.add_gradient, gradient, value)

        if tensor.grad_fn is None:
            hook = tensor.register_hook(take)
        else:  # the hooks of a tensor stay with its first version in PyTorch 1.13
            place = tensor.output_nr
            hook = tensor.grad_fn.register_hook(lambda inputs, outputs: take(outputs[place]))
        self.restore.append(hook.remove)

    def add_gradient(self, gradient, value):
        self.locate()
        number = self.values.add(gradient)
        self.add_node({"gradient_of": value, "results": [number]}, self.site())

    # Modules

    def call_module(self, original, module, *arguments, **named):
        """Calls a module and records that."""
        depth = len(self.stack)
        is_seen = self.is_watching() and self.guarded(self.enter, module, [arguments, named])
        try:
            output = original(module, *arguments, **named)
        finally:
            if is_seen:
                call = self.stack[depth]
                del self.stack[depth:]
        if is_seen and call.number is not None and self.is_watching():
            self.guarded(self.add_end, call, output)
        return output

    def enter(self, module, inputs):
        if not self.stack:
            self.add_root(module, inputs)
        outer = self.stack[-1] if self.stack else Call("", None, True)
        if id(module) not in self.paths:
            self.paths[id(module)] = f"{outer.path}.{type(module).__name__}".lstrip(".")
            self.kept.append(module)
        path, number = self.paths[id(module)], None
        is_users = not type(module).__module__.startswith("torch.")
        if is_users and self.is_inside(path):
            number = len(self.calls)
            self.calls.append({"module": path, "class": type(module).__name__,
                               "outer": self.call_number()})
        self.module_calls += is_users or outer.is_users
        self.stack.append(Call(path, number, is_users))
        return True

    def add_root(self, module, inputs):
        """A model is called: its parts get names, and its inputs those of the variables there."""
        parts, self.parameters = dict(module.named_modules()), dict(module.named_parameters())
        self.paths.update((id(part), path) for path, part in parts.items())
        for name, tensor in [*self.parameters.items(), *module.named_buffers()]:
            self.names.setdefault(id(tensor), name)
            self.kept.append(tensor)
        self.kept.append(module)
        self.locate()
        for tensor in tensors_in(inputs):
            if self.values.find(tensor) is None and self.name_of(tensor):
                self.names[id(tensor)] = self.name_of(tensor)
                self.kept.append(tensor)

    def add_end(self, call, output):
        """The node at which a call of the user's module ends. Its line is the one that called."""
        self.locate()
        values = [self.value_of(tensor) for tensor in tensors_in(output)]
        self.add_node({"ends": call.number, "results": values}, self.site())

    def is_wanted(self):
        return not self.modules or bool(self.stack) and self.is_inside(self.stack[-1].path)

    def is_inside(self, path):
        return not self.modules or any(
            path == wanted or path.startswith(wanted + ".") or fnmatch.fnmatchcase(path, wanted)
            for wanted in self.modules)

    def add_raised(self, error, trace):
        """The last node says which exception ended the run, and in which of the user's lines."""
        node = {"raised": f"{type(error).__name__}: {error}", "results": [], "in": -1}
        while trace is not None:
            frame = trace.tb_frame
            if self.sources.user_frame(frame) is frame:
                node["file"] = self.sources.number_of(frame.f_code.co_filename)
                node["line"] = trace.tb_lineno
            trace = trace.tb_next
        self.nodes.append(node)


OWN_FILE = record.__init__.__code__.co_filename
NO_COMPILED = "code of torch.compile has no single operations: record the model without it" \
    " (flex_attention compiles itself)"


def place_of_run():
    """The process and the thread: others are not recorded, such as the workers that load data."""
    return os.getpid(), threading.get_ident()


def are_words(words):
    return isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)


def autocast_dtype():
    """The type to which operations are cast here, as safetensors calls it, or None."""
    if hasattr(torch, "get_autocast_dtype"):
        kinds = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        dtype = torch.get_autocast_dtype(kinds[0]) if kinds else None
    else:
        dtype = torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else \
            torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    return DTYPES.get(str(dtype)[len("torch."):])


def has_torch_function(arguments):
    """In place of PyTorch's: its transformer layers leave their fast path, which has other bits,
    when a mode sees them. They are told only of tensors that have functions of their own."""
    plain_types = (torch.Tensor, torch.nn.Parameter)
    return any(hasattr(type(argument), "__torch_function__") and type(argument) not in plain_types
               for argument in arguments)
