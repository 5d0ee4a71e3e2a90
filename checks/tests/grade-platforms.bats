#!/usr/bin/env bats
# The grader inside Gradescope and GitHub Classroom, as far as a machine without those services can tell.

load helpers

GRADESCOPE=$BATS_TEST_DIRNAME/../grader/gradescope
CLASSROOM=$BATS_TEST_DIRNAME/../grader/github-classroom

# new_autograder: a folder as Gradescope lays it out, with the kit as it is built here; its path is
# $AUTOGRADER_ROOT.
new_autograder() {
    export AUTOGRADER_ROOT=$BATS_TEST_TMPDIR/autograder
    mkdir -p "$AUTOGRADER_ROOT/source" "$AUTOGRADER_ROOT/results" "$AUTOGRADER_ROOT/submission"
    new_tree
    mv "$TREE" "$AUTOGRADER_ROOT/source/kit"
}

@test "Gradescope: the packed autograder holds both scripts and the kit, without work and what was built" {
    run -0 "$GRADESCOPE/pack.sh" "$BATS_TEST_TMPDIR/autograder.zip"
    run -0 bsdtar -tf "$BATS_TEST_TMPDIR/autograder.zip"
    assert_output_has setup.sh
    assert_output_has run_autograder
    assert_output_has "kit/solutions/$LAB_NAME/service.c"
    refute_output_has kit/build
    refute_output_has kit/work
}

@test "Gradescope: a submission gets its points, whether or not the kit can be read by others" {
    new_autograder
    run -0 "$GRADESCOPE/setup.sh"
    cp "$REFERENCE" "$AUTOGRADER_ROOT/submission/service.c"
    run -0 "$GRADESCOPE/run_autograder"
    assert_equal 100 "$(jq .score "$AUTOGRADER_ROOT/results/results.json")"
    assert_equal 8 "$(jq '.tests | length' "$AUTOGRADER_ROOT/results/results.json")"
}

@test "Gradescope: a submission without a file gets no points and the reason" {
    new_autograder
    ln -s /etc/passwd "$AUTOGRADER_ROOT/submission/service.c"
    run -0 "$GRADESCOPE/run_autograder"
    run -0 jq -r '"\(.score) \(.output)"' "$AUTOGRADER_ROOT/results/results.json"
    assert_equal '0 submission/service.c is a symbolic link, not a file.' "$output"
}

@test "GitHub Classroom: fewer than full marks fail the step, and summary and outputs have the points" {
    export GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/summary GITHUB_OUTPUT=$BATS_TEST_TMPDIR/output
    mkdir "$BATS_TEST_TMPDIR/repository"
    printf 'int x = \n' >"$BATS_TEST_TMPDIR/repository/service.c"
    run -1 "$CLASSROOM/grade.sh" "$BATS_TEST_TMPDIR/repository"
    assert_output_has 'It does not compile'
    assert_equal '### 0 of 100 points' "$(head -n 1 "$GITHUB_STEP_SUMMARY")"
    assert_equal $'points=0\nout_of=100' "$(cat "$GITHUB_OUTPUT")"
}

@test "GitHub Classroom: the workflow runs the script that is tested here" {
    grep -q 'run: sh kit/checks/grader/github-classroom/grade.sh submission' "$CLASSROOM/classroom.yml"
}
