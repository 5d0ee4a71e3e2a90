#!/usr/bin/env bats
# The Makefile as people use it.

load helpers

# run_make STATUS TARGET...: make in the copy of the kit.
run_make() {
    run "-$1" timeout -k 5 "$OUTER_LIMIT_S" make -C "$TREE" "${@:2}"
}

setup() {
    new_tree
    WORK=$TREE/work/$LAB_NAME
}

@test "make alone lists the targets, and every listed target exists" {
    run_make 0
    for target in demo test start reset check idem bench lint format clean deps; do
        assert_output_has "  $target "
    done
    while read -r target; do
        run make -C "$TREE" -n "$target"
        refute_output_has 'No rule to make target'
    done < <(make -s -C "$TREE" | awk '/^  /{ print $1 }')
}

@test "make start puts the starter under work/ and says what to do next" {
    run_make 0 start
    assert_same_text "$STARTER" "$WORK/service.c"
    assert_output_has "01-contract.sh"
}

@test "make start never overwrites" {
    run_make 0 start
    echo '/* mine */' >"$WORK/service.c"
    run_make 0 start
    assert_equal '/* mine */' "$(cat "$WORK/service.c")"
}

@test "make start leaves a link that leads nowhere alone" {
    mkdir -p "$WORK"
    ln -s nowhere "$WORK/service.c"
    run_make 0 start
    [ -L "$WORK/service.c" ] || fail 'Expected the link to stay.'
}

@test "make reset keeps a dated copy, says where, and starts again" {
    run_make 0 start
    echo '/* mine */' >"$WORK/service.c"
    run_make 0 reset
    assert_same_text "$STARTER" "$WORK/service.c"
    kept=$(find "$WORK" -name 'service-*.c')
    assert_equal '/* mine */' "$(cat "$kept")"
    assert_output_has "${kept#"$TREE/"}"
}

@test "resets within one second keep every copy" {
    mkdir -p "$WORK"
    for n in 1 2 3 4; do
        echo "$n" >"$WORK/service.c"
        run_make 0 reset
    done
    assert_equal '1 2 3 4' "$(cat "$WORK"/service-*.c | sort | xargs)"
}

@test "make check checks all stages, with STAGE one, written 4 or 04" {
    run_make 0 start
    cp "$REFERENCE" "$WORK/service.c"
    run_make 0 check
    assert_output_has '08 retention'
    for stage in 4 04; do
        run_make 0 check STAGE=$stage
        assert_output_has '04 fetch'
        refute_output_has '05 expired'
    done
}

@test "make check goes up to the first stage that does not hold, and says how far that is" {
    run_make 0 start
    new_partial_service 3
    cp "$SERVICE" "$WORK/service.c"
    run_make 2 check
    assert_output_has '03 finish: holds'
    assert_output_has '04 fetch: not written yet'
    refute_output_has '05 expired'
    assert_equal "3 of 8 stages hold; next: 04 fetch, page labs/$LAB_NAME/04-fetch.md" \
        "$(grep 'stages hold' <<<"$output")"
}

@test "make check without a service says how to start" {
    run_make 2 check
    assert_output_has 'make start'
}

@test "make check fails when the service falls short" {
    run_make 0 start
    run_make 2 check
    assert_output_has 'not written yet'
    run_make 2 check STAGE=01
    assert_output_has 'not written yet'
}

@test "make idem links the service as a program, and again when the service has changed" {
    run_make 0 start
    cp "$REFERENCE" "$WORK/service.c"
    run_make 0 idem
    cd "$BATS_TEST_TMPDIR"
    run -0 "$WORK/idem" keys.db init-db
    run -0 "$WORK/idem" keys.db reserve ord-7f a1 10.5
    run -0 --separate-stderr "$WORK/idem" keys.db counts
    jq -e '.pending == 1 and .done == 0' <<<"$output" >/dev/null || fail 'Expected one pending row.'
    touch -d '1 minute ago' "$WORK/idem"
    cp "$STARTER" "$WORK/service.c"
    run_make 0 idem
    rm -f keys.db
    run "$WORK/idem" keys.db init-db
    [ "$status" -ne 0 ] || fail 'Expected the starter to answer TODO.'
}

@test "make idem accepts a service with warnings" {
    mkdir -p "$WORK"
    { cat "$REFERENCE" && echo 'static int unused;'; } >"$WORK/service.c"
    run_make 0 idem
    assert_output_has 'unused'
}

@test "make clean removes what was built and keeps the work" {
    run_make 0 start
    run_make 0 clean
    [ ! -e "$TREE/build" ] || fail 'Expected build/ to be gone.'
    assert_same_text "$STARTER" "$WORK/service.c"
}

@test "make deps does nothing, and says nothing, where nothing is missing" {
    run -0 make -s -C "$TREE" deps
    assert_equal '' "$output"
}

@test "make demo shows the starter, the reference, variants, a class graded and the way to start" {
    run_make 0 demo
    assert_output_has 'not written yet'
    assert_output_has '08 retention-cycle: holds'
    assert_output_has 'Each fails exactly as it says.'
    assert_output_has '"returning-and-sort",graded,100,100'
    assert_output_has '"own-strcmp",graded,0,100'
    assert_output_has 'make start'
}

@test "make bench prints each figure as a ratio of the compiler alone" {
    cd "$TREE"
    run -0 timeout -k 5 "$OUTER_LIMIT_S" checks/bench.sh 1
    [[ $output =~ 'compiler alone'\ +[0-9.]+\ +1.00 ]] || fail 'Expected the compiler alone to be 1.00.'
    for figure in 'all stages, everything' 'stage 08, everything' 'all stages, craft' 'all stages, random' \
        'one job : two jobs' 'variants : compiling them'; do
        assert_output_has "$figure"
    done
}
