/*
 * service.c - the reference solution of the tally lab.
 */
#include "service.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

static sqlite3 *open_db(const char *path, int flags)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK && sqlite3_busy_timeout(db, 2000) == SQLITE_OK)
        return db;
    sqlite3_close(db);
    return NULL;
}

enum tally_status tally_init(const char *path)
{
    if (path == NULL)
        return TALLY_INVALID;

    sqlite3 *db = open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    bool ok = db != NULL &&
              sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS tally(name TEXT PRIMARY KEY, total REAL NOT NULL)",
                           NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    return ok ? TALLY_OK : TALLY_FAILED;
}

/* One statement reads, adds and writes. The change is committed by the step after the row. */
static bool add(sqlite3 *db, const char *name, double amount, double *total)
{
    sqlite3_stmt *stmt = NULL;
    bool ok =
        sqlite3_prepare_v2(db,
                           "INSERT INTO tally(name, total) VALUES(?, ?)"
                           " ON CONFLICT(name) DO UPDATE SET total=total+excluded.total RETURNING total",
                           -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_double(stmt, 2, amount) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;

    if (ok)
        *total = sqlite3_column_double(stmt, 0);
    ok = ok && sqlite3_step(stmt) == SQLITE_DONE;
    sqlite3_finalize(stmt);
    return ok;
}

/* The item first: once the sum is committed, nothing may fail. */
enum tally_status tally_add(const char *path, const char *name, double amount, cJSON **total)
{
    if (path == NULL || name == NULL || total == NULL)
        return TALLY_INVALID;

    cJSON *item = cJSON_CreateNumber(0);
    sqlite3 *db = item != NULL ? open_db(path, SQLITE_OPEN_READWRITE) : NULL;
    double sum = 0;
    bool ok = db != NULL && add(db, name, amount, &sum);
    sqlite3_close(db);
    if (!ok) {
        cJSON_Delete(item);
        return TALLY_FAILED;
    }
    cJSON_SetNumberValue(item, sum);
    *total = item;
    return TALLY_OK;
}
