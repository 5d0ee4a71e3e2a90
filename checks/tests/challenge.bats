#!/usr/bin/env bats
# build/lab challenge: a learner's own tests must pass on two right services and fail on the variant.

# What run and new_variant set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers
load variants-helpers

setup() {
    new_variant zero-pending "$ZERO_FAILS" "$ZERO_PENDING"
    TESTS=$BATS_TEST_TMPDIR/my.bats
}

# new_tests: what comes on standard input as a file of tests with the helpers; its path is $TESTS. A line
# that begins with `it` begins a test: bats would take @test for one of this file.
new_tests() {
    {
        printf 'load %q\nsetup() { new_db; }\n' "$PAGES/my-tests-helpers"
        sed 's/^it /@test /'
    } >"$TESTS"
}

@test "a test that passes on what is right and fails on the variant catches it, by name" {
    new_tests <<'TESTS'
it "a pending row is counted" {
    assert_answers true reserve k d 10
    assert_answers '{"pending":1,"done":0}' counts
}
it "an empty table has no done rows" {
    call counts
    [[ $output == *'"done":0'* ]]
}
TESTS
    run_lab 0 challenge "$VARIANT" "$TESTS"
    assert_output_has 'the reference              2 passed, 0 failed'
    assert_output_has 'another correct service    2 passed, 0 failed'
    assert_output_has 'the broken variant         1 passed, 1 failed'
    assert_output_has 'Caught by "a pending row is counted".'
    assert_output_has 'expected  {"pending":1,"done":0}'
    assert_output_has 'observed  {"pending":0,"done":0}'
    assert_equal 'Under test: the broken variant zero-pending, not your own service.' "${lines[0]}"
    assert_equal 'Under test was the broken variant zero-pending, not your own service.' "${lines[-1]}"
}

@test "the starter passes on both right services and catches nothing yet" {
    run_lab 1 challenge "$VARIANT" "$PAGES/my-tests.bats"
    assert_output_has 'another correct service    1 passed, 0 failed'
    assert_output_has 'Not caught by any of your tests (1).'
}

@test "a test that fails on the reference proves nothing, and the variant is not run" {
    new_tests <<'TESTS'
it "every count is a thousand" {
    assert_answers 1000 counts
}
TESTS
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'Your tests fail on a correct service: "every count is a thousand" fails on the'
    refute_output_has 'the broken variant  '
}

@test "a test that knows how the reference works fails on the other correct service" {
    new_tests <<'TESTS'
it "purge deletes in the order of ids" {
    sql "INSERT INTO keys SELECT value, 'd', 'done', '1', 1 FROM json_each('[\"c\",\"a\",\"b\"]');
         CREATE TABLE seen(id); CREATE TRIGGER t AFTER DELETE ON keys BEGIN INSERT INTO seen VALUES(old.id); END"
    assert_answers '["a","b","c"]' purge 10
    assert_equal 'a b c' "$(sql 'SELECT id FROM seen ORDER BY rowid' | paste -sd ' ')" 'the order of deletion'
}
TESTS
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'the reference              1 passed, 0 failed'
    assert_output_has 'another correct service    0 passed, 1 failed'
    assert_output_has '"purge deletes in the order of ids" fails'
}

@test "a file without a test, with skipped tests only, or that cannot be read by bats is no pass" {
    : >"$TESTS"
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'No test ran'
    printf '@test "later" { skip; }\n' >"$TESTS"
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'No test ran: all 1 were skipped'
    printf 'if then\n@test "x" { true; }\n' >"$TESTS"
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'syntax error'
}

@test "tests that never end are ended, with everything they started" {
    new_tests <<TESTS
it "starts what nobody waits for" {
    (setsid sleep 987654 3>&- &)
    sleep 987654 3>&- &
    run sleep 987654
}
TESTS
    run_lab 1 challenge "$VARIANT" "$TESTS" --limit 2
    assert_output_has 'Timed out: your tests took longer than 2 s'
    assert_equal '' "$(pgrep -f 'sleep 987654')"
}

@test "what a test leaves running is ended when bats is" {
    new_tests <<'TESTS'
it "leaves a process behind" {
    (setsid sleep 987655 >/dev/null 2>&1 3>&- 4>&- &)
}
TESTS
    run_lab 1 challenge "$VARIANT" "$TESTS"
    assert_output_has 'Not caught by any'
    assert_equal '' "$(pgrep -f 'sleep 987655')"
}

@test "a kill in the middle ends bats and what it started, and leaves no folder" {
    local waits=$BATS_TEST_TMPDIR/waits
    new_tests <<TESTS
it "waits" {
    printf '%s' "\$TMPDIR" >$waits
    sleep 987656
}
TESTS
    "$LAB" challenge "$VARIANT" "$TESTS" >/dev/null 2>&1 3>&- &
    wait_until test -s "$waits"
    folder=$(cat "$waits")
    kill -KILL $!
    wait $! || true
    wait_until test ! -e "$folder"
    assert_equal '' "$(pgrep -f 'sleep 987656')"
}

@test "a variant that cannot be made is not applied, or does not build: other words than caught" {
    new_variant does-not-build 7.1 "$(code_in_counts 'oops')"
    run_lab 1 challenge "$VARIANT" "$PAGES/my-tests.bats"
    assert_output_has 'Does not build:'
    sed -i '/^ /s/cJSON/kJSON/' "$VARIANT"
    run_lab 1 challenge "$VARIANT" "$PAGES/my-tests.bats"
    assert_output_has 'Not applied: the hunk'
}

@test "wrong usage is status 2 with a sentence" {
    for words in '' "$VARIANT" "no-such-variant $PAGES/my-tests.bats" "$VARIANT /no/such/file" "$VARIANT /"; do
        # Words are meant to split.
        # shellcheck disable=SC2086
        run_lab 2 challenge $words
        assert_equal '' "$output"
        [ -n "$stderr" ] || fail "Expected a sentence for: $words"
    done
}

@test "the helpers say what was expected and what was observed" {
    new_tests <<'TESTS'
it "answers" { assert_answers true counts; }
it "refuses" { assert_refuses 3 counts; }
it "row" { assert_row k 'k|d|done|1|10.0'; }
it "no row" { sql "INSERT INTO keys VALUES('k','d','done','1',10)"; assert_row k ''; }
TESTS
    "$KIT/build/lab" variants --print "$VARIANT" >"$BATS_TEST_TMPDIR/service.c"
    gcc -std=gnu17 -I"$PAGES" -o "$BATS_TEST_TMPDIR/idem" "$BATS_TEST_TMPDIR/service.c" "$KIT/build/$LAB_NAME/idem.o" -lsqlite3 -lcjson
    IDEM=$BATS_TEST_TMPDIR/idem run -1 timeout 30 bats --tap "$TESTS"
    assert_equal 4 "$(grep -c '^not ok' <<<"$output")"
    assert_output_has $'#   expected  true\n#   observed  {"pending":0,"done":0}'
    assert_output_has $'#   expected  status 3\n#   observed  status 0'
    assert_output_has $'#   expected  k|d|done|1|10.0\n#   observed  (no row)'
    assert_output_has $'#   expected  (no row)\n#   observed  k|d|done|1|10.0'
}

@test "started from a test of bats, the tests still run in the bats that a person starts" {
    local path=$BATS_TEST_TMPDIR/path
    [[ $PATH == *"$BATS_LIBEXEC"* ]] || fail 'Expected PATH to have the inner programs of this bats.'
    # shellcheck disable=SC2016 # it is for the inner test
    printf '@test "path" { printf "%%s" "$PATH" >%q; }\n' "$path" >"$TESTS"
    run_lab 1 challenge "$VARIANT" "$TESTS"
    # The bats that runs them adds its own.
    assert_equal 1 "$(tr : '\n' <"$path" | grep -cxF -- "$BATS_LIBEXEC")"
}
