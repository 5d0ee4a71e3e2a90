#!/usr/bin/env bats
# The eight check scripts, and the ways in which people start them.

load helpers

@test "there is one check script for each stage, and each checks its own" {
    for stage in 01 02 03 04 05 06 07 08; do
        run -1 "$SCRIPTS/$stage-contract.sh" --format json "$STARTER"
        jq -e --arg stage "$stage" '.stages[-1].stage == $stage' <<<"$output" >/dev/null ||
            fail "Expected the last stage to be $stage."
    done
    assert_equal 8 "$(find "$SCRIPTS" -name '*-contract.sh' | wc -l)"
}

@test "a check script holds with the reference and says that the earlier stages hold" {
    run -0 "$SCRIPTS/04-contract.sh" "$REFERENCE"
    assert_output_has '04 fetch'
    assert_output_has 'Earlier stages: 01 still holds; 02 still holds; 03 still holds.'
}

@test "a check script says which earlier stage no longer holds" {
    new_changed_reference 's/INSERT INTO keys/INSERT OR REPLACE INTO keys/; s/ ON CONFLICT(id) DO NOTHING//'
    run -1 "$SCRIPTS/04-contract.sh" "$SERVICE"
    assert_output_has 'Earlier stages: 01 still holds; 02 '
    refute_output_has '02 still holds'
}

@test "a check script runs under dash, from another folder, by a relative path" {
    require_command dash
    cd "$BATS_TEST_TMPDIR"
    cp "$REFERENCE" mine.c
    ln -s "$KIT" kit
    run -0 dash "kit/checks/$LAB_NAME/01-contract.sh" mine.c
}

@test "a check script runs through a symlink to it" {
    cd "$BATS_TEST_TMPDIR"
    ln -s "$SCRIPTS/01-contract.sh" check-01
    run -0 ./check-01 "$REFERENCE"
}

@test "a check script runs from a folder that cannot be written" {
    cd /proc
    run -0 "$SCRIPTS/01-contract.sh" "$REFERENCE"
}

@test "a check script runs with LC_ALL=C, in ASCII" {
    LC_ALL=C run -1 "$SCRIPTS/02-contract.sh" "$STARTER"
    if LC_ALL=C grep -q '[^[:print:][:space:]]' <<<"$output"; then fail 'Expected nothing but ASCII.'; fi
}

@test "a check script runs in a kit whose path has spaces, quotes and CJK" {
    new_tree "my kit's 検査 folder"
    cd "$BATS_TEST_TMPDIR"
    run -0 "$TREE/checks/$LAB_NAME/01-contract.sh" "$REFERENCE"
}

@test "a kit that was never built builds itself at the first check, in a path with spaces and CJK" {
    new_tree "new kit 検査"
    rm -rf "$TREE/build"
    run -0 --separate-stderr "$TREE/checks/$LAB_NAME/01-contract.sh" --format json "$REFERENCE"
    jq -e '.build.ok' <<<"$output" >/dev/null || fail 'Expected JSON alone on standard output.'
}

@test "without a file a check script takes the one under work/" {
    new_tree
    mkdir -p "$TREE/work/$LAB_NAME"
    cp "$REFERENCE" "$TREE/work/$LAB_NAME/service.c"
    cd "$BATS_TEST_TMPDIR"
    run -0 "$TREE/checks/$LAB_NAME/01-contract.sh"
    run -0 "$TREE/checks/$LAB_NAME/01-contract.sh" --format json --seed 5
    jq -e '.seed == 5' <<<"$output" >/dev/null || fail 'Expected the options to arrive.'
    cd "$TREE"
    run -0 "checks/$LAB_NAME/01-contract.sh"
    assert_output_has "work/$LAB_NAME/service.c"
    refute_output_has "$TREE"
}

@test "without a file and without work/ a check script says how to start, with status 2" {
    new_tree
    run -2 "$TREE/checks/$LAB_NAME/01-contract.sh"
    assert_output_has 'make start'
}

@test "options may stand before the file and after it" {
    run -0 --separate-stderr "$SCRIPTS/01-contract.sh" --format json --seed 5 "$REFERENCE"
    jq -e '.seed == 5' <<<"$output" >/dev/null || fail 'Expected seed 5.'
    run -0 --separate-stderr "$SCRIPTS/01-contract.sh" "$REFERENCE" --seed 5 --format json
    jq -e '.seed == 5' <<<"$output" >/dev/null || fail 'Expected seed 5.'
}

@test "no value of an option is taken for the file" {
    new_tree
    # Each option that has a value stands in the script.
    while read -r option; do
        grep -qE -- "--$option( \||\))" "$SCRIPTS/contract.sh" || missing+=" $option"
    done < <("$LAB" check --help | sed -nE 's/^ *--([a-z-]+)[ =][A-Z].*/\1/p')
    [ -z "${missing-}" ] || fail "contract.sh does not know that these have a value:$missing"
    for words in '--seed 5' '--clause 1.1' '--format json'; do
        # shellcheck disable=SC2086 # words
        run -2 "$TREE/checks/$LAB_NAME/01-contract.sh" $words
        assert_output_has 'make start'
    done
}

@test "an unknown option is wrong usage" {
    run -2 "$SCRIPTS/01-contract.sh" --no-such-option "$REFERENCE"
    assert_output_has no-such-option
}

@test "a kit that cannot be built for want of a compiler is status 3, and says what to do" {
    new_tree
    rm -rf "$TREE/build"
    CC=no-such-compiler run -3 "$TREE/checks/$LAB_NAME/01-contract.sh" "$REFERENCE"
    assert_output_has no-such-compiler
    assert_output_has 'make deps'
}

@test "a missing compiler for the submission is status 3, never a verdict" {
    LAB_CC=no-such-compiler run_lab 3 check --format json "$REFERENCE"
    assert_equal '' "$output"
    assert_stderr_has no-such-compiler
}

@test "a machine without any compiler on its PATH is status 3" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    PATH=$BATS_TEST_TMPDIR/bin run -3 "$LAB" check "$REFERENCE"
}

@test "a broken kit source is status 3 and the compiler's words are shown" {
    new_tree
    echo '#error broken on purpose' >>"$TREE/checks/lab.c"
    run -3 "$TREE/checks/$LAB_NAME/01-contract.sh" "$REFERENCE"
    assert_output_has 'broken on purpose'
}
