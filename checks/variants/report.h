/*
 * report.h - a result of variants_run() (see run.h) for people and for programs.
 *
 * JSON: the result as run.h has it, but for four members of each variant: `source` and `check` are left
 * out, and in their place stand "clauses": [{"id": "2.2", "verdict": "fail", "ms": 3.2, "observed": "…"}],
 * one for each clause of the contract (none where nothing ran), and "advice": {"02": "key-becomes-sql"}, the
 * ids of what a check advises, by stage. `observed` is there when the verdict is not pass.
 */
#ifndef VARIANTS_REPORT_H
#define VARIANTS_REPORT_H

#include "judge/report.h"

/* The matrix, a row a variant and a column a stage; then what differs from what the variants say, and what
 * to do next. */
void variants_report_text(FILE *to, const struct lab *lab, const cJSON *result,
                          const struct report_style *style);
/* TAP version 13; a variant a test. It is ok when the variant failed exactly as it says. */
void variants_report_tap(FILE *to, const struct lab *lab, const cJSON *result);
void variants_report_json(FILE *to, const cJSON *result);

/* "caught by 2.2 2.R", "not caught by any", "does not build": what became of a variant. Allocated. */
char *variant_outcome(const cJSON *row);
/* A JSON array of ids with spaces between. Allocated. */
char *ids_text(const cJSON *ids);

/* How a variant is named on the command line: by its name, or by its file where the kit does not have it. */
char *variant_word(const cJSON *row, bool ascii);

/* The first and the last line of every run of variants: what is under test is broken on purpose, and which
 * it is. */
void write_what_is_under_test(FILE *to, const cJSON *rows, bool first);

#endif
