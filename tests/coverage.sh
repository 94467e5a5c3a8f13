#!/bin/sh
# Have the tests reached enough of the source? For a build with -Db_coverage=true that has run them. Prints the figures
# and leaves the lines not reached in BUILD/coverage.txt; exit status 0 if the limits below hold. gcovr is needed.
#
#   tests/coverage.sh BUILD
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
build=${1:?usage: tests/coverage.sh BUILD}
cd "$root"

echo 'All of src and lessons:'
gcovr --output "$build/coverage.txt" --print-summary --fail-under-line 95 --fail-under-branch 90 "$build"

# What numbers come from, and how they get in and out.
echo 'Generators, printer and readers:'
gcovr --config /dev/null --filter 'src/tensor/(number/generator|file/(format|npy|npy_read|csv|numbers|numbers_read|numeral|reading|printed|table_read))\.c' \
    --output "$build/coverage-numbers.txt" --print-summary --fail-under-line 100 "$build"
