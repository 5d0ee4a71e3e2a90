/*
 * clauses.h - the small vocabulary in which the clauses of the idem-retention lab are written.
 *
 *   calls      reserve("ord-7f", "a1", 10.5): a call object for expect() and its kin (trial.h). NULL stands
 *              for a NULL pointer. Whoever takes a call takes it over.
 *   rows       have_row(...): the judge's own hand puts a row into the table and into the model's state.
 *   inputs     draw_key(t), draw_time(t) ...: from the trial's seed. Texts live as long as the trial.
 *   obstacles  what makes a right call fail: no table, a lock, a trigger that refuses, a file that is no
 *              database.
 *
 * A clause promises one thing and holds a contrast: a call of the other outcome, or a table that must have
 * changed, so that no constant answer passes it.
 */
#ifndef IDEM_CLAUSES_H
#define IDEM_CLAUSES_H

#include "judge/trial.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

extern const struct lab idem_lab;
extern const struct model idem_model;
extern const struct advice idem_advice[];
extern const char idem_schema[]; /* SQL that creates the table */

extern const struct clause init_db_clauses[];
extern const struct clause reserve_clauses[];
extern const struct clause finish_clauses[];
extern const struct clause fetch_clauses[];
extern const struct clause expired_clauses[];
extern const struct clause purge_clauses[];
extern const struct clause counts_clauses[];
extern const struct clause retention_cycle_clauses[];

/* Changes of the model's state that the judge's own hand needs. An existing row with this id is replaced. */
void state_put(void *state, const char *id, const char *fingerprint, const char *status, const char *response,
               double expires);
void state_clear(void *state);

/* ---- Calls --------------------------------------------------------------------------------------------- */

cJSON *init_db(void);
cJSON *reserve(const char *key, const char *digest, double expires);
cJSON *finish(const char *key, const char *digest, const char *response);
cJSON *fetch(const char *key, double now);
/* `limit` is an item of any type, taken over; NULL: not given. */
cJSON *expired(double now, cJSON *limit);
cJSON *purge(double now, cJSON *limit);
cJSON *counts(void);
cJSON *retention_cycle(const char *key);

/* The same call on another database, NULL for a NULL path; the same call with a NULL out-parameter. */
cJSON *with_path(cJSON *call, const char *path);
cJSON *without_out(cJSON *call);

/* A limit. */
cJSON *number(double value);
/* Limits that are refused: 0, -1, 101, 1.5, 1e10, true, false, "10", null, [], {} and more of their kind. */
int bad_limit_count(void);
cJSON *bad_limit(int index);

/* The words of expect(): `OK ["a","b"]`. Kept by the trial. */
const char *ok_ids(struct trial *t, const char *const *ids, int count);
/* The words of expect(): OK and a JSON text as fetch() must give it. */
const char *ok_json(struct trial *t, const char *text);

/* ---- Rows ---------------------------------------------------------------------------------------------- */

void have_row(struct trial *t, const char *key, const char *digest, const char *status, const char *response,
              double expires);
/* The same with a key that is drawn and given back. */
const char *have_pending(struct trial *t, const char *digest, double expires);
const char *have_done(struct trial *t, const char *response, double expires);
/* Done rows with these keys and this time; they come into the table in the order given. */
void have_done_rows(struct trial *t, const char *const *keys, int count, double expires);
/* The same, but neither the order in which they come nor that of their times is the order given; all times lie within a hundred
 * seconds, the last of them is `last`. */
void have_disordered_rows(struct trial *t, const char *const *keys, int count, double last);
/* `count` rows in one step; their ids are `prefix` and three digits, 000 last. */
void have_rows(struct trial *t, int count, const char *prefix, const char *status, const char *response,
               double expires);
/* Three rows that must stay, two pending and one done, far from their time. Who forgets a WHERE meets
 * them. */
void have_bystanders(struct trial *t);
void clear_rows(struct trial *t);
/* A text as SQL writes it, in quotes; NULL for a NULL pointer. */
const char *quoted_sql(struct trial *t, const char *text);
/* The command that runs it by hand. Kept. */
const char *sqlite3_command(struct trial *t, const char *sql);

/* ---- Inputs -------------------------------------------------------------------------------------------- */

/* printf() into a text that lives as long as the trial. */
const char *kept(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Draws one of each. In C the arguments of a call are evaluated in any order; so that a seed gives the same
 * inputs whatever the compiler, a clause draws at most once in an expression, and takes the rest from here.
 */
struct input {
    const char *key;      /* that no other draw gives: with quotes, spaces, CJK or SQL in it */
    const char *digest;   /* nor any other draw this */
    const char *response; /* {"receipt":N}, which every parser and printer keeps as it is */
    double time;          /* whole, small or epoch-sized, negative too; below LAST_TIME */
};
struct input draw_input(struct trial *t);
const char *draw_key(struct trial *t);
const char *draw_digest(struct trial *t);
const char *draw_response(struct trial *t);
double draw_time(struct trial *t);

/* Every kind of JSON value, digits and white space included that a parser and printer would not keep. */
int response_count(void);
const char *response_text(int index);
/* Many thousand bytes of JSON. */
const char *long_response(struct trial *t);
/* Texts that are not one JSON value, in the eyes of any parser. */
int bad_response_count(void);
const char *bad_response(int index);

/* Times at which to try a boundary: 0, fractions, negative and epoch-sized ones. */
#define LAST_TIME 9e12
int boundary_count(void);
double boundary(int index);
double just_before(double time);
double just_after(double time);

/* Keys that differ by little: case, spaces, Unicode form, length, quotes, SQL, wildcards; the last two are
 * 301 bytes long and differ in the last byte. No two are equal. */
enum { FAMILY_SIZE = 24 };
void draw_family(struct trial *t, const char *keys[FAMILY_SIZE]);

/* Ids in the order of their bytes, which is that of nothing else: numbers, letters, words, UTF-16. */
const char *const *ids_in_order(int *count);
/* `count` ids, at most ASCENDING_MAX, which ascend in any order one may choose. */
enum { ASCENDING_MAX = 26 };
void draw_ascending(struct trial *t, const char **ids, int count);

/* The path of a file next to the database, which nobody can foresee. */
const char *beside(struct trial *t, const char *ending);

/* ---- Obstacles ----------------------------------------------------------------------------------------- */

void hide_table(struct trial *t);
void show_table(struct trial *t);
/* Makes each INSERT, UPDATE or DELETE fail for which the SQL condition holds; once for each event.
 * allow_all() ends it. */
void refuse(struct trial *t, const char *event, const char *condition);
void allow_all(struct trial *t);

/* Each makes a right call fail in its way, expects FAILED and takes the obstacle away. They take the call
 * over. */
void fails_without_table(struct trial *t, cJSON *call);
void fails_when_locked(struct trial *t, cJSON *call);
/* Only for a call that writes: another connection reads, so that the write cannot be committed. */
void fails_when_read(struct trial *t, cJSON *call);
/* Only for a call that writes a row. */
void fails_when_refused(struct trial *t, cJSON *call);
/* Only for a call that can create no table there: a folder, a path in a missing folder, a file of text,
 * which must stay as it is. */
/* Only for a call that may not make the file: a name beside the database, where none must be afterwards. */
void fails_without_file(struct trial *t, cJSON *call);
void fails_on_no_database(struct trial *t, cJSON *call);

#endif
