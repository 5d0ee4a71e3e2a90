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
    sqlite3_stmt *stmt = NULL;
    int step = sqlite3_prepare_v2(db, "SELECT id, fingerprint, status, response, expires FROM keys", -1,
                                  &stmt, NULL);

    *why = NULL;
    if (step == SQLITE_OK)
        while ((step = sqlite3_step(stmt)) == SQLITE_ROW && load_row(state, stmt, why))
            continue;
    if (*why == NULL && step != SQLITE_DONE)
        *why = sentence("the table cannot be read: ", sqlite3_errmsg(db), "");
    sqlite3_finalize(stmt);
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

/* Runs a statement with the values of a row, as many as it takes; prepares it when it is first needed. */
static int run_with_row(sqlite3 *db, const char *sql, sqlite3_stmt **stmt, const struct row *row)
{
    int result = *stmt == NULL ? sqlite3_prepare_v2(db, sql, -1, stmt, NULL) : SQLITE_OK;

    if (result != SQLITE_OK)
        return result;
    bind_text(*stmt, 1, row->id);
    if (sqlite3_bind_parameter_count(*stmt) > 1) {
        bind_text(*stmt, 2, row->fingerprint);
        bind_text(*stmt, 3, status_of(row));
        bind_text(*stmt, 4, row->response);
        sqlite3_bind_double(*stmt, 5, row->expires);
    }
    sqlite3_step(*stmt);
    return sqlite3_reset(*stmt);
}

/* Rows that need no change are not touched: in a race the other side must write no more than its call
 * does. */
static int write_differences(sqlite3 *db, const struct state *now, const struct state *wanted)
{
    sqlite3_stmt *removes = NULL;
    sqlite3_stmt *replaces = NULL;
    int result = SQLITE_OK;
    int position;

    for (int i = 0; i < now->count && result == SQLITE_OK; i++)
        if (!find(wanted, now->rows[i].id, &position))
            result = run_with_row(db, "DELETE FROM keys WHERE id=?", &removes, &now->rows[i]);
    for (int i = 0; i < wanted->count && result == SQLITE_OK; i++)
        if (!has_row(now, &wanted->rows[i]))
            result = run_with_row(
                db, "REPLACE INTO keys(id, fingerprint, status, response, expires) VALUES(?,?,?,?,?)",
                &replaces, &wanted->rows[i]);
    sqlite3_finalize(removes);
    sqlite3_finalize(replaces);
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
        result = sqlite3_exec(db, "DELETE FROM keys", NULL, NULL, NULL);
    }
    if (result == SQLITE_OK)
        result = write_differences(db, now, state);
    destroy(now);
    return result;
}

/* ---- Calls by chance ----------------------------------------------------------------------------------- */

/*
 * Few keys, few digests and times from a small grid: so calls meet each other's rows, and boundaries are
 * hit. Before stage 06 nothing takes a key away, so there are more of them, else the run would soon stand
 * still; in stage 08 there are two, so that the table is empty now and then and a cycle can begin.
 */
static const double grid[] = {-1.5, 0, 0.5, 1, 9.75, 10, 20, 1767225600, 1767225600.25};
static const char *const odd_keys[] = {"a", "A",    "a ",           "\xc3\xa9", "e\xcc\x81",
                                       "",  "it's", "\xe9\x8d\xb5", "%"};
static const char *const digests[] = {"d1", "d1 ", "D1"};

static double draw_grid(struct rng *rng)
{
    return grid[rng_below(rng, COUNT_OF(grid))];
}

static const char *draw_digest_text(struct rng *rng)
{
    return digests[rng_below(rng, COUNT_OF(digests))];
}

/* Half of the keys drawn are in the table. `room` holds a text that is made up. */
static const char *draw_key_text(struct rng *rng, const struct state *state, int stage, char room[16])
{
    int range = stage < 6 ? 48 : stage < 8 ? 6 : 2;
    int chance = rng_below(rng, range);

    if (state->count > 0 && rng_below(rng, 2) == 0)
        return state->rows[rng_below(rng, state->count)].id;
    if (chance < COUNT_OF(odd_keys))
        return odd_keys[chance];
    snprintf(room, 16, "k%d", chance);
    return room;
}

/* A pending row, if there is one; which, by chance. */
static const struct row *draw_pending(struct rng *rng, const struct state *state)
{
    int start = state->count > 0 ? rng_below(rng, state->count) : 0;

    for (int i = 0; i < state->count; i++) {
        const struct row *row = &state->rows[(start + i) % state->count];
        if (!row->done)
            return row;
    }
    return NULL;
}

static cJSON *draw_reserve(struct rng *rng, const struct state *state, int stage)
{
    char room[16];
    const char *key = draw_key_text(rng, state, stage, room);
    const char *digest = draw_digest_text(rng);

    return reserve(key, digest, draw_grid(rng));
}

/* Three of four go to a pending row, and most of them bring its digest. */
static cJSON *draw_finish(struct rng *rng, const struct state *state, int stage)
{
    char room[16];
    const char *key = draw_key_text(rng, state, stage, room);
    const char *digest = draw_digest_text(rng);
    const char *response = rng_below(rng, 10) == 0 ? bad_response(rng_below(rng, bad_response_count()))
                                                   : response_text(rng_below(rng, response_count()));
    const struct row *row = rng_below(rng, 4) != 0 ? draw_pending(rng, state) : row_with(state, key);

    if (row != NULL)
        key = row->id;
    if (row != NULL && rng_below(rng, 4) != 0)
        digest = row->fingerprint;
    return finish(key, digest, response);
}

/* Half of the times are the row's own. */
static cJSON *draw_fetch(struct rng *rng, const struct state *state, int stage)
{
    char room[16];
    const char *key = draw_key_text(rng, state, stage, room);
    const struct row *row = row_with(state, key);
    double now = draw_grid(rng);

    if (row != NULL && rng_below(rng, 4) == 0)
        now = row->expires;
    else if (row != NULL && rng_below(rng, 3) == 0)
        now = just_before(row->expires);
    return fetch(key, now);
}

/* Mostly small, so that a limit cuts something off. */
static cJSON *draw_limit(struct rng *rng)
{
    switch (rng_below(rng, 8)) {
    case 0:
        return bad_limit(rng_below(rng, 8)); /* the plain ones: they are where a service goes wrong */
    case 1:
    case 2:
        return NULL;
    case 3:
        return number(100);
    default:
        return number(1 + rng_below(rng, 3));
    }
}

/* Chances of the functions of stages 1 to 8; the stage's own function has OWN_CHANCE more. */
static const int chances[8] = {1, 6, 6, 4, 4, 3, 2, 0};
enum { OWN_CHANCE = 6 };

/* A cycle is promised something only on an empty table, and is drawn whenever the table is empty: so each run of stage 08,
 * which begins with an empty one, has at least one. */
static int draw_function(struct rng *rng, const struct state *state, int stage)
{
    int chance[8] = {0};
    int sum = 0;

    if (stage == 8 && state->count == 0)
        return 8;
    for (int i = 0; i < stage; i++)
        sum += chance[i] = i == 7 && state->count > 0 ? 0 : chances[i] + (i == stage - 1 ? OWN_CHANCE : 0);
    int left = rng_below(rng, sum);
    int function = 0;
    while (left >= chance[function])
        left -= chance[function++];
    return function + 1;
}

static cJSON *draw_call(struct rng *rng, const struct state *state, int stage)
{
    char room[16];
    double now = draw_grid(rng);

    switch (draw_function(rng, state, stage)) {
    case 1:
        return init_db();
    case 2:
        return draw_reserve(rng, state, stage);
    case 3:
        return draw_finish(rng, state, stage);
    case 4:
        return draw_fetch(rng, state, stage);
    case 5:
        return expired(now, draw_limit(rng));
    case 6:
        return purge(now, draw_limit(rng));
    case 7:
        return counts();
    default:
        return retention_cycle(draw_key_text(rng, state, stage, room));
    }
}

/* Makes one pointer of a call NULL. */
static cJSON *spoil(struct rng *rng, cJSON *call)
{
    cJSON *args = cJSON_GetObjectItemCaseSensitive(call, "args");
    int which = rng_below(rng, 3);

    if (which == 0 && cJSON_IsString(argument(call, 0))) {
        cJSON_ReplaceItemInArray(args, 0, must(cJSON_CreateNull()));
        return call;
    }
    return which == 1 && cJSON_GetArraySize(args) > 0 ? without_out(call) : with_path(call, NULL);
}

/* In stage 01 nothing is spoiled: before the first call there is no table whose rows could have stayed. */
static cJSON *draw(struct rng *rng, const void *state, int stage)
{
    cJSON *call = draw_call(rng, state, stage);

    return stage > 1 && rng_below(rng, 16) == 0 ? spoil(rng, call) : call;
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
