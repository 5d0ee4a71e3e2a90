#!/bin/sh
# A short tour of the kit on what it ships. `make demo` installs what is missing, builds, and starts it.
#
# Usage: checks/demo.sh
#
# Exit status: 0 when everything shown came out as the tour says.
set -eu

lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

. checks/language.sh

# tell FORMAT ARGUMENT...: text between the commands, after an empty line.
tell() {
    printf '\n'
    say "$@"
}

# show STATUS COMMAND...: a command as one would type it, and what it prints; the tour ends unless its status is
# the one that was announced.
show() {
    expected=$1
    shift
    printf '\n$ %s\n' "$*"
    observed=0
    "$@" || observed=$?
    if [ "$observed" -ne "$expected" ]; then
        printf '\n' >&2
        give_up 1 'The demo expected status %s here; observed %s.' "$expected" "$observed"
    fi
}

tell 'A lab in C and SQLite. You write a store of idempotency keys in eight stages, and learn when a key may
be deleted: deleting it also ends the guarantee that came with it.
The contract is %s; each stage has a page beside it and a check script.' "labs/$lab/service.h"

tell '1. The starter compiles, and no function is written yet.'
show 1 "checks/$lab/01-contract.sh" "fixtures/$lab/service.c"

tell '2. The reference is one right solution. Every clause of all eight stages holds.'
show 0 build/lab check "solutions/$lab/service.c"

# The variants of the worksheet, by name, as words.
worksheet=$(grep -ls '^Kind: worksheet' "broken-variants/$lab"/*.patch | sed 's|.*/||; s|\.patch$||' || true)
if [ -n "$worksheet" ]; then
    tell '3. Now break it on purpose: the reference with one wrong change, once for each stage. Before you read on:
which clauses will fail?'
    # shellcheck disable=SC2086 # words
    show 0 build/lab variants $worksheet
fi

tell '4. An instructor grades a class: here seven submissions, one right, three short of it, three that cheat. Each
is compiled and run in a sandbox, with inputs that nobody has seen.'
samples=fixtures/$lab/submissions
class=build/demo/class
rm -rf build/demo
mkdir -p "$class"
for sample in good/returning-and-sort partial/stages-1-to-3 partial/plain-parse broken/does-not-compile \
    hostile/include-the-solution hostile/exit-0-in-every-call hostile/own-strcmp; do
    cp -R "$samples/$sample" "$class/"
done
show 0 build/lab grade "$class" --out build/demo/grades
show 0 cut -d, -f1-4 build/demo/grades/grades.csv

tell 'Your turn:'
say '  make start      puts the starter at %s' "work/$lab/service.c"
say '  make check      says what holds, and what does not'
say '  make            lists everything else'
say 'What to write first: %s' "$(page_of "labs/$lab" 01-init-db.md)"
