/*
 * sandbox.h - where submissions are compiled and run: a world of their own, built by bubblewrap.
 *
 * Theory of operation. For each submission the grader forks a supervisor (attempt.c), which calls
 * sandbox_enter(): it moves into a mount namespace of its own, in which `temp` is an empty memory file
 * system of bounded size, and which vanishes with its last process. From there it forks the judge, which
 * calls sandbox_drop() and is from then on an unprivileged user. Whatever the judge starts from a
 * submission (the compiler, the program, an archive's unpacker) goes through sandbox_command():
 *
 *     supervisor ── judge ── worker ── bwrap ══ bwrap, pid 1 ── confined, then the command
 *     own mounts    uid of   (judge/)         ║ own user, pid, mount, ipc, uts, net, cgroup namespaces;
 *     memory watch  nobody                    ║ in sight: /usr, read-only; one folder, as /w
 *
 * What it promises: of the machine's files, /usr alone can be read, and nothing but the one folder, a
 * private /tmp and /dev/shm can be written, all of bounded size; no network; no process outside can be
 * seen; no variable of the environment but PATH; no more privilege than an unprivileged user has, also when
 * root grades; limits of CPU, processes, descriptors and file size (confined.c); and when the first process
 * ends, the kernel ends all others. Memory is bounded by watching (watch.h).
 *
 * Root becomes an unprivileged user before bubblewrap starts, not inside it: a sandbox that root starts is
 * still root to the kernel's limits, whatever its uid inside says.
 *
 * Without bubblewrap (`--no-sandbox`) only the bounded folder, the user and the time limits are left.
 */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

enum sandbox_use { SANDBOX_COMPILE, SANDBOX_RUN, SANDBOX_UNPACK };

struct sandbox {
    char *bwrap;      /* bubblewrap's path; NULL: no sandbox */
    char *confined;   /* the helper's path in the kit */
    char *bsdtar;     /* what unpacks archives; NULL: there is none */
    const char *temp; /* the folder that becomes the bounded file system */
    char *folder;     /* for the submission's files: `temp` or below it; set by sandbox_enter() */
    uid_t uid;        /* who judges, */
    gid_t gid;        /* when root grades */
};

/*
 * Finds what is needed. False, and *why a sentence (allocated), when something is missing or when one of
 * `hidden`, folders that no submission may see (ends with NULL), lies where all could see it.
 */
bool sandbox_find(struct sandbox *sandbox, const char *kit, const char *const hidden[], bool unsandboxed,
                  char **why);
void sandbox_clear(struct sandbox *sandbox);

/* The supervisor's step; false, and *why a sentence, when the world cannot be made. */
bool sandbox_enter(struct sandbox *sandbox, char **why);
/*
 * The judge's step: no way back to the rights of the grader. `kit`: a folder that it must still be able to
 * read.
 */
bool sandbox_drop(const struct sandbox *sandbox, const char *kit, char **why);
/* When everything has ended: removes what sandbox_enter() made and what does not vanish by itself. */
void sandbox_leave(struct sandbox *sandbox);

/* `command` with all that goes before it; a vector as check.h describes it. `folder`: the one it may see. */
char **sandbox_command(const struct sandbox *sandbox, const char *folder, enum sandbox_use use,
                       const char *const command[]);
/* The same as the hook of struct check_options; `sandbox` is a struct sandbox. */
char **sandbox_confine(const void *sandbox, const char *folder, bool compiling, char *const command[]);

/* The folder, a memory file system of its own, into which an archive is unpacked; allocated. */
char *sandbox_unpack_folder(const struct sandbox *sandbox);

#endif
