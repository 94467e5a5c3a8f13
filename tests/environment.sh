#!/bin/sh
# Does it build whatever flags and variables it finds? Runs ./start in a copy of this folder, whose name has blanks and
# umlauts, with the flags of distributions, with those that make compilers talk, and with variables that mean something
# to a shell or to ninja. Each time it has to build, without a warning unless the flags ask for one; the program has to
# find PyTorch's numbers in itself; and the second time nothing is to be built or said. Prints a line a row; exit
# status: 0 if all went well.
#
#   tests/environment.sh [test]     with "test", ./start test instead of the program: a minute or two a row
#
# Needs clang, a static ncurses, and on Debian dpkg-dev. Takes one to two minutes.
set -u

mode=${1-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

copy="$folder/ein Ordner für Übungen/onestep"
mkdir -p "$copy"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy") || exit 1
failed=0

# run NAME=VALUE...: leaves what is said in $folder/said.
run() {
    if [ "$mode" = test ]; then
        env LC_ALL=C.UTF-8 "$@" "$copy/start" test >"$folder/said" 2>&1
    else
        env LC_ALL=C.UTF-8 "$@" "$copy/start" verify >/dev/null 2>"$folder/said"
    fi
}

says_nothing() {
    (cd / && env LC_ALL=C.UTF-8 "$@" "$copy/start" --version) >/dev/null 2>"$folder/said" && [ ! -s "$folder/said" ]
}

# A function of ours whose name is one of a library's would stand in for it there, and keep -static from linking.
stands_in_for_another() {
    nm -D --defined-only "$copy/build/onestep" 2>/dev/null | grep ' T ' >"$folder/said"
}

report() {
    if [ "$1" = passed ]; then
        printf 'passed: %s\n' "$2"
    else
        printf 'failed (%s): %s\n' "$1" "$2"
        tail -n 15 "$folder/said"
        failed=$((failed + 1))
    fi
}

# row NAME=VALUE...
row() {
    outcome=passed
    if ! run "$@"; then
        outcome='exit status'
    elif grep -q 'warning:' "$folder/said" && [ "$wants_warnings" = no ]; then
        outcome='a warning'
        grep -A 4 'warning:' "$folder/said" >"$folder/warnings"
        mv "$folder/warnings" "$folder/said"
    elif ! says_nothing "$@"; then
        outcome='the second time'
    elif stands_in_for_another; then
        outcome='a name of a library'
    fi
    report "$outcome" "$*"
}

distribution='-O2 -g -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fcf-protection'
case $(uname -m) in
x86_64 | i?86) ;;
*) distribution=${distribution% *} ;; # the last is for those processors only
esac

wants_warnings=no
row CFLAGS="$distribution" LDFLAGS='-Wl,-z,relro -Wl,-z,now'
row CC=clang CPPFLAGS=-D_FORTIFY_SOURCE=3 CFLAGS=-O1
row CPPFLAGS=-D_GNU_SOURCE CFLAGS='-O1 -funsigned-char' LDFLAGS=-static
if command -v dpkg-buildflags >/dev/null; then
    row CPPFLAGS="$(dpkg-buildflags --get CPPFLAGS)" CFLAGS="$(dpkg-buildflags --get CFLAGS)" \
        LDFLAGS="$(dpkg-buildflags --get LDFLAGS)"
fi
wants_warnings=yes
row CFLAGS='-O1 -Wall -Wpadded'

# Here, the program is all that is missing.
for status in 'no work to do ' 'nothing to do' %; do
    rm -f "$copy/build/onestep"
    row CFLAGS='-O1 -Wall -Wpadded' NINJA_STATUS="$status" MAKEFLAGS=' -n -j2 --jobserver-auth=8,9' CDPATH=/:.. IFS=/ \
        POSIXLY_CORRECT=1 DESTDIR=/dev/null HOME=/dev/null
done

# says_only NAME WORDS COMMAND...: fails, and all that it says is lines of ./start's own, one of them with these words.
says_only() {
    name=$1 words=$2
    shift 2
    outcome=passed
    if "$@" >"$folder/said" 2>&1; then
        outcome='exit status'
    elif grep -v -q '^start: ' "$folder/said" || ! grep -q -e "$words" "$folder/said"; then
        outcome='what is said'
    fi
    report "$outcome" "$name"
}

# A package manager that says much and installs nothing.
rm -rf "$copy/build"
mkdir "$folder/bin"
printf '#!/bin/sh\nseq 300\n' >"$folder/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$folder/bin/sudo"
chmod +x "$folder/bin/apt-get" "$folder/bin/sudo"
says_only 'a package manager that says much' 'installed, but missing' \
    env PATH="$folder/bin:$PATH" PKG_CONFIG_LIBDIR=/nonexistent "$copy/start" --version

if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$folder"
    set -- setpriv --reuid=65534 --regid=65534 --clear-groups
else
    chmod a-w "$copy"
    set --
fi
says_only 'a folder that cannot be written' "can't write into" "$@" "$copy/start" --version
chmod u+w "$copy"

[ "$failed" -eq 0 ]
