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
service=work/$lab/service.c
predictions=work/predictions.sqlite

# give_up STATUS SENTENCE
give_up() {
    printf '%s\n' "$2" >&2
    exit "$1"
}

for tool in jq sqlite3; do
    command -v "$tool" >/dev/null || give_up 3 "There is no $tool here; \`make deps\` installs it."
done
[ -f "$service" ] || give_up 2 "There is no $service yet: \`make start\` puts the starter there."

result=$(mktemp)
trap 'rm -f "$result"' EXIT

# --- Stages -----------------------------------------------------------------------------------------------

status=0
build/lab check --format json "$service" >"$result" || status=$?
[ "$status" -le 1 ] || exit 3

jq -r '
    def held: [.clauses[] | select(.verdict == "pass")] | length;
    def state:
        if held == (.clauses | length) then "holds"
        elif all(.clauses[]; .verdict == "build") then "does not compile"
        elif all(.clauses[]; .verdict == "todo") then "not written yet"
        else ([.clauses[] | select(.verdict != "pass") | .id] as $broken
            | "does not hold: " + ($broken[:8] | join(", "))
                + (if ($broken | length) > 8 then " and \(($broken | length) - 8) more" else "" end))
        end;
    (.stages[] | "  \(.stage) \(.name + " " * (17 - (.name | length)))\(state)"),
    "",
    "\([.stages[] | select(held == (.clauses | length))] | length) of \(.stages | length) stages hold." +
    ([.stages[] | select(held < (.clauses | length))][0]
        | if . then " Next: \(.stage) \(.name); make check STAGE=\(.stage)" else "" end)
' "$result"

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
    printf '\nVariants predicted: %s; of the worksheet %s of %s.' "$(predicted | count)" "$made" "$of_worksheet"
    if [ "$made" -lt "$of_worksheet" ]; then
        printf ' Next: make predict\n'
    else
        printf ' How well: build/lab predict --score\n'
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
    0) printf '  %s is caught by your tests\n' "$name" ;;
    1) printf '  %s is not caught yet: build/lab challenge %s %s\n' "$name" "$name" "$tests" ;;
    *) printf '  %s could not be tried: build/lab challenge %s %s\n' "$name" "$name" "$tests" ;;
    esac
done
if [ "$others" -gt 0 ]; then
    printf '\n%s of tests without the name of a variant: build/lab challenge VARIANT FILE tries one.\n' \
        "$([ "$others" -eq 1 ] && echo '1 file' || echo "$others files")"
elif [ -z "$printed" ]; then
    printf '\nNo tests of your own yet: cp labs/%s/my-tests.bats work/%s/VARIANT.bats\n' "$lab" "$lab"
fi
