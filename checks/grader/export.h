/*
 * export.h - what comes out of a grading, all of it from the gradebook (gradebook.h).
 *
 *   DIR/grades.csv               a row a submission, for a spreadsheet and the platforms' import
 *   DIR/index.html               the class at a glance, each submission's failures, source and output
 *   DIR/feedback/NAME.txt        what the student would have seen, with steps
 *   DIR/gradescope/NAME.json     Gradescope's results.json
 *   DIR/junit/NAME.xml           JUnit XML
 *   DIR/tap/NAME.tap             TAP version 13
 *
 * NAME is the submission's name as name_for_file() gives it. Each file is written beside its place and then
 * moved there, so a reader never sees half of one. Whatever a submission prints or is called, each file is
 * valid in its format: what the format or a reader's screen cannot take is escaped by the writers in
 * markup.h. Long texts are cut, and say how long they were.
 */
#ifndef GRADER_EXPORT_H
#define GRADER_EXPORT_H

#include "grader/gradebook.h"

#include <stdio.h>

/* Writes everything into the folder `out`; ends the process, with status 3, when that fails. */
void export_all(const struct gradebook *book, const char *out);

/* ---- For the formats ----------------------------------------------------------------------------------- */

/* A submission as the gradebook has it. Texts are "" where there is none. */
struct submission {
    char *name, *file, *sha256, *status, *reason, *source;
    double points, out_of;
    bool has_mark; /* false: the kit could not judge, there are no points */
    double took_ms;
    cJSON *result; /* NULL unless it was judged */
};

/* What all formats are given. */
struct export
{
    const struct gradebook *book;
    sqlite3 *db;
};

/* Points as people write them: 7.5, 100. */
void points_text(char out[32], double points);

void export_csv(FILE *to, const struct export *export);
void export_html(FILE *to, const struct export *export);
void export_feedback(FILE *to, const struct export *export, const struct submission *submission);
void export_gradescope(FILE *to, const struct export *export, const struct submission *submission);
void export_junit(FILE *to, const struct export *export, const struct submission *submission);
void export_tap(FILE *to, const struct export *export, const struct submission *submission);

/* The submission in a row of submission_sql; submission_clear() frees what it holds. */
extern const char submission_sql[];
void submission_read(const struct export *export, sqlite3_stmt *row, struct submission *submission);
void submission_clear(struct submission *submission);

#endif
