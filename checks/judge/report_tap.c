/*
 * report_tap.c - TAP version 13, see report.h.
 *
 * A clause is a test. A stage not written yet fails like any other: TAP's TODO directive would have it
 * counted as no failure. The verdict stands in the YAML block instead. Every scalar there is a JSON string,
 * which YAML reads as it is, so no text can break out of its line.
 */
#include "judge/report.h"

#include "base/json.h"
#include "judge/report_parts.h"

#include <stdlib.h>
#include <string.h>

/* In a description '#' would begin a directive. */
static void write_description(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '#' || *text == '\\') {
            putc('\\', to);
        }
        putc(*text == '\n' ? ' ' : *text, to);
    }
}

/* Comment lines, for what belongs to no test. */
static void write_comment(FILE *to, const char *text)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(to, "# %.*s\n", length, text);
        text += length;
        text += *text == '\n';
    }
}

static void write_scalar(FILE *to, const char *text)
{
    json_write_string(to, text, strlen(text));
    putc('\n', to);
}

static void write_text_member(FILE *to, const cJSON *clause, const char *name)
{
    const char *text = member_text(clause, name);
    if (text[0] != '\0') {
        fprintf(to, "  %s: ", name);
        write_scalar(to, text);
    }
}

static void write_list_member(FILE *to, const cJSON *clause, const char *name)
{
    const cJSON *list = member_list(clause, name);
    if (cJSON_GetArraySize(list) == 0) {
        return;
    }
    fprintf(to, "  %s:\n", name);
    const cJSON *line;
    cJSON_ArrayForEach(line, list)
    {
        const char *text = cJSON_GetStringValue(line);
        fputs("    - ", to);
        write_scalar(to, text != NULL ? text : "");
    }
}

static void write_details(FILE *to, const cJSON *clause)
{
    fputs("  ---\n  verdict: ", to);
    write_scalar(to, clause_verdict(clause));
    write_text_member(to, clause, "expected");
    write_text_member(to, clause, "observed");
    write_list_member(to, clause, "steps");
    write_text_member(to, clause, "repeat");
    write_list_member(to, clause, "by_hand");
    write_text_member(to, clause, "printed");
    fputs("  ...\n", to);
}

static void write_test(FILE *to, const cJSON *clause, int number)
{
    bool passed = clause_has(clause, "pass");
    fprintf(to, "%sok %d - ", passed ? "" : "not ", number);
    write_description(to, member_text(clause, "id"));
    putc(' ', to);
    write_description(to, member_text(clause, "sentence"));
    putc('\n', to);
    if (!passed || member_text(clause, "printed")[0] != '\0') {
        write_details(to, clause);
    }
}

/* The first clause when the kit could judge none at all; else NULL. */
static const cJSON *nothing_judged(const cJSON *result)
{
    const cJSON *first = NULL;
    const cJSON *stage;
    const cJSON *clause;
    cJSON_ArrayForEach(stage, member_list(result, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            if (!clause_has(clause, "error")) {
                return NULL;
            }
            first = first != NULL ? first : clause;
        }
    }
    return first;
}

static void write_tests(FILE *to, const cJSON *result)
{
    int number = 0;
    const cJSON *stage;
    const cJSON *clause;
    cJSON_ArrayForEach(stage, member_list(result, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            write_test(to, clause, ++number);
        }
    }
}

void report_tap(FILE *to, const cJSON *result)
{
    cJSON *shown = report_printable(result, false);
    if (shown == NULL) {
        return;
    }
    fprintf(to, "TAP version 13\n1..%lld\n", member_number(shown, "planned"));
    fprintf(to, "# %s, seed %lld\n", member_text(shown, "lab"), member_number(shown, "seed"));
    write_comment(to, member_text(shown, "file"));
    write_comment(to, member_text(cJSON_GetObjectItemCaseSensitive(shown, "build"), "messages"));
    const cJSON *unjudged = nothing_judged(shown);
    if (unjudged != NULL) {
        fputs("Bail out! The kit could not judge: ", to);
        write_description(to, member_text(unjudged, "observed"));
        putc('\n', to);
    } else {
        write_tests(to, shown);
    }
    cJSON_Delete(shown);
}
