/*
 * report.h - a result of check_run() (see check.h) for people and for programs.
 *
 * The only files that write for people. Each function reads the result and writes to `to`; none changes it.
 */
#ifndef JUDGE_REPORT_H
#define JUDGE_REPORT_H

#include "judge/lab.h"

#include <stdio.h>

struct report_style {
    bool colour;           /* a terminal, and no NO_COLOR */
    bool ascii;            /* the locale cannot show UTF-8: escape what is not ASCII */
    int earlier;           /* stages before this one (counted from 1) are summed up in one line; 0: none */
    bool so_far;           /* the check ended behind the first stage that does not hold: how far that is */
    const struct lab *lab; /* to name the stage that comes next; NULL: not known */
};
struct report_style report_style_for(FILE *to);

/* One stage after another: a line a clause, the steps of each failure, one last line that says what to do next. */
void report_text(FILE *to, const cJSON *result, const struct report_style *style);
/* One failure alone, as report_text() shows it: its steps, expected, observed, and how to see it again. `stage` and `clause` are
 * those of a result that can be shown (report_parts.h). */
void report_failure(FILE *to, const cJSON *stage, const cJSON *clause, const struct report_style *style);
/* The verdict of a clause as people read it: "pass", "FAIL", "TIMEOUT"; in the language chosen. */
const char *report_verdict_word(const cJSON *clause);
/* TAP version 13; a clause a test, ids and sentences in its line, the failure as a YAML block. */
void report_tap(FILE *to, const cJSON *result);
/* The result itself, without loss. */
void report_json(FILE *to, const cJSON *result);
/* The stages and clauses of a lab. */
void report_list(FILE *to, const struct lab *lab, bool json);

/* 0 everything holds, 1 the submission falls short, 3 the kit could not judge a clause. */
int report_exit_status(const cJSON *result);

#endif
