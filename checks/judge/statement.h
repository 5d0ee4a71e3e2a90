/*
 * statement.h - the judge's statements on its own connection, each prepared once.
 *
 * The table is looked at after every call; preparing the SELECT anew would cost more than running it. A connection
 * keeps its statements itself (sqlite3_next_stmt), so there is nothing to hand around: the same SQL gives the same one.
 */
#ifndef JUDGE_STATEMENT_H
#define JUDGE_STATEMENT_H

#include <sqlite3.h>

/*
 * The statement for one SQL text on this connection, ready for its first step. It stays the connection's: the caller ends
 * with sqlite3_reset(), which lets go of the lock, and does not finalize it. NULL when it cannot be prepared, or db is NULL:
 * sqlite3_errcode(db) says why.
 */
sqlite3_stmt *statement_for(sqlite3 *db, const char *sql);

/* Runs one statement that gives no rows; SQLite's result. */
int statement_run(sqlite3 *db, const char *sql);

/* Closes the connection and all its statements. Takes NULL. */
void statements_close(sqlite3 *db);

#endif
