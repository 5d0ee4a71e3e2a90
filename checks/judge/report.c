/*
 * report.c - see report.h: the style, the exit status, JSON, and the list of a lab's clauses.
 */
#include "judge/report.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/report_parts.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report_style report_style_for(FILE *to)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool plain = (refused != NULL && refused[0] != '\0') || terminal == NULL || strcmp(terminal, "dumb") == 0;
    return (struct report_style){
        .colour = !plain && isatty(fileno(to)) == 1,
        .ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
    };
}

void report_json(FILE *to, const cJSON *result)
{
    char *text = json_text(result, NULL);
    if (text != NULL) {
        fprintf(to, "%s\n", text);
    }
    free(text);
}

/* The verdicts and how many of them are those of the kit, or of nobody. */
static void count_verdicts(const cJSON *result, int *verdicts, int *errors)
{
    const cJSON *stage;
    const cJSON *clause;
    *verdicts = *errors = 0;
    cJSON_ArrayForEach(stage, member_list(result, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            *verdicts += 1;
            *errors += clause_has(clause, "error");
        }
    }
}

/* Nothing planned is no success: whoever asked for nothing, or for what is not there, learnt nothing. */
int report_exit_status(const cJSON *result)
{
    int verdicts;
    int errors;
    count_verdicts(result, &verdicts, &errors);
    long long planned = member_number(result, "planned");
    if (errors > 0 || planned == 0 || planned != verdicts) {
        return 3;
    }
    return member_number(result, "passed") == planned ? 0 : 1;
}

/* ---- The list ------------------------------------------------------------------------------------------ */

static const char *kind_name(enum clause_kind kind)
{
    switch (kind) {
    case NUMBERED:
        return "numbered";
    case CRAFT:
        return "craft";
    case RACE:
        return "race";
    case RANDOM:
        return "random";
    }
    return "of no kind";
}

static void write_member(FILE *to, const char *name, const char *text)
{
    json_write_string(to, name, strlen(name));
    putc(':', to);
    json_write_string(to, text, strlen(text));
}

static void list_stage_as_json(FILE *to, const struct lab *lab, const struct stage *stage)
{
    char *page = report_page(lab->name, stage->number, stage->name);
    putc('{', to);
    write_member(to, "stage", stage->number);
    putc(',', to);
    write_member(to, "name", stage->name);
    putc(',', to);
    write_member(to, "page", page != NULL ? page : "");
    fputs(",\"clauses\":[", to);
    for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++) {
        fputs(clause == stage->clauses ? "{" : ",{", to);
        write_member(to, "id", clause->id);
        putc(',', to);
        write_member(to, "kind", kind_name(clause->kind));
        putc(',', to);
        write_member(to, "sentence", clause->sentence);
        putc('}', to);
    }
    fputs("]}", to);
    free(page);
}

static void list_as_json(FILE *to, const struct lab *lab)
{
    putc('{', to);
    write_member(to, "lab", lab->name);
    fputs(",\"stages\":[", to);
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++) {
        fputs(stage == lab->stages ? "" : ",", to);
        list_stage_as_json(to, lab, stage);
    }
    fputs("]}\n", to);
}

/* A line a clause, however long, so that grep finds it whole. Numbered clauses do not say so. */
static void list_stage_as_text(FILE *to, const struct lab *lab, const struct stage *stage)
{
    char *page = report_page(lab->name, stage->number, stage->name);
    fprintf(to, _("%s %s, page %s\n"), stage->number, stage->name, page != NULL ? page : "");
    for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++) {
        fprintf(to, "  %-4s %s", clause->id, _(clause->sentence));
        if (clause->kind != NUMBERED) {
            fprintf(to, " (%s)", kind_name(clause->kind));
        }
        putc('\n', to);
    }
    free(page);
}

void report_list(FILE *to, const struct lab *lab, bool json)
{
    if (json) {
        list_as_json(to, lab);
        return;
    }
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++) {
        fputs(stage == lab->stages ? "" : "\n", to);
        list_stage_as_text(to, lab, stage);
    }
}
