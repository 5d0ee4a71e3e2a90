/*
 * trial_internal.h - what the parts of a trial share: trial.c, and the long arms refusals.c, races.c, random.c.
 *
 * One trial has one clause. A verdict once set stays: trial_over(). `state` is the model's; after each call it is
 * compared with what the table holds.
 */
#ifndef JUDGE_TRIAL_INTERNAL_H
#define JUDGE_TRIAL_INTERNAL_H

#include "judge/subject.h"
#include "judge/trial.h"

#include <stdint.h>

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_TODO, VERDICT_CRASH, VERDICT_TIMEOUT, VERDICT_ERROR };

struct trial {
    const struct lab *lab;
    const struct stage *stage;
    const struct clause *clause;
    struct subject *subject;
    struct rng rng;
    const char *finding;      /* what the look at the submission's symbols found; NULL: nothing */
    int calls;                /* of a random run */
    bool brief;               /* and it is not cut */
    const cJSON *known_calls; /* names of calls that need not be made by the subject in it */
    char path[32];            /* "d-k3x9Qa/keys.db" */
    sqlite3 *db;
    int progress;             /* of the statement that db is running, in units of PROGRESS_STEPS */
    unsigned long long inode; /* of the file that db has open */
    void *state;
    bool called;      /* a call was made: from here on a damaged database is the submission's doing */
    bool forked;      /* the subject has a child for this trial */
    bool confined;    /* its folder is bounded: a full disk is the submission\'s doing */
    bool spoiled;     /* the subject is of no more use: the next trial needs another */
    bool interrupted; /* it spoke out of turn and was ended: how far it had got by then is chance */
    bool quiet;       /* steps are not noted: a long run, or the way to its first disagreement */
    int descriptors;  /* of the child before the call */
    enum verdict verdict;
    double refusals_ms; /* what trial_refusals() took */
    cJSON *steps, *by_hand;
    cJSON *names; /* of the functions called, each once */
    char *expected, *observed;
    struct answer last;
    const char *audit_version, *audit_mode; /* of the file when the audit was last looked at; kept */
    char **kept;
    int kept_count;
};

/* What came back from one call: the answer in words, and the whole line of the subject (NULL when there is none). */
struct reply_to {
    struct answer answer;
    char *given; /* the answer as people read it: "OK true"; allocated */
    cJSON *raw;
};

/* Milliseconds of a clock that only goes on. */
double trial_now_ms(void);
/* Begins anew in a folder of its own, with an empty table where the stage wants one, and a new child. */
void trial_begin(struct trial *t);
/* The verdict of a trial that is not begun, since the subject never came as far as a first call. */
void trial_never_starts(struct trial *t, enum verdict verdict);
/* Ends the child and closes the database; steps and verdict stay. */
void trial_finish(struct trial *t);
/* Frees what it holds; the struct itself is the caller's. */
void trial_free(struct trial *t);

/* `call` as the subject is asked it: with the path, and the byte that a bool holds before. Allocated. */
cJSON *trial_message(struct trial *t, const cJSON *call, const struct answer *wanted);
/* Asks the subject (or lets it go on, when message is NULL). False, and the trial over, unless an answer came. */
bool trial_ask_subject(struct trial *t, cJSON *message, cJSON **raw);
/* Reads the answer out of the subject's line. */
struct reply_to trial_read_answer(cJSON *raw, const struct answer *wanted);
void reply_to_clear(struct reply_to *r);

/* "OK true", "INVALID". Allocated. */
char *answer_text(const struct answer *answer);
bool answer_equal(const struct answer *a, const struct answer *b);
/* What the model says of the call on a copy of `state`; *after, if not NULL, gets the state it leaves (the caller's). */
struct answer model_answer(const struct trial *t, const void *state, const cJSON *call, void **after);

/* Closes the judge's own connection; trial_db() opens another. */
void trial_close_db(struct trial *t);
/* What the table holds; NULL and the trial over when it cannot be read. */
void *trial_load(struct trial *t);
/* Makes the table hold `state`, in a transaction. False and over when it cannot. */
bool trial_store(struct trial *t, const void *state);
/* True when they differ; then, unless `wanted` is NULL, the rows that do, as two texts for people. Allocated. */
bool states_differ(const struct trial *t, const void *expected, const void *observed, char **wanted,
                   char **found);
/* Ends the trial as failed when the call left something behind, by the figures of its line. */
void trial_check_left(struct trial *t, const cJSON *raw, const struct answer *answer);
/* A failed SQLite call of the judge's own: the submission's failure once it was called, else the kit's. */
void trial_sql_failed(struct trial *t, const char *doing);
/* Notes a step, and a call with its answer, whether the trial is over or quiet: for the parts that decide that themselves. */
void trial_note(struct trial *t, const char *by_hand, const char *text, ...)
    __attribute__((format(printf, 3, 4)));
void trial_note_call(struct trial *t, const cJSON *call, const char *note, const char *given);

#endif
