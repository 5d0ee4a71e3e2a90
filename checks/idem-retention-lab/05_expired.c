/*
 * 05_expired.c - the clauses of stage 05: which done rows have expired, in which order, and how many at most.
 */
#include "clauses.h"

/* One row has its time at `now`, the other just after it. */
static void done_rows_with_the_boundary(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < boundary_count() && !trial_over(t); i++) {
        double now = boundary(i);
        struct input in = draw_input(t);
        have_row(t, in.key, in.digest, "done", in.response, now);
        have_done(t, in.response, just_after(now));
        expect(t, "OK []", expired(just_before(now), NULL));
        expect(t, ok_ids(t, &in.key, 1), expired(now, NULL));
        clear_rows(t);
    }
}

/* A window of old pending rows before the one that counts, and some behind it. */
static void pending_rows_use_no_limit(struct trial *t)
{
    struct input in = draw_input(t);
    const char *id = kept(t, "b-%s", in.key);

    have_rows(t, 100, "a-", "pending", NULL, -1000);
    have_rows(t, 20, "c-", "pending", NULL, -1000);
    have_row(t, id, in.digest, "done", in.response, in.time);
    expect(t, ok_ids(t, &id, 1), expired(in.time + 1, NULL));
    expect(t, ok_ids(t, &id, 1), expired(in.time + 1, number(1)));
    expect(t, ok_ids(t, &id, 1), expired(in.time + 1, number(50)));
}

static void ids_ascend_by_bytes(struct trial *t)
{
    int count;
    const char *const *ids = ids_in_order(&count);
    double expires = draw_time(t);

    have_bystanders(t);
    have_disordered_rows(t, ids, count, expires);
    expect(t, ok_ids(t, ids, count), expired(expires + 1, number(50)));
    clear_rows(t);
    have_disordered_rows(t, ids, count, expires); /* in another order */
    expect(t, ok_ids(t, ids, count), expired(expires + 1, number(50)));
}

static void at_most_limit_the_smallest(struct trial *t)
{
    enum { COUNT = 7 };
    const char *ids[COUNT];
    double expires = draw_time(t);

    have_bystanders(t);
    draw_ascending(t, ids, COUNT);
    have_disordered_rows(t, ids, COUNT, expires);
    for (int limit = 1; limit <= COUNT + 1; limit++)
        expect(t, ok_ids(t, ids, limit < COUNT ? limit : COUNT), expired(expires + 1, number(limit)));
    clear_rows(t);
    have_rows(t, 105, "k-", "done", "{\"receipt\":1}", expires);
    expect(t, NULL, expired(expires + 1, number(90)));
}

static void without_a_limit_ten(struct trial *t)
{
    enum { COUNT = 15 };
    const char *ids[COUNT];
    double expires = draw_time(t);

    have_bystanders(t);
    draw_ascending(t, ids, COUNT);
    have_disordered_rows(t, ids, 9, expires);
    expect(t, ok_ids(t, ids, 9), expired(expires + 1, NULL));
    have_disordered_rows(t, ids + 9, COUNT - 9, expires);
    expect(t, ok_ids(t, ids, 10), expired(expires + 1, NULL));
}

static void limits_from_one_to_hundred(struct trial *t)
{
    double now = draw_time(t);
    const char *id = have_done(t, "{\"receipt\":1}", now - 1);

    have_bystanders(t);
    for (int i = 0; i < bad_limit_count() && !trial_over(t); i++)
        expect(t, "INVALID", expired(now, bad_limit(i)));
    expect(t, ok_ids(t, &id, 1), expired(now, number(1)));
    expect(t, ok_ids(t, &id, 1), expired(now, number(100)));
}

static void nothing_expired_gives_an_empty_array(struct trial *t)
{
    struct input in = draw_input(t);

    expect(t, "OK []", expired(in.time, NULL)); /* in an empty table */
    have_bystanders(t);
    have_row(t, in.key, in.digest, "done", in.response, in.time + 1);
    expect(t, "OK []", expired(in.time, NULL));
    expect(t, "OK []", expired(-1e9, number(1)));
    expect(t, ok_ids(t, &in.key, 1), expired(in.time + 2, NULL));
}

static void expect_untouched(struct trial *t, const char *answer, cJSON *call)
{
    expect(t, answer, call);
    trial_sql(t, "BEGIN EXCLUSIVE");
    trial_sql(t, "ROLLBACK");
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    expect_equal(t, "indexes made", "0",
                 trial_ask(t, "SELECT count(*) FROM sqlite_schema WHERE type='index' AND sql IS NOT NULL"));
}

static void listing_changes_nothing(struct trial *t)
{
    double expires = draw_time(t);
    const char *id = have_done(t, "{\"receipt\":1}", expires);

    have_bystanders(t);
    trial_audit(t, "keys");
    expect_untouched(t, ok_ids(t, &id, 1), expired(expires + 1, NULL));
    expect_untouched(t, ok_ids(t, &id, 1), expired(expires + 1, number(1)));
    expect_untouched(t, ok_ids(t, &id, 1), expired(expires + 1, NULL));
    expect_untouched(t, "OK []", expired(expires - 1, NULL));
}

static void null_is_invalid(struct trial *t)
{
    double expires = draw_time(t);
    const char *id = have_done(t, "1", expires);

    have_bystanders(t);
    expect(t, "INVALID", without_out(expired(expires, NULL)));
    expect(t, "INVALID", without_out(expired(expires, number(1))));
    expect(t, "INVALID", with_path(expired(expires, NULL), NULL));
    expect(t, ok_ids(t, &id, 1), expired(expires + 1, NULL));
}

static void craft(struct trial *t)
{
    const char *ids[4];

    have_bystanders(t);
    draw_ascending(t, ids, 4);
    have_done_rows(t, ids, 4, 10);
    expect(t, ok_ids(t, ids, 4), expired(11, NULL));
    expect(t, ok_ids(t, ids, 4), expired(11, number(50)));
    expect(t, "OK []", expired(9, NULL));
    expect(t, "INVALID", expired(10, number(1000)));
    expect(t, "INVALID", expired(10, cJSON_CreateString("10")));
    expect(t, "INVALID", without_out(expired(10, NULL)));
    fails_without_table(t, expired(10, NULL));
    fails_when_locked(t, expired(10, NULL));
    fails_on_no_database(t, expired(10, NULL));
    fails_without_file(t, expired(10, NULL));
    trial_refusals(t, false, expired(11, NULL));
    trial_refusals(t, false, expired(9, number(1)));
}

static void random_run(struct trial *t)
{
    trial_random(t, 5);
}

const struct clause expired_clauses[] = {
    {"5.1", "lists done rows with expires <= now, the boundary included", NUMBERED,
     done_rows_with_the_boundary},
    {"5.2", "pending rows are never listed and never use up the limit", NUMBERED, pending_rows_use_no_limit},
    {"5.3", "ids ascend by their bytes, in whatever order the rows came", NUMBERED, ids_ascend_by_bytes},
    {"5.4", "at most limit ids, the smallest", NUMBERED, at_most_limit_the_smallest},
    {"5.5", "without a limit at most 10", NUMBERED, without_a_limit_ten},
    {"5.6", "1 and 100 are limits; 0, -1, 101, 1.5, 1e10, true, false, \"10\", null, [] and {} are INVALID",
     NUMBERED, limits_from_one_to_hundred},
    {"5.7", "nothing expired gives an empty array", NUMBERED, nothing_expired_gives_an_empty_array},
    {"5.8", "listing changes nothing", NUMBERED, listing_changes_nothing},
    {"5.9", "a NULL path or result pointer is INVALID", NUMBERED, null_is_invalid},
    {"5.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"5.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
