#!/bin/sh
# Grades the repository of one student, for a GitHub Classroom workflow (classroom.yml beside this file).
#
# Usage: grade.sh REPOSITORY
#
# Prints the feedback; puts it into the summary of the run and the points into the step's outputs `points`
# and `out_of` where GitHub asks for them. Exit status: 0 full marks, 1 fewer, 3 the kit could not judge.
set -eu

[ $# -eq 1 ] || {
    printf 'usage: %s REPOSITORY\n' "$0" >&2
    exit 2
}
kit=$(dirname -- "$(dirname -- "$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only what a student hands in: the repository also holds its history and what the course put there.
mkdir -p "$work/class/submission"
cp -RP -- "$1/service.c" "$work/class/submission/" 2>/dev/null || cp -RP -- "$1/." "$work/class/submission"
"$kit/build/lab" grade "$work/class" --out "$work/out" >/dev/null || exit 3

cat -- "$work/out/feedback/submission.txt"
result=$work/out/gradescope/submission.json
points=$(jq -r .score "$result")
out_of=$(jq -r .extra_data.out_of "$result")
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
    # Indented by four: text that Markdown leaves alone.
    printf '### %s of %s points\n\n' "$points" "$out_of" >>"$GITHUB_STEP_SUMMARY"
    sed 's/^/    /' "$work/out/feedback/submission.txt" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT-}" ]; then
    printf 'points=%s\nout_of=%s\n' "$points" "$out_of" >>"$GITHUB_OUTPUT"
fi
[ "$points" = "$out_of" ]
