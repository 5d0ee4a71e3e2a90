/*
 * diff.h - one unified diff against one file: reading it, applying it, and saying which words it changes.
 *
 * patch(1) looks for the place where a hunk fits best and takes the first. A change that teaches something
 * has exactly one place, so here a hunk applies only where its old lines stand once in the whole source;
 * the line numbers of its head say nothing, so that the source may grow above it.
 */
#ifndef VARIANTS_DIFF_H
#define VARIANTS_DIFF_H

#include <stdbool.h>

struct diff_line {
    char kind;  /* ' ' stays, '-' goes, '+' comes */
    char *text; /* without newline */
    /* As long as text, '^' under each changed byte; NULL where nothing is changed, or all of it. */
    char *marks;
};

struct diff_hunk {
    int at;           /* its line in the text that was read, from 1 */
    int first, count; /* of `lines` */
};

struct diff {
    struct diff_line *lines;
    int line_count;
    struct diff_hunk *hunks;
    int hunk_count;
};

/* `line`: the number of the first line of `text`, for sentences. NULL: *why is a sentence, allocated. */
struct diff *diff_read(const char *text, int line, char **why);
void diff_free(struct diff *diff); /* takes NULL */

/* `source` with every hunk applied, allocated. NULL when one applies nowhere or twice: *why says which. */
char *diff_apply(const struct diff *diff, const char *source, char **why);

/* Where two texts differ, in whole words: bytes [start, old_end) of one became [start, new_end) of the
 * other. */
struct difference {
    int start, old_end, new_end;
};
struct difference difference_of(const char *old, const char *new);

#endif
