#!/bin/sh
# Checks your service again at each save, until Ctrl-C.
#
# Usage: checks/watch.sh [STAGE]        (make watch STAGE=04 builds what it needs; no stage: up to the first that does not hold)
#
# Only another content is a save: a file that was touched, or saved as it was, is not checked again. Editors that
# write a new file and rename it are fine, and so is a file that is away for a moment. entr says at once that
# something was written; where there is none, or it cannot watch, the content is looked at twice a second.
#
# Exit status: 0 after Ctrl-C; 2 wrong usage, or there is no service yet.
set -eu

stage=${1-}
lab=idem-retention-lab
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=checks/language.sh
. checks/language.sh
service=work/$lab/service.c

case $stage in
[1-9]) stage=0$stage ;;
*[!0-9]*) give_up 2 'There is no stage %s.' "$stage" ;;
esac
script=checks/$lab/$stage-contract.sh
[ -z "$stage" ] || [ -f "$script" ] || give_up 2 'There is no stage %s.' "$stage"
[ -f "$service" ] || give_up 2 "There is no %s yet: \`make start\` puts the starter there." "$service"

waiting=''
stop() {
    [ -z "$waiting" ] || kill "$waiting" 2>/dev/null || true
    printf '\n'
    exit 0
}
trap stop INT TERM HUP

check() {
    if [ -n "$stage" ]; then
        sh "$script" "$service" || true
    else
        build/lab check --stop-at stage "$service" || true
    fi
}

# A file that is away gives no sum.
content() {
    cksum <"$service" 2>/dev/null || true
}

# Whether entr was there and could watch so far.
watches=''
! command -v entr >/dev/null || watches=yes

# wait_a_while: until entr has seen a write, or a few seconds are over; what has really changed is for content to
# say. In the background, so that a signal need not wait.
wait_a_while() {
    if [ -n "$watches" ]; then
        printf '%s\n' "$service" | timeout 5 entr -npz true >/dev/null 2>&1 &
    else
        sleep 0.5 &
    fi
    waiting=$!
    status=0
    wait "$waiting" || status=$?
    waiting=''
    # 124: the seconds are over.
    [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || watches=''
}

# A save may be written in pieces, and a rename leaves a gap: the content has to stand still for a moment.
checked=''
while :; do
    now=$(content)
    if [ -z "$now" ] || [ "$now" = "$checked" ]; then
        wait_a_while
        continue
    fi
    if [ -n "$checked" ]; then
        sleep 0.1
        [ "$(content)" = "$now" ] || continue
        printf '\n'
    fi
    printf '%s  %s\n\n' "$(date +%H:%M:%S)" "$service"
    checked=$now
    check
    printf '\n'
    say 'Waiting for the next save; Ctrl-C ends.'
done
