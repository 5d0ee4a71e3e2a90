#!/usr/bin/env bats
# The way through the lab: hints, watch, status, and the tools beside them: gdb, valgrind, clangd.

# What run and the new_... helpers set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers

# One copy of the kit for all tests here, with the reference as the learner's file.
setup() {
    [ -d "$BATS_FILE_TMPDIR/kit" ] || BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR new_tree
    TREE=$BATS_FILE_TMPDIR/kit
    WORK=$TREE/work/$LAB_NAME
    rm -rf "$TREE/work"
    mkdir -p "$WORK"
    cp "$REFERENCE" "$WORK/service.c"
    unset LAB_LANG LANGUAGE
    export LC_ALL=C.UTF-8
}

teardown() {
    [ -z "${WATCH-}" ] || kill "$WATCH" 2>/dev/null || true
}

# run_make STATUS TARGET...: make in the copy of the kit, as quietly as it can; nothing is typed.
run_make() {
    run "-$1" timeout -k 5 "$OUTER_LIMIT_S" make -s -C "$TREE" "${@:2}" </dev/null
}

# new_path_without COMMAND: a folder with every program of this machine but that one; its path is $BIN.
new_path_without() {
    BIN=$BATS_TEST_TMPDIR/without-$1
    mkdir "$BIN"
    ln -s /usr/bin/* "$BIN/"
    rm -f "$BIN/$1"
}

# new_wrong_service SED-SCRIPT: the learner's file is the reference after a change.
new_wrong_service() {
    new_changed_reference "$1"
    cp "$SERVICE" "$WORK/service.c"
}

# skip_without COMMAND: gdb, valgrind, clangd and entr are large or optional; nobody needs them to grade or learn.
skip_without() {
    command -v "$1" >/dev/null || skip "there is no $1 here"
}

# --- Hints -------------------------------------------------------------------------------------------------

@test "every stage has three hints, under the headings 1, 2 and 3, each of them short" {
    for stage in 01 02 03 04 05 06 07 08; do
        page=$PAGES/hints/$stage.md
        assert_equal '## 1,## 2,## 3' "$(grep '^## ' "$page" | paste -sd ,)"
        longest=$(awk '/^## /{ n = 0 } NF { n++ } n > most { most = n } END { print most }' "$page")
        [ "$longest" -le 22 ] || fail "$page has a hint of $longest lines."
        [ "$(wc -L <"$page")" -le 79 ] || fail "$page is wider than a screen."
    done
}

@test "make hint shows one hint after the other, and then where the solution is" {
    for n in 1 2 3; do
        run_make 0 hint STAGE=4
        assert_equal "Stage 04, hint $n of 3" "${lines[0]}"
        assert_output_has "$(awk -v n="## $n" '/^## /{ inside = $0 == n; next } inside && NF { print; exit }' \
            "$PAGES/hints/04.md")"
        [[ $n -eq 3 || $output == *'The next hint: make hint STAGE=04' ]] || fail 'Expected the way to the next hint.'
    done
    run_make 0 hint STAGE=04
    refute_output_has 'hint 3 of 3'
    [[ $output =~ 'The solution: idem_fetch in solutions/idem-retention-lab/service.c, line '([0-9]+) ]] ||
        fail 'Expected the place of the solution.'
    [[ $(sed -n "${BASH_REMATCH[1]}p" "$REFERENCE") == 'enum idem_status idem_fetch('* ]] ||
        fail "Expected idem_fetch in line ${BASH_REMATCH[1]} of the reference."
}

@test "AGAIN shows the hints that were shown, and no other; stages are counted apart" {
    run_make 0 hint STAGE=02
    run_make 0 hint STAGE=02
    run_make 0 hint STAGE=02 AGAIN=yes
    assert_output_has 'hint 1 of 3'
    assert_output_has 'hint 2 of 3'
    refute_output_has 'hint 3 of 3'
    run_make 0 hint STAGE=03
    assert_output_has 'hint 1 of 3'
}

@test "hints come in the language of LAB_LANG, then of the locale, where there are any, without comments" {
    mkdir -p "$TREE/labs/$LAB_NAME/xx/hints"
    printf '## 1\n\neins\n\n## 2\n\nzwei\n\n## 3\n\ndrei\n<!-- follows hints/05.md -->\n' \
        >"$TREE/labs/$LAB_NAME/xx/hints/05.md"
    run -0 env LAB_LANG=xx sh "$TREE/checks/hint.sh" 5
    assert_output_has eins
    run -0 env LC_ALL=xx_YY.UTF-8 sh "$TREE/checks/hint.sh" 5
    assert_output_has zwei
    run -0 env LC_ALL=C.UTF-8 LANGUAGE=xx:en sh "$TREE/checks/hint.sh" 5
    assert_output_has drei
    refute_output_has follows
    rm "$WORK/hints-05"
    run -0 env LC_ALL=C LANG=xx_YY sh "$TREE/checks/hint.sh" 5
    refute_output_has eins
    for language in yy ../xx 'x x'; do
        run -0 env LAB_LANG="$language" sh "$TREE/checks/hint.sh" --again 5
        assert_output_has 'a limit'
    done
}

@test "a hint for no stage, or for one that is not there, is refused in a sentence" {
    for stage in '' 9 09 x ../01; do
        run_make 2 hint STAGE="$stage"
        refute_output_has 'hint 1'
        assert_output_has 'stage'
    done
}

# --- Status ------------------------------------------------------------------------------------------------

@test "make status reads the stages from the service, whatever was said before" {
    cp "$STARTER" "$WORK/service.c"
    run_make 0 status
    assert_output_has '  01 init-db          not written yet'
    assert_output_has '0 of 8 stages hold. Next: 01 init-db; make check STAGE=01'
    cp "$REFERENCE" "$WORK/service.c"
    run_make 0 status
    assert_output_has '8 of 8 stages hold.'
    new_wrong_service 's/AND expires>?/AND expires>=?/'
    run_make 0 status
    [[ $output =~ '  04 fetch            does not hold: '[4.0-9CR,\ ]*4\.2 ]] || fail 'Expected 4.2 not to hold.'
    echo 'no C' >"$WORK/service.c"
    run_make 0 status
    assert_output_has 'does not compile'
    rm "$WORK/service.c"
    run_make 2 status
    assert_output_has 'make start'
}

@test "make status counts the predictions that were made, and those of the worksheet" {
    worksheet=$(grep -l '^Kind: worksheet' "$TREE/broken-variants/$LAB_NAME"/*.patch | head -1)
    run_make 0 status
    assert_output_has 'Variants predicted: 0; of the worksheet 0 of 8. Next: make predict'
    (cd "$TREE" && build/lab predict "$worksheet" --fails none >"$BATS_TEST_TMPDIR/predicted")
    run_make 0 status
    assert_output_has 'Variants predicted: 1; of the worksheet 1 of 8.'
}

@test "make status tries the tests that are named after a variant, and counts the others" {
    # The bats that a person starts, not the inner one of the bats that runs this.
    PATH=${PATH//"$BATS_LIBEXEC:"/}
    run_make 0 status
    assert_output_has 'No tests of your own yet'
    variant=$(basename "$(grep -l '^Kind: worksheet' "$TREE/broken-variants/$LAB_NAME"/02-*.patch)" .patch)
    cp "$PAGES/my-tests.bats" "$WORK/mine.bats"
    cp "$PAGES/my-tests.bats" "$WORK/$variant.bats"
    run_make 0 status
    assert_output_has "$variant is not caught yet: build/lab challenge"
    assert_output_has '1 file of tests without the name of a variant'
    # A line of this file that begins with @test would be a test of this file.
    sed 's/^it /@test /' >>"$WORK/$variant.bats" <<'TESTS'
it "a pending key stays as it is" {
    assert_answers true reserve k a1 10
    assert_answers false reserve k b2 20
}
TESTS
    run_make 0 status
    assert_output_has "$variant is caught by your tests"
}

# --- Watch -------------------------------------------------------------------------------------------------

# new_watch [VARIABLE=VALUE...]: `make watch` of stage 04 in the background; what it prints is in $SEEN.
new_watch() {
    SEEN=$BATS_TEST_TMPDIR/seen
    # In the background a shell ignores SIGINT for its children; env gives it back its meaning.
    env --default-signal=INT "$@" sh "$TREE/checks/watch.sh" 04 >"$SEEN" 2>&1 3>&- &
    WATCH=$!
}

# wait_for COUNT TEXT: until the watch has printed it that often.
wait_for() {
    SECONDS=0
    until [ "$(grep -cF -- "$2" "$SEEN")" -ge "$1" ]; do
        [ "$SECONDS" -lt 60 ] || fail "Waited in vain for '$2', $1 times, in: $(cat "$SEEN")"
        sleep 0.1
    done
}

# saved_by_rename SED-SCRIPT: as editors do that write a new file beside the old one.
save_by_rename() {
    sed "$1" "$REFERENCE" >"$WORK/service.c~"
    mv "$WORK/service.c~" "$WORK/service.c"
}

# assert_watches [VARIABLE=VALUE...]
assert_watches() {
    new_watch "$@"
    wait_for 1 'Waiting for the next save'
    wait_for 1 '4.2  pass'
    # Touched, and saved as it was: no new check.
    touch "$WORK/service.c"
    save_by_rename ''
    save_by_rename 's/AND expires>?/AND expires>=?/'
    wait_for 1 '4.2  FAIL'
    wait_for 2 'Waiting for the next save'
    assert_equal 2 "$(grep -c 'Waiting for the next save' "$SEEN")"
    # Away for a moment, then written in place.
    rm "$WORK/service.c"
    sleep 0.7
    cat "$REFERENCE" >"$WORK/service.c"
    wait_for 3 'Waiting for the next save'
    assert_equal 2 "$(grep -c '4.2  pass' "$SEEN")"
    kill -s INT "$WATCH"
    run -0 timeout 10 tail --pid="$WATCH" -f /dev/null
    run -0 wait "$WATCH"
}

@test "make watch checks again at each save, looking at the content twice a second, and ends at Ctrl-C" {
    new_path_without entr
    assert_watches PATH="$BIN"
}

@test "make watch does the same with entr" {
    skip_without entr
    assert_watches
}

@test "make watch leaves nothing running" {
    new_watch
    wait_for 1 'Waiting for the next save'
    kill -s TERM "$WATCH"
    run -0 timeout 10 tail --pid="$WATCH" -f /dev/null
    # Whatever it has started has its folder as the working folder, or the file on its command line.
    sleep 0.2
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd")" != "$TREE" ] || fail "Still running: $(tr '\0' ' ' <"$process/cmdline")"
    done
}

@test "make watch for a stage that is not there, or without a service, is refused in a sentence" {
    run_make 2 watch STAGE=9
    assert_output_has 'There is no stage 09.'
    rm "$WORK/service.c"
    run_make 2 watch
    assert_output_has 'make start'
}

# --- gdb, valgrind, clangd ---------------------------------------------------------------------------------

@test "without gdb or valgrind make debug and make valgrind say so in a sentence, with status 3" {
    make -s -C "$TREE" idem
    for tool in gdb valgrind; do
        new_path_without "$tool"
        script=$tool argument=04
        [ "$tool" = valgrind ] || { script=debug && argument=4.2; }
        run -3 env PATH="$BIN" sh "$TREE/checks/$script.sh" "$argument"
        assert_equal "There is no $tool here; as root, apt-get install $tool brings it." "$output"
    done
}

@test "make debug shows the failure and stops in the function of the call that breaks the clause" {
    skip_without gdb
    new_wrong_service 's/AND expires>?/AND expires>=?/'
    make -s -C "$TREE" idem
    run -0 timeout -k 5 "$OUTER_LIMIT_S" make -s -C "$TREE" debug CLAUSE=4.2 SEED=3 < <(printf 'print now\nquit\n')
    assert_output_has '4.2 at now == expires it gives nothing'
    assert_output_has 'Breakpoint 1, idem_fetch ('
    # The time of the call is that of the row, which lies in the database as the steps left it.
    [[ $output =~ \$1\ =\ (-?[0-9.e+]+) ]] || fail 'Expected the value of now.'
    expires=$(sqlite3 "$WORK/debug.db" "SELECT expires FROM keys WHERE status='done' ORDER BY rowid DESC LIMIT 1")
    awk -v now="${BASH_REMATCH[1]}" -v expires="$expires" 'BEGIN { exit !(now == expires) }' ||
        fail "Expected now to be $expires; observed ${BASH_REMATCH[1]}."
}

@test "make debug makes the calls before the last one, too" {
    skip_without gdb
    new_wrong_service "s/ AND status='pending'\"/\"/"
    run -0 timeout -k 5 "$OUTER_LIMIT_S" make -s -C "$TREE" debug CLAUSE=3.4 SEED=5 < <(printf 'finish\nquit\n')
    assert_output_has 'Breakpoint 1, idem_finish ('
    run -0 sqlite3 "$WORK/debug.db" "SELECT count(*) > 0 FROM keys WHERE status='done'"
    assert_equal 1 "$output"
}

@test "make debug says so when the clause holds, is not written yet, or has no call for the command line" {
    skip_without gdb
    run_make 0 debug CLAUSE=4.2
    assert_output_has 'Clause 4.2 holds'
    run_make 2 debug CLAUSE=4.99
    assert_output_has 'There is no clause'
    run_make 2 debug
    assert_output_has 'make debug CLAUSE=4.2'
    new_wrong_service 's/key == NULL || response == NULL/response == NULL/'
    run_make 2 debug CLAUSE=4.10
    assert_output_has 'The last step cannot be made from the command line'
    cp "$STARTER" "$WORK/service.c"
    run_make 2 debug CLAUSE=4.2
    refute_output_has 'Breakpoint'
}

@test "make valgrind finds nothing in the reference, and names the line of a leak" {
    skip_without valgrind
    run_make 0 valgrind STAGE=1
    assert_output_has 'Stage 01: 4 calls under valgrind, nothing found.'
    new_wrong_service '/cJSON_Delete(value);/d'
    run_make 2 valgrind STAGE=03
    assert_output_has 'definitely lost'
    line=$(grep -n 'cJSON \*value = parse_json' "$WORK/service.c" | cut -d: -f1)
    assert_output_has "idem_finish (service.c:$line)"
    grep -q 'cJSON_' "$WORK/valgrind.txt" || fail 'Expected all of the stack in valgrind.txt.'
    run_make 2 valgrind STAGE=09
    assert_output_has 'There is no stage 09.'
}

@test "clangd finds its flags for a file under work/, and no error in it" {
    skip_without clangd
    cd "$TREE"
    run -0 timeout -k 5 "$OUTER_LIMIT_S" clangd --check="work/$LAB_NAME/service.c"
    assert_output_has "Loaded compilation database from $TREE/checks/compile_flags.txt"
    assert_output_has 'All checks completed, 0 errors'
}
