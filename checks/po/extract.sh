#!/bin/sh
# extract.sh - collects the texts for people into checks/po/lab.pot and brings the catalogs up to date with them.
#
#   make po
#
# Texts are found where they are marked, _("…") and N_("…"), and where they are handed to a function that translates
# them. The sentences of the clauses come from `build/lab list`.
set -eu

cd -- "$(dirname -- "$0")/../.."
sentences=$(mktemp)
pot=$(mktemp)
trap 'rm -f "$sentences" "$pot" "$pot.more"' EXIT

build/lab list --format json | jq -r '.stages[].clauses[].sentence | "_(" + tojson + ");"' | sort -u >"$sentences"

# extract KEYWORD...: the texts that stand at these arguments, as a catalog.
extract() {
    xgettext --from-code=UTF-8 --language=C --no-location --omit-header --output=- "$@" checks/base/*.c \
        checks/judge/*.c checks/variants/*.c checks/idem-retention-lab/*.c checks/lab.c "$sentences"
}

# Two runs, since xgettext takes two arguments of one function for a singular and its plural.
extract --keyword --keyword=_ --keyword=N_ --keyword=say:3 --keyword=trial_fail:2 --keyword=trial_error:2 \
    --keyword=trial_step:3 --keyword=trial_note:3 --keyword=set_verdict:3 --keyword=expect_equal:2 --keyword=expect_failed:2 \
    --keyword=record_without_trial:2 --keyword=usage_error --keyword=kit_error >"$pot"
extract --keyword --keyword=trial_fail:3 --keyword=set_verdict:4 --keyword=record_without_trial:3 >"$pot.more"

{
    printf 'msgid ""\nmsgstr ""\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    printf '"Content-Transfer-Encoding: 8bit\\n"\n\n'
    msgcat --no-location --sort-output --use-first "$pot" "$pot.more"
} >checks/po/lab.pot

for catalog in checks/po/*.po; do
    [ -e "$catalog" ] || continue
    msgmerge --quiet --update --backup=none --no-fuzzy-matching --no-location --sort-output "$catalog" checks/po/lab.pot
    printf '%s: ' "$catalog"
    msgfmt --check --statistics --output-file=/dev/null "$catalog" 2>&1
done
