/*
 * service.h - the contract of the idem-retention lab.
 *
 * A table of idempotency keys. A key goes through three states:
 *
 *   (no row) --reserve--> pending --finish--> done --purge, once expired--> (no row)
 *
 * Deleting a key ends the guarantee that came with it: the next request with that key is a
 * new request. So a pending row is never deleted by its age, and a done row only once its time
 * has come.
 *
 * The rules below hold for all eight functions. You write them in service.c, in this order.
 *
 * Answers     Every function answers one of the four values of enum idem_status. Out-parameters are
 *             written only when the answer is IDEM_OK, and then always.
 * Connection  `path` is a file name for SQLite. Every call opens its own connection and closes it.
 *             When a call is over nothing is open and no memory is allocated, but what was handed to
 *             the caller; on every path, failures included.
 * Ownership   Strings passed in stay the caller's and are not changed. What is handed back through a
 *             cJSON ** belongs to the caller, who frees it with cJSON_Delete().
 * Strings     UTF-8, ending in NUL, compared byte by byte. The empty string is a value like any other.
 * Times       `expires` and `now` are seconds, in whatever epoch the caller uses. The service has no
 *             clock of its own. A row has expired when expires <= now.
 * JSON        A response is JSON text and is stored as it came, byte for byte: printing a number through
 *             cJSON may lose digits. What leaves as JSON is a cJSON item.
 * Not here    No sleeping, no network, no global state.
 *
 * The table, exactly so:
 *
 *   CREATE TABLE keys(id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL,
 *                     response TEXT, expires REAL NOT NULL)
 *
 * `status` is 'pending' or 'done'. `fingerprint` holds the digest of the request.
 */
#ifndef IDEM_SERVICE_H
#define IDEM_SERVICE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What a call answers. Whatever is not IDEM_OK has changed nothing: what had begun is rolled back. (One exception:
   idem_retention_cycle is made of steps; those before the one that failed are done.) */
enum idem_status {
    IDEM_OK = 0,  /* the call did what it says */
    IDEM_TODO,    /* the starter's answer: not written yet */
    IDEM_INVALID, /* an argument breaks the contract: a required pointer is NULL, a limit is no integer
                     from 1 to 100, a response is not one JSON value */
    IDEM_FAILED   /* SQLite, memory or the stored data failed */
};

/* Stage 01. Creates the table. Called again it changes nothing and answers IDEM_OK. */
enum idem_status idem_init_db(const char *path);

/*
 * Stage 02. A missing key becomes pending, with response NULL, this digest and this expires: *reserved is
 * true. An existing key, expired or not, in any status, is left exactly as it is: *reserved is false.
 */
enum idem_status idem_reserve(const char *path, const char *key, const char *digest, double expires,
                              bool *reserved);

/*
 * Stage 03. Only the pending row with this key and this digest stores the response and becomes done:
 * *finished is true. Anything else changes nothing: *finished is false. There is no clock here: a pending
 * row past its time can still be finished. `expires` and `fingerprint` stay. `response` is the text of
 * exactly one JSON value; anything else is IDEM_INVALID.
 */
enum idem_status idem_finish(const char *path, const char *key, const char *digest, const char *response,
                             bool *finished);

/*
 * Stage 04. A done row with expires > now gives its response, parsed; the caller frees it. Anything else
 * gives NULL, with IDEM_OK. JSON null is a response like any other: an item, not NULL. Stored text that
 * is not JSON answers IDEM_FAILED.
 */
enum idem_status idem_fetch(const char *path, const char *key, double now, cJSON **response);

/*
 * Stage 05. Gives an array of the ids of done rows with expires <= now, ascending by the bytes of the id, at
 * most `limit` of them; the caller frees it. Pending rows are never listed and never use up the limit.
 * `limit` is NULL for the default of 10, or a JSON integer from 1 to 100; true and false are not integers.
 */
enum idem_status idem_expired(const char *path, double now, const cJSON *limit, cJSON **ids);

/*
 * Stage 06. Chooses candidates by the same check, condition and order as idem_expired, deletes them in the
 * same transaction, and gives the ids deleted; the caller frees the array. All or nothing: when one deletion
 * fails, none has happened. Pending rows are never deleted.
 */
enum idem_status idem_purge(const char *path, double now, const cJSON *limit, cJSON **ids);

/* Stage 07. Gives {"pending": n, "done": n}; a status without rows has its key and 0. The caller frees it. */
enum idem_status idem_counts(const char *path, cJSON **counts);

/*
 * Stage 08. On a database with an empty table (it may call idem_init_db itself): reserves the key with digest
 * "v1" until 10, finishes it with {"receipt":1}, purges at 10, reserves it again with digest "v2" until 20.
 * *reserved is what that last reserve gave. A step that fails ends the cycle with its status.
 */
enum idem_status idem_retention_cycle(const char *path, const char *key, bool *reserved);

#endif
