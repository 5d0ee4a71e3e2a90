/*
 * variant.h - a broken variant: the reference with one plausible mistake, as a patch with a head of its own.
 *
 *   Title: an existing key is replaced
 *   Stage: 02
 *   Kind: worksheet                     (or boundary, cleanup, field)
 *   Looks right because: the first reservation of every key still answers true
 *   Fails: 2.2 2.3 2.R                  (exactly these clauses; or "none: why")
 *   Ask: which input shows the difference, and what would you look at after the call?
 *   Undefined: yes                      (only where the change has no defined behaviour: it is then shown
 *                                        and run, and its predictions are not scored)
 *
 *   --- a/service.c
 *   +++ b/service.c
 *   @@ ...
 *
 * Fails names the clauses that fail with every seed. A random run that is not named may fail as well: it
 * comes upon the mistake by luck. Of any other clause that cannot be.
 *
 * Each field is there once, in any order; a line that begins with a space goes on with the field above. The
 * name of a variant is that of its file without ".patch"; where that begins with two digits they are the
 * stage.
 *
 * A variant never touches the reference: applying gives a text. Sentences (*why) go on from the file's name
 * and a colon, have no full stop, and are allocated.
 */
#ifndef VARIANTS_VARIANT_H
#define VARIANTS_VARIANT_H

#include "variants/clause_set.h"
#include "variants/diff.h"

struct variant {
    char *name;
    char *file; /* as it was named */
    char *title, *stage_number, *kind, *looks_right, *fails_text, *ask;
    char *undefined; /* NULL: its behaviour is defined */
    int stage;       /* counted from 0 */
    struct clause_set fails;
    char *why_none; /* why no clause fails; NULL where some do */
    char *diff_text;
    struct diff *diff;
};

/* NULL: *why says what is wrong with the file, or is NULL when memory ran out. */
struct variant *variant_load(const struct lab *lab, const char *file, char **why);
void variant_free(struct variant *variant); /* takes NULL */

/* The whole text of a file, allocated; NULL, with errno set, when it cannot be read or is larger than a
 * source may be. */
char *read_text_file(const char *file);
/* The name of a variant by its file. Allocated. */
char *variant_name_of(const char *file);

/* Paths of the kit, allocated. */
char *variants_folder(const struct lab *lab);
char *reference_path(const struct lab *lab);

/*
 * The files that words of a command line stand for: a name of the kit, or a path to a patch anywhere. No
 * words: every variant of the kit, in order. Allocated, ends with NULL; files_free() frees it. NULL after a
 * sentence about the first word that stands for none, or about an empty kit.
 */
char **variant_files(const struct lab *lab, char *const words[], int count, int *status);
void files_free(char **files);

#endif
