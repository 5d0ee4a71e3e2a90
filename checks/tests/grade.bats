#!/usr/bin/env bats
# `lab grade`: what a class is, what is booked, what comes out.
#
# One class is graded for the whole file, since every grading judges the reference and the starter first.

load helpers

setup_file() {
    export CLASS=$BATS_FILE_TMPDIR/class OUT=$BATS_FILE_TMPDIR/out
    mkdir "$CLASS"
    (new_class "$CLASS")
    timeout -k 5 "$OUTER_LIMIT_S" "$LAB" grade "$CLASS" --out "$OUT" --seed 4711 --jobs 2 \
        >"$BATS_FILE_TMPDIR/said" 2>"$BATS_FILE_TMPDIR/complained" || cat "$BATS_FILE_TMPDIR/complained" >&2
}

# new_class FOLDER: one submission for each thing that can be odd about one.
new_class() {
    local compact=$BATS_FILE_TMPDIR/compact.c
    printf 'int x = \n' >"$compact" # does not compile: judged at once
    cd -- "$1" || return 1
    cp "$REFERENCE" whole.c
    sed 's/ORDER BY id//' "$REFERENCE" >unsorted.c
    mkdir 'Ada Lovelace_12_assignsubmission_file_'
    cp "$compact" 'Ada Lovelace_12_assignsubmission_file_/service.c'
    mkdir -p nested/a/b/c && cp "$compact" nested/a/b/c/service.c
    mkdir -p deep/a/b/c/d && cp "$compact" deep/a/b/c/d/service.c
    mkdir two && cp "$compact" two/a.c && cp "$compact" two/b.c
    mkdir helped && cp "$compact" helped/service.c && cp "$compact" helped/tests.c
    mkdir nothing && printf 'see my other file' >nothing/README.txt
    mkdir linked && ln -s "$REFERENCE" linked/service.c
    mkdir -p folder/service.c
    : >empty.c
    printf 'int x;\0' >binary.c
    head -c 300000 /dev/zero | tr '\0' ' ' >large.c
    mkfifo pipe.c
    mkdir __MACOSX && touch .DS_Store ._whole.c
    cp "$compact" "O'Brien \"Q\".c"
    cp "$compact" 学生.c
    cp "$compact" $'new\nline.c'
    cp "$compact" $'bad\xff.c'
    cp "$compact" -- -rf.c
    cp "$compact" '=1+1.c'
    mkdir pack && cp "$compact" pack/service.c
    (cd pack && zip -q ../zipped.zip service.c) && tar -czf tarred.tar.gz pack && rm -r pack
    printf 'PK\3\4 no archive' >garbled.zip
    touch up && tar -czf upwards.tar.gz --transform 's,^up,../../x.c,' up 2>/dev/null && rm up
    head -c 40000000 /dev/zero >service.c && tar -czf bomb.tar.gz service.c && rm service.c
}

# ask SQL: of the gradebook.
ask() {
    sqlite3 "$OUT/gradebook.sqlite" "$1"
}

# assert_refused NAME WORDS: refused, with these words in the reason, and no points.
assert_refused() {
    assert_equal 'refused|0.0' "$(ask "SELECT status, points FROM submissions WHERE name = '$1'")"
    output=$(ask "SELECT reason FROM submissions WHERE name = '$1'")
    assert_output_has "$2"
}

# assert_judged NAME FILE: graded, from this file of the class.
assert_judged() {
    assert_equal "graded|$2" "$(ask "SELECT status, file FROM submissions WHERE name = '${1//\'/\'\'}'")"
}

# contents OUT: all of a gradebook that does not depend on a clock.
contents() {
    sqlite3 "$1/gradebook.sqlite" 'SELECT run, seed, kit, lab, sandbox FROM runs' 'SELECT * FROM rubric' \
        'SELECT * FROM submissions' 'SELECT * FROM stages' 'SELECT * FROM verdicts' 'SELECT * FROM records'
}

# --- A class -----------------------------------------------------------------------------------------------

@test "a class with refused submissions is graded with status 0, and its sums are printed" {
    assert_equal '' "$(cat "$BATS_FILE_TMPDIR/complained")"
    output=$(cat "$BATS_FILE_TMPDIR/said")
    assert_output_has '100 points in 8 stages'
    assert_output_has '13 graded, 12 refused, 0 not judged'
    refute_output_has $'\r'
}

@test "the reference earns everything, and a service with one mistake what is left" {
    assert_equal 'graded|100.0' "$(ask "SELECT status, points FROM submissions WHERE name = 'whole'")"
    assert_equal '1|1' "$(ask "SELECT points > 50, points < 100 FROM submissions WHERE name = 'unsorted'")"
    assert_equal fail "$(ask "SELECT verdict FROM verdicts WHERE name = 'unsorted' AND clause = '5.3'")"
}

@test "points are the share of clauses held, stage by stage" {
    assert_equal 104 "$(ask 'SELECT count(*) FROM stages')"
    assert_equal '' "$(ask "SELECT name, stage FROM stages JOIN rubric r USING(run, stage)
        WHERE abs(stages.points - r.points * passed / planned) > 0.0051")"
    assert_equal '' "$(ask "SELECT name FROM submissions s WHERE status = 'graded' AND abs(points -
        (SELECT sum(points) FROM stages t WHERE t.run = s.run AND t.name = s.name)) > 0.0001")"
}

@test "a file is found in a folder three levels down, by its name, and in archives" {
    assert_judged nested nested/a/b/c/service.c
    assert_judged 'Ada Lovelace_12' 'Ada Lovelace_12_assignsubmission_file_/service.c'
    assert_judged helped helped/service.c
    assert_judged zipped zipped.zip/service.c
    assert_judged tarred tarred.tar.gz/pack/service.c
}

@test "names of any bytes are kept apart and shown on one line" {
    assert_judged "O'Brien \"Q\"" "O'Brien \"Q\".c"
    assert_judged 学生 学生.c
    assert_judged new%0Aline new%0Aline.c
    assert_judged bad%FF bad%FF.c
    assert_judged -rf -rf.c
    for name in "O'Brien \"Q\"" 学生 new%0Aline bad%FF -rf =1+1; do
        [ -s "$OUT/feedback/$name.txt" ] || fail "There is no feedback for $name."
    done
}

@test "what no single file can be meant by is refused, and the reason names it" {
    assert_refused deep 'within three folders'
    assert_refused two 'two/a.c and two/b.c'
    assert_refused nothing 'no service.c'
}

@test "what is no text file of a sensible size is refused, and the reason says what it is" {
    assert_refused linked 'linked/service.c is a symbolic link'
    assert_refused folder 'folder/service.c is a folder'
    assert_refused pipe 'named pipe'
    assert_refused empty 'empty.c is empty'
    assert_refused binary 'byte 7 is zero'
    assert_refused large '300000 bytes'
}

@test "an archive that is none, that leaves its folder or that is too large is refused" {
    assert_refused garbled 'cannot be unpacked'
    assert_refused upwards 'cannot be unpacked'
    assert_refused bomb 'at most 16 MB'
}

@test "what the computer left there is no submission" {
    assert_equal 0 "$(ask "SELECT count(*) FROM submissions WHERE name LIKE '%MACOSX%' OR name LIKE '.%'")"
}

# --- What comes out ----------------------------------------------------------------------------------------

@test "grades.csv has the columns that platforms import, and no formula" {
    local columns=name,status,points,out_of,s01,s02,s03,s04,s05,s06,s07,s08,reason
    assert_equal "$columns" "$(head -n 1 "$OUT/grades.csv")"
    sqlite3 -csv :memory: ".import '$OUT/grades.csv' g" 'SELECT name, status, points, s01 FROM g' \
        >"$BATS_TEST_TMPDIR/rows"
    grep -qx 'whole,graded,100,8' "$BATS_TEST_TMPDIR/rows"
    grep -qF "'=1+1" "$BATS_TEST_TMPDIR/rows"
    assert_equal 25 "$(wc -l <"$BATS_TEST_TMPDIR/rows")"
}

@test "every report is valid in its format" {
    for file in "$OUT"/junit/*.xml; do xmllint --noout "$file"; done
    for file in "$OUT"/gradescope/*.json; do jq -e '.score >= 0' "$file" >/dev/null; done
    for file in "$OUT"/tap/*.tap; do assert_equal 'TAP version 13' "$(head -n 1 "$file")"; done
    for folder in junit gradescope tap feedback; do
        assert_equal 25 "$(find "$OUT/$folder" -type f -printf x | wc -c)"
    done
}

@test "Gradescope's scores add up to the points" {
    run -0 jq -c '[.score, ([.tests[] | .score] | add), ([.tests[] | .max_score] | add)]' \
        "$OUT/gradescope/whole.json"
    assert_equal '[100,100,100]' "$output"
}

@test "the feedback shows a broken promise with its steps, and how to see it again" {
    output=$(cat "$OUT/feedback/unsorted.txt")
    assert_output_has 'ids ascend by their bytes'
    assert_output_has 'expected'
    assert_output_has 'build/lab check --clause 5.3 --seed 4711'
}

@test "the page shows every submission and marks the same file" {
    xmllint --html --noout "$OUT/index.html" 2>"$BATS_TEST_TMPDIR/findings" || true
    # The parser is older than these elements.
    grep 'parser error' "$BATS_TEST_TMPDIR/findings" >"$BATS_TEST_TMPDIR/errors"
    run -1 grep -vE 'Tag (section|details|summary) invalid' "$BATS_TEST_TMPDIR/errors"
    output=$(cat "$OUT/index.html")
    assert_output_has '<a href="#s25">'
    assert_output_has 'The same file as</strong> '
    assert_output_has 'O&#39;Brien &quot;Q&quot;'
    refute_output_has '<script'
}

@test "the page opens in a browser" {
    command -v chromium >/dev/null || skip 'there is no chromium'
    run -0 timeout -k 5 60 chromium --headless --no-sandbox --disable-gpu \
        --user-data-dir="$BATS_TEST_TMPDIR/profile" --dump-dom "file://$OUT/index.html"
    assert_output_has 'Where the class stumbles'
    assert_output_has 'tarred.tar.gz/pack/service.c'
}

# --- Again and again ---------------------------------------------------------------------------------------

@test "any number of jobs gives the same gradebook" {
    run_lab 0 grade "$CLASS" --out "$BATS_TEST_TMPDIR/other" --seed 4711 --jobs 4
    assert_same_text <(contents "$OUT") <(contents "$BATS_TEST_TMPDIR/other")
}

@test "a grading that is killed again and again ends as if nothing had happened" {
    local other=$BATS_TEST_TMPDIR/other
    for kill in 1 2 3 4; do
        timeout -s KILL "$((kill * 2 - 1)).$kill" "$LAB" grade "$CLASS" --out "$other" --seed 4711 \
            >/dev/null 2>&1 || true
    done
    run_lab 0 grade "$CLASS" --out "$other" --seed 4711
    assert_same_text <(contents "$OUT") <(contents "$other")
    assert_equal 1 "$(sqlite3 "$other/gradebook.sqlite" 'SELECT count(*) FROM runs')"
}

@test "only what changed and what --regrade names is judged again, and a new rubric changes points alone" {
    mkdir "$BATS_TEST_TMPDIR/class"
    cd "$BATS_TEST_TMPDIR/class"
    printf 'int x = \n' | tee one.c >two.c
    run_lab 0 grade . --out ../out
    OUT=../out
    local seed
    seed=$(ask 'SELECT seed FROM runs')
    ask "UPDATE submissions SET reason = 'kept'"

    printf 'int y = \n' >two.c
    sed 's/^01\t8\t/01\t28\t/' "$KIT/checks/$LAB_NAME/rubric.tsv" >../rubric.tsv
    run_lab 0 grade . --out ../out --rubric ../rubric.tsv
    assert_output_has '120 points in 8 stages; going on'
    assert_equal kept "$(ask "SELECT reason FROM submissions WHERE name = 'one'")"
    assert_equal 1 "$(ask "SELECT count(*) FROM submissions WHERE name = 'two' AND reason <> 'kept'")"
    assert_equal 120.0 "$(ask "SELECT out_of FROM submissions WHERE name = 'one'")"

    run_lab 0 grade . --out ../out --regrade one
    assert_equal 0 "$(ask "SELECT count(*) FROM submissions WHERE reason = 'kept'")"
    assert_equal "1|$seed" "$(ask 'SELECT count(*), seed FROM runs')"
}

# --- Refusing to grade -------------------------------------------------------------------------------------

@test "wrong usage is told in a sentence, with status 2" {
    run_lab 2 grade "$CLASS"
    assert_stderr_has --out
    run_lab 2 grade --out "$BATS_TEST_TMPDIR/out"
    run_lab 2 grade "$BATS_TEST_TMPDIR/nowhere" --out "$BATS_TEST_TMPDIR/out"
    assert_stderr_has nowhere
    run_lab 2 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out" --jobs 0
    run_lab 2 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out" --budget 0
    run_lab 2 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out" --lab another
    run_lab 2 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out" --regrade nobody
    assert_stderr_has nobody
    printf '01\t8\tonly this one\n' >"$BATS_TEST_TMPDIR/rubric.tsv"
    run_lab 2 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out" --rubric "$BATS_TEST_TMPDIR/rubric.tsv"
    assert_stderr_has 'stage 02 has no row'
}

@test "without bubblewrap nothing is graded, with status 3" {
    run --separate-stderr -3 env PATH=/nowhere "$LAB" grade "$CLASS" --out "$BATS_TEST_TMPDIR/out"
    assert_stderr_has 'install bubblewrap'
    [ ! -e "$BATS_TEST_TMPDIR/out/grades.csv" ] || fail 'There are grades all the same.'
}

@test "a kit whose reference does not hold grades nothing, with status 3" {
    new_tree
    sed -i 's/ORDER BY id//' "$TREE/solutions/$LAB_NAME/service.c"
    LAB=$TREE/build/lab
    run_lab 3 grade "$CLASS" --out "$BATS_TEST_TMPDIR/out"
    assert_stderr_has 'the reference does not earn full marks'
    assert_stderr_has 5.3
    assert_equal 0 "$(sqlite3 "$BATS_TEST_TMPDIR/out/gradebook.sqlite" 'SELECT count(*) FROM submissions')"
}

@test "without a sandbox every report says so" {
    mkdir "$BATS_TEST_TMPDIR/class"
    printf 'int x = \n' >"$BATS_TEST_TMPDIR/class/one.c"
    run_lab 0 grade "$BATS_TEST_TMPDIR/class" --out "$BATS_TEST_TMPDIR/out" --no-sandbox
    assert_output_has unsandboxed
    for file in grades.csv index.html feedback/one.txt gradescope/one.json junit/one.xml tap/one.tap; do
        grep -qi unsandboxed "$BATS_TEST_TMPDIR/out/$file" ||
            fail "$file does not say that it is unsandboxed."
    done
}
