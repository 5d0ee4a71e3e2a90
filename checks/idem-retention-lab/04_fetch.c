/*
 * 04_fetch.c - the clauses of stage 04: a done row gives its response until its time has come, and reading
 * changes nothing.
 */
#include "clauses.h"

#include <string.h>

static void fetch_new_row(struct trial *t, const char *response, double expires, double now)
{
    expect(t, ok_json(t, response), fetch(have_done(t, response, expires), now));
}

/* JSON null is one of them too, but has a clause of its own (4.6). */
static void before_expires_the_response(struct trial *t)
{
    double expires = draw_time(t);

    have_bystanders(t);
    for (int i = 0; i < response_count() && !trial_over(t); i++)
        if (strcmp(response_text(i), "null") != 0)
            fetch_new_row(t, response_text(i), expires, expires - 1);
    fetch_new_row(t, long_response(t), expires, expires - 1);
    fetch_new_row(t, draw_response(t), expires, -1e9);
    have_row(t, "", "", "done", "{\"receipt\":1}", 0.5);
    expect(t, "OK {\"receipt\":1}", fetch("", 0.25));
}

static void at_expires_nothing(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < boundary_count() && !trial_over(t); i++) {
        const char *response = draw_response(t);
        const char *key = have_done(t, response, boundary(i));
        expect(t, "OK nothing", fetch(key, boundary(i)));
        expect(t, ok_json(t, response), fetch(key, just_before(boundary(i))));
    }
}

static void after_expires_nothing(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < boundary_count() && !trial_over(t); i++) {
        const char *key = have_done(t, draw_response(t), boundary(i));
        expect(t, "OK nothing", fetch(key, just_after(boundary(i))));
        expect(t, "OK nothing", fetch(key, LAST_TIME));
    }
    fetch_new_row(t, draw_response(t), 1767225600.5, 1767225600.25);
}

static void pending_row_gives_nothing(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < 4; i++) {
        struct input in = draw_input(t);
        const char *key = have_pending(t, in.digest, in.time);
        expect(t, "OK nothing", fetch(key, just_before(in.time)));
        expect(t, "OK nothing", fetch(key, in.time - 100));
        expect(t, "OK nothing", fetch(key, LAST_TIME));
    }
    fetch_new_row(t, draw_response(t), 10, 9);
}

static void missing_key_gives_nothing(struct trial *t)
{
    const char *keys[FAMILY_SIZE];

    draw_family(t, keys);
    expect(t, "OK nothing", fetch(keys[0], 9)); /* in an empty table */
    have_bystanders(t);
    have_row(t, keys[0], "a1", "done", "{\"receipt\":1}", 10);
    for (int i = 1; i < FAMILY_SIZE; i++)
        expect(t, "OK nothing", fetch(keys[i], 9));
    expect(t, "OK nothing", fetch("", 9));
    expect(t, "OK {\"receipt\":1}", fetch(keys[0], 9));
}

static void json_null_is_a_response(struct trial *t)
{
    const char *key = have_done(t, "null", 10);
    const char *spaced = have_done(t, " null\n", 10);

    have_bystanders(t);
    expect(t, "OK null", fetch(key, 9.5));
    expect(t, "OK null", fetch(spaced, just_before(10)));
    expect(t, "OK \"null\"", fetch(have_done(t, "\"null\"", 10), 9.5));
    expect(t, "OK nothing", fetch(draw_key(t), 9.5));
}

static void stored_text_that_is_not_json(struct trial *t)
{
    static const char *const broken[] = {
        "", "{\"receipt\":", "receipt", "[1,2", "{\"receipt\":1} and more", "1 2", "'a'"};

    have_bystanders(t);
    for (int i = 0; i < COUNT_OF(broken); i++)
        expect(t, "FAILED", fetch(have_done(t, broken[i], 10), 9));
    fetch_new_row(t, draw_response(t), 10, 9);
}

/* Four kinds of answer, each of which may leave by a way of its own. */
static void reading_leaves_no_trace(struct trial *t)
{
    const char *done = have_done(t, "{\"receipt\":1}", 10);
    const char *broken = have_done(t, "[1,", 10);
    const struct {
        const char *answer;
        cJSON *call;
    } reads[] = {
        {"OK {\"receipt\":1}", fetch(done, 9)},
        {"OK nothing", fetch(done, 11)},
        {"OK nothing", fetch(draw_key(t), 9)},
        {"FAILED", fetch(broken, 9)},
    };

    have_bystanders(t);
    trial_audit(t, "keys");
    for (int i = 0; i < COUNT_OF(reads); i++) {
        expect(t, reads[i].answer, reads[i].call);
        trial_sql(t, "BEGIN EXCLUSIVE");
        trial_sql(t, "ROLLBACK");
    }
    expect_equal(t, "what was written to the table", "", trial_writes(t));
}

/* A service that takes 0 for "not given", or asks its own clock, gives nothing where the response is due,
 * or the reverse. */
static void zero_and_negative_times(struct trial *t)
{
    const char *response = draw_response(t);
    const char *text = ok_json(t, response);

    have_bystanders(t);
    expect(t, text, fetch(have_done(t, response, 0.5), 0));
    expect(t, text, fetch(have_done(t, response, 1000), 0));
    expect(t, text, fetch(have_done(t, response, 0), -0.5));
    expect(t, text, fetch(have_done(t, response, -1), -2));
    expect(t, "OK nothing", fetch(have_done(t, response, -2), -1));
    expect(t, "OK nothing", fetch(have_done(t, response, -0.5), 0));
    expect(t, text, fetch(have_done(t, response, LAST_TIME), -1e9));
}

static void null_is_invalid(struct trial *t)
{
    const char *response = draw_response(t);
    const char *key = have_done(t, response, 10);

    have_bystanders(t);
    expect(t, "INVALID", fetch(NULL, 9));
    expect(t, "INVALID", without_out(fetch(key, 9)));
    expect(t, "INVALID", with_path(fetch(key, 9), NULL));
    expect(t, ok_json(t, response), fetch(key, 9));
}

static void craft(struct trial *t)
{
    const char *key = have_done(t, "{\"receipt\":[1,\"two\",null]}", 10);
    const char *pending = have_pending(t, "a1", 10);

    have_bystanders(t);
    expect(t, "OK {\"receipt\":[1,\"two\",null]}", fetch(key, 9));
    expect(t, "OK nothing", fetch(key, 11));
    expect(t, "OK nothing", fetch(pending, 9));
    expect(t, "OK nothing", fetch(draw_key(t), 9));
    expect(t, "FAILED", fetch(have_done(t, "{\"receipt\":[1,", 10), 9));
    expect(t, "FAILED", fetch(have_done(t, "{\"receipt\":[1]} and more", 10), 9));
    expect(t, "INVALID", fetch(NULL, 9));
    expect(t, "INVALID", without_out(fetch(key, 9)));
    fails_without_table(t, fetch(key, 9));
    fails_when_locked(t, fetch(key, 9));
    fails_on_no_database(t, fetch(key, 9));
    fails_without_file(t, fetch(key, 9));
    trial_refusals(t, false, fetch(key, 9));
    trial_refusals(t, false, fetch(key, 11));
}

static void random_run(struct trial *t)
{
    trial_random(t, 4);
}

const struct clause fetch_clauses[] = {
    {"4.1", "before expires it gives the response", NUMBERED, before_expires_the_response},
    {"4.2", "at now == expires it gives nothing, also with fractions and epoch-sized times", NUMBERED,
     at_expires_nothing},
    {"4.3", "after expires it gives nothing", NUMBERED, after_expires_nothing},
    {"4.4", "a pending row gives nothing, even before its time", NUMBERED, pending_row_gives_nothing},
    {"4.5", "a missing key gives nothing, with OK", NUMBERED, missing_key_gives_nothing},
    {"4.6", "JSON null comes back as null, not as nothing", NUMBERED, json_null_is_a_response},
    {"4.7", "stored text that is not JSON answers FAILED", NUMBERED, stored_text_that_is_not_json},
    {"4.8", "reading changes nothing and leaves no lock", NUMBERED, reading_leaves_no_trace},
    {"4.9", "now 0 and negative times are times like any other", NUMBERED, zero_and_negative_times},
    {"4.10", "a NULL path, key or result pointer is INVALID", NUMBERED, null_is_invalid},
    {"4.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"4.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
