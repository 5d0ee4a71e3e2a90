/*
 * The tree of processes is read from /proc/PID/task/TID/children. A sandbox is the first `bwrap` on the way
 * down from the judge, with everything below it: its processes cannot leave that tree, since who loses his
 * parent in there becomes a child of the sandbox's own pid 1. What a process calls itself in there does not
 * matter, since it stands below.
 */
#include "grader/watch.h"
#include "grader/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * PIDS_MAX: more than the limits of processes allow. JUDGE_DEPTH: how far below the judge its sandboxes can
 * start. END_LIMIT_MS: a process that the kernel does not let go of (a dead network disk) must not hold the
 * class up.
 */
enum { PIDS_MAX = 4096, JUDGE_DEPTH = 8, END_LIMIT_MS = 10000 };

struct pids {
    pid_t pid[PIDS_MAX];
    int count;
};

/* The start of a file of /proc, as text; "" when the process is gone. */
static void read_proc(char *text, size_t size, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
}

static void add_children_of_thread(struct pids *pids, pid_t pid, const char *thread)
{
    char path[300], text[16384];

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, thread);
    read_proc(text, sizeof text, path);
    for (char *at = text, *end; pids->count < PIDS_MAX; at = end) {
        const long child = strtol(at, &end, 10);
        if (end == at)
            break;
        pids->pid[pids->count++] = (pid_t)child;
    }
}

/* Adds the children of all threads of `pid`. */
static void add_children(struct pids *pids, pid_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    if (threads == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;)
        if (entry->d_name[0] != '.')
            add_children_of_thread(pids, pid, entry->d_name);
    closedir(threads);
}

/* Fills `pids` with everything below `top`, parents before children. */
static void list_tree(struct pids *pids, pid_t top)
{
    pids->count = 0;
    add_children(pids, top);
    for (int i = 0; i < pids->count; i++)
        add_children(pids, pids->pid[i]);
}

/* The value of a line "Name:  123 kB" of /proc/PID/status, in bytes. */
static long status_bytes(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    return at != NULL ? strtol(at + strlen(name), NULL, 10) * 1024 : 0;
}

/*
 * Not the resident size: that counts the C library once a process. RssShmem is here because memory that is
 * mapped shared is no less taken.
 */
static long memory_of(pid_t pid)
{
    char path[64], status[4096];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    read_proc(status, sizeof status, path);
    return status_bytes(status, "\nRssAnon:") + status_bytes(status, "\nRssShmem:") +
           status_bytes(status, "\nVmSwap:");
}

static bool is_bwrap(pid_t pid)
{
    char path[64], name[32];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    read_proc(name, sizeof name, path);
    return strcmp(name, "bwrap\n") == 0;
}

/* By a handle: between a look and a kill the process may have ended and its number belong to another. */
static void kill_sandbox(pid_t pid)
{
    const int handle = (int)syscall(SYS_pidfd_open, pid, 0);

    if (handle < 0)
        return;
    if (is_bwrap(pid))
        syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0);
    close(handle);
}

static void watch_sandbox(pid_t bwrap)
{
    static struct pids inside;
    long bytes = 0;

    list_tree(&inside, bwrap);
    for (int i = 0; i < inside.count; i++)
        bytes += memory_of(inside.pid[i]);
    if (bytes > SANDBOX_MEMORY_BYTES)
        kill_sandbox(bwrap); /* --die-with-parent takes its pid 1 along, and that everything else */
}

static void watch_below(pid_t pid, int depth)
{
    struct pids *children = need(malloc(sizeof *children));

    children->count = 0;
    add_children(children, pid);
    for (int i = 0; i < children->count; i++)
        if (is_bwrap(children->pid[i]))
            watch_sandbox(children->pid[i]);
        else if (depth > 0)
            watch_below(children->pid[i], depth - 1);
    free(children);
}

void watch_sandboxes(pid_t judge)
{
    watch_below(judge, JUDGE_DEPTH);
}

void end_descendants(void)
{
    static struct pids below;
    const int64_t end_ms = now_ms() + END_LIMIT_MS;

    /*
     * Who forks while he is being killed is found by the next look; a sandbox ends as a whole with its pid
     * 1.
     */
    for (;;) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        list_tree(&below, getpid());
        if (below.count == 0 || now_ms() > end_ms)
            return;
        for (int i = 0; i < below.count; i++)
            kill(below.pid[i], SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}
