#!/bin/sh
# Runs the kit's tests and says in the last line how many passed, failed and were skipped.
#
# Usage: checks/tests/run.sh [TESTS.bats...]
#
# Exit status: 0 when every planned test was seen and none failed. No test at all is a failure, and so is a
# count that differs from the plan: tests that never ran have proved nothing.
set -eu

cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.."
[ $# -gt 0 ] || set -- checks/tests/*.bats

# Tests call make and lab as a person would: without the options of the make that started this, and without
# the choices that somebody made for their own shell.
unset MAKEFLAGS MAKELEVEL MFLAGS CC LAB_CC LAB_LANG NO_COLOR

report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
formatter=tap
[ ! -t 1 ] || formatter=pretty
status=0
bats --print-output-on-failure --formatter "$formatter" --report-formatter tap --output "$report" "$@" || status=$?

# The report is bats' own TAP: a plan, then a line a test. What a test prints stands behind `# `.
awk -v status="$status" '
    /^1\.\.[0-9]+$/ { planned += substr($0, 4) }
    /^ok [0-9]+ .* # skip/ { skipped++; next }
    /^ok [0-9]+ / { passed++ }
    /^not ok [0-9]+ / { failed++ }
    END {
        seen = passed + failed + skipped
        bad = failed > 0 || status != 0
        if (planned == 0 || seen == 0) { print "No test ran."; bad = 1 }
        else if (seen != planned) { printf "%d tests were planned, %d were seen.\n", planned, seen; bad = 1 }
        else if (status != 0 && !failed) printf "bats ended with status %d.\n", status
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? sprintf(", %d skipped", skipped) : ""
        exit bad
    }' "$report/report.tap"
