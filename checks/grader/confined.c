/*
 * confined.c - the last step into the sandbox: sets limits, refuses system calls, becomes the command.
 *
 * Usage: confined compile|run|unpack COMMAND...
 *
 * Theory of operation. bubblewrap builds a world of its own (namespaces, a few mounts, an unprivileged uid)
 * and runs this program in it; see sandbox.c. What bubblewrap has no option for is done here, in this
 * order:
 *
 *   0. the same addresses in every run: a sanitizer's report quotes them, and two gradings of a file are to
 *      give the same report. Random ones would protect nobody here: what runs is not trusted as it is.
 *   1. resource limits. They are set inside the user namespace, so that the limit of processes counts this
 *      sandbox alone; outside it would count everything its user runs, and launches would fail at random.
 *   2. no_new_privs, and a seccomp filter that every later program and child inherits.
 *   3. exec of the command, which can undo none of it.
 *
 * The filter names what is refused, not what is allowed: the kernel's own checks keep a process without
 * capabilities in an empty network namespace from nearly everything, and an allowed list would break with
 * the next C library. What is refused is what those checks leave open: looking into other processes, memory
 * that no limit counts, new namespaces, and interfaces of the kernel that were the way out of sandboxes
 * before.
 *
 * Linked statically: it must run in a world where nothing of the kit but itself is in sight.
 *
 * Exit status: that of the command; 126 when the world could not be locked, 127 when there is no such
 * command.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MIB (1024L * 1024L)

/*
 * What one kind of command may use. Each process has the bounds for itself; `processes` counts threads too.
 */
struct bounds {
    const char *kind;
    long cpu_s, file_bytes, memory_bytes, processes, descriptors;
};

/*
 * A submission's address space is not bounded: AddressSanitizer reserves terabytes of it. The grader
 * watches how much of it is used (watch.c). The compiler and the unpacker are plain programs and get a
 * bound here.
 */
static const struct bounds bounds[] = {
    {"compile", 40, 64 * MIB, 2048 * MIB, 64, 256},
    {"run", 60, 16 * MIB, -1, 64, 128},
    {"unpack", 10, 16 * MIB, 1024 * MIB, 16, 64},
};

static const struct bounds *bounds_of(const char *kind)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (strcmp(bounds[i].kind, kind) == 0)
            return &bounds[i];
    return NULL;
}

/* Sets both the limit and what it may be raised to. A limit that is lower already stays. */
static bool limit(int resource, long value)
{
    struct rlimit now;

    if (getrlimit(resource, &now) != 0)
        return false;
    if (value < 0 || now.rlim_max < (rlim_t)value)
        return true;
    return setrlimit(resource, &(struct rlimit){(rlim_t)value, (rlim_t)value}) == 0;
}

static bool set_limits(const struct bounds *b)
{
    return limit(RLIMIT_CPU, b->cpu_s) && limit(RLIMIT_FSIZE, b->file_bytes) &&
           limit(RLIMIT_AS, b->memory_bytes) && limit(RLIMIT_NPROC, b->processes) &&
           limit(RLIMIT_NOFILE, b->descriptors) && limit(RLIMIT_STACK, 8 * MIB) && limit(RLIMIT_CORE, 0) &&
           limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_SIGPENDING, 256);
}

/*
 * When the machine's memory runs out all the same, the kernel takes it from here first. Failing is no harm.
 */
static void volunteer_for_the_oom_killer(void)
{
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4)
            perror("confined: oom_score_adj");
        close(fd);
    }
}

/* Answered with EPERM, by what they would open up. */
static const int refused[] = {
    /* looking into other processes, or reaching out of one's own */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(process_mrelease),
    /* memory that belongs to no process, so that watching processes would miss it */
    SCMP_SYS(memfd_create),
    SCMP_SYS(memfd_secret),
    SCMP_SYS(shmget),
    SCMP_SYS(msgget),
    SCMP_SYS(semget),
    SCMP_SYS(mq_open),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    /* another view of the file system, another namespace */
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
    /* large interfaces of the kernel that no exercise needs */
    SCMP_SYS(bpf),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(quotactl),
    SCMP_SYS(acct),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(reboot),
    SCMP_SYS(syslog),
    SCMP_SYS(kexec_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(vhangup),
};

/* The flags of clone() that make a namespace. Each by itself: a filter compares under one mask at a time. */
static const unsigned long namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                           CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

static bool refuse(scmp_filter_ctx filter, int error, int call)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), call, 0) == 0;
}

/* Refuses the call when argument number `which`, under `mask`, equals `value`. */
static bool refuse_when(scmp_filter_ctx filter, int error, int call, unsigned which, unsigned long mask,
                        unsigned long value)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), call, 1,
                            SCMP_CMP(which, SCMP_CMP_MASKED_EQ, mask, value)) == 0;
}

static bool add_rules(scmp_filter_ctx filter)
{
    /* Arguments of these are 32 bits wide; the kernel ignores what stands above, so the filter must too. */
    const unsigned long low = 0xffffffffUL;
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof refused / sizeof refused[0]; i++)
        ok = refuse(filter, EPERM, refused[i]);
    for (size_t i = 0; ok && i < sizeof namespaces / sizeof namespaces[0]; i++)
        ok = refuse_when(filter, EPERM, SCMP_SYS(clone), 0, namespaces[i], namespaces[i]);
    /* Its flags lie in memory, where no filter can look; without it the C library uses clone(). */
    ok = ok && refuse(filter, ENOSYS, SCMP_SYS(clone3));
    /* Typing into the terminal of whoever started the grader. */
    ok = ok && refuse_when(filter, EPERM, SCMP_SYS(ioctl), 1, low, TIOCSTI);
    ok = ok && refuse_when(filter, EPERM, SCMP_SYS(ioctl), 1, low, TIOCLINUX);
    /* A process that cannot be looked at from outside cannot be checked for what it left open. */
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 2,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, low, PR_SET_DUMPABLE),
                                SCMP_A1(SCMP_CMP_MASKED_EQ, low, 0)) == 0;
    /* Sockets are for processes of this sandbox among each other. */
    return ok && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                                  SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0)) == 0;
}

static bool refuse_calls(void)
{
    bool ok = false;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    if (filter == NULL)
        return false;
    /* Calls of another architecture's numbering (32 bits on a 64-bit machine) would pass by the rules. */
    ok = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
         seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && add_rules(filter) &&
         seccomp_load(filter) == 0;
    seccomp_release(filter);
    return ok;
}

int main(int argc, char **argv)
{
    const struct bounds *b = argc > 2 ? bounds_of(argv[1]) : NULL;

    if (b == NULL) {
        fputs("usage: confined compile|run|unpack COMMAND...\n", stderr);
        return 126;
    }
    volunteer_for_the_oom_killer();
    if (personality(ADDR_NO_RANDOMIZE) < 0) /* then reports differ in addresses, and in nothing else */
        perror("confined: personality");
    if (!set_limits(b)) {
        perror("confined: limits");
        return 126;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !refuse_calls()) {
        fputs("confined: the system calls could not be filtered\n", stderr);
        return 126;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "confined: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
