#!/bin/sh
# sweep.sh - how much can slip through? Mutates the reference mechanically and checks every mutant.
#
#   checks/sweep/sweep.sh [--jobs N] [--seed N]
#
# rules.tsv says what is changed, mutate.awk does it. A mutant that does not compile, or compiles to the same object code as
# the reference, is dropped. All clauses judge the rest; a mutant that they do not catch survives.
# checks/tests/sweep-survivors.tsv holds the survivors that are right services all the same, each with its reason; any other
# survivor makes the exit status 1, and so does a line there that no longer names one.
set -eu

LC_ALL=C
export LC_ALL
kit=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
lab=idem-retention-lab
reference=$kit/solutions/$lab/service.c
explained=$kit/checks/tests/sweep-survivors.tsv

# One mutant, in a process of its own; its fate goes to N.fate. The order of words is the order of the questions.
one() {
    folder=$1 number=$2 seed=$3
    fate=
    if ! cc -std=gnu17 -O1 -w -I"$kit/labs/$lab" -c -o "$folder/$number.o" "$folder/$number.c" 2>/dev/null; then
        fate='does not compile'
    elif cmp -s "$folder/$number.o" "$folder/reference.o"; then
        fate='same object'
    else
        status=0
        "$kit/build/lab" check --jobs 1 --stop-at clause --seed "$seed" --format json "$folder/$number.c" >"$folder/$number.json" || status=$?
        case $status in
        0) fate='survives' ;;
        1) fate='caught' ;;
        *) fate="not judged: status $status" ;;
        esac
    fi
    rm -f "$folder/$number.o"
    printf '%s\n' "$fate" >"$folder/$number.fate"
}

if [ "${1-}" = --one ]; then
    one "$2" "$4" "$3"
    exit
fi

jobs=$(nproc) seed=1
while [ $# -gt 0 ]; do
    case $1 in
    --jobs) jobs=$2 && shift 2 ;;
    --seed) seed=$2 && shift 2 ;;
    *) printf 'sweep: %s is not known; there are --jobs N and --seed N.\n' "$1" >&2 && exit 2 ;;
    esac
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

count=$(awk -v out="$folder" -f "$kit/checks/sweep/mutate.awk" "$kit/checks/sweep/rules.tsv" "$reference")
cc -std=gnu17 -O1 -w -I"$kit/labs/$lab" -c -o "$folder/reference.o" "$reference"
"$kit/build/lab" check --seed "$seed" --format json "$reference" >/dev/null || {
    printf 'sweep: the reference itself does not hold, so nothing can be said of its mutants.\n' >&2
    exit 3
}
seq "$count" | xargs -P "$jobs" -n 1 sh "$0" --one "$folder" "$seed"

# How many met which fate; every mutant has one.
fate_count() { cat "$folder"/*.fate | grep -c "^$1" || true; }
judged=$(($(fate_count caught) + $(fate_count survives)))
printf '%d mutants: %d do not compile, %d compile to the same object code, %d judged: %d caught, %d survive\n' "$count" \
    "$(fate_count 'does not compile')" "$(fate_count 'same object')" "$judged" "$(fate_count caught)" "$(fate_count survives)"

for file in "$folder"/*.fate; do
    read -r fate <"$file"
    if [ "$fate" = survives ]; then cat "${file%.fate}.id"; fi
done | sort >"$folder/survivors"
grep -v '^#' "$explained" | cut -f 1 | sort >"$folder/explained"

comm -23 "$folder/survivors" "$folder/explained" >"$folder/new"
comm -13 "$folder/survivors" "$folder/explained" >"$folder/stale"
printf '%d of the survivors are explained in %s\n' "$(comm -12 "$folder/survivors" "$folder/explained" | wc -l)" \
    "${explained#"$kit/"}"
sed 's/^/survives, unexplained: /' "$folder/new"
sed 's/^/explained, but no survivor: /' "$folder/stale"
unjudged=$(fate_count 'not judged')
if [ "$unjudged" -gt 0 ]; then
    printf '%d mutants could not be judged\n' "$unjudged"
    exit 3
fi
[ ! -s "$folder/new" ] && [ ! -s "$folder/stale" ]
