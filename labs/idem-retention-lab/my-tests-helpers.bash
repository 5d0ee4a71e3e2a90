# What tests of your own share; `load` brings it in. Each test gets a database of its own.
#
#   new_db                        an empty database with the table; call it in setup
#   call CALL ARGUMENTS...        makes a call: what it printed is then in $output, its exit status in $status
#   sql STATEMENT                 the sqlite3 shell on the database: sets up rows, or prints what is in the table
#   assert_answers EXPECTED CALL ARGUMENTS...   the call ends with status 0 and prints exactly this
#   assert_refuses STATUS CALL ARGUMENTS...     it ends with this status: 1 FAILED, 3 INVALID
#   assert_row KEY EXPECTED       the row of a key as the sqlite3 shell prints it: id|fingerprint|status|response|expires;
#                                 '' for no row
#   assert_equal EXPECTED OBSERVED WHAT
#
# An assert that does not hold says what was expected and what was observed, and ends the test.
#
# The service under test is the program in $IDEM; without it, the one that `make idem` links of your own
# service.

# bats' run sets status and output.
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0

: "${IDEM:=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/work/idem-retention-lab/idem}"

new_db() {
    DB=$BATS_TEST_TMPDIR/idem.db
    [ -x "$IDEM" ] || explain 'a program to test (make idem links it)' "$IDEM is none" 'IDEM'
    "$IDEM" "$DB" init-db || explain 'status 0' "status $?" 'init-db'
}

# 5 s for a call: none takes a tenth of one, unless it never ends.
call() {
    run timeout 5 "$IDEM" "$DB" "$@"
}

sql() {
    sqlite3 -bail "$DB" "$@"
}

# explain EXPECTED OBSERVED WHAT: ends the test.
explain() {
    printf '%s\n  expected  %s\n  observed  %s\n' "$3" "$1" "$2" >&2
    return 1
}

assert_equal() {
    [ "$1" = "$2" ] || explain "$1" "$2" "$3"
}

assert_answers() {
    local expected=$1
    shift
    call "$@"
    [ "$status" -eq 0 ] || explain "status 0: ${expected:-(nothing)}" "status $status: $output" "$*"
    assert_equal "${expected:-(nothing)}" "${output:-(nothing)}" "$*"
}

assert_refuses() {
    local expected=$1
    shift
    call "$@"
    assert_equal "status $expected" "status $status" "$*"
}

assert_row() {
    local observed
    observed=$(sql "SELECT * FROM keys WHERE id = '${1//\'/\'\'}'")
    assert_equal "${2:-(no row)}" "${observed:-(no row)}" "the row of $1"
}
