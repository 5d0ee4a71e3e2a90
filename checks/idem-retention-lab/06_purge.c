/*
 * 06_purge.c - the clauses of stage 06: what expired would list is deleted, all of it or nothing, and never
 * a pending row.
 */
#include "clauses.h"

#include "base/language.h"

static void deletes_what_expired_would_list(struct trial *t)
{
    int count;
    const char *const *ids = ids_in_order(&count);
    double expires = draw_time(t);

    have_bystanders(t);
    have_disordered_rows(t, ids, count, expires);
    expect(t, "OK []", purge(expires - 1000, NULL));
    expect(t, ok_ids(t, ids, 1), purge(expires, number(1)));
    expect(t, ok_ids(t, ids + 1, 10), purge(expires, NULL));
    expect(t, ok_ids(t, ids + 11, count - 11), purge(expires, number(50)));
    expect(t, "OK []", purge(expires, NULL));
}

static void pending_rows_stay(struct trial *t)
{
    struct input in = draw_input(t);
    const char *id = kept(t, "b-%s", in.key);

    have_rows(t, 100, "a-", "pending", NULL, -1000);
    have_rows(t, 20, "c-", "pending", NULL, -1000);
    have_row(t, id, in.digest, "done", in.response, in.time);
    expect(t, ok_ids(t, &id, 1), purge(in.time + 1, number(1)));
    expect(t, "OK []", purge(in.time + 1, number(50)));
    expect(t, "OK []", purge(LAST_TIME, NULL));
}

static void rows_not_expired_stay(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < boundary_count() && !trial_over(t); i++) {
        double now = boundary(i);
        struct input in = draw_input(t);
        have_row(t, in.key, in.digest, "done", in.response, just_after(now));
        expect(t, "OK []", purge(now, NULL));
        expect(t, ok_ids(t, &in.key, 1), purge(LAST_TIME / 4, NULL));
    }
}

static void limit_is_checked(struct trial *t)
{
    double now = draw_time(t);
    const char *id = have_done(t, "{\"receipt\":1}", now - 1);

    have_bystanders(t);
    for (int i = 0; i < bad_limit_count() && !trial_over(t); i++)
        expect(t, "INVALID", purge(now, bad_limit(i)));
    expect(t, ok_ids(t, &id, 1), purge(now, number(1)));
    id = have_done(t, "{\"receipt\":2}", now - 1);
    expect(t, ok_ids(t, &id, 1), purge(now, number(100)));
}

static void backlog_drains_in_batches(struct trial *t)
{
    static const char *const batches[] = {"100", "100", "50", "0"};
    double now = draw_time(t);

    have_bystanders(t);
    have_rows(t, 20, "p-", "pending", NULL, LAST_TIME);
    have_rows(t, 250, "k-", "done", "{\"receipt\":1}", now);
    for (int i = 0; i < COUNT_OF(batches) && !trial_over(t); i++) {
        expect(t, NULL, purge(now + 1, number(100)));
        cJSON *ids = cJSON_Parse(trial_given(t));
        expect_equal(t, "the number of ids in this batch", batches[i],
                     kept(t, "%d", cJSON_GetArraySize(ids)));
        cJSON_Delete(ids);
    }
}

/* The k-th deletion, in whatever order they come: when it begins, k - 1 rows are gone. */
static void refuse_deletion(struct trial *t, int k, int rows)
{
    refuse(t, "DELETE", kept(t, "(SELECT count(*) FROM keys) = %d", rows - (k - 1)));
}

static void all_or_nothing(struct trial *t)
{
    enum { COUNT = 5, BYSTANDERS = 3 };
    const char *ids[COUNT];
    double expires = draw_time(t);

    have_bystanders(t);
    draw_ascending(t, ids, COUNT);
    have_done_rows(t, ids, COUNT, expires);
    for (int k = 1; k <= COUNT - 1; k++) {
        refuse_deletion(t, k, BYSTANDERS + COUNT);
        expect_failed(t, kept(t, _("deletion %d of %d is refused"), k, COUNT - 1),
                      purge(expires + 1, number(COUNT - 1)));
        allow_all(t);
    }
    expect(t, ok_ids(t, ids, COUNT - 1), purge(expires + 1, number(COUNT - 1)));
}

/*
 * What the other side may do: take a candidate away (purge), renew one (the cycle purges up to 10 and
 * reserves the key anew), add one before the others (finish), ask for one (reserve). A purge that deletes by
 * ids it chose earlier deletes the renewed row, which is pending by now.
 */
static cJSON *other_side(const char *pending, const char *candidate)
{
    cJSON *others = cJSON_CreateArray();

    cJSON_AddItemToArray(others, purge(10, number(1)));
    cJSON_AddItemToArray(others, retention_cycle(candidate));
    cJSON_AddItemToArray(others, finish(pending, "a1", "{\"receipt\":2}"));
    cJSON_AddItemToArray(others, reserve(candidate, "b2", 5));
    return others;
}

/* ids[0] is pending and old: once finished it is the first candidate. */
static void no_gap_between_choosing_and_deleting(struct trial *t)
{
    const char *ids[4];

    have_bystanders(t);
    draw_ascending(t, ids, 4);
    have_row(t, ids[0], "a1", "pending", NULL, 5);
    have_done_rows(t, ids + 1, 3, 9.5);
    expect(t, "OK []", purge(9, NULL));
    trial_race(t, false, purge(10, number(2)), other_side(ids[0], ids[1]));
    trial_race(t, false, purge(10, number(1)), other_side(ids[0], ids[1]));
}

/* What a connection of its own finds, opened after the purge. */
static const char *ask_newly_opened(struct trial *t, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    const char *found;

    if (trial_over(t))
        return "";
    if (sqlite3_open_v2(trial_path(t), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        found = kept(t, "%s", (const char *)sqlite3_column_text(stmt, 0));
    else
        found = kept(t, _("SQLite says: %s"), sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return found;
}

static void gone_for_every_connection(struct trial *t)
{
    const char *ids[5];
    double expires = draw_time(t);

    have_bystanders(t);
    draw_ascending(t, ids, 5);
    have_done_rows(t, ids, 5, expires);
    for (int i = 0; i < 5; i++) {
        const char *sql = kept(t, "SELECT count(*) FROM keys WHERE id = %s", quoted_sql(t, ids[i]));
        expect_equal(t, "rows with the id before the purge, for another connection", "1",
                     ask_newly_opened(t, sql));
        expect(t, ok_ids(t, ids + i, 1), purge(expires + 1, number(1)));
        expect_equal(t, "rows with the id after the purge, for another connection", "0",
                     ask_newly_opened(t, sql));
    }
    expect_equal(t, "rows that were to stay, for another connection", "3",
                 ask_newly_opened(t, "SELECT count(*) FROM keys"));
    expect_equal(t, "the integrity check", "ok", ask_newly_opened(t, "PRAGMA integrity_check"));
}

static void null_is_invalid(struct trial *t)
{
    double expires = draw_time(t);
    const char *id = have_done(t, "1", expires);

    have_bystanders(t);
    expect(t, "INVALID", without_out(purge(expires, NULL)));
    expect(t, "INVALID", without_out(purge(expires, number(1))));
    expect(t, "INVALID", with_path(purge(expires, NULL), NULL));
    expect(t, ok_ids(t, &id, 1), purge(expires + 1, NULL));
}

/* A deletion refused when others have been done, besides the first of all. */
static void craft_of_failures(struct trial *t)
{
    fails_without_table(t, purge(11, NULL));
    fails_when_locked(t, purge(11, NULL));
    fails_when_read(t, purge(11, NULL));
    fails_when_refused(t, purge(11, NULL));
    refuse(t, "DELETE", "(SELECT count(*) FROM keys WHERE status='done' AND expires=10) = 1");
    expect_failed(t, "the last deletion is refused", purge(11, NULL));
    allow_all(t);
    fails_on_no_database(t, purge(11, NULL));
    fails_without_file(t, purge(11, NULL));
    trial_refusals(t, false, purge(11, NULL));
    trial_refusals(t, false, purge(9, number(1)));
}

static void craft(struct trial *t)
{
    const char *ids[5];

    have_bystanders(t);
    draw_ascending(t, ids, 5);
    have_done_rows(t, ids, 5, 10);
    expect(t, ok_ids(t, ids, 2), purge(11, number(2)));
    expect(t, "OK []", purge(9, NULL));
    expect(t, "INVALID", purge(11, number(1000)));
    expect(t, "INVALID", purge(11, cJSON_CreateString("10")));
    expect(t, "INVALID", without_out(purge(11, NULL)));
    craft_of_failures(t);
    expect(t, ok_ids(t, ids + 2, 3), purge(11, NULL));
}

static void random_run(struct trial *t)
{
    trial_random(t, 6);
}

const struct clause purge_clauses[] = {
    {"6.1", "deletes exactly what expired would list and gives those ids in that order", NUMBERED,
     deletes_what_expired_would_list},
    {"6.2", "pending rows stay, however old", NUMBERED, pending_rows_stay},
    {"6.3", "done rows that have not expired stay", NUMBERED, rows_not_expired_stay},
    {"6.4", "the limit is checked as in 5.6, and a refused one deletes nothing", NUMBERED, limit_is_checked},
    {"6.5", "a backlog drains in batches: 250 rows by 100 go 100, 100, 50, 0", NUMBERED,
     backlog_drains_in_batches},
    {"6.6", "all or nothing: when one deletion fails, none happened and the answer is FAILED", NUMBERED,
     all_or_nothing},
    {"6.7",
     "whatever another connection does between choosing and deleting, the outcome is that of one order", RACE,
     no_gap_between_choosing_and_deleting},
    {"6.8", "what it reports is gone for every other connection", NUMBERED, gone_for_every_connection},
    {"6.9", "a NULL path or result pointer is INVALID and deletes nothing", NUMBERED, null_is_invalid},
    {"6.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"6.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
