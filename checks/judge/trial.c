/*
 * trial.c - see trial.h. Runs in a worker, which is expendable: it opens databases that a submission wrote.
 */
#include "judge/trial_internal.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/statement.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* The most virtual machine steps that SQLite may take for the judge: a view can be endless. */
enum { PROGRESS_STEPS = 1000, MAX_PROGRESS = 20000, MAX_STEPS_NOTED = 400, SHOWN_ROWS = 4 };

struct rng *trial_rng(struct trial *t)
{
    return &t->rng;
}

bool trial_over(const struct trial *t)
{
    return t->verdict != VERDICT_PASS;
}

const char *trial_path(const struct trial *t)
{
    return t->path;
}

void *trial_state(struct trial *t)
{
    return t->state;
}

const char *trial_given(const struct trial *t)
{
    return t->last.out != NULL ? t->last.out : "";
}

char *trial_keep(struct trial *t, char *text)
{
    static char nothing[] = "";
    char **more = realloc(t->kept, (size_t)(t->kept_count + 1) * sizeof *more);
    if (more != NULL)
        t->kept = more;
    if (more == NULL || text == NULL) {
        trial_error(t, "memory ran out");
        free(text);
        return nothing;
    }
    t->kept[t->kept_count++] = text;
    return text;
}

/* ---- Verdicts and steps ------------------------------------------------------------------------------------ */

static void set_verdict(struct trial *t, enum verdict verdict, const char *expected, const char *observed)
{
    if (trial_over(t))
        return;
    t->verdict = verdict;
    t->expected = expected != NULL ? strdup(_(expected)) : NULL;
    t->observed = observed != NULL ? strdup(_(observed)) : NULL;
}

void trial_fail(struct trial *t, const char *expected, const char *observed)
{
    set_verdict(t, VERDICT_FAIL, expected, observed);
}

void trial_error(struct trial *t, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, _(format), args);
    va_end(args);
    set_verdict(t, VERDICT_ERROR, NULL, text);
}

__attribute__((format(printf, 3, 0))) static void note_step(struct trial *t, const char *by_hand,
                                                            const char *text, va_list args)
{
    char *line = NULL;
    if (cJSON_GetArraySize(t->steps) >= MAX_STEPS_NOTED || vasprintf(&line, _(text), args) < 0)
        return;
    cJSON_AddItemToArray(t->steps, cJSON_CreateString(line));
    if (by_hand != NULL)
        cJSON_AddItemToArray(t->by_hand, cJSON_CreateString(by_hand));
    free(line);
}

void trial_note(struct trial *t, const char *by_hand, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    note_step(t, by_hand, text, args);
    va_end(args);
}

void trial_step(struct trial *t, const char *by_hand, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    if (!trial_over(t) && !t->quiet)
        note_step(t, by_hand, text, args);
    va_end(args);
}

void expect_equal(struct trial *t, const char *what, const char *expected, const char *observed)
{
    if (trial_over(t) || strcmp(expected, observed) == 0)
        return;
    char *wanted = NULL, *found = NULL;
    if (asprintf(&wanted, "%s: %s", _(what), expected) >= 0 &&
        asprintf(&found, "%s: %s", _(what), observed) >= 0)
        trial_fail(t, wanted, found);
    free(wanted);
    free(found);
}

/* ---- The judge's own connection ---------------------------------------------------------------------------- */

void trial_sql_failed(struct trial *t, const char *doing)
{
    int code = t->db != NULL ? sqlite3_errcode(t->db) & 0xff : SQLITE_CANTOPEN;
    const char *message = t->db != NULL ? sqlite3_errmsg(t->db) : _("it cannot be opened");
    if (t->confined && (code == SQLITE_FULL || code == SQLITE_IOERR)) {
        trial_fail(t, "room for a database", "the submission has filled the folder it may write to");
        return;
    }
    if (!t->called) {
        trial_error(t, "%s: %s", doing, message);
        return;
    }
    char text[512];
    snprintf(text, sizeof text, "%s: %s", doing, message);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        trial_fail(t, "no lock on the database after the call",
                   "another connection finds the database locked");
    else
        trial_fail(t, "a database that another connection can use", text);
}

static int count_progress(void *count)
{
    return ++*(int *)count > MAX_PROGRESS;
}

void trial_close_db(struct trial *t)
{
    statements_close(t->db);
    t->db = NULL;
}

/* Opens as a careful caller opens a file from an untrusted hand; not read-only, since a hot journal must be rolled back. */
static void open_db(struct trial *t, const struct stat *file)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | (t->called ? 0 : SQLITE_OPEN_CREATE);
    if (sqlite3_open_v2(t->path, &t->db, flags, NULL) != SQLITE_OK) {
        trial_sql_failed(t, "opening the database");
        trial_close_db(t);
        return;
    }
    t->inode = file->st_ino;
    sqlite3_db_config(t->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(t->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_progress_handler(t->db, PROGRESS_STEPS, count_progress, &t->progress);
    sqlite3_exec(t->db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    /* The judge's own writes need no journal that outlives it. Only before the first call: it would change a file in WAL mode. */
    if (!t->called)
        sqlite3_exec(t->db, "PRAGMA journal_mode=MEMORY", NULL, NULL, NULL);
}

sqlite3 *trial_db(struct trial *t)
{
    struct stat file = {0};
    if (trial_over(t))
        return NULL;
    t->progress = 0;
    bool there = lstat(t->path, &file) == 0;
    if (t->called && (!there || !S_ISREG(file.st_mode))) {
        trial_fail(t, "the database is a file",
                   there ? N_("something else stands where the database was") : N_("there is no such file"));
        return NULL;
    }
    if (t->db != NULL && there && t->inode != 0 && t->inode != file.st_ino)
        trial_close_db(t);
    if (t->db == NULL)
        open_db(t, &file);
    return t->db;
}

void trial_sql(struct trial *t, const char *sql)
{
    sqlite3 *db = trial_db(t);
    if (db == NULL)
        return;
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        trial_sql_failed(t, sql);
}

const char *trial_ask(struct trial *t, const char *sql)
{
    sqlite3 *db = trial_db(t);
    if (db == NULL)
        return "nothing";
    char *text = NULL;
    sqlite3_stmt *query = statement_for(db, sql);
    int rc = query != NULL ? sqlite3_step(query) : SQLITE_ERROR;
    if (rc == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(query, 0);
        text = strdup(value != NULL ? value : "NULL");
    } else if (rc == SQLITE_DONE) {
        text = strdup("nothing");
    } else {
        trial_sql_failed(t, sql);
    }
    sqlite3_reset(query);
    return text != NULL ? trial_keep(t, text) : "nothing";
}

void *trial_load(struct trial *t)
{
    sqlite3 *db = trial_db(t);
    char *why = NULL;
    if (db == NULL)
        return NULL;
    void *state = t->lab->model->load(db, &why);
    if (state == NULL) {
        int code = sqlite3_errcode(db) & 0xff;
        if (code == SQLITE_BUSY || code == SQLITE_LOCKED || !t->called)
            trial_sql_failed(t, "reading the table");
        else
            trial_fail(t, "the table of the contract, readable", why != NULL ? why : "it cannot be read");
    }
    free(why);
    /* cppcheck-suppress returnDanglingLifetime ; the state does not hold on to `why`, which is only written to */
    return state;
}

bool trial_store(struct trial *t, const void *state)
{
    sqlite3 *db = trial_db(t);
    if (db == NULL)
        return false;
    if (statement_run(db, "BEGIN IMMEDIATE") == SQLITE_OK && t->lab->model->store(state, db) == SQLITE_OK &&
        statement_run(db, "COMMIT") == SQLITE_OK)
        return true;
    trial_sql_failed(t, "setting the table");
    statement_run(db, "ROLLBACK");
    return false;
}

/* Changes whenever another connection has written, whatever its triggers saw; and when it has switched the journal. */
static const char file_version[] = "PRAGMA data_version", journal_mode[] = "PRAGMA journal_mode";

/* Audit triggers write into a table of the judge's own beside the submission's. */
void trial_audit(struct trial *t, const char *table)
{
    static const char *const acts[] = {"insert", "update", "delete"};
    trial_sql(t, "CREATE TABLE IF NOT EXISTS kit_audit(act TEXT)");
    for (int i = 0; i < 3; i++) {
        char *sql = sqlite3_mprintf(
            "CREATE TRIGGER kit_audit_%s AFTER %s ON \"%w\" BEGIN INSERT INTO kit_audit VALUES('%s'); END",
            acts[i], acts[i], table, acts[i]);
        if (sql == NULL)
            trial_error(t, "memory ran out");
        else
            trial_sql(t, sql);
        sqlite3_free(sql);
    }
    trial_sql(t, "DELETE FROM kit_audit");
    t->audit_version = trial_ask(t, file_version);
    t->audit_mode = trial_ask(t, journal_mode);
}

const char *trial_writes(struct trial *t)
{
    const char *writes = trial_ask(
        t, "SELECT coalesce(group_concat(act, ' '), '') FROM (SELECT act FROM kit_audit ORDER BY rowid)");
    /* A connection can switch its triggers off. It cannot write behind the file's back; only a change of the journal mode
     * writes as well and changes no row. */
    const char *version = trial_ask(t, file_version), *mode = trial_ask(t, journal_mode);
    if (!trial_over(t) && writes[0] == '\0' && strcmp(version, t->audit_version) != 0 &&
        strcmp(mode, t->audit_mode) == 0)
        writes = _("a write that no trigger saw");
    if (!trial_over(t) && writes[0] != '\0')
        trial_sql(t, "DELETE FROM kit_audit");
    t->audit_version = version;
    t->audit_mode = mode;
    return trial_over(t) ? "" : writes;
}

/* ---- States ------------------------------------------------------------------------------------------------ */

/* The lines of `text` that `other` does not have, SHOWN_ROWS of them at the most; "no other row" when there is none. */
static char *lines_only_in(const char *text, const char *other)
{
    char *out = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&out, &length);
    int found = 0;
    for (const char *line = text; to != NULL && *line != '\0';) {
        size_t bytes = strcspn(line, "\n");
        bool there = false;
        for (const char *at = other; !there && *at != '\0';) {
            size_t other_bytes = strcspn(at, "\n");
            there = other_bytes == bytes && memcmp(at, line, bytes) == 0;
            at += other_bytes + (at[other_bytes] == '\n');
        }
        if (!there && found++ < SHOWN_ROWS)
            fprintf(to, "%s%.*s", found > 1 ? "; " : "", (int)bytes, line);
        line += bytes + (line[bytes] == '\n');
    }
    if (to == NULL)
        return NULL;
    if (found == 0)
        fputs(_("no such row"), to);
    else if (found > SHOWN_ROWS)
        fprintf(to, _("; and %d more"), found - SHOWN_ROWS);
    return fclose(to) == 0 ? out : NULL;
}

bool states_differ(const struct trial *t, const void *expected, const void *observed, char **wanted,
                   char **found)
{
    if (t->lab->model->equal(expected, observed))
        return false;
    if (wanted == NULL)
        return true;
    char *want = t->lab->model->text(expected), *have = t->lab->model->text(observed);
    *wanted = want != NULL && have != NULL ? lines_only_in(want, have) : NULL;
    *found = want != NULL && have != NULL ? lines_only_in(have, want) : NULL;
    free(want);
    free(have);
    return true;
}

struct answer model_answer(const struct trial *t, const void *state, const cJSON *call, void **after)
{
    void *copy = t->lab->model->copy(state);
    struct answer answer = t->lab->model->apply(copy, call);
    if (after != NULL)
        *after = copy;
    else
        t->lab->model->destroy(copy);
    return answer;
}

/* ---- Answers ----------------------------------------------------------------------------------------------- */

const char *status_name(int status)
{
    switch ((enum status)status) {
    case STATUS_OK:
        return "OK";
    case STATUS_TODO:
        return "TODO";
    case STATUS_INVALID:
        return "INVALID";
    case STATUS_FAILED:
        return "FAILED";
    }
    return "a status of no meaning";
}

void answer_clear(struct answer *answer)
{
    free(answer->out);
    answer->out = NULL;
}

char *answer_text(const struct answer *answer)
{
    char *text = NULL;
    const char *name = status_name(answer->status);
    int length =
        answer->out == NULL ? asprintf(&text, "%s", name) : asprintf(&text, "%s %s", name, answer->out);
    return length >= 0 ? text : NULL;
}

/* Both are what came out as text; JSON is equal as a value, so that members may come in any order. */
static bool out_equal(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    cJSON *first = cJSON_ParseWithOpts(a, NULL, 1), *second = cJSON_ParseWithOpts(b, NULL, 1);
    bool equal = first != NULL && second != NULL && json_equal(first, second);
    cJSON_Delete(first);
    cJSON_Delete(second);
    return equal;
}

bool answer_equal(const struct answer *a, const struct answer *b)
{
    return a->status == b->status && (a->out == NULL) == (b->out == NULL) &&
           (a->out == NULL || out_equal(a->out, b->out));
}

cJSON *trial_message(struct trial *t, const cJSON *call, const struct answer *wanted)
{
    cJSON *message = cJSON_Duplicate(call, 1);
    if (!cJSON_HasObjectItem(message, "path"))
        cJSON_AddStringToObject(message, "path", t->path);
    /* What a bool holds before the call is what it must not hold after it. Where the call is to be refused that is
     * a byte of neither value: whatever is written shows. */
    int fill = wanted->out != NULL ? strcmp(wanted->out, "false") == 0 : 2;
    cJSON_AddNumberToObject(message, "fill", fill);
    return message;
}

/* The out-parameter in words. A bool after a refusal must still hold the byte that was put there. */
static char *out_words(const cJSON *raw, int status, int fill)
{
    const cJSON *flag = cJSON_GetObjectItemCaseSensitive(raw, "flag");
    const cJSON *out = cJSON_GetObjectItemCaseSensitive(raw, "out");
    const cJSON *bad = cJSON_GetObjectItemCaseSensitive(raw, "bad");
    char *text = NULL;
    if (cJSON_IsNumber(flag)) {
        if (status != STATUS_OK && flag->valueint == fill)
            return NULL;
        if (flag->valueint > 1 && asprintf(&text, _("byte %d, which is no bool"), flag->valueint) >= 0)
            return text;
        return strdup(flag->valueint ? "true" : "false");
    }
    if (cJSON_IsString(bad))
        return asprintf(&text, _("a value that cannot be read: %s"), _(bad->valuestring)) >= 0 ? text : NULL;
    if (!cJSON_IsString(out) || (status != STATUS_OK && strcmp(out->valuestring, "untouched") == 0))
        return NULL;
    return strdup(out->valuestring);
}

struct reply_to trial_read_answer(cJSON *raw, const struct answer *wanted)
{
    struct reply_to r = {{STATUS_FAILED, NULL}, NULL, raw};
    const cJSON *status = cJSON_GetObjectItemCaseSensitive(raw, "status");
    const cJSON *fill = cJSON_GetObjectItemCaseSensitive(raw, "fill");
    (void)wanted;
    r.answer.status = cJSON_IsNumber(status) ? status->valueint : -1;
    r.answer.out = out_words(raw, r.answer.status, fill != NULL ? fill->valueint : 0);
    const char *out = r.answer.out;
    if (r.answer.status != STATUS_OK && out != NULL) {
        if (asprintf(&r.given, _("%s, and the out-parameter was written: %s"), status_name(r.answer.status),
                     out) < 0)
            r.given = NULL;
    } else if (out != NULL && strcmp(out, "untouched") == 0) {
        r.given = strdup(_("OK, and the out-parameter was not written"));
    } else {
        r.given = answer_text(&r.answer);
    }
    return r;
}

void reply_to_clear(struct reply_to *r)
{
    answer_clear(&r->answer);
    free(r->given);
    cJSON_Delete(r->raw);
    memset(r, 0, sizeof *r);
}

/* ---- Calls ------------------------------------------------------------------------------------------------- */

static void subject_failed(struct trial *t, enum reply reply)
{
    char text[512];
    t->spoiled |= reply != REPLY_GONE || subject_lost(t->subject);
    switch (reply) {
    case REPLY_GONE:
        snprintf(text, sizeof text, _("the program ended in the middle of the call: %s"),
                 subject_end_text(t->subject));
        set_verdict(t, VERDICT_CRASH, "an answer", text);
        break;
    case REPLY_LATE:
        snprintf(text, sizeof text, _("no answer within %d s of processor time, or %d s by the clock"),
                 CALL_CPU_LIMIT_MS / 1000, CALL_LIMIT_MS / 1000);
        set_verdict(t, VERDICT_TIMEOUT, "an answer", text);
        break;
    default:
        t->interrupted = true;
        set_verdict(t, VERDICT_CRASH, "one answer to one call", "something else came on the judge's channel");
        break;
    }
}

static void note_name(struct trial *t, const char *call)
{
    if (!json_has_text(t->names, call))
        cJSON_AddItemToArray(t->names, cJSON_CreateString(call));
}

bool trial_ask_subject(struct trial *t, cJSON *message, cJSON **raw)
{
    *raw = NULL;
    t->called = true;
    if (message != NULL)
        note_name(t, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "call")));
    enum reply reply =
        message != NULL ? subject_ask(t->subject, message, raw) : subject_go_on(t->subject, raw);
    if (reply == REPLY_ANSWER && message != NULL && cJSON_HasObjectItem(message, "fill"))
        cJSON_AddNumberToObject(*raw, "fill", cJSON_GetObjectItemCaseSensitive(message, "fill")->valueint);
    if (reply != REPLY_ANSWER)
        subject_failed(t, reply);
    return reply == REPLY_ANSWER;
}

static void write_arg(FILE *to, const cJSON *arg)
{
    char number[32];
    char *text = NULL;
    if (cJSON_IsString(arg))
        text = text_quoted(arg->valuestring, strlen(arg->valuestring), 80);
    else if (cJSON_IsArray(arg))
        text = json_text(arg->child, NULL);
    if (cJSON_IsNumber(arg)) {
        json_number(number, arg->valuedouble);
        fprintf(to, " %s", number);
    } else {
        fprintf(to, " %s", text != NULL ? text : "NULL");
    }
    free(text);
}

/* A call as people read it: `reserve    "ord-7f" "a1" 10.5`. Allocated. */
static char *call_words(const cJSON *call)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(call, "call");
    const cJSON *path = cJSON_GetObjectItemCaseSensitive(call, "path");
    const cJSON *arg;
    fprintf(to, "%-10s", name->valuestring);
    cJSON_ArrayForEach(arg, cJSON_GetObjectItemCaseSensitive(call, "args")) write_arg(to, arg);
    if (cJSON_IsNull(path))
        fputs(_(" (path NULL)"), to);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(call, "no_out")))
        fputs(_(" (result pointer NULL)"), to);
    return fclose(to) == 0 ? text : NULL;
}

void trial_note_call(struct trial *t, const cJSON *call, const char *note, const char *given)
{
    char *words = call_words(call);
    char *by_hand = t->lab->by_hand(call);
    trial_note(t, by_hand, "%s%s%s%s -> %s", words != NULL ? words : "?", note != NULL ? " (" : "",
               note != NULL ? _(note) : "", note != NULL ? ")" : "", given != NULL ? given : _("no answer"));
    free(words);
    free(by_hand);
}

/* The answer and the table against what they must be. */
static void compare(struct trial *t, const struct reply_to *r, const struct answer *wanted, const void *state)
{
    void *now = trial_load(t);
    if (now == NULL)
        return;
    char *wanted_rows = NULL, *found_rows = NULL, *wanted_text = answer_text(wanted), *expected = NULL,
         *observed = NULL;
    bool rows = states_differ(t, state, now, &wanted_rows, &found_rows);
    if (!answer_equal(&r->answer, wanted) || rows) {
        if (asprintf(&expected, "%s%s%s", wanted_text, rows ? _("; in the table: ") : "",
                     rows ? wanted_rows : "") >= 0 &&
            asprintf(&observed, "%s%s%s", r->given, rows ? _("; in the table: ") : "",
                     rows ? found_rows : "") >= 0)
            trial_fail(t, expected, observed);
    }
    t->lab->model->destroy(now);
    free(wanted_rows);
    free(found_rows);
    free(wanted_text);
    free(expected);
    free(observed);
}

/* What every answer must pass before it is looked at more closely. */
static void check_manners(struct trial *t, const struct reply_to *r)
{
    if (r->answer.status == STATUS_TODO)
        set_verdict(t, VERDICT_TODO, NULL, NULL);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(r->raw, "changed")))
        trial_fail(t, "the arguments are only read", "an argument was written to");
    if (t->clause->kind == CRAFT)
        trial_check_left(t, r->raw, &r->answer);
}

static struct reply_to make_call(struct trial *t, const cJSON *call, const char *note,
                                 const struct answer *wanted)
{
    struct reply_to r = {{STATUS_FAILED, NULL}, NULL, NULL};
    cJSON *message = trial_message(t, call, wanted), *raw = NULL;
    if (t->clause->kind == CRAFT && t->descriptors < 0)
        t->descriptors = subject_descriptors(t->subject, NULL);
    if (!trial_ask_subject(t, message, &raw)) {
        if (!t->quiet)
            trial_note_call(t, call, note, NULL);
    } else {
        r = trial_read_answer(raw, wanted);
        if (!t->quiet)
            trial_note_call(t, call, note, r.given);
        answer_clear(&t->last);
        t->last.status = r.answer.status;
        t->last.out = r.answer.out != NULL ? strdup(r.answer.out) : NULL;
    }
    cJSON_Delete(message);
    return r;
}

void expect(struct trial *t, const char *answer, cJSON *call)
{
    if (trial_over(t)) {
        cJSON_Delete(call);
        return;
    }
    void *after = NULL;
    struct answer wanted = model_answer(t, t->state, call, &after);
    char *words = answer_text(&wanted);
    if (answer != NULL && (words == NULL || strcmp(answer, words) != 0))
        trial_error(t, "the clause says %s, the model says %s", answer, words != NULL ? words : "nothing");
    struct reply_to r = make_call(t, call, NULL, &wanted);
    if (!trial_over(t)) {
        compare(t, &r, &wanted, after);
        check_manners(t, &r);
        if (r.answer.status == STATUS_TODO)
            t->verdict = VERDICT_TODO;
    }
    t->lab->model->destroy(t->state);
    t->state = after;
    reply_to_clear(&r);
    answer_clear(&wanted);
    free(words);
    cJSON_Delete(call);
}

/* The answer alone against what it must be, in words. */
static void compare_answer(struct trial *t, const struct reply_to *r, const char *answer)
{
    if (r->answer.status == STATUS_TODO)
        set_verdict(t, VERDICT_TODO, NULL, NULL);
    else if (r->given == NULL || strcmp(r->given, answer) != 0)
        trial_fail(t, answer, r->given != NULL ? r->given : _("no answer"));
}

void expect_answer_only(struct trial *t, const char *answer, cJSON *call)
{
    if (!trial_over(t)) {
        struct answer wanted = {STATUS_FAILED, NULL};
        struct reply_to r = make_call(t, call, NULL, &wanted);
        compare_answer(t, &r, answer);
        if (!trial_over(t))
            check_manners(t, &r);
        reply_to_clear(&r);
        void *now = trial_load(t);
        if (now != NULL) {
            t->lab->model->destroy(t->state);
            t->state = now;
        }
    }
    cJSON_Delete(call);
}

/* What the table holds, as text; "" when there is none that can be read: a missing table is a scene like any other. Allocated. */
static char *table_text(struct trial *t)
{
    char *why = NULL, *text = NULL;
    sqlite3 *db = trial_db(t);
    void *state = db != NULL ? t->lab->model->load(db, &why) : NULL;
    if (state != NULL)
        text = t->lab->model->text(state);
    t->lab->model->destroy(state);
    free(why);
    return text != NULL ? text : strdup("");
}

void expect_failed(struct trial *t, const char *why, cJSON *call)
{
    if (!trial_over(t)) {
        struct answer wanted = {STATUS_FAILED, NULL};
        char *before = t->stage->prepared ? table_text(t) : NULL;
        struct reply_to r = make_call(t, call, why, &wanted);
        compare_answer(t, &r, "FAILED");
        if (!trial_over(t))
            check_manners(t, &r);
        char *after = t->stage->prepared ? table_text(t) : NULL;
        if (before != NULL && after != NULL && strcmp(before, after) != 0)
            trial_fail(t, "FAILED, and the table as it was", "the table has changed");
        free(before);
        free(after);
        reply_to_clear(&r);
    }
    cJSON_Delete(call);
}

/* ---- What a call leaves behind ----------------------------------------------------------------------------- */

static long long figure(const cJSON *raw, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(raw, name);
    return cJSON_IsNumber(item) ? (long long)item->valuedouble : 0;
}

/* The first thing that is left, in words; NULL when nothing is. Allocated. */
static char *what_is_left(const cJSON *raw)
{
    const cJSON *sql = cJSON_GetObjectItemCaseSensitive(raw, "sql");
    long long open = figure(raw, "open"), statements = figure(raw, "unfinalized"),
              blocks = figure(raw, "cjson_blocks");
    long long sqlite = figure(raw, "sqlite_bytes"), heap = figure(raw, "heap_bytes");
    char *text = NULL;
    int length = 0;
    if (statements > 0)
        length =
            asprintf(&text, _("%lld connection(s) still open, with a statement that was not finalized: %s"),
                     open, cJSON_IsString(sql) ? sql->valuestring : "");
    else if (open > 0)
        length = asprintf(&text, _("%lld connection(s) still open%s; the last statement was: %s"), open,
                          figure(raw, "transactions") > 0 ? _(", in a transaction") : "",
                          cJSON_IsString(sql) ? sql->valuestring : "none");
    else if (sqlite > 0)
        length = asprintf(
            &text, _("%lld bytes of SQLite still allocated: a handle or a text that was not freed"), sqlite);
    else if (blocks > 0)
        length = asprintf(&text, _("%lld block(s) of cJSON still allocated: an item that was not deleted"),
                          blocks);
    else if (heap > 0)
        length = asprintf(&text, _("%lld bytes still allocated"), heap);
    return length < 0 ? NULL : text;
}

static void check_descriptors(struct trial *t)
{
    char newest[256];
    int now = subject_descriptors(t->subject, newest);
    if (t->descriptors < 0 || now <= t->descriptors)
        return;
    char text[400];
    snprintf(text, sizeof text, _("%d descriptor(s) still open, the last one: %s"), now - t->descriptors,
             newest);
    trial_fail(t, "nothing is left after the call", text);
}

void trial_check_left(struct trial *t, const cJSON *raw, const struct answer *answer)
{
    char *left = what_is_left(raw);
    if (left != NULL)
        trial_fail(t, "nothing is left after the call", left);
    free(left);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(raw, "blind")))
        trial_fail(t, "cJSON's allocations can be counted", "the submission replaced the hooks of cJSON");
    if (answer->status == STATUS_OK && figure(raw, "opened") == 0)
        trial_fail(t, "a connection of its own for each call",
                   "the call answered OK and no connection was seen to open");
    check_descriptors(t);
}

double trial_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1000.0 + (double)t.tv_nsec / 1e6;
}

/* ---- The life of a trial ----------------------------------------------------------------------------------- */

/* A database as the bytes of its file. */
struct image {
    unsigned char *bytes;
    sqlite3_int64 size;
};

/* That of an empty table. It is made once, and each trial writes it: 0.02 ms, where the SQL takes 0.1. */
static const struct image *empty_table(const struct lab *lab)
{
    static struct image image;
    sqlite3 *db = NULL;
    if (image.bytes == NULL && sqlite3_open(":memory:", &db) == SQLITE_OK &&
        sqlite3_exec(db, lab->schema, NULL, NULL, NULL) == SQLITE_OK)
        image.bytes = sqlite3_serialize(db, "main", &image.size, 0);
    sqlite3_close(db);
    return image.bytes != NULL ? &image : NULL;
}

/* Errors: errno. */
static bool write_empty_table(const struct trial *t)
{
    const struct image *image = empty_table(t->lab);
    FILE *to = image != NULL ? fopen(t->path, "wxe") : NULL;
    bool written = to != NULL && fwrite(image->bytes, (size_t)image->size, 1, to) == 1;
    return to != NULL && fclose(to) == 0 && written;
}

/* A full disk (errno) is the submission's doing where it can fill no more than its own folder. */
static void blame_full_disk(struct trial *t)
{
    if (t->confined && (errno == ENOSPC || errno == EDQUOT))
        trial_fail(t, "room for a database", "the submission has filled the folder it may write to");
}

void trial_begin(struct trial *t)
{
    char folder[] = "d-XXXXXX"; /* other workers make theirs beside it */
    t->called = t->forked = false;
    t->descriptors = -1;
    t->state = t->lab->model->create();
    if (t->state == NULL || mkdtemp(folder) == NULL) {
        blame_full_disk(t);
        trial_error(t, "a folder for the database cannot be made: %s", strerror(errno));
        return;
    }
    snprintf(t->path, sizeof t->path, "%s/keys.db", folder);
    chmod(folder, 0777); /* the submission may run as another user */
    if (t->stage->prepared && !write_empty_table(t)) {
        blame_full_disk(t);
        trial_error(t, "the empty database cannot be written: %s", strerror(errno));
    }
    if (t->stage->prepared)
        trial_db(t); /* now: after the first call the judge would leave the file's journal as it finds it */
    chmod(t->path, 0666);
    if (t->clause->kind == CRAFT && t->finding != NULL)
        trial_fail(t, "a service that neither sleeps nor uses the network", t->finding);
    if (trial_over(t))
        return;
    enum reply reply = subject_fork(t->subject, t->clause->kind != NUMBERED);
    t->forked = reply == REPLY_ANSWER;
    if (reply != REPLY_ANSWER)
        subject_failed(t, reply);
}

void trial_never_starts(struct trial *t, enum verdict verdict)
{
    set_verdict(t, verdict, "an answer", "the program never came as far as its first call");
}

void trial_finish(struct trial *t)
{
    trial_close_db(t);
    t->lab->model->destroy(t->state);
    t->state = NULL;
    if (t->verdict == VERDICT_CRASH || t->spoiled || !t->forked)
        return;
    enum reply reply = subject_end(t->subject);
    t->spoiled |= reply != REPLY_GONE || subject_lost(t->subject);
    if (t->spoiled)
        subject_failed(t, reply);
}

void trial_free(struct trial *t)
{
    answer_clear(&t->last);
    cJSON_Delete(t->steps);
    cJSON_Delete(t->by_hand);
    cJSON_Delete(t->names);
    free(t->expected);
    free(t->observed);
    for (int i = 0; i < t->kept_count; i++)
        free(t->kept[i]);
    free(t->kept);
}
