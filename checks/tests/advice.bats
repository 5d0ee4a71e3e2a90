#!/usr/bin/env bats
# Advice that fits the failure: advice.tsv says which advice a learner gets whose file is that broken variant.
#
# A line of it is a variant, a tab, and the id of an advice; or `-`, and behind another tab the reason why there
# can be none.

# What run and new_... set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

load helpers
load variants-helpers

TABLE=$BATS_TEST_DIRNAME/advice.tsv
ROWS=$KIT/checks/$LAB_NAME/advice.c

setup_file() {
    run_all_variants
}

# print_variant NAME: the variant as a submission; its path is $SERVICE.
print_variant() {
    SERVICE=$BATS_TEST_TMPDIR/$1.c
    "$LAB" variants --print "$1" >"$SERVICE"
}

# advices: the ids in advice.c. They stand in front of a stage, in the macro in front of its parameter.
advices() {
    grep -oE '\{"[a-z-]+", ?(stage|"[0-9]+")|^ *"[a-z-]+", stage' "$ROWS" | grep -oE '"[a-z]+(-[a-z]+)+"' | tr -d '"' | sort -u
}

# --- The variants ------------------------------------------------------------------------------------------

@test "each variant of the kit gets the advice that the table says" {
    require_all
    jq -r '.variants[] | "\(.name)\t\(.advice[.stage] // "-")"' "$ALL" | sort >"$BATS_TEST_TMPDIR/observed"
    cut -f 1,2 "$TABLE" | sort >"$BATS_TEST_TMPDIR/expected"
    assert_same_text "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/observed"
}

@test "a variant without advice has its reason in the table, and fails no clause of its stage" {
    require_all
    assert_equal '' "$(awk -F '\t' '($2 == "-") != ($3 != "")' "$TABLE")"
    assert_equal "$(awk -F '\t' '$2 == "-" { print $1 }' "$TABLE" | sort)" \
        "$(jq -r '.variants[] | select(.fails == []) | .name' "$ALL" | sort)"
}

@test "each advice is reached by a variant" {
    [ "$(advices | wc -l)" -gt 40 ] || fail "Expected more advices in $ROWS: $(advices)"
    assert_equal "$(advices)" "$(cut -f 2 "$TABLE" | grep -vx -e - | sort -u)"
}

@test "the reference and the starter get none" {
    run_check 0 --seed 7 "$REFERENCE"
    assert_result '[.stages[] | select(has("advice"))] == []'
    run_check 1 --seed 7 "$STARTER"
    assert_result '[.stages[] | select(has("advice"))] == []'
}

# --- The texts ---------------------------------------------------------------------------------------------

@test "an advice is made of sentences, and has no code in it" {
    # Every text of the file, its pieces put together; the short ones are messages of the judge.
    run -0 awk '
        /N_\("/ { inside = 1; text = ""; sub(/^.*N_/, "") }
        inside { line = $0; while (match(line, /"[^"]*"/)) {
            text = text substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) } }
        inside && /"\)/ { if (length(text) > 85) print text; inside = 0 }' "$ROWS"
    [ "${#lines[@]}" -gt 60 ] || fail "Expected more texts than ${#lines[@]}."
    for text in "${lines[@]}"; do
        [[ $text =~ [.?]$ ]] || fail "Expected a sentence: $text"
        [[ ! $text =~ [\;\(\)\{\}=_\<\>\`%] ]] || fail "Expected no code: $text"
        [[ ! $text =~ sqlite3|SELECT|INSERT|UPDATE|DELETE|WHERE|LIMIT|BEGIN|COMMIT|ROLLBACK ]] ||
            fail "Expected no SQL and no function: $text"
    done
}

# --- The report --------------------------------------------------------------------------------------------

@test "the text report gives the advice behind the failures of the stage and before the next stage" {
    print_variant 04-replayed-at-its-expiry
    run_lab 1 check --seed 7 "$SERVICE"
    assert_equal 1 "$(grep -c '^04 fetch . advice: At the very moment of its expiry a response' <<<"$output")"
    places=$(grep -nE '^04 fetch . (4\.2|advice)|^05 expired' <<<"$output" | grep -oE '4\.2|advice|^[0-9]+:05' | tr '\n' ' ')
    [[ $places == '4.2 '*'advice '*:05* ]] || fail "Expected 4.2, the advice, stage 05; observed: $places"
    assert_equal '' "$(grep -A 3 '^04 fetch . advice' <<<"$output" | awk 'length($0) > 80')"
}

@test "a check of one clause gives advice only where that clause alone gives the cause away" {
    print_variant 05-limit-zero-accepted
    run_check 1 --clause 5.6 "$SERVICE"
    assert_result '[.stages[] | select(has("advice"))] == []'
    print_variant 02-statement-not-finalized
    run_check 1 --clause 2.C "$SERVICE"
    assert_result '.stages[0].advice.id == "statement-not-finalized"'
}

@test "in another language the same advice is found, though the judge's messages are translated" {
    print_variant 02-statement-not-finalized
    for language in en ja zh; do
        run_lab 1 check --lang "$language" --clause 2.C "$SERVICE"
        assert_equal 2 "$(grep -cE '^02 reserve ' <<<"$output")"
    done
}
