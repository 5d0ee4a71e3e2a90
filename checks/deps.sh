#!/bin/sh
# Installs what the kit needs and this machine lacks, with apt-get; does nothing when nothing is missing.
#
# Usage: checks/deps.sh [build] [test] [lint]
#
#   build   what a learner and an instructor need: compiler, libraries, bats, sandbox (the default)
#   test    what the kit's own tests need besides
#   lint    what `make lint` needs besides
#
# A package is asked for by what it brings (a command, a header), so that tools from elsewhere count too.
set -eu

missing=''

# need PACKAGE PROBE...: notes the package when the probe fails.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

has_command() { command -v "$1"; }

has_header() { printf '#include <%s>\n' "$1" | gcc -E -; }

has_clang_sanitizer() { printf 'int main(void) { return 0; }\n' | clang -fsanitize=address -xc - -o /dev/null; }

need_build() {
    need gcc has_command gcc
    need make has_command make
    need binutils has_command objcopy
    need libc6-dev has_header stdio.h
    need libsqlite3-dev has_header sqlite3.h
    need libcjson-dev has_header cjson/cJSON.h
    need sqlite3 has_command sqlite3
    need libmd-dev has_header sha2.h
    need libseccomp-dev has_header seccomp.h
    need gettext has_command msgfmt
    need bats has_command bats
    need bubblewrap has_command bwrap
    need libarchive-tools has_command bsdtar
    need jq has_command jq
}

need_test() {
    need clang has_command clang
    need libclang-rt-dev has_clang_sanitizer
    need libxml2-utils has_command xmllint
    need zip has_command zip
}

need_lint() {
    need clang has_command clang
    need clang-format has_command clang-format
    need clang-tidy has_command clang-tidy
    need cppcheck has_command cppcheck
    need shellcheck has_command shellcheck
}

# Sets `missing` for the sets named.
look() {
    missing=''
    for set in "$@"; do
        case $set in
        build | test | lint) "need_$set" ;;
        *)
            printf '%s: no such set: %s (build, test, lint)\n' "$0" "$set" >&2
            exit 2
            ;;
        esac
    done
}

# as_root COMMAND...: runs it, through sudo where we are not root.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# apt COMMAND...: runs apt-get without questions; what it prints is shown when it fails.
apt() {
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        return 1
    fi
}

[ $# -gt 0 ] || set -- build
look "$@"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    printf 'The kit needs:%s (names of Debian packages), and there is no apt-get here to install them.\n' "$missing" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    printf 'The kit needs a few packages; as root, run: apt-get install%s\n' "$missing" >&2
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf 'Installing:%s\n' "$missing"
apt update || printf 'apt-get update failed; trying with the lists that are here.\n' >&2
# $missing is a list of words.
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing

look "$@"
if [ -n "$missing" ]; then
    printf 'Installed, but still not usable:%s\n' "$missing" >&2
    exit 1
fi
