/*
 * 08_retention_cycle.c - the clauses of stage 08: a key is reserved, finished, deleted, and is a new request
 * again.
 *
 * The cycle is promised something on an empty table only, so each clause empties it before it calls again.
 */
#include "clauses.h"

#include "base/language.h"

#include <string.h>
#include <unistd.h>

static void gives_true_on_an_empty_table(struct trial *t)
{
    for (int i = 0; i < 4; i++) {
        expect(t, "OK true", retention_cycle(draw_key(t)));
        clear_rows(t);
    }
    expect(t, "OK true", retention_cycle(""));
}

/* The only row, as the promise puts it; spaces in JSON are the service's own choice. */
static const char the_row[] =
    "SELECT fingerprint || ' ' || status || ' ' || coalesce(replace(response, ' ', ''), 'NULL')"
    " || ' ' || CAST(expires AS INTEGER) FROM keys";

static void one_row_afterwards(struct trial *t)
{
    const char *key = draw_key(t);

    expect(t, "OK true", retention_cycle(key));
    expect_equal(t, "the number of rows", "1", trial_ask(t, "SELECT count(*) FROM keys"));
    expect_equal(t, "the id of the row", key, trial_ask(t, "SELECT id FROM keys"));
    expect_equal(t, "the rest of the row", "v2 pending NULL 20", trial_ask(t, the_row));
}

static void first_response_is_gone(struct trial *t)
{
    static const double times[] = {-1e9, -1, 0, 5, 9.5, 10, 15, 20};
    const char *key = draw_key(t);

    expect(t, "OK true", retention_cycle(key));
    const char *other = have_done(t, "{\"receipt\":2}", 10);
    for (int i = 0; i < COUNT_OF(times); i++)
        expect(t, "OK nothing", fetch(key, times[i]));
    expect(t, "OK {\"receipt\":2}", fetch(other, 9.5));
}

/*
 * What the table went through, told by triggers: a line for each row as it was inserted, changed or deleted.
 * Changes that follow one another are one line: a service may well use two statements to finish.
 */
static const char watch[] =
    "CREATE TABLE seen(what TEXT, id TEXT, line TEXT);"
    "CREATE TRIGGER see_insert AFTER INSERT ON keys BEGIN"
    "  INSERT INTO seen VALUES('insert', NEW.id, NEW.status || ' ' || NEW.fingerprint || ' until '"
    "    || CAST(NEW.expires AS INTEGER)); END;"
    "CREATE TRIGGER see_update AFTER UPDATE ON keys BEGIN"
    "  DELETE FROM seen WHERE what = 'update' AND rowid = (SELECT max(rowid) FROM seen);"
    "  INSERT INTO seen VALUES('update', NEW.id, NEW.status || ' ' || NEW.fingerprint || ' with '"
    "    || coalesce(replace(NEW.response, ' ', ''), 'NULL')); END;"
    "CREATE TRIGGER see_delete AFTER DELETE ON keys BEGIN"
    "  INSERT INTO seen VALUES('delete', OLD.id, OLD.status || ' ' || OLD.fingerprint); END;";

static void reserve_finish_delete_reserve(struct trial *t)
{
    const char *key = draw_key(t);

    trial_step(t, sqlite3_command(t, watch),
               "watch      triggers note each row inserted, changed or deleted");
    trial_sql(t, watch);
    expect(t, "OK true", retention_cycle(key));
    expect_equal(
        t, "what the table went through",
        "insert pending v1 until 10, update done v1 with {\"receipt\":1}, delete done v1,"
        " insert pending v2 until 20",
        trial_ask(t,
                  "SELECT group_concat(what || ' ' || line, ', ') FROM (SELECT * FROM seen ORDER BY rowid)"));
    expect_equal(t, "the ids of these rows", key, trial_ask(t, "SELECT group_concat(DISTINCT id) FROM seen"));
}

/* The four steps: how to make one fail, and the row that the steps before it leave behind. */
static const struct {
    const char *name;
    const char *event;
    const char *condition;
    const char *left;
} steps[] = {
    {N_("the first reserve"), "INSERT", "NEW.fingerprint='v1'", "nothing"},
    {"finish", "UPDATE", "1", "v1 pending NULL 10"},
    {"purge", "DELETE", "1", "v1 done {\"receipt\":1} 10"},
    {N_("the second reserve"), "INSERT", "NEW.fingerprint='v2'", "nothing"},
};

/* Either what the earlier steps left is there, or the service had begun one transaction for all and has
 * rolled it back. */
static void expect_step_to_fail(struct trial *t, int step, const char *key)
{
    refuse(t, steps[step].event, steps[step].condition);
    expect_answer_only(t, "FAILED", retention_cycle(key));
    const char *left = trial_ask(t, the_row);
    if (!trial_over(t) && strcmp(left, "nothing") != 0)
        expect_equal(t, kept(t, _("the row when %s has failed"), _(steps[step].name)), steps[step].left,
                     left);
    allow_all(t);
    clear_rows(t);
}

static void failed_step_ends_the_cycle(struct trial *t)
{
    const char *key = draw_key(t);

    for (int i = 0; i < COUNT_OF(steps); i++)
        expect_step_to_fail(t, i, key);
    fails_on_no_database(t, retention_cycle(key));
    expect(t, "OK true", retention_cycle(key));
}

static void null_is_invalid(struct trial *t)
{
    const char *key = draw_key(t);
    const char *new_file = beside(t, "-new.db");

    trial_audit(t, "keys");
    expect(t, "INVALID", retention_cycle(NULL));
    expect(t, "INVALID", without_out(retention_cycle(key)));
    expect(t, "INVALID", with_path(retention_cycle(key), NULL));
    expect_equal(t, "what was written to the table", "", trial_writes(t));
    /* Its first step would create the file: a refused call takes no step. */
    expect(t, "INVALID", with_path(retention_cycle(NULL), new_file));
    expect(t, "INVALID", with_path(without_out(retention_cycle(key)), new_file));
    expect_equal(t, "a file that was not there", "not there",
                 access(new_file, F_OK) == 0 ? "created" : "not there");
    expect(t, "OK true", retention_cycle(key));
}

static const char taking_trigger[] =
    "CREATE TRIGGER taken AFTER DELETE ON keys BEGIN"
    " INSERT INTO keys VALUES(OLD.id, 'somebody else', 'pending', NULL, 99); END";

/* Somebody else has the key by then: a trigger, since no caller can be quick enough for sure. */
static void gives_what_the_last_reserve_gave(struct trial *t)
{
    const char *key = draw_key(t);

    trial_step(t, sqlite3_command(t, taking_trigger),
               "trigger    reserves each key for somebody else as soon as it is deleted");
    trial_sql(t, taking_trigger);
    expect_answer_only(t, "OK false", retention_cycle(key));
    trial_sql(t, "DROP TRIGGER taken");
    expect_equal(t, "the row", "somebody else pending NULL 99", trial_ask(t, the_row));
    clear_rows(t);
    expect(t, "OK true", retention_cycle(key));
}

static void craft(struct trial *t)
{
    const char *key = draw_key(t);

    expect(t, "OK true", retention_cycle(key));
    clear_rows(t);
    expect(t, "INVALID", retention_cycle(NULL));
    expect(t, "INVALID", without_out(retention_cycle(key)));
    for (int i = 0; i < COUNT_OF(steps); i++)
        expect_step_to_fail(t, i, key);
    fails_when_locked(t, retention_cycle(key));
    fails_on_no_database(t, retention_cycle(key));
    trial_refusals(t, true, retention_cycle(key)); /* of each step: what the steps before it did stays */
    expect(t, "OK true", retention_cycle(key));
}

static void random_run(struct trial *t)
{
    trial_random(t, 8);
}

const struct clause retention_cycle_clauses[] = {
    {"8.1", "on an empty table it gives true", NUMBERED, gives_true_on_an_empty_table},
    {"8.2", "afterwards there is one row: this key, v2, pending, NULL, 20", NUMBERED, one_row_afterwards},
    {"8.3", "the first response can no longer be fetched", NUMBERED, first_response_is_gone},
    {"8.4", "the table went through reserve, finish, delete, reserve, in that order", NUMBERED,
     reserve_finish_delete_reserve},
    {"8.5", "a step that fails ends the cycle with its status", NUMBERED, failed_step_ends_the_cycle},
    {"8.6", "a NULL path, key or result pointer is INVALID", NUMBERED, null_is_invalid},
    {"8.7", "it gives what the last reserve gave: false when the key is taken by then", NUMBERED,
     gives_what_the_last_reserve_gave},
    {"8.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"8.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
