/*
 * predictions.h - what was predicted, in work/predictions.sqlite.
 *
 * A prediction is a row; it is committed before anything runs, so that it is there whatever becomes of the
 * run:
 *
 *   CREATE TABLE prediction(
 *       id        INTEGER PRIMARY KEY,
 *       made      TEXT NOT NULL,     -- UTC, 2026-01-31T09:30:00Z
 *       lab       TEXT NOT NULL,     -- idem-retention-lab
 *       variant   TEXT NOT NULL,     -- 02-existing-key-is-replaced
 *       stage     TEXT NOT NULL,     -- 02
 *       predicted TEXT,              -- clause ids with a space between, in the order of the lab; '': none
 *                                    -- will fail; NULL: it was run without a prediction
 *       seed      INTEGER NOT NULL,
 *       counts    INTEGER NOT NULL,  -- 1: it is scored
 *       failed    TEXT)              -- the ids that did fail; NULL until the run has ended
 *
 * Only what was predicted before a variant was first seen to run counts: afterwards the answer is known. A
 * variant of undefined behaviour is not scored at all. Texts returned are allocated.
 */
#ifndef VARIANTS_PREDICTIONS_H
#define VARIANTS_PREDICTIONS_H

#include "variants/variant.h"

#include <stdint.h>

/* Opens the file, and makes it where there is none. NULL after a sentence. Close it with sqlite3_close(). */
sqlite3 *predictions_open(void);

/* Whether a variant was predicted before. */
bool predictions_has(sqlite3 *db, const struct lab *lab, const char *variant);

/* A prediction as it is stored. */
struct prediction {
    int64_t id;  /* of its row */
    bool counts; /* set by prediction_store() */
};

/* Stores and commits it; `predicted` NULL: there is none. False after a sentence. */
bool prediction_store(sqlite3 *db, const struct lab *lab, const struct variant *variant,
                      const struct clause_set *predicted, int64_t seed, struct prediction *stored);
bool prediction_note_failed(sqlite3 *db, const struct lab *lab, int64_t id, const struct clause_set *failed);

/* The predictions that count and whose run has ended, as an array in the order they were made:
 * [{"variant", "stage", "predicted": ["2.2"], "failed": ["2.2"]}]. */
cJSON *predictions_scored(sqlite3 *db, const struct lab *lab);

/* What was first predicted of each variant, {"02-…": ["2.2"]}. An empty object when nothing was; no file
 * is made. */
cJSON *predictions_first(const struct lab *lab);

#endif
