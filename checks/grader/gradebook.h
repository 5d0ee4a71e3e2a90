/*
 * gradebook.h - DIR/gradebook.sqlite: the one record of a grading, from which every report is made.
 *
 *   runs(run, started, seed, kit, lab, sandbox)
 *                                a run has one seed, one kit, and a sandbox (1) or none (0)
 *   rubric(run, stage, points, sentence)
 *   submissions(run, name, file, sha256, status, reason, points, out_of)
 *                                status: graded, refused or error; points: 0 when refused, NULL when error,
 *                                since there is no mark then
 *   stages(run, name, stage, passed, planned, points)
 *   verdicts(run, name, clause, position, verdict, detail)
 *                                both of a graded submission
 *   records(run, name, source, result)
 *                                the file as it was judged; the judge's result, without times
 *   times(run, name, took_ms)    what was measured: the only table that differs between two gradings of the
 *                                same class with the same seed
 *
 * Rules of use. A submission is booked in one transaction, so that a reader, or who starts again after a
 * kill, sees it whole or not at all. Only the grader's main process writes, one grader a folder (grade.c
 * holds a lock). No connection stays open between two calls of gradebook_book(), since the grader forks in
 * between, and SQLite forbids to carry a connection over. Tables have no rowid: the order in which
 * submissions were done leaves no trace.
 *
 * Points follow from verdicts and rubric alone, and are computed anew by gradebook_begin(), so that a
 * changed rubric needs no judging. A run is taken up again when seed, kit, lab and sandbox are the same;
 * else another begins, and the old one stays.
 *
 * Any failure of SQLite ends the process, with status 3: nothing that was booked is lost by that.
 */
#ifndef GRADER_GRADEBOOK_H
#define GRADER_GRADEBOOK_H

#include "grader/rubric.h"

#include <sqlite3.h>
#include <stdint.h>

struct gradebook {
    const char *path;
    const struct lab *lab;
    int64_t run, seed;
    bool sandboxed;
    bool resumed; /* the run was there already */
};

/*
 * Takes the run up or begins one, and books the rubric. `seed`: the one wanted; -1: that of the run, or a
 * secret one. The caller keeps `path`.
 */
void gradebook_begin(struct gradebook *book, const char *path, const struct lab *lab, int64_t seed,
                     bool sandboxed, const struct rubric *rubric);

/*
 * Books an outcome (attempt.h) under this name, in place of what is there. "unchanged" changes the file's
 * path alone.
 */
void gradebook_book(const struct gradebook *book, const char *name, const cJSON *outcome);

/* The sha256 of the file that was graded under this name; NULL when none was. Allocated. */
char *gradebook_known(const struct gradebook *book, const char *name);
/* The status under this name: "graded", "refused", "error"; "" when there is none. Static. */
const char *gradebook_status(const struct gradebook *book, const char *name);

/* ---- For reports: a connection that only reads --------------------------------------------------------- */

sqlite3 *gradebook_open(const struct gradebook *book);
/*
 * A statement whose first parameter is the run and whose second, where it has one, is `name`. To be
 * finalized by the caller.
 */
sqlite3_stmt *gradebook_query(sqlite3 *db, const struct gradebook *book, const char *name, const char *sql);
/* Steps; true when there is a row. */
bool gradebook_row(sqlite3_stmt *row);
/* A column as text, "" for NULL. Lives until the next step. */
const char *column_text(sqlite3_stmt *row, int column);
/*
 * The judge's result under this name, as check_run() gave it but without times; NULL when there is none.
 * The caller's.
 */
cJSON *gradebook_result(sqlite3 *db, const struct gradebook *book, const char *name);

#endif
