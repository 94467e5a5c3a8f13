"""One peer of the fast attention, in a process of its own: a line of JSON in, a line out. peers.py starts it.

usage: worker.py KIND '{"size": ..., "tokens": ..., ...}'

Each draws the layer of `onestep gpt2` in PyTorch's order and runs it in its own way. A line with a path compares the
output with that file; an empty one runs two passes, one to warm up, and says how long the second took.
"""
import ctypes
import json
import os
import re
import resource
import sys
import time

import numpy
import torch

WIDTHS = {"small": (768, 12), "medium": (1024, 16), "large": (1280, 20), "xl": (1600, 25)}


class Layer:
    """Input and weights, with query, key and value in one layer, as all who care for speed have them."""

    def __init__(self, options):
        self.threads, self.batch, self.tokens = options["threads"], options["batch"], options["tokens"]
        self.width, self.heads = WIDTHS[options["size"]]
        self.head_dim = self.width // self.heads
        torch.manual_seed(options["seed"])
        self.x = torch.rand(self.batch, self.tokens, self.width)
        separate = [torch.nn.Linear(self.width, self.width) for _ in range(3)]
        self.out = torch.nn.Linear(self.width, self.width)
        self.qkv = torch.nn.Linear(self.width, 3 * self.width)
        self.qkv.weight.data = torch.cat([linear.weight.data for linear in separate])
        self.qkv.bias.data = torch.cat([linear.bias.data for linear in separate])

    def heads_of(self, x):
        shape = (self.batch, self.tokens, self.heads, self.head_dim)
        return (part.view(shape).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))

    def joined(self, context):
        return self.out(context.transpose(1, 2).reshape(self.batch, self.tokens, self.width))


def sdpa(layer):
    """scaled_dot_product_attention, which keeps scores in tiles."""
    def forward():
        context = torch.nn.functional.scaled_dot_product_attention(*layer.heads_of(layer.x), is_causal=True)
        return layer.joined(context)
    return forward


def written_out(layer):
    """The course's class: what a PyTorch without scaled_dot_product_attention has."""
    mask = torch.triu(torch.ones(layer.tokens, layer.tokens), diagonal=1).bool()

    def forward():
        queries, keys, values = layer.heads_of(layer.x)
        scores = (queries @ keys.transpose(2, 3)).masked_fill_(mask, -torch.inf)
        return layer.joined(torch.softmax(scores / layer.head_dim**0.5, dim=-1) @ values)
    return forward


def onnxruntime(layer):
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    weights = {"W_qkv": layer.qkv.weight.T, "b_qkv": layer.qkv.bias, "W_out": layer.out.weight.T, "b_out": layer.out.bias}
    shape = [layer.batch, layer.tokens, layer.width]
    attention = helper.make_node("Attention", ["x", "W_qkv", "b_qkv"], ["context"], domain="com.microsoft",
                                 num_heads=layer.heads, unidirectional=1)
    nodes = [attention, helper.make_node("MatMul", ["context", "W_out"], ["projected"]),
             helper.make_node("Add", ["projected", "b_out"], ["y"])]
    graph = helper.make_graph(
        nodes, "layer", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value.detach().contiguous().numpy(), name) for name, value in weights.items()])
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = layer.threads
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    x = layer.x.numpy()
    return lambda: torch.from_numpy(session.run(["y"], {"x": x})[0])


def by_hand(layer):
    """tests/peers/layer.c on the BLAS that LAYER, its library, was linked with."""
    library = ctypes.CDLL(os.environ["LAYER"])
    weights = [tensor.detach().contiguous()
               for tensor in (layer.qkv.weight, layer.qkv.bias, layer.out.weight, layer.out.bias)]
    tokens, width = layer.tokens, layer.width
    room = [torch.empty(count) for count in (3 * tokens * width, 128 * tokens, tokens * width)]
    result = torch.empty_like(layer.x)

    def pointers(tensors):
        return [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]

    def forward():
        for x, y in zip(layer.x, result):
            library.layer(*pointers([x]), *map(ctypes.c_int64, (tokens, width, layer.heads)), *pointers(weights),
                          *pointers(room), *pointers([y]))
        return result
    return forward


def libraries():
    """The matrix products that this process has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if re.search(r"/lib[^/]*(blas|mkl|blis|dnnl|onnxruntime)[^/]*\.so", line)}
    return sorted({os.path.realpath(path) for path in paths})


KINDS = {"sdpa": sdpa, "written": written_out, "onnxruntime": onnxruntime, "hand": by_hand}


def main():
    kind, options = sys.argv[1], json.loads(sys.argv[2])
    torch.set_num_threads(options["threads"])
    with torch.no_grad():
        forward = KINDS[kind](Layer(options))
        output = forward().numpy().copy()
        for line in sys.stdin:
            path = json.loads(line)
            if path:
                reply = {"difference": float(numpy.abs(numpy.load(path) - output).max()), "libraries": libraries(),
                         "torch": torch.__version__}
            else:
                forward()
                start = time.perf_counter()
                forward()
                reply = {"ms": 1e3 * (time.perf_counter() - start)}
            reply["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024e-6
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
