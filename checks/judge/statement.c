/*
 * statement.c - see statement.h.
 */
#include "judge/statement.h"

#include <stddef.h>
#include <string.h>

sqlite3_stmt *statement_for(sqlite3 *db, const char *sql)
{
    if (db == NULL) /* the file went away: a failed statement, as for SQLite itself */
        return NULL;
    sqlite3_stmt *statement = sqlite3_next_stmt(db, NULL);
    while (statement != NULL && strcmp(sqlite3_sql(statement), sql) != 0)
        statement = sqlite3_next_stmt(db, statement);
    if (statement == NULL)
        sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

int statement_run(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = statement_for(db, sql);
    if (statement == NULL)
        return sqlite3_errcode(db);
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

void statements_close(sqlite3 *db)
{
    sqlite3_stmt *statement;
    while (db != NULL && (statement = sqlite3_next_stmt(db, NULL)) != NULL)
        sqlite3_finalize(statement);
    sqlite3_close(db);
}
