#include "grader/export.h"

#include "base/language.h"
#include "grader/markup.h"
#include "grader/names.h"
#include "grader/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char submission_sql[] =
    "SELECT s.name, s.file, s.sha256, s.status, s.reason, r.source, s.points, s.out_of, t.took_ms FROM "
    "submissions s "
    "LEFT JOIN records r USING(run, name) LEFT JOIN times t USING(run, name) WHERE s.run = ? ORDER BY s.name";

static char *copy(sqlite3_stmt *row, int column)
{
    return need(strdup(column_text(row, column)));
}

void submission_read(const struct export *export, sqlite3_stmt *row, struct submission *s)
{
    *s = (struct submission){
        .name = copy(row, 0),
        .file = copy(row, 1),
        .sha256 = copy(row, 2),
        .status = copy(row, 3),
        .reason = copy(row, 4),
        .source = copy(row, 5),
        .points = sqlite3_column_double(row, 6),
        .has_mark = sqlite3_column_type(row, 6) != SQLITE_NULL,
        .out_of = sqlite3_column_double(row, 7),
        .took_ms = sqlite3_column_double(row, 8),
    };
    s->result = gradebook_result(export->db, export->book, s->name);
}

void submission_clear(struct submission *s)
{
    free(s->name);
    free(s->file);
    free(s->sha256);
    free(s->status);
    free(s->reason);
    free(s->source);
    cJSON_Delete(s->result);
}

void points_text(char out[32], double points)
{
    snprintf(out, 32, "%.2f", points);
    for (size_t end = strlen(out); end > 0 && (out[end - 1] == '0' || out[end - 1] == '.'); end--) {
        const bool point = out[end - 1] == '.';
        out[end - 1] = '\0';
        if (point)
            break;
    }
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* A report while it is written: beside its place, then moved there. */
struct report {
    char *path, *draft;
    FILE *to;
};

static void failed(const char *path)
{
    die(EXIT_KIT, _("lab grade: %s cannot be written: %s"), path, strerror(errno));
}

/* Takes `path` over. */
static struct report report_begin(char *path)
{
    struct report report = {.path = path, .draft = text_format("%s.new", path)};

    report.to = fopen(report.draft, "we");
    if (report.to == NULL)
        failed(report.draft);
    return report;
}

static void report_end(struct report *report)
{
    const bool bad = ferror(report->to) != 0;

    if (fclose(report->to) != 0 || bad || rename(report->draft, report->path) != 0)
        failed(report->path);
    free(report->draft);
    free(report->path);
}

/* The formats that have a file for each submission. */
static const struct {
    const char *folder, *ending;
    void (*write)(FILE *to, const struct export *export, const struct submission *submission);
} formats[] = {
    {"feedback", "txt", export_feedback},
    {"gradescope", "json", export_gradescope},
    {"junit", "xml", export_junit},
    {"tap", "tap", export_tap},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static void make_folders(const char *out)
{
    for (int i = 0; i < FORMATS; i++) {
        char *path = text_format("%s/%s", out, formats[i].folder);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            failed(path);
        free(path);
    }
}

static void export_submission(const char *out, const struct export *export, const struct submission *s)
{
    char *file = name_for_file(s->name);

    for (int i = 0; i < FORMATS; i++) {
        struct report report =
            report_begin(text_format("%s/%s/%s.%s", out, formats[i].folder, file, formats[i].ending));
        formats[i].write(report.to, export, s);
        report_end(&report);
    }
    free(file);
}

void export_all(const struct gradebook *book, const char *out)
{
    const struct export export = {.book = book, .db = gradebook_open(book)};
    sqlite3_stmt *row = gradebook_query(export.db, book, NULL, submission_sql);

    make_folders(out);
    while (gradebook_row(row)) {
        struct submission submission;
        submission_read(&export, row, &submission);
        export_submission(out, &export, &submission);
        submission_clear(&submission);
    }
    sqlite3_finalize(row);
    struct report csv = report_begin(text_format("%s/grades.csv", out));
    export_csv(csv.to, &export);
    report_end(&csv);
    struct report page = report_begin(text_format("%s/index.html", out));
    export_html(page.to, &export);
    report_end(&page);
    sqlite3_close(export.db);
}
