/*
 * tally_lab.c - what the judge is told of the tally lab: its stages, its clauses and its model.
 *
 * The smallest lab that uses every kind of clause. It is judged only in the kit's own tests, to show that the judge
 * knows no lab.
 */
#include "judge/trial.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Calls --------------------------------------------------------------------------------------------- */

static cJSON *call_of(const char *name)
{
    cJSON *call = cJSON_CreateObject();

    cJSON_AddStringToObject(call, "call", name);
    cJSON_AddArrayToObject(call, "args");
    return call;
}

static cJSON *init(void)
{
    return call_of("init");
}

static cJSON *add(const char *name, double amount)
{
    cJSON *call = call_of("add");
    cJSON *args = cJSON_GetObjectItemCaseSensitive(call, "args");

    cJSON_AddItemToArray(args, name == NULL ? cJSON_CreateNull() : cJSON_CreateString(name));
    cJSON_AddItemToArray(args, cJSON_CreateNumber(amount));
    return call;
}

static cJSON *without(cJSON *call, const char *what)
{
    if (strcmp(what, "path") == 0)
        cJSON_AddNullToObject(call, "path");
    else
        cJSON_AddTrueToObject(call, "no_out");
    return call;
}

/* ---- The model: a total for each of a few names -------------------------------------------------------- */

/* Every name that a clause or a random run uses; a row is there once something was added to it. */
static const char *const names[] = {"tea", "Tea", "tea ", "caf\xc3\xa9", "it's", ""};
enum { NAMES = sizeof names / sizeof names[0] };

struct state {
    bool there[NAMES];
    double total[NAMES];
};

static int index_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static void *create(void)
{
    struct state *state = calloc(1, sizeof *state);

    if (state == NULL)
        abort();
    return state;
}

static void *copy(const void *state)
{
    return memcpy(create(), state, sizeof(struct state));
}

static bool equal(const void *a, const void *b)
{
    const struct state *first = a;
    const struct state *second = b;

    for (int i = 0; i < NAMES; i++)
        if (first->there[i] != second->there[i] || first->total[i] != second->total[i])
            return false;
    return true;
}

static char *text(const void *state)
{
    const struct state *s = state;
    char *out = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&out, &length);

    for (int i = 0; to != NULL && i < NAMES; i++)
        if (s->there[i])
            fprintf(to, "\"%s\" %g\n", names[i], s->total[i]);
    if (to != NULL)
        fclose(to);
    return out;
}

static struct answer apply(void *state, const cJSON *call)
{
    struct state *s = state;
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(call, "args");
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(args, 0));
    char number[32];

    if (cJSON_HasObjectItem(call, "no_out") || cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(call, "path")))
        return (struct answer){STATUS_INVALID, NULL};
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call, "call")), "init") == 0)
        return (struct answer){STATUS_OK, NULL};
    if (name == NULL)
        return (struct answer){STATUS_INVALID, NULL};
    int i = index_of(name);
    s->there[i] = true;
    s->total[i] += cJSON_GetArrayItem(args, 1)->valuedouble;
    json_number(number, s->total[i]);
    return (struct answer){STATUS_OK, strdup(number)};
}

/* False for a row that no call can have made. */
static bool load_row(struct state *state, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    int i = name == NULL ? -1 : index_of(name);

    if (i < 0)
        return false;
    state->there[i] = true;
    state->total[i] = sqlite3_column_double(stmt, 1);
    return true;
}

static void *load(sqlite3 *db, char **why)
{
    struct state *state = create();
    sqlite3_stmt *stmt = NULL;
    int step = sqlite3_prepare_v2(db, "SELECT name, total FROM tally", -1, &stmt, NULL);

    if (step == SQLITE_OK)
        while ((step = sqlite3_step(stmt)) == SQLITE_ROW && load_row(state, stmt))
            continue;
    *why = step == SQLITE_DONE  ? NULL
           : step == SQLITE_ROW ? strdup("a row has a name that nobody gave")
                                : strdup(sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    if (step == SQLITE_DONE)
        return state;
    free(state);
    return NULL;
}

static int store(const void *state, sqlite3 *db)
{
    const struct state *s = state;
    int result = sqlite3_exec(db, "DELETE FROM tally", NULL, NULL, NULL);

    for (int i = 0; i < NAMES && result == SQLITE_OK; i++) {
        char *sql = sqlite3_mprintf("INSERT INTO tally VALUES(%Q, %.17g)", names[i], s->total[i]);
        if (s->there[i])
            result = sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    return result;
}

static cJSON *draw(struct rng *rng, const void *state, int stage, int number)
{
    (void)number;
    int name = rng_below(rng, NAMES);
    double amount = rng_below(rng, 9) - 4;

    (void)state;
    return stage < 2 || rng_below(rng, 10) == 0 ? init() : add(names[name], amount / 4);
}

static const struct model model = {
    .create = create,
    .copy = copy,
    .destroy = free,
    .apply = apply,
    .equal = equal,
    .text = text,
    .load = load,
    .store = store,
    .draw = draw,
};

/* ---- Clauses ------------------------------------------------------------------------------------------- */

static double draw_amount(struct trial *t)
{
    return 1 + rng_below(trial_rng(t), 1000) / 4.0;
}

static void table_is_there(struct trial *t)
{
    expect(t, "OK", init());
    expect_equal(t, "the columns", "name TEXT 0, total REAL 1",
                 trial_ask(t, "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\", ', ')"
                              " FROM pragma_table_info('tally')"));
    trial_sql(t, "INSERT INTO tally VALUES('tea', 7)");
    expect_equal(t, "the totals", "7.0", trial_ask(t, "SELECT sum(total) FROM tally"));
    if (!trial_over(t))
        *(struct state *)trial_state(t) = (struct state){.there = {true}, .total = {7}};
    expect(t, "OK", init());
}

static void craft_of_init(struct trial *t)
{
    trial_refusals(t, false, init());
    expect(t, "OK", init());
    expect(t, "INVALID", without(init(), "path"));
}

static void adds_to_this_name(struct trial *t)
{
    double amount = draw_amount(t);

    for (int i = 0; i < NAMES; i++) {
        expect(t, NULL, add(names[i], amount + i));
        expect(t, NULL, add(names[i], -0.25));
    }
    expect(t, NULL, add(names[0], amount));
    expect(t, NULL, add(names[0], 0));
}

static void null_is_invalid(struct trial *t)
{
    double amount = draw_amount(t);

    expect(t, "INVALID", add(NULL, amount));
    expect(t, "INVALID", without(add("tea", amount), "path"));
    expect(t, "INVALID", without(add("tea", amount), "out"));
    expect(t, NULL, add("tea", amount));
}

static void two_callers_at_once(struct trial *t)
{
    cJSON *others = cJSON_CreateArray();

    expect(t, NULL, add("tea", draw_amount(t)));
    cJSON_AddItemToArray(others, add("tea", 3));
    cJSON_AddItemToArray(others, add("Tea", 5));
    trial_race(t, false, add("tea", 1), others);
}

static void craft_of_add(struct trial *t)
{
    expect(t, NULL, add("tea", draw_amount(t)));
    expect(t, "INVALID", add(NULL, 1));
    trial_refusals(t, false, add("tea", 1));
    trial_refusals(t, false, add("it's", 1));
}

static void random_run(struct trial *t)
{
    trial_random(t, 2);
}

static const struct clause init_clauses[] = {
    {"1.1", "the table is there, and called again it keeps every row", NUMBERED, table_is_there},
    {"1.C", "craft: every call leaves nothing open and nothing allocated", CRAFT, craft_of_init},
    {0},
};

static const struct clause add_clauses[] = {
    {"2.1", "adds to the total of this name and of no other, and gives the new total", NUMBERED,
     adds_to_this_name},
    {"2.2", "a NULL path, name or result pointer is INVALID and changes nothing", NUMBERED, null_is_invalid},
    {"2.3", "of two callers at once neither loses what the other has added", RACE, two_callers_at_once},
    {"2.C", "craft: every call leaves nothing open and nothing allocated", CRAFT, craft_of_add},
    {"2.R", "random: a long random run agrees with the model", RANDOM, random_run},
    {0},
};

/* ---- The lab ------------------------------------------------------------------------------------------- */

static const struct stage stages[] = {
    {"01", "init", false, init_clauses},
    {"02", "add", true, add_clauses},
    {NULL, NULL, false, NULL},
};

/* There is no program to make a call by hand. */
static char *by_hand(const cJSON *call)
{
    (void)call;
    return NULL;
}

const struct lab tally_lab = {
    .name = "tally",
    .file = "service.c",
    .header = "service.h",
    .schema = "CREATE TABLE tally(name TEXT PRIMARY KEY, total REAL NOT NULL)",
    .stages = stages,
    .model = &model,
    .by_hand = by_hand,
};
