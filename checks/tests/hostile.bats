#!/usr/bin/env bats
# Submissions that attack, graded beside honest ones: fixtures/*/submissions/hostile. What each must get stands
# in its head, on the line `Required:`; the README there says how to read it.
#
# The grading runs in a process namespace of its own: what is still there when it has ended can be nothing but
# a submission's. It runs from a copy of the kit, which nobody else writes to. Nothing here runs a hostile
# program by itself.

load helpers

# These do nothing but use up all the time they are given: they are graded apart, and given little, twice what the reference
# took beside the others.
SLOW='answer-without-end compile-bomb-constant compile-bomb-include compile-bomb-macros endless-cjson
    limits-and-priority memory-bomb memory-searched-for-answers output-bomb parent-stopped signals-ignored
    slow-in-every-call fork-bomb thread-bomb'

# A word that stands in files which no submission may see, and so in no report.
SECRET=canary-3f9c27

setup_file() {
    export CLASS=$BATS_FILE_TMPDIR/class HONEST=$BATS_FILE_TMPDIR/honest OUT=$BATS_FILE_TMPDIR/out
    export SLOW_CLASS=$BATS_FILE_TMPDIR/slow-class SLOW_OUT=$BATS_FILE_TMPDIR/slow-out
    export TREE CANARY
    local budget_s
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR new_tree
    new_classes
    # Where everybody may go and write, were it not for the sandbox.
    CANARY=$(mktemp -d)
    printf '%s\n' "$SECRET" | tee "$CANARY/bait" "$TREE/solutions/secret.c" >"$TREE/checks/secret.h"
    chmod -R a+rwX "$CANARY"
    checksums >"$BATS_FILE_TMPDIR/before"
    # More at a time than there are processors: most of what these do is to keep the judge waiting.
    grade_alone "$CLASS" "$OUT" --jobs 4
    budget_s=$(sqlite3 "$OUT/gradebook.sqlite" \
        "SELECT CAST(2 + took_ms * 2 / 1000 AS INTEGER) FROM times WHERE name = 'zuletzt'")
    grade_alone "$SLOW_CLASS" "$SLOW_OUT" --budget "$budget_s" --jobs 4
    checksums >"$BATS_FILE_TMPDIR/after"
}

teardown_file() {
    rm -rf "$CANARY"
}

# new_classes: $HONEST, and $CLASS, where the same stand among the hostile ones.
new_classes() {
    local samples=$KIT/fixtures/$LAB_NAME/submissions folder
    mkdir "$CLASS" "$SLOW_CLASS" "$HONEST"
    for folder in good/wal partial/two-small-slips; do
        cp -r "$samples/$folder" "$HONEST/honest-${folder#*/}"
    done
    cp "$REFERENCE" "$HONEST/zuletzt.c"
    cp -r "$HONEST/." "$CLASS"
    for folder in "$samples"/hostile/*/; do
        case " ${SLOW//$'\n'/ } " in
        *" $(basename "$folder") "*)
            cp -r "$folder" "$SLOW_CLASS/$(basename "$folder")"
            ;;
        *) cp -r "$folder" "$CLASS/$(basename "$folder")" ;;
        esac
    done
}

# checksums: of all that a submission must not touch.
checksums() {
    find "$TREE" "$CANARY" "$CLASS" "$SLOW_CLASS" \( -type f -o -type l -o -type p \) -exec sha256sum {} + | sort -k 2
}

# grade_alone CLASS OUT OPTIONS...: in a process namespace of its own. What is said goes to the file `said`,
# what still runs afterwards to the file `left`.
grade_alone() {
    local own=(unshare --fork --pid --mount-proc)
    [ "$(id -u)" = 0 ] || own+=(--user --map-current-user)
    # shellcheck disable=SC2016 # for the inner shell
    timeout -k 5 900 "${own[@]}" bash -c '
        left=$1
        shift
        "$@"
        status=$?
        for process in /proc/[0-9]*; do
            [ "${process#/proc/}" = $$ ] || tr "\0" " " <"$process/cmdline" 2>/dev/null
        done >>"$left"
        exit $status' bash "$BATS_FILE_TMPDIR/left" \
        "$TREE/build/lab" grade "$1" --out "$2" --seed 4711 "${@:3}" >>"$BATS_FILE_TMPDIR/said" 2>&1 ||
        cat "$BATS_FILE_TMPDIR/said" >&2
}

# ask SQL: of both gradebooks.
ask() {
    sqlite3 "$OUT/gradebook.sqlite" "$1"
    sqlite3 "$SLOW_OUT/gradebook.sqlite" "$1"
}

# contents OUT NAMES: what is booked of these submissions (a list in SQL): marks, stages, verdicts and why. Not what they printed
# and not what a clock measured: some of them race with themselves on purpose.
contents() {
    local table
    for table in submissions stages verdicts; do
        sqlite3 "$1/gradebook.sqlite" "SELECT * FROM $table WHERE name IN ($2)"
    done
}

# names CLASS: of its submissions, as a list in SQL.
names() {
    (cd "$1" && printf "'%s'," * | sed "s/\.c'/'/g; s/,$//")
}

# requirement NAME: the machine-readable line of its head.
requirement() {
    sed -n '/^ \* Required: */{s///p;q}' "$KIT/fixtures/$LAB_NAME/submissions/hostile/$1/service.c"
}

# sql_list WORDS: as 'a', 'b'.
sql_list() {
    printf "'%s'," "$@" | sed 's/,$//'
}

# unmet NAME: the clauses whose verdicts are not as the head requires.
unmet() {
    local required wrong words
    required=$(requirement "$1")
    read -ra words <<<"$required"
    case $required in
    'no clause') wrong="verdict = 'pass'" ;;
    build | todo) wrong="verdict <> '$required'" ;;
    'build or todo') wrong="verdict NOT IN ('build', 'todo')" ;;
    not\ *) wrong="verdict = 'pass' AND clause IN ($(sql_list "${words[@]:1}"))" ;;
    only\ *) wrong="verdict = 'pass' AND clause NOT IN ($(sql_list "${words[@]:1}"))" ;;
    *) wrong=true ;; # nothing that this test could read
    esac
    ask "SELECT '$1 must be: $required; ' || clause || ' is ' || verdict FROM verdicts
        WHERE name = '$1' AND ($wrong) ORDER BY position"
}

@test "there are at least thirty submissions that attack, and sixty in the sample class" {
    local samples=$KIT/fixtures/$LAB_NAME/submissions
    [ "$(find "$samples/hostile" -mindepth 1 -maxdepth 1 -type d -printf x | wc -c)" -ge 30 ]
    [ "$(find "$samples" -mindepth 2 -maxdepth 2 -type d -printf x | wc -c)" -ge 60 ]
}

@test "every submission that attacks is graded, and none is an error of the kit" {
    output=$(cat "$BATS_FILE_TMPDIR/said")
    for class in "$CLASS" "$SLOW_CLASS"; do
        assert_output_has "$(find "$class" -mindepth 1 -maxdepth 1 -printf x | wc -c) graded, 0 refused, 0 not"
    done
    assert_equal '' "$(ask "SELECT name, clause, detail FROM verdicts WHERE verdict = 'error'")"
}

@test "no submission that attacks holds a clause that it has not earned" {
    local folder
    for folder in "$KIT/fixtures/$LAB_NAME/submissions/hostile"/*/; do
        unmet "$(basename "$folder")"
    done >"$BATS_TEST_TMPDIR/unmet"
    assert_equal '' "$(cat "$BATS_TEST_TMPDIR/unmet")"
}

@test "honest submissions beside those that attack get what they get alone" {
    run_lab 0 grade "$HONEST" --out "$BATS_TEST_TMPDIR/out" --seed 4711
    assert_same_text <(contents "$BATS_TEST_TMPDIR/out" "$(names "$HONEST")") \
        <(contents "$OUT" "$(names "$HONEST")")
    assert_equal 100.0 "$(ask "SELECT points FROM submissions WHERE name = 'zuletzt'")"
}

@test "nothing of a submission still runs when the grading has ended" {
    assert_equal '' "$(cat "$BATS_FILE_TMPDIR/left")"
}

@test "nothing outside its folder is touched by a submission, and nothing of it stands in a report" {
    assert_same_text "$BATS_FILE_TMPDIR/before" "$BATS_FILE_TMPDIR/after"
    run -1 grep -rlF -e "$SECRET" -e "$(head -n 1 /etc/passwd)" "$OUT" "$SLOW_OUT"
}

@test "reports stay valid under what these submissions print" {
    for file in {"$OUT","$SLOW_OUT"}/junit/*.xml; do xmllint --noout "$file"; done
    for file in {"$OUT","$SLOW_OUT"}/gradescope/*.json; do jq -e '.score >= 0' "$file" >/dev/null; done
    run -1 grep -rlP '[\x00-\x08\x0b-\x1f\x7f]' "$OUT" "$SLOW_OUT" --include=*.csv --include=*.txt --include=*.html \
        --include=*.xml --include=*.tap --include=*.json
}

# --- Again, in other ways ----------------------------------------------------------------------------------

# new_few: a class of some that attack and some that are honest; its path is $FEW.
new_few() {
    local name
    FEW=$BATS_TEST_TMPDIR/few
    cp -r "$HONEST" "$FEW"
    for name in constant-true cyclic-cjson disk-bomb forged-answers-on-fd3 parent-killed \
        exit-0-in-constructor own-main symlink-for-the-database; do
        cp -r "$CLASS/$name" "$FEW"
    done
}

@test "one job and another order give the same gradebook" {
    local out=$BATS_TEST_TMPDIR/out late=$BATS_TEST_TMPDIR/late
    new_few
    mkdir "$late"
    mv "$FEW"/[a-f]* "$late" # handed in after the others were graded
    run_lab 0 grade "$FEW" --out "$out" --seed 4711 --jobs 1
    mv "$late"/* "$FEW"
    run_lab 0 grade "$FEW" --out "$out" --seed 4711 --jobs 1
    assert_same_text <(contents "$OUT" "$(names "$FEW")") <(contents "$out" "$(names "$FEW")")
}

# booked BOOK: how many submissions it has; 0 while there is none.
booked() {
    sqlite3 -readonly "$1" 'PRAGMA busy_timeout = 5000' 'SELECT count(*) FROM submissions' 2>/dev/null | tail -n 1
}

# grade_until COUNT OUT: grades $FEW until so many are booked, and kills the grader then.
grade_until() {
    local lab ended=0
    "$LAB" grade "$FEW" --out "$2" --seed 4711 --jobs 2 >/dev/null 2>&1 3>&- &
    lab=$!
    while kill -0 "$lab" 2>/dev/null && [ "$(booked "$2/gradebook.sqlite")0" -lt "${1}0" ]; do
        continue
    done
    kill -s KILL "$lab" 2>/dev/null || true
    wait "$lab" || ended=$?
    assert_equal 137 "$ended"
}

@test "a grading that is killed after any number of submissions ends as if nothing had happened" {
    local out=$BATS_TEST_TMPDIR/out count=0
    new_few
    RANDOM=20
    for _ in 1 2 3; do
        count=$((count + 1 + RANDOM % 3))
        grade_until "$count" "$out"
    done
    run_lab 0 grade "$FEW" --out "$out" --seed 4711 --jobs 2
    assert_same_text <(contents "$OUT" "$(names "$FEW")") <(contents "$out" "$(names "$FEW")")
    assert_equal 1 "$(sqlite3 "$out/gradebook.sqlite" 'SELECT count(*) FROM runs')"
}
