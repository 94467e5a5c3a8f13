"""Are numbers of bfloat16, float16 and TF32 told, and judged by what these hold?

Each lesson's own statements run in such a type: every tensor and layer is converted where the program makes it, and for TF32, which
needs a GPU, the factors of products are rounded to its 11 bits. All tensors are handed in at once. They have one cause, with --dtype
they are right, and with a softmax over another dimension they are wrong both times.

Left out are the lessons that train: an update of AdamW is smaller than half a unit of bfloat16, and its eps is 0 as a float16,
so what such a training makes is not the lesson's. So are the statements of block in half precision, which make layers inside,
and embeddings in TF32: its only product takes rows of a table as they are, and has 11 bits like a float16.
"""
import torch

TYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "tf32": torch.float32}
LEFT_OUT = {("block", "bfloat16"), ("block", "float16"), ("embeddings", "tf32")}
LINEAR = {torch.nn.functional.linear}
PRODUCTS = LINEAR | {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.mm, torch.bmm}


def rounded(x):
    """To the nearest number of 11 bits, away from 0 if two are as near: as cvt.rna.tf32.f32 does."""
    if x.dtype != torch.float32:
        return x
    return ((x.detach().contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32) + (x - x.detach())


class InTf32(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), options=None):
        if function in PRODUCTS:
            arguments = (*(rounded(x) for x in arguments[:2]), *arguments[2:])
        return function(*arguments, **(options or {}))


class InHalf(torch.overrides.TorchFunctionMode):
    """What 1.13 has not for float16 on a CPU, it computes in float32, and rounds the result, as later versions do."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        try:
            return function(*arguments, **(options or {}))
        except RuntimeError as error:
            if "not implemented for 'Half'" not in str(error):
                raise
        wide = [x.float() if isinstance(x, torch.Tensor) and x.dtype == torch.float16 else x for x in arguments]
        result = function(*wide, **(options or {}))
        return result.half() if isinstance(result, torch.Tensor) and result.dtype == torch.float32 else result


def convert(names, dtype):
    """All that is float32 among the program's names."""
    for name, value in list(names.items()):
        if isinstance(value, torch.nn.Module):
            value.to(dtype)
        elif isinstance(value, torch.nn.Parameter):
            value.data = value.data.to(dtype)
        elif isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            names[name] = value.to(dtype)


def mode(kind):
    return InTf32() if kind == "tf32" else InHalf()
