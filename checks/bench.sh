#!/usr/bin/env bash
# What checks cost, as ratios in one run: each figure against the compiler alone on the same file.
#
# Usage: checks/bench.sh [ROUNDS]     (9 unless given)
#
# The compiler alone is measured with the very commands that a check gives: a stand-in for the compiler writes
# them down, and they are run again by themselves. All measurements take turns, so that a machine that becomes
# slower meanwhile slows all of them; each figure is a median.
set -euo pipefail

rounds=${1:-9}
lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
reference=$PWD/solutions/$lab/service.c
compiler=$(command -v "${LAB_CC:-cc}")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# --- The compiler alone ------------------------------------------------------------------------------------

cat >"$folder/cc" <<END_OF_COMPILER
#!/bin/sh
{ printf '%s\\n' "\$@" && echo; } >>"$folder/commands"
exec "$compiler" "\$@"
END_OF_COMPILER
chmod +x "$folder/cc"
LAB_CC=$folder/cc build/lab check --clause 1.1 "$reference" >"$folder/report"

# Each command: its words a line each, then an empty line.
commands=()
words=()
while IFS= read -r word; do
    if [ -n "$word" ]; then
        words+=("$word")
    else
        commands+=("$(printf '%q ' "$compiler" "${words[@]}")")
        words=()
    fi
done <"$folder/commands"

mkdir "$folder/alone"
cp "$reference" "labs/$lab/service.h" "build/$lab/subject.o" "$folder/alone"

compile_alone() {
    (
        cd "$folder/alone"
        for command in "${commands[@]}"; do eval "$command"; done
    )
}

check() { build/lab check --seed 1 "$@" "$reference"; }

# --- Taking turns ------------------------------------------------------------------------------------------

names=()
goals=()
declare -A call times

# measure NAME GOAL COMMAND...: a figure to take; GOAL is the ratio it should not exceed, or -.
measure() {
    names+=("$1")
    goals+=("$2")
    call[$1]=$(printf '%q ' "${@:3}")
    times[$1]=''
}

measure 'compiler alone' - compile_alone
measure 'all stages, numbered clauses' 3 check --kinds numbered
measure 'all stages, everything' 5 check
for stage in 01 02 03 04 05 06 07 08; do measure "stage $stage, numbered clauses" 2 check --kinds numbered --stage $stage; done
for stage in 01 02 03 04 05 06 07 08; do measure "stage $stage, everything" 2.5 check --stage $stage; done
for kind in craft race random; do measure "all stages, $kind" - check --kinds $kind; done

for ((round = 1; round <= rounds; round++)); do
    [ ! -t 2 ] || printf '\rround %s of %s' "$round" "$rounds" >&2
    for name in "${names[@]}"; do
        start=${EPOCHREALTIME/[.,]/}
        eval "${call[$name]}" >"$folder/output" 2>&1 || {
            printf '\n%s failed:\n' "$name" >&2
            cat "$folder/output" >&2
            exit 1
        }
        times[$name]+="$((${EPOCHREALTIME/[.,]/} - start)) "
    done
done
[ ! -t 2 ] || printf '\r' >&2

# median NUMBERS...
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

printf 'Medians of %s rounds. Ratio: how many times the compiler alone (%s, compile and link).\n\n' "$rounds" "$(basename "$compiler")"
printf '%-34s %9s %7s %6s\n' '' 'ms' 'ratio' 'goal'
# shellcheck disable=SC2086 # times are numbers between spaces
alone=$(median ${times['compiler alone']})
for i in "${!names[@]}"; do
    # shellcheck disable=SC2086
    took=$(median ${times[${names[i]}]})
    awk -v name="${names[i]}" -v took="$took" -v alone="$alone" -v goal="${goals[i]}" 'BEGIN {
        ratio = took / alone
        over = (goal != "-" && ratio > goal + 0) ? "  over" : ""
        printf "%-34s %9.1f %7.2f %6s%s\n", name, took / 1000, ratio, goal, over }'
done
