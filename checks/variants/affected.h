/*
 * affected.h - what of a check comes to the same after a change, and need not be run again (see parts.h for what a
 * change affects).
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
