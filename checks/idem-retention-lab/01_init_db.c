/*
 * 01_init_db.c - the clauses of stage 01: the table is as the contract writes it, and making it again is
 * harmless.
 *
 * The only stage whose database is not there when a clause begins.
 */
#include "clauses.h"

#include "base/language.h"

static void null_path_is_invalid(struct trial *t)
{
    expect(t, "OK", init_db());
    expect(t, "INVALID", with_path(init_db(), NULL));
}

/* Each column as the contract would write it; what a column has beyond that is spelled out behind it. */
static const char columns[] = "SELECT group_concat(line, ', ') FROM (SELECT name || ' ' || upper(type)"
                              " || CASE WHEN pk > 0 THEN ' PRIMARY KEY' ELSE '' END"
                              " || CASE WHEN \"notnull\" THEN ' NOT NULL' ELSE '' END"
                              " || coalesce(' DEFAULT ' || dflt_value, '')"
                              " || CASE WHEN hidden THEN ' GENERATED' ELSE '' END AS line"
                              " FROM pragma_table_xinfo('keys') ORDER BY cid)";
static const char columns_wanted[] = "id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status TEXT NOT NULL, "
                                     "response TEXT, expires REAL NOT NULL";

/* No view, trigger, further table or index: one table, and the index that its primary key brings along. */
static const char objects[] =
    "SELECT group_concat(line, ', ') FROM (SELECT type || ' ' || name || ' on ' || tbl_name AS line"
    " FROM sqlite_master ORDER BY type, name)";
static const char objects_wanted[] = "index sqlite_autoindex_keys_1 on keys, table keys on keys";

static const char kind_of_table[] = "SELECT type || CASE WHEN wr THEN ' WITHOUT ROWID' ELSE '' END || CASE "
                                    "WHEN strict THEN ' STRICT' ELSE '' END"
                                    " FROM pragma_table_list('keys') WHERE schema = 'main'";

static void expect_schema(struct trial *t)
{
    expect_equal(t, "the columns of the table keys", columns_wanted, trial_ask(t, columns));
    expect_equal(t, "all there is in the database", objects_wanted, trial_ask(t, objects));
    expect_equal(t, "the kind of table", "table", trial_ask(t, kind_of_table));
    expect_equal(t, "how ids are compared", "BINARY",
                 trial_ask(t, "SELECT coll FROM pragma_index_xinfo('sqlite_autoindex_keys_1') WHERE key"));
    expect_equal(t, "the number of foreign keys", "0",
                 trial_ask(t, "SELECT count(*) FROM pragma_foreign_key_list('keys')"));
}

/*
 * Checks, conflict clauses and collations stand in no pragma: rows show them. Each row comes after those
 * above it.
 */
static const struct {
    const char *values;
    bool taken;
    const char *why;
} rows[] = {
    {"'', '', 'odd', '', -1e300", true, N_("a check that the contract does not have refuses a row")},
    {"'a', 'A', 'PENDING', 'R', 0", true, N_("a check that the contract does not have refuses a row")},
    {"'A', 'A', 'PENDING', 'R', 0", true, N_("ids that differ by case are taken for one")},
    {"'a ', 'A', 'PENDING', 'R', 'soon'", true, N_("a row that the contract's table takes is refused")},
    {"NULL, 'A', 'PENDING', x'00', 0", true, N_("a row that the contract's table takes is refused")},
    {"'a', 'B', 'done', NULL, 1", false, N_("a second row with the same id is no error")},
    {"'b', NULL, 'done', NULL, 1", false, N_("a row without fingerprint is no error")},
    {"'b', 'B', NULL, NULL, 1", false, N_("a row without status is no error")},
    {"'b', 'B', 'done', NULL, NULL", false, N_("a row without expires is no error")},
};

static void expect_takes_rows(struct trial *t)
{
    trial_sql(t, "BEGIN");
    for (int i = 0; i < COUNT_OF(rows) && !trial_over(t); i++) {
        const char *sql = kept(t, "INSERT INTO keys VALUES(%s)", rows[i].values);
        int result = sqlite3_exec(trial_db(t), sql, NULL, NULL, NULL);
        if (result != (rows[i].taken ? SQLITE_OK : SQLITE_CONSTRAINT))
            trial_fail(t,
                       rows[i].taken ? kept(t, _("the table takes: %s"), sql)
                                     : kept(t, _("the table refuses: %s"), sql),
                       rows[i].why);
    }
    expect_equal(
        t, "rows found when the case of a text differs", "0",
        trial_ask(t, "SELECT count(*) FROM keys WHERE fingerprint='a' OR status='pending' OR response='r'"));
    trial_sql(t, "ROLLBACK");
}

static void new_file_gets_the_table(struct trial *t)
{
    expect(t, "OK", init_db());
    expect_schema(t);
    expect_takes_rows(t);
}

static void called_again_keeps_every_row(struct trial *t)
{
    static const char all_sql[] = "SELECT group_concat(sql) FROM sqlite_master";
    struct input in = draw_input(t);

    expect(t, "OK", init_db());
    const char *before = trial_ask(t, all_sql);
    expect(t, "OK", init_db());
    have_bystanders(t);
    have_row(t, in.key, in.digest, "done", in.response, in.time);
    have_row(t, "", "", "pending", NULL, 0);
    expect(t, "OK", init_db());
    expect(t, "OK", init_db());
    expect_equal(t, "what the database is made of", before, trial_ask(t, all_sql));
}

static void no_database_answers_failed(struct trial *t)
{
    expect(t, "OK", init_db());
    have_bystanders(t);
    fails_on_no_database(t, init_db());
}

static void craft(struct trial *t)
{
    trial_refusals(t, false, init_db()); /* where the table is still to be made */
    expect(t, "OK", init_db());
    expect(t, "OK", init_db());
    expect(t, "INVALID", with_path(init_db(), NULL));
    have_bystanders(t);
    fails_when_locked(t, init_db());
    fails_on_no_database(t, init_db());
    expect(t, "OK", init_db());
    trial_refusals(t, false, init_db());
}

static void random_run(struct trial *t)
{
    trial_random(t, 1);
}

const struct clause init_db_clauses[] = {
    {"1.1", "a new file gets the table, column by column as written", NUMBERED, new_file_gets_the_table},
    {"1.2", "called again it answers OK and keeps every row", NUMBERED, called_again_keeps_every_row},
    {"1.3", "a path that is a folder, lies in a missing folder, or is no database answers FAILED", NUMBERED,
     no_database_answers_failed},
    {"1.4", "a NULL path is INVALID", NUMBERED, null_path_is_invalid},
    {"1.C", "craft: every call leaves nothing open and nothing allocated, on success, refusal and failure",
     CRAFT, craft},
    {"1.R", "random: a long random run of the functions up to this stage agrees with the model", RANDOM,
     random_run},
    {0},
};
