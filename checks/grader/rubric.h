/*
 * rubric.h - what each stage is worth: a table that people read and change.
 *
 * Three columns with tabs between them: the number of a stage, its points, a sentence. Empty lines and
 * lines that begin with '#' are skipped. Every stage of the lab has exactly one row. A stage gives its
 * points by the share of its clauses that hold, rounded to hundredths; a submission's points are the sum of
 * that.
 */
#ifndef GRADER_RUBRIC_H
#define GRADER_RUBRIC_H

#include "judge/lab.h"

enum { STAGES_MAX = 32 };

struct rubric_row {
    const char *stage; /* the lab's own text */
    double points;
    char *sentence; /* printable */
};

struct rubric {
    struct rubric_row row[STAGES_MAX];
    int count;
};

/*
 * Reads the file. False, and *why a sentence (allocated) that names the line, when it is no rubric for this
 * lab.
 */
bool rubric_read(const char *path, const struct lab *lab, struct rubric *rubric, char **why);
void rubric_clear(struct rubric *rubric);

/* The sum of the points. */
double rubric_sum(const struct rubric *rubric);
#endif
