#!/bin/sh
# Flags that give up exact arithmetic for speed change the numbers. Does the build refuse them where it sees them, and
# where it does not, does `onestep verify` find what they do? Gives them to gcc and clang in CFLAGS and LDFLAGS, then
# behind the compiler's name, where meson does not look. Prints a line a row; exit status: 0 if none went unnoticed.
#
#   tests/hostile.sh
#
# Needs gcc and clang. Takes one to two minutes.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

report() {
    case $1 in
    unnoticed* | 'does not build')
        failed=$((failed + 1))
        tail -n 15 "$folder/log"
        ;;
    esac
    printf '%-6s %-9s %-62s %s\n' "$compiler" "$2" "$3" "$1"
}

# --- Seen by meson -----------------------------------------------------------------------------------------------

# seen VARIABLE FLAG
seen() {
    rm -rf "$folder/seen"
    outcome='unnoticed by meson'
    env CC="$compiler" "$1=$2" meson setup -Dtests=disabled -Dterminal=disabled "$folder/seen" "$root" \
        >"$folder/log" 2>&1 || { grep -q -e "ERROR.*build without ${2##* }" "$folder/log" && outcome='refused by meson'; }
    report "$outcome" "$1" "$2"
}

# --- Hidden ------------------------------------------------------------------------------------------------------

hide() {
    cat >"$folder/$compiler" <<EOF
#!/bin/sh
case " \$* " in
*' -c '*) exec $compiler "\$@" \${HIDDEN_COMPILING-} ;;
*) exec $compiler "\$@" \${HIDDEN_LINKING-} ;;
esac
EOF
    chmod +x "$folder/$compiler"
    CC="$folder/$compiler" CFLAGS=-O1 meson setup -Dbuildtype=plain -Dtests=disabled -Dterminal=disabled \
        "$folder/$compiler-build" "$root" >"$folder/log" 2>&1
}

build() {
    ninja -C "$folder/$compiler-build" onestep >"$folder/log" 2>&1
}

# Leaves in $outcome who noticed: the header, verify, or nobody.
try() {
    if ! build; then
        outcome='does not build'
        grep -q 'error.*build without -f' "$folder/log" && outcome='refused by the compiler'
    elif "$folder/$compiler-build/onestep" verify >"$folder/log" 2>&1; then
        outcome='unnoticed by verify'
    else
        outcome="verify: $(grep -e '^This program' -e 'in every other build' "$folder/log" | head -n 1 | cut -d : -f 1)"
    fi
}

# hidden FLAGS
hidden() {
    ninja -C "$folder/$compiler-build" -t clean >/dev/null
    export HIDDEN_COMPILING="$1"
    try
    unset HIDDEN_COMPILING
    report "$outcome" hidden "$1"
}

hidden_linking() {
    rm -f "$folder/$compiler-build/onestep"
    export HIDDEN_LINKING="$1"
    try
    unset HIDDEN_LINKING
    report "$outcome" linking "$1"
}

# Without any such flag nothing is wrong.
harmless() {
    hide || { report 'does not build' none '' && return; }
    try
    [ "$outcome" = 'unnoticed by verify' ] && outcome='all is well'
    report "$outcome" none ''
    [ "$outcome" = 'all is well' ] || failed=$((failed + 1))
}

# --- All of them -------------------------------------------------------------------------------------------------

for compiler in gcc clang; do
    for flag in -ffp-contract=fast -ffinite-math-only -fassociative-math -funsafe-math-optimizations -ffast-math \
        -fsingle-precision-constant -mrecip=all; do
        seen CFLAGS "$flag"
    done
    seen LDFLAGS -ffast-math
    harmless
    hidden_linking -ffast-math
    hidden -ffast-math
    hidden -ffinite-math-only
    hidden '-fassociative-math -fno-signed-zeros -fno-trapping-math'
    hidden -funsafe-math-optimizations
    if [ "$compiler" = clang ]; then
        seen CFLAGS '-Xclang -mreassociate'
        hidden '-Xclang -mreassociate'
    else
        hidden -fsingle-precision-constant
    fi
done
[ "$failed" -eq 0 ]
