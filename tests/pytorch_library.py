"""What the scripts that ask PyTorch share: PyTorch on AVX2, and onestep behind a pipe."""
import os
import re
import subprocess
import sys

# What decides PyTorch's bits besides its version; read when it is loaded.
ENVIRONMENT = {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "1"}


def torch():
    """PyTorch, loaded so that its bits are those that onestep promises, or the end of the script."""
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    import torch as module
    if "CPU capability usage: AVX2" not in module.__config__.show():
        sys.exit("PyTorch does not use AVX2 here (is /proc mounted?)")
    with open("/proc/self/maps") as maps:
        if "openblas" not in maps.read():
            sys.exit("libblas.so.3 is not OpenBLAS; Debian's package is libopenblas0-pthread")
    module.set_num_threads(1)
    return module


def exact(number):
    """A number with all its bits, as C reads it and as short as that is: 0x1.8p+1."""
    return re.sub(r"\.?0*p", "p", float(number).hex())


class Pipe:
    """build/tests/tensor_pipe, which answers a line, and bytes behind it, with bytes."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line, data=b""):
        self.process.stdin.write(line.encode() + b"\n" + data)
        self.process.stdin.flush()
        length = self.process.stdout.readline()
        if not length:
            sys.exit(f"tensor_pipe did not answer: {line}")
        return self.process.stdout.read(int(length))
