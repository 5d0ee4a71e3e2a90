/*
 * challenge.c - `lab challenge`: a learner's own tests against a broken variant.
 *
 * A test that fails on the variant has shown something only if it passes on what is right. So the tests run
 * three times: on the reference, on a second correct service of another design (a test that knows how the
 * reference works, and not what the contract says, fails there), and then on the variant. Each is linked as
 * the `idem` program; the tests know it by the variable IDEM and cannot see which of the three it is.
 */
#include "variants/commands.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/check.h"
#include "judge/command.h"
#include "judge/report.h"
#include "judge/report_parts.h"
#include "judge/temp.h"
#include "variants/bats.h"
#include "variants/output.h"
#include "variants/report.h"
#include "variants/variant.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct lab idem_lab;

/* The correct service of another design: it deletes with RETURNING and sorts what it gets. */
#define SECOND_DESIGN "returning-and-sort"

enum { COMPILE_LIMIT_MS = 20000, MOST_MESSAGES = 4096, DEFAULT_LIMIT_S = 60 };

struct challenge {
    const char *name, *tests;
    int64_t limit_s;
    struct variant *variant;
    char tests_path[PATH_MAX];
    char *cc, *bats;
    struct temp temp;
    FILE *to;
    bool ascii;
};

static bool take_word(void *request, const char *word)
{
    struct challenge *c = request;
    if (c->tests != NULL) {
        usage_error("build/lab challenge takes a variant and a file of tests, and nothing more.");
        return false;
    }
    *(c->name == NULL ? &c->name : &c->tests) = word;
    return true;
}

static bool take_limit(void *request, const char *value)
{
    return option_number("limit", value, 1, 600, &((struct challenge *)request)->limit_s);
}

/* ---- The three services -------------------------------------------------------------------------------- */

static bool write_source(const char *folder, const char *source)
{
    char *file = NULL;
    FILE *to = asprintf(&file, "%s/service.c", folder) >= 0 ? fopen(file, "we") : NULL;
    bool written = to != NULL && fputs(source, to) >= 0;
    written = to != NULL && fclose(to) == 0 && written;
    free(file);
    return written;
}

/* Compiles folder/service.c and links it as folder/idem. *messages is what the compiler said. */
static bool link_idem(const struct challenge *c, const char *folder, char **messages)
{
    char *include = NULL;
    char *object = NULL;
    bool built = false;
    if (asprintf(&include, "-I%s/labs/%s", kit_root(), idem_lab.name) >= 0 &&
        asprintf(&object, "%s/build/%s/idem.o", kit_root(), idem_lab.name) >= 0) {
        const char *words[] = {c->cc,       "-std=gnu17", "-g",        include,   "-o", "idem",
                               "service.c", object,       "-lsqlite3", "-lcjson", NULL};
        struct command_result r =
            command_run((char *const *)(uintptr_t)words, folder, COMPILE_LIMIT_MS, MOST_MESSAGES);
        built = r.exit_status == 0;
        *messages = text_plain(r.output != NULL ? r.output : "", r.bytes, MOST_MESSAGES);
        command_clear(&r);
    }
    free(include);
    free(object);
    return built;
}

/* Makes temp/NUMBER/idem of a source. */
static bool build_idem(const struct challenge *c, int number, const char *source, char **messages)
{
    char *folder = NULL;
    bool built = asprintf(&folder, "%s/%d", c->temp.path, number) >= 0 && mkdir(folder, 0755) == 0 &&
                 write_source(folder, source) && link_idem(c, folder, messages);
    free(folder);
    return built;
}

/* ---- What the tests said ------------------------------------------------------------------------------- */

/* The lines of TAP from each failed test on, with what it printed; where there is no test, all of it. */
static void write_failures(const struct challenge *c, const char *tap)
{
    bool untested = strstr(tap, "ok ") == NULL;
    bool failing = untested;
    cJSON *text = cJSON_CreateString(tap);
    cJSON *shown = report_printable(text, c->ascii);
    for (const char *line = shown != NULL ? shown->valuestring : ""; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        if (line[0] != '#' && !untested)
            failing = strncmp(line, "not ok ", 7) == 0;
        if (failing && strstr(line, "from function") != line + 3 && strstr(line, "from function") != line + 4)
            fprintf(c->to, "    %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    cJSON_Delete(text);
    cJSON_Delete(shown);
}

/* A name as people gave it, in quotes. Allocated. */
static char *first_failed(const struct bats_result *r)
{
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(r->failed, 0));
    return name != NULL ? text_quoted(name, strlen(name), 200) : NULL;
}

/* `on`: what the tests ran on, in the chosen language. */
static void write_line(const struct challenge *c, const char *on, const struct bats_result *r)
{
    int failed = cJSON_GetArraySize(r->failed);
    fputs("  ", c->to);
    report_padded(c->to, on, 26);
    putc(' ', c->to);
    if (r->late)
        fprintf(c->to, _("%d passed, %d failed; its time was up"), r->passed, failed);
    else if (r->skipped > 0)
        fprintf(c->to, _("%d passed, %d failed; the others were skipped"), r->passed, failed);
    else
        fprintf(c->to, _("%d passed, %d failed"), r->passed, failed);
    putc('\n', c->to);
}

/* Why a run has no meaning: it was cut short, or there was no test. NULL when it has one. Allocated. */
static char *no_meaning(const struct challenge *c, const char *on, const struct bats_result *r)
{
    char *why = NULL;
    int seen = r->passed + r->skipped + cJSON_GetArraySize(r->failed);
    int length = 0;
    if (r->late)
        length = asprintf(&why,
                          _("Timed out: your tests took longer than %lld s and were ended with all they had "
                            "started, on %s."),
                          (long long)c->limit_s, on);
    else if (r->planned == 0 && seen == 0)
        length = asprintf(
            &why, _("No test ran: bats found none in your file, or could not read it (status %d), on %s."),
            r->exit_status, on);
    else if (r->planned != seen)
        length = asprintf(&why, _("Not every test ran: %d were planned, and %d seen, on %s."), r->planned,
                          seen, on);
    else if (r->skipped == seen)
        length = asprintf(&why, _("No test ran: all %d were skipped, on %s."), seen, on);
    return length >= 0 ? why : NULL;
}

/* A sentence that is in the chosen language already. */
static void write_sentence(const struct challenge *c, const char *sentence)
{
    report_wrapped(c->to, sentence, 0, 2);
    putc('\n', c->to);
}

/* ---- The verdict --------------------------------------------------------------------------------------- */

/* Runs the tests on service `number`, which takes the one place where they find it. False after a sentence
 * that is the kit's. */
static bool run_tests(const struct challenge *c, int number, struct bats_result *r)
{
    char *built = NULL;
    char *idem = NULL;
    char *folder = NULL;
    char *why = NULL;
    bool ran = asprintf(&built, "%s/%d/idem", c->temp.path, number) >= 0 &&
               asprintf(&idem, "%s/idem", c->temp.path) >= 0 &&
               asprintf(&folder, "%s/tests-%d", c->temp.path, number) >= 0 && rename(built, idem) == 0 &&
               mkdir(folder, 0755) == 0 &&
               bats_run(c->bats, c->tests_path, idem, folder, (int)c->limit_s * 1000, r, &why);
    if (!ran)
        kit_error("The tests could not be run: %s.", why != NULL ? why : strerror(errno));
    free(built);
    free(idem);
    free(folder);
    free(why);
    return ran;
}

/* The tests must pass on what is right. Gives the exit status, or -1: go on. */
static int judge_correct(const struct challenge *c, int number, const char *on)
{
    struct bats_result r = {0};
    if (!run_tests(c, number, &r))
        return bats_clear(&r), EXIT_KIT;
    char *meaningless = no_meaning(c, on, &r);
    char *failed = first_failed(&r);
    write_line(c, on, &r);
    if (failed != NULL || meaningless != NULL)
        write_failures(c, r.output);
    if (failed != NULL) {
        putc('\n', c->to);
        report_say(c->to, 2, "Your tests fail on a correct service: %s fails on %s.", failed, on);
        report_say(c->to, 2,
                   "Next: a test must pass on every right service; look at what the contract promises and "
                   "what this test asks for.");
    } else if (meaningless != NULL) {
        putc('\n', c->to);
        write_sentence(c, meaningless);
        report_say(c->to, 2, "Next: begin with the worked example in labs/%s/my-tests.bats", idem_lab.name);
    }
    int status = failed != NULL || meaningless != NULL ? EXIT_FALLS_SHORT : -1;
    free(meaningless);
    free(failed);
    bats_clear(&r);
    return status;
}

/* The names of the tests that failed, quoted, with commas between. Allocated. */
static char *catchers_of(const struct bats_result *r)
{
    char *text = NULL;
    size_t length = 0;
    const cJSON *name;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    cJSON_ArrayForEach(name, r->failed)
    {
        char *quoted = text_quoted(name->valuestring, strlen(name->valuestring), 200);
        fprintf(to, "%s%s", name == r->failed->child ? "" : _(", "), quoted != NULL ? quoted : "?");
        free(quoted);
    }
    fclose(to);
    return text;
}

static void write_catchers(const struct challenge *c, const struct bats_result *r)
{
    char *catchers = catchers_of(r);
    putc('\n', c->to);
    fprintf(c->to, _("Caught by %s.\n"), catchers != NULL ? catchers : "?");
    free(catchers);
}

static int judge_variant(const struct challenge *c, int number)
{
    struct bats_result r = {0};
    if (!run_tests(c, number, &r))
        return bats_clear(&r), EXIT_KIT;
    char *meaningless = no_meaning(c, _("the broken variant"), &r);
    bool caught = cJSON_GetArraySize(r.failed) > 0;
    write_line(c, _("the broken variant"), &r);
    if (caught) {
        write_failures(c, r.output);
        write_catchers(c, &r);
        fputs(_("Next: which clause of the contract is that test? Then try the next variant.\n"), c->to);
    } else if (meaningless != NULL) {
        putc('\n', c->to);
        write_sentence(c, meaningless);
        fputs(_("Next: write a test that fails, in place of one that never ends.\n"), c->to);
    } else {
        putc('\n', c->to);
        fprintf(c->to, _("Not caught by any of your tests (%d).\n"), r.passed);
        report_say(c->to, 2, "Next: look at the change once more; which row or answer would differ? %s",
                   _(c->variant->ask));
    }
    free(meaningless);
    bats_clear(&r);
    return caught ? EXIT_HOLDS : EXIT_FALLS_SHORT;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

/* Links a correct service; one that does not build is the kit's fault. */
static bool build_correct(const struct challenge *c, int number, const char *path)
{
    char *messages = NULL;
    char *source = read_text_file(path);
    bool built = source != NULL && build_idem(c, number, source, &messages);
    if (!built)
        kit_error("%s cannot be linked as a program: %s", path,
                  source == NULL                            ? strerror(errno)
                  : messages != NULL && messages[0] != '\0' ? messages
                                                            : _("the compiler said nothing"));
    free(messages);
    free(source);
    return built;
}

/* Links the variant. Gives the exit status after a sentence in the report, or -1: go on. */
static int build_variant(const struct challenge *c, int number, const char *reference)
{
    char *why = NULL;
    char *messages = NULL;
    char *text = read_text_file(reference);
    char *source = text != NULL ? diff_apply(c->variant->diff, text, &why) : NULL;
    bool built = source != NULL && build_idem(c, number, source, &messages);
    if (source == NULL)
        report_say(c->to, 2, "Not applied: %s.", why != NULL ? why : _("the reference cannot be read"));
    else if (!built)
        fprintf(c->to, _("Does not build:\n%s\n"), messages != NULL ? messages : "");
    free(why);
    free(messages);
    free(text);
    free(source);
    return built ? -1 : EXIT_FALLS_SHORT;
}

static int judge_all(const struct challenge *c, const char *reference, const char *second)
{
    if (!build_correct(c, 1, reference) || !build_correct(c, 2, second))
        return EXIT_KIT;
    int status = build_variant(c, 3, reference);
    if (status < 0)
        status = judge_correct(c, 1, _("the reference"));
    if (status < 0)
        status = judge_correct(c, 2, _("another correct service"));
    return status < 0 ? judge_variant(c, 3) : status;
}

static void write_frame(const struct challenge *c, bool first)
{
    cJSON *rows = cJSON_CreateArray();
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", c->variant->name);
    cJSON_AddItemToArray(rows, row);
    write_what_is_under_test(c->to, rows, first);
    cJSON_Delete(rows);
}

static int report_challenge(struct challenge *c)
{
    struct output output;
    char *second = NULL;
    char *why = NULL;
    char *reference = reference_path(&idem_lab);
    if (!output_begin(&output))
        return kit_error("There is no memory for the report.");
    c->to = output.to;
    write_frame(c, true);
    int status = EXIT_KIT;
    if (!temp_make(&c->temp, NULL, &why))
        kit_error("%s.", why != NULL ? why : _("memory ran out"));
    else if (reference != NULL && asprintf(&second, "%s/fixtures/%s/submissions/good/" SECOND_DESIGN "/%s",
                                           kit_root(), idem_lab.name, idem_lab.file) >= 0)
        status = judge_all(c, reference, second);
    temp_remove(&c->temp);
    write_frame(c, false);
    free(reference);
    free(second);
    free(why);
    if (status != EXIT_KIT)
        return output_print(&output, status);
    fclose(output.to);
    free(output.text);
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static bool find_tests(struct challenge *c)
{
    struct stat info;
    char *shown = text_quoted(c->tests, strlen(c->tests), 200);
    bool found = realpath(c->tests, c->tests_path) != NULL && stat(c->tests_path, &info) == 0;
    if (!found)
        usage_error("There is no file %s.", shown);
    else if (!S_ISREG(info.st_mode))
        usage_error("%s is no file of tests.", shown);
    free(shown);
    return found && S_ISREG(info.st_mode);
}

static bool find_tools(struct challenge *c)
{
    const char *chosen = getenv("LAB_CC");
    c->cc = command_find(chosen != NULL && chosen[0] != '\0' ? chosen : "cc");
    c->bats = bats_find();
    if (c->cc == NULL)
        kit_error("There is no C compiler here; `make deps` installs what the kit needs.");
    else if (c->bats == NULL)
        kit_error("There is no bats here; `make deps` installs what the kit needs.");
    return c->cc != NULL && c->bats != NULL;
}

static int load(struct challenge *c)
{
    int status = EXIT_KIT;
    char *why = NULL;
    char *words[] = {(char *)(uintptr_t)c->name};
    char **files = variant_files(&idem_lab, words, 1, &status);
    if (files != NULL && (c->variant = variant_load(&idem_lab, files[0], &why)) == NULL)
        status = kit_error("%s: %s.", files[0], why != NULL ? why : _("memory ran out"));
    files_free(files);
    free(why);
    return c->variant != NULL ? -1 : status;
}

static int challenge(const struct command *command, int argc, char **argv)
{
    struct challenge c = {.limit_s = DEFAULT_LIMIT_S};
    int status = options_read(command, argc, argv, &c);
    if (status >= 0)
        return status;
    if (c.tests == NULL)
        return usage_error("Which variant, and which tests? For example: build/lab challenge 04-... "
                           "work/%s/my-tests.bats",
                           idem_lab.name);
    if ((status = load(&c)) < 0)
        status = !find_tests(&c) ? EXIT_USAGE : !find_tools(&c) ? EXIT_KIT : -1;
    c.ascii = report_style_for(stdout).ascii;
    if (status < 0)
        status = report_challenge(&c);
    variant_free(c.variant);
    free(c.cc);
    free(c.bats);
    return status;
}

static const struct command_option challenge_options[] = {
    {"limit", "S", N_("seconds for each of the three runs of your tests, 1 to 600; 60"), take_limit},
    {0},
};

const struct command challenge_command = {
    "challenge",
    "NAME TESTS.bats",
    N_("Runs your own tests: they pass on what is right, and catch the variant."),
    challenge_options,
    take_word,
    challenge,
};
