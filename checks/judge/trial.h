/*
 * trial.h - one clause being run: a fresh database, a fresh child of the subject, a list of steps, a verdict.
 *
 * The vocabulary of clauses. A clause sets rows, makes calls and says what must come of them; each of these becomes a
 * numbered step. The first broken promise ends the trial: everything after it does nothing and answers zeros,
 * so a clause needs no tests of its own, only trial_over() where it would loop for long or use what came back.
 *
 * The trial keeps the model's state beside the table. After every call the answer must be the model's, and the table
 * must hold what the model's state holds.
 *
 *     static void existing_pending_key(struct trial *t)
 *     {
 *         const char *key = draw_key(t);
 *         have_row(t, key, "a1", "pending", NULL, 10);
 *         expect(t, "OK false", reserve(key, "b2", 20));
 *     }
 */
#ifndef JUDGE_TRIAL_H
#define JUDGE_TRIAL_H

#include "judge/lab.h"

/* The seeded numbers of this trial. */
struct rng *trial_rng(struct trial *t);
/* True once a promise is broken or the judge itself failed: nothing more will happen in this trial. */
bool trial_over(const struct trial *t);
/* The database's path, relative to the folder that judge and subject run in. Lives as long as the trial. */
const char *trial_path(const struct trial *t);
/* Where the clause keeps texts that must live as long as the trial: takes `text` over and gives it back. */
char *trial_keep(struct trial *t, char *text);

/* ---- The judge's own hand ---------------------------------------------------------------------------------- */

/* The judge's own connection, opened when first asked for; NULL when the trial is over or the file cannot be opened. */
sqlite3 *trial_db(struct trial *t);
/* The model's state; the lab's row helpers change it together with the table. */
void *trial_state(struct trial *t);
/* Runs SQL on the judge's connection. A refusal ends the trial: a lock that was left is the submission's failure, anything
 * else the kit's error. No step is recorded. */
void trial_sql(struct trial *t, const char *sql);
/* Notes a step: `text` for people, `by_hand` a shell command that does the same, or NULL. printf-like. */
void trial_step(struct trial *t, const char *by_hand, const char *text, ...)
    __attribute__((format(printf, 3, 4)));
/* The first column of the first row of a query, as text; "NULL" when it is NULL, "nothing" when there is no row. Kept. */
const char *trial_ask(struct trial *t, const char *sql);

/* ---- Calls and what must come of them ---------------------------------------------------------------------- */

/*
 * Makes the call and expects what the model says: answer and table. `answer` says it in words, as the promise of the clause:
 * "OK true", "OK [\"a\"]", "OK nothing", "INVALID"; NULL where only the model can know. Words and
 * model must agree, else the kit is at fault. Takes `call` over.
 */
void expect(struct trial *t, const char *answer, cJSON *call);
/* Makes a call that must answer FAILED and change nothing, whatever the model says of it. `why` becomes part of the
 * step, e.g. "the table is missing". */
void expect_failed(struct trial *t, const char *why, cJSON *call);
/* Makes the call and looks at its answer only; then the model's state becomes what the table holds. For calls that may end
 * half-way by contract. `answer` as for expect(), not NULL. */
void expect_answer_only(struct trial *t, const char *answer, cJSON *call);
/* Ends the trial as failed unless `observed` equals `expected`, both texts for people. */
void expect_equal(struct trial *t, const char *what, const char *expected, const char *observed);
/* What the last call gave, as text (see struct answer); "" when there was none. Lives until the next call. */
const char *trial_given(const struct trial *t);

/* The promise is broken: printf-like texts of what was expected and what was observed instead. */
void trial_fail(struct trial *t, const char *expected, const char *observed);
/* The kit itself cannot judge. printf-like. */
void trial_error(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From here to the end of the trial, every insert, update and delete on `table` is noted by triggers, also an update to the same
 * value. trial_writes() gives what was noted since the last time, e.g. "insert update delete insert"; "" for none. Kept. */
void trial_audit(struct trial *t, const char *table);
const char *trial_writes(struct trial *t);

/* ---- The long arms (watched clauses only) ------------------------------------------------------------------- */

/* In a CRAFT clause every expect() also requires that the call leaves nothing open and nothing allocated. */

/*
 * Refusals: makes `call` again and again from the present state, and each time one operation beneath it fails: every open, read,
 * write, sync, lock and delete of a file by SQLite in turn, and every allocation of cJSON. Each time the call must answer FAILED and
 * change nothing, or OK with everything done; nothing stays open; the next call works. (Where cJSON finds no memory INVALID will do:
 * its parser does not tell the two apart.) `in_steps`: by contract the call is several steps, and what the earlier ones
 * did stays. Takes `call` over.
 */
void trial_refusals(struct trial *t, bool in_steps, cJSON *call);

/*
 * Races: makes `call` from the present state and stops it at every statement boundary in turn; there the judge makes one of `others`
 * through its own connection, and the call goes on. In rollback and in WAL mode. Both answers and the table must be those
 * of one order or the other; FAILED is allowed when nothing changed, unless `strict`, where it is allowed only while
 * the other side is still at work. `others` is an array of calls. Takes both over.
 */
void trial_race(struct trial *t, bool strict, cJSON *call, cJSON *others);

/* Random: `calls` calls drawn by the model for the functions of stages 1 to `stage`; a disagreement is shrunk to the shortest
 * run that shows it, and shown as steps. */
void trial_random(struct trial *t, int stage);

#endif
