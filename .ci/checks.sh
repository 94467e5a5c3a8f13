# shellcheck shell=sh
# What .ci/run and .ci/long have in common: they source this file from the project's root. It counts checks and installs
# packages.
set -u

work=$PWD/build-checks/${0##*/} # builds and logs; git ignores it
log=$work/log
passed=${PASSED:-0} # by the script that started this one
failed=${FAILED:-0}
rm -rf "$work"
mkdir -p "$work"

# --- Counting ----------------------------------------------------------------------------------------------------

# Leaves in $log.times what `times` says: the second line has the time that the command's processes took of processors.
run_logged() {
    printf '%s\n' "--- $name"
    began=$(date +%s)
    (
        "$@"
        status=$?
        times >"$log.times"
        exit "$status"
    ) >"$log" 2>&1 </dev/null
}

# report PASSED FAILED
report() {
    passed=$((passed + $1))
    failed=$((failed + $2))
    [ "$2" -eq 0 ] || tail -n 60 "$log"
    processors=$(sed 's/[ms]/ /g' "$log.times" | awk 'NR == 2 {printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4}')
    printf '    %s: %d passed, %d failed, %d s, %d s of a processor\n' "$name" "$1" "$2" \
        $(($(date +%s) - began)) "$processors"
}

# check NAME COMMAND...: passes if the command succeeds.
check() {
    name=$1
    shift
    is_wanted || return 0
    if run_logged "$@"; then
        report 1 0
    else
        report 0 1
    fi
}

# ONLY=WORDS runs the checks with these words in their names, and what all of them need.
is_wanted() {
    case $name in
    *"${ONLY-}"* | 'start installs and builds') ;;
    *) return 1 ;;
    esac
}

# figures NAME COMMAND...: a check whose output is worth reading when it passes, too.
figures() {
    before=$passed
    check "$@"
    [ "$passed" -eq "$before" ] || sed 's/^/    /' "$log"
}

# suite NAME FOLDER COMMAND...: the command builds in the folder and runs meson's tests there, each of which counts.
suite() {
    name=$1
    folder=$2
    shift 2
    is_wanted || return 0
    rm -f "$folder/meson-logs/testlog.json"
    run_logged "$@"
    status=$?
    # shellcheck disable=SC2046
    set -- $(count_tests "$folder/meson-logs/testlog.json")
    if [ $# -ne 2 ]; then
        report 0 1
    elif [ "$2" -eq 0 ] && [ "$status" -ne 0 ]; then
        report "$1" 1
    else
        report "$1" "$2"
    fi
}

# Prints how many checks passed and failed by meson's log: those that a test counts itself in TAP ("ok 1 - ...", "not ok
# 2 - ..."), and one for every other test.
count_tests() {
    [ -s "$1" ] && python3 - "$1" <<'PYTHON'
import json
import re
import sys

passed = failed = 0
for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    if test["result"] == "SKIP":
        continue
    succeeded = test["result"] in ("OK", "EXPECTEDFAIL")
    output = test.get("stdout", "")
    right = len(re.findall(r"^ok \d+", output, re.MULTILINE))
    wrong = len(re.findall(r"^not ok \d+", output, re.MULTILINE))
    passed += right if right + wrong else succeeded
    failed += wrong or not succeeded  # a crash, a leak or a timeout is no check of its own
print(passed, failed)
PYTHON
}

# side_by_side LANE LANE: runs two functions full of checks at the same time, for a check that waits or counts on one
# processor alone leaves the other idle. What a lane prints comes when it is over.
side_by_side() {
    for lane in "$@"; do
        (
            log=$work/log-$lane passed=0 failed=0
            "$lane"
            echo "$passed $failed" >"$work/counts-$lane"
        ) >"$work/said-$lane" 2>&1 &
    done
    wait
    for lane in "$@"; do
        cat "$work/said-$lane"
        read -r more fewer <"$work/counts-$lane" || { more=0 && fewer=1; } # a lane that broke off is a check that failed
        passed=$((passed + more))
        failed=$((failed + fewer))
    done
}

# quietly COMMAND...: what it says is worth reading only if it fails.
quietly() {
    said=$("$@" 2>&1) || { printf '%s\n' "$said" && return 1; }
}

# The last line. Exit status 0 if no check failed.
conclude() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# --- What is needed beyond ./start -------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# One lane at a time: apt-get update waits for nobody.
install_packages() {
    {
        flock 9
        as_root apt-get -qq update
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "$@" 9>&-
    } 9>"$work/apt.lock"
}

# install COMMAND PACKAGE...: installs the packages if there is no such command.
install() {
    command -v "$1" >/dev/null && return
    shift
    install_packages "$@"
}

install_clang() {
    install clang clang
    [ -d "$(clang -print-resource-dir)/lib/linux" ] || install_packages libclang-rt-14-dev
}

# Debian's PyTorch belongs to Debian's Python, whichever else comes first in PATH; its bits are those of OpenBLAS, and it
# takes any BLAS there is.
install_pytorch() {
    /usr/bin/python3 -c 'import torch; exit("openblas" not in open("/proc/self/maps").read())' 2>/dev/null ||
        install_packages python3 python3-torch libopenblas0-pthread
}

install_jupyter() {
    install jupyter-nbconvert jupyter-nbconvert python3-ipykernel
}

# under_sanitizers [NAME=VALUE] COMMAND...: they have an exit status of their own, so that no test takes what they find for
# the program's error.
under_sanitizers() {
    env ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99 "$@"
}
