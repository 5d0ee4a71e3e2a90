/*
 * picture.h - a result of variants_run() as one page, and as the mutation report of the field.
 *
 * The report is JSON by the schema of mutation-testing-report-schema, version 2: the reference is the one
 * file, a variant is a mutant of it at the place where it differs, a clause is a test. Its words (Killed,
 * Survived) are the schema's; the page around it says "caught by" and "not caught".
 *
 * The page opens offline by double click: everything is inline. Its matrix variant x clause, and each
 * variant with its diff and what caught it, need no script. The viewer of the report does; where it is not
 * installed (`make picture` does that) the page says so instead.
 */
#ifndef VARIANTS_PICTURE_H
#define VARIANTS_PICTURE_H

#include "judge/lab.h"

#include <stdio.h>

void mutation_report(FILE *to, const struct lab *lab, const cJSON *result);
/* predictions: what predictions_latest() gives; or NULL. */
void picture_page(FILE *to, const struct lab *lab, const cJSON *result, const cJSON *predictions);

#endif
