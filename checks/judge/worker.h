/*
 * worker.h - the process that runs clauses against a subject, one after another.
 */
#ifndef JUDGE_WORKER_H
#define JUDGE_WORKER_H

#include "judge/check.h"

#include <stdio.h>

/* What main asks of a worker: a clause by its place in the lab. Sent as it is, over a pipe. */
struct work {
    int stage;  /* index in lab->stages */
    int clause; /* index in its clauses */
};

/* Serves `orders` until it ends, in the present folder, which holds `subject`; a record of JSON a line goes to `records`. Does
 * not return. `finding`: see build.h. */
_Noreturn void worker_serve(const struct lab *lab, const struct check_options *options, const char *folder,
                            const char *finding, int orders, FILE *records);

#endif
