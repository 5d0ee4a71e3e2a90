/*
 * idem_lab.c - what the judge is told of the idem-retention lab: its stages, its model, and how to make a
 * call by hand.
 */
#include "clauses.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only the first stage finds no table: making it is its promise. */
static const struct stage stages[] = {
    {"01", "init-db", false, init_db_clauses},
    {"02", "reserve", true, reserve_clauses},
    {"03", "finish", true, finish_clauses},
    {"04", "fetch", true, fetch_clauses},
    {"05", "expired", true, expired_clauses},
    {"06", "purge", true, purge_clauses},
    {"07", "counts", true, counts_clauses},
    {"08", "retention-cycle", true, retention_cycle_clauses},
    {NULL, NULL, false, NULL},
};

/* One argument as a word of the shell; NULL for a NULL pointer, which the command line cannot say.
 * Allocated. */
static char *word(const cJSON *argument)
{
    char number_text[32];
    char *json;
    char *quoted;

    if (cJSON_IsString(argument))
        return text_shell(argument->valuestring);
    if (cJSON_IsNumber(argument)) {
        json_number(number_text, argument->valuedouble);
        return text_shell(number_text);
    }
    if (!cJSON_IsArray(argument))
        return NULL;
    json = json_text(argument->child, NULL);
    quoted = json == NULL ? NULL : text_shell(json);
    free(json);
    return quoted;
}

/* The limit of expired and purge, their second argument, may be left away. */
static bool is_left_away(const char *name, const cJSON *argument)
{
    return (strcmp(name, "expired") == 0 || strcmp(name, "purge") == 0) && cJSON_IsNull(argument);
}

static bool write_words(FILE *to, const cJSON *call)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call, "call"));
    const cJSON *argument;

    fprintf(to, "idem DB %s", name);
    cJSON_ArrayForEach(argument, cJSON_GetObjectItemCaseSensitive(call, "args"))
    {
        if (is_left_away(name, argument))
            continue;
        char *text = word(argument);
        if (text == NULL)
            return false;
        fprintf(to, " %s", text);
        free(text);
    }
    return true;
}

static char *by_hand(const cJSON *call)
{
    char *out = NULL;
    size_t length = 0;
    FILE *to;

    if (cJSON_HasObjectItem(call, "path") || cJSON_HasObjectItem(call, "no_out"))
        return NULL;
    to = open_memstream(&out, &length);
    if (to == NULL)
        return NULL;
    bool said = write_words(to, call);
    fclose(to);
    if (said)
        return out;
    free(out);
    return NULL;
}

const struct lab idem_lab = {
    .name = "idem-retention-lab",
    .file = "service.c",
    .header = "service.h",
    .schema = idem_schema,
    .stages = stages,
    .model = &idem_model,
    .advice = idem_advice,
    .by_hand = by_hand,
};
