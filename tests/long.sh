#!/bin/sh
# What takes minutes and asks PyTorch: all floats, a million draws of twenty seeds, and the statements of thousands of runs.
#
# usage: tests/long.sh [PYTHON]     from the project's root, with a build in build/
#
# PYTHON has PyTorch for the processor, on AVX2 with OpenBLAS: /usr/bin/python3 with Debian's python3-torch and
# libopenblas0-pthread, or a command that starts the Python of another Debian in a folder ("chroot FOLDER python3"; /proc
# must be mounted there, and the project's folder under its own name).
set -eu

python=${1:-/usr/bin/python3}
ninja -C build onestep tests/tensor_pipe
onestep=$PWD/build/onestep
pipe=$PWD/build/tests/tensor_pipe

meson test -C build --print-errorlogs --suite long

# shellcheck disable=SC2086
ask() {
    script=$1
    shift
    $python "$PWD/tests/$script" "$@"
}

ask pytorch_operations.py --functions --draws 1000000 --tensors 3000 "$pipe"
ask pytorch_printing.py --tensors 100000 "$pipe"
ask pytorch_forms.py "$onestep"
ask pytorch_students.py "$onestep"
ask pytorch_parts.py "$onestep" --check
ask pytorch_practice.py "$onestep"
ask pytorch_statements.py --quiet --runs 100 --seed 7 "$onestep"
ask pytorch_statements.py --quiet --runs 376 --seed 21 --large --checked 0.02 "$onestep"
