/*
 * check.c - see check.h for the theory of operation.
 */
#include "judge/check.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/advice.h"
#include "judge/build.h"
#include "judge/temp.h"
#include "judge/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, MAX_RECORD = 64 * 1024 * 1024 };

/* A clause that is to be run, and what came of it. */
struct planned {
    struct work work;
    cJSON *record;
    const cJSON *known; /* what the clause came to before, where that still stands; NULL: it is run */
    bool given;         /* to a worker, or not to be run */
    bool left_out;
};

struct worker_process {
    pid_t pid;
    int orders;
    int records;
    char *line;
    size_t length;
    int clause;        /* index of what it runs; -1: nothing */
    long long started; /* when that was given to it */
};

struct run {
    const struct lab *lab;
    const struct check_options *options;
    struct temp temp;
    struct build build;
    struct planned *planned;
    int count;
    long long *stage_ms; /* used so far, by stage */
    long long started;   /* when all this began */
    struct worker_process workers[MAX_JOBS];
    int jobs;
};

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

const char *kit_root(void)
{
    static char root[PATH_MAX];
    if (root[0] != '\0')
        return root;
    ssize_t length = readlink("/proc/self/exe", root, sizeof root - 1);
    for (int up = 0; length > 0 && up < 2; up++) {
        root[length] = '\0';
        char *slash = strrchr(root, '/');
        if (slash == NULL)
            return NULL;
        *slash = '\0';
        length = slash - root;
    }
    return length > 0 ? root : NULL;
}

/* ---- The temporary folder ---------------------------------------------------------------------------------- */

static bool make_folder(struct run *run, char **why)
{
    if (!temp_make(&run->temp, run->options->temp, why))
        return false;
    if (run->options->confine != NULL)
        chmod(run->temp.path, 0777); /* the submission runs as another user */
    return true;
}

/* ---- Planning ---------------------------------------------------------------------------------------------- */

static bool wanted(const struct check_options *o, const struct clause *clause)
{
    if (o->clause != NULL && strcmp(o->clause, clause->id) != 0)
        return false;
    return o->kinds == 0 || (o->kinds & (1U << clause->kind)) != 0;
}

static const cJSON *known_clause(const struct check_options *o, const char *id)
{
    const cJSON *clause;
    cJSON_ArrayForEach(clause, o->known)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(clause, "id"));
        if (name != NULL && strcmp(name, id) == 0)
            return clause;
    }
    return NULL;
}

static bool plan(struct run *run)
{
    const struct check_options *o = run->options;
    for (int s = 0; run->lab->stages[s].number != NULL; s++) {
        const struct clause *clauses = run->lab->stages[s].clauses;
        for (int c = 0; clauses[c].id != NULL; c++) {
            if (s + 1 < o->first || s + 1 > o->last || !wanted(o, &clauses[c]))
                continue;
            struct planned *more = realloc(run->planned, (size_t)(run->count + 1) * sizeof *more);
            if (more == NULL)
                return false;
            run->planned = more;
            const cJSON *known = known_clause(o, clauses[c].id);
            run->planned[run->count++] =
                (struct planned){.work = {s, c}, .known = known, .given = known != NULL};
        }
        run->stage_ms = realloc(run->stage_ms, (size_t)(s + 1) * sizeof *run->stage_ms);
        if (run->stage_ms == NULL)
            return false;
        run->stage_ms[s] = 0;
    }
    return true;
}

static const struct clause *clause_of(const struct run *run, const struct planned *p)
{
    return &run->lab->stages[p->work.stage].clauses[p->work.clause];
}

/* The smaller the sooner: the long ones first, so that no worker is left with one at the end. */
static int rank(const struct run *run, const struct planned *p)
{
    static const int by_kind[] = {[RACE] = 0, [CRAFT] = 1, [RANDOM] = 2, [NUMBERED] = 3};
    int stage = run->options->stop_at == STOP_AT_STAGE ? p->work.stage : 0;
    return stage * 4 + by_kind[clause_of(run, p)->kind];
}

/* The next clause to hand out; -1: none. */
static int next_planned(const struct run *run)
{
    int next = -1;
    for (int i = 0; i < run->count; i++)
        if (!run->planned[i].given &&
            (next < 0 || rank(run, &run->planned[i]) < rank(run, &run->planned[next])))
            next = i;
    return next;
}

/* ---- Workers ----------------------------------------------------------------------------------------------- */

static bool start_worker(struct run *run, struct worker_process *w)
{
    int orders[2], records[2];
    if (pipe2(orders, O_CLOEXEC) != 0)
        return false;
    if (pipe2(records, O_CLOEXEC) != 0) {
        close(orders[0]);
        close(orders[1]);
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* Only its own ends stay open: else another worker, or the janitor, would wait for this one to go. */
        for (int i = 0; i < run->jobs; i++)
            if (run->workers[i].pid > 0) {
                close(run->workers[i].orders);
                close(run->workers[i].records);
            }
        close(run->temp.pipe);
        close(orders[1]);
        close(records[0]);
        FILE *out = fdopen(records[1], "w");
        if (out == NULL || chdir(run->temp.path) != 0)
            _exit(1);
        worker_serve(run->lab, run->options, run->temp.path, run->build.finding, orders[0], out);
    }
    close(orders[0]);
    close(records[1]);
    *w = (struct worker_process){.pid = pid, .orders = orders[1], .records = records[0], .clause = -1};
    if (pid > 0)
        return true;
    close(orders[1]);
    close(records[0]);
    return false;
}

static int end_worker(struct worker_process *w)
{
    int how = 0;
    if (w->pid <= 0)
        return 0;
    close(w->orders);
    close(w->records);
    free(w->line);
    while (waitpid(w->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    *w = (struct worker_process){.clause = -1};
    return how;
}

static bool out_of_time(const struct run *run)
{
    return run->options->budget_ms > 0 && now_ms() >= run->started + run->options->budget_ms;
}

static cJSON *record_without_trial(const char *verdict, const char *expected, const char *observed)
{
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "verdict", verdict);
    cJSON_AddNumberToObject(record, "ms", 0);
    cJSON_AddArrayToObject(record, "steps");
    cJSON_AddArrayToObject(record, "by_hand");
    if (expected != NULL)
        cJSON_AddStringToObject(record, "expected", _(expected));
    cJSON_AddStringToObject(record, "observed", _(observed));
    return record;
}

/* A worker that ended in the middle of a clause. SIGBUS comes from a file that was cut under a reader's map: the submission's doing. */
static cJSON *record_of_death(int how)
{
    char text[128];
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGBUS)
        return record_without_trial(
            "fail", "a database that another process can read",
            "reading what the call left ended the reader (signal 7): a file was cut short under it");
    if (WIFSIGNALED(how))
        snprintf(text, sizeof text, _("the judge ended with signal %d"), WTERMSIG(how));
    else
        snprintf(text, sizeof text, _("the judge ended with status %d"), WEXITSTATUS(how));
    return record_without_trial("error", NULL, text);
}

/* The clause whose stage, or whose submission, has no time left. */
static cJSON *record_of_budget(const struct run *run)
{
    char text[96];
    if (out_of_time(run))
        snprintf(text, sizeof text, _("the %lld s of the whole submission are used up"),
                 run->options->budget_ms / 1000);
    else
        snprintf(text, sizeof text, _("the %d s of the stage are used up"), STAGE_BUDGET_MS / 1000);
    return record_without_trial("timeout", "an answer", text);
}

static void give_next(struct run *run, struct worker_process *w)
{
    int next;
    while ((next = next_planned(run)) >= 0) {
        struct planned *p = &run->planned[next];
        p->given = true;
        if (run->stage_ms[p->work.stage] >= STAGE_BUDGET_MS || out_of_time(run)) {
            p->record = record_of_budget(run);
            continue;
        }
        w->clause = next;
        w->started = now_ms();
        if (write(w->orders, &p->work, sizeof p->work) == (ssize_t)sizeof p->work)
            return;
        /* Its death is seen at the other pipe. */
        return;
    }
    w->clause = -1;
}

/* Nothing is begun any more, or no later stage; what runs of one ends, and is not in the result either. */
static void stop_at(struct run *run, const struct planned *failed)
{
    bool whole_stages = run->options->stop_at == STOP_AT_STAGE;
    for (int i = 0; i < run->count; i++) {
        struct planned *p = &run->planned[i];
        if (whole_stages ? p->work.stage > failed->work.stage : !p->given)
            p->given = p->left_out = true;
    }
}

static void finish_clause(struct run *run, struct worker_process *w, cJSON *record)
{
    struct planned *p = &run->planned[w->clause];
    run->stage_ms[p->work.stage] += now_ms() - w->started;
    p->record =
        record != NULL ? record : record_without_trial("error", NULL, _("the judge's record cannot be read"));
    w->clause = -1;
    const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(p->record, "verdict"));
    if (run->options->stop_at != STOP_NEVER && (verdict == NULL || strcmp(verdict, "pass") != 0))
        stop_at(run, p);
}

/* Reads what a worker sends. False when it is gone. */
static bool read_worker(struct run *run, struct worker_process *w)
{
    char *more = w->length < MAX_RECORD ? realloc(w->line, w->length + 65537) : NULL;
    if (more == NULL)
        return false;
    w->line = more;
    ssize_t got = read(w->records, w->line + w->length, 65536);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    w->length += (size_t)got;
    if (w->line[w->length - 1] != '\n')
        return true;
    finish_clause(run, w, cJSON_ParseWithLength(w->line, w->length));
    w->length = 0;
    give_next(run, w);
    return true;
}

/* Ends a worker and starts another in its place. It died by itself, or was `late` and is killed. */
static void replace_worker(struct run *run, struct worker_process *w, bool late)
{
    int clause = w->clause;
    long long started = w->started;
    if (late)
        kill(w->pid, SIGKILL);
    int how = end_worker(w);
    w->clause = clause;
    w->started = started;
    if (clause >= 0)
        finish_clause(run, w, late ? record_of_budget(run) : record_of_death(how));
    if (next_planned(run) < 0)
        return;
    if (start_worker(run, w))
        give_next(run, w);
}

static long long deadline_of(const struct run *run, const struct worker_process *w)
{
    long long stage = w->started + STAGE_BUDGET_MS - run->stage_ms[run->planned[w->clause].work.stage];
    long long whole = run->started + run->options->budget_ms;
    return run->options->budget_ms > 0 && whole < stage ? whole : stage;
}

/* Ends the worker whose stage has no time left; its subject goes with it. */
static void enforce_budgets(struct run *run)
{
    for (int i = 0; i < run->jobs; i++) {
        struct worker_process *w = &run->workers[i];
        if (w->pid > 0 && w->clause >= 0 && now_ms() >= deadline_of(run, w))
            replace_worker(run, w, true);
    }
}

/* Waits for a worker to say something, or for the first deadline. False when no worker has anything to do. */
static bool serve_workers(struct run *run)
{
    struct pollfd wait[MAX_JOBS];
    int place[MAX_JOBS], count = 0;
    long long first = now_ms() + STAGE_BUDGET_MS;
    for (int i = 0; i < run->jobs; i++) {
        if (run->workers[i].pid <= 0 || run->workers[i].clause < 0)
            continue;
        long long deadline = deadline_of(run, &run->workers[i]);
        first = deadline < first ? deadline : first;
        place[count] = i;
        wait[count++] = (struct pollfd){run->workers[i].records, POLLIN, 0};
    }
    if (count == 0)
        return false;
    long long left = first - now_ms();
    if (poll(wait, (nfds_t)count, left > 0 ? (int)left : 0) < 0)
        return errno == EINTR;
    for (int i = 0; i < count; i++)
        if (wait[i].revents != 0 && !read_worker(run, &run->workers[place[i]]))
            replace_worker(run, &run->workers[place[i]], false);
    enforce_budgets(run);
    return true;
}

static bool run_clauses(struct run *run, char **why)
{
    signal(SIGPIPE, SIG_IGN);
    int jobs = run->options->jobs > 0 ? run->options->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
    jobs = jobs > run->count ? run->count : jobs;
    for (int i = 0; i < jobs; i++) {
        run->jobs = i + 1;
        if (!start_worker(run, &run->workers[i])) {
            if (asprintf(why, _("no process can be started: %s"), strerror(errno)) < 0)
                *why = NULL;
            return false;
        }
        give_next(run, &run->workers[i]);
    }
    while (serve_workers(run))
        continue;
    return true;
}

/* ---- The result -------------------------------------------------------------------------------------------- */

static void add_repeat(const struct run *run, const struct clause *clause, cJSON *record)
{
    const char *shown = run->options->shown != NULL ? run->options->shown : run->options->file;
    char *file = text_shell(shown), *command = NULL, calls[32] = "";
    if (run->options->calls > 0 && clause->kind == RANDOM)
        snprintf(calls, sizeof calls, " --calls %d", run->options->calls);
    if (file != NULL &&
        asprintf(&command, "build/lab check %s%s%s--clause %s --seed %lld%s %s",
                 run->options->other_lab ? "--lab " : "", run->options->other_lab ? run->lab->name : "",
                 run->options->other_lab ? " " : "", clause->id, (long long)run->options->seed, calls,
                 file) >= 0)
        cJSON_AddStringToObject(record, "repeat", command);
    free(command);
    free(file);
}

static cJSON *clause_result(const struct run *run, struct planned *p)
{
    static const char *const kinds[] = {
        [NUMBERED] = "numbered", [CRAFT] = "craft", [RACE] = "race", [RANDOM] = "random"};
    const struct clause *clause = clause_of(run, p);
    if (run->build.ok && p->known != NULL)
        return cJSON_Duplicate(p->known, true);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "id", clause->id);
    cJSON_AddStringToObject(item, "sentence", clause->sentence);
    cJSON_AddStringToObject(item, "kind", kinds[clause->kind]);
    if (!run->build.ok) {
        cJSON_AddStringToObject(item, "verdict", "build");
        cJSON_AddNumberToObject(item, "ms", 0);
        return item;
    }
    cJSON *record =
        p->record != NULL ? p->record : record_without_trial("error", NULL, _("the clause was not run"));
    p->record = NULL;
    const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "verdict"));
    if (verdict == NULL || strcmp(verdict, "pass") != 0)
        add_repeat(run, clause, record);
    for (cJSON *member; (member = record->child) != NULL;)
        cJSON_AddItemToObject(item, member->string, cJSON_DetachItemViaPointer(record, member));
    cJSON_Delete(record);
    return item;
}

static void add_advice(const struct lab *lab, cJSON *stages)
{
    cJSON *stage;
    cJSON_ArrayForEach(stage, stages)
    {
        const struct advice *fitting = advice_for(lab, stage);
        if (fitting == NULL)
            continue;
        cJSON *advice = cJSON_AddObjectToObject(stage, "advice");
        cJSON_AddStringToObject(advice, "id", fitting->id);
        cJSON_AddStringToObject(advice, "text", fitting->text);
    }
}

static cJSON *result_of(struct run *run)
{
    cJSON *result = cJSON_CreateObject(), *stages = cJSON_CreateArray(), *clauses = NULL;
    const char *shown = run->options->shown != NULL ? run->options->shown : run->options->file;
    int stage = -1, passed = 0, planned = 0;
    char *file = text_plain(shown, strlen(shown), 4096);
    cJSON_AddStringToObject(result, "kit", KIT_VERSION);
    cJSON_AddStringToObject(result, "lab", run->lab->name);
    cJSON_AddNumberToObject(result, "seed", (double)run->options->seed);
    cJSON_AddStringToObject(result, "file", file != NULL ? file : "");
    free(file);
    cJSON *build = cJSON_AddObjectToObject(result, "build");
    cJSON_AddBoolToObject(build, "ok", run->build.ok);
    cJSON_AddStringToObject(build, "messages", run->build.messages != NULL ? run->build.messages : "");
    for (int i = 0; i < run->count; i++) {
        struct planned *p = &run->planned[i];
        if (p->left_out)
            continue;
        planned++;
        if (p->work.stage != stage) {
            cJSON *object = cJSON_CreateObject();
            stage = p->work.stage;
            cJSON_AddStringToObject(object, "stage", run->lab->stages[stage].number);
            cJSON_AddStringToObject(object, "name", run->lab->stages[stage].name);
            clauses = cJSON_AddArrayToObject(object, "clauses");
            cJSON_AddItemToArray(stages, object);
        }
        cJSON *item = clause_result(run, p);
        passed += strcmp(cJSON_GetObjectItem(item, "verdict")->valuestring, "pass") == 0;
        cJSON_AddItemToArray(clauses, item);
    }
    add_advice(run->lab, stages);
    cJSON_AddItemToObject(result, "stages", stages);
    cJSON_AddNumberToObject(result, "passed", passed);
    cJSON_AddNumberToObject(result, "planned", planned);
    return result;
}

static void clear_run(struct run *run)
{
    for (int i = 0; i < run->jobs; i++)
        end_worker(&run->workers[i]);
    temp_remove(&run->temp);
    for (int i = 0; i < run->count; i++)
        cJSON_Delete(run->planned[i].record);
    free(run->planned);
    free(run->stage_ms);
    build_clear(&run->build);
}

cJSON *check_run(const struct lab *lab, const struct check_options *options, char **why)
{
    struct run *run = calloc(1, sizeof *run);
    cJSON *result = NULL;
    *why = NULL;
    if (run == NULL)
        return NULL;
    run->lab = lab;
    run->options = options;
    run->started = now_ms();
    bool ok =
        plan(run) && make_folder(run, why) && build_subject(lab, options, run->temp.path, &run->build, why);
    if (ok && run->build.ok)
        ok = run_clauses(run, why);
    if (ok)
        result = result_of(run);
    clear_run(run);
    free(run);
    return result;
}
