/*
 * predictions.c - see predictions.h.
 */
#include "variants/predictions.h"

#include "base/options.h"
#include "judge/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS prediction("
    "id INTEGER PRIMARY KEY, made TEXT NOT NULL, lab TEXT NOT NULL, variant TEXT NOT NULL,"
    " stage TEXT NOT NULL, predicted TEXT, seed INTEGER NOT NULL, counts INTEGER NOT NULL,"
    " failed TEXT)";

/* ---- The file ------------------------------------------------------------------------------------------ */

static char *kit_file(const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", kit_root(), name) >= 0 ? path : NULL;
}

sqlite3 *predictions_open(void)
{
    sqlite3 *db = NULL;
    char *folder = kit_file("work");
    char *file = kit_file("work/predictions.sqlite");
    bool made = folder != NULL && file != NULL && (mkdir(folder, 0777) == 0 || errno == EEXIST);
    bool ok = made && sqlite3_open(file, &db) == SQLITE_OK && sqlite3_busy_timeout(db, 5000) == SQLITE_OK &&
              sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK;
    if (!ok) {
        kit_error("Predictions cannot be kept in work/predictions.sqlite: %s.",
                  made ? sqlite3_errmsg(db) : strerror(errno));
        sqlite3_close(db);
        db = NULL;
    }
    free(folder);
    free(file);
    return db;
}

/* ---- Statements ---------------------------------------------------------------------------------------- */

/* Prepares, and binds texts to ?1, ?2 ...; a NULL among them binds NULL. NULL when that fails. */
static sqlite3_stmt *query(sqlite3 *db, const char *sql, const char *const texts[], int count)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK;
    for (int i = 0; ok && i < count; i++)
        ok = sqlite3_bind_text(stmt, i + 1, texts[i], -1, SQLITE_TRANSIENT) == SQLITE_OK;
    if (ok)
        return stmt;
    sqlite3_finalize(stmt);
    return NULL;
}

static bool finds_a_row(sqlite3 *db, const char *sql, const char *lab, const char *variant)
{
    sqlite3_stmt *stmt = query(db, sql, (const char *const[]){lab, variant}, 2);
    bool found = stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return found;
}

/* Runs a change to its end; a sentence when it could not be stored. */
static bool change(sqlite3 *db, sqlite3_stmt *stmt)
{
    bool done = stmt != NULL && sqlite3_step(stmt) == SQLITE_DONE;
    if (!done)
        kit_error("The prediction could not be stored in work/predictions.sqlite: %s.", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    return done;
}

bool predictions_has(sqlite3 *db, const struct lab *lab, const char *variant)
{
    return finds_a_row(db, "SELECT 1 FROM prediction WHERE lab=?1 AND variant=?2 AND predicted IS NOT NULL",
                       lab->name, variant);
}

bool prediction_store(sqlite3 *db, const struct lab *lab, const struct variant *variant,
                      const struct clause_set *predicted, int64_t seed, struct prediction *stored)
{
    char *ids = predicted != NULL ? clause_set_text(predicted, lab) : NULL;
    bool seen = finds_a_row(db, "SELECT 1 FROM prediction WHERE lab=?1 AND variant=?2 AND failed IS NOT NULL",
                            lab->name, variant->name);
    stored->counts = predicted != NULL && !seen && variant->undefined == NULL;
    sqlite3_stmt *stmt =
        query(db,
              "INSERT INTO prediction(made, lab, variant, stage, predicted, seed, counts)"
              " VALUES(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?1, ?2, ?3, ?4, ?5, ?6)",
              (const char *const[]){lab->name, variant->name, variant->stage_number, ids}, 4);
    if (stmt != NULL) {
        sqlite3_bind_int64(stmt, 5, seed);
        sqlite3_bind_int(stmt, 6, stored->counts);
    }
    bool done = change(db, stmt); /* a statement of its own is a transaction: it is committed now */
    stored->id = sqlite3_last_insert_rowid(db);
    free(ids);
    return done;
}

bool prediction_note_failed(sqlite3 *db, const struct lab *lab, int64_t id, const struct clause_set *failed)
{
    char *ids = clause_set_text(failed, lab);
    sqlite3_stmt *stmt =
        query(db, "UPDATE prediction SET failed=?1 WHERE id=?2", (const char *const[]){ids}, 1);
    if (stmt != NULL)
        sqlite3_bind_int64(stmt, 2, id);
    bool done = change(db, stmt);
    free(ids);
    return done;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* A column of ids as a JSON array. */
static cJSON *ids_of_column(sqlite3_stmt *stmt, int column, const struct lab *lab)
{
    char unknown[64];
    struct clause_set set;
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    clause_set_read(&set, lab, text != NULL ? text : "", unknown);
    return clause_set_json(&set, lab);
}

cJSON *predictions_scored(sqlite3 *db, const struct lab *lab)
{
    cJSON *rows = cJSON_CreateArray();
    sqlite3_stmt *stmt = query(db,
                               "SELECT variant, stage, predicted, failed FROM prediction"
                               " WHERE lab=?1 AND counts AND failed IS NOT NULL ORDER BY id",
                               (const char *const[]){lab->name}, 1);
    while (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "variant", (const char *)sqlite3_column_text(stmt, 0));
        cJSON_AddStringToObject(row, "stage", (const char *)sqlite3_column_text(stmt, 1));
        cJSON_AddItemToObject(row, "predicted", ids_of_column(stmt, 2, lab));
        cJSON_AddItemToObject(row, "failed", ids_of_column(stmt, 3, lab));
        cJSON_AddItemToArray(rows, row);
    }
    sqlite3_finalize(stmt);
    return rows;
}

static void read_first(sqlite3 *db, const struct lab *lab, cJSON *first)
{
    sqlite3_stmt *stmt = query(db,
                               "SELECT variant, predicted FROM prediction"
                               " WHERE lab=?1 AND predicted IS NOT NULL ORDER BY id",
                               (const char *const[]){lab->name}, 1);
    while (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *variant = (const char *)sqlite3_column_text(stmt, 0);
        if (!cJSON_HasObjectItem(first, variant))
            cJSON_AddItemToObject(first, variant, ids_of_column(stmt, 1, lab));
    }
    sqlite3_finalize(stmt);
}

cJSON *predictions_first(const struct lab *lab)
{
    cJSON *first = cJSON_CreateObject();
    char *file = kit_file("work/predictions.sqlite");
    sqlite3 *db = NULL;
    if (file != NULL && sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        read_first(db, lab, first);
    sqlite3_close(db);
    free(file);
    return first;
}
