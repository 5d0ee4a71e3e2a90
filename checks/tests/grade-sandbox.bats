#!/usr/bin/env bats
# The sandbox of `lab grade`: what a submission that runs before any check can see, take and leave behind.
#
# Each submission here is the reference with a constructor in front. What it prints stands in the judge's
# result.

load helpers

setup_file() {
    export CLASS=$BATS_FILE_TMPDIR/class OUT=$BATS_FILE_TMPDIR/out
    # Where everybody may go: what a submission could read and write there were it not for the sandbox.
    export OPEN
    OPEN=$(mktemp -d)
    chmod 777 "$OPEN"
    printf 'bait' >"$OPEN/bait"
    chmod 666 "$OPEN/bait"
    mkdir "$CLASS"
    new_class
    timeout -k 5 "$OUTER_LIMIT_S" "$LAB" grade "$CLASS" --out "$OUT" --seed 4711
}

teardown_file() {
    rm -rf "$OPEN"
}

# new_intruder NAME: the reference with a constructor whose body is standard input.
new_intruder() {
    {
        printf '#define _GNU_SOURCE\n'
        printf '#include <%s>\n' fcntl.h stdio.h stdlib.h unistd.h sys/mman.h sys/ptrace.h sys/socket.h
        printf '__attribute__((constructor)) static void intrude(void)\n{\n'
        cat
        printf '}\n'
        cat "$REFERENCE"
    } >"$CLASS/$1.c"
}

new_class() {
    cp "$REFERENCE" "$CLASS/honest.c"
    new_intruder looker <<'C'
    printf("socket %d ptrace %ld memfd %d\n", socket(AF_INET, SOCK_STREAM, 0),
           ptrace(PTRACE_TRACEME, 0, 0, 0), memfd_create("m", 0));
    fflush(stdout);
    if (system("id -u; env | sort | tr '\\n' ' '; ls / | tr '\\n' ' '") != 0)
        abort();
C
    new_intruder writer <<C
    static const char *const names[] = {"/usr/x", "/x", "/dev/x", "/etc/x", "$OPEN/bait",
                                        "$OPEN/x", "$KIT/x"};
    for (int i = 0; i < 7; i++)
        if (open(names[i], O_RDWR | O_CREAT, 0600) >= 0)
            printf("opened %s\n", names[i]);
    fflush(stdout);
C
    new_intruder lingerer <<'C'
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            execl("/usr/bin/sleep", "lab-lingerer", "1000", (char *)0);
        _exit(0);
    }
C
    printf '#include "%s"\n#include "/etc/passwd"\n' "$OPEN/bait" >"$CLASS/includer.c"
    printf '#include "service.h"\n__asm__(".incbin \\"%s\\"");\n' "$REFERENCE" >"$CLASS/incbin.c"
}

# ask SQL: of the gradebook.
ask() {
    sqlite3 "$OUT/gradebook.sqlite" "$1"
}

# printed NAME: what a submission printed, once.
printed() {
    ask "SELECT result FROM records WHERE name = '$1'" |
        jq -r '[.stages[].clauses[].printed // empty][0]'
}

@test "a submission has no network, no tracing, no hidden memory, no name but its own uid, and PATH alone" {
    output=$(printed looker)
    assert_output_has 'socket -1 ptrace -1 memfd -1'
    assert_output_has 1000
    assert_output_has 'PATH=/usr/bin:/bin'
    for word in HOME= USER= BATS; do refute_output_has "$word"; done
}

@test "a submission sees of the machine's folders only what the compiler needs, and no process but its own" {
    output=$(printed looker)
    assert_output_has 'usr'
    for word in home root var work; do refute_output_has " $word "; done
}

@test "a submission can write nothing outside its folder" {
    output=$(printed writer)
    refute_output_has opened
    assert_equal bait "$(cat "$OPEN/bait")"
}

@test "the compiler sees no file of the machine, by include or by assembler" {
    for name in includer incbin; do
        assert_equal 0.0 "$(ask "SELECT points FROM submissions WHERE name = '$name'")"
        output=$(ask "SELECT result FROM records WHERE name = '$name'")
        refute_output_has 'root:x'
    done
    output=$(ask "SELECT reason FROM submissions WHERE name = 'includer'")
    assert_output_has 'does not compile'
}

@test "a process that was meant to stay is gone, and the neighbour's mark is whole" {
    for status in /proc/[0-9]*/cmdline; do
        ! tr '\0' ' ' 2>/dev/null <"$status" | grep -q '^lab-lingerer' || fail "A process still runs: $status"
    done
    assert_equal 100.0 "$(ask "SELECT points FROM submissions WHERE name = 'honest'")"
}

@test "an unprivileged user grades as root does" {
    [ "$(id -u)" -eq 0 ] || skip 'only root can become somebody else'
    command -v runuser >/dev/null || skip 'there is no runuser'
    runuser -u nobody -- test -r "$LAB" || skip 'others cannot read this checkout'
    mkdir "$OPEN/class"
    printf 'int x = \n' >"$OPEN/class/one.c"
    run --separate-stderr -0 runuser -u nobody -- "$LAB" grade "$OPEN/class" --out "$OPEN/out"
    assert_output_has '1 graded'
}
