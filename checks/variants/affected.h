/*
 * affected.h - which functions of a source can behave in another way after a change.
 *
 * A function is affected when its text is another one, when it is new, or when it names one that is affected or gone. A
 * macro of one line counts as a function. Comments are no text, and nothing but what a function names can affect it:
 * so where anything else has changed, or names an affected one, every function is affected.
 *
 * The sources are laid out as the reference is: a function's head begins in the first column, `{` and `}` around its
 * body stand alone there. What is laid out in another way is not taken for a function.
 */
#ifndef VARIANTS_AFFECTED_H
#define VARIANTS_AFFECTED_H

#include <cjson/cJSON.h>

/* Arrays, empty where nothing can be said; unaffected_clear() frees them. */
struct unaffected {
    cJSON *clauses; /* as the result has them */
    cJSON *calls;   /* names */
};

/*
 * What of a result of check_run() for `old` would come to the same for `new`: calls whose function is not affected, and
 * clauses that passed and made no other calls. The function behind a call is the one that has its name, with or without a
 * prefix: idem_init_db for init-db; a call without one is taken for affected.
 */
struct unaffected unaffected_by(const cJSON *check, const char *old, const char *new);
void unaffected_clear(struct unaffected *unaffected);

#endif
