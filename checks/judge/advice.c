/*
 * advice.c - see advice.h.
 *
 * Only what was run counts: a clause that has no verdict has neither failed nor held, and one that is not written yet, or that
 * the kit could not judge, says nothing of a mistake.
 */
#include "judge/advice.h"

#include "base/language.h"
#include "judge/report_parts.h"

#include <string.h>

/* The clause of the stage whose id is these `bytes`; NULL when it was not run. */
static const cJSON *clause_named(const cJSON *stage, const char *id, size_t bytes)
{
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        const char *other = member_text(clause, "id");
        if (strncmp(other, id, bytes) == 0 && other[bytes] == '\0')
            return clause;
    }
    return NULL;
}

static bool has_failed(const cJSON *clause)
{
    return clause_has(clause, "fail") || clause_has(clause, "crash");
}

static bool has_held(const cJSON *clause)
{
    return clause_has(clause, "pass");
}

/* Whether every clause of the list, "4.2 4.9", is as asked. */
static bool all_are(const cJSON *stage, const char *ids, bool (*as_asked)(const cJSON *clause))
{
    for (size_t bytes; *ids != '\0'; ids += bytes + (ids[bytes] == ' ')) {
        bytes = strcspn(ids, " ");
        const cJSON *clause = clause_named(stage, ids, bytes);
        if (clause == NULL || !as_asked(clause))
            return false;
    }
    return true;
}

/* Behind a conversion such as %lld or, in a translation, %2$s. */
static const char *after_conversion(const char *format)
{
    format += 1 + strspn(format + 1, "0123456789$-+ #.*hlLqjzt");
    return *format != '\0' ? format + 1 : format;
}

/* Whether the text holds something that was printed with the format: its pieces, in order, whatever stands between them. */
static bool is_printed_with(const char *format, const char *text)
{
    while (*format != '\0') {
        size_t bytes = strcspn(format, "%");
        const char *at = memmem(text, strlen(text), format, bytes);
        if (at == NULL)
            return false;
        text = at + bytes;
        format += bytes;
        if (*format == '%')
            format = after_conversion(format);
    }
    return true;
}

/* What the clause observed, or the last step before it: the call, and what it gave. */
static bool shows(const cJSON *clause, const char *message)
{
    const cJSON *steps = member_list(clause, "steps");
    const cJSON *last = cJSON_GetArrayItem(steps, cJSON_GetArraySize(steps) - 1);
    return is_printed_with(message, member_text(clause, "observed")) ||
           (cJSON_IsString(last) && is_printed_with(message, last->valuestring));
}

/* Messages reach a result in the language of the run, so they are looked for in that language. */
static bool was_seen(const cJSON *stage, const char *ids, const char *message)
{
    for (size_t bytes; *ids != '\0'; ids += bytes + (ids[bytes] == ' ')) {
        bytes = strcspn(ids, " ");
        if (shows(clause_named(stage, ids, bytes), _(message)))
            return true;
    }
    return false;
}

static bool fits(const struct advice *advice, const cJSON *stage)
{
    return strcmp(advice->stage, member_text(stage, "stage")) == 0 &&
           all_are(stage, advice->fails, has_failed) && all_are(stage, advice->holds, has_held) &&
           (advice->seen == NULL || was_seen(stage, advice->fails, advice->seen));
}

const struct advice *advice_for(const struct lab *lab, const cJSON *stage)
{
    for (const struct advice *row = lab->advice; row != NULL && row->id != NULL; row++)
        if (fits(row, stage))
            return row;
    return NULL;
}
