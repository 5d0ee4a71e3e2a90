#!/usr/bin/env bats
# build/lab variants --html and --json: one page that opens offline, and the mutation report of the field.

# What run and new_variant set is meant for the test alone, which is a subshell.
# shellcheck disable=SC2030,SC2031,SC2154

load helpers
load variants-helpers

setup_file() {
    new_kit
    [ -e "$KIT/build/node_modules/.installed" ] || sh "$KIT/checks/variants/install-viewer.sh" 3>&- || true
    [ ! -d "$KIT/build/node_modules" ] || ln -sfn "$KIT/build/node_modules" "$TREE/build/node_modules"
    export PAGE=$BATS_FILE_TMPDIR/picture.html REPORT=$BATS_FILE_TMPDIR/report.json BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    new_variant zero-pending "$ZERO_FAILS" "$ZERO_PENDING"
    local zero=$VARIANT
    new_variant comment-only 7.1 "$COMMENT_ONLY"
    local comment=$VARIANT
    new_variant does-not-build 7.1 "$(code_in_counts 'oops')"
    "$TREE/build/lab" predict --score >/dev/null
    sqlite3 "$TREE/work/predictions.sqlite" "INSERT INTO prediction(made, lab, variant, stage, predicted, seed, counts)
        VALUES('2026-01-01T00:00:00Z', '$LAB_NAME', 'zero-pending', '07', '4.1 7.2', 1, 1)"
    timeout -k 5 "$OUTER_LIMIT_S" "$TREE/build/lab" variants --seed 5 --html "$PAGE" --json "$REPORT" \
        "$zero" "$comment" "$VARIANT" >/dev/null || [ $? -eq 1 ]
}

require_viewer() {
    [ -e "$KIT/build/node_modules/.installed" ] || skip 'the viewer could not be installed: no npm, or no network'
}

require_chromium() {
    CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        skip 'no Chromium is installed here'
}

# run_page FILE OPTIONS...: opens it in headless Chromium with the network off; the document afterwards is
# $output.
run_page() {
    run --separate-stderr -0 timeout -k 5 60 "$CHROMIUM" --headless --no-sandbox --disable-gpu --disable-extensions \
        --user-data-dir="$BATS_TEST_TMPDIR/profile" --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr \
        --virtual-time-budget=8000 "${@:2}" --dump-dom "file://$1"
    ! grep -E 'CONSOLE|ERR_[A-Z]+.*picture' <<<"$stderr" >&2 || fail 'Expected nothing on the console.'
}

# cell CLAUSE: class and sign of zero-pending's cell.
cell() {
    tr -d '\n' <"$PAGE" | grep -oE '<th scope="row"[^>]*><a href="#zero-pending">.*' | sed 's|</tr>.*||' |
        grep -oE "<td class=\"[a-z ]*\" title=\"$1 [^<]*" | sed -E 's/<td class="([a-z ]*)" title="[^>]*>/\1 /'
}

@test "the matrix stands in the page without a script, with the predicted marks" {
    assert_equal 'failed predicted ◉' "$(cell 7.2)"
    assert_equal 'failed ●' "$(cell 7.3)"
    assert_equal 'held first predicted ○' "$(cell 4.1)"
    assert_equal 'held ·' "$(cell 4.2)"
    run -0 awk '/<script/ { exit } { print }' "$PAGE"
    assert_output_has '<a href="#comment-only">comment-only</a>'
    assert_output_has 'class="unrun">does not build</td>'
    assert_output_has '<mark>sqlite3_column_double(stmt, </mark>0'
    assert_output_has '<b>7.1</b>'
}

@test "what a cell means can be read without colour, and a difference is marked" {
    run -0 grep -c 'title="7.2 failed, predicted"' "$PAGE"
    run -0 grep -o 'class="held first differs" title="7.1 held, which the variant does not say"' "$PAGE"
}

@test "the page asks for nothing outside itself" {
    assert_equal '' "$(awk '/<script type="text\/plain"/ { skip = 1 } !skip { print } /<\/script>/ { skip = 0 }' "$PAGE" |
        grep -oE '(src|href)="[^#d][^"]*"|url\(|@import')"
}

@test "a text from a variant cannot become markup" {
    new_variant markup 'none: <b>bold</b> & "quoted"' "$COMMENT_ONLY" 'Title: <script>alert(1)</script>'
    run_lab 0 variants --format tap --html "$BATS_TEST_TMPDIR/m.html" --json "$BATS_TEST_TMPDIR/m.json" "$VARIANT"
    run -0 cat "$BATS_TEST_TMPDIR/m.html"
    assert_output_has '&lt;script&gt;alert(1)&lt;/script&gt;'
    refute_output_has '<script>alert(1)'
    assert_equal '<script>alert(1)</script>' "$(jq -r '.files["service.c"].mutants[0].description' "$BATS_TEST_TMPDIR/m.json")"
}

@test "the report places each variant in the source, and names what caught it" {
    run -0 jq -r '.files["service.c"].mutants[] |
        "\(.id) \(.status) \(.killedBy | join(" ")) \(.location.start.line == .location.end.line)"' "$REPORT"
    assert_output_has "zero-pending Killed $ZERO_FAILS true"
    assert_output_has 'comment-only Survived'
    assert_output_has 'does-not-build CompileError'
    line=$(jq '.files["service.c"].mutants[0].location.start.line' "$REPORT")
    assert_equal "$(grep -n '"pending", sqlite3_column_double' "$REFERENCE" | cut -d: -f1)" "$line"
    assert_equal "$("$LAB" list --format json | jq -c '[.stages[].clauses[].id]')" "$(jq -c '[.testFiles[].tests[].id]' "$REPORT")"
}

@test "the report is valid by the schema of the field" {
    require_viewer
    require_command node
    cat >"$BATS_TEST_TMPDIR/validate.cjs" <<'SCRIPT'
const [root, report] = process.argv.slice(2);
const read = (file) => JSON.parse(require("fs").readFileSync(file, "utf8"));
const load = require("module").createRequire(root + "/package.json");
const Ajv = load("ajv").default;
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
const schema = read(root + "/node_modules/mutation-testing-report-schema/dist/src/mutation-testing-report-schema.json");
if (!ajv.validate(schema, read(report))) {
    console.log(JSON.stringify(ajv.errors, null, 1));
    process.exit(1);
}
SCRIPT
    run -0 node "$BATS_TEST_TMPDIR/validate.cjs" "$KIT/build" "$REPORT"
    jq 'del(.files["service.c"].mutants[0].status)' "$REPORT" >"$BATS_TEST_TMPDIR/wrong.json"
    run -1 node "$BATS_TEST_TMPDIR/validate.cjs" "$KIT/build" "$BATS_TEST_TMPDIR/wrong.json"
}

@test "without the viewer the page has everything else, and says how to get it" {
    new_kit
    rm -f "$TREE/build/node_modules"
    new_variant markup 'none: only a comment' "$COMMENT_ONLY"
    run_kit 0 variants --format tap --html "$BATS_TEST_TMPDIR/plain.html" "$VARIANT"
    run -0 cat "$BATS_TEST_TMPDIR/plain.html"
    assert_output_has '<code>make picture</code> installs it'
    assert_output_has '<a href="#markup">markup</a>'
    refute_output_has '<script'
}

@test "in Chromium, from a file and offline: the report shows every variant, C in colour, and no error" {
    require_chromium
    require_viewer
    run_page "$PAGE"
    [[ $output =~ data-report=\"variants\ ([0-9]+),\ keywords\ ([0-9]+)\" ]] || fail 'Expected the report to be shown.'
    assert_equal 3 "${BASH_REMATCH[1]}"
    [ "${BASH_REMATCH[2]}" -gt 50 ] || fail 'Expected the keywords of C to be coloured.'
}

@test "in Chromium, at 1300 and 420 pixels, light and dark: nothing is wider than the window" {
    require_chromium
    sed 's|</body>|<script>document.documentElement.dataset.seen = document.documentElement.scrollWidth <= innerWidth ? getComputedStyle(document.body).backgroundColor : "too wide";</script></body>|' \
        "$PAGE" >"$BATS_TEST_TMPDIR/picture.html"
    for width in 1300 420; do
        run_page "$BATS_TEST_TMPDIR/picture.html" --window-size="$width,900"
        assert_output_has 'data-seen="rgb(255, 255, 255)"'
        run_page "$BATS_TEST_TMPDIR/picture.html" --window-size="$width,900" --blink-settings=preferredColorScheme=0
        assert_output_has 'data-seen="rgb(22, 24, 29)"'
    done
}
