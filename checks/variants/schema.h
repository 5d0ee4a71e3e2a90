/*
 * schema.h - many variants compiled as one file, a mutant schema as the field calls it.
 *
 * A variant differs from the reference in a function or two, and a compiler that reads the headers and the other
 * functions again for each of them does the same work a hundred times. So the file holds the reference once, and behind it, for
 * each variant, the functions that its change affects (parts.h) under names of their own:
 *
 *     #define idem_purge ref_idem_purge        what others see of the reference
 *     ... the reference ...
 *     #define delete_key v7_delete_key         the change of variant 7 is in here,
 *     #define idem_purge v7_idem_purge         and this names the other
 *     #line 171 "service.c"
 *     ... both, from the text of the variant ...
 *
 * All of it becomes one object. A variant's subject is that object, linked with idem_purge standing for
 * v7_idem_purge and every other function for the reference's. Lines are those of the variant's own source.
 */
#ifndef VARIANTS_SCHEMA_H
#define VARIANTS_SCHEMA_H

#include "variants/parts.h"

#include <stdio.h>

struct schema {
    FILE *to;
    const char *file; /* the name of the source, for the lines */
    struct parts reference;
};

/* Begins with the reference. `to` and `file` are kept. False when the reference cannot be taken apart. schema_clear() frees in
 * either case, and leaves `to` open: whether everything was written is known when that is closed. */
bool schema_begin(struct schema *s, FILE *to, const char *file, const char *reference);
void schema_clear(struct schema *s);

/*
 * Adds a variant by its source; no two have the same number. Gives the words for the linker, an allocated array of allocated words that
 * ends with NULL. NULL when it differs in more than functions and macros: then nothing was added, and it must be compiled by itself.
 */
char **schema_add(struct schema *s, const char *source, int number);
void schema_words_free(char **words);

#endif
