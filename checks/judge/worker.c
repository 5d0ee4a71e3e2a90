/*
 * worker.c - see worker.h. One subject at a time; a subject that was spoilt is replaced before the next clause.
 */
#include "judge/worker.h"

#include "base/json.h"
#include "judge/trial_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A subject that does not come as far as its first call is started this often; then it is taken at its word. */
enum { MAX_LOST_STARTS = 3 };

struct worker {
    const struct lab *lab;
    const struct check_options *options;
    const char *folder;
    const char *finding;
    struct subject *subject;
    struct places *places;
    int lost_starts;        /* subjects in a row that were of no use before the first call */
    enum verdict last_lost; /* and how the last of them ended */
};

static const char *verdict_name(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_PASS:
        return "pass";
    case VERDICT_FAIL:
        return "fail";
    case VERDICT_TODO:
        return "todo";
    case VERDICT_CRASH:
        return "crash";
    case VERDICT_TIMEOUT:
        return "timeout";
    case VERDICT_ERROR:
        return "error";
    }
    return "error";
}

static struct subject *start_subject(const struct worker *w)
{
    static char plain[] = "./subject";
    char *command[] = {plain, NULL};
    if (w->options->confine == NULL)
        return subject_start(command, w->lab->file, w->places);
    char **confined = w->options->confine(w->options->sandbox, w->folder, false, command);
    struct subject *s = confined != NULL ? subject_start(confined, w->lab->file, w->places) : NULL;
    for (char **word = confined; word != NULL && *word != NULL; word++)
        free(*word);
    free(confined);
    return s;
}

/* By hand, too, there must be a table before there are rows. */
static void add_table_by_hand(struct trial *t)
{
    char *schema = text_shell(t->lab->schema), *command = NULL;
    if (t->stage->prepared && t->by_hand->child != NULL && schema != NULL &&
        asprintf(&command, "sqlite3 DB %s", schema) >= 0)
        cJSON_InsertItemInArray(t->by_hand, 0, cJSON_CreateString(command));
    free(schema);
    free(command);
}

/* The record of a trial that is over; its lists move into it. */
static cJSON *record_of(struct trial *t, double ms)
{
    cJSON *record = cJSON_CreateObject();
    char *printed = t->subject != NULL && !t->interrupted ? subject_printed(t->subject) : NULL;
    cJSON_AddStringToObject(record, "verdict", verdict_name(t->verdict));
    cJSON_AddNumberToObject(record, "ms", (double)(long long)(ms * 10.0) / 10.0);
    if (t->refusals_ms > 0)
        cJSON_AddNumberToObject(record, "refusals_ms", (double)(long long)(t->refusals_ms * 10.0) / 10.0);
    if (t->verdict != VERDICT_PASS && t->verdict != VERDICT_TODO) {
        cJSON_AddItemToObject(record, "steps", t->steps);
        add_table_by_hand(t);
        cJSON_AddItemToObject(record, "by_hand", t->by_hand);
        t->steps = t->by_hand = NULL;
        if (t->expected != NULL)
            cJSON_AddStringToObject(record, "expected", t->expected);
        if (t->observed != NULL)
            cJSON_AddStringToObject(record, "observed", t->observed);
    }
    cJSON_AddItemToObject(record, "calls", t->names);
    t->names = NULL;
    if (printed != NULL && printed[0] != '\0')
        cJSON_AddStringToObject(record, "printed", printed);
    free(printed);
    return record;
}

static cJSON *run_clause(struct worker *w, const struct work *work)
{
    struct trial t = {.lab = w->lab, .stage = &w->lab->stages[work->stage], .finding = w->finding};
    double start = trial_now_ms();
    t.clause = &t.stage->clauses[work->clause];
    t.rng = rng_new((uint64_t)w->options->seed, t.clause->id);
    t.calls = w->options->calls;
    t.brief = w->options->brief;
    t.known_calls = w->options->known_calls;
    t.confined = w->options->confine != NULL;
    t.steps = cJSON_CreateArray();
    t.by_hand = cJSON_CreateArray();
    t.names = cJSON_CreateArray();
    if (w->lost_starts >= MAX_LOST_STARTS)
        trial_never_starts(&t, w->last_lost);
    else if (w->subject == NULL)
        w->subject = start_subject(w);
    t.subject = w->subject;
    if (t.subject == NULL && !trial_over(&t))
        trial_error(&t, "the subject cannot be started: %s", strerror(errno));
    if (!trial_over(&t)) {
        trial_begin(&t);
        if (!trial_over(&t))
            t.clause->run(&t);
        trial_finish(&t);
    }
    cJSON *record = record_of(&t, trial_now_ms() - start);
    if (t.forked) {
        w->lost_starts = 0;
    } else if (t.spoiled) {
        w->lost_starts++;
        w->last_lost = t.verdict;
    }
    if (t.spoiled) {
        subject_stop(w->subject);
        w->subject = NULL;
    }
    trial_free(&t);
    return record;
}

_Noreturn void worker_serve(const struct lab *lab, const struct check_options *options, const char *folder,
                            const char *finding, int orders, FILE *records)
{
    struct worker w = {.lab = lab,
                       .options = options,
                       .folder = folder,
                       .finding = finding,
                       .places = places_new(options, folder)};
    struct work work;
    ssize_t got;
    while ((got = read(orders, &work, sizeof work)) == (ssize_t)sizeof work || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        cJSON *record = run_clause(&w, &work);
        char *text = json_text(record, NULL);
        fprintf(records, "%s\n", text != NULL ? text : "{\"verdict\":\"error\"}");
        free(text);
        cJSON_Delete(record);
        if (fflush(records) != 0)
            break;
    }
    subject_stop(w.subject);
    places_free(w.places);
    _exit(0);
}
