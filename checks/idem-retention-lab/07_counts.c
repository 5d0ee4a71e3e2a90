/*
 * 07_counts.c - the clauses of stage 07: how many rows are pending and how many done, zeros included,
 * failures not.
 */
#include "clauses.h"

static const char *two_counts(struct trial *t, int pending, int done)
{
    return kept(t, "OK {\"pending\":%d,\"done\":%d}", pending, done);
}

static void have_some(struct trial *t, int count, const char *prefix, const char *status, double expires)
{
    have_rows(t, count, prefix, status, status[0] == 'd' ? "{\"receipt\":1}" : NULL, expires);
}

static int draw_count(struct trial *t)
{
    return 2 + rng_below(trial_rng(t), 6);
}

static void empty_table_gives_zeros(struct trial *t)
{
    expect(t, "OK {\"pending\":0,\"done\":0}", counts());
    have_some(t, 1, "p-", "pending", 10);
    have_some(t, 1, "d-", "done", LAST_TIME);
    expect(t, "OK {\"pending\":1,\"done\":1}", counts());
    clear_rows(t);
    expect(t, "OK {\"pending\":0,\"done\":0}", counts());
}

static void missing_status_has_its_key(struct trial *t)
{
    int pending = draw_count(t);
    int done = draw_count(t);

    have_some(t, pending, "p-", "pending", draw_time(t));
    expect(t, two_counts(t, pending, 0), counts());
    clear_rows(t);
    have_some(t, done, "d-", "done", draw_time(t));
    expect(t, two_counts(t, 0, done), counts());
}

static void counts_what_is_there(struct trial *t)
{
    int pending = draw_count(t);
    int old = draw_count(t);
    int done = draw_count(t);

    have_some(t, pending, "p-", "pending", LAST_TIME);
    have_some(t, old, "old-p-", "pending", -1000);
    have_some(t, done, "d-", "done", LAST_TIME);
    expect(t, two_counts(t, pending + old, done), counts());
    have_some(t, old, "old-d-", "done", -1000);
    have_row(t, "", "", "done", "0", 0); /* the empty key counts like any other */
    expect(t, two_counts(t, pending + old, done + old + 1), counts());
    have_rows(t, 150, "many-", "pending", NULL, 10);
    expect(t, two_counts(t, pending + old + 150, done + old + 1), counts());
    clear_rows(t);
    have_row(t, "", "", "pending", NULL, 0);
    expect(t, two_counts(t, 1, 0), counts());
}

static void after_a_purge(struct trial *t)
{
    int pending = draw_count(t);
    int done = draw_count(t);
    double now = draw_time(t);

    have_some(t, pending, "p-", "pending", now - 1);
    have_some(t, 1, "old-p-", "pending", -1000);
    have_some(t, done, "d-", "done", now - 1);
    have_some(t, 2, "late-", "done", now + 1);
    expect(t, two_counts(t, pending + 1, done + 2), counts());
    for (int left = done - 1; left >= 0; left--) {
        expect(t, NULL, purge(now, number(1)));
        expect(t, two_counts(t, pending + 1, left + 2), counts());
    }
    /* Nothing is left to purge but what is pending, and old. */
    expect(t, "OK []", purge(now, number(50)));
    expect(t, two_counts(t, pending + 1, 2), counts());
}

static void missing_table_answers_failed(struct trial *t)
{
    expect(t, "OK {\"pending\":0,\"done\":0}", counts());
    fails_without_table(t, counts());
    have_bystanders(t);
    fails_without_table(t, counts());
    expect(t, "OK {\"pending\":2,\"done\":1}", counts());
}

static void null_is_invalid(struct trial *t)
{
    have_bystanders(t);
    expect(t, "INVALID", without_out(counts()));
    expect(t, "INVALID", with_path(counts(), NULL));
    expect(t, "OK {\"pending\":2,\"done\":1}", counts());
}

static void craft(struct trial *t)
{
    expect(t, "OK {\"pending\":0,\"done\":0}", counts());
    have_bystanders(t);
    expect(t, "OK {\"pending\":2,\"done\":1}", counts());
    expect(t, "INVALID", without_out(counts()));
    expect(t, "INVALID", with_path(counts(), NULL));
    fails_without_table(t, counts());
    fails_when_locked(t, counts());
    fails_on_no_database(t, counts());
    fails_without_file(t, counts());
    trial_refusals(t, false, counts());
}

static void random_run(struct trial *t)
{
    trial_random(t, 7);
}

const struct clause counts_clauses[] = {
    {"7.1", "an empty table gives two zeros", NUMBERED, empty_table_gives_zeros},
    {"7.2", "a status without rows has its key, with 0", NUMBERED, missing_status_has_its_key},
    {"7.3", "counts what is there, expired done rows too", NUMBERED, counts_what_is_there},
    {"7.4", "after a purge pending is what it was", NUMBERED, after_a_purge},
    {"7.5", "a missing table answers FAILED, not zeros", NUMBERED, missing_table_answers_failed},
    {"7.6", "a NULL path or result pointer is INVALID", NUMBERED, null_is_invalid},
    {"7.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"7.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
