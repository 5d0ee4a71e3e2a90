#!/usr/bin/env bats
# The runner's own promises, and those of the helpers: a red test must look red.

load helpers

# run_runner STATUS: the runner on a bats file from standard input.
run_runner() {
    # %test: bats would take a line that starts with @test for a test of this file.
    sed "s/^%test/@test/" >"$BATS_TEST_TMPDIR/inner.bats"
    # Without bats' own variables and folder of parts, so that the inner run is one of its own; fd 3 stays here.
    run "-$1" env -i PATH="${PATH//"$BATS_LIBEXEC:"/}" TMPDIR="$BATS_TEST_TMPDIR" \
        sh "$KIT/checks/tests/run.sh" "$BATS_TEST_TMPDIR/inner.bats" 3>&-
}

@test "the last line counts what passed, failed and was skipped" {
    run_runner 1 <<'INNER'
%test "one" { true; }
%test "two" { echo 'ok 7 forged'; false; }
%test "three" { skip 'not today'; }
INNER
    assert_equal '1 passed, 1 failed, 1 skipped' "${lines[-1]}"
}

@test "a run without a failure is status 0" {
    run_runner 0 <<'INNER'
%test "one" { true; }
%test "two" { true; }
INNER
    assert_equal '2 passed, 0 failed' "${lines[-1]}"
}

@test "a run of no test is a failure" {
    run_runner 1 </dev/null
    assert_output_has 'No test ran.'
}

@test "a run that ends before its plan is a failure" {
    run_runner 1 <<'INNER'
setup_file() { exit 0; }
%test "one" { true; }
%test "two" { true; }
INNER
    assert_output_has 'planned'
}

@test "a file that bats cannot read is a failure" {
    run_runner 1 <<<'%test "one" { if; }'
    assert_equal '0 passed, 1 failed' "${lines[-1]}"
}

@test "assertions end a test in its middle, not only in its last line" {
    run_runner 1 <<INNER
load "$KIT/checks/tests/helpers"
%test "output" { run echo a; assert_output_has b; true; }
%test "refuted" { run echo a; refute_output_has a; true; }
%test "equal" { assert_equal 1 2; true; }
%test "text" { assert_same_text <(echo 1) <(echo 2); true; }
%test "status" { run -2 false; true; }
%test "command" { require_command no-such-command; true; }
INNER
    assert_equal '0 passed, 6 failed' "${lines[-1]}"
}

@test "assertions about verdicts end a test unless they hold" {
    run_runner 1 <<INNER
load "$KIT/checks/tests/helpers"
setup() {
    RESULT=\$BATS_TEST_TMPDIR/result.json
    echo '{"stages":[{"stage":"01","clauses":[{"id":"1.1","verdict":"fail"}]}],"passed":0}' >"\$RESULT"
}
%test "holds" { assert_result '.passed == 0'; assert_verdict 1.1 pass fail; assert_stage 01 fail; }
%test "filter" { assert_result '.passed == 1'; true; }
%test "verdict" { assert_verdict 1.1 pass; true; }
%test "no such clause" { assert_verdict 1.2 fail; true; }
%test "stage" { assert_stage 01 pass; true; }
%test "no such stage" { assert_stage 02 fail; true; }
INNER
    assert_equal '1 passed, 5 failed' "${lines[-1]}"
}
