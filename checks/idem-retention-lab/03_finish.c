/*
 * 03_finish.c - the clauses of stage 03: one pending row, with its own digest, becomes done, once.
 */
#include "clauses.h"

#include <string.h>

static void pending_row_becomes_done(struct trial *t)
{
    struct input in = draw_input(t);

    have_bystanders(t);
    have_pending(t, in.digest, in.time); /* another key with the same digest, which stays */
    for (int i = 0; i < 4; i++) {
        struct input next = draw_input(t);
        have_row(t, next.key, in.digest, "pending", NULL, next.time);
        expect(t, "OK true", finish(next.key, in.digest, next.response));
    }
    have_row(t, "", "", "pending", NULL, in.time);
    expect(t, "OK true", finish("", "", in.response));
}

static void finish_new_row(struct trial *t, const char *response)
{
    struct input in = draw_input(t);

    have_row(t, in.key, in.digest, "pending", NULL, in.time);
    expect(t, "OK true", finish(in.key, in.digest, response));
}

/* That the stored bytes are the very same is compared with the model after each call. */
static void every_response_is_stored_as_it_came(struct trial *t)
{
    have_bystanders(t);
    for (int i = 0; i < response_count() && !trial_over(t); i++)
        finish_new_row(t, response_text(i));
    finish_new_row(t, long_response(t));
    finish_new_row(t, draw_response(t));
    expect_equal(t, "done rows whose response is no text", "0",
                 trial_ask(t, "SELECT count(*) FROM keys WHERE status='done' AND typeof(response)<>'text'"));
}

/* Digests that are not `digest`, which has 64 letters: by a byte at the end, a part of it, more than it,
 * its case. */
static void expect_other_digests_refused(struct trial *t, struct input in, const char *digest)
{
    int length = (int)strlen(digest);
    const char *const others[] = {
        in.digest,
        kept(t, "%.*sb", length - 1, digest),
        kept(t, "%.*sA", length - 1, digest),
        kept(t, "%.*s", length - 1, digest),
        kept(t, "%.*s", length / 2, digest),
        kept(t, "%s0", digest),
        kept(t, "%s ", digest),
        kept(t, " %s", digest),
        "%",
        "",
    };

    for (int i = 0; i < COUNT_OF(others); i++)
        expect(t, "OK false", finish(in.key, others[i], in.response));
}

static void another_digest_changes_nothing(struct trial *t)
{
    struct input in = draw_input(t);
    const char *digest = kept(t, "%063da", rng_below(trial_rng(t), 1000000000));

    have_bystanders(t);
    have_row(t, in.key, digest, "pending", NULL, in.time);
    trial_audit(t, "keys");
    expect_other_digests_refused(t, in, digest);
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    expect(t, "OK true", finish(in.key, digest, in.response));
}

static void done_row_is_never_overwritten(struct trial *t)
{
    struct input in = draw_input(t);

    have_bystanders(t);
    have_row(t, in.key, in.digest, "done", in.response, in.time);
    trial_audit(t, "keys");
    expect(t, "OK false", finish(in.key, in.digest, "{\"receipt\":\"another\"}"));
    expect(t, "OK false", finish(in.key, in.digest, in.response));
    expect(t, "OK false", finish(in.key, draw_digest(t), "null"));
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    finish_new_row(t, in.response);
}

static void missing_key_gives_false(struct trial *t)
{
    const char *keys[FAMILY_SIZE];
    struct input in = draw_input(t);

    draw_family(t, keys);
    have_bystanders(t);
    have_row(t, keys[0], in.digest, "pending", NULL, in.time);
    for (int i = 1; i < FAMILY_SIZE; i++)
        expect(t, "OK false", finish(keys[i], in.digest, in.response));
    expect(t, "OK false", finish("", in.digest, in.response));
    expect(t, "OK true", finish(keys[0], in.digest, in.response));
}

/* Past by any clock a service might look at, on the wall or counted from its start. */
static void past_its_time_can_be_finished(struct trial *t)
{
    const double times[] = {0, -1, -1e9, 0.5, 1, 1000000000.25, just_before(0)};

    have_bystanders(t);
    for (int i = 0; i < COUNT_OF(times); i++) {
        struct input in = draw_input(t);
        have_row(t, in.key, in.digest, "pending", NULL, times[i]);
        expect(t, "OK true", finish(in.key, in.digest, in.response));
    }
}

static void not_one_json_value_is_invalid(struct trial *t)
{
    struct input in = draw_input(t);

    have_bystanders(t);
    have_row(t, in.key, in.digest, "pending", NULL, in.time);
    for (int i = 0; i < bad_response_count() && !trial_over(t); i++)
        expect(t, "INVALID", finish(in.key, in.digest, bad_response(i)));
    expect(t, "INVALID", finish(draw_key(t), in.digest, "{\"receipt\":"));
    expect(t, "OK true", finish(in.key, in.digest, " {\"a\":1} \n"));
}

static void two_finishers_at_once(struct trial *t)
{
    struct input in = draw_input(t);
    struct input second = draw_input(t);
    cJSON *others = cJSON_CreateArray();

    have_bystanders(t);
    have_row(t, second.key, in.digest, "pending", NULL, 10);
    expect(t, "OK true", finish(second.key, in.digest, "[1]"));
    have_row(t, in.key, in.digest, "pending", NULL, 10);
    cJSON_AddItemToArray(others, finish(in.key, in.digest, "{\"receipt\":2}"));
    cJSON_AddItemToArray(others, finish(in.key, second.digest, "{\"receipt\":3}"));
    cJSON_AddItemToArray(others, reserve(in.key, second.digest, 20));
    cJSON_AddItemToArray(others, purge(10, NULL));
    trial_race(t, false, finish(in.key, in.digest, "{\"receipt\":1}"), others);
}

static void null_is_invalid(struct trial *t)
{
    struct input in = draw_input(t);

    have_bystanders(t);
    have_row(t, in.key, in.digest, "pending", NULL, in.time);
    expect(t, "INVALID", finish(NULL, in.digest, "1"));
    expect(t, "INVALID", finish(in.key, NULL, "1"));
    expect(t, "INVALID", finish(in.key, in.digest, NULL));
    expect(t, "INVALID", without_out(finish(in.key, in.digest, "1")));
    expect(t, "INVALID", with_path(finish(in.key, in.digest, "1"), NULL));
    expect(t, "OK true", finish(in.key, in.digest, "1"));
}

static void craft_of_failures(struct trial *t, const char *key, const char *digest)
{
    const char *response = "{\"receipt\":[1,2,3]}";

    fails_without_table(t, finish(key, digest, response));
    fails_when_locked(t, finish(key, digest, response));
    fails_when_read(t, finish(key, digest, response));
    fails_when_refused(t, finish(key, digest, response));
    fails_on_no_database(t, finish(key, digest, response));
    fails_without_file(t, finish(key, digest, response));
    trial_refusals(t, false, finish(key, digest, response));
    trial_refusals(t, false, finish(key, "another digest", response));
}

static void craft(struct trial *t)
{
    struct input in = draw_input(t);
    const char *other = have_pending(t, in.digest, in.time);

    have_bystanders(t);
    have_row(t, in.key, in.digest, "pending", NULL, in.time);
    expect(t, "OK true", finish(in.key, in.digest, in.response));
    expect(t, "OK false", finish(in.key, in.digest, in.response));
    expect(t, "OK false", finish(other, "another digest", in.response));
    expect(t, "OK false", finish(draw_key(t), in.digest, in.response));
    expect(t, "INVALID", finish(other, in.digest, "{\"receipt\":[1,2"));
    expect(t, "INVALID", finish(other, in.digest, "{\"receipt\":[1,2]} and more"));
    expect(t, "INVALID", finish(NULL, in.digest, "{\"receipt\":[1,2]}"));
    expect(t, "INVALID", without_out(finish(other, in.digest, "{\"receipt\":[1,2]}")));
    craft_of_failures(t, other, in.digest);
}

static void random_run(struct trial *t)
{
    trial_random(t, 3);
}

const struct clause finish_clauses[] = {
    {"3.1", "the pending row with this key and digest becomes done, digest and expires stay: true", NUMBERED,
     pending_row_becomes_done},
    {"3.2", "every JSON response is stored as it came: objects, digits, 0, \"\", [], {}, true, false, null",
     NUMBERED, every_response_is_stored_as_it_came},
    {"3.3", "another digest changes nothing, also one that shares a long prefix: false", NUMBERED,
     another_digest_changes_nothing},
    {"3.4", "a done row is never overwritten, even with its own digest: false", NUMBERED,
     done_row_is_never_overwritten},
    {"3.5", "a missing key gives false and no row appears", NUMBERED, missing_key_gives_false},
    {"3.6", "a pending row past its time can still be finished", NUMBERED, past_its_time_can_be_finished},
    {"3.7", "a response that is not one JSON value is INVALID and changes nothing", NUMBERED,
     not_one_json_value_is_invalid},
    {"3.8", "of two finishers at once exactly one gets true, and its response stays", RACE,
     two_finishers_at_once},
    {"3.9", "a NULL argument is INVALID and changes nothing", NUMBERED, null_is_invalid},
    {"3.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"3.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
