#!/bin/sh
# Puts the starter where a learner works; never overwrites.
#
# Usage: checks/start.sh [--reset] [LAB]
#
#   --reset   start again: what is there is kept first, as a dated copy beside it
set -eu

reset=''
if [ "${1-}" = --reset ]; then
    reset=yes
    shift
fi
lab=${1:-idem-retention-lab}
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh

starter=fixtures/$lab/service.c
service=work/$lab/service.c
check=checks/$lab/01-contract.sh
[ -f "$starter" ] || give_up 2 'There is no lab %s: %s does not exist.' "$lab" "$starter"
mkdir -p "work/$lab"

# exists FILE: also a link that leads nowhere.
exists() { [ -e "$1" ] || [ -L "$1" ]; }

# keep FILE: copies it under a dated name that nobody has yet, and says where.
keep() {
    stem=work/$lab/service-$(date +%Y-%m-%d-%H%M%S)
    copy=$stem.c
    n=1
    # With -C the shell refuses to write over a file, so that two resets at once keep both.
    until (set -C && cat -- "$1" >"$copy") 2>/dev/null; do
        exists "$copy" || give_up 1 'Could not keep a copy as %s; nothing was changed.' "$copy"
        n=$((n + 1))
        copy=$stem-$n.c
    done
    say 'Kept what was there: %s' "$copy"
}

if exists "$service"; then
    if [ -z "$reset" ]; then
        say '%s is already there and stays as it is. (make reset keeps a copy and starts again.)' "$service"
        say 'Check it: %s' "$check"
        exit 0
    fi
    [ -f "$service" ] || give_up 1 '%s is no file that could be kept; move it away first.' "$service"
    keep "$service"
fi

# Written beside it and then renamed, so that an interruption leaves the old file or the new one.
cp -- "$starter" "$service.new"
mv -f -- "$service.new" "$service"
say 'Your file: %s' "$service"
say 'Next: read %s, write the first function, then run %s' "$(page_of "labs/$lab" 01-init-db.md)" "$check"
