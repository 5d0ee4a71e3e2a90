/*
 * util.h - what all of the grader needs: memory that is there or ends the process, texts by format, files
 * by descriptor.
 *
 * The grader is a family of short-lived processes, each of which holds nothing that its death could spoil
 * (the gradebook takes whole transactions). So a process that runs out of memory ends, with status 3, and
 * none of its callers has to ask. Everything returned as `char *` here is allocated with malloc(); the
 * caller frees it.
 */
#ifndef GRADER_UTIL_H
#define GRADER_UTIL_H

#include "base/options.h" /* EXIT_USAGE, EXIT_KIT */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Gives `memory` back; ends the process when it is NULL. For what malloc, strdup and cJSON_Print give. */
void *need(void *memory);
/* Ends the process with a printf-like sentence on standard error. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A printf-like text. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of texts that owns them, grows, and ends with NULL. Start with all zeros. */
struct words {
    char **word;
    size_t count;
};
void words_add(struct words *words, const char *text); /* keeps a copy */
void words_clear(struct words *words);

/* Milliseconds on a clock that never goes back. */
int64_t now_ms(void);

/* Writes all of it; false, with errno, when that fails. */
bool write_all(int fd, const void *bytes, size_t length);
/*
 * Everything that can be read from `fd`, with a NUL after it; *length does not count that. NULL when
 * reading fails (errno says why) or when there is more than `max` (then errno is EFBIG).
 */
char *read_all(int fd, size_t max, size_t *length);
/* The same for a file of the kit, by its path. */
char *read_file(const char *path, size_t max, size_t *length);

/* Creates `path` with these bytes and this mode; false, with errno, when that fails. */
bool write_new_file(const char *path, const void *bytes, size_t length, mode_t mode);
/*
 * Gives the folder `name` below `parent`, opened, without following a link in its last part; -1, with
 * errno.
 */
int open_folder(int parent, const char *name);
/*
 * Removes everything inside the folder open at `fd`, which is closed. Goes by descriptor and follows no
 * link; what cannot be removed stays. At most `depth` folders deep.
 */
void remove_inside(int fd, int depth);

#endif
