#include "grader/gradebook.h"

#include "base/language.h"
#include "grader/util.h"
#include "judge/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { DETAIL_MAX = 2000, BUSY_TIMEOUT_MS = 30000 };

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS runs(run INTEGER PRIMARY KEY, started TEXT NOT NULL, seed INTEGER NOT NULL,"
    "  kit TEXT NOT NULL, lab TEXT NOT NULL, sandbox INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS rubric(run INTEGER NOT NULL REFERENCES runs, stage TEXT NOT NULL,"
    "  points REAL NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY(run, stage)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS submissions(run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL, file "
    "TEXT,"
    "  sha256 TEXT, status TEXT NOT NULL CHECK(status IN ('graded', 'refused', 'error')), reason TEXT NOT "
    "NULL,"
    "  points REAL, out_of REAL NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS stages(run INTEGER NOT NULL, name TEXT NOT NULL, stage TEXT NOT NULL,"
    "  passed INTEGER NOT NULL, planned INTEGER NOT NULL, points REAL NOT NULL, PRIMARY KEY(run, name, "
    "stage),"
    "  FOREIGN KEY(run, name) REFERENCES submissions ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS verdicts(run INTEGER NOT NULL, name TEXT NOT NULL, clause TEXT NOT NULL,"
    "  position INTEGER NOT NULL, verdict TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY(run, name, "
    "clause),"
    "  FOREIGN KEY(run, name) REFERENCES submissions ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS records(run INTEGER NOT NULL, name TEXT NOT NULL, source TEXT, result TEXT,"
    "  PRIMARY KEY(run, name), FOREIGN KEY(run, name) REFERENCES submissions ON DELETE CASCADE) WITHOUT "
    "ROWID;"
    "CREATE TABLE IF NOT EXISTS times(run INTEGER NOT NULL, name TEXT NOT NULL, took_ms REAL NOT NULL,"
    "  PRIMARY KEY(run, name), FOREIGN KEY(run, name) REFERENCES submissions ON DELETE CASCADE) WITHOUT "
    "ROWID;";

/* ---- SQLite in few words ------------------------------------------------------------------------------- */

static _Noreturn void failed(sqlite3 *db, const char *doing)
{
    die(EXIT_KIT, _("lab: the gradebook: %s: %s"), doing, db != NULL ? sqlite3_errmsg(db) : "out of memory");
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        failed(db, sql);
}

static sqlite3 *open_book(const char *path, int flags)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK)
        failed(db, path);
    sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
    run_sql(db, "PRAGMA foreign_keys=ON");
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        failed(db, sql);
    return statement;
}

/*
 * Binds by the letters of `kinds`: i an int64_t, d a double, t a text or NULL, n nothing (SQL NULL). Memory
 * is copied.
 */
static void bind(sqlite3_stmt *statement, const char *kinds, va_list args)
{
    int result = SQLITE_OK;

    for (int at = 1; kinds[at - 1] != '\0' && result == SQLITE_OK; at++)
        switch (kinds[at - 1]) {
        case 'i':
            result = sqlite3_bind_int64(statement, at, va_arg(args, int64_t));
            break;
        case 'd':
            result = sqlite3_bind_double(statement, at, va_arg(args, double));
            break;
        case 't':
            result = sqlite3_bind_text(statement, at, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
            break;
        default:
            result = sqlite3_bind_null(statement, at);
        }
    if (result != SQLITE_OK)
        failed(sqlite3_db_handle(statement), sqlite3_sql(statement));
}

bool gradebook_row(sqlite3_stmt *row)
{
    const int result = sqlite3_step(row);

    if (result != SQLITE_ROW && result != SQLITE_DONE)
        failed(sqlite3_db_handle(row), sqlite3_sql(row));
    return result == SQLITE_ROW;
}

/* Runs one statement that gives no rows, with parameters as bind() takes them. */
static void change(sqlite3 *db, const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *statement = prepare(db, sql);
    va_list args;

    va_start(args, kinds);
    bind(statement, kinds, args);
    va_end(args);
    while (gradebook_row(statement))
        continue;
    sqlite3_finalize(statement);
}

const char *column_text(sqlite3_stmt *row, int column)
{
    const unsigned char *text = sqlite3_column_text(row, column);

    return text != NULL ? (const char *)text : "";
}

sqlite3 *gradebook_open(const struct gradebook *book)
{
    return open_book(book->path, SQLITE_OPEN_READWRITE);
}

sqlite3_stmt *gradebook_query(sqlite3 *db, const struct gradebook *book, const char *name, const char *sql)
{
    sqlite3_stmt *statement = prepare(db, sql);

    if (sqlite3_bind_int64(statement, 1, book->run) != SQLITE_OK ||
        (name != NULL && sqlite3_bind_text(statement, 2, name, -1, SQLITE_TRANSIENT) != SQLITE_OK))
        failed(db, sql);
    return statement;
}

/* ---- A run --------------------------------------------------------------------------------------------- */

/* The latest run, when it is one of this lab, kit and sandbox, and of the seed that is asked for. */
static bool take_up(sqlite3 *db, struct gradebook *book, int64_t seed)
{
    sqlite3_stmt *row =
        prepare(db, "SELECT run, seed, kit, lab, sandbox FROM runs ORDER BY run DESC LIMIT 1");
    const bool found = gradebook_row(row) && (seed < 0 || sqlite3_column_int64(row, 1) == seed) &&
                       strcmp(column_text(row, 2), KIT_VERSION) == 0 &&
                       strcmp(column_text(row, 3), book->lab->name) == 0 &&
                       (sqlite3_column_int(row, 4) != 0) == book->sandboxed;

    if (found) {
        book->run = sqlite3_column_int64(row, 0);
        book->seed = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    return found;
}

/* A number that nobody can foresee: who knows the seed knows the inputs. */
static int64_t secret_seed(void)
{
    uint64_t bits = 0;

    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        die(EXIT_KIT, _("lab: the system gives no random numbers"));
    return (int64_t)(bits % ((uint64_t)SEED_MAX + 1));
}

static void begin_run(sqlite3 *db, struct gradebook *book, int64_t seed)
{
    book->seed = seed >= 0 ? seed : secret_seed();
    change(db,
           "INSERT INTO runs(started, seed, kit, lab, sandbox) "
           "VALUES(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?)",
           "itti", book->seed, KIT_VERSION, book->lab->name, (int64_t)book->sandboxed);
    book->run = sqlite3_last_insert_rowid(db);
}

static void book_rubric(sqlite3 *db, const struct gradebook *book, const struct rubric *rubric)
{
    change(db, "DELETE FROM rubric WHERE run = ?", "i", book->run);
    for (int i = 0; i < rubric->count; i++)
        change(db, "INSERT INTO rubric VALUES(?, ?, ?, ?)", "itdt", book->run, rubric->row[i].stage,
               rubric->row[i].points, rubric->row[i].sentence);
}

/* Points from passed clauses and the rubric, for one submission, or for all when `name` is NULL. */
static void book_points(sqlite3 *db, const struct gradebook *book, const char *name)
{
    change(db,
           "UPDATE stages SET points = round((SELECT r.points FROM rubric r WHERE r.run = stages.run AND "
           "r.stage = "
           "stages.stage) * passed / planned, 2) WHERE run = ?1 AND name = coalesce(?2, name)",
           "it", book->run, name);
    change(db,
           "UPDATE submissions SET out_of = (SELECT sum(points) FROM rubric r WHERE r.run = "
           "submissions.run), points = "
           "CASE status WHEN 'graded' THEN (SELECT round(sum(points), 2) FROM stages s WHERE s.run = "
           "submissions.run "
           "AND s.name = submissions.name) WHEN 'refused' THEN 0 END WHERE run = ?1 AND name = coalesce(?2, "
           "name)",
           "it", book->run, name);
}

void gradebook_begin(struct gradebook *book, const char *path, const struct lab *lab, int64_t seed,
                     bool sandboxed, const struct rubric *rubric)
{
    sqlite3 *db = open_book(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

    *book = (struct gradebook){.path = path, .lab = lab, .sandboxed = sandboxed};
    run_sql(db, "BEGIN IMMEDIATE");
    run_sql(db, schema);
    book->resumed = take_up(db, book, seed);
    if (!book->resumed)
        begin_run(db, book, seed);
    book_rubric(db, book, rubric);
    book_points(db, book, NULL);
    run_sql(db, "COMMIT");
    sqlite3_close(db);
}

/* ---- A submission -------------------------------------------------------------------------------------- */

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* What a clause showed, in one text: empty when it holds. */
static char *detail_of(const cJSON *clause)
{
    const char *expected = member(clause, "expected"), *observed = member(clause, "observed");
    char *detail =
        strcmp(member(clause, "verdict"), "pass") == 0
            ? text_format("%s", "")
            : text_format("%s%s%s%s%s", expected != NULL ? "expected " : "", expected != NULL ? expected : "",
                          expected != NULL && observed != NULL ? "; " : "",
                          observed != NULL ? "observed " : "", observed != NULL ? observed : "");

    if (strlen(detail) > DETAIL_MAX) {
        size_t end = DETAIL_MAX;
        while (((unsigned char)detail[end] & 0xc0) == 0x80)
            end--;
        char *cut = text_format("%.*s … (cut: %zu bytes in all)", (int)end, detail, strlen(detail));
        free(detail);
        detail = cut;
    }
    return detail;
}

static void book_clauses(sqlite3 *db, const struct gradebook *book, const char *name, const cJSON *result)
{
    const cJSON *stage, *clause;
    int64_t position = 0;

    cJSON_ArrayForEach(stage, cJSON_GetObjectItemCaseSensitive(result, "stages"))
    {
        int64_t passed = 0, planned = 0;
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses"))
        {
            char *detail = detail_of(clause);
            change(db, "INSERT INTO verdicts VALUES(?, ?, ?, ?, ?, ?)", "ittitt", book->run, name,
                   member(clause, "id"), position++, member(clause, "verdict"), detail);
            free(detail);
            planned++;
            passed += strcmp(member(clause, "verdict"), "pass") == 0;
        }
        change(db, "INSERT INTO stages VALUES(?, ?, ?, ?, ?, 0)", "ittii", book->run, name,
               member(stage, "stage"), passed, planned);
    }
}

/*
 * The result without what was measured, so that two gradings give the same. Allocated; NULL when there is
 * none.
 */
static char *result_text(const cJSON *result)
{
    if (result == NULL)
        return NULL;
    cJSON *copy = need(cJSON_Duplicate(result, true));
    cJSON *stage, *clause;
    cJSON_ArrayForEach(stage, cJSON_GetObjectItemCaseSensitive(copy, "stages"))
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses"))
    {
        cJSON_DeleteItemFromObjectCaseSensitive(clause, "ms");
        cJSON_DeleteItemFromObjectCaseSensitive(clause, "refusals_ms");
    }
    char *text = need(cJSON_PrintUnformatted(copy));
    cJSON_Delete(copy);
    return text;
}

/* An error is no mark, and its half result is kept only for people to look at: it books no clause. */
static void book_submission(sqlite3 *db, const struct gradebook *book, const char *name, const cJSON *outcome)
{
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(outcome, "result");
    char *text = result_text(result);

    change(db, "DELETE FROM submissions WHERE run = ? AND name = ?", "it", book->run, name);
    change(db, "INSERT INTO submissions VALUES(?, ?, ?, ?, ?, ?, NULL, 0)", "ittttt", book->run, name,
           member(outcome, "file"), member(outcome, "sha256"), member(outcome, "status"),
           member(outcome, "reason"));
    change(db, "INSERT INTO records VALUES(?, ?, ?, ?)", "ittt", book->run, name, member(outcome, "source"),
           text);
    change(db, "INSERT INTO times VALUES(?, ?, ?)", "itd", book->run, name,
           cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(outcome, "took_ms")));
    if (strcmp(member(outcome, "status"), "graded") == 0)
        book_clauses(db, book, name, result);
    book_points(db, book, name);
    free(text);
}

void gradebook_book(const struct gradebook *book, const char *name, const cJSON *outcome)
{
    sqlite3 *db = gradebook_open(book);

    run_sql(db, "BEGIN IMMEDIATE");
    if (strcmp(member(outcome, "status"), "unchanged") == 0)
        change(db, "UPDATE submissions SET file = ? WHERE run = ? AND name = ?", "tit",
               member(outcome, "file"), book->run, name);
    else
        book_submission(db, book, name, outcome);
    run_sql(db, "COMMIT");
    sqlite3_close(db);
}

/* One column of a submission's row; NULL when there is no such row or it is NULL. */
static char *ask(const struct gradebook *book, const char *name, const char *sql)
{
    sqlite3 *db = gradebook_open(book);
    sqlite3_stmt *row = gradebook_query(db, book, name, sql);
    char *text = NULL;

    if (gradebook_row(row) && sqlite3_column_type(row, 0) != SQLITE_NULL)
        text = need(strdup(column_text(row, 0)));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return text;
}

char *gradebook_known(const struct gradebook *book, const char *name)
{
    return ask(book, name, "SELECT sha256 FROM submissions WHERE run = ? AND name = ? AND status = 'graded'");
}

const char *gradebook_status(const struct gradebook *book, const char *name)
{
    static const char *const known[] = {"graded", "refused", "error"};
    char *status = ask(book, name, "SELECT status FROM submissions WHERE run = ? AND name = ?");
    const char *found = "";

    for (size_t i = 0; status != NULL && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(status, known[i]) == 0)
            found = known[i];
    free(status);
    return found;
}

cJSON *gradebook_result(sqlite3 *db, const struct gradebook *book, const char *name)
{
    sqlite3_stmt *row =
        gradebook_query(db, book, name, "SELECT result FROM records WHERE run = ? AND name = ?");
    cJSON *result = gradebook_row(row) ? cJSON_Parse(column_text(row, 0)) : NULL;

    sqlite3_finalize(row);
    return result;
}
