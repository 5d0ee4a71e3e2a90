/*
 * temp.c - see temp.h.
 */
#include "judge/temp.h"

#include "base/language.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* A memory file system that programs may be started from, else where temporary files go. */
static const char *default_parent(void)
{
    struct statvfs fs;
    if (access("/dev/shm", W_OK | X_OK) == 0 && statvfs("/dev/shm", &fs) == 0 && !(fs.f_flag & ST_NOEXEC))
        return "/dev/shm";
    const char *temp = getenv("TMPDIR");
    return temp != NULL && temp[0] == '/' ? temp : "/tmp";
}

static void remove_tree(const char *folder)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--one-file-system", "--", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

/* Whether this is a sandbox around the folder: its command line names both. */
static bool is_sandbox_of(const char *process, const char *folder)
{
    static const char name[] = "bwrap";
    char file[64], words[8192];
    snprintf(file, sizeof file, "/proc/%.20s/cmdline", process);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, words, sizeof words) : -1;
    if (fd >= 0)
        close(fd);
    return length > 0 && memmem(words, (size_t)length, name, strlen(name)) != NULL &&
           memmem(words, (size_t)length, folder, strlen(folder)) != NULL;
}

/* A sandbox ends with the process that started it, but for a moment at its beginning, when it waits for that one and would
 * wait for ever. */
static void end_sandboxes(const char *folder)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]) && is_sandbox_of(entry->d_name, folder))
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    if (processes != NULL)
        closedir(processes);
}

/* Waits until the other end of the pipe is closed, then removes the folder. A byte before that: it ends in good order. */
static _Noreturn void be_janitor(const char *folder, int pipe_end)
{
    char byte;
    ssize_t said;
    struct stat file;
    setsid(); /* it outlives the terminal, too */
    dup2(pipe_end, 0);
    close_range(1, ~0U, 0);
    while ((said = read(0, &byte, 1)) < 0 && errno == EINTR)
        continue;
    if (said <= 0)
        end_sandboxes(folder);
    /* Processes that are just being killed may still write: once more, until it is gone. */
    for (int tries = 0; tries < 100 && lstat(folder, &file) == 0; tries++) {
        remove_tree(folder);
        if (tries > 0)
            poll(NULL, 0, 10);
    }
    _exit(0);
}

bool temp_make(struct temp *temp, const char *parent, char **why)
{
    int ends[2];
    sigset_t all, before;
    parent = parent != NULL ? parent : default_parent();
    snprintf(temp->path, sizeof temp->path, "%s/lab-XXXXXX", parent);
    if (mkdtemp(temp->path) == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        if (asprintf(why, _("no temporary folder can be made in %s: %s"), parent, strerror(errno)) < 0)
            *why = NULL;
        temp->path[0] = '\0';
        return false;
    }
    sigfillset(&all); /* the janitor keeps them blocked: no interrupt is for it, not even the next moment's */
    sigprocmask(SIG_SETMASK, &all, &before);
    temp->janitor = fork();
    if (temp->janitor == 0) {
        close(ends[1]);
        be_janitor(temp->path, ends[0]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    temp->pipe = ends[1];
    return true;
}

void temp_remove(struct temp *temp)
{
    if (temp->path[0] == '\0')
        return;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a janitor that is gone has nothing to hear */
    (void)!write(temp->pipe, "", 1);
    signal(SIGPIPE, before);
    close(temp->pipe);
    while (waitpid(temp->janitor, NULL, 0) < 0 && errno == EINTR)
        continue;
    temp->path[0] = '\0';
}
