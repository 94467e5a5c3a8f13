#!/bin/sh
# Do all builds give the same bits? Builds onestep with every compiler, level, architecture and C library of the table
# below, runs tests/digest.py with each, and prints the table with its results.
#
#   tests/digest_builds.sh [PATTERN [N]]     rows that match PATTERN (as in grep -E) only; text of one command in N
#
# Everything runs on this machine, what is foreign under qemu. "bits" is the digest of the values, which has to be the
# recorded one. "text" is that of what print writes (tests/digest.py --text); it has to be the same in all rows. Exit
# status: 0 if all rows agree.
#
# Needs, on Debian: gcc clang llvm lld musl-tools qemu-user, and for the other machines
# gcc-{i686,aarch64,riscv64,s390x}-linux-gnu, gcc-arm-linux-gnueabihf and
# libc6-dev-{i386,arm64,riscv64,s390x,armhf}-cross. Takes some five minutes.
set -u

one_in=${2:-1}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# compiler, level, machine (and how to run its programs, where this one can't), C library, what else it is built with
table='
gcc                       -O0  x86_64          glibc
gcc                       -O1  x86_64          glibc
gcc                       -O2  x86_64          glibc
gcc                       -O3  x86_64          glibc
gcc                       -Os  x86_64          glibc
gcc                       -O3  x86_64          glibc  -march=native
gcc                       -O3  x86_64          glibc  -march=x86-64-v3
gcc                       -O3  x86_64          glibc  -flto
gcc                       -O3  x86_64          glibc  -flto -march=native
gcc                       -O3  x86_64/qemu     glibc
clang                     -O0  x86_64          glibc
clang                     -O2  x86_64          glibc
clang                     -O3  x86_64          glibc
clang                     -O3  x86_64          glibc  -march=native
clang                     -O3  x86_64          glibc  -march=x86-64-v3
clang                     -O3  x86_64          glibc  -flto -fuse-ld=lld -Wno-unused-command-line-argument
musl-gcc                  -O0  x86_64          musl
musl-gcc                  -O3  x86_64          musl
i686-linux-gnu-gcc        -O2  x86             glibc
aarch64-linux-gnu-gcc     -O0  aarch64/qemu    glibc
aarch64-linux-gnu-gcc     -O3  aarch64/qemu    glibc
arm-linux-gnueabihf-gcc   -O2  arm/qemu        glibc
arm-linux-gnueabihf-gcc   -O3  arm/qemu        glibc  -mfpu=neon-vfpv4
riscv64-linux-gnu-gcc     -O3  riscv64/qemu    glibc
s390x-linux-gnu-gcc       -O0  s390x/qemu      glibc
s390x-linux-gnu-gcc       -O3  s390x/qemu      glibc
'

# Meson calls an architecture foreign only if it is told so; then it does not try to run what it has compiled.
machine_file() {
    [ "$machine" = s390x ] && endian=big || endian=little
    cat <<EOF
[binaries]
c = '$compiler'
ar = '$(case $compiler in clang) echo llvm-ar ;; *) echo gcc-ar ;; esac)'
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '$machine'
cpu = '$machine'
endian = '$endian'
EOF
}

# Statically linked: the C library of the row, and an emulator needs no other files.
build() {
    machine_file >"$own/machine" &&
        meson setup --cross-file "$own/machine" -Dwerror=true -Dbuildtype=plain -Db_pie=false \
            -Dterminal=disabled -Dtests=disabled -Dc_args="$level $options" -Dc_link_args="-static $options" \
            "$own/build" "$root" &&
        meson compile -C "$own/build" onestep
}

# Leaves the digests in $bits and $text, and in $same what the row has to say.
try() {
    bits=- text=- same=no
    command -v "$compiler" >/dev/null || { same='no: no such compiler' && return; }
    build >"$own/log" 2>&1 || { same='no: does not build' && tail -n 10 "$own/log" >&2 && return; }
    set -- "$own/build/onestep"
    [ "$emulator" = qemu ] && set -- "qemu-$machine" "$@"
    # The kernel of this machine may have been built without the system calls of 32 bits.
    [ "$machine" = x86 ] && ! "$1" --version >/dev/null 2>&1 && set -- qemu-i386 "$@"
    "$root/tests/digest.py" "$@" >"$own/digest" 2>&1 && same=yes
    grep '^not ok' "$own/digest" >&2
    bits=$(tail -n 1 "$own/digest" | cut -d ' ' -f 3)
    text=$("$root/tests/digest.py" --text --one-in "$one_in" "$@") || same=no
}

print_row() {
    printf '%-24s %-5s %-8s %-6s %-32.32s %-16.16s %-16.16s %s\n' "$@"
}

# row NUMBER: leaves the row in a file, and its text's digest in another.
row() {
    own=$folder/$1
    mkdir "$own"
    try
    print_row "$compiler" "$level" "$machine" "$library" "$options" "$bits" "$text" "$same" >"$folder/$1.row"
    echo "$text" >"$folder/$1.text"
    rm -rf "$own"
}

# Two rows at once: a build keeps all processors busy, the digests after it do not.
print_row compiler level machine libc with bits text same
printf '%s\n' "$table" | grep -E -e "${1:-.}" >"$folder/table"
rows=0
printed=0
print_rows() {
    wait
    while [ "$printed" -lt "$rows" ]; do
        printed=$((printed + 1))
        cat "$folder/$printed.row"
    done
}
while read -r compiler level where library options; do
    [ -n "$compiler" ] || continue
    machine=${where%/*}
    emulator=${where#"$machine"}
    emulator=${emulator#/}
    rows=$((rows + 1))
    row "$rows" </dev/null &
    [ $((rows % 2)) -ne 0 ] || print_rows
done <"$folder/table"
print_rows
[ "$rows" -gt 0 ] || exit 1
wrong=$(cat "$folder"/*.row | grep -c -v ' yes$')
texts=$(cat "$folder"/*.text | sort -u | wc -l)
printf '%d builds, %d differ; %d %s of text\n' "$rows" "$wrong" "$texts" "$([ "$texts" -eq 1 ] && echo kind || echo kinds)"
[ "$wrong" -eq 0 ] && [ "$texts" -eq 1 ]
