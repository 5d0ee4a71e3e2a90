#!/usr/bin/env bats
# checks/deps.sh on machines that lack something, played by a PATH of stand-ins.

load helpers

setup() {
    BIN=$BATS_TEST_TMPDIR/bin
    mkdir "$BIN"
    for command in sh env mktemp rm cat; do ln -s "$(command -v "$command")" "$BIN/$command"; done
}

# new_command NAME [SCRIPT]: a stand-in on the PATH of the machine.
new_command() {
    printf '#!/bin/sh\n%s\n' "${2-}" >"$BIN/$1"
    chmod +x "$BIN/$1"
}

# run_deps STATUS SET...
run_deps() {
    run "-$1" env PATH="$BIN" sh "$KIT/checks/deps.sh" "${@:2}"
}

@test "where nothing is missing it does nothing, not even ask apt-get" {
    for command in gcc make objcopy sqlite3 bats msgfmt bwrap bsdtar jq; do new_command "$command"; done
    new_command apt-get 'exit 1'
    run_deps 0 build
    assert_equal '' "$output"
}

@test "it installs what is missing, and only that, after an update" {
    for command in gcc make objcopy sqlite3 bats msgfmt bwrap; do new_command "$command"; done
    new_command id 'echo 0'
    # The stand-in installs by making the commands appear.
    new_command apt-get "
        echo \"\$*\" >>'$BATS_TEST_TMPDIR/asked'
        case \$* in *install*) for c in bsdtar jq; do ln -s '$BIN/gcc' '$BIN'/\$c; done ;; esac"
    ln -s "$(command -v ln)" "$BIN/ln"
    run_deps 0 build
    assert_equal 'Installing: libarchive-tools jq' "$output"
    assert_equal 2 "$(wc -l <"$BATS_TEST_TMPDIR/asked")"
    grep -q ' update$' <(head -1 "$BATS_TEST_TMPDIR/asked") || fail 'Expected an update first.'
    grep -q ' install .* libarchive-tools jq$' "$BATS_TEST_TMPDIR/asked" || fail 'Expected exactly what is missing.'
}

@test "a missing library is seen by its header" {
    for command in make objcopy sqlite3 bats msgfmt bwrap bsdtar jq; do new_command "$command"; done
    ln -s "$(command -v grep)" "$BIN/grep"
    new_command gcc 'if grep -q cJSON; then exit 1; fi'
    new_command id 'echo 1000'
    new_command apt-get
    run_deps 1 build
    assert_output_has 'apt-get install libcjson-dev'
}

@test "as neither root nor with sudo it says in a sentence what to install" {
    new_command id 'echo 1000'
    new_command apt-get 'exit 1'
    run_deps 1 build
    assert_equal 1 "${#lines[@]}"
    assert_output_has 'as root, run: apt-get install gcc '
}

@test "with sudo it installs through it" {
    for command in gcc make objcopy sqlite3 bats msgfmt bwrap bsdtar; do new_command "$command"; done
    ln -s "$(command -v ln)" "$BIN/ln"
    new_command id 'echo 1000'
    new_command sudo 'SUDO=yes exec "$@"'
    new_command apt-get "
        [ -n \"\$SUDO\" ] || exit 1
        case \$* in *install*) ln -s '$BIN/gcc' '$BIN/jq' ;; esac"
    run_deps 0 build
    assert_equal 'Installing: jq' "$output"
}

@test "without apt-get it names what is missing" {
    new_command id 'echo 0'
    run_deps 1 build
    assert_output_has 'libcjson-dev'
    assert_output_has 'no apt-get'
}

@test "when apt-get fails its words are shown" {
    new_command id 'echo 0'
    new_command apt-get 'echo "E: no such thing"; exit 100'
    run_deps 1 build
    assert_output_has 'E: no such thing'
}

@test "an unknown set is wrong usage" {
    run_deps 2 everything
    assert_output_has everything
}
