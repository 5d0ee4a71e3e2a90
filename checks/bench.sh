#!/usr/bin/env bash
# What checks cost, as ratios in one run: each figure against the compiler alone on the same file.
#
# Usage: checks/bench.sh [ROUNDS]     (9 unless given)
#
# The compiler alone: the file compiled with the flags of a check and linked as the idem program, in one command, as
# anyone would give it. The flags are those of the check itself: a stand-in for the compiler writes its commands down.
# (The check links in a quicker way; its own commands are a row of their own.)
# All measurements take turns, so that a machine that becomes slower meanwhile slows all of them; each figure is a median.
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

# Each command: its words a line each, then an empty line. The first compiles; without "-c -o FILE" it links as well.
commands=()
words=()
flags=()
while IFS= read -r word; do
    if [ -n "$word" ]; then
        words+=("$word")
        continue
    fi
    for word in "${words[@]}"; do
        case ${#commands[@]}:$word in
        0:-c | 0:-o | 0:*.o | 0:*.c | [1-9]:*) ;;
        *) flags+=("$word") ;;
        esac
    done
    commands+=("$(printf '%q ' "$compiler" "${words[@]}")")
    words=()
done <"$folder/commands"

mkdir "$folder/alone"
cp "$reference" "labs/$lab/service.h" "build/$lab/idem.o" "build/$lab/subject.o" "$folder/alone"

compile_as_a_check() {
    (
        cd "$folder/alone"
        for command in "${commands[@]}"; do eval "$command"; done
    )
}

# compile_alone [FOLDER]
compile_alone() {
    (
        cd "${1:-$folder/alone}"
        "$compiler" "${flags[@]}" -o idem service.c idem.o -lsqlite3 -lcjson
    )
}

check() { build/lab check --seed 1 "$@" "$reference"; }

# --- Taking turns ------------------------------------------------------------------------------------------

names=()
goals=()
declare -A call times
refusals=''

# measure NAME GOAL COMMAND...: a figure to take; GOAL is the ratio it should not exceed, or -.
measure() {
    names+=("$1")
    goals+=("$2")
    call[$1]=$(printf '%q ' "${@:3}")
    times[$1]=''
}

measure 'compiler alone' - compile_alone
measure 'compiling as a check does it' - compile_as_a_check
measure 'all stages, numbered clauses' 3 check --kinds numbered
measure 'all stages, everything' 5 check
for stage in 01 02 03 04 05 06 07 08; do measure "stage $stage, numbered clauses" 2 check --kinds numbered --stage $stage; done
for stage in 01 02 03 04 05 06 07 08; do measure "stage $stage, everything" 2.5 check --stage $stage; done
measure 'all stages, craft with refusals' - check --kinds craft
measure 'all stages, races' - check --kinds race
measure 'all stages, random runs' - check --kinds random

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
    # Refusals are part of the craft clauses: the judge itself says how long they took.
    check --kinds craft --jobs 1 --format json >"$folder/output"
    refusals+="$(jq '[.stages[].clauses[].refusals_ms // 0] | add * 1000 | floor' "$folder/output") "
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

# shellcheck disable=SC2086 # times are numbers between spaces
awk -v took="$(median $refusals)" -v alone="$alone" 'BEGIN {
    printf "%-34s %9.1f %7.2f %6s\n", "refusals, without building", took / 1000, took / alone, "-" }'

# --- Grading, and variants ----------------------------------------------------------------------------------

# Copies of the reference are graded in turns: in the sandbox, outside it, and by two jobs. What one submission
# took is in the gradebook; that two jobs are faster shows in the whole run, its two gradings of the kit's own
# files included. One round is no measurement: it shows that all this runs, and takes two copies.
mkdir "$folder/class"
for ((copy = 1; copy <= (rounds < 3 ? 2 : 16); copy++)); do cp "$reference" "$folder/class/$copy.c"; done
inside='' outside='' one_job='' two_jobs=''

# took COMMAND...: sets `whole`, microseconds.
took() {
    local start=${EPOCHREALTIME/[.,]/}
    "$@" >"$folder/output"
    whole=$((${EPOCHREALTIME/[.,]/} - start))
}

# grade OPTIONS...: into an empty folder; sets `whole`.
grade() {
    rm -rf "$folder/out"
    took build/lab grade "$folder/class" --out "$folder/out" --seed 1 "$@"
}

# each: what each submission of the last grading took, microseconds.
each() { sqlite3 "$folder/out/gradebook.sqlite" 'SELECT CAST(took_ms * 1000 AS INTEGER) FROM times' | tr '\n' ' '; }

# Broken variants are run on all processors, and compiled so; in a bench of one round those of the worksheet only.
if [ "$rounds" -lt 3 ]; then
    mapfile -t patches < <(grep -ls '^Kind: worksheet' "broken-variants/$lab"/*.patch)
else
    patches=("broken-variants/$lab"/*.patch)
fi
variants='' compiled=''
cat >"$folder/compile" <<END_OF_COMPILE
set -e
cp -r "$folder/alone" "$folder/alone-\$1"
$(declare -f compile_alone)
$(declare -p compiler flags)
compile_alone "$folder/alone-\$1"
END_OF_COMPILE

for ((round = 1; round <= (rounds + 2) / 3; round++)); do
    took build/lab variants --seed 1 "${patches[@]}"
    variants+="$whole "
    took xargs -P "$(nproc)" -n 1 bash "$folder/compile" < <(seq "${#patches[@]}")
    compiled+="$whole "
    rm -rf "$folder"/alone-*
    grade --jobs 1
    one_job+="$whole "
    inside+=$(each)
    grade --jobs 1 --no-sandbox
    outside+=$(each)
    grade --jobs 2
    two_jobs+="$whole "
done

# compare NAME SLOWER FASTER GOAL LIMIT: two medians and their ratio; LIMIT says whether the goal is to stay
# below it (most) or to reach it (least).
compare() {
    awk -v name="$1" -v slower="$2" -v faster="$3" -v goal="$4" -v limit="$5" 'BEGIN {
        ratio = slower / faster
        missed = limit == "most" ? ratio > goal : ratio < goal
        printf "%-34s %9.1f %9.1f %7.2f %6s%s\n", name, slower / 1000, faster / 1000, ratio, goal, missed ? "  missed" : "" }'
}

printf '\nGrading, and variants: two medians in ms and their ratio.\n\n'
# shellcheck disable=SC2086 # times are numbers between spaces
{
    compare 'in the sandbox : outside it' "$(median $inside)" "$(median $outside)" 1.5 most
    compare 'one job : two jobs' "$(median $one_job)" "$(median $two_jobs)" 1.8 least
    compare 'variants : compiling them' "$(median $variants)" "$(median $compiled)" 2 most
}
