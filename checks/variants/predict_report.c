/*
 * predict_report.c - see predict.h.
 *
 * A changed word has a line of ^ under it, a line that goes or comes its - or +; colour repeats that. Green
 * means "as you predicted", never "the test passed".
 */
#include "variants/predict.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/report_parts.h"
#include "variants/report.h"

#include <stdlib.h>
#include <string.h>

#define GREEN "\x1b[32m"
#define RED "\x1b[31m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static const char *colour(const struct report_style *style, const char *code)
{
    return style->colour ? code : "";
}

/* Text of a variant as it can be shown here. Allocated. */
static char *printable(const char *text, const struct report_style *style)
{
    cJSON *object = cJSON_CreateString(text);
    cJSON *shown = report_printable(object, style->ascii);
    char *copy = strdup(shown != NULL ? shown->valuestring : "");
    cJSON_Delete(object);
    cJSON_Delete(shown);
    return copy;
}

struct comparison compare(const struct lab *lab, int stage, const struct clause_set *predicted,
                          const struct clause_set *failed)
{
    struct clause_set unpredicted = clause_set_minus(failed, predicted);
    struct comparison c = {
        .hits = clause_set_both(predicted, failed),
        .missed = clause_set_of_stage(&unpredicted, lab, stage),
        .wrong = clause_set_minus(predicted, failed),
    };
    c.others = clause_set_minus(&unpredicted, &c.missed);
    return c;
}

/* ---- The change ---------------------------------------------------------------------------------------- */

static void write_diff_line(FILE *to, const struct diff_line *line, const struct report_style *style)
{
    const char *code = line->kind == '-' ? RED : line->kind == '+' ? GREEN : "";
    bool coloured = style->colour && line->kind != ' ';
    if (line->text[0] == '\0' && line->kind == ' ') {
        putc('\n', to);
        return;
    }
    fprintf(to, "  %s%c %s%s\n", coloured ? code : "", line->kind, line->text, coloured ? PLAIN : "");
    if (line->marks == NULL)
        return;
    size_t length = strlen(line->marks);
    while (length > 0 && line->marks[length - 1] == ' ')
        length--;
    fprintf(to, "    %s%.*s%s\n", colour(style, BOLD), (int)length, line->marks, colour(style, PLAIN));
}

static void write_diff(FILE *to, const char *text, const struct report_style *style)
{
    char *why = NULL;
    struct diff *diff = diff_read(text, 1, &why);
    for (int h = 0; diff != NULL && h < diff->hunk_count; h++) {
        const struct diff_hunk *hunk = &diff->hunks[h];
        fputs(h > 0 ? "  ...\n" : "", to);
        for (int i = hunk->first; i < hunk->first + hunk->count; i++)
            write_diff_line(to, &diff->lines[i], style);
    }
    diff_free(diff);
    free(why);
}

static void write_clause(FILE *to, const struct clause *clause, const struct report_style *style)
{
    char *sentence = printable(_(clause->sentence), style);
    int column = fprintf(to, "  %-4s  ", clause->id);
    report_wrapped(to, sentence, column, column);
    putc('\n', to);
    free(sentence);
}

static void write_stage(FILE *to, const struct stage *stage, const struct report_style *style)
{
    fprintf(to, _("The clauses of stage %s:\n"), stage->number);
    for (const struct clause *clause = stage->clauses; clause->id != NULL; clause++)
        write_clause(to, clause, style);
}

/* A field of the head, in the chosen language where its words are translated. */
static void write_field(FILE *to, const char *name, const char *text, const struct report_style *style)
{
    char *shown = printable(_(text), style);
    report_say(to, 2, "%s: %s", name, shown != NULL ? shown : "");
    free(shown);
}

void show_variant(FILE *to, const struct lab *lab, const struct variant *variant,
                  const struct report_style *style)
{
    const struct stage *stage = &lab->stages[variant->stage];
    char *title = printable(_(variant->title), style);
    char *diff = printable(variant->diff_text, style);
    report_say(to, 0, "Under test: the broken variant %s, not your own service.", variant->name);
    putc('\n', to);
    report_say(to, 2, "%s%s %s: %s%s", colour(style, BOLD), stage->number, stage->name,
               title != NULL ? title : "", colour(style, PLAIN));
    write_field(to, _("Looks right because"), variant->looks_right, style);
    if (variant->undefined != NULL)
        report_say(to, 2,
                   "Its behaviour is undefined: another machine may see something else, and a prediction is "
                   "not scored.");
    putc('\n', to);
    write_diff(to, diff != NULL ? diff : "", style);
    putc('\n', to);
    write_stage(to, stage, style);
    putc('\n', to);
    write_field(to, _("Ask yourself"), variant->ask, style);
    free(title);
    free(diff);
}

/* ---- What came of it ----------------------------------------------------------------------------------- */

/* The clause of a check by its id; *of is its stage. */
static const cJSON *clause_of(const cJSON *row, const char *id, const cJSON **of)
{
    const cJSON *check = cJSON_GetObjectItemCaseSensitive(row, "check");
    const cJSON *stage;
    const cJSON *clause;
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            if (strcmp(member_text(clause, "id"), id) == 0) {
                *of = stage;
                return clause;
            }
        }
    }
    return NULL;
}

static int first_place(const struct clause_set *set)
{
    for (int place = 0; place < MAX_CLAUSES; place++)
        if (set->has[place])
            return place;
    return -1;
}

/* "missed  2.6 2.R", and with `sentences` what each of them promises. */
static void write_set(FILE *to, const struct lab *lab, const char *label, const struct clause_set *set,
                      bool sentences, const struct report_style *style)
{
    char *ids = clause_set_text(set, lab);
    int column = report_padded(to, label, 28);
    report_wrapped(to, ids != NULL && ids[0] != '\0' ? ids : _("none"), column, column);
    putc('\n', to);
    for (int place = 0; sentences && place < MAX_CLAUSES; place++)
        if (set->has[place])
            write_clause(to, clause_at(lab, place, NULL), style);
    free(ids);
}

/* The steps of a clause that failed, and how to see them again: its command names a file that has to be made
 * first. */
static void write_steps(FILE *to, const cJSON *row, const char *id, const struct report_style *style)
{
    const cJSON *stage = NULL;
    const cJSON *clause = clause_of(row, id, &stage);
    if (clause == NULL)
        return;
    report_failure(to, stage, clause, style);
    fputs("    ", to);
    report_padded(to, _("made by"), 14);
    fprintf(to, "%s\n", member_text(row, "made_by"));
}

/* The command that makes the file which the steps of `row` name. Allocated. */
static char *made_by(const cJSON *row, bool ascii)
{
    char *file = NULL;
    char *command = NULL;
    if (asprintf(&file, "work/%s.c", member_text(row, "name")) < 0)
        return NULL;
    char *word = variant_word(row, ascii);
    char *target = report_word(file, ascii);
    if (word == NULL || target == NULL ||
        asprintf(&command, "build/lab variants --print %s >%s", word, target) < 0)
        command = NULL;
    free(file);
    free(word);
    free(target);
    return command;
}

static void write_surprise(FILE *to, const struct lab *lab, const cJSON *row, const struct comparison *c,
                           const struct report_style *style)
{
    int missed = first_place(&c->missed);
    int wrong = first_place(&c->wrong);
    if (missed >= 0) {
        const char *id = clause_at(lab, missed, NULL)->id;
        putc('\n', to);
        report_say(to, 0, "%sThe first surprise: %s failed, and you did not predict it.%s",
                   colour(style, YELLOW), id, colour(style, PLAIN));
        write_steps(to, row, id, style);
        putc('\n', to);
        report_say(
            to, 0,
            "Why does %s fail too? Say it in one sentence before you go on: which step needs the words "
            "that were changed?",
            id);
    } else if (wrong >= 0) {
        const struct clause *clause = clause_at(lab, wrong, NULL);
        putc('\n', to);
        report_say(to, 0, "%sThe first surprise: you predicted %s, and it held.%s", colour(style, YELLOW),
                   clause->id, colour(style, PLAIN));
        write_clause(to, clause, style);
        putc('\n', to);
        report_say(to, 0,
                   "Why does %s not notice the change? Say it in one sentence before you go on: which input "
                   "would it need?",
                   clause->id);
    } else {
        fprintf(to, "\n%s%s%s\n", colour(style, GREEN), _("All of it as you predicted."),
                colour(style, PLAIN));
    }
}

static void write_comparison(FILE *to, const struct lab *lab, const cJSON *row, const struct comparison *c,
                             const struct report_style *style)
{
    fputs(colour(style, GREEN), to);
    write_set(to, lab, _("predicted, and failed"), &c->hits, false, style);
    fputs(colour(style, PLAIN), to);
    write_set(to, lab, _("missed"), &c->missed, true, style);
    write_set(to, lab, _("predicted but did not fail"), &c->wrong, true, style);
    if (clause_set_size(&c->others) > 0)
        write_set(to, lab, _("failed in other stages"), &c->others, false, style);
    write_surprise(to, lab, row, c, style);
}

static void write_unpredicted(FILE *to, const struct lab *lab, const cJSON *row,
                              const struct clause_set *failed, const struct report_style *style)
{
    int first = first_place(failed);
    char *outcome = variant_outcome(row);
    report_say(to, 10, "Not predicted: %s", outcome != NULL ? outcome : "");
    free(outcome);
    if (first < 0)
        return;
    putc('\n', to);
    write_steps(to, row, clause_at(lab, first, NULL)->id, style);
}

void show_outcome(FILE *to, const struct lab *lab, const cJSON *row, long long seed,
                  const struct clause_set *predicted, const struct report_style *style)
{
    cJSON *shown = report_printable(row, style->ascii);
    cJSON *rows = cJSON_CreateArray();
    struct clause_set failed = clause_set_from_json(member_list(shown, "caught_by"), lab);
    char *command = made_by(row, style->ascii);
    cJSON_AddStringToObject(shown, "made_by", command != NULL ? command : "");
    free(command);
    int stage = 0;
    while (lab->stages[stage].number != NULL &&
           strcmp(lab->stages[stage].number, member_text(shown, "stage")) != 0)
        stage++;
    putc('\n', to);
    fprintf(to, _("It ran (--seed %lld).\n"), seed);
    if (predicted != NULL) {
        struct comparison c = compare(lab, stage, predicted, &failed);
        write_comparison(to, lab, shown, &c, style);
    } else {
        write_unpredicted(to, lab, shown, &failed, style);
    }
    fputs(_("Next: make predict\n"), to);
    cJSON_AddItemToArray(rows, shown);
    write_what_is_under_test(to, rows, false);
    cJSON_Delete(rows);
}

/* ---- The score ----------------------------------------------------------------------------------------- */

struct score {
    int variants, exact, hits, missed, wrong;
};

static void add_to_score(struct score *score, const struct lab *lab, int stage, const cJSON *prediction)
{
    struct clause_set predicted = clause_set_from_json(member_list(prediction, "predicted"), lab);
    struct clause_set failed = clause_set_from_json(member_list(prediction, "failed"), lab);
    struct comparison c = compare(lab, stage, &predicted, &failed);
    int missed = clause_set_size(&c.missed);
    int wrong = clause_set_size(&c.wrong);
    score->variants++;
    score->exact += missed == 0 && wrong == 0;
    score->hits += clause_set_size(&c.hits);
    score->missed += missed;
    score->wrong += wrong;
}

/* A column of numbers. Its head may have two lines. */
struct score_column {
    const char *head;
    int width; /* at least */
};

enum { SCORE_COLUMNS = 5, SCORE_LABEL = 22 };

/* The line `number` (0, 1) of a head of two lines at most; of one alone it is the first. */
static char *head_line(const char *head, int number)
{
    size_t length = strcspn(head, "\n");
    return number == 0 ? strndup(head, length) : strdup(head[length] == '\n' ? head + length + 1 : "");
}

static void widen(struct score_column *column)
{
    for (int number = 0; number < 2; number++) {
        char *line = head_line(column->head, number);
        int columns = line != NULL ? report_columns(line) : 0;
        column->width = columns > column->width ? columns : column->width;
        free(line);
    }
}

static void write_heads(FILE *to, const struct score_column columns[], int number)
{
    report_padded(to, number == 0 ? "" : _("stage"), SCORE_LABEL);
    for (int i = 0; i < SCORE_COLUMNS; i++) {
        char *line = head_line(columns[i].head, number);
        if (line != NULL)
            fprintf(to, " %*s%s", columns[i].width - report_columns(line), "", line);
        free(line);
    }
    putc('\n', to);
}

static void write_score(FILE *to, const struct score_column columns[], const char *label,
                        const struct score *s)
{
    const int numbers[SCORE_COLUMNS] = {s->variants, s->exact, s->hits, s->missed, s->wrong};
    report_padded(to, label, SCORE_LABEL);
    for (int i = 0; i < SCORE_COLUMNS; i++)
        fprintf(to, " %*d", columns[i].width, numbers[i]);
    putc('\n', to);
}

void show_score(FILE *to, const struct lab *lab, const cJSON *scored)
{
    struct score_column columns[SCORE_COLUMNS] = {{_("variants"), 8},
                                                  {_("all right"), 10},
                                                  {_("predicted\nand failed"), 10},
                                                  {_("missed"), 7},
                                                  {_("predicted,\ndid not fail"), 12}};
    struct score all = {0};
    const cJSON *prediction;
    for (int i = 0; i < SCORE_COLUMNS; i++)
        widen(&columns[i]);
    write_heads(to, columns, 0);
    write_heads(to, columns, 1);
    for (int s = 0; lab->stages[s].number != NULL; s++) {
        struct score score = {0};
        char label[64];
        cJSON_ArrayForEach(prediction, scored)
        {
            if (strcmp(member_text(prediction, "stage"), lab->stages[s].number) != 0)
                continue;
            add_to_score(&score, lab, s, prediction);
            add_to_score(&all, lab, s, prediction);
        }
        snprintf(label, sizeof label, "%s %s", lab->stages[s].number, lab->stages[s].name);
        if (score.variants > 0)
            write_score(to, columns, label, &score);
    }
    write_score(to, columns, _("all"), &all);
}
