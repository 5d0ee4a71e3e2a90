#!/usr/bin/env bats
# Each translated page says what its English page says: the same promises, the same code, nothing stale.
#
# What stands in labs/idem-retention-lab/ as .md, in folders below too, has a page of the same name in the folder of
# each language. Sentences are for readers to judge; what a program can compare is compared here.

load helpers

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
