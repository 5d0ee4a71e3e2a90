/*
 * run.h - broken variants run against the whole contract.
 *
 * Theory of operation. The reference is checked first: a contract that the reference does not meet says
 * nothing about a variant. Then each variant is read and applied to a text. A dozen of them are compiled as one
 * file (schema.h); what cannot be is compiled by itself. A process of its own links each, has it checked
 * (judge/check.h) and sends the result back through a pipe. A clause that calls no function which the change can
 * affect (affected.h) is not run again: it comes to what it came to with the reference. At most `jobs` of them run
 * at a time. Nothing a variant does ends the run, and each gets its row in the result whatever became of it.
 *
 * The result is one cJSON object; the reports read it and nothing else:
 *
 *   {"kit": "1.0", "lab": "idem-retention-lab", "seed": 4711,
 *    "reference": {"file": "…/service.c", "source": "its text", "passed": 70, "planned": 70},
 *    "variants": [{
 *        "name": "02-existing-key-is-replaced", "file": "broken-variants/…/02-….patch",
 *        "title", "stage": "02", "kind", "looks_right_because", "ask", "undefined", "diff",
 *        "fails": ["2.2", "2.3"], "why_none",
 *        "outcome": "caught | not caught | crashed | timed out |
 *                    does not build | no clause ran | not applied | not judged",
 *        "message": "why it was not applied, not judged, or what the compiler said",
 *        "caught_by": ["2.2"], "missed_by": ["2.3"], "caught_besides": ["2.4"], "caught_by_luck": ["3.R"],
 *        "as_it_says": false,
 *        "source": "the reference with the change", "start": 4711, "old_end": 4720, "new_end": 4731,
 *        "check": {…}}],
 *    "as_they_say": 7, "planned": 8}
 *
 * `fails` is what the variant says, `caught_by` what failed; `missed_by` and `caught_besides` are the two
 * ways in which they differ, and `caught_by_luck` are random runs that failed without being named, which is
 * no difference. "crashed" and "timed out": all of `caught_by` did so. `start`, `old_end` and `new_end` are
 * the bytes of the reference and of `source` between which they differ. `check` is the result of
 * check_run(), there when it was built. undefined and why_none are left out where they do not apply; a file
 * that could not be read has name, file, outcome and message only, and its lists are empty.
 */
#ifndef VARIANTS_RUN_H
#define VARIANTS_RUN_H

#include "variants/variant.h"

#include <stdint.h>

struct variants_options {
    char *const *files; /* ends with NULL */
    int64_t seed;
    int jobs;      /* 0: one a core */
    bool progress; /* a line on standard error that says how far it is */
    bool brief; /* which clauses catch a variant is enough: random runs that do are not cut to the shortest */
};

/*
 * NULL when nothing can be said: the kit could not judge, or the reference does not meet the contract. *why
 * is then one sentence, allocated, or NULL when memory ran out.
 */
cJSON *variants_run(const struct lab *lab, const struct variants_options *options, char **why);

/* Whether a result of check_run() may be believed: every clause was judged, and there were some. */
bool check_was_judged(const cJSON *result);

/* 0: each failed as it says. 1: one did not. 3: the kit could not judge one. */
int variants_exit_status(const cJSON *result);

#endif
