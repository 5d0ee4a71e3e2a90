/*
 * variants_command.c - `lab variants`: which clauses catch which broken variant. See run.h and report.h.
 */
#include "variants/commands.h"

#include "base/language.h"
#include "judge/check.h"
#include "judge/report.h"
#include "variants/output.h"
#include "variants/picture.h"
#include "variants/predictions.h"
#include "variants/report.h"
#include "variants/run.h"

#include <stdlib.h>
#include <unistd.h>

extern const struct lab idem_lab;

enum format { TEXT, TAP, JSON };

struct request {
    int format;
    int64_t seed, jobs;
    bool seeded, print;
    const char *html, *json; /* files to write besides */
    char **words;            /* the variants that were named */
    int word_count;
};

static bool take_format(void *request, const char *value)
{
    static const char *const formats[] = {"text", "tap", "json", NULL};
    return (((struct request *)request)->format = option_choice("format", value, formats)) >= 0;
}

static bool take_seed(void *request, const char *value)
{
    struct request *asked = request;
    asked->seeded = true;
    return option_number("seed", value, 0, SEED_MAX, &asked->seed);
}

static bool take_jobs(void *request, const char *value)
{
    return option_number("jobs", value, 1, 64, &((struct request *)request)->jobs);
}

static bool take_html(void *request, const char *value)
{
    ((struct request *)request)->html = value;
    return true;
}

static bool take_json(void *request, const char *value)
{
    ((struct request *)request)->json = value;
    return true;
}

static bool take_print(void *request, const char *value)
{
    (void)value;
    ((struct request *)request)->print = true;
    return true;
}

static bool take_name(void *request, const char *word)
{
    struct request *asked = request;
    char **more = realloc(asked->words, (size_t)(asked->word_count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    asked->words = more;
    /* Words of the command line outlive every request. */
    more[asked->word_count++] = (char *)(uintptr_t)word;
    return true;
}

/* ---- What comes out ------------------------------------------------------------------------------------ */

static bool save_html(const char *file, const cJSON *result)
{
    struct output output;
    cJSON *predictions = predictions_first(&idem_lab);
    bool begun = output_begin(&output);
    if (begun)
        picture_page(output.to, &idem_lab, result, predictions);
    cJSON_Delete(predictions);
    return begun && output_save(&output, file);
}

static bool save_json(const char *file, const cJSON *result)
{
    struct output output;
    if (!output_begin(&output))
        return false;
    mutation_report(output.to, &idem_lab, result);
    return output_save(&output, file);
}

/* What programs read is in English: also what a run says in a result that is written for them besides. */
static bool is_for_programs(const struct request *request)
{
    return request->format != TEXT || request->json != NULL;
}

static void write_result(FILE *to, const struct request *request, const cJSON *result)
{
    if (request->format == JSON) {
        variants_report_json(to, result);
    } else if (request->format == TAP) {
        variants_report_tap(to, &idem_lab, result);
    } else {
        struct report_style style = report_style_for(stdout);
        language_on();
        variants_report_text(to, &idem_lab, result, &style);
    }
}

static int print_result(const struct request *request, const cJSON *result)
{
    struct output output;
    int status = variants_exit_status(result);
    if (!output_begin(&output))
        return kit_error("There is no memory for the report.");
    write_result(output.to, request, result);
    if (is_for_programs(request))
        language_off();
    if (request->html != NULL && !save_html(request->html, result))
        status = EXIT_KIT;
    if (request->json != NULL && !save_json(request->json, result))
        status = EXIT_KIT;
    return output_print(&output, status);
}

/* The source of one variant, to look at and to try by hand. */
static int print_source(char *const *files)
{
    struct output output;
    char *why = NULL;
    char *path = reference_path(&idem_lab);
    char *reference = path != NULL ? read_text_file(path) : NULL;
    struct variant *v = reference != NULL ? variant_load(&idem_lab, files[0], &why) : NULL;
    char *source = v != NULL ? diff_apply(v->diff, reference, &why) : NULL;
    int status;
    if (source != NULL && output_begin(&output)) {
        fputs(source, output.to);
        status = output_print(&output, EXIT_HOLDS);
    } else {
        status = kit_error("%s: %s.", files[0], why != NULL ? why : _("it cannot be read"));
    }
    variant_free(v);
    free(source);
    free(reference);
    free(path);
    free(why);
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int run_and_report(const struct request *request, char *const *files)
{
    struct variants_options options = {files, request->seed, (int)request->jobs, isatty(2) == 1, true};
    char *why = NULL;
    if (!request->seeded && !draw_seed(&options.seed))
        return kit_error("The system gives no random numbers for a seed; --seed N names one.");
    if (is_for_programs(request))
        language_off();
    cJSON *result = variants_run(&idem_lab, &options, &why);
    int status = result != NULL
                     ? print_result(request, result)
                     : kit_error("%s", why != NULL ? why : _("The kit could not judge: no memory."));
    cJSON_Delete(result);
    free(why);
    return status;
}

static int variants(const struct command *command, int argc, char **argv)
{
    struct request request = {.format = TEXT};
    char **files = NULL;
    int status = options_read(command, argc, argv, &request);
    if (status < 0 && request.print && request.word_count != 1)
        status = usage_error("--print shows the source of one variant: build/lab variants --print NAME");
    if (status < 0 && (files = variant_files(&idem_lab, request.words, request.word_count, &status)) != NULL)
        status = request.print ? print_source(files) : run_and_report(&request, files);
    files_free(files);
    free(request.words);
    return status;
}

static const struct command_option variants_options[] = {
    {"format", "FORMAT", N_("text, tap or json"), take_format},
    {"html", "FILE", N_("also write the page with the picture of it"), take_html},
    {"json", "FILE", N_("also write the mutation report (mutation-testing-report-schema)"), take_json},
    {"jobs", "N", N_("variants checked at the same time, 1 to 64; as many as processors"), take_jobs},
    {"seed", "N", N_("the inputs of an earlier run; without it they are new ones"), take_seed},
    {"print", NULL, N_("only print the source of the one variant named"), take_print},
    {0},
};

const struct command variants_command = {
    "variants",       "[NAME...]", N_("Runs broken variants: which clauses catch which."),
    variants_options, take_name,   variants,
};
