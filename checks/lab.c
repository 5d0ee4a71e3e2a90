/*
 * lab.c - the command line of the kit: build/lab COMMAND ...
 *
 * Standard output gets the report and nothing else; sentences about wrong usage or a kit that cannot judge go
 * to standard error. A report is composed in memory and written at once, so that no half of one passes for
 * the whole; what cannot be written is the kit's failure (status 3), never a success.
 *
 * A sub-command is a `struct command` (base/options.h), here or in its own file, and a row in `commands`.
 */
#include "base/json.h"
#include "base/language.h"
#include "base/options.h"
#include "grader/grade.h"
#include "judge/check.h"
#include "judge/report.h"
#include "labs.h"
#include "variants/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const formats[] = {"text", "tap", "json", NULL};
enum format { TEXT, TAP, JSON };

static const char *const kinds[] = {"numbered", "craft", "race", "random",
                                    NULL}; /* in the order of clause_kind */

/* ---- Writing a report ---------------------------------------------------------------------------------- */

/* A reader that went away is a failed write like any other. Only here: children inherit what is ignored. */
static bool write_out(const char *text, size_t length)
{
    signal(SIGPIPE, SIG_IGN);
    bool written = fwrite(text, 1, length, stdout) == length;
    return fflush(stdout) == 0 && written;
}

/* Prints a memory stream and frees it. Gives `status`, or EXIT_KIT when not all of it was written. */
static int print_report(FILE *to, char **text, const size_t *length, int status)
{
    bool composed = ferror(to) == 0;
    composed = fclose(to) == 0 && composed && *length > 0;
    if (!composed) {
        status = kit_error("There is no memory for the report.");
    } else if (!write_out(*text, *length)) {
        status = kit_error("The report could not be written: %s.", strerror(errno));
    }
    free(*text);
    return status;
}

/* ---- What was asked for -------------------------------------------------------------------------------- */

struct request {
    const struct lab *lab;
    int format;
    bool earlier, seeded;
    const char *stage, *clause; /* as they were given; NULL: all */
    struct check_options options;
};

/* A word of the command line, quoted for a sentence about it. One at a time. */
static const char *shown(const char *word)
{
    static char *last;
    free(last);
    last = text_quoted(word, strlen(word), 200);
    return last != NULL ? last : "?";
}

static bool take_lab(void *request, const char *value)
{
    const char *names[MAX_LABS + 1] = {0};
    for (int i = 0; i < MAX_LABS && known_labs[i] != NULL; i++) {
        names[i] = known_labs[i]->name;
    }
    int index = option_choice("lab", value, names);
    if (index >= 0) {
        ((struct request *)request)->lab = known_labs[index];
    }
    return index >= 0;
}

static bool take_stage(void *request, const char *value)
{
    ((struct request *)request)->stage = value;
    return true;
}

static bool take_clause(void *request, const char *value)
{
    ((struct request *)request)->clause = value;
    return true;
}

static bool take_seed(void *request, const char *value)
{
    struct request *asked = request;
    asked->seeded = true;
    return option_number("seed", value, 0, SEED_MAX, &asked->options.seed);
}

static bool take_format(void *request, const char *value)
{
    return (((struct request *)request)->format = option_choice("format", value, formats)) >= 0;
}

static bool take_earlier(void *request, const char *value)
{
    (void)value;
    ((struct request *)request)->earlier = true;
    return true;
}

static bool take_stop_at(void *request, const char *value)
{
    static const char *const choices[] = {"clause", "stage", NULL};
    int choice = option_choice("stop-at", value, choices);
    ((struct request *)request)->options.stop_at = choice == 1 ? STOP_AT_STAGE : STOP_AT_CLAUSE;
    return choice >= 0;
}

static bool take_calls(void *request, const char *value)
{
    int64_t calls = 0;
    bool taken = option_number("calls", value, 1, 100000, &calls);
    ((struct request *)request)->options.calls = (int)calls;
    return taken;
}

static bool take_jobs(void *request, const char *value)
{
    int64_t jobs = 0;
    bool taken = option_number("jobs", value, 1, 64, &jobs);
    ((struct request *)request)->options.jobs = (int)jobs;
    return taken;
}

/* A list with commas: numbered,craft. */
static bool take_kinds(void *request, const char *value)
{
    unsigned chosen = 0;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        char *word = strndup(at, length);
        int kind = word != NULL ? option_choice("kinds", word, kinds) : -1;
        free(word);
        if (kind < 0) {
            return false;
        }
        chosen |= 1U << kind;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    ((struct request *)request)->options.kinds = chosen;
    return true;
}

static bool take_file(void *request, const char *word)
{
    struct check_options *options = &((struct request *)request)->options;
    if (options->file != NULL) {
        usage_error("build/lab check takes one file, not also %s.", shown(word));
        return false;
    }
    options->file = word;
    return true;
}

/* ---- Whether it is there ------------------------------------------------------------------------------- */

static int stage_count(const struct lab *lab)
{
    int count = 0;
    while (lab->stages[count].number != NULL) {
        count++;
    }
    return count;
}

/* The stage, counted from 1, of a number such as 02 or 2; 0 after usage_error(). */
static int find_stage(const struct lab *lab, const char *given)
{
    const char *digits = given + strspn(given, "0");
    int count = stage_count(lab);
    for (int i = 0; i < count; i++) {
        const char *number = lab->stages[i].number;
        if (*digits != '\0' && strcmp(number + strspn(number, "0"), digits) == 0 &&
            strlen(given) <= strlen(number)) {
            return i + 1;
        }
    }
    usage_error("There is no stage %s: %s has the stages %s to %s.", shown(given), lab->name,
                lab->stages[0].number, lab->stages[count - 1].number);
    return 0;
}

static const struct clause *find_clause(const struct lab *lab, const char *id, int *stage)
{
    for (int i = 0; lab->stages[i].number != NULL; i++) {
        for (const struct clause *clause = lab->stages[i].clauses; clause->id != NULL; clause++) {
            if (strcmp(clause->id, id) == 0) {
                *stage = i + 1;
                return clause;
            }
        }
    }
    return NULL;
}

static bool is_wanted(const struct request *request, const struct clause *clause)
{
    unsigned wanted = request->options.kinds;
    return wanted == 0 || (wanted & 1U << clause->kind) != 0;
}

static bool choose_clause(struct request *request)
{
    int stage = 0;
    const struct clause *clause = find_clause(request->lab, request->clause, &stage);
    if (clause == NULL) {
        usage_error("There is no clause %s: `build/lab list` names them all.", shown(request->clause));
        return false;
    }
    if (stage < request->options.first || stage > request->options.last) {
        usage_error("Clause %s is not in stage %s.", clause->id, shown(request->stage));
        return false;
    }
    if (!is_wanted(request, clause)) {
        usage_error("Clause %s is of the kind %s, which --kinds leaves out.", clause->id,
                    kinds[clause->kind]);
        return false;
    }
    request->options.clause = clause->id;
    request->options.first = request->options.last = stage;
    request->earlier = false;
    return true;
}

/* A run that would check nothing must not look like one in which everything holds. */
static bool has_clauses(const struct request *request)
{
    for (int i = request->options.first; i <= request->options.last; i++) {
        for (const struct clause *clause = request->lab->stages[i - 1].clauses; clause->id != NULL;
             clause++) {
            if (is_wanted(request, clause)) {
                return true;
            }
        }
    }
    usage_error("Nothing to check: no clause of what was asked for is of these --kinds.");
    return false;
}

static bool choose_stages(struct request *request)
{
    request->options.first = 1;
    request->options.last = stage_count(request->lab);
    if (request->stage != NULL) {
        int stage = find_stage(request->lab, request->stage);
        request->options.first = request->options.last = stage;
        return stage > 0;
    }
    if (request->earlier) {
        usage_error("--earlier needs --stage: it sums up the stages before that one.");
        return false;
    }
    return true;
}

static bool is_readable_file(const char *path)
{
    struct stat info;
    bool found = stat(path, &info) == 0;
    if (!found && (errno == ENOENT || errno == ENOTDIR)) {
        usage_error("There is no file %s.", shown(path));
    } else if (found && S_ISDIR(info.st_mode)) {
        usage_error("%s is a folder; name the file in it.", shown(path));
    } else if (found && !S_ISREG(info.st_mode)) {
        usage_error("%s is no regular file.", shown(path));
    } else if (!found || access(path, R_OK) != 0) {
        usage_error("%s cannot be read: %s.", shown(path), strerror(errno));
    } else {
        return true;
    }
    return false;
}

static bool choose_file(const struct request *request)
{
    if (request->options.file == NULL) {
        usage_error("Which file? For example: build/lab check work/%s/%s", request->lab->name,
                    request->lab->file);
        return false;
    }
    return is_readable_file(request->options.file);
}

/* A seed of few digits: it is there to be typed. */
static bool choose_seed(struct request *request)
{
    uint64_t bits;
    if (request->seeded) {
        return true;
    }
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        return false;
    }
    request->options.seed = (int64_t)(1 + bits % 999999);
    return true;
}

/* ---- lab check ----------------------------------------------------------------------------------------- */

static int print_result(const struct request *request, const cJSON *result)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL) {
        return kit_error("There is no memory for the report.");
    }
    if (request->format == JSON) {
        report_json(to, result);
    } else if (request->format == TAP) {
        report_tap(to, result);
    } else {
        struct report_style style = report_style_for(stdout);
        style.lab = request->lab;
        style.earlier = request->earlier ? request->options.last : 0;
        style.so_far = request->options.stop_at == STOP_AT_STAGE;
        report_text(to, result, &style);
    }
    return print_report(to, &text, &length, report_exit_status(result));
}

static int check(const struct command *command, int argc, char **argv)
{
    struct request request = {.lab = known_labs[0]};
    int status = options_read(command, argc, argv, &request);
    if (status >= 0) {
        return status;
    }
    bool chosen = choose_stages(&request) && (request.clause == NULL || choose_clause(&request)) &&
                  has_clauses(&request) && choose_file(&request);
    if (!chosen) {
        return EXIT_USAGE;
    }
    if (!choose_seed(&request)) {
        return kit_error("The system gives no random numbers for a seed; --seed N names one.");
    }
    request.options.first = request.earlier ? 1 : request.options.first;
    char *why = NULL;
    if (request.format != TEXT) {
        language_off();
    }
    request.options.other_lab = request.lab != known_labs[0];
    cJSON *result = check_run(request.lab, &request.options, &why);
    status = result != NULL ? print_result(&request, result)
                            : kit_error("%s", why != NULL ? why : _("The kit could not judge: no memory."));
    free(why);
    cJSON_Delete(result);
    return status;
}

static const struct command_option check_options[] = {
    {"stage", "NN", N_("only this stage, as 02 or 2"), take_stage},
    {"earlier", NULL, N_("with --stage: also the stages before it, summed up in one line"), take_earlier},
    {"clause", "N.N", N_("only this clause, as 2.1, 2.C or 2.R"), take_clause},
    {"seed", "N", N_("the inputs of an earlier run; without it they are new ones"), take_seed},
    {"format", "FORMAT", N_("text, tap or json"), take_format},
    {"stop-at", "WHAT", N_("clause or stage: begin nothing after the first that does not hold"),
     take_stop_at},
    {"calls", "N", N_("calls of a long random run, 1 to 100000"), take_calls},
    {"jobs", "N", N_("clauses checked at the same time, 1 to 64"), take_jobs},
    {"kinds", "KINDS", N_("only clauses of these kinds: numbered,craft,race,random"), take_kinds},
    {"lab", "LAB", N_("another lab than the first"), take_lab},
    {0},
};

static const struct command check_command = {
    "check",       "SERVICE.c", N_("Checks a submission against the clauses of the contract."),
    check_options, take_file,   check,
};

/* ---- lab list ------------------------------------------------------------------------------------------ */

static bool take_list_format(void *request, const char *value)
{
    static const char *const choices[] = {"text", "json", NULL};
    int choice = option_choice("format", value, choices);
    ((struct request *)request)->format = choice == 1 ? JSON : TEXT;
    return choice >= 0;
}

static int list(const struct command *command, int argc, char **argv)
{
    struct request request = {.lab = known_labs[0]};
    int status = options_read(command, argc, argv, &request);
    if (status >= 0) {
        return status;
    }
    if (request.format == JSON) {
        language_off();
    }
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL) {
        return kit_error("There is no memory for the list.");
    }
    report_list(to, request.lab, request.format == JSON);
    return print_report(to, &text, &length, EXIT_HOLDS);
}

static const struct command_option list_options[] = {
    {"format", "FORMAT", N_("text or json"), take_list_format},
    {"lab", "LAB", N_("another lab than the first"), take_lab},
    {0},
};

static const struct command list_command = {
    "list", "", N_("Lists the stages and clauses of the contract."), list_options, NULL, list,
};

/* ---- The commands -------------------------------------------------------------------------------------- */

static const struct command *const commands[] = {
    &check_command, &list_command, &variants_command, &predict_command, &challenge_command,
    &grade_command, NULL};

static void write_usage(FILE *to)
{
    fputs(_("Usage: build/lab COMMAND [options] ...\n"), to);
    for (int i = 0; commands[i] != NULL; i++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", commands[i]->name, commands[i]->operands);
        fprintf(to, "  %-26s %s\n", left, _(commands[i]->summary));
    }
    fputs(_("`build/lab COMMAND --help` lists the options of a command.\n"
            "--lang en, ja or zh, or LAB_LANG, chooses the language of texts for people.\n"),
          to);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        write_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        write_usage(stdout);
        return EXIT_HOLDS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("lab " KIT_VERSION);
        return EXIT_HOLDS;
    }
    for (int i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, argv[1]) == 0) {
            return commands[i]->run(commands[i], argc - 1, argv + 1);
        }
    }
    return usage_error("There is no command %s; `build/lab --help` lists them.", shown(argv[1]));
}

/* ---- The world around ---------------------------------------------------------------------------------- */

/* A program may be started with a descriptor from 0 to 2 closed. The next file that is opened would take
 * its place, and a report end up in a database. What stands in for a missing standard output refuses
 * writes, as it should. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd) {
            _exit(EXIT_KIT);
        }
    }
}

/* Takes --lang LANG or --lang=LANG out of the words, wherever it stands before "--". Gives the language, or NULL. */
static const char *take_language(int *argc, char **argv)
{
    const char *language = NULL;
    int kept = 0;
    bool options = true;
    for (int i = 0; i < *argc; i++) {
        options = options && strcmp(argv[i], "--") != 0;
        if (options && strncmp(argv[i], "--lang=", 7) == 0) {
            language = argv[i] + 7;
        } else if (options && strcmp(argv[i], "--lang") == 0 && i + 1 < *argc) {
            language = argv[++i];
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
    argv[kept] = NULL;
    return language;
}

static bool choose_language(const char *wanted)
{
    char folder[PATH_MAX];
    const char *root = kit_root();
    snprintf(folder, sizeof folder, "%s/build/locale", root != NULL ? root : ".");
    if (language_choose(wanted, folder) || wanted == NULL) {
        return true;
    }
    usage_error("There are no messages in the language %s; there are en, ja and zh.", shown(wanted));
    return false;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    const char *language = take_language(&argc, argv);
    int status = choose_language(language) ? run_command(argc, argv) : EXIT_USAGE;
    bool written = fflush(stdout) == 0 && ferror(stdout) == 0; /* of help, too */
    return written ? status : EXIT_KIT;
}
