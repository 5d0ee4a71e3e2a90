/*
 * run.c - see run.h.
 */
#include "variants/run.h"

#include "base/json.h"
#include "base/language.h"
#include "base/options.h"
#include "judge/check.h"
#include "judge/report_parts.h"
#include "judge/temp.h"
#include "variants/affected.h"
#include "variants/together.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 64 };

/* A process that checks one variant. */
struct job {
    pid_t pid; /* 0: this place is free */
    int from;
    int row; /* of the result */
    char *text;
    size_t length;
};

struct run {
    const struct lab *lab;
    const struct variants_options *options;
    struct temp temp;
    char *reference; /* the text */
    cJSON *reference_check;
    cJSON *rows;
    int count, started, finished;
    struct shared *shared; /* one a row, or NULL */
    struct job jobs[MAX_JOBS];
    int job_count;
};

__attribute__((format(printf, 2, 3))) static bool refuse(char **why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(why, _(format), arguments) < 0)
        *why = NULL;
    va_end(arguments);
    return false;
}

static int job_limit(const struct run *run)
{
    int jobs = run->options->jobs > 0 ? run->options->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < 1 ? 1 : jobs;
    return jobs < MAX_JOBS ? jobs : MAX_JOBS;
}

static int stage_count(const struct lab *lab)
{
    int count = 0;
    while (lab->stages[count].number != NULL)
        count++;
    return count;
}

/* A file of the kit is named from its root. */
static const char *from_root(const char *file)
{
    const char *root = kit_root();
    size_t length = root != NULL ? strlen(root) : 0;
    return length > 0 && strncmp(file, root, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* ---- The reference ------------------------------------------------------------------------------------- */

bool check_was_judged(const cJSON *result)
{
    int verdicts = 0;
    const cJSON *stage;
    const cJSON *clause;
    cJSON_ArrayForEach(stage, member_list(result, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            if (clause_has(clause, "error"))
                return false;
            verdicts++;
        }
    }
    return verdicts > 0 && verdicts == member_number(result, "planned");
}

static cJSON *check_file(const struct run *run, const char *file, const char *shown,
                         const struct compiled *compiled, const struct unaffected *unaffected, int jobs,
                         char **why)
{
    struct check_options options = {.file = file,
                                    .compiled = compiled,
                                    .known = unaffected != NULL ? unaffected->clauses : NULL,
                                    .known_calls = unaffected != NULL ? unaffected->calls : NULL,
                                    .brief = run->options->brief,
                                    .shown = shown,
                                    .seed = run->options->seed,
                                    .first = 1,
                                    .last = stage_count(run->lab),
                                    .jobs = jobs};
    return check_run(run->lab, &options, why);
}

/* Checks the reference and notes it in the result. */
static bool check_reference(struct run *run, cJSON *result, char **why)
{
    char *path = reference_path(run->lab);
    char *reason = NULL;
    if (path == NULL)
        return false;
    if (run->options->progress)
        fprintf(stderr, "\r\x1b[K%s", _("the reference first ..."));
    run->reference = read_text_file(path);
    cJSON *check =
        run->reference != NULL ? check_file(run, path, NULL, NULL, NULL, job_limit(run), &reason) : NULL;
    long long passed = member_number(check, "passed");
    long long planned = member_number(check, "planned");
    if (run->reference == NULL)
        refuse(why, "%s cannot be read: %s", path, strerror(errno));
    else if (check == NULL)
        refuse(why, "The reference could not be checked: %s.", reason != NULL ? reason : "no memory");
    else if (!check_was_judged(check) || passed != planned)
        refuse(why,
               "Nothing can be said of the variants: the reference meets %lld of %lld clauses. "
               "Look first: build/lab check --seed %lld solutions/%s/%s",
               passed, planned, (long long)run->options->seed, run->lab->name, run->lab->file);
    bool holds = check_was_judged(check) && passed == planned;
    cJSON *reference = cJSON_AddObjectToObject(result, "reference");
    cJSON_AddStringToObject(reference, "file", from_root(path));
    cJSON_AddStringToObject(reference, "source", run->reference != NULL ? run->reference : "");
    cJSON_AddNumberToObject(reference, "passed", (double)passed);
    cJSON_AddNumberToObject(reference, "planned", (double)planned);
    run->reference_check = check;
    free(reason);
    free(path);
    return holds;
}

/* ---- The rows ------------------------------------------------------------------------------------------ */

static void set_outcome(cJSON *row, const char *outcome, const char *message)
{
    cJSON_AddStringToObject(row, "outcome", outcome);
    if (message != NULL)
        cJSON_AddStringToObject(row, "message", message);
}

static void describe(cJSON *row, const struct run *run, const struct variant *v)
{
    cJSON_AddStringToObject(row, "title", v->title);
    cJSON_AddStringToObject(row, "stage", v->stage_number);
    cJSON_AddStringToObject(row, "kind", v->kind);
    cJSON_AddStringToObject(row, "looks_right_because", v->looks_right);
    cJSON_AddStringToObject(row, "ask", v->ask);
    if (v->undefined != NULL)
        cJSON_AddStringToObject(row, "undefined", v->undefined);
    cJSON_AddStringToObject(row, "diff", v->diff_text);
    cJSON_AddItemToObject(row, "fails", clause_set_json(&v->fails, run->lab));
    if (v->why_none != NULL)
        cJSON_AddStringToObject(row, "why_none", v->why_none);
}

static void add_source(cJSON *row, const struct run *run, const char *source)
{
    struct difference d = difference_of(run->reference, source);
    cJSON_AddStringToObject(row, "source", source);
    cJSON_AddNumberToObject(row, "start", d.start);
    cJSON_AddNumberToObject(row, "old_end", d.old_end);
    cJSON_AddNumberToObject(row, "new_end", d.new_end);
}

/* One row, as far as it is known before anything runs: a row with an outcome will not be run. */
static cJSON *new_row(const struct run *run, const char *file)
{
    char *why = NULL;
    char *name = variant_name_of(file);
    char *source = NULL;
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", name != NULL ? name : "");
    cJSON_AddStringToObject(row, "file", from_root(file));
    struct variant *v = variant_load(run->lab, file, &why);
    if (v != NULL) {
        describe(row, run, v);
        source = diff_apply(v->diff, run->reference, &why);
    }
    if (source != NULL)
        add_source(row, run, source);
    else
        set_outcome(row, "not applied", why != NULL ? why : "memory ran out");
    variant_free(v);
    free(source);
    free(name);
    free(why);
    return row;
}

static void add_rows(struct run *run)
{
    for (char *const *file = run->options->files; *file != NULL; file++) {
        cJSON_AddItemToArray(run->rows, new_row(run, *file));
        run->count++;
    }
}

/* ---- Jobs ---------------------------------------------------------------------------------------------- */

static void show_progress(const struct run *run)
{
    if (!run->options->progress)
        return;
    const char *now = NULL;
    for (int i = 0; i < run->job_count && now == NULL; i++)
        if (run->jobs[i].pid > 0)
            now = member_text(cJSON_GetArrayItem(run->rows, run->jobs[i].row), "name");
    fputs("\r\x1b[K", stderr);
    if (now == NULL)
        fprintf(stderr, _("%d of %d variants"), run->finished, run->count);
    else
        fprintf(stderr, _("%d of %d variants, now %.50s"), run->finished, run->count, now);
}

static void clear_progress(const struct run *run)
{
    if (run->options->progress)
        fputs("\r\x1b[K", stderr);
}

static bool write_file(const char *path, const char *text)
{
    FILE *to = fopen(path, "we");
    bool written = to != NULL && fputs(text, to) >= 0;
    return to != NULL && fclose(to) == 0 && written;
}

/* Checks the variant and sends the result, or the sentence why there is none. */
static _Noreturn void be_job(struct run *run, const cJSON *row, int number, int jobs, int to)
{
    char *path = NULL;
    char *shown = NULL;
    char *why = NULL;
    cJSON *check = NULL;
    const struct shared *shared = run->shared != NULL ? &run->shared[number] : NULL;
    const struct compiled compiled = {shared != NULL ? shared->object : NULL,
                                      shared != NULL ? shared->words : NULL};
    const char *source = member_text(row, "source");
    struct unaffected unaffected = unaffected_by(run->reference_check, run->reference, source);
    if (asprintf(&path, "%s/%d.c", run->temp.path, number) >= 0 && write_file(path, source) &&
        asprintf(&shown, "work/%s.c", member_text(row, "name")) >= 0)
        check =
            check_file(run, path, shown, compiled.words != NULL ? &compiled : NULL, &unaffected, jobs, &why);
    unaffected_clear(&unaffected);
    char *text = check != NULL ? json_text(check, NULL) : NULL;
    FILE *out = fdopen(to, "w");
    if (out == NULL)
        _exit(1);
    fputs(text != NULL ? text : why != NULL ? why : _("the variant could not be written"), out);
    fclose(out);
    _exit(0);
}

/* The descriptors of other jobs stay with the parent. */
static void close_others(const struct run *run)
{
    for (int i = 0; i < run->job_count; i++)
        if (run->jobs[i].pid > 0)
            close(run->jobs[i].from);
}

static bool start_job(struct run *run, struct job *job, int number)
{
    int ends[2];
    int to_run = run->count < run->job_count ? run->count : run->job_count;
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(ends[0]);
        close_others(run);
        be_job(run, cJSON_GetArrayItem(run->rows, number), number, run->job_count / to_run, ends[1]);
    }
    close(ends[1]);
    *job = (struct job){.pid = pid > 0 ? pid : 0, .from = ends[0], .row = number};
    if (pid < 0)
        close(ends[0]);
    return pid > 0;
}

/* Gives a free place the next variant that can be run. False when no process can be started. */
static bool start_next(struct run *run, struct job *job, char **why)
{
    while (run->started < run->count) {
        int number = run->started++;
        if (cJSON_HasObjectItem(cJSON_GetArrayItem(run->rows, number), "outcome")) {
            run->finished++;
            continue;
        }
        return start_job(run, job, number) || refuse(why, "No process can be started: %s.", strerror(errno));
    }
    return true;
}

static void finish_job(struct run *run, struct job *job)
{
    int how = 0;
    cJSON *row = cJSON_GetArrayItem(run->rows, job->row);
    while (waitpid(job->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    cJSON *check =
        job->length > 0 && job->text[0] == '{' ? cJSON_ParseWithLength(job->text, job->length) : NULL;
    if (check != NULL) {
        cJSON_AddItemToObject(row, "check", check);
    } else {
        char *said = text_plain(job->text != NULL ? job->text : "", job->length, 400);
        set_outcome(row, "not judged",
                    said != NULL && said[0] != '\0' ? said : "its judge ended without a word");
        free(said);
    }
    close(job->from);
    free(job->text);
    *job = (struct job){0};
    run->finished++;
}

/* Reads what a job sends. False when that was all. */
static bool read_job(struct job *job)
{
    enum { PIECE = 65536 };
    char *more = realloc(job->text, job->length + PIECE);
    if (more == NULL)
        return false;
    job->text = more;
    ssize_t got = read(job->from, job->text + job->length, PIECE);
    if (got > 0)
        job->length += (size_t)got;
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Waits for one of the jobs. False when none is running. */
static bool serve_jobs(struct run *run, char **why, bool *failed)
{
    struct pollfd wait[MAX_JOBS];
    int running = 0;
    for (int i = 0; i < run->job_count; i++) {
        wait[i] = (struct pollfd){run->jobs[i].pid > 0 ? run->jobs[i].from : -1, POLLIN, 0};
        running += run->jobs[i].pid > 0;
    }
    if (running == 0)
        return false;
    if (poll(wait, (nfds_t)run->job_count, -1) < 0)
        return errno == EINTR;
    for (int i = 0; i < run->job_count; i++) {
        if (wait[i].revents == 0 || read_job(&run->jobs[i]))
            continue;
        finish_job(run, &run->jobs[i]);
        *failed |= !start_next(run, &run->jobs[i], why);
        show_progress(run);
    }
    return true;
}

static bool run_jobs(struct run *run, char **why)
{
    bool failed = false;
    run->job_count = job_limit(run);
    for (int i = 0; i < run->job_count; i++)
        failed |= !start_next(run, &run->jobs[i], why);
    show_progress(run);
    while (serve_jobs(run, why, &failed))
        continue;
    return !failed;
}

/* ---- What came of it ----------------------------------------------------------------------------------- */

/* The clauses of a check that did not pass, and how many of them have the verdict. */
static struct clause_set failed_clauses(const struct lab *lab, const cJSON *check, const char *verdict,
                                        int *with_verdict)
{
    struct clause_set failed = {0};
    const cJSON *stage;
    const cJSON *clause;
    *with_verdict = 0;
    cJSON_ArrayForEach(stage, member_list(check, "stages"))
    {
        cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
        {
            int place = clause_place(lab, member_text(clause, "id"));
            if (place < 0 || clause_has(clause, "pass"))
                continue;
            failed.has[place] = true;
            *with_verdict += clause_has(clause, verdict);
        }
    }
    return failed;
}

static const char *outcome_of(const struct lab *lab, const cJSON *check, const struct clause_set *failed)
{
    int crashed;
    int late;
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(check, "build");
    int size = clause_set_size(failed);
    failed_clauses(lab, check, "crash", &crashed);
    failed_clauses(lab, check, "timeout", &late);
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(build, "ok")))
        return "does not build";
    if (member_number(check, "planned") == 0)
        return "no clause ran";
    if (!check_was_judged(check))
        return "not judged";
    if (size == 0)
        return "not caught";
    return crashed == size ? "crashed" : late == size ? "timed out" : "caught";
}

/* What a person needs to know besides the outcome; NULL: nothing. */
static const char *message_of(const cJSON *check, const char *outcome)
{
    if (strcmp(outcome, "does not build") == 0)
        return member_text(cJSON_GetObjectItemCaseSensitive(check, "build"), "messages");
    return strcmp(outcome, "not judged") == 0 ? _("the kit could not judge every clause") : NULL;
}

/* Those of a set that look for a mistake by chance. */
static struct clause_set random_runs(const struct lab *lab, const struct clause_set *set)
{
    struct clause_set random = {0};
    int count = clause_count(lab);
    for (int place = 0; place < count; place++)
        random.has[place] = set->has[place] && clause_at(lab, place, NULL)->kind == RANDOM;
    return random;
}

/* Compares what failed with what the variant says. Gives whether they are the same. */
static bool conclude(const struct run *run, cJSON *row)
{
    const cJSON *check = cJSON_GetObjectItemCaseSensitive(row, "check");
    struct clause_set says = clause_set_from_json(member_list(row, "fails"), run->lab);
    struct clause_set failed = {0};
    int ignored;
    bool judged = false;
    if (check != NULL) {
        failed = failed_clauses(run->lab, check, "fail", &ignored);
        const char *outcome = outcome_of(run->lab, check, &failed);
        judged = strcmp(outcome, "does not build") != 0 && strcmp(outcome, "no clause ran") != 0 &&
                 strcmp(outcome, "not judged") != 0;
        set_outcome(row, outcome, message_of(check, outcome));
    }
    if (!judged)
        failed = (struct clause_set){0};
    struct clause_set missed = clause_set_minus(&says, &failed);
    struct clause_set besides = clause_set_minus(&failed, &says);
    struct clause_set luck = random_runs(run->lab, &besides);
    besides = clause_set_minus(&besides, &luck);
    missed = judged ? missed : (struct clause_set){0};
    bool same = judged && clause_set_size(&missed) == 0 && clause_set_size(&besides) == 0;
    cJSON_AddItemToObject(row, "caught_by", clause_set_json(&failed, run->lab));
    cJSON_AddItemToObject(row, "missed_by", clause_set_json(&missed, run->lab));
    cJSON_AddItemToObject(row, "caught_besides", clause_set_json(&besides, run->lab));
    cJSON_AddItemToObject(row, "caught_by_luck", clause_set_json(&luck, run->lab));
    cJSON_AddBoolToObject(row, "as_it_says", same);
    return same;
}

static void conclude_all(struct run *run, cJSON *result)
{
    int same = 0;
    cJSON *row;
    cJSON_ArrayForEach(row, run->rows)
    {
        same += conclude(run, row);
    }
    cJSON_AddNumberToObject(result, "as_they_say", same);
    cJSON_AddNumberToObject(result, "planned", run->count);
}

cJSON *variants_run(const struct lab *lab, const struct variants_options *options, char **why)
{
    struct run run = {.lab = lab, .options = options};
    cJSON *result = cJSON_CreateObject();
    *why = NULL;
    cJSON_AddStringToObject(result, "kit", KIT_VERSION);
    cJSON_AddStringToObject(result, "lab", lab->name);
    cJSON_AddNumberToObject(result, "seed", (double)options->seed);
    bool ok = check_reference(&run, result, why);
    run.rows = cJSON_AddArrayToObject(result, "variants");
    if (ok) {
        add_rows(&run);
        ok = temp_make(&run.temp, NULL, why);
    }
    if (ok) {
        run.shared = compile_together(lab, run.reference, run.rows, run.temp.path, job_limit(&run));
        ok = run_jobs(&run, why);
    }
    if (ok)
        conclude_all(&run, result);
    clear_progress(&run);
    temp_remove(&run.temp);
    shared_free(run.shared, run.count);
    free(run.reference);
    cJSON_Delete(run.reference_check);
    if (ok)
        return result;
    cJSON_Delete(result);
    return NULL;
}

int variants_exit_status(const cJSON *result)
{
    const cJSON *row;
    const cJSON *rows = member_list(result, "variants");
    bool same = cJSON_GetArraySize(rows) > 0;
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(member_text(row, "outcome"), "not judged") == 0)
            return EXIT_KIT;
        same &= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "as_it_says"));
    }
    return same ? EXIT_HOLDS : EXIT_FALLS_SHORT;
}
