# What the kit's tests share; `load helpers` brings it in.
#
#   new_...      makes something in the test's own folder
#   run_...      runs a command under bats' `run`, held by an outer time limit
#   assert_...   ends the test unless it holds; says what was expected, what was observed, and the command
#   refute_...   ends the test if it holds
#   require_...  ends the test when the machine lacks something: a test that cannot run has not passed

# shellcheck disable=SC2154 # bats' run sets status, output, stderr and lines

bats_require_minimum_version 1.5.0

# shellcheck disable=SC2034 # the tests read these
{
    KIT=$(cd -- "$BATS_TEST_DIRNAME/../.." && pwd)
    LAB=$KIT/build/lab
    LAB_NAME=idem-retention-lab
    REFERENCE=$KIT/solutions/$LAB_NAME/service.c
    STARTER=$KIT/fixtures/$LAB_NAME/service.c
    SCRIPTS=$KIT/checks/$LAB_NAME
    PAGES=$KIT/labs/$LAB_NAME
}

# A test that hangs is a failure of the kit; no honest command here takes a tenth of this.
OUTER_LIMIT_S=120

# fail SENTENCE: ends the test. What ran last is named; the runner has bats print its output.
fail() {
    printf '%s\n' "$1" >&2
    [ -z "${BATS_RUN_COMMAND-}" ] || printf 'command   %s\nstatus    %s\n' "$BATS_RUN_COMMAND" "${status-}" >&2
    return 1
}

# --- new ---------------------------------------------------------------------------------------------------

# new_service NAME: keeps what comes on standard input as a submission of that name; its path is $SERVICE. Not
# at the end of a pipe, where the variable would be lost: new_service NAME < <(COMMAND).
new_service() {
    SERVICE=$BATS_TEST_TMPDIR/$1
    cat >"$SERVICE"
}

# new_changed_reference SCRIPT...: the reference after a sed script that must change it; its path is $SERVICE.
new_changed_reference() {
    SERVICE=$BATS_TEST_TMPDIR/service.c
    sed "$@" "$REFERENCE" >"$SERVICE"
    if cmp -s "$SERVICE" "$REFERENCE"; then
        fail "The change found nothing to change in the reference: $*"
    fi
}

# new_reference_with FUNCTION: the reference, with C code from standard input put in front of the body of one
# of its functions; its path is $SERVICE.
new_reference_with() {
    local code=$BATS_TEST_TMPDIR/code
    cat >"$code"
    SERVICE=$BATS_TEST_TMPDIR/service.c
    awk -v start="enum idem_status $1(" -v code="$code" '
        index($0, start) == 1 { inside = 1 }
        { print }
        inside && /^{$/ { while ((getline line < code) > 0) print line; inside = 0; found = 1 }
        END { exit !found }' "$REFERENCE" >"$SERVICE" || fail "The reference has no function $1."
}

# new_partial_service K: the reference's functions of stages 1 to K, the starter's after them; its path is
# $SERVICE. The reference's later functions stay under another name, since earlier code may use their helpers.
new_partial_service() {
    local names=(init_db reserve finish fetch expired purge counts retention_cycle) name
    SERVICE=$BATS_TEST_TMPDIR/partial-$1.c
    {
        for name in "${names[@]:$1}"; do printf '#define idem_%s reference_%s\n' "$name" "$name"; done
        cat "$REFERENCE"
        for name in "${names[@]:$1}"; do
            printf '#undef idem_%s\n' "$name"
            awk -v start="enum idem_status idem_$name(" '
                index($0, start) == 1 { inside = 1; found = 1 }
                inside { print }
                inside && /^}/ { inside = 0 }
                END { exit !found }' "$STARTER" || fail "The starter has no function idem_$name."
        done
    } >"$SERVICE"
}

# new_tree [NAME]: a copy of the kit as it is built, without anybody's work; its path is $TREE.
new_tree() {
    TREE=$BATS_TEST_TMPDIR/${1:-kit}
    mkdir -p "$TREE"
    (cd "$KIT" && tar -cf - --exclude=./work --exclude=./.git --exclude=./build/lint .) | tar -xf - -C "$TREE"
}

# --- run ---------------------------------------------------------------------------------------------------

# run_lab STATUS ARGUMENTS...: build/lab, with the exact exit status. Standard output is $output, errors $stderr.
run_lab() {
    run --separate-stderr "-$1" timeout -k 5 "$OUTER_LIMIT_S" "$LAB" "${@:2}"
}

# run_check STATUS ARGUMENTS...: `lab check` in JSON, kept in the file $RESULT; the file to check is among the
# arguments. Errors are $output.
run_check() {
    RESULT=$BATS_TEST_TMPDIR/result.json
    run "-$1" check_into_result "${@:2}"
    assert_result '.planned == ([.stages[].clauses[]] | length)'
    assert_result '.passed == ([.stages[].clauses[] | select(.verdict == "pass")] | length)'
}

check_into_result() {
    timeout -k 5 "$OUTER_LIMIT_S" "$LAB" check --format json "$@" >"$RESULT"
}

# --- assert, refute ----------------------------------------------------------------------------------------

# assert_output_has TEXT: $output holds the text, as it stands.
assert_output_has() {
    [[ $output == *"$1"* ]] || fail "Expected the output to have: $1"
}

refute_output_has() {
    [[ $output != *"$1"* ]] || fail "Expected the output not to have: $1"
}

assert_stderr_has() {
    [[ $stderr == *"$1"* ]] || fail "Expected the error output to have: $1"
}

# assert_equal EXPECTED OBSERVED
assert_equal() {
    [ "$1" = "$2" ] || fail "$(printf 'expected  %s\nobserved  %s' "$1" "$2")"
}

# assert_same_text FILE FILE: expected, observed.
assert_same_text() {
    diff -u -- "$1" "$2" >&2 || fail 'The texts differ: - expected, + observed.'
}

# assert_result FILTER: a jq expression that must be true of the last result.
assert_result() {
    jq -e "$1" "$RESULT" >/dev/null || fail "$(
        printf 'Expected of the result: %s\nverdicts  %s\nbuild     %s' "$1" "$(verdicts)" \
            "$(jq -c .build "$RESULT")"
    )"
}

# verdicts [STAGE]: the last result in one line: "1.1 pass, 1.2 fail".
verdicts() {
    jq -r --arg stage "${1-}" '[.stages[] | select($stage == "" or .stage == $stage) | .clauses[]
        | .id + " " + .verdict] | join(", ")' "$RESULT"
}

# assert_stage STAGE VERDICT: every clause of the stage has this verdict, and there are some.
assert_stage() {
    jq -e --arg stage "$1" --arg verdict "$2" '[.stages[] | select(.stage == $stage) | .clauses[].verdict]
        | length > 0 and all(. == $verdict)' "$RESULT" >/dev/null ||
        fail "Expected every clause of stage $1 to be $2; observed: $(verdicts "$1")"
}

# assert_verdict CLAUSE VERDICT [VERDICT...]: the clause has one of the verdicts.
assert_verdict() {
    local observed
    observed=$(jq -r --arg id "$1" '.stages[].clauses[] | select(.id == $id) | .verdict' "$RESULT")
    [[ " ${*:2} " == *" $observed "* ]] ||
        fail "Expected clause $1 to be: ${*:2}; observed: ${observed:-no such clause}"
}

# --- require -----------------------------------------------------------------------------------------------

require_command() {
    command -v "$1" >/dev/null || fail "This test needs $1; \`make test\` installs it."
}
