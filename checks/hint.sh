#!/bin/sh
# Shows the next hint of a stage. There are three, from a direction to nearly the solution; with the third
# comes the place of the solution.
#
# Usage: checks/hint.sh [--again] STAGE [LAB]
#
#   STAGE     04 or 4
#   --again   the hints that were shown so far, once more
#
# How many were shown is kept in work/LAB/hints-NN; without that file the hints begin anew. They are in the
# language of LAB_LANG or of the locale, where labs/LAB/LANGUAGE/hints/ has them, else in English.
#
# Exit status: 0 a hint or the place of the solution was shown, 2 wrong usage.
set -eu

last=3

again=''
if [ "${1-}" = --again ]; then
    again=yes
    shift
fi
stage=${1-}
lab=${2:-idem-retention-lab}
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh

case $stage in
'') give_up 2 'Hints for which stage? For example: make hint STAGE=02' ;;
[1-9]) stage=0$stage ;;
*[!0-9]*) give_up 2 'There is no stage %s.' "$stage" ;;
esac
english=labs/$lab/hints/$stage.md
[ -f "$english" ] || give_up 2 'There are no hints for stage %s.' "$stage"
hints=$(page_of "labs/$lab" "hints/$stage.md")

# show_hint N: what stands under its heading, without empty lines around it and without comments.
show_hint() {
    say 'Stage %s, hint %s of %s' "$stage" "$1" "$last"
    printf '\n'
    awk -v wanted="## $1" '
        /^## / { inside = ($0 == wanted); next }
        !inside || /^<!--.*-->$/ { next }
        /^$/ { empty = empty "\n"; next }
        { printf "%s%s\n", (begun ? empty : ""), $0; begun = 1; empty = "" }' "$hints"
    printf '\n'
}

# The function stands in the title, in backquotes.
name_solution() {
    solution=solutions/$lab/service.c
    function=$(awk -F '`' '{ print $2; exit }' "$english")
    line=$(awk -v start=" $function(" '/^[a-z]/ && index($0, start) { print NR; exit }' "$solution")
    say 'There is no further hint. The solution: %s in %s, line %s.' "$function" "$solution" "$line"
    say 'It is best looked at when your own passes, to compare.'
}

kept=work/$lab/hints-$stage
shown=0
[ ! -f "$kept" ] || shown=$(head -n 1 "$kept")
case $shown in
[0-"$last"]) ;;
*) shown=0 ;;
esac

if [ -n "$again" ]; then
    n=1
    while [ "$n" -le "$shown" ]; do
        show_hint "$n"
        n=$((n + 1))
    done
elif [ "$shown" -lt "$last" ]; then
    shown=$((shown + 1))
    show_hint "$shown"
    mkdir -p "work/$lab"
    printf '%s\n' "$shown" >"$kept"
fi

if [ "$shown" -eq "$last" ]; then
    name_solution
else
    say 'The next hint: make hint STAGE=%s' "$stage"
fi
