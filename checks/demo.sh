#!/bin/sh
# A short tour of the kit on what it ships. `make demo` installs what is missing, builds, and starts it.
#
# Usage: checks/demo.sh
#
# Exit status: 0 when everything shown came out as the tour says.
set -eu

lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

# say PARAGRAPH...: text between the commands, each paragraph after an empty line.
say() {
    printf '\n'
    printf '%s\n' "$@"
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
        printf '\nThe demo expected status %s here; observed %s.\n' "$expected" "$observed" >&2
        exit 1
    fi
}

say 'A lab in C and SQLite. You write a store of idempotency keys in eight stages, and learn when a key may' \
    'be deleted: deleting it also ends the guarantee that came with it.' \
    "The contract is labs/$lab/service.h; each stage has a page beside it and a check script."

say '1. The starter compiles, and no function is written yet.'
show 1 "checks/$lab/01-contract.sh" "fixtures/$lab/service.c"

say '2. The reference is one right solution. Every clause of all eight stages holds.'
show 0 build/lab check "solutions/$lab/service.c"

# The variants of the worksheet, by name, as words.
worksheet=$(grep -ls '^Kind: worksheet' "broken-variants/$lab"/*.patch | sed 's|.*/||; s|\.patch$||' || true)
if [ -n "$worksheet" ]; then
    say '3. Now break it on purpose: the reference with one wrong change, once for each stage. Before you read on:' \
        'which clauses will fail?'
    # shellcheck disable=SC2086 # words
    show 0 build/lab variants $worksheet
fi

say '4. An instructor grades a class: here seven submissions, one right, three short of it, three that cheat. Each' \
    'is compiled and run in a sandbox, with inputs that nobody has seen.'
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

say 'Your turn:'
printf '  %-42s %s\n' 'make start' "puts the starter at work/$lab/service.c" \
    "labs/$lab/01-init-db.md" 'says what to write first' \
    "checks/$lab/01-contract.sh" 'says what holds, and what does not' \
    make 'lists everything else'
