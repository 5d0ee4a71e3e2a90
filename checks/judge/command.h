/*
 * command.h - runs a program to its end and keeps what it prints. For compilers and their tools.
 */
#ifndef JUDGE_COMMAND_H
#define JUDGE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct command_result {
    int exit_status; /* as a shell counts: 128 + n for signal n; -1: it could not be started */
    bool late;       /* it was killed when its time was up */
    char *output;    /* both streams, at most max_bytes of it; allocated, never NULL unless memory ran out */
    size_t bytes;    /* of output */
    bool cut;        /* there was more */
};

/*
 * Runs command[0] (an absolute path) in `folder` with nothing to read, PATH and `TMPDIR=.` for an environment and no descriptor
 * beyond the first three. It and its process group are killed after `limit_ms`. command_clear() frees the result.
 */
struct command_result command_run(char *const command[], const char *folder, int limit_ms, size_t max_bytes);
void command_clear(struct command_result *result);

/* The absolute path of a program, by PATH; a name with a slash is taken as it is. NULL when there is none. Allocated. */
char *command_find(const char *name);

#endif
