/*
 * refusals.c - every operation beneath a call fails once (see trial_refusals() in trial.h).
 *
 * The call is made once with nothing failing, which says how many operations of each kind there are. Then, for each
 * kind and each way it can fail, with the first one failing, with the second, up to the last. In the end once more
 * with nothing failing. Those two are the contrast: they must do what the model says.
 *
 * A call made of steps, each of which was refused in every way where it was a call of its own, is refused each operation
 * in one way: the ways of a kind take turns.
 */
#include "judge/trial_internal.h"

#include "base/language.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No call of a lab needs more operations of one kind than this; a service that does is asked no further. */
enum { MAX_NTH = 200, MAX_KINDS = 16 };

static const struct fault {
    const char *kind;
    int code;
    const char *words;
} faults[] = {
    {"open", SQLITE_CANTOPEN, N_("open of a file refused")},
    {"read", SQLITE_IOERR_READ, N_("read fails")},
    {"write", SQLITE_IOERR_WRITE, N_("write fails")},
    {"write", SQLITE_FULL, N_("write finds the disk full")},
    {"sync", SQLITE_IOERR_FSYNC, N_("sync fails")},
    {"lock", SQLITE_BUSY, N_("lock refused as busy")},
    {"lock", SQLITE_IOERR_LOCK, N_("lock fails")},
    {"delete", SQLITE_IOERR_DELETE, N_("delete of a file fails")},
    {"cjson", 1, N_("allocation by cJSON refused")},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The call, and what may come of it. */
struct refusal {
    const cJSON *call;
    struct answer wanted;
    void *before, *after;
    bool in_steps;
    bool fresh; /* the call creates the database; it starts without one each time */
    /* The most operations that a call was seen to make, by the kinds of the subject. */
    struct {
        char kind[16];
        int most;
    } seen[MAX_KINDS];
};

static int most_seen(const struct refusal *r, const char *kind)
{
    for (int i = 0; i < MAX_KINDS; i++)
        if (strcmp(r->seen[i].kind, kind) == 0)
            return r->seen[i].most < MAX_NTH ? r->seen[i].most : MAX_NTH;
    return 0;
}

static void note_seen(struct refusal *r, const cJSON *raw)
{
    const cJSON *kind;
    int i = 0;
    cJSON_ArrayForEach(kind, cJSON_GetObjectItemCaseSensitive(raw, "seen"))
    {
        if (i == MAX_KINDS)
            return;
        snprintf(r->seen[i].kind, sizeof r->seen[i].kind, "%s", kind->string);
        if (kind->valueint > r->seen[i].most)
            r->seen[i].most = kind->valueint;
        i++;
    }
}

static cJSON *message_with_fault(struct trial *t, const struct refusal *r, const struct fault *fault, int nth)
{
    cJSON *message = trial_message(t, r->call, &r->wanted);
    cJSON *plan = cJSON_AddObjectToObject(message, "fault");
    cJSON_AddStringToObject(plan, "kind", fault->kind);
    cJSON_AddNumberToObject(plan, "nth", nth);
    cJSON_AddNumberToObject(plan, "code", fault->code);
    cJSON_SetNumberValue(cJSON_GetObjectItem(message, "fill"),
                         2); /* it may be refused: see trial_message() */
    return message;
}

/* Done as if nothing had failed, or refused with nothing changed. */
static bool allowed(const struct trial *t, const struct refusal *r, const struct fault *fault, bool fired,
                    const struct answer *answer, const void *now)
{
    bool done = answer_equal(answer, &r->wanted) && !states_differ(t, r->after, now, NULL, NULL);
    if (done || !fired)
        return done;
    bool refused = answer->status == STATUS_FAILED ||
                   (answer->status == STATUS_INVALID && strcmp(fault->kind, "cjson") == 0);
    return refused && answer->out == NULL && (r->in_steps || !states_differ(t, r->before, now, NULL, NULL));
}

/* What the table holds after the call. Where the call is what creates it, a refusal leaves none: as empty as before. */
static void *look(struct trial *t, const struct refusal *r, const struct answer *answer)
{
    if (r->fresh && answer->status != STATUS_OK)
        return t->lab->model->create();
    return trial_load(t);
}

/* Back to where the next call must start from. */
static void go_back(struct trial *t, const struct refusal *r, const void *now)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    if (!r->fresh) {
        if (states_differ(t, r->before, now, NULL, NULL))
            trial_store(t, r->before);
        return;
    }
    trial_close_db(t);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s%s", t->path, ends[i]);
        if (unlink(file) != 0 && errno != ENOENT)
            trial_fail(t, "files beside the database that can be removed", strerror(errno));
    }
}

static void fail(struct trial *t, const struct refusal *r, const char *note, const char *given,
                 const void *now)
{
    char *wanted = NULL, *found = NULL, *done = answer_text(&r->wanted), *observed = NULL, *expected = NULL;
    bool changed = states_differ(t, r->before, now, &wanted, &found);
    trial_note_call(t, r->call, note, given);
    if (asprintf(&expected, _("FAILED and nothing changed, or %s and all of it done"), done) < 0)
        expected = NULL;
    int length = changed ? asprintf(&observed, _("%s; in the table was: %s; now: %s"), given,
                                    wanted != NULL ? wanted : "", found != NULL ? found : "")
                         : asprintf(&observed, _("%s, and the table as before"), given);
    if (length < 0)
        observed = NULL;
    if (expected != NULL && observed != NULL)
        trial_fail(t, expected, observed);
    free(wanted);
    free(found);
    free(done);
    free(observed);
    free(expected);
}

/* One call with one failure; nth 0: with none. Gives whether the failure was met. */
static bool refuse_once(struct trial *t, struct refusal *r, const struct fault *fault, int nth)
{
    char note[96];
    cJSON *message = message_with_fault(t, r, fault, nth), *raw = NULL;
    snprintf(note, sizeof note, _("%s no. %d"), _(fault->words), nth);
    bool answered = trial_ask_subject(t, message, &raw);
    cJSON_Delete(message);
    if (!answered) {
        trial_note_call(t, r->call, note, NULL);
        return false;
    }
    bool fired = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(raw, "fired"));
    note_seen(r, raw);
    struct reply_to reply = trial_read_answer(raw, &r->wanted);
    void *now = look(t, r, &reply.answer);
    if (reply.answer.status == STATUS_TODO)
        t->verdict = VERDICT_TODO;
    else if (now != NULL && !allowed(t, r, fault, fired, &reply.answer, now))
        fail(t, r, fired ? note : NULL, reply.given, now);
    if (t->clause->kind == CRAFT && !trial_over(t)) {
        trial_check_left(t, raw, &reply.answer);
        if (trial_over(t))
            trial_note_call(t, r->call, fired ? note : NULL, reply.given);
    }
    if (now != NULL && !trial_over(t))
        go_back(t, r, now);
    t->lab->model->destroy(now);
    reply_to_clear(&reply);
    return fired;
}

/* Whether another way of the same kind has its turn with the nth operation. */
static bool is_anothers_turn(size_t fault, int nth)
{
    size_t first = fault;
    size_t ways = 1;
    while (first > 0 && strcmp(faults[first - 1].kind, faults[fault].kind) == 0)
        first--;
    while (first + ways < COUNT_OF(faults) && strcmp(faults[first + ways].kind, faults[fault].kind) == 0)
        ways++;
    return first + (size_t)nth % ways != fault;
}

/* The call with each operation of a kind failing in this way. */
static void refuse_each(struct trial *t, struct refusal *r, size_t fault)
{
    for (int nth = 1; nth <= most_seen(r, faults[fault].kind) && !trial_over(t); nth++) {
        if (r->in_steps && is_anothers_turn(fault, nth))
            continue;
        if (!refuse_once(t, r, &faults[fault], nth))
            return;
    }
}

void trial_refusals(struct trial *t, bool in_steps, cJSON *call)
{
    struct refusal r = {.call = call, .in_steps = in_steps};
    if (trial_over(t)) {
        cJSON_Delete(call);
        return;
    }
    double start = trial_now_ms();
    r.fresh = access(t->path, F_OK) != 0;
    r.before = t->lab->model->copy(t->state);
    r.wanted = model_answer(t, t->state, call, &r.after);
    trial_step(t, NULL, "%s once for each operation beneath it, which fails",
               cJSON_GetObjectItem(call, "call")->valuestring);
    t->quiet = true;
    refuse_once(t, &r, &faults[0], 0);
    for (size_t i = 0; i < COUNT_OF(faults) && !trial_over(t); i++)
        refuse_each(t, &r, i);
    if (!trial_over(t))
        refuse_once(t, &r, &faults[0], 0);
    t->quiet = false;
    t->refusals_ms += trial_now_ms() - start;
    if (most_seen(&r, "open") == 0)
        trial_fail(t, "SQLite's files used through its default VFS", "no operation on a file was seen");
    t->lab->model->destroy(r.before);
    t->lab->model->destroy(r.after);
    answer_clear(&r.wanted);
    cJSON_Delete(call);
}
