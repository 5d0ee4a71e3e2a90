#!/bin/sh
# Opens gdb at the call that breaks a clause: checks the clause, makes the steps of its failure up to the last
# call with the service as a program, and starts that call under gdb with a breakpoint at your function.
#
# Usage: checks/debug.sh CLAUSE [SEED]        (make debug CLAUSE=4.2 SEED=4711 builds what it needs)
#
# The database is work/idem-retention-lab/debug.db: while gdb stands still, sqlite3 shows what is in it.
#
# Exit status: that of gdb; 0 also when the clause holds; 1 when there is no such call to show; 2 wrong usage;
# 3 when the kit cannot do it, say without gdb.
set -eu

clause=${1-}
seed=${2-}
lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh

service=work/$lab/service.c
program=work/$lab/idem
db=work/$lab/debug.db
steps=work/$lab/debug.sh

[ -n "$clause" ] || give_up 2 'Which clause? For example: make debug CLAUSE=4.2'
for tool in gdb jq sqlite3; do
    command -v "$tool" >/dev/null ||
        give_up 3 'There is no %s here; as root, apt-get install %s brings it.' "$tool" "$tool"
done

# --- What broke -------------------------------------------------------------------------------------------

result=$(mktemp)
trap 'rm -f "$result"' EXIT
status=0
build/lab check --format json --clause "$clause" ${seed:+--seed "$seed"} "$service" >"$result" || status=$?
[ "$status" -le 1 ] || exit "$status"
seed=$(jq -r .seed "$result")
if [ "$status" -eq 0 ]; then
    say 'Clause %s holds (--seed %s): no call breaks it.' "$clause" "$seed"
    exit 0
fi

# of_clause FILTER: what jq finds in the result of the clause.
of_clause() {
    jq -r ".stages[0].clauses[0] | $1" "$result"
}

# The same once more, as people read it.
build/lab check --clause "$clause" --seed "$seed" "$service" || true
printf '\n'
case $(of_clause .verdict) in
build | todo) exit 1 ;;
esac

# The call is the last step, where the command line has words for it: a NULL pointer it cannot say.
call=$(of_clause '.steps[-1] // "" | split(" ")[0]')
last=$(of_clause '.by_hand[-1] // ""')
case $last in
"idem DB $call" | "idem DB $call "*) ;;
*) give_up 1 'The last step cannot be made from the command line, so gdb has no call to show.' ;;
esac
function=idem_$(printf '%s\n' "$call" | tr - _)

# --- The steps as a script --------------------------------------------------------------------------------

# The commands run as the check prints them: idem and sqlite3 put the database in the place of the word DB.
{
    cat <<END
db=$db
sqlite3() { shift && command sqlite3 "\$db" "\$@"; }
idem() { shift && $program "\$db" "\$@"; }
END
    of_clause '.by_hand[:-1][] | . + " >/dev/null 2>&1 || :"'
    cat <<END
idem() {
    shift
    exec gdb -q -iex 'set debuginfod enabled off' -ex 'break $function' -ex run --args $program "\$db" "\$@"
}
$last
END
} >"$steps"

case $(of_clause .kind) in
craft) say 'In the check, something beneath the call may have failed on purpose; here nothing does.' ;;
race)
    say 'In the check another caller came in between. Here that can be you: while gdb stands still, use
%s %s in another terminal.' "$program" "$db"
    ;;
esac
say 'gdb stops at the beginning of %s: next goes on by a line, print shows a variable, finish runs to
its end, quit ends gdb. The steps up to here: %s' "$function" "$steps"
printf '\n'

rm -f "$result" "$db" "$db-journal" "$db-wal" "$db-shm"
exec sh "$steps"
