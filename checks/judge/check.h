/*
 * check.h - a submission checked against a lab's clauses.
 *
 * Theory of operation. The main process copies the one file into an empty folder, builds it into a subject
 * and starts `jobs` workers. A worker is a process of its own, since it opens databases that a submission wrote: it
 * holds one subject at a time, runs the clause it is told to, and sends back one record. The main process opens no
 * database and loads no code of the submission. It keeps the time of each stage, replaces a worker
 * that died or was late, and puts the records in the order of the lab. A janitor process removes the temporary
 * folder when the main process is gone, however it went.
 *
 *     main ──"run 4.2"──▶ worker ──fork, calls──▶ subject ──▶ child for this clause
 *          ◀──record────         ◀──answers──────
 *
 * The result is one cJSON object; the reports read it and nothing else:
 *
 *   {"kit": "1.0", "lab": "idem-retention-lab", "seed": 4711, "file": "work/…/service.c",
 *    "build": {"ok": true, "messages": "what the compiler or the kit's look at its symbols said"},
 *    "stages": [{"stage": "02", "name": "reserve", "clauses": [
 *        {"id": "2.2", "sentence": "…", "kind": "numbered|craft|race|random",
 *         "verdict": "pass|fail|todo|crash|timeout|error|build", "ms": 3.2, "calls": ["reserve", "fetch"],
 *         "steps": ["row        \"ord-7f\" …", "reserve    … -> OK true"], "by_hand": ["sqlite3 DB …", …],
 *         "expected": "…", "observed": "…", "repeat": "build/lab check --clause 2.2 --seed 4711 FILE",
 *         "printed": "what the submission wrote meanwhile"}],
 *        "advice": {"id": "existing-key-replaced", "text": "…"}}],
 *    "passed": 61, "planned": 70}
 *
 * ms: milliseconds by the clock; refusals_ms: what of them refusals took (trial.h), there when there were any. calls: the
 * functions that were called, each once. steps, by_hand, expected, observed, repeat and printed are there when the verdict is
 * not pass or build (printed also with pass, when there is any); advice is there when one of the lab's fits (lab.h), in
 * English. All text is printable UTF-8, escaped at its source. Verdicts are as many as clauses planned.
 */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "judge/lab.h"

#include <stdint.h>

#define KIT_VERSION "1.0"

enum { STAGE_BUDGET_MS = 45000 };         /* the time a stage may take, in all */
#define SEED_MAX INT64_C(999999999999999) /* a cJSON number holds it exactly */

/* Where a check ends early: at the first clause that does not hold, or behind the first stage that does not. */
enum stop_at { STOP_NEVER, STOP_AT_CLAUSE, STOP_AT_STAGE };

/* A submission that was compiled before, among others in one object and under names of its own. */
struct compiled {
    const char *object; /* the file */
    char *const *words; /* for the linker, which give it the names the lab knows; ends with NULL */
};

struct check_options {
    const char *file; /* the submission */
    /* NULL: `file` is compiled. Else it is only shown: it must be known to use and define no name that it may not. */
    const struct compiled *compiled;
    const char *shown;    /* how reports name it; NULL: as `file` */
    int64_t seed;         /* 0 .. SEED_MAX */
    int first, last;      /* stages, counted from 1 */
    bool other_lab;       /* not the lab that commands mean when they name none: repeats say which */
    const char *clause;   /* only this one; or NULL */
    unsigned kinds;       /* a bit for each clause_kind; 0: all */
    int calls;            /* calls of a random run; 0: the default */
    int jobs;             /* workers; 0: one a core */
    long long budget_ms;  /* of the whole submission, building included; 0: only the stages have one */
    enum stop_at stop_at; /* what is not begun then is not in the result */
    /* What is known of the submission, since it differs little from one that is right. Both may be NULL. */
    const cJSON *known;       /* clauses of a result: not run again, they stand in this one as they are */
    const cJSON *known_calls; /* names of calls that are right: in a random run the judge makes them itself */
    bool brief;       /* verdicts are enough: a random run that fails is not cut to the shortest that does */
    const char *temp; /* where the temporary folder is made; NULL: a memory file system where there is one */
    /*
     * Confinement, or NULL for none. Gives the command that runs `command` confined, as a malloc'd vector of malloc'd words
     * that ends with NULL. `folder` is the absolute path of the one folder the command may see and write; it must be its
     * working folder, so that relative names mean the same inside and outside. File descriptors 0 to 3 stay
     * open: nothing to read, what it prints (1 and 2), and 3, the judge's channel (when it is a subject).
     * `compiling`: this is the compiler, not the submission.
     */
    char **(*confine)(const void *sandbox, const char *folder, bool compiling, char *const command[]);
    const void *sandbox;
};

/*
 * Checks one submission. Gives the result, which the caller frees with cJSON_Delete(). NULL when the kit could not judge (no
 * compiler, no space, no such file): *why is then one sentence, allocated.
 */
cJSON *check_run(const struct lab *lab, const struct check_options *options, char **why);

/* The root of the kit: the folder above the one that holds the running program. NULL when it cannot be found. */
const char *kit_root(void);

#endif
