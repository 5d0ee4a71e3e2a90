/*
 * parts.h - a source taken apart: its functions, its macros, and what else there is.
 *
 * A part is affected by a change when its text is another one, when it is new, or when it names one that is affected or
 * gone. Comments are no text, and nothing but what a part names can affect it: so where anything outside the parts has changed, or
 * names an affected one, every part may be affected.
 *
 * The sources are laid out as the reference is: a function's head begins in the first column, `{` and `}` around its
 * body stand alone there; a macro is one line. What is laid out in another way is no part, but something else.
 */
#ifndef VARIANTS_PARTS_H
#define VARIANTS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_PARTS = 200 };

/* A function, or a macro of one line: both have a name by which others use them. */
struct part {
    const char *name;
    size_t name_length;
    const char *text; /* head and body, or the line; its last character ends a line */
    size_t length;
    bool affected;
};

/* A source in parts, in the order in which they stand there. */
struct parts {
    char *text; /* the source without comments: as long, and with the same lines; parts point into it */
    struct part part[MAX_PARTS];
    int count;
    char *outside; /* everything else */
};

/* Takes a source apart. False when that cannot be done. parts_clear() frees in either case. */
bool parts_read(struct parts *s, const char *text);
void parts_clear(struct parts *s);

/* The part of `s` that has the name of `f`; NULL when there is none. */
const struct part *parts_find(const struct parts *s, const struct part *f);

/* Whether the part is new, or has another text than in `old`. */
bool parts_changed(const struct parts *old, const struct part *f);

/* Marks what of `new` the change from `old` affects. False when that may be anything. */
bool parts_mark_affected(const struct parts *old, struct parts *new);

#endif
