#!/usr/bin/env bats
# build/lab variants: what a variant file must be, the words for what became of one, the matrix, and that
# each of the kit's own variants fails exactly the clauses it names.

# What run and new_variant set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers
load variants-helpers

setup_file() {
    export ODD=$BATS_FILE_TMPDIR/odd.json
    cksum "$REFERENCE" >"$BATS_FILE_TMPDIR/reference"
    run_all_variants
}

# --- The kit's own variants --------------------------------------------------------------------------------

@test "every variant of the kit fails exactly the clauses it names" {
    require_all
    run -0 jq -r '.variants[] | select(.as_it_says | not) | "\(.name): \(.outcome) \(.message // "")
        says but did not fail \(.missed_by); failed and does not say \(.caught_besides)"' "$ALL"
    assert_equal '' "$output"
    [ ! -e "$ALL.status" ] || fail "Expected status 0; observed $(cat "$ALL.status")."
}

@test "clauses that are not run again come to what they come to when they are" {
    # A statement of its own, one that two functions share, and the last function of all.
    for name in 04-time-not-asked 05-shorter-list-on-failure 08-purged-too-early 05-default-hundred 05-oldest-first; do
        "$LAB" variants --print "$name" >"$BATS_TEST_TMPDIR/$name.c"
        run_check 1 --seed 4711 "$BATS_TEST_TMPDIR/$name.c"
        jq -c --arg name "$name" '.variants[] | select(.name == $name) | .clauses[] | [.id, .verdict]' "$ALL" \
            >"$BATS_TEST_TMPDIR/among-all"
        jq -c '.stages[].clauses[] | [.id, .verdict]' "$RESULT" >"$BATS_TEST_TMPDIR/whole"
        assert_same_text "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/among-all"
    done
}

@test "the kit has the eight of the worksheet, one a stage, and at least forty more" {
    require_all
    assert_equal '01 02 03 04 05 06 07 08' \
        "$(jq -r '[.variants[] | select(.kind == "worksheet") | .stage] | join(" ")' "$ALL")"
    [ "$(jq '.variants | length' "$ALL")" -ge 48 ] || fail "There are $(jq '.variants | length' "$ALL") variants."
    assert_equal "$(printf '%s\n' "$KIT/broken-variants/$LAB_NAME"/*.patch | wc -l)" "$(jq .planned "$ALL")"
}

@test "every clause has a verdict for every variant of the kit" {
    require_all
    run_lab 0 list --format json
    ids=$(jq -c '[.stages[].clauses[].id]' <<<"$output")
    assert_equal '' "$(jq -r --argjson ids "$ids" '.variants[] | select([.clauses[].id] != $ids) | .name' "$ALL")"
}

@test "every clause is failed by a variant, or broken-variants/README.md says why none does" {
    require_all
    local page=$KIT/broken-variants/README.md id missing=''
    for id in $(jq -r '([.variants[0].clauses[].id]) - ([.variants[].caught_by[]] | unique) | .[]' "$ALL"); do
        grep -qE "^[-*|] *\`?$id\`?[ :|]" "$page" || missing+=" $id"
    done
    [ -z "$missing" ] || fail "No variant fails these, and $page has no line that begins with them:$missing"
}

@test "every patch of the kit is one for patch(1) too, without fuzz" {
    require_command patch
    local patch out=$BATS_TEST_TMPDIR/out.c
    for patch in "$KIT/broken-variants/$LAB_NAME"/*.patch; do
        run -0 patch -F0 --batch --posix -o "$out" "$REFERENCE" "$patch"
        run_lab 0 variants --print "$patch"
        printf '%s\n' "$output" | cmp - "$out" || fail "$patch gives another source here than with patch(1)."
    done
}

# --- What a variant file must be ---------------------------------------------------------------------------

# assert_refused SENTENCE: the file $VARIANT is refused with this sentence, and with its own name.
assert_refused() {
    run_lab 3 variants --print "$VARIANT"
    assert_equal '' "$output"
    assert_stderr_has "$VARIANT: $1"
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail 'Expected one sentence.'
}

@test "a head without one of its fields is refused, and the sentence names the field" {
    for field in Title Stage Kind 'Looks right because' Fails Ask; do
        new_variant refused 7.1 "$ZERO_PENDING" "$field:"
        assert_refused "the head has no $field."
    done
}

@test "fields that say what cannot be are refused" {
    new_variant refused '7.1 9.9' "$ZERO_PENDING"
    assert_refused 'its Fails names 9.9, which is no clause'
    new_variant refused 'none:' "$ZERO_PENDING"
    assert_refused 'its Fails is none, and does not say why'
    new_variant refused 7.1 "$ZERO_PENDING" 'Stage: 09'
    assert_refused 'its Stage is 09'
    new_variant refused 7.1 "$ZERO_PENDING" 'Kind: riddle'
    assert_refused 'its Kind is riddle'
    new_variant 03-refused 7.1 "$ZERO_PENDING"
    assert_refused 'its name begins with 03, and its Stage is 07'
    new_variant refused 7.1 "$ZERO_PENDING"
    sed -i '1i Title: twice' "$VARIANT"
    assert_refused 'line 2 gives Title a second time'
    sed -i '1s/.*/Remark: none of the fields/' "$VARIANT"
    assert_refused 'line 1 begins with no field'
}

@test "a diff that applies nowhere is refused" {
    new_variant refused 7.1 "$ZERO_PENDING"
    sed -i '/^ /s/stmt/other/' "$VARIANT"
    assert_refused 'the hunk at line 10 applies nowhere'
}

@test "a diff that applies twice is refused, with both places" {
    VARIANT=$BATS_TEST_TMPDIR/twice.patch
    printf '%s\n' 'Title: t' 'Stage: 07' 'Kind: field' 'Looks right because: r' 'Fails: 7.1' 'Ask: a' '' \
        '--- a/service.c' '+++ b/service.c' '@@ -1,2 +1,2 @@' '     sqlite3_close(db);' '-    return answer(ok);' \
        '+    return IDEM_OK;' >"$VARIANT"
    assert_refused 'the hunk at line 10 applies twice, at the lines '
}

@test "stray text, a second file, a wrong count and no change are refused" {
    new_variant refused 7.1 "$ZERO_PENDING"
    cp "$VARIANT" "$BATS_TEST_TMPDIR/good"
    printf 'and so on\n' >>"$VARIANT"
    assert_refused "line $(wc -l <"$VARIANT") belongs to no hunk"
    { cat "$BATS_TEST_TMPDIR/good"; printf -- '--- a/other.c\n+++ b/other.c\n@@ -1 +1 @@\n-a\n+b\n'; } >"$VARIANT"
    assert_refused 'line '
    assert_stderr_has 'begins a second file'
    sed '/^@@/s/,\([0-9]*\) +/,9\1 +/' "$BATS_TEST_TMPDIR/good" >"$VARIANT"
    assert_refused 'the hunk ends at line'
    sed '/^@@/s/,[0-9]* +/,2 +/' "$BATS_TEST_TMPDIR/good" >"$VARIANT"
    assert_refused 'the hunk goes on at line'
    { sed '/^@@/,$d' "$BATS_TEST_TMPDIR/good"; printf '@@ -1 +1 @@\n /*\n'; } >"$VARIANT"
    assert_refused 'the diff changes nothing'
    sed '/^---/,$d' "$BATS_TEST_TMPDIR/good" >"$VARIANT"
    assert_refused 'there is no diff under the head'
}

@test "an editor's habits are no error: CRLF, no space on empty lines, a field over two lines" {
    new_variant habits 7.1 "$ZERO_PENDING"
    sed -i 's/^Title: .*/Title: habits\n  of editors/; s/^ $//; s/$/\r/' "$VARIANT"
    run_lab 0 variants --print "$VARIANT"
    sed -E "$ZERO_PENDING" "$REFERENCE" >"$BATS_TEST_TMPDIR/expected.c"
    printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/observed.c"
    assert_same_text "$BATS_TEST_TMPDIR/expected.c" "$BATS_TEST_TMPDIR/observed.c"
}

@test "a name that is none is refused with those that begin alike" {
    run_lab 2 variants 07-no-such-variant
    assert_equal '' "$output"
    assert_stderr_has 'There is no variant "07-no-such-variant"'
    assert_stderr_has '  07-'
}

# --- What becomes of one -----------------------------------------------------------------------------------

# run_odd STATUS ARGUMENTS...: variants of every outcome.
run_odd() {
    new_variant as-it-says "$ZERO_FAILS" "$ZERO_PENDING"
    new_variant says-too-much "$ZERO_FAILS 7.9" "$ZERO_PENDING"
    sed -i 's/ 7\.9/ 4.1/' "$VARIANT"
    new_variant says-too-little '7.1 7.2' "$ZERO_PENDING"
    new_variant comment-only 'none: only a comment' "$COMMENT_ONLY"
    new_variant wrongly-none 7.1 "$COMMENT_ONLY"
    new_variant crashes "$ZERO_FAILS" "$(code_in_counts '*(volatile int *)8 = 0')"
    new_variant does-not-build 7.1 "$(code_in_counts 'oops')"
    new_variant applies-nowhere 7.1 "$ZERO_PENDING"
    sed -i '/^ /s/cJSON/kJSON/' "$VARIANT"
    local folder=$BATS_FILE_TMPDIR/variants
    run_lab "$1" variants "${@:2}" "$folder"/{as-it-says,says-too-much,says-too-little,comment-only}.patch \
        "$folder"/{wrongly-none,crashes,does-not-build,applies-nowhere}.patch
}

@test "each outcome has its own word, and a difference in either direction is status 1" {
    run_odd 1 --format json --seed 5 --jobs 1
    printf '%s' "$output" >"$ODD"
    run -0 jq -r '.variants[] | [.name + ":", .outcome, .as_it_says] + .missed_by + ["/"] + .caught_besides
        | map(tostring) | join(" ")' "$ODD"
    cat >"$BATS_TEST_TMPDIR/expected" <<'EXPECTED'
as-it-says: caught true /
says-too-much: caught false 4.1 /
says-too-little: caught false / 7.3 7.4 7.5 7.6 7.C
comment-only: not caught true /
wrongly-none: not caught false 7.1 /
crashes: crashed true /
does-not-build: does not build false /
applies-nowhere: not applied false /
EXPECTED
    printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/observed"
    assert_same_text "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/observed"
    run -0 jq '.as_they_say, .planned' "$ODD"
    assert_equal $'3\n8' "$output"
}

@test "the matrix fits 80 columns, names what is under test first and last, and ends with what to do next" {
    NO_COLOR=1 run_odd 1 --seed 5
    assert_equal 0 "$(awk 'length($0) > 80' <<<"$output" | grep -vc '^  \|^Next:')"
    assert_equal 'Under test: 8 broken variants, as-it-says to applies-nowhere; not your own' "${lines[0]}"
    [[ ${output##*Next:} == *'Under test were 8 broken variants, as-it-says to applies-nowhere'* ]] ||
        fail 'Expected the last line to say what was under test.'
    assert_output_has 'DIFFERS: it says, but did not fail: 4.1'
    assert_output_has 'DIFFERS: it failed, and does not say: 7.3 7.4 7.5 7.6 7.C'
    assert_output_has 'not caught by any, as it says: only a comment'
    assert_output_has "does not build: service.c:"
    assert_output_has 'not applied: the hunk at line 10 applies nowhere'
    assert_output_has '5 of 8 did not fail as they say:'
    assert_output_has '3 caught, 1 crashed, 2 not caught, 1 does not build, 1 not applied (--seed 5).'
}

@test "variants are compiled together, none changes another, and one with a header more is compiled by itself" {
    local folder=$BATS_FILE_TMPDIR/variants cc=$BATS_TEST_TMPDIR/cc
    new_variant zero-pending "$ZERO_FAILS" "$ZERO_PENDING"
    new_variant macro-changed 'none: nobody waits so long' 's/(define BUSY_TIMEOUT_MS) 2000/\1 2001/'
    new_variant macro-gone 'none: the number itself' '/define LIMIT_DEFAULT/d; s/= LIMIT_DEFAULT/= 10/'
    new_variant macro-new 'none: the same number' 's/(#define LIMIT_DEFAULT) 10/#define TEN 10\n\1 TEN/'
    new_variant function-new 'none: it is always true' \
        '/^static enum idem_status answer/i static bool yes(void)\n{\n    return true;\n}\n
        s/return ok [?]/return ok \&\& yes() ?/'
    new_variant header-new 'none: nothing of it is used' 's/(#include <stddef.h>)/\1\n#include <string.h>/'
    printf '#!/bin/sh\necho "$*" >>"%s"\nexec cc "$@"\n' "$BATS_TEST_TMPDIR/commands" >"$cc"
    chmod +x "$cc"
    LAB_CC=$cc run_lab 0 variants --format tap --seed 5 --jobs 1 "$folder"/{zero-pending,macro-changed}.patch \
        "$folder"/{macro-gone,macro-new,function-new,header-new}.patch
    assert_output_has 'ok 1 - zero-pending: caught'
    [ "$(grep -c ': not caught by any' <<<"$output")" -eq 5 ] || fail 'Expected five that nothing catches.'
    # The reference, five variants, and the one by itself; each is linked by itself.
    assert_equal '3 7' "$(grep -c -- ' -c ' "$BATS_TEST_TMPDIR/commands") $(grep -vc -- ' -c ' "$BATS_TEST_TMPDIR/commands")"
}

@test "a service that never answers is timed out, and the run goes on" {
    # From the twentieth call on: as many are made by 7.C alone.
    new_variant never-answers 7.C "$(code_in_counts 'static int calls; while (++calls > 20) continue')"
    local hangs=$VARIANT
    new_variant comment-only 'none: only a comment' "$COMMENT_ONLY"
    run_lab 0 variants --format tap --seed 5 "$hangs" "$VARIANT"
    assert_output_has '1..2'
    assert_output_has 'ok 1 - never-answers: timed out in 7.C'
    assert_output_has 'ok 2 - comment-only: not caught by any'
}

@test "the number of jobs and the order of the variants change no verdict" {
    local folder=$BATS_FILE_TMPDIR/variants
    [ -s "$ODD" ] || fail 'There is no result of the odd variants to compare with.'
    run_lab 0 variants --format json --seed 5 --jobs 5 "$folder/comment-only.patch" "$folder/as-it-says.patch"
    verdicts='[.variants[] | select(.as_it_says and .outcome != "crashed") | [.name, (.clauses[] | .id + .verdict)]] | sort'
    assert_equal "$(jq -c "$verdicts" "$ODD")" "$(jq -c "$verdicts" <<<"$output")"
}

@test "nothing is said of a variant while the reference falls short" {
    new_kit
    rm "$TREE/solutions"
    mkdir -p "$TREE/solutions/$LAB_NAME"
    sed -E "$ZERO_PENDING" "$REFERENCE" >"$TREE/solutions/$LAB_NAME/service.c"
    new_variant one 'none: only a comment' "$COMMENT_ONLY"
    run_kit 3 variants "$VARIANT"
    assert_equal '' "$output"
    assert_stderr_has 'Nothing can be said of the variants: the reference meets '
}

@test "a kill in the middle leaves no process and no folder" {
    new_variant killed 'none: it does nothing' "$(code_in_counts '(void)"KILLED-IN-THE-MIDDLE"')"
    new_slow_compiler KILLED-IN-THE-MIDDLE
    local killed=$VARIANT
    new_variant beside 'none: it does nothing' "$(code_in_counts '(void)"beside it"')"
    # By itself, and with others in one file.
    for company in '' "$VARIANT"; do
        for signal in KILL INT; do
            rm -f "$WAITS"
            env --default-signal=INT LAB_CC="$SLOW_CC" "$LAB" variants --jobs 1 "$killed" ${company:+"$company"} >/dev/null 2>&1 3>&- &
            wait_until test -e "$WAITS"
            temp_folders_with KILLED-IN-THE-MIDDLE || fail 'Expected a temporary folder by now.'
            kill "-$signal" $!
            wait_until no_temp_folders_with KILLED-IN-THE-MIDDLE
            wait $! || true
        done
    done
}

@test "after all that the reference is what it was" {
    assert_equal "$(cat "$BATS_FILE_TMPDIR/reference")" "$(cksum "$REFERENCE")"
}
