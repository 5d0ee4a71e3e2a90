/*
 * index.html: the class at a glance. One plain page without a script or anything from elsewhere, so that it
 * opens from a folder, years later, offline; its policy forbids the browser to run or load anything,
 * whatever a submission printed.
 *
 * Three parts: a table of submissions by stages; where the class stumbles, by stage and by clause; then
 * each submission with its failures, step by step, what it printed, and its source. Links lead from the
 * table to the parts below.
 */
#include "grader/export.h"

#include "base/language.h"
#include "grader/markup.h"
#include "grader/util.h"
#include "judge/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What the page shows of one submission at most; the rest is in its feedback file. */
enum {
    NAME_MAX_BYTES = 1000,
    TEXT_MAX = 2000,
    PRINTED_MAX = 4096,
    SOURCE_MAX = 64 * 1024,
    STEPS_MAX = 40,
    FAILURES_MAX = 25,
    STUMBLES_MAX = 15,
    TWINS_MAX = 5
};

static const char style[] =
    ":root{color-scheme:light dark;--line:#8884;--good:46,160,67;--bad:207,34,46}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem}h3{font-size:1rem;margin:2rem 0 .3rem}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.25rem .5rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid "
    "var(--line)}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".wide{overflow-x:auto}td.name,td.reason,h3,p{overflow-wrap:anywhere}td.reason{min-width:14rem}"
    "td.s0{background:rgba(var(--bad),.28)}td.s1{background:rgba(var(--bad),.14)}"
    "td.s2{background:rgba(var(--good),.12)}td.s3{background:rgba(var(--good),.3)}"
    ".bar{display:inline-block;height:.7rem;background:rgb(var(--bad));border-radius:2px}"
    ".warn{border-left:4px solid rgb(var(--bad));padding:.3rem .8rem;background:rgba(var(--bad),.1)}"
    ".quiet{opacity:.75}pre{overflow:auto;max-height:30rem;border:1px solid "
    "var(--line);padding:.6rem;font-size:13px;"
    "white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}details{margin:.3rem "
    "0}summary{cursor:pointer}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.3rem 0}dt{opacity:.75}"
    "dd{margin:0;overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:13px}"
    "ol{font-family:ui-monospace,monospace;font-size:13px;margin:.3rem 0}ol li{overflow-wrap:anywhere}";

static const char *member(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

    return text != NULL ? text : "";
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* How much of a stage holds, in four steps: nothing, less than half, more, everything. */
static int shade(int passed, int planned)
{
    return passed == 0 ? 0 : passed == planned ? 3 : passed * 2 < planned ? 1 : 2;
}

static void cells_of_stages(FILE *to, const struct export *export, const char *name)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, name,
                        "SELECT s.passed, s.planned FROM rubric r LEFT JOIN stages s ON s.run = r.run AND "
                        "s.name = ?2 AND s.stage = r.stage WHERE r.run = ?1 ORDER BY r.stage");

    while (gradebook_row(row))
        if (sqlite3_column_type(row, 0) == SQLITE_NULL)
            fputs("<td class=n>–</td>", to);
        else
            fprintf(to, "<td class=\"n s%d\">%d/%d</td>",
                    shade(sqlite3_column_int(row, 0), sqlite3_column_int(row, 1)), sqlite3_column_int(row, 0),
                    sqlite3_column_int(row, 1));
    sqlite3_finalize(row);
}

/* "The same file as ..." when others have handed in the same bytes. */
static void write_twins(FILE *to, const struct export *export, const char *name)
{
    sqlite3_stmt *row = gradebook_query(export->db, export->book, name,
                                        "SELECT b.name FROM submissions a JOIN submissions b ON a.run = "
                                        "b.run AND a.sha256 = b.sha256 AND a.name <> b.name "
                                        "WHERE a.run = ? AND a.name = ? ORDER BY b.name");
    int count = 0;

    for (; gradebook_row(row); count++)
        if (count < TWINS_MAX) {
            if (count == 0)
                fprintf(to, " <strong>%s</strong> ", _("The same file as"));
            else
                fputs(", ", to);
            markup_write(to, column_text(row, 0), NAME_MAX_BYTES);
        }
    if (count > TWINS_MAX)
        fprintf(to, _(" and %d more"), count - TWINS_MAX);
    if (count > 0)
        fputc('.', to);
    sqlite3_finalize(row);
}

/* What became of a submission, in a word; the gradebook has it in English. */
static const char *status_word(const char *status)
{
    static const char *const words[] = {N_("graded"), N_("refused"), N_("error")};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(status, words[i]) == 0)
            return _(words[i]);
    return status;
}

static void write_row(FILE *to, const struct export *export, sqlite3_stmt *row, int number)
{
    char points[32] = "–";

    if (sqlite3_column_type(row, 2) != SQLITE_NULL)
        points_text(points, sqlite3_column_double(row, 2));
    fprintf(to, "<tr><td class=name><a href=\"#s%d\">", number);
    markup_write(to, column_text(row, 0), NAME_MAX_BYTES);
    fprintf(to, "</a></td><td>%s</td><td class=n>%s</td>", status_word(column_text(row, 1)), points);
    cells_of_stages(to, export, column_text(row, 0));
    fputs("<td class=reason>", to);
    markup_write(to, column_text(row, 3), TEXT_MAX);
    write_twins(to, export, column_text(row, 0));
    fputs("</td></tr>\n", to);
}

static void write_table(FILE *to, const struct export *export)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, NULL,
                        "SELECT name, status, points, reason FROM submissions WHERE run = ? ORDER BY name");

    fprintf(to, "<div class=wide><table><thead><tr><th>%s</th><th>%s</th><th class=n>%s</th>",
            _("submission"), _("status"), _("points"));
    for (const struct stage *stage = export->book->lab->stages; stage->number != NULL; stage++)
        fprintf(to, "<th class=n title=\"%s\">%s</th>", stage->name, stage->number);
    fprintf(to, "<th>%s</th></tr></thead><tbody>\n", _("in a sentence"));
    for (int number = 1; gradebook_row(row); number++)
        write_row(to, export, row, number);
    fputs("</tbody></table></div>\n", to);
    sqlite3_finalize(row);
}

/* ---- Where the class stumbles -------------------------------------------------------------------------- */

static void write_bar(FILE *to, double share)
{
    fprintf(to, "<td style=\"width:35%%\"><span class=bar style=\"width:%.0f%%\"></span></td>", share * 100);
}

static void stumbles_by_stage(FILE *to, const struct export *export)
{
    sqlite3_stmt *row =
        gradebook_query(export->db, export->book, NULL,
                        "SELECT s.stage, r.sentence, sum(s.passed), sum(s.planned), sum(s.passed = "
                        "s.planned), count(*) FROM stages s "
                        "JOIN rubric r USING(run, stage) WHERE s.run = ? GROUP BY s.stage ORDER BY s.stage");

    fprintf(to,
            "<table><thead><tr><th>%s</th><th>%s</th><th class=n>%s</th><th class=n>%s</th><th>%s</th></tr>"
            "</thead><tbody>\n",
            _("stage"), _("what it asks"), _("whole"), _("clauses that hold"), _("what is missing"));
    while (gradebook_row(row)) {
        const double share = sqlite3_column_double(row, 2) / sqlite3_column_double(row, 3);
        fprintf(to, "<tr><td>%s</td><td>", column_text(row, 0));
        markup_write(to, _(column_text(row, 1)), TEXT_MAX);
        fputs("</td><td class=n>", to);
        fprintf(to, _("%d of %d"), sqlite3_column_int(row, 4), sqlite3_column_int(row, 5));
        fprintf(to, "</td><td class=n>%.0f %%</td>", share * 100);
        write_bar(to, 1 - share);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    sqlite3_finalize(row);
}

/* The sentence of a clause of the lab. */
static const char *sentence_of(const struct lab *lab, const char *id)
{
    for (const struct stage *stage = lab->stages; stage->number != NULL; stage++)
        for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++)
            if (strcmp(clause->id, id) == 0)
                return clause->sentence;
    return "";
}

static void stumbles_by_clause(FILE *to, const struct export *export)
{
    char *sql = text_format(
        "SELECT clause, sum(verdict <> 'pass') AS broken, count(*) FROM verdicts WHERE run = ? AND verdict "
        "NOT IN ('todo', 'build') GROUP BY clause HAVING broken > 0 ORDER BY broken DESC, "
        "min(position) LIMIT %d",
        STUMBLES_MAX);
    sqlite3_stmt *row = gradebook_query(export->db, export->book, NULL, sql);

    fprintf(to, "<h3>%s</h3><table><tbody>\n",
            _("The clauses that most often do not hold, of those that were written"));
    while (gradebook_row(row)) {
        fprintf(to, "<tr><td>%s</td><td>", column_text(row, 0));
        markup_write(to, _(sentence_of(export->book->lab, column_text(row, 0))), TEXT_MAX);
        fputs("</td><td class=n>", to);
        fprintf(to, _("%d of %d"), sqlite3_column_int(row, 1), sqlite3_column_int(row, 2));
        fputs("</td>", to);
        write_bar(to, sqlite3_column_double(row, 1) / sqlite3_column_double(row, 2));
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    sqlite3_finalize(row);
    free(sql);
}

/* ---- A submission -------------------------------------------------------------------------------------- */

/* A paragraph in small print. printf-like. */
__attribute__((format(printf, 2, 3))) static void write_quiet(FILE *to, const char *format, ...)
{
    va_list args;

    fputs("<p class=quiet>", to);
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fputs("</p>\n", to);
}

static void write_steps(FILE *to, const cJSON *steps)
{
    const cJSON *step;
    int count = 0;

    if (cJSON_GetArraySize(steps) == 0)
        return;
    fputs("<ol>", to);
    cJSON_ArrayForEach(step, steps) if (++count <= STEPS_MAX)
    {
        fputs("<li>", to);
        markup_write(to, cJSON_IsString(step) ? step->valuestring : "", TEXT_MAX);
        fputs("</li>", to);
    }
    fputs("</ol>", to);
    if (count > STEPS_MAX)
        write_quiet(to, _("and %d more steps"), count - STEPS_MAX);
}

static void write_clause(FILE *to, const cJSON *clause)
{
    static const char *const parts[][2] = {
        {N_("expected"), "expected"}, {N_("observed"), "observed"}, {N_("again"), "repeat"}};

    fprintf(to, "<details><summary>%s <strong>%s</strong> ", member(clause, "id"),
            report_verdict_word(clause));
    markup_write(to, _(member(clause, "sentence")), TEXT_MAX);
    fputs("</summary>", to);
    write_steps(to, cJSON_GetObjectItemCaseSensitive(clause, "steps"));
    fputs("<dl>", to);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (member(clause, parts[i][1])[0] != '\0') {
            fprintf(to, "<dt>%s</dt><dd>", _(parts[i][0]));
            markup_write(to, member(clause, parts[i][1]), TEXT_MAX);
            fputs("</dd>", to);
        }
    fputs("</dl>", to);
    if (member(clause, "printed")[0] != '\0') {
        fprintf(to, "<p class=quiet>%s</p><pre>", _("It printed:"));
        markup_write(to, member(clause, "printed"), PRINTED_MAX);
        fputs("</pre>", to);
    }
    fputs("</details>\n", to);
}

/* The failures. Where nothing compiles or nothing is written yet, there is nothing to show. */
static void write_failures(FILE *to, const cJSON *result)
{
    const cJSON *stage, *clause;
    int count = 0, todo = 0;

    cJSON_ArrayForEach(stage, cJSON_GetObjectItemCaseSensitive(result, "stages"))
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses"))
    {
        const char *verdict = member(clause, "verdict");
        if (strcmp(verdict, "todo") == 0)
            todo++;
        else if (strcmp(verdict, "pass") != 0 && strcmp(verdict, "build") != 0 && ++count <= FAILURES_MAX)
            write_clause(to, clause);
    }
    if (count > FAILURES_MAX)
        write_quiet(to, _("and %d more, in the feedback file"), count - FAILURES_MAX);
    if (todo > 0)
        write_quiet(to, _("%d clauses are not written yet"), todo);
}

static void write_folded(FILE *to, const char *title, const char *text, size_t max)
{
    if (text[0] == '\0')
        return;
    fprintf(to, "<details><summary>%s</summary><pre>", title);
    markup_write(to, text, max);
    fputs("</pre></details>\n", to);
}

static void write_submission(FILE *to, const struct submission *s, int number)
{
    char points[32], out_of[32];

    points_text(points, s->points);
    points_text(out_of, s->out_of);
    fprintf(to, "<section id=\"s%d\"><h3>", number);
    markup_write(to, s->name, NAME_MAX_BYTES);
    if (s->has_mark)
        fprintf(to, _(": %s of %s"), points, out_of);
    else
        fputs(_(": not judged"), to);
    fputs("</h3>\n<p>", to);
    markup_write(to, s->reason, TEXT_MAX);
    fputs(" <span class=quiet>", to);
    markup_write(to, s->file, NAME_MAX_BYTES);
    fputs("</span></p>\n", to);
    write_failures(to, s->result);
    write_folded(to, _("what the compiler said"),
                 member(cJSON_GetObjectItemCaseSensitive(s->result, "build"), "messages"), PRINTED_MAX);
    write_folded(to, _("source"), s->source, SOURCE_MAX);
    fputs("</section>\n", to);
}

static void write_submissions(FILE *to, const struct export *export)
{
    sqlite3_stmt *row = gradebook_query(export->db, export->book, NULL, submission_sql);

    for (int number = 1; gradebook_row(row); number++) {
        struct submission submission;
        submission_read(export, row, &submission);
        write_submission(to, &submission, number);
        submission_clear(&submission);
    }
    sqlite3_finalize(row);
}

/* ---- The page ------------------------------------------------------------------------------------------ */

static void write_head(FILE *to, const struct export *export)
{
    sqlite3_stmt *row = gradebook_query(export->db, export->book, NULL,
                                        "SELECT started, kit, seed, (SELECT count(*) FROM submissions s "
                                        "WHERE s.run = r.run), (SELECT avg(points) FROM "
                                        "submissions s WHERE s.run = r.run AND status = 'graded'), (SELECT "
                                        "sum(points) FROM rubric u WHERE u.run = r.run) "
                                        "FROM runs r WHERE run = ?");

    char *title = text_format(_("%s: the class"), export->book->lab->name);
    fprintf(
        to,
        "<!DOCTYPE html>\n<html lang=%s><head><meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=viewport "
        "content=\"width=device-width\">\n<title>%s</title>\n<style>%s</style></head><body>\n<h1>%s</h1>\n",
        language_name(), title, style, title);
    free(title);
    if (gradebook_row(row)) {
        char mean[32], most[32];
        points_text(mean, sqlite3_column_double(row, 4));
        points_text(most, sqlite3_column_double(row, 5));
        fputs("<p>", to);
        fprintf(to, _("%d submissions, on average %s of %s points."), sqlite3_column_int(row, 3), mean, most);
        fputs(" <span class=quiet>", to);
        fprintf(to, _("Begun %s, kit %s, seed %lld, run %lld."), column_text(row, 0), column_text(row, 1),
                (long long)sqlite3_column_int64(row, 2), (long long)export->book->run);
        fputs("</span></p>\n", to);
    }
    sqlite3_finalize(row);
    if (!export->book->sandboxed)
        fprintf(
            to, "<p class=warn>%s</p>\n",
            _("Unsandboxed: submissions ran with the rights of the grader; any of them could have changed "
              "these marks."));
}

void export_html(FILE *to, const struct export *export)
{
    write_head(to, export);
    write_table(to, export);
    fprintf(to, "<h2>%s</h2>\n", _("Where the class stumbles"));
    stumbles_by_stage(to, export);
    stumbles_by_clause(to, export);
    fprintf(to, "<h2>%s</h2>\n", _("Each submission"));
    write_submissions(to, export);
    fputs("</body></html>\n", to);
}
