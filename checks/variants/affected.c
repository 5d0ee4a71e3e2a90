/*
 * affected.c - see affected.h.
 */
#include "variants/affected.h"

#include "base/json.h"
#include "judge/report_parts.h"
#include "variants/parts.h"

#include <stdbool.h>
#include <string.h>

/* Whether the function is the one behind a call of this name: idem_init_db behind init-db. */
static bool is_behind(const struct part *f, const char *call)
{
    size_t length = strlen(call);
    size_t before = f->name_length - length;
    if (f->name_length < length || (before > 0 && f->name[before - 1] != '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (f->name[before + i] != (call[i] == '-' ? '_' : call[i]))
            return false;
    return true;
}

static bool call_is_affected(const struct parts *s, const char *call)
{
    bool found = false;
    for (int i = 0; i < s->count; i++) {
        if (!is_behind(&s->part[i], call))
            continue;
        found = true;
        if (s->part[i].affected)
            return true;
    }
    return !found;
}

/* Adds those calls of the clause that are not affected. Gives whether all are. */
static bool add_unaffected(const struct parts *s, const cJSON *clause, cJSON *names)
{
    const cJSON *call;
    const cJSON *calls = cJSON_GetObjectItemCaseSensitive(clause, "calls");
    bool all = cJSON_IsArray(calls);
    cJSON_ArrayForEach(call, calls)
    {
        bool affected = call_is_affected(s, call->valuestring);
        all = all && !affected;
        if (!affected && !json_has_text(names, call->valuestring))
            cJSON_AddItemToArray(names, cJSON_CreateString(call->valuestring));
    }
    return all;
}

struct unaffected unaffected_by(const cJSON *check, const char *old, const char *new)
{
    struct parts before = {0};
    struct parts after = {0};
    struct unaffected unaffected = {cJSON_CreateArray(), cJSON_CreateArray()};
    const cJSON *stage;
    const cJSON *clause;
    if (parts_read(&before, old) && parts_read(&after, new) && parts_mark_affected(&before, &after)) {
        cJSON_ArrayForEach(stage, member_list(check, "stages"))
        {
            cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
            {
                if (add_unaffected(&after, clause, unaffected.calls) && clause_has(clause, "pass"))
                    cJSON_AddItemToArray(unaffected.clauses, cJSON_Duplicate(clause, true));
            }
        }
    }
    parts_clear(&before);
    parts_clear(&after);
    return unaffected;
}

void unaffected_clear(struct unaffected *unaffected)
{
    cJSON_Delete(unaffected->clauses);
    cJSON_Delete(unaffected->calls);
}
