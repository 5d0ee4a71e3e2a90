#!/usr/bin/env bats
# The judge knows no lab: a second one, laid over a copy of the kit, is judged by the same judge.
#
# tiny-lab/ holds what a lab consists of, in the folders where it would lie, and a checks/labs.c that names both labs.

# What run sets, and LAB, are meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

load helpers

# The copy is built once for all tests here.
setup() {
    if [ ! -x "$BATS_FILE_TMPDIR/kit/build/lab" ]; then
        BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR new_tree
        rm "$TREE/build/lab"
        cp -R "$BATS_TEST_DIRNAME/tiny-lab/." "$TREE/"
        make -s -C "$TREE" build/lab build/tally/subject.o
    fi
    TREE=$BATS_FILE_TMPDIR/kit
    LAB=$TREE/build/lab
    TALLY=$TREE/solutions/tally/service.c
}

# new_changed_tally SED-SCRIPT: the tally's reference after a change; its path is $SERVICE.
new_changed_tally() {
    SERVICE=$BATS_TEST_TMPDIR/service.c
    sed "$1" "$TALLY" >"$SERVICE"
    ! cmp -s "$TALLY" "$SERVICE" || fail "The change found nothing to change: $1"
}

# compiled_objects TREE: those of judge, subject and grader, with the second they were made in (a copied tree has no more).
compiled_objects() {
    (cd "$1/build" && find kit/checks/judge kit/checks/grader kit/checks/base subject/checks/subject -name '*.o' \
        -printf '%p %T@\n' | sed 's/\.[0-9]*$//' | sort)
}

@test "a second lab changes no file of the judge, the subject or the grader, and none is compiled again" {
    for folder in judge subject grader base; do
        diff -r "$KIT/checks/$folder" "$TREE/checks/$folder" || fail "checks/$folder differs."
    done
    compiled_objects "$KIT" >"$BATS_TEST_TMPDIR/before"
    compiled_objects "$TREE" >"$BATS_TEST_TMPDIR/after"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/before")" -gt 10 ] || fail 'Expected to find the objects of the judge.'
    assert_same_text "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "the kit lists the second lab by name, and the first without a name" {
    run_lab 0 list --lab tally
    assert_equal '01 init, page labs/tally/01-init.md' "${lines[0]}"
    assert_output_has '  2.3  of two callers at once'
    run_lab 0 list
    assert_equal '01 init-db, page labs/idem-retention-lab/01-init-db.md' "${lines[0]}"
    run_lab 2 list --lab tall
    assert_stderr_has 'idem-retention-lab'
    assert_stderr_has 'tally'
}

@test "the second lab's reference holds every clause, of every kind" {
    run_check 0 --lab tally "$TALLY"
    assert_result '.lab == "tally" and .planned == 7 and .passed == 7'
    assert_result '[.stages[].clauses[].kind] | unique == ["craft", "numbered", "race", "random"]'
}

@test "the second lab's starter is todo in every clause" {
    run_check 1 --lab tally "$TREE/fixtures/tally/service.c"
    assert_stage 01 todo
    assert_stage 02 todo
}

@test "each mistake in a tally is caught by the clause that names it" {
    mistakes=(
        '2.1 s/total=total+excluded.total/total=excluded.total/'
        '2.2 s/path == NULL || name == NULL ||/path == NULL ||/'
        '2.C /sqlite3_finalize(stmt);/d'
        '2.R s/RETURNING total"/RETURNING total % 1000"/'
        '1.1 s/ IF NOT EXISTS//'
        '1.C 0,/sqlite3_close(db);/s///'
    )
    for mistake in "${mistakes[@]}"; do
        new_changed_tally "${mistake#* }"
        run_check 1 --lab tally "$SERVICE"
        assert_verdict "${mistake%% *}" fail crash
    done
}

@test "a tally that reads and writes without a transaction is caught by the race" {
    new_service service.c < <(
        sed '/^static bool add(/,/^}/d' "$TALLY" | sed '/^\/\* The item first/i\
static bool add(sqlite3 *db, const char *name, double amount, double *total)\
{\
    char *read = sqlite3_mprintf("SELECT total FROM tally WHERE name=%Q", name);\
    sqlite3_stmt *stmt = NULL;\
    bool ok = sqlite3_prepare_v2(db, read, -1, &stmt, NULL) == SQLITE_OK;\
    int step = ok ? sqlite3_step(stmt) : SQLITE_ERROR;\
    *total = amount + (step == SQLITE_ROW ? sqlite3_column_double(stmt, 0) : 0);\
    sqlite3_finalize(stmt);\
    char *write = sqlite3_mprintf("REPLACE INTO tally VALUES(%Q, %.17g)", name, *total);\
    ok = (step == SQLITE_ROW || step == SQLITE_DONE) && sqlite3_exec(db, write, NULL, NULL, NULL) == SQLITE_OK;\
    sqlite3_free(read);\
    sqlite3_free(write);\
    return ok;\
}\
'
    )
    run_check 1 --lab tally "$SERVICE"
    assert_verdict 2.1 pass
    assert_verdict 2.R pass
    assert_verdict 2.3 fail
}

@test "the first lab is judged as before beside the second" {
    run_check 0 --clause 2.2 "$REFERENCE"
    assert_result '.lab == "idem-retention-lab"'
    run_check 1 --clause 2.2 "$STARTER"
    assert_verdict 2.2 todo
}

@test "of a lab's words only its table shows, so that two labs may use the same" {
    for lab in tally idem-retention-lab; do
        names=$(nm -g --defined-only "$TREE/build/kit/$lab.o" | awk '{ print $3 }')
        [[ $names =~ ^[a-z]+_lab$ ]] || fail "Expected one name, the lab's table; observed: $names"
    done
}
