"""What the scripts that ask PyTorch share: PyTorch on AVX2, and src/tensor/number/ as a library that Python can call."""
import ctypes
import glob
import os
import subprocess
import sys
import tempfile

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src")

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


def number():
    """src/tensor/number/ as a shared library: that in $NUMBER_LIBRARY, or compiled now."""
    path = os.environ.get("NUMBER_LIBRARY")
    if path is None:
        path = os.path.join(tempfile.mkdtemp(), "number.so")
        build(path)
    return ctypes.CDLL(path)


def build(path):
    """Compiles src/tensor/number/ and what compares whole arrays with it into one shared library."""
    here = os.path.dirname(os.path.abspath(__file__))
    compiler = os.environ.get("CC", "cc")
    flags = os.environ.get("CFLAGS", "-O2").split()
    subprocess.run([compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", *flags, "-fPIC",
                    "-shared", "-I" + SOURCES,
                    *sorted(glob.glob(SOURCES + "/tensor/number/*.c")), here + "/pytorch_compare.c",
                    "-lm", "-o", path], check=True)


def address(tensor):
    """Where a tensor's first number lies, for C."""
    return ctypes.c_void_p(tensor.data_ptr())


if __name__ == "__main__":
    build(sys.argv[1])
