/*
 * lab.h - what a lab hands to the judge: its stages, its clauses and its contract in memory.
 *
 * The judge knows no lab. It runs clauses, and a clause is a function of the lab that sets rows, makes calls and says
 * what must come of them (trial.h). A second lab is a second folder with one `struct lab`.
 *
 * A call is a cJSON object, owned by whoever holds it:
 *
 *   {"call": "reserve", "args": ["ord-7f", "a1", 10.5]}
 *
 * `args` follow the letters of calls.h, without the path: s and t are strings, n is a number, j is an array of
 * one item, [x]. A JSON null stands for a NULL pointer (for j: not given). Two more members are possible:
 * "path", the database to name in place of the trial's own (a JSON null: a NULL pointer); "no_out": true, a
 * NULL out-parameter.
 */
#ifndef JUDGE_LAB_H
#define JUDGE_LAB_H

#include "judge/rng.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>

struct trial;

/* The answers of every lab's functions, with these values. */
enum status { STATUS_OK, STATUS_TODO, STATUS_INVALID, STATUS_FAILED };
const char *
status_name(int status); /* "OK", "TODO", "INVALID", "FAILED"; anything else "a status of no meaning" */

/*
 * What a call answered, or should. `out` is what came through the out-parameter, as text, so that answers are
 * compared and shown the same way: "true", "false", JSON as json_text() writes it, "nothing" for a NULL pointer,
 * and NULL where the call has no out-parameter or must leave it alone (any status but OK).
 * `out` is allocated; answer_clear() frees it.
 */
struct answer {
    int status;
    char *out;
};
void answer_clear(struct answer *answer);

/*
 * How a clause is run. NUMBERED clauses run with nothing of the kit between the submission and SQLite; the other three
 * run watched: SQLite's connections, statements, files and memory are followed from inside.
 */
enum clause_kind { NUMBERED, CRAFT, RACE, RANDOM };

struct clause {
    const char *id;       /* "2.1" */
    const char *sentence; /* in the present tense */
    enum clause_kind kind;
    void (*run)(struct trial *trial);
};

struct stage {
    const char *number;           /* "02" */
    const char *name;             /* "reserve" */
    bool prepared;                /* the judge creates the empty table before each clause */
    const struct clause *clauses; /* ends with a row whose id is NULL */
};

/*
 * The contract in memory. A state is what the table holds. A state may not depend on the order in which rows came.
 */
struct model {
    void *(*create)(void); /* an empty table */
    void *(*copy)(const void *state);
    void (*destroy)(void *state); /* takes NULL */
    /* Makes the call on the state and gives what it must answer. Paths are not its business. */
    struct answer (*apply)(void *state, const cJSON *call);
    bool (*equal)(const void *a, const void *b);
    /* One row a line, ascending by key, as people read it. Allocated. */
    char *(*text)(const void *state);
    /* Reads the table. NULL when it cannot be read or is not as the contract says: *why is a sentence, allocated. */
    void *(*load)(sqlite3 *db, char **why);
    /* Makes the rows of the table those of the state, within the transaction of the caller. Gives SQLite's result. */
    int (*store)(const void *state, sqlite3 *db);
    /* A call by chance for a long run of the functions of stages 1 to `stage`; state: what the table holds now; number: of
     * the call in its run, from 0. */
    cJSON *(*draw)(struct rng *rng, const void *state, int stage, int number);
};

/*
 * What to say of a usual mistake, which is known by what fails and what holds together. A row fits a stage when all of `fails`
 * failed, crashed or were late, all of `holds` passed, and one of `fails` showed `seen` in what it observed or in its last step;
 * clauses that were not run fit nothing.
 * The first row that fits gives the advice, so the most specific stand first.
 */
struct advice {
    const char *id;    /* "replayed-at-its-expiry"; the same cause has the same in every stage */
    const char *stage; /* "04" */
    const char *fails; /* "4.2 4.3" */
    const char *holds; /* the same; "": no matter which */
    const char *seen;  /* a piece of the text, or a message of the judge as its format; or NULL */
    const char *text;  /* points to the cause, in sentences and without code; N_(), and ASCII in English */
};

struct lab {
    const char *name;           /* "idem-retention-lab": the name of its folders */
    const char *file;           /* "service.c": what a learner writes */
    const char *header;         /* "service.h": what it includes */
    const char *schema;         /* SQL that creates the empty table */
    const struct stage *stages; /* ends with a row whose number is NULL */
    const struct model *model;
    const struct advice *advice; /* ends with a row whose id is NULL; or NULL: there is none */
    /* How to make the call by hand, as a shell command without its path: `idem DB reserve ord-7f a1 10.5`; or NULL where
     * the command line has no words for it. Allocated. */
    char *(*by_hand)(const cJSON *call);
};

#endif
