#!/bin/sh
# Runs every fuzz target for some seconds, from the inputs that are kept in tests/corpus; clang is needed.
#
#   tests/fuzz.sh SECONDS [TARGET...]
set -eu

root=$(cd "$(dirname -- "$0")/.." && pwd)
seconds=${1:?usage: tests/fuzz.sh SECONDS [TARGET...]}
shift
work=$root/build-fuzz

CC=clang meson setup "$work" "$root" -Dfuzzers=true -Dtests=disabled -Db_sanitize=address,undefined \
    -Db_lundef=false -Dbuildtype=debugoptimized >/dev/null
ninja -C "$work" >/dev/null
[ $# -gt 0 ] || set -- $(cd "$work/tests" && ls -d fuzz_* | grep -v '\.p$')
for target; do
    corpus=$work/corpus/${target#fuzz_}
    mkdir -p "$corpus" "$work/findings"
    printf '%s: ' "$target"
    "$work/tests/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -artifact_prefix="$work/findings/" "$corpus" "$root/tests/corpus/${target#fuzz_}" >"$work/$target.log" 2>&1 || {
        tail -n 40 "$work/$target.log"
        exit 1
    }
    tail -n 2 "$work/$target.log" | grep -E '^Done|resizes$' | paste -s -d ' '
done
