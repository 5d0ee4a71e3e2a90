/*
 * build.c - see build.h.
 *
 * Between compiling and linking the kit looks at the object's symbols. That is no defence (the process boundary is), it is
 * a friendly early word: "service.c defines main" says more than the linker does.
 */
#include "judge/build.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_WORDS = 40,
    COMPILE_LIMIT_MS = 20000,
    MAX_MESSAGES = 65536,
    MAX_SYMBOLS = 1 << 20,
    MAX_SOURCE = 1 << 20
};

/* A command's words, collected one by one; they are not owned. */
struct words {
    char *word[MAX_WORDS + 1];
    int count;
};

static void add(struct words *w, const char *word)
{
    if (w->count < MAX_WORDS)
        w->word[w->count++] = (char *)(uintptr_t)word; /* execve() wants char *, and writes to none */
}

static bool cannot_read(char **why, const char *file)
{
    if (asprintf(why, _("cannot read %s: %s"), file, strerror(errno)) < 0)
        *why = NULL;
    return false;
}

static bool cannot_copy(char **why, const char *file)
{
    if (asprintf(why, _("cannot copy %s: %s"), file, strerror(errno)) < 0)
        *why = NULL;
    return false;
}

/* ---- Files ------------------------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to, long long max)
{
    char bytes[65536];
    long long total = 0;
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) > 0) {
        total += got;
        if (total > max) {
            errno = EFBIG;
            return false;
        }
        for (ssize_t put = 0, n; put < got; put += n)
            if ((n = write(to, bytes + put, (size_t)(got - put))) < 0)
                return false;
    }
    return got == 0;
}

static bool copy_file(const char *from, const char *folder, const char *name, char **why)
{
    char *to = NULL;
    if (asprintf(&to, "%s/%s", folder, name) < 0)
        return false;
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool ok = in >= 0 && out >= 0 && copy_bytes(in, out, 64LL << 20);
    if (!ok)
        in < 0 ? cannot_read(why, from) : cannot_copy(why, from);
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && ok)
        ok = cannot_copy(why, from);
    free(to);
    return ok;
}

static bool copy_inputs(const struct lab *lab, const struct check_options *options, const char *folder,
                        char **why)
{
    char *header = NULL, *subject = NULL;
    bool ok = asprintf(&header, "%s/labs/%s/%s", kit_root(), lab->name, lab->header) >= 0 &&
              asprintf(&subject, "%s/build/%s/subject.o", kit_root(), lab->name) >= 0 &&
              copy_file(options->file, folder, lab->file, why) &&
              copy_file(header, folder, lab->header, why) && copy_file(subject, folder, "subject.o", why);
    free(header);
    free(subject);
    return ok;
}

/* ---- Commands ---------------------------------------------------------------------------------------------- */

/* A command may take this long, and no longer than the submission's whole budget. */
static int limit_ms(const struct check_options *options)
{
    const long long budget_ms = options->budget_ms;
    return budget_ms > 0 && budget_ms < COMPILE_LIMIT_MS ? (int)budget_ms : COMPILE_LIMIT_MS;
}

struct command_result build_run_tool(const struct check_options *options, const char *folder,
                                     char *const command[], int most_ms, size_t max_bytes)
{
    struct command_result r = {.exit_status = -1};
    if (options->confine == NULL)
        return command_run(command, folder, most_ms, max_bytes);
    char **confined = options->confine(options->sandbox, folder, true, command);
    if (confined != NULL)
        r = command_run(confined, folder, most_ms, max_bytes);
    for (char **word = confined; word != NULL && *word != NULL; word++)
        free(*word);
    free(confined);
    return r;
}

static struct command_result run_words(const struct check_options *options, const char *folder,
                                       struct words *w, size_t max_bytes)
{
    w->word[w->count] = NULL;
    return build_run_tool(options, folder, w->word, limit_ms(options), max_bytes);
}

/* What a failed compiler or linker said, and how it ended where that is not plain from its words. */
static char *messages_of(const struct check_options *options, const struct command_result *r,
                         const char *doing)
{
    char *said = text_plain(r->output, r->bytes, MAX_MESSAGES), *text = NULL;
    int length;
    if (r->late)
        length = asprintf(&text, _("%s\n%s took longer than %d s and was ended"), said, doing,
                          limit_ms(options) / 1000);
    else if (r->exit_status > 128)
        length = asprintf(&text, _("%s\n%s was ended by signal %d"), said, doing, r->exit_status - 128);
    else if (r->bytes == 0 && r->exit_status != 0)
        length = asprintf(&text, _("%s ended with status %d and said nothing"), doing, r->exit_status);
    else
        length = asprintf(&text, "%s%s", said, r->cut ? _("\n[... more]") : "");
    free(said);
    return length >= 0 ? text : NULL;
}

static bool compile(const struct lab *lab, const struct check_options *options, const char *folder,
                    const char *cc, struct build *build)
{
    struct words w = {.count = 0};
    const char *flags[] = {"-std=gnu17",
                           "-O0",
                           "-g",
                           "-Wall",
                           "-Wextra",
                           "-fsanitize=address,undefined",
                           "-fno-sanitize-recover=all",
                           "-fno-omit-frame-pointer",
                           "-pipe", /* no temporary file, whose name differs each time, in a message */
                           "-I.",
                           "-c",
                           "-o",
                           "submission.o"};
    add(&w, cc);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        add(&w, flags[i]);
    if (options->confine != NULL)
        add(&w, "-fno-diagnostics-show-caret"); /* a caret line quotes any file that a #line names */
    add(&w, lab->file);
    struct command_result r = run_words(options, folder, &w, MAX_MESSAGES);
    build->ok = r.exit_status == 0;
    build->messages = messages_of(options, &r, _("the compiler"));
    command_clear(&r);
    return build->ok;
}

static bool link_subject(const struct check_options *options, const char *folder, const char *cc,
                         struct build *build)
{
    struct words w = {.count = 0};
    const char *words[] = {
        cc,
        "-fsanitize=address,undefined",
        "-Wl,--allow-shlib-undefined", /* else every library of a library is searched as well */
        "-o",
        "subject",
        "submission.o",
        "subject.o",
        "-lsqlite3",
        "-lcjson"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add(&w, words[i]);
    char *const *word = options->compiled != NULL ? options->compiled->words : NULL;
    for (; word != NULL && *word != NULL; word++)
        add(&w, *word);
    struct command_result r = run_words(options, folder, &w, MAX_MESSAGES);
    build->ok = r.exit_status == 0;
    if (!build->ok) {
        free(build->messages);
        build->messages = messages_of(options, &r, _("the linker"));
    }
    command_clear(&r);
    return build->ok;
}

/* ---- Symbols ----------------------------------------------------------------------------------------------- */

static bool listed(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Names that a submission may not give to functions of its own: the kit's server and the libraries call them. */
static bool may_not_define(const char *name)
{
    static const char *const names[] = {
        "main",      "malloc",         "calloc",  "realloc", "free",   "read",    "write",   "open",
        "close",     "fork",           "exit",    "_exit",   "_Exit",  "abort",   "kill",    "waitpid",
        "fflush",    "fopen",          "fclose",  "fputs",   "fputc",  "printf",  "fprintf", "snprintf",
        "strcmp",    "strncmp",        "strlen",  "strnlen", "strdup", "strncpy", "strcpy",  "memcpy",
        "memset",    "memcmp",         "memmove", "strtod",  "signal", "prctl",   "setpgid", "setvbuf",
        "setrlimit", "open_memstream", NULL};
    return listed(name, names) || strncmp(name, "sqlite3_", 8) == 0 || strncmp(name, "cJSON_", 6) == 0 ||
           strncmp(name, "__asan_", 7) == 0 || strncmp(name, "__ubsan_", 8) == 0 ||
           strncmp(name, "__lsan_", 7) == 0 || strncmp(name, "__sanitizer_", 12) == 0 ||
           strncmp(name, "__interceptor_", 14) == 0;
}

/* Names whose use breaks a rule of every lab: no sleeping, no network. */
static const char *forbidden_use(const char *name)
{
    static const char *const sleeps[] = {"sleep",           "usleep",     "nanosleep",
                                         "clock_nanosleep", "thrd_sleep", "sqlite3_sleep",
                                         "pause",           "alarm",      NULL};
    static const char *const network[] = {"socket",      "connect",       "bind",   "listen",   "accept",
                                          "getaddrinfo", "gethostbyname", "sendto", "recvfrom", NULL};
    if (listed(name, sleeps))
        return _("a service does not sleep");
    return listed(name, network) ? _("a service does not use the network") : NULL;
}

/* A name that others see. False when it may not be defined. */
static bool look_at_symbol(const struct lab *lab, const char *name, bool defined, struct build *build)
{
    if (!defined) {
        const char *rule = forbidden_use(name);
        if (rule != NULL && build->finding == NULL &&
            asprintf(&build->finding, _("%s calls %s(): %s"), lab->file, name, rule) < 0)
            build->finding = NULL;
        return true;
    }
    if (!may_not_define(name))
        return true;
    free(build->messages);
    if (asprintf(&build->messages,
                 _("%s defines %s, a name that belongs to %s. Remove it, or make it static and give it "
                   "another name."),
                 lab->file, name,
                 strcmp(name, "main") == 0 ? _("the program that calls your functions")
                                           : _("the C library, SQLite, cJSON or the sanitizer")) < 0)
        build->messages = NULL;
    build->ok = false;
    return false;
}

static void look_at_symbols(const struct lab *lab, const struct check_options *options, const char *folder,
                            const char *readelf, struct build *build)
{
    struct words w = {.count = 0};
    const char *words[] = {readelf, "--symbols", "--wide", "submission.o"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add(&w, words[i]);
    struct command_result r = run_words(options, folder, &w, MAX_SYMBOLS);
    char *rest = r.output;
    for (char *line; build->ok && r.exit_status == 0 && (line = strsep(&rest, "\n")) != NULL;) {
        /* Number, value, size, type, binding, visibility, section, name. (nm says the same, and loads a linker plugin first.) */
        char binding[16], section[16], name[256];
        if (sscanf(line, "%*s %*s %*s %*s %15s %*s %15s %255s", binding, section, name) == 3 &&
            strcmp(binding, "LOCAL") != 0)
            look_at_symbol(lab, name, strcmp(section, "UND") != 0, build);
    }
    command_clear(&r);
}

/* ---- All together ------------------------------------------------------------------------------------------ */

static char *find_tool(const char *variable, const char *name, char **why)
{
    const char *chosen = variable != NULL ? getenv(variable) : NULL;
    char *path = command_find(chosen != NULL && chosen[0] != '\0' ? chosen : name);
    if (path == NULL &&
        asprintf(why, _("no program '%s' is installed here; `make deps` installs what the kit needs"),
                 chosen != NULL && chosen[0] != '\0' ? chosen : name) < 0)
        *why = NULL;
    return path;
}

bool build_object(const struct lab *lab, const struct check_options *options, const char *folder,
                  struct build *build, char **why)
{
    memset(build, 0, sizeof *build);
    char *cc = find_tool("LAB_CC", "cc", why), *readelf = cc != NULL ? find_tool(NULL, "readelf", why) : NULL;
    bool ready = readelf != NULL && copy_inputs(lab, options, folder, why);
    if (ready && compile(lab, options, folder, cc, build))
        look_at_symbols(lab, options, folder, readelf, build);
    free(cc);
    free(readelf);
    return ready;
}

/* What was compiled before stands in the folder, as if it had been compiled here. */
static bool take_object(const struct lab *lab, const struct check_options *options, const char *folder,
                        struct build *build, char **why)
{
    *build = (struct build){.ok = true};
    return copy_inputs(lab, options, folder, why) &&
           copy_file(options->compiled->object, folder, "submission.o", why);
}

bool build_subject(const struct lab *lab, const struct check_options *options, const char *folder,
                   struct build *build, char **why)
{
    bool ready = options->compiled != NULL ? take_object(lab, options, folder, build, why)
                                           : build_object(lab, options, folder, build, why);
    if (!ready || !build->ok)
        return ready;
    char *cc = find_tool("LAB_CC", "cc", why);
    if (cc != NULL)
        link_subject(options, folder, cc, build);
    ready = cc != NULL;
    free(cc);
    return ready;
}

void build_clear(struct build *build)
{
    free(build->messages);
    free(build->finding);
    memset(build, 0, sizeof *build);
}
