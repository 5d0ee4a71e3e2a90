#!/bin/sh
# What the eight check scripts share: builds the kit where that is needed, then has it judge one stage.
#
# Usage: contract.sh NN [options] [SERVICE.c]
#
# SERVICE.c is work/idem-retention-lab/service.c unless given; a relative name is taken from the folder you are
# in. Options are those of `build/lab check`, before or after the file. Exit status: as that of `build/lab`.
set -eu

lab=idem-retention-lab
stage=$1
shift
root=$(dirname -- "$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")")

# say FORMAT ARGUMENT..., give_up STATUS FORMAT ARGUMENT...: as in checks/language.sh, which speaks in the kit's root.
say() {
    # shellcheck source=checks/language.sh
    (cd -- "$root" && . checks/language.sh && say "$@")
}
give_up() {
    gave_up=$1
    shift
    say "$@" >&2
    exit "$gave_up"
}

# Whether a file was named: a word that is neither an option nor an option's value.
named=''
value=''
for word in "$@"; do
    if [ -n "$value" ]; then
        value=''
        continue
    fi
    case $word in
    --stage | --clause | --seed | --format | --calls | --jobs | --kinds | --lab | --stop-at) value=yes ;;
    -?*) ;;
    *) named=yes ;;
    esac
done
if [ -z "$named" ]; then
    default=$root/work/$lab/service.c
    [ "$(pwd -P)" != "$root" ] || default=work/$lab/service.c
    [ -e "$default" ] || give_up 2 "There is no %s yet: \`make start\` puts the starter there." "work/$lab/service.c"
    set -- "$@" "$default"
fi

# MAKEFLAGS: when this script was started by make, its options are not meant for here.
command -v make >/dev/null || give_up 3 'The kit cannot be built: there is no make.'
[ -x "$root/build/lab" ] || say 'Building the kit, once ...' >&2
if ! built=$(MAKEFLAGS='' make -s -C "$root" ready 2>&1 </dev/null); then
    printf '%s\n' "$built" >&2
    command -v "${CC:-cc}" >/dev/null ||
        give_up 3 "The kit cannot be built: there is no C compiler (%s). \`make deps\` installs what is missing." "${CC:-cc}"
    give_up 3 "The kit could not be built; \`make deps\` installs what it needs."
fi

exec "$root/build/lab" check --stage "$stage" --earlier "$@"
