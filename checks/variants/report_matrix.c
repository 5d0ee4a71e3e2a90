/*
 * report_matrix.c - the matrix for people, see report.h.
 *
 * A cell has how many clauses of the stage caught the variant and, below, which: "2-4CR" in the column 02
 * stands for 2.2 2.3 2.4 2.C 2.R. Words and signs carry everything; colour repeats them.
 */
#include "variants/report.h"

#include "judge/report_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_WIDTH = 5, MAX_STAGES = 32, LEAST_NAME_WIDTH = 20, DIFFERING_SHOWN = 12 };

struct page {
    FILE *to;
    const struct lab *lab;
    const cJSON *result;   /* the printable copy */
    const cJSON *as_it_is; /* for words of commands */
    const struct report_style *style;
    int stages, name_width;
    bool crashes, late; /* seen in a cell: the legend explains their signs */
};

/* printf-like, wrapped, from the first column; a line of its own. */
__attribute__((format(printf, 3, 4))) static void say(FILE *to, int indent, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    report_wrapped(to, text, 0, indent);
    putc('\n', to);
    free(text);
}

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
    fprintf(page->to, "%-*s", page->name_width, name);
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

/* Where a variant did something else than it says: both ways, each with its clauses. */
static void write_difference(struct page *page, const cJSON *row, int indent)
{
    char *missed = ids_text(member_list(row, "missed_by"));
    char *besides = ids_text(member_list(row, "caught_besides"));
    bool both = missed != NULL && besides != NULL && missed[0] != '\0' && besides[0] != '\0';
    if (missed != NULL && besides != NULL && (missed[0] != '\0' || besides[0] != '\0')) {
        fprintf(page->to, "%*s%s", indent, "", colour(page, "\x1b[31m"));
        char *text = NULL;
        if (asprintf(&text, "DIFFERS: %s%s%s%s%s%s", missed[0] != '\0' ? "it says, but did not fail: " : "",
                     missed, both ? "; " : "", besides[0] != '\0' ? "it failed, and does not say: " : "",
                     besides, colour(page, "\x1b[0m")) >= 0)
            report_wrapped(page->to, text, indent, indent + 9);
        free(text);
        putc('\n', page->to);
    }
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

/* What the cells cannot say. */
static void write_remarks(struct page *page, const cJSON *row)
{
    static const char *const unusual[] = {"not applied", "does not build", "no clause ran", "not judged"};
    const char *message = member_text(row, "message");
    for (size_t i = 0; i < sizeof unusual / sizeof unusual[0]; i++)
        if (has_outcome(row, unusual[i])) {
            fprintf(page->to, "    %s", colour(page, "\x1b[31m"));
            char *text = NULL;
            message = first_error(message);
            int length = (int)strcspn(message, "\n");
            if (asprintf(&text, "%s%s%.*s%s", unusual[i], length > 0 ? ": " : "", length, message,
                         colour(page, "\x1b[0m")) >= 0)
                report_wrapped(page->to, text, 4, 6);
            free(text);
            putc('\n', page->to);
        }
    if (has_outcome(row, "not caught"))
        say(page->to, 6, "    not caught by any%s%s", as_it_says(row) ? ", as it says: " : "",
            as_it_says(row) ? member_text(row, "why_none") : "");
    if (member_text(row, "undefined")[0] != '\0')
        say(page->to, 6, "    of undefined behaviour: another machine may see something else");
    write_difference(page, row, 4);
}

static void write_row(struct page *page, const cJSON *row)
{
    struct cell cells[MAX_STAGES] = {{0, NULL}};
    const char *name = member_text(row, "name");
    for (int s = 0; s < page->stages; s++)
        cells[s] = cell_of(page, row, page->lab->stages[s].number);
    if ((int)strlen(name) > page->name_width) {
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
    fprintf(page->to, "%-*s", page->name_width, "variant");
    for (int s = 0; s < page->stages; s++)
        fprintf(page->to, " %*s", CELL_WIDTH, page->lab->stages[s].number);
    putc('\n', page->to);
}

static void write_legend(const struct page *page)
{
    say(page->to, 0,
        "\nA column is a stage: how many of its clauses caught the variant, and which. 2-4CR in the column "
        "02 stands for "
        "2.2 2.3 2.4 2.C 2.R.%s%s",
        page->crashes ? " !: the service crashed there." : "",
        page->late ? " ~: it gave no answer in time." : "");
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

static void write_tally(const struct page *page)
{
    static const char *const outcomes[] = {"caught",         "crashed",       "timed out",   "not caught",
                                           "does not build", "no clause ran", "not applied", "not judged"};
    bool begun = false;
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        int count = 0;
        const cJSON *row;
        cJSON_ArrayForEach(row, member_list(page->result, "variants"))
        {
            count += has_outcome(row, outcomes[i]);
        }
        if (count > 0)
            fprintf(page->to, "%s%d %s", begun ? ", " : "\n", count, outcomes[i]);
        begun |= count > 0;
    }
    fprintf(page->to, " (--seed %lld).\n", member_number(page->result, "seed"));
}

/* Names of those that differ, each with how, so that nobody has to scroll. Gives the first, as it is. */
static const cJSON *write_differing(struct page *page)
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
        fprintf(page->to, "  and %d more\n", count - DIFFERING_SHOWN);
    return first;
}

static void write_advice(const struct page *page, const cJSON *differing)
{
    char *word = differing != NULL ? variant_word(differing, page->style->ascii) : NULL;
    char *file = differing != NULL ? report_word(member_text(differing, "file"), page->style->ascii) : NULL;
    const char *where = file != NULL ? file : "";
    if (differing == NULL)
        fputs("Next: say which clauses will fail before you see it: make predict\n", page->to);
    else if (has_outcome(differing, "not judged"))
        fputs("Next: run it again; the kit could not judge, which says nothing of the variant.\n", page->to);
    else if (has_outcome(differing, "not applied") || has_outcome(differing, "does not build"))
        fprintf(page->to, "Next: correct %s\n", where);
    else
        fprintf(page->to,
                "Next: look at what it does, then correct it or its Fails in\n  %s:\n"
                "  build/lab predict %s --no-prediction --seed %lld\n",
                where, word != NULL ? word : "", member_number(page->result, "seed"));
    free(word);
    free(file);
}

static void write_summary(struct page *page)
{
    long long same = member_number(page->result, "as_they_say");
    long long planned = member_number(page->result, "planned");
    const cJSON *differing = NULL;
    write_tally(page);
    if (same == planned) {
        say(page->to, 0, "%s%s fails exactly as it says.%s", colour(page, "\x1b[32m"),
            planned == 1 ? "It" : "Each", colour(page, "\x1b[0m"));
    } else {
        say(page->to, 0, "%s%lld of %lld%s did not fail as %s:", colour(page, "\x1b[31m"), planned - same,
            planned, colour(page, "\x1b[0m"), planned - same == 1 ? "it says" : "they say");
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
    say(to, 0, "The reference they were made from was checked first: all %lld clauses hold.\n",
        member_number(reference, "passed"));
    write_matrix(&page);
    write_summary(&page);
    write_what_is_under_test(to, member_list(printable, "variants"), false);
    cJSON_Delete(printable);
}
