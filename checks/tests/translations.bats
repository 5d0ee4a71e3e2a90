#!/usr/bin/env bats
# What people read is there in every language. Each translated page says what its English page says: the same promises, the
# same code, nothing stale. What the kit prints for people has no English sentence left.
#
# What stands in labs/idem-retention-lab/ as .md, in folders below too, has a page of the same name in the folder of
# each language. Sentences are for readers to judge; what a program can compare is compared here.

# What run and the new_... helpers set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers
load variants-helpers

LANGUAGES=(ja zh)

setup() {
    PAGES=$(realpath "$PAGES")
}

# english_pages: the English pages, a line each, named from the folder of the lab.
english_pages() {
    local language skip=()
    for language in "${LANGUAGES[@]}"; do skip+=(-not -path "./$language/*"); done
    (cd "$PAGES" && find . -name '*.md' "${skip[@]}" | cut -c3- | LC_ALL=C sort)
}

# translated_pages LANGUAGE: those of them that it has. The first test says which it lacks.
translated_pages() {
    local page
    english_pages | while read -r page; do [ ! -e "$PAGES/$1/$page" ] || printf '%s\n' "$page"; done
}

# skeleton PAGE: what must be the same in every language, a line each, in the order of the page: levels of headings,
# ids of clauses, items of lists, code byte by byte, cells of table rows.
skeleton() {
    LC_ALL=C awk '
        fenced { print "code  " $0; if ($0 ~ /^ *```/) fenced = 0; next }
        /^ *```/ { print "code  " $0; fenced = 1; blank = 0; next }
        /^[ \t]*$/ { if (code) gap = gap "code  \n"; blank = 1; next }
        {
            match($0, /^ */)
            depth = RLENGTH
            # A line that begins with a number and a point goes on with the sentence before, but for these.
            numbered = blank || item || /^ *1\. /
            if (depth == 0 && blank) item = 0
            # A line four spaces deeper than the text around it, after a blank line, is code.
            if (depth >= item + 4 && (blank || code)) {
                printf "%s", gap
                print "code  " $0
                code = 1; gap = ""; blank = 0
                next
            }
            code = 0; gap = ""; blank = 0
        }
        /^#+ / { match($0, /^#+/); print "heading " RLENGTH; next }
        /^\|/ { line = $0; gsub(/\\\|/, "", line); print "row of " gsub(/\|/, "", line) - 1 " cells"; next }
        (numbered || /^ *[-*] /) && match($0, /^ *([-*]|[0-9]+\.) +/) {
            item = RLENGTH
            mark = substr($0, 1, RLENGTH)
            rest = substr($0, RLENGTH + 1)
            if (match(rest, /^\*\*[0-9]+\.[0-9A-Z]+\*\* /)) mark = mark substr(rest, 1, RLENGTH)
            print "item " mark
        }' "$1"
}

# code_spans PAGE: what stands in backquotes in its text, sorted, each once.
code_spans() {
    # shellcheck disable=SC2016 # the backquotes are text
    sed '/^ *```/,/^ *```/d' "$1" | tr '\n' ' ' | grep -oE '`[^`]+`' | LC_ALL=C sort -u
}

# links PAGE: where its relative links lead, sorted, each once.
links() {
    local target
    # shellcheck disable=SC2016 # the backquotes are text
    { sed '/^ *```/,/^ *```/d' "$1" | grep -oE '\]\([^)#]+' || true; } | cut -c3- | { grep -vE '^[a-z]+:' || true; } |
        while read -r target; do realpath -m "$(dirname "$1")/$target"; done | LC_ALL=C sort -u
}

# hash_of PAGE: how a translation names the state of the English page that it follows.
hash_of() {
    sha256sum <"$1" | cut -c1-16
}

# compare_pages FUNCTION: what the function prints of each translated page is what it prints of the English one.
compare_pages() {
    local language page
    for language in "${LANGUAGES[@]}"; do
        while read -r page; do
            diff -u --label "$page" --label "$language/$page" <("$1" "$PAGES/$page") <("$1" "$PAGES/$language/$page") ||
                differing+=" $language/$page"
        done < <(translated_pages "$language")
    done
    [ -z "${differing-}" ] || fail "These differ from their English pages:$differing"
}

@test "every page exists in every language, and no translation is left of a page that is gone" {
    [ "$(english_pages | wc -l)" -ge 10 ] || fail 'The English pages were not found.'
    for language in "${LANGUAGES[@]}"; do
        (cd "$PAGES/$language" && find . -name '*.md' | cut -c3- | LC_ALL=C sort) >"$BATS_TEST_TMPDIR/$language"
        assert_same_text <(english_pages) "$BATS_TEST_TMPDIR/$language"
    done
}

@test "every translated page has the headings, clause ids, lists, code and tables of its English page, in that order" {
    compare_pages skeleton
}

@test "the clauses on a translated page have the sentences that the check prints in that language" {
    require_command gettext
    require_command msgfmt
    run_lab 0 list --format json
    for language in "${LANGUAGES[@]}"; do
        messages=$BATS_TEST_TMPDIR/locale/$language/LC_MESSAGES
        mkdir -p "$messages"
        msgfmt -o "$messages/lab.mo" "$KIT/checks/po/$language.po"
        jq -r '.stages[].clauses[] | .id + "\t" + .sentence' <<<"$output" | while IFS=$'\t' read -r id sentence; do
            printf -- '- **%s** %s\n' "$id" "$(TEXTDOMAINDIR=$BATS_TEST_TMPDIR/locale LANGUAGE=$language LC_ALL=C.UTF-8 \
                gettext lab "$sentence")"
        done >"$BATS_TEST_TMPDIR/printed"
        grep -hE '^- \*\*[0-9]+\.[0-9A-Z]+\*\* ' "$PAGES/$language"/0*.md >"$BATS_TEST_TMPDIR/on-page" || true
        assert_same_text "$BATS_TEST_TMPDIR/printed" "$BATS_TEST_TMPDIR/on-page"
    done
}

@test "what stands in backquotes in an English page stands in its translations too" {
    for language in "${LANGUAGES[@]}"; do
        while read -r page; do
            lost=$(LC_ALL=C comm -23 <(code_spans "$PAGES/$page") <(code_spans "$PAGES/$language/$page"))
            [ -z "$lost" ] || losses+=$(printf '\n%s/%s lacks:\n%s' "$language" "$page" "$lost")
        done < <(translated_pages "$language")
    done
    [ -z "${losses-}" ] || fail "${losses:1}"
}

@test "links of a translated page lead to translated pages, and elsewhere where the English ones lead" {
    for language in "${LANGUAGES[@]}"; do
        while read -r page; do
            # The page itself in another language may be linked from anywhere.
            same=("$PAGES/$page")
            for other in "${LANGUAGES[@]}"; do same+=("$PAGES/$other/$page"); done
            links "$PAGES/$page" | while read -r target; do
                translated=$PAGES/$language/${target#"$PAGES/"}
                if [ -e "$translated" ]; then printf '%s\n' "$translated"; else printf '%s\n' "$target"; fi
            done | grep -vxF "$(printf '%s\n' "${same[@]}")" | LC_ALL=C sort -u >"$BATS_TEST_TMPDIR/expected" || true
            links "$PAGES/$language/$page" | grep -vxF "$(printf '%s\n' "${same[@]}")" >"$BATS_TEST_TMPDIR/observed" || true
            diff -u --label expected --label "$language/$page" "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/observed" ||
                astray+=" $language/$page"
            while read -r target; do
                [ -e "$target" ] || astray+=" $language/$page:$target"
            done < <(links "$PAGES/$language/$page")
        done < <(translated_pages "$language")
    done
    [ -z "${astray-}" ] || fail "Links that lead elsewhere or nowhere:$astray"
}

@test "every translated page follows its English page as it is now" {
    for language in "${LANGUAGES[@]}"; do
        while read -r page; do
            last=$(tail -n 1 "$PAGES/$language/$page")
            current="<!-- follows $page sha256:$(hash_of "$PAGES/$page") -->"
            [ "$last" != "$current" ] || continue
            stale+=" $language/$page"
            followed=$(sed -n 's/.* sha256:\([0-9a-f]\{16\}\) -->$/\1/p' <<<"$last")
            english=labs/$LAB_NAME/$page translated=labs/$LAB_NAME/$language/$page
            # The commit that brought the hash into the translation has the English page that it followed.
            printf '%s is not in step with %s.\n  what changed:  %s\n  last line, once the translation follows:\n  %s\n' \
                "$translated" "$english" \
                "git diff \$(git log -1 --format=%h -S'${followed:-follows}' -- $translated) -- $english" "$current"
        done < <(translated_pages "$language")
    done
    [ -z "${stale-}" ] || fail "Stale translations:$stale"
}

# A comparison that sees nothing would pass for ever.
@test "the comparison sees a lost heading, a renamed clause, a changed byte of code, a lost cell, a lost item" {
    page=$PAGES/02-reserve.md changed=$BATS_TEST_TMPDIR/changed.md
    # shellcheck disable=SC2016 # the backquotes are text
    changes=(
        '0,/^## /s/^## /### /'
        's/^- \*\*2\.3\*\*/- **2.4**/'
        's/^'\''ord-7 '\'',/'\''ord-7'\'',/'
        's/^    checks/    cheques/'
        's/^| `sqlite3_step` | /| `sqlite3_step` /'
        '0,/^- [A-Z]/{/^- [A-Z]/d}'
    )
    for change in "${changes[@]}"; do
        sed "$change" "$page" >"$changed"
        ! cmp -s "$page" "$changed" || fail "Nothing to change in the page: $change"
        ! diff <(skeleton "$page") <(skeleton "$changed") >/dev/null || fail "The skeleton does not show: $change"
    done
}

# --- What the kit prints ------------------------------------------------------------------------------------

# english_lines: of what comes in, the lines with three English words in a row, once what is the same in every language is
# left out: code and its comments, quotations, commands, what a compiler says.
english_lines() {
    # shellcheck disable=SC2016 # the backquotes are text
    sed -E '/^  [-+] /d; /\/\*.*\*\//d; /^service\.c:/d; /(sqlite3|idem) DB/d; s/`[^`]*`|"[^"]*"//g; s/error: .*//
        s/(build\/lab|make|cp|apt-get install) [ -~]*//g' | grep -E "[A-Za-z][a-z']* [a-z']+ [a-z']+" || true
}

# has_translation: whether what comes in has a letter of one of the languages.
has_translation() {
    LC_ALL=C.UTF-8 grep -qP '[\x{3040}-\x{30ff}\x{4e00}-\x{9fff}]'
}

# assert_speaks LANGUAGE: $output and $stderr of the last run are there, and no line of them is an English sentence.
assert_speaks() {
    local said=$output$'\n'${stderr-}
    has_translation <<<"$said" || fail "Expected words of the language $1."
    assert_equal '' "$(english_lines <<<"$said")"
}

# assert_as_wide LINE...: each takes as many columns on a terminal as the first.
assert_as_wide() {
    local line
    for line in "${@:2}"; do
        assert_equal "$(wc -L <<<"$1") columns: $1" "$(wc -L <<<"$line") columns: $1"
    done
}

# before TEXT: of the lines with the text, what stands before it.
before() {
    local line
    while IFS= read -r line; do [[ $line != *"$1"* ]] || printf '%s|\n' "${line%%"$1"*}"; done
}

# of_kit NAME: the file of one of the kit's own variants.
of_kit() {
    printf '%s\n' "$KIT/broken-variants/$LAB_NAME/$1.patch"
}

@test "every text for people is in the catalogs, in every language, with as many arguments" {
    require_command xgettext
    new_tree
    for language in "${LANGUAGES[@]}"; do
        msgattrib --untranslated --no-obsolete "$KIT/checks/po/$language.po" >"$BATS_TEST_TMPDIR/$language.before"
    done
    run -0 sh "$TREE/checks/po/extract.sh"
    for language in "${LANGUAGES[@]}"; do
        catalog=$TREE/checks/po/$language.po
        run -0 msgfmt --check -o /dev/null "$catalog"
        assert_equal '' "$(msgattrib --untranslated --no-obsolete "$catalog" | grep '^msgid' | tail -n +2)"
        assert_equal '' "$(msgattrib --only-fuzzy --no-obsolete "$catalog")"
        # msgfmt looks at the formats of C; those of scripts are printf's too, and take their arguments in order.
        assert_equal '' "$(msgattrib --no-obsolete --no-wrap "$catalog" | awk '
            /^#, .*c-format/ { c = !/no-c-format/ }
            /^msgid / { to_id = 1; id = $0; next }
            /^msgstr / { to_id = 0; text = $0; next }
            /^"/ { if (to_id) id = id $0; else text = text $0; next }
            /^$/ { if (!c && gsub(/%s/, "", id) != gsub(/%s/, "", text)) print id; c = 0 }')"
    done
}

@test "lab variants speaks the language, and its columns line up" {
    new_variant says-too-much "$ZERO_FAILS 4.1" "$ZERO_PENDING"
    new_variant says-too-little '7.1 7.2' "$ZERO_PENDING"
    new_variant does-not-build 7.1 "$(code_in_counts 'oops')"
    new_variant applies-nowhere 7.1 "$ZERO_PENDING"
    sed -i '/^ /s/cJSON/kJSON/' "$VARIANT"
    local folder=$BATS_FILE_TMPDIR/variants
    for language in "${LANGUAGES[@]}"; do
        run_lab 1 variants --lang "$language" --seed 5 "$(of_kit 07-zeros-for-a-failure)" "$(of_kit 04-text-used-after-finalize)" \
            "$folder"/{says-too-much,says-too-little,does-not-build,applies-nowhere}.patch
        assert_speaks "$language"
        mapfile -t rows < <(grep -E '( +([0-9]+|\.)){8}$' <<<"$output")
        assert_equal 5 "${#rows[@]}" # with the head of the table
        assert_as_wide "${rows[@]}"
        assert_equal 80 "$(wc -L <<<"${rows[0]}")"
    done
}

@test "what programs read of variants is English in every language" {
    new_variant says-too-little '7.1 7.2' "$ZERO_PENDING"
    for format in tap json; do
        for language in en "${LANGUAGES[@]}"; do
            LAB_LANG=$language run_lab 1 variants --format "$format" --seed 5 "$VARIANT" "$BATS_TEST_DIRNAME/helpers.bash"
            sed -E 's/"(refusals_)?ms":[0-9.e-]+//g' <<<"$output" >"$BATS_TEST_TMPDIR/$format.$language"
            assert_same_text "$BATS_TEST_TMPDIR/$format.en" "$BATS_TEST_TMPDIR/$format.$language"
        done
    done
    for language in "${LANGUAGES[@]}"; do
        LAB_LANG=$language run_lab 1 variants --json "$BATS_TEST_TMPDIR/json" --html "$BATS_TEST_TMPDIR/html" --seed 5 "$VARIANT"
        assert_speaks "$language"
        ! has_translation <"$BATS_TEST_TMPDIR/json" || fail 'Expected the mutation report in English.'
        # The viewer that is part of the page may hold any character.
        ! sed '/<iframe/q' "$BATS_TEST_TMPDIR/html" | has_translation || fail 'Expected the page in English.'
    done
}

@test "the page of the variants is in the language, unless a report for programs is written with it" {
    new_variant says-too-little '7.1 7.2' "$ZERO_PENDING"
    for language in "${LANGUAGES[@]}"; do
        LAB_LANG=$language run_lab 1 variants --html "$BATS_TEST_TMPDIR/html" --seed 5 "$VARIANT"
        grep -q "^<html lang=\"$language\">" "$BATS_TEST_TMPDIR/html" || fail 'The page does not say its language.'
        # Between the style and the mutation report, which has words of its own: no sentence is left in English.
        sed -n '/<h1>/,/<iframe/p' "$BATS_TEST_TMPDIR/html" | sed -E 's/ class="[^"]*"//g' >"$BATS_TEST_TMPDIR/page"
        has_translation <"$BATS_TEST_TMPDIR/page" || fail 'Expected the page in the language.'
        ! grep -qE 'Each variant|Looks right|caught by|failed|It says|broken on purpose' "$BATS_TEST_TMPDIR/page" ||
            fail 'Expected no English in the page.'
    done
}

@test "lab predict speaks the language, heads of variants included, and its columns line up" {
    new_kit
    for language in "${LANGUAGES[@]}"; do
        rm -rf "$TREE/work"
        export LAB_LANG=$language
        run_kit 2 predict "$(of_kit 07-connection-not-closed)" </dev/null
        assert_speaks "$language"
        run_kit 0 predict --score
        assert_speaks "$language"
        run_kit 0 predict "$(of_kit 07-connection-not-closed)" --fails 4.1,7.1 --seed 3
        assert_speaks "$language"
        mapfile -t sets < <(before 7.C < <(grep -E '^[^ ].* 7\.C$' <<<"$output"); before 4.1 < <(grep -E ' 4\.1 7\.1$' <<<"$output"))
        assert_equal 2 "${#sets[@]}"
        assert_as_wide "${sets[@]}"
        run_kit 0 predict "$(of_kit 08-ids-leak)" --fails 7.1 --seed 3
        assert_speaks "$language"
        run_kit 0 predict "$(of_kit 08-ids-leak)" --no-prediction --seed 3
        assert_speaks "$language"
        run_kit 0 predict "$(of_kit 04-text-used-after-finalize)" --fails none --seed 3 </dev/null
        # What the sanitizer printed is as it came.
        output=$(grep -vE '^ {18,}' <<<"$output")
        assert_speaks "$language"
        run_kit 0 predict --score
        assert_speaks "$language"
        mapfile -t table < <(head -n -1 <<<"$output")
        assert_equal 5 "${#table[@]}"
        assert_as_wide "${table[@]}"
    done
}

@test "lab challenge speaks the language, and its columns line up" {
    tests=$BATS_TEST_TMPDIR/my.bats
    printf '@test "fails" { false; }\n' >"$BATS_TEST_TMPDIR/fails.bats"
    : >"$BATS_TEST_TMPDIR/none.bats"
    printf '@test "later" { skip; }\n' >"$BATS_TEST_TMPDIR/skips.bats"
    printf '@test "waits" { sleep 60; }\n' >"$BATS_TEST_TMPDIR/waits.bats"
    sed 's/^it /@test /' >"$tests" <<TESTS
load $PAGES/my-tests-helpers
setup() { new_db; }
it "counts" {
    for i in {1..1100}; do \$IDEM "\$DB" counts || return 1; done
}
TESTS
    new_variant does-not-build 7.1 "$(code_in_counts 'oops')"
    for language in "${LANGUAGES[@]}"; do
        export LAB_LANG=$language
        run_lab 1 challenge "$(of_kit 07-connection-not-closed)" "$PAGES/my-tests.bats"
        assert_speaks "$language"
        mapfile -t runs < <(before 1 < <(grep -E '^  [^ ].* 1.* 0' <<<"$output"))
        assert_equal 3 "${#runs[@]}"
        assert_as_wide "${runs[@]}"
        run_lab 1 challenge "$VARIANT" "$PAGES/my-tests.bats"
        assert_speaks "$language"
        for file in fails none skips; do
            run_lab 1 challenge "$(of_kit 07-connection-not-closed)" "$BATS_TEST_TMPDIR/$file.bats"
            output=$(grep -v '^    ' <<<"$output") # what bats says
            assert_speaks "$language"
        done
        run_lab 1 challenge "$(of_kit 07-connection-not-closed)" "$BATS_TEST_TMPDIR/waits.bats" --limit 1
        output=$(grep -v '^    ' <<<"$output")
        assert_speaks "$language"
        for words in '' 'no-such-variant x' "$(of_kit 07-connection-not-closed) /no/such" 'a b c' '--nothing'; do
            # Words are meant to split.
            # shellcheck disable=SC2086
            run_lab 2 challenge $words
            assert_speaks "$language"
        done
    done
}

@test "wrong usage and help speak the language" {
    for language in "${LANGUAGES[@]}"; do
        export LAB_LANG=$language
        for command in check list variants predict challenge grade; do
            run_lab 0 "$command" --help
            assert_speaks "$language"
            run_lab 2 "$command" --nothing
            assert_speaks "$language"
        done
        run_lab 2 check --format nothing
        assert_speaks "$language"
        run_lab 0 --help
        assert_speaks "$language"
    done
}

# run_script STATUS NAME ARGUMENTS...: a script of the kit's in the copy $TREE, by a shell that knows POSIX alone where there is one.
run_script() {
    local shell=sh
    ! command -v dash >/dev/null || shell=dash
    run --separate-stderr "-$1" timeout -k 5 "$OUTER_LIMIT_S" "$shell" "$TREE/checks/$2.sh" "${@:3}" </dev/null
}

# run_scripts CHECK ARGUMENT: runs the scripts in as many ways as are quick; CHECK ARGUMENT looks at each.
run_scripts() {
    rm -rf "$TREE/work"
    run_script 2 status && "$@"
    run_script 2 watch && "$@"
    run_script 0 start && "$@"
    run_script 0 start && "$@"
    run_script 0 start --reset && "$@"
    run_script 2 start idem-retention-lab-2 && "$@"
    for _ in 1 2 3 4; do
        run_script 0 hint 02
        # The hint itself: code, and what the page says.
        output=$(grep -v '^sqlite3_\|^ \|^const' <<<"$output")
        "$@"
    done
    for stage in '' 9 x; do run_script 2 hint "$stage" && "$@"; done
    run_script 2 watch 9 && "$@"
    run_script 2 valgrind && "$@"
    run_script 2 valgrind 9 && "$@"
    run_script 2 debug && "$@"
    printf 'no C\n' >"$TREE/work/$LAB_NAME/service.c"
    cp "$PAGES/my-tests.bats" "$TREE/work/$LAB_NAME/mine.bats"
    run_script 0 status && "$@"
}

@test "the scripts speak the language, and point to pages in it" {
    new_tree
    for language in "${LANGUAGES[@]}"; do
        export LAB_LANG=$language
        run_scripts assert_speaks "$language"
        rm -rf "$TREE/work"
        run_script 0 start
        assert_output_has "labs/$LAB_NAME/$language/01-init-db.md"
        run_script 0 hint 2
        assert_output_has "$(awk '/^## 1/ { inside = 1; next } inside && NF { print; exit }' "$PAGES/$language/hints/02.md")"
    done
}

# assert_english: what the last run said is in no other language, and more than nothing.
assert_english() {
    [ -n "$output$stderr" ] || fail 'Expected words.'
    ! has_translation <<<"$output$stderr" || fail 'Expected English.'
}

@test "feedback, class page and what the grader says are in the language of whoever grades, the tables for programs are not" {
    mkdir "$BATS_TEST_TMPDIR/class"
    printf 'int x = \n' >"$BATS_TEST_TMPDIR/class/ada.c"
    : >"$BATS_TEST_TMPDIR/class/bob.c"
    local out=$BATS_TEST_TMPDIR/out
    while IFS='|' read -r language said stages head refused title; do
        rm -rf "$out"
        LAB_LANG=$language run_lab 0 grade "$BATS_TEST_TMPDIR/class" --out "$out" --seed 1
        assert_output_has "$said"
        grep -qF "$stages" "$out/feedback/ada.txt" || fail "No $stages in $(cat "$out/feedback/ada.txt")"
        grep -qF "$head" "$out/index.html" || fail "No $head in the class page."
        grep -qF "<html lang=$language>" "$out/index.html" || fail "The class page does not say its language."
        grep -qF "$title" "$out/index.html" || fail "No $title in the class page."
        grep -qF "$refused" "$out/feedback/bob.txt" || fail "No $refused in $(cat "$out/feedback/bob.txt")"
        run -0 cut -d, -f1-3 "$out/grades.csv"
        assert_equal $'name,status,points\n"ada",graded,0\n"bob",refused,0' "$output"
    done <<'WORDS'
en|1 graded, 1 refused|stage  clauses  points|<th>in a sentence</th>|bob.c is empty.|the class
ja|採点済み 1 件|条項|<th>ひと言で</th>|空|クラス全体
zh|已评分 1 份|条款|<th>一句话说明</th>|空|全班
WORDS
}

@test "the scripts choose the language as the kit does" {
    new_tree
    unset LAB_LANG LANGUAGE LC_ALL LC_MESSAGES LC_CTYPE LANG
    # choose VARIABLE=VALUE...: both say that there is no such stage.
    choose() {
        scripted=$(env "$@" sh "$TREE/checks/watch.sh" 9 2>&1 || true)
        built=$(env "$@" "$TREE/build/lab" check --stage 09 x 2>&1 || true)
        case $scripted in *ステージ*) scripted=ja ;; *阶段*) scripted=zh ;; *) scripted=en ;; esac
        case $built in *ステージ*) built=ja ;; *阶段*) built=zh ;; *) built=en ;; esac
        assert_equal "$built with $*" "$scripted with $*"
    }
    choose LAB_LANG=
    choose LAB_LANG=ja
    choose LAB_LANG=zh_CN.UTF-8 LC_ALL=C
    choose LAB_LANG=xx LC_ALL=ja_JP.UTF-8
    choose LAB_LANG=en LC_ALL=ja_JP.UTF-8
    choose LC_ALL=ja_JP.UTF-8
    choose LC_ALL=ja_JP.utf8 LANG=zh_CN.UTF-8
    choose LANG=zh_CN.UTF-8
    choose LC_MESSAGES=ja_JP.UTF-8
    choose LC_MESSAGES=ja_JP.UTF-8 LC_CTYPE=C.UTF-8
    choose LC_ALL=C.UTF-8
    choose LC_ALL=C.UTF-8 LANGUAGE=zh:ja
    choose LC_ALL=C LANGUAGE=zh
    choose LC_ALL=POSIX LANGUAGE=zh
    choose LC_ALL=en_US.UTF-8 LANG=ja_JP.UTF-8
}

@test "without a catalog, or without gettext, the kit and its scripts speak English" {
    new_tree
    mkdir "$BATS_TEST_TMPDIR/bin"
    ln -s /usr/bin/* "$BATS_TEST_TMPDIR/bin/"
    rm -f "$BATS_TEST_TMPDIR/bin/gettext"
    export LAB_LANG=ja
    PATH=$BATS_TEST_TMPDIR/bin run_script 2 watch 9
    assert_equal 'There is no stage 09.' "$stderr"
    rm -r "$TREE/build/locale"
    rm -r "$TREE/labs/$LAB_NAME/ja"
    run_scripts assert_english
    run --separate-stderr -0 "$TREE/build/lab" predict --score
    assert_output_has 'Nothing was predicted so far.'
    run --separate-stderr -2 "$TREE/build/lab" predict --lang zh --score
    assert_stderr_has 'There are no messages in the language "zh"'
}
