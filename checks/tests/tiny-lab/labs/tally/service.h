/*
 * service.h - the contract of the tally lab: how much was counted under each name.
 *
 *   CREATE TABLE tally(name TEXT PRIMARY KEY, total REAL NOT NULL)
 *
 * Every call opens its own connection and closes it, and leaves no memory but what it hands over. Out-parameters are
 * written only when the answer is TALLY_OK.
 */
#ifndef TALLY_SERVICE_H
#define TALLY_SERVICE_H

#include <cjson/cJSON.h>

enum tally_status { TALLY_OK = 0, TALLY_TODO, TALLY_INVALID, TALLY_FAILED };

/* Stage 01. Creates the table. Called again it changes nothing and answers TALLY_OK. */
enum tally_status tally_init(const char *path);

/* Stage 02. Adds `amount` to the total of a name; a name that is not there yet begins at 0. *total is the new total, a JSON
   number; the caller frees it. A NULL pointer is TALLY_INVALID. */
enum tally_status tally_add(const char *path, const char *name, double amount, cJSON **total);

#endif
