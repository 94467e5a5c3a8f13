#!/bin/sh
# Is a build the same bytes wherever it is made? Builds onestep in a copy of this folder, of another name and depth, at
# another time, in another language and time zone, and compares it with the ONESTEP that was built in this one (by
# `./start`, or with the same options).
#
#   tests/reproducible.sh ONESTEP [OPTION OF MESON SETUP...]
set -eu

onestep=$(readlink -f -- "${1:?usage: tests/reproducible.sh ONESTEP [OPTION...]}")
shift
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

copy="$folder/another folder, with blanks/onestep"
mkdir -p "$copy"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy")

build() {
    export LC_ALL=C TZ=Asia/Tokyo HOME=/dev/null
    umask 077
    meson setup -Dtests=disabled "$@" "$copy/build" "$copy" && meson compile -C "$copy/build" onestep
}
(build "$@") >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}

sha256sum "$onestep" "$copy/build/onestep" | cut -c 1-64
cmp "$onestep" "$copy/build/onestep"
