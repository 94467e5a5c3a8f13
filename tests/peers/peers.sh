#!/bin/sh
# Sets up a Debian 13 with today's peers of the fast attention in a folder, and runs them beside it (peers.py).
#
# usage: tests/peers/peers.sh FOLDER [peers.py's options] ONESTEP       as root; FOLDER takes 3 GB, and is used again
#
# PyTorch 1.13 is Debian 12's own python3-torch, if there is one on this machine.
set -eu

folder=$1
shift
here=$(dirname "$0")
if [ ! -x "$folder/usr/bin/python3" ]; then
    debootstrap --variant=minbase trixie "$folder" http://deb.debian.org/debian
fi
mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
mountpoint -q "$folder/sys" || mount -t sysfs sysfs "$folder/sys"
inside() {
    chroot "$folder" env DEBIAN_FRONTEND=noninteractive "$@"
}
inside sh -c 'dpkg -s python3-torch python3-onnxruntime python3-onnx libdnnl-dev libopenblas-openmp-dev gcc libc6-dev \
    >/dev/null 2>&1' || {
    inside apt-get -q update
    inside apt-get -q -y --no-install-recommends install python3-torch python3-numpy python3-onnxruntime python3-onnx \
        libdnnl-dev libopenblas-openmp-dev gcc libc6-dev
}
mkdir -p "$folder/peers"
cp "$here/layer.c" "$here/worker.py" "$folder/peers/"
fast="-O3 -march=native -ffast-math -fopenmp-simd -shared -fPIC"
openblas=/usr/lib/x86_64-linux-gnu/openblas-openmp
inside sh -c "cd /peers && gcc $fast -I/usr/include/x86_64-linux-gnu/openblas-openmp layer.c -o layer_openblas.so \
    -L$openblas -lopenblas -lm && gcc $fast -DWITH_DNNL layer.c -o layer_dnnl.so -ldnnl -lm"
exec python3 "$here/peers.py" "$folder" "$@"
