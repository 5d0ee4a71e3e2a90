#!/usr/bin/env bats
# build/lab predict: the prediction comes first, is kept, and is compared with what failed.

# What run and new_variant set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers
load variants-helpers

setup_file() {
    export RUN=$BATS_FILE_TMPDIR/run BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    new_kit
    new_variant zero-pending "$ZERO_FAILS" "$ZERO_PENDING"
    timeout -k 5 "$OUTER_LIMIT_S" "$TREE/build/lab" predict "$VARIANT" --fails 7.3,4.1,7.2 --seed 7 >"$RUN"
    mv "$TREE/work/predictions.sqlite" "$RUN.sqlite"
}

setup() {
    new_kit
    rm -rf "$TREE/work"
    new_variant zero-pending "$ZERO_FAILS" "$ZERO_PENDING"
}

# stored COLUMNS: of every prediction, a line each.
stored() {
    sqlite3 "$TREE/work/predictions.sqlite" "SELECT $1 FROM prediction ORDER BY id"
}

# new_prediction VARIANT STAGE PREDICTED FAILED: as if it had been made and run.
new_prediction() {
    [ -e "$TREE/work/predictions.sqlite" ] || run_kit 0 predict --score
    sqlite3 "$TREE/work/predictions.sqlite" "INSERT INTO prediction(made, lab, variant, stage, predicted, seed, counts, failed)
        VALUES('2026-01-01T00:00:00Z', '$LAB_NAME', '$1', '$2', '$3', 1, 1, '$4')"
}

# new_own_variant NAME KIND: the kit of this file has it by name.
new_own_variant() {
    cp "$VARIANT" "$TREE/broken-variants/$LAB_NAME/$1.patch"
    sed -i "s/^Kind: .*/Kind: $2/" "$TREE/broken-variants/$LAB_NAME/$1.patch"
}

@test "without a terminal and without --fails nothing runs, and one sentence says what to add" {
    run_kit 2 predict "$VARIANT" </dev/null
    assert_equal '' "$output"
    assert_stderr_has '--fails'
    assert_stderr_has '--no-prediction'
    assert_equal 1 "$(wc -l <<<"$stderr")"
    [ ! -e "$TREE/work/predictions.sqlite" ] || assert_equal '' "$(stored '*')"
}

@test "a prediction that names no clause is refused, and nothing is stored" {
    for words in 7.9 '' 'none 7.1' '7.1;rm'; do
        run_kit 2 predict "$VARIANT" --fails "$words"
        assert_equal '' "$output"
        assert_stderr_has 'A prediction is a list of clauses' || assert_stderr_has 'There is no clause'
    done
    assert_equal '' "$(stored '*')"
}

# use_run: the run of setup_file, as if it had been this test's.
use_run() {
    output=$(cat "$RUN")
    mapfile -t lines <"$RUN"
    mkdir -p "$TREE/work"
    cp "$RUN.sqlite" "$TREE/work/predictions.sqlite"
}

@test "shows the change with the changed words marked, the clauses of the stage and the question" {
    use_run
    assert_equal 'Under test: the broken variant zero-pending, not your own service.' "${lines[0]}"
    local changed='-               cJSON_AddNumberToObject(found, "pending", sqlite3_column_double(stmt, 0)) != NULL &&'
    grep -A1 -F -- "$changed" <<<"$output" | tail -1 | grep -qE '^ +\^{22}' ||
        fail 'Expected a line of ^ under the words that changed.'
    assert_output_has '  7.1   '
    assert_output_has '  7.R   '
    refute_output_has '  6.1   '
    assert_output_has 'Ask yourself: which input shows it?'
}

@test "compares: predicted and failed, missed, predicted but did not fail, and the steps of the first surprise" {
    use_run
    assert_output_has 'predicted, and failed       7.2 7.3'
    assert_output_has 'missed                      7.1 7.4 7.5 7.6 7.C 7.R'
    assert_output_has 'predicted but did not fail  4.1'
    assert_output_has 'failed in other stages      8.R'
    assert_output_has 'The first surprise: 7.1 failed, and you did not predict it.'
    assert_output_has 'observed'
    assert_output_has 'Why does 7.1 fail too?'
    assert_equal 'Under test was the broken variant zero-pending, not your own service.' "${lines[-1]}"
    assert_equal 'zero-pending|07|4.1 7.2 7.3|7|1|7.1 7.2 7.3 7.4 7.5 7.6 7.C 7.R 8.R' \
        "$(stored 'variant, stage, predicted, seed, counts, failed')"
}

@test "the commands that show the first surprise again work as printed" {
    use_run
    cd "$TREE"
    eval "$(sed -n 's/^ *made by *//p' <<<"$output")"
    local again
    again=$(sed -n 's/^ *again *//p' <<<"$output")
    assert_equal 'build/lab check --clause 7.1 --seed 7 work/zero-pending.c' "$again"
    run -1 timeout 60 sh -c "$again"
    assert_output_has 'FAIL'
}

@test "a surprise that held asks what the clause would need" {
    new_variant comment-only 'none: only a comment' "$COMMENT_ONLY"
    run_kit 0 predict "$VARIANT" --fails 7.2
    assert_output_has 'The first surprise: you predicted 7.2, and it held.'
    assert_output_has 'Why does 7.2 not notice the change?'
}

@test "the prediction is stored before the variant is even compiled" {
    new_variant killed 'none: only a comment' 's/count\(\) over no rows is 0/KILLED-WHILE-PREDICTED/'
    new_slow_compiler KILLED-WHILE-PREDICTED
    LAB_CC=$SLOW_CC "$TREE/build/lab" predict "$VARIANT" --fails 7.2 >/dev/null 2>&1 3>&- &
    wait_until test -e "$WAITS"
    kill -KILL $!
    wait $! || true
    assert_equal 'killed|7.2|not run' "$(stored "variant, predicted, coalesce(failed, 'not run')")"
    wait_until no_temp_folders_with KILLED-WHILE-PREDICTED
}

@test "only what was predicted before a variant was seen to run is scored" {
    new_prediction zero-pending 07 7.2 '7.2 7.3'
    run_kit 0 predict "$VARIANT" --fails 7.2,7.3
    assert_output_has 'It is not scored'
    assert_equal $'1\n0' "$(stored counts)"
    rm "$TREE/work/predictions.sqlite"
    run_kit 0 predict "$VARIANT" --no-prediction
    assert_output_has 'Not predicted: caught by 7.1'
    assert_equal '0|' "$(stored 'counts, predicted')"
}

@test "undefined behaviour is shown and run, and its prediction is not scored" {
    new_variant undefined "$ZERO_FAILS" "$(code_in_counts '*(volatile int *)8 = 0')" 'Undefined: yes'
    run_kit 0 predict "$VARIANT" --fails 7.1
    assert_output_has 'Its behaviour is undefined'
    assert_output_has 'It is not scored'
    assert_equal 0 "$(stored counts)"
}

@test "--score sums up by stage" {
    run_kit 0 predict --score
    assert_output_has 'Nothing was predicted so far.'
    new_prediction a 02 '2.2 2.3' '2.2 2.3 3.R'
    new_prediction b 02 '2.2 2.4' '2.2 2.6 2.R'
    new_prediction c 07 '' '7.1'
    run_kit 0 predict --score
    assert_equal '02 reserve 2 1 3 2 1' "$(grep '^02' <<<"$output" | tr -s ' ')"
    assert_equal '07 counts 1 0 0 1 0' "$(grep '^07' <<<"$output" | tr -s ' ')"
    assert_equal 'all 3 1 3 3 1' "$(grep '^all' <<<"$output" | tr -s ' ')"
}

@test "--next takes the first of the worksheet that was not predicted yet; all right is said too" {
    new_own_variant 07-a worksheet
    new_own_variant 07-b field
    new_variant comment-only 'none: only a comment' "$COMMENT_ONLY"
    new_own_variant 07-c worksheet
    new_prediction 07-a 07 7.1 7.1
    run_kit 0 predict --next --fails none
    assert_output_has 'the broken variant 07-c,'
    assert_output_has 'All of it as you predicted.'
    run_kit 0 predict --next --fails none
    assert_output_has 'Every variant of the worksheet was predicted.'
    rm "$TREE/broken-variants/$LAB_NAME"/*.patch
}

@test "at a terminal it asks, again after a word that is no clause" {
    require_command script
    cd "$TREE"
    run -0 --separate-stderr timeout -k 5 60 script -qec "build/lab predict $VARIANT" /dev/null < <(
        printf '7.99\n'
        sleep 0.3
        printf '7.1 7.2\n'
    )
    assert_output_has 'Which clauses will fail?'
    assert_output_has 'There is no clause "7.99"'
    assert_output_has 'predicted, and failed'
    assert_equal '7.1 7.2' "$(stored predicted)"
}

@test "a predictions file that is no database is the kit's error, in a sentence" {
    mkdir -p "$TREE/work"
    printf 'this is not a database, and long enough to look like a page of one' >"$TREE/work/predictions.sqlite"
    run_kit 3 predict "$VARIANT" --fails 7.1
    assert_equal '' "$output"
    assert_stderr_has 'work/predictions.sqlite: file is not a database.'
}
