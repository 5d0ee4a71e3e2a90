#!/bin/sh
# Runs the examples on a stage's page with your service under valgrind, and says which calls leak or touch
# memory that is not theirs. What the calls answer is not looked at: that is what the check is for.
#
# Usage: checks/valgrind.sh STAGE        (make valgrind STAGE=04 builds what it needs)
#
# Of a stack only the lines in your file are shown; all that valgrind says is in
# work/idem-retention-lab/valgrind.txt.
#
# Exit status: 0 nothing was found, 1 something was, 2 wrong usage, 3 the kit cannot do it, say without
# valgrind.
set -eu

stage=${1-}
lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh

program=work/$lab/idem
words=work/$lab/valgrind.txt

case $stage in
'') give_up 2 'Which stage? For example: make valgrind STAGE=04' ;;
[1-9]) stage=0$stage ;;
*[!0-9]*) give_up 2 'There is no stage %s.' "$stage" ;;
esac
set -- "labs/$lab/$stage"-*.md
[ -f "$1" ] || give_up 2 'There is no stage %s.' "$stage"
page=$(page_of "labs/$lab" "${1##*/}")
command -v valgrind >/dev/null ||
    give_up 3 'There is no %s here; as root, apt-get install %s brings it.' valgrind valgrind

found=$(mktemp)
trap 'rm -f "$found"' EXIT
: >"$words"
calls=0
bad=0

# show_findings: without the process's number, with those frames of a stack that are in the service.
show_findings() {
    sed 's/^==[0-9]*== *//' "$found" | awk '
        /^(at|by) 0x/ { if (index($0, "(service.c:")) { sub(/^(at|by) 0x[0-9A-F]*: /, ""); print "        " $0 } next }
        NF { print "    " $0 }'
}

# The commands of the page's examples, as a shell runs them. Those of the service go through valgrind, whose
# findings land in a file of their own.
examples=$(awk '/^```/ { inside = ($0 == "```console"); next } inside && /^\$ / { print substr($0, 3) }' "$page")
while IFS= read -r command; do
    status=0
    case $command in
    "$program "*) ;;
    *)
        sh -c "$command" >/dev/null 2>&1 </dev/null || true
        continue
        ;;
    esac
    sh -c "valgrind -q --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite,possible \
        --num-callers=30 --error-exitcode=99 --log-file='$found' $command" >/dev/null 2>&1 </dev/null || status=$?
    calls=$((calls + 1))
    { printf '$ %s\n' "$command" && cat "$found"; } >>"$words"
    [ -s "$found" ] || [ "$status" -gt 128 ] || continue
    bad=$((bad + 1))
    printf '$ %s\n' "$command"
    show_findings
    [ "$status" -le 128 ] || say '    ended by signal %s' "$((status - 128))"
    printf '\n'
done <<END
$examples
END

[ "$calls" -gt 0 ] || give_up 3 'There are no calls in the examples of %s.' "$page"
if [ "$bad" -eq 0 ]; then
    say 'Stage %s: %s calls under valgrind, nothing found.' "$stage" "$calls"
else
    say 'Stage %s: in %s of %s calls valgrind found something; all it said: %s' "$stage" "$bad" "$calls" "$words"
    say 'Memory lost from sqlite3_open_v2 on is a connection that could not be closed, since a statement was left.'
    exit 1
fi
