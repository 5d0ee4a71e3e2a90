/*
 * temp.h - a temporary folder that is gone when this process is, however it ended.
 *
 * A janitor process waits at the other end of a pipe. When the last holder of the pipe closes it (by exit,
 * signal or crash: the kernel does it), the janitor removes the folder. So a kill -9 leaves no trace, and
 * nobody has to install a handler. A process forked after temp_make() holds the pipe too: either it closes
 * `pipe`, or the folder stays until it is gone as well.
 */
#ifndef JUDGE_TEMP_H
#define JUDGE_TEMP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct temp {
    char path[PATH_MAX]; /* "": there is none */
    int pipe;
    pid_t janitor;
};

/* Makes an empty folder in `parent`; NULL: on a memory file system where there is one. False: *why is a
 * sentence without a full stop, allocated. */
bool temp_make(struct temp *temp, const char *parent, char **why);

/* Removes it and waits until it is gone. For a `struct temp` of zeros it does nothing. */
void temp_remove(struct temp *temp);

#endif
