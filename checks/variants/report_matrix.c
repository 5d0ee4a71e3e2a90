/*
 * report_matrix.c - the matrix for people, see report.h.
 *
 * A cell has how many clauses of the stage caught the variant and, below, which: "2-4CR" in the column 02
 * stands for 2.2 2.3 2.4 2.C 2.R. Words and signs carry everything; colour repeats them.
 */
#include "variants/report.h"

#include "base/language.h"
#include "judge/report_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_WIDTH = 5, MAX_STAGES = 32, LEAST_NAME_WIDTH = 20, REMARK_COLUMN = 4, DIFFERING_SHOWN = 12 };

struct page {
    FILE *to;
    const struct lab *lab;
    const cJSON *result;   /* the printable copy */
    const cJSON *as_it_is; /* for words of commands */
    const struct report_style *style;
    int stages, name_width;
    bool crashes, late; /* seen in a cell: the legend explains their signs */
};

static const char *colour(const struct page *page, const char *code)
{
    return page->style->colour ? code : "";
}

static bool has_outcome(const cJSON *row, const char *outcome)
{
    return strcmp(member_text(row, "outcome"), outcome) == 0;
}

static bool as_it_says(const cJSON *row)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "as_it_says"));
}

/* ---- A cell -------------------------------------------------------------------------------------------- */

/* The clauses of one stage that caught a variant, as they stand in its cell. */
struct cell {
    int count;
    char *text;
};

static bool is_digit(const char *part)
{
    return isdigit((unsigned char)part[0]) && part[1] == '\0';
}

static const cJSON *stage_of(const cJSON *row, const char *number)
{
    const cJSON *check = cJSON_GetObjectItemCaseSensitive(row, "check");
    const cJSON *stage;
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        if (strcmp(member_text(stage, "stage"), number) == 0)
            return stage;
    }
    return NULL;
}

/* What stands for a clause in the column of its stage: what follows the dot of its id. */
static const char *part_of(const cJSON *clause)
{
    const char *id = member_text(clause, "id");
    const char *dot = strchr(id, '.');
    return dot != NULL ? dot + 1 : id;
}

static const char *sign_of(struct page *page, const cJSON *clause)
{
    bool crash = clause_has(clause, "crash");
    bool late = clause_has(clause, "timeout");
    page->crashes |= crash;
    page->late |= late;
    return crash ? "!" : late ? "~" : "";
}

/* The last of a run of clauses one after another that failed in the same way and have a digit each. */
static const cJSON *end_of_run(const cJSON *clause)
{
    const cJSON *last = clause;
    while (is_digit(part_of(last)) && last->next != NULL && is_digit(part_of(last->next)) &&
           part_of(last->next)[0] == part_of(last)[0] + 1 && clause_has(last->next, clause_verdict(clause)))
        last = last->next;
    return last;
}

/* One clause, or a run of three or more, and a newline: there a cell may be broken. Gives the last one. */
static const cJSON *write_part(FILE *to, struct page *page, const cJSON *clause)
{
    const char *part = part_of(clause);
    const cJSON *last = end_of_run(clause);
    if (part_of(last)[0] - part[0] < 2)
        last = clause;
    /* A number of two digits stands apart: else 10 could be 1 and 0. */
    bool apart = isdigit((unsigned char)part[0]) && part[1] != '\0';
    fprintf(to, "%s%s%s%s%s%s\n", apart ? " " : "", part, last != clause ? "-" : "",
            last != clause ? part_of(last) : "", sign_of(page, clause), apart ? " " : "");
    return last;
}

static struct cell cell_of(struct page *page, const cJSON *row, const char *stage)
{
    struct cell cell = {0, NULL};
    size_t length = 0;
    FILE *to = open_memstream(&cell.text, &length);
    const cJSON *clauses = member_list(stage_of(row, stage), "clauses");
    const cJSON *clause;
    const cJSON *written = NULL; /* the end of a run that is already there */
    if (to == NULL)
        return cell;
    cJSON_ArrayForEach(clause, clauses)
    {
        if (clause_has(clause, "pass"))
            continue;
        cell.count++;
        if (written == NULL)
            written = write_part(to, page, clause);
        if (written == clause)
            written = NULL;
    }
    fclose(to);
    return cell;
}

/* ---- A row --------------------------------------------------------------------------------------------- */

/* As many parts as a line of a cell holds. Gives what is left. */
static const char *take_line(char line[CELL_WIDTH + 1], const char *parts)
{
    size_t used = 0;
    for (size_t length; *parts != '\0'; parts += length + 1) {
        length = strcspn(parts, "\n");
        if (used > 0 && used + length > CELL_WIDTH)
            break;
        used += (size_t)snprintf(line + used, CELL_WIDTH + 1 - used, "%.*s", (int)length, parts);
        if (used >= CELL_WIDTH)
            return parts + length + 1;
    }
    return parts;
}

/* The name, and the cells in as many lines as the longest needs: the first has the counts. */
static void write_cells(struct page *page, struct cell cells[], const char *name)
{
    const char *left[MAX_STAGES];
    bool more = false;
    report_padded(page->to, name, page->name_width);
    for (int s = 0; s < page->stages; s++) {
        char count[16];
        snprintf(count, sizeof count, "%d", cells[s].count);
        fprintf(page->to, " %s%*s%s", cells[s].count > 0 ? colour(page, "\x1b[1m") : "", CELL_WIDTH,
                cells[s].count > 0 ? count : ".", cells[s].count > 0 ? colour(page, "\x1b[0m") : "");
        left[s] = cells[s].text != NULL ? cells[s].text : "";
        more |= left[s][0] != '\0';
    }
    while (more) {
        more = false;
        fprintf(page->to, "\n%*s", page->name_width, "");
        for (int s = 0; s < page->stages; s++) {
            char line[CELL_WIDTH + 1] = "";
            left[s] = take_line(line, left[s]);
            fprintf(page->to, " %*s", CELL_WIDTH, line);
            more |= left[s][0] != '\0';
        }
    }
    putc('\n', page->to);
}

/* A line under the name of a variant; where it is wrapped it goes on `indent` columns further in. */
static void write_remark(const struct page *page, const char *code, int indent, const char *text)
{
    fprintf(page->to, "%*s%s", REMARK_COLUMN, "", colour(page, code));
    report_wrapped(page->to, text, REMARK_COLUMN, REMARK_COLUMN + indent);
    fprintf(page->to, "%s\n", code[0] != '\0' ? colour(page, "\x1b[0m") : "");
}

/* Where a variant did something else than it says: both ways, each with its clauses. */
static void write_difference(const struct page *page, const cJSON *row)
{
    char *missed = ids_text(member_list(row, "missed_by"));
    char *besides = ids_text(member_list(row, "caught_besides"));
    char *text = NULL;
    int length = 0;
    if (missed != NULL && besides != NULL && missed[0] != '\0' && besides[0] != '\0')
        length = asprintf(&text, _("DIFFERS: it says, but did not fail: %s; it failed, and does not say: %s"),
                          missed, besides);
    else if (missed != NULL && missed[0] != '\0')
        length = asprintf(&text, _("DIFFERS: it says, but did not fail: %s"), missed);
    else if (besides != NULL && besides[0] != '\0')
        length = asprintf(&text, _("DIFFERS: it failed, and does not say: %s"), besides);
    if (length > 0)
        write_remark(page, "\x1b[31m", 9, text);
    free(length > 0 ? text : NULL);
    free(missed);
    free(besides);
}

/* Of what a compiler said, the line that matters. */
static const char *first_error(const char *message)
{
    const char *error = strstr(message, "error: ");
    while (error != NULL && error > message && error[-1] != '\n')
        error--;
    return error != NULL ? error : message;
}

/* "does not build: " and what the compiler said; the outcome alone where there is no more to say. */
static void write_unusual(const struct page *page, const cJSON *row)
{
    const char *outcome = _(member_text(row, "outcome"));
    const char *message = first_error(_(member_text(row, "message")));
    int length = (int)strcspn(message, "\n");
    char *text = NULL;
    char *line = strndup(message, (size_t)length);
    if (line == NULL || length == 0 || asprintf(&text, _("%s: %s"), outcome, line) < 0)
        text = NULL;
    write_remark(page, "\x1b[31m", 2, text != NULL ? text : outcome);
    free(text);
    free(line);
}

static void write_uncaught(const struct page *page, const cJSON *row)
{
    char *text = NULL;
    bool declared = as_it_says(row);
    if (declared &&
        asprintf(&text, _("not caught by any, as it says: %s"), _(member_text(row, "why_none"))) < 0)
        text = NULL;
    write_remark(page, "", 2, text != NULL ? text : _("not caught by any"));
    free(text);
}

/* What the cells cannot say. */
static void write_remarks(const struct page *page, const cJSON *row)
{
    static const char *const unusual[] = {N_("not applied"), N_("does not build"), N_("no clause ran"),
                                          N_("not judged")};
    for (size_t i = 0; i < sizeof unusual / sizeof unusual[0]; i++)
        if (has_outcome(row, unusual[i]))
            write_unusual(page, row);
    if (has_outcome(row, "not caught"))
        write_uncaught(page, row);
    if (member_text(row, "undefined")[0] != '\0')
        write_remark(page, "", 2, _("of undefined behaviour: another machine may see something else"));
    write_difference(page, row);
}

static void write_row(struct page *page, const cJSON *row)
{
    struct cell cells[MAX_STAGES] = {{0, NULL}};
    const char *name = member_text(row, "name");
    for (int s = 0; s < page->stages; s++)
        cells[s] = cell_of(page, row, page->lab->stages[s].number);
    if (report_columns(name) > page->name_width) {
        fprintf(page->to, "%s\n", name);
        name = "";
    }
    if (cJSON_HasObjectItem(row, "check") && !has_outcome(row, "does not build"))
        write_cells(page, cells, name);
    else if (name[0] != '\0')
        fprintf(page->to, "%s\n", name);
    write_remarks(page, row);
    for (int s = 0; s < page->stages; s++)
        free(cells[s].text);
}

/* ---- The matrix ---------------------------------------------------------------------------------------- */

static void write_header(const struct page *page)
{
    report_padded(page->to, _("variant"), page->name_width);
    for (int s = 0; s < page->stages; s++)
        fprintf(page->to, " %*s", CELL_WIDTH, page->lab->stages[s].number);
    putc('\n', page->to);
}

static void write_legend(const struct page *page)
{
    char *text = NULL;
    const char *legend =
        _("A column is a stage: how many of its clauses caught the variant, and which. 2-4CR in the column "
          "02 stands for 2.2 2.3 2.4 2.C 2.R.");
    putc('\n', page->to);
    if (asprintf(&text, "%s%s%s", legend, page->crashes ? _(" !: the service crashed there.") : "",
                 page->late ? _(" ~: it gave no answer in time.") : "") < 0)
        return;
    report_wrapped(page->to, text, 0, 0);
    putc('\n', page->to);
    free(text);
}

static void write_matrix(struct page *page)
{
    const cJSON *row;
    write_header(page);
    cJSON_ArrayForEach(row, member_list(page->result, "variants"))
    {
        write_row(page, row);
    }
    write_legend(page);
}

/* ---- The last screen ----------------------------------------------------------------------------------- */

static void write_counted(FILE *to, const char *outcome, int count)
{
    if (strcmp(outcome, "caught") == 0)
        fprintf(to, _("%d caught"), count);
    else if (strcmp(outcome, "crashed") == 0)
        fprintf(to, _("%d crashed"), count);
    else if (strcmp(outcome, "timed out") == 0)
        fprintf(to, _("%d timed out"), count);
    else if (strcmp(outcome, "not caught") == 0)
        fprintf(to, _("%d not caught"), count);
    else if (strcmp(outcome, "does not build") == 0)
        fprintf(to, _("%d does not build"), count);
    else if (strcmp(outcome, "no clause ran") == 0)
        fprintf(to, _("%d no clause ran"), count);
    else if (strcmp(outcome, "not applied") == 0)
        fprintf(to, _("%d not applied"), count);
    else
        fprintf(to, _("%d not judged"), count);
}

/* "52 caught, 2 crashed (--seed 7)." */
static void write_tally(const struct page *page)
{
    static const char *const outcomes[] = {"caught",         "crashed",       "timed out",   "not caught",
                                           "does not build", "no clause ran", "not applied", "not judged"};
    bool begun = false;
    putc('\n', page->to);
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        int count = 0;
        const cJSON *row;
        cJSON_ArrayForEach(row, member_list(page->result, "variants"))
        {
            count += has_outcome(row, outcomes[i]);
        }
        if (count == 0)
            continue;
        fputs(begun ? _(", ") : "", page->to);
        write_counted(page->to, outcomes[i], count);
        begun = true;
    }
    fprintf(page->to, _(" (--seed %lld).\n"), member_number(page->result, "seed"));
}

/* Names of those that differ, each with how, so that nobody has to scroll. Gives the first, as it is. */
static const cJSON *write_differing(const struct page *page)
{
    const cJSON *first = NULL;
    const cJSON *row;
    int count = 0;
    int place = 0;
    cJSON_ArrayForEach(row, member_list(page->result, "variants"))
    {
        place++;
        if (as_it_says(row))
            continue;
        if (first == NULL)
            first = cJSON_GetArrayItem(member_list(page->as_it_is, "variants"), place - 1);
        if (count++ >= DIFFERING_SHOWN)
            continue;
        fprintf(page->to, "  %s\n", member_text(row, "name"));
        write_remarks(page, row);
    }
    if (count > DIFFERING_SHOWN)
        fprintf(page->to, _("  and %d more\n"), count - DIFFERING_SHOWN);
    return first;
}

static void write_advice(const struct page *page, const cJSON *differing)
{
    char *word = differing != NULL ? variant_word(differing, page->style->ascii) : NULL;
    char *file = differing != NULL ? report_word(member_text(differing, "file"), page->style->ascii) : NULL;
    const char *where = file != NULL ? file : "";
    if (differing == NULL)
        fputs(_("Next: say which clauses will fail before you see it: make predict\n"), page->to);
    else if (has_outcome(differing, "not judged"))
        fputs(_("Next: run it again; the kit could not judge, which says nothing of the variant.\n"),
              page->to);
    else if (has_outcome(differing, "not applied") || has_outcome(differing, "does not build"))
        fprintf(page->to, _("Next: correct %s\n"), where);
    else
        fprintf(page->to,
                _("Next: look at what it does, then correct it or its Fails in\n  %s:\n"
                  "  build/lab predict %s --no-prediction --seed %lld\n"),
                where, word != NULL ? word : "", member_number(page->result, "seed"));
    free(word);
    free(file);
}

/* "3 of 50 did not fail as they say:", with the numbers in red. */
static void write_differing_count(const struct page *page, long long differing, long long planned)
{
    const char *red = colour(page, "\x1b[31m");
    const char *plain = colour(page, "\x1b[0m");
    if (differing == 1)
        report_say(page->to, 0, "%s%lld of %lld%s did not fail as it says:", red, differing, planned, plain);
    else
        report_say(page->to, 0, "%s%lld of %lld%s did not fail as they say:", red, differing, planned, plain);
}

static void write_summary(const struct page *page)
{
    long long same = member_number(page->result, "as_they_say");
    long long planned = member_number(page->result, "planned");
    const cJSON *differing = NULL;
    write_tally(page);
    if (same == planned) {
        fprintf(page->to, "%s%s%s\n", colour(page, "\x1b[32m"),
                planned == 1 ? _("It fails exactly as it says.") : _("Each fails exactly as it says."),
                colour(page, "\x1b[0m"));
    } else {
        write_differing_count(page, planned - same, planned);
        differing = write_differing(page);
    }
    write_advice(page, differing);
}

void variants_report_text(FILE *to, const struct lab *lab, const cJSON *result,
                          const struct report_style *style)
{
    cJSON *printable = report_printable(result, style->ascii);
    struct page page = {.to = to, .lab = lab, .result = printable, .as_it_is = result, .style = style};
    if (printable == NULL)
        return;
    while (lab->stages[page.stages].number != NULL && page.stages < MAX_STAGES)
        page.stages++;
    page.name_width = REPORT_WIDTH - page.stages * (CELL_WIDTH + 1);
    page.name_width = page.name_width > LEAST_NAME_WIDTH ? page.name_width : LEAST_NAME_WIDTH;
    const cJSON *reference = cJSON_GetObjectItemCaseSensitive(printable, "reference");
    write_what_is_under_test(to, member_list(printable, "variants"), true);
    report_say(to, 0, "The reference they were made from was checked first: all %lld clauses hold.",
               member_number(reference, "passed"));
    putc('\n', to);
    write_matrix(&page);
    write_summary(&page);
    write_what_is_under_test(to, member_list(printable, "variants"), false);
    cJSON_Delete(printable);
}
