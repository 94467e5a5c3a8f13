#!/bin/sh
# Runs every fuzz target for some seconds, all at once, from the inputs that are kept in tests/corpus; clang is needed.
#
#   tests/fuzz.sh SECONDS [TARGET...]
set -eu

root=$(cd "$(dirname -- "$0")/.." && pwd)
seconds=${1:?usage: tests/fuzz.sh SECONDS [TARGET...]}
shift
work=$root/build-fuzz

CC=clang meson setup "$work" "$root" -Dwerror=true -Dfuzzers=true -Dtests=disabled \
    -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized >/dev/null
ninja -C "$work" >"$work/ninja.log" || { cat "$work/ninja.log" && exit 1; }
[ $# -gt 0 ] || set -- fuzz_csv fuzz_numbers fuzz_program fuzz_evaluation fuzz_recording fuzz_command fuzz_walker

fuzz() {
    corpus=$work/corpus/${1#fuzz_}
    mkdir -p "$corpus" "$work/findings"
    "$work/tests/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -artifact_prefix="$work/findings/" "$corpus" "$root/tests/corpus/${1#fuzz_}" >"$work/$1.log" 2>&1 || {
        printf '%s: failed\n' "$1"
        tail -n 40 "$work/$1.log"
        return 1
    }
    printf '%s: %s\n' "$1" "$(grep -E '^Done|resizes$' "$work/$1.log" | paste -s -d ' ')"
}

# All at once: they share nothing, and what they wait for is the clock.
processes=
for target; do
    fuzz "$target" &
    processes="$processes $!"
done
status=0
for process in $processes; do wait "$process" || status=1; done
exit $status
