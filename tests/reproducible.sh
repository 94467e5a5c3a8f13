#!/bin/sh
# Is a build the same bytes wherever it is made? Builds onestep twice: from this folder, and from a copy of it in a folder
# of another name and depth, at another time, in another language and time zone. Takes the options of `meson setup`.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# build SOURCE FOLDER OPTION...
build() {
    source=$1 to=$2
    shift 2
    if ! { meson setup -Dtests=disabled "$@" "$to" "$source" && meson compile -C "$to" onestep; } >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        return 1
    fi
}

build "$root" "$folder/one" "$@"
copy="$folder/another folder, with blanks/onestep"
mkdir -p "$copy"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy")
(
    export LC_ALL=C TZ=Asia/Tokyo HOME=/nonexistent
    umask 077
    build "$copy" "$copy/build" "$@"
)

sha256sum "$folder/one/onestep" "$copy/build/onestep" | cut -c 1-64
cmp "$folder/one/onestep" "$copy/build/onestep"
