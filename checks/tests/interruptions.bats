#!/usr/bin/env bats
# A check that is ended in its middle.

load helpers

# new_endless_service: a service that never comes back from idem_reserve. It says where it runs through the fifo
# $FIFO and holds that open, so that the reader's end of file means that every process of it is gone.
new_endless_service() {
    FIFO=$BATS_TEST_TMPDIR/fifo
    mkfifo "$FIFO"
    new_reference_with idem_reserve <<C
    static char folder[4096];
    FILE *out = fopen("$FIFO", "w");
    fprintf(out, "%s\n", getcwd(folder, sizeof folder));
    fflush(out);
    for (volatile int again = 1; again;)
        continue;
C
    sed -i '1i #include <stdio.h>\n#include <unistd.h>' "$SERVICE"
}

# assert_interrupted_without_trace SIGNAL
assert_interrupted_without_trace() {
    local lab folder
    new_endless_service
    # In the background a shell ignores SIGINT for its children; env gives it back its meaning.
    env --default-signal=INT "$LAB" check --clause 2.1 "$SERVICE" >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    lab=$!
    exec 4<"$FIFO"
    read -r folder <&4
    [ -d "$folder" ] || fail "Expected the submission to run in a folder; observed: $folder"
    kill -s "$1" "$lab"
    timeout 30 cat <&4 >"$BATS_TEST_TMPDIR/rest" || fail 'Expected every process of the submission to end.'
    exec 4<&-
    # The process that cleans up is the last to go; SECONDS bounds the wait, it judges nothing.
    SECONDS=0
    while [ -e "$folder" ]; do
        [ "$SECONDS" -lt 30 ] || fail "Expected the temporary folder to be removed: $folder"
    done
    run wait "$lab"
    rm "$FIFO"
}

@test "a check that is killed leaves no process and no folder" {
    assert_interrupted_without_trace KILL
}

@test "a sandbox that waits for a grader which was killed is ended" {
    local lab folder
    # What bwrap is in its first moment: no child that ends with its parent yet, and the folder on its command line.
    # It holds a fifo open, so that the reader's end of file means that it is gone.
    mkfifo "$BATS_TEST_TMPDIR/alive"
    printf '#!/bin/sh\nexec 1>"%s"\nread -r nothing\n' "$BATS_TEST_TMPDIR/alive" >"$BATS_TEST_TMPDIR/bwrap"
    chmod +x "$BATS_TEST_TMPDIR/bwrap"
    new_endless_service
    "$LAB" check --clause 2.1 "$SERVICE" >/dev/null 2>&1 3>&- &
    lab=$!
    exec 4<"$FIFO"
    read -r folder <&4
    mkfifo "$BATS_TEST_TMPDIR/silent"
    exec 6<>"$BATS_TEST_TMPDIR/silent"
    "$BATS_TEST_TMPDIR/bwrap" --bind "$folder" /w <"$BATS_TEST_TMPDIR/silent" >/dev/null 2>&1 3>&- 4>&- &
    exec 5<"$BATS_TEST_TMPDIR/alive"
    kill -KILL "$lab"
    timeout 30 cat <&5 || fail 'Expected the sandbox to be ended.'
    exec 4<&- 5<&- 6>&-
}

@test "a check that is interrupted or told to end leaves no process and no folder" {
    assert_interrupted_without_trace INT
    assert_interrupted_without_trace TERM
}
