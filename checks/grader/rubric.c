#include "grader/rubric.h"

#include "base/json.h"
#include "base/language.h"
#include "grader/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUBRIC_MAX_BYTES = 65536, POINTS_MAX = 10000, SENTENCE_MAX = 400 };

static const char *stage_called(const struct lab *lab, const char *number)
{
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++)
        if (strcmp(stage->number, number) == 0)
            return stage->number;
    return NULL;
}

static bool has_row(const struct rubric *rubric, const char *stage)
{
    for (int i = 0; i < rubric->count; i++)
        if (strcmp(rubric->row[i].stage, stage) == 0)
            return true;
    return false;
}

/* Adds the row in `line`, which is cut up. Gives what is wrong with it, or NULL. */
static const char *add_row(char *line, const struct lab *lab, struct rubric *rubric)
{
    char *rest = line, *end = NULL;
    const char *number = strsep(&rest, "\t"), *points = strsep(&rest, "\t");

    if (points == NULL || rest == NULL || rest[0] == '\0')
        return _("it does not have three columns with a tab between them");
    const char *stage = stage_called(lab, number);
    if (stage == NULL)
        return _("the lab has no such stage");
    if (has_row(rubric, stage) || rubric->count == STAGES_MAX)
        return _("the stage has a row already");
    const double value = strtod(points, &end);
    if (end == points || *end != '\0' || !(value >= 0 && value <= POINTS_MAX))
        return _("the points are no number from 0 to 10000");
    rubric->row[rubric->count++] =
        (struct rubric_row){stage, value, need(text_plain(rest, strlen(rest), SENTENCE_MAX))};
    return NULL;
}

/* What is missing, or NULL. */
static char *missing(const struct lab *lab, const struct rubric *rubric)
{
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++)
        if (!has_row(rubric, stage->number))
            return text_format(_("stage %s has no row"), stage->number);
    return rubric_sum(rubric) > 0 ? NULL : text_format(_("all points are 0"));
}

static char *read_rows(char *text, const struct lab *lab, struct rubric *rubric)
{
    int number = 0;

    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        const char *wrong = add_row(line, lab, rubric);
        if (wrong != NULL)
            return text_format(_("line %d: %s"), number, wrong);
    }
    return missing(lab, rubric);
}

bool rubric_read(const char *path, const struct lab *lab, struct rubric *rubric, char **why)
{
    size_t length = 0;
    char *text = read_file(path, RUBRIC_MAX_BYTES, &length);

    *rubric = (struct rubric){.count = 0};
    char *wrong = text == NULL             ? text_format("%s", strerror(errno))
                  : strlen(text) != length ? text_format(_("it is not a text file"))
                                           : read_rows(text, lab, rubric);
    free(text);
    if (wrong != NULL)
        *why = text_format(_("The rubric %s cannot be used: %s."), path, wrong);
    free(wrong);
    return *why == NULL;
}

void rubric_clear(struct rubric *rubric)
{
    for (int i = 0; i < rubric->count; i++)
        free(rubric->row[i].sentence);
    rubric->count = 0;
}

double rubric_sum(const struct rubric *rubric)
{
    double sum = 0;

    for (int i = 0; i < rubric->count; i++)
        sum += rubric->row[i].points;
    return sum;
}
