/*
 * watch.h - sees what a call leaves behind, and stops it between two statements.
 *
 * SQLite runs an auto-extension for each connection that is opened in this process. There a function is registered whose
 * destructor tells when the connection has really closed: a close that was refused as BUSY, or the zombie that
 * sqlite3_close_v2() makes of a connection with live statements, does not run it. The same place sets a trace that
 * sees every statement start. SQLite's memory is counted by the arena, other memory by the allocation hooks of cJSON and
 * by AddressSanitizer.
 */
#ifndef SUBJECT_WATCH_H
#define SUBJECT_WATCH_H

#include <stdbool.h>

/* What one call did and left. Sizes in bytes. */
struct watch_report {
    int opened;             /* connections it opened */
    int open;               /* of these, still open */
    int statements;         /* statements it started */
    int unfinalized;        /* statements left on open connections */
    int transactions;       /* open connections that are in a transaction */
    const char *sql;        /* the SQL of a statement that was left, or of the last one started; NULL: none */
    long long sqlite_bytes; /* what SQLite has allocated, more than before */
    long long heap_bytes;   /* what the heap holds, more than before; SQLite's and cJSON's included */
    int cjson_blocks;       /* blocks of cJSON, more than before */
    bool blind;             /* an observer was unhooked: the figures above prove nothing */
};

/* Starts watching, for the rest of the process. False when SQLite refuses. */
bool watch_start(void);

/*
 * Before and after each call. `stop_at`: at the start of the stop_at-th statement (counted from 1; 0: never) `stopped` is
 * called with its SQL; the submission waits inside SQLite until it returns.
 */
void watch_before(int stop_at, void (*stopped)(const char *sql));
void watch_after(struct watch_report *report);

#endif
