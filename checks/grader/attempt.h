/*
 * attempt.h - one submission judged once, in processes of its own.
 *
 * Theory of operation. The grader forks a supervisor for each attempt and reads one JSON document from it:
 *
 *     grader ──fork──▶ supervisor ──fork──▶ judge: unpacks, then check_run() (judge/check.h)
 *            ◀─outcome──          ◀─outcome──
 *
 * The supervisor finds the file that is meant, makes the world in which the submission may run (sandbox.h),
 * watches its memory (watch.h) and its time, and when the judge has ended, however it ended, ends whatever
 * else is left. It passes the judge's document on only when the judge ended well; anything else is an
 * outcome of its own, `error`. So a crash of the judge costs one attempt, and never makes a mark. Each
 * process dies with its parent: when the grader is killed, nothing is left running.
 *
 * The outcome is one object:
 *
 *   {"status": "graded|refused|error|unchanged", "reason": "a sentence", "file": "ada/service.c",
 *    "sha256": "…", "source": "the file", "result": {… as check_run() gives it …}, "took_ms": 412}
 *
 * sha256 and source are there when there is a file, result when it was judged. "unchanged": the file is the
 * one that was judged before, and nothing was done.
 */
#ifndef GRADER_ATTEMPT_H
#define GRADER_ATTEMPT_H

#include "grader/inputs.h"
#include "grader/sandbox.h"
#include "judge/check.h"

/*
 * The time one attempt may take. The judge itself keeps a budget, ATTEMPT_BUDGET_MS unless told otherwise,
 * and charges a submission for it; the supervisor ends a judge that does not, after ATTEMPT_LIMIT_MS, and
 * that is an error of the kit.
 */
enum { ATTEMPT_BUDGET_MS = 120000, ATTEMPT_LIMIT_MS = 420000 };

/* What is the same for every attempt of a grading. */
struct grading {
    const struct lab *lab;
    const char *kit; /* its root folder */
    struct sandbox sandbox;
    int64_t seed;
    int64_t budget_ms; /* of one submission, in all */
    int class_fd;      /* the folder of the class */
    int lock_fd;       /* held by the grader alone */
};

/* An attempt under way. */
struct attempt {
    pid_t process;
    int from; /* its outcome comes from here */
    char *text;
    size_t length;
};

/*
 * Starts an attempt: at a submission of the class, or, when `entrant` is NULL, at the kit's own file at
 * `path`. `known`: the sha256 of the file that was judged before, or NULL. Ends the process when no other
 * can be had.
 */
void attempt_start(struct attempt *attempt, const struct grading *grading, const struct entrant *entrant,
                   const char *path, const char *known);
/* Reads what has come; false at the end. To be called when `from` can be read. */
bool attempt_read(struct attempt *attempt);
/* Waits for the end, and gives the outcome: the caller's to cJSON_Delete(). */
cJSON *attempt_end(struct attempt *attempt);

/* True when a clause of the outcome has this verdict. */
bool outcome_has(const cJSON *outcome, const char *verdict);

#endif
