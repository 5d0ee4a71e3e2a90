/*
 * model.c - the contract of service.h in memory.
 *
 * A state is the rows of the table, ascending by id. Calls are applied to it as the contract says; the judge
 * compares what comes of them with what the submission answered and with the table.
 *
 * Written from the contract and not from the reference solution: no SQL in here decides anything. SQL only
 * carries rows into the table (store) and out of it (load).
 */
#include "clauses.h"

#include "base/json.h"
#include "judge/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char idem_schema[] =
    "CREATE TABLE keys(id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL,"
    " response TEXT, expires REAL NOT NULL)";

enum { LIMIT_DEFAULT = 10, LIMIT_MAX = 100, LOAD_MAX_ROWS = 10000 };

struct row {
    char *id;
    char *fingerprint;
    bool done;
    char *response; /* NULL: SQL NULL */
    double expires;
};

struct state {
    struct row *rows; /* ascending by the bytes of id */
    int count;
    int room;
};

/* ---- A state ------------------------------------------------------------------------------------------- */

/* A judge without memory can say nothing more. */
static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static char *copy_text(const char *text)
{
    return text == NULL ? NULL : must(strdup(text));
}

static void row_clear(struct row *row)
{
    free(row->id);
    free(row->fingerprint);
    free(row->response);
}

/* Where the row with this id is, or where it belongs. strcmp() orders by bytes, as SQLite does by default. */
static bool find(const struct state *state, const char *id, int *position)
{
    int low = 0;
    int high = state->count;

    while (low < high) {
        int middle = (low + high) / 2;
        int order = strcmp(state->rows[middle].id, id);
        if (order == 0) {
            *position = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *position = low;
    return false;
}

/* The row with this id; a new one, empty but for the id, when there is none. */
static struct row *row_for(struct state *state, const char *id)
{
    int position;

    if (find(state, id, &position))
        return &state->rows[position];
    if (state->count == state->room) {
        state->room = state->room * 2 + 8;
        state->rows = must(realloc(state->rows, (size_t)state->room * sizeof *state->rows));
    }
    struct row *row = &state->rows[position];
    memmove(row + 1, row, (size_t)(state->count - position) * sizeof *row);
    state->count++;
    *row = (struct row){.id = copy_text(id)};
    return row;
}

void state_put(void *state, const char *id, const char *fingerprint, const char *status, const char *response,
               double expires)
{
    struct row *row = row_for(state, id);

    free(row->fingerprint);
    free(row->response);
    row->fingerprint = copy_text(fingerprint);
    row->done = strcmp(status, "done") == 0;
    row->response = copy_text(response);
    row->expires = expires + 0.0; /* -0 becomes 0, as it does in the table */
}

void state_clear(void *state)
{
    struct state *s = state;

    for (int i = 0; i < s->count; i++)
        row_clear(&s->rows[i]);
    s->count = 0;
}

static void *create(void)
{
    return must(calloc(1, sizeof(struct state)));
}

static void destroy(void *state)
{
    struct state *s = state;

    if (s == NULL)
        return;
    state_clear(s);
    free(s->rows);
    free(s);
}

static void *copy(const void *state)
{
    const struct state *from = state;
    struct state *to = create();

    if (from->count == 0)
        return to;
    to->rows = must(calloc((size_t)from->count, sizeof *to->rows));
    to->room = to->count = from->count;
    for (int i = 0; i < from->count; i++) {
        const struct row *row = &from->rows[i];
        to->rows[i] = (struct row){copy_text(row->id), copy_text(row->fingerprint), row->done,
                                   copy_text(row->response), row->expires};
    }
    return to;
}

static const char *status_of(const struct row *row)
{
    return row->done ? "done" : "pending";
}

static void write_quoted(FILE *to, const char *text)
{
    char *quoted = must(text_quoted(text, strlen(text), SIZE_MAX));

    fputs(quoted, to);
    free(quoted);
}

/* "ord-7f" "a1" done "{\"receipt\":1}" 1767225600.5 */
static void write_row(FILE *to, const struct row *row)
{
    char expires[32];

    json_number(expires, row->expires);
    write_quoted(to, row->id);
    fputc(' ', to);
    write_quoted(to, row->fingerprint);
    fprintf(to, " %s ", status_of(row));
    if (row->response == NULL)
        fputs("NULL", to);
    else
        write_quoted(to, row->response);
    fprintf(to, " %s\n", expires);
}

static char *text(const void *state)
{
    const struct state *s = state;
    char *out = NULL;
    size_t length = 0;
    FILE *to = must(open_memstream(&out, &length));

    for (int i = 0; i < s->count; i++)
        write_row(to, &s->rows[i]);
    fclose(to);
    return must(out);
}

/* ---- Calls as the contract says ------------------------------------------------------------------------ */

static struct answer status_only(int status)
{
    return (struct answer){status, NULL};
}

static struct answer ok(const char *out)
{
    return (struct answer){STATUS_OK, copy_text(out)};
}

static struct answer ok_flag(bool flag)
{
    return ok(flag ? "true" : "false");
}

/* Takes `item` over. */
static struct answer ok_item(cJSON *item)
{
    struct answer answer = {STATUS_OK, must(json_text(item, NULL))};

    cJSON_Delete(item);
    return answer;
}

static struct row *row_with(const struct state *state, const char *id)
{
    int position;

    return find(state, id, &position) ? &state->rows[position] : NULL;
}

static bool apply_reserve(struct state *state, const char *key, const char *digest, double expires)
{
    if (row_with(state, key) != NULL)
        return false;
    state_put(state, key, digest, "pending", NULL, expires);
    return true;
}

static bool apply_finish(struct state *state, const char *key, const char *digest, const char *response)
{
    struct row *row = row_with(state, key);

    if (row == NULL || row->done || strcmp(row->fingerprint, digest) != 0)
        return false;
    state_put(state, key, digest, "done", response, row->expires);
    return true;
}

static bool has_expired(const struct row *row, double now)
{
    return row->expires <= now;
}

static struct answer apply_fetch(const struct state *state, const char *key, double now)
{
    const struct row *row = row_with(state, key);

    if (row == NULL || !row->done || has_expired(row, now))
        return ok("nothing");
    cJSON *response = row->response == NULL ? NULL : cJSON_ParseWithOpts(row->response, NULL, true);
    return response == NULL ? status_only(STATUS_FAILED) : ok_item(response);
}

static cJSON *apply_expired(const struct state *state, double now, int limit)
{
    cJSON *ids = must(cJSON_CreateArray());

    for (int i = 0; i < state->count && limit > 0; i++) {
        const struct row *row = &state->rows[i];
        if (row->done && has_expired(row, now)) {
            cJSON_AddItemToArray(ids, must(cJSON_CreateString(row->id)));
            limit--;
        }
    }
    return ids;
}

static void remove_row(struct state *state, const char *id)
{
    int position;

    if (!find(state, id, &position))
        return;
    struct row *row = &state->rows[position];
    row_clear(row);
    state->count--;
    memmove(row, row + 1, (size_t)(state->count - position) * sizeof *row);
}

static cJSON *apply_purge(struct state *state, double now, int limit)
{
    cJSON *ids = apply_expired(state, now, limit);
    const cJSON *id;

    cJSON_ArrayForEach(id, ids)
    {
        remove_row(state, id->valuestring);
    }
    return ids;
}

static cJSON *apply_counts(const struct state *state)
{
    cJSON *counted = must(cJSON_CreateObject());
    int done = 0;

    for (int i = 0; i < state->count; i++)
        done += state->rows[i].done;
    cJSON_AddNumberToObject(counted, "pending", state->count - done);
    cJSON_AddNumberToObject(counted, "done", done);
    return counted;
}

static bool apply_retention_cycle(struct state *state, const char *key)
{
    apply_reserve(state, key, "v1", 10);
    apply_finish(state, key, "v1", "{\"receipt\":1}");
    cJSON_Delete(apply_purge(state, 10, LIMIT_DEFAULT));
    return apply_reserve(state, key, "v2", 20);
}

/* ---- From a call object to one of the above ------------------------------------------------------------ */

static const cJSON *argument(const cJSON *call, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(call, "args"), index);
}

static const char *text_at(const cJSON *call, int index)
{
    return cJSON_GetStringValue(
        (cJSON *)argument(call, index)); /* NULL for a JSON null; old cJSON wants no const */
}

static double number_at(const cJSON *call, int index)
{
    return argument(call, index)->valuedouble;
}

/* An integer from 1 to 100 of JSON's own kind: neither true nor 1.5, which have the valueint 1 too. */
static bool limit_at(const cJSON *call, int index, int *limit)
{
    const cJSON *given = argument(call, index);

    *limit = LIMIT_DEFAULT;
    if (cJSON_IsNull(given))
        return true;
    const cJSON *item = given->child;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1 && item->valuedouble <= LIMIT_MAX))
        return false;
    *limit = (int)item->valuedouble;
    return *limit == item->valuedouble;
}

static bool is_one_json_value(const char *response)
{
    cJSON *value = response == NULL ? NULL : cJSON_ParseWithOpts(response, NULL, true);
    bool is = value != NULL;

    cJSON_Delete(value);
    return is;
}

static struct answer call_init_db(struct state *state, const cJSON *call)
{
    (void)state;
    (void)call;
    return status_only(STATUS_OK);
}

static struct answer call_reserve(struct state *state, const cJSON *call)
{
    const char *key = text_at(call, 0);
    const char *digest = text_at(call, 1);

    if (key == NULL || digest == NULL)
        return status_only(STATUS_INVALID);
    return ok_flag(apply_reserve(state, key, digest, number_at(call, 2)));
}

static struct answer call_finish(struct state *state, const cJSON *call)
{
    const char *key = text_at(call, 0);
    const char *digest = text_at(call, 1);
    const char *response = text_at(call, 2);

    if (key == NULL || digest == NULL || !is_one_json_value(response))
        return status_only(STATUS_INVALID);
    return ok_flag(apply_finish(state, key, digest, response));
}

static struct answer call_fetch(struct state *state, const cJSON *call)
{
    const char *key = text_at(call, 0);

    return key == NULL ? status_only(STATUS_INVALID) : apply_fetch(state, key, number_at(call, 1));
}

static struct answer call_expired(struct state *state, const cJSON *call)
{
    int limit;

    if (!limit_at(call, 1, &limit))
        return status_only(STATUS_INVALID);
    return ok_item(apply_expired(state, number_at(call, 0), limit));
}

static struct answer call_purge(struct state *state, const cJSON *call)
{
    int limit;

    if (!limit_at(call, 1, &limit))
        return status_only(STATUS_INVALID);
    return ok_item(apply_purge(state, number_at(call, 0), limit));
}

static struct answer call_counts(struct state *state, const cJSON *call)
{
    (void)call;
    return ok_item(apply_counts(state));
}

static struct answer call_retention_cycle(struct state *state, const cJSON *call)
{
    const char *key = text_at(call, 0);

    return key == NULL ? status_only(STATUS_INVALID) : ok_flag(apply_retention_cycle(state, key));
}

static const struct {
    const char *name;
    struct answer (*apply)(struct state *state, const cJSON *call);
} call_kinds[] = {
    {"init-db", call_init_db}, {"reserve", call_reserve},
    {"finish", call_finish},   {"fetch", call_fetch},
    {"expired", call_expired}, {"purge", call_purge},
    {"counts", call_counts},   {"retention-cycle", call_retention_cycle},
};

static struct answer apply(void *state, const cJSON *call)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call, "call"));

    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(call, "path")) ||
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(call, "no_out")))
        return status_only(STATUS_INVALID);
    for (int i = 0; i < COUNT_OF(call_kinds); i++)
        if (strcmp(call_kinds[i].name, name) == 0)
            return call_kinds[i].apply(state, call);
    abort(); /* a call that no lab page knows: the kit's own mistake */
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static char *sentence(const char *before, const char *quoted, const char *after)
{
    char *shown = must(text_quoted(quoted, strlen(quoted), 80));
    char *out = NULL;

    if (asprintf(&out, "%s%s%s", before, shown, after) < 0)
        abort();
    free(shown);
    return out;
}

/* A text of the contract: of SQLite's type text, and without a NUL byte, which no string of the service
 * can hold. */
static bool is_text(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_TEXT &&
           strlen((const char *)sqlite3_column_text(stmt, column)) ==
               (size_t)sqlite3_column_bytes(stmt, column);
}

/* What is wrong with the row that a statement stands on, as the end of a sentence; NULL when nothing is. */
static const char *fault_of_row(sqlite3_stmt *stmt)
{
    if (!is_text(stmt, 0))
        return ": its id is not a text";
    if (!is_text(stmt, 1))
        return ": its fingerprint is not a text";
    if (!is_text(stmt, 2))
        return ": its status is not a text";
    const char *status = (const char *)sqlite3_column_text(stmt, 2);
    if (strcmp(status, "pending") != 0 && strcmp(status, "done") != 0)
        return ": its status is neither pending nor done";
    if (sqlite3_column_type(stmt, 3) != SQLITE_NULL && !is_text(stmt, 3))
        return ": its response is neither a text nor NULL";
    if (sqlite3_column_type(stmt, 4) != SQLITE_FLOAT)
        return ": its expires is not a real number";
    return NULL;
}

static const char *column(sqlite3_stmt *stmt, int index)
{
    return (const char *)sqlite3_column_text(stmt, index);
}

/* Takes the row that the statement stands on into the state, or says why not. */
static bool load_row(struct state *state, sqlite3_stmt *stmt, char **why)
{
    const char *fault = fault_of_row(stmt);
    const char *id = column(stmt, 0);

    if (fault != NULL)
        *why = sentence("the row ", id == NULL ? "NULL" : id, fault);
    else if (state->count == LOAD_MAX_ROWS)
        *why = copy_text("the table holds more rows than any call could have made");
    else
        state_put(state, id, column(stmt, 1), column(stmt, 2), column(stmt, 3),
                  sqlite3_column_double(stmt, 4));
    return *why == NULL;
}

static void *load(sqlite3 *db, char **why)
{
    struct state *state = create();
    sqlite3_stmt *stmt = statement_for(db, "SELECT id, fingerprint, status, response, expires FROM keys");
    int step = SQLITE_ERROR;

    *why = NULL;
    while (stmt != NULL && (step = sqlite3_step(stmt)) == SQLITE_ROW && load_row(state, stmt, why))
        continue;
    if (*why == NULL && step != SQLITE_DONE)
        *why = sentence("the table cannot be read: ", sqlite3_errmsg(db), "");
    sqlite3_reset(stmt);
    if (*why == NULL)
        return state;
    destroy(state);
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Whether the state has a row like this one in every column. */
static bool has_row(const struct state *state, const struct row *row)
{
    const struct row *there = row_with(state, row->id);

    return there != NULL && there->done == row->done && there->expires == row->expires &&
           same_text(there->fingerprint, row->fingerprint) && same_text(there->response, row->response);
}

static bool equal(const void *a, const void *b)
{
    const struct state *first = a;
    const struct state *second = b;
    bool same = first->count == second->count;

    for (int i = 0; same && i < first->count; i++)
        same = has_row(second, &first->rows[i]);
    return same;
}

static int bind_text(sqlite3_stmt *stmt, int position, const char *value)
{
    return sqlite3_bind_text(stmt, position, value, value == NULL ? 0 : (int)strlen(value), SQLITE_STATIC);
}

/* Runs a statement with the values of a row, as many as it takes. */
static int run_with_row(sqlite3 *db, const char *sql, const struct row *row)
{
    sqlite3_stmt *stmt = statement_for(db, sql);

    if (stmt == NULL)
        return sqlite3_errcode(db);
    bind_text(stmt, 1, row->id);
    if (sqlite3_bind_parameter_count(stmt) > 1) {
        bind_text(stmt, 2, row->fingerprint);
        bind_text(stmt, 3, status_of(row));
        bind_text(stmt, 4, row->response);
        sqlite3_bind_double(stmt, 5, row->expires);
    }
    sqlite3_step(stmt);
    return sqlite3_reset(stmt);
}

/* Rows that need no change are not touched: in a race the other side must write no more than its call
 * does. */
static int write_differences(sqlite3 *db, const struct state *now, const struct state *wanted)
{
    int result = SQLITE_OK;
    int position;

    for (int i = 0; i < now->count && result == SQLITE_OK; i++)
        if (!find(wanted, now->rows[i].id, &position))
            result = run_with_row(db, "DELETE FROM keys WHERE id=?", &now->rows[i]);
    for (int i = 0; i < wanted->count && result == SQLITE_OK; i++)
        if (!has_row(now, &wanted->rows[i]))
            result = run_with_row(
                db, "REPLACE INTO keys(id, fingerprint, status, response, expires) VALUES(?,?,?,?,?)",
                &wanted->rows[i]);
    return result;
}

/* A table that cannot be taken in, say for a row of another status, is emptied first. */
static int store(const void *state, sqlite3 *db)
{
    char *why;
    struct state *now = load(db, &why);
    int result = SQLITE_OK;

    if (now == NULL) {
        free(why);
        now = create();
        result = statement_run(db, "DELETE FROM keys");
    }
    if (result == SQLITE_OK)
        result = write_differences(db, now, state);
    destroy(now);
    return result;
}

/* ---- Calls by chance ----------------------------------------------------------------------------------- */

/*
 * A run deals cards from a shuffled deck, one for each way in which calls and rows can meet. A card whose scene is not
 * set makes the call that brings it nearer and stays on top, so that a run of some length plays every scene, with every
 * seed; by chance are the order, the rows and the values. Keys, digests, times and responses are plain, pointers
 * and limits right: what is odd about a single argument has a clause of its own.
 *
 * Each new key is smaller than those before it, so the order in which rows came is never that of their ids.
 */
enum card {
    INIT,
    RESERVE_NEW,
    RESERVE_PENDING,
    RESERVE_SAME,
    RESERVE_DONE,
    RESERVE_AGAIN,
    FINISH_RIGHT,
    FINISH_PAST,
    FINISH_OTHER_DIGEST,
    FINISH_DONE,
    FINISH_MISSING,
    FETCH_BEFORE,
    FETCH_AT,
    FETCH_AFTER,
    FETCH_PENDING,
    FETCH_MISSING,
    EXPIRED_NONE,
    EXPIRED_ONE,
    EXPIRED_AT,
    EXPIRED_ALL,
    PURGE_NONE,
    PURGE_ONE,
    PURGE_AT,
    PURGE_ALL,
    COUNTS,
    COUNTS_AGAIN,
    CARDS
};
/* The last card of each stage; a cycle is no card: it is promised something on an empty table only. */
static const int last_cards[8] = {INIT,        RESERVE_AGAIN, FINISH_MISSING, FETCH_MISSING,
                                  EXPIRED_ALL, PURGE_ALL,     COUNTS_AGAIN,   COUNTS_AGAIN};

static struct {
    int order[CARDS];
    int next, count;
    int keys; /* made so far */
} deck;

static const double future = 4102444800;
enum { PAST_MAX = 40 }; /* expires of rows that purges may take */

static double draw_past(struct rng *rng)
{
    return 1 + rng_below(rng, PAST_MAX);
}

static cJSON *reserve_new(struct rng *rng, bool past)
{
    char key[16], digest[16];

    snprintf(key, sizeof key, "k%05d", 99999 - deck.keys++);
    snprintf(digest, sizeof digest, "d%d", rng_below(rng, 1000));
    return reserve(key, digest, past ? draw_past(rng) : future + rng_below(rng, 3));
}

static cJSON *finish_row(struct rng *rng, const struct row *row, const char *digest)
{
    char response[32];

    snprintf(response, sizeof response, "{\"receipt\":%d}", rng_below(rng, 1000));
    return finish(row->id, digest, response);
}

enum wanted { DONE = 1, PENDING = 2, PAST = 4, FUTURE = 8 };

static bool is(const struct row *row, int wanted)
{
    return (!(wanted & DONE) || row->done) && (!(wanted & PENDING) || !row->done) &&
           (!(wanted & PAST) || row->expires <= PAST_MAX) && (!(wanted & FUTURE) || row->expires > PAST_MAX);
}

static int count_rows(const struct state *state, int wanted)
{
    int count = 0;

    for (int i = 0; i < state->count; i++)
        count += is(&state->rows[i], wanted);
    return count;
}

/* One of these rows, which by chance; NULL when there is none. */
static const struct row *draw_row(struct rng *rng, const struct state *state, int wanted)
{
    int count = count_rows(state, wanted);
    int left = count > 0 ? rng_below(rng, count) : 0;

    for (int i = 0; i < state->count; i++)
        if (is(&state->rows[i], wanted) && left-- == 0)
            return &state->rows[i];
    return NULL;
}

/* The call after which there is a row as wanted, or at least one that can become so. */
static cJSON *bring(struct rng *rng, const struct state *state, int wanted)
{
    const struct row *row = wanted & DONE ? draw_row(rng, state, PENDING | (wanted & (PAST | FUTURE))) : NULL;

    return row != NULL ? finish_row(rng, row, row->fingerprint)
                       : reserve_new(rng, wanted & PAST || (!(wanted & FUTURE) && rng_below(rng, 2)));
}

/*
 * Where a limit matters: two done rows that have expired, the one with the smaller id later; and before them a pending row
 * that is as old. NULL: the scene is set. New ids are the smaller ones, so rows have to come in this order.
 */
static cJSON *set_scene_of_limit(struct rng *rng, const struct state *state)
{
    const struct row *first = NULL, *second = NULL;

    for (int i = 0; i < state->count; i++) {
        const struct row *row = &state->rows[i];
        if (!is(row, DONE | PAST))
            continue;
        if (first == NULL)
            first = row;
        else if (second == NULL && row->expires < first->expires)
            second = row;
    }
    if (first == NULL || second == NULL)
        return bring(rng, state, DONE | PAST);
    return is(&state->rows[0], PENDING | PAST) ? NULL : reserve_new(rng, true);
}

static cJSON *play_reserve(struct rng *rng, const struct state *state, int card, bool *played)
{
    const struct row *row = draw_row(rng, state,
                                     card == RESERVE_DONE    ? DONE | PAST
                                     : card == RESERVE_AGAIN ? 0
                                                             : PENDING | PAST);
    char key[16];

    if (card == RESERVE_NEW)
        return reserve_new(rng, false);
    if (card == RESERVE_AGAIN) { /* a key of this run, there or gone */
        snprintf(key, sizeof key, "k%05d", 99999 - rng_below(rng, deck.keys + 1));
        return reserve(key, "again", draw_past(rng));
    }
    *played = row != NULL;
    if (row == NULL)
        return bring(rng, state, card == RESERVE_DONE ? DONE | PAST : PENDING | PAST);
    return card == RESERVE_SAME ? reserve(row->id, row->fingerprint, row->expires + 1)
                                : reserve(row->id, "another", future + 10);
}

static cJSON *play_finish(struct rng *rng, const struct state *state, int card, bool *played)
{
    int wanted = card == FINISH_DONE ? DONE : card == FINISH_PAST ? PENDING | PAST : PENDING;
    const struct row *row = draw_row(rng, state, wanted);

    if (card == FINISH_MISSING)
        return finish("missing", "d1", "{\"receipt\":0}");
    *played = row != NULL;
    if (row == NULL)
        return bring(rng, state, wanted);
    return finish_row(rng, row, card == FINISH_OTHER_DIGEST ? "another" : row->fingerprint);
}

static cJSON *play_fetch(struct rng *rng, const struct state *state, int card, bool *played)
{
    int wanted = card == FETCH_PENDING ? PENDING : DONE;
    const struct row *row = draw_row(rng, state, wanted);

    if (card == FETCH_MISSING)
        return fetch("missing", draw_past(rng));
    *played = row != NULL;
    if (row == NULL)
        return bring(rng, state, wanted);
    return fetch(row->id, row->expires + (card == FETCH_AT ? 0 : card == FETCH_AFTER ? 1 : -1));
}

/* At a time, with a limit of as many or of one; the purge alike. */
static cJSON *play_listing(struct rng *rng, const struct state *state, int card, bool *played)
{
    bool purges = card >= PURGE_NONE;
    int scene = purges ? card - PURGE_NONE : card - EXPIRED_NONE;
    const struct row *row = draw_row(rng, state, DONE | PAST);
    cJSON *setting = scene == 0
                         ? (count_rows(state, DONE | FUTURE) > 0 ? NULL : bring(rng, state, DONE | FUTURE))
                     : scene == 2 ? (row != NULL ? NULL : bring(rng, state, DONE | PAST))
                                  : set_scene_of_limit(rng, state);
    double now = scene == 0 ? -1000 : scene == 2 && row != NULL ? row->expires : PAST_MAX + 1;
    int limit = scene == 1 ? 1 : 50 + rng_below(rng, 40);

    *played = setting == NULL;
    if (setting != NULL)
        return setting;
    return purges ? purge(now, number(limit)) : expired(now, number(limit));
}

static cJSON *play_counts(struct rng *rng, const struct state *state, bool *played)
{
    int wanted = count_rows(state, DONE | PAST) == 0 ? DONE | PAST
                 : count_rows(state, PENDING) == 0   ? PENDING
                                                     : 0;

    *played = wanted == 0;
    return wanted == 0 ? counts() : bring(rng, state, wanted);
}

static cJSON *play(struct rng *rng, const struct state *state, int card, int stage, bool *played)
{
    *played = true;
    if (card == INIT) {
        *played = state->count > 0 || stage == 1;
        return *played ? init_db() : reserve_new(rng, true);
    }
    if (card <= RESERVE_AGAIN) {
        if (card == RESERVE_DONE && stage < 3) /* no row is done before there is a finish */
            card = RESERVE_PENDING;
        return play_reserve(rng, state, card, played);
    }
    if (card <= FINISH_MISSING)
        return play_finish(rng, state, card, played);
    if (card <= FETCH_MISSING)
        return play_fetch(rng, state, card, played);
    return card <= PURGE_ALL ? play_listing(rng, state, card, played) : play_counts(rng, state, played);
}

/* The first call finds an empty table: what is promised something there alone. After a cycle nothing is done yet. */
static cJSON *open_run(struct rng *rng, int stage, int number)
{
    char key[16];

    if (number > 0)
        return counts();

    snprintf(key, sizeof key, "z%d", rng_below(rng, 1000)); /* behind all that come later */
    switch (stage) {
    case 8:
        return retention_cycle(key);
    case 7:
        return counts();
    case 5:
        return expired(draw_past(rng), NULL);
    default:
        return init_db();
    }
}

static cJSON *draw(struct rng *rng, const void *state, int stage, int number)
{
    bool played;

    if (number == 0)
        memset(&deck, 0, sizeof deck);
    if (number == 0 || (number == 1 && stage == 8))
        return open_run(rng, stage, number);
    if (deck.next >= deck.count) {
        deck.count = last_cards[stage - 1] + 1;
        deck.next = 0;
        rng_shuffle(rng, deck.order, deck.count);
    }
    cJSON *call = play(rng, state, deck.order[deck.next], stage, &played);
    deck.next += played;
    return call;
}

const struct model idem_model = {
    .create = create,
    .copy = copy,
    .destroy = destroy,
    .apply = apply,
    .equal = equal,
    .text = text,
    .load = load,
    .store = store,
    .draw = draw,
};
