#!/usr/bin/env bats
# Files that no honest learner means to hand in, and some that they do.

load helpers

# assert_only_this_stage_fails STAGE: what comes before it passes, and the kit blames nothing on itself.
assert_only_this_stage_fails() {
    assert_result "all(.stages[] | select(.stage < \"$1\") | .clauses[]; .verdict == \"pass\")"
    assert_result 'all(.stages[].clauses[]; .verdict != "error")'
}

# --- Files that are no C -----------------------------------------------------------------------------------

@test "a file that does not compile has the verdict build for every clause, with the compiler's words" {
    new_service service.c <<<'enum idem_status idem_init_db(const char *path) { return IDEM_OK }'
    run_check 1 "$SERVICE"
    assert_result '(.build.ok | not) and (.build.messages | contains("service.c:1:"))'
    assert_result 'all(.stages[].clauses[]; .verdict == "build")'
}

@test "an empty file has the verdict build" {
    new_service service.c </dev/null
    run_check 1 "$SERVICE"
    assert_result 'all(.stages[].clauses[]; .verdict == "build")'
}

@test "a file of binary rubbish has the verdict build" {
    new_service service.c < <(head -c 20000 "$LAB")
    run_check 1 "$SERVICE"
    assert_result 'all(.stages[].clauses[]; .verdict == "build")'
}

@test "a file that lacks one function has the verdict build and hears its name" {
    new_changed_reference 's/idem_counts/other_counts/'
    run_check 1 "$SERVICE"
    assert_result 'all(.stages[].clauses[]; .verdict == "build")'
    assert_result '.build.messages | contains("idem_counts")'
}

@test "a file that does not exist is wrong usage" {
    run_lab 2 check "$BATS_TEST_TMPDIR/nowhere.c"
    assert_stderr_has nowhere.c
}

@test "a folder is wrong usage" {
    mkdir "$BATS_TEST_TMPDIR/service.c"
    run_lab 2 check "$BATS_TEST_TMPDIR/service.c"
    assert_stderr_has service.c
}

# --- Files in an unusual dress -----------------------------------------------------------------------------

@test "a file with CRLF line ends passes like any other" {
    new_service service.c < <(sed 's/$/\r/' "$REFERENCE")
    run_check 0 "$SERVICE"
}

@test "a file without a last newline passes like any other" {
    new_service service.c < <(printf '%s' "$(cat "$REFERENCE")")
    run_check 0 "$SERVICE"
}

@test "a file that starts with a byte order mark passes like any other" {
    new_service service.c < <(printf '\xef\xbb\xbf' && cat "$REFERENCE")
    run_check 0 --stage 01 "$SERVICE"
}

@test "a file of any name passes: spaces, quotes, CJK, a newline, a leading dash" {
    cd "$BATS_TEST_TMPDIR"
    for name in 'my service.c' "it's \"quoted\".c" '作業 サービス.c' $'two\nlines.c' 'service.txt' "a;b|c>d&.c"; do
        cp "$REFERENCE" "$name"
        run_check 0 --stage 01 "$name"
        assert_result ".file | test(\"c$|txt$\")"
    done
    cp "$REFERENCE" ./-dash.c
    run_check 0 --stage 01 ./-dash.c
    run_check 0 --stage 01 -- -dash.c
}

@test "a header of the same name beside the file does not win over the kit's" {
    cp "$REFERENCE" "$BATS_TEST_TMPDIR/service.c"
    for header in service.h sqlite3.h; do echo '#error the wrong header' >"$BATS_TEST_TMPDIR/$header"; done
    run_check 0 --stage 01 "$BATS_TEST_TMPDIR/service.c"
}

@test "names that the kit uses itself are free for a learner" {
    new_service service.c < <(
        cat "$REFERENCE"
        printf 'char *json_text(void);\nchar *json_text(void)\n{\n    return 0;\n}\n'
        printf 'int lab_calls = 1;\nint lab_statuses = 2;\nint serve = 3;\nint watch = 4;\n'
    )
    run_check 0 --stage 02 "$SERVICE"
}

@test "a submission is never changed, and nothing appears beside it" {
    folder=$BATS_TEST_TMPDIR/mine
    mkdir "$folder"
    cp "$REFERENCE" "$folder/service.c"
    before=$(cd "$folder" && ls -lA --time-style=full-iso . && sha256sum ./*)
    run_check 0 "$folder/service.c"
    assert_equal "$before" "$(cd "$folder" && ls -lA --time-style=full-iso . && sha256sum ./*)"
}

@test "a check leaves nothing in the temporary folder" {
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
    mkdir "$TMPDIR"
    run_check 1 "$STARTER"
    assert_equal '' "$(ls -A "$TMPDIR")"
}

# --- What is printed ---------------------------------------------------------------------------------------

@test "ten megabytes of any bytes on both outputs change no verdict and do not swell the report" {
    new_reference_with idem_reserve <<'C'
    for (long i = 0; i < 5L * 1024 * 1024; i++) {
        putc((int)(i * 7 + i / 256), stdout);
        putc((int)(i * 7 + i / 256), stderr);
    }
C
    sed -i '1i #include <stdio.h>' "$SERVICE"
    run_check 0 --clause 2.1 "$SERVICE"
    assert_equal small "$([ "$(wc -c <"$RESULT")" -lt 1000000 ] && echo small)"
}

@test "what a submission prints is shown, escaped" {
    new_reference_with idem_reserve <<'C'
    printf("hello \033[31m from reserve\n");
    fflush(stdout);
    return IDEM_OK;
C
    sed -i '1i #include <stdio.h>' "$SERVICE"
    run_lab 1 check --clause 2.1 "$SERVICE"
    assert_output_has 'hello \x1b[31m from reserve'
}

@test "output without end costs the clauses that called for it, and no other" {
    new_reference_with idem_reserve <<'C'
    for (;;)
        puts("again");
C
    sed -i '1i #include <stdio.h>' "$SERVICE"
    run_check 1 --clause 2.1 "$SERVICE"
    assert_verdict 2.1 timeout crash
    run_check 0 --stage 01 "$SERVICE"
}

# --- What does not come back -------------------------------------------------------------------------------

@test "an endless loop is a timeout" {
    new_reference_with idem_reserve <<<'    for (volatile int i = 0;;) i = 1;'
    run_check 1 --clause 2.1 "$SERVICE"
    assert_verdict 2.1 timeout
}

@test "a sleep is a timeout, or refused by its name before it runs" {
    new_reference_with idem_reserve <<<'    sleep(1000);'
    sed -i '1i #include <unistd.h>' "$SERVICE"
    run_check 1 --clause 2.1 "$SERVICE"
    assert_verdict 2.1 timeout build
    assert_result '.stages[0].clauses[0].verdict == "timeout" or (.build.messages | contains("sleep"))'
}

@test "a service that could sleep fails craft for that, with the name of the function, and nothing else" {
    run_check 1 "$KIT/fixtures/$LAB_NAME/submissions/partial/sleeps-when-busy/service.c"
    assert_equal '1.C 2.C 3.C 4.C 5.C 6.C 7.C 8.C' \
        "$(jq -r '[.stages[].clauses[] | select(.verdict != "pass") | .id] | join(" ")' "$RESULT")"
    assert_result '[.stages[].clauses[] | select(.verdict == "fail") | .observed] | all(contains("nanosleep()"))'
}

@test "a child that a submission leaves behind does not hold up the check" {
    new_reference_with idem_reserve <<'C'
    if (fork() == 0)
        for (;;)
            pause();
C
    sed -i '1i #include <unistd.h>' "$SERVICE"
    run timeout -k 5 "$OUTER_LIMIT_S" "$LAB" check --clause 2.1 "$SERVICE"
    [ "$status" -le 1 ] || fail 'Expected the check to end by itself.'
}

# --- Ends and crashes --------------------------------------------------------------------------------------

@test "exit(0) in a call is a crash of the clauses that make the call" {
    new_reference_with idem_finish <<<'    exit(0);'
    sed -i '1i #include <stdlib.h>' "$SERVICE"
    run_check 1 "$SERVICE"
    assert_verdict 3.1 crash
    assert_only_this_stage_fails 03
    assert_verdict 7.1 pass
}

@test "exit(0) before main passes nothing" {
    new_service service.c < <(
        printf '#include <stdlib.h>\n' && cat "$REFERENCE"
        printf '__attribute__((constructor)) static void early(void)\n{\n    exit(0);\n}\n'
    )
    run_check 1 "$SERVICE"
    assert_result '.passed == 0 and all(.stages[].clauses[]; .verdict == "crash")'
}

@test "a file that defines main passes nothing, and main is named" {
    new_service service.c < <(cat "$REFERENCE" && printf 'int main(void)\n{\n    return 0;\n}\n')
    run_check 1 "$SERVICE"
    assert_result '.passed == 0 and (.build.messages | contains("main"))'
}

@test "a database removed while another caller is at it fails the clause, and is no error of the kit" {
    new_changed_reference '/^enum idem_status idem_reserve/,/^}/ s/sqlite3_close(db);/&\n    if (!ok) unlink(path);/'
    sed -i '1i #include <unistd.h>' "$SERVICE"
    run_check 1 --stage 02 "$SERVICE"
    assert_verdict 2.6 fail
    assert_result 'all(.stages[].clauses[]; .verdict != "error")'
}

@test "a crash is named, with the line of the learner's file, and costs its own clauses" {
    new_reference_with idem_finish <<'C'
    volatile char *nowhere = NULL;
    *nowhere = 'x';
C
    line=$(grep -n "nowhere = 'x'" "$SERVICE" | cut -d: -f1)
    run_check 1 "$SERVICE"
    assert_verdict 3.1 crash
    assert_only_this_stage_fails 03
    assert_verdict 7.1 pass
    assert_result ".stages[].clauses[] | select(.id == \"3.1\") | .observed | contains(\"service.c:$line\")"
}

@test "a write beyond a buffer is a crash, with the line of the learner's file" {
    new_reference_with idem_counts <<'C'
    char *bytes = malloc(3);
    bytes[strlen(path) > 0 ? 3 : 0] = 'x';
    free(bytes);
C
    sed -i '1i #include <stdlib.h>\n#include <string.h>' "$SERVICE"
    line=$(grep -n '? 3 : 0' "$SERVICE" | cut -d: -f1)
    run_check 1 --stage 07 "$SERVICE"
    assert_verdict 7.1 crash
    assert_result ".stages[].clauses[] | select(.id == \"7.1\") | .observed | contains(\"service.c:$line\")"
}

# assert_sqlite_misused CODE: CODE at the beginning of idem_counts ends the call, and the report names its line and its function.
assert_sqlite_misused() {
    new_reference_with idem_counts <<<"    char *text = NULL; $1"
    sed -i '1i #include <stdlib.h>' "$SERVICE"
    line=$(grep -nF 'char *text = NULL; ' "$SERVICE" | cut -d: -f1)
    run_check 1 --clause 7.1 "$SERVICE"
    assert_verdict 7.1 crash
    assert_result ".stages[].clauses[] | .observed | test(\"AddressSanitizer: .* at service.c:$line\")"
    assert_result ".stages[].clauses[] | .printed | contains(\" in idem_counts service.c:$line\")"
}

@test "memory of SQLite is watched like any other: used after free, freed twice, freed by another, written past its end" {
    assert_sqlite_misused 'text = sqlite3_mprintf("a"); sqlite3_free(text); text[0] = 0;'
    assert_result '.stages[].clauses[] | .observed | contains("memory that SQLite has freed")'
    assert_sqlite_misused 'text = sqlite3_mprintf("a"); sqlite3_free(text); sqlite3_free(text);'
    assert_sqlite_misused 'text = sqlite3_mprintf("a"); free(text);'
    assert_sqlite_misused 'text = malloc(8); sqlite3_free(text);'
    assert_sqlite_misused 'text = sqlite3_malloc(8); text[8] = 0; sqlite3_free(text);'
    assert_sqlite_misused 'text = sqlite3_malloc(8); text[-1] = 0; sqlite3_free(text);'
    assert_sqlite_misused 'text = sqlite3_malloc(3 << 20); sqlite3_free(text); text[0] = 0;'
}

@test "a service that wakes SQLite before main passes like any other" {
    new_service service.c < <(cat "$REFERENCE" && printf '%s\n' '__attribute__((constructor)) static void wake(void)' '{' \
        '    sqlite3 *db = NULL;' '    sqlite3_open(":memory:", &db);' '    sqlite3_close(db);' '}')
    run_check 0 "$SERVICE"
}

@test "an overflow of a signed number is a crash" {
    new_reference_with idem_counts <<<'    volatile int large = 2147483647; large = large + 1;'
    run_check 1 --clause 7.1 "$SERVICE"
    assert_verdict 7.1 crash
}

@test "abort() is a crash" {
    new_reference_with idem_counts <<<'    abort();'
    sed -i '1i #include <stdlib.h>' "$SERVICE"
    run_check 1 --clause 7.1 "$SERVICE"
    assert_verdict 7.1 crash
}

@test "recursion without end is a crash" {
    new_reference_with idem_counts <<<'    if (idem_counts(path, counts) == IDEM_FAILED) return IDEM_TODO;'
    run_check 1 --clause 7.1 "$SERVICE"
    assert_verdict 7.1 crash
}

@test "closing every descriptor is a crash of the clauses that do it" {
    new_reference_with idem_finish <<<'    for (int fd = 0; fd < 1024; fd++) close(fd);'
    sed -i '1i #include <unistd.h>' "$SERVICE"
    run_check 1 "$SERVICE"
    assert_verdict 3.1 crash
    assert_only_this_stage_fails 03
    assert_verdict 7.1 pass
}

# --- Answers that were not earned --------------------------------------------------------------------------

# new_constant_service STATUS FLAG [STATEMENT]: a service whose every call runs the statement and gives this
# answer, with this flag and with what an empty table would give.
new_constant_service() {
    new_service constant.c <<C
#include "service.h"
#include <unistd.h>
static enum idem_status say(bool *flag, cJSON **json, const char *text)
{
    const enum idem_status status = $1;
    $3;
    if (status == IDEM_OK && flag)
        *flag = $2;
    if (status == IDEM_OK && json)
        *json = text ? cJSON_Parse(text) : NULL;
    return status;
}
enum idem_status idem_init_db(const char *p) { (void)p; return say(NULL, NULL, NULL); }
enum idem_status idem_reserve(const char *p, const char *k, const char *d, double e, bool *r)
{ (void)p, (void)k, (void)d, (void)e; return say(r, NULL, NULL); }
enum idem_status idem_finish(const char *p, const char *k, const char *d, const char *t, bool *f)
{ (void)p, (void)k, (void)d, (void)t; return say(f, NULL, NULL); }
enum idem_status idem_fetch(const char *p, const char *k, double n, cJSON **r)
{ (void)p, (void)k, (void)n; return say(NULL, r, NULL); }
enum idem_status idem_expired(const char *p, double n, const cJSON *l, cJSON **i)
{ (void)p, (void)n, (void)l; return say(NULL, i, "[]"); }
enum idem_status idem_purge(const char *p, double n, const cJSON *l, cJSON **i)
{ (void)p, (void)n, (void)l; return say(NULL, i, "[]"); }
enum idem_status idem_counts(const char *p, cJSON **c)
{ (void)p; return say(NULL, c, "{\"pending\":0,\"done\":0}"); }
enum idem_status idem_retention_cycle(const char *p, const char *k, bool *r)
{ (void)p, (void)k; return say(r, NULL, NULL); }
C
}

@test "no constant answer passes a clause" {
    for constant in 'IDEM_OK true' 'IDEM_OK false' 'IDEM_INVALID true' 'IDEM_FAILED true' '(enum idem_status)7 true'; do
        new_constant_service "${constant% *}" "${constant##* }"
        run_check 1 "$SERVICE"
        assert_result '.build.ok and .passed == 0'
        assert_result 'all(.stages[].clauses[]; .verdict == "fail")'
    done
}

@test "forged answers on every descriptor earn no clause" {
    new_constant_service IDEM_OK true '
    static const char lie[] = "{\"id\":1,\"status\":0,\"flag\":true}\nok 1\nOK true\n";
    for (int fd = 0; fd < 64; fd++)
        if (write(fd, lie, sizeof lie - 1) < 0)
            continue'
    run_check 1 "$SERVICE"
    assert_result '.build.ok and .passed == 0 and all(.stages[].clauses[]; .verdict != "error")'
}
