#!/bin/sh
# extract.sh - collects the texts for people into checks/po/lab.pot and brings the catalogs up to date with them.
#
#   make po
#
# Texts are found where they are marked, _("…") and N_("…"), and where they are handed to a function that translates
# them, in scripts to those of checks/language.sh. The sentences of the clauses come from `build/lab list`, those in the heads
# of the broken variants and in the rubrics from their files.
set -eu

cd -- "$(dirname -- "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build/lab list --format json | jq -r '.stages[].clauses[].sentence | "_(" + tojson + ");"' | sort -u >"$work/sentences"

# What each stage is worth, in a sentence.
awk -F'\t' '/^[0-9]/ { gsub(/[\\"]/, "\\\\&", $3); printf "_(\"%s\");\n", $3 }' checks/*/rubric.tsv >>"$work/sentences"

# heads: the fields of a variant's head that people read, and why it fails nothing, as calls of head(). A field goes on in
# lines that begin with a space, with one space between, as the kit reads it (checks/variants/variant.c).
heads() {
    awk '
        function flush() {
            if (text != "") { gsub(/[\\"]/, "\\\\&", text); printf "head(\"%s\");\n", text }
            text = ""
        }
        function extend(more) {
            gsub(/^[ \t]+|[ \t\r]+$/, "", more)
            text = text (text != "" && more != "" ? " " : "") more
        }
        FNR == 1 { flush(); inside = 1; wanted = 0 }
        /^(--- |diff )/ { inside = 0 }
        !inside || /^[ \t\r]*$/ { next }
        /^[ \t]/ { if (wanted) extend($0); next }
        { flush(); wanted = sub(/^(Title|Looks right because|Ask|Undefined):|^Fails: *none[ :]+/, "") }
        wanted { extend($0) }
        END { flush() }' broken-variants/*/*.patch | sort -u
}
heads >"$work/heads"

# extract LANGUAGE OPTION...: the texts of these files, as a catalog.
extract() {
    language=$1
    shift
    xgettext --from-code=UTF-8 --language="$language" --no-location --omit-header --output=- "$@"
}

# extract_c KEYWORD...: those at these arguments of functions.
extract_c() {
    extract C "$@" checks/base/*.c checks/judge/*.c checks/variants/*.c checks/idem-retention-lab/*.c checks/lab.c \
        checks/grader/*.c "$work/sentences"
}

# Two runs, since xgettext takes two arguments of one function for a singular and its plural.
extract_c --keyword --keyword=_ --keyword=N_ --keyword=report_say:3 --keyword=trial_fail:2 \
    --keyword=trial_error:2 --keyword=trial_step:3 --keyword=trial_note:3 --keyword=set_verdict:3 --keyword=expect_equal:2 \
    --keyword=expect_failed:2 --keyword=record_without_trial:2 --keyword=set_outcome:3 --keyword=usage_error \
    --keyword=kit_error >"$work/1.pot"
# The clauses have a verb of their own that is called refuse.
extract C --keyword --keyword=refuse:2 checks/variants/*.c >"$work/5.pot"
extract_c --keyword --keyword=trial_fail:3 --keyword=set_verdict:4 --keyword=record_without_trial:3 >"$work/2.pot"
# A percent sign in a head is one.
extract C --keyword --keyword=head --flag=head:1:no-c-format "$work/heads" >"$work/3.pot"
# The scripts that speak through checks/language.sh; their names hold no spaces.
# shellcheck disable=SC2046
extract Shell --keyword --keyword=say --keyword=tell --keyword=give_up:2 $(grep -l '\. checks/language\.sh' checks/*.sh checks/*/*.sh) >"$work/4.pot"

{
    printf 'msgid ""\nmsgstr ""\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    printf '"Content-Transfer-Encoding: 8bit\\n"\n\n'
    msgcat --no-location --sort-output --use-first "$work"/[1-5].pot
} >checks/po/lab.pot

for catalog in checks/po/*.po; do
    [ -e "$catalog" ] || continue
    msgmerge --quiet --update --backup=none --no-fuzzy-matching --no-location --sort-output "$catalog" checks/po/lab.pot
    printf '%s: ' "$catalog"
    msgfmt --check --statistics --output-file=/dev/null "$catalog" 2>&1
done
