/*
 * mutation_report.c - a result of variants_run() as mutation-testing-report-schema has it; see picture.h.
 */
#include "variants/picture.h"

#include "base/json.h"
#include "judge/check.h"
#include "judge/report_parts.h"
#include "variants/report.h"

#include <stdlib.h>
#include <string.h>

/* Line and column, from 1, of a byte of the source. */
static cJSON *position(const char *source, int at)
{
    int line = 1;
    int column = 1;
    for (int i = 0; i < at && source[i] != '\0'; i++) {
        column = source[i] == '\n' ? 1 : column + 1;
        line += source[i] == '\n';
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "line", line);
    cJSON_AddNumberToObject(object, "column", column);
    return object;
}

/* The schema's word for an outcome. */
static const char *status_of(const cJSON *row)
{
    static const struct {
        const char *outcome, *status;
    } words[] = {{"caught", "Killed"},
                 {"crashed", "Killed"},
                 {"timed out", "Timeout"},
                 {"not caught", "Survived"},
                 {"does not build", "CompileError"},
                 {"no clause ran", "NoCoverage"},
                 {"not applied", "Ignored"},
                 {"not judged", "RuntimeError"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(member_text(row, "outcome"), words[i].outcome) == 0)
            return words[i].status;
    return "RuntimeError";
}

/* Where it stands in the reference, and what stands there instead. A change that only inserts takes the
 * character before it along, since a place of no width cannot be shown. */
static void add_place(cJSON *mutant, const char *reference, const cJSON *row)
{
    const char *source = member_text(row, "source");
    int start = (int)member_number(row, "start");
    int old_end = (int)member_number(row, "old_end");
    int new_end = (int)member_number(row, "new_end");
    start -= start == old_end && start > 0;
    cJSON *location = cJSON_AddObjectToObject(mutant, "location");
    cJSON_AddItemToObject(location, "start", position(reference, start));
    cJSON_AddItemToObject(location, "end", position(reference, old_end > start ? old_end : start + 1));
    if (source[0] == '\0')
        return;
    char *replacement = strndup(source + start, (size_t)(new_end - start));
    cJSON_AddStringToObject(mutant, "replacement", replacement != NULL ? replacement : "");
    free(replacement);
}

/* What the first clause that caught it observed, or the message of the outcome. Allocated. */
static char *reason_of(const cJSON *row)
{
    const char *id = cJSON_GetStringValue(cJSON_GetArrayItem(member_list(row, "caught_by"), 0));
    const cJSON *stage;
    const cJSON *clause;
    char *reason = NULL;
    if (id == NULL)
        return strdup(member_text(row, "message"));
    cJSON_ArrayForEach(stage, member_list(cJSON_GetObjectItemCaseSensitive(row, "check"), "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            if (strcmp(member_text(clause, "id"), id) == 0 &&
                asprintf(&reason, "%s %s\nexpected  %s\nobserved  %s", id, member_text(clause, "sentence"),
                         member_text(clause, "expected"), member_text(clause, "observed")) >= 0)
                return reason;
        }
    }
    return NULL;
}

/* Every clause that ran looked at the variant; how long they took in all. */
static double add_covering(cJSON *mutant, const cJSON *row)
{
    double ms = 0;
    const cJSON *stage;
    const cJSON *clause;
    cJSON *ids = cJSON_AddArrayToObject(mutant, "coveredBy");
    cJSON_ArrayForEach(stage, member_list(cJSON_GetObjectItemCaseSensitive(row, "check"), "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            const cJSON *took = cJSON_GetObjectItemCaseSensitive(clause, "ms");
            ms += cJSON_IsNumber(took) ? took->valuedouble : 0;
            cJSON_AddItemToArray(ids, cJSON_CreateString(member_text(clause, "id")));
        }
    }
    cJSON_AddNumberToObject(mutant, "testsCompleted", cJSON_GetArraySize(ids));
    return ms;
}

static cJSON *mutant_of(const char *reference, const cJSON *row)
{
    cJSON *mutant = cJSON_CreateObject();
    char *reason = reason_of(row);
    cJSON_AddStringToObject(mutant, "id", member_text(row, "name"));
    cJSON_AddStringToObject(mutant, "mutatorName", member_text(row, "name"));
    cJSON_AddStringToObject(mutant, "description", member_text(row, "title"));
    cJSON_AddStringToObject(mutant, "status", status_of(row));
    if (reason != NULL && reason[0] != '\0')
        cJSON_AddStringToObject(mutant, "statusReason", reason);
    add_place(mutant, reference, row);
    cJSON_AddItemToObject(mutant, "killedBy", cJSON_Duplicate(member_list(row, "caught_by"), true));
    cJSON_AddNumberToObject(mutant, "duration", add_covering(mutant, row));
    free(reason);
    return mutant;
}

/* Reports whose arrays hold a mutant twice are not valid: a variant that was named twice is in it once. */
static bool is_repeated(const cJSON *row, const cJSON *rows)
{
    for (const cJSON *earlier = rows->child; earlier != row; earlier = earlier->next)
        if (strcmp(member_text(earlier, "name"), member_text(row, "name")) == 0)
            return true;
    return false;
}

static void add_files(cJSON *report, const struct lab *lab, const cJSON *result)
{
    const cJSON *row;
    const cJSON *rows = member_list(result, "variants");
    const char *reference = member_text(cJSON_GetObjectItemCaseSensitive(result, "reference"), "source");
    cJSON *file = cJSON_AddObjectToObject(cJSON_AddObjectToObject(report, "files"), lab->file);
    cJSON_AddStringToObject(file, "language", "c");
    cJSON_AddStringToObject(file, "source", reference);
    cJSON *mutants = cJSON_AddArrayToObject(file, "mutants");
    cJSON_ArrayForEach(row, rows)
    {
        if (!is_repeated(row, rows))
            cJSON_AddItemToArray(mutants, mutant_of(reference, row));
    }
}

/* A stage is a file of tests, a clause a test. */
static void add_tests(cJSON *report, const struct lab *lab)
{
    cJSON *files = cJSON_AddObjectToObject(report, "testFiles");
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++) {
        char name[128];
        snprintf(name, sizeof name, "%s %s", stage->number, stage->name);
        cJSON *tests = cJSON_AddArrayToObject(cJSON_AddObjectToObject(files, name), "tests");
        for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++) {
            cJSON *test = cJSON_CreateObject();
            char *words = NULL;
            cJSON_AddStringToObject(test, "id", clause->id);
            if (asprintf(&words, "%s %s", clause->id, clause->sentence) >= 0)
                cJSON_AddStringToObject(test, "name", words);
            free(words);
            cJSON_AddItemToArray(tests, test);
        }
    }
}

static cJSON *head_of_report(const struct lab *lab, const cJSON *result)
{
    cJSON *report = cJSON_CreateObject();
    cJSON_AddStringToObject(report, "schemaVersion", "2");
    cJSON *thresholds = cJSON_AddObjectToObject(report, "thresholds");
    cJSON_AddNumberToObject(thresholds, "high", 90);
    cJSON_AddNumberToObject(thresholds, "low", 70);
    cJSON *framework = cJSON_AddObjectToObject(report, "framework");
    cJSON_AddStringToObject(framework, "name", "lab variants");
    cJSON_AddStringToObject(framework, "version", KIT_VERSION);
    cJSON *config = cJSON_AddObjectToObject(report, "config");
    cJSON_AddStringToObject(config, "lab", lab->name);
    cJSON_AddNumberToObject(config, "seed", (double)member_number(result, "seed"));
    return report;
}

void mutation_report(FILE *to, const struct lab *lab, const cJSON *result)
{
    cJSON *printable = report_printable(result, false);
    cJSON *report = head_of_report(lab, result);
    add_files(report, lab, printable);
    add_tests(report, lab);
    char *text = cJSON_PrintUnformatted(report);
    if (text != NULL)
        fprintf(to, "%s\n", text);
    free(text);
    cJSON_Delete(report);
    cJSON_Delete(printable);
}
