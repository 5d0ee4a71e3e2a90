/*
 * clause_set.c - see clause_set.h.
 */
#include "variants/clause_set.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

int clause_count(const struct lab *lab)
{
    int count = 0;
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++)
        for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++)
            count++;
    return count < MAX_CLAUSES ? count : MAX_CLAUSES;
}

const struct clause *clause_at(const struct lab *lab, int place, int *stage)
{
    for (int s = 0; lab->stages[s].number != NULL; s++) {
        for (const struct clause *clause = lab->stages[s].clauses; clause->id != NULL; clause++) {
            if (place-- > 0)
                continue;
            if (stage != NULL)
                *stage = s;
            return clause;
        }
    }
    return NULL;
}

int clause_place(const struct lab *lab, const char *id)
{
    int count = clause_count(lab);
    for (int place = 0; place < count; place++)
        if (strcasecmp(clause_at(lab, place, NULL)->id, id) == 0)
            return place;
    return -1;
}

bool clause_set_read(struct clause_set *set, const struct lab *lab, const char *text, char unknown[64])
{
    static const char separators[] = " ,;\t\r\n";
    *set = (struct clause_set){0};
    for (text += strspn(text, separators); *text != '\0'; text += strspn(text, separators)) {
        size_t length = strcspn(text, separators);
        snprintf(unknown, 64, "%.*s", (int)length, text);
        int place = length < 64 ? clause_place(lab, unknown) : -1;
        if (place < 0)
            return false;
        set->has[place] = true;
        text += length;
    }
    return true;
}

int clause_set_size(const struct clause_set *set)
{
    int size = 0;
    for (int place = 0; place < MAX_CLAUSES; place++)
        size += set->has[place];
    return size;
}

struct clause_set clause_set_minus(const struct clause_set *a, const struct clause_set *b)
{
    struct clause_set left = {0};
    for (int place = 0; place < MAX_CLAUSES; place++)
        left.has[place] = a->has[place] && !b->has[place];
    return left;
}

struct clause_set clause_set_both(const struct clause_set *a, const struct clause_set *b)
{
    struct clause_set both = {0};
    for (int place = 0; place < MAX_CLAUSES; place++)
        both.has[place] = a->has[place] && b->has[place];
    return both;
}

struct clause_set clause_set_of_stage(const struct clause_set *set, const struct lab *lab, int stage)
{
    struct clause_set chosen = {0};
    int count = clause_count(lab);
    for (int place = 0; place < count; place++) {
        int of = -1;
        clause_at(lab, place, &of);
        chosen.has[place] = set->has[place] && of == stage;
    }
    return chosen;
}

char *clause_set_text(const struct clause_set *set, const struct lab *lab)
{
    char *text = NULL;
    size_t length = 0;
    int count = clause_count(lab);
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    for (int place = 0; place < count; place++)
        if (set->has[place])
            fprintf(to, "%s%s", ftell(to) > 0 ? " " : "", clause_at(lab, place, NULL)->id);
    fclose(to);
    return text;
}

cJSON *clause_set_json(const struct clause_set *set, const struct lab *lab)
{
    cJSON *ids = cJSON_CreateArray();
    int count = clause_count(lab);
    for (int place = 0; place < count; place++)
        if (set->has[place])
            cJSON_AddItemToArray(ids, cJSON_CreateString(clause_at(lab, place, NULL)->id));
    return ids;
}

struct clause_set clause_set_from_json(const cJSON *ids, const struct lab *lab)
{
    struct clause_set set = {0};
    const cJSON *id;
    cJSON_ArrayForEach(id, ids)
    {
        int place = cJSON_IsString(id) ? clause_place(lab, id->valuestring) : -1;
        if (place >= 0)
            set.has[place] = true;
    }
    return set;
}
