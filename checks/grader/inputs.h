/*
 * inputs.h - a class as it was downloaded: which submissions there are, and which file of each is meant.
 *
 * Theory of operation. class_list() reads the names in the folder of the class and groups them by
 * submission: `ada.c`, `ada.zip` and a folder `ada` would be one submission with three candidates, which is
 * refused. input_find() then looks for the one file that is meant, down to INPUT_DEPTH folders deep:
 *
 *   1. a file with the name that the lab asks for (service.c) is meant before any other .c file;
 *   2. an archive (.zip, .tar.gz, .tgz) is meant before a .c file of another name beside it, and is
 *      unpacked (attempt.c); inside it the same rules hold, but for archives;
 *   3. two that could be meant, or none, are refused, and so is one that is no regular file, is empty,
 *      holds a NUL byte or is too large. The reason is one sentence that names the file.
 *
 * Nothing is opened by a path that a submission could have bent: folders are opened one by one, and no link
 * is followed. Names are bytes here; names.h makes them fit to be shown.
 */
#ifndef GRADER_INPUTS_H
#define GRADER_INPUTS_H

#include "grader/util.h"

#include <sys/stat.h>

enum {
    INPUT_DEPTH = 3,
    INPUT_MAX_BYTES = 256 * 1024,
    INPUT_MAX_ARCHIVE = 8 * 1024 * 1024,
    INPUT_MAX_FILES = 2000
};

/* One submission of the class: its name (fit for people) and the entries of the class that belong to it. */
struct entrant {
    char *name;
    struct words entries;
};

struct class_list {
    struct entrant *entrant; /* in the order of their names' bytes */
    size_t count;
};

/*
 * Reads the folder open at `fd`. `not_this`: a folder in it that is no submission, the one that reports go
 * to; or NULL. False, with errno, when it cannot be read.
 */
bool class_list(int fd, const struct stat *not_this, struct class_list *list);
void class_clear(struct class_list *list);

/* What is meant by a submission: its bytes, or why it is refused. */
struct input {
    char *file;  /* the path below the class, fit for people; NULL when there is none */
    char *bytes; /* with a NUL after it; NULL when refused */
    size_t length;
    bool is_archive;
    char *refusal; /* a sentence; NULL when not refused */
};

/* `fd`: the folder of the class. `meant`: the file name that the lab asks for. */
void input_find(int fd, const struct entrant *entrant, const char *meant, struct input *input);
/*
 * The same for an unpacked archive in the folder `fd`, which is closed; `archive` is the archive's path, as
 * in `file`.
 */
void input_find_unpacked(int fd, const char *archive, const char *meant, struct input *input);
void input_clear(struct input *input);

/* Drops what was taken and refuses; takes `refusal` over. */
void input_refuse(struct input *input, char *refusal);

#endif
