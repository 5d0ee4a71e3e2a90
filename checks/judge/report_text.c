/*
 * report_text.c - a result for the person who wrote the submission, see report.h.
 *
 * From the top: what the compiler said; each stage; one line for the stages before; how many clauses hold;
 * one line that says what to do next. A stage comes in the shortest form that says all of it: one line when
 * it holds or was not begun, else a line a clause, after them the steps of each failure, and the lab's advice
 * where there is one. So the last screen has what to look at, and a scroll up has the overview.
 *
 * Verdicts are words. Colour repeats them and says nothing of its own.
 */
#include "judge/report.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/report_parts.h"

#include <stdlib.h>
#include <string.h>

/* What is shown of lists that may be long. Where lines are left out, the text says how many. */
enum {
    STEPS_SHOWN = 12,
    COMMANDS_SHOWN = 20,
    MESSAGES_SHOWN = 40,
    PRINTED_SHOWN = 24,
    PRINTED_BY_PASSING = 6
};

/* Where things stand in the block of a failure: labels and step numbers, and the texts behind them. */
enum { LABEL_COLUMN = 4, LABEL_WIDTH = 14, TEXT_COLUMN = LABEL_COLUMN + LABEL_WIDTH };

struct page {
    FILE *to;
    const struct report_style *style;
    const cJSON *result;                /* the printable copy */
    const char *file;                   /* the submission, as it was named */
    int shown;                          /* stages that are not summed up as earlier ones */
    enum { NOTHING, LINE, BLOCK } last; /* what was written last: blocks stand apart */
};

static void apart(struct page *page, int next)
{
    if (page->last != NOTHING && (page->last == BLOCK || next == BLOCK)) {
        putc('\n', page->to);
    }
    page->last = next;
}

/* ---- Words of verdicts --------------------------------------------------------------------------------- */

struct word {
    const char *verdict;
    const char *shown;
    const char *colour;
};

static const struct word *word_for(const cJSON *clause)
{
    static const struct word words[] = {
        {"error", N_("KIT ERROR"), "\x1b[35m"}, {"pass", N_("pass"), "\x1b[32m"},
        {"fail", N_("FAIL"), "\x1b[31m"},       {"todo", N_("TODO"), "\x1b[33m"},
        {"crash", N_("CRASH"), "\x1b[31m"},     {"timeout", N_("TIMEOUT"), "\x1b[31m"},
        {"build", N_("BUILD"), "\x1b[31m"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (clause_has(clause, words[i].verdict)) {
            return &words[i];
        }
    }
    return &words[0];
}

const char *report_verdict_word(const cJSON *clause)
{
    return _(word_for(clause)->shown);
}

static const char *colour_on(const struct page *page, const char *colour)
{
    return page->style->colour ? colour : "";
}

static const char *colour_off(const struct page *page)
{
    return page->style->colour ? "\x1b[0m" : "";
}

/* ---- What a stage comes to ----------------------------------------------------------------------------- */

struct tally {
    int clauses, passed, todo, printed;
    int word_width; /* of the widest word among its verdicts */
};

static struct tally tally_of(const cJSON *stage)
{
    struct tally tally = {0};
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        int width = report_columns(_(word_for(clause)->shown));
        tally.clauses++;
        tally.passed += clause_has(clause, "pass");
        tally.todo += clause_has(clause, "todo");
        tally.printed += member_text(clause, "printed")[0] != '\0';
        tally.word_width = width > tally.word_width ? width : tally.word_width;
    }
    return tally;
}

static const cJSON *first_failing(const cJSON *stage)
{
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        if (!clause_has(clause, "pass")) {
            return clause;
        }
    }
    return NULL;
}

/* Counted from 1, as in struct report_style; 0 when it has no number. */
static int stage_index(const cJSON *stage)
{
    return (int)strtol(member_text(stage, "stage"), NULL, 10);
}

static bool is_earlier(const struct page *page, const cJSON *stage)
{
    return stage_index(stage) < page->style->earlier;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static int count_lines(const char *text)
{
    int lines = 0;
    while (*text != '\0') {
        text += strcspn(text, "\n");
        text += *text == '\n';
        lines++;
    }
    return lines;
}

/* The text's lines, each as it is, from `column` on; of more than `most`, as many from its beginning as
 * from its end. The first stands where the caller left off. */
static void write_lines(FILE *to, const char *text, int column, int most)
{
    int lines = count_lines(text);
    for (int i = 0; i < lines; i++) {
        int length = (int)strcspn(text, "\n");
        bool left_out = lines > most && i >= most / 2 && i < lines - most / 2;
        if (!left_out) {
            fprintf(to, "%*s%.*s\n", i == 0 || length == 0 ? 0 : column, "", length, text);
        } else if (i == most / 2) {
            fprintf(to, _("%*s(%d more lines)\n"), column, "", lines - most / 2 * 2);
        }
        text += length + (text[length] == '\n');
    }
}

static void write_label(FILE *to, const char *label)
{
    int room = LABEL_WIDTH - report_columns(label);
    fprintf(to, "%*s%s%*s", LABEL_COLUMN, "", label, room > 1 ? room : 1, "");
}

/* ---- The steps of a failure ---------------------------------------------------------------------------- */

static void write_steps(FILE *to, const cJSON *clause)
{
    int number = 0;
    const cJSON *steps = member_list(clause, "steps");
    int before = cJSON_GetArraySize(steps) - STEPS_SHOWN;
    if (before > 0) {
        fprintf(to, _("%*s(%d steps before these)\n"), LABEL_COLUMN, "", before);
    }
    const cJSON *step;
    cJSON_ArrayForEach(step, steps)
    {
        if (++number > before) {
            int column = fprintf(to, "%*s%-2d ", LABEL_COLUMN, "", number);
            report_wrapped(to, cJSON_GetStringValue(step), column, TEXT_COLUMN);
            putc('\n', to);
        }
    }
}

static void write_text(FILE *to, const char *label, const char *text)
{
    if (text[0] != '\0') {
        write_label(to, label);
        report_wrapped(to, text, TEXT_COLUMN, TEXT_COLUMN);
        putc('\n', to);
    }
}

/* A command is never wrapped: it is there to be copied. */
static void write_by_hand(FILE *to, const cJSON *clause)
{
    const cJSON *commands = member_list(clause, "by_hand");
    int count = cJSON_GetArraySize(commands);
    if (count > COMMANDS_SHOWN) {
        write_label(to, _("by hand"));
        fprintf(to, _("%d commands; the command above with --format json lists them\n"), count);
        return;
    }
    const cJSON *command;
    cJSON_ArrayForEach(command, commands)
    {
        write_label(to, command == commands->child ? _("by hand") : "");
        fprintf(to, "%s\n", command->valuestring != NULL ? command->valuestring : "");
    }
}

static void write_printed(FILE *to, const char *printed, int most)
{
    if (printed[0] != '\0') {
        write_label(to, _("printed"));
        write_lines(to, printed, TEXT_COLUMN, most);
    }
}

static void write_failure(struct page *page, const cJSON *stage, const cJSON *clause)
{
    const struct word *word = word_for(clause);
    const char *number = member_text(stage, "stage");
    const char *name = member_text(stage, "name");
    int indent = (int)(strlen(number) + strlen(name)) + 4; /* "02 reserve - " */
    apart(page, BLOCK);
    report_say(page->to, indent, "%s %s %s %s %s: %s%s%s", number, name, page->style->ascii ? "-" : "\u00b7",
               member_text(clause, "id"), _(member_text(clause, "sentence")), colour_on(page, word->colour),
               _(word->shown), colour_off(page));
    write_steps(page->to, clause);
    write_text(page->to, _("expected"), member_text(clause, "expected"));
    write_text(page->to, _("observed"), member_text(clause, "observed"));
    const char *repeat = member_text(clause, "repeat");
    if (repeat[0] != '\0') {
        write_label(page->to, _("again"));
        fprintf(page->to, "%s\n", repeat);
    }
    write_by_hand(page->to, clause);
    write_printed(page->to, member_text(clause, "printed"), PRINTED_SHOWN);
}

void report_failure(FILE *to, const cJSON *stage, const cJSON *clause, const struct report_style *style)
{
    struct page page = {.to = to, .style = style};
    write_failure(&page, stage, clause);
}

/* ---- A stage ------------------------------------------------------------------------------------------- */

/* "  2.2 FAIL  sentence"; under a clause that holds, the beginning and the end of what it printed. */
static void write_clause_line(struct page *page, const cJSON *clause, const struct tally *tally)
{
    const struct word *word = word_for(clause);
    int column = 9 + tally->word_width;
    fprintf(page->to, "  %-4s %s%s%s%*s  ", member_text(clause, "id"), colour_on(page, word->colour),
            _(word->shown), colour_off(page), tally->word_width - report_columns(_(word->shown)), "");
    report_wrapped(page->to, _(member_text(clause, "sentence")), column, column);
    putc('\n', page->to);
    if (clause_has(clause, "pass")) {
        write_printed(page->to, member_text(clause, "printed"), PRINTED_BY_PASSING);
    }
}

static void write_clause_lines(struct page *page, const cJSON *stage, const struct tally *tally)
{
    apart(page, BLOCK);
    report_say(page->to, 0, "%s %s", member_text(stage, "stage"), member_text(stage, "name"));
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        write_clause_line(page, clause, tally);
    }
}

static void write_stage_line(struct page *page, const cJSON *stage, const struct tally *tally)
{
    bool holds = tally->passed > 0;
    apart(page, LINE);
    report_say(page->to, 0,
               tally->clauses == 1 ? N_("%s %s: %s%s%s (1 clause)") : N_("%s %s: %s%s%s (%d clauses)"),
               member_text(stage, "stage"), member_text(stage, "name"),
               colour_on(page, holds ? "\x1b[32m" : "\x1b[33m"), holds ? _("holds") : _("not written yet"),
               colour_off(page), tally->clauses);
}

/* Behind all failures of the stage, since it is drawn from all of them. */
static void write_stage_advice(struct page *page, const cJSON *stage)
{
    const char *text = member_text(cJSON_GetObjectItemCaseSensitive(stage, "advice"), "text");
    if (text[0] != '\0') {
        apart(page, BLOCK);
        report_say(page->to, LABEL_COLUMN, N_("%s %s %s advice: %s"), member_text(stage, "stage"),
                   member_text(stage, "name"), page->style->ascii ? "-" : "\u00b7", _(text));
    }
}

static void write_stage(struct page *page, const cJSON *stage)
{
    struct tally tally = tally_of(stage);
    bool holds_silently = tally.passed == tally.clauses && tally.printed == 0;
    if (tally.todo == tally.clauses || (holds_silently && page->shown > 1)) {
        write_stage_line(page, stage, &tally);
        return;
    }
    if (tally.clauses > 1 || tally.passed > 0) { /* the block of a single failure says it all */
        write_clause_lines(page, stage, &tally);
    }
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        bool nothing_to_show =
            clause_has(clause, "todo") && cJSON_GetArraySize(member_list(clause, "steps")) == 0;
        if (!clause_has(clause, "pass") && !nothing_to_show) {
            write_failure(page, stage, clause);
        }
    }
    write_stage_advice(page, stage);
}

static void write_stages(struct page *page)
{
    const cJSON *stage;
    cJSON_ArrayForEach(stage, member_list(page->result, "stages"))
    {
        if (!is_earlier(page, stage)) {
            write_stage(page, stage);
        }
    }
}

/* ---- Earlier stages ------------------------------------------------------------------------------------ */

static void write_earlier_stage(FILE *to, const cJSON *stage)
{
    struct tally tally = tally_of(stage);
    if (tally.passed == tally.clauses || tally.todo == tally.clauses) {
        bool holds = tally.passed == tally.clauses;
        fprintf(to, holds ? _("%s still holds") : _("%s is not written yet"), member_text(stage, "stage"));
        return;
    }
    fprintf(to, _("%s no longer holds:"), member_text(stage, "stage"));
    const char *separator = " ";
    const cJSON *clause;
    cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
    {
        if (!clause_has(clause, "pass")) {
            fprintf(to, "%s%s", separator, member_text(clause, "id"));
            separator = ", ";
        }
    }
}

/* "01 still holds; 02 no longer holds: 2.1, 2.C"; "" for none. Allocated; NULL when memory ran out. */
static char *earlier_stages(const struct page *page)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL) {
        return NULL;
    }
    const char *separator = "";
    const cJSON *stage;
    cJSON_ArrayForEach(stage, member_list(page->result, "stages"))
    {
        if (is_earlier(page, stage)) {
            fputs(separator, to);
            write_earlier_stage(to, stage);
            separator = "; ";
        }
    }
    fclose(to);
    return text;
}

static void write_earlier(struct page *page)
{
    char *text = earlier_stages(page);
    if (text != NULL && text[0] != '\0') {
        apart(page, BLOCK);
        report_say(page->to, 16, "Earlier stages: %s.", text);
        page->last = LINE;
    }
    free(text);
}

/* ---- What to do next ----------------------------------------------------------------------------------- */

static const char *file_name(const struct page *page)
{
    const char *file = member_text(page->result, "file");
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

/* The first clause that does not pass, of the stages shown or of the earlier ones; *of is its stage. */
static const cJSON *find_failing(const struct page *page, bool earlier, const cJSON **of)
{
    const cJSON *stage;
    cJSON_ArrayForEach(stage, member_list(page->result, "stages"))
    {
        const cJSON *clause = first_failing(stage);
        if (clause != NULL && is_earlier(page, stage) == earlier) {
            *of = stage;
            return clause;
        }
    }
    return NULL;
}

static void advise_page(struct page *page, const char *what, const char *number, const char *name)
{
    char *path = report_page(member_text(page->result, "lab"), number, name);
    fprintf(page->to, _("Next: %s; page %s\n"), what, path != NULL ? path : "");
    free(path);
}

static void advise_on_failure(struct page *page, const cJSON *stage, const cJSON *clause)
{
    const char *number = member_text(stage, "stage");
    bool unwritten = tally_of(stage).todo == tally_of(stage).clauses;
    char *what;
    if (clause_has(clause, "error")) {
        fprintf(page->to, _("Next: check again; the kit could not judge %s, which says nothing about %s\n"),
                member_text(clause, "id"), file_name(page));
        return;
    }
    if (asprintf(&what, unwritten ? _("write stage %s in %s") : _("%s in %s"),
                 unwritten ? number : member_text(clause, "id"), file_name(page)) >= 0) {
        advise_page(page, what, number, member_text(stage, "name"));
        free(what);
    }
}

/* The details of earlier stages are not shown: the command that shows them stands in for the page. */
static void advise_on_earlier(struct page *page, const cJSON *stage, const cJSON *clause)
{
    const char *repeat = member_text(clause, "repeat");
    if (repeat[0] == '\0' || clause_has(clause, "todo")) {
        advise_on_failure(page, stage, clause);
        return;
    }
    fprintf(page->to, _("Next: look at %s again: %s\n"), member_text(clause, "id"), repeat);
}

static void advise_check(struct page *page, const char *what, const char *options)
{
    char *word = report_word(page->file, page->style->ascii);
    fprintf(page->to, _("Next: %s: build/lab check %s%s\n"), what, options, word != NULL ? word : "");
    free(word);
}

/* A clause asked for alone holds: what comes next is the stage it was taken from. */
static void advise_whole_stage(struct page *page)
{
    const cJSON *stage = cJSON_GetArrayItem(member_list(page->result, "stages"), 0);
    char options[64];
    snprintf(options, sizeof options, "--stage %s ", member_text(stage, "stage"));
    advise_check(page, _("its whole stage"), options);
}

/* All that was checked holds: what comes next is the stage after it, in the end all of them together. */
static void advise_on_success(struct page *page)
{
    const cJSON *stages = member_list(page->result, "stages");
    int checked = cJSON_GetArraySize(stages);
    int last = stage_index(cJSON_GetArrayItem(stages, checked - 1));
    const struct lab *lab = page->style->lab;
    int count = 0;
    while (lab != NULL && lab->stages[count].number != NULL) {
        count++;
    }
    if (lab != NULL && last < count) {
        const struct stage *next = &lab->stages[last]; /* stages are counted from 1 */
        char what[64];
        snprintf(what, sizeof what, _("stage %s"), next->number);
        advise_page(page, what, next->number, next->name);
    } else if (checked < count) {
        advise_check(page, _("all stages together"), "");
    } else {
        fputs(_("Next: break it on purpose: make predict\n"), page->to);
    }
}

/* The check went up to the first stage that does not hold: how far that is, and where it goes on. */
static void advise_on_the_way(struct page *page, const cJSON *stage)
{
    const struct lab *lab = page->style->lab;
    int held = stage_index(stage) - 1;
    int count = 0;
    while (lab != NULL && lab->stages[count].number != NULL) {
        count++;
    }
    char *path = report_page(member_text(page->result, "lab"), member_text(stage, "stage"),
                             member_text(stage, "name"));
    fprintf(page->to, _("%d of %d stages hold; next: %s %s, page %s\n"), held, count,
            member_text(stage, "stage"), member_text(stage, "name"), path != NULL ? path : "");
    free(path);
}

static void write_advice(struct page *page)
{
    const cJSON *stage = NULL;
    const cJSON *clause = NULL;
    if (page->style->so_far && (clause = find_failing(page, false, &stage)) != NULL &&
        !clause_has(clause, "error")) {
        advise_on_the_way(page, stage);
    } else if ((clause = find_failing(page, false, &stage)) != NULL) {
        advise_on_failure(page, stage, clause);
    } else if ((clause = find_failing(page, true, &stage)) != NULL) {
        advise_on_earlier(page, stage, clause);
    } else if (member_number(page->result, "planned") == 1) {
        advise_whole_stage(page);
    } else {
        advise_on_success(page);
    }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void write_messages(struct page *page, bool built)
{
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(page->result, "build");
    const char *messages = member_text(build, "messages");
    if (messages[0] == '\0') {
        return;
    }
    apart(page, BLOCK);
    report_say(page->to, 0, built ? N_("%s compiles, but:") : N_("%s does not compile:"), file_name(page));
    fputs("    ", page->to);
    write_lines(page->to, messages, 4, MESSAGES_SHOWN);
}

/* The seed stands there as the option that gives the same inputs again. */
static void write_count(struct page *page)
{
    long long passed = member_number(page->result, "passed");
    long long planned = member_number(page->result, "planned");
    const char *file = member_text(page->result, "file");
    long long seed = member_number(page->result, "seed");
    apart(page, BLOCK);
    if (planned == 1)
        fprintf(page->to, _("%lld of 1 clause holds in %s (--seed %lld).\n"), passed, file, seed);
    else if (passed == planned)
        fprintf(page->to, _("All %lld clauses hold in %s (--seed %lld).\n"), planned, file, seed);
    else
        fprintf(page->to, _("%lld of %lld clauses hold in %s (--seed %lld).\n"), passed, planned, file, seed);
}

static void write_unbuilt(struct page *page)
{
    write_messages(page, false);
    apart(page, BLOCK);
    report_say(page->to, 0, "0 of %lld clauses hold in %s: it does not compile.",
               member_number(page->result, "planned"), member_text(page->result, "file"));
    fprintf(page->to, _("Next: make %s compile; begin with the first message\n"), file_name(page));
}

static void write_page(struct page *page)
{
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(page->result, "build");
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(build, "ok"))) {
        write_unbuilt(page);
        return;
    }
    write_messages(page, true);
    write_stages(page);
    write_earlier(page);
    write_count(page);
    write_advice(page);
}

void report_text(FILE *to, const cJSON *result, const struct report_style *style)
{
    cJSON *printable = report_printable(result, style->ascii);
    struct page page = {.to = to, .style = style, .result = printable, .file = member_text(result, "file")};
    const cJSON *stage;
    if (printable == NULL) {
        return;
    }
    cJSON_ArrayForEach(stage, member_list(printable, "stages"))
    {
        page.shown += !is_earlier(&page, stage);
    }
    write_page(&page);
    cJSON_Delete(printable);
}
