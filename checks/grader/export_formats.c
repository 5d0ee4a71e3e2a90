/*
 * The formats that other programs read: CSV, Gradescope's JSON, JUnit XML, TAP; and the feedback for the
 * student.
 */
#include "grader/export.h"

#include "base/language.h"
#include "grader/markup.h"
#include "grader/util.h"
#include "judge/report.h"

#include <stdlib.h>
#include <string.h>

/* The most that one text of a report may hold. */
enum {
    NAME_MAX_BYTES = 1000,
    REASON_MAX = 1000,
    OUTPUT_MAX = 16 * 1024,
    FEEDBACK_MAX = 256 * 1024,
    STEPS_MAX = 60
};

static const char *const unsandboxed =
    N_("unsandboxed: the submission ran with the rights of the grader and could have changed this");

static const char *member(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

    return text != NULL ? text : "";
}

static bool passes(const cJSON *clause)
{
    return strcmp(member(clause, "verdict"), "pass") == 0;
}

static const cJSON *stages_of(const struct submission *s)
{
    return cJSON_GetObjectItemCaseSensitive(s->result, "stages");
}

static bool is_graded(const struct submission *s)
{
    return strcmp(s->status, "graded") == 0;
}

/* What a clause showed, as lines. Nothing when it holds. */
static void write_failure(FILE *to, const cJSON *clause)
{
    static const char *const parts[] = {N_("expected"), N_("observed"), N_("again")};
    static const char *const members[] = {"expected", "observed", "repeat"};
    const cJSON *step;
    int number = 0;

    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(clause, "steps")) if (++number <= STEPS_MAX)
        fprintf(to, "  %3d  %s\n", number, cJSON_GetStringValue(step));
    if (number > STEPS_MAX)
        fprintf(to, _("       and %d more steps\n"), number - STEPS_MAX);
    for (int i = 0; i < 3; i++)
        if (member(clause, members[i])[0] != '\0')
            fprintf(to, "  %-10s %s\n", _(parts[i]), member(clause, members[i]));
}

static char *failure_text(const cJSON *clause)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = need(open_memstream(&text, &length));

    write_failure(to, clause);
    fclose(to);
    return need(text);
}

/* ---- CSV ----------------------------------------------------------------------------------------------- */

static void csv_points(FILE *to, sqlite3_stmt *row, int column)
{
    char points[32] = "";

    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        points_text(points, sqlite3_column_double(row, column));
    fprintf(to, "%s,", points);
}

/* The points of each stage of the lab; empty fields where the submission was not judged. */
static void csv_stages(FILE *to, const struct export *export, const char *name)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, name,
                        "SELECT s.points FROM rubric r LEFT JOIN stages s ON s.run = r.run AND s.name = ?2 "
                        "AND s.stage = r.stage WHERE r.run = ?1 ORDER BY r.stage");

    while (gradebook_row(row))
        csv_points(to, row, 0);
    sqlite3_finalize(row);
}

void export_csv(FILE *to, const struct export *export)
{
    sqlite3_stmt *row = gradebook_query(export->db, export->book, NULL,
                                        "SELECT name, status, points, out_of, reason FROM submissions "
                                        "WHERE run = ? ORDER BY name");

    fputs("name,status,points,out_of,", to);
    for (const struct stage *stage = export->book->lab->stages; stage->number != NULL; stage++)
        fprintf(to, "s%s,", stage->number);
    fputs("reason\n", to);
    while (gradebook_row(row)) {
        csv_write(to, column_text(row, 0), NAME_MAX_BYTES);
        fprintf(to, ",%s,", column_text(row, 1));
        csv_points(to, row, 2);
        csv_points(to, row, 3);
        csv_stages(to, export, column_text(row, 0));
        char *reason =
            text_format("%s%s", column_text(row, 4), export->book->sandboxed ? "" : " (unsandboxed)");
        csv_write(to, reason, REASON_MAX);
        fputc('\n', to);
        free(reason);
    }
    sqlite3_finalize(row);
}

/* ---- Feedback ------------------------------------------------------------------------------------------ */

static void feedback_head(FILE *to, const struct export *export, const struct submission *s)
{
    char points[32], out_of[32];

    points_text(points, s->points);
    points_text(out_of, s->out_of);
    if (s->has_mark)
        fprintf(to, _("%s: %s of %s points\n%s\n"), s->name, points, out_of, s->reason);
    else
        fprintf(to, _("%s: no mark, since the kit could not judge it\n%s\n"), s->name, s->reason);
    if (!export->book->sandboxed)
        fprintf(to, "%s\n", _(unsandboxed));
}

static void feedback_stages(FILE *to, const struct export *export, const char *name)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, name,
                        "SELECT s.stage, s.passed, s.planned, s.points, r.points, r.sentence FROM stages s "
                        "JOIN rubric r USING(run, stage) WHERE s.run = ? AND s.name = ? ORDER BY s.stage");

    fprintf(to, "\n%s\n", _("stage  clauses  points"));
    while (gradebook_row(row)) {
        char points[32], most[32];
        points_text(points, sqlite3_column_double(row, 3));
        points_text(most, sqlite3_column_double(row, 4));
        fprintf(to, _("%-5s  %3d/%-3d  %5s of %-3s  %s\n"), column_text(row, 0), sqlite3_column_int(row, 1),
                sqlite3_column_int(row, 2), points, most, _(column_text(row, 5)));
    }
    sqlite3_finalize(row);
    fputc('\n', to);
}

void export_feedback(FILE *to, const struct export *export, const struct submission *s)
{
    const struct report_style plain = {.colour = false, .ascii = false};
    char *text = NULL;
    size_t length = 0;
    FILE *whole = need(open_memstream(&text, &length));

    feedback_head(whole, export, s);
    if (is_graded(s))
        feedback_stages(whole, export, s->name);
    if (s->result != NULL)
        report_text(whole, s->result, &plain);
    fclose(whole);
    char *clean = clean_text(need(text), FEEDBACK_MAX);
    fputs(clean, to);
    if (clean[strlen(clean) - 1] != '\n')
        fputc('\n', to);
    free(clean);
    free(text);
}

/* ---- Gradescope ---------------------------------------------------------------------------------------- */

/* A stage's failures, as one text. */
static char *stage_output(const cJSON *stage)
{
    const cJSON *clause;
    char *text = NULL;
    size_t length = 0;
    FILE *to = need(open_memstream(&text, &length));

    cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses")) if (!passes(clause))
    {
        fprintf(to, "%s %s: %s\n", member(clause, "id"), _(member(clause, "sentence")),
                report_verdict_word(clause));
        write_failure(to, clause);
    }
    fclose(to);
    return need(text);
}

static const cJSON *stage_called(const struct submission *s, const char *number)
{
    const cJSON *stage;

    cJSON_ArrayForEach(stage, stages_of(s)) if (strcmp(member(stage, "stage"), number) == 0) return stage;
    return NULL;
}

static void gradescope_tests(FILE *to, const struct export *export, const struct submission *s)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, s->name,
                        "SELECT s.stage, s.points, r.points, s.passed, s.planned FROM stages s "
                        "JOIN rubric r USING(run, stage) WHERE s.run = ? AND s.name = ? "
                        "ORDER BY s.stage");

    for (bool first = true; gradebook_row(row); first = false) {
        const cJSON *stage = stage_called(s, column_text(row, 0));
        char *name =
            text_format(_("%s %s: %d of %d clauses hold"), column_text(row, 0), member(stage, "name"),
                        sqlite3_column_int(row, 3), sqlite3_column_int(row, 4));
        char *output = stage_output(stage);
        fprintf(to, "%s{\"number\": \"%s\", \"name\": ", first ? "" : ",\n    ", column_text(row, 0));
        json_write(to, name, NAME_MAX_BYTES);
        fprintf(to,
                ", \"score\": %g, \"max_score\": %g, \"status\": \"%s\", \"output_format\": \"text\", "
                "\"output\": ",
                sqlite3_column_double(row, 1), sqlite3_column_double(row, 2),
                sqlite3_column_int(row, 3) == sqlite3_column_int(row, 4) ? "passed" : "failed");
        json_write(to, output, OUTPUT_MAX);
        fputc('}', to);
        free(output);
        free(name);
    }
    sqlite3_finalize(row);
}

/* Without a score Gradescope reports that the grader failed, which is what an error is. */
void export_gradescope(FILE *to, const struct export *export, const struct submission *s)
{
    char *output = text_format("%s%s%s", s->reason, export->book->sandboxed ? "" : "\n",
                               export->book->sandboxed ? "" : _(unsandboxed));

    fputs("{\n  ", to);
    if (s->has_mark)
        fprintf(to, "\"score\": %g,\n  ", s->points);
    fprintf(to,
            "\"execution_time\": %.0f,\n  \"output_format\": \"text\",\n  \"output\": ", s->took_ms / 1000);
    json_write(to, output, OUTPUT_MAX);
    fputs(",\n  \"extra_data\": {\"name\": ", to);
    json_write(to, s->name, NAME_MAX_BYTES);
    fprintf(to, ", \"status\": \"%s\", \"out_of\": %g, \"sandboxed\": %s}", s->status, s->out_of,
            export->book->sandboxed ? "true" : "false");
    if (is_graded(s)) {
        fputs(",\n  \"tests\": [\n    ", to);
        gradescope_tests(to, export, s);
        fputs("\n  ]", to);
    }
    fputs("\n}\n", to);
    free(output);
}

/* ---- JUnit XML ----------------------------------------------------------------------------------------- */

static void xml_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    markup_write(to, value, NAME_MAX_BYTES);
    fputc('"', to);
}

/* The kinds of JUnit: a failure is the submission's, an error is the kit's. */
static void junit_clause(FILE *to, const cJSON *stage, const cJSON *clause)
{
    const char *verdict = member(clause, "verdict");
    const char *kind = strcmp(verdict, "error") == 0 ? "error" : "failure";
    char *class = text_format("%s %s", member(stage, "stage"), member(stage, "name"));
    char *name = text_format("%s %s", member(clause, "id"), member(clause, "sentence"));

    fputs("    <testcase", to);
    xml_attribute(to, "classname", class);
    xml_attribute(to, "name", name);
    if (passes(clause)) {
        fputs("/>\n", to);
    } else {
        char *failure = failure_text(clause);
        fprintf(to, "><%s", kind);
        xml_attribute(to, "type", verdict);
        xml_attribute(to, "message", member(clause, "observed"));
        fputc('>', to);
        markup_write(to, failure, OUTPUT_MAX);
        fprintf(to, "</%s></testcase>\n", kind);
        free(failure);
    }
    free(name);
    free(class);
}

static void junit_clauses(FILE *to, const struct submission *s)
{
    const cJSON *stage, *clause;

    cJSON_ArrayForEach(stage, stages_of(s))
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses"))
            junit_clause(to, stage, clause);
}

/* What was not judged is one test, which tells why. */
static void junit_unjudged(FILE *to, const struct submission *s)
{
    const char *kind = strcmp(s->status, "error") == 0 ? "error" : "failure";

    fputs("    <testcase classname=\"submission\" name=\"can be judged\"><", to);
    fputs(kind, to);
    xml_attribute(to, "type", s->status);
    xml_attribute(to, "message", s->reason);
    fputs("/></testcase>\n", to);
}

static int count_clauses(const struct submission *s, bool failing)
{
    const cJSON *stage, *clause;
    int count = 0;

    cJSON_ArrayForEach(stage, stages_of(s))
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses")) count +=
        !failing || !passes(clause);
    return count;
}

void export_junit(FILE *to, const struct export *export, const struct submission *s)
{
    const bool error = strcmp(s->status, "error") == 0, graded = is_graded(s);
    const int tests = graded ? count_clauses(s, false) : 1;
    const int failing = graded ? count_clauses(s, true) : !error;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", to);
    xml_attribute(to, "name", s->name);
    fprintf(to, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"%.3f\">\n", tests, failing,
            error, s->took_ms / 1000);
    fprintf(to, "    <properties><property name=\"sandbox\" value=\"%s\"/></properties>\n",
            export->book->sandboxed ? "sandboxed" : "unsandboxed");
    if (graded)
        junit_clauses(to, s);
    else
        junit_unjudged(to, s);
    fputs("    <system-out>", to);
    markup_write(to, s->reason, REASON_MAX);
    fputs("</system-out>\n  </testsuite>\n</testsuites>\n", to);
}

/* ---- TAP ----------------------------------------------------------------------------------------------- */

void export_tap(FILE *to, const struct export *export, const struct submission *s)
{
    if (is_graded(s))
        report_tap(to, s->result);
    else
        fprintf(to,
                "TAP version 13\n1..1\nnot ok 1 - the submission can be judged\n  ---\n  verdict: \"%s\"\n  "
                "reason: ",
                s->status);
    if (!is_graded(s)) {
        json_write(to, s->reason, REASON_MAX);
        fputs("\n  ...\n", to);
    }
    if (!export->book->sandboxed)
        fprintf(to, "# %s\n", unsandboxed);
}
