/*
 * service.c - the reference solution of the idem-retention lab.
 *
 * Three layers, each a few lines long:
 *
 *   helpers     open a database, bind a text, run SQL without parameters, read one JSON value
 *   statements  one function for one SQL statement: prepare, bind, step, look, finalize. It answers true
 *               when the statement ran to its end, and only then writes what it found.
 *   service     the eight functions of service.h: check the arguments, open, call a statement, close
 *
 * Rules that hold throughout:
 *
 *   - A statement lives and dies inside one function, so no caller has anything to finalize.
 *   - A change of one statement is a transaction by itself: SQLite commits it before sqlite3_step() answers
 *     SQLITE_DONE. Only the purge needs more than one statement, so only the purge says BEGIN.
 *   - What the caller supplies reaches SQL through a bound parameter and in no other way.
 *   - Results of sqlite3_finalize() and sqlite3_close() are not looked at: finalize repeats the error that
 *     the step gave, and close cannot be refused once every statement is finalized.
 */
#include "service.h"

#include <sqlite3.h>
#include <stddef.h>

/* How long a call waits for another connection's lock before it answers IDEM_FAILED. */
#define BUSY_TIMEOUT_MS 2000

#define LIMIT_DEFAULT 10
#define LIMIT_MAX 100

/* ---- helpers ---------------------------------------------------------------------------------------- */

/* Opens the database at `path`; NULL when that fails. Close what it gives with sqlite3_close(). */
static sqlite3 *open_db(const char *path, int flags)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) == SQLITE_OK)
        return db;
    sqlite3_close(db); /* an open that failed leaves a handle too */
    return NULL;
}

/* For all but init: without SQLITE_OPEN_CREATE a mistyped path fails and leaves no empty file behind. */
static sqlite3 *open_existing(const char *path)
{
    return open_db(path, SQLITE_OPEN_READWRITE);
}

/* Runs SQL that takes no parameters and gives no rows. */
static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* SQLITE_STATIC: the text belongs to our caller and outlives the statement, so SQLite need not copy it. */
static bool bind_text(sqlite3_stmt *stmt, int position, const char *text)
{
    return sqlite3_bind_text(stmt, position, text, -1, SQLITE_STATIC) == SQLITE_OK;
}

/* Parses exactly one JSON value: the 1 refuses text after it. NULL for anything else, and without memory. */
static cJSON *parse_json(const char *text)
{
    return cJSON_ParseWithOpts(text, NULL, 1);
}

/* The type first: a parsed `true` has the valueint 1. Then the double: 1.5 has the valueint 1 as well. */
static bool read_limit(const cJSON *limit, int *count)
{
    if (limit == NULL) {
        *count = LIMIT_DEFAULT;
        return true;
    }
    if (!cJSON_IsNumber(limit) || !(limit->valuedouble >= 1 && limit->valuedouble <= LIMIT_MAX))
        return false;
    *count = (int)limit->valuedouble;
    return *count == limit->valuedouble;
}

static bool append_text(cJSON *array, const char *text)
{
    cJSON *item = cJSON_CreateString(text);

    if (cJSON_AddItemToArray(array, item)) /* false when there is no item */
        return true;
    cJSON_Delete(item);
    return false;
}

static enum idem_status answer(bool ok)
{
    return ok ? IDEM_OK : IDEM_FAILED;
}

/* ---- statements ------------------------------------------------------------------------------------- */

/* DO NOTHING, not OR IGNORE: the latter would also hide an `expires` that is not a number. */
static bool insert_pending(sqlite3 *db, const char *key, const char *digest, double expires, bool *inserted)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db,
                                 "INSERT INTO keys(id, fingerprint, status, response, expires)"
                                 " VALUES(?, ?, 'pending', NULL, ?)"
                                 " ON CONFLICT(id) DO NOTHING",
                                 -1, &stmt, NULL) == SQLITE_OK &&
              bind_text(stmt, 1, key) && bind_text(stmt, 2, digest) &&
              sqlite3_bind_double(stmt, 3, expires) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_DONE;

    if (ok)
        *inserted = sqlite3_changes(db) == 1; /* before any other statement runs */
    sqlite3_finalize(stmt);
    return ok;
}

/* The condition does the work: one UPDATE both asks whether the row may change and changes it. */
static bool update_done(sqlite3 *db, const char *key, const char *digest, const char *response, bool *updated)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db,
                                 "UPDATE keys SET status='done', response=?"
                                 " WHERE id=? AND fingerprint=? AND status='pending'",
                                 -1, &stmt, NULL) == SQLITE_OK &&
              bind_text(stmt, 1, response) && bind_text(stmt, 2, key) && bind_text(stmt, 3, digest) &&
              sqlite3_step(stmt) == SQLITE_DONE;

    if (ok)
        *updated = sqlite3_changes(db) == 1;
    sqlite3_finalize(stmt);
    return ok;
}

/* No row is an answer: *response becomes NULL. A row whose text is not JSON is a failure. */
static bool select_response(sqlite3 *db, const char *key, double now, cJSON **response)
{
    sqlite3_stmt *stmt = NULL;
    cJSON *found = NULL;
    bool ok = sqlite3_prepare_v2(db,
                                 "SELECT response FROM keys"
                                 " WHERE id=? AND status='done' AND expires>?",
                                 -1, &stmt, NULL) == SQLITE_OK &&
              bind_text(stmt, 1, key) && sqlite3_bind_double(stmt, 2, now) == SQLITE_OK;
    int step = ok ? sqlite3_step(stmt) : SQLITE_ERROR;

    if (step == SQLITE_ROW) /* parse now: the text dies with the statement */
        found = parse_json((const char *)sqlite3_column_text(stmt, 0));
    ok = found != NULL || step == SQLITE_DONE;
    sqlite3_finalize(stmt);
    if (ok)
        *response = found;
    return ok;
}

/* Gives the first column of a SELECT that takes `now` and a limit, as an array of texts. */
static bool select_ids(sqlite3 *db, const char *sql, double now, int limit, cJSON **ids)
{
    sqlite3_stmt *stmt = NULL;
    cJSON *found = cJSON_CreateArray();
    bool ok = found != NULL && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_bind_double(stmt, 1, now) == SQLITE_OK && sqlite3_bind_int(stmt, 2, limit) == SQLITE_OK;
    int step = SQLITE_ERROR;

    while (ok && (step = sqlite3_step(stmt)) == SQLITE_ROW)
        ok = append_text(found, (const char *)sqlite3_column_text(stmt, 0));
    ok = ok && step == SQLITE_DONE; /* a list that broke off is not a shorter list */
    sqlite3_finalize(stmt);
    if (ok)
        *ids = found;
    else
        cJSON_Delete(found);
    return ok;
}

/* True when exactly this row is gone. */
static bool delete_key(sqlite3 *db, const char *key)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db, "DELETE FROM keys WHERE id=?", -1, &stmt, NULL) == SQLITE_OK &&
              bind_text(stmt, 1, key) && sqlite3_step(stmt) == SQLITE_DONE && sqlite3_changes(db) == 1;

    sqlite3_finalize(stmt);
    return ok;
}

/* count() over no rows is 0, so both keys are there whatever the table holds. */
static bool select_counts(sqlite3 *db, cJSON **counts)
{
    sqlite3_stmt *stmt = NULL;
    cJSON *found = cJSON_CreateObject();
    bool ok = found != NULL &&
              sqlite3_prepare_v2(db,
                                 "SELECT count(*) FILTER (WHERE status='pending'),"
                                 "       count(*) FILTER (WHERE status='done') FROM keys",
                                 -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW &&
              cJSON_AddNumberToObject(found, "pending", sqlite3_column_double(stmt, 0)) != NULL &&
              cJSON_AddNumberToObject(found, "done", sqlite3_column_double(stmt, 1)) != NULL;

    sqlite3_finalize(stmt);
    if (ok)
        *counts = found;
    else
        cJSON_Delete(found);
    return ok;
}

/* ---- service ---------------------------------------------------------------------------------------- */

enum idem_status idem_init_db(const char *path)
{
    if (path == NULL)
        return IDEM_INVALID;

    sqlite3 *db = open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    bool ok = db != NULL && run(db, "CREATE TABLE IF NOT EXISTS keys("
                                    "id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL,"
                                    " response TEXT, expires REAL NOT NULL)");
    sqlite3_close(db);
    return answer(ok);
}

enum idem_status idem_reserve(const char *path, const char *key, const char *digest, double expires,
                              bool *reserved)
{
    if (path == NULL || key == NULL || digest == NULL || reserved == NULL)
        return IDEM_INVALID;

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && insert_pending(db, key, digest, expires, reserved);
    sqlite3_close(db);
    return answer(ok);
}

enum idem_status idem_finish(const char *path, const char *key, const char *digest, const char *response,
                             bool *finished)
{
    if (path == NULL || key == NULL || digest == NULL || response == NULL || finished == NULL)
        return IDEM_INVALID;

    cJSON *value = parse_json(response); /* only to know that it is one: the text itself is stored */
    if (value == NULL)
        return IDEM_INVALID;
    cJSON_Delete(value);

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && update_done(db, key, digest, response, finished);
    sqlite3_close(db);
    return answer(ok);
}

enum idem_status idem_fetch(const char *path, const char *key, double now, cJSON **response)
{
    if (path == NULL || key == NULL || response == NULL)
        return IDEM_INVALID;

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && select_response(db, key, now, response);
    sqlite3_close(db);
    return answer(ok);
}

enum idem_status idem_expired(const char *path, double now, const cJSON *limit, cJSON **ids)
{
    int count = 0;

    if (path == NULL || ids == NULL || !read_limit(limit, &count))
        return IDEM_INVALID;

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && select_ids(db,
                                       "SELECT id FROM keys WHERE status='done' AND expires<=?"
                                       " ORDER BY id LIMIT ?",
                                       now, count, ids);
    sqlite3_close(db);
    return answer(ok);
}

/*
 * Choosing and deleting are one transaction. It is IMMEDIATE: it takes the write lock before it reads, so no
 * row can change between the two, and a busy database is noticed before anything was done.
 */
static bool purge_in_transaction(sqlite3 *db, double now, int limit, cJSON **ids)
{
    cJSON *chosen = NULL;
    const cJSON *id = NULL;
    bool ok = run(db, "BEGIN IMMEDIATE") &&
              select_ids(db,
                         "SELECT id FROM keys WHERE status='done' AND expires<=?" /* as in idem_expired */
                         " ORDER BY id LIMIT ?",
                         now, limit, &chosen);

    cJSON_ArrayForEach(id, chosen) ok = ok && delete_key(db, id->valuestring);
    if (ok && run(db, "COMMIT")) {
        *ids = chosen;
        return true;
    }
    (void)run(db, "ROLLBACK"); /* a COMMIT refused as busy leaves the transaction open */
    cJSON_Delete(chosen);
    return false;
}

enum idem_status idem_purge(const char *path, double now, const cJSON *limit, cJSON **ids)
{
    int count = 0;

    if (path == NULL || ids == NULL || !read_limit(limit, &count))
        return IDEM_INVALID;

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && purge_in_transaction(db, now, count, ids);
    sqlite3_close(db);
    return answer(ok);
}

enum idem_status idem_counts(const char *path, cJSON **counts)
{
    if (path == NULL || counts == NULL)
        return IDEM_INVALID;

    sqlite3 *db = open_existing(path);
    bool ok = db != NULL && select_counts(db, counts);
    sqlite3_close(db);
    return answer(ok);
}

/* A step that gives false has not failed; what the cycle gives is the answer of its last reserve alone. */
enum idem_status idem_retention_cycle(const char *path, const char *key, bool *reserved)
{
    if (path == NULL || key == NULL || reserved == NULL)
        return IDEM_INVALID;

    bool changed = false;
    cJSON *purged = NULL;
    enum idem_status status = idem_init_db(path);
    if (status == IDEM_OK)
        status = idem_reserve(path, key, "v1", 10, &changed);
    if (status == IDEM_OK)
        status = idem_finish(path, key, "v1", "{\"receipt\":1}", &changed);
    if (status == IDEM_OK)
        status = idem_purge(path, 10, NULL, &purged);
    if (status == IDEM_OK)
        status = idem_reserve(path, key, "v2", 20, reserved);
    cJSON_Delete(purged);
    return status;
}
