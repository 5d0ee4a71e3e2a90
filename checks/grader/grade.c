/*
 * grade.c - `lab grade`, from the command line to the exit status.
 *
 * Theory of operation.
 *
 *   1. The command line, the class, the rubric and the sandbox are looked at. Nothing is written before all
 *      of them are usable.
 *   2. The gradebook takes a run up or begins one. The preflight grades the reference, which must earn
 *      everything, and the starter, which must earn nothing, exactly as submissions are graded. If either
 *      differs, this machine would give wrong marks, and none is given.
 *   3. Submissions are judged, `jobs` at a time, each by processes of its own (attempt.h), and booked as
 *      soon as they are done. An outcome with an error or a timeout is not booked: it may be owed to the
 *      company it was in. Those are judged once more at the end, one at a time, and what comes then counts.
 *   4. All reports are written anew from the gradebook (export.h).
 *
 * A grading that was killed is taken up by the same command: what was booked is skipped as long as its file
 * is the same, and the rest is judged with the seed of the run. Everybody has the same inputs, so the order
 * and the number of jobs change no mark.
 */
#include "grader/grade.h"

#include "base/language.h"
#include "grader/attempt.h"
#include "grader/export.h"
#include "grader/gradebook.h"
#include "grader/progress.h"
#include "labs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* BUDGET_MAX_S: below the time after which the supervisor ends a judge that does not end (attempt.h). */
enum { JOBS_MAX = 64, LOCK_WAIT_MS = 10000, BUDGET_MAX_S = 300 };

struct grader {
    const struct lab *lab;
    const char *class, *out, *rubric_path;
    struct words regrade;
    int jobs;
    int64_t seed; /* -1: not given */
    bool unsandboxed;

    char *out_path; /* absolute */
    struct class_list list;
    struct rubric rubric;
    struct grading grading;
    struct gradebook book;
};

/* ---- The command line ---------------------------------------------------------------------------------- */

static bool take_class(void *request, const char *value)
{
    struct grader *g = request;

    if (g->class != NULL)
        return usage_error("There is one folder to grade; `%s` is a second one.", value) < 0;
    g->class = value;
    return true;
}

static bool take_out(void *request, const char *value)
{
    ((struct grader *)request)->out = value;
    return true;
}

static bool take_jobs(void *request, const char *value)
{
    int64_t jobs = 0;
    const bool ok = option_number("jobs", value, 1, JOBS_MAX, &jobs);

    ((struct grader *)request)->jobs = (int)jobs;
    return ok;
}

static bool take_seed(void *request, const char *value)
{
    return option_number("seed", value, 0, SEED_MAX, &((struct grader *)request)->seed);
}

static bool take_rubric(void *request, const char *value)
{
    ((struct grader *)request)->rubric_path = value;
    return true;
}

static bool take_regrade(void *request, const char *value)
{
    words_add(&((struct grader *)request)->regrade, value);
    return true;
}

static bool take_budget(void *request, const char *value)
{
    int64_t seconds = 0;
    const bool ok = option_number("budget", value, 1, BUDGET_MAX_S, &seconds);

    ((struct grader *)request)->grading.budget_ms = seconds * 1000;
    return ok;
}

static bool take_lab(void *request, const char *value)
{
    const char *names[MAX_LABS + 1] = {0};

    for (int i = 0; i < MAX_LABS && known_labs[i] != NULL; i++)
        names[i] = known_labs[i]->name;
    const int index = option_choice("lab", value, names);
    if (index >= 0)
        ((struct grader *)request)->lab = known_labs[index];
    return index >= 0;
}

static bool take_no_sandbox(void *request, const char *value)
{
    ((struct grader *)request)->unsandboxed = value == NULL;
    return true;
}

/* ---- What is needed ------------------------------------------------------------------------------------ */

/* The folder for the reports, made if it is not there, and as an absolute path. */
static void open_out(struct grader *g)
{
    if (mkdir(g->out, 0777) != 0 && errno != EEXIST)
        die(EXIT_USAGE, _("lab grade: the folder %s cannot be made: %s."), g->out, strerror(errno));
    g->out_path = realpath(g->out, NULL);
    const int fd = open(g->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->out_path == NULL || fd < 0)
        die(EXIT_USAGE, _("lab grade: %s cannot be used as a folder: %s."), g->out, strerror(errno));
    g->grading.lock_fd = fd;
}

/*
 * One grader a folder. Who was killed just now leaves processes that need a moment to go, and may hold the
 * lock until then.
 */
static void lock_out(const struct grader *g)
{
    const int64_t end_ms = now_ms() + LOCK_WAIT_MS;

    while (flock(g->grading.lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (now_ms() > end_ms)
            die(EXIT_KIT, _("lab grade: another grading into %s is under way."), g->out);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
}

static bool is_listed(const struct class_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entrant[i].name, name) == 0)
            return true;
    return false;
}

static void open_class(struct grader *g)
{
    struct stat out;

    g->grading.class_fd = open(g->class, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->grading.class_fd < 0 || fstat(g->grading.lock_fd, &out) != 0 ||
        !class_list(g->grading.class_fd, &out, &g->list))
        die(EXIT_USAGE, _("lab grade: the folder %s cannot be read: %s."), g->class, strerror(errno));
    if (g->list.count == 0)
        die(EXIT_USAGE, _("lab grade: there are no submissions in %s."), g->class);
    for (size_t i = 0; i < g->regrade.count; i++)
        if (!is_listed(&g->list, g->regrade.word[i]))
            die(EXIT_USAGE, _("lab grade: there is no submission called %s in %s."), g->regrade.word[i],
                g->class);
}

static void open_rubric(struct grader *g)
{
    char *path = g->rubric_path != NULL
                     ? need(strdup(g->rubric_path))
                     : text_format("%s/checks/%s/rubric.tsv", g->grading.kit, g->lab->name);
    char *why = NULL;

    if (!rubric_read(path, g->lab, &g->rubric, &why))
        die(g->rubric_path != NULL ? EXIT_USAGE : EXIT_KIT, "lab grade: %s", why);
    free(path);
}

static void open_sandbox(struct grader *g)
{
    char *class = realpath(g->class, NULL);
    const char *const hidden[] = {g->grading.kit, g->out_path, class, NULL};
    char *why = NULL;

    if (!sandbox_find(&g->grading.sandbox, g->grading.kit, hidden, g->unsandboxed, &why))
        die(EXIT_KIT, "lab grade: %s", why);
    free(class);
}

static void open_all(struct grader *g)
{
    g->grading.kit = kit_root();
    if (g->grading.kit == NULL)
        die(EXIT_KIT, _("lab grade: the folder of the kit cannot be found."));
    g->grading.lab = g->lab;
    if (g->jobs == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        g->jobs = processors < 1 ? 1 : processors > JOBS_MAX ? JOBS_MAX : (int)processors;
    }
    open_rubric(g);
    open_out(g);
    open_class(g);
    open_sandbox(g);
    lock_out(g);
}

/* ---- Attempts side by side ----------------------------------------------------------------------------- */

/* One place of a grading in which submissions are judged one after another. */
struct slot {
    struct attempt attempt;
    const struct entrant *entrant; /* NULL in the preflight */
    size_t index;                  /* in what is to be done */
    bool busy;
};

/* Waits until an attempt in one of the slots has ended; gives that slot. One must be busy. */
static struct slot *wait_for_one(struct slot *slots, int count)
{
    for (;;) {
        struct pollfd ready[JOBS_MAX];
        for (int i = 0; i < count; i++)
            ready[i] = (struct pollfd){.fd = slots[i].busy ? slots[i].attempt.from : -1, .events = POLLIN};
        if (poll(ready, (nfds_t)count, -1) < 0 && errno != EINTR)
            die(EXIT_KIT, "lab grade: %s", strerror(errno));
        for (int i = 0; i < count; i++)
            if (ready[i].revents != 0 && !attempt_read(&slots[i].attempt))
                return &slots[i];
    }
}

/* ---- The preflight ------------------------------------------------------------------------------------- */

static double number(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static const char *text(const cJSON *object, const char *name)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

    return value != NULL ? value : "";
}

/* An error or a timeout may come from the company a submission was in. */
static bool is_doubtful(const cJSON *outcome)
{
    return strcmp(text(outcome, "status"), "error") == 0 || outcome_has(outcome, "timeout");
}

/* Prints the clauses of the reference that do not hold: what this machine does differently. */
static void print_broken(const cJSON *result)
{
    const cJSON *stage, *clause;
    int left = 5;

    cJSON_ArrayForEach(stage, cJSON_GetObjectItemCaseSensitive(result, "stages")) cJSON_ArrayForEach(
        clause, cJSON_GetObjectItemCaseSensitive(
                    stage, "clauses")) if (strcmp(text(clause, "verdict"), "pass") != 0 && left-- > 0)
        fprintf(stderr, _("  %s %s: expected %s; observed %s\n"), text(clause, "id"), text(clause, "verdict"),
                text(clause, "expected"), text(clause, "observed"));
}

/* Ends the process unless the outcome is what it must be: everything earned, or nothing. */
static void assert_preflight(const cJSON *outcome, bool everything)
{
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(outcome, "result");
    const double passed = number(result, "passed"), planned = number(result, "planned");
    const bool graded = strcmp(text(outcome, "status"), "graded") == 0;

    if (graded && passed == (everything ? planned : 0))
        return;
    fprintf(
        stderr,
        everything
            ? _("lab grade: nothing is graded: on this machine the reference does not earn full marks. %s\n")
            : _("lab grade: nothing is graded: on this machine the starter does not earn nothing. %s\n"),
        text(outcome, "reason"));
    print_broken(result);
    exit(EXIT_KIT);
}

/* As submissions are: once more alone, and what comes then counts. */
static void preflight_alone(const struct grader *g, const char *path, bool everything)
{
    struct slot slot = {.busy = true};

    attempt_start(&slot.attempt, &g->grading, NULL, path, NULL);
    wait_for_one(&slot, 1);
    cJSON *outcome = attempt_end(&slot.attempt);
    assert_preflight(outcome, everything);
    cJSON_Delete(outcome);
}

static void preflight(const struct grader *g)
{
    char *paths[] = {text_format("%s/solutions/%s/%s", g->grading.kit, g->lab->name, g->lab->file),
                     text_format("%s/fixtures/%s/%s", g->grading.kit, g->lab->name, g->lab->file)};
    struct slot slots[2] = {{.busy = false}};
    bool again[2] = {false, false};

    for (int next = 0, done = 0; done < 2;) {
        if (next < 2 && (g->jobs > 1 || next == done)) {
            attempt_start(&slots[next].attempt, &g->grading, NULL, paths[next], NULL);
            slots[next++].busy = true;
            continue;
        }
        struct slot *slot = wait_for_one(slots, 2);
        cJSON *outcome = attempt_end(&slot->attempt);
        slot->busy = false;
        again[slot - slots] = is_doubtful(outcome);
        if (!is_doubtful(outcome))
            assert_preflight(outcome, slot == &slots[0]);
        cJSON_Delete(outcome);
        done++;
    }
    for (int i = 0; i < 2; i++)
        if (again[i])
            preflight_alone(g, paths[i], i == 0);
    free(paths[0]);
    free(paths[1]);
}

/* ---- The class ----------------------------------------------------------------------------------------- */

/* What is still to be judged: places in the list of the class. */
struct queue {
    size_t *index, count, next;
};

static void queue_add(struct queue *queue, size_t index)
{
    queue->index = need(reallocarray(queue->index, queue->count + 1, sizeof queue->index[0]));
    queue->index[queue->count++] = index;
}

static bool is_regraded(const struct grader *g, const char *name)
{
    for (size_t i = 0; i < g->regrade.count; i++)
        if (strcmp(g->regrade.word[i], name) == 0)
            return true;
    return false;
}

static void start_next(struct grader *g, struct queue *queue, struct slot *slot)
{
    slot->index = queue->index[queue->next++];
    slot->entrant = &g->list.entrant[slot->index];
    char *known = g->regrade.count > 0 ? NULL : gradebook_known(&g->book, slot->entrant->name);
    attempt_start(&slot->attempt, &g->grading, slot->entrant, NULL, known);
    slot->busy = true;
    free(known);
}

/* Books what came, but for an error where there is a better record. */
static void book(const struct grader *g, const char *name, const cJSON *outcome)
{
    if (strcmp(text(outcome, "status"), "error") == 0) {
        fprintf(stderr, _("lab grade: %s could not be judged: %s\n"), name, text(outcome, "reason"));
        if (g->regrade.count > 0 && gradebook_status(&g->book, name)[0] != '\0') {
            fprintf(stderr, _("lab grade: the record of %s stays as it was.\n"), name);
            return;
        }
    }
    gradebook_book(&g->book, name, outcome);
}

static bool is_failing(const cJSON *outcome)
{
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(outcome, "result");

    return strcmp(text(outcome, "status"), "unchanged") != 0 &&
           !(number(result, "passed") == number(result, "planned"));
}

/*
 * Judges the queue, `jobs` at a time. What is doubtful goes to `again`; when that is NULL, everything
 * counts. Gives how many ended in an error.
 */
static int judge_queue(struct grader *g, struct queue *queue, int jobs, struct queue *again,
                       struct progress *progress)
{
    struct slot slots[JOBS_MAX] = {{.busy = false}};
    int busy = 0, errors = 0;

    for (;;) {
        for (int i = 0; i < jobs && queue->next < queue->count; i++)
            if (!slots[i].busy) {
                start_next(g, queue, &slots[i]);
                busy++;
            }
        if (busy == 0)
            return errors;
        struct slot *slot = wait_for_one(slots, jobs);
        cJSON *outcome = attempt_end(&slot->attempt);
        slot->busy = false;
        busy--;
        if (again != NULL && is_doubtful(outcome)) {
            queue_add(again, slot->index);
        } else {
            book(g, slot->entrant->name, outcome);
            errors += strcmp(text(outcome, "status"), "error") == 0;
            progress_step(progress, is_failing(outcome));
        }
        cJSON_Delete(outcome);
    }
}

static int judge_class(struct grader *g)
{
    struct queue all = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct progress progress;

    for (size_t i = 0; i < g->list.count; i++)
        if (g->regrade.count == 0 || is_regraded(g, g->list.entrant[i].name))
            queue_add(&all, i);
    progress_begin(&progress, all.count);
    int errors = judge_queue(g, &all, g->jobs, &again, &progress);
    errors += judge_queue(g, &again, 1, NULL, &progress);
    progress_end(&progress);
    free(all.index);
    free(again.index);
    return errors;
}

/* ---- The end ------------------------------------------------------------------------------------------- */

static void print_summary(const struct grader *g)
{
    sqlite3 *db = gradebook_open(&g->book);
    sqlite3_stmt *row = gradebook_query(
        db, &g->book, NULL,
        "SELECT count(*) FILTER (WHERE status = 'graded'), count(*) FILTER (WHERE status = 'refused'), "
        "count(*) FILTER (WHERE status = 'error'), round(avg(points) FILTER (WHERE status = 'graded'), 1), "
        "(SELECT sum(points) FROM rubric WHERE run = ?1) FROM submissions WHERE run = ?1");

    if (gradebook_row(row)) {
        printf(_("%d graded, %d refused, %d not judged%s\n"), sqlite3_column_int(row, 0),
               sqlite3_column_int(row, 1), sqlite3_column_int(row, 2),
               g->unsandboxed ? _(" (unsandboxed)") : "");
        if (sqlite3_column_type(row, 3) != SQLITE_NULL)
            printf(_("mean of the graded: %g of %g points\n"), sqlite3_column_double(row, 3),
                   sqlite3_column_double(row, 4));
    }
    sqlite3_finalize(row);
    sqlite3_close(db);
    printf(_("grades    %s/grades.csv\nclass     %s/index.html\nfeedback  %s/feedback/\n"), g->out, g->out,
           g->out);
}

static void clear(struct grader *g)
{
    class_clear(&g->list);
    rubric_clear(&g->rubric);
    words_clear(&g->regrade);
    sandbox_clear(&g->grading.sandbox);
    close(g->grading.class_fd);
    close(g->grading.lock_fd);
    free(g->out_path);
}

/* -1: all is there; else the exit status, since all has been said. */
static int read_request(struct grader *g, const struct command *command, int argc, char **argv)
{
    const int status = options_read(command, argc, argv, g);

    if (status >= 0)
        return status;
    if (g->class == NULL)
        return usage_error("`lab grade` needs the folder with the submissions.");
    if (g->out == NULL)
        return usage_error("`lab grade` needs --out DIR, the folder that gradebook and reports go to.");
    return -1;
}

static int grade(const struct command *command, int argc, char **argv)
{
    struct grader g = {.lab = known_labs[0], .seed = -1, .grading = {.budget_ms = ATTEMPT_BUDGET_MS}};
    const int status = read_request(&g, command, argc, argv);

    if (status >= 0)
        return status;
    open_all(&g);
    char *path = text_format("%s/gradebook.sqlite", g.out_path);
    gradebook_begin(&g.book, path, g.lab, g.seed, !g.unsandboxed, &g.rubric);
    g.grading.seed = g.book.seed;
    printf(_("%zu submissions, %g points in %d stages%s\n"), g.list.count, rubric_sum(&g.rubric),
           g.rubric.count, g.book.resumed ? _("; going on") : "");
    fflush(stdout);
    preflight(&g);
    const int errors = judge_class(&g);
    export_all(&g.book, g.out_path);
    print_summary(&g);
    free(path);
    clear(&g);
    return errors > 0 ? EXIT_KIT : EXIT_HOLDS;
}

static const struct command_option grade_options[] = {
    {"out", "DIR", N_("where gradebook, grades, feedback and pages go; given again, it goes on or adds"),
     take_out},
    {"jobs", "N", N_("submissions judged at the same time, 1 to 64; as many as processors"), take_jobs},
    {"seed", "N", N_("the inputs; without it a secret seed, kept in the gradebook"), take_seed},
    {"rubric", "FILE", N_("points a stage; without it the lab's own"), take_rubric},
    {"regrade", "NAME", N_("judge this submission again, and only those named so"), take_regrade},
    {"budget", "SECONDS", N_("the time a submission may take in all, 1 to 300; 120"), take_budget},
    {"lab", "NAME", N_("the lab to grade; the first one without it"), take_lab},
    {"no-sandbox", NULL, N_("run submissions with the rights of your user; every report says so"),
     take_no_sandbox},
    {0},
};

const struct command grade_command = {
    "grade",       "CLASS",    N_("Grades a folder of submissions that nobody trusts."),
    grade_options, take_class, grade,
};
