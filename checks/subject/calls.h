/*
 * calls.h - the table of a lab's functions: what the subject's server and the by-hand program can call.
 *
 * A lab defines one table, lab_calls. Each row says what a call takes, letter by letter, and what it gives, and
 * holds a function that makes the C call. All functions take the path of the database first.
 *
 *   s   a string                 const char *     args->text[], in order
 *   n   a number of seconds      double           args->number
 *   j   a JSON value, or none    const cJSON *    args->json (NULL: not given)
 *   t   JSON as text             const char *     args->text[], in order
 */
#ifndef SUBJECT_CALLS_H
#define SUBJECT_CALLS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { CALL_MAX_TEXTS = 3 };

/* What goes in. Any pointer may be NULL: that a call refuses it is part of a contract. */
struct call_args {
    const char *path;
    const char *text[CALL_MAX_TEXTS];
    double number;
    const cJSON *json;
};

/* What comes out: through which kind of out-parameter. `flag` may be NULL, and so may `json`, to ask for a refusal. */
enum call_gives { GIVES_NOTHING, GIVES_FLAG, GIVES_JSON };
struct call_out {
    bool *flag;
    cJSON **json;
};

struct call_kind {
    const char *name;  /* as on the command line: "retention-cycle" */
    const char *takes; /* letters, see above; without the path */
    const char *usage; /* "KEY NOW", for people */
    enum call_gives gives;
    int (*make)(const struct call_args *args, const struct call_out *out); /* gives the status */
};

extern const struct call_kind lab_calls[]; /* ends with a row whose name is NULL */
extern const char *const lab_statuses[4];  /* "OK", "TODO", "INVALID", "FAILED": by the value of the status */

#endif
