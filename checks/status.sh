#!/bin/sh
# Says how far you are: stages, predictions, tests of your own. Nothing of it is remembered: the service is
# checked, the predictions are those in work/predictions.sqlite, and each file of tests in
# work/idem-retention-lab/ that is named after a broken variant is tried on that variant.
#
# Usage: checks/status.sh        (make status builds what it needs)
#
# Exit status: 0, however far you are; 2 there is no service yet; 3 the kit could not look.
set -eu

lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh
service=work/$lab/service.c
predictions=work/predictions.sqlite

for tool in jq sqlite3; do
    command -v "$tool" >/dev/null || give_up 3 "There is no %s here; \`make deps\` installs it." "$tool"
done
[ -f "$service" ] || give_up 2 "There is no %s yet: \`make start\` puts the starter there." "$service"

result=$(mktemp)
trap 'rm -f "$result"' EXIT

# --- Stages -----------------------------------------------------------------------------------------------

status=0
build/lab check --format json "$service" >"$result" || status=$?
[ "$status" -le 1 ] || exit 3

# The stages, a line each: number, name, state, how many clauses more than the eight at most that follow do not hold.
stages=$(jq -r '.stages[]
    | [.clauses[] | select(.verdict != "pass") | .id] as $broken
    | (if ($broken | length) == 0 then "holds"
        elif all(.clauses[]; .verdict == "build") then "build"
        elif all(.clauses[]; .verdict == "todo") then "todo"
        else "broken" end) as $state
    | "\(.stage) \(.name) \($state) \([($broken | length) - 8, 0] | max) \($broken[:8] | join(", "))"' "$result")

# state_of STATE MORE CLAUSES: in words.
state_of() {
    case $1 in
    holds) say 'holds' ;;
    build) say 'does not compile' ;;
    todo) say 'not written yet' ;;
    *)
        if [ "$2" -eq 0 ]; then
            say 'does not hold: %s' "$3"
        else
            say 'does not hold: %s and %s more' "$3" "$2"
        fi
        ;;
    esac
}

count=0
held=0
next=''
while read -r number name state more clauses; do
    count=$((count + 1))
    if [ "$state" = holds ]; then held=$((held + 1)); else next=${next:-$number $name}; fi
    printf '  %s %-17s%s\n' "$number" "$name" "$(state_of "$state" "$more" "$clauses")"
done <<END
$stages
END
printf '\n'
if [ -n "$next" ]; then
    say '%s of %s stages hold. Next: %s; make check STAGE=%s' "$held" "$count" "$next" "${next%% *}"
else
    say '%s of %s stages hold.' "$held" "$count"
fi

# --- Predictions ------------------------------------------------------------------------------------------

variants() { find "broken-variants/$lab" -name '*.patch' 2>/dev/null | sed 's|.*/||; s|\.patch$||' | sort; }

# predicted: the variants that were predicted, a line each.
predicted() {
    [ ! -f "$predictions" ] || sqlite3 -readonly "$predictions" "SELECT DISTINCT variant FROM prediction
        WHERE lab='$lab' AND predicted IS NOT NULL" 2>/dev/null || true
}

worksheet() { grep -ls '^Kind: worksheet' "broken-variants/$lab"/*.patch | sed 's|.*/||; s|\.patch$||' || true; }

# count: the lines that come in.
count() { awk 'END { print NR }'; }

of_worksheet=$(worksheet | count)
if [ "$of_worksheet" -gt 0 ]; then
    { predicted && worksheet; } | sort | uniq -d >"$result"
    made=$(count <"$result")
    set -- "$(predicted | count)" "$made" "$of_worksheet"
    printf '\n'
    if [ "$made" -lt "$of_worksheet" ]; then
        say 'Variants predicted: %s; of the worksheet %s of %s. Next: make predict' "$@"
    else
        say 'Variants predicted: %s; of the worksheet %s of %s. How well: build/lab predict --score' "$@"
    fi
fi

# --- Tests of your own ------------------------------------------------------------------------------------

others=0
printed=''
for tests in "work/$lab"/*.bats; do
    [ -f "$tests" ] || continue
    name=$(basename "$tests" .bats)
    if ! variants | grep -qxF -- "$name"; then
        others=$((others + 1))
        continue
    fi
    [ -n "$printed" ] || printf '\n'
    printed=yes
    status=0
    build/lab challenge "$name" "$tests" >"$result" 2>&1 || status=$?
    case $status in
    0) say '  %s is caught by your tests' "$name" ;;
    1) say '  %s is not caught yet: build/lab challenge %s %s' "$name" "$name" "$tests" ;;
    *) say '  %s could not be tried: build/lab challenge %s %s' "$name" "$name" "$tests" ;;
    esac
done
if [ "$others" -eq 1 ]; then
    printf '\n'
    say '1 file of tests without the name of a variant: build/lab challenge VARIANT FILE tries one.'
elif [ "$others" -gt 1 ]; then
    printf '\n'
    say '%s files of tests without the name of a variant: build/lab challenge VARIANT FILE tries one.' "$others"
elif [ -z "$printed" ]; then
    printf '\n'
    say 'No tests of your own yet: cp labs/%s/my-tests.bats work/%s/VARIANT.bats' "$lab" "$lab"
fi
