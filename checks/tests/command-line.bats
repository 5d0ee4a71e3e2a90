#!/usr/bin/env bats
# build/lab: usage, formats, seeds, what a failure looks like.

load helpers

@test "wrong usage is status 2, with a sentence on standard error and nothing on standard output" {
    for words in '' 'no-such-command' 'check' 'check --stage' 'check --stage 09 F' 'check --stage x F' \
        'check --clause 9.9 F' 'check --seed abc F' 'check --seed -1 F' 'check --format yaml F' 'check F F' \
        'check --no-such-option F' 'list extra' 'list --format tap'; do
        # Words are meant to split; F stands for a file that could be checked.
        # shellcheck disable=SC2086
        run_lab 2 ${words//F/$REFERENCE}
        assert_equal '' "$output"
        [ -n "$stderr" ] || fail "Expected a sentence for: $words"
    done
}

@test "help is no error" {
    run_lab 0 --help
    assert_output_has 'check'
}

@test "list names eight stages and every clause of the contract" {
    run_lab 0 list --format json
    printf '%s' "$output" >"$BATS_TEST_TMPDIR/list.json"
    jq -r '.stages[].clauses[].id' "$BATS_TEST_TMPDIR/list.json" | grep -E '^[0-9]\.[0-9]+$' |
        sort >"$BATS_TEST_TMPDIR/observed"
    # The number of the last clause of each stage, as the contract has them; a lab may have more.
    local last=(4 6 8 9 8 8 5 5)
    for stage in 1 2 3 4 5 6 7 8; do
        for ((clause = 1; clause <= last[stage - 1]; clause++)); do
            grep -qx "$stage\\.$clause" "$BATS_TEST_TMPDIR/observed" || missing+=" $stage.$clause"
        done
    done
    [ -z "${missing-}" ] || fail "Missing clauses:$missing"
    assert_equal '' "$(jq -r '.stages[].clauses[] | select(.sentence | length < 10) | .id' "$BATS_TEST_TMPDIR/list.json")"
    assert_equal '' "$(jq -r '.stages[].clauses[].id' "$BATS_TEST_TMPDIR/list.json" | sort | uniq -d)"
}

@test "list in text names the same clauses as in JSON" {
    run_lab 0 list --format json
    jq -r '.stages[].clauses[] | .id + " " + .sentence' <<<"$output" >"$BATS_TEST_TMPDIR/json"
    run_lab 0 list
    while read -r line; do
        tr -s ' ' <<<"$output" | grep -qF -- "$line" || fail "Expected in the text: $line"
    done <"$BATS_TEST_TMPDIR/json"
}

@test "check plans the clauses that list names, in that order" {
    run_lab 0 list --format json
    expected=$(jq -r '[.stages[].clauses[].id] | join(" ")' <<<"$output")
    run_check 1 "$STARTER"
    assert_equal "$expected" "$(jq -r '[.stages[].clauses[].id] | join(" ")' "$RESULT")"
}

@test "--clause runs this clause alone" {
    run_check 0 --clause 2.1 "$REFERENCE"
    assert_result '[.stages[].clauses[].id] == ["2.1"]'
}

@test "TAP has a plan, a line a clause, and the same verdicts as JSON" {
    new_partial_service 2
    run_check 1 --seed 5 "$SERVICE"
    run_lab 1 check --format tap --seed 5 "$SERVICE"
    assert_output_has "1..$(jq .planned "$RESULT")"
    assert_equal "$(jq .passed "$RESULT")" "$(grep -c '^ok [0-9]' <<<"$output")"
    assert_equal "$(jq '.planned - .passed' "$RESULT")" "$(grep -c '^not ok [0-9]' <<<"$output")"
    assert_equal "$(jq .planned "$RESULT")" "$(grep -oE '^(not )?ok [0-9]+' <<<"$output" | sort -u | wc -l)"
}

@test "text, TAP and JSON agree on the exit status" {
    for format in text tap json; do
        run_lab 0 check --stage 01 --format "$format" "$REFERENCE"
        run_lab 1 check --stage 01 --format "$format" "$STARTER"
    done
}

# without_ms FILE: the result, but for the times.
without_ms() {
    jq 'del(.stages[].clauses[] | .ms, .refusals_ms)' "$1"
}

@test "the same file and seed give the same JSON, but for the times" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/; s/IF NOT EXISTS//'
    run_check 1 --seed 42 "$SERVICE"
    without_ms "$RESULT" >"$BATS_TEST_TMPDIR/first"
    run_check 1 --seed 42 "$SERVICE"
    without_ms "$RESULT" >"$BATS_TEST_TMPDIR/second"
    assert_same_text "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "a clause gives the same record alone as among all others" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/'
    run_check 1 --seed 42 "$SERVICE"
    without_ms "$RESULT" | jq '.stages[].clauses[] | select(.id == "4.2")' >"$BATS_TEST_TMPDIR/among"
    run_check 1 --seed 42 --clause 4.2 "$SERVICE"
    without_ms "$RESULT" | jq '.stages[].clauses[]' >"$BATS_TEST_TMPDIR/alone"
    assert_same_text "$BATS_TEST_TMPDIR/among" "$BATS_TEST_TMPDIR/alone"
}

@test "the number of jobs changes no verdict, no step, and no report of a sanitizer" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/'
    for file in "$SERVICE" "$KIT/fixtures/$LAB_NAME/submissions/broken/crashes-in-reserve/service.c"; do
        run_check 1 --seed 42 --jobs 1 "$file"
        without_ms "$RESULT" >"$BATS_TEST_TMPDIR/one"
        run_check 1 --seed 42 --jobs 4 "$file"
        without_ms "$RESULT" >"$BATS_TEST_TMPDIR/four"
        assert_same_text "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/four"
    done
    grep -q 'runtime error' "$BATS_TEST_TMPDIR/four" || fail 'Expected a report of the sanitizer.'
}

@test "--stop-at stage runs the whole first stage that does not hold, and none after it" {
    new_changed_reference 's/AND expires>?/AND expires>=?/'
    run_check 1 --stop-at stage --jobs 4 "$SERVICE"
    assert_equal '01 02 03 04' "$(jq -r '[.stages[].stage] | join(" ")' "$RESULT")"
    assert_result '.stages[3].clauses | length == 12'
    run_check 1 --stop-at clause --jobs 1 "$SERVICE"
    assert_result '[.stages[].clauses[] | select(.verdict != "pass")] | length == 1'
}

@test "another seed tries other inputs" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/'
    run_check 1 --seed 1 --clause 4.2 "$SERVICE"
    first=$(jq -c '.stages[].clauses[].steps' "$RESULT")
    run_check 1 --seed 2 --clause 4.2 "$SERVICE"
    [ "$first" != "$(jq -c '.stages[].clauses[].steps' "$RESULT")" ] || fail 'Expected other steps.'
}

@test "without --seed a run picks one and prints it, so that it can be shown again" {
    run_check 1 --stage 01 "$STARTER"
    seed=$(jq .seed "$RESULT")
    [[ $seed =~ ^[0-9]+$ ]] || fail "Expected a seed; observed: $seed"
    run_lab 1 check --stage 01 "$STARTER"
    [[ $output =~ --seed[[:space:]]+[0-9]+ ]] || fail 'Expected the seed.'
}

@test "a failure shows its steps, expected, observed and the command that shows it again" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/'
    run_lab 1 check --seed 42 --clause 4.2 "$SERVICE"
    for part in 'FAIL' '4.2' 'expected' 'observed' 'again' 'fetch' "--clause 4.2 --seed 42 "; do
        assert_output_has "$part"
    done
}

@test "the command of a failure shows the same failure again" {
    new_changed_reference 's/AND expires>?"/AND expires>=?"/'
    mv "$SERVICE" "$BATS_TEST_TMPDIR/it's my service.c"
    cd "$KIT"
    run_check 1 --clause 4.2 "$BATS_TEST_TMPDIR/it's my service.c"
    jq -r '.stages[].clauses[].observed' "$RESULT" >"$BATS_TEST_TMPDIR/first"
    again=$(jq -r '.stages[].clauses[].repeat' "$RESULT")
    run -1 sh -c "$again --format json"
    jq -r '.stages[].clauses[].observed' <<<"$output" >"$BATS_TEST_TMPDIR/second"
    assert_same_text "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "the commands by hand of a failure show it with the idem program and the sqlite3 shell" {
    new_tree
    mkdir -p "$TREE/work/$LAB_NAME"
    new_changed_reference "s/ AND status='pending'\"/ AND status IN ('pending','done')\"/"
    cp "$SERVICE" "$TREE/work/$LAB_NAME/service.c"
    make -s -C "$TREE" idem
    run_check 1 --clause 3.4 "$SERVICE"
    assert_result '.stages[].clauses[].observed | startswith("OK true")'
    jq -r '.stages[].clauses[].by_hand[]' "$RESULT" >"$BATS_TEST_TMPDIR/by-hand"
    cd "$BATS_TEST_TMPDIR"
    PATH=$TREE/work/$LAB_NAME:$PATH
    run -0 sh -e by-hand
    assert_equal true "${lines[-1]}"
}

@test "a report that cannot be written is status 3" {
    for format in text tap json; do
        run -3 sh -c 'exec "$@" >/dev/full' sh "$LAB" check --stage 01 --format "$format" "$REFERENCE"
    done
}

@test "the last line of a check says what to do next" {
    run_lab 1 check "$STARTER"
    [[ ${lines[-1]} == *01* ]] || fail 'Expected the last line to name the first stage that does not hold.'
    new_partial_service 3
    run_lab 1 check "$SERVICE"
    [[ ${lines[-1]} == *04* ]] || fail 'Expected the last line to name stage 04.'
}

@test "colour appears on a terminal only, and never with NO_COLOR" {
    require_command script
    cat >"$BATS_TEST_TMPDIR/check" <<SH
exec "$LAB" check --stage 01 "$STARTER"
SH
    run_lab 1 check --stage 01 "$STARTER"
    refute_output_has $'\e'
    TERM=xterm run script -qec "sh '$BATS_TEST_TMPDIR/check'" /dev/null
    assert_output_has $'\e['
    NO_COLOR=1 TERM=xterm run script -qec "sh '$BATS_TEST_TMPDIR/check'" /dev/null
    refute_output_has $'\e['
}
