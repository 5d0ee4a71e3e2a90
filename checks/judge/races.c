/*
 * races.c - another caller between any two statements of a call (see trial_race() in trial.h).
 *
 * The subject stops where a statement is about to start; the judge, through its own connection, is the other caller. No threads,
 * no sleeps: every meeting of the two is made once, and made again the same way with the same seed.
 *
 * What the other side does at the boundary is one of
 *   - one of the given calls, made by the model and written as a transaction of its own (it may find the database locked: then
 *     it did not happen);
 *   - nothing, but it holds the write lock until the call has answered;
 *   - nothing, but it holds a read lock until then, so that a COMMIT can be refused.
 */
#include "judge/trial_internal.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STOPS = 64 };

enum meeting { MEET_CALL, MEET_WRITE_LOCK, MEET_READ_LOCK };

/* One call against one other side. */
struct race {
    const cJSON *call;
    const cJSON *other; /* NULL unless MEET_CALL */
    enum meeting meeting;
    bool strict;
    const char *mode;
    void *start; /* what the table holds before */
};

/* What the other side did: `happened`, and then what it was answered. */
struct other_side {
    bool happened;
    struct answer answer;
};

/* The two calls in one order on the model: what each is answered, and the state they leave. */
struct order {
    struct answer first, second;
    void *state;
};

static struct order in_order(const struct trial *t, const void *start, const cJSON *first,
                             const cJSON *second)
{
    struct order o = {{STATUS_OK, NULL}, {STATUS_OK, NULL}, t->lab->model->copy(start)};
    o.first = t->lab->model->apply(o.state, first);
    if (second != NULL)
        o.second = t->lab->model->apply(o.state, second);
    return o;
}

static void order_clear(const struct trial *t, struct order *o)
{
    answer_clear(&o->first);
    answer_clear(&o->second);
    t->lab->model->destroy(o->state);
}

/* ---- At the boundary --------------------------------------------------------------------------------------- */

static bool run_sql(struct trial *t, const char *sql)
{
    return statement_run(trial_db(t), sql) == SQLITE_OK;
}

/* The other call as a transaction of its own; undone when the database is locked against it. */
static struct other_side make_other_call(struct trial *t, const cJSON *other)
{
    struct other_side o = {false, {STATUS_OK, NULL}};
    char *why = NULL;
    if (!run_sql(t, "BEGIN IMMEDIATE"))
        return o;
    void *state = t->lab->model->load(trial_db(t), &why);
    if (state != NULL) {
        o.answer = t->lab->model->apply(state, other);
        o.happened = t->lab->model->store(state, trial_db(t)) == SQLITE_OK && run_sql(t, "COMMIT");
    }
    if (!o.happened) {
        run_sql(t, "ROLLBACK");
        answer_clear(&o.answer);
    }
    t->lab->model->destroy(state);
    free(why);
    return o;
}

static struct other_side meet(struct trial *t, const struct race *r)
{
    struct other_side nothing = {false, {STATUS_OK, NULL}};
    if (r->meeting == MEET_CALL)
        return make_other_call(t, r->other);
    if (r->meeting == MEET_WRITE_LOCK)
        run_sql(t, "BEGIN IMMEDIATE");
    else if (run_sql(t, "BEGIN"))
        run_sql(t, "SELECT count(*) FROM sqlite_schema");
    return nothing;
}

/* ---- Afterwards -------------------------------------------------------------------------------------------- */

static bool order_holds(const struct trial *t, const struct order *o, const struct answer *first,
                        const struct answer *second, const void *now)
{
    return answer_equal(&o->first, first) && (second == NULL || answer_equal(&o->second, second)) &&
           !states_differ(t, o->state, now, NULL, NULL);
}

/* The outcome is that of an order, or a clean refusal where that is allowed. */
static bool allowed(const struct trial *t, const struct race *r, const struct other_side *other,
                    const struct answer *answer, const void *now)
{
    bool refused = answer->status == STATUS_FAILED && answer->out == NULL;
    if (!other->happened) {
        struct order alone = in_order(t, r->start, r->call, NULL);
        bool right = order_holds(t, &alone, answer, NULL, now);
        order_clear(t, &alone);
        return right || (r->meeting != MEET_CALL && refused && !states_differ(t, r->start, now, NULL, NULL));
    }
    struct order ours = in_order(t, r->start, r->call, r->other),
                 theirs = in_order(t, r->start, r->other, r->call);
    struct order only_theirs = in_order(t, r->start, r->other, NULL);
    bool right = order_holds(t, &ours, answer, &other->answer, now) ||
                 order_holds(t, &theirs, &other->answer, answer, now) ||
                 (refused && !r->strict && order_holds(t, &only_theirs, &other->answer, NULL, now));
    order_clear(t, &ours);
    order_clear(t, &theirs);
    order_clear(t, &only_theirs);
    return right;
}

static char *other_words(const struct race *r, const struct other_side *other)
{
    char *text = NULL, *args = NULL, *given = NULL;
    if (r->meeting == MEET_WRITE_LOCK)
        return strdup(_("the other side takes the write lock, and keeps it"));
    if (r->meeting == MEET_READ_LOCK)
        return strdup(_("the other side reads, and has not finished"));
    args = json_text(cJSON_GetObjectItemCaseSensitive(r->other, "args"), NULL);
    given = other->happened ? answer_text(&other->answer) : strdup(_("it finds the database locked"));
    if (asprintf(&text, _("the other side: %s %s -> %s"), cJSON_GetObjectItem(r->other, "call")->valuestring,
                 args, given) < 0)
        text = NULL;
    free(args);
    free(given);
    return text;
}

static void fail(struct trial *t, const struct race *r, const char *at, const struct other_side *other,
                 const char *given, const void *now)
{
    char *words = other_words(r, other), *rows = now != NULL ? t->lab->model->text(now) : NULL,
         *observed = NULL;
    trial_note(t, NULL, "journal    %s", r->mode);
    if (at != NULL) {
        trial_note(t, NULL, "stop       before its statement: %s", at);
        trial_note(t, NULL, "           %s", words != NULL ? words : "?");
    }
    trial_note_call(t, r->call, at != NULL ? _("goes on") : NULL, given);
    for (char *c = rows; c != NULL && *c != '\0'; c++)
        if (*c == '\n')
            *c = c[1] != '\0' ? ';' : ' ';
    if (now != NULL && asprintf(&observed, _("%s; the table holds: %s"), given,
                                rows != NULL && *rows ? rows : _("no row")) >= 0)
        trial_fail(
            t,
            r->strict
                ? "what comes of one of the two calls after the other"
                : N_("what comes of one of the two calls after the other, or FAILED and nothing changed"),
            observed);
    free(words);
    free(rows);
    free(observed);
}

/* ---- One meeting ------------------------------------------------------------------------------------------- */

/* The call with the other side at its stop-th statement. False when it has no such statement. */
static bool race_once(struct trial *t, const struct race *r, int stop)
{
    struct answer wanted = model_answer(t, r->start, r->call, NULL);
    struct other_side other = {false, {STATUS_OK, NULL}};
    cJSON *message = trial_message(t, r->call, &wanted), *raw = NULL;
    char *at = NULL;
    cJSON_AddNumberToObject(message, "stop", stop);
    int fill = 2; /* it may be refused: see trial_message() */
    cJSON_SetNumberValue(cJSON_GetObjectItem(message, "fill"), fill);
    bool answered = trial_ask_subject(t, message, &raw);
    const cJSON *boundary = cJSON_GetObjectItemCaseSensitive(raw, "at");
    if (answered && cJSON_IsString(boundary)) {
        at = text_plain(boundary->valuestring, strlen(boundary->valuestring), 400);
        cJSON_Delete(raw);
        raw = NULL;
        other = trial_db(t) != NULL ? meet(t, r) : other;
        answered = trial_ask_subject(t, NULL, &raw);
        if (answered)
            cJSON_AddNumberToObject(raw, "fill", fill);
        if (t->db != NULL && !sqlite3_get_autocommit(t->db))
            run_sql(t, "ROLLBACK");
    }
    struct reply_to reply = trial_read_answer(raw, &wanted);
    void *now = answered ? trial_load(t) : NULL;
    if (answered && reply.answer.status == STATUS_TODO)
        t->verdict = VERDICT_TODO;
    else if (!answered || now == NULL || !allowed(t, r, &other, &reply.answer, now))
        fail(t, r, at, &other, answered ? reply.given : _("no answer"), now);
    if (now != NULL && !trial_over(t) && states_differ(t, r->start, now, NULL, NULL))
        trial_store(t, r->start);
    bool stopped = at != NULL;
    free(at);
    t->lab->model->destroy(now);
    answer_clear(&wanted);
    answer_clear(&other.answer);
    reply_to_clear(&reply);
    cJSON_Delete(message);
    return stopped;
}

static void race_all_boundaries(struct trial *t, const struct race *r)
{
    int stop = 1;
    while (!trial_over(t) && stop <= MAX_STOPS && race_once(t, r, stop))
        stop++;
    if (stop == 1)
        trial_fail(t, "statements that can be seen to start", "the call answered and no statement was seen");
}

void trial_race(struct trial *t, bool strict, cJSON *call, cJSON *others)
{
    static const char *const modes[] = {"delete", "wal"};
    struct race r = {.call = call, .strict = strict};
    if (!trial_over(t))
        r.start = t->lab->model->copy(t->state);
    trial_step(t, NULL, "%s with another caller before each of its statements",
               cJSON_GetObjectItem(call, "call")->valuestring);
    t->quiet = true;
    for (int mode = 0; mode < 2 && !trial_over(t); mode++) {
        char sql[64];
        r.mode = modes[mode];
        snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s", modes[mode]);
        trial_sql(t, sql);
        r.meeting = MEET_CALL;
        cJSON_ArrayForEach(r.other, others) race_all_boundaries(t, &r);
        r.other = NULL;
        for (r.meeting = MEET_WRITE_LOCK; r.meeting <= MEET_READ_LOCK && !trial_over(t); r.meeting++)
            race_all_boundaries(t, &r);
    }
    t->quiet = false;
    t->lab->model->destroy(r.start);
    cJSON_Delete(call);
    cJSON_Delete(others);
}
