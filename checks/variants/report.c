/*
 * report.c - see report.h: words for what became of a variant, TAP and JSON.
 */
#include "variants/report.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/report_parts.h"

#include <stdlib.h>
#include <string.h>

static bool has_outcome(const cJSON *row, const char *outcome)
{
    return strcmp(member_text(row, "outcome"), outcome) == 0;
}

static bool as_it_says(const cJSON *row)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "as_it_says"));
}

char *ids_text(const cJSON *ids)
{
    char *text = NULL;
    size_t length = 0;
    const cJSON *id;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    cJSON_ArrayForEach(id, ids)
    {
        fprintf(to, "%s%s", id == ids->child ? "" : " ", cJSON_IsString(id) ? id->valuestring : "?");
    }
    fclose(to);
    return text;
}

char *variant_outcome(const cJSON *row)
{
    char *ids = ids_text(member_list(row, "caught_by"));
    char *text = NULL;
    int length = -1;
    if (ids == NULL)
        return NULL;
    if (has_outcome(row, "caught"))
        length = asprintf(&text, _("caught by %s"), ids);
    else if (has_outcome(row, "crashed"))
        length = asprintf(&text, _("crashed in %s"), ids);
    else if (has_outcome(row, "timed out"))
        length = asprintf(&text, _("timed out in %s"), ids);
    else if (has_outcome(row, "not caught"))
        length = asprintf(&text, "%s", _("not caught by any"));
    else
        length = asprintf(&text, "%s", _(member_text(row, "outcome")));
    free(ids);
    return length >= 0 ? text : NULL;
}

char *variant_word(const cJSON *row, bool ascii)
{
    const char *file = member_text(row, "file");
    bool own = strncmp(file, "broken-variants/", strlen("broken-variants/")) == 0;
    return report_word(own ? member_text(row, "name") : file, ascii);
}

void write_what_is_under_test(FILE *to, const cJSON *rows, bool first)
{
    int count = cJSON_GetArraySize(rows);
    const char *from = member_text(cJSON_GetArrayItem(rows, 0), "name");
    const char *last = member_text(cJSON_GetArrayItem(rows, count - 1), "name");
    if (count == 1 && first)
        report_say(to, 0, "Under test: the broken variant %s, not your own service.", from);
    else if (count == 1)
        report_say(to, 0, "Under test was the broken variant %s, not your own service.", from);
    else if (first)
        report_say(to, 0, "Under test: %d broken variants, %s to %s; not your own service.", count, from,
                   last);
    else
        report_say(to, 0, "Under test were %d broken variants, %s to %s; not your own service.", count, from,
                   last);
}

/* ---- TAP ----------------------------------------------------------------------------------------------- */

static void write_description(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '#' || *text == '\\')
            putc('\\', to);
        putc(*text == '\n' ? ' ' : *text, to);
    }
}

static void write_scalar(FILE *to, const char *name, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(to, "  %s: ", name);
    json_write_string(to, text, strlen(text));
    putc('\n', to);
}

static void write_ids(FILE *to, const char *name, const cJSON *ids)
{
    char *text = ids_text(ids);
    write_scalar(to, name, text);
    free(text);
}

static void write_test(FILE *to, const cJSON *row, int number)
{
    char *outcome = variant_outcome(row);
    fprintf(to, "%sok %d - ", as_it_says(row) ? "" : "not ", number);
    write_description(to, member_text(row, "name"));
    fprintf(to, ": %s\n", outcome != NULL ? outcome : "?");
    free(outcome);
    if (as_it_says(row))
        return;
    fputs("  ---\n", to);
    write_scalar(to, "outcome", member_text(row, "outcome"));
    write_scalar(to, "message", member_text(row, "message"));
    write_ids(to, "fails", member_list(row, "fails"));
    write_ids(to, "caught_by", member_list(row, "caught_by"));
    write_ids(to, "missed_by", member_list(row, "missed_by"));
    write_ids(to, "caught_besides", member_list(row, "caught_besides"));
    fputs("  ...\n", to);
}

void variants_report_tap(FILE *to, const struct lab *lab, const cJSON *result)
{
    cJSON *shown = report_printable(result, false);
    const cJSON *rows = member_list(shown, "variants");
    const cJSON *row;
    int number = 0;
    if (shown == NULL)
        return;
    fprintf(
        to,
        "TAP version 13\n1..%d\n# %s, seed %lld; a test is a broken variant, ok when it fails as it says\n",
        cJSON_GetArraySize(rows), lab->name, member_number(shown, "seed"));
    cJSON_ArrayForEach(row, rows)
    {
        write_test(to, row, ++number);
    }
    cJSON_Delete(shown);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void add_copy(cJSON *to, const char *name, const cJSON *from)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(from, name);
    if (member != NULL)
        cJSON_AddItemToObject(to, name, cJSON_Duplicate(member, true));
}

static cJSON *verdicts_of(const cJSON *check)
{
    cJSON *verdicts = cJSON_CreateArray();
    const cJSON *stage;
    const cJSON *clause;
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            cJSON *verdict = cJSON_CreateObject();
            add_copy(verdict, "id", clause);
            add_copy(verdict, "verdict", clause);
            add_copy(verdict, "ms", clause);
            if (!clause_has(clause, "pass"))
                add_copy(verdict, "observed", clause);
            cJSON_AddItemToArray(verdicts, verdict);
        }
    }
    return verdicts;
}

/* By stage, the ids of what the text report would advise. */
static cJSON *advice_of(const cJSON *check)
{
    cJSON *advice = cJSON_CreateObject();
    const cJSON *stage;
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        const char *id = member_text(cJSON_GetObjectItemCaseSensitive(stage, "advice"), "id");
        if (id[0] != '\0')
            cJSON_AddStringToObject(advice, member_text(stage, "stage"), id);
    }
    return advice;
}

/* Row by row, since json_text() bounds what it prints at once. */
static void write_json_row(FILE *to, const cJSON *row)
{
    cJSON *copy = cJSON_CreateObject();
    const cJSON *member;
    cJSON_ArrayForEach(member, row)
    {
        if (strcmp(member->string, "check") != 0 && strcmp(member->string, "source") != 0)
            add_copy(copy, member->string, row);
    }
    cJSON_AddItemToObject(copy, "clauses", verdicts_of(cJSON_GetObjectItemCaseSensitive(row, "check")));
    cJSON_AddItemToObject(copy, "advice", advice_of(cJSON_GetObjectItemCaseSensitive(row, "check")));
    char *text = json_text(copy, NULL);
    fputs(text != NULL ? text : "null", to);
    free(text);
    cJSON_Delete(copy);
}

void variants_report_json(FILE *to, const cJSON *result)
{
    const cJSON *member;
    const cJSON *row;
    putc('{', to);
    cJSON_ArrayForEach(member, result)
    {
        char *text = strcmp(member->string, "variants") != 0 ? json_text(member, NULL) : NULL;
        json_write_string(to, member->string, strlen(member->string));
        fprintf(to, ":%s", text != NULL ? text : "[");
        if (text == NULL) {
            cJSON_ArrayForEach(row, member)
            {
                write_json_row(to, row);
                fputs(row->next != NULL ? ",\n" : "]", to);
            }
        }
        fputs(member->next != NULL ? "," : "}\n", to);
        free(text);
    }
}
