/*
 * command.c - see command.h.
 */
#include "judge/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void become_command(char *const command[], const char *folder, int output)
{
    static char path[] = "PATH=/usr/bin:/bin", temp[] = "TMPDIR=.";
    char *const environment[] = {path, temp, NULL};
    struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || chdir(folder) != 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 ||
        dup2(output, 2) < 0 || close_range(3, ~0U, 0) != 0)
        _exit(127);
    execve(command[0], command, environment);
    _exit(127);
}

/* Reads until the end or the time is up. What is beyond max_bytes is read and thrown away. */
static void collect(struct command_result *r, int from, long long deadline, size_t max_bytes)
{
    char bytes[65536];
    for (;;) {
        long long left = deadline - now_ms();
        struct pollfd wait = {from, POLLIN, 0};
        if (left <= 0 || poll(&wait, 1, (int)left) == 0) {
            r->late = true;
            return;
        }
        ssize_t got = read(from, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        size_t room = max_bytes - r->bytes, keep = (size_t)got < room ? (size_t)got : room;
        r->cut |= keep < (size_t)got;
        memcpy(r->output + r->bytes, bytes, keep);
        r->bytes += keep;
    }
}

static int wait_for(pid_t pid)
{
    int how = 0;
    while (waitpid(pid, &how, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

struct command_result command_run(char *const command[], const char *folder, int limit_ms, size_t max_bytes)
{
    struct command_result r = {.exit_status = -1};
    int output[2];
    r.output = malloc(max_bytes + 1);
    if (r.output == NULL || pipe2(output, O_CLOEXEC) != 0)
        return r;
    pid_t pid = fork();
    if (pid == 0)
        become_command(command, folder, output[1]);
    close(output[1]);
    if (pid > 0) {
        setpgid(pid, pid);
        collect(&r, output[0], now_ms() + limit_ms, max_bytes);
        /* At the end of its output the leader is about to exit by itself; its status must not be ours. */
        if (r.late)
            kill(-pid, SIGKILL);
        r.exit_status = wait_for(pid);
        kill(-pid, SIGKILL);
    }
    close(output[0]);
    r.output[r.bytes] = '\0';
    return r;
}

void command_clear(struct command_result *result)
{
    free(result->output);
    memset(result, 0, sizeof *result);
}

char *command_find(const char *name)
{
    if (strchr(name, '/') != NULL)
        return access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        size_t length = strcspn(at, ":");
        char *file = NULL;
        if (asprintf(&file, "%.*s/%s", (int)length, at, name) < 0)
            return NULL;
        if (length > 0 && access(file, X_OK) == 0)
            return file;
        free(file);
        at += length + (at[length] == ':');
    }
    return NULL;
}
