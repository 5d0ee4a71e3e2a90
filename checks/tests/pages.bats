#!/usr/bin/env bats
# What the pages say is what the kit does.

load helpers

@test "each stage's page names the clauses that lab list has, with their sentences, and no other" {
    run_lab 0 list --format json
    for stage in 1 2 3 4 5 6 7 8; do
        jq -r --arg stage "0$stage" '.stages[] | select(.stage == $stage) | .clauses[]
            | "- **" + .id + "** " + .sentence' <<<"$output" >"$BATS_TEST_TMPDIR/listed"
        grep -hE '^- \*\*[0-9]+\.[0-9A-Z]+\*\* ' "$PAGES/0$stage"-*.md >"$BATS_TEST_TMPDIR/on-page" || true
        assert_same_text "$BATS_TEST_TMPDIR/listed" "$BATS_TEST_TMPDIR/on-page"
    done
}

@test "no page speaks of a clause that does not exist" {
    run_lab 0 list --format json
    jq -r '.stages[].clauses[].id' <<<"$output" | sort -u >"$BATS_TEST_TMPDIR/known"
    # In bold or in backquotes: `4.2`, **4.2**. `1.5` is the limit that is no integer.
    # shellcheck disable=SC2016 # the backquotes are text
    grep -ohE '(\*\*|`)[1-8]\.([0-9]{1,2}|[CR])(\*\*|`)' "$PAGES"/*.md | tr -d '*`' |
        grep -vx '1\.5' | sort -u >"$BATS_TEST_TMPDIR/mentioned"
    assert_equal '' "$(comm -13 "$BATS_TEST_TMPDIR/known" "$BATS_TEST_TMPDIR/mentioned")"
}

# new_session PAGE: takes the ```console blocks of a page apart into $SESSION/N.command and $SESSION/N.expected.
new_session() {
    SESSION=$BATS_TEST_TMPDIR/session
    rm -rf "$SESSION"
    mkdir "$SESSION"
    awk -v folder="$SESSION" '
        /^```console$/ { inside = 1; next }
        /^```/ { inside = 0; next }
        inside && /^\$ / {
            file = sprintf("%s/%03d", folder, ++n)
            print substr($0, 3) >(file ".command")
            printf "" >(file ".expected")
            next
        }
        # A command that goes on in the next line.
        inside && /^> / { print substr($0, 3) >(file ".command"); next }
        inside && n { print >(file ".expected") }' "$1"
}

# run_session FOLDER: runs the commands there, one after the other in one shell, and keeps what each printed.
run_session() {
    (
        cd "$1" || exit
        for command in "$SESSION"/*.command; do
            # shellcheck source=/dev/null
            . "$command" >"${command%.command}.observed" 2>&1 </dev/null 3>&- || true
        done
    )
}

@test "every console example in the lab's pages and the READMEs runs as printed" {
    new_tree
    mkdir -p "$TREE/work/$LAB_NAME"
    cp "$REFERENCE" "$TREE/work/$LAB_NAME/service.c"
    make -s -C "$TREE" idem
    examples=0
    for page in README.md "labs/$LAB_NAME"/*.md; do
        [ -e "$KIT/$page" ] || continue
        new_session "$KIT/$page"
        for command in "$SESSION"/*.command; do
            [ -e "$command" ] || continue 2
        done
        run_session "$TREE"
        for command in "$SESSION"/*.command; do
            diff -u "${command%.command}.expected" "${command%.command}.observed" ||
                fail "$page: this example prints something else: $(cat "$command")"
            examples=$((examples + 1))
        done
    done
    [ "$examples" -ge 20 ] || fail "Expected at least 20 examples; found $examples."
}

@test "every relative link in a page leads to a file" {
    cd "$KIT"
    for page in README.md labs/*/*.md broken-variants/*.md broken-variants/*/*.md; do
        [ -e "$page" ] || continue
        while read -r target; do
            [ -e "$(dirname "$page")/$target" ] || dead+=" $page:$target"
        done < <(grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -vE '^[a-z]+:')
    done
    [ -z "${dead-}" ] || fail "Dead links:$dead"
}

@test "every page names the check script of its stage" {
    for stage in 01 02 03 04 05 06 07 08; do
        grep -q "checks/$LAB_NAME/$stage-contract.sh" "$PAGES/$stage"-*.md || fail "Page $stage does not."
    done
}
