# What the tests about broken variants share besides helpers.bash.

# run_all_variants: every variant of the kit, once in a run of the tests however many files ask for it, since
# that takes a quarter of a minute; the result is $ALL, in JSON, and $ALL.status is there when the status was not 0.
run_all_variants() {
    export ALL=$BATS_RUN_TMPDIR/all-variants.json
    [ ! -e "$ALL" ] || return 0
    # With one seed: a test that fails one time in a hundred proves nothing.
    timeout -k 5 900 "$LAB" variants --format json --seed 4711 >"$ALL" 2>"$ALL.err" || printf '%s\n' "$?" >"$ALL.status"
}

# require_all: that gave a result.
require_all() {
    [ -s "$ALL" ] || fail "There is no result of all variants: $(cat "$ALL.err")"
}

# new_kit: a kit of its own for this file's tests, since predictions live in the kit's work folder; its path
# is $TREE. Everything but the program is a link.
new_kit() {
    TREE=$BATS_FILE_TMPDIR/kit
    [ ! -d "$TREE" ] || return 0
    mkdir -p "$TREE/build" "$TREE/broken-variants"
    cp "$LAB" "$TREE/build/lab" # it finds its root by its own path
    ln -s "$KIT/build/$LAB_NAME" "$KIT/build/locale" "$TREE/build/"
    [ ! -d "$KIT/build/node_modules" ] || ln -s "$KIT/build/node_modules" "$TREE/build/"
    ln -s "$KIT/checks" "$KIT/fixtures" "$KIT/labs" "$KIT/solutions" "$TREE/"
    mkdir "$TREE/broken-variants/$LAB_NAME"
}

# run_kit STATUS ARGUMENTS...: as run_lab, with the kit of new_kit.
run_kit() {
    run --separate-stderr "-$1" timeout -k 5 "$OUTER_LIMIT_S" "$TREE/build/lab" "${@:2}"
}

# new_variant NAME FAILS SED-SCRIPT [FIELD...]: the reference after a sed script that must change it, as a
# variant of stage 07 in $BATS_FILE_TMPDIR/variants; its path is $VARIANT. Fields such as 'Kind: worksheet'
# replace those it would have; an empty one ('Ask:') is left out.
new_variant() {
    local folder=$BATS_FILE_TMPDIR/variants changed=$BATS_TEST_TMPDIR/changed.c field line
    mkdir -p "$folder"
    VARIANT=$folder/$1.patch
    sed -E "$3" "$REFERENCE" >"$changed"
    ! cmp -s "$changed" "$REFERENCE" || fail "The change found nothing to change in the reference: $3"
    {
        for field in "Title: $1" 'Stage: 07' 'Kind: field' 'Looks right because: it compiles' "Fails: $2" \
            'Ask: which input shows it?'; do
            for line in "${@:4}"; do
                [ "${field%%:*}" != "${line%%:*}" ] || field=$line
            done
            [ -z "${field#*:}" ] || printf '%s\n' "$field"
        done
        for line in "${@:4}"; do
            [ "${line%%:*}" != Undefined ] || printf '%s\n' "$line"
        done
        printf '\n'
        diff -U 6 --label a/service.c --label b/service.c "$REFERENCE" "$changed" || true
    } >"$VARIANT"
}

# Changes of stage 07 that new_variant takes, and what they fail.
# shellcheck disable=SC2034 # the tests read these
{
    ZERO_PENDING='s/"pending", sqlite3_column_double\(stmt, 0\)/"pending", 0/'
    ZERO_FAILS='7.1 7.2 7.3 7.4 7.5 7.6 7.C 7.R 8.R'
    COMMENT_ONLY='s/count\(\) over no rows is 0/count() over no rows is zero/'
    IN_COUNTS='/bool ok = db != NULL && select_counts/s/^/    XXX;\n/'
}

# code_in_counts CODE: a sed script that puts a statement into idem_counts.
code_in_counts() {
    printf '%s' "${IN_COUNTS/XXX/$1}"
}

# new_slow_compiler TEXT: a compiler that waits at a source with this text in it, for LAB_CC; its path is
# $SLOW_CC, and $WAITS is there once it does.
new_slow_compiler() {
    SLOW_CC=$BATS_TEST_TMPDIR/cc
    WAITS=$BATS_TEST_TMPDIR/waits
    printf '#!/bin/sh\ngrep -qs "%s" service.c || exec cc "$@"\n: >"%s"\nexec sleep 60\n' "$1" "$WAITS" >"$SLOW_CC"
    chmod +x "$SLOW_CC"
}

# wait_until COMMAND...: until it succeeds; a failure after 20 s.
wait_until() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    fail "Waited in vain for: $*"
}

# temp_folders_with TEXT: whether a temporary folder of the kit has a source with this text.
temp_folders_with() {
    grep -qs -- "$1" /dev/shm/lab-*/*.c "${TMPDIR:-/tmp}"/lab-*/*.c
}

no_temp_folders_with() {
    ! temp_folders_with "$1"
}
