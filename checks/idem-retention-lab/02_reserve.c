/*
 * 02_reserve.c - the clauses of stage 02: a missing key becomes pending, an existing one is left alone.
 */
#include "clauses.h"

static void missing_key_becomes_pending(struct trial *t)
{
    static const double times[] = {1767225600.125, 0.30000000000000004, 0, -2.5, 1767225600123.5};
    static const char *const digests[] = {"sha-256=:ab'\"%:", "0123", "1e3", " d ", "D"};
    struct input in = draw_input(t);

    have_bystanders(t);
    expect(t, "OK true", reserve(in.key, in.digest, in.time));
    expect(t, "OK true", reserve("", "", in.time));
    for (int i = 0; i < COUNT_OF(times); i++) {
        struct input next = draw_input(t);
        expect(t, "OK true", reserve(next.key, digests[i], times[i]));
    }
    /* The table was compared with the model after each call; here once more in the words of the promise. */
    expect_equal(
        t, "the row with the empty key", "pending, response NULL",
        trial_ask(t, "SELECT status || ', response ' || coalesce(response, 'NULL') FROM keys WHERE id=''"));
}

static void existing_pending_key(struct trial *t)
{
    struct input second = draw_input(t);
    const double times[] = {draw_time(t), -1e9, 0, 1, LAST_TIME / 2};
    struct input first[COUNT_OF(times)];

    have_bystanders(t);
    for (int i = 0; i < COUNT_OF(times); i++) {
        first[i] = draw_input(t);
        have_row(t, first[i].key, first[i].digest, "pending", NULL, times[i]);
    }
    trial_audit(t, "keys");
    for (int i = 0; i < COUNT_OF(times); i++) {
        expect(t, "OK false", reserve(first[i].key, second.digest, second.time));
        expect(t, "OK false", reserve(first[i].key, first[i].digest, just_after(times[i])));
        expect(t, "OK false", reserve(first[i].key, first[i].digest, just_before(times[i])));
        expect(t, "OK false", reserve(first[i].key, "", LAST_TIME));
        expect(t, "OK false", reserve(first[i].key, first[i].digest, times[i]));
    }
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    expect(t, "OK true", reserve(second.key, second.digest, second.time));
}

/* Long ago by any clock, and not for a long time yet: the service has none, so all stay. */
static void existing_done_key(struct trial *t)
{
    const double times[] = {draw_time(t), 0, -1e9, 1, LAST_TIME};
    struct input second = draw_input(t);
    const char *keys[COUNT_OF(times)];

    have_bystanders(t);
    for (int i = 0; i < COUNT_OF(times); i++)
        keys[i] = have_done(t, second.response, times[i]);
    trial_audit(t, "keys");
    for (int i = 0; i < COUNT_OF(times); i++) {
        expect(t, "OK false", reserve(keys[i], second.digest, LAST_TIME));
        expect(t, "OK false", reserve(keys[i], second.digest, second.time));
    }
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    expect(t, "OK true", reserve(second.key, second.digest, second.time));
}

static void keys_differ_by_single_bytes(struct trial *t)
{
    const char *keys[FAMILY_SIZE];
    int order[FAMILY_SIZE];
    struct input in = draw_input(t);

    draw_family(t, keys);
    rng_shuffle(trial_rng(t), order, FAMILY_SIZE);
    for (int i = 0; i < FAMILY_SIZE; i++)
        expect(t, "OK true", reserve(keys[order[i]], in.digest, in.time));
}

static void null_is_invalid(struct trial *t)
{
    struct input in = draw_input(t);

    have_bystanders(t);
    expect(t, "INVALID", reserve(NULL, in.digest, in.time));
    expect(t, "INVALID", reserve(in.key, NULL, in.time));
    expect(t, "INVALID", reserve(NULL, NULL, in.time));
    expect(t, "INVALID", without_out(reserve(in.key, in.digest, in.time)));
    expect(t, "INVALID", with_path(reserve(in.key, in.digest, in.time), NULL));
    expect(t, "OK true", reserve(in.key, in.digest, in.time));
    expect(t, "INVALID", without_out(reserve(in.key, in.digest, in.time)));
}

static void two_callers_at_once(struct trial *t)
{
    struct input in = draw_input(t);
    struct input second = draw_input(t);
    cJSON *others = cJSON_CreateArray();

    have_bystanders(t);
    expect(t, "OK true", reserve(second.key, in.digest, in.time));
    cJSON_AddItemToArray(others, reserve(in.key, second.digest, 0));
    cJSON_AddItemToArray(others, reserve(in.key, second.digest, LAST_TIME));
    cJSON_AddItemToArray(others, reserve(in.key, in.digest, in.time));
    trial_race(t, true, reserve(in.key, in.digest, in.time), others);
}

static void craft_of_failures(struct trial *t, struct input in)
{
    fails_without_table(t, reserve(in.key, in.digest, in.time));
    fails_when_locked(t, reserve(in.key, in.digest, in.time));
    fails_when_read(t, reserve(in.key, in.digest, in.time));
    fails_when_refused(t, reserve(in.key, in.digest, in.time));
    fails_on_no_database(t, reserve(in.key, in.digest, in.time));
    fails_without_file(t, reserve(in.key, in.digest, in.time));
    trial_refusals(t, false, reserve(in.key, in.digest, in.time));
}

static void craft(struct trial *t)
{
    struct input in = draw_input(t);
    struct input second = draw_input(t);

    have_bystanders(t);
    expect(t, "OK true", reserve(in.key, in.digest, in.time));
    expect(t, "OK false", reserve(in.key, in.digest, in.time));
    expect(t, "OK false", reserve(in.key, second.digest, in.time + 1));
    expect(t, "INVALID", reserve(NULL, second.digest, second.time));
    expect(t, "INVALID", reserve(second.key, NULL, second.time));
    expect(t, "INVALID", without_out(reserve(second.key, second.digest, second.time)));
    craft_of_failures(t, second);
    trial_refusals(t, false, reserve(in.key, second.digest, second.time));
}

static void random_run(struct trial *t)
{
    trial_random(t, 2);
}

const struct clause reserve_clauses[] = {
    {"2.1", "a missing key becomes pending with response NULL, its digest and its expires: true", NUMBERED,
     missing_key_becomes_pending},
    {"2.2", "an existing pending key is left as it is, whatever digest and expires come: false", NUMBERED,
     existing_pending_key},
    {"2.3", "a done key is left as it is, also one that has expired: false", NUMBERED, existing_done_key},
    {"2.4",
     "keys differ by single bytes: case, trailing space, Unicode form, the last of 301, quotes and SQL",
     NUMBERED, keys_differ_by_single_bytes},
    {"2.5", "a NULL path, key, digest or result pointer is INVALID and stores nothing", NUMBERED,
     null_is_invalid},
    {"2.6", "of two callers at once exactly one gets true, the other false", RACE, two_callers_at_once},
    {"2.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"2.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
