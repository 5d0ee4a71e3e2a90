/*
 * predict_command.c - `lab predict`: one variant, prediction first.
 *
 * The order is the point: show the change, take the prediction, store it, and only then start the variant.
 * Studies of prediction in teaching agree that a demonstration watched without predicting teaches about
 * nothing, and that a prediction which is not recorded beforehand bends to the outcome.
 */
#include "variants/commands.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/check.h"
#include "judge/report_parts.h"
#include "variants/output.h"
#include "variants/predict.h"
#include "variants/predictions.h"
#include "variants/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct lab idem_lab;

struct request {
    const char *name, *fails;
    int64_t seed;
    bool seeded, unpredicted, score, next;
};

static bool take_name(void *request, const char *word)
{
    struct request *asked = request;
    if (asked->name != NULL) {
        usage_error("build/lab predict takes one variant at a time.");
        return false;
    }
    asked->name = word;
    return true;
}

static bool take_fails(void *request, const char *value)
{
    ((struct request *)request)->fails = value;
    return true;
}

static bool take_seed(void *request, const char *value)
{
    struct request *asked = request;
    asked->seeded = true;
    return option_number("seed", value, 0, SEED_MAX, &asked->seed);
}

static bool take_unpredicted(void *request, const char *value)
{
    (void)value;
    ((struct request *)request)->unpredicted = true;
    return true;
}

static bool take_score(void *request, const char *value)
{
    (void)value;
    ((struct request *)request)->score = true;
    return true;
}

static bool take_next(void *request, const char *value)
{
    (void)value;
    ((struct request *)request)->next = true;
    return true;
}

/* ---- The score ----------------------------------------------------------------------------------------- */

static int print_score(sqlite3 *db)
{
    struct output output;
    cJSON *scored = predictions_scored(db, &idem_lab);
    int status = EXIT_HOLDS;
    if (!output_begin(&output)) {
        status = kit_error("There is no memory for the score.");
    } else if (cJSON_GetArraySize(scored) == 0) {
        fputs(_("Nothing was predicted so far.\nNext: make predict\n"), output.to);
        status = output_print(&output, EXIT_HOLDS);
    } else {
        show_score(output.to, &idem_lab, scored);
        fputs(_("Next: make predict\n"), output.to);
        status = output_print(&output, EXIT_HOLDS);
    }
    cJSON_Delete(scored);
    return status;
}

/* ---- Taking a prediction ------------------------------------------------------------------------------- */

/* Reads "4.2 4.8" or "none". False after a sentence. */
static bool read_prediction(const char *text, struct clause_set *set)
{
    char unknown[64];
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t\n");
    *set = (struct clause_set){0};
    if (length == 4 && strncasecmp(text, "none", 4) == 0 &&
        text[length + strspn(text + length, " \t\n")] == '\0')
        return true;
    if (!clause_set_read(set, &idem_lab, text, unknown)) {
        char *shown = text_quoted(unknown, strlen(unknown), 40);
        usage_error("There is no clause %s: a prediction is a list of clauses such as 4.2,4.8, or none.",
                    shown != NULL ? shown : "?");
        free(shown);
        return false;
    }
    if (clause_set_size(set) > 0)
        return true;
    usage_error("A prediction is a list of clauses such as 4.2,4.8, or none.");
    return false;
}

/* Asks until there is an answer. False when there is none. */
static bool ask(struct clause_set *set)
{
    char *line = NULL;
    size_t size = 0;
    bool answered = false;
    for (;;) {
        fputs(_("Which clauses will fail? (ids with spaces between, or none; an empty line leaves): "),
              stdout);
        fflush(stdout);
        if (getline(&line, &size, stdin) < 0 || line[strspn(line, " \t\n")] == '\0')
            break;
        if ((answered = read_prediction(line, set)))
            break;
    }
    if (!answered)
        printf("\n%s\n", _("Nothing was predicted, so nothing was run."));
    free(line);
    return answered;
}

static bool has_prediction_or_terminal(const struct request *request)
{
    if (request->fails != NULL || request->unpredicted || isatty(0) == 1)
        return true;
    usage_error(
        "Predict first: add --fails with the clauses that will fail (--fails 4.2,4.8 or --fails none), or "
        "--no-prediction to run it without.");
    return false;
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static int not_judged(const cJSON *row)
{
    const char *name = member_text(row, "name");
    const char *outcome = _(member_text(row, "outcome"));
    const char *message = _(member_text(row, "message"));
    size_t length = strnlen(message, 200);
    while (((unsigned char)message[length] & 0xc0) == 0x80) /* no character is cut */
        length--;
    return length > 0 ? kit_error("%s: %s: %.*s.", name, outcome, (int)length, message)
                      : kit_error("%s: %s.", name, outcome);
}

/* The run has ended: notes what failed, and shows both. */
static int conclude(sqlite3 *db, const struct prediction *stored, const cJSON *result,
                    const struct clause_set *predicted)
{
    struct output output;
    struct report_style style = report_style_for(stdout);
    const cJSON *row = cJSON_GetArrayItem(member_list(result, "variants"), 0);
    const char *outcome = member_text(row, "outcome");
    struct clause_set failed = clause_set_from_json(member_list(row, "caught_by"), &idem_lab);
    bool judged = clause_set_size(&failed) > 0 || strcmp(outcome, "not caught") == 0;
    if (!judged)
        return not_judged(row);
    if (!prediction_note_failed(db, &idem_lab, stored->id, &failed))
        return EXIT_KIT;
    if (!output_begin(&output))
        return kit_error("There is no memory for the report.");
    show_outcome(output.to, &idem_lab, row, member_number(result, "seed"), predicted, &style);
    if (predicted != NULL && !stored->counts)
        fputs(_("(It is not scored: it was seen before, or its behaviour is undefined.)\n"), output.to);
    return output_print(&output, EXIT_HOLDS);
}

static int run_variant(sqlite3 *db, const struct prediction *stored, const char *file, int64_t seed,
                       const struct clause_set *predicted)
{
    char *why = NULL;
    char *files[] = {strdup(file), NULL};
    struct variants_options options = {files, seed, 0, isatty(2) == 1, false};
    cJSON *result = variants_run(&idem_lab, &options, &why);
    int status = result != NULL
                     ? conclude(db, stored, result, predicted)
                     : kit_error("%s", why != NULL ? why : _("The kit could not judge: no memory."));
    cJSON_Delete(result);
    free(files[0]);
    free(why);
    return status;
}

/* Shows the variant, takes the prediction and stores it: from then on it is there, whatever happens. */
static int predict_variant(sqlite3 *db, const struct request *request, const struct variant *variant)
{
    struct output output;
    struct report_style style = report_style_for(stdout);
    struct clause_set predicted = {0};
    struct prediction stored;
    int64_t seed = request->seed;
    const struct clause_set *told = request->unpredicted ? NULL : &predicted;
    if (told != NULL && request->fails != NULL && !read_prediction(request->fails, &predicted))
        return EXIT_USAGE;
    if (!request->seeded && !draw_seed(&seed))
        return kit_error("The system gives no random numbers for a seed; --seed N names one.");
    if (!output_begin(&output))
        return kit_error("There is no memory for the report.");
    show_variant(output.to, &idem_lab, variant, &style);
    int status = output_print(&output, EXIT_HOLDS);
    if (status != EXIT_HOLDS)
        return status;
    if (told != NULL && request->fails == NULL && !ask(&predicted))
        return EXIT_USAGE;
    if (!prediction_store(db, &idem_lab, variant, told, seed, &stored))
        return EXIT_KIT;
    return run_variant(db, &stored, variant->file, seed, told);
}

static int predict_file(sqlite3 *db, const struct request *request, const char *file)
{
    char *why = NULL;
    struct variant *variant = variant_load(&idem_lab, file, &why);
    int status = variant != NULL ? predict_variant(db, request, variant)
                                 : kit_error("%s: %s.", file, why != NULL ? why : _("memory ran out"));
    variant_free(variant);
    free(why);
    return status;
}

/* ---- Which variant ------------------------------------------------------------------------------------- */

/* The first of the worksheet that was not predicted yet; NULL when all were. Allocated. */
static char *next_file(sqlite3 *db, int *status)
{
    char *found = NULL;
    char **files = variant_files(&idem_lab, NULL, 0, status);
    for (char **file = files; file != NULL && *file != NULL && found == NULL; file++) {
        char *why = NULL;
        struct variant *variant = variant_load(&idem_lab, *file, &why);
        if (variant != NULL && strcmp(variant->kind, "worksheet") == 0 &&
            !predictions_has(db, &idem_lab, variant->name))
            found = strdup(*file);
        variant_free(variant);
        free(why);
    }
    if (found == NULL && files != NULL) {
        *status = print_score(db);
        puts(_("Every variant of the worksheet was predicted. The others: build/lab predict NAME"));
    }
    files_free(files);
    return found;
}

static char *chosen_file(sqlite3 *db, const struct request *request, int *status)
{
    char *words[] = {(char *)(uintptr_t)request->name};
    if (request->next)
        return next_file(db, status);
    char **files = variant_files(&idem_lab, words, 1, status);
    char *file = files != NULL ? strdup(files[0]) : NULL;
    files_free(files);
    return file;
}

static bool is_sensible(const struct request *request)
{
    bool named = request->name != NULL || request->next || request->score;
    if (!named)
        usage_error(
            "Which variant? `ls broken-variants/%s` lists them; --next takes the next of the worksheet.",
            idem_lab.name);
    else if (request->name != NULL && (request->next || request->score))
        usage_error("A variant's name goes neither with --next nor with --score.");
    else if (request->fails != NULL && request->unpredicted)
        usage_error("Either --fails or --no-prediction.");
    else
        return true;
    return false;
}

static int predict(const struct command *command, int argc, char **argv)
{
    struct request request = {0};
    int status = options_read(command, argc, argv, &request);
    if (status >= 0)
        return status;
    if (!is_sensible(&request) || (!request.score && !has_prediction_or_terminal(&request)))
        return EXIT_USAGE;
    sqlite3 *db = predictions_open();
    if (db == NULL)
        return EXIT_KIT;
    char *file = NULL;
    status = EXIT_KIT;
    if (request.score)
        status = print_score(db);
    else if ((file = chosen_file(db, &request, &status)) != NULL)
        status = predict_file(db, &request, file);
    free(file);
    sqlite3_close(db);
    return status;
}

static const struct command_option predict_options[] = {
    {"fails", "IDS", N_("the clauses that will fail, as 4.2,4.8, or none; without it you are asked"),
     take_fails},
    {"no-prediction", NULL, N_("run it without a prediction; a later one is not scored"), take_unpredicted},
    {"next", NULL, N_("the next variant of the worksheet that was not predicted yet"), take_next},
    {"score", NULL, N_("sum up what was predicted so far, by stage"), take_score},
    {"seed", "N", N_("the inputs of an earlier run; without it they are new ones"), take_seed},
    {0},
};

const struct command predict_command = {
    "predict",       "NAME",    N_("Shows a broken variant, takes your prediction, runs it, compares."),
    predict_options, take_name, predict,
};
