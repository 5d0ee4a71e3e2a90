/*
 * report_parts.h - what the reports share: reading a result, making it printable, wrapping lines.
 *
 * A report first takes a printable copy and then writes from that: whatever reached the result, no control
 * byte of a submission reaches a terminal. NULL anywhere here means that memory ran out; then a report stays
 * empty, which whoever asked for it can see.
 */
#ifndef JUDGE_REPORT_PARTS_H
#define JUDGE_REPORT_PARTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* The columns of a line. Commands are longer where they have to be: a command is never cut. */
enum { REPORT_WIDTH = 80 };

/* Members of an object: a text ("" when there is none), a list (NULL: an empty one), a number (0). */
const char *member_text(const cJSON *object, const char *name);
const cJSON *member_list(const cJSON *object, const char *name);
long long member_number(const cJSON *object, const char *name);

/* The verdict of a clause; "error" when it has none, since a missing verdict is the kit's fault. */
const char *clause_verdict(const cJSON *clause);
bool clause_has(const cJSON *clause, const char *verdict);

/*
 * A copy whose texts can be shown anywhere; with `ascii`, without a byte above 0x7f: characters become
 * \u{...}, in commands a printf that gives the same bytes, so that they can still be run.
 */
cJSON *report_printable(const cJSON *result, bool ascii);
/* `text` as a word of a command, under the same rule. Allocated. */
char *report_word(const char *text, bool ascii);

/* The page of a stage, labs/LAB/NN-name.md, in the chosen language where there is one. Allocated. */
char *report_page(const char *lab, const char *number, const char *name);

/* The columns that `text` takes on a terminal: two for a wide character, none for a colour. */
int report_columns(const char *text);
/* Writes `text` and spaces up to `width` columns. Gives the columns of both: more where the text is wider. */
int report_padded(FILE *to, const char *text, int width);

/*
 * Writes `text` from column `column` on and begins a new line at column `indent` where it would pass
 * REPORT_WIDTH. Lines break at a single space, or beside a wide character (but in front of no closing mark and
 * behind no opening one), and only outside double quotes, so that data stays as it was. No newline at the end.
 */
void report_wrapped(FILE *to, const char *text, int column, int indent);
/* A line of its own: printf-like, the format in the chosen language, wrapped from the first column on. */
void report_say(FILE *to, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
