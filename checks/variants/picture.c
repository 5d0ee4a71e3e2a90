/*
 * picture.c - the page; see picture.h. Its style and its script are files of their own in picture/.
 *
 * The signs of the matrix carry everything; colour repeats them. Every sign has its meaning as a title, for
 * those who point at it or have the page read to them.
 */
#include "variants/picture.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/check.h"
#include "judge/report_parts.h"
#include "variants/clause_set.h"
#include "variants/diff.h"
#include "variants/predict.h"
#include "variants/report.h"
#include "variants/variant.h"

#include <stdlib.h>
#include <string.h>

#define VIEWER "build/node_modules/mutation-testing-elements/dist/mutation-test-elements.js"

struct page {
    FILE *to;
    const struct lab *lab;
    const cJSON *result; /* the printable copy */
    const cJSON *predictions;
};

static void write_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            putc(*text, to);
        }
    }
}

static void write_element(FILE *to, const char *tag, const char *attributes, const char *text)
{
    fprintf(to, "<%s%s%s>", tag, attributes[0] != '\0' ? " " : "", attributes);
    write_text(to, text);
    fprintf(to, "</%s>", tag);
}

/* A file of the kit as it stands; false when it is not there. */
static bool write_kit_file(FILE *to, const char *name)
{
    char *path = NULL;
    char *text = asprintf(&path, "%s/%s", kit_root(), name) >= 0 ? read_text_file(path) : NULL;
    bool there = text != NULL;
    if (there)
        fputs(text, to);
    free(text);
    free(path);
    return there;
}

static bool as_it_says(const cJSON *row)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "as_it_says"));
}

/* What was predicted of a variant; NULL: nothing was. */
static const cJSON *prediction_of(const struct page *page, const cJSON *row)
{
    return cJSON_GetObjectItemCaseSensitive(page->predictions, member_text(row, "name"));
}

/* ---- The matrix ---------------------------------------------------------------------------------------- */

static void write_matrix_head(const struct page *page)
{
    fprintf(page->to, "<thead><tr><th rowspan=\"2\" scope=\"col\" class=\"name\">%s</th>", _("variant"));
    for (const struct stage *stage = page->lab->stages; stage->number != NULL; stage++) {
        int count = 0;
        while (stage->clauses[count].id != NULL)
            count++;
        fprintf(page->to, "<th scope=\"colgroup\" colspan=\"%d\" class=\"first\">", count);
        write_text(page->to, stage->number);
        putc(' ', page->to);
        write_text(page->to, stage->name);
        fputs("</th>", page->to);
    }
    fprintf(page->to, "<th rowspan=\"2\" scope=\"col\">%s</th></tr>\n<tr>", _("caught by"));
    for (const struct stage *stage = page->lab->stages; stage->number != NULL; stage++) {
        for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++) {
            const char *dot = strchr(clause->id, '.');
            fprintf(page->to, "<th scope=\"col\"%s title=\"",
                    clause == stage->clauses ? " class=\"first\"" : "");
            write_text(page->to, clause->id);
            putc(' ', page->to);
            write_text(page->to, _(clause->sentence));
            fputs("\">", page->to);
            write_text(page->to, dot != NULL ? dot + 1 : clause->id);
            fputs("</th>", page->to);
        }
    }
    fputs("</tr></thead>\n", page->to);
}

/* The sign of a verdict, with and without a prediction, and its words. */
struct sign {
    const char *verdict, *plain, *predicted, *class, *words;
};

static const struct sign *sign_of(const cJSON *clause)
{
    static const struct sign signs[] = {
        {"pass", "\u00b7", "\u25cb", "held", N_("held")},
        {"fail", "\u25cf", "\u25c9", "failed", N_("failed")},
        {"todo", "\u25cf", "\u25c9", "failed", N_("failed")},
        {"crash", "!", "(!)", "failed", N_("crashed")},
        {"timeout", "~", "(~)", "failed", N_("gave no answer in time")},
        {"error", "?", "(?)", "unjudged", N_("could not be judged")},
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (clause_has(clause, signs[i].verdict))
            return &signs[i];
    return &signs[sizeof signs / sizeof signs[0] - 1];
}

static void write_cell(const struct page *page, const cJSON *row, const cJSON *clause, bool first)
{
    const char *id = member_text(clause, "id");
    const struct sign *sign = sign_of(clause);
    bool predicted = json_has_text(prediction_of(page, row), id);
    bool differs = json_has_text(member_list(row, "missed_by"), id) ||
                   json_has_text(member_list(row, "caught_besides"), id);
    fprintf(page->to, "<td class=\"%s%s%s%s\" title=\"%s %s%s%s\">%s</td>", sign->class,
            first ? " first" : "", predicted ? " predicted" : "", differs ? " differs" : "", id,
            _(sign->words), predicted ? _(", predicted") : "",
            differs ? _(", which the variant does not say") : "", predicted ? sign->predicted : sign->plain);
}

static void write_matrix_row(const struct page *page, const cJSON *row)
{
    const cJSON *stage;
    const cJSON *clause;
    const char *name = member_text(row, "name");
    const cJSON *check = cJSON_GetObjectItemCaseSensitive(row, "check");
    bool ran = check != NULL && strcmp(member_text(row, "outcome"), "does not build") != 0;
    const cJSON *stages = ran ? member_list(check, "stages") : NULL;
    fprintf(page->to, "<tr%s><th scope=\"row\" class=\"name\"><a href=\"#",
            as_it_says(row) ? "" : " class=\"differing\"");
    write_text(page->to, name);
    fputs("\">", page->to);
    write_text(page->to, name);
    fputs("</a></th>", page->to);
    if (!ran)
        fprintf(page->to, "<td colspan=\"%d\" class=\"unrun\">%s</td>", clause_count(page->lab),
                _(member_text(row, "outcome")));
    cJSON_ArrayForEach(stage, stages)
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            write_cell(page, row, clause, clause->prev->next == NULL);
        }
    }
    fprintf(page->to, "<td class=\"count\">%d</td></tr>\n",
            cJSON_GetArraySize(member_list(row, "caught_by")));
}

static void write_matrix(const struct page *page)
{
    const cJSON *row;
    fprintf(page->to, "<div class=\"matrix\" role=\"region\" aria-label=\"%s\" tabindex=\"0\"><table>\n",
            _("Matrix of variants and clauses"));
    write_matrix_head(page);
    fputs("<tbody>\n", page->to);
    cJSON_ArrayForEach(row, member_list(page->result, "variants"))
    {
        write_matrix_row(page, row);
    }
    fprintf(page->to,
            "</tbody></table></div>\n<p class=\"legend\"><b>\u25cf</b> %s <b>!</b> %s <b>~</b> %s "
            "<b>\u00b7</b> %s; "
            "%s <b>\u25c9</b> %s <b>\u25cb</b> %s. <span class=\"differs\">%s</span></p>\n",
            _("failed"), _("crashed"), _("gave no answer in time"), _("held"), _("with a ring, predicted:"),
            _("failed as predicted"), _("predicted but did not fail"),
            _("Dashed: not as the variant itself says."));
}

/* ---- A variant ----------------------------------------------------------------------------------------- */

/* The bytes of a line, those that are marked within <mark>. */
static void write_marked(FILE *to, const struct diff_line *line)
{
    bool inside = false;
    char one[2] = {0};
    for (int i = 0; line->text[i] != '\0'; i++) {
        bool marked = line->marks != NULL && line->marks[i] == '^';
        if (marked != inside)
            fputs(marked ? "<mark>" : "</mark>", to);
        inside = marked;
        one[0] = line->text[i];
        write_text(to, one);
    }
    fputs(inside ? "</mark>" : "", to);
}

static void write_diff_line(FILE *to, const struct diff_line *line)
{
    const char *tag = line->kind == '-' ? "del" : line->kind == '+' ? "ins" : "span";
    fprintf(to, "<%s>%c ", tag, line->kind);
    write_marked(to, line);
    fprintf(to, "</%s>\n", tag);
}

static void write_diff(const struct page *page, const cJSON *row)
{
    char *why = NULL;
    struct diff *diff = diff_read(member_text(row, "diff"), 1, &why);
    fputs(diff != NULL ? "<pre tabindex=\"0\">" : "", page->to);
    for (int h = 0; diff != NULL && h < diff->hunk_count; h++) {
        fputs(h > 0 ? "<span>  ...</span>\n" : "", page->to);
        for (int i = 0; i < diff->hunks[h].count; i++)
            write_diff_line(page->to, &diff->lines[diff->hunks[h].first + i]);
    }
    fputs(diff != NULL ? "</pre>\n" : "", page->to);
    diff_free(diff);
    free(why);
}

static void write_field(const struct page *page, const char *name, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(page->to, "<p><b>%s</b> ", name);
    write_text(page->to, text);
    fputs("</p>\n", page->to);
}

static void write_ids(const struct page *page, const char *name, const cJSON *ids)
{
    char *text = ids_text(ids);
    write_field(page, name, text != NULL ? text : "");
    free(text);
}

/* What a clause saw, cut to what a page can show. */
static void write_observation(const struct page *page, const cJSON *clause)
{
    char *text = NULL;
    const char *observed = member_text(clause, "observed");
    int length = (int)strcspn(observed, "\n");
    bool cut = length > 240 || observed[length] != '\0';
    length = length > 240 ? 240 : length;
    while (length > 0 && ((unsigned char)observed[length] & 0xc0) == 0x80)
        length--; /* not in the middle of a character */
    fputs("<li>", page->to);
    write_element(page->to, "b", "", member_text(clause, "id"));
    putc(' ', page->to);
    write_text(page->to, _(member_text(clause, "sentence")));
    fputs(": ", page->to);
    if (asprintf(&text, "%.*s%s", length, observed, cut ? " \u2026" : "") >= 0)
        write_element(page->to, "samp", "", text);
    free(text);
    fputs("</li>\n", page->to);
}

static void write_catchers(const struct page *page, const cJSON *row)
{
    const cJSON *stage;
    const cJSON *clause;
    const cJSON *check = cJSON_GetObjectItemCaseSensitive(row, "check");
    if (cJSON_GetArraySize(member_list(row, "caught_by")) == 0)
        return;
    fputs("<ul>\n", page->to);
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            if (!clause_has(clause, "pass") &&
                strcmp(member_text(stage, "stage"), member_text(row, "stage")) == 0)
                write_observation(page, clause);
        }
    }
    fputs("</ul>\n", page->to);
}

static void write_prediction(const struct page *page, const cJSON *row)
{
    const cJSON *prediction = prediction_of(page, row);
    char *ids = prediction != NULL ? ids_text(prediction) : NULL;
    if (ids != NULL)
        write_field(page, _("Predicted"), ids[0] != '\0' ? ids : _("that no clause fails"));
    free(ids);
}

static void write_variant(const struct page *page, const cJSON *row)
{
    char *outcome = variant_outcome(row);
    fputs("<section class=\"variant\" id=\"", page->to);
    write_text(page->to, member_text(row, "name"));
    fputs("\">\n", page->to);
    write_element(page->to, "h3", "", member_text(row, "name"));
    fputs("<p>", page->to);
    write_text(page->to, _(member_text(row, "title")));
    write_element(page->to, "span", "class=\"kind\"", member_text(row, "kind"));
    fputs("</p>\n", page->to);
    write_field(page, _("Looks right because"), _(member_text(row, "looks_right_because")));
    if (member_text(row, "undefined")[0] != '\0')
        write_field(page, _("Undefined behaviour:"), _("another machine may see something else"));
    write_diff(page, row);
    write_field(page, _("Ask"), _(member_text(row, "ask")));
    write_prediction(page, row);
    fprintf(page->to, "<p class=\"outcome\"><b>%s</b></p>\n", outcome != NULL ? outcome : "");
    write_field(page, _("Because"), member_text(row, "message"));
    write_field(page, _("As it says:"), _(member_text(row, "why_none")));
    write_ids(page, _("It says, but did not fail:"), member_list(row, "missed_by"));
    write_ids(page, _("It failed, and does not say:"), member_list(row, "caught_besides"));
    write_catchers(page, row);
    fputs("</section>\n", page->to);
    free(outcome);
}

/* ---- The mutation report ------------------------------------------------------------------------------- */

/* JSON within a script element must not end it: "<" stands there as an escape. */
static void write_inline_json(const struct page *page)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return;
    mutation_report(to, page->lab, page->result);
    fclose(to);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '<')
            fputs("\\u003c", page->to);
        else
            putc(*at, page->to);
    }
    free(text);
}

static bool has_viewer(void)
{
    char *path = NULL;
    char *text = asprintf(&path, "%s/" VIEWER, kit_root()) >= 0 ? read_text_file(path) : NULL;
    bool usable = text != NULL && strcasestr(text, "</script") == NULL;
    free(text);
    free(path);
    return usable;
}

/*
 * The viewer takes the title and the address of the page it stands in, so it gets a frame of its own. Its
 * code waits in a script element of a type that is not run, until picture/report.js makes the frame of it.
 */
static void write_report(const struct page *page)
{
    fprintf(page->to, "<section id=\"report\">\n<h2>%s</h2>\n", _("In the source"));
    if (!has_viewer()) {
        fprintf(
            page->to, "<p>%s</p>\n</section>\n",
            _("Here the mutation report would show each variant at its place in the source. Its viewer is "
              "not installed: <code>make picture</code> installs it and writes this page again."));
        return;
    }
    fprintf(page->to,
            "<p>%s</p>\n<noscript><p>%s</p></noscript>\n<iframe title=\"%s\" hidden></iframe>\n"
            "<script type=\"application/json\" id=\"report-json\">",
            _("The mutation report of the same run, in its own words: <i>killed</i> is caught by a clause, "
              "<i>survived</i> is not caught. Click a coloured place to see the change, and the list of "
              "tests for "
              "what each clause caught."),
            _("It needs a script; everything above does not."), _("Mutation report"));
    write_inline_json(page);
    fputs("</script>\n<script type=\"text/plain\" id=\"viewer\">", page->to);
    write_kit_file(page->to, VIEWER);
    fputs("</script>\n<script type=\"text/plain\" id=\"frame-script\">", page->to);
    write_kit_file(page->to, "checks/variants/picture/frame.js");
    fputs("</script>\n<script>", page->to);
    write_kit_file(page->to, "checks/variants/picture/report.js");
    fputs("</script>\n</section>\n", page->to);
}

/* ---- The page ------------------------------------------------------------------------------------------ */

static void write_head(const struct page *page)
{
    long long planned = member_number(page->result, "planned");
    long long same = member_number(page->result, "as_they_say");
    const cJSON *reference = cJSON_GetObjectItemCaseSensitive(page->result, "reference");
    char *title = NULL;
    if (asprintf(&title, _("Broken variants of %s"), page->lab->name) < 0)
        title = NULL;
    fprintf(
        page->to,
        "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
        language_name());
    write_text(page->to, title != NULL ? title : "");
    fputs("</title>\n<style>\n", page->to);
    write_kit_file(page->to, "checks/variants/picture/page.css");
    fputs("</style>\n</head>\n<body>\n<h1>", page->to);
    write_text(page->to, title != NULL ? title : "");
    fputs("</h1>\n<p>", page->to);
    fprintf(
        page->to,
        _("What ran here is broken on purpose: the reference with one wrong change, %lld times. The "
          "reference "
          "itself holds in all %lld clauses. %lld of %lld variants fail exactly as they say (seed %lld)."),
        planned, member_number(reference, "passed"), same, planned, member_number(page->result, "seed"));
    fputs("</p>\n", page->to);
    free(title);
}

void picture_page(FILE *to, const struct lab *lab, const cJSON *result, const cJSON *predictions)
{
    const cJSON *row;
    cJSON *printable = report_printable(result, false);
    struct page page = {to, lab, printable, predictions};
    if (printable == NULL)
        return;
    write_head(&page);
    fprintf(to,
            "<nav><a href=\"#matrix\">%s</a> <a href=\"#each\">%s</a> <a href=\"#report\">%s</a></nav>\n"
            "<h2 id=\"matrix\">%s</h2>\n",
            _("The matrix"), _("Each variant"), _("In the source"), _("Which clause catches which variant"));
    write_matrix(&page);
    fprintf(to, "<h2 id=\"each\">%s</h2>\n", _("Each variant"));
    cJSON_ArrayForEach(row, member_list(printable, "variants"))
    {
        write_variant(&page, row);
    }
    write_report(&page);
    fputs("</body>\n</html>\n", to);
    cJSON_Delete(printable);
}
